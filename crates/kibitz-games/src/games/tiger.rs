//! The tiger problem (Kaelbling, Littman and Cassandra, 1998): a tiger is behind one of two doors,
//! and listening tells imperfectly which.

use kibitz_core::abilities::{Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::draw::{DARK, FAINT, GOOD, INK, LIGHT, Picture};

register_game!("tiger", TigerParams, Tiger::new);

params! {
    /// Listen, or open one of two doors: a tiger is behind one of them.
    pub struct TigerParams {
        /// How often listening tells the right side.
        pub accuracy: f64 = 0.85, in 0.0..=1.0;
        /// A reward t actions ahead counts this to the power of t.
        pub discount: f64 = 0.95, in 0.0..=1.0;
        /// The player's actions after which the game is over; 0 for never.
        pub horizon: u32 = 0, in 0..=1_000_000;
    }
}

const LISTEN_COST: f64 = 1.0;
const TIGER_COST: f64 = 100.0;
const TREASURE: f64 = 10.0;
const SIDES: [&str; 2] = ["left", "right"];

// Actions and outcomes of chance are numbered apart, so that a number alone tells what happened.
const LISTEN: u32 = 0;
const OPEN: u32 = 1;
const PLACE: u32 = 3;
const HEAR: u32 = 5;

/// The rules.
pub struct Tiger {
    info: Info,
    accuracy: f64,
    horizon: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Place,
    Act,
    Hear,
    Over,
}

/// Where the tiger is (0 is left), and what the player has done and heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    phase: Phase,
    tiger: u8,
    /// How often each side was heard since the doors were last closed.
    heard: [u32; 2],
    taken: u32,
    seen: u64,
}

impl Tiger {
    fn new(params: TigerParams) -> Result<Tiger, String> {
        let TigerParams { accuracy, discount, horizon } = params;
        if horizon == 0 && discount == 1.0 {
            return Err("without a horizon the discount must be below 1".to_owned());
        }
        // The worth of one unit at every action.
        let (mut units, mut weight) = (0.0, 1.0);
        for _ in 0..horizon {
            units += weight;
            weight *= discount;
        }
        if horizon == 0 {
            units = 1.0 / (1.0 - discount);
        }
        let info = Info {
            spread: TREASURE + TIGER_COST,
            discount,
            // The tiger is placed, then a step of chance follows each action but the last.
            horizon: (horizon > 0).then_some(2 * horizon),
            perfect_information: false,
            ..Info::new(1, -TIGER_COST * units, TREASURE * units)
        };
        Ok(Tiger { info, accuracy, horizon })
    }

    fn tiger(&self, state: &State, viewer: Option<usize>) -> &'static str {
        match (state.phase, viewer) {
            (Phase::Place, None) => "nowhere yet",
            (_, None) => SIDES[usize::from(state.tiger)],
            _ => "?",
        }
    }

    fn heard(&self, state: &State) -> String {
        format!("heard left {}, right {}", state.heard[0], state.heard[1])
    }
}

