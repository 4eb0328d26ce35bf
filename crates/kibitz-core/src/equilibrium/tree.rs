//! A whole game as flat arrays: its tree, for those who sample it, and its sequence form, for those who
//! look at all of it.
//!
//! Players who move at once do so one after the other here, none seeing what the others choose: that is
//! the same game. An information set is what a player has done and seen ([`crate::view`]), so that nobody
//! ever forgets, and a *sequence* is a player's own actions up to some point: an information set and one of
//! its actions, or nothing yet.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::OnceLock;

use super::payoffs::Payoffs;
use crate::game::{Action, Turn};
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::view::{after_action, after_observation, view_seed};

/// What happens at a node, if no player moves there.
pub(super) const OVER: u32 = u32::MAX;
pub(super) const CHANCE: u32 = u32::MAX - 1;

/// One history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The probability with which chance comes here, where it is chance who does.
    pub p: f64,
    /// Whose information set, by its number; or chance's turn; or the end.
    pub what: u32,
    /// The first of its successors, which lie side by side; at the end, the number of the ending.
    pub first: u32,
    /// How many successors there are.
    pub count: u32,
}

/// One decision of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    /// Whose.
    pub player: u32,
    /// How many actions there are.
    pub count: u32,
    /// The sequence of the first of them; the others follow.
    pub first: u32,
    /// The sequence that leads here.
    pub parent: u32,
}

impl Set {
    /// The sequences that go on from here, one an action.
    #[inline]
    pub fn sequences(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// One player's side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Its information sets: none before one that leads to it.
    pub sets: Range<usize>,
    /// Its sequences; the first is the empty one.
    pub sequences: Range<usize>,
}

/// A game written out.
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    /// For each node, the one before it, and what was done there.
    trace: Vec<(u32, Action)>,
    /// All information sets, the first player's first.
    pub sets: Vec<Set>,
    /// Each player's part of the information sets and sequences.
    pub sides: Vec<Side>,
    /// For each sequence its last action.
    pub actions: Vec<Action>,
    /// A node of each information set.
    found: Vec<u32>,
    /// The sequences of all players that come to each ending.
    pub(super) endings: Vec<u32>,
    /// What each player gets there.
    pub(super) returns: Vec<f64>,
    /// How probable chance makes it.
    pub(super) chance: Vec<f64>,
    payoffs: OnceLock<Payoffs>,
}

/// Why a game was not written out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// It has more nodes than these.
    Large(usize),
    /// Chance is only drawn.
    Drawn,
    /// Somebody wanted to stop.
    Interrupted,
    /// The game breaks its contract, in a sentence.
    Broken(String),
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritten::Large(nodes) => write!(
                f,
                "the game has more than {nodes} nodes; allow more, take smaller parameters, or use \
                 method=external-sampling, which needs no whole tree"
            ),
            Unwritten::Drawn => f.write_str(
                "this needs explicit probabilities of chance, which the game lacks; \
                 method=external-sampling does not",
            ),
            Unwritten::Interrupted => f.write_str("interrupted"),
            Unwritten::Broken(what) => f.write_str(what),
        }
    }
}

/// That a game offers different actions to a player who cannot know which.
pub(super) fn unequal(model: &dyn Model, player: usize) -> String {
    format!(
        "two states that {} cannot tell apart offer different actions, so that no strategy can be written \
         down; what is legal must follow from what was done and seen",
        model.player_name(player)
    )
}

impl Tree {
    /// Writes a game out, unless it has more nodes than `limit`. `pause` is called now and then; true stops.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn new(
        model: &dyn Model,
        limit: usize,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<Tree, Unwritten> {
        let faults = model.faults();
        let mut builder = Builder::new(model, limit.min(CHANCE as usize / 2));
        let mut countdown = 0u32;
        while let Some(place) = builder.open.pop() {
            builder.expand(place)?;
            countdown += 1;
            if countdown.is_multiple_of(1024) && (pause() || model.faults() != faults) {
                return Err(Unwritten::Interrupted);
            }
        }
        Ok(builder.finish())
    }

    /// How many players there are.
    pub fn players(&self) -> usize {
        self.sides.len()
    }

    /// What sequences get, worked out when it is first asked for.
    pub(super) fn payoffs(&self) -> &Payoffs {
        self.payoffs.get_or_init(|| Payoffs::new(self))
    }

