//! Parts of a search (playouts, evaluators, selections): how they are named, and what they need.
//!
//! A part registers itself in its own file and says what it cannot do without; nobody else keeps a list.

use std::fmt;
use std::marker::PhantomData;

use crate::abilities::Capabilities;
use crate::game::Info;
use crate::params::{Param, ParamDoc};
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

/// A part of some kind that can be asked for by name.
pub struct Entry<P: ?Sized> {
    /// How it is asked for, what it is and its parameters.
    pub part: PartEntry,
    /// Makes it.
    pub build: fn(&Spec) -> Result<Box<P>, SpecError>,
}

/// A kind of part: what all of its parts are.
pub trait Kind: 'static {
    /// What one of them is called.
    const WHAT: &'static str;

    /// All there are, in no order.
    fn entries() -> impl Iterator<Item = &'static Entry<Self>>;

    /// Makes the one that is asked for.
    ///
    /// # Errors
    /// An unknown name, with the nearest right ones, or a bad parameter.
    fn make(spec: &Spec) -> Result<Box<Self>, SpecError> {
        match Self::entries().find(|entry| entry.part.name == spec.name) {
            Some(entry) => (entry.build)(spec),
            None => Err(unknown(Self::WHAT, &spec.name, sorted(Self::entries()))),
        }
    }

    /// All with their parameters, by name.
    fn list() -> Vec<(&'static PartEntry, Vec<ParamDoc>)> {
        let mut all: Vec<_> = Self::entries().map(|entry| (&entry.part, (entry.part.params)())).collect();
        all.sort_by_key(|(part, _)| part.name);
        all
    }

    /// The names, as people write them. (Not the parameters: those of one part may be parts again.)
    fn names() -> String {
        sorted(Self::entries()).join(" | ")
    }

    /// A part as it is written: a name, with parameters in parentheses.
    ///
    /// # Errors
    /// That it is something else.
    fn spec(value: &Value) -> Result<Spec, String> {
        match value {
            Value::Spec(spec) => Ok(spec.clone()),
            other => Err(format!("expected a {}, not {other}", Self::WHAT)),
        }
    }
}

fn sorted<P: ?Sized + 'static>(entries: impl Iterator<Item = &'static Entry<P>>) -> Vec<&'static str> {
    let mut names: Vec<&str> = entries.map(|entry| entry.part.name).collect();
    names.sort_unstable();
    names
}

/// A kind of part of which a search has one, whatever is said.
pub trait Usual: Kind {
    /// What a search has if a name in the code itself is wrong.
    fn usual() -> Box<Self>;
}

/// A part as it is asked for, which has been made once to see that it can be.
pub struct PartSpec<P: ?Sized>(Spec, PhantomData<fn() -> Box<P>>);

impl<P: Usual + ?Sized> PartSpec<P> {
    /// Asks for one by name alone.
    pub fn named(name: &str) -> PartSpec<P> {
        PartSpec(Spec { name: name.to_owned(), arguments: Vec::new() }, PhantomData)
    }

    /// The same with one more parameter.
    ///
    /// # Errors
    /// That it has none of this name, or not with this value.
    pub fn with(mut self, name: &str, value: Value) -> Result<PartSpec<P>, SpecError> {
        self.0.arguments.push((name.to_owned(), value));
        P::make(&self.0).map(|_| self)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Makes it.
    pub fn build(&self) -> Box<P> {
        P::make(&self.0).unwrap_or_else(|_| P::usual())
    }
}

impl<P: Usual + ?Sized> Param for PartSpec<P> {
    fn kind() -> String {
        P::names()
    }

    fn read(value: &Value) -> Result<PartSpec<P>, String> {
        let spec = P::spec(value)?;
        P::make(&spec).map_err(|SpecError(what)| what)?;
        Ok(PartSpec(spec, PhantomData))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

impl<P: ?Sized> Clone for PartSpec<P> {
    fn clone(&self) -> PartSpec<P> {
        PartSpec(self.0.clone(), PhantomData)
    }
}

impl<P: ?Sized> PartialEq for PartSpec<P> {
    fn eq(&self, other: &PartSpec<P>) -> bool {
        self.0 == other.0
    }
}

impl<P: ?Sized> fmt::Debug for PartSpec<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Says that parts of a kind register themselves, and what one of them is called.
macro_rules! kind {
    ($kind:ty, $what:literal) => {
        inventory::collect!($crate::part::Entry<$kind>);

        impl $crate::part::Kind for $kind {
            const WHAT: &'static str = $what;

            fn entries() -> impl Iterator<Item = &'static $crate::part::Entry<Self>> {
                inventory::iter::<$crate::part::Entry<Self>>.into_iter()
            }
        }
    };
}
pub(crate) use kind;

/// Registers a part of a kind: name, parameters' type and `fn(params) -> Result<Box<dyn Kind>, String>`. What it is says the
/// parameters' documentation, or a text after the name.
#[macro_export]
macro_rules! register_part {
    ($kind:ty, $name:literal, $summary:literal, $params:ty, $build:expr) => {
        $crate::register_part!(@ $kind, $name, $summary, $params, $build);
    };
    ($kind:ty, $name:literal, $params:ty, $build:expr) => {
        $crate::register_part!(@ $kind, $name, <$params as $crate::params::Params>::SUMMARY, $params, $build);
    };
    (@ $kind:ty, $name:literal, $summary:expr, $params:ty, $build:expr) => {
        inventory::submit! {
            $crate::part::Entry::<$kind> {
                part: $crate::part::PartEntry {
                    name: $name,
                    summary: $summary,
                    params: || $crate::params::Params::docs(&<$params>::default()),
                },
                build: |spec| {
                    let params = <$params as $crate::params::Params>::from_spec(spec)?;
                    let build: fn($params) -> Result<Box<$kind>, String> = $build;
                    build(params).map_err(|what| $crate::spec::SpecError(format!("{}: {what}", $name)))
                },
            }
        }
    };
}
