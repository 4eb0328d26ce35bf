//! Novelty: which atoms, or which pairs of them, were true in no state before.

use std::ops::Range;

use crate::params::Param;
use crate::spec::{Value, unknown};

/// How many atoms a state must make true together that were not true together before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One.
    One,
    /// One; or two, of which one is about the piece that the player moves.
    OneAndAHalf,
    /// One, or any two.
    Two,
}

/// The widths by name.
const WIDTHS: [(&str, Width); 3] = [("1", Width::One), ("3/2", Width::OneAndAHalf), ("2", Width::Two)];

impl Param for Width {
    fn kind() -> String {
        WIDTHS.map(|(name, _)| name).join(" | ")
    }

    fn read(value: &Value) -> Result<Width, String> {
        let written = match value {
            Value::Real(1.5) => "3/2".to_owned(),
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        let found = WIDTHS.into_iter().find(|(name, _)| *name == written.trim_end_matches(".0"));
        found
            .map(|(_, width)| width)
            .ok_or_else(|| unknown("width", &written, WIDTHS.map(|(name, _)| name)).0)
    }

    fn show(&self) -> String {
        WIDTHS.into_iter().find(|(_, width)| width == self).map_or("", |(name, _)| name).to_owned()
    }
}

/// An atom that has not been true.
const UNSEEN: u32 = u32::MAX;
/// A table of pairs is not longer than this, in words of 64 bits.
const MOST_WORDS: usize = 1 << 26;

/// Which atoms, or which pairs of them, have been true.
pub(super) struct Novelty {
    width: Width,
    /// Of all atoms, those about the player's own piece.
    own: Range<u32>,
    /// A bit for each atom.
    atoms: Vec<u64>,
    /// A bit for each pair of atoms, by their numbers in the order in which they were true first: few ever are.
    pairs: Vec<u64>,
    /// That number of each atom, or [`UNSEEN`], and how many there are.
    numbers: Vec<u32>,
    seen: u32,
    /// A state's atoms, as number and whether it is an own one; those that its parent had not; and the parent's.
    now: Vec<(u32, bool)>,
    fresh: Vec<(u32, bool)>,
    parent: Vec<u32>,
}

impl Novelty {
    /// Nothing has been true of so many atoms.
    pub fn new(width: Width, atoms: u32, own: Range<u32>) -> Novelty {
        let numbers = if width == Width::One { Vec::new() } else { vec![UNSEEN; atoms as usize] };
        Novelty {
            width,
            own,
            atoms: vec![0; atoms.div_ceil(64) as usize],
            pairs: Vec::new(),
            numbers,
            seen: 0,
            now: Vec::new(),
            fresh: Vec::new(),
            parent: Vec::new(),
        }
    }

    /// Whether there is no room for more pairs.
    pub fn is_full(&self) -> bool {
        self.pairs.len() >= MOST_WORDS
    }

    /// Whether a state with these atoms makes something true that was not before, and remembers it. Of its parent,
    /// which was kept, all pairs are known.
    pub fn is_new(&mut self, atoms: &[u32], parent: &[u32]) -> bool {
        let mut new = false;
        for atom in atoms {
            new |= set(&mut self.atoms, *atom as usize);
        }
        if self.width == Width::One { new } else { self.pair(atoms, parent) || new }
    }

