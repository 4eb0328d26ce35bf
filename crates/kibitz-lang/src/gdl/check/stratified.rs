//! Negation is stratified: nothing depends on its own absence.

use super::error;
use super::graph::{Graph, groups, may_match};
use crate::gdl::syntax::{Atom, Literal, Symbol};
use crate::source::{Finding, Law};

const UNSTRATIFIED: Law = error("unstratified", "no relation depends on its own negation");

/// Above this, relations are looked at as a whole.
const MOST_PAIRS: usize = 4_000_000;

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    let mut suspects: Vec<usize> = Vec::new();
    for (from, edges) in graph.edges.iter().enumerate() {
        suspects.extend(
            edges
                .iter()
                .filter(|edge| !edge.positive && graph.group[edge.to] == graph.group[from])
                .map(|_| graph.group[from]),
        );
    }
    suspects.sort_unstable();
    suspects.dedup();
    for group in suspects {
        check_group(graph, group, findings);
    }
}

/// A relation may depend on the negation of another part of itself: `(phase two)` on `(not (phase one))`.
/// So the clauses are looked at one by one, with what their heads can match.
fn check_group(graph: &Graph, group: usize, findings: &mut Vec<Finding>) {
    let members: Vec<usize> =
        (0..graph.relations.len()).filter(|relation| graph.group[*relation] == group).collect();
    let clauses: Vec<usize> =
        members.iter().flat_map(|relation| graph.clauses[*relation].iter().copied()).collect();
    // The number of pairs that are compared; only a file made for the purpose has more.
    let heads = |atom: &Atom| match graph.relation(atom) {
        Some(relation) if graph.group[relation] == group => graph.clauses[relation].len(),
        _ => 0,
    };
    let body = |clause: &usize| {
        graph.rules.clauses[*clause].body.iter().filter_map(Literal::atom).map(heads).sum()
    };
    let looks_closer = clauses.iter().map(body).fold(0_usize, usize::saturating_add) <= MOST_PAIRS;
    if !looks_closer {
        let edges = members.iter().flat_map(|from| graph.edges[*from].iter().map(move |edge| (from, edge)));
        if let Some((from, edge)) =
            edges.into_iter().find(|(_, edge)| !edge.positive && graph.group[edge.to] == group)
        {
            let names =
                [graph.relations[*from].name, graph.relations[edge.to].name].map(|name| graph.name(name));
            let message = format!(
                "`{}` depends on the negation of `{}`, and the other way round",
                names[0], names[1]
            );
            findings.push(Finding::new(&UNSTRATIFIED, edge.span, message));
        }
        return;
    }
    let mut position = vec![usize::MAX; graph.rules.clauses.len()];
    for (at, clause) in clauses.iter().enumerate() {
        position[*clause] = at;
    }
    let mut edges = Vec::new();
    for (from, clause) in clauses.iter().enumerate() {
        for literal in &graph.rules.clauses[*clause].body {
            let Some(atom) = literal.atom() else { continue };
            let Some(relation) = graph.relation(atom).filter(|relation| graph.group[*relation] == group)
            else {
                continue;
            };
            for to in &graph.clauses[relation] {
                let head = &graph.rules.clauses[*to].head;
                if atom.args.iter().zip(&head.args).all(|(one, two)| may_match(one, two)) {
                    edges.push((from, position[*to], atom, matches!(literal, Literal::Positive(_))));
                }
            }
        }
    }
    let mut next = vec![Vec::new(); clauses.len()];
    edges.iter().for_each(|(from, to, ..)| next[*from].push(*to));
    let parts = groups(&next);
    let mut told: Vec<Symbol> = Vec::new();
    for (from, to, atom, positive) in edges {
        if positive || parts[from] != parts[to] || told.contains(&atom.name) {
            continue;
        }
        told.push(atom.name);
        let head = &graph.rules.clauses[clauses[from]].head;
        let other = &graph.rules.clauses[clauses[to]].head;
        let message = format!(
            "`{}` holds if `{}` does not, which in turn depends on `{}`",
            graph.rules.show(head),
            graph.rules.show(atom),
            graph.rules.show(head)
        );
        let finding = Finding::new(&UNSTRATIFIED, atom.span, message);
        let finding =
            if other.span == head.span { finding } else { finding.also(other.span, "by way of this rule") };
        findings
            .push(finding.help("break the circle: let one of them depend on the state (`true`) instead"));
    }
}
