//! Deduction: what follows from the rules, bottom-up (semi-naive evaluation with indexed joins).
//!
//! Grounding and the reasoner that does not ground are both built on it. From the lowest to the
//! highest: `terms.rs` (ground terms as numbers), `program.rs` (rules with numbered variables and
//! their order), `separate.rs` (relations that negate parts of themselves), `demand.rs` (only what is
//! asked for), `store.rs` (what was derived), `join.rs` (how one rule is joined), here the engine
//! that saturates one group of relations after the other, and `large.rs` (what never changes, but is too
//! much to be derived as a whole).

mod demand;
mod join;
mod large;
mod program;
mod separate;
mod store;
mod terms;

pub use demand::{Demands, add_demands};
pub use join::{Negation, build, resolve};
pub use large::STATIC_FACTS;
pub use program::{AtomPattern, Condition, Pattern, Program, Relation, RelationId, Rule};
pub use store::Store;
pub use terms::{TermId, Terms};

use std::time::Instant;

use join::{Join, Plan};
use rustc_hash::FxHashMap;

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

/// Values of variables that the instances of one rule may have together when they are found: 200 MB.
const MOST_VALUES: usize = 50_000_000;

/// One group of relations that depend on each other.
#[derive(Clone, Debug)]
struct Group {
    relations: Vec<RelationId>,
    /// The rules that need nothing of the group itself.
    first: Vec<Plan>,
    /// By relation, in the order of `relations`: the plans that start from a new atom of it.
    seeded: Vec<Seeded>,
}

/// The plans that start from a new atom of one relation.
#[derive(Clone, Debug, Default)]
struct Seeded {
    plans: Vec<Plan>,
    /// Those that start from any atom.
    open: Vec<usize>,
    /// Those that start from this atom and no other: rules without variables may be many.
    exact: FxHashMap<TermId, Vec<usize>>,
}

impl Seeded {
    fn add(&mut self, plan: Plan) {
        let number = self.plans.len();
        match plan.exact_seed() {
            Some(atom) => self.exact.entry(atom).or_default().push(number),
            None => self.open.push(number),
        }
        self.plans.push(plan);
    }

    /// The plans that may start from an atom, in the order of their rules.
    #[inline]
    fn of(&self, atom: TermId) -> impl Iterator<Item = &Plan> {
        let mut exact = self.exact.get(&atom).map_or(&[][..], Vec::as_slice);
        let mut open = self.open.as_slice();
        std::iter::from_fn(move || {
            let from = match (exact.first(), open.first()) {
                (Some(one), Some(other)) if one < other => &mut exact,
                (Some(_), None) => &mut exact,
                _ => &mut open,
            };
            let (number, rest) = from.split_first()?;
            *from = rest;
            Some(&self.plans[*number])
        })
    }
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
    /// The rule that was being applied when a limit was hit.
    pub at: Option<usize>,
    negation: Negation,
    groups: Vec<Vec<RelationId>>,
    /// By relation: its group, and its place there.
    member: Vec<(usize, usize)>,
    /// By relation: the rules whose head it is.
    rules: Vec<Vec<usize>>,
    /// Counts what is done between two looks at the clock.
    ticks: u32,
    /// Plans of the groups that were saturated before, for the next time.
    planned: Vec<Option<Group>>,
}

impl Engine {
    /// An engine with nothing derived yet.
    pub fn new(program: Program, negation: Negation, steps: u64, most_atoms: usize) -> Engine {
        let groups = program.groups(negation == Negation::Open);
        let store = Store::new(program.relations.len());
        let planned = vec![None; groups.len()];
        let mut member = vec![(0, 0); program.relations.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(place, of)| member[of.index()] = (number, place));
        }
        let mut rules = vec![Vec::new(); program.relations.len()];
        for (number, rule) in program.rules.iter().enumerate() {
            rules[rule.head.relation.index()].push(number);
        }
        Engine {
            program,
            store,
            steps,
            deadline: None,
            most_atoms,
            at: None,
            negation,
            groups,
            member,
            rules,
            ticks: 0,
            planned,
        }
    }

    /// Looks at the clock now and then.
    ///
    /// # Errors
    /// After the deadline.
    fn tick(&mut self) -> Result<(), Halt> {
        self.ticks = self.ticks.wrapping_add(1);
        let looks = self.ticks.is_multiple_of(1 << 10);
        if looks && self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            self.steps = 0;
            return Err(Halt::Steps);
        }
        Ok(())
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

    /// Plans what is left to be planned, by what is there now.
    pub fn plan_all(&mut self) {
        for number in 0..self.groups.len() {
            if self.planned[number].is_none() {
                self.planned[number] = Some(self.plan(number));
            }
        }
    }

    fn plan(&mut self, number: usize) -> Group {
        let relations = self.groups[number].clone();
        let mut group =
            Group { first: Vec::new(), seeded: vec![Seeded::default(); relations.len()], relations };
        let own = group.relations.iter().flat_map(|relation| &self.rules[relation.index()]);
        let mut rules: Vec<usize> = own.copied().collect();
        rules.sort_unstable();
        let (program, store, member) = (&self.program, &mut self.store, &self.member);
        let is_own = |relation: RelationId| member[relation.index()].0 == number;
        for rule in rules {
            let body = &program.rules[rule].body;
            let mut seeds = 0;
            for (index, condition) in body.iter().enumerate() {
                let Condition::Positive(atom) = condition else { continue };
                if is_own(atom.relation) {
                    let plan = Plan::new(program, store, rule, Some(index), &is_own, self.negation);
                    group.seeded[member[atom.relation.index()].1].add(plan);
                    seeds += 1;
                }
            }
            if seeds == 0 {
                group.first.push(Plan::new(program, store, rule, None, &is_own, self.negation));
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
            for plan in group.seeded[self.member[relation.index()].1].of(atom) {
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
        let width = usize::from(variables);
        let mut instances: Vec<TermId> = Vec::new();
        let mut count = 0;
        self.at = Some(plan.rule);
        self.tick()?;
        // To look at the seed is a step, too.
        self.steps = self.steps.saturating_sub(1);
        let most = MOST_VALUES / width.max(1);
        let mut join = Join::new(&self.program.terms, &self.store, &mut self.steps, self.deadline);
        join.run(plan, seed, variables, &mut |values| {
            count += 1;
            instances.extend_from_slice(values);
            count < most
        });
        if count >= most {
            return Err(Halt::Size);
        }
        if self.steps == 0 {
            return Err(Halt::Steps);
        }
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
