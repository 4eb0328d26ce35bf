//! From rules as written to plain clauses.
//!
//! - `and` is flattened, `not` is moved inwards, `or` makes a clause for each alternative;
//! - `(not (distinct one other))` makes the two terms one, or drops the clause where they differ;
//! - `?_` is a variable of its own each time;
//! - where several `or` in one rule would make more than [`SPLIT`] clauses, what was gathered so far
//!   becomes a helper relation, so that the number of clauses is a sum and not a product.
//!
//! Helper relations have names that the file does not use; [`Symbols::first`] gives none for them.
//!
//! ```
//! use kibitz_lang::gdl::{Limits, parse};
//! use kibitz_lang::Source;
//!
//! let source = Source::new("free.gdl", "free(X) :- (one(X) | two(X)), ~(closed(X) & locked(X)).");
//! let rules = parse(&source, &Limits::default()).unwrap();
//! assert_eq!(rules.clauses.len(), 4);
//! assert_eq!(rules.show(&rules.clauses[0]), "(<= (free ?X) (one ?X) (not (closed ?X)))");
//! ```

use std::collections::{BTreeMap, HashMap};

use super::{Atom, Clause, Formula, Literal, Rule, Symbol, Symbols, Term};
use crate::gdl::parse::raise;
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
    let mut splitter = Splitter { symbols, clauses: Vec::new(), rule: 0 };
    let mut findings = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        splitter.rule = u32::try_from(number).unwrap_or(u32::MAX);
        if let Err(finding) = splitter.split(rule) {
            findings.push(finding);
        }
        if splitter.clauses.len() > most {
            let message = format!("the rules up to here are split into more than {most} clauses");
            findings.push(Finding::new(&TOO_MANY, rule.span, message).help(raise("rules")));
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
        // How often each variable stands in the head and in the choices that are still to come.
        let mut needed: HashMap<Symbol, usize> = HashMap::new();
        head.each_variable(&mut |name, _| *needed.entry(name).or_default() += 1);
        for part in choices.iter().flatten().flatten() {
            part.each_variable(&mut |name, _| *needed.entry(name).or_default() += 1);
        }
        let mut bodies = product(&plain);
        while let Some(choice) = choices.pop() {
            if bodies.len() > 1
                && bodies.len().saturating_mul(choice.len()) > SPLIT
                && let Some(helper) = self.helper(head, &bodies, &needed)
            {
                bodies = vec![vec![Part::Literal(Literal::Positive(helper))]];
            }
            for part in choice.iter().flatten() {
                part.each_variable(&mut |name, _| {
                    needed.entry(name).and_modify(|count| *count -= 1);
                });
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
        needed: &HashMap<Symbol, usize>,
    ) -> Option<Atom> {
        let mut shared: BTreeMap<Symbol, Span> = BTreeMap::new();
        for part in bodies.iter().flatten() {
            part.each_variable(&mut |name, span| {
                if needed.get(&name).is_some_and(|count| *count > 0) {
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
        let rule = self.rule;
        let resolved: Vec<Clause> =
            resolved.into_iter().map(|(head, body)| Clause { head, body, rule }).collect();
        if !resolved.iter().all(Clause::binds_its_head) {
            return None;
        }
        let stem = format!("{}_case", self.symbols.name(head.name));
        atom.name = self.symbols.fresh(&stem);
        for mut clause in resolved {
            clause.head.name = atom.name;
            self.clauses.push(clause);
        }
        Some(atom)
    }

    fn emit(&mut self, head: Atom, body: Vec<Literal>) {
        self.clauses.push(Clause { head, body, rule: self.rule });
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
    // A choice without alternatives never holds, however many there are of the others.
    if items.iter().any(Vec::is_empty) {
        return Vec::new();
    }
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
