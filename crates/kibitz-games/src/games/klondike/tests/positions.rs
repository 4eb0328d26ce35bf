//! Positions from files.

use super::*;
use crate::klondike::file::parse;

const FIGURE_2: &str = include_str!("../../../../../../examples/klondike/figure-2.txt");

/// A game that begins from a position.
fn from_text(spec: &str, text: &str) -> Result<Klondike, String> {
    let mut game = klondike(spec);
    game.begin_from(parse(text)?)?;
    Ok(game.declared())
}

#[test]
fn a_position_is_read() {
    let game = from_text("klondike", FIGURE_2).unwrap();
    let state = random_start(&game);
    let text = "foundations 10♥  9♦  6♣  6♠
waste      \nto turn     7♣ Q♣ [K♦] Q♦ J♣ [K♣]

    1     2     3     4     5     6     7
   K♥    K♠    8♠          8♣    ▒▒    ▒▒
   Q♠    Q♥                      J♦    J♥
         J♠                     10♠   10♣
        10♦
         9♣

2 cards are face down
";
    assert_eq!(game.text(&state, Some(0)), text);
    let names: Vec<String> =
        state.moves.iter().map(|made| game.action_name(&state, Some(0), made.action())).collect();
    assert_eq!(names, ["K♦ to column 4", "K♣ to column 4", "J♥ to Q♠", "J♦ to Q♠"]);
    assert!(
        file::read("no/such/file")
            .unwrap_err()
            .starts_with("'no/such/file' is no position: it cannot be read")
    );
    assert!(file::read("/").unwrap_err().contains("it is not a regular file"));
}

/// With every card in the open and no deck, whatever the reading, the preferences bring all cards up and stop
/// there, though kings could come back from complete foundations.
#[test]
fn what_is_won_is_finished() {
    let text = "foundations: Ah Jd Qc 2s
column 1: Kd Qs
column 2: Ks Qd Js 10h 9s 8h 7s 6h 5s 4h 3s 2h
column 3: 3h
column 4: Kh
column 5: Kc
column 6: Jh 10s 9h 8s 7h 6s 5h 4s
column 7: Qh
";
    for spec in ["klondike(finish=true)", "klondike(finish=true, reading=naive)"] {
        let game = from_text(spec, text).unwrap();
        let (mut state, mut paid) = (random_start(&game), [0.0]);
        let mut best = Vec::new();
        game.preferred(&state, 0, &mut best);
        game.step(&mut state, &best[..1], &mut paid);
        assert_eq!((game.turn(&state), paid), (Turn::Over, [1.0]), "{spec}");
    }
}

fn random_start(game: &Klondike) -> State {
    let (mut state, mut rng) = (game.initial(), Rng::new(0));
    while game.turn(&state) == Turn::Chance {
        let card = game.draw(&state, &mut rng);
        game.step(&mut state, &[card], &mut [0.0]);
    }
    state
}

/// The best chance of winning from a state, by looking at everything.
fn value(game: &Klondike, state: &State) -> f64 {
    let after = |action: Action| {
        let (mut after, mut paid) = (*state, [0.0]);
        game.step(&mut after, &[action], &mut paid);
        if paid[0] > 0.0 { 1.0 } else { value(game, &after) }
    };
    match game.turn(state) {
        Turn::Over => 0.0,
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.chance(state, &mut outcomes);
            outcomes.into_iter().map(|(action, p)| p * after(action)).sum()
        }
        _ => {
            let mut best = 0.0f64;
            for made in state.moves.iter() {
                if best == 1.0 {
                    break;
                }
                best = best.max(after(made.action()));
            }
            best
        }
    }
}

#[test]
fn hindsight_does_not_tell_the_kings_apart_but_looking_ahead_does() {
    let (diamonds, clubs): (Card, Card) = ("Kd".parse().unwrap(), "Kc".parse().unwrap());
    let worth = |game: &Klondike, state: &State, king: Card| {
        let mut after = *state;
        game.step(&mut after, &[Move::Onto(king, false).action()], &mut [0.0]);
        value(game, &after)
    };
    // Nobody knows the cards.
    let game = from_text("klondike", FIGURE_2).unwrap().collapse();
    let state = game.initial();
    assert_eq!((worth(&game, &state, diamonds), worth(&game, &state, clubs)), (1.0, 0.5));
    // Somebody knows them, whichever way they lie.
    for hidden in [["7s", "9s"], ["9s", "7s"]] {
        let [first, second] = hidden.map(|card| format!("{card} |"));
        let text =
            FIGURE_2.replacen("?? J", &format!("{first} J"), 1).replacen("?? J", &format!("{second} J"), 1);
        let game = from_text("klondike(thoughtful=true)", &text).unwrap();
        let state = game.initial();
        assert_eq!((worth(&game, &state, diamonds), worth(&game, &state, clubs)), (1.0, 1.0));
        let refusal = from_text("klondike", &text).err().unwrap();
        assert!(refusal.contains("is face down: write '??', or play with thoughtful=true"), "{refusal}");
    }
}

