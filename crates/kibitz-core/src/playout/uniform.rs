//! `random` and `preferred`: moves that are drawn uniformly, by the game itself where that is quicker.

use super::{Context, Needs, Playout, Policy, Rollout};
use crate::params::NoParams;
use crate::position::Erased;

/// Uniformly random moves, among all that are legal or among those that the game prefers.
#[derive(Clone, Copy)]
pub struct Uniform(pub Policy);

crate::register_playout!("random", "Moves at random.", NoParams, |_| Ok(Box::new(Uniform(Policy::Random))));
crate::register_playout!(
    "preferred",
    "Moves at random among those that the game prefers.",
    NoParams,
    |_| { Ok(Box::new(Uniform(Policy::Preferred))) }
);

crate::register_playout!(
    "auto",
    "What the game prefers, where it prefers something; else moves at random.",
    NoParams,
    |_| Ok(Box::new(Auto))
);

struct Auto;

impl Playout for Auto {
    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        let policy = if at.0.has().preferred { Policy::Preferred } else { Policy::Random };
        Uniform(policy).run(at, how, context, returns)
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(Auto)
    }
}

impl Playout for Uniform {
    fn needs(&self) -> Needs {
        Needs { preferred: self.0 == Policy::Preferred, ..Needs::default() }
    }

    fn plain(&self) -> Option<Policy> {
        Some(self.0)
    }

    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        let Erased(model, state) = at;
        let how = Rollout { policy: self.0, ..*how };
        // A game that plays many at once may play one quicker as well; but it knows nothing of other evaluators.
        let to_the_end = how.depth == u32::MAX && !how.one_turn;
        if (context.evaluator.is_none() || to_the_end) && context.trace.is_none() && !how.one_turn {
            return model.playouts(state, &how, 1, context.rng, context.interrupt, returns);
        }
        model.rollout(state, &how, None, context, returns)
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(*self)
    }
}
