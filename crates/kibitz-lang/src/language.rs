//! What a language of rules says of itself. A language is a folder that registers one [`Language`]; nobody else keeps
//! a list: what a file's name ends in decides who reads it, and its limits and what it takes in brackets are shown from here.

use kibitz_core::SharedModel;
use kibitz_core::params::ParamDoc;
use kibitz_core::spec::{FileSpec, SpecError, Value, has_suffix};

use crate::bare::Machines;
use crate::limits::LimitDoc;
use crate::source::{Finding, Severity, Source, render_all};

/// A language of rules.
pub struct Language {
    /// What it is called.
    pub name: &'static str,
    /// What to write, after "rules in": dialects and notations with their suffixes.
    pub summary: &'static str,
    /// What its files' names end in, in lower case, one for each notation.
    pub suffixes: &'static [&'static str],
    /// Other endings of such files, which say little of themselves: files are read that are named, and not looked for.
    pub also: &'static [&'static str],
    /// What a file is held to, and what can be changed of it.
    pub limits: fn() -> Vec<LimitDoc>,
    /// What a file's game is, in one sentence, and what the file takes in brackets.
    pub describe: fn(&Source) -> (String, Vec<ParamDoc>),
    /// The files that are read besides, such as a level: plain names of files in the same folder.
    pub beside: fn(&RulesFile) -> Result<Vec<String>, String>,
    /// The files with what is in the brackets put in its place, where that changes what they say.
    pub apply: fn(&RulesFile, Vec<Source>) -> Result<Vec<Source>, String>,
    /// What is wrong with the rules; they make a game, if limits allow, where none of it is an error.
    pub check: fn(&RulesText) -> Result<Vec<Finding>, String>,
    /// The game that the rules make.
    pub load: fn(&RulesText) -> Result<Loaded, Refusal>,
    /// What runs the rules, bare, so that tools can look at all that holds and compare; None where there is no such thing.
    pub machines: Option<Machines>,
}

inventory::collect!(Language);

/// All languages, by name.
pub fn languages() -> Vec<&'static Language> {
    let mut all: Vec<_> = inventory::iter::<Language>.into_iter().collect();
    all.sort_by_key(|language| language.name);
    all
}

/// What names of rules files end in.
pub fn suffixes() -> Vec<&'static str> {
    languages().into_iter().flat_map(|language| language.suffixes).copied().collect()
}

/// What names of rules files may end in, with endings that other files have as well.
fn endings() -> Vec<&'static str> {
    let also = languages().into_iter().flat_map(|language| language.also).copied();
    suffixes().into_iter().chain(also).collect()
}

/// The language of a file, by its name's end.
pub fn language_of(path: &str) -> Option<&'static Language> {
    let is_its = |language: &&Language| {
        language.suffixes.iter().chain(language.also).any(|suffix| has_suffix(path, suffix))
    };
    languages().into_iter().find(is_its)
}

/// What a file's arguments begin with where they change a limit.
const LIMIT: &str = "limit.";

/// A rules file, as somebody asks for it: `chess.kif(limit.seconds=60)`.
#[derive(Clone)]
pub struct RulesFile {
    /// What its name says it is written in.
    pub language: &'static Language,
    /// Where it is.
    pub path: String,
    /// What else is in the brackets, in the order of writing; a positional argument has an empty key.
    pub arguments: Vec<(String, Value)>,
    /// The limits that are changed.
    pub limits: Vec<(String, f64)>,
}

impl RulesFile {
    /// Whether a spec names a rules file, with or without brackets.
    pub fn is_named(spec: &str) -> bool {
        FileSpec::parse(spec, &endings()).is_some()
    }

