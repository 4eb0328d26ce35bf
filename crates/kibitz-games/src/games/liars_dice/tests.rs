use super::*;
use crate::testing::{perft, play, returns};

fn game(players: u32, dice: u32, sides: u32) -> LiarsDice {
    LiarsDice::new(LiarsDiceParams { players, dice, sides }).unwrap()
}

#[test]
fn pays_as_it_should() {
    let two = |moves| returns(&game(2, 1, 6), moves);
    assert_eq!(two("3 5 1-3 liar"), [1.0, -1.0]);
    assert_eq!(two("3 5 1-3 2-3 liar"), [1.0, -1.0]);
    // A six is anything.
    assert_eq!(two("3 6 1-3 2-3 liar"), [-1.0, 1.0]);
    // But a bid of sixes needs sixes.
    assert_eq!(two("3 5 1-6 liar"), [-1.0, 1.0]);
    let three = |moves| returns(&game(3, 1, 3), moves);
    assert_eq!(three("1 1 2 2-1 2-2 liar"), [0.0, -1.0, 1.0]);
    assert_eq!(three("1 3 2 2-1 3-1 liar"), [0.0, -1.0, 1.0]);
    assert_eq!(three("1 3 3 2-1 3-1 liar"), [0.0, 1.0, -1.0]);
}

/// Between the rolls and a doubt, any set of bids: 2^n - 1 of them can be doubted.
#[test]
fn the_tree_has_its_known_size() {
    let small = game(2, 1, 3);
    let counts: Vec<u64> = (1..=9).map(|depth| perft(&small, &small.initial(), depth)).collect();
    // After nine rolls, n bids out of six and then a doubt or one bid more.
    let choose = |n: u64| [1, 6, 15, 20, 15, 6, 1][n as usize];
    let expected: Vec<u64> = (1..=6).map(|n| 9 * (choose(n) + choose(n - 1) * u64::from(n > 1))).collect();
    assert_eq!(counts[..2], [3, 9]);
    assert_eq!(counts[2..8], expected);
    assert_eq!(counts[8], 9);
}

#[test]
fn hands_are_hidden_until_the_doubt() {
    let game = game(2, 2, 6);
    let state = play(&game, "5 2 6 6 2-5");
    assert_eq!(
        game.text(&state, Some(0)),
        "player 1: 2 5\nplayer 2: ? ?\nbids: 2-5\nplayer 2 is to move\n"
    );
    let over = play(&game, "5 2 6 6 2-5 liar");
    assert!(game.text(&over, Some(0)).ends_with("player 1 wins, player 2 loses\n"));
    // In which order one's own dice were rolled is nothing that one could use.
    let other = play(&game, "2 5 6 6 2-5");
    assert_eq!(game.view_key(&state, 0), game.view_key(&other, 0));
    assert_ne!(game.view_key(&state, 0), game.view_key(&play(&game, "2 2 6 6 2-5"), 0));
    assert_eq!(game.view_key(&state, 0), game.view_key(&play(&game, "2 5 1 6 2-5"), 0));
}

#[test]
fn hands_can_be_read_back() {
    let game = game(2, 3, 4);
    for roll in 0..64 {
        let mut state = game.initial();
        state.hands[0] = [roll & 3, roll >> 2 & 3, roll >> 4].iter().map(|face| 1u64 << (4 * face)).sum();
        assert_eq!(game.read_hand(game.hand(&state, 0)), Some(state.hands[0]));
    }
    assert_eq!(game.read_hand(0), None);
    assert_eq!(game.read_hand(u64::MAX), None);
}

#[test]
fn resampled_dice_are_as_rolled() {
    let game = game(2, 2, 3);
    let truth = play(&game, "1 3 2 2 1-2");
    let mut view = View::new(0);
    let told = [OWN_HAND + game.hand(&truth, 0), ROLLED + 1];
    view.events.extend(told.map(|told| Event::Observed(Observation(told))));
    view.events.extend([Event::Acted(Action(1)), Event::Observed(Observation(2))]);
    let (mut rng, mut pairs) = (Rng::new(4), 0);
    for _ in 0..30_000 {
        let guess: State = game.resample(&view, &mut rng).unwrap();
        assert_eq!((guess.hands[0], guess.bids, guess.rolled), (truth.hands[0], truth.bids, 4));
        pairs += u32::from(guess.hands[1].count_ones() == 1);
    }
    // Three of nine rolls are pairs: 10,000 and 82 is one standard deviation.
    assert!(pairs.abs_diff(10_000) < 330, "{pairs}");
    view.events.push(Event::Observed(Observation(1)));
    assert_eq!(game.resample(&view, &mut rng), None::<State>);
}

#[test]
fn what_is_too_large_is_refused() {
    let error =
        |players, dice, sides| LiarsDice::new(LiarsDiceParams { players, dice, sides }).err().unwrap();
    assert_eq!(error(6, 3, 6), "6 players with 3 dice each have 18; at most 12 can be played");
    assert_eq!(error(2, 5, 10), "10 dice with 10 faces allow 100 bids; at most 63 can be played");
}
