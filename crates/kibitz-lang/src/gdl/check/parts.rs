//! The parts that every game has: roles, moves, an end and scores.

use std::collections::BTreeMap;

use super::graph::{Graph, may_match};
use super::{error, warning};
use crate::gdl::syntax::{Symbol, Term};
use crate::source::{Finding, Law, Span};

const NOT_A_GAME: Law =
    error("not-rules", "rules of a game have `role`, `legal`, `next`, `terminal` and `goal`");
const NO_ROLE: Law = error("missing-role", "a game has at least one role");
const ROLES: Law = error("roles", "a game has 1 to 32 players besides `random`");
const NO_LEGAL: Law = error("missing-legal", "a game has rules for `legal`");
const NO_TERMINAL: Law = error("missing-terminal", "a game has rules for `terminal`");
const NO_GOAL: Law = error("missing-goal", "a game has rules for `goal`");
const NO_NEXT: Law = warning("missing-next", "a game has rules for `next`");
const NO_INIT: Law = warning("missing-init", "a game has an initial state");
const ROLE_LEGAL: Law =
    warning("role-without-move", "every role has a legal move in every state before the end");
const ROLE_GOAL: Law = warning("role-without-goal", "every role has a score at the end");
const UNKNOWN_ROLE: Law =
    warning("unknown-role", "`legal`, `does`, `goal`, `sees` and `input` are about roles");
const SCORE: Law = error("score", "scores are whole numbers");
const SCORE_RANGE: Law = warning("score-range", "scores are from 0 to 100");

/// Where nothing of a game is there, a list of what is missing would not help.
pub fn not_a_game(graph: &Graph) -> Option<Finding> {
    const PARTS: [Symbol; 6] =
        [Symbol::ROLE, Symbol::INIT, Symbol::LEGAL, Symbol::NEXT, Symbol::TERMINAL, Symbol::GOAL];
    if graph.relations.iter().any(|relation| PARTS.contains(&relation.name)) {
        return None;
    }
    let span = graph.rules.rules.first().map_or(Span::default(), |rule| rule.span);
    let message = "these are no rules of a game: there is no role, no move, no end and no score";
    Some(Finding::new(&NOT_A_GAME, span, message).help("a game starts with its roles: `(role white)`"))
}

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    let end =
        graph.rules.rules.last().map_or(Span::default(), |rule| Span { start: rule.span.end, ..rule.span });
    let missing: [(Symbol, &Law, &str, &str); 6] = [
        (Symbol::ROLE, &NO_ROLE, "nobody plays: there is no `role`", "add `(role name)` for each player"),
        (
            Symbol::LEGAL,
            &NO_LEGAL,
            "nobody may move: there is no `legal`",
            "add `(<= (legal role move) ...)`",
        ),
        (
            Symbol::TERMINAL,
            &NO_TERMINAL,
            "the game never ends: there is no `terminal`",
            "add `(<= terminal ...)`",
        ),
        (
            Symbol::GOAL,
            &NO_GOAL,
            "nobody gets a score: there is no `goal`",
            "add `(<= (goal role 100) ...)`",
        ),
        (Symbol::NEXT, &NO_NEXT, "moves change nothing: there is no `next`", "add `(<= (next fact) ...)`"),
        (Symbol::INIT, &NO_INIT, "nothing is true at the start: there is no `init`", "add `(init fact)`"),
    ];
    for (name, law, message, help) in missing {
        if graph.clauses_of(name).next().is_none() {
            findings.push(Finding::new(law, end, message).help(help));
        }
    }
    let mut roles: BTreeMap<Symbol, &Term> = BTreeMap::new();
    for clause in graph.clauses_of(Symbol::ROLE) {
        if let [term @ Term::Constant { name, .. }] = &clause.head.args[..] {
            roles.entry(*name).or_insert(term);
        }
    }
    let mut players: Vec<&Term> =
        roles.iter().filter(|(name, _)| **name != Symbol::RANDOM).map(|(_, term)| *term).collect();
    players.sort_unstable_by_key(|term| term.span());
    if let Some(extra) = players.get(kibitz_core::playout::MAX_PLAYERS) {
        let message = format!("this is one player too many: there are {} in all", players.len());
        findings.push(Finding::new(&ROLES, extra.span(), message).help("leave out players who do nothing"));
    }
    if let (true, Some(random)) = (players.is_empty(), roles.get(&Symbol::RANDOM)) {
        let finding =
            Finding::new(&ROLES, random.span(), "nobody plays but chance: `random` is the only role");
        findings.push(finding.help("add `(role name)` for each player"));
    }
    for (name, term) in &roles {
        for (part, law, what) in [
            (Symbol::LEGAL, &ROLE_LEGAL, "never has a legal move"),
            (Symbol::GOAL, &ROLE_GOAL, "never gets a score"),
        ] {
            let mut clauses = graph.clauses_of(part).peekable();
            let chance = *name == Symbol::RANDOM && part == Symbol::GOAL;
            if chance || clauses.peek().is_none() {
                continue;
            }
            if !clauses.any(|clause| clause.head.args.first().is_some_and(|arg| may_match(arg, term))) {
                let (role, part) = (graph.name(*name), graph.name(part));
                let finding = Finding::new(law, term.span(), format!("the role `{role}` {what}"));
                findings.push(finding.help(format!("add a rule for `({part} {role} ...)`")));
            }
        }
    }
    check_atoms(graph, &roles, findings);
}

/// Roles and scores where they are used.
fn check_atoms(graph: &Graph, roles: &BTreeMap<Symbol, &Term>, findings: &mut Vec<Finding>) {
    let all_plain =
        graph.clauses_of(Symbol::ROLE).all(|clause| clause.is_fact() && clause.head.is_ground());
    for (atom, is_head) in graph.atoms() {
        let about_role =
            matches!(atom.name, Symbol::LEGAL | Symbol::DOES | Symbol::GOAL | Symbol::SEES | Symbol::INPUT);
        let [first, second] = &atom.args[..] else { continue };
        if !about_role {
            continue;
        }
        if let Term::Constant { name, span } = first
            && all_plain
            && !roles.is_empty()
            && !roles.contains_key(name)
        {
            let known = roles.keys().map(|role| graph.name(*role));
            let near = kibitz_core::spec::nearest(graph.name(*name), known)
                .first()
                .map(|near| format!("`{near}` may be meant"));
            let message = format!("`{}` is not a role", graph.name(*name));
            let help =
                near.unwrap_or_else(|| format!("add `(role {})`, or correct the name", graph.name(*name)));
            findings.push(Finding::new(&UNKNOWN_ROLE, *span, message).help(help));
        }
        if atom.name == Symbol::GOAL && is_head {
            score(graph, second, findings);
        }
    }
}

fn score(graph: &Graph, term: &Term, findings: &mut Vec<Finding>) {
    let shown = graph.rules.show(term);
    match term {
        Term::Variable { .. } => {}
        Term::Constant { .. } if shown.parse::<i32>().is_ok() => {
            if !shown.parse::<i32>().is_ok_and(|value| (0..=100).contains(&value)) {
                let message = format!("the score {shown} is not between 0 and 100");
                let help = "other programs expect 0 for a loss and 100 for a win";
                findings.push(Finding::new(&SCORE_RANGE, term.span(), message).help(help));
            }
        }
        _ => {
            let finding = Finding::new(&SCORE, term.span(), format!("`{shown}` is no score"));
            findings.push(finding.help("write a number from 0 to 100"));
        }
    }
}
