//! Boards and facts in plain characters.

use std::collections::BTreeMap;

use super::fact::Fact;
use super::looks::{Looks, shortened};
use super::plan::Board;
use super::{Boards, table};

/// The width that is aimed at.
const WIDTH: usize = 96;
/// Entries of a legend.
const MOST_EXPLAINED: usize = 16;
/// Characters of a cell.
const LONGEST: usize = 8;

/// All boards, then all other facts.
pub fn text(sets: &[Boards<'_>], others: &[Fact]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for set in sets {
        for row in &set.rows {
            let blocks: Vec<Vec<String>> = row.iter().map(|board| block(board, &set.looks)).collect();
            let mut line: Vec<Vec<String>> = Vec::new();
            for block in blocks {
                let widths: usize = line.iter().chain([&block]).map(|block| width(block) + 3).sum();
                if !line.is_empty() && widths > WIDTH {
                    lines.extend(beside(&std::mem::take(&mut line)));
                    lines.push(String::new());
                }
                line.push(block);
            }
            lines.extend(beside(&line));
            lines.push(String::new());
        }
        let legend = legend(set);
        if !legend.is_empty() {
            lines.extend([legend, String::new()]);
        }
    }
    lines.extend(table::lines(others, WIDTH));
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n")
}

fn width(block: &[String]) -> usize {
    block.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Blocks of lines beside each other.
fn beside(blocks: &[Vec<String>]) -> Vec<String> {
    let height = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = blocks.iter().map(|block| width(block)).collect();
    let line = |number: usize| {
        let parts = blocks.iter().zip(&widths).map(|(block, width)| {
            let part = block.get(number).map_or("", String::as_str);
            format!("{part:width$}")
        });
        parts.collect::<Vec<_>>().join("   ").trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// A board with the names of its rows on the left and of its columns below.
fn block(board: &Board, looks: &Looks) -> Vec<String> {
    let symbol = |cell: &Option<Vec<String>>| match cell {
        None => String::new(),
        Some(contents) if contents.is_empty() => ".".to_owned(),
        Some(contents) => {
            let all: Vec<String> = contents.iter().map(|content| looks.symbol(content)).collect();
            shortened(&all.join("+"), LONGEST)
        }
    };
    let cells: Vec<Vec<String>> = board.cells.iter().map(|row| row.iter().map(symbol).collect()).collect();
    let label = |name: &String| shortened(name, LONGEST);
    let columns: Vec<String> = board.columns.iter().map(label).collect();
    let rows: Vec<String> = board.rows.iter().map(label).collect();
    let longest = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let (margin, wide) =
        (longest(&rows), longest(&columns).max(cells.iter().map(|row| longest(row)).max().unwrap_or(1)));
    let line = |head: &str, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>wide$}")).collect();
        let gap = if margin == 0 { "" } else { " " };
        format!("{head:>margin$}{gap}{}", cells.join(" ")).trim_end().to_owned()
    };
    let mut lines = Vec::new();
    if !board.title.is_empty() {
        lines.push(format!("{:margin$} {}", "", board.title));
    }
    lines.extend(rows.iter().zip(&cells).map(|(name, cells)| line(name, cells)));
    lines.push(line("", &columns));
    lines
}

/// What the abbreviations on the boards mean.
fn legend(set: &Boards<'_>) -> String {
    let cells =
        set.rows.iter().flatten().flat_map(|board| board.cells.iter().flatten().flatten().flatten());
    let symbols: BTreeMap<String, &String> = cells
        .map(|content| (set.looks.symbol(content), content))
        .filter(|(symbol, name)| symbol != *name)
        .collect();
    let mut parts: Vec<String> = symbols
        .iter()
        .take(MOST_EXPLAINED)
        .map(|(symbol, name)| format!("{symbol} {}", shortened(name, 24)))
        .collect();
    if symbols.len() > MOST_EXPLAINED {
        parts.push(format!("and {} more", symbols.len() - MOST_EXPLAINED));
    }
    parts.join(", ")
}
