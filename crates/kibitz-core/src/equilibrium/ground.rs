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

/// Places that are looked at between two calls of `pause`.
const SLICE: u32 = 256;

/// A game, and the information sets that were met so far.
pub(super) struct OpenGround {
    model: SharedModel,
    pub sets: Vec<Set>,
    /// For each sequence its action.
    pub actions: Vec<Action>,
    /// For each information set, a history that leads there.
    pub histories: Vec<Box<[Action]>>,
    index: KeyMap<u32>,
    /// The most actions of information sets that are kept.
    limit: usize,
    /// Whether there were more, which are played uniformly.
    pub is_full: bool,
}

/// An excursion into it, until something is in the way.
pub(super) struct Excursion<'a> {
    ground: &'a mut OpenGround,
    pause: &'a mut dyn FnMut() -> bool,
    looks: u32,
    faults: u64,
    end: Option<Excuse>,
}

/// Why an excursion came to an end in the middle of an iteration.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Excuse {
    /// Somebody wanted to stop.
    Paused,
    /// The game does not suit, in a sentence.
    Trouble(String),
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
    /// A game of whose information sets no more than `limit` actions are kept.
    pub fn new(model: SharedModel, limit: usize) -> OpenGround {
        OpenGround {
            model,
            sets: Vec::new(),
            actions: Vec::new(),
            histories: Vec::new(),
            index: KeyMap::default(),
            limit: limit.min(u32::MAX as usize / 2),
            is_full: false,
        }
    }

    /// How many players there are.
    pub fn players(&self) -> usize {
        self.model.info().players
    }

    /// An excursion on which `pause` is called now and then; it ends when that returns true.
    pub fn enter<'a>(&'a mut self, pause: &'a mut dyn FnMut() -> bool) -> Excursion<'a> {
        let faults = self.model.faults();
        Excursion { ground: self, pause, looks: 0, faults, end: None }
    }

    /// The information set of a mover, which may be a new one; `None` if there is no room for it.
    fn set(&mut self, position: &Position, player: usize) -> Result<Option<Set>, String> {
        let mut legal = Vec::new();
        self.model.legal(&position.state, player, &mut legal);
        legal.sort_unstable();
        if let Some(&known) = self.index.get(&position.keys[player]) {
            let set = self.sets[known as usize];
            if set.player as usize == player && self.actions[set.sequences()] == legal {
                return Ok(Some(set));
            }
            return Err(unequal(&*self.model, player));
        }
        if self.actions.len() + legal.len() > self.limit {
            self.is_full = true;
            return Ok(None);
        }
        let first = self.actions.len() as u32;
        let set = Set { player: player as u32, count: legal.len() as u32, first, parent: 0 };
        self.index.insert(position.keys[player], self.sets.len() as u32);
        self.sets.push(set);
        self.histories.push(position.history.as_slice().into());
        self.actions.extend(legal);
        Ok(Some(set))
    }

    /// Where a choice of the next mover leads; after the last one's the step is taken.
    fn choose(&self, position: &Position, action: Action) -> Position {
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

impl Excursion<'_> {
    /// Why it came to an end, if it did.
    pub fn end(self) -> Option<Excuse> {
        self.end
    }

    /// What is in the way, if anything is.
    fn obstacle(&mut self, position: &Position) -> Option<Excuse> {
        self.looks = self.looks.wrapping_add(1);
        let model = &self.ground.model;
        if position.history.len() > LONGEST {
            let what = format!("a game went on for {LONGEST} moves; this needs games that end sooner");
            return Some(Excuse::Trouble(what));
        }
        if model.faults() != self.faults {
            return Some(Excuse::Trouble(model.fault().unwrap_or_else(|| "the game failed".to_owned())));
        }
        (self.looks.is_multiple_of(SLICE) && (self.pause)()).then_some(Excuse::Paused)
    }
}

impl Ground for Excursion<'_> {
    type Place = Position;

    fn players(&self) -> usize {
        self.ground.players()
    }

    fn is_broken_off(&self) -> bool {
        self.end.is_some()
    }

    fn root(&mut self) -> Position {
        let state = self.ground.model.initial();
        let players = self.players();
        Position {
            turn: self.ground.model.turn(&state),
            state: Rc::new(state),
            chosen: Vec::new(),
            keys: (0..players).map(view_seed).collect(),
            history: Vec::new(),
            returns: vec![0.0; players],
            weight: 1.0,
        }
    }

    fn look(&mut self, position: &Position) -> Look {
        if self.end.is_none() {
            self.end = self.obstacle(position);
        }
        if self.end.is_some() {
            return Look::Over;
        }
        let player = match position.turn {
            Turn::Over => return Look::Over,
            Turn::Chance => return Look::Chance,
            turn => turn.movers().iter().nth(position.chosen.len()).unwrap_or_default(),
        };
        match self.ground.set(position, player) {
            Ok(Some(set)) => Look::Decide(set),
            // Whoever decides where nothing can be learned any more is as good as chance.
            Ok(None) => Look::Chance,
            Err(trouble) => {
                self.end = Some(Excuse::Trouble(trouble));
                Look::Over
            }
        }
    }

    fn draw(&mut self, position: Position, rng: &mut Rng) -> Position {
        let model = &self.ground.model;
        let action = match position.turn.movers().iter().nth(position.chosen.len()) {
            Some(mover) => model.random_action(&position.state, mover, &mut Vec::new(), rng),
            None => model.draw(&position.state, rng),
        };
        self.ground.choose(&position, action)
    }

    fn child(&mut self, position: &Position, set: &Set, action: usize) -> Position {
        self.ground.choose(position, self.ground.actions[set.first as usize + action])
    }

    fn payoff(&self, position: &Position, player: usize) -> f64 {
        position.returns[player]
    }
}
