//! Navy Defense in words and in pictures: what is observed, and the truth beside it.

use super::NavyDefense;
use super::chart::GONE;
use super::state::{NONE, Phase, State, Submarine};
use crate::draw::{DARK, FAINT, FIRST, GOOD, INK, LIGHT, PAPER, Picture, SECOND, column_letter, grid};

const SQUARE: i32 = 44;
const MARGIN: i32 = 26;
const SONAR: &str = "#d9e6ee";

impl NavyDefense {
    /// The submarines that are shown: all, or those in the sonar once they have come to rest, which nothing
    /// tells the order of.
    fn shown(&self, state: &State, observed: bool) -> Vec<Submarine> {
        let at_rest = matches!(state.phase, Phase::Act | Phase::Over);
        let placed = if state.phase == Phase::Submarines { state.placed } else { state.count };
        let there = state.submarines[..usize::from(placed)].iter();
        let visible = |it: &&Submarine| !observed || at_rest && self.chart.near(state.navy, it.at);
        let mut shown: Vec<Submarine> = there.filter(visible).copied().collect();
        if observed {
            shown.sort_unstable_by_key(|it| (it.at, it.health));
        }
        shown
    }

    fn caption(&self, state: &State) -> String {
        match state.phase {
            Phase::Over => "the end".to_owned(),
            Phase::Act => format!("decision {} of {}", state.step + 1, self.params.steps),
            Phase::Target(_) | Phase::Order(_) => "the submarines are deciding".to_owned(),
            _ => "vessels are being placed".to_owned(),
        }
    }

    /// What happened in a round.
    pub(super) fn report_name(&self, before: &State, after: &State) -> String {
        let mut news = Vec::new();
        let mut told = |name: String, was: u8, is: u8| match (was, is) {
            (was, is) if was == is => {}
            (_, 0) => news.push(format!("{name} destroyed")),
            _ => news.push(format!("{name} hit")),
        };
        told("navy".to_owned(), before.navy_health, after.navy_health);
        let ships = self.ships(before).iter().zip(self.ships(after));
        for (number, (was, is)) in (1..).zip(ships) {
            told(format!("cargo {number}"), was.health, is.health);
        }
        for submarine in self.shown(after, true) {
            news.push(format!("submarine at {} ({})", self.square_name(submarine.at), submarine.health));
        }
        if news.is_empty() { "nothing".to_owned() } else { news.join(", ") }
    }

    /// In plain characters.
    pub(super) fn in_words(&self, state: &State, observed: bool) -> String {
        let size = u32::from(self.chart.size());
        let submarines = self.shown(state, observed);
        let mut text = grid(size, size, |column, row| {
            let here = self.chart.square(column as u8, row as u8);
            let cargo = self.ships(state).iter().any(|ship| ship.at == here);
            match submarines.iter().any(|submarine| submarine.at == here) {
                _ if state.navy == here => 'N',
                _ if cargo => 'C',
                true => 'S',
                false => '.',
            }
        });
        let vessel = |at: u8, health: u8| match (at, health) {
            (_, 0) => "destroyed".to_owned(),
            (GONE, _) => "not placed".to_owned(),
            _ => format!("{} health {health}", self.square_name(at)),
        };
        text += &format!("navy     {}\n", vessel(state.navy, state.navy_health));
        for (number, ship) in (1..).zip(self.ships(state)) {
            let way = match ship.at {
                GONE => "",
                _ if ship.clockwise => " clockwise",
                _ => " counterclockwise",
            };
            text += &format!("cargo {number}  {}{way}\n", vessel(ship.at, ship.health));
        }
        for submarine in submarines {
            let hunted = match submarine.target {
                target if !observed && target != NONE => format!(" hunts cargo {}", target + 1),
                _ => String::new(),
            };
            text += &format!("submarine {}{hunted}\n", vessel(submarine.at, submarine.health));
        }
        text + &self.caption(state) + "\n"
    }

    /// As a picture; the truth has what is observed beside it.
    pub(super) fn drawn(&self, state: &State, observed: bool) -> String {
        let board = i32::from(self.chart.size()) * SQUARE;
        let boards: &[(bool, &str)] =
            if observed { &[(true, "observation")] } else { &[(true, "observation"), (false, "truth")] };
        let width = boards.len() as i32 * (board + MARGIN) + MARGIN;
        let mut picture = Picture::new(width, board + 2 * MARGIN + 34);
        for (number, (observed, title)) in (0..).zip(boards) {
            let left = MARGIN + number * (board + MARGIN);
            self.board(&mut picture, state, *observed, left, None);
            picture.words(left + board / 2, 13, 13, INK, title);
        }
        picture.words(width / 2, board + 2 * MARGIN + 18, 13, INK, self.caption(state));
        picture.finish()
    }

