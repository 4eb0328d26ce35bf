//! `irreversible`: a game over its moves that cannot be undone.
//!
//! Where a player can shift things about and back again, a tree over single moves is mostly about the order
//! of moves that decide nothing. A *macro-action* is a move that cannot be undone, with those before it that can: a
//! tree over macro-actions is a tree over decisions.

use crate::abilities::{Abilities, ActionKeys};
use crate::{as_far_as, forward, pass_on};
use std::sync::Arc;

use super::{MacroActions, register_macro_actions};
use crate::game::{Action, Game, Info, Turn};
use crate::model::{SharedModel, State};
use crate::params::NoParams;
use crate::playout::MAX_PLAYERS;

register_macro_actions!(
    "irreversible",
    "A move that cannot be undone, with those before it that can.",
    NoParams,
    |_| Ok(Box::new(|model| {
        if !model.has().hash {
            return Err("needs a state hash, which this game lacks".to_owned());
        }
        Ok(macro_actions_of(model))
    }))
);

/// A game's own macro-actions, or those found by trying.
pub fn macro_actions_of(model: &SharedModel) -> Arc<dyn MacroActions> {
    model.macro_actions().unwrap_or_else(|| Arc::new(IrreversibleMoves::new(model.clone())))
}

/// The macro-actions of any game that tells states apart: a move can be undone if another one leads right back.
pub struct IrreversibleMoves {
    game: Arc<MacroGame>,
}

impl IrreversibleMoves {
    /// The macro-actions of a game of perfect information with a state hash.
    pub fn new(model: SharedModel) -> IrreversibleMoves {
        let info = model.info().clone();
        IrreversibleMoves { game: Arc::new(MacroGame { model, info }) }
    }
}

impl MacroActions for IrreversibleMoves {
    fn model(&self) -> SharedModel {
        self.game.clone()
    }

    fn enter(&self, state: &State) -> State {
        State::new(self.game.arrive(state.clone()))
    }

    fn spell(&self, state: &State, action: Action, moves: &mut Vec<Action>) {
        let spot = self.game.arrive(state.clone());
        let Some((member, last)) = spot.ways.get(action.0 as usize) else { return };
        let goal = self.game.model.hash(member);
        let Turn::One(player) = self.game.model.turn(state) else { return };
        let shifts = self.game.shifts(state.clone(), player).0;
        let Some(mut at) = shifts.iter().position(|shift| shift.hash == goal) else { return };
        let first = moves.len();
        while let Some((before, action)) = shifts[at].by {
            moves.push(action);
            at = before;
        }
        moves[first..].reverse();
        moves.push(*last);
    }
}

/// States that a player can shift to and back from are no more than so many; the rest counts as macro-actions.
const MOST_SHIFTS: usize = 200;

/// A game whose actions are the macro-actions of another.
struct MacroGame {
    model: SharedModel,
    info: Info,
}

/// A state, or all that can be reached from it by moves that can be undone.
#[derive(Clone, Debug)]
struct Spot {
    /// One of them: that with the least hash.
    state: State,
    turn: Turn,
    /// Every macro-action: the state in which its last move is made, and that move.
    ways: Arc<[(State, Action)]>,
}

/// A state that can be reached by moves that can be undone.
struct Shift {
    state: State,
    hash: u64,
    /// From which one, by which move.
    by: Option<(usize, Action)>,
}

impl MacroGame {
    fn arrive(&self, state: State) -> Spot {
        let turn = self.model.turn(&state);
        let Turn::One(player) = turn else { return Spot { state, turn, ways: Arc::new([]) } };
        let (shifts, mut ways) = self.shifts(state, player);
        // The same order from wherever one comes.
        ways.sort_by_key(|(member, action)| (shifts[*member].hash, *action));
        let turn = if ways.is_empty() { Turn::Over } else { turn };
        let least = shifts.iter().min_by_key(|shift| shift.hash).map(|shift| shift.state.clone());
        let ways =
            ways.into_iter().map(|(member, action)| (shifts[member].state.clone(), action)).collect();
        Spot { state: least.unwrap_or_else(|| self.model.initial()), turn, ways }
    }

