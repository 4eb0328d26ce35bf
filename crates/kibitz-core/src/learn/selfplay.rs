//! Games to learn from, and learning from them.
//!
//! A state is worth what the best action is expected to lead to (the mean over what chance may do next, as the
//! network judges it), mixed with what really came of it: TD(λ) with a full look at the next move.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::net::{Lesson, Net, Pupil, Shape};
use crate::game::{Action, Info, Turn};
use crate::model::{Model, SharedModel, State, in_the_open};
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;
use crate::strides::{Strides, strides_of};

/// A game that goes on for longer than so many steps is broken off.
const LONGEST: u32 = 10_000;
/// Games of random moves in which it would show that players move at once.
const TRIALS: u64 = 20;

/// How a network is taught.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Course {
    /// Games from which it learns together.
    pub round: u32,
    /// Rounds that are remembered.
    pub window: usize,
    /// How often something is learned from, on average.
    pub passes: f64,
    /// λ: how much what came of a state counts, beside what the next one was taken to be worth; 0 to 1.
    pub trust: f64,
    /// How often any action is taken, 0 to 1.
    pub explore: f64,
    /// How large a step down the gradient is.
    pub rate: f32,
    /// Lessons that make one step.
    pub batch: usize,
    /// Units of the first hidden layer.
    pub first: usize,
    /// Units of the second hidden layer.
    pub second: usize,
    /// Whether states are those between moves that cannot be undone.
    pub strides: bool,
    /// Threads that play.
    pub threads: usize,
    /// Where everything random begins.
    pub seed: u64,
}

impl Default for Course {
    fn default() -> Course {
        Course {
            round: 1000,
            window: 20,
            passes: 2.0,
            trust: 0.5,
            explore: 0.02,
            rate: 1e-3,
            batch: 256,
            first: 64,
            second: 32,
            strides: false,
            threads: 1,
            seed: 0,
        }
    }
}

/// What a round came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Games so far.
    pub games: u64,
    /// The first player's mean return in the games of this round, from 0 (the worst) to 1.
    pub mean: f64,
    /// The mean cross entropy while learning.
    pub loss: f64,
}

/// A network that is being taught a game.
pub struct Lessons {
    course: Course,
    game: Dealt,
    pupil: Pupil,
    window: VecDeque<Vec<Lesson>>,
    rng: Rng,
    games: u64,
}

/// A game of known states, dealt by another one where its states are strides.
struct Dealt {
    model: SharedModel,
    base: SharedModel,
    enter: Option<Arc<dyn Strides>>,
}

impl Dealt {
    fn new(game: SharedModel, strides: bool) -> Result<Dealt, String> {
        let base = in_the_open(game);
        let enter = strides.then(|| strides_of(&base));
        let model = enter.as_ref().map_or_else(|| base.clone(), |strides| strides.model());
        let info = model.info();
        if info.atoms == 0 {
            let why = "to learn a game, one must be told what is true of its states (atoms), which this one does not say";
            return Err(why.to_owned());
        }
        if !info.perfect_information
            || !info.has.explicit_chance
            || !info.paid_at_end
            || info.discount != 1.0
        {
            let why = "only games are learned in which nothing is hidden (or that have a collapsed model), with explicit \
                       chance, payment at the end and no discount";
            return Err(why.to_owned());
        }
        let game = Dealt { model, base, enter };
        if (0..TRIALS).any(|trial| game.moves_at_once(&mut Rng::new(trial))) {
            return Err("games in which players move at once are not learned yet".to_owned());
        }
        Ok(game)
    }

    /// Whether players move at once somewhere in a random game.
    fn moves_at_once(&self, rng: &mut Rng) -> bool {
        let model = &*self.model;
        let mut state = self.deal(rng);
        let mut paid = [0.0; MAX_PLAYERS];
        for _ in 0..LONGEST {
            let action = match model.turn(&state) {
                Turn::Over => break,
                Turn::Several(_) => return true,
                Turn::Chance => model.draw(&state, rng),
                Turn::One(player) => model.random_action(&state, player, &mut Vec::new(), rng),
            };
            model.step(&mut state, &[action], &mut paid[..model.info().players]);
        }
        false
    }

