//! Names with parameters, `name(key=value, ...)`: how games and planners are written everywhere.
//!
//! ```
//! use kibitz_core::spec::Spec;
//! let spec: Spec = "uct(simulations=500, playout=greedy(epsilon=0.1))".parse().unwrap();
//! assert_eq!(spec.name, "uct");
//! assert_eq!(spec.to_string(), "uct(simulations=500, playout=greedy(epsilon=0.1))");
//! ```

mod named;

use std::fmt;
use std::str::FromStr;

pub use named::{ClassSpec, FileSpec, Outline, has_suffix, name_of, prefixed};

/// A name and its arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// What is meant: a game, a planner, a part of one.
    pub name: String,
    /// The arguments in the order of writing; a positional one has an empty key.
    pub arguments: Vec<(String, Value)>,
}

/// The value of an argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, `1_000` and `1e6` included.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// A quoted text.
    Text(String),
    /// A bare word, or a name with arguments of its own.
    Spec(Spec),
}

/// What is wrong with a spec, in a sentence.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecError(pub String);

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecError {}

/// Specs come from strangers: none is longer, or nested deeper, than this.
const MAX_LENGTH: usize = 4096;
const MAX_DEPTH: usize = 16;

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Spec, SpecError> {
        if text.len() > MAX_LENGTH {
            return Err(SpecError(format!("a spec has at most {MAX_LENGTH} characters")));
        }
        let mut parser = Parser { text, at: 0 };
        let name = parser.name()?;
        parser.arguments_and_end(name)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn error(&self, what: &str) -> SpecError {
        let found = match self.text[self.at..].chars().next() {
            Some(c) => format!("found '{c}'"),
            None => "the text ends".to_owned(),
        };
        let column = self.text[..self.at].chars().count() + 1;
        SpecError(format!("in \"{}\", column {column}: {what}, but {found}", self.text))
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// A run of the characters of names and numbers; `:`, `/` and `.` make paths and
    /// `openspiel:kuhn_poker` names too.
    fn word(&mut self) -> String {
        self.skip_space();
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || "_-+.:/\\~".contains(c);
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    fn name(&mut self) -> Result<String, SpecError> {
        let name = self.word();
        if name.is_empty() { Err(self.error("expected a name")) } else { Ok(name) }
    }

    /// The arguments after a name, and nothing more.
    fn arguments_and_end(&mut self, name: String) -> Result<Spec, SpecError> {
        let spec = self.arguments(name, 0)?;
        self.skip_space();
        if self.at < self.text.len() { Err(self.error("expected the end")) } else { Ok(spec) }
    }

    fn arguments(&mut self, name: String, depth: usize) -> Result<Spec, SpecError> {
        let mut arguments: Vec<(String, Value)> = Vec::new();
        if self.eat('(') {
            while !self.eat(')') {
                if !arguments.is_empty() && !self.eat(',') {
                    return Err(self.error("expected ',' or ')'"));
                }
                if self.eat(')') {
                    break;
                }
                let value = self.value(depth)?;
                if self.eat('=') {
                    let Value::Spec(Spec { name: key, arguments: inner }) = value else {
                        return Err(self.error("expected a parameter's name before '='"));
                    };
                    if !inner.is_empty() {
                        return Err(self.error("expected a parameter's name before '='"));
                    }
                    if arguments.iter().any(|(other, _)| *other == key) {
                        return Err(SpecError(format!("{name}: '{key}' is given twice")));
                    }
                    arguments.push((key, self.value(depth)?));
                } else if arguments.iter().any(|(key, _)| !key.is_empty()) {
                    return Err(self.error("expected key=value after the first named parameter"));
                } else {
                    arguments.push((String::new(), value));
                }
            }
        }
        Ok(Spec { name, arguments })
    }

    fn value(&mut self, depth: usize) -> Result<Value, SpecError> {
        self.skip_space();
        for quote in ['"', '\''] {
            if self.eat(quote) {
                let rest = &self.text[self.at..];
                let Some(length) = rest.find(quote) else {
                    return Err(self.error("expected a closing quote"));
                };
                self.at += length + 1;
                return Ok(Value::Text(rest[..length].to_owned()));
            }
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.error("expected a value"));
        }
        let digits = word.replace('_', "");
        let numeric = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        match word.as_str() {
            "true" | "True" => return Ok(Value::Bool(true)),
            "false" | "False" => return Ok(Value::Bool(false)),
            "inf" => return Ok(Value::Real(f64::INFINITY)),
            _ if numeric => {
                if let Ok(integer) = digits.parse::<i64>() {
                    return Ok(Value::Integer(integer));
                }
                if let Ok(real) = digits.parse::<f64>() {
                    let whole = real.fract() == 0.0 && real.abs() < 9e15;
                    return Ok(if whole && !word.contains('.') {
                        Value::Integer(real as i64)
                    } else {
                        Value::Real(real)
                    });
                }
            }
            _ => {}
        }
        if depth + 1 > MAX_DEPTH {
            return Err(self.error("specs nest too deeply"));
        }
        Ok(Value::Spec(self.arguments(word, depth + 1)?))
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        for (index, (key, value)) in self.arguments.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let equals = if key.is_empty() { "" } else { "=" };
            write!(f, "{comma}{key}{equals}{value}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Real(value) if value.is_infinite() => f.write_str("inf"),
            Value::Real(value) => write!(f, "{value:?}"),
            Value::Text(value) => write!(f, "\"{value}\""),
            Value::Spec(value) => write!(f, "{value}"),
        }
    }
}

/// Of `known`, the names nearest to a misspelt one, nearest first; at most three.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let wanted: String = plain(name).chars().take(64).collect();
    let mut scored: Vec<(usize, usize, &str)> = known
        .into_iter()
        .map(|candidate| {
            let other = plain(candidate);
            let contained = !wanted.is_empty() && (other.contains(&wanted) || wanted.contains(&other));
            let edits = edit_distance(&wanted, &other);
            // A part of a name is as good as two slips, and of equals the one with fewer comes first.
            (if contained { edits.min(2) } else { edits }, edits, candidate)
        })
        .filter(|(distance, _, candidate)| *distance <= 2.max(candidate.len() / 3))
        .collect();
    scored.sort();
    scored.into_iter().take(3).map(|(.., candidate)| candidate).collect()
}

/// "unknown X 'y'; did you mean ...?", or the whole list where nothing is near.
pub fn unknown<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> SpecError {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    let shown: String = name.chars().take(80).collect();
    let near = nearest(name, known.iter().copied());
    SpecError(if near.is_empty() {
        format!("unknown {kind} '{shown}'; there are: {}", known.join(", "))
    } else {
        format!("unknown {kind} '{shown}'; did you mean {}?", near.join(" or "))
    })
}

fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
