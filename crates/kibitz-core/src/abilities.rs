//! Abilities: what a game may offer beyond its rules. To be there is to be declared.
//!
//! Each ability is a small trait over the type of a game's states. A game implements those that it has and lists them
//! in [`Game::abilities`]; nothing else says that they are there. Planners ask a [`Model`], which has all of these traits
//! for states with their type erased, and [`Model::has`], which tells what is behind them. A wrapper of another game
//! passes an ability on with [`forward!`](crate::forward) (`pass.rs`).

mod pass;

use std::ops::Range;
use std::sync::Arc;

use crate::episode::{Delay, Timing};
use crate::game::{Action, Game, Observation};
use crate::macro_actions::MacroActions;
use crate::model::{SharedModel, State};
use crate::playout::{Context, Rollout};
use crate::rng::Rng;
use crate::solve::Proof;
use crate::view::View;

macro_rules! declare {
    ($($(#[$doc:meta])* $field:ident: $Ability:ident = $words:literal,)*) => {
        /// What a game offers, for states of its own type: each ability, where it is there.
        pub struct Abilities<'g, S> {
            $($(#[$doc])* pub $field: Option<&'g dyn $Ability<S>>,)*
        }

        impl<S> Default for Abilities<'_, S> {
            /// Nothing.
            #[inline]
            fn default() -> Self {
                Abilities { $($field: None,)* }
            }
        }

        impl<S> Abilities<'_, S> {
            /// Which of them are there.
            #[inline]
            pub fn has(&self) -> Capabilities {
                Capabilities { $($field: self.$field.is_some(),)* }
            }
        }

        /// Which abilities a game has. A planner says which of these it needs.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Capabilities {
            $($(#[$doc])* pub $field: bool,)*
        }

        impl Capabilities {
            /// What planners may ask for: each ability's name, and whether it is there, in the order of declaration.
            pub fn list(&self) -> Vec<(&'static str, bool)> {
                let mut all = vec![$(($words, self.$field),)*];
                all.retain(|(words, _)| !words.is_empty());
                all
            }
        }
    };
}

/// The method of a game that has these abilities itself, whatever its parameters are:
/// `abilities!(hash, picture);` stands for `fn abilities` with both set to `Some(self)`.
#[macro_export]
macro_rules! abilities {
    ($($ability:ident),*) => {
        fn abilities(&self) -> $crate::abilities::Abilities<'_, Self::State> {
            $crate::abilities::Abilities { $($ability: Some(self),)* ..$crate::abilities::Abilities::default() }
        }
    };
}

declare! {
    /// [`StateHash`]: tells states apart.
    hash: StateHash = "state hash",
    /// [`Evaluate`]: estimates the return still to come.
    evaluator: Evaluate = "evaluator",
    /// [`ActionHeuristic`]: says how near actions bring a player to its goal.
    action_heuristic: ActionHeuristic = "action heuristic",
    /// [`Preferred`]: narrows the legal actions for playouts.
    preferred: Preferred = "preferred actions",
    /// [`ShownChance`]: tells what was drawn from what everybody is told of it.
    shown_chance: ShownChance = "shown chance",
    /// [`Resample`]: draws a state that fits a view.
    resampling: Resample = "resampling",
    /// [`Pieces`]: what it hides are pieces that go their own ways.
    pieces: Pieces = "hidden pieces",
    /// [`ViewKey`]: tells from a state what a player has seen.
    view_key: ViewKey = "view key",
    /// [`Collapsed`]: gives the same problem with nothing hidden.
    collapsed: Collapsed = "collapsed model",
    /// [`Solver`]: looks for the best that can come of a state.
    solver: Solver = "solver",
    /// [`Prove`]: settles a state in which everything is known.
    prover: Prove = "proofs",
    /// [`Svg`]: draws a picture.
    picture: Svg = "picture",
    /// [`PlanningModel`]: what those who play are to imagine is another game than the one that is played.
    planning_model: PlanningModel = "planning model",
    /// [`Atoms`]: numbers what is true of a state.
    atoms: Atoms = "atoms",
    /// [`Facts`]: says in words what holds in a state.
    facts: Facts = "facts",
    /// [`ActionKeys`]: tells what actions mean, wherever they are legal.
    action_keys: ActionKeys = "action keys",
    /// [`Factors`]: tells actions by type, source and so on.
    factors: Factors = "action factors",
    /// [`EndTurn`]: has an action by which a player ends its turn.
    end_turn: EndTurn = "end of turn",
    /// [`Features`]: numbers by which a linear evaluator judges a state.
    features: Features = "features",
    /// [`Symmetries`]: knows exchanges that change names and nothing else.
    symmetries: Symmetries = "symmetries",
    /// [`OwnMacroActions`]: knows its moves that cannot be undone better than by trying.
    macro_actions: OwnMacroActions = "macro-actions",
    /// [`Batch`]: plays many games at once.
    batch: Batch = "playouts in batches",
    /// [`RealTime`]: players may choose at any instant, and things happen by themselves.
    real_time: RealTime = "real time",
    /// [`Roles`]: speaks of moves and percepts as game managers on the network do.
    roles: Roles = "",
    /// [`Faults`]: its rules are a user's, and may fail.
    faults: Faults = "",
}

/// Tells states apart.
pub trait StateHash<S> {
    /// Equal for states with the same future, different (but for accidents) for others.
    fn hash(&self, state: &S) -> u64;
}

/// Estimates the return still to come.
pub trait Evaluate<S> {
    /// An estimate for each player, overwriting `values`.
    fn evaluate(&self, state: &S, values: &mut [f64]);

    /// What [`Evaluate::evaluate`] would say to `player`, the only mover, after each of these legal actions if the
    /// game goes on; NaN where the action must be simulated. False, the default, where the game knows nothing
    /// quicker than trying all, or where chance or somebody else may come next.
    fn afterstate_values(
        &self,
        _: &S,
        _player: usize,
        _actions: &[Action],
        _values: &mut Vec<f64>,
    ) -> bool {
        false
    }
}

/// Says how near actions bring a player to its goal, without trying them.
pub trait ActionHeuristic<S> {
    /// Appends a value from 0 to 1 for each of these legal actions. False, and nothing is appended, where that is not known
    /// after all; [`ActionHeuristic::heuristics`] says why.
    fn action_values(&self, state: &S, player: usize, actions: &[Action], values: &mut Vec<f64>) -> bool;

    /// For each player: what it goes by, or why it cannot tell, in words.
    fn heuristics(&self) -> Vec<Result<String, String>> {
        Vec::new()
    }
}

/// Narrows the legal actions for playouts.
pub trait Preferred<S> {
    /// Appends the legal actions that a sensible playout chooses from, uniformly; they may depend
    /// on what `player` knows only.
    fn preferred(&self, state: &S, player: usize, actions: &mut Vec<Action>);
}

/// Tells what was drawn from what everybody is told of it, where [`Game::chance`] does not list the outcomes.
pub trait ShownChance<S> {
    /// The one outcome at this chance turn after which a player is told this.
    fn shown(&self, state: &S, told: Observation) -> Option<Action>;
}

/// Draws a state that fits a view.
pub trait Resample<S> {
    /// With the right probability; `None` where it finds none.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<S>;
}

/// Several products of the places of hidden pieces, each with its probability: for each piece, the states that hide
/// nothing but it, with theirs.
pub type Products<S> = Vec<(f64, Vec<Vec<(S, f64)>>)>;

/// What a game of one player hides are pieces that go their own ways: given what the player sees, what one of them does
/// has nothing to do with the others, whatever all of them together are then seen to do. Here a state that hides one
/// piece alone stands for that piece; it has all that is seen, and may have no piece at all. So the exact belief need not
/// list all places of all pieces together.
pub trait Pieces<S> {
    /// Where pieces may be before anything was told of them, and how many events of the view lie behind by then. Each
    /// product has one state at least. `None` for a view that is none of this game's.
    fn prior(&self, view: &View) -> Option<(usize, Products<S>)>;

    /// The pieces of a state, each alone; one without a piece, where there are none.
    fn split(&self, state: &S) -> Vec<S>;

    /// Several pieces in one state.
    fn join(&self, pieces: &[&S]) -> S;

    /// What a piece has done from one decision of the player's to the next that can be seen, as a key; `None` where
    /// that contradicts what was told, whatever others have done.
    fn done(&self, before: &S, after: &S, told: Observation) -> Option<u64>;

    /// Whether pieces which have done this together are told of so. Before it, all was seen that can be seen of `before`.
    fn together(&self, before: &S, done: &[u64], told: Observation) -> bool;

    /// Gives a piece's state what is now seen, which others' deeds are part of: after an action of the player's, or,
    /// where there is none yet, as it was.
    fn take(&self, after: &mut S, before: &S, action: Option<Action>, told: Observation);
}

/// Tells from a state what a player has seen.
pub trait ViewKey<S> {
    /// [`View::key`] of all that `player` has done and seen on the way to this state.
    fn view_key(&self, state: &S, player: usize) -> u64;
}

/// Gives the same problem with nothing hidden, for a game of one player.
pub trait Collapsed<S> {
    /// The equivalent stochastic problem over what the player knows: a game of perfect information with the same
    /// actions, in which chance draws what is hidden when it is shown. What happens to the player, step by step, has the
    /// same probability in both: every view of one (silent steps leave no trace) is a view of the other, and has the
    /// same legal actions and rewards.
    fn collapsed(&self) -> SharedModel;
}

/// Looks for the best that can come of a state.
pub trait Solver<S> {
    /// Looks for the best that can come of one of the worlds that `state` leaves possible, everything in it
    /// known, with about so much effort (states to look at), and **adds** what each player then gets to
    /// `returns`. Gives the number of states, or `None` where it cannot tell. It asks now and then whether to go on.
    fn judge(&self, state: &S, effort: u32, context: &mut Context, returns: &mut [f64]) -> Option<u64>;

    /// How many things of a state are unknown that [`Solver::judge`] sees: the more there are, the less what it finds is
    /// worth to somebody who does not.
    fn unknown(&self, _: &S) -> u32 {
        0
    }
}

/// Settles a state in which everything is known.
pub trait Prove<S> {
    /// What comes of it, if so many states may be looked at; `None` for a state of which it can say nothing.
    fn prove(&self, state: &S, states: u64, pause: &mut dyn FnMut() -> bool) -> Option<Proof>;
}

/// Draws pictures.
pub trait Svg<S> {
    /// As SVG: of the whole truth, or of what `viewer` may know of it.
    fn svg(&self, state: &S, viewer: Option<usize>) -> String;

    /// As SVG: what `viewer` sees in some states that look alike to it, and by their probabilities (which add up to
    /// one) where what it does not see may be. `None`, the default, where the game has no such picture.
    fn belief_svg(&self, _states: &[(&S, f64)], _viewer: usize) -> Option<String> {
        None
    }
}

/// What those who play are to imagine is another game than the one that is played.
pub trait PlanningModel<S> {
    /// Planners and beliefs are given it in place of the game. Players, actions and observations must be the same.
    fn planning_model(&self) -> SharedModel;
}

/// Numbers what is true of a state.
pub trait Atoms<S> {
    /// How many there are.
    fn atom_count(&self) -> u32;

    /// Appends the numbers of those that are true, each below the count: what a network judges a state by. What
    /// is true several times may come as often. In a game with secrets, they may say what everybody knows only.
    fn atoms(&self, state: &S, atoms: &mut Vec<u32>);

    /// Which atoms are about the piece that the player moves (an avatar); none where there is no such piece.
    fn own_atoms(&self) -> Range<u32> {
        0..0
    }

    /// Where that piece stands, whichever way it looks: equal numbers for equal places.
    fn place(&self, _: &S) -> Option<u64> {
        None
    }
}

/// Says in words what holds in a state.
pub trait Facts<S> {
    /// One fact an entry.
    fn facts(&self, state: &S) -> Vec<String>;
}

/// Tells what actions mean. Without it, an action's number is its key.
pub trait ActionKeys<S> {
    /// Equal for actions of `player` that mean the same, in whatever state and at whatever place in a list.
    fn action_key(&self, state: &S, player: usize, action: Action) -> u64;
}

/// Tells actions by what they have in common: their type, then their source (which piece or card acts), and so on. Of
/// these an action tree is made, in which an action is chosen part by part (Dobre and Lascarides 2018).
pub trait Factors<S> {
    /// Appends the parts of a legal action of `player` from the first that is chosen on, as numbers that tell apart what
    /// may be chosen after the same parts before. The last part, which is the action itself, is left out.
    fn factors(&self, state: &S, player: usize, action: Action, parts: &mut Vec<u32>);
}

/// A turn is made of several actions, and ends with one of its own.
pub trait EndTurn<S> {
    /// The action by which `player`, whose turn it is, ends it; `None`, where it may not.
    fn end_turn(&self, state: &S, player: usize) -> Option<Action>;
}

/// Numbers by which a linear evaluator judges a state: what it promises a player is the logistic function of their sum by
/// weights.
pub trait Features<S> {
    /// What they are called.
    fn feature_names(&self) -> Vec<String>;

    /// The weights that the game comes with, one for each.
    fn feature_weights(&self) -> Vec<f64>;

    /// Appends a state's features as `player` sees them. With two players whose returns add up to zero the other's are
    /// the opposite of one's own.
    fn features(&self, state: &S, player: usize, values: &mut Vec<f64>);
}

/// Knows symmetries: exchanges of two things that change the names of states and actions, but nothing that anybody
/// could get. Each is its own inverse.
pub trait Symmetries<S> {
    /// How many are known.
    fn symmetries(&self) -> usize;

    /// Which of the two representatives under a symmetry a state is: 1 or -1, or 0 where the symmetry leaves the state
    /// as it is. The canonical form is the one with orientation 1.
    fn orientation(&self, state: &S, symmetry: usize) -> i32;

    /// The image of a state under a symmetry.
    fn reflected(&self, state: &S, symmetry: usize) -> S;

    /// The image of an action under a symmetry.
    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action;
}

/// Knows its moves that cannot be undone better than by trying.
pub trait OwnMacroActions<S> {
    /// The game over them.
    fn macro_actions(&self) -> Arc<dyn MacroActions>;
}

/// Plays many games at once, where that is quicker than one after the other.
pub trait Batch<S> {
    /// How many playouts from one state are played in about the time of one.
    fn at_once(&self) -> u32 {
        1
    }

    /// Plays out many games from one state, and **adds** the returns of all to `returns`. Gives the number of steps of
    /// all; `None`, with nothing added, where it cannot be done at once.
    fn play_out_many(
        &self,
        state: &S,
        how: &Rollout,
        count: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> Option<u64>;

    /// Plays out one game from each of some states after the given action of the one who moves there,
    /// and **adds** the players' returns, that step's rewards included, to `returns`, one state after the
    /// other. Gives the number of steps of all; `None`, with nothing added, where it cannot be done at once.
    fn play_out_after(
        &self,
        _starts: &[(&S, Action)],
        _how: &Rollout,
        _rng: &mut Rng,
        _returns: &mut [f64],
    ) -> Option<u64> {
        None
    }
}

/// Time goes by in it: players may choose at any instant, or not at all, and things happen by themselves. A step still
/// takes no time; how long the state before it lasted is the step's duration.
pub trait RealTime<S> {
    /// When the next step is taken.
    fn timing(&self, state: &S) -> Timing;

    /// Lets so many ticks go by in which nobody chooses, and no more of them than [`RealTime::timing`] says.
    fn pass(&self, state: &mut S, ticks: u64);

    /// How long a tick is in the game's own unit of time, which is a second unless whoever plays it says otherwise (the
    /// play clock of a game manager multiplies it).
    fn tick(&self) -> f64 {
        1.0
    }

    /// Where chance draws nothing but when it will move: that. Such outcomes need not be listed by [`Game::chance`].
    fn delay(&self, state: &S) -> Option<Delay> {
        let _ = state;
        None
    }

    /// Whether [`Game::chance`] lists all outcomes but those, where [`Info::explicit_chance`](crate::Info) is false.
    fn lists_all_but_delays(&self) -> bool {
        false
    }
}

/// Speaks of its moves as game managers on the network do. Every role makes a move in every turn, chance's and those of
/// players without a choice included, and is then told what the rules say. A turn may take two steps: the players', and
/// then chance's.
pub trait Roles<S> {
    /// The roles in the order of the rules, each with the player that it is; none for chance's.
    fn roles(&self) -> Vec<(String, Option<usize>)>;

    /// The names of a role's legal moves, also where there is but one.
    fn role_moves(&self, state: &S, role: usize) -> Vec<String>;

    /// Whether the players have moved and chance has still to, in the same turn.
    fn within_turn(&self, state: &S) -> bool;

    /// What a player was told by the turn that led to a state, in the words of the rules, where they hide something.
    fn percepts(&self, after: &S, player: usize) -> Vec<String>;
}

/// Its rules are a user's, and may fail. After a failure the state it happened in is over, so that every loop ends;
/// whoever drives the game compares the number of failures before and after, and asks what it was instead of believing the
/// result.
pub trait Faults<S> {
    /// How often the rules have failed so far.
    fn faults(&self) -> u64;

    /// The latest failure in a sentence.
    fn fault(&self) -> Option<String>;

    /// Something that the rules have left open where somebody came to it, in a sentence that says how it
    /// was understood. Unlike after a fault, play goes on.
    fn flaw(&self) -> Option<String> {
        None
    }
}

impl<G: Game> RealTime<State> for G {
    #[inline]
    fn timing(&self, state: &State) -> Timing {
        Game::abilities(self).real_time.map_or(Timing::Turns, |real_time| real_time.timing(state.get()))
    }

    fn pass(&self, state: &mut State, ticks: u64) {
        if let Some(real_time) = Game::abilities(self).real_time {
            real_time.pass(state.get_mut(), ticks);
        }
    }

    fn tick(&self) -> f64 {
        Game::abilities(self).real_time.map_or(1.0, |real_time| real_time.tick())
    }

    fn delay(&self, state: &State) -> Option<Delay> {
        Game::abilities(self).real_time?.delay(state.get())
    }

    fn lists_all_but_delays(&self) -> bool {
        Game::abilities(self).real_time.is_some_and(|real_time| real_time.lists_all_but_delays())
    }
}

/// The abilities of any game for states with their type erased.
macro_rules! erase {
    ($($field:ident: $Ability:ident),* $(,)?) => {
        $($crate::through!($Ability, [G: Game] G, State, |game, state| (
            Game::abilities(game).$field, state.get::<G::State>()
        ));)*
    };
}

erase! {
    hash: StateHash, evaluator: Evaluate, action_heuristic: ActionHeuristic, preferred: Preferred, shown_chance: ShownChance, view_key: ViewKey, solver: Solver, picture: Svg,
    atoms: Atoms, facts: Facts, action_keys: ActionKeys, factors: Factors, end_turn: EndTurn, features: Features,
    prover: Prove, roles: Roles, batch: Batch, faults: Faults,
}

impl<G: Game> Resample<State> for G {
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        Game::abilities(self).resampling?.resample(view, rng).map(State::new)
    }
}

impl<G: Game> Pieces<State> for G {
    fn prior(&self, view: &View) -> Option<(usize, Products<State>)> {
        let (events, products) = Game::abilities(self).pieces?.prior(view)?;
        let erased = |piece: Vec<(G::State, f64)>| -> Vec<(State, f64)> {
            piece.into_iter().map(|(state, p)| (State::new(state), p)).collect()
        };
        let products = products.into_iter();
        Some((events, products.map(|(p, each)| (p, each.into_iter().map(erased).collect())).collect()))
    }

    fn split(&self, state: &State) -> Vec<State> {
        let pieces = Game::abilities(self).pieces;
        pieces.map_or_else(Vec::new, |it| it.split(state.get()).into_iter().map(State::new).collect())
    }

    fn join(&self, pieces: &[&State]) -> State {
        let own: Vec<&G::State> = pieces.iter().map(|state| state.get()).collect();
        match Game::abilities(self).pieces {
            Some(it) => State::new(it.join(&own)),
            None => State::new(Game::initial(self)),
        }
    }

    fn done(&self, before: &State, after: &State, told: Observation) -> Option<u64> {
        Game::abilities(self).pieces?.done(before.get(), after.get(), told)
    }

    fn together(&self, before: &State, done: &[u64], told: Observation) -> bool {
        Game::abilities(self).pieces.is_some_and(|it| it.together(before.get(), done, told))
    }

    fn take(&self, after: &mut State, before: &State, action: Option<Action>, told: Observation) {
        if let Some(it) = Game::abilities(self).pieces {
            it.take(after.get_mut(), before.get(), action, told);
        }
    }
}

impl<G: Game> Symmetries<State> for G {
    fn symmetries(&self) -> usize {
        Game::abilities(self).symmetries.map_or(0, |known| known.symmetries())
    }

    fn orientation(&self, state: &State, symmetry: usize) -> i32 {
        Game::abilities(self).symmetries.map_or(0, |known| known.orientation(state.get(), symmetry))
    }

    fn reflected(&self, state: &State, symmetry: usize) -> State {
        match Game::abilities(self).symmetries {
            Some(known) => State::new(known.reflected(state.get(), symmetry)),
            None => state.clone(),
        }
    }

    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        let known = Game::abilities(self).symmetries;
        known.map_or(action, |known| known.reflected_action(player, action, symmetry))
    }
}
