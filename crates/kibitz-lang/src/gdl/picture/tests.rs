//! Made-up games, and what is seen in them.

use proptest::prelude::*;

use super::*;

fn owned(facts: &[&str]) -> Vec<String> {
    facts.iter().map(|fact| (*fact).to_owned()).collect()
}

fn product(columns: &[&str], rows: &[&str], fact: impl Fn(&str, &str) -> String) -> Vec<String> {
    rows.iter().flat_map(|row| columns.iter().map(|column| fact(column, row)).collect::<Vec<_>>()).collect()
}

fn sketch(possible: Option<&[String]>, states: &[Vec<String>], roles: &[&str]) -> Sketch {
    Sketch::new(possible, states, &owned(roles), &Hints::default())
}

/// A board that is empty at the start but for some cells.
fn board(columns: &[&str], rows: &[&str], pieces: &[(&str, &str, &str)]) -> Vec<String> {
    product(columns, rows, |column, row| {
        let piece =
            pieces.iter().find(|(c, r, _)| (*c, *r) == (column, row)).map_or("b", |(_, _, piece)| piece);
        format!("(cell {column} {row} {piece})")
    })
}

const THREE: [&str; 3] = ["1", "2", "3"];

#[test]
fn tic_tac_toe() {
    let start = board(&THREE, &THREE, &[]);
    let mut later = board(&THREE, &THREE, &[("1", "3", "x"), ("2", "2", "o")]);
    later.push("(control white)".to_owned());
    let all: Vec<String> = ["b", "x", "o"]
        .iter()
        .flat_map(|c| product(&THREE, &THREE, |x, y| format!("(cell {x} {y} {c})")))
        .collect();
    let found = sketch(Some(&all), &[start, later.clone()], &["white", "black"]);
    assert_eq!(found.text(&later), "3 x . .\n2 . o .\n1 . . .\n  1 2 3\n\ncontrol  white");
    let svg = found.svg(&later);
    assert!(svg.contains(">x</text>") && svg.contains("control"), "{svg}");
}

/// Pieces fall to the ground, whichever argument counts the rows.
#[test]
fn connect_four() {
    let (wide, high) = (["1", "2", "3", "4", "5"], ["1", "2", "3", "4"]);
    let all: Vec<String> = ["red", "black"]
        .iter()
        .flat_map(|piece| product(&wide, &high, |column, row| format!("(cell {row} {column} {piece})")))
        .collect();
    // A later row is higher up in one game and lower down in the other.
    for (ground, step, drawn) in [
        (1, 1, "4 . . . . .\n3 . r . . .\n2 . b . . .\n1 . r . . ."),
        (4, -1, "1 . . . . .\n2 . r . . .\n3 . b . . .\n4 . r . . ."),
    ] {
        let piece = |number: i32, column: i32| {
            format!(
                "(cell {} {column} {})",
                ground + step * number,
                if number % 2 == 0 { "red" } else { "black" }
            )
        };
        let pile =
            |column: i32, height: i32| (0..height).map(|number| piece(number, column)).collect::<Vec<_>>();
        let mut states = vec![Vec::new()];
        states.extend(
            (1..=5).flat_map(|column| (1..=3).map(move |height| (column, height))).map(|(c, h)| pile(c, h)),
        );
        let text = sketch(Some(&all), &states, &["red", "black"]).text(&pile(2, 3));
        assert!(text.starts_with(drawn), "{text}");
        assert!(text.ends_with("1 2 3 4 5\n\nb black, r red"), "{text}");
    }
}

#[test]
fn a_chess_like_game() {
    let (files, ranks) = (["a", "b", "c", "d"], ["1", "2", "3", "4"]);
    let men = [("a", "1", "wr"), ("b", "1", "wk"), ("c", "2", "wp"), ("d", "4", "bk"), ("a", "4", "bn")];
    let start = board(&files, &ranks, &men);
    let found = sketch(Some(&start), std::slice::from_ref(&start), &["white", "black"]);
    assert_eq!(found.text(&start).lines().next(), Some("4 n . . k"));
    let svg = found.svg(&start);
    assert!(svg.contains('\u{2654}') && svg.contains(kibitz_core::draw::DARK));
    // The same with the piece in front and empty cells unsaid.
    let placed: Vec<String> =
        men.iter().map(|(file, rank, man)| format!("(location {man} {file} {rank})")).collect();
    let all: Vec<String> = men
        .iter()
        .flat_map(|(_, _, man)| product(&files, &ranks, |f, r| format!("(location {man} {f} {r})")))
        .collect();
    let other = sketch(Some(&all), std::slice::from_ref(&placed), &["white", "black"]);
    assert_eq!(other.text(&placed).lines().next(), Some("4 n . . k"));
    // Where nobody knows what may hold.
    assert!(sketch(None, &[start], &[]).has_board());
}

#[test]
fn a_row_of_cells() {
    let start = owned(&["(hole 1 peg)", "(hole 2 peg)", "(hole 3 empty)", "(hole 4 peg)", "(moves 0)"]);
    let found = sketch(None, std::slice::from_ref(&start), &[]);
    assert_eq!(found.text(&start), "p p . p\n1 2 3 4\n\np peg\n\nmoves  0");
}

