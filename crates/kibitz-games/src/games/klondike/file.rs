//! Positions as text files, which people write.
//!
//! ```text
//! # Everything after a number sign is a comment.
//! foundations: 2h Ac          the top card of each, in any order; those that are not named are empty
//! deck: 4c 7h 9s | Kd 2c 3d   in the order of turning, the waste before the bar (no bar: nothing is turned)
//! column 1: Kh Qs Jd
//! column 3: ?? ?? | 7h        what is before the bar is face down
//! column 7: ?? ?? 9d 8c       without a bar, that is what is not named
//! ```
//! Lines that are not there stand for what is empty. Chance deals the cards that are not named to the places of
//! the question marks.

use super::cards::{ALL, Card, RANKS, members};
use super::position::{COLUMNS, DECK, DOWN, Position, begins};
use crate::position_file;

/// A position as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// Where the known cards are.
    pub position: Position,
    /// The places in [`Position::down`] of unknown cards.
    pub unknown: Vec<usize>,
    /// The cards that are nowhere else.
    pub missing: u64,
    /// The first face-down card that has a name, with its line.
    pub named_down: Option<(Card, usize)>,
}

/// Reads a position from a file.
///
/// # Errors
/// What is wrong, with the line.
pub fn read(path: &str) -> Result<Known, String> {
    parse(&position_file::read(path)?).map_err(|what| format!("{path}: {what}"))
}

/// Reads a position from text.
///
/// # Errors
/// What is wrong, with the line.
pub fn parse(text: &str) -> Result<Known, String> {
    let mut reader = Reader::default();
    for (number, line) in position_file::lines(text) {
        reader.line = number;
        reader.read(line).map_err(|what| format!("line {number}: {what}"))?;
    }
    reader.finish()
}

struct Reader {
    known: Known,
    line: usize,
    /// The line that each card is in.
    lines: [usize; super::cards::CARDS],
    /// The line of the foundations, of the deck and of each column.
    parts: [usize; 2 + COLUMNS],
}

impl Default for Reader {
    fn default() -> Reader {
        let position = Position { hidden: [0; COLUMNS], left: 0, ..Position::empty() };
        let known = Known { position, unknown: Vec::new(), missing: ALL, named_down: None };
        Reader { known, line: 0, lines: [0; super::cards::CARDS], parts: [0; 2 + COLUMNS] }
    }
}

const EXPECTED: &str = "a line begins with 'foundations:', 'deck:' or 'column 1:' to 'column 7:'";

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let (head, cards) = line.split_once(':').ok_or(EXPECTED)?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let part = match words.as_slice() {
            ["foundations"] => 0,
            ["deck"] => 1,
            ["column", number] => match number.parse() {
                Ok(number @ 1..=COLUMNS) => 1 + number,
                _ => return Err(format!("columns are called 1 to {COLUMNS}")),
            },
            _ => return Err(EXPECTED.to_owned()),
        };
        if self.parts[part] > 0 {
            return Err(format!("'{}' was there before, in line {}", words.join(" "), self.parts[part]));
        }
        self.parts[part] = self.line;
        let mut halves = cards.split('|');
        let first = halves.next().unwrap_or_default();
        let second = halves.next();
        if halves.next().is_some() || part == 0 && second.is_some() {
            return Err(if part == 0 { "foundations have no bar" } else { "one bar is enough" }.to_owned());
        }
        match part {
            0 => self.foundations(first),
            1 => self.deck(first, second),
            _ => self.column(part - 2, first, second),
        }
    }

    /// Takes a card from those that are nowhere yet.
    fn take(&mut self, card: Card) -> Result<Card, String> {
        let line = &mut self.lines[usize::from(card.0)];
        if *line > 0 {
            return Err(match *line == self.line {
                true => format!("{card} is there twice"),
                false => format!("{card} is there already, in line {line}"),
            });
        }
        *line = self.line;
        self.known.missing &= !card.bit();
        Ok(card)
    }

    fn foundations(&mut self, cards: &str) -> Result<(), String> {
        for word in cards.split_whitespace() {
            let top: Card = word.parse()?;
            let count = &mut self.known.position.foundation[usize::from(top.suit())];
            if *count > 0 {
                let other = Card::new(*count - 1, top.suit());
                return Err(format!("{top} and {other} are both on top of one foundation"));
            }
            *count = top.rank() + 1;
            for rank in 0..=top.rank() {
                self.take(Card::new(rank, top.suit()))?;
            }
        }
        Ok(())
    }

    fn deck(&mut self, waste: &str, stock: Option<&str>) -> Result<(), String> {
        let (waste, stock) = stock.map_or(("", waste), |stock| (waste, stock));
        let turned = waste.split_whitespace().count();
        for (place, word) in waste.split_whitespace().chain(stock.split_whitespace()).enumerate() {
            if word == "??" {
                return Err("the cards of the deck are known: only face-down ones may be '??'".to_owned());
            }
            let card = self.take(word.parse()?)?;
            let position = &mut self.known.position;
            let room = position.deck.get_mut(place).ok_or(format!("the deck has at most {DECK} cards"))?;
            *room = card;
            position.left |= 1 << place;
        }
        self.known.position.turned = turned as u8;
        Ok(())
    }

    fn column(&mut self, column: usize, first: &str, second: Option<&str>) -> Result<(), String> {
        let words: Vec<&str> =
            first.split_whitespace().chain(second.unwrap_or_default().split_whitespace()).collect();
        let down = match second {
            Some(_) => first.split_whitespace().count(),
            None => words.iter().take_while(|word| **word == "??").count(),
        };
        if down > column {
            return Err(match column {
                0 => "column 1 never has face-down cards".to_owned(),
                _ => format!("column {} has at most {column} face-down cards, not {down}", column + 1),
            });
        }
        if down > 0 && down == words.len() {
            return Err(format!("the last card of column {} must be face up", column + 1));
        }
        self.known.position.hidden[column] = down as u8;
        for (index, word) in words.iter().enumerate() {
            let place = begins(column) + index;
            match (*word, index < down) {
                ("??", true) => self.known.unknown.push(place),
                ("??", false) => return Err("face-up cards are known: '??' may not lie on them".to_owned()),
                (name, true) => {
                    let card = self.take(name.parse()?)?;
                    self.known.position.down[place] = card;
                    self.known.named_down = self.known.named_down.or(Some((card, self.line)));
                }
                (name, false) => {
                    let card = self.take(name.parse()?)?;
                    let run = &mut self.known.position.runs[column];
                    if let Some(top) = run.top().filter(|top| !card.goes_on(*top)) {
                        return Err(format!(
                            "{card} cannot lie on {top}: ranks fall by one and colours alternate"
                        ));
                    }
                    run.push(card);
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Known, String> {
        let (missing, unknown) = (self.known.missing.count_ones() as usize, self.known.unknown.len());
        let names: Vec<String> = members(self.known.missing).map(|card| card.to_string()).collect();
        if missing > unknown {
            let for_them = match unknown {
                0 => "and there is no '??' for them".to_owned(),
                _ => format!("{missing} cards for {unknown} '??'"),
            };
            return Err(format!("these cards are nowhere, {for_them}: {}", names.join(", ")));
        }
        if missing < unknown {
            return Err(format!("there are {unknown} '??', but only {missing} cards are nowhere else"));
        }
        debug_assert!(unknown <= DOWN);
        if self.known.position.foundation == [RANKS; 4] {
            return Err("all cards are on the foundations: there is nothing to play".to_owned());
        }
        self.known.unknown.sort_unstable();
        Ok(self.known)
    }
}
