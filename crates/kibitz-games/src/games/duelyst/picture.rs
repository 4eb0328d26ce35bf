//! Drawings.

use super::Duelyst;
use super::state::Position;

impl Duelyst {
    /// In plain characters.
    pub fn draw_text(&self, position: &Position, viewer: Option<usize>) -> String {
        let _ = viewer;
        self.rules.list_facts(position).join("\n")
    }

    /// As SVG.
    pub fn draw_svg(&self, position: &Position, viewer: Option<usize>) -> String {
        let _ = (position, viewer);
        String::new()
    }
}
