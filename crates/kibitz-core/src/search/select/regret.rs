//! Selections by regret: plain regret matching (POMCP-PGT) and with regrets that are summed up (RM+).

use std::sync::atomic::Ordering::Relaxed;

use super::{Choices, Later, Needs, Picked, Scratch, Selection, register_selection};
use crate::planner::Judgement;
use crate::regret::regret_matching;
use crate::rng::Rng;

crate::params! {
    /// In proportion to how much better an action is than what the node is worth on average.
    pub struct FloorParams {
        /// The least regret that every action counts with, in units of the spread of returns.
        pub floor: f64 = 0.01, in 0.0..=1.0;
    }
}
crate::params! {
    /// In proportion to regrets that are summed up and never fall below zero, but for a share at random.
    pub struct ShareParams {
        /// The share of choices at random.
        pub share: f64 = 0.1, in 0.0..=1.0;
    }
}

register_selection!("regret-matching", FloorParams, |params| Ok(Box::new(RegretMatching {
    floor: params.floor
})));
register_selection!("regret-matching-plus", ShareParams, |params| Ok(Box::new(RegretMatchingPlus {
    share: params.share
})));

struct RegretMatching {
    floor: f64,
}

/// What was not chosen is estimated by importance sampling.
struct RegretMatchingPlus {
    share: f64,
}

/// The column of summed regrets.
const REGRET: usize = 0;

/// Regrets are of nodes whose player knows all that is legal, and are carried back by one worker in plain means.
const NEEDS: Needs = Needs { own_nodes: true, plain_means: true, ..Needs::NONE };

impl Selection for RegretMatching {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn draws(&self) -> bool {
        true
    }

    fn pick(&self, at: &Choices, scratch: &mut Scratch, rng: &mut Rng) -> Option<Picked> {
        let Scratch { regrets, strategy } = scratch;
        let each = (0..at.edges.len()).map(|index| (at.edges[index].visits.load(Relaxed), at.value(index)));
        regrets.clear();
        above_average(each, regrets);
        strategy.resize(at.edges.len(), 0.0);
        regret_matching(regrets, self.floor * at.rule.spread, strategy);
        let chosen = rng.weighted(strategy.iter().copied());
        at.is_offered(&at.edges[chosen]).then_some((chosen, None))
    }

    fn strategy(&self, table: &[Judgement], exploring: Option<f64>) -> Option<Vec<f64>> {
        let visits = |judgement: &Judgement| u32::try_from(judgement.visits).unwrap_or(u32::MAX);
        let (mut regrets, mut strategy) = (Vec::new(), vec![0.0; table.len()]);
        above_average(table.iter().map(|j| (visits(j), j.value.unwrap_or_default())), &mut regrets);
        regret_matching(&regrets, exploring.map_or(0.0, |spread| self.floor * spread), &mut strategy);
        Some(strategy)
    }
}

impl Selection for RegretMatchingPlus {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn draws(&self) -> bool {
        true
    }

    fn columns(&self) -> usize {
        1
    }

    fn pick(&self, at: &Choices, scratch: &mut Scratch, rng: &mut Rng) -> Option<Picked> {
        let Scratch { regrets, strategy } = scratch;
        let count = at.edges.len();
        regrets.clear();
        regrets.extend((0..count).map(|index| at.column(REGRET, index)));
        strategy.resize(count, 0.0);
        regret_matching(regrets, 0.0, strategy);
        let uniform = self.share / count as f64;
        strategy.iter_mut().for_each(|share| *share = (1.0 - self.share) * *share + uniform);
        let chosen = rng.weighted(strategy.iter().copied());
        let probability = strategy.get(chosen).copied().unwrap_or(1.0);
        at.is_offered(&at.edges[chosen]).then_some((chosen, Some(probability)))
    }

