//! What the script takes units, cells, attacks and cards to be worth.

use smallvec::SmallVec;

use super::super::Rules;
use super::super::board::{CELLS, NEAR, bit, place};
use super::super::card::{Aim, Card, Deed, Effect, Keyword, Kind, On, When, Whose};
use super::super::state::{Change, NONE, Position, Unit};
use crate::bits::ones;

/// A point for each modifier of a unit counts so much.
const MODIFIER: f64 = 2.0;
/// Who has less health goes out of the way, if it is a General.
const EVASIVE_HEALTH: i16 = 10;
/// What it is worth to kill a General.
const KILL: f64 = 9999.0;
/// What counts as full health of a General.
const FULL: f64 = 25.0;

/// Euclid's distance, rounded, a half upwards.
#[inline]
pub fn distance(a: u8, b: u8) -> i32 {
    let ((x, y), (u, v)) = (place(a), place(b));
    ROUNDED[usize::from(x.abs_diff(u))][usize::from(y.abs_diff(v))]
}

const ROUNDED: [[i32; 5]; 9] = {
    let mut table = [[0; 5]; 9];
    let mut x = 0;
    while x < 9 {
        let mut y = 0;
        while y < 5 {
            let square = (x * x + y * y) as i32;
            let mut root = 0;
            while square > root * root + root {
                root += 1;
            }
            table[x][y] = root;
            y += 1;
        }
        x += 1;
    }
    table
};

/// What of a card's worth does not depend on the moment.
struct Worth {
    /// Of its abilities, on the board.
    abilities: f64,
    /// In the hand, all of it.
    in_hand: f64,
}

/// That of all cards.
pub struct Worths {
    cards: Vec<Worth>,
}

impl Worths {
    pub fn new(rules: &Rules) -> Worths {
        Worths { cards: rules.cards.iter().map(Worth::new).collect() }
    }

    /// What a card in the hand is worth.
    pub fn in_hand(&self, card: u8) -> f64 {
        self.cards.get(usize::from(card)).map_or(0.0, |worth| worth.in_hand)
    }
}

impl Worth {
    fn new(card: &Card) -> Worth {
        let has = |keyword| card.has(keyword);
        let on = |when| card.abilities.iter().any(|(each, _)| *each == when);
        let lasting = [
            Keyword::Provoke,
            Keyword::Celerity,
            Keyword::Flying,
            Keyword::Ranged,
            Keyword::Blast,
            Keyword::Facestrike,
            Keyword::NoCounter,
            Keyword::GeneralProof,
        ];
        let watching = [When::MinionDies, When::SpellCast, When::TurnStarts, When::TurnEnds];
        let count = lasting.into_iter().filter(|keyword| has(*keyword)).count()
            + watching.into_iter().filter(|when| on(*when)).count()
            + usize::from(card.backstab > 0)
            // Their condition and what it gives are one each, whether it gives anything now or not.
            + 2 * usize::from(card.zeal > 0)
            + 2 * usize::from(card.infiltrate > 0)
            + 3 * usize::from(has(Keyword::Structure));
        let abilities = MODIFIER * count as f64 + keyword_worth(card, card.keywords);
        let opening = usize::from(has(Keyword::Rush)) + usize::from(on(When::Played));
        let stats = if card.kind == Kind::Minion {
            stats(card.attack, card.health) + abilities + MODIFIER * opening as f64
        } else {
            0.0
        };
        Worth { abilities, in_hand: stats + f64::from(card.mana) }
    }
}

/// A minion's attack and health.
fn stats(attack: i16, health: i16) -> f64 {
    let attack = f64::from(attack.max(0));
    1.2 * f64::from(health) + attack * attack.sqrt()
}

/// What the first of its keywords counts.
fn keyword_worth(card: &Card, keywords: u16) -> f64 {
    let has = |keyword: Keyword| keywords & keyword.bit() != 0;
    let on = |when| card.abilities.iter().any(|(each, _)| *each == when);
    let is_growing = on(When::TurnStarts) && !has(Keyword::Structure);
    let all = [
        (has(Keyword::Provoke), 10.0),
        (has(Keyword::Celerity), 20.0),
        (has(Keyword::Flying), 10.0),
        (has(Keyword::Ranged), 20.0),
        (has(Keyword::Blast), 20.0),
        (card.backstab > 0, 15.0),
        (is_growing, 30.0),
        (on(When::MinionDies), 30.0),
        (on(When::SpellCast), 10.0),
    ];
    all.into_iter().find(|(is, _)| *is).map_or(0.0, |(_, worth)| worth)
}

