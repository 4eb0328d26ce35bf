//! Planning in real time: a game in which players may choose at any instant, as those see it who plan.
//!
//! `options.rs` says how finely time is divided, what thinking costs and when to stop; `past.rs` turns what a seat has seen into a view of
//! `as_turns.rs`, which is the game as one of turns: to act now or to wait is a choice like any other. `planner.rs`
//! wraps a planner in all of it, so that every planner of games of turns plays games in real time, unchanged.
//! `told.rs` is a seat of an episode that is refereed elsewhere.

mod as_turns;
mod options;
mod past;
mod planner;
#[cfg(test)]
mod tests;
mod told;

pub use as_turns::{AsTurns, Moment};
pub use options::{Thinks, TimeOptions, Waits};
pub use planner::InRealTime;
pub use told::ToldInTime;
