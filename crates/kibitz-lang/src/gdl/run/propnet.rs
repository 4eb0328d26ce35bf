//! The machine of a network, one state at a time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use kibitz_core::Rng;
use kibitz_core::game::Action;
use kibitz_core::rng::derive;
use kibitz_wide::with_wide_instructions;
use smallvec::{SmallVec, smallvec};

use super::lanes::{LaneCode, Lanes};
use super::machine::{Machine, Outlook, Start, paid};
use super::single::{Code, MEMORY, Memory, holds};
use crate::gdl::compile::{
    Latch, Marked, Network, Phases, RuleGraph, Symmetry, Wire, influence, marked, phases, score,
};
use crate::gdl::deduce::{TermId, Terms};
use crate::gdl::ground::Ground;
use crate::gdl::regress::{ActionHeuristic, RegressLimits};
use crate::gdl::syntax::Symbols;

/// Runs a network on one state at a time; facts are a set of bits.
pub struct Propnet {
    /// The network.
    pub network: Network,
    pub(super) phases: Phases,
    /// A program for each phase.
    code: Vec<Code>,
    slots: usize,
    roles: Vec<String>,
    /// For each role, its possible scores in the order of the network's goals.
    scores: Vec<Vec<f64>>,
    ground: Ground,
    /// How far goals may be regressed.
    pub regress_limits: RegressLimits,
    /// What actions are worth; worked out when it is first asked for.
    heuristic: OnceLock<ActionHeuristic>,
    id: u64,
    /// For many games at once; made when it is first asked for.
    lane_code: OnceLock<LaneCode>,
    /// The facts that anything to come depends on: others are history.
    matters: Bits,
    /// What symmetries are found in, where they may be of use, and those that there are.
    graph: Option<RuleGraph>,
    symmetries: OnceLock<Vec<Symmetry>>,
    /// Memory for many games at once that is not in use.
    lanes: Mutex<Vec<Lanes>>,
}

/// Fewer games than this are played one after the other: a step of 256 games takes as long as about so
/// many of one.
const FEW: u32 = 6;

/// The facts that hold, a bit each.
pub type Bits = SmallVec<[u64; 4]>;

/// 1 if a fact holds, else 0.
fn bit(facts: &Bits, fact: u32) -> i32 {
    (facts[fact as usize / 64] >> (fact % 64) & 1) as i32
}

/// Tells machines apart.
static MACHINES: AtomicU64 = AtomicU64::new(0);

impl Propnet {
    /// The machine of a compiled game.
    pub fn new(ground: Ground, network: Network) -> Propnet {
        // Who sees everything has no use for them.
        let graph = ground.has_percepts().then(|| RuleGraph::of(&ground)).flatten();
        let Ground { terms, symbols, roles, .. } = &ground;
        let number = |term| score(symbols.name(terms.name(term)));
        let scores =
            network.goals.iter().map(|goals| goals.iter().map(|(score, _)| number(*score)).collect());
        let phases = if ground.outside { Phases::one(&network) } else { phases(&network) };
        let mut matters: Bits = smallvec![0; network.latches.len().div_ceil(64)];
        for (fact, _) in
            influence(&phases.networks, true).iter().enumerate().filter(|(_, matters)| **matters)
        {
            matters[fact / 64] |= 1 << (fact % 64);
        }
        let marked: Vec<Marked> = phases.networks.iter().map(marked).collect();
        // As many in each phase, so that one's marks are not another's memory.
        let most = marked.iter().map(|marked| marked.count).max().unwrap_or(0);
        let (code, slots): (Vec<Code>, Vec<usize>) =
            marked.iter().map(|marked| Code::new(marked, most)).unzip();
        Propnet {
            scores: scores.collect(),
            roles: roles.iter().map(|role| terms.show(symbols, *role)).collect(),
            regress_limits: RegressLimits::default(),
            heuristic: OnceLock::new(),
            slots: slots.into_iter().max().unwrap_or(0),
            network,
            phases,
            code,
            ground,
            id: MACHINES.fetch_add(1, Relaxed),
            lane_code: OnceLock::new(),
            matters,
            graph,
            symmetries: OnceLock::new(),
            lanes: Mutex::new(Vec::new()),
        }
    }

    /// In how many phases the game goes on, independently of what is done: 1, or as many as there are
    /// turns in a round.
    pub fn phases(&self) -> usize {
        self.code.len()
    }

    /// Operations for a state's moves, for its scores, and for the next state, at the start.
    pub fn operations(&self) -> [usize; 3] {
        self.code[self.phase_of(&self.initial())].sizes
    }

