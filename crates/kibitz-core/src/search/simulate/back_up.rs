//! Backing up: what a simulation came to is carried back through every choice on the way.

use std::sync::atomic::Ordering::Relaxed;

use super::super::aim::Aim;
use super::super::params::{Backup, TreeKind};
use super::super::select::Choices;
use super::super::tree::{FIRST, NodeId, Tree};
use super::{Chosen, Worker, proved};
use crate::game::Turn;

/// Count, sum and sum of squares of some samples. The mean of several counts as so many.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::search) struct Moments {
    pub samples: f64,
    pub count: f64,
    pub sum: f64,
    pub squares: f64,
}

impl Moments {
    pub(super) fn add(&mut self, mean: f64, count: u32) {
        self.join(Moments {
            samples: 1.0,
            count: count.into(),
            sum: f64::from(count) * mean,
            squares: f64::from(count) * mean * mean,
        });
    }

    pub fn join(&mut self, other: Moments) {
        self.samples += other.samples;
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The variance of a single return, from two samples on.
    pub fn variance(&self) -> Option<f64> {
        let spread = (self.squares - self.sum * self.sum / self.count).max(0.0);
        (self.samples > 1.0).then(|| spread / (self.samples - 1.0))
    }
}

/// What comes back to a player from below.
#[derive(Clone, Copy, Default)]
pub(super) struct Backed {
    /// The value of what lies below, discounted by `weight`, and the rewards on the way there.
    value: f64,
    weight: f64,
    reward: f64,
    /// How often that place had been reached before, and its value then (backup=max only).
    count: f64,
    old: f64,
}

impl Worker<'_> {
    /// Lets the playout learn from what came of the simulation.
    #[inline]
    pub(super) fn learn(&mut self) {
        if let Some(trace) = &self.trace
            && self.learns
        {
            let came =
                self.backed.iter().map(|from_root| from_root.reward + from_root.weight * from_root.value);
            self.returns.clear();
            self.returns.extend(came);
            self.playout.learn(trace, &self.returns);
        }
    }

    /// Makes of what this simulation pays what its players want.
    #[inline]
    fn take_aim(&mut self) {
        let aim = self.problem.params.aim;
        if aim == Aim::Return {
            return;
        }
        let players = self.returns.len();
        // A win is paid once: by the last step, or by the playout that goes on from there.
        let from = match aim {
            Aim::Win if self.turn() == Turn::Over => self.rewards.len().saturating_sub(players),
            Aim::Win => self.rewards.len(),
            _ => 0,
        };
        self.rewards[from..].chunks_exact_mut(players).for_each(|rewards| aim.take(rewards));
        if aim != Aim::Win || from == self.rewards.len() {
            aim.take(&mut self.returns);
        }
    }

    /// Carries the return from the leaf to the root, through every choice on the way, and what was proved with it.
    #[inline]
    pub(super) fn back_up(&mut self, tree: &Tree) {
        self.take_aim();
        self.carry_back(tree);
        if self.solver {
            self.prove(tree);
        }
        if self.marks_spent {
            self.mark_spent(tree);
        }
    }

    #[inline]
    fn carry_back(&mut self, tree: &Tree) {
        let mut backed = std::mem::take(&mut self.backed);
        backed.clear();
        backed.extend(self.returns.iter().map(|&value| Backed { value, weight: 1.0, ..Backed::default() }));
        for &(player, leaf) in &self.leaves {
            tree.node(leaf).set_value(self.returns[player]);
        }
        let mut end = self.choices.len();
        let mut last = usize::MAX;
        self.later.clear();
        for (step, rewards) in self.steps.iter().zip(self.rewards.chunks_exact(backed.len())).rev() {
            for (below, reward) in backed.iter_mut().zip(rewards) {
                below.reward = reward + step.discount * below.reward;
                below.weight *= step.discount;
            }
            if let Some(trace) = self.trace.as_ref().filter(|_| self.looks_on) {
                self.later.extend(trace, step.moves, last);
                last = step.moves;
            }
            let chosen = &self.choices[step.choices..end];
            let alone = chosen.iter().all(|choice| choice.player == chosen[0].player);
            // The parts of an action are in the order in which they were chosen.
            for &Chosen { player, node, edge, probability } in chosen.iter().rev() {
                let Backed { value, weight, reward, count, old } = backed[player];
                let sample = reward + weight * value;
                if edge == FIRST {
                    tree.node(node).set_value(sample);
                    continue;
                }
                if !self.ucb1 {
                    let chosen = (edge - tree.first_edge(node)) as usize;
                    let at = Choices::new(tree, node, &self.rule);
                    self.problem.selection.update(&at, (chosen, probability), sample, &self.later);
                }
                let e = tree.edge(edge);
                tree.add(e, sample + weight * count * (value - old), self.count);
                match self.problem.params.backup {
                    Backup::Mean => {}
                    Backup::MixMax(_) => tree.note_best(e, sample),
                    Backup::Max => self.bellman(tree, player, node, alone, &mut backed),
                }
                if node == self.root {
                    self.root_returns[(edge - tree.first_edge(node)) as usize].add(sample, self.count);
                }
            }
            end = step.choices;
            if let Some((choice, edge)) = self.settled.pop_if(|(choice, _)| *choice == end) {
                // In the place of what was chosen here, this edge counts for all above.
                let Chosen { player, node, .. } = self.choices[choice];
                for (player, backed) in backed.iter_mut().enumerate() {
                    let value = proved(tree, edge, player).unwrap_or_default();
                    *backed = Backed { value, weight: 1.0, ..Backed::default() };
                }
                let value = backed[player].value;
                tree.add(tree.edge(edge), value, self.count);
                if node == self.root {
                    self.root_returns[(edge - tree.first_edge(node)) as usize].add(value, self.count);
                }
            }
        }
        for (total, from_root) in self.totals.iter_mut().zip(&backed) {
            let value = from_root.reward + from_root.weight * from_root.value;
            *total += f64::from(self.count) * value;
            self.rule.see(value);
        }
        self.backed = backed;
    }

    /// backup=max: gives a node the value of its best action, which is what its parent's edge now
    /// counts for every earlier visit as well. To the other of two it is worth what is left of the sum of both
    /// (which is the same whatever they do: their returns add up to zero, single steps need not), unless
    /// it has chosen at the same time, for itself.
    fn bellman(&self, tree: &Tree, player: usize, id: NodeId, alone: bool, backed: &mut [Backed]) {
        let node = tree.node(id);
        let old = node.value();
        let count = f64::from(node.visits.load(Relaxed).saturating_sub(1));
        let tried = tree.edges(id).iter().filter(|edge| edge.visits.load(Relaxed) > 0);
        let value = node.set_value(tried.map(|edge| tree.mean(edge)).fold(f64::NEG_INFINITY, f64::max));
        let below = Backed { value, weight: 1.0, reward: 0.0, count, old };
        if alone && self.problem.kind == TreeKind::State && self.last.len() == 2 {
            let sum: f64 = backed.iter().map(|below| below.reward + below.weight * below.value).sum();
            backed[1 - player] = Backed { value: sum - value, old: sum - old, ..below };
        }
        backed[player] = below;
    }
}
