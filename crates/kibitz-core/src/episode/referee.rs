//! The referee holds the true state of one episode, draws chance, and tells each player what it may know.

use std::sync::Arc;

use super::clock::{Tick, Timing};
use super::declared::{HARDLY, check_bounds, check_returns, enough_steps};
use super::drive::Choice;
use super::history::{History, Played};
use super::illegal::{Illegal, check_choice, check_joint};
use super::step::{Step, news};
use crate::discount::Running;
use crate::game::{Action, Players, Turn};
use crate::model::{SharedModel, State};
use crate::rng::Rng;
use crate::view::{Event, View};

/// So often players may wait where nothing happens by itself.
const IDLE: u32 = 10_000;

/// Why an episode cannot go on. The step that it was has not happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The game failed, or broke the contract or what it declares: a sentence.
    Game(String),
    /// Who was told of the step did not take it.
    Refused,
}

/// Is told of each step before it counts: what happened, and what each player learns of it, which may be rewritten into
/// a seat's own numbers. False ends the episode before the step.
pub type Tell<'a> = dyn FnMut(&Step, &mut [(usize, Event)]) -> bool + 'a;

/// What a player knows so far, and the step behind each event; none behind time that has gone by.
#[derive(Clone, Default)]
struct Known {
    events: Vec<Event>,
    steps: Vec<Option<Arc<Step>>>,
    /// How much time had gone by at the last event.
    felt: u64,
}

impl Known {
    fn pass(&mut self, felt: u64) {
        if felt > self.felt {
            self.events.push(Event::Passed(felt - self.felt));
            self.steps.push(None);
            self.felt = felt;
        }
    }

    fn learn(&mut self, event: Event, step: &Arc<Step>, felt: u64) {
        self.pass(felt);
        self.events.push(event);
        self.steps.push(Some(step.clone()));
    }
}

/// What a mover has answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Acts(Action),
    /// It is asked again then, or as soon as it is told something.
    Waits(Tick),
}

/// A choice that is on its way: who made it began to think before, and time goes on meanwhile.
#[derive(Clone, Copy)]
struct Coming {
    choice: Choice,
    at: Tick,
}

/// The only one who holds the truth of an episode. A clone goes on by itself, with the same luck.
#[derive(Clone)]
pub struct Referee {
    model: SharedModel,
    /// The truth, as it is now.
    state: Arc<State>,
    turn: Turn,
    now: Tick,
    chance: Rng,
    answers: Vec<Option<Answer>>,
    coming: Vec<Option<Coming>>,
    /// What came to nothing when it arrived, since somebody asked last.
    refused: Vec<(usize, Illegal)>,
    /// How often in a row somebody waited while nothing will happen by itself.
    idle: u32,
    known: Vec<Known>,
    returns: Vec<f64>,
    running: Running,
    /// How many steps were taken, and after how many it stops.
    steps: u64,
    max_steps: u64,
    /// How many in a row were nobody's move, without time going by.
    stretch: u32,
    /// All ticks that went by in the game: where players take turns, time stands still.
    felt: u64,
    /// The same at the last step.
    felt_before: u64,
    history: History,
}

impl Referee {
    /// Where an episode begins. Chance draws from its own stream, and has not drawn yet: [`Referee::advance`] lets it.
    pub fn new(model: SharedModel, chance: Rng, max_steps: u64) -> Referee {
        let state = model.initial();
        Referee::from_state(model, state, chance, max_steps)
    }

    /// The same from another state on, about which nobody knows anything.
    pub fn from_state(model: SharedModel, state: State, chance: Rng, max_steps: u64) -> Referee {
        let (turn, info) = (model.turn(&state), model.info());
        let (players, running) = (info.players, Running::new(info.discount));
        Referee {
            state: Arc::new(state),
            turn,
            now: Tick(0),
            chance,
            answers: vec![None; players],
            coming: vec![None; players],
            refused: Vec::new(),
            idle: 0,
            known: vec![Known::default(); players],
            returns: vec![0.0; players],
            running,
            steps: 0,
            max_steps,
            stretch: 0,
            felt: 0,
            felt_before: 0,
            history: History::new(players),
            model,
        }
    }

