//! Search on the graph of beliefs (tree=belief): one player, nothing hidden but the state.
//!
//! A simulation goes down from the present belief to the end of the game, or to so many new beliefs and then
//! on by a playout (`grow`): UCB1 chooses the action, and what is seen is drawn with its known probability.
//! Actions are tried one by one, those that look good first. On the way back a belief is worth what its best
//! action is worth, and an action the mean over the beliefs it leads to, by their exact
//! probabilities (Bellman's equation). Beliefs that different histories share are one node.
//!
//! The same is done with a lower and an upper bound of every value. A belief is worth no more than if the
//! state were known (`belief/perfect_information_bound.rs`). Where both bounds meet nothing is left to find out, and an action whose
//! upper bound is not above what another one is sure to bring is not tried any more. When the bounds of the
//! present belief meet, the search is over, and exact.

use std::collections::BTreeMap;

use super::params::{Choice, SearchParams};
use super::run::SearchRequest;
use super::verdict::{first_highest, rank};
use crate::belief::World;
use crate::belief::graph::{Arm, BeliefGraph, Distribution};
use crate::belief::perfect_information_bound::PerfectInformationBound;
use crate::discount::Running;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::planner::{Decision, Judgement};
use crate::rng::{Rng, derive};
use crate::successors::{Successor, successor};
use crate::view::View;

/// The most states of a belief that is searched in this way.
pub(super) const LARGEST: usize = 20_000;
/// Two values that differ by less are the same.
const CLOSE: f64 = 1e-9;

/// What a search has found out, kept from move to move.
#[derive(Default)]
pub(super) struct BeliefSearch {
    graph: BeliefGraph,
    nodes: Vec<Node>,
    known: PerfectInformationBound,
}

#[derive(Clone, Default)]
struct Node {
    visits: u32,
    value: f64,
    bounds: Bounds,
    /// In the order in which they are tried; none before one is chosen.
    edges: Vec<Edge>,
    tried: usize,
}

/// Between what and what a value lies.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: f64,
    high: f64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY }
    }
}

impl Bounds {
    /// Nothing is left to find out.
    fn meet(self) -> bool {
        self.high - self.low <= CLOSE
    }
}

#[derive(Clone)]
struct Edge {
    action: Action,
    /// How good it looks before it is tried.
    prospect: f64,
    arm: Arm,
    visits: u32,
    value: f64,
    bounds: Bounds,
    /// It leads to just what an earlier edge of the node leads to (or cannot be followed at all).
    twin: bool,
}

/// One search.
struct Run<'a> {
    model: &'a dyn Model,
    params: &'a SearchParams,
    horizon: u32,
    c: f64,
    /// What is left of a game pays no less and no more, as far as that is known.
    range: Bounds,
    /// Beliefs that a simulation adds.
    room: f64,
    rng: Rng,
    /// Asked at each step: one simulation may take as long as thousands elsewhere.
    interrupt: Interrupt<'a>,
}

