//! Which edge a simulation takes.

use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use super::params::{Backup, Expansion, SearchParams, Selection};
use super::tree::{Edge, NodeId, Tree};
use crate::game::{Action, Info};
use crate::rng::Rng;

/// The selection rule, with its constants in the game's own units.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub selection: Selection,
    expansion: Expansion,
    /// The exploration constant times the spread of returns.
    c: f64,
    /// The spread of returns.
    pub spread: f64,
    /// What an untried action is taken to be worth under partial expansion.
    middle: f64,
    /// The share of the best return in an edge's value.
    q: f64,
    small: &'static [Count],
}

impl Rule {
    pub fn new(info: &Info, params: &SearchParams) -> Rule {
        let (least, most, spread) = params.aim.range(info);
        Rule {
            selection: params.selection,
            expansion: params.expansion,
            c: params.exploration * spread,
            spread,
            middle: (least + most) / 2.0,
            q: if let Backup::MixMax(q) = params.backup { q } else { 0.0 },
            small: SMALL.as_slice(),
        }
    }

    /// What an edge is worth, without exploration.
    #[inline]
    pub fn value(&self, tree: &Tree, edge: &Edge) -> f64 {
        let mean = tree.mean(edge);
        if self.q == 0.0 { mean } else { self.q * edge.best() + (1.0 - self.q) * mean }
    }

    /// The edge with the highest upper confidence bound among those that have been tried.
    pub fn best_tried(&self, tree: &Tree, id: NodeId, tried: &[Edge]) -> usize {
        let visits = tree.node(id).visits.load(Relaxed);
        self.best(tree, tried, count(self.small, visits).root_log, || 1.0).0
    }

    /// The tried edge with the highest upper confidence bound, and that bound. `jitter` scales
    /// each edge's exploration.
    #[inline]
    fn best(
        &self,
        tree: &Tree,
        edges: &[Edge],
        root_log: f64,
        mut jitter: impl FnMut() -> f64,
    ) -> (usize, f64) {
        let (mut best, mut bound) = (0, f64::NEG_INFINITY);
        let explore = self.c * root_log;
        for (index, edge) in edges.iter().enumerate() {
            let n = count(self.small, edge.visits.load(Relaxed));
            let mean = edge.excess() * n.inverse + tree.floor();
            let exploit = if self.q == 0.0 { mean } else { self.q * edge.best() + (1.0 - self.q) * mean };
            let upper = exploit + jitter() * explore * n.inverse_root; // Q + c sqrt(ln N / n)
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
    let root_log = count(rule.small, node.visits.load(Relaxed)).root_log;
    let tried = match rule.expansion {
        Expansion::All => edges.len(),
        Expansion::Partial => usize::from(node.tried.load(Relaxed)),
    };
    let (best, bound) = if several {
        rule.best(tree, &edges[..tried], root_log, || 0.5 + rng.unit())
    } else {
        rule.best(tree, &edges[..tried], root_log, || 1.0)
    };
    if tried < edges.len() {
        let untried = rule.middle + rule.c * root_log / (1.0 + tried as f64).sqrt();
        if (tried == 0 || untried > bound)
            && let Some(next) = tree.take_untried(id, edges.len())
        {
            return next;
        }
    }
    best
}

/// Chooses among the edges of a node whose actions are on offer in the present world: an untried one, or
/// the one with the highest bound by how often it was on offer (instead of how often the node was visited).
pub(super) fn select_offered(
    tree: &Tree,
    edges: &[Edge],
    offered: &[Action],
    rule: &Rule,
    several: bool,
    rng: &mut Rng,
) -> Option<usize> {
    let (mut best, mut bound) = (None, f64::NEG_INFINITY);
    for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| offered.contains(&edge.action())) {
        let visits = edge.visits.load(Relaxed);
        let upper = match rule.selection {
            Selection::Uniform => -f64::from(visits),
            _ if visits == 0 => return Some(index), // the order of new edges is random
            _ => {
                let jitter = if several { 0.5 + rng.unit() } else { 1.0 };
                let explore = count(rule.small, edge.offers()).root_log;
                rule.value(tree, edge) + jitter * rule.c * explore * count(rule.small, visits).inverse_root
            }
        };
        if upper > bound {
            (best, bound) = (Some(index), upper);
        }
    }
    best
}

/// Chooses an edge by the value of each, which is not its mean; an untried one first.
pub(super) fn select_valued(tree: &Tree, id: NodeId, edges: &[Edge], values: &[f64], rule: &Rule) -> usize {
    if rule.selection == Selection::Uniform {
        return least_visited(edges);
    }
    if let Some(untried) = tree.take_untried(id, edges.len()) {
        return untried;
    }
    let explore = rule.c * count(rule.small, tree.node(id).visits.load(Relaxed)).root_log;
    let bound = |(edge, value): (&Edge, &f64)| {
        value + explore * count(rule.small, edge.visits.load(Relaxed)).inverse_root
    };
    let bounds = edges.iter().zip(values).map(bound).enumerate();
    bounds.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
}

fn least_visited(edges: &[Edge]) -> usize {
    let visits = edges.iter().map(|edge| edge.visits.load(Relaxed));
    visits.enumerate().min_by_key(|(_, n)| *n).map_or(0, |(index, _)| index)
}

/// 1/n, 1/sqrt(n) and sqrt(ln n) of a count n.
#[derive(Clone, Copy)]
struct Count {
    inverse: f64,
    inverse_root: f64,
    root_log: f64,
}

impl Count {
    fn new(n: u32) -> Count {
        let n = f64::from(n.max(1));
        Count { inverse: 1.0 / n, inverse_root: 1.0 / n.sqrt(), root_log: n.ln().sqrt() }
    }
}

/// The frequent counts, ready made: UCB1 is nothing but these three.
static SMALL: LazyLock<[Count; 1024]> = LazyLock::new(|| std::array::from_fn(|n| Count::new(n as u32)));

#[inline]
fn count(small: &[Count], n: u32) -> Count {
    small.get(n as usize).copied().unwrap_or_else(|| Count::new(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_not_explored_for_being_seldom_on_offer() {
        let tree = Tree::new(false, 0.0);
        let (id, _) = tree.find_or_add(42).unwrap();
        let rule = Rule::new(&Info::new(2, 0.0, 1.0), &SearchParams::default());
        let (good, bad) = (Action(1), Action(2));
        (0..10_000).for_each(|_| tree.offer(id, &[good]));
        (0..8).for_each(|_| tree.offer(id, &[good, bad]));
        for (action, visits, value) in [(good, 10_002, 0.9), (bad, 6, 0.0)] {
            let edge = tree.edges(id).iter().find(|edge| edge.action() == action).unwrap();
            tree.visit_edge(edge, visits);
            tree.add(edge, value, visits);
            tree.visit_node(id, visits);
        }
        let mut rng = Rng::new(1);
        let mut choose = |offered: &[Action]| {
            let chosen = select_offered(&tree, tree.edges(id), offered, &rule, false, &mut rng);
            chosen.map(|index| tree.edges(id)[index].action())
        };
        assert_eq!(choose(&[good, bad]), Some(good));
        assert_eq!(choose(&[bad]), Some(bad));
        assert_eq!(choose(&[Action(9)]), None);
        // By the visits of the node it would be tried once more.
        assert_eq!(tree.edges(id)[rule.best_tried(&tree, id, tree.edges(id))].action(), bad);
    }
}