    /// The rules.
    pub fn model(&self) -> &SharedModel {
        &self.model
    }

    /// The truth: for spectators and for planners that cheat.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Who moves.
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// What time it is.
    pub fn now(&self) -> Tick {
        self.now
    }

    /// How many steps were taken, chance's included.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// After how many it stops.
    pub fn max_steps(&self) -> u64 {
        self.max_steps
    }

    /// What everybody has got so far, discounted by the game's discount factor.
    pub fn returns(&self) -> &[f64] {
        &self.returns
    }

    /// What was played so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The stream that chance is drawn from. Who has no other may draw from it too.
    pub fn stream(&mut self) -> &mut Rng {
        &mut self.chance
    }

    /// Whether the game is over.
    pub fn over(&self) -> bool {
        self.turn == Turn::Over
    }

    /// Whether there is another step: the game is not over, and has not come to its limit.
    pub fn goes_on(&self) -> bool {
        !self.over() && self.steps < self.max_steps
    }

    /// Who may choose now and has not answered yet.
    pub fn awaited(&self) -> Players {
        let waiting = |player: &usize| self.answers[*player].is_none() && self.coming[*player].is_none();
        let all = if self.goes_on() { self.turn.movers() } else { Players(0) };
        all.iter().filter(waiting).fold(Players(0), |set, player| Players(set.0 | 1 << player))
    }

    /// When the next step is due, or the next choice arrives, if nobody answers any more: now, or [`Tick::NEVER`] where it
    /// depends on somebody.
    pub fn due(&self) -> Tick {
        if self.goes_on() { self.step_due().min(self.arrives()) } else { Tick::NEVER }
    }

    fn arrives(&self) -> Tick {
        self.coming.iter().flatten().map(|coming| coming.at.max(self.now)).min().unwrap_or(Tick::NEVER)
    }

    fn step_due(&self) -> Tick {
        if self.turn == Turn::Chance {
            return self.now;
        }
        match self.model.timing(&self.state) {
            Timing::Turns if self.awaited().is_empty() => self.now,
            Timing::Turns => Tick::NEVER,
            _ if self.somebody_acts() => self.now,
            Timing::Open => Tick::NEVER,
            Timing::Due(ticks) => self.now.after(ticks),
        }
    }

    fn somebody_acts(&self) -> bool {
        self.answers.iter().any(|answer| matches!(answer, Some(Answer::Acts(_))))
    }

    /// What `seat` may know now. Events are in the numbers that it was told of them in; legal actions are the game's.
    pub fn view(&self, seat: usize) -> View {
        let known = &self.known[seat];
        let may_wait = self.model.timing(&self.state) != Timing::Turns;
        let mut view =
            View { player: seat, events: known.events.clone(), legal: self.legal(seat), may_wait };
        if self.felt > known.felt {
            view.events.push(Event::Passed(self.felt - known.felt));
        }
        view
    }

    /// The step behind each event of a view; none where time went by.
    pub fn behind(&self, seat: usize) -> &[Option<Arc<Step>>] {
        &self.known[seat].steps
    }

    /// What `seat` may do now, ascending; nothing when it is not its turn.
    pub fn legal(&self, seat: usize) -> Vec<Action> {
        let mut legal = Vec::new();
        if self.turn.movers().contains(seat) {
            self.model.legal(&self.state, seat, &mut legal);
            legal.sort_unstable();
        }
        legal
    }

    /// Takes a seat's choice for this very instant; `None` where it waits. It is carried out as soon as time
    /// [advances](Referee::advance) and, in a game of turns, all others have chosen too.
    ///
    /// # Errors
    /// Why it does not count. Nothing has happened, and nobody else needs to know.
    pub fn submit(&mut self, seat: usize, choice: Option<Action>) -> Result<(), Illegal> {
        self.expects(seat)?;
        let answer = match choice {
            None if self.model.timing(&self.state) == Timing::Turns => {
                return Err(Illegal::MustMove(self.model.player_name(seat)));
            }
            None => Answer::Waits(Tick::NEVER),
            Some(action) => {
                check_choice(&*self.model, &self.state, seat, action)?;
                Answer::Acts(action)
            }
        };
        self.answers[seat] = Some(answer);
        Ok(())
    }

