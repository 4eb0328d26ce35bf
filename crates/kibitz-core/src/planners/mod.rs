//! Planners that are not a tree search, one file each.

mod lookahead;
mod one_step;
mod random;
