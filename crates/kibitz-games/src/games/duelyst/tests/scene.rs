//! Scenes: a position set up, what is done, and what is there afterwards, a line each.
//!
//! ```text
//! # True Strike                          the card that is tested, or a title
//! put 2 c3 Hailstone Golem               a unit of player 2, which may act
//! play True Strike [1] c3                the mover gets the card and plays it, for one mana
//! c3 = 2 Hailstone Golem 4/4             who stands there, with attack and health
//! ```
//!
//! What chance does is said before it happens (`chance c4`), or is the first outcome.

use std::collections::BTreeSet;

use kibitz_core::game::{Action, Game, Turn};

use super::super::actions::Choice;
use super::super::board::{CELLS, name};
use super::super::state::{HAND, NONE, Side, Stage, State};
use super::super::{Duelyst, Rules};

type Done = Result<(), String>;

/// The titles and steps of a file of scenes.
pub fn scenes(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("# ").skip(1).map(|scene| {
        let (title, steps) = scene.split_once('\n').unwrap_or((scene, ""));
        (title.trim(), steps)
    })
}

pub struct Scene<'a> {
    game: &'a Duelyst,
    pub state: State,
    /// What chance is to do.
    fate: Vec<String>,
    /// The cards that were played or stood on the board.
    pub met: BTreeSet<String>,
}

impl<'a> Scene<'a> {
    /// The first player's second turn, with both hands empty.
    pub fn new(game: &'a Duelyst) -> Scene<'a> {
        let mut state = game.initial();
        let position = &mut state.position;
        position.tasks.clear();
        position.stage = Stage::Play;
        position.turn = 2;
        for side in &mut position.sides {
            (side.mana, side.most_mana) = (9, 9);
        }
        Scene { game, state, fate: Vec::new(), met: BTreeSet::new() }
    }

    /// Goes through all lines. At least one must say what is there.
    pub fn run(&mut self, steps: &str) -> Done {
        let mut said = 0;
        for line in steps.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.split_once(" = ") {
                Some((what, wanted)) => {
                    said += 1;
                    let found = self.found(what)?;
                    if found != wanted {
                        return Err(format!("{what} = {found}, not {wanted}"));
                    }
                }
                None if line.starts_with("may ") => {
                    said += 1;
                    self.may(line)?;
                }
                None => self.step(line).map_err(|what| format!("{line}: {what}"))?,
            }
            let cards = &self.game.rules.cards;
            let units = &self.state.position.units;
            self.met.extend(units.iter().map(|unit| cards[usize::from(unit.card)].name.clone()));
        }
        if said == 0 { Err("it says nothing of what happens".to_owned()) } else { Ok(()) }
    }

    fn card(&self, text: &str) -> Result<u8, String> {
        let found = self.game.rules.cards.iter().position(|card| card.name == text);
        found.map(|number| number as u8).ok_or_else(|| format!("no card is called '{text}'"))
    }

    fn cards(&self, text: &str) -> Result<Vec<u8>, String> {
        text.split(", ").filter(|name| *name != "nothing").map(|name| self.card(name)).collect()
    }

    fn side(&mut self, player: &str) -> Result<&mut Side, String> {
        Ok(&mut self.state.position.sides[seat(player)?])
    }

    fn mover(&mut self) -> &mut Side {
        let mover = self.state.position.mover;
        &mut self.state.position.sides[usize::from(mover)]
    }

