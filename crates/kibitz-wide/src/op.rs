//! The operations, and how they are carried out one after the other.

use std::ops::Range;

/// A machine word of N times 64 bits: one game in each bit.
pub type Word<const N: usize> = [u64; N];

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// `out = a & b`.
    And,
    /// `out = a & !b`.
    AndNot,
    /// `out = a | b`.
    Or,
    /// `out = a`; `b` is `a`.
    Copy,
    /// `out = !a`; `b` is `a`.
    Not,
    /// `out = 0`; `b` is `a`.
    Zero,
    /// `out |= a`, and remember if that changed `out`.
    Join,
    /// `out |= !a`, and remember if that changed `out`.
    JoinNot,
    /// Back to the operation `a`, if anything has changed since it was last passed.
    Repeat,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// What it does.
    pub code: Code,
    /// The first operand.
    pub a: u32,
    /// The second operand.
    pub b: u32,
    /// Where the result goes.
    pub out: u32,
}

/// By operation: what its first operand, its second operand and their AND are XORed with.
const FLIPS: [[u64; 3]; 6] = {
    let mut flips = [[0; 3]; 6];
    flips[Code::AndNot as usize] = [0, u64::MAX, 0];
    flips[Code::Or as usize] = [u64::MAX; 3];
    flips[Code::Not as usize] = [u64::MAX, u64::MAX, 0];
    flips[Code::Zero as usize] = [0, u64::MAX, 0];
    flips
};

/// Carries out some of the operations on the slots in `memory`, with the instructions of the caller.
///
/// All but the loops are one formula: which operation comes next cannot be foreseen, and guessing
/// wrongly would cost more than the operation itself.
///
/// # Panics
/// If an operation names a slot that is not there.
#[inline(always)]
pub fn execute_plain<const N: usize>(ops: &[Op], range: Range<usize>, memory: &mut [Word<N>]) {
    let mut at = range.start;
    let mut changed = false;
    while at < range.end {
        let Op { code, a, b, out } = ops[at];
        at += 1;
        let (a, b, out) = (a as usize, b as usize, out as usize);
        if let Some([of_a, of_b, of_out]) = FLIPS.get(code as usize) {
            let (x, y) = (memory[a], memory[b]);
            let result = &mut memory[out];
            for n in 0..N {
                result[n] = ((x[n] ^ of_a) & (y[n] ^ of_b)) ^ of_out;
            }
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
                let mut joined = y;
                for n in 0..N {
                    joined[n] |= x[n] ^ flip;
                }
                changed |= joined != y;
                memory[out] = joined;
            }
        }
    }
}
