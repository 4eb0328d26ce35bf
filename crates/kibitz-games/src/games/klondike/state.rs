//! A game of Klondike on its way: where the cards are, and what of the past matters.

use kibitz_core::rng::{derive, mix};
use kibitz_core::view::view_seed;

use super::cards::{Card, KING, members};
use super::moves::{BASE, Ends, Move, Moves, Reading, Rules, layout_key, legal, parent, returning};
use super::position::{COLUMNS, Position, Run};

/// How many layouts of the face-up cards are remembered at most, the present one not counted. When there are
/// more, cards may go nowhere but to the foundations until the memory is cleared: see [`State::carry`]. As the
/// paper is read, that happens in one of ten thousand games; of naive random games, in every third.
pub const MEMORY: usize = 24;
/// No column.
const NOWHERE: u8 = COLUMNS as u8;
/// No card.
const NOTHING: Card = Card(u8::MAX);

/// The whole truth, and sets of cards that follow from it but are quicker kept than found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// Where the cards are.
    pub position: Position,
    /// How many cards chance has dealt.
    pub dealt: u8,
    /// The column of which chance turns up a card now, where that is done by chance.
    waits: u8,
    /// The card that the latest move has turned up.
    revealed: Card,
    /// Passes through the deck that have begun, where they are counted.
    pub passes: u8,
    /// The waste was turned over and nothing but turning was done since.
    turned_over: bool,
    /// All cards are on the foundations, or will be.
    pub won: bool,
    remembered: u8,
    /// The key of the present layout of the face-up cards.
    layout: u32,
    memory: [u32; MEMORY],
    /// The face-up cards of the tableau.
    pub open: u64,
    /// The cards that chance may still deal; once all are dealt, those that are face down.
    pub unseen: u64,
    /// The cards of the deck that turning brings up.
    pub reach: u64,
    /// Tells apart what may become of the deck.
    deck_key: u64,
    /// The player's view.
    pub seen: u64,
    /// What is legal.
    pub moves: Moves,
}

impl State {
    /// A game that begins with some cards in their places; chance deals the others.
    pub fn new(position: Position, unseen: u64) -> State {
        State {
            position,
            dealt: 0,
            waits: NOWHERE,
            revealed: NOTHING,
            passes: 1,
            turned_over: false,
            won: false,
            remembered: 0,
            layout: 0,
            memory: [0; MEMORY],
            open: 0,
            unseen,
            reach: 0,
            deck_key: 0,
            seen: view_seed(0),
            moves: Moves::default(),
        }
    }

    /// The column of which chance turns up a card now.
    #[inline]
    pub fn waiting(&self) -> Option<usize> {
        (self.waits != NOWHERE).then_some(usize::from(self.waits))
    }

    /// The card that the latest move has turned up.
    #[inline]
    pub fn revealed(&self) -> Option<Card> {
        (self.revealed != NOTHING).then_some(self.revealed)
    }

    /// How many layouts are remembered.
    pub fn remembered(&self) -> usize {
        usize::from(self.remembered)
    }

    /// Notes that chance has dealt a card to a place.
    pub fn dealt_to(&mut self, place: usize, card: Card) {
        self.unseen &= !card.bit();
        self.dealt += 1;
        // Until the deck is complete, its key stands for all that has been dealt.
        self.deck_key = derive(self.deck_key, (place as u64) << 8 | u64::from(card.0));
    }

    /// All cards that are dealt beforehand are: the sets are made, and moves looked for.
    pub fn begin(&mut self, rules: &Rules) {
        self.open = self.position.open();
        if !rules.collapsed {
            let down = (0..COLUMNS).flat_map(|column| self.position.face_down(column));
            self.unseen = down.fold(0, |set, card| set | card.bit());
        }
        self.layout = 0;
        for run in self.position.runs {
            for (place, card) in run.cards().enumerate() {
                self.layout ^= layout_key(card, lies_on(&run, place));
            }
        }
        self.survey_deck(rules);
        self.moves = legal(rules, self);
    }

    /// The same without a memory.
    pub fn forgetful(self) -> State {
        State { remembered: 0, ..self }
    }

    /// Carries out a move and looks for the next ones.
    pub fn make(&mut self, rules: &Rules, made: Move) {
        self.revealed = NOTHING;
        match made {
            Move::Turn => self.turn_deck(rules),
            Move::Up(card) => self.carry(rules, card, None),
            Move::Onto(card, second) => self.carry(rules, card, Some(second)),
        }
        self.moves = match self.waiting() {
            Some(_) => Moves::default(),
            None => legal(rules, self),
        };
    }

