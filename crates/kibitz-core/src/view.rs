//! What a player may know: its own actions and its observations so far.

use crate::game::{Action, Observation};
use crate::keys::{Kind, join};

/// One thing that happened to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The player chose this.
    Acted(Action),
    /// The player was told this.
    Observed(Observation),
    /// So many ticks went by, in a game in which time does.
    Passed(u64),
}

/// All that a player may know, from the beginning of the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// Whose view it is.
    pub player: usize,
    /// The player's own actions and observations, oldest first. Silent steps leave no trace.
    pub events: Vec<Event>,
    /// What the player may do now, ascending; empty when it is not its turn.
    pub legal: Vec<Action>,
    /// Whether the player may also do nothing now: time goes by in the game.
    pub may_wait: bool,
}

impl View {
    /// The view of a player to whom nothing has happened yet.
    pub fn new(player: usize) -> View {
        View { player, ..View::default() }
    }

    /// The key of this view: equal for two views exactly when their events are.
    pub fn key(&self) -> u64 {
        self.events.iter().fold(view_seed(self.player), |key, event| match event {
            Event::Acted(action) => after_action(key, *action),
            Event::Observed(observation) => after_observation(key, *observation),
            Event::Passed(ticks) => join(Kind::Passed, key, *ticks),
        })
    }
}

/// The key of the empty view of a player.
#[inline]
pub fn view_seed(player: usize) -> u64 {
    crate::rng::mix(player as u64)
}

/// The key of a view after its player has acted.
#[inline]
pub fn after_action(key: u64, action: Action) -> u64 {
    join(Kind::Acted, key, action.0.into())
}

/// The key of a view after its player has been told something.
#[inline]
pub fn after_observation(key: u64, observation: Observation) -> u64 {
    match observation {
        Observation::SILENT => key,
        Observation(told) => join(Kind::Observed, key, told),
    }
}
