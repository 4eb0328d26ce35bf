//! Counting: perft and playouts, the field's measures of correctness and speed.

use std::collections::BTreeMap;

use kibitz_core::interrupt::Interrupt;
use kibitz_core::params::Param;
use kibitz_core::playout::{Context, Playout, PlayoutSpec, Rollout, play_out};
use kibitz_core::spec::{Spec, Value};
use kibitz_core::{Action, Rng, State, Turn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fault::drive;
use crate::game::Game;
use crate::pace::Pace;

/// Steps after which a playout of a game without a horizon is cut off.
const CAP: u32 = 10_000;
/// Playouts between two looks at the clock.
const SLICE: u32 = 16;
/// More different returns than these are not counted one by one.
const MOST_RETURNS: usize = 100_000;

/// Runs `work` without the GIL, or with it where the game needs it anyway, until Ctrl-C.
pub fn at_work<T: Send>(
    py: Python<'_>,
    game: &Game,
    seconds: Option<f64>,
    work: impl FnOnce(&mut Pace) -> T + Send,
) -> PyResult<T> {
    let mut pace = Pace::new(seconds);
    let run = || work(&mut pace);
    let result =
        if game.python.is_some() { drive(py, game, run) } else { drive(py, game, || py.detach(run)) };
    pace.finish()?;
    result
}

/// See `Game.perft` and `State.perft`.
pub fn perft(py: Python<'_>, game: &Game, state: &State, depth: u32) -> PyResult<u64> {
    at_work(py, game, None, |pace| Counter { game, pace, countdown: 0 }.count(state, depth))?
        .map_err(PyValueError::new_err)
}

/// See `State.copies`.
pub fn copies(py: Python<'_>, game: &Game, state: &State, count: u64) -> PyResult<()> {
    at_work(py, game, None, |pace| {
        for number in 0..count {
            if number % 4096 == 4095 && pace.stop() {
                return;
            }
            drop(std::hint::black_box(state.clone()));
        }
    })
}

struct Counter<'a> {
    game: &'a Game,
    pace: &'a mut Pace,
    countdown: u32,
}

impl Counter<'_> {
    fn count(&mut self, state: &State, depth: u32) -> Result<u64, String> {
        if self.countdown == 0 {
            self.countdown = 256;
            if self.pace.stop() {
                return Err("interrupted".to_owned());
            }
        }
        self.countdown -= 1;
        let model = &self.game.model;
        let turn = model.turn(state);
        if depth == 0 || turn == Turn::Over {
            return Ok(1);
        }
        let choices: Vec<Vec<Action>> = if turn == Turn::Chance {
            if !model.info().explicit_chance {
                let spec = &self.game.spec;
                return Err(format!("{spec} only draws chance's outcomes: there is nothing to count"));
            }
            let mut outcomes = Vec::new();
            model.chance(state, &mut outcomes);
            vec![outcomes.into_iter().filter(|(_, p)| *p > 0.0).map(|(outcome, _)| outcome).collect()]
        } else {
            let legal = |player| {
                let mut actions = Vec::new();
                model.legal(state, player, &mut actions);
                actions
            };
            turn.movers().iter().map(legal).collect()
        };
        let ways: usize = choices.iter().map(Vec::len).product();
        let mut rewards = vec![0.0; model.info().players];
        let mut joint = vec![Action(0); choices.len()];
        let mut total = 0;
        let mut next = state.clone();
        for way in 0..ways {
            let mut rest = way;
            for (slot, actions) in joint.iter_mut().zip(&choices) {
                *slot = actions[rest % actions.len()];
                rest /= actions.len();
            }
            next.clone_from(state);
            model.step(&mut next, &joint, &mut rewards);
            total += self.count(&next, depth - 1)?;
        }
        Ok(total)
    }
}

