//! The one search loop: select, expand, play out, back up.
//!
//! `problem.rs` says what is searched, `end.rs` where a simulation ends, `choose.rs` what is done at a node, `back_up.rs` what comes of it, `prove.rs` what is then known.

mod back_up;
mod choose;
mod end;
mod problem;
mod prove;

use std::sync::atomic::Ordering::{Relaxed, Release};

use super::leaf::Leaf;
use super::params::{Horizon, TreeKind};
use super::places::Recent;
use super::run::lead;
use super::select::{Choices, Later, Rule, Scratch};
use super::speculative_batch::SpeculativeBatch;
use super::tree::{FIRST, NONE, NodeId, Tree};
use super::unseen::Made;
use super::width::Width;
use crate::belief::{Belief, World};
use crate::discount;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::model::State;
use crate::playout::{Context, Playout, Rollout, Trace};
use crate::position::Erased;
use crate::rng::Rng;
use back_up::Backed;
pub(super) use back_up::Moments;
pub(super) use problem::Problem;
pub(super) use prove::{is_least, is_most, proved};

/// One thread's share of a search.
pub(super) struct Worker<'a> {
    pub problem: &'a Problem<'a>,
    pub belief: &'a dyn Belief,
    pub simulations: u64,
    /// Steps of the model.
    pub transitions: u64,
    /// Moves that simulations made in the tree.
    pub moves: u64,
    /// How many the present one stands for.
    pub(super) count: u32,
    /// For each of the root's edges: the returns of this search, for the standard error.
    pub root_returns: Vec<Moments>,
    pub(super) rng: Rng,
    /// What chance draws from until the next decision, where only some outcomes are considered.
    fate: Option<Rng>,
    /// Whether new nodes are given edges at their second visit only.
    lazy: bool,
    /// Whether what lies behind the last action was never seen.
    unseen: bool,
    /// The most nodes that a simulation added.
    pub most_added: usize,
    pub(super) rule: Rule,
    /// UCB1 is compiled into the search; others are asked.
    ucb1: bool,
    pub playout: Box<dyn Playout>,
    /// The moves of the present simulation, where the playout or the selection learns from them.
    trace: Option<Trace>,
    /// Those from a choice on, where the selection learns from them.
    later: Later,
    /// Which of the two it is.
    learns: bool,
    looks_on: bool,
    world: World,
    /// Whether it has to be found out which moves others do not see.
    watches: bool,
    /// Whether what is searched to the end is noted; the edge behind which all was known when it was chosen; and
    /// whether that is the root.
    solver: bool,
    known: Option<u32>,
    pub solved: bool,
    /// Proved edges that count as chosen, where the simulation went on by another: with the number of that choice.
    settled: Vec<(usize, u32)>,
    /// Whether only the player's own turn is searched, whether that has begun, and whether it is over.
    one_turn: bool,
    begun: bool,
    turn_is_over: bool,
    /// Whether edges behind which the turn is over, with nothing left to chance, are marked.
    marks_spent: bool,
    /// Whether actions are chosen part by part, and the parts that have been chosen of the present one.
    action_trees: bool,
    parts: Vec<Action>,
    /// Whether actions are taken in turn: those who do not see each other then fall into step wherever they are.
    uniform: bool,
    /// Where the present simulation has been, if the selection asks for that.
    recent: Option<Recent>,
    /// An action that might have been chosen at a node in place of the present one.
    trial: Option<(NodeId, Action)>,
    /// Room for the state before a step.
    before: Option<State>,
    pub(super) speculative: Option<SpeculativeBatch>,
    pub(super) root: NodeId,
    steps: Vec<Step>,
    /// Each step's rewards, one for each player.
    rewards: Vec<f64>,
    pub(super) choices: Vec<Chosen>,
    /// The nodes where the movers are now, in the order of the movers.
    here: Vec<NodeId>,
    /// The nodes that this simulation added and plays out from.
    leaves: Vec<(usize, NodeId)>,
    /// Where the player who has the tree decided last: what this simulation adds hangs on that.
    pub(super) own: NodeId,
    /// For each player (for a state tree: for all), the edge it took last.
    last: Vec<Option<u32>>,
    /// The joint action of the present step.
    pub(super) joint: Vec<Action>,
    scratch: Vec<Action>,
    pub(super) values: Vec<f64>,
    pub(super) picks: Scratch,
    /// The sum of all players' returns from the root on.
    pub totals: Vec<f64>,
    /// For each player: the return from the leaf on, and what has come back from below.
    pub(super) returns: Vec<f64>,
    backed: Vec<Backed>,
}

