//! Running rules: machines that answer what a state allows and leads to, and the game on top.
//!
//! From the lowest to the highest: `execute.rs` (operations on words), `machine.rs` (what a machine
//! is), `propnet.rs` (a network, one state at a time), `reasoner.rs` (without grounding).

mod execute;
mod game;
mod machine;
mod propnet;
mod reasoner;

pub use game::{RuleGame, RuleState};
pub use machine::{Machine, Outlook};
pub use propnet::{Bits, Propnet};
pub use reasoner::Reasoner;
