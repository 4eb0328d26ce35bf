//! The operations, and how they are carried out one after the other.

use crate::Word;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// `out = a & b`.
    And,
    /// `out = a & !b`.
    AndNot,
    /// `out = a | b`.
    Or,
    /// `out = a ^ b`.
    Xor,
    /// `out = a`; `b` is `a`.
    Copy,
    /// `out = !a`; `b` is `a`.
    Not,
    /// `out = 0`; `a` and `b` are `out`.
    Zero,
    /// `out |= a`, and remember if that changed `out`; `b` is `a`.
    Join,
    /// `out |= !a`, and remember if that changed `out`; `b` is `a`.
    JoinNot,
    /// Back to the operation `a`, if anything has changed since it was last passed.
    Repeat,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Op {
    /// An operation with two operands.
    pub fn new(code: Code, a: u32, b: u32, out: u32) -> Op {
        Op { code, a, b, out }
    }

    /// The slots that it reads.
    pub fn reads(&self) -> impl Iterator<Item = u32> {
        let slots = match self.code {
            Code::And | Code::AndNot | Code::Or | Code::Xor => [Some(self.a), Some(self.b)],
            Code::Copy | Code::Not => [Some(self.a), None],
            Code::Join | Code::JoinNot => [Some(self.a), Some(self.out)],
            Code::Zero | Code::Repeat => [None, None],
        };
        slots.into_iter().flatten()
    }

    /// The slot that it writes.
    pub fn writes(&self) -> Option<u32> {
        (self.code != Code::Repeat).then_some(self.out)
    }
}

/// By operation: what its operands and their AND are XORed with, and whether it is their XOR instead.
struct Formula {
    flips: [u64; 3],
    xor: u64,
}

const FORMULAS: [Formula; 7] = {
    const fn and(of_a: u64, of_b: u64, of_out: u64) -> Formula {
        Formula { flips: [of_a, of_b, of_out], xor: 0 }
    }
    const ONES: u64 = u64::MAX;
    [
        and(0, 0, 0),
        and(0, ONES, 0),
        and(ONES, ONES, ONES),
        Formula { flips: [0, 0, 0], xor: ONES },
        and(0, 0, 0),
        and(ONES, ONES, 0),
        and(0, ONES, 0),
    ]
};

/// Carries out operations on the slots in `memory`, with the instructions of the caller.
///
/// All but the loops are one formula: which operation comes next cannot be foreseen, and guessing
/// wrongly would cost more than the operation itself.
///
/// # Panics
/// If an operation names a slot that is not there.
#[inline(always)]
pub(crate) fn interpret(ops: &[Op], memory: &mut [Word]) {
    let mut at = 0;
    let mut changed = false;
    while at < ops.len() {
        let Op { code, a, b, out } = ops[at];
        at += 1;
        let (a, b, out) = (a as usize, b as usize, out as usize);
        if let Some(Formula { flips: [of_a, of_b, of_out], xor }) = FORMULAS.get(code as usize) {
            let (x, y) = (memory[a].0, memory[b].0);
            let result = &mut memory[out].0;
            for n in 0..4 {
                let both = ((x[n] ^ of_a) & (y[n] ^ of_b)) ^ of_out;
                result[n] = both & !xor | (x[n] ^ y[n]) & xor;
            }
            continue;
        }
        if code == Code::Repeat {
            at = if changed { a } else { at };
            changed = false;
            continue;
        }
        let joined = memory[out] | memory[a] ^ Word::all_if(code == Code::JoinNot);
        changed |= joined != memory[out];
        memory[out] = joined;
    }
}
