//! Exact solvers as Python sees them; `kibitz.exact` makes them one function.

use kibitz_core::rng::Rng;
use kibitz_core::solve::{self, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::count::at_work;
use crate::game::Game;

/// Value of each player, best first action, method, states, table of first actions, a whole way.
type Solution = (Vec<f64>, Option<String>, &'static str, u64, Vec<(String, f64)>, Vec<String>);

/// Solves a game of perfect information, or of one player who does not see everything; `None` if
/// it is neither.
/// With a deal, the game is solved from there on: what chance does before the first move is drawn as in an
/// episode with that seed.
#[pyfunction]
#[pyo3(signature = (game, max_states, deal=None))]
pub fn solve_alone(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    max_states: u64,
    deal: Option<u64>,
) -> PyResult<Option<Solution>> {
    let game = game.get();
    let solution = at_work(py, game, None, |pace| {
        let mut limits = Limits { states: max_states, pause: &mut || pace.stop() };
        match deal {
            None => solve::solve(&*game.model, &mut limits),
            Some(seed) => {
                let start = solve::deal(&*game.model, &mut Rng::episode(seed, 0, "chance"))?;
                solve::solve_from(&game.model, start, &mut limits)
            }
        }
    })?;
    let solution = solution.map_err(PyValueError::new_err)?;
    Ok(solution.map(|s| (s.value, s.action, s.method, s.states, s.table, s.line)))
}
