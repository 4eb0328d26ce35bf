//! The machine of a rules file, bare: facts, moves, scores and percepts as the rules name them.
//!
//! A game asks its machine only for what players need; this shows all of it: also the moves of a
//! role that has but one, what holds, and scores before the end. Checks and comparisons use it.

use std::sync::Arc;

use kibitz_lang::Source;
use kibitz_lang::gdl::compile::network;
use kibitz_lang::gdl::ground::{GroundingStrategy, NotGround, ground_by};
use kibitz_lang::gdl::run::{Machine, Outlook, Propnet, Reasoner};
use kibitz_lang::gdl::syntax::{Rule, Symbol};
use kibitz_lang::gdl::{LoadLimits, Rules, no_game, smallest_network};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::lang::{Changes, changed, patiently, refusal, rules_of};

/// One state of one machine, whatever its facts are.
trait Position: Send + Sync {
    fn facts(&self) -> Vec<String>;
    fn terminal(&self) -> bool;
    /// Why nothing can be said of the state, where that is so.
    fn trouble(&self) -> Option<String>;
    fn legal(&self) -> Vec<Vec<String>>;
    fn goals(&self) -> Vec<Vec<f64>>;
    fn advance(&self, moves: &[u32]) -> Step;
    /// For each role its move's number; a sentence if one is not legal.
    fn numbers(&self, moves: &[String]) -> Result<Vec<u32>, String>;
}

/// Where moves lead, and what each role is told.
type Step = (Box<dyn Position>, Vec<Vec<String>>);

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
}

impl<M: Machine> Position for At<M> {
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

    fn advance(&self, moves: &[u32]) -> Step {
        let mut percepts = Vec::new();
        if self.machine.has_percepts() {
            percepts = self.of_each_role(|role| self.machine.percepts(&self.facts, moves, role));
            percepts.iter_mut().for_each(|told| told.sort_unstable());
        }
        let mut facts = self.facts.clone();
        self.machine.advance(&mut facts, moves, &mut Vec::new());
        (Box::new(At::new(self.machine.clone(), facts)), percepts)
    }

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

/// A rules file as the machine that runs it sees it.
#[pyclass(module = "kibitz._core", frozen)]
pub struct RulesMachine {
    initial: Arc<dyn Position>,
    /// One of `rules_machines()`.
    #[pyo3(get)]
    kind: String,
    /// Why it is not the network, where that was tried.
    #[pyo3(get)]
    why: Option<String>,
    /// The roles' names, `random` included.
    #[pyo3(get)]
    roles: Vec<String>,
    /// Whether the rules say what each role is told (GDL-II).
    #[pyo3(get)]
    has_percepts: bool,
    /// What says who may move, who scores, and when it is over.
    heads: Vec<Head>,
}

/// The head of a rule about a role, or about all.
struct Head {
    relation: Symbol,
    /// None if it is a variable, or there is none.
    role: Option<String>,
    line: usize,
}

fn heads(source: &Source, rules: &Rules) -> Vec<Head> {
    let told = [Symbol::LEGAL, Symbol::GOAL, Symbol::TERMINAL];
    let about = rules.rules.iter().filter(|rule| told.contains(&rule.head.name));
    let head = |rule: &Rule| Head {
        relation: rule.head.name,
        role: rule.head.args.first().filter(|role| role.is_ground()).map(|role| rules.show(role)),
        line: source.place(rule.span.start).line,
    };
    about.map(head).collect()
}

impl RulesMachine {
    fn new<M: Machine>(
        machine: M,
        kind: impl Into<String>,
        why: Option<String>,
        heads: Vec<Head>,
    ) -> RulesMachine {
        let (roles, has_percepts) = (machine.roles().to_vec(), machine.has_percepts());
        let machine = Arc::new(machine);
        let facts = machine.initial();
        let initial = Arc::new(At::new(machine, facts));
        RulesMachine { initial, kind: kind.into(), why, roles, has_percepts, heads }
    }
}

/// The network of rules that are ground in a certain way.
fn network_of(way: GroundingStrategy) -> String {
    format!("network({})", way.name())
}

/// The machines that rules can be run by: the smallest network, that of each way of grounding, and the
/// reasoner.
#[pyfunction]
pub fn rules_machines() -> Vec<String> {
    let ways = GroundingStrategy::ALL.into_iter().map(network_of);
    std::iter::once("network".to_owned()).chain(ways).chain(["reasoner".to_owned()]).collect()
}

fn make(source: &Source, limits: &LoadLimits, wanted: Option<&str>) -> Result<RulesMachine, String> {
    let rules = rules_of(source, &limits.parse).map_err(|findings| refusal(source, findings))?;
    let mut why = None;
    let heads = heads(source, &rules);
    let no_network = |not: NotGround| format!("{} cannot be run as a network: {}", source.name(), not.why);
    if let Some(way) = GroundingStrategy::ALL.into_iter().find(|way| wanted == Some(&network_of(*way))) {
        let ground = ground_by(way, &rules, &limits.ground).map_err(no_network)?;
        let network = network(&ground);
        return Ok(RulesMachine::new(Propnet::new(ground, network), network_of(way), None, heads));
    }
    if wanted != Some("reasoner") {
        match smallest_network(&rules, &limits.ground) {
            Ok((machine, _)) => return Ok(RulesMachine::new(machine, "network", None, heads)),
            Err(not) if wanted == Some("network") => return Err(no_network(not)),
            Err(not) => why = Some(not.why),
        }
    }
    let reasoner =
        Reasoner::new(&rules, &limits.reason).map_err(|not| refusal(source, vec![no_game(&rules, not)]))?;
    Ok(RulesMachine::new(reasoner, "reasoner", why, heads))
}

#[pymethods]
impl RulesMachine {
    /// The machine of a rules file's content: the one that is asked for, or the one that a game
    /// made of the file would get. ValueError with all that is wrong with the file.
    #[new]
    #[pyo3(signature = (name, data, machine=None, limits=None))]
    fn py_new(
        py: Python<'_>,
        name: &str,
        data: &[u8],
        machine: Option<String>,
        limits: Option<Changes>,
    ) -> PyResult<RulesMachine> {
        if let Some(other) = machine.as_ref().filter(|name| !rules_machines().contains(name)) {
            let there = rules_machines().join(", ");
            return Err(PyValueError::new_err(format!("there is no machine {other:?}; there are {there}")));
        }
        let source = Source::from_bytes(name, data);
        let limits = changed(&limits.unwrap_or_default())?;
        patiently(py, move || make(&source, &limits, machine.as_deref()))?.map_err(PyValueError::new_err)
    }

