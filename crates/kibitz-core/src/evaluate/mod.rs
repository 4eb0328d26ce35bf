//! Evaluators: what a state that is not the end is taken to be worth.
//!
//! An evaluator is a part: the game's own, a network (`network.rs`), a linear one (`linear.rs`), a bounded solver (`solver.rs`). It is named in the
//! same way wherever one is wanted: at leaves, where a playout is cut off, in greedy steps, and to bias a selection.

mod linear;
mod network;
mod solver;

use std::fmt;
use std::sync::Arc;

use crate::game::{Action, Turn};
use crate::model::Model;
use crate::params::Param;
use crate::part::{Kind, kind};
use crate::playout::{Context, MAX_PLAYERS};
use crate::position::Position;
use crate::rng::Rng;
use crate::spec::{SpecError, Value};

pub use network::Network;

/// Judges states.
pub trait Evaluator: Send + Sync {
    /// That it can judge this game.
    ///
    /// # Errors
    /// A sentence, where it cannot.
    fn check(&self, model: &dyn Model) -> Result<(), String>;

    /// The return still to come for each player, overwriting `values`. Gives the steps of the model that it took.
    fn evaluate(&self, position: &dyn Position, context: &mut Context, values: &mut [f64]) -> u64;
}

/// What becomes of chance that moves right after an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chance {
    /// The evaluator judges what it may bring.
    Evaluated,
    /// It is drawn, and what it pays counts one move later.
    Drawn,
}

/// What a joint action pays somebody, and the discounted worth of what it leads to: `judge` writes down that of a state
/// that is not the end.
pub fn joint_value(
    position: &dyn Position,
    player: usize,
    joint: &[Action],
    judge: &mut dyn FnMut(&dyn Position, &mut [f64]),
) -> f64 {
    let players = position.info().players;
    let (mut rewards, mut values) = ([0.0; MAX_PLAYERS], [0.0; MAX_PLAYERS]);
    position.after(joint, &mut rewards[..players], &mut |after| {
        if after.turn() != Turn::Over {
            judge(after, &mut values[..players]);
        }
    });
    rewards[player] + position.info().discount_after(position.turn()) * values[player]
}

/// What somebody may expect right after an action: its reward, and the discounted evaluation of what follows it. Others
/// who move at once are taken to move at random.
pub fn afterstate_value(
    position: &dyn Position,
    player: usize,
    action: Action,
    next: Chance,
    context: &mut Context,
) -> f64 {
    let Context { evaluator, rng, interrupt, .. } = context;
    let (players, turn) = (position.info().players, position.turn());
    let mut joint = [action; MAX_PLAYERS];
    let mut scratch = Vec::new();
    for (slot, mover) in joint.iter_mut().zip(turn.movers().iter()) {
        if mover != player {
            *slot = position.random_action(mover, &mut scratch, rng);
        }
    }
    let mut judge = |after: &dyn Position, rng: &mut Rng, values: &mut [f64]| match evaluator {
        Some(evaluator) => {
            evaluator.evaluate(after, &mut Context::new(rng, interrupt), values);
        }
        None if after.has().evaluator => after.evaluate(values),
        None => {}
    };
    let joint = &joint[..turn.width()];
    if next == Chance::Evaluated {
        return joint_value(position, player, joint, &mut |after, values| judge(after, rng, values));
    }
    let (mut rewards, mut later) = ([0.0; MAX_PLAYERS], [0.0; MAX_PLAYERS]);
    let mut values = [0.0; MAX_PLAYERS];
    position.settled(joint, rng, &mut rewards[..players], &mut later[..players], &mut |after, rng| {
        if after.turn() != Turn::Over {
            judge(after, rng, &mut values[..players]);
        }
    });
    rewards[player] + position.info().discount_after(turn) * (later[player] + values[player])
}

/// How near each of these actions brings a player to what it wants, from 0 to 1, overwriting `values`: by the evaluator that is
/// given, by the game's action heuristic, or by its own evaluator. False where none of them can tell.
pub fn action_values(
    position: &dyn Position,
    player: usize,
    actions: &[Action],
    context: &mut Context,
    values: &mut Vec<f64>,
) -> bool {
    let (info, has) = (position.info(), position.has());
    values.clear();
    let own = context.evaluator.is_none();
    if own && has.action_heuristic && position.action_values(player, actions, values) {
        return true;
    }
    if own && !has.evaluator {
        return false;
    }
    let (least, range) = (info.min_return, info.max_return - info.min_return);
    let part = |value: f64| if range > 0.0 { ((value - least) / range).clamp(0.0, 1.0) } else { 0.5 };
    let judged = actions
        .iter()
        .map(|action| afterstate_value(position, player, *action, Chance::Evaluated, context));
    values.extend(judged.map(part));
    true
}

/// The action after which reward plus evaluation is highest for `player`, and how high; of equals, any.
pub fn greedy(
    position: &dyn Position,
    player: usize,
    legal: &[Action],
    context: &mut Context,
) -> (Action, f64) {
    let value = |action: &Action| afterstate_value(position, player, *action, Chance::Evaluated, context);
    let values: Vec<f64> = legal.iter().map(value).collect();
    let best = context.rng.highest(&values);
    let action = legal.get(best).copied().unwrap_or_default();
    (action, values.get(best).copied().unwrap_or(f64::NEG_INFINITY))
}

kind!(dyn Evaluator, "evaluator");

/// An evaluator as it is asked for: a name with parameters, or the file of a network.
#[derive(Clone)]
pub struct EvaluatorSpec {
    written: String,
    made: Arc<dyn Evaluator>,
}

impl EvaluatorSpec {
    /// The evaluator.
    pub fn get(&self) -> &dyn Evaluator {
        &*self.made
    }
}

impl PartialEq for EvaluatorSpec {
    fn eq(&self, other: &EvaluatorSpec) -> bool {
        self.written == other.written
    }
}

impl fmt::Debug for EvaluatorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl Param for EvaluatorSpec {
    fn kind() -> String {
        format!("file | {}", <dyn Evaluator>::names())
    }

    fn read(value: &Value) -> Result<EvaluatorSpec, String> {
        if let Value::Spec(spec) = value
            && <dyn Evaluator>::entries().any(|entry| entry.part.name == spec.name)
        {
            let made = <dyn Evaluator>::make(spec).map_err(|SpecError(what)| what)?;
            return Ok(EvaluatorSpec { written: spec.to_string(), made: made.into() });
        }
        let path = String::read(value)?;
        let made = Arc::new(Network::read(&path)?);
        Ok(EvaluatorSpec { written: path.show(), made })
    }

    fn show(&self) -> String {
        self.written.clone()
    }
}
