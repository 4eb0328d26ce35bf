//! What one player may know, as Python sees it.

use std::sync::Arc;

use kibitz_core::episode::Step;
use kibitz_core::{Action, Event};
use pyo3::prelude::*;

use crate::fault::drive;
use crate::game::Game;
use crate::given::find_name;
use crate::translate::Between;

/// All that a player may know: its own actions and observations so far.
#[pyclass(module = "kibitz._core", frozen)]
pub struct View {
    /// The seat's own game, whose numbers the view is in.
    pub game: Py<Game>,
    /// What a planner gets.
    pub view: kibitz_core::View,
    /// The referee's game, whose numbers the steps are in; Python never gets hold of it here, nor of the
    /// truth: both are for words and pictures only.
    pub referees: Py<Game>,
    pub now: Arc<kibitz_core::State>,
    /// The step of each event; none where time went by.
    pub steps: Vec<Option<Arc<Step>>>,
}

impl View {
    /// The joint action behind each event, in the referee's numbers.
    pub fn joints(&self) -> impl Iterator<Item = &[Action]> {
        self.steps.iter().map(|step| step.as_ref().map_or(&[][..], |step| &step.joint))
    }
}

#[pymethods]
impl View {
    /// The rules as the player's seat has them (see `Referee.seat`).
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    #[getter]
    fn player(&self) -> usize {
        self.view.player
    }

    /// ("acted" | "observed" | "passed", action, observation key or ticks, in words), oldest first.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64, String)>> {
        let (game, player) = (self.referees.get(), self.view.player);
        let describe = |(event, step): (&Event, &Option<Arc<Step>>)| match (event, step) {
            (Event::Acted(action), step) => {
                let name = |step: &Arc<Step>| {
                    let taken = step.action_of(player)?;
                    Some(game.model.action_name(&step.before, Some(player), taken))
                };
                ("acted", u64::from(action.0), step.as_ref().and_then(name).unwrap_or_default())
            }
            (Event::Observed(told), Some(step)) => {
                ("observed", told.0, game.model.observation_name(&step.transition(), player))
            }
            (Event::Observed(told), None) => ("observed", told.0, String::new()),
            (Event::Passed(ticks), _) => ("passed", *ticks, format!("{ticks} ticks go by")),
        };
        drive(py, game, || self.view.events.iter().zip(&self.steps).map(describe).collect())
    }

    /// The legal actions now; empty when it is not this player's turn. By number where that means something, else by
    /// name.
    fn legal(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        Ok(self.choices(py)?.into_iter().map(|(action, _)| action).collect())
    }

    /// What actions of the player are called, by their numbers in the game that is played, as decisions and
    /// information sets have them; without any, its legal ones in the order of `legal`.
    #[pyo3(signature = (actions=None))]
    fn names(&self, py: Python<'_>, actions: Option<Vec<u32>>) -> PyResult<Vec<String>> {
        let Some(actions) = actions else {
            return Ok(self.choices(py)?.into_iter().map(|(_, name)| name).collect());
        };
        let (game, player) = (self.referees.get(), self.view.player);
        let name = |action: &u32| game.model.action_name(&self.now, Some(player), Action(*action));
        drive(py, game, || actions.iter().map(name).collect())
    }

    /// The legal action of that name; ValueError naming the nearest ones.
    fn find_action(&self, py: Python<'_>, name: &str) -> PyResult<u32> {
        let choices = self.choices(py)?;
        let found = find_name(choices.iter().map(|(_, name)| &**name), name)?;
        Ok(choices[found].0)
    }

    /// The position as this player sees it.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let game = self.referees.get();
        drive(py, game, || game.model.text(&self.now, Some(self.view.player)))
    }

    /// The same as a picture, if the game draws one.
    fn svg(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let game = self.referees.get();
        let draw = || drive(py, game, || game.model.svg(&self.now, Some(self.view.player)));
        game.model.has().picture.then(draw).transpose()
    }

    /// Equal for two views exactly when their events are.
    #[getter]
    fn key(&self) -> u64 {
        self.view.key()
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.svg(py)
    }

    /// Whether its player may also do nothing now (`kibitz.WAIT`): time goes by in the game.
    #[getter]
    fn may_wait(&self) -> bool {
        self.view.may_wait
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<View of player {}, {}>\n{}", self.view.player, self.game.get().spec, self.text(py)?))
    }
}

impl View {
    /// The legal actions with their names.
    fn choices(&self, py: Python<'_>) -> PyResult<Vec<(u32, String)>> {
        let (game, player) = (self.referees.get(), self.view.player);
        let between = Between::new(self.game.get(), game)?;
        let referees = self.view.legal.iter().map(|action| between.action(py, *action));
        let referees = referees.collect::<PyResult<Vec<_>>>()?;
        let name = |(action, referees): (&Action, &Action)| {
            (action.0, game.model.action_name(&self.now, Some(player), *referees))
        };
        let mut legal: Vec<_> =
            drive(py, game, || self.view.legal.iter().zip(&referees).map(name).collect())?;
        if legal.iter().any(|(action, _)| game.is_hash(*action)) {
            legal.sort_by(|(_, one), (_, other)| natural(one).cmp(natural(other)));
        }
        Ok(legal)
    }
}

/// Words in the order in which people look for them: "row 2" comes before "row 10".
fn natural(words: &str) -> impl Iterator<Item = (u64, &str)> {
    let digit = |character: char| character.is_ascii_digit();
    let mut rest = words;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|next| digit(next) != digit(first)).unwrap_or(rest.len());
        let (part, later) = rest.split_at(end);
        rest = later;
        Some((part.parse().unwrap_or(u64::MAX), part))
    })
}
