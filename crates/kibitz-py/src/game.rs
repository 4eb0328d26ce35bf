//! Games and states as Python sees them.

use std::sync::Arc;

use kibitz_core::episode::{Illegal, Timing, check_bounds, check_joint, enough_steps};
use kibitz_core::spec::{Spec, SpecError, nearest};
use kibitz_core::{Action, Rng, SharedModel, Transition, Turn, registry};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::count;
use crate::fault::{GameFault, drive};
use crate::lang::{Made, RulesFile};
use crate::rules::{ACTION_BITS, PyRules, Truth};
use crate::way::{Chosen, Seed, Way};

/// A wrong spec is the caller's mistake.
pub fn spec_error(SpecError(what): SpecError) -> PyErr {
    PyValueError::new_err(what)
}

/// The facts about a game that hold in all of its states.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Info(kibitz_core::Info, kibitz_core::Capabilities);

#[pymethods]
impl Info {
    #[getter]
    fn players(&self) -> usize {
        self.0.players
    }

    #[getter]
    fn min_return(&self) -> f64 {
        self.0.min_return
    }

    #[getter]
    fn max_return(&self) -> f64 {
        self.0.max_return
    }

    #[getter]
    fn spread(&self) -> f64 {
        self.0.spread
    }

    #[getter]
    fn discount(&self) -> f64 {
        self.0.discount
    }

    /// After how many steps to leave a game that need not end.
    #[getter]
    fn enough_steps(&self) -> Option<u64> {
        enough_steps(&self.0)
    }

    #[getter]
    fn horizon(&self) -> Option<u32> {
        self.0.horizon
    }

    #[getter]
    fn perfect_information(&self) -> bool {
        self.0.perfect_information
    }

    #[getter]
    fn zero_sum(&self) -> bool {
        self.0.zero_sum
    }

    #[getter]
    fn paid_at_end(&self) -> bool {
        self.0.paid_at_end
    }

    #[getter]
    fn outcome(&self) -> Option<f64> {
        self.0.outcome
    }

    #[getter]
    fn simultaneous(&self) -> Option<bool> {
        self.0.simultaneous
    }

    /// Each capability's name and whether it is there.
    #[getter]
    fn capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let list = PyDict::new(py);
        list.set_item("explicit chance", self.0.explicit_chance)?;
        for (name, there) in self.1.list() {
            list.set_item(name, there)?;
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        let info = &self.0;
        let players =
            if info.players == 1 { "1 player".to_owned() } else { format!("{} players", info.players) };
        format!("<Info: {players}, returns from {} to {}>", info.min_return, info.max_return)
    }
}

/// The rules of a game; immutable, shared between threads.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Game {
    /// The game as the core knows it.
    pub model: SharedModel,
    /// The same, where it is written in Python.
    pub python: Option<Arc<PyRules>>,
    /// How it was asked for.
    pub spec: String,
    /// What it is made of and how it is run, where that is a rules file.
    pub made: Option<Made>,
}

impl Game {
    /// What planners and beliefs are given.
    pub fn planning_model(&self) -> SharedModel {
        self.model.planning_model().unwrap_or_else(|| self.model.clone())
    }

    /// The same rules with a table of numbers of its own, where there is one: what a planner is started on, so that
    /// it cannot look up what somebody else has come to.
    pub fn apart(game: &Bound<'_, Game>) -> PyResult<Py<Game>> {
        let rules = game.get();
        match &rules.python {
            None => Ok(game.clone().unbind()),
            Some(python) => {
                let (py, spec) = (game.py(), rules.spec.clone());
                Py::new(py, Game::python(python.rules.bind(py), spec)?)
            }
        }
    }

    /// Whether an action's number is a hash, whose order means nothing.
    pub fn is_hash(&self, action: u32) -> bool {
        let hashed = self.made.as_ref().is_some_and(|made| made.report.hashed_actions);
        hashed || self.python.is_some() && action >> ACTION_BITS != 0
    }

