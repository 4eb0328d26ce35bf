//! The machine of a network, one state at a time.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use kibitz_core::Rng;
use kibitz_core::rng::derive;
use kibitz_wide::{Program, Word};

use super::lanes::{LaneCode, Lanes};
use super::machine::{Machine, Outlook};
use crate::compile::{Latch, Listing, Network, Phases, Place, Wanted, listing, phases};
use crate::deduce::Terms;
use crate::ground::Ground;
use crate::syntax::Symbols;

/// Runs a network on one state at a time; facts are a set of bits.
pub struct Propnet {
    /// The network.
    pub network: Network,
    pub(super) phases: Phases,
    /// A program for each phase.
    code: Vec<Code>,
    slots: usize,
    roles: Vec<String>,
    /// For each role, its possible scores in the order of the network's goals.
    scores: Vec<Vec<f64>>,
    has_percepts: bool,
    terms: Terms,
    symbols: Symbols,
    id: u64,
    /// For many games at once; made when it is first asked for.
    lane_code: OnceLock<LaneCode>,
    /// Memory for many games at once that is not in use.
    lanes: Mutex<Vec<Lanes>>,
}

/// The program of one phase.
struct Code {
    view: Program,
    score: Program,
    advance: Program,
    never: usize,
    inputs: Vec<std::ops::Range<usize>>,
    terminal: Place,
    /// For each role: the moves that may be legal, and where it says whether they are.
    legal: Vec<Vec<(u32, Place)>>,
    goals: Vec<Vec<Place>>,
    percepts: Vec<Vec<Place>>,
    sizes: [usize; 3],
}

impl Code {
    fn new(network: &Network) -> (Code, usize) {
        let wires = |lists: &[Vec<(_, _)>]| lists.iter().flatten().map(|(_, wire)| *wire).collect();
        let moves = network.moves.iter().flatten().map(|each| each.legal);
        let listing: Listing = listing(&Wanted {
            view: std::iter::once(network.terminal).chain(moves).collect(),
            score: wires(&network.goals),
            told: wires(&network.percepts),
            network,
            extras: 0,
        });
        let [view, score, advance] = listing.programs();
        let never = listing.never;
        let [seen, scored, after] = &listing.places;
        let nested = |counts: &mut dyn Iterator<Item = usize>, flat: &[Place]| -> Vec<Vec<Place>> {
            let mut flat = flat.iter().copied();
            counts.map(|count| flat.by_ref().take(count).collect()).collect()
        };
        let may_be = |place: &Place| place.slot as usize != never || place.inverted;
        let legal = nested(&mut network.moves.iter().map(Vec::len), &seen[1..]);
        let code = Code {
            view,
            score,
            advance,
            never,
            terminal: seen[0],
            legal: legal
                .into_iter()
                .map(|places| (0..).zip(places).filter(|(_, place)| may_be(place)).collect())
                .collect(),
            goals: nested(&mut network.goals.iter().map(Vec::len), scored),
            percepts: nested(&mut network.percepts.iter().map(Vec::len), &after[listing.latches..]),
            sizes: listing.sizes(),
            inputs: listing.inputs,
        };
        (code, listing.slots)
    }
}

/// Fewer games than this are played one after the other.
const FEW: u32 = 16;

/// The facts that hold, a bit each.
pub type Bits = Vec<u64>;

/// A thread's slots, and what they hold.
#[derive(Default)]
struct Memory {
    slots: Vec<Word>,
    /// The machine whose facts the slots hold.
    machine: Option<u64>,
    facts: Bits,
    /// The `view` part has been carried out for them.
    viewed: bool,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Tells machines apart.
static MACHINES: AtomicU64 = AtomicU64::new(0);

impl Propnet {
    /// The machine of a compiled game.
    pub fn new(ground: Ground, network: Network) -> Propnet {
        let Ground { terms, symbols, roles, percepts, .. } = ground;
        let number = |term| symbols.name(terms.name(term)).parse::<f64>().unwrap_or(0.0);
        let scores =
            network.goals.iter().map(|goals| goals.iter().map(|(score, _)| number(*score)).collect());
        let phases = phases(&network);
        let (code, slots): (Vec<Code>, Vec<usize>) = phases.networks.iter().map(Code::new).unzip();
        Propnet {
            scores: scores.collect(),
            roles: roles.iter().map(|role| terms.show(&symbols, *role)).collect(),
            has_percepts: !percepts.is_empty(),
            slots: slots.into_iter().max().unwrap_or(0),
            network,
            phases,
            code,
            terms,
            symbols,
            id: MACHINES.fetch_add(1, Relaxed),
            lane_code: OnceLock::new(),
            lanes: Mutex::new(Vec::new()),
        }
    }

    /// In how many phases the game goes on, independently of what is done: 1, or as many as there are
    /// turns in a round.
    pub fn phases(&self) -> usize {
        self.code.len()
    }

