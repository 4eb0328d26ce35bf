//! What the reasoner thinks with: an engine that derives one state's consequences after the other's.

use std::time::Instant;

use kibitz_core::Rng;

use super::ReasonLimits;
use super::value::{Names, Script};
use crate::gdl::deduce::{Demands, Engine, Halt, Negation, Program, RelationId, TermId, add_demands};
use crate::gdl::ground::{NotGround, OUTPUTS};
use crate::gdl::syntax::{Rules, Symbol};
use crate::gdl::times::{FOREVER, Lifetimes, shown};

/// The engine. A thought begins from the rules and what never changes, and from nothing that was
/// thought before: what is derived from a state depends on the state alone.
pub(super) struct Mind {
    engine: Engine,
    pub relations: Relations,
    names: Names,
    script: Script,
    limits: ReasonLimits,
    /// The relations that are derived anew for each state.
    changing: Vec<RelationId>,
    /// The heads of the file's rules.
    heads: Vec<String>,
}

/// The relations that the language itself knows.
#[derive(Clone, Copy)]
pub(super) struct Relations {
    pub role: RelationId,
    pub init: RelationId,
    truth: RelationId,
    does: RelationId,
    expired: RelationId,
    pub next: Output,
    pub legal: Output,
    pub goal: Output,
    pub terminal: Output,
    pub sees: Output,
}

/// A state that is written down.
#[derive(Clone, Copy, Default)]
pub(super) struct Written<'a> {
    /// The facts that hold,
    pub facts: &'a [u32],
    /// how long each of them still does, where facts have lifetimes,
    pub lifetimes: &'a [u64],
    /// and those that have just expired.
    pub expired: &'a [u32],
}

/// A relation that is asked for, and the one that says so.
#[derive(Clone, Copy)]
pub(super) struct Output {
    pub relation: RelationId,
    demand: Option<RelationId>,
}

/// What holds, as terms.
#[derive(Clone, Default)]
struct State {
    facts: Vec<TermId>,
    lifetimes: Vec<u64>,
    expired: Vec<TermId>,
}

/// Steps of a game that are tried to see which way of thinking is shorter.
const TRIED: usize = 6;
/// Steps of games after which what is met often has been met, and how many atoms are looked at for that.
const FAMILIAR: (usize, u64) = (300, 2_000_000);

/// The rule of the file that was being applied when a limit was hit.
fn source_of_halt(engine: &Engine) -> Option<u32> {
    engine.at.and_then(|rule| engine.program.rules[rule].source)
}

fn too_late(limits: &ReasonLimits) -> NotGround {
    let seconds = limits.time.as_secs_f64();
    let why =
        format!("what comes before the first move takes more than {seconds} s to derive (limit.seconds)");
    NotGround { why, rule: None }
}

