//! How good a position looks: the weighted features of "Searching Solitaire in Real Time" (Bjarnason,
//! Tadepalli and Fern, 2007).

use super::cards::{Card, RANKS, members};
use super::moves::{Move, Rules};
use super::position::COLUMNS;
use super::state::State;

/// What the features count, a card or a pair of cards.
struct Weights {
    /// A card on its foundation, and how much less for each rank above the ace.
    founded: f64,
    rank: f64,
    /// A card of the deck that can be played.
    available: f64,
    /// A card that is face down, as the other one of its rank and colour is.
    twin: f64,
    /// A card above a lower one of its suit, in whose way to the foundation it is. (Of both kinds of pairs,
    /// the upper card does not lie on a face-up one, and the lower one is face down.)
    suit: f64,
    /// A card above one of those that it can be built on.
    build: f64,
}

const OPENING: Weights =
    Weights { founded: 5.0, rank: 1.0, available: 0.0, twin: -5.0, suit: -5.0, build: -10.0 };
const ENDGAME: Weights =
    Weights { founded: 5.0, rank: 0.0, available: 1.0, twin: -1.0, suit: -1.0, build: -5.0 };

/// Where the logistic curve is at a half, and over how much it rises, while cards are face down and later. Fitted
/// to the wins of games in which three moves of four are the preferred ones and the fourth is random.
const OPENING_CURVE: (f64, f64) = (-25.0, 72.0);
const ENDGAME_CURVE: (f64, f64) = (-22.0, 48.0);

/// The cards of one suit below a card.
#[inline]
fn below(card: Card) -> u64 {
    (0x1111_1111_1111_1111 << card.suit()) & (card.bit() - 1)
}

/// A chance of winning, between 0 and 1, that grows with the sum of the weighted features.
pub fn chance_of_winning(rules: &Rules, state: &State) -> f64 {
    let curve = if state.unseen == 0 { ENDGAME_CURVE } else { OPENING_CURVE };
    logistic(curve, weighted(rules, state))
}

fn logistic((middle, width): (f64, f64), sum: f64) -> f64 {
    1.0 / (1.0 + ((middle - sum) / width).exp())
}

/// The same after each of some moves, by what changes, where all cards are known and one stays face down: there
/// it does not matter which cards of the deck can be played. False where that is not so.
pub fn afterstate_values(
    rules: &Rules,
    state: &State,
    moves: impl Iterator<Item = Move>,
    values: &mut Vec<f64>,
) -> bool {
    if rules.collapsed || state.unseen == 0 {
        return false;
    }
    let now = weighted(rules, state);
    let after = |made| change(state, made).map_or(f64::NAN, |change| logistic(OPENING_CURVE, now + change));
    values.clear();
    values.extend(moves.map(after));
    true
}

/// What a move adds to the opening's sum; none where it turns up the last card.
fn change(state: &State, made: Move) -> Option<f64> {
    let position = &state.position;
    let founded = |card: Card| OPENING.founded - OPENING.rank * f64::from(card.rank());
    let (card, mut change) = match made {
        Move::Turn => return Some(0.0),
        Move::Up(card) => (card, founded(card)),
        Move::Onto(card, _) if card.rank() < position.foundation[usize::from(card.suit())] => {
            return Some(-founded(card));
        }
        Move::Onto(card, _) => (card, 0.0),
    };
    let is_bared = |column: &usize| position.runs[*column].base() == Some(card);
    let face_down = (0..COLUMNS).find(is_bared).map_or(&[][..], |column| position.face_down(column));
    if let Some(revealed) = face_down.last() {
        if state.unseen == revealed.bit() {
            return None;
        }
        let beneath = face_down.iter().fold(0, |set, card| set | card.bit());
        change -= OPENING.suit * f64::from((beneath & below(card)).count_ones());
        change -= OPENING.build * f64::from((beneath & card.parents()).count_ones());
        change += f64::from(RANKS) - f64::from(revealed.rank());
        // It and its twin have counted for being face down both.
        change -= if state.unseen & revealed.twin().bit() != 0 { 2.0 * OPENING.twin } else { 0.0 };
    }
    Some(change)
}

/// The sum of the weighted features: the opening's weights as long as a card is face down.
pub fn weighted(rules: &Rules, state: &State) -> f64 {
    let position = &state.position;
    let weights = if state.unseen == 0 { &ENDGAME } else { &OPENING };
    let founded = position.foundation.iter().flat_map(|count| 0..*count);
    let mut sum: f64 = founded.map(|rank| weights.founded - weights.rank * f64::from(rank)).sum();
    sum += weights.available * f64::from(state.reach.count_ones());
    for card in members(state.unseen) {
        sum += f64::from(card.rank()) - f64::from(RANKS);
        sum += if state.unseen & card.twin().bit() != 0 { weights.twin } else { 0.0 };
    }
    let (suit, build) = if rules.collapsed { expected_pairs(state) } else { pairs(state) };
    sum + weights.suit * suit + weights.build * build
}

/// How many cards are above a lower one of their suit, and above one that they can be built on.
fn pairs(state: &State) -> (f64, f64) {
    let (mut suit, mut build) = (0, 0);
    for column in 0..COLUMNS {
        let mut beneath = 0;
        for card in
            state.position.face_down(column).iter().copied().chain(state.position.runs[column].base())
        {
            suit += (beneath & below(card)).count_ones();
            build += (beneath & card.parents()).count_ones();
            beneath |= card.bit();
        }
    }
    (f64::from(suit), f64::from(build))
}

/// The same on average over all orders of the unseen cards.
fn expected_pairs(state: &State) -> (f64, f64) {
    let unseen = state.unseen;
    let count = f64::from(unseen.count_ones());
    let over = |card: Card| {
        (f64::from((unseen & below(card)).count_ones()), f64::from((unseen & card.parents()).count_ones()))
    };
    let (mut suit, mut build, mut places) = (0.0, 0.0, 0.0);
    for (run, down) in state.position.runs.iter().zip(state.position.hidden) {
        let down = f64::from(down);
        places += down * (down - 1.0) / 2.0;
        if let Some((lower, parents)) = run.base().filter(|_| down > 0.0).map(over) {
            suit += lower * down / count;
            build += parents * down / count;
        }
    }
    if places > 0.0 {
        // Each ordered pair of unseen cards is as likely as any other in two places above one another.
        let share = places / (count * (count - 1.0));
        for (lower, parents) in members(unseen).map(over) {
            suit += lower * share;
            build += parents * share;
        }
    }
    (suit, build)
}