    /// The same of pairs alone.
    fn pair(&mut self, atoms: &[u32], parent: &[u32]) -> bool {
        self.parent.clear();
        self.parent.extend_from_slice(parent);
        self.parent.sort_unstable();
        self.now.clear();
        self.fresh.clear();
        for atom in atoms {
            let number = &mut self.numbers[*atom as usize];
            if *number == UNSEEN {
                (*number, self.seen) = (self.seen, self.seen + 1);
            }
            let numbered = (*number, self.own.contains(atom));
            self.now.push(numbered);
            if self.parent.binary_search(atom).is_err() {
                self.fresh.push(numbered);
            }
        }
        let mut new = false;
        for (left, is_left_own) in &self.fresh {
            for (right, is_right_own) in &self.now {
                if left == right || self.width == Width::OneAndAHalf && !is_left_own && !is_right_own {
                    continue;
                }
                let (low, high) = (*left.min(right) as usize, *left.max(right) as usize);
                let at = high * (high - 1) / 2 + low;
                if self.pairs.len() <= at / 64 {
                    if at / 64 >= MOST_WORDS {
                        self.pairs.resize(MOST_WORDS, 0);
                        return new;
                    }
                    self.pairs.resize(at / 64 + 1, 0);
                }
                new |= set(&mut self.pairs, at);
            }
        }
        new
    }
}

/// Sets a bit, and says whether it was not set.
#[inline]
fn set(bits: &mut [u64], at: usize) -> bool {
    let (word, bit) = (&mut bits[at / 64], 1 << (at % 64));
    let new = *word & bit == 0;
    *word |= bit;
    new
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rng::Rng;

    /// The definition, word for word: a tuple of at most so many atoms that is true now and was in no state before.
    #[derive(Default)]
    struct ByDefinition(BTreeSet<(u32, u32)>);

    impl ByDefinition {
        fn is_new(&mut self, width: Width, own: &Range<u32>, atoms: &[u32]) -> bool {
            let counts = |a: u32, b: u32| match width {
                Width::One => a == b,
                Width::OneAndAHalf => a == b || own.contains(&a) || own.contains(&b),
                Width::Two => true,
            };
            let before = self.0.len();
            for a in atoms {
                self.0.extend(atoms.iter().filter(|b| counts(*a, **b)).map(|b| (*a.min(b), *a.max(b))));
            }
            self.0.len() > before
        }
    }

    #[test]
    fn novelty_is_as_it_is_defined() {
        let mut rng = Rng::new(7);
        let mut kept_and_pruned = [0, 0];
        for round in 0..60 {
            let (count, own) = (8 + round % 30, 3..5 + round % 4);
            for (_, width) in WIDTHS {
                let (mut table, mut definition) =
                    (Novelty::new(width, count, own.clone()), ByDefinition::default());
                // A walk as searches make it: of those that were kept, one changes a few of its atoms.
                let mut kept: Vec<Vec<u32>> = vec![Vec::new()];
                for _ in 0..200 {
                    let parent = kept[rng.below(kept.len() as u32) as usize].clone();
                    let mut atoms: Vec<u32> = parent.iter().copied().filter(|_| rng.below(4) > 0).collect();
                    (0..rng.below(4)).for_each(|_| atoms.push(rng.below(count)));
                    let expected = definition.is_new(width, &own, &atoms);
                    assert_eq!(table.is_new(&atoms, &parent), expected, "{width:?} {atoms:?}");
                    kept_and_pruned[usize::from(!expected)] += 1;
                    if expected {
                        kept.push(atoms);
                    }
                }
            }
        }
        assert!(kept_and_pruned.into_iter().all(|count| count > 1000), "{kept_and_pruned:?}");
    }

    #[test]
    fn widths_are_read_in_all_ways_that_they_are_written() {
        let read = |text: &str| {
            let spec: crate::spec::Spec = format!("iw({text})").parse().unwrap();
            Width::read(&spec.arguments[0].1)
        };
        for (text, width) in [("1", Width::One), ("2", Width::Two), ("2.0", Width::Two)] {
            assert_eq!(read(text), Ok(width));
        }
        for text in ["3/2", "1.5", "\"3/2\""] {
            assert_eq!(read(text).unwrap_or(Width::One), Width::OneAndAHalf, "{text}");
        }
        assert_eq!(read("3").unwrap_err(), "unknown width '3'; did you mean 1 or 2 or 3/2?");
        assert_eq!(Width::OneAndAHalf.show(), "3/2");
    }
}
