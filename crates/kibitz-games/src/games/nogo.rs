//! NoGo (Neil McKay, 2011): stones as in go, but nothing may be captured; who cannot move has lost.

use crate::placing::{BoardParams, Rules, register_placing};
use crate::squares::{Grid, Squares};

register_placing!(
    "nogo",
    "Stones as in go, but nobody may capture, neither the other nor itself; who cannot move loses.",
    BoardParams { rows: 7, columns: 7, ..BoardParams::default() },
    NoGo
);

/// The rules.
pub struct NoGo;

impl Rules for NoGo {
    #[inline]
    fn allows<W: Squares>(board: &Grid<W>, stones: &[W; 2], mover: usize, point: W) -> bool {
        let [own, other] = [stones[mover], stones[1 - mover]];
        let free = board.all & !(own | other | point);
        board.breathes(point, own, free) && !board.has_choked(board.beside(point) & other, other, free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placing::Placing;
    use crate::placing::tests::in_both_widths;
    use crate::testing::{random_games_last, returns};

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
        in_both_widths::<NoGo>(3, 4, &[12, 132, 1312, 11_592, 89_304]);
    }

    #[test]
    fn random_games_end() {
        random_games_last(&Narrow::new(5, 5, false), 5000, 18.0..25.0);
    }
}
