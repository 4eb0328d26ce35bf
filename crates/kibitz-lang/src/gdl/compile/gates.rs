//! A network of two-input gates in which equal gates are one.
//!
//! There are AND and XOR gates and inversions; inversions are marked on the wires ([`Wire`]), so that
//! an OR is an AND of inverted wires, inverted.

use rustc_hash::FxHashMap;

/// The output of a gate, inverted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(u32);

impl Wire {
    /// Never.
    pub const FALSE: Wire = Wire(0);
    /// Always.
    pub const TRUE: Wire = Wire(1);

    /// The output of a gate, not inverted.
    #[inline]
    pub fn of(gate: usize) -> Wire {
        Wire((gate as u32) << 1)
    }

    /// The gate.
    #[inline]
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the gate's value is inverted.
    #[inline]
    pub fn inverted(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Wire {
    type Output = Wire;

    #[inline]
    fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

/// One gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The constant false.
    Constant,
    /// A fact of the present state, by number.
    Latch(u32),
    /// A move that is made, by number.
    Input(u32),
    /// An atom that depends on itself; by the number of its [`super::Cycle`].
    Cell(u32),
    /// Something else that is put in from outside, by number.
    Extra(u32),
    /// Both.
    And(Wire, Wire),
    /// One of them, but not both. Neither wire is inverted.
    Xor(Wire, Wire),
}

/// All gates, each after those it is made of, but for cells.
#[derive(Clone, Debug)]
pub struct Gates {
    gates: Vec<Gate>,
    known: FxHashMap<(Wire, Wire), Wire>,
    known_xor: FxHashMap<(Wire, Wire), Wire>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates { gates: vec![Gate::Constant], known: FxHashMap::default(), known_xor: FxHashMap::default() }
    }
}

impl Gates {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there is none. Never: the constant is always there.
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty()
    }

    /// A gate.
    #[inline]
    pub fn gate(&self, number: usize) -> Gate {
        self.gates[number]
    }

    /// A new gate that is not made of others.
    pub fn source(&mut self, gate: Gate) -> Wire {
        self.gates.push(gate);
        Wire::of(self.gates.len() - 1)
    }

    /// Both of two wires.
    pub fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Wire::FALSE || a == !b {
            return Wire::FALSE;
        }
        if a == Wire::TRUE || a == b {
            return b;
        }
        // a & (a & c) is the inner gate, a & !(a & c) is a & !c.
        for (outer, inner) in [(a, b), (b, a)] {
            if let Gate::And(left, right) = self.gates[inner.gate()]
                && (left == outer || right == outer)
            {
                let other = if left == outer { right } else { left };
                return if inner.inverted() { self.and(outer, !other) } else { inner };
            }
            if let Gate::And(left, right) = self.gates[inner.gate()]
                && (left == !outer || right == !outer)
            {
                return if inner.inverted() { outer } else { Wire::FALSE };
            }
        }
        if let Some(known) = self.known.get(&(a, b)) {
            return *known;
        }
        self.gates.push(Gate::And(a, b));
        let wire = Wire::of(self.gates.len() - 1);
        self.known.insert((a, b), wire);
        wire
    }

    /// One of two wires, but not both.
    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let inverted = a.inverted() != b.inverted();
        let plain = |wire: Wire| if wire.inverted() { !wire } else { wire };
        let (a, b) = (plain(a.min(b)), plain(a.max(b)));
        let wire = if a == b {
            Wire::FALSE
        } else if a == Wire::FALSE {
            b
        } else if let Some(known) = self.known_xor.get(&(a, b)) {
            *known
        } else {
            let wire = self.source(Gate::Xor(a, b));
            self.known_xor.insert((a, b), wire);
            wire
        };
        if inverted { !wire } else { wire }
    }

    /// Either of two wires.
    pub fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    /// All of some wires.
    pub fn all(&mut self, wires: &mut Vec<Wire>) -> Wire {
        wires.sort_unstable();
        wires.dedup();
        if wires.first() == Some(&Wire::FALSE) || wires.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Wire::FALSE;
        }
        // From the oldest on: gates with the same beginning share it.
        let mut result = Wire::TRUE;
        for wire in wires.iter() {
            result = self.and(result, *wire);
        }
        result
    }

    /// One or more of some wires.
    pub fn any(&mut self, wires: &mut Vec<Wire>) -> Wire {
        wires.iter_mut().for_each(|wire| *wire = !*wire);
        !self.all(wires)
    }
}
