//! What is true of a spot, for networks: where each card is, what can be moved, and what is in the way.
//!
//! Suits have no names here. They are put in order, the two of a colour and then the colours, so that spots that
//! differ by an exchange of suits only have the same atoms.

use super::cards::{CARDS, Card, KING, members};
use super::macro_actions::Spot;
use super::position::{COLUMNS, DECK};

/// Where a card can be.
const FOUNDED: u32 = 0;
const OPEN: u32 = 1;
/// Face up with nothing face-up below; then with so many cards face down.
const BASE: u32 = 2;
/// In the deck: its number there, by threes, and whether it can be reached.
const DECKED: u32 = 9;
const UNSEEN: u32 = 15;
const WHERE: u32 = 16;

/// Where blocks of atoms begin.
const CARDS_AT: u32 = 0;
const UP: u32 = CARDS_AT + WHERE * CARDS as u32;
const ONTO: u32 = UP + CARDS as u32;
/// The next card of each suit, and the one after that.
const NEXT: u32 = ONTO + CARDS as u32;
/// What has become of the two cards that a base with others below could go on, by how many lie below; once for each
/// such base.
const PARENTS: u32 = NEXT + 2 * 4 * WHERE;
/// How many cards are face down in each column, the most first.
const HIDDEN: u32 = PARENTS + 10 * COLUMNS as u32;
const EMPTY: u32 = HIDDEN + 7 * COLUMNS as u32;
const COUNT_UNSEEN: u32 = EMPTY + 8;
const COUNT_DECKED: u32 = COUNT_UNSEEN + 22;
const COUNT_MACRO_ACTIONS: u32 = COUNT_DECKED + 25;
const COUNT_REVEALS: u32 = COUNT_MACRO_ACTIONS + 16;
/// The kinds of the two cards of a rank and a colour.
const PAIRS: u32 = COUNT_REVEALS + 8;
/// A card's kind, and those of the two that it could lie on.
const FAMILIES: u32 = PAIRS + RANKS_AND_COLOURS * TWO_KINDS;
/// The kinds of the next card of a suit and of the one after that, by how many are on the foundation.
const CHAINS: u32 = FAMILIES + RANKS_AND_COLOURS * KINDS * TWO_KINDS;
/// Each card's place among those that are left of the deck.
const DECK_PLACES: u32 = CHAINS + 13 * KINDS * KINDS;
/// How many there are.
pub const ATOMS: u32 = DECK_PLACES + (CARDS * DECK) as u32;

const RANKS_AND_COLOURS: u32 = CARDS as u32 / 2;
/// What cards are told apart by where several are looked at together: founded, open, a base with none, one or two, or
/// more face down, in the deck to be reached, in the deck not to be reached, unseen.
const KINDS: u32 = 8;
const TWO_KINDS: u32 = KINDS * (KINDS + 1) / 2;
/// The kind of a card, by where it is.
const KIND: [u8; WHERE as usize] = [0, 1, 2, 3, 3, 4, 4, 4, 4, 6, 5, 6, 5, 6, 5, 7];

/// A number for two kinds, whichever comes first.
fn two(a: u32, b: u32) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    high * (high + 1) / 2 + low
}

/// All hearts.
const SUIT: u64 = 0x0001_1111_1111_1111;

/// The place of each suit in an order that does not depend on names.
fn order(counts: u16, unseen: u64, open: u64) -> [u8; 4] {
    let key = |suit: u32| {
        let of = |set: u64| u128::from(set >> suit & SUIT);
        // 4 + 52 + 52 bits.
        u128::from(counts >> (4 * suit) & 15) << 104 | of(unseen) << 52 | of(open)
    };
    let keys = [key(0), key(1), key(2), key(3)];
    let red = u8::from(keys[0] < keys[1]);
    let black = u8::from(keys[2] < keys[3]);
    let best = |colour: usize| {
        let (a, b) = (keys[2 * colour], keys[2 * colour + 1]);
        (a.max(b), a.min(b))
    };
    let swap = if best(0) < best(1) { 2 } else { 0 };
    [red ^ swap, (1 - red) ^ swap, (2 + black) ^ swap, (3 - black) ^ swap]
}

