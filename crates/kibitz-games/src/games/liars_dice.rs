//! Liar's dice: everybody rolls in secret and raises the bid on all dice, until somebody doubts it.
//!
//! The rules are those of OpenSpiel's game of the same name, which has two players: dice of the highest face
//! are wild, a bid is of more dice or, of as many dice, of a higher face, and the game ends with the first
//! doubt. With more players, the doubt is between the one who doubts and the one who bid; the others win and
//! lose nothing.

use kibitz_core::abilities::{Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::bits::ones;
use crate::draw::{FAINT, INK, LIGHT, PAPER, Picture};

register_game!("liars-dice", LiarsDiceParams, LiarsDice::new);

params! {
    /// Roll in secret and raise the bid on all dice, or call the other a liar; the highest face is wild.
    pub struct LiarsDiceParams {
        /// Players.
        pub players: u32 = 2, in 2..=6;
        /// Dice of each player.
        pub dice: u32 = 1, in 1..=5;
        /// Faces of a die; the highest is wild.
        pub sides: u32 = 6, in 2..=10;
    }
}

const MOST_PLAYERS: usize = 6;
/// Of all players together. A bid is a bit of a word, and dice are digits of another.
const MOST_DICE: u32 = 12;
const MOST_BIDS: u32 = 63;

// Observations of bids and doubts are their numbers plus one; those of rolls lie above them, and what all
// dice show when they are uncovered is a multiple of UNCOVERED.
const ROLLED: u64 = 128;
const OWN_HAND: u64 = 256;
const UNCOVERED: u64 = 1 << 20;

/// The rules.
pub struct LiarsDice {
    info: Info,
    players: u32,
    dice: u32,
    sides: u32,
}

/// The dice and all bids so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// For each player, how many of its dice show each face: a digit of four bits a face.
    hands: [u64; MOST_PLAYERS],
    rolled: u8,
    /// Bids only rise: as a set they are in order.
    bids: u64,
    doubted: bool,
}

impl LiarsDice {
    fn new(params: LiarsDiceParams) -> Result<LiarsDice, String> {
        let LiarsDiceParams { players, dice, sides } = params;
        let all = players * dice;
        if all > MOST_DICE {
            return Err(format!(
                "{players} players with {dice} dice each have {all}; at most {MOST_DICE} can be played"
            ));
        }
        if all * sides > MOST_BIDS {
            let bids = all * sides;
            return Err(format!(
                "{all} dice with {sides} faces allow {bids} bids; at most {MOST_BIDS} can be played"
            ));
        }
        let info = Info {
            horizon: Some(all + all * sides + 1),
            zero_sum: true,
            perfect_information: false,
            paid_at_end: true,
            simultaneous: Some(false),
            ..Info::new(players as usize, -1.0, 1.0)
        };
        Ok(LiarsDice { info, players, dice, sides })
    }

    /// How many dice there are; also the most that can be bid.
    fn all_dice(&self) -> u32 {
        self.players * self.dice
    }

    fn bids(&self) -> u32 {
        self.all_dice() * self.sides
    }

    /// The action of calling the last bid a lie.
    fn doubt(&self) -> u32 {
        self.bids()
    }

    /// How many dice of which face (from 0) a bid is about.
    fn meaning(&self, bid: u32) -> (u32, u32) {
        (bid / self.sides + 1, bid % self.sides)
    }

    fn is_rolling(&self, state: &State) -> bool {
        u32::from(state.rolled) < self.all_dice()
    }

    /// Whose die the roll number `roll` is.
    fn roller(&self, roll: u8) -> usize {
        (u32::from(roll) / self.dice) as usize
    }

    /// The bids that may be made: an interval that ends with the highest.
    #[inline]
    fn lowest_bid(state: &State) -> u32 {
        64 - state.bids.leading_zeros()
    }

    #[inline]
    fn mover(&self, state: &State) -> usize {
        (state.bids.count_ones() % self.players) as usize
    }

