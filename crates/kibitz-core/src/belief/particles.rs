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
//!
//! That is with weights. Without, as in POMCP, all outcomes are drawn blindly, and particles that disagree
//! are rejected and tried again until there are enough.

use std::sync::Arc;

use super::opponents::{Conduct, Opponents};
use super::past::{Ledger, Past};
use super::world::Next;
use super::{Belief, Counter, Trouble, World, unexplained};
use crate::game::Action;
use crate::model::Model;
use crate::params::words;
use crate::rng::Rng;
use crate::view::View;

words! {
    /// What becomes of the particles' weights.
    Weights {
        /// After each update the set is drawn anew in proportion to them: all count the same.
        Even = "even",
        /// They are kept until few particles carry most of the weight.
        Kept = "kept",
        /// There are none: particles agree with what was seen, or are rejected (POMCP).
        None = "none",
    }
}

/// A bag of possible worlds.
#[derive(Clone)]
pub struct Particles {
    count: usize,
    weights: Weights,
    swarm: Vec<Particle>,
    /// For each particle its weight and that of all before it; empty where all count the same.
    reach: Vec<f64>,
    /// Fresh particles that the last update added, and all so far.
    fresh: (usize, usize),
    /// How many updates left few particles.
    depletions: u64,
    /// How many equal particles those of the last update were worth when they were fewest.
    effective: usize,
    /// How many different states they are (where the game cannot tell, how many different histories).
    different: usize,
    /// Updates to let pass before the next attempt at fresh particles, and how many after that.
    pause: (u32, u32),
    ledger: Ledger,
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
/// How often each particle is tried where those that disagree are rejected.
const TRIES: usize = 8;

impl Particles {
    /// A belief of `count` particles.
    pub fn new(count: usize, weights: Weights) -> Particles {
        Particles {
            count: count.max(1),
            weights,
            swarm: Vec::new(),
            reach: Vec::new(),
            fresh: (0, 0),
            depletions: 0,
            effective: 0,
            different: 0,
            pause: (0, 1),
            ledger: Ledger::default(),
        }
    }

    /// The same, with other players who are taken to choose in some way.
    pub fn against(mut self, opponents: Opponents) -> Particles {
        self.ledger.opponents = opponents;
        self
    }

    /// Takes particles to the present. Also says how few they effectively were on the way.
    fn follow(&self, past: &Past, mut swarm: Vec<Particle>, rng: &mut Rng) -> (Vec<Particle>, usize) {
        let begin = swarm.iter().map(|particle| particle.world.at).min().unwrap_or(0);
        let last = past.view.events.len();
        let mut fewest = usize::MAX;
        for event in begin..=last {
            swarm = self.walk(past, swarm, event, rng);
            let effective = level(&mut swarm);
            fewest = fewest.min(effective);
            if 2 * effective < self.count && event < last {
                swarm = resample(swarm, self.count, rng);
            }
        }
        (swarm, fewest)
    }

    /// Moves particles on until so many events lie behind: all of them with weights, or without weights those
    /// that agree. Where none agrees, all that can go on.
    fn walk(&self, past: &Past, mut swarm: Vec<Particle>, event: usize, rng: &mut Rng) -> Vec<Particle> {
        let mut scouts = Vec::new();
        if self.weights != Weights::None {
            swarm.retain_mut(|particle| particle.walk(past, event, Some(&mut scouts), rng));
            return swarm;
        }
        let (mut agreeing, mut astray) = (Vec::new(), Vec::new());
        for _ in 0..TRIES {
            for particle in &swarm {
                let mut tried = particle.clone();
                if !tried.walk(past, event, None, rng) {
                    continue;
                }
                tried.weight = 1.0;
                if tried.strays == particle.strays {
                    agreeing.push(tried);
                } else if agreeing.is_empty() && astray.len() < self.count {
                    astray.push(tried);
                }
            }
            if agreeing.len() >= self.count {
                break;
            }
        }
        match agreeing.len() {
            0 => astray,
            more if more > self.count => resample(agreeing, self.count, rng),
            _ => agreeing,
        }
    }

