//! A moment of a game, as flat arrays, and the world that it belongs to.

use crate::vgdl::cells::{Marks, SEVERAL, Screen, Spot};
use crate::vgdl::level::Level;
use crate::vgdl::ontology::{Avatar, Conduct, Verb};
use crate::vgdl::rules::{Kind, KindId, Orientation, Rules};

/// Nobody.
pub const NOBODY: u32 = u32::MAX;
/// No purse.
pub const NO_PURSE: u16 = u16::MAX;
/// A resource that a sprite has never had.
pub const UNTOUCHED: i32 = i32::MIN;

/// It has not had its first update.
pub const NEW: u8 = 1;
/// It has an orientation, if perhaps none of the four.
pub const ORIENTED: u8 = 2;
/// A wall has stopped it for good.
pub const STOPPED: u8 = 4;
/// It is taken away when the tick is over.
pub const DEAD: u8 = 8;

/// One thing on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sprite {
    /// Pixels from the left.
    pub x: i32,
    /// Pixels from the top.
    pub y: i32,
    /// Where it was before its own update in this tick.
    pub last: (i32, i32),
    /// By which its row in the search for collisions goes; not always where it is.
    pub row_y: i32,
    /// Its type.
    pub kind: KindId,
    /// Ticks since it moved.
    pub still: u16,
    /// Ticks that it has lived, or births that it has given.
    pub count: u16,
    /// Where its resources are, if it has ever had some.
    pub purse: u16,
    /// Where it looks.
    pub orientation: Orientation,
    /// See [`NEW`] and those below it.
    pub flags: u8,
    /// On which cell it is, as far as that is known.
    pub spot: Spot,
}

impl Sprite {
    /// Whether it has a mark.
    #[inline]
    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A moment of a game.
#[derive(Clone, Debug)]
pub struct State {
    /// All sprites: by type, and those of a type in the order of their creation. During a tick, the newborn come behind.
    pub sprites: Vec<Sprite>,
    /// Where each type begins, and where the last one ends.
    pub starts: Vec<u32>,
    /// What sprites carry, so many numbers a purse as there are resources.
    pub purses: Vec<i32>,
    /// The ticks that have passed.
    pub tick: u32,
    /// The score.
    pub score: i32,
    /// The sprite that the player moves, or [`NOBODY`].
    pub avatar: u32,
    /// Whether the player has won, once the game is over.
    pub won: Option<bool>,
    /// What the player does in this tick, when that is chosen but has not happened yet.
    pub chosen: Option<Input>,
    /// Whether a sprite that never moves of itself has been moved since its last update.
    pub stirred: bool,
    /// Where sprites of each type may be; up to date while effects happen.
    pub(super) marks: Marks,
}

/// What a player does in a tick.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// Nothing.
    Nil,
    /// A move.
    Go(Orientation),
    /// Whatever the avatar can do.
    Use,
}

/// Rules with a level: all that never changes in a game.
#[derive(Clone, Debug)]
pub struct World {
    /// The rules.
    pub rules: Rules,
    /// The level.
    pub level: Level,
    /// No more sprites than this are there at any time: more are not born.
    pub most_sprites: usize,
    /// The tick after which a game that is not over is lost.
    pub last_tick: u32,
    /// Whether anything is ever drawn whose result matters.
    pub is_random: bool,
    /// Of each type, whether its sprites are updated at all.
    pub(super) updated: Vec<bool>,
    /// Of each type, whether an update does nothing to its sprites unless an effect has moved them.
    pub(super) idle: Vec<bool>,
    /// The types that are neither idle nor without updates, in the order of updates.
    pub(super) turns: Vec<KindId>,
    /// From pixels to cells.
    pub(super) screen: Screen,
    /// What runs where two types meet.
    pub(super) meetings: Vec<Meeting>,
}

/// Two types, and what runs where they meet.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    pub(super) left: KindId,
    pub(super) right: KindId,
    pub(super) effects: Vec<usize>,
    /// The families of both, each type once.
    pub(super) both: Vec<KindId>,
    /// No type is in both families.
    pub(super) disjoint: bool,
}

impl Meeting {
    fn new(rules: &Rules, left: KindId, right: KindId, effects: &[usize]) -> Meeting {
        let family = |kind: KindId| &rules.kinds[usize::from(kind)].family;
        let mut both = family(left).clone();
        both.extend(family(right).iter().filter(|kind| !family(left).contains(kind)));
        let disjoint = both.len() == family(left).len() + family(right).len();
        Meeting { left, right, effects: effects.to_vec(), both, disjoint }
    }
}