impl Game for Tiger {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { phase: Phase::Place, tiger: 0, heard: [0, 0], taken: 0, seen: view_seed(0) }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Place | Phase::Hear => Turn::Chance,
            Phase::Act => Turn::One(0),
            Phase::Over => Turn::Over,
        }
    }

    fn legal(&self, _: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend([LISTEN, OPEN, OPEN + 1].map(Action));
    }

    #[inline]
    fn random_action(&self, _: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        Action(rng.below(3))
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let both = match state.phase {
            Phase::Place => [(PLACE, 0.5), (PLACE + 1, 0.5)],
            _ => {
                let tiger = u32::from(state.tiger);
                [(HEAR + tiger, self.accuracy), (HEAR + 1 - tiger, 1.0 - self.accuracy)]
            }
        };
        outcomes
            .extend(both.into_iter().filter(|(_, p)| *p > 0.0).map(|(outcome, p)| (Action(outcome), p)));
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        match state.phase {
            Phase::Place => Action(PLACE + rng.below(2)),
            _ => {
                let wrong = u32::from(rng.unit() >= self.accuracy);
                Action(HEAR + (u32::from(state.tiger) ^ wrong))
            }
        }
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0;
        match state.phase {
            Phase::Place => {
                state.tiger = (chosen - PLACE) as u8;
                state.phase = Phase::Act;
            }
            Phase::Hear => {
                state.heard[(chosen - HEAR) as usize & 1] += 1;
                state.phase = Phase::Act;
                state.seen = after_observation(state.seen, Observation::of_joint(joint));
            }
            Phase::Act => {
                if chosen == LISTEN {
                    rewards[0] -= LISTEN_COST;
                    state.phase = Phase::Hear;
                } else {
                    let tiger = chosen - OPEN == u32::from(state.tiger);
                    rewards[0] += if tiger { -TIGER_COST } else { TREASURE };
                    state.heard = [0, 0];
                    state.phase = Phase::Place;
                }
                state.taken += 1;
                if state.taken == self.horizon {
                    state.phase = Phase::Over;
                }
                let acted = after_action(state.seen, joint[0]);
                state.seen = after_observation(acted, Observation::of_joint(joint));
            }
            Phase::Over => {}
        }
    }

    #[inline]
    fn observe(&self, _: &State, _: Turn, joint: &[Action], _: usize) -> Observation {
        match joint[0].0 {
            PLACE..HEAR => Observation::SILENT,
            _ => Observation::of_joint(joint),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.observe(after, turn, joint, 0)
    }

    fn action_name(&self, _: &State, _: Option<usize>, action: Action) -> String {
        let side = |first: u32| SIDES[(action.0 - first) as usize & 1];
        match action.0 {
            LISTEN => "listen".to_owned(),
            OPEN..PLACE => format!("open {}", side(OPEN)),
            PLACE..HEAR => format!("tiger {}", side(PLACE)),
            _ => format!("hear {}", side(HEAR)),
        }
    }

    fn player_name(&self, _: usize) -> String {
        "listener".to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        let tiger = self.tiger(state, viewer);
        format!("[left] [right]  tiger: {tiger}\n{} since the doors closed\n", self.heard(state))
    }

    abilities!(hash, resampling, view_key, picture);
}

impl StateHash<State> for Tiger {
    fn hash(&self, state: &State) -> u64 {
        let time = if self.horizon > 0 { state.taken } else { 0 };
        let tiger = if state.phase == Phase::Place { 0 } else { state.tiger };
        derive(u64::from(time), (state.phase as u64) << 1 | u64::from(tiger))
    }
}

impl Resample<State> for Tiger {
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        // What was heard before the doors were last opened says nothing about the tiger now.
        let mut state = self.initial();
        state.phase = Phase::Act;
        for event in &view.events {
            let told = match event {
                Event::Acted(action) => action.0,
                Event::Observed(Observation(key)) => u32::try_from(key.checked_sub(1)?).ok()?,
                Event::Passed(_) => return None,
            };
            let news = match (event, told) {
                (Event::Acted(_), _) => true,
                (_, told) => told >= HEAR,
            };
            if news {
                self.step(&mut state, &[Action(told)], &mut [0.0]);
            }
            if state.phase == Phase::Place {
                state.phase = Phase::Act;
            }
        }
        let [left, right] = state.heard.map(|count| count.min(1 << 20) as i32);
        let odds = (self.accuracy / (1.0 - self.accuracy)).powi(left - right);
        let left = if odds.is_nan() { 0.5 } else { 1.0 - 1.0 / (1.0 + odds) };
        state.tiger = u8::from(rng.unit() >= left);
        Some(state)
    }
}

impl ViewKey<State> for Tiger {
    fn view_key(&self, state: &State, _: usize) -> u64 {
        state.seen
    }
}

impl Svg<State> for Tiger {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        let mut picture = Picture::new(220, 190);
        let tiger = self.tiger(state, viewer);
        for (x, side) in [(64, "left"), (156, "right")] {
            picture.rect(x - 34, 16, 68, 116, 4, INK);
            picture.rect(x - 30, 20, 60, 112, 3, DARK);
            picture.circle(x + 22, 80, 4, LIGHT);
            match tiger {
                "?" => picture.words(x, 70, 32, INK, "?"),
                _ if tiger == side => tiger_face(&mut picture, x, 66),
                "left" | "right" => picture.circle(x, 66, 12, GOOD),
                _ => {}
            }
            picture.words(x, 146, 12, FAINT, side);
        }
        picture.words(110, 172, 13, INK, self.heard(state));
        picture.finish()
    }
}

