//! Expectimax: what a known state is worth if chance is averaged and every player does what is best for itself.
//!
//! It serves who looks ahead in a game of perfect information ([`crate::solve::lookahead`]) and who asks what one could
//! get that knew the state ([`crate::belief`]).

use std::cmp::Ordering;

use crate::game::{Action, Turn};
use crate::keys::{KeyMap, Kind, join};
use crate::model::{Model, State};
use crate::successors::{Successor, outcomes, successor};

/// To the end of the game, however far that is.
pub const TO_THE_END: u32 = u32::MAX;

/// Why there is no value.
#[derive(Debug)]
pub enum Failure {
    /// Several players move at once: not a matter of looking ahead.
    Simultaneous,
    /// Too large, too long, or interrupted; in a sentence.
    Stopped(String),
}

impl From<String> for Failure {
    fn from(sentence: String) -> Failure {
        Failure::Stopped(sentence)
    }
}

/// What a state is worth. `N` is room for the players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Worth<const N: usize> {
    /// The return still to come for each player.
    pub returns: [f64; N],
    /// It comes without any help of chance or judgement: to those who know this state alone, whatever is told later.
    pub sure: bool,
}

impl<const N: usize> Worth<N> {
    /// Nothing more is paid.
    const END: Worth<N> = Worth { returns: [0.0; N], sure: true };

    /// What a step is worth that pays so much and leads here.
    fn after(&self, rewards: &[f64; N], discount: f64) -> Worth<N> {
        let mut worth = *self;
        worth.returns.iter_mut().zip(rewards).for_each(|(sum, paid)| *sum = paid + discount * *sum);
        worth
    }
}

/// In which order actions are tried, and which of equally good ones counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// By their numbers; the last of equals.
    Numbers,
    /// Those first that end the game, then as the game lists them; the first of equals.
    EndsFirst,
}

/// One look ahead.
pub(crate) struct Expectimax<'a, const N: usize> {
    pub model: &'a dyn Model,
    /// What is known already, by states and how far to look.
    pub known: &'a mut KeyMap<Worth<N>>,
    pub order: Order,
    /// No return to come is higher: an action that brings it ends the search for a better one.
    pub most: f64,
    /// Steps that a game may take; a longer one would exhaust the stack, or time.
    pub longest: u32,
    /// Called before each step of the model.
    pub count: &'a mut dyn FnMut() -> Result<(), Failure>,
}

impl<const N: usize> Expectimax<'_, N> {
    /// The worth of a state that comes after so many steps, looking `depth` moves further.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn value(&mut self, state: &State, depth: u32, ply: u32) -> Result<Worth<N>, Failure> {
        let turn = self.model.turn(state);
        if turn == Turn::Over {
            return Ok(Worth::END);
        }
        if depth == 0 {
            return Ok(Worth { returns: judged(self.model, state), sure: false });
        }
        let key = key(self.model, state, depth);
        if let Some(known) = key.and_then(|key| self.known.get(&key)) {
            return Ok(*known);
        }
        if ply >= self.longest {
            return Err(too_long(self.longest));
        }
        let mut movers = turn.movers().iter();
        let worth = match (movers.next(), movers.next()) {
            (None, _) => self.mean(state, depth, ply)?,
            (Some(player), None) => self.best(state, player, depth, ply)?,
            _ => return Err(Failure::Simultaneous),
        };
        if let Some(key) = key {
            self.known.insert(key, worth);
        }
        Ok(worth)
    }

    /// What an action is worth, looking `depth` moves ahead, this one among them.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn of_action(&mut self, state: &State, action: Action, depth: u32) -> Result<Worth<N>, Failure> {
        let turn = self.model.turn(state);
        (self.count)()?;
        self.follow(turn, &successor(self.model, state, action), shorter(depth), 0)
    }

    /// What a step is worth that has been taken.
    fn follow(
        &mut self,
        turn: Turn,
        step: &Successor<N>,
        depth: u32,
        ply: u32,
    ) -> Result<Worth<N>, Failure> {
        let discount = self.model.info().discount_after(turn);
        Ok(self.value(&step.state, depth, ply + 1)?.after(&step.rewards, discount))
    }

    /// The mean over what chance may do.
    fn mean(&mut self, state: &State, depth: u32, ply: u32) -> Result<Worth<N>, Failure> {
        let mut outcomes = outcomes(self.model, state);
        let mut mean = Worth { returns: [0.0; N], sure: outcomes.len() == 1 };
        while outcomes.len() > 0 {
            (self.count)()?; // before the step is taken
            let Some(outcome) = outcomes.next() else { break };
            let worth = self.follow(Turn::Chance, &outcome, depth, ply)?;
            let sums = mean.returns.iter_mut().zip(worth.returns);
            sums.for_each(|(sum, worth)| *sum += outcome.probability * worth);
            mean.sure &= worth.sure;
        }
        Ok(mean)
    }

    /// What is best for a player.
    fn best(&mut self, state: &State, player: usize, depth: u32, ply: u32) -> Result<Worth<N>, Failure> {
        let (model, order, most) = (self.model, self.order, self.most);
        let mut actions = Vec::new();
        model.legal(state, player, &mut actions);
        if order == Order::Numbers {
            actions.sort_unstable();
        }
        let mut best: Option<Worth<N>> = None;
        let enough = |best: Option<Worth<N>>| best.is_some_and(|best| best.returns[player] >= most);
        let better = |worth: Worth<N>, best: Option<Worth<N>>| {
            let better =
                best.is_none_or(|best| match worth.returns[player].total_cmp(&best.returns[player]) {
                    Ordering::Equal => order == Order::Numbers,
                    compared => compared.is_gt(),
                });
            if better { Some(worth) } else { best }
        };
        let (turn, mut later) = (Turn::One(player), Vec::new());
        for action in actions {
            (self.count)()?;
            let step = successor(model, state, action);
            if order == Order::EndsFirst && model.turn(&step.state) != Turn::Over {
                later.push(step);
            } else {
                best = better(self.follow(turn, &step, shorter(depth), ply)?, best);
            }
            if enough(best) {
                break;
            }
        }
        for step in later {
            if enough(best) {
                break;
            }
            best = better(self.follow(turn, &step, shorter(depth), ply)?, best);
        }
        Ok(best.unwrap_or(Worth::END))
    }
}

