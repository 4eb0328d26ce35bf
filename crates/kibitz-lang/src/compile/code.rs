//! From a network to a list of operations on words: one game in each bit.
//!
//! The list has three parts: `view` (legal moves and the end, from the facts), `score` (the goals)
//! and `advance` (the next facts and what is told, from facts and moves). Score may be left out: advance
//! uses nothing of it. Values live in numbered slots, which are used again when a value is no longer
//! needed; facts, moves and what is read from outside have slots of their own.

use kibitz_wide::{Code, Op};

use super::gates::{Gate, Wire};
use super::network::Network;

/// A slot, and whether the value there is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The slot.
    pub slot: u32,
    /// Whether the value is the opposite of what the slot holds.
    pub inverted: bool,
}

/// The operations with the places of everything that goes in and out.
#[derive(Clone, Debug)]
pub struct Listing {
    /// View, score, advance, one after the other.
    pub ops: Vec<Op>,
    /// Where score begins.
    pub score: usize,
    /// Where advance begins.
    pub advance: usize,
    /// How many slots there are.
    pub slots: usize,
    /// The slots of the facts: 0 up to this.
    pub latches: usize,
    /// A slot that holds false.
    pub never: usize,
    /// For each role the slots of its moves: they follow the facts.
    pub inputs: Vec<std::ops::Range<usize>>,
    /// After view: for each role, whether each move is legal.
    pub legal: Vec<Vec<Place>>,
    /// After view: whether it is over.
    pub terminal: Place,
    /// After score: for each role, whether it has each score.
    pub goals: Vec<Vec<Place>>,
    /// After advance: for each role, whether it is told each percept.
    pub percepts: Vec<Vec<Place>>,
    /// After advance: the facts' next values.
    pub next: Vec<Place>,
}

/// Lists the operations of a network.
pub fn listing(network: &Network) -> Listing {
    let mut writer = Writer::new(network);
    let legal: Vec<Wire> =
        network.moves.iter().flatten().map(|each| each.legal).chain([network.terminal]).collect();
    let goals: Vec<Wire> = network.goals.iter().flatten().map(|(_, wire)| *wire).collect();
    let told = network.percepts.iter().flatten().map(|(_, wire)| *wire);
    let next: Vec<Wire> = network.latches.iter().map(|latch| latch.next).chain(told).collect();
    writer.need(&legal);
    let score = writer.steps.len();
    let known = writer.done.clone();
    writer.need(&goals);
    let advance = writer.steps.len();
    writer.done = known;
    writer.need(&next);
    writer.finish(score, advance, [&legal, &goals, &next])
}

/// An operation on gates, before slots are given out.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Computes a gate.
    Compute(usize),
    /// Empties a cell.
    Clear(usize),
    /// Adds a wire's value to a cell.
    Join(usize, Wire),
    /// Back to the step of this number.
    Repeat(usize),
}

