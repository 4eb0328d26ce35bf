//! A seat of an episode that is refereed elsewhere, where the rules hide something: it is told its own move and what it
//! perceives, in words, turn by turn.
//!
//! What it may do now, and what a planner's [`View`] of all that is, follows from the rules and from any history that agrees
//! with what was told: all of them look the same from its seat. A bag of such histories is kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Belief, Explained, Hypergames, World};
use crate::abilities::{Abilities, RealTime};
use crate::episode::{Delay, Timing};
use crate::forward;
use crate::game::{Action, Game, Info, Observation, Turn};
use crate::interrupt::Pause;
use crate::keys::{Kind, join};
use crate::model::{SharedModel, State};
use crate::playout::MAX_PLAYERS;
use crate::rng::{Rng, hash_bytes};
use crate::view::{Event, View};

/// How many histories are kept: what is legal in all of them is taken to be legal.
const HISTORIES: usize = 20;

/// What a seat was told so far, and what it comes to.
pub struct Told {
    game: Hearing,
    view: View,
    bag: Hypergames,
    rng: Rng,
    /// A history that agrees with what was told; or, where none was found, one that agrees with what was done.
    steps: Vec<Vec<Action>>,
    state: State,
    legal: Vec<Action>,
}

impl Told {
    /// The beginning of an episode. The game speaks of [roles](crate::abilities::Roles).
    pub fn new(model: SharedModel, seat: usize, rng: Rng) -> Told {
        let state = model.initial();
        let mut told = Told {
            game: Hearing::new(model, seat),
            view: View::new(seat),
            bag: Hypergames::new(HISTORIES),
            rng,
            steps: Vec::new(),
            state,
            legal: Vec::new(),
        };
        told.legal = told.game.legal_in(&told.state);
        told
    }

    /// A possible history: the joint action of each step.
    pub fn steps(&self) -> &[Vec<Action>] {
        &self.steps
    }

    /// What the seat may do now, in all histories that were found, ascending. One action or none, where it has no choice.
    pub fn legal(&self) -> &[Action] {
        &self.legal
    }

    /// What was passed over because nothing explains it, in a sentence.
    pub fn passed_over(&self) -> Option<String> {
        self.bag.passed_over()
    }

    /// Takes in a turn: the seat's own move, if it is known, and what it perceived then.
    ///
    /// # Errors
    /// Where no history was found that agrees. It goes on with one that agrees with what the seat did, and looks again at
    /// the next turn.
    pub fn hear(&mut self, own: Option<&str>, percepts: &[String], pause: Pause) -> Explained {
        let own = self.acted(own);
        self.view.events.extend(own.map(Event::Acted));
        self.view.events.push(Event::Observed(key_of(percepts)));
        let explained = self.bag.update(&self.game, &self.view, &mut self.rng, pause);
        let mut found: Vec<(Vec<Vec<Action>>, &World)> = self.bag.histories().collect();
        if explained.is_err() || found.is_empty() {
            self.go_on_blindly(own);
            return explained;
        }
        let legal = |(_, world): &(_, &World)| self.game.legal_in(truth(world));
        let mut common = legal(&found[0]);
        for other in &found[1..] {
            let others = legal(other);
            common.retain(|action| others.contains(action));
        }
        // The one that goes on from the last, if there is one, so that as little as possible changes.
        let begun = self.steps.len();
        let place = found.iter().position(|(steps, _)| steps.starts_with(&self.steps[..begun]));
        let (steps, world) = found.swap_remove(place.unwrap_or(0));
        let state = truth(world);
        self.legal = if common.is_empty() { self.game.legal_in(state) } else { common };
        (self.steps, self.state) = (steps, state.clone());
        explained
    }

    /// The number of the seat's own move, where it had a choice.
    fn acted(&self, own: Option<&str>) -> Option<Action> {
        let (game, seat) = (&self.game, self.view.player);
        let chosen = |state: &State| {
            if !game.model.turn(state).movers().contains(seat) {
                return None;
            }
            let named = |action: &Action| {
                own.is_some_and(|own| alike(&game.model.action_name(state, Some(seat), *action), own))
            };
            game.legal_in(state).into_iter().find(named)
        };
        chosen(&self.state).or_else(|| self.bag.histories().find_map(|(_, world)| chosen(truth(world))))
    }