    /// Adds to the regrets of a node's actions what one return says, of which the chosen one was as probable as
    /// said: an estimate by importance sampling of what each would have brought beyond what was brought. The node's
    /// mean so far is taken off first, which changes no expectation and makes it less noisy.
    fn update(&self, at: &Choices, (chosen, probability): Picked, sample: f64, _: &Later) {
        let Some(probability) = probability else { return };
        let (mut before, mut sum) = (-1.0, 0.0);
        for edge in at.edges {
            before += f64::from(edge.visits.load(Relaxed));
            sum += edge.excess();
        }
        let usual = if before > 0.0 { sum / before + at.tree.floor() } else { sample };
        let surprise = sample - usual;
        for index in 0..at.edges.len() {
            let would = if index == chosen { surprise / probability } else { 0.0 };
            at.set_column(REGRET, index, (at.column(REGRET, index) + would - surprise).max(0.0));
        }
    }

    fn strategy(&self, table: &[Judgement], exploring: Option<f64>) -> Option<Vec<f64>> {
        // How often each was chosen is the average strategy, but for what was chosen at random.
        let all: u64 = table.iter().map(|judgement| judgement.visits).sum();
        let explored = if exploring.is_some() { 0.0 } else { self.share };
        let uniform = explored / table.len() as f64 * all as f64;
        let often: Vec<f64> = table.iter().map(|judgement| judgement.visits as f64 - uniform).collect();
        let mut strategy = vec![0.0; table.len()];
        regret_matching(&often, 0.0, &mut strategy);
        Some(strategy)
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

#[cfg(test)]
mod tests {
    use super::super::super::params::SearchParams;
    use super::super::Rule;
    use super::*;
    use crate::game::{Action, Info};
    use crate::search::tree::Tree;

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
        let policy = RegretMatching { floor: 0.01 }.strategy(&table, None).unwrap();
        assert_eq!(policy, [0.0, 1.0, 0.0]);
        // With its floor, 0.05 of a spread of 2, the regrets are 0.1, 0.3 and 0.1.
        let drawn = RegretMatching { floor: 0.05 }.strategy(&table, Some(2.0)).unwrap();
        assert!(drawn.iter().zip([0.2, 0.6, 0.2]).all(|(a, b)| (a - b).abs() < 1e-12), "{drawn:?}");
    }

    #[test]
    fn the_average_strategy_leaves_out_what_was_random() {
        let table = [judged(85, Some(0.0)), judged(5, Some(0.0)), judged(10, Some(0.0))];
        let plus = RegretMatchingPlus { share: 0.15 };
        let strategy = plus.strategy(&table, None).unwrap();
        assert!((strategy[0] - 80.0 / 85.0).abs() < 1e-12 && strategy[1] == 0.0, "{strategy:?}");
        assert_eq!(plus.strategy(&table, Some(2.0)).unwrap(), [0.85, 0.05, 0.1]);
    }

    #[test]
    fn what_pays_more_is_regretted_more() {
        let plus = RegretMatchingPlus { share: 0.1 };
        let tree = Tree::new(false, -1.0, false).with_columns(plus.columns());
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(0), Action(1)]);
        let (mut scratch, mut rng) = (Scratch::default(), Rng::new(5));
        let rule = Rule::new(&Info::new(2, -0.5, 0.5), &SearchParams::default());
        for _ in 0..2000 {
            let edges = tree.edges(id);
            let at = Choices::new(&tree, id, &rule);
            let picked = plus.pick(&at, &mut scratch, &mut rng).unwrap();
            tree.visit_edge(&edges[picked.0], 1);
            let pays = rng.unit() < [0.4, 0.6][picked.0];
            let sample = if pays { 1.0 } else { -1.0 };
            plus.update(&at, picked, sample, &Later::default());
            tree.add(&edges[picked.0], sample, 1);
        }
        let [worse, better] = tree.edges(id) else { panic!("two edges") };
        assert!(better.visits.load(Relaxed) > 4 * worse.visits.load(Relaxed), "{better:?} {worse:?}");
    }
}
