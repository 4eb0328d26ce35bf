//! What nodes and edges hold.

use super::*;

#[test]
fn a_node_and_its_edge_are_small() {
    assert_eq!((size_of::<Node>(), size_of::<Edge>()), (24, 24));
}

#[test]
fn a_first_visit_needs_no_edges_and_is_not_lost() {
    let tree = Tree::new(false, -1.0, false);
    let (id, _) = tree.add_node(42, NONE).unwrap();
    assert_eq!((tree.left_by(id), tree.find(42)), (None, Some(id)));
    tree.leave_new(id, Action(7), 1);
    tree.node(id).set_value(0.5);
    assert_eq!((tree.left_by(id), tree.edges(id).len()), (Some(Action(7)), 0));
    tree.expand_left(id, &[Action(7), Action(3)]);
    let edges = tree.edges(id);
    let visits = edges.iter().map(|edge| edge.visits.load(Relaxed)).collect::<Vec<_>>();
    assert_eq!((visits, tree.mean(&edges[0]), edges[0].best()), (vec![1, 0], 0.5, 0.5));
    assert_eq!((tree.left_by(id), tree.take_untried(id, 2)), (None, Some(1)));
}

#[test]
fn what_is_on_offer_is_counted_by_itself() {
    let tree = Tree::new(false, 0.0, false);
    let (id, _) = tree.find_or_add(42, NONE).unwrap();
    let edge = |action: u32| tree.edges(id).iter().find(|edge| edge.action() == Action(action));
    tree.offer(id, &mut [Action(1), Action(2)]);
    tree.visit_edge(edge(2).unwrap(), 1);
    tree.add(edge(2).unwrap(), 3.0, 1);
    // Another world offers something else: what is known of the others stays.
    tree.offer(id, &mut [Action(5), Action(2)]);
    tree.offer(id, &mut [Action(5)]);
    let offers = |action| edge(action).map(Edge::offers);
    assert_eq!([1, 2, 5].map(offers), [Some(1), Some(2), Some(2)]);
    assert_eq!((tree.mean(edge(2).unwrap()), tree.edges(id).len()), (3.0, 3));
}

#[test]
fn a_node_holds_all_actions_however_many() {
    for many in [WIDE as usize - 1, WIDE as usize, 3 * usize::from(WIDE)] {
        let mut actions: Vec<Action> = (0..many as u32).rev().map(Action).collect();
        let mut tree = Tree::new(false, 0.0, false);
        tree.reserve(4, 4 * many + 16);
        let [(expanded, _), (left, _), (offered, _)] =
            [1, 2, 3].map(|key| tree.add_node(key, NONE).unwrap());
        assert!(tree.expand(expanded, &actions));
        tree.leave_new(left, actions[0], 1);
        tree.expand_left(left, &actions);
        tree.offer(offered, &mut [Action(0), Action(5)]);
        tree.offer(offered, &mut actions);
        for id in [expanded, left, offered] {
            let mut there: Vec<Action> = tree.edges(id).iter().map(Edge::action).collect();
            there.sort_unstable();
            assert_eq!(there, actions);
        }
        assert_eq!([expanded, left].map(|id| tree.tried(id)), [0, 1]);
        for id in [expanded, left] {
            let rest: Vec<usize> = std::iter::from_fn(|| tree.take_untried(id, many)).collect();
            assert_eq!((rest.len(), rest.last()), (many - usize::from(id == left), Some(&(many - 1))));
            assert_eq!(tree.tried(id), many);
        }
        assert!(tree.edges(offered).iter().all(|edge| (1..=2).contains(&edge.offers())));
    }
}

#[test]
fn nodes_are_found_again_after_growth() {
    let mut tree = Tree::new(false, 0.0, false);
    let keys: Vec<u64> = (1..5000).map(crate::rng::mix).collect();
    for key in &keys {
        if !tree.has_room(0) {
            tree.grow(0);
        }
        let (id, new) = tree.find_or_add(*key, NONE).unwrap();
        assert!(new && tree.expand(id, &[Action(7), Action(*key as u32)]));
    }
    for key in &keys {
        let id = tree.find(*key).unwrap();
        assert_eq!(tree.edges(id)[1].action(), Action(*key as u32));
    }
    assert_eq!(tree.find(12345), None);
    assert_eq!(tree.len(), keys.len());
}
