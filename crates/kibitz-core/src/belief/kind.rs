//! Which belief: how it is written in a spec, and how it is made for a game.

use super::{Belief, Exact, HistoryTree, Hypergames, Particles, Resampling};
use crate::game::Info;
use crate::params::{Param, named, whole};
use crate::spec::Value;

/// What the past leaves possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BeliefKind {
    /// The known state where there is perfect information, else particles: as many as there are
    /// simulations, from a hundred to a thousand.
    Auto,
    /// Every possible state, at most so many.
    Exact(usize),
    /// So many particles.
    Particles(usize),
    /// The tree of all histories, as far as they are looked at; at most so many are kept.
    Tree(usize),
    /// The game's own resampling.
    Resampling,
    /// So many whole histories.
    Hypergames(usize),
}

impl Param for BeliefKind {
    fn kind() -> String {
        "auto | exact(limit) | particles(count) | tree(limit) | resampling | hypergames(count)".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let known = ["auto", "exact", "particles", "tree", "resampling", "hypergames"];
        let (name, number) = named(value, &known)?;
        Ok(match name.as_str() {
            "exact" => BeliefKind::Exact(whole(&name, number, 100_000)?),
            "particles" => BeliefKind::Particles(whole(&name, number, 1000)?),
            "tree" => BeliefKind::Tree(whole(&name, number, 1_000_000)?),
            "resampling" => BeliefKind::Resampling,
            "hypergames" => BeliefKind::Hypergames(whole(&name, number, 100)?),
            _ => BeliefKind::Auto,
        })
    }

    fn show(&self) -> String {
        match self {
            BeliefKind::Auto => "auto".to_owned(),
            BeliefKind::Exact(limit) => format!("exact({limit})"),
            BeliefKind::Particles(count) => format!("particles({count})"),
            BeliefKind::Tree(limit) => format!("tree({limit})"),
            BeliefKind::Resampling => "resampling".to_owned(),
            BeliefKind::Hypergames(count) => format!("hypergames({count})"),
        }
    }
}

impl BeliefKind {
    /// A new belief of this kind for a game, from which so many presents will be drawn.
    ///
    /// # Errors
    /// What the game lacks for it.
    pub fn build(self, info: &Info, draws: u64) -> Result<Box<dyn Belief>, String> {
        let need = |holds: bool, part: &str, what: &str| {
            if holds { Ok(()) } else { Err(format!("belief={part} needs {what}, which this game lacks")) }
        };
        Ok(match self {
            BeliefKind::Auto if info.perfect_information && info.has.explicit_chance => {
                Box::new(Exact::new(1_000_000))
            }
            BeliefKind::Auto => Box::new(Particles::new(draws.clamp(100, 1000) as usize)),
            BeliefKind::Exact(limit) => {
                need(info.has.explicit_chance, "exact", "explicit chance")?;
                Box::new(Exact::new(limit))
            }
            BeliefKind::Particles(count) => Box::new(Particles::new(count)),
            BeliefKind::Tree(limit) => Box::new(HistoryTree::new(limit)),
            BeliefKind::Resampling => {
                need(info.has.resampling, "resampling", "resampling")?;
                Box::new(Resampling)
            }
            BeliefKind::Hypergames(count) => Box::new(Hypergames::new(count)),
        })
    }
}
