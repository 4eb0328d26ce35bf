//! What the letter of the language forbids but every program that plays understands in the same way.
//!
//! Each repair leaves a warning:
//! - a variable that stands in one negated atom and nowhere else means "for no value" (without a
//!   warning if its name starts with `?_`); a helper relation expresses that;
//! - a variable for the role of `legal`, `goal`, `sees` or `input` that nothing else mentions means
//!   every role;
//! - a relation of the author's own that is called like a keyword, with another number of arguments,
//!   gets another name, so that later phases meet keywords only in their meaning;
//! - `base` and `input` are hints: where one of their rules is broken, it is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Atom, Clause, Literal, Show, Symbol, Symbols, Term};
use crate::source::{Finding, Law, Severity, Span};

const fn warning(code: &'static str, rule: &'static str) -> Law {
    Law { code, severity: Severity::Warning, rule }
}

const FOR_NO_VALUE: Law =
    warning("unsafe-negation", "a variable of a negated condition also stands in a positive condition");
const EVERY_ROLE: Law =
    warning("unsafe-role", "a variable of the head also stands in a positive condition");
const REUSED: Law = warning("keyword-reused", "the language's words are not used for other relations");
const BROKEN_HINT: Law = warning(
    "broken-hint",
    "`base` has one argument and `input` two, and their variables stand in positive conditions",
);

/// Repairs all clauses; what was done is added to the notes.
pub fn repair(
    clauses: Vec<Clause>,
    timed: bool,
    symbols: &mut Symbols,
    notes: &mut Vec<Finding>,
) -> Vec<Clause> {
    let renamed = reused_keywords(&clauses, timed, symbols, notes);
    let mut repairer = Repairer { symbols, notes, clauses: Vec::new(), absent: HashMap::new() };
    for mut clause in clauses {
        if !renamed.is_empty() {
            rename(&mut clause.head, &renamed);
            for literal in &mut clause.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    rename(atom, &renamed);
                }
            }
        }
        repairer.every_role(&mut clause);
        if !repairer.is_broken_hint(&clause) {
            repairer.for_no_value(&mut clause);
            repairer.clauses.push(clause);
        }
    }
    repairer.clauses
}

type Renamed = BTreeMap<(Symbol, usize), Symbol>;

fn rename(atom: &mut Atom, renamed: &Renamed) {
    if let Some(name) = renamed.get(&(atom.name, atom.arity())) {
        atom.name = *name;
    }
}

/// New names for what some clause gives and some condition asks for under a keyword's name with a
/// number of arguments that the keyword does not have.
fn reused_keywords(
    clauses: &[Clause],
    timed: bool,
    symbols: &mut Symbols,
    notes: &mut Vec<Finding>,
) -> Renamed {
    let odd = |atom: &Atom| match Symbols::arity(atom.name, timed) {
        Some(arity) if arity != atom.arity() => Some((atom.name, atom.arity())),
        _ => None,
    };
    let atoms = |clause: &Clause| -> Vec<_> {
        clause.body.iter().filter_map(|literal| odd(literal.atom()?)).collect()
    };
    let asked: BTreeSet<(Symbol, usize)> = clauses.iter().flat_map(atoms).collect();
    let mut given: BTreeMap<(Symbol, usize), Span> = BTreeMap::new();
    for clause in clauses {
        if let Some(key) = odd(&clause.head).filter(|key| asked.contains(key)) {
            given.entry(key).or_insert(clause.head.span);
        }
    }
    let mut renamed = Renamed::new();
    for ((name, arity), span) in given {
        let word = symbols.name(name).to_string();
        let message =
            format!("`{word}` with {arity} arguments is a relation of its own here, not the keyword");
        notes.push(Finding::new(&REUSED, span, message).help("call it something else"));
        renamed.insert((name, arity), symbols.fresh(&word));
    }
    renamed
}

struct Repairer<'a> {
    symbols: &'a mut Symbols,
    notes: &'a mut Vec<Finding>,
    clauses: Vec<Clause>,
    /// Helpers for "for no value", by the atom with its variables numbered.
    absent: HashMap<String, Symbol>,
}

