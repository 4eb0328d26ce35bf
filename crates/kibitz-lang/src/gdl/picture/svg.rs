//! Boards and facts as SVG.

use kibitz_core::draw::{DARK, FAINT, INK, LIGHT, Picture};

use super::Boards;
use super::looks::{Look, Looks, shortened};
use super::plan::Board;

/// Characters of a line below the boards.
pub const WIDTH: usize = 72;
/// The space around boards.
const MARGIN: i32 = 14;
/// The space for the names of columns and titles.
const LABELS: i32 = 18;
/// The height of a line of words.
const LINE: i32 = 17;
/// The size of words in lines.
const SIZE: i32 = 12;
/// The width of one of their letters, a little more than what fonts have.
const LETTER: i32 = 8;
/// The width and height that boards should have together.
const SHEET: i32 = 640;

/// All boards, then lines of words.
pub fn svg(sets: &[Boards<'_>], lines: &[String]) -> String {
    let boards: Vec<Placed> = place(sets);
    let right = boards.iter().map(|placed| placed.x + placed.width()).max().unwrap_or(0);
    let bottom = boards.iter().map(|placed| placed.y + placed.height()).max().unwrap_or(0);
    let letters = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as i32;
    let width = (right + MARGIN).max(letters * LETTER + 2 * MARGIN).max(120);
    let height = bottom + MARGIN + if lines.is_empty() { 0 } else { lines.len() as i32 * LINE + MARGIN };
    let mut picture = Picture::new(width, height.max(2 * MARGIN));
    // Boards that are narrower than the words stand in the middle.
    let shift = (width - right - MARGIN) / 2;
    for placed in &boards {
        placed.draw(&mut picture, shift);
    }
    for (number, line) in lines.iter().enumerate() {
        picture.line_of_words(MARGIN, bottom + MARGIN + LINE / 2 + number as i32 * LINE, SIZE, INK, line);
    }
    picture.finish()
}

/// A board and its place on the sheet.
struct Placed<'a> {
    board: &'a Board,
    looks: &'a Looks,
    side: i32,
    x: i32,
    y: i32,
}

