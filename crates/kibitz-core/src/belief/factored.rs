//! The exact belief of a game that hides several pieces which go their own ways ([`crate::abilities::Pieces`]): a
//! mixture of products.
//!
//! Given what everybody sees, what one piece does says nothing of the others, but that all of them together were seen
//! to do something. So whoever has seen nothing of them believes a product: any piece may be anywhere, whatever the
//! others are. Where something was done, it was one piece or the other, and the belief is a mixture with a product
//! for each: which piece did what. That is Bayes' rule still, without listing all places of all pieces together.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::exact::round;
use super::past::{Ledger, Past};
use super::{Belief, Counter, Explained, Trouble, World};
use crate::game::{Action, Observation, Turn};
use crate::interrupt::Pause;
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::rng::Rng;
use crate::successors::{Successor, outcomes, successor};
use crate::view::{Event, View};

/// What one piece may be: states that hide nothing but it, with their probabilities.
type Factor = Vec<(State, f64)>;

/// A mixture of products of factors.
#[derive(Clone, Default)]
pub struct Factored {
    factors: Vec<Factor>,
    /// Each product by the numbers of its factors, in order, with its probability.
    mixture: Vec<(Vec<usize>, f64)>,
    limit: usize,
    /// Events of the view that lie behind.
    at: usize,
    /// States that the last update drew, because nothing explained what was seen.
    fresh: usize,
    ledger: Ledger,
}

/// States that the game draws where nothing explains what was seen.
const FRESH: usize = 200;

/// For each state that it may hold, a belief looks at so many combinations of what pieces may have done.
const LOOKS: usize = 16;

/// What a factor becomes: by what was seen of it, where it may be now, with the probability of both.
type Fates = BTreeMap<u64, Factor>;

impl Factored {
    /// A belief that refuses to hold more than `limit` states of pieces and products of them.
    pub fn new(limit: usize) -> Factored {
        Factored { limit, ..Factored::default() }
    }

    /// Begins with the pieces' places before anything was told of them.
    fn begin(&mut self, past: &Past) -> Result<(), Trouble> {
        let (events, products) = past.model.prior(past.view).ok_or_else(|| past.unexplained())?;
        (self.factors, self.mixture, self.at) = (Vec::new(), Vec::new(), events);
        for (p, product) in products {
            let first = self.factors.len();
            self.mixture.push(((first..first + product.len()).collect(), p));
            self.factors.extend(product);
        }
        self.share(past.model);
        Ok(())
    }

    /// Begins with states that the game draws for what is seen.
    fn draw(&mut self, model: &dyn Model, view: &View, rng: &mut Rng) {
        (self.factors, self.mixture, self.at) = (Vec::new(), Vec::new(), view.events.len());
        for _ in 0..FRESH {
            let Some(drawn) = model.resample(view, rng) else { continue };
            let first = self.factors.len();
            self.factors.extend(model.split(&drawn).into_iter().map(|piece| vec![(piece, 1.0)]));
            self.mixture.push(((first..self.factors.len()).collect(), 1.0 / FRESH as f64));
        }
        self.fresh = self.mixture.len();
        self.share(model);
    }

    /// Factors that are the same become one, and so do products.
    fn share(&mut self, model: &dyn Model) {
        let mut known: BTreeMap<Vec<(u64, u64)>, usize> = BTreeMap::new();
        let mut kept = Vec::new();
        let numbers: Vec<usize> = std::mem::take(&mut self.factors)
            .into_iter()
            .map(|factor| {
                let mut key: Vec<_> =
                    factor.iter().map(|(state, p)| (model.hash(state), p.to_bits())).collect();
                key.sort_unstable();
                *known.entry(key).or_insert_with(|| {
                    kept.push(factor);
                    kept.len() - 1
                })
            })
            .collect();
        self.factors = kept;
        let mut merged: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        for (product, p) in std::mem::take(&mut self.mixture) {
            let mut product: Vec<usize> = product.into_iter().map(|factor| numbers[factor]).collect();
            product.sort_unstable();
            *merged.entry(product).or_default() += p;
        }
        self.mixture = merged.into_iter().collect();
    }

