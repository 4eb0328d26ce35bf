//! Running rules: machines that answer what a state allows and leads to, and the game on top.
//!
//! From the lowest to the highest: `machine.rs` (what a machine is), `single.rs` and `propnet.rs` (a network,
//! one state at a time), `draw.rs` and `lanes.rs` (a network, 256 games at once), `reasoner.rs` (without
//! grounding), `legal.rs` (what roles may do in a state), `game.rs` (a machine as a game of the core), `timed_network.rs` (a network in real time), `timed.rs` (a game in real time).

mod draw;
mod game;
mod lanes;
mod legal;
mod machine;
mod propnet;
mod reasoner;
mod single;
mod timed;
mod timed_network;

pub use game::{RuleGame, RuleState};
pub use lanes::{LANES, LaneCode, Lanes, Outcome};
pub use machine::{First, Machine, NO_MOVE, Outlook, Start, Timed};
pub use propnet::{Bits, Propnet};
pub use reasoner::{ReasonLimits, Reasoner, TimedReasoner};
pub use timed::TimedGame;
pub use timed_network::TimedNetwork;
