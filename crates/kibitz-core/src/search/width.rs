//! What chance does after an action: sparse sampling, which considers only a few outcomes that it gave once, and
//! even draws, which bring each outcome as often as it is probable.

use crate::game::Action;
use crate::rng::{Rng, derive, mix};

/// The children of each state and action (Algorithm 1 of the Klondike paper: the first `width` visits draw
/// one each, later ones choose uniformly among those; outcomes that are drawn twice count twice).
///
/// Nothing is kept: child number i is what chance draws from a stream that the action's path, i and a seed
/// make, as often as it is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    width: u32,
    seed: u64,
}

impl Width {
    pub fn new(width: u32, seed: u64) -> Width {
        Width { width, seed }
    }

    /// What chance draws from behind an action with this path that was taken so many times before; if that
    /// is not known, any child.
    pub fn stream(&self, path: u64, before: Option<u32>, rng: &mut Rng) -> Rng {
        let next = before.filter(|before| *before < self.width);
        let child = next.unwrap_or_else(|| rng.below(self.width));
        Rng::new(derive(derive(self.seed, path), child.into()))
    }
}

/// Where chance is after an action was taken so often: steps of the golden section round a circle, which fill it
/// evenly however many there are. Each edge begins somewhere else.
#[inline]
pub(super) fn even_quantile(edge: u32, before: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let begin = (mix(edge.into()) >> 11) as f64 / (1u64 << 53) as f64;
    (begin + f64::from(before) * GOLDEN).fract()
}

/// The outcome at a quantile, and where that is within the outcome, from 0 to 1: the quantile of what comes next.
#[inline]
pub(super) fn outcome_at(outcomes: &[(Action, f64)], quantile: f64) -> (Action, f64) {
    let mut left = quantile;
    for (outcome, probability) in outcomes {
        if left < *probability {
            return (*outcome, left / probability);
        }
        left -= probability;
    }
    (outcomes.last().map_or(Action(0), |(outcome, _)| *outcome), 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_draws_come_as_often_as_they_are_probable() {
        let outcomes = [(Action(0), 0.5), (Action(1), 0.25), (Action(2), 0.25)];
        for edge in 0..20 {
            let mut counts = [[0; 2]; 3];
            for before in 0..100 {
                let (first, rest) = outcome_at(&outcomes, even_quantile(edge, before));
                let (second, _) = outcome_at(&[(Action(0), 0.5), (Action(1), 0.5)], rest);
                counts[first.0 as usize][second.0 as usize] += 1;
            }
            for (row, expected) in counts.iter().zip([25, 12, 12]) {
                assert!(row.iter().all(|count| i32::abs(count - expected) <= 4), "{counts:?}");
            }
        }
    }

    #[test]
    fn the_first_visits_draw_and_later_ones_choose_among_them_evenly() {
        let (width, mut rng) = (Width::new(3, 7), Rng::new(1));
        let mut child = |path, before| width.stream(path, before, &mut rng).bits();
        let children: Vec<u64> = (0..3).map(|before| child(5, Some(before))).collect();
        assert!(children[0] != children[1] && children[1] != children[2] && children[0] != children[2]);
        let mut counts = [0; 3];
        for before in 3..3003 {
            let before = Some(before).filter(|n| n % 2 == 0);
            let drawn = child(5, before);
            counts[children.iter().position(|known| *known == drawn).unwrap()] += 1;
        }
        // Five standard deviations.
        assert!(counts.iter().all(|count| (870..1130).contains(count)), "{counts:?}");
        assert!(!children.contains(&child(6, Some(0))));
    }
}
