//! The machine that does not ground: each state's consequences are derived when they are needed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kibitz_core::rng::derive;

use super::machine::{Machine, Outlook};
use crate::deduce::{Engine, Halt, Negation, Program, RelationId, TermId};
use crate::ground::OUTPUTS;
use crate::syntax::{Rules, Symbol};

/// Derives what follows in a state from the rules themselves.
pub struct Reasoner {
    mind: Mutex<Mind>,
    roles: Vec<String>,
    role_terms: Vec<TermId>,
    has_percepts: bool,
    initial: Vec<TermId>,
}

struct Mind {
    engine: Engine,
    relations: Relations,
}

/// The relations that the language itself knows.
#[derive(Clone, Copy)]
struct Relations {
    truth: RelationId,
    does: RelationId,
    next: RelationId,
    legal: RelationId,
    goal: RelationId,
    terminal: RelationId,
    sees: RelationId,
}

/// Atoms that may be looked at for one state.
const STEPS: u64 = 200_000_000;
/// Atoms that may follow in one state.
const ATOMS: usize = 5_000_000;

impl Reasoner {
    /// The machine of some rules.
    ///
    /// # Errors
    /// A sentence, if what never changes cannot be derived within bounds.
    pub fn new(rules: &Rules) -> Result<Reasoner, String> {
        let mut program = Program::new(rules);
        program.keep_relevant(&OUTPUTS);
        let relations = Relations {
            truth: program.relation(Symbol::TRUE, 1),
            does: program.relation(Symbol::DOES, 2),
            next: program.relation(Symbol::NEXT, 1),
            legal: program.relation(Symbol::LEGAL, 2),
            goal: program.relation(Symbol::GOAL, 2),
            terminal: program.relation(Symbol::TERMINAL, 0),
            sees: program.relation(Symbol::SEES, 2),
        };
        let (role, init) = (program.relation(Symbol::ROLE, 1), program.relation(Symbol::INIT, 1));
        program.mark_dynamic();
        let mut engine = Engine::new(program, Negation::Exact, STEPS, ATOMS);
        engine.saturate(|relation| !relation.dynamic, &mut |_, _, _, _| Ok(())).map_err(
            |halt| match halt {
                Halt::Unsafe(_) => "a variable of a rule is given no value".to_owned(),
                Halt::Depth => "a function grows without end".to_owned(),
                _ => "what never changes is too much to derive".to_owned(),
            },
        )?;
        let inner = |relation| -> Vec<TermId> {
            let atoms = engine.store.atoms(relation).iter();
            atoms.map(|atom| engine.program.terms.args(*atom)[0]).collect()
        };
        let (role_terms, mut initial) = (inner(role), inner(init));
        initial.sort_unstable();
        let show = |term: &TermId| engine.program.terms.show(&engine.program.symbols, *term);
        let roles = role_terms.iter().map(show).collect();
        let has_percepts = engine.program.rules.iter().any(|rule| rule.head.relation == relations.sees);
        let mind = Mutex::new(Mind { engine, relations });
        Ok(Reasoner { mind, roles, role_terms, has_percepts, initial })
    }

    fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mind {
    /// Derives what follows from facts and moves.
    fn think(&mut self, facts: &[TermId], roles: &[TermId], moves: &[u32]) {
        let engine = &mut self.engine;
        engine.steps = STEPS;
        let changing: Vec<RelationId> = (0..engine.program.relations.len())
            .filter(|number| engine.program.relations[*number].dynamic)
            .map(|number| RelationId(number as u32))
            .collect();
        engine.store.clear(changing.into_iter());
        for fact in facts {
            let atom = engine.program.terms.intern(Symbol::TRUE, &[*fact]);
            engine.assert(self.relations.truth, atom);
        }
        for (role, chosen) in roles.iter().zip(moves) {
            let atom = engine.program.terms.intern(Symbol::DOES, &[*role, TermId(*chosen)]);
            engine.assert(self.relations.does, atom);
        }
        // Where a bound is hit, what was derived so far stands; the static checks rule that out
        // for all but absurd rules.
        let _ = engine.saturate(|relation| relation.dynamic, &mut |_, _, _, _| Ok(()));
    }

    /// The second arguments of a relation's atoms whose first is the role, ascending.
    fn of_role(&self, relation: RelationId, role: TermId) -> Vec<TermId> {
        let terms = &self.engine.program.terms;
        let atoms = self.engine.store.atoms(relation).iter();
        let own = atoms.filter(|atom| terms.args(**atom)[0] == role);
        let mut found: Vec<TermId> = own.map(|atom| terms.args(*atom)[1]).collect();
        found.sort_unstable();
        found
    }

    fn show(&self, term: TermId) -> String {
        self.engine.program.terms.show(&self.engine.program.symbols, term)
    }
}

impl Machine for Reasoner {
    type Facts = Vec<TermId>;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn has_percepts(&self) -> bool {
        self.has_percepts
    }

    fn initial(&self) -> Vec<TermId> {
        self.initial.clone()
    }

    fn outlook(&self, facts: &Vec<TermId>, outlook: &mut Outlook) {
        let mut mind = self.mind();
        mind.think(facts, &[], &[]);
        outlook.terminal = !mind.engine.store.atoms(mind.relations.terminal).is_empty();
        outlook.moves.clear();
        outlook.ends.clear();
        for role in &self.role_terms {
            outlook.moves.extend(mind.of_role(mind.relations.legal, *role).iter().map(|term| term.0));
            outlook.ends.push(outlook.moves.len() as u32);
        }
    }

    fn scores(&self, facts: &Vec<TermId>, role: usize) -> Vec<f64> {
        let mut mind = self.mind();
        mind.think(facts, &[], &[]);
        let scores = mind.of_role(mind.relations.goal, self.role_terms[role]);
        scores.iter().map(|score| mind.show(*score).parse().unwrap_or(0.0)).collect()
    }

    fn advance(&self, facts: &mut Vec<TermId>, moves: &[u32], told: &mut Vec<u64>) {
        let mut mind = self.mind();
        mind.think(facts, &self.role_terms, moves);
        facts.clear();
        let terms = &mind.engine.program.terms;
        facts.extend(mind.engine.store.atoms(mind.relations.next).iter().map(|atom| terms.args(*atom)[0]));
        facts.sort_unstable();
        if self.has_percepts {
            told.clear();
            for role in &self.role_terms {
                let heard = mind.of_role(mind.relations.sees, *role);
                told.push(heard.iter().fold(0, |key, term| derive(key, u64::from(term.0) + 1)));
            }
        }
    }

    fn percepts(&self, facts: &Vec<TermId>, moves: &[u32], role: usize) -> Vec<String> {
        let mut mind = self.mind();
        mind.think(facts, &self.role_terms, moves);
        let heard = mind.of_role(mind.relations.sees, self.role_terms[role]);
        heard.iter().map(|term| mind.show(*term)).collect()
    }

    fn move_name(&self, _: usize, number: u32) -> String {
        self.mind().show(TermId(number))
    }

    fn describe(&self, facts: &Vec<TermId>) -> Vec<String> {
        let mind = self.mind();
        let mut names: Vec<String> = facts.iter().map(|fact| mind.show(*fact)).collect();
        names.sort_unstable();
        names
    }

    fn hash(&self, facts: &Vec<TermId>) -> u64 {
        facts.iter().fold(1, |key, fact| derive(key, u64::from(fact.0)))
    }
}
