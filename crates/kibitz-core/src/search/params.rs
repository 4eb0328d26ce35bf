//! The parts of a search, each an independent choice, and how they are written in a spec.

use std::time::{Duration, Instant};

use super::aim::Aim;
use super::select::SelectionSpec;
use crate::belief::{BeliefKind, Form};
use crate::evaluate::EvaluatorSpec;
use crate::macro_actions::MacroSpec;
use crate::params::{Param, Params, named, share, words};
use crate::playout::PlayoutSpec;
use crate::spec::{Spec, SpecError, Value};

crate::params! {
    /// All the choices that make a tree search.
    pub struct SearchParams {
        /// Simulations a move (for an ensemble: in each tree); 1,000 if no budget at all is given.
        pub simulations: Option<u64> = None, in Some(1)..=Some(u64::MAX);
        /// Simulations a move for each legal action (for an ensemble: in each tree).
        pub rounds: Option<u64> = None, in Some(1)..=Some(u64::MAX);
        /// Time a move. Results then depend on the machine: publish results with simulations.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
        /// Steps of the model a move, those of playouts among them (for an ensemble: in each tree).
        pub transitions: Option<u64> = None, in Some(1)..=Some(u64::MAX);
        /// Nodes that the tree may have before the search stops.
        pub nodes: u64 = 10_000_000, in 1..=1_000_000_000;
        /// Exploration constant of UCB1, in units of the game's spread of returns.
        pub exploration: f64 = std::f64::consts::SQRT_2, in 0.0..=1e6;
        /// Whether exploration goes by the least and the greatest return that simulations have come to so far, and not by the
        /// spread that the game declares: as if values were scaled to between 0 and 1.
        pub normalise: bool = false;
        /// What the past leaves possible: exact, particles (with weights or, as in POMCP, none), the tree of
        /// histories, the game's resampling or hypergames. Opponents did anything legal, what the game prefers
        /// or what its evaluator promises most for, but for a share of slips.
        pub belief: BeliefKind = Form::Auto.into();
        /// What a node stands for: auto, state, open-loop (the actions that led to it, whatever chance did),
        /// action-observation, public, belief or outcomes (a state, with exact means over all outcomes of chance). A game that hides something but offers a collapsed model is searched in that one where nodes are states.
        pub tree: TreeKind = TreeKind::Auto;
        /// Whose view tells nodes apart: all (each player decides by its own view) or one (everybody
        /// decides by what the planner's own player sees, with what is legal in the sampled world).
        pub observers: Observers = Observers::All;
        /// What an edge is, if not a move: a macro-action. irreversible is a move that cannot be undone, with those before it
        /// that can; repeat is an action several times in a row.
        pub macro_actions: MacroSpec = MacroSpec::NONE, was "moves";
        /// What players are taken to want, the planner's own among them: the return, the lead over the mean of the
        /// others' returns, or the win, which is to have the best return of all (those who tie share it).
        pub aim: Aim = Aim::Return;
        /// How edges are chosen (`kibitz planners selections` tells of each).
        pub selection: SelectionSpec = SelectionSpec::named("ucb1");
        /// Whether all actions of a node are tried before one is tried twice (all, partial), or actions are chosen part by
        /// part: their type, their source and so on (action-tree).
        pub expansion: Expansion = Expansion::All;
        /// Nodes that a simulation adds before it is played out; 0 for no tree, inf for whole games. If
        /// none is said, 1; with tree=belief, inf.
        pub grow: Option<f64> = None, in Some(0.0)..=Some(f64::INFINITY);
        /// How a simulation goes on beyond the tree (`kibitz planners playouts` tells of each); auto is preferred where the
        /// game prefers something, else random, or evaluator where one is given.
        pub playout: PlayoutSpec = PlayoutSpec::named("auto");
        /// What judges states in place of the game's evaluator: a network's file that `kibitz learn` wrote, or another
        /// evaluator by name.
        pub evaluator: Option<EvaluatorSpec> = None;
        /// Playouts from each leaf; their mean counts as one simulation.
        pub playouts: u32 = 1, in 1..=1_000_000;
        /// Moves after which a playout stops; the evaluator, if there is one, judges the rest.
        pub depth: Option<u32> = None, in Some(0)..=Some(1_000_000);
        /// Where a simulation stops: after so many moves from the root (chance after the last is drawn where nothing judges
        /// what is left), or at the end of the player's turn (turn); what others do before that turn, they end theirs. None:
        /// where the game ends, or, if it discounts and has no end, where what is left counts less than one percent.
        pub horizon: Horizon = Horizon::Natural;
        /// How returns make values: mean, max, or mixmax(share of the best return seen).
        pub backup: Backup = Backup::Mean;
        /// Which action is played: the one with most visits, with the best value, what the selection stands
        /// for without exploring (policy), or, where it draws by regret, one that is drawn with its exploring
        /// (drawn).
        pub choice: Choice = Choice::Visits;
        /// Which of several actions that are as good is played: the first, or one at random.
        pub ties: Ties = Ties::First;
        /// Outcomes of chance that are considered for an action; none for all of them.
        pub width: Option<u32> = None, in Some(1)..=Some(1_000_000);
        /// Trees that are searched one after the other; their values are averaged.
        pub trees: u32 = 1, in 1..=10_000;
        /// Whether equal states share a node (the game must be able to hash states).
        pub transpositions: bool = false;
        /// Whether what is searched to the end is proved, and never searched again (MCTS-Solver): wins are made and losses
        /// avoided as soon as they are known, and a search ends when the root is proved.
        pub solver: bool = false;
        /// Whether the tree is kept for the next move.
        pub reuse: bool = true;
        /// Whether the search of a tree ends as soon as the simulations left cannot change which of its actions
        /// has most visits.
        pub until_decided: bool = false;
        /// Threads.
        pub workers: u32 = 1, in 1..=256;
        /// What threads do: each a tree of its own (root), all one tree (tree), or the playouts of
        /// one leaf (leaf).
        pub parallel: Parallel = Parallel::Root;
    }
}

