use super::*;
use crate::testing::play;

fn game(size: u32) -> Pocman {
    Pocman::new(PocmanParams { size }).unwrap()
}

/// The small maze with all of its food served: only where these squares are, and the pills a7 and g7.
fn served(game: &Pocman, food: &str) -> State {
    let mut state = game.initial();
    game.maze.food.iter().for_each(|square| state.served.add(square));
    for name in food.split_whitespace() {
        state.food.add(square(game, name));
    }
    state
}

fn square(game: &Pocman, name: &str) -> u8 {
    let count = game.maze.squares.len() as u8;
    (0..count).find(|square| game.square_name(*square) == name).unwrap()
}

/// Pocman goes a way and the ghost does something; what that pays.
fn go(game: &Pocman, state: &mut State, way: &str, ghost: &str) -> f64 {
    let mut rewards = [0.0];
    let action = Action(WAYS.iter().position(|name| *name == way).unwrap() as u32);
    let mut legal = Vec::new();
    game.legal(state, 0, &mut legal);
    assert!(legal.contains(&action), "{way}");
    game.step(state, &[action], &mut rewards);
    let mut outcomes = Vec::new();
    game.chance(state, &mut outcomes);
    let wanted = format!("A {ghost}");
    let found = outcomes.iter().find(|(outcome, _)| game.action_name(state, None, *outcome) == wanted);
    game.step(state, &[found.expect(ghost).0], &mut rewards);
    rewards[0]
}

fn outcomes(game: &Pocman, state: &State) -> Vec<(String, f64)> {
    let mut outcomes = Vec::new();
    game.chance(state, &mut outcomes);
    let total: f64 = outcomes.iter().map(|(_, p)| p).sum();
    assert!((total - 1.0).abs() < 1e-12);
    outcomes.iter().map(|(outcome, p)| (game.action_name(state, None, *outcome), *p)).collect()
}

fn preferred(game: &Pocman, state: &State) -> Vec<&'static str> {
    let mut actions = Vec::new();
    game.preferred(state, 0, &mut actions);
    actions.iter().map(|action| WAYS[action.0 as usize]).collect()
}

#[test]
fn mazes_are_what_they_should_be() {
    let full = game(17);
    assert_eq!((full.maze.columns, full.maze.rows, full.maze.pills.len()), (17, 19, 4));
    let names: Vec<String> = full.maze.ghosts.iter().map(|ghost| full.square_name(*ghost)).collect();
    assert_eq!(names, ["i11", "j11", "i12", "j12"]);
    assert_eq!(full.square_name(full.maze.start), "i7");
    // The tunnel joins the western and the eastern edge.
    let (west, east) = (square(&full, "a11"), square(&full, "q11"));
    assert_eq!((full.maze.square(west).next[3], full.maze.square(east).next[1]), (east, west));
    assert_eq!(full.maze.square(square(&full, "a7")).next[3], NOWHERE);
    for maze in [&full.maze, &game(7).maze] {
        assert!(maze.squares.len() < usize::from(NOWHERE));
        for (number, square) in maze.squares.iter().enumerate() {
            let ways = square.next.iter().enumerate().filter(|(_, next)| **next != NOWHERE);
            assert!(ways.clone().count() > 1, "a dead end");
            for (way, next) in ways {
                assert_eq!(usize::from(maze.square(*next).next[(way + 2) & 3]), number);
            }
        }
    }
    let error = Pocman::new(PocmanParams { size: 10 }).err().unwrap();
    assert_eq!(error, "there is a maze of 17 columns and one of 7, but none of 10");
}

