//! Rules of video games that no recorded game shows by itself, one small game each; and files that are none.

use std::time::Duration;

use kibitz_core::Rng;
use kibitz_lang::source::{Severity, Source, render_all};
use kibitz_lang::vgdl::check::{check, ends};
use kibitz_lang::vgdl::level::{LevelLimits, level};
use kibitz_lang::vgdl::parse::parse;
use kibitz_lang::vgdl::rules::Orientation;
use kibitz_lang::vgdl::state::{Input, State, World};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::processor_seconds;
use crate::vgdl::{recorded, world};

const RIGHT: Input = Input::Go(Orientation::RIGHT);

/// A game of these types, characters and effects on a level, after each of these ticks.
fn played(types: &str, mapping: &str, effects: &str, text: &str, inputs: &[Input]) -> (World, Vec<State>) {
    let block = |lines: &str| -> String {
        lines.split(';').map(|line| format!("        {}\n", line.trim_matches(['\n', ' ']))).collect()
    };
    // Of types, those after a `/` stand under the one before.
    let types = block(types).replace("        /", "            ");
    let rules = format!(
        "BasicGame square_size=10\n    SpriteSet\n{types}    LevelMapping\n{}    InteractionSet\n{}    TerminationSet\n        Timeout limit=5000\n",
        block(mapping),
        block(effects)
    );
    let world = world(&rules, text);
    let mut state = world.initial();
    let mut rng = Rng::new(1);
    let states = inputs.iter().map(|input| {
        world.tick(&mut state, *input, &mut rng);
        state.clone()
    });
    let states = states.collect();
    (world, states)
}

fn scores(states: &[State]) -> Vec<i32> {
    states.iter().map(|state| state.score).collect()
}

fn places(world: &World, state: &State, kind: &str) -> Vec<(i32, i32)> {
    let kind = world.rules.kind(kind).expect("a type");
    state.range(kind).map(|at| (state.sprites[at].x, state.sprites[at].y)).collect()
}

#[test]
fn vgdl_a_flicker_at_its_end_is_met_but_meets_nobody() {
    let (_, states) = played(
        "spark > Flicker limit=0; stone > Immovable",
        "s > spark stone",
        "spark stone > attractGaze scoreChange=100; stone spark > attractGaze scoreChange=1",
        "A.s",
        &[Input::Nil; 3],
    );
    assert_eq!(scores(&states), [101, 102, 102]);
}

#[test]
fn vgdl_nobody_has_less_than_nothing() {
    let (world, states) = played(
        "gold > Resource limit=9; shop > Immovable; mine > Immovable",
        "s > shop; m > mine",
        "avatar mine > changeResource resource=gold value=3; avatar shop > changeResource resource=gold value=-5",
        "Ams.",
        &[RIGHT, RIGHT, Input::Nil],
    );
    let had = |state: &State| state.carried(state.avatar as usize, 0, world.rules.resources.len());
    assert_eq!(states.iter().map(had).collect::<Vec<_>>(), [Some(3), Some(0), Some(0)]);
}

#[test]
fn vgdl_what_is_undone_has_still_used_up_its_turn() {
    let play = |effects: &str| {
        let (world, states) = played(
            "ball > Missile orientation=RIGHT cooldown=3",
            "b > ball",
            effects,
            "Aw..\nb...",
            &[RIGHT, RIGHT, Input::Nil, Input::Nil, Input::Nil, Input::Nil, Input::Nil, Input::Nil],
        );
        states.iter().map(|state| places(&world, state, "ball")[0].0).collect::<Vec<_>>()
    };
    let freely = play("avatar wall > stepBack");
    let undone = play("avatar wall > undoAll");
    // The player runs into the wall in the first two ticks; the ball moves in every third, first in the third.
    assert_eq!(freely, undone);
    let (world, states) = played(
        "ball > Missile orientation=RIGHT cooldown=3",
        "b > ball",
        "avatar wall > undoAll",
        "Aw..\nb...",
        &[RIGHT; 9],
    );
    assert!(states.iter().all(|state| places(&world, state, "ball") == [(0, 10)]));
    // Its third tick was spent, so that it waits for the sixth, though the player stands still from the fourth on.
    let inputs = [RIGHT, RIGHT, RIGHT, Input::Nil, Input::Nil, Input::Nil, Input::Nil];
    let (world, states) = played(
        "ball > Missile orientation=RIGHT cooldown=3",
        "b > ball",
        "avatar wall > undoAll",
        "Aw..\nb...",
        &inputs,
    );
    let moved: Vec<i32> = states.iter().map(|state| places(&world, state, "ball")[0].0).collect();
    assert_eq!(moved, [0, 0, 0, 0, 0, 10, 10]);
}