/// See `Game.playouts`.
pub fn playouts(
    py: Python<'_>,
    game: &Game,
    count: u64,
    seed: u64,
    policy: &str,
    batch: u32,
) -> PyResult<(Vec<f64>, u64)> {
    if batch == 0 {
        return Err(PyValueError::new_err("batch: at least one game at a time"));
    }
    let (mut playout, how) = playout(game, policy)?;
    let mut returns = vec![0.0; game.model.info().players];
    let initial = drive(py, game, || game.model.initial())?;
    let steps = at_work(py, game, None, |pace| {
        let faults = game.model.faults();
        let mut steps = 0u64;
        let mut rng = Rng::episode(seed, 0, "playouts");
        let mut left = count;
        while left > 0 {
            if pace.stop() || game.model.faults() != faults {
                break;
            }
            // One look at the clock is dear beside a playout of tic-tac-toe.
            for _ in 0..(SLICE / batch).max(1) {
                let some = left.min(u64::from(batch)) as u32;
                let (rng, interrupt) = (&mut rng, &mut Interrupt::never());
                let mut context = Context::new(rng, interrupt);
                let (model, playout) = (&*game.model, &mut *playout);
                steps += play_out(model, &initial, playout, &how, some, &mut context, &mut returns);
                left -= u64::from(some);
            }
        }
        steps
    })?;
    returns.iter_mut().for_each(|total| *total /= count.max(1) as f64);
    Ok((returns, steps))
}

/// See `State.playout`.
pub fn playout_from(
    py: Python<'_>,
    game: &Game,
    state: &State,
    seed: u64,
    policy: &str,
) -> PyResult<Vec<f64>> {
    let (mut playout, how) = playout(game, policy)?;
    let mut returns = vec![0.0; game.model.info().players];
    let mut rng = Rng::new(seed);
    drive(py, game, || {
        let interrupt = &mut Interrupt::never();
        let mut context = Context::new(&mut rng, interrupt);
        play_out(&*game.model, state, &mut *playout, &how, 1, &mut context, &mut returns);
    })?;
    Ok(returns)
}

/// See `Game.playout_returns`.
pub fn playout_returns(
    py: Python<'_>,
    game: &Game,
    count: u64,
    seed: u64,
    policy: &str,
) -> PyResult<Vec<(Vec<f64>, u64)>> {
    let (mut playout, how) = playout(game, policy)?;
    let players = game.model.info().players;
    let initial = drive(py, game, || game.model.initial())?;
    let found = at_work(py, game, None, |pace| {
        let faults = game.model.faults();
        let mut rng = Rng::episode(seed, 0, "playouts");
        let mut returns = vec![0.0; players];
        let mut found: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
        for done in 0..count {
            if done % u64::from(SLICE) == 0 && (pace.stop() || game.model.faults() != faults) {
                break;
            }
            returns.fill(0.0);
            let (rng, interrupt) = (&mut rng, &mut Interrupt::never());
            let mut context = Context::new(rng, interrupt);
            play_out(&*game.model, &initial, &mut *playout, &how, 1, &mut context, &mut returns);
            let bits: Vec<u64> = returns.iter().map(|value| (value + 0.0).to_bits()).collect();
            *found.entry(bits).or_default() += 1;
            if found.len() > MOST_RETURNS {
                return Err(format!("there are more than {MOST_RETURNS} different returns"));
            }
        }
        Ok(found)
    })?;
    let found = found.map_err(PyValueError::new_err)?;
    let values = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect();
    Ok(found.into_iter().map(|(bits, times)| (values(bits), times)).collect())
}

/// A playout and where it ends, if the game has what it needs.
fn playout(game: &Game, policy: &str) -> PyResult<(Box<dyn Playout>, Rollout)> {
    let info = game.model.info();
    let spec: Spec = policy.parse().map_err(crate::game::spec_error)?;
    let playout = PlayoutSpec::read(&Value::Spec(spec)).map_err(PyValueError::new_err)?.build();
    if let Some(missing) = playout.needs().lacks(info, &game.model.has(), false) {
        return Err(PyValueError::new_err(format!("{policy} needs {missing}, which {} lacks", game.spec)));
    }
    Ok((playout, Rollout::random(info.horizon.unwrap_or(CAP), info.discount)))
}
