//! Symmetries of the rules: pairs of facts that can be exchanged.
//!
//! Where two facts differ in one argument only, they may mean the same but for their names: that a peg is
//! red, and that it is blue. Exchanging them, and the moves that go with them, then leaves the ground rules as
//! they are. A candidate is completed by refining colours: what stands in the same rules in the same way as
//! something else did before the exchange must be where that goes. That it leaves the rules as they are is
//! then checked, rule by rule.

use kibitz_core::rng::{derive, mix};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::deduce::TermId;
use crate::gdl::ground::Ground;
use crate::gdl::syntax::Symbol;

/// Two facts that can be exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// The facts, by number, the smaller first.
    pub facts: [u32; 2],
    /// For each role and each of its moves: the move that goes with it.
    pub moves: Vec<Vec<u32>>,
}

/// Ground rules as a graph of atoms. A move is one atom, be it legal or made.
pub struct RuleGraph {
    kinds: Vec<Kind>,
    /// Head and conditions, those as twice the atom, and one more if it is negated; sorted.
    rules: Vec<(u32, Vec<u32>)>,
    /// The atoms of the facts now, with what they are called.
    facts: Vec<(u32, TermId)>,
    /// The atoms of each role's moves.
    moves: Vec<Vec<u32>>,
    /// Pairs of facts that may be exchanged for all that their names say, by number.
    pairs: Vec<(u32, u32)>,
}

/// What an atom can be exchanged with: others of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Now(u32),
    Next(u32),
    Move(u32),
    Told(u32),
    /// A score, or the end: nothing else.
    Fixed(u32),
    Other(Symbol, usize),
}

/// Rules beyond which symmetries are not looked for.
const MOST_RULES: usize = 60_000;
/// Pairs that are tried.
const MOST_PAIRS: usize = 500;
/// How often colours are refined.
const ROUNDS: usize = 12;

impl RuleGraph {
    /// The graph of ground rules; none where they are too many.
    pub fn of(ground: &Ground) -> Option<RuleGraph> {
        if ground.len() > MOST_RULES {
            return None;
        }
        let terms = &ground.terms;
        let mut atoms: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut kinds = Vec::new();
        let fact_of: FxHashMap<TermId, u32> =
            ground.fluents.iter().zip(0..).map(|(atom, number)| (terms.args(*atom)[0], number)).collect();
        let role_of =
            |role: TermId| ground.roles.iter().position(|other| *other == role).unwrap_or(0) as u32;
        let mut atom_of = |term: TermId| {
            let (mut term, args) = (term, terms.args(term));
            if terms.name(term) == Symbol::DOES {
                term = terms.find(Symbol::LEGAL, args).unwrap_or(term);
            }
            *atoms.entry(term).or_insert_with(|| {
                kinds.push(match terms.name(term) {
                    Symbol::TRUE => {
                        fact_of.get(&args[0]).map_or(Kind::Fixed(term.0), |fact| Kind::Now(*fact))
                    }
                    Symbol::NEXT => {
                        fact_of.get(&args[0]).map_or(Kind::Fixed(term.0), |fact| Kind::Next(*fact))
                    }
                    Symbol::LEGAL | Symbol::DOES => Kind::Move(role_of(args[0])),
                    Symbol::SEES => Kind::Told(role_of(args[0])),
                    Symbol::GOAL | Symbol::TERMINAL | Symbol::ROLE => Kind::Fixed(term.0),
                    name => Kind::Other(name, args.len()),
                });
                kinds.len() as u32 - 1
            })
        };
        let facts = ground.fluents.iter().map(|atom| (atom_of(*atom), terms.args(*atom)[0])).collect();
        let of_role = |role: &TermId, atom_of: &mut dyn FnMut(TermId) -> u32| {
            let own = ground.legal.iter().filter(|atom| terms.args(**atom)[0] == *role);
            own.map(|atom| atom_of(*atom)).collect()
        };
        let moves = ground.roles.iter().map(|role| of_role(role, &mut atom_of)).collect();
        let mut rules: Vec<(u32, Vec<u32>)> = Vec::with_capacity(ground.len());
        // How a game begins is not what it is like from there on.
        for (head, body) in ground.rules().filter(|(head, _)| terms.name(*head) != Symbol::INIT) {
            let literal = |literal: &crate::gdl::ground::GroundLiteral| {
                2 * atom_of(literal.atom()) + u32::from(literal.negated())
            };
            let mut body: Vec<u32> = body.iter().map(literal).collect();
            body.sort_unstable();
            rules.push((atom_of(head), body));
        }
        rules.sort_unstable();
        rules.dedup();
        let mut graph = RuleGraph { kinds, rules, facts, moves, pairs: Vec::new() };
        graph.pairs = graph.candidates(ground);
        Some(graph)
    }

