//! What a player could get who knew the state, now and always: no belief is worth more.

use super::graph::Distribution;
use crate::expectimax::{Expectimax, Failure, Order, TO_THE_END, Worth};
use crate::keys::KeyMap;
use crate::model::Model;

/// The values of states that are known, found by looking ahead to the end of the game.
#[derive(Default)]
pub(crate) struct PerfectInformationBound {
    values: KeyMap<Worth<1>>,
    /// Steps of the model that were spent on it.
    spent: u64,
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

/// Steps to look ahead; a game that lasts longer is not looked through.
const DEEPEST: u32 = 200;
/// Steps between two looks at whether to go on.
const POLL_INTERVAL: u64 = 64;
/// Steps to spend before much else has been done.
const FIRST: u64 = 10_000;

impl PerfectInformationBound {
    /// What a belief may be worth. No more steps are made in all than half of those that were made
    /// `elsewhere`, and few once `late` says so.
    pub fn of(
        &mut self,
        model: &dyn Model,
        belief: &Distribution,
        most: f64,
        elsewhere: u64,
        late: &mut dyn FnMut() -> bool,
    ) -> Known {
        if !model.has().hash {
            return Known { high: most, sure: false, steps: 0 };
        }
        let left = (FIRST + elsewhere / 2).saturating_sub(self.spent);
        let (mut steps, mut stopped) = (0, false);
        let mut count = || {
            stopped = stopped || steps % POLL_INTERVAL == POLL_INTERVAL - 1 && late();
            if steps == left || stopped {
                return Err(Failure::Stopped(String::new()));
            }
            steps += 1;
            Ok(())
        };
        let mut look = Expectimax {
            model,
            known: &mut self.values,
            order: Order::EndsFirst,
            most,
            longest: DEEPEST,
            count: &mut count,
        };
        let (mut high, mut sure) = (0.0, belief.len() == 1);
        for (state, p) in belief {
            let worth = look.value(state, TO_THE_END, 0).unwrap_or(Worth { returns: [most], sure: false });
            high += p * worth.returns[0];
            sure &= worth.sure;
        }
        self.spent += steps;
        Known { high, sure, steps }
    }
}
