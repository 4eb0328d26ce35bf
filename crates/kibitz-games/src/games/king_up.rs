//! King UP: bring the pieces of your secret card up a castle, and vote on who is king.
//!
//! The rules are those of "Partially Observable Monte Carlo Planning in Public Game Tree for complex
//! imperfect information game King UP" (Gao, 2022); `docs/king-up.md` says how they are read where they are
//! open. Players set pieces on the levels of a castle, then move one up in turn. When a piece comes to the
//! top, all vote at once: if nobody says no the round ends and the pieces on one's card score their levels;
//! else the piece is thrown out, and each no costs one of few vote cards. Only the target cards are hidden.

use kibitz_core::abilities::{
    Abilities, Batch, PlanningModel, Preferred, Resample, StateHash, Svg, ViewKey,
};
use std::sync::Arc;

use kibitz_core::game::{Action, Game, Info, Observation, Players, Transition, Turn};
use kibitz_core::model::SharedModel;
use kibitz_core::playout::{Policy, Rollout};
use kibitz_core::register_game;
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};

use crate::bits::{nth_of_nine, nth_set, ones};

mod file;
mod picture;
mod setting;
mod state;

use setting::{Chosen, KingUpParams, names_of, piece_name};
use state::{MOST_PLAYERS, NONE, Rules, Stage, State, UNIT};

register_game!(
    "king-up",
    "Move pieces up a castle in turn and vote on who is king; only you know which of them score for you.",
    Chosen,
    |chosen| KingUp::new(&chosen.0)
);

// Actions: a vote, a piece that moves up, or a piece and the level that it is set on.
const YES: u32 = 0;
const NO: u32 = 1;
const PLACES: u32 = 16;

// Observations: moves are their numbers plus one, votes the set of those who said no. At the end of a round
// all cards are shown; their numbers lie above the rest.
const VOTES: u64 = 0x1000;
const OWN_CARD: u64 = 0x2000;
const OTHER_DEALT: u64 = 0x3000;
const SHOWN: u32 = 16;
const CARD_BITS: u32 = 6;

/// The rules.
#[derive(Clone)]
pub struct KingUp {
    info: Info,
    rules: Rules,
    start: State,
    /// The card that chance deals to each player in the first round, or [`NONE`] for any.
    given: [u8; MOST_PLAYERS],
    /// Whether pieces and levels are at most nine.
    is_small: bool,
}

/// The action that sets a piece on a level.
fn setting(piece: u32, level: u32) -> Action {
    Action(PLACES * (piece + 1) + level)
}

fn heard(event: &Event) -> Option<u64> {
    if let Event::Observed(told) = event { Some(told.0) } else { None }
}

/// The movers who say no.
#[inline]
fn noes(movers: Players, joint: &[Action]) -> Players {
    Players(movers.iter().zip(joint).fold(0, |set, (player, vote)| set | (vote.0 & 1) << player))
}

impl KingUp {
    fn new(params: &KingUpParams) -> Result<KingUp, String> {
        let rules = Rules::new(params)?;
        let (mut start, mut given) = (rules.empty(), [NONE; MOST_PLAYERS]);
        let mut pieces = rules.most_pieces();
        if let Some(path) = &params.position {
            let known = file::read(path, &rules)?;
            (start, given) = (known.state, known.cards);
            pieces = pieces.max(start.board.count_ones());
        }
        for (player, seen) in start.seen.iter_mut().enumerate() {
            *seen = view_seed(player);
        }
        let most = f64::from(rules.most_points()) / UNIT * f64::from(rules.rounds);
        let info = Info {
            horizon: Some(u32::from(rules.rounds) * rules.longest_round(pieces)),
            perfect_information: false,
            paid_at_end: rules.rounds == 1,
            zero_sum: rules.relative,
            simultaneous: Some(true),
            ..Info::new(rules.players, if rules.relative { -most } else { 0.0 }, most)
        };
        let is_small = params.pieces <= 9 && params.height <= 9;
        Ok(KingUp { info, rules, start, given, is_small })
    }

    /// The cards that `player` may get, others being taken.
    #[inline]
    fn deck(&self, round: u8, player: usize, taken: u64) -> u64 {
        let all = u64::MAX >> (64 - self.rules.cards.len()) & !taken;
        if round > 0 {
            return all;
        }
        match self.given[player] {
            NONE => {
                self.given.iter().filter(|card| **card != NONE).fold(all, |all, card| all & !(1 << card))
            }
            card => 1 << card,
        }
    }

    /// The cards that chance may deal now.
    #[inline]
    fn left(&self, state: &State) -> u64 {
        let dealt = usize::from(state.dealt);
        let taken = state.cards[..dealt].iter().fold(0, |taken, card| taken | 1 << card);
        self.deck(state.round, dealt, taken)
    }

