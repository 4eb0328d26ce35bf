//! Where a game starts: the level's text.

use crate::source::{Finding, Law, Severity, Source, Span};
use crate::vgdl::ontology::Conduct;
use crate::vgdl::rules::{KindId, Rules};

const EMPTY: Law = Law { code: "empty-level", severity: Severity::Error, rule: "a level has a first line" };
const SIZE: Law = Law {
    code: "level-size",
    severity: Severity::Error,
    rule: "a level is no larger than the limits allow",
};
const CHARACTER: Law = Law {
    code: "unknown-character",
    severity: Severity::Warning,
    rule: "the LevelMapping says what a character stands for",
};
const RAGGED: Law = Law {
    code: "ragged-level",
    severity: Severity::Warning,
    rule: "the lines of a level are as long as its first",
};
const NOBODY: Law = Law { code: "no-avatar", severity: Severity::Error, rule: "a level has an avatar" };
const SEVERAL: Law = Law {
    code: "several-avatars",
    severity: Severity::Warning,
    rule: "a level has one avatar; the player moves the first",
};

/// How many pixels a screen may be wide or high.
const MOST_PIXELS: i32 = 1 << 28;

/// The cells of a level, and who stands on them.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Cells in a row.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// Pixels in a cell, both ways.
    pub block: i32,
    /// Types with the column and row, in the order in which their sprites are made.
    pub placed: Vec<(KindId, i32, i32)>,
}

/// What bounds a level.
#[derive(Clone, Copy, Debug)]
pub struct LevelLimits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Cells.
    pub cells: usize,
    /// Sprites at any time.
    pub sprites: usize,
}

/// The level that a text makes for some rules, and what is wrong with it. `file` is its number among the sources.
pub fn level(rules: &Rules, source: &Source, file: u16, limits: LevelLimits) -> (Level, Vec<Finding>) {
    let mut findings = Vec::new();
    if source.bytes() > limits.bytes || source.unreadable().is_some() {
        let message =
            format!("the level is larger than {} bytes (limit.bytes), or not UTF-8", limits.bytes);
        findings.push(Finding::new(&SIZE, Span::default(), message).in_file(file));
        return (Level::default(), findings);
    }
    let mut rows: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        rows.push((start, line.trim_end_matches(['\n', '\r'])));
        start += line.len();
    }
    while rows.last().is_some_and(|(_, line)| line.is_empty()) {
        rows.pop();
    }
    let width = rows.first().map_or(0, |(_, line)| line.chars().count());
    if width == 0 {
        findings.push(Finding::new(&EMPTY, Span::default(), "there is no level").in_file(file));
        return (Level::default(), findings);
    }
    if width.saturating_mul(rows.len()) > limits.cells {
        let message = format!(
            "{} rows of {width} cells are more than {} cells (limit.cells)",
            rows.len(),
            limits.cells
        );
        findings.push(Finding::new(&SIZE, Span::default(), message).in_file(file));
        return (Level::default(), findings);
    }
    let height = rows.len();
    let longest = width.max(height) as i32;
    let block = rules.block.unwrap_or((800 / longest).max(2)).min(MOST_PIXELS / longest).max(1);
    let mut level = Level { width: width as i32, height: height as i32, block, placed: Vec::new() };
    let (mut unknown, mut ragged, mut avatars) = (Vec::new(), None, Vec::new());
    let is_avatar = |kind: &KindId| {
        let class = rules.kinds[usize::from(*kind)].class;
        matches!(class.map(|class| class.conduct), Some(Conduct::Avatar(_)))
    };
    for (row, (start, line)) in rows.iter().enumerate() {
        // What is refused need not be read on: a character may stand for many types.
        if level.placed.len() > limits.sprites {
            break;
        }
        let cells = line.chars().count();
        if cells != width && ragged.is_none() {
            ragged = Some((cells, Span::new(*start, start + line.len())));
        }
        for (column, (at, character)) in line.char_indices().enumerate().take(width) {
            match rules.placed(character) {
                Some(_) if level.placed.len() > limits.sprites => break,
                Some(kinds) => {
                    level.placed.extend(kinds.iter().map(|k| (*k, column as i32, row as i32)));
                    let span = Span::new(start + at, start + at + character.len_utf8());
                    avatars.extend(kinds.iter().filter(|kind| is_avatar(kind)).map(|_| span));
                }
                None if character == ' ' || character == '.' || unknown.contains(&character) => {}
                None => {
                    unknown.push(character);
                    let span = Span::new(start + at, start + at + character.len_utf8());
                    let message = format!("`{character}` stands for nothing: its cells are empty");
                    findings.push(Finding::new(&CHARACTER, span, message).in_file(file));
                }
            }
        }
    }
    if let Some((cells, span)) = ragged {
        let (how, what) = if cells > width { ("longer", "cut") } else { ("shorter", "empty") };
        let message =
            format!("this line is {how} than the first, which has {width} cells: the rest is {what}");
        findings.push(Finding::new(&RAGGED, span, message).in_file(file));
    }
    if level.placed.len() > limits.sprites {
        let message = format!("there are more sprites than {} (limit.sprites)", limits.sprites);
        findings.push(Finding::new(&SIZE, Span::default(), message).in_file(file));
    }
    match avatars[..] {
        [] => {
            let message = "no character of this level stands for an avatar";
            let help = "`A` does, unless the LevelMapping changes that";
            findings.push(Finding::new(&NOBODY, Span::default(), message).help(help).in_file(file));
        }
        [_] => {}
        [_, second, ..] => {
            let message = format!("there are {} avatars, and this is the second", avatars.len());
            findings.push(Finding::new(&SEVERAL, second, message).in_file(file));
        }
    }
    (level, findings)
}
