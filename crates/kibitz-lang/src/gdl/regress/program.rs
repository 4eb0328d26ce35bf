//! Formulas as a list of operations: all that a role's legal actions ask for is worked out once for a state.

use std::cell::RefCell;

use kibitz_core::game::Action;
use rustc_hash::FxHashMap;

use super::by_action::ByAction;
use super::formula::{Formula, Formulas, Node};

/// What a fact that holds counts, where it need not hold for ever; one that does not counts what is left to 1.
pub const CERTAINTY: f64 = 0.97;
/// What nobody can tell.
const UNKNOWN: f64 = 0.5;
/// The most operations that are listed for actions one by one, for each operation that there is.
const LISTED: usize = 16;

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

/// The formulas of a role's actions, ready to be evaluated. A value and its complement stand side by side: formula
/// number n, negated or not, is slot n.
#[derive(Debug)]
pub struct Program {
    /// The facts; their slots come first, after the constants'.
    pub leaves: Vec<Leaf>,
    /// Products of two slots each, what is needed first.
    products: Vec<[u32; 2]>,
    /// Of these, how many all actions have in common.
    shared: usize,
    /// The slot of all actions that are not listed.
    common: u32,
    /// By action: its slot, and where in `own` the products stand that it needs beside the shared ones.
    actions: FxHashMap<u32, (u32, [u32; 2])>,
    /// Which products actions need beside the shared ones; empty if these are so many that all are worked out.
    own: Vec<u32>,
}

thread_local! {
    static SLOTS: RefCell<Vec<f64>> = RefCell::default();
}

/// Which formulas somebody has come to, and who.
struct Visits {
    by: Vec<u32>,
}

/// Whoever asks for what all actions have in common.
const ALL: u32 = u32::MAX;

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

impl Program {
    /// Compiles a role's formulas. `leaf` says what a fact counts.
    pub fn new(formulas: &Formulas, by: &ByAction, leaf: impl Fn(u32) -> Leaf) -> Program {
        // What all actions have in common, then the rest.
        let mut visits = Visits::of(formulas);
        let mut order = visits.behind(formulas, by.common, ALL);
        let is_product = |place: &usize| matches!(formulas.node(*place), Node::And(..));
        let shared = order.iter().filter(|place| is_product(place)).count();
        let mut rest: Vec<usize> = Vec::new();
        for (_, formula) in &by.others {
            rest.extend(visits.behind(formulas, *formula, 1));
        }
        rest.sort_unstable();
        order.extend(rest);
        let facts = order.iter().filter(|place| !is_product(place));
        let products: Vec<usize> = order.iter().copied().filter(is_product).collect();
        let mut slot_of: FxHashMap<usize, u32> = [(0, 0), (1, 2)].into_iter().collect();
        let mut leaves = Vec::new();
        for place in facts {
            slot_of.insert(*place, 4 + 2 * leaves.len() as u32);
            if let Node::Fact(number) = formulas.node(*place) {
                leaves.push(leaf(number));
            }
        }
        let first = 4 + 2 * leaves.len() as u32;
        for (number, place) in (0..).zip(&products) {
            slot_of.insert(*place, first + 2 * number);
        }
        let slot = |formula: Formula| slot_of[&formula.node()] + (formula.number() as u32 & 1);
        let both = |place: &usize| match formulas.node(*place) {
            Node::And(a, b) => [slot(a), slot(b)],
            _ => [0, 0],
        };
        let (mut own, mut actions, most) =
            (Vec::new(), FxHashMap::default(), LISTED * (products.len() + 64));
        for (visitor, (action, formula)) in (2..).zip(&by.others) {
            let begin = own.len() as u32;
            if own.len() < most {
                let needed = visits.behind(formulas, *formula, visitor);
                own.extend(needed.iter().filter(|place| is_product(place)).map(|place| slot_of[place]));
            }
            actions.insert(*action, (slot(*formula), [begin, own.len() as u32]));
        }
        if own.len() >= most {
            own.clear();
        }
        Program {
            common: slot(by.common),
            products: products.iter().map(both).collect(),
            shared,
            leaves,
            actions,
            own,
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

    /// Appends what the formula of each of these actions comes to, from 0 to 1.
    pub fn evaluate(&self, holds: impl Fn(u32) -> bool, actions: &[Action], values: &mut Vec<f64>) {
        // What each action needs by itself, or all at once, whichever is less: some need the same.
        let alone = |action: &Action| {
            self.actions.get(&action.0).map_or(0, |(_, [begin, end])| (end - begin) as usize)
        };
        let all = self.own.is_empty()
            || self.shared + actions.iter().map(alone).sum::<usize>() >= self.products.len();
        SLOTS.with_borrow_mut(|slots| {
            let first = 4 + 2 * self.leaves.len();
            slots.resize(slots.len().max(first + 2 * self.products.len()), 0.0);
            slots[..4].copy_from_slice(&[0.0, 1.0, UNKNOWN, UNKNOWN]);
            for (pair, leaf) in slots[4..first].chunks_exact_mut(2).zip(&self.leaves) {
                let value = if holds(leaf.fact) { leaf.holds } else { leaf.fails };
                (pair[0], pair[1]) = (value, 1.0 - value);
            }
            let work = |slots: &mut [f64], product: usize| {
                let [a, b] = self.products[product];
                let value = slots[a as usize] * slots[b as usize];
                slots[first + 2 * product] = value;
                slots[first + 2 * product + 1] = 1.0 - value;
            };
            for product in 0..if all { self.products.len() } else { self.shared } {
                work(slots, product);
            }
            values.extend(actions.iter().map(|action| {
                let Some((slot, [begin, end])) = self.actions.get(&action.0) else {
                    return slots[self.common as usize];
                };
                if !all {
                    for own in &self.own[*begin as usize..*end as usize] {
                        work(slots, (*own as usize - first) / 2);
                    }
                }
                slots[*slot as usize]
            }));
        });
    }
}