impl World {
    /// Rules with a level.
    pub fn new(rules: Rules, level: Level, most_sprites: usize, last_tick: u32) -> World {
        let is_random = draws(&rules);
        let numbers = 0..rules.kinds.len() as KindId;
        let updated: Vec<bool> = numbers.map(|k| rules.order.contains(&k)).collect();
        let idle = rules.idle();
        let turns = rules.order.iter().copied().filter(|k| !idle[usize::from(*k)]).collect();
        let screen = Screen::new(&level);
        let meetings = rules.pairs.iter().map(|(a, b, list)| Meeting::new(&rules, *a, *b, list)).collect();
        World { rules, level, most_sprites, last_tick, is_random, updated, idle, turns, screen, meetings }
    }

    /// The type of a number.
    #[inline]
    pub fn kind(&self, kind: KindId) -> &Kind {
        &self.rules.kinds[usize::from(kind)]
    }

    /// What sprites of a type do of themselves.
    #[inline]
    pub fn conduct(&self, kind: KindId) -> Conduct {
        self.kind(kind).class.map_or(Conduct::Plain, |class| class.conduct)
    }

    /// The avatar that a type is, if it is one.
    pub fn avatar(&self, kind: KindId) -> Option<Avatar> {
        match self.conduct(kind) {
            Conduct::Avatar(avatar) => Some(avatar),
            _ => None,
        }
    }

    /// The first state.
    pub fn initial(&self) -> State {
        let mut state = State {
            sprites: Vec::new(),
            starts: vec![0; self.rules.kinds.len() + 1],
            purses: Vec::new(),
            tick: 0,
            score: 0,
            avatar: NOBODY,
            won: None,
            chosen: None,
            stirred: false,
            marks: Marks::new(self.rules.kinds.len()),
        };
        for &(kind, column, row) in &self.level.placed {
            let block = self.level.block;
            self.birth(&mut state, kind, (column * block, row * block));
        }
        self.settle(&mut state);
        self.mark(&mut state);
        let is_avatar = |sprite: &Sprite| self.avatar(sprite.kind).is_some();
        state.avatar = state.sprites.iter().position(is_avatar).map_or(NOBODY, |at| at as u32);
        state
    }

    /// Makes a sprite, unless there are too many of its family.
    pub fn birth(&self, state: &mut State, kind: KindId, at: (i32, i32)) -> Option<usize> {
        let Kind { singletons, orientation, oriented, .. } = self.kind(kind);
        let taken = |single: &KindId| self.kind(*single).family.iter().any(|k| state.has(*k));
        if state.sprites.len() >= self.most_sprites || singletons.iter().any(taken) {
            return None;
        }
        state.sprites.push(Sprite {
            x: at.0,
            y: at.1,
            last: at,
            row_y: at.1,
            kind,
            still: 0,
            count: 0,
            purse: NO_PURSE,
            orientation: *orientation,
            flags: NEW | if *oriented { ORIENTED } else { 0 },
            spot: SEVERAL,
        });
        Some(state.sprites.len() - 1)
    }

    /// Finds where all sprites are, as far as that is not known from the tick before.
    pub(super) fn mark(&self, state: &mut State) {
        let State { sprites, starts, marks, .. } = state;
        for (kind, range) in starts.windows(2).enumerate() {
            if self.idle[kind] && !marks.is_stale(kind) {
                continue;
            }
            marks.clear(kind);
            for sprite in &mut sprites[range[0] as usize..range[1] as usize] {
                sprite.spot = marks.set(&self.screen, kind, (sprite.x, sprite.y));
            }
        }
        let newborn = starts.last().map_or(0, |end| *end as usize);
        for sprite in &mut sprites[newborn..] {
            sprite.spot = marks.set(&self.screen, usize::from(sprite.kind), (sprite.x, sprite.y));
        }
    }

