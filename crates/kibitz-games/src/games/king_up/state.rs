//! The course of a round: set, move up, vote, score.

use super::setting::{AfterNo, BonusFor, KingUpParams, Leftover, Voters, everything};
use kibitz_core::game::Players;

pub const MOST_PLAYERS: usize = 6;
pub const MOST_PIECES: usize = 16;
/// So that a card's number fits six bits of an observation.
pub const MOST_CARDS: usize = 64;
/// No level has this number.
const LEVELS: usize = 16;
/// No piece, or no card.
pub const NONE: u8 = 255;

/// What everybody's points are divided by.
pub const UNIT: f64 = 50.0;

/// What is to be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Deal,
    Set,
    Promote,
    Vote,
    Over,
}

/// The board, the cards and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The key of each player's view.
    pub seen: [u64; MOST_PLAYERS],
    /// The level of each piece on the board.
    pub levels: [u8; MOST_PIECES],
    /// How many pieces each level has.
    pub counts: [u8; LEVELS],
    /// Which pieces are on the board.
    pub board: u16,
    /// The points of the rounds that are over.
    pub scores: [u16; MOST_PLAYERS],
    /// The number of each player's target card; of the last round, while those of the next are dealt.
    pub cards: [u8; MOST_PLAYERS],
    /// How often each may still say no.
    pub votes: [u8; MOST_PLAYERS],
    pub dealt: u8,
    pub set: u8,
    /// Who moves next; in a vote, once it is over.
    pub mover: u8,
    /// Who began this round.
    pub beginner: u8,
    /// How many rounds are over.
    pub round: u8,
    /// The piece on the top.
    pub top: u8,
    pub stage: Stage,
}

/// The rules of the board.
#[derive(Clone, Debug)]
pub struct Rules {
    pub players: usize,
    pub pieces: u16,
    pub height: u8,
    width: u8,
    /// How many pieces are set, by all players together.
    pub to_set: u8,
    pub rejections: u8,
    pub rounds: u8,
    bonus: u16,
    top: u16,
    pub relative: bool,
    /// The pieces of each target card.
    pub cards: Vec<u16>,
    leftover: Leftover,
    crowding: bool,
    bonus_for: BonusFor,
    voters: Voters,
    after_no: AfterNo,
}

impl Rules {
    /// # Errors
    /// Parameters that cannot be.
    pub fn new(params: &KingUpParams) -> Result<Rules, String> {
        params.check()?;
        Ok(Rules {
            players: params.players as usize,
            pieces: everything(params.pieces),
            height: params.height as u8,
            width: params.width as u8,
            to_set: (params.players * params.set_rounds) as u8,
            rejections: params.rejections as u8,
            rounds: params.rounds as u8,
            bonus: params.bonus as u16,
            top: params.top as u16,
            relative: params.relative,
            cards: params.deck()?,
            leftover: params.leftover,
            crowding: params.crowding,
            bonus_for: params.bonus_for,
            voters: params.voters,
            after_no: params.after_no,
        })
    }

    /// The most points of one round.
    pub fn most_points(&self) -> u16 {
        let targets = self.cards.iter().map(|card| card.count_ones()).max().unwrap_or(0) as u16;
        let below = u16::from(self.height - 1);
        self.bonus.max(self.top + (targets - 1) * below).max(targets * below)
    }

    /// No round has more steps when it begins with at most so many pieces on the board.
    pub fn longest_round(&self, pieces: u32) -> u32 {
        let votes = self.players as u32 * u32::from(self.rejections) + 1;
        self.players as u32 + u32::from(self.to_set) + pieces * u32::from(self.height) + votes
    }

    /// How many pieces there can be on the board.
    pub fn most_pieces(&self) -> u32 {
        match self.leftover {
            Leftover::Out => self.to_set.into(),
            Leftover::Ground => self.pieces.count_ones(),
        }
    }

