//! The core of Kibitz: the formalism, random streams, beliefs, trees and planners.
//!
//! From the lowest to the highest: [`rng`], [`watch`] (when to look at the clock), [`game`] (the contract), [`discount`], [`playout`], [`model`] (a game
//! with its type erased), [`successors`] (all that a step may lead to), [`expectimax`], [`view`], [`belief`], [`spec`] and [`params`] (names with parameters),
//! [`planner`] and [`registry`], [`episode`] (the referee and the driver), [`determinized`] (a game with nothing hidden), [`macro_actions`] (a game
//! over its moves that cannot be undone), [`nested`] (nested Monte Carlo search), [`bounded_dfs`] (a bounded search for the best), [`learn`]
//! (networks that judge states), [`search`] (the one tree search) and [`planners`] (the others); [`solve`]
//! (exact values), [`regret`] (regret matching) and [`equilibrium`] (regret minimisation); [`draw`] is for
//! pictures of games, [`file`] for files that users name.

#![forbid(unsafe_code)]

pub mod abilities;
pub mod belief;
pub mod bounded_dfs;
pub mod determinized;
pub mod discount;
pub mod draw;
pub mod episode;
pub mod equilibrium;
pub mod evaluate;
pub mod expectimax;
pub mod file;
pub mod game;
pub mod interrupt;
pub mod keys;
pub mod learn;
pub mod macro_actions;
pub mod model;
pub mod nested;
pub mod params;
pub mod part;
pub mod planner;
pub mod planners;
pub mod planning_model;
pub mod playout;
pub mod position;
pub mod real_time;
pub mod registry;
pub mod regret;
pub mod rng;
pub mod search;
pub mod solve;
pub mod spec;
pub mod successors;
pub mod view;
pub mod watch;

pub use abilities::Capabilities;
pub use game::{Action, Game, Info, Observation, Players, Transition, Turn};
pub use model::{Model, SharedModel, State};
pub use rng::Rng;
pub use view::{Event, View};
