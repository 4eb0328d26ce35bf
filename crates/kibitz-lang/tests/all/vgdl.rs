//! Video games against what the Java framework of March 2015 did, where its recorded games are at hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use kibitz_lang::source::{Severity, Source, render_all};
use kibitz_lang::vgdl::check::check;
use kibitz_lang::vgdl::level::{LevelLimits, level};
use kibitz_lang::vgdl::parse::parse;
use kibitz_lang::vgdl::rules::Orientation;
use kibitz_lang::vgdl::state::{Input, NOBODY, ORIENTED, State, World};
use kibitz_lang::vgdl::tick::Chance;

use crate::vgdl_json::Json;

/// Recorded games and the files of their rules, if they are there.
pub fn recorded() -> Option<(PathBuf, PathBuf)> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let places = [shared, Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared")];
    let found = places.iter().find(|place| place.join("oracle/vgdl").is_dir());
    if found.is_none() {
        eprintln!("skipped: there are no recorded games in ../shared/oracle/vgdl beside the repository");
    }
    found.map(|place| (place.join("oracle/vgdl"), place.join("corpus/vgdl")))
}

fn lines(path: &Path) -> Vec<Json> {
    let output = Command::new("gzip").arg("-dc").arg(path).output().expect("gzip is there");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(Json::read).collect()
}

pub fn world(rules: &str, text: &str) -> World {
    let sources = [Source::new("rules.vgdl", rules), Source::new("level.txt", text)];
    let lines =
        parse(&sources[0], 1 << 20).unwrap_or_else(|found| panic!("{}", render_all(&sources, &found, 9)));
    let (rules, mut findings) = check(&lines, &|span| sources[0].slice(span).to_owned());
    let (level, more) =
        level(&rules, &sources[1], 1, LevelLimits { bytes: 1 << 20, cells: 10_000, sprites: 10_000 });
    findings.extend(more);
    findings.retain(|finding| finding.severity == Severity::Error);
    assert!(findings.is_empty(), "{}", render_all(&sources, &findings, 9));
    World::new(rules, level, 10_000, 2_000)
}

/// Recorded draws, one after the other.
#[derive(Default)]
struct Replayed {
    tokens: Vec<String>,
    at: usize,
    fault: Option<String>,
    fired: BTreeMap<usize, u32>,
}

impl Replayed {
    fn next(&mut self, asked: &str) -> (String, String) {
        let token = self.tokens.get(self.at).cloned().unwrap_or_default();
        self.at += 1;
        if token.is_empty() || !token.starts_with(asked) {
            let at = self.at;
            self.fault.get_or_insert(format!("draw {at} is {asked:?} here and {token:?} there"));
        }
        let rest = token.get(2..).unwrap_or_default().to_owned();
        (token, rest)
    }
}

impl Chance for Replayed {
    fn below(&mut self, who: char, bound: u32) -> u32 {
        let (token, _) = self.next(&if who == 'L' || who == 'T' {
            who.to_string()
        } else if who == 'C' || who == 'A' {
            format!("{who}{bound}:")
        } else {
            format!("{who}{bound}")
        });
        token.split(':').nth(1).and_then(|result| result.parse().ok()).unwrap_or(0)
    }

    fn unit(&mut self, who: char) -> f64 {
        let kind = if who == 'S' { 'f' } else { 'd' };
        let (_, rest) = self.next(&format!("{who}{kind}"));
        rest.parse::<f64>().unwrap_or(0.0) / 8192.0
    }

    fn fired(&mut self, effect: usize) {
        *self.fired.entry(effect).or_default() += 1;
    }
}

type Picture = BTreeMap<String, Vec<Vec<i64>>>;

/// What the records say of a sprite: place, orientation, and the resources behind a mark.
fn seen(world: &World, state: &State) -> Picture {
    let resources = world.rules.resources.len();
    let mut picture = Picture::new();
    for (at, sprite) in state.sprites.iter().enumerate() {
        let mut entry = vec![i64::from(sprite.x), i64::from(sprite.y)];
        if sprite.is(ORIENTED) {
            let (x, y) = sprite.orientation.vector();
            entry.extend([i64::from(x), i64::from(y)]);
        }
        let mut purse: Vec<(String, i64)> = (0..resources)
            .filter_map(|r| state.carried(at, r, resources).map(|n| (r, n)))
            .map(|(r, n)| (world.kind(world.rules.resources[r]).name.clone(), i64::from(n)))
            .collect();
        purse.sort();
        for (name, amount) in purse {
            entry.extend([i64::from(u32::MAX), word(&name), amount]);
        }
        picture.entry(world.kind(sprite.kind).name.clone()).or_default().push(entry);
    }
    picture.values_mut().for_each(|list| list.sort());
    picture
}

fn word(name: &str) -> i64 {
    name.bytes().fold(7, |word: i64, byte| word.wrapping_mul(131).wrapping_add(byte.into()))
}

fn told(list: &Json) -> Vec<Vec<i64>> {
    let entry = |sprite: &Json| {
        let mut entry = Vec::new();
        for part in sprite.list() {
            match part {
                Json::Number(number) => entry.push(*number as i64),
                other => {
                    for (name, amount) in other.map() {
                        entry.extend([i64::from(u32::MAX), word(name), amount.number() as i64]);
                    }
                }
            }
        }
        entry
    };
    let mut list: Vec<_> = list.list().iter().map(entry).collect();
    list.sort();
    list
}

fn input(name: &str) -> Input {
    match name {
        "NIL" => Input::Nil,
        "USE" => Input::Use,
        name => Input::Go(Orientation::named(name).expect("a direction")),
    }
}

