//! What the user's methods returned, read and checked: every answer that breaks the contract is a
//! sentence that names the method.

use kibitz_core::{Action, Observation, Players, Turn};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyIterator, PyList, PySet, PyString, PyTuple};

use super::{PyRules, bits};

/// `kibitz.CHANCE` and `kibitz.OVER`.
const CHANCE: i64 = -1;
const OVER: i64 = -2;

/// What went wrong in the user's rules.
pub(super) enum Trouble {
    /// The method raised.
    Raised(&'static str, PyErr),
    /// The method's answer breaks the contract, in a sentence that begins with the method.
    Contract(String),
}

pub(super) type Checked<T> = Result<T, Trouble>;

pub(super) fn raised(method: &'static str) -> impl Fn(PyErr) -> Trouble {
    move |error| Trouble::Raised(method, error)
}

pub(super) fn contract<T>(sentence: String) -> Checked<T> {
    Err(Trouble::Contract(sentence))
}

/// Why a value that a method returned has no number.
pub(super) fn unnumbered(method: &str, what: &str, value: &Bound<'_, PyAny>) -> impl Fn(PyErr) -> Trouble {
    move |error| {
        let py = value.py();
        let why = if error.is_instance_of::<PyTypeError>(py) {
            "is not hashable; use a tuple instead".to_owned()
        } else {
            error.value(py).to_string()
        };
        Trouble::Contract(format!("{method} returned {what}{}, which {why}", show(value)))
    }
}

/// As people would write it, but not for pages.
pub fn show(value: &Bound<'_, PyAny>) -> String {
    let text =
        value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string_lossy().into_owned());
    if text.chars().count() > 80 { text.chars().take(77).chain("...".chars()).collect() } else { text }
}

impl PyRules {
    pub(super) fn read_turn(&self, answer: &Bound<'_, PyAny>) -> Checked<Turn> {
        let players = self.info.players;
        let nonsense = || {
            contract(format!(
                "turn returned {}; it should return kb.CHANCE, kb.OVER, a player from 0 to {}, or a tuple of \
                 such players",
                show(answer),
                players - 1
            ))
        };
        if let Ok(several) = answer.cast::<PyTuple>() {
            let mut movers = Players(0);
            for player in several.iter() {
                match player.extract::<usize>() {
                    Ok(player) if player < players && !movers.contains(player) => movers.0 |= 1 << player,
                    _ => return nonsense(),
                }
            }
            return match movers.len() {
                0 => nonsense(),
                1 => Ok(Turn::One(movers.0.trailing_zeros() as usize)),
                _ => Ok(Turn::Several(movers)),
            };
        }
        match answer.extract::<i64>() {
            Ok(CHANCE) => Ok(Turn::Chance),
            Ok(OVER) => Ok(Turn::Over),
            Ok(player) if (0..players as i64).contains(&player) => Ok(Turn::One(player as usize)),
            _ => nonsense(),
        }
    }

