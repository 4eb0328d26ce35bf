//! One possible world, and how it moves on along a view.

use crate::game::{Action, Observation, Turn};
use crate::model::{Model, State};
use crate::playout::MAX_PLAYERS;
use crate::rng::derive;
use crate::view::{Event, View, after_action, after_observation, view_seed};

/// A state together with what every player has seen on the way to it.
#[derive(Clone, Debug)]
pub struct World {
    /// The state.
    pub state: State,
    /// For each player, the key of its view in this world.
    pub keys: Vec<u64>,
    /// A key of everything that has happened, hidden steps included.
    pub path: u64,
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
    /// A step in which the player does this (or nothing).
    Step(Option<Action>),
}

impl World {
    /// The beginning of the game.
    pub fn initial(model: &dyn Model) -> World {
        World {
            state: model.initial(),
            keys: (0..model.info().players).map(view_seed).collect(),
            path: 1,
            at: 0,
        }
    }

    /// Copies another world into this one's memory.
    pub fn copy_from(&mut self, source: &World) {
        self.state.clone_from(&source.state);
        self.keys.clone_from(&source.keys);
        self.path = source.path;
        self.at = source.at;
    }

    /// What comes next for this world.
    pub(super) fn next(&self, model: &dyn Model, view: &View, scratch: &mut Vec<Action>) -> Next {
        let turn = model.turn(&self.state);
        let mine = turn.movers().contains(view.player);
        match (view.events.get(self.at), mine) {
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
            (Some(Event::Observed(_)), true) => Next::Dead,
            (_, false) if turn == Turn::Over => Next::Dead,
            (_, false) => Next::Step(None),
        }
    }

    /// Adds a step, which has just been carried out, to the key of everything that has happened.
    #[inline]
    pub fn extend_path(&mut self, joint: &[Action]) {
        self.path = joint.iter().fold(self.path, |path, action| derive(path, u64::from(action.0)));
    }

    /// Adds a step, which has just been carried out, to the keys of all players' views.
    #[inline]
    pub fn extend_views(&mut self, model: &dyn Model, turn: Turn, joint: &[Action]) {
        for (mover, action) in turn.movers().iter().zip(joint) {
            self.keys[mover] = after_action(self.keys[mover], *action);
        }
        for (player, key) in self.keys.iter_mut().enumerate() {
            *key = after_observation(*key, model.observe(&self.state, turn, joint, player));
        }
    }

    /// Takes one step and says whether what the player was told agrees with the view.
    pub(super) fn step(&mut self, model: &dyn Model, view: &View, turn: Turn, joint: &[Action]) -> bool {
        let mut rewards = [0.0; MAX_PLAYERS];
        let players = self.keys.len();
        model.step(&mut self.state, joint, &mut rewards[..players]);
        self.extend_path(joint);
        self.extend_views(model, turn, joint);
        self.at += usize::from(turn.movers().contains(view.player));
        let told = model.observe(&self.state, turn, joint, view.player);
        if told == Observation::SILENT {
            return true;
        }
        self.at += 1;
        view.events.get(self.at - 1) == Some(&Event::Observed(told))
    }
}

/// All joint actions of a turn with their probabilities: chance's as the game says, other players'
/// uniform, `own` fixed. `None` if there are more than `limit`, or chance is not explicit.
pub(super) fn options(
    model: &dyn Model,
    state: &State,
    player: usize,
    own: Option<Action>,
    limit: usize,
) -> Option<Vec<(Vec<Action>, f64)>> {
    let turn = model.turn(state);
    if turn == Turn::Chance {
        if !model.info().has.explicit_chance {
            return None;
        }
        let mut outcomes = Vec::new();
        model.chance(state, &mut outcomes);
        return (outcomes.len() <= limit)
            .then(|| outcomes.into_iter().map(|(outcome, p)| (vec![outcome], p)).collect());
    }
    let mut joints = vec![(Vec::new(), 1.0)];
    let mut legal = Vec::new();
    for mover in turn.movers().iter() {
        legal.clear();
        match own {
            Some(action) if mover == player => legal.push(action),
            _ => model.legal(state, mover, &mut legal),
        }
        if joints.len().saturating_mul(legal.len()) > limit {
            return None;
        }
        let share = 1.0 / legal.len().max(1) as f64;
        joints = joints
            .iter()
            .flat_map(|(joint, p)| {
                legal.iter().map(move |action| {
                    let mut longer = joint.clone();
                    longer.push(*action);
                    (longer, p * share)
                })
            })
            .collect();
    }
    Some(joints)
}

/// The successors of a world that agree with the view, with their probabilities. `None` if there
/// are too many to list.
pub(super) fn successors(
    model: &dyn Model,
    world: &World,
    view: &View,
    own: Option<Action>,
    limit: usize,
) -> Option<Vec<(World, f64)>> {
    let turn = model.turn(&world.state);
    let joints = options(model, &world.state, view.player, own, limit)?;
    let mut agreeing = Vec::new();
    for (joint, probability) in joints {
        let mut after = world.clone();
        if probability > 0.0 && after.step(model, view, turn, &joint) {
            agreeing.push((after, probability));
        }
    }
    Some(agreeing)
}
