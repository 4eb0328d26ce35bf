//! Moves, and which of them are legal: sets of cards, made by shifting sets of cards.

use kibitz_core::game::Action;
use kibitz_core::rng::mix;
use kibitz_core::words;

use super::cards::{ALL, CARDS, Card, KING, members};
use super::position::{COLUMNS, Position};
use super::state::State;
use crate::bits::nth_set;

words! {
    /// How the paper's rules, which leave much open, are read.
    Reading {
        /// The reading that reproduces the paper's baselines.
        Paper = "paper",
        /// Every move of the ordinary rules.
        Naive = "naive",
    }
}

words! {
    /// What a move is.
    Kind {
        /// Every card of the deck that turning would bring up is played at once.
        Macro = "macro",
        /// The deck is turned card by card.
        Ordinary = "ordinary",
    }
}

/// What the legal moves depend on beside the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// How many cards are turned at a time.
    pub draw: u32,
    /// How often the deck may be gone through; 0 for without end.
    pub passes: u32,
    /// Which moves are left out.
    pub reading: Reading,
    /// What a move is.
    pub kind: Kind,
    /// Chance draws a face-down card when it is turned up, not before.
    pub collapsed: bool,
}

impl Rules {
    /// The same rules for other kinds of moves.
    pub fn with(self, kind: Kind) -> Rules {
        Rules { kind, ..self }
    }
}

/// One move. Cards are called by their names, so that columns may be exchanged without a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// To its foundation.
    Up(Card),
    /// With all that lies on it, onto the card of the next rank and the other colour that has the colour's
    /// first (hearts, clubs) or second suit. A king: to the leftmost empty column.
    Onto(Card, bool),
    /// The next cards of the deck are turned, or the waste is turned over.
    Turn,
}

impl Move {
    const FIRST: u32 = 64;
    const SECOND: u32 = 128;
    const TURN: u32 = 192;

    /// Its number.
    #[inline]
    pub fn action(self) -> Action {
        Action(match self {
            Move::Up(card) => card.0.into(),
            Move::Onto(card, second) => u32::from(card.0) + if second { Move::SECOND } else { Move::FIRST },
            Move::Turn => Move::TURN,
        })
    }

    /// The move of a number; any other number is a turn.
    #[inline]
    pub fn of(action: Action) -> Move {
        let card = Card((action.0 & 63) as u8);
        match action.0 & !63 {
            0 => Move::Up(card),
            Move::FIRST => Move::Onto(card, false),
            Move::SECOND => Move::Onto(card, true),
            _ => Move::Turn,
        }
    }
}

/// The card that another one is put onto by [`Move::Onto`]; none for kings.
#[inline]
pub fn parent(card: Card, second: bool) -> Option<Card> {
    (card.rank() < KING).then(|| Card(((card.0 & !1) ^ 2) + 4 + u8::from(second)))
}

/// A set of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moves {
    /// Cards that may go to their foundation.
    pub up: u64,
    /// Cards that may go onto the first of their parents; kings that may go to an empty column.
    pub first: u64,
    /// Cards that may go onto the second of their parents.
    pub second: u64,
    /// Whether the deck may be turned.
    pub turn: bool,
}

impl Moves {
    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.up | self.first | self.second == 0 && !self.turn
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> u32 {
        self.up.count_ones() + self.first.count_ones() + self.second.count_ones() + u32::from(self.turn)
    }

    /// Whether a move is one of them.
    #[inline]
    pub fn contains(&self, wanted: Move) -> bool {
        match wanted {
            Move::Up(card) => self.up & card.bit() != 0,
            Move::Onto(card, false) => self.first & card.bit() != 0,
            Move::Onto(card, true) => self.second & card.bit() != 0,
            Move::Turn => self.turn,
        }
    }

    /// One of them by its place among them.
    #[inline]
    pub fn nth(&self, mut n: u32) -> Move {
        if n < self.up.count_ones() {
            return Move::Up(Card(nth_set(self.up, n) as u8));
        }
        n -= self.up.count_ones();
        if n < self.first.count_ones() {
            return Move::Onto(Card(nth_set(self.first, n) as u8), false);
        }
        n -= self.first.count_ones();
        match n < self.second.count_ones() {
            true => Move::Onto(Card(nth_set(self.second, n) as u8), true),
            false => Move::Turn,
        }
    }

    /// All of them, in ascending order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Move> {
        let onto = |set, second| members(set).map(move |card| Move::Onto(card, second));
        let turn = self.turn.then_some(Move::Turn);
        members(self.up)
            .map(Move::Up)
            .chain(onto(self.first, false))
            .chain(onto(self.second, true))
            .chain(turn)
    }
}

