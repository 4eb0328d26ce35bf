//! The referee holds the true state of one episode, draws chance, and tells each player what it
//! may know.

use std::sync::Arc;

use kibitz_core::episode::{self as core, History, Step};
use kibitz_core::{Action, Event, Rng, Turn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::{GameFault, drive, fault_since, placed};
use crate::game::Game;
use crate::given::{Chosen, game_named};
use crate::planner::Decision;
use crate::state::State;
use crate::trajectory::Trajectory;
use crate::translate::Between;
use crate::view::View;

/// What a player does: what it decided, or an action.
#[derive(FromPyObject)]
enum Choice<'py> {
    Decision(Bound<'py, Decision>),
    Chosen(Chosen),
}

/// A step as Python gets it: the state after, the joint action, the rewards, the returns so far, and how many ticks the
/// state before it lasted.
type Report = (State, Vec<u32>, Vec<f64>, Vec<f64>, u64);

fn report(py: Python<'_>, game: &Py<Game>, step: &Step, trajectory: &Trajectory) -> Report {
    // A trajectory says nothing of when things happened.
    let trajectory = (!game.get().model.has().real_time).then(|| trajectory.clone());
    let state = State { game: game.clone_ref(py), state: step.after.clone(), trajectory };
    let joint = step.joint.iter().map(|action| action.0).collect();
    (state, joint, step.rewards.clone(), step.returns.clone(), step.elapsed)
}

/// Holds the true state of one episode, draws chance, and tells each player what it may know.
#[pyclass(module = "kibitz._core")]
pub struct Referee {
    game: Py<Game>,
    /// The game as each seat has it.
    seats: Vec<Py<Game>>,
    /// Views are in the numbers of the seats.
    inner: core::Referee,
    opening: Vec<Arc<Step>>,
    /// The trajectories to the first state and to those after each step.
    trajectories: Vec<Trajectory>,
}

fn refused(illegal: &core::Illegal) -> PyErr {
    PyValueError::new_err(illegal.to_string())
}

/// What each player learns of a step, in the numbers of its seat. Fails where a value of the user's cannot be told to
/// a seat.
fn translate_news(
    py: Python<'_>,
    game: &Game,
    seats: &[Py<Game>],
    step: &Step,
    news: &mut [(usize, Event)],
) -> PyResult<()> {
    if step.number.is_multiple_of(64) {
        py.check_signals()?;
    }
    for (player, event) in news {
        let between = Between::new(game, seats[*player].get())?;
        match event {
            Event::Acted(action) => *action = between.action(py, *action)?,
            Event::Observed(told) => *told = between.observation(py, *told, &between, &step.joint)?,
            Event::Passed(_) => {}
        }
    }
    Ok(())
}

impl Referee {
    /// Which step is the next, for errors.
    fn place(&self) -> String {
        format!("step {} of the episode", self.inner.steps() + 1)
    }

    /// Lets the core's referee take steps, which are told to the seats.
    fn let_it<T: Default>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut core::Referee, &mut core::Tell) -> Result<T, core::Fault>,
    ) -> PyResult<T> {
        let game = self.game.clone_ref(py);
        let Referee { seats, inner, trajectories, .. } = self;
        let mut raised = None;
        let mut tell = |step: &Step, news: &mut [(usize, Event)]| {
            let trajectory = trajectories.last().expect("the first is there").then(step.joint.to_vec());
            trajectories.push(trajectory);
            raised = translate_news(py, game.get(), seats, step, news).err();
            raised.is_none()
        };
        let done = drive(py, game.get(), || work(inner, &mut tell));
        let done = done.map_err(|error| placed(py, error, self.place()))?;
        done.map_err(|fault| match (fault, raised) {
            (_, Some(raised)) => raised,
            (core::Fault::Game(why), None) => GameFault::new_err(format!("{}: {why}", game.get().spec)),
            (core::Fault::Refused, None) => PyRuntimeError::new_err("a step was refused"),
        })
    }

    pub fn advance(&mut self, py: Python<'_>, to: core::Tick) -> PyResult<Vec<Arc<Step>>> {
        self.let_it(py, |inner, tell| inner.advance(to, tell))
    }

    /// Where every episode begins; chance has not moved yet.
    pub fn begin(game: &Bound<'_, Game>, chance: Rng, max_steps: u64) -> PyResult<Referee> {
        let rules = game.get();
        let inner = drive(game.py(), rules, || core::Referee::new(rules.model.clone(), chance, max_steps))?;
        let players = rules.model.info().players;
        let seats = (0..players).map(|_| Game::apart(game)).collect::<PyResult<_>>()?;
        let trajectories = vec![Trajectory::default()];
        Ok(Referee { game: game.clone().unbind(), seats, inner, opening: Vec::new(), trajectories })
    }

    /// Takes a step that was played before.
    pub fn follow(&mut self, py: Python<'_>, played: &core::Played) -> PyResult<()> {
        let mut illegal = None;
        let step = self.let_it(py, |inner, tell| match inner.follow(played, tell) {
            Ok(step) => step.map(Some),
            Err(why) => {
                illegal = Some(why);
                Ok(None)
            }
        })?;
        self.opening.extend(step);
        illegal.map_or(Ok(()), |illegal| Err(refused(&illegal)))
    }

    /// Lets time go by in which nobody does anything: what happens by itself happens, but chance does not draw.
    pub fn pass_to(&mut self, py: Python<'_>, now: u64) -> PyResult<()> {
        while self.inner.turn() != Turn::Chance && !self.inner.over() {
            let due = self.inner.due();
            if due == core::Tick::NEVER || due.0 > now {
                self.advance(py, core::Tick(now))?;
                break;
            }
            let (elapsed, turn) = (due.since(self.inner.now()), self.inner.turn());
            let joint = vec![Action::WAIT; turn.width()];
            self.follow(py, &core::Played::new(elapsed, turn, &joint))?;
        }
        Ok(())
    }

    /// Who moves.
    pub fn turn(&self) -> Turn {
        self.inner.turn()
    }

    /// What `player` may know after a history that the core has found: an entry for each mover, one after
    /// the other, and for chance. Choices of a step that is not complete do not count.
    pub fn view_after(game: &Bound<'_, Game>, history: &[Action], player: usize) -> PyResult<View> {
        let mut referee = Referee::begin(game, Rng::new(0), u64::MAX)?;
        let mut rest = history;
        while !referee.inner.over() && rest.len() >= referee.inner.turn().width() {
            let (joint, later) = rest.split_at(referee.inner.turn().width());
            rest = later;
            referee.follow(game.py(), &core::Played::new(0, referee.inner.turn(), joint))?;
        }
        referee.view(game.py(), player)
    }

    /// A number is the same to the referee and to a seat, unless two values fall on one: then it may have come
    /// from either.
    fn check_unambiguous(&self, py: Python<'_>, mover: usize, action: Action) -> PyResult<()> {
        let value = |game: &Py<Game>| game.get().python.as_ref()?.action_value(py, action);
        if let (Some(one), Some(other)) = (value(&self.game), value(&self.seats[mover]))
            && !one.eq(&other)?
        {
            return Err(PyValueError::new_err(format!(
                "two actions of {}, {} and {}, have one number, {}; write the game's actions as whole numbers from 0",
                self.game.get().spec,
                one.repr()?,
                other.repr()?,
                action.0
            )));
        }
        Ok(())
    }

    /// The action of a mover's that is meant.
    fn action(&self, py: Python<'_>, mover: usize, choice: Choice<'_>) -> PyResult<Action> {
        match choice {
            Choice::Decision(decision) => Ok(Action(decision.get().action())),
            Choice::Chosen(Chosen::Number(number)) => {
                if self.inner.turn().movers().contains(mover) {
                    self.check_unambiguous(py, mover, Action(number))?;
                }
                Ok(Action(number))
            }
            Choice::Chosen(Chosen::Name(name)) => {
                self.state(py).find_action(py, Some(mover), &name).map(Action)
            }
        }
    }

    /// What is said of the last steps that were taken.
    fn reports(&self, py: Python<'_>, steps: &[Arc<Step>]) -> Vec<Report> {
        let trajectories = &self.trajectories[self.trajectories.len() - steps.len()..];
        steps
            .iter()
            .zip(trajectories)
            .map(|(step, trajectory)| report(py, &self.game, step, trajectory))
            .collect()
    }
}

