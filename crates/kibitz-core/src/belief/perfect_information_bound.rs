//! What a player could get who knew the state, now and always: no belief is worth more.

use super::graph::Distribution;
use crate::game::{Action, Turn};
use crate::keys::KeyMap;
use crate::model::{Model, State};

/// The values of states that are known, found by looking ahead to the end of the game.
#[derive(Default)]
pub(crate) struct PerfectInformationBound {
    values: KeyMap<Value>,
    /// Steps of the model that were spent on it.
    spent: u64,
}

/// What a known state is worth.
#[derive(Clone, Copy)]
struct Value {
    best: f64,
    /// It is got without any help of chance: by one who knows this state alone, whatever is told later.
    sure: bool,
}

/// What is known of the value of a belief.
pub(crate) struct Known {
    /// It is worth no more.
    pub high: f64,
    /// It is worth just that: there is but one state, and nothing can become uncertain.
    pub sure: bool,
    /// The steps of the model that it took to find out.
    pub steps: u64,
}

/// Moves to look ahead; a game that lasts longer is not looked through.
const DEEPEST: usize = 200;
/// Steps to spend before much else has been done.
const FIRST: u64 = 10_000;

/// One look ahead.
struct Look<'a> {
    model: &'a dyn Model,
    values: &'a mut KeyMap<Value>,
    /// No return is higher.
    most: f64,
    /// Steps that may still be made.
    left: u64,
}

impl PerfectInformationBound {
    /// What a belief may be worth. No more steps are made in all than half of those that were made
    /// `elsewhere`.
    pub fn of(&mut self, model: &dyn Model, belief: &Distribution, most: f64, elsewhere: u64) -> Known {
        if !model.has().hash {
            return Known { high: most, sure: false, steps: 0 };
        }
        let left = (FIRST + elsewhere / 2).saturating_sub(self.spent);
        let mut look = Look { model, values: &mut self.values, most, left };
        let (mut high, mut sure) = (0.0, belief.len() == 1);
        for (state, p) in belief {
            let value = look.best(state, DEEPEST).unwrap_or(Value { best: most, sure: false });
            high += p * value.best;
            sure &= value.sure;
        }
        let steps = left - look.left;
        self.spent += steps;
        Known { high, sure, steps }
    }
}

impl Look<'_> {
    /// The expected return of the best play from a state that is known; `None` where that would take too long.
    fn best(&mut self, state: &State, depth: usize) -> Option<Value> {
        let model = self.model;
        let turn = model.turn(state);
        if turn == Turn::Over {
            return Some(Value { best: 0.0, sure: true });
        }
        let gamma = model.info().discount_after(turn);
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
            let mut value = Value { best: 0.0, sure: outcomes.len() == 1 };
            for (outcome, q) in outcomes {
                let (after, reward) = self.step(state, outcome)?;
                let below = self.best(&after, depth - 1)?;
                value.best += q * (reward + gamma * below.best);
                value.sure &= below.sure;
            }
            value
        } else {
            let mut actions = Vec::new();
            model.legal(state, 0, &mut actions);
            let mut afters = Vec::with_capacity(actions.len());
            let mut value = Value { best: f64::NEG_INFINITY, sure: true };
            // First what ends the game at once: nothing may be better.
            for action in actions {
                let (after, reward) = self.step(state, action)?;
                if model.turn(&after) == Turn::Over {
                    value.best = value.best.max(reward);
                } else {
                    afters.push((after, reward));
                }
                if value.best >= self.most {
                    break;
                }
            }
            for (after, reward) in afters {
                if value.best >= self.most {
                    break;
                }
                let below = self.best(&after, depth - 1)?;
                let found = Value { best: reward + gamma * below.best, ..below };
                if found.best > value.best {
                    value = found;
                }
            }
            value
        };
        self.values.insert(key, value);
        Some(value)
    }

    fn step(&mut self, state: &State, action: Action) -> Option<(State, f64)> {
        self.left = self.left.checked_sub(1)?;
        let mut rewards = [0.0];
        let after = self.model.after(state, &[action], &mut rewards);
        Some((after, rewards[0]))
    }
}
