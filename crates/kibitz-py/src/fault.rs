//! Failures of rules that a user wrote. The core knows no exceptions: a failed game counts the
//! failure and reads as over, so that every loop ends. [`drive`] compares the count before and
//! after, and raises instead of believing the result.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

use crate::game::Game;

pyo3::create_exception!(
    kibitz._core,
    GameFault,
    PyRuntimeError,
    "A game failed, or broke the contract or what it declares; the user's own exception is the cause."
);

/// Runs `work`, which calls the game, and raises [`GameFault`] if the game failed meanwhile.
pub fn drive<T>(py: Python<'_>, game: &Game, work: impl FnOnce() -> T) -> PyResult<T> {
    let before = game.model.faults();
    if let Some(rules) = &game.python {
        rules.mend();
    }
    let result = catch_unwind(AssertUnwindSafe(work));
    match fault_since(py, game, before) {
        Some(fault) => Err(fault),
        None => result.map_err(|panic| resume_unwind(panic)),
    }
}

/// The failure since there had been `before` of them, if there was one.
pub fn fault_since(py: Python<'_>, game: &Game, before: u64) -> Option<PyErr> {
    (game.model.faults() != before).then(|| raise(py, game))
}

/// The same error; a game's with the place where it came up.
pub fn placed(py: Python<'_>, error: PyErr, place: impl Display) -> PyErr {
    if !error.is_instance_of::<GameFault>(py) {
        return error;
    }
    let placed = GameFault::new_err(format!("{} (in {place})", error.value(py)));
    placed.set_cause(py, error.cause(py));
    placed
}

fn raise(py: Python<'_>, game: &Game) -> PyErr {
    let cause = game.python.as_ref().and_then(|rules| {
        rules.mend();
        rules.cause(py)
    });
    let sentence = game.model.fault().unwrap_or_else(|| format!("{} failed", game.spec));
    match cause {
        // Ctrl-C and the like are nobody's fault.
        Some(cause) if !cause.is_instance_of::<PyException>(py) => cause,
        cause => {
            let fault = GameFault::new_err(sentence);
            fault.set_cause(py, cause);
            fault
        }
    }
}
