//! The baseline of all baselines.

use crate::interrupt::Pause;
use crate::model::SharedModel;
use crate::params::NoParams;
use crate::planner::{Decision, Planner};
use crate::registry::register_planner;
use crate::rng::Rng;
use crate::view::View;

register_planner!("random", "Every legal action with the same probability.", "", NoParams, |NoParams| {
    Ok(Box::new(Random { rng: Rng::new(0) }))
});

struct Random {
    rng: Rng,
}

impl Planner for Random {
    fn start(&mut self, _: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        self.rng = Rng::new(seed);
        Ok(())
    }

    fn act(&mut self, view: &View, _: Pause) -> Result<Decision, String> {
        Ok(Decision::at_random(view, &mut self.rng))
    }
}
