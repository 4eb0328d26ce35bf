use kibitz_core::params::Params;

use kibitz_core::interrupt::Interrupt;
use kibitz_core::playout::Context;

use super::*;
use crate::testing::{play, returns};

fn params() -> KingUpParams {
    KingUpParams::default()
}

fn game(params: &KingUpParams) -> KingUp {
    KingUp::new(params).unwrap()
}

/// A game from a position, in which these cards are dealt.
fn from(params: &KingUpParams, text: &str) -> KingUp {
    let mut game = game(params);
    let known = file::parse(text, &game.rules).unwrap();
    game.start = State { seen: game.start.seen, ..known.state };
    game.given = known.cards;
    game
}

fn after(game: &KingUp, joints: &[&[u32]]) -> (State, [f64; 3]) {
    let (mut state, mut rewards) = (game.initial(), [0.0; 3]);
    while game.turn(&state) == Turn::Chance {
        let card = game.draw(&state, &mut Rng::new(1));
        game.step(&mut state, &[card], &mut rewards);
    }
    for joint in joints {
        let joint: Vec<Action> = joint.iter().map(|action| Action(*action)).collect();
        let mut legal = Vec::new();
        for (player, action) in game.turn(&state).movers().iter().zip(&joint) {
            legal.clear();
            game.legal(&state, player, &mut legal);
            assert!(legal.contains(action), "{}", game.text(&state, None));
        }
        game.step(&mut state, &joint, &mut rewards);
    }
    (state, rewards.map(|reward| reward * UNIT))
}

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

#[test]
fn the_best_score_is_the_papers() {
    let info = game(&params()).info;
    assert_eq!((info.min_return, info.max_return), (0.0, 22.0 / 50.0));
    let full = Chosen::from_spec(&"king-up(full=true, rounds=1)".parse().unwrap()).unwrap().0;
    assert_eq!(game(&full).info.max_return, 1.0);
    let best = from(&params(), "cards: ABCD BCDE CDEF\nvotes: 0 0 0\npieces: A4 B4 C4 D4");
    // A is king: 10 + 3 * 4 for the first, and E and F are out.
    assert_eq!(after(&best, &[&[A]]).1, [22.0, 12.0, 8.0]);
}

#[test]
fn a_vote_decides() {
    let text = "cards: ABCD BCDE DEFG\nvotes: 1 1 1\npieces: A4 B4 C1 D0";
    let game = from(&params(), text);
    let (state, _) = after(&game, &[&[A]]);
    assert_eq!(
        (state.stage, state.top, game.turn(&state)),
        (Stage::Vote, 0, Turn::Several(Players::first(3)))
    );
    // All agree: A is king. The third player has D on level 0 and nothing else.
    let (state, points) = after(&game, &[&[A], &[YES, YES, YES]]);
    assert_eq!((state.stage, points), (Stage::Over, [15.0, 5.0, 15.0]));
    // The second and the third refuse: A is out, both have no card left, and the second is next.
    let (state, points) = after(&game, &[&[A], &[YES, NO, NO]]);
    assert_eq!((state.stage, state.mover, state.board, points), (Stage::Promote, 1, 0b1110, [0.0; 3]));
    assert_eq!(state.votes[..3], [1, 0, 0]);
    // B comes to the top; only the first could refuse, and then nobody can any more.
    let (state, _) = after(&game, &[&[A], &[YES, NO, NO], &[B], &[NO, YES, YES]]);
    assert_eq!((state.stage, state.mover, state.votes[..3].iter().sum::<u8>()), (Stage::Promote, 2, 0));
    let moves: [&[u32]; 8] = [&[A], &[YES, NO, NO], &[B], &[NO, YES, YES], &[C], &[C], &[C], &[C]];
    let (state, points) = after(&game, &moves);
    assert_eq!((state.stage, points), (Stage::Over, [10.0, 10.0, 15.0]));
}

#[test]
fn the_castle_may_be_empty_at_the_end() {
    let game = from(&params(), "cards: ABCD BCDE DEFG\nvotes: 1 0 0\npieces: A4");
    let (state, points) = after(&game, &[&[A], &[NO, YES, YES]]);
    assert_eq!((state.stage, state.board, points), (Stage::Over, 0, [15.0; 3]));
}

