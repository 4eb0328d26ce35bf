//! Terms by value: how they are ordered, numbered and written down depends on the rules alone.
//!
//! What leaves the reasoner must not tell what was derived before: who could see in which order moves
//! were first met would know what happened in secret, and no game would be like the one before.

use std::cmp::Ordering;

use kibitz_core::rng::{derive, hash_bytes};
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;

use crate::gdl::deduce::{TermId, Terms};
use crate::gdl::syntax::{Symbol, Symbols};
use crate::gdl::times::{Lifetimes, shown};

/// What the names of terms say about them.
pub(super) struct Names {
    /// By symbol: a hash of its name.
    keys: Vec<u64>,
    /// By symbol: its place among all, see [`Symbols::ranks`].
    ranks: Vec<u32>,
    /// The hashes of the first terms, which are met often.
    known: Vec<u64>,
}

/// What tells hashes of lifetimes from others.
const LIFETIME: u64 = 0x6C69_6665_7469_6D65;

/// As many terms have their hashes remembered: 8 MB.
const REMEMBERED: usize = 1 << 20;

impl Names {
    pub fn of(symbols: &Symbols) -> Names {
        let all = (0..symbols.len() as u32).map(Symbol);
        let keys = all.map(|symbol| hash_bytes(symbols.name(symbol).as_bytes())).collect();
        Names { keys, ranks: symbols.ranks(), known: Vec::new() }
    }

    /// Remembers the hashes of the terms that there are.
    pub fn learn(&mut self, terms: &Terms, lifetimes: &Lifetimes) {
        for number in self.known.len()..terms.len().min(REMEMBERED) {
            self.known.push(self.key(terms, lifetimes, TermId(number as u32)));
        }
    }

    /// A hash of a term: of the names in it.
    pub fn key(&self, terms: &Terms, lifetimes: &Lifetimes, term: TermId) -> u64 {
        if let Some(known) = self.known.get(term.index()) {
            return *known;
        }
        let args = terms.args(term);
        let name = terms.name(term);
        let known = self.keys.get(name.0 as usize).copied();
        let key = known.or_else(|| Some(derive(LIFETIME, lifetimes.met_as(name)?))).unwrap_or_default();
        let own = derive(key, args.len() as u64);
        args.iter().fold(own, |key, arg| derive(key, self.key(terms, lifetimes, *arg)))
    }

    /// The order in which a network has its moves, too; lifetimes that do not stand in the rules come last.
    pub fn compare(&self, terms: &Terms, lifetimes: &Lifetimes, a: TermId, b: TermId) -> Ordering {
        let rank = |name: Symbol| match self.ranks.get(name.0 as usize) {
            Some(rank) => (*rank, 0),
            None => (u32::MAX, lifetimes.met_as(name).unwrap_or_default()),
        };
        terms.compare_by(&rank, a, b)
    }
}

/// A number for each of some moves by its key, no two alike: the first half of the key, or what follows if
/// a move before has that.
pub(super) fn numbers(keys: impl ExactSizeIterator<Item = u64>) -> Vec<u32> {
    let mut taken = FxHashSet::with_capacity_and_hasher(keys.len(), FxBuildHasher);
    let number = |key: u64| {
        let mut number = (key >> 32) as u32;
        while !taken.insert(number) {
            number = number.wrapping_add(1);
        }
        number
    };
    keys.map(number).collect()
}

/// How terms are written down while nothing is derived: a term that stands in the rules, or was met when
/// they were loaded, is its number there; any other is the number of its arguments, counted from
/// behind those, its name and its arguments. A lifetime that does not stand in the rules is written by its value.
#[derive(Default)]
pub(super) struct Script {
    /// How many terms have a number of their own.
    pub known: u32,
    /// Lifetimes as names.
    pub lifetimes: Lifetimes,
}

/// Stands where a name would, before a lifetime.
const VALUE: u32 = u32::MAX;

/// What a term that was written down begins with.
enum Head {
    /// It is this one.
    Known(TermId),
    /// It is a lifetime.
    Lifetime(u64),
    /// Its name and the number of its arguments, which follow.
    Compound(Symbol, usize),
}

