//! `iw`, `rollout-iw`, `brfs` and `one-look`: searches from a known state in a model that is simulated, of which each
//! action is tried once in each state, pruned by novelty (Geffner and Geffner 2015) or by nothing.
//!
//! Chance is the simulator's: what it draws first is taken for what will be. Against the worst of that optimism only
//! actions are looked at that lose at once in the fewest of some samples: safety prepruning. `novelty.rs` has the tables,
//! `rollout.rs` the search that goes deep first.

mod novelty;
mod rollout;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::bring_up_to_date;
use crate::belief::{Belief, BeliefKind, Form};
use crate::game::{Action, Turn};
use crate::interrupt::{Interrupt, Pause};
use crate::model::{Model, SharedModel, State, collapsed_or_self};
use crate::params::Params;
use crate::planner::{Decision, Judgement, Planner};
use crate::registry::PlannerEntry;
use crate::rng::{Purpose, Rng};
use crate::spec::{Spec, SpecError};
use crate::view::View;
use novelty::{Novelty, Width};

crate::params! {
    /// What is pruned, and how much is looked at.
    pub struct WidthParams {
        /// A state is kept if it makes so many atoms true together that were not in any state before it. With 3/2 that is
        /// one atom, or two of which one is about the piece that the player moves.
        pub width: Width = Width::One;
        /// Moves of the model to try, those of safety prepruning included.
        pub transitions: u64 = 2_000, in 1..=u64::MAX;
        /// Time a move.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
        /// How often each action is tried for safety; 0 for no prepruning.
        pub samples: u32 = 10, in 0..=10_000;
        /// What a reward one move later counts.
        pub discount: f64 = 0.99, in 0.0..=1.0;
    }
}

crate::params! {
    /// How much is looked at.
    pub struct BreadthParams {
        /// Moves of the model to try, those of safety prepruning included.
        pub transitions: u64 = 2_000, in 1..=u64::MAX;
        /// Time a move.
        pub milliseconds: Option<f64> = None, in Some(0.001)..=Some(1e9);
        /// How often each action is tried for safety; 0 for no prepruning.
        pub samples: u32 = 10, in 0..=10_000;
        /// What a reward one move later counts.
        pub discount: f64 = 0.99, in 0.0..=1.0;
    }
}

crate::params! {
    /// How often each action is tried.
    pub struct OneLookParams {
        /// How often each action is tried.
        pub samples: u32 = 10, in 1..=10_000;
    }
}

const NEEDS: &str = "one player and nothing hidden";

inventory::submit! {
    PlannerEntry {
        name: "iw",
        summary: "Breadth-first search that keeps states with something new: IW(1), IW(2) (Lipovetzky and Geffner 2012).",
        needs: "one player, nothing hidden, atoms",
        params: || WidthParams::default().docs(),
        build: |spec| {
            let WidthParams { width, transitions, milliseconds, samples, discount } = WidthParams::from_spec(spec)?;
            let how = How::Novel(width);
            let look = Look { name: "iw", how, transitions, milliseconds, samples, discount };
            Ok(Box::new(Lookahead { look, session: None }))
        },
    }
}
inventory::submit! {
    PlannerEntry {
        name: "rollout-iw",
        summary: "IW(1) in rollouts: it sees deep states early and can be stopped at any time (Bandrés et al. 2018).",
        needs: "one player, nothing hidden, atoms",
        params: || BreadthParams::default().docs(),
        build: |spec| Ok(Box::new(plain("rollout-iw", How::Rollouts, spec)?)),
    }
}
inventory::submit! {
    PlannerEntry {
        name: "brfs",
        summary: "Breadth-first search from the present, each action tried once in each state.",
        needs: NEEDS,
        params: || BreadthParams::default().docs(),
        build: |spec| Ok(Box::new(plain("brfs", How::All, spec)?)),
    }
}
inventory::submit! {
    PlannerEntry {
        name: "one-look",
        summary: "Of the actions that lose at once in the fewest samples, the one with the most reward.",
        needs: NEEDS,
        params: || OneLookParams::default().docs(),
        build: |spec| {
            let OneLookParams { samples } = OneLookParams::from_spec(spec)?;
            let name = "one-look";
            let how = How::All;
            let look = Look { name, how, transitions: 0, milliseconds: None, samples, discount: 1.0 };
            Ok(Box::new(Lookahead { look, session: None }))
        },
    }
}

/// One that has these parameters and no others.
fn plain(name: &'static str, how: How, spec: &Spec) -> Result<Lookahead, SpecError> {
    let BreadthParams { transitions, milliseconds, samples, discount } = BreadthParams::from_spec(spec)?;
    let look = Look { name, how, transitions, milliseconds, samples, discount };
    Ok(Lookahead { look, session: None })
}

