//! The legal moves of all roles in a state.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use kibitz_core::game::Action;
use kibitz_core::rng::derive;
use smallvec::SmallVec;

use super::machine::Outlook;

/// A move for each role.
pub(super) type Joint = SmallVec<[u32; 4]>;

/// As many as that are kept in the state itself.
const FEW: usize = 16;

/// Numbers that many states have in common if they are many.
#[derive(Clone)]
pub(super) enum Legal {
    Few(SmallVec<[u32; FEW]>),
    Many(Arc<Many>),
}

/// Many numbers.
#[derive(Default)]
pub(super) struct Many {
    numbers: Vec<u32>,
    /// For each role, a key of its legal moves.
    keys: Vec<u64>,
}

impl Deref for Legal {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Legal::Few(numbers) => numbers,
            Legal::Many(many) => &many.numbers,
        }
    }
}

impl Legal {
    /// Where each role's moves begin and the last one's end, and the moves.
    pub(super) fn of(outlook: &Outlook, last: &mut Arc<Many>) -> Legal {
        let begin = outlook.ends.len() as u32 + 1;
        let bounds = || std::iter::once(begin).chain(outlook.ends.iter().map(|end| begin + end));
        let count = begin as usize + outlook.moves.len();
        if count <= FEW {
            return Legal::Few(bounds().chain(outlook.moves.iter().copied()).collect());
        }
        let (known, moves) = last.numbers.split_at(last.numbers.len().min(begin as usize));
        if moves != outlook.moves.as_slice() || !known.iter().copied().eq(bounds()) {
            let roles = 0..outlook.ends.len();
            let keys = roles.map(|role| key(outlook.of(role))).collect();
            let numbers = bounds().chain(outlook.moves.iter().copied()).collect();
            *last = Arc::new(Many { numbers, keys });
        }
        Legal::Many(last.clone())
    }

    /// The legal moves of a role, in the order of what they are.
    #[inline]
    pub(super) fn of_role(&self, role: usize) -> &[u32] {
        &self[self[role] as usize..self[role + 1] as usize]
    }

    /// A key of the legal moves of a role.
    pub(super) fn key(&self, role: usize) -> u64 {
        match self {
            Legal::Few(_) => key(self.of_role(role)),
            Legal::Many(many) => many.keys[role],
        }
    }
}

/// Any one of these moves; 0 where there is none.
#[inline]
pub(super) fn one_of(moves: &[u32], rng: &mut kibitz_core::Rng) -> Action {
    moves.get(rng.below(moves.len() as u32) as usize).map_or(Action(0), |number| Action(*number))
}

/// These moves, all as likely.
pub(super) fn as_likely(moves: &[u32]) -> impl Iterator<Item = (Action, f64)> {
    moves.iter().map(|number| (Action(*number), 1.0 / moves.len() as f64))
}

/// A key of some numbers.
fn key(numbers: &[u32]) -> u64 {
    numbers.iter().fold(numbers.len() as u64, |key, number| derive(key, u64::from(*number)))
}

thread_local! {
    /// Where machines write, and the last long list of moves, which the next state may have again.
    pub(super) static OUTLOOK: RefCell<(Outlook, Arc<Many>)> = RefCell::default();
}