struct Writer<'a> {
    network: &'a Network,
    steps: Vec<Step>,
    /// By gate: it is computed already.
    done: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn new(network: &'a Network) -> Writer<'a> {
        let mut done = vec![false; network.gates.len()];
        for (number, done) in done.iter_mut().enumerate() {
            *done = !matches!(network.gates.gate(number), Gate::And(..) | Gate::Cell(_));
        }
        Writer { network, steps: Vec::new(), done }
    }

    /// Writes what computes some wires.
    fn need(&mut self, wires: &[Wire]) {
        for wire in wires {
            self.compute(wire.gate(), None);
        }
    }

    /// Writes what computes a gate; inside a cycle, `inside` is its number and its cells count as known.
    fn compute(&mut self, gate: usize, inside: Option<usize>) {
        let mut open = vec![(gate, false)];
        while let Some((gate, ready)) = open.pop() {
            if self.done[gate] {
                continue;
            }
            match self.network.gates.gate(gate) {
                Gate::And(..) if ready => {
                    self.steps.push(Step::Compute(gate));
                    self.done[gate] = true;
                }
                Gate::And(a, b) => open.extend([(gate, true), (b.gate(), false), (a.gate(), false)]),
                Gate::Cell(number) => {
                    let cycle = number as usize;
                    if inside != Some(cycle) {
                        self.solve(cycle);
                    }
                }
                _ => {}
            }
        }
    }

    /// Writes the loop that solves a cycle.
    fn solve(&mut self, cycle: usize) {
        let cells = &self.network.cycles[cycle].cells;
        // What does not depend on the cells is computed once, before the loop.
        let inner = self.depends_on(cycle);
        for (_, wire) in cells {
            self.compute_outer(wire.gate(), &inner);
        }
        for (cell, _) in cells {
            self.done[cell.gate()] = true;
            self.steps.push(Step::Clear(cell.gate()));
        }
        let begin = self.steps.len();
        for (cell, wire) in cells {
            self.compute(wire.gate(), Some(cycle));
            self.steps.push(Step::Join(cell.gate(), *wire));
        }
        self.steps.push(Step::Repeat(begin));
        // The last round has left all gates of the loop with their final values.
    }

    /// By gate: whether it depends on a cell of this cycle, as far as its cells need it.
    fn depends_on(&self, cycle: usize) -> Vec<bool> {
        let gates = &self.network.gates;
        let mut inner = vec![false; gates.len()];
        // A gate comes after what it is made of, and cells before what is made of them.
        for number in 0..gates.len() {
            inner[number] = match gates.gate(number) {
                Gate::Cell(number) => number as usize == cycle,
                Gate::And(a, b) => inner[a.gate()] || inner[b.gate()],
                _ => false,
            };
        }
        inner
    }

    fn compute_outer(&mut self, gate: usize, inner: &[bool]) {
        let mut open = vec![gate];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(gate) = open.pop() {
            if self.done[gate] || !seen.insert(gate) {
                continue;
            }
            if !inner[gate] {
                self.compute(gate, None);
            } else if let Gate::And(a, b) = self.network.gates.gate(gate) {
                open.extend([a.gate(), b.gate()]);
            }
        }
    }

    /// Gives out slots and makes the list.
    fn finish(self, score: usize, advance: usize, outputs: [&[Wire]; 3]) -> Listing {
        let (network, steps) = (self.network, &self.steps);
        let ends = [score, advance, steps.len()];
        let lives = Lives::new(network, steps, ends, outputs);
        let mut layout = Layout::new(network);
        let mut ops = Vec::with_capacity(steps.len());
        let mut op_of = Vec::with_capacity(steps.len()); // by step, for loops
        let mut places: [Vec<Place>; 3] = Default::default();
        let mut begin = [0; 2];
        for number in 0..=steps.len() {
            for (section, end) in ends.iter().enumerate() {
                if *end == number {
                    places[section] = outputs[section].iter().map(|wire| layout.place(*wire)).collect();
                    if section < 2 {
                        begin[section] = ops.len();
                    }
                }
            }
            let Some(step) = steps.get(number) else { break };
            op_of.push(ops.len() as u32);
            match *step {
                Step::Compute(gate) => {
                    let Gate::And(a, b) = network.gates.gate(gate) else { continue };
                    let (a, b) = (layout.place(a), layout.place(b));
                    layout.release(&lives.expiring[number]);
                    let (code, a, b, inverted) = match (a.inverted, b.inverted) {
                        (false, false) => (Code::And, a.slot, b.slot, false),
                        (false, true) => (Code::AndNot, a.slot, b.slot, false),
                        (true, false) => (Code::AndNot, b.slot, a.slot, false),
                        (true, true) => (Code::Or, a.slot, b.slot, true),
                    };
                    let out = layout.take(gate, inverted);
                    ops.push(Op { code, a, b, out });
                }
                Step::Clear(gate) => {
                    let out = layout.take(gate, false);
                    ops.push(Op { code: Code::Zero, a: 0, b: 0, out });
                }
                Step::Join(cell, wire) => {
                    let (from, out) = (layout.place(wire), layout.places[cell].slot);
                    let code = if from.inverted { Code::JoinNot } else { Code::Join };
                    ops.push(Op { code, a: from.slot, b: 0, out });
                    layout.release(&lives.expiring[number]);
                }
                Step::Repeat(first) => {
                    ops.push(Op { code: Code::Repeat, a: op_of[first], b: 0, out: 0 });
                    layout.release(&lives.expiring[number]);
                }
            }
        }
        let [legal, goals, mut next] = places;
        // A fact that becomes what another fact was would find it overwritten: it is set aside.
        let latches = network.latches.len();
        for (own, place) in next.iter_mut().enumerate().take(latches) {
            let is_own = place.slot as usize == own && !place.inverted;
            if (place.slot as usize) < latches && !is_own {
                let code = if place.inverted { Code::Not } else { Code::Copy };
                let out = layout.fresh();
                ops.push(Op { code, a: place.slot, b: place.slot, out });
                *place = Place { slot: out, inverted: false };
            }
        }
        let told = next.split_off(latches);
        let terminal = legal.last().copied().unwrap_or(layout.never);
        Listing {
            score: begin[0],
            advance: begin[1],
            slots: layout.count,
            latches,
            never: layout.never.slot as usize,
            inputs: layout.inputs,
            legal: nested(network.moves.iter().map(Vec::len), &legal),
            terminal,
            goals: nested(network.goals.iter().map(Vec::len), &goals),
            percepts: nested(network.percepts.iter().map(Vec::len), &told),
            next,
            ops,
        }
    }
}

