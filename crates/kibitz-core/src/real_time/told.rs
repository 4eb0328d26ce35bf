//! A seat of an episode in real time that is refereed elsewhere, where the rules hide something: it is told what it perceives,
//! in words, and when.
//!
//! As in a game of turns ([`crate::belief::Told`]) a bag of histories is kept that agree with all of it.

use std::sync::Arc;

use super::as_turns::AsTurns;
use super::past::{Past, Reader};
use crate::belief::told::{Hearing, key_of};
use crate::belief::{Belief, Explained, Hypergames};
use crate::episode::Played;
use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::SharedModel;
use crate::rng::Rng;
use crate::view::{Event, View};

/// How many histories are kept.
const HISTORIES: usize = 20;

/// Others are taken to have had a choice every so many units of the game's time.
const QUANTUM: f64 = 0.5;

/// What a seat was told so far, and what it comes to.
pub struct ToldInTime {
    turns: AsTurns,
    past: Arc<Past>,
    reader: Reader,
    view: View,
    now: u64,
    bag: Hypergames,
    rng: Rng,
    /// A history that agrees with what was told, or the last that did.
    played: Vec<Played>,
}

impl ToldInTime {
    /// The beginning of an episode. The game speaks of [roles](crate::abilities::Roles).
    pub fn new(model: SharedModel, seat: usize, rng: Rng) -> ToldInTime {
        let quantum = (QUANTUM / model.tick()).max(1.0) as u64;
        let game = Arc::new(Hearing::new(model, seat));
        let past = Arc::new(Past::default());
        let turns = AsTurns::new(game, seat, past.clone(), quantum);
        ToldInTime {
            turns,
            past,
            reader: Reader::default(),
            view: View::new(seat),
            now: 0,
            bag: Hypergames::new(HISTORIES),
            rng,
            played: Vec::new(),
        }
    }

    /// A possible history.
    pub fn played(&self) -> &[Played] {
        &self.played
    }

    /// When it was told something last, in ticks.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What was passed over because nothing explains it, in a sentence.
    pub fn passed_over(&self) -> Option<String> {
        self.bag.passed_over()
    }

    /// Takes in what happened at a tick: the seat's own move, if it made one, and what it perceived, if anything.
    ///
    /// # Errors
    /// Where no history was found that agrees. It goes on with the last, and looks again when it is told more.
    pub fn hear(
        &mut self,
        at: u64,
        own: Option<Action>,
        percepts: Option<&[String]>,
        pause: Pause,
    ) -> Explained {
        let ticks = at.saturating_sub(self.now);
        if ticks > 0 {
            self.view.events.push(Event::Passed(ticks));
            self.now = at;
        }
        self.view.events.extend(own.map(Event::Acted));
        self.view.events.extend(percepts.map(|percepts| Event::Observed(key_of(percepts))));
        let events = self.reader.read(&self.past, &self.view).to_vec();
        // What it may do is not told: a history need not go on beyond the last that was.
        let seen = View { events, ..View::new(self.view.player) };
        let explained = self.bag.update(&self.turns, &seen, &mut self.rng, pause);
        if explained.is_ok()
            && let Some((joints, _)) = self.bag.histories().next()
        {
            self.played = self.turns.played(&joints);
        }
        explained
    }
}
