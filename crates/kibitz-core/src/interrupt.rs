//! What every search, playout and solver asks before it goes on: has somebody called?

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use crate::watch::Watch;

/// Called about once a millisecond by whoever works; true ends the work.
pub type Pause<'a> = &'a mut dyn FnMut() -> bool;

/// Asked now and then by whoever works; once it says so, the work ends with the best it has.
#[derive(Default)]
pub struct Interrupt<'a> {
    pause: Option<Pause<'a>>,
    /// Set where all workers of a search are to stop.
    now: Option<&'a AtomicBool>,
    deadline: Option<Instant>,
    watch: Watch,
    stopped: bool,
}

impl<'a> Interrupt<'a> {
    /// Nobody calls.
    pub fn never() -> Interrupt<'static> {
        Interrupt::default()
    }

    /// `pause` is called about once a millisecond, and true ends the work.
    pub fn new(pause: Pause<'a>) -> Interrupt<'a> {
        Interrupt { pause: Some(pause), ..Interrupt::default() }
    }

    /// For one of several workers: any of them may end the work of all by `now`, and each looks at the clock itself.
    /// Only one of them has a `pause` to call.
    pub fn shared(
        now: &'a AtomicBool,
        deadline: Option<Instant>,
        pause: Option<Pause<'a>>,
    ) -> Interrupt<'a> {
        Interrupt { pause, now: Some(now), deadline, ..Interrupt::default() }
    }

    /// Counts a piece of work, and says whether it is time to stop.
    #[inline]
    pub fn poll(&mut self) -> bool {
        self.stopped || self.watch.is_due() && self.look()
    }

    /// Whether somebody has called.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    #[inline(never)]
    fn look(&mut self) -> bool {
        if self.pause.as_mut().is_some_and(|pause| pause()) {
            self.stopped = true;
            if let Some(now) = self.now {
                now.store(true, Relaxed);
            }
        }
        self.stopped |= self.now.is_some_and(|now| now.load(Relaxed))
            || self.deadline.is_some_and(|end| Instant::now() >= end);
        self.stopped
    }
}
