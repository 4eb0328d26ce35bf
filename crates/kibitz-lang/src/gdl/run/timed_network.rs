//! A network in real time: lifetimes are values in slots beside the bits.
//!
//! The network says, for each fact that is to hold for a while, which rule gives it and so where its lifetime comes from
//! (`slots.rs` has how rules are made so); here the values are taken from there. A fact may hold with several lifetimes at
//! once: each is an entry of its own.

use kibitz_core::rng::derive;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::machine::{Machine, NO_MOVE, Outlook, Timed};
use super::propnet::{Bits, Propnet};
use super::reasoner::holds_for;
use crate::gdl::deduce::{TermId, Terms};
use crate::gdl::slots::Words;
use crate::gdl::syntax::Symbols;
use crate::gdl::times::{FOREVER, lifetime, shown};

/// Runs a network of real-time rules.
pub struct TimedNetwork {
    /// The network of the rules with slots.
    pub network: Propnet,
    facts: Vec<Fact>,
    /// By latch: the fact that it sets.
    sets: Vec<Option<Set>>,
    /// Which latches say that something has expired, and which set something.
    gone: Bits,
    setting: Bits,
    /// By role: the move that is none.
    nothing: Vec<u32>,
    /// By role and move: the number that is its first argument.
    delays: Vec<Vec<Option<u64>>>,
    initial: Moment,
}

/// A fact, lifetimes in it left open, and its latches.
#[derive(Default)]
struct Fact {
    /// In words, cut where lifetimes stand in it.
    name: Vec<String>,
    lasts: Option<u32>,
    timed: Option<u32>,
    gone: Option<u32>,
}

/// A fact with the values that it gets.
struct Set {
    fact: u32,
    values: SmallVec<[Source; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Value(u64),
    Slot(Slot),
}

/// A value of a fact that a condition asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    condition: u32,
    from: From,
    fact: u32,
    place: usize,
}

/// Which of a fact's entries a condition asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Lasting,
    Timed,
    Gone,
}

/// A fact's values: its lifetime, and the lifetimes that are its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    fact: u32,
    values: SmallVec<[u64; 2]>,
}

impl Entry {
    fn lifetime(&self) -> u64 {
        self.values[0]
    }
}

/// A state: which facts hold and which have just expired, the values of those that have any, and how much time has
/// gone by since the last update.
#[derive(Clone)]
pub struct Moment {
    bits: Bits,
    entries: SmallVec<[Entry; 4]>,
    elapsed: u64,
}

fn put(bits: &mut Bits, number: u32, value: bool) {
    let (word, bit) = (number as usize / 64, 1 << (number % 64));
    if value {
        bits[word] |= bit;
    } else {
        bits[word] &= !bit;
    }
}

/// The numbers of the bits that are set in both.
fn common<'a>(bits: &'a Bits, mask: &'a Bits) -> impl Iterator<Item = u32> + 'a {
    bits.iter().zip(mask).enumerate().flat_map(|(word, (bits, mask))| {
        let mut left = bits & mask;
        std::iter::from_fn(move || {
            let number = (left != 0).then(|| 64 * word as u32 + left.trailing_zeros())?;
            left &= left - 1;
            Some(number)
        })
    })
}

/// Reads what the network's latches are about.
struct Reader<'a> {
    terms: &'a Terms,
    symbols: &'a Symbols,
    words: &'a Words,
    known: FxHashMap<TermId, u32>,
    facts: Vec<Fact>,
}

