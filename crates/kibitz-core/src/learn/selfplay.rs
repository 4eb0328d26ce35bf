//! Games to learn from, and learning from them.
//!
//! Moves are chosen by a search over all outcomes that judges states by the network (search/outcomes.rs), or by a look
//! at the next move alone. A state is worth what that says of the best action, mixed with what really came of it:
//! TD(λ). States that the search looked into and that never came about are learned from as well: by what it found them
//! to be worth.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::net::{Example, Net, Shape, Trainer};
use crate::episode::{Answer, Choice, Fault, Illegal, Referee, Step, Table, Tick, VirtualClock, drive};
use crate::evaluate::Network;
use crate::game::{Action, Info, Turn};
use crate::interrupt::Pause;
use crate::macro_actions::{MacroActions, macro_actions_of};
use crate::model::{Model, SharedModel, State, collapsed_or_self};
use crate::playout::{PlayoutSpec, Rollout};
use crate::rng::{Purpose, Rng};
use crate::search::outcomes::{OutcomeSearch, Run, SearchConfig};

/// A game that goes on for longer than so many steps is broken off.
const LONGEST: u64 = 10_000;
/// The exploration constant of searches, as in `outcome-uct`.
const EXPLORATION: f64 = 0.1;

/// How a network is taught.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Training {
    /// Games from which it learns together.
    pub round: u32,
    /// The most examples that are remembered.
    pub window: usize,
    /// How often something is learned from, on average.
    pub passes: f64,
    /// λ: how much what came of a state counts, beside what the next one was taken to be worth; 0 to 1.
    pub trust: f64,
    /// How often any action is taken, 0 to 1.
    pub explore: f64,
    /// Steps of the game that a search makes before each move; with none, all outcomes of the next move are judged.
    pub transitions: u64,
    /// States that were looked into and are learned from, for each decision, where there is a search.
    pub asides: u32,
    /// How large a step down the gradient is.
    pub rate: f32,
    /// Examples that make one step.
    pub batch: usize,
    /// Units of the first hidden layer.
    pub first: usize,
    /// Units of the second hidden layer.
    pub second: usize,
    /// Whether states are those between moves that cannot be undone.
    pub macro_actions: bool,
    /// Threads that play.
    pub threads: usize,
    /// Where everything random begins.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            round: 1000,
            window: 800_000,
            passes: 2.0,
            trust: 0.5,
            explore: 0.02,
            transitions: 0,
            asides: 3,
            rate: 1e-3,
            batch: 256,
            first: 64,
            second: 32,
            macro_actions: false,
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
pub struct SelfPlay {
    training: Training,
    game: Dealt,
    trainer: Trainer,
    window: VecDeque<Vec<Example>>,
    rng: Rng,
    games: u64,
}

const AT_ONCE: &str = "games in which players move at once are not learned yet";

/// A game of known states, dealt by another one where its states are macro-actions.
struct Dealt {
    model: SharedModel,
    base: SharedModel,
    enter: Option<Arc<dyn MacroActions>>,
}

impl Dealt {
    fn new(game: SharedModel, macro_actions: bool) -> Result<Dealt, String> {
        let base = collapsed_or_self(game);
        let enter = macro_actions.then(|| macro_actions_of(&base));
        let model = enter.as_ref().map_or_else(|| base.clone(), |macro_actions| macro_actions.model());
        let info = model.info();
        if model.atom_count() == 0 {
            let why = "to learn a game, one must be told what is true of its states (atoms), which this one does not say";
            let remedy = if !macro_actions && macro_actions_of(&base).model().atom_count() > 0 {
                ", but of those between its macro-actions it does: learn with macro-actions"
            } else {
                ""
            };
            return Err(format!("{why}{remedy}"));
        }
        if !info.perfect_information || !info.explicit_chance || !info.paid_at_end || info.discount != 1.0 {
            let why = "only games are learned in which nothing is hidden (or that have a collapsed model), with explicit \
                       chance, payment at the end and no discount";
            return Err(why.to_owned());
        }
        if base.info().simultaneous == Some(true) {
            return Err(AT_ONCE.to_owned());
        }
        Ok(Dealt { model, base, enter })
    }

    /// A game that is dealt, and begins. Everything is drawn from one stream.
    fn deal(&self, rng: Rng) -> Result<Referee, String> {
        let mut dealer = Referee::new(self.base.clone(), rng, u64::MAX);
        dealer.advance(Tick(0), &mut |_, _| true).map_err(sentence)?;
        let state = match &self.enter {
            Some(macro_actions) => macro_actions.enter(dealer.state()),
            None => (**dealer.state()).clone(),
        };
        Ok(Referee::from_state(self.model.clone(), state, dealer.stream().clone(), LONGEST))
    }
}

