//! Facts in lines: grouped by name, aligned, wrapped, and no more than a reader can take in.

use std::collections::BTreeMap;

use super::fact::{Fact, Natural, natural};
use super::looks::shortened;

/// Facts that are listed.
const MOST_LISTED: usize = 200;
/// Characters of one fact.
const LONGEST: usize = 60;

/// The facts in lines of about `width` characters.
pub fn lines(facts: &[Fact], width: usize) -> Vec<String> {
    let mut groups: BTreeMap<(bool, Natural, &str), Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        // Those that say no more than their name stand together at the end.
        let plain = fact.args.is_empty();
        let name = if plain { "" } else { &fact.name };
        groups.entry((plain, natural(name), name)).or_default().push(fact);
    }
    let names = groups.keys().map(|(_, _, name)| name.chars().count()).max().unwrap_or(0).min(24);
    let (mut lines, mut left) = (Vec::new(), MOST_LISTED);
    for ((plain, _, name), mut group) in groups {
        group.sort_by_cached_key(|fact| {
            (natural(&fact.form), fact.args.iter().map(|arg| natural(arg)).collect::<Vec<_>>())
        });
        group.truncate(left);
        left -= group.len();
        if group.is_empty() {
            break;
        }
        let words: Vec<String> = group.iter().map(|fact| words(fact)).collect();
        let indent = if plain { 0 } else { names + 2 };
        let mut line = if plain { String::new() } else { format!("{:names$}  ", shortened(name, 24)) };
        // Short facts of the same kind stand in columns.
        let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        let aligned = words.len() > 6 && longest <= 16;
        let step = if aligned { longest } else { 0 };
        let mut filled = indent;
        for (number, word) in words.iter().enumerate() {
            let length = word.chars().count().max(step) + 2;
            if number > 0 && filled + length > width + 2 {
                lines.push(line.trim_end().trim_end_matches(',').to_owned());
                line = " ".repeat(indent);
                filled = indent;
            }
            let comma = if number + 1 < words.len() && !aligned { "," } else { "" };
            line.push_str(&format!("{:width$}", format!("{word}{comma}"), width = length));
            filled += length;
        }
        lines.push(line.trim_end().to_owned());
    }
    if facts.len() > MOST_LISTED {
        lines.push(format!("and {} more", facts.len() - MOST_LISTED));
    }
    lines
}

/// A fact without the name of its group.
fn words(fact: &Fact) -> String {
    if fact.args.is_empty() {
        return shortened(&fact.name, LONGEST);
    }
    shortened(&fact.args.join(" "), LONGEST)
}
