//! A network for each turn.
//!
//! Facts that follow each other in a circle whatever the players do, such as whose turn it is, are
//! known from the number of steps. In a network for one place of the circle they are constants, and
//! so is much that depends on them: a role that only waits has one move, and its others vanish.

use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Gate, Wire};
use super::network::Network;
use super::rebuild::{Rebuild, depends};

/// The longest circle that is worth a network for each place.
const LONGEST: usize = 4;
/// Facts with more gates behind them are not looked at.
const LARGEST: usize = 1000;

/// Networks that follow each other.
#[derive(Clone, Debug)]
pub struct Phases {
    /// At each place of the circle: the facts that are known there, by number.
    known: Vec<Vec<(usize, bool)>>,
    /// At each place: the network.
    pub networks: Vec<Network>,
}

impl Phases {
    /// The place that a state is at.
    #[inline]
    pub fn of(&self, facts: &[u64]) -> usize {
        let holds = |number: usize| facts[number / 64] >> (number % 64) & 1 == 1;
        let fits =
            |known: &Vec<(usize, bool)>| known.iter().all(|(number, value)| holds(*number) == *value);
        // The last needs no look: a state of the game is at one of the places.
        let others = &self.known[..self.known.len() - 1];
        others.iter().position(fits).unwrap_or(others.len())
    }
}

impl Phases {
    /// One network for all states.
    pub fn one(network: &Network) -> Phases {
        Phases { known: vec![Vec::new()], networks: vec![network.clone()] }
    }
}

/// Finds the phases of a game.
pub fn phases(network: &Network) -> Phases {
    let circles = circles(network);
    let length = circles.iter().map(Vec::len).fold(1, lcm);
    let mut known: Vec<Vec<(usize, bool)>> = vec![Vec::new(); length];
    for circle in &circles {
        for (place, known) in known.iter_mut().enumerate() {
            known.extend(circle[place % circle.len()].iter().copied());
        }
    }
    known.iter_mut().for_each(|known| {
        known.sort_unstable();
        known.dedup();
    });
    let networks = known.iter().map(|known| fold(network, known)).collect();
    Phases { known, networks }
}

fn lcm(a: usize, b: usize) -> usize {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}

/// What some facts are at one place of a circle, by the facts' numbers.
type Stand = Vec<(usize, bool)>;

/// Sets of facts that go round in a circle by themselves, each with its places; all together their
/// circle is not too long.
fn circles(network: &Network) -> Vec<Vec<Stand>> {
    let moved = depends(network, |gate| matches!(gate, Gate::Input(_) | Gate::Cell(_)));
    let needs: Vec<Option<Vec<usize>>> = network
        .latches
        .iter()
        .map(|latch| if moved[latch.next.gate()] { None } else { support(network, latch.next) })
        .collect();
    let (mut found, mut length) = (Vec::new(), 1);
    let mut seen = FxHashSet::default();
    let mut hopeless = vec![false; needs.len()];
    for first in 0..needs.len() {
        let Some(set) = closure(first, &needs, &hopeless) else {
            hopeless[first] = true;
            continue;
        };
        if !seen.insert(set.clone()) {
            continue;
        }
        if let Some(circle) = follow(network, &set)
            && lcm(length, circle.len()) <= LONGEST
        {
            length = lcm(length, circle.len());
            found.push(circle);
        }
    }
    found
}

/// The facts that a wire depends on.
fn support(network: &Network, wire: Wire) -> Option<Vec<usize>> {
    let (mut open, mut seen, mut facts) = (vec![wire.gate()], FxHashSet::default(), Vec::new());
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) {
            continue;
        }
        if seen.len() > LARGEST {
            return None;
        }
        match network.gates.gate(gate) {
            Gate::Latch(number) => facts.push(number as usize),
            Gate::And(a, b) | Gate::Xor(a, b) => open.extend([a.gate(), b.gate()]),
            _ => {}
        }
    }
    Some(facts)
}

