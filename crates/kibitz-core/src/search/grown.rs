//! A search tree as people look at it. The tree itself finds its nodes by keys and knows no names; so some worlds that may be
//! the present one are played on once more, along what was tried, and what comes up on the way is written down.

use std::sync::atomic::Ordering::Relaxed;

use super::select::Rule;
use super::simulate::Problem;
use super::tree::{NodeId, Tree};
use crate::belief::World;
use crate::game::{Action, Observation, Transition, Turn};
use crate::model::State;
use crate::planner::{Grown, GrownEdge, GrownNode};
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;

/// No way in the tree is followed farther.
const DEEPEST: usize = 60;
/// Outcomes of chance that are looked at one by one; of more, so many are drawn.
const OUTCOMES: usize = 12;
/// Steps of the model for each node that is wanted.
const STEPS: usize = 60;

/// Some steps: the state before, the turn and what was done.
type Steps = Vec<(State, Turn, Vec<Action>)>;

struct Survey<'a> {
    problem: &'a Problem<'a>,
    tree: &'a Tree,
    rule: Rule,
    rng: &'a mut Rng,
    grown: Grown,
    /// The nodes of the tree that are shown.
    ids: Vec<NodeId>,
    most: usize,
    /// Edges with fewer visits are not followed.
    least: u32,
    steps: usize,
}

/// The part of a tree below the root that most simulations went through, as far as these worlds lead through it.
pub(super) fn grown(
    problem: &Problem,
    tree: &Tree,
    worlds: &[World],
    most: usize,
    rng: &mut Rng,
) -> Option<Grown> {
    let root = tree.find(problem.root)?;
    let rule = Rule::new(problem.model.info(), problem.params);
    let least = (u64::from(tree.node(root).visits.load(Relaxed)) / most.max(1) as u64).max(1) as u32;
    let steps = STEPS.saturating_mul(most);
    let mut survey =
        Survey { problem, tree, rule, rng, grown: Grown::default(), ids: Vec::new(), most, least, steps };
    for world in worlds {
        if let Turn::One(_) | Turn::Several(_) = problem.model.turn(&world.state) {
            if survey.ids.is_empty() {
                survey.add(root, problem.view.player, &world.state);
            }
            survey.follow(0, world, 0);
        }
    }
    (!survey.ids.is_empty()).then_some(survey.grown)
}

