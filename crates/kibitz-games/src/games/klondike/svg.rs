//! Klondike drawn with cards that look like cards.

use super::Klondike;
use super::cards::{Card, RANK_NAMES, SUIT_SIGNS};
use super::picture::Seen;
use super::position::COLUMNS;
use super::state::State;
use crate::draw::{FAINT, FIRST, GOOD, INK, LIGHT, PAPER, Picture, SECOND};

/// The size of a card.
const CARD: (i32, i32) = (72, 102);
const MARGIN: i32 = 16;
const GAP: i32 = 10;
/// How much of a card those that lie on it leave to be seen, face up and face down.
const SHOWN_UP: i32 = 26;
const SHOWN_DOWN: i32 = 11;
/// How far apart the cards of the deck are at most, and how far those that can be played stand out.
const FAN: i32 = 22;
const RAISED: i32 = 9;
const FACE: &str = "#fffdf8";
const BOARD_WIDTH: i32 = 2 * MARGIN + COLUMNS as i32 * (CARD.0 + GAP) - GAP;

/// Where the pips of a card of each number are: column (-1 to 1) and height (-6 to 6), one half of the card; the
/// other is the same upside down, but for what is in the middle.
const PIPS: [&[(i32, i32)]; 10] = [
    &[],
    &[(0, -6)],
    &[(0, -6), (0, 0)],
    &[(-1, -6), (1, -6)],
    &[(-1, -6), (1, -6), (0, 0)],
    &[(-1, -6), (1, -6), (-1, 0), (1, 0)],
    &[(-1, -6), (1, -6), (-1, 0), (1, 0), (0, -3)],
    &[(-1, -6), (1, -6), (-1, 0), (1, 0), (0, -3), (0, 3)],
    &[(-1, -6), (1, -6), (-1, -2), (1, -2), (0, 0)],
    &[(-1, -6), (1, -6), (-1, -2), (1, -2), (0, -4)],
];

fn colour(card: Card) -> &'static str {
    if card.colour() == 0 { FIRST } else { INK }
}

fn blank(picture: &mut Picture, (x, y): (i32, i32), outline: &str) {
    picture.rect(x, y, CARD.0, CARD.1, 7, FACE);
    picture.frame((x, y), CARD, 7, outline);
}

fn back(picture: &mut Picture, (x, y): (i32, i32)) {
    blank(picture, (x, y), INK);
    let (left, top, right, bottom) = (x + 5, y + 5, x + CARD.0 - 5, y + CARD.1 - 5);
    picture.rect(left, top, right - left, bottom - top, 4, SECOND);
    // A lattice of diagonals, each from the left or upper edge to the right or lower one.
    let (width, height) = (right - left, bottom - top);
    let mut lattice = Vec::new();
    for at in (-height + 8..width).step_by(10) {
        let (begin, end) = (at.max(0), (at + height).min(width));
        lattice.push([(left + begin, top + begin - at), (left + end, top + end - at)]);
        lattice.push([(left + begin, bottom - begin + at), (left + end, bottom - end + at)]);
    }
    picture.lines(&lattice, 0.8, PAPER);
}

fn index(picture: &mut Picture, (x, y): (i32, i32), card: Card) {
    let rank = RANK_NAMES[usize::from(card.rank())];
    let sign = SUIT_SIGNS[usize::from(card.suit())];
    // Both in one line, so that a strip of a covered card tells it all.
    let (size, middle) = if rank.len() > 1 { (14, 18) } else { (16, 16) };
    picture.words(x + middle, y + 13, size, colour(card), format!("{rank}{sign}"));
}

fn turned_index(picture: &mut Picture, (x, y): (i32, i32), card: Card) {
    let rank = RANK_NAMES[usize::from(card.rank())];
    let sign = SUIT_SIGNS[usize::from(card.suit())];
    let (size, middle) = if rank.len() > 1 { (14, 18) } else { (16, 16) };
    picture.turned_words(x + CARD.0 - middle, y + CARD.1 - 13, size, colour(card), format!("{rank}{sign}"));
}

fn face(picture: &mut Picture, (x, y): (i32, i32), card: Card, outline: &str) {
    blank(picture, (x, y), outline);
    index(picture, (x, y), card);
    turned_index(picture, (x, y), card);
    let (middle, centre) = (x + CARD.0 / 2, y + CARD.1 / 2);
    let sign = SUIT_SIGNS[usize::from(card.suit())];
    match usize::from(card.rank()) {
        0 => picture.words(middle, centre, 40, colour(card), sign),
        rank @ 1..10 => {
            for &(column, height) in PIPS[rank] {
                let (right, down) = (column * 14, height * 4);
                picture.words(middle + right, centre + down, 14, colour(card), sign);
                let has_other = height != 0 && !PIPS[rank].contains(&(column, -height));
                if has_other && (rank, height) != (6, -3) {
                    picture.turned_words(middle - right, centre - down, 14, colour(card), sign);
                }
            }
        }
        rank => {
            let size = (CARD.0 - 30, CARD.1 - 44);
            picture.frame((x + 15, y + 22), size, 3, FAINT);
            picture.words(middle, centre - 9, 30, colour(card), RANK_NAMES[rank]);
            picture.words(middle, centre + 17, 20, colour(card), sign);
        }
    }
}