    /// An empty board before the first deal.
    pub fn empty(&self) -> State {
        State {
            seen: [0; MOST_PLAYERS],
            levels: [0; MOST_PIECES],
            counts: [0; LEVELS],
            board: 0,
            scores: [0; MOST_PLAYERS],
            cards: [NONE; MOST_PLAYERS],
            votes: [self.rejections; MOST_PLAYERS],
            dealt: 0,
            set: 0,
            mover: 0,
            beginner: 0,
            round: 0,
            top: NONE,
            stage: Stage::Deal,
        }
    }

    /// The pieces that may be set.
    #[inline]
    pub fn unset(&self, state: &State) -> u64 {
        u64::from(self.pieces & !state.board)
    }

    /// The highest level that a piece may be set on.
    pub fn highest_set(&self) -> u8 {
        self.height - 2
    }

    /// The levels that a piece may be set on.
    #[inline]
    pub fn room(&self, state: &State) -> u64 {
        (1..=self.highest_set())
            .fold(1, |room, level| room | u64::from(self.has_room(state, level)) << level)
    }

    #[inline]
    pub fn has_room(&self, state: &State, level: u8) -> bool {
        level == 0 || state.counts[usize::from(level)] < self.width
    }

    /// The pieces that may move up. The highest one always may.
    #[inline]
    pub fn movable(&self, state: &State) -> u64 {
        if self.crowding {
            return state.board.into();
        }
        let may = |piece: &u32| self.has_room(state, state.levels[*piece as usize] + 1);
        crate::bits::ones(state.board.into()).filter(may).fold(0, |set, piece| set | 1 << piece)
    }

    /// What is wrong with where the pieces are, if anything is.
    pub fn misplaced(&self, state: &State) -> Option<String> {
        let is_setting = state.set < self.to_set;
        let highest = if is_setting { self.highest_set() } else { self.height };
        let too_high = (highest + 1..=self.height).find(|level| state.counts[usize::from(*level)] > 0);
        if let Some(level) = too_high {
            return Some(format!(
                "nothing can be on level {level} while pieces are set: {highest} is the highest"
            ));
        }
        let full = (1..self.height).find(|level| state.counts[usize::from(*level)] > self.width);
        full.filter(|_| is_setting || !self.crowding).map(|level| {
            let (count, width) = (state.counts[usize::from(level)], self.width);
            format!("there are {count} pieces on level {level}, which has room for {width}")
        })
    }

    /// Who votes on the piece on the top.
    #[inline]
    pub fn voters(&self, state: &State) -> Players {
        let all = Players::first(self.players);
        match self.voters {
            Voters::All => all,
            Voters::Others => Players(all.0 & !(1 << self.before(state.mover))),
        }
    }

    #[inline]
    fn after(&self, player: u8) -> u8 {
        if usize::from(player) + 1 == self.players { 0 } else { player + 1 }
    }

    fn before(&self, player: u8) -> u8 {
        if player == 0 { self.players as u8 - 1 } else { player - 1 }
    }

    #[inline]
    pub fn deal(&self, state: &mut State, card: u8) {
        state.cards[usize::from(state.dealt)] = card;
        state.dealt += 1;
        if usize::from(state.dealt) == self.players {
            state.stage = match () {
                () if state.top != NONE => Stage::Vote,
                () if state.set < self.to_set => Stage::Set,
                () => Stage::Promote,
            };
        }
    }

    /// Puts a piece on the board.
    pub fn put(&self, state: &mut State, piece: u32, level: u8) {
        state.board |= 1 << piece;
        state.levels[piece as usize] = level;
        state.counts[usize::from(level)] += 1;
        if level == self.height {
            state.top = piece as u8;
        }
    }

    #[inline]
    pub fn set(&self, state: &mut State, piece: u32, level: u8) {
        self.put(state, piece, level);
        state.mover = self.after(state.mover);
        state.set += 1;
        if state.set == self.to_set {
            if self.leftover == Leftover::Ground {
                for piece in crate::bits::ones(self.unset(state)) {
                    self.put(state, piece, 0);
                }
            }
            state.stage = Stage::Promote;
        }
    }