impl Spot {
    /// Appends the numbers of what is true.
    pub fn atoms(&self, atoms: &mut Vec<u32>) {
        let place = &self.place;
        let order = order(place.counts, self.unseen, place.open);
        let named = |card: Card| u32::from(card.rank()) << 2 | u32::from(order[usize::from(card.suit())]);
        let mut fate = [FOUNDED as u8; CARDS];
        let mut set = |cards: u64, at: u32| {
            members(cards).for_each(|card| fate[usize::from(card.0)] = at as u8);
        };
        set(self.unseen, UNSEEN);
        set(place.open, OPEN);
        set(place.bases, BASE);
        let mut hidden = [0u32; COLUMNS];
        for (column, hidden) in hidden.iter_mut().enumerate() {
            *hidden = place.height(column).saturating_sub(1) as u32;
            if let Some(base) = self.table.base(place, column)
                && place.bases & base.bit() != 0
            {
                fate[usize::from(base.0)] = (BASE + *hidden) as u8;
            }
        }
        let mut left = place.left;
        let mut number = 0;
        while left != 0 {
            let card = self.table.decked(left.trailing_zeros() as usize);
            left &= left - 1;
            let reached = u32::from(place.reach & card.bit() != 0);
            fate[usize::from(card.0)] = (DECKED + 2 * (number % 3) + reached) as u8;
            atoms.push(DECK_PLACES + named(card) * DECK as u32 + number);
            number += 1;
        }
        atoms.extend(
            fate.iter()
                .zip(0..)
                .map(|(fate, card)| CARDS_AT + WHERE * named(Card(card)) + u32::from(*fate)),
        );
        atoms.extend(members(self.up).map(|card| UP + named(card)));
        atoms.extend(members(self.onto).map(|card| ONTO + named(card)));
        for suit in 0..4u8 {
            let count = (place.counts >> (4 * suit) & 15) as u8;
            for (ahead, rank) in (0..2).zip(count..=KING) {
                let fate = u32::from(fate[usize::from(Card::new(rank, suit).0)]);
                atoms.push(NEXT + (4 * ahead + u32::from(order[usize::from(suit)])) * WHERE + fate);
            }
        }
        let mut reveals = 0;
        for (column, &hidden) in hidden.iter().enumerate() {
            let Some(base) = self.table.base(place, column) else { continue };
            if hidden == 0 || base.rank() == KING {
                continue;
            }
            reveals += u32::from((self.up | self.onto) & base.bit() != 0);
            // Open, in the deck, unseen or gone, for each of the two.
            let mut ways =
                members(base.parents()).map(|parent| match u32::from(fate[usize::from(parent.0)]) {
                    FOUNDED => 3,
                    UNSEEN => 2,
                    DECKED.. => 1,
                    _ => 0,
                });
            let (a, b) = (ways.next().unwrap_or(3), ways.next().unwrap_or(3));
            let (low, high) = (a.min(b), u32::max(a, b));
            atoms.push(PARENTS + 10 * hidden + low * (7 - low) / 2 + high);
        }
        self.families(&fate, order[0] >= 2, atoms);
        hidden.sort_unstable_by(|a, b| b.cmp(a));
        atoms.extend(hidden.iter().zip(0..).map(|(hidden, at)| HIDDEN + 7 * at + hidden));
        atoms.push(EMPTY + u32::from(place.empty).min(7));
        atoms.push(COUNT_UNSEEN + self.unseen.count_ones().min(21));
        atoms.push(COUNT_DECKED + place.decked().min(24));
        atoms.push(COUNT_MACRO_ACTIONS + (self.up.count_ones() + self.onto.count_ones()).min(15));
        atoms.push(COUNT_REVEALS + reveals.min(7));
    }

