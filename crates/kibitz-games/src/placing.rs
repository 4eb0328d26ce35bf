//! Games in which players fill a board in turn, and who cannot has lost: domineering, nogo and atarigo.

use std::marker::PhantomData;

use kibitz_core::abilities::{Abilities, StateHash, Svg};
use kibitz_core::game::{Action, Game, Info, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};

use crate::draw::{Board, INK, LIGHT, PAPER, grid, square_name};
use crate::squares::{Grid, Squares};

params! {
    /// The board, and who wins.
    pub struct BoardParams {
        /// Rows of the board; it has at most 128 squares.
        pub rows: u32 = 8, in 2..=16;
        /// Columns of the board.
        pub columns: u32 = 8, in 2..=16;
        /// Misère: who cannot move has won.
        pub misere: bool = false;
    }
}

/// Where players may put what. A move is a square.
pub trait Rules: Send + Sync + 'static {
    /// What players are called; this and all that is drawn are stones on points, if nothing else is said.
    const PLAYERS: [&'static str; 2] = ["black", "white"];
    /// The characters of their pieces.
    const MARKS: [char; 2] = ['x', 'o'];

    /// Whether a player may move to one square.
    fn allows<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize, square: W) -> bool;

    /// The squares that a player may move to.
    #[inline]
    fn legal<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize) -> W {
        let free = board.all & !(pieces[0] | pieces[1]);
        let one = |square: u32| W::one(square);
        let allowed = free.each().map(one).filter(|square| Self::allows(board, pieces, mover, *square));
        allowed.fold(W::NONE, |legal, square| legal | square)
    }

    /// One of them at random: as long as most are legal, trying is quicker than listing.
    #[inline]
    fn random<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize, rng: &mut Rng) -> u32 {
        let mut left = board.all & !(pieces[0] | pieces[1]);
        loop {
            let square = left.nth(rng.below(left.count()));
            let one = W::one(square);
            left = left ^ one;
            if left == W::NONE || Self::allows(board, pieces, mover, one) {
                return square;
            }
        }
    }

    /// Whether a player may move at all.
    #[inline]
    fn can_move<W: Squares>(board: &Grid<W>, pieces: &[W; 2], mover: usize) -> bool {
        let mut left = board.all & !(pieces[0] | pieces[1]);
        while left != W::NONE {
            let one = left.lowest();
            if Self::allows(board, pieces, mover, one) {
                return true;
            }
            left = left ^ one;
        }
        false
    }

    /// Whether the move that was made wins at once.
    #[inline]
    fn wins<W: Squares>(_: &Grid<W>, _: &[W; 2], _mover: usize, _: W) -> bool {
        false
    }

    /// A move in words.
    fn name(_: usize, column: u32, row: u32) -> String {
        square_name(column, row)
    }

    /// The squares that a player has filled by some moves.
    #[inline]
    fn filled<W: Squares>(_: &Grid<W>, _player: usize, moves: W) -> W {
        moves
    }

    /// The colour of an empty square.
    fn square(_column: u32, _row: u32) -> &'static str {
        LIGHT
    }

    /// A move's picture.
    fn draw(board: &mut Board, player: usize, column: u32, row: u32) {
        board.piece(column, row, [INK, PAPER][player]);
    }
}

/// The rules.
pub struct Placing<W, R> {
    info: Info,
    board: Grid<W>,
    /// What having no move left costs.
    price: f64,
    rules: PhantomData<R>,
}

/// The squares that both players have moved to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State<W> {
    moves: [W; 2],
    mover: u8,
    over: bool,
    /// Whether the last move won at once.
    won: bool,
}

impl<W: Squares, R: Rules> Placing<W, R> {
    /// On a board of a size that fits into a word.
    pub fn new(rows: u32, columns: u32, misere: bool) -> Placing<W, R> {
        let board = Grid::new(rows, columns);
        let info = Info::duel(1.0, rows * columns);
        Placing { info, board, price: if misere { -1.0 } else { 1.0 }, rules: PhantomData }
    }

    /// The squares that each player has filled.
    #[inline]
    fn filled(&self, state: &State<W>) -> [W; 2] {
        [0, 1].map(|player| R::filled(&self.board, player, state.moves[player]))
    }

    fn caption(&self, state: &State<W>) -> String {
        let name = |player: usize| R::PLAYERS[player];
        let mover = usize::from(state.mover);
        match (state.over, state.won || self.price > 0.0) {
            // The mover of a finished game has lost it, unless it cannot move and that is the aim.
            (true, true) => format!("{} wins", name(1 - mover)),
            (true, false) => format!("{} wins", name(mover)),
            _ => format!("{} to move", name(mover)),
        }
    }
}

impl<W: Squares, R: Rules> Game for Placing<W, R> {
    type State = State<W>;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State<W> {
        State { moves: [W::NONE; 2], mover: 0, over: false, won: false }
    }

