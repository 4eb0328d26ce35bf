//! The tree back as text, in prefix notation.

use super::{Atom, Clause, Formula, Literal, Rule, Symbols, Term};

/// What can be written in prefix notation.
pub trait Show {
    /// Adds it to the text.
    fn show(&self, symbols: &Symbols, text: &mut String);
}

/// `(name part part)`.
fn list<Part: Show>(name: &str, parts: &[Part], symbols: &Symbols, text: &mut String) {
    text.push('(');
    text.push_str(name);
    for part in parts {
        text.push(' ');
        part.show(symbols, text);
    }
    text.push(')');
}

/// `(<= head part part)`, or the head alone where there are no conditions.
fn rule<Part: Show>(head: &Atom, body: &[Part], symbols: &Symbols, text: &mut String) {
    if body.is_empty() {
        // A proposition needs the brackets to be a fact in every reader's eyes.
        return if head.args.is_empty() {
            list("<=", std::slice::from_ref(head), symbols, text);
        } else {
            head.show(symbols, text);
        };
    }
    text.push_str("(<= ");
    head.show(symbols, text);
    for part in body {
        text.push(' ');
        part.show(symbols, text);
    }
    text.push(')');
}

impl<Part: Show> Show for &Part {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        (*self).show(symbols, text);
    }
}

impl Show for Term {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        match self {
            Term::Constant { name, .. } | Term::Variable { name, .. } => text.push_str(symbols.name(*name)),
            Term::Compound { name, args, .. } => list(symbols.name(*name), args, symbols, text),
        }
    }
}

impl Show for Atom {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        if self.args.is_empty() {
            text.push_str(symbols.name(self.name));
        } else {
            list(symbols.name(self.name), &self.args, symbols, text);
        }
    }
}

impl Show for Formula {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        match self {
            Formula::Atom(atom) => atom.show(symbols, text),
            Formula::Distinct { left, right, .. } => list("distinct", &[left, right], symbols, text),
            Formula::Not { inner, .. } => list("not", &[&**inner], symbols, text),
            Formula::And { parts, .. } => list("and", parts, symbols, text),
            Formula::Or { parts, .. } => list("or", parts, symbols, text),
        }
    }
}

impl Show for Literal {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        match self {
            Literal::Positive(atom) => atom.show(symbols, text),
            Literal::Negative(atom) => list("not", &[atom], symbols, text),
            Literal::Distinct { left, right, .. } => list("distinct", &[left, right], symbols, text),
        }
    }
}

impl Show for Rule {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        rule(&self.head, &self.body, symbols, text);
    }
}

impl Show for Clause {
    fn show(&self, symbols: &Symbols, text: &mut String) {
        rule(&self.head, &self.body, symbols, text);
    }
}