/// All facts that a fact depends on in the end, sorted; none if moves are among what it depends on, if
/// they are many, or if one of them is known to be hopeless for such a reason.
fn closure(first: usize, needs: &[Option<Vec<usize>>], hopeless: &[bool]) -> Option<Vec<usize>> {
    let (mut set, mut at) = (vec![first], 0);
    let mut known: FxHashSet<usize> = set.iter().copied().collect();
    while let Some(&fact) = set.get(at) {
        at += 1;
        if hopeless[fact] || set.len() > LARGEST {
            return None;
        }
        set.extend(needs[fact].as_ref()?.iter().filter(|need| known.insert(**need)));
    }
    set.sort_unstable();
    Some(set)
}

/// Follows some facts from the start on until they are as they were then.
fn follow(network: &Network, set: &[usize]) -> Option<Vec<Stand>> {
    let first: Stand = set.iter().map(|fact| (*fact, network.latches[*fact].initial)).collect();
    let mut circle = vec![first];
    while circle.len() <= LONGEST {
        let now: FxHashMap<usize, bool> = circle[circle.len() - 1].iter().copied().collect();
        let mut known = FxHashMap::default();
        let next: Stand = set
            .iter()
            .map(|fact| (*fact, evaluate(network, network.latches[*fact].next, &now, &mut known)))
            .collect();
        if next == circle[0] {
            return Some(circle);
        }
        circle.push(next);
    }
    None
}

fn evaluate(
    network: &Network,
    wire: Wire,
    facts: &FxHashMap<usize, bool>,
    known: &mut FxHashMap<usize, bool>,
) -> bool {
    let gate = wire.gate();
    let value = match known.get(&gate) {
        Some(value) => *value,
        None => {
            // At most as deep as there are gates behind a fact: `LARGEST`.
            let value = match network.gates.gate(gate) {
                Gate::Latch(number) => facts.get(&(number as usize)).copied().unwrap_or(false),
                Gate::And(a, b) => evaluate(network, a, facts, known) && evaluate(network, b, facts, known),
                Gate::Xor(a, b) => evaluate(network, a, facts, known) != evaluate(network, b, facts, known),
                _ => false,
            };
            known.insert(gate, value);
            value
        }
    };
    value != wire.inverted()
}

fn constant(value: bool) -> Wire {
    if value { Wire::TRUE } else { Wire::FALSE }
}

/// The network where some facts are known.
fn fold(network: &Network, known: &[(usize, bool)]) -> Network {
    let mut facts = vec![None; network.latches.len()];
    for (number, value) in known {
        facts[*number] = Some(constant(*value));
    }
    let moved = depends(network, |gate| matches!(gate, Gate::Input(_)));
    let mut rebuild = Rebuild::new(network);
    rebuild.run(
        |gate| !moved[gate],
        |gates, gate| match gate {
            Gate::Latch(number) => facts[number as usize].unwrap_or_else(|| gates.source(gate)),
            _ => gates.source(gate),
        },
    );
    // What is never legal is never made; a role's only move, if it is always legal, is always made.
    let mut inputs: FxHashMap<u32, Wire> = FxHashMap::default();
    for moves in &network.moves {
        let possible = moves.iter().filter(|each| rebuild.wire(each.legal) != Wire::FALSE);
        let forced = possible.clone().count() == 1;
        for each in moves {
            let Gate::Input(number) = network.gates.gate(each.input.gate()) else { continue };
            let legal = rebuild.wire(each.legal);
            if legal == Wire::FALSE {
                inputs.insert(number, Wire::FALSE);
            } else if forced && legal == Wire::TRUE {
                inputs.insert(number, Wire::TRUE);
            }
        }
    }
    rebuild.run(
        |gate| moved[gate],
        |gates, gate| match gate {
            Gate::Input(number) => inputs.get(&number).copied().unwrap_or_else(|| gates.source(gate)),
            _ => gates.source(gate),
        },
    );
    rebuild.finish()
}
