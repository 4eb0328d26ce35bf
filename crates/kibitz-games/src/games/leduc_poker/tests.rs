use super::*;
use crate::testing::{perft, play, returns};

/// As OpenSpiel counts them.
#[test]
fn the_tree_has_its_known_size() {
    let game = LeducPoker::new();
    let counts: Vec<u64> = (1..=11).map(|depth| perft(&game, &game.initial(), depth)).collect();
    assert_eq!(counts, [6, 30, 60, 150, 390, 780, 1800, 2640, 2280, 1080, 240]);
}

/// The first player's expected return, and all views in which somebody has to move.
fn uniform_value(game: &LeducPoker, state: &State, views: &mut Vec<u64>) -> f64 {
    let value = |action, views: &mut Vec<u64>| {
        let (mut after, mut rewards) = (*state, [0.0; 2]);
        game.step(&mut after, &[action], &mut rewards);
        rewards[0] + uniform_value(game, &after, views)
    };
    match game.turn(state) {
        Turn::Over | Turn::Several(_) => 0.0,
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.chance(state, &mut outcomes);
            outcomes.iter().map(|(card, p)| p * value(*card, views)).sum()
        }
        Turn::One(player) => {
            views.push(game.view_key(state, player));
            let mut legal = Vec::new();
            game.legal(state, player, &mut legal);
            legal.iter().map(|action| value(*action, views)).sum::<f64>() / legal.len() as f64
        }
    }
}

/// As OpenSpiel computes them.
#[test]
fn uniform_play_has_its_known_value() {
    let (game, mut views) = (LeducPoker::new(), Vec::new());
    let value = uniform_value(&game, &game.initial(), &mut views);
    assert!((value + 0.078125).abs() < 1e-12, "{value}");
    views.sort_unstable();
    views.dedup();
    assert_eq!(views.len(), 936);
}

#[test]
fn pays_as_it_should() {
    let returns = |moves| returns(&LeducPoker::new(), moves);
    assert_eq!(returns("Js Kh raise fold"), [1.0, -1.0]);
    assert_eq!(returns("Js Kh call call Jh call call"), [1.0, -1.0]);
    assert_eq!(returns("Js Kh call call Qh call call"), [-1.0, 1.0]);
    assert_eq!(returns("Js Jh raise raise call Qh raise raise call"), [0.0, 0.0]);
    assert_eq!(returns("Ks Jh call raise raise call Js call raise raise call"), [-13.0, 13.0]);
    assert_eq!(returns("Ks Jh raise call Qs call raise fold"), [-3.0, 3.0]);
}

#[test]
fn only_a_bet_can_be_folded_to() {
    let game = LeducPoker::new();
    let legal = |moves| {
        let mut actions = Vec::new();
        game.legal(&play(&game, moves), 0, &mut actions);
        actions.iter().map(|a| a.0 as u8).collect::<Vec<_>>()
    };
    assert_eq!(legal("Js Kh"), [CALL, RAISE]);
    assert_eq!(legal("Js Kh raise"), [FOLD, CALL, RAISE]);
    assert_eq!(legal("Js Kh raise raise"), [FOLD, CALL]);
    assert_eq!(legal("Js Kh raise raise call Qs"), [CALL, RAISE]);
}

#[test]
fn cards_are_hidden_until_the_showdown() {
    let game = LeducPoker::new();
    let shown = |moves, viewer| game.text(&play(&game, moves), viewer).lines().next().unwrap().to_owned();
    assert_eq!(shown("Js Kh call", Some(0)), "player 1: Js   player 2: ?   table: -");
    assert_eq!(shown("Js Kh raise fold", Some(1)), "player 1: ?   player 2: Kh   table: -");
    assert_eq!(shown("Js Kh call call Qh call call", Some(0)), "player 1: Js   player 2: Kh   table: Qh");
    let state = play(&game, "Js Kh call raise call Jh call raise fold");
    assert_eq!(
        game.text(&state, None),
        "player 1: Js   player 2: Kh   table: Jh\n\
         round 1: call, raise, call; round 2: call, raise, fold\n\
         pot 3 + 7; player 2 wins 3\n"
    );
}

#[test]
fn resampled_cards_are_uniform() {
    let game = LeducPoker::new();
    let mut view = View::new(1);
    // The first player has a card; this one Qs; call, call; Kh on the table.
    for told in [OTHER_DEALT, OWN_CARD + 2, 2, 2, TABLE_CARD + 5] {
        view.events.push(Event::Observed(Observation(told)));
    }
    let (mut rng, mut counts) = (Rng::new(4), [0u32; 6]);
    for _ in 0..40_000 {
        let guess: State = game.resample(&view, &mut rng).unwrap();
        assert_eq!((guess.cards[1], guess.cards[2], game.turn(&guess)), (2, 5, Turn::One(0)));
        counts[usize::from(guess.cards[0])] += 1;
    }
    assert_eq!((counts[2], counts[5]), (0, 0));
    let chi: f64 = [0, 1, 3, 4].map(|card| (f64::from(counts[card]) - 1e4).powi(2) / 1e4).iter().sum();
    assert!(chi < 22.0, "{counts:?}");
    view.events.push(Event::Observed(Observation(1)));
    assert_eq!(game.resample(&view, &mut rng), None::<State>);
}
