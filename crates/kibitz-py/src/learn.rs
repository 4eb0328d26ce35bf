//! Learning as Python sees it; `kibitz.learn` makes functions of it.

use std::sync::Mutex;

use kibitz_core::learn::{Net, SelfPlay as Core, Training};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::count::at_work;
use crate::game::Game;

/// A network that is being taught a game.
#[pyclass(module = "kibitz._core", frozen)]
pub struct SelfPlay {
    game: Py<Game>,
    self_play: Mutex<Core>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    #[pyo3(signature = (game, *, macro_actions=false, round=1000, units=64, trust=0.5, explore=0.02, transitions=0,
                        threads=1, seed=0, net=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords, in Python")]
    fn new(
        game: &Bound<'_, Game>,
        macro_actions: bool,
        round: u32,
        units: usize,
        trust: f64,
        explore: f64,
        transitions: u64,
        threads: usize,
        seed: u64,
        net: Option<&[u8]>,
    ) -> PyResult<SelfPlay> {
        let net = net.map(Net::from_bytes).transpose();
        let net =
            net.map_err(|why| PyValueError::new_err(format!("start: {why}; kibitz learn makes one")))?;
        let training = Training {
            macro_actions,
            round,
            first: units,
            trust,
            explore,
            transitions,
            threads,
            seed,
            ..Training::default()
        };
        let self_play =
            Core::new(game.get().model.clone(), training, net).map_err(PyValueError::new_err)?;
        Ok(SelfPlay { game: game.clone().unbind(), self_play: Mutex::new(self_play) })
    }

    /// Plays a round of games and learns from it at this rate: the games so far, the first player's mean return in
    /// this round from 0 (the worst) to 1, and the mean cross entropy.
    fn round(&self, py: Python<'_>, rate: f32) -> PyResult<(u64, f64, f64)> {
        let made = at_work(py, self.game.get(), None, |pace| {
            let mut self_play = self.self_play.lock().map_err(|_| "learning has failed")?;
            self_play.change(|training| training.rate = rate);
            self_play.round(&mut || pace.stop())
        })?;
        let made = made
            .map_err(PyValueError::new_err)?
            .ok_or_else(|| PyRuntimeError::new_err("the round was broken off"))?;
        Ok((made.games, made.mean, made.loss))
    }

    /// What was learned so far, as the bytes of a file.
    fn net<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let self_play =
            self.self_play.lock().map_err(|_| PyRuntimeError::new_err("learning has failed"))?;
        Ok(PyBytes::new(py, &self_play.net().to_bytes()))
    }
}