    /// The beginning of the game, as often as there are particles.
    fn start(&self, model: &dyn Model) -> Vec<Particle> {
        vec![Particle { world: World::initial(model), weight: 1.0, strays: 0 }; self.count]
    }

    /// Adds fresh particles where that may help, drawn by the game itself where it can; after a vain
    /// attempt, ever more seldom.
    fn rejuvenate(&mut self, past: &Past, swarm: &mut Vec<Particle>, rng: &mut Rng) {
        if self.pause.0 > 0 && !swarm.is_empty() {
            self.pause.0 -= 1;
            return;
        }
        let info = past.model.info();
        let mut more = if info.has.resampling && info.players == 1 {
            let mut all = self.start(past.model);
            all.retain_mut(|particle| particle.world.resample(past.model, past.view, rng));
            all
        } else {
            self.follow(past, self.start(past.model), rng).0
        };
        if nearest(&more) <= nearest(swarm) {
            self.pause = (0, 1);
        } else {
            self.pause = (self.pause.1, self.pause.1.saturating_mul(2));
        }
        self.fresh = (more.len(), self.fresh.1 + more.len());
        // The two sets come from different proposals: each counts by its number.
        for set in [&mut *swarm, &mut more] {
            let share = set.len() as f64 / set.iter().map(|particle| particle.weight).sum::<f64>();
            set.iter_mut().for_each(|particle| particle.weight *= share);
        }
        swarm.append(&mut more);
    }

