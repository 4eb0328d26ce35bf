//! What a position is judged by: numbers of one side less the other's, for a linear evaluator.
//!
//! The weights were set by hand and compared in matches; `docs/turns.md` has how, and what came of learning them.

use super::Rules;
use super::board::{apart, manhattan, place};
use super::card::Keyword;
use super::state::{Position, Stage, Unit};
use crate::bits::ones;

/// A General with less health than this is frail.
const FRAIL: i16 = 10;
/// Steps that a walker takes in a turn.
const STEPS: u8 = 2;

/// What each number is, and what it weighs.
pub const FEATURES: [(&str, f64); COUNT] = [
    ("health of the General", 0.06),
    ("health that a frail General lacks", -0.08),
    ("attack of the General", 0.05),
    ("durability of artifacts", 0.03),
    ("minions", 0.10),
    ("attack of minions", 0.10),
    ("health of minions", 0.07),
    ("root of attack times health", 0.10),
    ("minions that provoke", 0.20),
    ("minions that fly or shoot", 0.20),
    ("attack of minions with celerity", 0.05),
    ("other abilities", 0.03),
    ("cards in hand", 0.15),
    ("mana that the hand costs", 0.01),
    ("distance to the nearest spring", -0.05),
    ("distance of minions to the enemy General", -0.02),
    ("damage that the mover may do to the General", 0.03),
    ("damage that the other may do to the General", 0.02),
    ("the mover may kill the General", 2.0),
    ("the other may kill the General", 0.4),
    ("what the mover may kill", 0.05),
    ("what the other may kill", 0.02),
    ("to move", 0.0),
];
/// How many there are.
const COUNT: usize = 23;

impl Rules {
    /// The features as player 1 sees them.
    pub fn position_features(&self, position: &Position) -> [f64; COUNT] {
        let mut sums = [0.0; COUNT];
        if matches!(position.stage, Stage::Over(_)) {
            return sums;
        }
        for owner in [0, 1] {
            let sign = if owner == 0 { 1.0 } else { -1.0 };
            for (sum, value) in sums.iter_mut().zip(self.side_features(position, owner)) {
                *sum += sign * value;
            }
        }
        sums
    }

    fn side_features(&self, position: &Position, owner: u8) -> [f64; COUNT] {
        let side = &position.sides[usize::from(owner)];
        let general = position.units.iter().take(2).find(|unit| unit.owner != owner && unit.is_general());
        let enemy_cell = general.map(|unit| unit.cell);
        let enemy_health = general.map_or(0, Unit::health);
        let provokes = position.units.iter().any(|unit| unit.has(Keyword::Provoke));
        let mut f = [0.0; COUNT];
        let (mut damage, mut nearest) = (0, u8::MAX);
        let mut reached = 0u64;
        for unit in position.units.iter().filter(|unit| unit.owner == owner) {
            let attack = position.attack(&self.cards, unit).max(0);
            let (strength, health) = (f64::from(attack), f64::from(unit.health()));
            for spring in ones(position.springs) {
                nearest = nearest.min(manhattan(unit.cell, spring as u8));
            }
            if unit.is_general() {
                f[0] = health;
                f[1] = f64::from((FRAIL - unit.health()).max(0));
                f[2] = strength;
            } else {
                f[4] += 1.0;
                f[5] += strength;
                f[6] += health;
                f[7] += (strength * health.max(0.0)).sqrt();
                f[8] += f64::from(u8::from(unit.has(Keyword::Provoke)));
                f[9] += f64::from(u8::from(unit.has(Keyword::Flying) || unit.has(Keyword::Ranged)));
                f[10] += if unit.has(Keyword::Celerity) { strength } else { 0.0 };
                f[11] += if unit.is_dispelled() { 0.0 } else { self.abilities[usize::from(unit.card)] };
                f[15] += enemy_cell.map_or(0.0, |cell| f64::from(apart(unit.cell, cell)));
            }
            if unit.is_stunned() || attack == 0 {
                continue;
            }
            let held = if provokes { position.provokers(unit) } else { 0 };
            let twice =
                |other: &Unit| if other.is_general() && unit.has(Keyword::Facestrike) { 2 } else { 1 };
            for other in position.units.iter().filter(|other| other.owner != owner) {
                let reaches =
                    if held == 0 { may_reach(unit, other.cell) } else { held >> other.cell & 1 == 1 };
                if !reaches {
                    continue;
                }
                if other.is_general() {
                    damage += attack * twice(other) * i16::from(unit.times());
                } else if attack >= other.health() {
                    reached |= 1 << other.cell;
                }
            }
        }
        f[3] = side.artifacts().map(|(_, durability)| f64::from(durability)).sum();
        f[12] = side.held() as f64;
        let held = side.hand.iter().filter_map(|card| self.cards.get(usize::from(*card)));
        f[13] = held.map(|card| f64::from(card.mana)).sum();
        f[14] = if nearest == u8::MAX { 0.0 } else { f64::from(nearest) };
        let moves = position.mover == owner;
        let late = usize::from(!moves);
        f[16 + late] = f64::from(damage.min(enemy_health));
        f[18 + late] = f64::from(u8::from(damage >= enemy_health));
        let lost = position.units.iter().filter(|unit| reached >> unit.cell & 1 == 1);
        f[20 + late] = lost
            .map(|unit| f64::from(position.attack(&self.cards, unit).max(0)) + f64::from(unit.health()))
            .sum();
        f[22] = f64::from(u8::from(moves));
        f
    }
}

/// Whether a unit may get to where it attacks a cell, if nobody is in its way.
#[inline]
fn may_reach(unit: &Unit, cell: u8) -> bool {
    if unit.has(Keyword::Ranged) || unit.has(Keyword::Flying) {
        return true;
    }
    let ((x, y), (u, v)) = (place(unit.cell), place(cell));
    let (across, along) = (x.abs_diff(u).saturating_sub(1), y.abs_diff(v).saturating_sub(1));
    let steps = if unit.has(Keyword::Structure) { 0 } else { STEPS * unit.times() };
    across + along <= steps
}
