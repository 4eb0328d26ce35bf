//! `turn-search`: a player's whole turn by beam search, and what the next player makes of its best ends.
//!
//! What wins competitions of card games: an evaluator, a search over the sequences of one's own turn, and a look at the
//! reply. `beam.rs` searches a turn. A plan is followed as long as everything goes as expected; after what chance has drawn,
//! the rest of the turn is searched anew.

mod beam;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Session;
use crate::belief::{BeliefKind, Form, World};
use crate::evaluate::{Evaluator, EvaluatorSpec};
use crate::game::{Action, Turn};
use crate::interrupt::{Interrupt, Pause};
use crate::model::{Model, SharedModel, State};
use crate::params::{Param, Params};
use crate::planner::{Decision, Judgement, Planner};
use crate::playout::MAX_PLAYERS;
use crate::registry::PlannerEntry;
use crate::rng::{Purpose, Rng};
use crate::spec::{Spec, Value};
use crate::view::{View, after_action, after_observation};
use beam::{Beam, Line, settle};

crate::params! {
    /// How a turn is searched.
    pub struct TurnParams {
        /// Positions that are kept after each action of the turn.
        pub width: u32 = 24, in 1..=100_000;
        /// The most actions of a turn.
        pub depth: u32 = 30, in 1..=10_000;
        /// Whether the turn is searched a second time for a win, by the game's own evaluator, where another one judges: what
        /// one of them leaves out of the beam the other may keep.
        pub second_look: bool = true;
        /// The best ends of the turn that the next player's reply is looked at for; 0 for no look at replies.
        pub replies: u32 = 12, in 0..=100_000;
        /// Positions that are kept after each action of a reply.
        pub reply_width: u32 = 4, in 1..=100_000;
        /// Turns that are looked ahead: 1 is the reply, 2 the next turn after it as well, and so on.
        pub ahead: u32 = 1, in 1..=100;
        /// Possible worlds in which a reply is looked at.
        pub worlds: u32 = 2, in 1..=1_000_000;
        /// Where several choose at once, as in a mulligan before the first turn: turns that are then played on,
        pub first_turns: u32 = 4, in 1..=100;
        /// and the possible worlds in which they are.
        pub first_worlds: u32 = 16, in 1..=1_000_000;
        /// What judges positions in place of the game's evaluator; none is linear where the game has features, else its
        /// own evaluator.
        pub evaluator: Option<EvaluatorSpec> = None;
        /// What the past leaves possible.
        pub belief: BeliefKind = Form::Sampled(20).into();
        /// Time a move.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
        /// Steps of the model a move.
        pub transitions: Option<u64> = None, in Some(1)..=Some(u64::MAX);
    }
}

inventory::submit! {
    PlannerEntry {
        name: "turn-search",
        summary: "Beam search over the actions of a whole turn, then over the replies to its best ends.",
        needs: "features or an evaluator; players who move in turn, but perhaps at first; returns that are not discounted",
        params: || TurnParams::default().docs(),
        build: |spec| {
            let params = TurnParams::from_spec(spec)?;
            Ok(Box::new(TurnSearch { params, session: None, evaluator: None, plan: VecDeque::new() }))
        },
    }
}

struct TurnSearch {
    params: TurnParams,
    session: Option<Session>,
    evaluator: Option<EvaluatorSpec>,
    /// What is left of the turn: actions, each with the key of the view that it is meant for.
    plan: VecDeque<(u64, Action)>,
}

