//! Choosing at the nodes of the tree: who asks the selection, and what is legal there.

use std::sync::atomic::Ordering::Relaxed;

use super::super::action_tree::{self, Layer};
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
                if self.problem.varies(player) {
                    self.offer(tree, id, player);
                } else if tree.edges(id).is_empty() {
                    self.parts.clear();
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
            let plain =
                self.problem.kind != TreeKind::Public && (!self.problem.inconsistent || self.action_trees);
            let chosen = if edges.is_empty() {
                None
            } else if self.solver {
                Some((self.select_unproved(tree, id, player, edges), None))
            } else if self.ucb1 && plain && !self.problem.varies(player) {
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
            let chosen = if self.marks_spent && edges[chosen].is_spent() {
                self.pass_over_spent(tree, id, edges, chosen)
            } else {
                chosen
            };
            if self.action_trees && edges[chosen].is_part() {
                self.go_on_in_parts(tree, player, id, chosen, interrupt);
                continue;
            }
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

    /// An edge behind which nothing is left to be found counts as tried once more, and another one is taken, if there is
    /// one.
    #[inline(never)]
    fn pass_over_spent(&mut self, tree: &Tree, id: NodeId, edges: &[Edge], spent: usize) -> usize {
        self.scratch.clear();
        self.scratch.extend(edges.iter().filter(|edge| !edge.is_spent()).map(Edge::action));
        if self.scratch.is_empty() {
            return spent;
        }
        self.scratch.sort_unstable();
        let mean = tree.mean(&edges[spent]);
        tree.visit_edge(&edges[spent], self.count);
        tree.add(&edges[spent], mean, self.count);
        tree.visit_node(id, self.count);
        let at = Choices { offered: Some((&self.scratch, false)), ..Choices::new(tree, id, &self.rule) };
        let other = self.problem.selection.pick(&at, &mut self.picks, &mut self.rng);
        other.map_or(spent, |(edge, _)| edge)
    }

    /// Chooses the rest of an action whose first part has been chosen.
    #[inline(never)]
    fn go_on_in_parts(
        &mut self,
        tree: &Tree,
        player: usize,
        mut id: NodeId,
        mut chosen: usize,
        interrupt: &mut Interrupt,
    ) {
        self.parts.clear();
        let trail = self.trail(player);
        loop {
            let edges = tree.edges(id);
            let (edge, action) = (tree.first_edge(id) + chosen as u32, edges[chosen].action());
            let is_part = edges[chosen].is_part();
            if !is_part && self.watches && !tree.is_unseen(id) {
                self.trial = self.alternative(tree, id, player, chosen);
            }
            tree.visit_edge(&edges[chosen], self.count);
            self.choices.push(Chosen { player, node: id, edge, probability: None });
            self.last[trail] = Some(edge);
            if !is_part {
                return self.do_if_legal(player, action);
            }
            self.parts.push(action);
            let next = action_tree::behind(tree, id, edge, self.own);
            if let Some(next) = next {
                if tree.edges(next).is_empty() {
                    self.expand(tree, next, player, None, interrupt);
                }
                tree.visit_node(next, self.count);
            }
            let Some(next) = next.filter(|next| !tree.edges(*next).is_empty()) else {
                // Memory is full: any action that has these parts.
                let layer = self.layer(player, None);
                let any = layer.all.get(self.rng.below(layer.all.len().max(1) as u32) as usize).copied();
                self.last[trail] = None;
                return self.do_if_legal(player, any.unwrap_or_default());
            };
            id = next;
            let unseen = self.watches && (self.uniform || tree.is_unseen(id));
            let edges = tree.edges(id);
            chosen = select(tree, id, edges, &self.rule, unseen, &mut self.rng);
            if self.marks_spent && edges[chosen].is_spent() {
                chosen = self.pass_over_spent(tree, id, edges, chosen);
            }
        }
    }

    /// Makes an action part of the step; any other one, where worlds disagree with what was seen and it is not legal in this
    /// one.
    fn do_if_legal(&mut self, player: usize, mut action: Action) {
        if self.problem.inconsistent {
            let (state, rng) = (&self.world.state, &mut self.rng);
            self.scratch.clear();
            self.problem.model.legal(state, player, &mut self.scratch);
            if !self.scratch.contains(&action) {
                action = self.problem.model.random_action(state, player, &mut self.scratch, rng);
            }
        }
        self.joint.push(action);
    }

    /// What may be chosen in a state (the present one, if none is given) after the parts that have been chosen.
    fn layer(&mut self, player: usize, state: Option<&State>) -> Layer {
        let mut legal = std::mem::take(&mut self.scratch);
        legal.clear();
        let state = state.unwrap_or(&self.world.state);
        self.problem.model.legal(state, player, &mut legal);
        let layer = action_tree::layer(self.problem.model, state, player, &legal, &self.parts);
        self.scratch = legal;
        layer
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
        let varies = self.problem.inconsistent || self.problem.varies(player);
        let offered = varies.then_some((self.scratch.as_slice(), counted));
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
        if self.action_trees {
            let mut layer = self.layer(player, state);
            self.rng.shuffle(&mut layer.parts);
            self.rng.shuffle(&mut layer.actions);
            tree.expand_parts(id, &layer.parts, &layer.actions);
            return;
        }
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

    /// Lists what is legal in the present world in `scratch`, sorted, adds what the node lacks of it, and, where others
    /// are observed, counts that it was on offer: another world may offer something else.
    fn offer(&mut self, tree: &Tree, id: NodeId, player: usize) {
        self.scratch.clear();
        self.problem.model.legal(&self.world.state, player, &mut self.scratch);
        self.rng.shuffle(&mut self.scratch);
        match self.problem.is_observed(player) {
            true => tree.offer(id, &mut self.scratch),
            false => tree.list(id, &mut self.scratch),
        }
    }
}
