//! Selections: which edge a simulation takes.
//!
//! A selection is a part: one file that registers itself, with its parameters and what it needs. UCB1 (`ucb1.rs`) is
//! compiled into the search; all others are asked through the trait. What a selection keeps of each edge, beside visits
//! and returns, stands in columns that exist only where one wants them (`tree/columns.rs`).

mod bias;
mod heuristic;
mod rave;
mod regret;
mod reversal;
mod ucb1;
mod uniform;

use std::sync::atomic::Ordering::Relaxed;

use super::tree::{Edge, NodeId, Tree};
use crate::game::Action;
use crate::keys::KeyMap;
use crate::part::{Needs, PartSpec, Usual, kind};
use crate::planner::Judgement;
use crate::playout::{Context, Trace, move_key};
use crate::position::Position;
use crate::rng::Rng;

pub(super) use ucb1::{Rule, Ucb1, select};

/// A node at which somebody is to choose.
pub struct Choices<'a> {
    pub(super) tree: &'a Tree,
    pub(super) node: NodeId,
    /// What it may choose, in the order in which it was listed.
    pub(super) edges: &'a [Edge],
    /// What edges are worth, where that is not the mean of their returns.
    pub(super) values: Option<&'a [f64]>,
    /// What is legal in the present world, sorted, where that need not be all; and whether an edge counts how often it was
    /// on offer.
    pub(super) offered: Option<(&'a [Action], bool)>,
    /// Others choose without seeing which, at the same time or later: players who all follow a fixed rule would fall into
    /// step and take each other's choices for laws of nature.
    pub(super) unseen: bool,
    /// Whether UCB1 scales exploration at random because of that.
    pub(super) jitter: bool,
    pub(super) rule: &'a Rule,
}

impl<'a> Choices<'a> {
    /// A node all of whose actions can be chosen.
    pub(super) fn new(tree: &'a Tree, node: NodeId, rule: &'a Rule) -> Choices<'a> {
        let edges = tree.edges(node);
        Choices { tree, node, edges, values: None, offered: None, unseen: false, jitter: false, rule }
    }

    /// Whether an edge can be chosen in the present world.
    pub(super) fn is_offered(&self, edge: &Edge) -> bool {
        self.offered.is_none_or(|(legal, _)| legal.binary_search(&edge.action()).is_ok())
    }

    /// How often simulations came here.
    fn visits(&self) -> u32 {
        self.tree.node(self.node).visits.load(Relaxed)
    }

    /// What the edge of this number is worth, without exploration.
    pub(super) fn value(&self, index: usize) -> f64 {
        self.values.map_or_else(|| self.rule.value(self.tree, &self.edges[index]), |values| values[index])
    }

    /// A number that the selection keeps of an edge.
    fn column(&self, column: usize, index: usize) -> f64 {
        self.tree.column(column, self.tree.first_edge(self.node) as usize + index)
    }

    /// A key that the selection keeps of an edge, in two columns.
    fn key(&self, column: usize, index: usize) -> u64 {
        let at = self.tree.first_edge(self.node) as usize + index;
        u64::from(self.tree.bits(column, at)) << 32 | u64::from(self.tree.bits(column + 1, at))
    }

    /// Sets it.
    fn set_key(&self, column: usize, index: usize, key: u64) {
        let at = self.tree.first_edge(self.node) as usize + index;
        self.tree.set_bits(column, at, (key >> 32) as u32);
        self.tree.set_bits(column + 1, at, key as u32);
    }

    /// Sets a number.
    fn set_column(&self, column: usize, index: usize, value: f64) {
        self.tree.set_column(column, self.tree.first_edge(self.node) as usize + index, value);
    }
}

/// The moves of a simulation from some choice on.
#[derive(Default)]
pub struct Later(KeyMap<()>);

impl Later {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds some of the moves that were made.
    pub(super) fn extend(&mut self, trace: &Trace, from: usize, to: usize) {
        let made = &trace.moves[from..to.min(trace.moves.len())];
        self.0.extend(made.iter().map(|&(player, action)| (move_key(player, action), ())));
    }

    /// Whether a move was made, by its [`move_key`].
    fn has(&self, key: u64) -> bool {
        self.0.contains_key(&key)
    }
}

