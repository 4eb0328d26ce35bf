//! Cards, and sets of them as bit masks.

use std::fmt;

/// How many cards there are.
pub const CARDS: usize = 52;
/// How many ranks there are.
pub const RANKS: u8 = 13;
/// The rank of an ace.
pub const ACE: u8 = 0;
/// The rank of a king.
pub const KING: u8 = 12;

/// A card: its rank (ace 0 to king 12) times four plus its suit (hearts, diamonds, clubs, spades), so that a
/// set of cards has four bits a rank, the red ones lower.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Card(pub u8);

impl Card {
    /// The card of a rank and a suit.
    #[inline]
    pub const fn new(rank: u8, suit: u8) -> Card {
        Card(rank << 2 | suit)
    }

    /// All cards, suit within rank.
    pub fn all() -> impl Iterator<Item = Card> {
        (0..CARDS as u8).map(Card)
    }

    /// Ace 0 to king 12.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 2
    }

    /// Hearts 0, diamonds 1, clubs 2, spades 3.
    #[inline]
    pub const fn suit(self) -> u8 {
        self.0 & 3
    }

    /// Red 0, black 1.
    #[inline]
    pub const fn colour(self) -> u8 {
        self.0 >> 1 & 1
    }

    /// The card of the same rank and colour.
    #[inline]
    pub const fn twin(self) -> Card {
        Card(self.0 ^ 1)
    }

    /// The set of this card.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// This card and its twin.
    #[inline]
    pub const fn pair(self) -> u64 {
        3 << (self.0 & !1)
    }

    /// The two cards that it may be built on in the tableau; none for a king.
    #[inline]
    pub const fn parents(self) -> u64 {
        (3 << ((self.0 & !1) ^ 2) << 4) & ALL
    }

    /// The two cards that may be built on it; none for an ace.
    #[inline]
    pub const fn children(self) -> u64 {
        3 << ((self.0 & !1) ^ 2) >> 4
    }

    /// Whether it may be built on another one in the tableau.
    #[inline]
    pub const fn goes_on(self, parent: Card) -> bool {
        self.parents() & parent.bit() != 0
    }
}

/// The set of all cards.
pub const ALL: u64 = (1 << CARDS) - 1;

/// The cards of a set, ascending.
#[inline]
pub fn members(mut set: u64) -> impl Iterator<Item = Card> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let card = Card(set.trailing_zeros() as u8);
            set &= set - 1;
            card
        })
    })
}

/// Ace to king.
pub const RANK_NAMES: [&str; RANKS as usize] =
    ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
/// Hearts, diamonds, clubs, spades.
pub const SUIT_SIGNS: [char; 4] = ['♥', '♦', '♣', '♠'];
const SUIT_LETTERS: [char; 4] = ['h', 'd', 'c', 's'];

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = SUIT_SIGNS[usize::from(self.suit())];
        f.pad(&format!("{}{sign}", RANK_NAMES[usize::from(self.rank())]))
    }
}

impl std::str::FromStr for Card {
    type Err = String;

    /// `10h`, `Th`, `T♥`, `qS` and the like.
    fn from_str(text: &str) -> Result<Card, String> {
        let wrong = || {
            let shown: String = text.chars().take(12).flat_map(char::escape_debug).collect();
            format!("'{shown}' is no card: write a rank (A, 2 to 10, J, Q, K) and a suit (h, d, c, s)")
        };
        let last = text.chars().next_back().ok_or_else(wrong)?;
        let rank = text[..text.len() - last.len_utf8()].to_uppercase();
        let rank = if rank == "T" { "10" } else { &rank };
        let last = last.to_ascii_lowercase();
        let suit =
            SUIT_LETTERS.iter().zip(SUIT_SIGNS).position(|(letter, sign)| last == *letter || last == sign);
        let rank = RANK_NAMES.iter().position(|name| *name == rank);
        match (rank, suit) {
            (Some(rank), Some(suit)) => Ok(Card::new(rank as u8, suit as u8)),
            _ => Err(wrong()),
        }
    }
}
