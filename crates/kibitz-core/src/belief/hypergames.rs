//! Hypergames: a bag of whole histories that agree with the view (HyperPlay).
//!
//! Each history is moved on by choices drawn at random among those that agree with what the player saw.
//! Where there are none, it is taken back choice by choice, the latest first, and moved on otherwise,
//! until it agrees again: a depth-first search in which no dead end is entered twice. A bag with room for
//! more is filled up by taking histories back to a random point and moving them on from there. Where that finds
//! no more and there is still room, all histories are listed, so that none is missing for being unlikely.
//!
//! No history is in the bag twice; a history counts as much as its choices are likely. Where the bag has
//! room for all histories that agree, it has them all, and is the exact belief; where they cannot all be listed
//! (chance without probabilities, too many dead ends), a note says so.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::opponents::{OpponentPolicy, Opponents};
use super::past::{Ledger, Past, Successor};
use super::world::Next;
use super::{Belief, Counter, Explained, World};
use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// A bag of different histories, each with its probability.
#[derive(Clone)]
pub struct Hypergames {
    bag: Bag,
    /// The probability of each, up to a factor.
    weights: Vec<f64>,
    ledger: Ledger,
}

#[derive(Clone)]
struct Bag {
    count: usize,
    histories: Vec<History>,
    /// Whether it is known that no others agree with what was seen.
    complete: bool,
    /// Of how many in the bag how many contradicted what was seen at the last update.
    changed: (usize, usize),
    /// How often a history was moved on, and how often one was taken back by a step, so far.
    tries: u64,
    backtracks: u64,
}

/// A history: its moments, the first of which is the beginning of the game. Histories share them.
#[derive(Clone)]
struct History {
    moments: Vec<Arc<Moment>>,
    /// How often it was found, where not all its choices could be listed.
    found: u32,
}

/// A world and how it came about.
#[derive(Clone)]
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
/// Moments that are looked at for one history before it is given up, for a bag before it is left as it is, and for
/// the list of all histories.
const PATIENCE: u64 = 10_000;
const PATIENCE_IN_ALL: u64 = 1_000_000;
const PATIENCE_FOR_ALL: u64 = 100_000;

impl Hypergames {
    /// A bag of at most `count` histories.
    pub fn new(count: usize) -> Hypergames {
        let histories = Vec::new();
        let count = count.max(1);
        let bag = Bag { count, histories, complete: false, changed: (0, 0), tries: 0, backtracks: 0 };
        Hypergames { bag, weights: Vec::new(), ledger: Ledger::default() }
    }

    /// The same, with other players who are taken to choose in some way.
    pub fn against(mut self, opponents: Opponents) -> Hypergames {
        self.ledger.opponents = opponents;
        self
    }

    /// Draws a history: the joint action of each of its steps.
    pub fn history(&self, rng: &mut Rng) -> Option<impl Iterator<Item = &[Action]>> {
        let chosen = rng.weighted(self.weights.iter().copied());
        let history = self.bag.histories.get(chosen)?;
        Some(history.moments.iter().skip(1).map(|moment| &*moment.joint))
    }

    /// All histories: the joint action of each step, and the world that they lead to.
    pub(crate) fn histories(&self) -> impl Iterator<Item = (Vec<Vec<Action>>, &World)> {
        self.bag.histories.iter().filter_map(|history| {
            let steps = history.moments.iter().skip(1).map(|moment| moment.joint.clone()).collect();
            Some((steps, &history.moments.last()?.world))
        })
    }

    /// What was passed over because nothing explains it, in a sentence.
    pub(crate) fn passed_over(&self) -> Option<String> {
        self.ledger.notes().pop()
    }

    fn weigh(&mut self) {
        let likely = |history: &History| history.moments.last().map_or(0.0, |moment| moment.likely);
        let histories = &self.bag.histories;
        let most = histories.iter().map(likely).fold(f64::NEG_INFINITY, f64::max);
        let weigh = |history: &History| (likely(history) - most).exp() * f64::from(history.found);
        self.weights = histories.iter().map(weigh).collect();
    }
}

/// What one update has found out.
#[derive(Default)]
struct Findings {
    /// The histories in the bag.
    held: BTreeSet<u64>,
    /// Those from which none leads to the present.
    dead: BTreeSet<u64>,
    /// The moments that were looked at.
    moments: u64,
}

