//! The game of some rules and a level: one player, who plays against chance if there is any.
//!
//! A tick is a choice of the player, then, where anything is random, one draw of a seed from which all of the tick's
//! own draws follow, and then what happens.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use kibitz_core::abilities::{Atoms, ShownChance, StateHash, Svg};
use kibitz_core::{Action, Game, Info, Observation, Rng, Turn};
use rustc_hash::FxHasher;

use crate::vgdl::picture;
use crate::vgdl::rules::Orientation;
use crate::vgdl::state::{Input, NEW, NO_PURSE, NOBODY, ORIENTED, STOPPED, State, World};
use crate::vgdl::tick::{Chance, can};

/// What a game that is won pays besides its score, and one that is lost costs: as much as the framework's own controllers
/// reckon with, and more than any score.
pub const OUTCOME: f64 = 1e7;
/// No score is farther from zero than this.
pub const MOST_SCORE: i32 = 1_000_000;
/// By how much good and bad play typically differ.
const SPREAD: f64 = 100.0;

/// What a player can do, by the number of the action, with its name.
pub(super) const INPUTS: [(Input, &str); 6] = [
    (Input::Nil, "wait"),
    (Input::Go(Orientation::UP), "up"),
    (Input::Go(Orientation::LEFT), "left"),
    (Input::Go(Orientation::DOWN), "down"),
    (Input::Go(Orientation::RIGHT), "right"),
    (Input::Use, "use"),
];

/// A video game.
pub struct VideoGame {
    world: World,
    info: Info,
    /// Whether to wait is offered beside other actions.
    waits: bool,
}

/// For ticks in which nothing is random: whatever may happen does.
struct Certain;

impl Chance for Certain {
    #[inline]
    fn below(&mut self, _: char, _: u32) -> u32 {
        0
    }

    #[inline]
    fn unit(&mut self, _: char) -> f64 {
        0.0
    }
}

impl VideoGame {
    /// The game of rules with a level.
    pub fn new(world: World) -> VideoGame {
        let most = f64::from(MOST_SCORE) + OUTCOME;
        let mut info = Info::new(1, -most, most);
        info.spread = SPREAD;
        info.outcome = Some(OUTCOME);
        info.explicit_chance = !world.is_random;
        info.horizon = Some((world.last_tick + 1) * (1 + u32::from(world.is_random)));
        VideoGame { world, info, waits: true }
    }

    /// The same, in which the player may wait where it may do something else, or may not.
    #[must_use]
    pub fn waiting(self, waits: bool) -> VideoGame {
        VideoGame { waits, ..self }
    }

    /// The rules and the level.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How many pairs of a cell and a type there are.
    fn places(&self) -> u32 {
        let level = &self.world.level;
        (level.width * level.height) as u32 * self.world.rules.kinds.len() as u32
    }

    /// The cell that the middle of a sprite is in, unless that is off the screen.
    fn cell(&self, x: i32, y: i32) -> Option<u32> {
        let level = &self.world.level;
        let cell = |place: i32| place.saturating_add(level.block / 2).div_euclid(level.block);
        let (column, row) = (cell(x), cell(y));
        let inside = (0..level.width).contains(&column) && (0..level.height).contains(&row);
        inside.then_some((row * level.width + column) as u32)
    }

    fn tick<C: Chance>(&self, state: &mut State, input: Input, chance: &mut C, rewards: &mut [f64]) {
        let before = state.score;
        self.world.tick(state, input, chance);
        state.score = state.score.clamp(-MOST_SCORE, MOST_SCORE);
        let outcome = state.won.map_or(0.0, |won| if won { OUTCOME } else { -OUTCOME });
        rewards[0] += f64::from(state.score - before) + outcome;
    }
}

/// What the player can do now, as numbers of [`INPUTS`].
pub(super) fn available(world: &World, state: &State) -> impl Iterator<Item = usize> {
    let avatar = state.sprites.get(state.avatar as usize).and_then(|sprite| world.avatar(sprite.kind));
    let is_there =
        move |number: &usize| *number == 0 || avatar.is_some_and(|avatar| can(avatar, INPUTS[*number].0));
    (0..INPUTS.len()).filter(is_there)
}

