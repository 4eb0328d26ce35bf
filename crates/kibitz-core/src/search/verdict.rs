//! From a view to a root, and from the searched trees to a decision.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::action_tree;
use super::params::{Backup, Choice, Ties, TreeKind};
use super::public::local_search;
use super::run::Found;
use super::select::{Choices, Rule};
use super::simulate::{Problem, is_least, is_most, proved};
use super::tree::{Edge, NONE, NodeId, Tree};
use crate::belief::{Belief, World};
use crate::evaluate::action_values;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::planner::{Decision, Judgement};
use crate::playout::Context;
use crate::playout::MAX_PLAYERS;
use crate::position::Erased;
use crate::rng::Rng;

/// Finds or makes the root of a tree, with its actions listed.
pub(super) fn plant(
    problem: &Problem,
    tree: &mut Tree,
    rng: &mut Rng,
    interrupt: &mut Interrupt,
) -> NodeId {
    let legal = &problem.view.legal;
    tree.reserve(1024, legal.len() + 4096);
    let (root, _) = tree.find_or_add(problem.root, NONE).unwrap_or_default();
    // What was legal in the world that an earlier simulation came here with may not be what is legal now.
    let sorted = |mut actions: Vec<Action>| {
        actions.sort_unstable();
        actions
    };
    let listed = sorted(tree.edges(root).iter().map(Edge::action).collect());
    let layer = problem.has_action_trees().then(|| {
        let Problem { model, present, view, .. } = *problem;
        action_tree::layer(model, present, view.player, legal, &[])
    });
    let wanted =
        layer.as_ref().map_or_else(|| legal.clone(), |layer| [&*layer.parts, &layer.actions].concat());
    if listed != sorted(wanted) {
        tree.forget_edges(root);
        if let Some(mut layer) = layer {
            rng.shuffle(&mut layer.parts);
            rng.shuffle(&mut layer.actions);
            tree.expand_parts(root, &layer.parts, &layer.actions);
            return root;
        }
        let mut actions = legal.clone();
        rng.shuffle(&mut actions);
        tree.expand(root, &actions);
        if !problem.selection.is_ucb1() {
            let Problem { model, present, evaluator, view, .. } = *problem;
            let rule = &Rule::new(model.info(), problem.params);
            let at = Choices::new(tree, root, rule);
            let mut context = Context { evaluator, ..Context::new(rng, interrupt) };
            problem.selection.prepare(&at, &Erased(model, present), view.player, &mut context);
        }
    }
    root
}

/// There is nothing to choose, and no tree to be kept for the next move.
pub(super) fn forced(action: Action, belief: &dyn Belief, elapsed: Duration) -> Decision {
    Decision {
        action,
        table: vec![Judgement { action, value: None, error: None, visits: 0 }],
        belief: belief.size(),
        counters: belief.counters(),
        notes: belief.notes(),
        elapsed,
        ..Decision::default()
    }
}

