//! The recursion restriction: what recursion passes on is known from outside of it.

use super::graph::Graph;
use super::warning;
use crate::gdl::syntax::{Clause, Literal, Term};
use crate::source::{Finding, Law, Span};

const RECURSION: Law = warning(
    "recursion",
    "in a condition that depends on the head, every argument is ground, or an argument of the head, or a \
     variable that stands in a condition which does not depend on the head",
);

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    for clause in &graph.rules.clauses {
        let Some(head) = graph.relation(&clause.head) else { continue };
        for literal in &clause.body {
            let Literal::Positive(atom) = literal else { continue };
            if graph.relation(atom).is_none_or(|relation| graph.group[relation] != graph.group[head]) {
                continue;
            }
            if let Some(span) = atom.args.iter().find_map(|arg| loose(graph, clause, head, arg)) {
                let message = format!(
                    "the recursive condition `{}` has an argument that comes from the recursion alone",
                    graph.rules.show(atom)
                );
                let help = "add a condition that lists its values, such as `(index ?x)`";
                findings.push(Finding::new(&RECURSION, span, message).help(help));
            }
        }
    }
}

/// The place of an argument that the restriction does not allow.
fn loose(graph: &Graph, clause: &Clause, head: usize, arg: &Term) -> Option<Span> {
    if arg.is_ground() || clause.head.args.iter().any(|other| other.same(arg)) {
        return None;
    }
    let outside = |literal: &Literal| match literal {
        Literal::Positive(atom) => {
            let recursive =
                graph.relation(atom).is_some_and(|relation| graph.group[relation] == graph.group[head]);
            !recursive && atom.args.iter().any(|other| mentions(other, arg))
        }
        _ => false,
    };
    (!clause.body.iter().any(outside)).then(|| arg.span())
}

/// Is `part` the term or a part of it?
fn mentions(term: &Term, part: &Term) -> bool {
    term.same(part) || term.args().iter().any(|arg| mentions(arg, part))
}
