//! The loop of a playout, compiled for each game's own states.

use super::{Context, Pick};
use crate::abilities::Preferred;
use crate::discount::Running;
use crate::game::{Action, Game, Turn};
use crate::position::At;
use crate::rng::Rng;

/// How the moves of a rollout are chosen where nobody is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Uniformly among the legal actions.
    #[default]
    Random,
    /// Uniformly among the game's preferred actions.
    Preferred,
}

/// Where a rollout ends, beside the end of the game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rollout {
    /// How moves are chosen.
    pub policy: Policy,
    /// Moves after which it stops, as it does where only chance goes on; the evaluator, where there is one, judges
    /// the rest.
    pub depth: u32,
    /// Whether it stops where the turn of whoever moves first is over: somebody else is to move, or several.
    pub one_turn: bool,
    /// Whether what chance does after the last of these moves is part of it.
    pub settles: bool,
    /// A reward t moves ahead counts this to the power of t.
    pub discount: f64,
}

impl Rollout {
    /// To the end of the game, moves at random.
    pub fn random(depth: u32, discount: f64) -> Rollout {
        Rollout { policy: Policy::Random, depth, one_turn: false, settles: false, discount }
    }
}

/// The most players that a game may have: the size of the buffers on the stack.
pub const MAX_PLAYERS: usize = 32;
/// Steps between two looks at whether to go on.
const POLL_INTERVAL: u32 = 64;

/// Plays on from `state` and adds each player's discounted return to `returns`. `pick`, where there is one, chooses the
/// players' moves in place of the rollout's policy.
pub fn run<G: Game>(
    game: &G,
    state: &mut G::State,
    how: &Rollout,
    pick: Option<&mut dyn Pick>,
    context: &mut Context,
    returns: &mut [f64],
) -> u32 {
    // The usual playout, by a policy to the end or to a depth, is compiled by itself: nobody is asked anything in it.
    if pick.is_none() && context.trace.is_none() && !how.one_turn {
        play::<G, true>(game, state, how, None, context, returns)
    } else {
        play::<G, false>(game, state, how, pick, context, returns)
    }
}

#[inline(always)]
fn play<G: Game, const PLAIN: bool>(
    game: &G,
    state: &mut G::State,
    how: &Rollout,
    mut pick: Option<&mut dyn Pick>,
    context: &mut Context,
    returns: &mut [f64],
) -> u32 {
    let players = returns.len();
    let mut buffer = [0.0; MAX_PLAYERS];
    let rewards = &mut buffer[..players];
    let mut joint = [Action(0); MAX_PLAYERS];
    let mut scratch = Vec::new();
    // Rewards are summed where nothing is discounted; else each step's are weighed by themselves.
    let discounted = how.discount != 1.0;
    let mut running = Running::new(how.discount);
    let (mut steps, mut moves, mut draws) = (0, 0, 0);
    let longest = game.info().longest_chance();
    let preferred = if how.policy == Policy::Preferred { game.abilities().preferred } else { None };
    let mut first_turn = None;
    loop {
        let turn = game.turn(state);
        if turn == Turn::Over {
            break;
        }
        let turn_is_over =
            !PLAIN && how.one_turn && turn != Turn::Chance && *first_turn.get_or_insert(turn) != turn;
        let called = !PLAIN && steps > 0 && context.interrupt.stopped();
        let stopped = called || steps % POLL_INTERVAL == POLL_INTERVAL - 1 && context.interrupt.poll();
        let enough = match turn {
            Turn::Chance => moves == how.depth && !how.settles || draws > longest,
            _ => moves == how.depth,
        };
        if enough || turn_is_over || stopped {
            let mut values = [0.0; MAX_PLAYERS];
            steps += context.evaluate(&At(game, state), &mut values[..players]) as u32;
            running.pay(rewards, &values);
            break;
        }
        let mut choose = |player: usize, context: &mut Context| match &mut pick {
            Some(pick) if !PLAIN => pick.pick(&At(game, state), player, context),
            _ => choose(game, preferred, state, player, &mut scratch, context.rng),
        };
        let width = match turn {
            Turn::Over => 0,
            Turn::Chance => {
                joint[0] = game.draw(state, context.rng);
                1
            }
            Turn::One(player) => {
                joint[0] = choose(player, context);
                1
            }
            Turn::Several(movers) => {
                for (slot, player) in joint.iter_mut().zip(movers.iter()) {
                    *slot = choose(player, context);
                }
                movers.len()
            }
        };
        if !PLAIN && let Some(trace) = &mut context.trace {
            trace.note(&At(game, &*state), turn, &joint[..width]);
        }
        game.step(state, &joint[..width], rewards);
        if discounted {
            running.collect(returns, rewards);
            running.pass(turn);
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
    preferred: Option<&dyn Preferred<G::State>>,
    state: &G::State,
    player: usize,
    scratch: &mut Vec<Action>,
    rng: &mut Rng,
) -> Action {
    match preferred {
        None => game.random_action(state, player, scratch, rng),
        Some(game) => {
            scratch.clear();
            game.preferred(state, player, scratch);
            let chosen = rng.below(scratch.len() as u32) as usize;
            scratch.get(chosen).copied().unwrap_or_default()
        }
    }
}
