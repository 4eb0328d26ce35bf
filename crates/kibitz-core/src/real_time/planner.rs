//! A planner of games of turns in a game in real time.

use std::sync::Arc;
use std::time::Instant;

use super::as_turns::{AsTurns, Moment};
use super::options::{Thinks, TimeOptions, Waits};
use super::past::{Past, Reader};
use crate::belief::{Belief, BeliefKind, Form};
use crate::episode::Timing;
use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::{Model, SharedModel, State};
use crate::planner::{Decision, Grown, Judgement, Planner};
use crate::rng::Rng;
use crate::view::{Event, View};

/// Ticks from one choice to the next are at least this share of the time until something happens by itself.
const QUARTER: u64 = 4;

/// The last moment before something happens by itself leaves time for so many parts of the budget.
const LAST: f64 = 4.0;

/// So many worlds may look alike until what happened is told, where nothing is hidden.
const WORLDS: usize = 1000;

/// Any planner, in whatever game: in real time it is given the game [as one of turns](AsTurns).
pub struct InRealTime {
    planner: Box<dyn Planner>,
    options: TimeOptions,
    /// How often it is asked for a share of its budget, where it may stop before.
    parts: u32,
    session: Option<Session>,
}

/// One seat of one episode in real time.
struct Session {
    turns: Arc<AsTurns>,
    past: Arc<Past>,
    reader: Reader,
    /// How long a tick is.
    tick: f64,
    quantum: u64,
    truth: Option<State>,
    /// Where nothing is hidden and it may stop before its budget is spent: the present, so that it is known when something
    /// happens next.
    present: Option<Box<dyn Belief>>,
    /// In how many ticks that is.
    due: Option<u64>,
    /// In how many ticks it may choose again.
    next: u64,
}

impl InRealTime {
    /// A planner that is told this about time. Where it may stop before its budget is spent, that is `parts` budgets of its own.
    pub fn new(planner: Box<dyn Planner>, options: TimeOptions, parts: u32) -> InRealTime {
        InRealTime { planner, options, parts, session: None }
    }
}

/// How many ticks a time is, at least one.
fn ticks(time: f64, tick: f64) -> u64 {
    // `as` keeps within the bounds.
    ((time / tick).round() as u64).max(1)
}

/// The quantum where nobody says otherwise.
fn usual(model: &dyn Model) -> u64 {
    match model.timing(&model.initial()) {
        Timing::Due(due) => due.div_ceil(QUARTER).max(1),
        _ => ticks(1.0, model.tick()),
    }
}

impl Planner for InRealTime {
    fn start(&mut self, model: SharedModel, seat: usize, seed: u64) -> Result<(), String> {
        self.session = None;
        if !model.has().real_time {
            if self.options != TimeOptions::default() {
                return Err(
                    "quantum=, thinks= and waits= go with games in real time, and this is a game of turns"
                        .to_owned(),
                );
            }
            return self.planner.start(model, seat, seed);
        }
        let (tick, past) = (model.tick(), Arc::new(Past::default()));
        if !(tick.is_finite() && tick > 0.0) {
            return Err(format!("a tick of this game takes {tick}, which is no time"));
        }
        let quantum = self.options.quantum.map_or_else(|| usual(&*model), |quantum| ticks(quantum, tick));
        let turns = Arc::new(AsTurns::new(model, seat, past.clone(), quantum));
        self.planner.start(turns.clone(), seat, seed)?;
        let shown = turns.info().perfect_information && turns.info().explicit_chance;
        let present = if shown && self.options.waits != Waits::Whole {
            Some(BeliefKind::from(Form::Exact(WORLDS)).build(&*turns, 1)?)
        } else {
            None
        };
        let reader = Reader::default();
        let session =
            Session { turns, past, reader, tick, quantum, truth: None, present, due: None, next: 1 };
        self.session = Some(session);
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let Some(session) = &mut self.session else { return self.planner.act(view, pause) };
        let begun = Instant::now();
        let seen = session.look(view);
        session.look_ahead(&seen, pause);
        if session.reader.acted && view.may_wait {
            // It has just acted: the next choice is on the grid.
            let wait = Some(session.next);
            return Ok(Decision { action: Action::WAIT, wait, ..Decision::default() });
        }
        if let Some(truth) = session.truth.take() {
            self.planner.tell(State::new(session.turns.present(truth, session.reader.now)));
        }
        let mut decision = self.planner.act(&seen, pause)?;
        if let Waits::Clear(errors) = self.options.waits {
            let part = self.options.thinks.cost(&decision);
            session.allow(self.options.thinks, part);
            let mut errors_so_far = Errors::default();
            errors_so_far.add(&mut decision, 0);
            for _ in 1..self.parts {
                let before = decision.simulations;
                if before == 0
                    || session.is_last(&decision, self.options.thinks, part)
                    || self.options.thinks.stops(&decision, errors, session)
                    || pause()
                {
                    break;
                }
                let more = self.planner.act(&seen, pause)?;
                decision = Decision { simulations: before + more.simulations, ..more };
                errors_so_far.add(&mut decision, before);
            }
        }
        decision.elapsed = begun.elapsed();
        let cost = self.options.thinks.cost(&decision);
        decision.takes = if cost > 0.0 { ticks(cost, session.tick) } else { 0 };
        if decision.action == Action::WAIT {
            decision.wait = Some(session.next.saturating_sub(decision.takes).max(1));
        }
        Ok(decision)
    }

