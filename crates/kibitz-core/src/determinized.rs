//! A game as it would be if its players knew everything: what is planned in a sampled world.
//!
//! A [`Determinized`] game begins at a given state of another one and hides nothing from there on. Its future
//! may be fixed as well: then chance, and whoever is not to plan, draws from a seed by the number of the
//! step, so that the same future meets every action that is tried.

use crate::abilities::{Abilities, Evaluate, Solver, StateHash, Svg};
use crate::game::{Action, Game, Info, Observation, Players, Turn};
use crate::model::{SharedModel, State};
use crate::playout::{Context, MAX_PLAYERS};
use crate::rng::{Purpose, Rng, derive, seed_for};
use crate::view::Event;
use crate::{as_far_as, forward, pass_on};

/// Another game from one of its states on, with everything seen.
pub struct Determinized {
    model: SharedModel,
    start: Place,
    info: Info,
    fixed: Option<Fixed>,
}

/// A future that is settled beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// Where chance and the others draw from.
    pub seed: u64,
    /// For whom it is planned. Of several who move at once only this one decides.
    pub player: usize,
    /// Who decides when it is its turn alone.
    pub deciders: Players,
}

impl Fixed {
    /// Who decides at a turn; nobody, if all of it is drawn.
    fn decider(&self, turn: Turn) -> Option<usize> {
        match turn {
            Turn::One(player) => Some(player).filter(|player| self.deciders.contains(*player)),
            _ => Some(self.player).filter(|player| turn.movers().contains(*player)),
        }
    }
}

/// A state, and what a fixed future needs beside it.
#[derive(Debug)]
pub struct Place {
    state: State,
    /// Steps from the start.
    step: u32,
    /// What a reward counts beside one of the start, for the moves that were drawn on the way; those that were
    /// decided are discounted by whoever plans.
    weight: f64,
}

impl Clone for Place {
    fn clone(&self) -> Place {
        Place { state: self.state.clone(), ..*self }
    }

    /// Reuses the memory of the state.
    fn clone_from(&mut self, source: &Place) {
        self.state.clone_from(&source.state);
        (self.step, self.weight) = (source.step, source.weight);
    }
}

/// A fixed future that is longer than this is over: chance may go on for ever.
const LONGEST: u32 = 100_000;

impl Determinized {
    /// The game from `state` on. Somebody who decides is to move there, if the future is fixed.
    pub fn new(model: SharedModel, state: State, fixed: Option<Fixed>) -> Determinized {
        let mut info = model.info().clone();
        info.perfect_information = true;
        if fixed.is_some() {
            info.explicit_chance = true; // there is none
            info.simultaneous = Some(false); // others who move at once are drawn
        }
        Determinized { model, start: Place { state, step: 0, weight: 1.0 }, info, fixed }
    }

    /// A step of a fixed future, with what a player of the game itself would see of it.
    pub fn step_seen(&self, place: &mut Place, action: Action, player: usize, seen: &mut Vec<Event>) {
        let Some(fixed) = &self.fixed else { return };
        let mut rewards = [0.0; MAX_PLAYERS];
        self.go(fixed, place, action, &mut rewards[..self.info.players], |after, turn, joint| {
            let told = self.model.observe(after, turn, joint, player);
            if told != Observation::SILENT {
                seen.push(Event::Observed(told));
            }
        });
    }

    /// A step of a fixed future: on to the next decision, or to the end.
    fn go(
        &self,
        fixed: &Fixed,
        place: &mut Place,
        action: Action,
        rewards: &mut [f64],
        mut witness: impl FnMut(&State, Turn, &[Action]),
    ) {
        self.take(fixed, place, Some(action), rewards, &mut witness);
        let end = place.step.saturating_add(self.info.longest_chance()).min(LONGEST);
        while self.model.turn(&place.state) != Turn::Over
            && Game::turn(self, place) == Turn::Over
            && place.step < end
        {
            self.take(fixed, place, None, rewards, &mut witness);
        }
    }

