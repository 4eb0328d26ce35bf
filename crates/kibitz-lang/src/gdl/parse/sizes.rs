//! Names, terms and rules of sensible sizes: no game needs others, and what shows or joins them
//! should not have to expect any.

use std::collections::BTreeSet;

use super::laws::OVERSIZE;
use super::lex::quote;
use crate::gdl::syntax::{Atom, Formula, Rule, Symbol, Symbols, Term};
use crate::source::{Finding, Span};

/// The most characters of a name.
const NAME: usize = 500;
/// The most arguments of a relation or function.
const ARGUMENTS: usize = 200;
/// The most variables of a rule.
const VARIABLES: usize = 500;

/// The first thing of each rule that is too large.
pub fn check(rules: &[Rule], symbols: &Symbols) -> Vec<Finding> {
    rules.iter().filter_map(|rule| Sizes { symbols, variables: BTreeSet::new() }.rule(rule).err()).collect()
}

struct Sizes<'a> {
    symbols: &'a Symbols,
    variables: BTreeSet<Symbol>,
}

impl Sizes<'_> {
    fn rule(&mut self, rule: &Rule) -> Result<(), Finding> {
        self.atom(&rule.head)?;
        rule.body.iter().try_for_each(|formula| self.formula(formula))?;
        let count = self.variables.len();
        let message = format!("the rule has {count} variables, which is more than {VARIABLES}");
        if count <= VARIABLES { Ok(()) } else { Err(oversize(rule.head.span, message)) }
    }

    fn formula(&mut self, formula: &Formula) -> Result<(), Finding> {
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::Distinct { left, right, .. } => self.term(left).and_then(|()| self.term(right)),
            Formula::Not { inner, .. } => self.formula(inner),
            Formula::And { parts, .. } | Formula::Or { parts, .. } => {
                parts.iter().try_for_each(|part| self.formula(part))
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> Result<(), Finding> {
        self.named(atom.name, &atom.args, atom.span)
    }

    fn term(&mut self, term: &Term) -> Result<(), Finding> {
        match term {
            Term::Constant { name, span } => self.named(*name, &[], *span),
            Term::Variable { name, span } => {
                self.variables.insert(*name);
                self.named(*name, &[], *span)
            }
            Term::Compound { name, args, span } => self.named(*name, args, *span),
        }
    }

    fn named(&mut self, name: Symbol, args: &[Term], span: Span) -> Result<(), Finding> {
        let text = self.symbols.name(name);
        if text.len() > NAME && text.chars().count() > NAME {
            return Err(oversize(
                span,
                format!("the name {} has more than {NAME} characters", quote(text)),
            ));
        }
        if args.len() > ARGUMENTS {
            let count = args.len();
            let message = format!("{} has {count} arguments, which is more than {ARGUMENTS}", quote(text));
            return Err(oversize(span, message));
        }
        args.iter().try_for_each(|arg| self.term(arg))
    }
}

fn oversize(span: Span, message: String) -> Finding {
    Finding::new(&OVERSIZE, span, message).help("look for a bracket or a space that is missing")
}
