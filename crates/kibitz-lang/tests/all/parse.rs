//! Reading: both forms, plain clauses, and input that is no rules.

use kibitz_lang::gdl::syntax::clauses::SPLIT;
use kibitz_lang::gdl::{Limits, Rules, parse};
use kibitz_lang::source::{Place, render_all};
use kibitz_lang::{Finding, Source};

fn read(text: &str) -> Rules {
    let source = Source::new("test", text);
    parse(&source, &Limits::default())
        .unwrap_or_else(|found| panic!("{}", render_all(std::slice::from_ref(&source), &found, 9)))
}

fn refused(source: &Source, limits: &Limits) -> Vec<Finding> {
    parse(source, limits).expect_err("it should be refused")
}

/// The code and the place (line, column) of the only finding.
fn only(text: &str) -> (&'static str, usize, usize) {
    let source = Source::new("test", text);
    let found = refused(&source, &Limits::default());
    assert_eq!(found.len(), 1, "{}", render_all(std::slice::from_ref(&source), &found, 9));
    let place = source.place(found[0].span.start);
    (found[0].code, place.line, place.column)
}

#[test]
fn prefix() {
    let rules = read(
        "; a comment\n(ROLE White) (<= (Legal ?R (mark ?x 1)) (role ?r)\n (not (true(cell ?x)))) terminal",
    );
    assert_eq!(
        rules.to_kif(),
        "(role White)\n(<= (legal ?R (mark ?x 1)) (role ?R) (not (true (cell ?x))))\n(<= terminal)\n"
    );
    assert_eq!(read("(succ n n++) (p -1 a.b <)").to_kif(), "(succ n n++)\n(p -1 a.b <)\n");
    assert_eq!(read("\u{feff}(role a)").to_kif(), "(role a)\n");
}

#[test]
fn infix_dialects() {
    let wanted =
        read("(role x) (<= (legal ?P (mark ?M)) (true (cell ?M b)) (not (true (off ?P))) (distinct ?P 1))")
            .to_kif();
    for text in [
        "role(x). legal(P, mark(M)) :- true(cell(M, b)), not true(off(P)), distinct(P, 1).",
        "role(x)\nlegal(P,mark(M)) :- true(cell(M,b)) & ~true(off(P)) & distinct(P,1)\n",
        "role(x)\nlegal(?P,mark(?M)) <= true(cell(?M,b)) & ~true(off(?P)) & distinct(?P,1)\n",
        "% comment\nrole(x). /* more */ legal(P, mark(M)) :- true(cell(M, b)), \\+ true(off(P)), P != 1. // end",
    ] {
        assert_eq!(read(text).to_kif(), wanted, "{text}");
    }
    assert_eq!(
        read("p(X) :- q((X, -1)) & (r(X) | ~s & t = X)").to_kif(),
        "(<= (p ?X) (q (tuple ?X -1)) (or (r ?X) (and (not s) (not (distinct t ?X)))))\n"
    );
}

#[test]
fn prefix_text_reads_back_as_itself() {
    let text = "(<= (p ?x) (or (q ?x) (and (r ?x) (not (or (s ?x) t)))) (distinct ?x (f 1)))\n";
    assert_eq!(read(text).to_kif(), text);
}

fn clauses(text: &str) -> Vec<String> {
    let rules = read(text);
    rules.clauses.iter().map(|clause| rules.show(clause)).collect()
}

#[test]
fn conditions_become_plain() {
    assert_eq!(clauses("(<= p (not (or a (not b))) (not (not c)))"), ["(<= p (not a) b c)"]);
    assert_eq!(clauses("(<= p (not (and a b)))"), ["(<= p (not a))", "(<= p (not b))"]);
    assert_eq!(clauses("(<= (p ?x) (q ?x ?y) (not (distinct ?x ?y)))"), ["(<= (p ?y) (q ?y ?y))"]);
    assert_eq!(clauses("(<= (p ?x) (q ?x) (not (distinct ?x (f 1))))"), ["(<= (p (f 1)) (q (f 1)))"]);
    assert_eq!(clauses("(<= a (not (distinct p p)))").len(), 1);
    assert_eq!(clauses("(<= a (not (distinct p q)))").len(), 0);
    assert_eq!(clauses("(<= a (b ?x) (not (distinct ?x (f ?x))))").len(), 0);
}

#[test]
fn many_alternatives_become_helpers() {
    let choices: String = (0..12).map(|n| format!("(or (distinct ?x {n}) (q ?x {n}))")).collect();
    let found = clauses(&format!("(<= (p ?x) {choices} (d ?x))"));
    assert!(found.len() <= 12 * SPLIT, "{}", found.len());
    assert!(found[0].starts_with("(<= (p_case_"), "{}", found[0]);
    let rules = read(&format!("(<= (p ?x) {choices} (d ?x))"));
    assert!(rules.clauses.iter().all(kibitz_lang::gdl::syntax::Clause::binds_its_head));
    // Nothing gives ?x its values in all alternatives: no helper can be made, and 2^14 are too many.
    let choices: String = (0..14).map(|n| format!("(or (not (r ?x)) (q ?x {n}))")).collect();
    assert_eq!(only(&format!("(<= (p ?x) {choices})")).0, "too-many-alternatives");
}

