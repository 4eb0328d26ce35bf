//! The SpriteSet: types with their classes, what they are given, and how they belong together.

use kibitz_core::spec::unknown;

use super::{Given, MANY, MOST, PARAMETER, Reader, SHAPE, TWICE, TYPE, VALUE, arguments};
use crate::source::{Finding, Span};
use crate::vgdl::ontology::{Avatar, CLASSES, COMMON, Class, Conduct, class_named};
use crate::vgdl::parse::Line;
use crate::vgdl::rules::{Kind, KindId, Orientation, Rules};

/// A type's class, or where it names one that there is not, and what is wrong with that.
type Named = (Option<&'static Class>, Option<(Span, String)>);

impl Reader {
    pub(super) fn new_kind(&mut self, name: &str, span: Span, class: Option<&'static Class>) -> KindId {
        let id = self.rules.kinds.len() as KindId;
        self.rules.kinds.push(Kind {
            name: name.to_owned(),
            span,
            class,
            parent: None,
            leaf: true,
            family: Vec::new(),
            singletons: Vec::new(),
            orientation: Orientation::NONE,
            oriented: false,
            speed: 0.0,
            cooldown: 0,
            limit: 1,
            value: 1,
            total: 0,
            probability: 1.0,
            epsilon: 0.0,
            target: None,
            rivals: [None, None],
            ammo: None,
            least_ammo: 0,
            ammo_cost: 1,
            turns_first: false,
            resource: None,
            invisible: false,
            colour: None,
        });
        self.given.push(Vec::new());
        self.unknown.push(None);
        id
    }

    /// The SpriteSet: types with their classes and what they are given.
    pub(super) fn sprites(&mut self, lines: &[Line], parent: Option<KindId>, seen: &mut Vec<String>) {
        // A child without a class takes the one that a leaf before it named, if there is one, and else its parent's.
        let mut named: Option<Named> =
            parent.map(|p| (self.rules.kinds[usize::from(p)].class, self.unknown[usize::from(p)].clone()));
        for line in lines {
            let [name] = &line.head[..] else {
                self.find_help(&SHAPE, line.span, "this is not a type", "write `name > Class key=value`");
                continue;
            };
            if self.rules.kinds.len() > MOST.0 {
                self.find(&MANY, name.span, format!("there are more than {} types", MOST.0));
                return;
            }
            if seen.contains(&name.text) {
                let first = self.rules.kind(&name.text).map(|k| self.rules.kinds[usize::from(k)].span);
                let above = |kind: KindId| self.rules.kinds[usize::from(kind)].parent;
                let within = std::iter::successors(parent, |kind| above(*kind))
                    .any(|kind| self.rules.kinds[usize::from(kind)].name == name.text);
                let message = match within {
                    true => format!("`{}` stands under itself", name.text),
                    false => format!("`{}` is declared a second time", name.text),
                };
                let finding = Finding::new(&TWICE, name.span, message);
                self.findings.push(match first {
                    Some(span) => finding.also(span, "here first"),
                    None => finding,
                });
                continue;
            }
            seen.push(name.text.clone());
            let (class, given, extra) = arguments(line.tail.as_deref().unwrap_or_default());
            if let Some(extra) = extra {
                let message = format!("`{}` is neither a class nor key=value", extra.text);
                self.find_help(&SHAPE, extra.span, message, "write `name > Class key=value`");
            }
            let own = class.map(|word| match class_named(&word.text) {
                Some(class) => (Some(class), None),
                None => {
                    let names = CLASSES.iter().map(|class| class.name);
                    (None, Some((word.span, unknown("class", &word.text, names).0)))
                }
            });
            let (class, unknown_class) = own.clone().or_else(|| named.clone()).unwrap_or((None, None));
            let id = match self.rules.kind(&name.text) {
                Some(id) => id,
                None => self.new_kind(&name.text, name.span, None),
            };
            let at = usize::from(id);
            let inherited = parent.map(|p| self.given[usize::from(p)].clone()).unwrap_or_default();
            self.given[at] = inherited.into_iter().filter(|(key, ..)| key != "singleton").collect();
            for Given { key, value, span } in given {
                self.given[at].retain(|(old, ..)| old != key);
                self.given[at].push((key.to_owned(), value.to_owned(), span));
            }
            self.unknown[at] = unknown_class;
            let kind = &mut self.rules.kinds[at];
            (kind.span, kind.class, kind.parent, kind.leaf) =
                (name.span, class, parent, line.block.is_empty());
            if line.block.is_empty() {
                self.leaves.push(id);
                named = own.or(named);
            } else {
                self.sprites(&line.block, Some(id), seen);
            }
        }
    }

    /// Whether a type, or one under it, takes a parameter.
    pub(super) fn takes(&self, kind: KindId, key: &str) -> bool {
        let Kind { class, leaf, .. } = &self.rules.kinds[usize::from(kind)];
        let own = class.is_none_or(|class| class.parameters.contains(&key));
        if *leaf {
            return own;
        }
        let under = |k: &usize| self.rules.kinds[*k].parent == Some(kind) && self.takes(*k as KindId, key);
        class.is_some_and(|class| class.parameters.contains(&key))
            || (0..self.rules.kinds.len()).any(|k| under(&k))
    }

    /// Gives each type what its class has and what it is given.
    pub(super) fn kinds(&mut self) {
        for at in 0..self.rules.kinds.len() {
            let Some(class) = self.rules.kinds[at].class else { continue };
            let is = |name: &str| class.name == name;
            let kind = &mut self.rules.kinds[at];
            (kind.oriented, kind.speed) = (class.oriented, class.speed);
            kind.orientation = match class.conduct {
                Conduct::RandomMissile => Orientation::OPEN,
                Conduct::Avatar(Avatar::Oriented | Avatar::Shoot | Avatar::Missile) => Orientation::RIGHT,
                Conduct::Spawner if !class.fixed => Orientation::RIGHT,
                _ => Orientation::NONE,
            };
            kind.turns_first = is("OrientedAvatar") || is("ShootAvatar");
            if is("Resource") || is("ResourcePack") {
                kind.limit = 2;
                self.resource(at as KindId);
            }
        }
        for at in 0..self.rules.kinds.len() {
            let parent = self.rules.kinds[at].parent;
            for (key, value, span) in self.given[at].clone() {
                // What was inherited has been looked at where it stands.
                let own = !parent
                    .is_some_and(|p| self.given[usize::from(p)].iter().any(|(_, _, other)| *other == span));
                let findings = self.findings.len();
                self.give(at, &key, &value, span);
                if !own {
                    self.findings.truncate(findings);
                } else if !COMMON.contains(&&*key) && !self.takes(at as KindId, &key) {
                    let class = self.rules.kinds[at].class;
                    let known = class.map_or(&[][..], |class| class.parameters);
                    let message = unknown("parameter", &key, known.iter().chain(&COMMON).copied()).0;
                    self.find(&PARAMETER, span, message);
                }
            }
        }
    }

    pub(super) fn give(&mut self, at: usize, key: &str, value: &str, span: Span) {
        let class = self.rules.kinds[at].class;
        let takes = class.is_some_and(|class| class.parameters.contains(&key));
        match key {
            "speed" => self.rules.kinds[at].speed = self.number(key, value, span),
            "cooldown" => {
                let ticks = self.number(key, value, span);
                self.rules.kinds[at].cooldown = ticks.clamp(0.0, 60_000.0) as u16;
            }
            "orientation" => match Orientation::named(value) {
                Some(orientation) => {
                    let kind = &mut self.rules.kinds[at];
                    (kind.orientation, kind.oriented) = (orientation, true);
                }
                None => {
                    self.find(&VALUE, span, format!("{key} is UP, DOWN, LEFT or RIGHT, and not `{value}`"))
                }
            },
            "singleton" => {
                let alone = self.truth(key, value, span);
                self.rules.kinds[at].singletons.extend(alone.then_some(at as KindId));
            }
            "rotateInPlace" => self.rules.kinds[at].turns_first = self.truth(key, value, span),
            "invisible" => self.rules.kinds[at].invisible = self.truth(key, value, span),
            "color" => self.rules.kinds[at].colour = Some(value.to_owned()),
            "physicstype" if value != "GridPhysics" => {
                self.find(&VALUE, span, format!("there is GridPhysics only, and not `{value}`"));
            }
            _ if !takes => {}
            "limit" => self.rules.kinds[at].limit = self.number(key, value, span) as i32,
            "value" => self.rules.kinds[at].value = self.number(key, value, span) as i32,
            "total" => self.rules.kinds[at].total = self.number(key, value, span) as i32,
            "prob" | "spreadprob" => self.rules.kinds[at].probability = self.number(key, value, span),
            "epsilon" => self.rules.kinds[at].epsilon = self.number(key, value, span),
            "minAmmo" => self.rules.kinds[at].least_ammo = (self.number(key, value, span) as i32).max(0),
            "ammoCost" => self.rules.kinds[at].ammo_cost = self.number(key, value, span) as i32,
            "stype" => self.rules.kinds[at].target = self.known(&TYPE, value, span),
            "stype1" => self.rules.kinds[at].rivals[0] = self.known(&TYPE, value, span),
            "stype2" => self.rules.kinds[at].rivals[1] = self.known(&TYPE, value, span),
            "ammo" => {
                let ammo = self.known(&TYPE, value, span).map(|kind| self.resource(kind));
                self.rules.kinds[at].ammo = ammo;
            }
            _ => {}
        }
    }

    /// Families, singletons, and the order of updates.
    pub(super) fn relations(&mut self) {
        let count = self.rules.kinds.len();
        let ancestors = |rules: &Rules, kind: usize| {
            let up = |at: &usize| rules.kinds[*at].parent.map(usize::from);
            std::iter::successors(Some(kind), up).collect::<Vec<usize>>()
        };
        let above: Vec<Vec<usize>> = (0..count).map(|kind| ancestors(&self.rules, kind)).collect();
        for at in 0..count {
            let related = |other: &usize| above[at].contains(other) || above[*other].contains(&at);
            let family = (0..count).filter(related).map(|k| k as KindId).collect();
            let own = |k: &usize| self.rules.kinds[*k].singletons.contains(&(*k as KindId));
            let singletons = above[at].iter().filter(|k| own(k)).map(|k| *k as KindId).collect();
            self.rules.kinds[at].family = family;
            self.rules.kinds[at].singletons = singletons;
        }
        let named = |name: &str| self.rules.kind(name);
        let (wall, avatar) = (named("wall"), named("avatar"));
        let mut order: Vec<KindId> = self.leaves.iter().copied().filter(|k| Some(*k) != avatar).collect();
        order.extend(avatar);
        if let Some(wall) = wall.filter(|wall| !order.contains(wall)) {
            order.insert(0, wall);
        }
        order.reverse();
        self.rules.order = order;
    }
}
