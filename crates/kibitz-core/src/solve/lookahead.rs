//! Looking ahead from a known state: expectimax for any number of players (each maximises its own
//! return), alpha-beta for what one of two can make sure of, whatever the other does. Where their
//! interests are opposite, both come to the same.
//!
//! Zero-sum is a promise about returns: single steps need not balance. Alpha-beta therefore follows the rewards of
//! one player only, and the other's value is what is left of their sum.

use super::{Limits, Solution};
use crate::expectimax::{Expectimax, Failure, Order, TO_THE_END, Worth, judged, key, shorter, too_long};
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::playout::{MAX_PLAYERS, Rollout};
use crate::rng::{Purpose, Rng};
use crate::successors::{outcomes, successor};

/// The returns of all players.
pub type Values = [f64; MAX_PLAYERS];

/// How a value of the table bounds the true one.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// A search ahead, with its memory.
pub struct Lookahead<'a, 'b> {
    model: &'a dyn Model,
    limits: &'a mut Limits<'b>,
    /// States looked at.
    pub states: u64,
    players: usize,
    /// Alpha-beta for this player, against all others.
    sure: Option<usize>,
    /// No more than this can be had from the states that are judged on (branch and bound): an action
    /// that is found to bring it ends the search for a better one.
    pub most: f64,
    /// Moves from the beginning.
    ply: u32,
    exact: KeyMap<Worth<MAX_PLAYERS>>,
    bounds: KeyMap<(f64, Bound)>,
    /// Which of a position's moves was best when it was last seen: tried first.
    refutations: KeyMap<Action>,
}

/// Games longer than this would exhaust the stack.
const LONGEST: u32 = 1000;

impl<'a, 'b> Lookahead<'a, 'b> {
    /// Looks ahead in a game of perfect information: everybody for itself, or for what one of two can
    /// make sure of.
    pub fn new(model: &'a dyn Model, sure: Option<usize>, limits: &'a mut Limits<'b>) -> Lookahead<'a, 'b> {
        Lookahead {
            model,
            limits,
            states: 0,
            players: model.info().players,
            sure,
            most: f64::INFINITY,
            ply: 0,
            exact: KeyMap::default(),
            bounds: KeyMap::default(),
            refutations: KeyMap::default(),
        }
    }

