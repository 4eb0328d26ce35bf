//! Nested Monte Carlo search for any number of players: at level n, whoever is to move tries each action, has all
//! play on by level n - 1 to the end, and makes the move after which the game came out best. Level 0 is random.
//!
//! Cazenave 2009 for one player; for two, Cazenave, Saffidine, Schofield and Thielscher (2016; GIGA 2015), whose
//! discounting by depth and whose pruning this has: [`Discount`], [`Cut`], [`Prune`]. `search.rs` is the search; the
//! planner `nmc` and the playout of this name are in their folders.

mod search;

use crate::game::Turn;
use crate::model::{Model, State};
use crate::params::{Param, params, words};
use crate::rng::Rng;
use crate::spec::{Spec, Value, unknown};

pub(crate) use search::{Plan, Search};

params! {
    /// All move by nested Monte Carlo: each tries every action, and goes where a playout one level lower came out
    /// best.
    pub struct Nesting {
        /// 0: a move of the base. n: the move after which play of level n - 1 by all players comes to most.
        pub level: u32 = 1, in 0..=100;
        /// How the length n of a game counts beside its return. depth: wins sooner and losses later. score: by v / n, where
        /// returns v are taken to be from -1 to 1. branching(b): by v / b^n. none: not at all. auto: depth, where there
        /// are several players or games are pruned.
        pub discount: Discount = Discount::Auto;
        /// At which levels, such as win(1, 2), a search ends with the first win: Cut on Win. auto: below the highest, if
        /// lengths do not count, as it changes nothing then.
        pub cut: Cut = Cut::Auto;
        /// At which levels games are lost that get as long as the shortest win of the same search (depth: Prune on Depth)
        /// or of those above as well (cascade).
        pub prune: Prune = Prune::None;
        /// How the lowest level moves. auto: at random, but for one player by what looks best one step ahead (by the
        /// evaluator, else a preferred one, else any).
        pub base: Base = Base::Auto;
        /// Whether to begin however long it takes.
        pub insist: bool = false;
    }
}

words! {
    /// How the lowest level moves.
    Base {
        /// Random, but what promises most one step ahead in a game of one player.
        Auto = "auto",
        /// Anything legal.
        Random = "random",
        /// Anything that the game prefers.
        Preferred = "preferred",
        /// What promises most one step ahead.
        Greedy = "greedy",
    }
}

/// How the length n of a game counts beside its return v, taken to be from -1 to 1 with e = 0 in the middle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Discount {
    /// Depth, where games have several players or are pruned on depth; else none.
    Auto,
    /// Not at all.
    None,
    /// Of equal returns, where v > e the shortest game, where v < e the longest, and where v = e any.
    Depth,
    /// By v / n, which is the same order where there are wins, draws and losses only.
    Score,
    /// By the increment of the expected value, v / b^n, where every move but one in b is as good as lost.
    Branching(f64),
}

/// The levels of which something holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Levels {
    /// All.
    All,
    /// These.
    Only(Vec<u32>),
}

impl Levels {
    fn hold(&self, level: usize) -> bool {
        match self {
            Levels::All => true,
            Levels::Only(levels) => levels.iter().any(|one| *one as usize == level),
        }
    }

    fn read(spec: &Spec) -> Result<Levels, String> {
        let level = |(key, value): &(String, Value)| match value {
            Value::Integer(level) if key.is_empty() && (1..=100).contains(level) => Ok(*level as u32),
            other => Err(format!("{}: {other} is not a level, from 1 on", spec.name)),
        };
        match spec.arguments.as_slice() {
            [] => Ok(Levels::All),
            levels => Ok(Levels::Only(levels.iter().map(level).collect::<Result<_, _>>()?)),
        }
    }

    fn show(&self, name: &str) -> String {
        match self {
            Levels::All => name.to_owned(),
            Levels::Only(levels) => {
                let levels: Vec<String> = levels.iter().map(u32::to_string).collect();
                format!("{name}({})", levels.join(", "))
            }
        }
    }
}

/// At which levels a search ends with the first game that nothing surpasses: Cut on Win.
#[derive(Clone, PartialEq, Debug)]
pub enum Cut {
    /// Below the highest, where length does not count: the choice is the same.
    Auto,
    /// Nowhere.
    None,
    /// At these.
    Win(Levels),
}

/// At which levels games are left that get as long as the shortest win so far.
#[derive(Clone, PartialEq, Debug)]
pub enum Prune {
    /// Nowhere.
    None,
    /// Prune on Depth: beside the games of the same search.
    Depth(Levels),
    /// Cascade Pruning: beside those of the searches above as well. It may change the choice.
    Cascade(Levels),
}

