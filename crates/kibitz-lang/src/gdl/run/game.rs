//! A machine as a game of the core: who moves when, what is seen, what is paid.
//!
//! In these languages all roles move at once, all the time. Who has but one legal move has nothing
//! to decide: a step asks only the others, so that games that take turns look like it. A role called
//! `random` is chance, and moves after the players have chosen. Nobody is paid before the end; then
//! the return is the score that the rules give, 0 to 100.

use kibitz_core::abilities::{
    Abilities, ActionHeuristic, Atoms, Batch, Facts, Faults, Roles, StateHash, Svg, Symmetries,
};
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use kibitz_core::game::{Action, Game, Info, Observation, Players, Transition, Turn};
use kibitz_core::playout::{Policy, Rollout};
use kibitz_core::rng::derive;
use smallvec::SmallVec;

use super::machine::{First, Machine, Outlook, Start, paid};
use crate::gdl::compile::Symmetry;
use crate::gdl::picture::{Hints, Sketch, card};

/// The game that a machine runs.
pub struct RuleGame<M: Machine> {
    /// The machine.
    pub machine: M,
    pub(super) info: Info,
    /// The role of each player.
    pub(super) roles: Vec<usize>,
    /// The role that is chance.
    pub(super) random: Option<usize>,
    faults: AtomicU64,
    fault: Mutex<Option<String>>,
    pub(super) flaw: OnceLock<String>,
    hints: Hints,
    /// How states are drawn; found out when the first is.
    sketch: OnceLock<Sketch>,
    longest: u64,
}

/// A move for each role.
pub(super) type Joint = SmallVec<[u32; 4]>;

/// As many as that are kept in the state itself.
const FEW: usize = 16;

/// Numbers that many states have in common if they are many.
#[derive(Clone)]
pub(super) enum Legal {
    Few(SmallVec<[u32; FEW]>),
    Many(Arc<Many>),
}

/// Many numbers.
#[derive(Default)]
pub(super) struct Many {
    numbers: Vec<u32>,
    /// For each role, a key of its legal moves.
    keys: Vec<u64>,
}

impl Deref for Legal {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Legal::Few(numbers) => numbers,
            Legal::Many(many) => &many.numbers,
        }
    }
}

impl Legal {
    /// Where each role's moves begin and the last one's end, and the moves.
    pub(super) fn of(outlook: &Outlook, last: &mut Arc<Many>) -> Legal {
        let begin = outlook.ends.len() as u32 + 1;
        let bounds = || std::iter::once(begin).chain(outlook.ends.iter().map(|end| begin + end));
        let count = begin as usize + outlook.moves.len();
        if count <= FEW {
            return Legal::Few(bounds().chain(outlook.moves.iter().copied()).collect());
        }
        let (known, moves) = last.numbers.split_at(last.numbers.len().min(begin as usize));
        if moves != outlook.moves.as_slice() || !known.iter().copied().eq(bounds()) {
            let roles = 0..outlook.ends.len();
            let keys = roles.map(|role| key(outlook.of(role))).collect();
            let numbers = bounds().chain(outlook.moves.iter().copied()).collect();
            *last = Arc::new(Many { numbers, keys });
        }
        Legal::Many(last.clone())
    }

    /// The legal moves of a role, in the order of what they are.
    #[inline]
    pub(super) fn of_role(&self, role: usize) -> &[u32] {
        &self[self[role] as usize..self[role + 1] as usize]
    }

    /// A key of the legal moves of a role.
    pub(super) fn key(&self, role: usize) -> u64 {
        match self {
            Legal::Few(_) => key(self.of_role(role)),
            Legal::Many(many) => many.keys[role],
        }
    }
}

/// A key of some numbers.
fn key(numbers: &[u32]) -> u64 {
    numbers.iter().fold(numbers.len() as u64, |key, number| derive(key, u64::from(*number)))
}

/// A state of a [`RuleGame`].
pub struct RuleState<F> {
    facts: F,
    /// Where each role's legal moves begin in this list, and where the last one's end; then the moves.
    legal: Legal,
    /// The rules say that it is over; it is over as well if somebody cannot move.
    terminal: bool,
    turn: Turn,
    /// The moves that were chosen while chance has still to choose its own; else none.
    chosen: Joint,
    /// How it came to this, where the rules hide something and it is not the start.
    past: Option<Box<Past<F>>>,
}

