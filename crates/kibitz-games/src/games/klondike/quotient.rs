//! Positions up to what can be undone.
//!
//! With stacks that may be moved in part, it does not matter which of its two possible parents a face-up card
//! lies on: where there is a choice, it can be moved from one to the other at any time. What matters is which
//! cards are face up, and which of them are *bases*, with no face-up card below. A pair of twins (same rank,
//! same colour) then has room for another card exactly if fewer cards lie on it than it has members in the
//! tableau. All of it is counted for all pairs at once, two bits a pair.
//!
//! What is left that can be undone are the moves of single cards to the foundation and back. A [`Place`]
//! stands for all positions that differ by these only; [`Closure`] lists them. The moves that lead from one
//! place to another take a card from the deck, or a base away from what it lies on.

use super::cards::{Card, KING, members};
use super::position::{COLUMNS, DECK, Position};

/// One bit for every pair of twins.
const PAIRS: u64 = 0x5555_5555_5555_5555;
/// The red pairs.
const REDS: u64 = 0x3333_3333_3333_3333;
/// All kings.
pub const KINGS: u64 = 0xf << (4 * KING);
/// All hearts.
const SUIT: u64 = 0x0001_1111_1111_1111;
/// The next card of every suit, when all is done.
const COMPLETE: u64 = 0xf << 52;

/// How many of each pair are in a set.
#[inline]
const fn count_pairs(set: u64) -> u64 {
    (set & PAIRS) + (set >> 1 & PAIRS)
}

/// Exchanges the colours.
#[inline]
const fn exchange(pairs: u64) -> u64 {
    (pairs & REDS) << 2 | pairs >> 2 & REDS
}

/// The cards of foundations with so many cards each.
#[inline]
const fn founded(counts: u16) -> u64 {
    let mut set = 0;
    let mut suit = 0;
    while suit < 4 {
        set |= (SUIT << suit) & ((1 << (4 * (counts >> (4 * suit) & 15))) - 1);
        suit += 1;
    }
    set
}

/// All cards that some of a set could lie on.
#[inline]
const fn parents(set: u64) -> u64 {
    let pairs = (set | set >> 1) & PAIRS;
    exchange(pairs | pairs << 1) << 4
}

/// What never changes in a game in which all cards are known; as far as they are known, it serves others too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// The cards dealt to each column that were still there at the beginning, the undermost first; the
    /// last one face up.
    stacks: [[Card; COLUMNS]; COLUMNS],
    /// The deck as it was dealt, in the order of turning.
    deck: [Card; DECK],
    /// How many cards are turned at a time.
    draw: u32,
}

/// All positions that differ by what can be undone, in the person of one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The face-up cards of the tableau.
    pub open: u64,
    /// Those with no face-up card below.
    pub bases: u64,
    /// The next card to go on each foundation; 52 and more where it is complete.
    pub next: u64,
    /// The deck's cards that can be reached.
    pub reach: u64,
    /// Which of the deck's places still have their card.
    pub left: u32,
    /// How many of the cards dealt to each column are there; see [`SHIFTS`].
    pub(super) heights: u32,
    /// How many cards are on each foundation, four bits each.
    pub counts: u16,
    /// The waste is what is left of the first so many places of the deck.
    pub turned: u8,
    /// How many columns are empty.
    pub empty: u8,
}

/// Where the height of each column begins, in bits: the leftmost one needs but one.
const SHIFTS: [u32; COLUMNS + 1] = [0, 1, 3, 5, 8, 11, 14, 17];
/// Heights of more than one card.
const TALL: u32 = 0b10 << 1 | 0b10 << 3 | 0b110 << 5 | 0b110 << 8 | 0b110 << 11 | 0b110 << 14;

/// A move that cannot be undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacroAction {
    /// What is moved.
    pub card: Card,
    /// To the foundation, or else to the tableau.
    pub founds: bool,
}

/// What can be done with the cards of the tableau, wherever exactly they lie.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    /// Cards on which nothing lies, or from which it can be moved away.
    pub bare: u64,
    /// Cards that find room in the tableau.
    pub room: u64,
}

impl Freedom {
    #[inline]
    fn of(open: u64, place: &Place) -> Freedom {
        let bases = place.bases;
        let lain_on = exchange(count_pairs(open & !bases)) << 4;
        let differ = count_pairs(open) ^ lain_on;
        let free = (differ | differ >> 1) & PAIRS;
        let free = free | free << 1;
        let kings = if place.empty > 0 { KINGS } else { 0 };
        Freedom { bare: open & free, room: exchange(free >> 4) | kings }
    }
}

