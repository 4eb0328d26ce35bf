//! The decisions of one player as a graph of beliefs, in which nothing is hidden.
//!
//! Who cannot see the state still knows how probable each one is: that distribution is all that matters for
//! what comes. From a belief, an action and what is seen until the next decision lead to other beliefs, each
//! with its probability. Histories that lead to the same belief (to nine digits) meet in one node.

use super::World;
use crate::game::{Action, Turn};
use crate::keys::{KeyMap, Kind, join};
use crate::model::{Model, State};
use crate::successors::{Successor, outcomes, successor};
use crate::view::after_observation;

/// States with their probabilities.
pub type Distribution = Vec<(State, f64)>;

/// Beliefs, each with a number.
#[derive(Default)]
pub struct BeliefGraph {
    nodes: Vec<BeliefNode>,
    index: KeyMap<usize>,
    /// Steps of the model that have been carried out.
    pub transitions: u64,
}

/// A belief in which the player decides.
pub struct BeliefNode {
    /// What may be. Empty until it is kept.
    pub belief: Distribution,
    /// What the player may do there.
    pub legal: Vec<Action>,
    /// How many different states it has.
    pub size: usize,
}

/// What an action leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The expected reward until the next decision.
    pub reward: f64,
    /// The next beliefs, each with its probability, discounted; less than one in sum where the game may end.
    pub next: Vec<(usize, f64)>,
}

/// A state on its way to the next decision.
struct Moving {
    state: State,
    p: f64,
    seen: u64,
    /// How often chance has moved in a row.
    draws: u32,
}

/// States that a player cannot tell apart.
struct Group {
    seen: u64,
    legal: Vec<Action>,
    belief: Distribution,
}

impl BeliefGraph {
    /// A belief.
    pub fn node(&self, number: usize) -> &BeliefNode {
        &self.nodes[number]
    }

