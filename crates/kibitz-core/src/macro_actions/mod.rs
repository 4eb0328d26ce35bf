//! Macro-actions: a search over other actions than the game's single ones.
//!
//! A kind of macro-action is a part: one file that registers itself. It makes of a game another one whose actions are
//! macro-actions (`model`), takes states there (`enter`) and macro-actions back (`spell`). `irreversible.rs` has moves that cannot be
//! undone, `repeat.rs` an action that is repeated.

mod irreversible;
mod repeat;

use std::sync::Arc;

use crate::game::Action;
use crate::model::{SharedModel, State};
use crate::params::Param;
use crate::part::{Kind, kind};
use crate::spec::{Spec, SpecError, Value};

pub use irreversible::macro_actions_of;

/// A game over the macro-actions of another one whose states are known.
pub trait MacroActions: Send + Sync {
    /// The game whose actions are macro-actions.
    fn model(&self) -> SharedModel;

    /// Its state for a state of the game itself, where somebody is to move.
    fn enter(&self, state: &State) -> State;

    /// Appends the moves of the game itself that make up a macro-action, from `state` on. `action` is legal in the
    /// state that [`MacroActions::enter`] gives for it.
    fn spell(&self, state: &State, action: Action, moves: &mut Vec<Action>);

    /// Whether the moves are made to the last one as long as they are legal, whatever happens between them; else only
    /// while every state is the one that was expected.
    fn goes_on(&self) -> bool {
        false
    }
}

/// The macro-actions of a game, or why there are none.
pub type Made = Result<Arc<dyn MacroActions>, String>;

/// A kind of macro-action: makes those of a game.
pub type Maker = dyn Fn(&SharedModel) -> Made;

kind!(Maker, "kind of macro-action");

/// Registers a kind of macro-action; see [`register_part!`](crate::register_part).
macro_rules! register_macro_actions {
    ($($of:tt)*) => { $crate::register_part!($crate::macro_actions::Maker, $($of)*); };
}
use register_macro_actions;

/// What an edge of the tree stands for: a move of the game, or a macro-action.
#[derive(Clone, PartialEq, Debug)]
pub struct MacroSpec(Option<Spec>);

impl MacroSpec {
    /// Moves of the game.
    pub const NONE: MacroSpec = MacroSpec(None);

    /// Macro-actions without parameters.
    pub fn named(name: &str) -> MacroSpec {
        MacroSpec(Some(Spec { name: name.to_owned(), arguments: Vec::new() }))
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Those of a game; none where moves are what is searched.
    ///
    /// # Errors
    /// A sentence, where the game lacks what they need.
    pub fn of(&self, model: &SharedModel) -> Result<Option<Arc<dyn MacroActions>>, String> {
        let Some(spec) = &self.0 else { return Ok(None) };
        let make = Maker::make(spec).map_err(|SpecError(what)| what)?;
        make(model).map(Some).map_err(|what| format!("macro_actions={spec} {what}"))
    }
}

impl Param for MacroSpec {
    fn kind() -> String {
        format!("none | {}", Maker::names())
    }

    fn read(value: &Value) -> Result<MacroSpec, String> {
        let spec = Maker::spec(value)?;
        // `all` is what the parameter said for moves of the game when it was called `moves`.
        if ["none", "all"].contains(&spec.name.as_str()) && spec.arguments.is_empty() {
            return Ok(MacroSpec::NONE);
        }
        Maker::make(&spec).map(drop).map_err(|SpecError(what)| what)?;
        Ok(MacroSpec(Some(spec)))
    }

    fn show(&self) -> String {
        self.0.as_ref().map_or("none".to_owned(), Spec::to_string)
    }
}
