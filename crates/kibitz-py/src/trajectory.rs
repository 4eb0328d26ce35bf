//! How a state was come to.

use std::sync::Arc;

use kibitz_core::Action;

/// All joint actions and outcomes from where a game begins; its beginnings are shared.
#[derive(Clone, Default)]
pub struct Trajectory(Option<Arc<Link>>);

struct Link {
    joint: Vec<Action>,
    before: Trajectory,
}

impl Trajectory {
    /// A step farther.
    pub fn then(&self, joint: Vec<Action>) -> Trajectory {
        Trajectory(Some(Arc::new(Link { joint, before: self.clone() })))
    }

    /// The joint actions, the first first.
    pub fn joints(&self) -> Vec<&[Action]> {
        let links = std::iter::successors(self.0.as_deref(), |link| link.before.0.as_deref());
        let mut joints: Vec<_> = links.map(|link| &link.joint[..]).collect();
        joints.reverse();
        joints
    }
}

impl Drop for Trajectory {
    /// One after the other: a long one would overflow the stack.
    fn drop(&mut self) {
        let mut rest = self.0.take();
        while let Some(mut link) = rest.and_then(Arc::into_inner) {
            rest = link.before.0.take();
        }
    }
}
