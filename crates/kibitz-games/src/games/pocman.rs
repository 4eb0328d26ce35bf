//! Pocman (Silver and Veness, 2010): a Pac-Man who knows the maze but sees ghosts only in a straight line.
//!
//! The rules, the maze and the preferred actions are those of their program, with differences that do not
//! change how a game goes. Walls cannot be walked into (there it costs 25, and no planner tries). Whether
//! there is food on a square is drawn when pocman first comes near enough to smell it, not at the beginning;
//! a belief need not guess then what nobody can know. And what a step of the ghosts pays is discounted like
//! the move after it.

use kibitz_core::abilities::{Preferred, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::bits::ones;
use crate::draw::square_name;

mod ghosts;
mod maze;
mod picture;

use ghosts::{CHOICES, Ghost};
use maze::{GHOSTS, Maze, NOWHERE, Squares};

register_game!("pocman", PocmanParams, Pocman::new);

params! {
    /// Eat all food of a maze; ghosts are seen in a straight line, heard nearby and eaten after a power pill.
    pub struct PocmanParams {
        /// Columns: 17 for the paper's maze with its four ghosts, 7 for a small one with one ghost.
        pub size: u32 = 17, in 7..=17;
    }
}

const DISCOUNT: f64 = 0.95;
const STEP_COST: f64 = 1.0;
const DEATH_COST: f64 = 100.0;
const FOOD: f64 = 10.0;
const GHOST: f64 = 25.0;
const ALL_FOOD: f64 = 1000.0;
/// Moves for which a power pill lasts.
const POWER: u8 = 15;

const WAYS: [&str; 4] = ["north", "east", "south", "west"];
/// No direction.
const NONE: u8 = 4;

// What pocman is told: ghosts seen to the north, east, south and west, ways open there, then these.
const SMELL: u16 = 1 << 8;
const HEAR: u16 = 1 << 9;
const CAUGHT: u16 = 1 << 10;
const CLEARED: u16 = 1 << 11;

/// The rules.
pub struct Pocman {
    info: Info,
    maze: Maze,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Move,
    /// Food is served where pocman has come near, each place getting some with probability one half.
    Serve,
    Haunt,
    Over,
}

/// Pocman, the ghosts and the food; and what pocman was told last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    phase: Phase,
    pocman: u8,
    /// Where pocman went last, or NONE.
    went: u8,
    /// Moves for which pocman is stronger than the ghosts.
    power: u8,
    ghosts: [Ghost; GHOSTS],
    food: Squares,
    /// Places of which it is decided whether there is, or was, food.
    served: Squares,
    visited: Squares,
    told: u16,
    seen: u64,
}

impl Pocman {
    fn new(params: PocmanParams) -> Result<Pocman, String> {
        let maze = match params.size {
            17 => Maze::full(),
            7 => Maze::small(),
            other => {
                return Err(format!("there is a maze of 17 columns and one of 7, but none of {other}"));
            }
        };
        let moves = 1.0 / (1.0 - DISCOUNT);
        let info = Info {
            // The unit of exploration of the paper's program.
            spread: 100.0,
            discount: DISCOUNT,
            perfect_information: false,
            ..Info::new(1, -STEP_COST * moves - DEATH_COST, (FOOD + GHOST) * moves + ALL_FOOD)
        };
        Ok(Pocman { info, maze })
    }

    /// The places around pocman of which it is not yet decided whether there is food.
    #[inline]
    fn unserved(&self, state: &State) -> Squares {
        let nearby = self.maze.square(state.pocman).smell;
        nearby.and(&self.maze.food).without(&state.served)
    }

    /// The ways that are open, as bits.
    #[inline]
    fn open(&self, state: &State) -> u16 {
        let next = self.maze.square(state.pocman).next;
        next.iter().enumerate().map(|(way, next)| u16::from(*next != NOWHERE) << way).sum()
    }

    fn serve(&self, state: &mut State, outcome: u32) {
        for (place, square) in self.unserved(state).iter().enumerate() {
            state.served.add(square);
            if outcome >> place & 1 == 1 {
                state.food.add(square);
            }
        }
        state.told = self.smell(state);
        state.phase = Phase::Haunt;
    }

    #[inline]
    fn smell(&self, state: &State) -> u16 {
        if self.maze.square(state.pocman).smell.meets(&state.food) { SMELL } else { 0 }
    }

