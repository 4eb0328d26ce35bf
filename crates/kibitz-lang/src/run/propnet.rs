//! The machine of a network, one state at a time.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kibitz_core::Rng;
use kibitz_core::rng::derive;
use kibitz_wide::{Word, execute};

use super::lanes::Lanes;
use super::machine::{Machine, Outlook};
use crate::compile::{Latch, Listing, Network, Place};
use crate::deduce::Terms;
use crate::ground::Ground;
use crate::syntax::Symbols;

/// Runs a network on one state at a time; facts are a set of bits.
pub struct Propnet {
    /// The network.
    pub network: Network,
    /// Its operations.
    pub listing: Listing,
    roles: Vec<String>,
    /// For each role, its possible scores in the order of the network's goals.
    scores: Vec<Vec<f64>>,
    has_percepts: bool,
    terms: Terms,
    symbols: Symbols,
    id: u64,
    /// Memory for many games at once that is not in use.
    lanes: Mutex<Vec<Lanes>>,
}

/// Fewer games than this are played one after the other.
const FEW: u32 = 16;

/// The facts that hold, a bit each.
pub type Bits = Vec<u64>;

/// A thread's slots, and which state's view they hold.
#[derive(Default)]
struct Memory {
    slots: Vec<Word<1>>,
    /// The machine and the facts whose `view` part has been carried out last.
    viewed: Option<u64>,
    facts: Bits,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Tells machines apart.
static MACHINES: AtomicU64 = AtomicU64::new(0);

impl Propnet {
    /// The machine of a compiled game.
    pub fn new(ground: Ground, network: Network, listing: Listing) -> Propnet {
        let Ground { terms, symbols, roles, percepts, .. } = ground;
        let number = |term| symbols.name(terms.name(term)).parse::<f64>().unwrap_or(0.0);
        let scores =
            network.goals.iter().map(|goals| goals.iter().map(|(score, _)| number(*score)).collect());
        Propnet {
            scores: scores.collect(),
            roles: roles.iter().map(|role| terms.show(&symbols, *role)).collect(),
            has_percepts: !percepts.is_empty(),
            network,
            listing,
            terms,
            symbols,
            id: MACHINES.fetch_add(1, Relaxed),
            lanes: Mutex::new(Vec::new()),
        }
    }

    fn spare_lanes(&self) -> MutexGuard<'_, Vec<Lanes>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scores that a role may have, in the order of the network's goals.
    pub(super) fn scores_of(&self, role: usize) -> &[f64] {
        &self.scores[role]
    }

    /// Works with slots in which the `view` part has been carried out for these facts. Whoever
    /// asks for a state's moves and then makes one pays for it once: `spoils` says that the work uses
    /// up what it finds.
    fn view<T>(&self, facts: &[u64], spoils: bool, work: impl FnOnce(&mut [Word<1>]) -> T) -> T {
        MEMORY.with_borrow_mut(|memory| {
            let Memory { slots, viewed, facts: known } = memory;
            if *viewed != Some(self.id) || known != facts {
                if slots.len() < self.listing.slots {
                    slots.resize(self.listing.slots, [0]);
                }
                for (number, slot) in slots[..self.listing.latches].iter_mut().enumerate() {
                    // All lanes alike: the lowest bit is the one that is read.
                    slot[0] = 0_u64.wrapping_sub(facts[number / 64] >> (number % 64) & 1);
                }
                slots[self.listing.never] = [0];
                execute(&self.listing.ops, 0..self.listing.score, slots);
                known.clear();
                known.extend_from_slice(facts);
            }
            *viewed = (!spoils).then_some(self.id);
            work(slots)
        })
    }

    fn advanced<T>(&self, facts: &[u64], moves: &[u32], read: impl FnOnce(&[Word<1>]) -> T) -> T {
        let Listing { ops, advance, inputs, .. } = &self.listing;
        self.view(facts, true, |slots| {
            for inputs in inputs {
                slots[inputs.clone()].fill([0]);
            }
            for (inputs, chosen) in inputs.iter().zip(moves) {
                if let Some(slot) = slots[inputs.clone()].get_mut(*chosen as usize) {
                    *slot = [u64::MAX];
                }
            }
            execute(ops, *advance..ops.len(), slots);
            read(slots)
        })
    }
}

#[inline]
fn holds(memory: &[Word<1>], place: Place) -> bool {
    (memory[place.slot as usize][0] & 1 == 1) != place.inverted
}

impl Machine for Propnet {
    type Facts = Bits;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn has_percepts(&self) -> bool {
        self.has_percepts
    }

