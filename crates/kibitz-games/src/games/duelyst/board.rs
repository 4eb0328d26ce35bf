//! The board: cells, neighbourhoods and reach, as sets of bits.

/// Columns of the board.
pub const COLUMNS: u8 = 9;
/// Rows of the board.
pub const ROWS: u8 = 5;
/// Cells of the board.
pub const CELLS: u8 = COLUMNS * ROWS;
/// All of them.
pub const EVERYWHERE: u64 = (1 << CELLS) - 1;
/// The middle column is on nobody's side.
const MIDDLE: u8 = 4;
/// Where there are mana springs at first.
pub const SPRINGS: [u8; 3] = [cell(4, 0), cell(4, 4), cell(5, 2)];
/// Where Generals begin.
pub const GENERALS: [u8; 2] = [cell(0, 2), cell(8, 2)];

/// In the order in which random neighbours are listed.
pub const NEIGHBOURS: [(i8, i8); 8] =
    [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (1, -1), (-1, 1)];

/// The number of a cell.
pub const fn cell(x: u8, y: u8) -> u8 {
    x + COLUMNS * y
}

/// Column and row of a cell, from the lower left corner.
#[inline]
pub const fn place(cell: u8) -> (i8, i8) {
    ((cell % COLUMNS) as i8, (cell / COLUMNS) as i8)
}

/// The cell at a place, if it is on the board.
#[inline]
pub const fn at(x: i8, y: i8) -> Option<u8> {
    if x >= 0 && x < COLUMNS as i8 && y >= 0 && y < ROWS as i8 {
        Some(cell(x as u8, y as u8))
    } else {
        None
    }
}

/// What a person calls a cell: columns a to i, rows 1 to 5 from below.
pub fn name(cell: u8) -> String {
    crate::draw::square_name((cell % COLUMNS).into(), (cell / COLUMNS).into())
}

const fn neighbourhoods(steps: usize) -> [u64; CELLS as usize] {
    let mut all = [0; CELLS as usize];
    let mut from = 0;
    while from < CELLS {
        let (x, y) = place(from);
        let mut way = 0;
        while way < steps {
            let (dx, dy) = NEIGHBOURS[way];
            if let Some(to) = at(x + dx, y + dy) {
                all[from as usize] |= 1 << to;
            }
            way += 1;
        }
        from += 1;
    }
    all
}

const fn lines(rows: bool) -> [u64; CELLS as usize] {
    let mut all = [0; CELLS as usize];
    let mut from = 0;
    while from < CELLS {
        let mut to = 0;
        while to < CELLS {
            let same = if rows { from / COLUMNS == to / COLUMNS } else { from % COLUMNS == to % COLUMNS };
            if same && from != to {
                all[from as usize] |= 1 << to;
            }
            to += 1;
        }
        from += 1;
    }
    all
}

/// The up to eight cells around each.
pub const NEAR: [u64; CELLS as usize] = neighbourhoods(8);
/// The up to four cells that are one step away.
const STEP: [u64; CELLS as usize] = neighbourhoods(4);
/// The other cells of the same row.
pub const ROW: [u64; CELLS as usize] = lines(true);
/// The other cells of the same column.
pub const COLUMN: [u64; CELLS as usize] = lines(false);

const fn sides() -> [u64; 2] {
    let mut sides = [0; 2];
    let mut cell = 0;
    while cell < CELLS {
        let x = cell % COLUMNS;
        if x != MIDDLE {
            sides[(x > MIDDLE) as usize] |= 1 << cell;
        }
        cell += 1;
    }
    sides
}

/// Each player's starting side.
pub const SIDES: [u64; 2] = sides();

/// One bit.
#[inline]
pub const fn bit(cell: u8) -> u64 {
    1 << cell
}

/// Where a walker comes to in so many steps that avoid `walls`.
#[inline]
pub fn walk(from: u8, steps: u8, walls: u64) -> u64 {
    let mut reached = bit(from);
    for _ in 0..steps {
        let mut next = reached;
        for cell in crate::bits::ones(reached) {
            next |= STEP[cell as usize];
        }
        next &= !walls;
        if next == reached {
            break;
        }
        reached = next;
    }
    reached & !bit(from)
}

/// The larger of the distances along rows and columns.
#[inline]
pub fn apart(a: u8, b: u8) -> u8 {
    let ((x, y), (u, v)) = (place(a), place(b));
    x.abs_diff(u).max(y.abs_diff(v))
}

/// The sum of the distances along rows and columns.
#[inline]
pub fn manhattan(a: u8, b: u8) -> u8 {
    let ((x, y), (u, v)) = (place(a), place(b));
    x.abs_diff(u) + y.abs_diff(v)
}
