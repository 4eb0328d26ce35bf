//! A word of 256 bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// 256 bits: one game in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Word(pub [u64; 4]);

impl Word {
    /// Bits in a word.
    pub const BITS: usize = 256;
    /// No bit.
    pub const NONE: Word = Word([0; 4]);
    /// Every bit.
    pub const ALL: Word = Word([u64::MAX; 4]);

    /// Every bit, or none.
    #[inline(always)]
    pub fn all_if(condition: bool) -> Word {
        Word([0_u64.wrapping_sub(u64::from(condition)); 4])
    }

    /// How many bits are set.
    #[inline(always)]
    pub fn ones(self) -> u32 {
        self.0.iter().map(|part| part.count_ones()).sum()
    }

    /// Whether any bit is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |all, part| all | part) != 0
    }

    /// One bit.
    #[inline(always)]
    pub fn bit(self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Sets one bit.
    #[inline(always)]
    pub fn set(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// The numbers of the bits that are set, ascending.
    #[inline(always)]
    pub fn bits(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(part, mut left)| {
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| 64 * part + left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                bit
            })
        })
    }

    #[inline(always)]
    fn zip(self, other: Word, formula: impl Fn(u64, u64) -> u64) -> Word {
        let mut result = self;
        for (part, other) in result.0.iter_mut().zip(other.0) {
            *part = formula(*part, other);
        }
        result
    }
}

macro_rules! bitwise {
    ($trait:ident $method:ident $assign:ident $assign_method:ident $op:tt) => {
        impl $trait for Word {
            type Output = Word;
            #[inline(always)]
            fn $method(self, other: Word) -> Word {
                self.zip(other, |a, b| a $op b)
            }
        }
        impl $assign for Word {
            #[inline(always)]
            fn $assign_method(&mut self, other: Word) {
                *self = *self $op other;
            }
        }
    };
}

bitwise!(BitAnd bitand BitAndAssign bitand_assign &);
bitwise!(BitOr bitor BitOrAssign bitor_assign |);
bitwise!(BitXor bitxor BitXorAssign bitxor_assign ^);

impl Not for Word {
    type Output = Word;
    #[inline(always)]
    fn not(self) -> Word {
        self ^ Word::ALL
    }
}
