//! A picture of any rules: boards where facts are about cells, and a table of all other facts.
//!
//! From the lowest to the highest: `fact.rs` (facts taken apart), `axis.rs` (names in an order),
//! `hints.rs` (what the rules' text says), `detect.rs` (which arguments are coordinates), `looks.rs`
//! (how contents look), `plan.rs` (a board and what is on it), `table.rs` (facts in lines), `text.rs`
//! and `svg.rs` (the two forms).

mod axis;
mod detect;
mod fact;
mod hints;
mod looks;
mod plan;
mod svg;
mod table;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;

use kibitz_core::Rng;

use crate::gdl::run::{Machine, Outlook};
use detect::MOST_CELLS;
use fact::{Fact, Squares};
pub use hints::Hints;
use looks::{Look, Looks};
use plan::{Board, Plan, Spot};

/// How a game's states are drawn.
#[derive(Clone, Debug)]
pub struct Sketch {
    squares: Squares,
    plans: Vec<Plan>,
}

/// Boards beside and below each other, and how their contents look.
struct Boards<'a> {
    rows: Vec<Vec<Board>>,
    looks: Cow<'a, Looks>,
}

/// Steps of the game that is played to see how facts behave. Only where a machine knows what may
/// ever hold: for others a step may take seconds.
const STEPS: usize = 120;
/// Facts that are looked at.
const MOST_FACTS: usize = 200_000;
/// Different boards in a picture.
const MOST_PLANS: usize = 6;

impl Sketch {
    /// Finds out how to draw the game of a machine, by looking at what may ever hold and at a few
    /// states of a random game, the same each time.
    pub fn of(machine: &impl Machine, hints: &Hints) -> Sketch {
        let possible = machine.possible();
        let steps = if possible.is_some() { STEPS } else { 0 };
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
        let mut all = read(possible.unwrap_or_default());
        let mut states: Vec<Vec<Fact>> = states.iter().map(|state| read(state)).collect();
        let squares = Squares::of(all.iter().chain(states.iter().flatten()));
        for fact in all.iter_mut().chain(states.iter_mut().flatten()) {
            squares.split(fact);
        }
        let known = possible.is_some();
        let mut layers = detect::layers(&all, &states, roles, hints, known);
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
            plan.furnish(&all, &states, roles, known);
        }
        Sketch { squares, plans }
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
        let split = |fact: &Fact| {
            let mut fact = fact.clone();
            self.squares.split(&mut fact);
            fact
        };
        let mut boards = Vec::new();
        for plan in &self.plans {
            let mut frame = plan.frame.clone();
            let mut contents: BTreeMap<Spot, Vec<String>> = BTreeMap::new();
            others.retain(|fact| match plan.spot(&split(fact)) {
                Some((spot, content)) if frame.include(&spot) => {
                    let here = contents.entry(spot).or_default();
                    if *plan.looks.look(&content) != Look::Empty {
                        here.push(content);
                    }
                    false
                }
                _ => true,
            });
            let looks = plan.looks.with(contents.values().flatten());
            boards.push(Boards { rows: plan.draw(&frame, &contents), looks });
        }
        let several = boards.len() > 1;
        for (boards, plan) in boards.iter_mut().zip(&self.plans) {
            if several || plan.is_bare() {
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
