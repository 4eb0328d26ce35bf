//! Drawing: grids in plain characters, and self-contained SVG.
//!
//! A picture paints its own background, so that it reads on light and dark pages alike.

use std::fmt::{Display, Write};

/// The background of pictures.
pub const PAPER: &str = "#f5f0e6";
/// Writing and outlines.
pub const INK: &str = "#2f2a26";
/// Writing that should not catch the eye.
pub const FAINT: &str = "#8a8074";
/// Light squares.
pub const LIGHT: &str = "#ead9ba";
/// Dark squares.
pub const DARK: &str = "#c09a6b";
/// Pieces and marks of the first player.
pub const FIRST: &str = "#c8443a";
/// Pieces and marks of the second player.
pub const SECOND: &str = "#2d6a9f";
/// Something good.
pub const GOOD: &str = "#4f9a52";

/// An SVG picture under construction. Lengths are in pixels, places from the top left corner.
pub struct Picture {
    width: i32,
    height: i32,
    body: String,
}

impl Picture {
    /// An empty sheet.
    pub fn new(width: i32, height: i32) -> Picture {
        let mut picture = Picture { width, height, body: String::new() };
        picture.rect(0, 0, width, height, 6, PAPER);
        picture
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.write_fmt(element).expect("writing to a string never fails");
    }

