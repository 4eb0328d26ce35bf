//! Searching over macro-actions: into them before a search, and out of them after it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::belief::{Belief, Trouble, World};
use crate::game::Action;
use crate::macro_actions::MacroActions;
use crate::model::{Model, SharedModel, State};
use crate::planner::{Decision, Judgement};
use crate::rng::{Rng, mix};
use crate::view::View;

/// The macro-actions of a game, and one that is being made.
pub(super) struct MacroSearch {
    macro_actions: Arc<dyn MacroActions>,
    searched: SharedModel,
    /// The moves that are left of a macro-action, each with the hash of the state that it is meant for; none where it is
    /// made wherever it is legal.
    due: VecDeque<(Option<u64>, Action)>,
}

impl MacroSearch {
    /// Searches these macro-actions.
    pub fn new(macro_actions: Arc<dyn MacroActions>) -> MacroSearch {
        MacroSearch { searched: macro_actions.model(), macro_actions, due: VecDeque::new() }
    }

    /// The game that is searched.
    pub fn model(&self) -> SharedModel {
        self.searched.clone()
    }

    /// The next move of a macro-action that was decided on before, if all went as expected.
    pub fn due(&mut self, model: &dyn Model, state: &State) -> Option<Action> {
        let (hash, action) = self.due.pop_front()?;
        let expected = hash.is_none_or(|hash| hash == model.hash(state));
        if !expected {
            self.due.clear();
        }
        expected.then_some(action)
    }

    /// What the player knows and may do, in macro-actions.
    pub fn enter(&self, state: &State, player: usize, decision: u64) -> (View, Known) {
        let model = &self.searched;
        let known = Known::new(&**model, self.macro_actions.enter(state), decision);
        let mut view = View::new(player);
        if model.turn(&known.0.state).movers().contains(player) {
            model.legal(&known.0.state, player, &mut view.legal);
            view.legal.sort_unstable();
        }
        (view, known)
    }

    /// A decision for a macro-action as one for its first move; the others are due after it.
    pub fn spell(&mut self, model: &dyn Model, state: &State, mut decision: Decision) -> Option<Decision> {
        let spelled = |macro_action| {
            let mut moves = Vec::new();
            self.macro_actions.spell(state, macro_action, &mut moves);
            moves
        };
        let moves = spelled(decision.action);
        let mut table: Vec<Judgement> = Vec::new();
        for row in decision.table {
            // Several macro-actions may begin alike: the best of them speaks for the move.
            match spelled(row.action).first() {
                Some(first) if !table.iter().any(|known| known.action == *first) => {
                    table.push(Judgement { action: *first, ..row });
                }
                _ => {}
            }
        }
        decision.table = table;
        decision.action = *moves.first()?;
        self.due.clear();
        if self.macro_actions.goes_on() {
            self.due.extend(moves[1..].iter().map(|action| (None, *action)));
            return Some(decision);
        }
        let mut state = state.clone();
        let mut rewards = vec![0.0; model.info().players];
        for (index, action) in moves.iter().enumerate() {
            if index > 0 {
                self.due.push_back((Some(model.hash(&state)), *action));
            }
            if index + 1 < moves.len() {
                model.step(&mut state, &[*action], &mut rewards);
            }
        }
        Some(decision)
    }
}

/// The belief of somebody who knows.
pub(super) struct Known(World);

impl Known {
    /// That it is this state. Another tree begins here, unless states tell nodes apart.
    fn new(model: &dyn Model, state: State, decision: u64) -> Known {
        let mut world = World::initial(model);
        world.path = if model.has().hash { model.hash(&state) } else { mix(decision) };
        world.state = state;
        Known(world)
    }
}

impl Belief for Known {
    fn update(
        &mut self,
        _: &dyn Model,
        _: &View,
        _: &mut Rng,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<(), Trouble> {
        Ok(())
    }

    fn sample(&self, _: &dyn Model, _: &View, _: &mut Rng, world: &mut World) {
        world.copy_from(&self.0);
    }

    fn size(&self) -> Option<u64> {
        Some(1)
    }

    fn certain(&self) -> Option<&World> {
        Some(&self.0)
    }
}
