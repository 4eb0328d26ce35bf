//! Deriving only what is asked for.
//!
//! Bottom-up, `(reach ?x ?y)` is derived for all squares, although a rule asks for the one with the
//! king on it. So each relation that changes gets another, its *demand*, which says for which values
//! of some arguments it is asked for, and which its rules wait for (magic sets, with one pattern of
//! known arguments for each relation):
//! ```text
//! (<= (legal ?r (go ?y)) (true (king ?r ?x)) (reach ?x ?y))
//! (<= (reach ?x ?y) (line ?x ?y))
//! ```
//! becomes
//! ```text
//! (<= (legal ?r (go ?y)) wanted-legal (true (king ?r ?x)) (reach ?x ?y))
//! (<= (wanted-reach ?x) wanted-legal (true (king ?r ?x)))
//! (<= (reach ?x ?y) (wanted-reach ?x) (line ?x ?y))
//! ```
//! Asking for too much does no harm: conditions that do not narrow the demand are left out.

use std::collections::BTreeSet;

use super::program::{AtomPattern, Condition, Pattern, Program, Relation, RelationId, Rule};
use crate::gdl::syntax::Symbol;

/// For each relation, what says that it is asked for; none for those that are not waited for.
pub type Demands = Vec<Option<RelationId>>;

/// Adds demands to a program whose changing relations are marked. Those of `outputs` have no
/// arguments, and nothing is derived before one of them is given.
pub fn add_demands(program: &mut Program, outputs: &[Symbol], negation_is_open: bool) -> Demands {
    // What other derived conditions know narrows a demand further, but may close a circle of
    // negation, which only matters where negation is exact.
    let mut narrow = program.clone();
    let demands = Builder::new(&mut narrow, outputs, true).build();
    if negation_is_open || narrow.is_stratified() {
        *program = narrow;
        return demands;
    }
    Builder::new(program, outputs, false).build()
}

struct Builder<'a> {
    program: &'a mut Program,
    /// The relations that are derived anew for each state.
    derived: Vec<bool>,
    /// By relation: what is needed comes before what needs it.
    order: Vec<usize>,
    /// By relation: the places of the arguments that are known whenever it is asked for.
    bound: Vec<Vec<usize>>,
    /// Whether derived conditions narrow demands.
    narrow: bool,
}

impl<'a> Builder<'a> {
    fn new(program: &'a mut Program, outputs: &[Symbol], narrow: bool) -> Builder<'a> {
        let is_derived = |relation: &Relation| relation.dynamic && !program.is_given(relation.name);
        let derived: Vec<bool> = program.relations.iter().map(is_derived).collect();
        let mut order = vec![0; program.relations.len()];
        for (number, group) in program.groups(false).iter().enumerate() {
            group.iter().for_each(|relation| order[relation.index()] = number);
        }
        let places = |(number, is_derived): (usize, &bool)| {
            let relation = &program.relations[number];
            let count = if *is_derived && !outputs.contains(&relation.name) { relation.arity } else { 0 };
            (0..count).collect()
        };
        let bound = derived.iter().enumerate().map(places).collect();
        Builder { program, derived, order, bound, narrow }
    }

    fn build(mut self) -> Demands {
        self.bind();
        let stem = self.program.relations.len();
        let demands: Demands = (0..stem)
            .map(|number| {
                self.derived[number].then(|| {
                    let name = self.program.symbols.fresh("wanted");
                    let relation = self.program.relation(name, self.bound[number].len());
                    let about = &mut self.program.relations[relation.index()];
                    (about.dynamic, about.guard) = (true, true);
                    relation
                })
            })
            .collect();
        let rules = std::mem::take(&mut self.program.rules);
        let mut added: Vec<Rule> = Vec::new();
        let mut known: BTreeSet<(AtomPattern, Vec<Condition>)> = BTreeSet::new();
        let mut waiting = Vec::new();
        for mut rule in rules {
            let Some(own) = demands[rule.head.relation.index()] else {
                waiting.push(rule);
                continue;
            };
            let wanted = self.demand(own, &rule.head);
            for index in 0..rule.body.len() {
                let Some((relation, atom)) = self.asked(&rule, index) else { continue };
                let Some(demand) = demands[relation.index()] else { continue };
                let head = self.demand(demand, &atom);
                if head == wanted {
                    continue;
                }
                let mut body = self.reason(&rule, index, &head);
                body.insert(0, Condition::Positive(wanted.clone()));
                if known.insert((head.clone(), body.clone())) {
                    let (variables, source) = (rule.variables, rule.source);
                    added.push(Rule { head, body, variables, silent: true, source });
                }
            }
            rule.body.insert(0, Condition::Positive(wanted));
            waiting.push(rule);
        }
        waiting.append(&mut added);
        self.program.rules = waiting;
        demands
    }

    /// The derived relation that a condition asks for.
    fn asked(&self, rule: &Rule, index: usize) -> Option<(RelationId, AtomPattern)> {
        match &rule.body[index] {
            Condition::Positive(atom) | Condition::Negative(atom)
                if self.derived[atom.relation.index()] =>
            {
                Some((atom.relation, atom.clone()))
            }
            _ => None,
        }
    }

    /// Finds which arguments are known wherever a relation is asked for.
    fn bind(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for number in 0..self.program.rules.len() {
                let rule = &self.program.rules[number];
                if !self.derived[rule.head.relation.index()] {
                    continue;
                }
                for index in 0..rule.body.len() {
                    let Some((relation, atom)) = self.asked(rule, index) else { continue };
                    let known = self.known(rule, index);
                    let is_known = |place: &usize| {
                        let inner =
                            argument(&atom.pattern, *place).map_or(Vec::new(), |arg| arg.variables());
                        inner.iter().all(|v| known[usize::from(*v)])
                    };
                    let places: Vec<usize> =
                        self.bound[relation.index()].iter().copied().filter(is_known).collect();
                    if places.len() < self.bound[relation.index()].len() {
                        self.bound[relation.index()] = places;
                        changed = true;
                    }
                }
            }
        }
    }

