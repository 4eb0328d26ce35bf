//! The one search loop: select, expand, play out, back up.

use std::sync::atomic::Ordering::{Relaxed, Release};

use super::aim::Aim;
use super::leaf::Leaf;
use super::params::{Backup, Observers, Parallel, SearchParams, TreeKind};
use super::select::{Choices, Picked, Rule, Scratch, Selection, select};
use super::speculative_batch::SpeculativeBatch;
use super::tree::{Edge, FIRST, NONE, NodeId, Tree};
use super::unseen::Made;
use super::width::Width;
use crate::belief::{Belief, World};
use crate::discount;
use crate::evaluate::Evaluator;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::keys::{Kind, join};
use crate::model::{Model, State};
use crate::playout::{Context, Playout, Rollout, Trace};
use crate::position::Erased;
use crate::rng::{Rng, mix};
use crate::view::View;

/// What all workers of one search share and none changes.
pub(super) struct Problem<'a> {
    pub model: &'a dyn Model,
    pub view: &'a View,
    pub params: &'a SearchParams,
    /// State, action-observation or public; never auto.
    pub kind: TreeKind,
    pub selection: &'a dyn Selection,
    pub playout: &'a dyn Playout,
    pub evaluator: Option<&'a dyn Evaluator>,
    /// Where playouts end.
    pub rollout: Rollout,
    /// Moves from the root after which a simulation stops.
    pub horizon: u32,
    /// The most simulations that are made in one go; 1 but for flat search.
    pub together: u32,
    /// The key of the root's node.
    pub root: u64,
    /// Who moves there, and a state that it may be.
    pub turn: Turn,
    pub present: &'a State,
    /// Worlds disagree with something that was seen: a node's actions need not be legal in the present one.
    pub inconsistent: bool,
}

impl Problem<'_> {
    /// Whether simulations go on through the nodes that they add, and a node needs nothing but its edges.
    fn adds_whole_paths(&self) -> bool {
        let SearchParams { backup, observers, parallel, workers, .. } = *self.params;
        let alone = parallel != Parallel::Tree || workers == 1;
        let plain = backup != Backup::Max && observers == Observers::All && self.selection.columns() == 0;
        let plain = plain && !self.selection.draws();
        self.params.growth() > 1.0 && plain && alone && self.kind != TreeKind::Public
    }

    /// Whether nodes are told apart by what their player has seen.
    #[inline]
    fn goes_by_views(&self) -> bool {
        matches!(self.kind, TreeKind::ActionObservation | TreeKind::Public)
    }

    /// Whether moves may go unseen, so that it has to be found out which do.
    pub fn watches(&self) -> bool {
        let fixed = !self.selection.draws(); // chance has no need of more
        self.kind == TreeKind::ActionObservation && self.model.info().players > 1 && fixed
    }

    /// Whether `player` decides by what another, who has the tree, sees.
    #[inline]
    pub fn is_observed(&self, player: usize) -> bool {
        self.params.observers == Observers::One && player != self.view.player
    }

    /// The key of the node where `player` decides in a world, so many steps from the root.
    #[inline]
    pub fn key(&self, world: &World, turn: Turn, player: usize, step: usize) -> u64 {
        let key = match self.kind {
            TreeKind::ActionObservation if self.is_observed(player) => {
                // Steps that the observer does not notice leave its view as it was.
                let seen = world.view_key(self.model, self.view.player);
                return join(Kind::Decision, join(Kind::Step, seen, step as u64), player as u64);
            }
            _ if self.goes_by_views() => return world.view_key(self.model, player),
            _ if self.params.transpositions => self.model.hash(&world.state),
            _ => world.path,
        };
        if let Turn::Several(_) = turn { join(Kind::Decision, key, player as u64) } else { key }
    }
}

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
    /// The moves of the present simulation, where the playout learns from them.
    trace: Option<Trace>,
    world: World,
    /// Whether it has to be found out which moves others do not see.
    watches: bool,
    /// Whether actions are taken in turn: those who do not see each other then fall into step wherever they are.
    uniform: bool,
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

