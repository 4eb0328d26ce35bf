//! Kuhn poker (1950): three cards, two players, one bet.

use kibitz_core::abilities::{Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::params::NoParams;
use kibitz_core::rng::{Rng, mix};
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};
use kibitz_core::{abilities, register_game};

use crate::cards::{dealt_to, face};
use crate::draw::{CARD, FAINT, INK, Picture};

register_game!(
    "kuhn-poker",
    "The smallest poker: three cards, an ante of one, a single bet of one.",
    NoParams,
    |_| Ok(KuhnPoker::new())
);

const CARDS: [&str; 3] = ["J", "Q", "K"];
const MOVES: [&str; 2] = ["pass", "bet"];
const PASS: u8 = 0;
const BET: u8 = 1;

// Observations of moves are their numbers plus one; those of deals lie above them.
const OWN_CARD: u64 = 3;
const OTHER_DEALT: u64 = 6;
const SHOWDOWN: u64 = 16;

/// The rules.
pub struct KuhnPoker {
    info: Info,
}

/// The cards dealt so far and the moves made so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    cards: [u8; 2],
    dealt: u8,
    moves: [u8; 3],
    moved: u8,
}

impl KuhnPoker {
    fn new() -> KuhnPoker {
        KuhnPoker { info: Info { perfect_information: false, ..Info::duel(2.0, 5) } }
    }
}

impl State {
    fn moves(&self) -> &[u8] {
        &self.moves[..usize::from(self.moved)]
    }

    fn deal(&mut self, card: u8) {
        self.cards[usize::from(self.dealt)] = card;
        self.dealt += 1;
    }

    fn make(&mut self, action: u8) {
        self.moves[usize::from(self.moved)] = action;
        self.moved += 1;
    }

    fn left_in_deck(&self) -> impl Iterator<Item = u8> {
        let gone = self.cards;
        let dealt = usize::from(self.dealt);
        (0..3).filter(move |card| !gone[..dealt].contains(card))
    }

    fn is_over(&self) -> bool {
        matches!(self.moves(), [PASS, PASS] | [BET, _] | [PASS, BET, _])
    }

    fn folder(&self) -> Option<usize> {
        match self.moves() {
            [BET, PASS] => Some(1),
            [PASS, BET, PASS] => Some(0),
            _ => None,
        }
    }

    fn is_showdown(&self) -> bool {
        self.is_over() && self.folder().is_none()
    }

    /// What a player has put into the pot.
    fn stake(&self, player: usize) -> u8 {
        1 + self.moves().iter().skip(player).step_by(2).sum::<u8>()
    }

    fn winner(&self) -> usize {
        self.folder().map_or(usize::from(self.cards[1] > self.cards[0]), |folder| 1 - folder)
    }

    fn visible_to(&self, viewer: Option<usize>, owner: usize) -> bool {
        viewer.is_none_or(|viewer| viewer == owner) || self.is_showdown()
    }

    /// What the move number `index` told everybody; a showdown tells the cards too.
    fn told_by_move(&self, index: usize) -> Observation {
        let told = u64::from(self.moves[index]) + 1;
        if self.is_showdown() && index + 1 == usize::from(self.moved) {
            return Observation(told + SHOWDOWN * (1 + u64::from(self.cards[0] * 3 + self.cards[1])));
        }
        Observation(told)
    }

    fn told_by_deal(&self, owner: usize, player: usize) -> Observation {
        Observation(if owner == player { OWN_CARD + u64::from(self.cards[owner]) } else { OTHER_DEALT })
    }

    fn caption(&self) -> String {
        let moves: Vec<&str> = self.moves().iter().map(|&m| MOVES[usize::from(m)]).collect();
        let pot = format!("pot {} + {}", self.stake(0), self.stake(1));
        let result = match (self.is_over(), self.folder()) {
            (false, _) => String::new(),
            (true, Some(folder)) => {
                format!("; player {} folds, player {} wins", folder + 1, self.winner() + 1)
            }
            (true, None) => format!("; player {} wins", self.winner() + 1),
        };
        format!(
            "{pot}; {}{result}",
            if moves.is_empty() { "no moves yet".into() } else { moves.join(", ") }
        )
    }
}

