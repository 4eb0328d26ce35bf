//! Is it a game? The well-formedness rules of GDL and GDL-II, and what looks like a mistake.
//!
//! An *error* is what makes the rules meaningless or unplayable; what other programs play, or what
//! only looks odd, is a *warning*.
//!
//! ```
//! use kibitz_lang::gdl::{Limits, check, parse};
//! use kibitz_lang::Source;
//!
//! let text = "
//!     (role you)
//!     (init (step 1))
//!     (legal you wait)
//!     (<= (next (step ?y)) (true (step ?x)))
//!     (<= terminal (true (step 2)))
//!     (goal you 100)";
//! let source = Source::new("wait.kif", text);
//! let rules = parse(&source, &Limits::default()).unwrap();
//! let findings = check(&rules);
//! assert_eq!((findings[0].code, source.slice(findings[0].span)), ("unsafe-variable", "?y"));
//! ```

mod flow;
mod graph;
mod growth;
mod keywords;
mod names;
mod parts;
mod recursion;
mod safety;
mod stratified;
mod times;

use crate::gdl::syntax::Rules;
use crate::source::{Finding, Law, Severity};

/// No more than this many findings are given, the worst first.
pub const MOST_FINDINGS: usize = 1000;

const fn error(code: &'static str, rule: &'static str) -> Law {
    Law { code, severity: Severity::Error, rule }
}

const fn warning(code: &'static str, rule: &'static str) -> Law {
    Law { code, severity: Severity::Warning, rule }
}

/// All that is found, in the order of the file. The rules can be played if no finding is an error.
pub fn check(rules: &Rules) -> Vec<Finding> {
    let graph = graph::Graph::new(rules);
    let mut findings = rules.notes.clone();
    if let Some(finding) = parts::not_a_game(&graph) {
        findings.push(finding);
    } else {
        keywords::check(&graph, &mut findings);
        times::check(&graph, &mut findings);
        safety::check(&graph, &mut findings);
        stratified::check(&graph, &mut findings);
        recursion::check(&graph, &mut findings);
        growth::check(&graph, &mut findings);
        flow::check(&graph, &mut findings);
        parts::check(&graph, &mut findings);
        names::check(&graph, &mut findings);
    }
    if findings.len() > MOST_FINDINGS {
        findings.sort_by_key(|finding| finding.severity);
        findings.truncate(MOST_FINDINGS);
    }
    findings.sort_by(|one, two| {
        (one.span, one.severity, one.code, &one.message).cmp(&(
            two.span,
            two.severity,
            two.code,
            &two.message,
        ))
    });
    findings.dedup();
    findings
}
