//! The trees of one decision: how many, what each may spend, and which thread grows which.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::aim::Aim;
use super::decision::{DecisionContext, Instruments};
use super::params::{Backup, Observers, Parallel, TreeKind};
use super::run::{self, Found, Stop, search_tree};
use super::simulate::Problem;
use super::tree::Tree;
use super::verdict;
use crate::belief::{Belief, World};
use crate::game::Turn;
use crate::interrupt::Interrupt;
use crate::model::SharedModel;
use crate::planner::Decision;
use crate::rng::{Purpose, Rng};

/// A tree larger than this is cut down, before the next move, to what can still be reached.
const PRUNE: usize = 1 << 21;

/// The most simulations to make in one go. Where actions are tried in turn and there is no tree, what
/// comes out of one simulation has no say in the next: from a known state, those of one action may as well
/// be played out together.
fn together(problem: &Problem) -> u32 {
    /// So many times as many as are played at once: when one game is over, another takes its place.
    const ROUNDS: u32 = 4;
    let params = problem.params;
    let uniform = !problem.selection.explores() && !problem.selection.draws();
    let plain = params.playouts == 1 && params.backup == Backup::Mean && params.width.is_none();
    let plain = plain && params.aim != Aim::Win; // that of each playout is known by itself only
    let flat = params.growth() < 1.0 && uniform && !problem.playout.needs().trace;
    let at_once = problem.model.at_once();
    if flat && plain && at_once > 1 { ROUNDS * at_once } else { 1 }
}

/// Grows the trees from the present, and says what is best.
pub(super) fn grow(
    trees: &mut Vec<Tree>,
    parts: Instruments,
    model: &SharedModel,
    belief: &dyn Belief,
    context: &DecisionContext,
    mut rng: Rng,
    pause: &mut dyn FnMut() -> bool,
) -> Decision {
    let DecisionContext { view, begun, faults, .. } = *context;
    let model = &**model;
    let mut world = World::initial(model);
    belief.sample(model, view, &mut rng, &mut world);
    let mut problem = parts.problem(context, model, belief, &world);
    if belief.certain().is_some() && problem.turn == Turn::One(view.player) {
        problem.together = together(&problem);
    }
    let mut found = search(trees, &problem, belief, &rng, begun, faults, pause);
    let decision = verdict::decide(&problem, belief, trees, &found, &mut rng);
    if let Some(learnt) = found.first_mut().and_then(|found| found.playout.take()) {
        *parts.playout = learnt;
    }
    decision
}

/// Grows all trees of this search until the budget is spent.
fn search(
    trees: &mut Vec<Tree>,
    problem: &Problem,
    belief: &dyn Belief,
    rng: &Rng,
    begun: Instant,
    faults: u64,
    pause: &mut dyn FnMut() -> bool,
) -> Vec<Found> {
    let params = problem.params;
    let in_parallel = if params.parallel == Parallel::Root { params.workers.max(1) } else { 1 };
    let count = if params.trees > 1 { params.trees } else { in_parallel };
    let shared = params.parallel == Parallel::Tree && params.workers > 1;
    // With one observer, the others' nodes are counted from the root on.
    let keep = params.reuse && params.width.is_none() && params.observers == Observers::All;
    // The sequence of actions until now is one of all that chance has done as well.
    let keep = keep && problem.kind != TreeKind::OpenLoop;
    let (floor, ..) = params.aim.range(problem.model.info());
    let floor = if floor.is_finite() { floor } else { 0.0 };
    trees.resize_with(count as usize, || {
        Tree::new(shared, floor, keep).watching(problem.watches()).with_columns(problem.columns())
    });
    let half = params.nodes as usize / 2;
    for tree in trees.iter_mut() {
        if keep && tree.len() > PRUNE.min(half) {
            tree.prune(problem.root, matches!(problem.turn, Turn::Several(_)));
        }
        if !keep || tree.len() > half {
            tree.clear(); // there must be room to search
        }
    }
    // An ensemble's trees have the whole budget each; parallel roots share it out.
    let quota = |budget: Option<u64>, tree: u32| match budget {
        None => u64::MAX,
        Some(n) if params.trees > 1 => n,
        Some(n) => n / u64::from(count) + u64::from(u64::from(tree) < n % u64::from(count)),
    };
    let sharing = if shared { u64::from(params.workers) } else { 1 };
    let now = AtomicBool::new(false);
    let mut found: Vec<Found> = (0..count).map(|_| Found::default()).collect();
    // Thread t takes the trees t, t + threads, t + 2 threads, ...
    let threads = in_parallel.min(count);
    let mut shares: Vec<Vec<(u32, &mut Tree, &mut Found)>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, (tree, found)) in (0..).zip(trees.iter_mut().zip(&mut found)) {
        shares[(index % threads) as usize].push((index, tree, found));
    }
    let work = |share: Vec<(u32, &mut Tree, &mut Found)>, mut pause: run::Pause| {
        let turns = share.len() as f64;
        for (turn, (index, tree, found)) in (1..).zip(share) {
            let deadline = params
                .milliseconds
                .map(|ms| begun + Duration::from_secs_f64(ms / 1000.0 * f64::from(turn) / turns));
            let stop = Stop {
                simulations: quota(params.simulations, index),
                transitions: (quota(params.transitions, index) / sharing).max(1),
                nodes: params.nodes as usize,
                deadline,
                now: &now,
                faults,
            };
            let mut rng = rng.fork(Purpose::Tree(index));
            let mut pause = pause.as_mut().map(|pause| &mut **pause as &mut dyn FnMut() -> bool);
            let calls = pause.as_mut().map(|pause| &mut **pause as &mut dyn FnMut() -> bool);
            let mut interrupt = Interrupt::shared(&now, deadline, calls);
            let root = verdict::plant(problem, tree, &mut rng, &mut interrupt);
            *found = search_tree(problem, belief, tree, root, &stop, &rng, pause);
        }
    };
    let mut shares = shares.into_iter();
    let own = shares.next().unwrap_or_default();
    std::thread::scope(|scope| {
        for share in shares {
            scope.spawn(move || work(share, None));
        }
        work(own, Some(pause));
    });
    found
}
