//! A state together with its game, whatever its type: what evaluators and the picks of playouts ask.
//!
//! A playout's loop is compiled for the game's own states, and trees hold states with their type erased. A part that
//! is handed a [`Position`] serves both, and is written once.

use crate::abilities::Capabilities;
use crate::bounded_dfs::dfs_best_return;
use crate::game::{Action, Game, Info, Turn};
use crate::model::{Model, State};
use crate::playout::Context;
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
    /// [`crate::abilities::Preferred`].
    fn preferred(&self, player: usize, actions: &mut Vec<Action>);
    /// [`Game::random_action`].
    fn random_action(&self, player: usize, scratch: &mut Vec<Action>, rng: &mut Rng) -> Action;
    /// A key of an action that is the same wherever the action means the same.
    fn action_key(&self, player: usize, action: Action) -> u64;
    /// [`crate::abilities::Evaluate`]: the game's own evaluator.
    fn evaluate(&self, values: &mut [f64]);
    /// [`crate::abilities::ActionHeuristic`].
    fn action_values(&self, player: usize, actions: &[Action], values: &mut Vec<f64>) -> bool;
    /// [`crate::abilities::Atoms`].
    fn atoms(&self, atoms: &mut Vec<u32>);
    /// [`crate::abilities::Features`].
    fn features(&self, player: usize, values: &mut Vec<f64>);
    /// [`crate::abilities::Solver::unknown`].
    fn unknown(&self) -> u32;
    /// **Adds** the best that a bounded search finds in one world, all of it seen: the game's own solver
    /// ([`crate::abilities::Solver::judge`]) or, for a single player, depth first. Gives the number of states.
    fn solve(&self, effort: u32, context: &mut Context, returns: &mut [f64]) -> u64;
    /// Draws what chance does, if it is chance's turn.
    fn draw(&self, rng: &mut Rng) -> Action;
    /// Shows the state that a joint action leads to, and **adds** each player's reward to `rewards`.
    fn after(&self, joint: &[Action], rewards: &mut [f64], show: &mut dyn FnMut(&dyn Position));
    /// The same, after what chance does next has been drawn, which **adds** to `later`.
    fn settled(
        &self,
        joint: &[Action],
        rng: &mut Rng,
        rewards: &mut [f64],
        later: &mut [f64],
        show: &mut dyn FnMut(&dyn Position, &mut Rng),
    );
}

/// A state of a game whose type is known.
pub struct At<'a, G: Game>(pub &'a G, pub &'a G::State);

/// A state of a game whose type is erased.
#[derive(Clone, Copy)]
pub struct Erased<'a>(pub &'a dyn Model, pub &'a State);

macro_rules! ask {
    ($trait:ident, $whole:ident) => {
        fn after(&self, joint: &[Action], rewards: &mut [f64], show: &mut dyn FnMut(&dyn Position)) {
            let after = $trait::after(self.0, self.1, joint, rewards);
            show(&$whole(self.0, &after));
        }

        fn settled(
            &self,
            joint: &[Action],
            rng: &mut Rng,
            rewards: &mut [f64],
            later: &mut [f64],
            show: &mut dyn FnMut(&dyn Position, &mut Rng),
        ) {
            let mut after = $trait::after(self.0, self.1, joint, rewards);
            for _ in 0..self.info().longest_chance() {
                if $trait::turn(self.0, &after) != Turn::Chance {
                    break;
                }
                let outcome = $trait::draw(self.0, &after, rng);
                $trait::step(self.0, &mut after, &[outcome], later);
            }
            show(&$whole(self.0, &after), rng);
        }

        fn info(&self) -> &Info {
            $trait::info(self.0)
        }

        fn turn(&self) -> Turn {
            $trait::turn(self.0, self.1)
        }

        fn legal(&self, player: usize, actions: &mut Vec<Action>) {
            $trait::legal(self.0, self.1, player, actions);
        }

        fn random_action(&self, player: usize, scratch: &mut Vec<Action>, rng: &mut Rng) -> Action {
            $trait::random_action(self.0, self.1, player, scratch, rng)
        }

        fn draw(&self, rng: &mut Rng) -> Action {
            $trait::draw(self.0, self.1, rng)
        }
    };
}

impl<G: Game> Position for At<'_, G> {
    ask!(Game, At);

    fn has(&self) -> Capabilities {
        self.0.abilities().has()
    }

    fn preferred(&self, player: usize, actions: &mut Vec<Action>) {
        if let Some(game) = self.0.abilities().preferred {
            game.preferred(self.1, player, actions);
        }
    }

    fn action_key(&self, player: usize, action: Action) -> u64 {
        let keys = self.0.abilities().action_keys;
        keys.map_or(u64::from(action.0), |keys| keys.action_key(self.1, player, action))
    }

    fn evaluate(&self, values: &mut [f64]) {
        match self.0.abilities().evaluator {
            Some(game) => game.evaluate(self.1, values),
            None => values.fill(0.0),
        }
    }

    fn action_values(&self, player: usize, actions: &[Action], values: &mut Vec<f64>) -> bool {
        let known = self.0.abilities().action_heuristic;
        known.is_some_and(|known| known.action_values(self.1, player, actions, values))
    }

    fn atoms(&self, atoms: &mut Vec<u32>) {
        if let Some(game) = self.0.abilities().atoms {
            game.atoms(self.1, atoms);
        }
    }

    fn features(&self, player: usize, values: &mut Vec<f64>) {
        if let Some(game) = self.0.abilities().features {
            game.features(self.1, player, values);
        }
    }

    fn unknown(&self) -> u32 {
        self.0.abilities().solver.map_or(0, |solver| solver.unknown(self.1))
    }

    fn solve(&self, effort: u32, context: &mut Context, returns: &mut [f64]) -> u64 {
        let At(game, state) = *self;
        let made = game.abilities().solver.and_then(|solver| solver.judge(state, effort, context, returns));
        made.unwrap_or_else(|| dfs_best_return(game, state, effort, context, returns))
    }
}

impl Position for Erased<'_> {
    ask!(Model, Erased);

    fn has(&self) -> Capabilities {
        self.0.has()
    }

    fn preferred(&self, player: usize, actions: &mut Vec<Action>) {
        self.0.preferred(self.1, player, actions);
    }

    fn action_key(&self, player: usize, action: Action) -> u64 {
        self.0.action_key(self.1, player, action)
    }

    fn evaluate(&self, values: &mut [f64]) {
        self.0.evaluate(self.1, values);
    }

    fn action_values(&self, player: usize, actions: &[Action], values: &mut Vec<f64>) -> bool {
        self.0.action_values(self.1, player, actions, values)
    }

    fn atoms(&self, atoms: &mut Vec<u32>) {
        self.0.atoms(self.1, atoms);
    }

    fn features(&self, player: usize, values: &mut Vec<f64>) {
        self.0.features(self.1, player, values);
    }

    fn unknown(&self) -> u32 {
        self.0.unknown(self.1)
    }

    fn solve(&self, effort: u32, context: &mut Context, returns: &mut [f64]) -> u64 {
        self.0.solve(self.1, effort, context, returns)
    }
}
