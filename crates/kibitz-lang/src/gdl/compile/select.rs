//! Uniformly random legal moves without leaving the lanes.
//!
//! A binary search tree over a role's moves, one move in each node, holds bit by bit for all lanes
//! how many of the moves below are legal. With a number below the count at the root, drawn for
//! each lane outside, the tree is descended: the node's own move if it is legal and the number is 0,
//! else, with the number less that move, to the left if it is smaller than the count there, and to
//! the right with the rest. A lane is at one node of each level: what is compared is collected from
//! all nodes of a level first and compared once.

use super::gates::{Gate, Gates, Wire};
use super::network::{Move, Network};
use super::rebuild::{Rebuild, depends};

/// A network in which the moves are chosen inside.
pub struct Chosen {
    /// With `next` after the chosen moves; nothing depends on moves that are put in.
    pub network: Network,
    /// For each role: its choice, if it ever has one.
    pub choices: Vec<Option<Choice>>,
    /// For each move of each role: whether it is made.
    pub made: Vec<Vec<Wire>>,
    /// How many extras there are: [`LIVE`], and the bits of the numbers.
    pub extras: usize,
}

/// A role's choice.
pub struct Choice {
    /// How many legal moves there are, the lowest bit first.
    pub count: Vec<Wire>,
    /// The counts of all parts of the tree, in an order in which each is needed soon after.
    pub order: Vec<Wire>,
    /// The extras that hold the number to choose with, as many bits.
    pub number: std::ops::Range<usize>,
    /// By move: its place in the order in which numbers stand for legal moves. (Moves that are made
    /// always or never have none that matters.)
    pub ranks: Vec<u32>,
}

/// The extra that says in which lanes a game is going on.
pub const LIVE: u32 = 0;

/// Makes the choice of moves part of a network. Only facts that matter are kept up. If `keeps`, lanes
/// that are not live keep their facts.
pub fn chosen(network: &Network, matters: &[bool], keeps: bool) -> Chosen {
    let moved = depends(network, |gate| matches!(gate, Gate::Input(_)));
    let mut rebuild = Rebuild::new(network);
    rebuild.run(|gate| !moved[gate], |gates, gate| gates.source(gate));
    let mut extras = LIVE as usize + 1;
    let mut choices = Vec::new();
    let mut inputs = vec![Wire::FALSE; network.moves.iter().map(Vec::len).sum()];
    for moves in &network.moves {
        let (mut open, mut which) = (Vec::new(), Vec::new());
        for (number, each) in moves.iter().enumerate() {
            // The others are made always or never.
            if let Gate::Input(input) = network.gates.gate(each.input.gate()) {
                open.push((input as usize, rebuild.wire(each.legal)));
                which.push(number);
            }
        }
        if open.is_empty() {
            choices.push(None);
            continue;
        }
        let legal: Vec<Wire> = open.iter().map(|(_, legal)| *legal).collect();
        let gates = &mut rebuild.gates;
        let tree = Tree::new(gates, &legal);
        let count = tree.levels[tree.levels.len() - 1][0].count.clone();
        let number = extras..extras + count.len();
        extras = number.end;
        let bits: Vec<Wire> = number.clone().map(|bit| gates.source(Gate::Extra(bit as u32))).collect();
        for ((input, _), made) in open.iter().zip(tree.descend(gates, bits)) {
            inputs[*input] = made;
        }
        let mut ranks = vec![0; moves.len()];
        for (number, rank) in which.iter().zip(preorder(which.len())) {
            ranks[*number] = rank;
        }
        choices.push(Some(Choice { count, order: tree.counts(), number, ranks }));
    }
    rebuild.run(
        |gate| moved[gate],
        |gates, gate| match gate {
            Gate::Input(number) => inputs[number as usize],
            _ => gates.source(gate),
        },
    );
    let mut result = network.clone();
    let live = rebuild.gates.source(Gate::Extra(LIVE));
    for (number, (latch, matters)) in result.latches.iter_mut().zip(matters).enumerate() {
        let now = rebuild.wire(latch.wire);
        latch.next = match (*matters, keeps) {
            (false, _) => rebuild.gates.source(Gate::Latch(number as u32)),
            (true, false) => rebuild.wire(latch.next),
            (true, true) => {
                let next = rebuild.wire(latch.next);
                let gates = &mut rebuild.gates;
                let (new, old) = (gates.and(live, next), gates.and(now, !live));
                gates.or(new, old)
            }
        };
        latch.wire = now;
    }
    result.terminal = rebuild.wire(network.terminal);
    for (_, goal) in result.goals.iter_mut().flatten() {
        *goal = rebuild.wire(*goal);
    }
    let wires = |moves: &Vec<Move>| moves.iter().map(|each| rebuild.wire(each.input)).collect();
    let made = network.moves.iter().map(wires).collect();
    for each in result.moves.iter_mut().flatten() {
        (each.legal, each.input) = (rebuild.wire(each.legal), Wire::FALSE);
    }
    result.percepts.iter_mut().for_each(Vec::clear);
    (result.gates, result.cycles) = (rebuild.gates, rebuild.cycles);
    Chosen { network: result, choices, made, extras }
}