    /// Pairs of facts that differ in one argument and stand in the rules alike, the first of them.
    fn candidates(&self, ground: &Ground) -> Vec<(u32, u32)> {
        let terms = &ground.terms;
        let plain = self.colours(|kind| match kind {
            Kind::Now(_) => mix(1),
            Kind::Next(_) => mix(2),
            kind => start(kind),
        });
        // Facts that are the same but for one argument, by what is the same.
        type Rest<'a> = (u64, Symbol, usize, &'a [TermId], &'a [TermId]);
        let rests = |(atom, name): &(u32, TermId)| {
            let (colour, args) = (plain[*atom as usize], terms.args(*name));
            let name = terms.name(*name);
            (0..args.len()).map(move |place| (colour, name, place, &args[..place], &args[place + 1..]))
        };
        let mut alike: FxHashMap<Rest, Vec<u32>> = FxHashMap::default();
        for (fact, number) in self.facts.iter().zip(0..) {
            rests(fact).for_each(|rest| alike.entry(rest).or_default().push(number));
        }
        let mut pairs = Vec::new();
        for (fact, a) in self.facts.iter().zip(0..) {
            let mut others: Vec<u32> = Vec::new();
            for rest in rests(fact) {
                let all = alike.get(&rest).map_or(&[][..], Vec::as_slice);
                let later = all.partition_point(|other| *other <= a);
                others.extend(all[later..].iter().take(MOST_PAIRS));
            }
            others.sort_unstable();
            pairs.extend(others.into_iter().map(|b| (a, b)));
            if pairs.len() >= MOST_PAIRS {
                break;
            }
        }
        pairs.truncate(MOST_PAIRS);
        pairs
    }

    /// The exchanges that leave the rules as they are: of those that take each fact to a later one, the first.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let before = self.colours(start);
        let (mut symmetries, mut found) = (Vec::new(), FxHashSet::default());
        for &(a, b) in &self.pairs {
            if found.contains(&a) {
                continue;
            }
            let exchanged = |fact: u32| match fact {
                _ if fact == a => b,
                _ if fact == b => a,
                other => other,
            };
            let after = self.colours(|kind| match kind {
                Kind::Now(fact) => start(Kind::Now(exchanged(fact))),
                Kind::Next(fact) => start(Kind::Next(exchanged(fact))),
                kind => start(kind),
            });
            let to = self.matched(&before, &after).filter(|to| self.is_kept(to, exchanged));
            if let Some(moves) = to.and_then(|to| self.moves_by(&to)) {
                found.insert(a);
                symmetries.push(Symmetry { facts: [a, b], moves });
            }
        }
        symmetries
    }

    /// Colours that tell atoms apart by the rules that they stand in, from those that they begin with.
    fn colours(&self, first: impl Fn(Kind) -> u64) -> Vec<u64> {
        let mut colours: Vec<u64> = self.kinds.iter().map(|kind| first(*kind)).collect();
        let mut different = 0;
        for _ in 0..ROUNDS {
            let mut next: Vec<u64> = colours.iter().map(|colour| mix(*colour)).collect();
            for (head, body) in &self.rules {
                // The order of conditions does not matter.
                let of = |literal: &u32| derive(colours[(literal / 2) as usize], u64::from(literal % 2));
                let all = body.iter().fold(0_u64, |sum, literal| sum.wrapping_add(of(literal)));
                let rule = derive(colours[*head as usize], all);
                let mut add = |atom: u32, place: u64| {
                    let colour = &mut next[atom as usize];
                    *colour = colour.wrapping_add(derive(rule, place));
                };
                add(*head, 2);
                body.iter().for_each(|literal| add(literal / 2, u64::from(literal % 2)));
            }
            colours = next;
            let count = colours.iter().collect::<FxHashSet<_>>().len();
            if count == different {
                break;
            }
            different = count;
        }
        colours
    }

    /// For each atom, the one that has its colour afterwards; those of one colour in their order.
    fn matched(&self, before: &[u64], after: &[u64]) -> Option<Vec<u32>> {
        let sorted = |colours: &[u64]| {
            let mut sorted: Vec<(u64, u32)> = colours.iter().copied().zip(0..).collect();
            sorted.sort_unstable();
            sorted
        };
        let mut to = vec![0; before.len()];
        for ((colour, atom), (other_colour, other)) in sorted(before).into_iter().zip(sorted(after)) {
            if colour != other_colour {
                return None;
            }
            to[atom as usize] = other;
        }
        Some(to)
    }

    /// Whether the rules are the same when every atom is replaced by the one that it goes to.
    fn is_kept(&self, to: &[u32], exchanged: impl Fn(u32) -> u32) -> bool {
        let right_kind = |(from, to): (&Kind, &u32)| match (*from, self.kinds[*to as usize]) {
            (Kind::Now(from), Kind::Now(to)) | (Kind::Next(from), Kind::Next(to)) => exchanged(from) == to,
            (from, to) => from == to,
        };
        if !self.kinds.iter().zip(to).all(right_kind) {
            return false;
        }
        let moved = |(head, body): &(u32, Vec<u32>)| {
            let mut body: Vec<u32> =
                body.iter().map(|literal| 2 * to[(literal / 2) as usize] + literal % 2).collect();
            body.sort_unstable();
            (to[*head as usize], body)
        };
        let mut rules: Vec<(u32, Vec<u32>)> = self.rules.iter().map(moved).collect();
        rules.sort_unstable();
        rules == self.rules
    }

    fn moves_by(&self, to: &[u32]) -> Option<Vec<Vec<u32>>> {
        let of_role = |moves: &Vec<u32>| {
            let number: FxHashMap<u32, u32> = moves.iter().copied().zip(0..).collect();
            moves.iter().map(|atom| number.get(&to[*atom as usize]).copied()).collect()
        };
        self.moves.iter().map(of_role).collect()
    }
}

/// The colour that a kind begins with.
fn start(kind: Kind) -> u64 {
    match kind {
        Kind::Now(fact) => derive(1, fact.into()),
        Kind::Next(fact) => derive(2, fact.into()),
        Kind::Move(role) => derive(3, role.into()),
        Kind::Told(role) => derive(4, role.into()),
        Kind::Fixed(atom) => derive(5, atom.into()),
        Kind::Other(name, arity) => derive(derive(6, name.0.into()), arity as u64),
    }
}