impl BeliefSearch {
    /// Searches from the given worlds until it is time to stop.
    pub fn decide(
        &mut self,
        request: SearchRequest,
        worlds: Vec<(World, f64)>,
        rng: Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Decision {
        let SearchRequest { model, params, view, horizon, stop } = request;
        if !params.reuse || self.nodes.len() as u64 > params.nodes / 2 {
            *self = BeliefSearch::default();
        }
        let info = model.info();
        let range = match info.bounds_what_is_left() {
            true => Bounds { low: info.min_return, high: info.max_return },
            false => Bounds::default(),
        };
        let (c, room) = (params.exploration * info.spread, params.grow.unwrap_or(f64::INFINITY));
        let mut late = || stop.is_late(pause);
        let interrupt = Interrupt::new(&mut late);
        let mut run = Run { model, params, horizon, c, range, room, rng, interrupt };
        let (root, exchanges) = self.graph.find(model, worlds);
        self.nodes.resize_with(self.graph.len(), Node::default);
        let begun = self.graph.transitions;
        let (mut simulations, mut idle) = (0, 0);
        while !self.is_over(root) {
            let steps = self.graph.transitions;
            self.simulate(&mut run, root);
            // So that there is an end where all is known.
            idle += u64::from(self.graph.transitions == steps);
            simulations += 1;
            let spent =
                stop.is_spent(model, simulations, self.graph.transitions - begun + idle, self.nodes.len());
            if spent || run.interrupt.poll() {
                break;
            }
        }
        let transitions = self.graph.transitions - begun;
        Decision {
            simulations,
            transitions: Some(transitions),
            ..self.verdict(&mut run, view, root, &exchanges)
        }
    }

    /// Whether the value of a belief is known, and an action that brings it.
    fn is_over(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let sure = |edge: &Edge| !edge.twin && edge.bounds.low >= node.bounds.low - CLOSE;
        node.bounds.meet() && node.edges[..node.tried].iter().any(sure)
    }

    /// One simulation from a belief.
    fn simulate(&mut self, run: &mut Run, root: usize) {
        let mut path = Vec::new();
        let (mut at, mut room) = (root, run.room);
        while (path.is_empty() || !self.nodes[at].bounds.meet()) && (path.len() as u32) < run.horizon {
            if self.nodes[at].visits == 0 && !self.judge(run, at, &mut room) {
                break;
            }
            let edge = self.select(run, at);
            path.push((at, edge));
            match self.follow(run, at, edge) {
                Some(next) => at = next,
                None => break,
            }
        }
        // There was no time to see where the last one leads.
        path.pop_if(|(at, edge)| *edge >= self.nodes[*at].tried);
        self.nodes[at].visits += u32::from(path.last().is_none_or(|(last, _)| *last != at));
        for (node, edge) in path.into_iter().rev() {
            self.nodes[node].visits += 1;
            self.nodes[node].edges[edge].visits += 1;
            self.back_up(run, node, edge);
        }
    }

    /// The bounds of a new belief. True if the simulation may go on; else it is played out from here.
    fn judge(&mut self, run: &mut Run, at: usize, room: &mut f64) -> bool {
        *room -= 1.0;
        let belief = &self.graph.node(at).belief;
        let go_on = *room > 0.0;
        let (value, steps) = if go_on { (0.0, 0) } else { run.play_out(belief) };
        let late = &mut || run.interrupt.poll();
        let known = self.known.of(run.model, belief, run.range.high, self.graph.transitions, late);
        self.graph.transitions += steps + known.steps;
        let high = known.high;
        let low = if known.sure { high } else { run.range.low.min(high) };
        self.nodes[at].bounds = Bounds { low, high };
        self.nodes[at].value = value.clamp(low, high);
        go_on
    }

    /// The action to go on with: the next one that has not been tried, as long as few have been for so many
    /// visits; else the one with the highest upper bound among those that are open.
    fn select(&mut self, run: &mut Run, at: usize) -> usize {
        if self.nodes[at].edges.is_empty() {
            let classes = self.graph.classes(run.model, at);
            let different: Vec<Action> = classes.iter().map(|class| class[0]).collect();
            let (prospects, steps) = run.prospects(&self.graph.node(at).belief, &different);
            self.graph.transitions += steps;
            let edge = |(action, prospect)| Edge {
                action,
                prospect,
                arm: Arm { reward: 0.0, next: Vec::new() },
                visits: 0,
                value: f64::NEG_INFINITY,
                bounds: run.range,
                twin: false,
            };
            self.nodes[at].edges = prospects.into_iter().map(edge).collect();
        }
        let node = &self.nodes[at];
        // What cannot be better than what is sure already is of no interest.
        let open = |edge: &Edge| !edge.twin && !edge.bounds.meet() && edge.bounds.high > node.bounds.low;
        let any_open = node.edges[..node.tried].iter().any(open);
        let wide = f64::from(node.visits).sqrt();
        if node.tried < node.edges.len() && (!any_open || (node.tried as f64) < wide) {
            return node.tried;
        }
        let log = f64::from(node.visits.max(1)).ln();
        let bound = |edge: &Edge| {
            let n = f64::from(edge.visits.max(1));
            edge.value + run.c * (log / n).sqrt() + edge.prospect / n
        };
        let tried = node.edges[..node.tried].iter().enumerate().filter(|(_, edge)| open(edge));
        tried.max_by(|(_, a), (_, b)| bound(a).total_cmp(&bound(b))).map_or(0, |(number, _)| number)
    }

    /// Goes along an edge to one of the beliefs that it may lead to and that are open.
    fn follow(&mut self, run: &mut Run, at: usize, edge: usize) -> Option<usize> {
        let model = run.model;
        let mut beliefs = Vec::new();
        if edge == self.nodes[at].tried {
            beliefs = self.try_edge(run, at, edge)?;
        }
        let Edge { arm, twin, .. } = &self.nodes[at].edges[edge];
        if *twin {
            return None;
        }
        let weight = |&(next, p): &(usize, f64)| if self.nodes[next].bounds.meet() { 0.0 } else { p };
        if arm.next.iter().map(weight).sum::<f64>() <= 0.0 {
            return None;
        }
        let chosen = run.rng.weighted(arm.next.iter().map(weight));
        let next = arm.next[chosen].0;
        if self.graph.node(next).belief.is_empty() {
            // The others are not kept: most of them are never come to.
            if beliefs.is_empty() {
                let action = self.nodes[at].edges[edge].action;
                beliefs = self.graph.arm(model, at, action, &mut || run.go_on()).ok()?.1;
            }
            self.graph.keep(next, beliefs.swap_remove(chosen));
        }
        Some(next)
    }

    /// Finds out what the next untried edge leads to; `None` if there is no time for it.
    fn try_edge(&mut self, run: &mut Run, at: usize, edge: usize) -> Option<Vec<Distribution>> {
        let action = self.nodes[at].edges[edge].action;
        let found = self.graph.arm(run.model, at, action, &mut || run.go_on());
        if found.is_err() && run.interrupt.stopped() {
            return None;
        }
        self.nodes.resize_with(self.graph.len(), Node::default);
        let node = &mut self.nodes[at];
        node.tried += 1;
        let Ok((arm, beliefs)) = found else {
            node.edges[edge].twin = true;
            return Some(Vec::new());
        };
        let twin = node.edges[..edge].iter().any(|other| !other.twin && same(&other.arm, &arm));
        (node.edges[edge].arm, node.edges[edge].twin) = (arm, twin);
        Some(beliefs)
    }

    /// Bellman's equation for an edge and its node, and for their bounds.
    fn back_up(&mut self, run: &Run, at: usize, edge: usize) {
        let Edge { arm, twin, .. } = &self.nodes[at].edges[edge];
        if !twin {
            let (mut sum, mut weight, mut unknown) = (0.0, 0.0, 0.0);
            let mut bounds = Bounds { low: arm.reward, high: arm.reward };
            for &(next, p) in &arm.next {
                let child = &self.nodes[next];
                let known = child.visits > 0;
                let below = if known { child.bounds } else { run.range };
                bounds.low += p * below.low;
                bounds.high += p * below.high;
                if known {
                    sum += p * child.value;
                    weight += p;
                } else {
                    unknown += p; // taken to be worth as much as the others
                }
            }
            let mean = if weight > 0.0 { sum / weight } else { 0.0 };
            let value = arm.reward + sum + unknown * mean;
            let edge = &mut self.nodes[at].edges[edge];
            (edge.value, edge.bounds) = (value, bounds);
        }
        let node = &mut self.nodes[at];
        let tried = || node.edges[..node.tried].iter().filter(|edge| !edge.twin);
        let most = |of: fn(&Edge) -> f64| tried().map(of).fold(f64::NEG_INFINITY, f64::max);
        node.value = most(|edge| edge.value);
        let (low, high) = (most(|edge| edge.bounds.low), most(|edge| edge.bounds.high));
        let bounds = &mut node.bounds;
        bounds.low = bounds.low.max(low);
        if node.tried == node.edges.len() {
            bounds.high = bounds.high.min(high);
        }
        bounds.high = bounds.high.max(bounds.low); // rounding
        node.value = node.value.clamp(bounds.low, bounds.high);
    }

    /// The decision, in the names that things had before they were exchanged.
    fn verdict(&self, run: &mut Run, view: &View, root: usize, exchanges: &[usize]) -> Decision {
        let (node, model, params) = (&self.nodes[root], run.model, run.params);
        let own = |action: Action| {
            exchanges
                .iter()
                .rev()
                .fold(action, |action, symmetry| model.reflected_action(0, action, *symmetry))
        };
        let mut table = Vec::new();
        let edges: BTreeMap<Action, &Edge> = node.edges.iter().map(|edge| (edge.action, edge)).collect();
        for class in self.graph.classes(model, root) {
            let Some(&edge) = edges.get(&class[0]) else { continue };
            let original = || node.edges.iter().find(|other| !other.twin && same(&other.arm, &edge.arm));
            let shown = if edge.twin { original().unwrap_or(edge) } else { edge };
            let value = (shown.value > f64::NEG_INFINITY).then_some(shown.value);
            table.extend(class.iter().map(|action| {
                let visits = if *action == edge.action { edge.visits } else { 0 };
                Judgement { action: own(*action), value, error: None, visits: visits.into() }
            }));
        }
        // Where the search is over, visits say nothing: what was sure was not visited any more.
        rank(&mut table, params.choice == Choice::Visits && !node.bounds.meet());
        let first = table.first().filter(|best| best.value.is_some()).map(|best| best.action);
        let mut decision = match first {
            Some(action) => Decision { action, table, ..Decision::default() },
            None => {
                let note = "a move at random: there was no time to try a single one".to_owned();
                Decision::at_random(view, &mut run.rng).noting(note)
            }
        };
        decision.nodes = self.nodes.len() as u64;
        decision.edges = self.nodes.iter().map(|node| node.tried as u64).sum();
        if self.is_over(root) {
            decision.notes.push("the best action's value is exact: nothing better is left open".to_owned());
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

/// The most states that are looked at to see which actions look good.
const SAMPLE: usize = 16;
/// The most steps that are made for it: the fewer states, the more actions.
const LOOKS: usize = 1024;

/// Worlds that a playout keeps in mind.
const GUESSES: usize = 8;
/// The most actions that a playout compares.
const COMPARED: usize = 64;

impl Run<'_> {
    /// Nothing, unless it is time to stop.
    fn go_on(&mut self) -> Result<(), String> {
        if self.interrupt.poll() { Err("interrupted".to_owned()) } else { Ok(()) }
    }

    /// All actions, those first that look best: by what they pay at once and by how much they would tell,
    /// seen in a few of the states that may be. Of those that come to the same there, all but one come last;
    /// so do, of many actions, those that are not looked at. Gives the steps of the model as well.
    fn prospects(&mut self, belief: &Distribution, legal: &[Action]) -> (Vec<(Action, f64)>, u64) {
        let mut actions = legal.to_vec();
        self.rng.shuffle(&mut actions);
        let states: Vec<&State> = if belief.len() <= SAMPLE {
            belief.iter().map(|(state, _)| state).collect()
        } else {
            let mut drawn = || &belief[self.rng.weighted(belief.iter().map(|(_, p)| *p))].0;
            (0..SAMPLE).map(|_| drawn()).collect()
        };
        let looked = actions.len().min(LOOKS / states.len().max(1));
        let (mut first, mut last, mut seen) = (Vec::new(), Vec::new(), KeyMap::default());
        for action in &actions[..looked] {
            let (prospect, outcome) = self.prospect(&states, *action);
            let new = !self.model.has().hash || seen.insert(outcome, ()).is_none();
            if new { first.push((*action, prospect)) } else { last.push((*action, 0.0)) }
        }
        first.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        first.extend(actions[looked..].iter().map(|action| (*action, 0.0)));
        first.append(&mut last);
        (first, (looked * states.len()) as u64)
    }

    /// How good an action looks in some states, and a key of what it comes to there.
    fn prospect(&self, states: &[&State], action: Action) -> (f64, u64) {
        let (model, count) = (self.model, states.len() as f64);
        let mut paid = 0.0;
        // What is told, and how often; that the game is over is told as well.
        let mut told: Vec<(u64, f64)> = Vec::new();
        let mut outcome = 0;
        for state in states {
            let Successor { state: after, rewards: [reward], .. } = successor(model, state, action);
            paid += reward / count;
            let over = model.turn(&after) == Turn::Over;
            let tells = if over { 0 } else { model.observe(&after, model.turn(state), &[action], 0).0 };
            let part = told.iter().position(|(known, _)| *known == tells).unwrap_or(told.len());
            match told.get_mut(part) {
                Some((_, share)) => *share += 1.0 / count,
                None => told.push((tells, 1.0 / count)),
            }
            let key = if model.has().hash { model.hash(&after) } else { 0 };
            outcome = [part as u64, reward.to_bits(), key].into_iter().fold(outcome, derive);
        }
        let gain = told.iter().map(|(_, share)| -share * share.ln()).sum::<f64>() / count.max(2.0).ln();
        (paid + self.c * gain, outcome)
    }

    /// A playout by somebody who sees what the player sees, and has a few guesses of what may be: it takes
    /// the action that pays most at once in one of them, or any if none pays more than the others; a guess
    /// that what is seen contradicts is dropped. Gives the return and the number of steps of the model.
    fn play_out(&mut self, belief: &Distribution) -> (f64, u64) {
        let Run { model, rng, .. } = self;
        let mut draw = || belief[rng.weighted(belief.iter().map(|(_, p)| *p))].0.clone();
        let mut truth = draw();
        let mut guesses: Vec<State> = (0..GUESSES.min(belief.len())).map(|_| draw()).collect();
        let depth = self.params.depth.unwrap_or(self.horizon);
        let (mut total, mut running) = ([0.0], Running::new(model.info().discount));
        let (mut steps, mut moves, mut draws) = (0, 0, 0);
        let mut legal = Vec::new();
        loop {
            let turn = model.turn(&truth);
            let joint = match turn {
                Turn::Over => break,
                _ if self.interrupt.poll() => break,
                _ if moves == depth || draws > model.info().longest_chance() => break,
                Turn::Chance => {
                    draws += 1;
                    model.draw(&truth, &mut self.rng)
                }
                Turn::One(_) | Turn::Several(_) => {
                    (moves, draws) = (moves + 1, 0);
                    legal.clear();
                    model.legal(&truth, 0, &mut legal);
                    self.rng.shuffle(&mut legal);
                    legal.truncate(COMPARED);
                    let guess = guesses.get(self.rng.below(guesses.len() as u32) as usize);
                    steps += guess.map_or(0, |_| legal.len() as u64);
                    let pays = |guess, action| successor::<1>(*model, guess, action).rewards[0];
                    let best = guess.and_then(|guess| {
                        first_highest(legal.iter().copied(), |action| pays(guess, action))
                    });
                    best.unwrap_or(legal[0])
                }
            };
            let mut rewards = [0.0];
            truth = model.after(&truth, &[joint], &mut rewards);
            running.pay(&mut total, &rewards);
            running.pass(turn);
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
                    && model.turn(guess) == model.turn(&truth)
            });
        }
        (total[0], steps)
    }
}
