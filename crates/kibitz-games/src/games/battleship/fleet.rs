//! Sets of squares, where a ship fits, and fleets that agree with what the shots have told.

use kibitz_core::rng::Rng;
use kibitz_core::view::{Event, View};

use super::{HIT, MISS, MOST_SHIPS};
use crate::bits::nth_set_wide;

/// Fleets that are weighed against each other for one that is drawn. (On 5 x 5 squares the probability of a
/// square's being hit is then off by about a hundredth.)
const WEIGHED: u32 = 32;
/// Attempts at finding one after which none is believed to exist.
const PATIENCE: u32 = 20_000;

/// A square board of at most 11 rows, its squares counted from the southwest, row by row.
pub struct Waters {
    pub size: u32,
    pub all: u128,
    /// `from_column[x]`: all squares of column x and of those to the east of it.
    from_column: Vec<u128>,
}

/// What the shots have told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    pub hits: u128,
    pub misses: u128,
}

impl Told {
    /// Reads a view; `None` where it is not one of this game.
    pub fn from_view(view: &View, squares: u32) -> Option<Told> {
        let mut told = Told::default();
        let mut shot = None;
        for event in &view.events {
            match *event {
                Event::Acted(action) if shot.is_none() && action.0 < squares => shot = Some(1 << action.0),
                Event::Observed(HIT) => told.hits |= shot.take()?,
                Event::Observed(MISS) => told.misses |= shot.take()?,
                _ => return None,
            }
        }
        (told.hits & told.misses == 0).then_some(told)
    }
}

/// Draws one of the places where a ship may begin, lying (0) or standing (1).
pub fn pick(room: [u128; 2], rng: &mut Rng) -> Option<(usize, u32)> {
    let lying = room[0].count_ones();
    let count = lying + room[1].count_ones();
    if count == 0 {
        return None;
    }
    let chosen = rng.below(count);
    Some(match chosen.checked_sub(lying) {
        None => (0, nth_set_wide(room[0], chosen)),
        Some(rest) => (1, nth_set_wide(room[1], rest)),
    })
}

/// Where so many squares of a set begin, one stride apart. (What is known of short runs tells of longer ones.)
#[inline]
fn runs(set: u128, length: u32, stride: u32) -> u128 {
    let (mut begins, mut known) = (set, 1);
    while known < length {
        let more = known.min(length - known);
        begins &= begins >> (more * stride);
        known += more;
    }
    begins
}

impl Waters {
    pub fn new(size: u32) -> Waters {
        let all = (1 << (size * size)) - 1;
        let column = |x: u32| (0..size).map(|y| 1u128 << (y * size + x)).sum::<u128>();
        let from_column = (0..=size).map(|x| (x..size).map(column).sum()).collect();
        Waters { size, all, from_column }
    }

    pub fn squares(&self) -> u32 {
        self.size * self.size
    }

    /// One step to the next square of a ship.
    fn stride(&self, way: usize) -> u32 {
        if way == 0 { 1 } else { self.size }
    }

    /// The squares of a ship.
    pub fn ship(&self, length: u32, way: usize, begin: u32) -> u128 {
        (0..length).map(|part| 1 << (begin + part * self.stride(way))).sum()
    }

    #[inline]
    fn east(&self, set: u128) -> u128 {
        set << 1 & self.from_column[1] & self.all
    }

    #[inline]
    fn west(&self, set: u128) -> u128 {
        (set & self.from_column[1]) >> 1
    }

    #[inline]
    fn above_and_below(&self, set: u128) -> u128 {
        (set << self.size | set >> self.size) & self.all
    }

    /// The squares of a set and all that touch it.
    #[inline]
    pub fn around(&self, set: u128) -> u128 {
        let wide = set | self.east(set) | self.west(set);
        wide | self.above_and_below(wide)
    }

    /// The squares that have no more than a corner in common with one of the set.
    #[inline]
    pub fn corners(&self, set: u128) -> u128 {
        self.above_and_below(self.east(set) | self.west(set))
    }

    /// Where a ship may begin, lying and standing, so that it has free squares only and touches none of the
    /// hits that it does not cover.
    #[inline]
    pub fn room(&self, length: u32, free: u128, hits: u128) -> [u128; 2] {
        let (east, west) = (self.east(hits), self.west(hits));
        // A lying ship touches a hit above or below it with any of its squares, and one in its row only
        // with its ends; a standing one the other way round.
        let wide = hits | east | west;
        let tall = hits | self.above_and_below(hits);
        let mut lying = runs(free & !self.above_and_below(wide), length, 1);
        let mut standing = runs(free & !self.east(tall) & !self.west(tall), length, self.size);
        let past_the_end = (hits & self.from_column[length as usize]) >> length;
        lying &= !self.from_column[(self.size - length + 1) as usize] & !east & !past_the_end;
        standing &= !(hits << self.size) & !(hits >> (length * self.size));
        [lying, standing]
    }

