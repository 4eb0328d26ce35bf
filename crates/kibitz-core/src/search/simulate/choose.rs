//! Choosing at the nodes of the tree: who asks the selection, and what is legal there.

use std::sync::atomic::Ordering::Relaxed;

use super::super::params::TreeKind;
use super::super::select::{Choices, Picked, select};
use super::super::speculative_batch::SpeculativeBatch;
use super::super::tree::{Edge, FIRST, NONE, NodeId, Tree};
use super::{Chosen, Problem, Worker};
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::model::State;
use crate::playout::Context;
use crate::position::Erased;
use crate::rng::mix;

impl Worker<'_> {
    /// Chooses for every mover at its own node.
    #[inline]
    pub(super) fn select(&mut self, tree: &Tree, turn: Turn, interrupt: &mut Interrupt) {
        for (slot, player) in turn.movers().iter().enumerate() {
            let id = self.here[slot];
            if id != NONE {
                if player == self.problem.view.player {
                    self.own = id;
                }
                if self.problem.is_observed(player) {
                    self.offer(tree, id, player);
                } else if tree.edges(id).is_empty() {
                    if self.lazy && tree.node(id).visits.load(Relaxed) == 0 {
                        self.leave_new(tree, id, player);
                        continue;
                    }
                    self.expand(tree, id, player, None, interrupt);
                }
                tree.visit_node(id, self.count);
            }
            let edges = tree.edges(id);
            let trail = self.trail(player);
            let several = matches!(turn, Turn::Several(_));
            if several && self.watches && id != NONE {
                tree.mark_unseen(id); // its player may move alone where it knows no more than here
            }
            let unseen = several || self.watches && (self.uniform || tree.is_unseen(id));
            let plain = self.problem.kind != TreeKind::Public && !self.problem.inconsistent;
            let chosen = if edges.is_empty() {
                None
            } else if self.solver {
                Some((self.select_unproved(tree, id, player, edges), None))
            } else if self.ucb1 && plain && !self.problem.is_observed(player) {
                Some((select(tree, id, edges, &self.rule, unseen, &mut self.rng), None))
            } else {
                self.pick(tree, id, player, several, unseen)
            };
            let Some((chosen, probability)) = chosen else {
                // No node, another worker is expanding it, or memory is full: play on at random.
                self.leave_speculation();
                let (state, rng) = (&self.world.state, &mut self.rng);
                self.joint.push(self.problem.model.random_action(state, player, &mut self.scratch, rng));
                self.last[trail] = None;
                continue;
            };
            if self.watches && !unseen {
                self.trial = self.alternative(tree, id, player, chosen);
            }
            tree.visit_edge(&edges[chosen], self.count);
            self.joint.push(edges[chosen].action());
            let edge = tree.first_edge(id) + chosen as u32;
            self.choices.push(Chosen { player, node: id, edge, probability });
            self.last[trail] = Some(edge);
        }
    }

    /// Asks the selection. A node's actions need not be legal in the present world where all is told apart by what
    /// another sees, or where worlds disagree with something that was seen.
    #[inline(never)]
    fn pick(
        &mut self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        several: bool,
        unseen: bool,
    ) -> Option<Picked> {
        let counted = self.problem.is_observed(player);
        if self.problem.inconsistent && !counted {
            self.scratch.clear();
            self.problem.model.legal(&self.world.state, player, &mut self.scratch);
            self.scratch.sort_unstable();
        }
        let offered = (self.problem.inconsistent || counted).then_some((self.scratch.as_slice(), counted));
        if self.problem.kind == TreeKind::Public {
            let (chosen, probability) = self.choose_policy(tree, id, player, several);
            let action = tree.edges(id)[chosen].action();
            let legal = !self.problem.inconsistent || self.scratch.binary_search(&action).is_ok();
            return legal.then_some((chosen, probability));
        }
        let at = Choices { offered, unseen, jitter: unseen, ..Choices::new(tree, id, &self.rule) };
        self.problem.selection.pick(&at, &mut self.picks, &mut self.rng)
    }

    /// Now and then (at its first, second, fourth, eighth, ... visit) another action of a node than the one that was
    /// chosen there: would everybody see the difference?
    #[inline(never)]
    fn alternative(
        &self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        chosen: usize,
    ) -> Option<(NodeId, Action)> {
        let visits = tree.node(id).visits.load(Relaxed);
        if !visits.is_power_of_two() {
            return None;
        }
        let edges = tree.edges(id);
        // Of a node that is not its player's own, other worlds may offer something else.
        let offered = self.problem.is_observed(player) || self.problem.inconsistent;
        let is_legal = |edge: &&Edge| !offered || self.scratch.contains(&edge.action());
        // The edges are in random order.
        let others = edges[chosen + 1..].iter().chain(&edges[..chosen]).filter(is_legal);
        let count = others.clone().count().max(1);
        // By a hash: edges that are chosen in turn would else meet the same few others for ever.
        let which = mix(u64::from(visits)) % count as u64;
        others.clone().nth(which as usize).map(|edge| (id, edge.action()))
    }

    /// Leaves a new node by any of its actions.
    #[inline]
    fn leave_new(&mut self, tree: &Tree, id: NodeId, player: usize) {
        let (state, rng) = (&self.world.state, &mut self.rng);
        let action = self.problem.model.random_action(state, player, &mut self.scratch, rng);
        tree.leave_new(id, action, self.count);
        self.joint.push(action);
        self.choices.push(Chosen { player, node: id, edge: FIRST, probability: None });
        let trail = self.trail(player);
        self.last[trail] = None;
        // Nodes of states without transpositions have one way to them.
        self.unseen = self.problem.kind == TreeKind::State && !self.problem.params.transpositions;
    }

    /// Lists a node's actions, in random order: they are tried in the order of the list. The state is
    /// the present one, if none is given.
    pub(in crate::search) fn expand(
        &mut self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        state: Option<&State>,
        interrupt: &mut Interrupt,
    ) {
        let mut actions = std::mem::take(&mut self.scratch);
        actions.clear();
        self.problem.model.legal(state.unwrap_or_else(|| self.state()), player, &mut actions);
        self.rng.shuffle(&mut actions);
        let left_by = tree.left_by(id);
        match left_by.and_then(|action| actions.iter().position(|other| *other == action)) {
            Some(tried) => {
                actions.swap(0, tried);
                tree.expand_left(id, &actions);
            }
            None => {
                tree.expand(id, &actions);
            }
        }
        self.scratch = actions;
        if !self.ucb1 {
            let at = Choices::new(tree, id, &self.rule);
            let kept = self.speculative.as_ref().and_then(SpeculativeBatch::state);
            let state = state.or(kept).unwrap_or(&self.world.state);
            let Problem { model, selection, evaluator, .. } = *self.problem;
            let mut context = Context { evaluator, ..Context::new(&mut self.rng, interrupt) };
            selection.prepare(&at, &Erased(model, state), player, &mut context);
        }
    }

    /// Lists what is legal in the present world in `scratch`, sorted, adds what the node lacks of it, and counts
    /// that it was on offer: another world may offer something else.
    fn offer(&mut self, tree: &Tree, id: NodeId, player: usize) {
        self.scratch.clear();
        self.problem.model.legal(&self.world.state, player, &mut self.scratch);
        self.rng.shuffle(&mut self.scratch);
        tree.offer(id, &mut self.scratch);
    }
}
