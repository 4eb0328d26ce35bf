//! Submarines as pieces that go their own ways: each decides by the ships and by where it is itself, and what they do
//! adds up. A state with a single submarine stands for it; the ships' health in it is what is seen.

use kibitz_core::abilities::{Pieces, Products};
use kibitz_core::game::{Action, Observation};
use kibitz_core::view::{View, after_action, after_observation};

use super::NavyDefense;
use super::state::{self, HEALTH, MOST, NONE, News, Phase, State, Submarine};

/// Above the damage to the Navy ship and to each cargo ship, a bit each: what the sonar shows of a submarine.
const SIGHTED: u32 = 16;

/// What is seen of a submarine at a place round the Navy ship.
fn sighting(place: u8, health: u8) -> u64 {
    1 + 2 * u64::from(place) + u64::from(health - 1)
}

/// The health of the Navy ship and of all cargo ships.
fn healths(state: &State) -> [u8; 1 + MOST] {
    let mut all = [state.navy_health; 1 + MOST];
    all[1..].iter_mut().zip(&state.cargo).for_each(|(health, ship)| *health = ship.health);
    all
}

/// The damage done to each ship between two states, as far as there is health to lose.
fn damage(before: &State, navy: u8, cargo: [u8; MOST]) -> [u8; 1 + MOST] {
    let mut damage = healths(before);
    damage[0] -= navy.min(damage[0]);
    damage[1..].iter_mut().zip(cargo).for_each(|(health, left)| *health -= left.min(*health));
    damage
}

impl NavyDefense {
    fn alone(&self, state: &State, submarine: Option<Submarine>) -> State {
        let mut alone = State { count: u8::from(submarine.is_some()), ..*state };
        if let Some(submarine) = submarine {
            alone.submarines[0] = submarine;
        }
        alone
    }
}

impl Pieces<State> for NavyDefense {
    fn prior(&self, view: &View) -> Option<(usize, Products<State>)> {
        let events = 1 + self.params.cargo as usize;
        let begun = View { events: view.events.get(..events)?.to_vec(), ..View::new(view.player) };
        let mut begun = self.replay(&begun).filter(|state| state.phase == Phase::Count)?;
        begun.phase = Phase::Submarines;
        self.settle(&mut begun);
        let at = |square: u8| {
            let submarine = Submarine { at: square, health: HEALTH, target: NONE, order: NONE };
            self.alone(&begun, Some(submarine))
        };
        let nobody = vec![(self.alone(&begun, None), 1.0)];
        if let Some(given) = self.known.as_deref().and_then(|known| known.submarines.as_ref()) {
            let placed = given.iter().map(|square| vec![(at(*square), 1.0)]);
            return Some((events, vec![(1.0, [nobody].into_iter().chain(placed).collect())]));
        }
        let squares = self.chart.squares();
        let anywhere: Vec<_> = (0..squares).map(|square| (at(square), 1.0 / f64::from(squares))).collect();
        let counts = self.params.fewest..=self.params.submarines;
        let each = 1.0 / f64::from(self.params.submarines - self.params.fewest + 1);
        let product = |count: u32| {
            let mut product = vec![nobody.clone()];
            product.resize(1 + count as usize, anywhere.clone());
            (each, product)
        };
        Some((events, counts.map(product).collect()))
    }

    fn split(&self, state: &State) -> Vec<State> {
        let each = state.submarines().iter().map(|submarine| self.alone(state, Some(*submarine)));
        if state.count == 0 { vec![*state] } else { each.collect() }
    }

    fn join(&self, pieces: &[&State]) -> State {
        let mut joined = self.alone(pieces[0], None);
        for submarine in pieces.iter().flat_map(|piece| piece.submarines()).take(MOST) {
            joined.submarines[usize::from(joined.count)] = *submarine;
            joined.count += 1;
        }
        joined
    }

    fn done(&self, before: &State, after: &State, told: Observation) -> Option<u64> {
        let Some(News::Report(navy, cargo, sighted)) = state::read(told) else { return None };
        let mut done = 0;
        let ships = damage(before, after.navy_health, healths(after)[1..].try_into().ok()?);
        for (number, (own, all)) in ships.into_iter().zip(damage(before, navy, cargo)).enumerate() {
            if own > all {
                return None;
            }
            done |= u64::from(own) << number;
        }
        // Without the Navy ship nothing is seen, whoever has destroyed it.
        if navy > 0
            && let Some(submarine) = after.submarines().first()
            && let Some(place) = self.chart.around(after.navy, submarine.at)
        {
            if !sighted.contains(&(place, submarine.health)) {
                return None;
            }
            done |= sighting(place, submarine.health) << SIGHTED;
        }
        Some(done)
    }

    fn together(&self, before: &State, done: &[u64], told: Observation) -> bool {
        let Some(News::Report(navy, cargo, sighted)) = state::read(told) else { return false };
        let (all, left) = (damage(before, navy, cargo), healths(before));
        let agrees = |number: usize| {
            let dealt = done.iter().filter(|done| *done >> number & 1 == 1).count();
            dealt.min(usize::from(left[number])) == usize::from(all[number])
        };
        let mut seen: Vec<u64> = done.iter().map(|done| done >> SIGHTED).filter(|code| *code > 0).collect();
        seen.sort_unstable();
        let mut shown: Vec<u64> =
            sighted.into_iter().map(|(place, health)| sighting(place, health)).collect();
        shown.sort_unstable();
        seen == shown && (0..all.len()).all(agrees)
    }

    fn take(&self, after: &mut State, before: &State, action: Option<Action>, told: Observation) {
        let seen = action.map_or(before.seen, |action| after_action(before.seen, action));
        after.seen = after_observation(seen, told);
        if let Some(News::Report(navy, cargo, _)) = state::read(told) {
            self.take_healths(after, navy, cargo);
        }
    }
}
