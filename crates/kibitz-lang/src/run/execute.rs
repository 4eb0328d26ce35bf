//! Carrying out a list of operations on words of any width.

use std::ops::Range;

use crate::compile::{Code, Op};

/// A machine word of N times 64 bits: one game in each bit.
pub type Word<const N: usize> = [u64; N];

/// By operation: what its first operand, its second operand and their AND are XORed with.
const FLIPS: [[u64; 3]; 6] = {
    let mut flips = [[0; 3]; 6];
    flips[Code::AndNot as usize] = [0, u64::MAX, 0];
    flips[Code::Or as usize] = [u64::MAX; 3];
    flips[Code::Not as usize] = [u64::MAX, u64::MAX, 0];
    flips[Code::Zero as usize] = [0, u64::MAX, 0];
    flips
};

/// Carries out some of the operations on the slots in `memory`.
///
/// All but the loops are one formula: which operation comes next cannot be foreseen, and guessing
/// wrongly would cost a narrow machine more than the operation itself.
pub fn execute<const N: usize>(ops: &[Op], range: Range<usize>, memory: &mut [Word<N>]) {
    let mut at = range.start;
    let mut changed = false;
    while at < range.end {
        let Op { code, a, b, out } = ops[at];
        at += 1;
        let (a, b, out) = (a as usize, b as usize, out as usize);
        if let Some([of_a, of_b, of_out]) = FLIPS.get(code as usize) {
            let (x, y) = (&memory[a], &memory[b]);
            memory[out] = std::array::from_fn(|n| ((x[n] ^ of_a) & (y[n] ^ of_b)) ^ of_out);
            continue;
        }
        match code {
            Code::Repeat => {
                if changed {
                    at = a;
                }
                changed = false;
            }
            _ => {
                let flip = if code == Code::JoinNot { u64::MAX } else { 0 };
                let (x, y) = (memory[a], memory[out]);
                let joined: Word<N> = std::array::from_fn(|n| (x[n] ^ flip) | y[n]);
                changed |= joined != y;
                memory[out] = joined;
            }
        }
    }
}
