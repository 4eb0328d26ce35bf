//! The rule files of the field, where they are at hand: each is accepted, or refused for a known reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kibitz_lang::gdl::{Limits, check, parse};
use kibitz_lang::source::render_all;
use kibitz_lang::{Severity, Source};

/// The files that are not rules of a game as they stand, with the first reason.
const REFUSED: &str = "
    7wonders.kif variable-as-name
    dominion.kif unsafe-variable
    dresden.Corridor.kif fact-with-variable
    dresden.axioms1.kif unsafe-variable
    dresden.axioms2.kif unsafe-variable
    dresden.axioms3.kif variable-as-name
    ggpbase.test_case_3b.kif unsafe-variable
    iggp.tiger_vs_dogs.kif missing-terminal
    libgdl.headsafe.kif unsafe-variable
    libgdl.legal_depen.kif depends-on-moves
    libgdl.ndef_legal.kif missing-legal
    libgdl.ndef_terminal.kif missing-terminal
    libgdl.notunstrat.kif unstratified
    libgdl.orsafe.kif unsafe-variable
    libgdl.unstratrec.kif unstratified
    oneCardGame.kif unsafe-variable
    sancho.Modified-ticTacToe2.kif unsafe-variable
    stanford.firesheep.kif depends-on-moves
    sushi_go.kif unsafe-variable
";

/// The files of a folder beside the repository; none, and a word about it, where it is missing.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

/// The first error of a file that is refused.
fn reason(path: &Path) -> Option<&'static str> {
    let limits = Limits::default();
    let source = Source::read(path, limits.bytes).unwrap();
    let findings = match parse(&source, &limits) {
        Err(findings) => findings,
        Ok(rules) => {
            // Both texts mean the same again: the rules as written, and their clauses.
            let text = rules.to_kif();
            let again = parse(&Source::new("again", &*text), &limits).unwrap();
            assert_eq!(again.to_kif(), text, "{}", path.display());
            let findings = check(&rules);
            let plain = Source::new("clauses", rules.clauses_to_kif());
            let plain_findings = check(&parse(&plain, &limits).unwrap());
            let errors = |findings: &[kibitz_lang::Finding]| {
                findings.iter().any(|finding| finding.severity == Severity::Error)
            };
            let shown = render_all(std::slice::from_ref(&plain), &plain_findings, 9);
            assert_eq!(errors(&plain_findings), errors(&findings), "{}: {shown}", path.display());
            findings
        }
    };
    findings.iter().find(|finding| finding.severity == Severity::Error).map(|finding| finding.code)
}

#[test]
fn prefix() {
    let files = files("gdl");
    let known: BTreeMap<&str, &str> =
        REFUSED.trim().lines().filter_map(|line| line.trim().split_once(' ')).collect();
    let mut refused = BTreeMap::new();
    for path in &files {
        if let Some(code) = reason(path) {
            refused.insert(path.file_name().unwrap().to_str().unwrap().to_string(), code);
        }
    }
    if !files.is_empty() {
        let known: BTreeMap<String, &str> =
            known.into_iter().map(|(name, code)| (name.to_string(), code)).collect();
        assert_eq!(refused, known);
    }
}

#[test]
fn infix() {
    for path in files("gdl-infix") {
        assert_eq!(reason(&path), None, "{}", path.display());
    }
}

/// Mistakes as people make them: something left out, doubled, or a bracket too many.
#[test]
fn mutated() {
    let limits = Limits::default();
    let mut state: u64 = 7;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        usize::try_from(state >> 33).unwrap_or_default() % below.max(1)
    };
    for path in files("gdl").into_iter().chain(files("gdl-infix")) {
        let bytes = std::fs::read(&path).unwrap();
        for round in 0..4 {
            let mut bytes = bytes.clone();
            for _ in 0..=round {
                let at = random(bytes.len());
                let end = (at + random(20)).min(bytes.len());
                match random(4) {
                    0 => drop(bytes.drain(at..end)),
                    1 => bytes.extend_from_within(at..end),
                    2 => bytes.insert(at, b")(?<=, "[random(7)]),
                    _ => bytes[at] = b"() ?_.,x"[random(8)],
                }
            }
            let source = Source::from_bytes("mutated", &bytes);
            match parse(&source, &limits) {
                Ok(rules) => drop(render_all(std::slice::from_ref(&source), &check(&rules), 9)),
                Err(findings) => assert!(!findings.is_empty()),
            }
        }
    }
}
