//! The sequence form of a game of two players with opposite interests, whatever is hidden or
//! simultaneous in it (Koller, Megiddo and von Stengel 1996): a linear program solves it exactly.

use super::Limits;
use crate::game::{Action, Turn};
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::view::{after_action, after_observation, view_seed};

/// One player's side: its sequences of own actions, and the information sets they pass.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// For each information set: the sequence that leads to it, and those that go on from it.
    pub sets: Vec<(usize, Vec<usize>)>,
    /// For each information set: the names of its actions.
    pub names: Vec<Vec<String>>,
    /// How many sequences there are; number 0 is the empty one.
    pub sequences: usize,
    index: KeyMap<usize>,
}

/// A game in which both together always get the same, as payoffs of pairs of sequences.
#[derive(Clone, Debug, Default)]
pub struct SequenceForm {
    /// Both players' sides.
    pub sides: [Side; 2],
    /// (sequence of player 0, of player 1, probability of chance times player 0's reward); pairs
    /// may come several times and add up.
    pub payoffs: Vec<(usize, usize, f64)>,
    /// The player who decides first, and its first information sets: their numbers and what the
    /// player sees there.
    pub first: Option<(usize, Vec<(usize, String)>)>,
    /// What both players get together, however it ends.
    pub total: f64,
    /// How many states were looked at.
    pub states: u64,
    ended: bool,
}

/// One history: where both players stand in it.
struct Place {
    state: State,
    p: f64,
    keys: [u64; 2],
    sequence: [usize; 2],
    weight: f64,
    /// What both have got so far.
    total: f64,
}

const OPPOSITE: &str = "an equilibrium is computed for two players with opposite interests only";

/// Writes a game in sequence form. That the interests are opposite is seen as all ends are listed.
///
/// # Errors
/// A sentence, if it is not a game of two with opposite interests, or too large.
pub fn sequence_form(model: &dyn Model, limits: &mut Limits) -> Result<SequenceForm, String> {
    let info = model.info();
    if info.players != 2 {
        return Err(OPPOSITE.to_owned());
    }
    let mut form = SequenceForm::default();
    form.sides.iter_mut().for_each(|side| side.sequences = 1);
    let root = Place {
        state: model.initial(),
        p: 1.0,
        keys: [view_seed(0), view_seed(1)],
        sequence: [0, 0],
        weight: 1.0,
        total: 0.0,
    };
    let mut open = vec![root];
    while let Some(place) = open.pop() {
        limits.count(&mut form.states)?;
        form.visit(model, &place, &mut open)?;
    }
    form.payoffs.retain(|(_, _, payoff)| *payoff != 0.0);
    Ok(form)
}

impl SequenceForm {
    fn visit(&mut self, model: &dyn Model, place: &Place, open: &mut Vec<Place>) -> Result<(), String> {
        match model.turn(&place.state) {
            Turn::Over if !self.ended => (self.ended, self.total) = (true, place.total),
            Turn::Over if (place.total - self.total).abs() > 1e-9 => return Err(OPPOSITE.to_owned()),
            Turn::Over => {}
            Turn::Chance => {
                let mut outcomes = Vec::new();
                model.chance(&place.state, &mut outcomes);
                for (outcome, p) in outcomes.into_iter().filter(|(_, p)| *p > 0.0) {
                    self.step(model, place, &[outcome], place.p * p, place.sequence, open);
                }
            }
            turn => {
                let movers: Vec<usize> = turn.movers().iter().collect();
                let choices: Vec<Vec<(Action, usize)>> =
                    movers.iter().map(|&player| self.choices(model, place, player)).collect();
                if self.first.is_none() || self.first.as_ref().is_some_and(|(p, _)| *p == movers[0]) {
                    self.note_first(model, place, movers[0]);
                }
                let others: &[(Action, usize)] = choices.get(1).map_or(&[], Vec::as_slice);
                for &(a, to) in &choices[0] {
                    let mut sequence = place.sequence;
                    sequence[movers[0]] = to;
                    if others.is_empty() {
                        self.step(model, place, &[a], place.p, sequence, open);
                    }
                    for &(b, to) in others {
                        sequence[movers[1]] = to;
                        self.step(model, place, &[a, b], place.p, sequence, open);
                    }
                }
            }
        }
        Ok(())
    }

    fn note_first(&mut self, model: &dyn Model, place: &Place, player: usize) {
        if place.sequence != [0, 0] {
            return;
        }
        let set = self.sides[player].index[&place.keys[player]];
        let (_, sets) = self.first.get_or_insert((player, Vec::new()));
        if sets.iter().all(|(known, _)| *known != set) {
            sets.push((set, model.text(&place.state, Some(player))));
        }
    }

    /// The player's actions here, each with the sequence it makes.
    fn choices(&mut self, model: &dyn Model, place: &Place, player: usize) -> Vec<(Action, usize)> {
        let mut actions = Vec::new();
        model.legal(&place.state, player, &mut actions);
        actions.sort_unstable();
        let side = &mut self.sides[player];
        let set = *side.index.entry(place.keys[player]).or_insert_with(|| {
            let first = side.sequences;
            side.sequences += actions.len();
            side.sets.push((place.sequence[player], (first..side.sequences).collect()));
            let name = |action: &Action| model.action_name(&place.state, Some(player), *action);
            side.names.push(actions.iter().map(name).collect());
            side.sets.len() - 1
        });
        actions.into_iter().zip(side.sets[set].1.iter().copied()).collect()
    }

    fn step(
        &mut self,
        model: &dyn Model,
        place: &Place,
        joint: &[Action],
        p: f64,
        sequence: [usize; 2],
        open: &mut Vec<Place>,
    ) {
        let turn = model.turn(&place.state);
        let mut state = place.state.clone();
        let mut rewards = [0.0; 2];
        model.step(&mut state, joint, &mut rewards);
        self.payoffs.push((sequence[0], sequence[1], p * place.weight * rewards[0]));
        let total = place.total + place.weight * (rewards[0] + rewards[1]);
        let mut keys = place.keys;
        for (mover, action) in turn.movers().iter().zip(joint) {
            keys[mover] = after_action(keys[mover], *action);
        }
        for (player, key) in keys.iter_mut().enumerate() {
            *key = after_observation(*key, model.observe(&state, turn, joint, player));
        }
        let discount = if turn == Turn::Chance { 1.0 } else { model.info().discount };
        open.push(Place { state, p, keys, sequence, weight: place.weight * discount, total });
    }
}