impl Reader<'_> {
    fn fact(&mut self, term: TermId) -> u32 {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        let number = self.facts.len() as u32;
        let any = self.symbols.name(self.words.any);
        let name = self.terms.show(self.symbols, term);
        let name = name.split(any).map(str::to_owned).collect();
        self.facts.push(Fact { name, ..Fact::default() });
        self.known.insert(term, number);
        number
    }

    fn number(&self, term: TermId) -> Option<usize> {
        self.words.numbers.iter().position(|number| *number == self.terms.name(term))
    }

    fn source(&mut self, term: TermId) -> Result<Source, String> {
        let no_lifetime = || format!("`{}` is used as a lifetime", self.terms.show(self.symbols, term));
        match *self.terms.args(term) {
            [] => {
                let ticks = lifetime(self.symbols.name(self.terms.name(term)));
                ticks.ok().filter(|ticks| *ticks > 0).map(Source::Value).ok_or_else(no_lifetime)
            }
            [condition, kind, fact, place] if self.terms.name(term) == self.words.slot => {
                let (condition, place) = (self.number(condition), self.number(place));
                let (Some(condition), Some(place)) = (condition, place) else { return Err(no_lifetime()) };
                let kind = self.terms.name(kind);
                let from = match kind {
                    _ if kind == self.words.lasts => From::Lasting,
                    _ if kind == self.words.timed => From::Timed,
                    _ => From::Gone,
                };
                Ok(Source::Slot(Slot { condition: condition as u32, from, fact: self.fact(fact), place }))
            }
            _ => Err(no_lifetime()),
        }
    }
}

impl TimedNetwork {
    /// The machine of a network of rules with slots.
    ///
    /// # Errors
    /// Where something that is no lifetime would stand in a slot: a sentence.
    pub fn new(network: Propnet, words: &Words) -> Result<TimedNetwork, String> {
        let (terms, symbols) = network.names();
        let mut reader = Reader { terms, symbols, words, known: FxHashMap::default(), facts: Vec::new() };
        let blank: Bits = smallvec![0; network.network.latches.len().div_ceil(64)];
        let (mut gone, mut setting) = (blank.clone(), blank);
        let mut sets = Vec::new();
        for (number, latch) in (0..).zip(&network.network.latches) {
            let (kind, args) = (terms.name(latch.fact), terms.args(latch.fact).to_vec());
            let fact = reader.fact(args[0]);
            let own = &mut reader.facts[fact as usize];
            let mut set = None;
            if kind == words.set {
                put(&mut setting, number, true);
                let values: Result<_, String> = args[1..].iter().map(|term| reader.source(*term)).collect();
                set = Some(Set { fact, values: values? });
            } else if kind == words.lasts {
                own.lasts = Some(number);
            } else if kind == words.timed {
                own.timed = Some(number);
            } else {
                put(&mut gone, number, true);
                own.gone = Some(number);
            }
            sets.push(set);
        }
        let Reader { facts, .. } = reader;
        let nothing = |moves: &Vec<crate::gdl::compile::Move>| {
            let found = moves.iter().position(|each| terms.name(each.name) == words.nothing);
            found.map_or(NO_MOVE, |number| number as u32)
        };
        let delay = |each: &crate::gdl::compile::Move| {
            let first = *terms.args(each.name).first()?;
            let ticks = lifetime(symbols.name(terms.name(first))).ok()?;
            (terms.args(first).is_empty() && ticks < FOREVER).then_some(ticks)
        };
        let nothing = network.network.moves.iter().map(nothing).collect();
        let delays = network.network.moves.iter().map(|moves| moves.iter().map(delay).collect()).collect();
        let bits = network.initial();
        let initial = Moment { bits, entries: SmallVec::new(), elapsed: 0 };
        let mut machine = TimedNetwork { network, facts, sets, gone, setting, nothing, delays, initial };
        let mut initial = machine.initial.clone();
        machine.fill(&mut initial, &SmallVec::new(), &SmallVec::new());
        machine.initial = initial;
        Ok(machine)
    }

    /// Fills the slots of what is to hold: what the network sets becomes entries, with the values of those before.
    fn fill(&self, moment: &mut Moment, held: &SmallVec<[Entry; 4]>, expired: &SmallVec<[Entry; 4]>) {
        moment.entries.clear();
        let set: SmallVec<[u32; 8]> = common(&moment.bits, &self.setting).collect();
        for latch in set {
            put(&mut moment.bits, latch, false);
            let Some(set) = &self.sets[latch as usize] else { continue };
            self.give(set, &mut SmallVec::new(), held, expired, &mut moment.entries);
        }
        moment.entries.sort_unstable();
        moment.entries.dedup();
        for entry in &moment.entries {
            let fact = &self.facts[entry.fact as usize];
            if let Some(latch) = if entry.lifetime() == FOREVER { fact.lasts } else { fact.timed } {
                put(&mut moment.bits, latch, true);
            }
        }
    }

