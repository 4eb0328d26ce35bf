//! Games as Python sees them.

use std::sync::Arc;

use kibitz_core::episode::{check_bounds, check_joint};
use kibitz_core::spec::{Spec, SpecError};
use kibitz_core::{Action, SharedModel, registry};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::count;
use crate::fault::{GameFault, drive};
use crate::info::Info;
use crate::lang::{Made, RulesFile};
use crate::rules::{ACTION_BITS, PyRules};
use crate::state::State;
use crate::trajectory::Trajectory;

/// A wrong spec is the caller's mistake.
pub fn spec_error(SpecError(what): SpecError) -> PyErr {
    PyValueError::new_err(what)
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
    pub fn initial(slf: &Bound<'_, Self>) -> PyResult<State> {
        let game = slf.get();
        let state = drive(slf.py(), game, || game.model.initial())?;
        Ok(State {
            game: slf.clone().unbind(),
            state: Arc::new(state),
            trajectory: Some(Trajectory::default()),
        })
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