/// A round in which Python is asked. Nothing is borrowed meanwhile, so that whoever chooses may look at the referee.
struct Asked<'a, 'py> {
    referee: &'a Bound<'py, Referee>,
    choose: &'a Bound<'py, PyAny>,
    /// What the user's game raised where the core cannot say so.
    raised: Option<PyErr>,
}

impl Asked<'_, '_> {
    fn check(&mut self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }
}

impl core::Table for Asked<'_, '_> {
    type Stop = PyErr;

    fn referee<T>(&mut self, work: impl FnOnce(&mut core::Referee) -> T) -> T {
        let (py, mut referee) = (self.referee.py(), self.referee.borrow_mut());
        let game = referee.game.clone_ref(py);
        let before = game.get().model.faults();
        let result = work(&mut referee.inner);
        if let Some(error) = fault_since(py, game.get(), before) {
            self.raised.get_or_insert(placed(py, error, referee.place()));
        }
        result
    }

    fn ask(&mut self, seat: usize) -> PyResult<core::Answer> {
        self.check()?;
        let choice: Choice<'_> = self.choose.call1((seat,))?.extract()?;
        if let Choice::Decision(decision) = &choice {
            return Ok(core::Answer::from(decision.get().inner()));
        }
        let referee = self.referee.borrow();
        Ok(core::Choice::Act(referee.action(self.referee.py(), seat, choice)?).into())
    }