    /// What everybody is told by a step of the players'.
    #[inline]
    fn told(after: &State, turn: Turn, joint: &[Action]) -> Observation {
        let told = match turn {
            Turn::Several(movers) => VOTES + u64::from(noes(movers, joint).0),
            _ => u64::from(joint[0].0) + 1,
        };
        match after.stage {
            Stage::Over | Stage::Deal => Observation(told | (1 + Self::shown(after)) << SHOWN),
            _ => Observation(told),
        }
    }

    /// All cards in one number.
    fn shown(state: &State) -> u64 {
        let card = |card: u8| u64::from(card) & ((1 << CARD_BITS) - 1);
        state.cards.iter().rev().fold(0, |all, each| all << CARD_BITS | card(*each))
    }

    /// Adds a step to what the players have seen.
    #[inline]
    fn tell(&self, state: &mut State, turn: Turn, joint: &[Action]) {
        for (player, action) in turn.movers().iter().zip(joint) {
            state.seen[player] = after_action(state.seen[player], *action);
        }
        if turn == Turn::Chance {
            for player in 0..self.rules.players {
                let told = self.observe(state, turn, joint, player);
                state.seen[player] = after_observation(state.seen[player], told);
            }
        } else {
            let told = Self::told(state, turn, joint);
            for seen in &mut state.seen[..self.rules.players] {
                *seen = after_observation(*seen, told);
            }
        }
    }

    /// The cards of all players in the round that these events are of, as one of them may imagine them.
    fn imagine(
        &self,
        round: u8,
        view: &View,
        events: &[Event],
        rng: &mut Rng,
    ) -> Option<[u8; MOST_PLAYERS]> {
        let told = || events.iter().filter_map(heard);
        if let Some(shown) = told().map(|told| told >> SHOWN).find(|shown| *shown > 0) {
            let card =
                |player: usize| (shown - 1) >> (CARD_BITS as usize * player) & ((1 << CARD_BITS) - 1);
            return Some(std::array::from_fn(|player| card(player) as u8));
        }
        let mut cards = [NONE; MOST_PLAYERS];
        let own = told().find(|told| (OWN_CARD..OTHER_DEALT).contains(told));
        let own = own
            .map(|told| (told - OWN_CARD) as u8)
            .filter(|card| usize::from(*card) < self.rules.cards.len());
        let mut taken = own.map_or(0, |card| 1 << card);
        for (player, card) in cards[..self.rules.players].iter_mut().enumerate() {
            if let Some(own) = own.filter(|_| player == view.player) {
                *card = own;
                continue;
            }
            let deck = self.deck(round, player, taken);
            if deck == 0 {
                return None;
            }
            *card = nth_set(deck, rng.below(deck.count_ones())) as u8;
            taken |= 1 << *card;
        }
        Some(cards)
    }

    /// The joint action that an observation tells of, if it is possible.
    fn infer(
        &self,
        state: &State,
        told: u64,
        cards: &[u8; MOST_PLAYERS],
        joint: &mut Vec<Action>,
    ) -> Option<()> {
        joint.clear();
        let low = told & ((1 << SHOWN) - 1);
        match self.turn(state) {
            Turn::Over => return None,
            Turn::Chance => {
                let card = cards[usize::from(state.dealt)];
                (usize::from(card) < self.rules.cards.len() && self.left(state) >> card & 1 == 1)
                    .then_some(())?;
                joint.push(Action(card.into()));
            }
            Turn::One(_) => {
                let action = Action(u32::try_from(low.checked_sub(1)?).ok()?);
                self.is_legal(state, action).then(|| joint.push(action))?;
            }
            Turn::Several(movers) => {
                let noes = low.checked_sub(VOTES)?;
                let may_refuse = |player: usize| movers.contains(player) && state.votes[player] > 0;
                ones(noes).all(|player| may_refuse(player as usize)).then_some(())?;
                joint.extend(movers.iter().map(|player| Action((noes >> player & 1) as u32)));
            }
        }
        Some(())
    }

    /// One of some pieces or levels.
    #[inline]
    fn pick(&self, set: u64, rng: &mut Rng) -> u32 {
        let n = rng.below(set.count_ones());
        if self.is_small { nth_of_nine(set as u16, n) } else { nth_set(set, n) }
    }

    /// What a voter says at random.
    #[inline]
    fn random_vote(state: &State, player: usize, rng: &mut Rng) -> u32 {
        if state.votes[player] > 0 { rng.below(2) } else { YES }
    }

