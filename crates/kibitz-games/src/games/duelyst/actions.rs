//! Actions as numbers, and which of them are legal.

use kibitz_core::game::Action;

use super::Rules;
use super::board::{CELLS, EVERYWHERE, NEAR, bit, name, place, walk};
use super::card::{Aim, Keyword, Kind, Sort, Units, Where, Whose};
use super::state::{NONE, Position, UNKNOWN, Unit};
use crate::bits::ones;

/// What an action does. Its number is the type, then two numbers of eight bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    End,
    /// The slots of the cards to be dealt anew, as bits.
    Mulligan(u8),
    Replace(u8),
    Play {
        slot: u8,
        cell: u8,
    },
    Cast(u8),
    Move {
        from: u8,
        to: u8,
    },
    Attack {
        from: u8,
        to: u8,
    },
    FollowUp(u8),
    /// No follow-up.
    Stop,
}

impl Choice {
    #[inline]
    pub fn action(self) -> Action {
        let (kind, a, b) = match self {
            Choice::End => (0, 0, 0),
            Choice::Mulligan(slots) => (1, slots, 0),
            Choice::Replace(slot) => (2, slot, 0),
            Choice::Play { slot, cell } => (3, slot, cell),
            Choice::Cast(cell) => (4, 0, cell),
            Choice::Move { from, to } => (5, from, to),
            Choice::Attack { from, to } => (6, from, to),
            Choice::FollowUp(cell) => (7, 0, cell),
            Choice::Stop => (8, 0, 0),
        };
        Action(kind << 16 | u32::from(a) << 8 | u32::from(b))
    }

    #[inline]
    pub fn of(action: Action) -> Option<Choice> {
        let (kind, a, b) = (action.0 >> 16, (action.0 >> 8) as u8, action.0 as u8);
        Some(match kind {
            0 => Choice::End,
            1 => Choice::Mulligan(a),
            2 => Choice::Replace(a),
            3 => Choice::Play { slot: a, cell: b },
            4 => Choice::Cast(b),
            5 => Choice::Move { from: a, to: b },
            6 => Choice::Attack { from: a, to: b },
            7 => Choice::FollowUp(b),
            8 => Choice::Stop,
            _ => return None,
        })
    }

    /// What kinds of actions are called.
    pub const TYPES: [&'static str; 9] =
        ["end turn", "mulligan", "replace", "play", "cast", "move", "attack", "follow up", "stop"];
}

impl Rules {
    /// The units that some words mean, as cells.
    pub fn units(&self, position: &Position, units: Units, owner: u8, source: u8) -> u64 {
        let place = match units.place {
            Where::Anywhere => EVERYWHERE,
            Where::NearGeneral => position.near_general(owner),
            Where::NearSource => NEAR[usize::from(source)],
            Where::OwnSide => super::board::SIDES[usize::from(owner)],
            Where::EnemyColumn => {
                let cell = position.general_cell(1 - owner);
                super::board::COLUMN.get(usize::from(cell)).map_or(0, |column| column | bit(cell))
            }
        };
        let is_minion = |unit: &Unit| self.cards[usize::from(unit.card)].kind == Kind::Minion;
        let meant = |unit: &&Unit| {
            place >> unit.cell & 1 == 1
                && match units.whose {
                    Whose::Any => true,
                    Whose::Friendly => unit.owner == owner,
                    Whose::Enemy => unit.owner != owner,
                }
                && match units.sort {
                    Sort::Unit => true,
                    Sort::Minion => is_minion(unit),
                    Sort::General => !is_minion(unit),
                }
        };
        let attack = |unit: &Unit| position.attack(&self.cards, unit);
        let most = match units.least_attack {
            true => position.units.iter().filter(|unit| is_minion(unit)).map(attack).min(),
            false => units.most_attack,
        };
        let weak = |unit: &&Unit| most.is_none_or(|most| attack(unit) <= most);
        position.units.iter().filter(meant).filter(weak).fold(0, |set, unit| set | bit(unit.cell))
    }

    /// The cells that a card may be aimed at.
    pub fn aims(&self, position: &Position, aim: Aim, owner: u8, source: u8) -> u64 {
        let free = || EVERYWHERE & !position.taken();
        match aim {
            Aim::Anywhere => EVERYWHERE,
            Aim::Unit(units) => self.units(position, units, owner, source),
            Aim::Spawn => self.spawn_cells(position, owner),
            Aim::Something => {
                let creep = position.creep.iter().fold(0, |set, creep| set | bit(creep.cell));
                position.taken() | position.springs | position.spent | creep
            }
            Aim::Square => self.squares,
            Aim::FreeNear => free() & NEAR[usize::from(source)],
            Aim::FreeWithinTwo => free() & self.within_two[usize::from(source)],
            Aim::Free => free(),
        }
    }

    /// The free cells beside a player's units.
    #[inline]
    pub fn spawn_cells(&self, position: &Position, owner: u8) -> u64 {
        let (mut near, mut taken) = (0, 0);
        for unit in &position.units {
            taken |= bit(unit.cell);
            if unit.owner == owner {
                near |= NEAR[usize::from(unit.cell)];
            }
        }
        near & !taken
    }

    /// The cells where a card can be played, by what it is and not by its costs.
    #[inline]
    pub fn playable(&self, position: &Position, card: u8, owner: u8) -> u64 {
        let card = &self.cards[usize::from(card)];
        match card.kind {
            Kind::Minion if card.has(Keyword::Airdrop) => EVERYWHERE & !position.taken(),
            Kind::Minion => self.spawn_cells(position, owner),
            Kind::Artifact => EVERYWHERE,
            Kind::Spell => self.aims(position, card.aim, owner, CELLS),
            Kind::General => 0,
        }
    }

