//! However the rules are ground or derived, the game is the same.

use std::path::Path;

use kibitz_core::Rng;
use kibitz_core::playout::Rollout;
use kibitz_lang::Source;
use kibitz_lang::gdl::compile::network;
use kibitz_lang::gdl::ground::{Grain, GroundLimits, GroundingStrategy, ground_by};
use kibitz_lang::gdl::run::{Machine, Outlook, Propnet, ReasonLimits, Reasoner};
use kibitz_lang::gdl::{Limits, LoadLimits, Rules, load, parse};

use crate::common::processor_seconds;

/// Joins that gain by splitting, relations that are asked for in several ways, recursion, negation of
/// what is derived, tests in between, and chance.
const RULES: &str = "
    (role red) (role blue) (role random)
    (init (at red 1)) (init (at blue 4)) (init (wall 3)) (init (phase 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (colour red) (colour blue)
    (<= (less ?x ?y) (succ ?x ?y))
    (<= (less ?x ?z) (less ?x ?y) (succ ?y ?z))
    (<= (near ?x ?y) (succ ?x ?y))
    (<= (near ?x ?y) (succ ?y ?x))
    (<= (clear ?x ?y) (near ?x ?y) (not (true (wall ?y))))
    (<= (reach ?x ?y) (clear ?x ?y))
    (<= (reach ?x ?z) (reach ?x ?y) (clear ?y ?z))
    (<= (apart ?r ?s) (true (at ?r ?x)) (true (at ?s ?y)) (less ?x ?y) (not (reach ?x ?y)))
    (<= (legal ?r (go ?y)) (true (at ?r ?x)) (reach ?x ?y) (distinct ?x ?y))
    (<= (legal ?r stay) (colour ?r))
    (<= (legal random (build ?x)) (succ ?x ?y) (not (taken ?x)))
    (<= (legal random nothing) (true (phase ?n)) (less 1 ?n))
    (<= (taken ?x) (true (at ?r ?x)))
    (<= (next (at ?r ?y)) (does ?r (go ?y)))
    (<= (next (at ?r ?x)) (does ?r stay) (true (at ?r ?x)))
    (<= (next (wall ?x)) (true (wall ?x)) (does ?r (go ?y)) (does random (build ?z)) (distinct ?x ?z))
    (<= (next (wall ?z)) (does random (build ?z)) (does red ?m) (not (heads ?m ?z)))
    (<= (heads (go ?y) ?y) (does red (go ?y)))
    (<= (next (phase ?n)) (true (phase ?m)) (succ ?m ?n))
    (<= (sees ?r (wall ?z)) (colour ?r) (does random (build ?z)) (true (at ?r ?x)) (near ?x ?z))
    (<= terminal (true (phase 6)))
    (<= terminal (true (at red ?x)) (true (at blue ?x)))
    (<= (goal red 100) (apart red blue))
    (<= (goal red 30) (not (apart red blue)))
    (<= (goal blue 70) (apart ?r ?s))
    (<= (goal blue 10) (not (some_apart)))
    (<= (some_apart) (apart ?r ?s))
";

fn rules(name: &str, text: &str) -> Rules {
    parse(&Source::new(name, text), &Limits::default()).unwrap_or_else(|found| panic!("{name}: {found:?}"))
}

/// What a machine says of a state and of the way there, in words.
fn words<M: Machine>(machine: &M, facts: &M::Facts, moves: Option<&[u32]>) -> Vec<Vec<String>> {
    let mut outlook = Outlook::default();
    machine.outlook(facts, &mut outlook);
    assert_eq!(outlook.trouble, None);
    let mut words = vec![machine.describe(facts), vec![outlook.terminal.to_string()]];
    for role in 0..machine.roles().len() {
        let mut legal: Vec<String> =
            outlook.of(role).iter().map(|number| machine.move_name(facts, role, *number)).collect();
        legal.sort_unstable();
        words.push(legal);
        words.push(machine.scores(facts, role).iter().map(f64::to_string).collect());
        if let (Some(moves), true) = (moves, machine.has_percepts()) {
            let mut told = machine.percepts(facts, moves, role);
            told.sort_unstable();
            words.push(told);
        }
    }
    words
}

/// A machine that plays along with others: moves are named in words.
trait Player {
    fn words(&self, moves: Option<&[String]>) -> Vec<Vec<String>>;
    fn advance(&mut self, moves: &[String]);
}

struct At<M: Machine> {
    machine: M,
    facts: M::Facts,
}

impl<M: Machine> At<M> {
    fn start(machine: M) -> Box<dyn Player> {
        let facts = machine.initial();
        Box::new(At { machine, facts })
    }

    fn numbers(&self, moves: &[String]) -> Vec<u32> {
        let mut outlook = Outlook::default();
        self.machine.outlook(&self.facts, &mut outlook);
        let number = |(role, name): (usize, &String)| {
            let is_it = |number: &&u32| self.machine.move_name(&self.facts, role, **number) == *name;
            *outlook.of(role).iter().find(is_it).unwrap_or_else(|| panic!("{name} is not legal"))
        };
        moves.iter().enumerate().map(number).collect()
    }
}

impl<M: Machine> Player for At<M> {
    fn words(&self, moves: Option<&[String]>) -> Vec<Vec<String>> {
        let numbers = moves.map(|moves| self.numbers(moves));
        words(&self.machine, &self.facts, numbers.as_deref())
    }

    fn advance(&mut self, moves: &[String]) {
        let numbers = self.numbers(moves);
        self.machine.advance(&mut self.facts, &numbers, &mut Vec::new());
    }
}

/// The machines that could be made of the rules: each way of grounding, and the reasoner.
fn players(rules: &Rules) -> Vec<(String, Box<dyn Player>)> {
    let limits = GroundLimits { rules: 100_000, ..GroundLimits::default() };
    let mut players: Vec<(String, Box<dyn Player>)> = Vec::new();
    for way in GroundingStrategy::ALL {
        if let Ok(ground) = ground_by(way, rules, &limits) {
            let network = network(&ground);
            players.push((format!("{way:?}"), At::start(Propnet::new(ground, network))));
        }
    }
    let reasoner = Reasoner::new(rules, &ReasonLimits::default()).unwrap();
    players.push(("reasoner".to_owned(), At::start(reasoner)));
    players
}

/// Plays random games with all machines side by side.
fn all_agree(name: &str, text: &str, games: u64, steps: usize) {
    let rules = rules(name, text);
    for game in 0..games {
        let mut rng = Rng::new(game);
        let mut players = players(&rules);
        assert!(players.len() >= 2, "{name}: no network");
        for step in 0..steps {
            let first = players[0].1.words(None);
            let roles = (first.len() - 2) / 2;
            let legal: Vec<&Vec<String>> = (0..roles).map(|role| &first[2 + 2 * role]).collect();
            let is_over = first[1] == ["true"] || legal.iter().any(|moves| moves.is_empty());
            let moves: Vec<String> = match is_over {
                true => Vec::new(),
                false => legal
                    .iter()
                    .map(|moves| moves[rng.below(moves.len() as u32) as usize].clone())
                    .collect(),
            };
            let asked = (!is_over).then_some(&*moves);
            let expected = players[0].1.words(asked);
            for (kind, player) in &players[1..] {
                assert_eq!(player.words(asked), expected, "{name}, game {game}, step {step}: {kind}");
            }
            if is_over {
                break;
            }
            players.iter_mut().for_each(|(_, player)| player.advance(&moves));
        }
    }
}

#[test]
fn of_these_rules() {
    all_agree("rules", RULES, 30, 20);
}

/// The conditions about lamp `?b` that rooms with two lamps are found by are those that bound the grounding
/// of the frame axiom's part, and must hold all the same.
#[test]
fn of_rules_that_share_a_condition_with_a_guard() {
    let text = "
        (role you) (init (lamp hall on)) (init (lamp attic on)) (init (hour 1)) (place hall) (place attic)
        (<= lively (true (lamp ?a ?how)) (true (lamp ?b ?other)) (distinct ?a ?b))
        (<= (legal you (unscrew ?p)) (place ?p))
        (<= (next (lamp ?p ?how)) (true (lamp ?p ?how)) (does you (unscrew ?q)) (distinct ?p ?q))
        (<= (next (hour 2)) (true (hour 1)))
        (<= terminal (true (hour 2)))
        (<= (goal you 10) lively) (<= (goal you 90) (not lively))";
    all_agree("lamps", text, 2, 3);
    let ground =
        ground_by(GroundingStrategy::ALL[0], &rules("lamps", text), &GroundLimits::default()).unwrap();
    let network = network(&ground);
    let machine = Propnet::new(ground, network);
    let mut facts = machine.initial();
    assert_eq!(machine.scores(&facts, 0), [10.0]);
    let mut outlook = Outlook::default();
    machine.outlook(&facts, &mut outlook);
    machine.advance(&mut facts, &outlook.moves[..1], &mut Vec::new());
    assert_eq!(machine.scores(&facts, 0), [90.0]);
}

/// No atom depends on its own negation, but relations do: of the state, and of what never changes.
#[test]
fn of_relations_that_negate_parts_of_themselves() {
    let text = "
        (role you) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (phase late) (true (step ?n)) (not (phase early)) (not (phase middle ?n)))
        (<= (phase early) (true (step 1)))
        (<= (phase middle ?n) (true (step ?n)) (not (phase early)) (succ ?n 4))
        (<= (phase middle ?n) (true (step ?n)) (not (phase early)) (succ ?n 3))
        (<= (kind ?n odd) (succ ?n ?m) (not (kind ?n even)))
        (<= (kind 2 even)) (<= (kind 4 even))
        (<= (level b) (not (level a)) (kind 2 even)) (<= (level c) (not (level b))) (<= (level a) (kind 2 odd))
        (<= (legal you (say ?p ?k)) (phase ?p) (true (step ?n)) (kind ?n ?k))
        (<= (legal you (say ?p ?l)) (phase ?p ?n) (true (step ?n)) (level ?l))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 5)))
        (<= (goal you 100) (phase late) (not (goal you 50)))
        (<= (goal you 50) (phase early))
        (<= (goal you 0) (not (goal you 100)) (not (goal you 50)))";
    all_agree("parts", text, 3, 9);
    let reasoner = Reasoner::new(&rules("parts", text), &ReasonLimits::default()).unwrap();
    let first = words(&reasoner, &reasoner.initial(), None);
    assert_eq!(first[2], ["(say early odd)"]);
    assert_eq!(first[3], ["50"]);
}

