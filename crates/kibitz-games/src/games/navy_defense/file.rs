//! Worlds of Navy Defense as text files.
//!
//! ```text
//! # Everything after a number sign is a comment.
//! navy: c3                       the Navy ship
//! cargo: a1 clockwise            each cargo ship, with the way it goes round
//! cargo: d4 counterclockwise
//! submarine: e5                  each submarine, in the order of their creation
//! ```
//! Without a line of submarines they are drawn by chance; `submarine: none` is a world without.

use super::chart::{Chart, GONE};
use crate::position_file;

/// A world as far as it is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The Navy ship's square.
    pub navy: u8,
    /// The cargo ships' squares, and whether they go clockwise.
    pub cargo: Vec<(u8, bool)>,
    /// The submarines' squares, if they are given.
    pub submarines: Option<Vec<u8>>,
}

/// Reads a world from a file.
///
/// # Errors
/// What is wrong, with the line.
pub fn read(path: &str, chart: &Chart, cargo: u32, most: u32) -> Result<Known, String> {
    parse(&position_file::read(path)?, chart, cargo, most).map_err(|what| format!("{path}: {what}"))
}

/// Reads a world from text.
///
/// # Errors
/// What is wrong, with the line.
pub fn parse(text: &str, chart: &Chart, cargo: u32, most: u32) -> Result<Known, String> {
    let mut known = Known { navy: GONE, ..Known::default() };
    let mut navy_line = 0;
    for (number, line) in position_file::lines(text) {
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let read = |word: &str| square(word, chart).map_err(|what| format!("line {number}: {what}"));
        match (head.trim(), words.as_slice()) {
            ("navy", [word]) => {
                if navy_line > 0 {
                    return Err(format!(
                        "line {number}: there is one Navy ship, and line {navy_line} has it"
                    ));
                }
                (known.navy, navy_line) = (read(word)?, number);
            }
            ("cargo", [word, way @ ("clockwise" | "counterclockwise")]) => {
                let at = read(word)?;
                if chart.onward(at, true) == GONE {
                    let what = "there is no rectangle round the middle of the board: a cargo ship needs another square";
                    return Err(format!("line {number}: {what} than {word}"));
                }
                known.cargo.push((at, *way == "clockwise"));
            }
            ("submarine", ["none"]) if known.submarines.is_none() => known.submarines = Some(Vec::new()),
            ("submarine", [word]) => {
                let at = read(word)?;
                if known.submarines.as_ref().is_some_and(Vec::is_empty) {
                    return Err(format!(
                        "line {number}: there is a submarine, and a line before says 'none'"
                    ));
                }
                known.submarines.get_or_insert_default().push(at);
            }
            _ => {
                return Err(format!(
                    "line {number}: expected 'navy: SQUARE', 'cargo: SQUARE clockwise' (or counterclockwise), \
                     'submarine: SQUARE' or 'submarine: none'"
                ));
            }
        }
    }
    if known.navy == GONE {
        return Err("there is no line 'navy: SQUARE'".to_owned());
    }
    if known.cargo.len() != cargo as usize {
        let found = known.cargo.len();
        return Err(format!("the file has {found} cargo ships and the game {cargo}: say cargo={found}"));
    }
    if let Some(there) = known.submarines.as_ref().map(Vec::len).filter(|there| *there > most as usize) {
        return Err(format!(
            "the file has {there} submarines, more than the most that the Navy ship reckons with: say submarines={there}"
        ));
    }
    Ok(known)
}

/// Reads a square such as c3.
fn square(word: &str, chart: &Chart) -> Result<u8, String> {
    let size = chart.size();
    let mut letters = word.chars();
    let column = letters.next().map(|letter| u32::from(letter).wrapping_sub(u32::from('a')));
    let row = letters.as_str().parse::<u32>().ok();
    match (column, row) {
        (Some(column), Some(row)) if column < 26 && row > 0 => {
            if column >= size.into() || row > size.into() {
                return Err(format!("{word} lies outside of the board, which is {size} by {size}"));
            }
            Ok(chart.square(column as u8, row as u8 - 1))
        }
        _ => Err(format!("expected a square such as c3, not '{word}'")),
    }
}
