//! The contract of a game: a partially observable stochastic game in extensive form.
//!
//! Rules hold rules only: they never draw, never punish an illegal move, never hold a belief and
//! know no planner. Turn-taking, perfect information, a single player, determinism and "pays only
//! at the end" are special cases of the one contract.
//!
//! Seven methods are mandatory; everything else has a default, and what a game offers beyond
//! the rules it declares in [`Info::has`].

use std::sync::Arc;

use crate::discount;
use crate::macro_actions::MacroActions;
use crate::model::SharedModel;
use crate::playout::Rollout;
use crate::rng::{Rng, derive};
use crate::solve::Proof;
use crate::view::View;

/// A choice of one player, or an outcome of chance. The game gives the number its meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Action(pub u32);

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

/// What a game offers beyond its rules. A planner says which of these it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Capabilities {
    /// [`Game::chance`] lists all outcomes with their probabilities (or there is no chance).
    pub explicit_chance: bool,
    /// [`Game::hash`] tells states apart.
    pub hash: bool,
    /// [`Game::evaluate`] estimates the return still to come.
    pub evaluator: bool,
    /// [`Game::preferred`] narrows the legal actions for playouts.
    pub preferred: bool,
    /// [`Game::resample`] draws a state that fits a view.
    pub resampling: bool,
    /// [`Game::view_key`] tells from a state what a player has seen.
    pub view_key: bool,
    /// [`Game::collapsed`] gives the same problem with nothing hidden.
    pub collapsed: bool,
    /// [`Game::judge`] looks for the best that can come of a state.
    pub solver: bool,
    /// [`Game::svg`] draws a picture.
    pub svg: bool,
}

impl Capabilities {
    /// Each capability's name, whether it is there, in the order of declaration.
    pub fn list(&self) -> [(&'static str, bool); 9] {
        [
            ("explicit chance", self.explicit_chance),
            ("state hash", self.hash),
            ("evaluator", self.evaluator),
            ("preferred actions", self.preferred),
            ("resampling", self.resampling),
            ("view key", self.view_key),
            ("collapsed model", self.collapsed),
            ("solver", self.solver),
            ("picture", self.svg),
        ]
    }
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
    /// Whether several players may move at once: never, somewhere, or not known. Planners that need turns refuse a
    /// game of the second kind, and one of the third where they come to such a state.
    pub simultaneous: Option<bool>,
    /// How many playouts from one state are played in about the time of one; 1 for most games.
    pub at_once: u32,
    /// How many atoms [`Game::atoms`] numbers; 0 where it has none.
    pub atoms: u32,
    /// What there is beyond the rules.
    pub has: Capabilities,
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
            simultaneous: (players == 1).then_some(false),
            at_once: 1,
            atoms: 0,
            has: Capabilities { explicit_chance: true, ..Capabilities::default() },
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

    /// What holds in a state, one fact an entry, where the rules are made of facts.
    fn facts(&self, state: &Self::State) -> Vec<String> {
        let _ = state;
        Vec::new()
    }

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

    /// The observation in words; only asked when it is not silent. `before` is the state in which
    /// the joint action was chosen.
    fn observation_name(
        &self,
        before: &Self::State,
        after: &Self::State,
        turn: Turn,
        joint: &[Action],
        player: usize,
    ) -> String {
        let _ = (after, player);
        let name = |who, action| self.action_name(before, who, action);
        match turn {
            Turn::Over => String::new(),
            Turn::Chance => name(None, joint[0]),
            _ => {
                let each = turn.movers().iter().zip(joint);
                let words: Vec<String> =
                    each.map(|(p, a)| format!("{} {}", self.player_name(p), name(Some(p), *a))).collect();
                words.join(", ")
            }
        }
    }

    /// What a player is called.
    fn player_name(&self, player: usize) -> String {
        format!("player {}", player + 1)
    }

    /// Appends the outcomes of chance with their probabilities, which add up to one.
    /// ([`Capabilities::explicit_chance`])
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

    /// Plays out many games from one state, and **adds** the returns of all to `returns`, where that
    /// is quicker than one after the other. Gives the number of steps of all.
    fn play_out_many(
        &self,
        state: &Self::State,
        how: &Rollout,
        count: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        let _ = (state, how, count, rng, returns);
        None
    }

    /// Plays out one game from each of some states after the given action of the one who moves there,
    /// and **adds** the players' returns, that step's rewards included, to `returns`, one state after the
    /// other, where that is quicker than one by one. Gives the number of steps of all.
    fn play_out_after(
        &self,
        starts: &[(&Self::State, Action)],
        how: &Rollout,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        let _ = (starts, how, rng, returns);
        None
    }

    /// Appends the legal actions that a sensible playout chooses from, uniformly; they may depend
    /// on what `player` knows only. ([`Capabilities::preferred`])
    fn preferred(&self, state: &Self::State, player: usize, actions: &mut Vec<Action>) {
        self.legal(state, player, actions);
    }

    /// Estimates the return still to come for each player, overwriting `values`.
    /// ([`Capabilities::evaluator`])
    fn evaluate(&self, state: &Self::State, values: &mut [f64]) {
        let _ = state;
        values.fill(0.0);
    }

    /// What [`Game::evaluate`] would say to `player`, the only mover, after each of these legal actions if the
    /// game goes on; NaN where the action must be simulated. False, the default, where the game knows nothing
    /// quicker than trying all, or where chance or somebody else may come next.
    fn afterstate_values(
        &self,
        _: &Self::State,
        _player: usize,
        _: &[Action],
        _values: &mut Vec<f64>,
    ) -> bool {
        false
    }

    /// Appends the numbers of what is true of a state, each below [`Info::atoms`]: what a network judges it by. What
    /// is true several times may come as often. In a game with secrets, they may say what everybody knows only.
    fn atoms(&self, state: &Self::State, atoms: &mut Vec<u32>) {
        let _ = (state, atoms);
    }

    /// How many symmetries are known: exchanges of two things that change the names of states and actions, but
    /// nothing that anybody could get.
    fn symmetries(&self) -> usize {
        0
    }

    /// Which of the two representatives under a symmetry a state is: 1 or -1, or 0 where the symmetry leaves the state
    /// as it is. The canonical form is the one with orientation 1.
    fn orientation(&self, state: &Self::State, symmetry: usize) -> i32 {
        let _ = (state, symmetry);
        0
    }

    /// The image of a state under a symmetry, which is its own inverse.
    fn reflected(&self, state: &Self::State, symmetry: usize) -> Self::State {
        let _ = symmetry;
        state.clone()
    }

    /// The image of an action under a symmetry.
    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        let _ = (player, symmetry);
        action
    }