#[test]
fn pays_for_food_ghosts_and_the_last_bite() {
    let small = game(7);
    let mut state = served(&small, "c1 a1");
    assert_eq!(go(&small, &mut state, "west", "north"), -1.0 + 10.0);
    // Once eaten it is gone.
    assert_eq!(go(&small, &mut state, "east", "west"), -1.0);
    assert_eq!(go(&small, &mut state, "west", "north"), -1.0);
    assert_eq!(go(&small, &mut state, "west", "north"), -1.0);
    assert_eq!(go(&small, &mut state, "west", "west"), -1.0 + 10.0);
    // Only the pills are left; the last one ends it and is worth a thousand.
    state.food.remove(square(&small, "g7"));
    state.pocman = square(&small, "a6");
    state.ghosts[0] = Ghost::at(square(&small, "g1"));
    assert_eq!(go(&small, &mut state, "north", "west"), -1.0 + 1000.0);
    assert_eq!((small.turn(&state), state.told), (Turn::Over, CLEARED));
}

#[test]
fn ghosts_catch_and_are_eaten() {
    let small = game(7);
    let mut state = served(&small, "a1");
    state.pocman = square(&small, "c4");
    let mut other = state;
    // Walking into a ghost counts even if it moves away, and so does being walked into.
    assert_eq!(go(&small, &mut state, "east", "north"), -1.0 - 100.0);
    assert_eq!((small.turn(&state), state.told), (Turn::Over, CAUGHT));
    other.power = 5;
    assert_eq!(go(&small, &mut other, "east", "makes for west"), -1.0 + 25.0);
    assert_eq!(other.ghosts[0], Ghost::at(small.maze.ghosts[0]));
    assert_eq!((other.power, small.turn(&other)), (4, Turn::One(0)));
    // The last move for which the pill lasts is one too late.
    other.pocman = square(&small, "c4");
    other.power = 1;
    assert_eq!(go(&small, &mut other, "east", "north"), -1.0 - 100.0);
}

#[test]
fn a_pill_lasts_for_fifteen_moves() {
    let small = game(7);
    let mut state = served(&small, "d1");
    state.pocman = square(&small, "a6");
    assert_eq!(go(&small, &mut state, "north", "north"), -1.0 + 10.0);
    assert_eq!(state.power, 15);
}

#[test]
fn ghosts_wander_hunt_and_flee() {
    let small = game(7);
    let mut state = served(&small, "a1");
    state.phase = Phase::Haunt;
    let ghost = |name: &str, heading: u8| {
        let mut ghost = Ghost::at(square(&small, name));
        ghost.follow(&small.maze, 8);
        if heading != NONE {
            // As if it had come from there.
            let from = small.maze.square(ghost.square).next[usize::from(heading + 2) & 3];
            ghost = Ghost::at(from);
            ghost.follow(&small.maze, heading.into());
        }
        ghost
    };
    let list = |state: &State| outcomes(&small, state);
    let entry = |name: &str, p: f64| (name.to_owned(), p);
    // Far away: any way, but not back.
    state.ghosts[0] = ghost("d5", NONE);
    assert_eq!(list(&state), ["A east", "A south", "A west"].map(|name| entry(name, 1.0 / 3.0)));
    state.ghosts[0] = ghost("d5", 0);
    assert_eq!(list(&state), [entry("A east", 0.5), entry("A west", 0.5)]);
    // Nearer than three: it hunts three times in four.
    state.ghosts[0] = ghost("c2", NONE);
    assert_eq!(
        list(&state),
        [
            entry("A north", 0.25 / 3.0),
            entry("A east", 0.25 / 3.0),
            entry("A south", 0.25 / 3.0),
            entry("A makes for south", 0.75)
        ]
    );
    // Of a strong pocman it is afraid, unless it is taken by surprise while wandering.
    state.power = 3;
    assert_eq!(list(&state), [entry("A makes for north", 1.0)]);
    state.ghosts[0] = ghost("c2", 0);
    assert_eq!(list(&state), [entry("A makes for north", 0.75), entry("A stays", 0.25)]);
}

