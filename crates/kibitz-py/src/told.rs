//! A seat of an episode that is refereed elsewhere, as Python sees it: what it is told becomes a view, as planners take it.

use std::sync::{Mutex, MutexGuard, TryLockError};

use kibitz_core::belief;
use kibitz_core::episode::{Played, Tick};
use kibitz_core::real_time::ToldInTime;
use kibitz_core::{Action, Rng, Turn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::count::at_work;
use crate::fault::drive;
use crate::game::Game;
use crate::referee::Referee;
use crate::view::View;

/// A seat that is told what happens by whoever holds the truth elsewhere.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Told {
    game: Py<Game>,
    player: usize,
    role: usize,
    /// The roles' players, in the order of the rules; none for chance's.
    roles: Vec<Option<usize>>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// Where the rules hide something: histories that agree with what was told.
    hidden: Option<belief::Told>,
    /// Follows what happened, or one of those histories: its view is the seat's.
    referee: Referee,
    steps: Vec<Vec<Action>>,
    /// The same where something is hidden and time goes by.
    in_time: Option<(ToldInTime, Vec<Played>)>,
    turns: u64,
}

impl Told {
    /// RuntimeError while another thread is at it: to wait for that one, which may want the GIL, could last for ever.
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(inner)) => Ok(inner.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err("it is busy in another thread")),
        }
    }

    /// What each mover does of what the roles do, or chance.
    fn joint(&self, py: Python<'_>, referee: &Referee, moves: &[String]) -> PyResult<Vec<Action>> {
        let state = referee.state(py);
        let named = |role: usize| state.find_action(py, self.roles[role], &moves[role]).map(Action);
        let turn = referee.turn();
        if turn == Turn::Chance {
            let chance = self.roles.iter().position(Option::is_none);
            return Ok(vec![chance.map_or(Ok(Action(0)), named)?]);
        }
        let role = |mover: usize| self.roles.iter().position(|player| *player == Some(mover));
        turn.movers().iter().filter_map(role).map(named).collect()
    }
}

impl Told {
    /// What may be, at a tick, if nothing is told until then.
    fn at(&self, py: Python<'_>, now: u64) -> PyResult<Referee> {
        let inner = self.inner()?;
        let mut referee = inner.referee.copy(py);
        if inner.in_time.is_some() {
            // What chance does meanwhile is not known.
            referee.advance(py, Tick(now))?;
        } else {
            referee.pass_to(py, now)?;
        }
        Ok(referee)
    }
}

impl Inner {
    fn follow(&mut self, py: Python<'_>, joint: &[Action]) -> PyResult<()> {
        self.referee.follow(py, &Played::new(0, self.referee.turn(), joint))?;
        self.steps.push(joint.to_vec());
        Ok(())
    }
}

#[pymethods]
impl Told {
    /// ValueError for a game whose rules do not speak of roles.
    #[new]
    #[pyo3(signature = (game, player, seed=0))]
    fn new(game: &Bound<'_, Game>, player: usize, seed: u64) -> PyResult<Told> {
        let rules = game.get();
        let player = rules.check_player(player)?;
        let roles: Vec<Option<usize>> = rules.model.roles().into_iter().map(|(_, player)| player).collect();
        let Some(role) = roles.iter().position(|other| *other == Some(player)) else {
            return Err(PyValueError::new_err(format!(
                "{} has no roles: only games made of rules can be refereed elsewhere",
                rules.spec
            )));
        };
        let referee = Referee::begin(game, Rng::new(seed), u64::MAX)?;
        let (secret, timed) = (!rules.model.info().perfect_information, rules.model.has().real_time);
        let hidden =
            (secret && !timed).then(|| belief::Told::new(rules.model.clone(), player, Rng::new(seed)));
        let in_time = (secret && timed)
            .then(|| (ToldInTime::new(rules.model.clone(), player, Rng::new(seed)), Vec::new()));
        let inner = Inner { hidden, referee, steps: Vec::new(), in_time, turns: 0 };
        Ok(Told { game: game.clone().unbind(), player, role, roles, inner: Mutex::new(inner) })
    }

    /// Whether the rules hide something: then it is told what it perceives, else what everybody does.
    #[getter]
    fn hidden(&self) -> PyResult<bool> {
        let inner = self.inner()?;
        Ok(inner.hidden.is_some() || inner.in_time.is_some())
    }