/// Count, sum and sum of squares of some samples. The mean of several counts as so many.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Moments {
    pub samples: f64,
    pub count: f64,
    pub sum: f64,
    pub squares: f64,
}

impl Moments {
    fn add(&mut self, mean: f64, count: u32) {
        self.join(Moments {
            samples: 1.0,
            count: count.into(),
            sum: f64::from(count) * mean,
            squares: f64::from(count) * mean * mean,
        });
    }

    pub fn join(&mut self, other: Moments) {
        self.samples += other.samples;
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The variance of a single return, from two samples on.
    pub fn variance(&self) -> Option<f64> {
        let spread = (self.squares - self.sum * self.sum / self.count).max(0.0);
        (self.samples > 1.0).then(|| spread / (self.samples - 1.0))
    }
}

/// One step of a simulation: how much what follows counts, and where its choices begin.
struct Step {
    discount: f64,
    choices: usize,
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

/// What comes back to a player from below.
#[derive(Clone, Copy, Default)]
struct Backed {
    /// The value of what lies below, discounted by `weight`, and the rewards on the way there.
    value: f64,
    weight: f64,
    reward: f64,
    /// How often that place had been reached before, and its value then (backup=max only).
    count: f64,
    old: f64,
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
            trace: problem.playout.needs().trace.then(Trace::default),
            world: World::initial(problem.model),
            watches: problem.watches(),
            uniform: !problem.selection.explores() && !problem.selection.draws(),
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

    /// One simulation; or several that differ only in their playouts.
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
            match turn {
                Turn::Over => break,
                _ if moves == self.problem.horizon => break,
                _ if count > 1 && moves > 0 => break, // each playout draws what chance does next
                Turn::Chance if draws >= model.info().longest_chance() => break, // nobody else will move
                Turn::Chance => {
                    draws += 1;
                    self.leave_speculation();
                    let outcome = self.draw(tree, width);
                    self.joint.push(outcome);
                }
                Turn::One(_) | Turn::Several(_) => {
                    if !self.reach(tree, turn, &mut room) {
                        break; // beyond the tree
                    }
                    self.select(tree, turn);
                    (moves, draws) = (moves + 1, 0);
                }
            }
            match self.trial.take() {
                Some(trial) => self.step_and_watch(tree, turn, first_choice, trial),
                None => self.step(turn, first_choice),
            }
        }
        if self.problem.params.growth() > 1.0 {
            self.most_added = self.most_added.max(self.choices.len() + 1);
        }
        self.play_out(tree, moves, leaf, interrupt);
        self.take_aim();
        self.back_up(tree);
        self.learn();
        self.simulations += u64::from(count);
        self.moves += u64::from(count) * u64::from(moves);
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
        let (mut most, mut next) = (0, 0);
        for edge in tree.edges(self.root) {
            let visits = edge.visits.load(Relaxed);
            (most, next) = if visits > most { (visits, most) } else { (most, next.max(visits)) };
        }
        u64::from(most - next)
    }

