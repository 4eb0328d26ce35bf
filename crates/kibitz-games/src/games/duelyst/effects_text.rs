//! The effect language as it is written: what a card is aimed at, and what happens.

use kibitz_core::spec::{SpecError, unknown};

use super::card::{Aim, Deed, Effect, Keyword, On, Only, Sort, Spot, Units, Until, When, Where, Whose};
use super::toml::Table;

/// The names of all cards and races, which cards may speak of before they are read.
#[derive(Default)]
pub struct Names {
    pub cards: Vec<String>,
    pub races: Vec<String>,
}

impl Names {
    /// Takes in the name of a card, which must be a new one.
    ///
    /// # Errors
    /// It is not.
    pub fn add(&mut self, table: &mut Table<'_>) -> Result<(), String> {
        let name = table.text("name")?.ok_or_else(|| table.error("a card needs a name"))?;
        if self.cards.iter().any(|other| other == name) {
            return Err(table.error_at("name", &format!("there are two cards called '{name}'")));
        }
        self.cards.push(name.to_owned());
        if let Some(race) = table.text("race")?
            && !self.races.iter().any(|other| other == race)
        {
            self.races.push(race.to_owned());
        }
        table.leave_the_rest();
        Ok(())
    }

    /// The number of a card.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn card(&self, name: &str) -> Result<u8, String> {
        let found = self.cards.iter().position(|other| other == name);
        found.map(|number| number as u8).ok_or_else(|| {
            let SpecError(what) = unknown("card", name, self.cards.iter().map(String::as_str));
            what
        })
    }

    /// The number of a race, from 1.
    ///
    /// # Errors
    /// No card is of it.
    pub fn race(&self, name: &str) -> Result<u8, String> {
        let found = self.races.iter().position(|other| other == name);
        found.map(|number| number as u8 + 1).ok_or_else(|| {
            let SpecError(what) = unknown("race", name, self.races.iter().map(String::as_str));
            what
        })
    }
}

const AIMS: [(&str, Aim); 7] = [
    ("anywhere", Aim::Anywhere),
    ("a spawn cell", Aim::Spawn),
    ("something", Aim::Something),
    ("a square", Aim::Square),
    ("a free cell beside it", Aim::FreeNear),
    ("a free cell within 2", Aim::FreeWithinTwo),
    ("a free cell", Aim::Free),
];

/// # Errors
/// It is no target.
pub fn read_aim(text: &str) -> Result<Aim, String> {
    if let Some((_, aim)) = AIMS.iter().find(|(name, _)| *name == text) {
        return Ok(*aim);
    }
    let units = text.strip_prefix("an ").or_else(|| text.strip_prefix("a "));
    units.and_then(read_units).map(Aim::Unit).ok_or_else(|| {
        let aims: Vec<String> = AIMS.iter().map(|(name, _)| format!("'{name}'")).collect();
        format!("unknown target '{text}': it is one of {}, or units: {UNITS}", aims.join(", "))
    })
}

const UNITS: &str = "'a', 'a friendly' or 'an enemy', then 'unit', 'minion' or 'General', then nothing or one of \
                     'near your General', 'beside it', 'on your side', 'in the enemy General's column', then nothing \
                     or one of 'with attack at most 3', 'with the least attack'";

/// Some units: 'enemy minion near your General', or the same of several.
fn read_units(text: &str) -> Option<Units> {
    let mut words = text.split_whitespace().peekable();
    let mut units = Units {
        whose: Whose::Any,
        sort: Sort::Unit,
        place: Where::Anywhere,
        most_attack: None,
        least_attack: false,
    };
    match words.peek() {
        Some(&"friendly") => units.whose = Whose::Friendly,
        Some(&"enemy") => units.whose = Whose::Enemy,
        _ => {}
    }
    if units.whose != Whose::Any {
        words.next();
    }
    units.sort = match words.next()? {
        "unit" | "units" => Sort::Unit,
        "minion" | "minions" => Sort::Minion,
        "General" | "Generals" => Sort::General,
        _ => return None,
    };
    let rest: Vec<&str> = words.collect();
    let rest = rest.join(" ");
    let (place, with) = match rest.split_once("with ") {
        Some((place, with)) => (place.trim(), Some(with)),
        None => (rest.as_str(), None),
    };
    units.place = match place {
        "" => Where::Anywhere,
        "near your General" => Where::NearGeneral,
        "beside it" => Where::NearSource,
        "on your side" => Where::OwnSide,
        "in the enemy General's column" => Where::EnemyColumn,
        _ => return None,
    };
    match with {
        None => {}
        Some("the least attack") => units.least_attack = true,
        Some(with) => units.most_attack = Some(with.strip_prefix("attack at most ")?.parse().ok()?),
    }
    Some(units)
}

const DEEDS: [(&str, &str); 18] = [
    ("damage", "amount"),
    ("destroy", ""),
    ("heal its General", ""),
    ("buff", ""),
    ("attack by health", ""),
    ("set attack", "to"),
    ("grant", "keyword"),
    ("stun", ""),
    ("reactivate", ""),
    ("summon", "card"),
    ("transform", "card"),
    ("dispel", ""),
    ("teleport", ""),
    ("creep square", ""),
    ("creep near itself", ""),
    ("draw", "count"),
    ("draw at end of turn", ""),
    ("draw on deaths", ""),
];

