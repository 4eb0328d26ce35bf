//! The search itself, with one game under way at each level.

use super::{Base, Discount, Nesting};
use crate::discount;
use crate::evaluate::Evaluator;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::model::{Model, State};
use crate::playout::{Context, MAX_PLAYERS, Policy, Rollout, Trace};
use crate::position::Erased;
use crate::rng::{Purpose, Rng};

/// What a game came to.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    /// What each player got.
    pub returns: [f64; MAX_PLAYERS],
    /// Steps from the search's beginning to its end.
    pub depth: u32,
    /// The best that the evaluator promised on the way: of games that come to the same, one is better.
    pub hope: f64,
}

/// How good a game is for somebody; what counts first comes first.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub(crate) struct Worth {
    first: f64,
    then: f64,
}

const WORST: Worth = Worth { first: f64::NEG_INFINITY, then: f64::NEG_INFINITY };

/// A game to come, up to where something else than the player's own moves has a say.
#[derive(Clone)]
pub(crate) struct Plan {
    pub value: f64,
    worth: Worth,
    pub actions: Vec<Action>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { value: f64::NEG_INFINITY, worth: WORST, actions: Vec::new() }
    }
}

impl Plan {
    /// Takes a game in its place if that is better.
    fn note(&mut self, value: f64, worth: Worth, line: &[Action]) -> bool {
        let better = worth > self.worth || self.actions.is_empty();
        if better {
            (self.value, self.worth) = (value, worth);
            self.actions.clear();
            self.actions.extend_from_slice(line);
        }
        better
    }
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
    /// A lone player's moves so far, until something else had a say; else the first move.
    line: Vec<Action>,
    open: bool,
    paid: [f64; MAX_PLAYERS],
    weight: f64,
    moves: u32,
    /// Steps since the search began.
    depth: u32,
    /// How deep it may get: what gets there is lost for whoever tried the first move.
    bound: u32,
    plan: Plan,
}

pub(crate) struct Search<'a, 'p> {
    model: &'a dyn Model,
    nesting: &'a Nesting,
    evaluator: Option<&'a dyn Evaluator>,
    players: usize,
    discount: f64,
    /// Moves after which a game ends.
    pub limit: u32,
    /// Whether a game ends where the turn of whoever moves first is over.
    pub one_turn: bool,
    /// A return that cannot be surpassed.
    most: f64,
    /// The best game found so far is followed until a better one is: nobody else can spoil it.
    remembers: bool,
    frames: Vec<Frame>,
    scratch: Vec<Action>,
    /// What actions promise.
    values: Vec<f64>,
    pub rng: Rng,
    interrupt: &'a mut Interrupt<'p>,
    pub stopped: bool,
    pub steps: u64,
}

impl<'a, 'p> Search<'a, 'p> {
    /// `nesting` must be [resolved](Nesting::resolved).
    pub fn new(
        model: &'a dyn Model,
        state: &State,
        nesting: &'a Nesting,
        evaluator: Option<&'a dyn Evaluator>,
        rng: Rng,
        interrupt: &'a mut Interrupt<'p>,
    ) -> Search<'a, 'p> {
        let info = model.info();
        let frame = |_| Frame {
            state: state.clone(),
            trial: state.clone(),
            trial_paid: [0.0; MAX_PLAYERS],
            tried: None,
            legal: Vec::new(),
            line: Vec::new(),
            open: true,
            paid: [0.0; MAX_PLAYERS],
            weight: 1.0,
            moves: 0,
            depth: 0,
            bound: u32::MAX,
            plan: Plan::default(),
        };
        Search {
            model,
            nesting,
            evaluator,
            players: info.players,
            discount: info.discount,
            limit: u32::MAX,
            one_turn: false,
            most: if info.bounds_what_is_left() { info.max_return } else { f64::INFINITY },
            remembers: info.players == 1 && nesting.discount == Discount::None,
            frames: (0..=nesting.level).map(frame).collect(),
            scratch: Vec::new(),
            values: Vec::new(),
            rng,
            interrupt,
            stopped: false,
            steps: 0,
        }
    }

    /// The highest level.
    fn top(&self) -> usize {
        self.frames.len() - 1
    }

