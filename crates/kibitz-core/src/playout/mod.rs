//! Playouts: how a simulation goes on beyond the tree, and what it comes to.
//!
//! A playout is a part: one file that registers itself, with its parameters, its memory and what it needs. They nest:
//! `epsilon(0.1, playout=greedy)`, `turn(playout=mast)`. From the lowest to the highest: `rollout.rs` (the loop, which is compiled for
//! each game's own states, with moves that are drawn or picked), and then the parts, which are `uniform.rs` (random,
//! preferred), `leaf.rs` (no moves: the evaluator, a bounded solver), `greedy.rs`, `heuristic.rs`, `mast.rs`, `ngram.rs`, `nmc.rs`, `epsilon.rs` and `until.rs`
//! (to a depth, or to the end of the turn).

mod epsilon;
mod greedy;
mod heuristic;
mod leaf;
mod mast;
mod ngram;
mod nmc;
mod rollout;
mod uniform;
mod until;

use crate::evaluate::Evaluator;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::keys::{self, join};
use crate::model::{Model, State};
use crate::part::{Needs, PartSpec, Usual, kind};
use crate::position::{Erased, Position};
use crate::rng::Rng;

pub use rollout::{MAX_PLAYERS, Policy, Rollout, run};
pub use uniform::Uniform;

/// How a simulation goes on beyond the tree.
pub trait Playout: Send + Sync {
    /// What it cannot do without.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether it makes moves, which a depth can cut short; else it judges the leaf as it is.
    fn makes_moves(&self) -> bool {
        true
    }

    /// Makes itself ready for a game, before anything is run; `evaluator` is whether one is given in place of the game's own.
    ///
    /// # Errors
    /// What does not go with this game.
    fn prepare(&mut self, model: &dyn Model, evaluator: bool) -> Result<(), String> {
        let _ = (model, evaluator);
        Ok(())
    }

    /// The policy, where moves are drawn by one that every game knows: many such playouts can be made at once.
    fn plain(&self) -> Option<Policy> {
        None
    }

    /// Goes on from a state, and **adds** each player's return from there on to `returns`. Gives the
    /// steps of the model that it took.
    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64;

    /// Learns from a simulation: all its moves, those in the tree included, and what it came to for each player.
    /// Only asked where [`Needs::trace`] is set.
    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        let _ = (trace, returns);
    }

    /// The same for another thread, which begins with what this one has learnt.
    fn fork(&self) -> Box<dyn Playout>;
}

/// Picks the moves of a playout; the loop around it is compiled for the game's own states.
pub trait Pick {
    /// A legal action of `player`, one of the movers.
    fn pick(&mut self, position: &dyn Position, player: usize, context: &mut Context) -> Action;
}

/// A playout that picks every move.
pub trait Picking: Pick + Clone + Send + Sync + 'static {
    /// [`Playout::needs`].
    const NEEDS: Needs;

    /// [`Playout::learn`].
    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        let _ = (trace, returns);
    }
}

impl<P: Picking> Playout for P {
    fn needs(&self) -> Needs {
        P::NEEDS
    }

    fn run(&mut self, at: Erased, how: &Rollout, context: &mut Context, returns: &mut [f64]) -> u64 {
        at.0.rollout(at.1, how, Some(self), context, returns)
    }

    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        Picking::learn(self, trace, returns);
    }

    fn fork(&self) -> Box<dyn Playout> {
        Box::new(self.clone())
    }
}

/// What a playout is given by whoever asks for it.
pub struct Context<'a, 'p> {
    /// What judges states, in place of the game's own evaluator.
    pub evaluator: Option<&'a dyn Evaluator>,
    /// Where it draws from.
    pub rng: &'a mut Rng,
    /// Whether to go on.
    pub interrupt: &'a mut Interrupt<'p>,
    /// Where moves are noted, if somebody is to learn from them.
    pub trace: Option<&'a mut Trace>,
}

impl<'a, 'p> Context<'a, 'p> {
    /// With the game's own evaluator, and nobody who learns.
    pub fn new(rng: &'a mut Rng, interrupt: &'a mut Interrupt<'p>) -> Context<'a, 'p> {
        Context { evaluator: None, rng, interrupt, trace: None }
    }

