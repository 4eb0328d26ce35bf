//! Languages of rules, a folder each. What they share stays here: [`source`] (text, places, findings).

#![forbid(unsafe_code)]

pub mod gdl;
pub mod source;

pub use source::{Finding, Severity, Source, Span};