    /// Reads a spec. More limits may be changed than those in its brackets.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(spec: &str, more: &[(String, f64)]) -> Result<RulesFile, SpecError> {
        let no_rules = || {
            let ends = suffixes().join(" or ");
            SpecError(format!("'{spec}' is not a rules file: its name must end in {ends}"))
        };
        let FileSpec { path, arguments } = FileSpec::parse(spec, &endings()).ok_or_else(no_rules)??;
        let language = language_of(&path).ok_or_else(no_rules)?;
        let mut file = RulesFile { language, path, arguments: Vec::new(), limits: Vec::new() };
        for (key, value) in arguments {
            match (key.strip_prefix(LIMIT), &value) {
                (None, _) => file.arguments.push((key, value)),
                (Some(limit), Value::Integer(integer)) => {
                    file.limits.push((limit.to_owned(), *integer as f64));
                }
                (Some(limit), Value::Real(real)) => file.limits.push((limit.to_owned(), *real)),
                _ => return Err(SpecError(format!("{}: {key}={value} is not a number", file.name()))),
            }
        }
        file.limits.extend_from_slice(more);
        Ok(file)
    }

    /// The path's last part, which findings mention.
    pub fn name(&self) -> &str {
        let name = std::path::Path::new(&self.path).file_name();
        name.and_then(std::ffi::OsStr::to_str).unwrap_or(&self.path)
    }

    /// The files that are read besides, in the same folder.
    ///
    /// # Errors
    /// What is wrong with the arguments that name them.
    pub fn beside(&self) -> Result<Vec<String>, String> {
        let names = (self.language.beside)(self)?;
        let elsewhere = |name: &&String| name.contains(['/', '\\', ':']) || name.starts_with('.');
        match names.iter().find(elsewhere) {
            None => Ok(names),
            Some(name) => {
                Err(format!("{}: '{name}' is not the name of a file in the same folder", self.name()))
            }
        }
    }

    /// How large each file may be, by the limit `bytes`, if the language has one.
    pub fn most_bytes(&self) -> u64 {
        let limits = (self.language.limits)();
        let Some(limit) = limits.iter().find(|limit| limit.name == "bytes") else { return 1 << 24 };
        let changed = self.limits.iter().rev().find(|(name, _)| name == limit.name);
        changed.map_or(limit.usual, |(_, bytes)| *bytes).clamp(0.0, limit.range[1]) as u64
    }

    /// The file and those beside it, with their content.
    ///
    /// # Errors
    /// What is wrong with the arguments.
    pub fn with(&self, content: &[Vec<u8>]) -> Result<RulesText, String> {
        let mut names = vec![self.name().to_owned()];
        names.extend(self.beside()?);
        if names.len() != content.len() {
            return Err(format!(
                "{} is made of {}, and not of {} files",
                self.path,
                names.join(", "),
                content.len()
            ));
        }
        let read = |(name, bytes): (String, &Vec<u8>)| Source::from_bytes(name, bytes);
        let sources = (self.language.apply)(self, names.into_iter().zip(content).map(read).collect())?;
        Ok(RulesText { file: self.clone(), sources })
    }
}

/// A rules file that has been read, and the files beside it.
pub struct RulesText {
    /// What was asked for.
    pub file: RulesFile,
    /// The rules, and then what stands beside them. A finding says which one it is about.
    pub sources: Vec<Source>,
}

impl RulesText {
    /// The rules.
    pub fn rules(&self) -> &Source {
        &self.sources[0]
    }

    /// What is wrong with it.
    ///
    /// # Errors
    /// What is wrong with how it was asked for, in a sentence.
    pub fn check(&self) -> Result<Vec<Finding>, String> {
        (self.file.language.check)(self)
    }

    /// The game that it makes.
    ///
    /// # Errors
    /// Why it makes none, as people read it.
    pub fn load(&self) -> Result<Loaded, String> {
        (self.file.language.load)(self).map_err(|refusal| refusal.render(&self.sources))
    }
}

/// A game made of rules, and how it is run.
pub struct Loaded<R = Report> {
    /// The game.
    pub game: SharedModel,
    /// How it is run.
    pub report: R,
    /// What the checker warns of.
    pub warnings: Vec<Finding>,
}

/// How a game of rules is run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The language, or that dialect of it which the rules need.
    pub language: String,
    /// The machine's name.
    pub machine: String,
    /// Why it is not a faster one.
    pub why: Option<String>,
    /// The machine and its size in words.
    pub text: String,
    /// Its size in figures.
    pub figures: Vec<(&'static str, Figure)>,
    /// Whether an action's number is a hash, whose order means nothing.
    pub hashed_actions: bool,
}

/// A figure of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Figure {
    /// A number.
    Number(usize),
    /// Several.
    Numbers(Vec<usize>),
    /// Yes or no.
    Flag(bool),
}

/// Why rules make no game.
pub enum Refusal {
    /// What is wrong with the files.
    Findings(Vec<Finding>),
    /// What is wrong with how they were asked for, or with running them.
    Sentence(String),
}

impl From<String> for Refusal {
    fn from(sentence: String) -> Refusal {
        Refusal::Sentence(sentence)
    }
}

impl From<Vec<Finding>> for Refusal {
    fn from(findings: Vec<Finding>) -> Refusal {
        Refusal::Findings(findings)
    }
}

/// The most errors that a refusal shows.
const SHOWN: usize = 20;

impl Refusal {
    /// As people read it: of findings, the errors.
    pub fn render(self, sources: &[Source]) -> String {
        match self {
            Refusal::Sentence(sentence) => sentence,
            Refusal::Findings(mut findings) => {
                findings.retain(|finding| finding.severity == Severity::Error);
                render_all(sources, &findings, SHOWN)
            }
        }
    }
}
