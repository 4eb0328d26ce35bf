//! From lines to rules, with all that is wrong with them.

use kibitz_core::spec::unknown;

use crate::source::{Finding, Law, Severity, Span};
use crate::vgdl::ontology::{
    Avatar, CLASSES, COMMON, Class, Conduct, EFFECTS, TERMINATIONS, Verb, class_named,
};
use crate::vgdl::parse::{Line, Word};
use crate::vgdl::rules::{Condition, Effect, Kind, KindId, Orientation, Rules, Termination};

use Severity::{Error, Warning};

const fn law(code: &'static str, severity: Severity, rule: &'static str) -> Law {
    Law { code, severity, rule }
}

const NO_GAME: Law =
    law("no-game", Error, "a file begins with BasicGame, and its sections stand in its block");
const SECTION: Law = law(
    "unknown-section",
    Error,
    "there are a SpriteSet, a LevelMapping, an InteractionSet and a TerminationSet",
);
const SHAPE: Law = law("shape", Error, "each line of a section has the section's shape");
const TWICE: Law = law("twice", Error, "a type is declared once");
const CLASS: Law = law("unknown-class", Error, "a sprite's class is one of the ontology's");
const UNUSED_CLASS: Law = law("unknown-class", Warning, "a sprite's class is one of the ontology's");
const PARAMETER: Law = law("unknown-parameter", Warning, "what is given is something that is taken");
const MISSING: Law = law("missing-parameter", Error, "what an effect needs is given");
const VALUE: Law = law("value", Error, "what is given is of the kind that is taken");
const TYPE: Law = law("unknown-type", Error, "types are declared in the SpriteSet");
const PLACED: Law = law("unknown-type", Warning, "types are declared in the SpriteSet");
const EFFECT: Law = law("unknown-effect", Error, "an effect is one of the ontology's");
const TERMINATION: Law = law("unknown-termination", Error, "a termination is one of the ontology's");
const ENDLESS: Law = law("endless", Warning, "the rules say when the game is over");
const NEVER: Law = law("never-created", Warning, "each type is placed in a level or made in play");
const DEAD: Law = law("never-fires", Warning, "the types of an effect can both exist");
const MANY: Law = law("too-many", Error, "there are no more types and effects than the limits allow");

/// How much a file may declare: types, and effects.
pub const MOST: (usize, usize) = (1_000, 5_000);

/// A `key=value` of a line.
struct Given<'a> {
    key: &'a str,
    value: &'a str,
    span: Span,
}

/// The class of a line, if it names one, and what it gives.
fn arguments(words: &[Word]) -> (Option<&Word>, Vec<Given<'_>>, Option<&Word>) {
    let (mut class, mut extra, mut given) = (None, None, Vec::new());
    for word in words {
        match word.text.split_once('=') {
            Some((key, value)) => given.push(Given { key, value, span: word.span }),
            None if class.is_none() => class = Some(word),
            None => extra = extra.or(Some(word)),
        }
    }
    (class, given, extra)
}

