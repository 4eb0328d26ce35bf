//! What effects do, and what chance draws.

use kibitz_core::rng::Rng;

use super::Rules;
use super::board::{CELLS, bit, place};
use super::card::{Deed, Effect, On, Spot, Until};
use super::play::Row;
use super::state::{Call, Change, Clock, Creep, List, NONE, Position, Task, UNKNOWN, Unit};
use crate::bits::{nth_set, ones};

impl Rules {
    fn effect_of(&self, call: Call) -> Option<Effect> {
        let card = &self.cards[usize::from(call.card)];
        let index = usize::from(call.index);
        match call.list {
            List::Effects => card.effects.get(index).copied(),
            List::FollowUp(number) => card.follow_ups.get(usize::from(number))?.effects.get(index).copied(),
            List::Abilities => card.abilities.get(index).map(|(_, effect)| *effect),
        }
    }

    /// The cells of the units that an effect falls on, in its order.
    fn fallen_on(&self, position: &Position, on: On, call: Call) -> Row {
        let mut row = Row::default();
        match on {
            On::Target => row.push(call.target),
            On::Itself => row.push(call.source),
            On::All(units, by_columns) => {
                let meant = self.units(position, units, call.owner, call.source);
                if by_columns {
                    let mut cells: smallvec::SmallVec<[u8; 64]> =
                        ones(meant).map(|cell| cell as u8).collect();
                    cells.sort_unstable_by_key(|cell| place(*cell));
                    cells.iter().for_each(|cell| row.push(*cell));
                } else {
                    for unit in position.units.iter().filter(|unit| meant >> unit.cell & 1 == 1) {
                        row.push(unit.cell);
                    }
                }
            }
        }
        row
    }