words! {
    /// What a node of the tree stands for: which key finds it.
    TreeKind {
        /// The state where everybody knows it or the game offers a collapsed model, else what its player
        /// has seen.
        Auto = "auto",
        /// The sequence of all moves and outcomes (with transpositions: the state).
        State = "state",
        /// The sequence of all players' actions, whatever chance did between them: what is then legal is asked of each
        /// simulation's own state.
        OpenLoop = "open-loop",
        /// What the player who decides has done and seen. Each player has a tree of its own.
        ActionObservation = "action-observation",
        /// What all have seen, and of that what the player who decides has seen itself: what the states have
        /// in common that it cannot tell apart. Those who move at once come one after the other, and none
        /// decides by what those before it chose (POMCP-PGT).
        Public = "public",
        /// How probable each state is, for a single player: histories that leave the same belief meet.
        Belief = "belief",
        /// The state, which is known; every outcome of chance is judged as soon as an action is looked at, and an
        /// action is worth the exact mean over them.
        Outcomes = "outcomes",
    }
}
words! {
    /// Whose views make the nodes of an action-observation tree.
    Observers {
        /// Each player's its own: a tree for each (MO-ISMCTS).
        All = "all",
        /// The planner's own player's: one tree (SO-ISMCTS, with moves that are not seen).
        One = "one",
    }
}
words! {
    /// When untried actions are tried.
    Expansion {
        /// All of them before any is tried twice.
        All = "all",
        /// When an untried one, taken to be worth the middle of the range of returns with as
        /// many visits as actions were tried, looks better than the best tried one.
        Partial = "partial",
        /// All, where a node is a tree itself: first a part that several actions have in common is chosen (their type), then
        /// the next (their source), and at last one of the actions that have both (Dobre and Lascarides 2018).
        ActionTree = "action-tree",
    }
}
words! {
    /// Which action is played.
    Choice {
        /// The one most visited.
        Visits = "visits",
        /// The one with the highest value.
        Value = "value",
        /// What the selection stands for: the highest value (ucb1, uniform), one drawn by its present strategy
        /// (regret-matching), or by its average strategy (regret-matching-plus).
        Policy = "policy",
        /// One drawn as in the tree, the floor of regrets or the share at random included; with ucb1 and uniform,
        /// which draw nothing by what they have found, as policy.
        Drawn = "drawn",
    }
}
words! {
    /// Which of several actions with equal visits and values is played.
    Ties {
        /// The first.
        First = "first",
        /// One at random.
        Random = "random",
    }
}
words! {
    /// What several threads do.
    Parallel {
        /// Each searches its own tree; their root statistics are added up.
        Root = "root",
        /// All search the same tree.
        Tree = "tree",
        /// All play out from the same leaf.
        Leaf = "leaf",
    }
}

/// Where a simulation stops, beside the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Horizon {
    /// Where the game says.
    Natural,
    /// After so many moves.
    Moves(u32),
    /// Where the turn of the player who searches is over: somebody else is to move, or several.
    Turn,
}