    /// Whether it runs as machine code.
    pub fn is_machine_code(&self) -> bool {
        self.code[0].view.is_machine_code()
    }

    /// The phase that a state is in.
    pub(super) fn phase_of(&self, facts: &[u64]) -> usize {
        self.phases.of(facts)
    }

    /// What plays many games at once.
    pub fn lane_code(&self) -> &LaneCode {
        self.lane_code.get_or_init(|| LaneCode::new(&self.phases))
    }

    /// What the terms of the network's facts and moves are.
    pub(super) fn names(&self) -> (&Terms, &Symbols) {
        (&self.ground.terms, &self.ground.symbols)
    }

    fn show(&self, term: TermId) -> String {
        self.ground.terms.show(&self.ground.symbols, term)
    }

    fn spare_lanes(&self) -> MutexGuard<'_, Vec<Lanes>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For each role, the scores that it may have, in the order of the network's goals.
    pub(super) fn scores(&self) -> &[Vec<f64>] {
        &self.scores
    }

    /// Works with a thread's memory that holds these facts.
    fn with<T>(&self, facts: &Bits, work: impl FnOnce(&Code, &mut Memory) -> T) -> T {
        MEMORY.with_borrow_mut(|memory| {
            if memory.machine != Some(self.id) {
                memory.clear(self.id, self.slots);
            }
            memory.hold(facts, self.network.latches.len());
            work(&self.code[self.phase_of(facts)], memory)
        })
    }

    /// Plays out one game by uniformly random moves, and adds each role's scores. Gives the number of
    /// steps, and whether it went well.
    #[inline(always)]
    fn play_out_one(&self, facts: &Bits, depth: u64, rng: &mut Rng, scores: &mut [f64]) -> (u64, bool) {
        self.with(facts, |_, memory| {
            let mut phase = self.phase_of(facts);
            for step in 0..depth {
                let code = &self.code[phase];
                memory.view(code);
                if holds(&memory.slots, code.terminal) {
                    code.score.run(&mut memory.slots);
                    let mut well = true;
                    for ((role, values), sum) in self.scores.iter().enumerate().zip(scores) {
                        let mut had = code.scores(&memory.slots, role, values);
                        // Scores ascend, and the lowest counts.
                        let lowest = had.next();
                        *sum += lowest.map_or(0.0, paid);
                        well &= lowest.is_some() && had.next().is_none();
                    }
                    return (step, well);
                }
                if !memory.choose(code, rng) {
                    return (step, false);
                }
                memory.advance(code);
                phase = (phase + 1) % self.code.len();
            }
            (depth, true)
        })
    }
}

impl Machine for Propnet {
    type Facts = Bits;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn has_percepts(&self) -> bool {
        self.ground.has_percepts()
    }

    /// They have at the start; or in no phase has more than one of them several moves that are ever legal there.
    fn simultaneous(&self, roles: &[usize]) -> Option<bool> {
        let several =
            |count: &dyn Fn(usize) -> usize| roles.iter().filter(|role| count(**role) > 1).count() > 1;
        let may = |network: &Network| {
            several(&|role| network.moves[role].iter().filter(|each| each.legal != Wire::FALSE).count())
        };
        if !self.phases.networks.iter().any(may) {
            return Some(false);
        }
        let mut outlook = Outlook::default();
        self.outlook(&self.initial(), &mut outlook);
        (!outlook.terminal && several(&|role| outlook.of(role).len())).then_some(true)
    }

    fn initial(&self) -> Bits {
        let mut facts: Bits = smallvec![0; self.network.latches.len().div_ceil(64)];
        for (number, latch) in self.network.latches.iter().enumerate() {
            facts[number / 64] |= u64::from(latch.initial) << (number % 64);
        }
        facts
    }

    fn outlook(&self, facts: &Bits, outlook: &mut Outlook) {
        self.with(facts, |code, memory| {
            memory.view(code);
            outlook.terminal = holds(&memory.slots, code.terminal);
            outlook.moves.clear();
            outlook.ends.clear();
            for moves in &code.legal {
                moves.append_legal(&memory.slots, &mut outlook.moves);
                outlook.ends.push(outlook.moves.len() as u32);
            }
        });
    }

    fn scores(&self, facts: &Bits, role: usize) -> Vec<f64> {
        self.with(facts, |code, memory| {
            memory.view(code);
            code.score.run(&mut memory.slots);
            code.scores(&memory.slots, role, &self.scores[role]).collect()
        })
    }

