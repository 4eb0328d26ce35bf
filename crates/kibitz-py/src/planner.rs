//! Planners and their decisions as Python sees them.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::num::NonZeroU64;
use std::sync::{Mutex, TryLockError};

use kibitz_core::planning_model::ModelChoice;
use kibitz_core::spec::Spec;
use kibitz_core::{Action, registry};
use pyo3::exceptions::{PyFutureWarning, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::fault::{drive, placed};
use crate::game::{Game, spec_error};
use crate::pace::Pace;
use crate::rules::show;
use crate::state::State;
use crate::translate::{translate, translate_back};
use crate::view::View;

/// The evidence for one legal action.
#[pyclass(module = "kibitz._core", frozen, get_all)]
pub struct Judgement {
    action: u32,
    name: String,
    value: Option<f64>,
    error: Option<f64>,
    visits: u64,
}

#[pymethods]
impl Judgement {
    fn __repr__(&self) -> String {
        let value = self.value.map_or("?".to_owned(), |value| format!("{value:.4}"));
        format!("<Judgement {}: {value}, {} visits>", self.name, self.visits)
    }
}

/// A chosen action with the reasons for it.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Decision {
    decision: kibitz_core::planner::Decision,
    name: String,
    table: Vec<Py<Judgement>>,
    /// Who decided, and which one of its decisions it was.
    made: Option<(Py<Planner>, u64)>,
}

impl Decision {
    /// What the core has of it, in the numbers of the referee.
    pub fn inner(&self) -> &kibitz_core::planner::Decision {
        &self.decision
    }

    /// What a planner decided in this position, in the numbers of the referee and in words.
    fn new(
        py: Python<'_>,
        view: &View,
        mut decision: kibitz_core::planner::Decision,
    ) -> PyResult<Decision> {
        let game = view.referees.get();
        if decision.wait.is_some() {
            decision.action = Action::WAIT;
        }
        translate_back(py, &mut decision, view.game.get(), game)?;
        let who = Some(view.view.player);
        let (name, names) = drive(py, game, || {
            let name = |action| match action {
                Action::WAIT => "wait".to_owned(),
                action => game.model.action_name(&view.now, who, action),
            };
            let names: Vec<String> = decision.table.iter().map(|row| name(row.action)).collect();
            (name(decision.action), names)
        })?;
        let judge = |(row, name): (&kibitz_core::planner::Judgement, String)| {
            let kibitz_core::planner::Judgement { action, value, error, visits } = *row;
            Py::new(py, Judgement { action: action.0, name, value, error, visits })
        };
        let table = decision.table.iter().zip(names).map(judge).collect::<PyResult<_>>()?;
        Ok(Decision { decision, name, table, made: None })
    }
}

/// Reads an argument; TypeError that says what it should be.
fn wanted<'py, T>(name: &str, value: &Bound<'py, PyAny>, kind: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    value.extract::<T>().map_err(|_| {
        PyTypeError::new_err(format!("Decision: {name} should be {kind}, not {}", show(value)))
    })
}

/// A row of evidence from Python: action, value, standard error, visits.
type Row = (u32, Option<f64>, Option<f64>, u64);

#[pymethods]
impl Decision {
    /// The decision of a planner written in Python.
    #[new]
    #[pyo3(signature = (view, action, table=None, notes=None, *, ticks=None, takes=0))]
    fn python(
        py: Python<'_>,
        view: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        table: Option<&Bound<'_, PyAny>>,
        notes: Option<&Bound<'_, PyAny>>,
        ticks: Option<&Bound<'_, PyAny>>,
        takes: u64,
    ) -> PyResult<Decision> {
        let view = wanted::<Bound<'_, View>>("view", view, "the view that was given")?;
        let view = view.get();
        let illegal = |chosen: &str| {
            PyValueError::new_err(format!("{chosen} is not one of the view's legal actions"))
        };
        let number =
            wanted::<i128>("action", action, "the number of an action, the first of a pair in view.legal")?;
        let action = u32::try_from(number).map_err(|_| illegal(&number.to_string()))?;
        let like = "a list of (action, value, standard error, visits)";
        let rows = table.map_or(Ok(Vec::new()), |table| wanted::<Vec<Row>>("table", table, like))?;
        let notes = notes.map_or(Ok(Vec::new()), |notes| wanted("notes", notes, "a list of texts"))?;
        let legal: BTreeSet<Action> = view.view.legal.iter().copied().collect();
        let kind = "a whole number from 1 on, and goes with WAIT";
        let ticks = ticks.map_or(Ok(None), |ticks| wanted::<NonZeroU64>("ticks", ticks, kind).map(Some))?;
        let waits = Action(action) == Action::WAIT;
        if waits && !view.view.may_wait {
            return Err(PyValueError::new_err(
                "WAIT: this is a game of turns, in which nobody can wait; choose one of the view's legal actions",
            ));
        }
        if ticks.is_some() && !waits {
            return Err(PyTypeError::new_err(format!("Decision: ticks should be {kind}")));
        }
        for chosen in rows.iter().map(|row| row.0).chain((!waits).then_some(action)) {
            if !legal.contains(&Action(chosen)) {
                return Err(illegal(&chosen.to_string()));
            }
        }
        let judge = |(action, value, error, visits)| kibitz_core::planner::Judgement {
            action: Action(action),
            value,
            error,
            visits,
        };
        let decision = kibitz_core::planner::Decision {
            action: Action(action),
            simulations: rows.iter().map(|row| row.3).sum(),
            table: rows.into_iter().map(judge).collect(),
            notes,
            takes,
            wait: waits.then(|| ticks.map_or(u64::MAX, NonZeroU64::get)),
            ..Default::default()
        };
        Decision::new(py, view, decision)
    }

