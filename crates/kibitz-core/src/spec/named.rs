//! What is named beside games and planners of ours: files, classes in files, other people's games.
//!
//! ```
//! use kibitz_core::spec::{ClassSpec, FileSpec, Outline, prefixed};
//! let file = FileSpec::parse("my games/chess.kif (rows=6)", &[".kif"]).unwrap().unwrap();
//! assert_eq!((file.path.as_str(), file.arguments.len()), ("my games/chess.kif", 1));
//! let class = ClassSpec::parse("treasure.py:Treasure(depth=3)").unwrap();
//! assert_eq!((class.place.as_str(), class.class.as_deref()), ("treasure.py", Some("Treasure")));
//! assert_eq!(prefixed("openspiel:go(board_size=9)"), Some(("openspiel", "go(board_size=9)")));
//! let theirs = Outline::of("universal_poker( blind = 100 50, stages=f(a=1) )");
//! assert_eq!(theirs.text, "universal_poker(blind=100 50,stages=f(a=1))");
//! assert_eq!(theirs.parameters[1], ("stages".to_owned(), "f(a=1)".to_owned()));
//! ```

use super::{MAX_LENGTH, Parser, Spec, SpecError, Value};

/// A file and its arguments. A path may have signs that a name has not.
#[derive(Clone, PartialEq, Debug)]
pub struct FileSpec {
    /// The path, suffix included.
    pub path: String,
    /// The arguments in the order of writing; a positional one has an empty key.
    pub arguments: Vec<(String, Value)>,
}

impl FileSpec {
    /// A path that ends in one of the suffixes, in any case; None if the text names no such file.
    pub fn parse(text: &str, suffixes: &[&str]) -> Option<Result<FileSpec, SpecError>> {
        let (path, after) = ends(text, suffixes).find(|(_, after)| is_brackets(after))?;
        let arguments = brackets(text, path, after);
        Some(arguments.map(|arguments| FileSpec { path: path.to_owned(), arguments }))
    }
}

/// A class in a file or in a module, `treasure.py:Treasure(depth=3)` or `module:Treasure`, and its arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassSpec {
    /// The file or the module.
    pub place: String,
    /// The class, if one is named.
    pub class: Option<String>,
    /// The arguments in the order of writing; a positional one has an empty key.
    pub arguments: Vec<(String, Value)>,
}

impl ClassSpec {
    /// Reads one; a name of something else is a place without a class.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(text: &str) -> Result<ClassSpec, SpecError> {
        for (place, after) in ends(text, &[".py"]) {
            let (class, after) = match after.strip_prefix(':') {
                None => ("", after),
                Some(after) => {
                    let length = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
                    after.split_at(length)
                }
            };
            if is_brackets(after) && (class.is_empty() || is_identifier(class)) {
                let class = (!class.is_empty()).then(|| class.to_owned());
                return Ok(ClassSpec {
                    place: place.to_owned(),
                    class,
                    arguments: brackets(text, place, after)?,
                });
            }
        }
        let Spec { name, arguments } = text.parse()?;
        let named = name.rsplit_once(':').filter(|(place, class)| place.len() > 1 && is_identifier(class));
        Ok(match named {
            Some((place, class)) => {
                ClassSpec { place: place.to_owned(), class: Some(class.to_owned()), arguments }
            }
            None => ClassSpec { place: name, class: None, arguments },
        })
    }
}

/// The two sides of `prefix:rest`, which is somebody else's game. (One letter is a drive, and no prefix.)
pub fn prefixed(text: &str) -> Option<(&str, &str)> {
    let (prefix, rest) = text.split_once(':')?;
    let letters = prefix.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let begins = prefix.starts_with(|c: char| c.is_ascii_alphabetic());
    (letters && begins && prefix.len() > 1 && !rest.is_empty()).then_some((prefix, rest))
}

/// The name in a spec, whatever is wrong with the rest.
pub fn name_of(text: &str) -> &str {
    text.split('(').next().unwrap_or_default().trim()
}

/// A name with parameters whose values are somebody else's to read: they may be written as ours are not.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    /// All of it, without spaces around brackets, commas and equals signs.
    pub text: String,
    /// The name.
    pub name: String,
    /// Keys and values as they are written; without a key where there is no equals sign.
    pub parameters: Vec<(String, String)>,
}

impl Outline {
    /// The outline of any text.
    pub fn of(text: &str) -> Outline {
        let is_sign = |c: char| "(),=".contains(c);
        let (mut squeezed, mut space) = (String::new(), String::new());
        for c in text.trim().chars() {
            if c.is_whitespace() {
                space.push(c);
                continue;
            }
            if !is_sign(c) && !squeezed.ends_with(is_sign) {
                squeezed.push_str(&space);
            }
            space.clear();
            squeezed.push(c);
        }
        let text = squeezed;
        let name = name_of(&text).to_owned();
        let inside = text.get(name.len() + 1..).unwrap_or_default();
        let inside = inside.strip_suffix(')').unwrap_or(inside);
        let mut depth = 0_usize;
        let at_top = |c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        };
        let one = |part: &str| {
            let end = part.find('(').unwrap_or(part.len());
            match part[..end].split_once('=') {
                Some((key, _)) => (key.to_owned(), part[key.len() + 1..].to_owned()),
                None => (String::new(), part.to_owned()),
            }
        };
        let parameters = inside.split(at_top).filter(|part| !part.is_empty()).map(one).collect();
        Outline { name, parameters, text }
    }
}

/// Whether a path ends so, in any case.
pub fn has_suffix(path: &str, suffix: &str) -> bool {
    let (path, suffix) = (path.as_bytes(), suffix.as_bytes());
    path.len() >= suffix.len() && path[path.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

/// Where a path may end, the longest first: the path, and what comes after it.
fn ends<'a>(text: &'a str, suffixes: &[&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let at = (0..=text.len()).rev().filter_map(|end| text.split_at_checked(end));
    at.filter(|(path, _)| suffixes.iter().any(|suffix| has_suffix(path, suffix)))
}

fn is_brackets(after: &str) -> bool {
    let after = after.trim();
    after.is_empty() || (after.starts_with('(') && after.ends_with(')'))
}

/// The arguments in brackets at the end of a text.
fn brackets(text: &str, path: &str, after: &str) -> Result<Vec<(String, Value)>, SpecError> {
    if after.trim().is_empty() {
        return Ok(Vec::new());
    }
    if text.len() > MAX_LENGTH {
        return Err(SpecError(format!("a spec has at most {MAX_LENGTH} characters")));
    }
    Parser { text, at: text.len() - after.len() }
        .arguments_and_end(path.to_owned())
        .map(|spec| spec.arguments)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_identifier(word: &str) -> bool {
    word.chars().all(is_word) && !word.starts_with(char::is_numeric) && !word.is_empty()
}
