//! `heuristic`: moves by an action heuristic (Trutman and Schiffel 2015).

use super::{Context, Needs, Pick, Picking};
use crate::evaluate::action_values;
use crate::game::Action;
use crate::position::Position;

crate::params! {
    /// Moves by an action heuristic H, the game's own or an evaluator's: drawn in proportion to exp(H / τ).
    pub struct HeuristicParams {
        /// Temperature τ of the Gibbs distribution, in units of the range of H. (1 point of 100 in the paper.)
        pub temperature: f64 = 0.01, in 0.00001..=1e6;
    }
}

crate::register_playout!("heuristic", HeuristicParams, |params| Ok(Box::new(Heuristic {
    temperature: params.temperature,
    ..Heuristic::default()
})));

#[derive(Clone, Default)]
struct Heuristic {
    temperature: f64,
    legal: Vec<Action>,
    values: Vec<f64>,
}

impl Picking for Heuristic {
    const NEEDS: Needs = Needs { action_heuristic: true, ..Needs::NONE };
}

impl Pick for Heuristic {
    fn pick(&mut self, position: &dyn Position, player: usize, context: &mut Context) -> Action {
        let Heuristic { temperature, legal, values } = self;
        legal.clear();
        position.legal(player, legal);
        // Nothing to choose: nothing is worked out.
        if let [only] = legal[..] {
            return only;
        }
        if !action_values(position, player, legal, context, values) {
            return legal[context.rng.below(legal.len() as u32) as usize];
        }
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        values.iter_mut().for_each(|value| *value = ((*value - best) / *temperature).exp());
        legal.get(context.rng.weighted(values.iter().copied())).copied().unwrap_or_default()
    }
}
