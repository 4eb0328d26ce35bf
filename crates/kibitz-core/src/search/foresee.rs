//! Playing out ahead, where a game plays many games in the time of one.
//!
//! A search that plays out one game from each leaf needs them one after the other: which leaf is next
//! depends on how the last game ended. But it can be guessed. When a playout is needed, the search goes
//! down the tree again and again as if every game ended as the earlier ones did on average, takes back
//! what it noted on the way, and plays out all the leaves found so at once. Each result is kept until a
//! simulation comes to its leaf, and then used, once. The search is the same as if each playout had
//! begun when it was needed: no result decides whether or when it is used.
//!
//! The states found on the way are kept as well, so that a simulation need not replay its path.

use std::sync::atomic::Ordering::Relaxed;

use super::params::{Backup, Expansion, Parallel, SearchParams, Selection, TreeKind};
use super::simulate::{Problem, Worker};
use super::tree::{NONE, NodeId, Tree, Visit};
use crate::belief::World;
use crate::game::{Action, Turn};
use crate::model::{Model, State};
use crate::playout::{Playout, Policy};

/// States that are kept; then all are forgotten, and found again where they are needed.
const MOST: usize = 1 << 16;

/// Leaves that are taken together: all actions of a node are tried before one is tried twice.
const SIBLINGS: usize = 4;
/// Descents that may find nothing new before it is enough.
const IN_VAIN: usize = 8;

/// What is known of the states behind a tree's edges.
pub(super) struct Foresight {
    /// The first is the root's.
    places: Vec<Place>,
    /// For each place what the step to it paid each player, and then how a playout from it ended.
    values: Vec<f64>,
    players: usize,
    /// For each edge of the tree: the place behind it, or 0.
    behind: Vec<u32>,
    /// Where the present simulation is; nowhere, if it has gone on by chance or several at once.
    at: Option<usize>,
    path: u64,
    /// The places to play out from, and what has to be taken back.
    leaves: Vec<usize>,
    visits: Vec<Visit>,
}

struct Place {
    state: State,
    turn: Turn,
    /// The step to it paid something.
    paid: bool,
    /// A playout from it has been made, and not used yet.
    ahead: bool,
}