    /// A filled rectangle with corners rounded by `round`.
    pub fn rect(&mut self, x: i32, y: i32, width: i32, height: i32, round: i32, fill: &str) {
        self.add(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{round}" fill="{fill}"/>"#
        ));
    }

    /// A rectangle that what lies below shows through: `much` is from 0, not to be seen, to 1.
    pub fn tint(&mut self, x: i32, y: i32, width: i32, height: i32, fill: &str, much: f64) {
        self.add(format_args!(
            concat!(
                r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" "#,
                r#"fill="{fill}" fill-opacity="{much:.2}"/>"#
            ),
            x = x,
            y = y,
            width = width,
            height = height,
            fill = fill,
            much = much
        ));
    }

    /// Several filled squares alike, by their top left corners.
    pub fn squares(&mut self, corners: &[(i32, i32)], side: i32, fill: &str) {
        let square = |(x, y): &(i32, i32)| format!("M{x} {y}h{side}v{side}h-{side}z");
        let path: String = corners.iter().map(square).collect();
        self.add(format_args!(r#"<path d="{path}" fill="{fill}"/>"#));
    }

    /// A filled circle with a thin outline.
    pub fn circle(&mut self, x: i32, y: i32, radius: i32, fill: &str) {
        self.add(format_args!(
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{INK}" stroke-opacity=".5"/>"#
        ));
    }

    /// A ring.
    pub fn ring(&mut self, x: i32, y: i32, radius: i32, width: i32, colour: &str) {
        self.add(format_args!(
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    /// A straight line.
    pub fn line(&mut self, from: (i32, i32), to: (i32, i32), width: i32, colour: &str) {
        let ((x, y), (u, v)) = (from, to);
        self.add(format_args!(
            r#"<path d="M{x} {y}L{u} {v}" stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>"#
        ));
    }

    /// Several straight lines alike.
    pub fn lines(&mut self, lines: &[[(i32, i32); 2]], width: f64, colour: &str) {
        let path: String = lines.iter().map(|[(x, y), (u, v)]| format!("M{x} {y}L{u} {v}")).collect();
        self.add(format_args!(r#"<path d="{path}" stroke="{colour}" stroke-width="{width}"/>"#));
    }

    /// The outline of a rectangle with corners rounded by `round`.
    pub fn frame(&mut self, (x, y): (i32, i32), (width, height): (i32, i32), round: i32, colour: &str) {
        self.add(format_args!(
            concat!(
                r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{round}" "#,
                r#"fill="none" stroke="{colour}" stroke-width="1.5"/>"#
            ),
            x = x,
            y = y,
            width = width,
            height = height,
            round = round,
            colour = colour
        ));
    }

    /// Words centred on a point, upside down.
    pub fn turned_words(&mut self, x: i32, y: i32, size: i32, colour: &str, words: impl Display) {
        let words = escaped(&words.to_string());
        self.add(format_args!(
            r#"<text transform="translate({x} {y})rotate(180)" font-size="{size}" fill="{colour}">{words}</text>"#
        ));
    }

    /// Words centred on a point.
    pub fn words(&mut self, x: i32, y: i32, size: i32, colour: &str, words: impl Display) {
        let words = escaped(&words.to_string());
        self.add(format_args!(
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{colour}">{words}</text>"#
        ));
    }

    /// A line of words from a point to the right, in letters of one width, spaces kept.
    pub fn line_of_words(&mut self, x: i32, y: i32, size: i32, colour: &str, words: &str) {
        let words = escaped(words).replace(' ', "\u{A0}");
        self.add(format_args!(
            concat!(
                r#"<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" "#,
                r#"text-anchor="start" font-family="monospace">{words}</text>"#
            ),
            x = x,
            y = y,
            size = size,
            colour = colour,
            words = words
        ));
    }

    /// The finished picture.
    pub fn finish(self) -> String {
        let Picture { width, height, body } = self;
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" "#,
                r#"font-family="sans-serif" text-anchor="middle" dominant-baseline="central">{body}</svg>"#
            ),
            w = width,
            h = height,
            body = body
        )
    }
}

/// Words as they may stand in SVG.
fn escaped(words: &str) -> String {
    let plain: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A board of squares, row 0 at the bottom, with coordinates as in chess and a line below it.
pub struct Board {
    /// The sheet it is drawn on.
    pub picture: Picture,
    rows: i32,
}

impl Board {
    /// The length of a square's side.
    pub const SQUARE: i32 = 48;
    const MARGIN: i32 = 24;

    /// A board whose square in a column and row has the colour that `paint` gives.
    pub fn new(columns: u32, rows: u32, caption: &str, paint: impl Fn(u32, u32) -> &'static str) -> Board {
        let mut board = Board::bare(columns, rows, caption, paint);
        for row in 0..rows {
            let (_, y) = board.centre(0, row);
            board.picture.words(Board::MARGIN / 2, y, 12, FAINT, row + 1);
        }
        board.below_columns(columns, column_letter);
        board
    }

    /// The same with numbered columns and nameless rows.
    pub fn numbered(
        columns: u32,
        rows: u32,
        caption: &str,
        paint: impl Fn(u32, u32) -> &'static str,
    ) -> Board {
        let mut board = Board::bare(columns, rows, caption, paint);
        board.below_columns(columns, |column| column + 1);
        board
    }

    fn below_columns<T: Display>(&mut self, columns: u32, label: impl Fn(u32) -> T) {
        for column in 0..columns {
            let (x, y) = self.centre(column, 0);
            self.picture.words(x, y + (Board::SQUARE + Board::MARGIN) / 2, 12, FAINT, label(column));
        }
    }

    fn bare(columns: u32, rows: u32, caption: &str, paint: impl Fn(u32, u32) -> &'static str) -> Board {
        let (width, height) = (columns as i32 * Board::SQUARE, rows as i32 * Board::SQUARE);
        let margins = 2 * Board::MARGIN;
        let mut picture = Picture::new(width + margins, height + margins + 20);
        picture.words((width + margins) / 2, height + margins + 4, 14, INK, caption);
        let mut board = Board { picture, rows: rows as i32 };
        for row in 0..rows {
            for column in 0..columns {
                let (x, y) = board.centre(column, row);
                let (half, side) = (Board::SQUARE / 2, Board::SQUARE);
                board.picture.rect(x - half, y - half, side - 1, side - 1, 2, paint(column, row));
            }
        }
        board
    }

    /// The middle of a square.
    pub fn centre(&self, column: u32, row: u32) -> (i32, i32) {
        let place = |index: i32| Board::MARGIN + index * Board::SQUARE + Board::SQUARE / 2;
        (place(column as i32), place(self.rows - 1 - row as i32))
    }

    /// A round piece.
    pub fn piece(&mut self, column: u32, row: u32, colour: &str) {
        let (x, y) = self.centre(column, row);
        self.picture.circle(x, y, Board::SQUARE * 3 / 8, colour);
    }
}

/// The colour of a square of a chequered board.
pub fn chequered(column: u32, row: u32) -> &'static str {
    if (column + row).is_multiple_of(2) { DARK } else { LIGHT }
}

/// a, b, c and so on.
pub fn column_letter(column: u32) -> char {
    char::from(b'a' + column as u8)
}

/// The name of a square as in chess: column letter and row number, row 0 being called 1.
pub fn square_name(column: u32, row: u32) -> String {
    format!("{}{}", column_letter(column), row + 1)
}

/// A grid in plain characters with coordinates, row 0 at the bottom.
pub fn grid(columns: u32, rows: u32, at: impl Fn(u32, u32) -> char) -> String {
    let mut text = String::new();
    for row in (0..rows).rev() {
        write!(text, "{:>2} ", row + 1).expect("writing to a string never fails");
        for column in 0..columns {
            text.extend([' ', at(column, row)]);
        }
        text.push('\n');
    }
    text.push_str("   ");
    for column in 0..columns {
        text.extend([' ', column_letter(column)]);
    }
    text.push('\n');
    text
}

/// The size of a playing card.
pub const CARD: (i32, i32) = (46, 66);

impl Picture {
    /// A playing card by its top left corner: its name, or its back where that is not known.
    pub fn card(&mut self, x: i32, y: i32, name: Option<&str>, colour: &str) {
        let (width, height) = CARD;
        self.rect(x, y, width, height, 5, INK);
        match name {
            Some(name) => {
                self.rect(x + 1, y + 1, width - 2, height - 2, 4, "#fffdf8");
                self.words(x + width / 2, y + height / 2, 24, colour, name);
            }
            None => {
                self.rect(x + 1, y + 1, width - 2, height - 2, 4, "#fffdf8");
                self.rect(x + 4, y + 4, width - 8, height - 8, 3, SECOND);
                self.words(x + width / 2, y + height / 2, 24, PAPER, "?");
            }
        }
    }

    /// An empty place for a card.
    pub fn no_card(&mut self, x: i32, y: i32) {
        let (width, height) = CARD;
        self.rect(x, y, width, height, 5, LIGHT);
        self.rect(x + 2, y + 2, width - 4, height - 4, 4, PAPER);
    }
}
