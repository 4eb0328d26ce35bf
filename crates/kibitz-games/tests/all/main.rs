//! Games, and planners on them, from outside. One binary for all: it links faster than one for each file.

// Linked, so that what registers itself is there.
use kibitz_games as _;

mod collapsed;
mod common;
mod contract;
mod equilibrium;
mod hidden;
mod klondike;
mod planning;
mod public_tree;
mod rollouts;
mod solve;
mod wrappers;
