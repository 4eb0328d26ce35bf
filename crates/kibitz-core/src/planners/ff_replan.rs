//! `ff-replan`: plan to the end in one sampled world as if all were seen, follow that plan as long as what is
//! observed is what it expects, then plan anew (Yoon et al. 2007).

use std::sync::Arc;
use std::time::Instant;

use super::simulated_episode::SimulatedEpisode;
use super::{Session, make_inner};
use crate::belief::{BeliefKind, Form, World};
use crate::determinized::{Determinized, Fixed};
use crate::game::{Game, Players, Turn};
use crate::interrupt::Pause;
use crate::model::SharedModel;
use crate::planner::{Decision, Planner};
use crate::registry::register_planner;
use crate::search::natural_horizon;
use crate::spec::Spec;
use crate::view::{Event, View};

crate::params! {
    /// How the plan is made.
    pub struct ReplanParams {
        /// The planner that plays the sampled world to its end, to which everything is shown.
        pub planner: Spec = Spec { name: "nmc".to_owned(), arguments: Vec::new() };
        /// Moves to plan; none for all (where the game discounts and has no end, until what is left counts
        /// less than one percent).
        pub horizon: Option<u32> = None, in Some(1)..=Some(1_000_000);
        /// What the past leaves possible: exact, particles (with weights or, as in POMCP, none), the tree of
        /// histories, the game's resampling or hypergames. Opponents did anything legal, what the game prefers
        /// or what its evaluator promises most for, but for a share of slips.
        pub belief: BeliefKind = Form::Auto.into();
    }
}

register_planner!(
    "ff-replan",
    "Plans to the end of one sampled world as if all were seen, and anew when something else is seen (Yoon et al. 2007).",
    "",
    ReplanParams,
    |params| {
        params.belief.without_search()?;
        make_inner(&params.planner)?;
        Ok(Box::new(Replan { params, session: None, plan: Plan::default() }))
    }
);

struct Replan {
    params: ReplanParams,
    session: Option<Session>,
    plan: Plan,
}

/// What is to be done and expected to be seen after the first so many events of the view.
#[derive(Default)]
struct Plan {
    events: Vec<Event>,
    begun: usize,
}

impl Planner for Replan {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let belief = self.params.belief.build(&*model, 1).map_err(|what| format!("ff-replan: {what}"))?;
        (self.session, self.plan) = (Some(Session::new(model, belief, seed)), Plan::default());
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let session = self.session.as_mut().ok_or("ff-replan: act before start")?;
        let mut rng = session.next_stream();
        if let Some(mut decision) = self.plan.follow(view) {
            decision.elapsed = begun.elapsed();
            return Ok(decision);
        }
        let model = session.model.clone();
        let faults = model.faults();
        if let Some(guess) = session.believe(view, &mut rng, pause)? {
            return Ok(guess);
        }
        let mut world = World::initial(&*model);
        session.belief.sample(&*model, view, &mut rng, &mut world);
        let (mut decision, events, whole) = self.params.plan(&model, world, view, rng.bits(), pause)?;
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_default());
        }
        let moves = events.iter().filter(|event| matches!(event, Event::Acted(_))).count();
        let end = if whole { ", to the end of the game" } else { "" };
        let first = self.plan.begun == 0 && self.plan.events.is_empty();
        let when = if first { "planned" } else { "planned anew" };
        decision.notes.push(format!("{when}: {moves} moves{end}"));
        decision.notes.extend(session.belief.notes());
        decision.belief = session.belief.size();
        decision.counters = session.belief.counters();
        self.plan = Plan { events, begun: view.events.len() };
        decision.elapsed = begun.elapsed();
        Ok(decision)
    }
}

impl Plan {
    /// What the plan says, if all has come as it expects.
    fn follow(&self, view: &View) -> Option<Decision> {
        let seen = view.events.get(self.begun..)?;
        match self.events.strip_prefix(seen)? {
            [Event::Acted(action), ..] if view.legal.contains(action) => {
                let left = self.events.len() - seen.len();
                let note = format!("as planned; {left} moves and observations are left of the plan");
                Some(Decision { action: *action, ..Decision::default() }.noting(note))
            }
            _ => None,
        }
    }
}

impl ReplanParams {
    /// The first decision in a world, what is done and seen from there on if everybody plays as the planner
    /// says, and whether that is the end of the game.
    fn plan(
        &self,
        model: &SharedModel,
        world: World,
        view: &View,
        seed: u64,
        pause: Pause,
    ) -> Result<(Decision, Vec<Event>, bool), String> {
        let player = view.player;
        let deciders = Players::first(model.info().players);
        let determinized =
            Arc::new(Determinized::new(model.clone(), world.state, Some(Fixed { seed, player, deciders })));
        let mut place = Game::initial(&*determinized);
        let mut episode = SimulatedEpisode::new(determinized.clone());
        let mut minds: Vec<Option<Box<dyn Planner>>> = (0..model.info().players).map(|_| None).collect();
        let limit = self.horizon.unwrap_or_else(|| natural_horizon(model.info()));
        let (mut first, mut plan) = (None, Vec::new());
        let faults = model.faults();
        for _ in 0..limit {
            let Turn::One(mover) = Game::turn(&*determinized, &place) else { break };
            if first.is_some() && (pause() || model.faults() != faults) {
                break;
            }
            let decision = episode.decide(&mut minds, &self.planner, mover, seed, pause)?;
            if mover == player {
                plan.push(Event::Acted(decision.action));
            }
            episode.step(&[decision.action]);
            determinized.step_seen(&mut place, decision.action, player, &mut plan);
            first.get_or_insert(decision);
        }
        let over = Game::turn(&*determinized, &place) == Turn::Over;
        let first = first.ok_or("ff-replan: the game is over")?;
        Ok((first, plan, over))
    }
}
