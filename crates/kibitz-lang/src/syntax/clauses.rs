//! From rules as written to plain clauses.
//!
//! - `and` is flattened, `not` is moved inwards, `or` makes a clause for each alternative;
//! - `(not (distinct one other))` makes the two terms one, or drops the clause where they differ;
//! - `?_` is a variable of its own each time; a variable whose name starts with `?_` and that stands
//!   in one negated atom only means "for no value", which a helper relation expresses;
//! - where several `or` in one rule would make more than [`SPLIT`] clauses, what was gathered so far
//!   becomes a helper relation, so that the number of clauses is a sum and not a product.
//!
//! Helper relations have names that the file does not use; [`Symbols::first`] gives none for them.
//!
//! ```
//! use kibitz_lang::{Limits, Source, parse};
//!
//! let source = Source::new("free.gdl", "free(X) :- column(X), not true(cell(X, _)).");
//! let rules = parse(&source, &Limits::default()).unwrap();
//! assert_eq!(rules.clauses.len(), 2, "{}", rules.clauses_to_kif());
//! ```

use std::collections::{BTreeMap, HashMap};

use super::{Atom, Clause, Formula, Literal, Rule, Show, Symbol, Symbols, Term};
use crate::source::{Finding, Law, Severity, Span};

/// More clauses than this from one rule, and helper relations are made.
pub const SPLIT: usize = 32;

/// The most alternatives that one rule may have where no helper relation can be made.
const MOST_ALTERNATIVES: usize = 4096;

const TOO_MANY: Law = Law {
    code: "too-many-alternatives",
    severity: Severity::Error,
    rule: "the conditions of a rule can be written as a bounded number of plain conjunctions",
};

/// A condition on the way: a literal, or that two terms are the same.
#[derive(Clone)]
enum Part {
    Literal(Literal),
    Same(Term, Term),
}

type Conjunction = Vec<Part>;

/// The clauses of all rules, at most `most`.
///
/// # Errors
/// Rules that would be split into too many.
pub fn from_rules(rules: &[Rule], symbols: &mut Symbols, most: usize) -> Result<Vec<Clause>, Vec<Finding>> {
    let mut splitter = Splitter { symbols, clauses: Vec::new(), rule: 0, absent: HashMap::new() };
    let mut findings = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        splitter.rule = u32::try_from(number).unwrap_or(u32::MAX);
        if let Err(finding) = splitter.split(rule) {
            findings.push(finding);
        }
        if splitter.clauses.len() > most {
            let message = format!("the rules up to here are split into more than {most} clauses");
            findings.push(Finding::new(&TOO_MANY, rule.span, message).help("raise the limit `rules`"));
            break;
        }
    }
    if findings.is_empty() { Ok(splitter.clauses) } else { Err(findings) }
}

struct Splitter<'a> {
    symbols: &'a mut Symbols,
    clauses: Vec<Clause>,
    /// The rule at hand.
    rule: u32,
    /// Helpers for "for no value", by the atom with its variables numbered.
    absent: HashMap<String, Symbol>,
}

