//! The machine that does not ground: each state's consequences are derived when they are needed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kibitz_core::rng::derive;

use super::machine::{Machine, Outlook};
use crate::deduce::{Demands, Engine, Halt, Negation, Program, RelationId, TermId, add_demands};
use crate::ground::{NotGround, OUTPUTS};
use crate::syntax::{Rules, Symbol};

/// Derives what follows in a state from the rules themselves.
pub struct Reasoner {
    mind: Mutex<Mind>,
    roles: Vec<String>,
    role_terms: Vec<TermId>,
    has_percepts: bool,
    initial: Vec<TermId>,
}

struct Mind {
    engine: Engine,
    relations: Relations,
    limits: ReasonLimits,
    /// The relations that are derived anew for each state.
    changing: Vec<RelationId>,
    /// The last limit that was hit.
    trouble: Option<String>,
    /// The heads of the file's rules.
    heads: Vec<String>,
}

/// The relations that the language itself knows.
#[derive(Clone, Copy)]
struct Relations {
    role: RelationId,
    init: RelationId,
    truth: RelationId,
    does: RelationId,
    next: Output,
    legal: Output,
    goal: Output,
    terminal: Output,
    sees: Output,
}

/// A relation that is asked for, and the one that says so.
#[derive(Clone, Copy)]
struct Output {
    relation: RelationId,
    demand: Option<RelationId>,
}

/// How far the reasoner may go.
#[derive(Clone, Copy, Debug)]
pub struct ReasonLimits {
    /// Atoms that joins look at for one state. From 1; 100 million by default.
    pub steps: u64,
    /// Atoms that follow in one state. From 1; 5 million by default.
    pub atoms: usize,
    /// Terms that are remembered. They add up from state to state. From 1; 20 million by default.
    pub terms: usize,
}

impl Default for ReasonLimits {
    fn default() -> ReasonLimits {
        ReasonLimits { steps: 100_000_000, atoms: 5_000_000, terms: 20_000_000 }
    }
}

impl ReasonLimits {
    /// Which limit was hit, in a sentence, where `what` was being derived.
    fn sentence(&self, halt: Halt, what: &str) -> String {
        match halt {
            Halt::Unsafe(_) => "a variable of a rule is given no value".to_owned(),
            Halt::Depth => format!("a function grows without end in {what}"),
            Halt::Steps => {
                format!("{what} takes more than {} steps to derive (limit.state_steps)", self.steps)
            }
            Halt::Size => format!("{what} is more than {} facts (limit.state_facts)", self.atoms),
        }
    }
}

/// Steps of a game that are tried to see which way of thinking is shorter.
const TRIED: usize = 6;

impl Reasoner {
    /// The machine of some rules.
    ///
    /// # Errors
    /// If what never changes cannot be derived within bounds.
    pub fn new(rules: &Rules, limits: &ReasonLimits) -> Result<Reasoner, NotGround> {
        let mut program = Program::new(rules);
        program.keep_relevant(&OUTPUTS);
        if !program.is_stratified() {
            let why = "a relation depends on the negation of itself".to_owned();
            return Err(NotGround { why, rule: None });
        }
        let outputs = [
            (Symbol::NEXT, 1),
            (Symbol::LEGAL, 2),
            (Symbol::GOAL, 2),
            (Symbol::TERMINAL, 0),
            (Symbol::SEES, 2),
            (Symbol::ROLE, 1),
            (Symbol::INIT, 1),
            (Symbol::TRUE, 1),
            (Symbol::DOES, 2),
        ]
        .map(|(name, arity)| program.relation(name, arity));
        program.mark_dynamic();
        // To derive only what is asked for is nearly always shorter, but not where little follows
        // from the state and much could be asked about it.
        let mut asking = program.clone();
        let demands = add_demands(&mut asking, &OUTPUTS, false);
        let mut mind = Mind::new(asking, outputs, Some(demands), limits)?;
        let mut plain = Mind::new(program, outputs, None, limits)?;
        let (spent, _) = mind.try_out(limits.steps);
        if let (less, true) = plain.try_out(spent)
            && less < spent
        {
            mind = plain;
        }
        mind.heads = rules.rules.iter().map(|rule| rules.show(&rule.head)).collect();
        let inner = |relation| -> Vec<TermId> {
            let atoms = mind.engine.store.atoms(relation).iter();
            atoms.map(|atom| mind.engine.program.terms.args(*atom)[0]).collect()
        };
        let (role_terms, mut initial) = (inner(mind.relations.role), inner(mind.relations.init));
        initial.sort_unstable();
        let roles = role_terms.iter().map(|role| mind.show(*role)).collect();
        let has_percepts = rules.has_percepts();
        Ok(Reasoner { mind: Mutex::new(mind), roles, role_terms, has_percepts, initial })
    }

    fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rule of the file that was being applied when a limit was hit.
fn source_of_halt(engine: &Engine) -> Option<u32> {
    engine.at.and_then(|rule| engine.program.rules[rule].source)
}

/// What holds in a state that could not be derived.
const UNKNOWN: [TermId; 1] = [TermId::NONE];

impl Mind {
    /// A mind that knows what never changes.
    fn new(
        program: Program,
        outputs: [RelationId; 9],
        demands: Option<Demands>,
        limits: &ReasonLimits,
    ) -> Result<Mind, NotGround> {
        let [.., role, init, truth, does] = outputs;
        let [next, legal, goal, terminal, sees, ..] = outputs.map(|relation| Output {
            relation,
            demand: demands.as_ref().and_then(|demands| demands[relation.index()]),
        });
        let relations = Relations { role, init, truth, does, next, legal, goal, terminal, sees };
        let mut engine = Engine::new(program, Negation::Exact, limits.steps, limits.atoms);
        if let Err(halt) = engine.saturate(|relation| !relation.dynamic, &mut |_, _, _, _| Ok(())) {
            let why = limits.sentence(halt, "what never changes");
            return Err(NotGround { why, rule: source_of_halt(&engine) });
        }
        let changing = (0..engine.program.relations.len())
            .filter(|number| engine.program.relations[*number].dynamic)
            .map(|number| RelationId(number as u32))
            .collect();
        Ok(Mind { engine, relations, limits: *limits, changing, trouble: None, heads: Vec::new() })
    }

    /// How many steps the beginning of a game takes, and whether that is no more than so many.
    fn try_out(&mut self, most: u64) -> (u64, bool) {
        let limits = self.limits;
        let Relations { role, init, legal, terminal, next, .. } = self.relations;
        let inner = |mind: &Mind, relation| -> Vec<TermId> {
            let atoms = mind.engine.store.atoms(relation).iter();
            atoms.map(|atom| mind.engine.program.terms.args(*atom)[0]).collect()
        };
        let (roles, mut facts) = (inner(self, role), inner(self, init));
        let mut spent = 0;
        let mut within = true;
        for step in 0..TRIED {
            self.limits.steps = most.saturating_sub(spent).max(1);
            within &= self.think(&[legal, terminal], &facts, &[], &[]);
            spent += self.limits.steps - self.engine.steps;
            // Any move will do; the steps' numbers make for some variety.
            let chosen: Vec<u32> = roles
                .iter()
                .filter_map(|role| {
                    let moves = self.of_role(legal, *role);
                    Some(moves.get((step * 7) % moves.len().max(1))?.0)
                })
                .collect();
            if !within || chosen.len() < roles.len() || !self.atoms(terminal).is_empty() {
                break;
            }
            self.limits.steps = most.saturating_sub(spent).max(1);
            within &= self.think(&[next], &facts, &roles, &chosen);
            spent += self.limits.steps - self.engine.steps;
            facts = inner(self, next.relation);
            facts.sort_unstable();
        }
        self.limits = limits;
        (spent, within)
    }

    /// Derives what is asked for from facts and moves; false if that hits a limit.
    fn think(&mut self, asked: &[Output], facts: &[TermId], roles: &[TermId], moves: &[u32]) -> bool {
        if facts == UNKNOWN {
            return false;
        }
        let engine = &mut self.engine;
        engine.steps = self.limits.steps;
        engine.store.clear(self.changing.iter().copied());
        for fact in facts {
            let atom = engine.program.terms.intern(Symbol::TRUE, &[*fact]);
            engine.assert(self.relations.truth, atom);
        }
        for (role, chosen) in roles.iter().zip(moves) {
            let atom = engine.program.terms.intern(Symbol::DOES, &[*role, TermId(*chosen)]);
            engine.assert(self.relations.does, atom);
        }
        for demand in asked.iter().filter_map(|output| output.demand) {
            let name = engine.program.relations[demand.index()].name;
            let atom = engine.program.terms.intern(name, &[]);
            engine.assert(demand, atom);
        }
        let ended = engine.saturate(|relation| relation.dynamic, &mut |_, _, _, _| Ok(()));
        let count = engine.program.terms.len();
        self.trouble = match ended {
            Err(halt) => {
                let head = source_of_halt(engine).and_then(|rule| self.heads.get(rule as usize));
                let by = head.map_or(String::new(), |head| format!(", above all by the rule for {head}"));
                Some(self.limits.sentence(halt, "what follows in a state") + &by)
            }
            Ok(()) if count > self.limits.terms => {
                Some(format!("the states so far have more than {} terms (limit.terms)", self.limits.terms))
            }
            Ok(()) => return true,
        };
        false
    }

