//! Races across a board of at most 64 squares: breakthrough and knightthrough. Two bitboards, always seen from the
//! side of the player to move: its pieces go up, and the board is turned over after each move.

use std::marker::PhantomData;

use kibitz_core::abilities::{Evaluate, Factors, StateHash, Svg};
use kibitz_core::game::{Action, Game, Info, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};

use crate::bits::{nth_set, ones};
use crate::draw::{Board, INK, PAPER, chequered, grid, square_name};

params! {
    /// The board, and who wins.
    pub struct RaceParams {
        /// Rows of the board; with fewer than six each side has one row of pieces, else two.
        pub rows: u32 = 8, in 3..=8;
        /// Columns of the board.
        pub columns: u32 = 8, in 2..=8;
        /// Misère: who would have won has lost.
        pub misere: bool = false;
    }
}

/// Squares are numbered by rows of eight, whatever the board's width.
pub const STRIDE: u32 = 8;
const LEFTMOST: u64 = 0x0101_0101_0101_0101;
/// The squares that have so many columns to their left, and to their right.
pub const fn beyond(left: u32, right: u32) -> u64 {
    let (mut squares, mut column) = (0, left);
    while column + right < STRIDE {
        squares |= LEFTMOST << column;
        column += 1;
    }
    squares
}

/// How the pieces of a race move.
pub trait Piece: Send + Sync + 'static {
    /// By how many squares a move goes up, for each way to move.
    const STEPS: &'static [u32];

    /// Where the pieces of the player to move can go to, for each of the steps (nowhere beyond those).
    fn targets(own: u64, other: u64, board: u64) -> [u64; 4];

    /// Whether a player who has nobody on the far row has no move.
    fn is_stuck(own: u64, other: u64, board: u64) -> bool;

    /// A square's picture: a piece in a colour.
    fn draw(board: &mut Board, column: u32, row: u32, colour: &'static str);
}

/// The rules.
pub struct Race<P> {
    info: Info,
    rows: u32,
    columns: u32,
    /// What winning pays.
    prize: f64,
    board: u64,
    far_row: u64,
    /// How far down a board that was turned over must be moved.
    overhang: u32,
    piece: PhantomData<P>,
}

/// The pieces of the player to move and of the other one, seen from the former's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    own: u64,
    other: u64,
    mover: u8,
    over: bool,
}

impl<P: Piece> Race<P> {
    /// On a board of a size.
    pub fn new(params: &RaceParams) -> Race<P> {
        let RaceParams { rows, columns, misere } = *params;
        let row = (1u64 << columns) - 1;
        // Every piece goes up to the last row but one at most, and one of them a step further.
        let ways: u32 = (0..home_rows(rows)).map(|row| (rows - 2 - row) * columns).sum();
        Race {
            info: Info::duel(1.0, 2 * ways + 1),
            rows,
            columns,
            prize: if misere { -1.0 } else { 1.0 },
            board: (0..rows).map(|number| row << (number * STRIDE)).sum(),
            far_row: row << ((rows - 1) * STRIDE),
            overhang: (STRIDE - rows) * STRIDE,
            piece: PhantomData,
        }
    }

    /// The usual rules on a board of a size.
    #[cfg(test)]
    pub fn sized(rows: u32, columns: u32) -> Race<P> {
        Race::new(&RaceParams { rows, columns, misere: false })
    }

    #[inline]
    fn turned(&self, pieces: u64) -> u64 {
        pieces.swap_bytes() >> self.overhang
    }

    #[inline]
    fn targets(&self, state: &State) -> [u64; 4] {
        P::targets(state.own, state.other, self.board)
    }

    /// The pieces of the first and of the second player, seen from the first one's side.
    fn sides(&self, state: &State) -> [u64; 2] {
        match state.mover {
            0 => [state.own, state.other],
            _ => [self.turned(state.other), self.turned(state.own)],
        }
    }

    fn caption(&self, state: &State) -> &'static str {
        // Who is to move in a finished game has lost it, unless that is the aim.
        match (state.over, (state.mover == 0) == (self.prize > 0.0)) {
            (true, true) => "black wins",
            (true, false) => "white wins",
            _ if state.mover == 0 => "white to move",
            _ => "black to move",
        }
    }
}

fn home_rows(rows: u32) -> u32 {
    if rows < 6 { 1 } else { 2 }
}

