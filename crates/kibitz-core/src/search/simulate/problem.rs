//! What a search is about.

use super::super::params::{Backup, Expansion, Horizon, Observers, Parallel, SearchParams, TreeKind};
use super::super::select::Selection;
use crate::belief::World;
use crate::evaluate::Evaluator;
use crate::game::Turn;
use crate::keys::{Kind, join};
use crate::model::{Model, State};
use crate::playout::{Playout, Rollout};
use crate::view::View;

/// What all workers of one search share and none changes.
pub(in crate::search) struct Problem<'a> {
    pub model: &'a dyn Model,
    pub view: &'a View,
    pub params: &'a SearchParams,
    /// State, open-loop, action-observation or public; never auto.
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
    /// Where the player has been before, the latest place last, as far as the selection asks for that.
    pub recent: &'a [u64],
}

impl Problem<'_> {
    /// How many numbers are kept of each edge: those of the selection, or what each player gets where that is proved.
    pub fn columns(&self) -> usize {
        if self.params.solver { self.model.info().players } else { self.selection.columns() }
    }

    /// Whether simulations go on through the nodes that they add, and a node needs nothing but its edges.
    pub fn adds_whole_paths(&self) -> bool {
        let SearchParams { backup, observers, parallel, workers, .. } = *self.params;
        let alone = parallel != Parallel::Tree || workers == 1;
        let plain = backup != Backup::Max && observers == Observers::All && self.columns() == 0;
        let plain = plain && !self.selection.draws();
        let told_apart = !matches!(self.kind, TreeKind::Public | TreeKind::OpenLoop);
        self.params.growth() > 1.0 && plain && alone && told_apart
    }

    /// Whether nodes are told apart by what their player has seen.
    #[inline]
    pub fn goes_by_views(&self) -> bool {
        matches!(self.kind, TreeKind::ActionObservation | TreeKind::Public)
    }

    /// Whether actions are chosen part by part.
    #[inline]
    pub fn has_action_trees(&self) -> bool {
        self.params.expansion == Expansion::ActionTree
    }

    /// Whether edges are marked behind which the turn is over and nothing is left to chance.
    #[inline]
    pub fn marks_spent(&self) -> bool {
        let SearchParams { horizon, backup, observers, workers, .. } = *self.params;
        let free = !matches!(backup, Backup::MixMax(_)) && observers == Observers::All;
        horizon == Horizon::Turn && free && workers == 1 && self.selection.is_ucb1()
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

    /// Whether what is legal at a node of `player` is what is legal in the present world: not all of the node's actions
    /// need be, and there may be others.
    #[inline]
    pub fn varies(&self, player: usize) -> bool {
        self.kind == TreeKind::OpenLoop || self.is_observed(player)
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
