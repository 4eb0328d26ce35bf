//! Knightthrough: a race of knights that jump forward only.

use kibitz_core::register_game;

use crate::draw::{Board, INK, PAPER};
use crate::race::{Piece, Race, RaceParams, STRIDE, beyond};

register_game!(
    "knightthrough",
    "Knights jump forward and capture; the first to reach the far row wins, and who cannot move loses.",
    RaceParams,
    |params| Ok(Knightthrough::new(&params))
);

/// The rules.
pub type Knightthrough = Race<Knight>;

/// Jumps one row forward and two columns aside, or two and one.
pub struct Knight;

impl Piece for Knight {
    const STEPS: &'static [u32] = &[STRIDE - 2, STRIDE + 2, 2 * STRIDE - 1, 2 * STRIDE + 1];

    #[inline]
    fn targets(own: u64, _: u64, board: u64) -> [u64; 4] {
        let free = board & !own;
        [
            (own & beyond(2, 0)) << (STRIDE - 2) & free,
            (own & beyond(0, 2)) << (STRIDE + 2) & free,
            (own & beyond(1, 0)) << (2 * STRIDE - 1) & free,
            (own & beyond(0, 1)) << (2 * STRIDE + 1) & free,
        ]
    }

    #[inline]
    fn is_stuck(own: u64, other: u64, board: u64) -> bool {
        Knight::targets(own, other, board) == [0; 4]
    }

    fn draw(board: &mut Board, column: u32, row: u32, colour: &'static str) {
        let (x, y) = board.centre(column, row);
        board.piece(column, row, colour);
        let figure = if colour == INK { PAPER } else { INK };
        board.picture.words(x, y, 22, figure, "N");
    }
}

#[cfg(test)]
mod tests {
    use kibitz_core::game::{Game, Turn};

    use super::*;
    use crate::testing::{known_trees, play, random_games_last, returns};

    /// Counted by the rules file, through its network.
    #[test]
    fn the_trees_have_their_known_sizes() {
        let known: [((u32, u32), &[u64]); 3] = [
            ((8, 8), &[40, 1600, 63_520]),
            ((5, 5), &[14, 196, 2600, 32_184]),
            ((4, 3), &[6, 36, 162, 634, 1768, 3716, 5502]),
        ];
        known_trees(Knightthrough::sized, &known);
    }

    #[test]
    fn reaching_the_far_row_wins() {
        assert_eq!(returns(&Knightthrough::sized(5, 5), "b1-a3 d5-c3 a3xb5"), [1.0, -1.0]);
        let misere = Knightthrough::new(&RaceParams { rows: 5, columns: 5, misere: true });
        assert_eq!(returns(&misere, "b1-a3 d5-c3 a3xb5"), [-1.0, 1.0]);
    }

    /// On two columns a knight needs two rows for a jump.
    #[test]
    fn who_cannot_move_has_lost() {
        let game = Knightthrough::sized(4, 2);
        assert_eq!(game.turn(&play(&game, "a1-b3 a4-b2 b1-a3")), Turn::One(1));
        assert_eq!(returns(&game, "a1-b3 a4-b2 b1-a3 b4-a2"), [-1.0, 1.0]);
    }

    #[test]
    fn random_games_end() {
        random_games_last(&Knightthrough::sized(8, 8), 10_000, 10.0..100.0);
    }
}
