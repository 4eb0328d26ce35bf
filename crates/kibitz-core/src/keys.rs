//! Maps by keys that are random already: no second hashing, the same order on every run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Takes a `u64` key as its own hash.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = crate::rng::hash_bytes(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A map from well-mixed keys.
pub type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;
