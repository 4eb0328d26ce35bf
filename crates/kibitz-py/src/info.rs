//! The facts about a game that hold in all of its states, as Python sees them.

use kibitz_core::episode::enough_steps;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The facts about a game that hold in all of its states.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Info(pub kibitz_core::Info, pub kibitz_core::Capabilities);

#[pymethods]
impl Info {
    #[getter]
    fn players(&self) -> usize {
        self.0.players
    }

    #[getter]
    fn min_return(&self) -> f64 {
        self.0.min_return
    }

    #[getter]
    fn max_return(&self) -> f64 {
        self.0.max_return
    }

    #[getter]
    fn spread(&self) -> f64 {
        self.0.spread
    }

    #[getter]
    fn discount(&self) -> f64 {
        self.0.discount
    }

    /// After how many steps to leave a game that need not end.
    #[getter]
    fn enough_steps(&self) -> Option<u64> {
        enough_steps(&self.0)
    }

    #[getter]
    fn horizon(&self) -> Option<u32> {
        self.0.horizon
    }

    #[getter]
    fn perfect_information(&self) -> bool {
        self.0.perfect_information
    }

    #[getter]
    fn zero_sum(&self) -> bool {
        self.0.zero_sum
    }

    #[getter]
    fn paid_at_end(&self) -> bool {
        self.0.paid_at_end
    }

    #[getter]
    fn outcome(&self) -> Option<f64> {
        self.0.outcome
    }

    #[getter]
    fn simultaneous(&self) -> Option<bool> {
        self.0.simultaneous
    }

    /// Each capability's name and whether it is there.
    #[getter]
    fn capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let list = PyDict::new(py);
        list.set_item("explicit chance", self.0.explicit_chance)?;
        for (name, there) in self.1.list() {
            list.set_item(name, there)?;
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        let info = &self.0;
        let players =
            if info.players == 1 { "1 player".to_owned() } else { format!("{} players", info.players) };
        format!("<Info: {players}, returns from {} to {}>", info.min_return, info.max_return)
    }
}