    /// The ghosts move, what happens then happens, and pocman is told of it.
    #[inline]
    fn haunt(&self, state: &mut State, outcome: u32, rewards: &mut [f64]) {
        let mut met = None;
        let mut choices = outcome;
        for (number, ghost) in state.ghosts[..self.maze.ghosts.len()].iter_mut().enumerate() {
            let before = ghost.square;
            ghost.follow(&self.maze, choices % CHOICES);
            choices /= CHOICES;
            if before == state.pocman || ghost.square == state.pocman {
                met = Some(number);
            }
        }
        state.phase = Phase::Move;
        match met {
            Some(_) if state.power == 0 => {
                rewards[0] -= DEATH_COST;
                state.told = CAUGHT;
                state.phase = Phase::Over;
                return;
            }
            Some(number) => {
                rewards[0] += GHOST;
                state.ghosts[number] = Ghost::at(self.maze.ghosts[0]);
            }
            None => {}
        }
        state.told = self.senses(state);
        self.eat(state, rewards);
    }

    #[inline]
    fn senses(&self, state: &State) -> u16 {
        let here = self.maze.square(state.pocman);
        let mut ghosts = Squares::default();
        state.ghosts[..self.maze.ghosts.len()].iter().for_each(|ghost| ghosts.add(ghost.square));
        let seen = here.sight.iter().enumerate().map(|(way, line)| u16::from(line.meets(&ghosts)) << way);
        let heard = if here.hearing.meets(&ghosts) { HEAR } else { 0 };
        seen.sum::<u16>() | self.open(state) << 4 | self.smell(state) | heard
    }

    #[inline]
    fn eat(&self, state: &mut State, rewards: &mut [f64]) {
        state.visited.add(state.pocman);
        if !state.food.has(state.pocman) {
            return;
        }
        state.food.remove(state.pocman);
        if state.food.is_empty() && self.maze.food.without(&state.served).is_empty() {
            rewards[0] += ALL_FOOD;
            state.told = CLEARED;
            state.phase = Phase::Over;
            return;
        }
        rewards[0] += FOOD;
        if self.maze.pills.has(state.pocman) {
            state.power = POWER;
        }
    }

    #[inline]
    fn preferred_ways(&self, state: &State) -> u16 {
        let (open, ghosts) = (self.open(state), state.told & 15);
        if state.went == NONE {
            return open;
        }
        if state.power > 0 && ghosts != 0 {
            return ghosts;
        }
        let back = 1 << ((state.went + 2) & 3);
        match open & !ghosts & !back {
            0 => open,
            ways => ways,
        }
    }
}

fn words_of(told: u16) -> String {
    if told & CAUGHT != 0 {
        return "caught by a ghost".to_owned();
    }
    if told & CLEARED != 0 {
        return "all food eaten".to_owned();
    }
    if told >> 4 & 15 == 0 {
        return if told & SMELL != 0 { "smells food" } else { "smells no food" }.to_owned();
    }
    let list = |bits: u16| {
        let ways: Vec<&str> = ones(u64::from(bits & 15)).map(|way| WAYS[way as usize]).collect();
        ways.join(", ")
    };
    let mut words = vec![format!("open {}", list(told >> 4))];
    if told & 15 != 0 {
        words.push(format!("sees ghosts {}", list(told)));
    }
    if told & HEAR != 0 {
        words.push("hears a ghost".to_owned());
    }
    if told & SMELL != 0 {
        words.push("smells food".to_owned());
    }
    words.join("; ")
}

