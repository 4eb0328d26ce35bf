//! Leduc hold'em (Southey et al., 2005): six cards, two rounds of betting, one card on the table.

use kibitz_core::abilities::{Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::params::NoParams;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::bits::{nth_set, ones};
use crate::cards::{dealt_to, face};
use crate::draw::{CARD, FAINT, FIRST, INK, Picture};

register_game!(
    "leduc-poker",
    "A small poker: two suits of three ranks, a private card each, one on the table, two rounds.",
    NoParams,
    |_| Ok(LeducPoker::new())
);

const DECK: u64 = 0b11_1111;
/// Two suits to a rank, so that half a card's number is its rank.
const CARDS: [&str; 6] = ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"];
const UNKNOWN: u8 = 6;
const TABLE: usize = 2;

const MOVES: [&str; 3] = ["fold", "call", "raise"];
const FOLD: u8 = 0;
const CALL: u8 = 1;
const RAISE: u8 = 2;

const ANTE: u8 = 1;
const RAISE_BY: [u8; 2] = [2, 4];
const MOST_RAISES: u8 = 2;

// Observations of moves are their numbers plus one; those of deals lie above them, and a
// showdown's cards are a multiple of SHOWDOWN.
const OWN_CARD: u64 = 4;
const OTHER_DEALT: u64 = OWN_CARD + UNKNOWN as u64;
const TABLE_CARD: u64 = OTHER_DEALT + 1;
const SHOWDOWN: u64 = 32;

/// The rules.
pub struct LeducPoker {
    info: Info,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    NotYet,
    Folded(u8),
    Showdown,
}

/// The cards, the stakes and all moves so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The first player's, the second player's, and the one on the table.
    cards: [u8; 3],
    dealt: u8,
    stakes: [u8; 2],
    mover: u8,
    /// In the present round.
    raises: u8,
    moves: [u8; 8],
    moved: u8,
    /// How many of the moves belong to the first round, once that is over.
    first_round: Option<u8>,
    end: End,
}

impl LeducPoker {
    fn new() -> LeducPoker {
        LeducPoker { info: Info { perfect_information: false, ..Info::duel(13.0, 11) } }
    }
}

impl State {
    fn moves(&self) -> &[u8] {
        &self.moves[..usize::from(self.moved)]
    }

    /// The moves of both rounds.
    fn rounds(&self) -> (&[u8], &[u8]) {
        self.moves().split_at(usize::from(self.first_round.unwrap_or(self.moved)))
    }

    fn is_chance(&self) -> bool {
        self.dealt < 2 || self.dealt == 2 && self.first_round.is_some()
    }

    fn deck(&self) -> u64 {
        self.cards[..usize::from(self.dealt)].iter().fold(DECK, |deck, card| deck & !(1 << card))
    }

    fn deal(&mut self, card: u8) {
        self.cards[usize::from(self.dealt)] = card;
        self.dealt += 1;
    }

    /// The lowest and the highest legal move; those between are legal too.
    #[inline]
    fn legal(&self) -> (u8, u8) {
        let is_behind = self.stakes[usize::from(self.mover)] < self.stakes[usize::from(1 - self.mover)];
        (if is_behind { FOLD } else { CALL }, if self.raises < MOST_RAISES { RAISE } else { CALL })
    }

    fn make(&mut self, action: u8) {
        let mover = usize::from(self.mover);
        let to_match = self.stakes[1 - mover];
        self.moves[usize::from(self.moved)] = action;
        self.moved += 1;
        self.mover ^= 1;
        match action {
            FOLD => self.end = End::Folded(mover as u8),
            CALL => self.stakes[mover] = to_match,
            _ => {
                self.stakes[mover] = to_match + RAISE_BY[usize::from(self.first_round.is_some())];
                self.raises += 1;
            }
        }
        // A call ends the round, except that the one who opens it may pass by calling.
        let of_round = self.moved - self.first_round.unwrap_or(0);
        if action == CALL && of_round > 1 {
            match self.first_round {
                None => (self.first_round, self.mover, self.raises) = (Some(self.moved), 0, 0),
                Some(_) => self.end = End::Showdown,
            }
        }
    }

    /// What a private card is worth beside the one on the table: a pair beats every rank.
    fn strength(&self, player: usize) -> u8 {
        let (own, table) = (self.cards[player] / 2, self.cards[TABLE] / 2);
        if own == table { 3 } else { own }
    }

