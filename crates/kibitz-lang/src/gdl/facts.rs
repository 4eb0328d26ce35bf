//! Facts whose value can be given in brackets after a file's name: `breakthrough.kif(rows=6)`.
//!
//! Such a fact has one argument and stands alone on a line, `(rows 8)`, a comment behind it allowed. Where that comment is
//! a range or a list of numbers (`(rows 8) ; 3 to 10`, `(size 8) ; 4, 6 or 8`), other values are refused.

use std::ops::Range;

use kibitz_core::params::ParamDoc;
use kibitz_core::spec::{Value, unknown};
use rustc_hash::FxHashMap;

use crate::source::Source;

/// A fact, by where its parts are in the text.
struct Fact {
    key: Range<usize>,
    value: Range<usize>,
    /// The comment behind it.
    comment: Range<usize>,
}

impl Fact {
    /// What its comment says of the values that it may have, and whether a value is among these.
    fn range<'a>(&self, text: &'a str, value: &str) -> Option<(&'a str, bool)> {
        let comment = text[self.comment.clone()].trim_matches([';', ' ', '\t', '.']);
        let number = |word: &str| word.trim().parse::<u64>().ok();
        let value = number(value);
        if let Some((low, high)) = comment.split_once(" to ") {
            let (low, high) = number(low).zip(number(high))?;
            return Some((comment, value.is_some_and(|value| (low..=high).contains(&value))));
        }
        let listed: Option<Vec<u64>> = comment.replace(" or ", ",").split(',').map(number).collect();
        Some((comment, listed.filter(|all| !all.is_empty())?.into_iter().any(|one| Some(one) == value)))
    }
}

/// All facts with one argument that stand alone on a line, whichever way lines end.
fn facts(text: &str) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut end = 0;
    let after_break = text.char_indices().filter(|(_, c)| matches!(c, '\n' | '\r')).map(|(at, _)| at + 1);
    for start in std::iter::once(0).chain(after_break) {
        if start >= end
            && let Some((fact, after)) = fact(text, start)
        {
            found.push(fact);
            end = after;
        }
    }
    found
}

/// The fact that begins at a line's start, and where it ends.
fn fact(text: &str, start: usize) -> Option<(Fact, usize)> {
    let skip = |at: usize, is_skipped: fn(char) -> bool| {
        let rest = &text[at..];
        at + rest.find(|c| !is_skipped(c)).unwrap_or(rest.len())
    };
    let is_word = |c: char| !c.is_whitespace() && !"()?".contains(c);
    let open = text[start..].starts_with('(').then_some(start + 1)?;
    let begin = skip(open, char::is_whitespace);
    let key = begin..skip(begin, is_word);
    let begin = skip(key.end, char::is_whitespace);
    let value = begin..skip(begin, is_word);
    let close = skip(value.end, char::is_whitespace);
    if key.is_empty() || value.is_empty() || !text[close..].starts_with(')') {
        return None;
    }
    let mut end = skip(close + 1, |c| matches!(c, ' ' | '\t'));
    let begin = end;
    if text[end..].starts_with(';') {
        end = skip(end, |c| !matches!(c, '\r' | '\n'));
    }
    (end == text.len() || text[end..].starts_with(['\r', '\n']))
        .then_some((Fact { key, value, comment: begin..end }, end))
}

/// The facts that can be given: those that stand once in a file and whose value is a number.
pub fn params(text: &str) -> Vec<ParamDoc> {
    let facts = facts(text);
    let is_name = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
    };
    let mut times: FxHashMap<&str, u32> = FxHashMap::default();
    facts.iter().for_each(|fact| *times.entry(&text[fact.key.clone()]).or_default() += 1);
    let once = |fact: &&Fact| is_name(&text[fact.key.clone()]) && times[&text[fact.key.clone()]] == 1;
    let number = |fact: &&Fact| text[fact.value.clone()].chars().all(|c| c.is_ascii_digit());
    let doc = |fact: &Fact| ParamDoc {
        name: text[fact.key.clone()].to_owned().into(),
        kind: "number".to_owned(),
        default: text[fact.value.clone()].to_owned(),
        range: fact.range(text, "").map(|(range, _)| range.to_owned()),
        doc: "a fact of the rules".to_owned(),
        was: None,
    };
    facts.iter().filter(once).filter(number).map(doc).collect()
}

/// The rules with other values of some facts.
///
/// # Errors
/// There is no such fact, or it cannot have such a value.
pub fn with(source: &Source, arguments: &[(String, Value)]) -> Result<Source, String> {
    // The parser says what is wrong with a file that cannot be read to its end.
    if arguments.is_empty() || source.unreadable().is_some() {
        return Ok(source.clone());
    }
    let (name, mut text) = (source.name(), source.text().to_owned());
    for (key, value) in arguments {
        let is_it = |fact: &Fact| text[fact.key.clone()].to_lowercase() == key.to_lowercase();
        let found: Vec<Fact> = facts(&text).into_iter().filter(is_it).collect();
        let [fact] = found.as_slice() else {
            let known = params(&text);
            let what = match known.is_empty() {
                true => "takes no values".to_owned(),
                false => unknown("fact", key, known.iter().map(|param| &*param.name)).0,
            };
            return Err(format!(
                "{name}: {what}; a value in brackets replaces that of a fact such as ({key} 8)"
            ));
        };
        let value = match value {
            Value::Text(text) => text.clone(),
            Value::Bool(yes) => u8::from(*yes).to_string(),
            other => other.to_string(),
        };
        if value.is_empty() || !value.chars().all(|c| c.is_alphanumeric() || "_.+-".contains(c)) {
            return Err(format!("{name}: {key}={value} is not a name or a number"));
        }
        if let Some((range, false)) = fact.range(&text, &value) {
            return Err(format!("{name}: {key}: {value} is out of range: {range}"));
        }
        text.replace_range(fact.value.clone(), &value);
    }
    Ok(Source::new(name, text))
}