    /// The user's list of actions: anything that can be gone through in a fixed order.
    pub(super) fn read_actions(
        &self,
        method: &'static str,
        answer: &Bound<'_, PyAny>,
        actions: &mut Vec<Action>,
    ) -> Checked<()> {
        let begin = actions.len();
        let mut push = |action: &Bound<'_, PyAny>| -> Checked<()> {
            actions.push(self.action(action).map_err(unnumbered(method, "the action ", action))?);
            Ok(())
        };
        if let Ok(list) = answer.cast::<PyList>() {
            list.iter().try_for_each(|action| push(&action))?;
        } else if let Ok(tuple) = answer.cast::<PyTuple>() {
            tuple.iter().try_for_each(|action| push(&action))?;
        } else {
            for action in self.in_order(method, answer)? {
                push(&action.map_err(raised(method))?)?;
            }
        }
        if bits::repeats(&actions[begin..]) {
            actions.truncate(begin);
            return contract(format!("{method} returned an action twice: {}", show(answer)));
        }
        Ok(())
    }

    pub(super) fn in_order<'py>(
        &self,
        method: &'static str,
        answer: &Bound<'py, PyAny>,
    ) -> Checked<Bound<'py, PyIterator>> {
        if answer.is_instance_of::<PySet>() || answer.is_instance_of::<PyFrozenSet>() {
            return contract(format!(
                "{method} returned a set, whose order differs from run to run; return a list or a tuple"
            ));
        }
        answer.try_iter().or_else(|_| {
            contract(format!("{method} returned {}; it should return a list of actions", show(answer)))
        })
    }

    pub(super) fn no_actions<T>(
        &self,
        method: &str,
        state: &Bound<'_, PyAny>,
        player: usize,
    ) -> Checked<T> {
        contract(format!(
            "{method} returned no action for player {player}, whose turn it is, in the state {}; if the game is \
             over, turn should return kb.OVER",
            show(state)
        ))
    }

    /// A number for each player; a bare number will do for a game of one.
    pub(super) fn read_numbers(
        &self,
        method: &str,
        answer: &Bound<'_, PyAny>,
        mut take: impl FnMut(usize, f64),
    ) -> Checked<()> {
        let players = self.info.players;
        let nonsense = || {
            let wanted = if players == 1 {
                "a finite number".to_owned()
            } else {
                format!("{players} finite numbers, one a player")
            };
            contract(format!("{method} returned {}; it should be {wanted}", show(answer)))
        };
        let mut check = |player: usize, number: Result<f64, PyErr>| match number {
            Ok(number) if number.is_finite() => {
                take(player, number);
                Ok(())
            }
            _ => nonsense(),
        };
        if players == 1
            && let Ok(number) = answer.extract::<f64>()
        {
            return check(0, Ok(number));
        }
        if let Ok(tuple) = answer.cast::<PyTuple>() {
            if tuple.len() != players {
                return nonsense();
            }
            return tuple
                .iter()
                .enumerate()
                .try_for_each(|(player, number)| check(player, number.extract()));
        }
        match answer.extract::<Vec<f64>>() {
            Ok(numbers) if numbers.len() == players => {
                numbers.into_iter().enumerate().try_for_each(|(player, number)| check(player, Ok(number)))
            }
            _ => nonsense(),
        }
    }

    pub(super) fn read_step(&self, answer: &Bound<'_, PyAny>, rewards: &mut [f64]) -> Checked<Py<PyAny>> {
        let Some(pair) = answer.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2) else {
            return contract(format!(
                "step returned {}; it should return (new state, rewards)",
                show(answer)
            ));
        };
        let item = |index| pair.get_item(index).map_err(raised("step"));
        let paid = item(1)?;
        if !paid.is_none() {
            self.read_numbers("step's rewards: it", &paid, |player, reward| rewards[player] += reward)?;
        }
        Ok(item(0)?.unbind())
    }

    pub(super) fn read_chance(
        &self,
        answer: &Bound<'_, PyAny>,
        outcomes: &mut Vec<(Action, f64)>,
    ) -> Checked<()> {
        let mut total = 0.0;
        for pair in self.in_order("chance", answer)? {
            let pair = pair.map_err(raised("chance"))?;
            let Ok((outcome, probability)) = pair.extract::<(Bound<'_, PyAny>, f64)>() else {
                return contract(format!(
                    "chance returned {} in its list; it should return pairs (outcome, probability)",
                    show(&pair)
                ));
            };
            if !(0.0..=1.0 + 1e-6).contains(&probability) {
                return contract(format!("chance gave {} the probability {probability}", show(&outcome)));
            }
            let action = self.action(&outcome).map_err(unnumbered("chance", "the outcome ", &outcome))?;
            total += probability;
            outcomes.push((action, probability));
        }
        if (total - 1.0).abs() > 1e-6 {
            return contract(format!("chance returned probabilities that add up to {total}, not to 1"));
        }
        Ok(())
    }

    pub(super) fn number_observation(&self, method: &str, told: &Bound<'_, PyAny>) -> Checked<Observation> {
        if told.is_none() {
            return Ok(Observation::SILENT);
        }
        self.observation(told).map_err(unnumbered(method, "", told))
    }

    pub(super) fn words(
        &self,
        method: &'static str,
        answer: PyResult<Bound<'_, PyAny>>,
    ) -> Checked<String> {
        let answer = answer.map_err(raised(method))?;
        match answer.cast::<PyString>() {
            Ok(text) => Ok(text.to_string_lossy().into_owned()),
            Err(_) => contract(format!("{method} returned {}; it should return a text", show(&answer))),
        }
    }
}
