//! Where all the cards are.

use super::cards::{ALL, CARDS, Card};

/// How many columns the tableau has.
pub const COLUMNS: usize = 7;
/// How many cards begin face down.
pub const DOWN: usize = 21;
/// How many cards the deck begins with.
pub const DECK: usize = 24;

/// The face-up cards of a column: ranks fall by one and colours alternate, so that the lowest-lying card and
/// one bit a card say it all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Run {
    /// The card that all others lie on.
    base: Card,
    length: u8,
    /// Bit i: the second suit of its colour is that of card i, counted from the base.
    second: u16,
}

impl Run {
    /// How many cards it has.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.length)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The card so many places above the base.
    #[inline]
    pub fn card(&self, place: usize) -> Card {
        let colour = self.base.colour() ^ (place as u8 & 1);
        Card::new(self.base.rank() - place as u8, colour << 1 | (self.second >> place & 1) as u8)
    }

    /// The card that all others lie on.
    #[inline]
    pub fn base(&self) -> Option<Card> {
        (self.length > 0).then_some(self.base)
    }

    /// The card that nothing lies on.
    #[inline]
    pub fn top(&self) -> Option<Card> {
        (self.length > 0).then(|| self.card(self.len() - 1))
    }

    /// A number that is equal for equal runs only.
    #[inline]
    pub fn code(&self) -> u32 {
        u32::from_le_bytes([self.base.0, self.length, self.second as u8, (self.second >> 8) as u8])
    }

    /// From the base to the top.
    pub fn cards(self) -> impl DoubleEndedIterator<Item = Card> + ExactSizeIterator {
        (0..self.len()).map(move |place| self.card(place))
    }

    /// Puts a card on top. It must fit there.
    #[inline]
    pub fn push(&mut self, card: Card) {
        if self.length == 0 {
            self.base = card;
            self.second = 0;
        }
        self.second |= u16::from(card.suit() & 1) << self.length;
        self.length += 1;
    }

    /// Takes the top card away.
    #[inline]
    pub fn pop(&mut self) -> Option<Card> {
        let top = self.top()?;
        self.cut(self.len() - 1);
        Some(top)
    }

    /// Takes all from a place on away, and gives them.
    #[inline]
    pub fn cut(&mut self, place: usize) -> Run {
        let mut cut = Run::default();
        if place < self.len() {
            cut = Run {
                base: self.card(place),
                length: self.length - place as u8,
                second: self.second >> place,
            };
            self.length = place as u8;
            self.second &= (1 << place) - 1;
        }
        if self.length == 0 {
            *self = Run::default();
        }
        cut
    }

    /// Puts another run on top. It must fit there.
    #[inline]
    pub fn append(&mut self, other: Run) {
        if self.length == 0 {
            *self = other;
        } else {
            self.second |= other.second << self.length;
            self.length += other.length;
        }
    }
}

/// Where all the cards are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The cards that were dealt face down, one column after the other, the undermost first. Only the first
    /// [`Position::hidden`] of a column are still there.
    pub down: [Card; DOWN],
    /// How many are still face down in each column.
    pub hidden: [u8; COLUMNS],
    /// The face-up cards of each column.
    pub runs: [Run; COLUMNS],
    /// The deck as it was dealt, in the order of turning.
    pub deck: [Card; DECK],
    /// Which of the deck's places still have their card.
    pub left: u32,
    /// The waste is what is left of the first so many places of the deck.
    pub turned: u8,
    /// How many cards are on the foundation of each suit.
    pub foundation: [u8; 4],
}

/// Where the face-down cards of a column begin in [`Position::down`].
#[inline]
pub const fn begins(column: usize) -> usize {
    column * (column.wrapping_sub(1)) / 2
}

impl Position {
    /// Places for the cards of a deal, without any cards.
    pub fn empty() -> Position {
        Position {
            down: [Card(0); DOWN],
            hidden: [0, 1, 2, 3, 4, 5, 6],
            runs: [Run::default(); COLUMNS],
            deck: [Card(0); DECK],
            left: (1 << DECK) - 1,
            turned: 0,
            foundation: [0; 4],
        }
    }

