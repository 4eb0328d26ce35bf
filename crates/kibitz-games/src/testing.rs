//! What the games' own tests share.

use kibitz_core::game::{Action, Game, Turn};
use kibitz_core::rng::Rng;

/// Plays actions (and outcomes of chance) by name from the start.
pub fn play<G: Game>(game: &G, names: &str) -> G::State {
    play_out(game, names).0
}

/// What each player gets in a game of these actions (and outcomes of chance).
pub fn returns<G: Game>(game: &G, names: &str) -> Vec<f64> {
    let (state, rewards) = play_out(game, names);
    assert_eq!(game.turn(&state), Turn::Over, "{}", game.text(&state, None));
    rewards
}

fn play_out<G: Game>(game: &G, names: &str) -> (G::State, Vec<f64>) {
    let mut state = game.initial();
    let mut rewards = vec![0.0; game.info().players];
    for name in names.split_whitespace() {
        let action = named(game, &state, &name.replace('_', " "));
        game.step(&mut state, &[action], &mut rewards);
    }
    (state, rewards)
}

/// The legal action (or outcome) that has this name.
fn named<G: Game>(game: &G, state: &G::State, name: &str) -> Action {
    let (who, choices) = choices(game, state);
    let found = choices.iter().find(|a| game.action_name(state, who, **a) == name);
    *found.unwrap_or_else(|| panic!("no '{name}' in\n{}", game.text(state, None)))
}

fn choices<G: Game>(game: &G, state: &G::State) -> (Option<usize>, Vec<Action>) {
    let mut actions = Vec::new();
    match game.turn(state) {
        Turn::One(player) => {
            game.legal(state, player, &mut actions);
            (Some(player), actions)
        }
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.chance(state, &mut outcomes);
            (None, outcomes.into_iter().map(|(action, _)| action).collect())
        }
        _ => (None, actions),
    }
}

/// How many sequences of `depth` moves there are. (Games without simultaneous moves.)
pub fn perft<G: Game>(game: &G, state: &G::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut rewards = vec![0.0; game.info().players];
    let (_, actions) = choices(game, state);
    let count = |action: &Action| {
        let mut after = state.clone();
        game.step(&mut after, &[*action], &mut rewards);
        perft(game, &after, depth - 1)
    };
    actions.iter().map(count).sum()
}

/// That a game on boards of so many rows and columns has so many sequences of one move, two moves, and so on.
pub fn known_trees<G: Game>(sized: impl Fn(u32, u32) -> G, known: &[((u32, u32), &[u64])]) {
    for ((rows, columns), counts) in known {
        let game = sized(*rows, *columns);
        let found: Vec<u64> =
            (1..=counts.len()).map(|depth| perft(&game, &game.initial(), depth as u32)).collect();
        assert_eq!(found, *counts, "{rows} rows, {columns} columns");
    }
}

/// That somebody wins each random game of two players, after so many moves on average.
pub fn random_games_last<G: Game>(game: &G, games: u32, length: std::ops::Range<f64>) {
    let found = random_play(game, games);
    assert!(found.draws == 0.0 && length.contains(&found.length), "{found:?}");
}

/// What many random playouts of a two-player game come to.
#[derive(Debug)]
pub struct Statistics {
    pub first_wins: f64,
    pub draws: f64,
    pub length: f64,
}

/// Random playouts from the start.
pub fn random_play<G: Game>(game: &G, games: u32) -> Statistics {
    let (mut rng, mut scratch) = (Rng::new(5), Vec::new());
    let (mut wins, mut draws, mut steps) = (0, 0, 0);
    for _ in 0..games {
        let mut state = game.initial();
        let mut rewards = [0.0; 2];
        while let Turn::One(player) = game.turn(&state) {
            let action = game.random_action(&state, player, &mut scratch, &mut rng);
            game.step(&mut state, &[action], &mut rewards);
            steps += 1;
        }
        wins += u32::from(rewards[0] > 0.0);
        draws += u32::from(rewards[0] == 0.0);
    }
    let share = |count: u32| f64::from(count) / f64::from(games);
    Statistics { first_wins: share(wins), draws: share(draws), length: share(steps) }
}
