//! Lists of operations on wide words: one game in each bit.
//!
//! A [`Program`] is such a list. On processors with 256-bit instructions (x86-64 with AVX2) it is
//! translated to machine code; elsewhere, and where the system forbids memory that can be executed,
//! it is interpreted, with the same results. Running machine code and using those instructions is
//! the only `unsafe` code: whoever uses this crate need not know.

mod op;
mod program;
mod word;

#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod registers;

pub use op::{Code, Op};
pub use program::Program;
pub use word::Word;

/// Runs a function compiled for the widest instructions that this processor has. What it calls must
/// be inlined into it to profit.
#[inline]
pub fn with_wide_instructions<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if has_wide_instructions() {
        // SAFETY: the processor has these instructions.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_wide_instructions() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("popcnt") && has!("bmi1") && has!("bmi2")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn with_avx2<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(test)]
mod tests;
