//! Which relation depends on which.

use std::collections::{BTreeMap, HashMap};

use crate::components::components;
use crate::gdl::syntax::{Atom, Clause, Literal, Rules, Symbol, Symbols, Term};
use crate::source::Span;

/// A relation: its name and how many arguments it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relation {
    pub name: Symbol,
    pub arity: usize,
}

/// A relation stands in the body of another's clause.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub to: usize,
    pub positive: bool,
    /// Where, for the first time.
    pub span: Span,
}

/// The clauses with their relations numbered, in the order of the file.
pub struct Graph<'a> {
    pub rules: &'a Rules,
    pub relations: Vec<Relation>,
    index: HashMap<Relation, usize>,
    /// What each relation depends on, each with each sign once.
    pub edges: Vec<Vec<Edge>>,
    /// The clauses that give each relation.
    pub clauses: Vec<Vec<usize>>,
    /// Where each stands first in a body.
    pub uses: Vec<Option<Span>>,
    /// The group of relations that depend on each other: equal numbers, equal groups. What a group
    /// depends on has smaller numbers.
    pub group: Vec<usize>,
}

impl<'a> Graph<'a> {
    pub fn new(rules: &'a Rules) -> Graph<'a> {
        let mut graph = Graph {
            rules,
            relations: Vec::new(),
            index: HashMap::new(),
            edges: Vec::new(),
            clauses: Vec::new(),
            uses: Vec::new(),
            group: Vec::new(),
        };
        let mut edges: BTreeMap<(usize, usize, bool), Span> = BTreeMap::new();
        for (number, clause) in rules.clauses.iter().enumerate() {
            let head = graph.add(&clause.head);
            graph.clauses[head].push(number);
            for literal in &clause.body {
                let Some(atom) = literal.atom() else { continue };
                let to = graph.add(atom);
                graph.uses[to].get_or_insert(atom.span);
                edges.entry((head, to, matches!(literal, Literal::Positive(_)))).or_insert(atom.span);
            }
        }
        for ((from, to, positive), span) in edges {
            graph.edges[from].push(Edge { to, positive, span });
        }
        let next: Vec<Vec<usize>> =
            graph.edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        graph.group = groups(&next);
        graph
    }

    fn add(&mut self, atom: &Atom) -> usize {
        let relation = Relation { name: atom.name, arity: atom.arity() };
        *self.index.entry(relation).or_insert_with(|| {
            self.relations.push(relation);
            self.edges.push(Vec::new());
            self.clauses.push(Vec::new());
            self.uses.push(None);
            self.relations.len() - 1
        })
    }

    pub fn symbols(&self) -> &'a Symbols {
        &self.rules.symbols
    }

    pub fn name(&self, symbol: Symbol) -> &'a str {
        self.rules.symbols.name(symbol)
    }

    /// The number of an atom's relation. Every atom of the rules has one.
    pub fn relation(&self, atom: &Atom) -> Option<usize> {
        self.index.get(&Relation { name: atom.name, arity: atom.arity() }).copied()
    }

    /// The clauses that give relations of a name, whatever the number of their arguments.
    pub fn clauses_of(&self, name: Symbol) -> impl Iterator<Item = &'a Clause> + '_ {
        let numbers = (0..self.relations.len()).filter(move |number| self.relations[*number].name == name);
        numbers.flat_map(|number| &self.clauses[number]).map(|clause| &self.rules.clauses[*clause])
    }

    /// Is it given by rules that the parser made up, and so of no concern to the author?
    pub fn is_helper(&self, name: Symbol) -> bool {
        !Symbols::is_keyword(name) && self.rules.symbols.first(name).is_none()
    }

    /// All atoms of all clauses: the heads, and the body's with `false`.
    pub fn atoms(&self) -> impl Iterator<Item = (&'a Atom, bool)> {
        self.rules.clauses.iter().flat_map(|clause| {
            let body = clause.body.iter().filter_map(Literal::atom).map(|atom| (atom, false));
            std::iter::once((&clause.head, true)).chain(body)
        })
    }
}

/// Could the two be the same for some values of their variables? Repeated variables are not looked at.
pub fn may_match(one: &Term, two: &Term) -> bool {
    match (one, two) {
        (Term::Variable { .. }, _) | (_, Term::Variable { .. }) => true,
        (Term::Constant { name: left, .. }, Term::Constant { name: right, .. }) => left == right,
        (
            Term::Compound { name: left, args: these, .. },
            Term::Compound { name: right, args: those, .. },
        ) => {
            left == right
                && these.len() == those.len()
                && these.iter().zip(those).all(|(this, that)| may_match(this, that))
        }
        _ => false,
    }
}

/// The strongly connected components of a graph, numbered so that edges lead to the same number or a
/// smaller one.
pub fn groups(next: &[Vec<usize>]) -> Vec<usize> {
    let mut group = vec![0; next.len()];
    for (number, members) in components(next).into_iter().enumerate() {
        members.into_iter().for_each(|member| group[member] = number);
    }
    group
}
