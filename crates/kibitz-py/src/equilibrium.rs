//! Regret minimisation as Python sees it; `kibitz.equilibrium` makes functions of it.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use kibitz_core::Action;
use kibitz_core::episode::check_returns;
use kibitz_core::equilibrium::{Method, Options, Set, Solver, Tree, Worth, worth};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::count::at_work;
use crate::fault::GameFault;
use crate::game::{Game, spec_error};
use crate::referee::Referee;
use crate::view::View;

/// An information set: whose, the place of its first action in a strategy, and its actions.
type SetRow = (usize, usize, Vec<u32>);

fn rows(sets: &[Set], actions: &[Action]) -> Vec<SetRow> {
    let row = |set: &Set| {
        let here = actions[set.sequences()].iter().map(|action| action.0).collect();
        (set.player as usize, set.first as usize, here)
    };
    sets.iter().map(row).collect()
}

/// Two figures for each player.
type Pair = (Vec<f64>, Vec<f64>);

/// Each player's value and best response.
fn pair(worth: Worth) -> Pair {
    (worth.values, worth.best)
}

fn view_of(game: &Bound<'_, Game>, sets: &[Set], number: usize, history: &[Action]) -> PyResult<View> {
    Referee::view_after(game, history, sets[number].player as usize)
}

fn check(sets: &[Set], number: usize) -> PyResult<()> {
    let count = sets.len();
    if number < count {
        return Ok(());
    }
    Err(PyIndexError::new_err(format!(
        "there is no information set {number}: there are {count}, from 0 on"
    )))
}

/// GameFault where the game pays in the end what it has not declared: values would be wrong without a word.
fn check_endings(rules: &Game, tree: &Tree) -> PyResult<()> {
    let info = rules.model.info();
    for returns in tree.endings().2.chunks(info.players) {
        check_returns(info, returns, true)
            .map_err(|why| GameFault::new_err(format!("{}: where a game ends, {why}", rules.spec)))?;
    }
    Ok(())
}

/// A whole game, written out; ValueError where it is too large.
#[pyclass(module = "kibitz._core", frozen)]
pub struct GameTree {
    game: Py<Game>,
    tree: Arc<Tree>,
}

#[pymethods]
impl GameTree {
    #[new]
    fn new(game: &Bound<'_, Game>, max_nodes: usize) -> PyResult<GameTree> {
        let rules = game.get();
        let tree = at_work(game.py(), rules, None, |pace| {
            Tree::new(&*rules.model, max_nodes, &mut || pace.stop())
        })?;
        let tree = tree.map_err(|why| PyValueError::new_err(why.to_string()))?;
        check_endings(rules, &tree)?;
        Ok(GameTree { game: game.clone().unbind(), tree: Arc::new(tree) })
    }

    /// How many histories there are.
    #[getter]
    fn nodes(&self) -> usize {
        self.tree.size()
    }

    /// All information sets.
    #[getter]
    fn sets(&self) -> Vec<SetRow> {
        rows(&self.tree.sets, &self.tree.actions)
    }

    /// How many numbers a strategy of all players has.
    #[getter]
    fn width(&self) -> usize {
        self.tree.actions.len()
    }

    /// For each information set, the place of the action of its player's that leads there.
    #[getter]
    fn parents(&self) -> Vec<usize> {
        self.tree.sets.iter().map(|set| set.parent as usize).collect()
    }

    /// For each player, the place that stands for no action yet; its actions come after it.
    #[getter]
    fn beginnings(&self) -> Vec<usize> {
        self.tree.sides.iter().map(|side| side.sequences.start).collect()
    }

    /// The information sets in which the first decisions are made.
    #[getter]
    fn opening(&self) -> Vec<usize> {
        self.tree.opening()
    }

    /// The endings, side by side: the places of the players' last actions, chance's probability of each, and
    /// the players' returns.
    #[getter]
    fn endings(&self) -> (Vec<u32>, Vec<f64>, Vec<f64>) {
        let (places, chance, returns) = self.tree.endings();
        (places.to_vec(), chance.to_vec(), returns.to_vec())
    }

    /// What the player of an information set knows there.
    fn view(&self, py: Python<'_>, number: usize) -> PyResult<View> {
        check(&self.tree.sets, number)?;
        view_of(self.game.bind(py), &self.tree.sets, number, &self.tree.history(number))
    }

    /// What each player gets, and would get by answering the others best.
    fn worth(&self, py: Python<'_>, strategy: Vec<f64>) -> PyResult<Pair> {
        py.detach(|| worth(&self.tree, &strategy)).map(pair).map_err(PyValueError::new_err)
    }
}

