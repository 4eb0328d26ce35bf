//! What happens where sprites meet, and at the edge of the screen.

use crate::vgdl::cells::{self, Bits, outside};
use crate::vgdl::ontology::Verb;
use crate::vgdl::rules::{KindId, Orientation};
use crate::vgdl::state::{DEAD, Meeting, ORIENTED, STOPPED, Sprite};
use crate::vgdl::tick::{Chance, Tick, far};

/// A sprite that may meet others: its row in the search, which of its family's types it is, and its number.
type Partner = (i32, u16, u32);

/// Lists that are filled again for each effect.
#[derive(Default)]
struct Lists {
    first: Vec<Partner>,
    second: Vec<Partner>,
    /// All second partners, where `second` has those only that may be met before anybody moves.
    all: Vec<Partner>,
}

/// Whom an effect puts somewhere else.
#[derive(PartialEq, Eq)]
enum Moves {
    Nobody,
    First,
    Everybody,
}

fn moves(verb: Verb) -> Moves {
    match verb {
        Verb::StepBack
        | Verb::TurnAround
        | Verb::PullWithIt
        | Verb::WallStop
        | Verb::WrapAround
        | Verb::TeleportToExit
        | Verb::BounceForward => Moves::First,
        Verb::UndoAll => Moves::Everybody,
        Verb::KillSprite
        | Verb::TransformTo
        | Verb::TransformToSingleton
        | Verb::ChangeResource
        | Verb::KillIfHasLess
        | Verb::KillIfHasMore
        | Verb::CloneSprite
        | Verb::FlipDirection
        | Verb::ReverseDirection
        | Verb::SpawnIfHasMore
        | Verb::CollectResource
        | Verb::KillIfOtherHasMore
        | Verb::KillIfFromAbove
        | Verb::AttractGaze => Moves::Nobody,
    }
}

