//! Time in an episode.

use std::time::{Duration, Instant};

/// A moment of an episode, in ticks from its beginning. What a tick is, the game says; a [`WallClock`] is told how long
/// one takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tick(pub u64);

impl Tick {
    /// The moment that never comes.
    pub const NEVER: Tick = Tick(u64::MAX);

    /// So many ticks later.
    #[must_use]
    pub fn after(self, ticks: u64) -> Tick {
        Tick(self.0.saturating_add(ticks))
    }

    /// How many ticks have gone by since an earlier moment.
    pub fn since(self, earlier: Tick) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// When the next step of a state is taken. (Chance draws at once, whatever this says.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timing {
    /// When everybody who moves has chosen, however long that takes: a game of turns.
    #[default]
    Turns,
    /// As soon as somebody chooses. Who moves may choose at any instant, or not at all; those who do not, wait
    /// ([`Action::WAIT`](crate::Action::WAIT)). Nothing happens by itself.
    Open,
    /// The same, and if nobody chooses before, something happens by itself after so many ticks: a step in which
    /// everybody waits.
    Due(u64),
}

/// What chance draws where it draws nothing but when it will move: one of so many instants, all as likely, of which the
/// last is after so many ticks, and the others are evenly before it. The first of them is `Action(0)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    /// How many instants there are.
    pub instants: u32,
    /// The ticks until the last.
    pub most: u64,
}

impl Delay {
    /// The ticks until an instant.
    pub fn ticks(self, instant: u32) -> u64 {
        let ticks = u128::from(self.most) * (u128::from(instant) + 1) / u128::from(self.instants.max(1));
        u64::try_from(ticks).unwrap_or(self.most).clamp(1, self.most.max(1))
    }

    /// The instant that is after so many ticks, if there is one.
    pub fn instant(self, ticks: u64) -> Option<u32> {
        if ticks == 0 || ticks > self.most {
            return None;
        }
        let number = (u128::from(ticks) * u128::from(self.instants)).div_ceil(u128::from(self.most));
        let near = u32::try_from(number.saturating_sub(1))
            .unwrap_or(u32::MAX)
            .min(self.instants.saturating_sub(1));
        [near, near.saturating_add(1)].into_iter().find(|instant| self.ticks(*instant) == ticks)
    }
}

/// What time it is for those who play.
pub trait Clock {
    /// The time.
    fn now(&mut self) -> Tick;

    /// Waits until then, and says what time it is afterwards.
    fn wait_until(&mut self, then: Tick) -> Tick;
}

/// A clock that stands still while somebody thinks, and goes to when something happens: the same seeds give the same
/// episodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtualClock(Tick);

impl VirtualClock {
    /// A clock that shows this time.
    pub fn at(now: Tick) -> VirtualClock {
        VirtualClock(now)
    }
}

impl Clock for VirtualClock {
    fn now(&mut self) -> Tick {
        self.0
    }

    fn wait_until(&mut self, then: Tick) -> Tick {
        self.0 = self.0.max(then);
        self.0
    }
}

/// The time of the world, in which thinking takes time: no two episodes are alike.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    begin: Instant,
    tick: Duration,
}

impl WallClock {
    /// Begins now; a tick takes so long (a nanosecond at least).
    pub fn new(tick: Duration) -> WallClock {
        WallClock { begin: Instant::now(), tick: tick.max(Duration::from_nanos(1)) }
    }
}

impl Clock for WallClock {
    fn now(&mut self) -> Tick {
        let ticks = self.begin.elapsed().as_nanos() / self.tick.as_nanos();
        Tick(u64::try_from(ticks).unwrap_or(u64::MAX))
    }

    fn wait_until(&mut self, then: Tick) -> Tick {
        loop {
            let now = self.now();
            if now >= then {
                return now;
            }
            let left = self.tick.as_nanos().saturating_mul(u128::from(then.since(now)));
            std::thread::sleep(Duration::from_nanos(u64::try_from(left).unwrap_or(u64::MAX)));
        }
    }
}
