//! The machine of a network, a thousand games at once: one in each bit of a word.

#![allow(clippy::needless_range_loop)] // the loops over n are what becomes one wide instruction

use kibitz_core::Rng;
use kibitz_wide::{Word, execute, with_wide_instructions};

use super::choose::{Bits, Chooser};
use super::propnet::{self, Propnet};
use crate::compile::{Listing, Place};

/// Words of 64 bits in a slot. More means fewer slots in the processor's nearest memory.
const WORDS: usize = 16;
/// Games at once.
pub const LANES: usize = 64 * WORDS;

/// Finished games wait until there are so many, or none goes on: scoring and loading take as long
/// for one as for all.
const WAITING: u32 = LANES as u32 / 12;

type Wide = Word<WORDS>;

/// What some playouts came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// For each start, and each role, the sum of the scores; a playout that was cut off has none.
    pub scores: Vec<f64>,
    /// Joint moves of all playouts together.
    pub steps: u64,
    /// Playouts in which a role had no legal move, or not exactly one score.
    pub faulty: usize,
}

/// The memory for playing many games at once. Made for a machine, and used again: it is large.
pub struct Lanes {
    slots: Vec<Wide>,
    choosers: Vec<Chooser<WORDS>>,
    legal: Vec<Wide>,
    next: Vec<Wide>,
    /// The start of the game in each lane; not kept up where there is but one.
    start: Vec<u32>,
    /// The step in which each lane was loaded.
    loaded: Vec<u64>,
    live: Wide,
}

impl Lanes {
    /// Empty lanes for a machine.
    pub fn new(machine: &Propnet) -> Lanes {
        let moves = machine.listing.legal.iter().map(Vec::len);
        Lanes {
            slots: vec![[0; WORDS]; machine.listing.slots],
            choosers: moves.clone().map(Chooser::new).collect(),
            legal: vec![[0; WORDS]; moves.max().unwrap_or(0)],
            next: vec![[0; WORDS]; machine.listing.latches],
            start: vec![0; LANES],
            loaded: vec![0; LANES],
            live: [0; WORDS],
        }
    }

    /// Plays out `count` games from each of some states by uniformly random moves, for at most
    /// `depth` steps each.
    pub fn play_out(
        &mut self,
        machine: &Propnet,
        starts: &[propnet::Bits],
        count: usize,
        depth: u64,
        rng: &mut Rng,
    ) -> Outcome {
        let listing = &machine.listing;
        let mut outcome =
            Outcome { scores: vec![0.0; starts.len() * listing.goals.len()], ..Outcome::default() };
        let mut bits = Bits::new(|| rng.bits());
        let (mut begun, mut step, mut waiting) = (0, 0_u64, [0; WORDS]);
        let count = count * starts.len();
        self.live = [0; WORDS];
        self.slots[listing.never] = [0; WORDS];
        loop {
            let (going, over) = (ones(&self.live), ones(&waiting));
            let due = over >= WAITING || going == 0;
            if due && over > 0 {
                execute(&listing.ops, listing.score..listing.advance, &mut self.slots);
                self.collect(machine, &waiting, starts.len() == 1, &mut outcome);
                waiting = [0; WORDS];
            }
            if due && begun < count {
                match starts {
                    [only] => self.load_one(listing.latches, only, &mut begun, count, step),
                    _ => self.load(listing.latches, starts, &mut begun, count, step),
                }
                execute(&listing.ops, 0..listing.score, &mut self.slots);
                let over = self.read(listing.terminal);
                for n in 0..WORDS {
                    waiting[n] |= self.live[n] & over[n];
                    self.live[n] &= !over[n];
                }
                continue;
            }
            if going == 0 {
                return outcome;
            }
            outcome.steps += u64::from(going);
            step += 1;
            let stuck = with_wide_instructions(
                #[inline(always)]
                || self.advance(listing, &mut bits),
            );
            outcome.faulty += ones(&stuck) as usize;
            let long = self.too_long(step, depth);
            for n in 0..WORDS {
                self.live[n] &= !(stuck[n] | long[n]);
            }
            execute(&listing.ops, 0..listing.score, &mut self.slots);
            let over = self.read(listing.terminal);
            for n in 0..WORDS {
                waiting[n] |= self.live[n] & over[n];
                self.live[n] &= !over[n];
            }
        }
    }

    /// Chooses moves and makes them in all live lanes; gives those in which somebody could not move.
    #[inline(always)]
    fn advance(&mut self, listing: &Listing, bits: &mut Bits<WORDS>) -> Wide {
        let mut stuck = [0; WORDS];
        for (role, places) in listing.legal.iter().enumerate() {
            let legal = &mut self.legal[..places.len()];
            for (word, place) in legal.iter_mut().zip(places) {
                *word = flipped(&self.slots[place.slot as usize], place.inverted);
            }
            let none = self.choosers[role].choose(legal, &self.live, bits);
            for n in 0..WORDS {
                stuck[n] |= none[n];
            }
            self.slots[listing.inputs[role].clone()].copy_from_slice(legal);
        }
        kibitz_wide::execute_plain(&listing.ops, listing.advance..listing.ops.len(), &mut self.slots);
        for (next, place) in self.next.iter_mut().zip(&listing.next) {
            *next = flipped(&self.slots[place.slot as usize], place.inverted);
        }
        // Lanes that wait keep their facts: they are scored later.
        for (fact, next) in self.slots.iter_mut().zip(&self.next) {
            for n in 0..WORDS {
                fact[n] ^= (fact[n] ^ next[n]) & self.live[n];
            }
        }
        stuck
    }

