//! Battleship for one (Silver and Veness, 2010): sink a hidden fleet with as few shots as you can.
//!
//! The rules are those of their program: one ship of each length from two squares up, placed one after
//! the other, the longest first, each in any of the places that are left with the same probability. No
//! two touch, not even by a corner.

use kibitz_core::abilities::{Preferred, Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{View, after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::bits::{nth_set_wide, ones_wide};
use crate::draw::{Board, DARK, FIRST, INK, LIGHT, PAPER, SECOND, grid, square_name};

mod fleet;

use fleet::Waters;

register_game!("battleship", BattleshipParams, Battleship::new);

params! {
    /// Sink a fleet that you cannot see: a shot at a square tells whether it has hit.
    pub struct BattleshipParams {
        /// Rows and columns.
        pub size: u32 = 10, in 2..=11;
        /// Ships: the shortest has two squares, each other one more than the one before.
        pub ships: u32 = 5, in 1..=6;
    }
}

/// More would hardly find room, and fleets that agree with many shots would be hard to find.
const MOST_SHIPS: usize = 6;

const MISS: Observation = Observation(1);
const HIT: Observation = Observation(2);

/// The rules.
pub struct Battleship {
    info: Info,
    waters: Waters,
    /// The length of each ship, in the order in which they are placed.
    lengths: Vec<u32>,
}

/// The fleet and the shots, as sets of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    ships: u128,
    shots: u128,
    /// How many ships have been placed (or found no room).
    placed: u8,
    seen: u64,
}

impl Battleship {
    fn new(params: BattleshipParams) -> Result<Battleship, String> {
        let BattleshipParams { size, ships } = params;
        if ships + 1 > size {
            return Err(format!("a ship of {} squares does not fit on {size} x {size}", ships + 1));
        }
        let squares = f64::from(size * size);
        let lengths: Vec<u32> = (2..=ships + 1).rev().collect();
        let info = Info {
            // The unit of exploration of the paper's program.
            spread: squares / 4.0,
            horizon: Some(ships + size * size),
            perfect_information: false,
            // A game may be left before its end. A fleet of the longest ship alone is what is left when no other
            // finds room.
            ..Info::new(1, -squares, squares - f64::from(lengths[0]))
        };
        Ok(Battleship { info, waters: Waters::new(size), lengths })
    }

    fn is_placing(&self, state: &State) -> bool {
        usize::from(state.placed) < self.lengths.len()
    }

    fn is_over(state: &State) -> bool {
        state.ships & !state.shots == 0
    }

    fn untried(&self, state: &State) -> u128 {
        self.waters.all & !state.shots
    }

    /// Untried squares where a ship may still be: none that has a corner in common with a hit.
    fn sensible(&self, state: &State) -> u128 {
        self.untried(state) & !self.waters.corners(state.ships & state.shots)
    }

    /// Where the next ship may begin, westward and southward end first, lying and standing.
    fn room(&self, state: &State) -> [u128; 2] {
        let free = self.waters.all & !self.waters.around(state.ships);
        self.waters.room(self.lengths[usize::from(state.placed)], free, 0)
    }

    /// The outcome of chance that stands for a place; the last one for no place at all.
    fn outcome(&self, way: usize, begin: u32) -> Action {
        Action(way as u32 * self.waters.squares() + begin)
    }

    fn no_room(&self) -> Action {
        Action(2 * self.waters.squares())
    }

    fn caption(&self, state: &State) -> String {
        let shots = state.shots.count_ones();
        if self.is_placing(state) {
            "the ships put to sea".to_owned()
        } else if Battleship::is_over(state) {
            format!("all sunk with {shots} shots")
        } else {
            format!("{shots} shots, {} hits", (state.shots & state.ships).count_ones())
        }
    }

    fn mark(&self, state: &State, viewer: Option<usize>, square: u32) -> char {
        match (state.shots >> square & 1, state.ships >> square & 1) {
            (1, 1) => 'X',
            (1, _) => 'o',
            (_, 1) if viewer.is_none() => '#',
            _ => '.',
        }
    }
}

impl Game for Battleship {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { ships: 0, shots: 0, placed: 0, seen: view_seed(0) }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if self.is_placing(state) {
            Turn::Chance
        } else if Battleship::is_over(state) {
            Turn::Over
        } else {
            Turn::One(0)
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones_wide(self.untried(state)).map(Action));
    }

    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let untried = self.untried(state);
        Action(nth_set_wide(untried, rng.below(untried.count_ones())))
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let room = self.room(state);
        let count = room[0].count_ones() + room[1].count_ones();
        if count == 0 {
            outcomes.push((self.no_room(), 1.0));
        }
        for (way, begins) in room.into_iter().enumerate() {
            let each = ones_wide(begins).map(|begin| (self.outcome(way, begin), 1.0 / f64::from(count)));
            outcomes.extend(each);
        }
    }

    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        match fleet::pick(self.room(state), rng) {
            Some((way, begin)) => self.outcome(way, begin),
            None => self.no_room(),
        }
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0;
        if self.is_placing(state) {
            let (way, begin) = (chosen / self.waters.squares(), chosen % self.waters.squares());
            let length = self.lengths[usize::from(state.placed)];
            if way < 2 {
                state.ships |= self.waters.ship(length, way as usize, begin);
            }
            state.placed += 1;
            return;
        }
        state.shots |= 1 << chosen;
        rewards[0] -= 1.0;
        if Battleship::is_over(state) {
            rewards[0] += f64::from(self.waters.squares());
        }
        let told = self.observe(state, Turn::One(0), joint, 0);
        state.seen = after_observation(after_action(state.seen, joint[0]), told);
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, joint: &[Action], _: usize) -> Observation {
        match (turn, after.ships >> (joint[0].0 & 127) & 1) {
            (Turn::Chance, _) => Observation::SILENT,
            (_, 0) => MISS,
            _ => HIT,
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.observe(after, turn, joint, 0)
    }

    fn observation_name(&self, step: &Transition<State>, _: usize) -> String {
        let Transition { after, turn, joint, .. } = *step;
        let told = self.observe(after, turn, joint, 0);
        if told == HIT { "hit" } else { "miss" }.to_owned()
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        let name = |square: u32| square_name(square % self.waters.size, square / self.waters.size);
        if player.is_some() {
            return name(action.0);
        }
        let (way, begin) = (action.0 / self.waters.squares(), action.0 % self.waters.squares());
        let length = self.lengths.get(usize::from(state.placed)).copied().unwrap_or_default();
        match way {
            0 | 1 => {
                let ship = self.waters.ship(length, way as usize, begin);
                format!("{}-{}", name(begin), name(127 - ship.leading_zeros()))
            }
            _ => format!("no room for {length}"),
        }
    }

    fn player_name(&self, _: usize) -> String {
        "gunner".to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        let size = self.waters.size;
        let sea = grid(size, size, |column, row| self.mark(state, viewer, row * size + column));
        format!("{sea}{}\n", self.caption(state))
    }

    abilities!(hash, preferred, resampling, view_key, picture);
}