#[test]
fn vgdl_who_comes_aslant_pushes_nothing() {
    // The raft takes the player down while it goes right: the way from where it was is no direction.
    let (world, states) = played(
        "raft > Missile orientation=DOWN speed=0.5; box > Passive",
        "r > raft; b > box",
        "avatar raft > pullWithIt; box avatar > bounceForward scoreChange=1",
        "Ar..\n.b..\n....",
        &[Input::Nil, RIGHT],
    );
    let last = &states[1];
    assert_ne!(places(&world, last, "avatar")[0].0, 0);
    assert_ne!(places(&world, last, "avatar")[0].1, 0);
    assert_eq!(places(&world, last, "box"), [(10, 10)]);
    assert!(last.score > 0, "it scores all the same");
}

#[test]
fn vgdl_a_wall_stops_as_often_as_it_is_touched() {
    // A sprite that does not come back from the first wall touches the second in the same tick.
    let (_, states) = played(
        "ball > Missile orientation=RIGHT speed=0",
        "b > ball wall wall",
        "ball wall > wallStop scoreChange=1",
        "A.b",
        &[Input::Nil],
    );
    assert_eq!(scores(&states), [2]);
}

#[test]
fn vgdl_who_becomes_another_goes_back_to_where_it_came_from() {
    let (world, states) = played(
        "door > Immovable; avatar >; /plain > MovingAvatar; /other > MovingAvatar",
        "A > plain; d > door",
        "plain door > transformTo stype=other; other door > stepBack",
        "Ad.",
        &[RIGHT],
    );
    assert_eq!(places(&world, &states[0], "other"), [(0, 0)]);
}

#[test]
fn vgdl_what_is_no_leaf_stays_where_it_is_and_is_not_undone() {
    let (world, states) = played(
        "thing > Missile orientation=RIGHT; /one > Missile orientation=RIGHT; /two > Missile orientation=RIGHT",
        "t > thing; 1 > one",
        "avatar wall > stepBack; thing avatar > bounceForward; one wall > undoAll",
        "At...\n1....\n",
        &[Input::Nil, RIGHT, Input::Nil],
    );
    // Pushed by the player; nothing that it would do of itself.
    assert_eq!(places(&world, &states[0], "thing"), [(10, 0)]);
    assert_eq!(places(&world, &states[1], "thing"), [(20, 0)]);
    assert_eq!(places(&world, &states[2], "thing"), [(20, 0)]);
    assert_ne!(places(&world, &states[2], "one"), [(0, 10)]);
    let (world, states) = played(
        "thing > Missile orientation=RIGHT; /one > Missile orientation=RIGHT; /two > Missile orientation=RIGHT",
        "t > thing",
        "thing avatar > bounceForward; avatar thing > undoAll",
        "At...\n",
        &[RIGHT],
    );
    // The player is taken back, what it has pushed is not.
    assert_eq!(places(&world, &states[0], "thing"), [(20, 0)]);
}

#[test]
fn vgdl_a_game_that_has_not_ended_is_lost_after_tick_2000() {
    let (_, states) =
        played("a > Immovable", "a > a", "avatar wall > stepBack", "A.a", &[Input::Nil; 2001]);
    assert_eq!((states[1999].won, states[2000].won), (None, Some(false)));
}

#[test]
fn vgdl_cells_are_where_the_sprites_are_however_they_come_and_go() {
    // The same sprites with and without bits that were kept from tick to tick: crates are pushed, eaten, made and moved.
    let rules = "BasicGame\n  SpriteSet\n    soil > Immovable\n    box > Passive\n    worm > RandomNPC\n    nest > \
        SpawnPoint stype=soil cooldown=3\n  LevelMapping\n    s > soil\n    b > box\n    r > worm\n    n > nest\n  \
        InteractionSet\n    avatar wall > stepBack\n    worm wall > stepBack\n    box avatar > bounceForward\n    box wall \
        > undoAll\n    soil worm > killSprite scoreChange=1\n    soil avatar > transformTo stype=box\n    box worm > \
        transformTo stype=soil\n    soil box > bounceForward scoreChange=3\n    soil EOS > killSprite\n  TerminationSet\n    Timeout limit=400\n";
    let text = "wwwwwwwwww\nwA.s.b..rw\nw.ss.bn..w\nw.rs.b.s.w\nw.....s..w\nwwwwwwwwww";
    let world = world(rules, text);
    for seed in 0..20 {
        let (mut kept, mut player) = (world.initial(), Rng::new(seed));
        while kept.won.is_none() {
            let input = Input::Go(Orientation::ALL[player.below(4) as usize]);
            let mut fresh = kept.clone();
            fresh.forget();
            let mut draws = Rng::new(seed << 16 | u64::from(kept.tick));
            world.tick(&mut kept, input, &mut draws.clone());
            world.tick(&mut fresh, input, &mut draws);
            let seen = |state: &State| {
                state.sprites.iter().map(|s| (s.kind, s.x, s.y, s.flags)).collect::<Vec<_>>()
            };
            assert_eq!(seen(&kept), seen(&fresh), "tick {} with seed {seed}", kept.tick);
            assert_eq!(kept.score, fresh.score);
        }
    }
}