/// Minimises regrets; ValueError where the game does not suit the method.
#[pyclass(module = "kibitz._core", frozen)]
pub struct RegretSolver {
    game: Py<Game>,
    solver: Mutex<Solver>,
}

impl RegretSolver {
    /// Work with the solver; RuntimeError while another thread does.
    fn at(&self) -> PyResult<MutexGuard<'_, Solver>> {
        match self.solver.try_lock() {
            Ok(solver) => Ok(solver),
            Err(TryLockError::Poisoned(solver)) => Ok(solver.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("it is at work in another thread"))
            }
        }
    }
}

#[pymethods]
impl RegretSolver {
    #[new]
    #[pyo3(signature = (game, method, *, seed=0, epsilon=0.6, alternating=true, max_nodes=5_000_000))]
    fn new(
        game: &Bound<'_, Game>,
        method: &str,
        seed: u64,
        epsilon: f64,
        alternating: bool,
        max_nodes: usize,
    ) -> PyResult<RegretSolver> {
        let method: Method = method.parse().map_err(spec_error)?;
        let options = Options { alternating, epsilon, seed, nodes: max_nodes };
        let rules = game.get();
        let solver = at_work(game.py(), rules, None, |pace| {
            Solver::new(&rules.model, method, options, &mut || pace.stop())
        })?;
        let solver = solver.map_err(PyValueError::new_err)?;
        if let Some(tree) = solver.tree() {
            check_endings(rules, tree)?;
        }
        let solver = Mutex::new(solver);
        Ok(RegretSolver { game: game.clone().unbind(), solver })
    }

    /// The names of all methods.
    #[staticmethod]
    fn methods() -> Vec<&'static str> {
        Method::ALL.iter().map(|(name, _)| *name).collect()
    }

    /// Does so many more iterations, or as many as fit in `seconds`. Ctrl-C raises KeyboardInterrupt
    /// soon: what is done stays.
    #[pyo3(signature = (iterations, seconds=None))]
    fn run(&self, py: Python<'_>, iterations: u64, seconds: Option<f64>) -> PyResult<()> {
        let mut solver = self.at()?;
        let solver = &mut *solver;
        at_work(py, self.game.get(), seconds, |pace| solver.run(iterations, &mut || pace.stop()))?
            .map_err(PyValueError::new_err)
    }

    /// Each player's mean return in so many games by the average strategy, or as many as fit in `seconds`,
    /// with standard errors; None where `worth` knows.
    #[pyo3(signature = (games, seconds=None))]
    fn estimate(&self, py: Python<'_>, games: u32, seconds: Option<f64>) -> PyResult<Option<Pair>> {
        let mut solver = self.at()?;
        let solver = &mut *solver;
        let found =
            at_work(py, self.game.get(), seconds, |pace| solver.estimate(games, &mut || pace.stop()))?;
        Ok(found.map_err(PyValueError::new_err)?.map(|found| (found.means, found.errors)))
    }

    /// Whether there was no room for all information sets that were met.
    #[getter]
    fn full(&self) -> PyResult<bool> {
        Ok(self.at()?.is_full())
    }

    /// How many were done.
    #[getter]
    fn iterations(&self) -> PyResult<u64> {
        Ok(self.at()?.iterations)
    }

    /// How many histories the game has, where it was written out.
    #[getter]
    fn nodes(&self) -> PyResult<Option<usize>> {
        Ok(self.at()?.tree().map(|tree| tree.size()))
    }

    /// The whole game, where it was written out.
    #[getter]
    fn tree(&self, py: Python<'_>) -> PyResult<Option<GameTree>> {
        let solver = self.at()?;
        Ok(solver.tree().map(|tree| GameTree { game: self.game.clone_ref(py), tree: tree.clone() }))
    }

    /// The information sets: all of them, or those that were met so far.
    #[getter]
    fn sets(&self) -> PyResult<Vec<SetRow>> {
        let solver = self.at()?;
        Ok(rows(solver.sets(), solver.actions()))
    }

    /// What the player of an information set knows there.
    fn view(&self, py: Python<'_>, number: usize) -> PyResult<View> {
        let solver = self.at()?;
        check(solver.sets(), number)?;
        view_of(self.game.bind(py), solver.sets(), number, &solver.history(number))
    }

    /// The average strategy of all players.
    fn average(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        let solver = self.at()?;
        let solver = &*solver;
        Ok(py.detach(|| solver.average()))
    }

    /// What each player gets by it, and would get by answering the others best; None without a tree.
    fn worth(&self, py: Python<'_>) -> PyResult<Option<Pair>> {
        let solver = self.at()?;
        let solver = &*solver;
        Ok(py.detach(|| solver.worth()).map(pair))
    }
}
