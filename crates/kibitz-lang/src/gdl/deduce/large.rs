//! Relations that never change, but are too much to be derived as a whole.
//!
//! ```text
//! (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
//! ```
//! over 4,000 numbers has eight million atoms, and a state asks about three of them. What never changes is
//! derived once and for all where that is little; a *large* relation, and all that depends on it, is
//! treated like those that change instead, and so derived on demand.

use std::time::Instant;

use super::program::{AtomPattern, Pattern, Program, RelationId, Rule};
use super::{Engine, Halt, Negation, add_demands};
use crate::gdl::syntax::{Symbol, Symbols};

/// How many atoms relations that depend on each other may have before they are large.
pub const STATIC_FACTS: usize = 300_000;

/// Atoms that may be looked at for each of them.
const STEPS: u64 = 32;

/// What a game has from the start, and what nothing can ask for on demand.
const SETTLED: [(Symbol, usize); 2] = [(Symbol::ROLE, 1), (Symbol::INIT, 1)];

impl Program {
    /// Finds the large relations of a program whose changing relations are marked, and marks them and what
    /// depends on them as changing; but for the roles and what holds at the start, which become facts.
    /// Large is what has more than `most` atoms.
    ///
    /// # Errors
    /// Where a limit is hit by that, with the rule that was being applied.
    pub fn set_large_apart(
        &mut self,
        most: usize,
        deadline: Option<Instant>,
    ) -> Result<(), (Halt, Option<u32>)> {
        let steps = STEPS.saturating_mul(most as u64);
        let mut engine = Engine::new(self.clone(), Negation::Exact, steps, usize::MAX);
        engine.deadline = deadline;
        let mut is_derived = vec![false; self.relations.len()];
        for rule in &self.rules {
            is_derived[rule.head.relation.index()] |= !rule.body.is_empty();
        }
        let is_late = || deadline.is_some_and(|deadline| Instant::now() > deadline);
        for number in 0..engine.groups.len() {
            let relations = engine.groups[number].clone();
            if is_late() {
                break;
            }
            if relations.iter().any(|relation| self.relations[relation.index()].dynamic) {
                continue;
            }
            let is_derived = relations.iter().any(|relation| is_derived[relation.index()]);
            // What the game itself asks for, it asks for as a whole.
            let is_output =
                |relation: &RelationId| Symbols::is_keyword(self.relations[relation.index()].name);
            let may_be_large = is_derived && !relations.iter().any(is_output);
            // Of facts there are no more than a file has.
            (engine.steps, engine.most_atoms) =
                if is_derived { (steps, most) } else { (u64::MAX, usize::MAX) };
            let group = engine.plan(number);
            let ended = engine.saturate_group(&group, &mut |_, _, _, _| Ok(()));
            // Of what else is wrong with it, whoever derives it will say so.
            if matches!(ended, Err(Halt::Size | Halt::Steps)) && may_be_large && !is_late() {
                self.make_large(&relations);
            }
        }
        self.settle(most.max(STATIC_FACTS), deadline)
    }

    /// Whether a relation that never changes is derived on demand.
    pub fn has_large(&self) -> bool {
        self.relations.iter().any(|relation| relation.large)
    }

    fn is_settled(&self, relation: RelationId) -> bool {
        SETTLED.iter().any(|(name, arity)| self.find(*name, *arity) == Some(relation))
    }

    /// Marks large relations and those that depend on them.
    fn make_large(&mut self, relations: &[RelationId]) {
        let is_static = |program: &Program| -> Vec<bool> {
            program.relations.iter().map(|relation| !relation.dynamic).collect()
        };
        let before = is_static(self);
        relations.iter().for_each(|relation| self.relations[relation.index()].large = true);
        self.mark_dynamic();
        for (number, now) in is_static(self).into_iter().enumerate() {
            let relation = RelationId(number as u32);
            if before[number] && !now && !self.is_settled(relation) {
                self.relations[number].large = true;
                self.keep_facts(relation);
            }
        }
        // Facts of their own are new.
        self.mark_dynamic();
    }

    /// Facts of a large relation stay facts, of a relation of their own.
    fn keep_facts(&mut self, relation: RelationId) {
        let arity = self.relations[relation.index()].arity;
        let stem = self.symbols.fresh("given");
        let given = self.relation(stem, arity);
        for number in 0..self.rules.len() {
            let rule = &self.rules[number];
            if rule.head.relation != relation || !rule.body.is_empty() {
                continue;
            }
            let args = match &rule.head.pattern {
                Pattern::Ground(id) => {
                    self.terms.args(*id).iter().map(|arg| Pattern::Ground(*arg)).collect()
                }
                Pattern::Compound(_, args) => args.clone(),
                Pattern::Variable(_) => continue,
            };
            let pattern = self.compound(stem, args);
            self.rules[number].head = AtomPattern { relation: given, pattern };
        }
        self.add_copy(self.relations[relation.index()].name, stem, arity);
        if let Some(rule) = self.rules.last_mut() {
            rule.silent = false;
        }
    }

    /// Makes facts of the roles and of what holds at the start, where they depend on large relations.
    fn settle(&mut self, most: usize, deadline: Option<Instant>) -> Result<(), (Halt, Option<u32>)> {
        let settled: Vec<RelationId> =
            SETTLED.iter().filter_map(|(name, arity)| self.find(*name, *arity)).collect();
        if !settled.iter().any(|relation| self.relations[relation.index()].dynamic) {
            return Ok(());
        }
        let names = SETTLED.map(|(name, _)| name);
        let mut program = self.clone();
        program.keep_relevant(&names);
        let demands = add_demands(&mut program, &names, false);
        let mut engine = Engine::new(program, Negation::Exact, 10 * STEPS * most as u64, 10 * most);
        engine.deadline = deadline;
        for demand in settled.iter().filter_map(|relation| demands[relation.index()]) {
            let name = engine.program.relations[demand.index()].name;
            let atom = engine.program.terms.intern(name, &[]);
            engine.assert(demand, atom);
        }
        engine
            .saturate(|_| true, &mut |_, _, _, _| Ok(()))
            .map_err(|halt| (halt, engine.at.and_then(|rule| engine.program.rules[rule].source)))?;
        let Engine { program, store, .. } = engine;
        // Terms bear names, those of demands among them.
        (self.terms, self.symbols) = (program.terms, program.symbols);
        self.rules.retain(|rule| !settled.contains(&rule.head.relation));
        for relation in settled {
            self.rules.extend(store.atoms(relation).iter().map(|atom| Rule {
                head: AtomPattern { relation, pattern: Pattern::Ground(*atom) },
                body: Vec::new(),
                variables: 0,
                silent: false,
                source: None,
            }));
        }
        self.mark_dynamic();
        Ok(())
    }
}