impl Bag {
    /// Moves all histories on, and fills the bag up.
    fn follow(&mut self, past: &Past, anew: bool, rng: &mut Rng) -> Explained {
        let mut before = std::mem::take(&mut self.histories);
        let anew = anew || before.is_empty();
        if anew {
            before = vec![History::new(past)];
        }
        self.changed = (0, if anew { 0 } else { before.len() });
        let mut found = Findings::default();
        // All that may be comes of these.
        let sources = if anew || self.complete { before.clone() } else { vec![History::new(past)] };
        for mut history in before {
            let (agrees, changed) = self.move_on(&mut history, past, &mut found, rng);
            self.changed.0 += usize::from(changed && !anew);
            if agrees {
                self.put(history, past, &mut found);
            }
        }
        // Until it is full, or nothing new has been found for a while.
        let mut in_vain = 0;
        loop {
            let held = self.histories.len();
            let full = held == 0 || held >= self.count;
            if full || in_vain >= 20 + 4 * held || found.moments >= PATIENCE_IN_ALL || past.is_late() {
                break;
            }
            in_vain += 1;
            let mut other = self.histories[rng.below(held as u32) as usize].clone();
            other.take_back(rng);
            if self.move_on(&mut other, past, &mut found, rng).0 {
                self.put(other, past, &mut found);
            }
            if self.histories.len() > held {
                in_vain = 0;
            }
        }
        if self.histories.is_empty() {
            return Err(past.unexplained());
        }
        self.complete = self.histories.len() < self.count && self.list_all(sources, past, &mut found);
        Ok(())
    }

    /// Puts all histories that agree and come of some into the bag. False if that cannot be done, or there is no room.
    fn list_all(&mut self, sources: Vec<History>, past: &Past, found: &mut Findings) -> bool {
        let mut moments = 0;
        sources.into_iter().all(|source| self.list(source, past, found, &mut moments))
    }

    /// The same for one, depth first: at each moment on the way, what else may follow is kept.
    fn list(&mut self, mut history: History, past: &Past, found: &mut Findings, moments: &mut u64) -> bool {
        let begin = history.moments.len();
        let mut scratch = Vec::new();
        let mut open: Vec<Vec<Successor>> = Vec::new();
        loop {
            let Some(now) = history.moments.last().cloned() else { return true };
            *moments += 1;
            if *moments > PATIENCE_FOR_ALL || open.len() as u64 > PATIENCE || past.is_late() {
                return false;
            }
            let mut next = Vec::new();
            match past.next(&now.world, &mut scratch) {
                Next::Dead | Next::Untold => {}
                Next::Arrived if found.held.contains(&now.world.path) => {}
                Next::Arrived if self.histories.len() >= self.count => return false,
                Next::Arrived => self.put(History { found: 1, ..history.clone() }, past, found),
                Next::Step(own) => match past.successors(&now.world, own, LISTED) {
                    Ok(agreeing) => next = agreeing,
                    Err(_) => return false,
                },
            }
            next.retain(|(world, ..)| !found.dead.contains(&world.path));
            open.push(next);
            let (world, joint, p) = loop {
                let Some(rest) = open.last_mut() else { return true };
                if let Some(successor) = rest.pop() {
                    break successor;
                }
                open.pop();
            };
            history.moments.truncate(begin + open.len() - 1);
            let Some(before) = history.moments.last() else { return true };
            let moment = before.followed_by(past, world, joint, p);
            history.moments.push(Arc::new(moment));
        }
    }

    /// Puts a history into the bag unless it is there.
    fn put(&mut self, mut history: History, past: &Past, found: &mut Findings) {
        let Some(now) = history.moments.last_mut() else { return };
        if found.held.insert(now.world.path) {
            past.arrive(&mut Arc::make_mut(now).world);
            self.histories.push(history);
        } else if now.blind {
            let same = |other: &&mut History| {
                other.moments.last().is_some_and(|last| last.world.path == now.world.path)
            };
            if let Some(other) = self.histories.iter_mut().find(same) {
                other.found += history.found;
            }
        }
    }

