//! NoGo (Neil McKay, 2011): stones as in go, but nothing may be captured; who cannot move has lost.

use kibitz_core::params::params;

use crate::draw::{Board, INK, LIGHT, PAPER};
use crate::placing::{Rules, register_placing};
use crate::squares::{Grid, Squares};

params! {
    /// The board, and who wins.
    pub struct NoGoParams {
        /// Rows of the board; it has at most 128 points.
        pub rows: u32 = 7, in 2..=16;
        /// Columns of the board.
        pub columns: u32 = 7, in 2..=16;
        /// Misère: who cannot move has won.
        pub misere: bool = false;
    }
}

register_placing!(
    "nogo",
    "Stones as in go, but nobody may capture, neither the other nor itself; who cannot move loses.",
    NoGoParams,
    NoGo,
    |params| params.misere
);

/// The rules.
pub struct NoGo;

impl Rules for NoGo {
    const PLAYERS: [&'static str; 2] = ["black", "white"];
    const MARKS: [char; 2] = ['x', 'o'];

    #[inline]
    fn allows<W: Squares>(board: &Grid<W>, stones: &[W; 2], mover: usize, point: W) -> bool {
        let [own, other] = [stones[mover], stones[1 - mover]];
        let free = board.all & !(own | other | point);
        board.breathes(point, own, free) && !board.has_choked(board.beside(point) & other, other, free)
    }

    fn square(_: u32, _: u32) -> &'static str {
        LIGHT
    }

    fn draw(board: &mut Board, player: usize, column: u32, row: u32) {
        board.piece(column, row, [INK, PAPER][player]);
    }
}

#[cfg(test)]
mod tests {
    use kibitz_core::game::Game;

    use super::*;
    use crate::placing::Placing;
    use crate::testing::{perft, random_play, returns};

    type Narrow = Placing<u64, NoGo>;

    #[test]
    fn who_can_put_no_stone_has_lost() {
        // White's next stone would take the last liberty of all stones.
        assert_eq!(returns(&Narrow::new(2, 2, false), "a1 b2 a2"), [1.0, -1.0]);
        assert_eq!(returns(&Narrow::new(2, 2, true), "a1 b2 a2"), [-1.0, 1.0]);
    }

    /// The counts are those of the rules file, through its network.
    #[test]
    fn words_of_both_widths_agree() {
        let (narrow, wide) = (Narrow::new(3, 4, false), Placing::<u128, NoGo>::new(3, 4, false));
        for (depth, count) in (1..).zip([12, 132, 1312, 11_592, 89_304]) {
            assert_eq!(perft(&narrow, &narrow.initial(), depth), count, "{depth}");
            assert_eq!(perft(&wide, &wide.initial(), depth), count, "{depth}");
        }
    }

    #[test]
    fn random_games_end() {
        let found = random_play(&Narrow::new(5, 5, false), 5000);
        assert!(found.draws == 0.0 && (18.0..25.0).contains(&found.length), "{found:?}");
    }
}