/// The chosen action with the evidence for every legal one.
pub(super) fn decide(
    problem: &Problem,
    belief: &dyn Belief,
    trees: &[Tree],
    found: &[Found],
    rng: &mut Rng,
) -> Decision {
    let legal = &problem.view.legal;
    let rule = Rule::new(problem.model.info(), problem.params);
    let evidence: Vec<Evidence> =
        trees.iter().zip(found).filter_map(|(tree, found)| Evidence::new(problem, tree, found)).collect();
    let mut table: Vec<Judgement> =
        legal.iter().map(|action| judge(problem, *action, &rule, &evidence)).collect();
    let value = |j: &Judgement| j.value.unwrap_or(f64::NEG_INFINITY);
    // A proved win comes first, and a proved loss last.
    let proof =
        |j: &Judgement| evidence.iter().find_map(|found| found.proof(problem, j.action)).unwrap_or(0);
    let choice = problem.params.choice;
    let exploring = (choice == Choice::Drawn).then_some(rule.spread);
    let strategy = match choice {
        Choice::Policy | Choice::Drawn => problem.selection.strategy(&table, exploring),
        Choice::Value | Choice::Visits => None,
    };
    if strategy.is_none() {
        if problem.params.ties == Ties::Random {
            rng.shuffle(&mut table); // sorting keeps the order of equals
        }
        rank(&mut table, choice == Choice::Visits);
    }
    if let Some(chosen) = evidence.first().and_then(|found| found.part_by_part(problem, &rule)) {
        // It stands first; the others stay in order.
        table.sort_by_key(|row| row.action != chosen);
    }
    if problem.params.solver {
        let known = |row: &Judgement| proved_value(problem, &evidence, row.action);
        if table.iter().all(|row| known(row).is_some()) {
            table.sort_by(|a, b| value(b).total_cmp(&value(a)));
        }
        // Where what is proved was preferred, another action was visited as well: visits do not tell which is better.
        let proved = table.iter().enumerate().filter_map(|(place, row)| Some((place, known(row)?)));
        if let Some((place, worth)) = first_highest(proved, |(_, worth)| worth)
            && worth >= value(&table[0])
        {
            table[..=place].rotate_right(1);
        }
        table.sort_by_key(|row| -proof(row));
    }
    let mut action = table.first().map(|best| best.action).unwrap_or_default();
    if let Some(strategy) = strategy {
        action = draw_one(&mut table, strategy, rng).unwrap_or(action);
    }
    let simulations = found.iter().map(|found| found.simulations).sum();
    let expected = |player: usize| {
        let totals = found.iter().filter_map(|found| found.totals.get(player));
        totals.sum::<f64>() / simulations as f64
    };
    let means = problem.params.backup != Backup::Max && simulations > 0;
    let mut decision = Decision {
        action,
        table,
        values: (0..problem.model.info().players).filter(|_| means).map(expected).collect(),
        simulations,
        transitions: Some(found.iter().map(|found| found.transitions).sum()),
        depth: (simulations > 0)
            .then(|| found.iter().map(|found| found.moves).sum::<u64>() as f64 / simulations as f64),
        nodes: trees.iter().map(|tree| tree.len() as u64).sum(),
        edges: trees.iter().map(|tree| tree.edge_count() as u64).sum(),
        bytes: trees.iter().map(|tree| tree.bytes() as u64).sum(),
        belief: belief.size(),
        counters: belief.counters(),
        notes: belief.notes(),
        ..Decision::default()
    };
    if problem.selection.needs().and(problem.playout.needs()).action_heuristic {
        let actions: Vec<Action> = decision.table.iter().map(|row| row.action).collect();
        let position = Erased(problem.model, problem.present);
        let player = problem.view.player;
        let mut never = Interrupt::never();
        let mut context = Context { evaluator: problem.evaluator, ..Context::new(rng, &mut never) };
        action_values(&position, player, &actions, &mut context, &mut decision.heuristic);
    }
    if let Some(tree) = trees.first() {
        let mut world = World::initial(problem.model);
        belief.sample(problem.model, problem.view, rng, &mut world);
        decision.line = line(problem, tree, world, action, rng);
    }
    decision
}

/// Puts what looks best first: by visits and then by value, or by value and then by visits.
pub(super) fn rank(table: &mut [Judgement], by_visits: bool) {
    let value = |judgement: &Judgement| judgement.value.unwrap_or(f64::NEG_INFINITY);
    table.sort_by(|a, b| {
        let (values, visits) = (value(b).total_cmp(&value(a)), b.visits.cmp(&a.visits));
        if by_visits { visits.then(values) } else { values.then(visits) }
    });
}

/// Of some things the one with the highest value, of equals the first.
pub(super) fn first_highest<T: Copy, V: PartialOrd>(
    things: impl IntoIterator<Item = T>,
    value: impl Fn(T) -> V,
) -> Option<T> {
    let valued = things.into_iter().map(|thing| (thing, value(thing)));
    valued.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(thing, _)| thing)
}

