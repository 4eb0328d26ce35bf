//! Plans for joining the conditions of a rule, and how they are carried out.

use std::time::Instant;

use super::program::{AtomPattern, Condition, Pattern, Program, RelationId, Rule};
use super::store::{Place, Store, extended};
use super::terms::{TermId, Terms};

/// What negation of a changing relation means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negation {
    /// The atom has not been derived.
    Exact,
    /// Nothing: either may be.
    Open,
}

/// Which atoms a stage may use, by their arrival: each combination is then found exactly once,
/// namely when the last of its atoms arrives.
#[derive(Clone, Copy, Debug)]
enum Order {
    Any,
    BeforeSeed,
    UpToSeed,
}

/// One step of a join.
#[derive(Clone, Debug)]
enum Stage {
    /// Goes through the atoms that match.
    Scan { atom: AtomPattern, index: Option<(usize, Vec<Pattern>)>, fresh: Vec<u16>, order: Order },
    /// The atom, all of whose variables are known, holds.
    Holds { pattern: Pattern, order: Order },
    /// It does not hold.
    Fails { pattern: Pattern },
    /// The terms differ.
    Differ { left: Pattern, right: Pattern },
}

/// How the instances of one rule are found, from one of its conditions or from nothing.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of the rule.
    pub rule: usize,
    seed: Option<Pattern>,
    stages: Vec<Stage>,
}

impl Plan {
    /// The only atom that it starts from, where its seed has no variables.
    pub fn exact_seed(&self) -> Option<TermId> {
        match self.seed {
            Some(Pattern::Ground(atom)) => Some(atom),
            _ => None,
        }
    }

    /// Plans the join of a rule from the atom that matches condition `seed`; conditions on relations
    /// of its group are then limited to what had arrived before.
    pub fn new(
        program: &Program,
        store: &mut Store,
        number: usize,
        seed: Option<usize>,
        in_group: &dyn Fn(RelationId) -> bool,
        negation: Negation,
    ) -> Plan {
        let rule: &Rule = &program.rules[number];
        let mut known = vec![false; usize::from(rule.variables)];
        let learn = |pattern: &Pattern, known: &mut Vec<bool>| {
            pattern.each_variable(&mut |v| known[usize::from(v)] = true);
        };
        let mut left: Vec<usize> = (0..rule.body.len()).filter(|index| Some(*index) != seed).collect();
        let seed_pattern = seed.and_then(|index| match &rule.body[index] {
            Condition::Positive(atom) => Some(atom.pattern.clone()),
            _ => None,
        });
        if let Some(pattern) = &seed_pattern {
            learn(pattern, &mut known);
        }
        let mut stages = Vec::new();
        while !left.is_empty() {
            let is_known = |pattern: &Pattern| pattern.variables().iter().all(|v| known[usize::from(*v)]);
            let cost = |index: &usize| match &rule.body[*index] {
                Condition::Distinct(a, b) if is_known(a) && is_known(b) => -2.0,
                Condition::Negative(atom) if is_known(&atom.pattern) => -1.0,
                Condition::Positive(atom) if is_known(&atom.pattern) => -1.5,
                Condition::Positive(atom) => estimate(store, atom, &known),
                _ => f64::INFINITY,
            };
            let best = (0..left.len()).min_by(|a, b| cost(&left[*a]).total_cmp(&cost(&left[*b])));
            let index = left.remove(best.unwrap_or(0));
            let order = |atom: &AtomPattern| match seed {
                Some(seed) if in_group(atom.relation) => {
                    if index < seed {
                        Order::BeforeSeed
                    } else {
                        Order::UpToSeed
                    }
                }
                _ => Order::Any,
            };
            match &rule.body[index] {
                Condition::Distinct(left, right) => {
                    stages.push(Stage::Differ { left: left.clone(), right: right.clone() });
                }
                Condition::Negative(atom) => {
                    let open =
                        negation == Negation::Open && program.relations[atom.relation.index()].dynamic;
                    if !open {
                        stages.push(Stage::Fails { pattern: atom.pattern.clone() });
                    }
                }
                Condition::Positive(atom) if is_known(&atom.pattern) => {
                    stages.push(Stage::Holds { pattern: atom.pattern.clone(), order: order(atom) });
                }
                Condition::Positive(atom) => {
                    let (mut places, mut values) = (Vec::new(), Vec::new());
                    let mut path = Vec::new();
                    find_places(&atom.pattern, &known, &mut path, &mut places, &mut values);
                    // The first place is the relation's own name, which the table implies.
                    places.remove(0);
                    let index = (!places.is_empty())
                        .then(|| (store.index(&program.terms, atom.relation, places), values));
                    let fresh = atom.pattern.variables();
                    let fresh = fresh.into_iter().filter(|v| !known[usize::from(*v)]).collect();
                    stages.push(Stage::Scan { atom: atom.clone(), index, fresh, order: order(atom) });
                    learn(&atom.pattern, &mut known);
                }
            }
        }
        Plan { rule: number, seed: seed_pattern, stages }
    }
}

