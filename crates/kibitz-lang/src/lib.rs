//! Languages of rules: parse, check, ground, compile. One folder a phase.
//!
//! From the lowest to the highest: [`source`] (text, places, findings), [`syntax`] (the tree).

#![forbid(unsafe_code)]

pub mod source;
pub mod syntax;

pub use source::{Finding, Severity, Source, Span};