/// Draws an action by a strategy, and puts the likeliest first.
fn draw_one(table: &mut [Judgement], strategy: Vec<f64>, rng: &mut Rng) -> Option<Action> {
    let chosen = table.get(rng.weighted(strategy.iter().copied())).map(|judgement| judgement.action);
    let mut order: Vec<(f64, Judgement)> = strategy.into_iter().zip(table.iter().cloned()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.visits.cmp(&a.1.visits)));
    for (place, (_, judgement)) in table.iter_mut().zip(order) {
        *place = judgement;
    }
    chosen
}

/// What one tree says of the root's actions.
struct Evidence<'a> {
    tree: &'a Tree,
    found: &'a Found,
    edges: &'a [Edge],
    /// The place of each action among the edges.
    places: BTreeMap<Action, usize>,
    /// The edges of actions, where those at the root are parts of them.
    ground: BTreeMap<Action, &'a Edge>,
    /// The values of all, where they are not the edges' own: whoever moves with others at once goes by all that
    /// they may have chosen.
    by_all: Option<Vec<f64>>,
}

impl<'a> Evidence<'a> {
    fn new(problem: &Problem, tree: &'a Tree, found: &'a Found) -> Option<Evidence<'a>> {
        let root = tree.find(problem.root)?;
        let edges = tree.edges(root);
        let places = edges.iter().enumerate().map(|(place, edge)| (edge.action(), place)).collect();
        let mut by_all = Vec::new();
        let hidden = problem.kind == TreeKind::Public && local_search(tree, root, &mut by_all);
        let mut ground = Vec::new();
        if problem.has_action_trees() {
            action_tree::ground(tree, root, &mut ground);
        }
        let ground = ground.into_iter().map(|edge| (edge.action(), edge)).collect();
        Some(Evidence { tree, found, edges, places, ground, by_all: hidden.then_some(by_all) })
    }
}

impl<'a> Evidence<'a> {
    /// An action's edge, and its place among the root's, if it has one there.
    fn edge(&self, problem: &Problem, action: Action) -> Option<(&'a Edge, Option<usize>)> {
        if problem.has_action_trees() {
            return self.ground.get(&action).map(|edge| (*edge, None));
        }
        self.places.get(&action).map(|place| (&self.edges[*place], Some(*place)))
    }

    /// The action that is chosen part by part: the best type, of its sources the best, and so on.
    fn part_by_part(&self, problem: &Problem, rule: &Rule) -> Option<Action> {
        if !problem.has_action_trees() {
            return None;
        }
        let by_visits = problem.params.choice == Choice::Visits;
        let visits = |edge: &Edge| edge.visits.load(Relaxed);
        let root = self.tree.find(problem.root)?;
        action_tree::descend(self.tree, root, |edges| {
            let tried = edges.iter().filter(|edge| visits(edge) > 0);
            first_highest(tried, |edge| {
                let (visits, value) = (f64::from(visits(edge)), rule.value(self.tree, edge));
                if by_visits { (visits, value) } else { (value, visits) }
            })
        })
    }

    /// What the planner's player gets after an action, if that is proved.
    fn proved(&self, problem: &Problem, action: Action) -> Option<f64> {
        let place = *self.places.get(&action).filter(|_| problem.params.solver)?;
        let root = self.tree.find(problem.root)?;
        proved(self.tree, self.tree.first_edge(root) + place as u32, problem.view.player)
    }

    /// 1 for an action that is proved to win, -1 for one that is proved to lose.
    fn proof(&self, problem: &Problem, action: Action) -> Option<i32> {
        let (value, info) = (self.proved(problem, action)?, problem.model.info());
        Some(i32::from(is_most(info, value)) - i32::from(is_least(info, value)))
    }
}

/// What the planner's player gets after an action, if one of the trees has proved it.
fn proved_value(problem: &Problem, evidence: &[Evidence], action: Action) -> Option<f64> {
    evidence.iter().find_map(|found| found.proved(problem, action))
}

