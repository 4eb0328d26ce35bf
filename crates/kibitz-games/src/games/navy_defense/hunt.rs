//! What submarines do: all decide, one after the other, then all act.

use super::chart::{GONE, NEVER, STAY};
use super::state::{NONE, Phase, State, Submarine};
use super::{Behaviour, Idle, NavyDefense};

// Orders: below STAY a move, then an attack to the north, east, south or west, and on the own square.
const ATTACK: u8 = 5;
const ATTACK_HERE: u8 = 9;

/// An order in words.
pub fn order_name(order: u8) -> String {
    const WAYS: [&str; 4] = ["north", "east", "south", "west"];
    match order {
        STAY => "lies in wait".to_owned(),
        0..STAY => format!("goes {}", WAYS[usize::from(order)]),
        ATTACK..ATTACK_HERE => format!("attacks {}", WAYS[usize::from(order - ATTACK)]),
        _ => "attacks where it is".to_owned(),
    }
}

impl NavyDefense {
    /// Goes on with the decisions of the submarines from this one, up to the next that is left to chance; when all
    /// have decided, they act, and the round is over.
    #[inline]
    pub(super) fn decide(&self, state: &mut State, from: u8, rewards: &mut [f64]) {
        for number in from..state.count {
            let submarine = state.submarines[usize::from(number)];
            if submarine.order != NONE {
                continue;
            }
            if self.picks(state, &submarine) {
                state.phase = Phase::Target(number);
                return;
            }
            let orders = self.orders(state, &submarine);
            if orders.count_ones() > 1 {
                state.phase = Phase::Order(number);
                return;
            }
            state.submarines[usize::from(number)].order = orders.trailing_zeros() as u8;
        }
        self.act(state, rewards);
        state.step += 1;
        state.phase = self.phase_after(state);
    }

    /// Whether a submarine has to pick a ship now: it hunts one, and has none or lost it.
    fn picks(&self, state: &State, submarine: &Submarine) -> bool {
        let lost = state.cargo.get(usize::from(submarine.target)).is_none_or(|ship| ship.health == 0);
        self.behaviour == Behaviour::Stubborn
            && lost
            && !self.chart.near(state.navy, submarine.at)
            && self.ships(state).iter().any(|ship| ship.health > 0)
    }

    /// The equally good orders of a submarine, as bits.
    pub(super) fn orders(&self, state: &State, submarine: &Submarine) -> u16 {
        let chart = &*self.chart;
        let at = submarine.at;
        if chart.near(state.navy, at) {
            let out = (0..STAY).filter(|way| {
                let next = chart.next(at, *way);
                next != GONE && !chart.near(state.navy, next)
            });
            let out: u16 = out.map(|way| 1 << way).sum();
            return match self.attack(at, state.navy) {
                _ if out != 0 => out,
                Some(attack) => 1 << attack,
                // Cornered, with the Navy ship out of reach.
                None => 1 << STAY,
            };
        }
        let (mut time, mut orders) = (NEVER, 0);
        let hunted = |number: usize| {
            self.behaviour == Behaviour::Switching || usize::from(submarine.target) == number
        };
        let (mut alive, ships) = (false, self.ships(state));
        for (number, ship) in ships.iter().enumerate().filter(|(_, ship)| ship.health > 0) {
            alive = true;
            if !hunted(number) {
                continue;
            }
            let way = chart.way(state.navy, at, ship.at, ship.clockwise);
            if way.time > time {
                continue;
            }
            let these = match self.attack(at, ship.at) {
                Some(attack) if way.time == 0 => 1 << attack,
                _ => u16::from(way.orders),
            };
            orders = if way.time < time { these } else { orders | these };
            time = way.time;
        }
        if !alive && self.params.idle == Idle::Hunt && state.navy != GONE {
            let closer = (0..STAY).filter(|way| {
                let next = chart.next(at, *way);
                next != GONE && chart.distance(next, state.navy) < chart.distance(at, state.navy)
            });
            return closer.map(|way| 1 << way).sum();
        }
        if orders == 0 { 1 << STAY } else { orders }
    }

    /// The attack that reaches a square, if one does.
    #[inline]
    fn attack(&self, from: u8, target: u8) -> Option<u8> {
        if from == target {
            return Some(ATTACK_HERE);
        }
        (0..STAY)
            .find(|way| target != GONE && self.chart.next(from, *way) == target)
            .map(|way| ATTACK + way)
    }

    /// All submarines do what they have decided.
    #[inline]
    fn act(&self, state: &mut State, rewards: &mut [f64]) {
        for number in 0..usize::from(state.count) {
            let Submarine { at, order, .. } = state.submarines[number];
            state.submarines[number].order = NONE;
            match order {
                STAY => {}
                0..STAY => state.submarines[number].at = self.chart.next(at, order),
                ATTACK..ATTACK_HERE => self.strike(state, self.chart.next(at, order - ATTACK), rewards),
                ATTACK_HERE => self.strike(state, at, rewards),
                _ => {}
            }
        }
    }

    /// Deals 1 damage to all ships on a square.
    fn strike(&self, state: &mut State, square: u8, rewards: &mut [f64]) {
        let params = &*self.params;
        if square == GONE {
            return;
        }
        if state.navy == square {
            state.navy_health -= 1;
            rewards[0] -= if state.navy_health > 0 { params.navy_hit } else { params.navy_destroyed };
            if state.navy_health == 0 {
                state.navy = GONE;
            }
        }
        for ship in state.cargo.iter_mut().filter(|ship| ship.at == square) {
            ship.health -= 1;
            rewards[0] -= if ship.health > 0 { params.cargo_hit } else { params.cargo_destroyed };
            if ship.health == 0 {
                ship.at = GONE;
            }
        }
    }
}
