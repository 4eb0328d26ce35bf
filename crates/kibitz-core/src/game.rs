//! The contract of a game: a partially observable stochastic game in extensive form.
//!
//! Rules hold rules only: they never draw, never punish an illegal move, never hold a belief and
//! know no planner. Turn-taking, perfect information, a single player, determinism and "pays only
//! at the end" are special cases of the one contract.
//!
//! Seven methods are mandatory; everything else has a default, and what a game offers beyond
//! the rules are its abilities ([`Game::abilities`]).

use crate::abilities::Abilities;
use crate::discount;
use crate::rng::{Rng, derive};

/// A choice of one player, or an outcome of chance. The game gives the number its meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Action(pub u32);

impl Action {
    /// What a mover does who does nothing, where players may [wait](Timing).
    pub const WAIT: Action = Action(u32::MAX);
}

/// What one player was told by one step: a key that is equal exactly when what was told is equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Observation(pub u64);

impl Observation {
    /// The step went by unnoticed: it leaves no trace in the player's view.
    pub const SILENT: Observation = Observation(0);

    /// Everything that was just chosen, which is what everybody sees of a public step.
    #[inline]
    pub fn of_joint(joint: &[Action]) -> Observation {
        match joint {
            [only] => Observation(u64::from(only.0) + 1),
            _ => Observation(joint.iter().fold(1, |key, a| derive(key, u64::from(a.0) + 1)) | 1),
        }
    }
}

/// A set of players, as a bit mask: at most 32 of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Players(pub u32);

impl Players {
    /// The first `count` players.
    pub fn first(count: usize) -> Players {
        Players(((1u64 << count) - 1) as u32)
    }

    /// Whether `player` is one of them.
    pub fn contains(self, player: usize) -> bool {
        player < 32 && self.0 >> player & 1 == 1
    }

    /// Their numbers, ascending: the order of the entries of a joint action.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone {
        let mut left = self.0;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let player = left.trailing_zeros() as usize;
                left &= left - 1;
                player
            })
        })
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Who moves now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nobody: the game is over.
    Over,
    /// Chance draws an outcome.
    Chance,
    /// One player.
    One(usize),
    /// Several players at once, none knowing what the others choose.
    Several(Players),
}

impl Turn {
    /// The players who move (none at a chance turn or when the game is over).
    #[inline]
    pub fn movers(self) -> Players {
        match self {
            Turn::Over | Turn::Chance => Players(0),
            Turn::One(player) => Players(1 << player),
            Turn::Several(players) => players,
        }
    }

    /// How many entries the joint action of this turn has.
    pub fn width(self) -> usize {
        if self == Turn::Chance { 1 } else { self.movers().len() }
    }
}

/// A step that was taken.
pub struct Transition<'a, S> {
    /// The state in which everybody chose,
    pub before: &'a S,
    /// and what it led to.
    pub after: &'a S,
    /// Who moved.
    pub turn: Turn,
    /// What was chosen.
    pub joint: &'a [Action],
}

/// The facts about a game that hold in all of its states.
#[derive(Clone, Debug)]
pub struct Info {
    /// How many players, chance not counted; 1 to 32.
    pub players: usize,
    /// No player's return (discounted, where the game discounts) is lower than this.
    pub min_return: f64,
    /// No player's return is higher than this.
    pub max_return: f64,
    /// By how much the returns of good and bad play typically differ: the unit in which an
    /// exploration constant is given. The range of returns unless the game knows better.
    pub spread: f64,
    /// A reward t steps ahead counts this to the power of t (steps are the players' moves, see [`discount`]).
    pub discount: f64,
    /// No game lasts longer than this many steps, chance's included.
    pub horizon: Option<u32>,
    /// Every player always knows the state.
    pub perfect_information: bool,
    /// All players' returns always add up to zero.
    pub zero_sum: bool,
    /// Only one thread at a time may use it (rules written in Python): planners use no others.
    pub one_thread: bool,
    /// Nobody is paid before the end.
    pub paid_at_end: bool,
    /// No reward of anybody's is ever above zero: there are costs only.
    pub never_pays: bool,
    /// Whether several players may move at once: never, somewhere, or not known. Planners that need turns refuse a
    /// game of the second kind, and one of the third where they come to such a state.
    pub simultaneous: Option<bool>,
    /// [`Game::chance`] lists all outcomes with their probabilities (or there is no chance).
    pub explicit_chance: bool,
    /// Of a game that one player wins or loses besides having a score: what is added to the return for the one and taken
    /// from it for the other, more than any score. A return above zero is then a win.
    pub outcome: Option<f64>,
}