fn tiger_face(picture: &mut Picture, x: i32, y: i32) {
    const ORANGE: &str = "#e8872e";
    for ear in [-14, 14] {
        picture.circle(x + ear, y - 14, 7, ORANGE);
    }
    picture.circle(x, y, 20, ORANGE);
    for eye in [-7, 7] {
        picture.circle(x + eye, y - 3, 3, INK);
        picture.line((x + 2 * eye, y + 4), (x + 2 * eye + eye / 2, y + 3), 2, INK);
        picture.line((x + 2 * eye, y + 9), (x + 2 * eye + eye / 2, y + 10), 2, INK);
    }
    picture.line((x, y - 18), (x, y - 11), 2, INK);
    picture.line((x - 3, y + 8), (x + 3, y + 8), 3, INK);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiger(spec: &str) -> Result<Tiger, String> {
        use kibitz_core::params::Params;
        let params = TigerParams::from_spec(&spec.parse().unwrap()).map_err(|error| error.to_string())?;
        Tiger::new(params)
    }

    fn walk(game: &Tiger, steps: &[u32]) -> (State, View, f64) {
        let (mut state, mut view, mut rewards) = (game.initial(), View::new(0), [0.0]);
        for &step in steps {
            let turn = game.turn(&state);
            game.step(&mut state, &[Action(step)], &mut rewards);
            if turn == Turn::One(0) {
                view.events.push(Event::Acted(Action(step)));
            }
            let told = game.observe(&state, turn, &[Action(step)], 0);
            if told != Observation::SILENT {
                view.events.push(Event::Observed(told));
            }
        }
        (state, view, rewards[0])
    }

    #[test]
    fn pays_as_the_paper_says() {
        let game = tiger("tiger").unwrap();
        let (state, _, total) = walk(&game, &[PLACE, LISTEN, HEAR, OPEN + 1, PLACE + 1, OPEN + 1, PLACE]);
        assert_eq!(total, -1.0 + 10.0 - 100.0);
        assert_eq!(game.turn(&state), Turn::One(0));
        assert_eq!((game.info().min_return.round(), game.info().max_return.round()), (-2000.0, 200.0));
    }

    #[test]
    fn a_horizon_ends_it() {
        let game = tiger("tiger(horizon=2, discount=1)").unwrap();
        let (state, _, _) = walk(&game, &[PLACE, LISTEN, HEAR, LISTEN]);
        assert_eq!(game.turn(&state), Turn::Over);
        assert_eq!((game.info().horizon, game.info().min_return), (Some(4), -200.0));
        let error = tiger("tiger(discount=1)").err().unwrap();
        assert_eq!(error, "without a horizon the discount must be below 1");
    }

    #[test]
    fn resampling_follows_bayes() {
        let game = tiger("tiger").unwrap();
        let before = [PLACE, LISTEN, HEAR, LISTEN, HEAR, OPEN + 1, PLACE + 1];
        let after = [LISTEN, HEAR + 1, LISTEN, HEAR + 1, LISTEN, HEAR];
        let (state, view, _) = walk(&game, &[&before[..], &after[..]].concat());
        let mut rng = Rng::new(2);
        let mut right = 0;
        for _ in 0..20_000 {
            let guess: State = game.resample(&view, &mut rng).unwrap();
            right += u32::from(guess.tiger);
            assert_eq!(State { tiger: 1, ..guess }, state);
        }
        assert!((f64::from(right) / 20_000.0 - 0.85).abs() < 0.01, "{right}");
    }

    #[test]
    fn the_player_is_not_shown_the_tiger() {
        let game = tiger("tiger").unwrap();
        let (left, ..) = walk(&game, &[PLACE, LISTEN, HEAR]);
        let (right, ..) = walk(&game, &[PLACE + 1, LISTEN, HEAR]);
        assert_eq!(game.text(&left, Some(0)), game.text(&right, Some(0)));
        assert_eq!(game.svg(&left, Some(0)), game.svg(&right, Some(0)));
        assert_ne!(game.text(&left, None), game.text(&right, None));
    }
}
