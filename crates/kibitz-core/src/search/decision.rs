//! One decision: what it is about, and what searches for it.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::grow::grow;
use super::outcomes::{OutcomeSearch, SearchConfig};
use super::params::{Horizon, SearchParams, TreeKind};
use super::run::{SearchRequest, Stop};
use super::select::Selection;
use super::simulate::Problem;
use super::tree::Tree;
use crate::belief::{Belief, World};
use crate::evaluate::Evaluator;
use crate::game::Info;
use crate::model::{Model, SharedModel};
use crate::planner::Decision;
use crate::playout::{Playout, Rollout};
use crate::rng::Rng;
use crate::view::View;

/// A simulation in a game without end and without discount stops after this many moves.
const ENDLESS: u32 = 10_000;
/// Where the game discounts, a simulation stops when what is left counts less than this (POMCP).
const EPSILON: f64 = 0.01;
/// What is the same for all that happens in one decision.
pub(super) struct DecisionContext<'a> {
    pub params: &'a SearchParams,
    pub view: &'a View,
    pub begun: Instant,
    /// The failures of the game before it.
    pub faults: u64,
    pub kind: TreeKind,
    /// Which one of the episode it is.
    pub number: u64,
}

impl DecisionContext<'_> {
    /// What is asked of a search that is not one of trees.
    pub fn request<'a>(&'a self, model: &'a dyn Model, now: &'a AtomicBool) -> SearchRequest<'a> {
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
    pub fn rollout(&self, model: &dyn Model) -> Rollout {
        let SearchParams { depth, horizon, ref evaluator, .. } = *self.params;
        let settles = matches!(horizon, Horizon::Moves(_)) && evaluator.is_none() && !model.has().evaluator;
        let one_turn = horizon == Horizon::Turn;
        Rollout { settles, one_turn, ..Rollout::random(depth.unwrap_or(u32::MAX), model.info().discount) }
    }

    /// Moves after which a simulation stops.
    pub fn horizon(&self, info: &Info) -> u32 {
        match self.params.horizon {
            Horizon::Moves(moves) => moves,
            Horizon::Natural | Horizon::Turn => natural_horizon(info),
        }
    }
}

/// What is grown from the present: trees of what is drawn, or the graph of all outcomes.
pub(super) enum Search<'a> {
    Trees(&'a mut Vec<Tree>),
    Outcomes(&'a mut OutcomeSearch),
}

/// The parts that a simulation is made of.
pub(super) struct Instruments<'a> {
    pub playout: &'a mut Box<dyn Playout>,
    pub selection: &'a dyn Selection,
    pub evaluator: Option<&'a dyn Evaluator>,
    pub recent: &'a [u64],
}

impl Instruments<'_> {
    /// What a search is about, from a world that may be the present one.
    pub fn problem<'a>(
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
    pub fn run(
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