    /// Moves a history on to the present, taking back what contradicts the view. False if that cannot be
    /// done. Also says whether anything that was there had to be taken back.
    fn move_on(
        &mut self,
        history: &mut History,
        past: &Past,
        found: &mut Findings,
        rng: &mut Rng,
    ) -> (bool, bool) {
        self.tries += 1;
        let begin = history.moments.len();
        let mut shortest = begin;
        let mut scratch = Vec::new();
        // Where outcomes are drawn blindly, others may find what this history did not, there and before.
        let mut given_up = Vec::new();
        let limit = found.moments + PATIENCE;
        let mut arrived = false;
        while !arrived && found.moments < limit && !past.is_late() {
            found.moments += 1;
            let Some(now) = history.moments.last().cloned() else { break };
            let next = match past.next(&now.world, &mut scratch) {
                Next::Arrived => {
                    arrived = true;
                    continue;
                }
                Next::Dead | Next::Untold => Choice::None,
                Next::Step(own) => choose(past, &now, own, &found.dead, rng),
            };
            if let Choice::Some(next) = next {
                history.moments.push(Arc::new(next));
                continue;
            }
            found.dead.insert(now.world.path);
            if matches!(next, Choice::Missed) || !given_up.is_empty() {
                given_up.push(now.world.path);
            }
            self.backtracks += 1;
            history.moments.pop();
            shortest = shortest.min(history.moments.len());
        }
        for path in given_up {
            found.dead.remove(&path);
        }
        (arrived, !arrived || shortest < begin)
    }
}

impl History {
    fn new(past: &Past) -> History {
        let world = past.initial();
        History {
            moments: vec![Arc::new(Moment { world, joint: Vec::new(), likely: 0.0, blind: false })],
            found: 1,
        }
    }

    /// Goes back to a random moment.
    fn take_back(&mut self, rng: &mut Rng) {
        self.moments.truncate(1 + rng.below(self.moments.len() as u32) as usize);
        self.found = 1;
    }
}

impl Moment {
    /// The moment after a step that was listed with its probability.
    fn followed_by(&self, past: &Past, mut world: World, joint: Vec<Action>, p: f64) -> Moment {
        world.extend_views(past.model, past.model.turn(&self.world.state), &joint);
        Moment { world, joint, likely: self.likely + p.ln(), blind: self.blind }
    }
}

/// A step from one moment that agrees with the view and is no dead end.
enum Choice {
    Some(Moment),
    /// There is none.
    None,
    /// None was drawn.
    Missed,
}

fn choose(past: &Past, now: &Moment, own: Option<Action>, dead: &BTreeSet<u64>, rng: &mut Rng) -> Choice {
    if let Ok(mut agreeing) = past.successors(&now.world, own, LISTED) {
        agreeing.retain(|(world, ..)| !dead.contains(&world.path));
        if agreeing.is_empty() {
            return Choice::None;
        }
        let chosen = rng.weighted(agreeing.iter().map(|(_, _, p)| *p));
        let (world, joint, p) = agreeing.swap_remove(chosen);
        return Choice::Some(now.followed_by(past, world, joint, p));
    }
    let turn = past.model.turn(&now.world.state);
    for _ in 0..DRAWS {
        let joint = past.draw(&now.world, turn, own, rng)[..turn.width()].to_vec();
        let mut world = now.world.clone();
        if past.step(&mut world, turn, &joint) && !dead.contains(&world.path) {
            world.extend_views(past.model, turn, &joint);
            return Choice::Some(Moment { world, joint, likely: now.likely, blind: true });
        }
    }
    Choice::Missed
}

impl Belief for Hypergames {
    fn assume(&mut self, policy: Option<Arc<dyn OpponentPolicy>>) {
        self.ledger.policy = policy;
    }

    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained {
        let Hypergames { bag, ledger, .. } = self;
        let updated = ledger.explain(model, view, pause, |past, anew| bag.follow(past, anew, rng));
        self.weigh();
        updated
    }

    fn sample(&self, _: &dyn Model, _: &View, rng: &mut Rng, world: &mut World) {
        let chosen = rng.weighted(self.weights.iter().copied());
        if let Some(moment) = self.bag.histories.get(chosen).and_then(|history| history.moments.last()) {
            world.copy_from(&moment.world);
        }
    }

    fn size(&self) -> Option<u64> {
        Some(self.bag.histories.len() as u64)
    }

    fn counters(&self) -> Vec<Counter> {
        vec![
            ("histories", self.bag.histories.len() as f64),
            ("tries", self.bag.tries as f64),
            ("backtracks", self.bag.backtracks as f64),
            ("transitions", self.ledger.transitions as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.ledger.notes();
        let Bag { histories, count, complete, .. } = &self.bag;
        if !complete && !histories.is_empty() && histories.len() < *count {
            let held = histories.len();
            notes.push(format!(
                "{held} histories were found where there is room for {count}: there may be others that agree with \
                 what was seen, since not all could be listed"
            ));
        }
        if let (changed @ 1.., all) = self.bag.changed {
            notes
                .push(format!("{changed} of {all} histories contradicted what was seen, and were changed"));
        }
        notes
    }
}
