//! One tick: the avatar moves, then everything else does, then effects happen, the dead go, and the game may be over.

use kibitz_core::Rng;

use crate::vgdl::cells::SEVERAL;
use crate::vgdl::ontology::{Avatar, Conduct};
use crate::vgdl::rules::{Condition, KindId, Orientation};
use crate::vgdl::state::{DEAD, Input, NEW, NOBODY, ORIENTED, STOPPED, State, World};

/// Where a tick's draws come from.
pub trait Chance {
    /// A whole number below a bound; `who` says what it is for.
    fn below(&mut self, who: char, bound: u32) -> u32;

    /// A real number from 0 up to 1; `who` says what it is for.
    fn unit(&mut self, who: char) -> f64;

    /// An effect is carried out: nothing is drawn.
    fn fired(&mut self, _effect: usize) {}
}

impl Chance for Rng {
    #[inline]
    fn below(&mut self, _: char, bound: u32) -> u32 {
        Rng::below(self, bound)
    }

    #[inline]
    fn unit(&mut self, _: char) -> f64 {
        Rng::unit(self)
    }
}

/// A tick under way.
pub(super) struct Tick<'a, C> {
    pub(super) world: &'a World,
    pub(super) state: &'a mut State,
    pub(super) chance: &'a mut C,
    /// Who has been pulled in this tick.
    pub(super) pulled: Vec<usize>,
    /// How often a sprite has been put somewhere.
    pub(super) moves: u64,
    /// The moves that somebody chooses from.
    ways: Vec<Orientation>,
    /// Whether somebody has died.
    pub(super) deaths: bool,
    /// Whether all have moved of themselves, and effects happen.
    pub(super) meeting: bool,
}

impl World {
    /// Plays one tick.
    pub fn tick<C: Chance>(&self, state: &mut State, input: Input, chance: &mut C) {
        if state.won.is_some() {
            return;
        }
        let mut tick = Tick {
            world: self,
            state,
            chance,
            pulled: Vec::new(),
            moves: 0,
            ways: Vec::new(),
            deaths: false,
            meeting: false,
        };
        tick.updates(input);
        tick.effects();
        if tick.deaths || state.newborn() < state.sprites.len() {
            self.settle(state);
        }
        state.won = self.outcome(state);
        state.tick += 1;
    }

    /// Whether the game is over after a tick, and won.
    fn outcome(&self, state: &State) -> Option<bool> {
        let count =
            |kind: KindId| -> usize { self.kind(kind).family.iter().map(|k| state.range(*k).len()).sum() };
        for termination in &self.rules.terminations {
            let limit = i64::from(termination.limit);
            let over = match &termination.condition {
                Condition::Few(kind) => count(*kind) as i64 <= limit,
                Condition::Exactly(kinds) => kinds.iter().map(|k| count(*k) as i64).sum::<i64>() == limit,
                Condition::Ticks => i64::from(state.tick) >= limit,
            };
            if over {
                return Some(termination.win);
            }
        }
        (state.tick >= self.last_tick).then_some(false)
    }
}

