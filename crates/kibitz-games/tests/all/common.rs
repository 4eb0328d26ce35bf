//! What several tests need.

use kibitz_core::episode::news;
use kibitz_core::{Action, Model, Rng, State, Turn, View};

/// A random game under way, with what each player knows of it.
pub struct Walk<'a> {
    model: &'a dyn Model,
    rng: Rng,
    pub state: State,
    pub views: Vec<View>,
}

impl Walk<'_> {
    pub fn new(model: &dyn Model, seed: u64) -> Walk<'_> {
        let views = (0..model.info().players).map(View::new).collect();
        Walk { model, rng: Rng::new(seed), state: model.initial(), views }
    }

    pub fn turn(&self) -> Turn {
        self.model.turn(&self.state)
    }

    /// Tells a player what is legal now.
    pub fn ask(&mut self, player: usize) {
        let legal = &mut self.views[player].legal;
        legal.clear();
        self.model.legal(&self.state, player, legal);
        legal.sort_unstable();
    }

    /// Everybody who must move does something, and all are told what they may know.
    pub fn step(&mut self) {
        let Walk { model, rng, state, views } = self;
        let (turn, mut scratch) = (model.turn(state), Vec::new());
        let joint: Vec<Action> = match turn {
            Turn::Chance => vec![model.draw(state, rng)],
            _ => turn.movers().iter().map(|p| model.random_action(state, p, &mut scratch, rng)).collect(),
        };
        model.step(state, &joint, &mut vec![0.0; views.len()]);
        for (player, view) in views.iter_mut().enumerate() {
            view.events.extend(news(*model, state, turn, &joint, player));
        }
    }
}
