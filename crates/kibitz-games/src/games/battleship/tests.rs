use std::collections::BTreeMap;

use super::*;
use crate::testing::{play, returns};
use kibitz_core::view::Event;

fn game(size: u32, ships: u32) -> Battleship {
    Battleship::new(BattleshipParams { size, ships }).unwrap()
}

fn preferred(game: &Battleship, moves: &str) -> Vec<String> {
    let (state, mut actions) = (play(game, moves), Vec::new());
    game.preferred(&state, 0, &mut actions);
    actions.iter().map(|action| game.action_name(&state, Some(0), *action)).collect()
}

fn legal(game: &Battleship, moves: &str) -> usize {
    let mut actions = Vec::new();
    game.legal(&play(game, moves), 0, &mut actions);
    actions.len()
}

fn outcomes(game: &Battleship, moves: &str) -> Vec<(String, f64)> {
    let (state, mut outcomes) = (play(game, moves), Vec::new());
    game.chance(&state, &mut outcomes);
    outcomes.iter().map(|(action, p)| (game.action_name(&state, None, *action), *p)).collect()
}

/// What a gunner has seen who shot at these squares.
fn view(game: &Battleship, truth: &State, shots: &[&str]) -> (State, View) {
    let (mut state, mut view) = (*truth, View::new(0));
    for shot in shots {
        let mut actions = Vec::new();
        game.legal(&state, 0, &mut actions);
        let named = |action: &&Action| game.action_name(&state, Some(0), **action) == *shot;
        let action = *actions.iter().find(named).unwrap();
        game.step(&mut state, &[action], &mut [0.0]);
        view.events.push(Event::Acted(action));
        view.events.push(Event::Observed(game.observe(&state, Turn::One(0), &[action], 0)));
    }
    (state, view)
}

/// All fleets that agree with what was told, and how likely they are, by trying every one.
fn posterior(game: &Battleship, told: &State) -> BTreeMap<u128, f64> {
    fn place(game: &Battleship, state: State, p: f64, told: &State, found: &mut BTreeMap<u128, f64>) {
        if !game.is_placing(&state) {
            if state.ships & told.shots == told.ships & told.shots {
                *found.entry(state.ships).or_default() += p;
            }
            return;
        }
        let mut outcomes = Vec::new();
        game.chance(&state, &mut outcomes);
        for (outcome, chance) in outcomes {
            let mut after = state;
            game.step(&mut after, &[outcome], &mut [0.0]);
            place(game, after, p * chance, told, found);
        }
    }
    let mut found = BTreeMap::new();
    place(game, game.initial(), 1.0, told, &mut found);
    let total: f64 = found.values().sum();
    found.values_mut().for_each(|p| *p /= total);
    found
}

#[test]
fn pays_for_every_shot_that_was_not_needed() {
    let small = game(4, 2);
    // A ship of three squares and one of two; five shots are the fewest, sixteen the most.
    assert_eq!(returns(&small, "a1-c1 b3-b4 a1 b1 c1 b3 b4"), [16.0 - 5.0]);
    assert_eq!(returns(&small, "a1-c1 b3-b4 d4 a1 b1 c1 b3 a4 b4"), [16.0 - 7.0]);
    let misses = "d1 a2 b2 c2 d2 a3 c3 d3 a4 c4 d4";
    assert_eq!(returns(&small, &format!("a1-c1 b3-b4 {misses} a1 b1 c1 b3 b4")), [0.0]);
    let info = game(10, 5).info;
    assert_eq!((info.min_return, info.max_return, info.horizon), (-100.0, 94.0, Some(105)));
}

#[test]
fn ships_do_not_touch() {
    let large = game(10, 5);
    // Five places for a ship of six squares in each of ten rows and ten columns.
    let first = outcomes(&large, "");
    assert_eq!(first.len(), 100);
    assert!(first.iter().all(|(_, p)| (p - 0.01).abs() < 1e-12));
    let small = game(4, 2);
    // With three squares at the southern edge, a ship of two is two rows away, or stands at the eastern edge.
    let names: Vec<String> = outcomes(&small, "a1-c1").into_iter().map(|(name, _)| name).collect();
    let expected =
        ["a3-b3", "b3-c3", "c3-d3", "a4-b4", "b4-c4", "c4-d4", "a3-a4", "b3-b4", "c3-c4", "d3-d4"];
    assert_eq!(names, expected);
    assert_eq!(outcomes(&game(3, 2), "a2-c2"), [("no room for 2".to_owned(), 1.0)]);
    assert_eq!(returns(&game(3, 2), "a2-c2 no_room_for_2 a2 b2 c2"), [6.0]);
    let error = Battleship::new(BattleshipParams { size: 5, ships: 5 }).err().unwrap();
    assert_eq!(error, "a ship of 6 squares does not fit on 5 x 5");
}

#[test]
fn placing_is_uniform_among_what_fits() {
    let large = game(10, 5);
    let mut rng = Rng::new(4);
    for _ in 0..2000 {
        let mut state = large.initial();
        while large.is_placing(&state) {
            let before = large.waters.around(state.ships);
            let drawn = large.draw(&state, &mut rng);
            let mut outcomes = Vec::new();
            large.chance(&state, &mut outcomes);
            assert!(outcomes.iter().any(|(outcome, _)| *outcome == drawn));
            let ships = state.ships;
            large.step(&mut state, &[drawn], &mut [0.0]);
            assert_eq!((state.ships & !ships) & before, 0);
        }
        assert_eq!(state.ships.count_ones(), 6 + 5 + 4 + 3 + 2);
    }
}

