//! `lifted-hyperplay`: in each world an action is judged by games that nested players play on, who are
//! told no more than the game tells (Schofield et al. 2013). A nested player makes use of what it learns
//! on the way, so that an action which tells it something is worth what it tells.

use std::time::{Duration, Instant};

use super::hindsight::Tally;
use super::simulated_episode::SimulatedEpisode;
use super::{bring_up_to_date, make_inner};
use crate::belief::{Belief, Hypergames};
use crate::interrupt::Pause;
use crate::model::SharedModel;
use crate::planner::{Decision, Planner};
use crate::registry::register_planner;
use crate::rng::Rng;
use crate::search::natural_horizon;
use crate::spec::{Spec, Value};
use crate::view::View;

crate::params! {
    /// How worlds are sampled, and who plays on in them.
    pub struct LiftedParams {
        /// Worlds that are sampled for a decision; in each, every action is tried once.
        pub worlds: u32 = 30, in 1..=1_000_000;
        /// The nested planner, which plays every seat after the action that is judged.
        pub planner: Spec = nested();
        /// Moves that it plays; none for all (where the game discounts and has no end, until what is left
        /// counts less than one percent).
        pub horizon: Option<u32> = None, in Some(0)..=Some(1_000_000);
        /// Histories that the belief holds.
        pub hypergames: usize = 100, in 1..=1_000_000;
        /// Time a move, after which the worlds played in so far decide.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
    }
}

register_planner!(
    "lifted-hyperplay",
    "Tries each action in sampled worlds, where nested hyperplayers who see only their views play on.",
    "",
    LiftedParams,
    |params| {
        make_inner(&params.planner)?;
        Ok(Box::new(Lifted { params, session: None }))
    }
);

/// A small hyperplayer.
fn nested() -> Spec {
    let spec = |name: &str, arguments: Vec<(&str, Value)>| Spec {
        name: name.to_owned(),
        arguments: arguments.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
    };
    let uct = spec("uct", vec![("simulations", Value::Integer(20))]);
    let bag = spec("hypergames", vec![("", Value::Integer(10))]);
    let arguments =
        vec![("worlds", Value::Integer(5)), ("planner", Value::Spec(uct)), ("belief", Value::Spec(bag))];
    spec("hyperplay", arguments)
}

struct Lifted {
    params: LiftedParams,
    session: Option<(SharedModel, Hypergames, Rng)>,
}

impl Planner for Lifted {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        self.session = Some((model, Hypergames::new(self.params.hypergames), Rng::new(seed)));
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let LiftedParams { worlds, planner, horizon, milliseconds, .. } = &self.params;
        let (model, belief, rng) = self.session.as_mut().ok_or("lifted-hyperplay: act before start")?;
        let faults = model.faults();
        if let Some(guess) = bring_up_to_date(belief, &**model, view, rng, pause)? {
            return Ok(guess);
        }
        let deadline = milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut tally = Tally::new(view);
        let mut simulations = 0;
        let moves = horizon.unwrap_or_else(|| natural_horizon(model.info()));
        'worlds: for _ in 0..*worlds {
            let mut episode = SimulatedEpisode::new(model.clone());
            for joint in belief.history(rng).into_iter().flatten() {
                episode.step(joint);
            }
            let seed = rng.bits();
            let mut values = Vec::with_capacity(view.legal.len());
            for action in &view.legal {
                let episode = episode.clone();
                match episode.play(planner, view.player, *action, moves, seed, &mut late)? {
                    Some(returns) => values.push(returns[view.player]),
                    None => break 'worlds,
                }
                simulations += 1;
                if model.faults() != faults {
                    return Err(model.fault().unwrap_or_default());
                }
            }
            tally.add(&values);
        }
        let mut decision = tally.decide(rng);
        decision.simulations = simulations;
        decision.belief = belief.size();
        decision.counters = belief.counters();
        decision.notes.extend(belief.notes());
        decision.elapsed = begun.elapsed();
        Ok(decision)
    }
}