impl<C: Chance> Tick<'_, C> {
    /// All effects of a tick, in the order of the rules.
    pub(super) fn effects(&mut self) {
        let world = self.world;
        world.mark(self.state);
        self.meeting = true;
        for (kind, list) in &world.rules.edge {
            for &effect in list {
                let may_be_outside = |k: &KindId| outside(self.state.marks.of(usize::from(*k)));
                if !world.kind(*kind).family.iter().any(may_be_outside) {
                    continue;
                }
                for at in self.members(*kind) {
                    let sprite = &self.state.sprites[at];
                    if !sprite.is(DEAD) && self.at_edge(sprite) {
                        self.chance.fired(effect);
                        self.execute(effect, at, None);
                    }
                }
            }
        }
        let mut lists = Lists::default();
        for meeting in &world.meetings {
            for &effect in &meeting.effects {
                self.meet(effect, meeting, &mut lists);
            }
        }
    }

    /// Where sprites of some types may be.
    fn cells(&self, kinds: &[KindId]) -> Bits {
        self.state.marks.union(kinds.iter().map(|kind| usize::from(*kind)))
    }

    fn members(&self, kind: KindId) -> Vec<usize> {
        self.world.kind(kind).family.iter().flat_map(|k| self.state.all(*k)).collect()
    }

    /// The sprites of a type's family by rows, then by types, then by age; only those on some cells, if these are given.
    fn partners(&self, kind: KindId, on: Option<&Bits>, partners: &mut Vec<Partner>) {
        partners.clear();
        let (world, block) = (self.world, self.world.level.block);
        for (number, k) in world.kind(kind).family.iter().enumerate() {
            if on.is_some_and(|on| !cells::meet(self.state.marks.of(usize::from(*k)), on)) {
                continue;
            }
            let mut add = |at: usize| {
                let sprite = &self.state.sprites[at];
                let is_on = on.is_none_or(|on| {
                    let known = cells::on(on, sprite.spot);
                    known.unwrap_or_else(|| world.screen.covers((sprite.x, sprite.y), on))
                });
                if is_on {
                    partners.push((sprite.row_y / block, number as u16, at as u32));
                }
            };
            for at in self.state.range(*k) {
                add(at);
            }
            for at in self.state.newborn()..self.state.sprites.len() {
                if self.state.sprites[at].kind == *k {
                    add(at);
                }
            }
        }
        // They are nearly in order: levels are read row by row.
        partners.sort();
    }

    /// An effect on all first partners, by rows, with all second ones that each meets.
    fn meet(&mut self, effect: usize, meeting: &Meeting, lists: &mut Lists) {
        let (world, block) = (self.world, self.world.level.block);
        // Where nobody touches anybody, no effect changes that.
        let left = self.cells(&world.kind(meeting.left).family);
        let right = self.cells(&world.kind(meeting.right).family);
        let mut shared = left;
        shared.iter_mut().zip(&right).for_each(|(shared, right)| *shared &= right);
        if !meeting.disjoint {
            let both = meeting.both.iter().map(|kind| usize::from(*kind));
            let several = self.state.marks.several(both);
            shared.iter_mut().zip(&several).for_each(|(shared, several)| *shared &= several);
        }
        if shared.iter().all(|word| *word == 0) {
            return;
        }
        // Who touches somebody before anybody moves is on these cells; later only who has moved touches others.
        let moves = moves(world.rules.effects[effect].verb);
        let narrow = moves == Moves::Nobody || moves == Moves::First && meeting.disjoint;
        let on = narrow.then_some(&shared);
        let Lists { first, second, all } = lists;
        all.clear();
        self.partners(meeting.left, on, first);
        if first.is_empty() {
            return;
        }
        self.partners(meeting.right, on, second);
        if second.is_empty() {
            return;
        }
        let score = world.rules.effects[effect].score;
        let mut begin = 0;
        for &(row, _, at) in first.iter() {
            let one = at as usize;
            let sprite = &self.state.sprites[one];
            if sprite.is(DEAD) {
                continue;
            }
            // Who stands on a line between rows looks up, and who does not looks down.
            let top = if sprite.row_y % block == 0 { row - 1 } else { row };
            // Rows only grow, so nobody before this is met any more.
            while second.get(begin).is_some_and(|partner| partner.0 < row - 1) {
                begin += 1;
            }
            let (mut wide, mut next) = (false, begin);
            let (mut place, mut moves) = ((sprite.x, sprite.y), self.moves);
            loop {
                let list = if wide { &*all } else { &*second };
                let Some(&partner) = list.get(next).filter(|partner| partner.0 <= top + 1) else { break };
                next += 1;
                let other = &self.state.sprites[partner.2 as usize];
                let touch = (other.x - place.0).abs() < block && (other.y - place.1).abs() < block;
                if !touch || partner.0 < top || partner.2 == at {
                    continue;
                }
                self.chance.fired(effect);
                if self.execute(effect, one, Some(partner.2 as usize)) {
                    self.state.score = self.state.score.saturating_add(score);
                }
                let sprite = &self.state.sprites[one];
                if sprite.is(DEAD) {
                    break;
                }
                if self.moves != moves {
                    // Others of those behind may be met now.
                    (place, moves) = ((sprite.x, sprite.y), self.moves);
                    if narrow {
                        if !world.screen.covers(place, &right) {
                            break;
                        }
                        if all.is_empty() {
                            self.partners(meeting.right, None, all);
                        }
                        (wide, next) = (true, all.partition_point(|other| *other <= partner));
                    }
                }
            }
        }
    }

    fn at_edge(&self, sprite: &Sprite) -> bool {
        let level = &self.world.level;
        let inside = |place: i32, cells: i32| place >= 0 && place <= (cells - 1) * level.block;
        !(inside(sprite.x, level.width) && inside(sprite.y, level.height))
    }

    fn kill(&mut self, at: usize) {
        self.deaths = true;
        let sprite = &mut self.state.sprites[at];
        sprite.flags |= DEAD;
        self.state.marks.leave(usize::from(sprite.kind));
    }

    /// A sprite is born where others may meet it.
    fn born(&mut self, kind: KindId, place: (i32, i32)) -> Option<usize> {
        let born = self.world.birth(self.state, kind, place)?;
        let spot = self.state.marks.set(&self.world.screen, usize::from(kind), place);
        self.state.sprites[born].spot = spot;
        Some(born)
    }

    fn back(&mut self, at: usize) {
        self.put(at, self.state.sprites[at].last);
    }

    fn turn(&mut self, at: usize) {
        let sprite = &mut self.state.sprites[at];
        sprite.orientation = sprite.orientation.reversed();
    }

    /// How much a sprite has of an effect's resource.
    fn has(&self, effect: usize, at: usize) -> i32 {
        let resources = self.world.rules.resources.len();
        let resource = self.world.rules.effects[effect].resource;
        resource.and_then(|r| self.state.carried(at, r, resources)).unwrap_or(0)
    }

    /// Where another sprite went in this tick.
    fn way(&self, other: usize) -> (i32, i32) {
        let sprite = &self.state.sprites[other];
        Orientation::of(sprite.x - sprite.last.0, sprite.y - sprite.last.1).vector()
    }

    /// Carries an effect out on a sprite and the other that it meets, which the edge of the screen is not. Whether it
    /// scores.
    fn execute(&mut self, number: usize, one: usize, other: Option<usize>) -> bool {
        let world = self.world;
        let effect = &world.rules.effects[number];
        let resources = world.rules.resources.len();
        match effect.verb {
            Verb::StepBack => self.back(one),
            Verb::KillSprite => self.kill(one),
            Verb::ReverseDirection => self.turn(one),
            Verb::TurnAround => {
                self.back(one);
                for _ in 0..2 {
                    let sprite = &mut self.state.sprites[one];
                    sprite.still = world.kind(sprite.kind).cooldown;
                    self.active(one, Orientation::DOWN.vector(), self.speed(one));
                }
                self.turn(one);
            }
            Verb::TransformTo => self.transform(one, effect.made, None),
            Verb::TransformToSingleton => {
                if let Some(made) = effect.made {
                    for former in self.state.all(made).collect::<Vec<usize>>() {
                        self.transform(former, effect.other, None);
                    }
                }
                self.transform(one, effect.made, other.filter(|_| effect.takes_orientation));
            }
            Verb::WrapAround => {
                let level = &world.level;
                let sprite = &mut self.state.sprites[one];
                let offset = far(effect.offset.saturating_mul(level.block));
                match sprite.orientation {
                    Orientation::RIGHT => sprite.x = offset,
                    Orientation::LEFT => sprite.x = (level.width - 1) * level.block - offset,
                    Orientation::DOWN => sprite.y = offset,
                    Orientation::UP => sprite.y = (level.height - 1) * level.block - offset,
                    _ => {}
                }
                sprite.still = 0;
                self.state.stirred = true;
                self.moved(one);
            }
            Verb::ChangeResource => {
                if let Some(resource) = effect.resource {
                    let limit = world.kind(world.rules.resources[resource]).limit;
                    if self.has(number, one).saturating_add(effect.value) <= limit {
                        self.state.give(one, resource, effect.value, resources);
                    }
                }
            }
            Verb::CollectResource => {
                let kind = world.kind(self.state.sprites[one].kind);
                if let (Some(resource), Some(other)) = (kind.resource, other) {
                    let before = self.state.carried(other, resource, resources).unwrap_or(0);
                    if before.saturating_add(kind.value) <= kind.limit {
                        self.state.give(other, resource, kind.value, resources);
                    }
                }
            }
            Verb::KillIfHasLess => {
                if self.has(number, one) > effect.limit {
                    return false;
                }
                self.kill(one);
            }
            Verb::KillIfHasMore => {
                if self.has(number, one) < effect.limit {
                    return false;
                }
                self.kill(one);
            }
            Verb::KillIfOtherHasMore => {
                if other.is_none_or(|other| self.has(number, other) < effect.limit) {
                    return false;
                }
                self.kill(one);
            }
            Verb::KillIfFromAbove => {
                let this = &self.state.sprites[one];
                let falls = other.map(|other| &self.state.sprites[other]);
                if falls.is_some_and(|other| this.last.1 > other.last.1 && other.y > other.last.1) {
                    self.kill(one);
                }
            }
            Verb::CloneSprite => {
                let sprite = self.state.sprites[one];
                self.born(sprite.kind, (sprite.x, sprite.y));
            }
            Verb::SpawnIfHasMore => {
                if self.chance.unit('H') >= effect.probability || self.has(number, one) < effect.limit {
                    return false;
                }
                let sprite = &self.state.sprites[one];
                let place = (sprite.x, sprite.y);
                if let Some(made) = effect.made {
                    self.born(made, place);
                }
            }
            Verb::FlipDirection => {
                let drawn = self.chance.below('F', 4) as usize;
                self.state.sprites[one].orientation = Orientation::ALL[drawn.min(3)];
            }
            Verb::UndoAll => {
                for at in 0..self.state.sprites.len() {
                    if world.updated[usize::from(self.state.sprites[at].kind)] {
                        self.back(at);
                    }
                }
            }
            Verb::PullWithIt => {
                if let Some(other) = other.filter(|_| !self.pulled.contains(&one)) {
                    self.pulled.push(one);
                    let still = self.state.sprites[one].still;
                    self.step(one, self.way(other), self.pixels(self.speed(other)));
                    self.state.sprites[one].still = still;
                }
            }
            Verb::BounceForward => {
                if let Some(other) = other {
                    self.active(one, self.way(other), self.speed(other));
                }
            }
            Verb::WallStop => {
                let middle = |at: usize, this: &Self| (this.state.sprites[at].x, this.state.sprites[at].y);
                self.back(one);
                if let Some(other) = other {
                    let ((x, y), (u, v)) = (middle(one, self), middle(other, self));
                    let across = (x - u).abs() > (y - v).abs();
                    let sprite = &mut self.state.sprites[one];
                    let (right, down) = sprite.orientation.vector();
                    sprite.orientation =
                        if across { Orientation::of(0, down) } else { Orientation::of(right, 0) };
                    if sprite.orientation == Orientation::NONE {
                        sprite.flags |= STOPPED;
                    }
                }
            }
            Verb::TeleportToExit => {
                let target = other.and_then(|other| world.kind(self.state.sprites[other].kind).target);
                let exits: Vec<usize> = target.map_or(Vec::new(), |kind| self.state.all(kind).collect());
                if exits.is_empty() {
                    self.kill(one);
                } else {
                    let drawn = self.chance.below('T', exits.len() as u32) as usize;
                    let exit = self.state.sprites[exits[drawn.min(exits.len() - 1)]];
                    self.put(one, (exit.x, exit.y));
                    let sprite = &mut self.state.sprites[one];
                    sprite.still = 0;
                    if exit.is(ORIENTED) {
                        sprite.orientation = exit.orientation;
                    }
                }
            }
            Verb::AttractGaze => {
                let (this, looks) = (self.state.sprites[one], other.map(|other| self.state.sprites[other]));
                if let Some(other) = looks.filter(|other| this.is(ORIENTED) && other.is(ORIENTED))
                    && self.chance.unit('G') < effect.probability
                {
                    self.state.sprites[one].orientation = other.orientation;
                }
            }
        }
        true
    }

    /// Makes a sprite one of another type, which looks against `facing` if that is given.
    fn transform(&mut self, one: usize, made: Option<KindId>, facing: Option<usize>) {
        let world = self.world;
        let sprite = self.state.sprites[one];
        let Some(new) = made.and_then(|made| self.born(made, (sprite.x, sprite.y))) else {
            return;
        };
        let resources = world.rules.resources.len();
        for resource in 0..resources {
            if let Some(amount) = self.state.carried(one, resource, resources) {
                self.state.give(new, resource, amount, resources);
            }
        }
        let against = facing.map(|facing| self.state.sprites[facing].orientation.reversed());
        let born = &mut self.state.sprites[new];
        born.last = sprite.last;
        self.state.stirred = true;
        if sprite.is(ORIENTED) && born.is(ORIENTED) {
            born.orientation = sprite.orientation;
        }
        if let Some(orientation) = against {
            born.orientation = orientation;
            born.flags |= ORIENTED;
        }
        if world.avatar(sprite.kind).is_some() && world.avatar(born.kind).is_some() {
            self.state.avatar = new as u32;
        }
        self.kill(one);
    }
}
