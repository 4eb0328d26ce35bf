//! How a moment of a video game looks: characters, or simple shapes by class and colour.

use std::fmt::Write as _;

use kibitz_core::draw::{FAINT, FIRST, INK, Picture};

use crate::vgdl::ontology::Conduct;
use crate::vgdl::rules::KindId;
use crate::vgdl::state::{ORIENTED, Sprite, State, World};

/// Pixels of a cell.
const CELL: i32 = 24;
/// The height of a line of words.
const LINE: i32 = 18;
/// From one line of the legend to the next, and from the screen to the first.
const PITCH: i32 = CELL + 4;
const GAP: i32 = 6;

/// Colours that rules name.
const COLOURS: [(&str, &str); 21] = [
    ("BLACK", "#2f2a26"),
    ("BLUE", "#2d6a9f"),
    ("BROWN", "#8a5a33"),
    ("DARKBLUE", "#1f3f77"),
    ("DARKGRAY", "#5c574f"),
    ("DARKGREEN", "#2f6b36"),
    ("GOLD", "#d9a520"),
    ("GRAY", "#8a8074"),
    ("GREEN", "#4f9a52"),
    ("LIGHTBLUE", "#8dbfe0"),
    ("LIGHTGRAY", "#c9c3b8"),
    ("LIGHTGREEN", "#a8d6a0"),
    ("LIGHTORANGE", "#f0c08a"),
    ("LIGHTRED", "#e59a92"),
    ("LIGHTYELLOW", "#efe3a0"),
    ("ORANGE", "#d9822b"),
    ("PINK", "#d88fb0"),
    ("PURPLE", "#7d4f9a"),
    ("RED", "#c8443a"),
    ("WHITE", "#fffdf8"),
    ("YELLOW", "#e2c53a"),
];

/// Colours of types that name none.
const OTHERS: [&str; 6] = ["#2d6a9f", "#d9822b", "#7d4f9a", "#2f6b36", "#8a5a33", "#d88fb0"];

/// What stands for each type: the character that places it alone, or else its name's first letter.
fn characters(world: &World) -> Vec<char> {
    let rules = &world.rules;
    let alone = |kind: KindId| {
        let mut mapped = rules.mapping.iter().filter(|(c, _)| !c.is_whitespace() && *c != '.');
        mapped.find(|(_, kinds)| kinds[..] == [kind]).map(|(character, _)| *character)
    };
    let character = |(number, kind): (usize, &crate::vgdl::rules::Kind)| {
        let letter = kind.name.chars().next().unwrap_or('?');
        let avatar = world.avatar(number as KindId).map(|_| 'A');
        avatar.or_else(|| alone(number as KindId)).unwrap_or(letter)
    };
    rules.kinds.iter().enumerate().map(character).collect()
}

/// The sprites that are seen, the ones in front last: the avatar before all.
fn in_front(world: &World, state: &State) -> Vec<usize> {
    let rank = |at: &usize| {
        let kind = state.sprites[*at].kind;
        let declared = world.rules.order.iter().rev().position(|k| *k == kind);
        (world.avatar(kind).is_some(), declared, *at)
    };
    let seen = |at: &usize| !world.kind(state.sprites[*at].kind).invisible;
    let mut order: Vec<usize> = (0..state.sprites.len()).filter(seen).collect();
    order.sort_by_key(rank);
    order
}

fn cell(world: &World, sprite: &Sprite) -> Option<(usize, usize)> {
    let level = &world.level;
    let place = |at: i32, cells: i32| {
        let cell = at.saturating_add(level.block / 2).div_euclid(level.block);
        (0..cells).contains(&cell).then_some(cell as usize)
    };
    Some((place(sprite.x, level.width)?, place(sprite.y, level.height)?))
}

/// The tick, the score, what the avatar carries, and how it ended.
fn status(world: &World, state: &State) -> String {
    let mut text = format!("tick {}, score {}", state.tick, state.score);
    let resources = &world.rules.resources;
    if state.sprites.get(state.avatar as usize).is_some() {
        for (number, kind) in resources.iter().enumerate() {
            if let Some(amount) = state.carried(state.avatar as usize, number, resources.len()) {
                let _ = write!(text, ", {} {amount}", world.kind(*kind).name);
            }
        }
    }
    if let Some(won) = state.won {
        text.push_str(if won { ": won" } else { ": lost" });
    }
    text
}

/// The types that are there, with what stands for them.
fn legend(world: &World, state: &State) -> Vec<KindId> {
    let kinds = 0..world.rules.kinds.len() as KindId;
    kinds.filter(|kind| !state.range(*kind).is_empty() && !world.kind(*kind).invisible).collect()
}

