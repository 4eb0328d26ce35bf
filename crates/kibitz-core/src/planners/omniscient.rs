//! `omniscient`: an upper bound. It cheats: whoever drives the episode tells it the true state.

use std::time::Instant;

use super::make_inner;
use crate::determinized::Determinized;
use crate::interrupt::Pause;
use crate::model::{SharedModel, State};
use crate::planner::{Decision, Planner};
use crate::registry::register_planner;
use crate::rng::{Purpose, Rng};
use crate::spec::Spec;
use crate::view::View;

crate::params! {
    /// How to play once everything is known.
    pub struct OmniscientParams {
        /// The planner that plays from the true state, to which everything is shown.
        pub planner: Spec = Spec { name: "uct".to_owned(), arguments: Vec::new() };
    }
}

register_planner!(
    "omniscient",
    "Cheats: it is told the true state, and plays from there; the upper bound of all that is hidden.",
    "an episode that is played here, whose referee tells it the truth",
    OmniscientParams,
    |OmniscientParams { planner }| {
        make_inner(&planner)?;
        Ok(Box::new(Omniscient { planner, session: None, truth: None, decisions: 0 }))
    }
);

struct Omniscient {
    planner: Spec,
    session: Option<(SharedModel, Rng)>,
    /// The present state; good for one decision.
    truth: Option<State>,
    decisions: u64,
}

impl Planner for Omniscient {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        self.session = Some((model, Rng::new(seed)));
        self.truth = None;
        Ok(())
    }

    fn cheats(&self) -> bool {
        true
    }

    fn tell(&mut self, truth: State) {
        self.truth = Some(truth);
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let (model, rng) = self.session.as_ref().ok_or("omniscient: act before start")?;
        let Some(truth) = self.truth.take() else {
            return Err(
                "omniscient needs to be told the true state, which only an episode played here does; \
                 try is-mcts or pomcp, which do not cheat"
                    .to_owned(),
            );
        };
        self.decisions += 1;
        let seed = rng.fork(Purpose::Decision(self.decisions)).bits();
        let determinized = std::sync::Arc::new(Determinized::new(model.clone(), truth, None));
        let mut planner = make_inner(&self.planner)?;
        planner.start(determinized, view.player, seed)?;
        let mut decision =
            planner.act(&View { legal: view.legal.clone(), ..View::new(view.player) }, pause)?;
        decision.notes.push("was told the true state".to_owned());
        decision.elapsed = begun.elapsed();
        Ok(decision)
    }
}
