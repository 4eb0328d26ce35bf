//! The machine of a rules file, bare: facts, moves, scores and percepts as the rules name them.
//!
//! A game asks its machine only for what players need; this shows all of it: also the moves of a
//! role that has but one, what holds, and scores before the end. Checks and comparisons use it.

use std::sync::Arc;

use crate::language::{Refusal, RulesText};

/// What a language's rules can be run by.
pub struct Machines {
    /// Their names.
    pub names: fn() -> Vec<String>,
    /// The machine of that name, or the one that a game made of the rules would get.
    pub make: fn(&RulesText, Option<&str>) -> Result<Bare, Refusal>,
}

/// What runs the rules of a file.
pub struct Bare {
    /// Which machine it is.
    pub kind: String,
    /// Why it is not a faster one, where that was tried.
    pub why: Option<String>,
    /// The roles' names, that of chance included.
    pub roles: Vec<String>,
    /// Whether the rules say what each role is told.
    pub has_percepts: bool,
    /// Where every game begins.
    pub initial: Arc<dyn Bared>,
    /// What says who may move, who scores, and when it is over.
    pub heads: Vec<Head>,
}

impl Bare {
    /// The lines of the rules that say something, of a role if one is given.
    pub fn lines(&self, about: &str, role: Option<&str>) -> Vec<usize> {
        let of_role = |head: &&Head| role.is_none() || head.role.is_none() || head.role.as_deref() == role;
        let heads = self.heads.iter().filter(|head| head.about == about).filter(of_role);
        heads.map(|head| head.line).collect()
    }
}

/// Where the rules speak of something.
pub struct Head {
    /// What it is about: `legal`, `goal`, `terminal` or `effect`.
    pub about: &'static str,
    /// The role it is about, where that is one.
    pub role: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

/// Where moves lead, and what each role is told.
pub type BareStep = (Box<dyn Bared>, Vec<Vec<String>>);

/// One state of one machine, whatever its facts are. Lists of lists have an entry for each role.
pub trait Bared: Send + Sync {
    /// What holds, sorted.
    fn facts(&self) -> Vec<String>;

    /// Whether the game is over.
    fn terminal(&self) -> bool;

    /// Why nothing can be said of the state, where that is so.
    fn trouble(&self) -> Option<String>;

    /// The legal moves of each role.
    fn legal(&self) -> Vec<Vec<String>>;

    /// The scores that the rules give each role here: none, one, or (wrongly) several.
    fn goals(&self) -> Vec<Vec<f64>>;

    /// The lines of the rules that took part in the step to it, where that is known.
    fn exercised(&self) -> Vec<usize> {
        Vec::new()
    }

    /// What somebody who plays by these rules should know of the state, where it is not as they say.
    fn note(&self) -> Option<String> {
        None
    }

    /// What follows when each role makes its move.
    ///
    /// # Errors
    /// Which move is not legal.
    fn advance(&self, moves: &[String]) -> Result<BareStep, String>;
}
