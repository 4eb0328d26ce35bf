//! Small tools of the rules: random streams that Python code draws from, and a check for repeats.

use std::cell::RefCell;
use std::sync::Mutex;

use kibitz_core::{Action, Rng};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// A stream of the core as the source of a `random.Random`.
#[pyclass(module = "kibitz._core")]
pub struct Bits {
    rng: Rng,
}

#[pymethods]
impl Bits {
    #[new]
    #[pyo3(signature = (seed=0))]
    fn new(seed: u64) -> Bits {
        Bits { rng: Rng::new(seed) }
    }

    /// A uniform real from 0 up to, but not including, 1.
    fn random(&mut self) -> f64 {
        self.rng.unit()
    }

    /// A whole number of `count` random bits.
    fn getrandbits<'py>(&mut self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyAny>> {
        match count {
            0 => Ok(0u64.into_pyobject(py)?.into_any()),
            1..=64 => Ok((self.rng.bits() >> (64 - count)).into_pyobject(py)?.into_any()),
            _ => {
                let mut bytes: Vec<u8> =
                    (0..count.div_ceil(64)).flat_map(|_| self.rng.bits().to_le_bytes()).collect();
                bytes.truncate(count.div_ceil(8));
                if let (Some(last), 1..) = (bytes.last_mut(), count % 8) {
                    *last >>= 8 - count % 8;
                }
                py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &bytes), "little"))
            }
        }
    }
}

/// The streams that are not in use; a `random.Random` is dear to make.
#[derive(Default)]
pub struct Pool(Mutex<Vec<(Py<Bits>, Py<PyAny>)>>);

impl Pool {
    /// Lends a `random.Random` that is fed by a fork of `rng`.
    pub fn lend<'py, T>(
        &self,
        py: Python<'py>,
        rng: &mut Rng,
        use_it: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<T> {
        let spare = self.0.lock().ok().and_then(|mut pool| pool.pop());
        let seed = rng.bits();
        let (bits, stream) = match spare {
            Some((bits, stream)) => {
                bits.borrow_mut(py).rng = Rng::new(seed);
                (bits, stream)
            }
            None => {
                let bits = Py::new(py, Bits::new(seed))?;
                let stream = py.import("kibitz._stream")?.getattr("Stream")?.call1((&bits,))?;
                (bits, stream.unbind())
            }
        };
        let result = use_it(stream.bind(py));
        if let Ok(mut pool) = self.0.lock() {
            pool.push((bits, stream));
        }
        result
    }
}

thread_local! {
    /// The actions of the list that is being checked, in order.
    static SORTED: RefCell<Vec<Action>> = const { RefCell::new(Vec::new()) };
}

/// Whether an action occurs twice.
pub fn repeats(actions: &[Action]) -> bool {
    if actions.len() <= 16 {
        return (1..actions.len()).any(|at| actions[..at].contains(&actions[at]));
    }
    SORTED.with_borrow_mut(|sorted| {
        sorted.clear();
        sorted.extend_from_slice(actions);
        sorted.sort_unstable();
        sorted.windows(2).any(|pair| pair[0] == pair[1])
    })
}
