//! A board and the facts that are drawn on it: where each fact belongs, and the board in one state.

use std::collections::{BTreeMap, BTreeSet};

use super::axis::Axis;
use super::detect::Layer;
use super::fact::Fact;
use super::looks::Looks;

/// A board, or several of the same size, and the facts that are drawn on it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The facts, the ground first.
    pub layers: Vec<Layer>,
    /// Its columns and rows.
    pub frame: Frame,
    /// The cells there are; all, if that is not known.
    cells: Option<BTreeSet<Spot>>,
    /// How its contents look.
    pub looks: Looks,
}

/// The names of columns and rows, and of the boards where there are several.
#[derive(Clone, Debug)]
pub struct Frame {
    columns: Axis,
    rows: Option<Axis>,
    boards: Vec<Axis>,
}

/// A cell: the names of its board, its column and its row.
pub type Spot = (Vec<String>, String, String);

/// A board as it is in one state, rows from top to bottom.
pub struct Board {
    /// What is written above it, if anything.
    pub title: String,
    /// From left to right.
    pub columns: Vec<String>,
    /// From top to bottom; one without a name where the board is a row.
    pub rows: Vec<String>,
    /// By row and column: what is there; `None` where there is no cell.
    pub cells: Vec<Vec<Option<Vec<String>>>>,
}

impl Plan {
    /// The board of one layer.
    pub fn new(layer: Layer) -> Plan {
        let frame = Frame {
            columns: layer.columns.1.clone(),
            rows: layer.rows.as_ref().map(|(_, axis)| axis.clone()),
            boards: layer.boards.iter().map(|(_, axis)| axis.clone()).collect(),
        };
        Plan { frame, layers: vec![layer], cells: None, looks: Looks::default() }
    }

    /// Whether its facts say of a cell only that they are about it.
    pub fn is_bare(&self) -> bool {
        self.layers.len() == 1 && self.layers[0].contents.is_empty()
    }

    /// Whether a layer puts the same things into the same cells as one that is here: they are the
    /// boards of two games.
    pub fn rivals(&self, layer: &Layer, states: &[Vec<Fact>]) -> bool {
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
    pub fn join(&mut self, layer: &Layer) -> bool {
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
    pub fn furnish(&mut self, all: &[Fact], states: &[Vec<Fact>], roles: &[String], known: bool) {
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
        self.looks = if self.is_bare() {
            Looks::single(&self.layers[0].name)
        } else {
            Looks::new(&contents, common, roles)
        };
        self.cells = known.then_some(spots);
    }

    /// Where a fact belongs, and what it says is there.
    pub fn spot(&self, fact: &Fact) -> Option<(Spot, String)> {
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
    pub fn draw(&self, frame: &Frame, contents: &BTreeMap<Spot, Vec<String>>) -> Vec<Vec<Board>> {
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
    pub fn size(&self) -> usize {
        let boards: usize = self.boards.iter().map(Axis::len).product();
        boards * self.columns.len() * self.rows.as_ref().map_or(1, Axis::len)
    }

    /// Makes room for a cell, if there is any.
    pub fn include(&mut self, (boards, column, row): &Spot) -> bool {
        self.boards.iter().zip(boards).all(|(axis, name)| axis.index(name).is_some())
            && self.columns.include(column)
            && self.rows.as_mut().is_none_or(|rows| rows.include(row))
    }
}
