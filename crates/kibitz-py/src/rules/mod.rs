//! A game written in Python becomes a game of the core.
//!
//! `methods` finds the user's methods and checks the class attributes, this file calls them and
//! checks what they return. A state is the user's own object, treated as an immutable value, so
//! that a clone is a reference count.
//!
//! The first exception, or the first answer that breaks the contract, marks the whole game as
//! broken until [`crate::fault::drive`] has raised it: every state reads as over, no more of the
//! user's code runs, and every loop of the core ends.

mod bits;
mod methods;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kibitz_core::{Action, Event, Game, Info, Observation, Players, Rng, Turn, View};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyList, PySet, PyString, PyTuple};

pub use self::bits::Bits;
use self::methods::Methods;
use crate::intern::Interner;

/// `kibitz.CHANCE` and `kibitz.OVER`.
const CHANCE: i64 = -1;
const OVER: i64 = -2;

/// The user's state; `None` where it never came to be.
pub struct Truth(Option<Py<PyAny>>);

impl Truth {
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

/// What went wrong in the user's rules.
enum Trouble {
    /// The method raised.
    Raised(&'static str, PyErr),
    /// The method's answer breaks the contract, in a sentence that begins with the method.
    Contract(String),
}

type Checked<T> = Result<T, Trouble>;

fn raised(method: &'static str) -> impl Fn(PyErr) -> Trouble {
    move |error| Trouble::Raised(method, error)
}

fn contract<T>(sentence: String) -> Checked<T> {
    Err(Trouble::Contract(sentence))
}

/// As people would write it, but not for pages.
fn show(value: &Bound<'_, PyAny>) -> String {
    let text =
        value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string_lossy().into_owned());
    if text.chars().count() > 80 { text.chars().take(77).chain("...".chars()).collect() } else { text }
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
    methods: Methods,
    /// The players' numbers as Python objects.
    seats: Vec<Py<PyAny>>,
    pub actions: Interner,
    pub observations: Interner,
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
        let seats = (0..info.players)
            .map(|player| Ok(player.into_pyobject(py)?.into_any().unbind()))
            .collect::<PyResult<_>>()?;
        Ok(PyRules {
            rules: rules.clone().unbind(),
            name: rules.get_type().name()?.to_string(),
            info,
            methods,
            seats,
            actions: Interner::new(py),
            observations: Interner::new(py),
            keys: Interner::new(py),
            streams: bits::Pool::default(),
            faults: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            latest: Mutex::new(None),
        })
    }

    /// Whether observations are the user's values and not plain joint actions.
    pub fn own_observations(&self) -> bool {
        self.methods.observe.is_some() || self.methods.resample.is_some()
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
            Trouble::Raised(method, error) => Fault {
                sentence: format!("{}.{method} raised {error}", self.name),
                cause: Some(error.clone_ref(py)),
            },
            Trouble::Contract(sentence) => {
                Fault { sentence: format!("{}.{sentence}", self.name), cause: None }
            }
        };
        // The first failure is the one to report; what follows from it is noise.
        if !self.broken.swap(true, Ordering::Relaxed) {
            if let Ok(mut latest) = self.latest.lock() {
                *latest = Some(fault);
            }
        }
        self.faults.fetch_add(1, Ordering::Relaxed);
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

    fn read_turn(&self, answer: &Bound<'_, PyAny>) -> Checked<Turn> {
        let players = self.info.players;
        let nonsense = || {
            contract(format!(
                "turn returned {}; it should return kb.CHANCE, kb.OVER, a player from 0 to {}, or a tuple of \
                 such players",
                show(answer),
                players - 1
            ))
        };
        if let Ok(several) = answer.cast::<PyTuple>() {
            let mut movers = Players(0);
            for player in several.iter() {
                match player.extract::<usize>() {
                    Ok(player) if player < players && !movers.contains(player) => movers.0 |= 1 << player,
                    _ => return nonsense(),
                }
            }
            return match movers.len() {
                0 => nonsense(),
                1 => Ok(Turn::One(movers.0.trailing_zeros() as usize)),
                _ => Ok(Turn::Several(movers)),
            };
        }
        match answer.extract::<i64>() {
            Ok(CHANCE) => Ok(Turn::Chance),
            Ok(OVER) => Ok(Turn::Over),
            Ok(player) if (0..players as i64).contains(&player) => Ok(Turn::One(player as usize)),
            _ => nonsense(),
        }
    }

