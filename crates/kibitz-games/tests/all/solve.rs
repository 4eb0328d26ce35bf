//! Exact values of small games.

use kibitz_core::registry;
use kibitz_core::solve::{Limits, Solution, solve};

fn solution(spec: &str) -> Result<Option<Solution>, String> {
    let game = registry::game(&spec.parse().unwrap()).unwrap();
    solve(&*game, &mut Limits { states: 3_000_000, pause: &mut || false })
}

fn value(spec: &str) -> f64 {
    solution(spec).unwrap().unwrap().value[0]
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let solution = solution("tic-tac-toe").unwrap().unwrap();
    assert_eq!(solution.value, [0.0, 0.0]);
    assert!(solution.table.iter().all(|(_, value)| *value == 0.0), "{:?}", solution.table);
}

#[test]
fn tiger_has_its_published_values() {
    assert!((value("tiger") - 19.3714).abs() < 1e-3, "{}", value("tiger"));
    assert!((value("tiger(horizon=10)") - 6.693).abs() < 1e-3, "{}", value("tiger(horizon=10)"));
    assert_eq!(solution("tiger").unwrap().unwrap().action.as_deref(), Some("listen"));
}

#[test]
fn the_first_player_wins_small_breakthrough() {
    assert_eq!(value("breakthrough(rows=5, columns=3)").abs(), 1.0);
}

#[test]
fn games_of_two_with_hidden_cards_are_left_to_the_linear_program() {
    assert_eq!(solution("kuhn-poker").unwrap(), None);
    assert_eq!(solution("rock-paper-scissors").unwrap(), None);
}

#[test]
fn what_is_too_large_is_refused_in_a_sentence() {
    let error = solution("connect-four").unwrap_err();
    assert!(error.contains("too large to solve exactly: more than 3000000 states"), "{error}");
}
