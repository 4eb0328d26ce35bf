//! Planners that are not a tree search, one file each; `course.rs` is what some of them play games with.

mod course;
mod ff_replan;
mod hindsight;
mod lifted;
mod lookahead;
mod nested;
mod omniscient;
mod one_step;
mod random;
