//! Any hashable Python value becomes a number, and back.
//!
//! **A number is a function of the value, never of what came before it**: who saw numbers handed out in
//! the order of arrival could read from them what the true episode has visited. Small whole numbers stand
//! for themselves, everything else gets a hash that is the same in every process. Only where two hashes
//! fall on one number does the later value move on to the next free one; that is why the referee and each
//! seat have tables of their own (see [`crate::translate`]). Values that differ but say the same of
//! themselves could only be numbered as they come, and are refused.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use kibitz_core::rng::{derive, hash_bytes, mix};
use pyo3::exceptions::PyValueError;
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
    /// Some value has not got the number of its hash.
    moved: AtomicBool,
    /// Objects that do not write themselves out, by their keys: two that differ must not share one.
    nameless: Py<PyDict>,
    growing: Mutex<()>,
}

/// How deep the fields of such objects are followed: they may lead round in a circle.
const DEEP: u32 = 8;

impl Interner {
    /// An empty table of numbers with `bits + 1` bits.
    pub fn new(py: Python<'_>, bits: u32) -> Interner {
        Interner {
            bits,
            numbers: PyDict::new(py).unbind(),
            values: PyDict::new(py).unbind(),
            mixed: AtomicBool::new(false),
            moved: AtomicBool::new(false),
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
            let key = self.key(value)?;
            while let Some(other) = values.get_item(number)? {
                if self.key(&other)? == key {
                    return Err(indistinct());
                }
                self.moved.store(true, Ordering::Relaxed);
                number = (number + 1) & hashes | 1 << self.bits;
            }
        }
        values.set_item(number, value)?;
        numbers.set_item(value, number)?;
        Ok(number)
    }

    /// Whether numbers tell in which order some values came.
    pub fn has_moved(&self) -> bool {
        self.moved.load(Ordering::Relaxed)
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
    /// What hashing or comparing the value raised, and ValueError where it cannot be told from another.
    pub fn key(&self, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.key_at(value, 0)
    }

    fn key_at(&self, value: &Bound<'_, PyAny>, depth: u32) -> PyResult<u64> {
        if let Ok(tuple) = value.cast::<PyTuple>() {
            let mut key = mix(1);
            for item in tuple.iter() {
                key = derive(key, self.key_at(&item, depth)?);
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
        if let Some(real) = real(value) {
            return Ok(derive(6, real.to_bits()));
        }
        if let Ok(set) = value.cast::<PyFrozenSet>() {
            let mut sum = 0u64;
            for item in set.iter() {
                sum = sum.wrapping_add(mix(self.key_at(&item, depth)?));
            }
            return Ok(derive(7, sum));
        }
        self.key_of_object(value, depth)
    }

    /// The key of an object of somebody's own class: by its fields if it is a data class, by its name if it is a
    /// function, else by how it writes itself, else (where all that this says is an address) by its fields.
    fn key_of_object(&self, value: &Bound<'_, PyAny>, depth: u32) -> PyResult<u64> {
        let py = value.py();
        value.hash()?;
        let class = value.get_type();
        let kind = derive(8, hash_bytes(class.qualname()?.to_cow()?.as_bytes()));
        if let Some(fields) = class.getattr_opt("__dataclass_fields__")? {
            let mut key = kind;
            for (name, field) in fields.cast_into::<PyDict>()?.iter() {
                if field.getattr("compare")?.is_truthy()? {
                    key = derive(key, self.key_at(&value.getattr(name.cast::<PyString>()?)?, depth)?);
                }
            }
            return Ok(key);
        }
        let text = value.repr()?;
        let text = text.to_cow()?;
        if !text.contains(" at 0x") {
            return Ok(derive(kind, hash_bytes(text.as_bytes())));
        }
        let mut key = derive(kind, 9);
        if let Some(name) = value.getattr_opt("__qualname__")? {
            key = derive(key, self.key_at(&name, depth)?);
        } else if depth < DEEP {
            for (name, field) in fields(value)? {
                // What has no key tells nothing apart; values that differ by it only are refused.
                if let Ok(field) = self.key_at(&field, depth + 1) {
                    key = derive(derive(key, hash_bytes(name.as_bytes())), field);
                }
            }
        }
        if depth == 0 {
            let nameless = self.nameless.bind(py);
            match nameless.get_item(key)? {
                Some(other) if !other.eq(value)? => return Err(indistinct()),
                Some(_) => {}
                None => nameless.set_item(key, value)?,
            }
        }
        Ok(key)
    }
}

/// The fields of an object by their names.
fn fields<'py>(value: &Bound<'py, PyAny>) -> PyResult<BTreeMap<String, Bound<'py, PyAny>>> {
    let mut fields = BTreeMap::new();
    if let Some(own) = value.getattr_opt("__dict__")?
        && let Ok(own) = own.cast_into::<PyDict>()
    {
        for (name, field) in own.iter() {
            fields.insert(name.str()?.to_string_lossy().into_owned(), field);
        }
    }
    for class in value.get_type().mro().iter() {
        let Some(slots) = class.getattr_opt("__slots__")? else { continue };
        let slots = match slots.cast::<PyString>() {
            Ok(one) => vec![one.to_string_lossy().into_owned()],
            Err(_) => slots.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?,
        };
        for name in slots {
            if let Some(field) = value.getattr_opt(&*name)? {
                fields.insert(name, field);
            }
        }
    }
    Ok(fields)
}

/// The end of a sentence that begins with what was done with the value.
fn indistinct() -> PyErr {
    PyValueError::new_err(
        "reads like another value that is not equal to it; use texts, tuples or frozen dataclasses, or a class \
         whose __repr__ tells apart what its __eq__ does",
    )
}

/// The whole number that a value equals: also `True`, members of an `IntEnum`, numpy's numbers, and 2.0.
fn whole(value: &Bound<'_, PyAny>) -> Option<i64> {
    if let Ok(integer) = value.cast::<PyInt>() {
        return integer.extract().ok();
    }
    if is_special(value, "__index__") {
        return value.extract().ok().filter(|number: &i64| value.eq(number).unwrap_or(false));
    }
    let real = real(value)?;
    // Two to the 63rd is where whole numbers no longer fit.
    (real.fract() == 0.0 && real.abs() < 9.2e18).then_some(real as i64)
}

/// The floating-point number that a value equals: also fractions and decimals.
fn real(value: &Bound<'_, PyAny>) -> Option<f64> {
    if let Ok(real) = value.cast::<PyFloat>() {
        return Some(real.value());
    }
    let number = is_special(value, "__float__").then(|| value.extract::<f64>().ok())??;
    value.eq(number).unwrap_or(false).then_some(number)
}

/// Whether the class of a value has a method that makes a number of it.
fn is_special(value: &Bound<'_, PyAny>, method: &str) -> bool {
    let plain = value.is_none() || value.is_instance_of::<PyString>() || value.is_instance_of::<PyTuple>();
    !plain && matches!(value.get_type().getattr_opt(method), Ok(Some(_)))
}
