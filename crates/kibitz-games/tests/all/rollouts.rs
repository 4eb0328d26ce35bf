//! `nmc` and `ff-replan`, on games small enough to know what they must find.

use kibitz_core::abilities::{Abilities, Evaluate};
use std::sync::Arc;

use kibitz_core::episode::{Referee, Tick};
use kibitz_core::planner::{Decision, Judgement, Planner};
use kibitz_core::{Action, Event, Game, Info, Model, Rng, SharedModel, State, Turn, View, registry};

use crate::common::Walk;

/// Three turns to the left (0) or to the right (1). To the right always looks better.
struct Detour {
    info: Info,
}

impl Detour {
    fn model() -> SharedModel {
        let mut info = Info::new(1, 0.0, 2.0);
        info.paid_at_end = true;
        Arc::new(Detour { info })
    }
}

impl Game for Detour {
    type State = Vec<u32>;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Vec<u32> {
        Vec::new()
    }

    fn turn(&self, taken: &Vec<u32>) -> Turn {
        if taken.len() == 3 { Turn::Over } else { Turn::One(0) }
    }

    fn legal(&self, _: &Vec<u32>, _: usize, actions: &mut Vec<Action>) {
        actions.extend([Action(0), Action(1)]);
    }

    fn step(&self, taken: &mut Vec<u32>, joint: &[Action], rewards: &mut [f64]) {
        taken.push(joint[0].0);
        rewards[0] += match taken[..] {
            [1, 1, 1] => 0.25,
            [0, 1, 1] => 1.0,
            [0, 0, 1] => 2.0,
            _ => 0.0,
        };
    }

    kibitz_core::in_numbers!();

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { evaluator: Some(self), ..Abilities::default() }
    }
}

impl Evaluate<Vec<u32>> for Detour {
    fn evaluate(&self, taken: &Vec<u32>, values: &mut [f64]) {
        values[0] = 0.1 * f64::from(taken.iter().sum::<u32>());
    }
}

fn start(planner: &str, game: &SharedModel) -> Box<dyn Planner> {
    let mut planner = registry::planner(&planner.parse().unwrap()).unwrap();
    planner.start(game.clone(), 0, 1).unwrap();
    planner
}

/// Plays a game of one player; gives its decisions and its return.
fn play(planner: &str, game: &SharedModel) -> (Vec<Decision>, f64) {
    let mut planner = start(planner, game);
    let mut referee = Referee::new(game.clone(), Rng::new(0), u64::MAX);
    let mut decisions = Vec::new();
    while referee.goes_on() {
        let decision = planner.act(&referee.view(0), &mut || false).unwrap();
        referee.submit(0, Some(decision.action)).unwrap();
        referee.advance(Tick(0), &mut |_, _| true).unwrap();
        decisions.push(decision);
    }
    (decisions, referee.returns()[0])
}

fn values(decision: &Decision) -> Vec<(u32, f64)> {
    let mut values: Vec<_> = decision.table.iter().map(|row| (row.action.0, row.value.unwrap())).collect();
    values.sort_by_key(|(action, _)| *action);
    values
}

#[test]
fn each_level_sees_further() {
    let game = Detour::model();
    let cases =
        [(0, [(0, 0.0), (1, 0.1)], 0.25), (1, [(0, 1.0), (1, 0.25)], 2.0), (2, [(0, 2.0), (1, 0.25)], 2.0)];
    for (level, expected, end) in cases {
        let (decisions, paid) = play(&format!("nmc(level={level})"), &game);
        assert_eq!(values(&decisions[0]), expected, "level {level}");
        assert_eq!(paid, end, "level {level}");
    }
    // The horizon cuts games off, where the evaluator has its say.
    let (decisions, _) = play("nmc(level=1, horizon=1)", &game);
    assert_eq!(values(&decisions[0]), [(0, 0.0), (1, 0.1)]);
}

