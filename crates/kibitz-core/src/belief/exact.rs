//! The exact belief: every possible world with its probability (Bayes' rule by enumeration).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::opponents::{Conduct, Opponents};
use super::past::{Ledger, Past, Unlisted};
use super::world::Next;
use super::{Belief, Counter, Trouble, World};
use crate::model::Model;
use crate::rng::{Rng, derive};
use crate::view::View;

/// Every possible world with its probability. In a game of perfect information that is one.
#[derive(Clone)]
pub struct Exact {
    worlds: Vec<(World, f64)>,
    limit: usize,
    ledger: Ledger,
}

impl Exact {
    /// An exact belief that refuses to hold more than `limit` worlds.
    pub fn new(limit: usize) -> Exact {
        Exact { worlds: Vec::new(), limit, ledger: Ledger::default() }
    }

    /// The same, with other players who are taken to choose in some way.
    pub fn against(mut self, opponents: Opponents) -> Exact {
        self.ledger.opponents = opponents;
        self
    }

    /// The possible worlds with their probabilities.
    pub fn worlds(&self) -> &[(World, f64)] {
        &self.worlds
    }
}

/// Steps that a world may take between two things a player notices, before it counts as endless.
const PATIENCE: usize = 10_000;
const ENDLESS: &str = "the game goes on without end between two of the player's moves";

/// Takes all worlds to the present.
fn follow(past: &Past, worlds: Vec<(World, f64)>, limit: usize) -> Result<Vec<(World, f64)>, Trouble> {
    let mut scratch = Vec::new();
    let mut moving = worlds;
    let mut arrived: Vec<(World, f64)> = Vec::new();
    let mut rounds = 0;
    while !moving.is_empty() {
        rounds += 1;
        if rounds > PATIENCE + past.view.events.len() {
            return Err(Trouble::Unfit(ENDLESS.to_owned()));
        }
        let mut later = Merged::new(past.model);
        let (all, here) = (moving.len() as f64, arrived.len());
        for (done, (world, p)) in (1..).zip(moving) {
            match past.next(&world, &mut scratch) {
                Next::Arrived => arrived.push((world, p)),
                Next::Dead | Next::Untold => {}
                Next::Step(own) => {
                    let next = past.successors(&world, own, limit).map_err(|why| match why {
                        Unlisted::Many(each) => too_large(limit, here as f64 + all * each),
                        Unlisted::Drawn => Trouble::Unfit(DRAWN.to_owned()),
                    })?;
                    let turn = past.model.turn(&world.state);
                    for (mut after, joint, q) in next {
                        after.extend_views(past.model, turn, &joint);
                        later.add(after, p * q);
                    }
                    let found = later.worlds.len() + arrived.len();
                    if found > limit {
                        // The worlds that are left to look at will lead to as many each.
                        let each = (found - here) as f64 / f64::from(done);
                        return Err(too_large(limit, here as f64 + all * each));
                    }
                }
            }
        }
        moving = later.worlds;
    }
    let mut merged = Merged::new(past.model);
    for (mut world, p) in arrived {
        past.arrive(&mut world);
        merged.add(world, p);
    }
    let mut worlds = merged.worlds;
    let total: f64 = worlds.iter().map(|(_, p)| p).sum();
    // Neither nothing nor so little that it cannot be divided by.
    if !total.is_normal() {
        return Err(past.unexplained());
    }
    worlds.iter_mut().for_each(|(_, p)| *p /= total);
    Ok(worlds)
}

const DRAWN: &str =
    "an exact belief needs explicit chance, which this game lacks here; use belief=particles(1000)";

fn too_large(limit: usize, estimate: f64) -> Trouble {
    Trouble::Unfit(format!(
        "an exact belief here would hold more than {limit} states, at least about {}; \
         use belief=particles(1000), or a larger limit: belief=exact(limit)",
        round(estimate)
    ))
}

/// A large number with two digits.
fn round(number: f64) -> String {
    if number < 1e6 {
        let unit = 10f64.powi((number.log10().floor() as i32 - 1).max(0));
        return format!("{:.0}", (number / unit).round() * unit);
    }
    format!("{number:.1e}")
}

impl Belief for Exact {
    fn assume(&mut self, conduct: Option<Arc<dyn Conduct>>) {
        self.ledger.conduct = conduct;
    }

    fn update(&mut self, model: &dyn Model, view: &View, _: &mut Rng) -> Result<(), Trouble> {
        let Exact { worlds, limit, ledger } = self;
        ledger.explain(model, view, |past, anew| {
            let mut before = std::mem::take(worlds);
            if anew || before.is_empty() {
                before = vec![(past.initial(), 1.0)];
            }
            *worlds = follow(past, before, *limit)?;
            Ok(())
        })
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

    fn counters(&self) -> Vec<Counter> {
        vec![("states", self.worlds.len() as f64), ("transitions", self.ledger.transitions as f64)]
    }

    fn notes(&self) -> Vec<String> {
        self.ledger.notes()
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
