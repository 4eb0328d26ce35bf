//! The machine of a network, 256 games at once: one in each bit of a word.

use std::collections::VecDeque;

use kibitz_core::Rng;
use kibitz_wide::{Program, Word, with_wide_instructions};

use super::draw::{Bits, draw};
use super::machine::{First, Start, paid};
use super::propnet::{self, Propnet};
use crate::gdl::compile::{LIVE, Listing, Phases, Place, Wanted, chosen, influence, listing};

/// Games at once.
pub const LANES: usize = Word::BITS;

/// Finished games wait to be scored until there are so many, or none goes on, where scoring is dear.
const WAITING: u32 = LANES as u32 / 8;

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

/// What plays many games at once: a program for each phase.
pub struct LaneCode {
    phases: Vec<Phase>,
    slots: usize,
    latches: usize,
    never: usize,
    live: usize,
    /// How many finished games are scored at once.
    patience: u32,
}

/// The program of one phase.
struct Phase {
    view: Program,
    score: Program,
    advance: Program,
    terminal: Place,
    /// For each choice: the bits of the number of legal moves, and where the one to choose with goes.
    choices: Vec<(Vec<Place>, std::ops::Range<usize>)>,
    /// For each role: which choice it has, and by move its place in the order of the numbers.
    ranks: Vec<Option<(usize, Vec<u32>)>>,
    goals: Vec<Vec<Place>>,
    /// Where it says which moves were made.
    #[cfg(test)]
    made: Vec<Place>,
}

impl LaneCode {
    /// Compiles the networks of a game's phases.
    pub fn new(phases: &Phases) -> LaneCode {
        // Where the scores are cheap, games are scored when they end, and lanes need not keep their facts.
        let (code, cheap) = LaneCode::compile(phases, false, false);
        if cheap { code } else { LaneCode::compile(phases, true, false).0 }
    }

    /// If `keeps`, lanes whose game is over keep their facts; if `tells`, it can be read which moves
    /// were made. Gives also whether scores are cheap.
    fn compile(phases: &Phases, keeps: bool, tells: bool) -> (LaneCode, bool) {
        let matters = influence(&phases.networks, false);
        let networks: Vec<_> =
            phases.networks.iter().map(|network| chosen(network, &matters, keeps)).collect();
        // All phases have their slots for facts, moves and extras in the same places.
        let extras = networks.iter().map(|each| each.extras).max().unwrap_or(0);
        let listings: Vec<Listing> = networks
            .iter()
            .map(|each| {
                let choices = || each.choices.iter().flatten();
                let counts = choices().flat_map(|choice| choice.count.iter().copied());
                listing(&Wanted {
                    first: choices().flat_map(|choice| choice.order.iter().copied()).collect(),
                    view: std::iter::once(each.network.terminal).chain(counts).collect(),
                    score: each.network.goals.iter().flatten().map(|(_, wire)| *wire).collect(),
                    told: if tells { each.made.concat() } else { Vec::new() },
                    network: &each.network,
                    extras,
                })
            })
            .collect();
        let latches = listings[0].latches;
        let cheap = listings.iter().all(|each| each.sizes()[1] <= 3 * latches);
        let code = LaneCode {
            slots: listings.iter().map(|each| each.slots).max().unwrap_or(0),
            latches,
            never: listings[0].never,
            live: listings[0].extras + LIVE as usize,
            patience: if keeps { WAITING } else { 1 },
            phases: if cheap || keeps || tells {
                listings.iter().zip(&networks).map(|(listing, each)| Phase::new(listing, each)).collect()
            } else {
                Vec::new() // not worth translating
            },
        };
        (code, cheap)
    }

    /// How many operations a step of 256 games takes, on the average of the phases.
    pub fn operations(&self) -> usize {
        let each = |phase: &Phase| phase.view.len() + phase.advance.len();
        self.phases.iter().map(each).sum::<usize>() / self.phases.len().max(1)
    }
}

impl Phase {
    fn new(listing: &Listing, chosen: &crate::gdl::compile::Chosen) -> Phase {
        let [view, score, advance] = listing.programs();
        let mut counts = listing.places[0][1..].iter().copied();
        let choices = chosen.choices.iter().flatten().map(|choice| {
            let number = choice.number.clone();
            let slots = listing.extras + number.start..listing.extras + number.end;
            (counts.by_ref().take(number.len()).collect(), slots)
        });
        let mut goals = listing.places[1].iter().copied();
        let mut number = 0..;
        let ranks = chosen
            .choices
            .iter()
            .map(|choice| choice.as_ref().map(|choice| (number.next().unwrap_or(0), choice.ranks.clone())));
        Phase {
            ranks: ranks.collect(),
            choices: choices.collect(),
            terminal: listing.places[0][0],
            #[cfg(test)]
            made: listing.places[2][listing.latches..].to_vec(),
            goals: chosen
                .network
                .goals
                .iter()
                .map(|list| goals.by_ref().take(list.len()).collect())
                .collect(),
            view,
            score,
            advance,
        }
    }
}

