//! Episodes: the one referee, who holds the truth; what time it is; the one driver, which asks everybody in turn; and
//! what was played, as bytes.
//!
//! `clock` is time, `illegal` what is answered to a choice that may not be, `declared` what is looked at in what a
//! game pays, `step` what happened, `history` all of it as bytes, `referee` and `drive` are on top of these.

mod clock;
mod declared;
mod drive;
mod history;
mod illegal;
mod referee;
mod step;
#[cfg(test)]
pub(crate) mod tests;

pub use clock::{Clock, Delay, Tick, Timing, VirtualClock, WallClock};
pub use declared::{check_bounds, check_returns, enough_steps};
pub use drive::{Answer, Choice, Planners, Stopped, Table, drive, play_round};
pub use history::{History, Played};
pub use illegal::{Illegal, check_joint};
pub use referee::{Fault, Referee, Tell};
pub use step::{Step, news};
