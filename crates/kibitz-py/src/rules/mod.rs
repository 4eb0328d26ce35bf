//! A game written in Python becomes a game of the core.
//!
//! `methods` finds the user's methods and checks the class attributes, this file calls them, `read`
//! checks what they return. A state is the user's own object, treated as an immutable value, so
//! that a clone is a reference count.
//!
//! The first exception, or the first answer that breaks the contract, marks the whole game as
//! broken until [`crate::fault::drive`] has raised it: every state reads as over, no more of the
//! user's code runs, and every loop of the core ends.

mod abilities;
mod bits;
mod hidden;
mod methods;
mod read;

use kibitz_core::abilities::Abilities;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kibitz_core::{Action, Event, Game, Info, Observation, Rng, Transition, Turn};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

pub use self::bits::Bits;
use self::methods::Methods;
pub use self::read::show;
use self::read::{Checked, Trouble, contract, raised, unnumbered};
use crate::intern::Interner;

/// Actions that are whole numbers below two to this stand for themselves, others have hashes.
pub const ACTION_BITS: u32 = 31;

/// The user's state; `None` where it never came to be.
pub struct Truth(Option<Py<PyAny>>);

impl Truth {
    /// What the user's rules take for a state.
    pub fn new(value: Py<PyAny>) -> Truth {
        Truth(Some(value))
    }

    /// The user's object.
    pub fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.0.as_ref().map(|state| state.clone_ref(py))
    }
}

impl Clone for Truth {
    fn clone(&self) -> Truth {
        Truth(self.0.as_ref().map(|state| Python::attach(|py| state.clone_ref(py))))
    }
}

struct Fault {
    sentence: String,
    cause: Option<PyErr>,
}

/// An object that follows `kibitz.Rules`.
pub struct PyRules {
    /// The user's object.
    pub rules: Py<PyAny>,
    name: String,
    info: Info,
    /// How many atoms and symmetries there are.
    atom_count: u32,
    /// The features' names and weights.
    features: Vec<(String, f64)>,
    symmetries: usize,
    /// How long a tick is.
    tick: f64,
    methods: Methods,
    /// The players' numbers as Python objects.
    seats: Vec<Py<PyAny>>,
    actions: Interner,
    observations: Interner,
    /// Keys of states and views that are not made of plain values.
    keys: Interner,
    streams: bits::Pool,
    faults: AtomicU64,
    broken: AtomicBool,
    latest: Mutex<Option<Fault>>,
}

impl PyRules {
    /// Wraps the user's object.
    ///
    /// # Errors
    /// TypeError where a method is missing, TypeError or ValueError for a bad class attribute.
    pub fn new(rules: &Bound<'_, PyAny>) -> PyResult<PyRules> {
        let py = rules.py();
        let methods = Methods::find(rules)?;
        let info = methods::read_info(rules, &methods)?;
        let (atom_count, symmetries) = methods::read_counts(rules, &methods)?;
        methods.check_pieces(&rules.get_type().name()?.to_string())?;
        let features = methods::read_weights(rules, &methods)?;
        let seats = (0..info.players)
            .map(|player| Ok(player.into_pyobject(py)?.into_any().unbind()))
            .collect::<PyResult<_>>()?;
        Ok(PyRules {
            rules: rules.clone().unbind(),
            name: rules.get_type().name()?.to_string(),
            info,
            atom_count,
            features,
            symmetries,
            tick: methods::read_tick(rules)?,
            methods,
            seats,
            actions: Interner::new(py, ACTION_BITS),
            observations: Interner::new(py, 62),
            keys: Interner::new(py, 62),
            streams: bits::Pool::default(),
            faults: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            latest: Mutex::new(None),
        })
    }

    /// The action that stands for a value.
    ///
    /// # Errors
    /// What hashing or comparing the value raised.
    pub fn action(&self, value: &Bound<'_, PyAny>) -> PyResult<Action> {
        Ok(Action(self.actions.number(value)? as u32))
    }

