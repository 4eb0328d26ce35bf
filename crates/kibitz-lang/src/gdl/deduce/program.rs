//! Clauses made ready for joining: variables numbered, relations found, ordered by dependence.

use std::collections::BTreeMap;

use super::terms::{TermId, Terms};
use crate::components::components;
use crate::gdl::syntax::{self, Symbol, Symbols};

/// A relation: a name with a number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

impl RelationId {
    /// For use as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term that may have variables, numbered within its clause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// A variable.
    Variable(u16),
    /// A term without variables.
    Ground(TermId),
    /// A function of which some argument has a variable.
    Compound(Symbol, Vec<Pattern>),
}

impl Pattern {
    /// Calls `visit` with each variable, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(u16)) {
        match self {
            Pattern::Variable(v) => visit(*v),
            Pattern::Ground(_) => {}
            Pattern::Compound(_, args) => args.iter().for_each(|arg| arg.each_variable(visit)),
        }
    }

    /// The variables, ascending, each once.
    pub fn variables(&self) -> Vec<u16> {
        let mut found = Vec::new();
        self.each_variable(&mut |v| found.push(v));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// An atom with variables: the relation and the atom as a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AtomPattern {
    /// Of this relation.
    pub relation: RelationId,
    /// The whole atom.
    pub pattern: Pattern,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// It holds.
    Positive(AtomPattern),
    /// It does not hold.
    Negative(AtomPattern),
    /// The two differ.
    Distinct(Pattern, Pattern),
}

impl Condition {
    /// The variables, ascending, each once.
    pub fn variables(&self) -> Vec<u16> {
        match self {
            Condition::Positive(atom) | Condition::Negative(atom) => atom.pattern.variables(),
            Condition::Distinct(left, right) => {
                let mut all = left.variables();
                all.extend(right.variables());
                all.sort_unstable();
                all.dedup();
                all
            }
        }
    }
}

/// A rule with numbered variables.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it gives.
    pub head: AtomPattern,
    /// All must hold.
    pub body: Vec<Condition>,
    /// How many variables there are.
    pub variables: u16,
    /// It serves to find out what is possible only; nothing is to be computed by it later.
    pub silent: bool,
    /// The rule of the file that it comes from; none for rules of the language itself.
    pub source: Option<u32>,
}

/// A relation's name and its part in the whole.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The name.
    pub name: Symbol,
    /// How many arguments.
    pub arity: usize,
    /// It depends on `true` or `does`, and changes from state to state; or it is derived as if it did.
    pub dynamic: bool,
    /// It never changes, but there is too much of it: see `large.rs`.
    pub large: bool,
    /// It is made up to bound the grounding; it always holds where it is asked for.
    pub guard: bool,
}

/// All rules of a game, with the terms that stand in them.
#[derive(Clone, Debug)]
pub struct Program {
    /// The terms.
    pub terms: Terms,
    /// The names.
    pub symbols: Symbols,
    /// The relations.
    pub relations: Vec<Relation>,
    /// The rules.
    pub rules: Vec<Rule>,
    by_name: BTreeMap<(Symbol, usize), RelationId>,
    /// Facts have lifetimes, and `expired` is given.
    pub timed: bool,
}

impl Program {
    /// The clauses of a rules file. Hints (`base`, `input`) that no rule uses are left out.
    pub fn new(rules: &syntax::Rules) -> Program {
        let mut program = Program {
            terms: Terms::default(),
            symbols: rules.symbols.clone(),
            relations: Vec::new(),
            rules: Vec::new(),
            by_name: BTreeMap::new(),
            timed: rules.timed,
        };
        for clause in &rules.clauses {
            let mut names = Vec::new();
            let head = program.atom(&clause.head, &mut names);
            let body = clause.body.iter().map(|literal| program.condition(literal, &mut names)).collect();
            let variables = names.len() as u16;
            let source = Some(clause.rule);
            program.rules.push(Rule { head, body, variables, silent: false, source });
        }
        program.separate();
        program
    }

    /// The relation of a name, known or new.
    pub fn relation(&mut self, name: Symbol, arity: usize) -> RelationId {
        let next = RelationId(self.relations.len() as u32);
        let id = *self.by_name.entry((name, arity)).or_insert(next);
        if id == next {
            self.relations.push(Relation { name, arity, dynamic: false, large: false, guard: false });
        }
        id
    }

    /// The relation of a name, if there is one.
    pub fn find(&self, name: Symbol, arity: usize) -> Option<RelationId> {
        self.by_name.get(&(name, arity)).copied()
    }

    fn atom(&mut self, atom: &syntax::Atom, names: &mut Vec<Symbol>) -> AtomPattern {
        let relation = self.relation(atom.name, atom.args.len());
        let args = atom.args.iter().map(|arg| self.term(arg, names)).collect();
        AtomPattern { relation, pattern: self.compound(atom.name, args) }
    }