    /// What is observed in some states that look alike, and on each square how likely it is that a submarine is
    /// there: a heat map.
    pub(super) fn drawn_belief(&self, states: &[(&State, f64)]) -> Option<String> {
        let (first, _) = states.first()?;
        let mut heat = vec![0.0; self.chart.squares().into()];
        let mut there = 0.0;
        for (state, likely) in states {
            let mut squares: Vec<u8> = state.submarines().iter().map(|it| it.at).collect();
            there += likely * squares.len() as f64;
            squares.sort_unstable();
            squares.dedup();
            squares.iter().for_each(|square| heat[usize::from(*square)] += likely);
        }
        let board = i32::from(self.chart.size()) * SQUARE;
        let mut picture = Picture::new(board + 2 * MARGIN, board + 2 * MARGIN + 34);
        self.board(&mut picture, first, true, MARGIN, Some(&heat));
        picture.words(MARGIN + board / 2, 13, 13, INK, "a submarine here, in %");
        let caption = format!("{there:.1} submarines expected");
        picture.words(MARGIN + board / 2, board + 2 * MARGIN + 18, 13, INK, caption);
        Some(picture.finish())
    }

    fn board(&self, picture: &mut Picture, state: &State, observed: bool, left: i32, heat: Option<&[f64]>) {
        let size = i32::from(self.chart.size());
        let corner = |square: u8| {
            let (x, y) = self.chart.place(square);
            (left + i32::from(x) * SQUARE, MARGIN + (size - 1 - i32::from(y)) * SQUARE)
        };
        for square in 0..self.chart.squares() {
            let (x, y) = corner(square);
            let sonar = self.chart.near(state.navy, square);
            picture.rect(x, y, SQUARE - 1, SQUARE - 1, 2, if sonar { SONAR } else { LIGHT });
            let Some(likely) = heat.map(|heat| heat[usize::from(square)]) else { continue };
            if likely > 0.0 {
                // The root brings out what is unlikely: on a large board most of it is.
                picture.tint(x, y, SQUARE - 1, SQUARE - 1, FIRST, likely.sqrt().min(1.0));
            }
            if likely >= 0.005 {
                picture.words(
                    x + SQUARE - 12,
                    y + SQUARE - 9,
                    10,
                    INK,
                    format_args!("{:.0}", 100.0 * likely),
                );
            }
        }
        for number in 0..size {
            let middle = number * SQUARE + SQUARE / 2;
            let below = MARGIN + size * SQUARE + 12;
            picture.words(left + middle, below, 11, FAINT, column_letter(number as u32));
            picture.words(
                left - 10,
                MARGIN + (size - 1) * SQUARE - number * SQUARE + SQUARE / 2,
                11,
                FAINT,
                number + 1,
            );
        }
        // Several vessels may share a square: each kind has a corner of its own.
        for (number, ship) in (1..).zip(self.ships(state)).filter(|(_, ship)| ship.at != GONE) {
            let (x, y) = corner(ship.at);
            let (x, y) = (x + 14, y + 14);
            let ahead = corner(self.chart.onward(ship.at, ship.clockwise));
            let here = corner(ship.at);
            let (dx, dy) = ((ahead.0 - here.0).signum(), (ahead.1 - here.1).signum());
            picture.line((x, y), (x + 20 * dx, y + 20 * dy), 3, DARK);
            picture.circle(x, y, 10, GOOD);
            picture.words(x, y, 11, PAPER, format_args!("C{number}"));
            health(picture, x, y, ship.health);
        }
        for submarine in self.shown(state, observed) {
            let (x, y) = corner(submarine.at);
            let (x, y) = (x + 14, y + 32);
            picture.circle(x, y, 9, FIRST);
            if !observed && submarine.target != NONE {
                picture.words(x, y, 10, PAPER, format_args!("S{}", submarine.target + 1));
            } else {
                picture.words(x, y, 11, PAPER, "S");
            }
            health(picture, x, y, submarine.health);
        }
        if state.navy != GONE {
            let (x, y) = corner(state.navy);
            let (x, y) = (x + 31, y + 24);
            picture.circle(x, y, 10, SECOND);
            picture.words(x, y, 12, PAPER, "N");
            health(picture, x, y, state.navy_health);
        }
    }
}

/// A vessel that has been hit is marked.
fn health(picture: &mut Picture, x: i32, y: i32, health: u8) {
    if health == 1 {
        picture.line((x - 7, y - 7), (x + 7, y + 7), 2, INK);
    }
}