/// The cards that may as well go to the foundation: nobody will ever need them in the tableau, because all that
/// could want to lie on them can go to the foundation itself, whatever happens.
#[inline]
pub fn safe(counts: u16) -> u64 {
    let [a, b, c, d] = [0, 4, 8, 12].map(|shift| counts >> shift & 15);
    let (red, black) = (a.min(b), c.min(d));
    let bounds = [black.min(b + 1), black.min(a + 1), red.min(d + 1), red.min(c + 1)];
    // All of a suit up to its bound; twos and aces in any case.
    let upto = |suit: usize| (SUIT << suit) & ((16 << (4 * bounds[suit].clamp(1, 12))) - 1);
    upto(0) | upto(1) | upto(2) | upto(3)
}

impl Table {
    /// A position with everything that is known (or supposed) of it.
    pub fn new(position: &Position, draw: u32) -> Table {
        let mut stacks = [[Card(0); COLUMNS]; COLUMNS];
        for (column, stack) in stacks.iter_mut().enumerate() {
            let cards = position.face_down(column).iter().copied().chain(position.runs[column].base());
            stack.iter_mut().zip(cards).for_each(|(slot, card)| *slot = card);
        }
        Table { stacks, deck: position.deck, draw }
    }

    /// Supposes some cards to be those that are face down.
    pub fn suppose(&mut self, place: &Place, mut unseen: impl Iterator<Item = Card>) {
        for (column, stack) in self.stacks.iter_mut().enumerate() {
            let down = place.height(column).saturating_sub(1);
            stack[..down].iter_mut().zip(&mut unseen).for_each(|(slot, card)| *slot = card);
        }
    }

    /// The card that was dealt to a place of the deck.
    #[inline]
    pub fn decked(&self, at: usize) -> Card {
        self.deck[at]
    }

    /// The base of a column that has cards where they were dealt.
    #[inline]
    pub fn base(&self, place: &Place, column: usize) -> Option<Card> {
        place.height(column).checked_sub(1).map(|top| self.stacks[column][top])
    }

    /// Where a position stands.
    pub fn place(&self, position: &Position) -> Place {
        let mut place = Place {
            open: position.open(),
            bases: 0,
            next: position.foundation.iter().zip(0..).map(|(&count, suit)| 1 << (4 * count + suit)).sum(),
            reach: 0,
            left: position.left,
            heights: 0,
            counts: position
                .foundation
                .iter()
                .rev()
                .fold(0, |counts, &count| counts << 4 | u16::from(count)),
            turned: self.fresh(position.left, position.turned),
            empty: 0,
        };
        for (column, run) in position.runs.iter().enumerate() {
            let Some(base) = run.base() else {
                place.empty += 1;
                continue;
            };
            place.bases |= base.bit();
            // A king that lies on nothing stays there, until it goes to the foundation.
            if position.hidden[column] > 0 || base.rank() != KING {
                place.heights |= u32::from(position.hidden[column] + 1) << SHIFTS[column];
            }
        }
        self.look_through(&mut place);
        place
    }

    /// Finds the cards of the deck that can be reached: the waste's top, every third from there on, every third
    /// of a new pass, and the last one. After [`Table::take`], before moves are looked for.
    #[inline]
    pub fn look_through(&self, place: &mut Place) {
        let waste = (place.left & ((1 << place.turned) - 1)).count_ones();
        let mut pass = self.draw;
        let mut onward = if waste > 0 { waste } else { self.draw };
        let (mut reach, mut card, mut rest) = (0, 0, place.left);
        while rest != 0 {
            card = self.deck[rest.trailing_zeros() as usize].bit();
            rest &= rest - 1;
            (pass, onward) = (pass - 1, onward - 1);
            if pass == 0 {
                (reach, pass) = (reach | card, self.draw);
            }
            if onward == 0 {
                (reach, onward) = (reach | card, self.draw);
            }
        }
        place.reach = reach | card;
    }

    /// Carries out a move. The place must be one where it can be done at once, with what can be reached. Gives
    /// the column in which a card is to be turned up, if there is one.
    #[inline]
    pub fn take(&self, place: &mut Place, macro_action: MacroAction) -> Option<usize> {
        let card = macro_action.card;
        let bit = card.bit();
        let mut turns_up = None;
        if place.reach & bit != 0 {
            let at = self.deck.iter().position(|other| *other == card).unwrap_or(0) as u8;
            place.left &= !(1 << at);
            place.turned = self.fresh(place.left, at);
            place.open |= bit;
            place.bases |= bit & KINGS;
        } else if let Some(column) = (0..COLUMNS).find(|column| self.base(place, *column) == Some(card)) {
            place.heights -= 1 << SHIFTS[column];
            place.bases &= !bit | KINGS;
            turns_up = (place.height(column) > 0).then_some(column);
            place.empty += u8::from(turns_up.is_none());
        }
        if macro_action.founds {
            place.found(card);
        } else {
            place.empty -= u8::from(card.rank() == KING);
        }
        turns_up
    }