    /// A seat does nothing until then, unless it is told something before. (That others did something which it does not
    /// see is no reason to ask it again: it would know.)
    ///
    /// # Errors
    /// As [`Referee::submit`].
    pub fn wait(&mut self, seat: usize, until: Tick) -> Result<(), Illegal> {
        self.submit(seat, None)?;
        self.answers[seat] = Some(Answer::Waits(until));
        self.idle = if self.step_due() == Tick::NEVER { self.idle.saturating_add(1) } else { 0 };
        Ok(())
    }

    /// Takes a seat's choice that is made at a later time, after so long a thought: until then it is not asked again, and
    /// what it chose is judged by what is when it arrives.
    ///
    /// # Errors
    /// As [`Referee::submit`].
    pub fn submit_at(&mut self, seat: usize, choice: Choice, at: Tick) -> Result<(), Illegal> {
        self.expects(seat)?;
        if self.model.timing(&self.state) == Timing::Turns {
            // Time stands still.
            return self.hear(seat, choice);
        }
        self.coming[seat] = Some(Coming { choice, at });
        Ok(())
    }

    /// Takes a seat's choice for this instant.
    ///
    /// # Errors
    /// As [`Referee::submit`].
    pub fn hear(&mut self, seat: usize, choice: Choice) -> Result<(), Illegal> {
        match choice {
            Choice::Act(action) => self.submit(seat, Some(action)),
            Choice::Wait(ticks) => self.wait(seat, self.now.after(ticks.max(1))),
        }
    }

    /// What has come to nothing since this was asked last: choices that were not legal any more when they arrived.
    pub fn refused(&mut self) -> Vec<(usize, Illegal)> {
        std::mem::take(&mut self.refused)
    }

    /// Whether somebody has waited again and again in a state in which nothing happens by itself.
    pub fn idles(&self) -> bool {
        self.idle > IDLE
    }

    fn arrive(&mut self) {
        for seat in 0..self.coming.len() {
            let Some(Coming { choice, .. }) = self.coming[seat].take_if(|coming| coming.at <= self.now)
            else {
                continue;
            };
            if let Err(illegal) = self.hear(seat, choice)
                && matches!(choice, Choice::Act(_))
            {
                self.refused.push((seat, illegal));
            }
        }
    }

    /// When the first of those who wait wants to be asked again.
    pub fn wakes(&self) -> Tick {
        let until = |answer: &Option<Answer>| match answer {
            Some(Answer::Waits(until)) => *until,
            _ => Tick::NEVER,
        };
        self.answers.iter().map(until).min().unwrap_or(Tick::NEVER)
    }

    /// The same, of a choice that may have been under way for long: `chosen` is how many [steps](Referee::steps) there
    /// were for the one who made it.
    ///
    /// # Errors
    /// As [`Referee::submit`]; [`Illegal::Late`] where there was another step since.
    pub fn submit_after(
        &mut self,
        seat: usize,
        choice: Option<Action>,
        chosen: u64,
    ) -> Result<(), Illegal> {
        if chosen != self.steps {
            return Err(Illegal::Late { chosen, steps: self.steps });
        }
        self.submit(seat, choice)
    }

    /// Whether a seat may choose now.
    fn expects(&self, seat: usize) -> Result<(), Illegal> {
        self.can_go_on()?;
        if !self.turn.movers().contains(seat) {
            let known = seat < self.known.len();
            let name = if known { self.model.player_name(seat) } else { format!("player {}", seat + 1) };
            return Err(Illegal::OutOfTurn(name));
        }
        if self.coming[seat].is_some() {
            return Err(Illegal::Again(self.model.player_name(seat)));
        }
        match self.answers[seat] {
            // Who said that it waits may change its mind.
            None | Some(Answer::Waits(_)) => Ok(()),
            Some(Answer::Acts(_)) => Err(Illegal::Again(self.model.player_name(seat))),
        }
    }

