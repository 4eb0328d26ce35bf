//! `nested`: nested rollouts (Yan et al. 2004; Cazenave 2009). A search of level 0 goes to the end of the game
//! by what looks best one step ahead; one of level n tries every action, plays on from each with a search of
//! level n - 1, and makes the first move of the best game found so far.

use std::time::{Duration, Instant};

use super::bring_up_to_date;
use crate::belief::{Belief, Exact};
use crate::discount;
use crate::game::{Action, Turn};
use crate::interrupt::Pause;
use crate::model::{Model, SharedModel, State, collapsed_or_self};
use crate::params::Params;
use crate::planner::{Decision, Judgement, Planner};
use crate::playout::MAX_PLAYERS;
use crate::registry::PlannerEntry;
use crate::rng::{Purpose, Rng};
use crate::search::natural_horizon;
use crate::view::{Event, View};
use crate::watch::Watch;

crate::params! {
    /// How deep the searches are nested.
    pub struct NestedParams {
        /// 0: the action that looks best one step ahead, by the game's evaluator (else a preferred one, else
        /// any). 1: the one after which play of level 0 comes to most; and so on.
        pub level: u32 = 1, in 0..=6;
        /// Moves to play on; the evaluator, if there is one, judges the rest. None for all (where the game
        /// discounts and has no end, until what is left counts less than one percent).
        pub horizon: Option<u32> = None, in Some(1)..=Some(1_000_000);
        /// Time a move, after which the actions tried so far decide.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
    }
}

inventory::submit! {
    PlannerEntry {
        name: "nested",
        summary: "Nested rollouts: plays every action on with a search one level lower, and follows the best game.",
        needs: "perfect information, or a collapsed model",
        params: || NestedParams::default().docs(),
        build: |spec| Ok(Box::new(Nested { params: NestedParams::from_spec(spec)?, session: None })),
    }
}

struct Nested {
    params: NestedParams,
    session: Option<Session>,
}

struct Session {
    model: SharedModel,
    belief: Exact,
    rng: Rng,
    decisions: u64,
    /// The best game found so far from the present on, where nothing but the player's moves decides.
    plan: Plan,
    /// How many events the view had when the plan was made.
    events: usize,
}

/// A game to come, up to where something else than the player's own moves has a say.
#[derive(Clone, Default)]
struct Plan {
    value: f64,
    hope: f64,
    actions: Vec<Action>,
}

impl Planner for Nested {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let model = collapsed_or_self(model);
        if !model.info().perfect_information || !model.info().explicit_chance {
            return Err(
                "nested needs to know the state and the probabilities of chance, which this game hides; \
                 try hindsight(planner=nested)"
                    .to_owned(),
            );
        }
        let belief = Exact::new(1000);
        let (plan, rng) = (Plan::default(), Rng::new(seed));
        self.session = Some(Session { model, belief, rng, decisions: 0, plan, events: 0 });
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        self.judge(view, &view.legal, pause)
    }

    fn judge(&mut self, view: &View, actions: &[Action], pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let session = self.session.as_mut().ok_or("nested: act before start")?;
        session.decisions += 1;
        let mut rng = session.rng.fork(Purpose::Decision(session.decisions));
        let model = session.model.clone();
        let faults = model.faults();
        if let Some(guess) = bring_up_to_date(&mut session.belief, &*model, view, &mut rng, pause)? {
            return Ok(guess);
        }
        let state = &session.belief.certain().ok_or("the state is not known")?.state;
        let deadline = self.params.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let level = self.params.level as usize;
        let mut search = Search::new(&*model, state, view.player, level, rng, &mut late);
        search.limit = self.params.horizon.unwrap_or_else(|| natural_horizon(model.info()));
        let known = session.plan_from(view);
        let (table, plan) = search.judge(actions, known);
        let (transitions, mut rng) = (search.steps, search.rng);
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_default());
        }
        let Some(&action) = plan.actions.first() else {
            let note = "a move at random: there was no time for a single game".to_owned();
            return Ok(Decision::at_random(view, &mut rng).noting(note));
        };
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

