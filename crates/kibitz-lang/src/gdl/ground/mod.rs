//! Grounding: rules without variables, for all that can ever be true or done.
//!
//! What may be true is over-approximated: a negated condition that changes from state to state is
//! taken to hold, everything that may be legal may be done, everything that may be next may be
//! true. Relations that never change are evaluated exactly, once, and vanish from the rules.

mod split;

use std::time::{Duration, Instant};

use crate::gdl::deduce::{
    AtomPattern, Condition, Engine, Halt, Negation, Program, Relation, Rule, STATIC_FACTS, TermId, Terms,
    add_demands, build, resolve,
};
use crate::gdl::syntax::{Rules, Symbol, Symbols};

pub use split::Grain;

/// How far grounding may go.
#[derive(Clone, Copy, Debug)]
pub struct GroundLimits {
    /// Ground rules. From 1; 3 million by default.
    pub rules: usize,
    /// Conditions of all ground rules together. From 1; 30 million by default.
    pub conditions: usize,
    /// Atoms that joins look at. From 1; 400 million by default.
    pub steps: u64,
    /// Atoms of relations that never change and depend on each other, of which more are derived on demand.
    /// From 1; 300,000 by default.
    pub static_facts: usize,
    /// Time; 20 seconds by default.
    pub time: Duration,
}

impl Default for GroundLimits {
    fn default() -> GroundLimits {
        GroundLimits {
            rules: 3_000_000,
            conditions: 30_000_000,
            steps: 400_000_000,
            static_facts: STATIC_FACTS,
            time: Duration::from_secs(20),
        }
    }
}

/// A condition of a ground rule: an atom, negated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLiteral(u32);

impl GroundLiteral {
    /// The atom holds (or does not).
    pub fn new(atom: TermId, negated: bool) -> GroundLiteral {
        GroundLiteral(atom.0 << 1 | u32::from(negated))
    }

    /// The atom.
    pub fn atom(self) -> TermId {
        TermId(self.0 >> 1)
    }

    /// Whether it must not hold.
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Rules without variables.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The terms; atoms are terms.
    pub terms: Terms,
    /// The names.
    pub symbols: Symbols,
    /// The roles in the file's order.
    pub roles: Vec<TermId>,
    /// What holds at the start (the facts, without `init`).
    pub initial: Vec<TermId>,
    /// What may ever hold, in the order of discovery: atoms `(true fact)`.
    pub fluents: Vec<TermId>,
    /// What may ever be legal: atoms `(legal role move)`.
    pub legal: Vec<TermId>,
    /// What may ever be the score: atoms `(goal role score)`.
    pub goals: Vec<TermId>,
    /// What may ever be told: atoms `(sees role percept)`.
    pub percepts: Vec<TermId>,
    pub(crate) has_percepts: bool,
    /// See [`Rules::outside`].
    pub(crate) outside: bool,
    /// The heads of the rules.
    heads: Vec<TermId>,
    /// Where each rule's conditions begin; one more entry than there are rules.
    begin: Vec<u32>,
    conditions: Vec<GroundLiteral>,
}

impl Ground {
    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The rules: head and conditions.
    pub fn rules(&self) -> impl Iterator<Item = (TermId, &[GroundLiteral])> {
        self.heads.iter().enumerate().map(|(number, head)| {
            (*head, &self.conditions[self.begin[number] as usize..self.begin[number + 1] as usize])
        })
    }

    /// Whether the rules say what each role is told (GDL-II).
    pub fn has_percepts(&self) -> bool {
        self.has_percepts
    }
}

/// Why rules could not be ground, or not be run without that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotGround {
    /// In a sentence.
    pub why: String,
    /// The rule of the file that is to blame, where one is.
    pub rule: Option<u32>,
}

/// What the rest of the pipeline asks for.
pub(crate) const OUTPUTS: [Symbol; 7] =
    [Symbol::ROLE, Symbol::INIT, Symbol::LEGAL, Symbol::NEXT, Symbol::GOAL, Symbol::TERMINAL, Symbol::SEES];

/// What is done to the rules before they are ground. The games are the same, the networks are not:
/// which way makes the smallest differs from file to file, by factors of thirty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundingStrategy {
    /// How far rules are split.
    pub grain: Grain,
    /// Whether only what is asked for is ground.
    pub on_demand: bool,
}

