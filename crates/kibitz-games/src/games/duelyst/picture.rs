//! Duelyst in plain characters and in pictures: all of it, or what one player may know.

use super::board::{COLUMNS, ROWS, bit, cell, name};
use super::card::{Card, Keyword, Kind};
use super::state::{NONE, Position, Stage, Unit};
use super::{Duelyst, UNKNOWN};
use crate::bits::ones;
use crate::draw::{DARK, FAINT, FIRST, GOOD, INK, LIGHT, PAPER, Picture, SECOND, column_letter};

const COLOURS: [&str; 2] = [FIRST, SECOND];
const CREEP: &str = "#6b5a86";
/// Width of a cell in characters.
const WIDE: usize = 5;
/// No line of text is wider, but for remarks.
const LINE: usize = 58;
/// Lengths of pictures.
const CELL: i32 = 72;
const LEFT: i32 = 24;
const TOP: i32 = 64;
const CARD: i32 = 108;

impl Duelyst {
    /// What everybody sees is going on.
    fn caption(&self, position: &Position) -> String {
        let turn = position.turn + 1;
        match position.stage {
            Stage::Deal => "the first cards are dealt".to_owned(),
            Stage::Mulligan => "both choose which cards to put back".to_owned(),
            Stage::Over(None) => "the end: a draw".to_owned(),
            Stage::Over(Some(winner)) => format!("the end: player {} wins", winner + 1),
            Stage::Play => {
                let player = position.mover + 1;
                match position.waiting {
                    Some(waiting) => {
                        format!("turn {turn}: player {player} chooses for {}", self.card_name(waiting.card))
                    }
                    None => format!("turn {turn}: player {player}"),
                }
            }
        }
    }

    /// A unit in a few letters.
    fn letters(&self, unit: &Unit) -> String {
        self.card_name(unit.card)
            .split(' ')
            .map(|word| word.chars().take(2).collect::<String>())
            .take(2)
            .collect()
    }

