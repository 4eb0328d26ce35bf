//! Writes a game out, depth first.

use std::sync::OnceLock;

use super::position::{Position, unequal};
use super::tree::{CHANCE, Node, OVER, Set, Side, Tree, Unwritten};
use crate::game::{Action, Turn};
use crate::interrupt::Pause;
use crate::keys::KeyMap;
use crate::model::Model;

/// Nodes that are written between two looks at the clock.
const SLICE: u32 = 1024;

impl Tree {
    /// Writes a game out, unless it has more nodes than `limit`. `pause` is called now and then; true stops.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn new(model: &dyn Model, limit: usize, pause: Pause) -> Result<Tree, Unwritten> {
        let faults = model.faults();
        let mut builder = Builder::new(model, limit.min(CHANCE as usize / 2));
        let mut done = 0u32;
        while let Some(place) = builder.open.pop() {
            builder.expand(place)?;
            done = done.wrapping_add(1);
            if done.is_multiple_of(SLICE) && (pause() || model.faults() != faults) {
                return Err(Unwritten::Interrupted);
            }
        }
        Ok(builder.finish())
    }
}

/// A history that was found.
struct Place {
    node: u32,
    position: Position,
    /// Each player's own actions so far, counted from its own first sequence.
    sequences: Vec<u32>,
    /// How probable chance makes it.
    chance: f64,
}

struct Builder<'a> {
    model: &'a dyn Model,
    limit: usize,
    open: Vec<Place>,
    tree: Tree,
    /// Information sets by what their player has done and seen.
    index: KeyMap<u32>,
    /// For each player, the actions that make its sequences; the first is the empty one.
    own: Vec<Vec<Action>>,
    legal: Vec<Action>,
}

impl<'a> Builder<'a> {
    fn new(model: &'a dyn Model, limit: usize) -> Builder<'a> {
        let players = model.info().players;
        let position = Position::initial(model);
        let root = Place { node: 0, position, sequences: vec![0; players], chance: 1.0 };
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
        let begin = self.open.len();
        match (place.position.turn, place.position.mover()) {
            (_, Some(player)) => self.decide(&place, player)?,
            (Turn::Chance, None) => self.draw(&place)?,
            (_, None) => {
                let node = &mut self.tree.nodes[place.node as usize];
                (node.what, node.first) = (OVER, self.tree.chance.len() as u32);
                self.tree.endings.extend(&place.sequences);
                self.tree.returns.extend(&place.position.returns);
                self.tree.chance.push(place.chance);
            }
        }
        // The first successor is looked at first, so that information sets are numbered as people would.
        self.open[begin..].reverse();
        Ok(())
    }

    fn draw(&mut self, place: &Place) -> Result<(), Unwritten> {
        if !self.model.info().explicit_chance {
            return Err(Unwritten::Drawn);
        }
        let mut outcomes = Vec::new();
        self.model.chance(place.position.state(), &mut outcomes);
        outcomes.retain(|(_, p)| *p > 0.0);
        let first = self.add(place, CHANCE, outcomes.len())?;
        for (child, (outcome, p)) in (first..).zip(outcomes) {
            self.tree.nodes[child as usize].p = p;
            self.go(place, child, outcome, place.sequences.clone(), place.chance * p);
        }
        Ok(())
    }

    fn decide(&mut self, place: &Place, player: usize) -> Result<(), Unwritten> {
        let set = self.set(place, player)?;
        let Set { first: sequence, count, .. } = self.tree.sets[set as usize];
        let first = self.add(place, set, count as usize)?;
        for (child, sequence) in (first..first + count).zip(sequence..) {
            let mut sequences = place.sequences.clone();
            sequences[player] = sequence;
            let action = self.own[player][sequence as usize];
            self.go(place, child, action, sequences, place.chance);
        }
        Ok(())
    }

    fn go(&mut self, place: &Place, child: u32, action: Action, sequences: Vec<u32>, chance: f64) {
        self.tree.trace[child as usize].1 = action;
        let position = place.position.choose(self.model, action);
        self.open.push(Place { node: child, position, sequences, chance });
    }

    /// The information set of a mover, which may be a new one.
    fn set(&mut self, place: &Place, player: usize) -> Result<u32, Unwritten> {
        place.position.legal(self.model, player, &mut self.legal);
        let own = &mut self.own[player];
        let key = place.position.keys[player];
        if let Some(&known) = self.index.get(&key) {
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
        self.index.insert(key, number);
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