    /// The entries of one fact that is set: one for each entry that its conditions take values from.
    fn give(
        &self,
        set: &Set,
        taken: &mut SmallVec<[(u32, usize); 2]>,
        held: &[Entry],
        expired: &[Entry],
        entries: &mut SmallVec<[Entry; 4]>,
    ) {
        let list = |slot: &Slot| if slot.from == From::Gone { expired } else { held };
        let fits = |slot: &Slot, entry: &Entry| {
            let lasts = entry.lifetime() == FOREVER;
            entry.fact == slot.fact && (slot.from == From::Gone || lasts == (slot.from == From::Lasting))
        };
        let mut values: SmallVec<[u64; 2]> = SmallVec::new();
        for source in &set.values {
            match source {
                Source::Value(ticks) => values.push(*ticks),
                Source::Slot(slot) => {
                    match taken.iter().find(|(condition, _)| *condition == slot.condition) {
                        Some((_, entry)) => values.push(list(slot)[*entry].values[slot.place]),
                        None => {
                            for (number, _) in
                                list(slot).iter().enumerate().filter(|(_, entry)| fits(slot, entry))
                            {
                                taken.push((slot.condition, number));
                                self.give(set, taken, held, expired, entries);
                                taken.pop();
                            }
                            return;
                        }
                    }
                }
            }
        }
        entries.push(Entry { fact: set.fact, values });
    }

    /// The paper's µ(S, Δt): what still holds, for so much less, as bits and as entries; and what has expired.
    fn lapse(&self, moment: &mut Moment) -> SmallVec<[Entry; 4]> {
        for (word, gone) in moment.bits.iter_mut().zip(&self.gone) {
            *word &= !gone;
        }
        let elapsed = moment.elapsed;
        let mut expired: SmallVec<[Entry; 4]> = SmallVec::new();
        moment.entries.retain(|entry| {
            let left = entry.values[0];
            let goes = left != FOREVER && left <= elapsed;
            if goes {
                expired.push(entry.clone());
            } else if left != FOREVER {
                entry.values[0] = left - elapsed;
            }
            !goes
        });
        for entry in &expired {
            let still = |other: &Entry| other.fact == entry.fact && other.lifetime() != FOREVER;
            if let (Some(latch), false) =
                (self.facts[entry.fact as usize].timed, moment.entries.iter().any(still))
            {
                put(&mut moment.bits, latch, false);
            }
        }
        moment.elapsed = 0;
        expired
    }

    fn mark_gone(&self, bits: &mut Bits, expired: &[Entry]) {
        for latch in expired.iter().filter_map(|entry| self.facts[entry.fact as usize].gone) {
            put(bits, latch, true);
        }
    }

    /// Every role's move, where it makes none the one that says so.
    fn all(&self, moves: &[u32]) -> SmallVec<[u32; 4]> {
        let each = moves.iter().zip(&self.nothing);
        each.map(|(chosen, nothing)| if *chosen == NO_MOVE { *nothing } else { *chosen }).collect()
    }

    /// A fact in words, with its lifetimes.
    fn show(&self, fact: u32, values: &[u64]) -> String {
        let parts = &self.facts[fact as usize].name;
        let mut name = parts[0].clone();
        for (number, part) in parts[1..].iter().enumerate() {
            name += &values.get(number).map_or_else(|| "*".to_owned(), |ticks| shown(*ticks));
            name += part;
        }
        name
    }
}

impl Machine for TimedNetwork {
    type Facts = Moment;

    fn roles(&self) -> &[String] {
        self.network.roles()
    }

    fn has_percepts(&self) -> bool {
        self.network.has_percepts()
    }

    fn initial(&self) -> Moment {
        self.initial.clone()
    }

    fn outlook(&self, facts: &Moment, outlook: &mut Outlook) {
        self.network.outlook(&facts.bits, outlook);
        let (mut begin, mut kept) = (0, 0);
        for (role, nothing) in self.nothing.iter().enumerate() {
            let end = outlook.ends[role] as usize;
            for place in begin..end {
                let chosen = outlook.moves[place];
                if chosen != *nothing {
                    outlook.moves[kept] = chosen;
                    kept += 1;
                }
            }
            begin = end;
            outlook.ends[role] = kept as u32;
        }
        outlook.moves.truncate(kept);
    }

