//! Klondike solitaire, with the moves of "Lower Bounding Klondike Solitaire with Monte-Carlo Planning"
//! (Bjarnason, Fern and Tadepalli, 2009).

pub mod cards;
pub mod position;
pub mod quotient;
pub mod solver;
pub mod strides;
