//! Plain clauses mean what the rule meant.

use std::collections::BTreeSet;

use kibitz_lang::Source;
use kibitz_lang::gdl::syntax::{Formula, Literal, Rules, Symbol};
use kibitz_lang::gdl::{Limits, parse};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Conditions over six propositions.
fn condition() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]).prop_map(str::to_string);
    atom.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|part| format!("(not {part})")),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|parts| format!("(and {})", parts.join(" "))),
            prop::collection::vec(inner, 1..4).prop_map(|parts| format!("(or {})", parts.join(" "))),
        ]
    })
}

fn holds(formula: &Formula, facts: &BTreeSet<Symbol>) -> bool {
    match formula {
        Formula::Atom(atom) => facts.contains(&atom.name),
        Formula::Distinct { left, right, .. } => !left.same(right),
        Formula::Not { inner, .. } => !holds(inner, facts),
        Formula::And { parts, .. } => parts.iter().all(|part| holds(part, facts)),
        Formula::Or { parts, .. } => parts.iter().any(|part| holds(part, facts)),
    }
}

/// Does the head of the last rule follow by the clauses? Helpers come before their use.
fn follows(rules: &Rules, facts: &BTreeSet<Symbol>) -> bool {
    let mut facts = facts.clone();
    for clause in &rules.clauses {
        let body = clause.body.iter().all(|literal| match literal {
            Literal::Positive(atom) => facts.contains(&atom.name),
            Literal::Negative(atom) => !facts.contains(&atom.name),
            Literal::Distinct { left, right, .. } => !left.same(right),
        });
        if body {
            facts.insert(clause.head.name);
        }
    }
    facts.contains(&rules.symbols.find("p").unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn same_meaning(conditions in prop::collection::vec(condition(), 1..8)) {
        let text = format!("(<= p {})", conditions.join(" "));
        let Ok(rules) = parse(&Source::new("rule", &*text), &Limits::default()) else { return Ok(()) };
        for world in 0..64_u32 {
            let names = ["a", "b", "c", "d", "e", "f"].iter().enumerate();
            let facts: BTreeSet<Symbol> =
                names.filter(|(bit, _)| world >> bit & 1 == 1).filter_map(|(_, name)| rules.symbols.find(name)).collect();
            let wanted = rules.rules[0].body.iter().all(|formula| holds(formula, &facts));
            prop_assert_eq!(follows(&rules, &facts), wanted, "{} in {:b}", rules.clauses_to_kif(), world);
        }
    }
}

#[test]
fn helpers_mean_the_same() {
    let choices: String = (0..9)
        .map(|n| format!("(or {} (not {}))", ["a", "b", "c"][n % 3], ["d", "e", "f"][n % 3]))
        .collect();
    let rules = parse(&Source::new("rule", format!("(<= p {choices})")), &Limits::default()).unwrap();
    assert!(
        rules.clauses.iter().any(|clause| rules.symbols.first(clause.head.name).is_none()),
        "no helper"
    );
    for world in 0..64_u32 {
        let names = ["a", "b", "c", "d", "e", "f"].iter().enumerate();
        let facts: BTreeSet<Symbol> = names
            .filter(|(bit, _)| world >> bit & 1 == 1)
            .filter_map(|(_, name)| rules.symbols.find(name))
            .collect();
        let wanted = rules.rules[0].body.iter().all(|formula| holds(formula, &facts));
        assert_eq!(follows(&rules, &facts), wanted, "{world:b}");
    }
}
