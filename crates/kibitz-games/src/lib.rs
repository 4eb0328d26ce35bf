//! Native games, one file (or folder) each in `games/`. A game registers itself: adding one means
//! adding a file, nothing else.
//!
//! From the lowest to the highest: [`bits`], [`draw`] and [`position_file`] (shared helpers), then the games.

#![forbid(unsafe_code)]

pub mod bits;
pub mod position_file;
pub use kibitz_core::draw;
mod games {
    automod::dir!(pub "src/games");
}
pub use games::*;

#[cfg(test)]
mod testing;
