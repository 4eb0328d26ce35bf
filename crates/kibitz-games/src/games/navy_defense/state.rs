//! A world of Navy Defense, and what is told of it.

use kibitz_core::game::Observation;
use kibitz_core::rng::derive;

use super::chart::{Chart, GONE};

/// The most cargo ships, and the most submarines.
pub const MOST: usize = 8;
/// In place of an order, or of a ship that is hunted.
pub const NONE: u8 = u8::MAX;
/// Every vessel can take as much damage.
pub const HEALTH: u8 = 2;

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Chance places the Navy ship,
    Navy,
    /// the cargo ships, one after the other,
    Cargo,
    /// says how many submarines there are,
    Count,
    /// and where each is.
    Submarines,
    /// The Navy ship's turn.
    Act,
    /// This submarine picks a ship to hunt.
    Target(u8),
    /// This submarine chooses among equally good orders.
    Order(u8),
    Over,
}

/// A cargo ship; GONE once it is destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cargo {
    pub at: u8,
    pub clockwise: bool,
    pub health: u8,
}

/// A submarine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Submarine {
    pub at: u8,
    pub health: u8,
    /// The cargo ship that it hunts, where submarines stick to one.
    pub target: u8,
    /// What it is about to do.
    pub order: u8,
}

/// The whole truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    pub phase: Phase,
    pub step: u16,
    pub navy: u8,
    pub navy_health: u8,
    /// Vessels placed so far.
    pub placed: u8,
    pub cargo: [Cargo; MOST],
    pub submarines: [Submarine; MOST],
    pub count: u8,
    /// Columns and rows of the board.
    pub size: u8,
    pub seen: u64,
}

impl State {
    /// Nothing is placed yet.
    pub fn empty(size: u8, seen: u64) -> State {
        State {
            phase: Phase::Navy,
            step: 0,
            navy: GONE,
            navy_health: HEALTH,
            placed: 0,
            cargo: [Cargo { at: GONE, clockwise: false, health: HEALTH }; MOST],
            submarines: [Submarine { at: GONE, health: 0, target: NONE, order: NONE }; MOST],
            count: 0,
            size,
            seen,
        }
    }

    /// The submarines, in the order of their creation.
    #[inline]
    pub fn submarines(&self) -> &[Submarine] {
        &self.submarines[..usize::from(self.count)]
    }

    /// Equal for worlds with the same future. Submarines that differ by nothing but the order of their creation are
    /// interchangeable: all decide before any acts, and what each does then adds up.
    pub fn hash(&self) -> u64 {
        let phase = match self.phase {
            Phase::Navy => 0,
            Phase::Cargo => 1,
            Phase::Count => 2,
            Phase::Submarines => 3,
            Phase::Act => 4,
            Phase::Over => 5,
            Phase::Target(number) => 16 + u64::from(number),
            Phase::Order(number) => 32 + u64::from(number),
        };
        let mut hash = derive(
            phase | u64::from(self.step) << 8 | u64::from(self.placed) << 24,
            u64::from(self.navy) | u64::from(self.navy_health) << 8 | u64::from(self.count) << 16,
        );
        for ship in &self.cargo {
            if ship.health > 0 {
                let ship =
                    u64::from(ship.at) << 8 | u64::from(ship.clockwise) << 4 | u64::from(ship.health);
                hash = derive(hash, ship);
            } else {
                hash = derive(hash, 0);
            }
        }
        let mut codes = [0u32; MOST];
        let codes = &mut codes[..usize::from(self.count)];
        for (code, submarine) in codes.iter_mut().zip(self.submarines()) {
            let Submarine { at, health, target, order } = *submarine;
            *code = u32::from_le_bytes([health, target, order, at]);
        }
        if matches!(self.phase, Phase::Act | Phase::Over | Phase::Submarines) {
            codes.sort_unstable();
        }
        codes.iter().fold(hash, |hash, code| derive(hash, u64::from(*code)))
    }
}

// What the Navy ship is told; what kind of news it is stands in the highest bits.
const KIND: u32 = 60;
const NAVY: u64 = 1;
const CARGO: u64 = 2;
const REPORT: u64 = 3;
// A report has two bits of health for the Navy ship and for each cargo ship, then five for each submarine in sight,
// sorted: its place round the Navy ship, from 0 to 8, doubled, and 1 more than its health.
const SIGHTED: u32 = 18;
const EACH: u32 = 5;

/// What an observation says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// Where the Navy ship begins.
    Navy(u8),
    /// Where a cargo ship begins, and whether it goes clockwise.
    Cargo(u8, bool),
    /// The health of the Navy ship and of the cargo ships, and the submarines in sight: places round the Navy ship
    /// from south-west to north-east, with their health.
    Report(u8, [u8; MOST], Vec<(u8, u8)>),
}

/// That the Navy ship is placed.
pub fn navy_placed(at: u8) -> Observation {
    Observation(NAVY << KIND | u64::from(at))
}

/// That a cargo ship is placed.
pub fn cargo_placed(at: u8, clockwise: bool) -> Observation {
    Observation(CARGO << KIND | u64::from(at) << 1 | u64::from(clockwise))
}

/// What is seen at the end of a round.
pub fn report(state: &State, chart: &Chart) -> Observation {
    let mut key = u64::from(state.navy_health);
    for (number, ship) in (1..).zip(&state.cargo) {
        key |= u64::from(ship.health) << (2 * number);
    }
    let mut sighted = [0u64; MOST];
    let mut count = 0;
    for submarine in state.submarines() {
        if let Some(place) = chart.around(state.navy, submarine.at) {
            sighted[count] = 2 * u64::from(place) + u64::from(submarine.health);
            count += 1;
        }
    }
    let sighted = &mut sighted[..count];
    sighted.sort_unstable();
    for (number, code) in (0..).zip(sighted) {
        key |= *code << (SIGHTED + EACH * number);
    }
    Observation(REPORT << KIND | key)
}

/// What an observation says; `None` for one that is none of this game's.
pub fn read(Observation(key): Observation) -> Option<News> {
    let low = key & ((1 << KIND) - 1);
    match key >> KIND {
        NAVY => Some(News::Navy(u8::try_from(low).ok()?)),
        CARGO => Some(News::Cargo(u8::try_from(low >> 1).ok()?, low & 1 == 1)),
        REPORT => {
            let health = |number: u32| (low >> (2 * number) & 3) as u8;
            let cargo = std::array::from_fn(|number| health(number as u32 + 1));
            let codes = (0..MOST as u32).map(|number| low >> (SIGHTED + EACH * number) & 31);
            let sighted: Vec<(u8, u8)> = codes
                .filter(|code| *code > 0)
                .map(|code| (((code - 1) / 2) as u8, ((code - 1) % 2 + 1) as u8))
                .collect();
            let sound = health(0) <= HEALTH && sighted.iter().all(|(place, _)| *place < 9);
            sound.then(|| News::Report(health(0), cargo, sighted))
        }
        _ => None,
    }
}
