//! The one tree search. A named planner is a preset of its parts (see `presets.rs`).
//!
//! From the lowest to the highest: `tree.rs` (nodes and edges), `action_tree.rs` (actions in parts), `aim.rs`, `select.rs`, `regret.rs`, `width.rs`, `leaf.rs`,
//! `speculative_batch.rs`, `unseen.rs`, `grown.rs` (trees for people), `public.rs` (several who move at once), `simulate.rs` (the loop that reads like the papers),
//! `run.rs` (budgets and threads), `beliefs.rs` and `outcomes.rs` (graphs with exact means), and here the planner that ties them to a belief and a view.

mod action_tree;
pub mod aim;
mod beliefs;
mod compose;
mod grown;
mod leaf;
mod macro_search;
pub(crate) mod outcomes;
pub mod params;
mod places;
mod presets;
mod public;
mod run;
pub mod select;
mod simulate;
mod speculative_batch;
mod tree;
mod unseen;
mod verdict;
mod width;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::belief::{Belief, BeliefKind, Form, OpponentPolicy, Trouble, World};
use crate::evaluate::{Evaluator, EvaluatorSpec};
use crate::game::{Action, Info, Turn};
use crate::interrupt::Interrupt;
use crate::model::{Model, SharedModel, collapsed_or_self};
use crate::planner::{Decision, Grown, Planner};
use crate::playout::{Playout, Rollout};
use crate::rng::{Purpose, Rng};
use crate::view::View;
use aim::Aim;
use beliefs::{BeliefSearch, LARGEST};
use compose::{Parts, compose, lists_all};
use macro_search::MacroSearch;
use outcomes::{OutcomeSearch, SearchConfig};
use params::{Backup, Horizon, Observers, Parallel, SearchParams, TreeKind};
use run::{Found, SearchRequest, Stop, search_tree};
use select::Selection;
use simulate::Problem;
use tree::Tree;

/// A simulation in a game without end and without discount stops after this many moves.
const ENDLESS: u32 = 10_000;
/// Where the game discounts, a simulation stops when what is left counts less than this (POMCP).
const EPSILON: f64 = 0.01;
/// A tree larger than this is cut down, before the next move, to what can still be reached.
const PRUNE: usize = 1 << 21;

/// Monte-Carlo tree search, in all its variants.
pub struct TreeSearch {
    name: &'static str,
    params: SearchParams,
    /// What they are where nothing is said.
    presets: SearchParams,
    session: Option<Session>,
}

/// One seat of one episode.
struct Session {
    model: SharedModel,
    rng: Rng,
    kind: TreeKind,
    playout: Box<dyn Playout>,
    selection: Box<dyn Selection>,
    belief: Box<dyn Belief>,
    trees: Vec<Tree>,
    beliefs: BeliefSearch,
    outcomes: OutcomeSearch,
    macro_search: Option<MacroSearch>,
    /// Where the player has been, as far as the selection asks for it.
    recent: Vec<u64>,
    decisions: u64,
}

impl TreeSearch {
    /// A search of the given parts, under the given name; `presets` are those that nobody asked for.
    pub fn new(name: &'static str, params: SearchParams, presets: SearchParams) -> TreeSearch {
        TreeSearch { name, params, presets, session: None }
    }
}

