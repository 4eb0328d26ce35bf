//! Planners that are not a tree search, one file each; `simulated_episode.rs` is what some of them play games with.

mod ff_replan;
mod hindsight;
mod iterated_width;
mod lifted;
mod lookahead;
mod nmc;
mod omniscient;
mod one_step;
mod random;
mod simulated_episode;
mod turn_search;

use crate::belief::{Belief, Trouble};
use crate::interrupt::Pause;
use crate::model::{Model, SharedModel};
use crate::planner::{Decision, Planner};
use crate::registry;
use crate::rng::{Purpose, Rng};
use crate::spec::{Spec, SpecError};
use crate::view::View;

/// What a planner plans with from move to move, and what it believes.
struct Session {
    model: SharedModel,
    belief: Box<dyn Belief>,
    rng: Rng,
    decisions: u64,
}

impl Session {
    fn new(model: SharedModel, belief: Box<dyn Belief>, seed: u64) -> Session {
        Session { model, belief, rng: Rng::new(seed), decisions: 0 }
    }

    /// The random stream of the next decision.
    fn next_stream(&mut self) -> Rng {
        self.decisions += 1;
        self.rng.fork(Purpose::Decision(self.decisions))
    }

    /// [`bring_up_to_date`].
    fn believe(&mut self, view: &View, rng: &mut Rng, pause: Pause) -> Result<Option<Decision>, String> {
        bring_up_to_date(&mut *self.belief, &*self.model, view, rng, pause)
    }
}

/// Makes a planner that another one plays with.
fn make_inner(spec: &Spec) -> Result<Box<dyn Planner>, String> {
    registry::planner(spec).map_err(|SpecError(what)| what)
}

/// Brings a belief up to date with a view. Where nothing explains the view, what is left is a move at random.
fn bring_up_to_date(
    belief: &mut dyn Belief,
    model: &dyn Model,
    view: &View,
    rng: &mut Rng,
    pause: Pause,
) -> Result<Option<Decision>, String> {
    let faults = model.faults();
    match belief.update(model, view, rng, pause) {
        _ if model.faults() != faults => Err(model.fault().unwrap_or_default()),
        Err(Trouble::Unexplained(why)) => Ok(Some(Decision::guess(view, rng, &why))),
        Err(trouble) => Err(trouble.into()),
        Ok(()) if !belief.fits() => {
            let why = "what may be done now is legal in no state that was found";
            Ok(Some(Decision::guess(view, rng, why)))
        }
        Ok(()) => Ok(None),
    }
}
