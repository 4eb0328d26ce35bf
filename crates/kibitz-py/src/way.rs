//! What people hand over in place of plain numbers, and the way that led to a state.

use std::sync::Arc;

use kibitz_core::Action;
use pyo3::prelude::*;

use crate::game::State;

/// An action: its number, or its name.
#[derive(FromPyObject)]
pub enum Chosen {
    /// The number.
    Number(u32),
    /// The name, as people write it.
    Name(String),
}

impl Chosen {
    /// Its number in a state; ValueError naming the nearest ones for a name that no legal action has.
    pub fn number(self, py: Python<'_>, state: &State, player: Option<usize>) -> PyResult<u32> {
        match self {
            Chosen::Number(number) => Ok(number),
            Chosen::Name(name) => state.find_action(py, player, &name),
        }
    }
}

/// Where randomness comes from: a seed, or a `random.Random` that is drawn from.
pub struct Seed(pub u64);

impl<'py> FromPyObject<'_, 'py> for Seed {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Seed> {
        match object.getattr_opt("getrandbits")? {
            Some(draw) => Ok(Seed(draw.call1((64,))?.extract()?)),
            None => Ok(Seed(object.extract()?)),
        }
    }
}

/// All joint actions and outcomes from where a game begins; its beginnings are shared.
#[derive(Clone, Default)]
pub struct Way(Option<Arc<Link>>);

struct Link {
    joint: Vec<Action>,
    before: Way,
}

impl Way {
    /// A step farther.
    pub fn then(&self, joint: Vec<Action>) -> Way {
        Way(Some(Arc::new(Link { joint, before: self.clone() })))
    }

    /// The joint actions, the first first.
    pub fn joints(&self) -> Vec<&[Action]> {
        let links = std::iter::successors(self.0.as_deref(), |link| link.before.0.as_deref());
        let mut joints: Vec<_> = links.map(|link| &link.joint[..]).collect();
        joints.reverse();
        joints
    }
}

impl Drop for Way {
    /// One after the other: a long way would overflow the stack.
    fn drop(&mut self) {
        let mut rest = self.0.take();
        while let Some(mut link) = rest.and_then(Arc::into_inner) {
            rest = link.before.0.take();
        }
    }
}