    /// For how many ticks it does nothing, where it waits and is asked again then, or as soon as it is told something.
    #[getter]
    fn ticks(&self) -> Option<u64> {
        self.decision.wait
    }

    /// So many ticks of the game's time go by until it is made, where thinking costs some.
    #[getter]
    fn takes(&self) -> u64 {
        self.decision.takes
    }

    /// In the numbers of the referee.
    #[getter]
    pub fn action(&self) -> u32 {
        self.decision.action.0
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The chosen action in words, as `name`.
    #[getter]
    fn best(&self) -> &str {
        &self.name
    }

    /// The evidence for people: action, value with its standard error, visits; best first.
    fn table_text(&self) -> String {
        let rows = self.table.iter().map(|row| row.get());
        let heuristic = &self.decision.heuristic;
        let cells: Vec<Vec<String>> = rows
            .enumerate()
            .map(|(number, row)| {
                let value = row.value.map_or("?".to_owned(), |value| format!("{value:.3}"));
                let error = row.error.map_or(String::new(), |error| format!(" ± {error:.3}"));
                let worth = heuristic.get(number).map(|worth| format!("{worth:.4}"));
                let cells = [row.name.clone(), value + &error, row.visits.to_string()];
                cells.into_iter().chain(worth).collect()
            })
            .collect();
        let mut heads: Vec<String> = ["action", "value", "visits"].map(str::to_owned).to_vec();
        heads.extend((!heuristic.is_empty()).then(|| "heuristic".to_owned()));
        let lines = || std::iter::once(&heads).chain(&cells);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let line = |cells: &Vec<String>| {
            let right =
                cells[1..].iter().zip(&widths[1..]).map(|(cell, width)| format!("  {cell:>width$}"));
            format!("{:<1$}", cells[0], widths[0]) + &right.collect::<String>()
        };
        lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The search tree, of a planner that has one; ValueError once the planner has moved on.
    #[getter]
    fn tree<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("kibitz.tree")?.call_method1("of", (slf,))
    }

    /// What the players of its game are called; empty where nobody is known to have decided.
    #[getter]
    fn players(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let Some((planner, _)) = &self.made else { return Ok(Vec::new()) };
        let Some((game, _)) = &planner.get().sit()?.game else { return Ok(Vec::new()) };
        let game = game.get();
        let names = 0..game.model.info().players;
        drive(py, game, || names.map(|player| game.model.player_name(player)).collect())
    }

    /// The nodes of the search tree, up to so many.
    fn grown(&self, py: Python<'_>, most: usize) -> PyResult<Option<Vec<GrownNode>>> {
        let Some((planner, number)) = &self.made else { return Ok(None) };
        planner.get().grown(py, *number, most)
    }

    /// The evidence for each legal action, best first.
    #[getter]
    fn table(&self, py: Python<'_>) -> Vec<Py<Judgement>> {
        self.table.iter().map(|row| row.clone_ref(py)).collect()
    }

    /// What the action heuristic says of each row of the table, where the planner goes by one; else empty.
    #[getter]
    fn heuristic(&self) -> Vec<f64> {
        self.decision.heuristic.clone()
    }

    #[getter]
    fn simulations(&self) -> u64 {
        self.decision.simulations
    }

    #[getter]
    fn nodes(&self) -> u64 {
        self.decision.nodes
    }

    /// What each player may expect from here on, on average over the simulations of a tree search.
    #[getter]
    fn values(&self) -> Vec<f64> {
        self.decision.values.clone()
    }

    #[getter]
    fn edges(&self) -> u64 {
        self.decision.edges
    }

    /// What nodes, edges and their index take.
    #[getter]
    fn bytes(&self) -> u64 {
        self.decision.bytes
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.decision.elapsed.as_secs_f64()
    }

    #[getter]
    fn belief(&self) -> Option<u64> {
        self.decision.belief
    }

    /// How many steps of the model the simulations took, where that is counted.
    #[getter]
    fn transitions(&self) -> Option<u64> {
        self.decision.transitions
    }

    /// How many moves a simulation made before it left the tree, on average; of a search that has a tree.
    #[getter]
    fn depth(&self) -> Option<f64> {
        self.decision.depth
    }

    /// What the belief has cost so far and how sure it is, in figures with names.
    #[getter]
    fn counters(&self) -> Vec<(&'static str, f64)> {
        self.decision.counters.clone()
    }

    /// What is expected to happen: player and action, from the choice on.
    #[getter]
    fn line(&self) -> Vec<(usize, String)> {
        self.decision.line.clone()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.decision.notes.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Decision {}, {} simulations>", self.name, self.decision.simulations)
    }

    /// What a notebook shows.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("kibitz._notebook")?.call_method1("decision", (slf,))
    }
}