impl Session {
    /// What is left of the plan, if its first move was made. (The value of what is left is not known where
    /// there are rewards on the way, so that only games that pay at the end are remembered.)
    fn plan_from(&mut self, view: &View) -> Option<Plan> {
        let info = self.model.info();
        let alone = info.players == 1 && info.bounds_what_is_left();
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

/// What a game came to.
#[derive(Clone, Copy)]
struct Outcome {
    value: f64,
    /// The best that the evaluator promised on the way: of games that come to the same, one is better.
    hope: f64,
}

/// One game under way at one level.
struct Frame {
    state: State,
    /// What an action leads to from there, and what it pays each player.
    trial: State,
    trial_paid: [f64; MAX_PLAYERS],
    /// That action, where nobody else moves.
    tried: Option<Action>,
    legal: Vec<Action>,
    /// The player's moves so far, until something else had a say.
    line: Vec<Action>,
    open: bool,
    paid: f64,
    weight: f64,
    moves: u32,
    plan: Plan,
}

struct Search<'a> {
    model: &'a dyn Model,
    player: usize,
    players: usize,
    discount: f64,
    /// Moves after which a game ends.
    limit: u32,
    /// A return that cannot be surpassed.
    most: f64,
    evaluates: bool,
    prefers: bool,
    frames: Vec<Frame>,
    scratch: Vec<Action>,
    /// What actions promise.
    values: Vec<f64>,
    rng: Rng,
    pause: Pause<'a>,
    watch: Watch,
    stopped: bool,
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(
        model: &'a dyn Model,
        state: &State,
        player: usize,
        level: usize,
        rng: Rng,
        pause: Pause<'a>,
    ) -> Search<'a> {
        let info = model.info();
        let frame = |_| Frame {
            state: state.clone(),
            trial: state.clone(),
            trial_paid: [0.0; MAX_PLAYERS],
            tried: None,
            legal: Vec::new(),
            line: Vec::new(),
            open: true,
            paid: 0.0,
            weight: 1.0,
            moves: 0,
            plan: Plan::default(),
        };
        Search {
            model,
            player,
            players: info.players,
            discount: info.discount,
            limit: u32::MAX,
            most: if info.bounds_what_is_left() { info.max_return } else { f64::INFINITY },
            evaluates: model.has().evaluator,
            prefers: model.has().preferred,
            frames: (0..=level).map(frame).collect(),
            scratch: Vec::new(),
            values: Vec::new(),
            rng,
            pause,
            watch: Watch::default(),
            stopped: false,
            steps: 0,
        }
    }

    /// What each of these actions is worth, best first, and the best game found, unless a known one is better.
    fn judge(&mut self, legal: &[Action], known: Option<Plan>) -> (Vec<Judgement>, Plan) {
        let level = self.frames.len() - 1;
        let mut best = known.clone().unwrap_or(Plan { value: f64::NEG_INFINITY, ..Plan::default() });
        let mut values: Vec<(Action, Option<f64>)> = legal.iter().map(|action| (*action, None)).collect();
        self.rng.shuffle(&mut values);
        for (action, value) in &mut values {
            if self.stopped || !best.actions.is_empty() && self.watch.is_due() && (self.pause)() {
                break;
            }
            let found = match level {
                0 => {
                    let value = self.afterstate_value(0, *action, self.player);
                    self.frames[0].line.clear();
                    self.frames[0].line.push(*action);
                    Some(Outcome { value, hope: value })
                }
                _ => self.try_action(level, *action),
            };
            let Some(found) = found else { break };
            *value = Some(found.value);
            let line = &self.frames[level.saturating_sub(1)].line;
            note(&mut best, found.value, found.hope, line);
        }
        if let Some(known) = known
            && let Some((_, value)) = values.iter_mut().find(|(action, _)| *action == known.actions[0])
            && value.is_none_or(|value| value < known.value)
        {
            *value = Some(known.value);
        }
        let judge = |(action, value): &(Action, Option<f64>)| Judgement {
            action: *action,
            value: *value,
            error: None,
            visits: u64::from(value.is_some()),
        };
        let mut table: Vec<Judgement> = values.iter().map(judge).collect();
        let value = |row: &Judgement| row.value.unwrap_or(f64::NEG_INFINITY);
        let chosen = best.actions.first().copied();
        table.sort_by(|a, b| {
            value(b).total_cmp(&value(a)).then((Some(b.action) == chosen).cmp(&(Some(a.action) == chosen)))
        });
        (table, best)
    }

    /// What comes of an action in the present state of a level, played on one level lower. `None` if time was up.
    fn try_action(&mut self, level: usize, action: Action) -> Option<Outcome> {
        let (lower, upper) = self.frames.split_at_mut(level);
        let (below, here) = (&mut lower[level - 1], &upper[0]);
        below.state.clone_from(&here.state);
        below.line.clear();
        below.tried = None;
        (below.open, below.paid, below.weight, below.moves) = (true, 0.0, 1.0, here.moves);
        self.act(level - 1, action);
        let found = self.play(level - 1);
        (!self.stopped).then_some(found)
    }

