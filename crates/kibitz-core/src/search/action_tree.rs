//! Action trees: an action is chosen part by part, its type, then its source, and the action itself last.
//!
//! A node of such a search has an edge for each part that its actions begin with, which leads to a node of its own, and an
//! edge for each action that has no more parts. Where all actions share a part, it is passed over.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use super::tree::{Edge, NONE, NodeId, Tree};
use crate::game::Action;
use crate::keys::{Kind, join};
use crate::model::{Model, State};

/// What may be chosen next at a node.
#[derive(Default)]
pub(super) struct Layer {
    /// Parts that several actions have, ascending.
    pub parts: Vec<Action>,
    /// Actions of which nothing else is left to be chosen, or whose last part is theirs alone.
    pub actions: Vec<Action>,
    /// All actions that have the parts which have been chosen.
    pub all: Vec<Action>,
}

/// What may be chosen of these legal actions after the given parts.
pub(super) fn layer(
    model: &dyn Model,
    state: &State,
    player: usize,
    legal: &[Action],
    chosen: &[Action],
) -> Layer {
    let mut scratch = Vec::new();
    let mut left: Vec<(Action, Vec<u32>)> = Vec::with_capacity(legal.len());
    for action in legal {
        scratch.clear();
        model.factors(state, player, *action, &mut scratch);
        left.push((*action, scratch.clone()));
    }
    let (mut depth, mut chosen) = (0, chosen.iter());
    loop {
        // What all have in common is no choice.
        let first = left.first().and_then(|(_, parts)| parts.get(depth).copied());
        if first.is_some() && left.iter().all(|(_, parts)| parts.get(depth).copied() == first) {
            depth += 1;
            continue;
        }
        let Some(Action(part)) = chosen.next() else { break };
        left.retain(|(_, parts)| parts.get(depth) == Some(part));
        depth += 1;
    }
    let mut layer = Layer { all: left.iter().map(|(action, _)| *action).collect(), ..Layer::default() };
    let mut counts: BTreeMap<u32, ()> = BTreeMap::new();
    for (action, parts) in &left {
        match parts.get(depth) {
            Some(part) => drop(counts.insert(*part, ())),
            None => layer.actions.push(*action),
        }
    }
    layer.parts = counts.into_keys().map(Action).collect();
    layer
}

/// The node that a part leads to; `None` where the tree is full.
pub(super) fn behind(tree: &Tree, id: NodeId, edge: u32, parent: NodeId) -> Option<NodeId> {
    let key = join(Kind::Part, tree.key(id), u64::from(tree.edge(edge).action().0));
    if let Some(there) = tree.shortcut(Some(edge), key) {
        return Some(there);
    }
    let (there, _) = tree.find_or_add(key, parent)?;
    tree.edge(edge).child.store(there, Relaxed);
    Some(there)
}

/// The node behind a part, if it is there.
fn there(edge: &Edge) -> Option<NodeId> {
    Some(edge.child.load(Relaxed)).filter(|id| *id != NONE)
}

/// The edges of all actions of a node, through all of their parts.
pub(super) fn ground<'a>(tree: &'a Tree, id: NodeId, found: &mut Vec<&'a Edge>) {
    for edge in tree.edges(id) {
        match (edge.is_part(), there(edge)) {
            (true, Some(next)) => ground(tree, next, found),
            (true, None) => {}
            (false, _) => found.push(edge),
        }
    }
}

/// The action that is come to if at each node the best edge is taken.
pub(super) fn descend(
    tree: &Tree,
    mut id: NodeId,
    best: impl Fn(&[Edge]) -> Option<&Edge>,
) -> Option<Action> {
    loop {
        let edge = best(tree.edges(id))?;
        if !edge.is_part() {
            return Some(edge.action());
        }
        id = there(edge)?;
    }
}
