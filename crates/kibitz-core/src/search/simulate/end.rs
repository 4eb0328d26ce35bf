//! Where a simulation ends, and what is known of its last edge then.

use std::sync::atomic::Ordering::Relaxed;

use super::super::tree::{FIRST, Tree};
use super::Worker;
use crate::game::Turn;

impl Worker<'_> {
    /// Whether a simulation that has come to a turn goes no further, tree or no tree.
    #[inline]
    pub(super) fn is_end(&mut self, turn: Turn, moves: u32, draws: u32) -> bool {
        let chance = turn == Turn::Chance;
        turn == Turn::Over
            || moves == self.problem.horizon && !(chance && self.problem.rollout.settles)
            || self.one_turn && self.is_beyond(turn)
            || self.count > 1 && moves > 0 // each playout draws what chance does next
            || chance && draws >= self.problem.model.info().longest_chance() // nobody else will move
    }

    /// Whether the turn that is searched is over at a turn.
    #[inline(never)]
    fn is_beyond(&mut self, turn: Turn) -> bool {
        let mine = turn == Turn::One(self.problem.view.player);
        self.turn_is_over = match turn {
            Turn::Chance | Turn::Over => false,
            Turn::One(_) => self.begun && !mine,
            Turn::Several(_) => !self.steps.is_empty(),
        };
        self.begun |= mine;
        self.turn_is_over
    }

    /// Another's turn before the one that is searched, if that is what it is: it ends it, or does anything where it cannot.
    #[inline]
    pub(super) fn waits_for_its_turn(&mut self, turn: Turn) -> bool {
        match turn {
            Turn::One(player) if self.one_turn && !self.begun && player != self.problem.view.player => {
                self.pass(player);
                true
            }
            _ => false,
        }
    }

    fn pass(&mut self, player: usize) {
        let (model, state) = (self.problem.model, &self.world.state);
        let end = if model.has().end_turn { model.end_turn(state, player) } else { None };
        let action =
            end.unwrap_or_else(|| model.random_action(state, player, &mut self.scratch, &mut self.rng));
        self.joint.push(action);
    }

    /// Marks the last edge, if the turn is over behind it and chance had no part in that: what comes of it is always the
    /// same. Where the state is not known, that is taken for granted when two simulations have come to the same.
    pub(super) fn mark_spent(&mut self, tree: &Tree) {
        let (Some(last), Some(step)) = (self.choices.last(), self.steps.last()) else { return };
        let ends = self.leaves.is_empty() && step.choices < self.choices.len() && last.edge != FIRST;
        if !ends || !(self.turn_is_over || self.turn() == Turn::Over) {
            return;
        }
        let edge = tree.edge(last.edge);
        let visits = edge.visits.load(Relaxed);
        let reward = self.rewards[self.rewards.len() - self.returns.len() + last.player];
        let value = reward + step.discount * self.returns[last.player];
        let same = (tree.mean(edge) - value).abs() <= 1e-12 * (1.0 + value.abs());
        if self.belief.certain().is_some() || visits > self.count && same {
            edge.mark_spent();
        }
    }
}