    /// How many histories there are.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The information sets in which the first decisions are made, chance alone having moved; of movers at
    /// the same time, the first one's.
    pub fn opening(&self) -> Vec<usize> {
        let mut sets = Vec::new();
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Node { what, first, count, .. } = self.nodes[at as usize];
            match what {
                OVER => {}
                CHANCE => open.extend((first..first + count).rev()),
                set if !sets.contains(&(set as usize)) => sets.push(set as usize),
                _ => {}
            }
        }
        sets
    }

    /// The endings, side by side: the sequences of all players that come to each, chance's probability of it,
    /// and what each player gets.
    pub fn endings(&self) -> (&[u32], &[f64], &[f64]) {
        (&self.endings, &self.chance, &self.returns)
    }

    /// One of the histories that lead to an information set: what was done, by chance too.
    pub fn history(&self, set: usize) -> Vec<Action> {
        let mut at = self.found[set];
        let mut history = Vec::new();
        while at != 0 {
            let (before, action) = self.trace[at as usize];
            history.push(action);
            at = before;
        }
        history.reverse();
        history
    }
}

/// A history that was found, and what is known about it.
struct Place {
    node: u32,
    state: Rc<State>,
    /// What the first of several movers have chosen.
    chosen: Vec<Action>,
    keys: Vec<u64>,
    /// Each player's own actions so far, counted from its own first sequence.
    sequences: Vec<u32>,
    returns: Vec<f64>,
    weight: f64,
    chance: f64,
}

struct Builder<'a> {
    model: &'a dyn Model,
    limit: usize,
    open: Vec<Place>,
    tree: Tree,
    /// Information sets by what their player has done and seen.
    index: KeyMap<u32>,
    /// For each player: how many sequences there are, and the actions that make them.
    own: Vec<Vec<Action>>,
    legal: Vec<Action>,
}