impl Param for Discount {
    fn kind() -> String {
        "auto | none | depth | score | branching(b)".to_owned()
    }

    fn read(value: &Value) -> Result<Discount, String> {
        let (name, number) = crate::params::named(value, &["auto", "none", "depth", "score", "branching"])?;
        match (name.as_str(), number) {
            ("branching", Some(b)) if (1.0..=1e6).contains(&b) => Ok(Discount::Branching(b)),
            ("branching", _) => {
                Err("branching(b) needs a number from 1 on, such as branching(2)".to_owned())
            }
            (name, Some(_)) => Err(format!("{name} takes no number")),
            ("none", None) => Ok(Discount::None),
            ("depth", None) => Ok(Discount::Depth),
            ("score", None) => Ok(Discount::Score),
            _ => Ok(Discount::Auto),
        }
    }

    fn show(&self) -> String {
        match self {
            Discount::Auto => "auto".to_owned(),
            Discount::None => "none".to_owned(),
            Discount::Depth => "depth".to_owned(),
            Discount::Score => "score".to_owned(),
            Discount::Branching(b) => format!("branching({b})"),
        }
    }
}

fn spec_of<'v>(value: &'v Value, known: &[&str]) -> Result<&'v Spec, String> {
    match value {
        Value::Spec(spec) if known.contains(&spec.name.as_str()) => Ok(spec),
        other => Err(unknown("choice", &other.to_string(), known.iter().copied()).0),
    }
}

fn plain(spec: &Spec) -> Result<(), String> {
    if spec.arguments.is_empty() { Ok(()) } else { Err(format!("{} takes no levels", spec.name)) }
}

impl Param for Cut {
    fn kind() -> String {
        "auto | none | win(level, ...)".to_owned()
    }

    fn read(value: &Value) -> Result<Cut, String> {
        let spec = spec_of(value, &["auto", "none", "win"])?;
        match spec.name.as_str() {
            "win" => Levels::read(spec).map(Cut::Win),
            "none" => plain(spec).map(|()| Cut::None),
            _ => plain(spec).map(|()| Cut::Auto),
        }
    }

    fn show(&self) -> String {
        match self {
            Cut::Auto => "auto".to_owned(),
            Cut::None => "none".to_owned(),
            Cut::Win(levels) => levels.show("win"),
        }
    }
}

impl Param for Prune {
    fn kind() -> String {
        "none | depth(level, ...) | cascade(level, ...)".to_owned()
    }

    fn read(value: &Value) -> Result<Prune, String> {
        let spec = spec_of(value, &["none", "depth", "cascade"])?;
        match spec.name.as_str() {
            "depth" => Levels::read(spec).map(Prune::Depth),
            "cascade" => Levels::read(spec).map(Prune::Cascade),
            _ => plain(spec).map(|()| Prune::None),
        }
    }

    fn show(&self) -> String {
        match self {
            Prune::None => "none".to_owned(),
            Prune::Depth(levels) => levels.show("depth"),
            Prune::Cascade(levels) => levels.show("cascade"),
        }
    }
}

impl Nesting {
    /// The same for a game, with nothing left open.
    ///
    /// # Errors
    /// Levels that there are not, or what does not go together.
    pub fn resolved(&self, model: &dyn Model, evaluator: bool) -> Result<Nesting, String> {
        let (info, has) = (model.info(), model.has());
        let alone = info.players == 1;
        let mut all = self.clone();
        if all.base == Base::Auto {
            all.base = match () {
                () if alone && (has.evaluator || evaluator) => Base::Greedy,
                () if alone && has.preferred => Base::Preferred,
                () => Base::Random,
            };
        }
        let lacks = match all.base {
            Base::Greedy if !has.evaluator && !evaluator => Some("an evaluator"),
            Base::Preferred if !has.preferred => Some("preferred actions"),
            _ => None,
        };
        if let Some(what) = lacks {
            return Err(format!("base={} needs {what}, which this game lacks", all.base.show()));
        }
        if all.discount == Discount::Auto {
            let plain = alone && all.prune == Prune::None;
            all.discount = if plain { Discount::None } else { Discount::Depth };
        }
        if all.cut == Cut::Auto {
            let lower = Levels::Only((1..all.level).collect());
            all.cut = if all.discount == Discount::None { Cut::Win(lower) } else { Cut::None };
        }
        if all.prune != Prune::None {
            if all.discount == Discount::None {
                return Err(
                    "prune goes by the depth of wins: it needs a discount other than none".to_owned()
                );
            }
            if !info.bounds_what_is_left() {
                return Err(
                    "prune needs a game that pays at its end only (and says so), without a discount: what \
                            wins cannot be told before"
                        .to_owned(),
                );
            }
        }
        for (name, levels) in [("cut", all.cut.levels()), ("prune", all.prune.levels())] {
            if let Some(Levels::Only(levels)) = levels
                && let Some(level) = levels.iter().find(|level| **level > all.level)
            {
                return Err(format!("{name}: there is no level {level}, the highest is {}", all.level));
            }
        }
        Ok(all)
    }

