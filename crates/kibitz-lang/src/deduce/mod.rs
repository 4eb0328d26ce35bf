//! Deduction: what follows from the rules, bottom-up (semi-naive evaluation with indexed joins).
//!
//! Grounding and the reasoner that does not ground are both built on it. From the lowest to the
//! highest: `terms.rs` (ground terms as numbers), `program.rs` (rules with numbered variables and
//! their order), `separate.rs` (relations that negate parts of themselves), `demand.rs` (only what is
//! asked for), `store.rs` (what was derived), `join.rs` (how one rule is joined), and here the engine
//! that saturates one group of relations after the other.

mod demand;
mod join;
mod program;
mod separate;
mod store;
mod terms;

pub use demand::{Demands, add_demands};
pub use join::{Negation, build, resolve};
pub use program::{AtomPattern, Condition, Pattern, Program, Relation, RelationId, Rule, components};
pub use store::Store;
pub use terms::{TermId, Terms};

use std::time::Instant;

use join::{Join, Plan};

/// Why deduction stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// More atoms were looked at than the limit allows, or for too long.
    Steps,
    /// There are more atoms, or more rules, than the limit allows.
    Size,
    /// Terms are nested more deeply than any sensible game needs: a function grows without end.
    Depth,
    /// A rule has a variable that nothing gives a value to.
    Unsafe(usize),
}

/// Terms nested more deeply than this are taken to grow without end.
const DEEPEST: usize = 40;

/// One group of relations that depend on each other.
#[derive(Clone, Debug)]
struct Group {
    relations: Vec<RelationId>,
    /// The rules that need nothing of the group itself.
    first: Vec<Plan>,
    /// By relation of the group: the plans that start from a new atom of it.
    seeded: Vec<(RelationId, Vec<Plan>)>,
}

/// Told of every instance of a rule that is found: its number and the values of its variables.
pub type Emit<'a> = &'a mut dyn FnMut(&mut Terms, usize, TermId, &[TermId]) -> Result<(), Halt>;

/// Rules with what was derived from them so far.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The rules.
    pub program: Program,
    /// What was derived.
    pub store: Store,
    /// How many atoms may still be looked at.
    pub steps: u64,
    /// When to give up, if ever.
    pub deadline: Option<Instant>,
    /// How many atoms there may be.
    pub most_atoms: usize,
    negation: Negation,
    groups: Vec<Vec<RelationId>>,
    /// Plans of the groups that were saturated before, for the next time.
    planned: Vec<Option<Group>>,
}

impl Engine {
    /// An engine with nothing derived yet.
    pub fn new(program: Program, negation: Negation, steps: u64, most_atoms: usize) -> Engine {
        let groups = program.groups(negation == Negation::Open);
        let store = Store::new(program.relations.len());
        let planned = vec![None; groups.len()];
        Engine { program, store, steps, deadline: None, most_atoms, negation, groups, planned }
    }

    /// Adds an atom that is given.
    pub fn assert(&mut self, relation: RelationId, atom: TermId) {
        self.store.add(&self.program.terms, relation, atom);
    }

    /// Derives all that follows in the groups for which `wanted` holds (of the group's first
    /// relation), and tells `emit` of each instance.
    ///
    /// # Errors
    /// Where a limit is hit.
    pub fn saturate(&mut self, wanted: impl Fn(&Relation) -> bool, emit: Emit) -> Result<(), Halt> {
        for number in 0..self.groups.len() {
            let group = &self.groups[number];
            if !wanted(&self.program.relations[group[0].index()]) {
                continue;
            }
            let group = match self.planned[number].take() {
                Some(group) => group,
                None => self.plan(number),
            };
            let ended = self.saturate_group(&group, emit);
            self.planned[number] = Some(group);
            ended?;
        }
        Ok(())
    }

    fn plan(&mut self, number: usize) -> Group {
        let relations = self.groups[number].clone();
        let mut group = Group { first: Vec::new(), seeded: Vec::new(), relations };
        for rule in 0..self.program.rules.len() {
            if !group.relations.contains(&self.program.rules[rule].head.relation) {
                continue;
            }
            let body = &self.program.rules[rule].body;
            let seeds: Vec<(usize, RelationId)> = (0..body.len())
                .filter_map(|index| match &body[index] {
                    Condition::Positive(atom) if group.relations.contains(&atom.relation) => {
                        Some((index, atom.relation))
                    }
                    _ => None,
                })
                .collect();
            let (program, store) = (&self.program, &mut self.store);
            if seeds.is_empty() {
                group.first.push(Plan::new(program, store, rule, None, &group.relations, self.negation));
            }
            for (index, relation) in seeds {
                let plan = Plan::new(program, store, rule, Some(index), &group.relations, self.negation);
                match group.seeded.iter_mut().find(|(known, _)| *known == relation) {
                    Some((_, plans)) => plans.push(plan),
                    None => group.seeded.push((relation, vec![plan])),
                }
            }
        }
        group
    }

    fn saturate_group(&mut self, group: &Group, emit: Emit) -> Result<(), Halt> {
        let mut agenda: Vec<(RelationId, TermId)> = group
            .relations
            .iter()
            .flat_map(|relation| self.store.atoms(*relation).iter().map(|atom| (*relation, *atom)))
            .collect();
        for plan in &group.first {
            self.apply(plan, None, &mut agenda, emit)?;
        }
        let mut next = 0;
        while let Some(&(relation, atom)) = agenda.get(next) {
            next += 1;
            let Some((_, plans)) = group.seeded.iter().find(|(known, _)| *known == relation) else {
                continue;
            };
            for plan in plans {
                self.apply(plan, Some(atom), &mut agenda, emit)?;
            }
        }
        Ok(())
    }

    /// Finds a plan's instances, derives their heads and puts new ones on the agenda.
    fn apply(
        &mut self,
        plan: &Plan,
        seed: Option<TermId>,
        agenda: &mut Vec<(RelationId, TermId)>,
        emit: Emit,
    ) -> Result<(), Halt> {
        let variables = self.program.rules[plan.rule].variables;
        let mut instances: Vec<TermId> = Vec::new();
        let mut count = 0;
        let mut join = Join::new(&self.program.terms, &self.store, &mut self.steps, self.deadline);
        join.run(plan, seed, variables, &mut |values| {
            count += 1;
            instances.extend_from_slice(values);
        });
        if self.steps == 0 {
            return Err(Halt::Steps);
        }
        let width = usize::from(variables);
        for instance in 0..count {
            let values = &instances[instance * width..(instance + 1) * width];
            let terms = &mut self.program.terms;
            let head = &self.program.rules[plan.rule].head;
            let before = terms.len();
            let atom = build(terms, &head.pattern, values).ok_or(Halt::Unsafe(plan.rule))?;
            if terms.len() > before && terms.depth(atom, DEEPEST + 1) > DEEPEST {
                return Err(Halt::Depth);
            }
            if self.store.add(terms, head.relation, atom) {
                agenda.push((head.relation, atom));
                if agenda.len() > self.most_atoms {
                    return Err(Halt::Size);
                }
            }
            emit(terms, plan.rule, atom, values)?;
        }
        Ok(())
    }
}
