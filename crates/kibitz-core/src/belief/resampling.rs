//! The belief of a game that can draw states for a view by itself.

use super::{Belief, Trouble, World, unexplained};
use crate::model::Model;
use crate::rng::Rng;
use crate::view::{View, view_seed};

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
        if let Some(state) = model.resample(view, rng) {
            world.state = state;
        }
        world.earned = f64::NAN;
        for (player, key) in world.keys.iter_mut().enumerate() {
            *key = if player == view.player { view.key() } else { view_seed(player) };
        }
    }

    fn size(&self) -> Option<u64> {
        None
    }
}