impl Planner for TreeSearch {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let named = |why: String| format!("{}: {why}", self.name);
        let model = if self.params.knows_the_state() { collapsed_or_self(model) } else { model };
        let Parts { kind, mut playout, selection, belief } =
            compose(&self.params, &self.presets, &*model).map_err(named)?;
        let rng = Rng::new(seed);
        if kind == TreeKind::Public
            && let Some((blind, mover)) = unseen::unseen_move(&*model, &mut rng.fork(Purpose::Look))
        {
            return Err(named(format!(
                "tree=public needs moves that everybody sees, but here {} does not see what {} does; use \
                 tree=action-observation",
                model.player_name(blind),
                model.player_name(mover)
            )));
        }
        if kind == TreeKind::Outcomes && model.info().simultaneous == Some(true) {
            let why = "tree=outcomes needs players who move in turn; use tree=state for simultaneous moves";
            return Err(named(why.to_owned()));
        }
        let macro_search = self.params.macro_actions.of(&model).map_err(named)?.map(MacroSearch::new);
        let searched = macro_search.as_ref().map_or_else(|| model.clone(), MacroSearch::model);
        if let Some(evaluator) = &self.params.evaluator {
            evaluator.get().check(&*searched).map_err(|why| named(format!("evaluator: {why}")))?;
        } else if playout.needs().and(selection.needs()).evaluator && !searched.has().evaluator {
            let why = "this needs an evaluator of macro-actions, which this game lacks; kibitz learn --macro-actions makes \
                       one, for evaluator=FILE";
            return Err(named(why.to_owned()));
        }
        let has = searched.has();
        let judged = self.params.evaluator.is_some() || has.evaluator || has.action_heuristic;
        if playout.needs().and(selection.needs()).action_heuristic && !judged {
            let why =
                "this needs an action heuristic (or an evaluator) of macro-actions, which this game lacks";
            return Err(named(why.to_owned()));
        }
        playout
            .prepare(&*searched, self.params.evaluator.is_some())
            .map_err(|why| named(format!("playout={}: {why}", self.params.playout.name())))?;
        self.session = Some(Session {
            model,
            rng,
            kind,
            playout,
            selection,
            belief,
            trees: Vec::new(),
            beliefs: BeliefSearch::default(),
            outcomes: OutcomeSearch::default(),
            macro_search,
            recent: Vec::new(),
            decisions: 0,
        });
        Ok(())
    }

    fn act(&mut self, view: &View, pause: &mut dyn FnMut() -> bool) -> Result<Decision, String> {
        let begun = Instant::now();
        let session = self.session.as_mut().ok_or_else(|| format!("{}: act before start", self.name))?;
        let model = session.model.clone();
        let alone = model.info().one_thread && self.params.workers > 1;
        let workers = if alone { 1 } else { self.params.workers };
        let simulations = self.params.simulations_for(view.legal.len());
        let params = &SearchParams { workers, simulations, ..self.params.clone() };
        let faults = model.faults();
        session.decisions += 1;
        let mut rng = session.rng.fork(Purpose::Decision(session.decisions));
        let deadline = params.deadline(begun);
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let updated = session.update(params, view, &mut rng, &mut late);
        let mut decision = match updated {
            _ if model.faults() != faults => Decision::default(),
            Err(Trouble::Unexplained(why)) => return Ok(Decision::guess(view, &mut rng, &why)),
            Err(trouble) => return Err(trouble.into()),
            Ok(aside) => {
                let (kind, number) = (session.kind, session.decisions);
                let context = DecisionContext { params, view, begun, faults, kind, number };
                let mut decision = session.decide(&context, rng, pause)?;
                decision.notes.extend(aside);
                if alone {
                    decision.notes.push(format!(
                        "one worker instead of {}: only one thread at a time may use this game",
                        self.params.workers
                    ));
                }
                decision
            }
        };
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_else(|| "the game failed".to_owned()));
        }
        decision.elapsed = begun.elapsed();
        Ok(decision)
    }

    fn tree(&mut self, view: &View, most: usize) -> Option<Grown> {
        let session = self.session.as_mut()?;
        let Session { model, kind, playout, selection, belief, trees, recent, decisions, .. } = session;
        if matches!(kind, TreeKind::Belief | TreeKind::Outcomes) || session.macro_search.is_some() {
            return None;
        }
        let tree = trees.first()?;
        let mut rng = session.rng.fork(Purpose::Look);
        let params = &self.params;
        let (begun, faults) = (Instant::now(), model.faults());
        let context = DecisionContext { params, view, begun, faults, kind: *kind, number: *decisions };
        let mut world = World::initial(&**model);
        let worlds = belief.worlds(&**model, view, SHOWN).map_or_else(
            || {
                let mut draw = |_| {
                    belief.sample(&**model, view, &mut rng, &mut world);
                    world.clone()
                };
                (0..SHOWN).map(&mut draw).collect()
            },
            |worlds| worlds.into_iter().map(|(world, _)| world).collect::<Vec<_>>(),
        );
        let evaluator = params.evaluator.as_ref().map(EvaluatorSpec::get);
        let parts = Instruments { playout, selection: &**selection, evaluator, recent };
        let problem = parts.problem(&context, &**model, &**belief, worlds.first()?);
        if problem.has_action_trees() {
            return None; // a decision is several nodes there
        }
        grown::grown(&problem, tree, &worlds, most, &mut rng)
    }
}

/// Of a larger belief, so many worlds are drawn to look at a tree.
const SHOWN: usize = 100;

/// What is the same for all that happens in one decision.
struct DecisionContext<'a> {
    params: &'a SearchParams,
    view: &'a View,
    begun: Instant,
    /// The failures of the game before it.
    faults: u64,
    kind: TreeKind,
    /// Which one of the episode it is.
    number: u64,
}