/// One step of a simulation: how much what follows counts, and where its choices begin.
struct Step {
    discount: f64,
    choices: usize,
    /// How many moves had been made before it, where they are noted.
    moves: usize,
}

/// One player's choice at one step.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    pub player: usize,
    pub node: NodeId,
    pub edge: u32,
    /// How probable the choice was, where regrets are summed up at this node.
    pub probability: Option<f64>,
}

impl<'a> Worker<'a> {
    pub fn new(problem: &'a Problem<'a>, belief: &'a dyn Belief, root: NodeId, rng: Rng) -> Worker<'a> {
        let players = problem.model.info().players;
        let speculative = belief.certain().and_then(|origin| SpeculativeBatch::new(problem, origin));
        Worker {
            problem,
            belief,
            simulations: 0,
            transitions: 0,
            moves: 0,
            count: 1,
            root_returns: vec![Moments::default(); problem.view.legal.len()],
            rng,
            fate: None,
            lazy: problem.adds_whole_paths(),
            unseen: false,
            most_added: 0,
            rule: Rule::new(problem.model.info(), problem.params),
            ucb1: problem.selection.is_ucb1(),
            playout: problem.playout.fork(),
            trace: (problem.playout.needs().trace || problem.selection.needs().trace).then(Trace::default),
            later: Later::default(),
            learns: problem.playout.needs().trace,
            looks_on: problem.selection.needs().trace,
            world: World::initial(problem.model),
            watches: problem.watches(),
            solver: problem.params.solver,
            known: None,
            solved: false,
            settled: Vec::new(),
            one_turn: problem.params.horizon == Horizon::Turn,
            begun: false,
            turn_is_over: false,
            marks_spent: problem.marks_spent(),
            action_trees: problem.has_action_trees(),
            parts: Vec::new(),
            uniform: !problem.selection.explores() && !problem.selection.draws(),
            recent: problem.selection.looks_back().map(|places| Recent::new(places, problem.recent)),
            trial: None,
            before: None,
            speculative,
            root,
            steps: Vec::new(),
            rewards: Vec::new(),
            choices: Vec::new(),
            here: Vec::new(),
            leaves: Vec::new(),
            own: root,
            last: vec![None; players],
            joint: Vec::new(),
            scratch: Vec::new(),
            values: Vec::new(),
            picks: Scratch::default(),
            totals: vec![0.0; players],
            returns: vec![0.0; players],
            backed: Vec::new(),
        }
    }

    /// One simulation; or several that differ only in their playouts. In the papers' letters: s is a state, drawn from the
    /// belief B(h) in what the player has seen; a an action, o what is told, r what is paid; G is the model; N and Q are an
    /// edge's visits and value, R is the return.
    pub fn simulate(
        &mut self,
        tree: &Tree,
        width: Option<&Width>,
        leaf: &Leaf,
        count: u32,
        interrupt: &mut Interrupt,
    ) {
        let Problem { model, view, .. } = *self.problem;
        self.begin();
        self.count = count;
        match &mut self.speculative {
            Some(speculative) => self.world.path = speculative.begin(),
            None => self.belief.sample(model, view, &mut self.rng, &mut self.world), // s ~ B(h)
        }
        let mut room = self.problem.params.growth();
        let (mut moves, mut draws) = (0, 0);
        loop {
            let first_choice = self.choices.len();
            let turn = self.turn();
            self.joint.clear();
            if self.recent.is_some() && turn != Turn::Chance {
                self.look_back(tree);
            }
            if self.is_end(turn, moves, draws) {
                break;
            }
            match turn {
                Turn::Over => break,
                Turn::Chance => {
                    draws += 1;
                    self.leave_speculation();
                    let outcome = self.draw(tree, width); // what chance does comes under o
                    self.joint.push(outcome);
                }
                _ if self.waits_for_its_turn(turn) => (moves, draws) = (moves + 1, 0),
                Turn::One(_) | Turn::Several(_) => {
                    if !self.reach(tree, turn, &mut room) {
                        break; // beyond the tree
                    }
                    self.select(tree, turn, interrupt); // a = argmax Q + c sqrt(ln N / n), or whatever is asked for
                    (moves, draws) = (moves + 1, 0);
                }
            }
            self.advance(tree, turn, first_choice); // (s', o, r) ~ G(s, a)
            if self.known.is_some() {
                break; // proved
            }
        }
        self.play_out(tree, moves, leaf, interrupt); // R from here on
        self.back_up(tree); // N <- N + 1, Q <- Q + (r + R - Q) / N
        self.learn();
        self.count_up(moves);
    }

    /// Counts what was done.
    #[inline]
    fn count_up(&mut self, moves: u32) {
        self.simulations += u64::from(self.count);
        self.moves += u64::from(self.count) * u64::from(moves);
        if self.problem.params.growth() > 1.0 {
            self.most_added = self.most_added.max(self.choices.len() + 1);
        }
    }

    /// What chance does: anything, or one of the few outcomes that are considered after the last action.
    #[inline]
    fn draw(&mut self, tree: &Tree, width: Option<&Width>) -> Action {
        let (model, state) = (self.problem.model, &self.world.state);
        let Some(width) = width else { return model.draw(state, &mut self.rng) };
        let fate = self.fate.get_or_insert_with(|| {
            let last = self.steps.last().map_or(0, |step| step.choices);
            let before = match self.choices[last..] {
                [Chosen { edge: FIRST, .. }] => Some(0),
                [Chosen { edge, .. }] => Some(tree.edge(edge).visits.load(Relaxed) - 1),
                _ => None,
            };
            width.stream(self.world.path, before, &mut self.rng)
        });
        model.draw(state, fate)
    }

    /// By how many visits the root's most visited action is ahead of the next.
    pub fn lead(&self, tree: &Tree) -> u64 {
        lead(tree.edges(self.root).iter().map(|edge| edge.visits.load(Relaxed)))
    }

    fn begin(&mut self) {
        self.steps.clear();
        self.rewards.clear();
        self.choices.clear();
        self.leaves.clear();
        self.settled.clear();
        self.own = self.root;
        self.last.fill(None);
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
        if let Some(recent) = &mut self.recent {
            recent.begin();
        }
        (self.fate, self.unseen, self.known) = (None, false, None);
        (self.begun, self.turn_is_over) = (false, false);
    }

    /// Tells the selection whether the edges by which the present state was reached lead to where the player has been.
    #[inline(never)]
    fn look_back(&mut self, tree: &Tree) {
        let Some(mut recent) = self.recent.take() else { return };
        let is_recent = recent.arrive(self.problem.model, self.state());
        let told = std::mem::replace(&mut recent.told, self.choices.len());
        for &Chosen { node, edge, .. } in &self.choices[told..] {
            if edge != FIRST {
                let at = Choices::new(tree, node, &self.rule);
                self.problem.selection.arrived(&at, (edge - tree.first_edge(node)) as usize, is_recent);
            }
        }
        self.recent = Some(recent);
    }

    /// The present state.
    #[inline]
    fn state(&self) -> &State {
        self.speculative.as_ref().and_then(SpeculativeBatch::state).unwrap_or(&self.world.state)
    }

    /// Whose turn it is.
    #[inline]
    fn turn(&self) -> Turn {
        let known = self.speculative.as_ref().and_then(SpeculativeBatch::turn);
        known.unwrap_or_else(|| self.problem.model.turn(&self.world.state))
    }

    /// From here on this simulation is on its own.
    fn leave_speculation(&mut self) {
        if let Some(speculative) = &mut self.speculative {
            speculative.leave(&mut self.world.state);
        }
    }

    /// Whose last edge leads to the node where `player` decides now.
    #[inline]
    fn trail(&self, player: usize) -> usize {
        if self.problem.goes_by_views() { player } else { 0 }
    }

    /// Finds the movers' nodes, adding them while there is room to grow. False if this is where
    /// the tree ends.
    #[inline]
    fn reach(&mut self, tree: &Tree, turn: Turn, room: &mut f64) -> bool {
        self.here.clear();
        let mut inside = true;
        for player in turn.movers().iter() {
            if self.steps.is_empty() && player == self.problem.view.player {
                self.here.push(self.root);
                continue;
            }
            let key = self.problem.key(&self.world, turn, player, self.steps.len());
            let from = self.last[self.trail(player)];
            let id = match tree.shortcut(from, key) {
                Some(id) => id,
                None => {
                    let found = if self.unseen && *room >= 1.0 {
                        tree.add_node(key, self.own)
                    } else if *room >= 1.0 {
                        tree.find_or_add(key, self.own)
                    } else {
                        tree.find(key).map(|id| (id, false))
                    };
                    let Some((id, new)) = found else {
                        if self.steps.is_empty() {
                            // Whoever moves together with the root, and has no node there.
                            self.here.push(NONE);
                            continue;
                        }
                        return false;
                    };
                    if let Some(edge) = from {
                        tree.edge(edge).child.store(id, Release);
                    }
                    if new {
                        *room -= 1.0;
                        inside = *room >= 1.0;
                        if !inside {
                            tree.visit_node(id, self.count);
                            self.leaves.push((player, id));
                        }
                    }
                    id
                }
            };
            self.here.push(id);
        }
        inside
    }

    /// Goes on by the joint action, and looks whether others could tell it from another, where that is to be found out.
    #[inline(always)]
    fn advance(&mut self, tree: &Tree, turn: Turn, first_choice: usize) {
        match self.trial.take() {
            Some(trial) => self.step_and_watch(tree, turn, first_choice, trial),
            None => self.step(turn, first_choice),
        }
    }

    /// Carries out a joint action and moves the keys on. (It has two callers, and all searches are in one of them.)
    #[inline(always)]
    fn step(&mut self, turn: Turn, first_choice: usize) {
        let model = self.problem.model;
        let players = self.last.len();
        let (world, joint) = (&mut self.world, self.joint.as_slice());
        let from = self.rewards.len();
        self.rewards.resize(from + players, 0.0);
        let rewards = &mut self.rewards[from..];
        let moves =
            self.trace.as_mut().map_or(0, |trace| trace.note(&Erased(model, &world.state), turn, joint));
        match (&mut self.speculative, turn, self.last[0]) {
            (Some(speculative), Turn::One(_), Some(edge)) if speculative.state().is_some() => {
                self.transitions += u64::from(speculative.step(model, edge, joint[0], rewards));
            }
            (speculative, ..) => {
                if let Some(speculative) = speculative {
                    speculative.leave(&mut world.state);
                }
                model.step(&mut world.state, joint, rewards);
                self.transitions += 1;
            }
        }
        if turn != Turn::Chance {
            self.fate = None;
        }
        let discount = discount::after(turn, self.problem.rollout.discount);
        self.steps.push(Step { discount, choices: first_choice, moves });
        if self.problem.goes_by_views() {
            world.extend_views(model, turn, joint);
        } else if turn != Turn::Chance || self.problem.kind != TreeKind::OpenLoop {
            world.extend_path(joint);
        }
    }

    /// The same, and a look at whether everybody else can tell the one player's choice from another.
    #[inline(never)]
    fn step_and_watch(
        &mut self,
        tree: &Tree,
        turn: Turn,
        first_choice: usize,
        (node, instead): (NodeId, Action),
    ) {
        let mut before = self.before.take().unwrap_or_else(|| self.world.state.clone());
        before.clone_from(&self.world.state);
        self.step(turn, first_choice);
        let made = Made { before: &before, turn, joint: &self.joint, after: &self.world.state };
        if made.blind(self.problem.model, 0, instead).is_some() {
            tree.mark_unseen(node);
        }
        self.transitions += 1;
        self.before = Some(before);
    }

    /// The return from the leaf on, for each player.
    #[inline]
    fn play_out(&mut self, tree: &Tree, moves: u32, leaf: &Leaf, interrupt: &mut Interrupt) {
        let left = if self.turn_is_over { 0 } else { self.problem.horizon - moves };
        let how = Rollout { depth: self.problem.rollout.depth.min(left), ..self.problem.rollout };
        self.returns.fill(0.0);
        if self.solver && self.known_returns(tree) || self.play_out_ahead(tree, &how) {
            return;
        }
        let count = self.problem.params.playouts * self.count;
        let trace = self.trace.as_mut();
        let evaluator = self.problem.evaluator;
        let mut context = Context { evaluator, rng: &mut self.rng, interrupt, trace };
        let at = Erased(self.problem.model, &self.world.state);
        self.transitions +=
            leaf.play_out(at, &mut *self.playout, &how, count, &mut context, &mut self.returns);
    }
}