#[test]
fn a_written_deal_is_dealt() {
    let mut deal = String::from("deck:");
    let mut cards = Card::all();
    for card in cards.by_ref().take(DECK) {
        deal += &format!(" {card}");
    }
    for column in 1..=COLUMNS {
        deal += &format!("\ncolumn {column}:");
        for _ in 1..column {
            deal += &format!(" {}", cards.next().unwrap());
        }
        deal += &format!(" | {}", cards.next().unwrap());
    }
    let game = from_text("klondike(thoughtful=true)", &deal).unwrap();
    let state = game.initial();
    assert_eq!(state.position.unseen(), DOWN);
    assert_eq!((state.unseen, game.turn(&state)), (state.position.covered(), Turn::One(0)));
    // The hidden ones unnamed: the same but for where they are.
    let names = |line: &str| match line.split_once('|') {
        Some((down, up)) => {
            let (head, down) = down.split_once(':').unwrap();
            format!("{head}: {}|{up}", "?? ".repeat(down.split_whitespace().count()))
        }
        None => line.to_owned(),
    };
    let hidden: Vec<String> = deal.lines().map(names).collect();
    let game = from_text("klondike", &hidden.join("\n")).unwrap();
    assert_eq!(game.initial().unseen, state.unseen);
    let dealt = random_start(&game);
    assert_eq!((dealt.moves, dealt.unseen), (state.moves, state.unseen));
    assert_eq!(game.collapse().initial().moves, state.moves);
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, sentence) in [
        ("", "these cards are nowhere, and there is no '??' for them: A♥, A♦, A♣"),
        (
            "deck: Ah\nkitty: 2h",
            "line 2: a line begins with 'foundations:', 'deck:' or 'column 1:' to 'column 7:'",
        ),
        ("hello", "line 1: a line begins with"),
        ("deck: Ah 1x", "line 1: '1x' is no card: write a rank"),
        ("deck: Ah Ah", "line 1: A♥ is there twice"),
        ("# mine\n\ndeck: Ah\ncolumn 3: A♥", "line 4: A♥ is there already, in line 3"),
        ("foundations: 3h\ndeck: 2h", "line 2: 2♥ is there already, in line 1"),
        ("foundations: 3h 5h", "line 1: 5♥ and 3♥ are both on top of one foundation"),
        ("foundations: 3h | 5d", "line 1: foundations have no bar"),
        ("deck: Ah\ndeck: 2h", "line 2: 'deck' was there before, in line 1"),
        ("deck: Ah ??", "line 1: the cards of the deck are known"),
        ("deck: Ah | 2h | 3h", "line 1: one bar is enough"),
        ("column 8: Kh", "line 1: columns are called 1 to 7"),
        ("column 1: ?? | Kh", "line 1: column 1 never has face-down cards"),
        ("column 3: ?? ?? ?? Kh", "line 1: column 3 has at most 2 face-down cards, not 3"),
        ("column 3: ?? ??", "line 1: the last card of column 3 must be face up"),
        ("column 3: Kh ?? Qs", "line 1: face-up cards are known"),
        ("column 3: Kh Qd", "line 1: Q♦ cannot lie on K♥: ranks fall by one and colours alternate"),
        ("foundations: Kh Kd Kc Ks", "all cards are on the foundations"),
        (
            "foundations: Kh Kd Kc 10s\ncolumn 3: ?? Qs",
            "these cards are nowhere, 2 cards for 1 '??': J♠, K♠",
        ),
        (
            "foundations: Kh Kd Kc Js\ncolumn 3: ?? ?? Qs",
            "there are 2 '??', but only 1 cards are nowhere else",
        ),
    ] {
        let told = parse(text).err().unwrap_or_default();
        assert!(told.starts_with(sentence), "{text:?}: {told}");
    }
    let many: Vec<String> = Card::all().take(25).map(|card| card.to_string()).collect();
    let told = parse(&format!("deck: {}", many.join(" "))).unwrap_err();
    assert_eq!(told, "line 1: the deck has at most 24 cards");
    let long = parse(&format!("deck: {}", "x".repeat(5000))).unwrap_err();
    assert!(long.len() < 200, "{long}");
}

/// Who plays with ordinary moves sees the backs of the cards to turn; the truth and thoughtful games show them.
#[test]
fn ordinary_stock_is_face_down() {
    let seen = |spec, viewer| {
        let game = from_text(spec, FIGURE_2).unwrap();
        let state = random_start(&game);
        game.text(&state, viewer).lines().nth(2).unwrap().to_owned()
    };
    assert_eq!(seen("klondike(moves=ordinary)", Some(0)), "to turn     6 cards");
    assert_eq!(seen("klondike(moves=ordinary)", None), "to turn     7♣ Q♣ K♦ Q♦ J♣ K♣");
    assert_eq!(seen("klondike(moves=ordinary, thoughtful=true)", Some(0)), "to turn     7♣ Q♣ K♦ Q♦ J♣ K♣");
}
