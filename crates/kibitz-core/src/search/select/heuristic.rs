//! `heuristic`: UCB1 on a blend of an action heuristic and the mean return (Trutman and Schiffel 2015).

use super::{Choices, Merit, Needs, Selection, early_share, register_selection};
use crate::evaluate::action_values;
use crate::game::Action;
use crate::playout::Context;
use crate::position::Position;

crate::params! {
    /// UCB1 on β H + (1 − β) Q, with β = sqrt(k / (3 N + k)) and an action heuristic H, the game's own or an
    /// evaluator's.
    pub struct HeuristicParams {
        /// The equivalence k: after k visits of a node, heuristic and mean have equal weights.
        pub k: f64 = 20.0, in 0.0..=1e9;
    }
}

register_selection!("heuristic", HeuristicParams, |params| Ok(Box::new(Heuristic(params))));

struct Heuristic(HeuristicParams);

/// The column of the heuristic, in the unit of returns; NaN where there is none after all.
const HEURISTIC: usize = 0;

impl Selection for Heuristic {
    fn needs(&self) -> Needs {
        Needs { action_heuristic: true, own_nodes: true, ..Needs::NONE }
    }

    fn columns(&self) -> usize {
        1
    }

    fn prepare(&self, at: &Choices, position: &dyn Position, player: usize, context: &mut Context) {
        let actions: Vec<Action> = at.edges.iter().map(|edge| edge.action()).collect();
        let mut values = Vec::with_capacity(actions.len());
        if !action_values(position, player, &actions, context, &mut values) {
            values.resize(actions.len(), f64::NAN);
        }
        for (index, value) in values.iter().enumerate() {
            at.set_column(HEURISTIC, index, at.tree.floor() + value * at.rule.spread);
        }
    }

    /// An action that was never tried comes first; of several the one that the heuristic likes best.
    fn merit(&self, at: &Choices, index: usize, tried: u32) -> Merit {
        let known = Some(at.column(HEURISTIC, index)).filter(|heuristic| !heuristic.is_nan());
        if tried == 0 {
            return Merit::First(known.unwrap_or(0.0));
        }
        let (share, mean) = (early_share(self.0.k, at.visits()), at.value(index));
        Merit::Worth(known.map_or(mean, |heuristic| share * heuristic + (1.0 - share) * mean))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::params::SearchParams;
    use super::super::Rule;
    use super::*;
    use crate::game::Info;
    use crate::rng::Rng;
    use crate::search::select::Scratch;
    use crate::search::tree::Tree;

    /// With an exploration of nothing, what is chosen shows the weight of the heuristic: equal to the mean's at
    /// N = k, where β = 1/2.
    #[test]
    fn the_weight_is_the_papers() {
        let selection = Heuristic(HeuristicParams { k: 20.0 });
        let tree = Tree::new(false, 0.0, false).with_columns(selection.columns());
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(0), Action(1)]);
        let params = SearchParams { exploration: 0.0, ..SearchParams::default() };
        let rule = Rule::new(&Info::new(1, 0.0, 1.0), &params);
        let mut rng = Rng::new(1);
        let mut pick =
            || selection.pick(&Choices::new(&tree, id, &rule), &mut Scratch::default(), &mut rng);
        let at = Choices::new(&tree, id, &rule);
        at.set_column(HEURISTIC, 0, 0.2);
        at.set_column(HEURISTIC, 1, 0.6);
        assert_eq!(pick(), Some((1, None))); // nothing was tried
        for (edge, value) in tree.edges(id).iter().zip([0.9, 0.501]) {
            tree.visit_edge(edge, 1);
            tree.add(edge, value, 1);
        }
        // (0.2 + 0.9) / 2 against (0.6 + 0.501) / 2
        tree.visit_node(id, 20);
        assert_eq!(pick(), Some((1, None)));
        tree.visit_node(id, 1);
        assert_eq!(pick(), Some((0, None)));
    }
}
