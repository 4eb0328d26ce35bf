//! The exact belief: every possible world with its probability (Bayes' rule by enumeration).

use std::collections::BTreeMap;

use super::world::{Next, successors};
use super::{Belief, Trouble, World, unexplained};
use crate::model::Model;
use crate::rng::{Rng, derive};
use crate::view::View;

/// Every possible world with its probability. In a game of perfect information that is one.
#[derive(Clone)]
pub struct Exact {
    worlds: Vec<(World, f64)>,
    limit: usize,
}

impl Exact {
    /// An exact belief that refuses to hold more than `limit` worlds.
    pub fn new(limit: usize) -> Exact {
        Exact { worlds: Vec::new(), limit }
    }

    /// The possible worlds with their probabilities.
    pub fn worlds(&self) -> &[(World, f64)] {
        &self.worlds
    }
}

/// Steps that a world may take between two things a player notices, before it counts as endless.
const PATIENCE: usize = 10_000;
const ENDLESS: &str = "the game goes on without end between two of the player's moves";

impl Belief for Exact {
    fn update(&mut self, model: &dyn Model, view: &View, _: &mut Rng) -> Result<(), Trouble> {
        let seen_more = self.worlds.first().is_none_or(|(world, _)| world.at > view.events.len());
        if seen_more {
            self.worlds = vec![(World::initial(model), 1.0)];
        }
        let mut scratch = Vec::new();
        let mut moving = std::mem::take(&mut self.worlds);
        let mut arrived: Vec<(World, f64)> = Vec::new();
        let mut rounds = 0;
        while !moving.is_empty() {
            rounds += 1;
            if rounds > PATIENCE + view.events.len() {
                return Err(Trouble::Unfit(ENDLESS.to_owned()));
            }
            let mut later = Merged::new(model);
            for (world, p) in moving {
                match world.next(model, view, &mut scratch) {
                    Next::Arrived => arrived.push((world, p)),
                    Next::Dead | Next::Untold => {}
                    Next::Step(own) => {
                        let next = successors(model, &world, view, own, self.limit).ok_or_else(|| {
                            self.too_large(
                                "a step has that many outcomes, or chance has no explicit probabilities",
                            )
                        })?;
                        let turn = model.turn(&world.state);
                        for (mut after, joint, q) in next {
                            after.extend_views(model, turn, &joint);
                            later.add(after, p * q);
                        }
                        if later.worlds.len() + arrived.len() > self.limit {
                            return Err(self.too_large("there are that many possible states"));
                        }
                    }
                }
            }
            moving = later.worlds;
        }
        let mut merged = Merged::new(model);
        arrived.into_iter().for_each(|(world, p)| merged.add(world, p));
        self.worlds = merged.worlds;
        let total: f64 = self.worlds.iter().map(|(_, p)| p).sum();
        if total <= 0.0 {
            return Err(unexplained(view));
        }
        self.worlds.iter_mut().for_each(|(_, p)| *p /= total);
        Ok(())
    }

    fn sample(&self, _: &dyn Model, _: &View, rng: &mut Rng, world: &mut World) {
        let chosen = match self.worlds.len() {
            1 => 0,
            _ => rng.weighted(self.worlds.iter().map(|(_, p)| *p)),
        };
        if let Some((source, _)) = self.worlds.get(chosen) {
            world.copy_from(source);
        }
    }

    fn worlds(&self, _: &dyn Model, _: &View, limit: usize) -> Option<Vec<(World, f64)>> {
        (self.worlds.len() <= limit).then(|| self.worlds.clone())
    }

    fn size(&self) -> Option<u64> {
        Some(self.worlds.len() as u64)
    }

    fn certain(&self) -> Option<&World> {
        match self.worlds.as_slice() {
            [(world, _)] => Some(world),
            _ => None,
        }
    }
}

impl Exact {
    fn too_large(&self, why: &str) -> Trouble {
        Trouble::Unfit(format!(
            "an exact belief here would hold more than {} states ({why}); \
             use belief=particles(1000), or a larger limit: belief=exact(limit)",
            self.limit
        ))
    }
}

/// Worlds in the order of their arrival; those that no player can tell apart and that have the
/// same future are one.
struct Merged<'a> {
    model: &'a dyn Model,
    worlds: Vec<(World, f64)>,
    index: BTreeMap<u64, usize>,
}

impl<'a> Merged<'a> {
    fn new(model: &'a dyn Model) -> Merged<'a> {
        Merged { model, worlds: Vec::new(), index: BTreeMap::new() }
    }

    fn add(&mut self, world: World, probability: f64) {
        if self.model.info().has.hash {
            let players = 0..world.keys.len();
            let key = players.fold(self.model.hash(&world.state), |key, player| {
                derive(key, world.view_key(self.model, player))
            });
            let key = derive(key, world.at as u64);
            if let Some(&known) = self.index.get(&key) {
                self.worlds[known].1 += probability;
                return;
            }
            self.index.insert(key, self.worlds.len());
        }
        self.worlds.push((world, probability));
    }
}