/// The starts of some playouts, by phase.
struct Starts<'a> {
    all: &'a [Start<'a, propnet::Bits>],
    /// First moves are given for some.
    given: bool,
    /// Playouts from each start.
    each: usize,
    /// By phase: the starts, and how many playouts have begun.
    queues: Vec<(Vec<u32>, usize)>,
}

impl Starts<'_> {
    fn left(&self, phase: usize) -> usize {
        let (starts, begun) = &self.queues[phase];
        starts.len() * self.each - begun
    }

    /// A phase in which there are playouts to begin.
    fn some_phase(&self) -> Option<usize> {
        (0..self.queues.len()).find(|phase| self.left(*phase) > 0)
    }
}

/// The memory for playing many games at once. Made for a machine, and used again: it is large.
pub struct Lanes {
    slots: Vec<Word>,
    /// The start of the game in each lane; not kept up where there is but one.
    start: Vec<u32>,
    /// The steps in which lanes were loaded, and those that are still going on.
    loaded: VecDeque<(u64, Word)>,
    live: Word,
    /// By phase in which they ended: over, but not scored yet.
    waiting: Vec<Word>,
}

impl Lanes {
    /// Empty lanes for a machine.
    pub fn new(code: &LaneCode) -> Lanes {
        Lanes {
            slots: vec![Word::NONE; code.slots],
            start: vec![0; LANES],
            loaded: VecDeque::new(),
            live: Word::NONE,
            waiting: vec![Word::NONE; code.phases.len()],
        }
    }

    /// Plays out `count` games from each of some states by uniformly random moves, for at most
    /// `depth` steps each.
    pub fn play_out(
        &mut self,
        machine: &Propnet,
        starts: &[Start<propnet::Bits>],
        count: usize,
        depth: u64,
        rng: &mut Rng,
    ) -> Outcome {
        with_wide_instructions(
            #[inline(always)]
            || self.play(machine, starts, count, depth, rng),
        )
    }

    #[inline(always)]
    fn play(
        &mut self,
        machine: &Propnet,
        starts: &[Start<propnet::Bits>],
        count: usize,
        depth: u64,
        rng: &mut Rng,
    ) -> Outcome {
        let code = machine.lane_code();
        let mut queues = vec![(Vec::new(), 0); code.phases.len()];
        for (number, start) in (0..).zip(starts) {
            queues[machine.phase_of(start.facts)].0.push(number);
        }
        let given = starts.iter().any(|start| start.first.is_some());
        let mut starts = Starts { all: starts, given, each: count, queues };
        let mut tally = Tally::new(machine, starts.all.len());
        let mut bits = Bits::new(|| rng.bits());
        self.live = Word::NONE;
        self.waiting.fill(Word::NONE);
        self.loaded.clear();
        let (mut phase, mut step) = (starts.some_phase().unwrap_or(0), 0);
        loop {
            if starts.left(phase) > 0 {
                self.load(code, &mut starts, phase, step);
            }
            let now = &code.phases[phase];
            self.slots[code.never] = Word::NONE;
            now.view.run(&mut self.slots);
            let over = self.live & read(&self.slots, now.terminal);
            self.waiting[phase] |= over;
            self.live &= !over;
            let waiting = self.waiting[phase];
            if waiting.any() && (waiting.ones() >= code.patience || !self.live.any()) {
                now.score.run(&mut self.slots);
                self.collect(now, waiting, &mut tally);
                self.waiting[phase] = Word::NONE;
            }
            if !self.live.any() {
                let unscored = self.waiting.iter().position(|waiting| waiting.any());
                match unscored.or_else(|| starts.some_phase()) {
                    Some(next) => phase = next,
                    None => return tally.outcome(machine),
                }
                continue;
            }
            tally.steps += u64::from(self.live.ones());
            let stuck = self.choose(now, &mut bits);
            self.choose_first(now, &starts, step);
            tally.faulty += stuck.ones() as usize;
            step += 1;
            let long = self.too_long(step, depth);
            self.live &= !(stuck | long);
            self.slots[code.live] = self.live;
            now.advance.run(&mut self.slots);
            phase = (phase + 1) % code.phases.len();
        }
    }

    /// Draws numbers for the moves in all live lanes; gives those in which somebody cannot move.
    #[inline(always)]
    fn choose(&mut self, phase: &Phase, bits: &mut Bits) -> Word {
        let mut stuck = Word::NONE;
        let mut counts = [Word::NONE; 32];
        for (places, number) in &phase.choices {
            let count = &mut counts[..places.len()];
            for (word, place) in count.iter_mut().zip(places) {
                *word = read(&self.slots, *place);
            }
            stuck |= draw(count, &mut self.slots[number.clone()], self.live, bits);
        }
        stuck
    }

