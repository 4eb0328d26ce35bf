//! `hindsight` and `hyperplay`: sample worlds, plan in each as if everything were seen, average, choose.
//!
//! Algorithms 1 and 2 of hindsight optimization. What a player does in each world may depend on what it
//! cannot know there, so that an action which only tells it something is worth nothing to these planners.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::simulated_episode::SimulatedEpisode;
use super::{Session, make_inner};
use crate::belief::{BeliefKind, Form, World};
use crate::determinized::{Determinized, Fixed};
use crate::expectimax::Failure;
use crate::game::{Action, Info, Players};
use crate::interrupt::Pause;
use crate::model::{Model, SharedModel};
use crate::params::words;
use crate::planner::{Decision, Judgement, Planner};
use crate::playout::MAX_PLAYERS;
use crate::registry::register_planner;
use crate::rng::Rng;
use crate::solve::Limits;
use crate::solve::lookahead::Lookahead;
use crate::spec::{Spec, Value};
use crate::view::View;

crate::params! {
    /// How worlds are sampled and planned in.
    pub struct WorldsParams {
        /// Worlds that are sampled for a decision; each is planned in once.
        pub worlds: u32 = 30, in 1..=1_000_000;
        /// Whether all actions are judged in the same worlds; if not, each in as many of its own (Bjarnason et al.
        /// 2009), and one may look better for the luck of its worlds.
        pub paired: bool = true;
        /// Moves to look ahead (or to play on with a planner that gives no values) after the action that
        /// is judged; the evaluator, if there is one, judges what lies beyond.
        pub horizon: u32 = 5, in 0..=1000;
        /// The planner in each world, to which everything is shown; none for looking ahead to the
        /// horizon with branch and bound.
        pub planner: Option<Spec> = None;
        /// What the other players do in each world: rational (the best for themselves, knowing the
        /// world as well) or random. Those who move at the same time as the player are drawn.
        pub others: Others = Others::Rational;
        /// What chance does in each world: fixed (settled by a seed, the same for every action) or
        /// open (as the game says, for the planner to reckon with).
        pub future: Future = Future::Fixed;
        /// What the past leaves possible: exact, particles (with weights or, as in POMCP, none), the tree of
        /// histories, the game's resampling or hypergames. Opponents did anything legal, what the game prefers
        /// or what its evaluator promises most for, but for a share of slips.
        pub belief: BeliefKind = Form::Auto.into();
        /// States to look at for a decision; where that is too few for the horizon, a nearer one is taken, and where it is too
        /// few to look at all actions in all worlds, fewer worlds (one at least).
        pub states: u64 = 1_000_000, in 1..=u64::MAX;
        /// Time a move, after which the worlds planned in so far decide.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
    }
}

words! {
    /// What the other players do in a sampled world.
    Others {
        /// What is best for themselves, knowing the world.
        Rational = "rational",
        /// Anything legal.
        Random = "random",
    }
}
words! {
    /// What chance does in a sampled world.
    Future {
        /// The same whatever is done.
        Fixed = "fixed",
        /// As the game says.
        Open = "open",
    }
}

register_planner!(
    "hindsight",
    "Plans in sampled worlds as if all were seen, and averages; information is worth nothing to it.",
    "",
    WorldsParams,
    |params| Worlds::build("hindsight", params)
);
register_planner!(
    "paranoid",
    "Hindsight in worlds that the game draws for what is seen, with nothing remembered but what the game does.",
    "resampling",
    WorldsParams = paranoid(),
    |params| Worlds::build("paranoid", params)
);
register_planner!(
    "hyperplay",
    "Searches each of a bag of histories as if all were seen, and averages (Schofield et al. 2012).",
    "",
    WorldsParams = hyperplay(),
    |params| Worlds::build("hyperplay", params)
);

fn paranoid() -> WorldsParams {
    WorldsParams { belief: Form::Resampling.into(), ..WorldsParams::default() }
}

fn hyperplay() -> WorldsParams {
    let simulations = ("simulations".to_owned(), Value::Integer(100));
    WorldsParams {
        planner: Some(Spec { name: "uct".to_owned(), arguments: vec![simulations] }),
        future: Future::Open,
        belief: Form::Hypergames(100).into(),
        ..WorldsParams::default()
    }
}

struct Worlds {
    name: &'static str,
    params: WorldsParams,
    session: Option<Session>,
}

impl Worlds {
    fn build(name: &'static str, params: WorldsParams) -> Result<Box<dyn Planner>, String> {
        params.belief.without_search()?;
        if let Some(planner) = &params.planner {
            make_inner(planner)?;
        } else if params.future == Future::Open {
            return Err(
                "future=open needs a planner that reckons with chance, such as planner=uct".to_owned()
            );
        }
        if params.planner.is_some() && params.states != WorldsParams::default().states {
            let what = "states counts what looking ahead looks at, and would have no effect with a planner";
            return Err(what.to_owned());
        }
        if params.future == Future::Open && params.others == Others::Random {
            return Err("others=random goes with future=fixed only".to_owned());
        }
        Ok(Box::new(Worlds { name, params, session: None }))
    }
}

