//! Search over known states and all that chance may do (tree=outcomes).
//!
//! A simulation goes down by UCB1 to a state that nobody has looked into, and looks into it: at all its actions and
//! at every outcome of each, and a playout (or the evaluator) judges every state that they lead to. On the way back
//! an action is worth the mean over its outcomes by their probabilities, whichever of them was followed, and a
//! state the mean over its actions by their visits (backup=mean), its best action (max), or some of both (mixmax).
//!
//! So nothing depends on what happens to be drawn: actions can be told apart with few simulations and little
//! exploration. What a leaf was taken to be worth is forgotten as soon as it is looked into.

use super::params::Choice;
use super::run::{SearchRequest, lead};
use super::verdict::{first_highest, rank};
use crate::evaluate::Evaluator;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::planner::{Decision, Judgement};
use crate::playout::{Context, MAX_PLAYERS, Playout, Rollout, play_out};
use crate::rng::Rng;
use crate::successors::{Successor, settled};
use crate::view::View;
use crate::watch::Watch;

/// Actions with more outcomes than this are too much.
const MOST_OUTCOMES: usize = 10_000;
/// A graph with more states is not kept for the next move.
const KEEP: usize = 1 << 19;

/// What a search has found out, kept from move to move.
#[derive(Default)]
pub(crate) struct OutcomeSearch {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    outcomes: Vec<Outcome>,
    /// What nodes are worth.
    worth: Rows,
    /// What edges pay on average before somebody is to move again.
    paid: Rows,
    /// What edges are worth.
    worth_of_edges: Rows,
    /// Nodes by the hashes of their states, where the game has some.
    index: KeyMap<u32>,
    /// Whether time was up before all actions of a state were listed: what is known is not all there is.
    broken_off: bool,
}

/// A state in which somebody is to move, or the end.
struct Node {
    state: State,
    turn: Turn,
    visits: u32,
    /// None before it is looked into.
    edges: Option<(u32, u32)>,
}

/// An action.
struct Edge {
    action: Action,
    visits: u32,
    /// From the first on, so many.
    outcomes: (u32, u32),
}

/// What may become of an action.
struct Outcome {
    to: u32,
    probability: f64,
    visits: u32,
}

/// A number for each player, for many nodes or edges.
#[derive(Default)]
struct Rows {
    players: usize,
    numbers: Vec<f64>,
}

impl Rows {
    fn push(&mut self, row: &[f64]) {
        self.players = row.len();
        self.numbers.extend(row);
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.numbers[at * self.players..(at + 1) * self.players]
    }

    fn row_mut(&mut self, at: usize) -> &mut [f64] {
        &mut self.numbers[at * self.players..(at + 1) * self.players]
    }
}

/// How states are searched.
pub(crate) struct SearchConfig<'a> {
    /// What judges a state that nobody has looked into, and how often.
    pub playout: Box<dyn Playout>,
    pub evaluator: Option<&'a dyn Evaluator>,
    pub rollout: Rollout,
    pub playouts: u32,
    /// The exploration constant, for returns from 0 to 1.
    pub exploration: f64,
    /// The share of the best action in a state's value.
    pub best: f64,
}

/// One search.
pub(crate) struct Run<'a> {
    model: &'a dyn Model,
    config: SearchConfig<'a>,
    players: usize,
    rng: Rng,
    /// Steps of the model so far.
    transitions: u64,
    watch: Watch,
}

/// Asked now and then; true wants an answer.
type Late<'a> = &'a mut dyn FnMut() -> bool;

