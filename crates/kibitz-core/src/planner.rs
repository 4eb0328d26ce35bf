//! What a planner is: it is given a view and a model, never the true state (but for the one that says it
//! cheats).

use std::time::Duration;

use crate::belief::Counter;
use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::{SharedModel, State};
use crate::rng::Rng;
use crate::view::View;

/// Chooses actions for one seat of one game.
pub trait Planner: Send {
    /// Prepares for an episode. `model` is the game as the planner sees it.
    ///
    /// # Errors
    /// A sentence saying what the planner needs that this game does not offer.
    fn start(&mut self, model: SharedModel, seat: usize, seed: u64) -> Result<(), String>;

    /// Chooses an action. `pause` is called now and then; once it returns true, the planner
    /// answers as soon as it can with the best it has.
    ///
    /// # Errors
    /// A sentence saying why no action could be chosen.
    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String>;

    /// The same where only some of the legal actions are asked about: the others need not be judged.
    ///
    /// # Errors
    /// As [`Planner::act`].
    fn judge(&mut self, view: &View, _actions: &[Action], pause: Pause) -> Result<Decision, String> {
        self.act(view, pause)
    }

    /// What the last decision, which was made in this view, has left of its search tree, up to so many nodes; `None`
    /// where there is no tree that could be shown.
    fn tree(&mut self, view: &View, most: usize) -> Option<Grown> {
        let _ = (view, most);
        None
    }

    /// Whether it must be told the true state before each decision. Only `omniscient` must.
    fn cheats(&self) -> bool {
        false
    }

    /// Tells a planner that cheats the true state, a state of the model it was started with.
    fn tell(&mut self, truth: State) {
        let _ = truth;
    }
}

/// A search tree as people look at it; the first node is the root.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Grown {
    /// The decisions.
    pub nodes: Vec<GrownNode>,
}

/// A decision in it.
#[derive(Clone, PartialEq, Debug)]
pub struct GrownNode {
    /// Whose.
    pub player: usize,
    /// How many simulations came here.
    pub visits: u64,
    /// The actions, the most visited first.
    pub edges: Vec<GrownEdge>,
}

/// An action in it.
#[derive(Clone, PartialEq, Debug)]
pub struct GrownEdge {
    /// The action.
    pub action: Action,
    /// What it is called.
    pub name: String,
    /// How many simulations took it.
    pub visits: u64,
    /// What who takes it may expect from here on, if that was kept.
    pub value: Option<f64>,
    /// The next decisions: what their player is told on the way, and the place of the node.
    pub children: Vec<(String, usize)>,
}

/// The evidence for one legal action.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The action.
    pub action: Action,
    /// The estimated return of choosing it, if there is an estimate.
    pub value: Option<f64>,
    /// The standard error of that estimate, if it is a mean of samples.
    pub error: Option<f64>,
    /// How many simulations began with it.
    pub visits: u64,
}

/// A chosen action with the reasons for it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decision {
    /// What the action heuristic says of each row's action, from 0 to 1, where the planner goes by one.
    pub heuristic: Vec<f64>,
    /// The choice.
    pub action: Action,
    /// Instead, in a game in which players may wait: to do nothing now, and to be asked again after so many ticks, or as
    /// soon as something has happened.
    pub wait: Option<u64>,
    /// So many ticks of the game's time go by until it is made, where thinking costs some.
    pub takes: u64,
    /// The evidence for each legal action, best first.
    pub table: Vec<Judgement>,
    /// What each player may expect from here on of what it aims at, on average over the simulations of a tree search.
    pub values: Vec<f64>,
    /// How many simulations were run for it.
    pub simulations: u64,
    /// How many steps of the model they took, where that is counted.
    pub transitions: Option<u64>,
    /// How many moves there were from the present to where a simulation left the tree, on average; of a search that
    /// has a tree.
    pub depth: Option<f64>,
    /// How many nodes the tree has.
    pub nodes: u64,
    /// How many edges (actions of nodes that were looked at more than once) the tree has.
    pub edges: u64,
    /// How many bytes nodes, edges and their index take.
    pub bytes: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// How many different states the belief held, where there is a belief.
    pub belief: Option<u64>,
    /// What the belief has cost so far and how sure it is, in figures with names.
    pub counters: Vec<Counter>,
    /// What is expected to happen: player and name of the action, from the choice on.
    pub line: Vec<(usize, String)>,
    /// Anything the person should know, in sentences (a belief that had to be rebuilt, say).
    pub notes: Vec<String>,
}

impl Decision {
    /// Every legal action with the same probability.
    pub fn at_random(view: &View, rng: &mut Rng) -> Decision {
        let chosen = rng.below(view.legal.len() as u32) as usize;
        Decision { action: view.legal[chosen], ..Decision::default() }
    }

    /// The same, because of something that should be known.
    pub(crate) fn guess(view: &View, rng: &mut Rng, why: &str) -> Decision {
        Decision::at_random(view, rng).noting(format!("a move at random: {why}"))
    }

    /// The same decision with one more note.
    #[must_use]
    pub fn noting(mut self, note: String) -> Decision {
        self.notes.push(note);
        self
    }
}