    /// One thing that is set up or done.
    fn step(&mut self, line: &str) -> Done {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "put" => {
                let (player, rest) = rest.split_once(' ').ok_or("put PLAYER CELL NAME")?;
                let (cell, name) = rest.split_once(' ').ok_or("put PLAYER CELL NAME")?;
                let (owner, cell, card) = (seat(player)? as u8, cell_of(cell)?, self.card(name)?);
                let position = &mut self.state.position;
                let index = position.put(&self.game.rules.cards, card, owner, cell);
                position.units[index].refresh();
                Ok(())
            }
            "wound" => {
                let (cell, amount) = rest.split_once(' ').ok_or("wound CELL AMOUNT")?;
                let index = self.state.position.on(cell_of(cell)?).ok_or("nobody is there")?;
                self.state.position.units[index].damage += number(amount)?;
                Ok(())
            }
            "hold" => {
                let (player, names) = rest.split_once(' ').ok_or("hold PLAYER NAMES")?;
                let cards = self.cards(names)?;
                let hand = &mut self.side(player)?.hand;
                *hand = [NONE; HAND];
                hand[..cards.len()].copy_from_slice(&cards);
                Ok(())
            }
            "pile" => {
                let (player, names) = rest.split_once(' ').ok_or("pile PLAYER NAMES")?;
                let (owner, cards) = (seat(player)? as u8, self.cards(names)?);
                let rules: &Rules = &self.game.rules;
                let side = self.side(player)?;
                (side.pile, side.left) = ([0; _], cards.len() as u8);
                for card in cards {
                    side.pile[rules.kind_of(owner, card)] += 1;
                }
                Ok(())
            }
            "turn" => {
                self.state.position.turn = number(rest)? as u16;
                Ok(())
            }
            "ready" => {
                let side = self.mover();
                (side.is_spell_ready, side.mana) = (true, 9);
                Ok(())
            }
            "mana" => {
                self.mover().mana = number(rest)? as u8;
                Ok(())
            }
            "chance" => {
                self.fate.push(rest.to_owned());
                Ok(())
            }
            "play" if rest.contains(" [") => {
                let (name, rest) = rest.split_once(" [").ok_or("play NAME [COST] CELL")?;
                let (cost, cell) = rest.split_once("] ").ok_or("play NAME [COST] CELL")?;
                let (card, cell) = (self.card(name)?, cell_of(cell)?);
                self.met.insert(name.to_owned());
                let side = self.mover();
                let slot = side.free_slot().ok_or("the hand is full")?;
                (side.hand[slot], side.mana) = (card, 9);
                self.pay(cost, Choice::Play { slot: slot as u8, cell })
            }
            "cast" => {
                let (cost, cell) = rest
                    .strip_prefix('[')
                    .and_then(|rest| rest.split_once("] "))
                    .ok_or("cast [COST] CELL")?;
                let side = self.mover();
                (side.is_spell_ready, side.mana) = (true, 9);
                let spell = self.game.rules.spells[usize::from(self.state.position.mover)];
                self.met.insert(self.game.card_name(spell).to_owned());
                self.pay(cost, Choice::Cast(cell_of(cell)?))
            }
            _ => {
                let mover = usize::from(self.state.position.mover);
                let mut legal = Vec::new();
                self.game.legal(&self.state, mover, &mut legal);
                let named = |action: &Action| self.game.action_name(&self.state, Some(mover), *action);
                let action = legal.into_iter().find(|action| named(action) == line).ok_or("not legal")?;
                self.act(action)
            }
        }
    }

    /// Plays a card or casts a spell, and looks at what it costs.
    fn pay(&mut self, cost: &str, choice: Choice) -> Done {
        let mover = usize::from(self.state.position.mover);
        let before = self.state.position.sides[mover];
        self.act(choice.action())?;
        let side = &self.state.position.sides[mover];
        let paid = before.mana + side.spring_mana - before.spring_mana - side.mana;
        let wanted = number(cost)? as u8;
        if paid == wanted { Ok(()) } else { Err(format!("it costs {paid}, not {wanted}")) }
    }

    /// Carries out an action, and what chance does after it.
    fn act(&mut self, action: Action) -> Done {
        let mut legal = Vec::new();
        let mover = usize::from(self.state.position.mover);
        self.game.legal(&self.state, mover, &mut legal);
        if !legal.contains(&action) {
            return Err("not legal".to_owned());
        }
        self.game.advance(&mut self.state, &[action]);
        while self.game.turn(&self.state) == Turn::Chance {
            let mut outcomes = Vec::new();
            self.game.chance(&self.state, &mut outcomes);
            let named = |(outcome, _): &(Action, f64)| self.game.action_name(&self.state, None, *outcome);
            let chosen = match self.fate.first() {
                Some(wanted) => {
                    let all: Vec<String> = outcomes.iter().map(named).collect();
                    let at = all.iter().position(|name| name == wanted);
                    at.ok_or_else(|| format!("chance may do {all:?}, not {wanted}"))?
                }
                None => 0,
            };
            if !self.fate.is_empty() {
                self.fate.remove(0);
            }
            self.game.advance(&mut self.state, &[outcomes[chosen].0]);
        }
        match self.fate.first() {
            Some(left) => Err(format!("chance has nothing to do with {left}")),
            None => Ok(()),
        }
    }

    /// `may attack c3 d3`, or `may not ...`. Of a card: `may play True Strike at c3`.
    fn may(&mut self, line: &str) -> Done {
        let wish = line.trim_start_matches("may ");
        let (is_wanted, wish) = wish.strip_prefix("not ").map_or((true, wish), |wish| (false, wish));
        let mover = usize::from(self.state.position.mover);
        let mut state = self.state.clone();
        let mut wish = wish.to_owned();
        if let Some((name, cell)) = wish.strip_prefix("play ").and_then(|rest| rest.split_once(" at ")) {
            let card = self.card(name)?;
            let side = &mut state.position.sides[mover];
            let held = side.hand.iter().position(|other| *other == card).or_else(|| side.free_slot());
            let slot = held.ok_or("the hand is full")?;
            side.hand[slot] = card;
            wish = format!("play {} {name} at {cell}", slot + 1);
        }
        let mut legal = Vec::new();
        self.game.legal(&state, mover, &mut legal);
        let is = legal.iter().any(|action| self.game.action_name(&state, Some(mover), *action) == wish);
        if is == is_wanted { Ok(()) } else { Err(format!("{line}: it is otherwise")) }
    }

    /// What is there, in words.
    fn found(&self, what: &str) -> Result<String, String> {
        let position = &self.state.position;
        let (what, player) = what.split_once(' ').unwrap_or((what, ""));
        let all =
            |words: Vec<String>| if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
        Ok(match what {
            "mana" => {
                let side = &position.sides[seat(player)?];
                format!("{} of {}", side.mana, side.shown_mana())
            }
            "hand" => {
                let held = position.sides[seat(player)?].hand;
                all(held
                    .iter()
                    .filter(|card| **card != NONE)
                    .map(|card| self.game.card_name(*card).to_owned())
                    .collect())
            }
            "pile" => position.sides[seat(player)?].left.to_string(),
            "artifacts" => {
                let artifacts = position.sides[seat(player)?].artifacts();
                all(artifacts.map(|(card, left)| format!("{} {left}", self.game.card_name(card))).collect())
            }
            "spell" => match position.sides[seat(player)?].is_spell_ready {
                true => self.game.card_name(self.game.rules.spells[seat(player)?]).to_owned(),
                false => "nothing".to_owned(),
            },
            "over" => match position.stage {
                Stage::Over(Some(winner)) => format!("player {} wins", winner + 1),
                Stage::Over(None) => "a draw".to_owned(),
                _ => "no".to_owned(),
            },
            cell => {
                let cell = cell_of(cell)?;
                match position.on(cell) {
                    Some(index) => {
                        let unit = &position.units[index];
                        let attack = position.attack(&self.game.rules.cards, unit);
                        let owner = unit.owner + 1;
                        format!("{owner} {} {attack}/{}", self.game.card_name(unit.card), unit.health())
                    }
                    None => match Duelyst::ground(position, cell) {
                        "" => "nothing".to_owned(),
                        ground => ground.to_owned(),
                    },
                }
            }
        })
    }
}

/// The seat of player 1 or 2.
fn seat(player: &str) -> Result<usize, String> {
    match player {
        "1" => Ok(0),
        "2" => Ok(1),
        _ => Err(format!("'{player}' is neither player 1 nor 2")),
    }
}

fn number(text: &str) -> Result<i16, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

fn cell_of(text: &str) -> Result<u8, String> {
    (0..CELLS).find(|cell| name(*cell) == text).ok_or_else(|| format!("'{text}' is no cell"))
}
