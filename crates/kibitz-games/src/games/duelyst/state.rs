//! A moment of the game: units in order of arrival, hands, piles, tiles, and what is still to be resolved.

use super::board::{CELLS, NEAR, SIDES, bit};
use super::card::{Card, Keyword, Kind, Only};
use super::observations::Told;

/// Slots of a hand.
pub const HAND: usize = 6;
/// No card.
pub const NONE: u8 = 255;
/// A card that somebody holds and the viewer does not know.
pub const UNKNOWN: u8 = 254;
/// Artifacts that a General can have.
pub const ARTIFACTS: usize = 3;
/// Nobody's mana is more.
pub const MOST_MANA: u8 = 9;
/// No deck has more kinds of cards.
pub const KINDS: usize = 39;

/// It does not move or attack this turn.
const EXHAUSTED: u16 = 1 << 15;
/// It does not move or attack.
pub const STUNNED: u16 = 1 << 14;
/// Its own abilities are gone.
const DISPELLED: u16 = 1 << 13;
/// It is a General.
const GENERAL: u16 = 1 << 12;

/// A General or minion on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    pub card: u8,
    pub owner: u8,
    pub cell: u8,
    /// Moves and attacks made this turn.
    pub moves: u8,
    pub attacks: u8,
    /// Keywords that hold, by their bits, and the states above.
    marks: u16,
    /// Without what depends on where it stands.
    pub attack: i16,
    pub most_health: i16,
    pub damage: i16,
}

impl Unit {
    #[inline]
    pub fn has(&self, keyword: Keyword) -> bool {
        self.marks & keyword.bit() != 0
    }

    #[inline]
    pub fn health(&self) -> i16 {
        self.most_health - self.damage
    }

    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.marks & EXHAUSTED != 0
    }

    #[inline]
    pub fn is_stunned(&self) -> bool {
        self.marks & STUNNED != 0
    }

    #[inline]
    pub fn is_general(&self) -> bool {
        self.marks & GENERAL != 0
    }

    #[inline]
    pub fn is_dispelled(&self) -> bool {
        self.marks & DISPELLED != 0
    }

    #[inline]
    pub fn exhaust(&mut self, is: bool) {
        self.marks = if is { self.marks | EXHAUSTED } else { self.marks & !EXHAUSTED };
    }

    /// May move and attack as often as it can.
    pub fn refresh(&mut self) {
        self.exhaust(false);
        (self.moves, self.attacks) = (0, 0);
    }

    /// How often it may move, and attack, in a turn.
    #[inline]
    pub fn times(&self) -> u8 {
        1 + u8::from(self.has(Keyword::Celerity))
    }

    /// The cells that it hits back at.
    #[inline]
    pub fn answers(&self) -> u64 {
        if self.has(Keyword::Ranged) { super::board::EVERYWHERE } else { NEAR[usize::from(self.cell)] }
    }

    /// The cells that it may attack.
    #[inline]
    pub fn reach(&self) -> u64 {
        self.reach_from(self.cell)
    }

    /// The cells that it may attack from another cell.
    #[inline]
    pub fn reach_from(&self, cell: u8) -> u64 {
        let cell = usize::from(cell);
        if self.has(Keyword::Ranged) {
            super::board::EVERYWHERE
        } else if self.has(Keyword::Blast) {
            NEAR[cell] | super::board::ROW[cell] | super::board::COLUMN[cell]
        } else {
            NEAR[cell]
        }
    }
}

/// What a modifier does to a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    Add { attack: i16, health: i16 },
    SetAttack(i16),
    Grant(Keyword),
    Stun,
}

/// Until when it does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Clock {
    Forever,
    /// So many ends of turns.
    Ends(u8),
    /// So many starts.
    Starts(u8),
}

/// Something that was done to a unit and lasts. In order of application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Modifier {
    /// The place of the unit in the list.
    pub unit: u8,
    /// How often the same was done.
    pub count: u8,
    pub clock: Clock,
    pub change: Change,
}

/// Creep on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Creep {
    pub cell: u8,
    pub owner: u8,
    /// It was made at the end of this turn.
    pub is_fresh: bool,
}

