//! A game with a network for its evaluator.

use std::sync::Arc;

use super::net::Net;
use crate::game::{Action, Info, Observation, Turn};
use crate::macro_actions::MacroActions;
use crate::model::{Model, SharedModel, State};
use crate::playout::{MAX_PLAYERS, Playout, Policy};
use crate::rng::Rng;
use crate::solve::Proof;
use crate::view::View;

/// Another game, whose leaves a network judges. Everything else is the game's own.
pub struct WithEvaluator {
    model: SharedModel,
    net: Arc<Net>,
    info: Info,
}

impl WithEvaluator {
    /// The game with this network.
    ///
    /// # Errors
    /// A network that was taught something else.
    pub fn new(model: SharedModel, net: Arc<Net>) -> Result<WithEvaluator, String> {
        let mut info = model.info().clone();
        let (atoms, players) = (net.shape.inputs, net.shape.outputs);
        if info.atoms as usize != atoms || info.players != players {
            return Err(format!(
                "the network was taught a game of {players} players with {atoms} atoms, and this one has {} and {}",
                info.players, info.atoms
            ));
        }
        info.has.evaluator = true;
        Ok(WithEvaluator { model, net, info })
    }
}

impl Model for WithEvaluator {
    fn info(&self) -> &Info {
        &self.info
    }

    fn evaluate(&self, state: &State, values: &mut [f64]) {
        let mut atoms = Vec::with_capacity(256);
        self.model.atoms(state, &mut atoms);
        self.net.judge(&atoms, values);
        let Info { min_return, max_return, .. } = self.info;
        values.iter_mut().for_each(|value| *value = min_return + *value * (max_return - min_return));
    }

    fn afterstate_values(&self, _: &State, _: usize, _: &[Action], _: &mut Vec<f64>) -> bool {
        false // the game's own evaluator would promise something else
    }

    fn playouts(
        &self,
        state: &State,
        how: &Playout,
        count: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> u64 {
        let by_net = match how.policy {
            Policy::Solver { clairvoyance: Some(most), .. } => self.model.unknown(state) > most,
            policy => policy == Policy::Evaluator,
        };
        if !by_net {
            return self.model.playouts(state, how, count, rng, returns);
        }
        if self.model.turn(state) != Turn::Over {
            let mut values = [0.0; MAX_PLAYERS];
            self.evaluate(state, &mut values[..returns.len()]);
            returns.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(count) * value);
        }
        0
    }

    fn playouts_after(
        &self,
        starts: &[(&State, Action)],
        how: &Playout,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> u64 {
        let mut steps = starts.len() as u64;
        for ((state, action), returns) in starts.iter().zip(returns.chunks_mut(self.info.players)) {
            let after = self.model.after(state, &[*action], returns);
            steps += self.playouts(&after, how, 1, rng, returns);
        }
        steps
    }

    fn initial(&self) -> State {
        self.model.initial()
    }

    fn turn(&self, state: &State) -> Turn {
        self.model.turn(state)
    }

    fn legal(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        self.model.legal(state, player, actions);
    }

    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        self.model.step(state, joint, rewards);
    }

    fn after(&self, state: &State, joint: &[Action], rewards: &mut [f64]) -> State {
        self.model.after(state, joint, rewards)
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        self.model.action_name(state, player, action)
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        self.model.text(state, viewer)
    }

    fn facts(&self, state: &State) -> Vec<String> {
        self.model.facts(state)
    }

    fn observe(&self, after: &State, turn: Turn, joint: &[Action], player: usize) -> Observation {
        self.model.observe(after, turn, joint, player)
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.model.observe_public(after, turn, joint)
    }

    fn observation_name(
        &self,
        before: &State,
        after: &State,
        turn: Turn,
        joint: &[Action],
        player: usize,
    ) -> String {
        self.model.observation_name(before, after, turn, joint, player)
    }

    fn player_name(&self, player: usize) -> String {
        self.model.player_name(player)
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        self.model.chance(state, outcomes);
    }

    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        self.model.draw(state, rng)
    }

    fn random_action(
        &self,
        state: &State,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        self.model.random_action(state, player, scratch, rng)
    }

    fn preferred(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        self.model.preferred(state, player, actions);
    }

    fn atoms(&self, state: &State, atoms: &mut Vec<u32>) {
        self.model.atoms(state, atoms);
    }

    fn hash(&self, state: &State) -> u64 {
        self.model.hash(state)
    }

    fn symmetries(&self) -> usize {
        self.model.symmetries()
    }

    fn orientation(&self, state: &State, symmetry: usize) -> i32 {
        self.model.orientation(state, symmetry)
    }

    fn reflected(&self, state: &State, symmetry: usize) -> State {
        self.model.reflected(state, symmetry)
    }

    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        self.model.reflected_action(player, action, symmetry)
    }

    fn view_key(&self, state: &State, player: usize) -> u64 {
        self.model.view_key(state, player)
    }

    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        self.model.resample(view, rng)
    }

    fn collapsed(&self) -> Option<SharedModel> {
        self.model.collapsed()
    }

    fn planning_model(&self) -> Option<SharedModel> {
        self.model.planning_model()
    }

    fn judge(&self, state: &State, effort: u32, rng: &mut Rng, returns: &mut [f64]) -> Option<u64> {
        self.model.judge(state, effort, rng, returns)
    }

    fn unknown(&self, state: &State) -> u32 {
        self.model.unknown(state)
    }

    fn prove(&self, state: &State, states: u64, pause: &mut dyn FnMut() -> bool) -> Option<Proof> {
        self.model.prove(state, states, pause)
    }

    fn macro_actions(&self) -> Option<Arc<dyn MacroActions>> {
        self.model.macro_actions()
    }

    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        self.model.svg(state, viewer)
    }

    fn faults(&self) -> u64 {
        self.model.faults()
    }

    fn fault(&self) -> Option<String> {
        self.model.fault()
    }

    fn flaw(&self) -> Option<String> {
        self.model.flaw()
    }
}