    /// A turn in which the seat does this, if it may, and others anything.
    fn go_on_blindly(&mut self, own: Option<Action>) {
        let model = self.game.model.clone();
        let (mut scratch, mut rewards) = (Vec::new(), [0.0; MAX_PLAYERS]);
        loop {
            let turn = model.turn(&self.state);
            let mut joint = Vec::new();
            match turn {
                Turn::Over => break,
                Turn::Chance => joint.push(model.draw(&self.state, &mut self.rng)),
                _ => joint.extend(turn.movers().iter().map(|mover| {
                    let own = own.filter(|_| mover == self.view.player);
                    let allowed = own.filter(|own| self.game.legal_in(&self.state).contains(own));
                    allowed.unwrap_or_else(|| {
                        model.random_action(&self.state, mover, &mut scratch, &mut self.rng)
                    })
                })),
            }
            model.step(&mut self.state, &joint, &mut rewards[..model.info().players]);
            self.steps.push(joint);
            if !model.within_turn(&self.state) {
                break;
            }
        }
        // It is asked again, so the game goes on, whatever this history comes to.
        let legal = self.game.legal_in(&self.state);
        if !legal.is_empty() {
            self.legal = legal;
        }
    }
}

/// Whether two names are the same but for case and spaces.
fn alike(one: &str, other: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    one.eq_ignore_ascii_case(other) || words(one).eq_ignore_ascii_case(&words(other))
}

/// The key of a set of percepts, in any order and any case.
pub(crate) fn key_of(percepts: &[String]) -> Observation {
    let mut heard: Vec<String> = percepts.iter().map(|percept| percept.to_ascii_lowercase()).collect();
    heard.sort_unstable();
    heard.dedup();
    let key =
        heard.iter().fold(1, |key, percept| join(Kind::Observed, key, hash_bytes(percept.as_bytes())));
    Observation(key | 1)
}

/// The game as a seat hears it that is told percepts in words, and not what is legal.
pub(crate) struct Hearing {
    model: SharedModel,
    seat: usize,
    /// What the game's own observations are in words, by their keys.
    keys: Mutex<HashMap<u64, Observation>>,
}

/// So many are remembered.
const REMEMBERED: usize = 100_000;

/// A state of the game.
#[derive(Clone)]
pub(crate) struct Truth(State);

/// The game's own state of a world in which somebody hears it.
fn truth(world: &World) -> &State {
    &world.state.get::<Truth>().0
}

impl Hearing {
    /// The game as a seat hears it.
    pub(crate) fn new(model: SharedModel, seat: usize) -> Hearing {
        Hearing { model, seat, keys: Mutex::default() }
    }

    fn legal_in(&self, state: &State) -> Vec<Action> {
        let mut legal = Vec::new();
        if self.model.turn(state) != Turn::Over {
            self.model.legal(state, self.seat, &mut legal);
            legal.sort_unstable();
        }
        legal
    }
}

impl Game for Hearing {
    type State = Truth;

    fn info(&self) -> &Info {
        self.model.info()
    }

    fn initial(&self) -> Truth {
        Truth(self.model.initial())
    }

    fn turn(&self, state: &Truth) -> Turn {
        self.model.turn(&state.0)
    }

    fn legal(&self, state: &Truth, player: usize, actions: &mut Vec<Action>) {
        self.model.legal(&state.0, player, actions);
    }

    fn step(&self, state: &mut Truth, joint: &[Action], rewards: &mut [f64]) {
        self.model.step(&mut state.0, joint, rewards);
    }

    fn action_name(&self, state: &Truth, player: Option<usize>, action: Action) -> String {
        self.model.action_name(&state.0, player, action)
    }

    fn text(&self, state: &Truth, viewer: Option<usize>) -> String {
        self.model.text(&state.0, viewer)
    }

    fn observe(&self, after: &Truth, turn: Turn, joint: &[Action], player: usize) -> Observation {
        let told = self.model.observe(&after.0, turn, joint, player);
        if player != self.seat || told == Observation::SILENT {
            return told;
        }
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= REMEMBERED {
            keys.clear();
        }
        *keys.entry(told.0).or_insert_with(|| key_of(&self.model.percepts(&after.0, player)))
    }

    fn chance(&self, state: &Truth, outcomes: &mut Vec<(Action, f64)>) {
        self.model.chance(&state.0, outcomes);
    }

    fn draw(&self, state: &Truth, rng: &mut Rng) -> Action {
        self.model.draw(&state.0, rng)
    }

    fn abilities(&self) -> Abilities<'_, Truth> {
        let real_time = self.model.has().real_time.then_some(self as _);
        Abilities { faults: Some(self), real_time, ..Abilities::default() }
    }
}

impl RealTime<Truth> for Hearing {
    fn timing(&self, state: &Truth) -> Timing {
        self.model.timing(&state.0)
    }

    fn pass(&self, state: &mut Truth, ticks: u64) {
        self.model.pass(&mut state.0, ticks);
    }

    fn tick(&self) -> f64 {
        self.model.tick()
    }

    fn delay(&self, state: &Truth) -> Option<Delay> {
        self.model.delay(&state.0)
    }

    fn lists_all_but_delays(&self) -> bool {
        self.model.lists_all_but_delays()
    }
}

forward!(Hearing, Truth, |game, truth| (game.model, &truth.0): Faults);
