//! Any hashable Python value becomes a number, and back.
//!
//! **A number is a function of the value, never of what came before it**: who saw numbers handed out in
//! the order of arrival could read from them what the true episode has visited. Small whole numbers stand
//! for themselves, everything else gets a hash that is the same in every process. Only where two values
//! fall on one number does the later one move on to the next free one; that is why the referee and each
//! seat have tables of their own (see [`crate::translate`]).

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use kibitz_core::rng::{derive, hash_bytes, mix};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyString, PyTuple};

/// A two-way table of values and numbers.
pub struct Interner {
    /// Whole numbers below two to this stand for themselves, hashes have this many bits.
    bits: u32,
    numbers: Py<PyDict>,
    values: Py<PyDict>,
    /// Some number belongs to a value that only equals it, such as `True`: ask the table.
    mixed: AtomicBool,
    /// Values that say nothing of themselves but that they are the same: numbered as they come.
    nameless: Py<PyDict>,
    growing: Mutex<()>,
}

impl Interner {
    /// An empty table of numbers with `bits + 1` bits.
    pub fn new(py: Python<'_>, bits: u32) -> Interner {
        Interner {
            bits,
            numbers: PyDict::new(py).unbind(),
            values: PyDict::new(py).unbind(),
            mixed: AtomicBool::new(false),
            nameless: PyDict::new(py).unbind(),
            growing: Mutex::new(()),
        }
    }

    fn is_whole(&self, number: u64) -> bool {
        number >> self.bits == 0
    }

    /// The number of a value.
    ///
    /// # Errors
    /// What hashing or comparing the value raised.
    pub fn number(&self, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        if value.is_exact_instance_of::<PyInt>()
            && !self.mixed.load(Ordering::Relaxed)
            && let Ok(number) = value.extract::<u64>()
            && self.is_whole(number)
        {
            return Ok(number);
        }
        let py = value.py();
        let numbers = self.numbers.bind(py);
        if let Some(number) = numbers.get_item(value)? {
            return number.extract();
        }
        let natural = self.natural(value)?;
        // Comparing values may run Python code, hence other threads: look again under the lock.
        let _growing = self.growing.lock_py_attached(py);
        if let Some(number) = numbers.get_item(value)? {
            return number.extract();
        }
        let values = self.values.bind(py);
        let mut number = natural;
        if self.is_whole(number) {
            self.mixed.store(true, Ordering::Relaxed);
        } else {
            let hashes = (1u64 << self.bits) - 1;
            while values.contains(number)? {
                number = (number + 1) & hashes | 1 << self.bits;
            }
        }
        values.set_item(number, value)?;
        numbers.set_item(value, number)?;
        Ok(number)
    }

    /// The number that a value gets unless another one has it.
    fn natural(&self, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        match whole(value) {
            Some(number) if number >= 0 && self.is_whole(number as u64) => Ok(number as u64),
            _ => Ok(self.key(value)? >> (64 - self.bits) | 1 << self.bits),
        }
    }

    /// The value of a number.
    pub fn value<'py>(&self, py: Python<'py>, number: u64) -> Option<Bound<'py, PyAny>> {
        let plain = || Some(number.into_pyobject(py).ok()?.into_any());
        if !self.is_whole(number) {
            return self.values.bind(py).get_item(number).ok()?;
        }
        if !self.mixed.load(Ordering::Relaxed) {
            return plain();
        }
        self.values.bind(py).get_item(number).ok()?.or_else(plain)
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
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(derive(2, hash_bytes(text.to_cow()?.as_bytes())));
        }
        if let Some(integer) = whole(value) {
            return Ok(derive(3, integer as u64));
        }
        if value.is_none() {
            return Ok(mix(4));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(derive(5, hash_bytes(bytes.as_bytes())));
        }
        if let Ok(real) = value.cast::<PyFloat>() {
            return Ok(derive(6, real.value().to_bits()));
        }
        if let Ok(set) = value.cast::<PyFrozenSet>() {
            let mut sum = 0u64;
            for item in set.iter() {
                sum = sum.wrapping_add(mix(self.key(&item)?));
            }
            return Ok(derive(7, sum));
        }
        self.key_of_object(value)
    }

    /// The key of an object of somebody's own class: by its fields if it is a data class, else by how it
    /// writes itself, else (where all that it says is its address) by the order of arrival.
    fn key_of_object(&self, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = value.py();
        value.hash()?;
        let class = value.get_type();
        let kind = derive(8, hash_bytes(class.qualname()?.to_cow()?.as_bytes()));
        if let Some(fields) = class.getattr_opt("__dataclass_fields__")? {
            let mut key = kind;
            for (name, field) in fields.cast_into::<PyDict>()?.iter() {
                if field.getattr("compare")?.is_truthy()? {
                    key = derive(key, self.key(&value.getattr(name.cast::<PyString>()?)?)?);
                }
            }
            return Ok(key);
        }
        let plain = py.get_type::<PyAny>().getattr("__repr__")?;
        if !class.getattr("__repr__")?.is(&plain) {
            let text = value.repr()?;
            let text = text.to_cow()?;
            if !text.contains(" at 0x") {
                return Ok(derive(kind, hash_bytes(text.as_bytes())));
            }
        }
        let nameless = self.nameless.bind(py);
        let _growing = self.growing.lock_py_attached(py);
        let number = match nameless.get_item(value)? {
            Some(number) => number.extract()?,
            None => {
                let number = nameless.len() as u64;
                nameless.set_item(value, number)?;
                number
            }
        };
        Ok(derive(9, number))
    }
}

/// The whole number that a value equals: also `True`, members of an `IntEnum`, and 2.0.
fn whole(value: &Bound<'_, PyAny>) -> Option<i64> {
    if let Ok(integer) = value.cast::<PyInt>() {
        return integer.extract().ok();
    }
    let real = value.cast::<PyFloat>().ok()?.value();
    // Two to the 63rd is where whole numbers no longer fit.
    (real.fract() == 0.0 && real.abs() < 9.2e18).then_some(real as i64)
}
