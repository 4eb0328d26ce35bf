//! What the rules must keep. (OpenSpiel's `solitaire` cannot be compared with: its deck is turned by other rules,
//! its moves are restricted in another way, and its games are paid by the card.)

use std::collections::BTreeMap;

use kibitz_core::playout::{Policy, Rollout};
use kibitz_core::registry;

use super::*;

mod lists;
mod positions;

fn klondike(spec: &str) -> Klondike {
    use kibitz_core::params::Params;
    Klondike::new(KlondikeParams::from_spec(&spec.parse().unwrap()).unwrap()).unwrap()
}

/// Plays on with random moves, calling `see` before each of them, and gives what was paid.
fn random_game(game: &Klondike, seed: u64, mut see: impl FnMut(&State)) -> f64 {
    let (mut state, mut rng, mut paid) = (game.initial(), Rng::new(seed), [0.0]);
    loop {
        let action = match game.turn(&state) {
            Turn::Over => return paid[0],
            Turn::Chance => game.draw(&state, &mut rng),
            _ => {
                see(&state);
                game.random_action(&state, 0, &mut Vec::new(), &mut rng)
            }
        };
        game.step(&mut state, &[action], &mut paid);
    }
}

/// How many games a policy wins, in percent.
fn wins(spec: &str, policy: Policy, games: u32) -> f64 {
    let game = registry::game(&spec.parse().unwrap()).unwrap();
    let game = game.collapsed().unwrap_or(game);
    let how = Rollout { policy, ..Rollout::random(u32::MAX, 1.0) };
    let mut won = [0.0];
    game.playouts(
        &game.initial(),
        &how,
        games,
        &mut Rng::new(9),
        &mut kibitz_core::interrupt::Interrupt::never(),
        &mut won,
    );
    100.0 * won[0] / f64::from(games)
}

#[test]
fn the_baselines_are_the_papers() {
    // Five standard deviations of so many games around what a million games give, which agrees with the paper's
    // 7.135 and 12.992.
    let games = 20_000;
    let within = |share: f64| 5.0 * (share * (100.0 - share) / f64::from(games)).sqrt();
    for (policy, share) in [(Policy::Random, 7.24), (Policy::Preferred, 12.99)] {
        let found = wins("klondike", policy, games);
        assert!((found - share).abs() < within(share), "{policy:?}: {found} %");
    }
    assert!(wins("klondike(reading=naive)", Policy::Random, 5_000) < 6.0);
    assert!(wins("klondike(draw=1)", Policy::Preferred, 2_000) > 25.0);
    assert!(wins("klondike(passes=1)", Policy::Preferred, 5_000) < 3.0);
}

/// Cards on the foundations and face down after so many moves, of many games.
fn outcomes(game: &Klondike, policy: Policy, moves: u32, seed: u64) -> BTreeMap<(u32, usize), f64> {
    let (mut counts, mut rng) = (BTreeMap::new(), Rng::new(seed));
    let mut preferred = Vec::new();
    for _ in 0..4_000 {
        let (mut state, mut made) = (game.initial(), 0);
        loop {
            let action = match game.turn(&state) {
                Turn::Chance => game.draw(&state, &mut rng),
                Turn::One(_) if made < moves => {
                    made += 1;
                    preferred.clear();
                    game.preferred(&state, 0, &mut preferred);
                    match policy {
                        Policy::Random => game.random_action(&state, 0, &mut Vec::new(), &mut rng),
                        _ => preferred[0],
                    }
                }
                _ => break,
            };
            game.step(&mut state, &[action], &mut [0.0]);
        }
        let position = &state.position;
        let up = position.foundation.iter().map(|count| u32::from(*count)).sum::<u32>();
        *counts.entry((up / 3, position.unseen())).or_default() += 1.0;
    }
    counts
}

#[test]
fn hidden_cards_and_cards_drawn_later_are_the_same_game() {
    let game = klondike("klondike");
    let collapsed = game.collapse();
    for (policy, moves) in [(Policy::Random, 12), (Policy::Random, 40), (Policy::Preferred, 25)] {
        let hidden = outcomes(&game, policy, moves, 1);
        let drawn = outcomes(&collapsed, policy, moves, 2);
        // Two samples of the same size: the sum of (a - b)² / (a + b) is chi-squared, one degree an outcome.
        let (mut sum, mut degrees) = (0.0, 0.0);
        for (outcome, a) in &hidden {
            let b = drawn.get(outcome).copied().unwrap_or(0.0);
            if a + b >= 20.0 {
                sum += (a - b).powi(2) / (a + b);
                degrees += 1.0;
            }
        }
        let limit = degrees + 4.0 * f64::sqrt(2.0 * degrees);
        assert!(degrees > 10.0 && sum < limit, "{policy:?} {moves}: {sum} of {limit}");
    }
}