#[test]
fn of_the_rules_that_come_along() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/kibitz/lang/rules");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "kif") {
            let (name, text) = (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
            // Those in real time have other machines: `real_time.rs` compares them.
            if !rules(&name, &text).timed {
                all_agree(&name, &text, 1, 12);
                count += 1;
            }
        }
    }
    assert!(count > 10);
}

/// What the reasoner may not derive is said, and not passed over.
#[test]
fn limits_of_the_reasoner_are_told() {
    let things: String = (0..60).map(|n| format!("(thing t{n})")).collect();
    let text = format!(
        "(role you) (init start) {things} (<= (legal you wait) (true start)) \
         (<= (legal you (pick ?x ?y ?z)) (true open) (thing ?x) (thing ?y) (thing ?z)) \
         (<= (next open) (does you wait)) \
         (<= (next (odd ?x ?y ?z)) (true open) (thing ?x) (thing ?y) (thing ?z)) \
         (<= terminal (true closed)) (goal you 0)"
    );
    let reason = ReasonLimits { steps: 20_000, ..ReasonLimits::default() };
    let reasoner = Reasoner::new(&rules("many", &text), &reason).unwrap();
    let mut facts = reasoner.initial();
    let mut outlook = Outlook::default();
    reasoner.outlook(&facts, &mut outlook);
    assert_eq!((outlook.trouble.clone(), outlook.moves.len()), (None, 1));
    let moves = outlook.moves.clone();
    reasoner.advance(&mut facts, &moves, &mut Vec::new());
    reasoner.outlook(&facts, &mut outlook);
    let trouble = outlook.trouble.clone().unwrap_or_default();
    assert_eq!(
        trouble,
        "what follows in a state takes more than 20000 steps to derive (limit.state_steps), \
         above all by the rule for (legal you (pick ?x ?y ?z))"
    );
    assert!(outlook.moves.is_empty() && !outlook.terminal);
    // A step from there leads nowhere, and says why.
    reasoner.advance(&mut facts, &moves, &mut Vec::new());
    reasoner.outlook(&facts, &mut outlook);
    assert_eq!(outlook.trouble, Some(trouble));
    assert!(reasoner.describe(&facts).is_empty());
    // The game on top ends with a fault.
    let mut limits = LoadLimits { reason, ..LoadLimits::default() };
    limits.ground.rules = 100;
    let game = load(&Source::new("many.kif", &*text), &limits).unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(game.report.machine, "reasoner");
    let how = Rollout::random(100, 1.0);
    let state = game.game.initial();
    game.game.playouts(
        &state,
        &how,
        1,
        &mut Rng::new(1),
        &mut kibitz_core::interrupt::Interrupt::never(),
        &mut [0.0],
    );
    assert!(game.game.fault().is_some_and(|fault| fault.contains("takes more than 20000 steps")));
}

