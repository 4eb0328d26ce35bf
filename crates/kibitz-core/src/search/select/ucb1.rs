//! UCB1: the highest mean plus c sqrt(ln N / n).

use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use super::super::params::{Backup, Expansion, SearchParams};
use super::super::tree::{Edge, NodeId, Tree};
use super::{Choices, Picked, Scratch, Selection, register_selection};
use crate::game::{Action, Info};
use crate::params::NoParams;
use crate::rng::Rng;

register_selection!("ucb1", "The highest mean plus c sqrt(ln N / n).", NoParams, |_| Ok(Box::new(Ucb1)));

/// Upper confidence bounds.
pub struct Ucb1;

impl Selection for Ucb1 {
    fn is_ucb1(&self) -> bool {
        true
    }

    fn pick(&self, at: &Choices, _: &mut Scratch, rng: &mut Rng) -> Option<Picked> {
        let Choices { tree, node, edges, rule, .. } = *at;
        let chosen = match (at.values, at.offered) {
            (_, Some((legal, counted))) => {
                let visits = tree.node(node).visits.load(Relaxed);
                let offers = |edge: &Edge| if counted { edge.offers() } else { visits };
                return select_offered(tree, edges, legal, rule, at.jitter, rng, offers)
                    .map(|edge| (edge, None));
            }
            (Some(values), None) => select_valued(tree, node, edges, values, rule),
            (None, None) => select(tree, node, edges, rule, at.jitter, rng),
        };
        Some((chosen, None))
    }
}

/// The selection rule, with its constants in the game's own units.
#[derive(Clone, Copy)]
pub struct Rule {
    expansion: Expansion,
    /// The exploration constant times the spread of returns.
    c: f64,
    /// The spread of returns.
    pub spread: f64,
    /// What an untried action is taken to be worth under partial expansion.
    middle: f64,
    /// Where returns are normalised: the least and the greatest so far.
    seen: Option<(f64, f64)>,
    exploration: f64,
    /// The share of the best return in an edge's value.
    q: f64,
    small: &'static [Count],
}

impl Rule {
    pub fn new(info: &Info, params: &SearchParams) -> Rule {
        let (least, most, spread) = params.aim.range(info);
        Rule {
            expansion: params.expansion,
            c: params.exploration * spread,
            spread,
            middle: (least + most) / 2.0,
            seen: params.normalise.then_some((f64::INFINITY, f64::NEG_INFINITY)),
            exploration: params.exploration,
            q: if let Backup::MixMax(q) = params.backup { q } else { 0.0 },
            small: SMALL.as_slice(),
        }
    }

    /// Somebody got this from the root on.
    #[inline]
    pub fn see(&mut self, value: f64) {
        let Some((least, most)) = &mut self.seen else { return };
        if value < *least || value > *most {
            (*least, *most) = (least.min(value), most.max(value));
            // As long as all are equal, all actions are explored alike.
            self.spread = if most > least { *most - *least } else { 1.0 };
            self.middle = (*most + *least) / 2.0;
            self.c = self.exploration * self.spread;
        }
    }

    /// A value or bound as it is where returns are normalised.
    #[inline]
    pub fn normalised(&self, value: f64) -> f64 {
        self.seen.map_or(value, |(least, _)| (value - least) / self.spread)
    }

    /// What an edge is worth, without exploration.
    #[inline]
    pub fn value(&self, tree: &Tree, edge: &Edge) -> f64 {
        let mean = tree.mean(edge);
        if self.q == 0.0 { mean } else { self.q * edge.best() + (1.0 - self.q) * mean }
    }

    /// The edge with the highest upper confidence bound among those that have been tried.
    pub fn best_tried(&self, tree: &Tree, id: NodeId, tried: &[Edge]) -> usize {
        let explore = self.explore(tree.node(id).visits.load(Relaxed));
        let tried = tried.iter().enumerate();
        self.best(tried, |_, edge, n| (self.exploit(tree, edge, n), explore)).0.unwrap_or_default()
    }

    /// c sqrt(ln N), which a node's visits, or an action's offers, add to a bound.
    #[inline]
    pub fn explore(&self, visits: u32) -> f64 {
        self.c * count(self.small, visits).root_log
    }

    /// The bound of an untried action under partial expansion, where so many others have been tried.
    #[inline]
    fn untried(&self, explore: f64, tried: usize) -> f64 {
        self.middle + explore / (1.0 + tried as f64).sqrt()
    }

    /// [`Rule::value`] of an edge that has been tried so often.
    #[inline]
    fn exploit(&self, tree: &Tree, edge: &Edge, n: Count) -> f64 {
        let mean = edge.excess() * n.inverse + tree.floor();
        if self.q == 0.0 { mean } else { self.q * edge.best() + (1.0 - self.q) * mean }
    }

    /// UCB1: the first of the edges with the highest upper confidence bound, and that bound. `terms` has an edge's Q
    /// and its c sqrt(ln N).
    #[inline]
    fn best<'e>(
        &self,
        edges: impl Iterator<Item = (usize, &'e Edge)>,
        mut terms: impl FnMut(usize, &Edge, Count) -> (f64, f64),
    ) -> (Option<usize>, f64) {
        let (mut best, mut bound) = (None, f64::NEG_INFINITY);
        for (index, edge) in edges {
            let n = count(self.small, edge.visits.load(Relaxed));
            let (exploit, explore) = terms(index, edge, n);
            let upper = exploit + explore * n.inverse_root; // Q + c sqrt(ln N / n)
            if upper > bound {
                (best, bound) = (Some(index), upper);
            }
        }
        (best, bound)
    }
}