    /// All that `player` can shift to and back from, and the moves that lead away from there.
    fn shifts(&self, state: State, player: usize) -> (Vec<Shift>, Vec<(usize, Action)>) {
        let model = &*self.model;
        let mut shifts = vec![Shift { hash: model.hash(&state), state, by: None }];
        let (mut ways, mut legal, mut back) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        while at < shifts.len() {
            let from = shifts[at].state.clone();
            legal.clear();
            model.legal(&from, player, &mut legal);
            for &action in &legal {
                let mut paid = [0.0; MAX_PLAYERS];
                let after = model.after(&from, &[action], &mut paid[..self.info.players]);
                let goes_on =
                    model.turn(&after) == Turn::One(player) && paid.iter().all(|paid| *paid == 0.0);
                let hash = model.hash(&after);
                if goes_on && shifts.iter().any(|shift| shift.hash == hash) {
                    continue;
                }
                back.clear();
                if goes_on && shifts.len() < MOST_SHIFTS {
                    model.legal(&after, player, &mut back);
                }
                let origin = shifts[at].hash;
                let undoes = |undo: &Action| {
                    let mut paid = [0.0; MAX_PLAYERS];
                    model.hash(&model.after(&after, &[*undo], &mut paid[..self.info.players])) == origin
                };
                if back.iter().any(undoes) {
                    shifts.push(Shift { state: after, hash, by: Some((at, action)) });
                } else {
                    ways.push((at, action));
                }
            }
            at += 1;
        }
        (shifts, ways)
    }
}

impl Game for MacroGame {
    type State = Spot;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Spot {
        self.arrive(self.model.initial())
    }

    fn turn(&self, spot: &Spot) -> Turn {
        spot.turn
    }

    fn legal(&self, spot: &Spot, _: usize, actions: &mut Vec<Action>) {
        if let Turn::One(_) = spot.turn {
            actions.extend((0..spot.ways.len() as u32).map(Action));
        }
    }

    fn step(&self, spot: &mut Spot, joint: &[Action], rewards: &mut [f64]) {
        let after = match (spot.turn, joint) {
            (Turn::One(_), [macro_action]) => match spot.ways.get(macro_action.0 as usize) {
                Some((member, action)) => self.model.after(member, &[*action], rewards),
                None => return,
            },
            _ => self.model.after(&spot.state, joint, rewards),
        };
        *spot = self.arrive(after);
    }

    fn action_name(&self, spot: &Spot, player: Option<usize>, action: Action) -> String {
        match (spot.turn, spot.ways.get(action.0 as usize)) {
            (Turn::One(_), Some((member, last))) => self.model.action_name(member, player, *last),
            _ => self.model.action_name(&spot.state, player, action),
        }
    }

    fn text(&self, spot: &Spot, viewer: Option<usize>) -> String {
        self.model.text(&spot.state, viewer)
    }

    pass_on!(|game, spot: &Spot| (game.model, &spot.state): player_name, chance, draw);

    fn abilities(&self) -> Abilities<'_, Spot> {
        let others = as_far_as!(self.model.has(), self: hash, evaluator, solver, picture, atoms, faults);
        Abilities { action_keys: Some(self), ..others }
    }
}

forward!(MacroGame, Spot, |game, spot| (game.model, &spot.state): Evaluate, Solver, Atoms, Svg, StateHash, Faults);

