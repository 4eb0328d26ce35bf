//! Positions as text files, which people write: what is the same for all games.

use std::fs::File;
use std::io::Read;

/// No position takes more bytes than this, comments included.
const LONGEST: u64 = 20_000;

/// The text of a file that holds a position.
///
/// # Errors
/// Why it holds none.
pub fn read(path: &str) -> Result<String, String> {
    let cannot = |what: std::io::Error| format!("cannot read the position '{path}': {what}");
    let mut bytes = Vec::new();
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(format!("'{path}' is no position: it is no file"));
    }
    File::open(path).map_err(cannot)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("'{path}' is no position: it has more than {LONGEST} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| format!("'{path}' is no position: it is not UTF-8 text"))
}

/// The lines that say something, with their numbers from 1: without comments, which begin with a number sign.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}').lines().enumerate().filter_map(|(index, line)| {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        (!line.is_empty()).then_some((index + 1, line))
    })
}
