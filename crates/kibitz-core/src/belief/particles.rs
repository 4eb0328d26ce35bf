//! Unweighted particles: a fixed number of possible worlds, some of them alike.
//!
//! Each particle moves on along the view. Where a step's outcomes can be listed, only those that
//! agree with the view are drawn from and the particle is weighted by their probability;
//! where they cannot, it is drawn blindly and dropped on disagreement. Then the set is resampled
//! in proportion to the weights. When few survive, fresh ones are walked from the beginning of
//! the game (rejuvenation).

use super::world::{Next, successors};
use super::{Belief, World, unexplained};
use crate::game::{Action, Turn};
use crate::model::Model;
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;
use crate::view::View;

/// A bag of possible worlds, all equally likely.
#[derive(Clone)]
pub struct Particles {
    count: usize,
    worlds: Vec<World>,
    rejuvenated: usize,
}

/// A step with more outcomes than this is drawn blindly.
const LISTED: usize = 64;
/// Steps between two things a player notices before a game counts as endless.
const PATIENCE: usize = 10_000;
/// Rejuvenate when fewer than one particle in this many survives.
const THIN: usize = 8;

impl Particles {
    /// A belief of `count` particles.
    pub fn new(count: usize) -> Particles {
        Particles { count: count.max(1), worlds: Vec::new(), rejuvenated: 0 }
    }

    /// Walks fresh particles from the beginning of the game along the whole view, until `wanted`
    /// have arrived or `tries` have been spent.
    fn walk_from_start(
        model: &dyn Model,
        view: &View,
        wanted: usize,
        tries: usize,
        rng: &mut Rng,
    ) -> Vec<(World, f64)> {
        let mut arrived = Vec::new();
        for _ in 0..tries {
            if arrived.len() >= wanted {
                break;
            }
            arrived.extend(walk(model, World::initial(model), view, rng));
        }
        arrived
    }
}

/// Moves one world on to the present; its weight is the probability of all it had to agree with.
fn walk(model: &dyn Model, mut world: World, view: &View, rng: &mut Rng) -> Option<(World, f64)> {
    let mut scratch = Vec::new();
    let mut weight = 1.0;
    for _ in 0..PATIENCE + 4 * view.events.len() {
        match world.next(model, view, &mut scratch) {
            Next::Arrived => return Some((world, weight)),
            Next::Dead => return None,
            Next::Step(own) => match successors(model, &world, view, own, LISTED) {
                Some(mut agreeing) => {
                    let mass: f64 = agreeing.iter().map(|(_, p)| p).sum();
                    if mass <= 0.0 {
                        return None;
                    }
                    weight *= mass;
                    let chosen = match agreeing.len() {
                        1 => 0,
                        _ => rng.weighted(agreeing.iter().map(|(_, p)| *p)),
                    };
                    world = agreeing.swap_remove(chosen).0;
                }
                None => {
                    let turn = model.turn(&world.state);
                    let mut joint = [Action(0); MAX_PLAYERS];
                    if turn == Turn::Chance {
                        joint[0] = model.draw(&world.state, rng);
                    }
                    for (slot, mover) in joint.iter_mut().zip(turn.movers().iter()) {
                        *slot = match own {
                            Some(action) if mover == view.player => action,
                            _ => model.random_action(&world.state, mover, &mut scratch, rng),
                        };
                    }
                    if !world.step(model, view, turn, &joint[..turn.width()]) {
                        return None;
                    }
                }
            },
        }
    }
    None
}

/// Draws `count` worlds in proportion to their weights with one random number (systematic
/// resampling: the counts differ from the expected ones by less than one).
fn resample(weighted: &[(World, f64)], count: usize, rng: &mut Rng) -> Vec<World> {
    let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let step = total / count as f64;
    let mut mark = rng.unit() * step;
    let mut reached = 0.0;
    let mut worlds = Vec::with_capacity(count);
    for (world, weight) in weighted {
        reached += weight;
        while mark < reached && worlds.len() < count {
            worlds.push(world.clone());
            mark += step;
        }
    }
    while worlds.len() < count {
        worlds.extend(weighted.last().map(|(world, _)| world.clone()));
    }
    worlds
}

impl Belief for Particles {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> Result<(), String> {
        self.rejuvenated = 0;
        let fresh = self.worlds.first().is_none_or(|world| world.at > view.events.len());
        let worlds = std::mem::take(&mut self.worlds);
        let mut survivors: Vec<(World, f64)> = if fresh {
            Particles::walk_from_start(model, view, self.count, self.count * 4, rng)
        } else {
            worlds.into_iter().filter_map(|world| walk(model, world, view, rng)).collect()
        };
        if survivors.len() < self.count.div_ceil(THIN) {
            let (wanted, tries) = (self.count - survivors.len(), self.count * 8);
            let more = Particles::walk_from_start(model, view, wanted, tries, rng);
            self.rejuvenated = more.len();
            // The two sets come from different proposals: each counts by its number.
            let share = |set: &[(World, f64)]| set.len() as f64 / set.iter().map(|(_, w)| w).sum::<f64>();
            let (old, new) = (share(&survivors), share(&more));
            survivors.iter_mut().for_each(|(_, weight)| *weight *= old);
            survivors.extend(more.into_iter().map(|(world, weight)| (world, weight * new)));
        }
        if survivors.is_empty() {
            return Err(unexplained(view));
        }
        self.worlds = resample(&survivors, self.count, rng);
        Ok(())
    }

    fn sample(&self, _: &dyn Model, _: &View, rng: &mut Rng, world: &mut World) {
        let chosen = rng.below(self.worlds.len() as u32) as usize;
        if let Some(source) = self.worlds.get(chosen) {
            world.copy_from(source);
        }
    }

    fn size(&self) -> Option<u64> {
        Some(self.worlds.len() as u64)
    }

    fn notes(&self) -> Vec<String> {
        match self.rejuvenated {
            0 => Vec::new(),
            count => vec![format!("few particles agreed with the latest observation: {count} fresh ones")],
        }
    }
}