    /// What is to be said of a unit beside its numbers.
    fn remarks(&self, position: &Position, unit: &Unit) -> String {
        let card = &self.rules.cards[usize::from(unit.card)];
        let mut remarks: Vec<String> = Keyword::NAMES
            .iter()
            .filter(|(_, keyword)| unit.has(*keyword))
            .map(|(word, _)| (*word).to_owned())
            .collect();
        let own = [("zeal", card.zeal), ("backstab", card.backstab), ("infiltrate", card.infiltrate)];
        if !unit.is_dispelled() {
            remarks.extend(
                own.iter().filter(|(_, more)| *more > 0).map(|(word, more)| format!("{word} {more}")),
            );
        }
        let states = [
            (unit.is_stunned(), "stunned"),
            (unit.is_dispelled(), "dispelled"),
            (position.provokers(unit) != 0, "provoked"),
            (unit.owner == position.mover && (unit.is_exhausted() || unit.attacks >= unit.times()), "done"),
        ];
        remarks.extend(states.iter().filter(|(is, _)| *is).map(|(_, word)| (*word).to_owned()));
        if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) }
    }

    /// The cards of a hand with their slots, those that a viewer does not know without what they are.
    fn hand(
        &self,
        position: &Position,
        seat: usize,
        viewer: Option<usize>,
    ) -> impl Iterator<Item = (usize, Option<&Card>)> {
        let is_open = viewer.is_none_or(|viewer| viewer == seat);
        let held = position.sides[seat].hand.into_iter().enumerate().filter(|(_, card)| *card != NONE);
        held.map(move |(slot, card)| {
            (slot, self.rules.cards.get(usize::from(card)).filter(|_| is_open && card != UNKNOWN))
        })
    }

    /// Mana, pile, artifacts and the General's spell, in words.
    fn holdings(&self, position: &Position, seat: usize) -> Vec<String> {
        let side = &position.sides[seat];
        let mut words =
            vec![format!("mana {}/{}", side.mana, side.shown_mana()), format!("pile {}", side.left)];
        words.extend(side.artifacts().map(|(card, left)| format!("{} ({left})", self.card_name(card))));
        if side.is_spell_ready {
            words.push(format!("may cast {}", self.card_name(self.rules.spells[seat])));
        }
        words
    }

    /// What is on a cell without a unit.
    pub fn ground(position: &Position, here: u8) -> &'static str {
        match position.creep.iter().find(|creep| creep.cell == here) {
            Some(creep) if creep.owner == 0 => "creep 1",
            Some(_) => "creep 2",
            None if position.springs & bit(here) != 0 => "mana",
            None => "",
        }
    }

    /// In plain characters.
    pub fn draw_text(&self, position: &Position, viewer: Option<usize>) -> String {
        let mut lines = vec![self.caption(position)];
        for seat in [1, 0] {
            let words = self.holdings(position, seat).join(", ");
            add_wrapped(&mut lines, &format!("player {}: ", seat + 1), &words);
            let hand: Vec<_> = self.hand(position, seat, viewer).collect();
            let unknown: Vec<String> = hand.iter().map(|(slot, _)| format!("{} ?", slot + 1)).collect();
            let is_known = hand.iter().any(|(_, card)| card.is_some());
            let heading = format!("  hand: {}", if is_known { String::new() } else { unknown.join(", ") });
            lines.push(heading.trim_end().to_owned());
            for (slot, card) in hand.into_iter().filter_map(|(slot, card)| Some((slot, card?))) {
                let text = format!("{} [{}] {}", card.name, card.mana, card.text);
                add_wrapped(&mut lines, &format!("  {} ", slot + 1), text.trim_end());
            }
        }
        let bar = format!("  +{}", format!("{}+", "-".repeat(WIDE)).repeat(COLUMNS.into()));
        lines.push(bar.clone());
        for row in (0..ROWS).rev() {
            let mut upper = format!("{} |", row + 1);
            let mut lower = "  |".to_owned();
            for column in 0..COLUMNS {
                let here = cell(column, row);
                let (first, second) = match position.on(here) {
                    Some(index) => {
                        let unit = &position.units[index];
                        let attack = position.attack(&self.rules.cards, unit);
                        let numbers = format!("{attack}/{}", unit.health());
                        (format!("{}{}", unit.owner + 1, self.letters(unit)), numbers)
                    }
                    None => {
                        let ground = Self::ground(position, here);
                        let (first, second) = ground.split_once(' ').unwrap_or((ground, ""));
                        (first.to_owned(), second.to_owned())
                    }
                };
                upper += &format!("{first:^WIDE$}|");
                lower += &format!("{second:^WIDE$}|");
            }
            lines.extend([upper, lower, bar.clone()]);
        }
        let letters = (0..COLUMNS).map(|column| format!("{:^WIDE$} ", column_letter(column.into())));
        lines.push(format!("   {}", letters.collect::<String>().trim_end()));
        for unit in &position.units {
            lines.push(format!(
                "{} {}{}: {} {}/{}{}",
                name(unit.cell),
                unit.owner + 1,
                self.letters(unit),
                self.card_name(unit.card),
                position.attack(&self.rules.cards, unit),
                unit.health(),
                self.remarks(position, unit)
            ));
        }
        lines.join("\n")
    }

    /// As SVG.
    pub fn draw_svg(&self, position: &Position, viewer: Option<usize>) -> String {
        let (width, height) = (LEFT + i32::from(COLUMNS) * CELL + 12, TOP + i32::from(ROWS) * CELL + 178);
        let mut picture = Picture::new(width, height);
        picture.words(width / 2, 20, 14, INK, self.caption(position));
        let corner = |here: u8| {
            let (x, y) = super::board::place(here);
            (LEFT + i32::from(x) * CELL, TOP + (i32::from(ROWS as i8 - 1 - y)) * CELL)
        };
        for here in 0..super::board::CELLS {
            let (x, y) = corner(here);
            let fill = if here.is_multiple_of(2) { LIGHT } else { PAPER };
            picture.rect(x, y, CELL, CELL, 0, fill);
        }
        for column in 0..COLUMNS {
            let x = LEFT + i32::from(column) * CELL + CELL / 2;
            picture.words(x, TOP + i32::from(ROWS) * CELL + 12, 11, FAINT, column_letter(column.into()));
        }
        for row in 0..ROWS {
            picture.words(12, corner(cell(0, row)).1 + CELL / 2, 11, FAINT, row + 1);
        }
        for creep in &position.creep {
            let (x, y) = corner(creep.cell);
            picture.rect(x + 3, y + 3, CELL - 6, CELL - 6, 8, CREEP);
            picture.frame((x + 3, y + 3), (CELL - 6, CELL - 6), 8, COLOURS[usize::from(creep.owner)]);
        }
        for (springs, colour) in [(position.springs, GOOD), (position.spent, DARK)] {
            for here in ones(springs) {
                let (x, y) = corner(here as u8);
                picture.ring(x + CELL / 2, y + CELL / 2, CELL / 2 - 4, 3, colour);
            }
        }
        for unit in &position.units {
            let (x, y) = corner(unit.cell);
            let (x, y) = (x + CELL / 2, y + CELL / 2);
            picture.circle(
                x,
                y - 4,
                if unit.is_general() { 26 } else { 21 },
                COLOURS[usize::from(unit.owner)],
            );
            picture.words(x, y - 6, 13, PAPER, self.letters(unit));
            if unit.has(Keyword::Provoke) {
                picture.ring(x, y - 4, 27, 3, INK);
            }
            let attack = position.attack(&self.rules.cards, unit);
            let health = unit.health();
            for (dx, number, colour) in [(-20, attack, DARK), (20, health, GOOD)] {
                picture.circle(x + dx, y + 20, 12, colour);
                picture.words(x + dx, y + 20, 13, PAPER, number);
            }
            if unit.is_stunned() || unit.is_exhausted() {
                picture.words(x, y + 20, 10, FAINT, if unit.is_stunned() { "stun" } else { "zz" });
            }
        }
        let below = viewer.unwrap_or(0);
        let words =
            |seat: usize| format!("player {}   {}", seat + 1, self.holdings(position, seat).join("   "));
        let above = 1 - below;
        picture.line_of_words(LEFT, 36, 11, COLOURS[above], &words(above));
        let names: Vec<&str> = self
            .hand(position, above, viewer)
            .map(|(_, card)| card.map_or("?", |card| card.name.as_str()))
            .collect();
        picture.line_of_words(LEFT, 52, 10, INK, &format!("hand: {}", names.join(", ")));
        let y = TOP + i32::from(ROWS) * CELL + 34;
        picture.line_of_words(LEFT, y, 11, COLOURS[below], &words(below));
        for (slot, card) in self.hand(position, below, viewer) {
            draw_card(&mut picture, (LEFT + slot as i32 * (CARD + 4), y + 16), card);
        }
        picture.finish()
    }
}