/// Whether a state's facts follow from what never changes is derived for what is asked, where there is too
/// much of that: eight million pairs of numbers, of which a state asks for a few.
#[test]
fn of_what_never_changes_and_is_far_too_much() {
    let numbers: String = (0..4000).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let text = format!(
        "(role you) (init (at 0)) (init (step 1)) (hop 7) (hop 100) (hop 555) {numbers}
        (<= (number ?x) (succ ?x ?y)) (<= (number ?y) (succ ?x ?y))
        (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
        (less 4000 infinity)
        (<= (plus ?x 0 ?x) (number ?x))
        (<= (plus ?x ?y ?z) (succ ?v ?y) (succ ?w ?z) (plus ?x ?v ?w))
        (<= (init (far ?d)) (hop ?d) (less 50 ?d) (not (less 400 ?d)))
        (<= (legal you (hop ?d)) (hop ?d))
        (<= (next (at ?z)) (true (at ?x)) (does you (hop ?d)) (plus ?x ?d ?z))
        (<= (next (step ?j)) (true (step ?i)) (succ ?i ?j))
        (<= (next (far ?d)) (true (far ?d)))
        (<= terminal (true (step 4)))
        (<= (goal you 100) (true (at ?x)) (less 600 ?x) (less 4000 infinity))
        (<= (goal you 0) (true (at ?x)) (not (less 600 ?x)))"
    );
    let loaded = load(&Source::new("hops.kif", &*text), &LoadLimits::default());
    assert_eq!(loaded.map(|loaded| loaded.report.machine).unwrap_or("refused"), "reasoner");
    let reasoner = Reasoner::new(&rules("hops", &text), &ReasonLimits::default()).unwrap();
    let mut facts = reasoner.initial();
    assert_eq!(reasoner.describe(&facts), ["(at 0)", "(far 100)", "(step 1)"]);
    let mut outlook = Outlook::default();
    for (wanted, score) in [("(hop 555)", 0.0), ("(hop 7)", 0.0), ("(hop 100)", 100.0)] {
        reasoner.outlook(&facts, &mut outlook);
        let is_it = |number: &&u32| reasoner.move_name(&facts, 0, **number) == wanted;
        let chosen = *outlook.of(0).iter().find(is_it).unwrap();
        reasoner.advance(&mut facts, &[chosen], &mut Vec::new());
        assert_eq!(reasoner.scores(&facts, 0), [score]);
    }
    assert_eq!(reasoner.describe(&facts), ["(at 662)", "(far 100)", "(step 4)"]);
}

/// The same rules with what never changes derived on demand, even where it is little.
#[test]
fn of_what_never_changes_on_demand() {
    let mut machines = Vec::new();
    let rules = rules("rules", RULES);
    for static_facts in [1, 1000] {
        let limits = GroundLimits { static_facts, ..GroundLimits::default() };
        let ground =
            ground_by(GroundingStrategy { grain: Grain::Coarse, on_demand: true }, &rules, &limits)
                .unwrap();
        let network = network(&ground);
        machines.push(At::start(Propnet::new(ground, network)));
        let limits = ReasonLimits { static_facts, ..ReasonLimits::default() };
        machines.push(At::start(Reasoner::new(&rules, &limits).unwrap()));
    }
    let moves = ["(go 2)", "stay", "(build 5)"].map(str::to_owned);
    for _ in 0..2 {
        let words: Vec<_> = machines.iter().map(|machine| machine.words(Some(&moves))).collect();
        assert!(words.iter().all(|each| *each == words[0]), "{words:?}");
        machines
            .iter_mut()
            .for_each(|machine| machine.advance(&["stay", "stay", "(build 5)"].map(str::to_owned)));
    }
}

/// Circles of atoms in their thousands are no reason to take long: it was their number times that of gates.
#[test]
fn of_many_circles() {
    let numbers: String = (0..60_000).map(|n| format!("(number {n})")).collect();
    let text = format!(
        "(role you) (<= (init (on ?n)) (number ?n)) {numbers}
        (<= (here ?n) (number ?n) (true (on ?n)))
        (<= (here ?n) (number ?n) (there ?n) (not (true off)))
        (<= (there ?n) (here ?n))
        (<= (legal you wait) (not (true off))) (legal you stop)
        (<= (next (on ?n)) (there ?n)) (<= (next off) (does you stop))
        (<= terminal (true off)) (goal you 50)"
    );
    let begun = processor_seconds();
    let loaded = load(&Source::new("circles.kif", &*text), &LoadLimits::default());
    let report = loaded.map(|loaded| loaded.report).unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!((report.machine, report.cycles), ("network", 60_000));
    let seconds = processor_seconds() - begun;
    assert!(seconds < 15.0, "{seconds} s");
}