    /// Takes in what was told, after an own action or by itself.
    fn take(&mut self, past: &Past, action: Option<Action>, told: Observation) -> Result<(), Trouble> {
        let model = past.model;
        let before = self.factors.iter().find_map(|factor| factor.first()).map(|(state, _)| state.clone());
        let Some(before) = before else { return Err(past.unexplained()) };
        let mut fates = Vec::with_capacity(self.factors.len());
        for factor in &self.factors {
            if past.is_late() {
                return Err(past.unexplained());
            }
            fates.push(fates_of(past, factor, action, told)?);
        }
        let mut after = Factored::new(self.limit);
        let mut numbers: BTreeMap<(usize, u64), usize> = BTreeMap::new();
        let mut merged: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        let (mut states, mut looks) = (0, LOOKS.saturating_mul(self.limit));
        for (number, (product, p)) in (1..).zip(&self.mixture) {
            let mut found = Vec::new();
            let told_so = |done: &[u64]| model.together(&before, done, told);
            let all = combine(product, &fates, *p, &mut Vec::new(), &told_so, &mut looks, &mut found);
            for (done, p) in found {
                let mut numbered = Vec::with_capacity(product.len());
                for (factor, what) in product.iter().zip(done) {
                    numbered.push(match numbers.entry((*factor, what)) {
                        Entry::Occupied(known) => *known.get(),
                        Entry::Vacant(vacant) => {
                            let taken = take_in(model, &fates[*factor][&what], &before, action, told);
                            states += taken.len();
                            after.factors.push(taken);
                            *vacant.insert(after.factors.len() - 1)
                        }
                    });
                }
                numbered.sort_unstable();
                *merged.entry(numbered).or_default() += p;
            }
            if past.is_late() {
                return Err(past.unexplained());
            }
            if !all || states + merged.len() > self.limit {
                // Those that are left to look at will lead to as many each.
                let each = (states + merged.len()) as f64 / f64::from(number);
                return Err(too_large(self.limit, each * self.mixture.len() as f64));
            }
        }
        let total: f64 = merged.values().sum();
        if !total.is_normal() {
            return Err(past.unexplained());
        }
        self.factors = after.factors;
        self.mixture = merged.into_iter().map(|(product, p)| (product, p / total)).collect();
        self.share(model);
        Ok(())
    }

