//! The belief of a game that can draw states for a view by itself.

use super::{Belief, Trouble, World, unexplained};
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// Asks the game for a state whenever one is needed; holds none.
#[derive(Clone, Default)]
pub struct Resampling;

impl Belief for Resampling {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> Result<(), Trouble> {
        match model.resample(view, rng) {
            Some(_) => Ok(()),
            None => Err(unexplained(view)),
        }
    }

    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) {
        world.resample(model, view, rng);
    }

    fn size(&self) -> Option<u64> {
        None
    }
}
