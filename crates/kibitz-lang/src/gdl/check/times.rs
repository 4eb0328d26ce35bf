//! Lifetimes, in real-time rules: what they are, and where they may stand.

use std::collections::BTreeSet;

use super::error;
use super::graph::{Graph, may_match};
use crate::gdl::syntax::{Atom, Clause, Literal, Symbol, Term};
use crate::gdl::times::{is_lifetime, lifetime};
use crate::source::{Finding, Law};

const LIFETIME: Law = error(
    "lifetime",
    "a lifetime is `infinity`, or a number above zero with six places behind the point at most",
);
const MISPLACED: Law = error(
    "lifetime-misplaced",
    "a lifetime stands before a fact or as an argument: it is no role, no score, no fact and no move",
);

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    if !graph.rules.timed {
        return;
    }
    for (atom, _) in graph.atoms() {
        if let (Symbol::INIT | Symbol::TRUE | Symbol::NEXT, [given, _]) = (atom.name, &atom.args[..]) {
            findings.extend(no_lifetime(graph, atom.name, given));
        }
    }
    for clause in &graph.rules.clauses {
        copied(graph, clause, findings);
        misplaced(graph, clause, findings);
    }
}

/// What is wrong with what stands where a lifetime belongs.
fn no_lifetime(graph: &Graph, word: Symbol, given: &Term) -> Option<Finding> {
    let shown = graph.rules.show(given);
    let right = "write a number above zero, or `infinity` for what never expires";
    let (message, help) = match given {
        Term::Variable { .. } => return None,
        Term::Compound { .. } => {
            let message = format!("`{shown}` stands where a lifetime belongs");
            return Some(Finding::new(&LIFETIME, given.span(), message).help(format!(
                "the lifetime comes first, then the fact: `({} lifetime fact)`",
                graph.name(word)
            )));
        }
        Term::Constant { .. } => match (lifetime(&shown), word) {
            (Ok(0), Symbol::TRUE) => (
                "no fact that holds has the lifetime 0".to_owned(),
                "ask for what has just expired by `(expired fact)`",
            ),
            (Ok(0), _) => ("a fact with the lifetime 0 would expire before it holds".to_owned(), right),
            (Ok(_), _) => return None,
            (Err(why), _) => (format!("`{shown}` stands where a lifetime belongs, but {why}"), right),
        },
    };
    Some(Finding::new(&LIFETIME, given.span(), message).help(help))
}

/// A lifetime that is an argument of facts elsewhere: all of them that the condition may mean are to be lifetimes.
fn copied(graph: &Graph, clause: &Clause, findings: &mut Vec<Finding>) {
    let gives = matches!(clause.head.name, Symbol::INIT | Symbol::NEXT);
    let [Term::Variable { name, .. }, _] = &clause.head.args[..] else { return };
    let mut places = Vec::new();
    for literal in &clause.body {
        let Literal::Positive(atom) = literal else { continue };
        let mut here = 0;
        atom.each_variable(&mut |other, _| here += usize::from(other == *name));
        if here > 0 {
            places.push(atom);
        }
    }
    // By several conditions, it is what all of them mean.
    let ([atom], true) = (&places[..], gives) else { return };
    let is_it = |arg: &Term| matches!(arg, Term::Variable { name: other, .. } if other == name);
    let Some(place) = atom.args.iter().position(is_it) else { return };
    for other in graph.clauses_of(atom.name).map(|clause| &clause.head) {
        let fits = other.arity() == atom.arity()
            && other.args.iter().zip(&atom.args).all(|(one, two)| may_match(one, two));
        let Some(given @ Term::Constant { .. }) = other.args.get(place).filter(|_| fits) else { continue };
        let shown = graph.rules.show(given);
        if !is_lifetime(&shown) {
            let message = format!("`{shown}` is used as a lifetime, and is none");
            let finding = Finding::new(&LIFETIME, given.span(), message);
            let finding = finding.also(clause.head.span, "by this rule");
            findings.push(finding.help("write a number above zero, or `infinity`"));
        }
    }
}

/// A variable for a lifetime where something else belongs.
fn misplaced(graph: &Graph, clause: &Clause, findings: &mut Vec<Finding>) {
    let mut lifetimes: BTreeSet<Symbol> = BTreeSet::new();
    for literal in &clause.body {
        if let Literal::Positive(Atom { name: Symbol::TRUE, args, .. }) = literal
            && let [Term::Variable { name, .. }, _] = &args[..]
        {
            lifetimes.insert(*name);
        }
    }
    if lifetimes.is_empty() {
        return;
    }
    let mut told = BTreeSet::new();
    let body = clause.body.iter().filter_map(Literal::atom);
    for atom in std::iter::once(&clause.head).chain(body) {
        for &(place, what) in belongs(atom) {
            let Some(term @ Term::Variable { name, span }) = atom.args.get(place) else { continue };
            if lifetimes.contains(name) && told.insert(*name) {
                let shown = graph.rules.show(term);
                let message =
                    format!("`{shown}` is the lifetime of a fact, and stands where {what} belongs");
                let help = "lifetimes can only be handed on: to a fact, or as an argument of one";
                findings.push(Finding::new(&MISPLACED, *span, message).help(help));
            }
        }
    }
}

/// What belongs at which places of an atom, other than a lifetime.
fn belongs(atom: &Atom) -> &'static [(usize, &'static str)] {
    match atom.name {
        Symbol::ROLE => &[(0, "a role")],
        Symbol::LEGAL | Symbol::DOES | Symbol::INPUT => &[(0, "a role"), (1, "a move")],
        Symbol::GOAL => &[(0, "a role"), (1, "a score")],
        Symbol::SEES => &[(0, "a role")],
        Symbol::INIT | Symbol::TRUE | Symbol::NEXT => &[(1, "a fact")],
        Symbol::EXPIRED | Symbol::BASE => &[(0, "a fact")],
        _ => &[],
    }
}
