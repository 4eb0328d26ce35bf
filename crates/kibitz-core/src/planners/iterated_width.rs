//! `iw`, `brfs` and `one-look`: breadth-first searches from a known state in a model that is simulated, of which each
//! action is tried once in each state, pruned by novelty (Geffner and Geffner 2015) or by nothing.
//!
//! Chance is the simulator's: what it draws first is taken for what will be. Against the worst of that optimism only
//! actions are looked at that lose at once in the fewest of some samples: safety prepruning.

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
use crate::view::View;

crate::params! {
    /// What is pruned, and how much is looked at.
    pub struct WidthParams {
        /// A state is kept if it makes so many atoms true together that were not in any state before it.
        pub width: u32 = 1, in 1..=2;
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
            let look = Look { name: "iw", width: Some(width), transitions, milliseconds, samples, discount };
            Ok(Box::new(Breadth { look, session: None }))
        },
    }
}
inventory::submit! {
    PlannerEntry {
        name: "brfs",
        summary: "Breadth-first search from the present, each action tried once in each state.",
        needs: NEEDS,
        params: || BreadthParams::default().docs(),
        build: |spec| {
            let BreadthParams { transitions, milliseconds, samples, discount } = BreadthParams::from_spec(spec)?;
            let look = Look { name: "brfs", width: None, transitions, milliseconds, samples, discount };
            Ok(Box::new(Breadth { look, session: None }))
        },
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
            let look = Look { name, width: None, transitions: 0, milliseconds: None, samples, discount: 1.0 };
            Ok(Box::new(Breadth { look, session: None }))
        },
    }
}

/// How far to look, and what at.
struct Look {
    name: &'static str,
    width: Option<u32>,
    /// For safety and the search together; none are left for a search where there are fewer.
    transitions: u64,
    milliseconds: Option<f64>,
    samples: u32,
    discount: f64,
}

struct Breadth {
    look: Look,
    session: Option<Session>,
}

struct Session {
    model: SharedModel,
    belief: Box<dyn Belief>,
    rng: Rng,
    decisions: u64,
}

impl Planner for Breadth {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let model = collapsed_or_self(model);
        let name = self.look.name;
        if !model.info().perfect_information || model.info().players != 1 {
            return Err(format!("{name} needs {NEEDS}, which this game has not; try uct"));
        }
        if self.look.width.is_some() && !model.has().atoms {
            return Err(format!("{name} needs atoms, and this game declares none; try brfs"));
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
        };
        let mut table = search.safe(state, &view.legal);
        if look.transitions > 0 {
            search.breadth_first(state, &mut table);
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
            notes: match view.legal.len() - table.len() {
                0 => Vec::new(),
                left => vec![format!("{left} of {} actions are left out as unsafe", view.legal.len())],
            },
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
    /// Which of the actions at the root led here.
    first: usize,
    /// What was got on the way, discounted.
    value: f64,
    /// What the next reward counts.
    weight: f64,
}

struct Search<'a> {
    model: &'a dyn Model,
    look: &'a Look,
    player: usize,
    rng: Rng,
    interrupt: Interrupt<'a>,
    transitions: u64,
    nodes: u64,
}

