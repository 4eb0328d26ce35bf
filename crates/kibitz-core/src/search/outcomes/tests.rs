//! A game of dice, small enough for dynamic programming, and what a search finds in it.

use super::*;
use crate::abilities::{Abilities, Atoms, StateHash};
use crate::game::{Game, Info};
use crate::registry;
use crate::rng::mix;
use std::sync::Arc;

/// Roll a die as often as you like: a one loses all, twenty is the most. What you have when you stop is paid, in
/// twentieths.
pub(crate) struct Pig(Info);

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Stage {
    Choosing,
    Rolling,
    Over,
}

const STOP: Action = Action(0);
pub(crate) const GOAL: u32 = 20;

impl Game for Pig {
    type State = (u32, Stage);
    fn info(&self) -> &Info {
        &self.0
    }
    fn initial(&self) -> Self::State {
        (0, Stage::Choosing)
    }
    fn turn(&self, state: &Self::State) -> Turn {
        match state.1 {
            Stage::Choosing => Turn::One(0),
            Stage::Rolling => Turn::Chance,
            Stage::Over => Turn::Over,
        }
    }
    fn legal(&self, _: &Self::State, _: usize, actions: &mut Vec<Action>) {
        actions.extend([STOP, Action(1)]);
    }
    fn chance(&self, _: &Self::State, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend((1..=6).map(|face| (Action(face), 1.0 / 6.0)));
    }
    fn step(&self, (sum, stage): &mut Self::State, joint: &[Action], rewards: &mut [f64]) {
        *stage = match (*stage, joint[0]) {
            (Stage::Choosing, STOP) => Stage::Over,
            (Stage::Choosing, _) => Stage::Rolling,
            (_, Action(1)) => {
                *sum = 0;
                Stage::Over
            }
            (_, Action(face)) => {
                *sum = GOAL.min(*sum + face);
                if *sum == GOAL { Stage::Over } else { Stage::Choosing }
            }
        };
        if *stage == Stage::Over {
            rewards[0] += f64::from(*sum) / f64::from(GOAL);
        }
    }
    crate::in_numbers!();

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { hash: Some(self), atoms: Some(self), ..Abilities::default() }
    }
}

impl StateHash<(u32, Stage)> for Pig {
    fn hash(&self, (sum, stage): &(u32, Stage)) -> u64 {
        mix(u64::from(*sum) << 2 | *stage as u64)
    }
}

impl Atoms<(u32, Stage)> for Pig {
    fn atom_count(&self) -> u32 {
        GOAL + 1
    }

    fn atoms(&self, state: &(u32, Stage), atoms: &mut Vec<u32>) {
        atoms.push(state.0);
    }
}

pub(crate) fn pig() -> Arc<Pig> {
    let mut info = Info::new(1, 0.0, 1.0);
    info.paid_at_end = true;
    Arc::new(Pig(info))
}

/// What such a sum is worth, by dynamic programming.
pub(crate) fn exact(sum: u32) -> f64 {
    let now = f64::from(sum.min(GOAL)) / f64::from(GOAL);
    if sum >= GOAL { now } else { now.max((2..=6).map(|face| exact(sum + face)).sum::<f64>() / 6.0) }
}

fn decide(spec: &str) -> Decision {
    let game = pig();
    let mut planner = registry::planner(&spec.parse().unwrap()).unwrap();
    planner.start(game.clone(), 0, 1).unwrap();
    let mut view = View::new(0);
    Game::legal(&*game, &Game::initial(&*game), 0, &mut view.legal);
    planner.act(&view, &mut || false).unwrap()
}

#[test]
fn what_is_looked_into_to_the_end_is_exact() {
    let found = decide("outcome-uct(playout=random, backup=max, simulations=2000)");
    assert!((found.values[0] - exact(0)).abs() < 1e-9, "{} {}", found.values[0], exact(0));
    assert_eq!(found.action, Action(1));
    assert!(found.nodes < 70, "{} states", found.nodes);
    let by_mean = decide("outcome-uct(playout=random, simulations=2000)");
    assert!(by_mean.values[0] < exact(0) && by_mean.values[0] > exact(0) - 0.05, "{:?}", by_mean.values);
}

#[test]
fn steps_are_an_end_where_nothing_is_left_to_look_into() {
    let found = decide("outcome-uct(playout=random, transitions=3000)");
    assert!(found.transitions >= Some(3000) && found.simulations > 1000, "{found:?}");
}

#[test]
fn outcomes_are_followed_in_proportion() {
    let mut search = OutcomeSearch::default();
    let shares = [0.5, 0.25, 0.125, 0.125];
    search.outcomes.extend((0..).zip(shares).map(|(to, probability)| Outcome {
        to,
        probability,
        visits: 0,
    }));
    search.edges.push(Edge { action: STOP, visits: 0, outcomes: (0, 4) });
    (0..80).for_each(|_| {
        search.follow(0);
    });
    let visits: Vec<u32> = search.outcomes.iter().map(|outcome| outcome.visits).collect();
    assert_eq!(visits, [40, 20, 10, 10]);
}

#[test]
fn what_does_not_go_together_is_said() {
    for part in ["width=2", "workers=2", "selection=uniform", "grow=3"] {
        let spec = format!("outcome-uct(playout=random, {part})");
        let mut planner = registry::planner(&spec.parse().unwrap()).unwrap();
        let why = planner.start(pig(), 0, 1).unwrap_err();
        assert!(why.contains(&format!("{part} would have no effect: tree=outcomes")), "{part}: {why}");
    }
}
