//! The memory of a search: decisions (nodes), their actions (edges) and an index of keys.
//!
//! A node is one player's decision, found by a key of what is known there; the choice of key makes
//! the tree (see [`super::params::TreeKind`]). Nodes and edges live in two arrays and refer to each
//! other by index. All fields are atomic, so that several workers can share a tree without locks;
//! a lone worker uses plain loads and stores of the same fields, which cost nothing extra.
//! The arrays grow between slices of the search, never under it; [`prune`] cuts them down between searches.

mod columns;
mod node;
mod prune;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::game::Action;
pub use node::{Edge, Node};
use node::{add_f64, add_u32};

/// A visit that is only imagined, with what it changed.
#[derive(Debug)]
pub struct Visit {
    node: NodeId,
    edge: u32,
    excess: u64,
}

/// While one worker lists a node's actions, others find this as their count.
const BUSY: u16 = u16::MAX;
/// A node with so many actions or more has a header before its edges: an edge whose action is their number, and
/// whose visits are how many have been tried. All other nodes stay small.
const WIDE: u16 = BUSY - 1;

/// The index of a node.
pub type NodeId = u32;
/// No node.
pub const NONE: NodeId = 0;
/// In place of an edge: the action by which a node was left the first time. Most nodes of a tree that whole
/// games are added to are never seen again, so edges are made at the second visit.
pub const FIRST: u32 = u32::MAX;

/// Nodes, edges and the index, with room for a slice of the search.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// For each node of a tree that is kept from move to move, the one that it hangs on.
    parents: Option<Vec<AtomicU32>>,
    /// For each node, whether somebody does not see what is chosen there; of a tree that watches for it.
    unseen: Option<Vec<AtomicBool>>,
    /// What the selection keeps of each edge.
    columns: Vec<Vec<AtomicU32>>,
    index: Vec<AtomicU32>,
    used_nodes: AtomicU32,
    used_edges: AtomicU32,
    /// The most edges that a node has wanted so far: there is always room for as many.
    widest: AtomicU32,
    shared: bool,
    /// The lowest return. Edges sum what exceeds it, so that a visit whose result is not known yet
    /// counts as a loss, and other workers look elsewhere meanwhile.
    floor: f64,
}

