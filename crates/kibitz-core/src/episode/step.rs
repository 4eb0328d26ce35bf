//! What happened, and who is told what of it.

use std::sync::Arc;

use super::clock::Tick;
use crate::game::{Action, Observation, Transition, Turn};
use crate::model::{Model, State};
use crate::view::Event;

/// One step of an episode. Kept as long as it is in somebody's view, for the words of the observations, which few
/// ask for.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which step it is, from 1.
    pub number: u64,
    /// When it was taken.
    pub at: Tick,
    /// How long the state before it lasted, in ticks: no time at all in a game of turns.
    pub elapsed: u64,
    /// The truth in which everybody chose,
    pub before: Arc<State>,
    /// and what it led to.
    pub after: Arc<State>,
    /// Who moved.
    pub turn: Turn,
    /// What was chosen: an action for each mover, or chance's outcome.
    pub joint: Vec<Action>,
    /// What each player was paid.
    pub rewards: Vec<f64>,
    /// What each player has got so far, discounted by the game's discount factor.
    pub returns: Vec<f64>,
}

impl Step {
    /// What a mover did; `None` for somebody who did not move.
    pub fn action_of(&self, player: usize) -> Option<Action> {
        let mut each = self.turn.movers().iter().zip(&self.joint);
        each.find_map(|(mover, action)| (mover == player).then_some(*action))
    }

    /// It, as a game is asked about it.
    pub fn transition(&self) -> Transition<'_, State> {
        Transition { before: &self.before, after: &self.after, turn: self.turn, joint: &self.joint }
    }

    /// Who did what, in words.
    pub fn words(&self, model: &dyn Model) -> String {
        let name = |who, action| model.action_name(&self.before, who, action);
        if self.turn == Turn::Chance {
            return format!("chance: {}", name(None, self.joint[0]));
        }
        let each =
            self.turn.movers().iter().zip(&self.joint).filter(|(_, action)| **action != Action::WAIT);
        let words: Vec<String> =
            each.map(|(p, a)| format!("{}: {}", model.player_name(p), name(Some(p), *a))).collect();
        if words.is_empty() { "time went by".to_owned() } else { words.join(", ") }
    }
}

/// What a player learns of a step that led to the state `after`: what it did itself, and what it is told.
pub fn news(
    model: &dyn Model,
    after: &State,
    turn: Turn,
    joint: &[Action],
    player: usize,
) -> impl Iterator<Item = Event> + use<> {
    let mut each = turn.movers().iter().zip(joint);
    let own = each.find_map(|(mover, action)| (mover == player).then_some(*action));
    let acted = own.filter(|action| *action != Action::WAIT).map(Event::Acted);
    let told = model.observe(after, turn, joint, player);
    let observed = (told != Observation::SILENT).then_some(Event::Observed(told));
    acted.into_iter().chain(observed)
}