/// Sets of boards below each other, each with squares of a size that lets it fit.
fn place<'a>(sets: &'a [Boards<'a>]) -> Vec<Placed<'a>> {
    let mut all: Vec<Placed> = Vec::new();
    let mut y = MARGIN;
    // Small boards stand beside each other.
    let mut corner = (MARGIN, MARGIN);
    for set in sets {
        let across: usize =
            set.rows.iter().map(|row| row.iter().map(|board| board.columns.len()).sum()).max().unwrap_or(1);
        let along: usize =
            set.rows.iter().map(|row| row.iter().map(|board| board.rows.len()).max().unwrap_or(1)).sum();
        let side = (SHEET / across.max(along).max(1) as i32).clamp(16, 48);
        let one = set.rows.len() == 1 && set.rows[0].len() == 1;
        if one && corner.0 > MARGIN {
            let placed =
                Placed { board: &set.rows[0][0], looks: &set.looks, side, x: corner.0, y: corner.1 };
            if placed.x + placed.width() <= SHEET + LABELS {
                corner.0 += placed.width() + MARGIN;
                y = y.max(corner.1 + placed.height() + MARGIN);
                all.push(placed);
                continue;
            }
        }
        corner = (MARGIN, y);
        for row in &set.rows {
            let mut x = MARGIN;
            let mut height = 0;
            for board in row {
                let placed = Placed { board, looks: &set.looks, side, x, y };
                x += placed.width() + MARGIN;
                height = height.max(placed.height());
                all.push(placed);
            }
            corner.0 = if one { x } else { MARGIN };
            y += height + MARGIN;
        }
    }
    all
}

impl Placed<'_> {
    /// The space for the names of rows.
    fn names(&self) -> i32 {
        let longest =
            self.board.rows.iter().map(|row| row.chars().count().min(8)).max().unwrap_or(0) as i32;
        if longest == 0 { 0 } else { longest * 7 + 6 }
    }

    fn title(&self) -> i32 {
        if self.board.title.is_empty() { 0 } else { LABELS }
    }

    fn width(&self) -> i32 {
        self.names() + self.board.columns.len() as i32 * self.side
    }

    fn height(&self) -> i32 {
        self.title() + self.board.rows.len() as i32 * self.side + LABELS
    }

    fn draw(&self, picture: &mut Picture, shift: i32) {
        let Placed { board, looks, side, .. } = *self;
        let (left, top) = (self.x + shift + self.names(), self.y + self.title());
        let middle = |index: usize| index as i32 * side + side / 2;
        let bottom = top + board.rows.len() as i32 * side;
        if !board.title.is_empty() {
            let x = left + board.columns.len() as i32 * side / 2;
            picture.words(x, top - LABELS / 2, SIZE, FAINT, shortened(&board.title, 24));
        }
        for (number, name) in board.rows.iter().enumerate() {
            picture.words(
                left - self.names() / 2,
                top + middle(number),
                self.small(name, 8),
                FAINT,
                shortened(name, 8),
            );
        }
        let room = (side / 8).max(2) as usize;
        for (number, name) in board.columns.iter().enumerate() {
            picture.words(
                left + middle(number),
                bottom + LABELS / 2,
                self.small(name, room),
                FAINT,
                shortened(name, room),
            );
        }
        let places = || {
            let rows = board.cells.iter().enumerate();
            rows.flat_map(|(row, cells)| {
                cells.iter().enumerate().map(move |(column, cell)| (row, column, cell))
            })
        };
        for (row, column, cell) in places() {
            if cell.is_some() || looks.chequered {
                let dark = looks.chequered && (board.rows.len() - 1 - row + column).is_multiple_of(2);
                let (x, y) = (left + column as i32 * side, top + row as i32 * side);
                picture.rect(x, y, side - 1, side - 1, 2, if dark { DARK } else { LIGHT });
            }
        }
        for (row, column, cell) in places() {
            let here = (left + middle(column), top + middle(row));
            self.contents(picture, here, cell.as_deref().unwrap_or_default());
        }
    }

    /// The size of letters for a name in a margin.
    fn small(&self, name: &str, room: usize) -> i32 {
        let letters = name.chars().count().min(room);
        if letters <= 2 { SIZE.min(self.side - 4) } else { (SIZE - 2).min(self.side - 4) }
    }

    /// What is in a cell: the first fills it, others are written below.
    fn contents(&self, picture: &mut Picture, (x, y): (i32, i32), contents: &[String]) {
        // What fills the cell lies under what stands on it.
        let is_block = |name: &&String| matches!(self.looks.look(name), Look::Block(_) | Look::Edge(..));
        for name in contents.iter().filter(is_block) {
            self.content(picture, (x, y), self.side, name);
        }
        let standing: Vec<&String> = contents.iter().filter(|name| !is_block(name)).collect();
        match standing[..] {
            [] => {}
            [one] => self.content(picture, (x, y), self.side, one),
            [one, other] => {
                let quarter = self.side / 4;
                self.content(picture, (x, y - quarter), self.side / 2, one);
                self.content(picture, (x, y + quarter), self.side / 2, other);
            }
            _ => {
                let quarter = self.side / 4;
                for (number, name) in standing.iter().take(4).enumerate() {
                    let (right, below) = (number as i32 % 2 * 2 - 1, number as i32 / 2 * 2 - 1);
                    self.content(picture, (x + right * quarter, y + below * quarter), self.side / 2, name);
                }
            }
        }
    }

    fn content(&self, picture: &mut Picture, (x, y): (i32, i32), side: i32, name: &str) {
        match self.looks.look(name) {
            Look::Empty => {}
            Look::Chessman(white, letter) => {
                picture.words(x, y, side * 3 / 4, INK, chessman(*white, *letter));
            }
            Look::Disc(colour, letter) => {
                picture.circle(x, y, side * 3 / 8, colour);
                if let Some(letter) = letter {
                    let ink = if bright(colour) { INK } else { "#fffdf8" };
                    picture.words(x, y, (side * 2 / 5).max(6), ink, letter);
                }
            }
            Look::Block(colour) => picture.rect(x - side / 2, y - side / 2, side - 1, side - 1, 2, colour),
            Look::Edge(right, up) => {
                let (x, y, half) = (x + right * side / 2, y - up * side / 2, side / 2 - 2);
                picture.line((x - up * half, y - right * half), (x + up * half, y + right * half), 4, INK);
            }
            Look::Mark(colour) => {
                picture.words(x, y, side * 2 / 3, colour, name.chars().next().unwrap_or(' '));
            }
            Look::Word => {
                // As large as fits; what does not fit at a readable size is cut.
                let letters = name.chars().count().max(1) as i32;
                let wide = side * if name.chars().any(char::is_uppercase) { 4 } else { 5 } / 3;
                let size = (wide / letters).clamp(9.min(side / 2).max(6), side / 2);
                let room = (wide / size.max(1)).max(1) as usize;
                picture.words(x, y, size, INK, shortened(name, room));
            }
        }
    }
}

/// The sign for a chessman, as a letter and not as a coloured image.
fn chessman(white: bool, letter: char) -> String {
    let place = "KQRBNP".find(letter).unwrap_or(5) as u32;
    let sign = char::from_u32(if white { 0x2654 } else { 0x265A } + place).unwrap_or(letter);
    format!("{sign}\u{FE0E}")
}

/// Whether dark letters are read on a colour `#rrggbb`.
fn bright(colour: &str) -> bool {
    let part =
        |at: usize| colour.get(at..at + 2).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0);
    3 * part(1) + 6 * part(3) + part(5) > 1500
}