/// What the last joint move told, and what words about it need.
#[derive(Clone)]
struct Past<F> {
    /// For each role, the key of what it was told, and of what it may do next.
    told: Vec<u64>,
    /// The moves.
    moves: Joint,
    /// What held before them.
    before: F,
}

impl<F: Clone> Clone for RuleState<F> {
    fn clone(&self) -> Self {
        RuleState {
            facts: self.facts.clone(),
            legal: self.legal.clone(),
            terminal: self.terminal,
            turn: self.turn,
            chosen: self.chosen.clone(),
            past: self.past.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.facts.clone_from(&source.facts);
        self.legal.clone_from(&source.legal);
        (self.terminal, self.turn) = (source.terminal, source.turn);
        self.chosen.clone_from(&source.chosen);
        self.past.clone_from(&source.past);
    }
}

thread_local! {
    /// Where machines write, and the last long list of moves, which the next state may have again.
    pub(super) static OUTLOOK: RefCell<(Outlook, Arc<Many>)> = RefCell::default();
}

impl<F> RuleState<F> {
    /// The legal moves of a role, in the order of what they are.
    #[inline]
    fn of(&self, role: usize) -> &[u32] {
        self.legal.of_role(role)
    }
}

/// What a player hears when it hears nothing: that the others have moved.
const NOTHING: u64 = 0x6E6F_7468_696E_6721;

impl<M: Machine> RuleGame<M> {
    /// The game of a machine; the hints are for pictures of it, and playouts that last longer than
    /// `longest` steps are cut off.
    ///
    /// # Errors
    /// A sentence, if there are no players or too many.
    pub fn new(machine: M, hints: Hints, longest: u64) -> Result<RuleGame<M>, String> {
        let random = machine.roles().iter().position(|role| role.eq_ignore_ascii_case("random"));
        let roles: Vec<usize> = (0..machine.roles().len()).filter(|role| Some(*role) != random).collect();
        if roles.is_empty() || roles.len() > 32 {
            return Err(format!("a game has 1 to 32 players, and this one has {}", roles.len()));
        }
        let mut info = Info::new(roles.len(), 0.0, 100.0);
        info.perfect_information = !machine.has_percepts();
        info.paid_at_end = true;
        info.simultaneous = if roles.len() == 1 { Some(false) } else { machine.simultaneous(&roles) };
        let (faults, fault) = (AtomicU64::new(0), Mutex::new(None));
        let (flaw, sketch) = (OnceLock::new(), OnceLock::new());
        Ok(RuleGame { machine, info, roles, random, faults, fault, flaw, hints, sketch, longest })
    }

    pub(super) fn sketch(&self) -> &Sketch {
        self.sketch.get_or_init(|| Sketch::of(&self.machine, &self.hints))
    }

    /// All that a player knows for sure of this moment where the rules hide what holds: what it
    /// did and what it was told.
    fn known(&self, state: &RuleState<M::Facts>, player: usize) -> Vec<String> {
        let (role, who) = (self.roles[player], self.player_name(player));
        let mut lines = match &state.past {
            None => vec![format!("{who} has been told nothing yet")],
            Some(past) => {
                let made = self.machine.move_name(&past.before, role, past.moves[role]);
                let told = self.machine.percepts(&past.before, &past.moves, role);
                let told = if told.is_empty() { "nothing".to_owned() } else { told.join(", ") };
                vec![format!("{who} did {made}"), format!("and was told {told}")]
            }
        };
        if let Some(chosen) = state.chosen.get(role) {
            let made = self.machine.move_name(&state.facts, role, *chosen);
            lines.push(format!("{who} now does {made}"));
        }
        lines
    }

    /// What a player's action heuristic goes by; why it has none.
    fn heuristic_of(&self, player: usize) -> Result<String, String> {
        let of_all = self.machine.action_heuristic()?;
        of_all.about(self.roles[player])
    }

    /// Whether this viewer may not see what holds.
    pub(super) fn hidden_from(&self, viewer: Option<usize>) -> Option<usize> {
        viewer.filter(|_| !self.info.perfect_information)
    }

