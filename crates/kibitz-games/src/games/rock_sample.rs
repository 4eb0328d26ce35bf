//! RockSample (Smith and Simmons, 2004): a rover among rocks that may be worth sampling. The
//! layouts and the preferred actions are those of Silver and Veness' POMCP (2010).

use kibitz_core::abilities::{Preferred, Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::bits::{nth_set, ones};
use crate::draw::{Board, DARK, FAINT, FIRST, GOOD, INK, LIGHT, SECOND, grid, square_name};

register_game!("rock-sample", RockSampleParams, RockSample::new);

params! {
    /// Drive a rover to the eastern edge and sample the good rocks on the way.
    pub struct RockSampleParams {
        /// Rows and columns of the board.
        pub size: u32 = 7, in 2..=26;
        /// Rocks on it.
        pub rocks: u32 = 8, in 1..=16;
        /// The seed that places the rocks; 0 is the paper's own layout for 7, 8 and for 11, 11.
        pub layout: u64 = 0;
    }
}

const MAX_ROCKS: usize = 16;
const DISCOUNT: f64 = 0.95;
const PRIZE: f64 = 10.0;
/// A rock at this distance is told with half the accuracy over guessing that one nearby is.
const HALF_EFFICIENCY_DISTANCE: f64 = 20.0;

const LAYOUT_7_8: [(u8, u8); 8] = [(2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6)];
const LAYOUT_11_11: [(u8, u8); 11] =
    [(0, 3), (0, 7), (1, 8), (2, 4), (3, 3), (3, 8), (4, 3), (5, 8), (6, 1), (9, 3), (9, 9)];

// The player's actions; `CHECK + i` checks rock i.
const NORTH: u32 = 0;
const EAST: u32 = 1;
const SOUTH: u32 = 2;
const WEST: u32 = 3;
const SAMPLE: u32 = 4;
const CHECK: u32 = 5;

// Outcomes of chance: below READ_BAD the set of the good rocks, else a reading.
const READ_BAD: u32 = 1 << MAX_ROCKS;
const READ_GOOD: u32 = READ_BAD + 1;

/// The rules.
pub struct RockSample {
    info: Info,
    size: u8,
    rocks: Vec<(u8, u8)>,
    cells: Vec<Cell>,
    /// How likely a reading is right, for each cell and rock.
    efficiencies: Vec<[f64; MAX_ROCKS]>,
}

/// What there is to know of a cell; rocks are sets of bits.
#[derive(Clone, Copy)]
struct Cell {
    moves: u32,
    rock: u16,
    rocks_to: [u16; 4],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Bury,
    Act,
    Read(u8),
    Over,
}

/// The rover, the rocks, and what the rover's sensor has told so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State {
    phase: Phase,
    x: u8,
    y: u8,
    good: u16,
    uncollected: u16,
    /// Rocks with more good readings than bad ones, and the other way round.
    promising: u16,
    doubtful: u16,
    /// Rocks about which another reading may tell something.
    unsettled: u16,
    readings: [Readings; MAX_ROCKS],
    seen: u64,
}

/// The readings of one rock, as its prober knows them.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Readings {
    /// Good ones less bad ones.
    balance: i8,
    taken: u8,
    /// How likely the rock is good, by Bayes' rule.
    good: f64,
}

impl RockSample {
    fn new(params: RockSampleParams) -> Result<RockSample, String> {
        let RockSampleParams { size, rocks: count, layout } = params;
        if count > size * size {
            return Err(format!("{count} rocks do not fit on {size} x {size} cells"));
        }
        let rocks = match (size, count, layout) {
            (7, 8, 0) => LAYOUT_7_8.to_vec(),
            (11, 11, 0) => LAYOUT_11_11.to_vec(),
            _ => scattered(size as u8, count as usize, layout),
        };
        let info = Info {
            spread: 2.0 * PRIZE,
            discount: DISCOUNT,
            perfect_information: false,
            ..Info::new(1, -PRIZE * f64::from(count), PRIZE * f64::from(count + 1))
        };
        let size = size as u8;
        let places = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        let cells = places.clone().map(|place| Cell::new(place, size, &rocks)).collect();
        let efficiencies = places.map(|place| efficiencies(place, &rocks)).collect();
        Ok(RockSample { info, size, rocks, cells, efficiencies })
    }

    fn all_rocks(&self) -> u16 {
        ((1u32 << self.rocks.len()) - 1) as u16
    }

