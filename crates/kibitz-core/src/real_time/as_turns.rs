//! A game in real time as one of turns.
//!
//! In a step those who may choose now act or wait ([`Action::WAIT`]), all at once; then time goes by until somebody may choose again.
//! That is at every multiple of the quantum; where something has happened by itself, for all who are told of it; a little before
//! something will, if the seat that plans is to have such a last moment; and, in the past of the seat that plans, whenever it
//! knows of a step. What happens by itself, and chance that draws at once, are moves of
//! chance here. Everybody knows the time: what is told is told with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::past::{Deed, Past, stamp, time};
use crate::abilities::{Abilities, ActionKeys, Evaluate, StateHash, Svg};
use crate::episode::{Delay, Played, Timing};
use crate::game::{Action, Game, Info, Observation, Players, Turn};
use crate::model::{SharedModel, State};
use crate::playout::MAX_PLAYERS;
use crate::rng::{Rng, derive, hash_bytes};
use crate::{as_far_as, forward, pass_on};

/// What time going by is called, where it is chance's only outcome.
const TIME: Action = Action(0);

/// The key of waiting: none that an action has.
const WAITING: u64 = hash_bytes(b"wait");

/// So many instants stand for all that may be drawn, and so many of those at which the seat was told of something.
const INSTANTS: u32 = 6;
const TOLD: usize = 8;

/// A game in real time, as those who plan see it.
pub struct AsTurns {
    model: SharedModel,
    info: Info,
    /// Who plans.
    seat: usize,
    past: Arc<Past>,
    /// Ticks from one choice to the next.
    quantum: u64,
    /// So many ticks before something happens by itself there is a choice, too; none: 0.
    reserve: AtomicU64,
}

/// What the last step was in the game itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    /// None: everybody waited.
    Nothing,
    /// Somebody acted, chance drew, or something happened by itself.
    Step,
}

/// A state of the game, and who may choose in it.
#[derive(Debug)]
pub struct Moment {
    state: State,
    /// The time, in ticks.
    now: u64,
    /// Who is asked, if it may do something.
    asked: Players,
    /// When all are asked next, on the grid.
    grid: u64,
    /// How many moments of the seat's past lie behind.
    entry: usize,
    /// What a reward counts beside one of the beginning.
    weight: f64,
    last: Last,
    /// Whether something has happened by itself since the present of the seat.
    happened: bool,
    /// What each player was told by the last step.
    told: Vec<Observation>,
    /// What all of them were told.
    public: Observation,
}

impl Clone for Moment {
    fn clone(&self) -> Moment {
        Moment { state: self.state.clone(), told: self.told.clone(), ..*self }
    }

    /// Reuses memory.
    fn clone_from(&mut self, source: &Moment) {
        self.state.clone_from(&source.state);
        self.told.clone_from(&source.told);
        let Moment { now, asked, grid, entry, weight, last, happened, public, .. } = *source;
        (self.now, self.asked, self.grid, self.entry) = (now, asked, grid, entry);
        (self.weight, self.last, self.happened, self.public) = (weight, last, happened, public);
    }
}

impl Moment {
    /// What time it is, in ticks from the beginning.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The state of the game in real time.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl AsTurns {
    /// The game as a seat sees it, whose past is told of by `past`.
    pub(super) fn new(model: SharedModel, seat: usize, past: Arc<Past>, quantum: u64) -> AsTurns {
        // Steps of this model are none of the game's: what is paid later counts less by its state.
        let mut info = Info { discount: 1.0, horizon: None, ..model.info().clone() };
        info.explicit_chance |= model.lists_all_but_delays();
        AsTurns { model, info, seat, past, quantum: quantum.max(1), reserve: AtomicU64::new(0) }
    }

    /// From now on there is a choice so many ticks before something happens by itself: who knows how long a choice takes
    /// need not make it before then.
    pub(super) fn keep(&self, reserve: u64) {
        self.reserve.store(reserve, Relaxed);
    }

    /// How long it is until something happens by itself, and until the seat may choose again if nobody does anything.
    pub(super) fn ahead(&self, moment: &Moment) -> (Option<u64>, u64) {
        let due = match self.model.timing(&moment.state) {
            Timing::Due(ticks) => Some(ticks),
            _ => None,
        };
        let grid = self.next_on_grid(moment.now) - moment.now;
        let last = due.and_then(|due| self.last_moment(due)).unwrap_or(u64::MAX);
        (due, grid.min(last).min(due.unwrap_or(u64::MAX)).max(1))
    }

    /// In how many ticks the last moment before something is that happens in so many.
    fn last_moment(&self, due: u64) -> Option<u64> {
        let reserve = self.reserve.load(Relaxed);
        due.checked_sub(reserve).filter(|ticks| reserve > 0 && *ticks > 0)
    }

