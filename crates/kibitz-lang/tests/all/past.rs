//! What a machine says of a state depends on the state alone, whatever it was asked before.

use std::path::Path;

use kibitz_core::Rng;
use kibitz_lang::Source;
use kibitz_lang::gdl::run::{Machine, Outlook, ReasonLimits, Reasoner};
use kibitz_lang::gdl::{Limits, LoadLimits, Rules, parse, smallest_network};

fn rules(name: &str, text: &str) -> Rules {
    parse(&Source::new(name, text), &Limits::default()).unwrap_or_else(|found| panic!("{name}: {found:?}"))
}

/// A state as a machine sees it: its hash, the outlook, the moves in words, and what led there told.
type Seen = (u64, Outlook, Vec<String>, Vec<u64>);

/// A random game as a machine sees it.
fn game<M: Machine>(machine: &M, seed: u64, steps: usize) -> Vec<Seen> {
    let (mut rng, mut facts, mut told) = (Rng::new(seed), machine.initial(), Vec::new());
    let (mut outlook, mut seen) = (Outlook::default(), Vec::new());
    for _ in 0..steps {
        machine.outlook(&facts, &mut outlook);
        let roles = 0..machine.roles().len();
        let names = |role| {
            let facts = &facts;
            outlook.of(role).iter().map(move |number| machine.move_name(facts, role, *number))
        };
        let named = roles.clone().flat_map(names).collect();
        seen.push((machine.hash(&facts), outlook.clone(), named, told.clone()));
        if outlook.terminal || roles.clone().any(|role| outlook.of(role).is_empty()) {
            break;
        }
        let choose = |role| outlook.of(role)[rng.below(outlook.of(role).len() as u32) as usize];
        let moves: Vec<u32> = roles.map(choose).collect();
        machine.advance(&mut facts, &moves, &mut told);
    }
    seen
}

/// Rules that come along, by name; those in real time have other machines.
fn shipped() -> Vec<(String, Rules)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/kibitz/lang/rules");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "kif")).collect();
    all.sort_unstable();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let rules = rules(&name, &text);
        (name, rules)
    };
    all.iter().map(read).filter(|(_, rules)| !rules.timed).collect()
}

#[test]
fn a_used_reasoner_is_like_a_new_one() {
    for (name, rules) in shipped() {
        let limits = ReasonLimits::default();
        let [used, new] = [(); 2].map(|()| Reasoner::new(&rules, &limits).unwrap());
        (10..13).for_each(|seed| drop(game(&used, seed, 8)));
        assert_eq!(game(&used, 1, 8), game(&new, 1, 8), "{name}");
        // At once, too.
        let alone = game(&new, 2, 5);
        std::thread::scope(|scope| {
            let used = &used;
            let others: Vec<_> = (2..4).map(|seed| scope.spawn(move || game(used, seed, 5))).collect();
            assert_eq!(game(used, 2, 5), alone, "{name}");
            others.into_iter().for_each(|other| drop(other.join()));
        });
    }
}

/// The order of moves is that of the network, so that random moves are the same.
#[test]
fn moves_stand_in_the_order_of_their_names() {
    for (name, rules) in shipped() {
        let reasoner = Reasoner::new(&rules, &ReasonLimits::default()).unwrap();
        let (network, _) = smallest_network(&rules, &LoadLimits::default().ground).unwrap();
        let names = |seen: Vec<Seen>| -> Vec<Vec<String>> { seen.into_iter().map(|seen| seen.2).collect() };
        assert_eq!(names(game(&reasoner, 3, 6)), names(game(&network, 3, 6)), "{name}");
    }
}

/// A number in front of names that begin with digits, and names that are no numbers among them, have an order.
#[test]
fn odd_names_are_ordered() {
    let names = ["2", "10", "1a", "-3", "+", "b", "01", "1", "3x", "a"];
    let all = names.map(|name| format!("(thing {name})")).concat();
    let text = format!(
        "(role you) (init start) {all} (<= (legal you (take ?x ?y)) (thing ?x) (thing ?y)) \
         (<= (next on) (does you (take ?x ?y))) (<= terminal (true on)) (goal you 100)"
    );
    let rules = rules("odd", &text);
    let reasoner = Reasoner::new(&rules, &ReasonLimits::default()).unwrap();
    let named = &game(&reasoner, 1, 1)[0].2;
    let first: Vec<&str> = named.iter().step_by(names.len()).map(String::as_str).collect();
    let sorted = ["-3", "01", "1", "2", "10", "+", "1a", "3x", "a", "b"];
    assert_eq!(first, sorted.map(|name| format!("(take {name} -3)")));
    let (network, _) = smallest_network(&rules, &LoadLimits::default().ground).unwrap();
    assert_eq!(&game(&network, 1, 1)[0].2, named);
}

const COUNTER: &str = "
    (role you) (init (count zero)) (legal you on)
    (<= (next (count (more ?n))) (true (count ?n)))
    (<= terminal (true (count end))) (goal you 0)
";

/// Where a state cannot be derived, it cannot be derived the second time either; and what was derived before
/// does not use up what one state may take.
#[test]
fn limits_are_those_of_one_state() {
    let deep = Reasoner::new(&rules("counter", COUNTER), &ReasonLimits::default()).unwrap();
    let first = game(&deep, 1, 100);
    assert!(first.len() < 60 && first[first.len() - 1].1.trouble.is_some());
    assert_eq!(game(&deep, 1, 100), first);

    let (name, rules) = shipped().remove(0);
    let enough = |terms| {
        let limits = ReasonLimits { terms, ..ReasonLimits::default() };
        let reasoner = Reasoner::new(&rules, &limits).unwrap();
        let fails = |seed| game(&reasoner, seed, 30).iter().any(|seen| seen.1.trouble.is_some());
        !(0..20).any(fails)
    };
    let terms = (10..).map(|power| 1 << power).find(|terms| enough(*terms));
    assert!(terms.is_some_and(|terms| terms < 1 << 16), "{name}: {terms:?}");
}
