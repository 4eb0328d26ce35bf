//! What a card says, made of its effects: for people who play.

use super::card::{
    Aim, Card, Deed, Effect, Keyword, Kind, On, Only, Sort, Spot, Units, Until, When, Where, Whose,
};
use super::effects_text::Names;

/// Attack and health, abilities, and what it does.
pub fn describe(card: &Card, names: &Names) -> String {
    let mut parts = Vec::new();
    match card.kind {
        Kind::General | Kind::Minion => parts.push(format!("{}/{}", card.attack, card.health)),
        Kind::Artifact if card.attack > 0 => parts.push(format!("+{} attack", card.attack)),
        Kind::Artifact | Kind::Spell => {}
    }
    let keywords = Keyword::NAMES.iter().filter(|(_, keyword)| card.has(*keyword));
    parts.extend(keywords.map(|(word, _)| (*word).to_owned()));
    let own = [("zeal", card.zeal), ("backstab", card.backstab), ("infiltrate", card.infiltrate)];
    parts.extend(own.iter().filter(|(_, more)| *more > 0).map(|(word, more)| format!("{word} {more}")));
    let effects = |effects: &[Effect]| {
        let each: Vec<String> = effects.iter().map(|each| effect(each, names)).collect();
        each.join(", ")
    };
    let aimed = |aim: Aim, what: String| match target(aim) {
        None => what,
        Some(aim) if what.is_empty() => aim,
        Some(aim) => format!("{aim}: {what}"),
    };
    if card.kind == Kind::Spell {
        parts.push(aimed(card.aim, effects(&card.effects)));
    }
    parts.extend(
        card.abilities.iter().map(|(when, each)| format!("{}: {}", time(*when), effect(each, names))),
    );
    for second in &card.follow_ups {
        parts.push(format!("then {}", aimed(second.aim, effects(&second.effects))));
    }
    parts.join("; ")
}

fn target(aim: Aim) -> Option<String> {
    Some(match aim {
        Aim::Anywhere => return None,
        Aim::Unit(meant) => {
            let article = if meant.whose == Whose::Enemy { "an" } else { "a" };
            format!("{article} {}", units(meant, false))
        }
        Aim::Spawn => "a cell beside an own unit".to_owned(),
        Aim::Something => "a unit or a tile".to_owned(),
        Aim::Square => "a square of four cells".to_owned(),
        Aim::FreeNear => "a free cell beside it".to_owned(),
        Aim::FreeWithinTwo => "a free cell at most two steps away".to_owned(),
        Aim::Free => "a free cell".to_owned(),
    })
}

fn units(units: Units, are_several: bool) -> String {
    let whose = match units.whose {
        Whose::Any => "",
        Whose::Friendly => "friendly ",
        Whose::Enemy => "enemy ",
    };
    let sort = match units.sort {
        Sort::Unit => "unit",
        Sort::Minion => "minion",
        Sort::General => "General",
    };
    let place = match units.place {
        Where::Anywhere => "",
        Where::NearGeneral => " near your General",
        Where::NearSource => " beside it",
        Where::OwnSide => " on your side",
        Where::EnemyColumn => " in the enemy General's column",
    };
    let mut text = format!("{whose}{sort}{}{place}", if are_several { "s" } else { "" });
    if let Some(most) = units.most_attack {
        text += &format!(" with attack at most {most}");
    }
    if units.least_attack {
        text += " with the least attack";
    }
    text
}

fn time(when: When) -> &'static str {
    match when {
        When::Played => "played",
        When::Dies => "when it dies",
        When::MinionDies => "when a minion dies",
        When::SpellCast => "when you cast a spell",
        When::TurnStarts => "when your turn starts",
        When::TurnEnds => "when your turn ends",
        When::DealsDamage => "when your General deals damage",
    }
}

fn lasting(until: Until) -> &'static str {
    match until {
        Until::Forever => "",
        Until::EndOfTurn => " this turn",
        Until::OwnTurn => " until your next turn",
    }
}

fn effect(effect: &Effect, names: &Names) -> String {
    let who = match effect.on {
        On::Target => "it".to_owned(),
        On::Itself => "itself".to_owned(),
        On::All(meant, _) => format!("all {}", units(meant, true)),
    };
    let card = |number: u8| names.cards.get(usize::from(number)).map_or("a card", String::as_str);
    let race = |number: u8| names.races.get(usize::from(number) - 1).map_or("", String::as_str);
    let what = match effect.deed {
        Deed::Damage(amount) => format!("{amount} damage to {who}"),
        Deed::Destroy => format!("destroy {who}"),
        Deed::HealItsGeneral => "heal its General by its health".to_owned(),
        Deed::Buff { attack, health, until } => format!("+{attack}/+{health} to {who}{}", lasting(until)),
        Deed::AttackByHealth => format!("its health is added to the attack of {who}"),
        Deed::SetAttack { to, until } => format!("attack {to} to {who}{}", lasting(until)),
        Deed::Grant(keyword) => format!("{} to {who}", keyword.name()),
        Deed::Stun => format!("stun {who}"),
        Deed::Reactivate => format!("{who} may act again"),
        Deed::Summon { card: made, count, spot } => {
            let place = match spot {
                Spot::Target => "there",
                Spot::Itself => "in its place",
                Spot::NearItself => "beside it",
                Spot::NearGeneral => "near your General",
            };
            let count = if count == 1 { String::new() } else { format!("{count} ") };
            format!("{count}{} {place}", card(made))
        }
        Deed::Transform(made) => format!("{who} becomes {}", card(made)),
        Deed::Dispel => "dispel what is there".to_owned(),
        Deed::Teleport => "it goes there".to_owned(),
        Deed::CreepSquare => "creep on them".to_owned(),
        Deed::CreepNear => "creep on a cell beside it".to_owned(),
        Deed::Draw(count) => format!("draw {count}"),
        Deed::DrawAtEnd => "draw 1 more at the end of the turn".to_owned(),
        Deed::DrawOnDeaths => "draw 1 for each friendly minion that dies this turn".to_owned(),
    };
    match effect.only {
        Only::Always => what,
        Only::Backstab => format!("{what} if it has backstab"),
        Only::Enemy => format!("{what} if it is an enemy"),
        Only::Race(number) => format!("{what} if it is {}", race(number)),
        Only::NotRace(number) => format!("{what} if it is no {}", race(number)),
    }
}
