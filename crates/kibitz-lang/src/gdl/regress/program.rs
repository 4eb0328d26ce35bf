//! Formulas as a list of operations. From state to state only what is behind a fact that has changed is worked out again,
//! and of that only what a legal action asks for.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kibitz_core::game::Action;
use rustc_hash::{FxHashMap, FxHashSet};

use super::by_action::ByAction;
use super::formula::{Formula, Formulas, Node};

/// What a fact that holds counts, where it need not hold for ever; one that does not counts what is left to 1.
pub const CERTAINTY: f64 = 0.97;
/// What nobody can tell.
const UNKNOWN: f64 = 0.5;
/// The most operations that are listed for actions one by one, for each operation that there is.
const LISTED: usize = 16;
/// The most bits that say which products are behind which fact: 4 MiB of them.
const REACH: usize = 1 << 25;

/// A fact as a formula reads it.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Its number.
    pub fact: u32,
    /// What it counts if it holds: 1 if it then does for ever, else [`CERTAINTY`].
    pub holds: f64,
    /// What it counts if it does not: 0 if it then never will, else the rest.
    pub fails: f64,
}

/// Where a formula's value is found: twice the place of a pair, which is a value and its complement, and one more for
/// the complement. The first pairs are those of the constants, then come the facts and then the products.
type Slot = u32;

/// Pairs of the constants.
const CONSTANTS: [[f64; 2]; 2] = [[0.0, 1.0], [UNKNOWN, UNKNOWN]];

/// A formula that is asked for.
#[derive(Clone, Copy, Debug)]
struct Root {
    slot: Slot,
    /// Where in `needs` it stands which products are behind it.
    needs: [u32; 2],
}

/// Facts of one word of a state that formulas read.
#[derive(Debug)]
struct Watched {
    word: usize,
    mask: u64,
    /// The number of the first of them among all.
    first: usize,
}

/// The formulas of a role's actions, ready to be evaluated.
#[derive(Debug)]
pub struct Program {
    /// Tells programs apart.
    id: u64,
    /// The facts, in the order of their numbers.
    pub leaves: Vec<Leaf>,
    watched: Vec<Watched>,
    /// Products of two slots each, what is needed first.
    products: Vec<[Slot; 2]>,
    /// For each fact, which products it is behind, a bit each. None where these would be too many bits.
    reach: Option<Vec<u64>>,
    /// What all actions that are not listed have; with what all listed ones share.
    common: Root,
    /// By action.
    actions: Vec<Root>,
    /// Products, a bit each, in words.
    needs: Vec<(u32, u64)>,
}

/// Which formulas somebody has come to, and who.
struct Visits {
    by: Vec<u32>,
}

/// Whoever asks for what all actions have in common.
const ALL: u32 = u32::MAX;
/// Whoever asks for what is left, once actions are not told apart any more.
const REST: u32 = 1;

impl Visits {
    fn of(formulas: &Formulas) -> Visits {
        let mut by = vec![0; formulas.len()];
        by[..2].fill(ALL);
        Visits { by }
    }

    /// What is behind a formula, what is needed first, but for what this visitor has seen or all have in common.
    fn behind(&mut self, formulas: &Formulas, root: Formula, visitor: u32) -> Vec<usize> {
        let (mut open, mut found) = (vec![root.node()], Vec::new());
        while let Some(place) = open.pop() {
            if [visitor, ALL].contains(&self.by[place]) {
                continue;
            }
            self.by[place] = visitor;
            found.push(place);
            if let Node::And(a, b) = formulas.node(place) {
                open.extend([a.node(), b.node()]);
            }
        }
        found.sort_unstable();
        found
    }
}

/// Products in the order in which they are worked out: those of an action side by side, as far as that goes.
#[derive(Default)]
struct Order {
    /// The places of the products' formulas.
    products: Vec<usize>,
    number: FxHashMap<usize, usize>,
    facts: FxHashSet<usize>,
    needs: Vec<(u32, u64)>,
}

impl Order {
    /// Takes up formulas that stand in the order of need.
    fn add(&mut self, formulas: &Formulas, places: &[usize]) {
        for place in places {
            if !matches!(formulas.node(*place), Node::And(..)) {
                self.facts.insert(*place);
            } else if !self.number.contains_key(place) {
                self.number.insert(*place, self.products.len());
                self.products.push(*place);
            }
        }
    }

    /// Notes that all of these are needed together.
    fn need(&mut self, places: &[usize]) -> [u32; 2] {
        let begin = self.needs.len();
        let mut numbers: Vec<usize> =
            places.iter().filter_map(|place| self.number.get(place).copied()).collect();
        numbers.sort_unstable();
        for number in numbers {
            let (word, bit) = ((number / 64) as u32, 1 << (number % 64));
            match self.needs[begin..].last_mut() {
                Some((last, mask)) if *last == word => *mask |= bit,
                _ => self.needs.push((word, bit)),
            }
        }
        [begin as u32, self.needs.len() as u32]
    }
}

