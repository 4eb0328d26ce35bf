//! Ground terms as numbers: equal terms have the same number. An atom is a term, too.

use std::cmp::Ordering;

use crate::gdl::syntax::{Symbol, Symbols};

/// A ground term in a [`Terms`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

impl TermId {
    /// No term.
    pub const NONE: TermId = TermId(u32::MAX);

    /// For use as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All ground terms met so far.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    names: Vec<Symbol>,
    /// Where each term's arguments begin in `args`; one more entry than there are terms.
    begin: Vec<u32>,
    args: Vec<TermId>,
    /// Where terms are found again: each stands at the place that its hash says, or at the next
    /// free one. The length is a power of two and at least twice the number of terms.
    table: Vec<Slot>,
}

/// A place of the table: some bits of a term's hash, so that others are seldom looked at, and the term.
#[derive(Clone, Copy, Debug)]
struct Slot {
    mark: u32,
    term: TermId,
}

const FREE: Slot = Slot { mark: 0, term: TermId::NONE };

#[inline]
fn hash(name: Symbol, args: &[TermId]) -> u64 {
    args.iter().fold(mixed(u64::from(name.0) + 1), |key, arg| mixed(key ^ u64::from(arg.0)))
}

/// A number that looks nothing like the one it is made of.
#[inline]
pub(super) fn mixed(key: u64) -> u64 {
    let key = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    key ^ (key >> 29)
}

impl Terms {
    /// The number of the term, known or new.
    pub fn intern(&mut self, name: Symbol, args: &[TermId]) -> TermId {
        if let Some(known) = self.find(name, args) {
            return known;
        }
        let id = TermId(self.names.len() as u32);
        if self.begin.is_empty() {
            self.begin.push(0);
        }
        self.names.push(name);
        self.args.extend_from_slice(args);
        self.begin.push(self.args.len() as u32);
        if 2 * self.names.len() > self.table.len() {
            self.table = vec![FREE; (4 * self.names.len()).next_power_of_two()];
            (0..id.0).for_each(|known| self.enter(TermId(known)));
        }
        self.enter(id);
        id
    }

    /// Puts a term that is not there into the table.
    fn enter(&mut self, id: TermId) {
        let hash = hash(self.name(id), self.args(id));
        let mut place = hash as usize & (self.table.len() - 1);
        while self.table[place].term != TermId::NONE {
            place = (place + 1) & (self.table.len() - 1);
        }
        self.table[place] = Slot { mark: (hash >> 32) as u32, term: id };
    }

    /// The number of the term, if it is known.
    #[inline]
    pub fn find(&self, name: Symbol, args: &[TermId]) -> Option<TermId> {
        if self.table.is_empty() {
            return None;
        }
        let hash = hash(name, args);
        let mark = (hash >> 32) as u32;
        let mut place = hash as usize & (self.table.len() - 1);
        loop {
            let slot = self.table[place];
            if slot.term == TermId::NONE {
                return None;
            }
            if slot.mark == mark && self.name(slot.term) == name && self.args(slot.term) == args {
                return Some(slot.term);
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }

    /// Forgets all terms but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        // The last comes first: where it stands, nothing was put out of its way.
        for number in (len..self.names.len()).rev() {
            let id = TermId(number as u32);
            let mut place = hash(self.name(id), self.args(id)) as usize & (self.table.len() - 1);
            while self.table[place].term != id {
                place = (place + 1) & (self.table.len() - 1);
            }
            self.table[place] = FREE;
        }
        if len < self.names.len() {
            self.names.truncate(len);
            self.args.truncate(self.begin[len] as usize);
            self.begin.truncate(len + 1);
        }
    }

    /// The function's or the constant's name.
    #[inline]
    pub fn name(&self, id: TermId) -> Symbol {
        self.names[id.index()]
    }

    /// The arguments; none for a constant.
    #[inline]
    pub fn args(&self, id: TermId) -> &[TermId] {
        &self.args[self.begin[id.index()] as usize..self.begin[id.index() + 1] as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many functions are nested in it; 0 for a constant. At most `most` + 1 is said.
    pub fn depth(&self, id: TermId, most: usize) -> usize {
        match (self.args(id), most) {
            ([], _) => 0,
            (_, 0) => 1,
            (args, _) => 1 + args.iter().map(|arg| self.depth(*arg, most - 1)).max().unwrap_or(0),
        }
    }

    /// Which of two terms comes first: by the ranks of their names (see [`Symbols::ranks`]), then by the
    /// number of arguments, then by those. Does not depend on how the terms were found.
    pub fn compare(&self, ranks: &[u32], a: TermId, b: TermId) -> Ordering {
        self.compare_by(&|name| ranks[name.0 as usize], a, b)
    }

    /// The same, for names that are ranked in some way.
    pub fn compare_by<Rank: Ord>(&self, rank: &impl Fn(Symbol) -> Rank, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (left, right) = (self.args(a), self.args(b));
        rank(self.name(a)).cmp(&rank(self.name(b))).then(left.len().cmp(&right.len())).then_with(|| {
            let mut orders = left.iter().zip(right).map(|(a, b)| self.compare_by(rank, *a, *b));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }

    /// The term as people write it: `(cell 1 2 b)`.
    pub fn show(&self, symbols: &Symbols, id: TermId) -> String {
        self.show_by(&|name| symbols.name(name).to_owned(), id)
    }

    /// The same, with names that are shown in some way.
    pub fn show_by(&self, shown: &impl Fn(Symbol) -> String, id: TermId) -> String {
        let name = shown(self.name(id));
        match self.args(id) {
            [] => name,
            args => {
                let args: Vec<String> = args.iter().map(|arg| self.show_by(shown, *arg)).collect();
                format!("({name} {})", args.join(" "))
            }
        }
    }
}