impl Planner for TurnSearch {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let named = |why: String| format!("turn-search: {why}");
        self.evaluator = self.params.evaluator.clone();
        if self.evaluator.is_none() && model.has().features {
            let linear = Value::Spec(Spec { name: "linear".to_owned(), arguments: Vec::new() });
            self.evaluator = Some(EvaluatorSpec::read(&linear).map_err(named)?);
        }
        match &self.evaluator {
            Some(evaluator) => {
                evaluator.get().check(&*model).map_err(|why| named(format!("evaluator: {why}")))?;
            }
            None if model.has().evaluator => {}
            None => {
                return Err(named("it needs features or an evaluator, which this game lacks".to_owned()));
            }
        }
        if model.info().discount != 1.0 {
            return Err(named("it needs returns that are not discounted, as this game's are".to_owned()));
        }
        let belief = self.params.belief.without_search().map_err(named)?;
        let worlds = self.params.worlds.max(self.params.first_worlds);
        let belief = belief.build(&*model, worlds.into()).map_err(named)?;
        self.session = Some(Session::new(model, belief, seed));
        self.plan.clear();
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let session = self.session.as_mut().ok_or("turn-search: act before start")?;
        let model = session.model.clone();
        let mut rng = session.next_stream();
        let faults = model.faults();
        let key = view.key();
        if let Some((_, action)) = self.plan.pop_front().filter(|(due, _)| *due == key)
            && view.legal.binary_search(&action).is_ok()
        {
            let note = "on the way to what was decided before".to_owned();
            let decision = Decision { action, elapsed: begun.elapsed(), ..Decision::default() };
            return Ok(decision.noting(note));
        }
        self.plan.clear();
        let deadline = self.params.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let Some(guess) = session.believe(view, &mut rng, &mut late)? {
            return Ok(guess);
        }
        let mut worlds: Vec<State> = Vec::new();
        let wanted = |first: Option<&State>| match first.map(|state| model.turn(state)) {
            None => 1,
            Some(Turn::One(_)) => self.params.worlds,
            Some(_) => self.params.first_worlds,
        };
        while worlds.len() < wanted(worlds.first()) as usize && (worlds.is_empty() || !late()) {
            let mut world = World::initial(&*model);
            session.belief.sample(&*model, view, &mut rng, &mut world);
            worlds.push(world.state);
        }
        let search = TurnDecision {
            model: &*model,
            params: &self.params,
            evaluator: self.evaluator.as_ref().map(EvaluatorSpec::get),
            me: view.player,
            luck: rng.fork(Purpose::Search),
            limit: self.params.transitions.unwrap_or(u64::MAX),
        };
        let mut steps = 0;
        let mut interrupt = Interrupt::new(&mut late);
        let (table, best) = match model.turn(&worlds[0]) {
            _ if view.legal.len() == 1 => (vec![(view.legal[0], None, 0)], Vec::new()),
            Turn::One(_) => search.turn(&worlds, &mut steps, &mut interrupt),
            _ => (search.at_once(&view.legal, &worlds, &mut rng, &mut steps, &mut interrupt), Vec::new()),
        };
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_default());
        }
        self.plan = search.plan(&worlds[0], key, &best);
        let table: Vec<Judgement> = table
            .into_iter()
            .map(|(action, value, visits)| Judgement { action, value, error: None, visits })
            .collect();
        let action = table.first().map_or(view.legal[0], |row| row.action);
        Ok(Decision {
            action,
            table,
            transitions: Some(steps),
            belief: session.belief.size(),
            counters: session.belief.counters(),
            notes: session.belief.notes(),
            elapsed: begun.elapsed(),
            ..Decision::default()
        })
    }
}

/// One decision.
struct TurnDecision<'a> {
    model: &'a dyn Model,
    params: &'a TurnParams,
    evaluator: Option<&'a dyn Evaluator>,
    me: usize,
    /// Where chance draws from while a turn is searched.
    luck: Rng,
    /// The most steps of the model.
    limit: u64,
}

/// An action, what it is worth and how often that was looked at.
type Row = (Action, Option<f64>, u64);