    /// What a voter says who thinks of its own pieces.
    #[inline]
    fn sensible_vote(&self, state: &State, player: usize) -> u32 {
        if state.votes[player] == 0 || self.rules.is_content(state, player) { YES } else { NO }
    }

    /// Plays on at random to the end, but for votes, if they are to be `SENSIBLE`; without the keys of views, which
    /// nobody will ask for. Gives the number of steps.
    fn finish<const SENSIBLE: bool>(&self, state: &mut State, rng: &mut Rng, returns: &mut [f64]) -> u64 {
        let mut steps = 0;
        loop {
            match state.stage {
                Stage::Deal => {
                    let card = self.draw(state, rng);
                    self.rules.deal(state, card.0 as u8);
                }
                Stage::Set => {
                    let piece = self.pick(self.rules.unset(state), rng);
                    let level = self.pick(self.rules.room(state), rng);
                    self.rules.set(state, piece, level as u8);
                }
                Stage::Promote => {
                    let piece = self.pick(self.rules.movable(state), rng);
                    self.rules.promote(state, piece, returns);
                }
                Stage::Vote => {
                    let mut vote = |player| match SENSIBLE {
                        true => self.sensible_vote(state, player),
                        false => Self::random_vote(state, player, rng),
                    };
                    let noes = self
                        .rules
                        .voters(state)
                        .iter()
                        .fold(0, |noes, player| noes | vote(player) << player);
                    self.rules.vote(state, Players(noes), returns);
                }
                Stage::Over => return steps,
            }
            steps += 1;
        }
    }

    /// Whether the one who is to move may do this.
    fn is_legal(&self, state: &State, Action(action): Action) -> bool {
        match (state.stage, action / PLACES) {
            (Stage::Promote, 0) => self.rules.movable(state) >> action & 1 == 1,
            (Stage::Set, piece @ 1..=16) => {
                self.rules.unset(state) >> (piece - 1) & 1 == 1
                    && self.rules.room(state) >> (action % PLACES) & 1 == 1
            }
            _ => false,
        }
    }
}

impl Game for KingUp {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        self.start
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.stage {
            Stage::Deal => Turn::Chance,
            Stage::Set | Stage::Promote => Turn::One(state.mover.into()),
            Stage::Vote => Turn::Several(self.rules.voters(state)),
            Stage::Over => Turn::Over,
        }
    }

    fn legal(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        match state.stage {
            Stage::Set => {
                for piece in ones(self.rules.unset(state)) {
                    actions.extend(ones(self.rules.room(state)).map(|level| setting(piece, level)));
                }
            }
            Stage::Promote => actions.extend(ones(self.rules.movable(state)).map(Action)),
            Stage::Vote if state.votes[player] > 0 => actions.extend([Action(YES), Action(NO)]),
            Stage::Vote => actions.push(Action(YES)),
            Stage::Deal | Stage::Over => {}
        }
    }

    #[inline]
    fn random_action(&self, state: &State, player: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        match state.stage {
            Stage::Set => {
                let piece = self.pick(self.rules.unset(state), rng);
                setting(piece, self.pick(self.rules.room(state), rng))
            }
            Stage::Promote => Action(self.pick(self.rules.movable(state), rng)),
            _ => Action(Self::random_vote(state, player, rng)),
        }
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let left = self.left(state);
        let probability = 1.0 / f64::from(left.count_ones());
        outcomes.extend(ones(left).map(|card| (Action(card), probability)));
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        let left = self.left(state);
        Action(nth_set(left, rng.below(left.count_ones())))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let turn = self.turn(state);
        let chosen = joint[0].0;
        match (state.stage, turn) {
            (Stage::Deal, _) => self.rules.deal(state, chosen as u8),
            (Stage::Set, _) => self.rules.set(state, chosen / PLACES - 1, (chosen % PLACES) as u8),
            (Stage::Promote, _) => self.rules.promote(state, chosen, rewards),
            (Stage::Vote, _) => self.rules.vote(state, noes(turn.movers(), joint), rewards),
            (Stage::Over, _) => return,
        }
        self.tell(state, turn, joint);
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, joint: &[Action], player: usize) -> Observation {
        match turn {
            Turn::Chance if usize::from(after.dealt) == player + 1 => {
                Observation(OWN_CARD + u64::from(joint[0].0))
            }
            Turn::Chance => Observation(OTHER_DEALT + u64::from(after.dealt)),
            _ => Self::told(after, turn, joint),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        match turn {
            Turn::Chance => Observation(OTHER_DEALT + u64::from(after.dealt)),
            _ => Self::told(after, turn, joint),
        }
    }

    fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
        let Transition { before, after, turn, joint } = *step;
        let said = match turn {
            Turn::Chance => {
                let owner = usize::from(before.dealt);
                return match owner == player {
                    true => format!("your target card is {}", self.action_name(before, None, joint[0])),
                    false => format!("player {} is dealt a target card", owner + 1),
                };
            }
            Turn::Several(movers) => picture::votes_in_words(before.top, noes(movers, joint)),
            _ => format!(
                "player {} {}",
                before.mover + 1,
                self.action_name(before, Some(before.mover.into()), joint[0])
            ),
        };
        match after.stage {
            Stage::Over | Stage::Deal => format!("{said}; {}", self.cards_in_words(after)),
            _ => said,
        }
    }

    fn action_name(&self, state: &State, player: Option<usize>, Action(action): Action) -> String {
        let piece = |piece: u32| piece_name(piece);
        match (player, state.stage) {
            (None, _) => names_of(self.rules.cards.get(action as usize).copied().unwrap_or_default()),
            (_, Stage::Vote) => if action == NO { "no" } else { "yes" }.to_owned(),
            (_, Stage::Set) => {
                format!("{} on {}", piece((action / PLACES).saturating_sub(1)), action % PLACES)
            }
            _ => format!("{} up", piece(action)),
        }
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_text(state, viewer)
    }

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities {
            hash: Some(self),
            preferred: Some(self),
            resampling: Some(self),
            view_key: Some(self),
            picture: Some(self),
            planning_model: (self.given != [NONE; MOST_PLAYERS]).then_some(self),
            batch: Some(self),
            ..Abilities::default()
        }
    }
}

