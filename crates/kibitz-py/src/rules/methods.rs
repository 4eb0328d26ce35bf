//! Finds the methods of a user's rules and checks its class attributes.

use kibitz_core::Info;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Bound methods, looked up once. An optional one is there if the user wrote it.
pub struct Methods {
    pub initial: Py<PyAny>,
    pub turn: Py<PyAny>,
    pub legal: Py<PyAny>,
    pub step: Py<PyAny>,
    pub chance: Option<Py<PyAny>>,
    pub draw: Option<Py<PyAny>>,
    pub observe: Option<Py<PyAny>>,
    pub observe_public: Option<Py<PyAny>>,
    pub observation_name: Option<Py<PyAny>>,
    pub action_name: Option<Py<PyAny>>,
    pub player_name: Option<Py<PyAny>>,
    pub text: Option<Py<PyAny>>,
    pub svg: Option<Py<PyAny>>,
    pub evaluate: Option<Py<PyAny>>,
    pub key: Option<Py<PyAny>>,
    pub view_key: Option<Py<PyAny>>,
    pub action_values: Option<Py<PyAny>>,
    pub preferred: Option<Py<PyAny>>,
    pub resample: Option<Py<PyAny>>,
    pub shown: Option<Py<PyAny>>,
    pub piece_prior: Option<Py<PyAny>>,
    pub split: Option<Py<PyAny>>,
    pub join: Option<Py<PyAny>>,
    pub piece_done: Option<Py<PyAny>>,
    pub done_together: Option<Py<PyAny>>,
    pub take_in: Option<Py<PyAny>>,
    pub collapsed: Option<Py<PyAny>>,
    pub planning_model: Option<Py<PyAny>>,
    pub judge: Option<Py<PyAny>>,
    pub unknown: Option<Py<PyAny>>,
    pub prove: Option<Py<PyAny>>,
    pub atoms: Option<Py<PyAny>>,
    pub facts: Option<Py<PyAny>>,
    pub action_key: Option<Py<PyAny>>,
    pub factors: Option<Py<PyAny>>,
    pub end_turn: Option<Py<PyAny>>,
    pub features: Option<Py<PyAny>>,
    pub orientation: Option<Py<PyAny>>,
    pub reflected: Option<Py<PyAny>>,
    pub reflected_action: Option<Py<PyAny>>,
    pub macro_actions: Option<Py<PyAny>>,
    pub play_out_many: Option<Py<PyAny>>,
    pub timing: Option<Py<PyAny>>,
    pub pass_time: Option<Py<PyAny>>,
}

impl Methods {
    /// Looks them up.
    ///
    /// # Errors
    /// TypeError where one that every game needs is missing.
    pub fn find(rules: &Bound<'_, PyAny>) -> PyResult<Methods> {
        let py = rules.py();
        let class = rules.get_type();
        let base = py.import("kibitz.rules")?.getattr("Rules")?;
        let find = |name: &str| -> PyResult<Option<Py<PyAny>>> {
            let Some(method) = rules.getattr_opt(name)? else { return Ok(None) };
            let inherited = match (class.getattr_opt(name)?, base.getattr_opt(name)?) {
                (Some(own), Some(default)) => own.is(&default),
                _ => false,
            };
            Ok((!inherited && method.is_callable()).then(|| method.unbind()))
        };
        let need = |name: &str| -> PyResult<Py<PyAny>> {
            find(name)?.ok_or_else(|| {
                let class = class.name().map_or_else(|_| "the class".to_owned(), |name| name.to_string());
                PyTypeError::new_err(format!(
                    "{class} has no method {name}; a game needs initial, turn, legal and step (see kibitz.Rules)"
                ))
            })
        };
        Ok(Methods {
            initial: need("initial")?,
            turn: need("turn")?,
            legal: need("legal")?,
            step: need("step")?,
            chance: find("chance")?,
            draw: find("draw")?,
            observe: find("observe")?,
            observe_public: find("observe_public")?,
            observation_name: find("observation_name")?,
            action_name: find("action_name")?,
            player_name: find("player_name")?,
            text: find("text")?,
            svg: find("svg")?,
            evaluate: find("evaluate")?,
            key: find("key")?,
            view_key: find("view_key")?,
            action_values: find("action_values")?,
            preferred: find("preferred")?,
            resample: find("resample")?,
            shown: find("shown")?,
            piece_prior: find("piece_prior")?,
            split: find("split")?,
            join: find("join")?,
            piece_done: find("piece_done")?,
            done_together: find("done_together")?,
            take_in: find("take_in")?,
            collapsed: find("collapsed")?,
            planning_model: find("planning_model")?,
            judge: find("judge")?,
            unknown: find("unknown")?,
            prove: find("prove")?,
            atoms: find("atoms")?,
            facts: find("facts")?,
            action_key: find("action_key")?,
            factors: find("factors")?,
            end_turn: find("end_turn")?,
            features: find("features")?,
            orientation: find("orientation")?,
            reflected: find("reflected")?,
            reflected_action: find("reflected_action")?,
            macro_actions: find("macro_actions")?,
            play_out_many: find("play_out_many")?,
            timing: find("timing")?,
            pass_time: find("pass_time")?,
        })
    }
}

