//! Klondike with all cards known: is there a way to win?
//!
//! Best first over [places](super::quotient): those with the fewest cards face down, then with the fewest left in
//! the deck and the most on the foundations. No place is looked at twice. When there is nothing left to look at,
//! there is no way.

use kibitz_core::rng::mix;

use super::cards::Card;
use super::quotient::{Closure, Place, Stride, Table};

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
const URGENCIES: usize = 192;
/// Marks the key of a place that was looked at, beside those of positions that were come across.
const LOOKED_AT: u64 = 1 << 63;
/// No place.
const NONE: u32 = u32::MAX;

/// Looks for wins, again and again, in the same memory.
#[derive(Debug, Default)]
pub struct Solver {
    /// For each urgency, the places that wait to be looked at, the latest last.
    waiting: Vec<Vec<u32>>,
    /// No place that waits is more urgent.
    first: usize,
    nodes: Vec<Node>,
    seen: Seen,
    closure: Closure,
    /// The place that is won.
    won: Option<u32>,
}

/// A place that was come across, and how.
#[derive(Clone, Copy, Debug)]
struct Node {
    place: Place,
    from: u32,
    step: Step,
}

/// A stride, and the foundations of the position at which it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// As [`Place::counts`].
    pub counts: u16,
    /// The move.
    pub stride: Stride,
}

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
        let mut start = *start;
        table.settle(&mut start, |_| {});
        let nothing = Stride { card: Card(0), founds: false };
        self.add(Node { place: start, from: NONE, step: Step { counts: start.counts, stride: nothing } });
        let mut closure = std::mem::take(&mut self.closure);
        let mut count = 0;
        while let (Some(index), None) = (self.most_urgent(), self.won) {
            let mut place = self.nodes[index as usize].place;
            table.look_through(&mut place);
            closure.fill(&place, table.wanting(&place));
            if !self.seen.insert(place.key(closure.name()) | LOOKED_AT) {
                continue;
            }
            if count == limit || count % 4096 == 4095 && pause() {
                self.closure = closure;
                return (Outcome::Unknown, count);
            }
            count += 1;
            if closure.members.len() > 1 {
                closure.members.iter().for_each(|member| {
                    self.seen.insert(place.key(member.counts));
                });
            }
            closure.strides(table, &place, |member, stride| {
                let mut after = place.at(member);
                table.take_and_see(&mut after, stride);
                table.settle(&mut after, |_| {});
                self.add(Node { place: after, from: index, step: Step { counts: member.counts, stride } });
            });
        }
        self.closure = closure;
        (if self.won.is_some() { Outcome::Won } else { Outcome::Lost }, count)
    }

    /// The way to the win that was found last.
    pub fn way(&self) -> Vec<Step> {
        let node = |index: u32| self.nodes.get(index as usize);
        let mut at = self.won.and_then(node);
        let mut way = Vec::new();
        while let Some(Node { from, step, .. }) = at {
            if *from != NONE {
                way.push(*step);
            }
            at = node(*from);
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
        self.won = None;
    }

    #[inline]
    fn add(&mut self, node: Node) {
        if !self.seen.insert(node.place.key(node.place.counts)) {
            return;
        }
        let index = self.nodes.len() as u32;
        if node.place.is_won() {
            self.won = Some(index);
        }
        let urgency = urgency(&node.place);
        self.waiting[urgency].push(index);
        self.first = self.first.min(urgency);
        self.nodes.push(node);
    }

    #[inline]
    fn most_urgent(&mut self) -> Option<u32> {
        while self.first < URGENCIES {
            if let Some(index) = self.waiting[self.first].pop() {
                return Some(index);
            }
            self.first += 1;
        }
        None
    }
}

/// The lower the better.
#[inline]
fn urgency(place: &Place) -> usize {
    (5 * place.unseen() + place.decked() + 52 - place.founded()) as usize
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