/// How many atoms a scan would go through, roughly, on a logarithmic scale.
fn estimate(store: &Store, atom: &AtomPattern, known: &[bool]) -> f64 {
    fn narrows(pattern: &Pattern, known: &[bool]) -> f64 {
        match pattern {
            Pattern::Ground(_) => 1.0,
            Pattern::Variable(v) => f64::from(u8::from(known[usize::from(*v)])),
            Pattern::Compound(_, args) => 0.3 + args.iter().map(|arg| narrows(arg, known)).sum::<f64>(),
        }
    }
    let size = store.atoms(atom.relation).len().max(16) as f64;
    (size.ln() - 2.0 * narrows(&atom.pattern, known)).max(0.0)
}

/// The places of a pattern whose terms are known, with the patterns of their values.
fn find_places(
    pattern: &Pattern,
    known: &[bool],
    path: &mut Vec<u16>,
    places: &mut Vec<Place>,
    values: &mut Vec<Pattern>,
) {
    if pattern.variables().iter().all(|v| known[usize::from(*v)]) {
        places.push(Place { path: path.clone(), function: None });
        values.push(pattern.clone());
        return;
    }
    if let Pattern::Compound(name, args) = pattern {
        places.push(Place { path: path.clone(), function: Some((*name, args.len())) });
        for (number, arg) in args.iter().enumerate() {
            path.push(number as u16);
            find_places(arg, known, path, places, values);
            path.pop();
        }
    }
}

/// A term from those of its arguments, if all of them are there. Few are kept off the heap.
#[inline]
fn whole<T>(
    terms: &mut T,
    args: &[Pattern],
    part: impl Fn(&mut T, &Pattern) -> Option<TermId>,
    term: impl FnOnce(&mut T, &[TermId]) -> Option<TermId>,
) -> Option<TermId> {
    let mut found = [TermId::NONE; 16];
    if args.len() <= found.len() {
        for (slot, arg) in found.iter_mut().zip(args) {
            *slot = part(terms, arg)?;
        }
        return term(terms, &found[..args.len()]);
    }
    let args: Option<Vec<TermId>> = args.iter().map(|arg| part(terms, arg)).collect();
    term(terms, &args?)
}

/// The term that a pattern stands for, if it is known at all.
#[inline]
pub fn resolve(terms: &Terms, pattern: &Pattern, binding: &[TermId]) -> Option<TermId> {
    match pattern {
        Pattern::Variable(v) => Some(binding[usize::from(*v)]).filter(|id| *id != TermId::NONE),
        Pattern::Ground(id) => Some(*id),
        Pattern::Compound(name, args) => {
            let arg = |terms: &mut &Terms, arg: &Pattern| resolve(terms, arg, binding);
            whole(&mut &*terms, args, arg, |terms, args| terms.find(*name, args))
        }
    }
}

/// Whether two patterns stand for the same term.
fn same(terms: &Terms, left: &Pattern, right: &Pattern, binding: &[TermId]) -> bool {
    match (resolve(terms, left, binding), resolve(terms, right, binding)) {
        // Terms that were never met can be compared by their parts only.
        (None, None) => match (left, right) {
            (Pattern::Compound(name, args), Pattern::Compound(other, others)) => {
                name == other
                    && args.len() == others.len()
                    && args.iter().zip(others).all(|(one, two)| same(terms, one, two, binding))
            }
            _ => false,
        },
        (left, right) => left == right,
    }
}

/// The term that a pattern stands for, made if it is new. `None` if a variable has no value.
pub fn build(terms: &mut Terms, pattern: &Pattern, binding: &[TermId]) -> Option<TermId> {
    match pattern {
        Pattern::Variable(v) => Some(binding[usize::from(*v)]).filter(|id| *id != TermId::NONE),
        Pattern::Ground(id) => Some(*id),
        Pattern::Compound(name, args) => {
            let arg = |terms: &mut &mut Terms, arg: &Pattern| build(terms, arg, binding);
            whole(&mut &mut *terms, args, arg, |terms, args| Some(terms.intern(*name, args)))
        }
    }
}