impl TurnDecision<'_> {
    /// A search of a turn, judged for the one who decides.
    fn beam(&self, player: usize, width: u32, luck: Rng) -> Beam<'_> {
        Beam {
            model: self.model,
            evaluator: self.evaluator,
            player,
            judge: self.me,
            width: width as usize,
            depth: self.params.depth,
            luck,
        }
    }

    /// The best way to play the turn on: a row for each of the first actions that were looked into, and the way.
    fn turn(
        &self,
        worlds: &[State],
        steps: &mut u64,
        interrupt: &mut Interrupt,
    ) -> (Vec<Row>, Vec<Action>) {
        let TurnParams { width, replies, .. } = *self.params;
        let most = replies.max(1) as usize;
        let beam = self.beam(self.me, width, self.luck.clone());
        let mut lines = beam.search(&worlds[0], most, steps, self.limit, interrupt);
        let wins = |lines: &[Line]| {
            lines.first().is_some_and(|line| line.is_over && line.value >= self.model.info().max_return)
        };
        if self.params.second_look
            && self.evaluator.is_some()
            && self.model.has().evaluator
            && !wins(&lines)
        {
            let other = Beam { evaluator: None, ..self.beam(self.me, width, self.luck.clone()) };
            let found = other.search(&worlds[0], 1, steps, self.limit, interrupt);
            if wins(&found) {
                lines = found;
            }
        }
        let mut looked = 0;
        for line in &mut lines {
            let stop = interrupt.poll() || *steps >= self.limit;
            if replies == 0 || stop || line.is_over && line.value >= self.model.info().max_return {
                break;
            }
            line.value = self.replied(line, worlds, steps, interrupt);
            looked += 1;
        }
        if looked > 0 {
            // What was not looked into is not known to be better.
            lines.truncate(looked.max(usize::from(lines.first().is_some_and(|line| line.is_over))));
            lines.sort_by(|a, b| b.value.total_cmp(&a.value));
        }
        let mut rows: Vec<Row> = Vec::new();
        for line in &lines {
            let first = line.actions[0];
            match rows.iter_mut().find(|(action, ..)| *action == first) {
                Some((.., visits)) => *visits += 1,
                None => rows.push((first, Some(line.value), 1)),
            }
        }
        (rows, lines.into_iter().next().map(|line| line.actions).unwrap_or_default())
    }

    /// What is left of the end of a turn after the best turns that the next players find, on average over the worlds.
    fn replied(&self, line: &Line, worlds: &[State], steps: &mut u64, interrupt: &mut Interrupt) -> f64 {
        let mut sum = 0.0;
        for (number, world) in worlds.iter().enumerate() {
            let (mut end, mut paid) = (line.end.clone(), line.paid);
            if number > 0 {
                (end, paid) = self.replay(world, &line.actions, steps, interrupt);
            }
            let mut luck = self.luck.fork(Purpose::Step(number as u32));
            let over = number > 0 && self.model.turn(&end) == Turn::Over;
            let (mut last, mut value) = (self.me, if over { paid } else { line.judged });
            for _ in 0..self.params.ahead {
                let next = match self.model.turn(&end) {
                    Turn::One(next) if next != last => next,
                    _ => break,
                };
                let beam = self.beam(next, self.params.reply_width, luck.clone());
                let Some(turn) = beam.search(&end, 1, steps, u64::MAX, interrupt).pop() else { break };
                value = paid + turn.judged;
                (end, paid, last) = (turn.end, paid + turn.paid, next);
                luck = Rng::new(luck.bits());
            }
            sum += value;
        }
        sum / worlds.len() as f64
    }

    /// The same actions in another world, until chance has had a part in it or they are not legal there; the rest of the turn
    /// is searched anew then.
    fn replay(
        &self,
        world: &State,
        actions: &[Action],
        steps: &mut u64,
        interrupt: &mut Interrupt,
    ) -> (State, f64) {
        let (model, mut state) = (self.model, world.clone());
        let mut rewards = [0.0; MAX_PLAYERS];
        let rewards = &mut rewards[..model.info().players];
        let mut luck = self.luck.clone();
        let mut legal = Vec::new();
        for &action in actions {
            legal.clear();
            model.legal(&state, self.me, &mut legal);
            let mut draws = u64::MAX;
            if legal.contains(&action) {
                model.step(&mut state, &[action], rewards);
                draws = settle(model, &mut state, &mut luck, rewards);
                *steps += 1 + draws;
            }
            if model.turn(&state) != Turn::One(self.me) {
                break;
            }
            if draws > 0 {
                let beam = self.beam(self.me, self.params.reply_width, luck);
                let rest = beam.search(&state, 1, steps, u64::MAX, interrupt).pop();
                return rest
                    .map_or((state, rewards[self.me]), |rest| (rest.end, rewards[self.me] + rest.paid));
            }
        }
        (state, rewards[self.me])
    }

    /// What each of some actions promises that are chosen when others choose as well: what is left after the first turns.
    fn at_once(
        &self,
        legal: &[Action],
        worlds: &[State],
        rng: &mut Rng,
        steps: &mut u64,
        interrupt: &mut Interrupt,
    ) -> Vec<Row> {
        let mut rows: Vec<Row> = legal.iter().map(|action| (*action, None, 0)).collect();
        let mut sums = vec![0.0; rows.len()];
        'rounds: for world in worlds {
            let luck = rng.fork(Purpose::Step(rows[0].2 as u32));
            for ((action, value, visits), sum) in rows.iter_mut().zip(&mut sums) {
                if interrupt.poll() || *steps >= self.limit {
                    break 'rounds;
                }
                *sum += self.first_turns(world, *action, luck.clone(), steps, interrupt);
                *visits += 1;
                *value = Some(*sum / *visits as f64);
            }
        }
        rng.shuffle(&mut rows); // of equals any
        rows.sort_by(|a, b| b.1.unwrap_or(f64::NEG_INFINITY).total_cmp(&a.1.unwrap_or(f64::NEG_INFINITY)));
        rows
    }

    fn first_turns(
        &self,
        world: &State,
        action: Action,
        mut luck: Rng,
        steps: &mut u64,
        interrupt: &mut Interrupt,
    ) -> f64 {
        let (model, mut state, mut own) = (self.model, world.clone(), Some(action));
        let mut rewards = [0.0; MAX_PLAYERS];
        let rewards = &mut rewards[..model.info().players];
        let (mut scratch, mut turns, mut others) = (Vec::new(), 0, 0);
        let (mut paid, mut value) = (0.0, 0.0);
        loop {
            let turn = model.turn(&state);
            match turn {
                Turn::One(player) if turns < self.params.first_turns => {
                    let beam = self.beam(player, self.params.reply_width, luck.clone());
                    let Some(line) = beam.search(&state, 1, steps, self.limit, interrupt).pop() else {
                        break;
                    };
                    value = paid + line.judged;
                    paid += line.paid;
                    state = line.end;
                    turns += 1;
                    luck = Rng::new(luck.bits());
                }
                Turn::Several(movers) if others < self.params.depth => {
                    let mut joint = [Action(0); MAX_PLAYERS];
                    for (slot, player) in joint.iter_mut().zip(movers.iter()) {
                        let asked = if player == self.me { own.take() } else { None };
                        *slot = asked.unwrap_or_else(|| {
                            model.random_action(&state, player, &mut scratch, &mut luck)
                        });
                    }
                    model.step(&mut state, &joint[..turn.width()], rewards);
                    *steps += 1 + settle(model, &mut state, &mut luck, rewards);
                    (paid, value) = (rewards[self.me], rewards[self.me]);
                    others += 1;
                }
                _ => break,
            }
        }
        value
    }

    /// A way from the present on, as far as no chance decides what comes: what follows is planned then, with what it has
    /// drawn. Each action with the key of the view that it is meant for, but for the first, which is made now.
    fn plan(&self, present: &State, mut key: u64, actions: &[Action]) -> VecDeque<(u64, Action)> {
        let (model, mut state) = (self.model, present.clone());
        let mut plan = VecDeque::new();
        let mut rewards = [0.0; MAX_PLAYERS];
        for pair in actions.windows(2) {
            let joint = [pair[0]];
            let turn = model.turn(&state);
            model.step(&mut state, &joint, &mut rewards[..model.info().players]);
            key =
                after_observation(after_action(key, pair[0]), model.observe(&state, turn, &joint, self.me));
            if model.turn(&state) != Turn::One(self.me) {
                break;
            }
            plan.push_back((key, pair[1]));
        }
        plan
    }
}