    /// Remembers what went wrong; the state it happened in is over.
    pub(super) fn fail(&self, what: String) {
        self.faults.fetch_add(1, Relaxed);
        let mut fault = self.fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *fault = Some(what);
    }

    /// The state in which these facts hold.
    fn look(&self, facts: M::Facts) -> RuleState<M::Facts> {
        OUTLOOK.with_borrow_mut(|(outlook, last)| {
            outlook.trouble = None; // another machine may have had it
            self.machine.outlook(&facts, outlook);
            let legal = Legal::of(outlook, last);
            let (terminal, turn) = (outlook.terminal, self.find_turn(&facts, outlook));
            RuleState { facts, legal, terminal, turn, chosen: Joint::new(), past: None }
        })
    }

    fn find_turn(&self, facts: &M::Facts, outlook: &Outlook) -> Turn {
        if let Some(trouble) = &outlook.trouble {
            self.fail(trouble.clone());
            return Turn::Over;
        }
        if outlook.terminal {
            return Turn::Over;
        }
        let count = |role: usize| outlook.of(role).len();
        if let Some(stuck) = (0..self.machine.roles().len()).find(|role| count(*role) == 0) {
            let who = &self.machine.roles()[stuck];
            self.flaw.get_or_init(|| {
                format!(
                    "{who} has no legal move in a state that is not terminal: \
                     the game ends there, and nobody scores"
                )
            });
            return Turn::Over;
        }
        let mut movers = Players(0);
        for (player, role) in self.roles.iter().enumerate() {
            if count(*role) > 1 {
                movers.0 |= 1 << player;
            }
        }
        match movers.len() {
            // To ask a player who has no choice would tell it that nobody else has one either.
            0 if self.random.is_some() || !self.info.perfect_information => Turn::Chance,
            0 => Turn::One(self.forced(facts, outlook)),
            1 => Turn::One(movers.0.trailing_zeros() as usize),
            _ => Turn::Several(movers),
        }
    }

    /// Who is said to move where nobody has a choice: the first whose move is more than a word.
    fn forced(&self, facts: &M::Facts, outlook: &Outlook) -> usize {
        let does_something =
            |role: &usize| self.machine.move_name(facts, *role, outlook.of(*role)[0]).starts_with('(');
        if self.roles.len() == 1 { 0 } else { self.roles.iter().position(does_something).unwrap_or(0) }
    }

    /// The moves of a step, one for each role: those in `chosen`, or each role's first where there are
    /// none, but for those that are made now.
    fn moves(&self, state: &RuleState<M::Facts>, joint: &[Action]) -> Joint {
        let mut moves = if state.chosen.is_empty() {
            (0..self.machine.roles().len()).map(|role| state.of(role)[0]).collect()
        } else {
            state.chosen.clone()
        };
        if state.turn == Turn::Chance {
            if let Some(role) = self.random {
                moves[role] = joint[0].0;
            }
        } else {
            for (player, action) in state.turn.movers().iter().zip(joint) {
                moves[self.roles[player]] = action.0;
            }
        }
        moves
    }

    /// Adds each player's score in a terminal state.
    pub(super) fn pay(&self, facts: &M::Facts, rewards: &mut [f64]) {
        for (reward, role) in rewards.iter_mut().zip(&self.roles) {
            let scores = self.machine.scores(facts, *role);
            let lowest = scores.iter().copied().reduce(|one, other| {
                if one.is_nan() || other.is_nan() { f64::NAN } else { one.min(other) }
            });
            *reward += self.sound(lowest.unwrap_or(0.0), *role);
            if scores.len() != 1 {
                self.flaw.get_or_init(|| {
                    let who = &self.machine.roles()[*role];
                    let [how, counts] = match scores.len() {
                        0 => ["no score", "that counts as 0"],
                        _ => ["several scores", "the lowest counts"],
                    };
                    format!("{who} has {how} in a terminal state: {counts}")
                });
            }
        }
    }

    /// What a role is paid for a score; a failure of the rules where that is none.
    fn sound(&self, score: f64, role: usize) -> f64 {
        let paid = paid(score);
        if !paid.is_nan() {
            return paid;
        }
        let who = &self.machine.roles()[role];
        let what = if score.is_nan() { String::new() } else { format!(", {score},") };
        self.fail(format!("{who} has a score{what} in a terminal state that is no number from 0 to 100"));
        0.0
    }

