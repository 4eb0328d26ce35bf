//! VGDL, the language of two-dimensional video games, as the Java framework of March 2015 understood it.
//!
//! From the lowest to the highest: [`ontology`] (classes of sprites, effects and terminations), [`mod@parse`] (from
//! text to lines), [`rules`] (what they say, in numbers), [`mod@check`] (from lines to that, with findings),
//! [`level`] (where a game starts), [`state`], [`cells`] (who may meet), [`tick`] and [`effects`] (what happens), [`game`]
//! (the game on top), [`picture`] (how it looks). `machine.rs` lets tools look into it, and `language.rs` registers it.

pub mod cells;
pub mod check;
pub mod effects;
pub mod game;
mod language;
pub mod level;
mod machine;
pub mod ontology;
pub mod parse;
pub mod picture;
pub mod rules;
pub mod state;
pub mod tick;
