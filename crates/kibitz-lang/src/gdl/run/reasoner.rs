//! The machine that does not ground: each state's consequences are derived when they are needed.
//!
//! From the lowest to the highest: `reasoner/value.rs` (terms by value: order, numbers, how they are written
//! down), `reasoner/mind.rs` (deriving one state's consequences), and here the machine.

mod mind;
mod timed;
mod value;

pub use timed::TimedReasoner;
pub(super) use timed::holds_for;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use kibitz_core::rng::derive;

use super::machine::{Machine, NO_MOVE, Outlook};
use crate::gdl::compile::score;
use crate::gdl::deduce::{Halt, RelationId, STATIC_FACTS, TermId};
use crate::gdl::ground::NotGround;
use crate::gdl::syntax::Rules;
use mind::{Mind, Output, Relations, Written};
use value::numbers;

/// Derives what follows in a state from the rules themselves.
pub struct Reasoner {
    mind: Mutex<Mind>,
    relations: Relations,
    roles: Vec<String>,
    role_terms: Vec<TermId>,
    has_percepts: bool,
    initial: Arc<Position>,
}

/// A state: what holds, and what may be done.
#[derive(Default)]
pub struct Position {
    /// The facts as they are written down.
    facts: Vec<u32>,
    /// Where facts have lifetimes: where each ends in the words, how long it still holds,
    ends: Vec<u32>,
    lifetimes: Vec<u64>,
    /// and what has expired by what led here.
    expired: Vec<u32>,
    /// What can be said of it; found out when it is first asked for.
    prospect: OnceLock<Prospect>,
}

impl Position {
    /// One that cannot be derived.
    fn lost(trouble: String, roles: usize) -> Position {
        Position { prospect: OnceLock::from(Prospect::lost(trouble, roles)), ..Position::default() }
    }

    /// What a relation's atoms give, `init` or `next`.
    fn given(mind: &Mind, relation: RelationId, timed: bool) -> Result<Position, String> {
        if !timed {
            return Ok(Position { facts: mind.write_all(relation), ..Position::default() });
        }
        let mut position = Position::default();
        for (words, ticks) in mind.write_timed(relation)? {
            position.facts.extend(words);
            position.ends.push(position.facts.len() as u32);
            position.lifetimes.push(ticks);
        }
        Ok(position)
    }

    fn written(&self) -> Written<'_> {
        Written { facts: &self.facts, lifetimes: &self.lifetimes, expired: &self.expired }
    }
}

/// What can be said of a state, with the moves as they are written down.
#[derive(Default)]
struct Prospect {
    outlook: Outlook,
    words: Vec<u32>,
    /// By move, those of all roles one after the other: where it ends in the words.
    ends: Vec<u32>,
}

impl Prospect {
    /// That of a state which cannot be derived.
    fn lost(trouble: String, roles: usize) -> Prospect {
        let outlook = Outlook { ends: vec![0; roles], trouble: Some(trouble), ..Outlook::default() };
        Prospect { outlook, ..Prospect::default() }
    }

    /// The words of a role's move.
    fn chosen(&self, role: usize, number: u32) -> Option<&[u32]> {
        let begin = if role == 0 { 0 } else { *self.outlook.ends.get(role - 1)? as usize };
        let place = begin + self.outlook.of(role).iter().position(|other| *other == number)?;
        let first = if place == 0 { 0 } else { self.ends[place - 1] };
        Some(&self.words[first as usize..self.ends[place] as usize])
    }
}

/// How far the reasoner may go.
#[derive(Clone, Copy, Debug)]
pub struct ReasonLimits {
    /// Atoms that joins look at for one state. From 1; 100 million by default.
    pub steps: u64,
    /// Atoms that follow in one state. From 1; 5 million by default.
    pub atoms: usize,
    /// Atoms of relations that never change and depend on each other, of which more are derived on demand.
    /// From 1; 300,000 by default.
    pub static_facts: usize,
    /// Terms of the rules, of what never changes and of one state together. From 1; 20 million by default.
    pub terms: usize,
    /// Time for what is derived before the first move; 20 seconds by default.
    pub time: Duration,
}

impl Default for ReasonLimits {
    fn default() -> ReasonLimits {
        ReasonLimits {
            steps: 100_000_000,
            atoms: 5_000_000,
            static_facts: STATIC_FACTS,
            terms: 20_000_000,
            time: Duration::from_secs(20),
        }
    }
}

impl ReasonLimits {
    /// Which limit was hit, in a sentence, where `what` was being derived.
    fn sentence(&self, halt: Halt, what: &str) -> String {
        match halt {
            Halt::Unsafe(_) => "a variable of a rule is given no value".to_owned(),
            Halt::Depth => format!("a function grows without end in {what}"),
            Halt::Steps => {
                format!("{what} takes more than {} steps to derive (limit.state_steps)", self.steps)
            }
            Halt::Size => format!("{what} is more than {} facts (limit.state_facts)", self.atoms),
        }
    }
}