    /// Whether anybody can choose at all.
    ///
    /// # Errors
    /// Why nobody can.
    pub fn can_go_on(&self) -> Result<(), Illegal> {
        match self.turn {
            Turn::Over => Err(Illegal::Over),
            Turn::Chance => Err(Illegal::BrokenOff),
            _ if self.steps >= self.max_steps => Err(Illegal::Limit(self.max_steps)),
            _ => Ok(()),
        }
    }

    /// Takes the choices of all movers at once, in ascending order of their seats.
    ///
    /// # Errors
    /// Why they do not count; nothing has happened then.
    pub fn submit_all(&mut self, joint: &[Action]) -> Result<(), Illegal> {
        if !self.over() {
            self.can_go_on()?;
        }
        check_joint(&*self.model, &self.state, joint)?;
        for (mover, action) in self.turn.movers().iter().zip(joint) {
            let waits = *action == Action::WAIT;
            self.answers[mover] =
                Some(if waits { Answer::Waits(Tick::NEVER) } else { Answer::Acts(*action) });
        }
        Ok(())
    }

    /// Lets time go on: what was chosen is carried out, chance draws, and what happens by itself until `to` happens.
    /// Gives the steps that were taken. Nothing ever happens before now.
    ///
    /// # Errors
    /// Where the game fails, or `tell` refuses a step; those before it have been taken.
    pub fn advance(&mut self, to: Tick, tell: &mut Tell) -> Result<Vec<Arc<Step>>, Fault> {
        let taken = self.take_all(to, tell);
        if taken.is_err() {
            self.withdraw();
        }
        taken
    }

    /// Forgets what was submitted for this instant.
    pub fn withdraw(&mut self) {
        self.answers.fill(None);
        self.coming.fill(None);
    }

    fn take_all(&mut self, to: Tick, tell: &mut Tell) -> Result<Vec<Arc<Step>>, Fault> {
        let mut taken = Vec::new();
        while self.goes_on() {
            let (due, arrives) = (self.step_due(), self.arrives());
            let next = due.min(arrives);
            if next > to.max(self.now) || next == Tick::NEVER {
                break;
            }
            self.pass(next);
            if arrives < due {
                self.arrive();
                continue;
            }
            let by_nobody = self.turn == Turn::Chance || !self.somebody_acts();
            let info = self.model.info();
            // Rules may let chance move for ever.
            if by_nobody && self.stretch >= info.longest_chance() {
                return Err(Fault::Game(info.endless_chance()));
            }
            let step = match self.turn {
                Turn::Chance => self.draw(tell)?,
                _ => self.take(self.joint(), tell)?,
            };
            self.stretch = if by_nobody && step.elapsed == 0 { self.stretch + 1 } else { 0 };
            taken.push(step);
        }
        self.pass(to);
        Ok(taken)
    }

    /// Lets time go by in which nothing happens.
    fn pass(&mut self, to: Tick) {
        if to <= self.now || to == Tick::NEVER {
            return;
        }
        let ticks = to.since(self.now);
        self.now = to;
        if !self.over() && self.model.timing(&self.state) != Timing::Turns {
            self.model.pass(Arc::make_mut(&mut self.state), ticks);
            self.felt += ticks;
            // Who waited for this may do something now.
            let awake = |answer: &Answer| matches!(answer, Answer::Waits(until) if *until > to);
            self.answers.iter_mut().for_each(|answer| *answer = answer.filter(awake));
        }
    }

    /// What everybody who moves has chosen; who has not, waits.
    fn joint(&self) -> Vec<Action> {
        let action = |mover: usize| match self.answers[mover] {
            Some(Answer::Acts(action)) => action,
            _ => Action::WAIT,
        };
        self.turn.movers().iter().map(action).collect()
    }

    fn draw(&mut self, tell: &mut Tell) -> Result<Arc<Step>, Fault> {
        let faults = self.model.faults();
        let outcome = self.model.draw(&self.state, &mut self.chance);
        if self.model.faults() != faults {
            return Err(self.failed());
        }
        self.take(vec![outcome], tell)
    }

    fn failed(&self) -> Fault {
        Fault::Game(self.model.fault().unwrap_or_else(|| "the game failed".to_owned()))
    }

