//! What a player could get who knew the state: no belief is worth more.

use crate::belief::graph::Distribution;
use crate::game::Turn;
use crate::keys::KeyMap;
use crate::model::{Model, State};

/// The values of states that are known, found by looking ahead to the end of the game.
#[derive(Default)]
pub(super) struct Foreknowledge {
    values: KeyMap<f64>,
    /// Steps of the model that were spent on it.
    spent: u64,
}

/// Moves to look ahead; a game that lasts longer is not looked through.
const DEEPEST: usize = 200;
/// Steps to spend before much else has been done.
const FIRST: u64 = 10_000;

/// One look ahead.
struct Look<'a> {
    model: &'a dyn Model,
    values: &'a mut KeyMap<f64>,
    /// No return is higher.
    most: f64,
    /// Steps that may still be made.
    left: u64,
}

impl Foreknowledge {
    /// An upper bound for a belief; the same, if it is what would really be got by one who knew the state; and
    /// the steps that it took. No more are made in all than half of those that were made `elsewhere`.
    pub fn bound(
        &mut self,
        model: &dyn Model,
        belief: &Distribution,
        most: f64,
        elsewhere: u64,
    ) -> (f64, Option<f64>, u64) {
        if !model.info().has.hash {
            return (most, None, 0);
        }
        let left = (FIRST + elsewhere / 2).saturating_sub(self.spent);
        let mut look = Look { model, values: &mut self.values, most, left };
        let (mut bound, mut exact) = (0.0, true);
        for (state, p) in belief {
            let best = look.best(state, DEEPEST);
            exact &= best.is_some();
            bound += p * best.unwrap_or(most);
        }
        let steps = left - look.left;
        self.spent += steps;
        (bound, exact.then_some(bound), steps)
    }
}

impl Look<'_> {
    /// The expected return of the best play from a state that is known; `None` where that would take too long.
    fn best(&mut self, state: &State, depth: usize) -> Option<f64> {
        let (model, gamma) = (self.model, self.model.info().discount);
        let turn = model.turn(state);
        if turn == Turn::Over {
            return Some(0.0);
        }
        let key = model.hash(state);
        if let Some(known) = self.values.get(&key) {
            return Some(*known);
        }
        if depth == 0 {
            return None;
        }
        let value = if turn == Turn::Chance {
            let mut outcomes = Vec::new();
            model.chance(state, &mut outcomes);
            let mut sum = 0.0;
            for (outcome, q) in outcomes {
                let (after, reward) = self.step(state, outcome)?;
                sum += q * (reward + self.best(&after, depth - 1)?);
            }
            sum
        } else {
            let mut actions = Vec::new();
            model.legal(state, 0, &mut actions);
            let mut afters = Vec::with_capacity(actions.len());
            let mut best = f64::NEG_INFINITY;
            // First what ends the game at once: nothing may be better.
            for action in actions {
                let (after, reward) = self.step(state, action)?;
                if model.turn(&after) == Turn::Over {
                    best = best.max(reward);
                } else {
                    afters.push((after, reward));
                }
                if best >= self.most {
                    break;
                }
            }
            for (after, reward) in afters {
                if best >= self.most {
                    break;
                }
                best = best.max(reward + gamma * self.best(&after, depth - 1)?);
            }
            best
        };
        self.values.insert(key, value);
        Some(value)
    }

    fn step(&mut self, state: &State, action: crate::game::Action) -> Option<(State, f64)> {
        self.left = self.left.checked_sub(1)?;
        let mut rewards = [0.0];
        let after = self.model.after(state, &[action], &mut rewards);
        Some((after, rewards[0]))
    }
}
