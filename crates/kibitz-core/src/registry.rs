//! Registries that fill themselves: a game or a planner registers in its own file.

use crate::model::SharedModel;
use crate::params::{Param, ParamDoc};
use crate::planner::Planner;
use crate::planning_model::{Imagining, ModelChoice};
use crate::real_time::{InRealTime, TimeOptions, Waits};
use crate::spec::{Spec, SpecError, Value, unknown};

/// A native game that can be asked for by name.
pub struct GameEntry {
    /// How it is asked for.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Its parameters.
    pub params: fn() -> Vec<ParamDoc>,
    /// Makes it.
    pub build: fn(&Spec) -> Result<SharedModel, SpecError>,
}

/// A planner that can be asked for by name.
pub struct PlannerEntry {
    /// How it is asked for.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// What a game must offer, in words; empty where every game will do.
    pub needs: &'static str,
    /// Its own parameters.
    pub params: fn() -> Vec<ParamDoc>,
    /// Makes it.
    pub build: fn(&Spec) -> Result<Box<dyn Planner>, SpecError>,
}

impl PlannerEntry {
    /// All its parameters: its own, and what every planner takes.
    pub fn docs(&self) -> Vec<ParamDoc> {
        let mut docs = (self.params)();
        docs.push(ModelChoice::doc());
        docs.extend(TimeOptions::docs());
        docs
    }
}

/// What a planner was called before, which still works.
pub struct OldName {
    /// The name that was.
    pub old: &'static str,
    /// The name that is.
    pub new: &'static str,
}

inventory::collect!(GameEntry);
inventory::collect!(PlannerEntry);
inventory::collect!(OldName);

/// What a spec of a planner says in words of before, in a sentence each.
pub fn old_words(spec: &Spec) -> Vec<String> {
    let mut notes = Vec::new();
    let name = present_name(&spec.name);
    if name != spec.name {
        notes.push(format!("{} is called {name} now; the old name goes with the next version", spec.name));
    }
    let entry = planners().into_iter().find(|entry| entry.name == name);
    let params = entry.map(|entry| entry.docs()).unwrap_or_default();
    for (key, value) in &spec.arguments {
        // The one parameter that went from a search to a part of it (`SearchParams::with`).
        if key == "clairvoyance" && params.iter().any(|param| param.name == "playout") {
            notes.push(format!(
                "{name}: clairvoyance={value} is the solver's now, as in playout=solver(clairvoyance={value}); the old \
                 way goes with the next version"
            ));
        }
        if let Some(param) = params.iter().find(|param| param.was == Some(key)) {
            let now = &param.name;
            notes.push(format!(
                "{name}: {key} is called {now} now; the old name goes with the next version"
            ));
        }
    }
    notes
}

/// What planners were called before.
pub fn old_names() -> Vec<&'static str> {
    inventory::iter::<OldName>.into_iter().map(|renamed| renamed.old).collect()
}

fn present_name(name: &str) -> &str {
    inventory::iter::<OldName>
        .into_iter()
        .find(|renamed| renamed.old == name)
        .map_or(name, |renamed| renamed.new)
}

/// All registered games, by name.
pub fn games() -> Vec<&'static GameEntry> {
    let mut entries: Vec<_> = inventory::iter::<GameEntry>.into_iter().collect();
    entries.sort_by_key(|entry| entry.name);
    entries
}

/// All registered planners, by name.
pub fn planners() -> Vec<&'static PlannerEntry> {
    let mut entries: Vec<_> = inventory::iter::<PlannerEntry>.into_iter().collect();
    entries.sort_by_key(|entry| entry.name);
    entries
}

/// Makes the game that a spec asks for.
///
/// # Errors
/// An unknown name, with the nearest right ones, or a bad parameter.
pub fn game(spec: &Spec) -> Result<SharedModel, SpecError> {
    let entries = games();
    match entries.iter().find(|entry| entry.name == spec.name) {
        Some(entry) => (entry.build)(spec),
        None => Err(unknown("game", &spec.name, entries.iter().map(|entry| entry.name))),
    }
}

/// Makes the planner that a spec asks for.
///
/// # Errors
/// An unknown name, with the nearest right ones, or a bad parameter.
pub fn planner(spec: &Spec) -> Result<Box<dyn Planner>, SpecError> {
    let mut own = spec.clone();
    let choice = ModelChoice::take(&mut own)?;
    planner_with(&own, choice)
}