    #[inline]
    pub fn promote(&self, state: &mut State, piece: u32, rewards: &mut [f64]) {
        let level = &mut state.levels[piece as usize];
        state.counts[usize::from(*level)] -= 1;
        *level += 1;
        state.counts[usize::from(*level)] += 1;
        state.mover = self.after(state.mover);
        if *level == self.height {
            state.top = piece as u8;
            if self.can_be_refused(state) {
                state.stage = Stage::Vote;
            } else {
                self.score(state, rewards);
            }
        }
    }

    /// Whether one of the voters may say no.
    pub fn can_be_refused(&self, state: &State) -> bool {
        self.voters(state).iter().any(|player| state.votes[player] > 0)
    }

    /// Who is in `noes` has said no.
    #[inline]
    pub fn vote(&self, state: &mut State, noes: Players, rewards: &mut [f64]) {
        if noes.is_empty() {
            return self.score(state, rewards);
        }
        for player in noes.iter() {
            state.votes[player] -= 1;
        }
        state.board &= !(1 << state.top);
        state.counts[usize::from(self.height)] -= 1;
        state.top = NONE;
        if self.after_no == AfterNo::Same {
            state.mover = self.before(state.mover);
        }
        match state.board {
            0 => self.score(state, rewards),
            _ => state.stage = Stage::Promote,
        }
    }

    /// Whether a voter is well off with the piece on the top: it is one of its own, or the voter gets the bonus. A
    /// piece of others' on the top is worth nothing to it, and to throw that out takes nothing from it.
    #[inline]
    pub fn is_content(&self, state: &State, player: usize) -> bool {
        let own = self.cards.get(usize::from(state.cards[player])).copied().unwrap_or_default();
        own >> state.top & 1 == 1 || self.credits(state, player).is_none()
    }

    /// The points of a player as the board is now.
    #[inline]
    pub fn points(&self, state: &State, player: usize) -> u16 {
        self.credits(state, player).unwrap_or(self.bonus)
    }

    /// What a player's pieces on the board score; `None` for who gets the bonus.
    #[inline]
    fn credits(&self, state: &State, player: usize) -> Option<u16> {
        let own = state.board & self.cards.get(usize::from(state.cards[player]))?;
        let credit = |piece: u32| match state.levels[piece as usize] {
            level if level == self.height => self.top,
            level => u16::from(level),
        };
        let credits: u16 = crate::bits::ones(own.into()).map(credit).sum();
        let has_nothing = match self.bonus_for {
            BonusFor::NoCredits => credits == 0,
            BonusFor::NoPieces => own == 0,
        };
        (!has_nothing).then_some(credits)
    }

    /// Pays the points of a round, and begins the next, if there is one.
    fn score(&self, state: &mut State, rewards: &mut [f64]) {
        let mut points = [0; MOST_PLAYERS];
        for (player, points) in points[..self.players].iter_mut().enumerate() {
            *points = self.points(state, player);
        }
        let sum = f64::from(points.iter().sum::<u16>());
        for (reward, own) in rewards.iter_mut().zip(&points[..self.players]) {
            let own = f64::from(*own);
            let others = if self.relative { (sum - own) / (self.players - 1) as f64 } else { 0.0 };
            *reward += (own - others) / UNIT;
        }
        state.round += 1;
        if state.round == self.rounds {
            state.stage = Stage::Over;
            return;
        }
        for (total, points) in state.scores.iter_mut().zip(points) {
            *total += points;
        }
        let order = (0..self.players).map(|turn| (usize::from(state.beginner) + turn) % self.players);
        let loser = order.min_by_key(|player| points[*player]).unwrap_or(0) as u8;
        *state = State {
            seen: state.seen,
            scores: state.scores,
            cards: state.cards,
            round: state.round,
            mover: loser,
            beginner: loser,
            ..self.empty()
        };
    }
}
