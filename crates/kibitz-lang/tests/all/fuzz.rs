//! Whatever the bytes, reading, checking and running come to an end, without a panic.

use std::path::Path;
use std::time::Duration;

use kibitz_core::Rng;
use kibitz_core::playout::Rollout;
use kibitz_lang::Source;
use kibitz_lang::gdl::ground::GroundLimits;
use kibitz_lang::gdl::run::ReasonLimits;
use kibitz_lang::gdl::{Limits, LoadLimits, check, load, parse};
use kibitz_lang::source::render_all;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::processor_seconds;

fn try_it(source: &Source) {
    match parse(source, &Limits::default()) {
        Ok(rules) => {
            let findings = check(&rules);
            render_all(std::slice::from_ref(source), &findings, 20);
            // What was read reads back as the same.
            let text = rules.to_kif();
            let again =
                parse(&Source::new("again", &*text), &Limits::default()).map(|rules| rules.to_kif());
            assert_eq!(again.as_deref().map_err(Vec::len), Ok(&*text));
        }
        Err(findings) => {
            assert!(!findings.is_empty());
            render_all(std::slice::from_ref(source), &findings, 20);
        }
    }
}

const PREFIX: &str = "(role white) (role random) (init (step 1)) (<= (legal ?r (mark ?x ?y)) (role ?r) \
    (or (true (cell ?x ?y b)) (not (and (q ?x) (distinct ?x ?y))))) (<= (next (step (s ?x))) (true (step ?x))) \
    (<= (sees white ?m) (does random ?m)) (<= terminal (not (p ?_ 1)) (not (distinct a b))) (<= (p ?x ?y) (p ?y ?x)) \
    (<= (goal white 100) (not (goal white 0))) (goal random 0) ; end\n";

const INFIX: &str = "role(white). role(random).\ninit(step(1)) \nlegal(R, mark(X, (Y, -1))) :- role(R) & \
    (true(cell(X, _)) | ~q(X)), distinct(X, Y). next(step(s(X))) :- true(step(X)).\nterminal :- not p(_A), X != 1.5, \
    or(a, b).\ngoal(white, 100) <= \\+ goal(white, 0) % end\n";

/// Pieces that mean something to the readers.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "(", ")", "<=", ":-", "?x", "?_", "X", "_", "role", "init", "true", "does", "next", "legal",
            "goal", "terminal", "sees", "base", "input", "distinct", "not", "and", "or", "~", "&", ",",
            ".", "|", "=", "!=", ";", "%", "/*", "*/", "1", "-1", "100", "a", "f", "é", "\u{feff}", "\n",
            "-",
        ])
        .prop_map(str::to_string),
        "[a-zA-Z0-9 ?()_.]{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        try_it(&Source::from_bytes("bytes", &bytes));
    }

    #[test]
    fn text(text in "\\PC{0,300}") {
        try_it(&Source::new("text", text));
    }

    #[test]
    fn pieces(pieces in prop::collection::vec(piece(), 0..80), start in prop::sample::select(vec!["", "(", "(role a) "])) {
        try_it(&Source::new("pieces", format!("{start}{}", pieces.join(" "))));
    }

    #[test]
    fn mutated(
        infix in any::<bool>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, piece()), 1..6),
    ) {
        let mut text: Vec<char> = if infix { INFIX } else { PREFIX }.chars().collect();
        for (at, length, piece) in cuts {
            let at = at.index(text.len().max(1)).min(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.chars());
        }
        try_it(&Source::new("mutated", text.into_iter().collect::<String>()));
    }
}

/// Limits that keep a test short.
fn small() -> LoadLimits {
    LoadLimits {
        ground: GroundLimits {
            rules: 20_000,
            conditions: 100_000,
            steps: 1_000_000,
            time: Duration::from_millis(300),
            static_facts: 1_000,
        },
        reason: ReasonLimits {
            steps: 100_000,
            atoms: 10_000,
            static_facts: 1_000,
            terms: 100_000,
            ..ReasonLimits::default()
        },
        ..LoadLimits::default()
    }
}

/// Whole games with mistakes in them: whatever is left of the rules is run, by both machines.
#[test]
fn mutated_games_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/kibitz/lang/rules");
    let games = ["tic-tac-toe", "monty-hall", "eight-puzzle", "bidding-tic-tac-toe", "number-scrabble"]
        .map(|name| std::fs::read_to_string(folder.join(name).with_extension("kif")).unwrap());
    let mut rng = Rng::new(3);
    let mut below = |most: usize| rng.below(most.max(1) as u32) as usize;
    let (mut ran, mut refused) = (0, 0);
    for round in 0..400 {
        let text = &games[round % games.len()];
        // Words are taken out, doubled, and put where others are: brackets stay in pairs more often
        // than if characters were.
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ')', '(']).collect();
        for _ in 0..=below(3) {
            let (at, other) = (below(words.len()), below(words.len()));
            match below(3) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                _ => words[at] = words[other],
            }
        }
        let source = Source::new("mutated", words.concat());
        let mut limits = small();
        if round % 2 == 1 {
            limits.ground.rules = 1; // the reasoner's turn
        }
        match load(&source, &limits) {
            Err(findings) => {
                assert!(!findings.is_empty());
                render_all(std::slice::from_ref(&source), &findings, 20);
                refused += 1;
            }
            Ok(loaded) => {
                let how = Rollout::random(20, 1.0);
                let mut returns = vec![0.0; loaded.game.info().players];
                let state = loaded.game.initial();
                loaded.game.playouts(
                    &state,
                    &how,
                    3,
                    &mut Rng::new(1),
                    &mut kibitz_core::interrupt::Interrupt::never(),
                    &mut returns,
                );
                loaded.game.text(&state, None);
                ran += 1;
            }
        }
    }
    assert!(ran > 50 && refused > 50, "{ran} ran, {refused} were refused");
}

#[test]
fn made_to_be_slow() {
    let many = 20_000;
    let rules = |rule: &dyn Fn(usize) -> String| (0..many).map(rule).collect::<String>();
    for text in [
        // A chain of relations, a circle of negations, growing terms in a long chain, many spellings.
        rules(&|n| format!("(<= (p{n} ?x) (p{} ?x))", n + 1)),
        rules(&|n| format!("(<= (p a{n}) (not (p b{n})))")),
        rules(&|n| format!("(<= (p{n} (f ?x)) (p{} ?x))", (n + 1) % many)),
        rules(&|n| format!("(<= (next (p{n} (f ?x))) (true (p{} ?x)))", (n + 1) % many)),
        rules(&|n| format!("(succ {n} {})", n + 1)),
        rules(&|n| format!("(<= (q ?x) (not (distinct ?x (f ?y ?y))) (r ?y {n}))")),
        format!("(<= p {})", rules(&|n| format!("(or a{n} (and b c))"))),
        format!("(<= p {})", rules(&|n| format!("(not (distinct ?x{n} (f ?x{} ?x{})))", n + 1, n + 1))),
        rules(&|n| (0..12).map(|bit| if n >> bit & 1 == 1 { "A" } else { "a" }).collect::<String>() + "\n"),
        "(role a) ".to_string() + &rules(&|_| "x(".to_string()),
    ] {
        let begun = processor_seconds();
        try_it(&Source::new("slow", format!("(role a){text}")));
        let spent = processor_seconds() - begun;
        assert!(spent < 20.0, "{spent} s for {}...", text.chars().take(60).collect::<String>());
    }
}