impl GroundingStrategy {
    /// All ways, the one that suits most games first.
    pub const ALL: [GroundingStrategy; 4] = [
        GroundingStrategy { grain: Grain::Coarse, on_demand: false },
        GroundingStrategy { grain: Grain::Coarse, on_demand: true },
        GroundingStrategy { grain: Grain::Fine, on_demand: true },
        GroundingStrategy { grain: Grain::Fine, on_demand: false },
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match (self.grain, self.on_demand) {
            (Grain::Coarse, false) => "coarse",
            (Grain::Coarse, true) => "coarse on demand",
            (Grain::Fine, true) => "fine on demand",
            (Grain::Fine, false) => "fine",
        }
    }
}

/// Grounds the rules in the usual way.
///
/// # Errors
/// Where a limit is hit.
pub fn ground(rules: &Rules, limits: &GroundLimits) -> Result<Ground, NotGround> {
    ground_by(GroundingStrategy::ALL[0], rules, limits)
}

/// Grounds the rules in one of several ways.
///
/// # Errors
/// Where a limit is hit.
pub fn ground_by(
    way: GroundingStrategy,
    rules: &Rules,
    limits: &GroundLimits,
) -> Result<Ground, NotGround> {
    ground_program(way, &prepared(rules, limits)?, rules.has_percepts(), limits)
}

/// The rules made ready for every way of grounding.
///
/// # Errors
/// Where they cannot be ground at all.
pub fn prepared(rules: &Rules, limits: &GroundLimits) -> Result<Program, NotGround> {
    let deadline = Instant::now() + limits.time;
    let mut program = Program::new(rules);
    program.keep_relevant(&OUTPUTS);
    program.mark_dynamic();
    // What changes is ordered atom by atom in the network; the rest is derived relation by relation.
    if program.unstratified().iter().any(|relation| !program.relations[relation.index()].dynamic) {
        return Err(NotGround {
            why: "a relation depends on the negation of itself".to_owned(),
            rule: None,
        });
    }
    program
        .set_large_apart(limits.static_facts, Some(deadline))
        .map_err(|(_, rule)| NotGround { why: TOO_MUCH.to_owned(), rule })?;
    Ok(program)
}

const TOO_MUCH: &str = "there is too much that never changes";

/// Grounds rules that were made ready.
///
/// # Errors
/// Where a limit is hit.
pub fn ground_program(
    way: GroundingStrategy,
    program: &Program,
    has_percepts: bool,
    limits: &GroundLimits,
) -> Result<Ground, NotGround> {
    let begun = Instant::now();
    let mut program = program.clone();
    if program.has_large() && !way.on_demand {
        return Err(NotGround { why: TOO_MUCH.to_owned(), rule: None });
    }
    if way.on_demand {
        ask_for_outputs(&mut program);
    }
    split::split(&mut program, way.grain);
    program.add_copy(Symbol::TRUE, Symbol::INIT, 1);
    program.add_copy(Symbol::TRUE, Symbol::NEXT, 1);
    program.add_copy(Symbol::DOES, Symbol::LEGAL, 2);
    program.mark_dynamic();
    let mut engine = Engine::new(program, Negation::Open, limits.steps, limits.rules);
    engine.deadline = Some(begun + limits.time);
    let sources: Vec<Option<u32>> = engine.program.rules.iter().map(|rule| rule.source).collect();
    let mut found = Found { heads: Vec::new(), begin: vec![0], conditions: Vec::new() };
    // The engine owns the rules while it runs: what becomes of each condition is settled before.
    let templates: Vec<Vec<(Condition, bool)>> =
        engine.program.rules.iter().map(|rule| template(&engine.program, &rule.body)).collect();
    let silent: Vec<bool> = engine
        .program
        .rules
        .iter()
        .map(|rule| {
            let relation = &engine.program.relations[rule.head.relation.index()];
            rule.silent || !relation.dynamic && !OUTPUTS.contains(&relation.name)
        })
        .collect();
    let mut emit = |terms: &mut Terms, rule: usize, head: TermId, values: &[TermId]| {
        if silent[rule] {
            return Ok(());
        }
        found.add(terms, head, &templates[rule], values).ok_or(Halt::Unsafe(rule))?;
        if found.heads.len() > limits.rules || found.conditions.len() > limits.conditions {
            return Err(Halt::Size);
        }
        Ok(())
    };
    let ended = engine.saturate(|_| true, &mut emit);
    let rule = engine.at.and_then(|rule| sources[rule]);
    ended.map_err(|halt| {
        let why = match halt {
            Halt::Steps if begun.elapsed() > limits.time => {
                format!("grounding took more than {} s (limit.seconds)", limits.time.as_secs_f64())
            }
            Halt::Steps => format!("grounding took more than {} steps (limit.ground_steps)", limits.steps),
            Halt::Size if found.conditions.len() > limits.conditions => {
                format!(
                    "ground rules have more than {} conditions (limit.ground_conditions)",
                    limits.conditions
                )
            }
            Halt::Size => format!("there are more than {} ground rules (limit.ground_rules)", limits.rules),
            Halt::Depth => "a function grows without end".to_owned(),
            Halt::Unsafe(_) => "a variable of a rule is given no value".to_owned(),
        };
        NotGround { why, rule }
    })?;
    Ok(collect(engine, found, has_percepts))
}

