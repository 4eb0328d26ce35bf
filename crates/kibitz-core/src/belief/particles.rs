//! Particles: a fixed number of possible worlds, some of them alike.
//!
//! All particles move along the view together, one event of it after the other (sequential Monte
//! Carlo). Where a step's outcomes can be listed, only those that agree with the view are drawn
//! from and the particle is weighted by their probability; where they cannot, or need not, because
//! the step tells the player nothing, an outcome is drawn blindly. Whenever few particles carry
//! most of the weight, the set is drawn anew in proportion to the weights, so that a deal of many
//! cards is met card by card.
//!
//! In a long game it may be that no particle agrees with everything. One that disagrees is
//! therefore not dropped at once but *strays*: it counts next to nothing as long as there are
//! others, and is what is left to plan with when there are none.

use super::world::{Next, successors};
use super::{Belief, Trouble, World, unexplained};
use crate::game::{Action, Turn};
use crate::model::Model;
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;
use crate::view::View;

/// A bag of possible worlds, all equally likely.
#[derive(Clone)]
pub struct Particles {
    count: usize,
    swarm: Vec<Particle>,
    /// Fresh particles that the last update added.
    fresh: usize,
    /// Updates to let pass before the next attempt at fresh particles, and how many after that.
    pause: (u32, u32),
}

#[derive(Clone)]
struct Particle {
    world: World,
    weight: f64,
    /// How often it disagreed with the view.
    strays: u32,
}

/// A step with more outcomes than this is drawn blindly.
const LISTED: usize = 64;
/// The first so many particles list a step's outcomes; if nearly all agree, the others draw blindly.
const SCOUTS: u32 = 2;
const NEARLY_ALL: f64 = 0.95;
/// Steps between two things a player notices before a game counts as endless.
const PATIENCE: usize = 10_000;
/// What a particle that disagrees with the view is worth beside one that agrees.
const STRAY: f64 = 1e-6;
/// A particle that loses more than this on the way to one event is dropped.
const LOST: f64 = 1e-25;
/// Take fresh particles when fewer than one in this many would be left.
const THIN: usize = 8;

impl Particles {
    /// A belief of `count` particles.
    pub fn new(count: usize) -> Particles {
        Particles { count: count.max(1), swarm: Vec::new(), fresh: 0, pause: (0, 1) }
    }

    /// Takes particles to the present. Also says how few they effectively were on the way.
    fn follow(
        &self,
        model: &dyn Model,
        view: &View,
        mut swarm: Vec<Particle>,
        rng: &mut Rng,
    ) -> (Vec<Particle>, usize) {
        let begin = swarm.iter().map(|particle| particle.world.at).min().unwrap_or(0);
        let mut fewest = usize::MAX;
        for event in begin..=view.events.len() {
            let mut scouts = Vec::new();
            swarm.retain_mut(|particle| particle.walk(model, view, event, &mut scouts, rng));
            let effective = level(&mut swarm);
            fewest = fewest.min(effective);
            if 2 * effective < self.count && event < view.events.len() {
                swarm = resample(swarm, self.count, rng);
            }
        }
        (swarm, fewest)
    }

    /// The beginning of the game, as often as there are particles.
    fn start(&self, model: &dyn Model) -> Vec<Particle> {
        vec![Particle { world: World::initial(model), weight: 1.0, strays: 0 }; self.count]
    }

    /// Adds fresh particles where that may help, drawn by the game itself where it can; after a vain
    /// attempt, ever more seldom.
    fn rejuvenate(&mut self, model: &dyn Model, view: &View, swarm: &mut Vec<Particle>, rng: &mut Rng) {
        if self.pause.0 > 0 && !swarm.is_empty() {
            self.pause.0 -= 1;
            return;
        }
        let info = model.info();
        let mut more = if info.has.resampling && info.players == 1 {
            let mut all = self.start(model);
            all.retain_mut(|particle| particle.world.resample(model, view, rng));
            all
        } else {
            self.follow(model, view, self.start(model), rng).0
        };
        if nearest(&more) <= nearest(swarm) {
            self.pause = (0, 1);
        } else {
            self.pause = (self.pause.1, self.pause.1 * 2);
        }
        self.fresh = more.len();
        // The two sets come from different proposals: each counts by its number.
        for set in [&mut *swarm, &mut more] {
            let share = set.len() as f64 / set.iter().map(|particle| particle.weight).sum::<f64>();
            set.iter_mut().for_each(|particle| particle.weight *= share);
        }
        swarm.append(&mut more);
    }
}

/// The fewest disagreements of any particle.
fn nearest(swarm: &[Particle]) -> u32 {
    swarm.iter().map(|particle| particle.strays).min().unwrap_or(u32::MAX)
}

/// Scales the weights (they would vanish in a long game); how many equal particles would be worth
/// as much: the square of the weights' sum by the sum of their squares.
fn level(swarm: &mut [Particle]) -> usize {
    let largest = swarm.iter().map(|particle| particle.weight).fold(0.0, f64::max);
    let (mut sum, mut squares) = (0.0, 0.0);
    for particle in swarm {
        particle.weight /= largest;
        sum += particle.weight;
        squares += particle.weight * particle.weight;
    }
    if squares > 0.0 { (sum * sum / squares).round() as usize } else { 0 }
}