#[test]
fn what_is_unseen_decides_nothing() {
    for spec in ["klondike", "klondike(reading=naive)", "klondike(moves=ordinary, passes=3)"] {
        let game = klondike(spec);
        let collapsed = game.collapse();
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let (mut state, mut other) = (game.initial(), game.initial());
            while game.turn(&state) != Turn::Over {
                if game.turn(&state) == Turn::One(0) {
                    // The same game with the unseen cards exchanged.
                    other = state;
                    let cards = members(state.unseen).collect::<Vec<_>>();
                    let mut shuffled = cards.clone();
                    rng.shuffle(&mut shuffled);
                    for card in &mut other.position.down {
                        if let Some(place) = cards.iter().position(|unseen| unseen == card) {
                            *card = shuffled[place];
                        }
                    }
                    other.begin(&game.rules);
                    assert_eq!(other.unseen, state.unseen);
                    let preferred = |state| {
                        let mut actions = Vec::new();
                        game.preferred(state, 0, &mut actions);
                        actions
                    };
                    assert_eq!(
                        (state.moves, preferred(&state)),
                        (other.moves, preferred(&other)),
                        "{spec}"
                    );
                    assert_eq!(game.text(&state, Some(0)), game.text(&other, Some(0)));
                    if seed == 0 {
                        assert_eq!(game.svg(&state, Some(0)), game.svg(&other, Some(0)));
                    }
                    assert_eq!(game.view_key(&state, 0), game.view_key(&other, 0));
                    assert_eq!(collapsed.hash(&state), collapsed.hash(&other));
                }
                let (turn, action) = match game.turn(&state) {
                    Turn::Chance => (Turn::Chance, game.draw(&state, &mut rng)),
                    turn => (turn, game.random_action(&state, 0, &mut Vec::new(), &mut rng)),
                };
                game.step(&mut state, &[action], &mut [0.0]);
                if turn != Turn::Chance && state.revealed().is_none() {
                    game.step(&mut other, &[action], &mut [0.0]);
                    let told = |after| game.observe(after, turn, &[action], 0);
                    assert_eq!(told(&state), told(&other));
                }
            }
        }
    }
}

#[test]
fn macro_games_are_ordinary_games_and_the_other_way_round() {
    for options in ["", "draw=1", "draw=2, passes=3", "passes=2", "reading=naive"] {
        let short =
            klondike(&format!("klondike(thoughtful=true, finish=false, {options})").replace(", )", ")"));
        let long = Klondike { rules: short.rules.with(Kind::Ordinary), ..short.clone() };
        let mut played = 0;
        for seed in 0..40 {
            // Card by card through the ordinary game.
            let mut made = Vec::new();
            let (mut state, mut rng) = (short.initial(), Rng::new(seed));
            let mut familiar = long.initial();
            while short.turn(&state) != Turn::Over {
                if short.turn(&state) == Turn::Chance {
                    let card = short.draw(&state, &mut rng);
                    short.step(&mut state, &[card], &mut [0.0]);
                    long.step(&mut familiar, &[card], &mut [0.0]);
                    continue;
                }
                let chosen = short.random_action(&state, 0, &mut Vec::new(), &mut rng);
                let steps =
                    ordinary::to_ordinary(&state.position, short.rules.draw, Move::of(chosen)).unwrap();
                for step in steps {
                    assert!(familiar.moves.contains(step), "{options} {seed}: {step:?}");
                    long.step(&mut familiar, &[step.action()], &mut [0.0]);
                    made.push(step);
                }
                short.step(&mut state, &[chosen], &mut [0.0]);
                assert_eq!(
                    (state.position, state.passes),
                    (familiar.position, familiar.passes),
                    "{options}"
                );
            }
            played += made.len();
            // A random ordinary game without its turning.
            let (mut state, mut familiar, mut rng) = (short.initial(), long.initial(), Rng::new(seed));
            let mut moves = Vec::new();
            while long.turn(&familiar) != Turn::Over {
                if long.turn(&familiar) == Turn::Chance {
                    let card = long.draw(&familiar, &mut rng);
                    short.step(&mut state, &[card], &mut [0.0]);
                    long.step(&mut familiar, &[card], &mut [0.0]);
                    continue;
                }
                let chosen = long.random_action(&familiar, 0, &mut Vec::new(), &mut rng);
                long.step(&mut familiar, &[chosen], &mut [0.0]);
                moves.push(Move::of(chosen));
            }
            for made in ordinary::to_macro(&moves) {
                assert!(state.moves.contains(made), "{options} {seed}: {made:?}");
                short.step(&mut state, &[made.action()], &mut [0.0]);
            }
            let cards =
                |state: &State| (state.position.runs, state.position.left, state.position.foundation);
            assert_eq!(cards(&state), cards(&familiar), "{options}");
        }
        assert!(played > 1000, "{options}: {played}");
    }
}

