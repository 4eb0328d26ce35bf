//! A formula for each action of a role, all at once: what most actions have in common is written down once.

use rustc_hash::FxHashMap;

use super::formula::{Formula, Formulas};

/// A formula for each action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByAction {
    /// That of all actions that are not listed.
    pub common: Formula,
    /// Those of other actions, by the actions' numbers.
    pub others: Vec<(u32, Formula)>,
}

impl ByAction {
    /// The same for all actions.
    pub fn all(common: Formula) -> ByAction {
        ByAction { common, others: Vec::new() }
    }

    /// Whether the action is this one.
    pub fn is(action: u32) -> ByAction {
        ByAction { common: Formula::FALSE, others: vec![(action, Formula::TRUE)] }
    }

    /// The formula of an action.
    pub fn of(&self, action: u32) -> Formula {
        let found = self.others.binary_search_by_key(&action, |(other, _)| *other);
        found.map_or(self.common, |place| self.others[place].1)
    }

    /// The negation of each, where that is asked for.
    pub fn negated_if(&self, negated: bool) -> ByAction {
        ByAction {
            common: self.common.negated_if(negated),
            others: self.others.iter().map(|(action, each)| (*action, each.negated_if(negated))).collect(),
        }
    }
}

/// Too much work.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMuch;

/// Builds formulas by action, as long as that is not too much.
pub struct Builder {
    /// All formulas.
    pub formulas: Formulas,
    /// How many actions the role has.
    pub actions: usize,
    /// Formulas that may still be put together.
    pub steps: u64,
}

impl ByAction {
    /// Whether all actions have the same, which is true, false or unknown in every state.
    pub fn is_constant(&self) -> bool {
        self.others.is_empty() && self.common.is_constant()
    }
}

impl Builder {
    /// All of some, each negated where that is asked for. Halves are put together: where an action changes one of them,
    /// all others keep what they share.
    pub fn all(&mut self, parts: &[(&ByAction, bool)]) -> Result<ByAction, TooMuch> {
        match parts {
            [] => Ok(ByAction::all(Formula::TRUE)),
            [(only, negated)] => {
                self.spend(only.others.len())?;
                Ok(only.negated_if(*negated))
            }
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                let left = self.all(left)?;
                if left == ByAction::all(Formula::FALSE) {
                    return Ok(left);
                }
                let right = self.all(right)?;
                self.both(&left, &right)
            }
        }
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooMuch> {
        self.steps = self.steps.checked_sub(steps as u64 + 1).ok_or(TooMuch)?;
        Ok(())
    }

    fn both(&mut self, left: &ByAction, right: &ByAction) -> Result<ByAction, TooMuch> {
        self.spend(left.others.len() + right.others.len())?;
        let common = self.formulas.and(left.common, right.common);
        let (mut ours, mut theirs) = (left.others.iter().peekable(), right.others.iter().peekable());
        let mut others = Vec::with_capacity(left.others.len().max(right.others.len()));
        loop {
            let action = match (ours.peek(), theirs.peek()) {
                (None, None) => break,
                (Some((one, _)), None) | (None, Some((one, _))) => *one,
                (Some((one, _)), Some((other, _))) => *one.min(other),
            };
            let a =
                ours.next_if(|(other, _)| *other == action).map_or(left.common, |(_, formula)| *formula);
            let b =
                theirs.next_if(|(other, _)| *other == action).map_or(right.common, |(_, formula)| *formula);
            let both = self.formulas.and(a, b);
            if both != common {
                others.push((action, both));
            }
        }
        Ok(self.shortest(ByAction { common, others }))
    }

    /// What most actions have becomes common to all but those that are listed.
    fn shortest(&self, by: ByAction) -> ByAction {
        if 2 * by.others.len() <= self.actions {
            return by;
        }
        let mut counts: FxHashMap<Formula, usize> = FxHashMap::default();
        counts.insert(by.common, self.actions - by.others.len());
        by.others.iter().for_each(|(_, formula)| *counts.entry(*formula).or_default() += 1);
        let most = counts.values().copied().max().unwrap_or(0);
        if counts[&by.common] == most {
            return by;
        }
        // The first in the order of actions, so that it does not depend on the table's order.
        let common = by.others.iter().map(|(_, formula)| *formula).find(|formula| counts[formula] == most);
        let Some(common) = common else { return by };
        let all = (0..self.actions as u32).map(|action| (action, by.of(action)));
        ByAction { common, others: all.filter(|(_, formula)| *formula != common).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_one_of_all_others_is_made_is_short() {
        let mut builder = Builder { formulas: Formulas::default(), actions: 50, steps: 10_000 };
        let made: Vec<ByAction> = (0..50).filter(|action| *action != 7).map(ByAction::is).collect();
        let none: Vec<(&ByAction, bool)> = made.iter().map(|made| (made, true)).collect();
        let some = builder.all(&none).unwrap().negated_if(true);
        assert_eq!(some, ByAction { common: Formula::TRUE, others: vec![(7, Formula::FALSE)] });
        builder.steps = 20;
        assert_eq!(builder.all(&none), Err(TooMuch));
    }
}
