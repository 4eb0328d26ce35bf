//! Regression beside a step of the rules, beside sums by hand, and beside the paper's own table.

use std::path::Path;

use kibitz_core::Rng;
use kibitz_core::game::Action;

use super::{ActionHeuristic, RegressLimits, RoleHeuristic, persists};
use crate::Source;
use crate::gdl::compile::{network, phases};
use crate::gdl::ground::{GroundLimits, ground};
use crate::gdl::parse::{Limits, parse};
use crate::gdl::run::{Machine, Outlook, Propnet};

/// Tic-tac-toe but for its goals.
const MARKS: &str = "
    (role x) (role o) (line 1) (line 2) (line 3)
    (<= (init (cell ?m ?n b)) (line ?m) (line ?n))
    (init (control x))
    (<= (legal ?w (mark ?m ?n)) (true (cell ?m ?n b)) (true (control ?w)))
    (<= (legal x noop) (true (control o)))
    (<= (legal o noop) (true (control x)))
    (<= (next (cell ?m ?n ?w)) (does ?w (mark ?m ?n)) (true (cell ?m ?n b)))
    (<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))
    (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?w (mark ?j ?k)) (distinct ?m ?j))
    (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?w (mark ?j ?k)) (distinct ?n ?k))
    (<= (next (control o)) (true (control x)))
    (<= (next (control x)) (true (control o)))
    (<= (row ?w) (line ?m) (true (cell ?m 1 ?w)) (true (cell ?m 2 ?w)) (true (cell ?m 3 ?w)))
    (<= (column ?w) (line ?n) (true (cell 1 ?n ?w)) (true (cell 2 ?n ?w)) (true (cell 3 ?n ?w)))
    (<= (diagonal ?w) (true (cell 1 1 ?w)) (true (cell 2 2 ?w)) (true (cell 3 3 ?w)))
    (<= (diagonal ?w) (true (cell 1 3 ?w)) (true (cell 2 2 ?w)) (true (cell 3 1 ?w)))
    (<= terminal (won ?w))
    (<= (goal ?w 100) (role ?w) (won ?w))
    (<= (goal ?w 0) (role ?w) (not (won ?w)))
";
const DIAGONALS: &str = "(<= (won ?w) (diagonal ?w))";
const LINES: &str = "(<= (won ?w) (diagonal ?w)) (<= (won ?w) (row ?w)) (<= (won ?w) (column ?w))";

fn made(text: &str, limits: &RegressLimits) -> (Propnet, ActionHeuristic) {
    let rules = parse(&Source::new("test.kif", text), &Limits::default()).unwrap();
    let ground = ground(&rules, &GroundLimits::default()).unwrap();
    let network = network(&ground);
    let machine = Propnet::new(ground.clone(), network.clone());
    let phases = phases(&network).networks;
    let heuristic = ActionHeuristic::of(&ground, &network, &phases, &machine, limits);
    (machine, heuristic)
}

fn shipped(name: &str) -> String {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/kibitz/lang/rules");
    std::fs::read_to_string(rules.join(name)).unwrap()
}

fn takes_turns(heuristic: &ActionHeuristic) -> bool {
    heuristic.alone.iter().all(|alone| *alone)
}

/// What a role's legal moves are worth, by name.
fn values(machine: &Propnet, own: &RoleHeuristic, role: usize) -> Vec<(String, f64)> {
    let (facts, mut outlook) = (machine.initial(), Outlook::default());
    machine.outlook(&facts, &mut outlook);
    let moves: Vec<Action> = outlook.of(role).iter().map(|number| Action(*number)).collect();
    let mut values = Vec::new();
    own.program.evaluate(&facts, &moves, &mut values);
    moves.iter().map(|each| machine.move_name(&facts, role, each.0)).zip(values).collect()
}

