//! Domineering (Göran Andersson, about 1970): dominoes, upright for one player and flat for the other.

use crate::draw::{Board, FIRST, LIGHT, SECOND, square_name};
use crate::placing::{BoardParams, Rules, register_placing};
use crate::squares::{Grid, Squares};

register_placing!(
    "domineering",
    "One puts dominoes upright, the other flat; who has no room left for one loses.",
    BoardParams::default(),
    Domineering
);

/// The rules. A move is the lower or the left square of a domino.
pub struct Domineering;

impl Rules for Domineering {
    const PLAYERS: [&'static str; 2] = ["vertical", "horizontal"];
    const MARKS: [char; 2] = ['v', 'h'];

    fn allows<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize, square: W) -> bool {
        Self::legal(board, pieces, mover) & square != W::NONE
    }

    #[inline]
    fn legal<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize) -> W {
        let free = board.all & !(pieces[0] | pieces[1]);
        match mover {
            0 => free & free >> board.columns,
            _ => free & (free & board.after) >> 1,
        }
    }

    #[inline]
    fn random<W: Squares>(
        board: &Grid<W>,
        pieces: &[W; 2],
        mover: usize,
        rng: &mut kibitz_core::Rng,
    ) -> u32 {
        let legal = Self::legal(board, pieces, mover);
        legal.nth(rng.below(legal.count()))
    }

    #[inline]
    fn can_move<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize) -> bool {
        Self::legal(board, pieces, mover) != W::NONE
    }

    #[inline]
    fn filled<W: Squares>(board: &Grid<W>, player: usize, moves: W) -> W {
        match player {
            0 => moves | moves << board.columns,
            _ => moves | moves << 1,
        }
    }

    fn name(player: usize, column: u32, row: u32) -> String {
        let end = if player == 0 { square_name(column, row + 1) } else { square_name(column + 1, row) };
        format!("{}-{end}", square_name(column, row))
    }

    fn square(_: u32, _: u32) -> &'static str {
        LIGHT
    }

    fn draw(board: &mut Board, player: usize, column: u32, row: u32) {
        let ((x, y), side) = (board.centre(column, row), Board::SQUARE);
        let (inset, long, short) = (side / 2 - 4, 2 * side - 9, side - 9);
        match player {
            0 => board.picture.rect(x - inset, y - inset - side, short, long, 6, FIRST),
            _ => board.picture.rect(x - inset, y - inset, long, short, 6, SECOND),
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_core::abilities::StateHash;
    use kibitz_core::game::Game;

    use super::*;
    use crate::placing::Placing;
    use crate::placing::tests::in_both_widths;
    use crate::testing::{random_games_last, returns};

    type Narrow = Placing<u64, Domineering>;

    #[test]
    fn who_has_no_room_left_has_lost() {
        assert_eq!(returns(&Narrow::new(3, 3, false), "b1-b2 a3-b3 a1-a2"), [1.0, -1.0]);
        assert_eq!(returns(&Narrow::new(2, 2, true), "a1-a2"), [-1.0, 1.0]);
    }

    /// The counts are those of the rules file, through its network.
    #[test]
    fn words_of_both_widths_agree() {
        in_both_widths::<Domineering>(4, 5, &[15, 192, 1904, 15_288]);
    }

    /// Whoever begins wins on a square board of 2, 3, 4, 6 or 8 squares a side, and the other on one of 5 (Breuker,
    /// Uiterwijk and van den Herik 2000): 2 to 5 are looked through here.
    #[test]
    fn small_boards_have_their_known_winners() {
        fn wins(
            game: &Narrow,
            state: &crate::placing::State<u64>,
            known: &mut std::collections::BTreeMap<u64, bool>,
        ) -> bool {
            let key = game.hash(state);
            if let Some(known) = known.get(&key) {
                return *known;
            }
            let kibitz_core::game::Turn::One(mover) = game.turn(state) else { return false };
            let mut actions = Vec::new();
            game.legal(state, mover, &mut actions);
            let found = actions.iter().any(|action| {
                let mut after = *state;
                game.step(&mut after, &[*action], &mut [0.0; 2]);
                !wins(game, &after, known)
            });
            known.insert(key, found);
            found
        }
        for (side, first) in [(2, true), (3, true), (4, true), (5, false)] {
            let game = Narrow::new(side, side, false);
            assert_eq!(wins(&game, &game.initial(), &mut Default::default()), first, "{side}");
        }
    }

    #[test]
    fn random_games_end() {
        random_games_last(&Narrow::new(5, 5, false), 10_000, 6.0..13.0);
    }
}