    /// The value that an action stands for.
    pub fn action_value<'py>(&self, py: Python<'py>, action: Action) -> Option<Bound<'py, PyAny>> {
        self.actions.value(py, u64::from(action.0))
    }

    /// Actions in an order that does not depend on which of them were met before.
    ///
    /// # Errors
    /// What comparing values raised.
    pub fn put_in_order(&self, py: Python<'_>, actions: &mut [Action]) -> PyResult<()> {
        if !self.actions.has_moved() {
            return Ok(()); // numbers are hashes, and are in such an order
        }
        let key = |action: &Action| match self.action_value(py, *action) {
            Some(value) => Ok((self.actions.key(&value)?, *action)),
            None => Ok((0, *action)),
        };
        let mut keyed = actions.iter().map(key).collect::<PyResult<Vec<_>>>()?;
        keyed.sort_unstable();
        for (place, (_, action)) in actions.iter_mut().zip(keyed) {
            *place = action;
        }
        Ok(())
    }

    /// The observation that stands for a value.
    ///
    /// # Errors
    /// What hashing or comparing the value raised.
    pub fn observation(&self, value: &Bound<'_, PyAny>) -> PyResult<Observation> {
        Ok(Observation(self.observations.number(value)? + 1))
    }

    /// The value that an observation stands for.
    pub fn observation_value<'py>(&self, py: Python<'py>, told: Observation) -> Option<Bound<'py, PyAny>> {
        self.observations.value(py, told.0.checked_sub(1)?)
    }

    /// Whether observations are the user's values and not plain joint actions.
    pub fn own_observations(&self) -> bool {
        let Methods { observe, resample, shown, split, .. } = &self.methods;
        [observe, resample, shown, split].into_iter().any(Option::is_some)
    }

    /// The latest failure's exception, if it was one.
    pub fn cause(&self, py: Python<'_>) -> Option<PyErr> {
        let latest = self.latest.lock().ok()?;
        latest.as_ref()?.cause.as_ref().map(|cause| cause.clone_ref(py))
    }

    /// Lets the game run again.
    pub fn mend(&self) {
        self.broken.store(false, Ordering::Relaxed);
    }

    fn fail(&self, py: Python<'_>, trouble: Trouble) {
        let fault = match trouble {
            Trouble::Raised(method, error) => {
                // An exception knows its line, unless the method takes other arguments and never ran.
                let place =
                    if error.traceback(py).is_some() { String::new() } else { self.place(py, method) };
                let sentence = format!("{}.{method} raised {error}{place}", self.name);
                Fault { sentence, cause: Some(error) }
            }
            Trouble::Contract(sentence) => {
                let method = sentence.split([' ', '\'']).next().unwrap_or_default();
                let place = self.place(py, method);
                Fault { sentence: format!("{}.{sentence}{place}", self.name), cause: None }
            }
        };
        // The first failure is the one to report; what follows from it is noise.
        if !self.broken.swap(true, Ordering::Relaxed)
            && let Ok(mut latest) = self.latest.lock()
        {
            *latest = Some(fault);
        }
        self.faults.fetch_add(1, Ordering::Relaxed);
    }

    /// File and line of the user's method, in brackets; nothing where that is not known.
    fn place(&self, py: Python<'_>, method: &str) -> String {
        let find = || -> PyResult<Option<String>> {
            let method = self.rules.bind(py).getattr(method)?;
            py.import("kibitz._blame")?.call_method1("place", (method,))?.extract()
        };
        find().ok().flatten().map_or_else(String::new, |place| format!(" ({place})"))
    }

    /// Runs the user's code; after a failure, and in a state that never came to be, `fallback`.
    #[inline]
    fn ask<T>(
        &self,
        state: &Truth,
        fallback: T,
        question: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> Checked<T>,
    ) -> T {
        let Some(state) = &state.0 else { return fallback };
        if self.broken.load(Ordering::Relaxed) {
            return fallback;
        }
        Python::attach(|py| match question(py, state.bind(py)) {
            Ok(answer) => answer,
            Err(trouble) => {
                self.fail(py, trouble);
                fallback
            }
        })
    }

    fn joint<'py>(&self, py: Python<'py>, joint: &[Action]) -> Checked<Bound<'py, PyTuple>> {
        let value = |action: &Action| {
            if *action == Action::WAIT {
                return Ok(py.None().into_bound(py));
            }
            self.action_value(py, *action).ok_or_else(|| {
                Trouble::Contract(format!(
                    "step was asked for action number {}, which no method returned",
                    action.0
                ))
            })
        };
        match joint {
            [only] => PyTuple::new(py, [value(only)?]),
            _ => PyTuple::new(py, joint.iter().map(value).collect::<Checked<Vec<_>>>()?),
        }
        .map_err(raised("step"))
    }

    fn observed<'py>(
        &self,
        py: Python<'py>,
        after: &Bound<'py, PyAny>,
        joint: &[Action],
        player: usize,
    ) -> Checked<Bound<'py, PyAny>> {
        let joint = self.joint(py, joint)?;
        match &self.methods.observe {
            Some(observe) => {
                observe.bind(py).call1((after, joint, &self.seats[player])).map_err(raised("observe"))
            }
            None => Ok(joint.into_any()),
        }
    }

    fn viewer(&self, py: Python<'_>, viewer: Option<usize>) -> Py<PyAny> {
        match viewer.and_then(|viewer| self.seats.get(viewer)) {
            Some(seat) => seat.clone_ref(py),
            None => py.None(),
        }
    }

    /// The user's value of an event, and whether it was the player's own action.
    fn event<'py>(&self, py: Python<'py>, event: &Event) -> Option<(&'static str, Bound<'py, PyAny>)> {
        match event {
            Event::Acted(action) => Some(("acted", self.action_value(py, *action)?)),
            Event::Observed(told) => Some(("observed", self.observation_value(py, *told)?)),
            Event::Passed(_) => None,
        }
    }
}

