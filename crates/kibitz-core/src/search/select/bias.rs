//! `progressive-bias`: UCB1 with a heuristic that counts less with every visit (Chaslot et al. 2008).

use super::{Choices, Merit, Needs, Selection, register_selection};
use crate::evaluate::{Chance, afterstate_value};
use crate::playout::Context;
use crate::position::Position;

crate::params! {
    /// UCB1 with the evaluator's opinion H of an action as a bias that fades: Q + c sqrt(ln N / n) + w H / (n + 1).
    pub struct BiasParams {
        /// The weight w of the bias w H / (n + 1). H is what the evaluator says right after the action.
        pub weight: f64 = 1.0, in 0.0..=1e6;
    }
}

register_selection!("progressive-bias", BiasParams, |params| Ok(Box::new(ProgressiveBias(params))));

struct ProgressiveBias(BiasParams);

/// The column of the heuristic.
const HEURISTIC: usize = 0;

impl Selection for ProgressiveBias {
    fn needs(&self) -> Needs {
        Needs { evaluator: true, own_nodes: true, ..Needs::NONE }
    }

    fn columns(&self) -> usize {
        1
    }

    fn prepare(&self, at: &Choices, position: &dyn Position, player: usize, context: &mut Context) {
        for (index, edge) in at.edges.iter().enumerate() {
            let value = afterstate_value(position, player, edge.action(), Chance::Evaluated, context);
            at.set_column(HEURISTIC, index, value);
        }
    }

    /// An action that was never tried has the heuristic alone to speak for it, as if it had been tried once.
    fn merit(&self, at: &Choices, index: usize, tried: u32) -> Merit {
        let heuristic = at.column(HEURISTIC, index);
        let value = if tried == 0 { heuristic } else { at.value(index) };
        Merit::Worth(value + self.0.weight * heuristic / (f64::from(tried) + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::params::SearchParams;
    use super::super::Rule;
    use super::*;
    use crate::game::{Action, Info};
    use crate::rng::Rng;
    use crate::search::select::Scratch;
    use crate::search::tree::Tree;

    #[test]
    fn the_heuristic_decides_first_and_fades() {
        let bias = ProgressiveBias(BiasParams { weight: 4.0 });
        let tree = Tree::new(false, 0.0, false).with_columns(bias.columns());
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(0), Action(1)]);
        let rule = Rule::new(
            &Info::new(1, 0.0, 1.0),
            &SearchParams { exploration: 0.1, ..SearchParams::default() },
        );
        let mut rng = Rng::new(1);
        let mut chosen = Vec::new();
        for round in 0..400 {
            let edges = tree.edges(id);
            let at = Choices::new(&tree, id, &rule);
            if round == 0 {
                // The heuristic is wrong: the second action pays.
                at.set_column(HEURISTIC, 0, 0.9);
                at.set_column(HEURISTIC, 1, 0.1);
            }
            let (index, _) = bias.pick(&at, &mut Scratch::default(), &mut rng).unwrap();
            tree.visit_node(id, 1);
            tree.visit_edge(&edges[index], 1);
            tree.add(&edges[index], [0.3, 0.7][index], 1);
            chosen.push(index);
        }
        assert_eq!(chosen[..3], [0, 0, 0]);
        assert!(chosen[200..].iter().all(|index| *index == 1), "{chosen:?}");
    }
}
