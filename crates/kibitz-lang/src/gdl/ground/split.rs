//! Splitting rules before they are ground, so that what has nothing to do with each other is not
//! multiplied.
//!
//! ```text
//! (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (move ?a ?b)) (distinct ?x ?a))
//! ```
//! has an instance for each cell content and each move. The conditions that share `?r ?a ?b`, which
//! the head does not need, become a relation of what they share with the rest:
//! ```text
//! (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (part ?x))
//! (<= (part ?x) (does ?r (move ?a ?b)) (distinct ?x ?a) (guard ?x))
//! (<= (guard ?x) (true (cell ?x ?y ?p)))
//! ```
//! The guard says for which values the part is of interest. It is needed where nothing in the part
//! itself gives them, and holds whenever the part is asked for: nothing computes it later.

use std::collections::BTreeMap;

use crate::gdl::deduce::{AtomPattern, Condition, Pattern, Program, Rule};

/// How far rules are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Into parts that share nothing but variables of the head: what suits most games best.
    Coarse,
    /// Variable by variable: more relations in between, and far fewer instances where a rule joins
    /// much that is large.
    Fine,
}

/// Splits all rules that gain by it. Which relations change must be marked.
pub fn split(program: &mut Program, grain: Grain) {
    let mut done = Vec::new();
    let mut parts = BTreeMap::new();
    while let Some(rule) = program.rules.pop() {
        split_rule(program, rule, grain, &mut done, &mut parts);
    }
    done.reverse();
    program.rules = done;
}

/// Parts and guards that were made before: conditions with their variables renumbered, how many of them
/// are shared, and whether it is a guard, with the head. A part and a guard may have the same body, but a
/// guard is taken to hold wherever it is asked for, and a part is not.
type Known = BTreeMap<(Vec<Condition>, u16, bool), AtomPattern>;

fn split_rule(
    program: &mut Program,
    mut rule: Rule,
    grain: Grain,
    done: &mut Vec<Rule>,
    known: &mut Known,
) {
    let in_head = rule.head.pattern.variables();
    loop {
        let found = match grain {
            Grain::Coarse => find_part(&rule, &in_head),
            Grain::Fine => find_small_part(program, &rule, &in_head),
        };
        let Some(part) = found else { break };
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            (0..rule.body.len()).partition(|index| part.contains(index));
        let mut body: Vec<Condition> = inside.iter().map(|index| rule.body[*index].clone()).collect();
        let rest: Vec<Condition> = outside.iter().map(|index| rule.body[*index].clone()).collect();
        let asked = variables_of(&rest);
        let mut shared = variables_of(&body);
        shared.retain(|v| in_head.contains(v) || asked.contains(v));
        let Some(guards) = guards(program, &rule, &body, &rest, &shared, done, known) else { break };
        body.extend(guards);
        let atom = name_part(program, "part", body, &shared, false, rule.source, done, known);
        rule.body = rest;
        rule.body.push(Condition::Positive(atom));
    }
    done.push(rule);
}