#[test]
fn worlds_are_averaged_over_what_comes_of_them() {
    let game = Detour::model();
    for level in 1..=2 {
        let (alone, _) = play(&format!("nmc(level={level})"), &game);
        for paired in [true, false] {
            let spec = format!("hindsight(planner=nmc(level={level}), worlds=3, paired={paired})");
            assert_eq!(values(&play(&spec, &game).0[0]), values(&alone[0]), "{spec}");
        }
    }
}

#[test]
fn a_plan_is_followed_while_all_goes_as_expected() {
    let (decisions, paid) = play("ff-replan(planner=nmc(level=2))", &Detour::model());
    assert_eq!(paid, 2.0);
    assert!(decisions[0].notes[0].starts_with("planned: 3 moves, to the end of the game"), "{decisions:?}");
    assert!(decisions[1..].iter().all(|decision| decision.notes[0].starts_with("as planned")));
    // A plan that is cut off is made anew.
    let (decisions, _) = play("ff-replan(horizon=2)", &Detour::model());
    let notes: Vec<&str> = decisions.iter().map(|decision| decision.notes[0].as_str()).collect();
    assert!(notes[0].starts_with("planned: 2 moves") && notes[1].starts_with("as planned"), "{notes:?}");
    assert!(notes[2].starts_with("planned anew: 1 moves"), "{notes:?}");
}

/// The tiger is heard behind either door: half of the plans turn out wrong at once.
#[test]
fn a_plan_is_made_anew_when_something_else_is_seen() {
    let tiger = registry::game(&"tiger(horizon=6)".parse().unwrap()).unwrap();
    let mut anew = 0;
    for seed in 0..40 {
        let mut planner = start("ff-replan(planner=random)", &tiger);
        let mut walk = Walk::new(&*tiger, seed);
        let mut plans = 0;
        while walk.turn() != Turn::Over {
            if walk.turn() == Turn::One(0) {
                walk.ask(0);
                let decision = planner.act(&walk.views[0], &mut || false).unwrap();
                assert!(walk.views[0].legal.contains(&decision.action));
                plans += i32::from(decision.notes[0].starts_with("planned anew"));
            }
            walk.step();
        }
        anew += plans;
    }
    assert!(anew > 0);
}

/// Whoever moves in a game of two is played for, too.
#[test]
fn nested_finds_a_win() {
    let game = registry::game(&"tic-tac-toe".parse().unwrap()).unwrap();
    let mut state = game.initial();
    let mut view = View::new(0);
    for name in ["a1", "b1", "a2", "b2"] {
        step(&*game, &mut state, &mut view, name);
    }
    game.legal(&state, 0, &mut view.legal);
    view.legal.sort_unstable();
    let decision = start("nmc(level=1)", &game).act(&view, &mut || false).unwrap();
    let named = |row: &&Judgement| game.action_name(&state, Some(0), row.action) == "a3";
    assert_eq!(decision.table.iter().find(named).unwrap().value, Some(1.0));
    assert_eq!(decision.table[0].value, Some(1.0));
}

/// The player to move does what is called so; player 1's view is kept.
fn step(game: &dyn Model, state: &mut State, view: &mut View, name: &str) {
    let turn = game.turn(state);
    let mover = turn.movers().iter().next().unwrap();
    let mut legal = Vec::new();
    game.legal(state, mover, &mut legal);
    let called = |action: &&Action| game.action_name(state, Some(mover), **action) == name;
    let Some(&action) = legal.iter().find(called) else {
        panic!(
            "no {name}: {:?}",
            legal.iter().map(|a| game.action_name(state, Some(mover), *a)).collect::<Vec<_>>()
        )
    };
    game.step(state, &[action], &mut [0.0, 0.0]);
    if mover == 0 {
        view.events.push(Event::Acted(action));
    }
    view.events.push(Event::Observed(game.observe(state, turn, &[action], 0)));
}
