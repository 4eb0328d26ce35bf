//! Any hashable Python value becomes a number, dense from 0, and back.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use kibitz_core::rng::{derive, hash_bytes, mix};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyString, PyTuple};

/// Small whole numbers, the commonest actions, skip the dictionary.
const SMALL: usize = 1024;

/// A two-way table of values and numbers.
pub struct Interner {
    numbers: Py<PyDict>,
    values: Py<PyList>,
    /// The number of each small whole number, plus one; 0 where it is not known yet.
    small: Vec<AtomicU32>,
    growing: Mutex<()>,
}

impl Interner {
    pub fn new(py: Python<'_>) -> Interner {
        Interner {
            numbers: PyDict::new(py).unbind(),
            values: PyList::empty(py).unbind(),
            small: (0..SMALL).map(|_| AtomicU32::new(0)).collect(),
            growing: Mutex::new(()),
        }
    }

    /// The number of a value; a new one for a value not seen before.
    ///
    /// # Errors
    /// What hashing or comparing the value raised.
    pub fn number(&self, value: &Bound<'_, PyAny>) -> PyResult<u32> {
        let small = if value.is_exact_instance_of::<PyInt>() {
            value.extract::<usize>().ok().and_then(|index| self.small.get(index))
        } else {
            None
        };
        if let Some(slot) = small {
            let known = slot.load(Ordering::Relaxed);
            if known > 0 {
                return Ok(known - 1);
            }
        }
        let number = self.look_up(value)?;
        if let Some(slot) = small {
            slot.store(number + 1, Ordering::Relaxed);
        }
        Ok(number)
    }

    fn look_up(&self, value: &Bound<'_, PyAny>) -> PyResult<u32> {
        let py = value.py();
        let numbers = self.numbers.bind(py);
        if let Some(number) = numbers.get_item(value)? {
            return number.extract();
        }
        // Comparing values may run Python code, hence other threads: look again under the lock.
        let _growing = self.growing.lock_py_attached(py);
        if let Some(number) = numbers.get_item(value)? {
            return number.extract();
        }
        let values = self.values.bind(py);
        let number = values.len() as u32;
        values.append(value)?;
        numbers.set_item(value, number)?;
        Ok(number)
    }

    /// The value of a number.
    pub fn value<'py>(&self, py: Python<'py>, number: u32) -> Option<Bound<'py, PyAny>> {
        self.values.bind(py).get_item(number as usize).ok()
    }

    /// A key that is equal for equal values and the same in every process, which Python's own
    /// `hash` is not (texts are salted, and -1 and -2 collide).
    ///
    /// # Errors
    /// What hashing or comparing the value raised.
    pub fn key(&self, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        if let Ok(tuple) = value.cast::<PyTuple>() {
            let mut key = mix(1);
            for item in tuple.iter() {
                key = derive(key, self.key(&item)?);
            }
            return Ok(key);
        }
        if let Ok(text) = value.cast_exact::<PyString>() {
            return Ok(derive(2, hash_bytes(text.to_cow()?.as_bytes())));
        }
        if value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>() {
            if let Ok(integer) = value.extract::<i64>() {
                return Ok(derive(3, integer as u64));
            }
        } else if value.is_none() {
            return Ok(mix(4));
        } else if let Ok(bytes) = value.cast_exact::<PyBytes>() {
            return Ok(derive(5, hash_bytes(bytes.as_bytes())));
        } else if let Ok(real) = value.cast_exact::<PyFloat>() {
            let real = real.value();
            // 2.0 equals 2 in Python; two to the 63rd is where whole numbers no longer fit.
            let whole = real.fract() == 0.0 && real.abs() < 9.2e18;
            return Ok(if whole { derive(3, real as i64 as u64) } else { derive(6, real.to_bits()) });
        } else if let Ok(set) = value.cast_exact::<PyFrozenSet>() {
            let mut sum = 0u64;
            for item in set.iter() {
                sum = sum.wrapping_add(mix(self.key(&item)?));
            }
            return Ok(derive(7, sum));
        }
        Ok(derive(8, u64::from(self.number(value)?)))
    }
}
