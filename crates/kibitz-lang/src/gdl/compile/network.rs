//! From ground rules to a network: facts and moves in, legal moves, scores and the next facts out.

use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Gate, Gates, Wire};
use crate::components::components;
use crate::gdl::deduce::TermId;
use crate::gdl::ground::{Ground, GroundLiteral};
use crate::gdl::syntax::Symbol;

/// A ground game as a propositional network.
#[derive(Clone, Debug)]
pub struct Network {
    /// The gates.
    pub gates: Gates,
    /// The facts that may change, each with its term, its first value and its next one.
    pub latches: Vec<Latch>,
    /// For each role, its moves: those that may ever be legal.
    pub moves: Vec<Vec<Move>>,
    /// The game is over.
    pub terminal: Wire,
    /// For each role, its scores, ascending.
    pub goals: Vec<Vec<(TermId, Wire)>>,
    /// For each role, what it may be told.
    pub percepts: Vec<Vec<(TermId, Wire)>>,
    /// Sets of atoms that depend on themselves, what is needed first.
    pub cycles: Vec<Cycle>,
}

/// A fact.
#[derive(Clone, Debug)]
pub struct Latch {
    /// The fact, without `true`.
    pub fact: TermId,
    /// The latch as a wire.
    pub wire: Wire,
    /// Whether it holds at the start.
    pub initial: bool,
    /// Whether it holds after the moves.
    pub next: Wire,
}

/// A move of a role.
#[derive(Clone, Debug)]
pub struct Move {
    /// The move, without the role.
    pub name: TermId,
    /// Whether it may be made.
    pub legal: Wire,
    /// That it is made.
    pub input: Wire,
}

/// Atoms that depend on each other in a circle. Their least solution is found by starting from
/// nothing and going round until nothing changes.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// Each atom's cell and the wire that says whether it follows.
    pub cells: Vec<(Wire, Wire)>,
}

impl Network {
    /// How many gates anything depends on.
    pub fn size(&self) -> usize {
        let legal = self.moves.iter().flatten().map(|each| each.legal);
        let named = self.goals.iter().chain(&self.percepts).flatten().map(|(_, wire)| *wire);
        let next = self.latches.iter().map(|latch| latch.next);
        let mut open: Vec<Wire> = legal.chain(named).chain(next).chain([self.terminal]).collect();
        let mut seen = vec![false; self.gates.len()];
        let mut entered = vec![false; self.cycles.len()];
        let mut size = 0;
        while let Some(wire) = open.pop() {
            if std::mem::replace(&mut seen[wire.gate()], true) {
                continue;
            }
            size += 1;
            match self.gates.gate(wire.gate()) {
                Gate::And(a, b) | Gate::Xor(a, b) => open.extend([a, b]),
                // All cells of a cycle lead to the same: the first is enough.
                Gate::Cell(cycle) if !std::mem::replace(&mut entered[cycle as usize], true) => {
                    open.extend(self.cycles[cycle as usize].cells.iter().map(|(_, wire)| *wire));
                }
                _ => {}
            }
        }
        size
    }
}

/// Compiles ground rules.
pub fn network(ground: &Ground) -> Network {
    let mut builder = Builder::new(ground);
    builder.order();
    builder.finish()
}

struct Builder<'a> {
    ground: &'a Ground,
    gates: Gates,
    /// By atom: its wire, once it is known.
    wires: Vec<Option<Wire>>,
    /// By atom: its rules.
    rules: Vec<Vec<&'a [GroundLiteral]>>,
    /// By `does` atom: what all rules for its legality ask for.
    implied: FxHashMap<TermId, Vec<GroundLiteral>>,
    /// By input gate: the role that moves.
    role_of: FxHashMap<usize, usize>,
    /// By role: all its inputs.
    inputs: Vec<Vec<Wire>>,
    latches: Vec<Latch>,
    moves: Vec<Vec<Move>>,
    cycles: Vec<Cycle>,
}

