//! Moves that somebody does not see.

use crate::game::{Action, Turn};
use crate::model::{Model, State};
use crate::playout::MAX_PLAYERS;
use crate::rng::Rng;

/// A step that was made, and where from.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    pub before: &'a State,
    pub turn: Turn,
    pub joint: &'a [Action],
    pub after: &'a State,
}

impl Made<'_> {
    /// Who else cannot tell this step from the one in which its mover number `slot` does something else.
    pub fn blind(&self, model: &dyn Model, slot: usize, instead: Action) -> Option<usize> {
        let Made { before, turn, joint, after } = *self;
        let (players, mover) = (model.info().players, turn.movers().iter().nth(slot));
        let mut otherwise = [Action(0); MAX_PLAYERS];
        let otherwise = &mut otherwise[..joint.len()];
        otherwise.copy_from_slice(joint);
        otherwise[slot] = instead;
        let state = model.after(before, otherwise, &mut [0.0; MAX_PLAYERS][..players]);
        let told = |who| model.observe(after, turn, joint, who);
        (0..players)
            .find(|who| Some(*who) != mover && told(*who) == model.observe(&state, turn, otherwise, *who))
    }
}

/// Who does not see what somebody else does, as far as a few random games tell: the one and the other.
pub(super) fn unseen_move(model: &dyn Model, rng: &mut Rng) -> Option<(usize, usize)> {
    const GAMES: usize = 8;
    const STEPS: usize = 500;
    let players = model.info().players;
    let (mut steps, mut legal) = (0, Vec::new());
    for _ in 0..GAMES {
        let mut state = model.initial();
        loop {
            let turn = model.turn(&state);
            steps += 1;
            if turn == Turn::Over || steps > STEPS {
                break;
            }
            let joint: Vec<Action> = match turn {
                Turn::Chance => vec![model.draw(&state, rng)],
                _ => {
                    let movers = turn.movers();
                    movers.iter().map(|mover| model.random_action(&state, mover, &mut legal, rng)).collect()
                }
            };
            let after = model.after(&state, &joint, &mut [0.0; MAX_PLAYERS][..players]);
            let made = Made { before: &state, turn, joint: &joint, after: &after };
            for (slot, mover) in turn.movers().iter().enumerate() {
                legal.clear();
                model.legal(&state, mover, &mut legal);
                let other = legal.iter().find(|action| **action != joint[slot]);
                if let Some(who) = other.and_then(|other| made.blind(model, slot, *other)) {
                    return Some((who, mover));
                }
            }
            state = after;
        }
    }
    None
}
