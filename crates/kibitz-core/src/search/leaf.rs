//! Playing out from a leaf: alone, or together with a crew of threads.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

use super::simulate::Problem;
use crate::game::Turn;
use crate::model::State;
use crate::playout::{MAX_PLAYERS, Playout};
use crate::rng::{Purpose, Rng};

/// The sums of some playouts' returns, and their steps.
type Played = ([f64; MAX_PLAYERS], u64);

/// A number of playouts from one state, for one thread.
struct Job {
    state: State,
    how: Playout,
    count: u32,
    rng: Rng,
}

/// Who plays out.
pub(super) struct Leaf {
    /// The threads that help, each with its jobs' and its results' channel.
    crew: Vec<(Sender<Job>, Receiver<Played>)>,
}

impl Leaf {
    /// Nobody helps.
    pub fn alone() -> Leaf {
        Leaf { crew: Vec::new() }
    }

    /// `helpers` threads help until the leaf is dropped.
    pub fn crew<'scope>(
        problem: &'scope Problem<'scope>,
        helpers: u32,
        scope: &'scope Scope<'scope, '_>,
    ) -> Leaf {
        let hire = |_| {
            let (jobs, inbox) = channel::<Job>();
            let (outbox, results) = channel();
            scope.spawn(move || {
                while let Ok(mut job) = inbox.recv() {
                    let returns = play_out(problem, &job.state, &job.how, job.count, &mut job.rng);
                    if outbox.send(returns).is_err() {
                        break;
                    }
                }
            });
            (jobs, results)
        };
        Leaf { crew: (0..helpers).map(hire).collect() }
    }

    /// Adds the mean return of some playouts from `state` to `returns`; gives the number of their steps.
    #[inline]
    pub fn play_out(
        &self,
        problem: &Problem,
        state: &State,
        how: &Playout,
        playouts: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> u64 {
        if playouts == 1 || problem.model.turn(state) == Turn::Over {
            return problem.model.playouts(state, how, 1, rng, returns);
        }
        let hands = self.crew.len() as u32 + 1;
        let share = |hand: u32| playouts / hands + u32::from(hand < playouts % hands);
        let origin = Rng::new(rng.bits());
        for (hand, (jobs, _)) in (1..).zip(&self.crew) {
            let rng = origin.fork(Purpose::Hand(hand));
            // A helper that is gone would have panicked; its share is then missing, not wrong.
            let _ = jobs.send(Job { state: state.clone(), how: *how, count: share(hand), rng });
        }
        let own = play_out(problem, state, how, share(0), &mut origin.fork(Purpose::Hand(0)));
        let others = self.crew.iter().filter_map(|(_, results)| results.recv().ok());
        let mut steps = 0;
        for (sums, made) in std::iter::once(own).chain(others) {
            for (total, sum) in returns.iter_mut().zip(sums) {
                *total += sum / f64::from(playouts);
            }
            steps += made;
        }
        steps
    }
}

/// Makes `count` playouts.
fn play_out(problem: &Problem, state: &State, how: &Playout, count: u32, rng: &mut Rng) -> Played {
    let mut sums = [0.0; MAX_PLAYERS];
    let steps = problem.model.playouts(state, how, count, rng, &mut sums[..problem.model.info().players]);
    (sums, steps)
}
