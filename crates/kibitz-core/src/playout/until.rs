//! `cut` and `turn`: another playout to a depth or to the end of the turn, where the evaluator judges.

use super::{Context, Needs, Playout, PlayoutSpec, Rollout, Trace};
use crate::model::Model;
use crate::params::Param;
use crate::position::Erased;

crate::params! {
    /// Another playout to a depth, where the evaluator judges.
    pub struct CutParams {
        /// Moves after which the evaluator judges.
        pub depth: u32 = 10, in 0..=1_000_000;
        /// How they are made.
        pub playout: PlayoutSpec = PlayoutSpec::named("random");
    }
}
crate::params! {
    /// Another playout until somebody else is to move, where the evaluator judges.
    pub struct TurnParams {
        /// How moves are made.
        pub playout: PlayoutSpec = PlayoutSpec::named("random");
    }
}

crate::register_playout!("cut", CutParams, |params| Until::boxed(Some(params.depth), &params.playout));
crate::register_playout!("turn", TurnParams, |params| Until::boxed(None, &params.playout));

struct Until {
    /// Moves; if none is said, to the end of the turn.
    depth: Option<u32>,
    inner: Box<dyn Playout>,
}

impl Until {
    fn boxed(depth: Option<u32>, inner: &PlayoutSpec) -> Result<Box<dyn Playout>, String> {
        let made = inner.build();
        if !made.makes_moves() {
            return Err(format!("playout={} makes no moves that could be cut short", inner.show()));
        }
        Ok(Box::new(Until { depth, inner: made }))
    }
}

impl Playout for Until {
    fn needs(&self) -> Needs {
        Needs { evaluator: true, ..Needs::default() }.and(self.inner.needs())
    }

    fn prepare(&mut self, model: &dyn Model, evaluator: bool) -> Result<(), String> {
        self.inner.prepare(model, evaluator)
    }

    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        let how = match self.depth {
            Some(depth) => Rollout { depth: how.depth.min(depth), ..*how },
            None => Rollout { one_turn: true, ..*how },
        };
        self.inner.run(at, &how, context, returns)
    }

    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        self.inner.learn(trace, returns);
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(Until { depth: self.depth, inner: self.inner.fork() })
    }
}
