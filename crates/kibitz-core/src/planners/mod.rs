//! Planners that are not a tree search, one file each.

mod random;