    /// A state in which somebody is to move, or the end.
    fn deal(&self, rng: &mut Rng) -> State {
        let mut state = self.base.initial();
        let mut paid = [0.0; MAX_PLAYERS];
        while self.base.turn(&state) == Turn::Chance {
            let outcome = self.base.draw(&state, rng);
            self.base.step(&mut state, &[outcome], &mut paid[..self.base.info().players]);
        }
        self.enter.as_ref().map_or_else(|| state.clone(), |strides| strides.enter(&state))
    }
}

impl Lessons {
    /// Begins with a network that knows nothing, or goes on with one.
    ///
    /// # Errors
    /// A game that cannot be learned, or a network for another one.
    pub fn new(game: SharedModel, course: Course, net: Option<Net>) -> Result<Lessons, String> {
        let game = Dealt::new(game, course.strides)?;
        let (inputs, outputs) = (game.model.info().atoms as usize, game.model.info().players);
        let mut rng = Rng::new(course.seed);
        let net = match net {
            Some(net) if net.shape.inputs != inputs || net.shape.outputs != outputs => {
                return Err("this network was taught another game".to_owned());
            }
            Some(net) => net,
            None => {
                Net::new(Shape { inputs, first: course.first, second: course.second, outputs }, &mut rng)?
            }
        };
        Ok(Lessons { course, game, pupil: Pupil::new(net), window: VecDeque::new(), rng, games: 0 })
    }

    /// What was learned so far.
    pub fn net(&self) -> &Net {
        &self.pupil.net
    }

    /// How the next rounds are to be taught; the network's size stays what it is.
    pub fn change(&mut self, change: impl FnOnce(&mut Course)) {
        change(&mut self.course);
    }

    /// Plays a round and learns from it; `None` if it was broken off.
    pub fn round(&mut self, pause: &mut dyn FnMut() -> bool) -> Option<Progress> {
        let played = self.play_round(pause)?;
        self.games += u64::from(self.course.round);
        let mean = played.iter().map(|(_, end)| end).sum::<f64>() / played.len().max(1) as f64;
        self.window.push_back(played.into_iter().flat_map(|(lessons, _)| lessons).collect());
        while self.window.len() > self.course.window.max(1) {
            self.window.pop_front();
        }
        Some(Progress { games: self.games, mean, loss: self.study() })
    }

    /// Each game's lessons, and what the first player got in it.
    fn play_round(&self, pause: &mut dyn FnMut() -> bool) -> Option<Vec<(Vec<Lesson>, f64)>> {
        let numbers = self.games..self.games + u64::from(self.course.round);
        let threads = if self.game.model.info().one_thread { 1 } else { self.course.threads.max(1) };
        let stop = AtomicBool::new(false);
        let play_share = |share: usize, pause: &mut dyn FnMut() -> bool| {
            let own = numbers.clone().skip(share).step_by(threads);
            let going = own.take_while(|_| {
                if pause() {
                    stop.store(true, Relaxed);
                }
                !stop.load(Relaxed)
            });
            going.map(|number| self.play(number)).collect::<Vec<_>>()
        };
        let played: Vec<_> = std::thread::scope(|scope| {
            let play_share = &play_share;
            let hire = |share| scope.spawn(move || play_share(share, &mut || false));
            let hands: Vec<_> = (1..threads).map(hire).collect();
            let own = play_share(0, pause);
            let others =
                hands.into_iter().map(|hand| hand.join().unwrap_or_else(|panic| resume_unwind(panic)));
            std::iter::once(own).chain(others).flatten().collect()
        });
        (!stop.load(Relaxed)).then_some(played)
    }

    /// Learns from what is remembered; gives the mean cross entropy.
    fn study(&mut self) -> f64 {
        let Course { passes, batch, rate, .. } = self.course;
        let lessons: Vec<&Lesson> = self.window.iter().flatten().collect();
        let news = self.window.back().map_or(0, Vec::len);
        let batch = batch.clamp(1, lessons.len().max(1));
        let count = (passes * news as f64 / batch as f64).ceil();
        let mut loss = 0.0;
        for _ in 0..count as u64 {
            let drawn = (0..batch).map(|_| lessons[self.rng.below(lessons.len() as u32) as usize]);
            loss += self.pupil.learn(drawn, rate);
        }
        loss / count.max(1.0)
    }

