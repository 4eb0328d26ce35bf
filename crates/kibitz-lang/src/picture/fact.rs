//! Facts as a picture sees them: a form with holes, and the names in the holes.

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
    fn numbers_are_sorted_as_numbers() {
        let mut names = ["c10", "C9", "c", "b11", "7"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["7", "b11", "C9", "c10", "c"]);
    }
}