    #[inline]
    fn index(&self, state: &State) -> usize {
        usize::from(state.y) * usize::from(self.size) + usize::from(state.x)
    }

    #[inline]
    fn legal_set(&self, state: &State) -> u32 {
        let cell = self.cells[self.index(state)];
        let sample = u32::from(cell.rock & state.uncollected != 0) << SAMPLE;
        cell.moves | sample | u32::from(state.uncollected) << CHECK
    }

    #[inline]
    fn preferred_set(&self, state: &State) -> u32 {
        let cell = self.cells[self.index(state)];
        if cell.rock & state.uncollected & state.promising != 0 {
            return 1 << SAMPLE;
        }
        let interesting = state.uncollected & !state.doubtful;
        if interesting == 0 {
            return 1 << EAST;
        }
        let mut chosen = u32::from(state.uncollected & state.unsettled) << CHECK;
        for (direction, rocks) in cell.rocks_to.iter().enumerate() {
            chosen |= u32::from(rocks & interesting != 0) << direction;
        }
        if chosen == 0 { self.legal_set(state) } else { chosen }
    }

    /// How likely checking this rock from here gives a good reading.
    #[inline]
    fn reads_good(&self, state: &State, rock: u8) -> f64 {
        let right = self.efficiencies[self.index(state)][usize::from(rock)];
        if state.good >> rock & 1 == 1 { right } else { 1.0 - right }
    }

    fn rock_symbol(rock: usize) -> char {
        char::from(b"123456789ABCDEFG"[rock])
    }

    fn rock_at(&self, state: &State, column: u32, row: u32) -> Option<usize> {
        let here = (column as u8, row as u8);
        self.rocks.iter().position(|rock| *rock == here).filter(|rock| state.uncollected >> rock & 1 == 1)
    }

    fn caption(&self, state: &State) -> &'static str {
        match state.phase {
            Phase::Bury => "the rocks are not yet placed",
            Phase::Act => "the rover to move",
            Phase::Read(_) => "the rover is checking a rock",
            Phase::Over => "the rover has left",
        }
    }
}

impl Cell {
    fn new((x, y): (u8, u8), size: u8, rocks: &[(u8, u8)]) -> Cell {
        let set = |wanted: &dyn Fn(u8, u8) -> bool| {
            let bits = rocks.iter().enumerate().map(|(rock, &(u, v))| u16::from(wanted(u, v)) << rock);
            bits.sum::<u16>()
        };
        let moves = [(NORTH, y + 1 < size), (EAST, true), (SOUTH, y > 0), (WEST, x > 0)];
        Cell {
            moves: moves.iter().map(|(direction, legal)| u32::from(*legal) << direction).sum(),
            rock: set(&|u, v| (u, v) == (x, y)),
            rocks_to: [set(&|_, v| v > y), set(&|u, _| u > x), set(&|_, v| v < y), set(&|u, _| u < x)],
        }
    }
}

impl Readings {
    /// Measured this often, a rock is let be.
    const ENOUGH: u8 = 5;

    fn add(&mut self, good: bool, efficiency: f64) {
        let if_good = self.good * if good { efficiency } else { 1.0 - efficiency };
        let if_bad = (1.0 - self.good) * if good { 1.0 - efficiency } else { efficiency };
        // Both vanish only by rounding; then the last sound estimate stands.
        if if_good + if_bad > 0.0 {
            self.good = if_good / (if_good + if_bad);
        }
        self.balance = self.balance.saturating_add(if good { 1 } else { -1 });
        self.taken = self.taken.saturating_add(1);
    }

    fn is_unsettled(&self) -> bool {
        self.good > 0.0 && self.good < 1.0 && self.taken < Readings::ENOUGH && self.balance.abs() < 2
    }
}

fn scattered(size: u8, count: usize, layout: u64) -> Vec<(u8, u8)> {
    let mut cells: Vec<(u8, u8)> = (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).collect();
    Rng::episode(layout, 0, "rock-sample").shuffle(&mut cells);
    cells.truncate(count);
    cells.sort_unstable();
    cells
}

