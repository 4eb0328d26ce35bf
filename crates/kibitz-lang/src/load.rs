//! From a file to a game: the whole pipeline, with the choice of the machine.

use std::sync::Arc;

use kibitz_core::SharedModel;

use crate::check::check;
use crate::compile::network;
use crate::ground::{GroundLimits, ground};
use crate::parse::{Limits, parse};
use crate::picture::Hints;
use crate::run::{Propnet, Reasoner, RuleGame};
use crate::source::{Finding, Law, Severity, Source, Span};

/// A game made of rules, and how it is run.
pub struct Loaded {
    /// The game.
    pub game: SharedModel,
    /// Which machine runs it and why, and how large it is.
    pub report: Report,
    /// What the checker warns of.
    pub warnings: Vec<Finding>,
}

/// How a game is run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// `network` or `reasoner`.
    pub machine: &'static str,
    /// Why not the network.
    pub why: Option<String>,
    /// Ground rules.
    pub rules: usize,
    /// Facts that may ever hold.
    pub facts: usize,
    /// Moves that may ever be legal, of all roles.
    pub moves: usize,
    /// Gates of the network.
    pub gates: usize,
    /// Operations for a state's moves, for its scores, and for the next state, at the start.
    pub operations: [usize; 3],
    /// How many networks there are: one for each turn of a round, where rounds are always the same.
    pub phases: usize,
    /// Whether the operations are machine code.
    pub machine_code: bool,
    /// Sets of atoms that depend on themselves.
    pub cycles: usize,
}

const NO_GAME: Law = Law {
    code: "no-game",
    severity: Severity::Error,
    rule: "the rules make a game that can be run within the limits",
};

/// What there is to change about loading.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadLimits {
    /// For the file.
    pub parse: Limits,
    /// For grounding.
    pub ground: GroundLimits,
}

/// Makes a game of a file's text.
///
/// # Errors
/// What is wrong with the file, sorted by place.
pub fn load(source: &Source, limits: &LoadLimits) -> Result<Loaded, Vec<Finding>> {
    let rules = parse(source, &limits.parse)?;
    let findings = check(&rules);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(findings);
    }
    let whole = |what: String| vec![Finding::new(&NO_GAME, Span::default(), what)];
    let hints = Hints::of(&rules);
    let (game, report): (SharedModel, Report) = match ground(&rules, &limits.ground) {
        Ok(ground) => {
            let network = network(&ground);
            let (rules, gates, cycles) = (ground.len(), network.gates.len(), network.cycles.len());
            let machine = Propnet::new(ground, network);
            let report = Report {
                machine: "network",
                why: None,
                rules,
                facts: machine.network.latches.len(),
                moves: machine.network.moves.iter().map(Vec::len).sum(),
                gates,
                operations: machine.operations(),
                phases: machine.phases(),
                machine_code: machine.is_machine_code(),
                cycles,
            };
            (Arc::new(RuleGame::new(machine, hints).map_err(whole)?), report)
        }
        Err(not) => {
            let machine = Reasoner::new(&rules).map_err(whole)?;
            let report = Report { machine: "reasoner", why: Some(not.why), ..Report::default() };
            (Arc::new(RuleGame::new(machine, hints).map_err(whole)?), report)
        }
    };
    Ok(Loaded { game, report, warnings: findings })
}