    /// How many dice show a face, the highest being wild.
    fn count(&self, state: &State, face: u32) -> u32 {
        let shown =
            |face: u32| state.hands.iter().map(|hand| (hand >> (4 * face) & 15) as u32).sum::<u32>();
        let wild = self.sides - 1;
        if face == wild { shown(wild) } else { shown(face) + shown(wild) }
    }

    /// Who wins and who loses, once somebody has doubted.
    fn result(&self, state: &State) -> (usize, usize) {
        let doubter = self.mover(state);
        let bidder = (doubter + self.players as usize - 1) % self.players as usize;
        let (count, face) = self.meaning(LiarsDice::lowest_bid(state).saturating_sub(1));
        if self.count(state, face) >= count { (bidder, doubter) } else { (doubter, bidder) }
    }

    /// What a player is told when its last die has been rolled: which faces its dice show.
    fn hand(&self, state: &State, player: usize) -> u64 {
        // A hand is a path through the faces: one bit for each die and each change of face.
        let mut told = 1;
        for face in 0..self.sides {
            for _ in 0..state.hands[player] >> (4 * face) & 15 {
                told = told << 1 | 1;
            }
            told <<= 1;
        }
        told
    }

    fn told_by_roll(&self, state: &State, roll: u8, player: usize) -> Observation {
        let is_last = (u32::from(roll) + 1).is_multiple_of(self.dice);
        match self.roller(roll) {
            _ if !is_last => Observation::SILENT,
            owner if owner == player => Observation(OWN_HAND + self.hand(state, player)),
            owner => Observation(ROLLED + owner as u64),
        }
    }

    fn told_by_doubt(&self, state: &State) -> Observation {
        let uncovered = state.hands[..self.players as usize].iter().fold(1, |key, hand| derive(key, *hand));
        Observation(u64::from(self.doubt()) + 1 + uncovered % (1 << 40) * UNCOVERED)
    }

    fn dice_of(&self, state: &State, player: usize) -> Vec<u32> {
        let shown = |face: u32| (state.hands[player] >> (4 * face) & 15) as usize;
        (0..self.sides).flat_map(|face| std::iter::repeat_n(face + 1, shown(face))).collect()
    }

    fn dice_in_words(&self, state: &State, player: usize) -> String {
        let dice: Vec<String> = self.dice_of(state, player).iter().map(u32::to_string).collect();
        dice.join(" ")
    }

    fn is_visible(state: &State, viewer: Option<usize>, player: usize) -> bool {
        state.doubted || viewer.is_none_or(|viewer| viewer == player)
    }

    /// How many of a player's dice have been rolled so that it may know them.
    fn has_hand(&self, state: &State, player: usize) -> bool {
        u32::from(state.rolled) >= (player as u32 + 1) * self.dice
    }

    fn bid_name(&self, bid: u32) -> String {
        let (count, face) = self.meaning(bid);
        format!("{count}-{}", face + 1)
    }

    fn bids_in_words(&self, state: &State) -> String {
        let bids: Vec<String> = ones(state.bids).map(|bid| self.bid_name(bid)).collect();
        if bids.is_empty() { "no bid yet".to_owned() } else { format!("bids: {}", bids.join(", ")) }
    }

    fn caption(&self, state: &State) -> String {
        if state.doubted {
            let (winner, loser) = self.result(state);
            return format!("player {} wins, player {} loses", winner + 1, loser + 1);
        }
        match self.is_rolling(state) {
            true => "the dice are rolled".to_owned(),
            false => format!("player {} is to move", self.mover(state) + 1),
        }
    }
}