impl ActionKeys<Spot> for MacroGame {
    /// That of its last move: a number here is a place in a list.
    fn action_key(&self, spot: &Spot, player: usize, action: Action) -> u64 {
        match spot.ways.get(action.0 as usize) {
            Some((member, last)) => self.model.action_key(member, player, *last),
            None => u64::from(action.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abilities::StateHash;
    use crate::rng::mix;

    /// Three places in a row, to be walked to and fro, with a door that closes behind one at the second and at
    /// the third; and another row of three behind the second door. The last door pays.
    struct Doors(Info);

    /// Row and place.
    type Where = (u32, u32);
    const LEFT: Action = Action(0);
    const RIGHT: Action = Action(1);
    const DOOR: Action = Action(2);

    impl Game for Doors {
        type State = Where;
        fn info(&self) -> &Info {
            &self.0
        }
        fn initial(&self) -> Where {
            (0, 0)
        }
        fn turn(&self, state: &Where) -> Turn {
            if state.0 == 2 { Turn::Over } else { Turn::One(0) }
        }
        fn legal(&self, (_, place): &Where, _: usize, actions: &mut Vec<Action>) {
            actions.extend(
                [(LEFT, *place > 0), (RIGHT, *place < 2), (DOOR, *place > 0)]
                    .iter()
                    .filter(|a| a.1)
                    .map(|a| a.0),
            );
        }
        fn step(&self, (row, place): &mut Where, joint: &[Action], rewards: &mut [f64]) {
            match joint[0] {
                LEFT => *place -= 1,
                RIGHT => *place += 1,
                _ => {
                    // The first door is a dead end: the game is over for nothing.
                    rewards[0] += f64::from(*row * (*place - 1));
                    *row = if *place == 1 { 2 } else { *row + 1 };
                    *place = 0;
                }
            }
        }
        fn action_name(&self, _: &Where, _: Option<usize>, action: Action) -> String {
            ["left", "right", "door"][action.0 as usize].to_owned()
        }
        fn text(&self, state: &Where, _: Option<usize>) -> String {
            format!("{state:?}")
        }

        fn abilities(&self) -> Abilities<'_, Self::State> {
            Abilities { hash: Some(self), ..Abilities::default() }
        }
    }

    impl StateHash<Where> for Doors {
        fn hash(&self, (row, place): &Where) -> u64 {
            mix(u64::from(row * 3 + place))
        }
    }

    fn doors() -> IrreversibleMoves {
        let info = Info::new(1, 0.0, 1.0);
        IrreversibleMoves::new(Arc::new(Doors(info)))
    }

    #[test]
    fn only_doors_are_macro_actions() {
        let macro_actions = doors();
        let model = macro_actions.model();
        let from = |place: Where| macro_actions.enter(&State::new(place));
        let mut legal = Vec::new();
        model.legal(&from((0, 0)), 0, &mut legal);
        assert_eq!(legal.len(), 2);
        // Wherever one stands in the row, it is the same spot.
        assert_eq!(model.hash(&from((0, 0))), model.hash(&from((0, 2))));
        assert_ne!(model.hash(&from((0, 0))), model.hash(&from((1, 0))));
    }

    #[test]
    fn a_macro_action_is_spelled_as_the_way_to_its_door() {
        let macro_actions = doors();
        let spell = |place: Where, macro_action: Action| {
            let mut moves = Vec::new();
            macro_actions.spell(&State::new(place), macro_action, &mut moves);
            moves
        };
        let ways = [spell((0, 0), Action(0)), spell((0, 0), Action(1))];
        assert!(ways.contains(&vec![RIGHT, DOOR]) && ways.contains(&vec![RIGHT, RIGHT, DOOR]), "{ways:?}");
        let back = [spell((0, 2), Action(0)), spell((0, 2), Action(1))];
        assert!(back.contains(&vec![LEFT, DOOR]) && back.contains(&vec![DOOR]), "{back:?}");
    }

    #[test]
    fn the_search_over_macro_actions_plays_moves() {
        use crate::registry;
        use crate::view::{Event, View};
        let info = Info::new(1, 0.0, 1.0);
        let game = Arc::new(Doors(info));
        for spec in ["macro-uct(simulations=30)", "macro-uct(simulations=30, transpositions=false)"] {
            let mut planner = registry::planner(&spec.parse().unwrap()).unwrap();
            planner.start(game.clone(), 0, 1).unwrap();
            let (mut state, mut view, mut paid) = (Game::initial(&*game), View::new(0), [0.0]);
            let mut names = Vec::new();
            while Game::turn(&*game, &state) != Turn::Over {
                view.legal.clear();
                Game::legal(&*game, &state, 0, &mut view.legal);
                let action = planner.act(&view, &mut || false).unwrap().action;
                names.push(Game::action_name(&*game, &state, Some(0), action));
                Game::step(&*game, &mut state, &[action], &mut paid);
                view.events.push(Event::Acted(action));
                view.events.push(Event::Observed(crate::game::Observation::of_joint(&[action])));
            }
            assert_eq!(names, ["right", "right", "door", "right", "right", "door"], "{spec}");
            assert_eq!(paid, [1.0]);
        }
    }
}