    /// Whether states of one are states of the other.
    pub fn same_rules(&self, other: &Game) -> bool {
        match (&self.python, &other.python) {
            (Some(one), Some(other)) => one.rules.is(&other.rules),
            _ => Arc::ptr_eq(&self.model, &other.model),
        }
    }

    /// Whether both have the same rules, wherever they were loaded.
    pub fn equals(&self, py: Python<'_>, other: &Game) -> PyResult<bool> {
        if self.same_rules(other) {
            return Ok(true);
        }
        match (&self.python, &other.python) {
            (Some(one), Some(other)) => one.rules.bind(py).eq(&other.rules),
            (None, None) if self.spec == other.spec => Ok(match (&self.made, &other.made) {
                (Some(one), Some(other)) => one.data == other.data,
                (one, other) => one.is_none() && other.is_none(),
            }),
            _ => Ok(false),
        }
    }

    /// ValueError, with a sentence, if there is no such player.
    pub fn check_player(&self, player: usize) -> PyResult<usize> {
        let players = self.model.info().players;
        if player < players {
            return Ok(player);
        }
        Err(PyIndexError::new_err(format!(
            "there is no player {player}: {} has {players}, counted from 0",
            self.spec
        )))
    }

    /// The legal actions of a mover, ascending.
    pub fn legal(&self, state: &kibitz_core::State, player: usize) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.model.turn(state).movers().contains(player) {
            self.model.legal(state, player, &mut actions);
            actions.sort_unstable();
        }
        actions
    }

    /// The joint action of this turn, if it is one.
    ///
    /// # Errors
    /// ValueError that names the legal actions.
    pub fn check_joint(&self, state: &kibitz_core::State, joint: &[u32]) -> PyResult<Vec<Action>> {
        let joint: Vec<Action> = joint.iter().map(|action| Action(*action)).collect();
        check_joint(&*self.model, state, &joint)
            .map_err(|illegal| PyValueError::new_err(illegal.to_string()))?;
        Ok(joint)
    }
}

#[pymethods]
impl Game {
    /// A native game by spec; ValueError with the nearest names for a wrong one.
    #[staticmethod]
    fn native(spec: &str) -> PyResult<Game> {
        let parsed: Spec = spec.parse().map_err(spec_error)?;
        let model = registry::game(&parsed).map_err(spec_error)?;
        Ok(Game { model, python: None, spec: parsed.to_string(), made: None })
    }

    /// Wraps an object that follows `kibitz.Rules`; TypeError where a method is missing.
    #[staticmethod]
    fn python(rules: &Bound<'_, PyAny>, spec: String) -> PyResult<Game> {
        let rules = Arc::new(PyRules::new(rules)?);
        Ok(Game { model: rules.clone(), python: Some(rules), spec, made: None })
    }

    /// The game of a rules file's content, and of those beside it; ValueError with all that is wrong with it.
    #[staticmethod]
    fn from_rules(py: Python<'_>, file: &Bound<'_, RulesFile>, data: Vec<PyBackedBytes>) -> PyResult<Game> {
        crate::lang::game_of(py, file, &data)
    }