impl Game for LiarsDice {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { hands: [0; MOST_PLAYERS], rolled: 0, bids: 0, doubted: false }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match () {
            () if state.doubted => Turn::Over,
            () if self.is_rolling(state) => Turn::Chance,
            () => Turn::One(self.mover(state)),
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        let last = self.bids() + u32::from(state.bids != 0);
        actions.extend((LiarsDice::lowest_bid(state)..last).map(Action));
    }

    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        let (lowest, last) = (LiarsDice::lowest_bid(state), self.bids() + u32::from(state.bids != 0));
        Action(lowest + rng.below(last - lowest))
    }

    fn chance(&self, _: &State, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend((0..self.sides).map(|face| (Action(face), 1.0 / f64::from(self.sides))));
    }

    #[inline]
    fn draw(&self, _: &State, rng: &mut Rng) -> Action {
        Action(rng.below(self.sides))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0;
        if self.is_rolling(state) {
            state.hands[self.roller(state.rolled)] += 1 << (4 * chosen);
            state.rolled += 1;
        } else if chosen == self.doubt() {
            state.doubted = true;
            let (winner, loser) = self.result(state);
            rewards[winner] += 1.0;
            rewards[loser] -= 1.0;
        } else {
            state.bids |= 1 << chosen;
        }
    }

    fn observe(&self, after: &State, turn: Turn, joint: &[Action], player: usize) -> Observation {
        match turn {
            Turn::Chance => self.told_by_roll(after, after.rolled - 1, player),
            _ if after.doubted => self.told_by_doubt(after),
            _ => Observation(u64::from(joint[0].0) + 1),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        // Nobody's number: to the public, every hand is another's.
        self.observe(after, turn, joint, MOST_PLAYERS)
    }

    fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
        let Transition { after, turn, joint, .. } = *step;
        if let Turn::One(mover) = turn {
            let made = match joint[0].0 == self.doubt() {
                true => format!("player {} calls player {} a liar", mover + 1, self.other(mover) + 1),
                false => format!("player {} bids {}", mover + 1, self.bid_name(joint[0].0)),
            };
            let shows = |player: usize| {
                format!("; player {} shows {}", player + 1, self.dice_in_words(after, player))
            };
            return match after.doubted {
                true => made + &(0..self.players as usize).map(shows).collect::<String>(),
                false => made,
            };
        }
        match self.roller(after.rolled.saturating_sub(1)) {
            owner if owner == player => format!("you have rolled {}", self.dice_in_words(after, player)),
            owner => format!("player {} has rolled", owner + 1),
        }
    }

    fn action_name(&self, _: &State, player: Option<usize>, action: Action) -> String {
        match player {
            None => (action.0 + 1).to_string(),
            Some(_) if action.0 == self.doubt() => "liar".to_owned(),
            Some(_) => self.bid_name(action.0),
        }
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        let mut text = String::new();
        for player in 0..self.players as usize {
            let dice = match self.has_hand(state, player) {
                true if LiarsDice::is_visible(state, viewer, player) => self.dice_in_words(state, player),
                true => vec!["?"; self.dice as usize].join(" "),
                false => "-".to_owned(),
            };
            text += &format!("player {}: {dice}\n", player + 1);
        }
        format!("{text}{}\n{}\n", self.bids_in_words(state), self.caption(state))
    }

    abilities!(hash, resampling, view_key, picture);
}

impl StateHash<State> for LiarsDice {
    fn hash(&self, state: &State) -> u64 {
        let hands = state.hands.iter().fold(u64::from(state.rolled), |key, hand| derive(key, *hand));
        derive(hands, state.bids << 1 | u64::from(state.doubted))
    }
}

impl Resample<State> for LiarsDice {
    /// Dice do not choose the bids: those of the others are as they were rolled, all outcomes equally likely.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let mut state = self.initial();
        let told = |event: &Event| if let Event::Observed(told) = event { Some(told.0) } else { None };
        let mut hands = 0;
        for told in view.events.iter().filter_map(told) {
            if hands < self.players {
                let owner = hands as usize;
                state.hands[owner] = match told.checked_sub(OWN_HAND) {
                    Some(hand) if owner == view.player => self.read_hand(hand)?,
                    None if told == ROLLED + owner as u64 => self.roll_hand(rng),
                    _ => return None,
                };
                hands += 1;
                state.rolled += self.dice as u8;
                continue;
            }
            // A doubt ends the game, and shows more than can be read back.
            let bid = u32::try_from(told.checked_sub(1)?).ok().filter(|bid| *bid < self.bids())?;
            (bid >= LiarsDice::lowest_bid(&state)).then(|| state.bids |= 1 << bid)?;
        }
        (self.view_key(&state, view.player) == view.key()).then_some(state)
    }
}