    fn condition(&mut self, literal: &syntax::Literal, names: &mut Vec<Symbol>) -> Condition {
        match literal {
            syntax::Literal::Positive(atom) => Condition::Positive(self.atom(atom, names)),
            syntax::Literal::Negative(atom) => Condition::Negative(self.atom(atom, names)),
            syntax::Literal::Distinct { left, right, .. } => {
                Condition::Distinct(self.term(left, names), self.term(right, names))
            }
        }
    }

    fn term(&mut self, term: &syntax::Term, names: &mut Vec<Symbol>) -> Pattern {
        match term {
            syntax::Term::Constant { name, .. } => Pattern::Ground(self.terms.intern(*name, &[])),
            syntax::Term::Variable { name, .. } => {
                let known = names.iter().position(|other| other == name);
                let number = known.unwrap_or_else(|| {
                    names.push(*name);
                    names.len() - 1
                });
                Pattern::Variable(number as u16)
            }
            syntax::Term::Compound { name, args, .. } => {
                let args = args.iter().map(|arg| self.term(arg, names)).collect();
                self.compound(*name, args)
            }
        }
    }

    /// A compound pattern, or the ground term where there is no variable.
    pub fn compound(&mut self, name: Symbol, args: Vec<Pattern>) -> Pattern {
        let ground: Option<Vec<TermId>> =
            args.iter().map(|arg| if let Pattern::Ground(id) = arg { Some(*id) } else { None }).collect();
        match ground {
            Some(args) => Pattern::Ground(self.terms.intern(name, &args)),
            None => Pattern::Compound(name, args),
        }
    }

    /// Adds a rule `head(x, ...) <= body(x, ...)` over as many variables as the relations have.
    pub fn add_copy(&mut self, head: Symbol, body: Symbol, arity: usize) {
        let variables: Vec<Pattern> = (0..arity as u16).map(Pattern::Variable).collect();
        let (to, from) = (self.relation(head, arity), self.relation(body, arity));
        let head = AtomPattern { relation: to, pattern: self.compound(head, variables.clone()) };
        let body = AtomPattern { relation: from, pattern: self.compound(body, variables) };
        let body = vec![Condition::Positive(body)];
        self.rules.push(Rule { head, body, variables: arity as u16, silent: true, source: None });
    }

    /// For each relation, those that its rules ask for; `positive` leaves negated ones out.
    fn dependencies(&self, positive: bool) -> Vec<Vec<RelationId>> {
        let mut needs = vec![Vec::new(); self.relations.len()];
        for rule in &self.rules {
            let of = &mut needs[rule.head.relation.index()];
            for condition in &rule.body {
                match condition {
                    Condition::Positive(atom) => of.push(atom.relation),
                    Condition::Negative(atom) if !positive => of.push(atom.relation),
                    _ => {}
                }
            }
        }
        needs.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        needs
    }

    /// Whether a relation is given by the state and the moves.
    pub fn is_given(&self, name: Symbol) -> bool {
        name == Symbol::TRUE || name == Symbol::DOES || self.timed && name == Symbol::EXPIRED
    }

    /// Marks the relations that depend on `true` or `does`, or on a large relation.
    pub fn mark_dynamic(&mut self) {
        let mut users = vec![Vec::new(); self.relations.len()];
        for (user, needs) in self.dependencies(false).iter().enumerate() {
            needs.iter().for_each(|need| users[need.index()].push(user));
        }
        self.relations.iter_mut().for_each(|relation| relation.dynamic = false);
        let start = |relation: &Relation| self.is_given(relation.name) || relation.large;
        let all = 0..self.relations.len();
        let mut open: Vec<usize> = all.filter(|relation| start(&self.relations[*relation])).collect();
        while let Some(relation) = open.pop() {
            if !std::mem::replace(&mut self.relations[relation].dynamic, true) {
                open.extend(&users[relation]);
            }
        }
    }

    /// Drops the rules that nothing in `wanted` depends on.
    pub fn keep_relevant(&mut self, wanted: &[Symbol]) {
        let needs = self.dependencies(false);
        let mut kept = vec![false; self.relations.len()];
        let mut open: Vec<usize> =
            (0..self.relations.len()).filter(|r| wanted.contains(&self.relations[*r].name)).collect();
        while let Some(relation) = open.pop() {
            if !std::mem::replace(&mut kept[relation], true) {
                open.extend(needs[relation].iter().map(|need| need.index()));
            }
        }
        self.rules.retain(|rule| kept[rule.head.relation.index()]);
    }

    /// The relations in groups that depend on each other, what is needed first.
    /// With `open` negation, what is negated in a changing relation does not count as needed.
    pub fn groups(&self, open: bool) -> Vec<Vec<RelationId>> {
        let mut needs = self.dependencies(true);
        for rule in &self.rules {
            for condition in &rule.body {
                if let Condition::Negative(atom) = condition
                    && !(open && self.relations[atom.relation.index()].dynamic)
                {
                    needs[rule.head.relation.index()].push(atom.relation);
                }
            }
        }
        let edges: Vec<Vec<usize>> =
            needs.iter().map(|list| list.iter().map(|need| need.index()).collect()).collect();
        let groups = components(&edges);
        groups.into_iter().map(|group| group.into_iter().map(|r| RelationId(r as u32)).collect()).collect()
    }
}
