//! A planner may be started on another game than the referee's: the model it believes in.

use kibitz_core::{Action, Event, Observation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::referee::View;

/// The view of one game in the numbers of another. Numbers of native games are fixed by the
/// rules; a Python game numbers its values as they come, so that the values are matched.
pub fn translate(py: Python<'_>, view: &View, to: &Game) -> PyResult<kibitz_core::View> {
    let from = view.game.get();
    let (from, to) = match (&from.python, &to.python) {
        (Some(from), Some(to)) => (from, to),
        (None, None) => return Ok(view.view.clone()),
        _ => {
            return Err(PyValueError::new_err(format!(
                "the view is of {}, but the planner was started on {}",
                from.spec, to.spec
            )));
        }
    };
    let lost = || PyValueError::new_err("the view does not fit the game that the planner was started on");
    let action = |action: &Action| -> PyResult<Action> {
        Ok(Action(to.actions.number(&from.actions.value(py, action.0).ok_or_else(lost)?)?))
    };
    let actions = |list: &[Action]| list.iter().map(action).collect::<PyResult<Vec<_>>>();
    let event = |(event, joint): (&Event, &[Action])| -> PyResult<Event> {
        Ok(match (event, from.own_observations(), to.own_observations()) {
            (Event::Acted(done), ..) => Event::Acted(action(done)?),
            (Event::Observed(told), true, true) => {
                let number = u32::try_from(told.0 - 1).map_err(|_| lost())?;
                let value = from.observations.value(py, number).ok_or_else(lost)?;
                Event::Observed(Observation(u64::from(to.observations.number(&value)?) + 1))
            }
            (Event::Observed(_), false, false) => Event::Observed(Observation::of_joint(&actions(joint)?)),
            (Event::Observed(_), ..) => return Err(lost()),
        })
    };
    let mut legal = actions(&view.view.legal)?;
    legal.sort_unstable();
    let events = view.view.events.iter().zip(view.joints()).map(event).collect::<PyResult<_>>()?;
    Ok(kibitz_core::View { player: view.view.player, events, legal })
}

/// The way back, for the actions of a decision.
pub fn translate_back(
    py: Python<'_>,
    decision: &mut kibitz_core::planner::Decision,
    from: &Game,
    to: &Game,
) -> PyResult<()> {
    let (Some(from), Some(to)) = (&from.python, &to.python) else { return Ok(()) };
    let table = decision.table.iter_mut().map(|row| &mut row.action);
    for action in table.chain([&mut decision.action]) {
        let lost = || PyValueError::new_err("the planner chose an action that the game does not know");
        *action = Action(to.actions.number(&from.actions.value(py, action.0).ok_or_else(lost)?)?);
    }
    Ok(())
}
