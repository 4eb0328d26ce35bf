//! The thesis' scripted baselines, for this game alone: `static`, `patrol` and `reactive`.
//!
//! They go by what was seen, all of it from the beginning, so that they need no memory.

use kibitz_core::game::Action;
use kibitz_core::interrupt::Pause;
use kibitz_core::model::SharedModel;
use kibitz_core::params::{NoParams, Params, params, words};
use kibitz_core::planner::{Decision, Planner};
use kibitz_core::registry::PlannerEntry;
use kibitz_core::rng::Rng;
use kibitz_core::view::{Event, View};

use super::STAND;
use super::chart::{GONE, turn};
use super::state::State;

params! {
    /// How to go round.
    pub struct PatrolParams {
        /// Which way: clockwise or counterclockwise.
        pub direction: Direction = Direction::Clockwise;
    }
}

words! {
    /// Which way round.
    Direction {
        /// North along the western side.
        Clockwise = "clockwise",
        /// South along it.
        Counterclockwise = "counterclockwise",
    }
}

params! {
    /// How to go round, and what to come to the aid of.
    pub struct ReactiveParams {
        /// Which way it goes round at first: clockwise or counterclockwise.
        pub direction: Direction = Direction::Clockwise;
        /// A cargo ship that is attacked at most so many moves away is nearby.
        pub nearby: u32 = 4, in 0..=28;
    }
}

inventory::submit! {
    PlannerEntry {
        name: "static",
        summary: "Navy Defense alone: never moves.",
        needs: "the game navy-defense",
        params: || NoParams.docs(),
        build: |spec| NoParams::from_spec(spec).map(|_| Script::boxed("static", Orders::Stay)),
    }
}
inventory::submit! {
    PlannerEntry {
        name: "patrol",
        summary: "Navy Defense alone: goes round at its first distance from the edge, as cargo ships do.",
        needs: "the game navy-defense",
        params: || PatrolParams::default().docs(),
        build: |spec| {
            let PatrolParams { direction } = PatrolParams::from_spec(spec)?;
            Ok(Script::boxed("patrol", Orders::Round { direction, nearby: None }))
        },
    }
}
inventory::submit! {
    PlannerEntry {
        name: "reactive",
        summary: "Navy Defense alone: patrols, but goes to a ship attacked nearby and then round as that ship does.",
        needs: "the game navy-defense",
        params: || ReactiveParams::default().docs(),
        build: |spec| {
            let ReactiveParams { direction, nearby } = ReactiveParams::from_spec(spec)?;
            Ok(Script::boxed("reactive", Orders::Round { direction, nearby: Some(nearby) }))
        },
    }
}

#[derive(Clone, Copy)]
enum Orders {
    Stay,
    Round {
        direction: Direction,
        /// From how far it comes to the aid of a ship; `None` for never.
        nearby: Option<u32>,
    },
}

struct Script {
    name: &'static str,
    orders: Orders,
    session: Option<(SharedModel, Rng)>,
}

impl Script {
    fn boxed(name: &'static str, orders: Orders) -> Box<dyn Planner> {
        Box::new(Script { name, orders, session: None })
    }
}

impl Planner for Script {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        if model.initial().try_get::<State>().is_none() {
            return Err(format!("{} is a planner of the game navy-defense alone", self.name));
        }
        self.session = Some((model, Rng::new(seed)));
        Ok(())
    }

    fn act(&mut self, view: &View, _: Pause) -> Result<Decision, String> {
        let (model, rng) =
            self.session.as_mut().ok_or_else(|| format!("{}: act before start", self.name))?;
        let stay = Decision { action: Action(STAND), ..Decision::default() };
        let Orders::Round { direction, nearby } = self.orders else { return Ok(stay) };
        let mut course = Course { clockwise: direction == Direction::Clockwise, goal: None };
        let (mut before, mut action): (Option<State>, _) = (None, STAND);
        // Once for each decision so far, since the course comes of all of them.
        let decisions = (0..view.events.len()).filter(|at| matches!(view.events[*at], Event::Acted(_)));
        for end in decisions.chain([view.events.len()]) {
            let past = View { events: view.events[..end].to_vec(), ..View::new(view.player) };
            // What is drawn of it, the submarines out of sight, is not looked at.
            let Some(now) = model.resample(&past, rng) else {
                return Ok(stay.noting("what was seen is none of this game: it stays".to_owned()));
            };
            let now = *now.get::<State>();
            if let (Some(nearby), Some(before)) = (nearby, &before) {
                course.react(before, &now, nearby);
            }
            action = course.next(&now);
            before = Some(now);
        }
        let action = Some(Action(action)).filter(|action| view.legal.contains(action));
        Ok(Decision { action: action.unwrap_or(stay.action), ..stay })
    }
}

/// Where a patrol is heading.
struct Course {
    clockwise: bool,
    /// The cargo ship to whose aid it comes.
    goal: Option<usize>,
}

fn place(state: &State, square: u8) -> (i32, i32) {
    (i32::from(square % state.size), i32::from(square / state.size))
}

/// How far a ship is to the east and to the north of the Navy ship.
fn towards(state: &State, square: u8) -> (i32, i32) {
    let ((x, y), (u, v)) = (place(state, state.navy), place(state, square));
    (u - x, v - y)
}

impl Course {
    /// Takes in what happened: comes to the aid of the nearest ship that was hit, and once its sonar covers that
    /// ship, goes round the same way as it does.
    fn react(&mut self, before: &State, now: &State, nearby: u32) {
        if now.navy == GONE {
            return;
        }
        let hit = now.cargo.iter().zip(&before.cargo).enumerate();
        let hit = hit.filter(|(_, (now, before))| 0 < now.health && now.health < before.health);
        let moves = |ship: usize| {
            let (dx, dy) = towards(now, now.cargo[ship].at);
            dx.unsigned_abs() + dy.unsigned_abs()
        };
        let near = hit.map(|(ship, _)| ship).filter(|ship| moves(*ship) <= nearby);
        self.goal = near.min_by_key(|ship| moves(*ship)).or(self.goal);
        if let Some(ship) = self.goal.map(|goal| &now.cargo[goal]) {
            if ship.health == 0 {
                self.goal = None;
                return;
            }
            let (dx, dy) = towards(now, ship.at);
            if dx.abs() <= 1 && dy.abs() <= 1 {
                (self.goal, self.clockwise) = (None, ship.clockwise);
            }
        }
    }

    fn next(&self, now: &State) -> u32 {
        if now.navy == GONE {
            return STAND;
        }
        let to = match self.goal {
            Some(goal) => now.cargo[goal].at,
            None => {
                let (x, y) = place(now, now.navy);
                turn(now.size, x as u8, y as u8, self.clockwise)
            }
        };
        if to == GONE {
            return STAND;
        }
        match towards(now, to) {
            (0, 0) => STAND,
            (dx, dy) if dy.abs() >= dx.abs() => {
                if dy > 0 {
                    1
                } else {
                    3
                }
            }
            (dx, _) => {
                if dx > 0 {
                    2
                } else {
                    4
                }
            }
        }
    }
}