impl StateHash<State> for Battleship {
    fn hash(&self, state: &State) -> u64 {
        let set = |squares: u128| derive(squares as u64, (squares >> 64) as u64);
        derive(derive(set(state.ships), u64::from(state.placed)), set(state.shots))
    }
}

impl Preferred<State> for Battleship {
    #[inline]
    fn preferred(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones_wide(self.sensible(state)).map(Action));
    }
}

impl Resample<State> for Battleship {
    /// With the right probability but for what drawing from a few dozen weighted fleets, instead of
    /// from all, leaves of an error.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let told = fleet::Told::from_view(view, self.waters.squares())?;
        let ships = self.waters.draw_fleet(&self.lengths, &told, rng)?;
        let placed = self.lengths.len() as u8;
        Some(State { ships, shots: told.hits | told.misses, placed, seen: view.key() })
    }
}

impl ViewKey<State> for Battleship {
    fn view_key(&self, state: &State, _: usize) -> u64 {
        state.seen
    }
}

impl Svg<State> for Battleship {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        let size = self.waters.size;
        let at = |column, row| self.mark(state, viewer, row * size + column);
        let mut board = Board::new(size, size, &self.caption(state), |column, row| match at(column, row) {
            'X' => INK,
            '#' => DARK,
            'o' => PAPER,
            _ => LIGHT,
        });
        for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
            let (x, y) = board.centre(column, row);
            match at(column, row) {
                'X' => board.picture.circle(x, y, 12, FIRST),
                'o' => board.picture.circle(x, y, 5, SECOND),
                _ => {}
            }
        }
        board.picture.finish()
    }
}

#[cfg(test)]
mod tests;
