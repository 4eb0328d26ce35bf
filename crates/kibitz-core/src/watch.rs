//! When to look at the clock: seldom enough to cost nothing, often enough to be heard.

use std::time::{Duration, Instant};

/// How long may go by between two looks, about.
const INTERVAL: Duration = Duration::from_millis(1);
/// The most pieces of work between two looks.
const MOST: u32 = 4096;

/// Counts pieces of work and says after which of them to look at a clock, or to ask for a signal: about once a
/// millisecond, whether a piece takes a nanosecond or a second.
#[derive(Debug)]
pub struct Watch {
    interval: u32,
    left: u32,
    looked: Option<Instant>,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { interval: 1, left: 1, looked: None }
    }
}

impl Watch {
    /// Counts one piece of work; true if it is time to look.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.look()
    }

    fn look(&mut self) -> bool {
        let now = Instant::now();
        if let Some(looked) = self.looked {
            let gone = now - looked;
            if gone < INTERVAL / 2 {
                self.interval = (2 * self.interval).min(MOST);
            } else if gone > 2 * INTERVAL {
                let times = gone.as_micros() / INTERVAL.as_micros();
                self.interval = (self.interval / u32::try_from(times).unwrap_or(u32::MAX)).max(1);
            }
        }
        (self.looked, self.left) = (Some(now), self.interval);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_work_is_looked_at_each_time_and_quick_work_seldom() {
        let mut watch = Watch::default();
        let looks = (0..100_000).filter(|_| watch.is_due()).count();
        assert!(looks < 10_000, "{looks}");
        // The first slow pieces may still be counted with the quick ones.
        watch.interval = 2;
        watch.left = 2;
        let slow = |_: &u32| {
            std::thread::sleep(Duration::from_millis(5));
            watch.is_due()
        };
        let looks = (0..10).filter(slow).count();
        assert!(looks >= 8, "{looks}");
    }
}