    /// Adds what the roles scored, state after state, to what the players get.
    fn add_scores(&self, scores: &[f64], faulty: usize, returns: &mut [f64]) {
        if faulty > 0 {
            self.flaw.get_or_init(|| {
                "a role has no legal move, or no score at the end, which counts as 0; \
                 or it has several scores, of which the lowest counts"
                    .to_owned()
            });
        }
        let states = scores.chunks(self.machine.roles().len()).zip(returns.chunks_mut(self.roles.len()));
        for (scores, returns) in states {
            for (total, role) in returns.iter_mut().zip(&self.roles) {
                // A sum of many, which is NaN where one of them is no score.
                *total += if scores[*role].is_nan() { self.sound(f64::NAN, *role) } else { scores[*role] };
            }
        }
    }

    /// Plays out some games one after the other: gives the number of steps.
    fn play_out_few(
        &self,
        start: &M::Facts,
        count: u32,
        depth: u64,
        rng: &mut kibitz_core::Rng,
        returns: &mut [f64],
    ) -> u64 {
        let mut outlook = Outlook::default();
        let mut steps = 0;
        for _ in 0..count {
            let mut facts = start.clone();
            let played = self.machine.play_on(&mut facts, depth, rng);
            steps += played;
            self.machine.outlook(&facts, &mut outlook);
            if outlook.terminal && outlook.trouble.is_none() {
                self.pay(&facts, returns);
            } else if played < depth {
                self.find_turn(&facts, &outlook); // says what is wrong
            }
        }
        steps
    }
}

impl<M: Machine> Game for RuleGame<M> {
    type State = RuleState<M::Facts>;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Self::State {
        self.look(self.machine.initial())
    }

    #[inline]
    fn turn(&self, state: &Self::State) -> Turn {
        state.turn
    }

    #[inline]
    fn legal(&self, state: &Self::State, player: usize, actions: &mut Vec<Action>) {
        actions.extend(state.of(self.roles[player]).iter().map(|number| Action(*number)));
    }

    fn step(&self, state: &mut Self::State, joint: &[Action], rewards: &mut [f64]) {
        *state = self.after(state, joint, rewards);
    }

    fn after(&self, state: &Self::State, joint: &[Action], rewards: &mut [f64]) -> Self::State {
        let moves = self.moves(state, joint);
        if state.turn != Turn::Chance && self.random.is_some_and(|role| state.of(role).len() > 1) {
            return RuleState { chosen: moves, turn: Turn::Chance, ..state.clone() };
        }
        let (mut facts, mut told) = (state.facts.clone(), Vec::new());
        self.machine.advance(&mut facts, &moves, &mut told);
        let mut after = self.look(facts);
        if !self.info.perfect_information {
            // Whoever is asked to move is told what is legal, whatever the rules say.
            for (role, told) in told.iter_mut().enumerate() {
                *told = derive(*told, after.legal.key(role));
            }
            after.past = Some(Box::new(Past { told, moves, before: state.facts.clone() }));
        }
        if after.terminal {
            self.pay(&after.facts, rewards);
        }
        after
    }

    fn action_name(&self, state: &Self::State, player: Option<usize>, action: Action) -> String {
        match player.map_or(self.random, |player| self.roles.get(player).copied()) {
            Some(role) => self.machine.move_name(&state.facts, role, action.0),
            None => "nobody has a choice".to_owned(),
        }
    }

    fn text(&self, state: &Self::State, viewer: Option<usize>) -> String {
        match self.hidden_from(viewer) {
            Some(player) => self.known(state, player).join("\n"),
            None => self.sketch().text(&self.machine.describe(&state.facts)),
        }
    }

    #[inline]
    fn observe(&self, after: &Self::State, turn: Turn, joint: &[Action], player: usize) -> Observation {
        if self.info.perfect_information {
            return Observation::of_joint(joint);
        }
        // While chance has still to move, nothing has happened that anybody could be told.
        if !after.chosen.is_empty() && turn != Turn::Chance {
            return Observation::SILENT;
        }
        let told = after.past.as_ref().and_then(|past| past.told.get(self.roles[player]).copied());
        Observation(told.unwrap_or(NOTHING))
    }