/// A flat list as lists of the given lengths.
fn nested(counts: impl Iterator<Item = usize>, flat: &[Place]) -> Vec<Vec<Place>> {
    let mut flat = flat.iter().copied();
    counts.map(|count| flat.by_ref().take(count).collect()).collect()
}

/// How long each value is needed. A value is known by the step that computes it.
struct Lives {
    /// By step: the gates whose values are not needed after it.
    expiring: Vec<Vec<usize>>,
}

impl Lives {
    fn new(network: &Network, steps: &[Step], ends: [usize; 3], outputs: [&[Wire]; 3]) -> Lives {
        let mut current: Vec<Option<usize>> = vec![None; network.gates.len()];
        let mut last: Vec<usize> = (0..steps.len()).collect();
        let mut gate_of = vec![0; steps.len()];
        let mut kept = vec![false; steps.len()];
        for number in 0..=steps.len() {
            for (end, wires) in ends.iter().zip(outputs) {
                if *end == number {
                    let values = wires.iter().filter_map(|wire| current[wire.gate()]);
                    values.for_each(|value| kept[value] = true);
                }
            }
            let Some(step) = steps.get(number) else { break };
            let mut used = |gate: usize, current: &[Option<usize>]| {
                if let Some(value) = current[gate] {
                    last[value] = number;
                }
            };
            match *step {
                Step::Compute(gate) => {
                    if let Gate::And(a, b) = network.gates.gate(gate) {
                        used(a.gate(), &current);
                        used(b.gate(), &current);
                    }
                    (current[gate], gate_of[number]) = (Some(number), gate);
                }
                Step::Clear(gate) => (current[gate], gate_of[number]) = (Some(number), gate),
                Step::Join(cell, wire) => {
                    used(cell, &current);
                    used(wire.gate(), &current);
                    kept[number] = true; // computes no value of its own
                }
                Step::Repeat(begin) => {
                    // What the loop uses is needed in each of its rounds.
                    last[..begin].iter_mut().filter(|last| **last >= begin).for_each(|last| *last = number);
                    kept[number] = true;
                }
            }
        }
        let mut expiring = vec![Vec::new(); steps.len()];
        for value in (0..steps.len()).filter(|value| !kept[*value]) {
            expiring[last[value]].push(gate_of[value]);
        }
        Lives { expiring }
    }
}

/// Which slot each gate's value is in.
struct Layout {
    places: Vec<Place>,
    free: Vec<u32>,
    count: usize,
    inputs: Vec<std::ops::Range<usize>>,
    never: Place,
}

impl Layout {
    fn new(network: &Network) -> Layout {
        let mut count = network.latches.len();
        let mut inputs = Vec::new();
        for moves in &network.moves {
            inputs.push(count..count + moves.len());
            count += moves.len();
        }
        let never = Place { slot: count as u32, inverted: false };
        let mut places = vec![never; network.gates.len()];
        for (number, latch) in network.latches.iter().enumerate() {
            places[latch.wire.gate()].slot = number as u32;
        }
        for (moves, slots) in network.moves.iter().zip(&inputs) {
            for (each, slot) in moves.iter().zip(slots.clone()) {
                places[each.input.gate()].slot = slot as u32;
            }
        }
        Layout { places, free: Vec::new(), count: count + 1, inputs, never }
    }

    fn place(&self, wire: Wire) -> Place {
        let Place { slot, inverted } = self.places[wire.gate()];
        Place { slot, inverted: inverted != wire.inverted() }
    }

    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count as u32 - 1
    }

    fn take(&mut self, gate: usize, inverted: bool) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| self.fresh());
        self.places[gate] = Place { slot, inverted };
        slot
    }

    fn release(&mut self, gates: &[usize]) {
        self.free.extend(gates.iter().map(|gate| self.places[*gate].slot));
    }
}
