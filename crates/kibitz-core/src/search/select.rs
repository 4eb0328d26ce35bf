//! Which edge a simulation takes.

use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use super::params::{Backup, Expansion, SearchParams, Selection};
use super::tree::{Edge, NodeId, Tree};
use crate::game::Info;
use crate::rng::Rng;

/// The selection rule, with its constants in the game's own units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    selection: Selection,
    expansion: Expansion,
    /// The exploration constant times the spread of returns.
    c: f64,
    /// What an untried action is taken to be worth under partial expansion.
    middle: f64,
    /// The share of the best return in an edge's value.
    q: f64,
}

impl Rule {
    pub fn new(info: &Info, params: &SearchParams) -> Rule {
        Rule {
            selection: params.selection,
            expansion: params.expansion,
            c: params.exploration * info.spread,
            middle: (info.min_return + info.max_return) / 2.0,
            q: if let Backup::MixMax(q) = params.backup { q } else { 0.0 },
        }
    }

    /// What an edge is worth, without exploration.
    #[inline]
    pub fn value(&self, edge: &Edge) -> f64 {
        if self.q == 0.0 { edge.mean() } else { self.q * edge.best() + (1.0 - self.q) * edge.mean() }
    }

    /// The tried edge with the highest upper confidence bound, and that bound. `jitter` scales
    /// each edge's exploration.
    #[inline]
    fn best(&self, edges: &[Edge], log_n: f64, mut jitter: impl FnMut() -> f64) -> (usize, f64) {
        let (mut best, mut bound) = (0, f64::NEG_INFINITY);
        for (index, edge) in edges.iter().enumerate() {
            let n = f64::from(edge.visits.load(Relaxed).max(1));
            let mean = edge.sum() / n;
            let exploit = if self.q == 0.0 { mean } else { self.q * edge.best() + (1.0 - self.q) * mean };
            let upper = exploit + jitter() * self.c * (log_n / n).sqrt();
            if upper > bound {
                (best, bound) = (index, upper);
            }
        }
        (best, bound)
    }
}

/// Chooses an edge of an expanded node: its number among the node's edges. `several` says that
/// others choose at the same time: players who all follow a fixed rule would fall into step and
/// take each other's choices for laws of nature, so then exploration is scaled at random.
#[inline]
pub(super) fn select(
    tree: &Tree,
    id: NodeId,
    edges: &[Edge],
    rule: &Rule,
    several: bool,
    rng: &mut Rng,
) -> usize {
    let node = tree.node(id);
    if rule.selection == Selection::Uniform {
        return least_visited(edges);
    }
    if rule.expansion == Expansion::All
        && let Some(untried) = tree.take_untried(id, edges.len())
    {
        return untried;
    }
    let log_n = ln(node.visits.load(Relaxed));
    let tried = match rule.expansion {
        Expansion::All => edges.len(),
        Expansion::Partial => usize::from(node.tried.load(Relaxed)),
    };
    let (best, bound) = if several {
        rule.best(&edges[..tried], log_n, || 0.5 + rng.unit())
    } else {
        rule.best(&edges[..tried], log_n, || 1.0)
    };
    if tried < edges.len() {
        let untried = rule.middle + rule.c * (log_n / (1.0 + tried as f64)).sqrt();
        if (tried == 0 || untried > bound)
            && let Some(next) = tree.take_untried(id, edges.len())
        {
            return next;
        }
    }
    best
}

fn least_visited(edges: &[Edge]) -> usize {
    let visits = edges.iter().map(|edge| edge.visits.load(Relaxed));
    visits.enumerate().min_by_key(|(_, n)| *n).map_or(0, |(index, _)| index)
}

/// The natural logarithm of a count; the frequent ones are looked up.
#[inline]
fn ln(count: u32) -> f64 {
    static SMALL: LazyLock<[f64; 1024]> = LazyLock::new(|| std::array::from_fn(|n| (n.max(1) as f64).ln()));
    SMALL.get(count as usize).copied().unwrap_or_else(|| f64::from(count).ln())
}