    fn observation_name(&self, step: &Transition<Self::State>, player: usize) -> String {
        if self.info.perfect_information {
            return self.moves_in_words(step);
        }
        let moves = step.after.past.as_ref().map_or(&[][..], |past| &past.moves);
        let heard = self.machine.percepts(&step.before.facts, moves, self.roles[player]);
        if heard.is_empty() { "nothing".to_owned() } else { heard.join(", ") }
    }

    fn player_name(&self, player: usize) -> String {
        self.roles.get(player).map_or_else(String::new, |role| self.machine.roles()[*role].clone())
    }

    fn chance(&self, state: &Self::State, outcomes: &mut Vec<(Action, f64)>) {
        match self.random {
            None => outcomes.push((Action(0), 1.0)),
            Some(role) => {
                let moves = state.of(role);
                outcomes.extend(moves.iter().map(|number| (Action(*number), 1.0 / moves.len() as f64)));
            }
        }
    }

    fn draw(&self, state: &Self::State, rng: &mut kibitz_core::Rng) -> Action {
        let moves = self.random.map_or(&[][..], |role| state.of(role));
        moves.get(rng.below(moves.len() as u32) as usize).map_or(Action(0), |number| Action(*number))
    }

    #[inline]
    fn random_action(
        &self,
        state: &Self::State,
        player: usize,
        _: &mut Vec<Action>,
        rng: &mut kibitz_core::Rng,
    ) -> Action {
        let moves = state.of(self.roles[player]);
        moves.get(rng.below(moves.len() as u32) as usize).map_or(Action(0), |number| Action(*number))
    }

    fn abilities(&self) -> Abilities<'_, Self::State> {
        // What holds is nobody's business where there are secrets.
        let open = self.info.perfect_information;
        Abilities {
            hash: Some(self),
            action_heuristic: Some(self),
            picture: Some(self),
            facts: Some(self),
            atoms: (open && self.machine.atoms() > 0).then_some(self),
            symmetries: (!open).then_some(self),
            batch: Some(self),
            roles: Some(self),
            faults: Some(self),
            ..Abilities::default()
        }
    }
}

impl<M: Machine> StateHash<RuleState<M::Facts>> for RuleGame<M> {
    fn hash(&self, state: &RuleState<M::Facts>) -> u64 {
        state
            .chosen
            .iter()
            .fold(self.machine.hash(&state.facts), |key, chosen| derive(key, u64::from(*chosen) + 1))
    }
}

impl<M: Machine> Svg<RuleState<M::Facts>> for RuleGame<M> {
    fn svg(&self, state: &RuleState<M::Facts>, viewer: Option<usize>) -> String {
        match self.hidden_from(viewer) {
            Some(player) => card(&self.known(state, player)),
            None => self.sketch().svg(&self.machine.describe(&state.facts)),
        }
    }
}

impl<M: Machine> ActionHeuristic<RuleState<M::Facts>> for RuleGame<M> {
    fn action_values(
        &self,
        state: &RuleState<M::Facts>,
        player: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool {
        let (role, begin) = (self.roles[player], values.len());
        self.machine.action_values(&state.facts, role, actions, values);
        if values.len() - begin == actions.len() {
            return true;
        }
        self.flaw.get_or_init(|| {
            let why = self.heuristic_of(player).err().unwrap_or_default();
            let who = self.player_name(player);
            format!("{who} has no action heuristic, since {why}: planners that ask for one go on without")
        });
        false
    }

    fn heuristics(&self) -> Vec<Result<String, String>> {
        (0..self.roles.len()).map(|player| self.heuristic_of(player)).collect()
    }
}

impl<M: Machine> Atoms<RuleState<M::Facts>> for RuleGame<M> {
    fn atom_count(&self) -> u32 {
        self.machine.atoms()
    }

    fn atoms(&self, state: &RuleState<M::Facts>, atoms: &mut Vec<u32>) {
        self.machine.append_atoms(&state.facts, atoms);
    }
}

impl<M: Machine> Facts<RuleState<M::Facts>> for RuleGame<M> {
    fn facts(&self, state: &RuleState<M::Facts>) -> Vec<String> {
        self.machine.describe(&state.facts)
    }
}

impl<M: Machine> Roles<RuleState<M::Facts>> for RuleGame<M> {
    fn roles(&self) -> Vec<(String, Option<usize>)> {
        let player = |role: usize| self.roles.iter().position(|own| *own == role);
        self.machine.roles().iter().enumerate().map(|(role, name)| (name.clone(), player(role))).collect()
    }