    fn cuts(&self, level: usize) -> bool {
        self.cut.levels().is_some_and(|levels| levels.hold(level))
    }

    fn prunes(&self, level: usize) -> bool {
        self.prune.levels().is_some_and(|levels| levels.hold(level))
    }

    fn cascades(&self, level: usize) -> bool {
        matches!(&self.prune, Prune::Cascade(levels) if levels.hold(level))
    }
}

impl Cut {
    fn levels(&self) -> Option<&Levels> {
        match self {
            Cut::Win(levels) => Some(levels),
            _ => None,
        }
    }
}

impl Prune {
    fn levels(&self) -> Option<&Levels> {
        match self {
            Prune::Depth(levels) | Prune::Cascade(levels) => Some(levels),
            Prune::None => None,
        }
    }
}

/// More steps of the model than this are done on request only.
const MOST_STEPS: f64 = 1e11;
/// Random games that are looked at, and the longest look at one.
const LOOKS: u32 = 8;
const LONGEST_LOOK: u32 = 2000;

/// Refuses what would take for ever, with an estimate of how long: a game of level n from a state with b actions and
/// a random game of l moves takes about b^n l^(n+1) / (n+1)! steps, without pruning. `one_move` where that is asked
/// for the choice of a move, b times a game one level lower.
///
/// # Errors
/// The estimate.
pub fn affordable(
    model: &dyn Model,
    level: u32,
    one_move: bool,
    horizon: u32,
    rng: &mut Rng,
) -> Result<(), String> {
    if level < 2 {
        return Ok(());
    }
    let begun = std::time::Instant::now();
    let (mut moves, mut actions, mut steps) = (0.0, 0.0, 0.0);
    let mut legal = Vec::new();
    for _ in 0..LOOKS {
        let mut state: State = model.initial();
        let mut rewards = vec![0.0; model.info().players];
        for _ in 0..LONGEST_LOOK.min(horizon.saturating_mul(2)) {
            let turn = model.turn(&state);
            let joint = match turn {
                Turn::Over => break,
                Turn::Chance => vec![model.draw(&state, rng)],
                _ => {
                    let mut joint = Vec::new();
                    for mover in turn.movers().iter() {
                        legal.clear();
                        model.legal(&state, mover, &mut legal);
                        actions += legal.len() as f64;
                        joint.push(model.random_action(&state, mover, &mut legal, rng));
                    }
                    moves += 1.0;
                    joint
                }
            };
            model.step(&mut state, &joint, &mut rewards);
            steps += 1.0;
        }
    }
    let seconds = begun.elapsed().as_secs_f64() / f64::max(steps, 1.0);
    let (l, b) = (f64::min(moves / f64::from(LOOKS), horizon.into()), actions / f64::max(moves, 1.0));
    let games = if one_move { level - 1 } else { level };
    let game = (1..=games).fold(l, |steps, n| steps * b * l / f64::from(n + 1));
    let total = if one_move { b * game } else { game };
    if total <= MOST_STEPS {
        return Ok(());
    }
    let (what, or) =
        if one_move { ("the first move", ", give it milliseconds") } else { ("one playout", "") };
    Err(format!(
        "level {level} would take some {total:.0e} steps of the game for {what}, about {} ({b:.0} actions, games of \
         {l:.0} moves, little pruned); take a lower level{or}, or say insist=true",
        words_of(total * seconds)
    ))
}

/// A length of time in words.
fn words_of(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let (unit, name) =
        UNITS.into_iter().find(|(unit, _)| seconds >= 2.0 * unit).unwrap_or((1.0, "seconds"));
    match seconds / unit {
        many if many >= 1e6 => format!("{many:.0e} {name}"),
        some => format!("{some:.0} {name}"),
    }
}
