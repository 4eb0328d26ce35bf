//! Equilibria by regret minimisation, for any number of players, hidden and simultaneous moves included.
//!
//! * `position.rs`: one history on its way;
//! * `tree.rs`: a whole game as flat arrays, its information sets and sequences; `build.rs` writes it;
//! * `payoffs.rs`: what strategies are worth, best responses, NashConv;
//! * `cfr.rs`: CFR and CFR+, which look at the whole game each time;
//! * `mccfr.rs`: external and outcome sampling, on a tree or, where there is none, on the game (`ground.rs`).
//!
//! Averages of the strategies of all iterations come near an equilibrium in games of two players with
//! opposite interests. In others they need not; how much each player could still gain says how near they are.

mod build;
mod cfr;
mod ground;
mod mccfr;
mod payoffs;
mod position;
mod tree;

use std::str::FromStr;
use std::sync::Arc;

pub use payoffs::{Worth, worth};
pub use tree::{Set, Side, Tree, Unwritten};

use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::SharedModel;
use crate::spec::{SpecError, unknown};
use cfr::Cfr;
use ground::{Excuse, OpenGround};
use mccfr::{Mccfr, Sampling};

/// How regrets are minimised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Counterfactual regret minimisation (Zinkevich et al. 2007).
    Cfr,
    /// The same with regret matching+ and linear averaging (Tammelin 2014).
    CfrPlus,
    /// External-sampling Monte Carlo CFR (Lanctot et al. 2009).
    ExternalSampling,
    /// Outcome-sampling Monte Carlo CFR (the same).
    OutcomeSampling,
}

impl Method {
    /// All of them by name.
    pub const ALL: [(&'static str, Method); 4] = [
        ("cfr", Method::Cfr),
        ("cfr+", Method::CfrPlus),
        ("external-sampling", Method::ExternalSampling),
        ("outcome-sampling", Method::OutcomeSampling),
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Method {
    type Err = SpecError;

    fn from_str(name: &str) -> Result<Method, SpecError> {
        let found = Method::ALL.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, method)| *method)
            .ok_or_else(|| unknown("method", name, Method::ALL.map(|(name, _)| name)))
    }
}

/// What can be chosen beside the method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Whether players learn one after the other, or all from the same strategies. (CFR and CFR+.)
    pub alternating: bool,
    /// How often the learner tries anything. (Outcome sampling; above 0, up to 1.)
    pub epsilon: f64,
    /// The stream that samples are drawn from.
    pub seed: u64,
    /// The largest tree that is written out; without one, the most actions of information sets that are kept.
    pub nodes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { alternating: true, epsilon: 0.6, seed: 0, nodes: 5_000_000 }
    }
}

/// Sampling does without a tree that takes longer to write out than it saves: one larger than this, or
/// than this where the rules are written in Python.
const WORTH_A_TREE: usize = 1_000_000;
const WORTH_A_SLOW_TREE: usize = 20_000;

/// About so many additions are made between two looks at the clock, or so many samples taken.
const SLICE: usize = 50_000;
const SAMPLES: u64 = 256;

enum Learner {
    Whole(Arc<Tree>, Cfr),
    Sampled(Arc<Tree>, Mccfr),
    Open(Box<OpenGround>, Mccfr),
}

/// What players got in some games.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Each player's mean return.
    pub means: Vec<f64>,
    /// The standard errors of these.
    pub errors: Vec<f64>,
}

/// Minimises regrets, iteration by iteration.
pub struct Solver {
    learner: Learner,
    /// How many iterations were done.
    pub iterations: u64,
}

impl Solver {
    /// Prepares: writes the game out where that is needed, or where it fits.
    ///
    /// # Errors
    /// A sentence, if the game does not suit the method.
    pub fn new(
        model: &SharedModel,
        method: Method,
        options: Options,
        pause: Pause,
    ) -> Result<Solver, String> {
        let Options { alternating, epsilon, seed, nodes } = options;
        let sampling = match method {
            Method::Cfr | Method::CfrPlus => {
                let tree = Tree::new(&**model, nodes, pause).map_err(|why| why.to_string())?;
                let cfr = Cfr::new(&tree, method == Method::CfrPlus, alternating);
                return Ok(Solver { learner: Learner::Whole(Arc::new(tree), cfr), iterations: 0 });
            }
            Method::ExternalSampling => Sampling::External,
            Method::OutcomeSampling if epsilon > 0.0 && epsilon <= 1.0 => Sampling::Outcome { epsilon },
            Method::OutcomeSampling => {
                return Err(format!("epsilon is a probability above 0, not {epsilon}"));
            }
        };
        if model.info().players < 2 {
            return Err(format!("{} needs at least two players; cfr does not", method.name()));
        }
        let most = if model.info().one_thread { WORTH_A_SLOW_TREE } else { WORTH_A_TREE };
        let mccfr = Mccfr::new(sampling, seed);
        let learner = match Tree::new(&**model, nodes.min(most), pause) {
            Ok(tree) => Learner::Sampled(Arc::new(tree), mccfr),
            Err(Unwritten::Large(_) | Unwritten::Drawn) => {
                Learner::Open(Box::new(OpenGround::new(model.clone(), nodes)), mccfr)
            }
            Err(why) => return Err(why.to_string()),
        };
        Ok(Solver { learner, iterations: 0 })
    }

