//! A game with its type of states erased: what planners, beliefs and solvers work on.
//!
//! Planners are compiled once, not once for each game. What must be quick inside a game, a whole
//! playout, is still compiled for the game's own type: a [`Model`] call costs a few nanoseconds,
//! and a simulation makes only a handful of them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::abilities::{
    ActionHeuristic, ActionKeys, Atoms, Batch, Capabilities, EndTurn, Evaluate, Factors, Facts, Faults,
    Features, Pieces, Preferred, Prove, RealTime, Resample, Roles, ShownChance, Solver, StateHash, Svg,
    Symmetries, ViewKey,
};
use crate::game::{Action, Game, Info, Observation, Transition, Turn};
use crate::interrupt::Interrupt;
use crate::macro_actions::MacroActions;
use crate::playout::{self, Context, Pick, Rollout};
use crate::position::{At, Position};
use crate::rng::Rng;

/// The most playouts that are made at once, without a look at whether somebody calls.
const AT_ONCE: u32 = 4096;

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

    /// The game's own state, if the game is of this type.
    pub fn try_get<S: 'static>(&self) -> Option<&S> {
        let state: &dyn Any = &*self.0;
        state.downcast_ref::<S>()
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

/// A trait of games whose states have their type erased, and what each of its methods is for a game of some type.
macro_rules! of_any_game {
    (
        $(#[$what:meta])*
        pub trait $Trait:ident: ($($supertraits:tt)*) for $Game:ident {
            $( $(#[$doc:meta])* fn $method:ident(&$self:ident $(, $arg:ident: $Arg:ty)* $(,)?) $(-> $Out:ty)? $body:block )*
        }
    ) => {
        $(#[$what])*
        pub trait $Trait: $($supertraits)* {
            $( $(#[$doc])* fn $method(&self $(, $arg: $Arg)*) $(-> $Out)?; )*
        }

        impl<$Game: Game> $Trait for $Game {
            $( fn $method(&$self $(, $arg: $Arg)*) $(-> $Out)? $body )*
        }
    };
}

of_any_game! {
    /// A game as a planner sees it: [`Game`] says what each method means, and [`crate::abilities`] what each ability does. All of
    /// them can be asked; what is behind them says [`Model::has`].
    pub trait Model: (
    StateHash<State>
    + Evaluate<State>
    + ActionHeuristic<State>
    + Preferred<State>
    + ShownChance<State>
    + Resample<State>
    + Pieces<State>
    + ViewKey<State>
    + Solver<State>
    + Prove<State>
    + RealTime<State>
    + Roles<State>
    + Svg<State>
    + Atoms<State>
    + Facts<State>
    + ActionKeys<State>
    + Factors<State>
    + EndTurn<State>
    + Features<State>
    + Symmetries<State>
    + Batch<State>
    + Faults<State>
    + Playouts
    + Send
    + Sync
    ) for G {
        /// [`Game::info`].
        fn info(&self) -> &Info {
            Game::info(self)
        }
        /// Which abilities the game has.
        fn has(&self) -> Capabilities {
            Game::abilities(self).has()
        }
        /// [`Game::initial`].
        fn initial(&self) -> State {
            State::new(Game::initial(self))
        }
        /// [`Game::turn`].
        fn turn(&self, state: &State) -> Turn {
            Game::turn(self, state.get::<G::State>())
        }
        /// [`Game::legal`].
        fn legal(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
            Game::legal(self, state.get::<G::State>(), player, actions);
        }
        /// [`Game::step`].
        fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
            Game::step(self, state.get_mut::<G::State>(), joint, rewards);
        }
        /// [`Game::after`].
        fn after(&self, state: &State, joint: &[Action], rewards: &mut [f64]) -> State {
            State::new(Game::after(self, state.get::<G::State>(), joint, rewards))
        }
        /// [`Game::action_name`].
        fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
            Game::action_name(self, state.get::<G::State>(), player, action)
        }
        /// [`Game::text`].
        fn text(&self, state: &State, viewer: Option<usize>) -> String {
            Game::text(self, state.get::<G::State>(), viewer)
        }
        /// [`Game::observe`].
        fn observe(&self, after: &State, turn: Turn, joint: &[Action], player: usize) -> Observation {
            Game::observe(self, after.get::<G::State>(), turn, joint, player)
        }
        /// [`Game::observe_public`].
        fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
            Game::observe_public(self, after.get::<G::State>(), turn, joint)
        }
        /// [`Game::observation_name`].
        fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
            let Transition { before, after, turn, joint } = *step;
            let step = Transition { before: before.get(), after: after.get(), turn, joint };
            Game::observation_name(self, &step, player)
        }
        /// [`Game::player_name`].
        fn player_name(&self, player: usize) -> String {
            Game::player_name(self, player)
        }
        /// [`Game::chance`].
        fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
            Game::chance(self, state.get::<G::State>(), outcomes);
        }
        /// [`Game::draw`].
        fn draw(&self, state: &State, rng: &mut Rng) -> Action {
            Game::draw(self, state.get::<G::State>(), rng)
        }
        /// [`Game::random_action`].
        fn random_action(&self, state: &State, player: usize, scratch: &mut Vec<Action>, rng: &mut Rng) -> Action {
            Game::random_action(self, state.get::<G::State>(), player, scratch, rng)
        }
        /// [`crate::abilities::Collapsed::collapsed`].
        fn collapsed(&self) -> Option<SharedModel> {
            Game::abilities(self).collapsed.map(|it| it.collapsed())
        }
        /// [`crate::abilities::PlanningModel::planning_model`].
        fn planning_model(&self) -> Option<SharedModel> {
            Game::abilities(self).planning_model.map(|it| it.planning_model())
        }
        /// [`crate::abilities::OwnMacroActions::macro_actions`].
        fn macro_actions(&self) -> Option<Arc<dyn MacroActions>> {
            Game::abilities(self).macro_actions.map(|it| it.macro_actions())
        }
        /// The game itself, of whatever type: for a planner of one game alone, which has to know its rules.
        fn game(&self) -> &dyn Any {
            self
        }
    }
}

of_any_game! {
    /// What must be quick, and is compiled for a game's own states.
    pub trait Playouts: () for G {
        /// Plays out so many games from `state` by the rollout's policy, all at once where the game can, and **adds** the
        /// discounted returns of all to `returns`. Gives the number of steps of all.
        fn playouts(
            &self, state: &State, how: &Rollout, count: u32, rng: &mut Rng, interrupt: &mut Interrupt, returns: &mut [f64],
        ) -> u64 {
            let start = state.get::<G::State>();
            if let Some(batch) = Game::abilities(self).batch {
                let at_once = |count, interrupt: &mut Interrupt, returns: &mut [f64]| {
                    let steps = batch.play_out_many(start, how, count, rng, returns);
                    interrupt.poll();
                    steps
                };
                if let Some(steps) = playout::in_parts(count, AT_ONCE, interrupt, returns, at_once) {
                    return steps;
                }
            }
            let mut state = start.clone();
            let mut first = true;
            let one = |_, interrupt: &mut Interrupt, returns: &mut [f64]| {
                if !std::mem::take(&mut first) {
                    state.clone_from(start);
                }
                let mut context = Context::new(rng, interrupt);
                Some(u64::from(playout::run(self, &mut state, how, None, &mut context, returns)))
            };
            playout::in_parts(count, 1, interrupt, returns, one).unwrap_or_default()
        }

        /// Plays out one game from each of some states after the given action of the one who moves there, all
        /// at once where the game can, and **adds** the returns, that step's rewards included, to `returns`,
        /// which has the players' one state after the other. (Nothing is discounted.) Gives the number of
        /// steps of all.
        fn playouts_after(
            &self, starts: &[(&State, Action)], how: &Rollout, rng: &mut Rng, returns: &mut [f64],
        ) -> u64 {
            let own: Vec<_> = starts.iter().map(|(state, action)| (state.get::<G::State>(), *action)).collect();
            if let Some(batch) = Game::abilities(self).batch
                && let Some(steps) = batch.play_out_after(&own, how, rng, returns)
            {
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

        /// Plays out one game from `state`, in which `pick` chooses the players' moves, where it is given, and **adds** the
        /// discounted returns to `returns`. Gives the number of steps.
        fn rollout(
            &self, state: &State, how: &Rollout, pick: Option<&mut dyn Pick>, context: &mut Context, returns: &mut [f64],
        ) -> u64 {
            let mut state = state.get::<G::State>().clone();
            playout::run(self, &mut state, how, pick, context, returns).into()
        }

        /// [`Position::solve`].
        fn solve(&self, state: &State, effort: u32, context: &mut Context, returns: &mut [f64]) -> u64 {
            At(self, state.get::<G::State>()).solve(effort, context, returns)
        }
    }
}
