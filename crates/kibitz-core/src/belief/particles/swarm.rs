//! Sets of particles: drawn anew, levelled, counted.

use super::super::World;
use super::particle::Particle;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// Draws `count` particles in proportion to their weights with one random number (systematic
/// resampling: the counts differ from the expected ones by less than one).
pub(super) fn resample(swarm: Vec<Particle>, count: usize, rng: &mut Rng) -> Vec<Particle> {
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

/// Scales the weights (they would vanish in a long game); how many equal particles would be worth
/// as much: the square of the weights' sum by the sum of their squares.
pub(super) fn level(swarm: &mut [Particle]) -> usize {
    let largest = swarm.iter().map(|particle| particle.weight).fold(f64::MIN_POSITIVE, f64::max);
    let (mut sum, mut squares) = (0.0, 0.0);
    for particle in swarm {
        particle.weight /= largest;
        sum += particle.weight;
        squares += particle.weight * particle.weight;
    }
    if squares > 0.0 { (sum * sum / squares).round() as usize } else { 0 }
}

/// The fewest disagreements of any particle.
pub(super) fn nearest(swarm: &[Particle]) -> u32 {
    swarm.iter().map(|particle| particle.inconsistencies).min().unwrap_or(u32::MAX)
}

/// Of particles that are inconsistent, keeps those in which the player may do just what it may do; all, if there are none.
/// Whether there are.
pub(super) fn keep_fitting(model: &dyn Model, view: &View, swarm: &mut Vec<Particle>) -> bool {
    let mut legal = Vec::new();
    let mut fits = |particle: &Particle| {
        legal.clear();
        model.legal(&particle.world.state, view.player, &mut legal);
        legal.sort_unstable();
        legal == view.legal
    };
    let fitting: Vec<bool> = swarm.iter().map(&mut fits).collect();
    let some = fitting.contains(&true) && !view.legal.is_empty();
    if some {
        let mut each = fitting.into_iter();
        swarm.retain(|_| each.next() == Some(true));
    }
    some
}

/// How many different states (where the game cannot tell, histories) there are.
pub(super) fn different(model: &dyn Model, swarm: &[Particle]) -> usize {
    let hashed = model.has().hash;
    let key = |world: &World| if hashed { model.hash(&world.state) } else { world.path };
    let mut keys: Vec<u64> = swarm.iter().map(|particle| key(&particle.world)).collect();
    keys.dedup(); // copies lie side by side
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}

/// Particles as they were before something happened, in memory that may be there.
pub(super) struct Ancestors {
    pub particles: Vec<Particle>,
    pub count: usize,
}

impl Ancestors {
    pub fn keep(&mut self, source: &Particle) {
        match self.particles.get_mut(self.count) {
            Some(particle) => {
                particle.world.copy_from(&source.world);
                (particle.weight, particle.inconsistencies) = (source.weight, source.inconsistencies);
            }
            None => self.particles.push(source.clone()),
        }
        self.count += 1;
    }
}