    fn advance(&self, facts: &mut Bits, moves: &[u32], told: &mut Vec<u64>) {
        let latches = self.network.latches.len();
        self.with(&facts.clone(), |code, memory| {
            memory.make(code, moves);
            if self.ground.has_percepts() {
                told.clear();
                told.extend(code.percepts.iter().map(|places| {
                    let heard =
                        places.iter().enumerate().filter(|(_, place)| holds(&memory.slots, **place));
                    heard.fold(0, |key, (number, _)| derive(key, number as u64 + 1))
                }));
            }
            memory.read_facts(latches, facts);
        });
    }

    fn percepts(&self, facts: &Bits, moves: &[u32], role: usize) -> Vec<String> {
        self.with(facts, |code, memory| {
            memory.make(code, moves);
            let places = code.percepts[role].iter().zip(&self.network.percepts[role]);
            let heard = places.filter(|(place, _)| holds(&memory.slots, **place));
            heard.map(|(_, (term, _))| self.show(*term)).collect()
        })
    }

    fn at_once(&self) -> u32 {
        super::lanes::LANES as u32
    }

    fn play_out_many(
        &self,
        starts: &[Start<Bits>],
        count: u32,
        depth: u64,
        rng: &mut Rng,
        scores: &mut [f64],
    ) -> Option<(u64, usize)> {
        if let [Start { facts, first: None }] = starts
            && count < FEW
        {
            let (mut steps, mut faulty) = (0, 0);
            for _ in 0..count {
                let (taken, well) = with_wide_instructions(
                    #[inline(always)]
                    || self.play_out_one(facts, depth, rng, scores),
                );
                (steps, faulty) = (steps + taken, faulty + usize::from(!well));
            }
            return Some((steps, faulty));
        }
        let spare = self.spare_lanes().pop();
        let mut lanes = spare.unwrap_or_else(|| Lanes::new(self.lane_code()));
        let outcome = lanes.play_out(self, starts, count as usize, depth, rng);
        self.spare_lanes().push(lanes);
        for (score, sum) in scores.iter_mut().zip(outcome.scores) {
            *score += sum;
        }
        Some((outcome.steps, outcome.faulty))
    }

    fn move_name(&self, _: &Bits, role: usize, number: u32) -> String {
        let found = self.network.moves.get(role).and_then(|moves| moves.get(number as usize));
        found.map_or_else(String::new, |each| self.show(each.name))
    }

    fn describe(&self, facts: &Bits) -> Vec<String> {
        let latches = self.network.latches.iter().enumerate();
        let held = latches.filter(|(number, _)| facts[number / 64] >> (number % 64) & 1 == 1);
        let mut names: Vec<String> = held.map(|(_, latch)| self.show(latch.fact)).collect();
        names.sort_unstable();
        names
    }

    fn possible(&self) -> Option<Vec<String>> {
        let show = |latch: &Latch| self.show(latch.fact);
        Some(self.network.latches.iter().map(show).collect())
    }

    fn atoms(&self) -> u32 {
        self.network.latches.len() as u32
    }

    fn append_atoms(&self, facts: &Bits, atoms: &mut Vec<u32>) {
        for (word, mut bits) in facts.iter().copied().enumerate() {
            while bits != 0 {
                atoms.push(64 * word as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    fn action_heuristic(&self) -> Result<&ActionHeuristic, String> {
        Ok(self.heuristic.get_or_init(|| {
            let (phases, limits) = (&self.phases.networks, &self.regress_limits);
            ActionHeuristic::of(&self.ground, &self.network, phases, self, limits)
        }))
    }

    fn action_values(&self, facts: &Bits, role: usize, moves: &[Action], values: &mut Vec<f64>) {
        if let Ok(heuristic) = self.action_heuristic()
            && let Ok(own) = &heuristic.roles[role]
        {
            own.program.evaluate(facts, moves, values);
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        self.symmetries.get_or_init(|| self.graph.as_ref().map_or(Vec::new(), RuleGraph::symmetries))
    }

    fn orientation(&self, facts: &Bits, [one, other]: [u32; 2]) -> i32 {
        bit(facts, one) - bit(facts, other)
    }

    fn exchange(&self, facts: &mut Bits, pair: [u32; 2]) {
        if self.orientation(facts, pair) != 0 {
            pair.iter().for_each(|fact| facts[*fact as usize / 64] ^= 1 << (fact % 64));
        }
    }

    fn hash(&self, facts: &Bits) -> u64 {
        // Whose turn it is may be known by the phase alone.
        let phase = self.phase_of(facts) as u64 + 1;
        facts.iter().zip(&self.matters).fold(phase, |key, (word, matters)| derive(key, word & matters))
    }
}