    /// Tries these actions of a player who is to move in the present state, and shows what comes of each. The best game
    /// is noted in the plan.
    pub fn judge(
        &mut self,
        mover: usize,
        actions: &[Action],
        plan: &mut Plan,
        show: &mut dyn FnMut(Action, f64),
    ) {
        match self.top() {
            0 => {
                for &action in actions {
                    let value = self.afterstate_value(0, action, mover);
                    plan.note(value, Worth { first: value, then: value }, &[action]);
                    show(action, value);
                    if self.is_late() {
                        return;
                    }
                }
            }
            top => {
                self.try_all(top, mover, actions, plan, show);
            }
        }
    }

    /// Plays on from the present state at the highest level, and notes the moves, if somebody is to learn from them.
    pub fn play_out(&mut self, trace: Option<&mut Trace>) -> Outcome {
        self.play(self.top(), 0, trace)
    }

    fn is_late(&mut self) -> bool {
        self.stopped = self.stopped || self.interrupt.poll();
        self.stopped
    }

    /// Tries actions in the present state of a level above 0, each followed by a game one level lower. Whether one is
    /// better than the plan.
    fn try_all(
        &mut self,
        level: usize,
        mover: usize,
        actions: &[Action],
        plan: &mut Plan,
        show: &mut dyn FnMut(Action, f64),
    ) -> bool {
        let Frame { paid, weight, depth, bound, .. } = &self.frames[level];
        let (paid, weight, depth) = (paid[mover], *weight, *depth);
        let (cuts, prunes) = (self.nesting.cuts(level), self.nesting.prunes(level));
        let mut bound = if self.nesting.cascades(level) { *bound } else { u32::MAX };
        let mut improved = false;
        // Each game draws from a stream of its own: that others are cut off changes nothing in it.
        let streams = (!self.remembers).then(|| self.rng.clone());
        for (&action, number) in actions.iter().zip(0..) {
            if let Some(streams) = &streams {
                self.rng = streams.fork(Purpose::Trial(number));
            }
            self.frames[level - 1].bound = bound;
            let Some(found) = self.try_action(level, mover, action) else { break };
            let value = paid + weight * found.returns[mover];
            let worth = self.worth(value, found.depth - depth, found.hope);
            improved |= plan.note(value, worth, &self.frames[level - 1].line);
            show(action, value);
            if value >= self.most {
                if cuts {
                    break;
                }
                if prunes {
                    bound = bound.min(found.depth);
                }
            }
        }
        if let Some(mut streams) = streams {
            streams.bits(); // what is drawn next has nothing to do with the trials
            self.rng = streams;
        }
        improved
    }

    /// How good a return after so many steps is.
    fn worth(&self, value: f64, n: u32, hope: f64) -> Worth {
        let info = self.model.info();
        let (middle, half) =
            ((info.max_return + info.min_return) / 2.0, (info.max_return - info.min_return) / 2.0);
        let v = if half > 0.0 { (value - middle) / half } else { 0.0 };
        let steps = f64::from(n);
        match self.nesting.discount {
            Discount::Depth if v < 0.0 => Worth { first: value, then: steps },
            Discount::Depth if v > 0.0 => Worth { first: value, then: -steps },
            Discount::Depth => Worth { first: value, then: 0.0 },
            Discount::Score => Worth { first: v / steps, then: 0.0 },
            Discount::Branching(b) => Worth { first: v / b.powf(steps), then: 0.0 },
            Discount::None | Discount::Auto => Worth { first: value, then: hope },
        }
    }

    /// What comes of an action in the present state of a level, played on one level lower. `None` if time was up.
    fn try_action(&mut self, level: usize, mover: usize, action: Action) -> Option<Outcome> {
        let (lower, upper) = self.frames.split_at_mut(level);
        let (below, here) = (&mut lower[level - 1], &upper[0]);
        below.state.clone_from(&here.state);
        below.line.clear();
        below.tried = None;
        (below.open, below.paid, below.weight) = (true, [0.0; MAX_PLAYERS], 1.0);
        (below.moves, below.depth) = (here.moves, here.depth);
        let turn = self.model.turn(&here.state);
        let mut joint = [action; MAX_PLAYERS];
        if let Turn::Several(_) = turn {
            self.others(level, turn, mover, &mut joint);
        }
        self.act(level - 1, turn, &joint[..turn.width()], action);
        let found = self.play(level - 1, mover, None);
        (!self.stopped).then_some(found)
    }

