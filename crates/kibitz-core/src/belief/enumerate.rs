//! Bayes' rule by enumeration: all that some worlds may have led to, each with its probability.

use std::collections::BTreeMap;

use super::World;
use super::past::{Past, Unlisted};
use super::world::Next;
use crate::model::Model;
use crate::rng::derive;

/// How far an enumeration may go.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Worlds at the same time.
    pub worlds: usize,
    /// Steps of the model.
    pub steps: u64,
}

/// Why an enumeration came to no end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Halt {
    /// There would be at least about so many worlds, or too many steps.
    Many(f64),
    /// Chance has no explicit probabilities.
    Drawn,
    /// The game goes on and on.
    Endless,
    /// Somebody wants an answer now.
    Late,
}

/// Steps that a world may take between two things a player notices, before it counts as endless.
const PATIENCE: usize = 10_000;

/// Takes worlds on until so many events of the view lie behind, or to the present. Those that contradict the view
/// are dropped, so that the probabilities add up to that of what was seen.
pub(super) fn enumerate(
    past: &Past,
    worlds: Vec<(World, f64)>,
    event: usize,
    bounds: Bounds,
) -> Result<Vec<(World, f64)>, Halt> {
    let limit = bounds.worlds;
    let enough = past.transitions().saturating_add(bounds.steps);
    let mut scratch = Vec::new();
    let mut moving = worlds;
    let mut arrived: Vec<(World, f64)> = Vec::new();
    let mut rounds = 0;
    while !moving.is_empty() {
        rounds += 1;
        if rounds > PATIENCE + past.view.events.len() {
            return Err(Halt::Endless);
        }
        let mut later = Merged::new(past.model);
        let (all, here) = (moving.len() as f64, arrived.len());
        for (done, (world, p)) in (1..).zip(moving) {
            if past.is_late() {
                return Err(Halt::Late);
            }
            if world.at > event && event < past.view.events.len() {
                arrived.push((world, p));
                continue;
            }
            match past.next(&world, &mut scratch) {
                Next::Arrived => arrived.push((world, p)),
                Next::Dead | Next::Untold => {}
                Next::Step(own) => {
                    let next = past.successors(&world, own, limit).map_err(|why| match why {
                        Unlisted::Many(each) => Halt::Many(here as f64 + all * each),
                        Unlisted::Drawn => Halt::Drawn,
                    })?;
                    let turn = past.model.turn(&world.state);
                    for (mut after, joint, q) in next {
                        after.extend_views(past.model, turn, &joint);
                        later.add(after, p * q);
                    }
                    let found = later.worlds.len() + arrived.len();
                    if found > limit || past.transitions() > enough {
                        // The worlds that are left to look at will lead to as many each.
                        let each = (found - here) as f64 / f64::from(done);
                        return Err(Halt::Many(here as f64 + all * each));
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
    Ok(merged.worlds)
}

/// Worlds in the order of their arrival; those that no player can tell apart and that have the
/// same future are one.
pub(super) struct Merged<'a> {
    model: &'a dyn Model,
    pub worlds: Vec<(World, f64)>,
    index: BTreeMap<u64, usize>,
}

impl<'a> Merged<'a> {
    pub fn new(model: &'a dyn Model) -> Merged<'a> {
        Merged { model, worlds: Vec::new(), index: BTreeMap::new() }
    }

    pub fn add(&mut self, world: World, probability: f64) {
        // Where the game cannot tell, those with the same history are the same; what the game drew by itself has none.
        let hashed = self.model.has().hash;
        if hashed || !world.earned.is_nan() {
            let start = if hashed { self.model.hash(&world.state) } else { world.path };
            let seen = |key, player| derive(key, world.view_key(self.model, player));
            let key = derive((0..world.keys.len()).fold(start, seen), world.at as u64);
            if let Some(&known) = self.index.get(&key) {
                self.worlds[known].1 += probability;
                return;
            }
            self.index.insert(key, self.worlds.len());
        }
        self.worlds.push((world, probability));
    }
}
