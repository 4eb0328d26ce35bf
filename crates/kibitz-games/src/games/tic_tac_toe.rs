//! Tic-tac-toe on two boards of nine bits.

use kibitz_core::abilities::{StateHash, Svg};
use kibitz_core::game::{Action, Game, Info, Turn};
use kibitz_core::params::NoParams;
use kibitz_core::rng::{Rng, mix};
use kibitz_core::{abilities, register_game};

use crate::bits::{nth_of_nine, ones};
use crate::draw::{Board, FIRST, LIGHT, SECOND, grid, square_name};

register_game!("tic-tac-toe", "Three in a row on a board of nine squares.", NoParams, |_| Ok(
    TicTacToe::new()
));

const FULL: u16 = 0b111_111_111;
const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Whether a set of squares holds a line, for all sets.
static HAS_LINE: [bool; 512] = {
    let mut table = [false; 512];
    let mut marks = 0;
    while marks < 512 {
        let mut line = 0;
        while line < LINES.len() {
            table[marks as usize] |= marks & LINES[line] == LINES[line];
            line += 1;
        }
        marks += 1;
    }
    table
};

/// The rules.
pub struct TicTacToe {
    info: Info,
}

/// The marks of x and of o; square a1 is bit 0, b1 bit 1, c3 bit 8. As many squares are left empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    marks: [u16; 2],
    left: u8,
    over: bool,
}

impl TicTacToe {
    fn new() -> TicTacToe {
        TicTacToe { info: Info::duel(1.0, 9) }
    }
}

impl State {
    #[inline]
    fn mover(&self) -> usize {
        usize::from(self.left & 1 ^ 1)
    }

    #[inline]
    fn empty(&self) -> u16 {
        FULL & !(self.marks[0] | self.marks[1])
    }

    fn mark(&self, square: u32) -> Option<usize> {
        (0..2).find(|&player| self.marks[player] >> square & 1 == 1)
    }

    fn caption(&self) -> &'static str {
        let [x, o] = self.marks.map(|marks| HAS_LINE[usize::from(marks)]);
        match (self.over, self.mover()) {
            (true, _) if x => "x wins",
            (true, _) if o => "o wins",
            (true, _) => "a draw",
            (false, 0) => "x to move",
            (false, _) => "o to move",
        }
    }
}

impl Game for TicTacToe {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { marks: [0, 0], left: 9, over: false }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.over { Turn::Over } else { Turn::One(state.mover()) }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones(state.empty().into()).map(Action));
    }

    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        Action(nth_of_nine(state.empty(), rng.below(u32::from(state.left))))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let mover = state.mover();
        state.marks[mover] |= 1 << joint[0].0;
        state.left -= 1;
        if HAS_LINE[usize::from(state.marks[mover] & FULL)] {
            rewards[mover] += 1.0;
            rewards[1 - mover] -= 1.0;
            state.over = true;
        } else {
            state.over = state.left == 0;
        }
    }

    fn action_name(&self, _: &State, _: Option<usize>, action: Action) -> String {
        square_name(action.0 % 3, action.0 / 3)
    }

    fn player_name(&self, player: usize) -> String {
        ["x", "o"][player].to_owned()
    }

    fn text(&self, state: &State, _: Option<usize>) -> String {
        let at = |column, row| state.mark(3 * row + column).map_or('.', |player| ['x', 'o'][player]);
        grid(3, 3, at) + state.caption() + "\n"
    }

    abilities!(hash, picture);
}

impl StateHash<State> for TicTacToe {
    fn hash(&self, state: &State) -> u64 {
        mix(u64::from(state.marks[0]) << 9 | u64::from(state.marks[1]))
    }
}

impl Svg<State> for TicTacToe {
    fn svg(&self, state: &State, _: Option<usize>) -> String {
        let mut board = Board::new(3, 3, state.caption(), |_, _| LIGHT);
        for square in 0..9 {
            let (x, y) = board.centre(square % 3, square / 3);
            match state.mark(square) {
                Some(0) => {
                    board.picture.line((x - 12, y - 12), (x + 12, y + 12), 6, FIRST);
                    board.picture.line((x - 12, y + 12), (x + 12, y - 12), 6, FIRST);
                }
                Some(_) => board.picture.ring(x, y, 13, 6, SECOND),
                None => {}
            }
        }
        board.picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{perft, play, random_play};

    fn complete_games(game: &TicTacToe, state: &State) -> u64 {
        if state.over {
            return 1;
        }
        let count = |square| {
            let mut after = *state;
            game.step(&mut after, &[Action(square)], &mut [0.0; 2]);
            complete_games(game, &after)
        };
        ones(state.empty().into()).map(count).sum()
    }

    #[test]
    fn the_tree_has_its_known_size() {
        let game = TicTacToe::new();
        assert_eq!(complete_games(&game, &game.initial()), 255_168);
        let counts: Vec<u64> = (1..=9).map(|depth| perft(&game, &game.initial(), depth)).collect();
        assert_eq!(counts, [9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872]);
    }

    #[test]
    fn random_play_has_its_known_statistics() {
        let found = random_play(&TicTacToe::new(), 300_000);
        assert!((found.first_wins - 0.5849).abs() < 0.004, "{found:?}");
        assert!((found.draws - 0.1270).abs() < 0.003, "{found:?}");
        assert!((found.length - 7.626).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn lines_win() {
        let game = TicTacToe::new();
        assert_eq!(play(&game, "a1 b1 b2 b3 c3").caption(), "x wins");
        assert_eq!(play(&game, "a1 b2 a2 c1 c3 a3").caption(), "o wins");
        let draw = play(&game, "b2 a1 a2 c2 b1 b3 c1 a3 c3");
        assert_eq!(draw.caption(), "a draw");
        assert_eq!(game.text(&draw, None), " 3  o o x\n 2  x x o\n 1  o x x\n    a b c\na draw\n");
    }

    #[test]
    fn transpositions_meet() {
        let game = TicTacToe::new();
        let hash = |moves| game.hash(&play(&game, moves));
        assert_eq!(hash("a1 b2 c3"), hash("c3 b2 a1"));
        assert_ne!(hash("a1 b2 c3"), hash("a1 c3 b2"));
    }
}