    /// A shuffled pack, dealt: row by row, from left to right, the first card of each row face up; the deck is
    /// what is left, the next card first.
    pub fn deal(pack: &[Card; CARDS]) -> Position {
        let mut position = Position::empty();
        let mut cards = pack.iter().copied();
        for row in 0..COLUMNS {
            for (column, card) in (row..COLUMNS).zip(&mut cards) {
                match column == row {
                    true => position.runs[column].push(card),
                    false => position.down[begins(column) + row] = card,
                }
            }
        }
        position.deck.iter_mut().zip(cards).for_each(|(place, card)| *place = card);
        position
    }

    /// The cards that are face down in a column, the undermost first.
    #[inline]
    pub fn face_down(&self, column: usize) -> &[Card] {
        let from = begins(column);
        &self.down[from..from + usize::from(self.hidden[column])]
    }

    /// How many cards are face down.
    #[inline]
    pub fn unseen(&self) -> usize {
        self.hidden.iter().map(|&count| usize::from(count)).sum()
    }

    /// The cards on the foundations.
    pub fn founded(&self) -> u64 {
        Card::all()
            .filter(|card| card.rank() < self.foundation[usize::from(card.suit())])
            .map(Card::bit)
            .sum()
    }

    /// The cards of the deck, the waste's among them.
    pub fn decked(&self) -> u64 {
        (0..DECK).filter(|place| self.left >> place & 1 == 1).map(|place| self.deck[place].bit()).sum()
    }

    /// The face-up cards of the tableau.
    pub fn open(&self) -> u64 {
        self.runs.iter().flat_map(|run| run.cards()).map(Card::bit).sum()
    }

    /// The cards that are face down, as a set: what the player knows of them.
    pub fn covered(&self) -> u64 {
        ALL & !(self.founded() | self.decked() | self.open())
    }

    /// Whether all cards are on the foundations.
    #[inline]
    pub fn is_won(&self) -> bool {
        self.foundation == [13; 4]
    }

    /// The card that each foundation takes next; of a full one, a place above all cards.
    #[inline]
    pub fn next(&self) -> u64 {
        let [hearts, diamonds, clubs, spades] = self.foundation.map(|count| 4 * u32::from(count));
        1 << hearts | 2 << diamonds | 4 << clubs | 8 << spades
    }

    /// The column and the place in its run of a face-up card of the tableau.
    #[inline]
    pub fn find(&self, card: Card) -> Option<(usize, usize)> {
        self.runs.iter().enumerate().find_map(|(column, run)| {
            let place = usize::from(run.base()?.rank().wrapping_sub(card.rank()));
            (place < run.len() && run.card(place) == card).then_some((column, place))
        })
    }

    /// The leftmost column that has no cards.
    #[inline]
    pub fn empty_column(&self) -> Option<usize> {
        (0..COLUMNS).find(|&column| self.runs[column].is_empty() && self.hidden[column] == 0)
    }

    /// The deck's places that are turned up, as far as they still have their card.
    #[inline]
    pub fn waste(&self) -> u32 {
        self.left & ((1 << self.turned) - 1)
    }

    /// The card on top of the waste.
    #[inline]
    pub fn waste_top(&self) -> Option<Card> {
        let waste = self.waste();
        (waste != 0).then(|| self.deck[31 - waste.leading_zeros() as usize])
    }

    /// The cards of the deck with their places, in the order of turning, the waste's first.
    #[inline]
    pub fn deck_cards(&self) -> impl Iterator<Item = (usize, Card)> + Clone + '_ {
        (0..DECK).filter(|place| self.left >> place & 1 == 1).map(|place| (place, self.deck[place]))
    }

    /// Turns the next cards of the deck, or turns the waste over, and says whether it was the latter.
    pub fn turn(&mut self, draw: u32) -> bool {
        let stock = self.left & !self.waste();
        let turned = (0..DECK).filter(|place| stock >> place & 1 == 1).take(draw as usize).last();
        self.turned = turned.map_or(0, |place| place as u8 + 1);
        stock == 0
    }

    /// How often the deck must be turned until a card of it is on top of the waste, if that ever happens.
    pub fn turns_to(&self, card: Card, draw: u32) -> Option<u32> {
        let mut position = *self;
        let (mut turns, mut times_over) = (0, 0);
        while position.waste_top() != Some(card) {
            times_over += u32::from(position.turn(draw));
            turns += 1;
            if times_over == 2 {
                return None;
            }
        }
        Some(turns)
    }
}
