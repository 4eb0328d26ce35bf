//! `evaluator` and `solver`: no moves at all, the leaf is judged as it is.

use super::{Context, MAX_PLAYERS, Needs, Playout, Rollout};
use crate::game::Turn;
use crate::params::NoParams;
use crate::position::{Erased, Position};

crate::params! {
    /// No moves: the best that a bounded search finds in one world, all of it seen.
    pub struct SolverParams {
        /// States to look at.
        pub states: u32 = 150, in 1..=1_000_000_000;
        /// How many unknown things it may see: where there are more, the evaluator judges. None: any number.
        pub clairvoyance: Option<u32> = None, in Some(0)..=Some(u32::MAX);
    }
}

crate::register_playout!("evaluator", "No moves: the evaluator judges the leaf.", NoParams, |_| {
    Ok(Box::new(LeafEvaluation { solver: None }))
});
crate::register_playout!("solver", SolverParams, |params| Ok(Box::new(LeafEvaluation {
    solver: Some(params)
})));

#[derive(Clone)]
struct LeafEvaluation {
    solver: Option<SolverParams>,
}

impl Playout for LeafEvaluation {
    fn needs(&self) -> Needs {
        let sees_all = self.solver.as_ref().is_some_and(|solver| solver.clairvoyance.is_none());
        Needs { evaluator: !sees_all, solver: self.solver.is_some(), ..Needs::default() }
    }

    fn makes_moves(&self) -> bool {
        false
    }

    fn run(&mut self, at: Erased, _: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        if at.turn() == Turn::Over {
            return 0;
        }
        // Where too much is unknown, a solver would see more than anybody can.
        let sees = |solver: &&SolverParams| solver.clairvoyance.is_none_or(|most| at.unknown() <= most);
        if let Some(solver) = self.solver.as_ref().filter(sees) {
            return at.solve(solver.states, context, returns);
        }
        let mut values = [0.0; MAX_PLAYERS];
        let steps = context.evaluate(&at, &mut values[..returns.len()]);
        returns.iter_mut().zip(values).for_each(|(total, value)| *total += value);
        steps
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(self.clone())
    }
}
