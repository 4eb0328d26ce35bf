//! The machines of GDL, to look into.

use std::sync::Arc;

use super::compile::network;
use super::ground::{GroundingStrategy, NotGround, ground_by};
use super::language::limits_of;
use super::load::{checked, no_game, smallest_network};
use super::run::{Machine, Outlook, Propnet, Reasoner};
use super::syntax::{Rule, Rules, Symbol};
use crate::bare::{Bare, BareStep, Bared, Head};
use crate::language::{Refusal, RulesText};
use crate::source::Source;

struct At<M: Machine> {
    machine: Arc<M>,
    facts: M::Facts,
    outlook: Outlook,
}

impl<M: Machine> At<M> {
    fn new(machine: Arc<M>, facts: M::Facts) -> At<M> {
        let mut outlook = Outlook::default();
        machine.outlook(&facts, &mut outlook);
        At { machine, facts, outlook }
    }

    fn of_each_role<T>(&self, what: impl FnMut(usize) -> T) -> Vec<T> {
        (0..self.machine.roles().len()).map(what).collect()
    }

    /// For each role its move's number; a sentence if one is not legal.
    fn numbers(&self, moves: &[String]) -> Result<Vec<u32>, String> {
        let roles = self.machine.roles();
        if moves.len() != roles.len() {
            return Err(format!("there are {} roles, but {} moves are given", roles.len(), moves.len()));
        }
        let number = |(role, wanted): (usize, &String)| {
            let is_wanted = |number: &&u32| self.machine.move_name(&self.facts, role, **number) == *wanted;
            let found = self.outlook.of(role).iter().find(is_wanted).copied();
            found.ok_or_else(|| format!("{wanted} is not a legal move of {}", roles[role]))
        };
        moves.iter().enumerate().map(number).collect()
    }
}

impl<M: Machine> Bared for At<M> {
    fn facts(&self) -> Vec<String> {
        self.machine.describe(&self.facts)
    }

    fn terminal(&self) -> bool {
        self.outlook.terminal
    }

    fn trouble(&self) -> Option<String> {
        self.outlook.trouble.clone()
    }

    fn legal(&self) -> Vec<Vec<String>> {
        let name = |role, number: &u32| self.machine.move_name(&self.facts, role, *number);
        self.of_each_role(|role| self.outlook.of(role).iter().map(|number| name(role, number)).collect())
    }

    fn goals(&self) -> Vec<Vec<f64>> {
        self.of_each_role(|role| self.machine.scores(&self.facts, role))
    }

    fn advance(&self, moves: &[String]) -> Result<BareStep, String> {
        let moves = self.numbers(moves)?;
        let mut percepts = Vec::new();
        if self.machine.has_percepts() {
            percepts = self.of_each_role(|role| self.machine.percepts(&self.facts, &moves, role));
            percepts.iter_mut().for_each(|told| told.sort_unstable());
        }
        let mut facts = self.facts.clone();
        self.machine.advance(&mut facts, &moves, &mut Vec::new());
        Ok((Box::new(At::new(self.machine.clone(), facts)), percepts))
    }
}

fn heads(source: &Source, rules: &Rules) -> Vec<Head> {
    let names = [(Symbol::LEGAL, "legal"), (Symbol::GOAL, "goal"), (Symbol::TERMINAL, "terminal")];
    let head = |rule: &Rule| {
        let (_, about) = names.iter().find(|(symbol, _)| *symbol == rule.head.name)?;
        let role = rule.head.args.first().filter(|role| role.is_ground()).map(|role| rules.show(role));
        Some(Head { about, role, line: source.place(rule.span.start).line })
    };
    rules.rules.iter().filter_map(head).collect()
}

fn bare<M: Machine>(machine: M, kind: impl Into<String>, why: Option<String>, heads: Vec<Head>) -> Bare {
    let (roles, has_percepts) = (machine.roles().to_vec(), machine.has_percepts());
    let machine = Arc::new(machine);
    let facts = machine.initial();
    let initial = Arc::new(At::new(machine, facts));
    Bare { initial, kind: kind.into(), why, roles, has_percepts, heads }
}

/// The network of rules that are ground in a certain way.
fn network_of(way: GroundingStrategy) -> String {
    format!("network({})", way.name())
}

/// The machines that rules can be run by: the smallest network, that of each way of grounding, and the
/// reasoner.
pub fn names() -> Vec<String> {
    let ways = GroundingStrategy::ALL.into_iter().map(network_of);
    std::iter::once("network".to_owned()).chain(ways).chain(["reasoner".to_owned()]).collect()
}

/// The machine of that name, or the one that a game would get.
pub fn make(text: &RulesText, wanted: Option<&str>) -> Result<Bare, Refusal> {
    let (source, limits) = (text.rules(), limits_of(&text.file)?);
    let (rules, _) = checked(source, &limits.parse)?;
    let mut why = None;
    let heads = heads(source, &rules);
    let no_network = |not: NotGround| format!("{} cannot be run as a network: {}", source.name(), not.why);
    if let Some(way) = GroundingStrategy::ALL.into_iter().find(|way| wanted == Some(&network_of(*way))) {
        let ground = ground_by(way, &rules, &limits.ground).map_err(no_network)?;
        let network = network(&ground);
        return Ok(bare(Propnet::new(ground, network), network_of(way), None, heads));
    }
    if wanted != Some("reasoner") {
        match smallest_network(&rules, &limits.ground) {
            Ok((machine, _)) => return Ok(bare(machine, "network", None, heads)),
            Err(not) if wanted == Some("network") => return Err(no_network(not).into()),
            Err(not) => why = Some(not.why),
        }
    }
    let reasoner = Reasoner::new(&rules, &limits.reason).map_err(|not| vec![no_game(&rules, not)])?;
    Ok(bare(reasoner, "reasoner", why, heads))
}