#[test]
fn readings_differ_where_they_should() {
    let text = "cards: ABCD BCDE DEFG\nvotes: 1 1 1\npieces: A4 B4 C1 D0";
    let no_pieces = KingUpParams { bonus_for: setting::BonusFor::NoPieces, ..params() };
    assert_eq!(after(&from(&no_pieces, text), &[&[A], &[YES, YES, YES]]).1, [15.0, 5.0, 0.0]);
    let others = KingUpParams { voters: setting::Voters::Others, ..params() };
    let (state, _) = after(&from(&others, text), &[&[A]]);
    assert_eq!(from(&others, text).turn(&state), Turn::Several(Players(0b110)));
    let same = KingUpParams { after_no: setting::AfterNo::Same, ..params() };
    let (state, _) = after(&from(&same, text), &[&[A], &[NO, YES, YES]]);
    assert_eq!((state.stage, state.mover), (Stage::Promote, 0));
    let relative = KingUpParams { relative: true, ..params() };
    assert_eq!(after(&from(&relative, text), &[&[A], &[YES, YES, YES]]).1, [5.0, -10.0, 5.0]);
    assert_eq!(game(&relative).info.min_return, -22.0 / 50.0);
    let crowded = "pieces: A3 B4 C4 D4 E0";
    let movable = |params: &KingUpParams| {
        let game = from(params, crowded);
        game.rules.movable(&game.start)
    };
    assert_eq!(movable(&params()), 0b11111);
    assert_eq!(movable(&KingUpParams { crowding: false, ..params() }), 0b11110);
    let ground = game(&KingUpParams { leftover: setting::Leftover::Ground, ..params() });
    let moves = "ABCD BCDE CDEF A_on_3 B_on_3 C_on_3 D_on_2 E_on_1";
    assert_eq!(play(&ground, &format!("{moves} G_on_0")).board, 0b111_1111);
    assert_eq!(play(&game(&params()), &format!("{moves} G_on_0")).board, 0b101_1111);
}

#[test]
fn levels_fill_up() {
    let game = game(&params());
    let names = |moves: &str| {
        let (state, mut actions) = (play(&game, moves), Vec::new());
        game.legal(&state, usize::from(state.mover), &mut actions);
        actions.iter().map(|action| game.action_name(&state, Some(0), *action)).collect::<Vec<_>>()
    };
    assert_eq!(names("ABCD BCDE CDEF").len(), 7 * 4);
    let later = names("ABCD BCDE CDEF A_on_3 B_on_3 C_on_3");
    assert_eq!(later.len(), 4 * 3);
    assert!(later.contains(&"G on 0".to_owned()) && !later.contains(&"G on 3".to_owned()));
    assert_eq!(names("ABCD BCDE CDEF A_on_3 B_on_3 C_on_3 D_on_0 E_on_0 F_on_0").len(), 6);
}

/// How many joint actions there are in sequence.
fn perft(game: &KingUp, state: &State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut joints: Vec<Vec<Action>> = vec![Vec::new()];
    let turn = game.turn(state);
    for player in turn.movers().iter() {
        let mut legal = Vec::new();
        game.legal(state, player, &mut legal);
        let with = |joint: &Vec<Action>, action: &Action| [joint.as_slice(), &[*action]].concat();
        joints =
            joints.iter().flat_map(|joint| legal.iter().map(move |action| with(joint, action))).collect();
    }
    if turn == Turn::Chance {
        let mut outcomes = Vec::new();
        game.chance(state, &mut outcomes);
        joints = outcomes.iter().map(|(outcome, _)| vec![*outcome]).collect();
    }
    let count = |joint: &Vec<Action>| {
        let mut after = *state;
        game.step(&mut after, joint, &mut [0.0; MOST_PLAYERS]);
        perft(game, &after, depth - 1)
    };
    if turn == Turn::Over { 0 } else { joints.iter().map(count).sum() }
}

#[test]
fn counts_can_be_worked_out_by_hand() {
    let game = game(&params());
    let counts: Vec<u64> = (1..=5).map(|depth| perft(&game, &game.initial(), depth)).collect();
    // 7, 6, 5 cards; then one of 7 pieces on one of 4 levels, one of 6 pieces.
    assert_eq!(counts, [7, 42, 210, 210 * 28, 210 * 28 * 24]);
    let end = from(&params(), "cards: ABCD BCDE DEFG\nvotes: 1 0 1\npieces: A4 B3");
    let (dealt, _) = after(&end, &[]);
    let counts: Vec<u64> = (1..=4).map(|depth| perft(&end, &dealt, depth)).collect();
    // A to the top, or B up. Then four votes, or two moves; then, after three of the votes, B's only move, or four
    // votes on either king; then one move each after three refusals of A, and of either king.
    assert_eq!(counts, [2, 6, 11, 3 + 2 * 3]);
}

