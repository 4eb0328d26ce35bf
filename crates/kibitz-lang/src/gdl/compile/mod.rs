//! Compiling ground rules: first to a network of gates, then to a list of operations on words.
//!
//! From the lowest to the highest: `gates.rs` (two-input gates, equal ones shared), `network.rs`
//! (from rules to gates), `rebuild.rs` (networks from networks), `phases.rs` (one for each turn),
//! `select.rs` (one that chooses its moves at random),
//! `marks.rs` (one that looks up what a move means), `code.rs` (from gates to operations).
//! Beside them, `symmetries.rs` finds symmetries of the ground rules.

mod code;
mod gates;
mod marks;
mod network;
mod phases;
mod rebuild;
mod select;
mod symmetries;

pub use code::{Listing, Place, Wanted, listing};
pub use gates::{Gate, Gates, Wire};
pub use marks::{Marked, marked};
pub use network::{Cycle, Latch, Move, Network, network, score};
pub use phases::{Phases, phases};
pub use select::{Choice, Chosen, LIVE, chosen, influence};
pub use symmetries::{RuleGraph, Symmetry};
