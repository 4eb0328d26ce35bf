//! Every law of the checker, with a file that breaks it and one that does not.

use kibitz_lang::gdl::{Limits, check, parse};
use kibitz_lang::{Finding, Severity, Source};

/// A game in which nothing is wrong.
const GAME: &str = "
(role white)
(role black)
(init (step 1))
(init (control white))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (mark ?x)) (true (control ?r)) (index ?x))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= terminal (true (step 3)))
(<= (goal ?r 100) (role ?r) (true (control ?r)))
(<= (goal ?r 0) (role ?r) (not (true (control ?r))))
(index 1) (index 2)
(succ 1 2) (succ 2 3)
";

fn findings(text: &str) -> (Source, Vec<Finding>) {
    let source = Source::new("game.kif", text);
    let findings = match parse(&source, &Limits::default()) {
        Ok(rules) => check(&rules),
        Err(findings) => findings,
    };
    (source, findings)
}

/// Checks that `broken` gives one finding or more of this law, the first at `place`, and `right` none.
fn law(code: &str, severity: Severity, place: &str, broken: &str, right: &str) {
    let (source, found) = findings(broken);
    let shown: String = found.iter().map(|finding| finding.render(&source)).collect();
    let first = found.iter().find(|finding| finding.code == code);
    let first = first.unwrap_or_else(|| panic!("no {code} in\n{broken}\nbut\n{shown}"));
    assert_eq!(first.severity, severity, "{shown}");
    assert_eq!(source.slice(first.span), place, "{shown}");
    assert!(shown.contains(&format!("[{code}]")), "{shown}");
    let (_, found) = findings(right);
    assert!(found.iter().all(|finding| finding.code != code), "{code} in\n{right}\n{found:?}");
}

/// The same with rules that are added to the game.
fn added(code: &str, severity: Severity, place: &str, broken: &str, right: &str) {
    law(code, severity, place, &format!("{GAME}{broken}"), &format!("{GAME}{right}"));
}

/// The same with rules that are taken out of the game.
fn removed(code: &str, severity: Severity, head: &str) {
    let gives = |line: &str| line.trim_start_matches("(<= ").starts_with(head);
    let kept: Vec<&str> = GAME.lines().filter(|line| !gives(line)).collect();
    law(code, severity, "", &kept.join("\n"), GAME);
}

use Severity::{Error, Warning};

#[test]
fn a_sound_game_has_no_findings() {
    assert_eq!(findings(GAME).1, []);
}

#[test]
fn words_of_the_language() {
    let right = "(<= open (true (control white)))";
    added("keyword-arity", Error, "(legal white)", "(legal white)", right);
    added("keyword-arity", Error, "(true)", "(<= open (true))", right);
    added("real-time", Error, "(next 5 lamp)", "(<= (next 5 lamp) (true (step 1)))", right);
    let rule = "(<= (role grey) (true (step 1)))";
    added("role-not-fact", Error, "(role grey)", rule, "(role grey)");
    let rule = "(<= (true lamp) (true (step 1)))";
    added("input-in-head", Error, "(true lamp)", rule, right);
    added("input-in-head", Error, "(does white noop)", "(does white noop)", right);
    added("output-in-body", Warning, "(next (step 2))", "(<= open (next (step 2)))", right);
    let rule = "(<= (legal white (does ?x)) (true (step ?x)))";
    added("keyword-in-term", Warning, "(does ?x)", rule, right);
    let reused = "(next 1 2) (<= two (next 1 ?x))";
    added("keyword-reused", Warning, "(next 1 2)", reused, right);
    added("no-arguments", Warning, "(open)", "(<= lamp (open)) (<= open lamp)", right);
}

#[test]
fn variables() {
    let right = "(<= (open ?x) (index ?x) (not (true (step ?x))) (distinct ?x 1))";
    added("fact-with-variable", Error, "?x", "(index ?x)", right);
    added("unsafe-variable", Error, "?y", "(<= (open ?y) (index ?x))", right);
    added("unsafe-variable", Error, "?y", "(<= open (index ?x) (distinct ?x ?y))", right);
    let twice = "(<= open (not (true (step ?y))) (not (index ?y)))";
    added("unsafe-variable", Error, "?y", twice, right);
    let or = "(<= (open ?x) (or (index ?x) (true (step ?y))))";
    added("unsafe-variable", Error, "?x", or, "(<= (open ?x) (or (index ?x) (true (step ?x))))");
    let local = "(<= open (not (true (step ?y))))";
    added("unsafe-negation", Warning, "?y", local, "(<= open (not (true (step ?_y))))");
    let anyone = "(<= (sees ?r ?x) (true (step ?x)))";
    added("unsafe-role", Warning, "?r", anyone, "(<= (sees ?r ?x) (true (step ?x)) (role ?r))");
    let hint = "(<= (base (step ?x)))";
    added("broken-hint", Warning, "(base (step ?x))", hint, "(<= (base (step ?x)) (index ?x))");
}