/// A position as one player judges it.
pub struct Eyes<'a> {
    pub rules: &'a Rules,
    pub worths: &'a Worths,
    pub position: &'a Position,
    pub me: u8,
    /// It goes for the enemy General this turn.
    pub is_lethal: bool,
    /// Attack, and what it is worth, of each unit.
    units: SmallVec<[(i16, f64); 24]>,
}

/// Something that makes a unit's attack larger before it attacks.
#[derive(Clone, Copy)]
pub enum Buff {
    /// The card in a slot.
    Card(u8),
    /// The General's spell.
    Spell,
}

impl<'a> Eyes<'a> {
    pub fn new(rules: &'a Rules, worths: &'a Worths, position: &'a Position, me: u8) -> Eyes<'a> {
        let mut eyes = Eyes { rules, worths, position, me, is_lethal: false, units: SmallVec::new() };
        for (index, unit) in position.units.iter().enumerate() {
            let attack = position.attack(&rules.cards, unit);
            let worth = eyes.unit_worth(index, unit, attack);
            eyes.units.push((attack, worth));
        }
        eyes
    }

    pub fn card(&self, card: u8) -> &'a Card {
        &self.rules.cards[usize::from(card)]
    }

    pub fn attack(&self, index: usize) -> i16 {
        self.units[index].0
    }

    pub fn worth(&self, index: usize) -> f64 {
        self.units[index].1
    }

    fn unit_worth(&self, index: usize, unit: &Unit, attack: i16) -> f64 {
        let card = self.card(unit.card);
        let marks = self.position.modifiers.iter();
        let marks = marks.filter(|each| usize::from(each.unit) == index && each.change != Change::Stun);
        let mut worth = MODIFIER * marks.map(|each| f64::from(each.count)).sum::<f64>();
        if !unit.is_general() {
            worth += stats(attack, unit.health());
            let granted = self
                .position
                .modifiers
                .iter()
                .any(|each| usize::from(each.unit) == index && matches!(each.change, Change::Grant(_)));
            return worth
                + if unit.is_dispelled() {
                    MODIFIER
                } else if granted {
                    let marks = Keyword::NAMES.iter().filter(|(_, keyword)| unit.has(*keyword));
                    let marks = marks.fold(0, |set, (_, keyword)| set | keyword.bit());
                    self.worths.cards[usize::from(unit.card)].abilities + keyword_worth(card, marks)
                        - keyword_worth(card, card.keywords)
                } else {
                    self.worths.cards[usize::from(unit.card)].abilities
                };
        }
        let side = &self.position.sides[usize::from(unit.owner)];
        let count = side.springs + side.draws_at_end + side.draws_on_deaths;
        let artifacts = side.artifacts().map(|(artifact, durability)| {
            MODIFIER + f64::from(durability) + keyword_worth(self.card(artifact), 0)
        });
        worth
            + 1.4 * f64::from(unit.health())
            + f64::from(attack)
            // A modifier that nobody sees.
            + MODIFIER
            + MODIFIER * f64::from(count)
            + artifacts.sum::<f64>()
    }

    pub fn is_enemy(&self, unit: &Unit) -> bool {
        unit.owner != self.me
    }

    /// What it is worth to damage a unit.
    pub fn damage(&self, index: usize, amount: i16) -> f64 {
        let unit = &self.position.units[index];
        let (worth, health) = (self.worth(index), unit.health());
        let mut score = 0.5 * worth;
        if amount >= health {
            score = (score + 5.0 * worth - 6.0 * f64::from(amount - health)).max(0.0);
        }
        if unit.is_general() {
            score += urgency(unit) * 2.0 * f64::from(amount);
            if amount >= health {
                score += KILL;
            }
        }
        score
    }

