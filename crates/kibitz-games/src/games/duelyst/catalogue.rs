//! All cards and decks: those that come with the game, and those of a user's file.

use std::collections::BTreeMap;

use kibitz_core::file;
use kibitz_core::spec::{SpecError, unknown};
use toml_edit::Document;

use super::card::{Aim, Card, Deed, FollowUp, Keyword, Kind};
use super::effects_text::{Names, read_ability, read_aim, read_effect};
use super::toml::{Source, Table, find};
use super::words::describe;

/// Cards of a deck, the General not counted.
pub const DECK: u32 = 39;
/// Copies of a card in a deck.
const COPIES: i64 = 3;
/// More cards cannot be told apart.
const MOST_CARDS: usize = 250;
/// No file of cards has more bytes.
const LONGEST: u64 = 1_000_000;
/// No number of a card, attack or health is larger.
const LARGEST: i64 = 999;

/// The factions; neutral cards have the number 0.
pub const FACTIONS: [(&str, u8); 7] = [
    ("neutral", 0),
    ("lyonar", 1),
    ("songhai", 2),
    ("vetruvian", 3),
    ("abyssian", 4),
    ("magmar", 5),
    ("vanar", 6),
];

const FILES: [(&str, &str); 7] = [
    ("neutral.toml", include_str!("cards/neutral.toml")),
    ("lyonar.toml", include_str!("cards/lyonar.toml")),
    ("songhai.toml", include_str!("cards/songhai.toml")),
    ("vetruvian.toml", include_str!("cards/vetruvian.toml")),
    ("abyssian.toml", include_str!("cards/abyssian.toml")),
    ("magmar.toml", include_str!("cards/magmar.toml")),
    ("vanar.toml", include_str!("cards/vanar.toml")),
];

/// A General and the cards of a deck, as numbers in the catalogue.
#[derive(Clone, Debug)]
pub struct Deck {
    pub name: String,
    pub general: u8,
    pub cards: Vec<(u8, u8)>,
}

/// The cards, and the decks that are made of them.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub cards: Vec<Card>,
    pub decks: Vec<Deck>,
}

