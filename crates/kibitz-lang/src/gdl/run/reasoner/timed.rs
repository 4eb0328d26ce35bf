//! The reasoner in real time: each fact's lifetime is a value beside it, and stands in `true` while a state is thought
//! about. It takes all that the language allows, lifetimes that are compared with each other included.

use std::sync::Arc;

use kibitz_core::rng::derive;

use super::{Position, ReasonLimits, Reasoner, Relations};
use crate::gdl::ground::NotGround;
use crate::gdl::run::machine::{Machine, Outlook, Timed};
use crate::gdl::syntax::Rules;
use crate::gdl::times::{FOREVER, shown};

/// Derives what follows in a state of a real-time game from the rules themselves.
pub struct TimedReasoner(Reasoner);

/// A state: what holds since the last update, and how long ago that was.
#[derive(Clone)]
pub struct Moment {
    position: Arc<Position>,
    elapsed: u64,
}

impl Moment {
    /// The paper's µ(S, Δt): what still holds, for so much less, and what has expired.
    fn lapsed(&self) -> Position {
        let Position { facts, ends, lifetimes, .. } = &*self.position;
        let mut lapsed = Position::default();
        let mut begin = 0;
        for (end, ticks) in ends.iter().zip(lifetimes) {
            let words = &facts[begin as usize..*end as usize];
            begin = *end;
            if *ticks == FOREVER || *ticks > self.elapsed {
                lapsed.facts.extend(words);
                lapsed.ends.push(lapsed.facts.len() as u32);
                lapsed.lifetimes.push(if *ticks == FOREVER { FOREVER } else { ticks - self.elapsed });
            } else {
                lapsed.expired.extend(words);
            }
        }
        lapsed
    }
}

impl TimedReasoner {
    /// The machine of some rules.
    ///
    /// # Errors
    /// If what never changes cannot be derived within bounds.
    pub fn new(rules: &Rules, limits: &ReasonLimits) -> Result<TimedReasoner, NotGround> {
        Reasoner::new(rules, limits).map(TimedReasoner)
    }

    /// The paper's u(Δt, M, S), and for each role a key of what it is told.
    fn update(&self, moment: &Moment, moves: &[u32], told: &mut Vec<u64>) -> Result<Position, String> {
        let rules = &self.0;
        let Relations { next, sees, .. } = rules.relations;
        let chosen = rules.chosen(&moment.position, moves)?;
        let lapsed = moment.lapsed();
        let mut mind = rules.mind();
        let keys = |mind: &super::Mind| -> Vec<u64> {
            let heard = rules.role_terms.iter().map(|role| mind.of_role(sees, *role));
            heard.map(|heard| heard.iter().fold(1, |key, term| derive(key, mind.key(*term)))).collect()
        };
        told.clear();
        if rules.has_percepts {
            mind.think(&[sees], super::Written { expired: &[], ..lapsed.written() }, &[])?;
            let without = keys(&mind);
            mind.think(&[next, sees], lapsed.written(), &chosen)?;
            let with = keys(&mind).into_iter().zip(without);
            told.extend(with.map(|(with, without)| if with == without { 0 } else { with.max(1) }));
        } else {
            mind.think(&[next], lapsed.written(), &chosen)?;
        }
        let mut after = Position::given(&mind, next.relation, true)?;
        after.expired = lapsed.expired;
        Ok(after)
    }
}

impl Machine for TimedReasoner {
    type Facts = Moment;

    fn roles(&self) -> &[String] {
        self.0.roles()
    }

    fn has_percepts(&self) -> bool {
        self.0.has_percepts
    }

    fn initial(&self) -> Moment {
        Moment { position: self.0.initial(), elapsed: 0 }
    }

    fn outlook(&self, facts: &Moment, outlook: &mut Outlook) {
        self.0.outlook(&facts.position, outlook);
    }

    fn scores(&self, facts: &Moment, role: usize) -> Vec<f64> {
        self.0.scores(&facts.position, role)
    }

    fn advance(&self, facts: &mut Moment, moves: &[u32], told: &mut Vec<u64>) {
        let after = self.update(facts, moves, told).unwrap_or_else(|trouble| {
            told.clear();
            told.resize(self.0.roles.len(), 0);
            Position::lost(trouble, self.0.roles.len())
        });
        *facts = Moment { position: Arc::new(after), elapsed: 0 };
    }

    fn percepts(&self, facts: &Moment, moves: &[u32], role: usize) -> Vec<String> {
        let rules = &self.0;
        let Ok(chosen) = rules.chosen(&facts.position, moves) else { return Vec::new() };
        let (sees, lapsed) = (rules.relations.sees, facts.lapsed());
        let mut mind = rules.mind();
        if mind.think(&[sees], lapsed.written(), &chosen).is_err() {
            return Vec::new();
        }
        let heard = mind.of_role(sees, rules.role_terms[role]);
        heard.iter().map(|term| mind.show(*term)).collect()
    }

    fn move_name(&self, facts: &Moment, role: usize, number: u32) -> String {
        self.0.move_name(&facts.position, role, number)
    }

    fn describe(&self, facts: &Moment) -> Vec<String> {
        let Position { lifetimes, .. } = &*facts.position;
        let names = self.0.mind().show_written(&facts.position.facts);
        let left = |ticks: &u64| if *ticks == FOREVER { FOREVER } else { ticks - facts.elapsed };
        let mut lines: Vec<String> =
            names.into_iter().zip(lifetimes).map(|(name, ticks)| holds_for(name, left(ticks))).collect();
        lines.sort_unstable();
        lines
    }

    fn hash(&self, facts: &Moment) -> u64 {
        let Position { facts: words, lifetimes, expired, .. } = &*facts.position;
        let all = words.iter().chain(expired).map(|word| u64::from(*word)).chain(lifetimes.iter().copied());
        all.fold(facts.elapsed, derive)
    }
}

/// A fact in words, and how long it holds unless that is for ever.
pub(in crate::gdl::run) fn holds_for(name: String, ticks: u64) -> String {
    if ticks == FOREVER { name } else { format!("{name} for {}", shown(ticks)) }
}

impl Timed for TimedReasoner {
    fn pass(&self, facts: &mut Moment, ticks: u64) {
        facts.elapsed = facts.elapsed.saturating_add(ticks);
    }

    fn due(&self, facts: &Moment) -> Option<u64> {
        let least = facts.position.lifetimes.iter().min().filter(|ticks| **ticks < FOREVER)?;
        Some(least.saturating_sub(facts.elapsed))
    }

    fn delay(&self, facts: &Moment, role: usize, number: u32) -> Option<u64> {
        let chosen = self.0.prospect(&facts.position).chosen(role, number)?;
        self.0.mind().delay_of(chosen)
    }
}