/// Reads, checks, and plays some ticks.
fn try_it(rules: &str, text: &str) {
    let sources = [Source::new("rules.vgdl", rules), Source::new("level.txt", text)];
    let lines = match parse(&sources[0], 1 << 16) {
        Ok(lines) => lines,
        Err(findings) => {
            render_all(&sources, &findings, 9);
            return;
        }
    };
    let (rules, mut findings) = check(&lines, &|span| sources[0].slice(span).to_owned());
    let (level, more) =
        level(&rules, &sources[1], 1, LevelLimits { bytes: 1 << 16, cells: 1_000, sprites: 200 });
    findings.extend(more);
    let playable = findings.iter().all(|finding| finding.severity != Severity::Error);
    if playable {
        findings.extend(ends(&rules, &level));
    }
    render_all(&sources, &findings, 9);
    if playable {
        let world = World::new(rules, level, 200, 50);
        let (mut state, mut rng) = (world.initial(), Rng::new(3));
        for number in 0..12 {
            let input = [Input::Use, Input::Nil, RIGHT][number % 3];
            world.tick(&mut state, input, &mut rng);
        }
        assert!(state.sprites.len() <= 200);
    }
}

const RULES: &str = "BasicGame square_size=12\n  SpriteSet\n    goal > Immovable color=GREEN\n    a >\n      b > Missile orientation=LEFT \
    speed=0.3 cooldown=2\n      c > SpawnPoint stype=b cooldown=3 total=4 prob=0.5\n    gold > Resource limit=3\n    s > Spreader \
    stype=f limit=4\n    f > Flicker limit=2 singleton=True\n    p > Portal stype=goal\n    h > Chaser stype=avatar\n    avatar > \
    ShootAvatar stype=f ammo=gold\n  LevelMapping\n    g > goal\n    b > b\n    c > c\n    s > s gold\n    p > p\n    h > h\n  \
    InteractionSet\n    avatar wall > stepBack\n    a EOS > wrapAround offset=1\n    b wall > turnAround\n    h wall > wallStop\n    \
    gold avatar > collectResource scoreChange=2\n    avatar p > teleportToExit\n    b h > bounceForward\n    f b > cloneSprite\n    \
    a h > pullWithIt\n    b goal > transformToSingleton stype=f stype_other=h takeOrientation=True\n    h b > undoAll\n    \
    avatar EOS > killIfHasMore resource=gold limit=2\n  TerminationSet\n    SpriteCounter stype=goal limit=0 win=True\n    \
    MultiSpriteCounter stype1=a stype2=f limit=9 win=False\n    Timeout limit=30\n";
const LEVEL: &str = "wwwwwwwww\nwA.b.c.gw\nw.s.p.h.w\nb...h...b\nwwwwwwwww\n";

/// Pieces that mean something.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            " ",
            "\n",
            "\n    ",
            "\t",
            ">",
            "=",
            "#",
            "EOS",
            "avatar",
            "wall",
            "a",
            "b",
            "h",
            "goal",
            "gold",
            "null",
            "-1",
            "0",
            "1e9",
            "-1e9",
            "1e-9",
            "nan",
            "0.5",
            "7",
            "True",
            "speed=1e9",
            "speed=-1e9",
            "cooldown=-3",
            "limit=-1",
            "orientation=UP",
            "singleton=True",
            "Missile",
            "Bomber",
            "RandomMissile",
            "SpawnPoint",
            "transformTo stype=b",
            "wrapAround offset=-1000000000",
            "changeResource resource=gold value=-1000000000",
            "undoAll",
            "SpriteSet",
            "InteractionSet",
            "square_size=1000",
            "é",
            "\u{feff}",
        ])
        .prop_map(str::to_string),
        "[a-z=> ]{0,4}",
    ]
}