    /// Those beginnings with which a ship covers a square.
    #[inline]
    fn covering(&self, square: u32, length: u32, room: [u128; 2]) -> [u128; 2] {
        let mut covering = [0; 2];
        for (way, (begins, room)) in covering.iter_mut().zip(room).enumerate() {
            let mut begin = 1u128 << square;
            for _ in 0..length {
                *begins |= begin;
                begin >>= self.stride(way);
            }
            *begins &= room;
        }
        covering
    }

    /// Draws a fleet that agrees with the shots, nearly in proportion to its probability: one of several
    /// that are proposed, by their weights.
    pub fn draw_fleet(&self, lengths: &[u32], told: &Told, rng: &mut Rng) -> Option<u128> {
        let (mut chosen, mut total, mut weighed) = (None, 0.0, 0);
        let mut sunk = None;
        for _ in 0..PATIENCE {
            let Some((fleet, weight)) = self.propose(lengths, told, rng) else { continue };
            // Where ships may be left ashore, a smaller fleet could be sunk already; but then who asks?
            if fleet & !told.hits == 0 {
                sunk = Some(fleet);
                continue;
            }
            total += weight;
            weighed += 1;
            if rng.unit() * total < weight {
                chosen = Some(fleet);
            }
            if weighed == WEIGHED {
                break;
            }
        }
        chosen.or(sunk)
    }

    /// Puts together a fleet that covers all hits and no miss, with its probability over that of its
    /// being proposed; `None` where the ships chosen first leave no way to go on.
    ///
    /// A hit that is not yet covered gets a ship, any of those that are left in any fitting place; when
    /// there is no such hit, the longest ship that is left gets a place. So each fleet is put together
    /// in one way only.
    pub fn propose(&self, lengths: &[u32], told: &Told, rng: &mut Rng) -> Option<(u128, f64)> {
        let Told { hits, misses } = *told;
        let mut ships = [None; MOST_SHIPS];
        let (mut fleet, mut weight) = (0, 1.0);
        loop {
            let free = self.all & !self.around(fleet) & !misses;
            let uncovered = hits & !fleet;
            let (ship, (way, begin), choices) = if uncovered == 0 {
                let Some(ship) = (0..lengths.len()).find(|ship| ships[*ship].is_none()) else { break };
                let room = self.room(lengths[ship], free, 0);
                let Some(place) = pick(room, rng) else {
                    ships[ship] = Some(0); // left ashore, if that can be
                    continue;
                };
                (ship, place, room[0].count_ones() + room[1].count_ones())
            } else {
                let mut choices = 0;
                let mut chosen = None;
                for (ship, length) in lengths.iter().enumerate().filter(|(ship, _)| ships[*ship].is_none())
                {
                    let room = self.room(*length, free, uncovered);
                    let room = self.covering(uncovered.trailing_zeros(), *length, room);
                    let count = room[0].count_ones() + room[1].count_ones();
                    choices += count;
                    // One ship after the other takes the choice in proportion to its places.
                    if count > 0 && rng.below(choices) < count {
                        chosen = Some((ship, room));
                    }
                }
                let (ship, room) = chosen?;
                (ship, pick(room, rng)?, choices)
            };
            let squares = self.ship(lengths[ship], way, begin);
            ships[ship] = Some(squares);
            fleet |= squares;
            weight *= f64::from(choices);
        }
        Some((fleet, weight * self.probability(lengths, &ships)?))
    }

    /// How likely the ships come to lie so; `None` if they never do.
    fn probability(&self, lengths: &[u32], ships: &[Option<u128>]) -> Option<f64> {
        let (mut before, mut probability) = (0, 1.0);
        for (length, squares) in lengths.iter().zip(ships) {
            let room = self.room(*length, self.all & !self.around(before), 0);
            let places = room[0].count_ones() + room[1].count_ones();
            let squares = (*squares)?;
            if (places == 0) != (squares == 0) {
                return None;
            }
            before |= squares;
            probability /= f64::from(places.max(1));
        }
        Some(probability)
    }
}
