//! Mazes: which squares there are, what is next to what, and what is seen, smelt and heard from where.

use crate::bits::ones;

/// The maze of Silver and Veness (2010).
///
/// `#` is wall, `_` a bare square, `.` a place for food, `o` one for a power pill, `P` where pocman begins (a
/// place for food too), letters from A on where the ghosts do. A row that is bare at both ends is a tunnel.
const FULL: &str = "
.................
.##.###.#.###.##.
o...............o
.##.#.#####.#.##.
....#...#...#....
###.###.#.###.###
###.#_______#.###
###.#_#_CD#_#.###
___.#_#_AB#_#.___
###.#_#####_#.###
###.#_______#.###
###.#.#####.#.###
........P........
.##.###.#.###.##.
o.#...........#.o
#.#.#.#####.#.#.#
....#...#...#....
.######.#.######.
.................";

const SMALL: &str = "
o.....o
.#.#.#.
.#._.#.
...A...
.#.#.#.
.#...#.
...P...";

/// How far ghosts notice pocman, smell and hearing reach.
const FULL_RANGE: u32 = 6;
const SMALL_RANGE: u32 = 3;
const SMELL: u32 = 1;
const HEARING: u32 = 2;

pub const GHOSTS: usize = 4;
/// No square.
pub const NOWHERE: u8 = u8::MAX;

/// A set of a maze's squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Squares([u64; 4]);

impl Squares {
    #[inline]
    pub fn has(&self, square: u8) -> bool {
        self.0[usize::from(square >> 6)] >> (square & 63) & 1 == 1
    }

    #[inline]
    pub fn add(&mut self, square: u8) {
        self.0[usize::from(square >> 6)] |= 1 << (square & 63);
    }

    #[inline]
    pub fn remove(&mut self, square: u8) {
        self.0[usize::from(square >> 6)] &= !(1 << (square & 63));
    }

    #[inline]
    pub fn meets(&self, other: &Squares) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }

    #[inline]
    pub fn and(&self, other: &Squares) -> Squares {
        Squares(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    #[inline]
    pub fn without(&self, other: &Squares) -> Squares {
        Squares(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = u8> {
        let words = self.0.into_iter().zip([0, 64, 128, 192]);
        words.flat_map(|(word, first)| ones(word).map(move |place| first + place as u8))
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        *self == Squares::default()
    }

    pub fn words(&self) -> [u64; 4] {
        self.0
    }
}

/// What there is to know of a square.
#[derive(Clone, Debug)]
pub struct Square {
    pub column: u32,
    pub row: u32,
    /// The next square to the north, east, south and west, or NOWHERE.
    pub next: [u8; 4],
    /// The squares in a straight line to each side up to the next wall.
    pub sight: [Squares; 4],
    pub smell: Squares,
    pub hearing: Squares,
}

pub struct Maze {
    pub columns: u32,
    pub rows: u32,
    pub squares: Vec<Square>,
    /// Where food may be, and where power pills are.
    pub food: Squares,
    pub pills: Squares,
    pub start: u8,
    pub ghosts: Vec<u8>,
    /// At a distance below this a ghost notices pocman.
    pub range: u32,
    places: Vec<Vec<u8>>,
}

impl Maze {
    pub fn full() -> Maze {
        Maze::read(FULL, FULL_RANGE)
    }

    pub fn small() -> Maze {
        Maze::read(SMALL, SMALL_RANGE)
    }

    fn read(drawing: &str, range: u32) -> Maze {
        // Row 0 is the southern one.
        let rows: Vec<Vec<char>> =
            drawing.trim().lines().rev().map(|line| line.chars().collect()).collect();
        let (height, width) = (rows.len(), rows[0].len());
        let mut places = vec![vec![NOWHERE; width]; height];
        let mut maze = Maze {
            columns: width as u32,
            rows: height as u32,
            squares: Vec::new(),
            food: Squares::default(),
            pills: Squares::default(),
            start: 0,
            ghosts: Vec::new(),
            range,
            places: Vec::new(),
        };
        let mut ghosts = Vec::new();
        let mut count = 0;
        for (y, row) in rows.iter().enumerate() {
            for (x, &sign) in row.iter().enumerate().filter(|(_, sign)| **sign != '#') {
                places[y][x] = count;
                match sign {
                    'P' => maze.start = count,
                    'A'..='D' => ghosts.push((sign, count)),
                    'o' => maze.pills.add(count),
                    _ => {}
                }
                if matches!(sign, '.' | 'P') {
                    maze.food.add(count);
                }
                count += 1;
            }
        }
        ghosts.sort_unstable();
        maze.ghosts = ghosts.into_iter().map(|(_, square)| square).collect();
        let tunnel = |y: usize| rows[y][0] == '_' && rows[y][width - 1] == '_';
        let place = |x: i32, y: i32| {
            let row = usize::try_from(y).ok().and_then(|y| places.get(y));
            row.zip(usize::try_from(x).ok())
                .and_then(|(row, x)| row.get(x))
                .map_or(NOWHERE, |square| *square)
        };
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if places[y][x] == NOWHERE {
                continue;
            }
            let (column, row) = (x as i32, y as i32);
            let steps = [(0, 1), (1, 0), (0, -1), (-1, 0)];
            let mut next = steps.map(|(dx, dy)| place(column + dx, row + dy));
            if tunnel(y) && x + 1 == width {
                next[1] = places[y][0];
            }
            if tunnel(y) && x == 0 {
                next[3] = places[y][width - 1];
            }
            let sight = steps.map(|(dx, dy)| {
                let line = (1..).map(|far| place(column + far * dx, row + far * dy));
                collect(line.take_while(|square| *square != NOWHERE))
            });
            let within = |far: i32, near: &dyn Fn(i32, i32) -> bool| {
                let around = (-far..=far).flat_map(|dy| (-far..=far).map(move |dx| (dx, dy)));
                let inside = around.filter(|(dx, dy)| near(*dx, *dy));
                collect(inside.map(|(dx, dy)| place(column + dx, row + dy)).filter(|at| *at != NOWHERE))
            };
            maze.squares.push(Square {
                column: column as u32,
                row: row as u32,
                next,
                sight,
                smell: within(SMELL as i32, &|_, _| true),
                hearing: within(HEARING as i32, &|dx, dy| dx.abs() + dy.abs() <= HEARING as i32),
            });
        }
        maze.places = places;
        maze
    }

    #[inline]
    pub fn square(&self, square: u8) -> &Square {
        &self.squares[usize::from(square)]
    }

    /// The square in a column and row, or NOWHERE.
    pub fn at(&self, column: u32, row: u32) -> u8 {
        self.places[row as usize][column as usize]
    }

    /// Columns and rows between two squares, walls and tunnels not minded.
    #[inline]
    pub fn distance(&self, one: u8, other: u8) -> u32 {
        let (one, other) = (self.square(one), self.square(other));
        one.column.abs_diff(other.column) + one.row.abs_diff(other.row)
    }
}

fn collect(squares: impl Iterator<Item = u8>) -> Squares {
    squares.fold(Squares::default(), |mut set, square| {
        set.add(square);
        set
    })
}
