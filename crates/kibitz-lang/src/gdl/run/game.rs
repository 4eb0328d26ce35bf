//! A machine as a game of the core: who moves when, what is seen, what is paid.
//!
//! In these languages all roles move at once, all the time. Who has but one legal move has nothing
//! to decide: a step asks only the others, so that games that take turns look like it. A role called
//! `random` is chance, and moves after the players have chosen. Nobody is paid before the end; then
//! the return is the score that the rules give, 0 to 100.

mod abilities;
mod playouts;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use kibitz_core::abilities::Abilities;
use kibitz_core::game::{Action, Game, Info, Observation, Players, Transition, Turn};
use kibitz_core::rng::derive;

use super::legal::{Joint, Legal, OUTLOOK, as_likely, one_of};
use super::machine::{Machine, Outlook, paid};
use crate::gdl::picture::{Hints, Sketch};

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
            Some(role) => outcomes.extend(as_likely(state.of(role))),
        }
    }

    fn draw(&self, state: &Self::State, rng: &mut kibitz_core::Rng) -> Action {
        one_of(self.random.map_or(&[], |role| state.of(role)), rng)
    }

    #[inline]
    fn random_action(
        &self,
        state: &Self::State,
        player: usize,
        _: &mut Vec<Action>,
        rng: &mut kibitz_core::Rng,
    ) -> Action {
        one_of(state.of(self.roles[player]), rng)
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