fn efficiencies((x, y): (u8, u8), rocks: &[(u8, u8)]) -> [f64; MAX_ROCKS] {
    let mut table = [0.5; MAX_ROCKS];
    for (entry, &(u, v)) in table.iter_mut().zip(rocks) {
        let distance = (f64::from(x) - f64::from(u)).hypot(f64::from(y) - f64::from(v));
        *entry = (1.0 + (-distance / HALF_EFFICIENCY_DISTANCE).exp2()) / 2.0;
    }
    table
}

#[inline]
fn with_bit(set: u16, bit: u8, value: bool) -> u16 {
    set & !(1 << bit) | u16::from(value) << bit
}

impl Game for RockSample {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State {
            phase: Phase::Bury,
            x: 0,
            y: self.size / 2,
            good: 0,
            uncollected: self.all_rocks(),
            promising: 0,
            doubtful: 0,
            unsettled: self.all_rocks(),
            readings: [Readings { balance: 0, taken: 0, good: 0.5 }; MAX_ROCKS],
            seen: view_seed(0),
        }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Act => Turn::One(0),
            Phase::Over => Turn::Over,
            _ => Turn::Chance,
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones(self.legal_set(state).into()).map(Action));
    }

    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let legal = self.legal_set(state);
        Action(nth_set(legal.into(), rng.below(legal.count_ones())))
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        if let Phase::Read(rock) = state.phase {
            let good = self.reads_good(state, rock);
            let both = [(READ_GOOD, good), (READ_BAD, 1.0 - good)];
            outcomes
                .extend(both.iter().filter(|(_, p)| *p > 0.0).map(|(outcome, p)| (Action(*outcome), *p)));
        } else {
            let sets = 1u32 << self.rocks.len();
            outcomes.extend((0..sets).map(|set| (Action(set), 1.0 / f64::from(sets))));
        }
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        match state.phase {
            Phase::Read(rock) => {
                Action(if rng.unit() < self.reads_good(state, rock) { READ_GOOD } else { READ_BAD })
            }
            _ => Action(rng.bits() as u32 & u32::from(self.all_rocks())),
        }
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0;
        match state.phase {
            Phase::Bury => {
                state.good = chosen as u16;
                state.phase = Phase::Act;
                return;
            }
            Phase::Read(rock) => {
                let efficiency = self.efficiencies[self.index(state)][usize::from(rock)];
                let readings = &mut state.readings[usize::from(rock)];
                readings.add(chosen == READ_GOOD, efficiency);
                state.promising = with_bit(state.promising, rock, readings.balance > 0);
                state.doubtful = with_bit(state.doubtful, rock, readings.balance < 0);
                state.unsettled = with_bit(state.unsettled, rock, readings.is_unsettled());
                state.phase = Phase::Act;
            }
            _ => {
                match chosen {
                    NORTH => state.y += 1,
                    EAST if state.x + 1 == self.size => {
                        rewards[0] += PRIZE;
                        state.phase = Phase::Over;
                    }
                    EAST => state.x += 1,
                    SOUTH => state.y -= 1,
                    WEST => state.x -= 1,
                    SAMPLE => {
                        let rock = self.cells[self.index(state)].rock;
                        rewards[0] += if state.good & rock != 0 { PRIZE } else { -PRIZE };
                        state.uncollected &= !rock;
                        state.good &= !rock;
                    }
                    _ => state.phase = Phase::Read((chosen - CHECK) as u8),
                }
                state.seen = after_action(state.seen, joint[0]);
            }
        }
        state.seen = after_observation(state.seen, Observation::of_joint(joint));
    }

    /// The player sees what it does and reads, but not where the good rocks are.
    #[inline]
    fn observe(&self, _: &State, turn: Turn, joint: &[Action], _: usize) -> Observation {
        match (turn, joint[0].0) {
            (Turn::Chance, ..READ_BAD) => Observation::SILENT,
            _ => Observation::of_joint(joint),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.observe(after, turn, joint, 0)
    }

    fn action_name(&self, _: &State, player: Option<usize>, action: Action) -> String {
        match (player, action.0) {
            (Some(_), CHECK..) => format!("check {}", action.0 - CHECK + 1),
            (Some(_), known) => ["north", "east", "south", "west", "sample"][known as usize].to_owned(),
            (None, READ_GOOD) => "good".to_owned(),
            (None, READ_BAD) => "bad".to_owned(),
            (None, 0) => "all rocks bad".to_owned(),
            (None, set) => {
                let good: Vec<String> = ones(set.into()).map(|rock| (rock + 1).to_string()).collect();
                format!("good rocks {}", good.join(" "))
            }
        }
    }

    fn player_name(&self, _: usize) -> String {
        "rover".to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        let size = u32::from(self.size);
        let mut text = grid(size, size, |column, row| match self.rock_at(state, column, row) {
            _ if (column, row) == (state.x.into(), state.y.into()) => '@',
            Some(rock) => RockSample::rock_symbol(rock),
            None => '.',
        });
        for (rock, &(x, y)) in self.rocks.iter().enumerate() {
            let readings = &state.readings[rock];
            let kind = match (state.uncollected >> rock & 1, viewer, state.good >> rock & 1) {
                (0, ..) => "taken",
                (_, Some(_), _) => "?",
                _ if state.phase == Phase::Bury => "?",
                (_, None, 1) => "good",
                _ => "bad",
            };
            let place = square_name(x.into(), y.into());
            let (sign, good, taken) = (RockSample::rock_symbol(rock), readings.good, readings.taken);
            text += &format!("rock {sign}  {place:<3} {kind:<5}  {good:.2} good, readings: {taken}\n");
        }
        text + self.caption(state) + "\n"
    }

    abilities!(hash, preferred, resampling, view_key, picture);
}