    /// Plays on at a level until the end, or until it has become too long to be what `judge` wants.
    fn play(&mut self, level: usize, judge: usize, mut trace: Option<&mut Trace>) -> Outcome {
        let mut hope = f64::NEG_INFINITY;
        let mut at = 0;
        let mut draws = 0;
        let mut first_turn = None;
        self.frames[level].plan.actions.clear();
        if level == 0 && self.nesting.base != Base::Greedy && trace.is_none() && !self.one_turn {
            return self.roll(judge);
        }
        loop {
            let late = self.is_late();
            let turn = self.model.turn(&self.frames[level].state);
            let frame = &self.frames[level];
            if late || turn == Turn::Over {
                break;
            }
            if frame.depth >= frame.bound {
                self.lose(level, judge);
                break;
            }
            let mut joint = [Action(0); MAX_PLAYERS];
            if turn == Turn::Chance {
                draws += 1;
                if draws > self.model.info().longest_chance() {
                    break;
                }
                joint[0] = self.model.draw(&frame.state, &mut self.rng);
                let frame = &mut self.frames[level];
                (frame.open, at) = (false, usize::MAX);
                self.step(level, turn, &joint[..1]);
                continue;
            }
            draws = 0;
            let turn_is_over = self.one_turn && *first_turn.get_or_insert(turn) != turn;
            if frame.moves >= self.limit || turn_is_over {
                self.evaluate(level);
                break;
            }
            for (slot, mover) in joint.iter_mut().zip(turn.movers().iter()) {
                let Some((action, promised)) = self.choose(level, mover, &mut at) else { break };
                *slot = action;
                hope = if level == 0 { hope.max(promised) } else { promised };
            }
            if self.stopped {
                break;
            }
            if let Some(trace) = &mut trace {
                trace.note(&Erased(self.model, &self.frames[level].state), turn, &joint[..turn.width()]);
            }
            self.act(level, turn, &joint[..turn.width()], joint[0]);
        }
        let Frame { paid, depth, .. } = self.frames[level];
        Outcome { returns: paid, depth, hope }
    }

    /// A game of random moves to the end.
    fn roll(&mut self, judge: usize) -> Outcome {
        let frame = &mut self.frames[0];
        let left = frame.bound.saturating_sub(frame.depth);
        let policy = if self.nesting.base == Base::Preferred { Policy::Preferred } else { Policy::Random };
        let depth = left.min(self.limit.saturating_sub(frame.moves));
        let how = Rollout { policy, depth, ..Rollout::random(depth, self.discount) };
        let mut returns = [0.0; MAX_PLAYERS];
        let given = &mut returns[..self.players];
        let steps = match self.evaluator {
            // What judges beyond the horizon is not the game's own.
            Some(_) if self.limit != u32::MAX => {
                let (evaluator, rng) = (self.evaluator, &mut self.rng);
                let mut context = Context { evaluator, rng, interrupt: self.interrupt, trace: None };
                self.model.rollout(&frame.state, &how, None, &mut context, given)
            }
            _ => self.model.playouts(&frame.state, &how, 1, &mut self.rng, self.interrupt, given),
        };
        self.steps += steps;
        let taken = u32::try_from(steps).unwrap_or(u32::MAX);
        frame.depth = frame.depth.saturating_add(taken);
        for (paid, more) in frame.paid.iter_mut().zip(&returns[..self.players]) {
            *paid += frame.weight * more;
        }
        if left <= taken {
            self.lose(0, judge);
        }
        self.stopped = self.stopped || self.interrupt.poll();
        let Frame { paid, depth, .. } = self.frames[0];
        Outcome { returns: paid, depth, hope: f64::NEG_INFINITY }
    }

    /// A game that got too deep is lost for whoever tries its first move.
    fn lose(&mut self, level: usize, judge: usize) {
        let frame = &mut self.frames[level];
        frame.paid[judge] = self.model.info().min_return;
        frame.depth = frame.bound;
    }

    /// What somebody does at a level, and what that promises.
    fn choose(&mut self, level: usize, mover: usize, at: &mut usize) -> Option<(Action, f64)> {
        if level == 0 {
            return Some(self.base(0, mover));
        }
        self.search(level, mover, at);
        let Plan { actions, worth, .. } = &self.frames[level].plan;
        let chosen = actions.get(*at).map(|action| (*action, worth.then));
        *at = if self.remembers { *at + 1 } else { usize::MAX };
        chosen
    }

