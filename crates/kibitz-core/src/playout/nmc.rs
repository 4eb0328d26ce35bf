//! `nmc`: everybody moves by nested Monte Carlo search ([`crate::nested`]).

use super::{Context, MAX_PLAYERS, Needs, Playout, Rollout};
use crate::model::Model;
use crate::nested::{Base, Cut, Discount, Nesting, Prune, Search, affordable};
use crate::position::Erased;
use crate::rng::{Purpose, Rng};

crate::params! {
    /// All move by nested Monte Carlo: each tries every action, and goes where a playout one level lower came out
    /// best.
    pub struct NmcParams {
        /// 0: moves of the base. n: each the move after which play of level n - 1 by all players comes to most.
        pub level: u32 = 1, in 0..=100;
        /// How the length n of a game counts beside its return: depth, score, branching(b), none or auto, as in the
        /// planner of this name.
        pub discount: Discount = Discount::Auto;
        /// At which levels, such as win(1, 2), a search ends with the first win: Cut on Win.
        pub cut: Cut = Cut::Auto;
        /// At which levels games are lost that get as long as the shortest win: depth or cascade.
        pub prune: Prune = Prune::None;
        /// How the lowest level moves.
        pub base: Base = Base::Auto;
        /// Whether to begin however long it takes.
        pub insist: bool = false;
    }
}

crate::register_playout!("nmc", NmcParams, |params| {
    let NmcParams { level, discount, cut, prune, base, insist } = params;
    Ok(Box::new(Nmc { nesting: Nesting { level, base, discount, cut, prune }, insist, resolved: None }))
});

#[derive(Clone)]
struct Nmc {
    nesting: Nesting,
    insist: bool,
    /// The same for the game that is searched.
    resolved: Option<Nesting>,
}

impl Playout for Nmc {
    fn needs(&self) -> Needs {
        Needs { evaluator: self.nesting.base == Base::Greedy, ..Needs::default() }
    }

    fn prepare(&mut self, model: &dyn Model, evaluator: bool) -> Result<(), String> {
        if !self.insist {
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