/// All kings.
const KINGS: u64 = 0xf << (4 * KING);
/// The first suit of each colour.
const FIRST_SUITS: u64 = 0x5555_5555_5555_5555;
const HEARTS: u64 = 0x1111_1111_1111_1111;
const CLUBS: u64 = 0x4444_4444_4444_4444;

/// The cards that may be built on those of a set that are of the first or second suit of their colour.
#[inline]
fn children(set: u64, second: bool) -> u64 {
    let set = set >> u32::from(second) & FIRST_SUITS;
    let lower = (set & HEARTS) >> 2 | (set & CLUBS) >> 6;
    lower | lower << 1
}

/// The cards that some card of a set may be built on.
#[inline]
fn parents(set: u64) -> u64 {
    let set = (set | set >> 1) & FIRST_SUITS;
    let higher = (set & HEARTS) << 6 | (set & CLUBS) << 2;
    (higher | higher << 1) & ALL
}

/// The ends of the columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// Cards that nothing lies on.
    pub tops: u64,
    /// Cards that lie on a face-down one.
    pub revealing: u64,
    /// Face-up cards that lie on none.
    pub bottoms: u64,
    /// Whether a column has no cards.
    pub has_empty: bool,
}

impl Ends {
    /// Those of a position.
    #[inline]
    pub fn of(position: &Position) -> Ends {
        let mut ends = Ends::default();
        for column in 0..COLUMNS {
            let (run, down) = (&position.runs[column], position.hidden[column]);
            let (Some(base), Some(top)) = (run.base(), run.top()) else {
                ends.has_empty |= down == 0;
                continue;
            };
            ends.tops |= top.bit();
            match down {
                0 => ends.bottoms |= base.bit(),
                _ => ends.revealing |= base.bit(),
            }
        }
        ends
    }
}

/// What a face-up card lies on, for [`layout_key`]: not on a face-up card.
pub const BASE: usize = 2;

/// One word for each way a card may lie in the tableau: on the first or second of its parents, or on none.
/// The layout's key is the sum, without carry, of those of all its cards. Columns do not matter: since the
/// memory was cleared, no base of a column with face-down cards has moved, and others are alike.
static LAYOUT: [[u32; 3]; CARDS] = {
    let mut table = [[0; 3]; CARDS];
    let mut card = 0;
    while card < CARDS {
        let mut way = 0;
        while way < 3 {
            table[card][way] = (mix((card * 3 + way) as u64) >> 32) as u32;
            way += 1;
        }
        card += 1;
    }
    table
};

/// The word of a card that lies on the first (0) or second (1) of its parents, or on none ([`BASE`]).
#[inline]
pub fn layout_key(card: Card, on: usize) -> u32 {
    LAYOUT[usize::from(card.0)][on]
}

/// The cards on top of the foundations that may come back, as the paper is read, given what the foundations
/// take next: none of which all that could be built on them may go to the foundations as well.
#[inline]
pub fn returning(next: u64) -> u64 {
    let lowest = next.trailing_zeros() & !3;
    next >> 4 & u64::MAX << (lowest + 8)
}

/// The legal moves.
pub fn legal(rules: &Rules, state: &State) -> Moves {
    let (position, ends) = (&state.position, Ends::of(&state.position));
    let next = position.next();
    let in_hand = match rules.kind {
        Kind::Macro => state.reach,
        Kind::Ordinary => position.waste_top().map_or(0, Card::bit),
    };
    let bases = ends.revealing | ends.bottoms;
    let inner = state.open & !bases;
    let founded = next >> 4;
    let back = match rules.reading {
        Reading::Naive => founded,
        // Something must be won by it.
        Reading::Paper => returning(next) & parents(state.reach | ends.revealing),
    };
    let rooms = [children(ends.tops, false), children(ends.tops, true)];
    let mut onto = [false, true].map(|second| {
        // Part of a run leaves the other card of the two that it may lie on.
        let part = match rules.reading {
            Reading::Naive => inner,
            Reading::Paper => inner & children(next, !second),
        };
        rooms[usize::from(second)] & (in_hand | bases | part | back)
    });
    let kings = if ends.has_empty { KINGS } else { 0 };
    onto[0] |= kings & (in_hand | ends.revealing | back);
    let mut moves =
        Moves { up: next & (ends.tops | in_hand), first: onto[0], second: onto[1], turn: false };
    state.forget_repeated(&ends, in_hand, &mut moves);
    if rules.kind == Kind::Ordinary {
        // A lost game is not prolonged by turning.
        let hope = !moves.is_empty() || state.reach & (next | rooms[0] | rooms[1] | kings) != 0;
        moves.turn = hope && state.may_turn(rules);
    }
    moves
}