impl Game for KuhnPoker {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { cards: [0; 2], dealt: 0, moves: [0; 3], moved: 0 }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match () {
            () if state.dealt < 2 => Turn::Chance,
            () if state.is_over() => Turn::Over,
            () => Turn::One(usize::from(state.moved & 1)),
        }
    }

    fn legal(&self, _: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend([PASS, BET].map(|action| Action(u32::from(action))));
    }

    #[inline]
    fn random_action(&self, _: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        Action(rng.below(2))
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let probability = 1.0 / f64::from(3 - state.dealt);
        outcomes.extend(state.left_in_deck().map(|card| (Action(u32::from(card)), probability)));
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        let chosen = rng.below(u32::from(3 - state.dealt));
        // The second card skips over the first.
        let skip = u32::from(state.dealt == 1 && chosen >= u32::from(state.cards[0]));
        Action(chosen + skip)
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0 as u8;
        if state.dealt < 2 {
            return state.deal(chosen);
        }
        state.make(chosen);
        if state.is_over() {
            let winner = state.winner();
            let won = f64::from(state.stake(1 - winner));
            rewards[winner] += won;
            rewards[1 - winner] -= won;
        }
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, _: &[Action], player: usize) -> Observation {
        match turn {
            Turn::Chance => after.told_by_deal(usize::from(after.dealt) - 1, player),
            _ => after.told_by_move(usize::from(after.moved) - 1),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, _: &[Action]) -> Observation {
        match turn {
            Turn::Chance => Observation(OTHER_DEALT + u64::from(after.dealt)),
            _ => after.told_by_move(usize::from(after.moved) - 1),
        }
    }

    fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
        let Transition { after, turn, joint, .. } = *step;
        let card = |owner: usize| CARDS[usize::from(after.cards[owner])];
        if turn == Turn::Chance {
            let owner = usize::from(after.dealt) - 1;
            return dealt_to(owner, player, || card(owner));
        }
        let mover = usize::from(after.moved + 1) % 2;
        let made = format!("player {} {}", mover + 1, MOVES[joint[0].0 as usize & 1]);
        match after.is_showdown() {
            true => format!("{made}; player 1 shows {}, player 2 shows {}", card(0), card(1)),
            false => made,
        }
    }

    fn action_name(&self, _: &State, player: Option<usize>, action: Action) -> String {
        let names: &[&str] = if player.is_some() { &MOVES } else { &CARDS };
        names[action.0 as usize].to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        let card = |owner: usize| {
            let name = || CARDS[usize::from(state.cards[owner])];
            face(usize::from(state.dealt) > owner, state.visible_to(viewer, owner), name)
        };
        format!("player 1: {}   player 2: {}\n{}\n", card(0), card(1), state.caption())
    }

    abilities!(hash, resampling, view_key, picture);
}

impl StateHash<State> for KuhnPoker {
    fn hash(&self, state: &State) -> u64 {
        let bytes = [state.cards[0], state.cards[1], state.dealt, state.moved];
        let [a, b, c] = state.moves;
        mix(u64::from(u32::from_le_bytes(bytes)) << 3 | u64::from(a << 2 | b << 1 | c))
    }
}

impl Resample<State> for KuhnPoker {
    /// Every deal that the view allows is equally likely, since the cards do not choose the moves.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let mut state = self.initial();
        for event in &view.events {
            let Event::Observed(Observation(told)) = *event else { continue };
            match (told, told % SHOWDOWN) {
                // A card of the other player's is number 3 until it is drawn below.
                (OWN_CARD..=OTHER_DEALT, _) if state.dealt < 2 => state.deal((told - OWN_CARD) as u8),
                (_, 1..OWN_CARD) if state.moved < 3 => {
                    state.make((told % SHOWDOWN - 1) as u8);
                    if let Some(cards) = (told / SHOWDOWN).checked_sub(1) {
                        state.cards = [(cards / 3) as u8, (cards % 3) as u8];
                    }
                }
                _ => return None,
            }
        }
        if let Some(hidden) = state.cards.iter().position(|&card| card == 3) {
            let choices: Vec<u8> = state.left_in_deck().collect();
            state.cards[hidden] = choices[rng.below(choices.len() as u32) as usize];
        }
        Some(state)
    }
}

impl ViewKey<State> for KuhnPoker {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        let mut key = view_seed(player);
        for owner in 0..usize::from(state.dealt) {
            key = after_observation(key, state.told_by_deal(owner, player));
        }
        for (index, &action) in state.moves().iter().enumerate() {
            if index % 2 == player {
                key = after_action(key, Action(u32::from(action)));
            }
            key = after_observation(key, state.told_by_move(index));
        }
        key
    }
}

impl Svg<State> for KuhnPoker {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        let mut picture = Picture::new(300, 150);
        for (owner, x) in [(0, 85), (1, 215)] {
            let left = x - CARD.0 / 2;
            if owner < usize::from(state.dealt) {
                let name = CARDS[usize::from(state.cards[owner])];
                picture.card(left, 14, state.visible_to(viewer, owner).then_some(name), INK);
            } else {
                picture.no_card(left, 14);
            }
            picture.words(x, 94, 12, FAINT, self.player_name(owner));
        }
        picture.words(150, 126, 12, INK, state.caption());
        picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{perft, play, returns};

    #[test]
    fn pays_as_it_should() {
        let returns = |moves| returns(&KuhnPoker::new(), moves);
        assert_eq!(returns("J Q pass pass"), [-1.0, 1.0]);
        assert_eq!(returns("K Q bet pass"), [1.0, -1.0]);
        assert_eq!(returns("Q K bet bet"), [-2.0, 2.0]);
        assert_eq!(returns("K J pass bet pass"), [-1.0, 1.0]);
        assert_eq!(returns("K J pass bet bet"), [2.0, -2.0]);
    }

    #[test]
    fn the_tree_has_its_known_size() {
        let game = KuhnPoker::new();
        let counts: Vec<u64> = (1..=5).map(|depth| perft(&game, &game.initial(), depth)).collect();
        assert_eq!(counts, [3, 6, 12, 24, 12]);
    }

    #[test]
    fn only_a_showdown_shows_the_cards() {
        let game = KuhnPoker::new();
        let folded = play(&game, "J K bet pass");
        assert_eq!(game.text(&folded, Some(1)).lines().next(), Some("player 1: ?   player 2: K"));
        let shown = play(&game, "J K bet bet");
        assert_eq!(
            game.text(&shown, Some(1)),
            "player 1: J   player 2: K\npot 2 + 2; bet, bet; player 2 wins\n"
        );
    }
}