impl Param for Horizon {
    fn kind() -> String {
        "whole number, turn or none".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Spec(spec) if spec.arguments.is_empty() && spec.name == "none" => Ok(Horizon::Natural),
            Value::Spec(spec) if spec.arguments.is_empty() && spec.name == "turn" => Ok(Horizon::Turn),
            Value::Integer(1..=1_000_000) => u32::read(value).map(Horizon::Moves),
            Value::Integer(moves) => Err(format!("{moves} is out of range: 1 to 1000000")),
            other => Err(format!("expected a number of moves, turn or none, not {other}")),
        }
    }

    fn show(&self) -> String {
        match self {
            Horizon::Natural => "none".to_owned(),
            Horizon::Moves(moves) => moves.to_string(),
            Horizon::Turn => "turn".to_owned(),
        }
    }
}

/// How returns make values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Backup {
    /// The mean of all returns.
    Mean,
    /// The value of a node is that of its best action (Bellman). Where playouts are noisy, that is
    /// the luckiest one until all have been tried often: best with one player or an evaluator.
    Max,
    /// This share of the best return seen, the rest the mean.
    MixMax(f64),
}

impl Backup {
    /// The share of the best action in a state's value.
    pub fn share_of_best(self) -> f64 {
        match self {
            Backup::Mean => 0.0,
            Backup::Max => 1.0,
            Backup::MixMax(share) => share,
        }
    }
}

impl Param for Backup {
    fn kind() -> String {
        "mean | max | mixmax(share)".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let (name, number) = named(value, &["mean", "max", "mixmax"])?;
        Ok(match name.as_str() {
            "max" => Backup::Max,
            "mixmax" => Backup::MixMax(share(&name, number, 0.1)?),
            _ => Backup::Mean,
        })
    }

    fn show(&self) -> String {
        match self {
            Backup::Mean => "mean".to_owned(),
            Backup::Max => "max".to_owned(),
            Backup::MixMax(share) => format!("mixmax({share})"),
        }
    }
}

impl SearchParams {
    /// When a decision that began then is due, if it has so many milliseconds.
    pub fn deadline(&self, begun: Instant) -> Option<Instant> {
        self.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0))
    }

    /// Nodes that a simulation of a tree adds.
    pub fn growth(&self) -> f64 {
        self.grow.unwrap_or(1.0)
    }

    /// Whether the tree may be one of known states. A belief that is asked for, or nodes made of what is
    /// seen, are about the game as it is.
    pub fn knows_the_state(&self) -> bool {
        match self.tree {
            TreeKind::State | TreeKind::OpenLoop | TreeKind::Outcomes => true,
            TreeKind::Auto => self.belief.form == Form::Auto && self.observers == Observers::All,
            _ => false,
        }
    }

    /// These parameters with a spec's changes.
    ///
    /// # Errors
    /// An unknown name or a bad value.
    pub fn with(mut self, spec: &Spec) -> Result<SearchParams, SpecError> {
        // A solver's own parameter, which was one of the search before.
        let mut spec = spec.clone();
        let sees = spec.arguments.iter().position(|(key, _)| key == "clairvoyance");
        let sees = sees.map(|at| spec.arguments.remove(at).1);
        self.apply(&spec)?;
        if let Some(value) = sees {
            if self.playout.name() != "solver" {
                let name = &spec.name;
                return Err(SpecError(format!(
                    "{name}: clairvoyance is a solver's: it goes with playout=solver only"
                )));
            }
            self.playout = self.playout.clone().with("clairvoyance", value)?;
        }
        if self.evaluator.is_some() && self.playout.name() == "auto" {
            self.playout = PlayoutSpec::named("evaluator");
        }
        // A budget of another kind takes the place of a preset's.
        const BUDGETS: [&str; 4] = ["simulations", "rounds", "milliseconds", "transitions"];
        let says = |name: &str| spec.arguments.iter().any(|(key, _)| key == name);
        if BUDGETS.into_iter().any(says) {
            self.simulations = self.simulations.filter(|_| says("simulations"));
            self.rounds = self.rounds.filter(|_| says("rounds"));
        }
        let SearchParams { simulations, rounds, milliseconds, transitions, .. } = self;
        if simulations.or(rounds).or(transitions).is_none() && milliseconds.is_none() {
            self.simulations = Some(1000);
        }
        Ok(self)
    }

    /// Simulations of a move where there are so many legal actions.
    pub fn simulations_for(&self, actions: usize) -> Option<u64> {
        let rounds = self.rounds.map(|rounds| rounds.saturating_mul(actions as u64));
        self.simulations.into_iter().chain(rounds).min()
    }
}
