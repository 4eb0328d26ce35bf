//! The driver: asks everybody who may choose, lets time go on, and begins again. Whoever plays an episode, be it a
//! person, a planner in either language, a match or a lesson, is asked here.

use std::sync::Arc;

use super::clock::{Clock, Tick, Timing};
use super::illegal::Illegal;
use super::referee::{Fault, Referee};
use super::step::Step;
use crate::game::Action;
use crate::interrupt::Pause;
use crate::planner::{Decision, Planner};

/// What a seat answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// It does this.
    Act(Action),
    /// It does nothing now, and is asked again after so many ticks, or as soon as something has happened.
    Wait(u64),
}

/// A choice, and how long it took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the seat does.
    pub choice: Choice,
    /// So many ticks after it was asked, at least: what thinking costs beside what the clock says.
    pub takes: u64,
}

impl From<Choice> for Answer {
    fn from(choice: Choice) -> Answer {
        Answer { choice, takes: 0 }
    }
}

impl From<&Decision> for Answer {
    fn from(decision: &Decision) -> Answer {
        let choice = decision.wait.map_or(Choice::Act(decision.action), Choice::Wait);
        Answer { choice, takes: decision.takes }
    }
}

/// Where an episode is played: the referee, and those who sit there.
pub trait Table {
    /// What ends an episode before its time.
    type Stop;

    /// Does something with the referee. Nobody is asked meanwhile.
    fn referee<T>(&mut self, work: impl FnOnce(&mut Referee) -> T) -> T;

    /// Asks a seat, which may take its time.
    fn ask(&mut self, seat: usize) -> Result<Answer, Self::Stop>;

    /// Tells a seat that its choice does not count. Unless this ends the episode, the seat waits, or is asked again. It is
    /// `late` where time went by while it was chosen.
    fn refuse(&mut self, seat: usize, illegal: Illegal, late: bool) -> Result<(), Self::Stop>;

    /// Lets time go on: [`Referee::advance`].
    fn advance(&mut self, to: Tick) -> Result<Vec<Arc<Step>>, Self::Stop>;
}

/// Asks everybody who may choose now, once, and lets time go on until something happens or somebody wants to be asked
/// again. Gives the steps that were taken.
///
/// # Errors
/// What ended the episode.
pub fn play_round<T: Table>(table: &mut T, clock: &mut dyn Clock) -> Result<Vec<Arc<Step>>, T::Stop> {
    let mut steps = Vec::new();
    for seat in table.referee(|referee| referee.awaited()).iter() {
        let begun = clock.now();
        let Answer { choice, takes } = table.ask(seat)?;
        // Something may have happened while it was thinking. Its choice is judged by what is when it arrives.
        let now = clock.now();
        if now > table.referee(|referee| referee.now()) {
            steps.extend(table.advance(now)?);
        }
        let at = begun.after(takes);
        let heard = table.referee(|referee| match at > now {
            true => referee.submit_at(seat, choice, at),
            false => referee.hear(seat, choice),
        });
        if let Err(illegal) = heard {
            table.refuse(seat, illegal, now > begun)?;
            // What came to nothing was a wait, where players may.
            let _ = table.referee(|referee| referee.submit(seat, None));
        }
    }
    let next = table.referee(|referee| referee.due().min(referee.wakes()));
    if next != Tick::NEVER {
        let now = clock.wait_until(next);
        steps.extend(table.advance(now)?);
        for (seat, illegal) in table.referee(|referee| referee.refused()) {
            table.refuse(seat, illegal, true)?;
        }
        if table.referee(|referee| referee.idles()) {
            table.refuse(0, Illegal::AllWait(now), false)?;
        }
    } else if steps.is_empty() {
        let seats = table.referee(|referee| referee.turn().movers());
        let now = clock.now();
        match seats.iter().next() {
            Some(seat) if table.referee(|referee| referee.awaited()).is_empty() => {
                table.refuse(seat, Illegal::AllWait(now), false)?;
            }
            _ => {}
        }
    }
    Ok(steps)
}

/// Plays an episode on, to its end or its limit. `on` is told of each step.
///
/// # Errors
/// What ended it before.
pub fn drive<T: Table>(
    table: &mut T,
    clock: &mut dyn Clock,
    on: &mut dyn FnMut(&Step),
) -> Result<(), T::Stop> {
    let now = clock.now();
    let mut opening = table.advance(now)?;
    loop {
        opening.iter().for_each(|step| on(step));
        if !table.referee(|referee| referee.goes_on()) {
            return Ok(());
        }
        opening = play_round(table, clock)?;
    }
}

/// Why an episode of planners was not played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// A planner chose what it may not.
    Illegal(usize, Illegal),
    /// A planner could not choose: a sentence.
    Planner(usize, String),
    /// The game failed.
    Fault(Fault),
}

/// Planners at a table, each with the game's own numbers.
pub struct Planners<'a> {
    /// Who holds the truth.
    pub referee: &'a mut Referee,
    /// One for each player, who have begun.
    pub seats: &'a mut [Box<dyn Planner>],
    /// Called now and then while somebody thinks; once it says so, planners answer as soon as they can.
    pub pause: Pause<'a>,
}

impl Table for Planners<'_> {
    type Stop = Stopped;

    fn referee<T>(&mut self, work: impl FnOnce(&mut Referee) -> T) -> T {
        work(self.referee)
    }

    fn ask(&mut self, seat: usize) -> Result<Answer, Stopped> {
        let planner = &mut self.seats[seat];
        if planner.cheats() {
            planner.tell((**self.referee.state()).clone());
        }
        let decision = planner.act(&self.referee.view(seat), self.pause);
        let decision = decision.map_err(|why| Stopped::Planner(seat, why))?;
        Ok(Answer::from(&decision))
    }

    /// In a game of turns the episode ends there; in real time a choice that came to nothing was a wait.
    fn refuse(&mut self, seat: usize, illegal: Illegal, late: bool) -> Result<(), Stopped> {
        let stuck = matches!(illegal, Illegal::AllWait(_));
        if late || !stuck && self.referee.model().timing(self.referee.state()) != Timing::Turns {
            return Ok(());
        }
        Err(Stopped::Illegal(seat, illegal))
    }

    fn advance(&mut self, to: Tick) -> Result<Vec<Arc<Step>>, Stopped> {
        self.referee.advance(to, &mut |_, _| true).map_err(Stopped::Fault)
    }
}
