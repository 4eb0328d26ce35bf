//! The language's words: how many arguments each has, and where it may stand.

use super::graph::Graph;
use super::{error, warning};
use crate::gdl::syntax::{Symbol, Symbols, Term};
use crate::source::{Finding, Law};

const ARITY: Law = error("keyword-arity", "the language's words have a fixed number of arguments");
const ROLE_RULE: Law = error("role-not-fact", "roles are given by facts");
const INPUT_HEAD: Law =
    error("input-in-head", "`true` and `does` are given by the state and the moves, not by rules");
const OUTPUT_BODY: Law = warning(
    "output-in-body",
    "`init`, `next`, `sees`, `base` and `input` stand only in the heads of rules",
);
const IN_TERM: Law = warning("keyword-in-term", "the language's words name relations, not functions");
const REAL_TIME: Law =
    error("real-time", "rules are those of GDL or GDL-II; its real-time extension is not known");

/// How a keyword that names a relation is written.
fn form(name: Symbol) -> &'static str {
    match name {
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
    for (atom, is_head) in graph.atoms() {
        if let Some(arity) = Symbols::arity(atom.name)
            && arity != atom.arity()
        {
            let form = form(atom.name);
            let (name, count) = (graph.name(atom.name), atom.arity());
            let counted = |count: usize| match count {
                0 => "no arguments".to_string(),
                1 => "one argument".to_string(),
                _ => format!("{count} arguments"),
            };
            let timed = matches!(atom.name, Symbol::INIT | Symbol::TRUE | Symbol::NEXT) && count == 2;
            findings.push(if timed {
                let message = format!("`{name}` has a time and a fact here, as in real-time rules");
                Finding::new(&REAL_TIME, atom.span, message).help(format!("write `{form}`"))
            } else {
                let message = format!("`{name}` has {}, not {}", counted(count), counted(arity));
                Finding::new(&ARITY, atom.span, message).help(format!("write `{form}`"))
            });
        }
        if is_head && matches!(atom.name, Symbol::TRUE | Symbol::DOES) {
            let (word, right) =
                if atom.name == Symbol::TRUE { ("true", "next") } else { ("does", "legal") };
            let message = format!("`{word}` stands in the head of a rule");
            findings.push(
                Finding::new(&INPUT_HEAD, atom.span, message).help(format!("`{right}` may be meant")),
            );
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
    let means_nothing = matches!(*name, Symbol::RANDOM | Symbol::TUPLE | Symbol::EXPIRED);
    if Symbols::is_keyword(*name) && !means_nothing {
        let message = format!("`{}` is the name of a function here", graph.name(*name));
        let help = "if a condition was meant, a bracket is in the wrong place";
        findings.push(Finding::new(&IN_TERM, *span, message).help(help));
    }
    args.iter().for_each(|arg| in_term(graph, arg, findings));
}
