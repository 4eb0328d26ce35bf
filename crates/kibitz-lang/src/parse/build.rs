//! From names and parts to rules: what prefix and infix reading have in common.

use super::laws::{CONNECTIVE, HEAD};
use crate::source::{Finding, Span};
use crate::syntax::{Atom, Formula, Symbol, Term};

/// A connective of conditions, with its parts.
///
/// # Errors
/// It has too few or too many parts.
pub fn connective(name: Symbol, mut parts: Vec<Formula>, span: Span) -> Result<Formula, Finding> {
    let broken = |message: &str, help: &str| Err(Finding::new(&CONNECTIVE, span, message).help(help));
    match name {
        Symbol::NOT if parts.len() == 1 => match parts.pop() {
            Some(inner) => Ok(Formula::Not { inner: Box::new(inner), span }),
            None => broken("`not` has no condition", "write `(not (condition))`"),
        },
        Symbol::NOT => {
            let message = format!("`not` has {} conditions", parts.len());
            broken(&message, "write `(not condition)`, or `(not (or one other))` to exclude both")
        }
        _ if parts.is_empty() => broken("there is no condition in here", "remove it, or fill it in"),
        Symbol::AND => Ok(Formula::And { parts, span }),
        _ => Ok(Formula::Or { parts, span }),
    }
}

/// `distinct`, with its terms.
///
/// # Errors
/// There are not two.
pub fn distinct(args: Vec<Term>, span: Span) -> Result<Formula, Finding> {
    let count = args.len();
    match <[Term; 2]>::try_from(args) {
        Ok([left, right]) => Ok(Formula::Distinct { left, right, span }),
        Err(_) => {
            let message = format!("`distinct` has {count} term{}", if count == 1 { "" } else { "s" });
            Err(Finding::new(&CONNECTIVE, span, message).help("write `(distinct one other)`"))
        }
    }
}

/// What a rule gives must be a relation.
///
/// # Errors
/// It is a connective.
pub fn head(atom: Atom) -> Result<Atom, Finding> {
    let word = match atom.name {
        Symbol::NOT => "not",
        Symbol::AND => "and",
        Symbol::OR => "or",
        Symbol::DISTINCT => "distinct",
        _ => return Ok(atom),
    };
    let help = if word == "not" {
        "what no rule gives does not hold: leave the rule out"
    } else if word == "distinct" {
        "different terms are distinct already: leave the rule out"
    } else {
        "write a rule for each"
    };
    Err(Finding::new(&HEAD, atom.span, format!("`{word}` stands where the rule says what it gives"))
        .help(help))
}
