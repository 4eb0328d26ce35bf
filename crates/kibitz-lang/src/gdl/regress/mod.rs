//! Action heuristics by regression (Trutman and Schiffel 2015): how near an action brings a role to its goal, read off
//! the rules.
//!
//! The goal of the highest score is regressed by one step: what holds after the step is replaced by what makes it so,
//! and the moves in that by what is known of them if the role makes a certain action. What is left is a formula over
//! the facts of a state, one for each action, and is evaluated by fuzzy logic: a product for *and*, a + b − ab for *or*.
//!
//! From the lowest to the highest: `formula.rs` (formulas as one graph), `by_action.rs` (a formula for each action, all
//! at once), `knowledge.rs` (who waits while others choose, which facts persist), `graph.rs` and `program.rs` (evaluation);
//! here is the regression itself.

mod by_action;
mod formula;
mod graph;
mod knowledge;
mod program;
#[cfg(test)]
mod tests;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::components::components;
use crate::gdl::compile::{Network, score};
use crate::gdl::deduce::TermId;
use crate::gdl::ground::{Ground, GroundLiteral};
use crate::gdl::run::Machine;
use crate::gdl::syntax::Symbol;

use by_action::{Builder, ByAction, TooMuch};
use formula::{Formula, Formulas};
use knowledge::{Waiting, Waits, persists};
use program::Leaf;

pub use program::{CERTAINTY, Program};

/// How far a goal may be regressed.
#[derive(Clone, Copy, Debug)]
pub struct RegressLimits {
    /// Formulas that are put together for a role. From 1; 60 million by default.
    pub steps: u64,
    /// Products that a role's formulas have in the end. From 1; 3 million by default.
    pub products: usize,
    /// Products that the formulas of all actions may have; of larger ones, the goal is kept apart from the actions.
    pub by_action: usize,
}

impl Default for RegressLimits {
    fn default() -> RegressLimits {
        RegressLimits { steps: 60_000_000, products: 3_000_000, by_action: 200_000 }
    }
}

/// The action heuristic of a game.
#[derive(Debug)]
pub struct ActionHeuristic {
    /// For each role: its formulas, or why it has none.
    pub roles: Vec<Result<RoleHeuristic, String>>,
    /// For each role: whether all others wait while it chooses.
    pub alone: Vec<bool>,
    /// Whether what others do meanwhile follows from the rules; else it was seen in random games.
    pub proved: bool,
}

/// The action heuristic of a role.
#[derive(Debug)]
pub struct RoleHeuristic {
    /// The score that it wants,
    pub goal: f64,
    /// or that it does not want, where the higher ones tell nothing.
    pub avoided: bool,
    /// What it evaluates.
    pub program: Program,
    /// How many of its facts persist, once they hold and once they do not.
    pub persistent: [usize; 2],
}

impl fmt::Display for RoleHeuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RoleHeuristic { goal, avoided, program, persistent: [holding, failing] } = self;
        let not = if *avoided { "anything but " } else { "" };
        let apart = if program.is_apart() { ", those of the goal apart from the actions'" } else { "" };
        let [products, facts] = [program.len(), program.leaves.len()];
        write!(
            f,
            "goal {not}{goal}: {products} products of {facts} facts{apart}, of which {holding} are proved to stay once they hold \
             and {failing} to stay away once they do not"
        )
    }
}

/// Goes round a cycle of atoms that depend on themselves so often, and more often only if the goal needs that.
const ROUNDS: usize = 8;
/// Formulas that are put together for each product that may be left of them in the end.
const STEPS_A_PRODUCT: u64 = 20;

impl ActionHeuristic {
    /// Regresses every role's goal. `phases` are the networks of the game's phases.
    pub fn of<M: Machine>(
        ground: &Ground,
        network: &Network,
        phases: &[Network],
        machine: &M,
        limits: &RegressLimits,
    ) -> ActionHeuristic {
        let waits = Waits::of(machine, phases);
        let regression = Regression::new(ground);
        let roles = (0..ground.roles.len())
            .map(|role| regression.role(role, &waits.meanwhile[role], network, limits))
            .collect();
        ActionHeuristic { roles, alone: waits.alone(), proved: waits.proved }
    }

