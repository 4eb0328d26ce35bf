//! What a step may lead to from a known state: for everybody who looks at all outcomes of chance instead of drawing one.

use crate::game::{Action, Turn};
use crate::model::{Model, State};

/// One of the states that a step may lead to. `N` is room for the players' rewards.
#[derive(Clone)]
pub struct Successor<const N: usize> {
    /// What was done, by a player or by chance.
    pub action: Action,
    /// How probable it was.
    pub probability: f64,
    /// What each player is paid.
    pub rewards: [f64; N],
    /// Where it leads.
    pub state: State,
}

/// What an action leads to, before chance has its turn.
pub fn successor<const N: usize>(model: &dyn Model, state: &State, action: Action) -> Successor<N> {
    let mut rewards = [0.0; N];
    let state = model.after(state, &[action], &mut rewards[..model.info().players]);
    Successor { action, probability: 1.0, rewards, state }
}

/// What chance may do in a state in which it moves, but for what has no probability; each outcome's state is made when
/// it is asked for.
pub fn outcomes<'a, const N: usize>(
    model: &'a dyn Model,
    state: &'a State,
) -> impl ExactSizeIterator<Item = Successor<N>> + 'a {
    let mut outcomes = Vec::new();
    model.chance(state, &mut outcomes);
    outcomes.retain(|(_, probability)| *probability > 0.0);
    let follow =
        move |(outcome, probability)| Successor { probability, ..successor(model, state, outcome) };
    outcomes.into_iter().map(follow)
}

/// All that may become of an action until somebody is to move again, and the steps of the model that it took. What chance
/// pays comes one move later than what the action pays.
///
/// # Errors
/// A sentence, where chance goes on without end; `too_many`, where there are more than `most` outcomes.
pub fn settled<const N: usize>(
    model: &dyn Model,
    state: &State,
    action: Action,
    most: usize,
    too_many: impl Fn() -> String,
) -> Result<(Vec<Successor<N>>, u64), String> {
    let discount = model.info().discount_after(model.turn(state));
    let (mut open, mut done) = (vec![(successor(model, state, action), 0)], Vec::new());
    let mut steps = 1;
    while let Some((before, draws)) = open.pop() {
        if model.turn(&before.state) != Turn::Chance {
            done.push(before);
            continue;
        }
        if draws >= model.info().longest_chance() {
            return Err(model.info().endless_chance());
        }
        let outcomes = outcomes::<N>(model, &before.state);
        if open.len() + done.len() + outcomes.len() > most {
            return Err(too_many());
        }
        steps += outcomes.len() as u64;
        for Successor { probability, rewards: later, state, .. } in outcomes {
            let (mut rewards, probability) = (before.rewards, before.probability * probability);
            rewards.iter_mut().zip(later).for_each(|(total, reward)| *total += discount * reward);
            open.push((Successor { action, probability, rewards, state }, draws + 1));
        }
    }
    Ok((done, steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::outcomes::tests::{Stage, pig};

    #[test]
    fn an_action_leads_to_all_that_chance_makes_of_it() {
        let (game, start) = (pig(), State::new((3_u32, Stage::Choosing)));
        let (all, steps) = settled::<1>(&*game, &start, Action(1), 6, String::new).unwrap();
        assert_eq!((all.len(), steps), (6, 7));
        assert!((all.iter().map(|one| one.probability).sum::<f64>() - 1.0).abs() < 1e-12);
        let mut pips: Vec<u32> = all.iter().map(|one| one.state.get::<(u32, Stage)>().0).collect();
        pips.sort_unstable();
        assert_eq!(pips, [0, 5, 6, 7, 8, 9]);
        let (stopped, steps) = settled::<1>(&*game, &start, Action(0), 6, String::new).unwrap();
        assert_eq!((stopped[0].rewards, stopped.len(), steps), ([0.15], 1, 1));
        let many = || "too many".to_owned();
        assert_eq!(settled::<1>(&*game, &start, Action(1), 5, many).err(), Some(many()));
    }
}
