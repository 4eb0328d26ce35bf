//! Beliefs: what the past leaves possible, given a player's view.
//!
//! A belief is brought up to date with a view and then gives *presents*: states (with what every
//! player has seen in them) drawn with their probability. `past.rs` has the one step that all
//! share: the successors of a possible world that agree with what the player saw, by what others are
//! taken to do (`opponents.rs`).

mod enumerate;
mod exact;
mod factored;
pub mod graph;
mod hypergames;
mod kind;
mod opponents;
mod particles;
mod past;
pub(crate) mod perfect_information_bound;
mod resampling;
pub(crate) mod told;
mod tree;
mod world;

pub use exact::Exact;
pub use factored::Factored;
pub use hypergames::Hypergames;
pub use kind::{BeliefKind, Form};
pub use opponents::{OpponentPolicy, Opponents};
pub use particles::{Particles, Weights};
pub use resampling::Resampling;
pub use told::Told;
pub use tree::HistoryTree;
pub use world::World;

use std::fmt;
use std::sync::Arc;

use crate::interrupt::Pause;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// A distribution over states, given a view.
pub trait Belief: Send + Sync {
    /// Takes in what has been added to the view since the last call. `pause` is called now and then; once it returns
    /// true, it makes do with what it has found so far.
    ///
    /// # Errors
    /// When no state explains the view, or none was found in time, or the belief would not fit.
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained;

    /// Says how other players decide, until the next call, to those who take them to do as a search says.
    fn assume(&mut self, policy: Option<Arc<dyn OpponentPolicy>>) {
        let _ = policy;
    }

    /// Draws a present into `world`.
    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World);

    /// All possible presents with their probabilities, if there are at most so many and they can be
    /// listed. (Particles are a sample of them, and some may be alike.)
    fn worlds(&self, model: &dyn Model, view: &View, limit: usize) -> Option<Vec<(World, f64)>> {
        let _ = (model, view, limit);
        None
    }

    /// How many different states (or particles) it holds; `None` where it holds none itself.
    fn size(&self) -> Option<u64>;

    /// The one world there is, where the belief is certain.
    fn certain(&self) -> Option<&World> {
        None
    }

    /// Whether its worlds disagree with something that was seen, for want of better ones: what may be done in two of
    /// them need not be the same although it looks the same.
    fn inconsistent(&self) -> bool {
        false
    }

    /// Whether the view's legal actions are legal in all of its worlds.
    fn fits(&self) -> bool {
        true
    }

    /// What it has cost so far and how sure it is, in figures with names.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// What the person should know about the last update (a rebuilt belief, say).
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What taking in a view comes to: it is explained, or why it is not.
pub type Explained = Result<(), Trouble>;

/// A figure with its name.
pub type Counter = (&'static str, f64);

/// Why a belief could not be brought up to date, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// No state that could be found (in time) explains the view: who must move can only guess.
    Unexplained(String),
    /// This kind of belief does not fit the game.
    Unfit(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Trouble::Unexplained(what) | Trouble::Unfit(what)) = self;
        f.write_str(what)
    }
}

impl From<Trouble> for String {
    fn from(trouble: Trouble) -> String {
        trouble.to_string()
    }
}

/// A view that nothing explains.
fn unexplained(view: &View) -> Trouble {
    Trouble::Unexplained(format!(
        "no state explains what player {} has seen: the model and the game that is played disagree, \
         or another player does what the model says it cannot do",
        view.player + 1
    ))
}