    /// Takes the particles that are nearest to what was seen as the belief.
    fn keep(&mut self, past: &Past, mut swarm: Vec<Particle>, rng: &mut Rng) {
        let strays = nearest(&swarm);
        swarm.retain(|particle| particle.strays == strays);
        if strays > 0 {
            swarm.iter_mut().for_each(|particle| particle.world.take_view(past.view));
        }
        self.reach.clear();
        let kept = self.weights == Weights::Kept && swarm.len() <= self.count;
        self.swarm = if kept && 2 * level(&mut swarm) >= self.count {
            let sums = swarm.iter().scan(0.0, |sum, particle| {
                *sum += particle.weight;
                Some(*sum)
            });
            self.reach.extend(sums);
            swarm
        } else {
            resample(swarm, self.count, rng)
        };
        self.different = different(past.model, &self.swarm);
    }
}

/// How many different states (where the game cannot tell, histories) there are.
fn different(model: &dyn Model, swarm: &[Particle]) -> usize {
    let hashed = model.info().has.hash;
    let key = |world: &World| if hashed { model.hash(&world.state) } else { world.path };
    let mut keys: Vec<u64> = swarm.iter().map(|particle| key(&particle.world)).collect();
    keys.dedup(); // copies lie side by side
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}

/// The fewest disagreements of any particle.
fn nearest(swarm: &[Particle]) -> u32 {
    swarm.iter().map(|particle| particle.strays).min().unwrap_or(u32::MAX)
}

/// Scales the weights (they would vanish in a long game); how many equal particles would be worth
/// as much: the square of the weights' sum by the sum of their squares.
fn level(swarm: &mut [Particle]) -> usize {
    let largest = swarm.iter().map(|particle| particle.weight).fold(f64::MIN_POSITIVE, f64::max);
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
    /// listed and the sum of the probabilities that agreed; without it none are listed.
    fn walk(
        &mut self,
        past: &Past,
        event: usize,
        mut scouts: Option<&mut Vec<(u32, f64)>>,
        rng: &mut Rng,
    ) -> bool {
        let mut scratch = Vec::new();
        let least = self.weight * LOST;
        for step in 0..PATIENCE {
            // Wrong all the time, or right by ever new strokes of luck: it is somewhere else altogether.
            if self.weight < least {
                return false;
            }
            if self.world.at > event && event < past.view.events.len() {
                return true;
            }
            match self.world.next(past.model, past.view, &mut scratch) {
                Next::Arrived => return true,
                Next::Dead => return false,
                Next::Untold => {
                    self.world.pass_over();
                    self.stray();
                }
                Next::Step(own) => {
                    let scout = scouts.as_mut().map(|scouts| {
                        if scouts.len() <= step {
                            scouts.resize(step + 1, (0, 0.0));
                        }
                        &mut scouts[step]
                    });
                    self.step(past, own, scout, rng);
                }
            }
        }
        false
    }

    /// Takes one step that agrees with the view, if there is one and steps are listed.
    fn step(&mut self, past: &Past, own: Option<Action>, scout: Option<&mut (u32, f64)>, rng: &mut Rng) {
        let turn = past.model.turn(&self.world.state);
        // Whether to list must not depend on what this particle would draw: both ways are unbiased.
        let scout =
            scout.filter(|(listed, mass)| *listed < SCOUTS || *mass < NEARLY_ALL * f64::from(*listed));
        if let Some((listed, mass)) = scout
            && let Ok(mut agreeing) = past.successors(&self.world, own, LISTED)
        {
            let share: f64 = agreeing.iter().map(|(_, _, p)| p).sum();
            *listed += 1;
            *mass += share;
            if share > 0.0 {
                let chosen = rng.weighted(agreeing.iter().map(|(_, _, p)| *p));
                let (world, joint, _) = agreeing.swap_remove(chosen);
                self.world = world;
                self.world.extend_views(past.model, turn, &joint);
                self.weight *= share;
                return;
            }
        }
        let joint = past.draw(&self.world, turn, own, rng);
        let joint = &joint[..turn.width()];
        let agrees = past.step(&mut self.world, turn, joint);
        self.world.extend_views(past.model, turn, joint);
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
    fn assume(&mut self, conduct: Option<Arc<dyn Conduct>>) {
        self.ledger.conduct = conduct;
    }

    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> Result<(), Trouble> {
        self.fresh.0 = 0;
        let past = self.ledger.past(model, view);
        let anew = self.swarm.first().is_none_or(|particle| particle.world.at > view.events.len());
        let before = if anew { self.start(model) } else { std::mem::take(&mut self.swarm) };
        let strayed = nearest(&before);
        let (mut swarm, fewest) = self.follow(&past, before, rng);
        self.effective = fewest;
        let lost = nearest(&swarm) > strayed || fewest < self.count.div_ceil(THIN);
        if lost && (!anew || swarm.is_empty()) {
            self.depletions += 1;
            self.rejuvenate(&past, &mut swarm, rng);
        }
        let explained = !swarm.is_empty();
        self.keep(&past, swarm, rng);
        self.ledger.transitions += past.transitions();
        if explained { Ok(()) } else { Err(unexplained(view)) }
    }

    fn sample(&self, _: &dyn Model, _: &View, rng: &mut Rng, world: &mut World) {
        let chosen = match self.reach.last() {
            None => rng.below(self.swarm.len() as u32) as usize,
            Some(total) => {
                let mark = rng.unit() * total;
                self.reach.partition_point(|reached| *reached <= mark)
            }
        };
        if let Some(source) = self.swarm.get(chosen) {
            world.copy_from(&source.world);
        }
    }

    fn worlds(&self, _: &dyn Model, _: &View, limit: usize) -> Option<Vec<(World, f64)>> {
        let total: f64 = self.swarm.iter().map(|particle| particle.weight).sum();
        let each = self.swarm.iter().map(|particle| (particle.world.clone(), particle.weight / total));
        (self.swarm.len() <= limit).then(|| each.collect())
    }

    fn size(&self) -> Option<u64> {
        Some(self.swarm.len() as u64)
    }

    fn counters(&self) -> Vec<Counter> {
        vec![
            ("effective", self.effective as f64),
            ("states", self.different as f64),
            ("depletions", self.depletions as f64),
            ("fresh", self.fresh.1 as f64),
            ("strays", f64::from(nearest(&self.swarm))),
            ("transitions", self.ledger.transitions as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let (fresh @ 1.., _) = self.fresh {
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
