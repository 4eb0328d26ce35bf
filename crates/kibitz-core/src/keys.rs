//! Keys of what is known, and maps by them.
//!
//! A key is made of another one and a part, and the [`Kind`] of the whole is mixed in: keys of different kinds are
//! as different as random numbers, whatever they are made of, and may share a table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::rng::{derive, hash_bytes};

/// What a key stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Kind {
    /// A view after its player has acted.
    Acted = hash_bytes(b"acted"),
    /// A view after its player has been told something.
    Observed = hash_bytes(b"observed"),
    /// A view after time has gone by.
    Passed = hash_bytes(b"passed"),
    /// So many steps after the beginning of a search, to one who does not notice all of them.
    Step = hash_bytes(b"step"),
    /// A player's decision, where what is known does not say whose it is.
    Decision = hash_bytes(b"decision"),
    /// A decision after others have made theirs, which its player does not see.
    Hidden = hash_bytes(b"hidden"),
    /// A decision of which a part has been made: what type the action has, say.
    Part = hash_bytes(b"part"),
    /// The list of all those.
    List = hash_bytes(b"list"),
    /// A state with so many moves to look ahead.
    Ahead = hash_bytes(b"ahead"),
    /// A belief up to one of its states, and with that state's probability.
    State = hash_bytes(b"state"),
    /// See above.
    Share = hash_bytes(b"share"),
}

/// The key of something of this kind that is made of what has another key, and a part.
#[inline]
pub fn join(kind: Kind, key: u64, part: u64) -> u64 {
    derive(key ^ kind as u64, part)
}

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

/// A map from well-mixed keys: no second hashing, the same order on every run.
pub type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::{Action, Observation};
    use crate::view::{after_action, after_observation, view_seed};

    #[test]
    fn keys_of_different_kinds_or_parts_never_coincide() {
        // All views of up to three events, and all that is made of each; the last number has one bit more than the
        // first.
        let numbers = || [1, 2, 3, 4, 5, 6, 7, 8, 1 | 1 << 63].into_iter();
        let mut views: Vec<u64> = (0..3).map(view_seed).collect();
        let (mut last, mut count) = (0, 0);
        let mut keys = HashSet::new();
        for _ in 0..3 {
            let next: Vec<u64> = views[last..]
                .iter()
                .flat_map(|view| {
                    let acted = numbers().take(8).map(|n| after_action(*view, Action(n as u32 - 1)));
                    acted.chain(numbers().map(|n| after_observation(*view, Observation(n))))
                })
                .collect();
            last = views.len();
            views.extend(next);
        }
        for view in views {
            let decision = |step| join(Kind::Decision, join(Kind::Step, view, step), 1);
            let hidden = |n: u64| join(Kind::Hidden, view, n);
            let made =
                (0..9).map(decision).chain((0..9).map(hidden)).chain([join(Kind::List, view, 0), view]);
            count += made.map(|key| keys.insert(key)).count();
        }
        assert_eq!(keys.len(), count);
    }
}
