//! Search on the graph of beliefs (tree=belief): one player, nothing hidden but the state.
//!
//! A simulation goes down from the present belief: UCB1 chooses the action, what is seen is drawn with its
//! known probability, and a belief that is new is judged by one playout. On the way back a belief is worth
//! what its best action is worth, and an action the mean over the beliefs it leads to, by their exact
//! probabilities (Bellman's equation). Beliefs that different histories share are one node. What is known for
//! sure is closed and not visited again: a belief with nothing left open below it, or with an action that is
//! sure to bring the most there is. When the present one is closed, the search is over, and exact.

use std::time::Instant;

use super::params::{Choice, SearchParams};
use crate::belief::World;
use crate::belief::graph::{Arm, BeliefGraph, Distribution};
use crate::game::{Action, Turn};
use crate::model::{Model, State};
use crate::planner::{Decision, Judgement};
use crate::rng::Rng;
use crate::view::View;

/// The most states of a belief that is searched in this way.
pub(super) const LARGEST: usize = 20_000;
/// Simulations between two looks at the clock.
const STRIDE: u64 = 16;
/// Two values that differ by less are the same.
const CLOSE: f64 = 1e-9;

/// What a search has found out, kept from move to move.
#[derive(Default)]
pub(super) struct BeliefSearch {
    graph: BeliefGraph,
    nodes: Vec<Node>,
}

#[derive(Clone, Default)]
struct Node {
    visits: u32,
    value: f64,
    closed: bool,
    /// In the order in which they are tried; none before the second visit.
    edges: Vec<Edge>,
    tried: usize,
}

#[derive(Clone)]
struct Edge {
    action: Action,
    arm: Arm,
    visits: u32,
    value: f64,
    closed: bool,
    /// It leads to just what an earlier edge of the node leads to.
    twin: bool,
}

/// When a search ends.
pub(super) struct Until {
    pub simulations: u64,
    pub transitions: u64,
    pub deadline: Option<Instant>,
}

/// One search.
struct Run<'a> {
    model: &'a dyn Model,
    params: &'a SearchParams,
    horizon: u32,
    c: f64,
    /// No return is higher, where that is known of what is left of a game.
    most: f64,
    rng: Rng,
}

