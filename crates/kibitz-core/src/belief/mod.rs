//! Beliefs: what the past leaves possible, given a player's view.
//!
//! A belief is brought up to date with a view and then gives *presents*: states (with what every
//! player has seen in them) drawn with their probability. `world.rs` has the one step that all
//! share: the successors of a possible world that agree with what the player saw.

mod exact;
mod kind;
mod particles;
mod resampling;
mod world;

pub use exact::Exact;
pub use kind::BeliefKind;
pub use particles::Particles;
pub use resampling::Resampling;
pub use world::World;

use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// A distribution over states, given a view.
pub trait Belief: Send + Sync {
    /// Takes in what has been added to the view since the last call.
    ///
    /// # Errors
    /// A sentence, when no state explains the view or the belief would not fit.
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> Result<(), String>;

    /// Draws a present into `world`.
    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World);

    /// How many different states (or particles) it holds; `None` where it holds none itself.
    fn size(&self) -> Option<u64>;

    /// The one world there is, where the belief is certain.
    fn certain(&self) -> Option<&World> {
        None
    }

    /// What the person should know about the last update (a rebuilt belief, say).
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The sentence for a view that nothing explains.
fn unexplained(view: &View) -> String {
    format!(
        "no state explains what player {} has seen: the model and the game that is played disagree, \
         or another player does what the model says it cannot do",
        view.player + 1
    )
}