/// Chance may move so often in a row, and no more often, unless the game's horizon is longer.
pub const LONGEST_CHANCE: u32 = 10_000;

impl Info {
    /// How often chance may move in a row before the game counts as one in which nobody else will.
    pub fn longest_chance(&self) -> u32 {
        self.horizon.unwrap_or(0).max(LONGEST_CHANCE)
    }

    /// That chance moved more often.
    pub fn endless_chance(&self) -> String {
        format!(
            "chance has moved {} times in a row without a move of a player, which is the limit: the rules let chance \
             move without end (a game that needs more declares a longer horizon)",
            self.longest_chance()
        )
    }

    /// A game of perfect information and explicit chance with returns in the given range. One player has nobody to
    /// move at once with; of more it is not known.
    pub fn new(players: usize, min_return: f64, max_return: f64) -> Info {
        Info {
            players,
            min_return,
            max_return,
            spread: max_return - min_return,
            discount: 1.0,
            horizon: None,
            perfect_information: true,
            zero_sum: false,
            one_thread: false,
            paid_at_end: false,
            never_pays: false,
            simultaneous: (players == 1).then_some(false),
            explicit_chance: true,
            outcome: None,
        }
    }

    /// Whether the one player of a game has lost, when it is over after a step that paid this.
    pub fn is_lost(&self, last_reward: f64) -> bool {
        match self.outcome {
            Some(outcome) => last_reward < -outcome / 2.0,
            // Where every move costs something, the last one does too.
            None => last_reward < 0.0 && !self.never_pays,
        }
    }

    /// Two players who move in turn, and of whom one wins up to `most`, at the end, what the other loses.
    pub fn duel(most: f64, horizon: u32) -> Info {
        Info {
            horizon: Some(horizon),
            zero_sum: true,
            paid_at_end: true,
            simultaneous: Some(false),
            ..Info::new(2, -most, most)
        }
    }

    /// How much what follows a step of this turn counts beside what the step itself pays.
    #[inline]
    pub fn discount_after(&self, turn: Turn) -> f64 {
        discount::after(turn, self.discount)
    }

    /// Whether the bounds of returns are bounds of what is left as well, wherever a game has come to: nothing was paid
    /// before, and nothing is discounted.
    pub fn bounds_what_is_left(&self) -> bool {
        self.paid_at_end && self.discount == 1.0
    }
}

