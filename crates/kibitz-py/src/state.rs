//! States of games as Python sees them.

use std::sync::Arc;

use kibitz_core::episode::{Illegal, Timing};
use kibitz_core::{Action, Rng, Transition, Turn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::count;
use crate::fault::drive;
use crate::game::Game;
use crate::given::{Chosen, Seed, find_name};
use crate::rules::Truth;
use crate::trajectory::Trajectory;

/// The whole truth at one moment of a game. Immutable here: `step` gives a new one.
#[pyclass(module = "kibitz._core", frozen)]
pub struct State {
    pub game: Py<Game>,
    pub state: Arc<kibitz_core::State>,
    /// The way to it from where the game begins; none for a state that was imagined.
    pub trajectory: Option<Trajectory>,
}

impl State {
    fn drive<T>(&self, py: Python<'_>, work: impl FnOnce(&Game, &kibitz_core::State) -> T) -> PyResult<T> {
        let game = self.game.get();
        drive(py, game, || work(game, &self.state))
    }

    fn turn(&self, py: Python<'_>) -> PyResult<Turn> {
        self.drive(py, |game, state| game.model.turn(state))
    }

    fn check_viewer(&self, viewer: Option<usize>) -> PyResult<Option<usize>> {
        viewer.map(|viewer| self.game.get().check_player(viewer)).transpose()
    }

    /// A player, or the only one who moves.
    fn mover(&self, py: Python<'_>, player: Option<usize>) -> PyResult<usize> {
        if let Some(player) = player {
            return Ok(player);
        }
        let movers = self.movers(py)?;
        match movers.as_slice() {
            [only] => Ok(*only),
            [] => Err(PyValueError::new_err("no player moves here")),
            _ => Err(PyValueError::new_err(format!("several move here: name one of {movers:?}"))),
        }
    }

    /// The actions of a joint one as numbers.
    fn numbers(&self, py: Python<'_>, joint: Vec<Chosen>) -> PyResult<Vec<u32>> {
        let turn = self.turn(py)?;
        let mut who: Vec<Option<usize>> = turn.movers().iter().map(Some).collect();
        who.resize(joint.len().max(who.len()), None);
        joint.into_iter().zip(who).map(|(chosen, who)| chosen.number(py, self, who)).collect()
    }

    /// Whether both are the same state of the same rules, as far as that can be told.
    fn same(&self, py: Python<'_>, other: &State) -> PyResult<bool> {
        if Arc::ptr_eq(&self.state, &other.state) {
            return Ok(true);
        }
        if !self.game.get().equals(py, other.game.get())? {
            return Ok(false);
        }
        if let (Some(one), Some(other)) = (self.value(py), other.value(py)) {
            return one.bind(py).eq(other);
        }
        if self.game.get().model.has().hash {
            return Ok(self.hash(py)? == other.hash(py)?);
        }
        let (Some(one), Some(other)) = (&self.trajectory, &other.trajectory) else { return Ok(false) };
        Ok(one.joints() == other.joints())
    }

    /// What may happen now: a mover's legal actions, or chance's outcomes.
    fn choices(&self, py: Python<'_>, player: Option<usize>) -> PyResult<Vec<Action>> {
        match player {
            Some(player) => {
                let player = self.game.get().check_player(player)?;
                self.drive(py, |game, state| game.legal(state, player))
            }
            None => Ok(self.outcomes(py)?.into_iter().map(|(outcome, _)| Action(outcome)).collect()),
        }
    }
}

#[pymethods]
impl State {
    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The user's own object, where the game is written in Python.
    #[getter]
    fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.game.get().python.as_ref()?;
        self.state.get::<Truth>().value(py)
    }

    #[getter]
    fn over(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.turn(py)? == Turn::Over)
    }

    #[getter]
    fn chance(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.turn(py)? == Turn::Chance)
    }

    #[getter]
    fn movers(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        Ok(self.turn(py)?.movers().iter().collect())
    }

    /// The legal actions of a player, ascending; empty when it is not its turn. Of the only mover, where none is named.
    #[pyo3(signature = (player=None))]
    fn legal(&self, py: Python<'_>, player: Option<usize>) -> PyResult<Vec<u32>> {
        let player = self.mover(py, player)?;
        Ok(self.choices(py, Some(player))?.into_iter().map(|action| action.0).collect())
    }

    /// What a player's legal actions are called, in the order of `legal`.
    #[pyo3(signature = (player=None))]
    fn names(&self, py: Python<'_>, player: Option<usize>) -> PyResult<Vec<String>> {
        let player = self.mover(py, player)?;
        let choices = self.choices(py, Some(player))?;
        let name = |game: &Game, state: &_, action| game.model.action_name(state, Some(player), action);
        self.drive(py, |game, state| choices.iter().map(|action| name(game, state, *action)).collect())
    }

    /// How near each of a mover's legal actions brings it to what it wants, from 0 to 1, in the order of `legal`; None
    /// where the game has no action heuristic.
    fn action_values(&self, py: Python<'_>, player: usize) -> PyResult<Option<Vec<f64>>> {
        let actions = self.choices(py, Some(player))?;
        let mut values = Vec::with_capacity(actions.len());
        let known =
            self.drive(py, |game, state| game.model.action_values(state, player, &actions, &mut values))?;
        Ok(known.then_some(values))
    }

    /// Chance's outcomes with probabilities; ValueError if the game only samples them.
    fn outcomes(&self, py: Python<'_>) -> PyResult<Vec<(u32, f64)>> {
        let game = self.game.get();
        if self.turn(py)? != Turn::Chance {
            return Ok(Vec::new());
        }
        if !game.model.info().explicit_chance {
            let spec = &game.spec;
            return Err(PyValueError::new_err(format!(
                "{spec} only draws chance's outcomes, it does not list them"
            )));
        }
        let outcomes = self.drive(py, |game, state| {
            let mut outcomes = Vec::new();
            game.model.chance(state, &mut outcomes);
            outcomes
        })?;
        Ok(outcomes.into_iter().map(|(outcome, probability)| (outcome.0, probability)).collect())
    }

    /// The next state and each player's reward; ValueError for an illegal action.
    fn step(&self, py: Python<'_>, joint: Vec<Chosen>) -> PyResult<(State, Vec<f64>)> {
        let joint = self.numbers(py, joint)?;
        let (joint, next, rewards) = self.drive(py, |game, state| -> PyResult<_> {
            let joint = game.check_joint(state, &joint)?;
            let mut next = state.clone();
            let mut rewards = vec![0.0; game.model.info().players];
            game.model.step(&mut next, &joint, &mut rewards);
            // A Python game's mistakes in the new state come to light here, where they were made.
            game.model.turn(&next);
            Ok((joint, next, rewards))
        })??;
        let trajectory = self.trajectory.as_ref().map(|trajectory| trajectory.then(joint));
        Ok((State { game: self.game.clone_ref(py), state: Arc::new(next), trajectory }, rewards))
    }

    /// In real time: in how many ticks something happens by itself, if nobody does anything; `None` where nothing will.
    #[getter]
    fn due(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.drive(py, |game, state| match game.model.timing(state) {
            Timing::Due(ticks) => Some(ticks),
            Timing::Turns | Timing::Open => None,
        })
    }

    /// In real time: the state after so many ticks in which nobody chooses and nothing happens; ValueError where something
    /// would.
    fn later(&self, py: Python<'_>, ticks: u64) -> PyResult<State> {
        let next = self.drive(py, |game, state| {
            let most = match game.model.timing(state) {
                Timing::Turns => 0,
                Timing::Open => u64::MAX,
                Timing::Due(most) => most,
            };
            if ticks > most {
                return Err(PyValueError::new_err(Illegal::Time { elapsed: ticks, most }.to_string()));
            }
            let mut next = state.clone();
            if ticks > 0 {
                game.model.pass(&mut next, ticks);
            }
            Ok(next)
        })??;
        let trajectory = self.trajectory.clone().filter(|_| ticks == 0);
        Ok(State { game: self.game.clone_ref(py), state: Arc::new(next), trajectory })
    }

    /// Draws an outcome of chance, with a seed or a `random.Random`.
    fn draw(&self, py: Python<'_>, seed: Seed) -> PyResult<u32> {
        if self.turn(py)? != Turn::Chance {
            return Err(PyValueError::new_err("it is not chance's turn"));
        }
        self.drive(py, |game, state| game.model.draw(state, &mut Rng::new(seed.0)).0)
    }

    /// Plays on to the end, with a seed or a `random.Random`; what each player gets from here on.
    #[pyo3(signature = (seed=Seed(0), policy="random"), text_signature = "($self, seed=0, policy='random')")]
    fn playout(&self, py: Python<'_>, seed: Seed, policy: &str) -> PyResult<Vec<f64>> {
        count::playout_from(py, self.game.get(), &self.state, seed.0, policy)
    }

    /// The name of a player's action, or of chance's outcome where `player` is None.
    fn action_name(&self, py: Python<'_>, player: Option<usize>, action: u32) -> PyResult<String> {
        let player = self.check_viewer(player)?;
        if Action(action) == Action::WAIT && player.is_some() {
            return Ok("wait".to_owned());
        }
        self.drive(py, |game, state| game.model.action_name(state, player, Action(action)))
    }

    /// The legal action of that name; ValueError naming the nearest ones.
    pub fn find_action(&self, py: Python<'_>, player: Option<usize>, name: &str) -> PyResult<u32> {
        let choices = self.choices(py, player)?;
        let names: Vec<String> = self.drive(py, |game, state| {
            choices.iter().map(|action| game.model.action_name(state, player, *action)).collect()
        })?;
        let found = match find_name(names.iter().map(String::as_str), name) {
            Ok(found) => found,
            Err(error) => {
                // Whoever else it was meant for is told whose turn it is.
                let several = names.len() > 1 && self.game.get().model.info().players > 1;
                let Some(player) = player.filter(|_| several) else { return Err(error) };
                let who = self.drive(py, |game, _| game.model.player_name(player))?;
                let what = format!("{who} is to move, and {}", error.value(py));
                return Err(PyValueError::new_err(what));
            }
        };
        Ok(choices[found].0)
    }

    /// Key and words of what `player` was told by the step from `before` to here; (0, "") if nothing.
    fn observation(
        &self,
        py: Python<'_>,
        before: &Bound<'_, State>,
        joint: Vec<u32>,
        player: usize,
    ) -> PyResult<(u64, String)> {
        let before = before.get();
        if !before.game.get().same_rules(self.game.get()) {
            return Err(PyValueError::new_err("the two states belong to different games"));
        }
        let player = self.game.get().check_player(player)?;
        self.drive(py, |game, after| -> PyResult<_> {
            let joint = game.check_joint(&before.state, &joint)?;
            let turn = game.model.turn(&before.state);
            let told = game.model.observe(after, turn, &joint, player);
            if told == kibitz_core::Observation::SILENT {
                return Ok((0, String::new()));
            }
            let step = Transition { before: &*before.state, after, turn, joint: &joint };
            Ok((told.0, game.model.observation_name(&step, player)))
        })?
    }

    /// The evaluator's estimate of the return still to come, if the game has one.
    fn evaluate(&self, py: Python<'_>) -> PyResult<Option<Vec<f64>>> {
        let model = &self.game.get().model;
        let info = model.info();
        if !model.has().evaluator {
            return Ok(None);
        }
        let mut values = vec![0.0; info.players];
        self.drive(py, |game, state| game.model.evaluate(state, &mut values))?;
        Ok(Some(values))
    }

    /// The parts of a legal action but for the last, which is the action itself, if the game tells: its type, its source, ...
    fn factors(&self, py: Python<'_>, player: usize, action: u32) -> PyResult<Option<Vec<u32>>> {
        let has = self.game.get().model.has().factors;
        let mut parts = Vec::new();
        self.drive(py, |game, state| {
            let mut legal = Vec::new();
            if has && player < game.model.info().players && game.model.turn(state).movers().contains(player)
            {
                game.model.legal(state, player, &mut legal);
            }
            if legal.contains(&Action(action)) {
                game.model.factors(state, player, Action(action), &mut parts);
            }
        })?;
        Ok(has.then_some(parts))
    }

    /// The features as a player sees them, each with its name, if the game has some.
    fn features(&self, py: Python<'_>, player: usize) -> PyResult<Option<Vec<(String, f64)>>> {
        let model = &self.game.get().model;
        if !model.has().features || player >= model.info().players {
            return Ok(None);
        }
        let mut values = Vec::new();
        self.drive(py, |game, state| game.model.features(state, player, &mut values))?;
        Ok(Some(model.feature_names().into_iter().zip(values).collect()))
    }

    /// Equal for states with the same future, if the game tells.
    fn hash(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let has = self.game.get().model.has().hash;
        has.then(|| self.drive(py, |game, state| game.model.hash(state))).transpose()
    }

    /// The numbers of what is true here, ascending, each below `Game.atom_count`; None where the game numbers nothing.
    fn atoms(&self, py: Python<'_>) -> PyResult<Option<Vec<u32>>> {
        let has = self.game.get().model.has().atoms;
        let atoms = self.drive(py, |game, state| {
            let mut atoms = Vec::new();
            game.model.atoms(state, &mut atoms);
            atoms.sort_unstable();
            atoms.dedup();
            atoms
        })?;
        Ok(has.then_some(atoms))
    }

    /// What holds, one fact an entry, where the rules are made of facts.
    #[getter]
    fn facts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.drive(py, |game, state| game.model.facts(state))
    }

    /// The names of the legal moves of a role of the rules, also where it has but one.
    fn role_moves(&self, py: Python<'_>, role: usize) -> PyResult<Vec<String>> {
        self.drive(py, |game, state| {
            let known = role < game.model.roles().len();
            if known { game.model.role_moves(state, role) } else { Vec::new() }
        })
    }

    /// Whether the players have moved and chance has still to, in the same turn of the rules.
    #[getter]
    fn within_turn(&self, py: Python<'_>) -> PyResult<bool> {
        self.drive(py, |game, state| game.model.within_turn(state))
    }

    /// What a player was told by the turn that led here, in the words of the rules, where they hide something.
    fn percepts(&self, py: Python<'_>, player: usize) -> PyResult<Vec<String>> {
        let player = self.game.get().check_player(player)?;
        self.drive(py, |game, state| game.model.percepts(state, player))
    }

    /// A drawing in plain characters: of the whole truth, or of what `viewer` may know of it.
    #[pyo3(signature = (viewer=None))]
    fn text(&self, py: Python<'_>, viewer: Option<usize>) -> PyResult<String> {
        let viewer = self.check_viewer(viewer)?;
        self.drive(py, |game, state| game.model.text(state, viewer))
    }

    /// A picture, if the game draws one.
    #[pyo3(signature = (viewer=None))]
    fn svg(&self, py: Python<'_>, viewer: Option<usize>) -> PyResult<Option<String>> {
        let viewer = self.check_viewer(viewer)?;
        let has = self.game.get().model.has().picture;
        has.then(|| self.drive(py, |game, state| game.model.svg(state, viewer))).transpose()
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.svg(py, None)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<State of {}>\n{}", self.game.get().spec, self.text(py, None)?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<State>() else { return Ok(py.NotImplemented()) };
        Ok(self.same(py, other.get())?.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        if let Some(value) = self.value(py) {
            return value.bind(py).hash();
        }
        if let Some(hash) = self.hash(py)? {
            return Ok(hash as isize);
        }
        let joints = self.trajectory.as_ref().map(Trajectory::joints);
        let mut keys = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&joints, &mut keys);
        Ok(std::hash::Hasher::finish(&keys) as isize)
    }

    /// Counts the sequences of joint actions and outcomes of that length from here (shorter if over).
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        count::perft(py, self.game.get(), &self.state, depth)
    }

    /// Copies it so many times, as searches do, and throws the copies away: for benchmarks.
    fn copies(&self, py: Python<'_>, count: u64) -> PyResult<()> {
        count::copies(py, self.game.get(), &self.state, count)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// A state of a game that is written in Python.
    #[staticmethod]
    fn of(game: &Bound<'_, Game>, value: Py<PyAny>) -> PyResult<State> {
        if game.get().python.is_none() {
            let spec = &game.get().spec;
            return Err(PyValueError::new_err(format!("the states of {spec} are not Python's")));
        }
        let state = Arc::new(kibitz_core::State::new(Truth::new(value)));
        Ok(State { game: game.clone().unbind(), state, trajectory: None })
    }

    /// The state that these joint actions lead to from where the game begins, chance's outcomes among them; ValueError
    /// where the game does not allow one.
    #[staticmethod]
    fn after(game: &Bound<'_, Game>, joints: Vec<Vec<u32>>) -> PyResult<State> {
        let mut state = Game::initial(game)?;
        for joint in joints {
            let joint = joint.into_iter().map(Chosen::Number).collect();
            state = state.step(game.py(), joint)?.0;
        }
        Ok(state)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let class = py.get_type::<State>();
        if let Some(value) = self.value(py) {
            return Ok((class.getattr("of")?, (&self.game, value).into_pyobject(py)?.into_any()));
        }
        let Some(trajectory) = &self.trajectory else {
            return Err(PyTypeError::new_err(
                "a state that was imagined cannot be pickled: it has no history of its own",
            ));
        };
        let joints: Vec<Vec<u32>> =
            trajectory.joints().iter().map(|joint| joint.iter().map(|action| action.0).collect()).collect();
        Ok((class.getattr("after")?, (&self.game, joints).into_pyobject(py)?.into_any()))
    }
}
