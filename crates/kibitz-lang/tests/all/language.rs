//! A second language, in one file: it registers itself, and files are read, checked and played in it.
//!
//! Its rules say how many counters there may be to take at once, and a level beside them how many there are.

use std::sync::Arc;

use kibitz_core::params::{Param, ParamDoc};
use kibitz_core::spec::{Value, unknown};
use kibitz_core::{Action, Game, Info, Turn};
use kibitz_lang::language::{
    Figure, Loaded, Refusal, Report, RulesFile, RulesText, language_of, languages, suffixes,
};
use kibitz_lang::limits::{self, Limit, limit};
use kibitz_lang::source::Law;
use kibitz_lang::{Finding, Language, Severity, Source, Span};

inventory::submit! {
    Language {
        name: "Take",
        summary: "Take (.take)",
        suffixes: &[".take"],
        also: &[],
        limits: || limits::docs(&LIMITS),
        describe: |source| {
            let doc = "the number of the level beside the rules".to_owned();
            let level = ParamDoc {
                name: "level".into(), kind: usize::kind(), default: "1".to_owned(), range: None, doc, was: None,
            };
            (source.text().lines().next().unwrap_or_default().to_owned(), vec![level])
        },
        beside,
        apply: |_, sources| Ok(sources),
        check: |text| {
            let limits = limits::changed(&LIMITS, &text.file.limits)?;
            Ok(read(text, &limits).map_or_else(|findings| findings, |_| Vec::new()))
        },
        load,
        machines: None,
    }
}

struct Most {
    bytes: usize,
    counters: u32,
}

impl Default for Most {
    fn default() -> Most {
        Most { bytes: 1000, counters: 50 }
    }
}

const LIMITS: [Limit<Most>; 2] = [
    limit!("bytes", 1e4, "size of each file", bytes: usize),
    limit!("counters", 1e3, "counters of a level", counters: u32),
];

const NUMBER: Law =
    Law { code: "number", severity: Severity::Error, rule: "a line of its own has a number from 1" };

/// The level is named in brackets: `nim.take(level=2)` is played with `nim-2.txt`.
fn beside(file: &RulesFile) -> Result<Vec<String>, String> {
    let mut level = "1".to_owned();
    for (key, value) in &file.arguments {
        if key != "level" {
            return Err(unknown("parameter", key, ["level"]).0);
        }
        level = match value {
            Value::Text(name) => name.clone(),
            other => other.to_string(),
        };
    }
    Ok(vec![format!("{}-{level}.txt", file.name().trim_end_matches(".take"))])
}

fn number(source: &Source, file: u16, most: u32) -> Result<u32, Vec<Finding>> {
    let line = source.text().lines().last().unwrap_or_default();
    let (start, end) = (source.text().trim_end().len() - line.trim_end().len(), source.text().len());
    let wrong = |what: String| vec![Finding::new(&NUMBER, Span::new(start, end), what).in_file(file)];
    match line.trim().parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        Ok(number) => Err(wrong(format!("{number} is not from 1 to {most}"))),
        Err(_) => Err(wrong(format!("`{}` is no number", line.trim()))),
    }
}

/// How many counters may be taken at once, and how many there are.
fn read(text: &RulesText, most: &Most) -> Result<(u32, u32), Vec<Finding>> {
    Ok((number(&text.sources[0], 0, most.counters)?, number(&text.sources[1], 1, most.counters)?))
}

fn load(text: &RulesText) -> Result<Loaded, Refusal> {
    let limits = limits::changed(&LIMITS, &text.file.limits)?;
    let (at_once, counters) = read(text, &limits)?;
    let info = Info { horizon: Some(counters), zero_sum: true, ..Info::new(2, -1.0, 1.0) };
    let report = Report {
        language: "Take".to_owned(),
        machine: "counter".to_owned(),
        text: format!("counter: {counters}"),
        figures: vec![("counters", Figure::Number(counters as usize))],
        ..Report::default()
    };
    Ok(Loaded { game: Arc::new(Take { info, at_once, counters }), report, warnings: Vec::new() })
}

struct Take {
    info: Info,
    at_once: u32,
    counters: u32,
}

/// Who takes the last counter wins.
impl Game for Take {
    /// Counters that are left, and whose turn it is.
    type State = (u32, usize);

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> (u32, usize) {
        (self.counters, 0)
    }

    fn turn(&self, (left, mover): &(u32, usize)) -> Turn {
        if *left == 0 { Turn::Over } else { Turn::One(*mover) }
    }

