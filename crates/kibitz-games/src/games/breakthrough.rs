//! Breakthrough (Dan Troyka, 2000) on two bitboards, always seen from the side of the player to
//! move: its pieces go up, and the board is turned over after each move.

use kibitz_core::abilities::{Evaluate, StateHash, Svg};
use kibitz_core::game::{Action, Game, Info, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::{abilities, register_game};

use crate::bits::{nth_set, ones};
use crate::draw::{Board, INK, PAPER, chequered, grid, square_name};

register_game!(
    "breakthrough",
    "Pieces step forward and capture diagonally; the first to reach the far row wins.",
    BreakthroughParams,
    |params| Ok(Breakthrough::new(&params))
);

params! {
    /// The board.
    pub struct BreakthroughParams {
        /// Rows of the board; with fewer than six each side has one row of pieces, else two.
        pub rows: u32 = 8, in 3..=8;
        /// Columns of the board.
        pub columns: u32 = 8, in 2..=8;
    }
}

/// Squares are numbered by rows of eight, whatever the board's width.
const STRIDE: u32 = 8;
const LEFTMOST: u64 = 0x0101_0101_0101_0101;
const RIGHTMOST: u64 = LEFTMOST << 7;
/// By how many squares a step goes to the left, straight on and to the right.
const STEPS: [u32; 3] = [STRIDE - 1, STRIDE, STRIDE + 1];

/// The rules.
pub struct Breakthrough {
    info: Info,
    rows: u32,
    columns: u32,
    board: u64,
    far_row: u64,
    /// How far down a board that was turned over must be moved.
    overhang: u32,
}

/// The pieces of the player to move and of the other one, seen from the former's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    own: u64,
    other: u64,
    mover: u8,
    over: bool,
}

impl Breakthrough {
    fn new(params: &BreakthroughParams) -> Breakthrough {
        let BreakthroughParams { rows, columns } = *params;
        let row = (1u64 << columns) - 1;
        // Every piece goes up to the last row but one at most, and one of them a step further.
        let ways: u32 = (0..home_rows(rows)).map(|row| (rows - 2 - row) * columns).sum();
        let info = Info {
            horizon: Some(2 * ways + 1),
            zero_sum: true,
            paid_at_end: true,
            simultaneous: Some(false),
            ..Info::new(2, -1.0, 1.0)
        };
        Breakthrough {
            info,
            rows,
            columns,
            board: (0..rows).map(|number| row << (number * STRIDE)).sum(),
            far_row: row << ((rows - 1) * STRIDE),
            overhang: (STRIDE - rows) * STRIDE,
        }
    }

    #[inline]
    fn turned(&self, pieces: u64) -> u64 {
        pieces.swap_bytes() >> self.overhang
    }

    /// Where the pieces of the player to move can step to, for each of the three [`STEPS`].
    #[inline]
    fn targets(&self, state: &State) -> [u64; 3] {
        let State { own, other, .. } = *state;
        [
            (own & !LEFTMOST) << STEPS[0] & self.board & !own,
            own << STEPS[1] & self.board & !(own | other),
            (own & !RIGHTMOST) << STEPS[2] & self.board & !own,
        ]
    }

    /// The pieces of the first and of the second player, seen from the first one's side.
    fn sides(&self, state: &State) -> [u64; 2] {
        match state.mover {
            0 => [state.own, state.other],
            _ => [self.turned(state.other), self.turned(state.own)],
        }
    }

    fn caption(&self, state: &State) -> &'static str {
        match (state.over, state.mover) {
            // Who is to move in a finished game has lost it.
            (true, 0) => "black wins",
            (true, _) => "white wins",
            (false, 0) => "white to move",
            (false, _) => "black to move",
        }
    }
}

fn home_rows(rows: u32) -> u32 {
    if rows < 6 { 1 } else { 2 }
}

#[inline]
fn encode(target: u32, direction: u32) -> Action {
    Action((target - STEPS[direction as usize]) * 3 + direction)
}

/// The square that a move starts from and the one that it leads to, seen by the mover.
#[inline]
fn decode(action: Action) -> (u32, u32) {
    let (from, direction) = (action.0 / 3, action.0 % 3);
    (from, from + STEPS[0] + direction)
}

/// The numbers of the pieces' rows added up.
fn advance(pieces: u64) -> i32 {
    // The rows whose number has bit 0, 1 or 2.
    const ROWS_WITH: [u64; 3] = [0xff00_ff00_ff00_ff00, 0xffff_0000_ffff_0000, 0xffff_ffff_0000_0000];
    let count = |bit: usize| ((pieces & ROWS_WITH[bit]).count_ones() << bit) as i32;
    count(0) + count(1) + count(2)
}