    fn read(&self, place: Place) -> Wide {
        flipped(&self.slots[place.slot as usize], place.inverted)
    }

    /// Live lanes that have been going on for too long.
    fn too_long(&self, step: u64, depth: u64) -> Wide {
        let mut long = [0; WORDS];
        if step >= depth {
            for lane in lanes(&self.live) {
                if step - self.loaded[lane] >= depth {
                    long[lane / 64] |= 1 << (lane % 64);
                }
            }
        }
        long
    }

    /// Puts games that begin in the same state into all lanes that have none.
    fn load_one(
        &mut self,
        latches: usize,
        start: &propnet::Bits,
        begun: &mut usize,
        count: usize,
        step: u64,
    ) {
        let mut mask = [0; WORDS];
        for (mask, live) in mask.iter_mut().zip(&mut self.live) {
            let mut free = !*live;
            while free.count_ones() as usize > count - *begun {
                free &= free - 1; // there are not enough games left
            }
            *begun += free.count_ones() as usize;
            *mask = free;
            *live |= free;
        }
        for lane in lanes(&mask) {
            self.loaded[lane] = step;
        }
        for (number, fact) in self.slots[..latches].iter_mut().enumerate() {
            let value = 0_u64.wrapping_sub(start[number / 64] >> (number % 64) & 1);
            for n in 0..WORDS {
                fact[n] ^= (fact[n] ^ value) & mask[n];
            }
        }
    }

    /// Puts games into all lanes that have none, those of the first start first.
    fn load(
        &mut self,
        latches: usize,
        starts: &[propnet::Bits],
        begun: &mut usize,
        count: usize,
        step: u64,
    ) {
        let each = count / starts.len();
        for word in 0..WORDS {
            let mut mask = 0_u64;
            let mut rows: [&[u64]; 64] = [&[]; 64];
            for (lane, row) in rows.iter_mut().enumerate() {
                if self.live[word] >> lane & 1 == 0 && *begun < count {
                    mask |= 1 << lane;
                    let start = *begun / each;
                    *row = &starts[start];
                    self.start[64 * word + lane] = start as u32;
                    self.loaded[64 * word + lane] = step;
                    *begun += 1;
                }
            }
            if mask == 0 {
                continue;
            }
            for block in 0..latches.div_ceil(64) {
                let mut bits = rows.map(|row| row.get(block).copied().unwrap_or(0));
                transpose(&mut bits);
                for (slot, facts) in self.slots[..latches][64 * block..].iter_mut().zip(bits) {
                    slot[word] = slot[word] & !mask | facts & mask;
                }
            }
            self.live[word] |= mask;
        }
    }

    /// Adds up the scores of games that are over.
    fn collect(&self, machine: &Propnet, over: &Wide, one_start: bool, outcome: &mut Outcome) {
        let listing = &machine.listing;
        let roles = listing.goals.len();
        for (role, places) in listing.goals.iter().enumerate() {
            let (mut once, mut twice) = ([0; WORDS], [0; WORDS]);
            for (place, score) in places.iter().zip(machine.scores_of(role)) {
                let mut had = self.read(*place);
                for n in 0..WORDS {
                    had[n] &= over[n];
                    twice[n] |= once[n] & had[n];
                    once[n] |= had[n];
                }
                let score = score.clamp(0.0, 100.0);
                if one_start {
                    outcome.scores[role] += score * f64::from(ones(&had));
                } else if score != 0.0 {
                    for lane in lanes(&had) {
                        outcome.scores[self.start[lane] as usize * roles + role] += score;
                    }
                }
            }
            let wrong: u32 = (0..WORDS).map(|n| (over[n] & (twice[n] | !once[n])).count_ones()).sum();
            outcome.faulty += wrong as usize;
        }
    }
}

#[inline(always)]
fn flipped(word: &Wide, inverted: bool) -> Wide {
    let flip = if inverted { u64::MAX } else { 0 };
    let mut result = *word;
    for each in &mut result {
        *each ^= flip;
    }
    result
}

fn ones(word: &Wide) -> u32 {
    word.iter().map(|each| each.count_ones()).sum()
}

/// The numbers of the lanes that are set.
fn lanes(word: &Wide) -> impl Iterator<Item = usize> + use<> {
    let word = *word;
    (0..WORDS).flat_map(move |n| {
        let mut left = word[n];
        std::iter::from_fn(move || {
            let lane = (left != 0).then(|| 64 * n + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            lane
        })
    })
}

/// Makes rows of a square of bits its columns: blocks of 32, then of 16, and so on change places.
fn transpose(bits: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_FFFF_FFFF_u64);
    while width > 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (bits[row] >> width ^ bits[row + width]) & mask;
            bits[row] ^= swapped << width;
            bits[row + width] ^= swapped;
            row = (row + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests;