    fn initial(&self) -> Bits {
        let mut facts = vec![0; self.network.latches.len().div_ceil(64)];
        for (number, latch) in self.network.latches.iter().enumerate() {
            facts[number / 64] |= u64::from(latch.initial) << (number % 64);
        }
        facts
    }

    fn outlook(&self, facts: &Bits, outlook: &mut Outlook) {
        let Listing { legal, terminal, .. } = &self.listing;
        self.view(facts, false, |memory| {
            outlook.terminal = holds(memory, *terminal);
            outlook.moves.clear();
            outlook.ends.clear();
            for places in legal {
                for (number, place) in places.iter().enumerate() {
                    if holds(memory, *place) {
                        outlook.moves.push(number as u32);
                    }
                }
                outlook.ends.push(outlook.moves.len() as u32);
            }
        });
    }

    fn scores(&self, facts: &Bits, role: usize) -> Vec<f64> {
        let Listing { ops, score, advance, goals, .. } = &self.listing;
        self.view(facts, true, |memory| {
            execute(ops, *score..*advance, memory);
            let had =
                goals[role].iter().zip(&self.scores[role]).filter(|(place, _)| holds(memory, **place));
            had.map(|(_, score)| *score).collect()
        })
    }

    fn advance(&self, facts: &mut Bits, moves: &[u32], told: &mut Vec<u64>) {
        let Listing { next, percepts, .. } = &self.listing;
        let after = self.advanced(facts, moves, |memory| {
            if self.has_percepts {
                told.clear();
                told.extend(percepts.iter().map(|places| {
                    let heard = places.iter().enumerate().filter(|(_, place)| holds(memory, **place));
                    heard.fold(0, |key, (number, _)| derive(key, number as u64 + 1))
                }));
            }
            let mut after = vec![0; facts.len()];
            for (number, place) in next.iter().enumerate() {
                after[number / 64] |= u64::from(holds(memory, *place)) << (number % 64);
            }
            after
        });
        *facts = after;
    }

    fn percepts(&self, facts: &Bits, moves: &[u32], role: usize) -> Vec<String> {
        self.advanced(facts, moves, |memory| {
            let places = self.listing.percepts[role].iter().zip(&self.network.percepts[role]);
            let heard = places.filter(|(place, _)| holds(memory, **place));
            heard.map(|(_, (term, _))| self.terms.show(&self.symbols, *term)).collect()
        })
    }

    fn at_once(&self) -> u32 {
        super::lanes::LANES as u32
    }

    fn play_out_many(
        &self,
        starts: &[Bits],
        count: u32,
        depth: u64,
        rng: &mut Rng,
        scores: &mut [f64],
    ) -> Option<(u64, usize)> {
        if starts.len() == 1 && count < FEW {
            return None;
        }
        let spare = self.spare_lanes().pop();
        let mut lanes = spare.unwrap_or_else(|| Lanes::new(self));
        let outcome = lanes.play_out(self, starts, count as usize, depth, rng);
        self.spare_lanes().push(lanes);
        for (score, sum) in scores.iter_mut().zip(outcome.scores) {
            *score += sum;
        }
        Some((outcome.steps, outcome.faulty))
    }

    fn move_name(&self, role: usize, number: u32) -> String {
        let found = self.network.moves.get(role).and_then(|moves| moves.get(number as usize));
        found.map_or_else(String::new, |each| self.terms.show(&self.symbols, each.name))
    }

    fn describe(&self, facts: &Bits) -> Vec<String> {
        let latches = self.network.latches.iter().enumerate();
        let held = latches.filter(|(number, _)| facts[number / 64] >> (number % 64) & 1 == 1);
        let mut names: Vec<String> =
            held.map(|(_, latch)| self.terms.show(&self.symbols, latch.fact)).collect();
        names.sort_unstable();
        names
    }

    fn possible(&self) -> Option<Vec<String>> {
        let show = |latch: &Latch| self.terms.show(&self.symbols, latch.fact);
        Some(self.network.latches.iter().map(show).collect())
    }

    fn hash(&self, facts: &Bits) -> u64 {
        facts.iter().fold(1, |key, word| derive(key, *word))
    }
}
