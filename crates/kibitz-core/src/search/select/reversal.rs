//! `reversal-penalty`: UCB1 that shies away from where the player has just been (Frydenberg et al. 2015).

use std::sync::atomic::Ordering::Relaxed;

use super::{Choices, Needs, Picked, Scratch, Selection, register_selection};
use crate::rng::Rng;

crate::params! {
    /// How much it shies away, and from what.
    pub struct ReversalParams {
        /// How many of the last places count. To stay is to come to the last one.
        pub positions: usize = 5, in 1..=1000;
        /// What the upper confidence bound of an action that leads to one of them is multiplied by.
        pub factor: f64 = 0.95, in 0.0..=1.0;
    }
}

register_selection!(
    "reversal-penalty",
    "UCB1 on values from 0 to 1; bounds of actions that lead to where the player has just been count a little less.",
    ReversalParams,
    |params| Ok(Box::new(ReversalPenalty { positions: params.positions, factor: params.factor }))
);

struct ReversalPenalty {
    positions: usize,
    factor: f64,
}

/// The column that is 1 where the action led to a recent place when it was taken last.
const RECENT: usize = 0;

impl Selection for ReversalPenalty {
    fn needs(&self) -> Needs {
        Needs { places: true, ..Needs::NONE }
    }

    fn columns(&self) -> usize {
        1
    }

    fn looks_back(&self) -> Option<usize> {
        Some(self.positions)
    }

    fn arrived(&self, at: &Choices, chosen: usize, is_recent: bool) {
        at.set_column(RECENT, chosen, f64::from(u8::from(is_recent)));
    }

    fn pick(&self, at: &Choices, _: &mut Scratch, rng: &mut Rng) -> Option<Picked> {
        let explore = at.rule.explore(at.tree.node(at.node).visits.load(Relaxed));
        let (mut best, mut highest) = (None, f64::NEG_INFINITY);
        for (index, edge) in at.edges.iter().enumerate().filter(|(_, edge)| at.is_offered(edge)) {
            let n = edge.visits.load(Relaxed);
            if n == 0 {
                return Some((index, None));
            }
            let explore = if at.jitter { (0.5 + rng.unit()) * explore } else { explore };
            let bound = at.rule.normalised(at.value(index) + explore / f64::from(n).sqrt());
            let bound = if at.column(RECENT, index) > 0.0 { self.factor * bound } else { bound };
            if bound > highest {
                (best, highest) = (Some(index), bound);
            }
        }
        best.map(|index| (index, None))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::params::SearchParams;
    use super::super::Rule;
    use super::*;
    use crate::game::{Action, Info};
    use crate::search::tree::Tree;

    #[test]
    fn of_equals_the_one_that_leads_back_is_not_taken() {
        let reversal = ReversalPenalty { positions: 5, factor: 0.95 };
        let tree = Tree::new(false, 0.0, false).with_columns(reversal.columns());
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(0), Action(1)]);
        let params = SearchParams { normalise: true, ..SearchParams::default() };
        let mut rule = Rule::new(&Info::new(1, -1e7, 1e7), &params);
        [10.0, 11.0].into_iter().for_each(|value| rule.see(value));
        let visit = |index: usize, value: f64| {
            let edge = &tree.edges(id)[index];
            tree.visit_node(id, 1);
            tree.visit_edge(edge, 1);
            tree.add(edge, value, 1);
        };
        visit(0, 10.5);
        visit(1, 10.5);
        let pick = |recent: usize| {
            let at = Choices::new(&tree, id, &rule);
            reversal.arrived(&at, recent, true);
            reversal.arrived(&at, 1 - recent, false);
            reversal.pick(&at, &mut Scratch::default(), &mut Rng::new(1)).unwrap().0
        };
        assert_eq!([pick(0), pick(1)], [1, 0]);
        // What is much better is taken all the same: values are 0.5 and 0.75, and both explore alike.
        visit(0, 11.0);
        visit(1, 10.5);
        assert_eq!(pick(0), 0);
    }
}