impl BeliefSearch {
    /// Searches from the given worlds until it is time to stop.
    pub fn decide(
        &mut self,
        model: &dyn Model,
        params: &SearchParams,
        view: &View,
        worlds: Vec<(World, f64)>,
        horizon: u32,
        until: &Until,
        rng: Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Decision {
        if !params.reuse || self.nodes.len() as u64 > params.nodes / 2 {
            *self = BeliefSearch::default();
        }
        let info = model.info();
        let most = if info.paid_at_end { info.max_return } else { f64::INFINITY };
        let mut run = Run { model, params, horizon, c: params.exploration * info.spread, most, rng };
        let root = self.graph.find(model, worlds);
        self.nodes.resize_with(self.graph.len(), Node::default);
        let begun = self.graph.transitions;
        let mut simulations = 0;
        while simulations < until.simulations && !self.nodes[root].closed {
            self.simulate(&mut run, root);
            simulations += 1;
            let spent = self.graph.transitions - begun >= until.transitions;
            if spent || self.nodes.len() as u64 > params.nodes {
                break;
            }
            if simulations % STRIDE == 1
                && (pause() || until.deadline.is_some_and(|deadline| Instant::now() >= deadline))
            {
                break;
            }
        }
        self.verdict(params, view, root, simulations, self.graph.transitions - begun, &mut run.rng)
    }

    /// One simulation from a belief.
    fn simulate(&mut self, run: &mut Run, root: usize) {
        let mut path = Vec::new();
        let mut at = root;
        while !self.nodes[at].closed && (path.len() as u32) < run.horizon {
            if self.nodes[at].visits == 0 {
                let (value, steps) = run.play_out(&self.graph.node(at).belief);
                self.graph.transitions += steps;
                self.nodes[at].value = value;
                break;
            }
            let edge = self.select(run, at);
            path.push((at, edge));
            match self.follow(run, at, edge) {
                Some(next) => at = next,
                None => break,
            }
        }
        self.nodes[at].visits += u32::from(path.last().is_none_or(|(last, _)| *last != at));
        for (node, edge) in path.into_iter().rev() {
            self.nodes[node].visits += 1;
            self.nodes[node].edges[edge].visits += 1;
            self.back_up(run, node, edge);
        }
    }

    /// The action to go on with: the next one that has not been tried, as long as few have been for so many
    /// visits; else the one with the highest upper bound among those that are open.
    fn select(&mut self, run: &mut Run, at: usize) -> usize {
        if self.nodes[at].edges.is_empty() {
            let edge = |action| Edge {
                action,
                arm: Arm { reward: 0.0, next: Vec::new() },
                visits: 0,
                value: f64::NEG_INFINITY,
                closed: false,
                twin: false,
            };
            let mut edges: Vec<Edge> =
                self.graph.node(at).legal.iter().map(|action| edge(*action)).collect();
            run.rng.shuffle(&mut edges);
            self.nodes[at].edges = edges;
        }
        let node = &self.nodes[at];
        let open = |edge: &Edge| !edge.closed;
        let any_open = node.edges[..node.tried].iter().any(open);
        let wide = 2.0 * f64::from(node.visits).powf(0.75);
        if node.tried < node.edges.len() && (!any_open || (node.tried as f64) < wide) {
            return node.tried;
        }
        let log = f64::from(node.visits.max(1)).ln();
        let bound = |edge: &Edge| edge.value + run.c * (log / f64::from(edge.visits.max(1))).sqrt();
        let tried = node.edges[..node.tried].iter().enumerate().filter(|(_, edge)| open(edge));
        tried.max_by(|(_, a), (_, b)| bound(a).total_cmp(&bound(b))).map_or(0, |(number, _)| number)
    }

    /// Goes along an edge to one of the beliefs that it may lead to and that are open.
    fn follow(&mut self, run: &mut Run, at: usize, edge: usize) -> Option<usize> {
        let model = run.model;
        let mut beliefs = Vec::new();
        if edge == self.nodes[at].tried {
            beliefs = self.try_edge(run, at, edge);
        }
        let Edge { arm, twin, .. } = &self.nodes[at].edges[edge];
        if *twin {
            return None;
        }
        let weight = |&(next, p): &(usize, f64)| if self.nodes[next].closed { 0.0 } else { p };
        if arm.next.iter().map(weight).sum::<f64>() <= 0.0 {
            return None;
        }
        let chosen = run.rng.weighted(arm.next.iter().map(weight));
        let next = arm.next[chosen].0;
        if self.graph.node(next).belief.is_empty() {
            // The others are not kept: most of them are never come to.
            if beliefs.is_empty() {
                let action = self.nodes[at].edges[edge].action;
                beliefs = self.graph.arm(model, at, action, &mut || Ok(())).ok()?.1;
            }
            self.graph.keep(next, beliefs.swap_remove(chosen));
        }
        Some(next)
    }

    /// Finds out what the next untried edge leads to.
    fn try_edge(&mut self, run: &Run, at: usize, edge: usize) -> Vec<Distribution> {
        let action = self.nodes[at].edges[edge].action;
        let found = self.graph.arm(run.model, at, action, &mut || Ok(()));
        self.nodes.resize_with(self.graph.len(), Node::default);
        let node = &mut self.nodes[at];
        node.tried += 1;
        let Ok((arm, beliefs)) = found else {
            (node.edges[edge].twin, node.edges[edge].closed) = (true, true);
            return Vec::new();
        };
        let twin = node.edges[..edge].iter().any(|other| !other.twin && same(&other.arm, &arm));
        node.edges[edge].arm = arm;
        (node.edges[edge].twin, node.edges[edge].closed) = (twin, twin);
        beliefs
    }

    /// Bellman's equation for an edge and its node.
    fn back_up(&mut self, run: &Run, at: usize, edge: usize) {
        let Edge { arm, twin, .. } = &self.nodes[at].edges[edge];
        if !twin {
            let known = |next: usize| self.nodes[next].visits > 0 || self.nodes[next].closed;
            let (mut sum, mut weight, mut unknown, mut closed) = (0.0, 0.0, 0.0, true);
            for &(next, p) in &arm.next {
                closed &= self.nodes[next].closed;
                if known(next) {
                    sum += p * self.nodes[next].value;
                    weight += p;
                } else {
                    unknown += p; // taken to be worth as much as the others
                }
            }
            let mean = if weight > 0.0 { sum / weight } else { 0.0 };
            let value = arm.reward + sum + unknown * mean;
            let edge = &mut self.nodes[at].edges[edge];
            (edge.value, edge.closed) = (value, closed);
        }
        let node = &mut self.nodes[at];
        let tried = &node.edges[..node.tried];
        node.value = tried.iter().map(|edge| edge.value).fold(f64::NEG_INFINITY, f64::max);
        let sure = tried.iter().any(|edge| edge.closed && !edge.twin && edge.value >= run.most - CLOSE);
        node.closed = sure || node.tried == node.edges.len() && tried.iter().all(|edge| edge.closed);
    }

    fn verdict(
        &self,
        params: &SearchParams,
        view: &View,
        root: usize,
        simulations: u64,
        transitions: u64,
        rng: &mut Rng,
    ) -> Decision {
        let node = &self.nodes[root];
        let mut table: Vec<Judgement> = node
            .edges
            .iter()
            .map(|edge| {
                let original = node.edges.iter().find(|other| !other.twin && same(&other.arm, &edge.arm));
                let shown = if edge.twin { original.unwrap_or(edge) } else { edge };
                let value = (shown.value > f64::NEG_INFINITY).then_some(shown.value);
                Judgement { action: edge.action, value, error: None, visits: edge.visits.into() }
            })
            .collect();
        let value = |judgement: &Judgement| judgement.value.unwrap_or(f64::NEG_INFINITY);
        // Where the search is over, visits say nothing: what was sure was not visited any more.
        match params.choice {
            Choice::Visits if !node.closed => {
                table.sort_by(|a, b| b.visits.cmp(&a.visits).then(value(b).total_cmp(&value(a))));
            }
            _ => table.sort_by(|a, b| value(b).total_cmp(&value(a)).then(b.visits.cmp(&a.visits))),
        }
        let first = table.first().filter(|best| best.value.is_some()).map(|best| best.action);
        let mut decision = match first {
            Some(action) => Decision { action, table, ..Decision::default() },
            None => Decision::at_random(view, rng),
        };
        decision.simulations = simulations;
        decision.transitions = Some(transitions);
        decision.nodes = self.nodes.len() as u64;
        decision.edges = self.nodes.iter().map(|node| node.tried as u64).sum();
        if node.closed {
            decision.notes.push("the values are exact: nothing is left open".to_owned());
        }
        decision
    }
}

/// Whether two actions come to the same.
fn same(one: &Arm, other: &Arm) -> bool {
    (one.reward - other.reward).abs() < CLOSE
        && one.next.len() == other.next.len()
        && one
            .next
            .iter()
            .all(|(next, p)| other.next.iter().any(|(also, q)| next == also && (p - q).abs() < CLOSE))
}

/// Worlds that a playout keeps in mind.
const GUESSES: usize = 8;
/// The most actions that a playout compares.
const COMPARED: usize = 64;

impl Run<'_> {
    /// A playout by somebody who sees what the player sees, and has a few guesses of what may be: it takes
    /// the action that pays most at once in one of them, or any if none pays more than the others; a guess
    /// that what is seen contradicts is dropped. Gives the return and the number of steps of the model.
    fn play_out(&mut self, belief: &Distribution) -> (f64, u64) {
        let Run { model, rng, .. } = self;
        let mut draw = || belief[rng.weighted(belief.iter().map(|(_, p)| *p))].0.clone();
        let mut truth = draw();
        let mut guesses: Vec<State> = (0..GUESSES.min(belief.len())).map(|_| draw()).collect();
        let depth = self.params.depth.unwrap_or(self.horizon);
        let (mut total, mut factor, mut steps, mut moves) = (0.0, 1.0, 0, 0);
        let mut legal = Vec::new();
        loop {
            let turn = model.turn(&truth);
            let joint = match turn {
                Turn::Over => break,
                _ if moves == depth => break,
                Turn::Chance => model.draw(&truth, &mut self.rng),
                Turn::One(_) | Turn::Several(_) => {
                    moves += 1;
                    legal.clear();
                    model.legal(&truth, 0, &mut legal);
                    self.rng.shuffle(&mut legal);
                    legal.truncate(COMPARED);
                    let guess = guesses.get(self.rng.below(guesses.len() as u32) as usize);
                    steps += guess.map_or(0, |_| legal.len() as u64);
                    guess.map_or(legal[0], |guess| most_at_once(*model, guess, &legal))
                }
            };
            let mut rewards = [0.0];
            truth = model.after(&truth, &[joint], &mut rewards);
            total += factor * rewards[0];
            if turn != Turn::Chance {
                factor *= model.info().discount;
            }
            let seen = model.observe(&truth, turn, &[joint], 0);
            steps += 1 + guesses.len() as u64;
            guesses.retain_mut(|guess| {
                let now = model.turn(guess);
                let step = match now {
                    Turn::Chance if turn == Turn::Chance => model.draw(guess, &mut self.rng),
                    _ => joint,
                };
                *guess = model.after(guess, &[step], &mut [0.0]);
                now == turn
                    && model.observe(guess, turn, &[step], 0) == seen
                    && is_alike(*model, guess, &truth)
            });
        }
        (total, steps)
    }
}

/// The action that pays most at once, the first of those that do.
fn most_at_once(model: &dyn Model, state: &State, actions: &[Action]) -> Action {
    let pays = |action: &Action| {
        let mut rewards = [0.0];
        model.after(state, &[*action], &mut rewards);
        rewards[0]
    };
    let (mut best, mut most) = (actions[0], f64::NEG_INFINITY);
    for action in actions {
        let reward = pays(action);
        if reward > most {
            (best, most) = (*action, reward);
        }
    }
    best
}

/// Whether the same player decides in both, or none.
fn is_alike(model: &dyn Model, one: &State, other: &State) -> bool {
    model.turn(one) == model.turn(other)
}
