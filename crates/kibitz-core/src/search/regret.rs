//! Choosing in proportion to regret, in the tree and at its root.

use std::sync::atomic::Ordering::Relaxed;

use super::params::Selection;
use super::tree::{Edge, Tree};
use crate::planner::Judgement;
use crate::regret::regret_matching;
use crate::rng::Rng;

/// Regrets and the strategy that they make, in memory that is used again and again.
#[derive(Default)]
pub(super) struct Mix {
    regrets: Vec<f64>,
    strategy: Vec<f64>,
}

impl Mix {
    /// Chooses an edge at random, in proportion to its regret: its number, and how probable it was. `values` are
    /// what the edges are worth, if not their means; `spread` is the unit of a regret's floor.
    pub fn choose(
        &mut self,
        tree: &Tree,
        edges: &[Edge],
        values: Option<&[f64]>,
        selection: Selection,
        spread: f64,
        rng: &mut Rng,
    ) -> (usize, f64) {
        self.regrets.clear();
        let floor = match selection {
            Selection::RegretMatchingPlus(_) => {
                self.regrets.extend(edges.iter().map(Edge::regret));
                0.0
            }
            Selection::RegretMatching(floor) => {
                let value = |index: usize| values.map_or_else(|| tree.mean(&edges[index]), |v| v[index]);
                let each = edges.iter().enumerate();
                let each = each.map(|(index, edge)| (edge.visits.load(Relaxed), value(index)));
                above_average(each, &mut self.regrets);
                floor * spread
            }
            _ => 0.0,
        };
        self.strategy.resize(edges.len(), 0.0);
        regret_matching(&self.regrets, floor, &mut self.strategy);
        if let Selection::RegretMatchingPlus(random) = selection {
            let uniform = random / edges.len() as f64;
            self.strategy.iter_mut().for_each(|share| *share = (1.0 - random) * *share + uniform);
        }
        let chosen = rng.weighted(self.strategy.iter().copied());
        (chosen, self.strategy.get(chosen).copied().unwrap_or(1.0))
    }
}

/// By how much each action's value is above the node's average, which is Q(a, I) - Q(I); for those that were
/// never tried, as much below as can be.
fn above_average(actions: impl Iterator<Item = (u32, f64)> + Clone, regrets: &mut Vec<f64>) {
    let (mut visits, mut sum) = (0.0, 0.0);
    for (n, value) in actions.clone().filter(|(n, _)| *n > 0) {
        visits += f64::from(n);
        sum += f64::from(n) * value;
    }
    let average = sum / f64::max(visits, 1.0);
    regrets.extend(actions.map(|(n, value)| if n > 0 { value - average } else { f64::NEG_INFINITY }));
}

/// Adds to the regrets of a node's actions what one return says, of which the chosen one was as probable as
/// said: an estimate by importance sampling of what each would have brought beyond what was brought. The node's
/// mean so far is taken off first, which changes no expectation and makes it less noisy.
pub(super) fn update(tree: &Tree, edges: &[Edge], chosen: usize, probability: f64, sample: f64) {
    let (mut before, mut sum) = (-1.0, 0.0);
    for edge in edges {
        before += f64::from(edge.visits.load(Relaxed));
        sum += edge.excess();
    }
    let usual = if before > 0.0 { sum / before + tree.floor() } else { sample };
    let surprise = sample - usual;
    for (index, edge) in edges.iter().enumerate() {
        let would = if index == chosen { surprise / probability } else { 0.0 };
        edge.add_regret(would - surprise);
    }
}

/// What a selection by regret stands for, given the evidence at the root: the probability of each action. It is
/// told how far returns are spread where it is to explore as in the tree.
pub(super) fn policy(selection: Selection, table: &[Judgement], exploring: Option<f64>) -> Vec<f64> {
    let visits = |judgement: &Judgement| u32::try_from(judgement.visits).unwrap_or(u32::MAX);
    let mut regrets = Vec::new();
    let mut least = 0.0;
    match selection {
        // How often each was chosen is the average strategy, but for what was chosen at random.
        Selection::RegretMatchingPlus(random) => {
            let all: u64 = table.iter().map(|judgement| judgement.visits).sum();
            let explored = if exploring.is_some() { 0.0 } else { random };
            let uniform = explored / table.len() as f64 * all as f64;
            regrets.extend(table.iter().map(|judgement| judgement.visits as f64 - uniform));
        }
        other => {
            if let (Selection::RegretMatching(floor), Some(spread)) = (other, exploring) {
                least = floor * spread;
            }
            above_average(table.iter().map(|j| (visits(j), j.value.unwrap_or_default())), &mut regrets);
        }
    }
    let mut strategy = vec![0.0; table.len()];
    regret_matching(&regrets, least, &mut strategy);
    strategy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Action;

    fn judged(visits: u64, value: Option<f64>) -> Judgement {
        Judgement { action: Action(0), value, error: None, visits }
    }

    #[test]
    fn regret_is_what_is_above_the_average() {
        let mut regrets = Vec::new();
        above_average([(3, 0.2), (1, 0.6), (0, 9.0)].into_iter(), &mut regrets);
        let expected = [-0.1, 0.3, f64::NEG_INFINITY];
        assert!(regrets.iter().zip(expected).all(|(a, b)| *a == b || (a - b).abs() < 1e-12), "{regrets:?}");
        let table = [judged(3, Some(0.2)), judged(1, Some(0.6)), judged(0, None)];
        assert_eq!(policy(Selection::RegretMatching(0.01), &table, None), [0.0, 1.0, 0.0]);
        // With its floor, 0.05 of a spread of 2, the regrets are 0.1, 0.3 and 0.1.
        let drawn = policy(Selection::RegretMatching(0.05), &table, Some(2.0));
        assert!(drawn.iter().zip([0.2, 0.6, 0.2]).all(|(a, b)| (a - b).abs() < 1e-12), "{drawn:?}");
    }

    #[test]
    fn the_average_strategy_leaves_out_what_was_random() {
        let table = [judged(85, Some(0.0)), judged(5, Some(0.0)), judged(10, Some(0.0))];
        let strategy = policy(Selection::RegretMatchingPlus(0.15), &table, None);
        assert!((strategy[0] - 80.0 / 85.0).abs() < 1e-12 && strategy[1] == 0.0, "{strategy:?}");
        assert_eq!(policy(Selection::RegretMatchingPlus(0.15), &table, Some(2.0)), [0.85, 0.05, 0.1]);
    }

    #[test]
    fn what_pays_more_is_regretted_more() {
        let tree = Tree::new(false, -1.0, false);
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(0), Action(1)]);
        let (mut mix, mut rng) = (Mix::default(), Rng::new(5));
        let selection = Selection::RegretMatchingPlus(0.1);
        for _ in 0..2000 {
            let edges = tree.edges(id);
            let (chosen, probability) = mix.choose(&tree, edges, None, selection, 1.0, &mut rng);
            tree.visit_edge(&edges[chosen], 1);
            let pays = rng.unit() < [0.4, 0.6][chosen];
            let sample = if pays { 1.0 } else { -1.0 };
            update(&tree, edges, chosen, probability, sample);
            tree.add(&edges[chosen], sample, 1);
        }
        let [worse, better] = tree.edges(id) else { panic!("two edges") };
        assert!(better.visits.load(Relaxed) > 4 * worse.visits.load(Relaxed), "{better:?} {worse:?}");
    }
}