    /// How a game made of a rules file is run: the machine, why, and its size.
    #[getter]
    fn machine<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.made.as_ref().map(|made| crate::lang::report(py, &made.report)).transpose()
    }

    /// For each player: what its action heuristic goes by, or why it has none, in words; empty where the game
    /// knows nothing of the kind.
    #[getter]
    fn heuristics(&self, py: Python<'_>) -> PyResult<Vec<(bool, String)>> {
        let model = self.model.clone();
        let told = crate::lang::patiently(py, move || model.heuristics())?;
        let words = |each: Result<String, String>| match each {
            Ok(about) => (true, about),
            Err(why) => (false, why),
        };
        Ok(told.into_iter().map(words).collect())
    }

    /// Something that its rules have left open in a state that came up so far, and how it was understood.
    #[getter]
    fn flaw(&self) -> Option<String> {
        self.model.flaw()
    }

    /// How it is asked for.
    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// In a game in real time: how long a tick is, in the game's own unit of time (a second, unless whoever plays it says
    /// otherwise); else None.
    #[getter]
    fn tick(&self) -> Option<f64> {
        self.model.has().real_time.then(|| self.model.tick())
    }

    #[getter]
    fn info(&self) -> Info {
        Info(self.model.info().clone(), self.model.has())
    }

    /// GameFault if a player has got, or may expect, what the game says it never pays.
    fn demand_declared(&self, values: Vec<f64>, what: &str, slack: f64) -> PyResult<()> {
        check_bounds(self.model.info(), &values, what, slack)
            .map_err(|why| GameFault::new_err(format!("{}: {why}", self.spec)))
    }

    /// The Python object behind it, if there is one.
    #[getter]
    fn rules(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.python.as_ref().map(|python| python.rules.clone_ref(py))
    }

    /// The same rules, numbered anew where they are written in Python.
    #[pyo3(name = "apart")]
    fn py_apart(slf: &Bound<'_, Self>) -> PyResult<Py<Game>> {
        Game::apart(slf)
    }

    /// Where every game begins.
    fn initial(slf: &Bound<'_, Self>) -> PyResult<State> {
        let game = slf.get();
        let state = drive(slf.py(), game, || game.model.initial())?;
        Ok(State { game: slf.clone().unbind(), state: Arc::new(state), way: Some(Way::default()) })
    }

    /// Where the rules speak of roles: their names in the order of the rules, each with the player that it is, None
    /// for chance's.
    #[getter]
    fn roles(&self) -> Vec<(String, Option<usize>)> {
        self.model.roles()
    }

    /// What a player is called.
    fn player_name(&self, py: Python<'_>, player: usize) -> PyResult<String> {
        let player = self.check_player(player)?;
        drive(py, self, || self.model.player_name(player))
    }

    /// The value that a game written in Python uses for an action; the number itself elsewhere.
    fn action_value<'py>(&self, py: Python<'py>, action: u32) -> PyResult<Bound<'py, PyAny>> {
        match &self.python {
            None => Ok(action.into_pyobject(py)?.into_any()),
            Some(rules) => rules.action_value(py, Action(action)).ok_or_else(|| {
                PyValueError::new_err(format!("{} knows no action number {action}", self.spec))
            }),
        }
    }

    /// How many things the game numbers that may be true of a state; 0 where it numbers nothing.
    #[getter]
    fn atom_count(&self) -> u32 {
        self.model.atom_count()
    }

    /// Counts the sequences of joint actions and outcomes of that length (shorter if over).
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        let state = drive(py, self, || self.model.initial())?;
        count::perft(py, self, &state, depth)
    }

    /// Plays `count` playouts from the start, `batch` at a time where the game can play many at once;
    /// the players' mean returns, and all steps taken.
    #[pyo3(signature = (count, seed, policy="random", batch=1))]
    fn playouts(
        &self,
        py: Python<'_>,
        count: u64,
        seed: u64,
        policy: &str,
        batch: u32,
    ) -> PyResult<(Vec<f64>, u64)> {
        count::playouts(py, self, count, seed, policy, batch)
    }

    /// How often each outcome came of `count` playouts from the start: (the players' returns, times).
    #[pyo3(signature = (count, seed, policy="random"))]
    fn playout_returns(
        &self,
        py: Python<'_>,
        count: u64,
        seed: u64,
        policy: &str,
    ) -> PyResult<Vec<(Vec<f64>, u64)>> {
        count::playout_returns(py, self, count, seed, policy)
    }

    fn __repr__(&self) -> String {
        format!("<Game {}>", self.spec)
    }

    /// What a notebook shows.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("kibitz._notebook")?.call_method1("game", (slf,))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, game) = (slf.py(), slf.get());
        let class = py.get_type::<Game>();
        if let Some(Made { file, data, .. }) = &game.made {
            let data: Vec<_> = data.iter().map(|bytes| PyBytes::new(py, bytes)).collect();
            let arguments = (file, data);
            return Ok((class.getattr("from_rules")?, arguments.into_pyobject(py)?.into_any()));
        }
        match &game.python {
            None => Ok((class.getattr("native")?, (&game.spec,).into_pyobject(py)?.into_any())),
            Some(rules) => {
                Ok((class.getattr("python")?, (&rules.rules, &game.spec).into_pyobject(py)?.into_any()))
            }
        }
    }
}

