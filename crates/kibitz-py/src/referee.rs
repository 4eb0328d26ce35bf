//! The referee holds the true state of one episode, draws chance, and tells each player what it
//! may know.

use std::sync::Arc;

use kibitz_core::{Action, Event, Observation, Rng, Turn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fault::drive;
use crate::game::{Game, State};

/// One step of an episode. Kept for the words of the observations, which few ask for.
struct Step {
    before: Arc<kibitz_core::State>,
    after: Arc<kibitz_core::State>,
    turn: Turn,
    joint: Vec<Action>,
    rewards: Vec<f64>,
}

/// A step that was worked out but not taken yet.
struct Planned {
    step: Arc<Step>,
    /// What each player is told.
    told: Vec<Observation>,
    /// Who moves then.
    turn: Turn,
}

/// A step as Python gets it: the state after, the joint action, the rewards.
type Report = (State, Vec<u32>, Vec<f64>);

fn report(py: Python<'_>, game: &Py<Game>, step: &Step) -> Report {
    let state = State { game: game.clone_ref(py), state: step.after.clone() };
    (state, step.joint.iter().map(|action| action.0).collect(), step.rewards.clone())
}

/// All that a player may know: its own actions and observations so far.
#[pyclass(module = "kibitz._core", frozen)]
pub struct View {
    pub game: Py<Game>,
    /// What a planner gets.
    pub view: kibitz_core::View,
    /// The truth, for words and pictures only; Python never gets hold of it here.
    pub now: Arc<kibitz_core::State>,
    /// The step of each event.
    steps: Vec<Arc<Step>>,
}

impl View {
    /// The joint action behind each event.
    pub fn joints(&self) -> impl Iterator<Item = &[Action]> {
        self.steps.iter().map(|step| &*step.joint)
    }
}

#[pymethods]
impl View {
    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    #[getter]
    fn player(&self) -> usize {
        self.view.player
    }

    /// ("acted" | "observed", action or observation key, in words), oldest first.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64, String)>> {
        let (game, player) = (self.game.get(), self.view.player);
        let describe = |(event, step): (&Event, &Arc<Step>)| match event {
            Event::Acted(action) => {
                ("acted", u64::from(action.0), game.model.action_name(&step.before, Some(player), *action))
            }
            Event::Observed(told) => {
                let Step { before, after, turn, joint, .. } = &**step;
                ("observed", told.0, game.model.observation_name(before, after, *turn, joint, player))
            }
        };
        drive(py, game, || self.view.events.iter().zip(&self.steps).map(describe).collect())
    }

    /// The legal actions now, with their names; empty when it is not this player's turn.
    #[getter]
    fn legal(&self, py: Python<'_>) -> PyResult<Vec<(u32, String)>> {
        let (game, player) = (self.game.get(), self.view.player);
        let name = |action: &Action| (action.0, game.model.action_name(&self.now, Some(player), *action));
        drive(py, game, || self.view.legal.iter().map(name).collect())
    }

    /// The position as this player sees it.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let game = self.game.get();
        drive(py, game, || game.model.text(&self.now, Some(self.view.player)))
    }

    #[getter]
    fn svg(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let game = self.game.get();
        let draw = || drive(py, game, || game.model.svg(&self.now, Some(self.view.player)));
        game.model.info().has.svg.then(draw).transpose()
    }

    /// Equal for two views exactly when their events are.
    #[getter]
    fn key(&self) -> u64 {
        self.view.key()
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.svg(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<View of player {}, {}>\n{}", self.view.player, self.game.get().spec, self.text(py)?))
    }
}

/// Holds the true state of one episode, draws chance, and tells each player what it may know.
#[pyclass(module = "kibitz._core")]
pub struct Referee {
    game: Py<Game>,
    state: Arc<kibitz_core::State>,
    turn: Turn,
    chance: Rng,
    views: Vec<(Vec<Event>, Vec<Arc<Step>>)>,
    returns: Vec<f64>,
    weight: f64,
    steps: Vec<Arc<Step>>,
    opening: usize,
}

impl Referee {
    /// Works one step out; nothing has happened yet, so that a failure leaves no trace.
    fn plan(&self, joint: Vec<Action>) -> Planned {
        let model = &self.game.get().model;
        let players = model.info().players;
        let mut after = (*self.state).clone();
        let mut rewards = vec![0.0; players];
        model.step(&mut after, &joint, &mut rewards);
        let observe = |player| model.observe(&after, self.turn, &joint, player);
        let told = (0..players).map(observe).collect();
        let turn = model.turn(&after);
        let step =
            Step { before: self.state.clone(), after: Arc::new(after), turn: self.turn, joint, rewards };
        Planned { step: Arc::new(step), told, turn }
    }

    /// Takes the step.
    fn take(&mut self, Planned { step, told, turn }: Planned) {
        for (total, reward) in self.returns.iter_mut().zip(&step.rewards) {
            *total += self.weight * reward;
        }
        for (player, action) in step.turn.movers().iter().zip(&step.joint) {
            self.views[player].0.push(Event::Acted(*action));
            self.views[player].1.push(step.clone());
        }
        for ((events, steps), told) in self.views.iter_mut().zip(told) {
            if told != Observation::SILENT {
                events.push(Event::Observed(told));
                steps.push(step.clone());
            }
        }
        if step.turn != Turn::Chance {
            self.weight *= self.game.get().model.info().discount;
        }
        self.state = step.after.clone();
        self.turn = turn;
        self.steps.push(step);
    }

