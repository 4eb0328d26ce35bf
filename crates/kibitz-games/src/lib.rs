//! Native games, one file (or folder) each in `games/`. A game registers itself: adding one means
//! adding a file, nothing else.
//!
//! From the lowest to the highest: [`bits`], [`squares`], [`cards`], [`draw`] and [`position_file`] (shared helpers), [`race`] and
//! [`placing`] (what several board games share), then the games.

#![forbid(unsafe_code)]

pub mod bits;
pub mod cards;
pub mod placing;
pub mod position_file;
pub mod race;
pub mod squares;
pub use kibitz_core::draw;
mod games {
    automod::dir!(pub "src/games");
}
pub use games::*;

#[cfg(test)]
mod testing;