impl Particle {
    /// Moves on until so many events of the view lie behind, or to the present; false if that is
    /// not possible. `scouts` has, for each step since the last event, how often its outcomes were
    /// listed and the sum of the probabilities that agreed.
    fn walk(
        &mut self,
        model: &dyn Model,
        view: &View,
        event: usize,
        scouts: &mut Vec<(u32, f64)>,
        rng: &mut Rng,
    ) -> bool {
        let mut scratch = Vec::new();
        let least = self.weight * LOST;
        for step in 0..PATIENCE {
            // Wrong all the time, or right by ever new strokes of luck: it is somewhere else altogether.
            if self.weight < least {
                return false;
            }
            if self.world.at > event && event < view.events.len() {
                return true;
            }
            match self.world.next(model, view, &mut scratch) {
                Next::Arrived => return true,
                Next::Dead => return false,
                Next::Untold => {
                    self.world.pass_over();
                    self.stray();
                }
                Next::Step(own) => {
                    if scouts.len() <= step {
                        scouts.resize(step + 1, (0, 0.0));
                    }
                    self.step(model, view, own, &mut scouts[step], rng);
                }
            }
        }
        false
    }

    /// Takes one step that agrees with the view, if there is one.
    fn step(
        &mut self,
        model: &dyn Model,
        view: &View,
        own: Option<Action>,
        (listed, mass): &mut (u32, f64),
        rng: &mut Rng,
    ) {
        let turn = model.turn(&self.world.state);
        // Whether to list must not depend on what this particle would draw: both ways are unbiased.
        let blind = *listed >= SCOUTS && *mass >= NEARLY_ALL * f64::from(*listed);
        let agreeing = if blind { None } else { successors(model, &self.world, view, own, LISTED) };
        if let Some(mut agreeing) = agreeing {
            let share: f64 = agreeing.iter().map(|(_, _, p)| p).sum();
            *listed += 1;
            *mass += share;
            if share > 0.0 {
                let chosen = rng.weighted(agreeing.iter().map(|(_, _, p)| *p));
                let (world, joint, _) = agreeing.swap_remove(chosen);
                self.world = world;
                self.world.extend_views(model, turn, &joint);
                self.weight *= share;
                return;
            }
        }
        let mut scratch = Vec::new();
        let mut joint = [Action(0); MAX_PLAYERS];
        if turn == Turn::Chance {
            joint[0] = model.draw(&self.world.state, rng);
        }
        for (slot, mover) in joint.iter_mut().zip(turn.movers().iter()) {
            *slot = match own {
                Some(action) if mover == view.player => action,
                _ => model.random_action(&self.world.state, mover, &mut scratch, rng),
            };
        }
        let joint = &joint[..turn.width()];
        let agrees = self.world.step(model, view, turn, joint);
        self.world.extend_views(model, turn, joint);
        if !agrees {
            self.stray();
        }
    }

    fn stray(&mut self) {
        self.strays += 1;
        self.weight *= STRAY;
    }
}

/// Draws `count` particles in proportion to their weights with one random number (systematic
/// resampling: the counts differ from the expected ones by less than one).
fn resample(swarm: Vec<Particle>, count: usize, rng: &mut Rng) -> Vec<Particle> {
    let total: f64 = swarm.iter().map(|particle| particle.weight).sum();
    let step = total / count as f64;
    let mut mark = rng.unit() * step;
    let mut reached = 0.0;
    let mut drawn: Vec<Particle> = Vec::with_capacity(count);
    for mut particle in swarm {
        reached += particle.weight;
        particle.weight = 1.0;
        let mut copies = 0;
        while mark < reached && drawn.len() + copies < count {
            copies += 1;
            mark += step;
        }
        if copies > 0 {
            drawn.extend(std::iter::repeat_n(particle, copies));
        }
    }
    while let (true, Some(last)) = (drawn.len() < count, drawn.last().cloned()) {
        drawn.push(last); // rounding
    }
    drawn
}

impl Belief for Particles {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> Result<(), Trouble> {
        self.fresh = 0;
        let anew = self.swarm.first().is_none_or(|particle| particle.world.at > view.events.len());
        let before = if anew { self.start(model) } else { std::mem::take(&mut self.swarm) };
        let strayed = nearest(&before);
        let (mut swarm, fewest) = self.follow(model, view, before, rng);
        let lost = nearest(&swarm) > strayed || fewest < self.count.div_ceil(THIN);
        if lost && (!anew || swarm.is_empty()) {
            self.rejuvenate(model, view, &mut swarm, rng);
        }
        if swarm.is_empty() {
            return Err(unexplained(view));
        }
        let strays = nearest(&swarm);
        swarm.retain(|particle| particle.strays == strays);
        self.swarm = resample(swarm, self.count, rng);
        Ok(())
    }

    fn sample(&self, _: &dyn Model, _: &View, rng: &mut Rng, world: &mut World) {
        let chosen = rng.below(self.swarm.len() as u32) as usize;
        if let Some(source) = self.swarm.get(chosen) {
            world.copy_from(&source.world);
        }
    }

    fn worlds(&self, _: &dyn Model, _: &View, limit: usize) -> Option<Vec<(World, f64)>> {
        let share = 1.0 / self.swarm.len() as f64;
        let each = self.swarm.iter().map(|particle| (particle.world.clone(), share));
        (self.swarm.len() <= limit).then(|| each.collect())
    }

    fn size(&self) -> Option<u64> {
        Some(self.swarm.len() as u64)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.fresh > 0 {
            let fresh = self.fresh;
            notes.push(format!("few particles agreed with the latest observation: {fresh} fresh ones"));
        }
        match nearest(&self.swarm) {
            0 => {}
            strays => notes.push(format!(
                "no particle agrees with everything that was seen; the nearest differ in {strays} observation{}",
                if strays == 1 { "" } else { "s" }
            )),
        }
        notes
    }
}