    /// How many turns it was told of.
    #[getter]
    fn turns(&self) -> PyResult<u64> {
        Ok(self.inner()?.turns)
    }

    /// Whether the game is over, where nothing is hidden.
    #[getter]
    fn over(&self) -> PyResult<bool> {
        Ok(self.inner()?.referee.over())
    }

    /// The names of what it may do now, also where that is but one thing; none when the game is over.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let (game, inner) = (self.game.get(), self.inner()?);
        let state = inner.referee.state(py);
        drive(py, game, || match &inner.hidden {
            None if inner.referee.over() => Vec::new(),
            None => game.model.role_moves(&state.state, self.role),
            Some(hidden) => {
                let name =
                    |action: &Action| game.model.action_name(&state.state, Some(self.player), *action);
                hidden.legal().iter().map(name).filter(|name| !name.is_empty()).collect()
            }
        })
    }

    /// Takes in what all roles did in a turn, in the order of the rules, where nothing is hidden. ValueError where that is
    /// not legal; nothing has happened then.
    fn moved(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<()> {
        let mut inner = self.inner()?;
        let refuse = |what: String| Err(PyValueError::new_err(what));
        if inner.hidden.is_some() {
            return refuse(format!("{} hides what others do", self.game.get().spec));
        }
        if moves.len() != self.roles.len() {
            return refuse(format!(
                "there are {} roles, and {} moves were told",
                self.roles.len(),
                moves.len()
            ));
        }
        if inner.referee.over() {
            return refuse("the game is over".to_owned());
        }
        // Every role's move must be one, chance's and that of a role without a choice included.
        let model = self.game.get().model.clone();
        let state = inner.referee.state(py);
        for (role, told) in moves.iter().enumerate() {
            let legal = model.role_moves(&state.state, role);
            let plain =
                |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
            if !legal.iter().any(|name| plain(name) == plain(told)) {
                return refuse(format!("{told} is no legal move of {}", model.roles()[role].0));
            }
        }
        loop {
            let joint = self.joint(py, &inner.referee, &moves)?;
            inner.follow(py, &joint)?;
            if !model.within_turn(&inner.referee.state(py).state) {
                break;
            }
        }
        inner.turns += 1;
        Ok(())
    }

    /// Whether time goes by in it: then it is told when something happened, in ticks from the beginning.
    #[getter]
    fn real_time(&self) -> bool {
        self.game.get().model.has().real_time
    }

    /// The time of the last that it was told, in ticks.
    #[getter]
    fn now(&self) -> PyResult<u64> {
        let inner = self.inner()?;
        Ok(inner.in_time.as_ref().map_or_else(|| inner.referee.now(), |(told, _)| told.now()))
    }

    /// When something happens by itself after that tick, if nobody does anything; None where nothing will.
    fn due(&self, py: Python<'_>, now: u64) -> PyResult<Option<u64>> {
        self.at(py, now)?.due(py)
    }

    /// Takes in what roles did at a tick, in the order of the rules and None for who did nothing, where nothing is hidden and
    /// time goes by. What happens by itself before, nobody needs to say. ValueError where that is not legal; nothing but time
    /// has happened then.
    fn happened(&self, py: Python<'_>, at: u64, moves: Vec<Option<String>>) -> PyResult<()> {
        let mut inner = self.inner()?;
        if moves.len() != self.roles.len() {
            let (roles, found) = (self.roles.len(), moves.len());
            return Err(PyValueError::new_err(format!(
                "there are {roles} roles, and {found} moves were told"
            )));
        }
        inner.referee.pass_to(py, at)?;
        if inner.referee.over() {
            return Err(PyValueError::new_err("the game is over"));
        }
        let state = inner.referee.state(py);
        let turn = inner.referee.turn();
        let named = |role: usize| match &moves[role] {
            Some(name) => state.find_action(py, self.roles[role], name).map(Action),
            None => Ok(Action::WAIT),
        };
        let joint = if turn == Turn::Chance {
            let chance = self.roles.iter().position(Option::is_none);
            vec![chance.map_or(Ok(Action(0)), named)?]
        } else {
            let role = |mover: usize| self.roles.iter().position(|player| *player == Some(mover));
            turn.movers().iter().filter_map(role).map(named).collect::<PyResult<_>>()?
        };
        let idle = |role: &usize| moves[*role].is_some();
        let acts = (0..moves.len()).filter(idle).count();
        if acts == 0 || joint.iter().filter(|action| **action != Action::WAIT).count() < acts {
            return Err(PyValueError::new_err("somebody moved who may not move then"));
        }
        let elapsed = at.saturating_sub(inner.referee.now());
        inner.referee.follow(py, &Played::new(elapsed, turn, &joint))?;
        inner.turns += 1;
        Ok(())
    }

    /// What the seat may know, and do, at a tick, if nothing is told until then: what happens by itself has happened.
    fn view_at(&self, py: Python<'_>, now: u64) -> PyResult<View> {
        self.at(py, now)?.view(py, self.player)
    }

    /// Takes in what happened at a tick where something is hidden and time goes by: the number of its own move, if it made
    /// one, and what it perceived, if anything. After `seconds` it makes do with what it has found. None, or a sentence
    /// where nothing explains what it was told.
    #[pyo3(signature = (at, own, percepts, seconds=None))]
    fn heard_at(
        &self,
        py: Python<'_>,
        at: u64,
        own: Option<u32>,
        percepts: Option<Vec<String>>,
        seconds: Option<f64>,
    ) -> PyResult<Option<String>> {
        let (game, mut guard) = (self.game.get(), self.inner()?);
        let inner = &mut *guard;
        let Some((told, followed)) = inner.in_time.as_mut() else {
            return Err(PyValueError::new_err(format!("{} hides nothing, or has no time", game.spec)));
        };
        let before = told.passed_over();
        let own = own.map(Action);
        let heard = at_work(py, game, seconds, |pace| {
            told.hear(at, own, percepts.as_deref(), &mut || pace.stop())
        })?;
        let passed_over = told.passed_over().filter(|now| before.as_ref() != Some(now));
        let played = told.played().to_vec();
        if !played.starts_with(followed) {
            inner.referee = Referee::begin(self.game.bind(py), Rng::new(0), u64::MAX)?;
            followed.clear();
        }
        for step in &played[followed.len()..] {
            inner.referee.follow(py, step)?;
            followed.push(step.clone());
        }
        inner.turns += 1;
        Ok(heard.err().map_or(passed_over, |trouble| Some(trouble.to_string())))
    }

    /// Takes in a turn where something is hidden, and after which the game goes on: its own move, if that is known, and what
    /// it perceived. After `seconds` it makes do with what it has found. None, or a sentence where nothing explains what it was told: that is passed over, or,
    /// where nothing else will do, all but its own moves.
    #[pyo3(signature = (own, percepts, seconds=None))]
    fn heard(
        &self,
        py: Python<'_>,
        own: Option<&str>,
        percepts: Vec<String>,
        seconds: Option<f64>,
    ) -> PyResult<Option<String>> {
        let (game, mut inner) = (self.game.get(), self.inner()?);
        let Some(hidden) = inner.hidden.as_mut() else {
            return Err(PyValueError::new_err(format!(
                "{} hides nothing: everybody is told all moves",
                game.spec
            )));
        };
        let before = hidden.passed_over();
        let heard = at_work(py, game, seconds, |pace| hidden.hear(own, &percepts, &mut || pace.stop()))?;
        let passed_over = hidden.passed_over().filter(|now| before.as_ref() != Some(now));
        let steps = hidden.steps().to_vec();
        if !steps.starts_with(&inner.steps) {
            inner.referee = Referee::begin(self.game.bind(py), Rng::new(0), u64::MAX)?;
            inner.steps.clear();
        }
        for joint in &steps[inner.steps.len()..] {
            inner.follow(py, joint)?;
        }
        inner.turns += 1;
        Ok(heard.err().map_or(passed_over, |trouble| Some(trouble.to_string())))
    }

    /// All that the seat may know now, for planners. In a history that others do not agree with, `legal` has only what
    /// all allow.
    fn view(&self, py: Python<'_>) -> PyResult<View> {
        let inner = self.inner()?;
        let mut view = inner.referee.view(py, self.player)?;
        if let Some(hidden) = &inner.hidden {
            view.view.legal.retain(|action| hidden.legal().contains(action));
        }
        Ok(view)
    }

    fn __repr__(&self) -> String {
        format!("<Told: player {} of {}>", self.player, self.game.get().spec)
    }
}