impl DecisionContext<'_> {
    /// What is asked of a search that is not one of trees.
    fn request<'a>(&'a self, model: &'a dyn Model, now: &'a AtomicBool) -> SearchRequest<'a> {
        let DecisionContext { params, view, begun, faults, .. } = *self;
        let stop = Stop {
            simulations: params.simulations.unwrap_or(u64::MAX),
            transitions: params.transitions.unwrap_or(u64::MAX),
            nodes: params.nodes as usize,
            deadline: params.deadline(begun),
            now,
            faults,
        };
        SearchRequest { model, params, view, horizon: self.horizon(model.info()), stop }
    }

    /// How a simulation goes on beyond the tree. What the last move before a horizon pays may hang on chance; an
    /// evaluator judges what comes before that.
    fn rollout(&self, model: &dyn Model) -> Rollout {
        let SearchParams { depth, horizon, ref evaluator, .. } = *self.params;
        let settles = matches!(horizon, Horizon::Moves(_)) && evaluator.is_none() && !model.has().evaluator;
        let one_turn = horizon == Horizon::Turn;
        Rollout { settles, one_turn, ..Rollout::random(depth.unwrap_or(u32::MAX), model.info().discount) }
    }

    /// Moves after which a simulation stops.
    fn horizon(&self, info: &Info) -> u32 {
        match self.params.horizon {
            Horizon::Moves(moves) => moves,
            Horizon::Natural | Horizon::Turn => natural_horizon(info),
        }
    }
}

/// What is grown from the present: trees of what is drawn, or the graph of all outcomes.
enum Search<'a> {
    Trees(&'a mut Vec<Tree>),
    Outcomes(&'a mut OutcomeSearch),
}

/// The parts that a simulation is made of.
struct Instruments<'a> {
    playout: &'a mut Box<dyn Playout>,
    selection: &'a dyn Selection,
    evaluator: Option<&'a dyn Evaluator>,
    recent: &'a [u64],
}

impl Instruments<'_> {
    /// What a search is about, from a world that may be the present one.
    fn problem<'a>(
        &'a self,
        context: &'a DecisionContext,
        model: &'a dyn Model,
        belief: &dyn Belief,
        world: &'a World,
    ) -> Problem<'a> {
        let DecisionContext { params, view, kind, .. } = *context;
        let mut problem = Problem {
            model,
            view,
            params,
            kind,
            selection: self.selection,
            playout: &**self.playout,
            evaluator: self.evaluator,
            rollout: context.rollout(model),
            horizon: context.horizon(model.info()),
            together: 1,
            root: 0,
            turn: model.turn(&world.state),
            present: &world.state,
            inconsistent: belief.inconsistent(),
            recent: self.recent,
        };
        problem.root = problem.key(world, problem.turn, view.player, 0);
        problem
    }
}

impl Search<'_> {
    fn run(
        self,
        parts: Instruments,
        model: &SharedModel,
        belief: &dyn Belief,
        context: &DecisionContext,
        rng: Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, String> {
        let outcomes = match self {
            Search::Trees(trees) => return Ok(grow(trees, parts, model, belief, context, rng, pause)),
            Search::Outcomes(outcomes) => outcomes,
        };
        let present = belief.certain().ok_or("tree=outcomes needs a state that is known")?.state.clone();
        let now = AtomicBool::new(false);
        let request = context.request(&**model, &now);
        let params = context.params;
        let config = SearchConfig {
            playout: parts.playout.fork(),
            evaluator: parts.evaluator,
            rollout: context.rollout(&**model),
            playouts: params.playouts,
            exploration: params.exploration,
            best: params.backup.share_of_best(),
        };
        let mut decision = outcomes.decide(request, config, present, rng, pause)?;
        decision.belief = belief.size();
        decision.counters = belief.counters();
        decision.notes.append(&mut belief.notes());
        Ok(decision)
    }
}

/// Moves after which a simulation stops, unless somebody wants something else.
pub(crate) fn natural_horizon(info: &Info) -> u32 {
    match info.horizon {
        Some(steps) => steps,
        None if info.discount < 1.0 => (EPSILON.ln() / info.discount.ln()).ceil() as u32,
        None => ENDLESS,
    }
}

/// What a search has others do.
struct TreePolicy(Vec<Tree>);

impl OpponentPolicy for TreePolicy {
    fn strategy(&self, key: u64) -> Vec<(Action, f64)> {
        let mut counts: BTreeMap<Action, f64> = BTreeMap::new();
        for tree in &self.0 {
            let edges = tree.find(key).map(|id| tree.edges(id)).unwrap_or_default();
            for edge in edges {
                *counts.entry(edge.action()).or_default() += f64::from(edge.visits.load(Relaxed));
            }
        }
        counts.into_iter().collect()
    }
}

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

