//! Klondike with all cards known: is there a way to win?
//!
//! Best first over [places](super::quotient): those with the fewest cards face down, then the fewest left in the
//! deck. A place is looked at once. When there is nothing left to look at, there is no way.

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

/// Buckets of the queue: a place's urgency is below this.
const URGENCIES: usize = 1024;
const EXPANDED: u64 = 1 << 63;
const NONE: u32 = u32::MAX;

/// Looks for wins, again and again, in the same memory.
#[derive(Debug, Default)]
pub struct Solver {
    waiting: Vec<Vec<u32>>,
    nodes: Vec<Node>,
    seen: Seen,
    closure: Closure,
    /// The most urgent bucket that may have something in it.
    first: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    place: Place,
    from: u32,
    /// The member of the closure of `from` at which the move was made.
    counts: u16,
    stride: Stride,
}

impl Solver {
    /// Looks at no more than so many places. Gives the number it looked at, too.
    pub fn solve(&mut self, table: &Table, start: &Place, limit: usize) -> (Outcome, usize) {
        self.waiting.resize_with(URGENCIES, Vec::new);
        self.waiting.iter_mut().for_each(Vec::clear);
        self.nodes.clear();
        self.seen.clear(limit);
        self.first = URGENCIES;
        let mut start = *start;
        table.settle(&mut start);
        if start.is_won() {
            return (Outcome::Won, 0);
        }
        self.add(Node { place: start, from: NONE, counts: start.counts, stride: Stride { card: Card(0), founds: false } });
        let mut count = 0;
        let mut closure = std::mem::take(&mut self.closure);
        let mut outcome = Outcome::Lost;
        while let Some(index) = self.most_urgent() {
            let mut place = self.nodes[index as usize].place;
            table.look_through(&mut place);
            closure.fill(&place, table.wanting(&place));
            if !self.seen.insert(place.key(closure.name()) | EXPANDED) {
                continue;
            }
            if closure.members.len() > 1 {
                for member in &closure.members {
                    self.seen.insert(place.key(member.counts));
                }
            }
            count += 1;
            if count > limit {
                outcome = Outcome::Unknown;
                break;
            }
            let mut won = false;
            closure.strides(table, &place, |member, stride| {
                let mut after = place.at(member);
                table.take_and_see(&mut after, stride);
                table.settle(&mut after);
                won |= after.is_won();
                self.add(Node { place: after, from: index, counts: member.counts, stride });
            });
            if won {
                outcome = Outcome::Won;
                break;
            }
        }
        self.closure = closure;
        (outcome, count)
    }

    fn add(&mut self, node: Node) {
        if !self.seen.insert(node.place.key(node.place.counts)) {
            return;
        }
        let urgency = urgency(&node.place);
        self.waiting[urgency].push(self.nodes.len() as u32);
        self.nodes.push(node);
        self.first = self.first.min(urgency);
    }

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
fn urgency(place: &Place) -> usize {
    (place.unseen() * W[0] + place.decked() * W[1] + (52 - place.founded()) * W[2]).min(URGENCIES as u32 - 1) as usize
}
pub static W: std::sync::LazyLock<Vec<u32>> = std::sync::LazyLock::new(|| std::env::var("W").unwrap_or("5,1,1".into()).split(',').map(|w| w.parse().unwrap()).collect());

/// A set of keys.
#[derive(Debug, Default)]
struct Seen {
    table: Vec<u64>,
    used: usize,
}

impl Seen {
    /// Empty, with room for so many, or for a start.
    fn clear(&mut self, expected: usize) {
        let size = (4 * expected.min(1 << 16)).next_power_of_two().max(16);
        self.table.clear();
        self.table.resize(size, u64::MAX);
        self.used = 0;
    }

    /// Whether it is new.
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        if 4 * self.used > 3 * self.table.len() {
            let old = std::mem::take(&mut self.table);
            self.table = vec![u64::MAX; 2 * old.len()];
            self.used = 0;
            old.into_iter().filter(|key| *key != u64::MAX).for_each(|key| {
                self.insert(key);
            });
        }
        let mask = self.table.len() - 1;
        let mut at = kibitz_core::rng::mix(key) as usize & mask;
        loop {
            match self.table[at] {
                u64::MAX => break,
                known if known == key => return false,
                _ => at = (at + 1) & mask,
            }
        }
        self.table[at] = key;
        self.used += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::klondike::cards::CARDS;
    use crate::klondike::position::Position;
    use kibitz_core::rng::Rng;

    fn deal(seed: u64) -> Position {
        let mut pack: [Card; CARDS] = std::array::from_fn(|card| Card(card as u8));
        Rng::new(seed).shuffle(&mut pack);
        Position::deal(&pack)
    }

    fn cpu() -> f64 {
        let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
    }

    #[test]
    #[ignore]
    fn rates() {
        let deals: u64 = std::env::var("DEALS").ok().and_then(|d| d.parse().ok()).unwrap_or(1000);
        let mut solver = Solver::default();
        for limit in [100, 1000, 100_000, 1_000_000, 4_000_000].into_iter().filter(|l| *l <= std::env::var("MAX").map_or(1000, |m| m.parse().unwrap())) {
            if limit > 10000 && deals > 1000 { break; }
            let begun = cpu();
            let (mut won, mut lost, mut places) = (0, 0, 0);
            for seed in 0..deals {
                let position = deal(seed);
                let table = Table::new(&position, 3);
                let (outcome, count) = solver.solve(&table, &table.place(&position), limit);
                won += u32::from(outcome == Outcome::Won);
                lost += u32::from(outcome == Outcome::Lost);
                places += count;
            }
            let t = cpu() - begun;
            println!("{limit:7}: won {:.1} % lost {:.1} %  {:.1} us a deal, {:.0} ns a place", 100.0 * f64::from(won) / deals as f64, 100.0 * f64::from(lost) / deals as f64, t / deals as f64 * 1e6, t * 1e9 / places as f64);
        }
    }
}
