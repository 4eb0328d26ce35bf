//! What people hand over in place of plain numbers: names, seeds, games.

use kibitz_core::spec::nearest;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::state::State;

/// An action: its number, or its name.
#[derive(FromPyObject)]
pub enum Chosen {
    /// The number.
    Number(u32),
    /// The name, as people write it.
    Name(String),
}

impl Chosen {
    /// Its number in a state; ValueError naming the nearest ones for a name that no legal action has.
    pub fn number(self, py: Python<'_>, state: &State, player: Option<usize>) -> PyResult<u32> {
        match self {
            Chosen::Number(number) => Ok(number),
            Chosen::Name(name) => state.find_action(py, player, &name),
        }
    }
}

/// Where randomness comes from: a seed, or a `random.Random` that is drawn from.
pub struct Seed(pub u64);

impl<'py> FromPyObject<'_, 'py> for Seed {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Seed> {
        match object.getattr_opt("getrandbits")? {
            Some(draw) => Ok(Seed(draw.call1((64,))?.extract()?)),
            None => Ok(Seed(object.extract()?)),
        }
    }
}

/// A game as people name one: a [`Game`], or whatever `kibitz.load` makes one of.
///
/// # Errors
/// Those of `kibitz.load`.
pub fn game_named<'py>(game: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Game>> {
    match game.cast::<Game>() {
        Ok(game) => Ok(game.clone()),
        Err(_) => Ok(game.py().import("kibitz.games")?.call_method1("load", (game,))?.cast_into()?),
    }
}

/// More legal actions than these are not all named to who has named another one.
const MOST_NAMED: usize = 40;

/// Which of these names is meant, in any case and with any spacing.
///
/// # Errors
/// ValueError naming the nearest ones.
pub fn find_name<'a>(names: impl Iterator<Item = &'a str>, name: &str) -> PyResult<usize> {
    let names: Vec<&str> = names.collect();
    if let Some(found) = names.iter().position(|known| *known == name) {
        return Ok(found);
    }
    // What people type: any case, any spacing, without brackets.
    let plain = |text: &str| {
        let words = text.to_lowercase().replace(['(', ')'], " ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut alike = names.iter().enumerate().filter(|(_, known)| plain(known) == plain(name));
    if let (Some((found, _)), None) = (alike.next(), alike.next()) {
        return Ok(found);
    }
    let near = nearest(name, names.iter().copied());
    Err(PyValueError::new_err(match (names.is_empty(), near.is_empty()) {
        (true, _) => "nobody waits for that choice now".to_owned(),
        (_, false) => format!("no legal action is called '{name}'; did you mean {}?", near.join(" or ")),
        _ if names.len() <= MOST_NAMED => {
            format!("no legal action is called '{name}'; legal are {}", names.join(", "))
        }
        _ => {
            let mut first: Vec<&str> = Vec::new();
            for word in names.iter().filter_map(|known| known.split_whitespace().next()) {
                if !first.contains(&word) && first.len() < MOST_NAMED {
                    first.push(word);
                }
            }
            let (count, shown) = (names.len(), first.join(", "));
            format!("no legal action is called '{name}'; the {count} that are legal begin with {shown}")
        }
    }))
}
