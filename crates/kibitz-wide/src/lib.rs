//! Lists of operations on wide words: one game in each bit.
//!
//! The same operations run on words of any width, and are compiled twice: for every processor, and
//! for those with 256-bit instructions (AVX2), which are used where they are there. Choosing between
//! the two is the only `unsafe` code: whoever calls [`execute`] or [`with_wide_instructions`] need
//! not know.

mod op;

pub use op::{Code, Op, Word, execute_plain};

use std::ops::Range;

/// Carries out some of the operations on the slots in `memory`.
///
/// # Panics
/// If an operation names a slot that is not there.
pub fn execute<const N: usize>(ops: &[Op], range: Range<usize>, memory: &mut [Word<N>]) {
    if N < 4 {
        return execute_plain(ops, range, memory);
    }
    with_wide_instructions(
        #[inline(always)]
        || execute_plain(ops, range, memory),
    );
}

/// Runs a function compiled for the widest instructions that this processor has. What it calls must
/// be inlined into it to profit.
#[inline]
pub fn with_wide_instructions<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has these instructions.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<T>(work: impl FnOnce() -> T) -> T {
    work()
}
