//! The past as one player knows it: what a possible world must agree with, and what others are taken to do.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::opponents::{OpponentPolicy, Opponents};
use super::world::Next;
use super::{Trouble, World, unexplained};
use crate::game::{Action, Turn};
use crate::interrupt::Pause;
use crate::model::Model;
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;
use crate::view::{Event, View};
use crate::watch::Watch;

/// Observations that one update passes over at most, if nothing explains them.
const FORGIVING: usize = 4;

/// What all kinds of beliefs keep from one update to the next.
#[derive(Clone, Default)]
pub(super) struct Ledger {
    pub opponents: Opponents,
    /// How they decide, where somebody knows.
    pub policy: Option<Arc<dyn OpponentPolicy>>,
    /// Steps of the model so far.
    pub transitions: u64,
    /// The places of the events that nothing explains, and that need not be agreed with. (Where an action is in
    /// that place, whatever is told before it.)
    forgiven: Vec<usize>,
    /// How many events there were at the last update.
    seen: usize,
}

impl Ledger {
    /// The past that a view tells of, for somebody who may be stopped by `pause`, if there is one. (Who draws a single
    /// present is not: to look at the clock would take longer than to draw.)
    pub fn past<'a>(&self, model: &'a dyn Model, view: &'a View, pause: Option<Pause<'a>>) -> Past<'a> {
        Past {
            model,
            view,
            opponents: self.opponents,
            policy: self.policy.clone(),
            forgiven: self.forgiven.clone(),
            transitions: Cell::new(0),
            furthest: Cell::new(None),
            pause: RefCell::new(pause),
            watch: RefCell::default(),
            late: Cell::new(false),
        }
    }

    /// Brings a belief up to date by `follow`. Where nothing explains the view, this begins again from the
    /// beginning of the game (of which `follow` is told), with the observation passed over that no world got
    /// beyond; and so for a few observations.
    pub fn explain<T>(
        &mut self,
        model: &dyn Model,
        view: &View,
        pause: Pause,
        mut follow: impl FnMut(&Past, bool) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let shorter = view.events.len() < self.seen;
        if shorter {
            self.forgiven.clear();
        }
        self.seen = view.events.len();
        let faults = model.faults();
        let mut past = self.past(model, view, Some(pause));
        let mut result = follow(&past, shorter);
        for _ in 0..FORGIVING {
            let in_vain = matches!(result, Err(Trouble::Unexplained(_)));
            if !in_vain || past.late.get() || model.faults() != faults || !past.forgive() {
                break;
            }
            result = follow(&past, true);
        }
        self.transitions += past.transitions.get();
        if result.is_ok() {
            self.forgiven = past.forgiven;
        }
        result
    }

    /// A warning, if anything was passed over.
    pub fn notes(&self) -> Vec<String> {
        let note = match self.forgiven.len() {
            0 => return Vec::new(),
            1 => "no state explains one observation, which is passed over".to_owned(),
            count => format!("no state explains {count} observations, which are passed over"),
        };
        vec![format!("{note}: the model and the game that is played disagree")]
    }
}

/// A player's view, and what it leaves open.
pub(super) struct Past<'a> {
    pub model: &'a dyn Model,
    pub view: &'a View,
    opponents: Opponents,
    policy: Option<Arc<dyn OpponentPolicy>>,
    forgiven: Vec<usize>,
    transitions: Cell<u64>,
    /// The last event that some world came to and contradicted, and whether by what it would have told.
    furthest: Cell<Option<(usize, bool)>>,
    pause: RefCell<Option<Pause<'a>>>,
    watch: RefCell<Watch>,
    /// Whether somebody wanted an answer.
    late: Cell<bool>,
}

/// Why what may happen at a turn cannot be listed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Unlisted {
    /// There are so many possibilities.
    Many(f64),
    /// Chance has no explicit probabilities.
    Drawn,
}

/// A world, what was done to come there, and how probable that was.
pub(super) type Successor = (World, Vec<Action>, f64);

