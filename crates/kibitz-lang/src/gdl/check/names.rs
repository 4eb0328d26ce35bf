//! Names that nothing gives or nothing uses, names of two sizes, names in two spellings.

use std::collections::{BTreeMap, HashSet};

use kibitz_core::spec::nearest;

use super::graph::Graph;
use super::warning;
use crate::gdl::syntax::{Atom, Symbol, Symbols, Term};
use crate::source::{Finding, Law, Span};

const NEVER_GIVEN: Law = warning("never-given", "what conditions ask for is given by some rule");
const NEVER_USED: Law = warning("never-used", "what rules give is used by some condition");
const TWO_ARITIES: Law = warning("two-arities", "a name always has the same number of arguments");
const SPELLING: Law = warning("spelling", "a name is spelt in one way; letter case makes no difference");

/// A name with the number of its arguments.
type Key = (Symbol, usize);

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    relations(graph, findings);
    let facts = [Symbol::INIT, Symbol::NEXT];
    // The last argument: behind the lifetime, if there is one.
    let asks = [Symbol::TRUE, Symbol::EXPIRED];
    let asks = if graph.rules.timed { &asks[..] } else { &asks[..1] };
    state_or_moves(graph, "fact", "true", asks, &facts, |atom| atom.args.last(), findings);
    state_or_moves(
        graph,
        "move",
        "done",
        &[Symbol::DOES],
        &[Symbol::LEGAL],
        |atom| atom.args.get(1),
        findings,
    );
    arities(graph, findings);
    for other in graph.symbols().other_spellings() {
        let Some((first, span)) = graph.symbols().first(other.symbol) else { continue };
        let message = format!("`{}` is spelt `{first}` elsewhere; both are the same name", other.text);
        let finding = Finding::new(&SPELLING, other.span, message);
        findings.push(finding.also(span, "first spelt here").help(format!("write `{first}`")));
    }
}

fn relations(graph: &Graph, findings: &mut Vec<Finding>) {
    let given = graph.relations.iter().zip(&graph.clauses).filter(|(_, clauses)| !clauses.is_empty());
    let given: BTreeMap<Symbol, usize> =
        given.map(|(relation, _)| (relation.name, relation.arity)).collect();
    let mut known = Known::new(given.keys().map(|name| graph.name(*name)));
    for (number, relation) in graph.relations.iter().enumerate() {
        let is_given = matches!(relation.name, Symbol::TRUE | Symbol::DOES)
            || graph.rules.timed && relation.name == Symbol::EXPIRED;
        let is_free = is_given || graph.is_helper(relation.name);
        let name = graph.name(relation.name);
        match (graph.uses[number], graph.clauses[number].first()) {
            (Some(span), None) if !is_free => {
                let finding =
                    Finding::new(&NEVER_GIVEN, span, format!("no rule gives `{name}`: it never holds"));
                let help = match given.get(&relation.name) {
                    Some(arity) => Some(format!(
                        "`{name}` is given with {arity} arguments, not with {}",
                        relation.arity
                    )),
                    None => known.nearest(name),
                };
                findings.push(Finding { help, ..finding });
            }
            (None, Some(clause)) if !is_free && !Symbols::is_keyword(relation.name) => {
                let span = graph.rules.clauses[*clause].head.span;
                let finding = Finding::new(&NEVER_USED, span, format!("no condition uses `{name}`"));
                findings.push(finding.help("remove it, or look for a misspelt name"));
            }
            _ => {}
        }
    }
}

