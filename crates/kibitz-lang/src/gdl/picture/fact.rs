//! Facts as a picture sees them: a form with holes, and the names in the holes.

use std::collections::{BTreeMap, BTreeSet};

/// A fact taken apart: `(at (spot 1 2) (piece white king))` has the form `(at (spot * *) (piece * *))`
/// and the arguments 1, 2, white and king. Deeper terms are one argument each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The name at its front.
    pub name: String,
    /// What it has in common with other facts of its kind.
    pub form: String,
    /// What is said of whom.
    pub args: Vec<String>,
}

impl Fact {
    /// Takes a fact apart. Any text is a fact: what is not in brackets is a name.
    pub fn read(text: &str) -> Fact {
        let Some((name, parts)) = compound(text) else {
            return Fact { name: text.to_owned(), form: text.to_owned(), args: Vec::new() };
        };
        let (mut form, mut args) = (format!("({name}"), Vec::new());
        for part in parts {
            match compound(part) {
                Some((inner, leaves)) if leaves.iter().all(|leaf| !leaf.starts_with('(')) => {
                    form.push_str(&format!(" ({inner}{})", " *".repeat(leaves.len())));
                    args.extend(leaves.into_iter().map(str::to_owned));
                }
                _ => {
                    form.push_str(" *");
                    args.push(part.to_owned());
                }
            }
        }
        form.push(')');
        Fact { name: name.to_owned(), form, args }
    }
}

/// Arguments that name a square in one word, such as `c4`: a letter and a number.
#[derive(Clone, Debug, Default)]
pub struct Squares(BTreeSet<(String, usize)>);

/// Letters with numbers.
type Pairs<'a> = BTreeSet<(&'a str, &'a str)>;

impl Squares {
    /// The arguments all of whose names are of that kind, with several letters and several numbers.
    pub fn of<'a>(facts: impl Iterator<Item = &'a Fact>) -> Squares {
        // By argument: its squares, or nothing if it had other names.
        let mut seen: BTreeMap<(&str, usize), Option<Pairs>> = BTreeMap::new();
        for fact in facts {
            for (place, arg) in fact.args.iter().enumerate() {
                let names = seen.entry((&fact.form, place)).or_insert_with(|| Some(BTreeSet::new()));
                match (square(arg), &mut *names) {
                    (Some(square), Some(names)) => drop(names.insert(square)),
                    _ => *names = None,
                }
            }
        }
        let several = |names: &Pairs| {
            let letters: BTreeSet<&str> = names.iter().map(|(letter, _)| *letter).collect();
            let numbers: BTreeSet<&str> = names.iter().map(|(_, number)| *number).collect();
            letters.len() >= 3 && numbers.len() >= 3
        };
        let split = seen.into_iter().filter(|(_, names)| names.as_ref().is_some_and(several));
        Squares(split.map(|((form, place), _)| (form.to_owned(), place)).collect())
    }

    /// Makes two arguments of such a name.
    pub fn split(&self, fact: &mut Fact) {
        let places: Vec<usize> =
            (0..fact.args.len()).filter(|place| self.0.contains(&(fact.form.clone(), *place))).collect();
        for place in places.into_iter().rev() {
            let Some((letter, number)) = square(&fact.args[place]) else { continue };
            let both = [letter.to_owned(), number.to_owned()];
            fact.args.splice(place..=place, both);
            // A form of its own: it must not be taken for that of other facts.
            fact.form.push_str(&format!(" {place}"));
        }
    }
}

/// The letter and the number of `c4`.
fn square(name: &str) -> Option<(&str, &str)> {
    let (letter, number) = name.split_at_checked(1)?;
    let digits = (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    (digits && letter.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some((letter, number))
}

/// The name and the parts of `(name part part)`.
fn compound(text: &str) -> Option<(&str, Vec<&str>)> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_usize);
    for (place, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                parts.push(&inner[begin..place]);
                begin = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[begin..]);
    parts.retain(|part| !part.is_empty());
    let name = parts.first().copied()?;
    parts.remove(0);
    Some((name, parts))
}

/// What [`natural`] makes of a name.
pub type Natural = Vec<(String, u64)>;

/// Puts 2 before 10, and names that differ in case only side by side.
pub fn natural(text: &str) -> Natural {
    let mut keys = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(words);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        keys.push((word.to_lowercase(), number.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_taken_apart() {
        let fact = Fact::read("(at (spot 1 2) (piece white (very (old king))) x)");
        assert_eq!(fact.name, "at");
        assert_eq!(fact.form, "(at (spot * *) * *)");
        assert_eq!(fact.args, ["1", "2", "(piece white (very (old king)))", "x"]);
        assert_eq!(Fact::read("won").form, "won");
    }

    #[test]
    fn squares_in_one_word_are_split() {
        let facts: Vec<Fact> =
            ["(cell a1 x)", "(cell b2 x)", "(cell c3 c4)", "(step s1)"].map(Fact::read).into();
        let squares = Squares::of(facts.iter());
        let mut fact = facts[2].clone();
        squares.split(&mut fact);
        assert_eq!(fact.args, ["c", "3", "c4"]);
        assert_ne!(fact.form, facts[2].form);
        let mut step = facts[3].clone();
        squares.split(&mut step);
        assert_eq!(step, facts[3]);
    }

    #[test]
    fn numbers_are_sorted_as_numbers() {
        let mut names = ["c10", "C9", "c", "b11", "7"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["7", "b11", "C9", "c10", "c"]);
    }
}
