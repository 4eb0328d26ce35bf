//! Many playouts at once.

use kibitz_core::abilities::Batch;
use kibitz_core::game::{Action, Turn};
use kibitz_core::playout::{Policy, Rollout};

use super::{RuleGame, RuleState};
use crate::gdl::run::machine::{First, Machine, Outlook, Start};

impl<M: Machine> Batch<RuleState<M::Facts>> for RuleGame<M> {
    fn at_once(&self) -> u32 {
        self.machine.at_once()
    }

    fn play_out_many(
        &self,
        state: &RuleState<M::Facts>,
        how: &Rollout,
        count: u32,
        rng: &mut kibitz_core::Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        if how.policy != Policy::Random || how.discount != 1.0 || !state.chosen.is_empty() {
            return None;
        }
        if state.turn == Turn::Over {
            return Some(0);
        }
        let mut scores = vec![0.0; self.machine.roles().len()];
        let depth = u64::from(how.depth).min(self.longest);
        let start = Start { facts: &state.facts, first: None };
        let played = self.machine.play_out_many(&[start], count, depth, rng, &mut scores);
        let Some((steps, faulty)) = played else {
            return Some(self.play_out_few(&state.facts, count, depth, rng, returns));
        };
        self.add_scores(&scores, faulty, returns);
        Some(steps)
    }

    fn play_out_after(
        &self,
        starts: &[(&RuleState<M::Facts>, Action)],
        how: &Rollout,
        rng: &mut kibitz_core::Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        if how.policy != Policy::Random || how.discount != 1.0 {
            return None;
        }
        let mut firsts = Vec::with_capacity(starts.len());
        for (state, action) in starts {
            let Turn::One(player) = state.turn else { return None };
            let role = self.roles[player];
            let first = Some(First { role, chosen: action.0, legal: state.of(role) });
            firsts.push(Start { facts: &state.facts, first });
        }
        let mut scores = vec![0.0; starts.len() * self.machine.roles().len()];
        let depth = u64::from(how.depth).min(self.longest);
        let (steps, faulty) = self.machine.play_out_many(&firsts, 1, depth, rng, &mut scores)?;
        self.add_scores(&scores, faulty, returns);
        Some(steps)
    }
}

impl<M: Machine> RuleGame<M> {
    /// Adds what the roles scored, state after state, to what the players get.
    fn add_scores(&self, scores: &[f64], faulty: usize, returns: &mut [f64]) {
        if faulty > 0 {
            self.flaw.get_or_init(|| {
                "a role has no legal move, or no score at the end, which counts as 0; \
                 or it has several scores, of which the lowest counts"
                    .to_owned()
            });
        }
        let states = scores.chunks(self.machine.roles().len()).zip(returns.chunks_mut(self.roles.len()));
        for (scores, returns) in states {
            for (total, role) in returns.iter_mut().zip(&self.roles) {
                // A sum of many, which is NaN where one of them is no score.
                *total += if scores[*role].is_nan() { self.sound(f64::NAN, *role) } else { scores[*role] };
            }
        }
    }

    /// Plays out some games one after the other: gives the number of steps.
    fn play_out_few(
        &self,
        start: &M::Facts,
        count: u32,
        depth: u64,
        rng: &mut kibitz_core::Rng,
        returns: &mut [f64],
    ) -> u64 {
        let mut outlook = Outlook::default();
        let mut steps = 0;
        for _ in 0..count {
            let mut facts = start.clone();
            let played = self.machine.play_on(&mut facts, depth, rng);
            steps += played;
            self.machine.outlook(&facts, &mut outlook);
            if outlook.terminal && outlook.trouble.is_none() {
                self.pay(&facts, returns);
            } else if played < depth {
                self.find_turn(&facts, &outlook); // says what is wrong
            }
        }
        steps
    }
}