impl SelfPlay {
    /// Begins with a network that knows nothing, or goes on with one.
    ///
    /// # Errors
    /// A game that cannot be learned, or a network for another one.
    pub fn new(game: SharedModel, training: Training, net: Option<Net>) -> Result<SelfPlay, String> {
        let game = Dealt::new(game, training.macro_actions)?;
        let (inputs, outputs) = (game.model.atom_count() as usize, game.model.info().players);
        let mut rng = Rng::new(training.seed);
        let net = match net {
            Some(net) if net.shape.inputs != inputs || net.shape.outputs != outputs => {
                return Err("this network was taught another game".to_owned());
            }
            Some(net) => net,
            None => Net::new(
                Shape { inputs, first: training.first, second: training.second, outputs },
                &mut rng,
            )?,
        };
        Ok(SelfPlay { training, game, trainer: Trainer::new(net), window: VecDeque::new(), rng, games: 0 })
    }

    /// What was learned so far.
    pub fn net(&self) -> &Net {
        &self.trainer.net
    }

    /// How the next rounds are to be taught; the network's size stays what it is.
    pub fn change(&mut self, change: impl FnOnce(&mut Training)) {
        change(&mut self.training);
    }

    /// Plays a round and learns from it; `None` if it was broken off.
    ///
    /// # Errors
    /// A sentence, where chance can do too much in this game.
    pub fn round(&mut self, pause: Pause) -> Result<Option<Progress>, String> {
        let Some(played) = self.play_round(pause)? else { return Ok(None) };
        self.games += u64::from(self.training.round);
        let mean = played.iter().map(|(_, end)| end).sum::<f64>() / played.len().max(1) as f64;
        self.window.push_back(played.into_iter().flat_map(|(examples, _)| examples).collect());
        while self.window.len() > 1
            && self.window.iter().map(Vec::len).sum::<usize>() > self.training.window
        {
            self.window.pop_front();
        }
        Ok(Some(Progress { games: self.games, mean, loss: self.study() }))
    }

    /// Each game's examples, and what the first player got in it.
    fn play_round(&self, pause: Pause) -> Result<Option<Vec<Played>>, String> {
        let network = Network(Arc::new(self.trainer.net.clone()));
        let numbers = self.games..self.games + u64::from(self.training.round);
        let threads = if self.game.model.info().one_thread { 1 } else { self.training.threads.max(1) };
        let stop = AtomicBool::new(false);
        let play_share = |share: usize, pause: &mut dyn FnMut() -> bool| {
            let mut broken_off = || {
                if pause() {
                    stop.store(true, Relaxed);
                }
                stop.load(Relaxed)
            };
            let mut played = Vec::new();
            for number in numbers.clone().skip(share).step_by(threads) {
                if broken_off() {
                    break;
                }
                played.push(self.play(&network, number, &mut broken_off)?);
            }
            Ok::<_, String>(played)
        };
        let played: Result<Vec<_>, String> = std::thread::scope(|scope| {
            let play_share = &play_share;
            let hire = |share| scope.spawn(move || play_share(share, &mut || false));
            let hands: Vec<_> = (1..threads).map(hire).collect();
            let own = play_share(0, pause);
            let others =
                hands.into_iter().map(|hand| hand.join().unwrap_or_else(|panic| resume_unwind(panic)));
            std::iter::once(own).chain(others).collect()
        });
        Ok((!stop.load(Relaxed)).then_some(played?.into_iter().flatten().collect()))
    }

    /// Learns from what is remembered; gives the mean cross entropy.
    fn study(&mut self) -> f64 {
        let Training { passes, batch, rate, .. } = self.training;
        let examples: Vec<&Example> = self.window.iter().flatten().collect();
        let news = self.window.back().map_or(0, Vec::len);
        let batch = batch.clamp(1, examples.len().max(1));
        let count = (passes * news as f64 / batch as f64).ceil();
        let mut loss = 0.0;
        for _ in 0..count as u64 {
            let drawn = (0..batch).map(|_| examples[self.rng.below(examples.len() as u32) as usize]);
            loss += self.trainer.learn(drawn, rate);
        }
        loss / count.max(1.0)
    }