    /// Plays one game, and says what can be learned from it, and what the first player got.
    fn play(&self, number: u64) -> (Vec<Lesson>, f64) {
        let mut rng = Rng::episode(self.course.seed, number, "self-play");
        let model = &*self.game.model;
        let info = model.info();
        let mut eye = Eye::new(model, &self.pupil.net);
        let mut state = self.game.deal(&mut rng);
        // Each decision's atoms, what its best action is expected to bring, and whether that was taken.
        let mut course: Vec<(Vec<u32>, [f64; MAX_PLAYERS], bool)> = Vec::new();
        let mut paid = [0.0; MAX_PLAYERS];
        for _ in 0..LONGEST {
            let action = match model.turn(&state) {
                Turn::Over | Turn::Several(_) => break,
                Turn::Chance => model.draw(&state, &mut rng),
                Turn::One(player) => {
                    let (best, worth) = eye.best(&state, player);
                    let mut atoms = Vec::new();
                    model.atoms(&state, &mut atoms);
                    let explores = rng.unit() < self.course.explore;
                    course.push((atoms, worth, !explores));
                    if explores {
                        model.random_action(&state, player, &mut eye.legal, &mut rng)
                    } else {
                        best
                    }
                }
            };
            model.step(&mut state, &[action], &mut paid[..info.players]);
        }
        let mut worth = paid;
        let mut lessons = Vec::with_capacity(course.len());
        for (atoms, expected, on_course) in course.into_iter().rev() {
            let trust = if on_course { self.course.trust } else { 0.0 };
            for (worth, expected) in worth.iter_mut().zip(expected) {
                *worth = trust * *worth + (1.0 - trust) * expected;
            }
            let worth = worth[..info.players].iter().map(|worth| share(info, *worth) as f32).collect();
            lessons.push(Lesson { atoms: atoms.into(), worth });
        }
        (lessons, share(info, paid[0]))
    }
}

/// A return, from 0 (the worst) to 1.
fn share(info: &Info, value: f64) -> f64 {
    (value - info.min_return) / (info.max_return - info.min_return)
}

/// Looks one move ahead.
struct Eye<'a> {
    model: &'a dyn Model,
    net: &'a Net,
    legal: Vec<Action>,
    atoms: Vec<u32>,
}

impl<'a> Eye<'a> {
    fn new(model: &'a dyn Model, net: &'a Net) -> Eye<'a> {
        Eye { model, net, legal: Vec::new(), atoms: Vec::new() }
    }

    /// The action that is expected to bring `player` most, and what it brings to everybody.
    fn best(&mut self, state: &State, player: usize) -> (Action, [f64; MAX_PLAYERS]) {
        self.legal.clear();
        self.model.legal(state, player, &mut self.legal);
        let mut best = (Action(0), [f64::NEG_INFINITY; MAX_PLAYERS]);
        let legal = std::mem::take(&mut self.legal);
        for &action in &legal {
            let mut worth = [0.0; MAX_PLAYERS];
            let after = self.model.after(state, &[action], &mut worth[..self.model.info().players]);
            self.expect(&after, 1.0, &mut worth);
            if worth[player] > best.1[player] {
                best = (action, worth);
            }
        }
        self.legal = legal;
        best
    }

    /// Adds what a state is expected to bring, weighed.
    fn expect(&mut self, state: &State, weight: f64, worth: &mut [f64; MAX_PLAYERS]) {
        let info = self.model.info();
        match self.model.turn(state) {
            Turn::Over => {}
            Turn::Chance => {
                let mut outcomes = Vec::new();
                self.model.chance(state, &mut outcomes);
                for (outcome, probability) in outcomes {
                    let mut paid = [0.0; MAX_PLAYERS];
                    let after = self.model.after(state, &[outcome], &mut paid[..info.players]);
                    worth.iter_mut().zip(paid).for_each(|(sum, paid)| *sum += weight * probability * paid);
                    self.expect(&after, weight * probability, worth);
                }
            }
            Turn::One(_) | Turn::Several(_) => {
                self.atoms.clear();
                self.model.atoms(state, &mut self.atoms);
                let mut values = [0.0; MAX_PLAYERS];
                self.net.judge(&self.atoms, &mut values[..info.players]);
                for (sum, value) in worth.iter_mut().zip(&values[..info.players]) {
                    *sum += weight * (info.min_return + value * (info.max_return - info.min_return));
                }
            }
        }
    }
}