    /// What a cell is worth to a unit or card that has `other` in view.
    pub fn place(&self, who: &Walker, cell: u8, other: u8) -> f64 {
        let to = f64::from(distance(cell, other));
        let springs = ones(self.position.springs).map(|spring| distance(cell, spring as u8));
        let mut score = -2.0 * f64::from(springs.min().unwrap_or(0));
        if who.has_zeal && self.position.near_general(self.me) >> cell & 1 == 1 {
            score += 0.7;
        }
        if who.provokes {
            let around = NEAR[usize::from(cell)] & self.position.cells_of(1 - self.me);
            score += -3.0 * to + f64::from(around.count_ones());
        }
        score + if who.is_evasive { 3.0 * to - 10.0 } else { -0.5 * to }
    }

    pub fn walker(&self, unit: &Unit) -> Walker {
        Walker {
            has_zeal: self.card(unit.card).zeal > 0 && !unit.is_dispelled(),
            provokes: unit.has(Keyword::Provoke),
            is_evasive: unit.is_general() && unit.health() < EVASIVE_HEALTH,
        }
    }

    /// What it is worth to attack a unit from a cell.
    fn attack_score(&self, unit: &Unit, cell: u8, target: usize, attack: i16) -> f64 {
        let victim = &self.position.units[target];
        let mut score = self.damage(target, attack);
        if unit.health() >= self.attack(target) {
            score += 15.0;
        }
        let is_beside = NEAR[usize::from(cell)] >> victim.cell & 1 == 1;
        if unit.has(Keyword::Provoke) && victim.is_general() && is_beside {
            score += 47.0;
        }
        score
    }

    /// Those whom a unit may think of attacking from a cell, column by column: a General only who can do it no harm.
    fn targets(&self, index: usize, cell: u8) -> SmallVec<[usize; 8]> {
        let unit = &self.position.units[index];
        let mut meant = unit.reach() & unit.reach_from(cell) & self.position.cells_of(1 - self.me);
        let mut targets = SmallVec::new();
        if meant == 0 {
            return targets;
        }
        let provokers = self.position.provokers(unit);
        if provokers != 0 {
            meant &= provokers;
        }
        let mut cells: SmallVec<[u8; 8]> = ones(meant).map(|cell| cell as u8).collect();
        cells.sort_unstable_by_key(|cell| place(*cell));
        for target in cells.into_iter().filter_map(|cell| self.position.on(cell)) {
            let answer = self.rules.blow(self.position, &self.position.units[target], unit);
            let is_safe = (self.is_lethal
                || f64::from(self.attack(target)) <= 0.3 * f64::from(unit.health()))
                && unit.health() > answer;
            if is_safe || !unit.is_general() {
                targets.push(target);
            }
        }
        targets
    }

    /// A unit's attack, with the first card that can be paid for by which it becomes enough for one of some healths.
    pub fn with_buff(&self, index: usize, healths: &[i16]) -> (i16, Option<Buff>) {
        let unit = &self.position.units[index];
        let attack = self.attack(index);
        let helps = |more: i16| healths.iter().any(|health| attack < *health && *health <= attack + more);
        if healths.iter().all(|health| *health <= attack) {
            return (attack, None);
        }
        let side = &self.position.sides[usize::from(self.me)];
        for (slot, card) in side.hand.iter().enumerate().filter(|(_, card)| **card < NONE - 1) {
            let more = self.buff_of(*card, unit);
            if self.card(*card).mana <= side.mana && more > 0 && helps(more) {
                return (attack + more, Some(Buff::Card(slot as u8)));
            }
        }
        if let Some(spell) = self.rules.castable(self.position) {
            let more = self.buff_of(spell, unit);
            if more > 0 && helps(more) {
                return (attack + more, Some(Buff::Spell));
            }
        }
        (attack, None)
    }