    /// Takes one step of the game itself, in which whoever decides does this. What is drawn belongs to the move
    /// before it, and what it pays comes after that move: it counts less by one discount, as it does in the game.
    fn take(
        &self,
        fixed: &Fixed,
        place: &mut Place,
        own: Option<Action>,
        rewards: &mut [f64],
        witness: &mut impl FnMut(&State, Turn, &[Action]),
    ) {
        let turn = self.model.turn(&place.state);
        let decider = fixed.decider(turn);
        let seed = seed_for(fixed.seed, Purpose::Step(place.step));
        let mut joint = [Action(0); MAX_PLAYERS];
        let mut scratch = Vec::new();
        if turn == Turn::Chance {
            joint[0] = self.model.draw(&place.state, &mut Rng::new(seed));
        }
        for (slot, player) in joint.iter_mut().zip(turn.movers().iter()) {
            *slot = match own {
                Some(action) if Some(player) == decider => action,
                _ => {
                    let mut rng = Rng::stream(seed, Purpose::Mover(player));
                    self.model.random_action(&place.state, player, &mut scratch, &mut rng)
                }
            };
        }
        let mut paid = [0.0; MAX_PLAYERS];
        let joint = &joint[..turn.width()];
        self.model.step(&mut place.state, joint, &mut paid[..rewards.len()]);
        witness(&place.state, turn, joint);
        // The decider's own move is discounted by whoever plans, so what is drawn after it starts out behind it.
        let mut weight = place.weight;
        if own.is_none() {
            weight *= self.info.discount_after(Turn::One(fixed.player));
            place.weight *= self.info.discount_after(turn);
        }
        rewards.iter_mut().zip(paid).for_each(|(total, reward)| *total += weight * reward);
        place.step += 1;
    }
}

impl Game for Determinized {
    type State = Place;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Place {
        self.start.clone()
    }

    fn turn(&self, place: &Place) -> Turn {
        let turn = self.model.turn(&place.state);
        let Some(fixed) = &self.fixed else { return turn };
        match fixed.decider(turn) {
            Some(player) if place.step < LONGEST => Turn::One(player),
            _ => Turn::Over,
        }
    }

    fn legal(&self, place: &Place, player: usize, actions: &mut Vec<Action>) {
        self.model.legal(&place.state, player, actions);
    }

    fn step(&self, place: &mut Place, joint: &[Action], rewards: &mut [f64]) {
        let Some(fixed) = &self.fixed else { return self.model.step(&mut place.state, joint, rewards) };
        if let Some(&action) = joint.first() {
            self.go(fixed, place, action, rewards, |_, _, _| {});
        }
    }

    fn text(&self, place: &Place, _: Option<usize>) -> String {
        self.model.text(&place.state, None)
    }

    fn random_action(
        &self,
        place: &Place,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        self.model.random_action(&place.state, player, scratch, rng)
    }

    pass_on!(|game, place: &Place| (game.model, &place.state): action_name, player_name, chance, draw);

    fn abilities(&self) -> Abilities<'_, Place> {
        let has = self.model.has();
        let batch = (has.batch && self.fixed.is_none()).then_some(self as _);
        let others = as_far_as!(has, self: hash, evaluator, action_heuristic, preferred, solver, picture, atoms, facts, action_keys, factors, end_turn, features, faults);
        Abilities { batch, ..others }
    }
}

forward!(Determinized, Place, |game, place| (game.model, &place.state): ActionHeuristic, Preferred, Atoms, Facts, ActionKeys, Factors, EndTurn, Features, Batch, Faults);

impl Svg<Place> for Determinized {
    fn svg(&self, place: &Place, _: Option<usize>) -> String {
        self.model.svg(&place.state, None)
    }
}

impl Evaluate<Place> for Determinized {
    fn evaluate(&self, place: &Place, values: &mut [f64]) {
        self.model.evaluate(&place.state, values);
        values.iter_mut().for_each(|value| *value *= place.weight);
    }

    fn afterstate_values(
        &self,
        place: &Place,
        player: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool {
        place.weight == 1.0 && self.model.afterstate_values(&place.state, player, actions, values)
    }
}

impl Solver<Place> for Determinized {
    fn judge(&self, place: &Place, effort: u32, context: &mut Context, returns: &mut [f64]) -> Option<u64> {
        // A fixed future is known as it is, not as the game's own solver would draw it.
        if self.fixed.is_some() {
            return None;
        }
        self.model.judge(&place.state, effort, context, returns)
    }
}

impl StateHash<Place> for Determinized {
    fn hash(&self, place: &Place) -> u64 {
        let hash = self.model.hash(&place.state);
        // What a fixed future brings depends on the step, and what that counts on the moves drawn so far.
        let later = || derive(derive(hash, u64::from(place.step)), place.weight.to_bits());
        if self.fixed.is_some() { later() } else { hash }
    }
}
