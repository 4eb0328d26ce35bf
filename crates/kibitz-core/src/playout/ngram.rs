//! `ngram`: the N-gram selection technique, NST (Tak, Winands and Björnsson 2012).
//!
//! A move is as good as what simulations came to in which it was made, wherever (N = 1, which is MAST), in which it was
//! made right after the move before it, and after the two moves before it (N = 2 and 3); where several move at once, the
//! moves of a step are one. The means of those N-grams that are known well enough are averaged.

use super::{Context, Needs, Pick, Picking, Trace, move_key};
use crate::game::Action;
use crate::keys::{KeyMap, Kind, join};
use crate::position::Position;

crate::params! {
    /// Moves by the mean return of the simulations in which they were made after the same one or two moves: mostly
    /// the best.
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

crate::register_playout!("ngram", NgramParams, |params| Ok(Box::new(Ngram { params, ..Ngram::default() })));

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

impl Picking for Ngram {
    const NEEDS: Needs = Needs { trace: true, action_keys: true, ..Needs::NONE };

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Info, Turn};
    use crate::interrupt::Interrupt;
    use crate::position::At;
    use crate::rng::Rng;

    /// Three actions, for ever.
    struct Three(Info);

    impl Game for Three {
        type State = ();
        fn info(&self) -> &Info {
            &self.0
        }
        fn initial(&self) {}
        fn turn(&self, (): &()) -> Turn {
            Turn::One(0)
        }
        fn legal(&self, (): &(), _: usize, actions: &mut Vec<Action>) {
            actions.extend([Action(1), Action(2), Action(3)]);
        }
        fn step(&self, (): &mut (), _: &[Action], _: &mut [f64]) {}
        crate::in_numbers!();
    }

    /// Steps, each with the moves of those who make it.
    fn trace(steps: &[&[(usize, u64)]]) -> Trace {
        let mut trace = Trace::default();
        for moves in steps {
            trace.steps.push(trace.moves.len());
            trace.moves.extend_from_slice(moves);
        }
        trace
    }

    fn greedy(visits: u32) -> Ngram {
        let params = NgramParams { epsilon: 0.0, visits, ..NgramParams::default() };
        Ngram { params, ..Ngram::default() }
    }

    /// What a playout that has come so far takes.
    fn picked(ngram: &mut Ngram, mut before: Trace, seed: u64) -> u32 {
        let game = Three(Info::new(1, 0.0, 1.0));
        let (mut rng, mut interrupt) = (Rng::new(seed), Interrupt::never());
        let mut context =
            Context { evaluator: None, rng: &mut rng, interrupt: &mut interrupt, trace: Some(&mut before) };
        ngram.pick(&At(&game, &()), 0, &mut context).0
    }

    #[test]
    fn a_move_is_known_by_what_it_was_made_after() {
        let line = trace(&[&[(0, 1)], &[(0, 2)], &[(0, 3)]]);
        let [none, one, two] = contexts(&line, 2);
        assert_eq!((none, one.is_some(), two.is_some()), (Some(0), true, true));
        assert_eq!(contexts(&line, 0)[1..], [None, None]);
        assert_eq!((contexts(&line, 1)[1].is_some(), contexts(&line, 1)[2]), (true, None));
        // The last step alone decides of N = 2, both and their order of N = 3; who moved counts.
        let others = |steps: &[&[(usize, u64)]]| contexts(&trace(steps), 2);
        assert_eq!(others(&[&[(0, 7)], &[(0, 2)]])[1], one);
        assert_ne!(others(&[&[(0, 7)], &[(0, 2)]])[2], two);
        assert_ne!(others(&[&[(0, 2)], &[(0, 1)]])[2], two);
        assert_ne!(others(&[&[(0, 1)], &[(1, 2)]])[1], one);
        // The moves of several at once are one step.
        let both = contexts(&trace(&[&[(0, 1), (1, 2)]]), 1);
        assert!(both[1].is_some() && both[2].is_none());
        assert_ne!(both[1], contexts(&trace(&[&[(0, 1)], &[(1, 2)]]), 2)[1]);
    }

    #[test]
    fn means_of_what_is_known_well_enough_are_averaged() {
        let mut ngram = greedy(2);
        let move_of = |action| move_key(0, action);
        // After 1, 2 came to 1; after 3, to 0.
        ngram.learn(&trace(&[&[(0, 1)], &[(0, 2)]]), &[1.0]);
        ngram.learn(&trace(&[&[(0, 3)], &[(0, 2)]]), &[0.0]);
        let after = |action| contexts(&trace(&[&[(0, action)]]), 1);
        assert_eq!(ngram.value(after(9), move_of(2), 5.0), 0.5);
        assert_eq!(ngram.value(after(1), move_of(2), 5.0), 0.5); // made after 1 once only
        assert_eq!(ngram.value(after(1), move_of(9), 5.0), 5.0); // never made
        ngram.learn(&trace(&[&[(0, 1)], &[(0, 2)]]), &[1.0]);
        let alone = 2.0 / 3.0;
        assert!((ngram.value(after(1), move_of(2), 5.0) - (alone + 1.0) / 2.0).abs() < 1e-12);
        assert!((ngram.value(after(3), move_of(2), 5.0) - alone).abs() < 1e-12);
        // Another player's same move is another.
        assert_eq!(ngram.value(after(1), move_key(1, 2), 5.0), 5.0);
    }

    #[test]
    fn the_best_after_what_was_done_is_taken() {
        let mut ngram = greedy(1);
        for (before, action, paid) in
            [(1, 2, 1.0), (1, 1, 0.1), (1, 3, 0.1), (3, 2, 0.0), (3, 1, 0.2), (3, 3, 0.9)]
        {
            ngram.learn(&trace(&[&[(0, before)], &[(0, action)]]), &[paid]);
        }
        for seed in 0..20 {
            assert_eq!(picked(&mut ngram, trace(&[&[(0, 1)]]), seed), 2);
            assert_eq!(picked(&mut ngram, trace(&[&[(0, 3)]]), seed), 3);
        }
        // Now and then anything.
        ngram.params.epsilon = 0.5;
        let mut taken: Vec<u32> =
            (0..50).map(|seed| picked(&mut ngram, trace(&[&[(0, 1)]]), seed)).collect();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken, [1, 2, 3]);
    }

    #[test]
    fn a_fork_knows_what_was_learnt_and_learns_for_itself() {
        let mut ngram = greedy(1);
        ngram.learn(&trace(&[&[(0, 1)]]), &[1.0]);
        let mut fork = ngram.clone();
        fork.learn(&trace(&[&[(0, 1)]]), &[0.0]);
        let value = |ngram: &Ngram| ngram.value(contexts(&trace(&[]), 0), move_key(0, 1), 5.0);
        assert_eq!((value(&ngram), value(&fork)), (1.0, 0.5));
    }
}