    /// Who thinks while time goes by may come too late; that is no mistake.
    fn refuse(&mut self, _: usize, illegal: core::Illegal, late: bool) -> PyResult<()> {
        self.check()?;
        if late { Ok(()) } else { Err(refused(&illegal)) }
    }

    fn advance(&mut self, to: core::Tick) -> PyResult<Vec<Arc<Step>>> {
        self.check()?;
        self.referee.borrow_mut().advance(self.referee.py(), to)
    }
}

#[pymethods]
impl Referee {
    /// GameFault if chance moves on and on without a move of a player; with `max_steps`, it stops there before.
    #[new]
    #[pyo3(signature = (game, seed=0, episode=0, *, max_steps=None))]
    fn new(game: &Bound<'_, PyAny>, seed: u64, episode: u64, max_steps: Option<u64>) -> PyResult<Referee> {
        let game = game_named(game)?;
        let chance = Rng::episode(seed, episode, "chance");
        let mut referee = Referee::begin(&game, chance, max_steps.unwrap_or(u64::MAX))?;
        referee.opening = referee.advance(game.py(), core::Tick(0))?;
        Ok(referee)
    }

    /// The referee of an episode that has gone so far: chance's outcomes are given like the players' actions, and
    /// `numbers` is the game whose numbers they are, this one unless another is named. Where chance moves next,
    /// it has not drawn.
    ///
    /// ValueError where the game does not allow it.
    #[staticmethod]
    #[pyo3(signature = (game, joints, numbers=None))]
    fn after(
        game: &Bound<'_, PyAny>,
        joints: Vec<Vec<u32>>,
        numbers: Option<Bound<'_, Game>>,
    ) -> PyResult<Referee> {
        let game = game_named(game)?;
        let (py, rules) = (game.py(), game.get());
        let between = Between::new(numbers.as_ref().unwrap_or(&game).get(), rules)?;
        let mut referee = Referee::begin(&game, Rng::new(0), u64::MAX)?;
        for joint in joints {
            let joint = joint.into_iter().map(|action| between.action(py, Action(action)));
            let joint = joint.collect::<PyResult<Vec<_>>>()?;
            referee.follow(py, &core::Played::new(0, referee.inner.turn(), &joint))?;
        }
        Ok(referee)
    }

