//! The exact belief: every possible world with its probability (Bayes' rule by enumeration).

use std::sync::Arc;

use super::enumerate::{Bounds, Halt, enumerate};
use super::opponents::{OpponentPolicy, Opponents};
use super::past::{Ledger, Past};
use super::{Belief, Counter, Explained, Trouble, World};
use crate::interrupt::Pause;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// Every possible world with its probability. In a game of perfect information that is one.
#[derive(Clone)]
pub struct Exact {
    worlds: Vec<(World, f64)>,
    limit: usize,
    /// States that the last update drew, because nothing explained what was seen.
    fresh: usize,
    ledger: Ledger,
}

/// States that the game draws where nothing explains what was seen.
const FRESH: usize = 1000;

impl Exact {
    /// An exact belief that refuses to hold more than `limit` worlds.
    pub fn new(limit: usize) -> Exact {
        Exact { worlds: Vec::new(), limit, fresh: 0, ledger: Ledger::default() }
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

const ENDLESS: &str = "the game goes on without end between two of the player's moves";

/// Takes all worlds to the present.
fn follow(past: &Past, worlds: Vec<(World, f64)>, limit: usize) -> Result<Vec<(World, f64)>, Trouble> {
    let bounds = Bounds { worlds: limit, steps: u64::MAX };
    let found = enumerate(past, worlds, past.view.events.len(), bounds);
    let mut worlds = found.map_err(|halt| match halt {
        Halt::Many(estimate) => too_large(limit, estimate),
        Halt::Drawn => Trouble::Unfit(DRAWN.to_owned()),
        Halt::Endless => Trouble::Unfit(ENDLESS.to_owned()),
        Halt::Late => past.unexplained(),
    })?;
    let total: f64 = worlds.iter().map(|(_, p)| p).sum();
    // Neither nothing nor so little that it cannot be divided by.
    if !total.is_normal() {
        return Err(past.unexplained());
    }
    worlds.iter_mut().for_each(|(_, p)| *p /= total);
    Ok(worlds)
}

/// States that the game draws by itself, each as likely.
fn draw_fresh(past: &Past, count: usize, rng: &mut Rng) -> Vec<(World, f64)> {
    let mut drawn = vec![(World::initial(past.model), 1.0 / count as f64); count];
    drawn.retain_mut(|(world, _)| world.resample(past.model, past.view, rng));
    drawn
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
pub(super) fn round(number: f64) -> String {
    if number < 1e6 {
        let unit = 10f64.powi((number.log10().floor() as i32 - 1).max(0));
        return format!("{:.0}", (number / unit).round() * unit);
    }
    format!("{number:.1e}")
}

impl Belief for Exact {
    fn assume(&mut self, policy: Option<Arc<dyn OpponentPolicy>>) {
        self.ledger.policy = policy;
    }

    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained {
        let Exact { worlds, limit, fresh, ledger } = self;
        *fresh = 0;
        let draws = model.has().resampling && model.info().players == 1;
        ledger.explain(model, view, pause, |past, anew| {
            let mut before = std::mem::take(worlds);
            if anew || before.is_empty() {
                before = vec![(past.initial(), 1.0)];
            }
            *worlds = match follow(past, before, *limit) {
                // The model and the game disagree: what the game draws for what is seen is nearer to the truth than
                // a past with something passed over.
                Err(Trouble::Unexplained(why)) if draws => {
                    let drawn = draw_fresh(past, FRESH.min(*limit), rng);
                    *fresh = drawn.len();
                    if drawn.is_empty() {
                        return Err(Trouble::Unexplained(why));
                    }
                    drawn
                }
                found => found?,
            };
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
        let mut notes = self.ledger.notes();
        if self.fresh > 0 {
            let fresh = self.fresh;
            notes.push(format!(
                "nothing explains all that was seen: {fresh} states drawn by the game take its place"
            ));
        }
        notes
    }
}
