//! Sets of squares of a board, in the narrowest word that they fit into, and what is next to what.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use crate::bits::{nth_set, nth_set_wide, ones, ones_wide};

/// The most squares that a board may have.
pub const MOST: u32 = 128;

/// A set of squares.
pub trait Squares:
    Copy
    + Eq
    + Send
    + Sync
    + std::fmt::Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// No square.
    const NONE: Self;
    /// One square.
    fn one(square: u32) -> Self;
    /// The first so many squares; at least one.
    fn first(count: u32) -> Self;
    /// How many there are.
    fn count(self) -> u32;
    /// Square number `n` of the set, counted from the lowest.
    fn nth(self, n: u32) -> u32;
    /// The lowest square; of none, none.
    fn lowest(self) -> Self;
    /// The squares, ascending.
    fn each(self) -> impl Iterator<Item = u32>;
    /// Two words that tell sets apart.
    fn words(self) -> [u64; 2];
}

macro_rules! squares {
    ($word:ty, $nth:ident, $ones:ident, $words:expr) => {
        impl Squares for $word {
            const NONE: $word = 0;

            #[inline]
            fn one(square: u32) -> $word {
                1 << (square & (<$word>::BITS - 1))
            }

            fn first(count: u32) -> $word {
                <$word>::MAX >> (<$word>::BITS - count)
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn nth(self, n: u32) -> u32 {
                $nth(self, n)
            }

            #[inline]
            fn lowest(self) -> $word {
                self & self.wrapping_neg()
            }

            #[inline]
            fn each(self) -> impl Iterator<Item = u32> {
                $ones(self)
            }

            fn words(self) -> [u64; 2] {
                $words(self)
            }
        }
    };
}
squares!(u64, nth_set, ones, |set| [set, 0]);
squares!(u128, nth_set_wide, ones_wide, |set: u128| [set as u64, (set >> 64) as u64]);

/// The squares of a board, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Grid<W> {
    /// How many rows there are.
    pub rows: u32,
    /// How many columns there are.
    pub columns: u32,
    /// All squares.
    pub all: W,
    /// Those that have another to their left.
    pub after: W,
    /// Those that have another to their right.
    pub before: W,
}

impl<W: Squares> Grid<W> {
    /// A board of a size that fits.
    pub fn new(rows: u32, columns: u32) -> Grid<W> {
        let all = W::first(rows * columns);
        let column =
            |number: u32| (0..rows).fold(W::NONE, |squares, row| squares | W::one(row * columns + number));
        Grid { rows, columns, all, after: all & !column(0), before: all & !column(columns - 1) }
    }

    /// The squares next to a set's, those of the set among them where they touch.
    #[inline]
    pub fn beside(&self, set: W) -> W {
        let aside = (set & self.after) >> 1 | (set & self.before) << 1;
        (aside | set << self.columns | set >> self.columns) & self.all
    }

    /// Whether what hangs together with some squares within a set is next to a free square.
    #[inline]
    pub fn breathes(&self, mut group: W, within: W, free: W) -> bool {
        loop {
            let beside = self.beside(group);
            if beside & free != W::NONE {
                return true;
            }
            let grown = group | beside & within;
            if grown == group {
                return false;
            }
            group = grown;
        }
    }

    /// Whether one of some squares is in a group without a free square beside it.
    #[inline]
    pub fn has_choked(&self, mut squares: W, within: W, free: W) -> bool {
        while squares != W::NONE {
            let one = squares.lowest();
            if !self.breathes(one, within, free) {
                return true;
            }
            squares = squares ^ one;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_next_to_each_other_on_boards_of_any_width() {
        fn agrees<W: Squares>(rows: u32, columns: u32) {
            let grid = Grid::<W>::new(rows, columns);
            assert_eq!(grid.all.count(), rows * columns);
            for square in 0..rows * columns {
                let (row, column) = (square / columns, square % columns);
                let near =
                    |other: &u32| row.abs_diff(other / columns) + column.abs_diff(other % columns) == 1;
                let expected: Vec<u32> = (0..rows * columns).filter(near).collect();
                let found: Vec<u32> = grid.beside(W::one(square)).each().collect();
                assert_eq!(found, expected, "{rows} x {columns}, {square}");
            }
        }
        for (rows, columns) in [(2, 2), (5, 5), (8, 8), (4, 16), (16, 4), (7, 9)] {
            agrees::<u64>(rows, columns);
            agrees::<u128>(rows, columns);
        }
        for (rows, columns) in [(9, 9), (11, 11), (8, 16), (16, 8), (13, 9)] {
            agrees::<u128>(rows, columns);
        }
    }

    #[test]
    fn groups_breathe_through_any_of_their_squares() {
        let grid = Grid::<u64>::new(3, 3);
        assert!(grid.breathes(1, 0b111, 1 << 5));
        assert!(!grid.breathes(1, 0b011, 1 << 5));
        assert!(grid.has_choked(0b101, 0b101, 1 << 5));
        assert!(!grid.has_choked(0b100, 0b101, 1 << 5));
    }
}