/// In which order states are looked at, and which are kept.
#[derive(Clone, Copy)]
enum How {
    /// The nearest first, and all of them.
    All,
    /// The nearest first, and those that are new.
    Novel(Width),
    /// In rollouts, those that make an atom true nearer to the root than ever.
    Rollouts,
}

/// How far to look, and what at.
struct Look {
    name: &'static str,
    how: How,
    /// For safety and the search together; none are left for a search where there are fewer.
    transitions: u64,
    milliseconds: Option<f64>,
    samples: u32,
    discount: f64,
}

struct Lookahead {
    look: Look,
    session: Option<Session>,
}

struct Session {
    model: SharedModel,
    belief: Box<dyn Belief>,
    rng: Rng,
    decisions: u64,
}

impl Planner for Lookahead {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let model = collapsed_or_self(model);
        let name = self.look.name;
        if !model.info().perfect_information || model.info().players != 1 {
            return Err(format!("{name} needs {NEEDS}, which this game has not; try uct"));
        }
        if !matches!(self.look.how, How::All) && !model.has().atoms {
            return Err(format!("{name} needs atoms, and this game declares none; try brfs"));
        }
        if matches!(self.look.how, How::Novel(Width::OneAndAHalf)) && model.own_atoms().is_empty() {
            return Err(format!(
                "{name}: width=3/2 needs a game that says which atoms are about the piece that the player moves; try \
                 width=2"
            ));
        }
        let belief = BeliefKind::from(Form::Auto).build(&*model, 1)?;
        self.session = Some(Session { model, belief, rng: Rng::new(seed), decisions: 0 });
        Ok(())
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        let begun = Instant::now();
        let look = &self.look;
        let session = self.session.as_mut().ok_or_else(|| format!("{}: act before start", look.name))?;
        session.decisions += 1;
        let mut rng = session.rng.fork(Purpose::Decision(session.decisions));
        let model = session.model.clone();
        let faults = model.faults();
        if let Some(guess) = bring_up_to_date(&mut *session.belief, &*model, view, &mut rng, pause)? {
            return Ok(guess);
        }
        let state = &session
            .belief
            .certain()
            .ok_or_else(|| format!("{}: the state is not known", look.name))?
            .state;
        let deadline = look.milliseconds.map(|ms| begun + Duration::from_secs_f64(ms / 1000.0));
        let mut late = || pause() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut search = Search {
            model: &*model,
            look,
            player: view.player,
            rng,
            interrupt: Interrupt::new(&mut late),
            transitions: 0,
            nodes: 0,
            is_full: false,
        };
        let mut table = search.safe(state, &view.legal);
        match look.how {
            _ if look.transitions == 0 => {}
            How::Rollouts => search.roll_out(state, &mut table),
            How::All | How::Novel(_) => search.breadth_first(state, &mut table),
        }
        if model.faults() != faults {
            return Err(model.fault().unwrap_or_default());
        }
        // Ties are broken at random: the sort is stable.
        search.rng.shuffle(&mut table);
        let value = |row: &Judgement| row.value.unwrap_or(f64::NEG_INFINITY);
        table.sort_by(|a, b| value(b).total_cmp(&value(a)));
        Ok(Decision {
            action: table[0].action,
            simulations: table.iter().map(|row| row.visits).sum(),
            transitions: Some(search.transitions),
            nodes: search.nodes,
            notes: search.notes(view.legal.len() - table.len(), view.legal.len()),
            table,
            belief: Some(1),
            elapsed: begun.elapsed(),
            ..Decision::default()
        })
    }
}

/// A state that is kept.
struct Node {
    state: State,
    path: Path,
}

/// What is known of the way from the root.
#[derive(Clone, Copy)]
struct Path {
    /// Which of the actions at the root it begins with.
    first: usize,
    /// What was got on the way, discounted.
    value: f64,
    /// What the next reward counts.
    weight: f64,
}

impl Path {
    const ROOT: Path = Path { first: usize::MAX, value: 0.0, weight: 1.0 };

    /// Goes on by the action of this number, for this reward.
    fn then(self, action: usize, reward: f64, discount: f64) -> Path {
        Path {
            first: if self.first == usize::MAX { action } else { self.first },
            value: self.value + self.weight * reward,
            weight: self.weight * discount,
        }
    }

    /// Counts among the paths that begin with its first action.
    fn note(self, best: &mut [Option<f64>]) {
        let best = &mut best[self.first];
        *best = Some(best.map_or(self.value, |best| best.max(self.value)));
    }
}

struct Search<'a> {
    model: &'a dyn Model,
    look: &'a Look,
    player: usize,
    rng: Rng,
    interrupt: Interrupt<'a>,
    transitions: u64,
    nodes: u64,
    /// Whether there was no room for more pairs of atoms.
    is_full: bool,
}