#[test]
fn drawing_agrees_with_the_listed_outcomes() {
    let full = game(17);
    let mut rng = Rng::new(3);
    let mut scratch = Vec::new();
    let mut state = full.initial();
    for _ in 0..150 {
        match full.turn(&state) {
            Turn::Chance => {
                let mut outcomes = Vec::new();
                full.chance(&state, &mut outcomes);
                let count = 4000;
                let mut counts = vec![0.0; outcomes.len()];
                for _ in 0..count {
                    let drawn = full.draw(&state, &mut rng);
                    counts[outcomes.iter().position(|(outcome, _)| *outcome == drawn).unwrap()] += 1.0;
                }
                for ((_, p), found) in outcomes.iter().zip(&counts) {
                    let expected = p * f64::from(count);
                    assert!((found - expected).abs() < 6.0 * expected.sqrt() + 2.0, "{found}, {expected}");
                }
                let drawn = full.draw(&state, &mut rng);
                full.step(&mut state, &[drawn], &mut [0.0]);
            }
            Turn::One(_) => {
                let action = full.random_action(&state, 0, &mut scratch, &mut rng);
                full.step(&mut state, &[action], &mut [0.0]);
            }
            _ => state = full.initial(),
        }
    }
}

#[test]
fn food_is_served_where_pocman_comes_near() {
    let small = game(7);
    let state = play(&small, "west");
    assert_eq!(state.phase, Phase::Serve);
    // Around c1 (b2 is wall): each subset of five places once in 32 times.
    let list = outcomes(&small, &state);
    assert_eq!(list.len(), 32);
    assert_eq!(list[0], ("no food".to_owned(), 1.0 / 32.0));
    assert_eq!(list[31].0, "food b1 c1 d1 c2 d2");
    let state = play(&small, "west no_food");
    assert_eq!((state.phase, words_of(state.told)), (Phase::Haunt, "smells no food".to_owned()));
    let state = play(&small, "west food_d2");
    assert_eq!(words_of(state.told), "smells food");
    // What was decided once stays so: beyond the two new places there is nothing to decide.
    let state = play(&small, "west food_d2 A_north west");
    assert_eq!(outcomes(&small, &state).last().unwrap().0, "food a1 a2");
    // Food that is not yet served has not been eaten.
    let mut nearly = small.initial();
    nearly.pocman = square(&small, "a6");
    nearly.food.remove(square(&small, "g7"));
    nearly.ghosts[0] = Ghost::at(square(&small, "g1"));
    small.step(&mut nearly, &[Action(0)], &mut [0.0]);
    small.step(&mut nearly, &[Action(0)], &mut [0.0]);
    assert_eq!(nearly.phase, Phase::Haunt);
    small.step(&mut nearly, &[Action(0)], &mut [0.0]);
    assert_eq!((small.turn(&nearly), nearly.power), (Turn::One(0), 15));
}

#[test]
fn senses_and_preferred_actions() {
    let small = game(7);
    let mut state = served(&small, "c2");
    assert_eq!(preferred(&small, &state), ["north", "east", "west"]);
    // The wall north of d2 hides the ghost; c2 smells as far as d1.
    go(&small, &mut state, "west", "north");
    assert_eq!(words_of(state.told), "open north, east, west; smells food");
    // Not back, where nothing is to be seen.
    assert_eq!(preferred(&small, &state), ["north", "west"]);
    state.ghosts[0] = Ghost::at(square(&small, "b4"));
    go(&small, &mut state, "north", "east");
    assert_eq!(
        words_of(state.told),
        "open north, east, south; sees ghosts north; hears a ghost; smells food"
    );
    assert_eq!(preferred(&small, &state), ["east"]);
    state.power = 9;
    assert_eq!(preferred(&small, &state), ["north"]);
}

#[test]
fn pocman_is_shown_what_pocman_knows() {
    let small = game(7);
    let (mut one, mut other) = (served(&small, "c2 a5"), served(&small, "c2 b7"));
    go(&small, &mut one, "west", "north");
    go(&small, &mut other, "west", "north");
    assert_eq!(one.seen, other.seen);
    assert_eq!(small.text(&one, Some(0)), small.text(&other, Some(0)));
    assert_eq!(small.svg(&one, Some(0)), small.svg(&other, Some(0)));
    assert_ne!(small.text(&one, None), small.text(&other, None));
    assert_ne!(small.hash(&one), small.hash(&other));
}