/// The class attributes as the core wants them.
///
/// # Errors
/// TypeError or ValueError that names the attribute.
pub fn read_info(rules: &Bound<'_, PyAny>, methods: &Methods) -> PyResult<Info> {
    let class = rules.get_type().name()?.to_string();
    let bad = |name: &str, wanted: &str, found: &Bound<'_, PyAny>| {
        let found = found.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        PyValueError::new_err(format!("{class}.{name} should be {wanted}, not {found}"))
    };
    let attribute = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(rules.getattr_opt(name)?.filter(|value| !value.is_none()))
    };
    let number = |name: &str, default: f64| -> PyResult<f64> {
        let Some(value) = attribute(name)? else { return Ok(default) };
        match value.extract::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(bad(name, "a number", &value)),
        }
    };
    let truth = |name: &str, default: bool| -> PyResult<bool> {
        attribute(name)?.map_or(Ok(default), |value| value.is_truthy())
    };

    let players = match attribute("players")? {
        None => 1,
        Some(value) => match value.extract::<usize>() {
            Ok(players @ 1..=32) => players,
            _ => return Err(bad("players", "a whole number from 1 to 32", &value)),
        },
    };
    let mut info = Info::new(players, number("min_return", -1.0)?, number("max_return", 1.0)?);
    if info.min_return > info.max_return {
        let (low, high) = (info.min_return, info.max_return);
        return Err(PyValueError::new_err(format!(
            "{class}.min_return, {low}, is above max_return, {high}"
        )));
    }
    info.spread = number("spread", info.max_return - info.min_return)?;
    if info.spread < 0.0 {
        return Err(PyValueError::new_err(format!("{class}.spread should not be negative")));
    }
    info.discount = number("discount", 1.0)?;
    if !(info.discount > 0.0 && info.discount <= 1.0) {
        return Err(PyValueError::new_err(format!("{class}.discount should be above 0 and at most 1")));
    }
    info.horizon = match attribute("horizon")? {
        None => None,
        Some(value) => match value.extract::<u32>() {
            Ok(horizon @ 1..) => Some(horizon),
            _ => return Err(bad("horizon", "a positive whole number or None", &value)),
        },
    };
    // Whoever is told every joint action and outcome knows the state.
    info.perfect_information = truth("perfect_information", methods.observe.is_none())?;
    info.zero_sum = truth("zero_sum", false)?;
    info.paid_at_end = truth("paid_at_end", false)?;
    if let Some(value) = attribute("simultaneous")? {
        info.simultaneous = Some(value.is_truthy()?);
    }
    info.one_thread = true;
    info.explicit_chance = methods.chance.is_some() || methods.draw.is_none();
    Ok(info)
}

/// How many atoms and how many symmetries the class says there are.
///
/// # Errors
/// ValueError where a method needs the number, and it is missing or none.
pub fn read_counts(rules: &Bound<'_, PyAny>, methods: &Methods) -> PyResult<(u32, usize)> {
    let class = rules.get_type().name()?.to_string();
    let count = |attribute: &str, method: &str, wanted: bool| -> PyResult<u32> {
        let value = rules.getattr_opt(attribute)?.filter(|value| !value.is_none());
        let number = value.and_then(|value| value.extract::<u32>().ok());
        match number {
            _ if !wanted => Ok(0),
            Some(number @ 1..=0x0100_0000) => Ok(number),
            _ => Err(PyValueError::new_err(format!(
                "{class}.{attribute} should be a whole number from 1 to 16777216, since there is a method {method}"
            ))),
        }
    };
    let symmetries = count("symmetries", "reflected", methods.reflected.is_some())?;
    Ok((count("atom_count", "atoms", methods.atoms.is_some())?, symmetries as usize))
}

/// How long a tick is, in the game's own unit of time.
///
/// # Errors
/// ValueError for what is no time.
pub fn read_tick(rules: &Bound<'_, PyAny>) -> PyResult<f64> {
    let Some(value) = rules.getattr_opt("tick")?.filter(|value| !value.is_none()) else { return Ok(1.0) };
    match value.extract::<f64>() {
        Ok(tick) if tick.is_finite() && tick > 0.0 => Ok(tick),
        _ => {
            let (class, found) = (rules.get_type().name()?.to_string(), value.repr()?.to_string());
            Err(PyValueError::new_err(format!("{class}.tick should be a time above zero, not {found}")))
        }
    }
}

/// What the class weighs its features with, by their names, in order.
///
/// # Errors
/// ValueError where there is a method for features, and no weights for them.
pub fn read_weights(rules: &Bound<'_, PyAny>, methods: &Methods) -> PyResult<Vec<(String, f64)>> {
    if methods.features.is_none() {
        return Ok(Vec::new());
    }
    let class = rules.get_type().name()?.to_string();
    let wrong = || {
        PyValueError::new_err(format!(
            "{class}.feature_weights should be a dictionary of names and finite numbers, since there is a method features"
        ))
    };
    let value = rules.getattr_opt("feature_weights")?.ok_or_else(wrong)?;
    let items = value.call_method0("items").map_err(|_| wrong())?;
    let mut weights = Vec::new();
    for item in items.try_iter().map_err(|_| wrong())? {
        weights.push(item?.extract::<(String, f64)>().map_err(|_| wrong())?);
    }
    if weights.is_empty() || weights.iter().any(|(_, weight)| !weight.is_finite()) {
        return Err(wrong());
    }
    Ok(weights)
}
