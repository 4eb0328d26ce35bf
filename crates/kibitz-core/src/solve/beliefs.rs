//! One player who does not see everything: dynamic programming over the reachable beliefs.
//!
//! A belief is a distribution over states. From a belief, an action and what is observed until the
//! next decision lead to other beliefs; those reachable from the start make a graph, whose values
//! are iterated to a fixed point. Beliefs that agree to nine digits are one.

use super::{Limits, Solution};
use crate::game::{Action, Turn};
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::rng::{derive, mix};
use crate::view::after_observation;

/// States with their probabilities.
type Belief = Vec<(State, f64)>;

/// What an action leads to: the expected reward, and each next belief with its probability,
/// discounted.
struct Arm {
    action: Action,
    reward: f64,
    next: Vec<(usize, f64)>,
}

/// How far from the fixed point the iteration may stop.
const PRECISION: f64 = 1e-9;
/// Sweeps before a game without discount counts as endless.
const SWEEPS: usize = 100_000;
/// Steps of chance in a row before a game counts as endless.
const CHANCE_RUN: usize = 100_000;

struct Graph<'a, 'b> {
    model: &'a dyn Model,
    limits: &'a mut Limits<'b>,
    states: u64,
    beliefs: Vec<Belief>,
    index: KeyMap<usize>,
}

/// A state on its way to the next decision.
struct Moving {
    state: State,
    p: f64,
    seen: u64,
}

impl Graph<'_, '_> {
    /// Lets chance run until the player decides or the game is over. Gives the expected reward and
    /// the beliefs, each by what was observed on the way.
    fn settle(&mut self, start: Vec<Moving>) -> Result<(f64, Vec<(Belief, f64)>), String> {
        let model = self.model;
        let mut reward = 0.0;
        let mut groups: Vec<(u64, Belief)> = Vec::new();
        let mut moving = start;
        let mut run = 0;
        while let Some(Moving { state, p, seen }) = moving.pop() {
            self.limits.count(&mut self.states)?;
            run += 1;
            if run > CHANCE_RUN * 100 {
                return Err("chance moves without end".to_owned());
            }
            match model.turn(&state) {
                Turn::Over => {}
                Turn::Chance => {
                    let mut outcomes = Vec::new();
                    model.chance(&state, &mut outcomes);
                    for (outcome, q) in outcomes.into_iter().filter(|(_, q)| *q > 0.0) {
                        let mut after = state.clone();
                        let mut rewards = [0.0];
                        model.step(&mut after, &[outcome], &mut rewards);
                        reward += p * q * rewards[0];
                        let told = model.observe(&after, Turn::Chance, &[outcome], 0);
                        moving.push(Moving { state: after, p: p * q, seen: after_observation(seen, told) });
                    }
                }
                Turn::One(_) | Turn::Several(_) => match groups.iter_mut().find(|(key, _)| *key == seen) {
                    Some((_, belief)) => belief.push((state, p)),
                    None => groups.push((seen, vec![(state, p)])),
                },
            }
        }
        let normal = |(_, mut belief): (u64, Belief)| {
            let total: f64 = belief.iter().map(|(_, p)| p).sum();
            belief.iter_mut().for_each(|(_, p)| *p /= total);
            (belief, total)
        };
        Ok((reward, groups.into_iter().map(normal).collect()))
    }

