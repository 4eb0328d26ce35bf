//! `uniform`: every action equally often.

use std::sync::atomic::Ordering::Relaxed;

use super::super::tree::Edge;
use super::{Choices, Picked, Scratch, Selection, register_selection};
use crate::params::NoParams;
use crate::rng::Rng;

register_selection!("uniform", "The action that was tried least.", NoParams, |_| Ok(Box::new(Uniform)));

struct Uniform;

impl Selection for Uniform {
    fn explores(&self) -> bool {
        false
    }

    fn pick(&self, at: &Choices, _: &mut Scratch, rng: &mut Rng) -> Option<Picked> {
        least_visited(at.edges, |edge| at.is_offered(edge), at.unseen, rng).map(|edge| (edge, None))
    }
}

/// The first of the least visited edges that can be chosen; any of them, where others choose without seeing which.
fn least_visited(
    edges: &[Edge],
    can_be: impl Fn(&Edge) -> bool,
    unseen: bool,
    rng: &mut Rng,
) -> Option<usize> {
    let (mut least, mut chosen, mut equal) = (u32::MAX, None, 0);
    for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| can_be(edge)) {
        let visits = edge.visits.load(Relaxed);
        if chosen.is_none() || visits < least {
            (least, chosen, equal) = (visits, Some(index), 1);
        } else if unseen && visits == least {
            equal += 1;
            if rng.below(equal) == 0 {
                chosen = Some(index);
            }
        }
    }
    chosen
}
