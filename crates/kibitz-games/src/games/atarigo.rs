//! Atari go (Yasutoshi Yasuda): go in which the first to capture wins.

use kibitz_core::params::params;

use crate::placing::{BoardParams, Rules, register_placing};
use crate::squares::{Grid, Squares};

params! {
    /// The board.
    pub struct AtariGoParams {
        /// Rows of the board; it has at most 128 points.
        pub rows: u32 = 7, in 2..=16;
        /// Columns of the board.
        pub columns: u32 = 7, in 2..=16;
    }
}

impl From<AtariGoParams> for BoardParams {
    fn from(AtariGoParams { rows, columns }: AtariGoParams) -> BoardParams {
        BoardParams { rows, columns, misere: false }
    }
}

register_placing!(
    "atarigo",
    "Go in which the first to capture wins; suicide and passing are not allowed, and who cannot move loses.",
    AtariGoParams::default(),
    AtariGo
);

/// The rules.
pub struct AtariGo;

impl Rules for AtariGo {
    #[inline]
    fn allows<W: Squares>(board: &Grid<W>, stones: &[W; 2], mover: usize, point: W) -> bool {
        let [own, other] = [stones[mover], stones[1 - mover]];
        let free = board.all & !(own | other | point);
        board.breathes(point, own, free) || board.has_choked(board.beside(point) & other, other, free)
    }

    #[inline]
    fn wins<W: Squares>(board: &Grid<W>, stones: &[W; 2], mover: usize, point: W) -> bool {
        let other = stones[1 - mover];
        let free = board.all & !(stones[0] | stones[1]);
        board.has_choked(board.beside(point) & other, other, free)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_core::game::{Action, Game};

    use super::*;
    use crate::placing::Placing;
    use crate::placing::tests::in_both_widths;
    use crate::testing::{play, random_games_last, returns};

    type Narrow = Placing<u64, AtariGo>;

    #[test]
    fn the_first_to_capture_wins() {
        let game = Narrow::new(3, 3, false);
        assert_eq!(returns(&game, "a2 a1 b1"), [1.0, -1.0]);
        assert!(game.text(&play(&game, "a2 a1 b1"), None).ends_with("black wins\n"));
    }

    #[test]
    fn suicide_is_not_allowed_but_capturing_out_of_it_is() {
        let game = Narrow::new(3, 3, false);
        let state = play(&game, "c3 b1 c2 a2");
        let mut actions = Vec::new();
        game.legal(&state, 0, &mut actions);
        assert!(!actions.contains(&Action(0)));
        // At b3 and c3 white's stones have their last liberty at a3, which has none itself.
        let state = play(&game, "a2 c3 b2 b3 c2");
        let mut actions = Vec::new();
        game.legal(&state, 1, &mut actions);
        assert!(!actions.contains(&Action(6)), "{}", game.text(&state, None));
        assert_eq!(returns(&game, "a2 c3 b2 b3 c2 a1 a3"), [1.0, -1.0]);
    }

    /// The counts are those of the rules file, through its network.
    #[test]
    fn words_of_both_widths_agree() {
        in_both_widths::<AtariGo>(3, 3, &[9, 72, 504, 2928, 13_952, 48_000]);
    }

    #[test]
    fn random_games_end() {
        random_games_last(&Narrow::new(5, 5, false), 5000, 6.0..22.0);
    }
}
