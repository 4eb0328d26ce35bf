//! Tests: scenes that anybody can read, one or more for each card, and what is refused.

use super::*;
use card::{Aim, Deed, Effect, Keyword, Kind, On, Only, Sort, Until, Where, Whose};

mod scene;

use scene::{Scene, scenes};

const CARDS: [&str; 7] = [
    include_str!("tests/scenes/neutral.txt"),
    include_str!("tests/scenes/lyonar.txt"),
    include_str!("tests/scenes/songhai.txt"),
    include_str!("tests/scenes/vetruvian.txt"),
    include_str!("tests/scenes/abyssian.txt"),
    include_str!("tests/scenes/magmar.txt"),
    include_str!("tests/scenes/vanar.txt"),
];

fn game(spec: &str) -> Duelyst {
    Duelyst::new(params(spec).unwrap()).unwrap()
}

fn params(spec: &str) -> Result<DuelystParams, String> {
    use kibitz_core::params::Params;
    DuelystParams::from_spec(&spec.parse().unwrap()).map_err(|error| error.to_string())
}

/// A game in which both have the deck that a card is of.
fn game_with(card: &Card) -> Duelyst {
    let faction = catalogue::FACTIONS[usize::from(card.faction)].0;
    let deck = if card.faction == 0 { "lyonar" } else { faction };
    game(&format!("duelyst(deck1={deck}, deck2={deck}, rules=original)"))
}

fn all_cards() -> Vec<Card> {
    Catalogue::read(None).unwrap().cards
}

/// All scenes of cards, each under the name of its card.
fn card_scenes() -> Vec<(&'static str, &'static str)> {
    CARDS.iter().flat_map(|text| scenes(text)).collect()
}