#[test]
fn for_no_value() {
    let found = clauses("free(X) :- column(X), not true(cell(X, _)), not true(cell(X, _Y)).");
    assert_eq!(found.len(), 2, "one helper serves both: {found:?}");
    let name = found[0].split(' ').nth(1).unwrap().trim_start_matches('(').to_string();
    assert!(found[0].starts_with(&format!("(<= ({name} ?X) (true (cell ?X ?_")), "{found:?}");
    assert_eq!(found[1], format!("(<= (free ?X) (column ?X) (not ({name} ?X)) (not ({name} ?X)))"));
}

#[test]
fn broken_brackets() {
    assert_eq!(
        only("(role white)\n(<= terminal\n  (true (step 1))\n(<= (goal white 1) (true a))"),
        ("unbalanced", 2, 1)
    );
    assert_eq!(only("(role white)\n(init (a b)"), ("unbalanced", 2, 1));
    assert_eq!(only("(role white))\n(role black)"), ("unbalanced", 1, 13));
    assert_eq!(only("role(white).\nlegal(white, go(1) :- true(a).\ngoal(white, 1)."), ("unbalanced", 2, 6));
}

#[test]
fn broken_text() {
    assert_eq!(only(""), ("empty", 1, 1));
    assert_eq!(only(" ; only a comment\n\n"), ("empty", 1, 1));
    assert_eq!(only("(role white)\n(role bl\"ack)"), ("unknown-character", 2, 9));
    assert_eq!(only("role(white).\nrole(bl#ack).").0, "unknown-character");
    assert_eq!(only("(role white)\n<= terminal (true a)\n"), ("syntax", 2, 1));
    assert_eq!(only("(role white)\n()"), ("syntax", 2, 1));
    assert_eq!(only("(role white)\n((a) b)"), ("syntax", 2, 2));
    assert_eq!(only("(role white)\n(<= )"), ("syntax", 2, 1));
    assert_eq!(only("(role white)\n(<= a (not b c))"), ("connective", 2, 7));
    assert_eq!(only("(role white)\n(<= a (distinct b))"), ("connective", 2, 7));
    assert_eq!(only("(role white)\n(<= a (not))"), ("connective", 2, 7));
    assert_eq!(only("(role white)\n(<= (not a) b)"), ("head", 2, 5));
    assert_eq!(only("(role white)\n(<= a ?x)"), ("head", 2, 7));
    assert_eq!(only("(role white)\n(<= a (?f b))"), ("variable-as-name", 2, 8));
    assert_eq!(only("role(white).\nterminal :- .\ngoal(white, 1)."), ("syntax", 2, 13));
    assert_eq!(only("role(white).\nterminal :- X."), ("head", 2, 13));
}

