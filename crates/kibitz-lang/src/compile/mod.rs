//! Compiling ground rules: first to a network of gates, then to a list of operations on words.
//!
//! From the lowest to the highest: `gates.rs` (two-input gates, equal ones shared), `network.rs`
//! (from rules to gates), `code.rs` (from gates to operations).

mod code;
mod gates;
mod network;

pub use code::{Listing, Place, listing};
pub use gates::{Gate, Gates, Wire};
pub use network::{Cycle, Latch, Move, Network, network};