impl<C: Chance> Tick<'_, C> {
    fn updates(&mut self, input: Input) {
        let avatar = self.state.avatar;
        if avatar != NOBODY {
            self.avatar(avatar as usize, input);
        }
        let world = self.world;
        if self.state.stirred {
            self.state.stirred = false;
            for sprite in
                self.state.sprites.iter_mut().filter(|sprite| world.idle[usize::from(sprite.kind)])
            {
                sprite.last = (sprite.x, sprite.y);
            }
        }
        for &kind in &world.turns {
            let (range, newborn, end) =
                (self.state.range(kind), self.state.newborn(), self.state.sprites.len());
            for at in range {
                self.update(at, kind, avatar);
            }
            for at in newborn..end {
                if self.state.sprites[at].kind == kind {
                    self.update(at, kind, avatar);
                }
            }
        }
    }

    /// The update of a sprite that is not the player's.
    fn update(&mut self, at: usize, kind: KindId, avatar: u32) {
        if at == avatar as usize {
            return;
        }
        let world = self.world;
        let of = world.kind(kind);
        match world.conduct(kind) {
            Conduct::Plain | Conduct::Avatar(_) => self.passive(at),
            Conduct::Flicker => self.flicker(at),
            Conduct::Spreader => {
                self.flicker(at);
                if self.state.sprites[at].count == 2 {
                    let ((x, y), block) = (self.state.sprites[at].last, world.level.block);
                    for orientation in Orientation::ALL {
                        if self.chance.unit('P') < of.probability {
                            let (right, down) = orientation.vector();
                            let place = (far(x + right * block), far(y + down * block));
                            world.birth(self.state, of.target.unwrap_or(kind), place);
                        }
                    }
                }
            }
            Conduct::RandomMissile => {
                if self.state.sprites[at].orientation == Orientation::OPEN {
                    let drawn = self.chance.below('M', 4) as usize;
                    self.state.sprites[at].orientation = Orientation::ALL[drawn.min(3)];
                }
                self.passive(at);
            }
            Conduct::RandomNpc => {
                self.passive(at);
                let drawn = self.chance.below('R', 4) as usize;
                self.active(at, Orientation::ALL[drawn.min(3)].vector(), self.speed(at));
            }
            Conduct::Chaser { fleeing } => {
                self.passive(at);
                self.ways.clear();
                if let Some(target) = of.target {
                    self.towards(at, target, fleeing);
                }
                self.chosen(at, 'C');
            }
            Conduct::AltChaser { random } => {
                self.passive(at);
                self.ways.clear();
                if random && self.chance.unit('A') < of.epsilon {
                    self.chosen(at, 'A');
                    return;
                }
                let count = |kind: Option<KindId>| {
                    let family = kind.map_or(&[][..], |kind| &world.kind(kind).family[..]);
                    family.iter().map(|k| self.state.all(*k).count()).sum::<usize>()
                };
                let [chased, feared] = of.rivals.map(count);
                let target = match chased.cmp(&feared) {
                    std::cmp::Ordering::Greater => of.rivals[0].map(|kind| (kind, false)),
                    std::cmp::Ordering::Less => of.rivals[1].map(|kind| (kind, true)),
                    std::cmp::Ordering::Equal => None,
                };
                if let Some((kind, fleeing)) = target {
                    self.towards(at, kind, fleeing);
                }
                self.chosen(at, 'L');
            }
            Conduct::Spawner => {
                let drawn = self.chance.unit('S');
                let due = self.state.tick.is_multiple_of(u32::from(of.cooldown.max(1)));
                if due && drawn < of.probability {
                    let sprite = &mut self.state.sprites[at];
                    sprite.count = sprite.count.saturating_add(1);
                    let place = (sprite.x, sprite.y);
                    if let Some(target) = of.target {
                        world.birth(self.state, target, place);
                    }
                }
                self.passive(at);
                let sprite = &mut self.state.sprites[at];
                if of.total > 0 && i32::from(sprite.count) >= of.total {
                    sprite.flags |= DEAD;
                    self.deaths = true;
                }
            }
        }
    }

    fn flicker(&mut self, at: usize) {
        self.passive(at);
        let sprite = &mut self.state.sprites[at];
        if i32::from(sprite.count) > self.world.kind(sprite.kind).limit {
            sprite.flags |= DEAD;
            self.deaths = true;
        }
        sprite.count = sprite.count.saturating_add(1);
    }

    /// One of the moves to choose from, or of all where there are none.
    fn chosen(&mut self, at: usize, who: char) {
        let moves = if self.ways.is_empty() { &Orientation::ALL[..] } else { &self.ways };
        let drawn = self.chance.below(who, moves.len() as u32) as usize;
        let way = moves[drawn.min(moves.len() - 1)].vector();
        self.active(at, way, self.speed(at));
    }

    /// The moves of a pixel that bring a sprite nearer to the nearest ones of exactly a type, or farther from them.
    fn towards(&mut self, at: usize, target: KindId, fleeing: bool) {
        let from = (self.state.sprites[at].x, self.state.sprites[at].y);
        let distance = |from: (i32, i32), to: usize| {
            let to = &self.state.sprites[to];
            (from.0 - to.x).abs() + (from.1 - to.y).abs()
        };
        let nearest = self.state.all(target).map(|to| distance(from, to)).min();
        let mut ways = std::mem::take(&mut self.ways);
        for to in self.state.all(target).filter(|to| Some(distance(from, *to)) == nearest) {
            for orientation in Orientation::ALL {
                let (x, y) = orientation.vector();
                let then = distance((from.0 + x, from.1 + y), to);
                let here = distance(from, to);
                if if fleeing { then > here } else { then < here } {
                    ways.push(orientation);
                }
            }
        }
        self.ways = ways;
    }

    fn avatar(&mut self, at: usize, input: Input) {
        let world = self.world;
        let kind = self.state.sprites[at].kind;
        let Some(avatar) = world.avatar(kind) else { return };
        let looks = matches!(avatar, Avatar::Oriented | Avatar::Shoot);
        if looks {
            self.begin(at);
        } else {
            self.passive(at);
        }
        match input {
            Input::Go(orientation) if can(avatar, input) => {
                self.active(at, orientation.vector(), self.speed(at));
                let sprite = &mut self.state.sprites[at];
                let moved = Orientation::of(sprite.x - sprite.last.0, sprite.y - sprite.last.1);
                if looks && moved != Orientation::NONE {
                    sprite.orientation = moved;
                }
            }
            Input::Use if can(avatar, input) => self.shoot(at, kind, avatar),
            _ => {}
        }
    }

    fn shoot(&mut self, at: usize, kind: KindId, avatar: Avatar) {
        let world = self.world;
        let of = world.kind(kind);
        let resources = world.rules.resources.len();
        let left = |state: &State, ammo| state.carried(at, ammo, resources).unwrap_or(UNHAD);
        if of.ammo.is_some_and(|ammo| left(self.state, ammo) <= of.least_ammo) {
            return;
        }
        let Some(target) = of.target else { return };
        let sprite = self.state.sprites[at];
        let ahead = avatar == Avatar::Shoot;
        let (x, y) = if ahead { sprite.orientation.vector() } else { (0, 0) };
        let place = (far(sprite.x + x * world.level.block), far(sprite.y + y * world.level.block));
        let Some(shot) = world.birth(self.state, target, place) else { return };
        if ahead && self.state.sprites[shot].is(ORIENTED) {
            self.state.sprites[shot].orientation = sprite.orientation;
        }
        if let Some(ammo) = of.ammo {
            self.state.give(at, ammo, -of.ammo_cost, resources);
        }
    }

    /// What every update begins with.
    fn begin(&mut self, at: usize) {
        let sprite = &mut self.state.sprites[at];
        sprite.last = (sprite.x, sprite.y);
        sprite.still = sprite.still.saturating_add(1);
    }

    /// What a sprite does of itself, by its orientation.
    fn passive(&mut self, at: usize) {
        self.begin(at);
        let sprite = &mut self.state.sprites[at];
        if self.world.kind(sprite.kind).class.is_none_or(|class| class.fixed) {
            return;
        }
        if sprite.is(NEW) {
            sprite.flags &= !NEW;
            return;
        }
        let (oriented, orientation) = (sprite.is(ORIENTED), sprite.orientation);
        let speed = match self.speed(at) {
            -1.0 => 1.0,
            speed => speed,
        };
        if speed != 0.0 && oriented {
            self.step(at, orientation.vector(), self.pixels(speed));
        }
    }

    /// How fast a sprite is, in blocks.
    pub(super) fn speed(&self, at: usize) -> f64 {
        let sprite = &self.state.sprites[at];
        if sprite.is(STOPPED) { 0.0 } else { self.world.kind(sprite.kind).speed }
    }

    /// A speed in pixels.
    pub(super) fn pixels(&self, speed: f64) -> i32 {
        // Nothing goes farther than this, so that sums and differences of places are numbers still.
        ((speed * f64::from(self.world.level.block)) as i32).clamp(-FAR, FAR)
    }

    /// A sprite moves because it, or somebody else, wants it to.
    pub(super) fn active(&mut self, at: usize, way: (i32, i32), speed: f64) {
        if way == (0, 0) {
            return;
        }
        let mut speed = speed;
        if speed == 0.0 {
            speed = self.speed(at);
        }
        if speed == 0.0 {
            speed = 1.0;
        }
        let sprite = &mut self.state.sprites[at];
        if self.world.kind(sprite.kind).turns_first && sprite.is(ORIENTED) {
            let orientation = Orientation::of(way.0, way.1);
            if sprite.orientation != orientation {
                sprite.orientation = orientation;
                return;
            }
        }
        self.step(at, way, self.pixels(speed));
    }

    /// Moves a sprite unless it moved too lately.
    pub(super) fn step(&mut self, at: usize, way: (i32, i32), pixels: i32) {
        let pixels = if pixels == 0 { far(self.speed(at) as i32) } else { pixels };
        let sprite = &mut self.state.sprites[at];
        if self.world.kind(sprite.kind).cooldown <= sprite.still && way != (0, 0) {
            sprite.still = 0;
            let place = (far(sprite.x + way.0 * pixels), far(sprite.y + way.1 * pixels));
            self.put(at, place);
        }
    }

    /// Puts a sprite somewhere.
    pub(super) fn put(&mut self, at: usize, (x, y): (i32, i32)) {
        let sprite = &mut self.state.sprites[at];
        self.state.stirred |= self.world.idle[usize::from(sprite.kind)] && (sprite.x, sprite.y) != (x, y);
        (sprite.x, sprite.y, sprite.row_y) = (x, y, y);
        self.moved(at);
    }

    /// A sprite is somewhere else.
    pub(super) fn moved(&mut self, at: usize) {
        self.moves += 1;
        let sprite = &mut self.state.sprites[at];
        sprite.spot = SEVERAL;
        let (kind, place) = (usize::from(sprite.kind), (sprite.x, sprite.y));
        // What moves of itself is marked when all have moved.
        if self.meeting {
            self.state.marks.set(&self.world.screen, kind, place);
            self.state.marks.leave(kind);
        }
    }
}

/// No sprite is farther than this from the upper left corner, in pixels: more than the largest screen.
pub(super) const FAR: i32 = (1 << 29) - 1;

/// A coordinate that is no farther.
#[inline]
pub(super) fn far(place: i32) -> i32 {
    place.clamp(-FAR, FAR)
}

/// Less than any amount that can be had.
const UNHAD: i32 = -1;

/// Whether an avatar can do something.
pub fn can(avatar: Avatar, input: Input) -> bool {
    let across = matches!(input, Input::Go(Orientation::LEFT | Orientation::RIGHT));
    let along = matches!(input, Input::Go(Orientation::UP | Orientation::DOWN));
    match avatar {
        _ if input == Input::Nil => true,
        Avatar::Moving | Avatar::Oriented => across || along,
        Avatar::Horizontal => across,
        Avatar::Vertical => along,
        Avatar::Flak => across || input == Input::Use,
        Avatar::Shoot => across || along || input == Input::Use,
        Avatar::Missile => false,
    }
}
