//! From a network to a list of operations on words: one game in each bit.
//!
//! The list has three parts: `view` (what can be said of the facts), `score` (the goals) and `advance`
//! (what the moves lead to: the next facts, in the place of those before). Score may be left out
//! or repeated: it does not touch what view has left. Values live in numbered slots, which are used again when a value is
//! no longer needed; facts, moves, extras and what is read from outside have slots of their own.

use kibitz_wide::{Code, Op, Program};

use super::gates::{Gate, Wire};
use super::network::Network;
use rustc_hash::{FxHashMap, FxHashSet};

/// A slot, and whether the value there is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The slot.
    pub slot: u32,
    /// Whether the value is the opposite of what the slot holds.
    pub inverted: bool,
}

/// What is asked of a network, part by part.
pub struct Wanted<'a> {
    /// What to begin with: of the many orders in which view could be computed, one in which values are
    /// used soon after.
    pub first: Vec<Wire>,
    /// After view.
    pub view: Vec<Wire>,
    /// After score.
    pub score: Vec<Wire>,
    /// After advance, beside the facts' next values.
    pub told: Vec<Wire>,
    /// The network.
    pub network: &'a Network,
    /// How many extras it has.
    pub extras: usize,
}

/// The operations with the places of everything that goes in and out.
#[derive(Clone, Debug)]
pub struct Listing {
    /// View, score, advance, one after the other.
    ops: Vec<Op>,
    /// Where score and where advance begins.
    begins: [usize; 2],
    /// How many slots there are.
    pub slots: usize,
    /// The slots of the facts: 0 up to this.
    pub latches: usize,
    /// A slot that holds false.
    pub never: usize,
    /// For each role the slots of its moves: they follow the facts.
    pub inputs: Vec<std::ops::Range<usize>>,
    /// The slot of the first extra; the others follow.
    pub extras: usize,
    /// Where what was asked for is after view, after score and after advance.
    pub places: [Vec<Place>; 3],
}

impl Listing {
    /// How many operations each part has.
    pub fn sizes(&self) -> [usize; 3] {
        let [score, advance] = self.begins;
        [score, advance - score, self.ops.len() - advance]
    }

    /// The parts as programs.
    pub fn programs(&self) -> [Program; 3] {
        let [score, advance] = self.begins;
        let bounds = [0..score, score..advance, advance..self.ops.len()];
        let parts = bounds.map(|part| {
            // A loop goes back to an operation of its own part.
            let begin = part.start as u32;
            let own = |op: &Op| match op.code {
                Code::Repeat => Op::new(Code::Repeat, op.a - begin, 0, 0),
                _ => *op,
            };
            self.ops[part].iter().map(own).collect::<Vec<Op>>()
        });
        let mut kept = [const { Vec::new() }; 3];
        for (part, kept) in kept.iter_mut().enumerate() {
            *kept = vec![false; self.slots];
            kept[..self.latches].fill(true);
            // What is asked for later may be there already.
            let places = self.places[part..].iter().flatten();
            places.for_each(|place| kept[place.slot as usize] = true);
        }
        // What score and advance find must be there after view.
        for part in &parts[1..] {
            let mut written = vec![false; self.slots];
            for op in part {
                op.reads()
                    .filter(|slot| !written[*slot as usize])
                    .for_each(|slot| kept[0][slot as usize] = true);
                op.writes().into_iter().for_each(|slot| written[slot as usize] = true);
            }
        }
        std::array::from_fn(|part| Program::new(&parts[part], self.slots, &kept[part]))
    }
}