/// A card of a hand: its name, what it costs, and a minion's attack and health.
fn draw_card(picture: &mut Picture, (x, y): (i32, i32), card: Option<&Card>) {
    picture.rect(x, y, CARD, 96, 8, LIGHT);
    picture.frame((x, y), (CARD, 96), 8, DARK);
    let Some(card) = card else {
        return picture.words(x + CARD / 2, y + 46, 14, INK, "?");
    };
    let mut lines = vec![String::new()];
    for word in card.name.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < 15 => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    for (number, line) in lines.iter().enumerate() {
        picture.words(x + CARD / 2, y + 40 + 16 * number as i32, 12, INK, line);
    }
    picture.circle(x + 18, y + 18, 12, SECOND);
    picture.words(x + 18, y + 18, 13, PAPER, card.mana);
    if card.kind == Kind::Minion {
        for (at, number, colour) in [(18, card.attack, DARK), (CARD - 18, card.health, GOOD)] {
            picture.circle(x + at, y + 78, 12, colour);
            picture.words(x + at, y + 78, 13, PAPER, number);
        }
    }
}

/// A heading and what follows it, in as many lines as it takes.
fn add_wrapped(lines: &mut Vec<String>, heading: &str, text: &str) {
    let mut line = heading.to_owned();
    for (number, word) in text.split(' ').enumerate() {
        if number > 0 {
            if line.len() + word.len() >= LINE {
                lines.push(line);
                line = " ".repeat(heading.len());
            } else {
                line.push(' ');
            }
        }
        line += word;
    }
    lines.push(line);
}
