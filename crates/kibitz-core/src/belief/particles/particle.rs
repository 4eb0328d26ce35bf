//! One particle: how it moves along a view, and what it loses by disagreeing with it.

use super::super::World;
use super::super::past::Past;
use super::super::world::Next;
use crate::game::Action;
use crate::rng::Rng;

/// A step with more outcomes than this is drawn blindly.
const LISTED: usize = 64;
/// The first so many particles list a step's outcomes; if nearly all agree, the others draw blindly.
const SCOUTS: u32 = 2;
const NEARLY_ALL: f64 = 0.95;
/// Steps between two things a player notices before a game counts as endless.
const PATIENCE: usize = 10_000;
/// What a particle that disagrees with the view is worth beside one that agrees.
const INCONSISTENT: f64 = 1e-6;
/// A particle that loses more than this on the way to one event is dropped.
const LOST: f64 = 1e-25;

/// A possible world, and how much it counts.
#[derive(Clone)]
pub(super) struct Particle {
    pub world: World,
    pub weight: f64,
    /// How often it disagreed with the view.
    pub inconsistencies: u32,
}

impl Particle {
    /// Moves on until so many events of the view lie behind, or to the present; false if that is
    /// not possible. `scouts` has, for each step since the last event, how often its outcomes were
    /// listed and the sum of the probabilities that agreed; without it none are listed.
    pub fn walk(
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
                    self.disagree();
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
            self.disagree();
        }
    }

    fn disagree(&mut self) {
        self.inconsistencies += 1;
        self.weight *= INCONSISTENT;
    }
}