    /// Takes in all that has been added to the view.
    fn follow(&mut self, past: &Past) -> Result<(), Trouble> {
        let mut action = None;
        while let Some(event) = past.view.events.get(self.at) {
            match event {
                Event::Acted(chosen) => action = Some(*chosen),
                Event::Observed(told) => self.take(past, action.take(), *told)?,
                Event::Passed(_) => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    /// How many states there are in all, of pieces and of all pieces together.
    fn sizes(&self) -> (usize, f64) {
        let pieces = self.factors.iter().map(Vec::len).sum();
        let size = |(product, _): &(Vec<usize>, f64)| {
            product.iter().map(|factor| self.factors[*factor].len() as f64).product::<f64>()
        };
        (pieces, self.mixture.iter().map(size).sum())
    }
}

/// What may become of a piece until the next decision, by what is seen of it.
fn fates_of(
    past: &Past,
    factor: &Factor,
    action: Option<Action>,
    told: Observation,
) -> Result<Fates, Trouble> {
    let model = past.model;
    let mut fates = Fates::new();
    let mut moving: Vec<(State, f64, u32)> = Vec::new();
    for (state, p) in factor {
        match action {
            None => moving.push((state.clone(), *p, 0)),
            Some(action) => {
                past.count_step();
                let Successor { state: after, .. } = successor::<1>(model, state, action);
                moving.push((after, *p, 0));
            }
        }
        while let Some((now, p, draws)) = moving.pop() {
            if model.turn(&now) != Turn::Chance {
                if let Some(done) = model.done(state, &now, told) {
                    fates.entry(done).or_default().push((now, p));
                }
                continue;
            }
            if draws >= model.info().longest_chance() {
                return Err(Trouble::Unfit(model.info().endless_chance()));
            }
            for outcome in outcomes::<1>(model, &now) {
                past.count_step();
                moving.push((outcome.state, p * outcome.probability, draws + 1));
            }
        }
    }
    Ok(fates)
}

/// All that the pieces of a product may have done which together is told so, each with its probability. False where
/// that takes too many looks.
fn combine(
    product: &[usize],
    fates: &[Fates],
    p: f64,
    done: &mut Vec<u64>,
    told_so: &dyn Fn(&[u64]) -> bool,
    looks: &mut usize,
    found: &mut Vec<(Vec<u64>, f64)>,
) -> bool {
    let Some((first, rest)) = product.split_first() else {
        let so = told_so(done);
        if so {
            found.push((done.clone(), p));
        }
        // What is found is kept, and counts as much as the limit says.
        *looks = looks.saturating_sub(if so { LOOKS } else { 1 });
        return *looks > 0;
    };
    fates[*first].iter().all(|(what, states)| {
        let mass: f64 = states.iter().map(|(_, p)| p).sum();
        done.push(*what);
        let all = combine(rest, fates, p * mass, done, told_so, looks, found);
        done.pop();
        all
    })
}

/// A piece's places, given what was told of all; equal ones as one, in the order of their arrival.
fn take_in(
    model: &dyn Model,
    places: &Factor,
    before: &State,
    action: Option<Action>,
    told: Observation,
) -> Factor {
    let total: f64 = places.iter().map(|(_, p)| p).sum();
    let mut merged: Factor = Vec::new();
    let mut index: KeyMap<usize> = KeyMap::default();
    for (state, p) in places {
        let mut state = state.clone();
        model.take(&mut state, before, action, told);
        let place = *index.entry(model.hash(&state)).or_insert(merged.len());
        match merged.get_mut(place) {
            Some((_, sum)) => *sum += p / total,
            None => merged.push((state, p / total)),
        }
    }
    merged
}

fn too_large(limit: usize, size: f64) -> Trouble {
    Trouble::Unfit(format!(
        "an exact belief here would hold more than {limit} states of single pieces and products of them, at least \
         about {}; use belief=particles(1000), or a larger limit: belief=exact(limit)",
        round(size.max(limit as f64))
    ))
}

impl Belief for Factored {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained {
        self.fresh = 0;
        let mut ledger = std::mem::take(&mut self.ledger);
        let past = ledger.past(model, view, Some(pause));
        let mut explained = Ok(());
        if self.mixture.is_empty() || self.at > view.events.len() {
            explained = self.begin(&past);
        }
        explained = explained.and_then(|()| self.follow(&past));
        if matches!(explained, Err(Trouble::Unexplained(_))) && model.has().resampling {
            self.draw(model, view, rng);
            if self.fresh > 0 {
                explained = Ok(());
            }
        }
        ledger.transitions += past.transitions();
        self.ledger = ledger;
        explained
    }

    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) {
        let Some((product, _)) = self.mixture.get(rng.weighted(self.mixture.iter().map(|(_, p)| *p)))
        else {
            return;
        };
        let pieces: Vec<&State> = product
            .iter()
            .map(|factor| {
                let factor = &self.factors[*factor];
                &factor[rng.weighted(factor.iter().map(|(_, p)| *p))].0
            })
            .collect();
        world.draw(model.join(&pieces), view);
    }

    fn worlds(&self, model: &dyn Model, view: &View, limit: usize) -> Option<Vec<(World, f64)>> {
        if self.sizes().1 > limit as f64 {
            return None;
        }
        let mut worlds: Vec<(World, f64)> = Vec::new();
        let mut index: KeyMap<usize> = KeyMap::default();
        for (product, p) in &self.mixture {
            let mut joint: Vec<(Vec<&State>, f64)> = vec![(Vec::new(), *p)];
            for factor in product {
                let mut longer = Vec::with_capacity(joint.len() * self.factors[*factor].len());
                for (pieces, p) in &joint {
                    for (state, q) in &self.factors[*factor] {
                        longer.push(([&pieces[..], &[state]].concat(), p * q));
                    }
                }
                joint = longer;
            }
            for (pieces, p) in joint {
                let state = model.join(&pieces);
                let place = *index.entry(model.hash(&state)).or_insert(worlds.len());
                if let Some((_, sum)) = worlds.get_mut(place) {
                    *sum += p;
                    continue;
                }
                let mut world = World::initial(model);
                world.draw(state, view);
                worlds.push((world, p));
            }
        }
        Some(worlds)
    }

    fn size(&self) -> Option<u64> {
        Some(self.sizes().1 as u64)
    }

    fn counters(&self) -> Vec<Counter> {
        let (pieces, all) = self.sizes();
        vec![
            ("states", all),
            ("states of pieces", pieces as f64),
            ("products", self.mixture.len() as f64),
            ("transitions", self.ledger.transitions as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        match self.fresh {
            0 => Vec::new(),
            fresh => vec![format!(
                "nothing explains all that was seen: {fresh} states drawn by the game take its place"
            )],
        }
    }
}