    /// Takes the dead away and sorts the newborn in.
    pub fn settle(&self, state: &mut State) {
        let sorted = state.starts.last().map_or(0, |end| *end as usize);
        let unchanged =
            sorted == state.sprites.len() && !state.sprites.iter().any(|sprite| sprite.is(DEAD));
        if unchanged {
            return;
        }
        let (avatar, sorted) = (state.avatar as usize, state.newborn());
        let mut sprites: Vec<Sprite> = Vec::with_capacity(state.sprites.len());
        state.avatar = NOBODY;
        let has_newborn = sorted < state.sprites.len();
        for kind in 0..state.starts.len() - 1 {
            let old = state.starts[kind] as usize..state.starts[kind + 1] as usize;
            let begin = sprites.len();
            state.starts[kind] = begin as u32;
            let alive = &state.sprites[old.clone()];
            if !alive.iter().any(|sprite| sprite.is(DEAD)) {
                sprites.extend_from_slice(alive);
                if old.contains(&avatar) {
                    state.avatar = (begin + avatar - old.start) as u32;
                }
            } else {
                keep(&state.sprites, old, avatar, &mut state.avatar, &mut sprites);
            }
            if has_newborn {
                let born = sorted..state.sprites.len();
                let born = born.filter(|at| usize::from(state.sprites[*at].kind) == kind);
                keep(&state.sprites, born, avatar, &mut state.avatar, &mut sprites);
            }
        }
        if let Some(end) = state.starts.last_mut() {
            *end = sprites.len() as u32;
        }
        state.sprites = sprites;
        // Purses that nobody has any more are given up.
        let size = self.rules.resources.len();
        if !state.purses.is_empty() {
            let mut purses = Vec::new();
            for sprite in state.sprites.iter_mut().filter(|sprite| sprite.purse != NO_PURSE) {
                let from = usize::from(sprite.purse) * size;
                sprite.purse = (purses.len() / size) as u16;
                purses.extend_from_slice(&state.purses[from..from + size]);
            }
            state.purses = purses;
        }
    }
}

/// Those of some sprites that live, and where the avatar is among them.
fn keep(
    from: &[Sprite],
    some: impl Iterator<Item = usize>,
    avatar: usize,
    is_now: &mut u32,
    sprites: &mut Vec<Sprite>,
) {
    for at in some.filter(|at| !from[*at].is(DEAD)) {
        if at == avatar {
            *is_now = sprites.len() as u32;
        }
        sprites.push(from[at]);
    }
}

impl State {
    /// Forgets what is known of where sprites are; it is found out again.
    pub fn forget(&mut self) {
        self.marks = Marks::new(self.starts.len() - 1);
    }

    /// Where the sprites of a type are that were there before the tick.
    #[inline]
    pub fn range(&self, kind: KindId) -> std::ops::Range<usize> {
        let kind = usize::from(kind);
        self.starts[kind] as usize..self.starts[kind + 1] as usize
    }

    /// Where the newborn begin.
    #[inline]
    pub fn newborn(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// The numbers of all sprites of a type, in the order of their creation.
    pub fn all(&self, kind: KindId) -> impl Iterator<Item = usize> + '_ {
        let born = (self.newborn()..self.sprites.len()).filter(move |at| self.sprites[*at].kind == kind);
        self.range(kind).chain(born)
    }

    /// Whether a type has a sprite, dead or alive.
    pub fn has(&self, kind: KindId) -> bool {
        self.all(kind).next().is_some()
    }

    /// How much a sprite has of a resource, if it ever had some.
    #[inline]
    pub fn carried(&self, sprite: usize, resource: usize, resources: usize) -> Option<i32> {
        match self.sprites[sprite].purse {
            NO_PURSE => None,
            purse => {
                let amount = self.purses[usize::from(purse) * resources + resource];
                (amount != UNTOUCHED).then_some(amount)
            }
        }
    }

    /// Changes how much a sprite has of a resource; it never has less than nothing.
    pub fn give(&mut self, sprite: usize, resource: usize, amount: i32, resources: usize) {
        let before = self.carried(sprite, resource, resources).unwrap_or(0);
        if self.sprites[sprite].purse == NO_PURSE {
            let purse = self.purses.len() / resources;
            if purse >= usize::from(NO_PURSE) {
                return;
            }
            self.sprites[sprite].purse = purse as u16;
            self.purses.extend(std::iter::repeat_n(UNTOUCHED, resources));
        }
        let at = usize::from(self.sprites[sprite].purse) * resources + resource;
        self.purses[at] = before.saturating_add(amount).max(0);
    }
}

/// Whether anything in the rules draws something whose result matters.
fn draws(rules: &Rules) -> bool {
    let kind = |kind: &Kind| match kind.class.map(|class| class.conduct) {
        Some(Conduct::Spawner | Conduct::Spreader) => kind.probability < 1.0,
        Some(
            Conduct::RandomMissile
            | Conduct::RandomNpc
            | Conduct::Chaser { .. }
            | Conduct::AltChaser { .. },
        ) => true,
        _ => false,
    };
    rules.kinds.iter().any(kind)
        || rules.effects.iter().any(|effect| match effect.verb {
            Verb::FlipDirection | Verb::TeleportToExit => true,
            Verb::AttractGaze | Verb::SpawnIfHasMore => effect.probability < 1.0,
            _ => false,
        })
}
