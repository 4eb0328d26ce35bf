//! Formulas as a list of operations. From state to state only what is behind a fact that has changed is worked out again,
//! and of that only what a legal action asks for.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kibitz_core::game::Action;
use rustc_hash::{FxHashMap, FxHashSet};

use super::by_action::ByAction;
use super::formula::{Formula, Formulas, Node};
use super::graph::{CONSTANTS, Graph, Slot, Values};

/// What a fact that holds counts, where it need not hold for ever; one that does not counts what is left to 1.
pub const CERTAINTY: f64 = 0.97;
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

/// What an action asks for: places in a code's `changes` and `needs`.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    changes: [u32; 2],
    needs: [u32; 2],
}

/// Formulas by action, compiled.
#[derive(Debug)]
struct Code {
    /// The numbers of the facts that are its leaves, in their order.
    facts: Vec<u32>,
    graph: Graph,
    /// Where each formula is found for all actions that do not change it,
    common: Vec<Slot>,
    /// and what these need.
    needed: [u32; 2],
    actions: Vec<Asked>,
    /// Formulas, by their numbers, that are others for an action.
    changes: Vec<(u32, Slot)>,
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
        by[..CONSTANTS.len()].fill(ALL);
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

impl Code {
    /// Compiles some formulas of all actions.
    fn new(formulas: &Formulas, all: &[ByAction], actions: usize) -> Code {
        let mut others: Vec<Vec<(u32, Formula)>> = vec![Vec::new(); actions];
        for (number, by) in (0..).zip(all) {
            by.others
                .iter()
                .for_each(|(action, formula)| others[*action as usize].push((number, *formula)));
        }
        // What all actions have in common, then the rest.
        let (mut visits, mut order) = (Visits::of(formulas), Order::default());
        let mut shared: Vec<usize> =
            all.iter().flat_map(|by| visits.behind(formulas, by.common, ALL)).collect();
        shared.sort_unstable();
        order.add(formulas, &shared);
        let (mut own, mut listed, most) = (Vec::new(), 0, LISTED * (formulas.len() + 64));
        for (visitor, changed) in (REST + 1..).zip(&others) {
            let visitor = if listed < most { visitor } else { REST };
            let mut places: Vec<usize> = changed
                .iter()
                .flat_map(|(_, formula)| visits.behind(formulas, *formula, visitor))
                .collect();
            places.sort_unstable();
            order.add(formulas, &places);
            listed += places.len();
            own.push(if listed < most { order.need(&places) } else { [0, 0] });
        }
        if listed >= most {
            // Too many to be told apart: whoever asks for one has all worked out.
            (shared, order.needs) = (order.products.clone(), Vec::new());
            own.fill([0, 0]);
        }
        let needed = order.need(&shared);

        let mut facts: Vec<(u32, usize)> = Vec::with_capacity(order.facts.len());
        facts.extend(order.facts.iter().filter_map(|place| match formulas.node(*place) {
            Node::Fact(number) => Some((number, *place)),
            _ => None,
        }));
        facts.sort_unstable();
        let mut pair_of: FxHashMap<usize, u32> = [(0, 0), (1, 1)].into_iter().collect();
        let places = facts.iter().map(|(_, place)| place).chain(&order.products);
        pair_of.extend(places.copied().zip(CONSTANTS.len() as u32..));
        let slot = |formula: Formula| 2 * pair_of[&formula.node()] + (formula.number() as u32 & 1);
        let both = |place: &usize| match formulas.node(*place) {
            Node::And(a, b) => [slot(a), slot(b)],
            _ => [0, 0],
        };
        let mut changes = Vec::new();
        let mut asked = |(changed, needs): (&Vec<(u32, Formula)>, [u32; 2])| {
            let begin = changes.len() as u32;
            changes.extend(changed.iter().map(|(number, formula)| (*number, slot(*formula))));
            Asked { changes: [begin, changes.len() as u32], needs }
        };
        Code {
            actions: others.iter().zip(own).map(&mut asked).collect(),
            graph: Graph::new(facts.len(), order.products.iter().map(both).collect()),
            facts: facts.into_iter().map(|(number, _)| number).collect(),
            common: all.iter().map(|by| slot(by.common)).collect(),
            needed,
            changes,
            needs: order.needs,
        }
    }

    fn needs(&self, [begin, end]: [u32; 2]) -> &[(u32, u64)] {
        &self.needs[begin as usize..end as usize]
    }

    fn changes(&self, [begin, end]: [u32; 2]) -> &[(u32, Slot)] {
        &self.changes[begin as usize..end as usize]
    }

    #[inline]
    fn asked(&self, action: Action) -> Asked {
        self.actions.get(action.0 as usize).copied().unwrap_or_default()
    }
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
    /// The actions' formulas; or, where the goal is kept apart, those of the facts after the step that it reads.
    code: Code,
    /// The goal over these.
    goal: Option<Code>,
}

static PROGRAMS: AtomicU64 = AtomicU64::new(0);

impl Program {
    /// Compiles a role's formulas. `leaf` says what a fact counts.
    pub fn new(formulas: &Formulas, by: ByAction, actions: usize, leaf: impl Fn(u32) -> Leaf) -> Program {
        Program::of(Code::new(formulas, &[by], actions), None, leaf)
    }

