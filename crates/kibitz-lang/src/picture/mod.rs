//! A picture of any rules: boards where facts are about cells, and a table of all other facts.
//!
//! From the lowest to the highest: `fact.rs` (facts taken apart), `axis.rs` (names in an order),
//! `hints.rs` (what the rules' text says), `detect.rs` (which arguments are coordinates), `looks.rs`
//! (how contents look), `table.rs` (facts in lines), `text.rs` and `svg.rs` (the two forms).

mod axis;
mod detect;
mod fact;
mod hints;
mod looks;
mod svg;
mod table;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use kibitz_core::Rng;

use crate::run::{Machine, Outlook};
use axis::Axis;
use detect::{Layer, MOST_CELLS};
use fact::Fact;
pub use hints::Hints;
use looks::{Look, Looks};

/// How a game's states are drawn.
#[derive(Clone, Debug)]
pub struct Sketch {
    plans: Vec<Plan>,
}

/// A board, or several of the same size, and the facts that are drawn on it.
#[derive(Clone, Debug)]
struct Plan {
    layers: Vec<Layer>,
    frame: Frame,
    /// The cells there are; all, if that is not known.
    cells: Option<BTreeSet<Spot>>,
    looks: Looks,
}

/// The names of columns and rows, and of the boards where there are several.
#[derive(Clone, Debug)]
struct Frame {
    columns: Axis,
    rows: Option<Axis>,
    boards: Vec<Axis>,
}

/// A cell: the names of its board, its column and its row.
type Spot = (Vec<String>, String, String);

/// A board as it is in one state, rows from top to bottom.
struct Board {
    title: String,
    columns: Vec<String>,
    rows: Vec<String>,
    /// By row and column: what is there; `None` where there is no cell.
    cells: Vec<Vec<Option<Vec<String>>>>,
}

/// Boards beside and below each other, and how their contents look.
struct Boards<'a> {
    rows: Vec<Vec<Board>>,
    looks: &'a Looks,
}

/// Steps of the game that is played to see how facts behave, where steps are quick.
const STEPS: usize = 120;
/// The same where each has to be derived from the rules, which may take seconds.
const SLOW_STEPS: usize = 1;
/// Facts that are looked at.
const MOST_FACTS: usize = 200_000;
/// Different boards in a picture.
const MOST_PLANS: usize = 6;

impl Sketch {
    /// Finds out how to draw the game of a machine, by looking at what may ever hold and at a few
    /// states of a random game, the same each time.
    pub fn of(machine: &impl Machine, hints: &Hints) -> Sketch {
        let possible = machine.possible();
        let steps = if possible.is_some() { STEPS } else { SLOW_STEPS };
        let mut states: Vec<Vec<String>> = Vec::new();
        let (mut facts, mut outlook, mut rng) = (machine.initial(), Outlook::default(), Rng::new(1));
        for step in 0..=steps {
            // The start matters most, and later states look much like their neighbours.
            if step < 12 || step % 4 == 0 {
                states.push(machine.describe(&facts));
            }
            if step == steps {
                break;
            }
            machine.outlook(&facts, &mut outlook);
            let choices = || (0..machine.roles().len()).map(|role| outlook.of(role));
            if outlook.terminal || choices().any(<[u32]>::is_empty) {
                break;
            }
            let moves: Vec<u32> =
                choices().map(|moves| moves[rng.below(moves.len() as u32) as usize]).collect();
            machine.advance(&mut facts, &moves, &mut Vec::new());
        }
        Sketch::new(possible.as_deref(), &states, machine.roles(), hints)
    }

    /// The same from what may ever hold, if that is known, and what holds in some states, the first
    /// of them the start.
    pub fn new(
        possible: Option<&[String]>,
        states: &[Vec<String>],
        roles: &[String],
        hints: &Hints,
    ) -> Sketch {
        let read = |facts: &[String]| -> Vec<Fact> {
            facts.iter().take(MOST_FACTS).map(|fact| Fact::read(fact)).collect()
        };
        let (all, states) = (read(possible.unwrap_or_default()), states.iter().map(|state| read(state)));
        let states: Vec<Vec<Fact>> = states.collect();
        let mut layers = detect::layers(&all, &states, roles, hints);
        // What speaks of most cells is the ground for the others.
        layers.sort_by(|a, b| {
            (b.is_ground(), b.cells).cmp(&(a.is_ground(), a.cells)).then(a.form.cmp(&b.form))
        });
        let mut plans: Vec<Plan> = Vec::new();
        let mut cells = 0;
        for layer in layers {
            if plans.iter_mut().any(|plan| !plan.rivals(&layer, &states) && plan.join(&layer)) {
                continue;
            }
            let plan = Plan::new(layer);
            if plans.len() < MOST_PLANS && cells + plan.frame.size() <= MOST_CELLS {
                cells += plan.frame.size();
                plans.push(plan);
            }
        }
        for plan in &mut plans {
            plan.furnish(&all, &states, roles, possible.is_some());
        }
        Sketch { plans }
    }

