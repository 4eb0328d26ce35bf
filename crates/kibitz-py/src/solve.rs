//! Exact solvers as Python sees them; `kibitz.exact` makes them one function.

use kibitz_core::rng::Rng;
use kibitz_core::solve::{self, Limits, Side};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::count::at_work;
use crate::game::Game;

/// Value of each player, best first action, method, states, table of first actions, a whole way.
type Solution = (Vec<f64>, Option<String>, &'static str, u64, Vec<(String, f64)>, Vec<String>);

/// An information set: the sequence that leads to it, those that go on from it, their actions' names.
type Set = (usize, Vec<usize>, Vec<String>);

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

/// A game of two with opposite interests in sequence form.
#[pyclass(module = "kibitz._core", frozen)]
pub struct SequenceForm(solve::SequenceForm);

#[pymethods]
impl SequenceForm {
    #[new]
    fn new(py: Python<'_>, game: &Bound<'_, Game>, max_states: u64) -> PyResult<SequenceForm> {
        let game = game.get();
        let form = at_work(py, game, None, |pace| {
            solve::sequence_form(
                &*game.model,
                &mut Limits { states: max_states, pause: &mut || pace.stop() },
            )
        })?;
        form.map(SequenceForm).map_err(PyValueError::new_err)
    }

    /// For each information set of a player: the sequence that leads to it, those that go on from
    /// it, and the names of the actions that make them.
    fn sets(&self, player: usize) -> PyResult<Vec<Set>> {
        let side = self.side(player)?;
        let named = side.sets.iter().zip(&side.names);
        Ok(named.map(|((from, to), names)| (*from, to.clone(), names.clone())).collect())
    }

    /// How many sequences a player has; number 0 is the empty one.
    fn sequences(&self, player: usize) -> PyResult<usize> {
        Ok(self.side(player)?.sequences)
    }

    /// Sequences of player 0, of player 1, and what the pairs pay to player 0; pairs add up.
    #[getter]
    fn payoffs(&self) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
        let payoffs = || self.0.payoffs.iter();
        (
            payoffs().map(|p| p.0).collect(),
            payoffs().map(|p| p.1).collect(),
            payoffs().map(|p| p.2).collect(),
        )
    }

    /// The player who decides first and its first information sets, with what it sees there.
    #[getter]
    fn first(&self) -> Option<(usize, Vec<(usize, String)>)> {
        self.0.first.clone()
    }

    /// What both players get together, however it ends.
    #[getter]
    fn total(&self) -> f64 {
        self.0.total
    }

    #[getter]
    fn states(&self) -> u64 {
        self.0.states
    }
}

impl SequenceForm {
    fn side(&self, player: usize) -> PyResult<&Side> {
        self.0.sides.get(player).ok_or_else(|| PyValueError::new_err("the players are 0 and 1"))
    }
}
