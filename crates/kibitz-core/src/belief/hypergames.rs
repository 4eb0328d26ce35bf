//! Hypergames: a bag of whole histories that agree with the view (HyperPlay).
//!
//! Each history is moved on by choices drawn at random among those that agree with what the player saw.
//! Where there are none, it is taken back choice by choice, the latest first, and moved on otherwise,
//! until it agrees again: a depth-first search in which no dead end is entered twice. A bag with room for
//! more is filled up by taking histories back to a random point and moving them on from there.
//!
//! No history is in the bag twice; a history counts as much as its choices are likely. Where the bag has
//! room for all histories that agree, that is the exact belief once all are found.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::world::{Next, successors};
use super::{Belief, Trouble, World, unexplained};
use crate::game::{Action, Turn};
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// A bag of different histories, each with its probability.
#[derive(Clone)]
pub struct Hypergames {
    count: usize,
    bag: Vec<History>,
    /// The probability of each, up to a factor.
    weights: Vec<f64>,
    /// Of how many in the bag how many contradicted what was seen at the last update.
    changed: (usize, usize),
}

/// A history: its moments, the first of which is the beginning of the game. Histories share them.
#[derive(Clone)]
struct History {
    moments: Vec<Arc<Moment>>,
    /// How often it was found, where not all its choices could be listed.
    found: u32,
}

/// A world and how it came about.
struct Moment {
    world: World,
    joint: Vec<Action>,
    /// The logarithm of the probability of all choices so far that were listed.
    likely: f64,
    /// Whether a choice was drawn without knowing the others.
    blind: bool,
}

/// A step with more outcomes than this is drawn blindly, and so often before it counts as a dead end.
const LISTED: usize = 1024;
const DRAWS: usize = 32;
/// Moments that are looked at for one history before it is given up.
const PATIENCE: usize = 10_000;

impl Hypergames {
    /// A bag of at most `count` histories.
    pub fn new(count: usize) -> Hypergames {
        Hypergames { count: count.max(1), bag: Vec::new(), weights: Vec::new(), changed: (0, 0) }
    }

    /// Draws a history: the joint action of each of its steps.
    pub fn history(&self, rng: &mut Rng) -> Option<impl Iterator<Item = &[Action]>> {
        let chosen = rng.weighted(self.weights.iter().copied());
        let history = self.bag.get(chosen)?;
        Some(history.moments.iter().skip(1).map(|moment| &*moment.joint))
    }

    /// Puts a history into the bag unless it is there.
    fn put(&mut self, history: History, known: &mut BTreeSet<u64>) {
        let Some(now) = history.moments.last() else { return };
        if known.insert(now.world.path) {
            self.bag.push(history);
        } else if now.blind {
            let same = |other: &&mut History| {
                other.moments.last().is_some_and(|last| last.world.path == now.world.path)
            };
            if let Some(other) = self.bag.iter_mut().find(same) {
                other.found += history.found;
            }
        }
    }

    fn weigh(&mut self) {
        let likely = |history: &History| history.moments.last().map_or(0.0, |moment| moment.likely);
        let most = self.bag.iter().map(likely).fold(f64::NEG_INFINITY, f64::max);
        let weigh = |history: &History| (likely(history) - most).exp() * f64::from(history.found);
        self.weights = self.bag.iter().map(weigh).collect();
    }
}

impl History {
    fn new(model: &dyn Model) -> History {
        let world = World::initial(model);
        History {
            moments: vec![Arc::new(Moment { world, joint: Vec::new(), likely: 0.0, blind: false })],
            found: 1,
        }
    }

