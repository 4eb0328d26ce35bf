//! Loading ends in time, whatever the rules are.

use std::time::Duration;

use kibitz_lang::Source;
use kibitz_lang::gdl::run::{ReasonLimits, Reasoner};
use kibitz_lang::gdl::{LIMITS, Limits, LoadLimits, load, parse};
use kibitz_lang::limits::set;

use crate::common::processor_seconds;

const HEAD: &str = "(role you) (init start) (legal you go) (<= (next on) (does you go)) (goal you 100)\n";

/// Rules of which each asks for the one before, by kind: several relations, one relation, a circle.
fn chains(count: usize) -> [String; 4] {
    let rules = |rule: &dyn Fn(usize) -> String| (0..count).map(rule).collect::<String>();
    let many = rules(&|n| format!("(<= (p{} ?x) (p{n} ?x))\n", n + 1));
    let negated = rules(&|n| format!("(<= (p{} ?x) (true ?x) (not (p{n} ?x)))\n", n + 1));
    let one = rules(&|n| format!("(<= (p {}) (p {n}))\n", n + 1));
    let begin = "(<= (p0 ?x) (true ?x))";
    [
        format!("{HEAD} {begin} {many} (<= terminal (p{count} on))"),
        format!("{HEAD} {begin} {negated} (<= terminal (p{count} on))"),
        format!("{HEAD} (<= (p 0) (true on)) {one} (<= terminal (p {count}))"),
        format!("{HEAD} {begin} {many} (<= (p0 ?x) (p{count} ?x)) (<= terminal (p{count} on))"),
    ]
}

/// Facts that go round, each told by the one before; and those that turn over by themselves, of which
/// a player is told.
fn facts(count: usize) -> [String; 2] {
    let rules = |rule: &dyn Fn(usize) -> String| (0..count).map(rule).collect::<String>();
    let round = rules(&|n| format!("(<= (next (f {})) (true (f {n})))\n", (n + 1) % count));
    let turning = rules(&|n| format!("(<= (next (f {n})) (not (true (f {n}))))\n"));
    [
        format!("{HEAD} (init (f 0)) {round} (<= terminal (true on))"),
        format!("{HEAD} {turning} (<= terminal (true on)) (<= (sees you it) (true (f 1)))"),
    ]
}

#[test]
fn many_rules_are_loaded_in_time() {
    for (kind, text) in chains(40_000).into_iter().chain(facts(20_000)).enumerate() {
        let mut limits = LoadLimits::default();
        set(&LIMITS, &mut limits, "seconds", 1.0).unwrap();
        let begun = processor_seconds();
        let loaded = load(&Source::new("many.kif", &*text), &limits);
        let taken = processor_seconds() - begun;
        assert!(taken < 15.0, "{kind}: {taken} s");
        assert!(loaded.is_ok(), "{kind}");
    }
}

/// Where even the machine that does not ground has no time left, the sentence says so.
#[test]
fn the_reasoner_hears_the_clock() {
    let text = format!("{HEAD} (<= terminal (true on))");
    let rules = parse(&Source::new("short.kif", &*text), &Limits::default()).unwrap();
    let limits = ReasonLimits { time: Duration::ZERO, ..ReasonLimits::default() };
    let why = Reasoner::new(&rules, &limits).err().map(|not| not.why).unwrap_or_default();
    assert_eq!(why, "what comes before the first move takes more than 0 s to derive (limit.seconds)");
    // A limit of nothing is about grounding: the rules are run without it.
    let mut limits = LoadLimits::default();
    set(&LIMITS, &mut limits, "seconds", 0.0).unwrap();
    let loaded = load(&Source::new("short.kif", &*text), &limits);
    assert!(loaded.is_ok_and(|loaded| loaded.report.machine == "reasoner"));
}