#[test]
fn negation_is_stratified() {
    let circle = "(<= one (not two)) (<= two one)";
    added("unstratified", Error, "two", circle, "(<= one two) (<= two one)");
    // One relation, but no part of it depends on its own negation.
    let phases = "(<= (phase a) (true (step 1))) (<= (phase b) (not (phase a)))";
    added("unstratified", Error, "(phase ?x)", "(<= (phase ?x) (index ?x) (not (phase ?x)))", phases);
}

#[test]
fn recursion_is_bounded() {
    let loose = "(<= (far ?x) (far ?y) (pair ?y ?x)) (<= (pair ?x ?y) (far ?x) (far ?y))";
    added("recursion", Warning, "?y", loose, "(<= (far ?x) (far ?y) (succ ?y ?x))");
    let endless = "(number 1) (<= (number (s ?x)) (number ?x))";
    added(
        "endless-recursion",
        Error,
        "(number (s ?x))",
        endless,
        "(number 1) (<= (number (s ?x)) (index ?x))",
    );
    let list = "(<= (next (list (cons ?x ?l))) (true (list ?l)) (index ?x))";
    added("growing-terms", Warning, "(cons ?x ?l)", list, "(<= (next (list (cons ?x 1))) (index ?x))");
    let bounded = "(<= (next (list (cons ?x ?l))) (true (list ?l)) (index ?x) (index ?l))";
    added("growing-terms", Warning, "(cons ?x ?l)", list, bounded);
}

#[test]
fn time_flows_one_way() {
    let right = "(<= (next lamp) (does white noop)) (<= (next lamp) (true lamp))";
    added("init-depends", Error, "(true (step 2))", "(<= (init lamp) (true (step 2)))", right);
    added("depends-on-moves", Error, "(does white noop)", "(<= terminal (does white noop))", right);
    let indirect = "(<= passed (does white noop)) (<= (goal white 50) passed)";
    added("depends-on-moves", Error, "passed", indirect, right);
    let hint = "(<= (base (step ?x)) (true (step ?x)))";
    added("static-depends", Warning, "(true (step ?x))", hint, right);
}

#[test]
fn parts_of_a_game() {
    removed("missing-role", Error, "(role");
    let roles: String = (0..31).map(|n| format!("(role r{n})")).collect();
    added("roles", Error, "r30", &roles, &roles.replace("(role r30)", "(role random)"));
    let alone = GAME.replace("(role white)", "(role random)").replace("(role black)", "");
    law("roles", Error, "random", &alone, GAME);
    removed("missing-legal", Error, "(legal");
    removed("missing-terminal", Error, "terminal");
    removed("missing-goal", Error, "(goal");
    removed("missing-next", Warning, "(next");
    removed("missing-init", Warning, "(init");
    law("not-rules", Error, "(father abraham isaac)", "(father abraham isaac)", GAME);
    law(
        "role-without-move",
        Warning,
        "grey",
        &GAME.replace("(role white)", "(role white) (role grey)").replace("?r", "white"),
        GAME,
    );
    law("role-without-goal", Warning, "black", &GAME.replace("(goal ?r", "(goal white"), GAME);
    added("unknown-role", Warning, "wihte", "(legal wihte wave)", "(legal white wave)");
    added(
        "score",
        Error,
        "much",
        "(<= (goal white much) (true (step 2)))",
        "(<= (goal white 7) (true (step 2)))",
    );
    added(
        "score-range",
        Warning,
        "-5",
        "(<= (goal white -5) (true (step 2)))",
        "(<= (goal white 5) (true (step 2)))",
    );
}

#[test]
fn names() {
    let right = "(<= open (index 2)) (<= (next lamp) open) (<= terminal (true lamp))";
    added("never-given", Warning, "closed", "(<= terminal closed)", right);
    added("never-given", Warning, "lamp", "(<= terminal (true lamp))", right);
    added("never-given", Warning, "(wave 1)", "(<= (next (step 1)) (does white (wave 1)))", right);
    added("never-used", Warning, "open", "(<= open (index 2))", right);
    added("never-used", Warning, "lamp", "(<= (next lamp) (index 2))", right);
    added("two-arities", Warning, "(index 1 2)", "(index 1 2)", right);
    let pairs = "(<= (next (pair 1 2)) (true (pair 1)))";
    added("two-arities", Warning, "(pair 1)", pairs, right);
    added("spelling", Warning, "INDEX", "(INDEX 3)", "(index 3)");
}

#[test]
fn a_misspelt_name_is_answered_with_the_nearest() {
    let (_, found) = findings(&format!("{GAME}(<= terminal (indxe 1))"));
    let finding = found.iter().find(|finding| finding.code == "never-given").unwrap();
    assert_eq!(finding.help.as_deref(), Some("`index` may be meant"));
}

#[test]
fn findings_come_in_the_order_of_the_file_and_once() {
    let text = format!("{GAME}(<= (open ?y) (or one two)) (<= (open ?z) one)");
    let (_, found) = findings(&text);
    assert!(found.windows(2).all(|pair| pair[0].span <= pair[1].span && pair[0] != pair[1]));
    assert_eq!(found.iter().filter(|finding| finding.code == "unsafe-variable").count(), 2);
}
