//! Languages of rules, a folder each, which registers a [`Language`]. What they share stays here.
//!
//! From the lowest to the highest: [`components`] (of graphs), [`source`] (text, places, findings), [`mod@limits`], [`bare`] (machines to look
//! into), [`language`] (what each says of itself, and the registry).

#![forbid(unsafe_code)]

pub mod bare;
pub mod components;
pub mod language;
pub mod limits;
pub mod source;

// The languages. Each registers itself; nothing else names them.
pub mod gdl;
pub mod vgdl;

pub use language::Language;
pub use source::{Finding, Severity, Source, Span};
