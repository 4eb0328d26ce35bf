//! Rules files as Python sees them: what is wrong with one, and the game that it makes.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use kibitz_core::spec::SpecError;
use kibitz_lang::language::{self, Figure, Report, RulesText, languages};
use kibitz_lang::limits::thousands;
use kibitz_lang::{Finding as Found, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::entry::{Entry, ParamDoc, entry};
use crate::game::Game;

/// Limits by name, with the values that they are given.
type Changes = Vec<(String, f64)>;

/// A rules file as a spec names it, with what is in brackets after its name.
#[pyclass(module = "kibitz._core", frozen)]
pub struct RulesFile {
    pub file: language::RulesFile,
    /// How it was asked for.
    #[pyo3(get)]
    spec: String,
    /// Limits that are changed beside those in the brackets.
    more: Changes,
}

#[pymethods]
impl RulesFile {
    /// Reads a spec; ValueError if it names no rules file, or for what is in its brackets.
    #[new]
    #[pyo3(signature = (spec, limits=Vec::new()), text_signature = "(spec, limits=())")]
    fn new(spec: String, limits: Changes) -> PyResult<RulesFile> {
        let file = language::RulesFile::parse(&spec, &limits);
        file.map(|file| RulesFile { file, spec, more: limits })
            .map_err(|SpecError(what)| PyValueError::new_err(what))
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> &str {
        &self.file.path
    }

    /// The language that its name says it is written in.
    #[getter]
    fn language(&self) -> &'static str {
        self.file.language.name
    }

    /// The machines of its language that can be looked into, if there are any.
    #[getter]
    fn machines(&self) -> Vec<String> {
        self.file.language.machines.as_ref().map_or_else(Vec::new, |machines| (machines.names)())
    }

    /// Plain names of the files that are read besides, from the same folder.
    #[getter]
    fn beside(&self) -> PyResult<Vec<String>> {
        self.file.beside().map_err(PyValueError::new_err)
    }

    /// How many bytes each file may have.
    #[getter]
    fn most_bytes(&self) -> u64 {
        self.file.most_bytes()
    }

    /// The same with other limits.
    fn limited(&self, limits: Changes) -> PyResult<RulesFile> {
        RulesFile::new(self.spec.clone(), [self.more.clone(), limits].concat())
    }

    /// What the file and those beside it say with what is in the brackets put in its place.
    fn applied(&self, data: Vec<PyBackedBytes>) -> PyResult<Vec<String>> {
        let text = self.file.with(&content(&data)).map_err(PyValueError::new_err)?;
        Ok(text.sources.iter().map(|source| source.text().to_owned()).collect())
    }

    fn __repr__(&self) -> String {
        format!("<RulesFile {}>", self.spec)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, Changes)) {
        let file = slf.get();
        (slf.get_type().into_any(), (file.spec.clone(), file.more.clone()))
    }
}

/// What files say, one after the other.
pub type Content = Arc<Vec<Vec<u8>>>;

/// What files say, copied: work on it goes on in another thread.
pub fn content(data: &[PyBackedBytes]) -> Content {
    Arc::new(data.iter().map(|bytes| bytes.to_vec()).collect())
}

/// The rules that a game is made of.
pub struct Made {
    /// The file, as it was asked for.
    pub file: Py<RulesFile>,
    /// Its content, and that of the files beside it.
    pub data: Content,
    /// How it is run.
    pub report: Report,
}

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
    /// The name of the file: the rules', or of one beside them.
    file: String,
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

fn convert(sources: &[Source], found: &Found) -> Finding {
    let source = &sources[usize::from(found.file)];
    let place = source.place(found.span.start);
    Finding {
        severity: found.severity.name(),
        code: found.code,
        rule: found.rule,
        message: found.message.clone(),
        file: source.name().to_owned(),
        line: place.line,
        column: place.column,
        help: found.help.clone(),
        text: found.render(source),
    }
}

/// What is wrong with a rules file; it makes a game if none of that is an error.
#[pyfunction]
pub fn check_rules(
    py: Python<'_>,
    file: &Bound<'_, RulesFile>,
    data: Vec<PyBackedBytes>,
) -> PyResult<Vec<Finding>> {
    with_text(py, file, &content(&data), |text| {
        let found = text.check()?;
        Ok(found.iter().map(|finding| convert(&text.sources, finding)).collect())
    })
}

/// Whether a spec names a rules file, with or without brackets.
#[pyfunction]
pub fn is_rules(spec: &str) -> bool {
    language::RulesFile::is_named(spec)
}

/// What a rules file says of its game, and what it takes in brackets.
#[pyfunction]
pub fn describe_rules(py: Python<'_>, file: &Bound<'_, RulesFile>, data: &[u8]) -> PyResult<Entry> {
    let file = &file.get().file;
    let (summary, params) = (file.language.describe)(&Source::from_bytes(file.name(), data));
    entry(py, file.name(), &summary, params, "")
}

/// The languages of rules: name, what to write after "rules in", and what names of files end in.
#[pyfunction]
pub fn rules_languages() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let about =
        |language: &language::Language| (language.name, language.summary, language.suffixes.to_vec());
    languages().into_iter().map(about).collect()
}

/// The limits of all languages that can be changed, as they are written in brackets.
#[pyfunction]
pub fn rules_limits() -> Vec<ParamDoc> {
    let mut docs: Vec<_> = languages().into_iter().flat_map(|language| (language.limits)()).collect();
    // What several languages bound in the same way is said once.
    let all = docs.clone();
    let mut number = 0;
    docs.retain(|doc| {
        number += 1;
        !all[..number - 1].contains(doc)
    });
    let shown = |number: f64| thousands(number.round() as u64);
    let doc = |limit: kibitz_lang::limits::LimitDoc| ParamDoc {
        name: format!("limit.{}", limit.name),
        kind: "number".to_owned(),
        default: shown(limit.usual),
        range: Some(format!("up to {}", shown(limit.range[1]))),
        doc: limit.summary.to_owned(),
    };
    docs.into_iter().map(doc).collect()
}

/// Works on a rules file's text; ValueError with the sentence where that is refused.
pub fn with_text<T: Send + 'static>(
    py: Python<'_>,
    file: &Bound<'_, RulesFile>,
    data: &Content,
    work: impl FnOnce(&RulesText) -> Result<T, String> + Send + 'static,
) -> PyResult<T> {
    let (file, data) = (file.get().file.clone(), data.clone());
    patiently(py, move || work(&file.with(&data)?))?.map_err(PyValueError::new_err)
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
pub fn game_of(py: Python<'_>, file: &Bound<'_, RulesFile>, data: &[PyBackedBytes]) -> PyResult<Game> {
    let data = content(data);
    let loaded = with_text(py, file, &data, RulesText::load)?;
    let spec = file.get().spec.clone();
    let made = Made { file: file.clone().unbind(), data, report: loaded.report };
    Ok(Game { model: loaded.game, python: None, spec, made: Some(made) })
}

/// How a game made of rules is run.
pub fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("language", &report.language)?;
    dict.set_item("machine", &report.machine)?;
    dict.set_item("why", report.why.as_deref())?;
    for (name, figure) in &report.figures {
        match figure {
            Figure::Number(number) => dict.set_item(name, number)?,
            Figure::Numbers(numbers) => dict.set_item(name, numbers)?,
            Figure::Flag(flag) => dict.set_item(name, flag)?,
        }
    }
    dict.set_item("text", &report.text)?;
    Ok(dict)
}