    #[inline]
    fn turn(&self, state: &State<W>) -> Turn {
        if state.over { Turn::Over } else { Turn::One(usize::from(state.mover)) }
    }

    fn legal(&self, state: &State<W>, player: usize, actions: &mut Vec<Action>) {
        actions.extend(R::legal(&self.board, &self.filled(state), player).each().map(Action));
    }

    #[inline]
    fn random_action(&self, state: &State<W>, player: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        Action(R::random(&self.board, &self.filled(state), player, rng))
    }

    #[inline]
    fn step(&self, state: &mut State<W>, joint: &[Action], rewards: &mut [f64]) {
        let (mover, square) = (usize::from(state.mover & 1), W::one(joint[0].0));
        state.moves[mover] = state.moves[mover] | square;
        state.mover ^= 1;
        let filled = self.filled(state);
        state.won = R::wins(&self.board, &filled, mover, square);
        if state.won || !R::can_move(&self.board, &filled, 1 - mover) {
            let prize = if state.won { 1.0 } else { self.price };
            rewards[mover] += prize;
            rewards[1 - mover] -= prize;
            state.over = true;
        }
    }

    fn action_name(&self, _: &State<W>, player: Option<usize>, action: Action) -> String {
        let columns = self.board.columns;
        R::name(player.unwrap_or(0), action.0 % columns, action.0 / columns)
    }

    fn player_name(&self, player: usize) -> String {
        R::PLAYERS[player].to_owned()
    }

    fn text(&self, state: &State<W>, _: Option<usize>) -> String {
        let filled = self.filled(state);
        let Grid { rows, columns, .. } = self.board;
        let at = |column, row| {
            let square = W::one(row * columns + column);
            (0..2).find(|player| filled[*player] & square != W::NONE).map_or('.', |player| R::MARKS[player])
        };
        grid(columns, rows, at) + &self.caption(state) + "\n"
    }

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { hash: Some(self), picture: Some(self), ..Abilities::default() }
    }
}

impl<W: Squares, R: Rules> StateHash<State<W>> for Placing<W, R> {
    fn hash(&self, state: &State<W>) -> u64 {
        let [first, second] = state.moves.map(|moves| derive(moves.words()[0], moves.words()[1]));
        derive(derive(first, second), u64::from(state.mover))
    }
}

impl<W: Squares, R: Rules> Svg<State<W>> for Placing<W, R> {
    fn svg(&self, state: &State<W>, _: Option<usize>) -> String {
        let Grid { rows, columns, .. } = self.board;
        let mut board = Board::new(columns, rows, &self.caption(state), R::square);
        for (player, moves) in state.moves.into_iter().enumerate() {
            for square in moves.each() {
                R::draw(&mut board, player, square % columns, square / columns);
            }
        }
        board.picture.finish()
    }
}

/// Registers such a game: name, summary, parameters as they are by default, which make [`BoardParams`], and rules.
macro_rules! register_placing {
    ($name:literal, $summary:literal, $params:expr, $rules:ty) => {
        inventory::submit! {
            kibitz_core::registry::GameEntry {
                name: $name,
                summary: $summary,
                params: || kibitz_core::params::Params::docs(&$params),
                build: |spec| {
                    let mut params = $params;
                    kibitz_core::params::Params::apply(&mut params, spec)?;
                    $crate::placing::build::<$rules>(&params.into())
                        .map_err(|what| kibitz_core::spec::SpecError(format!("{}: {what}", $name)))
                },
            }
        }
    };
}
pub(crate) use register_placing;

/// The game on a board of a size, in words of the width that it asks for.
///
/// # Errors
/// That there are too many squares.
pub fn build<R: Rules>(params: &BoardParams) -> Result<kibitz_core::model::SharedModel, String> {
    let BoardParams { rows, columns, misere } = *params;
    use crate::squares::MOST;
    match rows * columns {
        0..=64 => Ok(std::sync::Arc::new(Placing::<u64, R>::new(rows, columns, misere))),
        65..=MOST => Ok(std::sync::Arc::new(Placing::<u128, R>::new(rows, columns, misere))),
        count => Err(format!("{rows} rows of {columns} are {count} squares; a board has at most {MOST}")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::perft;

    /// That a game has as many sequences of one move, two moves, ... in words of both widths.
    pub(crate) fn in_both_widths<R: Rules>(rows: u32, columns: u32, counts: &[u64]) {
        let (narrow, wide) =
            (Placing::<u64, R>::new(rows, columns, false), Placing::<u128, R>::new(rows, columns, false));
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&narrow, &narrow.initial(), depth), *count, "{depth}");
            assert_eq!(perft(&wide, &wide.initial(), depth), *count, "{depth}");
        }
    }
}
