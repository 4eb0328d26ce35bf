//! Klondike with all cards known: is there a way to win?
//!
//! Best first over [places](super::quotient): those with the fewest cards face down, then with the fewest left in
//! the deck and the most on the foundations. No place is looked at twice. When there is nothing left to look at,
//! there is no way.

use std::cell::RefCell;

use kibitz_core::playout::Context;
use kibitz_core::rng::mix;

use super::cards::{CARDS, Card, members};
use super::quotient::{Closure, MacroAction, Place, Table};

/// What came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a way to win.
    Won,
    /// There is none.
    Lost,
    /// Nobody knows: the limit was reached.
    Unknown,
}

/// How urgent a place is, from 0 (the most) on, lies below this.
const URGENCIES: usize = 256;
/// No place.
const NONE: u32 = u32::MAX;

/// Looks for wins, again and again, in the same memory.
#[derive(Debug, Default)]
pub struct Solver {
    /// For each urgency, the macro-actions that wait to be made, the latest last.
    waiting: Vec<Vec<Waiting>>,
    /// None that waits is more urgent.
    first: usize,
    /// The places that were looked at.
    nodes: Vec<Node>,
    seen: Seen,
    closure: Closure,
}

/// A macro-action that has not been made yet.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// The number of the place that it leads away from.
    from: u32,
    step: Step,
}

/// A place that was looked at, and how it was come to.
#[derive(Clone, Copy, Debug)]
struct Node {
    place: Place,
    from: u32,
    step: Step,
}

/// A macro-action, and the foundations of the position at which it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// As [`Place::counts`].
    pub counts: u16,
    /// The move.
    pub macro_action: MacroAction,
}

/// The first place was come to by no macro-action.
const NOTHING: Step = Step { counts: 0, macro_action: MacroAction { card: Card(0), founds: false } };

impl Solver {
    /// Looks at no more than so many places, as long as nobody pauses it. Gives the number it looked at, too.
    pub fn solve(
        &mut self,
        table: &Table,
        start: &Place,
        limit: usize,
        mut pause: impl FnMut() -> bool,
    ) -> (Outcome, usize) {
        self.clear(limit);
        let mut place = *start;
        table.settle(&mut place);
        let mut node = Node { place, from: NONE, step: NOTHING };
        loop {
            let count = self.nodes.len();
            if node.place.is_won() {
                self.nodes.push(node);
                return (Outcome::Won, count);
            }
            if count == limit || count % 4096 == 4095 && pause() {
                return (Outcome::Unknown, count);
            }
            self.look_at(table, node);
            node = loop {
                let Some(Waiting { from, step }) = self.most_urgent() else {
                    return (Outcome::Lost, self.nodes.len());
                };
                let mut place = self.nodes[from as usize].place.at(step.counts);
                table.take_and_see(&mut place, step.macro_action);
                table.settle(&mut place);
                if self.seen.insert(place.key(place.counts)) {
                    break Node { place, from, step };
                }
            };
        }
    }

    /// The way to the win that was found last.
    pub fn way(&self) -> Vec<Step> {
        let mut way = Vec::new();
        let mut at = self.nodes.last();
        while let Some(Node { from, step, .. }) = at.filter(|node| node.from != NONE) {
            way.push(*step);
            at = self.nodes.get(*from as usize);
        }
        way.reverse();
        way
    }

    fn clear(&mut self, limit: usize) {
        self.waiting.resize_with(URGENCIES, Vec::new);
        self.waiting[self.first.min(URGENCIES)..].iter_mut().for_each(Vec::clear);
        self.first = URGENCIES;
        self.nodes.clear();
        self.seen.clear(limit);
    }

    /// Lists the macro-actions that lead away from a place, unless it is another's in disguise.
    #[inline]
    fn look_at(&mut self, table: &Table, mut node: Node) {
        let place = &mut node.place;
        table.look_through(place);
        self.closure.fill(place, table.wanting(place));
        if self.closure.members.len() > 1 {
            for member in &self.closure.members {
                self.seen.insert(place.key(member.counts));
            }
        }
        let from = self.nodes.len() as u32;
        let Solver { closure, waiting, first, .. } = self;
        let now = urgency(place);
        closure.macro_actions(table, place, |member, macro_action| {
            // What follows from the macro-action by itself is not known yet, but what it does is.
            let brought = if place.reach & macro_action.card.bit() != 0 { 1 } else { REVEAL };
            let urgency = now - brought - usize::from(macro_action.founds);
            waiting[urgency].push(Waiting { from, step: Step { counts: member.counts, macro_action } });
            *first = (*first).min(urgency);
        });
        self.nodes.push(node);
    }

    #[inline]
    fn most_urgent(&mut self) -> Option<Waiting> {
        while self.first < URGENCIES {
            if let Some(waiting) = self.waiting[self.first].pop() {
                return Some(waiting);
            }
            self.first += 1;
        }
        None
    }
}

/// What it counts to turn up a card, beside 1 for one that comes from the deck or goes to the foundation.
const REVEAL: usize = 5;

/// The lower the better.
#[inline]
fn urgency(place: &Place) -> usize {
    // As an emptied column counts like a card turned up, there must be room below.
    REVEAL * (place.unseen() as usize + 7) + (place.decked() + 53 - place.founded()) as usize
}

/// A set of keys.
#[derive(Debug, Default)]
struct Seen {
    table: Vec<u64>,
    used: usize,
}

impl Seen {
    /// Empty, with room for what so many places make, or for a start.
    fn clear(&mut self, places: usize) {
        const START: usize = 1 << 16;
        let size = (8 * places).clamp(16, START).next_power_of_two();
        self.table.clear();
        self.table.resize(size, u64::MAX);
        self.used = 0;
    }

    /// Adds a key, and says whether it is new.
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        if 2 * self.used > self.table.len() {
            self.enlarge();
        }
        let mask = self.table.len() - 1;
        let mut at = mix(key) as usize & mask;
        while self.table[at] != u64::MAX {
            if self.table[at] == key {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.table[at] = key;
        self.used += 1;
        true
    }

    #[cold]
    fn enlarge(&mut self) {
        let twice = vec![u64::MAX; 2 * self.table.len()];
        let old = std::mem::replace(&mut self.table, twice);
        self.used = 0;
        old.into_iter().filter(|key| *key != u64::MAX).for_each(|key| {
            self.insert(key);
        });
    }
}

thread_local! {
    static SOLVER: RefCell<Solver> = RefCell::default();
}

/// Whether a bounded search wins with the unseen cards shuffled; and how many places it looked at.
pub fn try_one(
    table: &mut Table,
    place: &Place,
    unseen: u64,
    effort: u32,
    Context { rng, interrupt, .. }: &mut Context,
) -> (bool, u64) {
    let mut cards = [Card(0); CARDS];
    let mut count = 0;
    for card in members(unseen) {
        cards[count] = card;
        count += 1;
    }
    rng.shuffle(&mut cards[..count]);
    table.suppose(place, cards[..count].iter().copied());
    let (outcome, looked_at) =
        SOLVER.with_borrow_mut(|solver| solver.solve(table, place, effort as usize, || interrupt.poll()));
    (outcome == Outcome::Won, looked_at as u64)
}
