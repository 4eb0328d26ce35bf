//! How the contents of cells look: empty, a piece, a disc, a mark, or a word.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use kibitz_core::draw::{FIRST, GOOD, INK, SECOND};

use super::fact::natural;

/// What is drawn in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing.
    Empty,
    /// A chessman: white or black, and its letter.
    Chessman(bool, char),
    /// A round piece in a colour, with a letter on it or none.
    Disc(&'static str, Option<char>),
    /// The whole cell in a colour.
    Block(&'static str),
    /// A wall on one side of the cell: by how much that is to the right, and by how much up.
    Edge(i32, i32),
    /// A large letter in a colour.
    Mark(&'static str),
    /// Its name.
    Word,
}

/// The colours of players whose names are none.
pub const PLAYERS: [&str; 6] = [FIRST, SECOND, GOOD, "#c9a227", "#7d4f9e", "#b5651d"];

const COLOURS: [(&str, &str); 16] = [
    ("white", "#fffdf8"),
    ("black", INK),
    ("red", FIRST),
    ("blue", SECOND),
    ("green", GOOD),
    ("yellow", "#e0b92e"),
    ("orange", "#dd7f33"),
    ("purple", "#7d4f9e"),
    ("pink", "#e08aa8"),
    ("brown", "#7a5230"),
    ("grey", "#9a9a9a"),
    ("gray", "#9a9a9a"),
    ("teal", "#2f8f8b"),
    ("cyan", "#5bb7c5"),
    ("magenta", "#b8408f"),
    ("gold", "#c9a227"),
];

/// Names of nothing, the surest first.
const NOTHING: [&str; 14] = [
    "blank", "empty", "none", "nothing", "nil", "null", "dirt", "off", "free", "clear", "unmarked", "b",
    "e", "_",
];
/// Names of what nobody can walk through.
const BLOCKS: [&str; 9] =
    ["wall", "block", "blocked", "blk", "arrow", "hole", "brick", "obstacle", "burned"];
/// Names of sides.
const SIDES: [(&str, (i32, i32)); 8] = [
    ("north", (0, 1)),
    ("east", (1, 0)),
    ("south", (0, -1)),
    ("west", (-1, 0)),
    ("top", (0, 1)),
    ("right", (1, 0)),
    ("bottom", (0, -1)),
    ("left", (-1, 0)),
];
/// Names of single pieces and of what is lit.
const DISCS: [(&str, &str); 7] = [
    ("peg", INK),
    ("on", "#e0b92e"),
    ("lit", "#e0b92e"),
    ("light", "#e0b92e"),
    ("marble", SECOND),
    ("stone", INK),
    ("gold", "#c9a227"),
];

const CHESSMEN: [(&str, char); 6] =
    [("king", 'K'), ("queen", 'Q'), ("rook", 'R'), ("bishop", 'B'), ("knight", 'N'), ("pawn", 'P')];

/// How all contents of a board look, and how they are abbreviated.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    looks: BTreeMap<String, Look>,
    symbols: BTreeMap<String, String>,
    roles: Vec<String>,
    /// There are chessmen or draughtsmen: the board is chequered.
    pub chequered: bool,
}

impl Looks {
    /// Looks for contents. `common` is what most cells hold at the start, if it is the same.
    pub fn new(contents: &BTreeSet<String>, common: Option<&str>, roles: &[String]) -> Looks {
        let blank = blank(contents, common);
        let solid: BTreeSet<&str> =
            contents.iter().map(String::as_str).filter(|name| Some(*name) != blank.as_deref()).collect();
        let men: Vec<(&str, (bool, char))> =
            solid.iter().filter_map(|name| Some((*name, chessman(name)?))).collect();
        let kinds: BTreeSet<char> = men.iter().map(|(_, (_, kind))| *kind).collect();
        let both = men.iter().any(|(_, (white, _))| *white) && men.iter().any(|(_, (white, _))| !*white);
        let chess = both && 2 * men.len() >= solid.len() && kinds.iter().any(|kind| "QRN".contains(*kind));
        let draughts = both && !chess && kinds.iter().all(|kind| "PK".contains(*kind));
        let mut looks = BTreeMap::new();
        for name in contents {
            let look = match chessman(name) {
                _ if Some(name) == blank.as_ref() => Look::Empty,
                Some((white, kind)) if chess => Look::Chessman(white, kind),
                Some((white, kind)) if draughts => Look::Disc(
                    if white { COLOURS[0].1 } else { COLOURS[1].1 },
                    (kind == 'K').then_some('K'),
                ),
                _ => look(name, &solid, roles),
            };
            looks.insert(name.clone(), look);
        }
        let symbols = symbols(&looks);
        Looks { looks, symbols, roles: roles.to_vec(), chequered: chess || draughts }
    }

    /// There is only one thing, or nothing.
    pub fn single(name: &str) -> Looks {
        let looks = BTreeMap::from([(name.to_owned(), Look::Disc(INK, None))]);
        Looks { symbols: symbols(&looks), looks, ..Looks::default() }
    }

    /// The same with contents that were not foreseen, if there are any.
    pub fn with<'a>(&self, contents: impl Iterator<Item = &'a String>) -> Cow<'_, Looks> {
        let new: BTreeSet<&String> = contents.filter(|name| !self.looks.contains_key(*name)).collect();
        if new.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut all = self.clone();
        all.looks
            .extend(new.iter().map(|name| ((*name).clone(), look(name, &BTreeSet::new(), &self.roles))));
        all.symbols = symbols(&all.looks);
        Cow::Owned(all)
    }

    /// How a content looks.
    pub fn look(&self, name: &str) -> &Look {
        self.looks.get(name).unwrap_or(&Look::Word)
    }

    /// A content in few characters.
    pub fn symbol(&self, name: &str) -> String {
        self.symbols.get(name).map_or_else(|| shortened(name, 4), Clone::clone)
    }
}

