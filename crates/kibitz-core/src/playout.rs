//! Playouts: play on from a state by a quick policy and report the return.
//!
//! [`run`] is generic over the game, so that the whole loop is compiled for each game's own
//! states; everybody else calls it through [`crate::Model::playouts`].

use crate::bounded_dfs::dfs_best_return;
use crate::game::{Action, Game, Turn};
use crate::rng::Rng;

/// How the moves of a playout are chosen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Policy {
    /// Uniformly among the legal actions.
    #[default]
    Random,
    /// Uniformly among the game's preferred actions.
    Preferred,
    /// The action after which the game's evaluator promises the mover most; with probability
    /// `epsilon` a random one.
    Greedy {
        /// How often a random action is taken instead, 0 to 1.
        epsilon: f64,
    },
    /// No moves at all: the evaluator judges the leaf.
    Evaluator,
    /// No moves at all: the best that a bounded search finds in one world, the game's own
    /// ([`Game::judge`]) or that of [`crate::bounded_dfs`].
    Solver {
        /// States to look at.
        effort: u32,
        /// Where more things are unknown than this, the evaluator judges instead: the solver would see too much.
        clairvoyance: Option<u32>,
    },
}

/// A playout's policy and where it ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Playout {
    /// How moves are chosen.
    pub policy: Policy,
    /// Moves after which it stops, as it does where only chance goes on; the evaluator, where there is one, judges
    /// the rest.
    pub depth: u32,
    /// A reward t moves ahead counts this to the power of t.
    pub discount: f64,
}

/// The most players that a game may have: the size of the buffers on the stack.
pub const MAX_PLAYERS: usize = 32;

/// Plays on from `state` and adds each player's discounted return to `returns`.
pub fn run<G: Game>(
    game: &G,
    state: &mut G::State,
    how: &Playout,
    rng: &mut Rng,
    returns: &mut [f64],
) -> u32 {
    if let Policy::Solver { effort, clairvoyance } = how.policy {
        if game.turn(state) == Turn::Over {
            return 0;
        }
        if clairvoyance.is_some_and(|most| game.unknown(state) > most) {
            let mut values = [0.0; MAX_PLAYERS];
            game.evaluate(state, &mut values[..returns.len()]);
            returns.iter_mut().zip(values).for_each(|(total, value)| *total += value);
            return 0;
        }
        let made = game.judge(state, effort, rng, returns);
        return made.unwrap_or_else(|| dfs_best_return(game, state, effort, rng, returns)) as u32;
    }
    let players = returns.len();
    let mut buffer = [0.0; MAX_PLAYERS];
    let rewards = &mut buffer[..players];
    let mut joint = [Action(0); MAX_PLAYERS];
    let mut scratch = Vec::new();
    let depth = if how.policy == Policy::Evaluator { 0 } else { how.depth };
    // Rewards are summed where nothing is discounted; else each step's are weighed by themselves.
    let discounted = how.discount != 1.0;
    let mut weight = 1.0;
    let (mut steps, mut moves, mut draws) = (0, 0, 0);
    let longest = game.info().longest_chance();
    loop {
        let turn = game.turn(state);
        if turn == Turn::Over {
            break;
        }
        if moves == depth || draws > longest {
            if game.info().has.evaluator {
                let mut values = [0.0; MAX_PLAYERS];
                game.evaluate(state, &mut values[..players]);
                for (reward, value) in rewards.iter_mut().zip(&values) {
                    *reward += weight * value;
                }
            }
            break;
        }
        let width = match turn {
            Turn::Over => 0,
            Turn::Chance => {
                joint[0] = game.draw(state, rng);
                1
            }
            Turn::One(player) => {
                joint[0] = choose(game, state, player, how.policy, &mut scratch, rng);
                1
            }
            Turn::Several(movers) => {
                for (slot, player) in joint.iter_mut().zip(movers.iter()) {
                    *slot = choose(game, state, player, how.policy, &mut scratch, rng);
                }
                movers.len()
            }
        };
        if discounted {
            game.step(state, &joint[..width], rewards);
            for (total, reward) in returns.iter_mut().zip(rewards.iter_mut()) {
                *total += weight * *reward;
                *reward = 0.0;
            }
            if turn != Turn::Chance {
                weight *= how.discount;
            }
        } else {
            game.step(state, &joint[..width], rewards);
        }
        steps += 1;
        if turn == Turn::Chance {
            draws += 1;
        } else {
            (moves, draws) = (moves + 1, 0);
        }
    }
    for (total, reward) in returns.iter_mut().zip(rewards.iter()) {
        *total += *reward;
    }
    steps
}

#[inline]
fn choose<G: Game>(
    game: &G,
    state: &G::State,
    player: usize,
    policy: Policy,
    scratch: &mut Vec<Action>,
    rng: &mut Rng,
) -> Action {
    match policy {
        Policy::Random | Policy::Evaluator | Policy::Solver { .. } => {
            game.random_action(state, player, scratch, rng)
        }
        Policy::Preferred => {
            scratch.clear();
            game.preferred(state, player, scratch);
            let chosen = rng.below(scratch.len() as u32) as usize;
            scratch.get(chosen).copied().unwrap_or_default()
        }
        Policy::Greedy { epsilon } => {
            if epsilon > 0.0 && rng.unit() < epsilon {
                return game.random_action(state, player, scratch, rng);
            }
            greedy(game, state, player, scratch, rng)
        }
    }
}

/// The action after which reward plus evaluation is highest for `player`; ties at random. Where
/// others move at once, they are assumed to move at random; chance is drawn.
fn greedy<G: Game>(
    game: &G,
    state: &G::State,
    player: usize,
    scratch: &mut Vec<Action>,
    rng: &mut Rng,
) -> Action {
    scratch.clear();
    game.legal(state, player, scratch);
    let candidates = std::mem::take(scratch);
    let players = game.info().players;
    let (mut best, mut best_value, mut ties) = (Action(0), f64::NEG_INFINITY, 0);
    for &action in &candidates {
        let mut after = state.clone();
        let mut rewards = [0.0; MAX_PLAYERS];
        let mut joint = [action; MAX_PLAYERS];
        let movers = game.turn(state).movers();
        for (slot, mover) in joint.iter_mut().zip(movers.iter()) {
            if mover != player {
                *slot = game.random_action(state, mover, scratch, rng);
            }
        }
        game.step(&mut after, &joint[..movers.len()], &mut rewards[..players]);
        let mut values = [0.0; MAX_PLAYERS];
        match game.turn(&after) {
            Turn::Over => {}
            _ => game.evaluate(&after, &mut values[..players]),
        }
        let value = rewards[player] + game.info().discount * values[player];
        if value > best_value {
            (best, best_value, ties) = (action, value, 1);
        } else if value == best_value {
            ties += 1;
            if rng.below(ties) == 0 {
                best = action;
            }
        }
    }
    *scratch = candidates;
    best
}