#[test]
fn hidden_cards_do_not_show() {
    let game = game(&params());
    let moves = "A_on_1 B_on_2 C_on_3 D_on_0 E_on_1 F_on_2 C_up A_up C_up";
    let one = play(&game, &format!("ABCD BCDE CDEF {moves}"));
    let other = play(&game, &format!("ABCD ABCG DEFG {moves}"));
    assert_eq!(one.seen[0], other.seen[0]);
    assert_ne!(one.seen[1], other.seen[1]);
    assert_eq!(game.text(&one, Some(0)), game.text(&other, Some(0)));
    assert_eq!(game.svg(&one, Some(0)), game.svg(&other, Some(0)));
    assert_ne!(game.text(&one, None), game.text(&other, None));
    let chance = game.initial();
    let mut dealt = chance;
    game.step(&mut dealt, &[Action(3)], &mut [0.0; 3]);
    let told = |player| game.observe(&dealt, Turn::Chance, &[Action(3)], player);
    assert_eq!(told(1), game.observe_public(&dealt, Turn::Chance, &[Action(3)]));
    assert_ne!(told(0), told(1));
}

/// Random games: the views that referees would keep, beside the states' own keys and what is resampled from them.
#[test]
fn resampled_states_have_seen_the_same() {
    for spec in ["king-up", "king-up(rounds=2, voters=others)", "king-up(2, 1, 3, set_rounds=1, height=3)"]
    {
        let game = game(&Chosen::from_spec(&spec.parse().unwrap()).unwrap().0);
        let players = game.rules.players;
        let (mut rng, mut scratch) = (Rng::new(7), Vec::new());
        for _ in 0..60 {
            let mut state = game.initial();
            let mut views: Vec<View> = (0..players).map(View::new).collect();
            let mut rewards = [0.0; MOST_PLAYERS];
            while game.turn(&state) != Turn::Over {
                let turn = game.turn(&state);
                let mut joint: Vec<Action> = Vec::new();
                for player in turn.movers().iter() {
                    joint.push(game.random_action(&state, player, &mut scratch, &mut rng));
                    views[player].events.push(Event::Acted(joint[joint.len() - 1]));
                }
                if turn == Turn::Chance {
                    joint.push(game.draw(&state, &mut rng));
                }
                game.step(&mut state, &joint, &mut rewards[..players]);
                let public = game.observe_public(&state, turn, &joint);
                for (player, view) in views.iter_mut().enumerate() {
                    let told = game.observe(&state, turn, &joint, player);
                    let is_own_card = turn == Turn::Chance && usize::from(state.dealt) == player + 1;
                    assert_eq!(told == public, !is_own_card);
                    view.events.push(Event::Observed(told));
                    assert_eq!(view.key(), game.view_key(&state, player));
                    let guess: State = game.resample(view, &mut rng).unwrap();
                    assert_eq!(guess.seen[player], state.seen[player]);
                    let hidden = |state: State| State { seen: [0; 6], cards: [0; 6], ..state };
                    assert_eq!(hidden(guess), hidden(state));
                    if game.turn(&state) != Turn::Chance {
                        assert_eq!(guess.cards[player], state.cards[player]);
                    }
                }
            }
        }
    }
}

#[test]
fn resampled_cards_are_uniform() {
    let game = game(&params());
    let mut view = View::new(1);
    for told in [OTHER_DEALT + 1, OWN_CARD + 2, OTHER_DEALT + 3] {
        view.events.push(Event::Observed(Observation(told)));
    }
    let (mut rng, mut counts) = (Rng::new(4), [[0u32; 7]; 7]);
    for _ in 0..30_000 {
        let guess: State = game.resample(&view, &mut rng).unwrap();
        assert_eq!((guess.cards[1], guess.stage), (2, Stage::Set));
        counts[usize::from(guess.cards[0])][usize::from(guess.cards[2])] += 1;
    }
    let possible = counts.iter().flatten().filter(|count| **count > 0);
    assert_eq!(possible.clone().count(), 30);
    // chi-square with 29 degrees of freedom: 58.3 is the 0.999 quantile
    let chi: f64 = possible.map(|count| (f64::from(*count) - 1e3).powi(2) / 1e3).sum();
    assert!(chi < 58.3, "{chi}");
    for told in [0, 1, 7, PLACES as u64, 1 << SHOWN, u64::MAX, VOTES, OWN_CARD] {
        let mut wrong = view.clone();
        wrong.events.push(Event::Observed(Observation(told)));
        assert_eq!(game.resample(&wrong, &mut rng), None::<State>, "{told}");
    }
}

#[test]
fn returns_add_up_over_rounds() {
    let two = KingUpParams {
        players: 2,
        pieces: 2,
        targets: 1,
        set_rounds: 1,
        height: 2,
        rejections: 0,
        ..params()
    };
    let once =
        returns(&game(&two), "A B A_on_0 B_on_0 B_up B_up").iter().map(|r| r * UNIT).collect::<Vec<_>>();
    assert_eq!(once, [15.0, 10.0]);
    let twice = game(&KingUpParams { rounds: 2, ..two });
    // The second player has lost, and begins.
    let both = returns(&twice, "A B A_on_0 B_on_0 B_up B_up A B A_on_0 B_on_0 A_up B_up B_up");
    assert_eq!(both.iter().map(|r| (r * UNIT).round()).collect::<Vec<_>>(), [16.0, 20.0]);
    let state = play(&twice, "A B A_on_0 B_on_0 B_up B_up A B");
    assert_eq!((state.mover, state.scores[..2].to_vec()), (1, vec![15, 10]));
}