/// The same, with a model that is not written in its spec.
///
/// # Errors
/// As [`planner`].
pub fn planner_with(spec: &Spec, choice: ModelChoice) -> Result<Box<dyn Planner>, SpecError> {
    let entries = planners();
    let name = present_name(&spec.name);
    match entries.iter().find(|entry| entry.name == name) {
        Some(entry) => {
            let mut own = spec.clone();
            let options = TimeOptions::take(&mut own)?;
            let parts = if options.waits == Waits::Whole { 1 } else { in_parts(entry, &mut own)? };
            let planner = InRealTime::new((entry.build)(&own)?, options, parts);
            Ok(Box::new(Imagining::new(Box::new(planner), choice)))
        }
        None => Err(unknown("planner", &spec.name, entries.iter().map(|entry| entry.name))),
    }
}

/// So many times a planner that may stop early looks whether it should.
const PARTS: u32 = 16;

/// Divides the budget of a planner that is to stop early; its tree is kept from one part to the next.
fn in_parts(entry: &PlannerEntry, spec: &mut Spec) -> Result<u32, SpecError> {
    let docs = (entry.params)();
    let simulations = docs.iter().find(|doc| doc.name == "simulations");
    let (Some(simulations), true) = (simulations, docs.iter().any(|doc| doc.name == "reuse")) else {
        let what =
            "waits=clear needs a planner that has a budget of simulations and keeps its tree, such as uct";
        return Err(SpecError(format!("{}: {what}", spec.name)));
    };
    let place = spec.arguments.iter().position(|(key, _)| key == "simulations");
    let whole = match place {
        Some(place) => u64::read(&spec.arguments[place].1),
        None => simulations.default.parse().map_err(|_| "waits=clear needs simulations=N".to_owned()),
    };
    let whole = whole.map_err(|what| SpecError(format!("{}: simulations: {what}", spec.name)))?;
    let parts = whole.clamp(1, PARTS.into());
    let value = Value::Integer(whole.div_ceil(parts) as i64);
    match place {
        Some(place) => spec.arguments[place].1 = value,
        None => spec.arguments.push(("simulations".to_owned(), value)),
    }
    spec.arguments.retain(|(key, _)| key != "reuse");
    spec.arguments.push(("reuse".to_owned(), Value::Bool(true)));
    Ok(parts as u32)
}

/// Registers a game: name, parameters' type, and `fn(params) -> Result<Game, String>`. What it is says the parameters'
/// documentation, or a text after the name.
#[macro_export]
macro_rules! register_game {
    ($name:literal, $summary:literal, $params:ty, $build:expr) => {
        $crate::register_game!(@ $name, $summary, $params, $build);
    };
    ($name:literal, $params:ty, $build:expr) => {
        $crate::register_game!(@ $name, <$params as $crate::params::Params>::SUMMARY, $params, $build);
    };
    (@ $name:literal, $summary:expr, $params:ty, $build:expr) => {
        inventory::submit! {
            $crate::registry::GameEntry {
                name: $name,
                summary: $summary,
                params: || $crate::params::Params::docs(&<$params>::default()),
                build: |spec| {
                    let params = <$params as $crate::params::Params>::from_spec(spec)?;
                    let build: fn($params) -> Result<_, String> = $build;
                    match build(params) {
                        Ok(game) => Ok(std::sync::Arc::new(game)),
                        Err(what) => Err($crate::spec::SpecError(format!("{}: {what}", $name))),
                    }
                },
            }
        }
    };
}
pub use crate::register_game;

/// Registers a planner: name, summary, what a game must offer, parameters' type (and what they usually are, if not their
/// defaults), and `fn(params) -> Result<Box<dyn Planner>, String>`.
#[macro_export]
macro_rules! register_planner {
    ($name:literal, $summary:literal, $needs:expr, $params:ty, $build:expr) => {
        $crate::register_planner!($name, $summary, $needs, $params = <$params>::default(), $build);
    };
    ($name:literal, $summary:literal, $needs:expr, $params:ty = $usual:expr, $build:expr) => {
        inventory::submit! {
            $crate::registry::PlannerEntry {
                name: $name,
                summary: $summary,
                needs: $needs,
                params: || $crate::params::Params::docs(&$usual),
                build: |spec| {
                    let mut params: $params = $usual;
                    $crate::params::Params::apply(&mut params, spec)?;
                    let build: fn($params) -> Result<Box<dyn $crate::planner::Planner>, String> = $build;
                    build(params).map_err(|what| $crate::spec::SpecError(format!("{}: {what}", $name)))
                },
            }
        }
    };
}
pub use crate::register_planner;
