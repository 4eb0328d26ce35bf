//! Regret minimisation against what is known of small games.

use kibitz_core::equilibrium::{Method, Options, Solver, Tree, Unwritten, worth};
use kibitz_core::{SharedModel, registry};

fn game(spec: &str) -> SharedModel {
    registry::game(&spec.parse().unwrap()).unwrap()
}

fn solved(spec: &str, method: Method, iterations: u64, options: Options) -> Solver {
    let mut solver = Solver::new(&game(spec), method, options, &mut || false).unwrap();
    solver.run(iterations, &mut || false).unwrap();
    solver
}

fn tree(spec: &str) -> Tree {
    Tree::new(&*game(spec), 1_000_000, &mut || false).unwrap()
}

fn uniform(tree: &Tree) -> Vec<f64> {
    let mut strategy = vec![1.0; tree.actions.len()];
    for set in &tree.sets {
        strategy[set.sequences()].fill(1.0 / f64::from(set.count));
    }
    strategy
}

#[test]
fn trees_have_their_known_sizes() {
    for (spec, nodes, sets) in
        [("kuhn-poker", 58, 12), ("leduc-poker", 9457, 936), ("rock-paper-scissors", 13, 2)]
    {
        let tree = tree(spec);
        assert_eq!((tree.size(), tree.sets.len()), (nodes, sets), "{spec}");
    }
}

#[test]
fn each_side_has_its_sets_and_sequences() {
    // Six information sets each, and a sequence for each action plus the empty one.
    let kuhn = tree("kuhn-poker");
    let sizes = |side: &kibitz_core::equilibrium::Side| (side.sets.len(), side.sequences.len());
    assert_eq!(kuhn.sides.iter().map(sizes).collect::<Vec<_>>(), [(6, 13), (6, 13)]);
    // The first player begins, with any of three cards.
    assert_eq!(kuhn.opening(), [0, 2, 4]);
    assert_eq!(tree("rock-paper-scissors").opening(), [0]);
}

#[test]
fn nobody_forgets() {
    let tree = tree("leduc-poker");
    for (player, side) in tree.sides.iter().enumerate() {
        for number in side.sets.clone() {
            let set = tree.sets[number];
            assert_eq!(set.player as usize, player);
            // What leads to an information set is the player's own, and comes before it.
            assert!(side.sequences.contains(&(set.parent as usize)) && set.parent < set.first);
        }
    }
}

#[test]
fn values_are_the_known_ones() {
    let kuhn = solved("kuhn-poker", Method::CfrPlus, 20_000, Options::default()).worth().unwrap();
    assert!((kuhn.values[0] + 1.0 / 18.0).abs() < 1e-6, "{kuhn:?}");
    assert!(kuhn.nash_conv() < 1e-4, "{kuhn:?}");
    let leduc = solved("leduc-poker", Method::CfrPlus, 2_000, Options::default()).worth().unwrap();
    assert!((leduc.values[0] + 0.085_606_4).abs() < 1e-4, "{leduc:?}");
    assert!(leduc.nash_conv() < 5e-3, "{leduc:?}");
}

#[test]
fn every_method_comes_near_an_equilibrium() {
    for (method, iterations, near) in [
        (Method::Cfr, 2_000, 0.002),
        (Method::CfrPlus, 2_000, 0.0002),
        (Method::ExternalSampling, 200_000, 0.01),
        (Method::OutcomeSampling, 500_000, 0.02),
    ] {
        let worth = solved("kuhn-poker", method, iterations, Options::default()).worth().unwrap();
        assert!(worth.nash_conv() < near, "{method:?}: {}", worth.nash_conv());
    }
    let at_once = Options { alternating: false, ..Options::default() };
    let worth = solved("kuhn-poker", Method::Cfr, 10_000, at_once).worth().unwrap();
    assert!(worth.nash_conv() < 0.01, "{}", worth.nash_conv());
}

#[test]
fn those_who_move_at_once_do_not_see_each_other() {
    let tree = tree("rock-paper-scissors");
    let flat = worth(&tree, &uniform(&tree)).unwrap();
    assert!(flat.nash_conv().abs() < 1e-12, "{flat:?}");
    // Always rock can be beaten for sure.
    let mut rock = uniform(&tree);
    rock[tree.sets[0].sequences()].copy_from_slice(&[1.0, 0.0, 0.0]);
    let beaten = worth(&tree, &rock).unwrap();
    assert_eq!((beaten.best[0], beaten.best[1]), (0.0, 1.0));
    let average =
        solved("rock-paper-scissors", Method::ExternalSampling, 100_000, Options::default()).average();
    for set in &tree.sets {
        assert!(average[set.sequences()].iter().all(|p| (p - 1.0 / 3.0).abs() < 0.01), "{average:?}");
    }
}