/// The numbers of the pieces' rows added up.
fn advance(pieces: u64) -> i32 {
    // The rows whose number has bit 0, 1 or 2.
    const ROWS_WITH: [u64; 3] = [0xff00_ff00_ff00_ff00, 0xffff_0000_ffff_0000, 0xffff_ffff_0000_0000];
    let count = |bit: usize| ((pieces & ROWS_WITH[bit]).count_ones() << bit) as i32;
    count(0) + count(1) + count(2)
}

#[inline]
fn encode<P: Piece>(target: u32, way: usize) -> Action {
    Action((target - P::STEPS[way]) * P::STEPS.len() as u32 + way as u32)
}

/// The square that a move starts from and the one that it leads to, seen by the mover.
#[inline]
fn decode<P: Piece>(action: Action) -> (u32, u32) {
    let ways = P::STEPS.len() as u32;
    let from = action.0 / ways;
    (from, from + P::STEPS[(action.0 % ways) as usize])
}

impl<P: Piece> Game for Race<P> {
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
        for (way, targets) in self.targets(state).into_iter().enumerate().take(P::STEPS.len()) {
            actions.extend(ones(targets).map(|target| encode::<P>(target, way)));
        }
    }

    /// Counts the sets of moves and picks one by its number, without listing any.
    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let targets = self.targets(state);
        let mut before = [0; 4];
        for way in 1..P::STEPS.len() {
            before[way] = before[way - 1] + targets[way - 1].count_ones();
        }
        let last = P::STEPS.len() - 1;
        let chosen = rng.below(before[last] + targets[last].count_ones());
        let way: usize = (1..=last).map(|way| usize::from(chosen >= before[way])).sum();
        encode::<P>(nth_set(targets[way], chosen - before[way]), way)
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let (from, to) = decode::<P>(joint[0]);
        let own = state.own ^ 1 << from ^ 1 << to;
        let other = state.other & !(1 << to);
        let mover = usize::from(state.mover & 1);
        state.own = self.turned(other);
        state.other = self.turned(own);
        state.mover ^= 1;
        if own & self.far_row != 0 || P::is_stuck(state.own, state.other, self.board) {
            rewards[mover] += self.prize;
            rewards[1 - mover] -= self.prize;
            state.over = true;
        }
    }

    fn action_name(&self, state: &State, _: Option<usize>, action: Action) -> String {
        let (from, to) = decode::<P>(action);
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

    kibitz_core::abilities!(hash, evaluator, factors, picture);
}

impl<P: Piece> StateHash<State> for Race<P> {
    fn hash(&self, state: &State) -> u64 {
        derive(derive(state.own, state.other), u64::from(state.mover))
    }
}

impl<P: Piece> Factors<State> for Race<P> {
    /// The piece; where it goes to is what is left.
    fn factors(&self, _: &State, _: usize, action: Action, parts: &mut Vec<u32>) {
        parts.push(decode::<P>(action).0);
    }
}

impl<P: Piece> Evaluate<State> for Race<P> {
    /// Pieces and their advance; a piece one step from the goal wins. (Misère: loses, but is not made to go on.)
    fn evaluate(&self, state: &State, values: &mut [f64]) {
        let theirs = self.turned(state.other);
        let pieces = state.own.count_ones() as i32 - theirs.count_ones() as i32;
        let rows = advance(state.own) - advance(theirs);
        let arrives = || self.targets(state).into_iter().any(|targets| targets & self.far_row != 0);
        let value = match () {
            () if state.over => 0.0,
            () if self.prize > 0.0 && arrives() => 0.99,
            () => self.prize * (0.2 * f64::from(pieces) + 0.04 * f64::from(rows)).tanh() * 0.98,
        };
        let mover = usize::from(state.mover);
        values[mover] = value;
        values[1 - mover] = -value;
    }
}

impl<P: Piece> Svg<State> for Race<P> {
    fn svg(&self, state: &State, _: Option<usize>) -> String {
        let mut board = Board::new(self.columns, self.rows, self.caption(state), chequered);
        for (pieces, colour) in self.sides(state).into_iter().zip([PAPER, INK]) {
            for square in ones(pieces) {
                P::draw(&mut board, square % STRIDE, square / STRIDE, colour);
            }
        }
        board.picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_up() {
        assert_eq!(advance(1 << 63 | 1 << 8 | 1), 8);
    }
}
