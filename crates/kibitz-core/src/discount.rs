//! How much later rewards count: the one place that says so.
//!
//! A step is discounted when a player moves, not when chance does: an outcome belongs to the move before it. What it
//! pays comes after that move all the same, and counts less by one discount.

use crate::game::Turn;

/// How much what follows a step of this turn counts beside what the step itself pays.
#[inline]
pub fn after(turn: Turn, discount: f64) -> f64 {
    if turn == Turn::Chance { 1.0 } else { discount }
}

/// What a reward counts now beside one of the beginning, step by step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Running {
    discount: f64,
    /// What the next step's rewards count.
    pub weight: f64,
}

impl Running {
    /// The beginning, where everything counts in full.
    pub fn new(discount: f64) -> Running {
        Running { discount, weight: 1.0 }
    }

    /// Adds what this step pays, or what is judged to come now, to what has been got so far.
    #[inline]
    pub fn pay(&self, totals: &mut [f64], rewards: &[f64]) {
        totals.iter_mut().zip(rewards).for_each(|(total, reward)| *total += self.weight * reward);
    }

    /// [`Running::pay`] for rewards that are begun anew for the next step: they are zero afterwards.
    #[inline]
    pub fn collect(&self, totals: &mut [f64], rewards: &mut [f64]) {
        totals
            .iter_mut()
            .zip(rewards)
            .for_each(|(total, reward)| *total += self.weight * std::mem::take(reward));
    }

    /// Leaves a step behind.
    #[inline]
    pub fn pass(&mut self, turn: Turn) {
        self.weight *= after(turn, self.discount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abilities::{Abilities, Evaluate};
    use crate::game::{Action, Game, Info, Players};
    use crate::interrupt::Interrupt;
    use crate::model::SharedModel;
    use crate::playout::{Context, PlayoutSpec, Rollout};
    use crate::position::Erased;
    use crate::rng::Rng;

    #[test]
    fn moves_are_discounted_and_chance_is_not() {
        let (mut running, mut totals) = (Running::new(0.5), [0.0]);
        // A deal, a move, what it leads to, two who move at once, and the end.
        let several = Turn::Several(Players::first(2));
        for (turn, weight) in [
            (Turn::Chance, 1.0),
            (Turn::One(0), 1.0),
            (Turn::Chance, 0.5),
            (several, 0.5),
            (Turn::One(0), 0.25),
        ] {
            assert_eq!(running.weight, weight);
            running.pay(&mut totals, &[1.0]);
            running.pass(turn);
        }
        assert_eq!(totals, [3.25]);
    }

    /// Take 1 now, or wait for 1.5, which the evaluator knows of and chance pays.
    struct Patience(Info);

    impl Game for Patience {
        type State = u32;
        fn info(&self) -> &Info {
            &self.0
        }
        fn initial(&self) -> u32 {
            0
        }
        fn turn(&self, state: &u32) -> Turn {
            [Turn::One(0), Turn::Chance, Turn::Over][*state as usize]
        }
        fn legal(&self, _: &u32, _: usize, actions: &mut Vec<Action>) {
            actions.extend([Action(1), Action(2)]);
        }
        fn chance(&self, _: &u32, outcomes: &mut Vec<(Action, f64)>) {
            outcomes.push((Action(2), 1.0));
        }
        fn step(&self, state: &mut u32, joint: &[Action], rewards: &mut [f64]) {
            rewards[0] += if *state == 1 { 1.5 } else { f64::from(joint[0].0 - 1) };
            *state = joint[0].0;
        }
        crate::in_numbers!();

        fn abilities(&self) -> Abilities<'_, Self::State> {
            Abilities { evaluator: Some(self), ..Abilities::default() }
        }
    }

    impl Evaluate<u32> for Patience {
        fn evaluate(&self, state: &u32, values: &mut [f64]) {
            values[0] = if *state == 1 { 1.5 } else { 0.0 };
        }
    }

    #[test]
    fn who_looks_one_step_ahead_or_for_the_best_discounts_as_the_game_does() {
        for (discount, most) in [(1.0, 1.5), (0.8, 1.2), (0.5, 1.0)] {
            let info = Info { discount, ..Info::new(1, 0.0, 2.0) };
            let game: SharedModel = std::sync::Arc::new(Patience(info));
            for name in ["greedy", "solver"] {
                let (how, mut returns) = (Rollout::random(9, discount), [0.0]);
                let (mut rng, mut interrupt) = (Rng::new(1), Interrupt::never());
                let mut context = Context::new(&mut rng, &mut interrupt);
                let start = game.initial();
                PlayoutSpec::named(name).build().run(
                    Erased(&*game, &start),
                    &how,
                    &mut context,
                    &mut returns,
                );
                assert!((returns[0] - most).abs() < 1e-12, "{name} at {discount}: {returns:?}");
            }
        }
    }
}