impl Reasoner {
    /// The machine of some rules.
    ///
    /// # Errors
    /// If what never changes cannot be derived within bounds.
    pub fn new(rules: &Rules, limits: &ReasonLimits) -> Result<Reasoner, NotGround> {
        let mind = Mind::of(rules, limits)?;
        let relations = mind.relations;
        let role_terms = mind.inner(relations.role);
        let roles = role_terms.iter().map(|role| mind.show(*role)).collect();
        let initial = Arc::new(
            Position::given(&mind, relations.init, rules.timed)
                .map_err(|why| NotGround { why, rule: None })?,
        );
        let has_percepts = rules.has_percepts();
        Ok(Reasoner { mind: Mutex::new(mind), relations, roles, role_terms, has_percepts, initial })
    }

    fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What can be said of a state. Whoever has the mind must not ask: to find out takes it.
    fn prospect<'a>(&self, position: &'a Position) -> &'a Prospect {
        position.prospect.get_or_init(|| {
            let Relations { legal, terminal, .. } = self.relations;
            let mut mind = self.mind();
            if let Err(trouble) = mind.think(&[legal, terminal], position.written(), &[]) {
                return Prospect::lost(trouble, self.roles.len());
            }
            let mut prospect = Prospect::default();
            let outlook = &mut prospect.outlook;
            outlook.terminal = mind.holds(terminal);
            for role in &self.role_terms {
                let moves = mind.of_role(legal, *role);
                outlook.moves.extend(numbers(moves.iter().map(|term| mind.key(*term))));
                outlook.ends.push(outlook.moves.len() as u32);
                for term in moves {
                    mind.write(term, &mut prospect.words);
                    prospect.ends.push(prospect.words.len() as u32);
                }
            }
            prospect
        })
    }

    /// Each role with the words of its move, but for those that make none; a sentence if one is not legal.
    fn chosen<'a>(
        &self,
        position: &'a Position,
        moves: &[u32],
    ) -> Result<Vec<(TermId, &'a [u32])>, String> {
        let prospect = self.prospect(position);
        if let Some(trouble) = &prospect.outlook.trouble {
            return Err(trouble.clone());
        }
        let mut chosen = Vec::with_capacity(moves.len());
        for (role, number) in moves.iter().enumerate().filter(|(_, number)| **number != NO_MOVE) {
            let words = prospect.chosen(role, *number);
            let who = &self.roles[role];
            let words =
                words.ok_or_else(|| format!("{number} is not the number of a legal move of {who}"))?;
            chosen.push((self.role_terms[role], words));
        }
        Ok(chosen)
    }

    /// The mind when it has thought of what the roles' moves lead to; a sentence if it cannot.
    fn successors_of(
        &self,
        asked: &[Output],
        position: &Position,
        moves: &[u32],
    ) -> Result<MutexGuard<'_, Mind>, String> {
        let chosen = self.chosen(position, moves)?;
        let mut mind = self.mind();
        mind.think(asked, position.written(), &chosen)?;
        Ok(mind)
    }
}

impl Machine for Reasoner {
    type Facts = Arc<Position>;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn has_percepts(&self) -> bool {
        self.has_percepts
    }

    fn initial(&self) -> Arc<Position> {
        self.initial.clone()
    }

    fn outlook(&self, position: &Arc<Position>, outlook: &mut Outlook) {
        outlook.clone_from(&self.prospect(position).outlook);
    }

    fn scores(&self, position: &Arc<Position>, role: usize) -> Vec<f64> {
        let mut mind = self.mind();
        let goal = self.relations.goal;
        if mind.think(&[goal], position.written(), &[]).is_err() {
            return Vec::new();
        }
        let scores = mind.of_role(goal, self.role_terms[role]);
        scores.iter().map(|term| score(&mind.show(*term))).collect()
    }

    fn advance(&self, position: &mut Arc<Position>, moves: &[u32], told: &mut Vec<u64>) {
        let Relations { next, sees, .. } = self.relations;
        if self.has_percepts {
            told.clear();
        }
        let after = match self.successors_of(&[next, sees], position, moves) {
            Err(trouble) => Position::lost(trouble, self.roles.len()),
            Ok(mind) => {
                if self.has_percepts {
                    for role in &self.role_terms {
                        let heard = mind.of_role(sees, *role);
                        told.push(heard.iter().fold(0, |key, term| derive(key, mind.key(*term))));
                    }
                }
                Position { facts: mind.write_all(next.relation), ..Position::default() }
            }
        };
        *position = Arc::new(after);
    }

    fn percepts(&self, position: &Arc<Position>, moves: &[u32], role: usize) -> Vec<String> {
        let sees = self.relations.sees;
        let Ok(mind) = self.successors_of(&[sees], position, moves) else { return Vec::new() };
        let heard = mind.of_role(sees, self.role_terms[role]);
        heard.iter().map(|term| mind.show(*term)).collect()
    }

    fn move_name(&self, position: &Arc<Position>, role: usize, number: u32) -> String {
        let words = self.prospect(position).chosen(role, number);
        words.map_or_else(String::new, |words| self.mind().show_written(words).join(" "))
    }

    fn describe(&self, position: &Arc<Position>) -> Vec<String> {
        let mut names = self.mind().show_written(&position.facts);
        names.sort_unstable();
        names
    }

    fn hash(&self, position: &Arc<Position>) -> u64 {
        position.facts.iter().fold(1, |key, word| derive(key, u64::from(*word)))
    }
}
