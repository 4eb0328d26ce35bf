//! What there is to see of a game of King UP, in characters and drawn.

use kibitz_core::game::Players;

use super::KingUp;
use super::setting::{names_of, piece_name};
use super::state::{Stage, State};
use crate::bits::ones;
use crate::draw::{DARK, FAINT, FIRST, GOOD, INK, LIGHT, PAPER, Picture, SECOND};

const MARGIN: i32 = 16;
/// The size of a piece's place, and what a level has besides at each side.
const PLACE: i32 = 34;
const LEVEL: i32 = 40;
/// How much narrower each level is than the one below.
const STEP: i32 = 6;
const PLAYER_WIDTH: i32 = 230;
const PLAYER_HEIGHT: i32 = 62;

/// Who said no to a piece.
pub(super) fn votes_in_words(top: u8, noes: Players) -> String {
    let name = piece_name(top.into());
    let who: Vec<String> = noes.iter().map(|player| format!("player {}", player + 1)).collect();
    match who.as_slice() {
        [] => format!("all agree that {name} is king"),
        [one] => format!("{one} says no: {name} is thrown out"),
        several => format!("{} say no: {name} is thrown out", several.join(" and ")),
    }
}

impl KingUp {
    /// The pieces of a player's card, where `viewer` may know them.
    fn card(&self, state: &State, viewer: Option<usize>, player: usize) -> Option<u16> {
        let is_dealt = state.stage != Stage::Deal || player < usize::from(state.dealt);
        let may_know = viewer.is_none_or(|viewer| viewer == player) || state.stage == Stage::Over;
        let number = usize::from(state.cards[player]);
        (is_dealt && may_know).then(|| self.rules.cards.get(number).copied()).flatten()
    }

    pub(super) fn cards_in_words(&self, state: &State) -> String {
        let card =
            |number: u8| names_of(self.rules.cards.get(usize::from(number)).copied().unwrap_or_default());
        let each = state.cards[..self.rules.players].iter().enumerate();
        let words: Vec<String> =
            each.map(|(player, number)| format!("player {} shows {}", player + 1, card(*number))).collect();
        words.join(", ")
    }

    /// The points of all rounds, the last one included once it is over.
    fn total(&self, state: &State, player: usize) -> u16 {
        let last = if state.stage == Stage::Over { self.rules.points(state, player) } else { 0 };
        state.scores[player] + last
    }

    fn caption(&self, state: &State, viewer: Option<usize>) -> String {
        let mover = state.mover + 1;
        match state.stage {
            Stage::Deal => "the target cards are dealt".to_owned(),
            Stage::Set => {
                format!("player {mover} sets a piece, number {} of {}", state.set + 1, self.rules.to_set)
            }
            Stage::Promote => format!("player {mover} moves a piece up"),
            Stage::Vote => {
                let bound = viewer.filter(|viewer| state.votes[*viewer] == 0).is_some();
                let only = if bound { "; without a vote card you can only say yes" } else { "" };
                format!("is {} to be king? a vote{only}", piece_name(state.top.into()))
            }
            Stage::Over => {
                let points = |player: usize| self.total(state, player).to_string();
                let all: Vec<String> = (0..self.rules.players).map(points).collect();
                format!("the end: {} points", all.join(", "))
            }
        }
    }

    fn round_in_words(&self, state: &State) -> String {
        match self.rules.rounds {
            1 => String::new(),
            all => format!("round {} of {all}", (state.round + 1).min(all)),
        }
    }

    fn on_level(&self, state: &State, level: u8) -> Vec<u32> {
        ones(state.board.into()).filter(|piece| state.levels[*piece as usize] == level).collect()
    }

    pub(super) fn draw_text(&self, state: &State, viewer: Option<usize>) -> String {
        let mut text = String::new();
        if self.rules.rounds > 1 {
            text += &format!("{}\n", self.round_in_words(state));
        }
        let own = viewer.and_then(|viewer| self.card(state, viewer.into(), viewer)).unwrap_or(0);
        // Who looks at the board sees at once what counts for him.
        let named = |piece: &u32| match own >> piece & 1 {
            1 => format!("[{}]", piece_name(*piece)),
            _ => format!(" {} ", piece_name(*piece)),
        };
        for level in (0..=self.rules.height).rev() {
            let mark = if level == self.rules.height { "king" } else { "" };
            let pieces: String = self.on_level(state, level).iter().map(named).collect();
            text += format!("{level:>2} {mark:<4} |{pieces}").trim_end();
            text += "\n";
        }
        let out: String = ones(self.rules.unset(state)).map(|piece| named(&piece)).collect();
        text += format!("   out  |{out}").trim_end();
        text += "\n";
        for player in 0..self.rules.players {
            let card = match self.card(state, viewer, player) {
                Some(card) => names_of(card),
                None if state.stage == Stage::Deal && player >= usize::from(state.dealt) => "-".to_owned(),
                None => "?".to_owned(),
            };
            let votes = match state.votes[player] {
                1 => "1 vote card".to_owned(),
                count => format!("{count} vote cards"),
            };
            let so_far = match (self.rules.rounds, state.stage) {
                (1, _) | (_, Stage::Over) => String::new(),
                _ => format!(", {} points", state.scores[player]),
            };
            text += &format!("player {}: {card}, {votes}{so_far}\n", player + 1);
        }
        format!("{text}{}\n", self.caption(state, viewer))
    }

