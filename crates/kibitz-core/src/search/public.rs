//! The public tree: simultaneous moves one after the other, and what a player makes of them without seeing them.
//!
//! A node of the paper stands for a public history h and keeps Q_i(s, h) for each state s. A player who decides
//! there asks for one thing only: the mean over the states that it cannot tell apart. So the nodes here are those
//! means, one for each h and what its player has seen (as in a tree of actions and observations), and nothing has
//! to be summed up when it decides.
//!
//! Where several move at once, h is followed by hidden nodes h'': what those before have chosen, in the order of
//! the players. A player knows h, but not which h'' is reached. *Local search* (Algorithm 3) puts together what all
//! of them say: Q_i(I, a) is the mean of Q_i(h'', a), weighed by how often h'' was visited; not, as the plain mean
//! would be, by how often a was chosen there.

use std::sync::atomic::Ordering::Relaxed;

use super::params::TreeKind;
use super::select::{Choices, Picked};
use super::simulate::{Chosen, Worker};
use super::tree::{Edge, NodeId, Tree};
use crate::game::Action;
use crate::keys::{Kind, join};

/// The node of what has been chosen before by those who move at once with the player of `node`, with the same
/// actions; listed, so that [`local_search`] finds it. It hangs on `own`. None while there is no room.
pub(super) fn hidden(tree: &Tree, node: NodeId, own: NodeId, before: &[Action]) -> Option<NodeId> {
    let knows = tree.key(node);
    let key = before.iter().fold(knows, |key, action| join(Kind::Hidden, key, action.0.into()));
    let (id, _) = tree.find_or_add(key, own)?;
    if tree.edges(id).is_empty() {
        let actions: Vec<Action> = tree.edges(node).iter().map(|edge| edge.action()).collect();
        if !tree.expand(id, &actions) {
            return None;
        }
        let (list, _) = tree.find_or_add(list_of(knows), own)?;
        let listed = tree.edges(list).len();
        tree.offer(list, &mut [Action(listed as u32)]);
        if let Some(entry) = tree.edges(list).get(listed) {
            entry.child.store(id, Relaxed);
        }
    }
    Some(id)
}

/// The key of the list of the hidden nodes of an information set.
fn list_of(knows: u64) -> u64 {
    join(Kind::List, knows, 0)
}

/// Q_i(I, a) for each of a node's actions, where its player does not see what others chose just before it. False,
/// and nothing changes, where there are no such others. An action that was never tried keeps the lowest return.
pub(super) fn local_search(tree: &Tree, node: NodeId, values: &mut Vec<f64>) -> bool {
    let Some(list) = tree.find(list_of(tree.key(node))) else { return false };
    let edges = tree.edges(node);
    let mut weights = vec![0.0; edges.len()];
    values.clear();
    values.resize(edges.len(), 0.0);
    for listed in tree.edges(list) {
        let hidden = listed.child.load(Relaxed);
        let visits = f64::from(tree.node(hidden).visits.load(Relaxed));
        for (index, edge) in tree.edges(hidden).iter().enumerate() {
            if edge.visits.load(Relaxed) == 0 {
                continue;
            }
            // In the same order, unless the node was made anew since.
            let same = |other: &Edge| other.action() == edge.action();
            let index = match edges.get(index) {
                Some(other) if same(other) => Some(index),
                _ => edges.iter().position(same),
            };
            if let Some(index) = index {
                values[index] += visits * tree.mean(edge);
                weights[index] += visits;
            }
        }
    }
    for (value, weight) in values.iter_mut().zip(weights) {
        *value = if weight > 0.0 { *value / weight } else { tree.floor() };
    }
    true
}

impl Worker<'_> {
    /// ChoosePolicy of POMCP-PGT: local search, then decision estimation. Whoever moves after others, unseen by
    /// them, notes what it chooses in the node of what they chose as well.
    pub(super) fn choose_policy(
        &mut self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        several: bool,
    ) -> Picked {
        let node = match self.problem.kind {
            TreeKind::Public if !self.joint.is_empty() => hidden(tree, id, self.own, &self.joint),
            _ => None,
        };
        let is_hidden = node.is_some() && local_search(tree, id, &mut self.values);
        let edges = tree.edges(id);
        let values = is_hidden.then_some(self.values.as_slice());
        // UCB1 is the paper's here: without a random factor.
        let at = Choices { values, unseen: several, jitter: false, ..Choices::new(tree, id, &self.rule) };
        let picked = self.problem.selection.pick(&at, &mut self.picks, &mut self.rng);
        let (chosen, probability) = picked.unwrap_or_default();
        if let Some(node) = node
            && let Some(at) = tree.edges(node).iter().position(|e| e.action() == edges[chosen].action())
        {
            tree.visit_node(node, self.count);
            tree.visit_edge(&tree.edges(node)[at], self.count);
            let edge = tree.first_edge(node) + at as u32;
            self.choices.push(Chosen { player, node, edge, probability: None });
            self.most_added = self.most_added.max(2 * self.choices.len());
        }
        (chosen, probability)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::NONE;
    use super::*;

    #[test]
    fn what_others_chose_is_weighed_by_how_often_they_chose_it() {
        let tree = Tree::new(false, 0.0, false);
        let (node, _) = tree.find_or_add(42, NONE).unwrap();
        let mut values = Vec::new();
        assert!(!local_search(&tree, node, &mut values));
        let (yes, no) = (Action(0), Action(1));
        tree.expand(node, &[yes, no]);
        // The other said yes nine times and no once; this player said no once after each, and yes eight times.
        for (before, visits) in [(yes, [8, 1]), (no, [0, 1])] {
            let id = hidden(&tree, node, NONE, &[before]).unwrap();
            assert_eq!(hidden(&tree, node, NONE, &[before]), Some(id));
            tree.visit_node(id, visits[0] + visits[1]);
            for (edge, visits) in tree.edges(id).iter().zip(visits) {
                tree.visit_edge(edge, visits);
                // Saying the same as the other pays.
                tree.add(edge, f64::from(u8::from(edge.action() == before)), visits);
            }
        }
        assert!(local_search(&tree, node, &mut values));
        // The plain mean of no would be one half.
        assert_eq!(values, [1.0, 0.1]);
    }
}
