//! From a file to a game: the whole pipeline, with the choice of the machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz_core::SharedModel;

use crate::gdl::check::check;
use crate::gdl::compile::{Network, network};
use crate::gdl::ground::{Ground, GroundLimits, GroundingStrategy, NotGround, ground_program, prepared};
use crate::gdl::parse::{Limits, parse};
use crate::gdl::picture::Hints;
use crate::gdl::regress::RegressLimits;
use crate::gdl::run::{Propnet, ReasonLimits, Reasoner, RuleGame, TimedGame, TimedReasoner};
use crate::gdl::syntax::Rules;
use crate::gdl::times;
use crate::limits::{Limit, limit};
use crate::source::{Finding, Law, Severity, Source, Span};

/// A game made of rules, and how it is run.
pub type Loaded = crate::language::Loaded<Report>;

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
#[derive(Clone, Copy, Debug)]
pub struct LoadLimits {
    /// For the file.
    pub parse: Limits,
    /// For grounding.
    pub ground: GroundLimits,
    /// For the machine that does not ground.
    pub reason: ReasonLimits,
    /// For the regression of goals.
    pub regress: RegressLimits,
    /// Steps after which a playout is cut off. From 1; 10,000 by default.
    pub playout_steps: u64,
}

impl Default for LoadLimits {
    fn default() -> LoadLimits {
        LoadLimits {
            parse: Limits::default(),
            ground: GroundLimits::default(),
            reason: ReasonLimits::default(),
            regress: RegressLimits::default(),
            playout_steps: 10_000,
        }
    }
}

/// What the machine that does not ground has before the first move, however little grounding has.
const LEAST_TIME: Duration = Duration::from_secs(10);

/// All limits that have a name.
pub const LIMITS: [Limit<LoadLimits>; 14] = [
    limit!("bytes", 1e9, "size of the file", parse.bytes: usize),
    limit!("depth", 500.0, "how deeply its brackets nest", parse.depth: usize),
    limit!("rules", 1e8, "rules in the file", parse.rules: usize),
    Limit {
        name: "seconds",
        summary: "time for grounding, after which the rules are run without; that gets as long again, or 10",
        range: [0.0, 86_400.0],
        get: |limits| limits.ground.time.as_secs_f64(),
        set: |limits, value| {
            limits.ground.time = Duration::from_secs_f64(value);
            limits.reason.time = limits.ground.time.max(LEAST_TIME);
        },
    },
    limit!("ground_rules", 1e8, "rules without variables", ground.rules: usize),
    limit!("ground_conditions", 1e9, "their conditions", ground.conditions: usize),
    limit!("ground_steps", 1e13, "steps of grounding", ground.steps: u64),
    Limit {
        name: "static_facts",
        summary: "what never changes, of each relation; more is derived on demand",
        range: [1.0, 1e9],
        get: |limits| limits.ground.static_facts as f64,
        set: |limits, value| {
            limits.ground.static_facts = value as usize;
            limits.reason.static_facts = value as usize;
        },
    },
    limit!("state_steps", 1e12, "steps to derive a state, without grounding", reason.steps: u64),
    limit!("state_facts", 1e9, "what follows in a state, without grounding", reason.atoms: usize),
    limit!("terms", 1e9, "terms of the rules and of a state, without grounding", reason.terms: usize),
    limit!("heuristic_steps", 1e12, "formulas put together to regress a goal", regress.steps: u64),
    limit!("heuristic_products", 1e8, "products in a regressed goal", regress.products: usize),
    limit!("playout_steps", 1e9, "steps after which a playout is cut off", playout_steps: u64),
];

/// The rules of a file's text, and what the checker warns of.
///
/// # Errors
/// What is wrong with the file, if one of that is an error.
pub fn checked(source: &Source, limits: &Limits) -> Result<(Rules, Vec<Finding>), Vec<Finding>> {
    let rules = parse(source, limits)?;
    let findings = check(&rules);
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    if findings.iter().any(is_error) { Err(findings) } else { Ok((rules, findings)) }
}

