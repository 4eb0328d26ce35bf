//! Pocman drawn: in characters, and as SVG.

use super::maze::NOWHERE;
use super::{NONE, Phase, Pocman, State, words_of};
use crate::draw::{DARK, FAINT, FIRST, GOOD, INK, LIGHT, PAPER, Picture, SECOND, grid};

const SIDE: i32 = 26;

impl Pocman {
    /// The sign of a square; `?` is where there may be food.
    fn mark(&self, state: &State, viewer: Option<usize>, column: u32, row: u32) -> char {
        let square = self.maze.at(column, row);
        if square == NOWHERE {
            return '#';
        }
        if square == state.pocman {
            return if state.power > 0 { '!' } else { '@' };
        }
        let ghosts = &state.ghosts[..self.maze.ghosts.len()];
        let ghost = ghosts.iter().position(|ghost| ghost.square == square);
        if let (Some(number), None) = (ghost, viewer) {
            return char::from(b'A' + number as u8);
        }
        let unknown = match viewer {
            None => !state.served.has(square),
            Some(_) => !state.visited.has(square),
        };
        match (self.maze.pills.has(square), self.maze.food.has(square) && unknown, state.food.has(square)) {
            (true, _, true) => 'o',
            (_, true, _) => '?',
            (_, _, true) if viewer.is_none() => '.',
            _ => ' ',
        }
    }

    fn caption(&self, state: &State) -> String {
        match state.phase {
            Phase::Serve => "food is served".to_owned(),
            Phase::Haunt => "the ghosts move".to_owned(),
            Phase::Move if state.went == NONE => "pocman wakes up".to_owned(),
            Phase::Move if state.power > 0 => {
                format!("strong for {}; {}", state.power, words_of(state.told))
            }
            _ => words_of(state.told),
        }
    }

    pub(super) fn draw_text(&self, state: &State, viewer: Option<usize>) -> String {
        let mark = |column, row| self.mark(state, viewer, column, row);
        format!("{}{}\n", grid(self.maze.columns, self.maze.rows, mark), self.caption(state))
    }

    pub(super) fn draw_svg(&self, state: &State, viewer: Option<usize>) -> String {
        let (columns, rows) = (self.maze.columns as i32, self.maze.rows as i32);
        let mut picture = Picture::new((columns + 2) * SIDE, (rows + 3) * SIDE);
        picture.rect(SIDE / 2, SIDE / 2, (columns + 1) * SIDE, (rows + 1) * SIDE, 8, DARK);
        for (row, column) in
            (0..self.maze.rows).flat_map(|row| (0..self.maze.columns).map(move |column| (row, column)))
        {
            let (x, y) = ((column as i32 + 1) * SIDE, (rows - row as i32) * SIDE);
            let (middle, centre) = (x + SIDE / 2, y + SIDE / 2);
            let mark = self.mark(state, viewer, column, row);
            if mark != '#' {
                picture.rect(x, y, SIDE, SIDE, 0, LIGHT);
            }
            match mark {
                '.' => picture.circle(middle, centre, 3, INK),
                '?' => picture.circle(middle, centre, 2, FAINT),
                'o' => picture.circle(middle, centre, 6, GOOD),
                '@' | '!' => {
                    picture.circle(middle, centre, 11, if mark == '!' { GOOD } else { "#e8b92e" });
                    picture.circle(middle + 2, centre - 5, 2, INK);
                    picture.line((middle + 2, centre + 1), (middle + 11, centre + 1), 3, LIGHT);
                }
                'A'..='D' => {
                    let colour = if state.power > 0 { SECOND } else { FIRST };
                    picture.circle(middle, centre - 1, 10, colour);
                    picture.rect(middle - 10, centre, 20, 10, 2, colour);
                    picture.words(middle, centre, 12, PAPER, mark);
                }
                _ => {}
            }
        }
        picture.words((columns + 2) * SIDE / 2, (rows + 2) * SIDE + SIDE / 4, 13, INK, self.caption(state));
        picture.finish()
    }
}