    /// The value of each legal action of the player to move, looking `depth` moves ahead. With alpha-beta, it is the
    /// player's own; the other's of two is right where what is left of a zero-sum game adds up to zero as well.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn judge(&mut self, state: &State, depth: u32) -> Result<Vec<(Action, Values)>, Failure> {
        let Turn::One(player) = self.model.turn(state) else { return Err(Failure::Simultaneous) };
        let mut actions = Vec::new();
        self.model.legal(state, player, &mut actions);
        actions.sort_unstable();
        let mut judged = Vec::with_capacity(actions.len());
        let gamma = self.model.info().discount_after(Turn::One(player));
        for action in actions {
            let Some(own) = self.sure else {
                judged.push((action, self.averaged(|look| look.of_action(state, action, depth))?.returns));
                continue;
            };
            let step = successor::<MAX_PLAYERS>(self.model, state, action);
            let most = if gamma > 0.0 { (self.most - step.rewards[player]) / gamma } else { f64::INFINITY };
            let below = self.alpha_beta(&step.state, shorter(depth), f64::NEG_INFINITY, most, own)?;
            judged.push((action, self.both(own, step.rewards[own] + gamma * below)));
        }
        Ok(judged)
    }

    /// The value of a state, looking `depth` moves ahead.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn value(&mut self, state: &State, depth: u32) -> Result<Values, Failure> {
        let Some(own) = self.sure else {
            self.limits.count(&mut self.states)?;
            return Ok(self.averaged(|look| look.value(state, depth, 0))?.returns);
        };
        let value = self.alpha_beta(state, depth, f64::NEG_INFINITY, f64::INFINITY, own)?;
        Ok(self.both(own, value))
    }

    /// The values of both of two players, by that of one.
    fn both(&self, own: usize, value: f64) -> Values {
        let mut values = [0.0; MAX_PLAYERS];
        values[own] = value;
        if self.players == 2 {
            values[1 - own] = -value;
        }
        values
    }

    /// Looks ahead for what is best for each.
    fn averaged<T>(&mut self, look: impl FnOnce(&mut Expectimax<MAX_PLAYERS>) -> T) -> T {
        let Lookahead { model, limits, states, exact, .. } = self;
        let mut count = || Ok(limits.count(states)?);
        look(&mut Expectimax {
            model: *model,
            known: exact,
            order: Order::Numbers,
            most: f64::INFINITY,
            longest: LONGEST,
            count: &mut count,
        })
    }

    /// Counts a state, and how deep it lies.
    fn enter(&mut self) -> Result<(), Failure> {
        self.ply += 1;
        if self.ply > LONGEST {
            return Err(too_long(LONGEST));
        }
        Ok(self.limits.count(&mut self.states)?)
    }

    /// What a player can make sure of if that lies between alpha and beta, else a bound on it.
    fn alpha_beta(
        &mut self,
        state: &State,
        depth: u32,
        alpha: f64,
        beta: f64,
        own: usize,
    ) -> Result<f64, Failure> {
        self.enter()?;
        let value = self.between(state, depth, alpha, beta, own);
        self.ply -= 1;
        value
    }

    fn between(
        &mut self,
        state: &State,
        depth: u32,
        mut alpha: f64,
        mut beta: f64,
        own: usize,
    ) -> Result<f64, Failure> {
        let turn = self.model.turn(state);
        if turn == Turn::Over {
            return Ok(0.0);
        }
        if depth == 0 {
            return Ok(judged::<MAX_PLAYERS>(self.model, state)[own]);
        }
        // Branch and bound: of costs, none is the best that can come.
        if self.model.info().never_pays && self.players == 1 {
            beta = beta.min(0.0);
            if alpha >= beta {
                return Ok(beta);
            }
        }
        let key = key(self.model, state, depth);
        if let Some(&(value, bound)) = key.and_then(|key| self.bounds.get(&key)) {
            match bound {
                Bound::Exact => return Ok(value),
                Bound::AtLeast => alpha = alpha.max(value),
                Bound::AtMost => beta = beta.min(value),
            }
            if alpha >= beta {
                return Ok(value);
            }
        }
        let gamma = self.model.info().discount_after(turn);
        let (value, bound) = match turn {
            Turn::Over | Turn::Several(_) => return Err(Failure::Simultaneous),
            Turn::Chance => {
                let mut mean = 0.0;
                for outcome in outcomes::<MAX_PLAYERS>(self.model, state) {
                    let state = &outcome.state;
                    let below = self.alpha_beta(state, depth, f64::NEG_INFINITY, f64::INFINITY, own)?;
                    mean += outcome.probability * (outcome.rewards[own] + gamma * below);
                }
                (mean, Bound::Exact)
            }
            Turn::One(player) => {
                let sign = if player == own { 1.0 } else { -1.0 };
                let (a0, b0) = (alpha, beta);
                let (mut best, mut best_action) = (f64::NEG_INFINITY, Action(0));
                for action in self.ordered(state, player, key) {
                    let step = successor::<MAX_PLAYERS>(self.model, state, action);
                    let paid = step.rewards[own];
                    // The window of the child: value = reward + gamma * child.
                    let window = |bound: f64| if gamma > 0.0 { (bound - paid) / gamma } else { bound };
                    let below =
                        self.alpha_beta(&step.state, shorter(depth), window(alpha), window(beta), own)?;
                    let value = sign * (paid + gamma * below);
                    if value > best {
                        (best, best_action) = (value, action);
                    }
                    if player == own {
                        alpha = alpha.max(best)
                    } else {
                        beta = beta.min(-best)
                    }
                    if alpha >= beta {
                        break;
                    }
                }
                if let Some(key) = key {
                    self.refutations.insert(key, best_action);
                }
                let value = sign * best;
                let bound = if value >= b0 {
                    Bound::AtLeast
                } else if value <= a0 {
                    Bound::AtMost
                } else {
                    Bound::Exact
                };
                (value, bound)
            }
        };
        if let Some(key) = key {
            self.bounds.insert(key, (value, bound));
        }
        Ok(value)
    }

    /// The legal actions, the one that was best last time first.
    fn ordered(&self, state: &State, player: usize, key: Option<u64>) -> Vec<Action> {
        let mut actions = Vec::new();
        self.model.legal(state, player, &mut actions);
        if let Some(best) = key.and_then(|key| self.refutations.get(&key))
            && let Some(at) = actions.iter().position(|action| action == best)
        {
            actions.swap(0, at);
        }
        actions
    }
}

/// What the two of a zero-sum game get from a state on, together: the same however they go on, and nothing unless a
/// deal that lies behind has paid them.
fn left_for_both(model: &dyn Model, state: &State) -> f64 {
    let how = Rollout::random(LONGEST, model.info().discount);
    let mut returns = [0.0; 2];
    let mut rng = Rng::stream(0, Purpose::Look);
    model.playouts(state, &how, 1, &mut rng, &mut Interrupt::never(), &mut returns);
    let sum = returns[0] + returns[1];
    if sum.abs() < 1e-9 { 0.0 } else { sum }
}

/// Solves a game of perfect information in which players take turns; `None` if they do not.
pub(super) fn solve(model: &dyn Model, limits: &mut Limits) -> Result<Option<Solution>, String> {
    let info = model.info();
    let two = info.players == 2 && info.zero_sum;
    let mut search = Lookahead::new(model, two.then_some(0), limits);
    let root = model.initial();
    let mut solution = Solution {
        method: if two { "minimax with alpha-beta and transpositions" } else { "expectimax" },
        ..Solution::default()
    };
    let result = match model.turn(&root) {
        Turn::One(player) => search.judge(&root, TO_THE_END).map(|mut judged| {
            judged.sort_by(|a, b| b.1[player].total_cmp(&a.1[player]));
            let name = |action| model.action_name(&root, Some(player), action);
            solution.table = judged.iter().map(|(action, v)| (name(*action), v[player])).collect();
            solution.action = judged.first().map(|(action, _)| name(*action));
            judged.first().map_or([0.0; MAX_PLAYERS], |(_, values)| *values)
        }),
        _ => search.value(&root, TO_THE_END),
    };
    match result {
        Ok(values) => {
            solution.value = values[..info.players].to_vec();
            if two {
                let left = left_for_both(model, &root);
                solution.value[1] += left;
                if model.turn(&root) == Turn::One(1) {
                    solution.table.iter_mut().for_each(|(_, value)| *value += left);
                }
            }
            solution.states = search.states;
            Ok(Some(solution))
        }
        Err(Failure::Simultaneous) => Ok(None),
        Err(Failure::Stopped(why)) => Err(why),
    }
}