impl Mind {
    /// A mind for some rules.
    ///
    /// # Errors
    /// If what never changes cannot be derived within bounds.
    pub fn of(rules: &Rules, limits: &ReasonLimits) -> Result<Mind, NotGround> {
        let deadline = Instant::now() + limits.time;
        let mut program = Program::new(rules);
        program.keep_relevant(&OUTPUTS);
        if !program.is_stratified() {
            let why = "a relation depends on the negation of itself".to_owned();
            return Err(NotGround { why, rule: None });
        }
        let fact = 1 + usize::from(rules.timed);
        let outputs = [
            (Symbol::NEXT, fact),
            (Symbol::LEGAL, 2),
            (Symbol::GOAL, 2),
            (Symbol::TERMINAL, 0),
            (Symbol::SEES, 2),
            (Symbol::ROLE, 1),
            (Symbol::INIT, fact),
            (Symbol::TRUE, fact),
            (Symbol::DOES, 2),
            (Symbol::EXPIRED, 1),
        ]
        .map(|(name, arity)| program.relation(name, arity));
        program.mark_dynamic();
        program.set_large_apart(limits.static_facts, Some(deadline)).map_err(|(halt, rule)| {
            if Instant::now() > deadline {
                return too_late(limits);
            }
            NotGround { why: limits.sentence(halt, "what never changes"), rule }
        })?;
        // To derive only what is asked for is nearly always shorter, but not where little follows
        // from the state and much could be asked about it.
        let mut asking = program.clone();
        let demands = add_demands(&mut asking, &OUTPUTS, false);
        let lifetimes = || if rules.timed { Lifetimes::of(&rules.symbols) } else { Lifetimes::default() };
        let mut mind = Mind::new(asking, outputs, Some(demands), lifetimes(), limits, deadline)?;
        let mut plain = Mind::new(program, outputs, None, lifetimes(), limits, deadline)?;
        let (spent, _) = mind.play(TRIED, limits.steps);
        if let (less, true) = plain.play(TRIED, spent)
            && less < spent
        {
            mind = plain;
        }
        // What the clock has cut short decides nothing: games would differ from one load to the next.
        if Instant::now() > deadline {
            return Err(too_late(limits));
        }
        mind.engine.deadline = None;
        mind.heads = rules.rules.iter().map(|rule| rules.show(&rule.head)).collect();
        // The terms that were met by now keep their numbers: to find one again is quicker than to make it.
        mind.play(FAMILIAR.0, FAMILIAR.1.min(limits.steps));
        mind.script.known = mind.engine.program.terms.len() as u32;
        mind.names.learn(&mind.engine.program.terms, &mind.script.lifetimes);
        mind.engine.plan_all();
        Ok(mind)
    }

    /// A mind that knows what never changes.
    fn new(
        program: Program,
        outputs: [RelationId; 10],
        demands: Option<Demands>,
        lifetimes: Lifetimes,
        limits: &ReasonLimits,
        deadline: Instant,
    ) -> Result<Mind, NotGround> {
        let [.., role, init, truth, does, expired] = outputs;
        let [next, legal, goal, terminal, sees, ..] = outputs.map(|relation| Output {
            relation,
            demand: demands.as_ref().and_then(|demands| demands[relation.index()]),
        });
        let relations = Relations { role, init, truth, does, expired, next, legal, goal, terminal, sees };
        let names = Names::of(&program.symbols);
        let mut engine = Engine::new(program, Negation::Exact, limits.steps, limits.atoms);
        engine.deadline = Some(deadline);
        if let Err(halt) = engine.saturate(|relation| !relation.dynamic, &mut |_, _, _, _| Ok(())) {
            if Instant::now() > deadline {
                return Err(too_late(limits));
            }
            let why = limits.sentence(halt, "what never changes");
            return Err(NotGround { why, rule: source_of_halt(&engine) });
        }
        engine.store.settle();
        let changing = (0..engine.program.relations.len())
            .filter(|number| engine.program.relations[*number].dynamic)
            .map(|number| RelationId(number as u32))
            .collect();
        let script = Script { known: u32::MAX, lifetimes };
        Ok(Mind { engine, relations, names, script, limits: *limits, changing, heads: Vec::new() })
    }

    /// Plays so many steps of games that are always the same, until more than so many atoms were looked
    /// at: how many those were, and whether it was not too many.
    fn play(&mut self, steps: usize, most: u64) -> (u64, bool) {
        let Relations { role, init, legal, terminal, next, .. } = self.relations;
        let roles = self.inner(role);
        let Ok(start) = self.state(init) else { return (0, true) };
        let (mut state, mut rng, mut left) = (start.clone(), Rng::new(1), most);
        for _ in 0..steps {
            if self.derive(&[legal, terminal], &state, &[], &mut left).is_err() {
                return (most - left, false);
            }
            let choose = |role: &TermId| {
                let moves = self.of_role(legal, *role);
                Some((*role, *moves.get(rng.below(moves.len() as u32) as usize)?))
            };
            let chosen: Vec<(TermId, TermId)> = roles.iter().filter_map(choose).collect();
            // In real time not everybody moves; that time goes by is not tried.
            let all = if self.engine.program.timed { 1 } else { roles.len() };
            if chosen.len() < all || self.holds(terminal) {
                state.clone_from(&start);
                continue;
            }
            if self.derive(&[next], &state, &chosen, &mut left).is_err() {
                return (most - left, false);
            }
            state = self.state(next.relation).unwrap_or_else(|_| start.clone());
        }
        (most - left, true)
    }

