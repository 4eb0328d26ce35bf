//! Where vessels can go: squares, the rectangles that cargo ships travel along, and how a submarine gets to one.
//!
//! A square's number is its row times the size of the board plus its column, row 0 being the southernmost.

use std::sync::OnceLock;

use super::Interception;

/// In place of a square: destroyed, or not there yet.
pub const GONE: u8 = u8::MAX;
/// The largest board: squares fit into a byte.
pub const LARGEST: u32 = 15;
/// A submarine's order to stay where it is; below it are moves to the north, east, south and west.
pub const STAY: u8 = 4;
/// In place of a time: never.
pub const NEVER: u8 = u8::MAX;

/// The quickest way to attack a ship: after how many moves, and which first moves are on it, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// Moves of the ship's from now on; 0 if it can be attacked at once.
    pub time: u8,
    /// Equally good orders.
    pub orders: u8,
}

/// The board, and for each square of the Navy ship's all ways there are.
pub struct Chart {
    size: u8,
    interception: Interception,
    next: Vec<[u8; 4]>,
    /// The next square along a rectangle, counterclockwise and clockwise; GONE where there is no rectangle.
    route: Vec<[u8; 2]>,
    /// By the Navy ship's square (the last is for no Navy ship) and a submarine's: the ways to each ship under way,
    /// made when they are first asked for.
    ways: Vec<OnceLock<Vec<Way>>>,
}

impl Chart {
    /// The chart of a square board.
    pub fn new(size: u32, interception: Interception) -> Chart {
        let size = size as u8;
        let squares = usize::from(size) * usize::from(size);
        let mut chart = Chart {
            size,
            interception,
            next: Vec::new(),
            route: Vec::new(),
            ways: (0..squares * (squares + 1)).map(|_| OnceLock::new()).collect(),
        };
        for square in 0..squares as u8 {
            let (x, y) = chart.place(square);
            let last = size - 1;
            let to = |inside: bool, by: i32| if inside { (i32::from(square) + by) as u8 } else { GONE };
            let row = i32::from(size);
            chart.next.push([to(y < last, row), to(x < last, 1), to(y > 0, -row), to(x > 0, -1)]);
            chart.route.push([false, true].map(|clockwise| turn(size, x, y, clockwise)));
        }
        chart
    }

    /// Squares on the board.
    pub fn squares(&self) -> u8 {
        self.next.len() as u8
    }

    /// Columns and rows.
    pub fn size(&self) -> u8 {
        self.size
    }

    /// Column and row.
    #[inline]
    pub fn place(&self, square: u8) -> (u8, u8) {
        (square % self.size, square / self.size)
    }

    /// The square at a column and a row.
    pub fn square(&self, column: u8, row: u8) -> u8 {
        row * self.size + column
    }

    /// The neighbour to the north, east, south or west; GONE beyond the edge.
    #[inline]
    pub fn next(&self, square: u8, way: u8) -> u8 {
        self.next[usize::from(square)][usize::from(way)]
    }

    /// Where a ship that travels along the edge, at its distance, goes next.
    #[inline]
    pub fn onward(&self, square: u8, clockwise: bool) -> u8 {
        self.route[usize::from(square)][usize::from(clockwise)]
    }

    /// Whether `other` is on the square or one of its eight neighbours.
    #[inline]
    pub fn near(&self, square: u8, other: u8) -> bool {
        if square == GONE || other == GONE {
            return false;
        }
        let ((x, y), (u, v)) = (self.place(square), self.place(other));
        x.abs_diff(u) <= 1 && y.abs_diff(v) <= 1
    }

    /// The number of a square among the nine on and round another one, from south-west to north-east.
    pub fn around(&self, square: u8, other: u8) -> Option<u8> {
        if !self.near(square, other) {
            return None;
        }
        let ((x, y), (u, v)) = (self.place(square), self.place(other));
        Some((v + 1 - y) * 3 + (u + 1 - x))
    }

    /// Moves between two squares.
    pub fn distance(&self, square: u8, other: u8) -> u8 {
        let ((x, y), (u, v)) = (self.place(square), self.place(other));
        x.abs_diff(u) + y.abs_diff(v)
    }

