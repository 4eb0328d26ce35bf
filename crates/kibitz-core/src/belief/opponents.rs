//! What other players are taken to do, where a player does not see what they did.

use std::collections::{BTreeMap, BTreeSet};

use super::World;
use super::past::Past;
use crate::evaluate::joint_value;
use crate::game::Action;
use crate::params::{Param, named, share};
use crate::position::Erased;
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
    /// As often as the player's own search has them do it in that world, but for this share of slips. Only a
    /// tree search says so ([`super::Belief::assume`]); before its first search, at random.
    Search(f64),
}

/// What is known of how players decide: the memory of a search, say.
pub trait OpponentPolicy: Send + Sync {
    /// How often a player who knows what the key stands for (see [`crate::view`]) chooses what; nothing where
    /// that is not known.
    fn strategy(&self, key: u64) -> Vec<(Action, f64)>;
}

/// How often somebody slips if nothing else is said.
const SLIP: f64 = 0.01;
/// Where more joint actions are possible at once, nobody weighs them up.
const WEIGHED: usize = 1024;

impl Param for Opponents {
    fn kind() -> String {
        "random | preferred(slip) | greedy(slip) | search(slip)".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let (name, number) = named(value, &["random", "preferred", "greedy", "search"])?;
        match (name.as_str(), number) {
            ("preferred", _) => share(&name, number, SLIP).map(Opponents::Preferred),
            ("greedy", _) => share(&name, number, SLIP).map(Opponents::Greedy),
            ("search", _) => share(&name, number, SLIP).map(Opponents::Search),
            (_, None) => Ok(Opponents::Random),
            _ => Err("random takes no parameters".to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Opponents::Random => "random".to_owned(),
            Opponents::Preferred(slip) => format!("preferred({slip})"),
            Opponents::Greedy(slip) => format!("greedy({slip})"),
            Opponents::Search(slip) => format!("search({slip})"),
        }
    }
}

impl Opponents {
    /// A player's legal actions, each with its probability.
    pub(super) fn choices(self, past: &Past, world: &World, player: usize) -> Vec<(Action, f64)> {
        let (model, state) = (past.model, &world.state);
        let mut legal = Vec::new();
        model.legal(state, player, &mut legal);
        let equally = |actions: Vec<Action>| actions.into_iter().map(|action| (action, 1.0)).collect();
        let (slip, mut favoured): (f64, Vec<(Action, f64)>) = match self {
            Opponents::Random => (1.0, Vec::new()),
            Opponents::Preferred(slip) => {
                let mut preferred = Vec::new();
                model.preferred(state, player, &mut preferred);
                (slip, equally(preferred))
            }
            Opponents::Greedy(slip) => (slip, equally(promising(past, world, player, &legal))),
            Opponents::Search(slip) => (slip, past.strategy(world.view_key(model, player))),
        };
        if !favoured.is_empty() {
            let there: BTreeSet<Action> = legal.iter().copied().collect();
            favoured.retain(|(action, _)| there.contains(action));
        }
        let total: f64 = favoured.iter().map(|(_, weight)| weight).sum();
        let slip = if total > 0.0 { slip } else { 1.0 };
        let favoured: BTreeMap<Action, f64> = favoured.into_iter().collect();
        let share = |action: &Action| {
            let weight = favoured.get(action).copied().unwrap_or_default();
            let favour = if weight > 0.0 { (1.0 - slip) * weight / total } else { 0.0 };
            slip / legal.len().max(1) as f64 + favour
        };
        legal.iter().map(|action| (*action, share(action))).collect()
    }

    /// Draws one of them.
    pub(super) fn draw(
        self,
        past: &Past,
        world: &World,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        if self == Opponents::Random {
            return past.model.random_action(&world.state, player, scratch, rng);
        }
        let choices = self.choices(past, world, player);
        let chosen = rng.weighted(choices.iter().map(|(_, p)| *p));
        choices.get(chosen).map(|(action, _)| *action).unwrap_or_default()
    }
}

/// The actions after which reward plus evaluation is highest for a player; none where there are too many.
fn promising(past: &Past, world: &World, player: usize, legal: &[Action]) -> Vec<Action> {
    let here = Erased(past.model, &world.state);
    let (mut best, mut most) = (Vec::new(), f64::NEG_INFINITY);
    for &action in legal {
        let Ok(joints) = past.joints(world, player, Some(action), Opponents::Random, WEIGHED) else {
            return Vec::new();
        };
        let mut value = 0.0;
        for (joint, p) in joints {
            past.count_step();
            value += p * joint_value(&here, player, &joint, &mut |after, values| after.evaluate(values));
        }
        if value > most {
            (best, most) = (vec![action], value);
        } else if value == most {
            best.push(action);
        }
    }
    best
}
