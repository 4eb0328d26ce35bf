//! What characters stand for, what happens where types meet, and what ends a game.

use kibitz_core::spec::unknown;

use super::{
    EFFECT, Given, MANY, MISSING, MOST, MOST_AT_EDGE, MOST_AT_ONCE, PARAMETER, PLACED, Reader, SHAPE,
    TERMINATION, TYPE, arguments,
};
use crate::source::Span;
use crate::vgdl::ontology::{EFFECTS, TERMINATIONS};
use crate::vgdl::parse::{Line, Word};
use crate::vgdl::rules::{Condition, Effect, Termination};

impl Reader {
    pub(super) fn mapping(&mut self, lines: &[Line]) {
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
            if kinds.len() > MOST_AT_ONCE {
                let message = format!("`{character}` stands for more than {MOST_AT_ONCE} types");
                self.find(&MANY, word.span, message);
                kinds.truncate(MOST_AT_ONCE);
            }
            self.rules.mapping.retain(|(other, _)| *other != character);
            self.rules.mapping.push((character, kinds));
        }
    }

    pub(super) fn interactions(&mut self, lines: &[Line], texts: &dyn Fn(Span) -> String) {
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
                    if list.len() >= MOST_AT_EDGE {
                        let message = format!(
                            "`{}` has more than {MOST_AT_EDGE} effects at the edge of the screen",
                            first.text
                        );
                        self.find(&MANY, line.span, message);
                        return;
                    }
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

    pub(super) fn terminations(&mut self, lines: &[Line]) {
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
            let span = line.span;
            self.rules.terminations.push(Termination { condition, limit, win, span });
        }
    }
}