impl Search<'_> {
    /// Whether the budget is used up, or somebody wants an answer.
    fn is_out(&mut self) -> bool {
        self.transitions >= self.look.transitions || self.interrupt.poll()
    }

    /// What somebody who reads the decision ought to know.
    fn notes(&self, unsafe_actions: usize, actions: usize) -> Vec<String> {
        let mut notes = Vec::new();
        if unsafe_actions > 0 {
            notes.push(format!("{unsafe_actions} of {actions} actions are left out as unsafe"));
        }
        if self.is_full {
            notes.push("the table of pairs of atoms is full: the search ended early".to_owned());
        }
        notes
    }

    /// The values of the root's actions: those of the best paths. One all of whose paths were pruned has none.
    fn conclude(&self, table: &mut [Judgement], best: Vec<Option<f64>>) {
        let nothing = best.iter().all(Option::is_none);
        for (row, best) in table.iter_mut().zip(best) {
            row.value = best.or(row.value.filter(|_| nothing));
        }
    }

    /// What an action leads to, chance included, up to the next choice; and what it pays.
    fn successor(&mut self, state: &State, action: Action) -> (State, f64) {
        let mut rewards = [0.0];
        let mut next = self.model.after(state, &[action], &mut rewards);
        for _ in 0..self.model.info().longest_chance() {
            if self.model.turn(&next) != Turn::Chance {
                break;
            }
            let outcome = self.model.draw(&next, &mut self.rng);
            self.model.step(&mut next, &[outcome], &mut rewards);
        }
        self.transitions += 1;
        (next, rewards[self.player])
    }

    /// The actions that lose at once in the fewest samples, each with its mean reward.
    fn safe(&mut self, state: &State, legal: &[Action]) -> Vec<Judgement> {
        let mut tried: Vec<(u32, Judgement)> = Vec::new();
        for action in legal {
            let (mut lost, mut sum) = (0, 0.0);
            for _ in 0..self.look.samples {
                let (next, reward) = self.successor(state, *action);
                let over = self.model.turn(&next) == Turn::Over;
                lost += u32::from(over && self.model.info().is_lost(reward));
                sum += reward;
            }
            let samples = f64::from(self.look.samples);
            let value = (self.look.samples > 0).then(|| sum / samples);
            let visits = self.look.samples.into();
            tried.push((lost, Judgement { action: *action, value, error: None, visits }));
        }
        let fewest = tried.iter().map(|(lost, _)| *lost).min();
        tried.retain(|(lost, _)| Some(*lost) == fewest);
        tried.into_iter().map(|(_, judged)| judged).collect()
    }

    /// Looks at states in the order of their distance; an action's value becomes that of the best path that begins
    /// with it.
    fn breadth_first(&mut self, root: &State, table: &mut [Judgement]) {
        let mut novelty = match self.look.how {
            How::Novel(width) => Some(Novelty::new(width, self.model.atom_count(), self.model.own_atoms())),
            How::All | How::Rollouts => None,
        };
        let mut best: Vec<Option<f64>> = vec![None; table.len()];
        let (mut atoms, mut before) = (Vec::new(), Vec::new());
        if let Some(novelty) = &mut novelty {
            self.model.atoms(root, &mut atoms);
            novelty.is_new(&atoms, &[]);
        }
        let mut queue = VecDeque::new();
        queue.push_back(Node { state: root.clone(), path: Path::ROOT });
        let mut legal = Vec::new();
        'search: while let Some(Node { state, path }) = queue.pop_front() {
            legal.clear();
            match path.first {
                usize::MAX => legal.extend(table.iter().map(|row| row.action)),
                _ => self.model.legal(&state, self.player, &mut legal),
            }
            if novelty.is_some() {
                before.clear();
                self.model.atoms(&state, &mut before);
            }
            for (number, action) in legal.iter().enumerate() {
                self.is_full = novelty.as_ref().is_some_and(Novelty::is_full);
                if self.is_out() || self.is_full {
                    break 'search;
                }
                let (next, reward) = self.successor(&state, *action);
                let path = path.then(number, reward, self.look.discount);
                table[path.first].visits += 1;
                let over = self.model.turn(&next) == Turn::Over;
                let is_new = novelty.as_mut().is_none_or(|novelty| {
                    atoms.clear();
                    self.model.atoms(&next, &mut atoms);
                    novelty.is_new(&atoms, &before)
                });
                // How a game ended is known, whether or not that shows in an atom.
                if is_new || over {
                    path.note(&mut best);
                }
                if is_new && !over {
                    self.nodes += 1;
                    queue.push_back(Node { state: next, path });
                }
            }
        }
        self.conclude(table, best);
    }
}