    /// Whether there is a board.
    pub fn has_board(&self) -> bool {
        !self.plans.is_empty()
    }

    /// A state in plain characters.
    pub fn text(&self, facts: &[String]) -> String {
        let (boards, others) = self.place(facts);
        text::text(&boards, &others)
    }

    /// A state as SVG.
    pub fn svg(&self, facts: &[String]) -> String {
        let (boards, others) = self.place(facts);
        svg::svg(&boards, &table::lines(&others, svg::WIDTH))
    }

    /// Puts facts on their boards; the others are left.
    fn place(&self, facts: &[String]) -> (Vec<Boards<'_>>, Vec<Fact>) {
        let mut others: Vec<Fact> = facts.iter().map(|fact| Fact::read(fact)).collect();
        let mut boards = Vec::new();
        for plan in &self.plans {
            let mut frame = plan.frame.clone();
            let mut contents: BTreeMap<Spot, Vec<String>> = BTreeMap::new();
            others.retain(|fact| match plan.spot(fact) {
                Some((spot, content)) if frame.include(&spot) => {
                    let here = contents.entry(spot).or_default();
                    if *plan.looks.look(&content) != Look::Empty {
                        here.push(content);
                    }
                    false
                }
                _ => true,
            });
            boards.push(Boards { rows: plan.draw(&frame, &contents), looks: &plan.looks });
        }
        if boards.len() > 1 {
            for (boards, plan) in boards.iter_mut().zip(&self.plans) {
                boards.rows.iter_mut().flatten().for_each(|board| {
                    board.title = format!("{} {}", plan.layers[0].name, board.title).trim().to_owned();
                });
            }
        }
        (boards, others)
    }
}

/// Lines of plain words as SVG.
pub fn card(lines: &[String]) -> String {
    svg::svg(&[], lines)
}

impl Plan {
    fn new(layer: Layer) -> Plan {
        let frame = Frame {
            columns: layer.columns.1.clone(),
            rows: layer.rows.as_ref().map(|(_, axis)| axis.clone()),
            boards: layer.boards.iter().map(|(_, axis)| axis.clone()).collect(),
        };
        Plan { frame, layers: vec![layer], cells: None, looks: Looks::default() }
    }

    /// Whether a layer puts the same things into the same cells as one that is here: they are the
    /// boards of two games.
    fn rivals(&self, layer: &Layer, states: &[Vec<Fact>]) -> bool {
        let other = Plan::new(layer.clone());
        states.iter().any(|state| {
            let here: BTreeMap<Spot, String> = state.iter().filter_map(|fact| self.spot(fact)).collect();
            let mut there = state.iter().filter_map(|fact| other.spot(fact));
            !layer.contents.is_empty() && there.any(|(spot, _)| here.contains_key(&spot))
        }) && {
            let contents = |plan: &Plan| -> BTreeSet<String> {
                states
                    .iter()
                    .flatten()
                    .filter_map(|fact| plan.spot(fact))
                    .map(|(_, content)| content)
                    .collect()
            };
            !contents(self).is_disjoint(&contents(&other))
        }
    }

    /// Takes a layer of few facts that speak of the same cells.
    fn join(&mut self, layer: &Layer) -> bool {
        let similar = |mine: &Axis, its: &Axis| {
            mine.order.alike(&its.order)
                && 4 * mine.shared(its) >= 3 * its.len()
                && its.len() <= mine.len() + 2
        };
        let frame = &mut self.frame;
        let rows = match (&frame.rows, &layer.rows) {
            (None, None) => true,
            (Some(mine), Some((_, its))) => similar(mine, its),
            _ => false,
        };
        let boards = frame.boards.len() == layer.boards.len()
            && frame.boards.iter().zip(&layer.boards).all(|(mine, (_, its))| similar(mine, its));
        // Two that each speak of most cells are two boards.
        let joins = !layer.is_ground() && rows && boards && similar(&frame.columns, &layer.columns.1);
        if joins {
            frame.columns.merge(&layer.columns.1);
            if let (Some(rows), Some((_, its))) = (&mut frame.rows, &layer.rows) {
                rows.merge(its);
            }
            self.layers.push(layer.clone());
        }
        joins
    }