impl StateHash<State> for RockSample {
    fn hash(&self, state: &State) -> u64 {
        let phase = match state.phase {
            Phase::Bury => 0,
            Phase::Act => 1,
            Phase::Over => 2,
            Phase::Read(rock) => 3 + u64::from(rock),
        };
        let place = self.index(state) as u64;
        derive(phase << 16 | place, u64::from(state.good) << 16 | u64::from(state.uncollected))
    }
}

impl Preferred<State> for RockSample {
    #[inline]
    fn preferred(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones(self.preferred_set(state).into()).map(Action));
    }
}

impl Resample<State> for RockSample {
    /// Given the readings, the rocks are independent of each other.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let mut state = self.initial();
        state.phase = Phase::Act;
        for event in &view.events {
            let step = match *event {
                Event::Acted(action) if state.phase == Phase::Act => {
                    let legal = action.0 < 32 && self.legal_set(&state) >> action.0 & 1 == 1;
                    legal.then_some(action)?
                }
                Event::Observed(Observation(told)) if told > u64::from(READ_BAD) => {
                    matches!(state.phase, Phase::Read(_)).then(|| Action(told as u32 - 1))?
                }
                // The echo of the player's own action.
                _ => continue,
            };
            self.step(&mut state, &[step], &mut [0.0]);
        }
        for (rock, readings) in state.readings[..self.rocks.len()].iter().enumerate() {
            let good = rng.unit() < readings.good && state.uncollected >> rock & 1 == 1;
            state.good = with_bit(state.good, rock as u8, good);
        }
        Some(state)
    }
}

impl ViewKey<State> for RockSample {
    fn view_key(&self, state: &State, _: usize) -> u64 {
        state.seen
    }
}

impl Svg<State> for RockSample {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        let size = u32::from(self.size);
        let mut board = Board::new(size, size, self.caption(state), |_, _| LIGHT);
        for (rock, &(x, y)) in self.rocks.iter().enumerate() {
            if state.uncollected >> rock & 1 == 0 {
                continue;
            }
            let colour = match (viewer, state.phase, state.good >> rock & 1) {
                (Some(_), ..) | (_, Phase::Bury, _) => FAINT,
                (.., 1) => GOOD,
                _ => FIRST,
            };
            board.piece(x.into(), y.into(), colour);
            let (x, y) = board.centre(x.into(), y.into());
            board.picture.words(x, y - 5, 14, "#fff", RockSample::rock_symbol(rock));
            let likely = (100.0 * state.readings[rock].good).round();
            board.picture.words(x, y + 9, 10, "#fff", format_args!("{likely}%"));
        }
        if state.phase != Phase::Over {
            let (x, y) = board.centre(state.x.into(), state.y.into());
            for wheel in [-11, 0, 11] {
                board.picture.circle(x + wheel, y + 20, 4, INK);
            }
            board.picture.rect(x - 15, y + 10, 30, 8, 3, SECOND);
            board.picture.line((x - 8, y + 10), (x - 8, y + 2), 2, INK);
            board.picture.rect(x - 13, y - 1, 10, 5, 1, DARK);
        }
        board.picture.finish()
    }
}

#[cfg(test)]
mod tests;