#[test]
fn each_card_does_what_its_scenes_say() {
    let cards = all_cards();
    let mut wrong = Vec::new();
    for (name, steps) in card_scenes() {
        let card = cards.iter().find(|card| card.name == name);
        let game = game_with(card.unwrap_or_else(|| panic!("no card is called {name}")));
        let mut scene = Scene::new(&game);
        wrong.extend(scene.run(steps).err().map(|what| format!("{name}: {what}")));
        if !scene.met.contains(name) {
            wrong.push(format!("{name} does not occur in its scene"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_card_is_without_a_scene() {
    let tested: Vec<&str> = card_scenes().into_iter().map(|(name, _)| name).collect();
    let without: Vec<String> = all_cards()
        .into_iter()
        .map(|card| card.name)
        .filter(|name| !tested.contains(&name.as_str()))
        .collect();
    assert!(without.is_empty(), "no scene shows what these do: {without:?}");
}

/// The same card with one thing changed, and what that is.
fn changed(card: &Card) -> Vec<(String, Card)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut Card)| {
        let mut other = card.clone();
        change(&mut other);
        all.push((what, other));
    };
    // What only other cards make is never paid for.
    if card.kind != Kind::General && !(card.token && card.kind == Kind::Minion) {
        add("one mana more".to_owned(), &|card| card.mana += 1);
    }
    if card.kind != Kind::Spell && !card.has(Keyword::Structure) {
        add("one attack more".to_owned(), &|card| card.attack += 1);
    }
    if matches!(card.kind, Kind::General | Kind::Minion) {
        add("one health more".to_owned(), &|card| card.health += 1);
    }
    if card.kind == Kind::Artifact {
        add("more durable".to_owned(), &|card| card.durability += 1);
    }
    for (word, keyword) in Keyword::NAMES {
        if card.has(keyword) {
            add(format!("no {word}"), &|card| card.keywords &= !keyword.bit());
        }
    }
    if card.zeal > 0 {
        add("no zeal".to_owned(), &|card| card.zeal -= 1);
    }
    if card.backstab > 0 {
        add("no backstab".to_owned(), &|card| card.backstab -= 1);
    }
    if card.infiltrate > 0 {
        add("less infiltrate".to_owned(), &|card| card.infiltrate -= 1);
    }
    for (index, effect) in card.effects.iter().enumerate() {
        add(format!("without effect {}", index + 1), &|card| {
            card.effects.remove(index);
        });
        for (what, other) in changed_effects(*effect) {
            add(format!("with effect {} {what}", index + 1), &|card| card.effects[index] = other);
        }
    }
    for (index, (_, effect)) in card.abilities.iter().enumerate() {
        add(format!("without ability {}", index + 1), &|card| {
            card.abilities.remove(index);
        });
        for (what, other) in changed_effects(*effect) {
            add(format!("with ability {} {what}", index + 1), &|card| card.abilities[index].1 = other);
        }
    }
    for (number, follow_up) in card.follow_ups.iter().enumerate() {
        let of = format!("of follow-up {}", number + 1);
        add(format!("with the target {of} anywhere"), &|card| card.follow_ups[number].aim = Aim::Anywhere);
        for (index, effect) in follow_up.effects.iter().enumerate() {
            add(format!("without effect {} {of}", index + 1), &|card| {
                card.follow_ups[number].effects.remove(index);
            });
            for (what, other) in changed_effects(*effect) {
                add(format!("with effect {} {of} {what}", index + 1), &|card| {
                    card.follow_ups[number].effects[index] = other;
                });
            }
        }
    }
    if card.kind == Kind::Spell && card.aim != Aim::Anywhere {
        add("aimed anywhere".to_owned(), &|card| card.aim = Aim::Anywhere);
    }
    if card.race > 0 {
        add("of no race".to_owned(), &|card| card.race = 0);
    }
    all
}

/// The same effect with one thing changed.
fn changed_effects(effect: Effect) -> Vec<(&'static str, Effect)> {
    let deeds = match effect.deed {
        Deed::Damage(amount) => vec![("stronger", Deed::Damage(amount + 1))],
        Deed::Draw(count) => vec![("drawing more", Deed::Draw(count + 1))],
        Deed::Buff { attack, health, until } => {
            let other = if until == Until::Forever { Until::EndOfTurn } else { Until::Forever };
            vec![
                ("with more attack", Deed::Buff { attack: attack + 1, health, until }),
                ("with more health", Deed::Buff { attack, health: health + 1, until }),
                ("of another duration", Deed::Buff { attack, health, until: other }),
            ]
        }
        Deed::SetAttack { to, until } => vec![
            ("with more attack", Deed::SetAttack { to: to + 1, until }),
            ("for ever", Deed::SetAttack { to, until: Until::Forever }),
            ("until the end of the turn", Deed::SetAttack { to, until: Until::EndOfTurn }),
        ],
        Deed::Summon { card, count, spot } if count > 1 => {
            vec![("summoning fewer", Deed::Summon { card, count: count - 1, spot })]
        }
        _ => vec![],
    };
    let mut all: Vec<_> = deeds.into_iter().map(|(what, deed)| (what, Effect { deed, ..effect })).collect();
    if effect.only != Only::Always {
        all.push(("always", Effect { only: Only::Always, ..effect }));
    }
    if let On::All(units, order) = effect.on {
        let wider = [
            (units.whose != Whose::Any, "on anybody's", card::Units { whose: Whose::Any, ..units }),
            (units.sort != Sort::Unit, "on Generals too", card::Units { sort: Sort::Unit, ..units }),
            (units.place != Where::Anywhere, "anywhere", card::Units { place: Where::Anywhere, ..units }),
            (units.most_attack.is_some(), "on stronger ones", card::Units { most_attack: None, ..units }),
        ];
        let wider = wider.into_iter().filter(|(is, ..)| *is);
        all.extend(wider.map(|(_, what, units)| (what, Effect { on: On::All(units, order), ..effect })));
    }
    all
}

/// A scene that goes on as before when its card is another one would test nothing.
#[test]
fn scenes_notice_whatever_is_changed_about_their_card() {
    let mut unnoticed = Vec::new();
    for card in all_cards() {
        let mut game = game_with(&card);
        let number = game.rules.cards.iter().position(|other| other.name == card.name).unwrap();
        for (what, other) in changed(&card) {
            game.rules.cards[number] = other;
            let notices = card_scenes()
                .into_iter()
                .any(|(name, steps)| name == card.name && Scene::new(&game).run(steps).is_err());
            if !notices {
                unnoticed.push(format!("{}: {what}", card.name));
            }
        }
    }
    assert!(unnoticed.is_empty(), "these would not be noticed:\n{}", unnoticed.join("\n"));
}

#[test]
fn the_rules_of_the_original() {
    run_all("duelyst(rules=original)", include_str!("tests/scenes/original.txt"));
}

#[test]
fn the_rules_of_the_thesis() {
    run_all("duelyst", include_str!("tests/scenes/thesis.txt"));
}

fn run_all(spec: &str, text: &'static str) {
    let game = game(spec);
    let wrong = scenes(text).filter_map(|(title, steps)| {
        let run = Scene::new(&game).run(steps);
        run.err().map(|what| format!("{title}: {what}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
