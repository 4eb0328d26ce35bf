//! GDL among the languages.

use kibitz_core::params::ParamDoc;

use super::bare;
use super::load::{LIMITS, LoadLimits, Report as Run, load};
use super::parse::parse;
use super::{check, facts};
use crate::bare::Machines;
use crate::language::{Figure, Language, Loaded, Refusal, Report, RulesFile, RulesText};
use crate::limits;
use crate::source::{Finding, Source};

inventory::submit! {
    Language {
        name: "GDL",
        summary: "GDL, GDL-II, rtGDL or rtGDL-II, prefix (.kif) or infix (.gdl)",
        suffixes: &[".kif", ".gdl"],
        also: &[],
        limits: || limits::docs(&LIMITS),
        describe,
        beside: |_| Ok(Vec::new()),
        apply,
        check: find,
        load: game,
        machines: Some(Machines { names: bare::names, make: bare::make }),
    }
}

/// The first line, a comment, and the facts that can be given.
fn describe(source: &Source) -> (String, Vec<ParamDoc>) {
    let first = source.text().lines().next().unwrap_or_default();
    (first.trim_start_matches([';', ' ']).trim().to_owned(), facts::params(source.text()))
}

/// The limits for a file.
pub fn limits_of(file: &RulesFile) -> Result<LoadLimits, String> {
    limits::changed(&LIMITS, &file.limits)
}

/// The rules with the facts that are given.
fn apply(file: &RulesFile, sources: Vec<Source>) -> Result<Vec<Source>, String> {
    let most = limits_of(file)?.parse.bytes;
    // What is too large has not been read to its end.
    let given = |source: Source| match source.bytes() > most {
        true => Ok(source),
        false => facts::with(&source, &file.arguments),
    };
    sources.into_iter().map(given).collect()
}

fn find(text: &RulesText) -> Result<Vec<Finding>, String> {
    let limits = limits_of(&text.file)?;
    Ok(parse(text.rules(), &limits.parse).map_or_else(|findings| findings, |rules| check(&rules)))
}

fn game(text: &RulesText) -> Result<Loaded, Refusal> {
    let loaded = load(text.rules(), &limits_of(&text.file)?)?;
    let language = match (loaded.report.timed, loaded.report.percepts) {
        (false, false) => "GDL",
        (false, true) => "GDL-II",
        (true, false) => "rtGDL",
        (true, true) => "rtGDL-II",
    };
    Ok(Loaded { report: report(loaded.report, language), game: loaded.game, warnings: loaded.warnings })
}

fn report(run: Run, language: &str) -> Report {
    let text = if run.machine == "network" {
        let count = |number: usize, what: &str| format!("{} {what}", limits::thousands(number as u64));
        let counts = [
            count(run.rules, "rules"),
            count(run.facts, "facts"),
            count(run.moves, "moves"),
            count(run.gates, "gates"),
        ];
        let turns =
            if run.phases > 1 { format!(" for each of {} turns", run.phases) } else { String::new() };
        let operations = count(run.operations.iter().sum(), "operations a step");
        let how = if run.machine_code { "machine code" } else { "interpreted" };
        format!("network: {}; {operations}{turns}, {how}", counts.join(", "))
    } else {
        "reasoner: derives each state's consequences from the rules, which is slower than a network"
            .to_owned()
    };
    Report {
        language: language.to_owned(),
        machine: run.machine.to_owned(),
        why: run.why,
        text,
        figures: vec![
            ("rules", Figure::Number(run.rules)),
            ("facts", Figure::Number(run.facts)),
            ("moves", Figure::Number(run.moves)),
            ("gates", Figure::Number(run.gates)),
            ("operations", Figure::Numbers(run.operations.to_vec())),
            ("phases", Figure::Number(run.phases)),
            ("machine_code", Figure::Flag(run.machine_code)),
            ("cycles", Figure::Number(run.cycles)),
        ],
        hashed_actions: run.machine == "reasoner",
    }
}
