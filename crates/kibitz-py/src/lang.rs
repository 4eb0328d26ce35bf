//! Rules files as Python sees them: what is wrong with one, and the game that it makes.

use std::time::Duration;

use kibitz_lang::source::{Finding as Found, render_all};
use kibitz_lang::{LoadLimits, Report, Severity, Source, check, load, parse};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::game::Game;

/// A rules file that a game is made of.
pub struct RulesFile {
    /// Its name, as findings mention it.
    pub name: String,
    /// Its content.
    pub data: Vec<u8>,
    /// How it is run.
    pub report: Report,
}

/// The most findings that an error message shows.
const SHOWN: usize = 20;

/// Something wrong at a place of a rules file.
#[pyclass(module = "kibitz._core", frozen, get_all)]
pub struct Finding {
    /// `error` or `warning`.
    severity: &'static str,
    /// The broken rule's short name.
    code: &'static str,
    /// The broken rule in words.
    rule: &'static str,
    /// What is wrong, in a sentence.
    message: String,
    /// The line, from 1.
    line: usize,
    /// The character in the line, from 1.
    column: usize,
    /// What would be right.
    help: Option<String>,
    /// All of it as a compiler prints it.
    text: String,
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        format!("<Finding: {}[{}] at {}:{}>", self.severity, self.code, self.line, self.column)
    }
}

fn convert(source: &Source, found: &Found) -> Finding {
    let place = source.place(found.span.start);
    Finding {
        severity: found.severity.name(),
        code: found.code,
        rule: found.rule,
        message: found.message.clone(),
        line: place.line,
        column: place.column,
        help: found.help.clone(),
        text: found.render(source),
    }
}

/// What is wrong with a rules file; it makes a game if none of that is an error.
#[pyfunction]
pub fn check_rules(py: Python<'_>, name: &str, data: &[u8]) -> Vec<Finding> {
    let source = Source::from_bytes(name, data);
    let found = py.detach(|| match parse(&source, &LoadLimits::default().parse) {
        Ok(rules) => check(&rules),
        Err(findings) => findings,
    });
    found.iter().map(|finding| convert(&source, finding)).collect()
}

/// The game of a rules file; ValueError with all findings if it makes none.
pub fn game_of(py: Python<'_>, name: &str, data: &[u8], spec: String, seconds: f64) -> PyResult<Game> {
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{seconds} is no number of seconds")))?;
    let mut limits = LoadLimits::default();
    limits.ground.time = time;
    let source = Source::from_bytes(name, data);
    let loaded = py.detach(|| load(&source, &limits)).map_err(|findings| {
        let errors: Vec<Found> =
            findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
        PyValueError::new_err(render_all(&source, &errors, SHOWN))
    })?;
    let file = RulesFile { name: name.to_owned(), data: data.to_vec(), report: loaded.report };
    Ok(Game { model: loaded.game, python: None, spec, file: Some(file) })
}

/// How a game made of rules is run.
pub fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("machine", report.machine)?;
    dict.set_item("why", report.why.as_deref())?;
    dict.set_item("rules", report.rules)?;
    dict.set_item("facts", report.facts)?;
    dict.set_item("moves", report.moves)?;
    dict.set_item("gates", report.gates)?;
    dict.set_item("operations", report.operations.to_vec())?;
    dict.set_item("cycles", report.cycles)?;
    Ok(dict)
}