/// A unit that has died, whose death has not been dealt with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Death {
    pub card: u8,
    pub owner: u8,
    pub cell: u8,
    pub is_dispelled: bool,
}

/// What is still to be resolved. The last of a state's list comes first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Task {
    /// Chance: a card of the first hand.
    Deal {
        owner: u8,
        slot: u8,
    },
    /// Chance: a card in place of one that was put back, which it does not equal if that can be.
    Redraw {
        owner: u8,
        slot: u8,
        unlike: u8,
    },
    /// Puts a card under the pile.
    Return {
        owner: u8,
        card: u8,
    },
    /// Chance: a card for the lowest free slot.
    Draw {
        owner: u8,
    },
    /// Chance: the cell of something that is summoned near another cell.
    Summon {
        card: u8,
        owner: u8,
        near: u8,
    },
    /// Chance: the cell of new creep.
    Creep {
        owner: u8,
        near: u8,
    },
    Effect(Call),
    /// The deaths so far.
    Deaths,
    /// A second choice, if there is one.
    FollowUp {
        card: u8,
        number: u8,
        owner: u8,
        cell: u8,
    },
    /// What happens when its owner has cast a spell.
    SpellCast {
        owner: u8,
    },
    /// The draws at the end of the turn.
    LastDraws,
    /// The other's turn.
    Pass,
    /// The last of the turn's start.
    Begin,
}

/// One effect of a card, and for whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    pub card: u8,
    /// Which of its lists.
    pub list: List,
    pub index: u8,
    pub owner: u8,
    /// The cell aimed at.
    pub target: u8,
    /// The cell of the unit whose ability it is, or where the card was played.
    pub source: u8,
}

/// Where an effect is written on its card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum List {
    Effects,
    FollowUp(u8),
    Abilities,
}

/// What a player has beside units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    pub mana: u8,
    /// Mana at the start of the turn.
    pub most_mana: u8,
    /// What springs have given until the end of the turn.
    pub spring_mana: u8,
    /// How many springs that were.
    pub springs: u8,
    pub hand: [u8; HAND],
    /// How many there are of each kind of the player's deck.
    pub pile: [u8; KINDS],
    /// How many cards the pile has, known or not.
    pub left: u8,
    pub has_replaced: bool,
    pub is_spell_ready: bool,
    /// Cards and durability, oldest first; [`NONE`] after the last.
    pub artifacts: [(u8, u8); ARTIFACTS],
    pub draws_at_end: u8,
    pub draws_on_deaths: u8,
}

/// A choice that a card has left open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Waiting {
    pub card: u8,
    pub number: u8,
    /// Where the card was played, or its last part.
    pub cell: u8,
}

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    Deal,
    Mulligan,
    Play,
    /// The winner, or nobody.
    Over(Option<u8>),
}

/// All that matters for what comes.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub stage: Stage,
    pub mover: u8,
    /// Turns that have ended.
    pub turn: u16,
    /// Abilities that have acted since a player chose, which cannot go on for ever.
    pub chain: u16,
    pub waiting: Option<Waiting>,
    pub sides: [Side; 2],
    /// Springs that give mana, and those that have.
    pub springs: u64,
    pub spent: u64,
    pub units: Vec<Unit>,
    pub modifiers: Vec<Modifier>,
    pub creep: Vec<Creep>,
    pub deaths: Vec<Death>,
    pub tasks: Vec<Task>,
}

/// Copies each of these fields, into the memory that is there.
macro_rules! clone_fields {
    ($($copied:ident),*; $($grown:ident),*) => {
        fn clone(&self) -> Self {
            Self { $($copied: self.$copied,)* $($grown: self.$grown.clone(),)* }
        }

        fn clone_from(&mut self, source: &Self) {
            $(self.$copied = source.$copied;)*
            $(self.$grown.clone_from(&source.$grown);)*
        }
    };
}

impl Clone for Position {
    clone_fields!(stage, mover, turn, chain, waiting, sides, springs, spent; units, modifiers, creep, deaths, tasks);
}

