//! Breakthrough (Dan Troyka, 2000): a race of pieces that step forward.

use kibitz_core::register_game;

use crate::draw::Board;
use crate::race::{Piece, Race, RaceParams, STRIDE, beyond};

register_game!(
    "breakthrough",
    "Pieces step forward and capture diagonally; the first to reach the far row wins.",
    RaceParams,
    |params| Ok(Breakthrough::new(&params))
);

/// The rules.
pub type Breakthrough = Race<Pawn>;

/// Goes one step forward, and captures diagonally only.
pub struct Pawn;

impl Piece for Pawn {
    const STEPS: &'static [u32] = &[STRIDE - 1, STRIDE, STRIDE + 1];

    #[inline]
    fn targets(own: u64, other: u64, board: u64) -> [u64; 4] {
        [
            (own & beyond(1, 0)) << (STRIDE - 1) & board & !own,
            own << STRIDE & board & !(own | other),
            (own & beyond(0, 1)) << (STRIDE + 1) & board & !own,
            0,
        ]
    }

    /// The foremost piece can go diagonally.
    #[inline]
    fn is_stuck(own: u64, _: u64, _: u64) -> bool {
        own == 0
    }

    fn draw(board: &mut Board, column: u32, row: u32, colour: &'static str) {
        board.piece(column, row, colour);
    }
}

#[cfg(test)]
mod tests {
    use kibitz_core::abilities::{Evaluate, StateHash};
    use kibitz_core::game::Game;

    use super::*;
    use crate::testing::{known_trees, perft, play, random_play, returns};

    /// As OpenSpiel counts them.
    #[test]
    fn the_trees_have_their_known_sizes() {
        let known: [((u32, u32), &[u64]); 6] = [
            ((8, 8), &[22, 484, 11_132, 256_036, 6_182_818]),
            ((6, 6), &[16, 256, 4308, 71_478, 1_248_290]),
            ((5, 5), &[13, 169, 1911, 21_514, 232_478, 2_467_006]),
            ((3, 3), &[7, 42, 174, 466, 930, 972]),
            ((5, 8), &[22, 484, 9768, 196_960, 3_773_006]),
            ((8, 5), &[13, 169, 2366, 33_124, 502_243, 7_604_206]),
        ];
        known_trees(Breakthrough::sized, &known);
    }

    #[test]
    fn reaching_the_far_row_wins() {
        let game = Breakthrough::sized(5, 3);
        assert_eq!(returns(&game, "a1-a2 c5-c4 a2-a3 c4-b3 a3-b4 b3-a2 b4xa5"), [1.0, -1.0]);
        let state = play(&game, "a1-a2 c5-c4 a2-a3 c4-b3 a3-b4 b3-a2 b4xa5");
        assert_eq!(
            game.text(&state, None),
            " 5  w b .\n 4  . . .\n 3  . . .\n 2  b . .\n 1  . w w\n    a b c\nwhite wins\n"
        );
        assert_eq!(returns(&game, "c1-c2 b5-b4 c2-c3 b4-b3 c3-c4 b3-b2 a1-a2 b2-a1"), [-1.0, 1.0]);
    }

    #[test]
    fn capturing_everything_wins() {
        let game = Breakthrough::sized(5, 2);
        assert_eq!(returns(&game, "a1-a2 a5-a4 b1-b2 a4-a3 b2xa3 b5-b4 a3xb4"), [1.0, -1.0]);
        assert_eq!(returns(&game, "b1-b2 b5-b4 b2-a3 b4xa3 a1-b2 a3xb2"), [-1.0, 1.0]);
    }

    #[test]
    fn random_play_has_its_known_statistics() {
        let found = random_play(&Breakthrough::sized(8, 8), 100_000);
        assert!((found.length - 64.1).abs() < 0.3, "{found:?}");
        assert!((found.first_wins - 0.5).abs() < 0.02 && found.draws == 0.0, "{found:?}");
    }

    #[test]
    fn transpositions_meet() {
        let game = Breakthrough::sized(8, 8);
        let hash = |moves| game.hash(&play(&game, moves));
        assert_eq!(hash("a2-a3 a7-a6 h2-h3"), hash("h2-h3 a7-a6 a2-a3"));
        // The same board to the mover's eyes, but the mover is another.
        assert_ne!(hash(""), hash("a2-a3 a7-a6"));
        assert_ne!(hash("a2-a3"), hash("h2-h3"));
    }

    #[test]
    fn the_evaluator_counts_pieces_and_steps() {
        let game = Breakthrough::sized(8, 8);
        let value = |moves| {
            let mut values = [0.0; 2];
            game.evaluate(&play(&game, moves), &mut values);
            values[0]
        };
        assert_eq!(value(""), 0.0);
        assert!(value("a2-a3") > 0.0);
        assert!(value("a2-a3 a7-a6 a3-a4 b7-b6 a4-b5 h7-h6 b5xa6") > 0.1);
    }

    /// A game's returns change their signs, and nothing else does.
    #[test]
    fn in_misere_who_arrives_has_lost() {
        let game = Breakthrough::new(&RaceParams { rows: 5, columns: 3, misere: true });
        let moves = "a1-a2 c5-c4 a2-a3 c4-b3 a3-b4 b3-a2 b4xa5";
        assert_eq!(returns(&game, moves), [-1.0, 1.0]);
        assert!(game.text(&play(&game, moves), None).ends_with("black wins\n"));
        let found: Vec<u64> = (1..=4).map(|depth| perft(&game, &game.initial(), depth)).collect();
        let plain: Vec<u64> =
            (1..=4).map(|depth| perft(&Breakthrough::sized(5, 3), &game.initial(), depth)).collect();
        assert_eq!(found, plain);
    }
}