/// Grounds only what the outputs need.
fn ask_for_outputs(program: &mut Program) {
    for (relation, demand) in add_demands(program, &OUTPUTS, true).into_iter().enumerate() {
        let Some(relation) = demand.filter(|_| OUTPUTS.contains(&program.relations[relation].name)) else {
            continue;
        };
        let name = program.relations[relation.index()].name;
        let head = AtomPattern { relation, pattern: program.compound(name, Vec::new()) };
        program.rules.push(Rule { head, body: Vec::new(), variables: 0, silent: true, source: None });
    }
}

struct Found {
    heads: Vec<TermId>,
    begin: Vec<u32>,
    conditions: Vec<GroundLiteral>,
}

/// The conditions that remain when a rule is ground: those that change, but for guards.
fn template(program: &Program, body: &[Condition]) -> Vec<(Condition, bool)> {
    let changes = |relation: &Relation| relation.dynamic && !relation.guard;
    body.iter()
        .filter_map(|condition| match condition {
            Condition::Positive(atom) if changes(&program.relations[atom.relation.index()]) => {
                Some((condition.clone(), false))
            }
            Condition::Negative(atom) if changes(&program.relations[atom.relation.index()]) => {
                Some((condition.clone(), true))
            }
            _ => None,
        })
        .collect()
}

impl Found {
    fn add(
        &mut self,
        terms: &mut Terms,
        head: TermId,
        template: &[(Condition, bool)],
        values: &[TermId],
    ) -> Option<()> {
        let first = self.conditions.len();
        for (condition, negated) in template {
            let (Condition::Positive(atom) | Condition::Negative(atom)) = condition else { continue };
            let id = match resolve(terms, &atom.pattern, values) {
                Some(id) => id,
                None => build(terms, &atom.pattern, values)?,
            };
            self.conditions.push(GroundLiteral::new(id, *negated));
        }
        self.conditions[first..].sort_unstable();
        // The same condition twice is once; a condition with its opposite never holds.
        let mut kept = first;
        for next in first..self.conditions.len() {
            if kept > first && self.conditions[kept - 1] == self.conditions[next] {
                continue;
            }
            if kept > first && self.conditions[kept - 1].atom() == self.conditions[next].atom() {
                self.conditions.truncate(first);
                return Some(());
            }
            self.conditions[kept] = self.conditions[next];
            kept += 1;
        }
        self.conditions.truncate(kept);
        self.heads.push(head);
        self.begin.push(kept as u32);
        Some(())
    }
}

fn collect(engine: Engine, found: Found, has_percepts: bool) -> Ground {
    let Engine { program, store, .. } = engine;
    let atoms = |name: Symbol, arity: usize| {
        program.find(name, arity).map_or(Vec::new(), |relation| store.atoms(relation).to_vec())
    };
    // In an order that does not depend on the way of grounding: moves and facts keep their numbers.
    let ranks = program.symbols.ranks();
    let sorted = |name: Symbol, arity: usize| {
        let mut atoms = atoms(name, arity);
        atoms.sort_by(|a, b| program.terms.compare(&ranks, *a, *b));
        atoms
    };
    let inner = |atoms: Vec<TermId>| -> Vec<TermId> {
        atoms.iter().filter_map(|atom| program.terms.args(*atom).first().copied()).collect()
    };
    Ground {
        roles: inner(atoms(Symbol::ROLE, 1)),
        initial: inner(atoms(Symbol::INIT, 1)),
        fluents: sorted(Symbol::TRUE, 1),
        legal: sorted(Symbol::LEGAL, 2),
        goals: sorted(Symbol::GOAL, 2),
        percepts: sorted(Symbol::SEES, 2),
        has_percepts,
        outside: program.outside,
        heads: found.heads,
        begin: found.begin,
        conditions: found.conditions,
        terms: program.terms,
        symbols: program.symbols,
    }
}