    /// Equal for states with the same future, different (but for accidents) for others.
    /// ([`Capabilities::hash`])
    fn hash(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }

    /// [`View::key`] of all that `player` has done and seen on the way to this state, where the
    /// state tells it.
    /// ([`Capabilities::view_key`])
    fn view_key(&self, state: &Self::State, player: usize) -> u64 {
        let _ = (state, player);
        0
    }

    /// Draws a state that fits the view, with the right probability. ([`Capabilities::resampling`])
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<Self::State> {
        let _ = (view, rng);
        None
    }

    /// The equivalent stochastic problem over what the only player knows: a game of perfect information
    /// with the same actions, in which chance draws what is hidden when it is shown. What happens to the
    /// player, step by step, has the same probability in both: every view of one (silent steps leave no
    /// trace) is a view of the other, and has the same legal actions and rewards.
    /// ([`Capabilities::collapsed`])
    fn collapsed(&self) -> Option<SharedModel> {
        None
    }

    /// The game as those who play it are to imagine it, where that is another than the one that is played: planners
    /// and beliefs are given it in its place. Players, actions and observations must be the same.
    fn planning_model(&self) -> Option<SharedModel> {
        None
    }

    /// Looks for the best that can come of one of the worlds that `state` leaves possible, everything in it
    /// known, with about so much effort (states to look at), and **adds** what each player then gets to
    /// `returns`. Gives the number of states, or `None` where the game has no solver of its own.
    /// ([`Capabilities::solver`])
    fn judge(&self, state: &Self::State, effort: u32, rng: &mut Rng, returns: &mut [f64]) -> Option<u64> {
        let _ = (state, effort, rng, returns);
        None
    }

    /// How many things of a state are unknown that [`Game::judge`] sees: the more there are, the less what it finds is
    /// worth to somebody who does not.
    fn unknown(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }

    /// What the game's own solver says of a state in which everything is known, if it may look at so many states.
    /// ([`Capabilities::solver`])
    fn prove(&self, state: &Self::State, states: u64, pause: &mut dyn FnMut() -> bool) -> Option<Proof> {
        let _ = (state, states, pause);
        None
    }

    /// The game over its moves that cannot be undone, where it knows them better than by trying.
    fn macro_actions(&self) -> Option<Arc<dyn MacroActions>> {
        None
    }

    /// A picture as SVG: of the whole truth, or of what `viewer` may know of it.
    /// ([`Capabilities::svg`])
    fn svg(&self, state: &Self::State, viewer: Option<usize>) -> String {
        let _ = (state, viewer);
        String::new()
    }

    /// How often rules written by a user have failed so far. After a failure the state it
    /// happened in is over, so that every loop ends; whoever drives the game compares this
    /// number before and after, and asks for [`Game::fault`] instead of believing the result.
    fn faults(&self) -> u64 {
        0
    }

    /// The latest failure in a sentence.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Something that the rules have left open where somebody came to it, in a sentence that says how it
    /// was understood. Unlike after a fault, play goes on.
    fn flaw(&self) -> Option<String> {
        None
    }
}