impl Clone for State {
    clone_fields!(seen, told; position);
}

/// The whole truth, and what the players have seen of it.
#[derive(PartialEq, Eq, Debug)]
pub struct State {
    pub position: Position,
    /// The key of each player's view.
    pub seen: [u64; 2],
    /// What the last step has told.
    pub told: Told,
}

impl Side {
    pub fn empty(mana: u8) -> Side {
        Side {
            mana,
            most_mana: mana,
            spring_mana: 0,
            springs: 0,
            hand: [NONE; HAND],
            pile: [0; KINDS],
            left: 0,
            has_replaced: false,
            is_spell_ready: false,
            artifacts: [(NONE, 0); ARTIFACTS],
            draws_at_end: 0,
            draws_on_deaths: 0,
        }
    }

    /// The most mana that is spoken of: what the turn began with, and what springs have given.
    pub fn shown_mana(&self) -> u8 {
        (self.most_mana + self.spring_mana).min(MOST_MANA)
    }

    /// The lowest free slot.
    pub fn free_slot(&self) -> Option<usize> {
        self.hand.iter().position(|card| *card == NONE)
    }

    /// The artifacts that are there.
    pub fn artifacts(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.artifacts.iter().copied().filter(|(card, _)| *card != NONE)
    }

    /// How many cards it holds.
    pub fn held(&self) -> usize {
        self.hand.iter().filter(|card| **card != NONE).count()
    }
}

impl Position {
    /// The unit on a cell.
    #[inline]
    pub fn on(&self, cell: u8) -> Option<usize> {
        self.units.iter().position(|unit| unit.cell == cell)
    }

    /// The cells with a player's units.
    #[inline]
    pub fn cells_of(&self, owner: u8) -> u64 {
        self.units.iter().fold(0, |set, unit| set | u64::from(unit.owner == owner) << unit.cell)
    }

    /// The cells with units.
    #[inline]
    pub fn taken(&self) -> u64 {
        self.units.iter().fold(0, |set, unit| set | bit(unit.cell))
    }

    /// The cell of a player's General; no cell of the board, where it is dead. Generals are the first two units.
    #[inline]
    pub fn general_cell(&self, owner: u8) -> u8 {
        let is_it = |unit: &&Unit| unit.owner == owner && unit.is_general();
        self.units.iter().take(2).find(is_it).map_or(CELLS, |unit| unit.cell)
    }

    /// Whether a General has died.
    pub fn is_decided(&self) -> bool {
        self.units.iter().take(2).filter(|unit| unit.is_general()).count() < 2
    }

    /// The cells around a player's General.
    #[inline]
    pub fn near_general(&self, owner: u8) -> u64 {
        NEAR.get(usize::from(self.general_cell(owner))).copied().unwrap_or_default()
    }

    /// A unit's attack as it stands there.
    #[inline]
    pub fn attack(&self, cards: &[Card], unit: &Unit) -> i16 {
        let card = &cards[usize::from(unit.card)];
        if card.zeal == 0 && card.infiltrate == 0 || unit.is_dispelled() {
            return unit.attack;
        }
        let is_near = self.near_general(unit.owner) >> unit.cell & 1 == 1;
        let is_beyond = SIDES[usize::from(1 - unit.owner)] >> unit.cell & 1 == 1;
        unit.attack + if is_near { card.zeal } else { 0 } + if is_beyond { card.infiltrate } else { 0 }
    }

    /// The enemies around a unit that make it stay.
    #[inline]
    pub fn provokers(&self, unit: &Unit) -> u64 {
        let near = NEAR[usize::from(unit.cell)];
        let holds = |other: &&Unit| {
            other.has(Keyword::Provoke) && other.owner != unit.owner && near >> other.cell & 1 == 1
        };
        self.units.iter().filter(holds).fold(0, |set, other| set | bit(other.cell))
    }