static PROGRAMS: AtomicU64 = AtomicU64::new(0);

impl Program {
    /// Compiles a role's formulas. `leaf` says what a fact counts.
    pub fn new(formulas: &Formulas, by: &ByAction, actions: usize, leaf: impl Fn(u32) -> Leaf) -> Program {
        // What all actions have in common, then the rest.
        let (mut visits, mut order) = (Visits::of(formulas), Order::default());
        let mut shared = visits.behind(formulas, by.common, ALL);
        order.add(formulas, &shared);
        let (mut own, mut listed, most) = (Vec::new(), 0, LISTED * (formulas.len() + 64));
        for (visitor, (_, formula)) in (REST + 1..).zip(&by.others) {
            let visitor = if listed < most { visitor } else { REST };
            let places = visits.behind(formulas, *formula, visitor);
            order.add(formulas, &places);
            listed += places.len();
            own.push(if listed < most { order.need(&places) } else { [0, 0] });
        }
        if listed >= most {
            // Too many to be told apart: whoever asks for one has all worked out.
            (shared, order.needs) = (order.products.clone(), Vec::new());
            own.fill([0, 0]);
        }
        let needs = order.need(&shared);

        let mut facts: Vec<(u32, usize)> = Vec::with_capacity(order.facts.len());
        facts.extend(order.facts.iter().filter_map(|place| match formulas.node(*place) {
            Node::Fact(number) => Some((number, *place)),
            _ => None,
        }));
        facts.sort_unstable();
        let leaves: Vec<Leaf> = facts.iter().map(|(number, _)| leaf(*number)).collect();
        let mut pair_of: FxHashMap<usize, u32> = [(0, 0), (1, 1)].into_iter().collect();
        let places = facts.iter().map(|(_, place)| place).chain(&order.products);
        pair_of.extend(places.copied().zip(CONSTANTS.len() as u32..));
        let slot = |formula: Formula| 2 * pair_of[&formula.node()] + (formula.number() as u32 & 1);
        let both = |place: &usize| match formulas.node(*place) {
            Node::And(a, b) => [slot(a), slot(b)],
            _ => [0, 0],
        };
        let products: Vec<[Slot; 2]> = order.products.iter().map(both).collect();
        let common = Root { slot: slot(by.common), needs };
        let mut roots = vec![Root { needs: [0, 0], ..common }; actions];
        for ((action, formula), needs) in by.others.iter().zip(own) {
            roots[*action as usize] = Root { slot: slot(*formula), needs };
        }
        Program {
            id: PROGRAMS.fetch_add(1, Relaxed),
            watched: watched(&leaves),
            reach: reach(&products, leaves.len()),
            leaves,
            products,
            common,
            actions: roots,
            needs: order.needs,
        }
    }

    /// How many products there are.
    pub fn len(&self) -> usize {
        self.products.len()
    }

    /// Whether it says the same of all actions in all states.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Appends what the formula of each of these actions comes to, from 0 to 1, where these facts hold: a bit each.
    pub fn evaluate(&self, facts: &[u64], actions: &[Action], values: &mut Vec<f64>) {
        MEMORIES.with_borrow_mut(|memories| {
            let memory = memory_of(self, memories);
            memory.see(self, facts);
            memory.work(self, self.common.needs);
            values.extend(actions.iter().map(|action| {
                let root = self.actions.get(action.0 as usize).unwrap_or(&self.common);
                memory.work(self, root.needs);
                memory.value(root.slot)
            }));
        });
    }
}

/// The facts by the words of a state that they stand in.
fn watched(leaves: &[Leaf]) -> Vec<Watched> {
    let mut words: Vec<Watched> = Vec::new();
    for (number, leaf) in leaves.iter().enumerate() {
        let (word, bit) = (leaf.fact as usize / 64, 1 << (leaf.fact % 64));
        match words.last_mut() {
            Some(last) if last.word == word => last.mask |= bit,
            _ => words.push(Watched { word, mask: bit, first: number }),
        }
    }
    words
}

