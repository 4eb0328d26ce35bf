//! Histories as bytes, and as rows of numbers.

use kibitz_core::episode::{History, Played};
use kibitz_core::{Action, Players};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A step of a history: the ticks before it, who moved (None where chance did), and what was chosen.
type Row = (u64, Option<Vec<usize>>, Vec<u32>);

/// A history of so many players as bytes; ValueError for a step that no game has.
#[pyfunction]
pub fn write_history<'py>(
    py: Python<'py>,
    players: usize,
    steps: Vec<Row>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut history = History::new(players);
    for (elapsed, movers, joint) in steps {
        let bit = |mover: usize| 1u32.checked_shl(mover as u32).unwrap_or(0);
        let movers =
            movers.map(|movers| Players(movers.into_iter().fold(0, |set, mover| set | bit(mover))));
        let joint = joint.into_iter().map(Action).collect();
        history.push(&Played { elapsed, movers, joint }).map_err(PyValueError::new_err)?;
    }
    Ok(PyBytes::new(py, &history.to_bytes()))
}

/// How many players a history has, and its steps; ValueError, with a sentence, for bytes that are none.
#[pyfunction]
pub fn read_history(data: &[u8]) -> PyResult<(usize, Vec<Row>)> {
    let history = History::from_bytes(data).map_err(PyValueError::new_err)?;
    let row = |played: Played| {
        let movers = played.movers.map(|movers| movers.iter().collect());
        (played.elapsed, movers, played.joint.into_iter().map(|action| action.0).collect())
    };
    Ok((history.players(), history.iter().map(row).collect()))
}
