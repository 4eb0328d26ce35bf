//! Learning as Python sees it; `kibitz.learn` makes functions of it.

use std::sync::Mutex;

use kibitz_core::learn::{Course, Lessons as Core, Net};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::count::at_work;
use crate::game::Game;

/// A network that is being taught a game.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Lessons {
    game: Py<Game>,
    lessons: Mutex<Core>,
}

#[pymethods]
impl Lessons {
    #[new]
    #[pyo3(signature = (game, *, strides=false, round=1000, units=64, trust=0.5, explore=0.02, transitions=0,
                        threads=1, seed=0, net=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords, in Python")]
    fn new(
        game: &Bound<'_, Game>,
        strides: bool,
        round: u32,
        units: usize,
        trust: f64,
        explore: f64,
        transitions: u64,
        threads: usize,
        seed: u64,
        net: Option<&[u8]>,
    ) -> PyResult<Lessons> {
        let net = net.map(Net::from_bytes).transpose();
        let net =
            net.map_err(|why| PyValueError::new_err(format!("start: {why}; kibitz learn makes one")))?;
        let course = Course {
            strides,
            round,
            first: units,
            trust,
            explore,
            transitions,
            threads,
            seed,
            ..Course::default()
        };
        let lessons = Core::new(game.get().model.clone(), course, net).map_err(PyValueError::new_err)?;
        Ok(Lessons { game: game.clone().unbind(), lessons: Mutex::new(lessons) })
    }

    /// Plays a round of games and learns from it at this rate: the games so far, the first player's mean return in
    /// this round from 0 (the worst) to 1, and the mean cross entropy.
    fn round(&self, py: Python<'_>, rate: f32) -> PyResult<(u64, f64, f64)> {
        let made = at_work(py, self.game.get(), None, |pace| {
            let mut lessons = self.lessons.lock().map_err(|_| "learning has failed")?;
            lessons.change(|course| course.rate = rate);
            lessons.round(&mut || pace.stop())
        })?;
        let made = made
            .map_err(PyValueError::new_err)?
            .ok_or_else(|| PyRuntimeError::new_err("the round was broken off"))?;
        Ok((made.games, made.mean, made.loss))
    }

    /// What was learned so far, as the bytes of a file.
    fn net<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let lessons = self.lessons.lock().map_err(|_| PyRuntimeError::new_err("learning has failed"))?;
        Ok(PyBytes::new(py, &lessons.net().to_bytes()))
    }
}
