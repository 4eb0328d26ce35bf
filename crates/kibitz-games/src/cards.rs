//! What games with hidden cards say of them.

/// A card as somebody sees it: its name, if it is visible; a dash, if there is none yet.
pub fn face(is_there: bool, is_visible: bool, name: impl Fn() -> &'static str) -> &'static str {
    match (is_there, is_visible) {
        (false, _) => "-",
        (true, false) => "?",
        (true, true) => name(),
    }
}

/// What `player` is told when `owner` is dealt a card.
pub fn dealt_to(owner: usize, player: usize, card: impl Fn() -> &'static str) -> String {
    match owner == player {
        true => format!("you are dealt {}", card()),
        false => format!("player {} is dealt a card", owner + 1),
    }
}