impl Game for VideoGame {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        self.world.initial()
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match (state.won, state.chosen) {
            (Some(_), _) => Turn::Over,
            (None, Some(_)) => Turn::Chance,
            (None, None) => Turn::One(0),
        }
    }

    fn legal(&self, state: &State, _player: usize, actions: &mut Vec<Action>) {
        let there = available(&self.world, state).filter(|number| self.waits || *number != 0);
        actions.extend(there.map(|number| Action(number as u32)));
        if actions.is_empty() {
            actions.push(Action(0));
        }
    }

    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        match state.chosen.take() {
            Some(input) => self.tick(state, input, &mut Rng::new(joint[0].0.into()), rewards),
            None => {
                let input = INPUTS.get(joint[0].0 as usize).map_or(Input::Nil, |(input, _)| *input);
                if self.world.is_random {
                    state.chosen = Some(input);
                } else {
                    self.tick(state, input, &mut Certain, rewards);
                }
            }
        }
    }

    fn draw(&self, _: &State, rng: &mut Rng) -> Action {
        Action((rng.bits() >> 32) as u32)
    }

    fn action_name(&self, _: &State, player: Option<usize>, action: Action) -> String {
        match player {
            None => format!("seed {}", action.0),
            Some(_) => {
                INPUTS.get(action.0 as usize).map_or_else(String::new, |(_, name)| (*name).to_owned())
            }
        }
    }

    fn text(&self, state: &State, _viewer: Option<usize>) -> String {
        picture::text(&self.world, state)
    }

    kibitz_core::abilities!(hash, shown_chance, picture, atoms);
}

impl StateHash<State> for VideoGame {
    fn hash(&self, state: &State) -> u64 {
        let mut hasher = FxHasher::default();
        (state.tick, state.avatar, state.won, state.chosen).hash(&mut hasher);
        let resources = self.world.rules.resources.len();
        for sprite in &state.sprites {
            let place = u64::from(sprite.x as u32) << 32 | u64::from(sprite.y as u32);
            let still = sprite.still.min(self.world.kind(sprite.kind).cooldown);
            let flags = sprite.flags & (NEW | ORIENTED | STOPPED) | sprite.orientation.0 << 4;
            let rest =
                u64::from(sprite.kind) << 48 | u64::from(still) << 32 | u64::from(sprite.count) << 16;
            (place, rest | u64::from(flags), sprite.row_y - sprite.y).hash(&mut hasher);
            // Elsewhere the next update overwrites it.
            if !self.world.updated[usize::from(sprite.kind)] {
                sprite.last.hash(&mut hasher);
            }
            if sprite.purse != NO_PURSE {
                let purse = usize::from(sprite.purse) * resources;
                state.purses[purse..purse + resources].hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

/// Everybody is told the seed.
impl ShownChance<State> for VideoGame {
    fn shown(&self, _: &State, told: Observation) -> Option<Action> {
        let seed = u32::try_from(told.0.checked_sub(1)?).ok()?;
        Some(Action(seed))
    }
}

impl Svg<State> for VideoGame {
    fn svg(&self, state: &State, _viewer: Option<usize>) -> String {
        picture::svg(&self.world, state)
    }
}

/// at(cell, type), and for avatars avatar(cell, orientation, type). What is off the screen is nowhere.
impl Atoms<State> for VideoGame {
    fn atom_count(&self) -> u32 {
        self.places() * 7
    }

    fn atoms(&self, state: &State, atoms: &mut Vec<u32>) {
        let (level, places) = (&self.world.level, self.places());
        let cells = (level.width * level.height) as u32;
        for (number, sprite) in state.sprites.iter().enumerate() {
            let Some(cell) = self.cell(sprite.x, sprite.y) else { continue };
            let is_avatar = state.avatar != NOBODY && number == state.avatar as usize;
            let kind_of_atom = if is_avatar { 1 + u32::from(sprite.orientation.0) } else { 0 };
            atoms.push(cell + cells * u32::from(sprite.kind) + places * kind_of_atom);
        }
    }

    /// Those of the avatar.
    fn own_atoms(&self) -> Range<u32> {
        self.places()..self.places() * 7
    }

    /// The avatar's cell.
    fn place(&self, state: &State) -> Option<u64> {
        let avatar = state.sprites.get(state.avatar as usize)?;
        self.cell(avatar.x, avatar.y).map(u64::from)
    }
}
