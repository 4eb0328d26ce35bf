//! Where a player has been lately, for selections that look back.

use crate::model::{Model, State};

/// Where a player is in a state: where its piece stands, in a game that says so; else the state itself.
pub(super) fn place(model: &dyn Model, state: &State) -> u64 {
    model.place(state).unwrap_or_else(|| if model.has().hash { model.hash(state) } else { 0 })
}

/// Adds a place to a list, unless the player has not moved since the last one.
pub(super) fn visit(places: &mut Vec<u64>, place: u64) {
    if places.last() != Some(&place) {
        places.push(place);
    }
}

/// The places of one simulation, after those before its root.
pub(super) struct Recent {
    /// How many of the last ones count.
    most: usize,
    /// How many there were before the simulation.
    before: usize,
    places: Vec<u64>,
    /// Of how many choices of the simulation it has been said where they led.
    pub told: usize,
}

impl Recent {
    /// The last `most` places count, `before` among them, of which the last is the root's.
    pub fn new(most: usize, before: &[u64]) -> Recent {
        Recent { most, before: before.len(), places: before.to_vec(), told: 0 }
    }

    /// A simulation begins at the root.
    pub fn begin(&mut self) {
        self.places.truncate(self.before);
        self.told = 0;
    }

    /// Comes to a state, and says whether its place is one of the last.
    pub fn arrive(&mut self, model: &dyn Model, state: &State) -> bool {
        let place = place(model, state);
        let from = self.places.len().saturating_sub(self.most);
        let is_recent = self.places[from..].contains(&place);
        visit(&mut self.places, place);
        is_recent
    }
}
