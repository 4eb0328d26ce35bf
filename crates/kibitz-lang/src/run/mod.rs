//! Running rules: machines that answer what a state allows and leads to, and the game on top.
//!
//! From the lowest to the highest: `machine.rs` (what a machine is), `propnet.rs` (a network, one state
//! at a time), `choose.rs` and `lanes.rs` (a network, a thousand games at once), `reasoner.rs` (without
//! grounding), `game.rs` (a machine as a game of the core).

mod choose;
mod game;
mod lanes;
mod machine;
mod propnet;
mod reasoner;

pub use game::{RuleGame, RuleState};
pub use lanes::{LANES, Lanes, Outcome};
pub use machine::{Machine, Outlook};
pub use propnet::{Bits, Propnet};
pub use reasoner::{ReasonLimits, Reasoner};
