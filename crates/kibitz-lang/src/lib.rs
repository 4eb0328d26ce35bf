//! Languages of rules: parse, check, ground, compile. One folder a phase.