/// For each place of a tree of so many, the root first and the children of n at 2n + 1 and 2n + 2: how many
/// come before it when a node comes before its left part, and that before its right part.
fn preorder(count: usize) -> Vec<u32> {
    let (mut ranks, mut next) = (vec![0; count], 0);
    let mut open = vec![0];
    while let Some(place) = open.pop() {
        if place < count {
            ranks[place] = next;
            next += 1;
            open.extend([2 * place + 2, 2 * place + 1]);
        }
    }
    ranks
}

/// By fact: whether legal moves, the end or the scores ever depend on it, in any of the phases; or what is told,
/// if that counts.
pub fn influence(phases: &[Network], told: bool) -> Vec<bool> {
    let latches = phases.first().map_or(0, |network| network.latches.len());
    let mut matters = vec![false; latches];
    let mut seen: Vec<Vec<bool>> = phases.iter().map(|network| vec![false; network.gates.len()]).collect();
    let mut entered: Vec<Vec<bool>> =
        phases.iter().map(|network| vec![false; network.cycles.len()]).collect();
    let mut open: Vec<(usize, Wire)> = Vec::new(); // by phase
    for (phase, network) in phases.iter().enumerate() {
        let legal = network.moves.iter().flatten().map(|each| each.legal);
        let goals = network.goals.iter().flatten().map(|(_, wire)| *wire);
        let percepts = network.percepts.iter().flatten().map(|(_, wire)| *wire).filter(|_| told);
        let all = legal.chain(goals).chain(percepts).chain([network.terminal]);
        open.extend(all.map(|wire| (phase, wire)));
    }
    while let Some((phase, wire)) = open.pop() {
        if std::mem::replace(&mut seen[phase][wire.gate()], true) {
            continue;
        }
        match phases[phase].gates.gate(wire.gate()) {
            Gate::And(a, b) | Gate::Xor(a, b) => open.extend([(phase, a), (phase, b)]),
            // All cells of a cycle lead to the same: the first is enough.
            Gate::Cell(cycle) if !std::mem::replace(&mut entered[phase][cycle as usize], true) => {
                open.extend(
                    phases[phase].cycles[cycle as usize].cells.iter().map(|(_, wire)| (phase, *wire)),
                );
            }
            Gate::Latch(number) if !matters[number as usize] => {
                matters[number as usize] = true;
                // What it is now was decided in the phase before.
                let next = phases.iter().map(|network| network.latches[number as usize].next);
                open.extend(next.enumerate());
            }
            Gate::Latch(_) | Gate::Cell(_) | Gate::Constant | Gate::Input(_) | Gate::Extra(_) => {}
        }
    }
    matters
}

/// A node: its own move, and the moves below, its own included.
#[derive(Clone)]
struct Node {
    own: Wire,
    count: Vec<Wire>,
}

/// The tree: levels of nodes, the leaves first. The children of node n are 2n and 2n + 1 of the
/// level below.
struct Tree {
    levels: Vec<Vec<Node>>,
    /// How many moves there are.
    moves: usize,
}