/// What the state or the moves hold: asked for by `asks`, given by `gives`.
fn state_or_moves<'a>(
    graph: &Graph<'a>,
    what: &str,
    done: &str,
    asks: &[Symbol],
    gives: &[Symbol],
    term_of: fn(&'a Atom) -> Option<&'a Term>,
    findings: &mut Vec<Finding>,
) {
    let mut asked: BTreeMap<Key, Span> = BTreeMap::new();
    let mut given: BTreeMap<Key, Span> = BTreeMap::new();
    // A variable in place of a whole fact or move may be any of them.
    let (mut asks_any, mut gives_any) = (false, false);
    for (atom, is_head) in graph.atoms() {
        let (map, any) = if asks.contains(&atom.name) && !is_head {
            (&mut asked, &mut asks_any)
        } else if gives.contains(&atom.name) && is_head {
            (&mut given, &mut gives_any)
        } else {
            continue;
        };
        let key = match term_of(atom) {
            Some(Term::Constant { name, .. }) => (*name, 0),
            Some(Term::Compound { name, args, .. }) => (*name, args.len()),
            _ => {
                *any = true;
                continue;
            }
        };
        map.entry(key).or_insert(term_of(atom).map_or(atom.span, Term::span));
    }
    let mut known = Known::new(given.keys().map(|(name, _)| graph.name(*name)));
    for (key, span) in &asked {
        if !gives_any && !given.contains_key(key) {
            let name = graph.name(key.0);
            let finding = Finding::new(&NEVER_GIVEN, *span, format!("the {what} `{name}` is never {done}"));
            let rules: Vec<String> = gives.iter().map(|name| format!("`{}`", graph.name(*name))).collect();
            let otherwise = || format!("no {} gives it", rules.join(" or "));
            findings.push(finding.help(known.nearest(name).unwrap_or_else(otherwise)));
        }
    }
    for (key, span) in &given {
        // Moves that change nothing, such as waiting, are in order.
        if !asks_any && asks[0] == Symbol::TRUE && !asked.contains_key(key) {
            let message = format!("no condition asks for the {what} `{}`", graph.name(key.0));
            let help = "remove it, or look for a misspelt name";
            findings.push(Finding::new(&NEVER_USED, *span, message).help(help));
        }
    }
}

/// Names that a misspelt one is compared with.
struct Known<'a> {
    names: Vec<&'a str>,
    /// How many times it is still done: in a large file of unknown names it would take long.
    left: usize,
}

impl<'a> Known<'a> {
    fn new(names: impl Iterator<Item = &'a str>) -> Known<'a> {
        Known { names: names.take(5000).collect(), left: 50 }
    }

    /// The name that may be meant. Among names of a letter or two, every one is near.
    fn nearest(&mut self, name: &str) -> Option<String> {
        if self.left == 0 || name.chars().count() < 3 {
            return None;
        }
        self.left -= 1;
        let others = self.names.iter().copied().filter(|other| !other.eq_ignore_ascii_case(name));
        nearest(name, others).first().map(|near| format!("`{near}` may be meant"))
    }
}

fn arities(graph: &Graph, findings: &mut Vec<Finding>) {
    let mut relations: BTreeMap<Symbol, BTreeMap<usize, Span>> = BTreeMap::new();
    let mut functions: BTreeMap<Symbol, BTreeMap<usize, Span>> = BTreeMap::new();
    let mut seen: HashSet<Span> = HashSet::new();
    for (atom, _) in graph.atoms() {
        if !seen.insert(atom.span) || Symbols::is_keyword(atom.name) || graph.is_helper(atom.name) {
            // Keywords have a check of their own; their arguments still count.
            atom.args.iter().for_each(|arg| count(arg, &mut functions));
            continue;
        }
        relations.entry(atom.name).or_default().entry(atom.arity()).or_insert(atom.span);
        atom.args.iter().for_each(|arg| count(arg, &mut functions));
    }
    for (what, names) in [("relation", relations), ("function", functions)] {
        for (name, sizes) in names {
            let mut places: Vec<(Span, usize)> =
                sizes.into_iter().map(|(size, span)| (span, size)).collect();
            places.sort_unstable();
            let Some(((first, size), others)) = places.split_first() else { continue };
            for (span, other) in others {
                let message = format!(
                    "the {what} `{}` has {other} arguments here and {size} elsewhere",
                    graph.name(name)
                );
                let finding = Finding::new(&TWO_ARITIES, *span, message);
                let help = "they count as two different names; call one of them something else";
                findings.push(finding.also(*first, format!("{size} here")).help(help));
            }
        }
    }
}

fn count(term: &Term, functions: &mut BTreeMap<Symbol, BTreeMap<usize, Span>>) {
    if let Term::Compound { name, args, span } = term {
        if *name != Symbol::TUPLE {
            functions.entry(*name).or_default().entry(args.len()).or_insert(*span);
        }
        args.iter().for_each(|arg| count(arg, functions));
    }
}