/// A game as people name one: a [`Game`], or whatever `kibitz.load` makes one of.
///
/// # Errors
/// Those of `kibitz.load`.
pub fn game_named<'py>(game: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Game>> {
    match game.cast::<Game>() {
        Ok(game) => Ok(game.clone()),
        Err(_) => Ok(game.py().import("kibitz.games")?.call_method1("load", (game,))?.cast_into()?),
    }
}

/// More legal actions than these are not all named to who has named another one.
const MOST_NAMED: usize = 40;

/// Which of these names is meant, in any case and with any spacing.
///
/// # Errors
/// ValueError naming the nearest ones.
pub fn find_name<'a>(names: impl Iterator<Item = &'a str>, name: &str) -> PyResult<usize> {
    let names: Vec<&str> = names.collect();
    if let Some(found) = names.iter().position(|known| *known == name) {
        return Ok(found);
    }
    // What people type: any case, any spacing, without brackets.
    let plain = |text: &str| {
        let words = text.to_lowercase().replace(['(', ')'], " ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut alike = names.iter().enumerate().filter(|(_, known)| plain(known) == plain(name));
    if let (Some((found, _)), None) = (alike.next(), alike.next()) {
        return Ok(found);
    }
    let near = nearest(name, names.iter().copied());
    Err(PyValueError::new_err(match (names.is_empty(), near.is_empty()) {
        (true, _) => "nobody waits for that choice now".to_owned(),
        (_, false) => format!("no legal action is called '{name}'; did you mean {}?", near.join(" or ")),
        _ if names.len() <= MOST_NAMED => {
            format!("no legal action is called '{name}'; legal are {}", names.join(", "))
        }
        _ => {
            let mut first: Vec<&str> = Vec::new();
            for word in names.iter().filter_map(|known| known.split_whitespace().next()) {
                if !first.contains(&word) && first.len() < MOST_NAMED {
                    first.push(word);
                }
            }
            let (count, shown) = (names.len(), first.join(", "));
            format!("no legal action is called '{name}'; the {count} that are legal begin with {shown}")
        }
    }))
}

/// The whole truth at one moment of a game. Immutable here: `step` gives a new one.
#[pyclass(module = "kibitz._core", frozen)]
pub struct State {
    pub game: Py<Game>,
    pub state: Arc<kibitz_core::State>,
    /// The way to it from where the game begins; none for a state that was imagined.
    pub way: Option<Way>,
}

impl State {
    fn drive<T>(&self, py: Python<'_>, work: impl FnOnce(&Game, &kibitz_core::State) -> T) -> PyResult<T> {
        let game = self.game.get();
        drive(py, game, || work(game, &self.state))
    }

    fn turn(&self, py: Python<'_>) -> PyResult<Turn> {
        self.drive(py, |game, state| game.model.turn(state))
    }

    fn check_viewer(&self, viewer: Option<usize>) -> PyResult<Option<usize>> {
        viewer.map(|viewer| self.game.get().check_player(viewer)).transpose()
    }

    /// A player, or the only one who moves.
    fn mover(&self, py: Python<'_>, player: Option<usize>) -> PyResult<usize> {
        if let Some(player) = player {
            return Ok(player);
        }
        let movers = self.movers(py)?;
        match movers.as_slice() {
            [only] => Ok(*only),
            [] => Err(PyValueError::new_err("no player moves here")),
            _ => Err(PyValueError::new_err(format!("several move here: name one of {movers:?}"))),
        }
    }

    /// The actions of a joint one as numbers.
    fn numbers(&self, py: Python<'_>, joint: Vec<Chosen>) -> PyResult<Vec<u32>> {
        let turn = self.turn(py)?;
        let mut who: Vec<Option<usize>> = turn.movers().iter().map(Some).collect();
        who.resize(joint.len().max(who.len()), None);
        joint.into_iter().zip(who).map(|(chosen, who)| chosen.number(py, self, who)).collect()
    }

    /// Whether both are the same state of the same rules, as far as that can be told.
    fn same(&self, py: Python<'_>, other: &State) -> PyResult<bool> {
        if Arc::ptr_eq(&self.state, &other.state) {
            return Ok(true);
        }
        if !self.game.get().equals(py, other.game.get())? {
            return Ok(false);
        }
        if let (Some(one), Some(other)) = (self.value(py), other.value(py)) {
            return one.bind(py).eq(other);
        }
        if self.game.get().model.has().hash {
            return Ok(self.hash(py)? == other.hash(py)?);
        }
        let (Some(one), Some(other)) = (&self.way, &other.way) else { return Ok(false) };
        Ok(one.joints() == other.joints())
    }

    /// What may happen now: a mover's legal actions, or chance's outcomes.
    fn choices(&self, py: Python<'_>, player: Option<usize>) -> PyResult<Vec<Action>> {
        match player {
            Some(player) => {
                let player = self.game.get().check_player(player)?;
                self.drive(py, |game, state| game.legal(state, player))
            }
            None => Ok(self.outcomes(py)?.into_iter().map(|(outcome, _)| Action(outcome)).collect()),
        }
    }
}

#[pymethods]
impl State {
    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The user's own object, where the game is written in Python.
    #[getter]
    fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.game.get().python.as_ref()?;
        self.state.get::<Truth>().value(py)
    }

    #[getter]
    fn over(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.turn(py)? == Turn::Over)
    }

    #[getter]
    fn chance(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.turn(py)? == Turn::Chance)
    }

    #[getter]
    fn movers(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        Ok(self.turn(py)?.movers().iter().collect())
    }

    /// The legal actions of a player, ascending; empty when it is not its turn. Of the only mover, where none is named.
    #[pyo3(signature = (player=None))]
    fn legal(&self, py: Python<'_>, player: Option<usize>) -> PyResult<Vec<u32>> {
        let player = self.mover(py, player)?;
        Ok(self.choices(py, Some(player))?.into_iter().map(|action| action.0).collect())
    }

    /// What a player's legal actions are called, in the order of `legal`.
    #[pyo3(signature = (player=None))]
    fn names(&self, py: Python<'_>, player: Option<usize>) -> PyResult<Vec<String>> {
        let player = self.mover(py, player)?;
        let choices = self.choices(py, Some(player))?;
        let name = |game: &Game, state: &_, action| game.model.action_name(state, Some(player), action);
        self.drive(py, |game, state| choices.iter().map(|action| name(game, state, *action)).collect())
    }

    /// How near each of a mover's legal actions brings it to what it wants, from 0 to 1, in the order of `legal`; None
    /// where the game has no action heuristic.
    fn action_values(&self, py: Python<'_>, player: usize) -> PyResult<Option<Vec<f64>>> {
        let actions = self.choices(py, Some(player))?;
        let mut values = Vec::with_capacity(actions.len());
        let known =
            self.drive(py, |game, state| game.model.action_values(state, player, &actions, &mut values))?;
        Ok(known.then_some(values))
    }

    /// Chance's outcomes with probabilities; ValueError if the game only samples them.
    fn outcomes(&self, py: Python<'_>) -> PyResult<Vec<(u32, f64)>> {
        let game = self.game.get();
        if self.turn(py)? != Turn::Chance {
            return Ok(Vec::new());
        }
        if !game.model.info().explicit_chance {
            let spec = &game.spec;
            return Err(PyValueError::new_err(format!(
                "{spec} only draws chance's outcomes, it does not list them"
            )));
        }
        let outcomes = self.drive(py, |game, state| {
            let mut outcomes = Vec::new();
            game.model.chance(state, &mut outcomes);
            outcomes
        })?;
        Ok(outcomes.into_iter().map(|(outcome, probability)| (outcome.0, probability)).collect())
    }

    /// The next state and each player's reward; ValueError for an illegal action.
    fn step(&self, py: Python<'_>, joint: Vec<Chosen>) -> PyResult<(State, Vec<f64>)> {
        let joint = self.numbers(py, joint)?;
        let (joint, next, rewards) = self.drive(py, |game, state| -> PyResult<_> {
            let joint = game.check_joint(state, &joint)?;
            let mut next = state.clone();
            let mut rewards = vec![0.0; game.model.info().players];
            game.model.step(&mut next, &joint, &mut rewards);
            // A Python game's mistakes in the new state come to light here, where they were made.
            game.model.turn(&next);
            Ok((joint, next, rewards))
        })??;
        let way = self.way.as_ref().map(|way| way.then(joint));
        Ok((State { game: self.game.clone_ref(py), state: Arc::new(next), way }, rewards))
    }

    /// In real time: the state after so many ticks in which nobody chooses and nothing happens; ValueError where something
    /// would.
    fn later(&self, py: Python<'_>, ticks: u64) -> PyResult<State> {
        let next = self.drive(py, |game, state| {
            let most = match game.model.timing(state) {
                Timing::Turns => 0,
                Timing::Open => u64::MAX,
                Timing::Due(most) => most,
            };
            if ticks > most {
                return Err(PyValueError::new_err(Illegal::Time { elapsed: ticks, most }.to_string()));
            }
            let mut next = state.clone();
            if ticks > 0 {
                game.model.pass(&mut next, ticks);
            }
            Ok(next)
        })??;
        let way = self.way.clone().filter(|_| ticks == 0);
        Ok(State { game: self.game.clone_ref(py), state: Arc::new(next), way })
    }

    /// Draws an outcome of chance, with a seed or a `random.Random`.
    fn draw(&self, py: Python<'_>, seed: Seed) -> PyResult<u32> {
        if self.turn(py)? != Turn::Chance {
            return Err(PyValueError::new_err("it is not chance's turn"));
        }
        self.drive(py, |game, state| game.model.draw(state, &mut Rng::new(seed.0)).0)
    }

    /// Plays on to the end, with a seed or a `random.Random`; what each player gets from here on.
    #[pyo3(signature = (seed=Seed(0), policy="random"), text_signature = "($self, seed=0, policy='random')")]
    fn playout(&self, py: Python<'_>, seed: Seed, policy: &str) -> PyResult<Vec<f64>> {
        count::playout_from(py, self.game.get(), &self.state, seed.0, policy)
    }

    /// The name of a player's action, or of chance's outcome where `player` is None.
    fn action_name(&self, py: Python<'_>, player: Option<usize>, action: u32) -> PyResult<String> {
        let player = self.check_viewer(player)?;
        if Action(action) == Action::WAIT && player.is_some() {
            return Ok("wait".to_owned());
        }
        self.drive(py, |game, state| game.model.action_name(state, player, Action(action)))
    }

    /// The legal action of that name; ValueError naming the nearest ones.
    pub fn find_action(&self, py: Python<'_>, player: Option<usize>, name: &str) -> PyResult<u32> {
        let choices = self.choices(py, player)?;
        let names: Vec<String> = self.drive(py, |game, state| {
            choices.iter().map(|action| game.model.action_name(state, player, *action)).collect()
        })?;
        let found = find_name(names.iter().map(String::as_str), name).map_err(|error| match player {
            // Whoever else it was meant for is told whose turn it is.
            Some(player) if names.len() > 1 && self.game.get().model.info().players > 1 => {
                let who = self.game.get().model.player_name(player);
                PyValueError::new_err(format!("{who} is to move, and {}", error.value(py)))
            }
            _ => error,
        })?;
        Ok(choices[found].0)
    }

    /// Key and words of what `player` was told by the step from `before` to here; (0, "") if nothing.
    fn observation(
        &self,
        py: Python<'_>,
        before: &Bound<'_, State>,
        joint: Vec<u32>,
        player: usize,
    ) -> PyResult<(u64, String)> {
        let before = before.get();
        if !before.game.get().same_rules(self.game.get()) {
            return Err(PyValueError::new_err("the two states belong to different games"));
        }
        let player = self.game.get().check_player(player)?;
        self.drive(py, |game, after| -> PyResult<_> {
            let joint = game.check_joint(&before.state, &joint)?;
            let turn = game.model.turn(&before.state);
            let told = game.model.observe(after, turn, &joint, player);
            if told == kibitz_core::Observation::SILENT {
                return Ok((0, String::new()));
            }
            let step = Transition { before: &*before.state, after, turn, joint: &joint };
            Ok((told.0, game.model.observation_name(&step, player)))
        })?
    }

    /// The evaluator's estimate of the return still to come, if the game has one.
    fn evaluate(&self, py: Python<'_>) -> PyResult<Option<Vec<f64>>> {
        let model = &self.game.get().model;
        let info = model.info();
        if !model.has().evaluator {
            return Ok(None);
        }
        let mut values = vec![0.0; info.players];
        self.drive(py, |game, state| game.model.evaluate(state, &mut values))?;
        Ok(Some(values))
    }

    /// The parts of a legal action but for the last, which is the action itself, if the game tells: its type, its source, ...
    fn factors(&self, py: Python<'_>, player: usize, action: u32) -> PyResult<Option<Vec<u32>>> {
        let has = self.game.get().model.has().factors;
        let mut parts = Vec::new();
        self.drive(py, |game, state| {
            let mut legal = Vec::new();
            if has && player < game.model.info().players && game.model.turn(state).movers().contains(player)
            {
                game.model.legal(state, player, &mut legal);
            }
            if legal.contains(&Action(action)) {
                game.model.factors(state, player, Action(action), &mut parts);
            }
        })?;
        Ok(has.then_some(parts))
    }

    /// The features as a player sees them, each with its name, if the game has some.
    fn features(&self, py: Python<'_>, player: usize) -> PyResult<Option<Vec<(String, f64)>>> {
        let model = &self.game.get().model;
        if !model.has().features || player >= model.info().players {
            return Ok(None);
        }
        let mut values = Vec::new();
        self.drive(py, |game, state| game.model.features(state, player, &mut values))?;
        Ok(Some(model.feature_names().into_iter().zip(values).collect()))
    }

    /// Equal for states with the same future, if the game tells.
    fn hash(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let has = self.game.get().model.has().hash;
        has.then(|| self.drive(py, |game, state| game.model.hash(state))).transpose()
    }

    /// The numbers of what is true here, ascending, each below `Game.atom_count`; None where the game numbers nothing.
    fn atoms(&self, py: Python<'_>) -> PyResult<Option<Vec<u32>>> {
        let has = self.game.get().model.has().atoms;
        let atoms = self.drive(py, |game, state| {
            let mut atoms = Vec::new();
            game.model.atoms(state, &mut atoms);
            atoms.sort_unstable();
            atoms.dedup();
            atoms
        })?;
        Ok(has.then_some(atoms))
    }

    /// What holds, one fact an entry, where the rules are made of facts.
    #[getter]
    fn facts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.drive(py, |game, state| game.model.facts(state))
    }

    /// The names of the legal moves of a role of the rules, also where it has but one.
    fn role_moves(&self, py: Python<'_>, role: usize) -> PyResult<Vec<String>> {
        self.drive(py, |game, state| {
            let known = role < game.model.roles().len();
            if known { game.model.role_moves(state, role) } else { Vec::new() }
        })
    }

    /// Whether the players have moved and chance has still to, in the same turn of the rules.
    #[getter]
    fn within_turn(&self, py: Python<'_>) -> PyResult<bool> {
        self.drive(py, |game, state| game.model.within_turn(state))
    }

    /// What a player was told by the turn that led here, in the words of the rules, where they hide something.
    fn percepts(&self, py: Python<'_>, player: usize) -> PyResult<Vec<String>> {
        let player = self.game.get().check_player(player)?;
        self.drive(py, |game, state| game.model.percepts(state, player))
    }

    /// A drawing in plain characters: of the whole truth, or of what `viewer` may know of it.
    #[pyo3(signature = (viewer=None))]
    fn text(&self, py: Python<'_>, viewer: Option<usize>) -> PyResult<String> {
        let viewer = self.check_viewer(viewer)?;
        self.drive(py, |game, state| game.model.text(state, viewer))
    }

    /// A picture, if the game draws one.
    #[pyo3(signature = (viewer=None))]
    fn svg(&self, py: Python<'_>, viewer: Option<usize>) -> PyResult<Option<String>> {
        let viewer = self.check_viewer(viewer)?;
        let has = self.game.get().model.has().picture;
        has.then(|| self.drive(py, |game, state| game.model.svg(state, viewer))).transpose()
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.svg(py, None)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<State of {}>\n{}", self.game.get().spec, self.text(py, None)?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<State>() else { return Ok(py.NotImplemented()) };
        Ok(self.same(py, other.get())?.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        if let Some(value) = self.value(py) {
            return value.bind(py).hash();
        }
        if let Some(hash) = self.hash(py)? {
            return Ok(hash as isize);
        }
        let joints = self.way.as_ref().map(Way::joints);
        let mut keys = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&joints, &mut keys);
        Ok(std::hash::Hasher::finish(&keys) as isize)
    }

    /// Counts the sequences of joint actions and outcomes of that length from here (shorter if over).
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        count::perft(py, self.game.get(), &self.state, depth)
    }

    /// Copies it so many times, as searches do, and throws the copies away: for benchmarks.
    fn copies(&self, py: Python<'_>, count: u64) -> PyResult<()> {
        count::copies(py, self.game.get(), &self.state, count)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// A state of a game that is written in Python.
    #[staticmethod]
    fn of(game: &Bound<'_, Game>, value: Py<PyAny>) -> PyResult<State> {
        if game.get().python.is_none() {
            let spec = &game.get().spec;
            return Err(PyValueError::new_err(format!("the states of {spec} are not Python's")));
        }
        let state = Arc::new(kibitz_core::State::new(Truth::new(value)));
        Ok(State { game: game.clone().unbind(), state, way: None })
    }

    /// The state that these joint actions lead to from where the game begins, chance's outcomes among them; ValueError
    /// where the game does not allow one.
    #[staticmethod]
    fn after(game: &Bound<'_, Game>, joints: Vec<Vec<u32>>) -> PyResult<State> {
        let mut state = Game::initial(game)?;
        for joint in joints {
            let joint = joint.into_iter().map(Chosen::Number).collect();
            state = state.step(game.py(), joint)?.0;
        }
        Ok(state)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let class = py.get_type::<State>();
        if let Some(value) = self.value(py) {
            return Ok((class.getattr("of")?, (&self.game, value).into_pyobject(py)?.into_any()));
        }
        let Some(way) = &self.way else {
            return Err(PyTypeError::new_err(
                "a state that was imagined cannot be pickled: it has no history of its own",
            ));
        };
        let joints: Vec<Vec<u32>> =
            way.joints().iter().map(|joint| joint.iter().map(|action| action.0).collect()).collect();
        Ok((class.getattr("after")?, (&self.game, joints).into_pyobject(py)?.into_any()))
    }
}