    /// Works out again what modifiers make of a unit.
    pub fn refit(&mut self, cards: &[Card], index: usize) {
        let Some(unit) = self.units.get_mut(index) else { return };
        let card = &cards[usize::from(unit.card)];
        let kept =
            if unit.is_dispelled() { card.keywords & Keyword::Structure.bit() } else { card.keywords };
        unit.marks = unit.marks & (EXHAUSTED | DISPELLED | GENERAL) | kept;
        (unit.attack, unit.most_health) = (card.attack, card.health);
        for modifier in self.modifiers.iter().filter(|modifier| usize::from(modifier.unit) == index) {
            let count = i16::from(modifier.count);
            match modifier.change {
                Change::Add { attack, health } => {
                    unit.attack = unit.attack.saturating_add(attack.saturating_mul(count));
                    unit.most_health = unit.most_health.saturating_add(health.saturating_mul(count));
                }
                Change::SetAttack(to) => unit.attack = to,
                Change::Grant(keyword) => unit.marks |= keyword.bit(),
                Change::Stun => unit.marks |= STUNNED,
            }
        }
        if unit.is_general() {
            for (artifact, _) in self.sides[usize::from(unit.owner)].artifacts() {
                unit.attack = unit.attack.saturating_add(cards[usize::from(artifact)].attack);
            }
        }
        if unit.has(Keyword::Structure) {
            unit.attack = 0;
        }
        unit.attack = unit.attack.max(0);
    }

    /// Something lasting is done to a unit.
    pub fn modify(&mut self, cards: &[Card], index: usize, clock: Clock, change: Change) {
        let unit = index as u8;
        let last = self.modifiers.iter_mut().rev().find(|modifier| modifier.unit == unit);
        match last {
            Some(last) if last.clock == clock && last.change == change && last.count < u8::MAX => {
                last.count += 1
            }
            _ => self.modifiers.push(Modifier { unit, count: 1, clock, change }),
        }
        self.refit(cards, index);
    }

    /// Puts a unit on the board.
    pub fn put(&mut self, cards: &[Card], card: u8, owner: u8, cell: u8) -> usize {
        let index = self.units.len();
        let is_general = cards[usize::from(card)].kind == Kind::General;
        let marks = if is_general { GENERAL } else { EXHAUSTED };
        self.units.push(Unit {
            card,
            owner,
            cell,
            moves: 0,
            attacks: 0,
            marks,
            attack: 0,
            most_health: 0,
            damage: 0,
        });
        self.refit(cards, index);
        let unit = &mut self.units[index];
        unit.exhaust(!unit.has(Keyword::Rush) && !is_general);
        index
    }

    /// Takes a unit off the board.
    pub fn remove(&mut self, index: usize) -> Unit {
        self.modifiers.retain_mut(|modifier| {
            let is_kept = usize::from(modifier.unit) != index;
            modifier.unit -= u8::from(usize::from(modifier.unit) > index);
            is_kept
        });
        self.units.remove(index)
    }

    /// Takes all that was done to a unit, and its own abilities.
    pub fn dispel(&mut self, cards: &[Card], index: usize) {
        self.modifiers.retain(|modifier| usize::from(modifier.unit) != index);
        self.units[index].marks |= DISPELLED;
        self.refit(cards, index);
    }

    /// Clocks go on; what has run out ends.
    pub fn tick(&mut self, cards: &[Card], is_end: bool) {
        let mut changed = 0u64;
        self.modifiers.retain_mut(|modifier| {
            let left = match &mut modifier.clock {
                Clock::Ends(left) if is_end => left,
                Clock::Starts(left) if !is_end => left,
                _ => return true,
            };
            *left -= 1;
            if *left == 0 {
                changed |= 1 << modifier.unit;
            }
            *left > 0
        });
        for index in crate::bits::ones(changed) {
            self.refit(cards, index as usize);
        }
    }

    /// Whether a condition holds for a unit.
    pub fn fits(&self, cards: &[Card], unit: &Unit, only: Only, owner: u8) -> bool {
        let card = &cards[usize::from(unit.card)];
        match only {
            Only::Always => true,
            Only::Backstab => card.backstab > 0 && !unit.is_dispelled(),
            Only::Race(race) => card.race == race,
            Only::NotRace(race) => card.race != race,
            Only::Enemy => unit.owner != owner,
        }
    }
}
