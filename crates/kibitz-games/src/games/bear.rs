//! The bear in the woods: a hiker meets a bear of unknown species, the smallest game in which a
//! belief about the opponent's kind decides what to do.

use kibitz_core::abilities::{StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, hash_bytes};
use kibitz_core::view::{after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::draw::{FAINT, GOOD, INK, Picture};

register_game!("bear", BearParams, |params| Ok(Bear::new(params)));

params! {
    /// Climb the tree or intimidate the bear: is it a black bear or a grizzly?
    pub struct BearParams {
        /// How likely the bear is a black bear, which climbs; else it is a grizzly, which does not.
        pub black: f64 = 0.4, in 0.0..=1.0;
        /// How likely climbing the tree succeeds.
        pub climb: f64 = 0.5, in 0.0..=1.0;
        /// How likely a black bear is intimidated.
        pub intimidate_black: f64 = 0.4, in 0.0..=1.0;
        /// How likely a grizzly is intimidated.
        pub intimidate_grizzly: f64 = 0.3, in 0.0..=1.0;
    }
}

const HIKER: usize = 0;
const BEAR: usize = 1;

// What happens in each of the four steps; numbered apart, so that a number alone tells the step.
const BLACK: u8 = 0;
const GRIZZLY: u8 = 1;
const CLIMB: u8 = 2;
const INTIMIDATE: u8 = 3;
const SUCCEED: u8 = 4;
const FAIL: u8 = 5;
const ATTACK: u8 = 6;
const LEAVE: u8 = 7;
const NAMES: [&str; 8] =
    ["black bear", "grizzly", "climb", "intimidate", "success", "failure", "attack", "leave"];

/// All that the hiker is told of the bear at first.
const A_BEAR: Observation = Observation(100);

/// The rules.
pub struct Bear {
    info: Info,
    chances: BearParams,
}

/// The steps taken so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    steps: [u8; 4],
    taken: u8,
}

impl Bear {
    fn new(chances: BearParams) -> Bear {
        let info = Info {
            horizon: Some(4),
            zero_sum: true,
            perfect_information: false,
            paid_at_end: true,
            simultaneous: Some(false),
            ..Info::new(2, -1.0, 1.0)
        };
        Bear { info, chances }
    }

    /// The outcome that chance decides about, the alternative being the next one, and how likely
    /// it is.
    fn gamble(&self, state: &State) -> (u8, f64) {
        match (state.taken, state.steps) {
            (0, _) => (BLACK, self.chances.black),
            (_, [_, CLIMB, ..]) => (SUCCEED, self.chances.climb),
            (_, [BLACK, ..]) => (SUCCEED, self.chances.intimidate_black),
            _ => (SUCCEED, self.chances.intimidate_grizzly),
        }
    }
}

impl State {
    fn steps(&self) -> &[u8] {
        &self.steps[..usize::from(self.taken)]
    }

    fn bear_can_attack(&self) -> bool {
        matches!(self.steps, [_, _, FAIL, _] | [BLACK, CLIMB, SUCCEED, _])
    }

    fn told(&self, step: usize, player: usize) -> Observation {
        if step == 0 && player == HIKER { A_BEAR } else { Observation(u64::from(self.steps[step]) + 1) }
    }

    /// What has happened, in a sentence.
    fn story(&self, viewer: Option<usize>) -> String {
        let parts = self.steps().iter().enumerate().map(|(step, &what)| match what {
            _ if step == 0 && viewer == Some(HIKER) => "a bear of unknown species",
            BLACK => "a black bear",
            GRIZZLY => "a grizzly",
            CLIMB => "the hiker climbs",
            INTIMIDATE => "the hiker shouts",
            SUCCEED => "with success",
            FAIL => "in vain",
            ATTACK => "the bear attacks",
            _ => "the bear leaves",
        });
        let parts: Vec<&str> = parts.collect();
        if parts.is_empty() { "a walk in the woods".to_owned() } else { parts.join(", ") }
    }
}

impl Game for Bear {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { steps: [0; 4], taken: 0 }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.taken {
            0 | 2 => Turn::Chance,
            1 => Turn::One(HIKER),
            3 => Turn::One(BEAR),
            _ => Turn::Over,
        }
    }

    fn legal(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        let choices: &[u8] = match player {
            HIKER => &[CLIMB, INTIMIDATE],
            _ if state.bear_can_attack() => &[ATTACK, LEAVE],
            _ => &[LEAVE],
        };
        actions.extend(choices.iter().map(|&choice| Action(u32::from(choice))));
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let (first, probability) = self.gamble(state);
        let both = [(first, probability), (first + 1, 1.0 - probability)];
        let possible = both.into_iter().filter(|(_, p)| *p > 0.0);
        outcomes.extend(possible.map(|(outcome, p)| (Action(u32::from(outcome)), p)));
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        let (first, probability) = self.gamble(state);
        Action(u32::from(first) + u32::from(rng.unit() >= probability))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let what = joint[0].0 as u8;
        state.steps[usize::from(state.taken)] = what;
        state.taken += 1;
        if state.taken == 4 {
            let survived = if what == LEAVE { 1.0 } else { -1.0 };
            rewards[HIKER] += survived;
            rewards[BEAR] -= survived;
        }
    }

    #[inline]
    fn observe(&self, after: &State, _: Turn, _: &[Action], player: usize) -> Observation {
        after.told(usize::from(after.taken) - 1, player)
    }

    fn observe_public(&self, after: &State, _: Turn, _: &[Action]) -> Observation {
        after.told(usize::from(after.taken) - 1, HIKER)
    }

    fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
        let Transition { before, after, turn, joint } = *step;
        let name = NAMES[joint[0].0 as usize];
        match turn {
            Turn::One(mover) => format!("{} {name}", self.player_name(mover)),
            _ if before.taken == 0 && player == HIKER => after.story(Some(HIKER)),
            _ => name.to_owned(),
        }
    }

    fn action_name(&self, _: &State, _: Option<usize>, action: Action) -> String {
        NAMES[action.0 as usize].to_owned()
    }

    fn player_name(&self, player: usize) -> String {
        ["hiker", "bear"][player].to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        state.story(viewer) + "\n"
    }

    abilities!(hash, view_key, picture);
}

