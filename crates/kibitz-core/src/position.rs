//! A state together with its game, whatever its type: what evaluators and the picks of playouts ask.
//!
//! A playout's loop is compiled for the game's own states, and trees hold states with their type erased. A part that
//! is handed a [`Position`] serves both, and is written once.

use crate::bounded_dfs::dfs_best_return;
use crate::game::{Action, Capabilities, Game, Info, Turn};
use crate::interrupt::Interrupt;
use crate::model::{Model, State};
use crate::rng::Rng;

/// A state of some game. [`Game`] says what each method means.
pub trait Position {
    /// [`Game::info`].
    fn info(&self) -> &Info;
    /// What the game offers beyond its rules.
    fn has(&self) -> Capabilities;
    /// [`Game::turn`].
    fn turn(&self) -> Turn;
    /// [`Game::legal`].
    fn legal(&self, player: usize, actions: &mut Vec<Action>);
    /// [`Game::preferred`].
    fn preferred(&self, player: usize, actions: &mut Vec<Action>);
    /// [`Game::random_action`].
    fn random_action(&self, player: usize, scratch: &mut Vec<Action>, rng: &mut Rng) -> Action;
    /// A key of an action that is the same wherever the action means the same.
    fn action_key(&self, player: usize, action: Action) -> u64;
    /// [`Game::evaluate`]: the game's own evaluator.
    fn evaluate(&self, values: &mut [f64]);
    /// [`Game::atoms`].
    fn atoms(&self, atoms: &mut Vec<u32>);
    /// [`Game::unknown`].
    fn unknown(&self) -> u32;
    /// **Adds** the best that a bounded search finds in one world, all of it seen: the game's own solver
    /// ([`Game::judge`]) or, for a single player, depth first. Gives the number of states.
    fn solve(&self, effort: u32, rng: &mut Rng, interrupt: &mut Interrupt, returns: &mut [f64]) -> u64;
    /// Draws what chance does, if it is chance's turn.
    fn draw(&self, rng: &mut Rng) -> Action;
    /// Shows the state that a joint action leads to, and **adds** each player's reward to `rewards`.
    fn after(&self, joint: &[Action], rewards: &mut [f64], show: &mut dyn FnMut(&dyn Position));
}

/// A state of a game whose type is known.
pub struct At<'a, G: Game>(pub &'a G, pub &'a G::State);

/// A state of a game whose type is erased.
#[derive(Clone, Copy)]
pub struct Erased<'a>(pub &'a dyn Model, pub &'a State);

macro_rules! ask {
    ($trait:ident) => {
        fn info(&self) -> &Info {
            $trait::info(self.0)
        }

        fn has(&self) -> Capabilities {
            $trait::info(self.0).has
        }

        fn turn(&self) -> Turn {
            $trait::turn(self.0, self.1)
        }

        fn legal(&self, player: usize, actions: &mut Vec<Action>) {
            $trait::legal(self.0, self.1, player, actions);
        }

        fn preferred(&self, player: usize, actions: &mut Vec<Action>) {
            $trait::preferred(self.0, self.1, player, actions);
        }

        fn random_action(&self, player: usize, scratch: &mut Vec<Action>, rng: &mut Rng) -> Action {
            $trait::random_action(self.0, self.1, player, scratch, rng)
        }

        fn action_key(&self, _: usize, action: Action) -> u64 {
            action.0.into()
        }

        fn evaluate(&self, values: &mut [f64]) {
            $trait::evaluate(self.0, self.1, values);
        }

        fn atoms(&self, atoms: &mut Vec<u32>) {
            $trait::atoms(self.0, self.1, atoms);
        }

        fn unknown(&self) -> u32 {
            $trait::unknown(self.0, self.1)
        }

        fn draw(&self, rng: &mut Rng) -> Action {
            $trait::draw(self.0, self.1, rng)
        }
    };
}

impl<G: Game> Position for At<'_, G> {
    ask!(Game);

    fn solve(&self, effort: u32, rng: &mut Rng, interrupt: &mut Interrupt, returns: &mut [f64]) -> u64 {
        let At(game, state) = *self;
        let made = game.judge(state, effort, rng, returns);
        made.unwrap_or_else(|| dfs_best_return(game, state, effort, rng, interrupt, returns))
    }

    fn after(&self, joint: &[Action], rewards: &mut [f64], show: &mut dyn FnMut(&dyn Position)) {
        let after = Game::after(self.0, self.1, joint, rewards);
        show(&At(self.0, &after));
    }
}

impl Position for Erased<'_> {
    ask!(Model);

    fn solve(&self, effort: u32, rng: &mut Rng, interrupt: &mut Interrupt, returns: &mut [f64]) -> u64 {
        self.0.solve(self.1, effort, rng, interrupt, returns)
    }

    fn after(&self, joint: &[Action], rewards: &mut [f64], show: &mut dyn FnMut(&dyn Position)) {
        let after = self.0.after(self.1, joint, rewards);
        show(&Erased(self.0, &after));
    }
}
