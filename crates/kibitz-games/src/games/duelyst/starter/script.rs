//! What the script does, in its order; the first that yields an action is done.

use kibitz_core::rng::Rng;
use smallvec::SmallVec;

use super::super::Rules;
use super::super::actions::Choice;
use super::super::board::{NEAR, at, bit, place};
use super::super::card::{Aim, Deed, Keyword, Kind, On, Sort, Where};
use super::super::state::{HAND, Position, Stage, UNKNOWN, Waiting};
use super::scores::{Buff, Eyes, Worths, distance};
use crate::bits::ones;

/// Health that a General begins with, and damage that kills it.
const HEALTH: i16 = 25;
/// A card that is better than this is played before all else, and than that after moves and attacks.
const BEST: f64 = 90.0;
const GOOD: f64 = 40.0;
/// What else must be reached.
const ENOUGH: f64 = 15.0;

/// What it keeps in mind within a turn.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Memory {
    turn: u16,
    /// Whether the enemy General can be killed this turn; nothing before that was asked.
    lethal: Option<bool>,
    /// The attack that a card was played for.
    queued: Option<(u8, u8)>,
}

impl Memory {
    /// After somebody else has decided.
    pub fn distracted(self) -> Memory {
        Memory { queued: None, ..self }
    }
}

/// A card of the hand, or the General's spell in the last place.
const SPELL: usize = HAND;

/// Where a card is played best, and what that is worth.
type Best = Option<(f64, u8)>;

/// What to do, and what to keep in mind of it.
pub fn decide(
    rules: &Rules,
    worths: &Worths,
    position: &Position,
    me: u8,
    memory: Memory,
    rng: &mut Rng,
) -> (Choice, Memory) {
    let mut memory = if memory.turn == position.turn {
        memory
    } else {
        Memory { turn: position.turn, ..Memory::default() }
    };
    let eyes = Eyes::new(rules, worths, position, me);
    let mut script = Script { eyes, me, best: [None; HAND + 1] };
    if position.stage == Stage::Mulligan {
        return (script.mulligan(), memory);
    }
    if let Some(waiting) = position.waiting {
        return (script.follow_up(waiting), memory);
    }
    if let Some((from, to)) = memory.queued.take() {
        let choice = Choice::Attack { from, to };
        let can = |index: usize| rules.attacks(position, &position.units[index]) >> to & 1 == 1;
        if position.on(from).is_some_and(can) {
            return (choice, memory);
        }
    }
    if let Some(slot) = script.replacement(rng) {
        return (Choice::Replace(slot), memory);
    }
    let units = script.usable();
    script.eyes.is_lethal = *memory.lethal.get_or_insert_with(|| script.can_kill(&units));
    let choice = script.first_of_all(&units, &mut memory);
    (choice, memory)
}

struct Script<'a> {
    eyes: Eyes<'a>,
    me: u8,
    best: [Best; HAND + 1],
}

