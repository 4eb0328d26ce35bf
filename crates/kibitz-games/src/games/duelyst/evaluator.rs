//! The static evaluator of the thesis' section 2.5, in its points.

use super::Rules;
use super::board::{apart, manhattan};
use super::card::{Card, Kind};
use super::state::{Position, Stage, Unit};
use crate::bits::ones;

/// Cells of the radius in which enemies count, by rows and columns alike.
const RADIUS: u8 = 2;
/// What it is worth to be able to kill the enemy General, and a minion.
const KILL_GENERAL: f64 = 100.0;
const KILL_MINION: f64 = 1.0;

/// What a minion's abilities are worth: what it costs, less what its attack and health are worth.
fn ability_value(card: &Card) -> f64 {
    if card.has_opening() {
        return 0.0;
    }
    (f64::from(card.mana).powf(1.4) + 4.0).floor() - f64::from(card.attack + card.health)
}

impl Rules {
    /// The value to player 1; to player 2 it is the opposite. At the end nothing is still to come.
    pub fn static_value(&self, position: &Position) -> f64 {
        if matches!(position.stage, Stage::Over(_)) {
            return 0.0;
        }
        let value = |unit: &Unit| {
            let value = self.unit_value(position, unit);
            if unit.owner == 0 { value } else { -value }
        };
        position.units.iter().map(value).sum()
    }

    /// A unit's intrinsic value and what its place is worth.
    pub fn unit_value(&self, position: &Position, unit: &Unit) -> f64 {
        let attack = position.attack(&self.cards, unit);
        let (strength, health) = (f64::from(attack), f64::from(unit.health()));
        let intrinsic = if unit.is_general() {
            strength + 3.0 * health
        } else if unit.is_dispelled() {
            strength + health
        } else {
            strength + health + self.abilities[usize::from(unit.card)]
        };
        let nearest = ones(position.springs).map(|spring| manhattan(unit.cell, spring as u8)).min();
        let mut place = -f64::from(nearest.unwrap_or(0));
        for other in &position.units {
            if other.owner == unit.owner || apart(unit.cell, other.cell) > RADIUS {
                continue;
            }
            let kills = attack >= other.health();
            place += match (other.is_general(), kills) {
                (true, true) => KILL_GENERAL,
                (true, false) => strength,
                (false, true) => KILL_MINION,
                (false, false) => 0.0,
            };
        }
        intrinsic + place
    }

    /// What the abilities of all cards are worth.
    pub fn ability_values(cards: &[Card]) -> Vec<f64> {
        cards.iter().map(|card| if card.kind == Kind::Minion { ability_value(card) } else { 0.0 }).collect()
    }
}
