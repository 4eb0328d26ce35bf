//! What a planner may be told about time, whatever it is.

use crate::params::{Param, ParamDoc};
use crate::planner::Decision;
use crate::spec::{Spec, SpecError, Value};

/// What a decision costs of the game's time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Thinks {
    /// Nothing, but what the clock says by itself.
    Free,
    /// The seconds that it took.
    Measured,
    /// So many units of time each.
    Each(f64),
    /// One unit of time for so many simulations.
    Simulations(f64),
}

impl Thinks {
    /// The cost of a decision, in units of the game's time.
    pub fn cost(self, decision: &Decision) -> f64 {
        match self {
            Thinks::Free => 0.0,
            Thinks::Measured => decision.elapsed.as_secs_f64(),
            Thinks::Each(time) => time,
            Thinks::Simulations(rate) => decision.simulations as f64 / rate,
        }
    }

    /// Whether more simulations cost more.
    pub(super) fn grows(self) -> bool {
        matches!(self, Thinks::Measured | Thinks::Simulations(_))
    }
}

const SIMULATIONS: &str = "simulations/";

impl Param for Thinks {
    fn kind() -> String {
        "free | measured | number | simulations/N".to_owned()
    }

    fn read(value: &Value) -> Result<Thinks, String> {
        let wrong = || format!("expected {}, not {value}", Self::kind());
        let positive =
            |number: f64| (number.is_finite() && number > 0.0).then_some(number).ok_or_else(wrong);
        match value {
            Value::Integer(number) => positive(*number as f64).map(Thinks::Each),
            Value::Real(number) => positive(*number).map(Thinks::Each),
            Value::Spec(spec) if spec.arguments.is_empty() => match spec.name.as_str() {
                "free" => Ok(Thinks::Free),
                "measured" => Ok(Thinks::Measured),
                name => {
                    let rate =
                        name.strip_prefix(SIMULATIONS).and_then(|rate| rate.replace('_', "").parse().ok());
                    rate.ok_or_else(wrong).and_then(positive).map(Thinks::Simulations)
                }
            },
            _ => Err(wrong()),
        }
    }

    fn show(&self) -> String {
        match self {
            Thinks::Free => "free".to_owned(),
            Thinks::Measured => "measured".to_owned(),
            Thinks::Each(time) => time.to_string(),
            Thinks::Simulations(rate) => format!("{SIMULATIONS}{rate}"),
        }
    }
}

/// When to stop thinking.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Waits {
    /// When the whole budget is spent.
    Whole,
    /// Before, where the choice is clear by so many standard errors, or where more is lost by waiting than could be gained by thinking.
    Clear(f64),
}

impl Param for Waits {
    fn kind() -> String {
        "whole | clear(errors)".to_owned()
    }

    fn read(value: &Value) -> Result<Waits, String> {
        let (name, number) = crate::params::named(value, &["whole", "clear"])?;
        match (name.as_str(), number) {
            ("whole", None) => Ok(Waits::Whole),
            ("whole", Some(_)) => Err("whole takes no parameters".to_owned()),
            (_, None) => Ok(Waits::Clear(ERRORS)),
            (_, Some(errors)) if errors > 0.0 => Ok(Waits::Clear(errors)),
            (_, Some(errors)) => Err(format!("clear: {errors} is not above zero")),
        }
    }

    fn show(&self) -> String {
        match self {
            Waits::Whole => "whole".to_owned(),
            Waits::Clear(errors) => format!("clear({errors})"),
        }
    }
}

/// By so many standard errors a choice is clear where nobody says otherwise.
const ERRORS: f64 = 2.0;

/// All that a planner may be told about time. None of it goes with a game of turns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeOptions {
    /// From one choice to the next in units of the game's time.
    pub quantum: Option<f64>,
    /// What thinking costs.
    pub thinks: Thinks,
    /// When to stop it.
    pub waits: Waits,
}

impl Default for TimeOptions {
    fn default() -> TimeOptions {
        TimeOptions { quantum: None, thinks: Thinks::Free, waits: Waits::Whole }
    }
}

const NAMES: [&str; 3] = ["quantum", "thinks", "waits"];

impl TimeOptions {
    /// What is to be known about the parameters.
    pub fn docs() -> Vec<ParamDoc> {
        let doc = |name: &'static str, kind: String, default: &str, doc: &str| ParamDoc {
            name: name.into(),
            kind,
            default: default.to_owned(),
            range: None,
            doc: doc.to_owned(),
            was: None,
        };
        vec![
            doc(
                NAMES[0],
                <Option<f64>>::kind(),
                "none",
                "In real time: a choice every so many units of the game's time, which is to act or to wait; none: a quarter \
                 of the time until something first happens by itself.",
            ),
            doc(
                NAMES[1],
                Thinks::kind(),
                "free",
                "In real time: what a decision costs of the game's time; the seconds that it took (measured), so many units, \
                 or a unit for every so many simulations.",
            ),
            doc(
                NAMES[2],
                Waits::kind(),
                "whole",
                "In real time: whether it always thinks for its whole budget of simulations, or acts as soon as the best \
                 choice is ahead of the next by so many standard errors, or as soon as waiting loses more than thinking could gain.",
            ),
        ]
    }

    /// Takes the parameters out of a planner's spec.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn take(spec: &mut Spec) -> Result<TimeOptions, SpecError> {
        let mut options = TimeOptions::default();
        let mut taken = Vec::new();
        spec.arguments.retain(|(key, value)| {
            let known = NAMES.contains(&key.as_str());
            if known {
                taken.push((key.clone(), value.clone()));
            }
            !known
        });
        for (key, value) in taken {
            let set = match key.as_str() {
                "quantum" => Option::read(&value).and_then(|quantum: Option<f64>| {
                    if quantum.is_some_and(|quantum| !(quantum.is_finite() && quantum > 0.0)) {
                        return Err(format!("{value} is not a time above zero"));
                    }
                    options.quantum = quantum;
                    Ok(())
                }),
                "thinks" => Thinks::read(&value).map(|thinks| options.thinks = thinks),
                _ => Waits::read(&value).map(|waits| options.waits = waits),
            };
            set.map_err(|what| SpecError(format!("{}: {key}: {what}", spec.name)))?;
        }
        Ok(options)
    }
}
