//! Learning to judge states by playing against oneself.
//!
//! `net.rs` has the network, `selfplay.rs` the games that it learns from. How it judges in play is an evaluator's matter
//! ([`crate::evaluate::Network`]).

mod net;
mod selfplay;

pub use net::{Example, Net, Shape, Trainer};
pub use selfplay::{Progress, SelfPlay, Training};
