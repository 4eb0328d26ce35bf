//! Parts of a search (playouts, evaluators, selections): how they are named, and what they need.
//!
//! A part registers itself in its own file and says what it cannot do without; nobody else keeps a list.

use crate::abilities::Capabilities;
use crate::game::Info;
use crate::params::ParamDoc;
use crate::spec::{Spec, SpecError, Value, unknown};

/// A part that can be asked for by name.
pub struct PartEntry {
    /// How it is asked for.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Its parameters.
    pub params: fn() -> Vec<ParamDoc>,
}

/// What a part cannot do without. Those of nested parts add up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// An evaluator: the game's own, or one that is given.
    pub evaluator: bool,
    /// An action heuristic: the game's own, or what an evaluator says right after an action.
    pub action_heuristic: bool,
    /// Preferred actions.
    pub preferred: bool,
    /// A bounded solver of the game's own, or a single player.
    pub solver: bool,
    /// Keys of actions that mean the same in every state.
    pub action_keys: bool,
    /// The moves of each simulation.
    pub trace: bool,
    /// Nodes whose player knows what is legal there: a view of its own for each player, and no one else's.
    pub own_nodes: bool,
    /// Places that can be told apart: where the player's piece stands, or states.
    pub places: bool,
    /// Values that are means of returns, carried back by one worker, with all actions tried before one is tried twice.
    pub plain_means: bool,
}

impl Needs {
    /// Nothing.
    pub const NONE: Needs = Needs {
        evaluator: false,
        action_heuristic: false,
        preferred: false,
        solver: false,
        action_keys: false,
        trace: false,
        own_nodes: false,
        places: false,
        plain_means: false,
    };

    /// What either of two parts needs.
    #[must_use]
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            evaluator: self.evaluator | other.evaluator,
            action_heuristic: self.action_heuristic | other.action_heuristic,
            preferred: self.preferred | other.preferred,
            solver: self.solver | other.solver,
            action_keys: self.action_keys | other.action_keys,
            trace: self.trace | other.trace,
            own_nodes: self.own_nodes | other.own_nodes,
            places: self.places | other.places,
            plain_means: self.plain_means | other.plain_means,
        }
    }

    /// The first thing that is needed and not there, in words.
    pub fn lacks(self, info: &Info, has: &Capabilities, evaluator: bool) -> Option<&'static str> {
        let judges = has.evaluator || evaluator;
        let wanted = [
            (self.evaluator && !judges, "an evaluator"),
            (
                self.action_heuristic && !has.action_heuristic && !judges,
                "an action heuristic (or an evaluator)",
            ),
            (self.places && !has.atoms && !has.hash, "atoms or a state hash"),
            (self.preferred && !has.preferred, "preferred actions"),
            (self.solver && !has.solver && info.players > 1, "a solver or a single player"),
        ];
        wanted.into_iter().find(|(lacks, _)| *lacks).map(|(_, what)| what)
    }
}

/// The entry of a name, or the nearest right ones.
pub(crate) fn find<T>(
    what: &str,
    name: &str,
    entries: impl Iterator<Item = (&'static PartEntry, T)>,
) -> Result<T, SpecError> {
    let mut names = Vec::new();
    for (part, entry) in entries {
        if part.name == name {
            return Ok(entry);
        }
        names.push(part.name);
    }
    names.sort_unstable();
    Err(unknown(what, name, names))
}

/// All parts of a kind with their parameters, by name.
pub(crate) fn list(
    entries: impl Iterator<Item = &'static PartEntry>,
) -> Vec<(&'static PartEntry, Vec<ParamDoc>)> {
    let mut all: Vec<_> = entries.map(|entry| (entry, (entry.params)())).collect();
    all.sort_by_key(|(entry, _)| entry.name);
    all
}

/// The names, as people write them. (Not the parameters: those of one part may be parts again.)
pub(crate) fn kind(entries: impl Iterator<Item = &'static PartEntry>) -> String {
    let mut names: Vec<&str> = entries.map(|entry| entry.name).collect();
    names.sort_unstable();
    names.join(" | ")
}

/// A part as it is written: a name, with parameters in parentheses.
pub(crate) fn read(what: &str, value: &Value) -> Result<Spec, String> {
    match value {
        Value::Spec(spec) => Ok(spec.clone()),
        other => Err(format!("expected a {what}, not {other}")),
    }
}
