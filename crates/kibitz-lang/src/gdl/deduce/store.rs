//! What has been derived, with the indexes that joins look it up by.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::program::RelationId;
use super::terms::{TermId, Terms, mixed};
use crate::gdl::syntax::Symbol;

/// A place in an atom that an index looks at: which argument of which argument and so on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From the outside to the inside.
    pub path: Vec<u16>,
    /// The function's name and number of arguments only, not the whole term.
    pub function: Option<(Symbol, usize)>,
}

/// An index of one relation by the terms at some places.
#[derive(Clone, Debug)]
struct Index {
    places: Vec<Place>,
    /// As many in place as fit where a vector would keep its address: mostly there are no more.
    atoms: FxHashMap<u64, SmallVec<[TermId; 4]>>,
}

/// The atoms of one relation.
#[derive(Clone, Debug, Default)]
struct Table {
    atoms: Vec<TermId>,
    indexes: Vec<Index>,
}

/// All atoms that were derived, each with its number in the order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Store {
    tables: Vec<Table>,
    /// By term: when it was derived as an atom.
    rank: Vec<u32>,
    count: u32,
    /// How many there were when it was settled.
    settled: u32,
}

const UNKNOWN: u32 = u32::MAX;

impl Store {
    /// An empty store for so many relations.
    pub fn new(relations: usize) -> Store {
        Store { tables: vec![Table::default(); relations], ..Store::default() }
    }

    /// When the atom was derived, if it was.
    #[inline]
    pub fn rank(&self, atom: TermId) -> Option<u32> {
        self.rank.get(atom.index()).copied().filter(|rank| *rank != UNKNOWN)
    }

    /// The atoms of a relation in the order of arrival.
    pub fn atoms(&self, relation: RelationId) -> &[TermId] {
        &self.tables[relation.index()].atoms
    }

    /// The atoms that an index has under a key.
    #[inline]
    pub fn look_up(&self, relation: RelationId, index: usize, key: u64) -> &[TermId] {
        self.tables[relation.index()].indexes[index].atoms.get(&key).map_or(&[], SmallVec::as_slice)
    }

    /// The number of the index by these places, made if it is not there.
    pub fn index(&mut self, terms: &Terms, relation: RelationId, places: Vec<Place>) -> usize {
        let table = &mut self.tables[relation.index()];
        if let Some(known) = table.indexes.iter().position(|index| index.places == places) {
            return known;
        }
        let mut index = Index { places, atoms: FxHashMap::default() };
        for atom in &table.atoms {
            index.add(terms, *atom);
        }
        table.indexes.push(index);
        table.indexes.len() - 1
    }

    /// Adds an atom; false if it was there.
    #[inline]
    pub fn add(&mut self, terms: &Terms, relation: RelationId, atom: TermId) -> bool {
        if self.rank.len() <= atom.index() {
            self.rank.resize((atom.index() + 1).max(2 * self.rank.len()), UNKNOWN);
        }
        if self.rank[atom.index()] != UNKNOWN {
            return false;
        }
        self.rank[atom.index()] = self.count;
        self.count += 1;
        let table = &mut self.tables[relation.index()];
        table.atoms.push(atom);
        for index in &mut table.indexes {
            index.add(terms, atom);
        }
        true
    }

    /// What there is now stays: relations that are cleared later have no atoms yet.
    pub fn settle(&mut self) {
        self.settled = self.count;
    }

    /// Forgets the atoms of some relations, all that came since the store was settled; indexes stay, empty.
    pub fn clear(&mut self, relations: impl Iterator<Item = RelationId>) {
        for relation in relations {
            let table = &mut self.tables[relation.index()];
            for atom in table.atoms.drain(..) {
                self.rank[atom.index()] = UNKNOWN;
            }
            table.indexes.iter_mut().for_each(|index| index.atoms.clear());
        }
        self.count = self.settled;
    }
}

impl Index {
    fn add(&mut self, terms: &Terms, atom: TermId) {
        let mut key = 0;
        for place in &self.places {
            let mut at = atom;
            for step in &place.path {
                match terms.args(at).get(usize::from(*step)) {
                    Some(inner) => at = *inner,
                    None => return, // of another shape: no pattern of this index matches it
                }
            }
            key = match place.function {
                None => extended(key, at),
                Some(function) if function == (terms.name(at), terms.args(at).len()) => key,
                Some(_) => return,
            };
        }
        self.atoms.entry(key).or_default().push(atom);
    }
}

/// The key of an index with one more term.
#[inline]
pub(super) fn extended(key: u64, term: TermId) -> u64 {
    mixed(key ^ (u64::from(term.0) + 1))
}
