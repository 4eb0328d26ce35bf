//! From macro-actions back to moves of the game.

use std::sync::Arc;

use kibitz_core::game::Action;
use kibitz_core::macro_actions::MacroActions;
use kibitz_core::model::{SharedModel, State};

use super::cards::Card;
use super::macro_actions::{MacroGame, macro_action};
use super::moves::Move;
use super::position::{Position, Run};
use super::quotient::{Closure, MacroAction, Place, Table};
use super::solver::Step;
use super::state;

/// The macro-actions of the collapsed game with every move of the ordinary rules.
pub struct KlondikeMacroActions {
    game: Arc<MacroGame>,
}

impl KlondikeMacroActions {
    /// The macro-actions of a game that turns so many cards at a time.
    pub fn new(draw: u32) -> KlondikeMacroActions {
        KlondikeMacroActions { game: Arc::new(MacroGame::new(draw)) }
    }
}

impl MacroActions for KlondikeMacroActions {
    fn model(&self) -> SharedModel {
        self.game.clone()
    }

    fn enter(&self, state: &State) -> State {
        State::new(self.game.enter(&state.get::<state::State>().position))
    }

    fn spell(&self, state: &State, action: Action, moves: &mut Vec<Action>) {
        let mut speller = Speller { position: state.get::<state::State>().position, moves };
        let spot = self.game.enter(&speller.position);
        let Some(counts) = spot.starts(macro_action(action)) else { return };
        let mut begun = self.game.begin(&speller.position);
        while let Some(card) = begun.as_well() {
            speller.up(card);
            begun.found(card);
        }
        for card in begun.closure().way(counts) {
            speller.shift(card);
        }
        speller.macro_action(macro_action(action));
    }
}

/// The moves of a way to win, all cards known, down to the last card.
pub fn spell_out(position: &Position, draw: u32, way: &[Step]) -> Vec<Action> {
    let mut moves = Vec::new();
    let table = Table::new(position, draw);
    let place = table.place(position);
    let mut walk = Walk { table, place, speller: Speller { position: *position, moves: &mut moves } };
    // Where the solver takes it to be. It moves cards to the foundation that can come back; here they stay until
    // something needs them there.
    let mut settled = place;
    walk.settle(&mut settled);
    for Step { counts, macro_action } in way {
        table.look_through(&mut settled);
        settled = settled.at(*counts);
        walk.go(&settled, *macro_action);
        table.take_and_see(&mut settled, *macro_action);
        walk.settle(&mut settled);
    }
    // Now nothing is face down, and the lowest rank is always free to go.
    for card in Card::all().filter(|card| walk.place.open & card.bit() != 0) {
        walk.speller.up(card);
    }
    moves
}

/// A game on the solver's way.
struct Walk<'a> {
    table: Table,
    place: Place,
    speller: Speller<'a>,
}

impl Walk<'_> {
    /// Makes a macro-action, where the foundations are as in `settled`.
    fn go(&mut self, settled: &Place, macro_action: MacroAction) {
        self.table.look_through(&mut self.place);
        let mut closure = Closure::default();
        closure.fill(&self.place, self.table.wanting(&self.place));
        for card in closure.way(settled.counts) {
            self.speller.shift(card);
        }
        self.place = self.place.at(settled.counts);
        self.speller.macro_action(macro_action);
        self.table.take_and_see(&mut self.place, macro_action);
    }

    /// Lets the solver's place settle, and makes what cannot be undone of it.
    fn settle(&mut self, settled: &mut Place) {
        while let Some(card) = settled.settles() {
            if settled.bases & card.bit() != 0 {
                self.go(settled, MacroAction { card, founds: true });
            }
            self.table.found(settled, card);
        }
    }
}

/// Turns moves of cards, wherever they lie, into moves of a game.
struct Speller<'a> {
    position: Position,
    moves: &'a mut Vec<Action>,
}

impl Speller<'_> {
    fn macro_action(&mut self, macro_action: MacroAction) {
        if macro_action.founds { self.up(macro_action.card) } else { self.onto(macro_action.card) }
    }

    /// A card goes from the tableau to the foundation, or comes back.
    fn shift(&mut self, card: Card) {
        match self.position.find(card) {
            Some(_) => self.up(card),
            None => self.onto(card),
        }
    }

    fn up(&mut self, card: Card) {
        // What lies on it can move to its twin.
        if let Some((column, place)) = self.position.find(card) {
            if place + 1 < self.position.runs[column].len() {
                let above = self.position.runs[column].card(place + 1);
                self.play(above, Some(card.twin()));
            }
            self.cut(column, place);
        }
        self.position.foundation[usize::from(card.suit())] += 1;
        self.moves.push(Move::Up(card).action());
    }

    /// To a parent that has room, or to an empty column.
    fn onto(&mut self, card: Card) {
        let parent = self.position.runs.iter().filter_map(Run::top).find(|top| card.goes_on(*top));
        self.play(card, parent);
    }

    /// A card, with all that lies on it, goes onto another, or to an empty column.
    fn play(&mut self, card: Card, parent: Option<Card>) {
        let moved = match self.position.find(card) {
            Some((column, place)) => self.cut(column, place),
            None => {
                let count = &mut self.position.foundation[usize::from(card.suit())];
                *count -= u8::from(*count == card.rank() + 1);
                let mut alone = Run::default();
                alone.push(card);
                alone
            }
        };
        let column = match parent {
            Some(parent) => self.position.find(parent).map(|(column, _)| column),
            None => self.position.empty_column(),
        };
        if let Some(column) = column {
            self.position.runs[column].append(moved);
        }
        let second = parent.is_some_and(|parent| parent.suit() & 1 == 1);
        self.moves.push(Move::Onto(card, second).action());
    }

    /// Takes cards away from a column, which turns up what lay below them.
    fn cut(&mut self, column: usize, place: usize) -> Run {
        let cut = self.position.runs[column].cut(place);
        let below = self.position.face_down(column).last().copied();
        if let (true, Some(below)) = (place == 0, below) {
            self.position.hidden[column] -= 1;
            self.position.runs[column].push(below);
        }
        cut
    }
}