    /// What a card adds to an own unit's attack.
    fn buff_of(&self, number: u8, unit: &Unit) -> i16 {
        let card = self.card(number);
        if card.kind == Kind::Artifact {
            return if unit.is_general() { card.attack } else { 0 };
        }
        if card.kind != Kind::Spell {
            return 0;
        }
        let reaches = |on: On| match on {
            On::Target => {
                matches!(card.aim, Aim::Unit(units)
                    if self.rules.units(self.position, units, self.me, CELLS) >> unit.cell & 1 == 1)
            }
            On::All(units, _) => {
                self.rules.units(self.position, units, self.me, CELLS) >> unit.cell & 1 == 1
            }
            On::Itself => false,
        };
        let more = |effect: &Effect| match effect.deed {
            Deed::Buff { attack, .. } if reaches(effect.on) => attack,
            Deed::AttackByHealth if reaches(effect.on) => unit.health(),
            _ => 0,
        };
        card.effects.iter().map(more).sum()
    }

    /// The best target from a cell, its score, and what is played before.
    pub fn best_target(
        &self,
        index: usize,
        cell: u8,
        lethal_only: bool,
    ) -> Option<(usize, f64, Option<Buff>)> {
        let unit = &self.position.units[index];
        let targets = self.targets(index, cell);
        if targets.is_empty() {
            return None;
        }
        let health = |target: usize| self.position.units[target].health();
        let (attack, buff) = if lethal_only || self.is_lethal {
            let healths: SmallVec<[i16; 8]> = targets.iter().map(|target| health(*target)).collect();
            self.with_buff(index, &healths)
        } else {
            (self.attack(index), None)
        };
        let mut best: Option<(usize, f64)> = None;
        for target in targets {
            if lethal_only && !self.is_lethal && health(target) > attack {
                continue;
            }
            let score = self.attack_score(unit, cell, target, attack);
            if best.is_none_or(|(_, most)| score >= most) {
                best = Some((target, score));
            }
        }
        best.map(|(target, score)| (target, score, buff))
    }

    /// What a cell is worth to a unit that may move there.
    pub fn cell_score(&self, index: usize, cell: u8, lethal_only: bool) -> f64 {
        let unit = &self.position.units[index];
        let walker = self.walker(unit);
        if let Some((target, score, _)) = self.best_target(index, cell, lethal_only) {
            let other = self.position.units[target].cell;
            return score + self.place(&walker, cell, other);
        }
        let near = unit.reach() & self.position.cells_of(1 - self.me);
        let other = self.nearest(cell, if near == 0 { u64::MAX } else { near });
        self.place(&walker, cell, other)
    }

    /// The cell of the nearest enemy of some, the first of equals.
    fn nearest(&self, cell: u8, of: u64) -> u8 {
        let enemies =
            self.position.units.iter().filter(|unit| self.is_enemy(unit) && of & bit(unit.cell) != 0);
        enemies.min_by_key(|unit| distance(cell, unit.cell)).map_or(cell, |unit| unit.cell)
    }

    /// What it is worth to play a minion on a cell.
    pub fn minion_score(&self, number: u8, cell: u8) -> f64 {
        let card = self.card(number);
        let who =
            Walker { has_zeal: card.zeal > 0, provokes: card.has(Keyword::Provoke), is_evasive: false };
        let mut view: Option<(f64, u8)> = None;
        let around = NEAR[usize::from(cell)];
        let mut beside: SmallVec<[usize; 8]> = SmallVec::new();
        for (index, unit) in self.position.units.iter().enumerate() {
            if self.is_enemy(unit) && around >> unit.cell & 1 == 1 {
                beside.push(index);
            }
        }
        beside.sort_unstable_by_key(|index| place(self.position.units[*index].cell));
        for index in beside {
            let unit = &self.position.units[index];
            let survives = if card.health >= self.attack(index) { 15.0 } else { 0.0 };
            let holds = if who.provokes && unit.is_general() { 47.0 } else { 0.0 };
            if view.is_none_or(|(most, _)| survives + holds >= most) {
                view = Some((survives + holds, unit.cell));
            }
        }
        let other = view.map_or_else(|| self.nearest(cell, u64::MAX), |(_, other)| other);
        let worth = self.worths.in_hand(number);
        let place = self.place(&who, cell, other) / 5.0;
        2.0 * worth + place + if worth + place < 15.0 { 15.0 } else { 0.0 }
    }