impl Repairer<'_> {
    fn every_role(&mut self, clause: &mut Clause) {
        let about_role =
            matches!(clause.head.name, Symbol::LEGAL | Symbol::GOAL | Symbol::SEES | Symbol::INPUT);
        let [Term::Variable { name, span }, _] = &clause.head.args[..] else { return };
        let (name, span) = (*name, *span);
        if !about_role || clause.bound().contains(&name) {
            return;
        }
        let variable = self.symbols.name(name).to_string();
        let message = format!("no positive condition says who `{variable}` is; every role is meant");
        self.notes.push(
            Finding::new(&EVERY_ROLE, span, message).help(format!("add the condition `(role {variable})`")),
        );
        let role = Atom { name: Symbol::ROLE, args: vec![Term::Variable { name, span }], span };
        clause.body.insert(0, Literal::Positive(role));
    }

    fn is_broken_hint(&mut self, clause: &Clause) -> bool {
        let head = &clause.head;
        if !matches!(head.name, Symbol::BASE | Symbol::INPUT) {
            return false;
        }
        let bound = clause.bound();
        let mut broken = Symbols::arity(head.name, false) != Some(head.arity());
        let mut check = |name, _| broken |= !bound.contains(&name);
        head.each_variable(&mut check);
        for literal in clause.body.iter().filter(|literal| !matches!(literal, Literal::Positive(_))) {
            literal.each_variable(&mut check);
        }
        if broken {
            let word = self.symbols.name(head.name);
            let message =
                format!("this rule for `{word}` is broken; it is left out, as `{word}` is only a hint");
            self.notes.push(
                Finding::new(&BROKEN_HINT, head.span, message)
                    .help("look for a misplaced bracket or a misspelt variable"),
            );
        }
        broken
    }

    fn for_no_value(&mut self, clause: &mut Clause) {
        if !clause.body.iter().any(|literal| matches!(literal, Literal::Negative(_))) {
            return;
        }
        let mut uses: HashMap<Symbol, usize> = HashMap::new();
        let mut count = |name, _| *uses.entry(name).or_default() += 1;
        clause.head.each_variable(&mut count);
        clause.body.iter().for_each(|literal| literal.each_variable(&mut count));
        for literal in &mut clause.body {
            let Literal::Negative(atom) = literal else { continue };
            let mut here: BTreeMap<Symbol, (usize, Span)> = BTreeMap::new();
            atom.each_variable(&mut |name, span| here.entry(name).or_insert((0, span)).0 += 1);
            let mut kept = Vec::new();
            for (name, (count, span)) in &here {
                if uses.get(name) != Some(count) {
                    kept.push(Term::Variable { name: *name, span: *span });
                    continue;
                }
                let variable = self.symbols.name(*name);
                if !variable.starts_with("?_") {
                    let message = format!(
                        "the variable `{variable}` stands in this negated condition only; for no value may it hold"
                    );
                    let help = format!(
                        "write `?_{}` if that is meant, or add a condition that gives its values",
                        variable.trim_start_matches('?')
                    );
                    self.notes.push(Finding::new(&FOR_NO_VALUE, *span, message).help(help));
                }
            }
            if kept.len() < here.len() {
                let key = numbered(atom, &kept, self.symbols);
                let name = match self.absent.get(&key) {
                    Some(name) => *name,
                    None => {
                        let name = self.symbols.fresh(&format!("some_{}", self.symbols.name(atom.name)));
                        self.absent.insert(key, name);
                        let head = Atom { name, args: kept.clone(), span: atom.span };
                        let body = vec![Literal::Positive(atom.clone())];
                        self.clauses.push(Clause { head, body, rule: clause.rule });
                        name
                    }
                };
                *atom = Atom { name, args: kept, span: atom.span };
            }
        }
    }
}

/// The atom as text, with the kept variables by their order and the others numbered.
fn numbered(atom: &Atom, kept: &[Term], symbols: &Symbols) -> String {
    let mut names: Vec<Symbol> = Vec::new();
    let mut text = symbols.name(atom.name).to_string();
    for term in &atom.args {
        text.push(' ');
        write(term, &mut names, kept, symbols, &mut text);
    }
    text
}

fn write(term: &Term, names: &mut Vec<Symbol>, kept: &[Term], symbols: &Symbols, text: &mut String) {
    match term {
        Term::Constant { .. } => term.show(symbols, text),
        Term::Variable { name, .. } => {
            let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(*name);
                names.len() - 1
            });
            match kept.iter().position(|other| other.same(term)) {
                Some(slot) => text.push_str(&format!("?{slot}")),
                None => text.push_str(&format!("?_{number}")),
            }
        }
        Term::Compound { name, args, .. } => {
            text.push('(');
            text.push_str(symbols.name(*name));
            for arg in args {
                text.push(' ');
                write(arg, names, kept, symbols, text);
            }
            text.push(')');
        }
    }
}
