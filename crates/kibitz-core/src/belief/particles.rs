//! Particles: a fixed number of possible worlds, some of them alike.
//!
//! All particles move along the view together, one event of it after the other (sequential Monte
//! Carlo). Where a step's outcomes can be listed, only those that agree with the view are drawn
//! from and the particle is weighted by their probability; where they cannot, or need not, because
//! the step tells the player nothing, an outcome is drawn blindly. Whenever few particles carry
//! most of the weight, the set is drawn anew in proportion to the weights, so that a deal of many
//! cards is met card by card.
//!
//! Where few particles agree with what was seen next, since something rare happened that tells nothing until later,
//! the set is *conditioned* on it: all that the particles may have led to since the last event is listed and weighted
//! (Bayes' rule), as far as that is not too much; where it cannot be listed, particles are tried again. If even the
//! particles before it cannot explain it, all that may have been since the beginning of the game is listed, or as many
//! fresh particles set out from there.
//!
//! In a long game it may be that no particle agrees with everything all the same. One that disagrees is
//! therefore not dropped at once but is *inconsistent*: it counts next to nothing as long as there are
//! others, and is what is left to plan with when there are none.
//!
//! That is with weights. Without, as in POMCP, all outcomes are drawn blindly, and particles that disagree
//! are rejected and tried again until there are enough.
//!
//! `particle.rs` is what one of them does, `swarm.rs` what is done to all.

mod particle;
mod swarm;

use std::sync::Arc;

use super::enumerate::{Bounds, Halt, Merged, enumerate};
use super::opponents::{OpponentPolicy, Opponents};
use super::past::{Ledger, Past};
use super::{Belief, Counter, Explained, Trouble, World};
use crate::interrupt::Pause;
use crate::model::Model;
use crate::params::words;
use crate::rng::Rng;
use crate::view::View;
use particle::Particle;
use swarm::{Ancestors, different, keep_fitting, level, nearest, resample};

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
    /// Particles as they were before the last event, in memory that is used again and again.
    before: Vec<Particle>,
    /// For each particle its weight and that of all before it; empty where all count the same.
    reach: Vec<f64>,
    /// Fresh particles that the last update added, and all so far.
    fresh: (usize, usize),
    /// How many updates left few particles, and how often they were conditioned on what was seen.
    depletions: u64,
    conditioned: u64,
    /// How many equal particles those of the last update were worth when they were fewest.
    effective: usize,
    /// How many different states they are (where the game cannot tell, how many different histories).
    different: usize,
    /// Whether the view's legal actions are legal in all of them, which inconsistent ones need not allow.
    fits: bool,
    rejuvenation: Patience,
    conditioning: Patience,
    /// How many of the particles there was time for in the last update, if not for all; and how many may still be
    /// moved on when time is up.
    in_time: Option<usize>,
    grace: u32,
    ledger: Ledger,
}

/// How long to wait before something that is dear is tried again: after each attempt in vain, twice as long.
#[derive(Clone, Copy)]
struct Patience {
    left: u32,
    next: u32,
}

impl Patience {
    const NEW: Patience = Patience { left: 0, next: 1 };

    /// Whether it is time.
    fn is_over(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// Takes it that an attempt helped, or did not.
    fn learn(&mut self, helped: bool) {
        *self = match *self {
            _ if helped => Patience::NEW,
            Patience { next, .. } => {
                Patience { left: next.saturating_add(1), next: next.saturating_mul(2) }
            }
        };
    }
}

/// Particles that are moved on from one event to the next when time is up, so that there is something to plan with.
const GRACE: u32 = 64;
/// Take fresh particles when fewer than one in this many would be left.
const THIN: usize = 8;
/// How often each particle is tried where those that disagree are rejected.
const TRIES: usize = 8;
/// Steps that conditioning may take; 16 for each particle, if that is more.
const EFFORT: u64 = 16_384;

impl Particles {
    /// A belief of `count` particles.
    pub fn new(count: usize, weights: Weights) -> Particles {
        Particles {
            count: count.max(1),
            weights,
            swarm: Vec::new(),
            before: Vec::new(),
            reach: Vec::new(),
            fresh: (0, 0),
            depletions: 0,
            conditioned: 0,
            effective: 0,
            different: 0,
            fits: true,
            rejuvenation: Patience::NEW,
            conditioning: Patience::NEW,
            in_time: None,
            grace: 0,
            ledger: Ledger::default(),
        }
    }

    /// The same, with other players who are taken to choose in some way.
    pub fn against(mut self, opponents: Opponents) -> Particles {
        self.ledger.opponents = opponents;
        self
    }