impl ViewKey<State> for LiarsDice {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        let rolled = |key, roll| after_observation(key, self.told_by_roll(state, roll, player));
        let mut key = (0..state.rolled).fold(view_seed(player), rolled);
        let mut mover = 0;
        let mut made = |key, action: u32, told| {
            let own = if mover == player { after_action(key, Action(action)) } else { key };
            mover = (mover + 1) % self.players as usize;
            after_observation(own, told)
        };
        for bid in ones(state.bids) {
            key = made(key, bid, Observation(u64::from(bid) + 1));
        }
        if state.doubted {
            key = made(key, self.doubt(), self.told_by_doubt(state));
        }
        key
    }
}

impl Svg<State> for LiarsDice {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        let (side, gap) = (34, 8);
        let width = (110 + self.dice as i32 * (side + gap)).max(360);
        let rows = self.players as i32;
        let mut picture = Picture::new(width, 24 + rows * (side + gap) + 64);
        for player in 0..self.players as usize {
            let y = 16 + player as i32 * (side + gap);
            picture.words(50, y + side / 2, 12, FAINT, self.player_name(player));
            let dice = if self.has_hand(state, player) { self.dice_of(state, player) } else { Vec::new() };
            for place in 0..self.dice as usize {
                let x = 100 + place as i32 * (side + gap);
                match dice.get(place) {
                    Some(face) if LiarsDice::is_visible(state, viewer, player) => {
                        die(&mut picture, (x, y), side, *face)
                    }
                    Some(_) => {
                        picture.rect(x, y, side, side, 6, FAINT);
                        picture.words(x + side / 2, y + side / 2, 18, PAPER, "?");
                    }
                    None => picture.rect(x, y, side, side, 6, LIGHT),
                }
            }
        }
        let below = 24 + rows * (side + gap) + 14;
        picture.words(width / 2, below, 12, INK, self.bids_in_words(state));
        picture.words(width / 2, below + 26, 13, INK, self.caption(state));
        picture.finish()
    }
}

/// A die: pips up to six, numbers above.
fn die(picture: &mut Picture, (x, y): (i32, i32), side: i32, face: u32) {
    picture.rect(x, y, side, side, 6, INK);
    picture.rect(x + 1, y + 1, side - 2, side - 2, 5, "#fffdf8");
    let (middle, away) = (side / 2, side / 4);
    if face > 6 {
        return picture.words(x + middle, y + middle, 18, INK, face);
    }
    let mut pip =
        |right: i32, down: i32| picture.circle(x + middle + right * away, y + middle + down * away, 3, INK);
    if face % 2 == 1 {
        pip(0, 0);
    }
    for (least, right, down) in [(2, 1, 1), (4, 1, -1), (6, 1, 0)] {
        if face >= least {
            pip(right, down);
            pip(-right, -down);
        }
    }
}

impl LiarsDice {
    /// Who bid before a player.
    fn other(&self, player: usize) -> usize {
        (player + self.players as usize - 1) % self.players as usize
    }

    /// The inverse of [`LiarsDice::hand`].
    fn read_hand(&self, told: u64) -> Option<u64> {
        let bits = 64 - told.leading_zeros();
        if bits != 1 + self.dice + self.sides {
            return None;
        }
        let (mut hand, mut face) = (0u64, 0);
        for bit in (0..bits - 1).rev() {
            match told >> bit & 1 {
                1 if face < self.sides => hand += 1 << (4 * face),
                1 => return None,
                _ => face += 1,
            }
        }
        (face == self.sides).then_some(hand)
    }

    fn roll_hand(&self, rng: &mut Rng) -> u64 {
        (0..self.dice).map(|_| 1 << (4 * rng.below(self.sides))).sum()
    }
}

#[cfg(test)]
mod tests;
