//! A bounded solver as an evaluator: the best that it finds in one world, all of it seen.

use super::Evaluator;
use crate::model::Model;
use crate::playout::Context;
use crate::position::Position;

crate::params! {
    /// The best that a bounded search finds in one world, all of it seen.
    pub struct EffortParams {
        /// States to look at.
        pub states: u32 = 150, in 1..=1_000_000_000;
    }
}

crate::register_part!(dyn Evaluator, "solver", EffortParams, |params| Ok(Box::new(Solver(params))));

struct Solver(EffortParams);

impl Evaluator for Solver {
    fn check(&self, model: &dyn Model) -> Result<(), String> {
        let there = model.has().solver || model.info().players == 1;
        if there {
            Ok(())
        } else {
            Err("it needs a solver or a single player, which this game lacks".to_owned())
        }
    }

    fn evaluate(&self, position: &dyn Position, context: &mut Context, values: &mut [f64]) -> u64 {
        values.fill(0.0);
        position.solve(self.0.states, context, values)
    }
}
