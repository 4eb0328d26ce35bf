//! Positions as text files, which people write: what is the same for all games.

use kibitz_core::file;

/// No position takes more bytes than this, comments included.
const LONGEST: u64 = 20_000;

/// The text of a file that holds a position.
///
/// # Errors
/// Why it holds none.
pub fn read(path: &str) -> Result<String, String> {
    let nothing = |why: &str| format!("'{path}' is no position: {why}");
    let bytes = file::read(path, LONGEST).map_err(|why| nothing(&why))?;
    String::from_utf8(bytes).map_err(|_| nothing("it is not UTF-8 text"))
}

/// The lines that say something, with their numbers from 1: without comments, which begin with a number sign.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}').lines().enumerate().filter_map(|(index, line)| {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        (!line.is_empty()).then_some((index + 1, line))
    })
}