fn place(picture: &mut Picture, (x, y): (i32, i32), sign: &str) {
    picture.rect(x, y, CARD.0, CARD.1, 7, LIGHT);
    picture.rect(x + 3, y + 3, CARD.0 - 6, CARD.1 - 6, 5, PAPER);
    picture.words(x + CARD.0 / 2, y + CARD.1 / 2, 30, LIGHT, sign);
}

impl Klondike {
    pub(super) fn draw_svg(&self, state: &State, viewer: Option<usize>) -> String {
        let columns: Vec<Vec<Seen>> =
            (0..COLUMNS).map(|column| self.column(state, viewer, column)).collect();
        let height_of = |cards: &Vec<Seen>| match cards.split_last() {
            Some((_, covered)) => covered.iter().map(shown_of).sum::<i32>() + CARD.1,
            None => CARD.1,
        };
        let deck_top = MARGIN + CARD.1 + 12 + RAISED;
        let top = deck_top + CARD.1 + 24;
        let height = top + columns.iter().map(height_of).max().unwrap_or(0) + 36;
        let mut picture = Picture::new(BOARD_WIDTH, height);
        for suit in 0..4u8 {
            let at = (MARGIN + (i32::from(suit) + 3) * (CARD.0 + GAP), MARGIN);
            match state.position.foundation[usize::from(suit)] {
                0 => place(&mut picture, at, &SUIT_SIGNS[usize::from(suit)].to_string()),
                count => face(&mut picture, at, Card::new(count - 1, suit), INK),
            }
        }
        let middle = MARGIN + (3 * (CARD.0 + GAP) - GAP) / 2;
        picture.words(middle, MARGIN + CARD.1 / 2 - 12, 17, INK, "Klondike");
        picture.words(middle, MARGIN + CARD.1 / 2 + 12, 13, FAINT, self.caption(state));
        self.draw_deck(&mut picture, state, viewer, deck_top);
        for (number, cards) in columns.iter().enumerate() {
            let (x, mut y) = (MARGIN + number as i32 * (CARD.0 + GAP), top);
            picture.words(x + CARD.0 / 2, y - 10, 11, FAINT, number + 1);
            if cards.is_empty() {
                place(&mut picture, (x, y), "");
            }
            for (index_in_column, seen) in cards.iter().enumerate() {
                let is_covered = index_in_column + 1 < cards.len();
                match *seen {
                    Seen::Up(card) if is_covered => {
                        blank(&mut picture, (x, y), INK);
                        index(&mut picture, (x, y), card);
                    }
                    Seen::Up(card) => face(&mut picture, (x, y), card, INK),
                    Seen::Down(_) => back(&mut picture, (x, y)),
                }
                if let Seen::Down(Some(card)) = *seen {
                    // Who may know what is face down reads it at the edge.
                    picture.rect(x + CARD.0 - 31, y + 1, 26, 10, 3, FACE);
                    picture.words(x + CARD.0 - 18, y + 6, 10, colour(card), card);
                }
                y += shown_of(seen);
            }
        }
        picture.finish()
    }

    /// All cards of the deck in the order of turning, a gap after the waste; those that can be played stand out, and
    /// those to be turned may show their backs.
    fn draw_deck(&self, picture: &mut Picture, state: &State, viewer: Option<usize>, top: i32) {
        let (waste, stock) = self.deck(state);
        let in_hand = self.in_hand(state);
        if waste.is_empty() && stock.is_empty() {
            place(picture, (MARGIN, top), "");
        }
        let parts = [&waste, &stock].into_iter().filter(|cards| !cards.is_empty()).count() as i32;
        let covered = (waste.len() + stock.len()) as i32 - parts;
        let room = BOARD_WIDTH - 2 * MARGIN - parts * CARD.0 - (parts - 1) * GAP;
        let fan = FAN.min(room / covered.max(1));
        let mut x = MARGIN;
        for (part, cards) in [&waste, &stock].into_iter().enumerate() {
            for (place_in_part, card) in cards.iter().enumerate() {
                let is_playable = in_hand & card.bit() != 0;
                let (y, outline) = if is_playable { (top - RAISED, GOOD) } else { (top, INK) };
                if part == 1 && self.covers_stock(viewer) {
                    back(picture, (x, y));
                } else if place_in_part + 1 == cards.len() {
                    face(picture, (x, y), *card, outline);
                } else {
                    blank(picture, (x, y), outline);
                    narrow_index(picture, (x + fan / 2, y), *card);
                }
                x += fan;
            }
            if part == 0 && !waste.is_empty() {
                x += CARD.0 - fan + GAP;
            }
        }
    }
}

/// Rank above suit, centred on a point of the upper edge, for cards of which only the left one shows.
fn narrow_index(picture: &mut Picture, (x, y): (i32, i32), card: Card) {
    let rank = RANK_NAMES[usize::from(card.rank())];
    picture.words(x, y + 13, if rank.len() > 1 { 13 } else { 16 }, colour(card), rank);
    picture.words(x, y + 30, 16, colour(card), SUIT_SIGNS[usize::from(card.suit())]);
}

fn shown_of(seen: &Seen) -> i32 {
    match seen {
        Seen::Up(_) => SHOWN_UP,
        Seen::Down(_) => SHOWN_DOWN,
    }
}