impl Catalogue {
    /// The cards that come with the game, and those of a file.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    pub fn read(path: Option<&str>) -> Result<Catalogue, String> {
        let mut files: Vec<(String, String)> =
            FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        if let Some(path) = path {
            let nothing = |why: &str| format!("'{path}' is no file of cards: {why}");
            let bytes = file::read(path, LONGEST).map_err(|why| nothing(&why))?;
            let text = String::from_utf8(bytes).map_err(|_| nothing("it is not UTF-8 text"))?;
            files.push((path.to_owned(), text));
        }
        let documents: Vec<_> = files
            .iter()
            .map(|(name, text)| {
                let source = Source { name, text };
                Document::parse(text.as_str())
                    .map(|document| (source, document))
                    .map_err(|error| source.error(error.span(), error.message()))
            })
            .collect::<Result<_, _>>()?;
        let mut names = Names::default();
        for (source, document) in &documents {
            let mut table = Table::from(*source, document.as_table(), None);
            table.each("card", |card| names.add(card))?;
            table.get("deck");
            table.finish()?;
        }
        if names.cards.len() > MOST_CARDS {
            return Err(format!(
                "there are {} cards, and at most {MOST_CARDS} can be told apart",
                names.cards.len()
            ));
        }
        let mut catalogue = Catalogue::default();
        let mut places = Vec::new();
        for (source, document) in &documents {
            let mut table = Table::from(*source, document.as_table(), None);
            table.each("card", |table| {
                let card = read_card(table, &names)?;
                places.push(table.error(&card.name));
                catalogue.cards.push(card);
                Ok(())
            })?;
        }
        catalogue.check(&places)?;
        for (source, document) in &documents {
            let mut table = Table::from(*source, document.as_table(), None);
            table.each("deck", |deck| {
                let deck = catalogue.read_deck(*source, deck)?;
                catalogue.decks.push(deck);
                Ok(())
            })?;
        }
        Ok(catalogue)
    }

    /// The deck that has this name.
    ///
    /// # Errors
    /// None has.
    pub fn deck(&self, name: &str) -> Result<&Deck, String> {
        self.decks.iter().find(|deck| deck.name == name).ok_or_else(|| {
            let SpecError(what) = unknown("deck", name, self.decks.iter().map(|deck| deck.name.as_str()));
            format!("{what} (more come from a file of cards: cards=FILE)")
        })
    }

    /// Cards that others make or cast must be of the right kind. Each has its place in its file.
    fn check(&self, places: &[String]) -> Result<(), String> {
        for (card, place) in self.cards.iter().zip(places) {
            let effects =
                card.effects.iter().chain(card.follow_ups.iter().flat_map(|second| &second.effects));
            let effects = effects.chain(card.abilities.iter().map(|(_, effect)| effect));
            for made in effects.filter_map(|effect| match effect.deed {
                Deed::Summon { card, .. } | Deed::Transform(card) => Some(&self.cards[usize::from(card)]),
                _ => None,
            }) {
                if made.kind != Kind::Minion {
                    return Err(format!("{place}: only minions can be made, and {} is none", made.name));
                }
            }
            if let Some(spell) = card.spell.map(|spell| &self.cards[usize::from(spell)])
                && spell.kind != Kind::Spell
            {
                return Err(format!("{place}: its spell is {}, which is none", spell.name));
            }
        }
        Ok(())
    }

    fn read_deck(&self, source: Source<'_>, table: &mut Table<'_>) -> Result<Deck, String> {
        let name = table.text("name")?.ok_or_else(|| table.error("a deck needs a name"))?;
        if self.decks.iter().any(|other| other.name == name) {
            return Err(table.error_at("name", &format!("there are two decks called '{name}'")));
        }
        let number = |text: &str| {
            let found = self.cards.iter().position(|card| card.name == text);
            found.map(|number| number as u8).ok_or_else(|| {
                let SpecError(what) =
                    unknown("card", text, self.cards.iter().map(|card| card.name.as_str()));
                format!("deck {name}: {what}")
            })
        };
        let general = table.text("general")?.ok_or_else(|| table.error("a deck needs a general"))?;
        let general = number(general).map_err(|what| table.error_at("general", &what))?;
        let card = &self.cards[usize::from(general)];
        if card.kind != Kind::General {
            let what = format!("deck {name}: {} is no General", card.name);
            return Err(table.error_at("general", &what));
        }
        let faction = card.faction;
        let item = table
            .get("cards")
            .ok_or_else(|| table.error("a deck needs cards, such as \"True Strike\" = 3"))?;
        let list = Table::of(source, item, "cards")?;
        let mut cards: BTreeMap<u8, u8> = BTreeMap::new();
        for (text, item) in list.pairs() {
            let wrong = |what: &str| source.error(item.span(), &format!("deck {name}: {what}"));
            let number = number(text).map_err(|what| source.error(item.span(), &what))?;
            let card = &self.cards[usize::from(number)];
            if card.token || card.kind == Kind::General {
                return Err(wrong(&format!("{text} cannot be put into a deck")));
            }
            if card.faction != 0 && card.faction != faction {
                let of = FACTIONS[usize::from(card.faction)].0;
                return Err(wrong(&format!("{text} is of {of}, and its General is not")));
            }
            let copies = item.as_integer().unwrap_or(0);
            if !(1..=COPIES).contains(&copies) {
                return Err(wrong(&format!("{text}: a deck has 1 to {COPIES} copies of a card")));
            }
            cards.insert(number, copies as u8);
        }
        let count: u32 = cards.values().map(|copies| u32::from(*copies)).sum();
        if count != DECK {
            return Err(table.error(&format!("deck {name} has {count} cards; it should have {DECK}")));
        }
        Ok(Deck { name: name.to_owned(), general, cards: cards.into_iter().collect() })
    }
}

