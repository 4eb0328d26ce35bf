//! A state as a list of facts: everything of it, one thing a line.

use super::Rules;
use super::board::name;
use super::card::Keyword;
use super::state::{Change, Clock, NONE, Position, Stage};
use crate::bits::ones;

impl Rules {
    /// Units and what was done to them in order of arrival, tiles, hands, piles and artifacts.
    pub fn list_facts(&self, position: &Position) -> Vec<String> {
        let named =
            |card: u8| self.cards.get(usize::from(card)).map_or("unknown", |card| card.name.as_str());
        let stage = match position.stage {
            Stage::Deal => "dealing".to_owned(),
            Stage::Mulligan => "mulligan".to_owned(),
            Stage::Play => format!("player {} moves", position.mover + 1),
            Stage::Over(None) => "over: a draw".to_owned(),
            Stage::Over(Some(winner)) => format!("over: player {} wins", winner + 1),
        };
        let mut facts = vec![format!("turn {}, {stage}", position.turn)];
        for (index, unit) in position.units.iter().enumerate() {
            let marks = [
                (unit.is_exhausted(), "exhausted"),
                (unit.is_stunned(), "stunned"),
                (unit.is_dispelled(), "dispelled"),
            ];
            let marks: String =
                marks.iter().filter(|(is, _)| *is).map(|(_, mark)| format!(", {mark}")).collect();
            facts.push(format!(
                "unit {} of player {} at {}: {} attack, {} of {} health, {} moves, {} attacks of {}{marks}",
                named(unit.card),
                unit.owner + 1,
                name(unit.cell),
                position.attack(&self.cards, unit),
                unit.health(),
                unit.most_health,
                unit.moves,
                unit.attacks,
                unit.times(),
            ));
            for modifier in position.modifiers.iter().filter(|modifier| usize::from(modifier.unit) == index)
            {
                let change = match modifier.change {
                    Change::Add { attack, health } => format!("{attack:+}/{health:+}"),
                    Change::SetAttack(to) => format!("attack {to}"),
                    Change::Grant(keyword) => Keyword::name(keyword).to_owned(),
                    Change::Stun => "stunned".to_owned(),
                };
                let clock = match modifier.clock {
                    Clock::Forever => String::new(),
                    Clock::Ends(left) => format!(" for {left} ends of turns"),
                    Clock::Starts(left) => format!(" for {left} starts of turns"),
                };
                facts.push(format!("  it has {} times {change}{clock}", modifier.count));
            }
        }
        facts.extend(ones(position.springs).map(|cell| format!("spring at {}", name(cell as u8))));
        facts.extend(ones(position.spent).map(|cell| format!("spent spring at {}", name(cell as u8))));
        for creep in &position.creep {
            facts.push(format!("creep of player {} at {}", creep.owner + 1, name(creep.cell)));
        }
        for (seat, side) in position.sides.iter().enumerate() {
            let player = seat + 1;
            facts.push(format!("mana of player {player}: {} of {}", side.mana, side.shown_mana()));
            for (slot, card) in side.hand.iter().enumerate().filter(|(_, card)| **card != NONE) {
                facts.push(format!("card {} of player {player}: {}", slot + 1, named(*card)));
            }
            for (card, count) in self.kinds[seat].iter().zip(&side.pile).filter(|(_, count)| **count > 0) {
                facts.push(format!("pile of player {player}: {count} {}", named(*card)));
            }
            for (card, durability) in side.artifacts() {
                facts.push(format!("artifact of player {player}: {} {durability}", named(card)));
            }
            if side.has_replaced {
                facts.push(format!("player {player} has replaced a card"));
            }
            if side.is_spell_ready {
                facts.push(format!("player {player} may cast {}", named(self.spells[seat])));
            }
        }
        if let Some(waiting) = position.waiting {
            let number = waiting.number + 1;
            facts.push(format!(
                "waiting for choice {number} of {} from {}",
                named(waiting.card),
                name(waiting.cell)
            ));
        }
        facts
    }
}