impl Tree {
    /// An empty tree, for one worker or to be `shared` by several; no return is below `floor`. Only a `kept` one
    /// can be pruned.
    pub fn new(shared: bool, floor: f64, kept: bool) -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            parents: kept.then(Vec::new),
            unseen: None,
            columns: Vec::new(),
            index: Vec::new(),
            used_nodes: AtomicU32::new(1), // number 0 is NONE
            used_edges: AtomicU32::new(0),
            widest: AtomicU32::new(256),
            shared,
            floor,
        };
        tree.reserve(64, 512);
        tree
    }

    /// The same with a mark for each node whose moves somebody does not see, if that is to be watched for.
    #[must_use]
    pub fn watching(mut self, watches: bool) -> Tree {
        self.unseen = watches.then(|| self.nodes.iter().map(|_| AtomicBool::default()).collect());
        self
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        let (nodes, edges) = (self.len() + 1, self.edge_count());
        self.nodes[..nodes].iter_mut().for_each(|node| *node = Node::default());
        self.edges[..edges].iter_mut().for_each(|edge| *edge = Edge::default());
        self.clear_columns(edges);
        self.index.iter_mut().for_each(|slot| *slot.get_mut() = NONE);
        self.unseen.iter_mut().flatten().for_each(|unseen| *unseen.get_mut() = false);
        *self.used_nodes.get_mut() = 1;
        *self.used_edges.get_mut() = 0;
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.used_nodes.load(Relaxed) as usize - 1
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.used_edges.load(Relaxed) as usize
    }

    /// Bytes of all nodes, edges and index slots in use.
    pub fn bytes(&self) -> usize {
        let links = if self.parents.is_some() { 4 * self.len() } else { 0 };
        let marks = if self.unseen.is_some() { self.len() } else { 0 };
        self.len() * size_of::<Node>()
            + self.edge_count() * size_of::<Edge>()
            + self.index.len() * 4
            + links
            + marks
            + 4 * self.columns.len() * self.edge_count()
    }

    /// Makes room for this many more nodes and edges.
    pub fn reserve(&mut self, nodes: usize, edges: usize) {
        let (nodes, edges) = (self.len() + 1 + nodes, self.edge_count() + edges);
        if self.nodes.len() < nodes {
            self.nodes.resize_with(nodes, Node::default);
            if let Some(parents) = &mut self.parents {
                parents.resize_with(nodes, AtomicU32::default);
            }
            if let Some(unseen) = &mut self.unseen {
                unseen.resize_with(nodes, AtomicBool::default);
            }
        }
        if self.edges.len() < edges {
            self.edges.resize_with(edges, Edge::default);
            self.fit_columns();
        }
        // At most four slots in five are taken.
        let slots = (self.nodes.len() * 5 / 4).next_power_of_two();
        if self.index.len() < slots {
            self.index = std::iter::repeat_with(AtomicU32::default).take(slots).collect();
            self.list_all();
        }
    }

    /// Enters all nodes into an empty index.
    fn list_all(&mut self) {
        for id in 1..self.used_nodes.load(Relaxed) {
            let mut slot = self.slot(self.nodes[id as usize].key.load(Relaxed));
            while self.index[slot].load(Relaxed) != NONE {
                slot = (slot + 1) & (self.index.len() - 1);
            }
            self.index[slot].store(id, Relaxed);
        }
    }

    /// Whether a few more simulations fit, the longest of which so far has added so many nodes.
    #[inline]
    pub fn has_room(&self, most_added: usize) -> bool {
        let (nodes, edges) = (64 + 2 * most_added, 4 * self.widest.load(Relaxed) as usize);
        self.len() + nodes < self.nodes.len() && self.edge_count() + edges <= self.edges.len()
    }

    /// Makes room for half as much again as there is; for more where workers share the tree, who
    /// have to wait for each other while it grows, or where simulations have added many nodes each.
    pub fn grow(&mut self, most_added: usize) {
        let widest = *self.widest.get_mut() as usize;
        let least = if self.shared { 16_384 } else { 1024 } + 4 * most_added;
        self.reserve(self.len() / 2 + least, self.edge_count() / 2 + 4 * least + 16 * widest);
    }

    /// A node.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Whether somebody does not see what is chosen at a node, as far as that was found out.
    #[inline]
    pub fn is_unseen(&self, id: NodeId) -> bool {
        self.unseen.as_ref().is_some_and(|unseen| unseen[id as usize].load(Relaxed))
    }

    /// Notes that somebody does not see what is chosen at a node.
    pub fn mark_unseen(&self, id: NodeId) {
        if let Some(unseen) = &self.unseen {
            unseen[id as usize].store(true, Relaxed);
        }
    }

    /// The key that finds a node.
    #[inline]
    pub fn key(&self, id: NodeId) -> u64 {
        self.node(id).key.load(Relaxed)
    }

    /// An edge by its place in the array.
    #[inline]
    pub fn edge(&self, at: u32) -> &Edge {
        &self.edges[at as usize]
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        key as usize & (self.index.len() - 1)
    }

    /// The node of this key, if there is one.
    #[inline]
    pub fn find(&self, key: u64) -> Option<NodeId> {
        let mut slot = self.slot(key);
        loop {
            let id = self.index[slot].load(Acquire);
            if id == NONE {
                return None;
            }
            if self.node(id).key.load(Relaxed) == key {
                return Some(id);
            }
            slot = (slot + 1) & (self.index.len() - 1);
        }
    }

    /// The node of this key and whether it is new; `None` if it is not there and the tree is full. A new one hangs
    /// on `parent`.
    pub fn find_or_add(&self, key: u64, parent: NodeId) -> Option<(NodeId, bool)> {
        match self.find(key) {
            Some(id) => Some((id, false)),
            None => self.add_node(key, parent),
        }
    }

    /// The same for a key that is not there; another worker may just be adding it.
    #[inline]
    pub fn add_node(&self, key: u64, parent: NodeId) -> Option<(NodeId, bool)> {
        let fresh = add_u32(&self.used_nodes, 1, self.shared);
        if fresh as usize >= self.nodes.len() {
            // Only workers sharing a tree get here; nobody hands the number out again.
            self.used_nodes.fetch_sub(1, Relaxed);
            return None;
        }
        self.node(fresh).key.store(key, Relaxed);
        self.hang(fresh, parent);
        let mut slot = self.slot(key);
        loop {
            if !self.shared {
                if self.index[slot].load(Relaxed) == NONE {
                    self.index[slot].store(fresh, Relaxed);
                    return Some((fresh, true));
                }
                slot = (slot + 1) & (self.index.len() - 1);
                continue;
            }
            match self.index[slot].compare_exchange(NONE, fresh, Release, Acquire) {
                Ok(_) => return Some((fresh, true)),
                // Another worker was quicker; our node stays unused.
                Err(other) if self.node(other).key.load(Relaxed) == key => return Some((other, false)),
                Err(_) => slot = (slot + 1) & (self.index.len() - 1),
            }
        }
    }

    /// The node behind an edge, if its key is this one: no look-up needed.
    #[inline]
    pub fn shortcut(&self, edge: Option<u32>, key: u64) -> Option<NodeId> {
        let id = self.edge(edge?).child.load(Acquire);
        (id != NONE && self.node(id).key.load(Relaxed) == key).then_some(id)
    }

    /// The edges of a node; empty until it is expanded.
    #[inline]
    pub fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        match node.count.load(Acquire) {
            // Without edges, `first` may be the action by which the node was left.
            0 | BUSY => &[],
            count => {
                let first = node.first.load(Relaxed) as usize;
                let count = if count == WIDE { self.edges[first - 1].action().0 } else { count.into() };
                &self.edges[first..first + count as usize]
            }
        }
    }

    /// How many of a node's edges have been tried.
    #[inline]
    pub fn tried(&self, id: NodeId) -> usize {
        let node = self.node(id);
        match node.count.load(Relaxed) {
            WIDE => self.edge(self.first_edge(id) - 1).visits.load(Relaxed) as usize,
            _ => node.tried.load(Relaxed).into(),
        }
    }

    /// Makes the edges from a place on those of a node; `header(count)` others are before them.
    fn give_edges(&self, node: &Node, first: usize, count: usize) {
        if header(count) > 0 {
            let header = &self.edges[first - 1];
            header.action.store(count as u32, Relaxed);
            header.visits.store(node.tried.load(Relaxed).into(), Relaxed);
        }
        node.first.store(first as u32, Relaxed);
        node.count.store(count.min(WIDE.into()) as u16, Release);
    }

    /// Where a node's edges begin in the array.
    #[inline]
    pub fn first_edge(&self, id: NodeId) -> u32 {
        self.node(id).first.load(Relaxed)
    }

    /// Gives a node its edges, in this order. False if another worker is at it or it is full.
    pub fn expand(&self, id: NodeId, actions: &[Action]) -> bool {
        let node = self.node(id);
        if node.count.compare_exchange(0, BUSY, Acquire, Relaxed).is_err() {
            return false;
        }
        let wanted = (header(actions.len()) + actions.len()) as u32;
        let begin = add_u32(&self.used_edges, wanted, self.shared);
        if (begin + wanted) as usize > self.edges.len() {
            self.used_edges.fetch_sub(wanted, Relaxed);
            self.widest.fetch_max(wanted, Relaxed);
            node.count.store(0, Release);
            return false;
        }
        let first = begin as usize + header(actions.len());
        for (edge, action) in self.edges[first..].iter().zip(actions) {
            edge.action.store(action.0, Relaxed);
        }
        self.give_edges(node, first, actions.len());
        true
    }

    /// The same where the first edges are parts of actions.
    pub fn expand_parts(&self, id: NodeId, parts: &[Action], actions: &[Action]) -> bool {
        let all = [parts, actions].concat();
        let expanded = self.expand(id, &all);
        if expanded {
            self.edges(id)[..parts.len()].iter().for_each(Edge::mark_part);
        }
        expanded
    }

    /// Notes by which action a new node is left. For a tree that is not shared.
    #[inline]
    pub fn leave_new(&self, id: NodeId, action: Action, count: u32) {
        let node = self.node(id);
        node.first.store(action.0, Relaxed);
        node.tried.store(1, Relaxed);
        node.visits.store(count, Relaxed);
    }

    /// The action by which a node without edges was left.
    #[inline]
    pub fn left_by(&self, id: NodeId) -> Option<Action> {
        let node = self.node(id);
        let only = node.count.load(Relaxed) == 0 && node.tried.load(Relaxed) == 1;
        only.then(|| Action(node.first.load(Relaxed)))
    }

    /// Gives a node that was left before its edges, the first of which is the one it was left by.
    pub fn expand_left(&self, id: NodeId, actions: &[Action]) {
        let value = self.node(id).value();
        if self.expand(id, actions)
            && let [tried, ..] = self.edges(id)
        {
            let visits = self.node(id).visits.load(Relaxed);
            self.visit_edge(tried, visits);
            self.add(tried, value, visits);
            self.note_best(tried, value);
        }
    }

    /// Makes a node one that has not been expanded.
    pub fn forget_edges(&mut self, id: NodeId) {
        let node = self.node(id);
        node.count.store(0, Relaxed);
        node.tried.store(0, Relaxed);
        node.visits.store(0, Relaxed);
    }

    /// Makes sure that a node has an edge for each of these actions, and counts that they were on offer: [`Tree::list`].
    pub fn offer(&self, id: NodeId, actions: &mut [Action]) {
        self.list(id, actions);
        for edge in self.edges(id).iter().filter(|edge| actions.binary_search(&edge.action()).is_ok()) {
            add_u32(&edge.extra, 1, false);
        }
    }

    /// Makes sure that a node has an edge for each of these actions, new ones in their order. The node's edges may move,
    /// and the actions are sorted. For a tree that is not shared.
    pub fn list(&self, id: NodeId, actions: &mut [Action]) {
        let known = self.edges(id);
        let mut missing = self.missing(known, actions);
        actions.sort_unstable();
        if !missing.is_empty() {
            let count = known.len() + missing.len();
            self.widest.fetch_max((header(count) + count) as u32, Relaxed);
            let first = self.used_edges.load(Relaxed) as usize + header(count);
            if first + count > self.edges.len() {
                return; // there is room at the next visit
            }
            let (old, new) = self.edges[first..first + count].split_at(known.len());
            old.iter().zip(known).for_each(|(edge, source)| edge.copy_from(source));
            new.iter()
                .zip(missing.drain(..))
                .for_each(|(edge, action)| edge.action.store(action.0, Relaxed));
            self.copy_columns(self.first_edge(id) as usize, first, known.len());
            self.used_edges.store((first + count) as u32, Relaxed);
            self.give_edges(self.node(id), first, count);
        }
    }

    /// Those of the actions that have no edge yet.
    fn missing(&self, known: &[Edge], actions: &[Action]) -> Vec<Action> {
        /// Comparisons that take less time than sorting.
        const FEW: usize = 1024;
        let all = actions.iter().copied();
        if known.len() * actions.len() <= FEW {
            return all.filter(|action| known.iter().all(|edge| edge.action() != *action)).collect();
        }
        let mut there: Vec<Action> = known.iter().map(Edge::action).collect();
        there.sort_unstable();
        all.filter(|action| there.binary_search(action).is_err()).collect()
    }

    /// Counts the visits of some simulations to a node.
    #[inline]
    pub fn visit_node(&self, id: NodeId, count: u32) {
        add_u32(&self.node(id).visits, count, self.shared);
    }

    /// Counts the visits of some simulations to an edge.
    #[inline]
    pub fn visit_edge(&self, edge: &Edge, count: u32) {
        add_u32(&edge.visits, count, self.shared);
    }

    /// Takes the next untried edge of a node, if there is one left.
    #[inline]
    pub fn take_untried(&self, id: NodeId, count: usize) -> Option<usize> {
        if count >= WIDE.into() {
            let tried = &self.edge(self.first_edge(id) - 1).visits;
            let next = |n: u32| ((n as usize) < count).then_some(n + 1);
            return tried.fetch_update(Relaxed, Relaxed, next).ok().map(|n| n as usize);
        }
        let tried = &self.node(id).tried;
        let next = tried.load(Relaxed);
        if next as usize >= count {
            return None;
        }
        if !self.shared {
            tried.store(next + 1, Relaxed);
            return Some(next as usize);
        }
        tried
            .fetch_update(Relaxed, Relaxed, |n| ((n as usize) < count).then_some(n + 1))
            .ok()
            .map(usize::from)
    }

    /// Adds the mean return of some visits to an edge.
    #[inline]
    pub fn add(&self, edge: &Edge, value: f64, count: u32) {
        add_f64(&edge.excess, f64::from(count) * (value - self.floor), self.shared);
    }

    /// Notes a visit that changes no mean, until it is taken back.
    pub fn pretend(&self, node: NodeId, edge: u32) -> Visit {
        let at = self.edge(edge);
        let visit = Visit { node, edge, excess: at.excess.load(Relaxed) };
        let mean = self.mean(at);
        self.visit_node(node, 1);
        self.visit_edge(at, 1);
        self.add(at, mean, 1);
        visit
    }

    /// Takes a visit back; the latest first.
    pub fn take_back(&self, visit: Visit) {
        let (node, edge) = (self.node(visit.node), self.edge(visit.edge));
        node.visits.store(node.visits.load(Relaxed) - 1, Relaxed);
        edge.visits.store(edge.visits.load(Relaxed) - 1, Relaxed);
        edge.excess.store(visit.excess, Relaxed);
    }

    /// The mean return of an edge.
    #[inline]
    pub fn mean(&self, edge: &Edge) -> f64 {
        edge.excess() / f64::from(edge.visits.load(Relaxed).max(1)) + self.floor
    }

    /// The lowest return.
    #[inline]
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// Notes a return as the edge's best if it is. (The first visit sets it.)
    #[inline]
    pub fn note_best(&self, edge: &Edge, value: f64) {
        let best = f32::from_bits(edge.extra.load(Relaxed));
        if edge.visits.load(Relaxed) <= 1 || value as f32 > best {
            edge.extra.store((value as f32).to_bits(), Relaxed);
        }
    }
}

/// How many edges a node with so many actions has before those of its actions.
fn header(actions: usize) -> usize {
    usize::from(actions >= WIDE.into())
}

#[cfg(test)]
mod tests;
