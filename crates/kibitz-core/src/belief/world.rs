//! One possible world, and how it moves on along a view.

use crate::game::{Action, Observation, Turn};
use crate::model::{Model, State};
use crate::playout::MAX_PLAYERS;
use crate::rng::{Rng, derive};
use crate::view::{Event, View, after_action, after_observation, view_seed};

/// A state together with what every player has seen on the way to it.
#[derive(Clone, Debug)]
pub struct World {
    /// The state.
    pub state: State,
    /// For each player, the key of its view in this world; not kept up where the game can tell it
    /// from a state. See [`World::view_key`].
    pub keys: Vec<u64>,
    /// Whether the game tells them from a state: asked once, since it is needed after every step.
    told_by_state: bool,
    /// A key of everything that has happened, hidden steps included.
    pub path: u64,
    /// What the player whose view it follows was paid on the way, discounted; NaN where that is not known.
    pub earned: f64,
    /// What a reward counts now beside one of the beginning.
    pub weight: f64,
    /// How many of the view's events lie behind.
    pub(super) at: usize,
}

/// What a world must do next to agree with a view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Next {
    /// It has arrived at the present.
    Arrived,
    /// It contradicts the view.
    Dead,
    /// It is the player's turn, but the player should have been told something before.
    Untold,
    /// A step in which the player does this (or nothing).
    Step(Option<Action>),
}

impl World {
    /// The beginning of the game.
    pub fn initial(model: &dyn Model) -> World {
        World {
            state: model.initial(),
            keys: (0..model.info().players).map(view_seed).collect(),
            told_by_state: model.has().view_key,
            path: 1,
            earned: 0.0,
            weight: 1.0,
            at: 0,
        }
    }

    /// Becomes a present that the game draws by itself; false, and nothing changes, if it finds none. What
    /// others have seen on the way to it is not known.
    pub(super) fn resample(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> bool {
        let Some(state) = model.resample(view, rng) else { return false };
        self.draw(state, view);
        true
    }

    /// Becomes a present of which only the state is known, and that the player has seen all of the view.
    pub(super) fn draw(&mut self, state: State, view: &View) {
        (self.state, self.earned, self.at) = (state, f64::NAN, view.events.len());
        for (player, key) in self.keys.iter_mut().enumerate() {
            *key = if player == view.player { view.key() } else { view_seed(player) };
        }
    }

    /// Has been told what the view says, whatever this world would have told.
    pub(super) fn take_view(&mut self, view: &View) {
        self.keys[view.player] = view.key();
    }

    /// Copies another world into this one's memory.
    pub fn copy_from(&mut self, source: &World) {
        self.state.clone_from(&source.state);
        self.keys.clone_from(&source.keys);
        self.path = source.path;
        (self.earned, self.weight) = (source.earned, source.weight);
        self.at = source.at;
    }

    /// What comes next for this world.
    pub(super) fn next(&self, model: &dyn Model, view: &View, scratch: &mut Vec<Action>) -> Next {
        let turn = model.turn(&self.state);
        let mine = turn.movers().contains(view.player);
        match (view.events.get(self.at), mine) {
            // Whoever is not told what may be done now is at the moment of the last that it was told, in a game that
            // goes on.
            (None, _) if view.legal.is_empty() && turn != Turn::Over => Next::Arrived,
            (None, true) => {
                scratch.clear();
                model.legal(&self.state, view.player, scratch);
                scratch.sort_unstable();
                if *scratch == view.legal { Next::Arrived } else { Next::Dead }
            }
            (Some(Event::Acted(action)), true) => {
                scratch.clear();
                model.legal(&self.state, view.player, scratch);
                if scratch.contains(action) { Next::Step(Some(*action)) } else { Next::Dead }
            }
            (Some(Event::Observed(_) | Event::Passed(_)), true) => Next::Untold,
            (_, false) if turn == Turn::Over => Next::Dead,
            (_, false) => Next::Step(None),
        }
    }

    /// Adds a step, which has just been carried out, to the key of everything that has happened.
    #[inline]
    pub fn extend_path(&mut self, joint: &[Action]) {
        self.path = joint.iter().fold(self.path, |path, action| derive(path, u64::from(action.0)));
    }

    /// The key of what a player has seen in this world.
    #[inline]
    pub fn view_key(&self, model: &dyn Model, player: usize) -> u64 {
        if self.told_by_state { model.view_key(&self.state, player) } else { self.keys[player] }
    }

    /// Adds a step, which has just been carried out, to the keys of all players' views.
    #[inline]
    pub fn extend_views(&mut self, model: &dyn Model, turn: Turn, joint: &[Action]) {
        if self.told_by_state {
            return;
        }
        for (mover, action) in turn.movers().iter().zip(joint) {
            self.keys[mover] = after_action(self.keys[mover], *action);
        }
        for (player, key) in self.keys.iter_mut().enumerate() {
            *key = after_observation(*key, model.observe(&self.state, turn, joint, player));
        }
    }

    /// Takes one step and says whether what the player was told agrees with the view. What is told in place
    /// of an event that is `forgiven` always does. The views' keys are left for [`World::extend_views`],
    /// since most worlds are dropped before they are needed.
    pub(super) fn step(
        &mut self,
        model: &dyn Model,
        view: &View,
        forgiven: &[usize],
        turn: Turn,
        joint: &[Action],
    ) -> bool {
        let mut rewards = [0.0; MAX_PLAYERS];
        model.step(&mut self.state, joint, &mut rewards[..self.keys.len()]);
        self.earned += self.weight * rewards[view.player];
        self.weight *= model.info().discount_after(turn);
        self.extend_path(joint);
        self.at += usize::from(turn.movers().contains(view.player));
        let told = model.observe(&self.state, turn, joint, view.player);
        if told == Observation::SILENT {
            return true;
        }
        let expected = view.events.get(self.at);
        let agrees = expected == Some(&Event::Observed(told)) || forgiven.contains(&self.at);
        self.at += usize::from(matches!(expected, Some(Event::Observed(_))));
        agrees
    }

    /// Takes it that the view's next event, which this world did not tell, has happened all the same.
    pub(super) fn pass_over(&mut self) {
        self.at += 1;
    }
}
