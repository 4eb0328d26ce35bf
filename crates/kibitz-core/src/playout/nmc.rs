//! `nmc`: everybody moves by nested Monte Carlo search ([`crate::nested`]).

use super::{Context, MAX_PLAYERS, Needs, Playout, Rollout};
use crate::model::Model;
use crate::nested::{Base, Nesting, Search, affordable};
use crate::position::Erased;
use crate::rng::{Purpose, Rng};

crate::register_playout!("nmc", Nesting, |nesting| Ok(Box::new(Nmc { nesting, resolved: None })));

#[derive(Clone)]
struct Nmc {
    nesting: Nesting,
    /// The same for the game that is searched.
    resolved: Option<Nesting>,
}

impl Playout for Nmc {
    fn needs(&self) -> Needs {
        Needs { evaluator: self.nesting.base == Base::Greedy, ..Needs::default() }
    }

    fn prepare(&mut self, model: &dyn Model, evaluator: bool) -> Result<(), String> {
        if !self.nesting.insist {
            affordable(model, self.nesting.level, false, u32::MAX, &mut Rng::stream(0, Purpose::Look))?;
        }
        self.resolved = Some(self.nesting.resolved(model, evaluator)?);
        Ok(())
    }

    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        let Erased(model, state) = at;
        if self.resolved.is_none() {
            self.resolved = self.nesting.resolved(model, context.evaluator.is_some()).ok();
        }
        let Some(nesting) = &self.resolved else { return 0 };
        let rng = context.rng.clone();
        let mut search = Search::new(model, state, nesting, context.evaluator, rng, context.interrupt);
        (search.limit, search.one_turn) = (how.depth, how.one_turn);
        let found = search.play_out(context.trace.as_deref_mut());
        let steps = search.steps;
        *context.rng = search.rng;
        let found: [f64; MAX_PLAYERS] = found.returns;
        returns.iter_mut().zip(found).for_each(|(total, value)| *total += value);
        steps
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(self.clone())
    }
}