impl Script {
    /// Appends a term.
    pub fn write(&self, terms: &Terms, term: TermId, words: &mut Vec<u32>) {
        if term.0 < self.known {
            words.push(term.0);
            return;
        }
        let args = terms.args(term);
        if let Some(ticks) = self.lifetimes.met_as(terms.name(term)) {
            words.extend([self.known, VALUE, ticks as u32, (ticks >> 32) as u32]);
            return;
        }
        words.extend([self.known + args.len() as u32, terms.name(term).0]);
        args.iter().for_each(|arg| self.write(terms, *arg, words));
    }

    /// What a term that follows begins with.
    fn head(&self, words: &mut &[u32]) -> Option<Head> {
        let mut take = || {
            let (&first, rest) = words.split_first()?;
            *words = rest;
            Some(first)
        };
        let first = take()?;
        let Some(count) = first.checked_sub(self.known) else { return Some(Head::Known(TermId(first))) };
        Some(match take()? {
            VALUE => Head::Lifetime(u64::from(take()?) | u64::from(take()?) << 32),
            name => Head::Compound(Symbol(name), count as usize),
        })
    }

    /// Takes the first term off what was written.
    pub fn read(&mut self, terms: &mut Terms, words: &mut &[u32]) -> Option<TermId> {
        match self.head(words)? {
            Head::Known(term) => Some(term),
            Head::Lifetime(ticks) => Some(terms.intern(self.lifetimes.symbol(ticks), &[])),
            Head::Compound(name, count) => {
                let args: Option<SmallVec<[TermId; 8]>> =
                    (0..count).map(|_| self.read(terms, words)).collect();
                Some(terms.intern(name, &args?))
            }
        }
    }

    /// Takes the first term off what was written, in words for people.
    pub fn show(&self, terms: &Terms, symbols: &Symbols, words: &mut &[u32]) -> Option<String> {
        match self.head(words)? {
            Head::Known(term) => Some(terms.show(symbols, term)),
            Head::Lifetime(ticks) => Some(shown(ticks)),
            Head::Compound(name, 0) => Some(symbols.name(name).to_owned()),
            Head::Compound(name, count) => {
                let args: Option<Vec<String>> =
                    (0..count).map(|_| self.show(terms, symbols, words)).collect();
                Some(format!("({} {})", symbols.name(name), args?.join(" ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn moves_of_one_key_have_different_numbers() {
        let keys = [7 << 32, 7 << 32 | 1, 3 << 32, 8 << 32, u64::MAX, u64::MAX];
        assert_eq!(numbers(keys.into_iter()), [7, 8, 3, 9, u32::MAX, 0]);
    }

    /// What is written is read again whatever else was met in between.
    #[test]
    fn written_terms_are_read() {
        let (mut symbols, mut terms) = (Symbols::default(), Terms::default());
        let [cell, pair, a, b] =
            ["cell", "pair", "a", "b"].map(|name| symbols.intern(name, Span::default()));
        let [a, b] = [a, b].map(|name| terms.intern(name, &[]));
        let mut script = Script { known: terms.len() as u32, ..Script::default() };
        let inner = terms.intern(pair, &[b, a]);
        let term = terms.intern(cell, &[a, inner, b]);
        let mut words = Vec::new();
        [term, a, inner].iter().for_each(|term| script.write(&terms, *term, &mut words));
        terms.truncate(script.known as usize);
        terms.intern(pair, &[a, a]);
        let mut rest = words.as_slice();
        let read: Vec<TermId> = (0..3).filter_map(|_| script.read(&mut terms, &mut rest)).collect();
        let mut rest = words.as_slice();
        for (term, text) in read.iter().zip(["(cell a (pair b a) b)", "a", "(pair b a)"]) {
            assert_eq!(terms.show(&symbols, *term), text);
            assert_eq!(script.show(&terms, &symbols, &mut rest).as_deref(), Some(text));
        }
        assert_eq!(script.show(&terms, &symbols, &mut rest), None);
    }
}