    /// The same with the game's own evaluator, and nobody who learns.
    pub fn plain(&mut self) -> Context<'_, 'p> {
        Context::new(self.rng, self.interrupt)
    }

    /// What a state that is not the end is taken to be worth, overwriting `values`; nothing, where nobody can tell. Gives
    /// the steps of the model that it took.
    pub fn evaluate(&mut self, position: &dyn Position, values: &mut [f64]) -> u64 {
        match self.evaluator {
            Some(evaluator) => evaluator.evaluate(position, &mut self.plain(), values),
            None if position.has().evaluator => {
                position.evaluate(values);
                0
            }
            None => 0,
        }
    }
}

/// Makes some playouts from a state, all at once where the game can, and **adds** the returns of all to `returns`. Gives the
/// steps of all.
pub fn play_out(
    model: &dyn Model,
    state: &State,
    playout: &mut dyn Playout,
    how: &Rollout,
    count: u32,
    context: &mut Context,
    returns: &mut [f64],
) -> u64 {
    match playout.plain() {
        Some(policy) if context.evaluator.is_none() && context.trace.is_none() => {
            let how = Rollout { policy, ..*how };
            model.playouts(state, &how, count, context.rng, context.interrupt, returns)
        }
        _ => {
            let Context { evaluator, rng, interrupt, trace } = context;
            let one = |_, interrupt: &mut Interrupt, returns: &mut [f64]| {
                let trace = trace.as_deref_mut();
                let mut context = Context { evaluator: *evaluator, rng, interrupt, trace };
                Some(playout.run(Erased(model, state), how, &mut context, returns))
            };
            in_parts(count, 1, interrupt, returns, one).unwrap_or_default()
        }
    }
}

/// Makes some playouts in parts of at most so many, each of which adds to `returns`, as long as nobody calls: those made
/// by then stand for the others. Gives the steps of all; `None`, where a part says so, as the first one may.
pub(crate) fn in_parts(
    count: u32,
    most: u32,
    interrupt: &mut Interrupt,
    returns: &mut [f64],
    mut part: impl FnMut(u32, &mut Interrupt, &mut [f64]) -> Option<u64>,
) -> Option<u64> {
    if count <= most {
        return if count > 0 { part(count, interrupt, returns) } else { Some(0) };
    }
    let mut before = [0.0; MAX_PLAYERS];
    before[..returns.len()].copy_from_slice(returns);
    let (mut steps, mut made) = (0, 0);
    while made < count && !(made > 0 && interrupt.stopped()) {
        let some = most.min(count - made);
        steps += part(some, interrupt, returns)?;
        made += some;
    }
    if made < count {
        let missing = f64::from(count - made) / f64::from(made);
        returns.iter_mut().zip(before).for_each(|(sum, before)| *sum += missing * (*sum - before));
    }
    Some(steps)
}

/// The key of a player's move, by the action's own key ([`Position::action_key`]).
#[inline]
pub fn move_key(player: usize, action: u64) -> u64 {
    join(keys::Kind::Decision, action, player as u64)
}

/// The moves of a simulation.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    /// Who moved, and the key of the action, from the root on.
    pub moves: Vec<(usize, u64)>,
    /// Where the moves of each step begin that players made. (Those who move at once make one step.)
    pub steps: Vec<usize>,
}

impl Trace {
    /// Notes a step; those of chance are passed over. Gives how many moves were made before it.
    pub fn note(&mut self, position: &dyn Position, turn: Turn, joint: &[Action]) -> usize {
        let begin = self.moves.len();
        if turn != Turn::Chance {
            self.steps.push(begin);
        }
        for (player, action) in turn.movers().iter().zip(joint) {
            self.moves.push((player, position.action_key(player, *action)));
        }
        begin
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.steps.clear();
    }
}

kind!(dyn Playout, "playout");

impl Usual for dyn Playout {
    fn usual() -> Box<Self> {
        Box::new(Uniform(Policy::Random))
    }
}

/// A playout as it is asked for.
pub type PlayoutSpec = PartSpec<dyn Playout>;

/// Registers a playout; see [`register_part!`](crate::register_part).
#[macro_export]
macro_rules! register_playout {
    ($($of:tt)*) => { $crate::register_part!(dyn $crate::playout::Playout, $($of)*); };
}
