//! GDL and GDL-II, and both in real time (rtGDL, rtGDL-II), in prefix and in infix notation: parse, check, ground, compile,
//! run. One folder a phase.
//!
//! From the lowest to the highest: [`syntax`] (the tree), [`mod@parse`] (from text to the tree),
//! [`mod@check`] (is it a game?), [`deduce`] (what follows), [`mod@ground`] (rules without variables),
//! [`compile`] and [`run`] (machines and the game on top), [`regress`] (what actions are worth by the rules alone),
//! [`picture`] (how its states look). `language.rs` registers it; `facts.rs` puts values in brackets in the place of a
//! file's facts, and `bare.rs` lets tools look into machines.

mod bare;
pub mod check;
pub mod compile;
pub mod deduce;
mod facts;
pub mod ground;
mod language;
mod load;
pub mod parse;
pub mod picture;
pub mod regress;
pub mod run;
pub mod syntax;
pub mod times;

pub use check::check;
pub use ground::{Ground, ground};
pub use load::{LIMITS, LoadLimits, Loaded, Report, load, no_game, smallest_network};
pub use parse::{Limits, parse};
pub use syntax::Rules;