    /// Plays one game, and says what can be learned from it, and what the first player got.
    fn play(&self, network: &Network, number: u64, pause: Pause) -> Result<Played, String> {
        let Training { transitions, explore, trust, .. } = self.training;
        let rng = Rng::episode(self.training.seed, number, "self-play");
        let model = &*self.game.model;
        let info = model.info();
        let config = SearchConfig {
            playout: PlayoutSpec::named("evaluator").build(),
            evaluator: Some(network),
            rollout: Rollout::random(0, info.discount),
            playouts: 1,
            exploration: EXPLORATION,
            best: 0.0,
        };
        let mut run = Run::new(model, config, rng.fork(Purpose::Search));
        let mut search = OutcomeSearch::default();
        let mut referee = self.game.deal(rng)?;
        // Each decision's example, with what its best action is expected to bring, and whether that was taken.
        let mut decided: Vec<(Example, bool)> = Vec::new();
        let mut scratch = Vec::new();
        let choose = |referee: &mut Referee, player: usize| {
            let state = referee.state().clone();
            scratch.clear();
            model.legal(&state, player, &mut scratch);
            let effort = if scratch.len() > 1 { transitions } else { 0 };
            let (best, worth) = search.best(&mut run, (*state).clone(), effort, pause)?;
            let explores = referee.stream().unit() < explore;
            decided.push((example(model, &state, worth), !explores));
            Ok(if explores {
                model.random_action(&state, player, &mut scratch, referee.stream())
            } else {
                best
            })
        };
        let mut table = TrainingTable { referee: &mut referee, choose };
        drive(&mut table, &mut VirtualClock::default(), &mut |_| ())?;
        let mut rng = referee.stream().clone();
        let mut examples = Vec::with_capacity(decided.len());
        if transitions > 0 {
            let looked_into: Vec<_> = search.looked_into().collect();
            for _ in 0..(decided.len() * self.training.asides as usize).min(looked_into.len()) {
                let (state, worth) = looked_into[rng.below(looked_into.len() as u32) as usize];
                examples.push(example(model, state, worth));
            }
        }
        let mut came: Vec<f32> = referee.returns().iter().map(|paid| share(info, *paid)).collect();
        let first = f64::from(came[0]);
        for (mut example, on_policy) in decided.into_iter().rev() {
            let trust = if on_policy { trust as f32 } else { 0.0 };
            for (came, expected) in came.iter_mut().zip(&mut example.worth) {
                *came = trust * *came + (1.0 - trust) * *expected;
                *expected = *came;
            }
            examples.push(example);
        }
        Ok((examples, first))
    }
}

/// A game from which something is learned: the same one chooses for all players.
struct TrainingTable<'a, F> {
    referee: &'a mut Referee,
    choose: F,
}

impl<F: FnMut(&mut Referee, usize) -> Result<Action, String>> Table for TrainingTable<'_, F> {
    type Stop = String;

    fn referee<T>(&mut self, work: impl FnOnce(&mut Referee) -> T) -> T {
        work(self.referee)
    }

    fn ask(&mut self, seat: usize) -> Result<Answer, String> {
        if matches!(self.referee.turn(), Turn::Several(_)) {
            return Err(AT_ONCE.to_owned());
        }
        (self.choose)(self.referee, seat).map(|action| Choice::Act(action).into())
    }

    fn refuse(&mut self, _: usize, illegal: Illegal, _: bool) -> Result<(), String> {
        Err(illegal.to_string())
    }

    fn advance(&mut self, to: Tick) -> Result<Vec<Arc<Step>>, String> {
        self.referee.advance(to, &mut |_, _| true).map_err(sentence)
    }
}

fn sentence(fault: Fault) -> String {
    match fault {
        Fault::Game(why) => why,
        Fault::Refused => "a step was refused".to_owned(),
    }
}

/// What can be learned from a game, and what the first player got in it, from 0 to 1.
type Played = (Vec<Example>, f64);

/// That a state is worth so much.
fn example(model: &dyn Model, state: &State, worth: &[f64]) -> Example {
    let mut atoms = Vec::new();
    model.atoms(state, &mut atoms);
    let worth = worth.iter().map(|worth| share(model.info(), *worth)).collect();
    Example { atoms: atoms.into(), worth }
}

/// A return, from 0 (the worst) to 1.
fn share(info: &Info, value: f64) -> f32 {
    ((value - info.min_return) / (info.max_return - info.min_return)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::outcomes::tests::{GOAL, exact, pig};

    /// A training of one-player pig, and how far the network is from dynamic programming where it has a choice.
    fn error_after(rounds: u32, transitions: u64) -> f64 {
        let training = Training {
            round: 100,
            explore: 0.2,
            transitions,
            rate: 0.01,
            batch: 32,
            first: 32,
            ..Training::default()
        };
        let mut examples = SelfPlay::new(pig(), training, None).unwrap();
        for _ in 0..rounds {
            examples.round(&mut || false).unwrap().unwrap();
        }
        let mut value = [0.0];
        // Nobody ever has one: that loses all.
        let errors = (0..GOAL).filter(|sum| *sum != 1).map(|sum| {
            examples.net().judge(&[sum], &mut value);
            (value[0] - exact(sum)).powi(2)
        });
        (errors.sum::<f64>() / f64::from(GOAL - 1)).sqrt()
    }

    #[test]
    fn what_states_are_worth_is_learned() {
        for (transitions, most) in [(0, 0.08), (30, 0.03)] {
            let (before, after) = (error_after(0, transitions), error_after(200, transitions));
            assert!(before > 0.2 && after < most, "{transitions} steps a move: {before} {after}");
        }
    }

    #[test]
    fn states_that_were_only_looked_into_are_learned_from() {
        let training = Training { transitions: 100, ..Training::default() };
        let examples = SelfPlay::new(pig(), training, None).unwrap();
        let network = Network(Arc::new(examples.net().clone()));
        let (learned, _) = examples.play(&network, 0, &mut || false).unwrap();
        assert!(learned.len().is_multiple_of(1 + training.asides as usize), "{} examples", learned.len());
        let decisions = learned.len() / (1 + training.asides as usize);
        let mut seen: Vec<u32> = learned.iter().map(|example| example.atoms[0]).collect();
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > decisions, "{seen:?} in {decisions} decisions");
    }
}
