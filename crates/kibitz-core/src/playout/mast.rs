//! `mast`: the move-average sampling technique (Finnsson and Björnsson 2008).

use super::{Context, Needs, Pick, Picking, Trace, move_key};
use crate::game::Action;
use crate::keys::KeyMap;
use crate::position::Position;

crate::params! {
    /// Moves by the mean return Q of the simulations they were made in, wherever: drawn in proportion to exp(Q /
    /// τ).
    pub struct MastParams {
        /// Temperature τ of the Gibbs distribution, in units of the game's spread of returns. (10 points of 100 in the
        /// papers on general game playing.)
        pub temperature: f64 = 0.1, in 0.001..=1e6;
    }
}

crate::register_playout!("mast", MastParams, |params| Ok(Box::new(Mast {
    temperature: params.temperature,
    ..Mast::default()
})));

/// The mean return of each action of each player over all simulations in which it was made.
#[derive(Clone, Default)]
struct Mast {
    temperature: f64,
    means: KeyMap<(f64, f64)>,
    legal: Vec<Action>,
    weights: Vec<f64>,
}

impl Picking for Mast {
    const NEEDS: Needs = Needs { trace: true, action_keys: true, ..Needs::NONE };

    fn learn(&mut self, trace: &Trace, returns: &[f64]) {
        for &(player, action) in &trace.moves {
            let (mean, count) = self.means.entry(move_key(player, action)).or_default();
            *count += 1.0;
            *mean += (returns[player] - *mean) / *count;
        }
    }
}

impl Pick for Mast {
    fn pick(&mut self, position: &dyn Position, player: usize, context: &mut Context) -> Action {
        let Mast { temperature, means, legal, weights } = self;
        legal.clear();
        position.legal(player, legal);
        let info = position.info();
        weights.clear();
        // What was never tried is taken to be as good as can be, so that it will be.
        let mean = |action: &Action| {
            let known = means.get(&move_key(player, position.action_key(player, *action)));
            known.map_or(info.max_return, |(mean, _)| *mean)
        };
        weights.extend(legal.iter().map(mean));
        legal.get(context.rng.gibbs(weights, *temperature * info.spread)).copied().unwrap_or_default()
    }
}
