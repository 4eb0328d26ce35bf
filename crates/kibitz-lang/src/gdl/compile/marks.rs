//! What follows from a role's move alone: looked up when the move is made, instead of computed.
//!
//! Rules often ask for a part of a move only: that somebody moves to a cell, from anywhere. As gates that
//! is a choice of many moves, computed at every step, although a role makes one move at a time. Here such
//! gates become *marks*, sources of the network that each move sets together with itself.

use rustc_hash::FxHashMap;

use super::gates::{Gate, Gates, Wire};
use super::network::Network;
use super::rebuild::Rebuild;

/// A network with marks in the place of gates that depend on the moves of one role only.
pub struct Marked {
    /// The network; marks are its extras.
    pub network: Network,
    /// How many marks there are.
    pub count: usize,
    /// By move, those of all roles one after the other: the marks that it sets.
    pub marks: Vec<Vec<u32>>,
}

/// Moves that are kept in the sets of all gates together; gates beyond that are computed as before.
const MOST: usize = 8_000_000;

/// What becomes of a gate, by the move that a role makes.
struct Table {
    role: usize,
    /// Its value if the role makes no move, or one that is not among these.
    usual: bool,
    /// The moves that make it the opposite, ascending.
    unusual: Vec<u32>,
}

impl Table {
    /// The table of a gate that is made of two others.
    fn of(role: usize, a: Side, b: Side, gate: impl Fn(bool, bool) -> bool) -> Table {
        let usual = gate(a.usual, b.usual);
        let (mut left, mut right) = (a.unusual.iter().peekable(), b.unusual.iter().peekable());
        let mut unusual = Vec::new();
        while let Some(&&number) = [left.peek(), right.peek()].into_iter().flatten().min() {
            let differs = |side: &mut std::iter::Peekable<std::slice::Iter<u32>>| {
                side.next_if(|next| **next == number).is_some()
            };
            let value = gate(a.usual != differs(&mut left), b.usual != differs(&mut right));
            if value != usual {
                unusual.push(number);
            }
        }
        Table { role, usual, unusual }
    }
}

/// What a gate is made of: a table, or a constant.
#[derive(Clone, Copy)]
struct Side<'a> {
    role: Option<usize>,
    usual: bool,
    unusual: &'a [u32],
}

fn side(tables: &[Option<Table>], wire: Wire) -> Option<Side<'_>> {
    let inverted = wire.inverted();
    if wire.gate() == Wire::FALSE.gate() {
        return Some(Side { role: None, usual: inverted, unusual: &[] });
    }
    let table = tables[wire.gate()].as_ref()?;
    Some(Side { role: Some(table.role), usual: table.usual != inverted, unusual: &table.unusual })
}

/// By gate: its table, where it depends on one role's moves only.
fn tables(network: &Network) -> Vec<Option<Table>> {
    let (gates, mut left) = (&network.gates, MOST);
    let mut role_of: FxHashMap<u32, usize> = FxHashMap::default();
    for (role, moves) in network.moves.iter().enumerate() {
        for each in moves {
            if let Gate::Input(number) = gates.gate(each.input.gate()) {
                role_of.insert(number, role);
            }
        }
    }
    let mut tables: Vec<Option<Table>> = Vec::with_capacity(gates.len());
    for number in 0..gates.len() {
        let found = match gates.gate(number) {
            Gate::Input(input) => {
                role_of.get(&input).map(|role| Table { role: *role, usual: false, unusual: vec![input] })
            }
            gate @ (Gate::And(a, b) | Gate::Xor(a, b)) => match (side(&tables, a), side(&tables, b)) {
                (Some(a), Some(b)) if a.role.is_none() || b.role.is_none() || a.role == b.role => {
                    let table = |role| match gate {
                        Gate::And(..) => Table::of(role, a, b, |a, b| a && b),
                        _ => Table::of(role, a, b, |a, b| a != b),
                    };
                    a.role.or(b.role).map(table)
                }
                _ => None,
            },
            _ => None,
        };
        left = left.saturating_sub(found.as_ref().map_or(0, |table| table.unusual.len()));
        tables.push(found.filter(|_| left > 0));
    }
    tables
}

/// Puts marks into a network.
pub fn marked(network: &Network) -> Marked {
    let tables = tables(network);
    let mut asked = vec![false; network.gates.len()];
    let mut ask = |wire: Wire| asked[wire.gate()] = true;
    for number in (0..tables.len()).filter(|number| tables[*number].is_none()) {
        if let Gate::And(a, b) | Gate::Xor(a, b) = network.gates.gate(number) {
            [a, b].into_iter().for_each(&mut ask);
        }
    }
    network.cycles.iter().flat_map(|cycle| &cycle.cells).for_each(|(_, wire)| ask(*wire));
    network.latches.iter().for_each(|latch| ask(latch.next));
    network.percepts.iter().flatten().for_each(|(_, wire)| ask(*wire));

    let mut rebuild = Rebuild::new(network);
    let is_input = |number: usize| matches!(network.gates.gate(number), Gate::Input(_));
    let keep = |gates: &mut Gates, gate| gates.source(gate);
    rebuild.run(is_input, keep);
    let mut known: FxHashMap<&[u32], Wire> = FxHashMap::default();
    for (number, table) in tables.iter().enumerate() {
        if let (Some(table), true) = (table, is_input(number)) {
            known.insert(&table.unusual, rebuild.wire(Wire::of(number)));
        }
    }
    let mut by_input: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut count = 0;
    for (number, table) in tables.iter().enumerate() {
        let Some(Table { usual, unusual, .. }) = table.as_ref().filter(|_| asked[number]) else { continue };
        let mark = if unusual.is_empty() {
            Wire::FALSE
        } else {
            *known.entry(unusual).or_insert_with(|| {
                unusual.iter().for_each(|input| by_input.entry(*input).or_default().push(count));
                count += 1;
                rebuild.gates.source(Gate::Extra(count - 1))
            })
        };
        rebuild.set(number, if *usual { !mark } else { mark });
    }
    rebuild.run(|number| tables[number].is_none(), keep);
    let marks_of = |input: Wire| match network.gates.gate(input.gate()) {
        Gate::Input(number) => by_input.remove(&number).unwrap_or_default(),
        _ => Vec::new(),
    };
    let marks = network.moves.iter().flatten().map(|each| each.input).map(marks_of).collect();
    Marked { network: rebuild.finish(), count: count as usize, marks }
}
