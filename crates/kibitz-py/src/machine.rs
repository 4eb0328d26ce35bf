//! The machine of a rules file, bare: facts, moves, scores and percepts as the rules name them.
//!
//! A game asks its machine only for what players need; this shows all of it: also the moves of a
//! role that has but one, what holds, and scores before the end. Checks and comparisons use it.

use std::sync::Arc;

use kibitz_lang::bare::{Bare, Bared};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::lang::{RulesFile, content, with_text};

/// A rules file as the machine that runs it sees it.
#[pyclass(module = "kibitz._core", frozen)]
pub struct RulesMachine(Bare);

#[pymethods]
impl RulesMachine {
    /// The machine of a rules file's content: the one that is asked for, or the one that a game
    /// made of the file would get. ValueError with all that is wrong with the file.
    #[new]
    #[pyo3(signature = (file, data, machine=None))]
    fn py_new(
        py: Python<'_>,
        file: &Bound<'_, RulesFile>,
        data: Vec<PyBackedBytes>,
        machine: Option<String>,
    ) -> PyResult<RulesMachine> {
        let language = file.get().file.language;
        let Some(machines) = &language.machines else {
            let what = format!("{}: {} has no machines to look into", file.get().file.path, language.name);
            return Err(PyValueError::new_err(what));
        };
        let there = (machines.names)();
        if let Some(other) = machine.as_ref().filter(|name| !there.contains(name)) {
            let there = there.join(", ");
            return Err(PyValueError::new_err(format!("there is no machine {other:?}; there are {there}")));
        }
        let make = machines.make;
        with_text(py, file, &content(&data), move |text| {
            make(text, machine.as_deref()).map_err(|refusal| refusal.render(&text.sources))
        })
        .map(RulesMachine)
    }

    /// One of its file's `machines`.
    #[getter]
    fn kind(&self) -> &str {
        &self.0.kind
    }

    /// Why it is not a faster one, where that was tried.
    #[getter]
    fn why(&self) -> Option<&str> {
        self.0.why.as_deref()
    }

    /// The roles' names, that of chance included.
    #[getter]
    fn roles(&self) -> Vec<String> {
        self.0.roles.clone()
    }

    /// Whether the rules say what each role is told (GDL-II).
    #[getter]
    fn has_percepts(&self) -> bool {
        self.0.has_percepts
    }

    /// Where every game begins. ValueError if deriving what holds there hits a limit.
    fn initial(&self) -> PyResult<RulesState> {
        RulesState::new(self.0.initial.clone())
    }

    /// The lines of the rules that say when it is over (`terminal`), when a role may move (`legal`), what it scores
    /// (`goal`), or what happens (`effect`), as far as the language has such lines.
    #[pyo3(signature = (relation, role=None))]
    fn lines(&self, relation: &str, role: Option<&str>) -> Vec<usize> {
        self.0.lines(relation, role)
    }

    fn __repr__(&self) -> String {
        format!("<RulesMachine: {} of {}>", self.0.kind, self.0.roles.join(", "))
    }
}

/// A state as the machine of a rules file sees it. Lists of lists have an entry for each role.
#[pyclass(module = "kibitz._core", frozen)]
pub struct RulesState(Arc<dyn Bared>);

impl RulesState {
    fn new(position: Arc<dyn Bared>) -> PyResult<RulesState> {
        match position.trouble() {
            Some(trouble) => Err(PyValueError::new_err(trouble)),
            None => Ok(RulesState(position)),
        }
    }
}

#[pymethods]
impl RulesState {
    /// What holds, sorted.
    #[getter]
    fn facts(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.0.facts())
    }

    /// Whether the game is over.
    #[getter]
    fn terminal(&self) -> bool {
        self.0.terminal()
    }

    /// The legal moves of each role.
    #[getter]
    fn legal(&self, py: Python<'_>) -> Vec<Vec<String>> {
        py.detach(|| self.0.legal())
    }

    /// The scores that the rules give each role here: none, one, or (wrongly) several.
    #[getter]
    fn goals(&self, py: Python<'_>) -> Vec<Vec<f64>> {
        py.detach(|| self.0.goals())
    }

    /// The lines of the rules that took part in the step to it, where that is known.
    #[getter]
    fn exercised(&self) -> Vec<usize> {
        self.0.exercised()
    }

    /// What somebody who plays by these rules should know of the state, where it is not as they say.
    #[getter]
    fn note(&self) -> Option<String> {
        self.0.note()
    }

    /// The state after each role has made its move, and what each is told (nothing, if the rules
    /// do not speak of that). ValueError if a move is not legal, or if a limit is hit.
    fn advance(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<(RulesState, Vec<Vec<String>>)> {
        let step = py.detach(|| self.0.advance(&moves));
        let (after, percepts) = step.map_err(PyValueError::new_err)?;
        Ok((RulesState::new(Arc::from(after))?, percepts))
    }

    fn __repr__(&self) -> String {
        let over = if self.0.terminal() { ", terminal" } else { "" };
        format!("<RulesState: {} facts{over}>", self.0.facts().len())
    }
}