/// To four digits: a corner, an edge and the middle.
fn squares(text: &str, certainty: f64) -> [f64; 3] {
    let (machine, mut heuristic) = made(&format!("{MARKS} {text}"), &RegressLimits::default());
    assert!(takes_turns(&heuristic) && heuristic.proved);
    let own = heuristic.roles[0].as_mut().unwrap();
    for leaf in own.program.leaves.iter_mut() {
        leaf.holds = if leaf.holds < 1.0 { certainty } else { 1.0 };
        leaf.fails = if leaf.fails > 0.0 { 1.0 - certainty } else { 0.0 };
    }
    let values = values(&machine, own, 0);
    let of = |square: &str| values.iter().find(|(name, _)| name == &format!("(mark {square})")).unwrap().1;
    for (one, other) in [("1 1", "3 3"), ("1 1", "3 1"), ("1 2", "2 1"), ("1 2", "3 2")] {
        assert!((of(one) - of(other)).abs() < 1e-12);
    }
    [of("1 1"), of("1 2"), of("2 2")].map(|value| (value * 1e4).round() / 1e4)
}

/// The formula (7) of the paper, and what its definitions make of the empty board: q = 0.03 for a mark that is missing,
/// b ∨ x = 1 − q (1 − q) for the square that is marked.
#[test]
fn two_diagonals_by_hand() {
    let q: f64 = 0.03;
    let (marked, unmarked) = ((1.0 - q * (1.0 - q)) * q * q, q * q * q);
    let or = |a: f64, b: f64| a + b - a * b;
    let by_hand = [or(marked, unmarked), or(unmarked, unmarked), or(marked, marked)];
    assert_eq!(squares(DIAGONALS, 0.97), by_hand.map(|value| (value * 1e4).round() / 1e4));
    assert_eq!(squares(DIAGONALS, 0.97), [0.0009, 0.0001, 0.0017]);
}

/// The table that the paper prints below that formula cannot be of two diagonals: a corner would be a little more than half of
/// the middle, and an edge next to nothing. It is that of all eight lines, of which a corner is on three, an edge on two and
/// the middle on four, and of p = 0.9706, which is 0.97 when it is rounded.
#[test]
fn the_papers_table() {
    assert_eq!(squares(LINES, 0.9706), [0.0026, 0.0018, 0.0035]);
    assert_eq!(squares(LINES, 0.97), [0.0028, 0.0019, 0.0036]);
}

#[test]
fn facts_persist() {
    let (machine, heuristic) = made(&format!("{MARKS} {LINES}"), &RegressLimits::default());
    let network = &machine.network;
    let fact = |name: &str| {
        let found = machine.possible().unwrap().iter().position(|fact| fact == name);
        found.unwrap() as u32
    };
    let both = |name: &str| [true, false].map(|holds| persists(network, fact(name), holds));
    assert_eq!(both("(cell 1 1 x)"), [true, false]);
    assert_eq!(both("(cell 1 1 b)"), [false, true]);
    assert_eq!(both("(control x)"), [false, false]);
    // Nine marks of one's own, and nine empty squares.
    assert_eq!(heuristic.roles[1].as_ref().unwrap().persistent, [9, 9]);
}

/// Where a fact counts 1 or 0, so does a formula, and says whether the goal is reached by the next step. (Half of
/// nobody knows what: others choose at the same time.)
#[test]
fn certain_facts_look_one_step_ahead() {
    certain_facts(&RegressLimits::default());
}

/// The same, where the goal is not made one formula with what an action brings about.
#[test]
fn certain_facts_look_one_step_ahead_with_the_goal_apart() {
    certain_facts(&RegressLimits { by_action: 0, ..RegressLimits::default() });
}