/// What the game's evaluator says of a state, or nothing.
pub(crate) fn judged<const N: usize>(model: &dyn Model, state: &State) -> [f64; N] {
    let mut returns = [0.0; N];
    if model.has().evaluator {
        model.evaluate(state, &mut returns[..model.info().players]);
    }
    returns
}

/// A key of a state and of how far is looked ahead from there.
pub(crate) fn key(model: &dyn Model, state: &State, depth: u32) -> Option<u64> {
    model.has().hash.then(|| join(Kind::Ahead, model.hash(state), depth.into()))
}

/// The depth that is left after a move.
pub(crate) fn shorter(depth: u32) -> u32 {
    if depth == TO_THE_END { depth } else { depth.saturating_sub(1) }
}

/// That a game takes too many steps to look ahead to its end.
pub(crate) fn too_long(longest: u32) -> Failure {
    format!("looking ahead to the end needs a game of at most {longest} steps").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::outcomes::tests::{Stage, exact, pig};

    /// The worth of some pips, in whichever order, and the steps that were counted.
    fn worth(pips: u32, order: Order, longest: u32) -> (Result<Worth<1>, Failure>, u64) {
        let game = pig();
        let (mut known, mut steps) = (KeyMap::default(), 0);
        let mut count = || {
            steps += 1;
            Ok(())
        };
        let state = State::new((pips, Stage::Choosing));
        let (known, count) = (&mut known, &mut count as &mut dyn FnMut() -> _);
        let mut look = Expectimax { model: &*game, known, order, most: 1.0, longest, count };
        (look.value(&state, TO_THE_END, 0), steps)
    }

    #[test]
    fn it_is_what_dynamic_programming_says() {
        for order in [Order::Numbers, Order::EndsFirst] {
            for pips in [0, 7, 19] {
                let found = worth(pips, order, 100).0.unwrap();
                assert!((found.returns[0] - exact(pips)).abs() < 1e-12, "{pips} {order:?}");
            }
            // Nothing is better than the most, and to stop there needs no luck.
            assert!(worth(20, order, 100).0.unwrap().sure);
            assert!(!worth(0, order, 100).0.unwrap().sure);
        }
        assert_eq!(worth(20, Order::EndsFirst, 100).1, 1);
    }

    #[test]
    fn what_takes_too_long_is_said() {
        assert!(
            matches!(worth(0, Order::Numbers, 5).0, Err(Failure::Stopped(why)) if why.contains("5 steps"))
        );
        assert!(worth(20, Order::Numbers, 3).0.is_ok());
    }
}
