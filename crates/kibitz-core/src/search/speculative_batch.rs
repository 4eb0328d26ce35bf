//! Playing out ahead, where a game plays many games in the time of one.
//!
//! A search that plays out one game from each leaf needs them one after the other: which leaf is next
//! depends on how the last game ended. But it can be guessed. When a playout is needed, the search goes
//! down the tree again and again as if every game ended as the earlier ones did on average, takes back
//! what it noted on the way, and plays out all the leaves found so at once. Each result is kept until a
//! simulation comes to its leaf, and then used, once. The search is the same as if each playout had
//! begun when it was needed: no result decides whether or when it is used.
//!
//! The states on the way are kept as well, so that a simulation need not replay its path.

use std::sync::atomic::Ordering::Relaxed;

use super::params::{Backup, Expansion, Horizon, Parallel, SearchParams, TreeKind};
use super::simulate::{Problem, Worker};
use super::tree::{NONE, NodeId, Tree, Visit};
use crate::belief::World;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::model::{Model, State};
use crate::playout::{Policy, Rollout};

/// States that are kept; then all are forgotten, and found again where they are needed.
const MOST: usize = 1 << 16;
/// Descents that may find nothing new before it is enough.
const IN_VAIN: usize = 8;
/// Playouts that are made before anybody looks at the clock.
const IN_ONE_GO: usize = 1024;

/// What is known of what lies behind a tree's edges.
pub(super) struct SpeculativeBatch {
    /// The first is the root's.
    places: Vec<Place>,
    /// For each place, what the step to it paid each player.
    paid: Vec<f64>,
    /// For each playout that has been made, how it ended for each player, the first step included.
    ends: Vec<f64>,
    players: usize,
    behind: Vec<Behind>,
    /// Where the present simulation is; nowhere, if it has gone on by chance or several at once.
    at: Option<usize>,
    /// The place and the edge that it came by.
    came: (usize, u32),
    path: u64,
    /// What to play out, and what has to be taken back.
    leaves: Vec<Leaf>,
    visits: Vec<Visit>,
}

struct Place {
    state: State,
    turn: Turn,
}

/// What lies behind an edge.
#[derive(Clone, Copy, Default)]
struct Behind {
    /// The place, or 0.
    place: u32,
    /// The number of a playout that has not been used, from 1; or 0.
    playout: u32,
}

/// An edge to play out from, and the place before it.
#[derive(Clone, Copy)]
struct Leaf {
    place: usize,
    action: Action,
}

impl SpeculativeBatch {
    /// For searches in which all that follows is known behind an edge, and a leaf is played out once.
    pub fn new(problem: &Problem, origin: &World) -> Option<SpeculativeBatch> {
        let SearchParams { transpositions, width, playouts, depth, horizon, solver, .. } = *problem.params;
        let plain = !transpositions
            && !solver
            && width.is_none()
            && problem.params.growth() == 1.0
            && playouts == 1;
        let random = problem.playout.plain() == Some(Policy::Random);
        let to_the_end = depth.is_none() && horizon == Horizon::Natural && random;
        let alone = problem.params.parallel == Parallel::Root || problem.params.workers == 1;
        let by_bounds = problem.selection.is_ucb1() && problem.params.expansion == Expansion::All;
        let info = problem.model.info();
        let many =
            problem.model.at_once() > 1 && info.discount == 1.0 && problem.params.backup != Backup::Max;
        (problem.kind == TreeKind::State && plain && to_the_end && alone && many && by_bounds).then(|| {
            let state = origin.state.clone();
            SpeculativeBatch {
                places: vec![Place { turn: problem.model.turn(&state), state }],
                paid: vec![0.0; info.players],
                ends: Vec::new(),
                players: info.players,
                behind: Vec::new(),
                at: None,
                came: (0, 0),
                path: origin.path,
                leaves: Vec::new(),
                visits: Vec::new(),
            }
        })
    }

    /// Goes back to the root; gives its path.
    pub fn begin(&mut self) -> u64 {
        if self.places.len() > MOST {
            self.places.truncate(1);
            self.paid.truncate(self.players);
            self.ends.clear();
            self.behind.fill(Behind::default());
        }
        self.at = Some(0);
        self.path
    }

    /// The present state, if it is one of those that are kept.
    #[inline]
    pub fn state(&self) -> Option<&State> {
        self.at.map(|at| &self.places[at].state)
    }

    /// Whose turn it is there.
    #[inline]
    pub fn turn(&self) -> Option<Turn> {
        self.at.map(|at| self.places[at].turn)
    }

    /// Goes along an edge, and adds what that pays. True if that was a step of the model.
    pub fn step(&mut self, model: &dyn Model, edge: u32, action: Action, rewards: &mut [f64]) -> bool {
        let Some(from) = self.at else { return false };
        let before = self.places.len();
        let to = self.follow(model, from, edge, action);
        (self.at, self.came) = (Some(to), (from, edge));
        let paid = &self.paid[to * self.players..];
        rewards.iter_mut().zip(paid).for_each(|(total, reward)| *total += reward);
        self.places.len() > before
    }

    /// Leaves the states that are kept; the present one is copied.
    pub fn leave(&mut self, state: &mut State) {
        if let Some(at) = self.at.take() {
            state.clone_from(&self.places[at].state);
        }
    }

