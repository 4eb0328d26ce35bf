//! Running simulations until the budget is spent: slices, threads, stopping.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::leaf::Leaf;
use super::params::{Parallel, SearchParams};
use super::simulate::{Moments, Problem, Worker};
use super::tree::{NodeId, Tree};
use super::width::Width;
use crate::belief::Belief;
use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::playout::Playout;
use crate::rng::{Purpose, Rng};
use crate::view::View;

/// How many simulations a worker takes at a time, and makes between two looks at what it has found.
const POLL_INTERVAL: u64 = 16;

/// When a search ends: the first of its reasons.
pub(super) struct Stop<'a> {
    pub simulations: u64,
    /// Steps of the model.
    pub transitions: u64,
    pub nodes: usize,
    pub deadline: Option<Instant>,
    /// Set by whoever wants all trees and workers to stop.
    pub now: &'a AtomicBool,
    /// The failures of the game when the search began.
    pub faults: u64,
}

/// What is asked of a search that is not one of trees.
pub(super) struct SearchRequest<'a> {
    pub model: &'a dyn Model,
    pub params: &'a SearchParams,
    pub view: &'a View,
    /// Moves after which a simulation stops.
    pub horizon: u32,
    pub stop: Stop<'a>,
}

/// What the search of one tree found out.
#[derive(Default)]
pub(super) struct Found {
    pub simulations: u64,
    pub transitions: u64,
    /// The sum of the moves that simulations made in the tree.
    pub moves: u64,
    pub root_returns: Vec<Moments>,
    /// The sum of each player's returns.
    pub totals: Vec<f64>,
    /// The playout with what it has learnt.
    pub playout: Option<Box<dyn Playout>>,
}

impl Stop<'_> {
    /// Whether a graph's budget is used up, or the game has failed.
    pub fn is_spent(&self, model: &dyn Model, simulations: u64, transitions: u64, nodes: usize) -> bool {
        simulations >= self.simulations
            || transitions >= self.transitions
            || nodes >= self.nodes
            || model.faults() != self.faults
    }

    /// Whether somebody wants an answer now.
    pub fn is_late(&self, pause: &mut dyn FnMut() -> bool) -> bool {
        pause() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// By how many visits the most visited of some actions is ahead of the next.
pub(super) fn lead(visits: impl Iterator<Item = u32>) -> u64 {
    let (mut most, mut next) = (0, 0);
    for visits in visits {
        (most, next) = if visits > most { (visits, most) } else { (most, next.max(visits)) };
    }
    u64::from(most - next)
}

/// Called now and then by the thread that owns the search; true stops it.
pub(super) type Pause<'a> = Option<&'a mut dyn FnMut() -> bool>;

/// Searches one tree from its root until it is time to stop.
pub(super) fn search_tree(
    problem: &Problem,
    belief: &dyn Belief,
    tree: &mut Tree,
    root: NodeId,
    stop: &Stop,
    rng: &Rng,
    mut pause: Pause,
) -> Found {
    let params = problem.params;
    let width = params.width.map(|width| Width::new(width, rng.fork(Purpose::Children).bits()));
    let sharing = if params.parallel == Parallel::Tree { params.workers } else { 1 };
    let helpers = if params.parallel == Parallel::Leaf { params.workers - 1 } else { 0 };
    let worker = |index: u32| Worker::new(problem, belief, root, rng.fork(Purpose::Worker(index)));
    let mut workers: Vec<Worker> = (0..sharing).map(worker).collect();
    let started = AtomicU64::new(0);
    loop {
        tree.grow(workers.iter().map(|worker| worker.most_added).max().unwrap_or_default());
        let (tree, width, started) = (&*tree, width.as_ref(), &started);
        let ended = std::thread::scope(|scope| {
            let leaf =
                if helpers > 0 { Leaf::crew(problem, stop.now, helpers, scope) } else { Leaf::alone() };
            let (first, others) = workers.split_at_mut(1);
            for other in others {
                scope.spawn(move || slice(other, tree, width, &Leaf::alone(), stop, started, &mut None));
            }
            slice(&mut first[0], tree, width, &leaf, stop, started, &mut pause)
        });
        if ended {
            break;
        }
    }
    let mut found = Found {
        root_returns: vec![Moments::default(); problem.view.legal.len()],
        totals: vec![0.0; problem.model.info().players],
        ..Found::default()
    };
    for worker in workers {
        found.playout.get_or_insert(worker.playout);
        for (total, part) in found.totals.iter_mut().zip(&worker.totals) {
            *total += part;
        }
        found.simulations += worker.simulations;
        found.transitions += worker.transitions;
        found.moves += worker.moves;
        for (total, part) in found.root_returns.iter_mut().zip(&worker.root_returns) {
            total.join(*part);
        }
    }
    found
}

/// Simulates until the search ends (true) or the tree needs room (false).
fn slice(
    worker: &mut Worker,
    tree: &Tree,
    width: Option<&Width>,
    leaf: &Leaf,
    stop: &Stop,
    started: &AtomicU64,
    pause: &mut Pause,
) -> bool {
    let (mut granted, mut count) = (0, 1);
    let pause = pause.as_mut().map(|pause| &mut **pause as &mut dyn FnMut() -> bool);
    let mut interrupt = Interrupt::shared(stop.now, stop.deadline, pause);
    loop {
        if granted == 0 {
            count = together(worker, started, stop);
            granted = grant(started, stop.simulations, POLL_INTERVAL.max(count.into()));
        }
        if granted == 0 || stop.now.load(Relaxed) {
            return true;
        }
        if !tree.has_room(worker.most_added) {
            started.fetch_sub(granted, Relaxed);
            return false;
        }
        let some = u64::from(count).min(granted) as u32;
        granted -= u64::from(some);
        worker.simulate(tree, width, leaf, some, &mut interrupt);
        if interrupt.poll() || worker.solved {
            return true;
        }
        // What does not depend on the time is looked at at the same simulations each time.
        if some > 1 || worker.simulations % POLL_INTERVAL == 1 {
            if tree.len() >= stop.nodes {
                return true;
            }
            if worker.problem.params.until_decided
                && worker.lead(tree) > stop.simulations - worker.simulations.min(stop.simulations)
            {
                return true;
            }
        }
        if worker.problem.model.faults() != stop.faults {
            stop.now.store(true, Relaxed);
        }
        if worker.transitions >= stop.transitions {
            return true;
        }
    }
}

/// How many simulations to make in one go, where that may be several. A few at first, then a growing
/// share of those made so far, so that each action has many samples; towards the end few again, so that
/// all actions come to equally many.
fn together(worker: &Worker, started: &AtomicU64, stop: &Stop) -> u32 {
    let turns = 2 * worker.problem.view.legal.len() as u64;
    let left = stop.simulations - started.load(Relaxed).min(stop.simulations);
    let some = (worker.simulations / turns).max(POLL_INTERVAL).min(left / turns);
    some.clamp(1, worker.problem.together.into()) as u32
}

/// Takes a few of the simulations that are left: workers meet at the counter less often.
fn grant(started: &AtomicU64, all: u64, interval: u64) -> u64 {
    let some = |begun: u64| interval.min(all - begun);
    let taken =
        started.fetch_update(Relaxed, Relaxed, |begun| (some(begun) > 0).then(|| begun + some(begun)));
    taken.map_or(0, some)
}
