use super::*;
use crate::testing::{play, returns};

fn default_game() -> RockSample {
    RockSample::new(RockSampleParams::default()).unwrap()
}

fn preferred(game: &RockSample, moves: &str) -> String {
    let (state, mut actions) = (play(game, moves), Vec::new());
    game.preferred(&state, 0, &mut actions);
    let names: Vec<String> = actions.iter().map(|a| game.action_name(&state, Some(0), *a)).collect();
    names.join(", ")
}

#[test]
fn pays_for_good_rocks_and_for_leaving() {
    let game = default_game();
    // Rock 2 lies at (0, 1), two south of the start; rock 4 on the way out at (6, 3).
    let east = "east east east east east east";
    assert_eq!(returns(&game, &format!("good_rocks_2 south south sample {east} east")), [20.0]);
    assert_eq!(returns(&game, &format!("all_rocks_bad {east} sample east")), [0.0]);
    assert_eq!(returns(&game, &format!("good_rocks_4 {east} sample east")), [20.0]);
}

#[test]
fn legality_depends_on_edges_and_rocks() {
    let game = default_game();
    let legal = |moves| {
        let mut actions = Vec::new();
        game.legal(&play(&game, moves), 0, &mut actions);
        actions.iter().map(|a| a.0).collect::<Vec<_>>()
    };
    assert_eq!(legal("all_rocks_bad"), [NORTH, EAST, SOUTH, 5, 6, 7, 8, 9, 10, 11, 12]);
    let at_rock = legal("all_rocks_bad south south");
    assert_eq!(at_rock, [NORTH, EAST, SOUTH, SAMPLE, 5, 6, 7, 8, 9, 10, 11, 12]);
    let sampled = legal("all_rocks_bad south south sample");
    assert_eq!(sampled, [NORTH, EAST, SOUTH, 5, 7, 8, 9, 10, 11, 12]);
    assert!(!legal("all_rocks_bad north north north").contains(&NORTH));
}

#[test]
fn sensors_get_worse_with_distance() {
    let game = default_game();
    let state = play(&game, "good_rocks_2 south south check_2");
    let mut outcomes = Vec::new();
    game.chance(&state, &mut outcomes);
    assert_eq!(outcomes, [(Action(READ_GOOD), 1.0)]);
    let state = play(&game, "good_rocks_2 check_4");
    let mut outcomes = Vec::new();
    game.chance(&state, &mut outcomes);
    let expected = 1.0 - (1.0 + 2f64.powf(-6.0 / 20.0)) / 2.0;
    assert!((outcomes[0].1 - expected).abs() < 1e-12, "{outcomes:?}");
}

#[test]
fn preferred_actions_are_those_of_pomcp() {
    let game = default_game();
    let checks = "check 1, check 2, check 3, check 4, check 5, check 6, check 7, check 8";
    assert_eq!(preferred(&game, "all_rocks_bad"), format!("north, east, south, {checks}"));
    // On a rock that seems good there is one thing to do.
    assert_eq!(preferred(&game, "good_rocks_2 south south check_2 good"), "sample");
    // A reading taken on the rock itself settles it.
    let settled = preferred(&game, "all_rocks_bad south south check_2 bad");
    assert_eq!(
        settled,
        "north, east, south, check 1, check 3, check 4, check 5, check 6, check 7, check 8"
    );
    // Two readings that agree settle one too, and five of any kind.
    assert!(!preferred(&game, "good_rocks_4 check_4 good check_4 good").contains("check 4"));
    let five = "check_4 good check_4 bad check_4 good check_4 bad";
    assert!(preferred(&game, &format!("all_rocks_bad {five}")).contains("check 4"));
    assert!(!preferred(&game, &format!("all_rocks_bad {five} check_4 good")).contains("check 4"));
    // Where all that is left seems bad, home.
    let all_bad: String = (1..=8).map(|rock| format!(" check_{rock} bad")).collect();
    assert_eq!(preferred(&game, &format!("all_rocks_bad{all_bad}")), "east");
    // No way is preferred that leads to no rock worth visiting, here none but number 3 at (3, 1).
    let others: String = (1..=8).filter(|r| *r != 3).map(|r| format!(" check_{r} bad")).collect();
    let ways = preferred(&game, &format!("all_rocks_bad{others}"));
    assert_eq!(ways, format!("east, south, {checks}"));
}

#[test]
fn resampling_follows_the_readings() {
    let game = default_game();
    let state = play(&game, "good_rocks_1_2_3 check_4 good check_4 good check_1 bad");
    let readings = [(4, true), (4, true), (1, false)];
    let mut view = View::new(0);
    for (rock, good) in readings {
        let check = Action(CHECK + rock - 1);
        view.events.push(Event::Acted(check));
        view.events.push(Event::Observed(Observation::of_joint(&[check])));
        let outcome = Action(if good { READ_GOOD } else { READ_BAD });
        view.events.push(Event::Observed(Observation::of_joint(&[outcome])));
    }
    let (mut rng, mut counts) = (Rng::new(8), [0; 8]);
    for _ in 0..20_000 {
        let guess: State = game.resample(&view, &mut rng).unwrap();
        assert_eq!(State { good: state.good, ..guess }, state);
        (0..8).for_each(|rock| counts[rock] += u32::from(guess.good >> rock & 1));
    }
    for (rock, count) in counts.iter().enumerate() {
        let found = f64::from(*count) / 20_000.0;
        assert!((found - state.readings[rock].good).abs() < 0.015, "{rock}: {found}");
    }
}

#[test]
fn many_readings_do_no_harm() {
    let game = default_game();
    let mut state = play(&game, "good_rocks_4");
    for reading in 0..100_000 {
        game.step(&mut state, &[Action(CHECK + 3)], &mut [0.0]);
        let outcome = if reading % 3 == 0 || reading > 50_000 { READ_BAD } else { READ_GOOD };
        game.step(&mut state, &[Action(outcome)], &mut [0.0]);
        assert!((0.0..=1.0).contains(&state.readings[3].good));
    }
}

#[test]
fn other_boards_are_scattered_by_their_seed() {
    let game = |size, rocks, layout| RockSample::new(RockSampleParams { size, rocks, layout });
    let rocks = |size, rocks, layout| game(size, rocks, layout).unwrap().rocks;
    assert_eq!(rocks(11, 11, 0), LAYOUT_11_11);
    assert_eq!(rocks(15, 15, 3), rocks(15, 15, 3));
    assert_ne!(rocks(15, 15, 3), rocks(15, 15, 4));
    assert_ne!(rocks(7, 8, 1), LAYOUT_7_8);
    assert_eq!(rocks(2, 4, 0), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(game(3, 10, 0).err().unwrap(), "10 rocks do not fit on 3 x 3 cells");
}
