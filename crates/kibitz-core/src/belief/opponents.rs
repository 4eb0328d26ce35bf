//! What other players are taken to do, where a player does not see what they did.

use super::past::Past;
use crate::game::{Action, Turn};
use crate::model::State;
use crate::params::{Param, named, share};
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;
use crate::spec::Value;

/// How other players are taken to choose. They may always slip and do anything legal: what they are taken
/// never to do would otherwise leave no state that explains it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Opponents {
    /// Uniformly among the legal actions.
    #[default]
    Random,
    /// Uniformly among the game's preferred actions, but for this share of slips.
    Preferred(f64),
    /// What the game's evaluator, which sees the whole state, promises most for right after it, but for this
    /// share of slips. Those who move at the same time are taken to move at random.
    Greedy(f64),
}

/// How often somebody slips if nothing else is said.
const SLIP: f64 = 0.01;
/// Where more joint actions are possible at once, nobody weighs them up.
const WEIGHED: usize = 1024;

impl Param for Opponents {
    fn kind() -> String {
        "random | preferred(slip) | greedy(slip)".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let (name, number) = named(value, &["random", "preferred", "greedy"])?;
        match (name.as_str(), number) {
            ("preferred", _) => share(&name, number, SLIP).map(Opponents::Preferred),
            ("greedy", _) => share(&name, number, SLIP).map(Opponents::Greedy),
            (_, None) => Ok(Opponents::Random),
            _ => Err("random takes no parameters".to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Opponents::Random => "random".to_owned(),
            Opponents::Preferred(slip) => format!("preferred({slip})"),
            Opponents::Greedy(slip) => format!("greedy({slip})"),
        }
    }
}

impl Opponents {
    /// A player's legal actions, each with its probability.
    pub(super) fn choices(self, past: &Past, state: &State, player: usize) -> Vec<(Action, f64)> {
        let model = past.model;
        let mut legal = Vec::new();
        model.legal(state, player, &mut legal);
        let uniform = 1.0 / legal.len().max(1) as f64;
        let (slip, mut favoured) = match self {
            Opponents::Random => (1.0, Vec::new()),
            Opponents::Preferred(slip) => {
                let mut preferred = Vec::new();
                model.preferred(state, player, &mut preferred);
                (slip, preferred)
            }
            Opponents::Greedy(slip) => (slip, promising(past, state, player, &legal)),
        };
        favoured.retain(|action| legal.contains(action));
        let slip = if favoured.is_empty() { 1.0 } else { slip };
        let share = |action: &Action| {
            let favour = if favoured.contains(action) { (1.0 - slip) / favoured.len() as f64 } else { 0.0 };
            slip * uniform + favour
        };
        legal.iter().map(|action| (*action, share(action))).collect()
    }

    /// Draws one of them.
    pub(super) fn draw(
        self,
        past: &Past,
        state: &State,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        if self == Opponents::Random {
            return past.model.random_action(state, player, scratch, rng);
        }
        let choices = self.choices(past, state, player);
        let chosen = rng.weighted(choices.iter().map(|(_, p)| *p));
        choices.get(chosen).map(|(action, _)| *action).unwrap_or_default()
    }
}

/// The actions after which reward plus evaluation is highest for a player; none where there are too many.
fn promising(past: &Past, state: &State, player: usize, legal: &[Action]) -> Vec<Action> {
    let model = past.model;
    let players = model.info().players;
    let (mut best, mut most) = (Vec::new(), f64::NEG_INFINITY);
    for &action in legal {
        let Ok(joints) = past.joints(state, player, Some(action), Opponents::Random, WEIGHED) else {
            return Vec::new();
        };
        let mut value = 0.0;
        for (joint, p) in joints {
            let (mut rewards, mut values) = ([0.0; MAX_PLAYERS], [0.0; MAX_PLAYERS]);
            past.count_step();
            let after = model.after(state, &joint, &mut rewards[..players]);
            if model.turn(&after) != Turn::Over {
                model.evaluate(&after, &mut values[..players]);
            }
            value += p * (rewards[player] + values[player]);
        }
        if value > most {
            (best, most) = (vec![action], value);
        } else if value == most {
            best.push(action);
        }
    }
    best
}
