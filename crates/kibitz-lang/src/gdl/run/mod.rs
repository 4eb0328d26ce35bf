//! Running rules: machines that answer what a state allows and leads to, and the game on top.
//!
//! From the lowest to the highest: `machine.rs` (what a machine is), `single.rs` and `propnet.rs` (a network,
//! one state at a time), `draw.rs` and `lanes.rs` (a network, 256 games at once), `reasoner.rs` (without
//! grounding), `game.rs` (a machine as a game of the core), `timed.rs` (the same in real time).

mod draw;
mod game;
mod lanes;
mod machine;
mod propnet;
mod reasoner;
mod single;
mod timed;

pub use game::{RuleGame, RuleState};
pub use lanes::{LANES, LaneCode, Lanes, Outcome};
pub use machine::{First, Machine, NO_MOVE, Outlook, Start, Timed};
pub use propnet::{Bits, Propnet};
pub use reasoner::{ReasonLimits, Reasoner, TimedReasoner};
pub use timed::TimedGame;