/// In characters, a character a cell.
pub fn text(world: &World, state: &State) -> String {
    let characters = characters(world);
    let (width, height) = (world.level.width as usize, world.level.height as usize);
    let mut cells = vec![vec![' '; width]; height];
    for at in in_front(world, state) {
        let sprite = &state.sprites[at];
        if let Some((column, row)) = cell(world, sprite) {
            cells[row][column] = characters[usize::from(sprite.kind)];
        }
    }
    let mut text = String::new();
    for row in cells {
        let row: String = row.into_iter().collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    let names = legend(world, state);
    let names = names.iter().map(|k| format!("{} {}", characters[usize::from(*k)], world.kind(*k).name));
    let names: Vec<String> = names.collect();
    let _ = writeln!(text, "{}\n{}", names.join(", "), status(world, state));
    text
}

fn colour(world: &World, kind: KindId) -> &'static str {
    let of = world.kind(kind);
    let named =
        COLOURS.iter().find(|(name, _)| Some(*name) == of.colour.as_deref()).map(|(_, colour)| *colour);
    let usual = || match (world.avatar(kind), &*of.name) {
        (Some(_), _) => FIRST,
        (None, "wall") => FAINT,
        _ => OTHERS[usize::from(kind) % OTHERS.len()],
    };
    named.unwrap_or_else(usual)
}

/// Whether sprites of a type fill their cells and stay there.
fn is_ground(world: &World, kind: KindId) -> bool {
    let of = world.kind(kind);
    let fixed = of.class.is_some_and(|class| class.fixed);
    fixed && world.conduct(kind) == Conduct::Plain && of.resource.is_none() && !of.oriented
}

/// One sprite, by the middle of its cell.
fn shape(picture: &mut Picture, world: &World, kind: KindId, (x, y): (i32, i32)) {
    let (fill, half) = (colour(world, kind), CELL / 2);
    let square = |picture: &mut Picture, side: i32, round: i32| {
        picture.rect(x - side / 2, y - side / 2, side, side, round, fill);
    };
    let fixed = world.kind(kind).class.is_some_and(|class| class.fixed);
    match world.conduct(kind) {
        Conduct::Avatar(_) => picture.circle(x, y, half - 2, fill),
        Conduct::RandomNpc | Conduct::Chaser { .. } | Conduct::AltChaser { .. } => {
            picture.circle(x, y, half - 4, fill);
        }
        Conduct::Spawner if fixed => picture.ring(x, y, half - 4, 4, fill),
        Conduct::Spawner => square(picture, CELL - 6, 6),
        Conduct::Flicker | Conduct::Spreader => picture.circle(x, y, half - 7, fill),
        Conduct::RandomMissile => square(picture, CELL / 2, 3),
        Conduct::Plain if world.kind(kind).resource.is_some() => square(picture, CELL / 2, 2),
        Conduct::Plain if is_ground(world, kind) => square(picture, CELL, 1),
        Conduct::Plain if world.kind(kind).oriented => square(picture, CELL - 8, 4),
        Conduct::Plain => square(picture, CELL - 4, 3),
    }
}

/// As SVG: the screen, the types that are there, and the score.
pub fn svg(world: &World, state: &State) -> String {
    let level = &world.level;
    let (width, height) = (level.width * CELL, level.height * CELL);
    let names = legend(world, state);
    let columns = (width / 120).max(1);
    let rows = (names.len() as i32 + columns - 1) / columns;
    let mut picture = Picture::new(width.max(160), height + 2 * LINE + rows * PITCH + GAP);
    let mut seen = in_front(world, state);
    seen.retain(|at| cell(world, &state.sprites[*at]).is_some());
    for (number, at) in seen.iter().enumerate() {
        let sprite = &state.sprites[*at];
        let pixel =
            |place: i32| (i64::from(place) * i64::from(CELL) / i64::from(level.block)) as i32 + CELL / 2;
        if is_ground(world, sprite.kind) {
            // All of a type are one element, so that pages of many pictures stay small.
            if number > 0 && state.sprites[seen[number - 1]].kind == sprite.kind {
                continue;
            }
            let alike = seen[number..].iter().map(|at| &state.sprites[*at]);
            let alike = alike.take_while(|other| other.kind == sprite.kind);
            let corner = |sprite: &Sprite| (pixel(sprite.x) - CELL / 2, pixel(sprite.y) - CELL / 2);
            picture.squares(&alike.map(corner).collect::<Vec<_>>(), CELL, colour(world, sprite.kind));
            continue;
        }
        let (x, y) = (pixel(sprite.x), pixel(sprite.y));
        shape(&mut picture, world, sprite.kind, (x, y));
        if sprite.is(ORIENTED) {
            let (right, down) = sprite.orientation.vector();
            picture.line((x, y), (x + right * (CELL / 2 - 3), y + down * (CELL / 2 - 3)), 3, INK);
        }
    }
    for (number, kind) in names.iter().enumerate() {
        let (column, row) = (number as i32 % columns, number as i32 / columns);
        let (x, y) = (column * (width / columns) + CELL / 2 + 2, height + GAP + PITCH / 2 + row * PITCH);
        shape(&mut picture, world, *kind, (x, y));
        picture.line_of_words(x + CELL / 2 + 4, y, 12, INK, &world.kind(*kind).name);
    }
    picture.line_of_words(4, height + GAP + rows * PITCH + LINE, 13, INK, &status(world, state));
    picture.finish()
}