    /// What a role's heuristic goes by, and how that is known; why it has none.
    ///
    /// # Errors
    /// A sentence.
    pub fn about(&self, role: usize) -> Result<String, String> {
        let own = self.roles[role].as_ref().map_err(Clone::clone)?;
        let others = match (self.alone[role], self.proved) {
            _ if self.roles.len() == 1 => "",
            (true, true) => "; others wait meanwhile (proved)",
            (true, false) => "; others wait meanwhile (as random games show)",
            (false, _) => "; others may choose at the same time",
        };
        Ok(format!("{own}{others}"))
    }
}

/// What regression looks up in the ground rules.
struct Regression<'a> {
    ground: &'a Ground,
    /// By atom: its rules.
    rules: Vec<Vec<&'a [GroundLiteral]>>,
    /// The facts that may hold, by their atoms.
    facts: FxHashMap<TermId, u32>,
    /// The moves that may be made, by their atoms: the role and the move's number.
    moves: FxHashMap<TermId, (usize, u32)>,
    /// By role: how many moves it has.
    counts: Vec<usize>,
}

/// What atoms come to, by action, as far as it is known.
type Known = FxHashMap<TermId, ByAction>;

impl<'a> Regression<'a> {
    fn new(ground: &'a Ground) -> Regression<'a> {
        let mut rules = vec![Vec::new(); ground.terms.len()];
        for (head, body) in ground.rules() {
            rules[head.index()].push(body);
        }
        let (mut moves, mut counts) = (FxHashMap::default(), vec![0; ground.roles.len()]);
        for legal in &ground.legal {
            let args = ground.terms.args(*legal);
            let Some(role) = ground.roles.iter().position(|role| *role == args[0]) else { continue };
            if let Some(does) = ground.terms.find(Symbol::DOES, args) {
                moves.insert(does, (role, counts[role] as u32));
            }
            counts[role] += 1;
        }
        let facts = ground.fluents.iter().copied().zip(0..).collect();
        Regression { ground, rules, facts, moves, counts }
    }

    /// The heuristic of a role; a sentence, where it has none.
    fn role(
        &self,
        role: usize,
        meanwhile: &[Waiting],
        network: &Network,
        limits: &RegressLimits,
    ) -> Result<RoleHeuristic, String> {
        let ground = self.ground;
        let worth =
            |atom: TermId| score(ground.symbols.name(ground.terms.name(ground.terms.args(atom)[1])));
        let own = |atom: &TermId| ground.terms.args(*atom)[0] == ground.roles[role];
        let scores: Vec<(f64, TermId)> =
            ground.goals.iter().copied().filter(own).map(|atom| (worth(atom), atom)).collect();
        let numbers = scores.into_iter().filter(|(score, _)| !score.is_nan());
        let mut scores: Vec<(f64, TermId)> = numbers.collect();
        scores.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let (Some((highest, _)), Some((lowest, _))) = (scores.first().copied(), scores.last().copied())
        else {
            return Err("no rule gives it a score".to_owned());
        };
        let persistent = [true, false].map(|holds| move |fact| persists(network, fact, holds));
        let leaf = |fact| Leaf {
            fact,
            holds: if persistent[0](fact) { 1.0 } else { CERTAINTY },
            fails: if persistent[1](fact) { 0.0 } else { 1.0 - CERTAINTY },
        };
        for (goal, atom) in scores {
            // The worst that there is has not to come.
            let avoided = goal == lowest && goal < highest;
            let program =
                self.regress(atom, avoided, (role, meanwhile), limits, leaf).map_err(|TooMuch| {
                    format!(
                        "its goal of {goal} takes more than {} steps to regress (limit.heuristic_steps)",
                        limits.steps
                    )
                })?;
            let Some(program) = program else { continue };
            if program.len() > limits.products {
                return Err(format!(
                    "the formula of its goal of {goal} has {} products, more than {} (limit.heuristic_products)",
                    program.len(),
                    limits.products
                ));
            }
            let count =
                |which: &dyn Fn(&Leaf) -> bool| program.leaves.iter().filter(|leaf| which(leaf)).count();
            let persistent = [count(&|leaf| leaf.holds == 1.0), count(&|leaf| leaf.fails == 0.0)];
            return Ok(RoleHeuristic { goal, avoided, program, persistent });
        }
        Err(format!("its goal of {highest} does not depend on what is done, nor does another"))
    }

    /// The regression of an atom (or of its negation) by one step, restricted to each of a role's actions. None if it says
    /// the same of all actions in all states.
    fn regress(
        &self,
        atom: TermId,
        negated: bool,
        (role, meanwhile): (usize, &[Waiting]),
        limits: &RegressLimits,
        leaf: impl Fn(u32) -> Leaf,
    ) -> Result<Option<Program>, TooMuch> {
        let actions = self.counts[role];
        // After the step there are no moves yet.
        let goal = self.needed(&[atom]);
        let facts: Vec<TermId> =
            goal.iter().copied().filter(|atom| self.facts.contains_key(atom)).collect();
        let mut builder = Builder { formulas: Formulas::default(), actions, steps: limits.steps };
        let after = self.after(&facts, (role, meanwhile), &mut builder)?;

        // A formula for each action, as long as these are not too large together.
        let left = builder.steps;
        builder.steps = left.min(STEPS_A_PRODUCT * limits.by_action as u64);
        let given = builder.steps;
        let by = self.at_last(&goal, &facts, &after, &mut builder);
        let left = left - (given - builder.steps);
        if let Ok(by) = by {
            let by = by.negated_if(negated);
            if by.is_constant() {
                return Ok(None);
            }
            let program = Program::new(&builder.formulas, by, actions, &leaf);
            if program.len() <= limits.by_action {
                return Ok(Some(program));
            }
        }

        // Else the goal is a formula of the facts after the step, and these are formulas for each action.
        let mut apart = Builder { formulas: Formulas::default(), actions: 0, steps: left };
        let read = |(number, by): (u32, &ByAction)| {
            ByAction::all(if by.is_constant() { by.common } else { apart.formulas.fact(number) })
        };
        let inputs: Vec<ByAction> = (0..).zip(&after).map(read).collect();
        let root = self.at_last(&goal, &facts, &inputs, &mut apart)?.negated_if(negated);
        if root.is_constant() {
            return Ok(None);
        }
        let goal = (&apart.formulas, root.common);
        Ok(Some(Program::apart(goal, (&builder.formulas, &after), actions, leaf)))
    }

    /// What facts after the step are before it, for each of a role's actions.
    fn after(
        &self,
        facts: &[TermId],
        (role, meanwhile): (usize, &[Waiting]),
        builder: &mut Builder,
    ) -> Result<Vec<ByAction>, TooMuch> {
        let next = |fact: TermId| self.ground.terms.find(Symbol::NEXT, self.ground.terms.args(fact));
        let nexts: Vec<TermId> = facts.iter().filter_map(|fact| next(*fact)).collect();
        let needed = self.needed(&nexts);
        let mut now = Known::default();
        for &atom in &needed {
            if let Some(fact) = self.facts.get(&atom) {
                now.insert(atom, ByAction::all(builder.formulas.fact(*fact)));
            } else if let Some(&(mover, number)) = self.moves.get(&atom) {
                let made = if mover == role {
                    ByAction::is(number)
                } else {
                    ByAction::all(match meanwhile[mover] {
                        Waiting::Makes(noop) if noop == number => Formula::TRUE,
                        Waiting::Makes(_) => Formula::FALSE,
                        Waiting::Chooses => Formula::UNKNOWN,
                    })
                };
                now.insert(atom, made);
            }
        }
        self.derive(&needed, &mut now, ROUNDS, builder)?;
        let value = |fact: &TermId| next(*fact).and_then(|next| now.get(&next).cloned());
        Ok(facts.iter().map(|fact| value(fact).unwrap_or_else(|| ByAction::all(Formula::FALSE))).collect())
    }

    /// What a goal (the first of these atoms) comes to where facts are known. What depends on itself is followed farther
    /// where it would otherwise come to nothing: a path from side to side is as long as the board is wide.
    fn at_last(
        &self,
        goal: &[TermId],
        facts: &[TermId],
        values: &[ByAction],
        builder: &mut Builder,
    ) -> Result<ByAction, TooMuch> {
        let mut rounds = ROUNDS;
        loop {
            let mut known: Known = facts.iter().copied().zip(values.iter().cloned()).collect();
            let settled = self.derive(goal, &mut known, rounds, builder)?;
            let found = known.remove(&goal[0]).unwrap_or_else(|| ByAction::all(Formula::FALSE));
            if settled || !found.is_constant() {
                return Ok(found);
            }
            rounds *= 2;
        }
    }

    /// All atoms that some atoms depend on within a state, they themselves included.
    fn needed(&self, atoms: &[TermId]) -> Vec<TermId> {
        let mut seen: FxHashMap<TermId, ()> = atoms.iter().map(|atom| (*atom, ())).collect();
        let (mut found, mut place) = (atoms.to_vec(), 0);
        while let Some(&atom) = found.get(place) {
            place += 1;
            if self.facts.contains_key(&atom) {
                continue;
            }
            for literal in self.rules[atom.index()].iter().flat_map(|body| body.iter()) {
                if seen.insert(literal.atom(), ()).is_none() {
                    found.push(literal.atom());
                }
            }
        }
        found
    }

    /// Works out what all these atoms come to, what is needed first. Whether that is all: nothing that depends on itself
    /// would come to something else in more rounds.
    fn derive(
        &self,
        atoms: &[TermId],
        known: &mut Known,
        rounds: usize,
        builder: &mut Builder,
    ) -> Result<bool, TooMuch> {
        let mut settled = true;
        let open: Vec<TermId> = atoms.iter().copied().filter(|atom| !known.contains_key(atom)).collect();
        let place: FxHashMap<TermId, usize> = open.iter().copied().zip(0..).collect();
        let edges: Vec<Vec<usize>> = open
            .iter()
            .map(|atom| {
                let bodies = self.rules[atom.index()].iter().flat_map(|body| body.iter());
                bodies.filter_map(|literal| place.get(&literal.atom()).copied()).collect()
            })
            .collect();
        for group in components(&edges) {
            if group.len() == 1 && !edges[group[0]].contains(&group[0]) {
                let atom = open[group[0]];
                let value = self.one_of_the_rules(atom, known, builder)?;
                known.insert(atom, value);
                continue;
            }
            // They depend on themselves: from nothing on, as far as a few rounds lead.
            for member in &group {
                known.insert(open[*member], ByAction::all(Formula::FALSE));
            }
            let mut changed = true;
            for _ in 0..rounds {
                let values: Result<Vec<ByAction>, TooMuch> = group
                    .iter()
                    .map(|member| self.one_of_the_rules(open[*member], known, builder))
                    .collect();
                changed = false;
                for (member, value) in group.iter().zip(values?) {
                    let old = known.insert(open[*member], value);
                    changed |= old.as_ref() != known.get(&open[*member]);
                }
                if !changed {
                    break;
                }
            }
            settled &= !changed;
        }
        Ok(settled)
    }

    /// An atom holds where the body of one of its rules does.
    fn one_of_the_rules(
        &self,
        atom: TermId,
        known: &Known,
        builder: &mut Builder,
    ) -> Result<ByAction, TooMuch> {
        let never = ByAction::all(Formula::FALSE);
        let mut bodies = Vec::with_capacity(self.rules[atom.index()].len());
        for body in &self.rules[atom.index()] {
            // What no rule gives is never true.
            let part =
                |literal: &GroundLiteral| (known.get(&literal.atom()).unwrap_or(&never), literal.negated());
            let parts: Vec<(&ByAction, bool)> = body.iter().map(part).collect();
            bodies.push(builder.all(&parts)?);
        }
        let none: Vec<(&ByAction, bool)> = bodies.iter().map(|body| (body, true)).collect();
        Ok(builder.all(&none)?.negated_if(true))
    }
}
