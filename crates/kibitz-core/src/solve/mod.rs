//! Exact solvers for small games, to judge planners by.
//!
//! * `lookahead.rs`: perfect information, turn-taking; expectimax, and alpha-beta for two.
//! * `beliefs.rs`: one player who does not see everything; dynamic programming over beliefs; `bounds.rs`, where
//!   those are too many and there is nothing to get before the end: branch and bound over beliefs.
//!
//! Two players with opposite interests and anything hidden are left to the caller: a linear program over the
//! sequence form, which [`crate::equilibrium`] writes down.

mod beliefs;
mod bounds;
pub mod lookahead;

use crate::determinized::Determinized;
use crate::game::{Action, Turn};
use crate::model::{Model, SharedModel, State};
use crate::rng::Rng;

/// The value of a game and how to begin.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Solution {
    /// The expected return of each player under best play; empty if a game's own solver did not find out.
    pub value: Vec<f64>,
    /// A best first action, if the first decision is the same in every case.
    pub action: Option<String>,
    /// How it was found.
    pub method: &'static str,
    /// How many states (or beliefs) were looked at.
    pub states: u64,
    /// The value of each first action for the player who chooses it, best first.
    pub table: Vec<(String, f64)>,
    /// All moves of a way to that value, where one way is all there is to it.
    pub line: Vec<String>,
}

/// What a game's own solver says of a state in which everything is known, for its one player.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Proof {
    /// The best return; unknown, if it gave up before.
    pub value: Option<f64>,
    /// How to get it; empty, if whatever is done gets no more.
    pub moves: Vec<Action>,
    /// How many states it looked at.
    pub states: u64,
}

/// What a solver says that was told to stop.
const INTERRUPTED: &str = "interrupted";

/// How far a solver may go.
pub struct Limits<'a> {
    /// States (or beliefs) after which it gives up.
    pub states: u64,
    /// Called now and then; true stops the solver.
    pub pause: &'a mut dyn FnMut() -> bool,
}

impl Limits<'_> {
    /// Counts a state.
    ///
    /// # Errors
    /// When there have been too many, or somebody wants to stop.
    fn count(&mut self, seen: &mut u64) -> Result<(), String> {
        *seen += 1;
        if *seen > self.states {
            return Err(format!(
                "the game is too large to solve exactly: more than {} states; \
                 allow more, or take smaller parameters",
                self.states
            ));
        }
        if seen.is_multiple_of(64) && (self.pause)() {
            return Err(INTERRUPTED.to_owned());
        }
        Ok(())
    }
}

/// The state before the first move of a player, chance's moves drawn.
///
/// # Errors
/// A sentence, if there is none.
pub fn deal(model: &dyn Model, rng: &mut Rng) -> Result<State, String> {
    let mut state = model.initial();
    let mut rewards = vec![0.0; model.info().players];
    for _ in 0..=model.info().longest_chance() {
        match model.turn(&state) {
            Turn::Chance => {
                let outcome = model.draw(&state, rng);
                model.step(&mut state, &[outcome], &mut rewards);
            }
            Turn::Over => return Err("nobody gets to move in this deal".to_owned()),
            _ => return Ok(state),
        }
    }
    Err(model.info().endless_chance())
}

/// Solves a game from a state on, as [`solve`] does.
///
/// # Errors
/// As there; and if the players would not know the state.
pub fn solve_from(
    model: &SharedModel,
    state: State,
    limits: &mut Limits,
) -> Result<Option<Solution>, String> {
    if !model.info().perfect_information {
        return Err(
            "a single deal can be solved only if nothing of it is hidden from the players".to_owned()
        );
    }
    match prove(&**model, &state, limits) {
        Some(solution) => Ok(Some(solution)),
        None => solve(&Determinized::new(model.clone(), state, None), limits),
    }
}

/// What the game's own solver says of a state.
fn prove(model: &dyn Model, state: &State, limits: &mut Limits) -> Option<Solution> {
    let proof = model.prove(state, limits.states, limits.pause)?;
    let mut solution = Solution {
        value: proof.value.into_iter().collect(),
        method: "the game's own solver",
        states: proof.states,
        ..Solution::default()
    };
    let mut state = state.clone();
    for action in proof.moves {
        let Turn::One(player) = model.turn(&state) else { break };
        solution.line.push(model.action_name(&state, Some(player), action));
        model.step(&mut state, &[action], &mut vec![0.0; model.info().players]);
    }
    solution.action = solution.line.first().cloned();
    Some(solution)
}

/// Solves a game of perfect information, or of one player who does not see everything.
/// `None` if it is neither (see [`crate::equilibrium::Tree`]).
///
/// # Errors
/// A sentence, if the game is too large or has no end.
pub fn solve(model: &dyn Model, limits: &mut Limits) -> Result<Option<Solution>, String> {
    let info = model.info();
    if info.perfect_information
        && let Some(solution) = prove(model, &model.initial(), limits)
    {
        return Ok(Some(solution));
    }
    if !info.explicit_chance {
        return Err(
            "exact solving needs explicit probabilities of chance, which this game lacks".to_owned()
        );
    }
    let solution = if info.players == 1 && (!info.perfect_information || info.horizon.is_none()) {
        solve_alone(model, limits).map(Some)
    } else if info.perfect_information {
        lookahead::solve(model, limits)
    } else {
        Ok(None)
    };
    match model.fault() {
        Some(fault) if model.faults() > 0 => Err(fault),
        _ => solution,
    }
}

/// All beliefs, as long as they are few; then those that matter.
fn solve_alone(model: &dyn Model, limits: &mut Limits) -> Result<Solution, String> {
    if !model.info().bounds_what_is_left() {
        return beliefs::solve(model, limits);
    }
    let mut few = Limits { states: limits.states / 10, pause: &mut *limits.pause };
    match beliefs::solve(model, &mut few) {
        Err(why) if why != INTERRUPTED => match bounds::solve(model, limits)? {
            Some(solution) => Ok(solution),
            None => beliefs::solve(model, limits),
        },
        solved => solved,
    }
}
