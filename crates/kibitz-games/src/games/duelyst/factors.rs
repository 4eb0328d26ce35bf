//! Actions by type and source, as section 2.4.1 of the thesis has them, and the end of a turn.

use kibitz_core::abilities::{EndTurn, Factors, Features};
use kibitz_core::game::Action;

use super::Duelyst;
use super::actions::Choice;
use super::features::FEATURES;
use super::state::{Stage, State};

impl Factors<State> for Duelyst {
    /// The type; of moves, attacks and cards that are played, then the unit or the card. Ending the turn is a type and an
    /// action at once.
    fn factors(&self, _: &State, _: usize, action: Action, parts: &mut Vec<u32>) {
        let kind = action.0 >> 16;
        match Choice::of(action) {
            None | Some(Choice::End) => {}
            Some(Choice::Play { slot: source, .. }) => parts.extend([kind, source.into()]),
            Some(Choice::Move { from: source, .. } | Choice::Attack { from: source, .. }) => {
                parts.extend([kind, source.into()]);
            }
            // To choose nothing is one of the ways to follow up.
            Some(Choice::Stop) => parts.push(Choice::FollowUp(0).action().0 >> 16),
            Some(_) => parts.push(kind),
        }
    }
}

impl EndTurn<State> for Duelyst {
    fn end_turn(&self, state: &State, player: usize) -> Option<Action> {
        let position = &state.position;
        let may = position.stage == Stage::Play && usize::from(position.mover) == player;
        (may && position.waiting.is_none() && position.tasks.is_empty()).then(|| Choice::End.action())
    }
}

impl Features<State> for Duelyst {
    fn feature_names(&self) -> Vec<String> {
        FEATURES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn feature_weights(&self) -> Vec<f64> {
        FEATURES.iter().map(|(_, weight)| *weight).collect()
    }

    fn features(&self, state: &State, player: usize, values: &mut Vec<f64>) {
        let sign = if player == 0 { 1.0 } else { -1.0 };
        values.extend(self.rules.position_features(&state.position).map(|value| sign * value));
    }
}
