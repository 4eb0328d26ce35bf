//! One player who does not see everything, paid at the end: branch and bound over beliefs.
//!
//! No belief is worth more than if the state were known. Actions are tried in the order of what they could be
//! worth at most, and then of how much they tell; one that could not be better than the best so far is left
//! out, and so are all others once the best is worth as much as can be. Beliefs are kept only on the way to
//! the one that is looked at, so that memory is no matter.

use std::collections::BTreeMap;

use super::{Limits, Solution};
use crate::belief::graph::{Arm, BeliefGraph, Distribution};
use crate::belief::perfect_information_bound::PerfectInformationBound;
use crate::game::Action;
use crate::keys::KeyMap;
use crate::model::Model;
use crate::rng::derive;

/// States that count as one, since none is kept for long.
const FLEETING: u64 = 20;
/// Two values that differ by less are the same.
const CLOSE: f64 = 1e-9;

/// Solves the game; `None` where a belief may come back, so that this way has no end.
pub(super) fn solve(model: &dyn Model, limits: &mut Limits) -> Result<Option<Solution>, String> {
    let mut search = Search {
        model,
        limits,
        clock: Clock::default(),
        graph: BeliefGraph::default(),
        known: PerfectInformationBound::default(),
        nodes: Vec::new(),
        table: Vec::new(),
    };
    match search.solve() {
        Ok(solution) => Ok(Some(solution)),
        Err(Halt::Circle) => Ok(None),
        Err(Halt::Failed(why)) => Err(why),
    }
}

struct Search<'a, 'b> {
    model: &'a dyn Model,
    limits: &'a mut Limits<'b>,
    clock: Clock,
    graph: BeliefGraph,
    known: PerfectInformationBound,
    nodes: Vec<Node>,
    /// The values of the first belief's actions that were found on the way.
    table: Vec<(Action, f64)>,
}

/// How many states have been looked at.
#[derive(Default)]
struct Clock {
    all: u64,
    counted: u64,
}

impl Clock {
    fn tick(&mut self, limits: &mut Limits) -> Result<(), String> {
        self.all += 1;
        if self.all.is_multiple_of(FLEETING) { limits.count(&mut self.counted) } else { Ok(()) }
    }
}

/// What is known of a belief.
#[derive(Clone, Default)]
struct Node {
    /// It is worth no more; none before it is met.
    most: Option<f64>,
    value: Option<f64>,
    /// Its value is being looked for.
    open: bool,
}

/// Why there is no value.
enum Halt {
    /// A belief leads back to itself.
    Circle,
    Failed(String),
}

impl From<String> for Halt {
    fn from(why: String) -> Halt {
        Halt::Failed(why)
    }
}

impl Search<'_, '_> {
    fn solve(&mut self) -> Result<Solution, Halt> {
        let (limits, clock) = (&mut *self.limits, &mut self.clock);
        let (mut value, roots) = self.graph.start(self.model, &mut || clock.tick(limits))?;
        for (at, p) in &roots {
            let belief = self.graph.node(*at).belief.clone();
            self.note(*at, &belief);
            value += p * self.value(*at)?;
        }
        let mut solution = Solution {
            value: vec![value],
            method: "branch and bound over beliefs",
            states: self.graph.len() as u64,
            ..Solution::default()
        };
        if let [(root, _)] = roots.as_slice()
            && let Some((state, _)) = self.graph.node(*root).belief.first()
        {
            let name = |action| self.model.action_name(state, Some(0), action);
            let found: BTreeMap<Action, f64> = self.table.iter().rev().copied().collect();
            for class in self.graph.classes(self.model, *root) {
                let value = found.get(&class[0]).copied();
                solution
                    .table
                    .extend(value.into_iter().flat_map(|v| class.iter().map(move |a| (name(*a), v))));
            }
            solution.table.sort_by(|a, b| b.1.total_cmp(&a.1));
            solution.action = solution.table.first().map(|(name, _)| name.clone());
        }
        Ok(solution)
    }