    /// Who wins what, once the game is over.
    fn winnings(&self) -> Option<(usize, u8)> {
        let winner = match self.end {
            End::NotYet => return None,
            End::Folded(folder) => usize::from(1 - folder),
            End::Showdown => match self.strength(0).cmp(&self.strength(1)) {
                std::cmp::Ordering::Equal => return None,
                order => usize::from(order.is_lt()),
            },
        };
        Some((winner, self.stakes[1 - winner]))
    }

    fn is_visible(&self, viewer: Option<usize>, card: usize) -> bool {
        card == TABLE || self.end == End::Showdown || viewer.is_none_or(|viewer| viewer == card)
    }

    fn told_by_deal(&self, place: usize, player: usize) -> Observation {
        let card = u64::from(self.cards[place]);
        Observation(match place {
            TABLE => TABLE_CARD + card,
            _ if place == player => OWN_CARD + card,
            _ => OTHER_DEALT,
        })
    }

    /// What the move number `index` told everybody; a showdown tells the cards too.
    fn told_by_move(&self, index: usize) -> Observation {
        let told = u64::from(self.moves[index]) + 1;
        if self.end == End::Showdown && index + 1 == usize::from(self.moved) {
            return Observation(told + SHOWDOWN * (1 + u64::from(self.cards[0] * 6 + self.cards[1])));
        }
        Observation(told)
    }

    fn betting(&self) -> String {
        let list = |moves: &[u8]| match moves {
            [] => "-".to_owned(),
            _ => moves.iter().map(|&m| MOVES[usize::from(m)]).collect::<Vec<_>>().join(", "),
        };
        let (first, second) = self.rounds();
        format!("round 1: {}; round 2: {}", list(first), list(second))
    }

    fn standing(&self) -> String {
        let pot = format!("pot {} + {}", self.stakes[0], self.stakes[1]);
        match (self.end, self.winnings()) {
            (End::NotYet, _) => pot,
            (_, Some((winner, won))) => format!("{pot}; player {} wins {won}", winner + 1),
            (_, None) => format!("{pot}; a tie"),
        }
    }
}

impl Game for LeducPoker {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State {
            cards: [UNKNOWN; 3],
            dealt: 0,
            stakes: [ANTE; 2],
            mover: 0,
            raises: 0,
            moves: [0; 8],
            moved: 0,
            first_round: None,
            end: End::NotYet,
        }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match () {
            () if state.end != End::NotYet => Turn::Over,
            () if state.is_chance() => Turn::Chance,
            () => Turn::One(usize::from(state.mover)),
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        let (lowest, highest) = state.legal();
        actions.extend((lowest..=highest).map(|action| Action(u32::from(action))));
    }

    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let (lowest, highest) = state.legal();
        Action(u32::from(lowest) + rng.below(u32::from(highest - lowest + 1)))
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let deck = state.deck();
        let probability = 1.0 / f64::from(deck.count_ones());
        outcomes.extend(ones(deck).map(|card| (Action(card), probability)));
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        let deck = state.deck();
        Action(nth_set(deck, rng.below(deck.count_ones())))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0 as u8;
        if state.is_chance() {
            return state.deal(chosen);
        }
        state.make(chosen);
        if let Some((winner, won)) = state.winnings() {
            rewards[winner] += f64::from(won);
            rewards[1 - winner] -= f64::from(won);
        }
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, _: &[Action], player: usize) -> Observation {
        match turn {
            Turn::Chance => after.told_by_deal(usize::from(after.dealt) - 1, player),
            _ => after.told_by_move(usize::from(after.moved) - 1),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        match (turn, usize::from(after.dealt)) {
            (Turn::Chance, 1) => Observation(OTHER_DEALT),
            // To both, a second card that neither is told in public is another event.
            (Turn::Chance, 2) => Observation(OTHER_DEALT + SHOWDOWN),
            _ => self.observe(after, turn, joint, 0),
        }
    }

    fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
        let Transition { after, turn, joint, .. } = *step;
        let card = |place: usize| CARDS[usize::from(after.cards[place])];
        if let Turn::One(mover) = turn {
            let made = format!("player {} {}", mover + 1, MOVES[joint[0].0 as usize]);
            return match after.end {
                End::Showdown => format!("{made}; player 1 shows {}, player 2 shows {}", card(0), card(1)),
                _ => made,
            };
        }
        match usize::from(after.dealt) - 1 {
            TABLE => format!("{} is put on the table", card(TABLE)),
            owner => dealt_to(owner, player, || card(owner)),
        }
    }

    fn action_name(&self, _: &State, player: Option<usize>, action: Action) -> String {
        let names: &[&str] = if player.is_some() { &MOVES } else { &CARDS };
        names[action.0 as usize].to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        let card = |place: usize| {
            let name = || CARDS[usize::from(state.cards[place])];
            face(usize::from(state.dealt) > place, state.is_visible(viewer, place), name)
        };
        let cards = format!("player 1: {}   player 2: {}   table: {}", card(0), card(1), card(TABLE));
        format!("{cards}\n{}\n{}\n", state.betting(), state.standing())
    }

    abilities!(hash, resampling, view_key, picture);
}