    /// Where every game begins. ValueError if deriving what holds there hits a limit.
    fn initial(&self) -> PyResult<RulesState> {
        RulesState::new(self.initial.clone())
    }

    /// The lines of the rules that say when it is over (`terminal`), or when a role may move (`legal`) or
    /// what it scores (`goal`).
    #[pyo3(signature = (relation, role=None))]
    fn lines(&self, relation: &str, role: Option<&str>) -> Vec<usize> {
        let names = [("legal", Symbol::LEGAL), ("goal", Symbol::GOAL), ("terminal", Symbol::TERMINAL)];
        let wanted = names.iter().find(|(name, _)| *name == relation).map(|(_, symbol)| *symbol);
        let of_role = |head: &&Head| role.is_none() || head.role.is_none() || head.role.as_deref() == role;
        let heads = self.heads.iter().filter(|head| Some(head.relation) == wanted).filter(of_role);
        heads.map(|head| head.line).collect()
    }

    fn __repr__(&self) -> String {
        format!("<RulesMachine: {} of {}>", self.kind, self.roles.join(", "))
    }
}

/// A state as the machine of a rules file sees it. Lists of lists have an entry for each role.
#[pyclass(module = "kibitz._core", frozen)]
pub struct RulesState(Arc<dyn Position>);

impl RulesState {
    fn new(position: Arc<dyn Position>) -> PyResult<RulesState> {
        match position.trouble() {
            Some(trouble) => Err(PyValueError::new_err(trouble)),
            None => Ok(RulesState(position)),
        }
    }
}

#[pymethods]
impl RulesState {
    /// What holds, sorted.
    #[getter]
    fn facts(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.0.facts())
    }

    /// Whether the game is over.
    #[getter]
    fn terminal(&self) -> bool {
        self.0.terminal()
    }

    /// The legal moves of each role.
    #[getter]
    fn legal(&self, py: Python<'_>) -> Vec<Vec<String>> {
        py.detach(|| self.0.legal())
    }

    /// The scores that the rules give each role here: none, one, or (wrongly) several.
    #[getter]
    fn goals(&self, py: Python<'_>) -> Vec<Vec<f64>> {
        py.detach(|| self.0.goals())
    }

    /// The state after each role has made its move, and what each is told (nothing, if the rules
    /// do not speak of that). ValueError if a move is not legal, or if a limit is hit.
    fn advance(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<(RulesState, Vec<Vec<String>>)> {
        let step = py.detach(|| self.0.numbers(&moves).map(|numbers| self.0.advance(&numbers)));
        let (after, percepts) = step.map_err(PyValueError::new_err)?;
        Ok((RulesState::new(Arc::from(after))?, percepts))
    }

    fn __repr__(&self) -> String {
        let over = if self.0.terminal() { ", terminal" } else { "" };
        format!("<RulesState: {} facts{over}>", self.0.facts().len())
    }
}