/// What speaks for an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Merit {
    /// What it is taken to be worth, to which exploration is added.
    Worth(f64),
    /// It comes before all that were tried; of several such the one with the highest number, or at once, if that is infinite.
    First(f64),
}

/// The share that an estimate has which is known sooner than the mean, and less reliable: as large as the mean's at the
/// `k`th visit of a node.
fn early_share(k: f64, visits: u32) -> f64 {
    if k > 0.0 { (k / (3.0 * f64::from(visits) + k)).sqrt() } else { 0.0 }
}

/// An edge's number among its node's, and how probable it was, where the selection wants to be told of that later.
pub type Picked = (usize, Option<f64>);

/// Room for numbers that are used again and again.
#[derive(Default)]
pub struct Scratch {
    regrets: Vec<f64>,
    strategy: Vec<f64>,
}

/// How edges are chosen.
pub trait Selection: Send + Sync {
    /// What it cannot do without.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether it is UCB1, which is compiled into the search.
    fn is_ucb1(&self) -> bool {
        false
    }

    /// Whether it draws by chance, so that players who do not see each other do not fall into step.
    fn draws(&self) -> bool {
        false
    }

    /// Whether it reads the exploration constant, and the expansion.
    fn explores(&self) -> bool {
        !self.draws()
    }

    /// How many numbers it keeps of each edge.
    fn columns(&self) -> usize {
        0
    }

    /// How many of the places where the player has been last it asks for, if it does: [`Selection::arrived`] then tells.
    fn looks_back(&self) -> Option<usize> {
        None
    }

    /// The edge of this number led to a place where the player has been lately, or to another.
    fn arrived(&self, at: &Choices, chosen: usize, is_recent: bool) {
        let _ = (at, chosen, is_recent);
    }

    /// A node's actions have just been listed.
    fn prepare(&self, at: &Choices, position: &dyn Position, player: usize, context: &mut Context) {
        let _ = (at, position, player, context);
    }

    /// What speaks for an edge that was tried so often, before exploration is added: of UCB1, the mean of its returns.
    fn merit(&self, at: &Choices, index: usize, tried: u32) -> Merit {
        if tried > 0 { Merit::Worth(at.value(index)) } else { Merit::First(0.0) }
    }

    /// Chooses an edge; none, where none that it would choose is on offer. If nothing else is said, the one with the
    /// highest upper confidence bound.
    fn pick(&self, at: &Choices, _: &mut Scratch, rng: &mut Rng) -> Option<Picked> {
        let explore = at.rule.explore(at.visits());
        let (mut best, mut highest) = (None, (false, f64::NEG_INFINITY));
        for (index, edge) in at.edges.iter().enumerate().filter(|(_, edge)| at.is_offered(edge)) {
            let n = edge.visits.load(Relaxed);
            let bound = match self.merit(at, index, n) {
                Merit::First(f64::INFINITY) => return Some((index, None)),
                Merit::First(preference) => (true, preference),
                Merit::Worth(value) => {
                    let jitter = if at.jitter { 0.5 + rng.unit() } else { 1.0 };
                    (false, value + jitter * explore / f64::from(n.max(1)).sqrt())
                }
            };
            if best.is_none() || bound > highest {
                (best, highest) = (Some(index), bound);
            }
        }
        best.map(|index| (index, None))
    }

    /// What came of a choice: the return from there on, and, where [`Needs::trace`] is set, the moves from there on.
    fn update(&self, at: &Choices, chosen: Picked, sample: f64, later: &Later) {
        let _ = (at, chosen, sample, later);
    }

    /// The probability of each action that the selection stands for, given the evidence at the root. `Some(spread)`, the
    /// spread of returns, adds the exploration of the tree. None where it is the action with the best value.
    fn strategy(&self, table: &[Judgement], exploring: Option<f64>) -> Option<Vec<f64>> {
        let _ = (table, exploring);
        None
    }
}

kind!(dyn Selection, "selection");

impl Usual for dyn Selection {
    fn usual() -> Box<Self> {
        Box::new(Ucb1)
    }
}

/// A selection as it is asked for.
pub type SelectionSpec = PartSpec<dyn Selection>;

/// Registers a selection; see [`register_part!`](crate::register_part).
macro_rules! register_selection {
    ($($of:tt)*) => { $crate::register_part!(dyn $crate::search::select::Selection, $($of)*); };
}
use register_selection;