impl<'a> Builder<'a> {
    fn new(model: &'a dyn Model, limit: usize) -> Builder<'a> {
        let players = model.info().players;
        let root = Place {
            node: 0,
            state: Rc::new(model.initial()),
            chosen: Vec::new(),
            keys: (0..players).map(view_seed).collect(),
            sequences: vec![0; players],
            returns: vec![0.0; players],
            weight: 1.0,
            chance: 1.0,
        };
        let tree = Tree {
            nodes: vec![Node { p: 1.0, what: OVER, first: 0, count: 0 }],
            trace: vec![(0, Action(0))],
            sets: Vec::new(),
            sides: Vec::new(),
            actions: Vec::new(),
            found: Vec::new(),
            endings: Vec::new(),
            returns: Vec::new(),
            chance: Vec::new(),
            payoffs: OnceLock::new(),
        };
        let own = vec![vec![Action(0)]; players];
        Builder { model, limit, open: vec![root], tree, index: KeyMap::default(), own, legal: Vec::new() }
    }

    fn expand(&mut self, place: Place) -> Result<(), Unwritten> {
        let turn = self.model.turn(&place.state);
        let begin = self.open.len();
        match turn {
            Turn::Over => {
                let node = &mut self.tree.nodes[place.node as usize];
                (node.what, node.first) = (OVER, self.tree.chance.len() as u32);
                self.tree.endings.extend(&place.sequences);
                self.tree.returns.extend(&place.returns);
                self.tree.chance.push(place.chance);
            }
            Turn::Chance => {
                if !self.model.info().has.explicit_chance {
                    return Err(Unwritten::Drawn);
                }
                let mut outcomes = Vec::new();
                self.model.chance(&place.state, &mut outcomes);
                outcomes.retain(|(_, p)| *p > 0.0);
                let first = self.add(&place, CHANCE, outcomes.len())?;
                for (child, (outcome, p)) in (first..).zip(outcomes) {
                    self.tree.nodes[child as usize].p = p;
                    self.tree.trace[child as usize].1 = outcome;
                    let sequences = place.sequences.clone();
                    self.step(&place, child, turn, &[outcome], sequences, place.chance * p);
                }
            }
            _ => self.decide(&place, turn)?,
        }
        // The first successor is looked at first, so that information sets are numbered as people would.
        self.open[begin..].reverse();
        Ok(())
    }

    /// The next of the movers chooses; after the last one, the step is taken.
    fn decide(&mut self, place: &Place, turn: Turn) -> Result<(), Unwritten> {
        let Some(player) = turn.movers().iter().nth(place.chosen.len()) else {
            return Err(Unwritten::Broken("a turn has no movers".to_owned()));
        };
        let set = self.set(place, player)?;
        let Set { first: sequence, count, .. } = self.tree.sets[set as usize];
        let first = self.add(place, set, count as usize)?;
        let is_last = place.chosen.len() + 1 == turn.width();
        for (child, sequence) in (first..first + count).zip(sequence..) {
            let action = self.own[player][sequence as usize];
            self.tree.trace[child as usize].1 = action;
            let mut joint = place.chosen.clone();
            joint.push(action);
            let mut sequences = place.sequences.clone();
            sequences[player] = sequence;
            if is_last {
                self.step(place, child, turn, &joint, sequences, place.chance);
            } else {
                self.open.push(Place {
                    node: child,
                    state: place.state.clone(),
                    chosen: joint,
                    keys: place.keys.clone(),
                    sequences,
                    returns: place.returns.clone(),
                    ..*place
                });
            }
        }
        Ok(())
    }

    /// The information set of a mover, which may be a new one.
    fn set(&mut self, place: &Place, player: usize) -> Result<u32, Unwritten> {
        self.legal.clear();
        self.model.legal(&place.state, player, &mut self.legal);
        self.legal.sort_unstable();
        let own = &mut self.own[player];
        if let Some(&known) = self.index.get(&place.keys[player]) {
            let set = self.tree.sets[known as usize];
            if set.player as usize != player || own[set.sequences()] != self.legal {
                return Err(Unwritten::Broken(unequal(self.model, player)));
            }
            return Ok(known);
        }
        let number = self.tree.sets.len() as u32;
        self.tree.sets.push(Set {
            player: player as u32,
            count: self.legal.len() as u32,
            first: own.len() as u32,
            parent: place.sequences[player],
        });
        self.tree.found.push(place.node);
        own.extend(&self.legal);
        self.index.insert(place.keys[player], number);
        Ok(number)
    }

    /// Makes room for the successors of a node.
    fn add(&mut self, place: &Place, what: u32, count: usize) -> Result<u32, Unwritten> {
        let tree = &mut self.tree;
        let first = tree.nodes.len();
        if first + count > self.limit {
            return Err(Unwritten::Large(self.limit));
        }
        let node = &mut tree.nodes[place.node as usize];
        (node.what, node.first, node.count) = (what, first as u32, count as u32);
        tree.nodes.resize(first + count, Node { p: 1.0, what: OVER, first: 0, count: 0 });
        tree.trace.resize(first + count, (place.node, Action(0)));
        Ok(first as u32)
    }

    fn step(
        &mut self,
        place: &Place,
        child: u32,
        turn: Turn,
        joint: &[Action],
        sequences: Vec<u32>,
        chance: f64,
    ) {
        let model = self.model;
        let mut rewards = vec![0.0; sequences.len()];
        let state = model.after(&place.state, joint, &mut rewards);
        let returns = place.returns.iter().zip(rewards).map(|(sum, reward)| sum + place.weight * reward);
        let keys = seen(model, &place.keys, &state, turn, joint);
        let discount = if turn == Turn::Chance { 1.0 } else { model.info().discount };
        self.open.push(Place {
            node: child,
            state: Rc::new(state),
            chosen: Vec::new(),
            keys,
            sequences,
            returns: returns.collect(),
            weight: place.weight * discount,
            chance,
        });
    }

    /// Puts each player's information sets and sequences side by side.
    fn finish(self) -> Tree {
        let mut tree = self.tree;
        let (mut sets, mut sequences) = (0, 0);
        for (player, own) in self.own.iter().enumerate() {
            let count = tree.sets.iter().filter(|set| set.player as usize == player).count();
            tree.sides.push(Side { sets: sets..sets + count, sequences: sequences..sequences + own.len() });
            tree.actions.extend(own);
            (sets, sequences) = (sets + count, sequences + own.len());
        }
        let first = |player: u32| tree.sides[player as usize].sequences.start as u32;
        let mut order: Vec<u32> = (0..tree.sets.len() as u32).collect();
        order.sort_by_key(|&number| tree.sets[number as usize].player);
        let mut place = vec![0; order.len()];
        for (now, &before) in (0..).zip(&order) {
            place[before as usize] = now;
        }
        let moved = |&before: &u32| {
            let set = tree.sets[before as usize];
            Set { first: set.first + first(set.player), parent: set.parent + first(set.player), ..set }
        };
        let sets = order.iter().map(moved).collect();
        for (player, sequence) in (0..self.own.len()).cycle().zip(&mut tree.endings) {
            *sequence += first(player as u32);
        }
        tree.found = order.iter().map(|&before| tree.found[before as usize]).collect();
        tree.sets = sets;
        for node in tree.nodes.iter_mut().filter(|node| node.what < CHANCE) {
            node.what = place[node.what as usize];
        }
        tree
    }
}

/// The keys of all players' views after a step.
pub(super) fn seen(
    model: &dyn Model,
    before: &[u64],
    state: &State,
    turn: Turn,
    joint: &[Action],
) -> Vec<u64> {
    let mut keys = before.to_vec();
    for (mover, action) in turn.movers().iter().zip(joint) {
        keys[mover] = after_action(keys[mover], *action);
    }
    for (player, key) in keys.iter_mut().enumerate() {
        *key = after_observation(*key, model.observe(state, turn, joint, player));
    }
    keys
}