    /// Turns up the last of the face-down cards of a column.
    #[inline]
    pub fn turn_up(&self, place: &mut Place, column: usize) {
        if let Some(card) = self.base(place, column) {
            place.open |= card.bit();
            place.bases |= card.bit();
        }
    }

    /// The same where all cards are known: what is to be turned up is.
    #[inline]
    pub fn take_and_see(&self, place: &mut Place, macro_action: MacroAction) {
        if let Some(column) = self.take(place, macro_action) {
            self.turn_up(place, column);
        }
    }

    /// Where the waste ends, as far as it matters: a waste that passes over whole threes is as good as none.
    #[inline]
    fn fresh(&self, left: u32, turned: u8) -> u8 {
        let waste = (left & ((1 << turned) - 1)).count_ones();
        if waste.is_multiple_of(self.draw) || waste == left.count_ones() { 0 } else { turned }
    }

    /// Learns a card that is to be turned up.
    pub fn reveal(&mut self, place: &Place, column: usize, card: Card) {
        if let Some(top) = place.height(column).checked_sub(1) {
            self.stacks[column][top] = card;
        }
    }

    /// Moves to the foundation all that may as well be there, where all cards are known, and all that can come
    /// back.
    #[inline]
    pub fn settle(&self, place: &mut Place) {
        while let Some(card) = place.settles() {
            self.found(place, card);
        }
    }

    /// The cards that want to be moved: those of the deck that can be reached, and bases.
    #[inline]
    pub fn wanting(&self, place: &Place) -> u64 {
        place.reach | place.stacked(self).0
    }

    /// Moves a card of the tableau to the foundation.
    #[inline]
    pub fn found(&self, place: &mut Place, card: Card) {
        if place.bases & card.bit() == 0 {
            place.found(card);
        } else if place.stacked(self).0 & card.bit() != 0 {
            self.take_and_see(place, MacroAction { card, founds: true });
        } else {
            place.empty += 1;
            place.found(card);
        }
    }
}

impl Place {
    /// How many of the cards dealt to a column are there.
    #[inline]
    pub fn height(&self, column: usize) -> usize {
        let width = SHIFTS[column + 1] - SHIFTS[column];
        (self.heights >> SHIFTS[column] & ((1 << width) - 1)) as usize
    }

    /// How many cards are face down.
    #[inline]
    pub fn unseen(&self) -> u32 {
        (0..COLUMNS).map(|column| self.height(column).saturating_sub(1) as u32).sum()
    }

    /// How many cards of the deck are left.
    #[inline]
    pub fn decked(&self) -> u32 {
        self.left.count_ones()
    }

    /// How many cards are on the foundations.
    #[inline]
    pub fn founded(&self) -> u32 {
        [0, 4, 8, 12].map(|shift| u32::from(self.counts >> shift & 15)).iter().sum()
    }

    /// Whether nothing can go wrong any more: what lies in the tableau without anything face down comes to
    /// the foundation by itself, the lowest rank first.
    #[inline]
    pub fn is_won(&self) -> bool {
        self.left == 0 && self.heights & TALL == 0
    }

    /// Bases that were dealt to where they lie, and those of them with nothing below.
    #[inline]
    fn stacked(&self, table: &Table) -> (u64, u64) {
        let (mut stacked, mut alone) = (0, 0);
        for column in 0..COLUMNS {
            let height = self.height(column);
            if height > 0 {
                let base = table.stacks[column][height - 1].bit();
                stacked |= base;
                alone |= if height == 1 { base } else { 0 };
            }
        }
        (stacked, alone)
    }

    /// The cards of the tableau that can go to the foundation.
    #[inline]
    fn ready(&self) -> u64 {
        Freedom::of(self.open, self).bare & self.next
    }

    /// The next card, but for some, that may as well go to the foundation.
    #[inline]
    pub fn as_well(&self, but: u64) -> Option<Card> {
        let ready = self.ready() & !but;
        if ready == 0 { None } else { members(ready & safe(self.counts)).next() }
    }

    /// The next card that can come back from the foundation, or may as well go there.
    #[inline]
    pub fn settles(&self) -> Option<Card> {
        let ready = self.ready();
        let loose = ready & !self.bases;
        let sure = if loose != 0 || ready == 0 { loose } else { ready & safe(self.counts) };
        members(sure).next()
    }

    /// Moves to the foundation all that can come back.
    pub fn rise(&mut self) {
        while let Some(card) = members(self.ready() & !self.bases).next() {
            self.found(card);
        }
    }

    #[inline]
    fn found(&mut self, card: Card) {
        let bit = card.bit();
        self.open &= !bit;
        self.bases &= !bit;
        self.next ^= bit | bit << 4;
        self.counts += 1 << (4 * card.suit());
    }

