//! Connect four on two bitboards: a column is seven bits, the topmost of which stays empty, so
//! that shifted boards never run from one column into the next.

use kibitz_core::abilities::{Evaluate, StateHash, Svg};
use kibitz_core::game::{Action, Game, Info, Turn};
use kibitz_core::params::NoParams;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::{abilities, register_game};

use crate::draw::{Board, FIRST, PAPER};

register_game!("connect-four", "Drop discs into seven columns; four in a row win.", NoParams, |_| Ok(
    ConnectFour::new()
));

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
const STRIDE: u32 = ROWS + 1;
const COLUMN: u64 = (1 << ROWS) - 1;
const FULL: u64 = {
    let (mut board, mut column) = (0, 0);
    while column < COLUMNS {
        board |= COLUMN << (column * STRIDE);
        column += 1;
    }
    board
};
/// From a square to the next one up, to the right, and along both diagonals.
const DIRECTIONS: [u32; 4] = [1, STRIDE, STRIDE - 1, STRIDE + 1];

/// The rules.
pub struct ConnectFour {
    info: Info,
}

/// The discs of the player to move and of the other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    own: u64,
    other: u64,
    mover: u8,
    over: bool,
}

impl ConnectFour {
    fn new() -> ConnectFour {
        ConnectFour { info: Info::duel(1.0, COLUMNS * ROWS) }
    }
}

impl State {
    /// Which player's disc is on a square.
    fn disc(&self, column: u32, row: u32) -> Option<u8> {
        let square = column * STRIDE + row;
        match (self.own >> square & 1, self.other >> square & 1) {
            (1, _) => Some(self.mover),
            (_, 1) => Some(1 - self.mover),
            _ => None,
        }
    }

    fn caption(&self) -> &'static str {
        match (self.over, self.mover) {
            // Only the player who has just moved can have won.
            (true, 1) if has_four(self.other) => "red wins",
            (true, 0) if has_four(self.other) => "yellow wins",
            (true, _) => "a draw",
            (false, 0) => "red to move",
            (false, _) => "yellow to move",
        }
    }
}

#[inline]
fn has_four(board: u64) -> bool {
    DIRECTIONS.iter().fold(0, |found, step| {
        let pairs = board & board >> step;
        found | pairs & pairs >> (2 * step)
    }) != 0
}

/// Counts the lines of four squares that `other` has not touched: one that holds two of `own`
/// weighs four times, one that holds three sixteen times as much as one that holds one.
fn prospects(own: u64, other: u64) -> i32 {
    let free = FULL & !other;
    let count = |set: u64| set.count_ones() as i32;
    let of_direction = |step: u32| {
        let pairs = free & free >> step;
        let lines = pairs & pairs >> (2 * step);
        // The discs of each line, added bit by bit as two pairs of two.
        let (a, b) = (own & lines, own >> step & lines);
        let (c, d) = (own >> (2 * step) & lines, own >> (3 * step) & lines);
        let (odd, even) = ((a ^ b) ^ (c ^ d), (a & b) ^ (c & d) ^ ((a ^ b) & (c ^ d)));
        count(odd & !even) + 4 * count(even & !odd) + 16 * count(odd & even)
    };
    DIRECTIONS.map(of_direction).iter().sum()
}

impl Game for ConnectFour {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { own: 0, other: 0, mover: 0, over: false }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.over { Turn::Over } else { Turn::One(usize::from(state.mover)) }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        let discs = state.own | state.other;
        let has_room = |column: &u32| discs >> (column * STRIDE + ROWS - 1) & 1 == 0;
        actions.extend((0..COLUMNS).filter(has_room).map(Action));
    }

    /// Draws columns until one has room: full ones are rare, so this is quicker than counting.
    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let discs = state.own | state.other;
        loop {
            let column = rng.below(COLUMNS);
            if discs >> (column * STRIDE + ROWS - 1) & 1 == 0 || discs == FULL {
                return Action(column);
            }
        }
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let bottom = joint[0].0 * STRIDE;
        let discs = state.own | state.other;
        // Adding a disc's worth at the bottom carries up to the lowest empty square.
        let own = state.own | (discs + (1 << bottom)) & COLUMN << bottom;
        let mover = usize::from(state.mover & 1);
        state.own = state.other;
        state.other = own;
        state.mover ^= 1;
        if has_four(own) {
            rewards[mover] += 1.0;
            rewards[1 - mover] -= 1.0;
            state.over = true;
        } else {
            state.over = state.own | own == FULL;
        }
    }

    fn action_name(&self, _: &State, _: Option<usize>, action: Action) -> String {
        (action.0 + 1).to_string()
    }

    fn player_name(&self, player: usize) -> String {
        ["red", "yellow"][player].to_owned()
    }

    fn text(&self, state: &State, _: Option<usize>) -> String {
        let mut text = String::new();
        for row in (0..ROWS).rev() {
            for column in 0..COLUMNS {
                let disc = state.disc(column, row).map_or('.', |player| ['r', 'y'][usize::from(player)]);
                text.extend([' ', disc]);
            }
            text.push('\n');
        }
        text + " 1 2 3 4 5 6 7\n" + state.caption() + "\n"
    }

    abilities!(hash, evaluator, picture);
}

