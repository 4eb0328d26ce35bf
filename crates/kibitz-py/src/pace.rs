//! Long work looks for Ctrl-C now and then: attaching to Python is dear, looking at a clock is not.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

const INTERVAL: Duration = Duration::from_millis(50);

/// Says when to stop: at Ctrl-C, or at a deadline.
pub struct Pace {
    looked: Instant,
    deadline: Option<Instant>,
    raised: Option<PyErr>,
}

impl Pace {
    /// Stops at Ctrl-C, and after `seconds` if given.
    pub fn new(seconds: Option<f64>) -> Pace {
        let now = Instant::now();
        let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Pace { looked: now, deadline: limit.and_then(|limit| now.checked_add(limit)), raised: None }
    }

    /// Whether to stop.
    pub fn stop(&mut self) -> bool {
        if self.raised.is_some() {
            return true;
        }
        let now = Instant::now();
        if now - self.looked >= INTERVAL {
            self.looked = now;
            self.raised = Python::attach(|py| py.check_signals().err());
        }
        self.raised.is_some() || self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// The exception that stopped it, if one did.
    pub fn finish(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