    /// What it is worth to heal a General by five.
    fn healing(&self, owner: u8) -> f64 {
        let Some(index) = self.position.on(self.position.general_cell(owner)) else { return 0.0 };
        let unit = &self.position.units[index];
        let damage = f64::from(unit.damage);
        let wish = if damage > 0.0 { self.worth(index) + urgency(unit) * 0.75 * damage } else { 0.0 };
        wish - 6.0 * (5.0 - damage).max(0.0)
    }

    /// What it is worth to play a spell or an artifact, aimed at a cell; `None` where it is not to be played so.
    pub fn spell_score(&self, number: u8, cell: u8) -> Option<f64> {
        let card = self.card(number);
        let cost = f64::from(card.mana);
        if card.kind == Kind::Artifact {
            let general = self.position.on(self.position.general_cell(self.me))?;
            return Some(cost + self.worth(general) / 2.0);
        }
        let first = card.follow_ups.first().filter(|_| card.effects.is_empty());
        let effects = first.map_or(&card.effects, |first| &first.effects);
        Some(cost + self.effects_score(effects, cell)?)
    }

    /// What it is worth that effects fall on a cell.
    pub fn effects_score(&self, effects: &[Effect], cell: u8) -> Option<f64> {
        let mut sum = None;
        for effect in effects {
            if let Some(score) = self.effect_score(effect, cell) {
                sum = Some(sum.unwrap_or(0.0) + score?);
            }
        }
        sum
    }

    /// `None`: it does not count; `Some(None)`: it is not to happen.
    fn effect_score(&self, effect: &Effect, cell: u8) -> Option<Option<f64>> {
        if let Deed::Summon { card, count, .. } = effect.deed {
            return Some(Some(self.worths.in_hand(card) * f64::from(count)));
        }
        let (units, is_mass, whose): (SmallVec<[usize; 24]>, _, _) = match effect.on {
            On::Target => (self.position.on(cell).into_iter().collect(), false, Whose::Any),
            On::Itself => return None,
            On::All(units, _) => {
                let cells = self.rules.units(self.position, units, self.me, CELLS);
                let all = self.position.units.iter().enumerate();
                let hit = all.filter(|(_, unit)| cells >> unit.cell & 1 == 1).map(|(index, _)| index);
                (hit.collect(), true, units.whose)
            }
        };
        let mut sum = 0.0;
        for index in units {
            let unit = &self.position.units[index];
            let (is_enemy, worth) = (self.is_enemy(unit), self.worth(index));
            let good = |is: bool, score: f64| (is || is_mass).then_some(if is { score } else { -score });
            let score = match effect.deed {
                Deed::Damage(amount) => {
                    let weight = if is_enemy { 1.0 } else { 0.75 };
                    good(is_enemy, weight * self.damage(index, amount))
                }
                Deed::Destroy => Some(if is_enemy { 5.0 * worth } else { -5.0 * worth }),
                Deed::HealItsGeneral => {
                    let wish = self.healing(unit.owner);
                    Some(match is_enemy {
                        false => wish,
                        true if wish > 0.0 => -wish / 2.0,
                        true => wish / 2.0,
                    })
                }
                Deed::Buff { attack, health, .. } => {
                    let weight = if whose == Whose::Friendly { 1.1 } else { 1.0 };
                    good(is_enemy == (attack + health < 0), weight * worth)
                }
                // It is played before an attack, and not for itself.
                Deed::AttackByHealth => None,
                Deed::SetAttack { .. } | Deed::Stun | Deed::Dispel | Deed::Transform(_) => {
                    good(is_enemy, worth)
                }
                Deed::Grant(_) | Deed::Reactivate => good(!is_enemy, worth),
                _ => return None,
            };
            match score {
                Some(score) => sum += score,
                None => return Some(None),
            }
        }
        Some(Some(sum))
    }
}

/// What of a unit or card matters for where it goes.
pub struct Walker {
    has_zeal: bool,
    provokes: bool,
    pub is_evasive: bool,
}

/// How much a General's health counts: more, the less it is.
fn urgency(general: &Unit) -> f64 {
    (FULL / f64::from(general.health().max(1))).max(1.0)
}
