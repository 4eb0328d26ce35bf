//! What players are taken to want: what the game pays, or more than the others.

use crate::game::Info;
use crate::params::words;

words! {
    /// What the players of a search want.
    Aim {
        /// What the game pays them.
        Return = "return",
        /// To get more than the others do on average.
        Lead = "lead",
        /// To get most of all; those who tie share it.
        Win = "win",
    }
}

impl Aim {
    /// The least and the most that somebody can get of it, and by how much good and bad play differ.
    pub fn range(self, info: &Info) -> (f64, f64, f64) {
        let width = info.max_return - info.min_return;
        match self {
            Aim::Return => (info.min_return, info.max_return, info.spread),
            Aim::Lead => (-width, width, info.spread),
            Aim::Win => (0.0, 1.0, 1.0),
        }
    }

    /// Makes of what the players get what they want.
    pub fn take(self, returns: &mut [f64]) {
        match self {
            Aim::Return => {}
            Aim::Lead => {
                let others = (returns.len() - 1).max(1) as f64;
                let sum: f64 = returns.iter().sum();
                returns.iter_mut().for_each(|own| *own -= (sum - *own) / others);
            }
            Aim::Win => {
                let most = returns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let is_first = |value: f64| value >= most - 1e-9 * most.abs().max(1.0);
                let share = 1.0 / returns.iter().filter(|value| is_first(**value)).count().max(1) as f64;
                returns.iter_mut().for_each(|own| *own = if is_first(*own) { share } else { 0.0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_of(aim: Aim, mut returns: Vec<f64>) -> Vec<f64> {
        aim.take(&mut returns);
        returns
    }

    #[test]
    fn a_lead_is_over_the_mean_of_the_others() {
        assert_eq!(made_of(Aim::Return, vec![0.5, 0.25, 0.0]), [0.5, 0.25, 0.0]);
        assert_eq!(made_of(Aim::Lead, vec![0.5, 0.25, 0.0]), [0.375, 0.0, -0.375]);
        assert_eq!(made_of(Aim::Lead, vec![1.0, -1.0]), [2.0, -2.0]);
    }

    #[test]
    fn a_win_is_shared_by_those_who_tie() {
        assert_eq!(made_of(Aim::Win, vec![0.1, 0.3, 0.2]), [0.0, 1.0, 0.0]);
        assert_eq!(made_of(Aim::Win, vec![0.3, 0.1 + 0.2, 0.2]), [0.5, 0.5, 0.0]);
        assert_eq!(made_of(Aim::Win, vec![-1.0, -1.0]), [0.5, 0.5]);
    }
}