fn variables_of(body: &[Condition]) -> Vec<u16> {
    let mut all: Vec<u16> = body.iter().flat_map(Condition::variables).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn given_by(body: &[Condition]) -> Vec<u16> {
    let positive = body.iter().filter(|condition| matches!(condition, Condition::Positive(_)));
    let mut all: Vec<u16> = positive.flat_map(Condition::variables).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The conditions that hang together by variables that the head does not need, where the rest has
/// head variables that they know nothing of.
fn find_part(rule: &Rule, in_head: &[u16]) -> Option<Vec<usize>> {
    let variables: Vec<Vec<u16>> = rule.body.iter().map(Condition::variables).collect();
    let local = |v: &u16| !in_head.contains(v);
    let mut assigned = vec![false; rule.body.len()];
    for start in 0..rule.body.len() {
        if assigned[start] || !variables[start].iter().any(local) {
            continue;
        }
        let mut part = vec![start];
        assigned[start] = true;
        let mut next = 0;
        while next < part.len() {
            let from = part[next];
            next += 1;
            for other in 0..rule.body.len() {
                if !assigned[other]
                    && variables[other].iter().any(|v| local(v) && variables[from].contains(v))
                {
                    assigned[other] = true;
                    part.push(other);
                }
            }
        }
        let body: Vec<Condition> = part.iter().map(|index| rule.body[*index].clone()).collect();
        let shared = variables_of(&body);
        let other = |index: &usize| !part.contains(index);
        let gains = (0..rule.body.len())
            .filter(other)
            .any(|index| variables[index].iter().any(|v| !shared.contains(v)));
        if gains {
            part.sort_unstable();
            return Some(part);
        }
    }
    None
}

/// The smallest set of conditions that are all there is about some variable which the head does not
/// need, where the rest has variables that they know nothing of.
fn find_small_part(program: &Program, rule: &Rule, in_head: &[u16]) -> Option<Vec<usize>> {
    let variables: Vec<Vec<u16>> = rule.body.iter().map(Condition::variables).collect();
    // A test of what is known anyway belongs where it is known first, unless it changes.
    let is_test = |condition: &Condition| match condition {
        Condition::Distinct(..) => true,
        Condition::Positive(atom) | Condition::Negative(atom) => {
            !program.relations[atom.relation.index()].dynamic
        }
    };
    let local = variables_of(&rule.body).into_iter().filter(|v| !in_head.contains(v));
    let parts = local.filter_map(|v| {
        let mut part: Vec<usize> =
            (0..variables.len()).filter(|index| variables[*index].contains(&v)).collect();
        let all: Vec<u16> =
            variables_of(&part.iter().map(|index| rule.body[*index].clone()).collect::<Vec<_>>());
        let gains = variables.iter().flatten().any(|other| !all.contains(other));
        let within = |index: &usize| {
            !part.contains(index)
                && is_test(&rule.body[*index])
                && !variables[*index].is_empty()
                && variables[*index].iter().all(|other| all.contains(other))
        };
        let tests: Vec<usize> = (0..variables.len()).filter(within).collect();
        part.extend(tests);
        part.sort_unstable();
        gains.then_some((all.len(), part))
    });
    parts.min().map(|(_, part)| part)
}

/// Guards for the shared variables that the part itself does not give; none if that is impossible.
fn guards(
    program: &mut Program,
    rule: &Rule,
    part: &[Condition],
    rest: &[Condition],
    shared: &[u16],
    done: &mut Vec<Rule>,
    known: &mut Known,
) -> Option<Vec<Condition>> {
    let given = given_by(part);
    let mut missing: Vec<u16> = shared.iter().copied().filter(|v| !given.contains(v)).collect();
    let mut guards = Vec::new();
    while !missing.is_empty() {
        let covered = |condition: &Condition| {
            let Condition::Positive(_) = condition else { return 0 };
            condition.variables().iter().filter(|v| missing.contains(v)).count()
        };
        let best = rest.iter().max_by_key(|condition| covered(condition))?;
        if covered(best) == 0 {
            return None;
        }
        let taken: Vec<u16> = best.variables().into_iter().filter(|v| missing.contains(v)).collect();
        missing.retain(|v| !taken.contains(v));
        let body = vec![best.clone()];
        let atom = name_part(program, "guard", body, &taken, true, rule.source, done, known);
        guards.push(Condition::Positive(atom));
    }
    Some(guards)
}

/// The relation of some variables that holds where a body does, made or known.
#[allow(clippy::too_many_arguments)]
fn name_part(
    program: &mut Program,
    stem: &str,
    body: Vec<Condition>,
    shared: &[u16],
    guard: bool,
    source: Option<u32>,
    done: &mut Vec<Rule>,
    known: &mut Known,
) -> AtomPattern {
    // Renumbered in the order of appearance, equal parts of different rules look the same.
    let mut order: Vec<u16> = shared.to_vec();
    order.extend(variables_of(&body).into_iter().filter(|v| !shared.contains(v)));
    let number = |v: u16| order.iter().position(|other| *other == v).unwrap_or(0) as u16;
    let body: Vec<Condition> = body.iter().map(|condition| renumbered(condition, &number)).collect();
    let key = (body.clone(), shared.len() as u16, guard);
    let head = match known.get(&key) {
        Some(head) => head.clone(),
        None => {
            let name = program.symbols.fresh(stem);
            let relation = program.relation(name, shared.len());
            program.relations[relation.index()].guard = guard;
            let args = (0..shared.len() as u16).map(Pattern::Variable).collect();
            let head = AtomPattern { relation, pattern: program.compound(name, args) };
            done.push(Rule {
                head: head.clone(),
                body,
                variables: order.len() as u16,
                silent: guard,
                source,
            });
            known.insert(key, head.clone());
            head
        }
    };
    let back = |v: u16| order[usize::from(v)];
    AtomPattern { relation: head.relation, pattern: renamed(&head.pattern, &back) }
}

fn renamed(pattern: &Pattern, name: &impl Fn(u16) -> u16) -> Pattern {
    match pattern {
        Pattern::Variable(v) => Pattern::Variable(name(*v)),
        Pattern::Ground(id) => Pattern::Ground(*id),
        Pattern::Compound(symbol, args) => {
            Pattern::Compound(*symbol, args.iter().map(|arg| renamed(arg, name)).collect())
        }
    }
}

fn renumbered(condition: &Condition, name: &impl Fn(u16) -> u16) -> Condition {
    let atom =
        |atom: &AtomPattern| AtomPattern { relation: atom.relation, pattern: renamed(&atom.pattern, name) };
    match condition {
        Condition::Positive(inner) => Condition::Positive(atom(inner)),
        Condition::Negative(inner) => Condition::Negative(atom(inner)),
        Condition::Distinct(left, right) => Condition::Distinct(renamed(left, name), renamed(right, name)),
    }
}
