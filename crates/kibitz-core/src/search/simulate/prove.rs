//! Proofs: what has been searched to the end is known, and need not be searched again (MCTS-Solver, Winands,
//! Björnsson and Saito 2008).
//!
//! An edge is proved where the game is over behind it, or where its child is, with no chance in between; a node is
//! proved by an edge that gives its player the most there is, or by all of its edges together. What each player then
//! gets stands in a column for each player, so that any number of players with any returns can be served. Of moves
//! that are equally good for the player who makes them, the one that was proved first is taken to be made.
//!
//! A proved draw is neither avoided nor always made. Where it has the highest bound, it counts as chosen, for the node and
//! for all above it; but nothing is left to be learned there, so that the simulation itself goes on by the best action
//! that is not proved. Draws are proved in the end as wins are, then, and what is above a node knows that its player can
//! have the draw.

use std::sync::atomic::Ordering::Relaxed;

use super::super::tree::{Edge, NodeId, Tree};
use super::{Chosen, Worker};
use crate::game::{Info, Turn};
use crate::playout::MAX_PLAYERS;

/// Columns are zero at first, which is to mean that nothing is known.
const UNKNOWN: u32 = f32::NAN.to_bits();

/// What a player gets behind an edge, if that is known.
#[inline]
pub(in crate::search) fn proved(tree: &Tree, edge: u32, player: usize) -> Option<f64> {
    let value = f32::from_bits(tree.bits(player, edge as usize) ^ UNKNOWN);
    (!value.is_nan()).then(|| value.into())
}

/// Whether a return cannot be surpassed. (Columns have single precision.)
pub(in crate::search) fn is_most(info: &Info, value: f64) -> bool {
    value >= f64::from(info.max_return as f32)
}

/// Whether a return is as bad as can be.
pub(in crate::search) fn is_least(info: &Info, value: f64) -> bool {
    value <= f64::from(info.min_return as f32)
}

/// The edge by which a node is proved: the best, if all are or if it cannot be surpassed.
fn proving(tree: &Tree, node: NodeId, player: usize, info: &Info) -> Option<u32> {
    let mut best: Option<(u32, f64)> = None;
    let mut all = true;
    let first = tree.first_edge(node);
    for edge in first..first + tree.edges(node).len() as u32 {
        match proved(tree, edge, player) {
            Some(value) if is_most(info, value) => return Some(edge),
            Some(value) if best.is_none_or(|(_, most)| value > most) => best = Some((edge, value)),
            Some(_) => {}
            None => all = false,
        }
    }
    best.filter(|_| all).map(|(edge, _)| edge)
}

impl Worker<'_> {
    /// Chooses an edge where proofs are made: a proved win at once; else an untried edge; else the highest bound among
    /// all that are not proved to be lost, where a proved mean is exact. Where that one is proved, it is noted, and the
    /// highest bound of the others is taken.
    pub(super) fn select_unproved(
        &mut self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        edges: &[Edge],
    ) -> usize {
        let (info, first) = (self.problem.model.info(), tree.first_edge(id));
        let chosen = match proving(tree, id, player, info) {
            Some(edge) => (edge - first) as usize,
            None => tree.take_untried(id, edges.len()).unwrap_or_else(|| {
                let explore = self.rule.explore(tree.node(id).visits.load(Relaxed));
                let (mut open, mut settled) = ((0, f64::NEG_INFINITY), (0, f64::NEG_INFINITY));
                for (number, edge) in edges.iter().enumerate() {
                    let known = proved(tree, first + number as u32, player);
                    if known.is_some_and(|value| is_least(info, value)) {
                        continue;
                    }
                    let value = known.unwrap_or_else(|| self.rule.value(tree, edge));
                    let bound = value + explore / f64::from(edge.visits.load(Relaxed).max(1)).sqrt();
                    let best = if known.is_some() { &mut settled } else { &mut open };
                    if bound > best.1 {
                        *best = (number, bound);
                    }
                }
                if settled.1 > open.1 {
                    tree.visit_edge(&edges[settled.0], self.count);
                    self.settled.push((self.choices.len(), first + settled.0 as u32));
                }
                open.0
            }),
        };
        let edge = first + chosen as u32;
        self.known = proved(tree, edge, player).map(|_| edge);
        chosen
    }

    /// The returns from a leaf that need not be played out, since all is known behind the edge to it.
    pub(super) fn known_returns(&mut self, tree: &Tree) -> bool {
        let Some(edge) = self.known.filter(|_| self.turn() != Turn::Over) else { return false };
        for (player, value) in self.returns.iter_mut().enumerate() {
            *value = proved(tree, edge, player).unwrap_or_default();
        }
        true
    }

    /// Notes what this simulation has proved, from its end up to where something is left open. (Whoever is paid is paid at
    /// the end only.)
    pub(super) fn prove(&mut self, tree: &Tree) {
        let (info, players) = (self.problem.model.info(), self.returns.len());
        let mut values = [0.0; MAX_PLAYERS];
        match self.known {
            Some(edge) => (0..players).for_each(|p| values[p] = proved(tree, edge, p).unwrap_or_default()),
            None if self.turn() == Turn::Over => {
                for rewards in self.rewards.chunks_exact(players) {
                    values.iter_mut().zip(rewards).for_each(|(value, reward)| *value += reward);
                }
            }
            None => return,
        }
        let mut end = self.choices.len();
        for step in self.steps.iter().rev() {
            // What chance or several players at once have led to, they need not lead to again.
            let [Chosen { player, node, edge, .. }] = self.choices[step.choices..end] else { return };
            end = step.choices;
            for (player, value) in values[..players].iter().enumerate() {
                tree.set_bits(player, edge as usize, (*value as f32).to_bits() ^ UNKNOWN);
            }
            let Some(best) = proving(tree, node, player, info) else { return };
            (0..players).for_each(|p| values[p] = proved(tree, best, p).unwrap_or_default());
            self.solved |= node == self.root;
        }
    }
}
