//! What every search, playout and solver asks before it goes on: has somebody called?

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use crate::watch::Watch;

/// Called about once a millisecond by whoever works; true ends the work.
pub type Pause<'a> = &'a mut dyn FnMut() -> bool;

/// Asked now and then by whoever works; once it says so, the work ends with the best it has.
#[derive(Default)]
pub struct Interrupt<'a> {
    pause: Option<Pause<'a>>,
    /// Set where all workers of a search are to stop.
    now: Option<&'a AtomicBool>,
    deadline: Option<Instant>,
    watch: Watch,
    stopped: bool,
}

impl<'a> Interrupt<'a> {
    /// Nobody calls.
    pub fn never() -> Interrupt<'static> {
        Interrupt::default()
    }

    /// `pause` is called about once a millisecond, and true ends the work.
    pub fn new(pause: Pause<'a>) -> Interrupt<'a> {
        Interrupt { pause: Some(pause), ..Interrupt::default() }
    }

    /// For one of several workers: any of them may end the work of all by `now`, and each looks at the clock itself.
    /// Only one of them has a `pause` to call.
    pub fn shared(
        now: &'a AtomicBool,
        deadline: Option<Instant>,
        pause: Option<Pause<'a>>,
    ) -> Interrupt<'a> {
        Interrupt { pause, now: Some(now), deadline, ..Interrupt::default() }
    }

    /// Counts a piece of work, and says whether it is time to stop.
    #[inline]
    pub fn poll(&mut self) -> bool {
        self.stopped || self.watch.is_due() && self.look()
    }

    /// Whether somebody has called.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    #[inline(never)]
    fn look(&mut self) -> bool {
        if self.pause.as_mut().is_some_and(|pause| pause()) {
            self.stopped = true;
            if let Some(now) = self.now {
                now.store(true, Relaxed);
            }
        }
        self.stopped |= self.now.is_some_and(|now| now.load(Relaxed))
            || self.deadline.is_some_and(|end| Instant::now() >= end);
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::abilities::{Abilities, Evaluate};
    use crate::game::{Action, Game, Info, Observation, Turn};
    use crate::registry;
    use crate::view::View;

    /// Guess a die, three hundred times; counts its steps.
    struct Guesses {
        info: Info,
        steps: Arc<AtomicU64>,
    }

    impl Game for Guesses {
        type State = (u32, Option<Action>);
        fn info(&self) -> &Info {
            &self.info
        }
        fn initial(&self) -> Self::State {
            (0, None)
        }
        fn turn(&self, (round, guess): &Self::State) -> Turn {
            match guess {
                Some(_) => Turn::Chance,
                None if *round == 300 => Turn::Over,
                None => Turn::One(0),
            }
        }
        fn legal(&self, _: &Self::State, _: usize, actions: &mut Vec<Action>) {
            actions.extend((0..6).map(Action));
        }
        fn chance(&self, _: &Self::State, outcomes: &mut Vec<(Action, f64)>) {
            outcomes.extend((0..6).map(|face| (Action(face), 1.0 / 6.0)));
        }
        fn step(&self, (round, guess): &mut Self::State, joint: &[Action], rewards: &mut [f64]) {
            self.steps.fetch_add(1, Relaxed);
            if let Some(guess) = guess.take() {
                rewards[0] += f64::from(u8::from(guess == joint[0]));
                *round += 1;
            } else {
                *guess = Some(joint[0]);
            }
        }
        fn observe(&self, _: &Self::State, _: Turn, joint: &[Action], _: usize) -> Observation {
            if self.info.perfect_information { Observation::of_joint(joint) } else { Observation::SILENT }
        }
        crate::in_numbers!();
        fn abilities(&self) -> Abilities<'_, Self::State> {
            Abilities { evaluator: Some(self), ..Abilities::default() }
        }
    }

    impl Evaluate<(u32, Option<Action>)> for Guesses {
        fn evaluate(&self, state: &(u32, Option<Action>), values: &mut [f64]) {
            values[0] = f64::from(state.0);
        }
    }

    #[test]
    fn whatever_a_planner_is_at_it_stops_when_told_to() {
        let seen = [
            "uct(simulations=1, playouts=1000000)",
            "uct(simulations=1000000000, playout=mast)",
            "uct(simulations=1000000000, playout=turn(playout=ngram))",
            "uct(simulations=1, playouts=1000000, playout=epsilon(0.5, playout=greedy))",
            "uct(simulations=1, playouts=1000000, parallel=leaf, workers=2)",
            "uct(simulations=1, playout=solver(1000000000))",
            "uct(simulations=1, playout=evaluator, evaluator=solver(1000000000))",
            "uct(simulations=1, playout=greedy, evaluator=solver(1000000000))",
            "outcome-uct(simulations=1, playout=random, playouts=1000000)",
            "outcome-uct(simulations=1, playout=solver(1000000000))",
            "uct(simulations=1000000000)",
            "hop-uct(simulations=1000000000)",
            "expectimax(depth=1000)",
            "one-step(samples=1000000)",
            "nmc(level=4, insist=true)",
            "hindsight(planner=nmc(level=4, insist=true))",
            "ff-replan(planner=uct(simulations=1000000000))",
            "omniscient(planner=uct(simulations=1000000000))",
        ];
        let hidden = [
            "pomcp(simulations=1, playouts=1000000)",
            "pomcp(simulations=1, playout=solver(1000000000))",
            "pomcp(simulations=1000000000)",
            "norns(tree=belief, simulations=1000000000)",
            "norns(tree=belief, simulations=1000000000, grow=1)",
            "hindsight(horizon=1000)",
            "hyperplay(planner=uct(simulations=1000000000))",
            "lifted-hyperplay",
        ];
        let specs = seen.iter().map(|spec| (spec, true)).chain(hidden.iter().map(|spec| (spec, false)));
        let mut complaints = Vec::new();
        for (spec, perfect_information) in specs {
            let steps = Arc::new(AtomicU64::new(0));
            let info = Info { perfect_information, horizon: Some(600), ..Info::new(1, 0.0, 300.0) };
            let game = Arc::new(Guesses { info, steps: steps.clone() });
            let mut view = View::new(0);
            Game::legal(&*game, &Game::initial(&*game), 0, &mut view.legal);
            // Some time goes by before anybody calls, so that nobody looks at each step.
            let mut looks = 0;
            let mut pause = || {
                looks += 1;
                looks > 20
            };
            let mut planner = registry::planner(&spec.parse().unwrap()).unwrap();
            let decided = planner.start(game.clone(), 0, 1).and_then(|()| {
                planner.tell(crate::model::Model::initial(&*game));
                planner.act(&view, &mut pause)
            });
            let steps = steps.load(Relaxed);
            match decided {
                Err(why) => complaints.push(format!("{spec}: {why}")),
                Ok(_) if steps > 5_000_000 => complaints.push(format!("{spec}: {steps} steps")),
                Ok(_) => {}
            }
        }
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
}
