//! One state at a time: the programs of a network's phases, and the memory that they work on.

use std::cell::RefCell;

use kibitz_core::Rng;
use kibitz_wide::{Program, Word};

use super::propnet::Bits;
use crate::gdl::compile::{Listing, Marked, Move, Place, Wanted, Wire, listing};

/// The programs of one phase, and where things are.
pub(super) struct Code {
    pub view: Program,
    pub score: Program,
    pub advance: Program,
    pub never: usize,
    /// For each role, by move: the slots that it fills.
    made: Vec<Vec<Box<[u32]>>>,
    pub terminal: Place,
    /// For each role: the moves that may be legal.
    pub legal: Vec<Moves>,
    /// The roles that may have a choice: of the others the network knows what they do.
    pub choosers: Vec<usize>,
    pub goals: Vec<Vec<Place>>,
    pub percepts: Vec<Vec<Place>>,
    pub sizes: [usize; 3],
}

impl Code {
    /// The code of a network with marks, `most` of them in all phases; and how many slots it needs.
    pub fn new(Marked { network, marks, .. }: &Marked, most: usize) -> (Code, usize) {
        let wires = |lists: &[Vec<(_, _)>]| lists.iter().flatten().map(|(_, wire)| *wire).collect();
        let moves = network.moves.iter().flatten().map(|each| each.legal);
        let listing: Listing = listing(&Wanted {
            first: Vec::new(),
            view: std::iter::once(network.terminal).chain(moves).collect(),
            score: wires(&network.goals),
            told: wires(&network.percepts),
            network,
            extras: most,
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
        let has_choice =
            |moves: &Vec<Move>| moves.iter().any(|each| each.input.gate() != Wire::TRUE.gate());
        let mut marks = marks.iter();
        let mut slots = |input: usize| {
            let marks = marks.next().into_iter().flatten();
            std::iter::once(input as u32).chain(marks.map(|mark| listing.extras as u32 + mark)).collect()
        };
        let made = listing.inputs.iter().map(|inputs| inputs.clone().map(&mut slots).collect()).collect();
        let code = Code {
            choosers: (0..network.moves.len()).filter(|role| has_choice(&network.moves[*role])).collect(),
            view,
            score,
            advance,
            never,
            terminal: seen[0],
            legal: legal
                .into_iter()
                .map(|places| {
                    let (numbers, places) = (0..).zip(places).filter(|(_, place)| may_be(place)).unzip();
                    Moves::new(numbers, places)
                })
                .collect(),
            goals: nested(&mut network.goals.iter().map(Vec::len), scored),
            percepts: nested(&mut network.percepts.iter().map(Vec::len), &after[listing.latches..]),
            sizes: listing.sizes(),
            made,
        };
        (code, listing.slots)
    }

    /// The scores that a role has, of those that it may have.
    pub fn scores(&self, slots: &[Word], role: usize, values: &[f64]) -> impl Iterator<Item = f64> {
        let goals = self.goals[role].iter().zip(values);
        goals.filter(|(place, _)| holds(slots, **place)).map(|(_, score)| *score)
    }
}

/// A thread's slots, and what they hold. All lanes are alike; the lowest is the one that is read.
#[derive(Default)]
pub(super) struct Memory {
    /// What the programs work on.
    pub slots: Vec<Word>,
    /// The machine that the slots are for.
    pub machine: Option<u64>,
    /// The facts that they hold, where that is known.
    facts: Option<Bits>,
    /// The `view` part has been carried out for them.
    viewed: bool,
    /// The slots of the moves to make.
    moves: Vec<u32>,
    /// The slots of the moves that were made last: all other moves' slots are empty.
    made: Vec<u32>,
    /// Which of a role's moves are legal.
    legal: Vec<u64>,
}

thread_local! {
    /// Whoever asks for a state's moves, then makes one and asks again finds what is known already.
    pub(super) static MEMORY: RefCell<Memory> = RefCell::default();
}

impl Memory {
    /// Makes room for another machine.
    pub fn clear(&mut self, machine: u64, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, Word::NONE);
        self.made.clear();
        (self.machine, self.facts) = (Some(machine), None);
    }

    /// Puts facts into their slots, if they are not there.
    #[inline]
    pub fn hold(&mut self, facts: &Bits, latches: usize) {
        if self.facts.as_ref() == Some(facts) {
            return;
        }
        for (slots, word) in self.slots[..latches].chunks_mut(64).zip(facts) {
            for (number, slot) in slots.iter_mut().enumerate() {
                *slot = Word::all_if(word >> number & 1 == 1);
            }
        }
        match &mut self.facts {
            Some(known) => known.clone_from(facts),
            unknown => *unknown = Some(facts.clone()),
        }
        self.viewed = false;
    }

    /// Finds out what can be said of the facts, if that has not been done.
    #[inline]
    pub fn view(&mut self, code: &Code) {
        if !self.viewed {
            self.slots[code.never] = Word::NONE;
            code.view.run(&mut self.slots);
            self.viewed = true;
        }
    }

    /// Chooses a legal move for each role; false if one has none.
    #[inline(always)]
    pub fn choose(&mut self, code: &Code, rng: &mut Rng) -> bool {
        self.moves.clear();
        for role in &code.choosers {
            match code.legal[*role].choose(&self.slots, &mut self.legal, rng) {
                Some(chosen) => self.moves.extend_from_slice(&code.made[*role][chosen as usize]),
                None => return false,
            }
        }
        true
    }

    /// Makes the moves that are chosen; the slots then hold the next facts.
    #[inline]
    pub fn advance(&mut self, code: &Code) {
        for slot in self.made.drain(..) {
            self.slots[slot as usize] = Word::NONE;
        }
        for slot in &self.moves {
            self.slots[*slot as usize] = Word::ALL;
        }
        code.advance.run(&mut self.slots);
        std::mem::swap(&mut self.moves, &mut self.made);
        (self.facts, self.viewed) = (None, false);
    }

    /// Makes one move for each role.
    pub fn make(&mut self, code: &Code, moves: &[u32]) {
        self.view(code);
        self.moves.clear();
        for (made, chosen) in code.made.iter().zip(moves) {
            // A move that is not there is none.
            self.moves.extend(made.get(*chosen as usize).into_iter().flatten());
        }
        self.advance(code);
    }

    /// Reads the facts that the slots hold.
    pub fn read_facts(&mut self, latches: usize, facts: &mut Bits) {
        for (slots, word) in self.slots[..latches].chunks(64).zip(facts.iter_mut()) {
            let bits = slots.iter().enumerate().map(|(number, slot)| (slot.0[0] & 1) << number);
            *word = bits.fold(0, |word, bit| word | bit);
        }
        self.facts.get_or_insert_default().clone_from(facts);
    }
}

#[inline(always)]
pub(super) fn holds(slots: &[Word], place: Place) -> bool {
    (slots[place.slot as usize].0[0] & 1 == 1) != place.inverted
}

/// The moves of a role that may be legal.
pub(super) struct Moves {
    numbers: Vec<u32>,
    /// Where it says whether they are legal.
    places: Vec<Place>,
    /// Of every 64 moves, whether one place says it of all.
    alike: Vec<bool>,
}

impl Moves {
    fn new(numbers: Vec<u32>, places: Vec<Place>) -> Moves {
        let alike =
            places.chunks(64).map(|places| places.iter().all(|place| *place == places[0])).collect();
        Moves { numbers, places, alike }
    }