/// What a text says beside its rules, as code, line and column, and the rules that are left.
fn noted(text: &str) -> (Vec<(&'static str, usize, usize)>, String) {
    let source = Source::new("test", text);
    let rules = read(text);
    let place = |finding: &Finding| {
        let Place { line, column } = source.place(finding.span.start);
        (finding.code, line, column)
    };
    (rules.notes.iter().map(place).collect(), rules.clauses_to_kif())
}

#[test]
fn text_between_the_rules_is_passed_over() {
    let (notes, rules) = noted(
        "(role white)\nlegal(white,go):-true_control(white).\n  terminal :- full(x).\n%% a title!\n\
         The white player: (role black) and so on\nopen\n(init open)",
    );
    assert_eq!(
        notes,
        [
            ("stray-text", 2, 1),
            ("stray-text", 3, 3),
            ("stray-text", 4, 1),
            ("stray-text", 5, 1),
            ("stray-text", 5, 32)
        ]
    );
    // A word alone on its line is a proposition.
    assert_eq!(rules, "(role white)\n(role black)\n(<= open)\n(init open)\n");
}

#[test]
fn empty_connectives_and_facts_of_distinct() {
    let (notes, rules) = noted(
        "(role white) (distinct a b) (<= (distinct ?x b) (role ?x))\n(<= p (or) (role white))\n\
         (<= q (not (or)) (role white)) (<= r (and)) (<= s (or (or) q))",
    );
    let codes: Vec<&str> = notes.iter().map(|(code, ..)| *code).collect();
    assert_eq!(codes, [&["distinct-head"; 2][..], &["no-condition"; 4]].concat());
    assert_eq!(rules, "(role white)\n(<= q (role white))\n(<= r)\n(<= s q)\n");
    // Whatever never holds is not multiplied out first.
    let many: String = (0..30).map(|n| format!("(or (a{n}) (b{n}) (c{n}))")).collect();
    assert_eq!(noted(&format!("(role white) (<= p {many} (or))")).1, "(role white)\n");
}

/// Lines end with a line feed, with a carriage return, or with both.
#[test]
fn ends_of_lines() {
    let text = "; a game\n(role white) ; the first\n(role black)\nnonsense!\n(init (a))\n";
    for end in ["\n", "\r\n", "\r"] {
        let (notes, rules) = noted(&text.replace('\n', end));
        assert_eq!(rules, "(role white)\n(role black)\n(init a)\n");
        assert_eq!(notes, [("stray-text", 4, 1), ("no-arguments", 5, 7)]);
    }
    let infix = "% a game\r% of two\rrole(white) % the first\rrole(black)\r";
    assert_eq!(read(infix).clauses_to_kif(), "(role white)\n(role black)\n");
}

#[test]
fn not_rules_at_all() {
    assert_eq!(
        only("Some notes: nothing that anybody could play.\nAnd more, of the same kind!").0,
        "not-rules"
    );
    assert_eq!(only("<!DOCTYPE html>\n<html><body>Hello, world!</body></html>").0, "not-rules");
    assert_eq!(only("{\"name\": \"chess\", \"players\": 2}").0, "not-rules");
    assert_eq!(only("def f(x):\n    return x['a'] + 1\n").0, "not-rules");
    let source = Source::from_bytes("photo.png", b"(role a)\n\x89PNG\r\n");
    let found = refused(&source, &Limits::default());
    assert_eq!((found[0].code, source.place(found[0].span.start).line), ("not-text", 2));
}

#[test]
fn sizes() {
    let many = |word: &str, count: usize| (0..count).map(|n| format!(" {word}{n}")).collect::<String>();
    assert_eq!(only(&format!("(role a)\n(init (f{}))", many("a", 201))), ("oversize", 2, 7));
    assert_eq!(only(&format!("(role a)\n(init {})", "x".repeat(501))), ("oversize", 2, 7));
    let variables: String = (0..501).map(|n| format!("(p ?x{n})")).collect();
    assert_eq!(only(&format!("(role a)\n(<= q {variables})")), ("oversize", 2, 5));
    read(&format!("(role a) (init (f{} {}))", many("a", 199), "x".repeat(500)));
}

#[test]
fn limits() {
    let limits = Limits { bytes: 20, ..Limits::default() };
    assert_eq!(refused(&Source::new("test", "(role white) (role black)"), &limits)[0].code, "too-large");
    let limits = Limits { rules: 2, ..Limits::default() };
    assert_eq!(
        refused(&Source::new("test", "(role a) (role b) (role c)"), &limits)[0].code,
        "too-many-rules"
    );
    assert_eq!(
        refused(&Source::new("test", "role(a). role(b). role(c)."), &limits)[0].code,
        "too-many-rules"
    );
    // A million levels, whatever depth is asked for, in every kind of bracket.
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let deep = 1_000_000;
    for text in [
        format!("(role {}", "(f ".repeat(deep)),
        format!("(<= terminal {} a {})", "(not ".repeat(deep), ")".repeat(deep)),
        format!("role({}", "f(".repeat(deep)),
        format!("terminal :- {} a", "~".repeat(deep)),
        format!("terminal :- {} a", "(".repeat(deep)),
    ] {
        let found = refused(&Source::new("test", text), &limits);
        assert_eq!((found.len(), found[0].code), (1, "too-deep"));
    }
    let nested = format!("(role {}a{})", "(f ".repeat(99), ")".repeat(99));
    assert!(parse(&Source::new("test", nested), &Limits::default()).is_ok());
    // No more errors than asked for.
    let limits = Limits { errors: 3, ..Limits::default() };
    let text = format!("(role a)\n{}", "()\n".repeat(100));
    assert_eq!(refused(&Source::new("test", text), &limits).len(), 3);
}

#[test]
fn a_file_is_read_no_further_than_its_limit() {
    let path = std::env::temp_dir().join(format!("kibitz-lang-{}.kif", std::process::id()));
    std::fs::write(&path, "(role é)".repeat(1000)).unwrap();
    let source = Source::read(&path, 7).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(source.bytes(), 8);
    let limits = Limits { bytes: 7, ..Limits::default() };
    assert_eq!(refused(&source, &limits)[0].code, "too-large");
}

#[test]
fn long_lines_are_cut_around_the_mark() {
    let text = format!("(role a) {} (broken ?x y))", "(p 1) ".repeat(1000));
    let source = Source::new("test", text);
    let shown = render_all(std::slice::from_ref(&source), &refused(&source, &Limits::default()), 9);
    let marked: Vec<&str> =
        shown.lines().filter(|line| line.starts_with("1 |") || line.starts_with("  | ")).collect();
    let caret = marked[1].find('^').unwrap();
    assert_eq!(&marked[0][caret..=caret], ")", "{shown}");
    assert!(shown.lines().all(|line| line.len() < 160), "{shown}");
}