    /// How a submarine gets to where it can attack a ship under way, round the Navy ship's sonar.
    #[inline]
    pub fn way(&self, navy: u8, from: u8, ship: u8, clockwise: bool) -> Way {
        let squares = self.next.len();
        let row = &self.ways[usize::from(navy).min(squares) * squares + usize::from(from)];
        let ways = row.get_or_init(|| {
            let reached = self.reach(navy, from);
            let courses = (0..self.squares()).flat_map(|ship| [(ship, false), (ship, true)]);
            courses.map(|(ship, clockwise)| self.find(&reached, ship, clockwise)).collect()
        });
        ways[2 * usize::from(ship) + usize::from(clockwise)]
    }

    /// How many moves each square is away outside the sonar, and with which moves one may begin.
    fn reach(&self, navy: u8, from: u8) -> Vec<(u8, u8)> {
        let mut reached = vec![(NEVER, 0); self.next.len()];
        reached[usize::from(from)] = (0, 1 << STAY);
        let mut rank = vec![from];
        for distance in 1..NEVER {
            let mut following = Vec::new();
            for square in rank {
                let first = reached[usize::from(square)].1;
                for (way, next) in (0..).zip(self.next[usize::from(square)]) {
                    if next == GONE || self.near(navy, next) {
                        continue;
                    }
                    let entry = &mut reached[usize::from(next)];
                    if entry.0 == NEVER {
                        *entry = (distance, 0);
                        following.push(next);
                    }
                    if entry.0 == distance {
                        entry.1 |= if distance == 1 { 1 << way } else { first };
                    }
                }
            }
            if following.is_empty() {
                break;
            }
            rank = following;
        }
        reached
    }

    fn find(&self, reached: &[(u8, u8)], ship: u8, clockwise: bool) -> Way {
        let no_way = Way { time: NEVER, orders: 1 << STAY };
        if self.onward(ship, clockwise) == GONE {
            return no_way;
        }
        let within = |ship: u8| {
            let around = self.next[usize::from(ship)].into_iter().filter(|square| *square != GONE);
            around.chain([ship])
        };
        if within(ship).any(|square| reached[usize::from(square)].0 == 0) {
            return Way { time: 0, orders: 1 << STAY };
        }
        // Nobody needs longer than once round, after the longest of ways.
        let longest = NEVER - 1;
        let nearest = self.nearest_on_route(reached, ship, clockwise);
        let mut at = ship;
        for time in 1..longest {
            at = self.onward(at, clockwise);
            let (mut best, mut orders) = (NEVER, 0);
            for square in within(at) {
                let (distance, first) = reached[usize::from(square)];
                let wanted = match self.interception {
                    Interception::Soonest => true,
                    Interception::Nearest => square == at && distance == nearest,
                };
                if !wanted || distance > time || distance > best {
                    continue;
                }
                orders = if distance < best { first } else { orders | first };
                best = distance;
            }
            if best != NEVER {
                return Way { time, orders };
            }
        }
        no_way
    }

    /// The distance of the nearest square of the ship's route.
    fn nearest_on_route(&self, reached: &[(u8, u8)], ship: u8, clockwise: bool) -> u8 {
        let (mut at, mut nearest) = (ship, NEVER);
        loop {
            nearest = nearest.min(reached[usize::from(at)].0);
            at = self.onward(at, clockwise);
            if at == ship {
                return nearest;
            }
        }
    }
}

/// The next square on the rectangle at this square's distance from the edge; GONE where there is none.
pub fn turn(size: u8, x: u8, y: u8, clockwise: bool) -> u8 {
    let last = size - 1;
    let low = x.min(y).min(last - x).min(last - y);
    let high = last - low;
    if low >= high {
        return GONE; // the middle of a board of odd size
    }
    // Clockwise: up the western side, east along the northern one, down the eastern one, and back.
    let (u, v) = if clockwise {
        match () {
            () if x == low && y < high => (x, y + 1),
            () if y == high && x < high => (x + 1, y),
            () if x == high && y > low => (x, y - 1),
            () => (x - 1, y),
        }
    } else {
        match () {
            () if y == low && x < high => (x + 1, y),
            () if x == high && y < high => (x, y + 1),
            () if y == high && x > low => (x - 1, y),
            () => (x, y - 1),
        }
    };
    v * size + u
}
