//! From strides back to moves of the game.

use std::sync::Arc;

use kibitz_core::game::Action;
use kibitz_core::model::{SharedModel, State};
use kibitz_core::strides::Strides;

use super::cards::Card;
use super::moves::Move;
use super::position::{Position, Run};
use super::quotient::Stride;
use super::state;
use super::strides::{Strided, stride};

/// The strides of the collapsed game with every move of the ordinary rules.
pub struct KlondikeStrides {
    game: Arc<Strided>,
}

impl KlondikeStrides {
    /// The strides of a game that turns so many cards at a time.
    pub fn new(draw: u32) -> KlondikeStrides {
        KlondikeStrides { game: Arc::new(Strided::new(draw)) }
    }
}

impl Strides for KlondikeStrides {
    fn model(&self) -> SharedModel {
        self.game.clone()
    }

    fn enter(&self, state: &State) -> State {
        State::new(self.game.enter(&state.get::<state::State>().position))
    }

    fn spell(&self, state: &State, action: Action, moves: &mut Vec<Action>) {
        let mut speller = Speller { position: state.get::<state::State>().position, moves };
        let spot = self.game.enter(&speller.position);
        let Some(member) = spot.member(stride(action)) else { return };
        let mut begun = self.game.begin(&speller.position);
        while let Some(card) = begun.as_well() {
            speller.up(card);
            begun.found(card);
        }
        for card in begun.way(&member) {
            speller.shift(card);
        }
        let Stride { card, founds } = stride(action);
        if founds { speller.up(card) } else { speller.onto(card) }
    }
}

/// Turns moves of cards, wherever they lie, into moves of a game.
struct Speller<'a> {
    position: Position,
    moves: &'a mut Vec<Action>,
}

impl Speller<'_> {
    /// Where a face-up card lies: its column and its place in the run.
    fn find(&self, card: Card) -> Option<(usize, usize)> {
        self.position.runs.iter().enumerate().find_map(|(column, run)| {
            run.cards().position(|other| other == card).map(|place| (column, place))
        })
    }

    /// A card goes from the tableau to the foundation, or comes back.
    fn shift(&mut self, card: Card) {
        match self.find(card) {
            Some(_) => self.up(card),
            None => self.onto(card),
        }
    }

    fn up(&mut self, card: Card) {
        // What lies on it can move to its twin.
        if let Some((column, place)) = self.find(card) {
            if place + 1 < self.position.runs[column].len() {
                let above = self.position.runs[column].card(place + 1);
                self.play(above, card.twin());
            }
            self.position.runs[column].cut(place);
        }
        self.position.foundation[usize::from(card.suit())] += 1;
        self.moves.push(Move::Up(card).action());
    }

    fn onto(&mut self, card: Card) {
        let tops = self.position.runs.iter().filter_map(|run| run.top());
        match tops.clone().find(|top| card.goes_on(*top)) {
            Some(parent) => self.play(card, parent),
            None => self.moves.push(Move::Onto(card, false).action()),
        }
    }

    /// A card, with all that lies on it, goes onto another.
    fn play(&mut self, card: Card, parent: Card) {
        let mut moved = Run::default();
        match self.find(card) {
            Some((column, place)) => moved = self.position.runs[column].cut(place),
            None => {
                let suit = usize::from(card.suit());
                if self.position.foundation[suit] == card.rank() + 1 {
                    self.position.foundation[suit] -= 1;
                }
                moved.push(card);
            }
        }
        if let Some((column, _)) = self.find(parent) {
            self.position.runs[column].append(moved);
        }
        self.moves.push(Move::Onto(card, parent.suit() & 1 == 1).action());
    }
}