impl Game for Pocman {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        let mut ghosts = [Ghost::at(NOWHERE); GHOSTS];
        for (ghost, square) in ghosts.iter_mut().zip(&self.maze.ghosts) {
            *ghost = Ghost::at(*square);
        }
        let food = self.maze.pills;
        State {
            phase: Phase::Move,
            pocman: self.maze.start,
            went: NONE,
            power: 0,
            ghosts,
            food,
            served: food,
            visited: Squares::default(),
            told: 0,
            seen: view_seed(0),
        }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Serve | Phase::Haunt => Turn::Chance,
            Phase::Move => Turn::One(0),
            Phase::Over => Turn::Over,
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones(self.open(state).into()).map(Action));
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        if state.phase == Phase::Serve {
            let sets = 1u32 << self.unserved(state).len();
            outcomes.extend((0..sets).map(|set| (Action(set), 1.0 / f64::from(sets))));
            return;
        }
        outcomes.push((Action(0), 1.0));
        let mut unit = 1;
        for ghost in &state.ghosts[..self.maze.ghosts.len()] {
            let choices = ghost.choices(&self.maze, state.pocman, state.power > 0);
            let before = std::mem::take(outcomes);
            for (Action(others), p) in before {
                let each = choices.iter().enumerate().filter(|(_, q)| **q > 0.0);
                outcomes.extend(each.map(|(choice, q)| (Action(others + unit * choice as u32), p * q)));
            }
            unit *= CHOICES;
        }
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        if state.phase == Phase::Serve {
            return Action(rng.below(1 << self.unserved(state).len()));
        }
        let mut outcome = 0;
        for ghost in state.ghosts[..self.maze.ghosts.len()].iter().rev() {
            outcome = outcome * CHOICES + ghost.draw(&self.maze, state.pocman, state.power > 0, rng);
        }
        Action(outcome)
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0;
        match state.phase {
            Phase::Move => {
                rewards[0] -= STEP_COST;
                state.pocman = self.maze.square(state.pocman).next[chosen as usize & 3];
                state.went = chosen as u8;
                state.power = state.power.saturating_sub(1);
                state.phase = if self.unserved(state).is_empty() { Phase::Haunt } else { Phase::Serve };
                state.seen = after_action(state.seen, joint[0]);
                return;
            }
            Phase::Serve => self.serve(state, chosen),
            Phase::Haunt => self.haunt(state, chosen, rewards),
            Phase::Over => return,
        }
        state.seen = after_observation(state.seen, Observation(u64::from(state.told) + 1));
    }

    /// Pocman smells where food was served, and is told what all senses say when the ghosts have moved.
    #[inline]
    fn observe(&self, after: &State, turn: Turn, _: &[Action], _: usize) -> Observation {
        match turn {
            Turn::Chance => Observation(u64::from(after.told) + 1),
            _ => Observation::SILENT,
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.observe(after, turn, joint, 0)
    }

    fn observation_name(&self, step: &Transition<State>, _: usize) -> String {
        let Transition { after, .. } = *step;
        words_of(after.told)
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        if player.is_some() {
            return WAYS[action.0 as usize & 3].to_owned();
        }
        if state.phase == Phase::Serve {
            let unserved = self.unserved(state);
            let food = unserved.iter().enumerate().filter(|(place, _)| action.0 >> place & 1 == 1);
            let names: Vec<String> = food.map(|(_, square)| self.square_name(square)).collect();
            return if names.is_empty() {
                "no food".to_owned()
            } else {
                format!("food {}", names.join(" "))
            };
        }
        let mut choices = action.0;
        let mut names = Vec::new();
        for letter in ('A'..).take(self.maze.ghosts.len()) {
            names.push(format!("{letter} {}", ghosts::choice_name(choices % CHOICES)));
            choices /= CHOICES;
        }
        names.join(", ")
    }

    fn player_name(&self, _: usize) -> String {
        "pocman".to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_text(state, viewer)
    }

    abilities!(hash, preferred, view_key, picture);
}

impl StateHash<State> for Pocman {
    fn hash(&self, state: &State) -> u64 {
        let phase = match state.phase {
            Phase::Move => 0,
            Phase::Haunt => 1,
            Phase::Over => 2,
            Phase::Serve => 3,
        };
        let own = phase << 16 | u64::from(state.power) << 8 | u64::from(state.pocman);
        let ghosts = state.ghosts.iter().fold(0, |key, ghost| key << 16 | ghost.key());
        let places = state.food.words().into_iter().chain(state.served.words());
        places.fold(derive(own, ghosts), derive)
    }
}

impl Preferred<State> for Pocman {
    #[inline]
    fn preferred(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(ones(self.preferred_ways(state).into()).map(Action));
    }
}

impl ViewKey<State> for Pocman {
    fn view_key(&self, state: &State, _: usize) -> u64 {
        state.seen
    }
}

impl Svg<State> for Pocman {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_svg(state, viewer)
    }
}

impl Pocman {
    fn square_name(&self, square: u8) -> String {
        let square = self.maze.square(square);
        square_name(square.column, square.row)
    }
}

#[cfg(test)]
mod tests;