    /// The same from a history as bytes, wherever they come from; ValueError, with a sentence, where they are none of
    /// this game.
    #[staticmethod]
    fn from_history(game: &Bound<'_, PyAny>, history: &[u8]) -> PyResult<Referee> {
        let game = game_named(game)?;
        let history = History::from_bytes(history).map_err(PyValueError::new_err)?;
        let (py, players) = (game.py(), game.get().model.info().players);
        if history.players() != players {
            let (found, spec) = (history.players(), &game.get().spec);
            return Err(PyValueError::new_err(format!(
                "this history is of {found} players, but {spec} has {players}"
            )));
        }
        let mut referee = Referee::begin(&game, Rng::new(0), u64::MAX)?;
        for (number, played) in history.iter().enumerate() {
            let wrong = |why: &dyn std::fmt::Display| {
                PyValueError::new_err(format!(
                    "step {} of this history does not fit {}: {why}",
                    number + 1,
                    game.get().spec
                ))
            };
            if number.is_multiple_of(64) {
                py.check_signals()?;
            }
            if !referee.inner.over() && !played.fits(referee.inner.turn()) {
                return Err(wrong(&"others are to move there"));
            }
            referee.follow(py, &played).map_err(|error| {
                if error.is_instance_of::<PyValueError>(py) { wrong(error.value(py)) } else { error }
            })?;
        }
        Ok(referee)
    }

    /// Another referee of the same episode, which goes on by itself, with the same luck.
    pub fn copy(&self, py: Python<'_>) -> Referee {
        Referee {
            game: self.game.clone_ref(py),
            seats: self.seats.iter().map(|seat| seat.clone_ref(py)).collect(),
            inner: self.inner.clone(),
            opening: self.opening.clone(),
            trajectories: self.trajectories.clone(),
        }
    }

    fn __copy__(&self, py: Python<'_>) -> Referee {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Referee {
        self.copy(py)
    }

