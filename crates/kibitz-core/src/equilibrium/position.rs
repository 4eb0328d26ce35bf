//! One history on its way: the state, what every player has seen, and what everybody has got.
//!
//! Players who move at once choose one after the other here, none seeing what the others choose: that is
//! the same game.

use std::rc::Rc;

use crate::game::{Action, Turn};
use crate::model::{Model, State};
use crate::view::{after_action, after_observation, view_seed};

/// A place in a game.
#[derive(Clone)]
pub(super) struct Position {
    state: Rc<State>,
    /// Whose turn it is.
    pub turn: Turn,
    /// What the first of several movers have chosen.
    chosen: Vec<Action>,
    /// For each player, the key of its view.
    pub keys: Vec<u64>,
    /// What each player has got so far, discounted.
    pub returns: Vec<f64>,
    /// What a reward counts now beside one of the beginning.
    weight: f64,
}

impl Position {
    /// The beginning of the game.
    pub fn initial(model: &dyn Model) -> Position {
        let state = model.initial();
        let players = model.info().players;
        Position {
            turn: model.turn(&state),
            state: Rc::new(state),
            chosen: Vec::new(),
            keys: (0..players).map(view_seed).collect(),
            returns: vec![0.0; players],
            weight: 1.0,
        }
    }

    /// The state; choices of a step that is not complete are not in it.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Who chooses next, if a player does.
    pub fn mover(&self) -> Option<usize> {
        self.turn.movers().iter().nth(self.chosen.len())
    }

    /// What a mover may do, ascending.
    pub fn legal(&self, model: &dyn Model, mover: usize, actions: &mut Vec<Action>) {
        actions.clear();
        model.legal(&self.state, mover, actions);
        actions.sort_unstable();
    }

    /// Where a choice of the next mover, or an outcome of chance, leads. The step is taken after the last
    /// mover's.
    pub fn choose(&self, model: &dyn Model, action: Action) -> Position {
        let mut chosen = self.chosen.clone();
        chosen.push(action);
        if chosen.len() < self.turn.width() {
            return Position { chosen, ..self.clone() };
        }
        let mut rewards = vec![0.0; self.returns.len()];
        let state = model.after(&self.state, &chosen, &mut rewards);
        let mut keys = self.keys.clone();
        for (mover, action) in self.turn.movers().iter().zip(&chosen) {
            keys[mover] = after_action(keys[mover], *action);
        }
        for (player, key) in keys.iter_mut().enumerate() {
            *key = after_observation(*key, model.observe(&state, self.turn, &chosen, player));
        }
        let returns = self.returns.iter().zip(rewards).map(|(sum, reward)| sum + self.weight * reward);
        Position {
            turn: model.turn(&state),
            state: Rc::new(state),
            chosen: Vec::new(),
            keys,
            returns: returns.collect(),
            weight: self.weight * model.info().discount_after(self.turn),
        }
    }
}

/// That a game offers different actions to a player who cannot know which.
pub(super) fn unequal(model: &dyn Model, player: usize) -> String {
    format!(
        "two states that {} cannot tell apart offer different actions, so that no strategy can be written \
         down; what is legal must follow from what was done and seen",
        model.player_name(player)
    )
}
