//! Facts have no variables, and every variable of a rule gets its values from a positive condition.

use std::collections::HashSet;

use super::error;
use super::graph::Graph;
use crate::source::{Finding, Law, Span};
use crate::syntax::{Literal, Symbol};

const FACT: Law = error("fact-with-variable", "facts are ground: they have no variables");
const UNSAFE: Law = error(
    "unsafe-variable",
    "a variable of the head, of a negated condition or of `distinct` also stands in a positive condition",
);

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    for clause in &graph.rules.clauses {
        let bound = clause.bound();
        let mut told: HashSet<Symbol> = HashSet::new();
        let mut tell = |name: Symbol, span: Span, place: &str| {
            if bound.contains(&name) || !told.insert(name) {
                return;
            }
            let name = graph.name(name);
            findings.push(if clause.is_fact() {
                let finding = Finding::new(&FACT, span, format!("the variable `{name}` stands in a fact"));
                finding.help("write a constant, or a rule whose conditions give the variable its values")
            } else {
                let message = format!("the variable `{name}` {place}, but in no positive condition");
                let finding = Finding::new(&UNSAFE, span, message);
                finding.help(format!(
                    "add a condition that gives `{name}` its values, or look for a misspelt variable"
                ))
            });
        };
        clause.head.each_variable(&mut |name, span| tell(name, span, "stands in the head"));
        for literal in &clause.body {
            match literal {
                Literal::Positive(_) => {}
                Literal::Negative(atom) => {
                    atom.each_variable(&mut |name, span| tell(name, span, "stands in a negated condition"));
                }
                Literal::Distinct { .. } => {
                    literal.each_variable(&mut |name, span| tell(name, span, "stands in `distinct`"));
                }
            }
        }
    }
}