fn mutate(text: &str, cuts: &[(prop::sample::Index, usize, String)]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (at, length, piece) in cuts {
        let from = at.index(text.len() + 1);
        let to = (from + length).min(text.len());
        text.splice(from..to, piece.chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn vgdl_mutated_games_end(
        rules in prop::collection::vec((any::<prop::sample::Index>(), 0..9_usize, piece()), 0..6),
        level in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, "[A-Za-z.\n ]{0,3}"), 0..3),
    ) {
        try_it(&mutate(RULES, &rules), &mutate(LEVEL, &level));
    }

    #[test]
    fn vgdl_pieces_are_read(pieces in prop::collection::vec(piece(), 0..60), text in "\\PC{0,80}") {
        try_it(&format!("BasicGame\n  {}", pieces.join(" ")), &text);
        try_it(&text, &text);
    }
}

#[test]
fn vgdl_large_files_are_refused_or_read_in_bounded_time() {
    let section = |name: &str, lines: &str| format!("  {name}\n{lines}");
    let many = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
    let types = many(&|n| format!("    t{n} > Spreader stype=t{}\n", (n + 1) % 400), 400);
    let deep: String = (1..60).map(|n| format!("{}d{n} > Missile\n", " ".repeat(2 + n))).collect();
    let files = [
        format!("BasicGame\n{}", section("SpriteSet", &many(&|n| format!("    t{n} > Missile\n"), 20_000))),
        format!(
            "BasicGame\n{}{}",
            section("SpriteSet", &types),
            section("InteractionSet", &many(&|n| format!("    nobody{n} wall > killSprite\n"), 20_000))
        ),
        format!(
            "BasicGame\n{}{}",
            section("SpriteSet", &types),
            section("InteractionSet", &many(&|_| "    t0 EOS > killSprite\n".to_owned(), 20_000))
        ),
        format!(
            "BasicGame\n{}{}",
            section("SpriteSet", &types),
            section(
                "InteractionSet",
                &many(
                    &|n| format!(
                        "    t{} t{} > transformTo stype=t{}\n",
                        n % 400,
                        (n * 7) % 400,
                        (n + 399) % 400
                    ),
                    2_000
                )
            )
        ),
        format!(
            "BasicGame\n{}{}",
            section("SpriteSet", &types),
            section("LevelMapping", &format!("    x > {}\n", "t1 ".repeat(20_000)))
        ),
        format!("BasicGame\n{}", section("SpriteSet", &deep)),
        format!("BasicGame\n{}", " x\n".repeat(20_000)),
        "x".repeat(60_000),
        " \n\t\n".repeat(15_000),
        format!("BasicGame\n  SpriteSet\n{}", many(&|n| format!("{}a > b\n", " ".repeat(n % 200)), 600)),
    ];
    let begin = processor_seconds();
    for file in &files {
        try_it(file, &"xA".repeat(300));
    }
    let took = processor_seconds() - begin;
    assert!(Duration::from_secs_f64(took) < Duration::from_secs(30), "{took} s");
}

/// The recorded games' files, mangled: never a panic, and soon done.
#[test]
fn vgdl_mangled_files_of_others_end() {
    let Some((_, corpus)) = recorded() else { return };
    let mut files: Vec<_> =
        std::fs::read_dir(&corpus).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("a text");
    let is_level = |path: &std::path::Path| path.to_string_lossy().contains("_lvl");
    let (levels, rules): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| is_level(path));
    let (levels, rules): (Vec<String>, Vec<String>) =
        (levels.iter().map(|path| read(path)).collect(), rules.iter().map(|path| read(path)).collect());
    assert!(rules.len() >= 30 && levels.len() >= 90);
    let mut rng = Rng::new(5);
    let mut any = |most: usize| rng.below(most as u32) as usize;
    let begin = processor_seconds();
    for round in 0..600 {
        // Words of one game, and whole lines of others, get into another, or something is lost.
        let other: Vec<&str> = rules[any(rules.len())].split_inclusive('\n').collect();
        let mut lines: Vec<String> =
            rules[round % rules.len()].split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..1 + any(4) {
            let at = any(lines.len());
            match any(5) {
                0 => lines[at] = other[any(other.len())].to_owned(),
                1 => lines[at].insert_str(0, &" ".repeat(any(9))),
                2 => lines[at] = lines[at].trim_start().to_owned(),
                3 => lines[at].clear(),
                _ => {
                    let from = other[any(other.len())].split_whitespace().next_back().unwrap_or("=");
                    let into = lines[at].clone();
                    let word = into.split_whitespace().nth(any(4)).unwrap_or(">");
                    lines[at] = into.replace(word, from);
                }
            }
        }
        let mut text: Vec<char> = levels[any(levels.len())].chars().collect();
        for _ in 0..any(4) {
            let at = any(text.len());
            text[at] = ['\n', 'A', ' ', 'w', '0', 'é', '\t'][any(7)];
        }
        try_it(&lines.concat(), &text.into_iter().collect::<String>());
    }
    let took = processor_seconds() - begin;
    assert!(took < 30.0, "{took} s");
}