/// The beginning of a name that is too long.
pub fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The content that means there is nothing.
fn blank(contents: &BTreeSet<String>, common: Option<&str>) -> Option<String> {
    let named = NOTHING.iter().find_map(|nothing| {
        let found = contents.iter().find(|name| name.to_lowercase() == *nothing)?;
        // `b` may be black.
        let sure = nothing.len() > 1 || !contents.contains("w") || common == Some(found);
        sure.then(|| found.clone())
    });
    let whole = |name: &&str| name.parse::<i64>().is_err_and(|_| colour(name).is_none());
    named.or_else(|| common.filter(whole).filter(|_| contents.len() > 1).map(str::to_owned))
}

fn colour(word: &str) -> Option<&'static str> {
    COLOURS.iter().find(|(name, _)| *name == word).map(|(_, colour)| *colour)
}

/// The words of a name: `white_king`, `white-king` and `whiteKing` have two.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut small = false;
    for c in name.chars() {
        if c.is_uppercase() && small {
            spaced.push(' ');
        }
        small = c.is_lowercase();
        spaced.push(if "_-().+".contains(c) { ' ' } else { c.to_ascii_lowercase() });
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// White or black, and which man: `wk`, `white_king`, `blackKing`, `whiteking`, `bp`, `bp3`, `bpa`.
fn chessman(name: &str) -> Option<(bool, char)> {
    let name: String = words(name).concat();
    let (white, rest) = [("white", true), ("black", false), ("w", true), ("b", false)]
        .iter()
        .find_map(|(colour, white)| Some((*white, name.strip_prefix(colour)?)))?;
    let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    let whole = CHESSMEN.iter().find(|(word, _)| *word == rest).map(|(_, letter)| *letter);
    let man =
        |byte: u8| Some(char::from(byte.to_ascii_uppercase())).filter(|letter| "KQRBNP".contains(*letter));
    let letter = match rest.as_bytes() {
        [one] => man(*one),
        b"kn" => Some('N'),
        // With the column it comes from.
        [one, b'a'..=b'h'] => man(*one),
        _ => None,
    };
    Some((white, whole.or(letter)?))
}

/// How something other than a chessman looks.
fn look(name: &str, solid: &BTreeSet<&str>, roles: &[String]) -> Look {
    let lower = name.to_lowercase();
    let words = words(name);
    if let Some(colour) = words.iter().find_map(|word| colour(word)) {
        let other = words.iter().find(|word| self::colour(word).is_none());
        return Look::Disc(
            colour,
            other.and_then(|word| word.chars().next()).map(|c| c.to_ascii_uppercase()),
        );
    }
    let side = SIDES.iter().find(|(word, _)| lower.ends_with(word));
    if let Some((_, (right, up))) = side.filter(|_| lower.starts_with("block") || lower.starts_with("wall"))
    {
        return Look::Edge(*right, *up);
    }
    if BLOCKS.contains(&lower.as_str()) {
        return Look::Block("#6b5d4d");
    }
    if let Some((_, colour)) = DISCS.iter().find(|(word, _)| *word == lower) {
        return Look::Disc(colour, None);
    }
    if let Some((_, letter)) = CHESSMEN.iter().find(|(word, _)| *word == lower) {
        return Look::Chessman(false, *letter);
    }
    match lower.as_str() {
        "x" | "xplayer" | "cross" => return Look::Mark(FIRST),
        "o" | "oplayer" | "nought" => return Look::Mark(SECOND),
        "w" if solid.contains("b") => return Look::Disc(COLOURS[0].1, None),
        "b" if solid.contains("w") => return Look::Disc(COLOURS[1].1, None),
        _ => {}
    }
    if let Some(role) = roles.iter().position(|role| role.eq_ignore_ascii_case(name)) {
        let number = lower.chars().last().filter(char::is_ascii_digit);
        let letter = number.or(lower.chars().next()).map(|c| c.to_ascii_uppercase());
        return Look::Disc(PLAYERS[role % PLAYERS.len()], letter);
    }
    let mut initials: Vec<Option<char>> =
        roles.iter().map(|role| role.to_lowercase().chars().next()).collect();
    if let [letter] = lower.chars().collect::<Vec<_>>()[..] {
        if let Some(role) = initials.iter().position(|initial| *initial == Some(letter)) {
            initials.sort_unstable();
            initials.dedup();
            if initials.len() == roles.len() && roles.len() > 1 {
                let colour = colour(&roles[role].to_lowercase()).unwrap_or(PLAYERS[role % PLAYERS.len()]);
                return Look::Disc(colour, Some(letter.to_ascii_uppercase()));
            }
        }
        if letter.is_alphabetic() {
            return Look::Mark(INK);
        }
    }
    Look::Word
}

/// Few characters for each content, no two alike if that is possible.
fn symbols(looks: &BTreeMap<String, Look>) -> BTreeMap<String, String> {
    let mut symbols = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::from([".".to_owned()]);
    let mut names: Vec<&String> = looks.keys().collect();
    names.sort_by_key(|name| (name.chars().count() > 2, natural(name)));
    for name in names {
        let letters: Vec<char> = name.chars().collect();
        let start = |count: usize| letters.iter().take(count).collect::<String>();
        let ends = format!("{}{}", start(1), letters.last().copied().unwrap_or(' '));
        let symbol = match looks.get(name) {
            Some(Look::Empty) => ".".to_owned(),
            Some(Look::Chessman(true, letter)) => letter.to_string(),
            Some(Look::Chessman(false, letter)) => letter.to_ascii_lowercase().to_string(),
            _ if letters.len() <= 2 || name.parse::<i64>().is_ok() => shortened(name, 6),
            _ => {
                // Of names that are counted the number matters most.
                let counted = letters.last().is_some_and(char::is_ascii_digit);
                let few = if counted { [ends, start(1), start(2)] } else { [start(1), start(2), ends] };
                let choices = few.into_iter().chain([start(3), start(4)]);
                let free =
                    |choice: &String| choice.chars().all(char::is_alphanumeric) && !taken.contains(choice);
                choices.into_iter().find(free).unwrap_or_else(|| shortened(name, 6))
            }
        };
        taken.insert(symbol.clone());
        symbols.insert(name.clone(), symbol);
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(contents: &[&str], common: Option<&str>, roles: &[&str]) -> Looks {
        let roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
        Looks::new(&contents.iter().map(|name| (*name).to_owned()).collect(), common, &roles)
    }

    #[test]
    fn nothing_is_known_by_its_name_or_by_being_everywhere() {
        assert_eq!(*looks(&["x", "o", "b"], None, &[]).look("b"), Look::Empty);
        assert_eq!(*looks(&["w", "b"], None, &[]).look("b"), Look::Disc(INK, None));
        assert_eq!(*looks(&["w", "b", "e"], Some("e"), &[]).look("e"), Look::Empty);
        assert_eq!(*looks(&["thud", "foo"], Some("thud"), &[]).look("thud"), Look::Empty);
        assert_eq!(*looks(&["peg", "empty"], Some("peg"), &[]).look("peg"), Look::Disc(INK, None));
    }

    #[test]
    fn chessmen_and_draughtsmen() {
        let chess = looks(&["wk", "bk", "wp", "bn", "b"], None, &[]);
        assert_eq!(*chess.look("wk"), Look::Chessman(true, 'K'));
        assert_eq!(
            (chess.symbol("bn"), chess.symbol("wp"), chess.symbol("b")),
            ("n".into(), "P".into(), ".".into())
        );
        assert!(chess.chequered);
        let long = looks(&["white_king", "blackQueen", "white knight"], None, &[]);
        assert_eq!(*long.look("blackQueen"), Look::Chessman(false, 'Q'));
        let draughts = looks(&["wk", "bk", "wp", "bp", "b"], None, &[]);
        assert_eq!(*draughts.look("bk"), Look::Disc(INK, Some('K')));
    }

    #[test]
    fn players_have_colours() {
        let both = looks(&["robot", "Human", "r"], None, &["human", "robot"]);
        assert_eq!(*both.look("Human"), Look::Disc(FIRST, Some('H')));
        assert_eq!(*both.look("r"), Look::Disc(SECOND, Some('R')));
        assert_eq!(*looks(&["red"], None, &["red"]).look("red"), Look::Disc(FIRST, None));
    }

    #[test]
    fn symbols_differ() {
        let looks = looks(&["black", "blue", "red", "player1", "player2", "12", "b1"], None, &[]);
        let symbols =
            ["black", "blue", "red", "player1", "player2", "12", "b1"].map(|name| looks.symbol(name));
        assert_eq!(symbols, ["b", "bl", "r", "p1", "p2", "12", "b1"]);
        let more = looks.with(["unforeseen", "wall"].map(str::to_owned).iter());
        assert_eq!((more.symbol("unforeseen").as_str(), more.look("wall")), ("u", &Look::Block("#6b5d4d")));
    }
}