impl Splitter<'_> {
    fn split(&mut self, rule: &Rule) -> Result<(), Finding> {
        if rule.body.is_empty() {
            let head = self.name_anonymous(&rule.head);
            self.clauses.push(Clause { head, body: Vec::new(), rule: self.rule });
            return Ok(());
        }
        let head = self.name_anonymous(&rule.head);
        let mut items = Vec::new();
        let mut count = 1;
        for formula in &rule.body {
            self.flatten(formula, true, &mut items, rule.span, &mut count)?;
        }
        let bodies = if count <= SPLIT { product(&items) } else { self.gather(&head, items, rule.span)? };
        for body in bodies {
            if let Some((head, body)) = resolve(&head, body).map_err(|_| too_large(rule.span))? {
                self.emit(head, body);
            }
        }
        Ok(())
    }

    /// Adds a condition to a conjunction of choices. A choice is a list of alternatives; a plain literal
    /// is a choice of one. `count` is the number of alternatives of all.
    fn flatten(
        &mut self,
        formula: &Formula,
        positive: bool,
        items: &mut Vec<Vec<Conjunction>>,
        rule: Span,
        count: &mut usize,
    ) -> Result<(), Finding> {
        let part = match formula {
            Formula::Not { inner, .. } => return self.flatten(inner, !positive, items, rule, count),
            Formula::And { parts, .. } if positive => {
                return parts.iter().try_for_each(|part| self.flatten(part, true, items, rule, count));
            }
            Formula::Or { parts, .. } if !positive => {
                return parts.iter().try_for_each(|part| self.flatten(part, false, items, rule, count));
            }
            Formula::And { parts, .. } | Formula::Or { parts, .. } => {
                let mut choice: Vec<Conjunction> = Vec::new();
                for part in parts {
                    let mut inner = Vec::new();
                    let mut number = 1;
                    self.flatten(part, positive, &mut inner, rule, &mut number)?;
                    if choice.len().saturating_add(number) > MOST_ALTERNATIVES {
                        return Err(too_many(rule));
                    }
                    choice.extend(product(&inner));
                }
                *count = count.saturating_mul(choice.len());
                items.push(choice);
                return Ok(());
            }
            Formula::Atom(atom) => {
                let atom = self.name_anonymous(atom);
                Part::Literal(if positive { Literal::Positive(atom) } else { Literal::Negative(atom) })
            }
            Formula::Distinct { left, right, span } => {
                let (left, right) = (self.name_anonymous_term(left), self.name_anonymous_term(right));
                if positive {
                    Part::Literal(Literal::Distinct { left, right, span: *span })
                } else {
                    Part::Same(left, right)
                }
            }
        };
        items.push(vec![vec![part]]);
        Ok(())
    }

    /// Multiplies the choices out with helper relations in between.
    fn gather(
        &mut self,
        head: &Atom,
        items: Vec<Vec<Conjunction>>,
        span: Span,
    ) -> Result<Vec<Conjunction>, Finding> {
        // What is certain comes first: it gives values to the variables of the choices.
        let (plain, mut choices): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|choice| choice.len() == 1);
        choices.reverse();
        let mut bodies = product(&plain);
        while let Some(choice) = choices.pop() {
            if bodies.len() > 1 && bodies.len().saturating_mul(choice.len()) > SPLIT {
                let mut needed: BTreeMap<Symbol, Span> = BTreeMap::new();
                head.each_variable(&mut |name, at| {
                    needed.insert(name, at);
                });
                for part in choices.iter().chain([&choice]).flatten().flatten() {
                    part.each_variable(&mut |name, at| {
                        needed.insert(name, at);
                    });
                }
                if let Some(helper) = self.helper(head, &bodies, &needed) {
                    bodies = vec![vec![Part::Literal(Literal::Positive(helper))]];
                }
            }
            if bodies.len().saturating_mul(choice.len()) > MOST_ALTERNATIVES {
                return Err(too_many(span));
            }
            bodies = bodies
                .iter()
                .flat_map(|body| choice.iter().map(|more| [&body[..], more].concat()))
                .collect();
        }
        Ok(bodies)
    }

    /// A relation that holds where one of the bodies does, of the variables that are needed elsewhere.
    /// None where one of these variables is not given a value by every body.
    fn helper(
        &mut self,
        head: &Atom,
        bodies: &[Conjunction],
        needed: &BTreeMap<Symbol, Span>,
    ) -> Option<Atom> {
        let mut shared: BTreeMap<Symbol, Span> = BTreeMap::new();
        for part in bodies.iter().flatten() {
            part.each_variable(&mut |name, span| {
                if needed.contains_key(&name) {
                    shared.insert(name, span);
                }
            });
        }
        let args: Vec<Term> =
            shared.iter().map(|(name, span)| Term::Variable { name: *name, span: *span }).collect();
        let mut atom = Atom { name: Symbol(0), args, span: head.span };
        let resolved: Result<Vec<_>, TooLarge> =
            bodies.iter().filter_map(|body| resolve(&atom, body.clone()).transpose()).collect();
        let resolved = resolved.ok()?;
        if !resolved.iter().all(|(head, body)| is_bound(head, body)) {
            return None;
        }
        let stem = format!("{}_case", self.symbols.name(head.name));
        atom.name = self.symbols.fresh(&stem);
        for (head, body) in resolved {
            self.emit(Atom { name: atom.name, ..head }, body);
        }
        Some(atom)
    }

    /// Adds a clause, with helpers for variables that mean "for no value".
    fn emit(&mut self, head: Atom, mut body: Vec<Literal>) {
        let mut uses: HashMap<Symbol, usize> = HashMap::new();
        head.each_variable(&mut |name, _| *uses.entry(name).or_default() += 1);
        body.iter()
            .for_each(|literal| literal.each_variable(&mut |name, _| *uses.entry(name).or_default() += 1));
        for literal in &mut body {
            if let Literal::Negative(atom) = literal {
                let mut here: BTreeMap<Symbol, (usize, Span)> = BTreeMap::new();
                atom.each_variable(&mut |name, span| here.entry(name).or_insert((0, span)).0 += 1);
                let is_local = |name: &Symbol, count: usize| {
                    uses.get(name) == Some(&count) && self.symbols.name(*name).starts_with("?_")
                };
                let kept: Vec<Term> = here
                    .iter()
                    .filter(|(name, (count, _))| !is_local(name, *count))
                    .map(|(name, (_, span))| Term::Variable { name: *name, span: *span })
                    .collect();
                if kept.len() < here.len() {
                    *atom = self.absence(atom, kept);
                }
            }
        }
        self.clauses.push(Clause { head, body, rule: self.rule });
    }

    /// A relation of the kept variables that holds where the atom does for some value of the others.
    fn absence(&mut self, atom: &Atom, kept: Vec<Term>) -> Atom {
        let key = numbered(atom, &kept, self.symbols);
        let name = match self.absent.get(&key) {
            Some(name) => *name,
            None => {
                let name = self.symbols.fresh(&format!("some_{}", self.symbols.name(atom.name)));
                self.absent.insert(key, name);
                let head = Atom { name, args: kept.clone(), span: atom.span };
                self.clauses.push(Clause {
                    head,
                    body: vec![Literal::Positive(atom.clone())],
                    rule: self.rule,
                });
                name
            }
        };
        Atom { name, args: kept, span: atom.span }
    }

    fn name_anonymous(&mut self, atom: &Atom) -> Atom {
        let args = atom.args.iter().map(|arg| self.name_anonymous_term(arg)).collect();
        Atom { name: atom.name, args, span: atom.span }
    }

    fn name_anonymous_term(&mut self, term: &Term) -> Term {
        match term {
            Term::Variable { name, span } if self.symbols.name(*name) == "?_" => {
                Term::Variable { name: self.symbols.fresh("?_"), span: *span }
            }
            Term::Compound { name, args, span } => {
                let args = args.iter().map(|arg| self.name_anonymous_term(arg)).collect();
                Term::Compound { name: *name, args, span: *span }
            }
            _ => term.clone(),
        }
    }
}