/// Lists the operations that give what is wanted.
pub fn listing(wanted: &Wanted) -> Listing {
    let mut writer = Writer::new(wanted.network);
    writer.need(&wanted.first);
    writer.need(&wanted.view);
    let score = writer.steps.len();
    let known = writer.done.clone();
    writer.need(&wanted.score);
    let advance = writer.steps.len();
    writer.done = known;
    let next = wanted.network.latches.iter().map(|latch| latch.next);
    let next: Vec<Wire> = next.chain(wanted.told.iter().copied()).collect();
    writer.need(&next);
    writer.finish([score, advance], [&wanted.view, &wanted.score, &next], wanted.extras)
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

impl Step {
    /// The gates whose values it uses.
    fn operands(self, network: &Network) -> impl Iterator<Item = usize> {
        let pair = match self {
            Step::Compute(gate) => match network.gates.gate(gate) {
                Gate::And(a, b) | Gate::Xor(a, b) => Some([a.gate(), b.gate()]),
                _ => None,
            },
            Step::Join(cell, wire) => Some([cell, wire.gate()]),
            Step::Clear(_) | Step::Repeat(_) => None,
        };
        pair.into_iter().flatten()
    }
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
            *done = !matches!(network.gates.gate(number), Gate::And(..) | Gate::Xor(..) | Gate::Cell(_));
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
                Gate::And(..) | Gate::Xor(..) if ready => {
                    self.steps.push(Step::Compute(gate));
                    self.done[gate] = true;
                }
                Gate::And(a, b) | Gate::Xor(a, b) => {
                    open.extend([(gate, true), (b.gate(), false), (a.gate(), false)]);
                }
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
        let mut seen = FxHashSet::default();
        for (_, wire) in cells {
            self.compute_outer(wire.gate(), &inner, &mut seen);
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

    /// The gates that depend on a cell of this cycle, among those that its cells need. Only they are looked
    /// at: there may be many cycles, and far more gates.
    fn depends_on(&self, cycle: usize) -> FxHashSet<usize> {
        let network = self.network;
        let mut open: Vec<usize> =
            network.cycles[cycle].cells.iter().map(|(_, wire)| wire.gate()).collect();
        let mut needed = FxHashSet::default();
        while let Some(gate) = open.pop() {
            if !self.done[gate]
                && needed.insert(gate)
                && let Gate::And(a, b) | Gate::Xor(a, b) = network.gates.gate(gate)
            {
                open.extend([a.gate(), b.gate()]);
            }
        }
        // A gate comes after what it is made of, and cells before what is made of them.
        let mut order: Vec<usize> = needed.into_iter().collect();
        order.sort_unstable();
        let mut inner = FxHashSet::default();
        for number in order {
            let depends = match network.gates.gate(number) {
                Gate::Cell(number) => number as usize == cycle,
                Gate::And(a, b) | Gate::Xor(a, b) => inner.contains(&a.gate()) || inner.contains(&b.gate()),
                _ => false,
            };
            if depends {
                inner.insert(number);
            }
        }
        inner
    }

    /// Writes what a gate needs that does not depend on the cells; `seen` are gates that were looked at.
    fn compute_outer(&mut self, gate: usize, inner: &FxHashSet<usize>, seen: &mut FxHashSet<usize>) {
        let mut open = vec![gate];
        while let Some(gate) = open.pop() {
            if self.done[gate] || !seen.insert(gate) {
                continue;
            }
            if !inner.contains(&gate) {
                self.compute(gate, None);
            } else if let Gate::And(a, b) | Gate::Xor(a, b) = self.network.gates.gate(gate) {
                open.extend([a.gate(), b.gate()]);
            }
        }
    }

    /// Gives out slots and makes the list.
    fn finish(self, [score, advance]: [usize; 2], outputs: [&[Wire]; 3], extras: usize) -> Listing {
        let (network, steps) = (self.network, &self.steps);
        let ends = [score, advance, steps.len()];
        let live_ranges = LiveRanges::new(network, steps, ends, outputs);
        let mut layout = Layout::new(network, extras);
        let mut ops = Vec::with_capacity(steps.len());
        let mut op_of = Vec::with_capacity(steps.len()); // by step, for loops
        let mut places: [Vec<Place>; 3] = Default::default();
        let mut begins = [0; 2];
        for number in 0..=steps.len() {
            for (section, end) in ends.iter().enumerate() {
                if *end == number {
                    places[section] = outputs[section].iter().map(|wire| layout.place(*wire)).collect();
                    if section < 2 {
                        begins[section] = ops.len();
                    }
                }
            }
            let Some(step) = steps.get(number) else { break };
            op_of.push(ops.len() as u32);
            match *step {
                Step::Compute(gate) => {
                    let (code, a, b, inverted) = match network.gates.gate(gate) {
                        Gate::And(a, b) => match (layout.place(a), layout.place(b)) {
                            (Place { slot: a, inverted: false }, Place { slot: b, inverted }) => {
                                (if inverted { Code::AndNot } else { Code::And }, a, b, false)
                            }
                            (Place { slot: a, .. }, Place { slot: b, inverted: false }) => {
                                (Code::AndNot, b, a, false)
                            }
                            (Place { slot: a, .. }, Place { slot: b, .. }) => (Code::Or, a, b, true),
                        },
                        Gate::Xor(a, b) => {
                            let (a, b) = (layout.place(a), layout.place(b));
                            (Code::Xor, a.slot, b.slot, a.inverted != b.inverted)
                        }
                        _ => continue,
                    };
                    layout.release(&live_ranges.expiring[number]);
                    let out = layout.take(gate, inverted, |latch| {
                        number >= advance && live_ranges.last_read[latch] <= number
                    });
                    ops.push(Op { code, a, b, out });
                }
                Step::Clear(gate) => {
                    let out = layout.take(gate, false, |_| false);
                    ops.push(Op::new(Code::Zero, out, out, out));
                }
                Step::Join(cell, wire) => {
                    let (from, out) = (layout.place(wire), layout.places[cell].slot);
                    let code = if from.inverted { Code::JoinNot } else { Code::Join };
                    ops.push(Op::new(code, from.slot, from.slot, out));
                    layout.release(&live_ranges.expiring[number]);
                }
                Step::Repeat(first) => {
                    ops.push(Op::new(Code::Repeat, op_of[first], 0, 0));
                    layout.release(&live_ranges.expiring[number]);
                }
            }
        }
        commit(&mut places[2], &mut layout, &mut ops);
        Listing {
            begins,
            slots: layout.count,
            latches: network.latches.len(),
            never: layout.never.slot as usize,
            inputs: layout.inputs,
            extras: layout.extras,
            places,
            ops,
        }
    }
}

/// Puts the facts' next values in the facts' place, where they are not there already.
fn commit(places: &mut [Place], layout: &mut Layout, ops: &mut Vec<Op>) {
    let latches = layout.moved.len();
    let is_own = |own: usize, place: &Place| place.slot as usize == own && !place.inverted;
    // What becomes what a fact was would find it overwritten: it is set aside.
    for (own, place) in places.iter_mut().enumerate() {
        if (place.slot as usize) < latches && !is_own(own, place) && !layout.moved[place.slot as usize] {
            let aside = layout.fresh();
            ops.push(Op::new(Code::Copy, place.slot, place.slot, aside));
            place.slot = aside;
        }
    }
    for (own, place) in places.iter_mut().enumerate().take(latches) {
        if !is_own(own, place) {
            let code = if place.inverted { Code::Not } else { Code::Copy };
            ops.push(Op::new(code, place.slot, place.slot, own as u32));
            *place = Place { slot: own as u32, inverted: false };
        }
    }
}

/// How long each value is needed. A value is known by the step that computes it.
struct LiveRanges {
    /// By step: the gates whose values are not needed after it.
    expiring: Vec<Vec<usize>>,
    /// By latch: the last step that reads it.
    last_read: Vec<usize>,
}

impl LiveRanges {
    fn new(network: &Network, steps: &[Step], ends: [usize; 3], outputs: [&[Wire]; 3]) -> LiveRanges {
        let mut current: Vec<Option<usize>> = vec![None; network.gates.len()];
        let mut last: Vec<usize> = (0..steps.len()).collect();
        let mut gate_of = vec![0; steps.len()];
        let mut kept = vec![false; steps.len()];
        let mut last_read = vec![0; network.latches.len()];
        for number in 0..=steps.len() {
            for (end, wires) in ends.iter().zip(&outputs) {
                if *end == number {
                    let values = wires.iter().filter_map(|wire| current[wire.gate()]);
                    values.for_each(|value| kept[value] = true);
                    for wire in *wires {
                        if let Gate::Latch(latch) = network.gates.gate(wire.gate()) {
                            last_read[latch as usize] = usize::MAX;
                        }
                    }
                }
            }
            let Some(step) = steps.get(number) else { break };
            let mut used = |gate: usize, current: &[Option<usize>]| {
                if let Some(value) = current[gate] {
                    last[value] = number;
                    // What view leaves for the other parts stays.
                    kept[value] |= value < ends[0] && number >= ends[0];
                }
                if let Gate::Latch(latch) = network.gates.gate(gate) {
                    let last = &mut last_read[latch as usize];
                    *last = number.max(*last);
                }
            };
            step.operands(network).for_each(|gate| used(gate, &current));
            match *step {
                Step::Compute(gate) | Step::Clear(gate) => {
                    (current[gate], gate_of[number]) = (Some(number), gate);
                }
                Step::Join(..) => kept[number] = true, // computes no value of its own
                Step::Repeat(begin) => {
                    // What the loop uses is needed in each of its rounds.
                    for gate in steps[begin..number].iter().flat_map(|step| step.operands(network)) {
                        if current[gate].is_none_or(|value| value < begin) {
                            used(gate, &current);
                        }
                    }
                    kept[number] = true;
                }
            }
        }
        let mut expiring = vec![Vec::new(); steps.len()];
        for value in (0..steps.len()).filter(|value| !kept[*value]) {
            expiring[last[value]].push(gate_of[value]);
        }
        LiveRanges { expiring, last_read }
    }
}

/// Which slot each gate's value is in.
struct Layout {
    places: Vec<Place>,
    free: Vec<u32>,
    count: usize,
    inputs: Vec<std::ops::Range<usize>>,
    extras: usize,
    never: Place,
    /// By wire: the fact whose next value it is.
    next_of: FxHashMap<Wire, usize>,
    /// By fact: its slot holds its next value already.
    moved: Vec<bool>,
}

impl Layout {
    fn new(network: &Network, extras: usize) -> Layout {
        let mut count = network.latches.len();
        let mut inputs = Vec::new();
        for moves in &network.moves {
            inputs.push(count..count + moves.len());
            count += moves.len();
        }
        let first_extra = count;
        count += extras;
        let never = Place { slot: count as u32, inverted: false };
        let mut places = vec![never; network.gates.len()];
        for (number, place) in places.iter_mut().enumerate() {
            match network.gates.gate(number) {
                Gate::Latch(latch) => place.slot = latch,
                Gate::Extra(extra) => place.slot = first_extra as u32 + extra,
                _ => {}
            }
        }
        for (each, slot) in network.moves.iter().flatten().zip(network.latches.len()..) {
            // A move that is always or never made has no gate of its own.
            if let Gate::Input(_) = network.gates.gate(each.input.gate()) {
                places[each.input.gate()].slot = slot as u32;
            }
        }
        let moved = vec![false; network.latches.len()];
        let mut next_of = FxHashMap::default();
        for (number, latch) in network.latches.iter().enumerate() {
            next_of.entry(latch.next).or_insert(number);
        }
        Layout {
            places,
            free: Vec::new(),
            count: count + 1,
            inputs,
            extras: first_extra,
            never,
            next_of,
            moved,
        }
    }

    fn place(&self, wire: Wire) -> Place {
        let Place { slot, inverted } = self.places[wire.gate()];
        Place { slot, inverted: inverted != wire.inverted() }
    }

    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count as u32 - 1
    }

    /// A slot for a gate's value. The next value of a fact goes to the fact's own slot, if its present
    /// value is not needed any more.
    fn take(&mut self, gate: usize, inverted: bool, is_free: impl Fn(usize) -> bool) -> u32 {
        let held = if inverted { !Wire::of(gate) } else { Wire::of(gate) };
        let slot = match self.next_of.get(&held).copied().filter(|latch| is_free(*latch)) {
            Some(latch) => {
                self.moved[latch] = true;
                latch as u32
            }
            None => self.free.pop().unwrap_or_else(|| self.fresh()),
        };
        self.places[gate] = Place { slot, inverted };
        slot
    }

    fn release(&mut self, gates: &[usize]) {
        for gate in gates {
            let slot = self.places[*gate].slot;
            if slot as usize >= self.moved.len() {
                self.free.push(slot);
            }
        }
    }
}
