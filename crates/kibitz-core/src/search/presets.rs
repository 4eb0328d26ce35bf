//! Named planners that are presets of the one search.

use super::TreeSearch;
use super::params::{Backup, Choice, Horizon, Observers, SearchParams, Ties, TreeKind};
use super::select::SelectionSpec;
use crate::belief::Form;
use crate::macro_actions::MacroSpec;
use crate::params::Params;
use crate::playout::PlayoutSpec;
use crate::registry::{OldName, PlannerEntry};

/// Registers a preset: name, summary, what a game must offer, and how it differs from the defaults.
macro_rules! preset {
    ($name:literal, $summary:literal, $needs:literal, { $($field:ident: $value:expr),* $(,)? }) => {
        inventory::submit! {
            PlannerEntry {
                name: $name,
                summary: $summary,
                needs: $needs,
                params: || preset_params!($($field: $value),*).docs(),
                build: |spec| {
                    let presets = preset_params!($($field: $value),*);
                    Ok(Box::new(TreeSearch::new($name, presets.clone().with(spec)?, presets)))
                },
            }
        }
    };
}
macro_rules! preset_params {
    ($($field:ident: $value:expr),*) => { SearchParams { $($field: $value,)* ..SearchParams::default() } };
}

inventory::submit! { OldName { old: "stride-uct", new: "macro-uct" } }

/// Every state of a simulation enters the tree, as in Algorithm 1 of the Klondike paper.
const WHOLE: Option<f64> = Some(f64::INFINITY);

/// Chosen by a tournament (docs/reproductions.md, "How much uct explores"); UCB1's √2 for returns from -1 to 1.
const EXPLORATION: f64 = 0.7;

preset!(
    "uct",
    "Monte-Carlo tree search with UCB1 (Kocsis and Szepesvári 2006).",
    "",
    { exploration: EXPLORATION }
);
preset!(
    "sparse-uct",
    "UCT that considers only the first few outcomes of chance for each action (Bjarnason et al. 2009).",
    "perfect information, or a collapsed model",
    { width: Some(5), grow: WHOLE, exploration: 1.0, choice: Choice::Value, reuse: false }
);
preset!(
    "hop-uct",
    "The mean over UCT trees in which every action has one outcome (Bjarnason et al. 2009).",
    "perfect information, or a collapsed model",
    {
        trees: 20,
        simulations: Some(100),
        width: Some(1),
        grow: WHOLE,
        exploration: 1.0,
        choice: Choice::Value,
        reuse: false,
    }
);
preset!(
    "ensemble-uct",
    "The mean over several independent UCT trees (Bjarnason et al. 2009).",
    "",
    { trees: 20, simulations: Some(200), grow: WHOLE, exploration: 1.0, choice: Choice::Value, reuse: false }
);
preset!(
    "ensemble-sparse-uct",
    "The mean over UCT trees in which every action has few outcomes (Bjarnason et al. 2009).",
    "perfect information, or a collapsed model",
    {
        trees: 50,
        simulations: Some(50),
        width: Some(2),
        grow: WHOLE,
        exploration: 1.0,
        choice: Choice::Value,
        reuse: false,
    }
);
preset!(
    "mcts",
    "The GVG-AI framework's sample MCTS: ten moves deep, one outcome for each action, values from 0 to 1.",
    "perfect information, or a collapsed model",
    { width: Some(1), horizon: Horizon::Moves(10), normalise: true, ties: Ties::Random, reuse: false }
);
preset!(
    "olmcts",
    "The GVG-AI framework's open-loop MCTS: ten moves deep, a tree of action sequences, values from 0 to 1.",
    "perfect information, or a collapsed model",
    { tree: TreeKind::OpenLoop, horizon: Horizon::Moves(10), normalise: true, ties: Ties::Random, reuse: false }
);
preset!(
    "macro-uct",
    "UCT over moves that cannot be undone; a bounded solver judges leaves, in a world drawn for each.",
    "perfect information, or a collapsed model; a state hash",
    {
        macro_actions: MacroSpec::named("irreversible"),
        transpositions: true,
        simulations: Some(2000),
        playout: PlayoutSpec::named("solver"),
        exploration: 0.7,
        until_decided: true,
    }
);
preset!(
    "outcome-uct",
    "UCT that judges every outcome of an action as soon as it looks at it: values are exact means over chance.",
    "perfect information, or a collapsed model; explicit chance; players who move in turn; an evaluator, or another playout",
    { tree: TreeKind::Outcomes, playout: PlayoutSpec::named("evaluator"), exploration: 0.1 }
);
preset!(
    "pomcp",
    "UCT on what the player has done and seen, from particles of what may be (Silver and Veness 2010).",
    "",
    { tree: TreeKind::ActionObservation, exploration: 1.0, choice: Choice::Value }
);
preset!(
    "pomcp-pgt",
    "POMCP on a tree of public histories, for several players who hide things from each other (Gao Peng 2022).",
    "moves that everybody sees",
    { tree: TreeKind::Public, choice: Choice::Policy }
);
preset!(
    "norns",
    "UCT on what the player has done and seen, from a tree of possible pasts (Geißer et al. 2014).",
    "",
    { tree: TreeKind::ActionObservation, belief: Form::Tree(1_000_000).into(), choice: Choice::Value }
);
preset!(
    "is-mcts",
    "UCT over sampled worlds that share a tree of what is seen in them (Cowling et al. 2012).",
    "",
    { tree: TreeKind::ActionObservation, observers: Observers::One, exploration: 0.7, reuse: false }
);
/// C = 10 points of the thesis' evaluator, for which a win is 10,000 points and a loss as many below nothing.
const TEN_POINTS: f64 = 10.0 / 20_000.0;
preset!(
    "one-ply",
    "MCTS for card games: a tree of one's own turn, the best action's value, greedy playouts to the turn's end (McKenney 2023).",
    "an evaluator",
    {
        horizon: Horizon::Turn,
        playout: PlayoutSpec::named("greedy"),
        simulations: Some(200),
        exploration: TEN_POINTS,
        backup: Backup::Max,
        choice: Choice::Value,
        belief: Form::Sampled(20).into(),
    }
);
preset!(
    "rollout",
    "Each action once, then greedy to the turn's end: the one whose turn ends best (a baseline of McKenney 2023).",
    "an evaluator",
    {
        rounds: Some(1),
        grow: Some(0.0),
        selection: SelectionSpec::named("uniform"),
        horizon: Horizon::Turn,
        playout: PlayoutSpec::named("greedy"),
        choice: Choice::Value,
        ties: Ties::Random,
        reuse: false,
        belief: Form::Sampled(20).into(),
    }
);
preset!(
    "hillclimb",
    "Each action once: the one after which the evaluator promises most (a baseline of McKenney 2023).",
    "an evaluator",
    {
        rounds: Some(1),
        grow: Some(0.0),
        selection: SelectionSpec::named("uniform"),
        horizon: Horizon::Moves(1),
        playout: PlayoutSpec::named("evaluator"),
        choice: Choice::Value,
        ties: Ties::Random,
        reuse: false,
        belief: Form::Sampled(20).into(),
    }
);
preset!(
    "flat-mc",
    "Every action equally often, each followed by a playout; no tree.",
    "",
    { grow: Some(0.0), selection: SelectionSpec::named("uniform"), choice: Choice::Value, reuse: false }
);