fn certain_facts(limits: &RegressLimits) {
    let mut reached = 0;
    for name in [
        "tic-tac-toe.kif",
        "connect-four.kif",
        "breakthrough.kif",
        "checkers.kif",
        "chinese-checkers.kif",
        "nine-board-tic-tac-toe.kif",
        "pentago.kif",
        "sheep-and-wolf.kif",
        "criss-cross.kif",
        "ghost-maze.kif",
        "reversi.kif",
        "blocker.kif",
        "battle.kif",
        "chinook.kif",
        "peg-solitaire.kif",
        "eight-puzzle.kif",
    ] {
        let (machine, mut heuristic) = made(&shipped(name), limits);
        for own in heuristic.roles.iter_mut().flatten() {
            assert!(limits.by_action > 0 || own.program.is_apart() || own.program.is_empty());
            for leaf in own.program.leaves.iter_mut() {
                (leaf.holds, leaf.fails) = (1.0, 0.0);
            }
        }
        let mut rng = Rng::new(7);
        let (mut outlook, mut told) = (Outlook::default(), Vec::new());
        for _ in 0..3 {
            let mut facts = machine.initial();
            for _ in 0..60 {
                machine.outlook(&facts, &mut outlook);
                if outlook.terminal {
                    break;
                }
                let legal: Vec<Vec<u32>> =
                    (0..heuristic.roles.len()).map(|role| outlook.of(role).to_vec()).collect();
                let draw =
                    |rng: &mut Rng, role: usize| legal[role][rng.below(legal[role].len() as u32) as usize];
                let moves: Vec<u32> = (0..legal.len()).map(|role| draw(&mut rng, role)).collect();
                for (role, own) in heuristic.roles.iter().enumerate() {
                    let Ok(own) = own else { continue };
                    if legal[role].len() < 2 {
                        continue;
                    }
                    let actions: Vec<Action> = legal[role].iter().map(|number| Action(*number)).collect();
                    let mut values = Vec::new();
                    own.program.evaluate(&facts, &actions, &mut values);
                    for (action, value) in actions.iter().zip(values) {
                        let (mut after, mut moves) = (facts.clone(), moves.clone());
                        moves[role] = action.0;
                        machine.advance(&mut after, &moves, &mut told);
                        let is_reached = machine.scores(&after, role).contains(&own.goal) != own.avoided;
                        let told = if takes_turns(&heuristic) { value == 1.0 } else { value > 0.0 };
                        assert!(
                            !is_reached || told,
                            "{name}: {} is missed",
                            machine.move_name(&facts, role, action.0)
                        );
                        assert!(
                            is_reached || value < 1.0,
                            "{name}: {} is not there",
                            machine.move_name(&facts, role, action.0)
                        );
                        assert!(!takes_turns(&heuristic) || value == 0.0 || value == 1.0);
                        reached += usize::from(is_reached);
                    }
                }
                machine.advance(&mut facts, &moves, &mut told);
            }
        }
    }
    assert!(reached > 50, "{reached}");
}

/// What was worked out in an earlier state and is not behind a fact that has changed is used again: a thread that has seen no
/// state yet says the same, to the last bit.
#[test]
fn only_what_has_changed_is_worked_out_again() {
    let names = ["connect-four.kif", "breakthrough.kif", "pentago.kif", "battle.kif", "skirmish.kif"];
    for (name, by_action) in names.into_iter().zip([200_000; 5]).chain(names.into_iter().zip([0; 5])) {
        let limits = RegressLimits { by_action, ..RegressLimits::default() };
        let (machine, heuristic) = made(&shipped(name), &limits);
        let mut rng = Rng::new(3);
        let (mut outlook, mut told) = (Outlook::default(), Vec::new());
        for _ in 0..2 {
            let mut facts = machine.initial();
            for step in 0..60 {
                machine.outlook(&facts, &mut outlook);
                if outlook.terminal {
                    break;
                }
                let mut moves = Vec::new();
                for (role, own) in heuristic.roles.iter().enumerate() {
                    let legal: Vec<Action> =
                        outlook.of(role).iter().map(|number| Action(*number)).collect();
                    moves.push(legal[rng.below(legal.len() as u32) as usize].0);
                    let Ok(own) = own else { continue };
                    let evaluate = || {
                        let mut values = Vec::new();
                        own.program.evaluate(&facts, &legal, &mut values);
                        values
                    };
                    let again = evaluate();
                    if step % 7 == 0 {
                        let fresh = std::thread::scope(|scope| scope.spawn(evaluate).join().unwrap());
                        assert_eq!(again, fresh, "{name}, step {step}");
                    }
                }
                machine.advance(&mut facts, &moves, &mut told);
            }
        }
    }
}

/// What the two ways to evaluate a goal come to is the same where no two facts after the step are the same formula.
#[test]
fn apart_or_not_the_values_are_the_same() {
    let text = format!("{MARKS} {LINES}");
    let of = |by_action| {
        let (machine, heuristic) = made(&text, &RegressLimits { by_action, ..RegressLimits::default() });
        values(&machine, heuristic.roles[0].as_ref().unwrap(), 0)
    };
    for ((name, one), (_, other)) in of(200_000).into_iter().zip(of(0)) {
        assert!((one - other).abs() < 1e-12, "{name}: {one} and {other}");
    }
}