/// A type's class, or where it names one that there is not, and what is wrong with that.
type Named = (Option<&'static Class>, Option<(Span, String)>);

/// The rules as far as they are read.
#[derive(Default)]
struct Reader {
    rules: Rules,
    findings: Vec<Finding>,
    /// Of each type: what it is given, its ancestors' first.
    given: Vec<Vec<(String, String, Span)>>,
    /// The class that each type names itself, where there is none of that name.
    unknown: Vec<Option<(Span, String)>>,
    /// The leaf types in the order of declaration.
    leaves: Vec<KindId>,
}

impl Reader {
    fn find(&mut self, law: &Law, span: Span, message: impl Into<String>) {
        self.findings.push(Finding::new(law, span, message));
    }

    fn find_help(&mut self, law: &Law, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::new(law, span, message).help(help));
    }

    fn new_kind(&mut self, name: &str, span: Span, class: Option<&'static Class>) -> KindId {
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
    fn sprites(&mut self, lines: &[Line], parent: Option<KindId>, seen: &mut Vec<String>) {
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
                let message = format!("`{}` is declared a second time", name.text);
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
    fn takes(&self, kind: KindId, key: &str) -> bool {
        let Kind { class, leaf, .. } = &self.rules.kinds[usize::from(kind)];
        let own = class.is_none_or(|class| class.parameters.contains(&key));
        if *leaf {
            return own;
        }
        let under = |k: &usize| self.rules.kinds[*k].parent == Some(kind) && self.takes(*k as KindId, key);
        class.is_some_and(|class| class.parameters.contains(&key))
            || (0..self.rules.kinds.len()).any(|k| under(&k))
    }

    fn number(&mut self, key: &str, value: &str, span: Span) -> f64 {
        match value.parse::<f64>() {
            Ok(number) if number.is_finite() && number.abs() <= 1e9 => number,
            _ => {
                self.find(&VALUE, span, format!("{key} is a number up to 1e9, and not `{value}`"));
                0.0
            }
        }
    }

    fn truth(&mut self, key: &str, value: &str, span: Span) -> bool {
        match value {
            _ if value.eq_ignore_ascii_case("true") => true,
            _ if value.eq_ignore_ascii_case("false") => false,
            _ => {
                self.find(&VALUE, span, format!("{key} is True or False, and not `{value}`"));
                false
            }
        }
    }

    fn known(&mut self, law: &Law, name: &str, span: Span) -> Option<KindId> {
        let found = self.rules.kind(name);
        if found.is_none() {
            let names: Vec<String> = self.rules.kinds.iter().map(|kind| kind.name.clone()).collect();
            let message = unknown("type", name, names.iter().map(String::as_str)).0;
            self.find(law, span, message);
        }
        found
    }

    fn resource(&mut self, kind: KindId) -> usize {
        if let Some(number) = self.rules.kinds[usize::from(kind)].resource {
            return number;
        }
        self.rules.resources.push(kind);
        let number = self.rules.resources.len() - 1;
        self.rules.kinds[usize::from(kind)].resource = Some(number);
        number
    }

    /// Gives each type what its class has and what it is given.
    fn kinds(&mut self) {
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

    fn give(&mut self, at: usize, key: &str, value: &str, span: Span) {
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
    fn relations(&mut self) {
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

    fn mapping(&mut self, lines: &[Line]) {
        for line in lines {
            let shape = "write `c > type type`, one character";
            let [word] = &line.head[..] else {
                self.find_help(&SHAPE, line.span, "this is not a character and what it stands for", shape);
                continue;
            };
            let mut characters = word.text.chars();
            let (Some(character), None) = (characters.next(), characters.next()) else {
                self.find_help(&SHAPE, word.span, format!("`{}` is not one character", word.text), shape);
                continue;
            };
            let mut kinds = Vec::new();
            for name in line.tail.iter().flatten() {
                kinds.extend(self.known(&PLACED, &name.text, name.span));
            }
            self.rules.mapping.retain(|(other, _)| *other != character);
            self.rules.mapping.push((character, kinds));
        }
    }

    fn interactions(&mut self, lines: &[Line], texts: &dyn Fn(Span) -> String) {
        for line in lines {
            let shape = "write `type type > effect key=value`, or EOS for the second type";
            let (Some(tail), [first, second]) = (&line.tail, &line.head[..]) else {
                self.find_help(&SHAPE, line.span, "this is not two types and an effect", shape);
                continue;
            };
            if self.rules.effects.len() >= MOST.1 {
                self.find(&MANY, line.span, format!("there are more than {} effects", MOST.1));
                return;
            }
            let (class, given, extra) = arguments(tail);
            let Some(class) = class else {
                self.find_help(&SHAPE, line.span, "there is no effect", shape);
                continue;
            };
            if let Some(extra) = extra {
                self.find_help(&SHAPE, extra.span, format!("`{}` is not key=value", extra.text), shape);
            }
            let Some((_, verb, needed, taken)) = EFFECTS.iter().find(|(name, ..)| *name == class.text)
            else {
                let message = unknown("effect", &class.text, EFFECTS.iter().map(|(name, ..)| *name)).0;
                self.find(&EFFECT, class.span, message);
                continue;
            };
            let mut effect = Effect {
                text: texts(line.span),
                span: line.span,
                verb: *verb,
                score: 0,
                made: None,
                other: None,
                resource: None,
                value: 1,
                limit: 0,
                probability: 1.0,
                offset: 0,
                takes_orientation: false,
            };
            for key in needed.iter().filter(|key| !given.iter().any(|given| given.key == **key)) {
                let message = format!("{} needs {key}", class.text);
                self.find_help(&MISSING, class.span, message, format!("write `{} {key}=...`", class.text));
            }
            for Given { key, value, span } in given {
                match key {
                    "scoreChange" => effect.score = self.number(key, value, span) as i32,
                    _ if !needed.contains(&key) && !taken.contains(&key) => {
                        let known = needed.iter().chain(*taken).copied().chain(["scoreChange"]);
                        self.find(&PARAMETER, span, unknown("parameter", key, known).0);
                    }
                    "stype" => effect.made = self.known(&TYPE, value, span),
                    "stype_other" => effect.other = self.known(&TYPE, value, span),
                    "resource" if value == "null" => {}
                    "resource" => {
                        effect.resource = self.known(&PLACED, value, span).map(|kind| self.resource(kind));
                    }
                    "value" => effect.value = self.number(key, value, span) as i32,
                    "limit" => effect.limit = self.number(key, value, span) as i32,
                    "offset" => effect.offset = self.number(key, value, span) as i32,
                    "prob" => effect.probability = self.number(key, value, span),
                    "takeOrientation" => effect.takes_orientation = self.truth(key, value, span),
                    _ => {}
                }
            }
            let (left, edge) = (self.known(&TYPE, &first.text, first.span), second.text == "EOS");
            let right = if edge { None } else { self.known(&TYPE, &second.text, second.span) };
            let number = self.rules.effects.len();
            self.rules.effects.push(effect);
            match (left, right) {
                (Some(left), _) if edge => {
                    // Each line has the whole list of its type run.
                    let lists = &mut self.rules.edge;
                    let mut list =
                        lists.iter().find(|(k, _)| *k == left).map_or(Vec::new(), |(_, l)| l.clone());
                    list.push(number);
                    lists.push((left, list.clone()));
                    lists.iter_mut().filter(|(k, _)| *k == left).for_each(|(_, l)| l.clone_from(&list));
                }
                (Some(left), Some(right)) => {
                    let pairs = &mut self.rules.pairs;
                    match pairs.iter_mut().find(|(a, b, _)| (*a, *b) == (left, right)) {
                        Some((.., list)) => list.push(number),
                        None => pairs.push((left, right, vec![number])),
                    }
                }
                _ => {}
            }
        }
    }

    fn terminations(&mut self, lines: &[Line]) {
        for line in lines {
            let words: Vec<Word> = line.head.iter().chain(line.tail.iter().flatten()).cloned().collect();
            let (class, given, _) = arguments(&words);
            let Some(class) = class else {
                self.find(&SHAPE, line.span, "this is not a termination");
                continue;
            };
            let Some((_, taken)) = TERMINATIONS.iter().find(|(name, _)| *name == class.text) else {
                let message = unknown("termination", &class.text, TERMINATIONS.iter().map(|(n, _)| *n)).0;
                self.find(&TERMINATION, class.span, message);
                continue;
            };
            let (mut kinds, mut limit, mut win) = (Vec::new(), 0, false);
            for Given { key, value, span } in given {
                match key {
                    _ if !taken.contains(&key) => {
                        self.find(&PARAMETER, span, unknown("parameter", key, taken.iter().copied()).0);
                    }
                    "limit" => limit = self.number(key, value, span) as i32,
                    "win" => win = self.truth(key, value, span),
                    _ => kinds.extend(self.known(&TYPE, value, span)),
                }
            }
            let condition = match (&*class.text, kinds.first()) {
                ("Timeout", _) => Condition::Ticks,
                ("SpriteCounter", Some(kind)) => Condition::Few(*kind),
                ("MultiSpriteCounter", Some(_)) => Condition::Exactly(kinds),
                _ => {
                    self.find(&MISSING, class.span, format!("{} needs {}", class.text, taken[0]));
                    continue;
                }
            };
            self.rules.terminations.push(Termination { condition, limit, win });
        }
    }

    /// Which types can come to be: those that levels can place, and what those make.
    fn possible(&self) -> Vec<bool> {
        let rules = &self.rules;
        let mut possible = vec![false; rules.kinds.len()];
        rules.mapping.iter().flat_map(|(_, kinds)| kinds).for_each(|k| possible[usize::from(*k)] = true);
        loop {
            let before = possible.clone();
            let family = |k: KindId, possible: &[bool]| {
                rules.kinds[usize::from(k)].family.iter().any(|k| possible[usize::from(*k)])
            };
            for (at, kind) in rules.kinds.iter().enumerate() {
                let made = match kind.class.map(|class| class.conduct) {
                    Some(
                        Conduct::Spawner
                        | Conduct::Spreader
                        | Conduct::Avatar(Avatar::Flak | Avatar::Shoot),
                    ) => kind.target,
                    _ => None,
                };
                if let Some(made) = made.filter(|_| possible[at]) {
                    possible[usize::from(made)] = true;
                }
            }
            let lists = rules.pairs.iter().map(|(a, b, list)| (*a, Some(*b), list));
            for (a, b, list) in lists.chain(rules.edge.iter().map(|(a, list)| (*a, None, list))) {
                if family(a, &possible) && b.is_none_or(|b| family(b, &possible)) {
                    for effect in list.iter().map(|e| &rules.effects[*e]) {
                        for made in effect.made.iter().chain(&effect.other) {
                            possible[usize::from(*made)] = true;
                        }
                    }
                }
            }
            if possible == before {
                return possible;
            }
        }
    }

    /// What the whole shows.
    fn whole(&mut self, end: Span) {
        let possible = self.possible();
        for (at, created) in possible.iter().copied().enumerate() {
            let Kind { name, span, class, leaf, resource, .. } = self.rules.kinds[at].clone();
            match (&self.unknown[at].clone(), created) {
                (Some((span, message)), created) if leaf || created => {
                    self.find(if created { &CLASS } else { &UNUSED_CLASS }, *span, message.clone());
                }
                (None, true) if class.is_none() => {
                    let message = format!("`{name}` has no class, and sprites of it are made");
                    self.find_help(&CLASS, span, message, "write a class after `>`");
                }
                _ => {}
            }
            let fixed = name == "wall" || name == "avatar" || resource.is_some();
            if leaf && !created && !fixed {
                self.find(&NEVER, span, format!("no level can place `{name}`, and nothing makes it"));
            }
        }
        for (a, b, list) in self.rules.pairs.clone() {
            for kind in [a, b] {
                let Kind { name, family, .. } = &self.rules.kinds[usize::from(kind)];
                if family.iter().any(|k| possible[usize::from(*k)]) {
                    continue;
                }
                let (span, name) = (self.rules.effects[list[0]].span, name.clone());
                let message = format!("this can never happen: there is never a sprite of `{name}`");
                self.find(&DEAD, span, message);
            }
        }
        for effect in self.rules.effects.clone() {
            let limited =
                effect.resource.map(|r| self.rules.kinds[usize::from(self.rules.resources[r])].limit);
            if let Some(limit) =
                limited.filter(|limit| effect.verb == Verb::KillIfOtherHasMore && *limit < effect.limit)
            {
                let message = format!("this never kills: nobody can have more than {limit}");
                self.find(&DEAD, effect.span, message);
            }
        }
        if self.rules.terminations.is_empty() {
            self.find_help(
                &ENDLESS,
                end,
                "nothing ends this game but its last tick",
                "write a TerminationSet",
            );
        }
    }
}

/// The rules that lines make, and what is wrong with them; they can be played if none of that is an error.
pub fn check(lines: &[Line], texts: &dyn Fn(Span) -> String) -> (Rules, Vec<Finding>) {
    let mut reader = Reader::default();
    let begin = lines.first().map_or(Span::default(), |line| line.span);
    let first = lines.first().and_then(|line| line.head.first());
    let Some(game) = lines.first().filter(|_| first.is_some_and(|word| word.text == "BasicGame")) else {
        reader.find_help(
            &NO_GAME,
            begin,
            "this is no VGDL: its first line is not BasicGame",
            "begin with BasicGame",
        );
        return (reader.rules, reader.findings);
    };
    if let Some(line) = lines.get(1) {
        reader.find_help(&NO_GAME, line.span, "this stands outside of BasicGame's block", "indent it");
    }
    let names = ["SpriteSet", "LevelMapping", "InteractionSet", "TerminationSet"];
    let mut blocks: [Vec<Line>; 4] = Default::default();
    for line in &game.block {
        let word = line.head.first().map_or("", |word| &word.text);
        match names.iter().position(|name| *name == word) {
            Some(at) => blocks[at].extend(line.block.iter().cloned()),
            None => reader.find(&SECTION, line.span, unknown("section", word, names).0),
        }
    }
    let [sprites, mapping, interactions, terminations] = blocks;
    reader.new_kind("wall", begin, class_named("Immovable"));
    reader.new_kind("avatar", begin, class_named("MovingAvatar"));
    reader.sprites(&sprites, None, &mut Vec::new());
    reader.kinds();
    for word in game.head.iter().skip(1) {
        match word.text.split_once('=') {
            Some(("square_size", value)) => {
                reader.rules.block =
                    Some(reader.number("square_size", value, word.span).clamp(2.0, 1000.0) as i32);
            }
            Some((key, _)) => {
                reader.find(&PARAMETER, word.span, unknown("parameter", key, ["square_size"]).0)
            }
            None => reader.find(&SHAPE, word.span, format!("`{}` is not key=value", word.text)),
        }
    }
    let placeable = |(_, kind): &(char, usize)| reader.rules.kinds[*kind].class.is_some();
    let usual = [('w', 0), ('A', 1)].into_iter().filter(placeable);
    reader.rules.mapping = usual.map(|(character, kind)| (character, vec![kind as KindId])).collect();
    reader.mapping(&mapping);
    reader.interactions(&interactions, texts);
    reader.terminations(&terminations);
    reader.relations();
    reader.whole(begin);
    reader.findings.sort_by_key(|finding| (finding.span, finding.severity));
    (reader.rules, reader.findings)
}