impl Survey<'_> {
    fn add(&mut self, id: NodeId, player: usize, state: &State) -> usize {
        let tree = self.tree;
        let name = |action| self.problem.model.action_name(state, Some(player), action);
        let mut edges: Vec<GrownEdge> = tree
            .edges(id)
            .iter()
            .map(|edge| {
                let visits = edge.visits.load(Relaxed);
                GrownEdge {
                    action: edge.action(),
                    name: name(edge.action()),
                    visits: visits.into(),
                    value: (visits > 0).then(|| self.rule.value(tree, edge)),
                    children: Vec::new(),
                }
            })
            .collect();
        if let Some(action) = tree.left_by(id) {
            edges.push(GrownEdge {
                action,
                name: name(action),
                visits: 1,
                value: None,
                children: Vec::new(),
            });
        }
        edges.sort_by_key(|edge| std::cmp::Reverse(edge.visits));
        let visits = tree.node(id).visits.load(Relaxed).into();
        self.grown.nodes.push(GrownNode { player, visits, edges });
        self.ids.push(id);
        self.ids.len() - 1
    }

    /// Follows all that was tried at a node, in a world in which it is on turn.
    fn follow(&mut self, at: usize, world: &World, step: usize) {
        let model = self.problem.model;
        let turn = model.turn(&world.state);
        let player = self.grown.nodes[at].player;
        let mut legal = Vec::new();
        model.legal(&world.state, player, &mut legal);
        for number in 0..self.grown.nodes[at].edges.len() {
            let edge = &self.grown.nodes[at].edges[number];
            let action = edge.action;
            if edge.visits < u64::from(self.least) || !legal.contains(&action) {
                continue;
            }
            let others = |mover: usize| {
                if mover == player { Some(action) } else { self.usual(world, turn, mover, step) }
            };
            let Some(joint) = turn.movers().iter().map(others).collect::<Option<Vec<Action>>>() else {
                continue;
            };
            self.step((at, number), world, turn, joint, Vec::new(), step);
        }
    }

    /// What somebody else does most at the same time.
    fn usual(&self, world: &World, turn: Turn, mover: usize, step: usize) -> Option<Action> {
        let mut legal = Vec::new();
        self.problem.model.legal(&world.state, mover, &mut legal);
        let node = self.tree.find(self.problem.key(world, turn, mover, step))?;
        let edges = self.tree.edges(node).iter().filter(|edge| legal.contains(&edge.action()));
        edges.max_by_key(|edge| edge.visits.load(Relaxed)).map(|edge| edge.action())
    }

    fn step(
        &mut self,
        from: (usize, usize),
        world: &World,
        turn: Turn,
        joint: Vec<Action>,
        mut before: Steps,
        step: usize,
    ) {
        if self.steps == 0 || step >= DEEPEST {
            return;
        }
        self.steps -= 1;
        let model = self.problem.model;
        let mut world = world.clone();
        let was = world.state.clone();
        model.step(&mut world.state, &joint, &mut [0.0; MAX_PLAYERS][..model.info().players]);
        // As a simulation counts.
        if turn != Turn::Chance || self.problem.kind != super::params::TreeKind::OpenLoop {
            world.extend_path(&joint);
        }
        world.extend_views(model, turn, &joint);
        before.push((was, turn, joint));
        match model.turn(&world.state) {
            Turn::Over => {}
            Turn::Chance => {
                for outcome in self.outcomes(&world.state) {
                    self.step(from, &world, Turn::Chance, vec![outcome], before.clone(), step + 1);
                }
            }
            next => self.arrive(from, &world, next, &before, step + 1),
        }
    }

    fn outcomes(&mut self, state: &State) -> Vec<Action> {
        let model = self.problem.model;
        if model.info().explicit_chance {
            let mut all = Vec::new();
            model.chance(state, &mut all);
            all.retain(|(_, p)| *p > 0.0);
            if all.len() <= OUTCOMES {
                return all.into_iter().map(|(outcome, _)| outcome).collect();
            }
        }
        (0..OUTCOMES).map(|_| model.draw(state, self.rng)).collect()
    }

    /// Comes to the next decision, by what its player is told of the way there.
    fn arrive(&mut self, from: (usize, usize), world: &World, turn: Turn, steps: &Steps, step: usize) {
        let own = self.problem.view.player;
        let player =
            if turn.movers().contains(own) { own } else { turn.movers().iter().next().unwrap_or(own) };
        let Some(id) = self.tree.find(self.problem.key(world, turn, player, step)) else { return };
        let told = self.told(&self.grown.nodes[from.0].edges[from.1].name, world, steps, player);
        let children = &self.grown.nodes[from.0].edges[from.1].children;
        let known = children.iter().find(|(words, child)| self.ids[*child] == id && *words == told);
        let child = match known {
            Some((_, child)) => *child,
            None if self.ids.len() >= self.most => return,
            None => {
                let child = self.add(id, player, &world.state);
                self.grown.nodes[from.0].edges[from.1].children.push((told, child));
                child
            }
        };
        self.follow(child, world, step);
    }

    fn told(&self, echo: &str, world: &World, steps: &Steps, player: usize) -> String {
        let model = self.problem.model;
        let mut words: Vec<String> = Vec::new();
        for (number, (before, turn, joint)) in steps.iter().enumerate() {
            let after = steps.get(number + 1).map_or(&world.state, |(after, ..)| after);
            if model.observe(after, *turn, joint, player) != Observation::SILENT {
                let step = Transition { before, after, turn: *turn, joint };
                words.push(model.observation_name(&step, player));
            }
        }
        words.retain(|words| !words.is_empty() && words != echo);
        words.join(", ")
    }
}
