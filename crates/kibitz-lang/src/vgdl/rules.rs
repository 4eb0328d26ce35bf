//! What a file of rules says, in numbers: types, effects in the order in which they run, terminations.

use crate::source::Span;
use crate::vgdl::ontology::{Class, Conduct, Verb};

/// A direction, or none; [`Orientation::OPEN`] is one that is yet to be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Orientation(pub u8);

impl Orientation {
    /// None.
    pub const NONE: Orientation = Orientation(0);
    /// Up.
    pub const UP: Orientation = Orientation(1);
    /// Left.
    pub const LEFT: Orientation = Orientation(2);
    /// Down.
    pub const DOWN: Orientation = Orientation(3);
    /// Right.
    pub const RIGHT: Orientation = Orientation(4);
    /// Yet to be drawn.
    pub const OPEN: Orientation = Orientation(5);
    /// In the order in which they are drawn from.
    pub const ALL: [Orientation; 4] =
        [Orientation::UP, Orientation::LEFT, Orientation::DOWN, Orientation::RIGHT];

    /// Of a name in the rules.
    pub fn named(name: &str) -> Option<Orientation> {
        match name {
            "UP" => Some(Orientation::UP),
            "LEFT" => Some(Orientation::LEFT),
            "DOWN" => Some(Orientation::DOWN),
            "RIGHT" => Some(Orientation::RIGHT),
            _ => None,
        }
    }

    /// To the right and down.
    #[inline]
    pub fn vector(self) -> (i32, i32) {
        [(0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1)][usize::from(self.0)]
    }

    /// Of a displacement along an axis; none for any other.
    #[inline]
    pub fn of(x: i32, y: i32) -> Orientation {
        match (x.signum(), y.signum()) {
            (0, -1) => Orientation::UP,
            (-1, 0) => Orientation::LEFT,
            (0, 1) => Orientation::DOWN,
            (1, 0) => Orientation::RIGHT,
            _ => Orientation::NONE,
        }
    }

    /// The other way.
    #[inline]
    pub fn reversed(self) -> Orientation {
        match self {
            Orientation::UP => Orientation::DOWN,
            Orientation::LEFT => Orientation::RIGHT,
            Orientation::DOWN => Orientation::UP,
            Orientation::RIGHT => Orientation::LEFT,
            other => other,
        }
    }
}

/// The number of a type.
pub type KindId = u16;

/// A type of sprites, with all that its sprites have in common.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its class; None for a type that only groups others, or one of no known class.
    pub class: Option<&'static Class>,
    /// The type that it stands under.
    pub parent: Option<KindId>,
    /// It has no children.
    pub leaf: bool,
    /// It stands for these in effects and counters: its ancestors, itself and its descendants.
    pub family: Vec<KindId>,
    /// No sprite of it is made while one of these types, each itself or an ancestor, has one.
    pub singletons: Vec<KindId>,
    /// At birth.
    pub orientation: Orientation,
    /// Whether it counts as oriented.
    pub oriented: bool,
    /// Blocks a tick.
    pub speed: f64,
    /// Ticks from one move to the next; 0 is as 1. Of a spawner, from one birth to the next as well.
    pub cooldown: u16,
    /// Ticks that it lives, or the most that can be had of it.
    pub limit: i32,
    /// How much of it comes at once.
    pub value: i32,
    /// After so many births a spawner dies; never after none.
    pub total: i32,
    /// Of a birth.
    pub probability: f64,
    /// Of a random move.
    pub epsilon: f64,
    /// What it makes, chases, or leads to.
    pub target: Option<KindId>,
    /// What it chases and what it flees from.
    pub rivals: [Option<KindId>; 2],
    /// The resource that a shot costs.
    pub ammo: Option<usize>,
    /// With so much of it or less there is no shot.
    pub least_ammo: i32,
    /// How much a shot costs.
    pub ammo_cost: i32,
    /// A new direction only turns it.
    pub turns_first: bool,
    /// Which resource it is.
    pub resource: Option<usize>,
    /// Not to be seen.
    pub invisible: bool,
    /// A colour's name.
    pub colour: Option<String>,
}

