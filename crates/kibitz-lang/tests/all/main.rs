//! Rules languages from outside. One binary for all: it links faster than one for each file.

mod check;
mod clauses;
mod common;
mod corpus;
mod fuzz;
mod grounding_strategies;
mod language;
mod parse;
mod past;
mod picture;
mod symmetries;
mod time;
mod vgdl;
mod vgdl_json;
mod vgdl_rules;
mod vgdl_statistics;
