//! `one-step` and `greedy`: what looks best right after the move.

use std::time::Instant;

use super::bring_up_to_date;
use crate::belief::{Belief, BeliefKind, Form, World};
use crate::evaluate::{Chance, afterstate_value};
use crate::interrupt::{Interrupt, Pause};
use crate::model::{SharedModel, collapsed_or_self};
use crate::params::NoParams;
use crate::planner::{Decision, Judgement, Planner};
use crate::playout::Context;
use crate::position::Erased;
use crate::registry::register_planner;
use crate::rng::Rng;
use crate::view::View;
use crate::watch::Watch;

crate::params! {
    /// How often each action is tried.
    pub struct OneStepParams {
        /// Presents and outcomes drawn for each action.
        pub samples: u32 = 100, in 1..=1_000_000;
    }
}

register_planner!(
    "one-step",
    "The action with the best mean of reward and evaluation right after it.",
    "",
    OneStepParams,
    |params| Ok(Box::new(OneStep::new("one-step", params.samples)))
);
register_planner!(
    "greedy",
    "The game's own preference: a preferred action, or the best by its evaluator.",
    "preferred actions or an evaluator",
    NoParams,
    |NoParams| Ok(Box::new(OneStep::new("greedy", 1)))
);

struct OneStep {
    name: &'static str,
    samples: u32,
    session: Option<(SharedModel, Box<dyn Belief>, Rng)>,
}

impl OneStep {
    fn new(name: &'static str, samples: u32) -> OneStep {
        OneStep { name, samples, session: None }
    }
}

impl Planner for OneStep {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let model = collapsed_or_self(model);
        let has = model.has();
        if self.name == "greedy" && !has.preferred && !has.evaluator {
            return Err(
                "greedy needs preferred actions or an evaluator, and this game has neither".to_owned()
            );
        }
        let belief = BeliefKind::from(Form::Auto).build(&*model, self.samples.into())?;
        self.session = Some((model, belief, Rng::new(seed)));
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let (model, belief, rng) =
            self.session.as_mut().ok_or_else(|| format!("{}: act before start", self.name))?;
        let model = &**model;
        let faults = model.faults();
        if let Some(guess) = bring_up_to_date(&mut **belief, model, view, rng, pause)? {
            return Ok(guess);
        }
        let mut world = World::initial(model);
        let mut candidates = view.legal.clone();
        if self.name == "greedy" && model.has().preferred {
            belief.sample(model, view, rng, &mut world);
            candidates.clear();
            model.preferred(&world.state, view.player, &mut candidates);
            rng.shuffle(&mut candidates);
            candidates.truncate(1);
        }
        let mut judged: Vec<(f64, u64)> = vec![(0.0, 0); candidates.len()];
        let (mut simulations, mut watch) = (0, Watch::default());
        'rounds: for _ in 0..self.samples {
            belief.sample(model, view, rng, &mut world);
            for ((sum, visits), action) in judged.iter_mut().zip(&candidates) {
                if watch.is_due() && simulations > 0 && pause() {
                    break 'rounds;
                }
                let (at, never) = (Erased(model, &world.state), &mut Interrupt::never());
                *sum += afterstate_value(
                    &at,
                    view.player,
                    *action,
                    Chance::Drawn,
                    &mut Context::new(rng, never),
                );
                *visits += 1;
                simulations += 1;
            }
        }
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_default());
        }
        let mut table: Vec<Judgement> = candidates
            .iter()
            .zip(judged)
            .map(|(action, (sum, visits))| Judgement {
                action: *action,
                value: (visits > 0).then(|| sum / visits as f64),
                error: None,
                visits,
            })
            .collect();
        // Ties are broken at random: the sort is stable.
        rng.shuffle(&mut table);
        let value = |row: &Judgement| row.value.unwrap_or(f64::NEG_INFINITY);
        table.sort_by(|a, b| value(b).total_cmp(&value(a)));
        Ok(Decision {
            action: table[0].action,
            simulations,
            table,
            belief: belief.size(),
            counters: belief.counters(),
            elapsed: begun.elapsed(),
            notes: belief.notes(),
            ..Decision::default()
        })
    }
}