    /// Takes particles to the present. Also says how few they effectively were on the way.
    fn follow(&mut self, past: &Past, mut swarm: Vec<Particle>, rng: &mut Rng) -> (Vec<Particle>, usize) {
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
    /// that agree. Where few agree, they are conditioned on what was seen; where none does, all that can go on.
    fn walk(
        &mut self,
        past: &Past,
        mut swarm: Vec<Particle>,
        event: usize,
        rng: &mut Rng,
    ) -> Vec<Particle> {
        let inconsistencies = nearest(&swarm);
        let agreeing = |swarm: &[Particle]| {
            swarm.iter().filter(|particle| particle.inconsistencies == inconsistencies).count()
        };
        let all = swarm.len();
        let before = if self.weights == Weights::None {
            let walked = self.reject(past, &swarm, event, rng);
            std::mem::replace(&mut swarm, walked)
        } else {
            let mut before = Ancestors { particles: std::mem::take(&mut self.before), count: 0 };
            let mut scouts = Vec::new();
            let (mut walked, mut left, mut fit) = (0, 0, 0);
            swarm.retain_mut(|particle| {
                // When time is up, one is enough.
                if past.is_late() {
                    if left > 0 || self.grace == 0 {
                        return false;
                    }
                    self.grace -= 1;
                }
                // All of them where few agree, else some in case that few of the others will.
                if walked % THIN == 0 || fit * THIN < walked {
                    before.keep(particle);
                }
                walked += 1;
                let arrives = particle.walk(past, event, Some(&mut scouts), rng);
                left += u32::from(arrives);
                fit += usize::from(arrives && particle.inconsistencies == inconsistencies);
                arrives
            });
            if walked < all {
                self.in_time = Some(self.in_time.map_or(walked, |before| before.min(walked)));
            }
            before.particles.truncate(before.count);
            before.particles
        };
        let held = agreeing(&swarm);
        if held * THIN < all && !past.is_late() && self.conditioning.is_over() {
            let more = self.condition(past, &before, event, rng);
            let helps = agreeing(&more) > held;
            self.conditioning.learn(helps);
            if helps {
                self.conditioned += 1;
                swarm = more;
            }
        }
        self.before = before;
        swarm
    }

    /// What particles lead to, given what was seen next. Empty where nothing was found.
    fn condition(&self, past: &Past, before: &[Particle], event: usize, rng: &mut Rng) -> Vec<Particle> {
        let inconsistencies = nearest(before);
        let mut sources = Merged::new(past.model);
        for particle in before.iter().filter(|particle| particle.inconsistencies == inconsistencies) {
            sources.add(particle.world.clone(), particle.weight);
        }
        match self.list(past, sources.worlds, event, inconsistencies, rng) {
            Ok(listed) => listed,
            Err(Halt::Drawn) => self.reject(past, before, event, rng),
            Err(_) => Vec::new(),
        }
    }

    /// Particles drawn from all that some worlds lead to until so many events lie behind; from a few of them, where
    /// from all it would be too many. Empty where nothing agrees.
    ///
    /// # Errors
    /// Even that is too much, or outcomes cannot be listed.
    fn list(
        &self,
        past: &Past,
        sources: Vec<(World, f64)>,
        event: usize,
        inconsistencies: u32,
        rng: &mut Rng,
    ) -> Result<Vec<Particle>, Halt> {
        let particle = |(world, weight)| Particle { world, weight, inconsistencies };
        let mut sources: Vec<Particle> = sources.into_iter().map(particle).collect();
        let most = EFFORT.max(16 * self.count as u64);
        let bounds = Bounds { worlds: most as usize, steps: most };
        loop {
            let worlds = sources.iter().map(|source| (source.world.clone(), source.weight)).collect();
            match enumerate(past, worlds, event, bounds) {
                Ok(found) => {
                    return Ok(resample(found.into_iter().map(particle).collect(), self.count, rng));
                }
                Err(Halt::Many(_)) if sources.len() > 1 => {
                    let fewer = sources.len().div_ceil(THIN);
                    sources = resample(sources, fewer, rng);
                }
                Err(halt) => return Err(halt),
            }
        }
    }

    /// Tries particles again and again, blindly, until as many agree as are wanted. Where none does, all that can go
    /// on.
    fn reject(&self, past: &Past, swarm: &[Particle], event: usize, rng: &mut Rng) -> Vec<Particle> {
        let (mut agreeing, mut inconsistent) = (Vec::new(), Vec::new());
        for _ in 0..TRIES {
            for particle in swarm {
                if past.is_late() {
                    break;
                }
                let mut tried = particle.clone();
                if !tried.walk(past, event, None, rng) {
                    continue;
                }
                tried.weight = particle.weight;
                if tried.inconsistencies == particle.inconsistencies {
                    agreeing.push(tried);
                } else if agreeing.is_empty() && inconsistent.len() < self.count {
                    inconsistent.push(tried);
                }
            }
            if agreeing.len() >= self.count {
                break;
            }
        }
        match agreeing.len() {
            0 => inconsistent,
            more if more > self.count => resample(agreeing, self.count, rng),
            _ => agreeing,
        }
    }

    /// That no particle explains a view: that need not mean that nothing does.
    fn lost(&self, view: &View) -> Trouble {
        Trouble::Unexplained(format!(
            "none of {} particles explains what player {} has seen; more of them may (belief=particles({})), or a \
             belief that lists what may be (belief=exact, belief=hypergames); where those find nothing either, the \
             model and the game that is played disagree",
            self.count,
            view.player + 1,
            self.count.saturating_mul(10)
        ))
    }

    /// The beginning of the game, as often as there are particles.
    fn start(&self, model: &dyn Model) -> Vec<Particle> {
        vec![Particle { world: World::initial(model), weight: 1.0, inconsistencies: 0 }; self.count]
    }

    /// Adds fresh particles where that may help, drawn by the game itself where it can; after a vain
    /// attempt, ever more seldom.
    fn rejuvenate(&mut self, past: &Past, swarm: &mut Vec<Particle>, anew: bool, rng: &mut Rng) {
        if !self.rejuvenation.is_over() && !swarm.is_empty() {
            return;
        }
        let mut more = self.fresh(past, swarm, anew, rng);
        self.rejuvenation.learn(nearest(&more) <= nearest(swarm));
        self.fresh = (more.len(), self.fresh.1 + more.len());
        // The two sets come from different proposals: each counts by its number.
        for set in [&mut *swarm, &mut more] {
            let share = set.len() as f64 / set.iter().map(|particle| particle.weight).sum::<f64>();
            set.iter_mut().for_each(|particle| particle.weight *= share);
        }
        swarm.append(&mut more);
    }

    /// Particles that the game itself draws for what was seen, as far as it can.
    fn drawn(&self, past: &Past, rng: &mut Rng) -> Vec<Particle> {
        let mut all = self.start(past.model);
        all.retain_mut(|particle| particle.world.resample(past.model, past.view, rng));
        all
    }

    /// Fresh particles for some that `anew` set out from the beginning of the game, or did not.
    fn fresh(&mut self, past: &Past, swarm: &[Particle], anew: bool, rng: &mut Rng) -> Vec<Particle> {
        let (model, info) = (past.model, past.model.info());
        // Who has just come from there need not set out again, but for what was not drawn.
        let again = !anew || swarm.is_empty();
        if again && model.has().resampling && info.players == 1 {
            return self.drawn(past, rng);
        }
        let beginning = vec![(World::initial(model), 1.0)];
        if nearest(swarm) > 0
            && let Ok(listed) = self.list(past, beginning, past.view.events.len(), 0, rng)
            && !listed.is_empty()
        {
            return listed;
        }
        // Others' choices may have made unlikely what is so: rather what the game draws than what contradicts what was seen.
        if nearest(swarm) > 0 && model.has().resampling && info.players > 1 {
            let all = self.drawn(past, rng);
            if !all.is_empty() {
                return all;
            }
        }
        if again { self.follow(past, self.start(model), rng).0 } else { Vec::new() }
    }

    /// Takes the particles that are nearest to what was seen as the belief.
    fn keep(&mut self, past: &Past, mut swarm: Vec<Particle>, rng: &mut Rng) {
        let inconsistencies = nearest(&swarm);
        swarm.retain(|particle| particle.inconsistencies == inconsistencies);
        self.fits = inconsistencies == 0 || keep_fitting(past.model, past.view, &mut swarm);
        if inconsistencies > 0 {
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

impl Belief for Particles {
    fn assume(&mut self, policy: Option<Arc<dyn OpponentPolicy>>) {
        self.ledger.policy = policy;
    }

    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained {
        (self.fresh.0, self.in_time, self.grace) = (0, None, GRACE);
        let past = self.ledger.past(model, view, Some(pause));
        let anew = self.swarm.first().is_none_or(|particle| particle.world.at > view.events.len());
        let before = if anew { self.start(model) } else { std::mem::take(&mut self.swarm) };
        let inconsistent_before = nearest(&before);
        let (mut swarm, fewest) = self.follow(&past, before, rng);
        self.effective = fewest;
        let (lost, few) = (nearest(&swarm) > inconsistent_before, fewest < self.count.div_ceil(THIN));
        if (lost || few && !anew) && !past.is_late() {
            self.depletions += 1;
            self.rejuvenate(&past, &mut swarm, anew, rng);
        }
        let explained = !swarm.is_empty();
        self.keep(&past, swarm, rng);
        self.ledger.transitions += past.transitions();
        if explained { Ok(()) } else { Err(past.not_found(|| self.lost(view))) }
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

    fn inconsistent(&self) -> bool {
        nearest(&self.swarm) > 0
    }

    fn fits(&self) -> bool {
        self.fits
    }

    fn counters(&self) -> Vec<Counter> {
        vec![
            ("effective", self.effective as f64),
            ("states", self.different as f64),
            ("depletions", self.depletions as f64),
            ("conditioned", self.conditioned as f64),
            ("fresh", self.fresh.1 as f64),
            ("inconsistencies", f64::from(nearest(&self.swarm))),
            ("transitions", self.ledger.transitions as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let (fresh @ 1.., _) = self.fresh {
            notes.push(format!("few particles agreed with the latest observation: {fresh} fresh ones"));
        }
        if let Some(walked) = self.in_time {
            notes.push(format!("there was time for {walked} of {} particles", self.count));
        }
        match nearest(&self.swarm) {
            0 => {}
            inconsistencies => notes.push(format!(
                "no particle agrees with everything that was seen; the nearest differ in {inconsistencies} observation{}",
                if inconsistencies == 1 { "" } else { "s" }
            )),
        }
        notes
    }
}