    fn atoms(&self, output: Output) -> &[TermId] {
        self.engine.store.atoms(output.relation)
    }

    /// The second arguments of a relation's atoms whose first is the role, ascending.
    fn of_role(&self, output: Output, role: TermId) -> Vec<TermId> {
        let terms = &self.engine.program.terms;
        let own = self.atoms(output).iter().filter(|atom| terms.args(**atom)[0] == role);
        let mut found: Vec<TermId> = own.map(|atom| terms.args(*atom)[1]).collect();
        found.sort_unstable();
        found
    }

    fn show(&self, term: TermId) -> String {
        self.engine.program.terms.show(&self.engine.program.symbols, term)
    }
}

impl Machine for Reasoner {
    type Facts = Vec<TermId>;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn has_percepts(&self) -> bool {
        self.has_percepts
    }

    fn initial(&self) -> Vec<TermId> {
        self.initial.clone()
    }

    fn outlook(&self, facts: &Vec<TermId>, outlook: &mut Outlook) {
        let mut mind = self.mind();
        let Relations { legal, terminal, .. } = mind.relations;
        let thought = mind.think(&[legal, terminal], facts, &[], &[]);
        outlook.trouble = if thought { None } else { mind.trouble.clone() };
        outlook.terminal = thought && !mind.atoms(terminal).is_empty();
        outlook.moves.clear();
        outlook.ends.clear();
        for role in &self.role_terms {
            if thought {
                outlook.moves.extend(mind.of_role(legal, *role).iter().map(|term| term.0));
            }
            outlook.ends.push(outlook.moves.len() as u32);
        }
    }

    fn scores(&self, facts: &Vec<TermId>, role: usize) -> Vec<f64> {
        let mut mind = self.mind();
        let goal = mind.relations.goal;
        if !mind.think(&[goal], facts, &[], &[]) {
            return Vec::new();
        }
        let scores = mind.of_role(goal, self.role_terms[role]);
        scores.iter().map(|score| mind.show(*score).parse().unwrap_or(0.0)).collect()
    }

    fn advance(&self, facts: &mut Vec<TermId>, moves: &[u32], told: &mut Vec<u64>) {
        let mut mind = self.mind();
        let Relations { next, sees, .. } = mind.relations;
        let thought = mind.think(&[next, sees], facts, &self.role_terms, moves);
        facts.clear();
        if self.has_percepts {
            told.clear();
        }
        if !thought {
            facts.extend(UNKNOWN);
            return;
        }
        let terms = &mind.engine.program.terms;
        facts.extend(mind.atoms(next).iter().map(|atom| terms.args(*atom)[0]));
        facts.sort_unstable();
        if self.has_percepts {
            for role in &self.role_terms {
                let heard = mind.of_role(sees, *role);
                told.push(heard.iter().fold(0, |key, term| derive(key, u64::from(term.0) + 1)));
            }
        }
    }

    fn percepts(&self, facts: &Vec<TermId>, moves: &[u32], role: usize) -> Vec<String> {
        let mut mind = self.mind();
        let sees = mind.relations.sees;
        if !mind.think(&[sees], facts, &self.role_terms, moves) {
            return Vec::new();
        }
        let heard = mind.of_role(sees, self.role_terms[role]);
        heard.iter().map(|term| mind.show(*term)).collect()
    }

    fn move_name(&self, _: usize, number: u32) -> String {
        self.mind().show(TermId(number))
    }

    fn describe(&self, facts: &Vec<TermId>) -> Vec<String> {
        let mind = self.mind();
        let known = facts.iter().filter(|fact| **fact != TermId::NONE);
        let mut names: Vec<String> = known.map(|fact| mind.show(*fact)).collect();
        names.sort_unstable();
        names
    }

    fn hash(&self, facts: &Vec<TermId>) -> u64 {
        facts.iter().fold(1, |key, fact| derive(key, u64::from(fact.0)))
    }
}
