//! Symmetries of rules: which are found, and that they change names only.

use std::collections::BTreeMap;
use std::path::Path;

use kibitz_core::Rng;
use kibitz_core::game::{Action, Turn};
use kibitz_core::{Model, SharedModel};
use kibitz_lang::Source;
use kibitz_lang::gdl::{LoadLimits, load};

/// Three boxes, one of which hides something; looking into one tells whether it is there.
const BOXES: &str = "
    (role you) (role random) (box a) (box b) (box c)
    (init start)
    (<= (legal random (hide ?x)) (true start) (box ?x))
    (<= (legal random noop) (not (true start)))
    (<= (legal you (look ?x)) (not (true start)) (box ?x))
    (<= (legal you noop) (true start))
    (<= (next (in ?x)) (does random (hide ?x)))
    (<= (next (in ?x)) (true (in ?x)))
    (<= (next (looks 0)) (true start))
    (<= (next (looks 1)) (true (looks 0)))
    (<= (next (looks 2)) (true (looks 1)))
    (<= (next found) (does you (look ?x)) (true (in ?x)))
    (<= (sees you here) (does you (look ?x)) (true (in ?x)))
    (<= terminal (true found)) (<= terminal (true (looks 2)))
    (<= (goal you 100) (true found)) (<= (goal you 0) (not (true found))) (goal random 0)
";

fn game(text: &str) -> SharedModel {
    let loaded = load(&Source::new("test.kif", text), &LoadLimits::default());
    loaded.unwrap_or_else(|findings| panic!("{:?}", findings[0].message)).game
}

fn shipped(name: &str, change: (&str, &str)) -> SharedModel {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/kibitz/lang/rules").join(name);
    game(&std::fs::read_to_string(file).unwrap().replace(change.0, change.1))
}

#[test]
fn what_differs_by_name_only_can_be_exchanged() {
    assert_eq!(game(BOXES).symmetries(), 2); // a with b, b with c
    assert_eq!(shipped("mastermind.kif", ("(colours 4)", "(colours 3)")).symmetries(), 4 * 2);
    assert_eq!(shipped("monty-hall.kif", ("", "")).symmetries(), 0); // doors: several facts go together
    assert_eq!(shipped("number-guessing.kif", ("", "")).symmetries(), 0);
}

#[test]
fn what_differs_in_anything_cannot() {
    let pays = BOXES.replace(
        "(<= (goal you 100) (true found))",
        "(<= (goal you 100) (true found) (not (true (in c)))) (<= (goal you 90) (true found) (true (in c)))",
    );
    assert_eq!(game(&pays).symmetries(), 1);
    let tells = format!("{BOXES} (<= (sees you c) (true (in c)) (does you (look a)))");
    assert_eq!(game(&tells).symmetries(), 0); // looking into a is not like looking into b either
    let forbids = BOXES.replace(
        "(<= (legal you (look ?x)) (not (true start)) (box ?x))",
        "(<= (legal you (look ?x)) (not (true start)) (box ?x) (distinct ?x b))
         (<= (legal you (look b)) (true (looks 1)))",
    );
    assert_eq!(game(&forbids).symmetries(), 1); // a with c
    let seen = BOXES.replace("(<= (sees you here) (does you (look ?x)) (true (in ?x)))", "");
    assert_eq!(game(&seen).symmetries(), 0); // nothing is hidden: nobody has a use for them
}

/// Walks through random games and compares each step with the same step after an exchange.
fn walk(model: &dyn Model, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut scratch = Vec::new();
    // What each exchange makes of what is told.
    let mut told: BTreeMap<(usize, u64), u64> = BTreeMap::new();
    for _ in 0..20 {
        let mut state = model.initial();
        while model.turn(&state) != Turn::Over {
            let turn = model.turn(&state);
            let action = match turn {
                Turn::Chance => model.draw(&state, &mut rng),
                _ => model.random_action(&state, 0, &mut scratch, &mut rng),
            };
            let mut rewards = [0.0];
            let after = model.after(&state, &[action], &mut rewards);
            for symmetry in (0..model.symmetries()).filter(|_| turn != Turn::Chance) {
                let other = model.reflected(&state, symmetry);
                assert_eq!(model.orientation(&other, symmetry), -model.orientation(&state, symmetry));
                assert_eq!(model.hash(&model.reflected(&other, symmetry)), model.hash(&state));
                assert_eq!(model.turn(&other), turn);
                let legal = |state| {
                    let mut legal: Vec<Action> = Vec::new();
                    model.legal(state, 0, &mut legal);
                    legal
                };
                let mut moved: Vec<Action> = legal(&state)
                    .iter()
                    .map(|action| model.reflected_action(0, *action, symmetry))
                    .collect();
                moved.sort_unstable();
                assert_eq!(moved, legal(&other));
                let mut other_rewards = [0.0];
                let same = model.reflected_action(0, action, symmetry);
                let other_after = model.after(&other, &[same], &mut other_rewards);
                assert_eq!(other_rewards, rewards);
                assert_eq!(model.hash(&model.reflected(&after, symmetry)), model.hash(&other_after));
                let key = (symmetry, model.observe(&after, turn, &[action], 0).0);
                let heard = model.observe(&other_after, turn, &[same], 0).0;
                assert_eq!(*told.entry(key).or_insert(heard), heard);
            }
            state = after;
        }
    }
}

#[test]
fn exchanges_change_names_only() {
    walk(&*game(BOXES), 1);
    walk(&*shipped("mastermind.kif", ("(colours 4)", "(colours 3)")), 2);
    walk(&*shipped("mastermind.kif", ("", "")), 3);
}
