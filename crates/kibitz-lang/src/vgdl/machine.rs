//! A video game, bare: what stands where, the player's moves beside chance's, and which lines of the rules took part.

use std::collections::BTreeSet;
use std::sync::Arc;

use kibitz_core::Rng;

use crate::bare::{Bare, BareStep, Bared, Head};
use crate::source::Source;
use crate::vgdl::game::{INPUTS, available};
use crate::vgdl::state::{State, World};
use crate::vgdl::tick::Chance;

/// The machine's name.
pub const NAME: &str = "sprites";
/// The player, and chance where there is any.
const ROLES: [&str; 2] = ["player", "random"];
/// Chance's moves are seeds of a tick, so many of them.
const SEEDS: u32 = 256;

/// A moment that is looked into.
struct Moment {
    world: Arc<World>,
    state: State,
    /// The line of each effect.
    lines: Arc<Vec<usize>>,
    /// The effects that happened in the tick before.
    fired: BTreeSet<usize>,
}

/// Draws, and the effects that happen.
struct Watched {
    rng: Rng,
    fired: BTreeSet<usize>,
}

impl Chance for Watched {
    fn below(&mut self, _: char, bound: u32) -> u32 {
        self.rng.below(bound)
    }

    fn unit(&mut self, _: char) -> f64 {
        self.rng.unit()
    }

    fn fired(&mut self, effect: usize) {
        self.fired.insert(effect);
    }
}

/// The machine of rules and a level.
pub fn bare(world: World, source: &Source) -> Bare {
    let line = |span: crate::source::Span| source.place(span.start).line;
    let lines: Vec<usize> = world.rules.effects.iter().map(|effect| line(effect.span)).collect();
    let head = |about: &'static str, line: usize| Head { about, role: None, line };
    let mut heads: Vec<Head> = lines.iter().map(|line| head("effect", *line)).collect();
    heads.extend(world.rules.terminations.iter().map(|end| head("terminal", line(end.span))));
    let roles = ROLES[..1 + usize::from(world.is_random)].iter().map(|role| (*role).to_owned()).collect();
    let state = world.initial();
    let moment = Moment { world: Arc::new(world), state, lines: Arc::new(lines), fired: BTreeSet::new() };
    Bare { kind: NAME.to_owned(), why: None, roles, has_percepts: false, initial: Arc::new(moment), heads }
}

impl Bared for Moment {
    fn facts(&self) -> Vec<String> {
        let block = self.world.level.block;
        let fact = |sprite: &crate::vgdl::state::Sprite| {
            let (column, row) = (sprite.x.div_euclid(block), sprite.y.div_euclid(block));
            format!("{}({column},{row})", self.world.kind(sprite.kind).name)
        };
        let mut facts: Vec<String> = self.state.sprites.iter().map(fact).collect();
        facts.sort();
        facts
    }

    fn terminal(&self) -> bool {
        self.state.won.is_some()
    }

    fn trouble(&self) -> Option<String> {
        None
    }

    fn legal(&self) -> Vec<Vec<String>> {
        let player =
            available(&self.world, &self.state).map(|number| INPUTS[number].1.to_owned()).collect();
        let mut legal: Vec<Vec<String>> = vec![player];
        if self.world.is_random {
            legal.push((0..SEEDS).map(|seed| seed.to_string()).collect());
        }
        legal
    }

    /// 100 for a game that is won, and 0 for one that is lost; before the end there is no saying.
    fn goals(&self) -> Vec<Vec<f64>> {
        let mut goals = vec![self.state.won.map(|won| if won { 100.0 } else { 0.0 }).into_iter().collect()];
        goals.resize(1 + usize::from(self.world.is_random), Vec::new());
        goals
    }

    fn advance(&self, moves: &[String]) -> Result<BareStep, String> {
        let roles = 1 + usize::from(self.world.is_random);
        let [first, rest @ ..] = moves else { return Err("the player makes a move".to_owned()) };
        if moves.len() != roles {
            return Err(format!("there are {roles} moves, and not {}", moves.len()));
        }
        let chosen = available(&self.world, &self.state).find(|number| INPUTS[*number].1 == first);
        let number = chosen.ok_or_else(|| format!("{first} is not a legal move of player"))?;
        let seed = match rest.first().map(|seed| seed.parse::<u32>()) {
            None => 0,
            Some(Ok(seed)) if seed < SEEDS => seed,
            Some(_) => return Err(format!("{} is not a legal move of random", rest[0])),
        };
        let mut chance = Watched {
            // A seed means something else in each tick.
            rng: Rng::new(u64::from(self.state.tick) << 32 | u64::from(seed)),
            fired: BTreeSet::new(),
        };
        let mut state = self.state.clone();
        self.world.tick(&mut state, INPUTS[number].0, &mut chance);
        let (world, lines) = (Arc::clone(&self.world), Arc::clone(&self.lines));
        let after = Moment { world, state, lines, fired: chance.fired };
        Ok((Box::new(after), vec![Vec::new(); roles]))
    }

    fn exercised(&self) -> Vec<usize> {
        self.fired.iter().map(|effect| self.lines[*effect]).collect()
    }

    fn note(&self) -> Option<String> {
        let most = self.world.most_sprites;
        let full = self.state.sprites.len() >= most;
        full.then(|| format!("there are {most} sprites (limit.sprites), and no more are born"))
    }
}