#[test]
fn nine_boards() {
    let mut all = Vec::new();
    for piece in ["x", "o"] {
        for (a, b) in [1, 2, 3].into_iter().flat_map(|a| [1, 2, 3].map(|b| (a, b))) {
            all.extend(product(&THREE, &THREE, |x, y| format!("(mark {a} {b} {x} {y} {piece})")));
        }
    }
    let states = [vec![], owned(&["(mark 1 1 1 1 x)", "(mark 3 1 1 1 o)"])];
    let text = sketch(Some(&all), &states, &["x", "o"]).text(&states[1]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3 * 5 + 2, "{text}");
    assert_eq!(lines[12], "  1 1       2 1       3 1");
    assert_eq!(lines[15], "1 x . .   1 . . .   1 o . .");
}

/// Lines between points are not cells.
#[test]
fn from_here_to_there() {
    let mut lines = Vec::new();
    for (x, y) in (1..=5).flat_map(|x| (1..=5).map(move |y| (x, y))) {
        lines.push(format!("(line {x} {y} {} {y})", x + 1));
        lines.push(format!("(line {x} {y} {x} {})", y + 1));
    }
    let some = lines.iter().step_by(3).cloned().collect();
    assert!(!sketch(Some(&lines), &[Vec::new(), some], &[]).has_board());
}

#[test]
fn two_games_have_two_boards() {
    let both =
        |name: &str, a: &str, b: &str| owned(&[&format!("({name} 1 1 {a})"), &format!("({name} 2 3 {b})")]);
    let state = [both("left", "x", "o"), both("right", "o", "x")].concat();
    let all: Vec<String> = ["left", "right"]
        .iter()
        .flat_map(|name| {
            ["x", "o"].map(|piece| product(&THREE, &THREE, |x, y| format!("({name} {x} {y} {piece})")))
        })
        .flatten()
        .collect();
    let text = sketch(Some(&all), std::slice::from_ref(&state), &["x", "o"]).text(&state);
    assert!(text.contains("left") && text.contains("right"), "{text}");
}

#[test]
fn walls_lie_under_who_walks() {
    let walls = product(&THREE, &["1", "2"], |x, y| format!("(blockedNorth {x} {y})"));
    let state = [board(&THREE, &THREE, &[("2", "2", "robot")]), walls].concat();
    let found = sketch(Some(&state), std::slice::from_ref(&state), &["robot"]);
    let svg = found.svg(&state);
    assert_eq!((svg.matches("<path").count(), svg.matches("<circle").count()), (6, 1), "{svg}");
}

#[test]
fn without_a_board_there_is_a_table() {
    let facts = owned(&[
        "(owns anna lamp)",
        "(owns ben 10)",
        "(owns ben 9)",
        "night",
        "(step 3)",
        "(goes (far away (very far)))",
    ]);
    let found = sketch(None, std::slice::from_ref(&facts), &["anna", "ben"]);
    assert!(!found.has_board());
    let text = found.text(&facts);
    assert_eq!(text, "goes  (far away (very far))\nowns  anna lamp, ben 9, ben 10\nstep  3\nnight");
    assert!(found.svg(&facts).contains("night"));
}

#[test]
fn pictures_are_bounded() {
    let many: Vec<String> = (0..1000).map(|number| format!("(score anna {})", number * 1000)).collect();
    let text = sketch(None, std::slice::from_ref(&many), &["anna"]).text(&many);
    assert!(text.ends_with("and 800 more") && text.lines().count() < 60, "{text}");
    let wide: Vec<String> = (0..41).map(|number| number.to_string()).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let large = board(&wide, &wide, &[]);
    assert!(!sketch(Some(&large), std::slice::from_ref(&large), &[]).has_board());
    let fits = board(&wide[..40], &wide[..40], &[]);
    assert!(sketch(Some(&fits), std::slice::from_ref(&fits), &[]).has_board());
    // A cell may appear that was not foreseen, but not any number of them.
    let small = board(&THREE, &THREE, &[]);
    let found = sketch(None, std::slice::from_ref(&small), &[]);
    let lines = |facts: &[String]| {
        found.text(facts).lines().next().map_or(0, |line| line.split_whitespace().count())
    };
    assert_eq!(lines(&board(&["1", "2", "3", "4"], &THREE, &[])), 5);
    assert_eq!(lines(&large), 41);
}

#[test]
fn names_are_escaped() {
    let start = board(&THREE, &THREE, &[("1", "1", "<b>&"), ("2", "1", "a\u{7}b")]);
    let mut state = start.clone();
    state.push("(says </text><script>)".to_owned());
    let svg = sketch(None, &[start], &[]).svg(&state);
    assert!(svg.contains("&lt;b&gt;&amp;") && !svg.contains("<script") && !svg.contains('\u{7}'), "{svg}");
}

proptest! {
    /// Whatever the facts, there is a picture, the same each time.
    #[test]
    fn odd_facts(
        facts in prop::collection::vec("[(]{0,2}(a|cell|[ -~]|\u{e9})( ([0-9a-c]|-3|wk|[ -~]{0,3}|[(]x 1[)])){0,4}[)]{0,2}", 0..40),
        states in 1_usize..4,
        known: bool,
    ) {
        let states: Vec<Vec<String>> = facts.chunks(facts.len() / states + 1).map(<[String]>::to_vec).collect();
        let draw = || {
            let found = sketch(known.then_some(&facts[..]), &states, &["a", "b"]);
            (found.text(&facts), found.svg(&facts))
        };
        let (text, svg) = draw();
        prop_assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
        prop_assert_eq!((text, svg), draw());
    }
}