    /// Puts the numbers of the first moves that are given into lanes that have just been loaded.
    #[inline(always)]
    fn choose_first(&mut self, phase: &Phase, starts: &Starts, step: u64) {
        if !starts.given {
            return;
        }
        let Some((_, fresh)) = self.loaded.back().filter(|(loaded, _)| *loaded == step) else { return };
        for lane in (*fresh & self.live).bits() {
            let start = if starts.all.len() == 1 { 0 } else { self.start[lane] as usize };
            let Some(First { role, chosen, legal }) = starts.all[start].first else { continue };
            let Some((choice, ranks)) = &phase.ranks[role] else { continue };
            let before = |each: &&u32| ranks[**each as usize] < ranks[chosen as usize];
            let number = legal.iter().filter(before).count();
            for (bit, slot) in self.slots[phase.choices[*choice].1.clone()].iter_mut().enumerate() {
                let mask = 1 << (lane % 64);
                let value = (number as u64 >> bit & 1) << (lane % 64);
                slot.0[lane / 64] = slot.0[lane / 64] & !mask | value;
            }
        }
    }

    /// Live lanes that have been going on for too long.
    #[inline(always)]
    fn too_long(&mut self, step: u64, depth: u64) -> Word {
        let mut long = Word::NONE;
        while let Some((_, lanes)) = self.loaded.front().filter(|(loaded, _)| step - loaded >= depth) {
            long |= *lanes & self.live;
            self.loaded.pop_front();
        }
        long
    }

    /// Puts games that begin in this phase into the lanes that have none.
    #[inline(always)]
    fn load(&mut self, code: &LaneCode, starts: &mut Starts, phase: usize, step: u64) {
        let left = starts.left(phase);
        let mut free = !self.waiting.iter().fold(self.live, |busy, waiting| busy | *waiting);
        let mut surplus = (free.ones() as usize).saturating_sub(left);
        for part in &mut free.0 {
            while surplus > 0 && *part != 0 {
                *part &= *part - 1; // there are not enough games left
                surplus -= 1;
            }
        }
        if !free.any() {
            return;
        }
        self.loaded.retain_mut(|(_, lanes)| {
            *lanes &= self.live;
            lanes.any()
        });
        self.loaded.push_back((step, free));
        let facts = &mut self.slots[..code.latches];
        let (queue, begun) = &mut starts.queues[phase];
        if let [only] = queue[..] {
            let start = starts.all[only as usize].facts;
            for (number, fact) in facts.iter_mut().enumerate() {
                let value = Word::all_if(start[number / 64] >> (number % 64) & 1 == 1);
                *fact ^= (*fact ^ value) & free;
            }
            if starts.all.len() > 1 {
                free.bits().for_each(|lane| self.start[lane] = only);
            }
            *begun += free.ones() as usize;
        } else {
            for (part, mask) in free.0.into_iter().enumerate().filter(|(_, mask)| *mask != 0) {
                let mut rows: [&[u64]; 64] = [&[]; 64];
                for lane in Word([mask, 0, 0, 0]).bits() {
                    let start = queue[*begun / starts.each];
                    rows[lane] = starts.all[start as usize].facts;
                    self.start[64 * part + lane] = start;
                    *begun += 1;
                }
                for (block, facts) in facts.chunks_mut(64).enumerate() {
                    let mut bits = rows.map(|row| row.get(block).copied().unwrap_or(0));
                    transpose(&mut bits);
                    for (fact, bits) in facts.iter_mut().zip(bits) {
                        fact.0[part] = fact.0[part] & !mask | bits & mask;
                    }
                }
            }
        }
        self.live |= free;
    }

    /// Adds up the scores of games that are over.
    #[inline(always)]
    fn collect(&self, phase: &Phase, over: Word, tally: &mut Tally) {
        let mut number = 0;
        for places in &phase.goals {
            let (mut once, mut twice) = (Word::NONE, Word::NONE);
            for place in places {
                let had = read(&self.slots, *place) & over;
                twice |= once & had;
                let had = had & !once; // scores ascend, and the lowest counts
                once |= had;
                if tally.starts == 1 {
                    tally.counts[number] += u64::from(had.ones());
                } else {
                    for lane in had.bits() {
                        tally.counts[self.start[lane] as usize * tally.goals + number] += 1;
                    }
                }
                number += 1;
            }
            let wrong = twice | over & !once;
            tally.faulty += if wrong.any() { wrong.ones() as usize } else { 0 };
        }
    }
}

/// How often each score was reached.
struct Tally {
    starts: usize,
    /// Scores of all roles.
    goals: usize,
    /// For each start, and each score of each role.
    counts: Vec<u64>,
    steps: u64,
    faulty: usize,
}

impl Tally {
    fn new(machine: &Propnet, starts: usize) -> Tally {
        let goals = machine.scores().iter().map(Vec::len).sum();
        Tally { starts, goals, counts: vec![0; starts * goals], steps: 0, faulty: 0 }
    }

    fn outcome(self, machine: &Propnet) -> Outcome {
        let mut counts = self.counts.into_iter();
        let mut scores = Vec::new();
        for _ in 0..self.starts {
            for values in machine.scores() {
                let sum = |value: &f64| match counts.next() {
                    None | Some(0) => 0.0,
                    Some(count) => paid(*value) * count as f64,
                };
                scores.push(values.iter().map(sum).sum());
            }
        }
        Outcome { scores, steps: self.steps, faulty: self.faulty }
    }
}

#[inline(always)]
fn read(slots: &[Word], place: Place) -> Word {
    slots[place.slot as usize] ^ Word::all_if(place.inverted)
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