    /// A state of the game at the present of the seat.
    pub(super) fn present(&self, state: State, now: u64) -> Moment {
        let entry = self.past.len().saturating_sub(1);
        Moment { asked: self.everybody(), entry, ..self.begin(state, now) }
    }

    fn begin(&self, state: State, now: u64) -> Moment {
        let told = vec![Observation::SILENT; self.info.players];
        Moment {
            state,
            now,
            asked: Players(0),
            grid: now.div_ceil(self.quantum) * self.quantum,
            entry: 0,
            weight: 1.0,
            last: Last::Nothing,
            happened: false,
            told,
            public: Observation::SILENT,
        }
    }

    /// What a history of this game is in the game itself: the steps that were taken there.
    pub(super) fn played(&self, joints: &[Vec<Action>]) -> Vec<Played> {
        let mut rewards = vec![0.0; self.info.players];
        let (mut moment, mut last, mut all) = (Game::initial(self), 0, Vec::new());
        for joint in joints {
            let (turn, choosers) = (self.model.turn(&moment.state), self.choosers(&moment));
            let happens = self.model.timing(&moment.state) == Timing::Due(0);
            let taken = match turn {
                Turn::Chance => Some(joint.clone()),
                _ if choosers.is_empty() => happens.then(|| vec![Action::WAIT; turn.width()]),
                _ => {
                    let whole = whole(turn, choosers, joint);
                    acts(&whole).then(|| whole[..turn.width()].to_vec())
                }
            };
            if let Some(taken) = taken {
                all.push(Played::new(moment.now - last, turn, &taken));
                last = moment.now;
            }
            Game::step(self, &mut moment, joint, &mut rewards);
        }
        all
    }

