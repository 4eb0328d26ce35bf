//! One game, several tables of numbers.
//!
//! The referee of a Python game numbers what the true episode comes to; a seat's planner must not be able
//! to look that up. So each seat has a game of its own, the same rules with a fresh table
//! ([`Game::apart`]), and what crosses over is matched by value. The same serves a planner that is started
//! on another game than the referee's: the model it believes in.

use kibitz_core::{Action, Event, Observation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::rules::PyRules;
use crate::view::View;

/// The numbers of one game in those of another. Numbers of all but Python games are fixed by the rules.
pub struct Between<'g>(Option<(&'g PyRules, &'g PyRules)>);

impl<'g> Between<'g> {
    /// From the numbers of one game to those of another.
    ///
    /// # Errors
    /// ValueError where only one of them is written in Python.
    pub fn new(from: &'g Game, to: &'g Game) -> PyResult<Between<'g>> {
        match (&from.python, &to.python) {
            (Some(from), Some(to)) => Ok(Between((!std::ptr::eq(&**from, &**to)).then_some((from, to)))),
            (None, None) => Ok(Between(None)),
            _ => Err(PyValueError::new_err(format!(
                "the view is of {}, but the planner was started on {}",
                from.spec, to.spec
            ))),
        }
    }

    /// The same action.
    ///
    /// # Errors
    /// ValueError where the first game does not know it.
    pub fn action(&self, py: Python<'_>, action: Action) -> PyResult<Action> {
        let Some((from, to)) = self.0.filter(|_| action != Action::WAIT) else { return Ok(action) };
        to.action(&from.action_value(py, action).ok_or_else(lost)?)
    }

    /// The same observation. Where everybody sees joint actions and nothing else, it is made anew of `joint`,
    /// the one behind it, in the numbers that `seen` starts from.
    ///
    /// # Errors
    /// ValueError where it does not fit the second game.
    pub fn observation(
        &self,
        py: Python<'_>,
        told: Observation,
        seen: &Between<'_>,
        joint: &[Action],
    ) -> PyResult<Observation> {
        let Some((from, to)) = self.0 else { return Ok(told) };
        match (from.own_observations(), to.own_observations()) {
            (true, true) => to.observation(&from.observation_value(py, told).ok_or_else(lost)?),
            (false, false) => {
                let joint = joint.iter().map(|action| seen.action(py, *action));
                Ok(Observation::of_joint(&joint.collect::<PyResult<Vec<_>>>()?))
            }
            _ => Err(lost()),
        }
    }
}

fn lost() -> PyErr {
    PyValueError::new_err("the view does not fit the game that the planner was started on")
}

/// A view in the numbers of another game than its own.
///
/// # Errors
/// ValueError where it does not fit that game.
pub fn translate(py: Python<'_>, view: &View, to: &Game) -> PyResult<kibitz_core::View> {
    let between = Between::new(view.game.get(), to)?;
    let seen = Between::new(view.referees.get(), to)?;
    let event = |(event, joint): (&Event, &[Action])| {
        Ok(match event {
            Event::Acted(action) => Event::Acted(between.action(py, *action)?),
            Event::Observed(told) => Event::Observed(between.observation(py, *told, &seen, joint)?),
            Event::Passed(ticks) => Event::Passed(*ticks),
        })
    };
    let events = view.view.events.iter().zip(view.joints()).map(event).collect::<PyResult<_>>()?;
    let legal = view.view.legal.iter().map(|action| between.action(py, *action));
    let mut legal = legal.collect::<PyResult<Vec<_>>>()?;
    legal.sort_unstable();
    Ok(kibitz_core::View { events, legal, ..view.view.clone() })
}

/// The way back, for the actions of a decision.
///
/// # Errors
/// ValueError where the planner's game knows an action that the other does not.
pub fn translate_back(
    py: Python<'_>,
    decision: &mut kibitz_core::planner::Decision,
    from: &Game,
    to: &Game,
) -> PyResult<()> {
    let between = Between::new(from, to)?;
    let table = decision.table.iter_mut().map(|row| &mut row.action);
    for action in table.chain([&mut decision.action]) {
        *action = between.action(py, *action)?;
    }
    Ok(())
}