impl OutcomeSearch {
    /// Searches from a state until it is time to stop.
    ///
    /// # Errors
    /// A sentence, where chance can do too much or players move at once.
    pub(super) fn decide(
        &mut self,
        request: SearchRequest,
        config: SearchConfig,
        state: State,
        rng: Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, String> {
        let SearchRequest { model, params, view, horizon, stop } = request;
        if !params.reuse || self.broken_off || self.nodes.len() > KEEP.min(params.nodes as usize / 2) {
            *self = OutcomeSearch::default();
        }
        let mut run = Run::new(model, config, rng);
        let mut late = || stop.is_late(pause);
        let root = self.find(&mut run, state, &mut late);
        let (simulations, moves) =
            self.search(&mut run, root, horizon, &mut late, |search, run, simulations| {
                let decided = || params.until_decided && search.lead(root) > stop.simulations - simulations;
                stop.is_spent(model, simulations, run.transitions, search.nodes.len()) || decided()
            })?;
        let mut decision = self.verdict(&run, params.choice, view, root);
        decision.simulations = simulations;
        decision.transitions = Some(run.transitions);
        decision.depth = Some(moves as f64 / simulations.max(1) as f64);
        Ok(decision)
    }

    /// Searches from a state for so many steps of the model, and at least once: the action that was tried most, and
    /// what it is worth.
    ///
    /// # Errors
    /// As above.
    pub fn best(
        &mut self,
        run: &mut Run,
        state: State,
        transitions: u64,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<(Action, &[f64]), String> {
        if self.broken_off || self.nodes.len() > KEEP {
            *self = OutcomeSearch::default();
        }
        let root = self.find(run, state, pause);
        let enough = run.transitions.saturating_add(transitions);
        self.search(run, root, u32::MAX, pause, |search, run, _| {
            run.transitions >= enough || search.nodes.len() > 2 * KEEP
        })?;
        let best = self.most_tried(root).ok_or("a state without any action")?;
        Ok((self.edges[best].action, self.worth_of_edges.row(best)))
    }

    /// Simulates until it is enough, and at least once; gives the simulations, and the moves that they made.
    fn search(
        &mut self,
        run: &mut Run,
        root: u32,
        horizon: u32,
        late: Late,
        mut enough: impl FnMut(&OutcomeSearch, &Run, u64) -> bool,
    ) -> Result<(u64, u64), String> {
        let (mut simulations, mut moves) = (0, 0);
        loop {
            moves += self.simulate(run, root, horizon, late)?;
            simulations += 1;
            if enough(self, run, simulations) || late() {
                return Ok((simulations, moves));
            }
        }
    }

    /// The states that were looked into, with what the action that was tried most is worth in each.
    pub fn looked_into(&self) -> impl Iterator<Item = (&State, &[f64])> {
        (0..).zip(&self.nodes).filter_map(|(at, node)| {
            let best = self.most_tried(at)?;
            Some((&node.state, self.worth_of_edges.row(best)))
        })
    }

    /// The edge that was tried most, and of equals the best.
    fn most_tried(&self, at: u32) -> Option<usize> {
        let player = mover(self.nodes[at as usize].turn);
        let rank = |edge: usize| (self.edges[edge].visits, self.worth_of_edges.row(edge)[player]);
        first_highest(self.edges_of(at), rank)
    }

    /// The node of a state; a new one is judged.
    fn find(&mut self, run: &mut Run, state: State, late: Late) -> u32 {
        let new = self.nodes.len() as u32;
        if run.model.has().hash {
            let node = *self.index.entry(run.model.hash(&state)).or_insert(new);
            if node != new {
                return node;
            }
        }
        let turn = run.model.turn(&state);
        let mut worth = [0.0; MAX_PLAYERS];
        if turn != Turn::Over {
            run.judge(&state, late, &mut worth);
        }
        self.worth.push(&worth[..run.players]);
        self.nodes.push(Node { state, turn, visits: 0, edges: None });
        new
    }

    /// One simulation; gives the moves that it made.
    fn simulate(&mut self, run: &mut Run, root: u32, horizon: u32, late: Late) -> Result<u64, String> {
        let mut path = Vec::new();
        let mut at = root;
        loop {
            let node = &mut self.nodes[at as usize];
            node.visits += 1;
            if node.turn == Turn::Over || path.len() as u32 == horizon {
                run.transitions += 1; // so that there is an end where all is known
                break;
            }
            if node.edges.is_none() {
                let edges = self.look_into(run, at, late)?;
                // Of a state that only some actions are known of, nothing is known; but the present one needs a move.
                if !self.broken_off || at == root {
                    self.nodes[at as usize].edges = Some(edges);
                    self.back_up(run, at);
                }
                break;
            }
            let edge = self.select(run, at);
            path.push((at, edge));
            at = self.follow(edge);
        }
        let moves = path.len() as u64;
        for (node, edge) in path.into_iter().rev() {
            self.expect(run, edge);
            self.back_up(run, node);
        }
        Ok(moves)
    }

    /// The edges of a node, by number.
    fn edges_of(&self, node: u32) -> std::ops::Range<usize> {
        let (first, count) = self.nodes[node as usize].edges.unwrap_or_default();
        first as usize..(first + count) as usize
    }

    /// UCB1.
    fn select(&self, run: &Run, at: u32) -> usize {
        let node = &self.nodes[at as usize];
        let player = mover(node.turn);
        let explore =
            run.config.exploration * run.model.info().spread * f64::from(node.visits.max(1)).ln().sqrt();
        let upper = |edge: usize| {
            self.worth_of_edges.row(edge)[player] + explore / f64::from(self.edges[edge].visits + 1).sqrt()
        };
        first_highest(self.edges_of(at), upper).unwrap_or(self.edges_of(at).start)
    }

    /// The outcome that has fallen furthest behind its probability.
    fn follow(&mut self, edge: usize) -> u32 {
        let edge = &mut self.edges[edge];
        edge.visits += 1;
        let outcomes =
            &mut self.outcomes[edge.outcomes.0 as usize..(edge.outcomes.0 + edge.outcomes.1) as usize];
        let behind =
            |outcome: &Outcome| outcome.probability * f64::from(edge.visits) - f64::from(outcome.visits);
        let mut next = 0;
        for outcome in 1..outcomes.len() {
            if behind(&outcomes[outcome]) > behind(&outcomes[next]) {
                next = outcome;
            }
        }
        outcomes[next].visits += 1;
        outcomes[next].to
    }

    /// Lists a state's actions, with all that may become of them: the place and number of its edges.
    fn look_into(&mut self, run: &mut Run, at: u32, late: Late) -> Result<(u32, u32), String> {
        let Node { state, turn, .. } = &self.nodes[at as usize];
        let (state, turn) = (state.clone(), *turn);
        let Turn::One(player) = turn else {
            let why = "tree=outcomes needs players who move in turn, and here several move at once; use tree=state";
            return Err(why.to_owned());
        };
        let mut legal = Vec::new();
        run.model.legal(&state, player, &mut legal);
        run.rng.shuffle(&mut legal);
        let first = self.edges.len();
        for action in legal {
            if run.watch.is_due() && self.edges.len() > first && late() {
                self.broken_off = true;
                break;
            }
            let mut successors = run.successors(&state, action)?;
            run.rng.shuffle(&mut successors);
            let outcomes = (self.outcomes.len() as u32, successors.len() as u32);
            let mut paid = [0.0; MAX_PLAYERS];
            for Successor { state, probability, rewards, .. } in successors {
                paid.iter_mut().zip(rewards).for_each(|(sum, reward)| *sum += probability * reward);
                let to = self.find(run, state, late);
                self.outcomes.push(Outcome { to, probability, visits: 0 });
            }
            self.edges.push(Edge { action, visits: 0, outcomes });
            self.paid.push(&paid[..run.players]);
            self.worth_of_edges.push(&paid[..run.players]);
            self.expect(run, self.edges.len() - 1);
        }
        Ok((first as u32, (self.edges.len() - first) as u32))
    }

    /// What an action is worth: what it pays, and the mean over what it may lead to.
    fn expect(&mut self, run: &Run, edge: usize) {
        let (first, count) = self.edges[edge].outcomes;
        let discount = run.model.info().discount_after(MOVE);
        let worth = self.worth_of_edges.row_mut(edge);
        worth.copy_from_slice(self.paid.row(edge));
        for outcome in &self.outcomes[first as usize..(first + count) as usize] {
            let weight = outcome.probability * discount;
            let below = self.worth.row(outcome.to as usize);
            worth.iter_mut().zip(below).for_each(|(sum, worth)| *sum += weight * worth);
        }
    }

    /// What a state is worth by its actions.
    fn back_up(&mut self, run: &Run, at: u32) {
        let player = mover(self.nodes[at as usize].turn);
        let edges = self.edges_of(at);
        let visits: u32 = self.edges[edges.clone()].iter().map(|edge| edge.visits).sum();
        let rows = &self.worth_of_edges;
        let Some(best) = first_highest(edges.clone(), |edge| rows.row(edge)[player]) else { return };
        let share = if visits == 0 { 1.0 } else { run.config.best };
        let worth = self.worth.row_mut(at as usize);
        worth.iter_mut().zip(rows.row(best)).for_each(|(sum, best)| *sum = share * best);
        for edge in edges.filter(|edge| self.edges[*edge].visits > 0) {
            let weight = (1.0 - share) * f64::from(self.edges[edge].visits) / f64::from(visits);
            worth.iter_mut().zip(rows.row(edge)).for_each(|(sum, worth)| *sum += weight * worth);
        }
    }

    /// By how many visits the most visited action is ahead of the next.
    fn lead(&self, root: u32) -> u64 {
        lead(self.edges[self.edges_of(root)].iter().map(|edge| edge.visits))
    }

    fn verdict(&self, run: &Run, choice: Choice, view: &View, root: u32) -> Decision {
        let judged = |edge: usize| Judgement {
            action: self.edges[edge].action,
            value: Some(self.worth_of_edges.row(edge)[view.player]),
            error: None,
            visits: self.edges[edge].visits.into(),
        };
        let mut table: Vec<Judgement> = self.edges_of(root).map(judged).collect();
        rank(&mut table, choice == Choice::Visits);
        Decision {
            action: table.first().map(|best| best.action).unwrap_or_default(),
            table,
            values: self.worth.row(root as usize).to_vec(),
            nodes: self.nodes.len() as u64,
            edges: self.edges.len() as u64,
            bytes: self.bytes(),
            line: self.line(run, root),
            ..Decision::default()
        }
    }

    /// What is expected to happen, as far as it does not depend on chance.
    fn line(&self, run: &Run, root: u32) -> Vec<(usize, String)> {
        let (mut line, mut at) = (Vec::new(), root);
        while line.len() < 20 {
            let Node { state, turn, .. } = &self.nodes[at as usize];
            let best = self.most_tried(at).map(|best| &self.edges[best]);
            let Some(edge) = best.filter(|edge| edge.visits > 0) else { break };
            let player = mover(*turn);
            line.push((player, run.model.action_name(state, Some(player), edge.action)));
            if edge.outcomes.1 != 1 {
                break;
            }
            at = self.outcomes[edge.outcomes.0 as usize].to;
        }
        line
    }

    /// Without what states keep elsewhere.
    fn bytes(&self) -> u64 {
        let numbers = [&self.worth, &self.paid, &self.worth_of_edges].map(|rows| rows.numbers.capacity());
        let bytes = self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.outcomes.capacity() * size_of::<Outcome>()
            + numbers.iter().sum::<usize>() * size_of::<f64>()
            + self.index.capacity() * size_of::<(u64, u32)>();
        bytes as u64
    }
}

/// Edges are moves of players, whoever makes them.
const MOVE: Turn = Turn::One(0);

impl<'a> Run<'a> {
    /// A search that has not begun.
    pub fn new(model: &'a dyn Model, config: SearchConfig<'a>, rng: Rng) -> Run<'a> {
        Run { model, config, players: model.info().players, rng, transitions: 0, watch: Watch::default() }
    }

    /// What a state is taken to be worth before it is looked into.
    fn judge(&mut self, state: &State, late: Late, worth: &mut [f64; MAX_PLAYERS]) {
        let SearchConfig { playout, evaluator, rollout, playouts, .. } = &mut self.config;
        let mut interrupt = Interrupt::new(late);
        let mut context =
            Context { evaluator: *evaluator, rng: &mut self.rng, interrupt: &mut interrupt, trace: None };
        let returns = &mut worth[..self.players];
        self.transitions +=
            play_out(self.model, state, &mut **playout, rollout, *playouts, &mut context, returns);
        returns.iter_mut().for_each(|sum| *sum /= f64::from(*playouts));
    }

    /// All that may become of an action until somebody is to move again.
    fn successors(&mut self, state: &State, action: Action) -> Result<Vec<Successor<MAX_PLAYERS>>, String> {
        let too_many = || {
            format!(
                "tree=outcomes needs actions with at most {MOST_OUTCOMES} outcomes, and here is one with more; use \
                 tree=state, which draws some of them"
            )
        };
        let (successors, steps) = settled(self.model, state, action, MOST_OUTCOMES, too_many)?;
        self.transitions += steps;
        Ok(successors)
    }
}

/// Who is to move.
fn mover(turn: Turn) -> usize {
    if let Turn::One(player) = turn { player } else { 0 }
}

#[cfg(test)]
pub(crate) mod tests;