impl Past<'_> {
    /// The beginning of the game.
    pub fn initial(&self) -> World {
        let mut world = World::initial(self.model);
        self.pass_over(&mut world);
        world
    }

    /// What comes next for a world.
    pub fn next(&self, world: &World, scratch: &mut Vec<Action>) -> Next {
        let next = world.next(self.model, self.view, scratch);
        if matches!(next, Next::Dead | Next::Untold) {
            self.contradicted(world.at, next == Next::Untold);
        }
        next
    }

    /// Takes one step and says whether what the player was told agrees with the view.
    #[inline]
    pub fn step(&self, world: &mut World, turn: Turn, joint: &[Action]) -> bool {
        self.count_step();
        let place = world.at + usize::from(turn.movers().contains(self.view.player));
        let agrees = world.step(self.model, self.view, &self.forgiven, turn, joint);
        if agrees {
            self.pass_over(world);
        } else {
            self.contradicted(place, true);
        }
        agrees
    }

    /// Where the player moves next without having been told what is forgiven, that is passed over.
    fn pass_over(&self, world: &mut World) {
        while self.forgiven.contains(&world.at)
            && matches!(self.view.events.get(world.at), Some(Event::Observed(_)))
            && self.model.turn(&world.state).movers().contains(self.view.player)
        {
            world.pass_over();
        }
    }

    /// Makes a world that has arrived one in which the player was told what it saw.
    pub fn arrive(&self, world: &mut World) {
        if !self.forgiven.is_empty() {
            world.take_view(self.view);
        }
    }

    /// All joint actions of a world's turn with their probabilities, `own` fixed.
    pub fn options(
        &self,
        world: &World,
        own: Option<Action>,
        limit: usize,
    ) -> Result<Vec<(Vec<Action>, f64)>, Unlisted> {
        self.joints(world, self.view.player, own, self.opponents, limit)
    }

    /// The successors of a world that agree with the view.
    pub fn successors(
        &self,
        world: &World,
        own: Option<Action>,
        limit: usize,
    ) -> Result<Vec<Successor>, Unlisted> {
        let turn = self.model.turn(&world.state);
        let mut agreeing = Vec::new();
        for (joint, probability) in self.options(world, own, limit)? {
            let mut after = world.clone();
            if probability > 0.0 && self.step(&mut after, turn, &joint) {
                agreeing.push((after, joint, probability));
            }
        }
        Ok(agreeing)
    }

    /// All joint actions of a turn with their probabilities: chance's as the game says, other players' as they
    /// are taken to choose, `own` fixed.
    pub fn joints(
        &self,
        world: &World,
        player: usize,
        own: Option<Action>,
        opponents: Opponents,
        limit: usize,
    ) -> Result<Vec<(Vec<Action>, f64)>, Unlisted> {
        let (model, state) = (self.model, &world.state);
        let turn = model.turn(state);
        if turn == Turn::Chance {
            if !model.info().explicit_chance {
                // What the player was told next says what was drawn, if anything does.
                let told = match self.view.events.get(world.at) {
                    Some(Event::Observed(told)) => *told,
                    _ => return Err(Unlisted::Drawn),
                };
                let shown = model.shown(state, told).ok_or(Unlisted::Drawn)?;
                return Ok(vec![(vec![shown], 1.0)]);
            }
            let mut outcomes = Vec::new();
            model.chance(state, &mut outcomes);
            if outcomes.len() > limit {
                return Err(Unlisted::Many(outcomes.len() as f64));
            }
            return Ok(outcomes.into_iter().map(|(outcome, p)| (vec![outcome], p)).collect());
        }
        let choices = |mover| match own {
            Some(action) if mover == player => vec![(action, 1.0)],
            _ => opponents.choices(self, world, mover),
        };
        if let Turn::One(mover) = turn {
            let choices = choices(mover);
            if choices.len() > limit {
                return Err(Unlisted::Many(choices.len() as f64));
            }
            return Ok(choices.into_iter().map(|(action, p)| (vec![action], p)).collect());
        }
        let each: Vec<_> = turn.movers().iter().map(choices).collect();
        let many: f64 = each.iter().map(|choices| choices.len() as f64).product();
        if many > limit as f64 {
            return Err(Unlisted::Many(many));
        }
        let mut joints = vec![(Vec::new(), 1.0)];
        for choices in each {
            joints = joints
                .iter()
                .flat_map(|(joint, p)| {
                    choices.iter().map(move |(action, q)| {
                        let mut longer = joint.clone();
                        longer.push(*action);
                        (longer, p * q)
                    })
                })
                .collect();
        }
        Ok(joints)
    }

    /// Draws what happens at a world's turn, whatever the player will be told.
    #[inline]
    pub fn draw(
        &self,
        world: &World,
        turn: Turn,
        own: Option<Action>,
        rng: &mut Rng,
    ) -> [Action; MAX_PLAYERS] {
        let mut scratch = Vec::new();
        let mut joint = [Action(0); MAX_PLAYERS];
        if turn == Turn::Chance {
            joint[0] = self.model.draw(&world.state, rng);
        }
        for (slot, mover) in joint.iter_mut().zip(turn.movers().iter()) {
            *slot = match own {
                Some(action) if mover == self.view.player => action,
                _ => self.opponents.draw(self, world, mover, &mut scratch, rng),
            };
        }
        joint
    }

    /// How often a player who knows what the key stands for chooses what, as far as anybody knows.
    pub fn strategy(&self, key: u64) -> Vec<(Action, f64)> {
        self.policy.as_ref().map(|policy| policy.strategy(key)).unwrap_or_default()
    }

    /// Steps of the model that were taken since this was made.
    pub fn transitions(&self) -> u64 {
        self.transitions.get()
    }

    pub fn count_step(&self) {
        self.transitions.set(self.transitions.get() + 1);
    }

    /// Whether somebody wants an answer now.
    #[inline]
    pub fn is_late(&self) -> bool {
        if let Some(pause) = &mut *self.pause.borrow_mut()
            && self.watch.borrow_mut().is_due()
            && pause()
        {
            self.late.set(true);
        }
        self.late.get()
    }

    /// That nothing was found, `why` if there was time enough.
    pub fn not_found(&self, why: impl FnOnce() -> Trouble) -> Trouble {
        if self.late.get() {
            let what =
                format!("there was no time to find out what player {} may know", self.view.player + 1);
            return Trouble::Unexplained(what);
        }
        why()
    }

    /// That nothing explains the view.
    pub fn unexplained(&self) -> Trouble {
        self.not_found(|| unexplained(self.view))
    }

    fn contradicted(&self, place: usize, told: bool) {
        self.furthest.set(self.furthest.get().max(Some((place, told))));
    }

    /// Passes over the observation that no world got beyond, or an earlier one if that is none; false if there
    /// is none at all.
    fn forgive(&mut self) -> bool {
        let Some((last, told)) = self.furthest.take() else { return false };
        let open = |place: &usize| !self.forgiven.contains(place);
        let observed = |place: &usize| matches!(self.view.events.get(*place), Some(Event::Observed(_)));
        let here = Some(last).filter(|place| told && open(place));
        let place = here.or_else(|| (0..last).rev().find(|place| observed(place) && open(place)));
        self.forgiven.extend(place);
        place.is_some()
    }
}
