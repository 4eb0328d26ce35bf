//! What a seat has lived through: when it was told something, when it acted, and when it was asked now.
//!
//! A model in which everybody may choose on a grid of time could not explain what others do between two points of it.
//! So everybody is taken to have had a choice as well whenever the seat knows that there was a step.

use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::game::Observation;
use crate::rng::{derive, mix};
use crate::view::{Event, View};

/// What the seat did at one of its moments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    /// It acted.
    Acted,
    /// It did nothing: it was told something, or was asked and waited.
    Waited,
    /// It is asked now.
    Asked,
}

/// A moment of the seat's past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// When it was, in ticks from the beginning.
    pub at: u64,
    pub deed: Deed,
}

/// All moments of a seat up to now, oldest first; they are added to, and never taken away.
#[derive(Debug, Default)]
pub(super) struct Past {
    entries: RwLock<Vec<Entry>>,
    /// How many there are: asked in every step of a simulation.
    count: AtomicUsize,
}

impl Past {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// One of them.
    pub fn get(&self, number: usize) -> Option<Entry> {
        if number >= self.len() {
            return None;
        }
        self.entries.read().ok()?.get(number).copied()
    }

    fn change<T>(&self, work: impl FnOnce(&mut Vec<Entry>) -> T) -> T {
        let mut entries = match self.entries.write() {
            Ok(entries) => entries,
            Err(poisoned) => poisoned.into_inner(),
        };
        let done = work(&mut entries);
        self.count.store(entries.len(), Relaxed);
        done
    }
}

/// What was told, and when: equal exactly when both are.
#[inline]
pub(super) fn stamp(told: Observation, now: u64) -> Observation {
    match told {
        Observation::SILENT => told,
        // As long as `now` is known the way back is the same.
        Observation(key) => Observation((key ^ mix(now.wrapping_add(1))).max(1)),
    }
}

/// What everybody is told where nothing but time has gone by.
#[inline]
pub(super) fn time(now: u64) -> Observation {
    Observation(derive(0x7469_6d65, now) | 1)
}

/// Follows a seat's view.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// How many of its events were read for good; the time that goes by last may still grow.
    read: usize,
    /// When the last of those was.
    base: u64,
    /// The same in the model's own terms.
    events: Vec<Event>,
    /// What time it is.
    pub now: u64,
    /// Whether the seat has acted in this instant, and was told of nothing but that.
    pub acted: bool,
}

impl Reader {
    /// Takes in what is new in a view, and gives its events as the model tells them. A view that is shorter than the last
    /// begins anew.
    pub fn read(&mut self, past: &Past, view: &View) -> &[Event] {
        past.change(|entries| {
            if view.events.len() < self.read {
                entries.clear();
                *self = Reader::default();
            }
            let mut asked = entries.last().copied().filter(|entry| entry.deed == Deed::Asked);
            // Whether the last event was its own action: what it is told then is of the same step.
            let mut own = false;
            let mut deed = |entries: &mut Vec<Entry>, at: u64, deed: Option<Deed>| {
                match (asked.take(), entries.last_mut()) {
                    (Some(before), Some(last)) if before.at == at => {
                        last.deed = deed.unwrap_or(Deed::Waited);
                        return;
                    }
                    (Some(_), Some(last)) => last.deed = Deed::Waited,
                    _ => {}
                }
                entries.extend(deed.map(|deed| Entry { at, deed }));
            };
            self.now = self.base;
            while let Some(event) = view.events.get(self.read) {
                match event {
                    Event::Passed(ticks) => {
                        self.now += ticks;
                        (own, self.acted) = (false, false);
                        if self.read + 1 == view.events.len() {
                            break;
                        }
                    }
                    Event::Acted(_) => {
                        deed(entries, self.now, Some(Deed::Acted));
                        self.events.push(event.clone());
                        (own, self.acted) = (true, true);
                    }
                    Event::Observed(told) => {
                        deed(entries, self.now, (!own).then_some(Deed::Waited));
                        self.events.push(Event::Observed(stamp(*told, self.now)));
                        (own, self.acted) = (false, own);
                    }
                }
                (self.read, self.base) = (self.read + 1, self.now);
            }
            deed(entries, self.now, Some(Deed::Asked));
        });
        &self.events
    }
}
