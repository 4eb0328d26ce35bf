//! What a game of rules offers beyond them.

use std::sync::atomic::Ordering::Relaxed;

use kibitz_core::abilities::{ActionHeuristic, Atoms, Facts, Faults, Roles, StateHash, Svg, Symmetries};
use kibitz_core::game::{Action, Game};
use kibitz_core::rng::derive;

use super::{Past, RuleGame, RuleState};
use crate::gdl::compile::Symmetry;
use crate::gdl::picture::card;
use crate::gdl::run::machine::Machine;

impl<M: Machine> StateHash<RuleState<M::Facts>> for RuleGame<M> {
    fn hash(&self, state: &RuleState<M::Facts>) -> u64 {
        state
            .chosen
            .iter()
            .fold(self.machine.hash(&state.facts), |key, chosen| derive(key, u64::from(*chosen) + 1))
    }
}

impl<M: Machine> Svg<RuleState<M::Facts>> for RuleGame<M> {
    fn svg(&self, state: &RuleState<M::Facts>, viewer: Option<usize>) -> String {
        match self.hidden_from(viewer) {
            Some(player) => card(&self.known(state, player)),
            None => self.sketch().svg(&self.machine.describe(&state.facts)),
        }
    }
}

impl<M: Machine> RuleGame<M> {
    /// What a player's action heuristic goes by; why it has none.
    fn heuristic_of(&self, player: usize) -> Result<String, String> {
        let of_all = self.machine.action_heuristic()?;
        of_all.about(self.roles[player])
    }
}

impl<M: Machine> ActionHeuristic<RuleState<M::Facts>> for RuleGame<M> {
    fn action_values(
        &self,
        state: &RuleState<M::Facts>,
        player: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool {
        let (role, begin) = (self.roles[player], values.len());
        self.machine.action_values(&state.facts, role, actions, values);
        if values.len() - begin == actions.len() {
            return true;
        }
        self.flaw.get_or_init(|| {
            let why = self.heuristic_of(player).err().unwrap_or_default();
            let who = self.player_name(player);
            format!("{who} has no action heuristic, since {why}: planners that ask for one go on without")
        });
        false
    }

    fn heuristics(&self) -> Vec<Result<String, String>> {
        (0..self.roles.len()).map(|player| self.heuristic_of(player)).collect()
    }
}

impl<M: Machine> Atoms<RuleState<M::Facts>> for RuleGame<M> {
    fn atom_count(&self) -> u32 {
        self.machine.atoms()
    }

    fn atoms(&self, state: &RuleState<M::Facts>, atoms: &mut Vec<u32>) {
        self.machine.append_atoms(&state.facts, atoms);
    }
}

impl<M: Machine> Facts<RuleState<M::Facts>> for RuleGame<M> {
    fn facts(&self, state: &RuleState<M::Facts>) -> Vec<String> {
        self.machine.describe(&state.facts)
    }
}

impl<M: Machine> Roles<RuleState<M::Facts>> for RuleGame<M> {
    fn roles(&self) -> Vec<(String, Option<usize>)> {
        let player = |role: usize| self.roles.iter().position(|own| *own == role);
        self.machine.roles().iter().enumerate().map(|(role, name)| (name.clone(), player(role))).collect()
    }

    fn role_moves(&self, state: &RuleState<M::Facts>, role: usize) -> Vec<String> {
        state.of(role).iter().map(|number| self.machine.move_name(&state.facts, role, *number)).collect()
    }

    fn within_turn(&self, state: &RuleState<M::Facts>) -> bool {
        !state.chosen.is_empty()
    }

    fn percepts(&self, after: &RuleState<M::Facts>, player: usize) -> Vec<String> {
        let heard = |past: &Past<_>| self.machine.percepts(&past.before, &past.moves, self.roles[player]);
        after.past.as_deref().map_or_else(Vec::new, heard)
    }
}

impl<M: Machine> Symmetries<RuleState<M::Facts>> for RuleGame<M> {
    fn symmetries(&self) -> usize {
        self.machine.symmetries().len()
    }

    fn orientation(&self, state: &RuleState<M::Facts>, symmetry: usize) -> i32 {
        self.machine.orientation(&state.facts, self.machine.symmetries()[symmetry].facts)
    }

    fn reflected(&self, state: &RuleState<M::Facts>, symmetry: usize) -> RuleState<M::Facts> {
        let Symmetry { facts: pair, moves } = &self.machine.symmetries()[symmetry];
        let mut facts = state.facts.clone();
        self.machine.exchange(&mut facts, *pair);
        let mut reflected = self.look(facts);
        if !state.chosen.is_empty() {
            let chosen = moves.iter().zip(&state.chosen);
            reflected.chosen = chosen.map(|(moves, chosen)| moves[*chosen as usize]).collect();
            reflected.turn = state.turn;
        }
        reflected
    }

    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        let moves = &self.machine.symmetries()[symmetry].moves[self.roles[player]];
        moves.get(action.0 as usize).map_or(action, |number| Action(*number))
    }
}

impl<M: Machine> Faults<RuleState<M::Facts>> for RuleGame<M> {
    fn faults(&self) -> u64 {
        self.faults.load(Relaxed)
    }

    fn flaw(&self) -> Option<String> {
        self.flaw.get().cloned()
    }

    fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}
