//! A game with its type of states erased: what planners, beliefs and solvers work on.
//!
//! Planners are compiled once, not once for each game. What must be quick inside a game, a whole
//! playout, is still compiled for the game's own type: a [`Model`] call costs a few nanoseconds,
//! and a simulation makes only a handful of them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::game::{Action, Game, Info, Observation, Turn};
use crate::interrupt::Interrupt;
use crate::macro_actions::MacroActions;
use crate::playout::{self, Context, Pick, Rollout};
use crate::position::{At, Position};
use crate::rng::Rng;
use crate::solve::Proof;
use crate::view::View;

/// A game shared between threads, whatever its states are made of.
pub type SharedModel = Arc<dyn Model>;

/// The game itself, or, where it hides something and offers one, its collapsed model.
pub fn collapsed_or_self(model: SharedModel) -> SharedModel {
    if model.info().perfect_information { model } else { model.collapsed().unwrap_or(model) }
}

trait AnyState: Any + Send + Sync {
    fn clone_box(&self) -> Box<dyn AnyState>;
    fn copy_from(&mut self, source: &dyn Any);
}

impl<S: Clone + Send + Sync + 'static> AnyState for S {
    fn clone_box(&self) -> Box<dyn AnyState> {
        Box::new(self.clone())
    }

    fn copy_from(&mut self, source: &dyn Any) {
        self.clone_from(source.downcast_ref::<S>().expect(MIXED_UP));
    }
}

const MIXED_UP: &str = "a state of one game was handed to another";

/// A state of some game. `clone_from` reuses the memory.
pub struct State(Box<dyn AnyState>);

impl State {
    /// Wraps a game's own state.
    pub fn new<S: Clone + Send + Sync + 'static>(state: S) -> State {
        State(Box::new(state))
    }

    /// The game's own state.
    ///
    /// # Panics
    /// If the state belongs to a game of another type; that is a mistake in the calling code.
    #[inline]
    pub fn get<S: 'static>(&self) -> &S {
        let state: &dyn Any = &*self.0;
        state.downcast_ref::<S>().expect(MIXED_UP)
    }

    /// The game's own state, to be changed.
    ///
    /// # Panics
    /// As [`State::get`].
    #[inline]
    pub fn get_mut<S: 'static>(&mut self) -> &mut S {
        let state: &mut dyn Any = &mut *self.0;
        state.downcast_mut::<S>().expect(MIXED_UP)
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State(self.0.clone_box())
    }

    #[inline]
    fn clone_from(&mut self, source: &State) {
        self.0.copy_from(&*source.0);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State")
    }
}