/// A planner of the core; ValueError for a wrong spec.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Planner {
    spec: String,
    seat: Mutex<Seat>,
}

struct Seat {
    planner: Box<dyn kibitz_core::planner::Planner>,
    game: Option<(Py<Game>, usize)>,
    /// How many decisions it has made, and what it knew at the last.
    decisions: u64,
    seen: Option<kibitz_core::View>,
}

/// A node of a tree as Python gets it: whose it is, visits, and edges; an edge is the action's name, visits, value and the
/// children, each with what is told on the way and its place.
type GrownNode = (usize, u64, Vec<(String, u64, Option<f64>, Vec<(String, usize)>)>);

impl Planner {
    /// Work with the planner; RuntimeError while another thread does.
    fn sit(&self) -> PyResult<std::sync::MutexGuard<'_, Seat>> {
        match self.seat.try_lock() {
            Ok(seat) => Ok(seat),
            Err(TryLockError::Poisoned(seat)) => Ok(seat.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(format!(
                "{} is busy in another thread; give each thread a planner of its own",
                self.spec
            ))),
        }
    }

    /// Runs `work` without the GIL, or with it where the game needs it all the time anyway.
    fn run<T: Send>(&self, py: Python<'_>, game: &Game, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        if game.python.is_some() { drive(py, game, work) } else { drive(py, game, || py.detach(work)) }
    }
}

#[pymethods]
impl Planner {
    /// `model` is another game that it is to take the game for, in place of what `model=` in the spec may say.
    #[new]
    #[pyo3(signature = (spec, model=None))]
    fn new(py: Python<'_>, spec: &str, model: Option<&Bound<'_, Game>>) -> PyResult<Planner> {
        let mut parsed: Spec = spec.parse().map_err(spec_error)?;
        let written = parsed.to_string();
        for note in registry::old_words(&parsed) {
            PyErr::warn(py, &py.get_type::<PyFutureWarning>(), &CString::new(note)?, 2)?;
        }
        let planner = match model {
            None => registry::planner(&parsed),
            Some(model) => {
                let model = model.get();
                parsed.arguments.retain(|(key, _)| key != "model");
                registry::planner_with(&parsed, ModelChoice::Other(model.model.clone(), model.spec.clone()))
            }
        };
        let planner = planner.map_err(spec_error)?;
        Ok(Planner {
            spec: written,
            seat: Mutex::new(Seat { planner, game: None, decisions: 0, seen: None }),
        })
    }

    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// ValueError, with a sentence, where the game lacks what the planner needs.
    fn start(&self, py: Python<'_>, game: &Bound<'_, Game>, seat: usize, seed: u64) -> PyResult<()> {
        let rules = game.get();
        let player = rules.check_player(seat)?;
        let mut seat = self.sit()?;
        (seat.game, seat.seen) = (None, None);
        let model = rules.model.clone();
        let planner = &mut seat.planner;
        self.run(py, rules, || planner.start(model, player, seed))?.map_err(PyValueError::new_err)?;
        seat.game = Some((game.clone().unbind(), player));
        Ok(())
    }