impl StateHash<State> for Bear {
    fn hash(&self, state: &State) -> u64 {
        hash_bytes(state.steps())
    }
}

impl ViewKey<State> for Bear {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        let mut key = view_seed(player);
        for (step, &what) in state.steps().iter().enumerate() {
            if step == 2 * player + 1 {
                key = after_action(key, Action(u32::from(what)));
            }
            key = after_observation(key, state.told(step, player));
        }
        key
    }
}

impl Svg<State> for Bear {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        const TRUNK: &str = "#7a5532";
        const SHIRT: &str = "#c8443a";
        const SKIN: &str = "#e8b88f";
        let mut picture = Picture::new(420, 200);
        picture.rect(12, 146, 396, 8, 4, GOOD);
        picture.rect(86, 66, 14, 82, 3, TRUNK);
        for (x, y) in [(93, 42), (70, 58), (116, 58)] {
            picture.circle(x, y, 26, GOOD);
        }
        let up = matches!(state.steps(), [_, CLIMB, SUCCEED, ..]);
        let (x, y) = if up { (93, 44) } else { (150, 116) };
        picture.rect(x - 8, y, 16, 30, 6, SHIRT);
        picture.circle(x, y - 8, 9, SKIN);
        if let Some(&species) = state.steps().first() {
            let fur = match (viewer, species) {
                (Some(HIKER), _) => FAINT,
                (_, BLACK) => INK,
                _ => TRUNK,
            };
            let left = state.steps().last() == Some(&LEAVE);
            let x = if left { 370 } else { 270 };
            for ear in [-15, 15] {
                picture.circle(x + ear, 72, 8, fur);
            }
            picture.rect(x - 30, 88, 60, 60, 24, fur);
            picture.circle(x, 88, 24, fur);
            for eye in [-8, 8] {
                picture.circle(x + eye, 82, 3, "#fff");
            }
            picture.circle(x, 96, 6, SKIN);
            if viewer == Some(HIKER) {
                picture.words(x, 128, 22, "#fff", "?");
            }
        }
        picture.words(210, 178, 12, INK, state.story(viewer));
        picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{play, returns};

    /// The hiker's value of a state when the bear attacks wherever it can.
    fn value(game: &Bear, state: &State, choice: u8) -> f64 {
        let after = |action: Action| {
            let (mut next, mut rewards) = (*state, [0.0; 2]);
            game.step(&mut next, &[action], &mut rewards);
            rewards[HIKER] + value(game, &next, choice)
        };
        match game.turn(state) {
            Turn::Over => 0.0,
            Turn::One(HIKER) => after(Action(u32::from(choice))),
            Turn::One(_) => {
                let mut legal = Vec::new();
                game.legal(state, BEAR, &mut legal);
                legal.into_iter().map(after).fold(f64::INFINITY, f64::min)
            }
            _ => {
                let mut outcomes = Vec::new();
                game.chance(state, &mut outcomes);
                outcomes.into_iter().map(|(outcome, p)| p * after(outcome)).sum()
            }
        }
    }

    #[test]
    fn has_the_values_of_the_thesis() {
        let game = Bear::new(BearParams::default());
        let value = |choice| value(&game, &game.initial(), choice);
        assert!((value(INTIMIDATE) + 0.32).abs() < 1e-12, "{}", value(INTIMIDATE));
        assert!((value(CLIMB) + 0.4).abs() < 1e-12, "{}", value(CLIMB));
    }

    #[test]
    fn only_a_black_bear_follows_up_the_tree() {
        let game = Bear::new(BearParams::default());
        assert_eq!(returns(&game, "black_bear climb success attack"), [-1.0, 1.0]);
        assert_eq!(returns(&game, "grizzly intimidate failure leave"), [1.0, -1.0]);
        let safe = play(&game, "grizzly climb success");
        let mut legal = Vec::new();
        game.legal(&safe, BEAR, &mut legal);
        assert_eq!(legal, [Action(u32::from(LEAVE))]);
        assert_eq!(
            game.text(&safe, Some(HIKER)),
            "a bear of unknown species, the hiker climbs, with success\n"
        );
    }
}
