//! A planner of games of turns in a game in real time.

use std::sync::Arc;
use std::time::Instant;

use super::as_turns::AsTurns;
use super::options::{Thinks, TimeOptions, Waits};
use super::past::{Past, Reader};
use crate::episode::Timing;
use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::{Model, SharedModel, State};
use crate::planner::{Decision, Grown, Judgement, Planner};
use crate::view::{Event, View};

/// Ticks from one choice to the next are at least this share of the time until something happens by itself.
const QUARTER: u64 = 4;

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
        self.session = Some(Session { turns, past, reader: Reader::default(), tick, quantum, truth: None });
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let Some(session) = &mut self.session else { return self.planner.act(view, pause) };
        let begun = Instant::now();
        let seen = session.look(view);
        if session.reader.acted && view.may_wait {
            // It has just acted: the next choice is on the grid.
            let wait = Some(session.until_next());
            return Ok(Decision { action: Action::WAIT, wait, ..Decision::default() });
        }
        if let Some(truth) = session.truth.take() {
            self.planner.tell(State::new(session.turns.present(truth, session.reader.now)));
        }
        let mut decision = self.planner.act(&seen, pause)?;
        if let Waits::Clear(errors) = self.options.waits {
            for _ in 1..self.parts {
                let before = decision.simulations;
                if before == 0 || self.options.thinks.stops(&decision, errors, session) || pause() {
                    break;
                }
                let more = self.planner.act(&seen, pause)?;
                decision = Decision { simulations: before + more.simulations, ..more };
            }
        }
        decision.elapsed = begun.elapsed();
        let cost = self.options.thinks.cost(&decision);
        decision.takes = if cost > 0.0 { ticks(cost, session.tick) } else { 0 };
        if decision.action == Action::WAIT {
            decision.wait = Some(session.until_next().saturating_sub(decision.takes).max(1));
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

    /// Ticks until everybody may choose again.
    fn until_next(&self) -> u64 {
        self.turns.next_on_grid(self.reader.now) - self.reader.now
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
            return spent / session.tick >= session.until_next() as f64 || ahead > errors * doubt;
        }
        let waits = decision.table.iter().find(|row| row.action == Action::WAIT).and_then(|row| row.value);
        // As much again is spent until the doubt has become noticeably less.
        let lost =
            waits.map_or(0.0, |waits| value - waits) * spent / (session.quantum as f64 * session.tick);
        ahead > errors * doubt || lost > doubt
    }
}
