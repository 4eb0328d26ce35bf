//! Sparse sampling: only a few outcomes that chance gave after an action are ever considered.

use crate::rng::{Purpose, Rng, derive};

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
        Rng::stream(derive(self.seed, path), Purpose::Child(child))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
