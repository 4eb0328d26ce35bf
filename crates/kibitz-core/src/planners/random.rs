//! The baseline of all baselines.

use crate::interrupt::Pause;
use crate::model::SharedModel;
use crate::params::{NoParams, Params};
use crate::planner::{Decision, Planner};
use crate::registry::PlannerEntry;
use crate::rng::Rng;
use crate::view::View;

inventory::submit! {
    PlannerEntry {
        name: "random",
        summary: "Every legal action with the same probability.",
        needs: "",
        params: || NoParams.docs(),
        build: |spec| NoParams::from_spec(spec).map(|_| Box::new(Random { rng: Rng::new(0) }) as _),
    }
}

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