impl StateHash<State> for KingUp {
    /// Rounds that are over count no more, but for who began.
    fn hash(&self, state: &State) -> u64 {
        let place = |piece: u32| u64::from(1 + state.levels[piece as usize]) << (4 * piece);
        let board = ones(state.board.into()).fold(0, |board, piece| board | place(piece));
        let cards = match state.stage {
            Stage::Deal => &state.cards[..usize::from(state.dealt)],
            _ => &state.cards[..self.rules.players],
        };
        let cards = cards.iter().fold(1, |all, card| all << CARD_BITS | u64::from(*card));
        let votes = state.votes.iter().fold(0, |all, votes| all << 5 | u64::from(*votes));
        let [stage, mover, beginner, round, set] =
            [state.stage as u8, state.mover, state.beginner, state.round, state.set].map(u64::from);
        let turn = (((stage << 4 | mover) << 4 | beginner) << 4 | round) << 8 | set;
        derive(derive(board, cards), votes << 32 | turn)
    }
}

impl Preferred<State> for KingUp {
    fn preferred(&self, state: &State, player: usize, actions: &mut Vec<Action>) {
        match state.stage {
            Stage::Vote => actions.push(Action(self.sensible_vote(state, player))),
            _ => self.legal(state, player, actions),
        }
    }
}

impl Resample<State> for KingUp {
    /// The cards do not choose the moves: every deal of what a player has not seen is equally likely.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let (mut state, mut cards) = (self.start, [NONE; MOST_PLAYERS]);
        let (mut rewards, mut joint) = ([0.0; MOST_PLAYERS], Vec::with_capacity(MOST_PLAYERS));
        for (index, event) in view.events.iter().enumerate() {
            let Some(told) = heard(event) else { continue };
            if state.stage == Stage::Deal && state.dealt == 0 {
                cards = self.imagine(state.round, view, &view.events[index..], rng)?;
            }
            self.infer(&state, told, &cards, &mut joint)?;
            self.step(&mut state, &joint, &mut rewards[..self.rules.players]);
        }
        (*state.seen.get(view.player)? == view.key()).then_some(state)
    }
}

impl ViewKey<State> for KingUp {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        state.seen[player]
    }
}

impl Svg<State> for KingUp {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_svg(state, viewer)
    }
}

impl PlanningModel<State> for KingUp {
    /// Where a file tells the cards, those who play do not know it.
    fn planning_model(&self) -> SharedModel {
        Arc::new(KingUp { given: [NONE; MOST_PLAYERS], ..self.clone() })
    }
}

impl Batch<State> for KingUp {
    fn play_out_many(
        &self,
        state: &State,
        how: &Rollout,
        count: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        let to_the_end = self.info.horizon.is_some_and(|horizon| how.depth >= horizon);
        if how.discount != 1.0 || !to_the_end {
            return None;
        }
        let finish = match how.policy {
            Policy::Random => Self::finish::<false>,
            Policy::Preferred => Self::finish::<true>,
        };
        Some((0..count).map(|_| finish(self, &mut state.clone(), rng, returns)).sum())
    }
}

#[cfg(test)]
mod tests;
