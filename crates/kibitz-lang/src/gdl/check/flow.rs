//! What happens at the start, before the moves and after them: who may depend on what.

use super::graph::Graph;
use super::{error, warning};
use crate::gdl::syntax::Symbol;
use crate::source::{Finding, Law, Span};

const INIT: Law = error(
    "init-depends",
    "`init` does not depend on `true`, `expired`, `does`, `next`, `legal`, `goal`, `terminal` or `sees`",
);
const BEFORE_MOVES: Law = error(
    "depends-on-moves",
    "`legal`, `goal` and `terminal` do not depend on `does`: they hold before the moves",
);
const STATIC: Law = warning("static-depends", "`base` and `input` do not depend on the state or the moves");

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    const DYNAMIC: [Symbol; 7] = [
        Symbol::TRUE,
        Symbol::DOES,
        Symbol::NEXT,
        Symbol::LEGAL,
        Symbol::GOAL,
        Symbol::TERMINAL,
        Symbol::SEES,
    ];
    for name in [Symbol::LEGAL, Symbol::GOAL, Symbol::TERMINAL] {
        forbid(graph, &BEFORE_MOVES, name, &[Symbol::DOES], findings);
    }
    // Without lifetimes, `expired` is a name like others.
    let expired: &[Symbol] = if graph.rules.timed { &[Symbol::EXPIRED] } else { &[] };
    forbid(graph, &INIT, Symbol::INIT, &[&DYNAMIC, expired].concat(), findings);
    for name in [Symbol::BASE, Symbol::INPUT] {
        forbid(graph, &STATIC, name, &[&[Symbol::TRUE, Symbol::DOES], expired].concat(), findings);
    }
}

/// One finding if a relation called `from` depends on one called by a name of `to`.
fn forbid(graph: &Graph, law: &Law, from: Symbol, to: &[Symbol], findings: &mut Vec<Finding>) {
    let starts: Vec<usize> =
        (0..graph.relations.len()).filter(|relation| graph.relations[*relation].name == from).collect();
    // The shortest way there, breadth first.
    let mut via: Vec<Option<(usize, Span)>> = vec![None; graph.relations.len()];
    let mut seen = vec![false; graph.relations.len()];
    starts.iter().for_each(|start| seen[*start] = true);
    let mut queue = std::collections::VecDeque::from(starts);
    while let Some(relation) = queue.pop_front() {
        // Rules that give these are broken in themselves.
        if matches!(graph.relations[relation].name, Symbol::TRUE | Symbol::DOES | Symbol::EXPIRED)
            && (graph.rules.timed || graph.relations[relation].name != Symbol::EXPIRED)
        {
            continue;
        }
        for edge in &graph.edges[relation] {
            if seen[edge.to] {
                continue;
            }
            seen[edge.to] = true;
            via[edge.to] = Some((relation, edge.span));
            queue.push_back(edge.to);
            if to.contains(&graph.relations[edge.to].name) {
                findings.push(found(graph, law, from, edge.to, &via));
                return;
            }
        }
    }
}

fn found(graph: &Graph, law: &Law, from: Symbol, to: usize, via: &[Option<(usize, Span)>]) -> Finding {
    let target = graph.name(graph.relations[to].name);
    let mut steps = Vec::new();
    let mut at = to;
    while let Some((before, span)) = via[at] {
        steps.push((before, span));
        at = before;
    }
    // The last step is the first on the way.
    let span = steps.last().map_or(Span::default(), |(_, span)| *span);
    let way: Vec<String> = steps
        .iter()
        .rev()
        .skip(1)
        .map(|(relation, _)| format!("`{}`", graph.name(graph.relations[*relation].name)))
        .collect();
    let by = if way.is_empty() { String::new() } else { format!(" by way of {}", way.join(", ")) };
    let message = format!("`{}` depends on `{target}`{by}", graph.name(from));
    let finding = Finding::new(law, span, message);
    let finding = match steps.first() {
        Some((_, place)) if *place != span => finding.also(*place, format!("`{target}` is used here")),
        _ => finding,
    };
    finding.help(format!("remove `{target}` from the conditions, or remember it in the state with `next`"))
}