impl Tree {
    fn new(gates: &mut Gates, legal: &[Wire]) -> Tree {
        // The root has the first move, the two nodes below it the next two, and so on; what is
        // missing among the leaves is never legal, and vanishes.
        let height = usize::BITS - legal.len().leading_zeros();
        let mut levels: Vec<Vec<Node>> = Vec::new();
        for depth in (0..height).rev() {
            let first = (1_usize << depth) - 1;
            let own = (first..=2 * first).map(|place| legal.get(place).copied().unwrap_or(Wire::FALSE));
            let nodes = match levels.last() {
                None => own.map(|own| Node { own, count: vec![own] }).collect(),
                Some(below) => own
                    .zip(below.chunks(2))
                    .map(|(own, pair)| Node { own, count: sum(gates, &pair[0].count, &pair[1].count, own) })
                    .collect(),
            };
            levels.push(nodes);
        }
        Tree { levels, moves: legal.len() }
    }

    /// All counts, those of a node's children just before its own.
    fn counts(&self) -> Vec<Wire> {
        let (mut counts, mut open) = (Vec::new(), vec![(self.levels.len() - 1, 0, false)]);
        while let Some((level, node, ready)) = open.pop() {
            if ready || level == 0 {
                counts.extend(&self.levels[level][node].count);
            } else {
                open.extend([
                    (level, node, true),
                    (level - 1, 2 * node + 1, false),
                    (level - 1, 2 * node, false),
                ]);
            }
        }
        counts
    }

    /// For each move: whether it is the one that the number leads to.
    fn descend(&self, gates: &mut Gates, mut number: Vec<Wire>) -> Vec<Wire> {
        let mut made = Vec::new();
        let mut here = vec![Wire::TRUE];
        for level in (1..self.levels.len()).rev() {
            let nodes = &self.levels[level];
            let own: Vec<Wire> =
                nodes.iter().zip(&here).map(|(node, here)| gates.and(*here, node.own)).collect();
            let any_own = gates.any(&mut own.clone());
            let left: Vec<Wire> = (0..level)
                .map(|bit| {
                    let children = self.levels[level - 1].iter().step_by(2);
                    let mut counts: Vec<Wire> =
                        children.zip(&here).map(|(left, here)| gates.and(*here, left.count[bit])).collect();
                    gates.any(&mut counts)
                })
                .collect();
            let not_zero = gates.any(&mut number.clone());
            let take = gates.and(any_own, !not_zero);
            let number_less = decrement(gates, &number, any_own);
            let (rest, smaller) = difference(gates, &number_less, &left);
            number = (0..level)
                .map(|bit| {
                    let (low, high) =
                        (gates.and(smaller, number_less[bit]), gates.and(!smaller, rest[bit]));
                    gates.or(low, high)
                })
                .collect();
            let (to_left, to_right) = (gates.and(smaller, !take), gates.and(!smaller, !take));
            made.extend(own.iter().map(|own| gates.and(*own, take)));
            here = here
                .iter()
                .flat_map(|here| [gates.and(*here, to_left), gates.and(*here, to_right)])
                .collect();
        }
        made.extend(here);
        made.truncate(self.moves);
        made
    }
}

/// The sum of two numbers of the same length and one bit, one bit longer.
fn sum(gates: &mut Gates, a: &[Wire], b: &[Wire], mut carry: Wire) -> Vec<Wire> {
    let mut bits = Vec::with_capacity(a.len() + 1);
    for (a, b) in a.iter().zip(b) {
        let half = gates.xor(*a, *b);
        bits.push(gates.xor(half, carry));
        let (both, third) = (gates.and(*a, *b), gates.and(half, carry));
        carry = gates.or(both, third);
    }
    bits.push(carry);
    bits
}

/// A number less one bit.
fn decrement(gates: &mut Gates, number: &[Wire], mut borrow: Wire) -> Vec<Wire> {
    let step = |bit: &Wire| {
        let result = gates.xor(*bit, borrow);
        borrow = gates.and(!*bit, borrow);
        result
    };
    number.iter().map(step).collect()
}

/// A number less another, and whether it is the smaller one.
fn difference(gates: &mut Gates, number: &[Wire], other: &[Wire]) -> (Vec<Wire>, Wire) {
    let mut borrow = Wire::FALSE;
    let mut bits = Vec::with_capacity(number.len());
    for (place, a) in number.iter().enumerate() {
        let b = other.get(place).copied().unwrap_or(Wire::FALSE);
        let differ = gates.xor(*a, b);
        bits.push(gates.xor(differ, borrow));
        let (from_b, from_borrow) = (gates.and(!*a, b), gates.and(!differ, borrow));
        borrow = gates.or(from_b, from_borrow);
    }
    (bits, borrow)
}