    /// Takes one step. Nothing has happened if the game fails, pays what it may not, or `tell` refuses.
    fn take(&mut self, joint: Vec<Action>, tell: &mut Tell) -> Result<Arc<Step>, Fault> {
        let model = self.model.clone();
        let (players, faults) = (self.known.len(), model.faults());
        let mut rewards = vec![0.0; players];
        let after = model.after(&self.state, &joint, &mut rewards);
        let (turn, now) = (self.turn, self.now);
        let each = |player| news(&*model, &after, turn, &joint, player).map(move |event| (player, event));
        let mut told: Vec<(usize, Event)> = (0..players).flat_map(each).collect();
        let next = model.turn(&after);
        if model.faults() != faults {
            return Err(self.failed());
        }
        let mut returns = self.returns.clone();
        self.running.pay(&mut returns, &rewards);
        let step = Step {
            number: self.steps + 1,
            at: now,
            elapsed: self.felt - self.felt_before,
            before: self.state.clone(),
            after: Arc::new(after),
            turn,
            joint,
            rewards,
            returns,
        };
        check_returns(model.info(), &step.returns, next == Turn::Over).map_err(|why| {
            let words = step.words(&*model);
            if model.faults() != faults {
                return self.failed();
            }
            Fault::Game(format!("step {} of the episode ({words}): {why}", step.number))
        })?;
        if !tell(&step, &mut told) {
            return Err(Fault::Refused);
        }
        let played = Played::new(step.elapsed, turn, &step.joint);
        self.history.push(&played).map_err(Fault::Game)?;
        let step = Arc::new(step);
        let waits = |player: usize| matches!(self.answers[player], Some(Answer::Waits(_)));
        let asleep: Vec<(usize, Vec<Action>)> = match model.timing(&step.after) {
            _ if next == Turn::Over => Vec::new(),
            Timing::Turns => Vec::new(),
            _ => (0..players)
                .filter(|player| waits(*player))
                .map(|player| (player, self.legal(player)))
                .collect(),
        };
        let kept = std::mem::replace(&mut self.answers, vec![None; players]);
        self.running.pass(turn);
        self.returns.clone_from(&step.returns);
        self.state = step.after.clone();
        (self.turn, self.felt_before) = (next, self.felt);
        self.steps += 1;
        self.idle = 0;
        // Who was told nothing, and may do what it could before, goes on waiting.
        for (player, legal) in asleep {
            if told.iter().all(|(other, _)| *other != player) && self.legal(player) == legal {
                self.answers[player] = kept[player];
            }
        }
        told.into_iter().for_each(|(player, event)| self.known[player].learn(event, &step, self.felt));
        Ok(step)
    }

    /// Takes a step that was played before, chance's outcomes included.
    ///
    /// # Errors
    /// Why it does not fit here.
    pub fn follow(
        &mut self,
        played: &Played,
        tell: &mut Tell,
    ) -> Result<Result<Arc<Step>, Fault>, Illegal> {
        let most = match self.model.timing(&self.state) {
            _ if matches!(self.turn, Turn::Over | Turn::Chance) => 0,
            Timing::Turns => 0,
            Timing::Open => u64::MAX,
            Timing::Due(ticks) => ticks,
        };
        if played.elapsed > most {
            return Err(Illegal::Time { elapsed: played.elapsed, most });
        }
        self.pass(self.now.after(played.elapsed));
        check_joint(&*self.model, &self.state, &played.joint)?;
        Ok(self.take(played.joint.clone(), tell))
    }

    /// Looks at what was paid in an episode that is left before it is over: where all that is still to come hardly
    /// counts, that is the return. (Where it is over, it was looked at already.)
    ///
    /// # Errors
    /// Who has got what the game never pays.
    pub fn check_left(&self) -> Result<(), Fault> {
        let info = self.model.info();
        let enough = enough_steps(info).is_some_and(|enough| self.steps >= enough);
        if self.over() || info.discount >= 1.0 || !enough {
            return Ok(());
        }
        let what = format!("after step {} of an episode the return", self.steps);
        check_bounds(info, &self.returns, &what, HARDLY).map_err(Fault::Game)
    }
}