impl Foresight {
    /// For searches in which all that follows is known behind an edge, and a leaf is played out once.
    pub fn new(problem: &Problem, origin: &World) -> Option<Foresight> {
        let SearchParams { transpositions, width, grow, playouts, depth, horizon, .. } = *problem.params;
        let plain = !transpositions && width.is_none() && grow == 1.0 && playouts == 1;
        let to_the_end = depth.is_none() && horizon.is_none() && problem.playout.policy == Policy::Random;
        let alone = problem.params.parallel == Parallel::Root || problem.params.workers == 1;
        let many = problem.model.info().at_once > 1 && problem.params.backup != Backup::Max;
        let by_bounds =
            problem.params.selection == Selection::Ucb1 && problem.params.expansion == Expansion::All;
        (problem.kind == TreeKind::State && plain && to_the_end && alone && many && by_bounds).then(|| {
            Foresight {
                places: vec![Place {
                    state: origin.state.clone(),
                    turn: problem.model.turn(&origin.state),
                    paid: false,
                    ahead: false,
                }],
                values: vec![0.0; 2 * problem.model.info().players],
                players: problem.model.info().players,
                behind: Vec::new(),
                at: None,
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
            self.values.truncate(2 * self.players);
            self.behind.fill(0);
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

    /// Goes along an edge, and adds what that pays.
    pub fn step(&mut self, model: &dyn Model, edge: u32, action: Action, rewards: &mut [f64]) {
        let Some(from) = self.at else { return };
        let (to, _) = self.follow(model, from, edge, action);
        self.at = Some(to);
        if self.places[to].paid {
            let paid = &self.values[2 * to * self.players..];
            rewards.iter_mut().zip(paid).for_each(|(total, reward)| *total += reward);
        }
    }

    /// Leaves the states that are kept; the present one is copied.
    pub fn leave(&mut self, state: &mut State) {
        if let Some(at) = self.at.take() {
            state.clone_from(&self.places[at].state);
        }
    }

    /// The place behind an edge, and whether it is new.
    fn follow(&mut self, model: &dyn Model, from: usize, edge: u32, action: Action) -> (usize, bool) {
        let edge = edge as usize;
        if self.behind.len() <= edge {
            self.behind.resize(edge + 1 + edge / 2, 0);
        }
        if self.behind[edge] != 0 {
            return (self.behind[edge] as usize, false);
        }
        let begin = self.values.len();
        self.values.resize(begin + 2 * self.players, 0.0);
        let rewards = &mut self.values[begin..begin + self.players];
        let state = model.after(&self.places[from].state, &[action], rewards);
        let paid = rewards.iter().any(|reward| *reward != 0.0);
        self.places.push(Place { turn: model.turn(&state), state, paid, ahead: false });
        self.behind[edge] = self.places.len() as u32 - 1;
        (self.places.len() - 1, true)
    }

    /// Notes the next leaves behind a node's edges; false if there are none that are new.
    fn take_leaves(&mut self, model: &dyn Model, tree: &Tree, node: NodeId, place: usize) -> bool {
        let before = self.leaves.len();
        let tried = tree.node(node).tried.load(Relaxed);
        let edges = (tree.first_edge(node)..).zip(tree.edges(node));
        for (edge, at) in edges.skip(tried.into()) {
            let (next, new) = self.follow(model, place, edge, at.action());
            if new && matches!(self.places[next].turn, Turn::One(_)) {
                self.leaves.push(next);
                if self.leaves.len() == before + SIBLINGS {
                    break;
                }
            }
        }
        self.leaves.len() > before
    }
}

impl Worker<'_> {
    /// The return of a playout from the present leaf, if that is a state which is kept.
    pub(super) fn play_out_ahead(&mut self, tree: &Tree, how: &Playout) -> bool {
        let Some(mut foresight) = self.foresight.take() else { return false };
        let known = match foresight.at {
            None => false,
            Some(at) => {
                if !foresight.places[at].ahead {
                    self.foresee(tree, &mut foresight, at, how);
                }
                if std::mem::take(&mut foresight.places[at].ahead) {
                    let ended = &foresight.values[(2 * at + 1) * foresight.players..];
                    self.returns.iter_mut().zip(ended).for_each(|(total, value)| *total += value);
                }
                true
            }
        };
        self.foresight = Some(foresight);
        known
    }

    /// Plays out from a leaf, and from others that will probably be next.
    fn foresee(&mut self, tree: &Tree, foresight: &mut Foresight, leaf: usize, how: &Playout) {
        let model = self.problem.model;
        if foresight.places[leaf].turn == Turn::Over {
            return;
        }
        foresight.leaves.clear();
        foresight.leaves.push(leaf);
        // A share of what has been done so far: the clock is looked at in time, and little is in vain.
        let wanted = (self.simulations / 4 + 1).min(model.info().at_once.into()) as usize;
        let mut in_vain = 0;
        while foresight.leaves.len() < wanted && in_vain < IN_VAIN {
            in_vain += usize::from(!self.descend(tree, foresight));
        }
        while let Some(visit) = foresight.visits.pop() {
            tree.take_back(visit);
        }
        let Foresight { places, values, players, leaves, .. } = foresight;
        let (players, states) = (*players, leaves.iter().map(|leaf| &places[*leaf].state));
        let states: Vec<&State> = states.collect();
        let mut returns = vec![0.0; players * states.len()];
        model.playouts_each(&states, how, &mut self.rng, &mut returns);
        for (leaf, returns) in leaves.iter().zip(returns.chunks(players)) {
            places[*leaf].ahead = true;
            values[(2 * leaf + 1) * players..][..players].copy_from_slice(returns);
        }
    }

    /// Goes down as the search would if nothing new were learnt and all leaves that are known had been
    /// tried, to a node with others. False if it finds none.
    fn descend(&mut self, tree: &Tree, foresight: &mut Foresight) -> bool {
        let model = self.problem.model;
        let (mut node, mut place) = (self.root, 0);
        loop {
            let Turn::One(player) = foresight.places[place].turn else { return false };
            if tree.edges(node).is_empty() {
                self.expand(tree, node, player, Some(&foresight.places[place].state));
            }
            if foresight.take_leaves(model, tree, node, place) {
                return true;
            }
            let edges = tree.edges(node);
            let tried = usize::from(tree.node(node).tried.load(Relaxed));
            if tried == 0 {
                return false;
            }
            let chosen = self.rule.best_tried(tree, node, &edges[..tried]);
            let edge = tree.first_edge(node) + chosen as u32;
            foresight.visits.push(tree.pretend(node, edge));
            let child = edges[chosen].child.load(Relaxed);
            if child == NONE {
                return false; // the game is over there
            }
            place = foresight.follow(model, place, edge, edges[chosen].action()).0;
            node = child;
        }
    }
}