impl<'a> Builder<'a> {
    fn new(ground: &'a Ground) -> Builder<'a> {
        let terms = &ground.terms;
        let mut rules = vec![Vec::new(); terms.len()];
        for (head, body) in ground.rules() {
            rules[head.index()].push(body);
        }
        let roles = ground.roles.len();
        let mut builder = Builder {
            ground,
            gates: Gates::default(),
            wires: vec![None; terms.len()],
            rules,
            implied: FxHashMap::default(),
            role_of: FxHashMap::default(),
            inputs: vec![Vec::new(); roles],
            latches: Vec::new(),
            moves: vec![Vec::new(); roles],
            cycles: Vec::new(),
        };
        let initial: FxHashSet<TermId> = ground.initial.iter().copied().collect();
        for &atom in &ground.fluents {
            let fact = terms.args(atom)[0];
            let wire = builder.gates.source(Gate::Latch(builder.latches.len() as u32));
            builder.wires[atom.index()] = Some(wire);
            let initial = initial.contains(&fact);
            builder.latches.push(Latch { fact, wire, initial, next: Wire::FALSE });
        }
        let mut number = 0;
        for &atom in &ground.legal {
            let (role, name) = (terms.args(atom)[0], terms.args(atom)[1]);
            let Some(role) = ground.roles.iter().position(|other| *other == role) else { continue };
            let input = builder.gates.source(Gate::Input(number));
            number += 1;
            builder.role_of.insert(input.gate(), role);
            builder.inputs[role].push(input);
            builder.moves[role].push(Move { name, legal: Wire::FALSE, input });
            if let Some(does) = terms.find(Symbol::DOES, terms.args(atom)) {
                builder.wires[does.index()] = Some(input);
                let rules = &builder.rules[atom.index()];
                builder.implied.insert(does, if ground.outside { Vec::new() } else { common(rules) });
            }
        }
        builder
    }

    /// Builds the gates of all atoms, what is needed first.
    fn order(&mut self) {
        let heads: Vec<usize> =
            (0..self.rules.len()).filter(|atom| !self.rules[*atom].is_empty()).collect();
        let place: FxHashMap<usize, usize> =
            heads.iter().enumerate().map(|(place, atom)| (*atom, place)).collect();
        let edges: Vec<Vec<usize>> = heads
            .iter()
            .map(|atom| {
                let bodies = self.rules[*atom].iter().flat_map(|body| body.iter());
                let mut needs: Vec<usize> =
                    bodies.filter_map(|literal| place.get(&literal.atom().index()).copied()).collect();
                needs.sort_unstable();
                needs.dedup();
                needs
            })
            .collect();
        for group in components(&edges) {
            let alone = group.len() == 1 && !edges[group[0]].contains(&group[0]);
            if alone {
                let atom = heads[group[0]];
                // Facts and moves have their wires already.
                if self.wires[atom].is_none() {
                    self.wires[atom] = Some(self.build(atom));
                }
                continue;
            }
            let mut cycle = Cycle::default();
            for member in &group {
                let cell = self.gates.source(Gate::Cell(self.cycles.len() as u32));
                self.wires[heads[*member]] = Some(cell);
                cycle.cells.push((cell, Wire::FALSE));
            }
            for (number, member) in group.iter().enumerate() {
                cycle.cells[number].1 = self.build(heads[*member]);
            }
            self.cycles.push(cycle);
        }
    }

    fn wire(&self, literal: GroundLiteral) -> Wire {
        // What no rule gives is never true.
        let wire = self.wires[literal.atom().index()].unwrap_or(Wire::FALSE);
        if literal.negated() { !wire } else { wire }
    }

    /// The gate of an atom: one of its rules holds.
    fn build(&mut self, atom: usize) -> Wire {
        let rules = std::mem::take(&mut self.rules[atom]);
        let mut alternatives = Vec::new();
        // Rules that differ in the move only have the rest in common.
        let mut by_rest: FxHashMap<Vec<Wire>, usize> = FxHashMap::default();
        let mut groups: Vec<(Vec<Wire>, Vec<Wire>)> = Vec::new();
        for body in &rules {
            let mut moves = body.iter().filter(|literal| self.implied.contains_key(&literal.atom()));
            let only = moves.next().copied().filter(|first| !first.negated() && moves.next().is_none());
            let implied = only.and_then(|literal| self.implied.get(&literal.atom()));
            let kept = |literal: &&GroundLiteral| {
                Some(**literal) != only && !implied.is_some_and(|list| list.contains(literal))
            };
            let mut rest: Vec<Wire> = body.iter().filter(kept).map(|literal| self.wire(*literal)).collect();
            match only {
                None => alternatives.push(self.gates.all(&mut rest)),
                Some(literal) => {
                    rest.sort_unstable();
                    let group = *by_rest.entry(rest.clone()).or_insert_with(|| {
                        groups.push((rest, Vec::new()));
                        groups.len() - 1
                    });
                    groups[group].1.push(self.wire(literal));
                }
            }
        }
        for (mut rest, moves) in groups {
            let moved = self.one_of(moves);
            rest.push(moved);
            alternatives.push(self.gates.all(&mut rest));
        }
        let wire = self.gates.any(&mut alternatives);
        self.rules[atom] = rules;
        wire
    }

    /// One of some moves is made. Each role makes exactly one: where more than half of a role's
    /// moves are listed, that none of the others is made is the same and shorter.
    fn one_of(&mut self, mut moves: Vec<Wire>) -> Wire {
        moves.sort_unstable();
        moves.dedup();
        let mut alternatives = Vec::new();
        for role in 0..self.inputs.len() {
            let of_role = |wire: &&Wire| self.role_of.get(&wire.gate()) == Some(&role);
            let mut listed: Vec<Wire> = moves.iter().filter(of_role).copied().collect();
            if 2 * listed.len() <= self.inputs[role].len() {
                alternatives.append(&mut listed);
            } else {
                let mut others: Vec<Wire> = self.inputs[role]
                    .iter()
                    .filter(|wire| listed.binary_search(wire).is_err())
                    .copied()
                    .collect();
                let other = self.gates.any(&mut others);
                alternatives.push(!other);
            }
        }
        self.gates.any(&mut alternatives)
    }

    fn finish(mut self) -> Network {
        let ground = self.ground;
        let terms = &ground.terms;
        let of = |atom: Option<TermId>, wires: &[Option<Wire>]| {
            atom.and_then(|atom| wires[atom.index()]).unwrap_or(Wire::FALSE)
        };
        for latch in &mut self.latches {
            latch.next = of(terms.find(Symbol::NEXT, &[latch.fact]), &self.wires);
        }
        for (role, moves) in self.moves.iter_mut().enumerate() {
            for each in moves {
                each.legal = of(terms.find(Symbol::LEGAL, &[ground.roles[role], each.name]), &self.wires);
            }
        }
        let by_role = |atoms: &[TermId]| -> Vec<Vec<(TermId, Wire)>> {
            let listed = |role: &TermId| {
                let own = atoms.iter().filter(|atom| terms.args(**atom)[0] == *role);
                own.map(|atom| (terms.args(*atom)[1], of(Some(*atom), &self.wires))).collect()
            };
            ground.roles.iter().map(listed).collect()
        };
        let mut goals = by_role(&ground.goals);
        // The lowest counts, and what is no number goes first, so that it does not pass unseen.
        let rank = |term: TermId| {
            let score = score(ground.symbols.name(terms.name(term)));
            if score.is_nan() { f64::NEG_INFINITY } else { score }
        };
        for own in &mut goals {
            own.sort_by(|(one, _), (other, _)| rank(*one).total_cmp(&rank(*other)));
        }
        Network {
            terminal: of(terms.find(Symbol::TERMINAL, &[]), &self.wires),
            goals,
            percepts: by_role(&ground.percepts),
            gates: self.gates,
            latches: self.latches,
            moves: self.moves,
            cycles: self.cycles,
        }
    }
}

/// What a word is worth as a score; NaN for one that is no finite number.
pub fn score(word: &str) -> f64 {
    word.parse().ok().filter(|score: &f64| score.is_finite()).unwrap_or(f64::NAN)
}

/// The conditions that all bodies have.
fn common(bodies: &[&[GroundLiteral]]) -> Vec<GroundLiteral> {
    let Some((first, others)) = bodies.split_first() else { return Vec::new() };
    first.iter().copied().filter(|literal| others.iter().all(|body| body.contains(literal))).collect()
}
