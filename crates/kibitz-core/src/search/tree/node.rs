//! What a tree is made of: nodes and edges, all of whose fields are atomic.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::game::Action;

/// A decision of one player: 24 bytes.
#[derive(Default, Debug)]
pub struct Node {
    pub(super) key: AtomicU64,
    /// How many simulations came here.
    pub visits: AtomicU32,
    /// Where its edges begin; the action that was tried, as long as there are none.
    pub(super) first: AtomicU32,
    /// How many there are; `WIDE` where a header before them says it.
    pub(super) count: AtomicU16,
    /// How many of the edges have been tried; they are tried in order. Of a wide node the header says it.
    pub(super) tried: AtomicU16,
    /// The value last backed up to the parent (backup=max only), or the return of the only visit.
    pub(super) value: AtomicU32,
}

/// One action at a node: 24 bytes.
#[derive(Default, Debug)]
pub struct Edge {
    pub(super) action: AtomicU32,
    /// How many simulations took it.
    pub visits: AtomicU32,
    pub(super) excess: AtomicU64,
    /// The node last reached through it: a shortcut past the index.
    pub child: AtomicU32,
    /// The best return so far (backup=mixmax), how often the action was on offer (observers=one), or a mark.
    pub(super) extra: AtomicU32,
}

/// The edge is a part of actions and not an action.
const PART: u32 = 1;
/// What comes of the edge is known, and always the same.
const SPENT: u32 = 2;

impl Node {
    /// The value last backed up from here.
    #[inline]
    pub fn value(&self) -> f64 {
        f64::from(f32::from_bits(self.value.load(Relaxed)))
    }

    /// Sets the value backed up from here and gives it back as stored.
    #[inline]
    pub fn set_value(&self, value: f64) -> f64 {
        self.value.store((value as f32).to_bits(), Relaxed);
        f64::from(value as f32)
    }
}

impl Edge {
    /// The action.
    #[inline]
    pub fn action(&self) -> Action {
        Action(self.action.load(Relaxed))
    }

    /// By how much the returns exceeded the lowest possible ones, in all.
    #[inline]
    pub fn excess(&self) -> f64 {
        f64::from_bits(self.excess.load(Relaxed))
    }

    /// How often the action was on offer.
    #[inline]
    pub fn offers(&self) -> u32 {
        self.extra.load(Relaxed)
    }

    /// Whether it is a part of actions and not an action (expansion=action-tree).
    #[inline]
    pub fn is_part(&self) -> bool {
        self.extra.load(Relaxed) == PART
    }

    pub(super) fn mark_part(&self) {
        self.extra.store(PART, Relaxed);
    }

    /// Whether what comes of it is known (horizon=turn).
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.extra.load(Relaxed) == SPENT
    }

    /// Notes that it is.
    pub fn mark_spent(&self) {
        self.extra.store(SPENT, Relaxed);
    }

    pub(super) fn copy_from(&self, source: &Edge) {
        self.action.store(source.action.load(Relaxed), Relaxed);
        self.visits.store(source.visits.load(Relaxed), Relaxed);
        self.excess.store(source.excess.load(Relaxed), Relaxed);
        self.child.store(source.child.load(Relaxed), Relaxed);
        self.extra.store(source.extra.load(Relaxed), Relaxed);
    }

    /// The best return so far.
    #[inline]
    pub fn best(&self) -> f64 {
        f64::from(f32::from_bits(self.extra.load(Relaxed)))
    }
}

#[inline]
pub(super) fn add_u32(cell: &AtomicU32, amount: u32, shared: bool) -> u32 {
    if shared {
        return cell.fetch_add(amount, Relaxed);
    }
    let old = cell.load(Relaxed);
    cell.store(old + amount, Relaxed);
    old
}

#[inline]
pub(super) fn add_f64(cell: &AtomicU64, amount: f64, shared: bool) {
    let add = |bits| (f64::from_bits(bits) + amount).to_bits();
    if shared {
        let _ = cell.fetch_update(Relaxed, Relaxed, |bits| Some(add(bits)));
    } else {
        cell.store(add(cell.load(Relaxed)), Relaxed);
    }
}