    /// Derives what is asked for from facts and moves that are written down. A sentence if that hits a
    /// limit.
    pub fn think(
        &mut self,
        asked: &[Output],
        written: Written,
        moves: &[(TermId, &[u32])],
    ) -> Result<(), String> {
        self.engine.program.terms.truncate(self.script.known as usize);
        self.script.lifetimes.forget();
        let moves: Vec<(TermId, TermId)> = moves
            .iter()
            .flat_map(|(role, words)| self.read(words).into_iter().map(|chosen| (*role, chosen)))
            .collect();
        let (facts, expired) = (self.read(written.facts), self.read(written.expired));
        let state = State { facts, lifetimes: written.lifetimes.to_vec(), expired };
        let mut left = self.limits.steps;
        self.derive(asked, &state, &moves, &mut left).map_err(|halt| self.sentence(halt))?;
        if self.engine.program.terms.len() > self.limits.terms {
            return Err(format!("a state has more than {} terms (limit.terms)", self.limits.terms));
        }
        Ok(())
    }

    /// The terms that were written down.
    fn read(&mut self, mut words: &[u32]) -> Vec<TermId> {
        let terms = &mut self.engine.program.terms;
        std::iter::from_fn(|| self.script.read(terms, &mut words)).collect()
    }

    /// Derives what is asked for, and nothing of what was before stays; `left` is how many atoms may be
    /// looked at.
    fn derive(
        &mut self,
        asked: &[Output],
        state: &State,
        moves: &[(TermId, TermId)],
        left: &mut u64,
    ) -> Result<(), Halt> {
        let engine = &mut self.engine;
        engine.store.clear(self.changing.iter().copied());
        engine.steps = *left;
        for (number, fact) in state.facts.iter().enumerate() {
            let terms = &mut engine.program.terms;
            let atom = match state.lifetimes.get(number) {
                None => terms.intern(Symbol::TRUE, &[*fact]),
                Some(ticks) => {
                    let lifetime = terms.intern(self.script.lifetimes.symbol(*ticks), &[]);
                    terms.intern(Symbol::TRUE, &[lifetime, *fact])
                }
            };
            engine.assert(self.relations.truth, atom);
        }
        for fact in &state.expired {
            let atom = engine.program.terms.intern(Symbol::EXPIRED, &[*fact]);
            engine.assert(self.relations.expired, atom);
        }
        for (role, chosen) in moves {
            let atom = engine.program.terms.intern(Symbol::DOES, &[*role, *chosen]);
            engine.assert(self.relations.does, atom);
        }
        for demand in asked.iter().filter_map(|output| output.demand) {
            let name = engine.program.relations[demand.index()].name;
            let atom = engine.program.terms.intern(name, &[]);
            engine.assert(demand, atom);
        }
        let ended = engine.saturate(|relation| relation.dynamic, &mut |_, _, _, _| Ok(()));
        *left = engine.steps;
        ended
    }

    /// Which limit a thought has hit, and where.
    fn sentence(&self, halt: Halt) -> String {
        let head = source_of_halt(&self.engine).and_then(|rule| self.heads.get(rule as usize));
        let by = head.map_or(String::new(), |head| format!(", above all by the rule for {head}"));
        self.limits.sentence(halt, "what follows in a state") + &by
    }

    /// The only arguments of a relation's atoms, in the order of their derivation.
    pub fn inner(&self, relation: RelationId) -> Vec<TermId> {
        let atoms = self.engine.store.atoms(relation).iter();
        atoms.map(|atom| self.engine.program.terms.args(*atom)[0]).collect()
    }

    /// Whether something of a relation holds.
    pub fn holds(&self, output: Output) -> bool {
        !self.engine.store.atoms(output.relation).is_empty()
    }