    /// Whether a condition of a rule may tell values to the one at `index` before that is derived.
    fn tells(&self, rule: &Rule, index: usize, other: usize) -> bool {
        let (Condition::Positive(atom), Some((asked, _))) = (&rule.body[other], self.asked(rule, index))
        else {
            return false;
        };
        let relation = atom.relation.index();
        let is_given = self.program.relations[relation].dynamic && !self.derived[relation];
        is_given
            || self.narrow && self.derived[relation] && self.order[relation] < self.order[asked.index()]
    }

    fn is_static(&self, atom: &AtomPattern) -> bool {
        !self.program.relations[atom.relation.index()].dynamic
    }

    /// By variable: whether its value is known when the condition at `index` is asked for. Static
    /// conditions tell the values of what hangs together with others, and whole domains only where the
    /// condition is of a large relation, of which anything is better than all.
    fn known(&self, rule: &Rule, index: usize) -> Vec<bool> {
        let mut known = vec![false; usize::from(rule.variables)];
        for place in &self.bound[rule.head.relation.index()] {
            if let Some(arg) = argument(&rule.head.pattern, *place) {
                arg.each_variable(&mut |v| known[usize::from(v)] = true);
            }
        }
        for other in 0..rule.body.len() {
            if let (true, Condition::Positive(atom)) = (self.tells(rule, index, other), &rule.body[other]) {
                atom.pattern.each_variable(&mut |v| known[usize::from(v)] = true);
            }
        }
        let domains =
            self.asked(rule, index).is_some_and(|(asked, _)| self.program.relations[asked.index()].large);
        let mut changed = true;
        while changed {
            changed = false;
            for condition in &rule.body {
                let Condition::Positive(atom) = condition else { continue };
                let variables = atom.pattern.variables();
                let count = variables.iter().filter(|v| known[usize::from(**v)]).count();
                let tells = domains || count > 0 || has_ground_argument(&atom.pattern);
                if self.is_static(atom) && tells && count < variables.len() {
                    variables.iter().for_each(|v| known[usize::from(*v)] = true);
                    changed = true;
                }
            }
        }
        known
    }

    /// The conditions that narrow the demand for the condition at `index`.
    fn reason(&self, rule: &Rule, index: usize, demand: &AtomPattern) -> Vec<Condition> {
        let known = self.known(rule, index);
        let is_known = |condition: &Condition| condition.variables().iter().all(|v| known[usize::from(*v)]);
        let may_serve = |other: &usize| match &rule.body[*other] {
            Condition::Positive(atom) if self.is_static(atom) => is_known(&rule.body[*other]),
            Condition::Positive(_) => self.tells(rule, index, *other),
            Condition::Distinct(..) => is_known(&rule.body[*other]),
            Condition::Negative(atom) => self.is_static(atom) && is_known(&rule.body[*other]),
        };
        let candidates: Vec<usize> =
            (0..rule.body.len()).filter(|other| *other != index).filter(may_serve).collect();
        // What has nothing to do with the demanded values would only multiply.
        let mut touched = vec![false; usize::from(rule.variables)];
        demand.pattern.each_variable(&mut |v| touched[usize::from(v)] = true);
        let mut taken = vec![false; candidates.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (place, other) in candidates.iter().enumerate() {
                let variables = rule.body[*other].variables();
                let is_positive = matches!(rule.body[*other], Condition::Positive(_));
                if !taken[place]
                    && (variables.is_empty()
                        || is_positive && variables.iter().any(|v| touched[usize::from(*v)]))
                {
                    taken[place] = true;
                    changed = true;
                    variables.iter().for_each(|v| touched[usize::from(*v)] = true);
                }
            }
        }
        // Tests give no values: they come in where all of theirs are there.
        for (place, other) in candidates.iter().enumerate() {
            let is_test = !matches!(rule.body[*other], Condition::Positive(_));
            if is_test && rule.body[*other].variables().iter().all(|v| touched[usize::from(*v)]) {
                taken[place] = true;
            }
        }
        let kept = candidates.iter().zip(&taken).filter(|(_, taken)| **taken);
        kept.map(|(other, _)| rule.body[*other].clone()).collect()
    }

    fn demand(&mut self, relation: RelationId, atom: &AtomPattern) -> AtomPattern {
        let args = self.bound[atom.relation.index()]
            .iter()
            .map(|place| self.whole_argument(&atom.pattern, *place))
            .collect();
        let name = self.program.relations[relation.index()].name;
        AtomPattern { relation, pattern: self.program.compound(name, args) }
    }

    fn whole_argument(&self, atom: &Pattern, place: usize) -> Pattern {
        match atom {
            Pattern::Compound(_, args) => args[place].clone(),
            Pattern::Ground(id) => Pattern::Ground(self.program.terms.args(*id)[place]),
            Pattern::Variable(_) => atom.clone(),
        }
    }
}

/// An argument of an atom, unless the atom is ground.
fn argument(atom: &Pattern, place: usize) -> Option<&Pattern> {
    match atom {
        Pattern::Compound(_, args) => args.get(place),
        _ => None,
    }
}

fn has_ground_argument(atom: &Pattern) -> bool {
    matches!(atom, Pattern::Compound(_, args) if args.iter().any(|arg| matches!(arg, Pattern::Ground(_))))
}