/// What an edge's exploration is scaled by: others who choose without seeing it would else fall into step.
#[inline]
fn jitter(unseen: bool, rng: &mut Rng) -> f64 {
    if unseen { 0.5 + rng.unit() } else { 1.0 }
}

/// Chooses an edge of an expanded node: its number among the node's edges. `unseen` says that others choose without
/// seeing which, at the same time or later: players who all follow a fixed rule would fall into step and
/// take each other's choices for laws of nature, so then exploration is scaled at random.
#[inline]
pub fn select(tree: &Tree, id: NodeId, edges: &[Edge], rule: &Rule, unseen: bool, rng: &mut Rng) -> usize {
    let node = tree.node(id);
    if rule.expansion != Expansion::Partial
        && let Some(untried) = tree.take_untried(id, edges.len())
    {
        return untried;
    }
    let explore = rule.explore(node.visits.load(Relaxed));
    let tried = match rule.expansion {
        Expansion::All | Expansion::ActionTree => edges.len(),
        Expansion::Partial => tree.tried(id),
    };
    let (best, bound) = rule.best(edges[..tried].iter().enumerate(), |_, edge, n| {
        (rule.exploit(tree, edge, n), jitter(unseen, rng) * explore)
    });
    if tried < edges.len()
        && (tried == 0 || rule.untried(explore, tried) > bound)
        && let Some(next) = tree.take_untried(id, edges.len())
    {
        return next;
    }
    best.unwrap_or_default()
}

/// Chooses among the edges of a node whose actions are on offer in the present world: an untried one, or
/// the one with the highest bound by how often it was on offer, as `offers` counts that. What is on offer is sorted.
fn select_offered(
    tree: &Tree,
    edges: &[Edge],
    offered: &[Action],
    rule: &Rule,
    unseen: bool,
    rng: &mut Rng,
    offers: impl Fn(&Edge) -> u32,
) -> Option<usize> {
    let is_offered = |edge: &Edge| offered.binary_search(&edge.action()).is_ok();
    // The order of new edges is random.
    let is_untried = |edge: &Edge| edge.visits.load(Relaxed) == 0 && is_offered(edge);
    let untried = edges.iter().position(is_untried);
    if untried.is_some() && rule.expansion != Expansion::Partial {
        return untried;
    }
    let tried = |edge: &Edge| edge.visits.load(Relaxed) > 0 && is_offered(edge);
    let on_offer = edges.iter().enumerate().filter(|(_, edge)| tried(edge));
    let count = on_offer.clone().count();
    let terms =
        |_, edge: &Edge, n| (rule.exploit(tree, edge, n), jitter(unseen, rng) * rule.explore(offers(edge)));
    let (best, bound) = rule.best(on_offer, terms);
    match untried {
        Some(next) if count == 0 || rule.untried(rule.explore(offers(&edges[next])), count) > bound => {
            untried
        }
        _ => best,
    }
}

/// Chooses an edge by the value of each, which is not its mean; an untried one first.
fn select_valued(tree: &Tree, id: NodeId, edges: &[Edge], values: &[f64], rule: &Rule) -> usize {
    if let Some(untried) = tree.take_untried(id, edges.len()) {
        return untried;
    }
    let explore = rule.explore(tree.node(id).visits.load(Relaxed));
    // Of equals the last, as in the papers' algorithms followed line by line (tests/public_tree.rs): in
    // rock-paper-scissors, where many are equal, it decides who comes out ahead.
    rule.best(edges.iter().enumerate().rev(), |index, _, _| (values[index], explore)).0.unwrap_or_default()
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
        let tree = Tree::new(false, 0.0, false);
        let (id, _) = tree.find_or_add(42, 0).unwrap();
        let rule = Rule::new(&Info::new(2, 0.0, 1.0), &SearchParams::default());
        let (good, bad) = (Action(1), Action(2));
        (0..10_000).for_each(|_| tree.offer(id, &mut [good]));
        (0..8).for_each(|_| tree.offer(id, &mut [good, bad]));
        for (action, visits, value) in [(good, 10_002, 0.9), (bad, 6, 0.0)] {
            let edge = tree.edges(id).iter().find(|edge| edge.action() == action).unwrap();
            tree.visit_edge(edge, visits);
            tree.add(edge, value, visits);
            tree.visit_node(id, visits);
        }
        let mut rng = Rng::new(1);
        let mut choose = |offered: &[Action]| {
            let chosen = select_offered(&tree, tree.edges(id), offered, &rule, false, &mut rng, |edge| {
                edge.offers()
            });
            chosen.map(|index| tree.edges(id)[index].action())
        };
        assert_eq!(choose(&[good, bad]), Some(good));
        assert_eq!(choose(&[bad]), Some(bad));
        assert_eq!(choose(&[Action(9)]), None);
        // By the visits of the node it would be tried once more.
        assert_eq!(tree.edges(id)[rule.best_tried(&tree, id, tree.edges(id))].action(), bad);
    }
}