    /// The user's list of actions: anything that can be gone through in a fixed order.
    fn read_actions(
        &self,
        method: &'static str,
        answer: &Bound<'_, PyAny>,
        actions: &mut Vec<Action>,
    ) -> Checked<()> {
        let begin = actions.len();
        let mut push = |action: &Bound<'_, PyAny>| -> Checked<()> {
            let number = self.actions.number(action).map_err(|_| {
                Trouble::Contract(format!(
                    "{method} returned the action {}, which is not hashable; use a tuple instead",
                    show(action)
                ))
            })?;
            actions.push(Action(number));
            Ok(())
        };
        if let Ok(list) = answer.cast::<PyList>() {
            list.iter().try_for_each(|action| push(&action))?;
        } else if let Ok(tuple) = answer.cast::<PyTuple>() {
            tuple.iter().try_for_each(|action| push(&action))?;
        } else {
            for action in self.in_order(method, answer)? {
                push(&action.map_err(raised(method))?)?;
            }
        }
        if bits::repeats(&actions[begin..]) {
            actions.truncate(begin);
            return contract(format!("{method} returned an action twice: {}", show(answer)));
        }
        Ok(())
    }

    fn in_order<'py>(
        &self,
        method: &'static str,
        answer: &Bound<'py, PyAny>,
    ) -> Checked<Bound<'py, pyo3::types::PyIterator>> {
        if answer.is_instance_of::<PySet>() || answer.is_instance_of::<PyFrozenSet>() {
            return contract(format!(
                "{method} returned a set, whose order differs from run to run; return a list or a tuple"
            ));
        }
        answer.try_iter().or_else(|_| {
            contract(format!("{method} returned {}; it should return a list of actions", show(answer)))
        })
    }

    fn no_actions<T>(&self, method: &str, state: &Bound<'_, PyAny>, player: usize) -> Checked<T> {
        contract(format!(
            "{method} returned no action for player {player}, whose turn it is, in the state {}; if the game is \
             over, turn should return kb.OVER",
            show(state)
        ))
    }

    fn joint<'py>(&self, py: Python<'py>, joint: &[Action]) -> Checked<Bound<'py, PyTuple>> {
        let value = |action: &Action| {
            self.actions.value(py, action.0).ok_or_else(|| {
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

    /// A number for each player; a bare number will do for a game of one.
    fn read_numbers(
        &self,
        method: &str,
        answer: &Bound<'_, PyAny>,
        mut take: impl FnMut(usize, f64),
    ) -> Checked<()> {
        let players = self.info.players;
        let nonsense = || {
            let wanted = if players == 1 {
                "a number".to_owned()
            } else {
                format!("{players} numbers, one a player")
            };
            contract(format!("{method} returned {}; it should be {wanted}", show(answer)))
        };
        let mut check = |player: usize, number: Result<f64, PyErr>| match number {
            Ok(number) if number.is_finite() => {
                take(player, number);
                Ok(())
            }
            _ => nonsense(),
        };
        if players == 1 {
            if let Ok(number) = answer.extract::<f64>() {
                return check(0, Ok(number));
            }
        }
        if let Ok(tuple) = answer.cast::<PyTuple>() {
            if tuple.len() != players {
                return nonsense();
            }
            return tuple
                .iter()
                .enumerate()
                .try_for_each(|(player, number)| check(player, number.extract()));
        }
        match answer.extract::<Vec<f64>>() {
            Ok(numbers) if numbers.len() == players => {
                numbers.into_iter().enumerate().try_for_each(|(player, number)| check(player, Ok(number)))
            }
            _ => nonsense(),
        }
    }

    fn read_step(&self, answer: &Bound<'_, PyAny>, rewards: &mut [f64]) -> Checked<Py<PyAny>> {
        let Some(pair) = answer.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2) else {
            return contract(format!(
                "step returned {}; it should return (new state, rewards)",
                show(answer)
            ));
        };
        let item = |index| pair.get_item(index).map_err(raised("step"));
        let paid = item(1)?;
        if !paid.is_none() {
            self.read_numbers("step's rewards: it", &paid, |player, reward| rewards[player] += reward)?;
        }
        Ok(item(0)?.unbind())
    }

    fn read_chance(&self, answer: &Bound<'_, PyAny>, outcomes: &mut Vec<(Action, f64)>) -> Checked<()> {
        let mut total = 0.0;
        for pair in self.in_order("chance", answer)? {
            let pair = pair.map_err(raised("chance"))?;
            let Ok((outcome, probability)) = pair.extract::<(Bound<'_, PyAny>, f64)>() else {
                return contract(format!(
                    "chance returned {} in its list; it should return pairs (outcome, probability)",
                    show(&pair)
                ));
            };
            if !(0.0..=1.0 + 1e-6).contains(&probability) {
                return contract(format!("chance gave {} the probability {probability}", show(&outcome)));
            }
            let number = self.actions.number(&outcome).map_err(|_| {
                Trouble::Contract(format!(
                    "chance returned the outcome {}, which is not hashable",
                    show(&outcome)
                ))
            })?;
            total += probability;
            outcomes.push((Action(number), probability));
        }
        if (total - 1.0).abs() > 1e-6 {
            return contract(format!("chance returned probabilities that add up to {total}, not to 1"));
        }
        Ok(())
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

    fn number_observation(&self, method: &str, told: &Bound<'_, PyAny>) -> Checked<Observation> {
        if told.is_none() {
            return Ok(Observation::SILENT);
        }
        let number = self.observations.number(told).map_err(|_| {
            Trouble::Contract(format!(
                "{method} returned {}, which is not hashable; use a tuple instead",
                show(told)
            ))
        })?;
        Ok(Observation(u64::from(number) + 1))
    }

    fn words(&self, method: &'static str, answer: PyResult<Bound<'_, PyAny>>) -> Checked<String> {
        let answer = answer.map_err(raised(method))?;
        match answer.cast::<PyString>() {
            Ok(text) => Ok(text.to_string_lossy().into_owned()),
            Err(_) => contract(format!("{method} returned {}; it should return a text", show(&answer))),
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
            Event::Acted(action) => Some(("acted", self.actions.value(py, action.0)?)),
            Event::Observed(told) => Some((
                "observed",
                self.observations.value(py, u32::try_from(told.0.checked_sub(1)?).ok()?)?,
            )),
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
            match self.actions.number(&chosen) {
                Ok(number) => Ok(Action(number)),
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
            let answer = self.methods.step.bind(py).call1((state, joint)).map_err(raised("step"))?;
            self.read_step(&answer, rewards).map(Some)
        });
        if let Some(next) = next {
            state.0 = Some(next);
        }
    }

    fn action_name(&self, state: &Truth, player: Option<usize>, action: Action) -> String {
        self.ask(state, String::new(), |py, state| {
            let Some(value) = self.actions.value(py, action.0) else {
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

    fn observation_name(
        &self,
        before: &Truth,
        after: &Truth,
        turn: Turn,
        joint: &[Action],
        player: usize,
    ) -> String {
        if self.methods.observe.is_none() && self.methods.observation_name.is_none() {
            let name = |who, action| self.action_name(before, who, action);
            let each = turn.movers().iter().zip(joint);
            let words: Vec<String> = match turn {
                Turn::Chance => joint.iter().map(|outcome| name(None, *outcome)).collect(),
                _ => each.map(|(p, a)| format!("{} {}", self.player_name(p), name(Some(p), *a))).collect(),
            };
            return words.join(", ");
        }
        self.ask(after, String::new(), |py, after| {
            let told = self.observed(py, after, joint, player)?;
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
            let number = self.actions.number(&outcome).map_err(|_| {
                Trouble::Contract(format!("draw returned {}, which is not hashable", show(&outcome)))
            })?;
            Ok(Action(number))
        })
    }

    fn preferred(&self, state: &Truth, player: usize, actions: &mut Vec<Action>) {
        let Some(preferred) = &self.methods.preferred else { return self.legal(state, player, actions) };
        self.ask(state, (), |py, state| {
            let begin = actions.len();
            let answer =
                preferred.bind(py).call1((state, &self.seats[player])).map_err(raised("preferred"))?;
            self.read_actions("preferred", &answer, actions)?;
            if actions.len() == begin { self.no_actions("preferred", state, player) } else { Ok(()) }
        });
    }

    fn evaluate(&self, state: &Truth, values: &mut [f64]) {
        values.fill(0.0);
        self.ask(state, (), |py, state| {
            let Some(evaluate) = &self.methods.evaluate else { return Ok(()) };
            let answer = evaluate.bind(py).call1((state,)).map_err(raised("evaluate"))?;
            self.read_numbers("evaluate", &answer, |player, value| values[player] = value)
        });
    }

    fn hash(&self, state: &Truth) -> u64 {
        self.ask(state, 0, |py, state| {
            let Some(key) = &self.methods.key else { return Ok(0) };
            let key = key.bind(py).call1((state,)).map_err(raised("key"))?;
            self.keys.key(&key).map_err(raised("key"))
        })
    }

    fn view_key(&self, state: &Truth, player: usize) -> u64 {
        self.ask(state, 0, |py, state| {
            let Some(key) = &self.methods.view_key else { return Ok(0) };
            let key = key.bind(py).call1((state, &self.seats[player])).map_err(raised("view_key"))?;
            self.keys.key(&key).map_err(raised("view_key"))
        })
    }

    fn resample(&self, view: &View, rng: &mut Rng) -> Option<Truth> {
        let resample = self.methods.resample.as_ref()?;
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        Python::attach(|py| {
            let events: Vec<_> =
                view.events.iter().map(|event| self.event(py, event)).collect::<Option<_>>()?;
            let drawn = self.streams.lend(py, rng, |stream| {
                resample.bind(py).call1((events, &self.seats[view.player], stream))
            });
            match drawn {
                Ok(state) if state.is_none() => None,
                Ok(state) => Some(Truth(Some(state.unbind()))),
                Err(error) => {
                    self.fail(py, Trouble::Raised("resample", error));
                    None
                }
            }
        })
    }

    fn svg(&self, state: &Truth, viewer: Option<usize>) -> String {
        self.ask(state, String::new(), |py, state| match &self.methods.svg {
            Some(svg) => self.words("svg", svg.bind(py).call1((state, self.viewer(py, viewer)))),
            None => Ok(String::new()),
        })
    }

    fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    fn fault(&self) -> Option<String> {
        Some(self.latest.lock().ok()?.as_ref()?.sentence.clone())
    }
}
