//! The belief of a game that can draw states for a view by itself.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Belief, Counter, Explained, World, unexplained};
use crate::interrupt::Pause;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// Asks the game for a state whenever one is needed, or for some at each decision, which are then drawn from.
#[derive(Default)]
pub struct Resampling {
    /// The presents that the last update found: one, in case that the game finds none later on, or all that are drawn from.
    found: Vec<World>,
    /// How many are drawn for a decision; none for a new one whenever one is needed.
    kept: Option<usize>,
    tries: AtomicU64,
    failures: AtomicU64,
}

impl Resampling {
    /// So many for each decision.
    pub fn kept(count: usize) -> Resampling {
        Resampling { kept: Some(count), ..Resampling::default() }
    }

    fn ask(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) -> bool {
        let drawn = world.resample(model, view, rng);
        self.tries.fetch_add(1, Relaxed);
        self.failures.fetch_add(u64::from(!drawn), Relaxed);
        drawn
    }
}

impl Belief for Resampling {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained {
        self.found.clear();
        for tried in 0..self.kept.unwrap_or(1) {
            if tried > 0 && pause() {
                break;
            }
            let mut world = World::initial(model);
            if self.ask(model, view, rng, &mut world) {
                self.found.push(world);
            }
        }
        if self.found.is_empty() { Err(unexplained(view)) } else { Ok(()) }
    }

    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) {
        if self.kept.is_some() {
            world.copy_from(&self.found[rng.below(self.found.len() as u32) as usize]);
        } else if !self.ask(model, view, rng, world) {
            world.copy_from(&self.found[0]);
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