/// One action's evidence, over all trees. Parallel roots are one sample; the trees of an ensemble
/// are samples of their own, and their values are averaged.
fn judge(problem: &Problem, action: Action, rule: &Rule, evidence: &[Evidence]) -> Judgement {
    let ensemble = problem.params.trees > 1;
    let (mut visits, mut values, mut weights) = (0, 0.0, 0.0);
    let mut tree_values = Vec::new();
    let mut seen = super::simulate::Moments::default();
    for of_tree in evidence {
        let Evidence { tree, found, by_all, .. } = of_tree;
        let Some((edge, place)) = of_tree.edge(problem, action) else { continue };
        let n = edge.visits.load(Relaxed);
        if n == 0 {
            continue;
        }
        let weight = if ensemble { 1.0 } else { f64::from(n) };
        let together = by_all.as_ref().zip(place).map(|(values, place)| values[place]);
        let value = together.unwrap_or_else(|| rule.value(tree, edge));
        visits += u64::from(n);
        values += weight * value;
        weights += weight;
        tree_values.push(value);
        if let Some(moments) = place.and_then(|place| found.root_returns.get(place)) {
            seen.join(*moments);
        }
    }
    let value = (weights > 0.0).then(|| values / weights);
    if let Some(value) = proved_value(problem, evidence, action) {
        return Judgement { action, value: Some(value), error: Some(0.0), visits };
    }
    let error = if ensemble && tree_values.len() > 1 {
        let (n, mean) = (tree_values.len() as f64, values / weights);
        let variance = tree_values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some((variance / n).sqrt())
    } else {
        seen.variance().map(|variance| (variance / visits as f64).sqrt())
    };
    Judgement { action, value, error, visits }
}

/// What the tree expects to happen: its most visited actions, from one present, with chance drawn.
fn line(
    problem: &Problem,
    tree: &Tree,
    mut world: World,
    first: Action,
    rng: &mut Rng,
) -> Vec<(usize, String)> {
    const LONGEST: usize = 12;
    const STEPS: usize = 1000;
    let model = problem.model;
    let players = model.info().players;
    let mut line = Vec::new();
    let mut forced = Some(first);
    let mut legal = Vec::new();
    let mut step = 0;
    while line.len() < LONGEST && step < STEPS {
        let turn = model.turn(&world.state);
        let mut joint = [Action(0); MAX_PLAYERS];
        if turn == Turn::Over {
            break;
        }
        if turn == Turn::Chance {
            joint[0] = model.draw(&world.state, rng);
        }
        for (slot, player) in joint.iter_mut().zip(turn.movers().iter()) {
            legal.clear();
            model.legal(&world.state, player, &mut legal);
            legal.sort_unstable();
            let most = tree.find(problem.key(&world, turn, player, step)).and_then(|node| {
                if problem.has_action_trees() {
                    let action = action_tree::descend(tree, node, |edges| {
                        edges.iter().max_by_key(|edge| edge.visits.load(Relaxed))
                    });
                    return action.filter(|action| legal.binary_search(action).is_ok());
                }
                tree.edges(node)
                    .iter()
                    .filter(|edge| legal.binary_search(&edge.action()).is_ok())
                    .max_by_key(|edge| edge.visits.load(Relaxed))
                    .map(|edge| edge.action())
            });
            let own = if player == problem.view.player { forced.take() } else { None };
            let Some(action) = own.or(most) else { return line };
            *slot = action;
            line.push((player, model.action_name(&world.state, Some(player), action)));
        }
        let joint = &joint[..turn.width()];
        model.step(&mut world.state, joint, &mut [0.0; MAX_PLAYERS][..players]);
        if turn != Turn::Chance || problem.kind != TreeKind::OpenLoop {
            world.extend_path(joint);
        }
        world.extend_views(model, turn, joint);
        step += 1;
    }
    line
}