impl StateHash<State> for LeducPoker {
    fn hash(&self, state: &State) -> u64 {
        let [a, b, c] = state.cards.map(u64::from);
        let cards = u64::from(state.dealt) << 16 | a << 8 | b << 4 | c;
        let rounds = u64::from(state.first_round.unwrap_or(0)) << 8 | u64::from(state.moved);
        derive(cards << 16 | rounds, u64::from_le_bytes(state.moves))
    }
}

impl Resample<State> for LeducPoker {
    /// Every deal that the view allows is equally likely, since the cards do not choose the moves.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let mut state = self.initial();
        for event in &view.events {
            let Event::Observed(Observation(told)) = *event else { continue };
            let is_deal = (OWN_CARD..TABLE_CARD + u64::from(UNKNOWN)).contains(&told);
            if is_deal != state.is_chance() || state.end != End::NotYet {
                return None;
            }
            match told {
                TABLE_CARD.. if is_deal => state.deal((told - TABLE_CARD) as u8),
                // A card of the other player's is UNKNOWN until it is drawn below.
                _ if is_deal => state.deal((told - OWN_CARD) as u8),
                _ => {
                    let (lowest, highest) = state.legal();
                    let action = (told % SHOWDOWN).checked_sub(1)? as u8;
                    (lowest..=highest).contains(&action).then(|| state.make(action))?;
                    if let Some(cards) = (told / SHOWDOWN).checked_sub(1) {
                        (state.cards[0], state.cards[1]) = ((cards / 6) as u8, (cards % 6) as u8);
                    }
                }
            }
        }
        let dealt = &state.cards[..usize::from(state.dealt)];
        if let Some(hidden) = dealt.iter().position(|&card| card == UNKNOWN) {
            let deck = state.deck();
            state.cards[hidden] = nth_set(deck, rng.below(deck.count_ones())) as u8;
        }
        Some(state)
    }
}

impl ViewKey<State> for LeducPoker {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        let dealt = |key, place| after_observation(key, state.told_by_deal(place, player));
        let bet = |key, index: usize, of_round: usize| {
            let is_own = of_round % 2 == player;
            let acted = if is_own { after_action(key, Action(state.moves[index].into())) } else { key };
            after_observation(acted, state.told_by_move(index))
        };
        let (first, second) = state.rounds();
        let mut key = (0..usize::from(state.dealt.min(2))).fold(view_seed(player), dealt);
        key = (0..first.len()).fold(key, |key, index| bet(key, index, index));
        if state.dealt > 2 {
            key = dealt(key, TABLE);
        }
        (0..second.len()).fold(key, |key, index| bet(key, first.len() + index, index))
    }
}

impl Svg<State> for LeducPoker {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        let mut picture = Picture::new(400, 176);
        for (place, x, label) in [(0, 90, "player 1"), (TABLE, 200, "table"), (1, 310, "player 2")] {
            let left = x - CARD.0 / 2;
            if place < usize::from(state.dealt) {
                let card = state.cards[place];
                let name = CARDS[usize::from(card)].replace('s', "\u{2660}").replace('h', "\u{2665}");
                let colour = if card.is_multiple_of(2) { INK } else { FIRST };
                picture.card(left, 14, state.is_visible(viewer, place).then_some(&name), colour);
            } else {
                picture.no_card(left, 14);
            }
            picture.words(x, 94, 12, FAINT, label);
        }
        picture.words(200, 124, 12, INK, state.betting());
        picture.words(200, 150, 13, INK, state.standing());
        picture.finish()
    }
}

#[cfg(test)]
mod tests;