    /// Carries out one effect.
    pub fn effect(&self, position: &mut Position, call: Call) {
        let Some(effect) = self.effect_of(call) else { return };
        let owner = call.owner;
        let side = &mut position.sides[usize::from(owner)];
        match effect.deed {
            Deed::Draw(count) => position.tasks.extend((0..count).map(|_| Task::Draw { owner })),
            Deed::DrawOnDeaths => side.draws_on_deaths += 1,
            Deed::Summon { card, count, spot } => {
                let near = match spot {
                    Spot::Target | Spot::Itself => {
                        let cell = if spot == Spot::Target { call.target } else { call.source };
                        if position.taken() >> cell & 1 == 0 {
                            position.put(&self.cards, card, owner, cell);
                        }
                        return;
                    }
                    Spot::NearItself => call.source,
                    // A General that dies in the exchange still has its artifacts' effect.
                    Spot::NearGeneral => match position.general_cell(owner) {
                        CELLS => call.source,
                        cell => cell,
                    },
                };
                position.tasks.extend((0..count).map(|_| Task::Summon { card, owner, near }));
            }
            Deed::CreepNear => position.tasks.push(Task::Creep { owner, near: call.source }),
            Deed::CreepSquare => {
                let (x, y) = place(call.target);
                for (dx, dy) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if let Some(cell) = super::board::at(x + dx, y + dy) {
                        lay_creep(position, Creep { cell, owner, is_fresh: false });
                    }
                }
            }
            Deed::Teleport => {
                if let Some(index) = position.on(call.source).filter(|_| position.on(call.target).is_none())
                {
                    position.units[index].cell = call.target;
                }
            }
            Deed::Dispel => {
                let cell = call.target;
                position.creep.retain(|creep| creep.cell != cell);
                position.springs &= !bit(cell);
                position.spent &= !bit(cell);
                if let Some(index) = position.on(cell) {
                    position.dispel(&self.cards, index);
                    self.sweep(position, &Row::default());
                }
            }
            _ => {
                let row = self.fallen_on(position, effect.on, call);
                for cell in row.cells() {
                    if let Some(index) = position.on(*cell) {
                        let unit = position.units[index];
                        if position.fits(&self.cards, &unit, effect.only, owner) {
                            self.on_unit(position, index, effect.deed, owner);
                        }
                    }
                }
                self.sweep(position, &row);
            }
        }
    }

    /// What is done to one unit.
    fn on_unit(&self, position: &mut Position, index: usize, deed: Deed, owner: u8) {
        let unit = position.units[index];
        let clock = |until| match until {
            Until::Forever => Clock::Forever,
            Until::EndOfTurn => Clock::Ends(1),
            Until::OwnTurn => Clock::Starts(if position.mover == owner { 2 } else { 1 }),
        };
        match deed {
            Deed::Damage(amount) => self.hurt(position, index, amount),
            Deed::Destroy => self.kill(position, index),
            Deed::HealItsGeneral => {
                if let Some(general) = position.on(position.general_cell(unit.owner)) {
                    let general = &mut position.units[general];
                    general.damage = (general.damage - unit.health().max(0)).max(0);
                }
            }
            Deed::Buff { attack, health, until } => {
                let clock = clock(until);
                self.change(position, index, clock, Change::Add { attack, health });
            }
            Deed::AttackByHealth => {
                let change = Change::Add { attack: unit.health().max(0), health: 0 };
                self.change(position, index, Clock::Forever, change);
            }
            Deed::SetAttack { to, until } => {
                let clock = clock(until);
                self.change(position, index, clock, Change::SetAttack(to));
            }
            Deed::Grant(keyword) => self.change(position, index, Clock::Forever, Change::Grant(keyword)),
            // Until the end of its owner's next turn.
            Deed::Stun => {
                let ends = if unit.owner == position.mover { 3 } else { 2 };
                self.change(position, index, Clock::Ends(ends), Change::Stun);
            }
            Deed::Reactivate => position.units[index].refresh(),
            Deed::Transform(card) if !unit.is_general() => {
                let Unit { owner, cell, moves, attacks, .. } = position.remove(index);
                let new = position.put(&self.cards, card, owner, cell);
                let new = &mut position.units[new];
                new.exhaust(unit.is_exhausted());
                (new.moves, new.attacks) = (moves, attacks);
            }
            Deed::DrawAtEnd => {
                let draws = &mut position.sides[usize::from(owner)].draws_at_end;
                *draws = draws.saturating_add(1);
            }
            _ => {}
        }
    }

    /// Something appears on a cell that chance has chosen.
    pub fn put_at(&self, position: &mut Position, task: Task, cell: u8) {
        match task {
            Task::Summon { card, owner, .. } => {
                position.put(&self.cards, card, owner, cell);
            }
            Task::Creep { owner, .. } => lay_creep(position, Creep { cell, owner, is_fresh: true }),
            _ => {}
        }
    }

    /// Whose card is drawn now, if one is, and which it cannot be.
    pub fn drawing(position: &Position) -> Option<(u8, u8)> {
        match *position.tasks.last()? {
            Task::Deal { owner, .. } | Task::Draw { owner } => Some((owner, NONE)),
            Task::Redraw { owner, unlike, .. } => Some((owner, unlike)),
            _ => None,
        }
    }

    /// Calls back with each card that may be drawn, and how many of it there are.
    fn each_draw(&self, position: &Position, mut each: impl FnMut(u8, u8)) {
        let Some((owner, unlike)) = Self::drawing(position) else { return };
        let kinds = &self.kinds[usize::from(owner)];
        let pile = &position.sides[usize::from(owner)].pile;
        let counted = || kinds.iter().zip(pile).filter(|(_, count)| **count > 0);
        let has_another = counted().any(|(card, _)| *card != unlike);
        for (card, count) in counted().filter(|(card, _)| !has_another || **card != unlike) {
            each(*card, *count);
        }
    }

    /// The outcomes of chance and their weights.
    pub fn outcomes(&self, position: &Position, mut each: impl FnMut(u32, u32)) {
        let Some(task) = position.tasks.last() else { return };
        if Self::drawing(position).is_some() {
            self.each_draw(position, |card, count| each(card.into(), count.into()));
        } else {
            ones(self.cells_for(position, *task)).for_each(|cell| each(cell, 1));
        }
    }

    /// Draws one of them.
    pub fn draw_outcome(&self, position: &Position, rng: &mut Rng) -> u32 {
        let Some(task) = position.tasks.last() else { return 0 };
        if Self::drawing(position).is_none() {
            let cells = self.cells_for(position, *task);
            return nth_set(cells, rng.below(cells.count_ones().max(1)));
        }
        let mut total = 0;
        self.each_draw(position, |_, count| total += u32::from(count));
        let mut left = rng.below(total.max(1));
        let mut drawn = 0;
        let mut is_found = false;
        self.each_draw(position, |card, count| {
            if !is_found {
                let count = u32::from(count);
                (drawn, is_found) = (u32::from(card), left < count);
                left = left.wrapping_sub(count);
            }
        });
        drawn
    }

    /// Carries out an outcome of chance.
    pub fn happen(&self, position: &mut Position, outcome: u32) {
        let Some(task) = position.tasks.pop() else { return };
        let card = outcome as u8;
        match task {
            Task::Deal { owner, slot } | Task::Redraw { owner, slot, .. } => {
                self.take(position, owner, card);
                position.sides[usize::from(owner)].hand[usize::from(slot)] = card;
            }
            Task::Draw { owner } => {
                self.take(position, owner, card);
                let side = &mut position.sides[usize::from(owner)];
                if let Some(slot) = side.free_slot() {
                    side.hand[slot] = card;
                }
            }
            _ => self.put_at(position, task, outcome as u8),
        }
        self.run(position);
    }

    /// Takes a card from a pile.
    fn take(&self, position: &mut Position, owner: u8, card: u8) {
        let side = &mut position.sides[usize::from(owner)];
        side.left = side.left.saturating_sub(1);
        if card != UNKNOWN {
            let count = &mut side.pile[self.kind_of(owner, card)];
            *count = count.saturating_sub(1);
        }
    }
}

/// Creep covers a cell, and destroys what tile there was.
fn lay_creep(position: &mut Position, creep: Creep) {
    position.creep.retain(|other| other.cell != creep.cell);
    position.springs &= !bit(creep.cell);
    position.spent &= !bit(creep.cell);
    position.creep.push(creep);
}