    /// Lets chance draw until a player must move or the game is over.
    fn draw(&mut self, py: Python<'_>) -> PyResult<()> {
        let game = self.game.clone_ref(py);
        let mut draws = 0u32;
        while self.turn == Turn::Chance {
            // Rules may let chance move for ever.
            draws += 1;
            if draws.is_multiple_of(1024) {
                py.check_signals()?;
            }
            let planned = drive(py, game.get(), || {
                let outcome = game.get().model.draw(&self.state, &mut self.chance);
                self.plan(vec![outcome])
            })?;
            self.take(planned);
        }
        Ok(())
    }

    /// Where every episode begins; chance has not moved yet.
    fn begin(game: &Bound<'_, Game>, chance: Rng) -> PyResult<Referee> {
        let rules = game.get();
        let (state, turn) = drive(game.py(), rules, || {
            let state = rules.model.initial();
            let turn = rules.model.turn(&state);
            (state, turn)
        })?;
        let players = rules.model.info().players;
        Ok(Referee {
            game: game.clone().unbind(),
            state: Arc::new(state),
            turn,
            chance,
            views: vec![(Vec::new(), Vec::new()); players],
            returns: vec![0.0; players],
            weight: 1.0,
            steps: Vec::new(),
            opening: 0,
        })
    }

    /// What `player` may know after a history that the core has found: an entry for each mover, one after
    /// the other, and for chance. Choices of a step that is not complete do not count.
    pub fn view_after(game: &Bound<'_, Game>, history: &[Action], player: usize) -> PyResult<View> {
        let mut referee = Referee::begin(game, Rng::new(0))?;
        let mut rest = history;
        while referee.turn != Turn::Over && rest.len() >= referee.turn.width() {
            let (joint, later) = rest.split_at(referee.turn.width());
            rest = later;
            let planned = drive(game.py(), game.get(), || referee.plan(joint.to_vec()))?;
            referee.take(planned);
        }
        referee.view(game.py(), player)
    }

    fn reports(&self, py: Python<'_>, range: std::ops::Range<usize>) -> Vec<Report> {
        self.steps[range].iter().map(|step| report(py, &self.game, step)).collect()
    }
}

#[pymethods]
impl Referee {
    #[new]
    #[pyo3(signature = (game, seed=0, episode=0))]
    fn new(game: Bound<'_, Game>, seed: u64, episode: u64) -> PyResult<Referee> {
        let mut referee = Referee::begin(&game, Rng::episode(seed, episode, "chance"))?;
        referee.draw(game.py())?;
        referee.opening = referee.steps.len();
        Ok(referee)
    }

    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The truth: for spectators and omniscient planners only.
    #[getter]
    fn state(&self, py: Python<'_>) -> State {
        State { game: self.game.clone_ref(py), state: self.state.clone() }
    }

    #[getter]
    fn over(&self) -> bool {
        self.turn == Turn::Over
    }

    /// Who must move; chance has always been drawn already.
    #[getter]
    fn movers(&self) -> Vec<usize> {
        self.turn.movers().iter().collect()
    }

    /// How many steps were taken, chance's included.
    #[getter]
    fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Discounted by the game's discount factor.
    #[getter]
    fn returns(&self) -> Vec<f64> {
        self.returns.clone()
    }

    /// What `player` may know now.
    fn view(&self, py: Python<'_>, player: usize) -> PyResult<View> {
        let game = self.game.get();
        let player = game.check_player(player)?;
        let legal = drive(py, game, || game.legal(&self.state, player))?;
        let (events, steps) = self.views[player].clone();
        Ok(View {
            game: self.game.clone_ref(py),
            view: kibitz_core::View { player, events, legal },
            now: self.state.clone(),
            steps,
        })
    }

    /// Carries out the movers' actions and then chance's draws: (state after, joint, rewards) for
    /// each step.
    ///
    /// ValueError for an illegal action; nothing has happened then.
    fn apply(&mut self, py: Python<'_>, joint: Vec<u32>) -> PyResult<Vec<Report>> {
        let game = self.game.clone_ref(py);
        if self.turn == Turn::Chance {
            return Err(PyValueError::new_err("this episode was broken off while chance moved"));
        }
        let planned = drive(py, game.get(), || {
            game.get().check_joint(&self.state, &joint).map(|joint| self.plan(joint))
        })??;
        let begin = self.steps.len();
        self.take(planned);
        self.draw(py)?;
        Ok(self.reports(py, begin..self.steps.len()))
    }

    /// The steps that chance took before the first move, as from `apply`.
    fn opening(&self, py: Python<'_>) -> Vec<Report> {
        self.reports(py, 0..self.opening)
    }

    fn __repr__(&self) -> String {
        format!("<Referee of {}, {} steps>", self.game.get().spec, self.steps.len())
    }
}