impl StateHash<State> for ConnectFour {
    fn hash(&self, state: &State) -> u64 {
        derive(state.own, state.other << 1 | u64::from(state.mover))
    }
}

impl Evaluate<State> for ConnectFour {
    fn evaluate(&self, state: &State, values: &mut [f64]) {
        let ahead = match state.over {
            true => 0,
            false => prospects(state.own, state.other) - prospects(state.other, state.own),
        };
        let value = (f64::from(ahead) / 60.0).tanh() * 0.99;
        let mover = usize::from(state.mover);
        values[mover] = value;
        values[1 - mover] = -value;
    }
}

impl Svg<State> for ConnectFour {
    fn svg(&self, state: &State, _: Option<usize>) -> String {
        const FRAME: &str = "#2d5f9e";
        const YELLOW: &str = "#f2c14e";
        let mut board = Board::numbered(COLUMNS, ROWS, state.caption(), |_, _| FRAME);
        for column in 0..COLUMNS {
            for row in 0..ROWS {
                let disc = state.disc(column, row);
                board.piece(column, row, disc.map_or(PAPER, |player| [FIRST, YELLOW][usize::from(player)]));
            }
        }
        board.picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{perft, play, random_play, returns};

    #[test]
    fn the_tree_has_its_known_size() {
        let game = ConnectFour::new();
        let counts: Vec<u64> = (1..=8).map(|depth| perft(&game, &game.initial(), depth)).collect();
        assert_eq!(counts, [7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234]);
    }

    #[test]
    fn four_win_in_every_direction() {
        let game = ConnectFour::new();
        assert_eq!(returns(&game, "1 2 1 2 1 2 1"), [1.0, -1.0]);
        assert_eq!(returns(&game, "7 1 7 2 7 3 1 4"), [-1.0, 1.0]);
        assert_eq!(returns(&game, "1 2 2 3 3 4 3 4 4 1 4"), [1.0, -1.0]);
        assert_eq!(returns(&game, "7 6 6 5 5 4 5 4 4 7 4"), [1.0, -1.0]);
        assert_eq!(play(&game, "7 1 7 2 7 3 1 4").caption(), "yellow wins");
    }

    #[test]
    fn a_full_board_is_a_draw() {
        let game = ConnectFour::new();
        let moves = concat!(
            "5 4 7 1 2 5 6 6 2 2 6 1 2 7 1 2 6 6 2 1 5 7 4 3 7 7 1 5 7 6 3 ",
            "1 5 3 5 3 3 3 4 4 4 4"
        );
        assert_eq!(returns(&game, moves), [0.0, 0.0]);
        assert_eq!(play(&game, moves).caption(), "a draw");
    }

    #[test]
    fn random_play_has_its_known_statistics() {
        let found = random_play(&ConnectFour::new(), 200_000);
        assert!((found.length - 21.3).abs() < 0.1, "{found:?}");
        assert!((found.first_wins - 0.5556).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn transpositions_meet() {
        let game = ConnectFour::new();
        let hash = |moves| game.hash(&play(&game, moves));
        assert_eq!(hash("1 2 3 4"), hash("3 4 1 2"));
        assert_ne!(hash("1 2 3 4"), hash("2 1 4 3"));
    }

    #[test]
    fn the_evaluator_likes_open_lines() {
        let game = ConnectFour::new();
        let value = |moves| {
            let mut values = [0.0; 2];
            game.evaluate(&play(&game, moves), &mut values);
            values[0]
        };
        assert_eq!(value(""), 0.0);
        assert!(value("4") > value("1") && value("1") > 0.0);
        assert!(value("4 4 3 3 5") > 0.3 && value("4 4 3 3 5") < 1.0);
        assert!(value("1 4 1 3 7 5") < -0.3);
        // At the bottom of the middle column: four lines across, one up, one along each diagonal.
        assert_eq!(prospects(1 << (3 * STRIDE), 0), 7);
    }
}
