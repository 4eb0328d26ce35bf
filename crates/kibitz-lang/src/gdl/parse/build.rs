//! From names and parts to rules: what prefix and infix reading have in common.

use super::Reading;
use super::laws::{CONNECTIVE, HEAD, NO_CONDITION};
use crate::gdl::syntax::{Atom, Formula, Symbol, Term};
use crate::source::{Finding, Span};

/// A connective of conditions, with its parts. One of none of them holds, `or`, or all of them do, `and`.
///
/// # Errors
/// It has too few or too many parts.
pub fn connective(
    reading: &mut Reading,
    name: Symbol,
    mut parts: Vec<Formula>,
    span: Span,
) -> Result<Formula, Finding> {
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
        Symbol::AND => {
            if parts.is_empty() {
                let finding = Finding::new(&NO_CONDITION, span, "`and` has no condition: it always holds");
                reading.notes.push(finding.help("remove it, or fill it in"));
            }
            Ok(Formula::And { parts, span })
        }
        _ => {
            if parts.is_empty() {
                let finding = Finding::new(&NO_CONDITION, span, "`or` has no condition: it never holds");
                reading.notes.push(finding.help("remove the rule, or fill it in"));
            }
            Ok(Formula::Or { parts, span })
        }
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
        _ => return Ok(atom),
    };
    let help = match word {
        "not" => "what no rule gives does not hold: leave the rule out",
        _ => "write a rule for each",
    };
    Err(Finding::new(&HEAD, atom.span, format!("`{word}` stands where the rule says what it gives"))
        .help(help))
}