    fn legal(&self, (left, _): &(u32, usize), _: usize, actions: &mut Vec<Action>) {
        actions.extend((1..=self.at_once.min(*left)).map(Action));
    }

    fn step(&self, (left, mover): &mut (u32, usize), joint: &[Action], rewards: &mut [f64]) {
        *left -= joint[0].0;
        if *left == 0 {
            rewards[*mover] += 1.0;
            rewards[1 - *mover] -= 1.0;
        }
        *mover = 1 - *mover;
    }

    fn action_name(&self, _: &(u32, usize), _: Option<usize>, action: Action) -> String {
        format!("take {}", action.0)
    }

    fn text(&self, (left, _): &(u32, usize), _: Option<usize>) -> String {
        format!("{left} left")
    }
}

fn asked(spec: &str) -> RulesFile {
    RulesFile::parse(spec, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn text(spec: &str, rules: &str, level: &str) -> RulesText {
    asked(spec).with(&[rules.into(), level.into()]).unwrap()
}

#[test]
fn languages_register_themselves() {
    let names: Vec<_> = languages().into_iter().map(|language| language.name).collect();
    assert_eq!(names, ["GDL", "Take", "VGDL"]);
    assert_eq!(suffixes(), [".kif", ".gdl", ".take", ".vgdl"]);
    assert_eq!(language_of("games/nim.TAKE").unwrap().name, "Take");
    assert!(language_of("games/nim").is_none());
}

#[test]
fn a_file_and_a_level_beside_it_make_a_game() {
    let file = asked("my games/nim.take (level=2, limit.counters=9)");
    assert_eq!(
        (file.path.as_str(), file.name(), file.language.name),
        ("my games/nim.take", "nim.take", "Take")
    );
    assert_eq!((file.beside().unwrap(), file.most_bytes()), (vec!["nim-2.txt".to_owned()], 1000));

    let made = text("nim.take(level=2)", "Nim\n3\n", "7\n");
    assert!(made.check().unwrap().is_empty());
    let Loaded { game, report, warnings } = made.load().unwrap();
    assert_eq!(
        (report.machine.as_str(), report.text.as_str(), warnings.len()),
        ("counter", "counter: 7", 0)
    );
    let mut legal = Vec::new();
    game.legal(&game.initial(), 0, &mut legal);
    assert_eq!(legal, [1, 2, 3].map(Action));
    let (summary, params) = (made.file.language.describe)(made.rules());
    assert_eq!((summary.as_str(), &*params[0].name), ("Nim", "level"));
}

#[test]
fn a_finding_is_shown_in_the_file_that_it_is_about() {
    let shown = text("nim.take", "Nim\n3", "many").load().err().unwrap();
    let expected = "\
error[number]: `many` is no number
 --> nim-1.txt:1:1
  |
1 | many
  | ^^^^
  = rule: a line of its own has a number from 1

nim.take: 1 error, 0 warnings
";
    assert_eq!(shown, expected);
}

#[test]
fn what_is_asked_for_wrongly_is_refused_in_a_sentence() {
    let error = |spec: &str| RulesFile::parse(spec, &[]).err().unwrap().to_string();
    assert_eq!(
        error("nim"),
        "'nim' is not a rules file: its name must end in .kif or .gdl or .take or .vgdl"
    );
    assert_eq!(error("nim.take(limit.counters=few)"), "nim.take: limit.counters=few is not a number");
    let refused = |spec: &str| text(spec, "Nim\n3", "7").load().err().unwrap();
    assert_eq!(refused("nim.take(limit.counters=5000)"), "limit.counters is from 1 to 1000, and not 5000");
    assert_eq!(refused("nim.take(limit.counter=5)"), "unknown limit 'counter'; did you mean counters?");
    let beside = |spec: &str| asked(spec).beside().err().unwrap();
    assert_eq!(beside("nim.take(levle=3)"), "unknown parameter 'levle'; did you mean level?");
    let out = "nim.take: 'nim-/../../secret.txt' is not the name of a file in the same folder";
    assert_eq!(beside("nim.take(level='/../../secret')"), out);
}

#[test]
fn one_file_for_another_is_refused() {
    let error = asked("nim.take").with(&[b"Nim\n3".to_vec()]).err().unwrap();
    assert_eq!(error, "nim.take is made of nim.take, nim-1.txt, and not of 1 files");
    let more = RulesFile::parse("nim.take", &[("counters".to_owned(), 5.0)]).unwrap();
    let error = more.with(&[b"3".to_vec(), b"7".to_vec()]).unwrap().load().err().unwrap();
    assert!(error.contains("7 is not from 1 to 5"), "{error}");
}
