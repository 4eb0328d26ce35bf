//! `nmc`: nested Monte Carlo search as a player ([`crate::nested`]). For one player, whose best game nobody can spoil, these
//! are nested rollouts (Yan et al. 2004; Cazenave 2009).

use std::time::{Duration, Instant};

use super::bring_up_to_date;
use crate::belief::{Belief, Exact};
use crate::game::Action;
use crate::interrupt::{Interrupt, Pause};
use crate::model::{SharedModel, collapsed_or_self};
use crate::nested::{Discount, Nesting, Plan, Search, affordable};
use crate::planner::{Decision, Judgement, Planner};
use crate::registry::{OldName, register_planner};
use crate::rng::{Purpose, Rng};
use crate::search::natural_horizon;
use crate::view::{Event, View};

crate::params! {
    /// How deep searches are nested, and what they leave out.
    pub struct NmcParams {
        with nesting: Nesting;
        /// Moves to play on; the evaluator, if there is one, judges the rest. None for all (where the game
        /// discounts and has no end, until what is left counts less than one percent).
        pub horizon: Option<u32> = None, in Some(1)..=Some(1_000_000);
        /// Time a move, after which the actions tried so far decide.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
    }
}

register_planner!(
    "nmc",
    "Nested Monte Carlo: tries every action, all play on one level lower, and the best game decides.",
    "perfect information, or a collapsed model",
    NmcParams,
    |params| Ok(Box::new(Nmc { params, session: None }))
);
inventory::submit! { OldName { old: "nested", new: "nmc" } }

struct Nmc {
    params: NmcParams,
    session: Option<Session>,
}

struct Session {
    model: SharedModel,
    belief: Exact,
    nesting: Nesting,
    rng: Rng,
    decisions: u64,
    /// The best game found so far from the present on, where nothing but the player's moves decides.
    plan: Plan,
    /// How many events the view had when the plan was made.
    events: usize,
}

impl Planner for Nmc {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let model = collapsed_or_self(model);
        if !model.info().perfect_information || !model.info().explicit_chance {
            return Err(
                "nmc needs to know the state and the probabilities of chance, which this game hides; \
                        try hindsight(planner=nmc)"
                    .to_owned(),
            );
        }
        let NmcParams { nesting, horizon, milliseconds } = &self.params;
        let nesting = nesting.resolved(&*model, false).map_err(|what| format!("nmc: {what}"))?;
        let rng = Rng::new(seed);
        if !nesting.insist && milliseconds.is_none() {
            let mut look = rng.fork(Purpose::Look);
            affordable(&*model, nesting.level, true, horizon.unwrap_or(u32::MAX), &mut look)
                .map_err(|what| format!("nmc: {what}"))?;
        }
        let (belief, plan) = (Exact::new(1000), Plan::default());
        self.session = Some(Session { model, belief, nesting, rng, decisions: 0, plan, events: 0 });
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        self.judge(view, &view.legal, pause)
    }

    fn judge(&mut self, view: &View, actions: &[Action], pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let session = self.session.as_mut().ok_or("nmc: act before start")?;
        session.decisions += 1;
        let mut rng = session.rng.fork(Purpose::Decision(session.decisions));
        let model = session.model.clone();
        let faults = model.faults();
        if let Some(guess) = bring_up_to_date(&mut session.belief, &*model, view, &mut rng, pause)? {
            return Ok(guess);
        }
        let known = session.plan_from(view);
        let state = &session.belief.certain().ok_or("the state is not known")?.state;
        let deadline = self.params.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut plan = known.clone().unwrap_or_default();
        let mut values: Vec<(Action, Option<f64>)> = actions.iter().map(|action| (*action, None)).collect();
        rng.shuffle(&mut values);
        let tried: Vec<Action> = values.iter().map(|(action, _)| *action).collect();
        let mut interrupt = Interrupt::new(&mut late);
        let mut search = Search::new(&*model, state, &session.nesting, None, rng, &mut interrupt);
        search.limit = self.params.horizon.unwrap_or_else(|| natural_horizon(model.info()));
        let mut rows = values.iter_mut();
        search.judge(view.player, &tried, &mut plan, &mut |_, value| {
            if let Some(row) = rows.next() {
                row.1 = Some(value);
            }
        });
        let (transitions, mut rng) = (search.steps, search.rng);
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_default());
        }
        let Some(&action) = plan.actions.first() else {
            let note = "a move at random: there was no time for a single game".to_owned();
            return Ok(Decision::at_random(view, &mut rng).noting(note));
        };
        if let Some(known) = known
            && let Some((_, value)) = values.iter_mut().find(|(action, _)| *action == known.actions[0])
            && value.is_none_or(|value| value < known.value)
        {
            *value = Some(known.value);
        }
        let table = table(&values, action);
        (session.plan, session.events) = (plan, view.events.len());
        Ok(Decision {
            action,
            simulations: table.iter().map(|row| row.visits).sum(),
            table,
            transitions: Some(transitions),
            belief: Some(1),
            elapsed: begun.elapsed(),
            ..Decision::default()
        })
    }
}

/// What each action came to, best first; of equal ones, the one that was chosen.
fn table(values: &[(Action, Option<f64>)], chosen: Action) -> Vec<Judgement> {
    let judge = |(action, value): &(Action, Option<f64>)| Judgement {
        action: *action,
        value: *value,
        error: None,
        visits: u64::from(value.is_some()),
    };
    let mut table: Vec<Judgement> = values.iter().map(judge).collect();
    let value = |row: &Judgement| row.value.unwrap_or(f64::NEG_INFINITY);
    table.sort_by(|a, b| {
        value(b).total_cmp(&value(a)).then((b.action == chosen).cmp(&(a.action == chosen)))
    });
    table
}

impl Session {
    /// What is left of the plan, if its first move was made. (The value of what is left is not known where
    /// there are rewards on the way, so that only games that pay at the end are remembered.)
    fn plan_from(&mut self, view: &View) -> Option<Plan> {
        let info = self.model.info();
        let plain = self.nesting.discount == Discount::None;
        let alone = info.players == 1 && info.bounds_what_is_left() && plain;
        let mut plan = std::mem::take(&mut self.plan);
        if !alone || plan.actions.len() < 2 || view.events.len() <= self.events {
            return None;
        }
        let mut made = view.events[self.events..].iter().filter_map(|event| match event {
            Event::Acted(action) => Some(*action),
            Event::Observed(_) | Event::Passed(_) => None,
        });
        if made.next() != Some(plan.actions.remove(0)) || made.next().is_some() {
            return None;
        }
        Some(plan).filter(|plan| view.legal.contains(&plan.actions[0]))
    }
}