    /// Where a unit may move to.
    #[inline]
    pub fn moves(&self, position: &Position, unit: &Unit) -> u64 {
        let is_free = !unit.is_exhausted()
            && !unit.is_stunned()
            && !unit.has(Keyword::Structure)
            && unit.moves < unit.times()
            && unit.attacks < unit.times();
        if !is_free || position.provokers(unit) != 0 {
            return 0;
        }
        let taken = position.taken();
        if unit.has(Keyword::Flying) {
            return EVERYWHERE & !taken;
        }
        walk(unit.cell, 2, position.cells_of(1 - unit.owner)) & !taken
    }

    /// Whom a unit may attack.
    #[inline]
    pub fn attacks(&self, position: &Position, unit: &Unit) -> u64 {
        if unit.is_exhausted() || unit.is_stunned() || unit.attacks >= unit.times() {
            return 0;
        }
        let targets = unit.reach() & position.cells_of(1 - unit.owner);
        if targets == 0 || position.attack(&self.cards, unit) <= 0 {
            return 0;
        }
        let provokers = position.provokers(unit);
        if provokers == 0 { targets } else { targets & provokers }
    }

    /// Appends what a player may do in its turn.
    pub fn list(&self, position: &Position, actions: &mut Vec<Action>) {
        let owner = position.mover;
        if let Some(waiting) = position.waiting {
            let aim = self.cards[usize::from(waiting.card)].follow_ups[usize::from(waiting.number)].aim;
            let cells = self.aims(position, aim, owner, waiting.cell);
            actions.extend(ones(cells).map(|cell| Choice::FollowUp(cell as u8).action()));
            actions.push(Choice::Stop.action());
            return;
        }
        actions.push(Choice::End.action());
        let side = &position.sides[usize::from(owner)];
        for (slot, card) in side.hand.iter().enumerate().filter(|(_, card)| **card < UNKNOWN) {
            let slot = slot as u8;
            if !side.has_replaced && side.left > 0 {
                actions.push(Choice::Replace(slot).action());
            }
            if self.cards[usize::from(*card)].mana <= side.mana {
                let cells = self.playable(position, *card, owner);
                actions.extend(ones(cells).map(|cell| Choice::Play { slot, cell: cell as u8 }.action()));
            }
        }
        if let Some(spell) = self.castable(position) {
            let cells = self.playable(position, spell, owner);
            actions.extend(ones(cells).map(|cell| Choice::Cast(cell as u8).action()));
        }
        for unit in position.units.iter().filter(|unit| unit.owner == owner) {
            let from = unit.cell;
            actions.extend(
                ones(self.moves(position, unit)).map(|to| Choice::Move { from, to: to as u8 }.action()),
            );
            actions.extend(
                ones(self.attacks(position, unit)).map(|to| Choice::Attack { from, to: to as u8 }.action()),
            );
        }
    }

    /// The bloodbound spell, where the mover may cast it now.
    pub fn castable(&self, position: &Position) -> Option<u8> {
        let side = &position.sides[usize::from(position.mover)];
        let spell = self.spells[usize::from(position.mover)];
        (side.is_spell_ready && spell != NONE && self.cards[usize::from(spell)].mana <= side.mana)
            .then_some(spell)
    }

    /// Appends the ways of putting cards back at the start.
    pub fn list_mulligans(&self, actions: &mut Vec<Action>) {
        let most = self.kind.most_mulligans();
        let all = 0..1u8 << self.kind.first_hand();
        actions.extend(
            all.filter(|slots| slots.count_ones() <= most).map(|slots| Choice::Mulligan(slots).action()),
        );
    }

    /// An action in words.
    pub fn action_name(&self, position: &Position, player: usize, action: Action) -> String {
        let card =
            |number: u8| self.cards.get(usize::from(number)).map_or("a card", |card| card.name.as_str());
        let held = |slot: u8| card(*position.sides[player].hand.get(usize::from(slot)).unwrap_or(&NONE));
        match Choice::of(action) {
            None => format!("action {}", action.0),
            Some(Choice::End) => "end turn".to_owned(),
            Some(Choice::Mulligan(0)) => "keep all".to_owned(),
            Some(Choice::Mulligan(slots)) => {
                let slots: Vec<String> = ones(slots.into()).map(|slot| (slot + 1).to_string()).collect();
                format!("redraw {}", slots.join(" "))
            }
            Some(Choice::Replace(slot)) => format!("replace {} {}", slot + 1, held(slot)),
            Some(Choice::Play { slot, cell }) => {
                format!("play {} {} at {}", slot + 1, held(slot), name(cell))
            }
            Some(Choice::Cast(cell)) => format!("cast {} at {}", card(self.spells[player]), name(cell)),
            Some(Choice::Move { from, to }) => format!("move {} {}", name(from), name(to)),
            Some(Choice::Attack { from, to }) => format!("attack {} {}", name(from), name(to)),
            Some(Choice::FollowUp(cell)) => format!("choose {}", name(cell)),
            Some(Choice::Stop) => "choose nothing".to_owned(),
        }
    }
}

/// The cells at most two steps from each, through anything.
pub fn within_two() -> [u64; CELLS as usize] {
    std::array::from_fn(|from| {
        (0..CELLS)
            .filter(|to| (1..=2).contains(&super::board::manhattan(from as u8, *to)))
            .fold(0, |set, to| set | bit(to))
    })
}

/// The lower left cells of squares of four.
pub fn squares() -> u64 {
    (0..CELLS)
        .filter(|cell| {
            let (x, y) = place(*cell);
            super::board::at(x + 1, y + 1).is_some()
        })
        .fold(0, |set, cell| set | bit(cell))
}