    /// The second arguments of a relation's atoms whose first is the role, in the order of their values.
    pub fn of_role(&self, output: Output, role: TermId) -> Vec<TermId> {
        let terms = &self.engine.program.terms;
        let atoms = self.engine.store.atoms(output.relation).iter();
        let own = atoms.filter(|atom| terms.args(**atom)[0] == role);
        let mut found: Vec<TermId> = own.map(|atom| terms.args(*atom)[1]).collect();
        found.sort_unstable_by(|a, b| self.names.compare(terms, &self.script.lifetimes, *a, *b));
        found
    }

    /// Writes a term down.
    pub fn write(&self, term: TermId, words: &mut Vec<u32>) {
        self.script.write(&self.engine.program.terms, term, words);
    }

    /// Writes down the only arguments of a relation's atoms, in an order that depends on them alone.
    pub fn write_all(&self, relation: RelationId) -> Vec<u32> {
        let (mut words, mut ends) = (Vec::new(), vec![0]);
        for fact in self.inner(relation) {
            self.write(fact, &mut words);
            ends.push(words.len());
        }
        let mut parts: Vec<&[u32]> = ends.windows(2).map(|bounds| &words[bounds[0]..bounds[1]]).collect();
        parts.sort_unstable();
        parts.concat()
    }

    /// What the atoms of `init` or `next` say. A sentence where a lifetime is none.
    fn state(&self, relation: RelationId) -> Result<State, String> {
        if !self.engine.program.timed {
            return Ok(State { facts: self.inner(relation), ..State::default() });
        }
        let terms = &self.engine.program.terms;
        let mut state = State::default();
        for atom in self.engine.store.atoms(relation) {
            let [given, fact] = *terms.args(*atom) else { continue };
            let ticks = self.ticks(given).filter(|ticks| *ticks > 0).ok_or_else(|| {
                let (fact, given) = (self.show(fact), self.show(given));
                format!("the fact {fact} is given the lifetime {given}, which is neither a number above zero nor infinity")
            })?;
            state.facts.push(fact);
            state.lifetimes.push(ticks);
        }
        Ok(state)
    }

    /// Each fact that the atoms of `init` or `next` give with its lifetime, written down, in an order that depends on
    /// them alone.
    ///
    /// # Errors
    /// A sentence where a lifetime is none.
    pub fn write_timed(&self, relation: RelationId) -> Result<Vec<(Vec<u32>, u64)>, String> {
        let State { facts, lifetimes, .. } = self.state(relation)?;
        let mut all: Vec<(Vec<u32>, u64)> = Vec::with_capacity(facts.len());
        for (fact, ticks) in facts.into_iter().zip(lifetimes) {
            let mut words = Vec::new();
            self.write(fact, &mut words);
            all.push((words, ticks));
        }
        all.sort_unstable();
        Ok(all)
    }

    /// The lifetime that a term is.
    fn ticks(&self, term: TermId) -> Option<u64> {
        let terms = &self.engine.program.terms;
        let name = Some(terms.name(term)).filter(|_| terms.args(term).is_empty())?;
        self.script.lifetimes.ticks(name)
    }

    /// The number that is the first argument of a term that was written down.
    pub fn delay_of(&mut self, words: &[u32]) -> Option<u64> {
        let term = *self.read(words).first()?;
        self.ticks(*self.engine.program.terms.args(term).first()?).filter(|ticks| *ticks < FOREVER)
    }

    /// A key of a term that depends on its value alone.
    pub fn key(&self, term: TermId) -> u64 {
        self.names.key(&self.engine.program.terms, &self.script.lifetimes, term)
    }

    /// A term in words for people.
    pub fn show(&self, term: TermId) -> String {
        let Program { terms, symbols, .. } = &self.engine.program;
        let name = |name: Symbol| match self.script.lifetimes.met_as(name) {
            Some(ticks) => shown(ticks),
            None => symbols.name(name).to_owned(),
        };
        terms.show_by(&name, term)
    }

    /// The terms that were written down, in words for people.
    pub fn show_written(&self, mut words: &[u32]) -> Vec<String> {
        let program = &self.engine.program;
        std::iter::from_fn(|| self.script.show(&program.terms, &program.symbols, &mut words)).collect()
    }
}
