//! A game in the making with what each player has seen of it: planners that play in a planner's mind.

use super::make_inner;
use crate::discount::Running;
use crate::episode::news;
use crate::game::{Action, Turn};
use crate::interrupt::Pause;
use crate::model::{SharedModel, State};
use crate::planner::{Decision, Planner};
use crate::playout::MAX_PLAYERS;
use crate::rng::{Purpose, Rng, seed_for};
use crate::spec::Spec;
use crate::view::View;

/// A state and all players' views of the way to it.
#[derive(Clone)]
pub(super) struct SimulatedEpisode {
    model: SharedModel,
    state: State,
    views: Vec<View>,
}

impl SimulatedEpisode {
    /// The beginning of a game.
    pub fn new(model: SharedModel) -> SimulatedEpisode {
        let views = (0..model.info().players).map(View::new).collect();
        SimulatedEpisode { state: model.initial(), views, model }
    }

    /// Takes a step; gives what each player is paid for it.
    pub fn step(&mut self, joint: &[Action]) -> [f64; MAX_PLAYERS] {
        let turn = self.model.turn(&self.state);
        let mut rewards = [0.0; MAX_PLAYERS];
        self.model.step(&mut self.state, joint, &mut rewards[..self.views.len()]);
        for (player, view) in self.views.iter_mut().enumerate() {
            view.events.extend(news(&*self.model, &self.state, turn, joint, player));
        }
        rewards
    }

    /// The players' returns from here on if one of them does this now and everybody, told no more than
    /// the game tells, plays as a planner says, for at most so many moves. What is drawn depends on the
    /// seed and on the number of the step only. `None` if it was interrupted.
    ///
    /// # Errors
    /// What the planner says if it cannot play this game.
    pub fn play(
        mut self,
        spec: &Spec,
        player: usize,
        action: Action,
        moves: u32,
        seed: u64,
        pause: Pause,
    ) -> Result<Option<[f64; MAX_PLAYERS]>, String> {
        let model = self.model.clone();
        let faults = model.faults();
        let mut minds: Vec<Option<Box<dyn Planner>>> = self.views.iter().map(|_| None).collect();
        let mut returns = [0.0; MAX_PLAYERS];
        let mut running = Running::new(model.info().discount);
        let (mut made, mut draws, mut forced) = (0, 0, Some(action));
        for step in 0.. {
            let turn = model.turn(&self.state);
            let far = made > moves || draws > model.info().longest_chance();
            if turn == Turn::Over || far || model.faults() != faults {
                if far && turn != Turn::Over && model.has().evaluator {
                    let mut values = [0.0; MAX_PLAYERS];
                    model.evaluate(&self.state, &mut values[..self.views.len()]);
                    running.pay(&mut returns, &values);
                }
                break;
            }
            if pause() {
                return Ok(None);
            }
            let mut joint = Vec::with_capacity(turn.width());
            if turn == Turn::Chance {
                joint.push(model.draw(&self.state, &mut Rng::stream(seed, Purpose::Step(step))));
            }
            for mover in turn.movers().iter() {
                let own = if mover == player { forced.take() } else { None };
                joint.push(match own {
                    Some(action) => action,
                    None => self.decide(&mut minds, spec, mover, seed, pause)?.action,
                });
            }
            let rewards = self.step(&joint);
            running.pay(&mut returns, &rewards);
            running.pass(turn);
            if turn == Turn::Chance {
                draws += 1;
            } else {
                (made, draws) = (made + 1, 0);
            }
        }
        Ok(Some(returns))
    }

    /// What a player does now. Who has not been asked before begins to think here, with a stream of its own in
    /// the world of this seed.
    ///
    /// # Errors
    /// What the planner says if it cannot play this game.
    pub fn decide(
        &mut self,
        minds: &mut [Option<Box<dyn Planner>>],
        spec: &Spec,
        player: usize,
        seed: u64,
        pause: Pause,
    ) -> Result<Decision, String> {
        let view = &mut self.views[player];
        view.legal.clear();
        self.model.legal(&self.state, player, &mut view.legal);
        view.legal.sort_unstable();
        if let [only] = *view.legal {
            return Ok(Decision { action: only, ..Decision::default() });
        }
        let planner = match &mut minds[player] {
            Some(planner) => planner,
            None => {
                let mut planner = make_inner(spec)?;
                planner.start(self.model.clone(), player, seed_for(seed, Purpose::Mind(player)))?;
                minds[player].insert(planner)
            }
        };
        planner.act(view, pause)
    }
}