    /// Appends what is true of cards that have to do with each other; `swap` says that black comes first.
    fn families(&self, fate: &[u8; CARDS], swap: bool, atoms: &mut Vec<u32>) {
        let kind = |card: u8| u32::from(KIND[usize::from(fate[usize::from(card)])]);
        // Cards are numbered by rank, colour and suit.
        let named = |pair: u8| u32::from(pair ^ u8::from(swap));
        let pairs: [u32; RANKS_AND_COLOURS as usize] =
            std::array::from_fn(|pair| two(kind(2 * pair as u8), kind(2 * pair as u8 + 1)));
        atoms.extend((0..).zip(pairs).map(|(pair, both)| PAIRS + named(pair) * TWO_KINDS + both));
        for card in (0..4 * KING).filter(|card| kind(*card) != FOUNDED) {
            // Of the next rank and the other colour.
            let parents = pairs[usize::from((card / 2 + 2) ^ 1)];
            atoms.push(FAMILIES + (named(card / 2) * KINDS + kind(card)) * TWO_KINDS + parents);
        }
        for suit in 0..4u8 {
            let count = (self.place.counts >> (4 * suit) & 15) as u8;
            if count <= KING {
                let next = Card::new(count, suit).0;
                let after = if count < KING { kind(next + 4) } else { FOUNDED };
                atoms.push(CHAINS + (u32::from(count) * KINDS + kind(next)) * KINDS + after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::macro_actions::MacroGame;
    use super::super::position::Position;
    use super::*;
    use kibitz_core::game::{Action, Game, Turn};
    use kibitz_core::rng::Rng;

    /// The true atoms, ascending.
    fn atoms(spot: &Spot) -> Vec<u32> {
        let mut atoms = Vec::new();
        spot.atoms(&mut atoms);
        atoms.sort_unstable();
        atoms
    }

    /// A card after the exchange of suits of a colour, or of colours.
    fn exchanged(card: u8, by: u8) -> u8 {
        card ^ by
    }

    #[test]
    fn suits_have_no_names() {
        let game = MacroGame::new(3);
        let mut rng = Rng::new(5);
        for by in [1, 2, 3] {
            let mut pack: [Card; CARDS] = std::array::from_fn(|card| Card(card as u8));
            rng.shuffle(&mut pack);
            let other = pack.map(|card| Card(exchanged(card.0, by)));
            let mut spots = [game.enter(&Position::deal(&pack)), game.enter(&Position::deal(&other))];
            let mut seen = 0;
            loop {
                let [one, two] = spots.each_ref().map(atoms);
                assert_eq!(one, two, "suits exchanged by {by}, after {seen} macro-actions");
                assert!(one.last() < Some(&ATOMS));
                let mut legal = Vec::new();
                let action = match game.turn(&spots[0]) {
                    Turn::Over => break,
                    Turn::Chance => game.draw(&spots[0], &mut rng),
                    _ => {
                        game.legal(&spots[0], 0, &mut legal);
                        legal[rng.below(legal.len() as u32) as usize]
                    }
                };
                game.step(&mut spots[0], &[action], &mut [0.0]);
                game.step(&mut spots[1], &[Action(action.0 ^ u32::from(by))], &mut [0.0]);
                seen += 1;
            }
            assert!(seen > 3, "{seen}");
        }
    }

    #[test]
    fn what_is_face_down_tells_nothing() {
        let game = MacroGame::new(3);
        let mut rng = Rng::new(8);
        let mut pack: [Card; CARDS] = std::array::from_fn(|card| Card(card as u8));
        rng.shuffle(&mut pack);
        let position = Position::deal(&pack);
        let mut other = position;
        rng.shuffle(&mut other.down);
        assert_ne!(position.down, other.down);
        assert_eq!(atoms(&game.enter(&position)), atoms(&game.enter(&other)));
    }
}