    /// The arm of an action; its beliefs are noted. Those whose values are not known are kept, if there is a
    /// list for them, and written there, unless somebody else has kept them before.
    fn arm(&mut self, at: usize, action: Action, mut kept: Option<&mut Vec<usize>>) -> Result<Arm, Halt> {
        let (limits, clock) = (&mut *self.limits, &mut self.clock);
        let (arm, beliefs) = self.graph.arm(self.model, at, action, &mut || clock.tick(limits))?;
        for ((next, _), belief) in arm.next.iter().zip(beliefs) {
            self.note(*next, &belief);
            if let Some(kept) = &mut kept
                && self.nodes[*next].value.is_none()
                && self.graph.node(*next).belief.is_empty()
            {
                self.graph.keep(*next, belief);
                kept.push(*next);
            }
        }
        Ok(arm)
    }

    /// Finds out what a belief is worth at most, when it is met first.
    fn note(&mut self, at: usize, belief: &Distribution) {
        self.nodes.resize_with(self.graph.len(), Node::default);
        if self.nodes[at].most.is_none() {
            let highest = self.model.info().max_return;
            let known =
                self.known.of(self.model, belief, highest, self.graph.transitions, self.limits.pause);
            self.nodes[at].most = Some(known.high);
            self.nodes[at].value = known.sure.then_some(known.high);
        }
    }

    fn most(&self, at: usize) -> f64 {
        let node = &self.nodes[at];
        node.value.or(node.most).unwrap_or(self.model.info().max_return)
    }

    /// What an action could be worth.
    fn bound(&self, arm: &Arm) -> f64 {
        arm.reward + arm.next.iter().map(|(next, p)| p * self.most(*next)).sum::<f64>()
    }

    /// The value of a belief that is kept.
    fn value(&mut self, at: usize) -> Result<f64, Halt> {
        if let Some(value) = self.nodes[at].value {
            return Ok(value);
        }
        if self.nodes[at].open {
            return Err(Halt::Circle);
        }
        self.nodes[at].open = true;
        let (mut seen, mut arms) = (KeyMap::default(), Vec::new());
        for action in self.graph.classes(self.model, at).into_iter().map(|class| class[0]) {
            let arm = self.arm(at, action, None)?;
            let part = |key, (next, p): &(usize, f64)| derive(derive(key, *next as u64), p.to_bits());
            if seen.insert(arm.next.iter().fold(arm.reward.to_bits(), part), ()).is_none() {
                let tells: f64 = arm.next.iter().map(|(_, p)| -p * p.ln()).sum();
                arms.push((self.bound(&arm), tells, action));
            }
        }
        arms.sort_by(|(a, tells_a, _), (b, tells_b, _)| {
            b.total_cmp(a).then_with(|| tells_b.total_cmp(tells_a))
        });
        let (mut best, most) = (f64::NEG_INFINITY, self.most(at));
        for (bound, _, action) in arms {
            if best >= most.min(bound) - CLOSE {
                break;
            }
            let Some(value) = self.worth(at, action, best)? else { continue };
            best = value;
            if at == 0 {
                self.table.push((action, value));
            }
        }
        let node = &mut self.nodes[at];
        (node.open, node.value) = (false, Some(best));
        Ok(best)
    }

    /// The value of an action, if it is above `least`.
    fn worth(&mut self, at: usize, action: Action, least: f64) -> Result<Option<f64>, Halt> {
        let mut kept = Vec::new();
        let Arm { reward, mut next } = self.arm(at, action, Some(&mut kept))?;
        // The likeliest first: it says most about the bound.
        next.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let mut bound = reward + next.iter().map(|(next, p)| p * self.most(*next)).sum::<f64>();
        for (next, p) in &next {
            if bound <= least + CLOSE {
                break;
            }
            let most = self.most(*next);
            bound += p * (self.value(*next)? - most);
        }
        kept.into_iter().for_each(|next| self.graph.keep(next, Vec::new()));
        Ok((bound > least + CLOSE).then_some(bound))
    }
}