impl Search<'_> {
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
                lost += u32::from(reward < 0.0 && self.model.turn(&next) == Turn::Over);
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
        let mut novelty = self.look.width.map(|width| Novelty::new(width, self.model.atom_count()));
        let mut best: Vec<Option<f64>> = vec![None; table.len()];
        let (mut atoms, mut before) = (Vec::new(), Vec::new());
        if let Some(novelty) = &mut novelty {
            self.model.atoms(root, &mut atoms);
            novelty.is_new(&atoms, &[]);
        }
        let mut queue = VecDeque::new();
        queue.push_back(Node { state: root.clone(), first: usize::MAX, value: 0.0, weight: 1.0 });
        let mut legal = Vec::new();
        'search: while let Some(node) = queue.pop_front() {
            legal.clear();
            match node.first {
                usize::MAX => legal.extend(table.iter().map(|row| row.action)),
                _ => self.model.legal(&node.state, self.player, &mut legal),
            }
            if novelty.is_some() {
                before.clear();
                self.model.atoms(&node.state, &mut before);
            }
            for (number, action) in legal.iter().enumerate() {
                let first = if node.first == usize::MAX { number } else { node.first };
                if self.transitions >= self.look.transitions || self.interrupt.poll() {
                    break 'search;
                }
                let (state, reward) = self.successor(&node.state, *action);
                let value = node.value + node.weight * reward;
                let over = self.model.turn(&state) == Turn::Over;
                let is_new = novelty.as_mut().is_none_or(|novelty| {
                    atoms.clear();
                    self.model.atoms(&state, &mut atoms);
                    novelty.is_new(&atoms, &before)
                });
                table[first].visits += 1;
                // How a game ended is known, whether or not that shows in an atom.
                if !is_new && !over {
                    continue;
                }
                best[first] = Some(best[first].map_or(value, |best| best.max(value)));
                if !over {
                    self.nodes += 1;
                    queue.push_back(Node { state, first, value, weight: node.weight * self.look.discount });
                }
            }
        }
        for (row, best) in table.iter_mut().zip(best) {
            row.value = best.or(row.value.filter(|_| self.nodes == 0));
        }
    }
}

/// An atom that has not been true.
const UNSEEN: u32 = u32::MAX;

/// Which atoms, or which pairs of them, have been true.
struct Novelty {
    width: u32,
    /// The number of each atom that has been true, in the order of its first time, or [`UNSEEN`].
    numbers: Vec<u32>,
    /// How many have been.
    seen: u32,
    /// A bit for each pair of numbers.
    pairs: Vec<u64>,
    /// The numbers of a state's atoms, and whether they are new to its parent.
    now: Vec<(u32, bool)>,
    parent: Vec<u32>,
}

impl Novelty {
    fn new(width: u32, atoms: u32) -> Novelty {
        let numbers = vec![UNSEEN; atoms as usize];
        Novelty { width, numbers, seen: 0, pairs: Vec::new(), now: Vec::new(), parent: Vec::new() }
    }

    /// Whether a state with these atoms makes something true that was not before, and remembers it. Of its parent,
    /// which was kept, all pairs are known.
    fn is_new(&mut self, atoms: &[u32], parent: &[u32]) -> bool {
        let mut new = false;
        self.parent.clear();
        self.parent.extend_from_slice(parent);
        self.parent.sort_unstable();
        self.now.clear();
        for atom in atoms {
            let number = &mut self.numbers[*atom as usize];
            if *number == UNSEEN {
                (*number, self.seen, new) = (self.seen, self.seen + 1, true);
            }
            let number = *number;
            if self.width > 1 {
                self.now.push((number, self.parent.binary_search(atom).is_err()));
            }
        }
        for (left, is_left_new) in &self.now {
            for (right, is_right_new) in &self.now {
                if right < left && (*is_left_new || *is_right_new) {
                    let (left, right) = (*left as usize, *right as usize);
                    let pair = left * (left - 1) / 2 + right;
                    if self.pairs.len() <= pair / 64 {
                        self.pairs.resize(pair / 64 + 1, 0);
                    }
                    new |= self.pairs[pair / 64] >> (pair % 64) & 1 == 0;
                    self.pairs[pair / 64] |= 1 << (pair % 64);
                }
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_new_by_an_atom_or_by_a_pair() {
        let states: [&[u32]; 5] = [&[1, 2], &[2, 3], &[1, 3], &[3, 1], &[1, 2, 3]];
        let mut one = Novelty::new(1, 5);
        assert_eq!(states.map(|state| one.is_new(state, &[])), [true, true, false, false, false]);
        let mut two = Novelty::new(2, 5);
        assert_eq!(states.map(|state| two.is_new(state, &[])), [true, true, true, false, false]);
        // All pairs of the parent are known.
        assert!(two.is_new(&[1, 4], &[1]));
        assert!(!two.is_new(&[4, 1], &[1, 4]));
    }
}