/// The same state with two columns exchanged, where their face-down cards have room.
fn exchanged(game: &Klondike, state: &State, left: usize, right: usize) -> Option<State> {
    let position = &state.position;
    if usize::from(position.hidden[right]) > left {
        return None;
    }
    let mut other = *state;
    for (from, to) in [(left, right), (right, left)] {
        other.position.runs[to] = position.runs[from];
        other.position.hidden[to] = position.hidden[from];
        for (index, card) in position.face_down(from).iter().enumerate() {
            other.position.down[begins(to) + index] = *card;
        }
    }
    other.begin(&game.rules);
    Some(other)
}

#[test]
fn columns_may_be_exchanged() {
    let hidden = klondike("klondike");
    let mut found = 0;
    for game in [hidden.collapse(), hidden] {
        for seed in 0..30 {
            random_game(&game, seed, |state| {
                for (left, right) in [(0, 1), (2, 5), (3, 6)] {
                    let Some(other) = exchanged(&game, state, left, right) else { continue };
                    found += 1;
                    assert_eq!(game.hash(state), game.hash(&other));
                    // The leftmost empty column is no part of a move's name.
                    assert_eq!(state.moves, other.moves);
                }
            });
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn the_evaluator_expects_what_resampling_gives() {
    let game = klondike("klondike");
    let collapsed = game.collapse();
    let mut rng = Rng::new(4);
    for seed in 0..4 {
        let mut places = 0;
        random_game(&game, seed, |state| {
            places += 1;
            if places % 12 != 1 || state.unseen == 0 {
                return;
            }
            let mut sum = 0.0;
            let samples = 3000;
            for _ in 0..samples {
                let mut other = *state;
                let mut unseen = members(state.unseen).collect::<Vec<_>>();
                rng.shuffle(&mut unseen);
                for column in 0..COLUMNS {
                    for index in 0..usize::from(state.position.hidden[column]) {
                        other.position.down[begins(column) + index] = unseen.pop().unwrap();
                    }
                }
                sum += features::weighted(&game.rules, &other);
            }
            let (mean, expected) = (sum / f64::from(samples), features::weighted(&collapsed.rules, state));
            assert!((mean - expected).abs() < 2.0, "{mean} {expected}");
        });
    }
}

#[test]
fn what_moves_promise_is_what_comes_of_them() {
    let (mut said, mut to_be_tried) = (0, 0);
    for spec in ["klondike(thoughtful=true)", "klondike(reading=naive)", "klondike(moves=ordinary)"] {
        let game = klondike(spec);
        for seed in 0..60 {
            random_game(&game, seed, |state| {
                let (mut actions, mut values) = (Vec::new(), Vec::new());
                game.legal(state, 0, &mut actions);
                if !game.afterstate_values(state, 0, &actions, &mut values) {
                    return;
                }
                assert_eq!(values.len(), actions.len());
                for (action, value) in actions.iter().zip(values) {
                    let after = game.after(state, &[*action], &mut [0.0]);
                    let mut found = [0.0];
                    game.evaluate(&after, &mut found);
                    match value.is_nan() {
                        true => to_be_tried += 1,
                        false if game.turn(&after) == Turn::Over => {}
                        false => {
                            said += 1;
                            assert_eq!(value, found[0], "{}", game.action_name(state, Some(0), *action));
                        }
                    }
                }
            });
        }
    }
    assert!(said > 10_000 && to_be_tried > 20, "{said} {to_be_tried}");
    // Where chance turns cards up, it comes next.
    let collapsed = klondike("klondike").collapse();
    random_game(&collapsed, 1, |state| {
        assert!(!collapsed.afterstate_values(state, 0, &[], &mut Vec::new()))
    });
}