impl Planner for Worlds {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let name = self.name;
        let belief = self.params.belief.build(&*model, self.params.worlds.into());
        let belief = belief.map_err(|what| format!("{name}: {what}"))?;
        self.session = Some(Session::new(model, belief, seed));
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let params = &self.params;
        let session = self.session.as_mut().ok_or_else(|| format!("{}: act before start", self.name))?;
        let mut rng = session.next_stream();
        let faults = session.model.faults();
        if let Some(guess) = session.believe(view, &mut rng, pause)? {
            return Ok(guess);
        }
        let (model, belief) = (&session.model, &mut session.belief);
        let deadline = params.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut inquiry =
            Inquiry { params, model, view, share: 0, horizon: params.horizon, states: 0, simulations: 0 };
        let together = if params.paired { view.legal.len().max(1) } else { 1 };
        let asked = u64::from(params.worlds) * view.legal.chunks(together).len() as u64;
        inquiry.share = params.states / asked.max(1);
        let mut tally = Tally::new(view);
        let mut world = World::initial(&**model);
        for number in 0..params.worlds {
            if number > 0 && (late() || inquiry.is_spent()) {
                break;
            }
            let mut values = Vec::with_capacity(view.legal.len());
            for actions in view.legal.chunks(together) {
                belief.sample(&**model, view, &mut rng, &mut world);
                let judged = inquiry.judge(&world, actions, rng.bits(), &mut late)?;
                if model.faults() != faults {
                    return Err(model.fault().unwrap_or_default());
                }
                values.extend(judged.into_iter().flatten());
            }
            if values.len() < view.legal.len() {
                break;
            }
            tally.add(&values);
        }
        let mut decision = tally.decide(&mut rng);
        decision.simulations = inquiry.simulations;
        decision.nodes = inquiry.states;
        decision.belief = belief.size();
        decision.counters = belief.counters();
        decision.notes.extend(belief.notes());
        if inquiry.horizon < params.horizon {
            let (near, far) = (inquiry.horizon, params.horizon);
            decision.notes.push(format!("the horizon was {near} instead of {far}, for want of states"));
        }
        if inquiry.is_spent() && tally.worlds < params.worlds.into() {
            let (some, all) = (tally.worlds, params.worlds);
            decision.notes.push(format!("there were {some} worlds instead of {all}, for want of states"));
        }
        decision.elapsed = begun.elapsed();
        Ok(decision)
    }
}

/// One decision: what is asked in each world.
struct Inquiry<'a> {
    params: &'a WorldsParams,
    model: &'a SharedModel,
    view: &'a View,
    /// States to look at each time.
    share: u64,
    /// How far to look; nearer than asked for once the states were too few.
    horizon: u32,
    states: u64,
    simulations: u64,
}

