//! Pictures of games as a whole: what is drawn, and what is not shown to whom.

use kibitz_core::{Action, SharedModel, Turn};
use kibitz_lang::Source;
use kibitz_lang::gdl::{LoadLimits, load};

fn game(text: &str) -> SharedModel {
    load(&Source::new("game.kif", text), &LoadLimits::default())
        .map_err(|found| format!("{found:?}"))
        .unwrap()
        .game
}

/// Somebody hides a thing under one of three cups and is told so; the other only hears a noise.
const CUPS: &str = "
    (role hider) (role seeker)
    (init (step 1))
    (cup 1) (cup 2) (cup 3)
    (<= (legal hider (hide ?c)) (true (step 1)) (cup ?c))
    (<= (legal hider wait) (true (step 2)))
    (<= (legal seeker wait) (true (step 1)))
    (<= (legal seeker (look ?c)) (true (step 2)) (cup ?c))
    (<= (next (under ?c)) (does hider (hide ?c)))
    (<= (next (under ?c)) (true (under ?c)))
    (<= (next (step 2)) (true (step 1)))
    (<= (next (step 3)) (true (step 2)))
    (<= (sees hider (hidden ?c)) (does hider (hide ?c)))
    (<= (sees seeker noise) (does hider (hide ?c)))
    (<= (sees seeker found) (does seeker (look ?c)) (true (under ?c)))
    (<= terminal (true (step 3)))
    (goal hider 50) (goal seeker 50)
";

#[test]
fn a_player_sees_its_own_percepts_only() {
    let game = game(CUPS);
    let mut state = game.initial();
    assert_eq!(game.text(&state, Some(1)), "seeker has been told nothing yet");
    let mut actions = Vec::new();
    game.legal(&state, 0, &mut actions);
    let place = |action: &&Action| game.action_name(&state, Some(0), **action) == "(hide 2)";
    let hide = *actions.iter().find(place).unwrap();
    game.step(&mut state, &[hide], &mut [0.0; 2]);
    assert_eq!(game.text(&state, Some(0)), "hider did (hide 2)\nand was told (hidden 2)");
    assert_eq!(game.text(&state, Some(1)), "seeker did wait\nand was told noise");
    assert!(game.text(&state, None).contains("under  2"));
    assert!(game.svg(&state, None).contains("under"));
    let svg = game.svg(&state, Some(1));
    assert!(svg.contains("noise") && !svg.contains("under") && !svg.contains("hid"), "{svg}");
}

/// The rules' words for rows and columns say how the board lies.
#[test]
fn variables_say_what_is_a_row() {
    let rules = |first: &str, second: &str| {
        format!(
            "(role a) (n 1) (n 2) (n 3)
             (<= (init (cell ?x ?y b)) (n ?x) (n ?y))
             (<= (legal a (mark ?x ?y)) (true (cell ?x ?y b)))
             (<= (next (cell {first} {second} x)) (does a (mark {first} {second})))
             (<= (next (cell {first} {second} ?p)) (true (cell {first} {second} ?p)) (does a (mark ?m ?n))
                 (or (distinct ?m {first}) (distinct ?n {second})))
             (<= terminal (true (cell 1 1 x))) (goal a 100)"
        )
        // The first of them in the file counts.
        .replace("?x ?y b)) (n", &format!("{first} {second} b)) (n"))
        .replace("(n ?x) (n ?y)", &format!("(n {first}) (n {second})"))
    };
    for (first, second, drawn) in
        [("?x", "?y", "3 . . .\n2 . . .\n1 . x ."), ("?row", "?col", "1 . . .\n2 x . .\n3 . . .")]
    {
        let game = game(&rules(first, second));
        let mut state = game.initial();
        assert_eq!(game.turn(&state), Turn::One(0));
        let mut actions = Vec::new();
        game.legal(&state, 0, &mut actions);
        let place = |action: &&Action| game.action_name(&state, Some(0), **action) == "(mark 2 1)";
        let mark = *actions.iter().find(place).unwrap();
        game.step(&mut state, &[mark], &mut [0.0]);
        assert!(game.text(&state, None).starts_with(drawn), "{}", game.text(&state, None));
        assert!(game.has().picture && game.svg(&state, None).starts_with("<svg"));
    }
}