    /// Does so many more iterations, unless `pause`, which is called now and then, returns true. An iteration
    /// that is broken off does not count; what it had learned until then stays.
    ///
    /// # Errors
    /// A sentence, if the game turns out not to suit the method.
    pub fn run(&mut self, iterations: u64, pause: Pause) -> Result<(), String> {
        let last = self.iterations + iterations;
        while self.iterations < last {
            let left = last - self.iterations;
            self.iterations += match &mut self.learner {
                Learner::Whole(tree, cfr) => {
                    let some = left.min((SLICE / (tree.payoffs().size() + 1)).max(1) as u64);
                    (0..some).for_each(|_| cfr.iterate(tree));
                    some
                }
                Learner::Sampled(tree, mccfr) => {
                    let some = left.min(SAMPLES);
                    (0..some).for_each(|_| mccfr.iterate(&mut &**tree));
                    some
                }
                Learner::Open(ground, mccfr) => {
                    let mut excursion = ground.enter(pause);
                    mccfr.iterate(&mut excursion);
                    match excursion.end() {
                        Some(Excuse::Paused) => return Ok(()),
                        Some(Excuse::Trouble(what)) => return Err(what),
                        None => 1,
                    }
                }
            };
            if pause() {
                break;
            }
        }
        Ok(())
    }

    /// The whole game, where it was written out.
    pub fn tree(&self) -> Option<&Arc<Tree>> {
        match &self.learner {
            Learner::Whole(tree, _) | Learner::Sampled(tree, _) => Some(tree),
            Learner::Open(..) => None,
        }
    }

    /// The information sets: all of them, or those that were met so far.
    pub fn sets(&self) -> &[Set] {
        match &self.learner {
            Learner::Whole(tree, _) | Learner::Sampled(tree, _) => &tree.sets,
            Learner::Open(ground, _) => &ground.sets,
        }
    }

    /// For each sequence its last action.
    pub fn actions(&self) -> &[Action] {
        match &self.learner {
            Learner::Whole(tree, _) | Learner::Sampled(tree, _) => &tree.actions,
            Learner::Open(ground, _) => &ground.actions,
        }
    }

    /// One of the histories that lead to an information set.
    pub fn history(&self, set: usize) -> Vec<Action> {
        match &self.learner {
            Learner::Whole(tree, _) | Learner::Sampled(tree, _) => tree.history(set),
            Learner::Open(ground, _) => ground.histories[set].to_vec(),
        }
    }

    /// The average strategy so far, by sequence; uniform where nobody ever came.
    pub fn average(&self) -> Vec<f64> {
        let sums = match &self.learner {
            Learner::Whole(_, cfr) => &cfr.sums,
            Learner::Sampled(_, mccfr) | Learner::Open(_, mccfr) => &mccfr.sums,
        };
        let mut average = vec![1.0; self.actions().len()];
        for set in self.sets() {
            let mix = &mut average[set.sequences()];
            // A sum is as good as a regret here: shares of what is positive.
            match sums.get(set.sequences()) {
                Some(sums) => crate::regret::regret_matching(sums, 0.0, mix),
                None => mix.fill(1.0 / mix.len() as f64),
            }
        }
        average
    }

    /// Whether there was no room for all information sets that were met; the others are played uniformly.
    pub fn is_full(&self) -> bool {
        matches!(&self.learner, Learner::Open(ground, _) if ground.is_full)
    }

    /// What each player gets on average, and the standard error of that, in so many games by the average
    /// strategy, where the game was not written out; `None` where [`Solver::worth`] knows exactly. The games
    /// are drawn from the same stream as samples: whoever goes on afterwards meets others.
    ///
    /// # Errors
    /// A sentence, if the game turns out not to suit.
    pub fn estimate(&mut self, games: u32, pause: Pause) -> Result<Option<Estimate>, String> {
        let Learner::Open(ground, mccfr) = &mut self.learner else { return Ok(None) };
        let players = ground.players();
        let (mut sums, mut squares, mut done) = (vec![0.0; players], vec![0.0; players], 0.0);
        for _ in 0..games {
            let mut returns = vec![0.0; players];
            let mut excursion = ground.enter(pause);
            mccfr.play(&mut excursion, &mut returns);
            match excursion.end() {
                Some(Excuse::Paused) => break,
                Some(Excuse::Trouble(what)) => return Err(what),
                None => done += 1.0,
            }
            for (player, value) in returns.into_iter().enumerate() {
                sums[player] += value;
                squares[player] += value * value;
            }
            if pause() {
                break;
            }
        }
        let mean = |sum: &f64| sum / done;
        let error = |(sum, square): (&f64, &f64)| {
            let variance = (square - sum * sum / done).max(0.0) / (done - 1.0);
            (variance / done).sqrt()
        };
        let errors = sums.iter().zip(&squares).map(error).collect();
        Ok((done > 1.0).then(|| Estimate { means: sums.iter().map(mean).collect(), errors }))
    }

    /// What the average strategy is worth; `None` where the game was not written out.
    pub fn worth(&self) -> Option<Worth> {
        self.tree().map(|tree| payoffs::worth_of(tree, &self.average()))
    }
}