    /// Instants that stand for all at which chance may move: some that are evenly apart, and those at which the seat was told
    /// of something, which would hardly ever be drawn. One at least.
    fn instants(&self, moment: &Moment, delay: Delay) -> Vec<u32> {
        let told = (moment.entry..self.past.len()).filter_map(|number| self.past.get(number));
        let told = told.filter(|entry| entry.deed == Deed::Waited).take(TOLD);
        let told = told.filter_map(|entry| delay.instant(entry.at.saturating_sub(moment.now)));
        // The middle of each of so many parts.
        let parts = INSTANTS.min(delay.instants.max(1));
        let middle = |part: u32| {
            let number = (2 * u64::from(part) + 1) * u64::from(delay.instants) / (2 * u64::from(parts));
            number.min(u64::from(delay.instants.saturating_sub(1))) as u32
        };
        let mut all: Vec<u32> = told.chain((0..parts).map(middle)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// When everybody may choose after a moment, on the grid.
    pub(super) fn next_on_grid(&self, now: u64) -> u64 {
        (now / self.quantum).saturating_add(1).saturating_mul(self.quantum)
    }

    fn everybody(&self) -> Players {
        Players::first(self.info.players)
    }

    /// Who may choose at a moment, and what the seat did there if it is one of its past.
    fn choosers(&self, moment: &Moment) -> Players {
        let movers = self.model.turn(&moment.state).movers();
        let mine = 1 << self.seat;
        let mut asked = moment.asked.0;
        match self.past.get(moment.entry) {
            Some(entry) if entry.at == moment.now && asked & mine != 0 => match entry.deed {
                // Whether it may do something or not, the seat is here.
                Deed::Asked => return Players(movers.0 & asked | mine),
                Deed::Acted => {}
                Deed::Waited => asked &= !mine,
            },
            Some(_) => asked &= !mine,
            None => {}
        }
        Players(movers.0 & asked)
    }

    /// Takes a step of the game itself.
    fn take(&self, moment: &mut Moment, turn: Turn, joint: &[Action], rewards: &mut [f64]) {
        let mut paid = [0.0; MAX_PLAYERS];
        let paid = &mut paid[..rewards.len()];
        self.model.step(&mut moment.state, joint, paid);
        rewards.iter_mut().zip(&*paid).for_each(|(total, reward)| *total += moment.weight * reward);
        moment.weight *= self.model.info().discount_after(turn);
        moment.last = Last::Step;
        for (player, told) in moment.told.iter_mut().enumerate() {
            *told = stamp(self.model.observe(&moment.state, turn, joint, player), moment.now);
        }
        moment.public = stamp(self.model.observe_public(&moment.state, turn, joint), moment.now);
    }

    /// The seat was told in its past of something that nobody chose: so nobody had to be asked.
    fn heard(&self, moment: &mut Moment) {
        let told = moment.told[self.seat] != Observation::SILENT;
        let here = self.past.get(moment.entry).filter(|entry| entry.at == moment.now);
        moment.entry += usize::from(told && here.is_some_and(|entry| entry.deed == Deed::Waited));
    }

    /// Asks who was told of something that happened by itself.
    fn ask_told(&self, moment: &mut Moment) {
        // In the past the seat knows when it was asked, and others choose when it knows of a step.
        if moment.entry < self.past.len() {
            return;
        }
        let told = moment.told.iter().enumerate().filter(|(_, told)| **told != Observation::SILENT);
        let all = if self.info.perfect_information { self.everybody() } else { Players(0) };
        moment.asked = told.fold(all, |asked, (player, _)| Players(asked.0 | 1 << player));
    }

    /// Whether nothing will ever happen again.
    fn stuck(&self, moment: &Moment) -> bool {
        moment.entry >= self.past.len()
            && self.model.turn(&moment.state).movers().is_empty()
            && self.model.timing(&moment.state) == Timing::Open
    }

    /// Lets time go by until somebody may choose, or something happens.
    fn settle(&self, moment: &mut Moment) {
        loop {
            let turn = self.model.turn(&moment.state);
            if matches!(turn, Turn::Over | Turn::Chance) || !self.choosers(moment).is_empty() {
                return;
            }
            moment.asked = Players(0);
            let due = match self.model.timing(&moment.state) {
                Timing::Due(0) => return,
                Timing::Due(ticks) => ticks,
                Timing::Open => u64::MAX,
                Timing::Turns => {
                    // Time stands still until all have moved.
                    moment.asked = self.everybody();
                    return;
                }
            };
            let entry = self.past.get(moment.entry);
            // In the past the seat knows what it did itself; and where nothing is hidden, what nobody did.
            let others = turn.movers().0 & !(1 << self.seat) != 0 && !self.info.perfect_information;
            let grid = if entry.is_some() { others } else { !turn.movers().is_empty() };
            moment.grid = moment.grid.max(moment.now.div_ceil(self.quantum) * self.quantum);
            let ask = if grid { moment.grid } else { u64::MAX };
            let ask = entry.map_or(ask, |entry| entry.at.min(ask)).max(moment.now);
            let mut ticks = due.min(ask - moment.now);
            if entry.is_none() && grid && !moment.happened {
                ticks = self.last_moment(due).unwrap_or(ticks).min(ticks);
            }
            if ticks == u64::MAX {
                return; // it is stuck
            }
            if ticks > 0 {
                self.model.pass(&mut moment.state, ticks);
                moment.now += ticks;
            }
            if ticks == due {
                continue;
            }
            moment.asked = self.everybody();
            if entry.is_none() && moment.last == Last::Nothing {
                // The clock strikes for all.
                self.tell_time(moment);
            }
            if self.choosers(moment).is_empty() {
                self.leave(moment);
            }
        }
    }

    /// Those who were asked here have chosen.
    fn leave(&self, moment: &mut Moment) {
        moment.entry +=
            usize::from(self.past.get(moment.entry).is_some_and(|entry| entry.at == moment.now));
        moment.grid = self.next_on_grid(moment.now);
        moment.asked = Players(0);
    }

    fn tell_time(&self, moment: &mut Moment) {
        moment.told.fill(time(moment.now));
        moment.public = time(moment.now);
    }
}

/// What each mover of the game itself does, of whom some choose.
fn whole(turn: Turn, choosers: Players, joint: &[Action]) -> [Action; MAX_PLAYERS] {
    let mut whole = [Action::WAIT; MAX_PLAYERS];
    for (slot, mover) in whole.iter_mut().zip(turn.movers().iter()) {
        let chosen = choosers.iter().zip(joint).find(|(chooser, _)| *chooser == mover);
        *slot = chosen.map_or(Action::WAIT, |(_, action)| *action);
    }
    whole
}

fn acts(joint: &[Action]) -> bool {
    joint.iter().any(|action| *action != Action::WAIT)
}

impl Game for AsTurns {
    type State = Moment;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Moment {
        let mut moment = self.begin(self.model.initial(), 0);
        self.settle(&mut moment);
        moment
    }

    fn turn(&self, moment: &Moment) -> Turn {
        match self.model.turn(&moment.state) {
            turn @ (Turn::Over | Turn::Chance) => turn,
            _ => {
                let choosers = self.choosers(moment);
                match choosers.len() {
                    0 if self.stuck(moment) => Turn::Over,
                    0 => Turn::Chance,
                    1 => Turn::One(choosers.0.trailing_zeros() as usize),
                    _ => Turn::Several(choosers),
                }
            }
        }
    }

    fn legal(&self, moment: &Moment, player: usize, actions: &mut Vec<Action>) {
        if self.model.turn(&moment.state).movers().contains(player) {
            self.model.legal(&moment.state, player, actions);
        }
        if self.model.timing(&moment.state) != Timing::Turns {
            actions.push(Action::WAIT);
        }
    }

    fn chance(&self, moment: &Moment, outcomes: &mut Vec<(Action, f64)>) {
        if self.model.turn(&moment.state) != Turn::Chance {
            outcomes.push((TIME, 1.0));
            return;
        }
        match self.model.delay(&moment.state) {
            None => self.model.chance(&moment.state, outcomes),
            Some(delay) => {
                let all = self.instants(moment, delay);
                let each = 1.0 / all.len() as f64;
                outcomes.extend(all.into_iter().map(|instant| (Action(instant), each)));
            }
        }
    }

    fn draw(&self, moment: &Moment, rng: &mut Rng) -> Action {
        if self.model.turn(&moment.state) != Turn::Chance {
            return TIME;
        }
        match self.model.delay(&moment.state) {
            None => self.model.draw(&moment.state, rng),
            Some(delay) => {
                let all = self.instants(moment, delay);
                Action(all[rng.below(all.len() as u32) as usize])
            }
        }
    }

    fn random_action(
        &self,
        moment: &Moment,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        scratch.clear();
        Game::legal(self, moment, player, scratch);
        let chosen = rng.below(scratch.len() as u32) as usize;
        scratch.get(chosen).copied().unwrap_or(Action::WAIT)
    }

    fn step(&self, moment: &mut Moment, joint: &[Action], rewards: &mut [f64]) {
        let turn = self.model.turn(&moment.state);
        let choosers = self.choosers(moment);
        moment.last = Last::Nothing;
        moment.told.fill(Observation::SILENT);
        moment.public = Observation::SILENT;
        if turn == Turn::Chance {
            self.take(moment, turn, joint, rewards);
            self.heard(moment);
        } else if !choosers.is_empty() {
            let whole = whole(turn, choosers, joint);
            self.leave(moment);
            if acts(&whole) {
                self.take(moment, turn, &whole[..turn.width()], rewards);
            }
        } else {
            // Time goes on.
            moment.asked = Players(0);
            if self.model.timing(&moment.state) == Timing::Due(0) {
                let whole = [Action::WAIT; MAX_PLAYERS];
                self.take(moment, turn, &whole[..turn.width()], rewards);
                moment.happened = moment.entry >= self.past.len();
                self.heard(moment);
                self.ask_told(moment);
            } else {
                self.leave(moment);
            }
        }
        self.settle(moment);
    }

    fn observe(&self, after: &Moment, _: Turn, _: &[Action], player: usize) -> Observation {
        after.told.get(player).copied().unwrap_or_default()
    }

    fn observe_public(&self, after: &Moment, _: Turn, _: &[Action]) -> Observation {
        after.public
    }

    fn action_name(&self, moment: &Moment, player: Option<usize>, action: Action) -> String {
        match (self.model.turn(&moment.state), player) {
            (Turn::Chance, None) => self.model.action_name(&moment.state, None, action),
            (_, None) => "time goes by".to_owned(),
            (_, Some(_)) if action == Action::WAIT => "wait".to_owned(),
            (_, player) => self.model.action_name(&moment.state, player, action),
        }
    }

    fn text(&self, moment: &Moment, viewer: Option<usize>) -> String {
        self.model.text(&moment.state, viewer)
    }

    pass_on!(|game, moment: &Moment| (game.model, &moment.state): player_name);

    fn abilities(&self) -> Abilities<'_, Moment> {
        as_far_as!(self.model.has(), self: hash, evaluator, picture, atoms, facts, action_keys, faults)
    }
}

forward!(AsTurns, Moment, |game, moment| (game.model, &moment.state): Atoms, Facts, Faults);

impl Evaluate<Moment> for AsTurns {
    fn evaluate(&self, moment: &Moment, values: &mut [f64]) {
        self.model.evaluate(&moment.state, values);
        values.iter_mut().for_each(|value| *value *= moment.weight);
    }
}

impl StateHash<Moment> for AsTurns {
    fn hash(&self, moment: &Moment) -> u64 {
        let hash = self.model.hash(&moment.state);
        let when = derive(moment.now % self.quantum, 2 * moment.entry as u64 + u64::from(moment.happened));
        derive(derive(hash, when), derive(u64::from(moment.asked.0), moment.weight.to_bits()))
    }
}

impl ActionKeys<Moment> for AsTurns {
    fn action_key(&self, moment: &Moment, player: usize, action: Action) -> u64 {
        if action == Action::WAIT { WAITING } else { self.model.action_key(&moment.state, player, action) }
    }
}

impl Svg<Moment> for AsTurns {
    fn svg(&self, moment: &Moment, viewer: Option<usize>) -> String {
        self.model.svg(&moment.state, viewer)
    }
}