impl Script<'_> {
    fn side(&self) -> &super::super::state::Side {
        &self.eyes.position.sides[usize::from(self.me)]
    }

    /// The slots that have cards.
    fn hand(&self) -> impl DoubleEndedIterator<Item = (usize, u8)> + '_ {
        self.side().hand.iter().copied().enumerate().filter(|(_, card)| *card < UNKNOWN)
    }

    /// Puts back artifacts, spells and what is too dear, the first of them in order.
    fn mulligan(&self) -> Choice {
        let mana = self.side().mana;
        let is_unwanted = |card: u8| {
            let card = self.eyes.card(card);
            card.kind != Kind::Minion || card.mana > mana + 1
        };
        let unwanted = self.hand().filter(|(_, card)| is_unwanted(*card));
        let most = self.eyes.rules.kind.most_mulligans() as usize;
        Choice::Mulligan(unwanted.take(most).fold(0, |slots, (slot, _)| slots | 1 << slot))
    }

    /// Once a turn, a card that is too dear, held twice, or one of too many of its kind.
    fn replacement(&self, rng: &mut Rng) -> Option<u8> {
        let side = self.side();
        if side.has_replaced || side.left == 0 {
            return None;
        }
        let hand: SmallVec<[(usize, u8); HAND]> = self.hand().collect();
        let dear = side.shown_mana() + 2;
        let kind = |card: u8| self.eyes.card(card).kind;
        if let Some((slot, _)) = hand.iter().find(|(_, card)| self.eyes.card(*card).mana >= dear) {
            return Some(*slot as u8);
        }
        let twice = hand
            .iter()
            .enumerate()
            .find(|(at, (_, card))| hand[at + 1..].iter().any(|(_, other)| other == card));
        if let Some((_, (slot, _))) = twice {
            return Some(*slot as u8);
        }
        let of = |wanted: &dyn Fn(Kind) -> bool| -> SmallVec<[u8; HAND]> {
            hand.iter().filter(|(_, card)| wanted(kind(*card))).map(|(slot, _)| *slot as u8).collect()
        };
        let spells = of(&|kind| kind == Kind::Spell);
        let artifacts = of(&|kind| kind == Kind::Artifact);
        let from = if spells.len() > 2 {
            spells
        } else if artifacts.len() > 1 {
            artifacts
        } else if of(&|kind| kind == Kind::Minion).is_empty() {
            of(&|_| true)
        } else {
            return None;
        };
        (!from.is_empty()).then(|| from[rng.below(from.len() as u32) as usize])
    }

    /// The own units that can still act, in its order, which is not quite that of their worth.
    fn usable(&self) -> SmallVec<[usize; 16]> {
        let units = &self.eyes.position.units;
        let can = |index: &usize| {
            let unit = &units[*index];
            unit.owner == self.me
                && !unit.is_exhausted()
                && !unit.is_stunned()
                && unit.attacks < unit.times()
        };
        let minions = (0..units.len()).filter(|index| !units[*index].is_general()).filter(can);
        let general = (0..units.len()).filter(|index| units[*index].is_general()).filter(can);
        let mut order: SmallVec<[usize; 16]> = SmallVec::new();
        let worth = |index: usize| self.eyes.worth(index);
        for index in minions.chain(general) {
            if order.first().is_none_or(|first| worth(index) >= worth(*first)) {
                order.insert(0, index);
            } else {
                let after = (1..order.len()).rev().find(|at| worth(order[*at]) <= worth(index));
                order.insert(after.map_or(order.len(), |at| at + 1), index);
            }
        }
        order
    }

    /// Whether all who come near it could kill the enemy General.
    fn can_kill(&self, units: &[usize]) -> bool {
        let position = self.eyes.position;
        let cell = position.general_cell(1 - self.me);
        let Some(general) = position.on(cell) else { return false };
        let mut damage = HEALTH - position.units[general].health();
        for index in units {
            let unit = &position.units[*index];
            let is_near = unit.reach() >> cell & 1 == 1;
            let speed = if unit.has(Keyword::Flying) { 16 } else { 2 };
            let comes =
                self.eyes.rules.moves(position, unit) != 0 && distance(unit.cell, cell) <= speed + 1;
            if is_near || comes {
                damage = damage.saturating_add(self.eyes.with_buff(*index, &[HEALTH - damage]).0);
            }
        }
        let mana = self.side().mana;
        for (_, card) in self.hand() {
            let card = self.eyes.card(card);
            if card.kind != Kind::Spell || card.mana > mana {
                continue;
            }
            for effect in &card.effects {
                if let (Deed::Damage(amount), On::All(hit, _)) = (effect.deed, effect.on)
                    && hit.sort != Sort::Minion
                    && hit.place == Where::Anywhere
                {
                    damage = damage.saturating_add(amount);
                }
            }
        }
        damage >= HEALTH
    }

    /// Everything but replacing, in order.
    fn first_of_all(&mut self, units: &[usize], memory: &mut Memory) -> Choice {
        self.judge_cards();
        if let Some(choice) = self.best_card(BEST) {
            return choice;
        }
        if let Some(choice) = self.cards_of(&[Kind::Artifact], 2) {
            return choice;
        }
        for index in units {
            if let Some(choice) = self.step(*index, true) {
                return choice;
            }
            if let Some(choice) = self.strike(*index, true, memory) {
                return choice;
            }
        }
        units
            .iter()
            .find_map(|index| self.step(*index, false))
            .or_else(|| units.iter().find_map(|index| self.strike(*index, false, memory)))
            .or_else(|| self.best_card(GOOD))
            .or_else(|| self.cards_of(&[Kind::Minion], 1))
            .or_else(|| self.cards_of(&[Kind::Spell], 1))
            .unwrap_or(Choice::End)
    }

    /// What is in a slot, or the General's spell.
    fn held(&self, slot: usize) -> Option<u8> {
        if slot == SPELL {
            return self.eyes.rules.castable(self.eyes.position);
        }
        let card = self.side().hand[slot];
        (card < UNKNOWN && self.eyes.card(card).mana <= self.side().mana).then_some(card)
    }

    /// Finds where each card that can be paid for is played best: the last of equal cells.
    fn judge_cards(&mut self) {
        for slot in 0..=SPELL {
            let Some(card) = self.held(slot) else { continue };
            let kind = self.eyes.card(card).kind;
            let cells = self.eyes.rules.playable(self.eyes.position, card, self.me);
            let mut best: Best = None;
            let mut consider = |cell: u8, score: Option<f64>| {
                if let Some(score) = score
                    && best.is_none_or(|(most, _)| score >= most)
                {
                    best = Some((score, cell));
                }
            };
            if cells == 0 {
                continue;
            }
            match (kind, self.eyes.card(card).aim) {
                (Kind::Minion, _) => ones(cells)
                    .for_each(|cell| consider(cell as u8, Some(self.eyes.minion_score(card, cell as u8)))),
                (Kind::Artifact, _) | (_, Aim::Anywhere) => {
                    let cell = cells.trailing_zeros() as u8;
                    consider(cell, self.eyes.spell_score(card, cell));
                }
                (_, Aim::Unit(units)) if units.place == Where::NearGeneral => {
                    let mut cells: SmallVec<[u8; 8]> = ones(cells).map(|cell| cell as u8).collect();
                    cells.sort_unstable_by_key(|cell| place(*cell));
                    cells.iter().for_each(|cell| consider(*cell, self.eyes.spell_score(card, *cell)));
                }
                (_, Aim::Unit(_)) => {
                    for unit in self.eyes.position.units.iter().filter(|unit| cells & bit(unit.cell) != 0) {
                        consider(unit.cell, self.eyes.spell_score(card, unit.cell));
                    }
                }
                _ => ones(cells)
                    .for_each(|cell| consider(cell as u8, self.eyes.spell_score(card, cell as u8))),
            }
            self.best[slot] = best;
        }
    }

    fn play(slot: usize, cell: u8) -> Choice {
        if slot == SPELL { Choice::Cast(cell) } else { Choice::Play { slot: slot as u8, cell } }
    }

    /// The best card of all, if it is good enough: the first of equals.
    fn best_card(&self, enough: f64) -> Option<Choice> {
        let mut best: Option<(f64, Choice)> = None;
        for (slot, judged) in self.best.iter().enumerate() {
            if let Some((score, cell)) = *judged
                && best.is_none_or(|(most, _)| score > most)
            {
                best = Some((score, Self::play(slot, cell)));
            }
        }
        best.filter(|(score, _)| *score >= enough).map(|(_, choice)| choice)
    }

    /// Cards of a kind, if there are so many, by what they are worth in the hand; the later of equals first.
    fn cards_of(&self, kinds: &[Kind], least: usize) -> Option<Choice> {
        let mut slots: SmallVec<[(f64, usize); HAND + 1]> = SmallVec::new();
        for slot in 0..=SPELL {
            if let Some(card) = self.held(slot)
                && kinds.contains(&self.eyes.card(card).kind)
            {
                slots.push((self.eyes.worths.in_hand(card), slot));
            }
        }
        let is_full = self.side().held() == HAND;
        if slots.len() < least && !is_full {
            return None;
        }
        let enough = if is_full {
            0.0
        } else if kinds == [Kind::Minion] {
            (ENOUGH * (f64::from(self.side().mana) / 5.4).min(1.0)).max(7.0)
        } else {
            ENOUGH
        };
        slots.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        slots.into_iter().find_map(|(_, slot)| {
            let (score, cell) = self.best[slot]?;
            (score >= enough).then(|| Self::play(slot, cell))
        })
    }

    /// A unit moves to a cell that is better than where it stands: the first of equals, breadth first. Before the
    /// attacks that kill, only a cell away, unless it flees.
    fn step(&self, index: usize, lethal_only: bool) -> Option<Choice> {
        let position = self.eyes.position;
        let unit = &position.units[index];
        let free = self.eyes.rules.moves(position, unit);
        if free == 0 {
            return None;
        }
        let mut most = self.eyes.cell_score(index, unit.cell, lethal_only);
        let mut best = None;
        for cell in self.breadth_first(index).into_iter().filter(|cell| free & bit(*cell) != 0) {
            let score = self.eyes.cell_score(index, cell, lethal_only);
            if score > most {
                (most, best) = (score, Some(cell));
            }
        }
        let to = best?;
        let is_near = distance(unit.cell, to) <= 1 || self.eyes.walker(unit).is_evasive;
        (is_near || !lethal_only).then_some(Choice::Move { from: unit.cell, to })
    }

    /// The cells around a unit in the order in which its ways are looked for.
    fn breadth_first(&self, index: usize) -> SmallVec<[u8; 64]> {
        let unit = &self.eyes.position.units[index];
        let is_flying = unit.has(Keyword::Flying);
        let (steps, walls) =
            if is_flying { (u8::MAX, 0) } else { (2, self.eyes.position.cells_of(1 - self.me)) };
        let mut found: SmallVec<[u8; 64]> = SmallVec::new();
        let mut depths: SmallVec<[u8; 64]> = SmallVec::new();
        let mut seen = bit(unit.cell) | walls;
        found.push(unit.cell);
        depths.push(0);
        let mut next = 0;
        while next < found.len() {
            let (x, y) = place(found[next]);
            if depths[next] < steps {
                for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                    if let Some(cell) = at(x + dx, y + dy).filter(|cell| seen & bit(*cell) == 0) {
                        seen |= bit(cell);
                        found.push(cell);
                        depths.push(depths[next] + 1);
                    }
                }
            }
            next += 1;
        }
        found
    }

    /// A unit attacks, after a card that makes it strong enough.
    fn strike(&self, index: usize, lethal_only: bool, memory: &mut Memory) -> Option<Choice> {
        let position = self.eyes.position;
        let unit = &position.units[index];
        if self.eyes.rules.attacks(position, unit) == 0 {
            return None;
        }
        let (target, _, buff) = self.eyes.best_target(index, unit.cell, lethal_only)?;
        let victim = &position.units[target];
        let attack = Choice::Attack { from: unit.cell, to: victim.cell };
        let Some(buff) = buff else { return Some(attack) };
        memory.queued = Some((unit.cell, victim.cell));
        let (slot, aim) = match buff {
            Buff::Spell => (SPELL, None),
            Buff::Card(slot) => {
                (usize::from(slot), self.held(slot.into()).map(|card| self.eyes.card(card).aim))
            }
        };
        let cell = match aim {
            Some(Aim::Anywhere) => 0,
            _ => unit.cell,
        };
        Some(Self::play(slot, cell))
    }

    /// A second choice: where it is worth most, or nowhere.
    fn follow_up(&self, waiting: Waiting) -> Choice {
        let position = self.eyes.position;
        let follow_up = &self.eyes.card(waiting.card).follow_ups[usize::from(waiting.number)];
        let cells = self.eyes.rules.aims(position, follow_up.aim, self.me, waiting.cell);
        let mut best: Best = None;
        for cell in ones(cells) {
            let cell = cell as u8;
            if let Some(score) = self.eyes.effects_score(&follow_up.effects, cell)
                && score > 0.0
                && best.is_none_or(|(most, _)| score >= most)
            {
                best = Some((score, cell));
            }
        }
        let is_teleport = follow_up.effects.iter().any(|effect| effect.deed == Deed::Teleport);
        match best {
            Some((_, cell)) => Choice::FollowUp(cell),
            None if is_teleport && cells != 0 => Choice::FollowUp(self.nearest_to_enemy(cells)),
            None => Choice::Stop,
        }
    }

    /// The cell of some from which the enemy General is nearest.
    fn nearest_to_enemy(&self, cells: u64) -> u8 {
        let general = self.eyes.position.general_cell(1 - self.me);
        let around = NEAR.get(usize::from(general)).copied().unwrap_or_default();
        let best = ones(cells)
            .min_by_key(|cell| (around >> *cell & 1 == 0, distance(*cell as u8, general.min(44))));
        best.unwrap_or(0) as u8
    }
}
