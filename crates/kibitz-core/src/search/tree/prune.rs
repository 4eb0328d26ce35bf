//! Cutting a tree down to what can still be reached.
//!
//! Nodes are found by keys and know nothing of each other; edges know only the node that they led to last. So each
//! node of a tree that is kept from move to move notes what it hangs on when it is added: the last decision of the
//! player who searches. That player never forgets, so its own nodes form a tree, on which those of the others hang,
//! and what hangs on the new root is what simulations from there will meet. But who moves at once with the root
//! hangs on the decision before, as all do who moved since then, and so all of those are kept.
//! (Where several ways lead to a node, with transpositions or to others who do not see what the player does, it goes
//! with the way by which it was found first.)

use std::sync::atomic::Ordering::Relaxed;

use super::{NONE, Node, NodeId, Tree, header};

impl Tree {
    /// Notes what a node hangs on.
    #[inline]
    pub fn hang(&self, id: NodeId, parent: NodeId) {
        if let Some(parents) = &self.parents {
            parents[id as usize].store(parent, Relaxed);
        }
    }

    /// Forgets everything but the node of this key and what hangs on it; and, where others move at once with it, its
    /// neighbours. Nodes and edges get other numbers.
    pub fn prune(&mut self, key: u64, at_once: bool) {
        let root = self.find(key);
        let (Some(root), Some(mut parents)) = (root, self.parents.take()) else { return self.clear() };
        let count = self.len() + 1;
        let mut kept = vec![false; count];
        kept[root as usize] = true;
        // A node comes after what it hangs on.
        for (id, parent) in parents[..count].iter_mut().enumerate().skip(root as usize) {
            kept[id] |= kept[*parent.get_mut() as usize];
        }
        let before = *parents[root as usize].get_mut();
        let beside = |id: NodeId| at_once && before != NONE && parents[id as usize].load(Relaxed) == before;
        let mut numbers = vec![NONE; count];
        let mut next = 1;
        for id in 1..count as NodeId {
            // Workers who share a tree leave nodes that nobody finds.
            if (kept[id as usize] || beside(id)) && self.find(self.key(id)) == Some(id) {
                numbers[id as usize] = next;
                next += 1;
            }
        }
        let (mut edges, mut kept_edges) = (Vec::new(), Vec::new());
        for (id, number) in numbers.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let count = self.edges(id as NodeId).len();
            let mut node = std::mem::take(&mut self.nodes[id]);
            if count > 0 {
                // With what stands before the edges of a wide node.
                let header = header(count);
                let first = std::mem::replace(node.first.get_mut(), (edges.len() + header) as u32) as usize;
                kept_edges.extend((first - header) as u32..(first + count) as u32);
                edges.extend(self.edges[first - header..first + count].iter_mut().map(|edge| {
                    let mut edge = std::mem::take(edge);
                    *edge.child.get_mut() = numbers[*edge.child.get_mut() as usize];
                    edge
                }));
            }
            self.nodes[*number as usize] = node;
            let parent = *parents[id].get_mut() as usize;
            *parents[*number as usize].get_mut() = numbers[parent];
            if let Some(unseen) = &mut self.unseen {
                unseen[*number as usize] = std::mem::take(&mut unseen[id]);
            }
        }
        self.nodes[next as usize..count].iter_mut().for_each(|node| *node = Node::default());
        if let Some(unseen) = &mut self.unseen {
            unseen[next as usize..count].iter_mut().for_each(|unseen| *unseen.get_mut() = false);
        }
        self.parents = Some(parents);
        *self.used_nodes.get_mut() = next;
        *self.used_edges.get_mut() = edges.len() as u32;
        self.edges = edges;
        self.keep_columns(&kept_edges);
        self.index.iter_mut().for_each(|slot| *slot.get_mut() = NONE);
        self.list_all();
        self.reserve(0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Edge;
    use super::*;
    use crate::game::Action;

    /// Adds a node with two edges, behind an edge of another.
    fn grow(tree: &mut Tree, parent: NodeId, action: usize, key: u64) -> NodeId {
        if !tree.has_room(0) {
            tree.grow(0);
        }
        let (id, new) = tree.find_or_add(key, parent).unwrap();
        assert!(new && tree.expand(id, &[Action(key as u32), Action(7)]));
        tree.visit_node(id, key as u32);
        if parent != NONE {
            let edge: &Edge = &tree.edges(parent)[action];
            edge.child.store(id, Relaxed);
            tree.visit_edge(edge, 1);
            tree.add(edge, key as f64, 1);
        }
        id
    }

    #[test]
    fn the_subtree_stays_as_it_was_and_the_rest_is_gone() {
        let mut tree = Tree::new(false, 0.0, true).watching(true);
        // 1 leads to 10 to 19, each of which leads to a hundred more: 1000 to 1099 and so on.
        let root = grow(&mut tree, NONE, 0, 1);
        for child in 10..20 {
            let id = grow(&mut tree, root, 0, child);
            (0..100).for_each(|n| _ = grow(&mut tree, id, (n % 2) as usize, 100 * child + n));
        }
        [1015, 1520, 1599].iter().for_each(|key| tree.mark_unseen(tree.find(*key).unwrap()));
        // Neighbours may move at once with it; what hangs on them is of no use.
        tree.prune(15, true);
        assert_eq!((tree.len(), tree.edge_count()), (110, 220));
        assert!((10..20).all(|key| tree.find(key).is_some()));
        for key in [1, 1000, 1099, 1399, 1600] {
            assert_eq!(tree.find(key), None);
        }
        let id = tree.find(15).unwrap();
        assert_eq!(tree.node(id).visits.load(Relaxed), 15);
        let last = tree.edges(id).iter().map(|edge| tree.key(edge.child.load(Relaxed)));
        assert_eq!(last.collect::<Vec<_>>(), [1598, 1599]);
        assert_eq!(tree.edges(id)[1].visits.load(Relaxed), 50);
        for key in 1500..1600 {
            let id = tree.find(key).unwrap();
            assert_eq!(tree.edges(id)[0].action(), Action(key as u32));
            assert_eq!(tree.is_unseen(id), key == 1520 || key == 1599);
        }
        // A node with very many actions stays whole.
        let wide: Vec<Action> = (0..70_000).map(Action).collect();
        let (id, _) = tree.find_or_add(77, id).unwrap();
        tree.reserve(1, 2 * wide.len());
        assert!(tree.expand(id, &wide) && tree.take_untried(id, wide.len()) == Some(0));
        tree.prune(15, false);
        let id = tree.find(77).unwrap();
        assert_eq!(
            (tree.edges(id).len(), tree.tried(id), tree.edges(id)[69_999].action()),
            (70_000, 1, wide[69_999])
        );
        // It goes on growing, and can be cut down again.
        let leaf = tree.find(1542).unwrap();
        (0..5000).for_each(|n| _ = grow(&mut tree, leaf, 0, 1_000_000 + n));
        tree.prune(1542, false);
        assert_eq!((tree.len(), tree.edge_count(), tree.find(15)), (5001, 10_002, None));
        assert!((0..5000).all(|n| tree.find(1_000_000 + n).is_some()));
        tree.prune(12345, false);
        assert_eq!(tree.len(), 0);
    }
}
