//! Rules files as Python sees them: what is wrong with one, and the game that it makes.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use kibitz_lang::gdl::{LIMITS, Limits, LoadLimits, Report, Rules, check, load, parse};
use kibitz_lang::source::{Finding as Found, render_all};
use kibitz_lang::{Severity, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::game::Game;

/// Limits by name, with the values that they are given.
pub type Changes = Vec<(String, f64)>;

/// A rules file that a game is made of.
pub struct RulesFile {
    /// Its name, as findings mention it.
    pub name: String,
    /// Its content.
    pub data: Vec<u8>,
    /// The limits that were changed for it.
    pub limits: Changes,
    /// How it is run.
    pub report: Report,
}

/// The most findings that an error message shows.
const SHOWN: usize = 20;
/// How often Ctrl-C is looked for.
const INTERVAL: Duration = Duration::from_millis(50);
/// What the main thread of a program usually has, in bytes.
const STACK: usize = 8 << 20;

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
#[pyo3(signature = (name, data, limits=None))]
pub fn check_rules(
    py: Python<'_>,
    name: &str,
    data: &[u8],
    limits: Option<Changes>,
) -> PyResult<Vec<Finding>> {
    let source = Source::from_bytes(name, data);
    let limits = changed(&limits.unwrap_or_default())?;
    patiently(py, move || {
        let found = match parse(&source, &limits.parse) {
            Ok(rules) => check(&rules),
            Err(findings) => findings,
        };
        found.iter().map(|finding| convert(&source, finding)).collect()
    })
}

/// The rules of a file; its findings, if one of them is an error.
pub fn rules_of(source: &Source, limits: &Limits) -> Result<Rules, Vec<Found>> {
    let rules = parse(source, limits)?;
    let findings = check(&rules);
    let is_error = |finding: &Found| finding.severity == Severity::Error;
    if findings.iter().any(is_error) { Err(findings) } else { Ok(rules) }
}

/// The errors among the findings, for an exception.
pub fn refusal(source: &Source, mut findings: Vec<Found>) -> String {
    findings.retain(|finding| finding.severity == Severity::Error);
    render_all(source, &findings, SHOWN)
}

/// The limits for loading, some of them changed.
pub fn changed(changes: &Changes) -> PyResult<LoadLimits> {
    let mut limits = LoadLimits::default();
    for (name, value) in changes {
        limits.set(name, *value).map_err(PyValueError::new_err)?;
    }
    Ok(limits)
}

/// The limits for loading that can be changed: name, usual value, largest value, and what it bounds.
#[pyfunction]
pub fn rules_limits() -> Vec<(&'static str, f64, f64, &'static str)> {
    let usual = LoadLimits::default();
    LIMITS.iter().map(|limit| (limit.name, limit.get(&usual), limit.range[1], limit.summary)).collect()
}

/// Does work that cannot look for Ctrl-C itself: a thread does it, and this one looks. After Ctrl-C
/// the work is left to its limits, or to the end of the program.
pub fn patiently<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let send = move || drop(sender.send(work()));
    let worker = thread::Builder::new().stack_size(STACK).spawn(send)?;
    // A channel's end may be looked at by one thread only, and detaching asks for more.
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let result = py.detach(|| {
            receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv_timeout(INTERVAL)
        });
        match result {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Err(PyValueError::new_err("the rules could not be read")),
            },
        }
    }
}

/// The game of a rules file; ValueError with all findings if it makes none.
pub fn game_of(py: Python<'_>, name: &str, data: &[u8], spec: String, changes: Changes) -> PyResult<Game> {
    let limits = changed(&changes)?;
    let source = Source::from_bytes(name, data);
    let loaded =
        patiently(py, move || load(&source, &limits).map_err(|findings| refusal(&source, findings)))?;
    let loaded = loaded.map_err(PyValueError::new_err)?;
    let file =
        RulesFile { name: name.to_owned(), data: data.to_vec(), limits: changes, report: loaded.report };
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
    dict.set_item("phases", report.phases)?;
    dict.set_item("machine_code", report.machine_code)?;
    dict.set_item("cycles", report.cycles)?;
    Ok(dict)
}