    /// Finds out which cells there are and how their contents look.
    fn furnish(&mut self, all: &[Fact], states: &[Vec<Fact>], roles: &[String], known: bool) {
        let facts = || all.iter().chain(states.iter().flatten());
        let placed: Vec<(Spot, String)> = facts().filter_map(|fact| self.spot(fact)).collect();
        let contents: BTreeSet<String> = placed.iter().map(|(_, content)| content.clone()).collect();
        let spots: BTreeSet<Spot> = placed.into_iter().map(|(spot, _)| spot).collect();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (_, content) in states.first().into_iter().flatten().filter_map(|fact| self.spot(fact)) {
            *counts.entry(content).or_default() += 1;
        }
        let common = counts.iter().max_by_key(|(_, count)| **count);
        let common = common.filter(|(_, count)| 2 * **count > spots.len()).map(|(name, _)| name.as_str());
        self.looks = Looks::new(&contents, common, roles);
        self.cells = known.then_some(spots);
    }

    /// Where a fact belongs, and what it says is there.
    fn spot(&self, fact: &Fact) -> Option<(Spot, String)> {
        let layer = self.layers.iter().find(|layer| layer.form == fact.form)?;
        let arg = |number: usize| fact.args.get(number).cloned();
        let row = match &layer.rows {
            Some((number, _)) => arg(*number)?,
            None => String::new(),
        };
        let boards = layer.boards.iter().map(|(number, _)| arg(*number)).collect::<Option<Vec<_>>>()?;
        let contents: Vec<String> = layer.contents.iter().filter_map(|number| arg(*number)).collect();
        let content = if contents.is_empty() { layer.name.clone() } else { contents.join(" ") };
        Some(((boards, arg(layer.columns.0)?, row), content))
    }

    /// The boards with what is on them.
    fn draw(&self, frame: &Frame, contents: &BTreeMap<Spot, Vec<String>>) -> Vec<Vec<Board>> {
        let down = self.layers[0].down;
        let owned = |axis: &Axis| -> Vec<String> { axis.names().map(str::to_owned).collect() };
        let upright = |axis: &Axis| -> Vec<String> {
            let mut names = owned(axis);
            if !down {
                names.reverse();
            }
            names
        };
        let board = |boards: Vec<String>| {
            let columns = owned(&frame.columns);
            let rows = frame.rows.as_ref().map_or_else(|| vec![String::new()], upright);
            let cell = |column: &String, row: &String| {
                let spot = (boards.clone(), column.clone(), row.clone());
                let known = self.cells.as_ref().is_none_or(|cells| cells.contains(&spot));
                contents.get(&spot).cloned().or(known.then(Vec::new))
            };
            let line = |row| columns.iter().map(|column| cell(column, row)).collect();
            let cells = rows.iter().map(line).collect();
            Board { title: boards.join(" "), columns, rows, cells }
        };
        match &frame.boards[..] {
            [] => vec![vec![board(Vec::new())]],
            [axis] => {
                let names = owned(axis);
                let across = (1..=names.len()).find(|side| side * side >= names.len()).unwrap_or(1);
                let row = |names: &[String]| names.iter().map(|name| board(vec![name.clone()])).collect();
                names.chunks(across).map(row).collect()
            }
            [first, second, ..] => {
                // As the cells of a board lie, so do the boards.
                let swapped =
                    self.layers[0].rows.as_ref().is_some_and(|(row, _)| *row < self.layers[0].columns.0);
                let (across, along) = if swapped { (second, first) } else { (first, second) };
                let pair = |column: &str, row: &String| {
                    let column = column.to_owned();
                    if swapped { vec![row.clone(), column] } else { vec![column, row.clone()] }
                };
                let line = |row| across.names().map(|column| board(pair(column, row))).collect();
                upright(along).iter().map(line).collect()
            }
        }
    }
}

impl Frame {
    /// Cells in all.
    fn size(&self) -> usize {
        let boards: usize = self.boards.iter().map(Axis::len).product();
        boards * self.columns.len() * self.rows.as_ref().map_or(1, Axis::len)
    }

    /// Makes room for a cell, if there is any.
    fn include(&mut self, (boards, column, row): &Spot) -> bool {
        self.boards.iter().zip(boards).all(|(axis, name)| axis.index(name).is_some())
            && self.columns.include(column)
            && self.rows.as_mut().is_none_or(|rows| rows.include(row))
    }
}
