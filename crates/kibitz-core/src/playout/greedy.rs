//! `greedy`: one step ahead, by reward and evaluation.

use super::{Context, Needs, Pick, Picking};
use crate::evaluate::greedy;
use crate::game::Action;
use crate::position::Position;

crate::params! {
    /// The action after which reward and evaluation are highest for the mover; a random one with probability
    /// epsilon.
    pub struct GreedyParams {
        /// How often a random action is taken instead.
        pub epsilon: f64 = 0.0, in 0.0..=1.0;
    }
}

crate::register_playout!("greedy", GreedyParams, |params| Ok(Box::new(Greedy {
    epsilon: params.epsilon,
    scratch: Vec::new()
})));

#[derive(Clone)]
struct Greedy {
    epsilon: f64,
    scratch: Vec<Action>,
}

impl Picking for Greedy {
    const NEEDS: Needs = Needs { evaluator: true, ..Needs::NONE };
}

impl Pick for Greedy {
    fn pick(&mut self, position: &dyn Position, player: usize, context: &mut Context) -> Action {
        if self.epsilon > 0.0 && context.rng.unit() < self.epsilon {
            return position.random_action(player, &mut self.scratch, context.rng);
        }
        self.scratch.clear();
        position.legal(player, &mut self.scratch);
        greedy(position, player, &self.scratch, context).0
    }
}