#[test]
fn corners_of_hits_are_not_preferred() {
    let small = game(4, 2);
    assert_eq!(preferred(&small, "a1-c1 b3-b4").len(), 16);
    assert_eq!(legal(&small, "a1-c1 b3-b4 b3 c1"), 14);
    let left = preferred(&small, "a1-c1 b3-b4 b3 c1");
    // a2, c2, a4 and c4 have a corner in common with b3; b2 and d2 with c1.
    assert_eq!(left, ["a1", "b1", "d1", "a3", "c3", "d3", "b4", "d4"]);
}

#[test]
fn the_gunner_sees_shots_only() {
    let small = game(4, 2);
    let (one, other) = (play(&small, "a1-c1 b3-b4 a1"), play(&small, "a1-c1 c3-c4 a1"));
    assert_eq!(small.text(&one, Some(0)), small.text(&other, Some(0)));
    assert_eq!(small.svg(&one, Some(0)), small.svg(&other, Some(0)));
    assert_ne!(small.text(&one, None), small.text(&other, None));
    assert_eq!(one.seen, other.seen);
}

#[test]
fn resampling_follows_bayes() {
    let small = game(5, 3);
    let truth = play(&small, "a1-d1 a3-a5 d4-e4");
    let lots =
        [&[][..], &["c3"], &["c1", "c3", "b5"], &["c1", "a4", "e5", "b1"], &["d4", "a4", "d1", "e4"]];
    for shots in lots {
        let (told, view) = view(&small, &truth, shots);
        let exact = posterior(&small, &told);
        let mut rng = Rng::new(9);
        let (mut proposed, mut drawn) = (BTreeMap::new(), BTreeMap::new());
        let shown = fleet::Told::from_view(&view, 25).unwrap();
        for _ in 0..100_000 {
            if let Some((ships, weight)) = small.waters.propose(&small.lengths, &shown, &mut rng) {
                *proposed.entry(ships).or_insert(0.0) += weight;
            }
        }
        for _ in 0..10_000 {
            let guess = small.resample(&view, &mut rng).unwrap();
            assert_eq!(State { ships: told.ships, ..guess }, told);
            *drawn.entry(guess.ships).or_insert(0.0) += 1.0;
        }
        let share = |fleets: &BTreeMap<u128, f64>, square: u32| {
            let there: f64 =
                fleets.iter().filter(|(ships, _)| *ships >> square & 1 == 1).map(|(_, w)| w).sum();
            there / fleets.values().sum::<f64>()
        };
        assert!(proposed.keys().chain(drawn.keys()).all(|ships| exact.contains_key(ships)));
        for square in 0..25 {
            let expected = share(&exact, square);
            let (weighed, found) = (share(&proposed, square), share(&drawn, square));
            assert!((weighed - expected).abs() < 0.008, "{shots:?}, {square}: {weighed}, not {expected}");
            assert!((found - expected).abs() < 0.025, "{shots:?}, {square}: {found}, not {expected}");
        }
    }
}

#[test]
fn resampling_finds_a_fleet_at_every_moment() {
    for (size, ships) in [(10, 5), (11, 6), (8, 6), (7, 6), (6, 5), (3, 2), (2, 1)] {
        let game = game(size, ships);
        let (mut rng, mut scratch) = (Rng::new(6), Vec::new());
        for _ in 0..20 {
            let (mut state, mut view) = (game.initial(), View::new(0));
            while game.turn(&state) == Turn::Chance {
                let drawn = game.draw(&state, &mut rng);
                game.step(&mut state, &[drawn], &mut [0.0]);
            }
            while game.turn(&state) != Turn::Over {
                let guess: State = game.resample(&view, &mut rng).unwrap();
                assert_eq!(guess.ships & state.shots, state.ships & state.shots);
                assert_eq!((guess.shots, guess.seen), (state.shots, state.seen));
                assert_eq!(game.turn(&guess), Turn::One(0));
                let action = game.random_action(&state, 0, &mut scratch, &mut rng);
                game.step(&mut state, &[action], &mut [0.0]);
                view.events.push(Event::Acted(action));
                view.events.push(Event::Observed(game.observe(&state, Turn::One(0), &[action], 0)));
            }
        }
    }
}

#[test]
fn views_of_other_games_are_refused() {
    let small = game(4, 2);
    let refused = |events: Vec<Event>| {
        let view = View { events, ..View::new(0) };
        Resample::<State>::resample(&small, &view, &mut Rng::new(1)).is_none()
    };
    assert!(refused(vec![Event::Acted(Action(16))]));
    assert!(refused(vec![Event::Observed(HIT)]));
    assert!(refused(vec![Event::Acted(Action(3)), Event::Observed(Observation(9))]));
    // Two hits that touch by a corner cannot be.
    let shot = |square, told| [Event::Acted(Action(square)), Event::Observed(told)];
    assert!(refused([shot(0, HIT), shot(5, HIT)].concat()));
}