impl Game for PyRules {
    type State = Truth;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Truth {
        if self.broken.load(Ordering::Relaxed) {
            return Truth(None);
        }
        Python::attach(|py| match self.methods.initial.call0(py) {
            Ok(state) => Truth(Some(state)),
            Err(error) => {
                self.fail(py, Trouble::Raised("initial", error));
                Truth(None)
            }
        })
    }

    fn turn(&self, state: &Truth) -> Turn {
        self.ask(state, Turn::Over, |py, state| {
            let answer = self.methods.turn.bind(py).call1((state,)).map_err(raised("turn"))?;
            self.read_turn(&answer)
        })
    }

    fn legal(&self, state: &Truth, player: usize, actions: &mut Vec<Action>) {
        self.ask(state, (), |py, state| {
            let begin = actions.len();
            let answer =
                self.methods.legal.bind(py).call1((state, &self.seats[player])).map_err(raised("legal"))?;
            self.read_actions("legal", &answer, actions)?;
            if actions.len() == begin { self.no_actions("legal", state, player) } else { Ok(()) }
        });
    }

    fn random_action(
        &self,
        state: &Truth,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        // Only the chosen action needs a number.
        self.ask(state, Action(0), |py, state| {
            let answer =
                self.methods.legal.bind(py).call1((state, &self.seats[player])).map_err(raised("legal"))?;
            let Ok(list) = answer.cast::<PyList>() else {
                scratch.clear();
                self.read_actions("legal", &answer, scratch)?;
                return match scratch.len() {
                    0 => self.no_actions("legal", state, player),
                    length => Ok(scratch[rng.below(length as u32) as usize]),
                };
            };
            if list.is_empty() {
                return self.no_actions("legal", state, player);
            }
            let chosen = list.get_item(rng.below(list.len() as u32) as usize).map_err(raised("legal"))?;
            match self.action(&chosen) {
                Ok(action) => Ok(action),
                Err(_) => {
                    let mut actions = Vec::new();
                    self.read_actions("legal", &answer, &mut actions).map(|()| Action(0))
                }
            }
        })
    }

    fn step(&self, state: &mut Truth, joint: &[Action], rewards: &mut [f64]) {
        let next = self.ask(state, None, |py, state| {
            let joint = self.joint(py, joint)?;
            let answer = self.methods.step.bind(py).call1((state, &joint)).map_err(raised("step"))?;
            self.read_step(&answer, rewards).map(Some).map_err(|trouble| match trouble {
                Trouble::Contract(sentence) => Trouble::Contract(format!(
                    "{sentence} (for {} in the state {})",
                    show(joint.as_any()),
                    show(state)
                )),
                raised => raised,
            })
        });
        if let Some(next) = next {
            state.0 = Some(next);
        }
    }