/// Makes a pattern agree with a term by giving values to variables that have none.
#[inline]
fn matches(terms: &Terms, pattern: &Pattern, term: TermId, binding: &mut [TermId]) -> bool {
    match pattern {
        Pattern::Ground(id) => *id == term,
        Pattern::Variable(v) => {
            let value = &mut binding[usize::from(*v)];
            if *value == TermId::NONE {
                *value = term;
            }
            *value == term
        }
        Pattern::Compound(name, args) => {
            terms.name(term) == *name
                && terms.args(term).len() == args.len()
                && (0..args.len()).all(|n| matches(terms, &args[n], terms.args(term)[n], binding))
        }
    }
}

/// A join under way.
pub struct Join<'a> {
    terms: &'a Terms,
    store: &'a Store,
    /// How many atoms may still be looked at; it ends at 0.
    steps: &'a mut u64,
    /// When it ends, too.
    deadline: Option<Instant>,
    seed_rank: u32,
}

impl<'a> Join<'a> {
    /// A join over what is known so far.
    pub fn new(
        terms: &'a Terms,
        store: &'a Store,
        steps: &'a mut u64,
        deadline: Option<Instant>,
    ) -> Join<'a> {
        Join { terms, store, steps, deadline, seed_rank: 0 }
    }

    /// Finds all instances of a plan's rule, given the atom for its seed, until `found` says false.
    pub fn run(
        &mut self,
        plan: &Plan,
        seed: Option<TermId>,
        variables: u16,
        found: &mut dyn FnMut(&[TermId]) -> bool,
    ) {
        let mut binding = vec![TermId::NONE; usize::from(variables)];
        self.seed_rank = seed.and_then(|atom| self.store.rank(atom)).unwrap_or(0);
        if let (Some(pattern), Some(atom)) = (&plan.seed, seed)
            && !matches(self.terms, pattern, atom, &mut binding)
        {
            return;
        }
        self.stage(&plan.stages, &mut binding, found);
    }

    fn in_order(&self, atom: TermId, order: Order) -> bool {
        match (order, self.store.rank(atom)) {
            (_, None) => false,
            (Order::Any, _) => true,
            (Order::BeforeSeed, Some(rank)) => rank < self.seed_rank,
            (Order::UpToSeed, Some(rank)) => rank <= self.seed_rank,
        }
    }

    fn stage(
        &mut self,
        stages: &[Stage],
        binding: &mut [TermId],
        found: &mut dyn FnMut(&[TermId]) -> bool,
    ) {
        let Some((stage, rest)) = stages.split_first() else {
            if !found(binding) {
                *self.steps = 0;
            }
            return;
        };
        match stage {
            Stage::Differ { left, right } => {
                if !same(self.terms, left, right, binding) {
                    self.stage(rest, binding, found);
                }
            }
            Stage::Holds { pattern, order } => {
                if resolve(self.terms, pattern, binding).is_some_and(|atom| self.in_order(atom, *order)) {
                    self.stage(rest, binding, found);
                }
            }
            Stage::Fails { pattern } => {
                let atom = resolve(self.terms, pattern, binding);
                if atom.is_none_or(|atom| self.store.rank(atom).is_none()) {
                    self.stage(rest, binding, found);
                }
            }
            Stage::Scan { atom, index, fresh, order } => {
                let store = self.store;
                let candidates = match index {
                    None => store.atoms(atom.relation),
                    Some((index, values)) => {
                        let mut key = 0;
                        for value in values {
                            let Some(term) = resolve(self.terms, value, binding) else { return };
                            key = extended(key, term);
                        }
                        store.look_up(atom.relation, *index, key)
                    }
                };
                for &candidate in candidates {
                    if *self.steps == 0 {
                        return;
                    }
                    *self.steps -= 1;
                    if self.steps.is_multiple_of(1 << 16)
                        && self.deadline.is_some_and(|deadline| Instant::now() > deadline)
                    {
                        *self.steps = 0;
                        return;
                    }
                    for v in fresh {
                        binding[usize::from(*v)] = TermId::NONE;
                    }
                    if self.in_order(candidate, *order)
                        && matches(self.terms, &atom.pattern, candidate, binding)
                    {
                        self.stage(rest, binding, found);
                    }
                }
                for v in fresh {
                    binding[usize::from(*v)] = TermId::NONE;
                }
            }
        }
    }
}
