//! Rock, paper, scissors: one simultaneous move.

use kibitz_core::abilities::{Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Players, Turn};
use kibitz_core::params::params;
use kibitz_core::rng::{Rng, mix};
use kibitz_core::view::{after_action, after_observation, view_seed};
use kibitz_core::{Observation, View};
use kibitz_core::{abilities, register_game};

use crate::draw::{FAINT, INK, LIGHT, PAPER, Picture};

register_game!("rock-paper-scissors", RockPaperScissorsParams, RockPaperScissors::new);

params! {
    /// Both choose at once: rock blunts scissors, scissors cut paper, paper wraps rock.
    pub struct RockPaperScissorsParams {
        /// Paid to the winner.
        pub win: f64 = 1.0, in -1e6..=1e6;
        /// Paid to both if they choose the same.
        pub tie: f64 = 0.0, in -1e6..=1e6;
        /// Paid to the loser.
        pub loss: f64 = -1.0, in -1e6..=1e6;
    }
}

const HANDS: [&str; 3] = ["rock", "paper", "scissors"];

/// The rules.
pub struct RockPaperScissors {
    info: Info,
    pays: RockPaperScissorsParams,
}

/// What both have chosen, once they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State(Option<[Action; 2]>);

impl RockPaperScissors {
    fn new(pays: RockPaperScissorsParams) -> Result<RockPaperScissors, String> {
        let RockPaperScissorsParams { win, tie, loss } = pays;
        if !(loss <= tie && tie <= win && loss < win) {
            return Err("a win must pay more than a loss, and a tie something between".to_owned());
        }
        let info = Info {
            horizon: Some(1),
            zero_sum: win + loss == 0.0 && tie == 0.0,
            paid_at_end: true,
            simultaneous: Some(true),
            ..Info::new(2, loss, win)
        };
        Ok(RockPaperScissors { info, pays })
    }

    /// What the first of two hands is paid.
    fn pays(&self, hand: Action, other: Action) -> f64 {
        match (hand.0 + 3 - other.0) % 3 {
            0 => self.pays.tie,
            1 => self.pays.win,
            _ => self.pays.loss,
        }
    }
}

fn name(hand: Action) -> &'static str {
    HANDS[hand.0 as usize]
}

impl State {
    fn caption(&self) -> &'static str {
        match self.0 {
            None => "both choose",
            Some([a, b]) => ["a tie", "player 1 wins", "player 2 wins"][(a.0 + 3 - b.0) as usize % 3],
        }
    }
}

impl Game for RockPaperScissors {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State(None)
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.0.is_some() { Turn::Over } else { Turn::Several(Players::first(2)) }
    }

    fn legal(&self, _: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend((0..3).map(Action));
    }

    #[inline]
    fn random_action(&self, _: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        Action(rng.below(3))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let hands = [joint[0], joint[1]];
        rewards[0] += self.pays(hands[0], hands[1]);
        rewards[1] += self.pays(hands[1], hands[0]);
        state.0 = Some(hands);
    }

    fn action_name(&self, _: &State, _: Option<usize>, action: Action) -> String {
        name(action).to_owned()
    }

    fn text(&self, state: &State, _: Option<usize>) -> String {
        match state.0 {
            None => format!("{}\n", state.caption()),
            Some([a, b]) => format!("player 1: {}   player 2: {}\n{}\n", name(a), name(b), state.caption()),
        }
    }

    abilities!(hash, resampling, view_key, picture);
}

impl StateHash<State> for RockPaperScissors {
    fn hash(&self, state: &State) -> u64 {
        mix(state.0.map_or(0, |[a, b]| u64::from(1 + 3 * a.0 + b.0)))
    }
}

impl Resample<State> for RockPaperScissors {
    fn resample(&self, view: &View, _: &mut Rng) -> Option<State> {
        view.events.is_empty().then(|| self.initial())
    }
}

impl ViewKey<State> for RockPaperScissors {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        let key = view_seed(player);
        match state.0 {
            None => key,
            Some(hands) => {
                after_observation(after_action(key, hands[player]), Observation::of_joint(&hands))
            }
        }
    }
}

impl Svg<State> for RockPaperScissors {
    fn svg(&self, state: &State, _: Option<usize>) -> String {
        let mut picture = Picture::new(300, 150);
        for (player, x) in [(0, 85), (1, 215)] {
            picture.circle(x, 52, 34, LIGHT);
            match state.0.map(|hands| hands[player].0) {
                None => picture.words(x, 52, 30, FAINT, "?"),
                Some(0) => {
                    picture.circle(x, 56, 20, FAINT);
                    picture.circle(x - 4, 50, 9, "#a39a8f");
                }
                Some(1) => {
                    picture.rect(x - 16, 30, 32, 44, 2, INK);
                    picture.rect(x - 15, 31, 30, 42, 1, PAPER);
                    for y in [42, 50, 58] {
                        picture.line((x - 9, y), (x + 9, y), 2, FAINT);
                    }
                }
                Some(_) => {
                    picture.line((x - 8, 28), (x + 9, 64), 4, INK);
                    picture.line((x + 8, 28), (x - 9, 64), 4, INK);
                    picture.ring(x - 11, 70, 7, 4, INK);
                    picture.ring(x + 11, 70, 7, 4, INK);
                }
            }
            picture.words(x, 100, 12, FAINT, self.player_name(player));
        }
        picture.words(150, 128, 14, INK, state.caption());
        picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid(game: &RockPaperScissors, hands: [u32; 2]) -> [f64; 2] {
        let (mut state, mut rewards) = (game.initial(), [0.0; 2]);
        game.step(&mut state, &hands.map(Action), &mut rewards);
        assert_eq!(game.turn(&state), Turn::Over);
        rewards
    }

    #[test]
    fn each_hand_beats_one_other() {
        let game = RockPaperScissors::new(RockPaperScissorsParams::default()).unwrap();
        for hand in 0..3 {
            assert_eq!(paid(&game, [(hand + 1) % 3, hand]), [1.0, -1.0]);
            assert_eq!(paid(&game, [hand, (hand + 1) % 3]), [-1.0, 1.0]);
            assert_eq!(paid(&game, [hand, hand]), [0.0, 0.0]);
        }
        assert!(game.info().zero_sum);
    }

    #[test]
    fn the_stakes_can_be_chosen() {
        let params = |win, tie, loss| RockPaperScissorsParams { win, tie, loss };
        let game = RockPaperScissors::new(params(1.0, 0.5, 0.0)).unwrap();
        assert_eq!((paid(&game, [0, 0]), paid(&game, [1, 0])), ([0.5, 0.5], [1.0, 0.0]));
        assert!(!game.info().zero_sum);
        assert!(RockPaperScissors::new(params(0.0, 0.0, 0.0)).is_err());
    }
}