    fn scores(&self, facts: &Moment, role: usize) -> Vec<f64> {
        Machine::scores(&self.network, &facts.bits, role)
    }

    fn advance(&self, facts: &mut Moment, moves: &[u32], told: &mut Vec<u64>) {
        let expired = self.lapse(facts);
        let moves = self.all(moves);
        let mut without = Vec::new();
        if self.network.has_percepts() {
            self.network.advance(&mut facts.bits.clone(), &self.nothing, &mut without);
        }
        self.mark_gone(&mut facts.bits, &expired);
        self.network.advance(&mut facts.bits, &moves, told);
        if self.network.has_percepts() {
            for (told, without) in told.iter_mut().zip(without) {
                *told = if *told == without { 0 } else { derive(1, *told).max(1) };
            }
        }
        let held = std::mem::take(&mut facts.entries);
        self.fill(facts, &held, &expired);
        for (word, gone) in facts.bits.iter_mut().zip(&self.gone) {
            *word &= !gone;
        }
        self.mark_gone(&mut facts.bits, &expired);
    }

    fn percepts(&self, facts: &Moment, moves: &[u32], role: usize) -> Vec<String> {
        let mut lapsed = facts.clone();
        let expired = self.lapse(&mut lapsed);
        self.mark_gone(&mut lapsed.bits, &expired);
        self.network.percepts(&lapsed.bits, &self.all(moves), role)
    }

    fn move_name(&self, facts: &Moment, role: usize, number: u32) -> String {
        self.network.move_name(&facts.bits, role, number)
    }

    fn describe(&self, facts: &Moment) -> Vec<String> {
        let mut lines = Vec::new();
        for (number, fact) in (0..).zip(&self.facts) {
            // With values in it, it has an entry.
            let holds = |latch: u32| facts.bits[latch as usize / 64] >> (latch % 64) & 1 == 1;
            if fact.name.len() == 1 && fact.lasts.is_some_and(holds) {
                lines.push(self.show(number, &[]));
            }
        }
        for entry in &facts.entries {
            let lifetime = entry.lifetime();
            let left = if lifetime == FOREVER { FOREVER } else { lifetime - facts.elapsed };
            lines.push(holds_for(self.show(entry.fact, &entry.values[1..]), left));
        }
        lines.sort_unstable();
        lines
    }

    fn possible(&self) -> Option<Vec<String>> {
        Some((0..self.facts.len() as u32).map(|fact| self.show(fact, &[])).collect())
    }

    fn atoms(&self) -> u32 {
        self.facts.len() as u32
    }

    fn append_atoms(&self, facts: &Moment, atoms: &mut Vec<u32>) {
        let holds = |latch: &u32| facts.bits[*latch as usize / 64] >> (latch % 64) & 1 == 1;
        let held = |fact: &Fact| fact.lasts.iter().chain(&fact.timed).any(holds);
        atoms.extend((0..).zip(&self.facts).filter(|(_, fact)| held(fact)).map(|(number, _)| number));
    }

    fn hash(&self, facts: &Moment) -> u64 {
        let mut key = facts.bits.iter().fold(1, |key, word| derive(key, *word));
        for entry in &facts.entries {
            let left = entry.lifetime().saturating_sub(if entry.lifetime() == FOREVER {
                0
            } else {
                facts.elapsed
            });
            key = entry.values[1..]
                .iter()
                .fold(derive(derive(key, u64::from(entry.fact)), left), |key, value| derive(key, *value));
        }
        key
    }
}

impl Timed for TimedNetwork {
    fn pass(&self, facts: &mut Moment, ticks: u64) {
        facts.elapsed = facts.elapsed.saturating_add(ticks);
    }

    fn due(&self, facts: &Moment) -> Option<u64> {
        let least = facts.entries.iter().map(Entry::lifetime).filter(|ticks| *ticks < FOREVER).min()?;
        Some(least.saturating_sub(facts.elapsed))
    }

    fn delay(&self, _: &Moment, role: usize, number: u32) -> Option<u64> {
        *self.delays.get(role)?.get(number as usize)?
    }
}