    /// The place as the member of its closure that has these foundations.
    #[inline]
    pub fn at(&self, counts: u16) -> Place {
        let known = self.open | founded(self.counts);
        let next = |suit: u32| 1 << (4 * (counts >> (4 * suit) & 15) as u32 + suit);
        let next = next(0) | next(1) | next(2) | next(3);
        Place { next, open: known & !founded(counts), counts, ..*self }
    }

    /// A number that no other position of the same deal has, up to which parents cards lie on.
    #[inline]
    pub fn key(&self, counts: u16) -> u64 {
        u64::from(counts)
            | u64::from(self.heights) << 16
            | u64::from(self.left) << 33
            | u64::from(self.turned) << 57
    }
}

/// One member of a closure: the foundations, and the face-up cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Member {
    /// As [`Place::next`].
    pub next: u64,
    /// As [`Place::open`].
    pub open: u64,
    /// As [`Place::counts`].
    pub counts: u16,
    /// The number of the member that it was found from.
    from: u16,
    /// The card that was moved there; the first member was found by no move.
    by: Card,
}

impl Member {
    /// The one in whose person a place stands for all.
    #[inline]
    fn of(place: &Place) -> Member {
        Member { next: place.next, open: place.open, counts: place.counts, from: 0, by: Card(0) }
    }

    /// The cards that can go to the foundation, or come back from it to some use, where some want to be moved.
    #[inline]
    fn shifts(&self, place: &Place, wanting: u64) -> u64 {
        let freedom = Freedom::of(self.open, place);
        let ups = freedom.bare & self.next & !place.bases;
        let tops = self.next >> 4 & !KINGS;
        if tops & freedom.room == 0 {
            return ups;
        }
        // What comes back is to be built on, or to take over what keeps its twin from going up.
        let blocked = self.open & self.next & !freedom.bare;
        let twins = (blocked & PAIRS) << 1 | blocked >> 1 & PAIRS;
        let mut useful = twins | parents(wanting & !freedom.room);
        for _ in 0..3 {
            useful |= parents(tops & useful);
        }
        ups | tops & freedom.room & useful & !safe(self.counts)
    }

    /// After such a move; `from` is this member's number.
    #[inline]
    fn shifted(&self, card: Card, from: usize) -> Member {
        let bit = card.bit();
        let one = 1 << (4 * card.suit());
        let counts = if self.open & bit != 0 { self.counts + one } else { self.counts - one };
        let (next, open) = (self.next ^ (bit | bit << 4), self.open ^ bit);
        Member { next, open, counts, from: from as u16, by: card }
    }
}

/// All positions that differ by moves between the foundation and the tableau which can be undone.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// The positions.
    pub members: Vec<Member>,
}

impl Closure {
    /// Lists the members, the given one first.
    #[inline]
    pub fn fill(&mut self, place: &Place, wanting: u64) {
        self.members.clear();
        self.members.push(Member::of(place));
        let mut at = 0;
        while at < self.members.len() {
            let from = self.members[at];
            for card in members(from.shifts(place, wanting)) {
                let to = from.shifted(card, at);
                if !self.members.iter().any(|known| known.counts == to.counts) {
                    self.members.push(to);
                }
            }
            at += 1;
        }
    }

    /// The cards to be moved, one after the other, on a shortest way from the first member to that with these
    /// foundations.
    pub fn way(&self, counts: u16) -> Vec<Card> {
        let mut way = Vec::new();
        let mut at = self.members.iter().position(|member| member.counts == counts).unwrap_or(0);
        while at > 0 {
            way.push(self.members[at].by);
            at = usize::from(self.members[at].from);
        }
        way.reverse();
        way
    }

    /// The foundations by which the closure is named, whichever member it was found from.
    #[inline]
    pub fn name(&self) -> u16 {
        self.members.iter().map(|member| member.counts).max().unwrap_or(0)
    }

    /// Goes through all moves that lead out of the place, with the member that each is made at.
    #[inline]
    pub fn macro_actions(&self, table: &Table, place: &Place, mut visit: impl FnMut(&Member, MacroAction)) {
        let (stacked, alone) = place.stacked(table);
        for member in &self.members {
            let freedom = Freedom::of(member.open, place);
            let founded = member.next & (place.reach | stacked & freedom.bare);
            let mut moved = freedom.room & (place.reach | stacked) & !founded;
            if moved & alone != 0 {
                // A column is emptied only if some king waits for it, and never for a king's sake who has one.
                moved &= !(alone & KINGS);
                let settled = (place.bases & KINGS & !(stacked & !alone)).count_ones();
                let waiting = 4 - settled - (member.next & COMPLETE).count_ones();
                if waiting <= u32::from(place.empty) {
                    moved &= !alone;
                }
            }
            for card in members(founded) {
                visit(member, MacroAction { card, founds: true });
            }
            for card in members(moved) {
                visit(member, MacroAction { card, founds: false });
            }
        }
    }
}
