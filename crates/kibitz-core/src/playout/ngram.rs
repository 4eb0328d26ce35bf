//! `ngram`: the N-gram selection technique, NST (Tak, Winands and Björnsson 2012).
//!
//! A move is as good as what simulations came to in which it was made, wherever (N = 1, which is MAST), in which it was
//! made right after the move before it, and after the two moves before it (N = 2 and 3); where several move at once, the
//! moves of a step are one. The means of those N-grams that are known well enough are averaged.

use super::{Context, Needs, Pick, Playout, Rollout, Trace, move_key};
use crate::game::Action;
use crate::keys::{KeyMap, Kind, join};
use crate::position::{Erased, Position};

crate::params! {
    /// How moves are chosen.
    pub struct NgramParams {
        /// The share of moves at random; the others are those that look best.
        pub epsilon: f64 = 0.1, in 0.0..=1.0;
        /// Temperature τ, in units of the game's spread of returns: the others are drawn in proportion to exp(Q / τ). None
        /// for the best.
        pub temperature: Option<f64> = None, in Some(0.001)..=Some(1e6);
        /// How often the moves of an N-gram must have been made, for N of 2 and 3, before it counts.
        pub visits: u32 = 7, in 1..=1_000_000;
    }
}

crate::register_playout!(
    "ngram",
    "Moves by the mean return of the simulations in which they were made after the same one or two moves: mostly the best.",
    NgramParams,
    |params| Ok(Box::new(Ngram { params, ..Ngram::default() }))
);

/// N-grams that are remembered: from then on no new ones are.
const MOST: usize = 1 << 19;

#[derive(Clone)]
struct Ngram {
    params: NgramParams,
    /// The mean return of each N-gram for whoever makes its last move, and how often it was seen.
    means: KeyMap<(f64, u32)>,
    legal: Vec<Action>,
    values: Vec<f64>,
}

impl Default for Ngram {
    fn default() -> Ngram {
        let params = NgramParams::default();
        Ngram { params, means: KeyMap::default(), legal: Vec::new(), values: Vec::new() }
    }
}

/// Keys of what a move is made after: nothing, the last step, the last two.
fn contexts(trace: &Trace, steps: usize) -> [Option<u64>; 3] {
    let step = |back: usize| -> Option<u64> {
        let at = steps.checked_sub(back)?;
        let end = trace.steps.get(at + 1).copied().unwrap_or(trace.moves.len());
        let moves = &trace.moves[trace.steps[at]..end];
        Some(moves.iter().fold(0, |key, &(player, action)| join(Kind::Step, key, move_key(player, action))))
    };
    let (last, before) = (step(1), step(2));
    [Some(0), last, last.zip(before).map(|(last, before)| join(Kind::List, before, last))]
}

/// The key of an N-gram.
fn gram(context: u64, last: u64) -> u64 {
    join(Kind::Acted, context, last)
}

impl Ngram {
    /// What a move is worth; as much as can be, if it was never made.
    fn value(&self, contexts: [Option<u64>; 3], last: u64, most: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (longer, context) in contexts.into_iter().enumerate() {
            let Some(&(mean, seen)) = context.and_then(|context| self.means.get(&gram(context, last)))
            else {
                break; // nor will longer ones be known
            };
            if longer == 0 || seen >= self.params.visits {
                (sum, count) = (sum + mean, count + 1.0);
            }
        }
        if count > 0.0 { sum / count } else { most }
    }
}

impl Playout for Ngram {
    fn needs(&self) -> Needs {
        Needs { trace: true, action_keys: true, ..Needs::default() }
    }

    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        at.0.rollout(at.1, how, Some(self), context, returns)
    }

    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        for (step, begin) in trace.steps.iter().enumerate() {
            let end = trace.steps.get(step + 1).copied().unwrap_or(trace.moves.len());
            let contexts = contexts(trace, step);
            for &(player, action) in &trace.moves[*begin..end] {
                for context in contexts.into_iter().flatten() {
                    let key = gram(context, move_key(player, action));
                    let full = self.means.len() >= MOST;
                    let entry = match self.means.get_mut(&key) {
                        Some(entry) => entry,
                        None if full => continue,
                        None => self.means.entry(key).or_default(),
                    };
                    entry.1 += 1;
                    entry.0 += (returns[player] - entry.0) / f64::from(entry.1);
                }
            }
        }
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(self.clone())
    }
}

impl Pick for Ngram {
    fn pick(&mut self, position: &dyn Position, player: usize, context: &mut Context) -> Action {
        let NgramParams { epsilon, temperature, .. } = self.params;
        if epsilon > 0.0 && context.rng.unit() < epsilon {
            return position.random_action(player, &mut self.legal, context.rng);
        }
        let (mut legal, mut values) = (std::mem::take(&mut self.legal), std::mem::take(&mut self.values));
        legal.clear();
        position.legal(player, &mut legal);
        let info = position.info();
        let before = context.trace.as_deref();
        let contexts = before.map_or([Some(0), None, None], |trace| contexts(trace, trace.steps.len()));
        let value = |action: &Action| {
            let last = move_key(player, position.action_key(player, *action));
            self.value(contexts, last, info.max_return)
        };
        values.clear();
        values.extend(legal.iter().map(value));
        let chosen = match temperature {
            None => context.rng.highest(&values),
            Some(temperature) => context.rng.gibbs(&mut values, temperature * info.spread),
        };
        let action = legal.get(chosen).copied().unwrap_or_default();
        (self.legal, self.values) = (legal, values);
        action
    }
}
