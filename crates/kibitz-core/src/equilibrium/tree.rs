//! A whole game as flat arrays: its tree, for those who sample it, and its sequence form, for those who
//! look at all of it.
//!
//! An information set is what a player has done and seen ([`crate::view`]), so that nobody
//! ever forgets, and a *sequence* is a player's own actions up to some point: an information set and one of
//! its actions, or nothing yet.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use super::payoffs::Payoffs;
use crate::game::Action;

/// What happens at a node, if no player moves there.
pub(super) const OVER: u32 = u32::MAX;
pub(super) const CHANCE: u32 = u32::MAX - 1;

/// One history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The probability with which chance comes here, where it is chance who does.
    pub p: f64,
    /// Whose information set, by its number; or chance's turn; or the end.
    pub what: u32,
    /// The first of its successors, which lie side by side; at the end, the number of the ending.
    pub first: u32,
    /// How many successors there are.
    pub count: u32,
}

/// One decision of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    /// Whose.
    pub player: u32,
    /// How many actions there are.
    pub count: u32,
    /// The sequence of the first of them; the others follow.
    pub first: u32,
    /// The sequence that leads here.
    pub parent: u32,
}

impl Set {
    /// The sequences that go on from here, one an action.
    #[inline]
    pub fn sequences(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// One player's side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Its information sets: none before one that leads to it.
    pub sets: Range<usize>,
    /// Its sequences; the first is the empty one.
    pub sequences: Range<usize>,
}

/// A game written out.
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    /// For each node, the one before it, and what was done there.
    pub(super) trace: Vec<(u32, Action)>,
    /// All information sets, the first player's first.
    pub sets: Vec<Set>,
    /// Each player's part of the information sets and sequences.
    pub sides: Vec<Side>,
    /// For each sequence its last action.
    pub actions: Vec<Action>,
    /// A node of each information set.
    pub(super) found: Vec<u32>,
    /// The sequences of all players that come to each ending.
    pub(super) endings: Vec<u32>,
    /// What each player gets there.
    pub(super) returns: Vec<f64>,
    /// How probable chance makes it.
    pub(super) chance: Vec<f64>,
    pub(super) payoffs: OnceLock<Payoffs>,
}

/// Why a game was not written out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// It has more nodes than these.
    Large(usize),
    /// Chance is only drawn.
    Drawn,
    /// Somebody wanted to stop.
    Interrupted,
    /// The game breaks its contract, in a sentence.
    Broken(String),
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritten::Large(nodes) => write!(
                f,
                "the game has more than {nodes} nodes; allow more, take smaller parameters, or use \
                 method=external-sampling, which needs no whole tree"
            ),
            Unwritten::Drawn => f.write_str(
                "this needs explicit probabilities of chance, which the game lacks; \
                 method=external-sampling does not",
            ),
            Unwritten::Interrupted => f.write_str("interrupted"),
            Unwritten::Broken(what) => f.write_str(what),
        }
    }
}

impl Tree {
    /// How many players there are.
    pub fn players(&self) -> usize {
        self.sides.len()
    }

    /// What sequences get, worked out when it is first asked for.
    pub(super) fn payoffs(&self) -> &Payoffs {
        self.payoffs.get_or_init(|| Payoffs::new(self))
    }

    /// How many histories there are.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The information sets in which the first decisions are made, chance alone having moved; of movers at
    /// the same time, the first one's.
    pub fn opening(&self) -> Vec<usize> {
        let mut sets = Vec::new();
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Node { what, first, count, .. } = self.nodes[at as usize];
            match what {
                OVER => {}
                CHANCE => open.extend((first..first + count).rev()),
                set if !sets.contains(&(set as usize)) => sets.push(set as usize),
                _ => {}
            }
        }
        sets
    }

    /// The endings, side by side: the sequences of all players that come to each, chance's probability of it,
    /// and what each player gets.
    pub fn endings(&self) -> (&[u32], &[f64], &[f64]) {
        (&self.endings, &self.chance, &self.returns)
    }

    /// One of the histories that lead to an information set: what was done, by chance too.
    pub fn history(&self, set: usize) -> Vec<Action> {
        let mut at = self.found[set];
        let mut history = Vec::new();
        while at != 0 {
            let (before, action) = self.trace[at as usize];
            history.push(action);
            at = before;
        }
        history.reverse();
        history
    }
}