impl Part {
    fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match self {
            Part::Literal(literal) => literal.each_variable(visit),
            Part::Same(left, right) => {
                left.each_variable(visit);
                right.each_variable(visit);
            }
        }
    }
}

fn too_many(span: Span) -> Finding {
    let message = format!("the conditions of this rule have more than {MOST_ALTERNATIVES} alternatives");
    Finding::new(&TOO_MANY, span, message).help("give a part of the conditions a name by a rule of its own")
}

/// Every combination of one alternative from each choice, in order.
fn product(items: &[Vec<Conjunction>]) -> Vec<Conjunction> {
    let mut bodies: Vec<Conjunction> = vec![Vec::new()];
    for choice in items {
        if let [only] = &choice[..] {
            bodies.iter_mut().for_each(|body| body.extend_from_slice(only));
        } else {
            bodies = bodies
                .iter()
                .flat_map(|body| choice.iter().map(|more| [&body[..], more].concat()))
                .collect();
        }
    }
    bodies
}

/// Does every variable of the head stand in a positive literal of the body?
fn is_bound(head: &Atom, body: &[Literal]) -> bool {
    let mut bound = std::collections::BTreeSet::new();
    for literal in body {
        if let Literal::Positive(atom) = literal {
            atom.each_variable(&mut |name, _| {
                bound.insert(name);
            });
        }
    }
    let mut all = true;
    head.each_variable(&mut |name, _| all &= bound.contains(&name));
    all
}

/// The atom as text, with kept variables by position and the others marked.
fn numbered(atom: &Atom, kept: &[Term], symbols: &Symbols) -> String {
    fn write(term: &Term, names: &mut Vec<Symbol>, symbols: &Symbols, kept: &[Term], text: &mut String) {
        match term {
            Term::Constant { .. } => term.show(symbols, text),
            Term::Variable { name, .. } => {
                let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(*name);
                    names.len() - 1
                });
                let slot = kept
                    .iter()
                    .position(|term| matches!(term, Term::Variable { name: other, .. } if other == name));
                text.push_str(&match slot {
                    Some(slot) => format!("?{slot}"),
                    None => format!("?_{number}"),
                });
            }
            Term::Compound { name, args, .. } => {
                text.push('(');
                text.push_str(symbols.name(*name));
                for arg in args {
                    text.push(' ');
                    write(arg, names, symbols, kept, text);
                }
                text.push(')');
            }
        }
    }
    let mut text = format!("{} {}", symbols.name(atom.name), kept.len());
    let mut names = Vec::new();
    for arg in &atom.args {
        text.push(' ');
        write(arg, &mut names, symbols, kept, &mut text);
    }
    text
}