    /// Whether it must be told the true state before each decision.
    #[getter]
    fn cheats(&self) -> PyResult<bool> {
        Ok(self.sit()?.planner.cheats())
    }

    /// Tells a planner that cheats the true state, for one decision. ValueError for one that does not.
    fn tell(&self, truth: &Bound<'_, State>) -> PyResult<()> {
        let truth = truth.get();
        let mut seat = self.sit()?;
        if !seat.planner.cheats() {
            return Err(PyValueError::new_err(format!("{} does not cheat: it may not be told", self.spec)));
        }
        let same = |(game, _): &(Py<Game>, usize)| game.get().same_rules(truth.game.get());
        if !seat.game.as_ref().is_some_and(same) {
            return Err(PyValueError::new_err(format!(
                "{} needs the very game that is played as its model, and was started with another",
                self.spec
            )));
        }
        seat.planner.tell((*truth.state).clone());
        Ok(())
    }

    /// Releases the GIL unless the game is a Python one; Ctrl-C raises KeyboardInterrupt soon.
    /// After `seconds` it answers with the best it has, whatever its own budget says.
    #[pyo3(signature = (view, seconds=None))]
    fn act(slf: &Bound<'_, Self>, view: &Bound<'_, View>, seconds: Option<f64>) -> PyResult<Decision> {
        let (py, this, view) = (slf.py(), slf.get(), view.get());
        let mut decision = this.decide(py, view, seconds)?;
        decision.made = Some((slf.clone().unbind(), this.sit()?.decisions));
        Ok(decision)
    }

    fn __repr__(&self) -> String {
        format!("<Planner {}>", self.spec)
    }
}

impl Planner {
    fn decide(&self, py: Python<'_>, view: &View, seconds: Option<f64>) -> PyResult<Decision> {
        let mut seat = self.sit()?;
        seat.decisions += 1;
        seat.seen = None;
        let Some((game, player)) = seat.game.take() else {
            return Err(PyRuntimeError::new_err(format!(
                "{} was not started; call start first",
                self.spec
            )));
        };
        let refuse = |what: String| Err(PyValueError::new_err(what));
        let checked = if player != view.view.player {
            refuse(format!("{} plays seat {player}, but the view is of {}", self.spec, view.view.player))
        } else if view.view.legal.is_empty() {
            refuse(format!("it is not the turn of player {player}"))
        } else {
            translate(py, view, game.get())
        };
        let seen = match checked {
            Ok(seen) => seen,
            Err(error) => {
                seat.game = Some((game, player));
                return Err(error);
            }
        };
        let mut pace = Pace::new(seconds);
        let planner = &mut seat.planner;
        let result = self.run(py, game.get(), || planner.act(&seen, &mut || pace.stop()));
        // After a failure in the middle of a search the planner's memory is not to be trusted.
        let result =
            result.map_err(|error| placed(py, error, format_args!("a simulation of {}", self.spec)))?;
        let rules = game.clone_ref(py);
        seat.game = Some((game, player));
        seat.seen = Some(seen);
        pace.finish()?;
        let mut decision = result.map_err(PyValueError::new_err)?;
        translate_back(py, &mut decision, rules.get(), view.game.get())?;
        if decision.wait.is_none() && !view.view.legal.contains(&decision.action) {
            let action = decision.action.0;
            return Err(PyRuntimeError::new_err(format!(
                "{} chose {action}, which is not legal",
                self.spec
            )));
        }
        Decision::new(py, view, decision)
    }

    /// What a decision has left of its tree; ValueError once there was another decision.
    fn grown(&self, py: Python<'_>, number: u64, most: usize) -> PyResult<Option<Vec<GrownNode>>> {
        let mut seat = self.sit()?;
        let Seat { planner, game, decisions, seen } = &mut *seat;
        if *decisions != number {
            return Err(PyValueError::new_err(format!(
                "{} has moved on: ask for a decision's tree before the planner decides again",
                self.spec
            )));
        }
        let (Some((game, _)), Some(view)) = (game, seen) else { return Ok(None) };
        let game = game.clone_ref(py);
        let grown = self.run(py, game.get(), || planner.tree(view, most))?;
        let edge =
            |edge: kibitz_core::planner::GrownEdge| (edge.name, edge.visits, edge.value, edge.children);
        let node = |node: kibitz_core::planner::GrownNode| {
            (node.player, node.visits, node.edges.into_iter().map(edge).collect())
        };
        Ok(grown.map(|grown| grown.nodes.into_iter().map(node).collect()))
    }
}
