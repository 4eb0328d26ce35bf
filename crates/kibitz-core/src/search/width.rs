//! Sparse sampling: only the first few outcomes that chance gave at a place are ever considered.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::game::Action;
use crate::rng::Rng;

/// The outcomes seen so far at each chance turn of the tree (Algorithm 1 of the Klondike paper:
/// the first `width` draws are kept, later ones are made uniformly among them).
#[derive(Debug)]
pub(super) struct Widths {
    width: usize,
    seen: Mutex<BTreeMap<u64, Vec<Action>>>,
}

impl Widths {
    pub fn new(width: u32) -> Widths {
        Widths { width: width as usize, seen: Mutex::default() }
    }

    /// An outcome at the place with this key; `draw` is only called while there are too few.
    pub fn draw(&self, key: u64, rng: &mut Rng, draw: impl FnOnce(&mut Rng) -> Action) -> Action {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let outcomes = seen.entry(key).or_default();
        if outcomes.len() < self.width {
            outcomes.push(draw(rng));
            return outcomes[outcomes.len() - 1];
        }
        outcomes[rng.below(outcomes.len() as u32) as usize]
    }
}
