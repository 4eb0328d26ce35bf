//! A game as it is, to sample from: information sets are noted as they are met, and nothing else is kept.

use super::mccfr::{Ground, Look};
use super::position::{Position, unequal};
use super::tree::Set;
use crate::game::{Action, Turn};
use crate::interrupt::Pause;
use crate::keys::KeyMap;
use crate::model::SharedModel;
use crate::rng::Rng;

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
    pause: Pause<'a>,
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

/// One place of one sampled history, and how it was come to.
pub(super) struct Place {
    position: Position,
    history: Vec<Action>,
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
    pub fn enter<'a>(&'a mut self, pause: Pause<'a>) -> Excursion<'a> {
        let faults = self.model.faults();
        Excursion { ground: self, pause, looks: 0, faults, end: None }
    }

    /// The information set of a mover, which may be a new one; `None` if there is no room for it.
    fn set(&mut self, place: &Place, player: usize) -> Result<Option<Set>, String> {
        let mut legal = Vec::new();
        place.position.legal(&*self.model, player, &mut legal);
        let key = place.position.keys[player];
        if let Some(&known) = self.index.get(&key) {
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
        self.index.insert(key, self.sets.len() as u32);
        self.sets.push(set);
        self.histories.push(place.history.as_slice().into());
        self.actions.extend(legal);
        Ok(Some(set))
    }

    /// Where a choice of the next mover, or an outcome of chance, leads.
    fn choose(&self, place: &Place, action: Action) -> Place {
        let mut history = place.history.clone();
        history.push(action);
        Place { position: place.position.choose(&*self.model, action), history }
    }
}

impl Excursion<'_> {
    /// Why it came to an end, if it did.
    pub fn end(self) -> Option<Excuse> {
        self.end
    }

    /// What is in the way, if anything is.
    fn obstacle(&mut self, place: &Place) -> Option<Excuse> {
        self.looks = self.looks.wrapping_add(1);
        let model = &self.ground.model;
        if place.history.len() > LONGEST {
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
    type Place = Place;

    fn players(&self) -> usize {
        self.ground.players()
    }

    fn is_broken_off(&self) -> bool {
        self.end.is_some()
    }

    fn root(&mut self) -> Place {
        Place { position: Position::initial(&*self.ground.model), history: Vec::new() }
    }

    fn look(&mut self, place: &Place) -> Look {
        if self.end.is_none() {
            self.end = self.obstacle(place);
        }
        if self.end.is_some() {
            return Look::Over;
        }
        let Some(player) = place.position.mover() else {
            return if place.position.turn == Turn::Chance { Look::Chance } else { Look::Over };
        };
        match self.ground.set(place, player) {
            Ok(Some(set)) => Look::Decide(set),
            // Whoever decides where nothing can be learned any more is as good as chance.
            Ok(None) => Look::Chance,
            Err(trouble) => {
                self.end = Some(Excuse::Trouble(trouble));
                Look::Over
            }
        }
    }

    fn draw(&mut self, place: Place, rng: &mut Rng) -> Place {
        let model = &self.ground.model;
        let action = match place.position.mover() {
            Some(mover) => model.random_action(place.position.state(), mover, &mut Vec::new(), rng),
            None => model.draw(place.position.state(), rng),
        };
        self.ground.choose(&place, action)
    }

    fn child(&mut self, place: &Place, set: &Set, action: usize) -> Place {
        self.ground.choose(place, self.ground.actions[set.first as usize + action])
    }

    fn payoff(&self, place: &Place, player: usize) -> f64 {
        place.position.returns[player]
    }
}
