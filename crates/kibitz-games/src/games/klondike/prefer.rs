//! The paper's order of preference, and the search that follows it.

use super::cards::{Card, members};
use super::moves::{Ends, Kind, Move, Moves, Reading, Rules, legal, parent};
use super::position::COLUMNS;
use super::state::State;

/// The move that the paper's six classes prefer, none where none is legal.
///
/// Within a class, the first one generated: columns from left to right, whole runs before parts of them, the
/// deck from the front, the tableau before the deck; but in the first two classes, as the paper is read, the
/// last one.
pub fn preferred(rules: &Rules, state: &State) -> Option<Move> {
    if rules.kind == Kind::Macro {
        return choose(rules, state, &state.moves);
    }
    // Where the best card is still in the deck, it is turned for.
    let ahead = rules.with(Kind::Macro);
    match choose(&ahead, state, &legal(&ahead, state)) {
        Some(best) if state.moves.contains(best) => Some(best),
        Some(_) if state.moves.turn => Some(Move::Turn),
        _ => choose(rules, state, &state.moves).or(state.moves.turn.then_some(Move::Turn)),
    }
}

/// Whether following the preferences wins. This is a search of its own, which forgets what was there before it.
pub fn wins(rules: &Rules, state: &State) -> bool {
    let rules = rules.with(Kind::Macro);
    let mut state = state.forgetful();
    state.moves = legal(&rules, &state);
    while !state.position.is_won() {
        let Some(best) = choose(&rules, &state, &state.moves) else { return false };
        state.make(&rules, best);
    }
    true
}

fn choose(rules: &Rules, state: &State, moves: &Moves) -> Option<Move> {
    let ends = Ends::of(&state.position);
    let is_last_first = rules.reading == Reading::Paper;
    let onto = moves.first | moves.second;
    let founded = state.position.next() >> 4;
    let of_deck = !(state.open | founded);
    if moves.up != 0 {
        for set in [moves.up & ends.revealing, moves.up] {
            let found = match is_last_first {
                true => from_deck(state, set & of_deck, true).or_else(|| from_column(state, set, true)),
                false => from_column(state, set, false).or_else(|| from_deck(state, set & of_deck, false)),
            };
            if let Some(card) = found {
                return Some(Move::Up(card));
            }
        }
    }
    let from_bases = |set: u64| {
        if set == 0 {
            return None;
        }
        let bases = state.position.runs.iter().filter_map(|run| run.base());
        bases.into_iter().find(|base| set & base.bit() != 0)
    };
    let card = from_bases(onto & ends.revealing)
        .or_else(|| from_deck(state, onto & of_deck, false))
        .or_else(|| members(onto & founded).min_by_key(|card| column_of(state, moves, *card)))
        .or_else(|| first_quiet(state, onto & !founded & !ends.revealing))?;
    let second = match (moves.first & card.bit() != 0, moves.second & card.bit() != 0) {
        (true, true) => to_column(state, card, true) < to_column(state, card, false),
        (_, second) => second,
    };
    Some(Move::Onto(card, second))
}

fn from_deck(state: &State, set: u64, is_last: bool) -> Option<Card> {
    if set == 0 {
        return None;
    }
    let mut cards = state.position.deck_cards().map(|(_, card)| card).filter(|card| set & card.bit() != 0);
    if is_last { cards.last() } else { cards.next() }
}

/// A card of the set that nothing lies on.
fn from_column(state: &State, set: u64, is_last: bool) -> Option<Card> {
    let top = |column: usize| state.position.runs[column].top().filter(|card| set & card.bit() != 0);
    if is_last { (0..COLUMNS).rev().find_map(top) } else { (0..COLUMNS).find_map(top) }
}

/// A card of the set: columns from left to right, of each the lowest-lying one.
fn first_quiet(state: &State, set: u64) -> Option<Card> {
    if set == 0 {
        return None;
    }
    state.position.runs.iter().flat_map(|run| run.cards()).find(|card| set & card.bit() != 0)
}

/// The column that a move onto another card, or of a king, leads to.
fn to_column(state: &State, card: Card, second: bool) -> Option<usize> {
    match parent(card, second) {
        Some(parent) => state.position.find(parent).map(|(column, _)| column),
        None => state.position.empty_column(),
    }
}

/// The leftmost column that a card may go to.
fn column_of(state: &State, moves: &Moves, card: Card) -> usize {
    let ways = [(moves.first, false), (moves.second, true)].into_iter();
    let legal = ways.filter(|(set, _)| set & card.bit() != 0);
    legal.filter_map(|(_, second)| to_column(state, card, second)).min().unwrap_or(COLUMNS)
}
