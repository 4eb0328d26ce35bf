//! Native games, one file (or folder) each in `games/`. A game registers itself: adding one means
//! adding a file, nothing else.

pub mod draw;
mod games {
    automod::dir!(pub "src/games");
}
pub use games::*;