fn read_card(table: &mut Table<'_>, names: &Names) -> Result<Card, String> {
    let name = table.text("name")?.unwrap_or_default().to_owned();
    let about = |what: String| format!("{name}: {what}");
    let id = table.number("id", 0..=i64::from(u32::MAX))?.unwrap_or(0) as u32;
    let faction = table.word("faction", &FACTIONS)?.unwrap_or(0);
    let token = table.flag("token")?;
    let mut card = Card {
        id,
        name: name.clone(),
        kind: Kind::Spell,
        faction,
        token,
        race: 0,
        mana: 0,
        attack: 0,
        health: 0,
        durability: 0,
        keywords: 0,
        zeal: 0,
        backstab: 0,
        infiltrate: 0,
        spell: None,
        aim: Aim::Anywhere,
        effects: Vec::new(),
        follow_ups: Vec::new(),
        abilities: Vec::new(),
        text: String::new(),
    };
    read_kind(table, names, &mut card)?;
    if let Some(race) = table.text("race")? {
        card.race = names.race(race)?;
    }
    if let Some(item) = table.get("keywords") {
        let words = item
            .as_array()
            .ok_or_else(|| table.error_at("keywords", "keywords should be a list of words"))?;
        for word in words.iter() {
            let text = word.as_str().unwrap_or_default();
            let keyword = find(&Keyword::NAMES, "keyword", text)
                .map_err(|what| table.error_at("keywords", &about(what)))?;
            card.keywords |= keyword.bit();
        }
    }
    card.zeal = table.number("zeal", 0..=LARGEST)?.unwrap_or(0) as i16;
    card.backstab = table.number("backstab", 0..=LARGEST)?.unwrap_or(0) as i16;
    card.infiltrate = table.number("infiltrate", 0..=LARGEST)?.unwrap_or(0) as i16;
    if let Some(text) = table.text("target")? {
        card.aim = read_aim(text).map_err(|what| table.error_at("target", &about(what)))?;
        if card.kind != Kind::Spell {
            return Err(table.error_at("target", &about("only spells have a target".to_owned())));
        }
    }
    card.effects = table.each("effects", |effect| read_effect(effect, names, &name))?;
    card.abilities = table.each("abilities", |ability| read_ability(ability, names, &name))?;
    card.follow_ups = table.each("follow-ups", |second| {
        let text = second
            .text("target")?
            .ok_or_else(|| second.error(&about("a follow-up needs a target".to_owned())))?;
        let aim = read_aim(text).map_err(|what| second.error_at("target", &about(what)))?;
        let effects = second.each("effects", |effect| read_effect(effect, names, &name))?;
        Ok(FollowUp { aim, effects })
    })?;
    if card.kind != Kind::Spell && !card.effects.is_empty() {
        let what = "only spells have effects; say when it acts: abilities = [{ when = \"it is played\", do = ... }]";
        return Err(table.error_at("effects", &about(what.to_owned())));
    }
    card.text = describe(&card, names);
    Ok(card)
}

/// General, minion, spell or artifact, with its numbers.
fn read_kind(table: &mut Table<'_>, names: &Names, card: &mut Card) -> Result<(), String> {
    let kinds = [
        ("general", Kind::General),
        ("minion", Kind::Minion),
        ("spell", Kind::Spell),
        ("artifact", Kind::Artifact),
    ];
    let mut found = None;
    for (key, kind) in kinds {
        if let Some(item) = table.get(key) {
            if found.is_some() {
                return Err(table.error_at(key, &format!("{} is of two kinds", card.name)));
            }
            found = Some((key, kind, item));
        }
    }
    let Some((key, kind, item)) = found else {
        let what = "should be a general, a minion, a spell or an artifact: minion = { mana = 2, attack = 2, health = 3 }";
        return Err(table.error(&format!("{} {what}", card.name)));
    };
    card.kind = kind;
    let mut numbers = Table::of(table.source(), item, key)?;
    let needs =
        |numbers: &Table<'_>, what: &str| numbers.error(&format!("{}: a {key} needs {what}", card.name));
    if kind != Kind::General {
        let mana = numbers.number("mana", 0..=25)?;
        card.mana = mana.ok_or_else(|| needs(&numbers, "mana"))? as u8;
    }
    if kind != Kind::Spell {
        card.attack = match numbers.number("attack", 0..=LARGEST)? {
            Some(attack) => attack as i16,
            None if kind == Kind::Artifact => 0,
            None => return Err(needs(&numbers, "attack")),
        };
    }
    if matches!(kind, Kind::General | Kind::Minion) {
        let health = numbers.number("health", 1..=LARGEST)?;
        card.health = health.ok_or_else(|| needs(&numbers, "health"))? as i16;
    }
    if kind == Kind::Artifact {
        card.durability = numbers.number("durability", 1..=9)?.unwrap_or(3) as u8;
    }
    if kind == Kind::General {
        card.spell = match numbers.text("spell")? {
            Some(name) => Some(names.card(name).map_err(|what| numbers.error_at("spell", &what))?),
            None => None,
        };
    }
    numbers.finish()
}
