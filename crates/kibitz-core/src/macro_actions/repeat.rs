//! `repeat`: an action that is made several times in a row, for games in which single steps decide little.

use crate::abilities::{Abilities, StateHash};
use crate::{as_far_as, forward, pass_on};
use std::sync::Arc;

use super::{MacroActions, register_macro_actions};
use crate::game::{Action, Game, Info, Turn};
use crate::model::{SharedModel, State};

crate::params! {
    /// An action several times in a row, as long as it is legal and nobody else is to move.
    pub struct RepeatParams {
        /// How many times an action is made, as long as it is legal and nobody else is to move.
        pub times: u32 = 3, in 1..=1000;
    }
}

register_macro_actions!("repeat", RepeatParams, |RepeatParams { times }| Ok(Box::new(move |model| Ok(
    Arc::new(Repeat::new(model.clone(), times))
))));

struct Repeat {
    game: Arc<Repeated>,
}

/// Another game in which an action is made so many times.
struct Repeated {
    model: SharedModel,
    times: u32,
    info: Info,
}

/// A state, and what is still to be repeated after it.
#[derive(Clone, Debug)]
struct Place {
    state: State,
    /// Who repeats which action how often.
    left: Option<(usize, Action, u32)>,
}

impl Repeat {
    fn new(model: SharedModel, times: u32) -> Repeat {
        let info = model.info().clone();
        Repeat { game: Arc::new(Repeated { model, times, info }) }
    }
}

impl MacroActions for Repeat {
    fn model(&self) -> SharedModel {
        self.game.clone()
    }

    fn enter(&self, state: &State) -> State {
        State::new(Place { state: state.clone(), left: None })
    }

    fn spell(&self, _: &State, action: Action, moves: &mut Vec<Action>) {
        moves.extend((0..self.game.times).map(|_| action));
    }

    fn goes_on(&self) -> bool {
        true
    }
}

impl Repeated {
    /// Makes what is left to repeat, until it cannot be or chance comes between.
    fn go_on(&self, place: &mut Place, rewards: &mut [f64]) {
        let mut legal = Vec::new();
        while let Some((player, action, left)) = place.left {
            match self.model.turn(&place.state) {
                Turn::Chance => return,
                Turn::One(mover) if mover == player && left > 0 => {
                    legal.clear();
                    self.model.legal(&place.state, player, &mut legal);
                    if legal.contains(&action) {
                        self.model.step(&mut place.state, &[action], rewards);
                        place.left = Some((player, action, left - 1));
                        continue;
                    }
                }
                _ => {}
            }
            place.left = None;
        }
    }
}

impl Game for Repeated {
    type State = Place;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Place {
        Place { state: self.model.initial(), left: None }
    }

    fn turn(&self, place: &Place) -> Turn {
        self.model.turn(&place.state)
    }

    fn legal(&self, place: &Place, player: usize, actions: &mut Vec<Action>) {
        self.model.legal(&place.state, player, actions);
    }

    fn step(&self, place: &mut Place, joint: &[Action], rewards: &mut [f64]) {
        if let (Turn::One(player), [action]) = (self.model.turn(&place.state), joint) {
            place.left = Some((player, *action, self.times - 1));
        }
        self.model.step(&mut place.state, joint, rewards);
        self.go_on(place, rewards);
    }

    fn action_name(&self, place: &Place, player: Option<usize>, action: Action) -> String {
        let name = self.model.action_name(&place.state, player, action);
        if player.is_some() { format!("{name}, {} times", self.times) } else { name }
    }

    fn text(&self, place: &Place, viewer: Option<usize>) -> String {
        self.model.text(&place.state, viewer)
    }

    pass_on!(|game, place: &Place| (game.model, &place.state): player_name, chance, draw);

    fn abilities(&self) -> Abilities<'_, Place> {
        as_far_as!(self.model.has(), self: hash, evaluator, solver, atoms, action_keys, faults)
    }
}

forward!(Repeated, Place, |game, place| (game.model, &place.state): Evaluate, Solver, Atoms, ActionKeys, Faults);

impl StateHash<Place> for Repeated {
    fn hash(&self, place: &Place) -> u64 {
        let hash = self.model.hash(&place.state);
        place.left.map_or(hash, |(player, action, left)| {
            [player as u64, action.0.into(), left.into()].into_iter().fold(hash, crate::rng::derive)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    /// A walk to the right of nine steps, each of which costs a tenth; chance may push one step further.
    struct Walk(Info);

    impl Game for Walk {
        /// The place, and whether chance is to draw.
        type State = (u32, bool);
        fn info(&self) -> &Info {
            &self.0
        }
        fn initial(&self) -> (u32, bool) {
            (0, false)
        }
        fn turn(&self, (place, chance): &(u32, bool)) -> Turn {
            match (*place >= 9, *chance) {
                (true, _) => Turn::Over,
                (_, true) => Turn::Chance,
                _ => Turn::One(0),
            }
        }
        fn legal(&self, (place, _): &(u32, bool), _: usize, actions: &mut Vec<Action>) {
            actions.push(Action(1));
            if *place > 0 {
                actions.push(Action(0));
            }
        }
        fn step(&self, (place, chance): &mut (u32, bool), joint: &[Action], rewards: &mut [f64]) {
            if *chance {
                *place += joint[0].0;
            } else {
                rewards[0] -= 0.1;
                *place = if joint[0].0 == 1 { *place + 1 } else { *place - 1 };
            }
            *chance = !*chance;
        }
        fn chance(&self, _: &(u32, bool), outcomes: &mut Vec<(Action, f64)>) {
            outcomes.extend([(Action(0), 0.5), (Action(1), 0.5)]);
        }
        crate::in_numbers!();

        fn abilities(&self) -> Abilities<'_, Self::State> {
            Abilities { hash: Some(self), ..Abilities::default() }
        }
    }

    impl StateHash<(u32, bool)> for Walk {
        fn hash(&self, (place, chance): &(u32, bool)) -> u64 {
            mix(u64::from(2 * place + u32::from(*chance)))
        }
    }

    #[test]
    fn an_action_is_repeated_through_chance_as_long_as_it_is_legal() {
        let info = Info::new(1, -1e3, 0.0);
        let repeat = Repeat::new(Arc::new(Walk(info)), 3);
        let (game, mut paid) = (&*repeat.game, [0.0]);
        let mut place = Game::initial(game);
        Game::step(game, &mut place, &[Action(1)], &mut paid);
        let mut draws = 0;
        while Game::turn(game, &place) == Turn::Chance {
            Game::step(game, &mut place, &[Action(0)], &mut paid);
            draws += 1;
        }
        assert_eq!((draws, place.state.get::<(u32, bool)>().0), (3, 3));
        assert!((paid[0] + 0.3).abs() < 1e-12);
        // Back again: a fourth step to the left is not legal.
        let repeat = Repeat::new(game.model.clone(), 9);
        let mut place = Place { state: place.state, left: None };
        Game::step(&*repeat.game, &mut place, &[Action(0)], &mut paid);
        while Game::turn(&*repeat.game, &place) == Turn::Chance {
            Game::step(&*repeat.game, &mut place, &[Action(0)], &mut paid);
        }
        assert_eq!((place.state.get::<(u32, bool)>().0, place.left), (0, None));
        let mut moves = Vec::new();
        repeat.spell(&place.state, Action(1), &mut moves);
        assert_eq!(moves, [Action(1); 9]);
    }
}