/// Makes a game of a file's text.
///
/// # Errors
/// What is wrong with the file, sorted by place.
pub fn load(source: &Source, limits: &LoadLimits) -> Result<Loaded, Vec<Finding>> {
    let (rules, findings) = checked(source, &limits.parse)?;
    let whole = |what: String| vec![Finding::new(&NO_GAME, Span::default(), what)];
    let not_run = |not: NotGround| vec![no_game(&rules, not)];
    let hints = Hints::of(&rules);
    if rules.timed {
        let machine = TimedReasoner::new(&rules, &limits.reason).map_err(not_run)?;
        let report = Report { machine: "reasoner", ..Report::default() };
        let game = Arc::new(TimedGame::new(machine, hints, times::may_delay(&rules)).map_err(whole)?);
        return Ok(Loaded { game, report, warnings: findings });
    }
    let (game, report): (SharedModel, Report) = match smallest_network(&rules, &limits.ground) {
        Ok((mut machine, rules)) => {
            machine.regress_limits = limits.regress;
            let report = Report {
                machine: "network",
                why: None,
                rules,
                facts: machine.network.latches.len(),
                moves: machine.network.moves.iter().map(Vec::len).sum(),
                gates: machine.network.size(),
                operations: machine.operations(),
                phases: machine.phases(),
                machine_code: machine.is_machine_code(),
                cycles: machine.network.cycles.len(),
            };
            (Arc::new(RuleGame::new(machine, hints, limits.playout_steps).map_err(whole)?), report)
        }
        Err(not) => {
            let machine = Reasoner::new(&rules, &limits.reason).map_err(not_run)?;
            let report = Report { machine: "reasoner", why: Some(not.why), ..Report::default() };
            (Arc::new(RuleGame::new(machine, hints, limits.playout_steps).map_err(whole)?), report)
        }
    };
    Ok(Loaded { game, report, warnings: findings })
}

/// Says at which rule it ended where neither machine can run the rules.
pub fn no_game(rules: &Rules, not: NotGround) -> Finding {
    match not.rule.and_then(|rule| rules.rules.get(rule as usize)) {
        None => Finding::new(&NO_GAME, Span::default(), not.why),
        Some(rule) => Finding::new(&NO_GAME, rule.span, not.why).help(
            "this rule has too many instances: bound its variables by conditions that few values meet",
        ),
    }
}

/// How far all ways of grounding are tried, to take the smallest network: ground rules, and atoms
/// that joins look at.
const FEW: (usize, u64) = (300_000, 10_000_000);

/// The smallest network that the rules make within the limits, and the number of ground rules: of
/// all ways of grounding where that is small, and of the first way that works where it is large.
///
/// # Errors
/// Why there is none.
pub fn smallest_network(rules: &Rules, limits: &GroundLimits) -> Result<(Propnet, usize), NotGround> {
    let end = Instant::now() + limits.time;
    let program = prepared(rules, limits)?;
    let attempt = |way: GroundingStrategy, most: usize, steps: u64| {
        let time = end.saturating_duration_since(Instant::now());
        if time.is_zero() {
            return Err(NotGround { why: "there is no time left".to_owned(), rule: None });
        }
        let (most, steps) = (most.min(limits.rules), steps.min(limits.steps));
        let limits = GroundLimits { rules: most, steps, time, ..*limits };
        let ground = ground_program(way, &program, rules.has_percepts(), &limits)?;
        if Instant::now() > end {
            return Err(NotGround { why: "there is no time left".to_owned(), rule: None });
        }
        let network = network(&ground);
        Ok((ground, network))
    };
    let mut best: Option<(Ground, Network)> = None;
    for way in GroundingStrategy::ALL {
        // Far more rules do not make a smaller network.
        let most = best.as_ref().map_or(FEW.0, |(ground, _)| (3 * ground.len()).min(FEW.0));
        if let Ok((ground, network)) = attempt(way, most, FEW.1)
            && best.as_ref().is_none_or(|(_, best)| network.size() < best.size())
        {
            best = Some((ground, network));
        }
    }
    // Where there is much, small parts help most, and then asking for less.
    let [_, _, fine_on_demand, fine] = GroundingStrategy::ALL;
    let large = |way| attempt(way, limits.rules, limits.steps);
    let found = match best {
        Some(best) => Ok(best),
        None if program.has_large() => {
            let why = "there is too much that never changes, and too many ways to ask for it".to_owned();
            Err(NotGround { why, rule: None })
        }
        None => large(fine).or_else(|_: NotGround| large(fine_on_demand)),
    };
    let (ground, network) = found.map_err(|not| {
        let seconds = (limits.time.as_secs_f64() * 10.0).round() / 10.0;
        let why = format!("grounding took more than {seconds} s (limit.seconds)");
        if Instant::now() < end { not } else { NotGround { why, ..not } }
    })?;
    let count = ground.len();
    Ok((Propnet::new(ground, network), count))
}
