//! VGDL among the languages.

use std::sync::Arc;

use kibitz_core::params::ParamDoc;
use kibitz_core::spec::{Value, unknown};

use crate::bare::Machines;
use crate::language::{Figure, Language, Loaded, Refusal, Report, RulesFile, RulesText};
use crate::limits::{self, Limit, limit};
use crate::source::{Finding, Severity, Source};
use crate::vgdl::check::{check, ends};
use crate::vgdl::game::VideoGame;
use crate::vgdl::level::{Level, LevelLimits, level};
use crate::vgdl::machine;
use crate::vgdl::parse::parse;
use crate::vgdl::rules::Rules;
use crate::vgdl::state::World;

inventory::submit! {
    Language {
        name: "VGDL",
        summary: "VGDL (.vgdl, or .txt as GVG-AI names it), a level beside it (_lvl0.txt)",
        suffixes: &[".vgdl"],
        also: &[".txt"],
        limits: || limits::docs(&LIMITS),
        describe,
        beside,
        apply: |_, sources| Ok(sources),
        check: find,
        load,
        machines: Some(Machines {
            names: || vec![machine::NAME.to_owned()],
            make: |text, _| {
                let (world, _) = build(text)?;
                Ok(machine::bare(world, text.rules()))
            },
        }),
    }
}

/// What bounds a video game.
struct Most {
    bytes: usize,
    cells: usize,
    sprites: usize,
    ticks: u32,
}

impl Default for Most {
    fn default() -> Most {
        Most { bytes: 1 << 20, cells: 10_000, sprites: 2_000, ticks: 2_000 }
    }
}

const LIMITS: [Limit<Most>; 4] = [
    limit!("bytes", 1e8, "size of each file", bytes: usize),
    limit!("cells", 1e6, "cells of a level", cells: usize),
    limit!("sprites", 1e5, "sprites at any time; more are not born", sprites: usize),
    limit!("ticks", 1e6, "the tick after which a game that is not over is lost", ticks: u32),
];

/// The first comment, and the level.
fn describe(source: &Source) -> (String, Vec<ParamDoc>) {
    let first = source.text().lines().find(|line| line.starts_with('#'));
    let level = ParamDoc {
        name: "level".into(),
        kind: "number or file name".to_owned(),
        default: "0".to_owned(),
        range: None,
        doc: "the level: its number, as in NAME_lvl0.txt beside the rules, or the name of a file there"
            .to_owned(),
        was: None,
    };
    (first.unwrap_or_default().trim_start_matches(['#', ' ']).trim().to_owned(), vec![level])
}

/// The level: `zelda.vgdl(level=2)` is played with `zelda_lvl2.txt`.
fn beside(file: &RulesFile) -> Result<Vec<String>, String> {
    let name = file.name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if let Some((game, level)) = stem.rsplit_once("_lvl").filter(|(_, level)| level.parse::<u32>().is_ok())
    {
        let ending = &name[stem.len()..];
        return Err(format!(
            "{name} is a level; its rules are {game}{ending}: {game}{ending}(level={level})"
        ));
    }
    let mut found = format!("{stem}_lvl0.txt");
    for (key, value) in &file.arguments {
        if !key.is_empty() && key != "level" {
            return Err(format!("{name}: {}", unknown("parameter", key, ["level"]).0));
        }
        found = match value {
            Value::Integer(number @ 0..) => format!("{stem}_lvl{number}.txt"),
            Value::Text(file) => file.clone(),
            other => other.to_string(),
        };
    }
    Ok(vec![found])
}

/// The rules and the level, and what is wrong with them.
fn read(text: &RulesText, most: &Most) -> (Option<(Rules, Level)>, Vec<Finding>) {
    let source = text.rules();
    let lines = match parse(source, most.bytes) {
        Ok(lines) => lines,
        Err(findings) => return (None, findings),
    };
    let (rules, mut findings) = check(&lines, &|span| source.slice(span).to_owned());
    let limits = LevelLimits { bytes: most.bytes, cells: most.cells, sprites: most.sprites };
    let (level, more) = level(&rules, &text.sources[1], 1, limits);
    if level.width > 0 && findings.iter().all(|finding| finding.severity != Severity::Error) {
        findings.extend(ends(&rules, &level));
    }
    findings.extend(more);
    (Some((rules, level)), findings)
}

fn find(text: &RulesText) -> Result<Vec<Finding>, String> {
    let most = limits::changed(&LIMITS, &text.file.limits)?;
    Ok(read(text, &most).1)
}

/// The rules on their level, and what the checker warns of.
fn build(text: &RulesText) -> Result<(World, Vec<Finding>), Refusal> {
    let most = limits::changed(&LIMITS, &text.file.limits)?;
    let (found, findings) = read(text, &most);
    match found.filter(|_| findings.iter().all(|f| f.severity != Severity::Error)) {
        Some((rules, level)) => Ok((World::new(rules, level, most.sprites, most.ticks), findings)),
        None => Err(findings.into()),
    }
}

fn load(text: &RulesText) -> Result<Loaded, Refusal> {
    let (world, warnings) = build(text)?;
    let World { rules, level, .. } = &world;
    let figures =
        [("types", rules.kinds.len()), ("effects", rules.effects.len()), ("sprites", level.placed.len())];
    let counted = figures.map(|(what, count)| format!("{} {what}", limits::thousands(count as u64)));
    let report = Report {
        language: "VGDL".to_owned(),
        machine: machine::NAME.to_owned(),
        why: None,
        text: format!("sprites: {}, {} x {} cells", counted.join(", "), level.width, level.height),
        figures: figures.map(|(what, count)| (what, Figure::Number(count))).to_vec(),
        hashed_actions: false,
    };
    Ok(Loaded { game: Arc::new(VideoGame::new(world)), report, warnings })
}
