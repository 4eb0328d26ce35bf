//! Networks made of other networks: some gates become constants or something else, and what follows
//! from that is simplified.

use super::gates::{Gate, Gates, Wire};
use super::network::{Cycle, Latch, Move, Network};

/// A network that is being made of another one, gate by gate.
pub(super) struct Rebuild<'a> {
    old: &'a Network,
    /// The new gates.
    pub gates: Gates,
    /// By old gate: what it has become.
    wires: Vec<Wire>,
    /// The new cycles, in the order in which their first cells were met.
    pub cycles: Vec<Cycle>,
    /// By old cycle: the new one.
    cycle_of: Vec<Option<usize>>,
}

impl<'a> Rebuild<'a> {
    pub fn new(old: &'a Network) -> Rebuild<'a> {
        Rebuild {
            old,
            gates: Gates::default(),
            wires: vec![Wire::FALSE; old.gates.len()],
            cycles: Vec::new(),
            cycle_of: vec![None; old.cycles.len()],
        }
    }

    /// Makes the gates for which `which` holds. `source` says what facts, moves and extras become.
    pub fn run(&mut self, which: impl Fn(usize) -> bool, source: impl Fn(&mut Gates, Gate) -> Wire) {
        for number in (0..self.old.gates.len()).filter(|number| which(*number)) {
            let gate = self.old.gates.gate(number);
            self.wires[number] = match gate {
                Gate::Constant => Wire::FALSE,
                Gate::And(a, b) => {
                    let (a, b) = (self.wire(a), self.wire(b));
                    self.gates.and(a, b)
                }
                Gate::Xor(a, b) => {
                    let (a, b) = (self.wire(a), self.wire(b));
                    self.gates.xor(a, b)
                }
                Gate::Cell(cycle) => {
                    let new = *self.cycle_of[cycle as usize].get_or_insert_with(|| {
                        self.cycles.push(Cycle::default());
                        self.cycles.len() - 1
                    });
                    self.gates.source(Gate::Cell(new as u32))
                }
                Gate::Latch(_) | Gate::Input(_) | Gate::Extra(_) => source(&mut self.gates, gate),
            };
        }
        for (cycle, new) in self.old.cycles.iter().zip(&self.cycle_of) {
            if let Some(new) = new {
                let cells = cycle.cells.iter().map(|(cell, wire)| (self.wire(*cell), self.wire(*wire)));
                self.cycles[*new].cells = cells.collect();
            }
        }
    }

    /// Says what an old gate becomes.
    pub fn set(&mut self, gate: usize, wire: Wire) {
        self.wires[gate] = wire;
    }

    /// The new network.
    pub fn finish(self) -> Network {
        let latches = self.old.latches.iter().map(|latch| Latch {
            fact: latch.fact,
            wire: self.wire(latch.wire),
            initial: latch.initial,
            next: self.wire(latch.next),
        });
        let moves = self.old.moves.iter().map(|moves| {
            let fold = |each: &Move| Move {
                name: each.name,
                legal: self.wire(each.legal),
                input: self.wire(each.input),
            };
            moves.iter().map(fold).collect()
        });
        let named = |lists: &[Vec<_>]| {
            let fold = |list: &Vec<_>| list.iter().map(|(term, wire)| (*term, self.wire(*wire))).collect();
            lists.iter().map(fold).collect()
        };
        Network {
            latches: latches.collect(),
            moves: moves.collect(),
            terminal: self.wire(self.old.terminal),
            goals: named(&self.old.goals),
            percepts: named(&self.old.percepts),
            gates: self.gates,
            cycles: self.cycles,
        }
    }

    /// What an old wire has become.
    pub fn wire(&self, old: Wire) -> Wire {
        let new = self.wires[old.gate()];
        if old.inverted() { !new } else { new }
    }
}

/// By gate: whether it depends on a source for which `is_root` holds.
pub(super) fn depends(network: &Network, is_root: impl Fn(Gate) -> bool) -> Vec<bool> {
    let gates = &network.gates;
    let mut depends = vec![false; gates.len()];
    let mut cycle_depends = vec![false; network.cycles.len()];
    loop {
        for number in 0..gates.len() {
            let gate = gates.gate(number);
            depends[number] = match gate {
                Gate::And(a, b) | Gate::Xor(a, b) => depends[a.gate()] || depends[b.gate()],
                Gate::Cell(cycle) => cycle_depends[cycle as usize] || is_root(gate),
                _ => is_root(gate),
            };
        }
        let mut changed = false;
        for (cycle, known) in network.cycles.iter().zip(&mut cycle_depends) {
            if !*known && cycle.cells.iter().any(|(_, wire)| depends[wire.gate()]) {
                (*known, changed) = (true, true);
            }
        }
        if !changed {
            return depends;
        }
    }
}
