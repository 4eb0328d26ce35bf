//! The language's words: how many arguments each has, and where it may stand.

use super::graph::Graph;
use super::{error, warning};
use crate::gdl::syntax::{Symbol, Symbols, Term};
use crate::source::{Finding, Law};

const ARITY: Law = error("keyword-arity", "the language's words have a fixed number of arguments");
const ROLE_RULE: Law = error("role-not-fact", "roles are given by facts");
const INPUT_HEAD: Law = error(
    "input-in-head",
    "`true`, `does` and, in real time, `expired` are given by the state and the moves, not by rules",
);
const OUTPUT_BODY: Law = warning(
    "output-in-body",
    "`init`, `next`, `sees`, `base` and `input` stand only in the heads of rules",
);
const IN_TERM: Law = warning("keyword-in-term", "the language's words name relations, not functions");
const REAL_TIME: Law = error(
    "real-time",
    "in real-time rules (rtGDL) each `init`, `true` and `next` has a lifetime and a fact; in others none has a lifetime",
);

/// How a keyword that names a relation is written.
fn form(name: Symbol, timed: bool) -> &'static str {
    match name {
        Symbol::INIT if timed => "(init lifetime fact)",
        Symbol::TRUE if timed => "(true lifetime fact)",
        Symbol::NEXT if timed => "(next lifetime fact)",
        Symbol::EXPIRED => "(expired fact)",
        Symbol::ROLE => "(role name)",
        Symbol::INIT => "(init fact)",
        Symbol::TRUE => "(true fact)",
        Symbol::DOES => "(does role move)",
        Symbol::NEXT => "(next fact)",
        Symbol::LEGAL => "(legal role move)",
        Symbol::GOAL => "(goal role score)",
        Symbol::SEES => "(sees role percept)",
        Symbol::BASE => "(base fact)",
        Symbol::INPUT => "(input role move)",
        _ => "terminal",
    }
}

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    let timed = graph.rules.timed;
    for (atom, is_head) in graph.atoms() {
        if let Some(arity) = Symbols::arity(atom.name, timed)
            && arity != atom.arity()
        {
            let form = form(atom.name, timed);
            let (name, count) = (graph.name(atom.name), atom.arity());
            let counted = |count: usize| match count {
                0 => "no arguments".to_string(),
                1 => "one argument".to_string(),
                _ => format!("{count} arguments"),
            };
            let mixed =
                matches!(atom.name, Symbol::INIT | Symbol::TRUE | Symbol::NEXT) && count + arity == 3;
            findings.push(if mixed {
                let message = if timed {
                    format!("`{name}` has no lifetime here, but these are real-time rules: others have one")
                } else {
                    format!(
                        "`{name}` has a lifetime here, as in real-time rules, but most others have none"
                    )
                };
                let infinite = "; what never expires has the lifetime `infinity`";
                let more = if timed { infinite } else { "" };
                Finding::new(&REAL_TIME, atom.span, message).help(format!("write `{form}`{more}"))
            } else {
                let message = format!("`{name}` has {}, not {}", counted(count), counted(arity));
                Finding::new(&ARITY, atom.span, message).help(format!("write `{form}`"))
            });
        }
        let right = match atom.name {
            Symbol::TRUE => Some("`next` may be meant"),
            Symbol::DOES => Some("`legal` may be meant"),
            Symbol::EXPIRED if timed => {
                Some("a fact expires when its lifetime is over, and no rule can say so")
            }
            _ => None,
        };
        if let Some(help) = right.filter(|_| is_head) {
            let message = format!("`{}` stands in the head of a rule", graph.name(atom.name));
            findings.push(Finding::new(&INPUT_HEAD, atom.span, message).help(help));
        }
        let is_output =
            matches!(atom.name, Symbol::INIT | Symbol::NEXT | Symbol::SEES | Symbol::BASE | Symbol::INPUT);
        if !is_head && is_output {
            let message = format!("`{}` stands in the conditions of a rule", graph.name(atom.name));
            let help = "many programs do not accept it; give both the same conditions instead";
            findings.push(Finding::new(&OUTPUT_BODY, atom.span, message).help(help));
        }
        atom.args.iter().for_each(|arg| in_term(graph, arg, findings));
    }
    for clause in graph.clauses_of(Symbol::ROLE).filter(|clause| !clause.is_fact()) {
        let finding = Finding::new(&ROLE_RULE, clause.head.span, "this role depends on conditions");
        findings.push(finding.help("write `(role name)` for each role"));
    }
}

/// A misplaced bracket often puts one condition into another.
fn in_term(graph: &Graph, term: &Term, findings: &mut Vec<Finding>) {
    let Term::Compound { name, args, span } = term else { return };
    let means_nothing =
        matches!(*name, Symbol::RANDOM | Symbol::TUPLE | Symbol::EXPIRED | Symbol::INFINITY);
    if Symbols::is_keyword(*name) && !means_nothing {
        let message = format!("`{}` is the name of a function here", graph.name(*name));
        let help = "if a condition was meant, a bracket is in the wrong place";
        findings.push(Finding::new(&IN_TERM, *span, message).help(help));
    }
    args.iter().for_each(|arg| in_term(graph, arg, findings));
}