#[test]
fn sampling_without_a_tree_learns_the_same() {
    // The tree is too large by one node.
    let options = Options { nodes: 57, ..Options::default() };
    for (method, iterations) in [(Method::ExternalSampling, 50_000), (Method::OutcomeSampling, 200_000)] {
        let open = solved("kuhn-poker", method, iterations, options);
        assert!(open.tree().is_none() && open.worth().is_none());
        assert_eq!(open.sets().len(), 12);
        // Its averages in the places that they have in a tree, by how the sets are come to.
        let whole = tree("kuhn-poker");
        let average = open.average();
        let mut strategy = uniform(&whole);
        for (number, set) in whole.sets.iter().enumerate() {
            let key = |history: Vec<kibitz_core::Action>| {
                let own = history[set.player as usize];
                (own, history[2..].to_vec())
            };
            let same = (0..open.sets().len()).find(|&other| {
                open.sets()[other].player == set.player
                    && key(open.history(other)) == key(whole.history(number))
            });
            let found = open.sets()[same.unwrap()];
            strategy[set.sequences()].copy_from_slice(&average[found.sequences()]);
        }
        let near = worth(&whole, &strategy).unwrap().nash_conv();
        assert!(near < 0.04, "{method:?}: {near}");
    }
}

#[test]
fn a_table_that_is_full_is_played_on() {
    let options = Options { nodes: 10, ..Options::default() };
    let mut some = solved("kuhn-poker", Method::ExternalSampling, 20_000, options);
    assert!(some.is_full());
    assert_eq!(some.sets().len(), 5);
    // What is learned first, against uniform play elsewhere, is nothing like an equilibrium, but it is legal.
    let played = some.estimate(20_000, &mut || false).unwrap().unwrap();
    assert!((played.means[0] + played.means[1]).abs() < 1e-9 && played.errors[0] < 0.02, "{played:?}");
}

#[test]
fn values_of_what_is_too_large_are_estimated() {
    let options = Options { nodes: 57, ..Options::default() };
    let mut open = solved("kuhn-poker", Method::ExternalSampling, 100_000, options);
    assert!(!open.is_full());
    let played = open.estimate(100_000, &mut || false).unwrap().unwrap();
    assert!((played.means[0] + 1.0 / 18.0).abs() < 5.0 * played.errors[0], "{played:?}");
    assert!((0.002..0.006).contains(&played.errors[0]), "{played:?}");
    // Nobody estimates what is known.
    let mut whole = solved("kuhn-poker", Method::Cfr, 10, Options::default());
    assert_eq!(whole.estimate(10, &mut || false).unwrap(), None);
}

#[test]
fn a_long_iteration_can_be_broken_off() {
    let mut solver =
        Solver::new(&game("connect-four"), Method::ExternalSampling, Options::default(), &mut || false)
            .unwrap();
    let mut looks = 0;
    let mut pause = || {
        looks += 1;
        looks > 100
    };
    solver.run(1, &mut pause).unwrap();
    assert_eq!(solver.iterations, 0);
    assert!(solver.average().iter().all(|p| p.is_finite()));
}

#[test]
fn the_same_seed_gives_the_same_strategy() {
    let seeded = |seed| Options { seed, ..Options::default() };
    let run = |seed| solved("leduc-poker", Method::ExternalSampling, 500, seeded(seed)).average();
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}

#[test]
fn iterations_in_parts_are_the_same_iterations() {
    let mut parts =
        Solver::new(&game("leduc-poker"), Method::Cfr, Options::default(), &mut || false).unwrap();
    for _ in 0..5 {
        parts.run(4, &mut || false).unwrap();
    }
    assert_eq!(parts.average(), solved("leduc-poker", Method::Cfr, 20, Options::default()).average());
    // Whoever is stopped keeps whole iterations.
    parts.run(1_000_000, &mut || true).unwrap();
    assert!(parts.iterations > 20 && parts.iterations < 1_000);
}

#[test]
fn what_does_not_suit_is_refused_in_a_sentence() {
    let large = Tree::new(&*game("leduc-poker"), 1_000, &mut || false).err();
    assert_eq!(large, Some(Unwritten::Large(1_000)));
    let new = |spec: &str, method, options| {
        Solver::new(&game(spec), method, options, &mut || false).err().unwrap()
    };
    let few = Options { nodes: 1_000, ..Options::default() };
    let error = new("leduc-poker", Method::Cfr, few);
    assert!(error.contains("more than 1000 nodes") && error.contains("external-sampling"), "{error}");
    let error = new("tiger", Method::ExternalSampling, Options::default());
    assert!(error.contains("at least two players"), "{error}");
    let error = new("kuhn-poker", Method::OutcomeSampling, Options { epsilon: 0.0, ..Options::default() });
    assert!(error.contains("epsilon"), "{error}");
    assert!("cfr++".parse::<Method>().unwrap_err().to_string().ends_with("did you mean cfr+ or cfr?"));
    let kuhn = tree("kuhn-poker");
    assert!(worth(&kuhn, &[1.0]).unwrap_err().contains("has 26 numbers"));
    assert!(worth(&kuhn, &[0.7; 26]).unwrap_err().contains("add up to 1.4"));
}

#[test]
fn a_whole_game_that_was_interrupted_says_so() {
    assert_eq!(
        Tree::new(&*game("leduc-poker"), 1_000_000, &mut || true).err(),
        Some(Unwritten::Interrupted)
    );
}
