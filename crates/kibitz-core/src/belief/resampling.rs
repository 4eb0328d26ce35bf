//! The belief of a game that can draw states for a view by itself.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Belief, Counter, Explained, World, unexplained};
use crate::interrupt::Pause;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// Asks the game for a state whenever one is needed; holds the first one only.
#[derive(Default)]
pub struct Resampling {
    /// The present that the last update found, in case that the game finds none later on.
    found: Option<World>,
    tries: AtomicU64,
    failures: AtomicU64,
}

impl Resampling {
    fn ask(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) -> bool {
        let drawn = world.resample(model, view, rng);
        self.tries.fetch_add(1, Relaxed);
        self.failures.fetch_add(u64::from(!drawn), Relaxed);
        drawn
    }
}

impl Belief for Resampling {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, _: Pause) -> Explained {
        let mut world = World::initial(model);
        self.found = self.ask(model, view, rng, &mut world).then_some(world);
        if self.found.is_some() { Ok(()) } else { Err(unexplained(view)) }
    }

    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) {
        if let (false, Some(found)) = (self.ask(model, view, rng, world), &self.found) {
            world.copy_from(found);
        }
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn counters(&self) -> Vec<Counter> {
        let (tries, failures) = (self.tries.load(Relaxed), self.failures.load(Relaxed));
        vec![("tries", tries as f64), ("failures", failures as f64)]
    }
}