/// Which products each fact is behind.
fn reach(products: &[[Slot; 2]], leaves: usize) -> Option<Vec<u64>> {
    let (stride, width) = (products.len().div_ceil(64), leaves.div_ceil(64));
    if stride * 64 * leaves > REACH || width * 64 * products.len() > REACH {
        return None;
    }
    let mut behind = vec![0_u64; products.len() * width];
    let mut reach = vec![0_u64; leaves * stride];
    for (number, pair) in products.iter().enumerate() {
        let (done, rest) = behind.split_at_mut(number * width);
        let own = &mut rest[..width];
        for slot in pair {
            match (*slot as usize / 2).checked_sub(CONSTANTS.len()) {
                None => {}
                Some(leaf) if leaf < leaves => own[leaf / 64] |= 1 << (leaf % 64),
                Some(other) => {
                    let theirs = &done[(other - leaves) * width..][..width];
                    own.iter_mut().zip(theirs).for_each(|(own, theirs)| *own |= theirs);
                }
            }
        }
        for (word, mut bits) in own.iter().copied().enumerate() {
            while bits != 0 {
                let leaf = 64 * word + bits.trailing_zeros() as usize;
                reach[leaf * stride + number / 64] |= 1 << (number % 64);
                bits &= bits - 1;
            }
        }
    }
    Some(reach)
}

thread_local! {
    /// The states that this thread has last evaluated, by program.
    static MEMORIES: RefCell<Vec<Memory>> = RefCell::default();
}

/// A thread keeps so many at most,
const MEMORIES_KEPT: usize = 16;
/// and so many pairs in all of them, unless one alone has more: 32 MiB.
const PAIRS_KEPT: usize = 1 << 21;

/// The last state that a program has been evaluated in.
struct Memory {
    program: u64,
    /// Of each word that is watched, which facts held.
    facts: Vec<u64>,
    pairs: Vec<[f64; 2]>,
    /// Products, a bit each, that are behind something that has changed.
    stale: Vec<u64>,
}

/// This thread's memory of a program.
fn memory_of<'a>(program: &Program, memories: &'a mut Vec<Memory>) -> &'a mut Memory {
    let known = memories.iter().position(|memory| memory.program == program.id);
    let place = known.unwrap_or_else(|| {
        let memory = Memory::new(program);
        let mut pairs =
            memories.iter().map(|memory| memory.pairs.len()).sum::<usize>() + memory.pairs.len();
        while !memories.is_empty() && (pairs > PAIRS_KEPT || memories.len() >= MEMORIES_KEPT) {
            pairs -= memories.remove(0).pairs.len();
        }
        memories.push(memory);
        memories.len() - 1
    });
    &mut memories[place]
}

impl Memory {
    /// No fact holds, and no product has been worked out.
    fn new(program: &Program) -> Memory {
        let pair = |leaf: &Leaf| [leaf.fails, 1.0 - leaf.fails];
        let mut pairs: Vec<[f64; 2]> =
            CONSTANTS.into_iter().chain(program.leaves.iter().map(pair)).collect();
        pairs.resize(pairs.len() + program.products.len(), [0.0; 2]);
        Memory {
            program: program.id,
            facts: vec![0; program.watched.len()],
            pairs,
            stale: vec![u64::MAX; program.products.len().div_ceil(64)],
        }
    }

    /// Takes over another state.
    #[inline]
    fn see(&mut self, program: &Program, facts: &[u64]) {
        let Memory { facts: seen, pairs, stale, .. } = self;
        for (Watched { word, mask, first }, seen) in program.watched.iter().zip(seen) {
            let now = facts[*word] & mask;
            let mut changed = now ^ *seen;
            *seen = now;
            while changed != 0 {
                let bit = changed & changed.wrapping_neg();
                changed ^= bit;
                let number = first + (mask & (bit - 1)).count_ones() as usize;
                let leaf = program.leaves[number];
                let value = if now & bit == 0 { leaf.fails } else { leaf.holds };
                pairs[CONSTANTS.len() + number] = [value, 1.0 - value];
                match &program.reach {
                    Some(reach) => {
                        let behind = &reach[number * stale.len()..][..stale.len()];
                        stale.iter_mut().zip(behind).for_each(|(stale, behind)| *stale |= behind);
                    }
                    None => stale.fill(u64::MAX),
                }
            }
        }
    }

    /// Works out what is stale of these products.
    #[inline]
    fn work(&mut self, program: &Program, [begin, end]: [u32; 2]) {
        let first = CONSTANTS.len() + program.leaves.len();
        for (word, mask) in &program.needs[begin as usize..end as usize] {
            let stale = &mut self.stale[*word as usize];
            let mut open = *stale & mask;
            *stale &= !mask;
            while open != 0 {
                let product = 64 * *word as usize + open.trailing_zeros() as usize;
                open &= open - 1;
                let [a, b] = program.products[product];
                let value = self.value(a) * self.value(b);
                self.pairs[first + product] = [value, 1.0 - value];
            }
        }
    }

    #[inline]
    fn value(&self, slot: Slot) -> f64 {
        self.pairs[slot as usize >> 1][slot as usize & 1]
    }
}