    /// Moves on to the present, taking back what contradicts the view. False if that cannot be done. Also
    /// says whether anything that was there had to be taken back.
    fn move_on(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> (bool, bool) {
        let begin = self.moments.len();
        let mut dead = BTreeSet::new();
        let mut scratch = Vec::new();
        let mut shortest = begin;
        for _ in 0..PATIENCE {
            shortest = shortest.min(self.moments.len());
            let Some(now) = self.moments.last().cloned() else { return (false, true) };
            let next = match now.world.next(model, view, &mut scratch) {
                Next::Arrived => return (true, shortest < begin),
                Next::Dead | Next::Untold => None,
                Next::Step(own) => choose(model, &now, view, own, &dead, rng),
            };
            match next {
                Some(next) => self.moments.push(Arc::new(next)),
                None => {
                    dead.insert(now.world.path);
                    self.moments.pop();
                }
            }
        }
        (false, true)
    }

    /// Goes back to a random moment.
    fn take_back(&mut self, rng: &mut Rng) {
        self.moments.truncate(1 + rng.below(self.moments.len() as u32) as usize);
        self.found = 1;
    }
}

/// A step from one moment that agrees with the view and is no dead end; `None` if there is none.
fn choose(
    model: &dyn Model,
    now: &Moment,
    view: &View,
    own: Option<Action>,
    dead: &BTreeSet<u64>,
    rng: &mut Rng,
) -> Option<Moment> {
    let turn = model.turn(&now.world.state);
    if let Some(mut agreeing) = successors(model, &now.world, view, own, LISTED) {
        agreeing.retain(|(world, ..)| !dead.contains(&world.path));
        if agreeing.is_empty() {
            return None;
        }
        let chosen = rng.weighted(agreeing.iter().map(|(_, _, p)| *p));
        let (mut world, joint, p) = agreeing.swap_remove(chosen);
        world.extend_views(model, turn, &joint);
        return Some(Moment { world, joint, likely: now.likely + p.ln(), blind: now.blind });
    }
    let mut scratch = Vec::new();
    for _ in 0..DRAWS {
        let mut joint = Vec::with_capacity(turn.width());
        if turn == Turn::Chance {
            joint.push(model.draw(&now.world.state, rng));
        }
        for mover in turn.movers().iter() {
            joint.push(match own {
                Some(action) if mover == view.player => action,
                _ => model.random_action(&now.world.state, mover, &mut scratch, rng),
            });
        }
        let mut world = now.world.clone();
        if world.step(model, view, turn, &joint) && !dead.contains(&world.path) {
            world.extend_views(model, turn, &joint);
            return Some(Moment { world, joint, likely: now.likely, blind: true });
        }
    }
    None
}

impl Belief for Hypergames {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) -> Result<(), Trouble> {
        let now = self.bag.first().and_then(|history| history.moments.last());
        let anew = now.is_none_or(|moment| moment.world.at > view.events.len());
        let before = if anew { vec![History::new(model)] } else { std::mem::take(&mut self.bag) };
        self.bag.clear();
        self.changed = (0, if anew { 0 } else { before.len() });
        let mut known = BTreeSet::new();
        for history in &before {
            let mut history = history.clone();
            let (agrees, changed) = history.move_on(model, view, rng);
            self.changed.0 += usize::from(changed && !anew);
            if agrees {
                self.put(history, &mut known);
            }
        }
        // Until it is full, or nothing new has been found for a while.
        let mut in_vain = 0;
        while !self.bag.is_empty() && self.bag.len() < self.count && in_vain < 20 + 4 * self.bag.len() {
            in_vain += 1;
            let held = self.bag.len();
            let mut other = self.bag[rng.below(self.bag.len() as u32) as usize].clone();
            other.take_back(rng);
            if other.move_on(model, view, rng).0 {
                self.put(other, &mut known);
            }
            if self.bag.len() > held {
                in_vain = 0;
            }
        }
        if self.bag.is_empty() {
            return Err(unexplained(view));
        }
        self.weigh();
        Ok(())
    }

    fn sample(&self, _: &dyn Model, _: &View, rng: &mut Rng, world: &mut World) {
        let chosen = rng.weighted(self.weights.iter().copied());
        if let Some(moment) = self.bag.get(chosen).and_then(|history| history.moments.last()) {
            world.copy_from(&moment.world);
        }
    }

    fn size(&self) -> Option<u64> {
        Some(self.bag.len() as u64)
    }

    fn notes(&self) -> Vec<String> {
        match self.changed {
            (0, _) => Vec::new(),
            (changed, all) => {
                vec![format!("{changed} of {all} histories contradicted what was seen, and were changed")]
            }
        }
    }
}