#[test]
fn quick_playouts_are_playouts() {
    for spec in ["king-up", "king-up(crowding=false, rounds=2)", "king-up(full=true, voters=others)"] {
        let game = game(&Chosen::from_spec(&spec.parse().unwrap()).unwrap().0);
        let how = Rollout::random(u32::MAX, 1.0);
        let (mut quick, mut plain) = (Rng::new(3), Rng::new(3));
        for _ in 0..300 {
            let (mut one, mut other) = ([0.0; 3], [0.0; 3]);
            let steps = game.play_out_many(&game.initial(), &how, 1, &mut quick, &mut one).unwrap();
            let by_steps = kibitz_core::playout::run(
                &game,
                &mut game.initial(),
                &how,
                None,
                &mut Context::new(&mut plain, &mut Interrupt::never()),
                &mut other,
            );
            assert_eq!((steps, one), (by_steps.into(), other));
        }
        let short = Rollout { depth: 5, ..how };
        assert_eq!(game.play_out_many(&game.initial(), &short, 1, &mut quick, &mut [0.0; 3]), None);
    }
}

#[test]
fn a_state_is_small() {
    assert_eq!(size_of::<State>(), 120);
}

#[test]
fn sensible_voters_think_of_their_own_pieces() {
    // E is on the top. It is on the second card; the first has pieces below, the third none at all.
    let text = "cards: ABCD CDEF DEFG\nvotes: 1 1 0\npieces: A1 B2 E5\nmover: 1\n";
    let game = from(&params(), text);
    let (state, _) = after(&game, &[]);
    let says = |state: &State, player| {
        let mut actions = Vec::new();
        game.preferred(state, player, &mut actions);
        actions
    };
    assert_eq!(game.turn(&state), Turn::Several(Players::first(3)));
    assert_eq!(
        [0, 1, 2].map(|player| says(&state, player)),
        [[NO], [YES], [YES]].map(|vote| vote.map(Action))
    );
    // Who gets the bonus is content, though the piece is another's; who has no vote card can only be.
    let bonus = State {
        levels: {
            let mut levels = state.levels;
            levels[0] = 0;
            levels[1] = 0;
            levels
        },
        ..state
    };
    assert_eq!(says(&bonus, 0), [Action(YES)]);
    let poor = State { votes: [0, 1, 0, 0, 0, 0], ..state };
    assert_eq!(says(&poor, 0), [Action(YES)]);
    // Only votes are narrowed, and they depend on nobody else's card.
    let other =
        State { cards: [state.cards[0], state.cards[2], state.cards[1], NONE, NONE, NONE], ..state };
    assert_eq!(says(&other, 0), [Action(NO)]);
    let mut promoting = state;
    game.step(&mut promoting, &[Action(NO), Action(YES), Action(YES)], &mut [0.0; 3]);
    let (mut legal, preferred) = (Vec::new(), says(&promoting, promoting.mover.into()));
    game.legal(&promoting, promoting.mover.into(), &mut legal);
    assert_eq!(preferred, legal);
}

#[test]
fn quick_playouts_are_those_of_the_same_votes() {
    let game = game(&params());
    let how = |policy| Rollout { policy, ..Rollout::random(u32::MAX, 1.0) };
    let mean = |policy, quick: bool| {
        let (mut rng, mut returns, games) = (Rng::new(3), [0.0; 3], 20_000);
        if quick {
            game.play_out_many(&game.initial(), &how(policy), games, &mut rng, &mut returns).unwrap();
        } else {
            for _ in 0..games {
                kibitz_core::playout::run(
                    &game,
                    &mut game.initial(),
                    &how(policy),
                    None,
                    &mut Context::new(&mut rng, &mut Interrupt::never()),
                    &mut returns,
                );
            }
        }
        returns.map(|sum| sum * UNIT / f64::from(games))
    };
    for policy in [Policy::Random, Policy::Preferred] {
        for (quick, slow) in mean(policy, true).into_iter().zip(mean(policy, false)) {
            assert!((quick - slow).abs() < 0.25, "{policy:?}: {quick} and {slow}");
        }
    }
    // Nobody throws out its own piece: all get more.
    let all = |means: [f64; 3]| means.iter().sum::<f64>();
    assert!(all(mean(Policy::Preferred, true)) > all(mean(Policy::Random, true)) + 1.0);
}