    /// The number of a belief, new or known; equal states in it are one.
    fn number(&mut self, belief: Belief) -> usize {
        if !self.model.info().has.hash {
            self.beliefs.push(belief);
            return self.beliefs.len() - 1;
        }
        let mut hashed: Vec<(u64, State, f64)> =
            belief.into_iter().map(|(state, p)| (self.model.hash(&state), state, p)).collect();
        hashed.sort_by_key(|(hash, ..)| *hash);
        hashed.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.2 += if same { later.2 } else { 0.0 };
            same
        });
        let digits = |p: f64| (p * 1e9).round() as u64;
        hashed.retain(|(_, _, p)| digits(*p) > 0);
        let key = hashed.iter().fold(0, |key, (hash, _, p)| derive(key, hash ^ mix(digits(*p))));
        if let Some(&known) = self.index.get(&key) {
            return known;
        }
        self.index.insert(key, self.beliefs.len());
        self.beliefs.push(hashed.into_iter().map(|(_, state, p)| (state, p)).collect());
        self.beliefs.len() - 1
    }

    /// What each action leads to from belief number `at`.
    fn arms(&mut self, at: usize) -> Result<Vec<Arm>, String> {
        let model = self.model;
        let belief = self.beliefs[at].clone();
        let mut actions = Vec::new();
        if let Some((state, _)) = belief.first() {
            model.legal(state, 0, &mut actions);
        }
        actions.sort_unstable();
        let gamma = model.info().discount;
        let mut arms = Vec::new();
        for action in actions {
            let mut reward = 0.0;
            let mut moving = Vec::new();
            for (state, p) in &belief {
                let (mut after, mut rewards) = (state.clone(), [0.0]);
                let turn = model.turn(state);
                model.step(&mut after, &[action], &mut rewards);
                reward += p * rewards[0];
                let told = model.observe(&after, turn, &[action], 0);
                moving.push(Moving { state: after, p: *p, seen: after_observation(0, told) });
            }
            let (later, groups) = self.settle(moving)?;
            let next = groups.into_iter().map(|(belief, p)| (self.number(belief), gamma * p)).collect();
            arms.push(Arm { action, reward: reward + gamma * later, next });
        }
        Ok(arms)
    }
}

pub(super) fn solve(model: &dyn Model, limits: &mut Limits) -> Result<Solution, String> {
    let mut graph = Graph { model, limits, states: 0, beliefs: Vec::new(), index: KeyMap::default() };
    let start = Moving { state: model.initial(), p: 1.0, seen: 0 };
    let (before, roots) = graph.settle(vec![start])?;
    let roots: Vec<(usize, f64)> = roots.into_iter().map(|(belief, p)| (graph.number(belief), p)).collect();
    let mut arms: Vec<Vec<Arm>> = Vec::new();
    while arms.len() < graph.beliefs.len() {
        arms.push(graph.arms(arms.len())?);
    }
    let values = iterate(&arms, model.info().discount)?;
    let worth =
        |arm: &Arm| arm.reward + arm.next.iter().map(|(at, weight)| weight * values[*at]).sum::<f64>();
    let mut solution = Solution {
        value: vec![before + roots.iter().map(|(at, p)| p * values[*at]).sum::<f64>()],
        method: "dynamic programming over beliefs",
        states: graph.beliefs.len() as u64,
        ..Solution::default()
    };
    if let [(root, _)] = roots.as_slice()
        && let Some((state, _)) = graph.beliefs[*root].first()
    {
        let name = |arm: &Arm| model.action_name(state, Some(0), arm.action);
        solution.table = arms[*root].iter().map(|arm| (name(arm), worth(arm))).collect();
        solution.table.sort_by(|a, b| b.1.total_cmp(&a.1));
        solution.action = solution.table.first().map(|(name, _)| name.clone());
    }
    Ok(solution)
}

/// Value iteration, latest beliefs first, to a fixed point.
fn iterate(arms: &[Vec<Arm>], gamma: f64) -> Result<Vec<f64>, String> {
    let mut values = vec![0.0; arms.len()];
    // The distance to the fixed point is at most this many times the last change.
    let factor = if gamma < 1.0 { gamma / (1.0 - gamma) } else { 1.0 };
    for _ in 0..SWEEPS {
        let mut change: f64 = 0.0;
        for (at, arms) in arms.iter().enumerate().rev() {
            let worth =
                |arm: &Arm| arm.reward + arm.next.iter().map(|(to, w)| w * values[*to]).sum::<f64>();
            let best = arms.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
            if arms.is_empty() {
                continue;
            }
            change = change.max((best - values[at]).abs());
            values[at] = best;
        }
        if change * factor <= PRECISION {
            return Ok(values);
        }
    }
    Err("the values do not settle: the game has neither an end nor a discount".to_owned())
}
