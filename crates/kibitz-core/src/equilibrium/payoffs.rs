//! What strategies are worth: expected returns, best responses and how much there is to gain by them.
//!
//! A strategy has a probability for each sequence, that of its last action where it is chosen; a *plan* has
//! the probability with which a player does all of a sequence, if the others let it.

use super::tree::{Set, Tree};

/// For each player what its sequences get with all others' that they meet, chance included.
pub(super) struct Payoffs {
    /// A row for each sequence: where its entries begin.
    rows: Vec<u32>,
    /// For each entry, the sequences of the other players.
    others: Vec<u32>,
    /// For each entry, chance's probability times the return of the row's player.
    pays: Vec<f64>,
}

impl Payoffs {
    /// All endings of a game, sorted by each player's sequences. Endings of nothing are left out.
    pub fn new(tree: &Tree) -> Payoffs {
        let players = tree.players();
        let mut payoffs = Payoffs { rows: Vec::new(), others: Vec::new(), pays: Vec::new() };
        let ending = |number: usize| &tree.endings[number * players..(number + 1) * players];
        for (player, side) in tree.sides.iter().enumerate() {
            let mut order: Vec<usize> = (0..tree.chance.len()).collect();
            order.retain(|number| tree.returns[number * players + player] != 0.0);
            order.sort_by_key(|&number| ending(number)[player]);
            let mut order = order.into_iter().peekable();
            for sequence in side.sequences.clone() {
                payoffs.rows.push(payoffs.pays.len() as u32);
                while let Some(number) =
                    order.next_if(|&number| ending(number)[player] as usize == sequence)
                {
                    let others = ending(number).iter().enumerate().filter(|(other, _)| *other != player);
                    payoffs.others.extend(others.map(|(_, sequence)| sequence));
                    payoffs.pays.push(tree.chance[number] * tree.returns[number * players + player]);
                }
            }
        }
        payoffs.rows.push(payoffs.pays.len() as u32);
        payoffs
    }

    /// How much work [`Payoffs::gains`] is for all players together.
    pub fn size(&self) -> usize {
        self.pays.len()
    }

    /// What each sequence of a player gets where it ends, if the others follow their plans. (What comes
    /// of later sequences is not counted.)
    pub fn gains(&self, tree: &Tree, player: usize, plan: &[f64], gains: &mut [f64]) {
        let width = tree.players() - 1;
        for sequence in tree.sides[player].sequences.clone() {
            let entries = self.rows[sequence] as usize..self.rows[sequence + 1] as usize;
            let pays = &self.pays[entries.clone()];
            gains[sequence] = if width == 1 {
                // The usual case, and the innermost loop of all.
                let met = &self.others[entries];
                met.iter().zip(pays).map(|(&other, pay)| pay * plan[other as usize]).sum()
            } else {
                let met = &self.others[entries.start * width..entries.end * width];
                let reach = |entry: usize| -> f64 {
                    met[entry * width..(entry + 1) * width]
                        .iter()
                        .map(|&other| plan[other as usize])
                        .product()
                };
                pays.iter().enumerate().map(|(entry, pay)| pay * reach(entry)).sum()
            };
        }
    }
}

/// What a profile of strategies is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Worth {
    /// What each player gets.
    pub values: Vec<f64>,
    /// What each would get by answering the others best.
    pub best: Vec<f64>,
}

impl Worth {
    /// What all players together could gain by changing their own strategy alone; 0 in equilibrium.
    pub fn nash_conv(&self) -> f64 {
        self.best.iter().zip(&self.values).map(|(best, value)| best - value).sum()
    }
}

/// Extends a player's plan by an information set, as its strategy goes on there.
#[inline]
pub(super) fn follow(set: &Set, strategy: &[f64], plan: &mut [f64]) {
    let reach = plan[set.parent as usize];
    let here = set.sequences();
    for (onward, p) in plan[here.clone()].iter_mut().zip(&strategy[here]) {
        *onward = reach * p;
    }
}

/// Values and best responses of a profile, exactly.
///
/// # Errors
/// A sentence, if it is not one number for each sequence, or some set's numbers are no probabilities.
pub fn worth(tree: &Tree, strategy: &[f64]) -> Result<Worth, String> {
    if strategy.len() != tree.actions.len() {
        return Err(format!(
            "a profile of this game has {} numbers, not {}",
            tree.actions.len(),
            strategy.len()
        ));
    }
    for set in &tree.sets {
        let mix = &strategy[set.sequences()];
        let total: f64 = mix.iter().sum();
        if !(mix.iter().all(|p| *p >= 0.0) && (total - 1.0).abs() <= 1e-6) {
            return Err(format!("the probabilities of an information set add up to {total}, not to 1"));
        }
    }
    Ok(worth_of(tree, strategy))
}

/// The same, all being right.
pub(super) fn worth_of(tree: &Tree, strategy: &[f64]) -> Worth {
    let payoffs = tree.payoffs();
    let mut plan = vec![1.0; tree.actions.len()];
    tree.sets.iter().for_each(|set| follow(set, strategy, &mut plan));
    let mut gains = vec![0.0; plan.len()];
    let mut worth = Worth { values: Vec::new(), best: Vec::new() };
    for (player, side) in tree.sides.iter().enumerate() {
        payoffs.gains(tree, player, &plan, &mut gains);
        worth.values.push(side.sequences.clone().map(|sequence| plan[sequence] * gains[sequence]).sum());
        for set in tree.sets[side.sets.clone()].iter().rev() {
            let best = gains[set.sequences()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            gains[set.parent as usize] += best;
        }
        worth.best.push(gains[side.sequences.start]);
    }
    worth
}
