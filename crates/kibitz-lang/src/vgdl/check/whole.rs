//! What only the rules as a whole show: types that are never there, effects that never happen, games that never end.

use super::{CLASS, DEAD, ENDLESS, LASTING, NEVER, Reader, UNUSED_CLASS};
use crate::source::{Finding, Span};
use crate::vgdl::level::Level;
use crate::vgdl::ontology::{Avatar, Conduct, Verb};
use crate::vgdl::rules::{Condition, Kind, KindId, Rules};

impl Reader {
    /// Which types can come to be: those that levels can place, and what those make.
    pub(super) fn possible(&self) -> Vec<bool> {
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
    pub(super) fn whole(&mut self, end: Span) {
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
        let unmoved = self.rules.unmoved();
        let pairs = self.rules.pairs.iter().map(|(a, b, list)| (vec![*a, *b], list[0]));
        let edge = self.rules.edge.iter().map(|(a, list)| (vec![*a], list[0]));
        let mut told = Vec::new();
        for (kinds, effect) in pairs.chain(edge).collect::<Vec<_>>() {
            let (at_edge, span) = (kinds.len() == 1, self.rules.effects[effect].span);
            for kind in kinds {
                let Kind { name, family, .. } = &self.rules.kinds[usize::from(kind)];
                let (name, mut there) =
                    (name.clone(), family.iter().filter(|k| possible[usize::from(**k)]));
                let message = match there.next() {
                    None => format!("this can never happen: there is never a sprite of `{name}`"),
                    Some(first)
                        if at_edge
                            && unmoved[usize::from(*first)]
                            && there.all(|k| unmoved[usize::from(*k)]) =>
                    {
                        format!(
                            "this can never happen: nothing moves a sprite of `{name}`, so none leaves the screen"
                        )
                    }
                    Some(_) => continue,
                };
                if !told.contains(&(span, kind)) {
                    told.push((span, kind));
                    self.find(&DEAD, span, message);
                }
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

/// Whether sprites of each type can go away once they are there, and whether more can be made.
fn changes(rules: &Rules) -> (Vec<bool>, Vec<bool>) {
    let (mut fewer, mut more) = (vec![false; rules.kinds.len()], vec![false; rules.kinds.len()]);
    let class = |kind: &Kind| kind.class.map(|class| class.conduct);
    for (at, kind) in rules.kinds.iter().enumerate() {
        fewer[at] = match class(kind) {
            Some(Conduct::Flicker | Conduct::Spreader) => true,
            Some(Conduct::Spawner) => kind.total > 0,
            _ => false,
        };
        if let Some(made) = kind.target {
            more[usize::from(made)] = true;
        }
        more[at] |= class(kind) == Some(Conduct::Spreader);
    }
    let pairs = rules.pairs.iter().map(|(kind, _, list)| (*kind, list));
    for (kind, list) in pairs.chain(rules.edge.iter().map(|(kind, list)| (*kind, list))) {
        for effect in list.iter().map(|effect| &rules.effects[*effect]) {
            let family = &rules.kinds[usize::from(kind)].family;
            let mark = |kinds: &mut [bool]| family.iter().for_each(|k| kinds[usize::from(*k)] = true);
            match effect.verb {
                Verb::KillSprite
                | Verb::KillIfHasLess
                | Verb::KillIfHasMore
                | Verb::KillIfOtherHasMore
                | Verb::KillIfFromAbove
                | Verb::TeleportToExit
                | Verb::TransformTo => mark(&mut fewer),
                Verb::TransformToSingleton => {
                    mark(&mut fewer);
                    effect.made.iter().for_each(|made| fewer[usize::from(*made)] = true);
                }
                Verb::CloneSprite => mark(&mut more),
                _ => {}
            }
            effect.made.iter().chain(&effect.other).for_each(|made| more[usize::from(*made)] = true);
        }
    }
    (fewer, more)
}

/// Whether a game can end on a level: which terminations can never come to hold there.
pub fn ends(rules: &Rules, level: &Level) -> Vec<Finding> {
    let (fewer, more) = changes(rules);
    let any = |kind: KindId, holds: &[bool]| {
        rules.kinds[usize::from(kind)].family.iter().any(|k| holds[usize::from(*k)])
    };
    let count = |kind: KindId| {
        let family = &rules.kinds[usize::from(kind)].family;
        level.placed.iter().filter(|(k, ..)| family.contains(k)).count() as i64
    };
    let mut findings = Vec::new();
    let mut open = rules.terminations.is_empty();
    for termination in &rules.terminations {
        let limit = i64::from(termination.limit);
        let why = match &termination.condition {
            Condition::Ticks if limit >= 0 => None,
            Condition::Ticks => Some("ticks are not counted below zero".to_owned()),
            Condition::Few(_) if limit < 0 => Some("there are never fewer sprites than none".to_owned()),
            Condition::Few(kind) => {
                let (name, there) = (&rules.kinds[usize::from(*kind)].name, count(*kind));
                let why = format!("there are {there} sprites of `{name}`, and nothing takes them away");
                (there > limit && !any(*kind, &fewer)).then_some(why)
            }
            Condition::Exactly(kinds) => {
                let there: i64 = kinds.iter().map(|kind| count(*kind)).sum();
                let changes = kinds.iter().any(|kind| any(*kind, &fewer) || any(*kind, &more));
                let why = format!("there are {there} of these sprites, and always will be");
                (there != limit && !changes).then_some(why)
            }
        };
        match why {
            None => open = true,
            Some(why) => {
                let message = format!("this never holds: {why}");
                findings.push(Finding::new(&LASTING, termination.span, message));
            }
        }
    }
    if !open {
        let message = "nothing can end this game on this level but its last tick";
        findings.push(Finding::new(&ENDLESS, Span::default(), message).in_file(1));
    }
    findings
}
