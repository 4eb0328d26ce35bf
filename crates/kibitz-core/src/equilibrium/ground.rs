//! A game as it is, to sample from: information sets are noted as they are met, and nothing else is kept.

use std::rc::Rc;

use super::mccfr::{Ground, Look};
use super::tree::{Set, seen, unequal};
use crate::game::{Action, Turn};
use crate::keys::KeyMap;
use crate::model::{SharedModel, State};
use crate::rng::Rng;
use crate::view::view_seed;

/// Moves after which a game is taken to have no end; each is a call within a call.
const LONGEST: usize = 2_000;

/// A game, and the information sets that were met so far.
pub(super) struct OpenGround {
    model: SharedModel,
    pub sets: Vec<Set>,
    /// For each sequence its action.
    pub actions: Vec<Action>,
    /// For each information set, a history that leads there.
    pub histories: Vec<Box<[Action]>>,
    index: KeyMap<u32>,
    limit: usize,
    /// Why sampling cannot go on, once it cannot.
    trouble: Option<String>,
    /// How often the rules had failed before.
    faults: u64,
}

/// One place of one sampled history.
pub(super) struct Position {
    state: Rc<State>,
    turn: Turn,
    /// What the first of several movers have chosen.
    chosen: Vec<Action>,
    keys: Vec<u64>,
    history: Vec<Action>,
    returns: Vec<f64>,
    weight: f64,
}

impl OpenGround {
    /// A game in which no more information sets than `limit` are kept.
    pub fn new(model: SharedModel, limit: usize) -> OpenGround {
        OpenGround {
            faults: model.faults(),
            model,
            sets: Vec::new(),
            actions: Vec::new(),
            histories: Vec::new(),
            index: KeyMap::default(),
            limit: limit.min(u32::MAX as usize / 64),
            trouble: None,
        }
    }

    /// Why the last iteration is not to be trusted, if it is not.
    pub fn trouble(&mut self) -> Option<String> {
        if self.model.faults() != self.faults {
            return Some(self.model.fault().unwrap_or_else(|| "the game failed".to_owned()));
        }
        self.trouble.take()
    }

    /// The information set of a mover, which may be a new one.
    fn set(&mut self, position: &Position, player: usize) -> Result<Set, String> {
        let mut legal = Vec::new();
        self.model.legal(&position.state, player, &mut legal);
        legal.sort_unstable();
        if let Some(&known) = self.index.get(&position.keys[player]) {
            let set = self.sets[known as usize];
            if set.player as usize == player && self.actions[set.sequences()] == legal {
                return Ok(set);
            }
            return Err(unequal(&*self.model, player));
        }
        if self.sets.len() >= self.limit {
            return Err(format!(
                "more than {} information sets were met, which is as many as are kept; allow more, or take \
                 smaller parameters",
                self.limit
            ));
        }
        let first = self.actions.len() as u32;
        let set = Set { player: player as u32, count: legal.len() as u32, first, parent: 0 };
        self.index.insert(position.keys[player], self.sets.len() as u32);
        self.sets.push(set);
        self.histories.push(position.history.as_slice().into());
        self.actions.extend(legal);
        Ok(set)
    }

    fn step(&self, from: &Position, joint: &[Action], history: Vec<Action>) -> Position {
        let model = &*self.model;
        let mut rewards = vec![0.0; from.returns.len()];
        let state = model.after(&from.state, joint, &mut rewards);
        let returns = from.returns.iter().zip(rewards).map(|(sum, reward)| sum + from.weight * reward);
        let discount = if from.turn == Turn::Chance { 1.0 } else { model.info().discount };
        Position {
            turn: model.turn(&state),
            chosen: Vec::new(),
            keys: seen(model, &from.keys, &state, from.turn, joint),
            history,
            returns: returns.collect(),
            weight: from.weight * discount,
            state: Rc::new(state),
        }
    }
}

impl Ground for OpenGround {
    type Place = Position;

    fn players(&self) -> usize {
        self.model.info().players
    }

    fn root(&mut self) -> Position {
        let state = self.model.initial();
        let players = self.players();
        Position {
            turn: self.model.turn(&state),
            state: Rc::new(state),
            chosen: Vec::new(),
            keys: (0..players).map(view_seed).collect(),
            history: Vec::new(),
            returns: vec![0.0; players],
            weight: 1.0,
        }
    }

    fn look(&mut self, position: &Position) -> Look {
        // After trouble everything is over, so that the iteration ends at once.
        if self.trouble.is_some() {
            return Look::Over;
        }
        if position.history.len() > LONGEST {
            let trouble = format!("a game went on for {LONGEST} moves; this needs games that end sooner");
            self.trouble = Some(trouble);
            return Look::Over;
        }
        let player = match position.turn {
            Turn::Over => return Look::Over,
            Turn::Chance => return Look::Chance,
            turn => turn.movers().iter().nth(position.chosen.len()).unwrap_or_default(),
        };
        match self.set(position, player) {
            Ok(set) => Look::Decide(set),
            Err(trouble) => {
                self.trouble = Some(trouble);
                Look::Over
            }
        }
    }

    fn draw(&mut self, position: Position, rng: &mut Rng) -> Position {
        let outcome = self.model.draw(&position.state, rng);
        let mut history = position.history.clone();
        history.push(outcome);
        self.step(&position, &[outcome], history)
    }

    fn child(&mut self, position: &Position, set: &Set, action: usize) -> Position {
        let action = self.actions[set.first as usize + action];
        let (mut chosen, mut history) = (position.chosen.clone(), position.history.clone());
        chosen.push(action);
        history.push(action);
        if chosen.len() == position.turn.width() {
            return self.step(position, &chosen, history);
        }
        Position {
            state: position.state.clone(),
            chosen,
            history,
            keys: position.keys.clone(),
            returns: position.returns.clone(),
            ..*position
        }
    }

    fn payoff(&self, position: &Position, player: usize) -> f64 {
        position.returns[player]
    }
}
