//! What is known of a game beside its goals: what others do while somebody chooses, and which facts persist.
//!
//! Both are proved from the rules where that is easy: by the phases that a game goes through, and by setting a single fact
//! and leaving everything else open. What others do is found by random games where it cannot be proved.

use kibitz_core::Rng;
use rustc_hash::FxHashMap;

use crate::gdl::compile::{Gate, Network, Wire};
use crate::gdl::run::{Machine, Outlook};

/// What another role does while a role has a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It makes always the same move (a noop): the game takes turns.
    Makes(u32),
    /// It may choose as well.
    Chooses,
}

/// What all roles do while others choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// For each role that chooses, what each role does meanwhile.
    pub meanwhile: Vec<Vec<Waiting>>,
    /// Whether it follows from the rules; else it is what was seen in random games.
    pub proved: bool,
}

/// The most steps of random games that are looked at, the fewest, and about how many gates in all of them.
const STEPS: [u64; 3] = [3000, 200, 100_000_000];
/// No random game lasts longer.
const LONGEST: u64 = 400;

impl Waits {
    /// Finds out.
    pub fn of<M: Machine>(machine: &M, phases: &[Network]) -> Waits {
        let roles = machine.roles().len();
        let mut seen = Seen { meanwhile: vec![vec![None; roles]; roles] };
        for network in phases {
            let possible = |role: usize| {
                let moves = (0..).zip(&network.moves[role]);
                moves.filter(|(_, each)| each.legal != Wire::FALSE).map(|(number, _)| number)
            };
            let moves: Vec<Vec<u32>> = (0..roles).map(|role| possible(role).collect()).collect();
            seen.note(|role| &moves[role]);
        }
        // Somebody alone is settled, too.
        if seen.settled() {
            return seen.told(true);
        }
        let mut seen = Seen { meanwhile: vec![vec![None; roles]; roles] };
        let mut rng = Rng::new(0x5EED);
        let (mut outlook, mut told, mut moves) = (Outlook::default(), Vec::new(), vec![0; roles]);
        let [most, fewest, gates] = STEPS;
        let enough = (gates / phases[0].gates.len() as u64).clamp(fewest, most);
        let (mut steps, mut games) = (0, 0);
        while steps < enough && games < enough / 10 {
            games += 1;
            let mut facts = machine.initial();
            for _ in 0..LONGEST {
                machine.outlook(&facts, &mut outlook);
                let stuck = (0..roles).any(|role| outlook.of(role).is_empty());
                if outlook.terminal || outlook.trouble.is_some() || stuck {
                    break;
                }
                seen.note(|role| outlook.of(role));
                for (role, chosen) in moves.iter_mut().enumerate() {
                    let legal = outlook.of(role);
                    *chosen = legal[rng.below(legal.len() as u32) as usize];
                }
                machine.advance(&mut facts, &moves, &mut told);
                steps += 1;
            }
        }
        seen.told(false)
    }

    /// For each role, whether nobody else ever chooses while it does.
    pub fn alone(&self) -> Vec<bool> {
        let waits = |role: usize, other: usize| {
            other == role || matches!(self.meanwhile[role][other], Waiting::Makes(_))
        };
        let roles = self.meanwhile.len();
        (0..roles).map(|role| (0..roles).all(|other| waits(role, other))).collect()
    }
}

struct Seen {
    meanwhile: Vec<Vec<Option<Waiting>>>,
}

impl Seen {
    /// Notes what is legal in a state, or may be in some.
    fn note<'a>(&mut self, legal: impl Fn(usize) -> &'a [u32]) {
        for role in (0..self.meanwhile.len()).filter(|role| legal(*role).len() > 1) {
            for other in (0..self.meanwhile.len()).filter(|other| *other != role) {
                let here = match legal(other) {
                    [only] => Waiting::Makes(*only),
                    _ => Waiting::Chooses,
                };
                let known = self.meanwhile[role][other].get_or_insert(here);
                if *known != here {
                    *known = Waiting::Chooses;
                }
            }
        }
    }

    fn settled(&self) -> bool {
        self.meanwhile.iter().flatten().flatten().all(|waiting| *waiting != Waiting::Chooses)
    }

    fn told(self, proved: bool) -> Waits {
        let each = |all: Vec<Option<Waiting>>| {
            all.into_iter().map(|waiting| waiting.unwrap_or(Waiting::Chooses)).collect()
        };
        Waits { meanwhile: self.meanwhile.into_iter().map(each).collect(), proved }
    }
}

/// Gates behind a fact that are looked at.
const LARGEST: usize = 2000;

/// Whether the rules alone say that a fact which holds (or does not) will hold (or not) after any step.
pub fn persists(network: &Network, fact: u32, holds: bool) -> bool {
    let next = network.latches[fact as usize].next;
    let mut known = FxHashMap::default();
    value(network, next, fact, holds, &mut known) == Some(holds)
}

/// The value of a wire where one fact is known and nothing else is.
fn value(
    network: &Network,
    wire: Wire,
    fact: u32,
    holds: bool,
    known: &mut FxHashMap<usize, Option<bool>>,
) -> Option<bool> {
    let gate = wire.gate();
    let plain = match known.get(&gate) {
        Some(value) => *value,
        // At most as deep as gates are looked at.
        None if known.len() >= LARGEST => None,
        None => {
            known.insert(gate, None);
            let mut of = |wire| value(network, wire, fact, holds, known);
            let value = match network.gates.gate(gate) {
                Gate::Constant => Some(false),
                Gate::Latch(number) => (number == fact).then_some(holds),
                Gate::Input(_) | Gate::Cell(_) | Gate::Extra(_) => None,
                Gate::And(a, b) => match (of(a), of(b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
                Gate::Xor(a, b) => of(a).zip(of(b)).map(|(a, b)| a != b),
            };
            known.insert(gate, value);
            value
        }
    };
    plain.map(|value| value != wire.inverted())
}