impl Session {
    /// Brings the belief up to date. Gives a note, if another kind of tree has to be taken.
    fn update(
        &mut self,
        params: &SearchParams,
        view: &View,
        rng: &mut Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, Trouble> {
        let model = &*self.model;
        // What the last search had others do is what is known of them.
        let tree_policy = Arc::new(TreePolicy(std::mem::take(&mut self.trees)));
        self.belief.assume(Some(tree_policy.clone()));
        let updated = self.belief.update(model, view, rng, pause);
        self.belief.assume(None);
        self.trees = Arc::into_inner(tree_policy).map(|tree_policy| tree_policy.0).unwrap_or_default();
        match updated {
            Err(Trouble::Unfit(why)) if self.kind == TreeKind::Belief && lists_all(params.belief) => {
                self.kind = TreeKind::ActionObservation;
                self.belief =
                    BeliefKind::from(Form::Auto).build(model, u64::MAX).map_err(Trouble::Unfit)?;
                self.belief.update(model, view, rng, pause)?;
                Ok(Some(format!("tree=action-observation from here on: {why}")))
            }
            updated => updated.map(|()| None),
        }
    }

    /// Decides by what the belief now says.
    fn decide(
        &mut self,
        context: &DecisionContext,
        mut rng: Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, String> {
        let DecisionContext { params, view, begun, .. } = *context;
        if let (Some(most), Some(world)) = (self.selection.looks_back(), self.belief.certain()) {
            places::visit(&mut self.recent, places::place(&*self.model, &world.state));
            self.recent.drain(..self.recent.len().saturating_sub(most));
        }
        if let [only] = view.legal[..]
            && (!params.reuse || params.horizon == Horizon::Turn)
        {
            return Ok(verdict::forced(only, &*self.belief, begun.elapsed()));
        }
        if self.kind == TreeKind::Belief {
            return self.search_beliefs(context, rng, pause);
        }
        let model = self.model.clone();
        let known = self.belief.certain().map(|world| world.state.clone());
        let search = match self.kind {
            TreeKind::Outcomes => Search::Outcomes(&mut self.outcomes),
            _ => Search::Trees(&mut self.trees),
        };
        let parts = Instruments {
            playout: &mut self.playout,
            selection: &*self.selection,
            evaluator: params.evaluator.as_ref().map(EvaluatorSpec::get),
            recent: &self.recent,
        };
        let (Some(macro_search), Some(state)) = (&mut self.macro_search, known) else {
            return search.run(parts, &model, &*self.belief, context, rng, pause);
        };
        if let Some(action) = macro_search.due(&*model, &state).filter(|due| view.legal.contains(due)) {
            let note = "on the way to what was decided before".to_owned();
            return Ok(Decision { action, ..Decision::default() }.noting(note));
        }
        let (in_macro_actions, belief) = macro_search.enter(&state, view.player, context.number);
        let decision = match in_macro_actions.legal[..] {
            [] => None,
            [only] => macro_search.spell(&*model, &state, verdict::forced(only, &belief, begun.elapsed())),
            _ => {
                let context = DecisionContext { view: &in_macro_actions, ..*context };
                let found = search.run(
                    parts,
                    &macro_search.model(),
                    &belief,
                    &context,
                    rng.fork(Purpose::Search),
                    pause,
                )?;
                macro_search.spell(&*self.model, &state, found)
            }
        };
        if let Some(decision) = decision.filter(|decision| view.legal.contains(&decision.action)) {
            return Ok(decision);
        }
        // All that is left can be undone, or follows by itself: what the game prefers, or anything.
        let mut preferred = Vec::new();
        match model.has().preferred {
            true => model.preferred(&state, view.player, &mut preferred),
            false => model.legal(&state, view.player, &mut preferred),
        }
        let legal: BTreeSet<Action> = view.legal.iter().copied().collect();
        preferred.retain(|action| legal.contains(action));
        let note = "no macro-action leads on from here".to_owned();
        Ok(match preferred.get(rng.below(preferred.len().max(1) as u32) as usize) {
            Some(action) => Decision { action: *action, ..Decision::default() }.noting(note),
            None => Decision::at_random(view, &mut rng).noting(note),
        })
    }

    /// Searches the graph of beliefs from the present one.
    fn search_beliefs(
        &mut self,
        context: &DecisionContext,
        rng: Rng,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<Decision, String> {
        let model = self.model.clone();
        let worlds = self.belief.worlds(&*model, context.view, LARGEST).ok_or_else(|| {
            format!(
                "tree=belief needs all possible states, and here there are more than {LARGEST}, or they \
                 cannot be listed; use tree=action-observation"
            )
        })?;
        let (states, now) = (worlds.len() as u64, AtomicBool::new(false));
        let request = context.request(&*model, &now);
        let mut decision = self.beliefs.decide(request, worlds, rng, pause);
        decision.belief = Some(states);
        decision.counters = self.belief.counters();
        decision.notes.append(&mut self.belief.notes());
        Ok(decision)
    }
}

/// Grows the trees from the present, and says what is best.
fn grow(
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
