//! The best return that a bounded depth-first search finds in one world: a quick, optimistic judge of a leaf.
//!
//! What it finds may need knowledge that the player will not have, and chance that comes as drawn. Averaged
//! over worlds it ranks leaves well where most decisions after them are easy to make.

use std::collections::HashSet;

use crate::abilities::Abilities;
use crate::game::{Game, Turn};
use crate::playout::{self, Context, Rollout};
use crate::search::natural_horizon;

/// Adds the best return that a depth-first search over about so many states finds for the one player of a
/// game, chance drawn once at each turn; that of a random playout, if it comes to no end. Gives the number
/// of steps.
pub fn dfs_best_return<G: Game>(
    game: &G,
    state: &G::State,
    effort: u32,
    context: &mut Context,
    returns: &mut [f64],
) -> u64 {
    let Context { rng, interrupt, .. } = context.plain();
    let info = game.info();
    let Abilities { hash, preferred, .. } = game.abilities();
    let mut seen = HashSet::new();
    let mut stack = vec![(state.clone(), 0.0, 1.0)];
    let mut actions = Vec::new();
    let mut best: Option<f64> = None;
    let mut steps = 0;
    while let Some((state, paid, weight)) = stack.pop() {
        if hash.is_some_and(|game| !seen.insert(game.hash(&state))) {
            continue;
        }
        actions.clear();
        let turn = game.turn(&state);
        let later = weight * info.discount_after(turn);
        match turn {
            Turn::Over => {
                if best.is_none_or(|best| paid > best) {
                    best = Some(paid);
                }
                if paid >= info.max_return && info.bounds_what_is_left() {
                    break;
                }
            }
            Turn::Chance => actions.push(game.draw(&state, rng)),
            Turn::One(player) => game.legal(&state, player, &mut actions),
            Turn::Several(_) => break,
        }
        if steps >= u64::from(effort) || interrupt.poll() {
            break;
        }
        rng.shuffle(&mut actions);
        if let (Some(game), Turn::One(player)) = (preferred, turn) {
            // The last ones are looked at first.
            game.preferred(&state, player, &mut actions);
        }
        for &action in &actions {
            let mut reward = [0.0];
            let after = game.after(&state, &[action], &mut reward);
            stack.push((after, paid + weight * reward[0], later));
            steps += 1;
        }
    }
    match best {
        Some(best) => returns[0] += best,
        None => {
            let how = Rollout::random(natural_horizon(info), info.discount);
            let mut context = Context::new(rng, interrupt);
            steps += u64::from(playout::run(game, &mut state.clone(), &how, None, &mut context, returns));
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Action, Info};
    use crate::interrupt::Interrupt;
    use crate::rng::Rng;

    /// Three times left or right; only the third of the ways, by number, pays.
    struct Forks(Info);

    impl Game for Forks {
        type State = Vec<u32>;
        fn info(&self) -> &Info {
            &self.0
        }
        fn initial(&self) -> Vec<u32> {
            Vec::new()
        }
        fn turn(&self, state: &Vec<u32>) -> Turn {
            if state.len() == 3 { Turn::Over } else { Turn::One(0) }
        }
        fn legal(&self, _: &Vec<u32>, _: usize, actions: &mut Vec<Action>) {
            actions.extend([Action(0), Action(1)]);
        }
        fn step(&self, state: &mut Vec<u32>, joint: &[Action], rewards: &mut [f64]) {
            state.push(joint[0].0);
            if *state == [0, 1, 1] {
                rewards[0] += 1.0;
            }
        }
        crate::in_numbers!();
    }

    #[test]
    fn with_enough_effort_it_finds_the_one_way() {
        let game = Forks(Info::new(1, 0.0, 1.0));
        let judge = |effort, seed| {
            let mut returns = [0.0];
            let (rng, interrupt) = (&mut Rng::new(seed), &mut Interrupt::never());
            dfs_best_return(&game, &Vec::new(), effort, &mut Context::new(rng, interrupt), &mut returns);
            returns[0]
        };
        let wins = |effort| (0..200).map(|seed| judge(effort, seed)).sum::<f64>();
        assert_eq!(wins(100), 200.0);
        assert!((20.0..180.0).contains(&wins(6)), "{}", wins(6));
    }

    #[test]
    fn what_comes_later_counts_less() {
        let game = Forks(Info { discount: 0.5, ..Info::new(1, 0.0, 1.0) });
        let mut returns = [0.0];
        let (rng, interrupt) = (&mut Rng::new(1), &mut Interrupt::never());
        dfs_best_return(&game, &Vec::new(), 100, &mut Context::new(rng, interrupt), &mut returns);
        assert_eq!(returns, [0.25]);
    }
}