    /// Compiles a goal over facts after the step, and the formulas of these facts, by their numbers there.
    pub fn apart(
        (goal, root): (&Formulas, Formula),
        (formulas, after): (&Formulas, &[ByAction]),
        actions: usize,
        leaf: impl Fn(u32) -> Leaf,
    ) -> Program {
        let goal = Code::new(goal, &[ByAction::all(root)], 0);
        let read: Vec<ByAction> = goal.facts.iter().map(|fact| after[*fact as usize].clone()).collect();
        Program::of(Code::new(formulas, &read, actions), Some(goal), leaf)
    }

    fn of(code: Code, goal: Option<Code>, leaf: impl Fn(u32) -> Leaf) -> Program {
        let leaves: Vec<Leaf> = code.facts.iter().map(|fact| leaf(*fact)).collect();
        Program { id: PROGRAMS.fetch_add(1, Relaxed), watched: watched(&leaves), leaves, code, goal }
    }

    /// How many products there are.
    pub fn len(&self) -> usize {
        self.code.graph.products.len() + self.goal.as_ref().map_or(0, |goal| goal.graph.products.len())
    }

    /// Whether it says the same of all actions in all states.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Whether the goal is not made one formula with what an action brings about.
    pub fn is_apart(&self) -> bool {
        self.goal.is_some()
    }

    /// Appends what the formula of each of these actions comes to, from 0 to 1, where these facts hold: a bit each.
    pub fn evaluate(&self, facts: &[u64], actions: &[Action], values: &mut Vec<f64>) {
        MEMORIES.with_borrow_mut(|memories| {
            let Memory { facts: seen, now, after, .. } = memory_of(self, memories);
            self.see(facts, seen, now);
            let Program { code, goal, .. } = self;
            now.want(code.needs(code.needed));
            actions.iter().for_each(|action| now.want(code.needs(code.asked(*action).needs)));
            now.work(&code.graph);
            let (Some(goal), Some(after)) = (goal, after) else {
                values.extend(actions.iter().map(|action| {
                    let changes = code.changes(code.asked(*action).changes);
                    now.value(changes.first().map_or(code.common[0], |(_, slot)| *slot))
                }));
                return;
            };
            for (number, slot) in code.common.iter().enumerate() {
                after.set(&goal.graph, number, now.value(*slot));
            }
            after.want(goal.needs(goal.needed));
            after.work(&goal.graph);
            values.extend(actions.iter().map(|action| {
                let changes = code.changes(code.asked(*action).changes);
                let changed = changes.iter().map(|(number, slot)| (*number, now.value(*slot)));
                after.try_out(&goal.graph, changed, goal.common[0])
            }));
        });
    }

    /// Takes over another state.
    #[inline]
    fn see(&self, facts: &[u64], seen: &mut [u64], now: &mut Values) {
        for (Watched { word, mask, first }, seen) in self.watched.iter().zip(seen) {
            let held = facts[*word] & mask;
            let mut changed = held ^ *seen;
            *seen = held;
            while changed != 0 {
                let bit = changed & changed.wrapping_neg();
                changed ^= bit;
                let number = first + (mask & (bit - 1)).count_ones() as usize;
                let leaf = self.leaves[number];
                now.set(&self.code.graph, number, if held & bit == 0 { leaf.fails } else { leaf.holds });
            }
        }
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
    now: Values,
    /// After the step, where the goal is kept apart: what all actions have in common.
    after: Option<Values>,
}

impl Memory {
    /// No fact holds.
    fn new(program: &Program) -> Memory {
        let mut now = Values::new(&program.code.graph);
        for (number, leaf) in program.leaves.iter().enumerate() {
            now.set(&program.code.graph, number, leaf.fails);
        }
        Memory {
            program: program.id,
            facts: vec![0; program.watched.len()],
            now,
            after: program.goal.as_ref().map(|goal| Values::new(&goal.graph)),
        }
    }

    fn pairs(&self) -> usize {
        self.now.pairs() + self.after.as_ref().map_or(0, Values::pairs)
    }
}

/// This thread's memory of a program.
fn memory_of<'a>(program: &Program, memories: &'a mut Vec<Memory>) -> &'a mut Memory {
    let known = memories.iter().position(|memory| memory.program == program.id);
    let place = known.unwrap_or_else(|| {
        let memory = Memory::new(program);
        let mut pairs = memories.iter().map(Memory::pairs).sum::<usize>() + memory.pairs();
        while !memories.is_empty() && (pairs > PAIRS_KEPT || memories.len() >= MEMORIES_KEPT) {
            pairs -= memories.remove(0).pairs();
        }
        memories.push(memory);
        memories.len() - 1
    });
    &mut memories[place]
}
