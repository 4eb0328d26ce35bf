//! From moves that play any card that turning brings up to ordinary ones, which turn the deck, and back.

use super::moves::Move;
use super::position::Position;

/// The ordinary moves that a move amounts to: the deck is turned until its card is on top, and then it is played.
/// None where no turning brings it up.
pub fn to_ordinary(position: &Position, draw: u32, made: Move) -> Option<Vec<Move>> {
    let card = match made {
        Move::Up(card) | Move::Onto(card, _) => card,
        Move::Turn => return Some(vec![made]),
    };
    let is_in_deck = position.deck_cards().any(|(_, other)| other == card);
    let turns = if is_in_deck { position.turns_to(card, draw)? } else { 0 };
    let mut moves = vec![Move::Turn; turns as usize];
    moves.push(made);
    Some(moves)
}

/// The moves that ordinary ones amount to: those without turning. (Turning at the end is lost.)
pub fn to_macro(moves: &[Move]) -> Vec<Move> {
    moves.iter().copied().filter(|made| *made != Move::Turn).collect()
}