    /// Which are legal, 64 at a time, one in each bit.
    #[inline(always)]
    fn legal(&self, slots: &[Word]) -> impl Iterator<Item = u64> {
        self.places.chunks(64).zip(&self.alike).map(|(places, alike)| {
            if *alike {
                return if holds(slots, places[0]) { u64::MAX >> (64 - places.len()) } else { 0 };
            }
            // From the last on, each pushed up by those before it.
            places.iter().rev().fold(0, |bits, place| bits << 1 | u64::from(holds(slots, *place)))
        })
    }

    /// Appends those that are legal.
    #[inline]
    pub fn append_legal(&self, slots: &[Word], moves: &mut Vec<u32>) {
        for (numbers, mut legal) in self.numbers.chunks(64).zip(self.legal(slots)) {
            if legal == u64::MAX {
                moves.extend_from_slice(numbers);
                continue;
            }
            while legal != 0 {
                moves.push(numbers[legal.trailing_zeros() as usize]);
                legal &= legal - 1;
            }
        }
    }

    /// One of those that are legal, each with the same probability.
    #[inline(always)]
    fn choose(&self, slots: &[Word], words: &mut Vec<u64>, rng: &mut Rng) -> Option<u32> {
        words.clear();
        words.extend(self.legal(slots));
        let count: u32 = words.iter().map(|word| word.count_ones()).sum();
        if count == 0 {
            return None;
        }
        let mut skip = rng.below(count);
        for (numbers, mut word) in self.numbers.chunks(64).zip(words.iter().copied()) {
            if skip >= word.count_ones() {
                skip -= word.count_ones();
                continue;
            }
            for _ in 0..skip {
                word &= word - 1;
            }
            return Some(numbers[word.trailing_zeros() as usize]);
        }
        None
    }
}