impl Game for Breakthrough {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        let own = self.board & ((1 << (home_rows(self.rows) * STRIDE)) - 1);
        State { own, other: self.turned(own), mover: 0, over: false }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.over { Turn::Over } else { Turn::One(usize::from(state.mover)) }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        for (targets, direction) in self.targets(state).into_iter().zip(0..) {
            actions.extend(ones(targets).map(|target| encode(target, direction)));
        }
    }

    /// Counts the three sets of moves and picks one by its number, without listing any.
    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let targets = self.targets(state);
        let left = targets[0].count_ones();
        let not_right = left + targets[1].count_ones();
        let chosen = rng.below(not_right + targets[2].count_ones());
        let direction = usize::from(chosen >= left) + usize::from(chosen >= not_right);
        let number = chosen - [0, left, not_right][direction];
        encode(nth_set(targets[direction], number), direction as u32)
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let (from, to) = decode(joint[0]);
        let own = state.own ^ 1 << from ^ 1 << to;
        let other = state.other & !(1 << to);
        let mover = usize::from(state.mover & 1);
        state.own = self.turned(other);
        state.other = self.turned(own);
        state.mover ^= 1;
        if own & self.far_row != 0 || other == 0 {
            rewards[mover] += 1.0;
            rewards[1 - mover] -= 1.0;
            state.over = true;
        }
    }

    fn action_name(&self, state: &State, _: Option<usize>, action: Action) -> String {
        let (from, to) = decode(action);
        let name = |square: u32| {
            let (column, row) = (square % STRIDE, square / STRIDE);
            square_name(column, if state.mover == 0 { row } else { self.rows - 1 - row })
        };
        let how = if state.other >> to & 1 == 1 { 'x' } else { '-' };
        format!("{}{how}{}", name(from), name(to))
    }

    fn player_name(&self, player: usize) -> String {
        ["white", "black"][player].to_owned()
    }

    fn text(&self, state: &State, _: Option<usize>) -> String {
        let [white, black] = self.sides(state);
        let at = |column, row| match row * STRIDE + column {
            square if white >> square & 1 == 1 => 'w',
            square if black >> square & 1 == 1 => 'b',
            _ => '.',
        };
        grid(self.columns, self.rows, at) + self.caption(state) + "\n"
    }

    abilities!(hash, evaluator, picture);
}

impl StateHash<State> for Breakthrough {
    fn hash(&self, state: &State) -> u64 {
        derive(derive(state.own, state.other), u64::from(state.mover))
    }
}

impl Evaluate<State> for Breakthrough {
    /// Pieces and their advance; a piece one step from the goal wins.
    fn evaluate(&self, state: &State, values: &mut [f64]) {
        let theirs = self.turned(state.other);
        let pieces = state.own.count_ones() as i32 - theirs.count_ones() as i32;
        let rows = advance(state.own) - advance(theirs);
        let value = match () {
            () if state.over => 0.0,
            () if state.own & self.far_row >> STRIDE != 0 => 0.99,
            () => (0.2 * f64::from(pieces) + 0.04 * f64::from(rows)).tanh() * 0.98,
        };
        let mover = usize::from(state.mover);
        values[mover] = value;
        values[1 - mover] = -value;
    }
}

impl Svg<State> for Breakthrough {
    fn svg(&self, state: &State, _: Option<usize>) -> String {
        let mut board = Board::new(self.columns, self.rows, self.caption(state), chequered);
        for (pieces, colour) in self.sides(state).into_iter().zip([PAPER, INK]) {
            for square in ones(pieces) {
                board.piece(square % STRIDE, square / STRIDE, colour);
            }
        }
        board.picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{perft, play, random_play, returns};

    fn sized(rows: u32, columns: u32) -> Breakthrough {
        Breakthrough::new(&BreakthroughParams { rows, columns })
    }

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
        for ((rows, columns), counts) in known {
            let game = sized(rows, columns);
            let found: Vec<u64> =
                (1..=counts.len()).map(|depth| perft(&game, &game.initial(), depth as u32)).collect();
            assert_eq!(found, counts, "{rows} rows, {columns} columns");
        }
    }

    #[test]
    fn reaching_the_far_row_wins() {
        let game = sized(5, 3);
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
        let game = sized(5, 2);
        assert_eq!(returns(&game, "a1-a2 a5-a4 b1-b2 a4-a3 b2xa3 b5-b4 a3xb4"), [1.0, -1.0]);
        assert_eq!(returns(&game, "b1-b2 b5-b4 b2-a3 b4xa3 a1-b2 a3xb2"), [-1.0, 1.0]);
    }

    #[test]
    fn random_play_has_its_known_statistics() {
        let found = random_play(&sized(8, 8), 100_000);
        assert!((found.length - 64.1).abs() < 0.3, "{found:?}");
        assert!((found.first_wins - 0.5).abs() < 0.02 && found.draws == 0.0, "{found:?}");
    }

    #[test]
    fn transpositions_meet() {
        let game = sized(8, 8);
        let hash = |moves| game.hash(&play(&game, moves));
        assert_eq!(hash("a2-a3 a7-a6 h2-h3"), hash("h2-h3 a7-a6 a2-a3"));
        // The same board to the mover's eyes, but the mover is another.
        assert_ne!(hash(""), hash("a2-a3 a7-a6"));
        assert_ne!(hash("a2-a3"), hash("h2-h3"));
    }

    #[test]
    fn the_evaluator_counts_pieces_and_steps() {
        let game = sized(8, 8);
        let value = |moves| {
            let mut values = [0.0; 2];
            game.evaluate(&play(&game, moves), &mut values);
            values[0]
        };
        assert_eq!(value(""), 0.0);
        assert!(value("a2-a3") > 0.0);
        assert!(value("a2-a3 a7-a6 a3-a4 b7-b6 a4-b5 h7-h6 b5xa6") > 0.1);
        assert_eq!(advance(1 << 63 | 1 << 8 | 1), 8);
    }
}
