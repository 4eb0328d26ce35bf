//! What there is to see of a game, and the same drawn in characters.

use kibitz_core::game::{Game, Turn};

use super::cards::{Card, RANKS, SUIT_SIGNS};
use super::moves::Kind;
use super::position::{COLUMNS, begins};
use super::state::State;
use super::{DECK_PLACE, DOWN_PLACE, Form, Klondike};

/// What may be seen of a place that has, or had, a card.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Up(Card),
    /// Face down, and which card it is for those who may know.
    Down(Option<Card>),
}

/// The width of a card in characters, with brackets around it.
const CELL: usize = 6;
const BACK: &str = "▒▒";

impl Klondike {
    /// Whether chance is still to deal a card to this place.
    fn is_undealt(&self, state: &State, place: usize) -> bool {
        let dealt = usize::from(state.dealt).min(self.places.len());
        self.places[dealt..].contains(&(place as u8))
    }

    /// The cards of a column, the undermost first.
    pub(super) fn column(&self, state: &State, viewer: Option<usize>, column: usize) -> Vec<Seen> {
        let knows = match self.form {
            Form::Hidden => viewer.is_none(),
            Form::Collapsed => false,
            Form::Thoughtful => true,
        };
        let position = &state.position;
        let down = position.face_down(column).iter().enumerate().map(|(index, card)| {
            let is_known = knows && !self.is_undealt(state, DOWN_PLACE + begins(column) + index);
            Seen::Down(is_known.then_some(*card))
        });
        down.chain(position.runs[column].cards().map(Seen::Up)).collect()
    }

    /// The cards of the deck: of the waste, from its first to its top, and those still to be turned.
    pub(super) fn deck(&self, state: &State) -> (Vec<Card>, Vec<Card>) {
        let is_dealt = |(place, _): &(usize, Card)| !self.is_undealt(state, DECK_PLACE + place);
        let cards = state.position.deck_cards().filter(is_dealt);
        let (waste, stock): (Vec<_>, Vec<_>) =
            cards.partition(|(place, _)| *place < usize::from(state.position.turned));
        let bare = |cards: Vec<(usize, Card)>| cards.into_iter().map(|(_, card)| card).collect();
        (bare(waste), bare(stock))
    }

    /// Whether somebody is shown the backs of the cards that are to be turned, as at a table of cards. Where all
    /// that turning would bring up can be played at once, and where everything is known, they are in the open.
    pub(super) fn covers_stock(&self, viewer: Option<usize>) -> bool {
        viewer.is_some() && self.rules.kind == Kind::Ordinary && self.form != Form::Thoughtful
    }

    /// The cards of the deck that may be played now, if they fit somewhere.
    pub(super) fn in_hand(&self, state: &State) -> u64 {
        match self.rules.kind {
            Kind::Macro => state.reach,
            Kind::Ordinary => state.position.waste_top().map_or(0, Card::bit),
        }
    }

    pub(super) fn caption(&self, state: &State) -> String {
        let down = state.position.unseen();
        let passes = match self.rules.passes {
            0 => String::new(),
            all => format!(", pass {} of {all}", state.passes),
        };
        match self.turn(state) {
            Turn::Over if state.won && !state.position.is_won() => "won: the rest is plain".to_owned(),
            Turn::Over if state.won => "won".to_owned(),
            Turn::Over => "lost: there is no move left".to_owned(),
            Turn::Chance => match state.waiting() {
                Some(column) => format!("a card is turned up in column {}", column + 1),
                None => "the cards are dealt".to_owned(),
            },
            _ if down == 0 => format!("all cards are face up{passes}"),
            _ if down == 1 => format!("1 card is face down{passes}"),
            _ => format!("{down} cards are face down{passes}"),
        }
    }

    pub(super) fn draw_text(&self, state: &State, viewer: Option<usize>) -> String {
        let founded = (0..4).map(|suit| match state.position.foundation[suit] {
            0 => format!("-{}", SUIT_SIGNS[suit]),
            count => Card::new(count.min(RANKS) - 1, suit as u8).to_string(),
        });
        let founded: Vec<String> = founded.map(|name| format!("{name:>3}")).collect();
        let in_hand = self.in_hand(state);
        let listed = |cards: Vec<Card>| {
            let names = cards.iter().map(|card| match in_hand & card.bit() {
                0 => format!(" {card}"),
                _ => format!(" [{card}]"),
            });
            names.collect::<String>()
        };
        let (waste, stock) = self.deck(state);
        let mut text = format!("foundations {}\n", founded.join(" "));
        let to_turn = match stock.len() {
            0 => String::new(),
            1 if self.covers_stock(viewer) => " 1 card".to_owned(),
            count if self.covers_stock(viewer) => format!(" {count} cards"),
            _ => listed(stock),
        };
        text += &format!("waste      {}\nto turn    {to_turn}\n", listed(waste));
        let columns: Vec<Vec<Seen>> =
            (0..COLUMNS).map(|column| self.column(state, viewer, column)).collect();
        let heads: String = (1..=COLUMNS).map(|number| format!("{number:>w$} ", w = CELL - 1)).collect();
        text += &format!("\n{}\n", heads.trim_end());
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let cell = |cards: &Vec<Seen>| match cards.get(row) {
                Some(Seen::Up(card)) => format!(" {card:>w$} ", w = CELL - 2),
                Some(Seen::Down(Some(card))) => format!("{:>CELL$}", format!("({card})")),
                Some(Seen::Down(None)) => format!(" {BACK:>w$} ", w = CELL - 2),
                None => " ".repeat(CELL),
            };
            let line: String = columns.iter().map(cell).collect();
            text += &format!("{}\n", line.trim_end());
        }
        format!("{text}\n{}\n", self.caption(state))
    }
}