/// An effect of one line.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The line, without comments.
    pub text: String,
    /// Where.
    pub span: Span,
    /// What it does.
    pub verb: Verb,
    /// What it adds to the score.
    pub score: i32,
    /// The type that is made.
    pub made: Option<KindId>,
    /// The type that former sprites of `made` become.
    pub other: Option<KindId>,
    /// The resource, where it is one that there is.
    pub resource: Option<usize>,
    /// How much.
    pub value: i32,
    /// From how much.
    pub limit: i32,
    /// How likely.
    pub probability: f64,
    /// How far from the edge, in blocks.
    pub offset: i32,
    /// Whether what is made looks against the other.
    pub takes_orientation: bool,
}

/// What ends a game.
#[derive(Clone, Debug)]
pub enum Condition {
    /// These types together have so many sprites or fewer.
    Few(KindId),
    /// These types together have exactly so many sprites.
    Exactly(Vec<KindId>),
    /// So many ticks have passed.
    Ticks,
}

/// A condition that ends a game.
#[derive(Clone, Debug)]
pub struct Termination {
    /// What.
    pub condition: Condition,
    /// How many.
    pub limit: i32,
    /// Whether the player has won then.
    pub win: bool,
    /// Where it is declared.
    pub span: Span,
}

/// The rules of a game, without a level.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The types: `wall`, `avatar`, and the others as they are declared, parents before children.
    pub kinds: Vec<Kind>,
    /// The types whose sprites are updated, in that order.
    pub order: Vec<KindId>,
    /// The types that can be had, by the number of the resource.
    pub resources: Vec<KindId>,
    /// The effects, as they stand in the file.
    pub effects: Vec<Effect>,
    /// What runs at the edge of the screen: a type and its effects.
    pub edge: Vec<(KindId, Vec<usize>)>,
    /// What runs where two types meet.
    pub pairs: Vec<(KindId, KindId, Vec<usize>)>,
    /// The terminations, as they stand in the file.
    pub terminations: Vec<Termination>,
    /// Pixels in a cell, where the file says so.
    pub block: Option<i32>,
    /// What the characters of a level stand for.
    pub mapping: Vec<(char, Vec<KindId>)>,
}

impl Rules {
    /// The type of a name.
    pub fn kind(&self, name: &str) -> Option<KindId> {
        self.kinds.iter().position(|kind| kind.name == name).map(|at| at as KindId)
    }

    /// What a character of a level stands for.
    pub fn placed(&self, character: char) -> Option<&[KindId]> {
        self.mapping.iter().find(|(c, _)| *c == character).map(|(_, kinds)| &kinds[..])
    }

    /// The types whose sprites an update leaves as they are, unless an effect has moved them.
    pub fn idle(&self) -> Vec<bool> {
        let idle = |(number, kind): (usize, &Kind)| {
            self.order.contains(&(number as KindId))
                && kind.class.is_some_and(|class| class.fixed && class.conduct == Conduct::Plain)
                && kind.cooldown == 0
        };
        self.kinds.iter().enumerate().map(idle).collect()
    }

    /// The types whose sprites stay where the level puts them: nothing ever moves or makes one.
    pub fn unmoved(&self) -> Vec<bool> {
        use Verb::{BounceForward, PullWithIt, TeleportToExit, TurnAround};
        let rules = self;
        let mut still = self.idle();
        for (kind, _, list) in &rules.pairs {
            let moves = |effect: &usize| {
                matches!(
                    rules.effects[*effect].verb,
                    BounceForward | PullWithIt | TeleportToExit | TurnAround
                )
            };
            if list.iter().any(moves) {
                rules.kinds[usize::from(*kind)].family.iter().for_each(|k| still[usize::from(*k)] = false);
            }
        }
        let made = rules.effects.iter().flat_map(|effect| effect.made.iter().chain(&effect.other));
        for kind in made.chain(rules.kinds.iter().flat_map(|kind| &kind.target)) {
            still[usize::from(*kind)] = false;
        }
        still
    }
}