    fn tree(&mut self, view: &View, most: usize) -> Option<Grown> {
        // In real time the tree is one of turns that the planner imagines.
        if self.session.is_some() { None } else { self.planner.tree(view, most) }
    }

    fn judge(&mut self, view: &View, actions: &[Action], pause: Pause) -> Result<Decision, String> {
        match self.session {
            Some(_) => self.act(view, pause),
            None => self.planner.judge(view, actions, pause),
        }
    }

    fn cheats(&self) -> bool {
        self.planner.cheats()
    }

    fn tell(&mut self, truth: State) {
        match &mut self.session {
            Some(session) => session.truth = Some(truth),
            None => self.planner.tell(truth),
        }
    }
}

impl Session {
    /// The view as the planner takes it.
    fn look(&mut self, view: &View) -> View {
        let events: Vec<Event> = self.reader.read(&self.past, view).to_vec();
        let mut legal = view.legal.clone();
        legal.extend(view.may_wait.then_some(Action::WAIT));
        View { player: view.player, events, legal, may_wait: false }
    }

    /// Finds out when it may choose again, and, where that is known, when something happens by itself.
    fn look_ahead(&mut self, seen: &View, pause: Pause) {
        self.due = None;
        self.next = self.turns.next_on_grid(self.reader.now) - self.reader.now;
        let Some(present) = &mut self.present else { return };
        // Nothing is drawn of a belief that is certain.
        if present.update(&*self.turns, seen, &mut Rng::new(0), pause).is_ok()
            && let Some(world) = present.certain()
        {
            (self.due, self.next) = self.turns.ahead(world.state.get::<Moment>());
        }
    }

    /// From now on there is time for a choice before something happens by itself, after one part of the budget took so long.
    fn allow(&mut self, thinks: Thinks, part: f64) {
        if self.due.is_some() && part > 0.0 {
            let parts = if thinks.grows() { LAST } else { 1.0 };
            self.turns.keep(ticks(parts * part, self.tick) + 1);
        }
    }

    /// Whether a choice comes too late for what happens by itself if one more part of the budget is spent on it.
    fn is_last(&self, decision: &Decision, thinks: Thinks, part: f64) -> bool {
        let spent = ticks(thinks.cost(decision) + part, self.tick);
        decision.action != Action::WAIT && self.due.is_some_and(|due| spent >= due)
    }
}

/// The standard errors of a decision that is made in parts: a search knows those of its own samples only, and of what it
/// hardly looks at any more none.
#[derive(Default)]
struct Errors(Vec<Sampled>);

/// What the parts so far say of an action.
struct Sampled {
    action: Action,
    /// How many simulations its value rests on, those of earlier decisions among them.
    visits: u64,
    /// Those of the parts that had an error,
    count: f64,
    /// and the sum of the squares of what they add to the sum of all values.
    squares: f64,
}

impl Errors {
    /// Takes in the errors of another part, after so many simulations, and puts those of all parts in their place.
    fn add(&mut self, decision: &mut Decision, before: u64) {
        let all: u64 = decision.table.iter().map(|row| row.visits).sum();
        for row in &mut decision.table {
            let known = self.0.iter_mut().find(|sampled| sampled.action == row.action);
            let count = match &known {
                Some(sampled) => row.visits.saturating_sub(sampled.visits) as f64,
                // How many of them are new is not told: as many as of the others.
                None => (decision.simulations - before) as f64 * row.visits as f64 / all.max(1) as f64,
            };
            let sampled = match known {
                Some(sampled) => sampled,
                None => {
                    self.0.push(Sampled { action: row.action, visits: 0, count: 0.0, squares: 0.0 });
                    let last = self.0.len() - 1;
                    &mut self.0[last]
                }
            };
            sampled.visits = row.visits;
            if let Some(error) = row.error {
                sampled.count += count;
                sampled.squares += (count * error).powi(2);
            }
            if sampled.count > 0.0 {
                row.error = Some(sampled.squares.sqrt() / sampled.count);
            }
        }
    }
}

impl Thinks {
    /// Whether to think on is not worth it: the best choice is clear, or what waiting loses meanwhile is more than the others
    /// may turn out to be better by. Who would wait anyway loses nothing by thinking, until the time that it waits for.
    fn stops(self, decision: &Decision, errors: f64, session: &Session) -> bool {
        let [best, next, ..] = &decision.table[..] else { return true };
        let of = |row: &Judgement| row.value.zip(row.error);
        let (Some((value, error)), Some((other, its_error))) = (of(best), of(next)) else { return false };
        let doubt = (error * error + its_error * its_error).sqrt();
        if !doubt.is_finite() {
            return false;
        }
        let (ahead, spent) = (value - other, self.cost(decision));
        if best.action == Action::WAIT {
            return spent / session.tick >= session.next as f64 || ahead > errors * doubt;
        }
        let waits = decision.table.iter().find(|row| row.action == Action::WAIT).and_then(|row| row.value);
        // As much again is spent until the doubt has become noticeably less.
        let lost =
            waits.map_or(0.0, |waits| value - waits) * spent / (session.quantum as f64 * session.tick);
        ahead > errors * doubt || lost > doubt
    }
}
