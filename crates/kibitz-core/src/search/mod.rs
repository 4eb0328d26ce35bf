//! The one tree search. A named planner is a preset of its parts (see `presets.rs`).
//!
//! From the lowest to the highest: `tree.rs` (nodes and edges), `action_tree.rs` (actions in parts), `aim.rs`, `select.rs`, `regret.rs`, `width.rs`, `leaf.rs`,
//! `speculative_batch.rs`, `unseen.rs`, `grown.rs` (trees for people), `public.rs` (several who move at once), `simulate.rs` (the loop that reads like the papers),
//! `run.rs` (budgets and threads), `grow.rs` (the trees of a decision), `beliefs.rs` and `outcomes.rs` (graphs with exact means), `decision.rs` (which of them searches), and here the planner that ties them to a belief and a view.

mod action_tree;
pub mod aim;
mod beliefs;
mod compose;
mod decision;
mod grow;
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
use std::time::Instant;

use crate::belief::{Belief, BeliefKind, Form, OpponentPolicy, Trouble, World};
use crate::evaluate::EvaluatorSpec;
use crate::game::Action;
use crate::model::{SharedModel, collapsed_or_self};
use crate::planner::{Decision, Grown, Planner};
use crate::playout::Playout;
use crate::rng::{Purpose, Rng};
use crate::view::View;
use beliefs::{BeliefSearch, LARGEST};
use compose::{Parts, compose, lists_all};
pub(crate) use decision::natural_horizon;
use decision::{DecisionContext, Instruments, Search};
use macro_search::MacroSearch;
use outcomes::OutcomeSearch;
use params::{Horizon, SearchParams, TreeKind};
use select::Selection;
use tree::Tree;

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
