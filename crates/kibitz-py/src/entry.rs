//! The registries and specs as Python sees them.

use kibitz_core::evaluate::Evaluator;
use kibitz_core::macro_actions::Maker;
use kibitz_core::part::Kind;
use kibitz_core::playout::Playout;
use kibitz_core::search::select::Selection;
use kibitz_core::spec::{ClassSpec, Outline, Spec, Value, name_of, prefixed};
use kibitz_core::{Rng, registry};
use pyo3::prelude::*;

use crate::game::spec_error;

/// What a person needs to know about one parameter.
#[pyclass(module = "kibitz._core", frozen, get_all)]
pub struct ParamDoc {
    pub name: String,
    pub kind: String,
    pub default: String,
    pub range: Option<String>,
    pub doc: String,
}

#[pymethods]
impl ParamDoc {
    #[new]
    #[pyo3(signature = (name, kind, default, range, doc))]
    fn new(name: String, kind: String, default: String, range: Option<String>, doc: String) -> ParamDoc {
        ParamDoc { name, kind, default, range, doc }
    }

    fn __repr__(&self) -> String {
        format!("<ParamDoc {}={}>", self.name, self.default)
    }
}

/// A registered game or planner.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Entry {
    name: String,
    summary: String,
    params: Vec<Py<ParamDoc>>,
    needs: String,
}

#[pymethods]
impl Entry {
    #[new]
    #[pyo3(signature = (name, summary, params, needs=""))]
    fn new(name: String, summary: String, params: Vec<Py<ParamDoc>>, needs: &str) -> Entry {
        Entry { name, summary, params, needs: needs.to_owned() }
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    #[getter]
    fn params(&self, py: Python<'_>) -> Vec<Py<ParamDoc>> {
        self.params.iter().map(|param| param.clone_ref(py)).collect()
    }

    /// What a planner needs of a game, in words; empty where every game will do.
    #[getter]
    fn needs(&self) -> &str {
        &self.needs
    }

    fn __repr__(&self) -> String {
        format!("<Entry {}: {}>", self.name, self.summary)
    }
}

/// What is registered, or an entry like it.
pub fn entry(
    py: Python<'_>,
    name: &str,
    summary: &str,
    params: Vec<kibitz_core::params::ParamDoc>,
    needs: &str,
) -> PyResult<Entry> {
    let convert = |doc: kibitz_core::params::ParamDoc| {
        let name = doc.name.into_owned();
        Py::new(py, ParamDoc { name, kind: doc.kind, default: doc.default, range: doc.range, doc: doc.doc })
    };
    let params = params.into_iter().map(convert).collect::<PyResult<_>>()?;
    Ok(Entry { name: name.to_owned(), summary: summary.to_owned(), params, needs: needs.to_owned() })
}

/// The native games, by name.
#[pyfunction]
pub fn games(py: Python<'_>) -> PyResult<Vec<Entry>> {
    registry::games()
        .into_iter()
        .map(|game| entry(py, game.name, game.summary, (game.params)(), ""))
        .collect()
}

/// The planners of the core, by name.
#[pyfunction]
pub fn planners(py: Python<'_>) -> PyResult<Vec<Entry>> {
    let known = registry::planners().into_iter();
    known.map(|planner| entry(py, planner.name, planner.summary, planner.docs(), planner.needs)).collect()
}

/// What planners were called before, which still works.
#[pyfunction]
pub fn old_planners() -> Vec<&'static str> {
    registry::old_names()
}

/// The parts of a search of one kind: playouts, selections, evaluators or macro-actions. None for another word.
#[pyfunction]
pub fn parts(py: Python<'_>, kind: &str) -> PyResult<Option<Vec<Entry>>> {
    let parts = match kind {
        "playouts" => <dyn Playout>::list(),
        "selections" => <dyn Selection>::list(),
        "evaluators" => <dyn Evaluator>::list(),
        "macro-actions" => Maker::list(),
        _ => return Ok(None),
    };
    let entries = parts.into_iter().map(|(part, params)| entry(py, part.name, part.summary, params, ""));
    entries.collect::<PyResult<_>>().map(Some)
}

/// Key and value of each argument.
type Arguments = Vec<(String, Py<PyAny>)>;

fn convert_arguments(py: Python<'_>, arguments: Vec<(String, Value)>) -> PyResult<Arguments> {
    let convert = |value: Value| -> PyResult<Py<PyAny>> {
        Ok(match value {
            Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any().unbind(),
            Value::Integer(value) => value.into_pyobject(py)?.into_any().unbind(),
            Value::Real(value) => value.into_pyobject(py)?.into_any().unbind(),
            Value::Text(value) => value.into_pyobject(py)?.into_any().unbind(),
            Value::Spec(value) => value.to_string().into_pyobject(py)?.into_any().unbind(),
        })
    };
    arguments.into_iter().map(|(key, value)| Ok((key, convert(value)?))).collect()
}

/// Name and (key, value) pairs; nested specs come back as text, quoted texts as str.
#[pyfunction]
pub fn parse_spec(py: Python<'_>, text: &str) -> PyResult<(String, Arguments)> {
    let spec: Spec = text.parse().map_err(spec_error)?;
    Ok((spec.name, convert_arguments(py, spec.arguments)?))
}

/// The name in a spec, whatever is wrong with the rest.
#[pyfunction]
pub fn spec_name(text: &str) -> &str {
    name_of(text)
}

/// `file.py:Class(key=value)` or `module:Class(...)`: the file or module, the class if one is named, and the arguments.
#[pyfunction]
pub fn parse_class(py: Python<'_>, text: &str) -> PyResult<(String, Option<String>, Arguments)> {
    let ClassSpec { place, class, arguments } = ClassSpec::parse(text).map_err(spec_error)?;
    Ok((place, class, convert_arguments(py, arguments)?))
}

/// The two sides of `prefix:rest`, which is somebody else's game; None for anything else.
#[pyfunction]
pub fn split_prefix(text: &str) -> Option<(&str, &str)> {
    prefixed(text)
}

/// A spec whose values are somebody else's to read: all of it without needless spaces, its name, and keys and values as
/// they are written.
#[pyfunction]
pub fn outline(text: &str) -> (String, String, Vec<(String, String)>) {
    let Outline { text, name, parameters } = Outline::of(text);
    (text, name, parameters)
}

/// The sentence for a misspelt name, with the nearest right ones.
#[pyfunction]
pub fn unknown(kind: &str, name: &str, known: Vec<String>) -> String {
    kibitz_core::spec::unknown(kind, name, known.iter().map(String::as_str)).0
}

/// The seed of the stream called `name` of one episode of an experiment.
#[pyfunction]
pub fn episode_seed(seed: u64, episode: u64, name: &str) -> u64 {
    Rng::episode(seed, episode, name).bits()
}
