//! `epsilon`: another playout, but for a share of whole playouts at random.

use super::{Context, Needs, Playout, PlayoutSpec, Policy, Rollout, Trace, Uniform};
use crate::model::Model;
use crate::position::Erased;

crate::params! {
    /// Another playout, but for a share of them at random.
    pub struct EpsilonParams {
        /// The share of playouts that are made at random instead.
        pub share: f64 = 0.1, in 0.0..=1.0;
        /// The others.
        pub playout: PlayoutSpec = PlayoutSpec::named("mast");
    }
}

crate::register_playout!("epsilon", EpsilonParams, |params| Ok(Box::new(Epsilon {
    share: params.share,
    inner: params.playout.build()
})));

struct Epsilon {
    share: f64,
    inner: Box<dyn Playout>,
}

impl Playout for Epsilon {
    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn prepare(&mut self, model: &dyn Model, evaluator: bool) -> Result<(), String> {
        self.inner.prepare(model, evaluator)
    }

    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        if context.rng.unit() < self.share {
            return Uniform(Policy::Random).run(at, how, context, returns);
        }
        self.inner.run(at, how, context, returns)
    }

    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        self.inner.learn(trace, returns);
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(Epsilon { share: self.share, inner: self.inner.fork() })
    }
}