    /// The legal actions of a belief that is kept, in classes: symmetries of the belief exchange those of a class.
    pub fn classes(&self, model: &dyn Model, at: usize) -> Vec<Vec<Action>> {
        let BeliefNode { belief, legal, .. } = &self.nodes[at];
        if model.symmetries() == 0 {
            return legal.iter().map(|action| vec![*action]).collect();
        }
        let key = key_of(model, belief);
        let keeps = |symmetry: &usize| {
            let balance: f64 =
                belief.iter().map(|(s, p)| p * f64::from(model.orientation(s, *symmetry))).sum();
            let reflected =
                || belief.iter().map(|(state, p)| (model.reflected(state, *symmetry), *p)).collect();
            balance.abs() < 1e-9 && key_of(model, &merged(model, reflected())) == key
        };
        let symmetries: Vec<usize> = (0..model.symmetries()).filter(keeps).collect();
        let mut seen: KeyMap<()> = KeyMap::default();
        let mut classes = Vec::new();
        for first in legal {
            if seen.contains_key(&u64::from(first.0)) {
                continue;
            }
            let (mut class, mut open) = (Vec::new(), vec![*first]);
            while let Some(action) = open.pop() {
                if seen.insert(action.0.into(), ()).is_none() {
                    class.push(action);
                    open.extend(
                        symmetries.iter().map(|symmetry| model.reflected_action(0, action, *symmetry)),
                    );
                }
            }
            classes.push(class);
        }
        classes
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Keeps what a belief consists of.
    pub fn keep(&mut self, number: usize, belief: Distribution) {
        self.nodes[number].belief = belief;
    }

    /// The beliefs at a player's first decisions, each with its probability; and the reward before them.
    ///
    /// # Errors
    /// As `tick`, which is called for every state; or chance goes on without end.
    pub fn start(
        &mut self,
        model: &dyn Model,
        tick: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(f64, Vec<(usize, f64)>), String> {
        let moving = vec![Moving { state: model.initial(), p: 1.0, seen: 0, draws: 0 }];
        let (reward, groups) = self.settle(model, moving, tick)?;
        let number = |(belief, p): (Distribution, f64)| (self.number_and_keep(model, belief), p);
        Ok((reward, groups.into_iter().map(number).collect()))
    }

    /// The node of a belief that is given by its worlds, and the exchanges of names that lead there.
    pub fn find(&mut self, model: &dyn Model, worlds: Vec<(World, f64)>) -> (usize, Vec<usize>) {
        let belief = worlds.into_iter().map(|(world, p)| (world.state, p)).collect();
        let mut belief = merged(model, belief);
        let exchanges = canonical_form(model, &mut belief);
        (self.number_and_keep(model, belief), exchanges)
    }

    /// What an action leads to from a belief that is kept, and what the next beliefs consist of.
    ///
    /// # Errors
    /// As [`BeliefGraph::start`].
    pub fn arm(
        &mut self,
        model: &dyn Model,
        at: usize,
        action: Action,
        tick: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(Arm, Vec<Distribution>), String> {
        let gamma = model.info().discount_after(Turn::One(0));
        let (mut reward, mut moving) = (0.0, Vec::with_capacity(self.nodes[at].belief.len()));
        for (state, p) in &self.nodes[at].belief {
            let Successor { state: after, rewards: [paid], .. } = successor(model, state, action);
            reward += p * paid;
            let told = model.observe(&after, model.turn(state), &[action], 0);
            moving.push(Moving { state: after, p: *p, seen: after_observation(0, told), draws: 0 });
        }
        self.transitions += moving.len() as u64;
        let (later, groups) = self.settle(model, moving, tick)?;
        let (mut next, mut beliefs) = (Vec::new(), Vec::new());
        for (mut belief, p) in groups {
            canonical_form(model, &mut belief);
            next.push((self.number(model, &belief), gamma * p));
            beliefs.push(belief);
        }
        Ok((Arm { reward: reward + gamma * later, next }, beliefs))
    }

    /// Lets chance run until the player decides or the game is over. Gives the expected reward, and the
    /// beliefs by what was seen on the way (what one may do is seen as well).
    fn settle(
        &mut self,
        model: &dyn Model,
        mut moving: Vec<Moving>,
        tick: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(f64, Vec<(Distribution, f64)>), String> {
        let mut reward = 0.0;
        let mut groups: Vec<Group> = Vec::new();
        let mut latest: KeyMap<usize> = KeyMap::default();
        let mut legal = Vec::new();
        while let Some(Moving { state, p, seen, draws }) = moving.pop() {
            tick()?;
            match model.turn(&state) {
                Turn::Over => {}
                Turn::Chance if draws >= model.info().longest_chance() => {
                    return Err(model.info().endless_chance());
                }
                Turn::Chance => {
                    for outcome in outcomes(model, &state) {
                        let Successor { action, probability: q, rewards: [paid], state } = outcome;
                        self.transitions += 1;
                        reward += p * q * paid;
                        let told = model.observe(&state, Turn::Chance, &[action], 0);
                        let (p, seen, draws) = (p * q, after_observation(seen, told), draws + 1);
                        moving.push(Moving { state, p, seen, draws });
                    }
                }
                Turn::One(_) | Turn::Several(_) => {
                    actions(model, &state, &mut legal);
                    let fits = |group: &Group| group.seen == seen && group.legal == legal;
                    let known = latest.get(&seen).copied().filter(|place| fits(&groups[*place]));
                    let place = known.or_else(|| groups.iter().position(fits)).unwrap_or_else(|| {
                        groups.push(Group { seen, legal: legal.clone(), belief: Vec::new() });
                        groups.len() - 1
                    });
                    latest.insert(seen, place);
                    groups[place].belief.push((state, p));
                }
            }
        }
        let normal = |Group { mut belief, .. }: Group| {
            let total: f64 = belief.iter().map(|(_, p)| p).sum();
            belief.iter_mut().for_each(|(_, p)| *p /= total);
            (merged(model, belief), total)
        };
        Ok((reward, groups.into_iter().map(normal).collect()))
    }

    fn number_and_keep(&mut self, model: &dyn Model, belief: Distribution) -> usize {
        let number = self.number(model, &belief);
        self.keep(number, belief);
        number
    }

    /// The number of a belief whose states are merged, new or known.
    fn number(&mut self, model: &dyn Model, belief: &Distribution) -> usize {
        if model.has().hash {
            let key = key_of(model, belief);
            if let Some(&known) = self.index.get(&key) {
                return known;
            }
            self.index.insert(key, self.nodes.len());
        }
        let mut legal = Vec::new();
        if let Some((state, _)) = belief.first() {
            actions(model, state, &mut legal);
        }
        self.nodes.push(BeliefNode { belief: Vec::new(), legal, size: belief.len() });
        self.nodes.len() - 1
    }
}

/// Gives the same names to what differs by names only, as far as symmetries tell: the likelier one of two that
/// can be exchanged comes first. Gives the exchanges in their order.
pub fn canonical_form(model: &dyn Model, belief: &mut Distribution) -> Vec<usize> {
    let mut made = Vec::new();
    let orientation = |belief: &Distribution, symmetry| -> f64 {
        belief.iter().map(|(state, p)| p * f64::from(model.orientation(state, symmetry))).sum()
    };
    loop {
        let before = made.len();
        for symmetry in 0..model.symmetries() {
            if orientation(belief, symmetry) < -1e-9 {
                belief.iter_mut().for_each(|(state, _)| *state = model.reflected(state, symmetry));
                made.push(symmetry);
            }
        }
        if made.len() == before {
            break;
        }
    }
    if !made.is_empty() {
        *belief = merged(model, std::mem::take(belief));
    }
    made
}

/// Nine digits of a probability.
fn digits(p: f64) -> u64 {
    (p * 1e9).round() as u64
}

/// A key of a belief whose states are merged.
fn key_of(model: &dyn Model, belief: &Distribution) -> u64 {
    belief
        .iter()
        .fold(0, |key, (state, p)| join(Kind::Share, join(Kind::State, key, model.hash(state)), digits(*p)))
}

/// A player's legal actions, ascending.
fn actions(model: &dyn Model, state: &State, legal: &mut Vec<Action>) {
    legal.clear();
    model.legal(state, 0, legal);
    if !legal.is_sorted() {
        legal.sort_unstable();
    }
}

/// The same belief with equal states as one, in an order that depends on the states alone.
fn merged(model: &dyn Model, belief: Distribution) -> Distribution {
    if !model.has().hash {
        return belief;
    }
    let mut hashed: Vec<(u64, State, f64)> =
        belief.into_iter().map(|(state, p)| (model.hash(&state), state, p)).collect();
    hashed.sort_by_key(|(hash, ..)| *hash);
    hashed.dedup_by(|later, first| {
        let same = later.0 == first.0;
        first.2 += if same { later.2 } else { 0.0 };
        same
    });
    hashed.retain(|(_, _, p)| digits(*p) > 0);
    hashed.into_iter().map(|(_, state, p)| (state, p)).collect()
}
