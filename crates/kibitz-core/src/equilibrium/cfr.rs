//! Counterfactual regret minimisation over the whole game: CFR (Zinkevich et al. 2007) and CFR+
//! (Tammelin 2014), in sequence form.
//!
//! The counterfactual value of an action is what its sequence gains, others and chance reaching it: one
//! sparse product of payoffs and the others' plans gives those of all endings, and a pass over the player's
//! information sets, last ones first, adds up the rest.

use super::payoffs::follow;
use super::tree::Tree;
use crate::regret::{clip, regret_matching};

/// Regrets, strategies and plans of all players; all by sequence.
pub(super) struct Cfr {
    regrets: Vec<f64>,
    /// What a player did so far, added up over the iterations.
    pub sums: Vec<f64>,
    strategy: Vec<f64>,
    plan: Vec<f64>,
    gains: Vec<f64>,
    /// Regret matching+, and later iterations count more.
    plus: bool,
    /// One player after the other, each against what those before it have just become.
    alternating: bool,
    iteration: u64,
}

impl Cfr {
    /// Before the first iteration everybody plays uniformly.
    pub fn new(tree: &Tree, plus: bool, alternating: bool) -> Cfr {
        let zero = vec![0.0; tree.actions.len()];
        let mut cfr = Cfr {
            regrets: zero.clone(),
            sums: zero.clone(),
            strategy: zero.clone(),
            plan: zero.clone(),
            gains: zero,
            plus,
            alternating,
            iteration: 0,
        };
        (0..tree.players()).for_each(|player| cfr.adopt(tree, player));
        cfr
    }

    /// One iteration: every player once.
    pub fn iterate(&mut self, tree: &Tree) {
        self.iteration += 1;
        for player in 0..tree.players() {
            self.learn(tree, player);
            if self.alternating {
                self.adopt(tree, player);
            }
        }
        if !self.alternating {
            (0..tree.players()).for_each(|player| self.adopt(tree, player));
        }
    }

    /// Adds a player's regrets, and what it does to its average.
    fn learn(&mut self, tree: &Tree, player: usize) {
        let Cfr { regrets, sums, strategy, plan, gains, .. } = self;
        let side = &tree.sides[player];
        let weight = if self.plus { self.iteration as f64 } else { 1.0 };
        for (sum, reach) in sums[side.sequences.clone()].iter_mut().zip(&plan[side.sequences.clone()]) {
            *sum += weight * reach;
        }
        tree.payoffs().gains(tree, player, plan, gains);
        for set in tree.sets[side.sets.clone()].iter().rev() {
            let here = set.sequences();
            let each = || strategy[here.clone()].iter().zip(&gains[here.clone()]);
            let value: f64 = each().map(|(p, gain)| p * gain).sum();
            for (regret, gain) in regrets[here.clone()].iter_mut().zip(&gains[here]) {
                *regret += gain - value;
            }
            gains[set.parent as usize] += value;
        }
        if self.plus {
            clip(&mut regrets[side.sequences.clone()]);
        }
    }

    /// Makes a player's next strategy of its regrets.
    fn adopt(&mut self, tree: &Tree, player: usize) {
        let Cfr { regrets, strategy, plan, .. } = self;
        let side = &tree.sides[player];
        plan[side.sequences.start] = 1.0;
        for set in &tree.sets[side.sets.clone()] {
            let here = set.sequences();
            regret_matching(&regrets[here.clone()], 0.0, &mut strategy[here]);
            follow(set, strategy, plan);
        }
    }
}