/// Makes the terms the same that have to be; none where that cannot be.
fn resolve(head: &Atom, body: Conjunction) -> Result<Option<(Atom, Vec<Literal>)>, TooLarge> {
    let mut known = Substitution::default();
    for part in &body {
        if let Part::Same(left, right) = part
            && !known.unify(left, right)?
        {
            return Ok(None);
        }
    }
    let literals = body.into_iter().filter_map(|part| match part {
        Part::Literal(literal) => Some(literal),
        Part::Same(..) => None,
    });
    if known.values.is_empty() {
        return Ok(Some((head.clone(), literals.collect())));
    }
    let literals = literals.map(|literal| match literal {
        Literal::Positive(atom) => Literal::Positive(known.atom(&atom)),
        Literal::Negative(atom) => Literal::Negative(known.atom(&atom)),
        Literal::Distinct { left, right, span } => {
            Literal::Distinct { left: known.term(&left), right: known.term(&right), span }
        }
    });
    let literals = literals.collect();
    Ok(Some((known.atom(head), literals)))
}

/// Terms that are made the same have become too large.
struct TooLarge;

fn too_large(span: Span) -> Finding {
    Finding::new(
        &TOO_MANY,
        span,
        "terms that are not distinct here are very large once they are made the same",
    )
    .help("use one variable in both places instead of `(not (distinct ...))`")
}

/// Variables and what they are.
#[derive(Default)]
struct Substitution {
    /// In terms of variables that have no value; always fully applied.
    values: BTreeMap<Symbol, Term>,
}

impl Substitution {
    /// Makes two terms the same, if that is possible.
    fn unify(&mut self, left: &Term, right: &Term) -> Result<bool, TooLarge> {
        let (left, right) = (self.term(left), self.term(right));
        if left.same(&right) {
            return Ok(true);
        }
        match (&left, &right) {
            (Term::Variable { name, .. }, other) | (other, Term::Variable { name, .. }) => {
                let mut occurs = false;
                other.each_variable(&mut |inner, _| occurs |= inner == *name);
                if occurs {
                    return Ok(false);
                }
                let single = Substitution { values: BTreeMap::from([(*name, other.clone())]) };
                self.values.values_mut().for_each(|value| *value = single.term(value));
                self.values.insert(*name, other.clone());
                // `?a = (f ?b ?b)`, `?b = (f ?c ?c)` and so on double the size with each.
                if self.values.values().map(size).sum::<usize>() > MOST_ALTERNATIVES {
                    return Err(TooLarge);
                }
                Ok(true)
            }
            (Term::Compound { name, args, .. }, Term::Compound { name: other, args: others, .. })
                if name == other && args.len() == others.len() =>
            {
                for (one, two) in args.iter().zip(others) {
                    if !self.unify(one, two)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn term(&self, term: &Term) -> Term {
        match term {
            Term::Constant { .. } => term.clone(),
            Term::Variable { name, span } => match self.values.get(name) {
                None => term.clone(),
                // The value stands where the variable stood.
                Some(Term::Constant { name, .. }) => Term::Constant { name: *name, span: *span },
                Some(Term::Variable { name, .. }) => Term::Variable { name: *name, span: *span },
                Some(Term::Compound { name, args, .. }) => {
                    Term::Compound { name: *name, args: args.clone(), span: *span }
                }
            },
            Term::Compound { name, args, span } => {
                let args = args.iter().map(|arg| self.term(arg)).collect();
                Term::Compound { name: *name, args, span: *span }
            }
        }
    }

    fn atom(&self, atom: &Atom) -> Atom {
        let args = atom.args.iter().map(|arg| self.term(arg)).collect();
        Atom { name: atom.name, args, span: atom.span }
    }
}

fn size(term: &Term) -> usize {
    1 + term.args().iter().map(size).sum::<usize>()
}