    /// Plays on at a level until the end.
    fn play(&mut self, level: usize) -> Outcome {
        let mut hope = f64::NEG_INFINITY;
        let mut at = 0;
        self.frames[level].plan.actions.clear();
        loop {
            self.stopped = self.stopped || self.watch.is_due() && (self.pause)();
            let settled = self.settle(level, &mut at);
            let frame = &self.frames[level];
            if !settled || self.stopped {
                break;
            }
            if frame.moves >= self.limit {
                let value = self.evaluate(level);
                let frame = &mut self.frames[level];
                frame.paid += frame.weight * value;
                break;
            }
            let action = if level == 0 {
                let (action, value) = self.greedy(0, self.player);
                hope = hope.max(value);
                action
            } else {
                self.search(level, &mut at);
                let Plan { actions, hope: promised, .. } = &self.frames[level].plan;
                hope = *promised;
                let Some(&action) = actions.get(at) else { break };
                at += 1;
                action
            };
            self.act(level, action);
        }
        Outcome { value: self.frames[level].paid, hope }
    }

    /// Tries all actions at a level above 0; the best game found so far is in its plan, from `at` on.
    fn search(&mut self, level: usize, at: &mut usize) {
        let frame = &mut self.frames[level];
        let mut plan = std::mem::take(&mut frame.plan);
        let (paid, weight) = (frame.paid, frame.weight);
        if *at >= plan.actions.len() {
            plan.actions.clear();
            (plan.value, plan.hope, *at) = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0);
        }
        if plan.value < self.most {
            let mut legal = std::mem::take(&mut self.frames[level].legal);
            legal.clear();
            self.model.legal(&self.frames[level].state, self.player, &mut legal);
            self.rng.shuffle(&mut legal);
            for &action in &legal {
                let Some(found) = self.try_action(level, action) else { break };
                if note(&mut plan, paid + weight * found.value, found.hope, &self.frames[level - 1].line) {
                    *at = 0;
                }
                if plan.value >= self.most {
                    break;
                }
            }
            self.frames[level].legal = legal;
        }
        self.frames[level].plan = plan;
    }

    /// Lets chance and others move until it is the player's turn at a level; false if the game is over.
    /// What was planned (from `at` on) does not hold any longer then.
    fn settle(&mut self, level: usize, at: &mut usize) -> bool {
        let mut draws = 0;
        loop {
            let turn = self.model.turn(&self.frames[level].state);
            let mut joint = [Action(0); MAX_PLAYERS];
            draws = if turn == Turn::Chance { draws + 1 } else { 0 };
            match turn {
                Turn::Over => return false,
                _ if turn.movers().contains(self.player) => return true,
                Turn::Chance if draws > self.model.info().longest_chance() => return false,
                Turn::Chance => joint[0] = self.model.draw(&self.frames[level].state, &mut self.rng),
                Turn::One(other) => joint[0] = self.greedy(level, other).0,
                Turn::Several(_) => self.others(level, turn, &mut joint),
            }
            self.step(level, turn, &joint[..turn.width()]);
            let frame = &mut self.frames[level];
            frame.open = false;
            *at = usize::MAX;
            if frame.moves >= self.limit.saturating_add(MAX_PLAYERS as u32) {
                return true;
            }
        }
    }

    /// The player moves at a level, with others who move at once.
    fn act(&mut self, level: usize, action: Action) {
        let turn = self.model.turn(&self.frames[level].state);
        let mut joint = [action; MAX_PLAYERS];
        if let Turn::Several(_) = turn {
            self.others(level, turn, &mut joint);
        }
        let frame = &mut self.frames[level];
        if frame.open {
            frame.line.push(action);
            frame.open = turn.width() == 1;
        }
        self.step(level, turn, &joint[..turn.width()]);
    }

    /// Others who move at once do anything.
    fn others(&mut self, level: usize, turn: Turn, joint: &mut [Action]) {
        for (slot, mover) in joint.iter_mut().zip(turn.movers().iter()) {
            if mover != self.player {
                let state = &self.frames[level].state;
                *slot = self.model.random_action(state, mover, &mut self.scratch, &mut self.rng);
            }
        }
    }

    fn step(&mut self, level: usize, turn: Turn, joint: &[Action]) {
        let frame = &mut self.frames[level];
        let paid = match (frame.tried.take(), joint) {
            (Some(tried), [action]) if tried == *action && turn != Turn::Chance => {
                std::mem::swap(&mut frame.state, &mut frame.trial);
                frame.trial_paid[self.player]
            }
            _ => {
                let mut rewards = [0.0; MAX_PLAYERS];
                self.model.step(&mut frame.state, joint, &mut rewards[..self.players]);
                self.steps += 1;
                rewards[self.player]
            }
        };
        frame.paid += frame.weight * paid;
        frame.weight *= discount::after(turn, self.discount);
        frame.moves += u32::from(turn != Turn::Chance);
    }

    fn evaluate(&self, level: usize) -> f64 {
        let mut values = [0.0; MAX_PLAYERS];
        if self.evaluates {
            self.model.evaluate(&self.frames[level].state, &mut values[..self.players]);
        }
        values[self.player]
    }

    /// What looks best to somebody one step ahead, and what it promises. Of equal ones, any.
    fn greedy(&mut self, level: usize, mover: usize) -> (Action, f64) {
        let mut legal = std::mem::take(&mut self.scratch);
        legal.clear();
        let state = &self.frames[level].state;
        let chosen = if self.evaluates {
            self.model.legal(state, mover, &mut legal);
            match legal[..] {
                [only] => (only, f64::MIN),
                _ => self.most_promising(level, &legal, mover),
            }
        } else {
            match self.prefers {
                true => self.model.preferred(state, mover, &mut legal),
                false => self.model.legal(state, mover, &mut legal),
            }
            let any = self.rng.below(legal.len() as u32) as usize;
            (legal.get(any).copied().unwrap_or_default(), f64::NEG_INFINITY)
        };
        self.scratch = legal;
        chosen
    }

    /// The best of some actions one step ahead, and what it promises.
    fn most_promising(&mut self, level: usize, legal: &[Action], mover: usize) -> (Action, f64) {
        let mut values = std::mem::take(&mut self.values);
        let state = &self.frames[level].state;
        let plain = self.model.turn(state) == Turn::One(mover) && self.discount == 1.0;
        // Where the game itself says what actions promise, the best is tried all the same: it may end the game.
        let is_said = plain && self.model.afterstate_values(state, mover, legal, &mut values);
        if !is_said {
            values.clear();
            values.resize(legal.len(), f64::NAN);
        }
        for (value, action) in values.iter_mut().zip(legal).filter(|(value, _)| value.is_nan()) {
            *value = self.afterstate_value(level, *action, mover);
        }
        let mut best = self.rng.highest(&values);
        while is_said
            && let Some(paid) = self.try_out(level, legal[best], mover)
            && paid != values[best]
        {
            values[best] = paid;
            best = self.rng.highest(&values);
        }
        let promised = values[best];
        self.values = values;
        (legal[best], promised)
    }

    /// Reward and evaluation right after an action of somebody.
    fn afterstate_value(&mut self, level: usize, action: Action, mover: usize) -> f64 {
        let over = self.try_out(level, action, mover);
        let Frame { trial, trial_paid, .. } = &self.frames[level];
        let mut values = [0.0; MAX_PLAYERS];
        if over.is_none() && self.evaluates {
            self.model.evaluate(trial, &mut values[..self.players]);
        }
        trial_paid[mover] + discount::after(Turn::One(mover), self.discount) * values[mover]
    }

    /// Makes the trial what an action of somebody leads to; others who move at once do anything. Gives what it pays
    /// the mover if the game is over then.
    fn try_out(&mut self, level: usize, action: Action, mover: usize) -> Option<f64> {
        let Frame { state, trial, trial_paid, tried, .. } = &mut self.frames[level];
        trial.clone_from(state);
        let turn = self.model.turn(trial);
        let mut joint = [action; MAX_PLAYERS];
        if let Turn::Several(movers) = turn {
            let mut scratch = Vec::new();
            for (slot, other) in joint.iter_mut().zip(movers.iter()).filter(|(_, other)| *other != mover) {
                *slot = self.model.random_action(state, other, &mut scratch, &mut self.rng);
            }
        }
        *trial_paid = [0.0; MAX_PLAYERS];
        self.model.step(trial, &joint[..turn.width()], &mut trial_paid[..self.players]);
        *tried = (turn.width() == 1).then_some(action);
        self.steps += 1;
        (self.model.turn(trial) == Turn::Over).then_some(trial_paid[mover])
    }
}

/// Takes a game in place of a plan if it is better.
fn note(plan: &mut Plan, value: f64, hope: f64, line: &[Action]) -> bool {
    let better = value > plan.value || value == plan.value && hope > plan.hope || plan.actions.is_empty();
    if better {
        (plan.value, plan.hope) = (value, hope);
        plan.actions.clear();
        plan.actions.extend_from_slice(line);
    }
    better
}