    fn action_name(&self, state: &Truth, player: Option<usize>, action: Action) -> String {
        self.ask(state, String::new(), |py, state| {
            let Some(value) = self.action_value(py, action) else {
                return Ok(format!("action {}", action.0));
            };
            match &self.methods.action_name {
                Some(name) => {
                    self.words("action_name", name.bind(py).call1((state, self.viewer(py, player), value)))
                }
                None => self.words("action_name", value.str().map(Bound::into_any)),
            }
        })
    }

    fn text(&self, state: &Truth, viewer: Option<usize>) -> String {
        self.ask(state, String::new(), |py, state| match &self.methods.text {
            Some(text) => self.words("text", text.bind(py).call1((state, self.viewer(py, viewer)))),
            None if viewer.is_none() || self.info.perfect_information => {
                self.words("text", state.str().map(Bound::into_any))
            }
            None => Ok(format!("({} defines no text of what a player sees)", self.name)),
        })
    }

    fn observe(&self, after: &Truth, turn: Turn, joint: &[Action], player: usize) -> Observation {
        let _ = turn;
        if !self.own_observations() {
            return Observation::of_joint(joint);
        }
        self.ask(after, Observation::SILENT, |py, after| {
            self.number_observation("observe", &self.observed(py, after, joint, player)?)
        })
    }

    fn observe_public(&self, after: &Truth, turn: Turn, joint: &[Action]) -> Observation {
        match &self.methods.observe_public {
            Some(observe) => self.ask(after, Observation::SILENT, |py, after| {
                let joint = self.joint(py, joint)?;
                let told = observe.bind(py).call1((after, joint)).map_err(raised("observe_public"))?;
                self.number_observation("observe_public", &told)
            }),
            None if self.methods.observe.is_none() => self.observe(after, turn, joint, 0),
            None => Observation::SILENT,
        }
    }

    fn observation_name(&self, step: &Transition<Truth>, player: usize) -> String {
        if self.methods.observe.is_none() && self.methods.observation_name.is_none() {
            return self.moves_in_words(step);
        }
        self.ask(step.after, String::new(), |py, after| {
            let told = self.observed(py, after, step.joint, player)?;
            match &self.methods.observation_name {
                Some(name) => {
                    self.words("observation_name", name.bind(py).call1((told, &self.seats[player])))
                }
                None => self.words("observation_name", told.str().map(Bound::into_any)),
            }
        })
    }

    fn player_name(&self, player: usize) -> String {
        let Some(name) = &self.methods.player_name else { return format!("player {}", player + 1) };
        Python::attach(|py| match self.words("player_name", name.bind(py).call1((player,))) {
            Ok(name) => name,
            Err(trouble) => {
                self.fail(py, trouble);
                String::new()
            }
        })
    }

    fn chance(&self, state: &Truth, outcomes: &mut Vec<(Action, f64)>) {
        self.ask(state, (), |py, state| {
            let Some(chance) = &self.methods.chance else {
                return contract("turn says that chance moves, but there is no method chance".to_owned());
            };
            let answer = chance.bind(py).call1((state,)).map_err(raised("chance"))?;
            self.read_chance(&answer, outcomes)
        });
    }

    fn draw(&self, state: &Truth, rng: &mut Rng) -> Action {
        let Some(draw) = &self.methods.draw else {
            let mut outcomes = Vec::new();
            self.chance(state, &mut outcomes);
            let chosen = rng.weighted(outcomes.iter().map(|(_, p)| *p));
            return outcomes.get(chosen).map_or(Action(0), |(outcome, _)| *outcome);
        };
        self.ask(state, Action(0), |py, state| {
            let outcome = self
                .streams
                .lend(py, rng, |stream| draw.bind(py).call1((state, stream)))
                .map_err(raised("draw"))?;
            self.action(&outcome).map_err(unnumbered("draw", "", &outcome))
        })
    }

    fn abilities(&self) -> Abilities<'_, Truth> {
        self.offered()
    }
}