    fn behind(&mut self, edge: u32) -> &mut Behind {
        let edge = edge as usize;
        if self.behind.len() <= edge {
            self.behind.resize(edge + 1 + edge / 2, Behind::default());
        }
        &mut self.behind[edge]
    }

    /// The place behind an edge.
    fn follow(&mut self, model: &dyn Model, from: usize, edge: u32, action: Action) -> usize {
        let known = self.behind(edge).place as usize;
        if known != 0 {
            return known;
        }
        let begin = self.paid.len();
        self.paid.resize(begin + self.players, 0.0);
        let state = model.after(&self.places[from].state, &[action], &mut self.paid[begin..]);
        self.places.push(Place { turn: model.turn(&state), state });
        self.behind(edge).place = self.places.len() as u32 - 1;
        self.places.len() - 1
    }

    /// Notes that a playout is to be made behind an edge; false if there is one.
    fn take(&mut self, place: usize, edge: u32, action: Action) -> bool {
        let number = (self.ends.len() / self.players + self.leaves.len() + 1) as u32;
        let behind = self.behind(edge);
        let new = behind.playout == 0;
        if new {
            behind.playout = number;
            self.leaves.push(Leaf { place, action });
        }
        new
    }

    /// Notes the edges of a node that have not been tried, as many as are played out in one go; false if all have
    /// been noted before.
    fn take_all(&mut self, tree: &Tree, node: NodeId, place: usize) -> bool {
        let edges = (tree.first_edge(node)..).zip(tree.edges(node)).skip(tree.tried(node));
        let mut any = false;
        for (edge, at) in edges {
            if self.leaves.len() >= IN_ONE_GO {
                break;
            }
            any |= self.take(place, edge, at.action());
        }
        any
    }
}

impl Worker<'_> {
    /// The return of a playout from the present leaf, if that is a state which is kept.
    pub(super) fn play_out_ahead(&mut self, tree: &Tree, how: &Rollout) -> bool {
        let Some(mut speculative) = self.speculative.take() else { return false };
        if let Some(at) = speculative.at
            && speculative.places[at].turn != Turn::Over
        {
            let (from, edge) = speculative.came;
            if speculative.behind(edge).playout == 0 {
                speculative.take(from, edge, tree.edge(edge).action());
                if let Some(chosen) = self.choices.last() {
                    speculative.take_all(tree, chosen.node, from);
                }
                self.speculate(tree, &mut speculative, how);
            }
            let playout = std::mem::take(&mut speculative.behind(edge).playout) as usize - 1;
            let ended = &speculative.ends[playout * speculative.players..];
            let paid = &speculative.paid[at * speculative.players..];
            for ((total, end), paid) in self.returns.iter_mut().zip(ended).zip(paid) {
                *total += end - paid;
            }
        }
        let known = speculative.at.is_some();
        self.speculative = Some(speculative);
        known
    }

    /// Makes the playouts that have been noted, and others that will probably be needed next.
    fn speculate(&mut self, tree: &Tree, speculative: &mut SpeculativeBatch, how: &Rollout) {
        let model = self.problem.model;
        let (wanted, mut in_vain) = (model.at_once() as usize, 0);
        while speculative.leaves.len() < wanted && in_vain < IN_VAIN {
            in_vain += usize::from(!self.descend(tree, speculative));
        }
        while let Some(visit) = speculative.visits.pop() {
            tree.take_back(visit);
        }
        let SpeculativeBatch { places, ends, leaves, players, .. } = speculative;
        let starts: Vec<(&State, Action)> =
            leaves.iter().map(|leaf| (&places[leaf.place].state, leaf.action)).collect();
        let begin = ends.len();
        ends.resize(begin + *players * starts.len(), 0.0);
        self.transitions += model.playouts_after(&starts, how, &mut self.rng, &mut ends[begin..]);
        leaves.clear();
    }

    /// Goes down as the search would if nothing new were learnt and all leaves that are known had been
    /// tried, to a node with others. False if it finds none.
    fn descend(&mut self, tree: &Tree, speculative: &mut SpeculativeBatch) -> bool {
        let (mut node, mut place) = (self.root, 0);
        loop {
            let Turn::One(player) = speculative.places[place].turn else { return false };
            if tree.edges(node).is_empty() {
                // UCB1, with which alone there are batches, makes nothing ready that could take long.
                let (state, never) = (&speculative.places[place].state, &mut Interrupt::never());
                self.expand(tree, node, player, Some(state), never);
            }
            if speculative.take_all(tree, node, place) {
                return true;
            }
            let edges = tree.edges(node);
            let tried = tree.tried(node);
            if tried == 0 {
                return false;
            }
            let chosen = self.rule.best_tried(tree, node, &edges[..tried]);
            let edge = tree.first_edge(node) + chosen as u32;
            speculative.visits.push(tree.pretend(node, edge));
            let child = edges[chosen].child.load(Relaxed);
            if child == NONE {
                return false; // the game is over there
            }
            let before = speculative.places.len();
            place = speculative.follow(self.problem.model, place, edge, edges[chosen].action());
            self.transitions += (speculative.places.len() - before) as u64;
            node = child;
        }
    }
}