/// Who wins by what another does can at least not lose.
#[test]
fn where_the_highest_score_tells_nothing_the_lowest_is_avoided() {
    let text = "
        (role x) (role o) (init (control x)) (piece poison) (piece cake) (piece tart)
        (<= (init (on ?p)) (piece ?p))
        (<= (legal ?w (eat ?p)) (true (control ?w)) (true (on ?p)))
        (<= (legal x noop) (true (control o)))
        (<= (legal o noop) (true (control x)))
        (<= (next (on ?p)) (true (on ?p)) (does ?w (eat ?q)) (distinct ?p ?q))
        (<= (next (dead ?w)) (does ?w (eat poison)))
        (<= (next (control o)) (true (control x)))
        (<= (next (control x)) (true (control o)))
        (<= terminal (true (dead ?w)))
        (<= (goal x 100) (true (dead o)))
        (<= (goal o 100) (true (dead x)))
        (<= (goal ?w 0) (true (dead ?w)))
    ";
    let (machine, heuristic) = made(text, &RegressLimits::default());
    let own = heuristic.roles[0].as_ref().unwrap();
    assert!(own.avoided && own.to_string().starts_with("goal anything but 0: "), "{own}");
    for (name, value) in values(&machine, own, 0) {
        assert_eq!(value, if name == "(eat poison)" { 0.0 } else { 1.0 }, "{name}");
    }
}

/// A path of twelve squares is longer than goals that depend on themselves are followed at first.
#[test]
fn a_long_path_is_followed_to_its_end() {
    let successors: String = (1..12).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let text = format!(
        "(role x) {successors} (<= (near ?m ?n) (succ ?m ?n)) (<= (near ?m ?n) (succ ?n ?m))
        (<= (square ?m) (near ?m ?n)) (<= (init (free ?m)) (square ?m))
        (<= (legal x (mark ?m)) (true (free ?m)))
        (<= (next (marked ?m)) (does x (mark ?m))) (<= (next (marked ?m)) (true (marked ?m)))
        (<= (next (free ?m)) (true (free ?m)) (does x (mark ?n)) (distinct ?m ?n))
        (<= (path 1) (true (marked 1)))
        (<= (path ?n) (path ?m) (near ?m ?n) (true (marked ?n)))
        (<= terminal (path 12)) (<= (goal x 100) (path 12)) (<= (goal x 0) (not (path 12)))"
    );
    for by_action in [200_000, 0] {
        let (_, heuristic) = made(&text, &RegressLimits { by_action, ..RegressLimits::default() });
        let own = heuristic.roles[0].as_ref().unwrap();
        assert!(!own.avoided && own.goal == 100.0 && own.program.leaves.len() >= 12, "{own}");
    }
}

#[test]
fn what_others_do_is_known_where_they_wait() {
    let kind = |name: &str| {
        let (_, heuristic) = made(&shipped(name), &RegressLimits::default());
        (takes_turns(&heuristic), heuristic.proved)
    };
    assert_eq!(kind("tic-tac-toe.kif"), (true, true));
    assert_eq!(kind("blocker.kif"), (false, false));
    assert_eq!(kind("battle.kif"), (false, false));
    // Whose turn it is need not go round in a circle: then it is seen in random games.
    assert!(kind("checkers.kif").0);
}

#[test]
fn a_goal_may_be_too_large_or_lower_or_none() {
    let text = format!("{MARKS} {LINES}");
    let error = |limits| made(&text, &limits).1.roles[0].as_ref().err().cloned().unwrap_or_default();
    let steps = error(RegressLimits { steps: 30, ..RegressLimits::default() });
    assert!(steps.contains("more than 30 steps to regress (limit.heuristic_steps)"), "{steps}");
    let products = error(RegressLimits { products: 30, ..RegressLimits::default() });
    assert!(products.contains("more than 30 (limit.heuristic_products)"), "{products}");
    let lower = text.replace("(goal ?w 100)", "(goal ?w 60)");
    assert_eq!(made(&lower, &RegressLimits::default()).1.roles[0].as_ref().unwrap().goal, 60.0);
    let always = text.replace("(<= (goal ?w 100) (role ?w) (won ?w))", "").replace("(not (won ?w))", "");
    let why = made(&always, &RegressLimits::default()).1.roles[0].as_ref().err().cloned().unwrap();
    assert!(why.contains("does not depend on what is done"), "{why}");
}
