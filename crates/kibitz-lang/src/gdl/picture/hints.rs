//! What the rules' own text says about their board: which names follow each other, and what the
//! variables in a fact's places are called.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::axis::Chain;
use super::fact::Fact;
use crate::gdl::syntax::{Atom, Literal, Rules, Symbol, Term};

/// What a place in a fact seems to be, by its variables' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// `?x`: counted from the left.
    X,
    /// `?y`: counted from the bottom.
    Y,
    /// `?col`.
    Column,
    /// `?row`: counted from the top.
    Row,
}

/// What is known of a game's board from the text of its rules.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Names in a row, the longest chain first.
    pub chains: Vec<Chain>,
    /// Names that are listed together, the shortest list first.
    lists: Vec<BTreeSet<String>>,
    /// By a fact's form and place.
    places: BTreeMap<(String, usize), Hint>,
}

/// Chains that are looked at: more come from no board.
const MOST_CHAINS: usize = 64;

impl Hints {
    /// Reads the rules.
    pub fn of(rules: &Rules) -> Hints {
        let chains = chains(rules);
        let mut lists = lists(rules);
        lists.extend(chains.iter().map(|chain| chain.keys().cloned().collect()));
        lists.sort_by_key(BTreeSet::len);
        let mut hints = Hints { chains, lists, places: BTreeMap::new() };
        for clause in &rules.clauses {
            let body = clause.body.iter().filter_map(Literal::atom);
            for atom in body.chain([&clause.head]) {
                if [Symbol::TRUE, Symbol::NEXT, Symbol::INIT].contains(&atom.name) {
                    hints.note(rules, atom);
                }
            }
        }
        hints
    }

    /// What a place in facts of this form is, if the rules say so.
    pub fn at(&self, form: &str, place: usize) -> Option<Hint> {
        self.places.get(&(form.to_owned(), place)).copied()
    }

    /// The shortest list with all of these names.
    pub fn domain(&self, names: &BTreeSet<&str>) -> Option<BTreeSet<&str>> {
        let found = self.lists.iter().find(|list| names.iter().all(|name| list.contains(*name)))?;
        Some(found.iter().map(String::as_str).collect())
    }

    fn note(&mut self, rules: &Rules, atom: &Atom) {
        let Some(inner @ Term::Compound { .. }) = rules.fact(atom) else { return };
        // The text of a pattern is that of a fact whose arguments are variables.
        let pattern = Fact::read(&rules.show(inner));
        for (place, name) in pattern.args.iter().enumerate() {
            if let Some(hint) = name.strip_prefix('?').and_then(meaning) {
                self.places.entry((pattern.form.clone(), place)).or_insert(hint);
            }
        }
    }
}

/// What a variable of this name stands for.
fn meaning(name: &str) -> Option<Hint> {
    let name = name.to_lowercase();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || "_+-'".contains(c));
    match stem {
        "x" | "xx" | "xnew" | "newx" | "oldx" => Some(Hint::X),
        "y" | "yy" | "ynew" | "newy" | "oldy" => Some(Hint::Y),
        "c" => Some(Hint::Column),
        "r" => Some(Hint::Row),
        _ if stem.contains("col") => Some(Hint::Column),
        _ if stem.contains("row") => Some(Hint::Row),
        _ if stem.contains("file") => Some(Hint::X),
        _ if stem.contains("rank") => Some(Hint::Y),
        _ => None,
    }
}

/// The names in relations such as `(index 1)`.
fn lists(rules: &Rules) -> Vec<BTreeSet<String>> {
    let mut relations: BTreeMap<Symbol, BTreeSet<String>> = BTreeMap::new();
    for clause in rules.clauses.iter().filter(|clause| clause.is_fact()) {
        if let [Term::Constant { name, .. }] = &clause.head.args[..] {
            relations.entry(clause.head.name).or_default().insert(rules.symbols.name(*name).to_owned());
        }
    }
    relations.into_values().collect()
}

/// The chains of names that relations such as `(succ 1 2)` make.
fn chains(rules: &Rules) -> Vec<Chain> {
    let mut relations: BTreeMap<Symbol, Vec<(&str, &str)>> = BTreeMap::new();
    for clause in rules.clauses.iter().filter(|clause| clause.is_fact()) {
        if let [Term::Constant { name: from, .. }, Term::Constant { name: to, .. }] = &clause.head.args[..]
        {
            let pair = (rules.symbols.name(*from), rules.symbols.name(*to));
            relations.entry(clause.head.name).or_default().push(pair);
        }
    }
    let mut chains: Vec<Chain> = relations.values().flat_map(|pairs| chains_of(pairs)).collect();
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
    chains.truncate(MOST_CHAINS);
    chains
}

/// The chains of one relation; none where a name has two neighbours on one side.
fn chains_of(pairs: &[(&str, &str)]) -> Vec<Chain> {
    let mut after: FxHashMap<&str, &str> = FxHashMap::default();
    let mut before: FxHashMap<&str, &str> = FxHashMap::default();
    for (from, to) in pairs {
        let known = after.insert(from, to).is_some_and(|other| other != *to);
        if known || before.insert(to, from).is_some_and(|other| other != *from) {
            return Vec::new();
        }
    }
    let starts = pairs.iter().map(|(from, _)| *from).filter(|from| !before.contains_key(from));
    let follow = |start| {
        let names = std::iter::successors(Some(start), |name| after.get(name).copied());
        Arc::new(names.enumerate().map(|(place, name)| (name.to_owned(), place as i64)).collect())
    };
    let mut starts: Vec<&str> = starts.collect();
    starts.dedup();
    starts.into_iter().map(follow).collect()
}