    fn begin(&mut self) {
        self.steps.clear();
        self.rewards.clear();
        self.choices.clear();
        self.leaves.clear();
        self.own = self.root;
        self.last.fill(None);
        if let Some(trace) = &mut self.trace {
            trace.moves.clear();
        }
        (self.fate, self.unseen) = (None, false);
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

    /// Chooses for every mover at its own node.
    #[inline]
    fn select(&mut self, tree: &Tree, turn: Turn) {
        for (slot, player) in turn.movers().iter().enumerate() {
            let id = self.here[slot];
            if id != NONE {
                if player == self.problem.view.player {
                    self.own = id;
                }
                if self.problem.is_observed(player) {
                    self.offer(tree, id, player);
                } else if tree.edges(id).is_empty() {
                    if self.lazy && tree.node(id).visits.load(Relaxed) == 0 {
                        self.leave_new(tree, id, player);
                        continue;
                    }
                    self.expand(tree, id, player, None);
                }
                tree.visit_node(id, self.count);
            }
            let edges = tree.edges(id);
            let trail = self.trail(player);
            let several = matches!(turn, Turn::Several(_));
            if several && self.watches && id != NONE {
                tree.mark_unseen(id); // its player may move alone where it knows no more than here
            }
            let unseen = several || self.watches && (self.uniform || tree.is_unseen(id));
            let plain = self.problem.kind != TreeKind::Public && !self.problem.inconsistent;
            let chosen = if edges.is_empty() {
                None
            } else if self.ucb1 && plain && !self.problem.is_observed(player) {
                Some((select(tree, id, edges, &self.rule, unseen, &mut self.rng), None))
            } else {
                self.pick(tree, id, player, several, unseen)
            };
            let Some((chosen, probability)) = chosen else {
                // No node, another worker is expanding it, or memory is full: play on at random.
                self.leave_speculation();
                let (state, rng) = (&self.world.state, &mut self.rng);
                self.joint.push(self.problem.model.random_action(state, player, &mut self.scratch, rng));
                self.last[trail] = None;
                continue;
            };
            if let Some(trace) = &mut self.trace {
                let state = self.speculative.as_ref().and_then(SpeculativeBatch::state);
                let position = Erased(self.problem.model, state.unwrap_or(&self.world.state));
                trace.push(&position, player, edges[chosen].action());
            }
            if self.watches && !unseen {
                self.trial = self.alternative(tree, id, player, chosen);
            }
            tree.visit_edge(&edges[chosen], self.count);
            self.joint.push(edges[chosen].action());
            let edge = tree.first_edge(id) + chosen as u32;
            self.choices.push(Chosen { player, node: id, edge, probability });
            self.last[trail] = Some(edge);
        }
    }

    /// Asks the selection. A node's actions need not be legal in the present world where all is told apart by what
    /// another sees, or where worlds disagree with something that was seen.
    #[inline(never)]
    fn pick(
        &mut self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        several: bool,
        unseen: bool,
    ) -> Option<Picked> {
        let counted = self.problem.is_observed(player);
        if self.problem.inconsistent && !counted {
            self.scratch.clear();
            self.problem.model.legal(&self.world.state, player, &mut self.scratch);
            self.scratch.sort_unstable();
        }
        let offered = (self.problem.inconsistent || counted).then_some((self.scratch.as_slice(), counted));
        if self.problem.kind == TreeKind::Public {
            let (chosen, probability) = self.choose_policy(tree, id, player, several);
            let action = tree.edges(id)[chosen].action();
            let legal = !self.problem.inconsistent || self.scratch.binary_search(&action).is_ok();
            return legal.then_some((chosen, probability));
        }
        let at = Choices { offered, unseen, jitter: unseen, ..Choices::new(tree, id, &self.rule) };
        self.problem.selection.pick(&at, &mut self.picks, &mut self.rng)
    }

    /// Now and then (at its first, second, fourth, eighth, ... visit) another action of a node than the one that was
    /// chosen there: would everybody see the difference?
    #[inline(never)]
    fn alternative(
        &self,
        tree: &Tree,
        id: NodeId,
        player: usize,
        chosen: usize,
    ) -> Option<(NodeId, Action)> {
        let visits = tree.node(id).visits.load(Relaxed);
        if !visits.is_power_of_two() {
            return None;
        }
        let edges = tree.edges(id);
        // Of a node that is not its player's own, other worlds may offer something else.
        let offered = self.problem.is_observed(player) || self.problem.inconsistent;
        let is_legal = |edge: &&Edge| !offered || self.scratch.contains(&edge.action());
        // The edges are in random order.
        let others = edges[chosen + 1..].iter().chain(&edges[..chosen]).filter(is_legal);
        let count = others.clone().count().max(1);
        // By a hash: edges that are chosen in turn would else meet the same few others for ever.
        let which = mix(u64::from(visits)) % count as u64;
        others.clone().nth(which as usize).map(|edge| (id, edge.action()))
    }

    /// Leaves a new node by any of its actions.
    #[inline]
    fn leave_new(&mut self, tree: &Tree, id: NodeId, player: usize) {
        let (state, rng) = (&self.world.state, &mut self.rng);
        let action = self.problem.model.random_action(state, player, &mut self.scratch, rng);
        tree.leave_new(id, action, self.count);
        self.joint.push(action);
        self.choices.push(Chosen { player, node: id, edge: FIRST, probability: None });
        let trail = self.trail(player);
        self.last[trail] = None;
        // Nodes of states without transpositions have one way to them.
        self.unseen = self.problem.kind == TreeKind::State && !self.problem.params.transpositions;
    }

    /// Lists a node's actions, in random order: they are tried in the order of the list. The state is
    /// the present one, if none is given.
    pub(super) fn expand(&mut self, tree: &Tree, id: NodeId, player: usize, state: Option<&State>) {
        let mut actions = std::mem::take(&mut self.scratch);
        actions.clear();
        self.problem.model.legal(state.unwrap_or_else(|| self.state()), player, &mut actions);
        self.rng.shuffle(&mut actions);
        let left_by = tree.left_by(id);
        match left_by.and_then(|action| actions.iter().position(|other| *other == action)) {
            Some(tried) => {
                actions.swap(0, tried);
                tree.expand_left(id, &actions);
            }
            None => {
                tree.expand(id, &actions);
            }
        }
        self.scratch = actions;
        if !self.ucb1 {
            let at = Choices::new(tree, id, &self.rule);
            let kept = self.speculative.as_ref().and_then(SpeculativeBatch::state);
            let state = state.or(kept).unwrap_or(&self.world.state);
            let Problem { model, selection, evaluator, .. } = *self.problem;
            selection.prepare(&Erased(model, state), player, &at, evaluator, &mut self.rng);
        }
    }

    /// Lists what is legal in the present world in `scratch`, sorted, adds what the node lacks of it, and counts
    /// that it was on offer: another world may offer something else.
    fn offer(&mut self, tree: &Tree, id: NodeId, player: usize) {
        self.scratch.clear();
        self.problem.model.legal(&self.world.state, player, &mut self.scratch);
        self.rng.shuffle(&mut self.scratch);
        tree.offer(id, &mut self.scratch);
    }

    /// Carries out a joint action and moves the keys on.
    #[inline]
    fn step(&mut self, turn: Turn, first_choice: usize) {
        let model = self.problem.model;
        let players = self.last.len();
        let (world, joint) = (&mut self.world, self.joint.as_slice());
        let from = self.rewards.len();
        self.rewards.resize(from + players, 0.0);
        let rewards = &mut self.rewards[from..];
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
        self.steps.push(Step { discount, choices: first_choice });
        if self.problem.goes_by_views() {
            world.extend_views(model, turn, joint);
        } else {
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
        let left = self.problem.horizon - moves;
        let how = Rollout { depth: self.problem.rollout.depth.min(left), ..self.problem.rollout };
        self.returns.fill(0.0);
        if self.play_out_ahead(tree, &how) {
            return;
        }
        let count = self.problem.params.playouts * self.count;
        let trace = self.trace.as_mut();
        let evaluator = self.problem.evaluator;
        let mut context = Context { evaluator, rng: &mut self.rng, interrupt, trace };
        let (model, state) = (self.problem.model, &self.world.state);
        self.transitions +=
            leaf.play_out(model, state, &mut *self.playout, &how, count, &mut context, &mut self.returns);
    }

    /// Lets the playout learn from what came of the simulation.
    #[inline]
    fn learn(&mut self) {
        if let Some(trace) = &self.trace {
            let came =
                self.backed.iter().map(|from_root| from_root.reward + from_root.weight * from_root.value);
            self.returns.clear();
            self.returns.extend(came);
            self.playout.learn(trace, &self.returns);
        }
    }

    /// Makes of what this simulation pays what its players want.
    #[inline]
    fn take_aim(&mut self) {
        let aim = self.problem.params.aim;
        if aim == Aim::Return {
            return;
        }
        let players = self.returns.len();
        // A win is paid once: by the last step, or by the playout that goes on from there.
        let from = match aim {
            Aim::Win if self.turn() == Turn::Over => self.rewards.len().saturating_sub(players),
            Aim::Win => self.rewards.len(),
            _ => 0,
        };
        self.rewards[from..].chunks_exact_mut(players).for_each(|rewards| aim.take(rewards));
        if aim != Aim::Win || from == self.rewards.len() {
            aim.take(&mut self.returns);
        }
    }

    /// Carries the return from the leaf to the root, through every choice on the way.
    #[inline]
    fn back_up(&mut self, tree: &Tree) {
        let mut backed = std::mem::take(&mut self.backed);
        backed.clear();
        backed.extend(self.returns.iter().map(|&value| Backed { value, weight: 1.0, ..Backed::default() }));
        for &(player, leaf) in &self.leaves {
            tree.node(leaf).set_value(self.returns[player]);
        }
        let mut end = self.choices.len();
        for (step, rewards) in self.steps.iter().zip(self.rewards.chunks_exact(backed.len())).rev() {
            for (below, reward) in backed.iter_mut().zip(rewards) {
                below.reward = reward + step.discount * below.reward;
                below.weight *= step.discount;
            }
            let chosen = &self.choices[step.choices..end];
            for &Chosen { player, node, edge, probability } in chosen {
                let Backed { value, weight, reward, count, old } = backed[player];
                let sample = reward + weight * value;
                if edge == FIRST {
                    tree.node(node).set_value(sample);
                    continue;
                }
                if !self.ucb1 {
                    let chosen = (edge - tree.first_edge(node)) as usize;
                    let at = Choices::new(tree, node, &self.rule);
                    self.problem.selection.update(&at, (chosen, probability), sample);
                }
                let e = tree.edge(edge);
                tree.add(e, sample + weight * count * (value - old), self.count);
                match self.problem.params.backup {
                    Backup::Mean => {}
                    Backup::MixMax(_) => tree.note_best(e, sample),
                    Backup::Max => self.bellman(tree, player, node, chosen.len() == 1, &mut backed),
                }
                if node == self.root {
                    self.root_returns[(edge - tree.first_edge(node)) as usize].add(sample, self.count);
                }
            }
            end = step.choices;
        }
        for (total, from_root) in self.totals.iter_mut().zip(&backed) {
            *total += f64::from(self.count) * (from_root.reward + from_root.weight * from_root.value);
        }
        self.backed = backed;
    }

    /// backup=max: gives a node the value of its best action, which is what its parent's edge now
    /// counts for every earlier visit as well. To the other of two it is worth what is left of the sum of both
    /// (which is the same whatever they do: their returns add up to zero, single steps need not), unless
    /// it has chosen at the same time, for itself.
    fn bellman(&self, tree: &Tree, player: usize, id: NodeId, alone: bool, backed: &mut [Backed]) {
        let node = tree.node(id);
        let old = node.value();
        let count = f64::from(node.visits.load(Relaxed).saturating_sub(1));
        let tried = tree.edges(id).iter().filter(|edge| edge.visits.load(Relaxed) > 0);
        let value = node.set_value(tried.map(|edge| tree.mean(edge)).fold(f64::NEG_INFINITY, f64::max));
        let below = Backed { value, weight: 1.0, reward: 0.0, count, old };
        if alone && self.problem.kind == TreeKind::State && self.last.len() == 2 {
            let sum: f64 = backed.iter().map(|below| below.reward + below.weight * below.value).sum();
            backed[1 - player] = Backed { value: sum - value, old: sum - old, ..below };
        }
        backed[player] = below;
    }
}