const UNTIL: [(&str, Until); 2] = [("end of turn", Until::EndOfTurn), ("your next turn", Until::OwnTurn)];

const SPOTS: [(&str, Spot); 4] = [
    ("target", Spot::Target),
    ("itself", Spot::Itself),
    ("near itself", Spot::NearItself),
    ("near your General", Spot::NearGeneral),
];

const WHEN: [(&str, When); 7] = [
    ("it is played", When::Played),
    ("it dies", When::Dies),
    ("a minion dies", When::MinionDies),
    ("a spell is cast", When::SpellCast),
    ("your turn starts", When::TurnStarts),
    ("your turn ends", When::TurnEnds),
    ("your General deals damage", When::DealsDamage),
];

/// # Errors
/// What is wrong with it.
pub fn read_ability(table: &mut Table<'_>, names: &Names, card: &str) -> Result<(When, Effect), String> {
    let when = table.word("when", &WHEN)?;
    let when = when.ok_or_else(|| table.error(&format!("{card}: an ability needs to say when it acts")))?;
    let effect = read_effect(table, names, card)?;
    let is_aimed = effect.on == On::Target
        && !matches!(effect.deed, Deed::Summon { .. } | Deed::Draw(_) | Deed::CreepNear)
        || matches!(
            effect.deed,
            Deed::Summon { spot: Spot::Target, .. } | Deed::Teleport | Deed::CreepSquare | Deed::Dispel
        );
    if is_aimed {
        return Err(table.error(&format!(
            "{card}: an ability is not aimed: say on = \"itself\", or on = \"all enemy minions\""
        )));
    }
    Ok((when, effect))
}

/// # Errors
/// What is wrong with it.
pub fn read_effect(table: &mut Table<'_>, names: &Names, card: &str) -> Result<Effect, String> {
    let deed = table.text("do")?.ok_or_else(|| {
        table.error(&format!("{card}: an effect needs to say what it does: do = \"damage\""))
    })?;
    let (deed, needs) = *DEEDS.iter().find(|(name, _)| *name == deed).ok_or_else(|| {
        let SpecError(what) = unknown("effect", deed, DEEDS.iter().map(|(name, _)| *name));
        table.error_at("do", &format!("{card}: {what}"))
    })?;
    let missing = |table: &Table<'_>| table.error(&format!("{card}: '{deed}' needs {needs}"));
    let number = |table: &mut Table<'_>, key| table.number(key, 0..=99);
    let named = |table: &mut Table<'_>| match table.text("card")? {
        Some(name) => names.card(name).map_err(|what| table.error_at("card", &format!("{card}: {what}"))),
        None => Err(missing(table)),
    };
    let deed = match deed {
        "damage" => Deed::Damage(number(table, "amount")?.ok_or_else(|| missing(table))? as i16),
        "destroy" => Deed::Destroy,
        "heal its General" => Deed::HealItsGeneral,
        "buff" => Deed::Buff {
            attack: number(table, "attack")?.unwrap_or(0) as i16,
            health: number(table, "health")?.unwrap_or(0) as i16,
            until: table.word("until", &UNTIL)?.unwrap_or(Until::Forever),
        },
        "attack by health" => Deed::AttackByHealth,
        "set attack" => Deed::SetAttack {
            to: number(table, "to")?.ok_or_else(|| missing(table))? as i16,
            until: table.word("until", &UNTIL)?.unwrap_or(Until::Forever),
        },
        "grant" => Deed::Grant(table.word("keyword", &Keyword::NAMES)?.ok_or_else(|| missing(table))?),
        "stun" => Deed::Stun,
        "reactivate" => Deed::Reactivate,
        "summon" => Deed::Summon {
            card: named(table)?,
            count: table.number("count", 1..=8)?.unwrap_or(1) as u8,
            spot: table.word("at", &SPOTS)?.unwrap_or(Spot::Target),
        },
        "transform" => Deed::Transform(named(table)?),
        "dispel" => Deed::Dispel,
        "teleport" => Deed::Teleport,
        "creep square" => Deed::CreepSquare,
        "creep near itself" => Deed::CreepNear,
        "draw" => Deed::Draw(table.number("count", 1..=6)?.ok_or_else(|| missing(table))? as u8),
        "draw at end of turn" => Deed::DrawAtEnd,
        _ => Deed::DrawOnDeaths,
    };
    let only = match table.text("only")? {
        None => Only::Always,
        Some("backstab") => Only::Backstab,
        Some("enemy") => Only::Enemy,
        Some(text) => {
            let (race, is_not) = text.strip_prefix("not ").map_or((text, false), |race| (race, true));
            let race = names.race(race).map_err(|what| {
                table.error_at("only", &format!("{card}: {what}, or 'backstab', or 'enemy'"))
            })?;
            if is_not { Only::NotRace(race) } else { Only::Race(race) }
        }
    };
    let by_columns = table.word("order", &[("columns", true), ("arrival", false)])?.unwrap_or(false);
    let on = match table.text("on")? {
        None | Some("target") => On::Target,
        Some("itself") => On::Itself,
        Some(text) => {
            let units = text.strip_prefix("all ").and_then(read_units);
            On::All(units.ok_or_else(|| {
                let what = format!("{card}: unknown units '{text}': they are 'target', 'itself', or 'all', then {UNITS}");
                table.error_at("on", &what)
            })?, by_columns)
        }
    };
    Ok(Effect { deed, on, only })
}