    /// Tries all actions at a level above 0; the best game found so far is in its plan, from `at` on.
    fn search(&mut self, level: usize, mover: usize, at: &mut usize) {
        let mut plan = std::mem::take(&mut self.frames[level].plan);
        if *at >= plan.actions.len() {
            plan.actions.clear();
            (plan.value, plan.worth, *at) = (f64::NEG_INFINITY, WORST, 0);
        }
        if plan.value < self.most {
            let mut legal = std::mem::take(&mut self.frames[level].legal);
            legal.clear();
            self.model.legal(&self.frames[level].state, mover, &mut legal);
            self.rng.shuffle(&mut legal);
            if self.try_all(level, mover, &legal, &mut plan, &mut |_, _| ()) {
                *at = 0;
            }
            self.frames[level].legal = legal;
        }
        self.frames[level].plan = plan;
    }

    /// Players move at a level; `action` is that of the one who is followed.
    fn act(&mut self, level: usize, turn: Turn, joint: &[Action], action: Action) {
        let frame = &mut self.frames[level];
        if frame.open {
            frame.line.push(action);
            frame.open = self.remembers && turn.width() == 1;
        }
        self.step(level, turn, joint);
    }

    /// Others who move at once do anything.
    fn others(&mut self, level: usize, turn: Turn, mover: usize, joint: &mut [Action]) {
        for (slot, other) in joint.iter_mut().zip(turn.movers().iter()) {
            if other != mover {
                let state = &self.frames[level].state;
                *slot = self.model.random_action(state, other, &mut self.scratch, &mut self.rng);
            }
        }
    }

    fn step(&mut self, level: usize, turn: Turn, joint: &[Action]) {
        let frame = &mut self.frames[level];
        let mut rewards = [0.0; MAX_PLAYERS];
        match (frame.tried.take(), joint) {
            (Some(tried), [action]) if tried == *action && turn != Turn::Chance => {
                std::mem::swap(&mut frame.state, &mut frame.trial);
                rewards = frame.trial_paid;
            }
            _ => {
                self.model.step(&mut frame.state, joint, &mut rewards[..self.players]);
                self.steps += 1;
            }
        }
        for (paid, reward) in frame.paid.iter_mut().zip(&rewards[..self.players]) {
            *paid += frame.weight * reward;
        }
        frame.weight *= discount::after(turn, self.discount);
        frame.moves += u32::from(turn != Turn::Chance);
        frame.depth += 1;
    }

    /// Adds what is taken to be left.
    fn evaluate(&mut self, level: usize) {
        let mut values = [0.0; MAX_PLAYERS];
        let frame = &mut self.frames[level];
        let (evaluator, rng) = (self.evaluator, &mut self.rng);
        let mut context = Context { evaluator, rng, interrupt: self.interrupt, trace: None };
        let judged = context.evaluate(&Erased(self.model, &frame.state), &mut values[..self.players]);
        self.steps += judged;
        for (paid, value) in frame.paid.iter_mut().zip(&values[..self.players]) {
            *paid += frame.weight * value;
        }
    }

    /// What somebody does at the lowest level, and what it promises.
    fn base(&mut self, level: usize, mover: usize) -> (Action, f64) {
        let mut legal = std::mem::take(&mut self.scratch);
        legal.clear();
        let state = &self.frames[level].state;
        let chosen = match self.nesting.base {
            Base::Greedy => {
                self.model.legal(state, mover, &mut legal);
                match legal[..] {
                    [only] => (only, f64::MIN),
                    _ => self.most_promising(level, &legal, mover),
                }
            }
            base => {
                match base {
                    Base::Preferred => self.model.preferred(state, mover, &mut legal),
                    _ => self.model.legal(state, mover, &mut legal),
                }
                let any = self.rng.below(legal.len() as u32) as usize;
                (legal.get(any).copied().unwrap_or_default(), f64::NEG_INFINITY)
            }
        };
        self.scratch = legal;
        chosen
    }

    /// The best of some actions one step ahead, and what it promises.
    fn most_promising(&mut self, level: usize, legal: &[Action], mover: usize) -> (Action, f64) {
        let mut values = std::mem::take(&mut self.values);
        let state = &self.frames[level].state;
        let plain =
            self.model.turn(state) == Turn::One(mover) && self.discount == 1.0 && self.evaluator.is_none();
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
        let mut values = [0.0; MAX_PLAYERS];
        let Frame { trial, trial_paid, .. } = &self.frames[level];
        if over.is_none() {
            let (evaluator, rng) = (self.evaluator, &mut self.rng);
            let mut context = Context { evaluator, rng, interrupt: self.interrupt, trace: None };
            self.steps += context.evaluate(&Erased(self.model, trial), &mut values[..self.players]);
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