/// The rules of a game. Immutable and shared between threads.
///
/// The joint action of a [`Turn::One`] or [`Turn::Chance`] has one entry, that of a
/// [`Turn::Several`] one for each mover in ascending order.
pub trait Game: Send + Sync + 'static {
    /// The whole truth at one moment; cheap to clone.
    type State: Clone + Send + Sync + 'static;

    /// The facts that hold in all states.
    fn info(&self) -> &Info;

    /// Where every game begins.
    fn initial(&self) -> Self::State;

    /// Who moves in this state.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Appends the legal actions of `player`, one of the movers; at least one, none twice.
    fn legal(&self, state: &Self::State, player: usize, actions: &mut Vec<Action>);

    /// Carries out a joint action and **adds** each player's reward to `rewards`.
    fn step(&self, state: &mut Self::State, joint: &[Action], rewards: &mut [f64]);

    /// The state that a joint action leads to, as [`Game::step`] would change a copy. Overridden where
    /// most of a state is made anew.
    fn after(&self, state: &Self::State, joint: &[Action], rewards: &mut [f64]) -> Self::State {
        let mut after = state.clone();
        self.step(&mut after, joint, rewards);
        after
    }

    /// A readable name, unique among the legal actions (or outcomes) of this state. `player` is
    /// `None` for an outcome of chance.
    fn action_name(&self, state: &Self::State, player: Option<usize>, action: Action) -> String;

    /// A drawing in plain characters: of the whole truth, or of what `viewer` may know of it.
    fn text(&self, state: &Self::State, viewer: Option<usize>) -> String;

    /// What `player` is told by the step `joint`, taken at `turn`, that led to the state `after`.
    /// Everything, unless the game hides something. The player's own action is in its view
    /// already, before this.
    #[inline]
    fn observe(&self, after: &Self::State, turn: Turn, joint: &[Action], player: usize) -> Observation {
        let _ = (after, turn, player);
        Observation::of_joint(joint)
    }

    /// The part of the observation that all players get and know all others to get.
    fn observe_public(&self, after: &Self::State, turn: Turn, joint: &[Action]) -> Observation {
        let _ = (after, turn);
        if self.info().perfect_information { Observation::of_joint(joint) } else { Observation::SILENT }
    }

    /// What a player is told by a step, in words; only asked when it is not silent.
    fn observation_name(&self, step: &Transition<Self::State>, player: usize) -> String {
        let _ = player;
        self.moves_in_words(step)
    }

    /// Who did what in a step.
    fn moves_in_words(&self, step: &Transition<Self::State>) -> String {
        let name = |who, action| self.action_name(step.before, who, action);
        match step.turn {
            Turn::Over => String::new(),
            Turn::Chance => name(None, step.joint[0]),
            turn => {
                let each = turn.movers().iter().zip(step.joint).filter(|(_, a)| **a != Action::WAIT);
                let words: Vec<String> =
                    each.map(|(p, a)| format!("{} {}", self.player_name(p), name(Some(p), *a))).collect();
                if words.is_empty() { "time went by".to_owned() } else { words.join(", ") }
            }
        }
    }

    /// What a player is called.
    fn player_name(&self, player: usize) -> String {
        format!("player {}", player + 1)
    }

    /// Appends the outcomes of chance with their probabilities, which add up to one.
    /// (Unless [`Info::explicit_chance`] is false.)
    fn chance(&self, state: &Self::State, outcomes: &mut Vec<(Action, f64)>) {
        let _ = (state, outcomes);
    }

    /// Draws an outcome of chance.
    fn draw(&self, state: &Self::State, rng: &mut Rng) -> Action {
        let mut outcomes = Vec::new();
        self.chance(state, &mut outcomes);
        let chosen = rng.weighted(outcomes.iter().map(|(_, p)| *p));
        outcomes.get(chosen).map_or(Action(0), |(action, _)| *action)
    }

    /// A uniformly random legal action of `player`. Overridden where that is quicker than
    /// listing them; `scratch` is there to be used.
    #[inline]
    fn random_action(
        &self,
        state: &Self::State,
        player: usize,
        scratch: &mut Vec<Action>,
        rng: &mut Rng,
    ) -> Action {
        scratch.clear();
        self.legal(state, player, scratch);
        let chosen = rng.below(scratch.len() as u32) as usize;
        scratch.get(chosen).copied().unwrap_or_default()
    }

    /// What the game offers beyond its rules.
    #[inline]
    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities::default()
    }
}

/// What nobody reads of a game that is there for a test: actions are called by their numbers, states as they are written.
#[macro_export]
macro_rules! in_numbers {
    () => {
        fn action_name(&self, _: &Self::State, _: Option<usize>, action: $crate::Action) -> String {
            action.0.to_string()
        }

        fn text(&self, state: &Self::State, _: Option<usize>) -> String {
            format!("{state:?}")
        }
    };
}
