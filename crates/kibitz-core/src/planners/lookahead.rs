//! `minimax` and `expectimax`: looking a fixed number of moves ahead from a known state.

use std::time::{Duration, Instant};

use crate::belief::{Belief, Exact};
use crate::expectimax::Failure;
use crate::interrupt::Pause;
use crate::model::{SharedModel, collapsed_or_self};
use crate::planner::{Decision, Judgement, Planner};
use crate::registry::register_planner;
use crate::rng::Rng;
use crate::solve::Limits;
use crate::solve::lookahead::Lookahead;
use crate::view::View;

crate::params! {
    /// How far to look.
    pub struct LookaheadParams {
        /// Moves to look ahead; the evaluator, if there is one, judges what lies beyond.
        pub depth: u32 = 6, in 1..=1000;
        /// Time a move; the depths are tried one after the other, and the last finished one counts.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
        /// States to look at before stopping, in the same way.
        pub states: u64 = 20_000_000, in 1..=u64::MAX;
    }
}

register_planner!(
    "minimax",
    "Alpha-beta search to a depth, for the most that one of two can make sure of.",
    "perfect information, explicit chance, two players who move in turn",
    LookaheadParams,
    |params| Ok(Box::new(Ahead::new("minimax", params)))
);
register_planner!(
    "expectimax",
    "Looks ahead to a depth, chance averaged, every player maximising its own return.",
    "perfect information, explicit chance, players who move in turn",
    LookaheadParams = LookaheadParams { depth: 4, ..LookaheadParams::default() },
    |params| Ok(Box::new(Ahead::new("expectimax", params)))
);

struct Ahead {
    name: &'static str,
    params: LookaheadParams,
    session: Option<(SharedModel, Exact)>,
}

impl Ahead {
    fn new(name: &'static str, params: LookaheadParams) -> Ahead {
        Ahead { name, params, session: None }
    }
}

impl Planner for Ahead {
    fn start(&mut self, model: SharedModel, _: usize, _: u64) -> Result<(), String> {
        let model = collapsed_or_self(model);
        let (name, info) = (self.name, model.info());
        if !info.perfect_information || !info.explicit_chance {
            return Err(format!(
                "{name} needs to know the state and the probabilities of chance, which this game hides; try pomcp"
            ));
        }
        if name == "minimax" && info.players != 2 {
            return Err("minimax needs two players; try expectimax".to_owned());
        }
        if info.simultaneous == Some(true) {
            return Err(format!("{name} needs players who move in turn; try uct for simultaneous moves"));
        }
        self.session = Some((model, Exact::new(1000)));
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let (model, belief) =
            self.session.as_mut().ok_or_else(|| format!("{}: act before start", self.name))?;
        belief.update(&**model, view, &mut Rng::new(0), pause)?;
        let world = belief.certain().ok_or("the state is not known")?;
        let deadline = self.params.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut decision = Decision { action: view.legal[0], belief: Some(1), ..Decision::default() };
        let mut limits = Limits { states: self.params.states, pause: &mut late };
        let sure = (self.name == "minimax").then_some(view.player);
        let mut search = Lookahead::new(&**model, sure, &mut limits);
        for depth in 1..=self.params.depth {
            match search.judge(&world.state, depth) {
                Ok(mut judged) => {
                    judged.sort_by(|a, b| b.1[view.player].total_cmp(&a.1[view.player]));
                    let table = judged.iter().map(|(action, values)| {
                        let value = Some(values[view.player]);
                        Judgement { action: *action, value, error: None, visits: 0 }
                    });
                    decision.table = table.collect();
                    decision.action = judged[0].0;
                    decision.notes = vec![format!("looked {depth} moves ahead")];
                }
                Err(Failure::Stopped(_)) => break,
                Err(Failure::Simultaneous) => {
                    return Err(format!("{} cannot plan simultaneous moves; try uct", self.name));
                }
            }
        }
        decision.nodes = search.states;
        decision.elapsed = begun.elapsed();
        Ok(decision)
    }
}
