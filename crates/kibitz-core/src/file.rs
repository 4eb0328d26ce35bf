//! Files that users name in parameters: only regular ones are read, and no more of them than makes sense.

use std::fs::{File, metadata};
use std::io::Read;

/// All of a regular file of at most `most` bytes.
///
/// # Errors
/// Why it is not read, to follow its name: a device or a pipe has no end, or none that is known.
pub fn read(path: &str, most: u64) -> Result<Vec<u8>, String> {
    let cannot = |why: std::io::Error| format!("it cannot be read: {why}");
    if !metadata(path).map_err(cannot)?.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() as u64 > most { Err(format!("it has more than {most} bytes")) } else { Ok(bytes) }
}