    /// What was played so far, as bytes that can be kept or sent.
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.history().to_bytes())
    }

    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The truth: for spectators and omniscient planners only.
    #[getter]
    pub fn state(&self, py: Python<'_>) -> State {
        let trajectory = self.trajectories.last().cloned();
        State { game: self.game.clone_ref(py), state: self.inner.state().clone(), trajectory }
    }

    #[getter]
    pub fn over(&self) -> bool {
        self.inner.over()
    }

    /// Whether there is another step: the game is not over, and has not come to `max_steps`.
    #[getter]
    fn goes_on(&self) -> bool {
        self.inner.goes_on()
    }

    /// Who must move; chance has always been drawn already, but for what lies beyond `max_steps`.
    #[getter]
    fn movers(&self) -> Vec<usize> {
        self.inner.turn().movers().iter().collect()
    }

    /// How many steps were taken, chance's included.
    #[getter]
    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    /// Discounted by the game's discount factor.
    #[getter]
    fn returns(&self) -> Vec<f64> {
        self.inner.returns().to_vec()
    }

    /// The rules as that seat has them: what its planner is started on. The referee's own `game` would tell it by
    /// its table of actions what the episode has come to.
    fn seat(&self, py: Python<'_>, player: usize) -> PyResult<Py<Game>> {
        let player = self.game.get().check_player(player)?;
        Ok(self.seats[player].clone_ref(py))
    }

    /// What `player` may know now.
    pub fn view(&self, py: Python<'_>, player: usize) -> PyResult<View> {
        let game = self.game.get();
        let player = game.check_player(player)?;
        let seat = &self.seats[player];
        let between = Between::new(game, seat.get())?;
        let mut view = drive(py, game, || self.inner.view(player))?;
        if let Some(rules) = &game.python {
            rules.put_in_order(py, &mut view.legal)?;
        }
        let legal = view.legal.into_iter().map(|action| between.action(py, action));
        view.legal = legal.collect::<PyResult<Vec<_>>>()?;
        view.legal.sort_unstable();
        let mut steps = self.inner.behind(player).to_vec();
        steps.resize(view.events.len(), None);
        Ok(View {
            game: seat.clone_ref(py),
            view,
            referees: self.game.clone_ref(py),
            now: self.inner.state().clone(),
            steps,
        })
    }

    /// Carries out the movers' actions, or what they decided, and then chance's draws: (state after, joint,
    /// rewards, returns so far, ticks before it) for each step.
    ///
    /// ValueError for an illegal action; nothing has happened then.
    fn apply(&mut self, py: Python<'_>, joint: Vec<Choice<'_>>) -> PyResult<Vec<Report>> {
        let game = self.game.clone_ref(py);
        if !self.inner.over() {
            self.inner.can_go_on().map_err(|illegal| refused(&illegal))?;
        }
        let mut movers = self.inner.turn().movers().iter();
        // Too many are refused below; whose they were does not matter.
        let number = |choice| self.action(py, movers.next().unwrap_or_default(), choice);
        let joint = joint.into_iter().map(number).collect::<PyResult<Vec<_>>>()?;
        let submitted = drive(py, game.get(), || self.inner.submit_all(&joint));
        let submitted = submitted.map_err(|error| placed(py, error, self.place()))?;
        submitted.map_err(|illegal| refused(&illegal))?;
        let taken = self.advance(py, self.inner.now())?;
        Ok(self.reports(py, &taken))
    }

    /// Asks each mover in turn, by its number, what it does, carries that out, and then chance's draws; gives what
    /// `apply` gives.
    ///
    /// ValueError for an illegal action; those after it are not asked.
    fn round(slf: &Bound<'_, Self>, choose: &Bound<'_, PyAny>) -> PyResult<Vec<Report>> {
        let mut clock = {
            let referee = slf.try_borrow_mut()?;
            if !referee.inner.over() {
                referee.inner.can_go_on().map_err(|illegal| refused(&illegal))?;
            }
            core::VirtualClock::at(referee.inner.now())
        };
        let mut asked = Asked { referee: slf, choose, raised: None };
        let taken = core::play_round(&mut asked, &mut clock);
        let done = asked.check().and(taken);
        if done.is_err() {
            slf.borrow_mut().inner.withdraw();
        }
        Ok(slf.borrow().reports(slf.py(), &done?))
    }

    /// What time it is, in ticks from the beginning (`Game.tick` says how long one is).
    #[getter]
    pub fn now(&self) -> u64 {
        self.inner.now().0
    }

    /// When something happens by itself, or what was chosen is carried out; None where it depends on somebody.
    #[getter]
    pub fn due(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let due = drive(py, self.game.get(), || self.inner.due())?;
        Ok((due != core::Tick::NEVER).then_some(due.0))
    }

    /// In a game in real time: what `player` does at this very instant, which is carried out as soon as time advances.
    ///
    /// ValueError where it may not; nothing has happened then, and nobody else needs to know.
    fn submit(&mut self, py: Python<'_>, player: usize, action: Choice<'_>) -> PyResult<()> {
        let player = self.game.get().check_player(player)?;
        let choice = Some(self.action(py, player, action)?).filter(|action| *action != Action::WAIT);
        let game = self.game.clone_ref(py);
        let submitted = drive(py, game.get(), || self.inner.submit(player, choice))?;
        submitted.map_err(|illegal| refused(&illegal))
    }

    /// Lets time go on until then, and gives what `apply` gives: what was submitted is carried out, chance draws, and what
    /// happens by itself happens. Time never goes back.
    #[pyo3(name = "advance", signature = (to=None))]
    fn advance_to(&mut self, py: Python<'_>, to: Option<u64>) -> PyResult<Vec<Report>> {
        let taken = self.advance(py, to.map_or(self.inner.now(), core::Tick))?;
        Ok(self.reports(py, &taken))
    }

    /// GameFault if an episode that is left here has paid what the game never pays, where that can be said.
    fn check_left(&self) -> PyResult<()> {
        self.inner.check_left().map_err(|fault| match fault {
            core::Fault::Game(why) => GameFault::new_err(format!("{}: {why}", self.game.get().spec)),
            core::Fault::Refused => PyRuntimeError::new_err("a step was refused"),
        })
    }

    /// The steps that chance took before the first move, as from `apply`.
    fn opening(&self, py: Python<'_>) -> Vec<Report> {
        let trajectories = &self.trajectories[1..];
        let opening = self.opening.iter().zip(trajectories);
        opening.map(|(step, trajectory)| report(py, &self.game, step, trajectory)).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Referee of {}, {} steps>", self.game.get().spec, self.inner.steps())
    }
}
