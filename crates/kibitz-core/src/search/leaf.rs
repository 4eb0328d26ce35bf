//! Playing out from a leaf: alone, or together with a crew of threads.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

use super::simulate::Problem;
use crate::game::Turn;
use crate::interrupt::Interrupt;
use crate::model::{Model, State};
use crate::playout::{Context, MAX_PLAYERS, Playout, Rollout, play_out};
use crate::position::Erased;
use crate::rng::{Purpose, Rng};

/// The sums of some playouts' returns, and their steps.
type Played = ([f64; MAX_PLAYERS], u64);

/// A number of playouts from one state, for one thread.
struct Job {
    state: State,
    how: Rollout,
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
        now: &'scope AtomicBool,
        helpers: u32,
        scope: &'scope Scope<'scope, '_>,
    ) -> Leaf {
        let hire = |_| {
            let (jobs, inbox) = channel::<Job>();
            let (outbox, results) = channel();
            scope.spawn(move || {
                let mut playout = problem.playout.fork();
                let mut interrupt = Interrupt::shared(now, None, None);
                while let Ok(mut job) = inbox.recv() {
                    let (evaluator, rng) = (problem.evaluator, &mut job.rng);
                    let mut context = Context { evaluator, rng, interrupt: &mut interrupt, trace: None };
                    let played =
                        some(problem.model, &job.state, &mut *playout, &job.how, job.count, &mut context);
                    if outbox.send(played).is_err() {
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
        Erased(model, state): Erased,
        playout: &mut dyn Playout,
        how: &Rollout,
        count: u32,
        context: &mut Context,
        returns: &mut [f64],
    ) -> u64 {
        if count == 1 || model.turn(state) == Turn::Over {
            return playout.run(Erased(model, state), how, context, returns);
        }
        let hands = self.crew.len() as u32 + 1;
        let share = |hand: u32| count / hands + u32::from(hand < count % hands);
        let origin = Rng::new(context.rng.bits());
        for (hand, (jobs, _)) in (1..).zip(&self.crew) {
            let rng = origin.fork(Purpose::Hand(hand));
            // A helper that is gone would have panicked; its share is then missing, not wrong.
            let _ = jobs.send(Job { state: state.clone(), how: *how, count: share(hand), rng });
        }
        let mut rng = origin.fork(Purpose::Hand(0));
        let mut own = Context {
            evaluator: context.evaluator,
            rng: &mut rng,
            interrupt: context.interrupt,
            trace: context.trace.as_deref_mut(),
        };
        let own = some(model, state, playout, how, share(0), &mut own);
        let others = self.crew.iter().filter_map(|(_, results)| results.recv().ok());
        let mut steps = 0;
        for (sums, made) in std::iter::once(own).chain(others) {
            for (total, sum) in returns.iter_mut().zip(sums) {
                *total += sum / f64::from(count);
            }
            steps += made;
        }
        steps
    }
}

/// The sums of some playouts' returns, and their steps.
fn some(
    model: &dyn Model,
    state: &State,
    playout: &mut dyn Playout,
    how: &Rollout,
    count: u32,
    context: &mut Context,
) -> Played {
    let mut sums = [0.0; MAX_PLAYERS];
    let steps = play_out(model, state, playout, how, count, context, &mut sums[..model.info().players]);
    (sums, steps)
}
