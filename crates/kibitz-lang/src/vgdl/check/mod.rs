//! From lines to rules, with all that is wrong with them.
//!
//! [`sprites`] reads the types, [`sets`] the other three sections, and [`whole`] says what only all of it together shows.

mod sets;
mod sprites;
mod whole;

use kibitz_core::spec::unknown;

use crate::source::{Finding, Law, Severity, Span};
use crate::vgdl::ontology::class_named;
use crate::vgdl::parse::{Line, Word};
use crate::vgdl::rules::{KindId, Rules};

pub use whole::ends;

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
const DEAD: Law = law("never-fires", Warning, "what an effect needs can come about");
const LASTING: Law = law("never-holds", Warning, "a termination can come to hold");
const MANY: Law = law("too-many", Error, "there are no more types and effects than the limits allow");

/// How much a file may declare: types, and effects.
pub const MOST: (usize, usize) = (500, 2_000);
/// So many effects may one type have at the edge of the screen: with each, all of them run once more.
const MOST_AT_EDGE: usize = 50;
/// So many types may a character stand for.
const MOST_AT_ONCE: usize = 50;

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
