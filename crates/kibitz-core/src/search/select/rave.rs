//! `rave`: UCB1 with rapid action value estimates (Gelly and Silver 2007, 2011).
//!
//! What came of simulations in which an action was made here or later (all moves as first, AMAF) is known much sooner
//! than what comes of making it here, and less reliable. Both are blended, AMAF with a share that fades.

use super::{Choices, Later, Merit, Needs, Picked, Selection, early_share, register_selection};
use crate::playout::{Context, move_key};
use crate::position::Position;

crate::params! {
    /// UCB1 with what came of an action here or later: (1 - β) Q + β AMAF + c sqrt(ln N / n), β = sqrt(k / (3 N +
    /// k)).
    pub struct RaveParams {
        /// Visits k of a node at which both estimates count the same.
        pub k: f64 = 1000.0, in 0.0..=1e9;
    }
}

register_selection!("rave", RaveParams, |params| Ok(Box::new(Rave(params))));

struct Rave(RaveParams);

/// The columns: the key of the move (in two), and of the simulations in which it was made here or later, how many there
/// were and the mean of their returns from here on.
const KEY: usize = 0;
const COUNT: usize = 2;
const MEAN: usize = 3;

impl Selection for Rave {
    fn needs(&self) -> Needs {
        Needs { trace: true, action_keys: true, own_nodes: true, ..Needs::NONE }
    }

    fn columns(&self) -> usize {
        4
    }

    fn prepare(&self, at: &Choices, position: &dyn Position, player: usize, _: &mut Context) {
        for (index, edge) in at.edges.iter().enumerate() {
            at.set_key(KEY, index, move_key(player, position.action_key(player, edge.action())));
        }
    }

    /// What nobody has made yet, here or later, comes first; what was made later only has AMAF alone to speak for it, as
    /// if it had been tried once.
    fn merit(&self, at: &Choices, index: usize, tried: u32) -> Merit {
        let amaf = at.column(MEAN, index);
        match tried {
            0 if at.column(COUNT, index) == 0.0 => Merit::First(f64::INFINITY),
            0 => Merit::Worth(amaf),
            _ => {
                let share = early_share(self.0.k, at.visits());
                Merit::Worth((1.0 - share) * at.value(index) + share * amaf)
            }
        }
    }

    fn update(&self, at: &Choices, _: Picked, sample: f64, later: &Later) {
        for index in 0..at.edges.len() {
            if later.has(at.key(KEY, index)) {
                let (count, mean) = (at.column(COUNT, index) + 1.0, at.column(MEAN, index));
                at.set_column(COUNT, index, count);
                at.set_column(MEAN, index, mean + (sample - mean) / count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::params::SearchParams;
    use super::super::Rule;
    use super::*;
    use crate::game::{Action, Info};
    use crate::playout::Trace;
    use crate::rng::Rng;
    use crate::search::select::Scratch;
    use crate::search::tree::Tree;

    /// The moves of player 0 and player 1 in turn, by the keys of their actions.
    fn moves(actions: &[u64]) -> Later {
        let moves = actions.iter().enumerate().map(|(at, action)| (at % 2, *action)).collect();
        let mut later = Later::default();
        later.extend(&Trace { moves, steps: Vec::new() }, 0, usize::MAX);
        later
    }

    #[test]
    fn what_was_made_later_counts_first_and_fades() {
        let rave = Rave(RaveParams { k: 30.0 });
        let tree = Tree::new(false, 0.0, false).with_columns(rave.columns());
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(5), Action(6), Action(7)]);
        let params = SearchParams { exploration: 0.05, ..SearchParams::default() };
        let rule = Rule::new(&Info::new(2, 0.0, 1.0), &params);
        let at = || Choices::new(&tree, id, &rule);
        (0..3).for_each(|index| at().set_key(KEY, index, move_key(0, 5 + index as u64)));
        // Player 0 made 5 and then 6, or 5 and then 7; that player 1 made 7 says nothing.
        rave.update(&at(), (0, None), 0.9, &moves(&[5, 7, 6]));
        rave.update(&at(), (0, None), 0.1, &moves(&[5, 8, 7, 9, 7]));
        let amaf = |index| (at().column(COUNT, index), at().column(MEAN, index));
        assert_eq!([0, 1, 2].map(amaf).map(|(count, _)| count), [2.0, 1.0, 1.0]);
        for (index, mean) in [0.5, 0.9, 0.1].into_iter().enumerate() {
            assert!((amaf(index).1 - mean).abs() < 1e-6);
        }
        // AMAF is wrong about 6: it is tried at once, and then less and less.
        let mut rng = Rng::new(1);
        let mut chosen = Vec::new();
        for _ in 0..600 {
            let (index, _) = rave.pick(&at(), &mut Scratch::default(), &mut rng).unwrap();
            let pays = [0.6, 0.2, 0.1][index];
            tree.visit_node(id, 1);
            tree.visit_edge(&tree.edges(id)[index], 1);
            tree.add(&tree.edges(id)[index], pays, 1);
            chosen.push(index);
        }
        assert_eq!(chosen[..3], [1, 1, 1]);
        assert!(chosen[500..].iter().all(|index| *index == 0), "{chosen:?}");
    }

    #[test]
    fn without_a_share_it_is_ucb1() {
        let rave = Rave(RaveParams { k: 0.0 });
        let tree = Tree::new(false, 0.0, false).with_columns(rave.columns());
        let (id, _) = tree.find_or_add(1, 0).unwrap();
        tree.expand(id, &[Action(0), Action(1)]);
        let rule = Rule::new(&Info::new(2, 0.0, 1.0), &SearchParams::default());
        let mut rng = Rng::new(1);
        for round in 0..200_u32 {
            let (index, _) =
                rave.pick(&Choices::new(&tree, id, &rule), &mut Scratch::default(), &mut rng).unwrap();
            if round >= 2 {
                assert_eq!(index, rule.best_tried(&tree, id, tree.edges(id)));
            }
            tree.visit_node(id, 1);
            tree.visit_edge(&tree.edges(id)[index], 1);
            tree.add(&tree.edges(id)[index], [0.4, 0.6][index], 1);
        }
    }
}