impl Inquiry<'_> {
    /// Whether all states are used up.
    fn is_spent(&self) -> bool {
        self.params.planner.is_none() && self.states >= self.params.states
    }

    /// What each of some legal actions is worth in this world; `None` if it was interrupted.
    fn judge(
        &mut self,
        world: &World,
        actions: &[Action],
        seed: u64,
        late: Pause,
    ) -> Result<Option<Vec<f64>>, String> {
        let info = self.model.info();
        let player = self.view.player;
        let deciders = match self.params.others {
            Others::Rational => Players::first(info.players),
            Others::Random => Players(1 << player),
        };
        let fixed = (self.params.future == Future::Fixed).then_some(Fixed { seed, player, deciders });
        let determinized = Determinized::new(self.model.clone(), world.state.clone(), fixed);
        match &self.params.planner {
            None => self.look_ahead(&determinized, world, actions, late),
            Some(inner) => self.ask(inner, determinized, actions, seed, late),
        }
    }

    /// Algorithm 2, with branch and bound.
    fn look_ahead(
        &mut self,
        determinized: &Determinized,
        world: &World,
        actions: &[Action],
        late: Pause,
    ) -> Result<Option<Vec<f64>>, String> {
        let player = self.view.player;
        let info = Model::info(determinized);
        let sure = (self.params.others == Others::Random || duel(info)).then_some(player);
        let most = (info.max_return - world.earned) / world.weight;
        let start = Model::initial(determinized);
        loop {
            let mut stopped = false;
            let mut pause = || {
                stopped = stopped || late();
                stopped
            };
            // One move ahead there is a state for each legal action, whichever are asked about.
            let least = if self.horizon == 0 { self.view.legal.len() as u64 } else { 0 };
            let mut limits = Limits { states: self.share.max(least), pause: &mut pause };
            let mut search = Lookahead::new(determinized, sure, &mut limits);
            search.most = if most.is_nan() { f64::INFINITY } else { most };
            let judged = search.judge(&start, self.horizon + 1);
            self.states += search.states;
            self.simulations += actions.len() as u64;
            match judged {
                Ok(judged) => return Ok(Some(in_order(actions, &judged, player))),
                Err(Failure::Stopped(_)) if stopped => return Ok(None),
                Err(Failure::Stopped(_)) if self.horizon > 0 => self.horizon -= 1,
                Err(Failure::Stopped(why)) => return Err(why),
                Err(Failure::Simultaneous) => return Err("the state is not known".to_owned()),
            }
        }
    }

    /// What another planner says of the world, or, where it says nothing, what it comes to by playing on.
    fn ask(
        &mut self,
        inner: &Spec,
        determinized: Determinized,
        actions: &[Action],
        seed: u64,
        late: Pause,
    ) -> Result<Option<Vec<f64>>, String> {
        let model: SharedModel = std::sync::Arc::new(determinized);
        let view = View { legal: self.view.legal.clone(), ..View::new(self.view.player) };
        let mut planner = make_inner(inner)?;
        planner.start(model.clone(), view.player, seed)?;
        let decision = planner.judge(&view, actions, late)?;
        self.simulations += decision.simulations;
        self.states += decision.nodes;
        let rows: BTreeMap<Action, Option<f64>> =
            decision.table.iter().map(|row| (row.action, row.value)).collect();
        let known = |action: &Action| rows.get(action).copied().flatten();
        let values: Option<Vec<f64>> = actions.iter().map(known).collect();
        match values {
            Some(values) => Ok(Some(values)),
            None => actions.iter().map(|action| self.play_on(inner, &model, *action, seed, late)).collect(),
        }
    }

    /// The player's return after an action, if the inner planner then plays for everybody.
    fn play_on(
        &mut self,
        inner: &Spec,
        model: &SharedModel,
        action: Action,
        seed: u64,
        late: Pause,
    ) -> Result<Option<f64>, String> {
        self.simulations += 1;
        let player = self.view.player;
        let episode = SimulatedEpisode::new(model.clone());
        let returns = episode.play(inner, player, action, self.horizon, seed, late)?;
        Ok(returns.map(|returns| returns[player]))
    }
}

/// The values of some actions, in their order.
fn in_order(actions: &[Action], judged: &[(Action, [f64; MAX_PLAYERS])], player: usize) -> Vec<f64> {
    let values: BTreeMap<Action, f64> = judged.iter().map(|(action, v)| (*action, v[player])).collect();
    actions.iter().map(|action| values.get(action).copied().unwrap_or_default()).collect()
}

/// Two players whose interests are opposite.
fn duel(info: &Info) -> bool {
    info.players == 1 || info.players == 2 && info.zero_sum
}

/// What the worlds say of each legal action.
pub(super) struct Tally<'a> {
    view: &'a View,
    worlds: u64,
    sums: Vec<(f64, f64)>,
}

impl<'a> Tally<'a> {
    pub fn new(view: &'a View) -> Tally<'a> {
        Tally { view, worlds: 0, sums: vec![(0.0, 0.0); view.legal.len()] }
    }

    /// Adds what one world says, in the order of the view's actions.
    pub fn add(&mut self, values: &[f64]) {
        self.worlds += 1;
        for ((sum, squares), value) in self.sums.iter_mut().zip(values) {
            *sum += value;
            *squares += value * value;
        }
    }

    /// The action with the best mean; of equal ones, any.
    pub fn decide(&self, rng: &mut Rng) -> Decision {
        let n = self.worlds as f64;
        let judge = |(action, (sum, squares)): (&Action, &(f64, f64))| {
            let spread = (squares - sum * sum / n).max(0.0);
            Judgement {
                action: *action,
                value: (n > 0.0).then(|| sum / n),
                error: (n > 1.0).then(|| (spread / (n - 1.0) / n).sqrt()),
                visits: self.worlds,
            }
        };
        let mut table: Vec<Judgement> = self.view.legal.iter().zip(&self.sums).map(judge).collect();
        rng.shuffle(&mut table);
        let value = |row: &Judgement| row.value.unwrap_or_default();
        table.sort_by(|a, b| value(b).total_cmp(&value(a)));
        let mut decision = Decision { action: table[0].action, table, ..Decision::default() };
        if self.worlds == 0 {
            decision.notes.push("a move at random: there was no time for a single world".to_owned());
        }
        decision
    }
}