/// Where a trace differs first, if it does.
fn compare(world: &World, header: &Json, ticks: &[Json]) -> Result<(), String> {
    let order: Vec<&str> = world.rules.order.iter().map(|kind| &*world.kind(*kind).name).collect();
    let expected: Vec<&str> =
        header.get("update_order").expect("it").list().iter().map(Json::text).collect();
    if order != expected {
        return Err(format!("the order of updates is {order:?} here and {expected:?} there"));
    }
    let mut state = world.initial();
    let mut picture = Picture::new();
    for line in ticks {
        let tick = line.get("tick").expect("it").number() as i64;
        let mut chance = Replayed::default();
        if tick >= 0 {
            let draws = line.get("draws").map_or("", Json::text);
            chance.tokens = draws.split_whitespace().map(str::to_owned).collect();
            let action = line.get("applied").or(line.get("action")).expect("it").text();
            world.tick(&mut state, input(action), &mut chance);
            if chance.at != chance.tokens.len() {
                let what = format!("{} draws here and {} there", chance.at, chance.tokens.len());
                chance.fault.get_or_insert(what);
            }
        }
        for (name, list) in line.get("sprites").into_iter().flat_map(Json::map) {
            picture.insert(name.clone(), told(list));
        }
        picture.retain(|_, list| !list.is_empty());
        let here = seen(world, &state);
        if let Some(fault) = chance.fault {
            return Err(format!("tick {tick}: {fault}"));
        }
        if here != picture {
            let names: std::collections::BTreeSet<_> = here.keys().chain(picture.keys()).collect();
            let name = names.into_iter().find(|name| here.get(*name) != picture.get(*name)).expect("one");
            let [a, b] = [&here, &picture].map(|picture| picture.get(name).cloned().unwrap_or_default());
            let only = |a: &[Vec<i64>], b: &[Vec<i64>]| -> Vec<Vec<i64>> {
                a.iter()
                    .filter(|e| a.iter().filter(|x| x == e).count() != b.iter().filter(|x| x == e).count())
                    .cloned()
                    .collect()
            };
            return Err(format!(
                "tick {tick}: {name} is {:?} here and {:?} there",
                only(&a, &b),
                only(&b, &a)
            ));
        }
        let counts = chance.fired.iter().map(|(effect, count)| format!("{effect}:{count}"));
        let fired = counts.collect::<Vec<String>>().join(" ");
        let recorded = line.get("effects").map_or("", Json::text);
        if fired != recorded {
            return Err(format!("tick {tick}: effects {fired} here and {recorded} there"));
        }
        let score = line.get("score").expect("it").number();
        if f64::from(state.score) != score {
            return Err(format!("tick {tick}: the score is {} here and {score} there", state.score));
        }
        let winner = state.won.map_or(-1, i64::from);
        if winner != line.get("winner").expect("it").number() as i64 {
            return Err(format!("tick {tick}: the winner is {winner} here"));
        }
        if (state.avatar == NOBODY) != matches!(line.get("avatar"), Some(Json::Null)) {
            return Err(format!("tick {tick}: the avatar"));
        }
    }
    Ok(())
}

/// Each trace of a file: its header and its ticks.
fn traces(lines: &[Json]) -> Vec<&[Json]> {
    let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].get("trace").is_some()).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(start, end)| &lines[*start..end]).collect()
}

fn report(checked: usize, failed: &[String]) {
    println!("{} of {checked} traces are matched", checked - failed.len());
    assert!(failed.is_empty(), "{} of {checked} differ:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn vgdl_small_games_are_as_recorded() {
    let Some((oracle, _)) = recorded() else { return };
    let lines = lines(&oracle.join("micro.jsonl.gz"));
    let mut failed = Vec::new();
    let all = traces(&lines);
    for trace in &all {
        let (header, ticks) = (&trace[0], &trace[1..]);
        let world =
            world(header.get("vgdl").expect("it").text(), header.get("level_text").expect("it").text());
        if let Err(difference) = compare(&world, header, ticks) {
            failed.push(format!("{}: {difference}", header.get("game").expect("it").text()));
        }
    }
    report(all.len(), &failed);
}

#[test]
fn vgdl_games_are_as_recorded() {
    let Some((oracle, corpus)) = recorded() else { return };
    let mut failed = Vec::new();
    let mut checked = 0;
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["traces", "traces_idorder"] {
        let entries = std::fs::read_dir(oracle.join(folder)).expect("a folder");
        files.extend(entries.map(|entry| entry.expect("a file").path()));
    }
    files.sort();
    for file in files {
        let lines = lines(&file);
        let by_order = file.parent().is_some_and(|folder| folder.ends_with("traces_idorder"));
        for trace in traces(&lines) {
            let (header, ticks) = (&trace[0], &trace[1..]);
            // Where the framework's order of hashes mattered, there is a second record in the order of creation.
            if !by_order && header.get("order_matters") == Some(&Json::Flag(true)) {
                continue;
            }
            let game = header.get("game").expect("it").text();
            let number = header.get("level").expect("it").number();
            let read = |name: String| std::fs::read_to_string(corpus.join(name)).expect("rules");
            let world = world(&read(format!("{game}.txt")), &read(format!("{game}_lvl{number}.txt")));
            checked += 1;
            if let Err(difference) = compare(&world, header, ticks) {
                failed.push(format!("{}: {difference}", header.get("trace").expect("it").text()));
            }
        }
    }
    report(checked, &failed);
}