    fn role_moves(&self, state: &RuleState<M::Facts>, role: usize) -> Vec<String> {
        state.of(role).iter().map(|number| self.machine.move_name(&state.facts, role, *number)).collect()
    }

    fn within_turn(&self, state: &RuleState<M::Facts>) -> bool {
        !state.chosen.is_empty()
    }

    fn percepts(&self, after: &RuleState<M::Facts>, player: usize) -> Vec<String> {
        let heard = |past: &Past<_>| self.machine.percepts(&past.before, &past.moves, self.roles[player]);
        after.past.as_deref().map_or_else(Vec::new, heard)
    }
}

impl<M: Machine> Symmetries<RuleState<M::Facts>> for RuleGame<M> {
    fn symmetries(&self) -> usize {
        self.machine.symmetries().len()
    }

    fn orientation(&self, state: &RuleState<M::Facts>, symmetry: usize) -> i32 {
        self.machine.orientation(&state.facts, self.machine.symmetries()[symmetry].facts)
    }

    fn reflected(&self, state: &RuleState<M::Facts>, symmetry: usize) -> RuleState<M::Facts> {
        let Symmetry { facts: pair, moves } = &self.machine.symmetries()[symmetry];
        let mut facts = state.facts.clone();
        self.machine.exchange(&mut facts, *pair);
        let mut reflected = self.look(facts);
        if !state.chosen.is_empty() {
            let chosen = moves.iter().zip(&state.chosen);
            reflected.chosen = chosen.map(|(moves, chosen)| moves[*chosen as usize]).collect();
            reflected.turn = state.turn;
        }
        reflected
    }

    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        let moves = &self.machine.symmetries()[symmetry].moves[self.roles[player]];
        moves.get(action.0 as usize).map_or(action, |number| Action(*number))
    }
}

impl<M: Machine> Batch<RuleState<M::Facts>> for RuleGame<M> {
    fn at_once(&self) -> u32 {
        self.machine.at_once()
    }

    fn play_out_many(
        &self,
        state: &RuleState<M::Facts>,
        how: &Rollout,
        count: u32,
        rng: &mut kibitz_core::Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        if how.policy != Policy::Random || how.discount != 1.0 || !state.chosen.is_empty() {
            return None;
        }
        if state.turn == Turn::Over {
            return Some(0);
        }
        let mut scores = vec![0.0; self.machine.roles().len()];
        let depth = u64::from(how.depth).min(self.longest);
        let start = Start { facts: &state.facts, first: None };
        let played = self.machine.play_out_many(&[start], count, depth, rng, &mut scores);
        let Some((steps, faulty)) = played else {
            return Some(self.play_out_few(&state.facts, count, depth, rng, returns));
        };
        self.add_scores(&scores, faulty, returns);
        Some(steps)
    }

    fn play_out_after(
        &self,
        starts: &[(&RuleState<M::Facts>, Action)],
        how: &Rollout,
        rng: &mut kibitz_core::Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        if how.policy != Policy::Random || how.discount != 1.0 {
            return None;
        }
        let mut firsts = Vec::with_capacity(starts.len());
        for (state, action) in starts {
            let Turn::One(player) = state.turn else { return None };
            let role = self.roles[player];
            let first = Some(First { role, chosen: action.0, legal: state.of(role) });
            firsts.push(Start { facts: &state.facts, first });
        }
        let mut scores = vec![0.0; starts.len() * self.machine.roles().len()];
        let depth = u64::from(how.depth).min(self.longest);
        let (steps, faulty) = self.machine.play_out_many(&firsts, 1, depth, rng, &mut scores)?;
        self.add_scores(&scores, faulty, returns);
        Some(steps)
    }
}

impl<M: Machine> Faults<RuleState<M::Facts>> for RuleGame<M> {
    fn faults(&self) -> u64 {
        self.faults.load(Relaxed)
    }

    fn flaw(&self) -> Option<String> {
        self.flaw.get().cloned()
    }

    fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}