/// A game as a planner sees it. [`Game`] says what each method means.
pub trait Model: Send + Sync {
    /// [`Game::info`].
    fn info(&self) -> &Info;
    /// [`Game::initial`].
    fn initial(&self) -> State;
    /// [`Game::turn`].
    fn turn(&self, state: &State) -> Turn;
    /// [`Game::legal`].
    fn legal(&self, state: &State, player: usize, actions: &mut Vec<Action>);
    /// [`Game::step`].
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]);
    /// [`Game::after`].
    fn after(&self, state: &State, joint: &[Action], rewards: &mut [f64]) -> State;
    /// [`Game::action_name`].
    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String;
    /// [`Game::text`].
    fn text(&self, state: &State, viewer: Option<usize>) -> String;
    /// [`Game::facts`].
    fn facts(&self, state: &State) -> Vec<String>;
    /// [`Game::observe`].
    fn observe(&self, after: &State, turn: Turn, joint: &[Action], player: usize) -> Observation;
    /// [`Game::observe_public`].
    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation;
    /// [`Game::observation_name`].
    fn observation_name(
        &self,
        before: &State,
        after: &State,
        turn: Turn,
        joint: &[Action],
        player: usize,
    ) -> String;
    /// [`Game::player_name`].
    fn player_name(&self, player: usize) -> String;
    /// [`Game::chance`].
    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>);
    /// [`Game::draw`].
    fn draw(&self, state: &State, rng: &mut Rng) -> Action;
    /// [`Game::random_action`].
    fn random_action(
        &self,
        state: &State,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action;
    /// [`Game::preferred`].
    fn preferred(&self, state: &State, player: usize, actions: &mut Vec<Action>);
    /// [`Game::evaluate`].
    fn evaluate(&self, state: &State, values: &mut [f64]);
    /// [`Game::afterstate_values`].
    fn afterstate_values(
        &self,
        state: &State,
        player: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool;
    /// [`Game::atoms`].
    fn atoms(&self, state: &State, atoms: &mut Vec<u32>);
    /// [`Game::hash`].
    fn hash(&self, state: &State) -> u64;
    /// [`Game::symmetries`].
    fn symmetries(&self) -> usize;
    /// [`Game::orientation`].
    fn orientation(&self, state: &State, symmetry: usize) -> i32;
    /// [`Game::reflected`].
    fn reflected(&self, state: &State, symmetry: usize) -> State;
    /// [`Game::reflected_action`].
    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action;
    /// [`Game::view_key`].
    fn view_key(&self, state: &State, player: usize) -> u64;
    /// [`Game::resample`].
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State>;
    /// [`Game::collapsed`].
    fn collapsed(&self) -> Option<SharedModel>;
    /// [`Game::planning_model`].
    fn planning_model(&self) -> Option<SharedModel>;
    /// [`Game::judge`].
    fn judge(&self, state: &State, effort: u32, rng: &mut Rng, returns: &mut [f64]) -> Option<u64>;
    /// [`Game::unknown`].
    fn unknown(&self, state: &State) -> u32;
    /// [`Game::prove`].
    fn prove(&self, state: &State, states: u64, pause: &mut dyn FnMut() -> bool) -> Option<Proof>;
    /// [`Game::macro_actions`].
    fn macro_actions(&self) -> Option<Arc<dyn MacroActions>>;
    /// [`Game::svg`].
    fn svg(&self, state: &State, viewer: Option<usize>) -> String;
    /// [`Game::faults`].
    fn faults(&self) -> u64;
    /// [`Game::fault`].
    fn fault(&self) -> Option<String>;
    /// [`Game::flaw`].
    fn flaw(&self) -> Option<String>;

    /// Plays out so many games from `state` by the rollout's policy, all at once where the game can, and **adds** the
    /// discounted returns of all to `returns`. Gives the number of steps of all.
    fn playouts(&self, state: &State, how: &Rollout, count: u32, rng: &mut Rng, returns: &mut [f64])
    -> u64;

    /// Plays out one game from each of some states after the given action of the one who moves there, all
    /// at once where the game can, and **adds** the returns, that step's rewards included, to `returns`,
    /// which has the players' one state after the other. (Nothing is discounted.) Gives the number of
    /// steps of all.
    fn playouts_after(
        &self,
        starts: &[(&State, Action)],
        how: &Rollout,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> u64;

    /// Plays out one game from `state`, in which `pick` chooses the players' moves, where it is given, and **adds** the
    /// discounted returns to `returns`. Gives the number of steps.
    fn rollout(
        &self,
        state: &State,
        how: &Rollout,
        pick: Option<&mut dyn Pick>,
        context: &mut Context,
        returns: &mut [f64],
    ) -> u64;

    /// [`Position::solve`].
    fn solve(
        &self,
        state: &State,
        effort: u32,
        rng: &mut Rng,
        interrupt: &mut Interrupt,
        returns: &mut [f64],
    ) -> u64;
}

impl<G: Game> Model for G {
    fn info(&self) -> &Info {
        Game::info(self)
    }

    fn initial(&self) -> State {
        State::new(Game::initial(self))
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        Game::turn(self, state.get::<G::State>())
    }

    #[inline]
    fn legal(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        Game::legal(self, state.get::<G::State>(), player, actions);
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        Game::step(self, state.get_mut::<G::State>(), joint, rewards);
    }

    fn after(&self, state: &State, joint: &[Action], rewards: &mut [f64]) -> State {
        State::new(Game::after(self, state.get::<G::State>(), joint, rewards))
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        Game::action_name(self, state.get::<G::State>(), player, action)
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        Game::text(self, state.get::<G::State>(), viewer)
    }

    fn facts(&self, state: &State) -> Vec<String> {
        Game::facts(self, state.get::<G::State>())
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, joint: &[Action], player: usize) -> Observation {
        Game::observe(self, after.get::<G::State>(), turn, joint, player)
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        Game::observe_public(self, after.get::<G::State>(), turn, joint)
    }

    fn observation_name(
        &self,
        before: &State,
        after: &State,
        turn: Turn,
        joint: &[Action],
        player: usize,
    ) -> String {
        let (before, after) = (before.get::<G::State>(), after.get::<G::State>());
        Game::observation_name(self, before, after, turn, joint, player)
    }

    fn player_name(&self, player: usize) -> String {
        Game::player_name(self, player)
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        Game::chance(self, state.get::<G::State>(), outcomes);
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        Game::draw(self, state.get::<G::State>(), rng)
    }

    fn random_action(
        &self,
        state: &State,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        Game::random_action(self, state.get::<G::State>(), player, scratch, rng)
    }

    fn preferred(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        Game::preferred(self, state.get::<G::State>(), player, actions);
    }

    fn evaluate(&self, state: &State, values: &mut [f64]) {
        Game::evaluate(self, state.get::<G::State>(), values);
    }

    fn afterstate_values(
        &self,
        state: &State,
        player: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool {
        Game::afterstate_values(self, state.get::<G::State>(), player, actions, values)
    }

    fn atoms(&self, state: &State, atoms: &mut Vec<u32>) {
        Game::atoms(self, state.get::<G::State>(), atoms);
    }

    fn symmetries(&self) -> usize {
        Game::symmetries(self)
    }

    fn orientation(&self, state: &State, symmetry: usize) -> i32 {
        Game::orientation(self, state.get::<G::State>(), symmetry)
    }

    fn reflected(&self, state: &State, symmetry: usize) -> State {
        State::new(Game::reflected(self, state.get::<G::State>(), symmetry))
    }

    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        Game::reflected_action(self, player, action, symmetry)
    }

    fn hash(&self, state: &State) -> u64 {
        Game::hash(self, state.get::<G::State>())
    }

    fn view_key(&self, state: &State, player: usize) -> u64 {
        Game::view_key(self, state.get::<G::State>(), player)
    }

    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        Game::resample(self, view, rng).map(State::new)
    }

    fn collapsed(&self) -> Option<SharedModel> {
        Game::collapsed(self)
    }

    fn planning_model(&self) -> Option<SharedModel> {
        Game::planning_model(self)
    }

    fn judge(&self, state: &State, effort: u32, rng: &mut Rng, returns: &mut [f64]) -> Option<u64> {
        Game::judge(self, state.get::<G::State>(), effort, rng, returns)
    }

    fn unknown(&self, state: &State) -> u32 {
        Game::unknown(self, state.get::<G::State>())
    }

    fn prove(&self, state: &State, states: u64, pause: &mut dyn FnMut() -> bool) -> Option<Proof> {
        Game::prove(self, state.get::<G::State>(), states, pause)
    }

    fn macro_actions(&self) -> Option<Arc<dyn MacroActions>> {
        Game::macro_actions(self)
    }

    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        Game::svg(self, state.get::<G::State>(), viewer)
    }

    fn faults(&self) -> u64 {
        Game::faults(self)
    }

    fn fault(&self) -> Option<String> {
        Game::fault(self)
    }

    fn flaw(&self) -> Option<String> {
        Game::flaw(self)
    }

    fn playouts(
        &self,
        state: &State,
        how: &Rollout,
        count: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> u64 {
        let start = state.get::<G::State>();
        if let Some(steps) = Game::play_out_many(self, start, how, count, rng, returns) {
            return steps;
        }
        let mut state = start.clone();
        let mut steps = 0;
        let mut interrupt = Interrupt::never();
        let mut context = Context::new(rng, &mut interrupt);
        for left in (0..count).rev() {
            steps += u64::from(playout::run(self, &mut state, how, None, &mut context, returns));
            if left > 0 {
                state.clone_from(start);
            }
        }
        steps
    }

    fn playouts_after(
        &self,
        starts: &[(&State, Action)],
        how: &Rollout,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> u64 {
        let own: Vec<_> = starts.iter().map(|(state, action)| (state.get::<G::State>(), *action)).collect();
        if let Some(steps) = Game::play_out_after(self, &own, how, rng, returns) {
            return steps;
        }
        let mut steps = own.len() as u64;
        let mut interrupt = Interrupt::never();
        let mut context = Context::new(rng, &mut interrupt);
        for ((state, action), returns) in own.iter().zip(returns.chunks_mut(Game::info(self).players)) {
            let mut after = Game::after(self, state, &[*action], returns);
            steps += u64::from(playout::run(self, &mut after, how, None, &mut context, returns));
        }
        steps
    }

    fn rollout(
        &self,
        state: &State,
        how: &Rollout,
        pick: Option<&mut dyn Pick>,
        context: &mut Context,
        returns: &mut [f64],
    ) -> u64 {
        let mut state = state.get::<G::State>().clone();
        playout::run(self, &mut state, how, pick, context, returns).into()
    }

    fn solve(
        &self,
        state: &State,
        effort: u32,
        rng: &mut Rng,
        interrupt: &mut Interrupt,
        returns: &mut [f64],
    ) -> u64 {
        At(self, state.get::<G::State>()).solve(effort, rng, interrupt, returns)
    }
}
