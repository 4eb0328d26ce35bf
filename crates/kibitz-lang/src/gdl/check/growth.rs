//! Terms do not grow for ever.
//!
//! Each place for an argument is given a rank, the depth to which terms there can nest: a variable
//! takes the smallest rank of the positive conditions that it stands in, and a function around it
//! adds one. Where ranks settle, the rules have finitely many ground instances (they are *argument
//! restricted*). Where they never settle, terms may grow in every round or in every step of the game.

use std::collections::HashMap;

use super::graph::Graph;
use super::{error, warning};
use crate::gdl::syntax::{Atom, Clause, Literal, Symbol, Term};
use crate::source::{Finding, Law, Span};

const ENDLESS: Law = error("endless-recursion", "the rules have finitely many consequences");
const GROWTH: Law = warning("growing-terms", "terms do not grow without a bound");

/// A place for an argument: of a relation, of a fact of the state or of a move.
type Slot = (Symbol, usize, usize, Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Relation,
    Fact,
    Move,
}

pub fn check(graph: &Graph, findings: &mut Vec<Finding>) {
    for clause in &graph.rules.clauses {
        if let Some(span) = endless(clause) {
            let shown = graph.rules.show(&clause.head);
            let message =
                format!("from each `{}` a larger one follows, for ever", graph.name(clause.head.name));
            findings.push(Finding::new(&ENDLESS, span, message).help(format!(
                "add a condition that bounds `{shown}`, or count with constants and a relation such as `succ`"
            )));
        }
    }
    growing(graph, findings);
}

/// `(p (s ?x))` from `(p ?x)` and nothing else: the head is an instance of the only condition, and larger.
fn endless(clause: &Clause) -> Option<Span> {
    let [Literal::Positive(atom)] = &clause.body[..] else { return None };
    let head = &clause.head;
    if atom.name != head.name || atom.arity() != head.arity() {
        return None;
    }
    let mut values: HashMap<Symbol, &Term> = HashMap::new();
    let is_instance =
        atom.args.iter().zip(&head.args).all(|(general, special)| instance(general, special, &mut values));
    // Larger: some variable's value is a function of variables.
    let grown = values.values().any(|value| matches!(value, Term::Compound { .. }) && !value.is_ground());
    (is_instance && grown).then_some(head.span)
}

fn instance<'a>(general: &Term, special: &'a Term, values: &mut HashMap<Symbol, &'a Term>) -> bool {
    match (general, special) {
        (Term::Variable { name, .. }, _) => match values.get(name) {
            Some(value) => value.same(special),
            None => {
                values.insert(*name, special);
                true
            }
        },
        (Term::Compound { name, args, .. }, Term::Compound { name: other, args: others, .. }) => {
            name == other
                && args.len() == others.len()
                && args.iter().zip(others).all(|(one, two)| instance(one, two, values))
        }
        _ => general.same(special),
    }
}

/// Ranks that have not settled after so many steps are taken for ones that never will.
const MOST_STEPS: usize = 5_000_000;

/// A head's slot must rank at least `depth` above the least of the ranks of `from` less their depths.
struct Demand {
    slot: usize,
    depth: usize,
    /// The slots of the positive conditions that the variable stands in, and how deep in each.
    from: Vec<(usize, usize)>,
    span: Span,
}

fn growing(graph: &Graph, findings: &mut Vec<Finding>) {
    let mut slots: HashMap<Slot, usize> = HashMap::new();
    let mut demands = Vec::new();
    let mut deepest = 1;
    for clause in &graph.rules.clauses {
        let mut sources: HashMap<Symbol, Vec<(usize, usize)>> = HashMap::new();
        for literal in &clause.body {
            let Literal::Positive(atom) = literal else { continue };
            each_slot(atom, &mut |slot, term| {
                let count = slots.len();
                let slot = *slots.entry(slot).or_insert(count);
                each_depth(term, 0, &mut |name, depth, _| {
                    sources.entry(name).or_default().push((slot, depth))
                });
            });
        }
        each_slot(&clause.head, &mut |slot, term| {
            let count = slots.len();
            let slot = *slots.entry(slot).or_insert(count);
            each_depth(term, 0, &mut |name, depth, _| {
                if let Some(from) = sources.get(&name) {
                    deepest = deepest.max(depth);
                    demands.push(Demand { slot, depth, from: from.clone(), span: term.span() });
                }
            });
        });
    }
    if demands.iter().all(|demand| demand.depth == 0) {
        return;
    }
    // Ranks that settle stay below this: each slot adds no more than the deepest term. Those that reach
    // it never settle, and stay there.
    let top = slots.len().saturating_mul(deepest).saturating_add(1);
    let mut ranks = vec![0_usize; slots.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); slots.len()];
    for (number, demand) in demands.iter().enumerate() {
        demand.from.iter().for_each(|(slot, _)| readers[*slot].push(number));
    }
    let mut waiting: Vec<usize> = (0..demands.len()).rev().collect();
    let mut steps = 0;
    while let Some(number) = waiting.pop() {
        steps += 1;
        let demand = &demands[number];
        let least = demand.from.iter().map(|(slot, depth)| match ranks[*slot] {
            rank if rank == top => top,
            rank => rank.saturating_sub(*depth),
        });
        let rank = least.min().unwrap_or(0).saturating_add(demand.depth).min(top);
        if rank <= ranks[demand.slot] {
            continue;
        }
        ranks[demand.slot] = rank;
        if (rank == top || steps > MOST_STEPS) && demand.depth > 0 {
            let finding =
                Finding::new(&GROWTH, demand.span, "this term can be larger each time the rule is used");
            let help = "if it is bounded in some other way all is well; otherwise the rules have no end";
            findings.push(finding.help(help));
        }
        if steps > MOST_STEPS {
            return;
        }
        waiting.extend(&readers[demand.slot]);
    }
}

/// The arguments of an atom with their slots; of facts and moves, the arguments inside.
fn each_slot<'a>(atom: &'a Atom, visit: &mut impl FnMut(Slot, &'a Term)) {
    let kind = match atom.name {
        Symbol::TRUE | Symbol::NEXT | Symbol::INIT | Symbol::BASE => Kind::Fact,
        Symbol::DOES | Symbol::LEGAL | Symbol::INPUT => Kind::Move,
        _ => Kind::Relation,
    };
    match (kind, &atom.args[..]) {
        // Lifetimes do not grow.
        (Kind::Fact, [term] | [_, term]) | (Kind::Move, [_, term]) => match term {
            Term::Compound { name, args, .. } => {
                for (number, arg) in args.iter().enumerate() {
                    visit((*name, args.len(), number, kind), arg);
                }
            }
            // A variable that stands for a whole fact or move takes and gives nothing new.
            _ => visit((Symbol::TUPLE, 0, 0, kind), term),
        },
        (_, args) => {
            for (number, arg) in args.iter().enumerate() {
                visit((atom.name, args.len(), number, Kind::Relation), arg);
            }
        }
    }
}

fn each_depth(term: &Term, depth: usize, visit: &mut impl FnMut(Symbol, usize, Span)) {
    match term {
        Term::Constant { .. } => {}
        Term::Variable { name, span } => visit(*name, depth, *span),
        Term::Compound { args, .. } => args.iter().for_each(|arg| each_depth(arg, depth + 1, visit)),
    }
}