    /// Chance turns up a card.
    pub fn turn_up(&mut self, rules: &Rules, card: Card) {
        if let Some(column) = self.waiting() {
            self.waits = NOWHERE;
            self.uncover(column, card);
            self.moves = legal(rules, self);
        }
    }

    fn uncover(&mut self, column: usize, card: Card) {
        self.position.hidden[column] -= 1;
        self.position.runs[column].push(card);
        self.layout ^= layout_key(card, BASE);
        self.open |= card.bit();
        self.unseen &= !card.bit();
        self.revealed = card;
    }

    /// Takes a card, with all that lies on it, to its foundation or onto another card (or none).
    ///
    /// The memory is there to forbid layouts that were there before. It is cleared when none of them can come
    /// again: when a card comes from the deck or is turned up, but also when a card other than a king leaves
    /// the bottom of a column, where no card can get, and, as the paper is read, when one goes to its
    /// foundation from where there will be no way back.
    fn carry(&mut self, rules: &Rules, card: Card, onto: Option<bool>) {
        let (suit, before) = (usize::from(card.suit()), self.layout);
        let (mut lifted, mut is_new, mut bared) = (Run::default(), false, None);
        if let Some((column, place)) = self.tableau_place(card) {
            let run = &mut self.position.runs[column];
            self.layout ^= layout_key(card, lies_on(run, place));
            lifted = run.cut(place);
            if place == 0 {
                bared = (self.position.hidden[column] > 0).then_some(column);
                is_new = bared.is_some() || card.rank() < KING;
            }
        } else {
            lifted.push(card);
            self.open |= card.bit();
            if card.rank() < self.position.foundation[suit] {
                self.position.foundation[suit] -= 1;
            } else {
                self.leave_deck(rules, card);
                is_new = true;
            }
        }
        match onto {
            None => {
                self.position.foundation[suit] += 1;
                self.open &= !card.bit();
                is_new |=
                    rules.reading == Reading::Paper && returning(self.position.next()) & card.bit() == 0;
            }
            Some(second) => {
                let parent = parent(card, second);
                let column = match parent {
                    Some(parent) => self.position.find(parent).map(|(column, _)| column),
                    None => self.position.empty_column(),
                };
                // Every legal move has a column to go to.
                self.position.runs[column.unwrap_or_default()].append(lifted);
                self.layout ^= layout_key(card, if parent.is_some() { usize::from(second) } else { BASE });
            }
        }
        if let Some(column) = bared {
            if rules.collapsed {
                self.waits = column as u8;
            } else {
                let card = self.position.face_down(column).last().copied().unwrap_or_default();
                self.uncover(column, card);
            }
        }
        self.turned_over = false;
        if is_new {
            self.remembered = 0;
        } else if (rules.reading == Reading::Paper || onto.is_some()) && self.remembered() < MEMORY {
            // Whoever goes round in circles leaves some layout by another move than one to the foundation: it is
            // enough to remember those.
            self.memory[self.remembered()] = before;
            self.remembered += 1;
        }
    }

    #[inline]
    fn tableau_place(&self, card: Card) -> Option<(usize, usize)> {
        if self.open & card.bit() == 0 { None } else { self.position.find(card) }
    }

    fn leave_deck(&mut self, rules: &Rules, card: Card) {
        let found = self.position.deck_cards().find(|(_, other)| *other == card);
        let place = found.map_or(0, |(place, _)| place);
        if rules.passes > 0 && !self.is_ahead(rules, place) {
            self.passes += 1;
        }
        self.position.left &= !(1 << place);
        self.position.turned = place as u8;
        self.survey_deck(rules);
    }

    /// Whether turning brings up the card of a place in the pass that is under way.
    fn is_ahead(&self, rules: &Rules, place: usize) -> bool {
        let through = (1u32 << place << 1) - 1;
        let waste = self.position.waste().count_ones();
        let upto = (self.position.left & through).count_ones();
        upto == waste
            || upto > waste
                && ((upto - waste).is_multiple_of(rules.draw) || self.position.left & !through == 0)
    }

