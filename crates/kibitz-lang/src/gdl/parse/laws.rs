//! The laws of writing: what the readers hold a text to.

use crate::source::{Law, Severity};

const fn error(code: &'static str, rule: &'static str) -> Law {
    Law { code, severity: Severity::Error, rule }
}

const fn warning(code: &'static str, rule: &'static str) -> Law {
    Law { code, severity: Severity::Warning, rule }
}

pub const NOT_TEXT: Law = error("not-text", "rules are UTF-8 text");
pub const TOO_LARGE: Law = error("too-large", "a file of rules is no larger than the limit");
pub const TOO_DEEP: Law = error("too-deep", "terms and conditions nest no deeper than the limit");
pub const TOO_MANY_RULES: Law = error("too-many-rules", "a file has no more rules than the limit");
pub const OVERSIZE: Law = error("oversize", "names, terms and rules are of a size that people read");
pub const EMPTY: Law = error("empty", "a game has rules");
pub const NOT_RULES: Law = error("not-rules", "rules are written in prefix (KIF) or infix form");
pub const UNBALANCED: Law = error("unbalanced", "every bracket that opens closes, once");
pub const UNKNOWN_CHARACTER: Law =
    error("unknown-character", "names are made of letters, digits and a few signs such as _ + - < >");
pub const SYNTAX: Law = error("syntax", "a rule is a head and conditions; these are relations of terms");
pub const CONNECTIVE: Law = error("connective", "`not` has one condition, and `distinct` two terms");
pub const HEAD: Law = error("head", "a rule's head is a relation, not a connective or a variable");
pub const VARIABLE_NAME: Law =
    error("variable-as-name", "relations and functions are named by constants, never by variables");
pub const STRAY: Law = warning("stray-text", "between the rules there are only spaces and comments");
pub const NO_CONDITION: Law = warning("no-condition", "`and` and `or` have one condition or more");
pub const DISTINCT_HEAD: Law = warning(
    "distinct-head",
    "`distinct` is of the language itself: it holds of terms that are not the same",
);
pub const NO_ARGUMENTS: Law = warning(
    "no-arguments",
    "brackets hold a name and at least one argument; a lone name stands without them",
);
