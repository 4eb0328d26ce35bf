//! Rollout IW(1) (Bandrés, Bonet and Geffner 2018): the states that IW(1) keeps, found in rollouts instead of layer by
//! layer, so that deep ones are seen before all shallow ones have been.
//!
//! A breadth-first search need not know how deep an atom was true first, since it comes to shallow states first. Rollouts
//! do not: an atom counts as new where it is true nearer to the root than ever, and a node that was new by atoms that have
//! been found nearer since is pruned when a rollout comes by again.

use super::{Path, Search};
use crate::game::{Action, Turn};
use crate::model::State;
use crate::planner::Judgement;

/// An action that has not been tried.
const UNTRIED: u32 = u32::MAX;

/// A state of the tree.
struct Node {
    /// None, where nothing comes after it.
    state: Option<State>,
    path: Path,
    depth: u32,
    parent: u32,
    /// What is true in it: part of one list of all.
    atoms: (usize, usize),
    /// For each action what it leads to, or [`UNTRIED`].
    actions: Vec<(Action, u32)>,
    /// How many of the actions lead to what is not solved.
    open: u32,
    /// Whether nothing new can be found below.
    solved: bool,
}

/// The tree, and how deep each atom was true first.
struct Lookahead {
    nodes: Vec<Node>,
    atoms: Vec<u32>,
    depths: Vec<u32>,
}

impl Lookahead {
    /// Whether a state so deep makes an atom true nearer to the root than ever, and remembers that.
    fn is_new(&mut self, (from, to): (usize, usize), depth: u32) -> bool {
        let mut new = false;
        for atom in &self.atoms[from..to] {
            let first = &mut self.depths[*atom as usize];
            new |= depth < *first;
            *first = depth.min(*first);
        }
        new
    }

    /// Whether an atom of this node was true nowhere nearer to the root.
    fn is_still_new(&self, node: &Node) -> bool {
        self.atoms[node.atoms.0..node.atoms.1].iter().any(|atom| self.depths[*atom as usize] >= node.depth)
    }

    /// Closes a node, and those above it all of whose actions lead to what is closed.
    fn solve(&mut self, mut at: u32) {
        loop {
            let node = &mut self.nodes[at as usize];
            if std::mem::replace(&mut node.solved, true) || at == 0 {
                return;
            }
            at = node.parent;
            let parent = &mut self.nodes[at as usize];
            parent.open -= 1;
            if parent.open > 0 {
                return;
            }
        }
    }
}

impl Search<'_> {
    /// Rolls out from the root until nothing is left that is new, or time is up. An action's value becomes that of the
    /// best path that begins with it.
    pub(super) fn roll_out(&mut self, root: &State, table: &mut [Judgement]) {
        let mut tree = Lookahead {
            nodes: Vec::new(),
            atoms: Vec::new(),
            depths: vec![u32::MAX; self.model.atom_count() as usize],
        };
        self.model.atoms(root, &mut tree.atoms);
        let atoms = (0, tree.atoms.len());
        tree.is_new(atoms, 0);
        let actions: Vec<_> = table.iter().map(|row| (row.action, UNTRIED)).collect();
        let open = actions.len() as u32;
        let (state, path) = (Some(root.clone()), Path::ROOT);
        tree.nodes.push(Node { state, path, depth: 0, parent: 0, atoms, actions, open, solved: false });
        let mut best: Vec<Option<f64>> = vec![None; table.len()];
        let mut legal = Vec::new();
        while !tree.nodes[0].solved {
            let mut at = 0;
            while !tree.nodes[at as usize].solved {
                let node = &tree.nodes[at as usize];
                let is_open = |(_, to): &&(Action, u32)| *to == UNTRIED || !tree.nodes[*to as usize].solved;
                let number = self.rng.below(node.open.max(1)) as usize;
                let Some(chosen) =
                    (0..node.actions.len()).filter(|n| is_open(&&node.actions[*n])).nth(number)
                else {
                    tree.solve(at);
                    break;
                };
                let (action, to) = node.actions[chosen];
                if to != UNTRIED {
                    at = to;
                    if !tree.is_still_new(&tree.nodes[at as usize]) {
                        tree.solve(at);
                    }
                    continue;
                }
                if self.is_out() {
                    return self.conclude(table, best);
                }
                let (Some(state), path, depth) = (&node.state, node.path, node.depth + 1) else { break };
                let (next, reward) = self.successor(state, action);
                let path = path.then(chosen, reward, self.look.discount);
                table[path.first].visits += 1;
                let over = self.model.turn(&next) == Turn::Over;
                let from = tree.atoms.len();
                if !over {
                    self.model.atoms(&next, &mut tree.atoms);
                }
                let mut atoms = (from, tree.atoms.len());
                let keeps = over || tree.is_new(atoms, depth);
                legal.clear();
                if keeps {
                    path.note(&mut best);
                }
                if keeps && !over {
                    self.nodes += 1;
                    self.model.legal(&next, self.player, &mut legal);
                } else {
                    tree.atoms.truncate(from);
                    atoms.1 = from;
                }
                let child = tree.nodes.len() as u32;
                let actions: Vec<_> = legal.iter().map(|action| (*action, UNTRIED)).collect();
                let state = (!actions.is_empty()).then_some(next);
                let open = actions.len() as u32;
                tree.nodes.push(Node {
                    state,
                    path,
                    depth,
                    parent: at,
                    atoms,
                    actions,
                    open,
                    solved: false,
                });
                tree.nodes[at as usize].actions[chosen].1 = child;
                at = child;
                if open == 0 {
                    tree.solve(child);
                }
            }
        }
        self.conclude(table, best);
    }
}