    /// Finds the cards of the deck that turning brings up: the waste's top, each `draw`-th from there on and the
    /// last one; and the same of a fresh pass, unless there may be none.
    fn survey_deck(&mut self, rules: &Rules) {
        let position = &self.position;
        let waste = position.waste().count_ones();
        let all = position.left.count_ones();
        let goes_again = rules.passes == 0 || u32::from(self.passes) < rules.passes;
        let (mut reach, mut key) = (0, u64::from(waste) << 8 | u64::from(self.passes));
        // How many cards are to be turned still until one can be played: of this pass, and of a fresh one.
        let (mut ahead, mut afresh) = (if waste > 0 { waste } else { rules.draw }, rules.draw);
        for (index, (_, card)) in position.deck_cards().enumerate() {
            key = derive(key, u64::from(card.0));
            (ahead, afresh) = (ahead - 1, afresh - 1);
            let is_up = ahead == 0 || index as u32 + 1 == all || goes_again && afresh == 0;
            reach |= u64::from(is_up) << card.0;
            ahead = if ahead == 0 { rules.draw } else { ahead };
            afresh = if afresh == 0 { rules.draw } else { afresh };
        }
        (self.reach, self.deck_key) = (reach, key);
    }

    /// Whether the deck may be turned: not over and over again without any other move.
    pub fn may_turn(&self, rules: &Rules) -> bool {
        let Position { left, .. } = self.position;
        let goes_again = rules.passes == 0 || u32::from(self.passes) < rules.passes;
        left != 0 && (left != self.position.waste() || goes_again && !self.turned_over)
    }

    fn turn_deck(&mut self, rules: &Rules) {
        if self.position.turn(rules.draw) {
            self.turned_over = true;
            self.passes += u8::from(rules.passes > 0);
        }
        self.survey_deck(rules);
    }

    /// Takes out of some moves those that lead to a layout that was there before.
    #[inline]
    pub fn forget_repeated(&self, ends: &Ends, in_hand: u64, moves: &mut Moves) {
        if self.remembered == 0 {
            return;
        }
        let (new, bases) = (in_hand | ends.revealing, ends.revealing | ends.bottoms);
        let is_full = self.remembered() == MEMORY;
        let memory = &self.memory[..self.remembered()];
        for card in members(moves.up & !new) {
            let on = self
                .position
                .find(card)
                .map_or(BASE, |(column, place)| lies_on(&self.position.runs[column], place));
            if memory.contains(&(self.layout ^ layout_key(card, on))) {
                moves.up &= !card.bit();
            }
        }
        for (second, set) in [&mut moves.first, &mut moves.second].into_iter().enumerate() {
            for card in members(*set & !new) {
                let from = match card.bit() {
                    bit if self.open & bit == 0 => 0,
                    bit if bases & bit != 0 => layout_key(card, BASE),
                    _ => layout_key(card, 1 - second),
                };
                let onto = if parent(card, false).is_some() { second } else { BASE };
                if is_full || memory.contains(&(self.layout ^ from ^ layout_key(card, onto))) {
                    *set &= !card.bit();
                }
            }
        }
    }

    /// Equal where the future is: columns may be exchanged, and where chance turns cards up, it matters only how
    /// many are face down. What the memory forbids is a part of it, in any order.
    pub fn key(&self, rules: &Rules) -> u64 {
        let mut columns = 0u64;
        for (column, run) in self.position.runs.iter().enumerate() {
            let mut key = u64::from(self.position.hidden[column]) << 32 | u64::from(run.code());
            if !rules.collapsed {
                key = self
                    .position
                    .face_down(column)
                    .iter()
                    .fold(key, |key, card| derive(key, u64::from(card.0)));
            }
            let waits = self.waiting() == Some(column);
            columns = columns.wrapping_add(mix(key << 1 | u64::from(waits)));
        }
        let memory = self.memory[..self.remembered()].iter();
        let visited = memory.fold(0u64, |sum, layout| sum.wrapping_add(mix(u64::from(*layout))));
        let flags = u64::from(self.dealt) << 2 | u64::from(self.turned_over) << 1 | u64::from(self.won);
        let rest = derive(
            visited ^ self.deck_key,
            u64::from(u32::from_le_bytes(self.position.foundation)) << 8 | flags,
        );
        derive(columns, rest)
    }
}

/// What the card at a place of a run lies on, as [`layout_key`] wants it.
#[inline]
fn lies_on(run: &Run, place: usize) -> usize {
    match place.checked_sub(1) {
        None => BASE,
        Some(below) => usize::from(run.card(below).suit() & 1),
    }
}