    pub(super) fn draw_svg(&self, state: &State, viewer: Option<usize>) -> String {
        let levels = i32::from(self.rules.height) + 1;
        let widest =
            (0..=self.rules.height).map(|level| self.on_level(state, level).len()).max().unwrap_or(0);
        let places = self.rules.pieces.count_ones().clamp(4, 8).max(widest as u32) as i32;
        let castle = places * PLACE + 2 * STEP * levels;
        let players = self.rules.players as i32;
        let top = MARGIN + 12;
        let height = (top + levels * LEVEL + 3 * LEVEL / 2).max(top + players * (PLAYER_HEIGHT + 8)) + 30;
        let width = castle + PLAYER_WIDTH + 3 * MARGIN;
        let mut picture = Picture::new(width, height);
        let middle = MARGIN + castle / 2;
        let own = viewer.and_then(|viewer| self.card(state, viewer.into(), viewer)).unwrap_or(0);
        for level in 0..=self.rules.height {
            let y = top + (levels - 1 - i32::from(level)) * LEVEL;
            let half = castle / 2 - STEP * i32::from(level);
            let is_top = level == self.rules.height;
            let stone = if is_top { DARK } else { LIGHT };
            picture.rect(middle - half, y, 2 * half, LEVEL - 2, 3, stone);
            if is_top {
                // Battlements.
                for x in (middle - half..middle + half - 12).step_by(24) {
                    picture.rect(x, y - 8, 14, 10, 2, stone);
                }
            }
            picture.words(middle - half + 10, y + LEVEL / 2 - 1, 12, FAINT, level);
            row(&mut picture, (middle, y + LEVEL / 2 - 1), &self.on_level(state, level), own, is_top);
        }
        let below = top + levels * LEVEL + LEVEL / 2;
        picture.words(MARGIN + 16, below, 12, FAINT, "out");
        let out: Vec<u32> = ones(self.rules.unset(state)).collect();
        row(&mut picture, (middle, below), &out, own, false);
        for player in 0..self.rules.players {
            let at = (castle + 2 * MARGIN, top + player as i32 * (PLAYER_HEIGHT + 8));
            self.draw_player(&mut picture, at, state, viewer, player);
        }
        let round = self.round_in_words(state);
        let caption = self.caption(state, viewer);
        let caption = if round.is_empty() { caption } else { format!("{round}: {caption}") };
        picture.words(width / 2, height - 18, 14, INK, caption);
        picture.finish()
    }

    fn draw_player(
        &self,
        picture: &mut Picture,
        (x, y): (i32, i32),
        state: &State,
        viewer: Option<usize>,
        player: usize,
    ) {
        let moves = match state.stage {
            Stage::Set | Stage::Promote => usize::from(state.mover) == player,
            Stage::Vote => self.rules.voters(state).contains(player),
            _ => false,
        };
        picture.frame((x, y), (PLAYER_WIDTH, PLAYER_HEIGHT), 5, if moves { FIRST } else { LIGHT });
        let points = match (self.rules.rounds, state.stage) {
            (1, Stage::Over) | (2.., _) => format!(", {} points", self.total(state, player)),
            _ => String::new(),
        };
        picture.words(x + PLAYER_WIDTH / 2 - 20, y + 13, 12, INK, format!("player {}{points}", player + 1));
        // The target card, face up for those who may know it.
        let (card_width, card_height) = (PLAYER_WIDTH - 60, 28);
        let (left, upper) = (x + 8, y + 26);
        picture.rect(left, upper, card_width, card_height, 4, INK);
        let is_dealt = state.stage != Stage::Deal || player < usize::from(state.dealt);
        match self.card(state, viewer, player) {
            Some(card) => {
                picture.rect(left + 1, upper + 1, card_width - 2, card_height - 2, 3, "#fffdf8");
                let names: Vec<String> = names_of(card).chars().map(String::from).collect();
                picture.words(left + card_width / 2, upper + card_height / 2, 15, INK, names.join(" "));
            }
            None if is_dealt => {
                picture.rect(left + 1, upper + 1, card_width - 2, card_height - 2, 3, SECOND);
                picture.words(left + card_width / 2, upper + card_height / 2, 15, PAPER, "?");
            }
            None => picture.rect(left + 1, upper + 1, card_width - 2, card_height - 2, 3, PAPER),
        }
        // Vote cards, one behind the other.
        for card in 0..i32::from(state.votes[player]).min(4) {
            let (x, y) = (x + PLAYER_WIDTH - 44 + 7 * card, upper - 4 * card);
            picture.rect(x, y, 20, card_height, 3, INK);
            picture.rect(x + 1, y + 1, 18, card_height - 2, 2, "#fffdf8");
            picture.words(x + 10, y + card_height / 2, 11, FIRST, "no");
        }
        if state.votes[player] > 4 {
            picture.words(x + PLAYER_WIDTH - 34, y + 13, 11, FAINT, format!("{} x", state.votes[player]));
        }
    }
}

/// Pieces beside each other, those of one's own card ringed.
fn row(picture: &mut Picture, (middle, y): (i32, i32), pieces: &[u32], own: u16, is_king: bool) {
    let left = middle - pieces.len() as i32 * PLACE / 2 + PLACE / 2;
    for (index, piece) in pieces.iter().enumerate() {
        let x = left + index as i32 * PLACE;
        picture.circle(x, y, 14, if is_king { FIRST } else { SECOND });
        if own >> piece & 1 == 1 {
            picture.ring(x, y, 15, 3, GOOD);
        }
        picture.words(x, y, 15, PAPER, piece_name(*piece));
    }
}