    /// Operations for a state's moves, for its scores, and for the next state, at the start.
    pub fn operations(&self) -> [usize; 3] {
        self.code[self.phase_of(&self.initial())].sizes
    }

    /// Whether it runs as machine code.
    pub fn is_machine_code(&self) -> bool {
        self.code[0].view.is_machine_code()
    }

    /// The phase that a state is in.
    pub(super) fn phase_of(&self, facts: &[u64]) -> usize {
        self.phases.of(facts)
    }

    /// What plays many games at once.
    pub fn lane_code(&self) -> &LaneCode {
        self.lane_code.get_or_init(|| LaneCode::new(&self.phases))
    }

    fn spare_lanes(&self) -> MutexGuard<'_, Vec<Lanes>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For each role, the scores that it may have, in the order of the network's goals.
    pub(super) fn scores(&self) -> &[Vec<f64>] {
        &self.scores
    }

    /// Works with slots in which the `view` part has been carried out for these facts. Whoever
    /// asks for a state's moves, then makes one and asks again pays for each part once.
    fn view<T>(&self, facts: &Bits, work: impl FnOnce(&Code, &mut Memory) -> T) -> T {
        let code = &self.code[self.phase_of(facts)];
        MEMORY.with_borrow_mut(|memory| {
            if memory.machine != Some(self.id) || memory.facts != *facts {
                if memory.slots.len() < self.slots {
                    memory.slots.resize(self.slots, Word::NONE);
                }
                for (number, slot) in memory.slots[..self.network.latches.len()].iter_mut().enumerate() {
                    // All lanes alike: the lowest bit is the one that is read.
                    *slot = Word::all_if(facts[number / 64] >> (number % 64) & 1 == 1);
                }
                memory.facts.clone_from(facts);
                (memory.machine, memory.viewed) = (Some(self.id), false);
            }
            if !memory.viewed {
                memory.slots[code.never] = Word::NONE;
                code.view.run(&mut memory.slots);
                memory.viewed = true;
            }
            work(code, memory)
        })
    }

    /// Makes the moves; the slots then hold the next facts.
    fn advanced<T>(&self, facts: &Bits, moves: &[u32], read: impl FnOnce(&Code, &Memory) -> T) -> T {
        self.view(facts, |code, memory| {
            let Memory { slots, facts, viewed, .. } = memory;
            for (inputs, chosen) in code.inputs.iter().zip(moves) {
                let inputs = &mut slots[inputs.clone()];
                inputs.fill(Word::NONE);
                if let Some(slot) = inputs.get_mut(*chosen as usize) {
                    *slot = Word::ALL;
                }
            }
            code.advance.run(slots);
            *viewed = false;
            facts.fill(0);
            for (number, slot) in slots[..self.network.latches.len()].iter().enumerate() {
                facts[number / 64] |= (slot.0[0] & 1) << (number % 64);
            }
            read(code, memory)
        })
    }
}

#[inline(always)]
fn holds(slots: &[Word], place: Place) -> bool {
    (slots[place.slot as usize].0[0] & 1 == 1) != place.inverted
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
        self.view(facts, |code, Memory { slots, .. }| {
            outlook.terminal = holds(slots, code.terminal);
            outlook.ends.clear();
            outlook.moves.clear();
            outlook.moves.resize(code.legal.iter().map(Vec::len).sum(), 0);
            let mut count = 0;
            for places in &code.legal {
                for (number, place) in places {
                    // Which are legal cannot be foreseen: each is written, and only those count.
                    outlook.moves[count] = *number;
                    count += usize::from(holds(slots, *place));
                }
                outlook.ends.push(count as u32);
            }
            outlook.moves.truncate(count);
        });
    }

    fn scores(&self, facts: &Bits, role: usize) -> Vec<f64> {
        self.view(facts, |code, Memory { slots, .. }| {
            code.score.run(slots);
            let goals = code.goals[role].iter().zip(&self.scores[role]);
            goals.filter(|(place, _)| holds(slots, **place)).map(|(_, score)| *score).collect()
        })
    }

    fn advance(&self, facts: &mut Bits, moves: &[u32], told: &mut Vec<u64>) {
        let after = self.advanced(facts, moves, |code, Memory { slots, facts, .. }| {
            if self.has_percepts {
                told.clear();
                told.extend(code.percepts.iter().map(|places| {
                    let heard = places.iter().enumerate().filter(|(_, place)| holds(slots, **place));
                    heard.fold(0, |key, (number, _)| derive(key, number as u64 + 1))
                }));
            }
            facts.clone()
        });
        *facts = after;
    }

    fn percepts(&self, facts: &Bits, moves: &[u32], role: usize) -> Vec<String> {
        self.advanced(facts, moves, |code, Memory { slots, .. }| {
            let places = code.percepts[role].iter().zip(&self.network.percepts[role]);
            let heard = places.filter(|(place, _)| holds(slots, **place));
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
        let mut lanes = spare.unwrap_or_else(|| Lanes::new(self.lane_code()));
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
