//! Facts have no variables, and every variable of a rule gets its values from a positive condition.

use std::collections::BTreeSet;

use super::error;
use super::graph::Graph;
use crate::gdl::syntax::{Clause, Literal, Symbol};
use crate::source::{Finding, Law, Span};

const FACT: Law = error("fact-with-variable", "facts are ground: they have no variables");
const UNSAFE: Law = error(
    "unsafe-variable",
    "a variable of the head, of a negated condition or of `distinct` also stands in a positive condition",
);

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    for clause in &graph.rules.clauses {
        let mut loose: Vec<(&str, Symbol, Span)> = Vec::new();
        clause.head.each_variable(&mut |name, span| loose.push(("the head", name, span)));
        for literal in &clause.body {
            let place = match literal {
                Literal::Positive(_) => continue,
                Literal::Negative(_) => "a negated condition",
                Literal::Distinct { .. } => "`distinct`",
            };
            literal.each_variable(&mut |name, span| loose.push((place, name, span)));
        }
        let bound = clause.bound();
        let mut told: BTreeSet<Symbol> = BTreeSet::new();
        loose.retain(|(_, name, _)| !bound.contains(name) && told.insert(*name));
        // One finding for each place, with all variables that it is about.
        for group in loose.chunk_by(|one, two| one.0 == two.0) {
            findings.push(found(graph, clause, group));
        }
    }
}

fn found(graph: &Graph, clause: &Clause, loose: &[(&str, Symbol, Span)]) -> Finding {
    let (place, first, span) = loose[0];
    let names: Vec<String> = loose.iter().map(|(_, name, _)| format!("`{}`", graph.name(*name))).collect();
    let (word, verb) = if names.len() == 1 { ("variable", "stands") } else { ("variables", "stand") };
    let names = names.join(", ");
    if clause.is_fact() {
        return Finding::new(&FACT, span, format!("the {word} {names} {verb} in a fact"))
            .help("write a constant, or a rule whose conditions give the variable its values");
    }
    let message = format!("the {word} {names} {verb} in {place}, but in no positive condition");
    let first = graph.name(first);
    Finding::new(&UNSAFE, span, message)
        .help(format!("add a condition that gives `{first}` its values, or look for a misspelt variable"))
}
