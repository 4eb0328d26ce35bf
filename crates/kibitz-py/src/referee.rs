//! The referee holds the true state of one episode, draws chance, and tells each player what it
//! may know.

use std::sync::Arc;

use kibitz_core::episode::{self as core, History, Step};
use kibitz_core::{Action, Event, Players, Rng, Turn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::{GameFault, drive, fault_since, placed};
use crate::game::{Game, State, find_name, game_named};
use crate::planner::Decision;
use crate::translate::Between;
use crate::way::{Chosen, Way};

/// What a player does: what it decided, or an action.
#[derive(FromPyObject)]
enum Choice<'py> {
    Decision(Bound<'py, Decision>),
    Chosen(Chosen),
}

/// A step as Python gets it: the state after, the joint action, the rewards, the returns so far, and how many ticks the
/// state before it lasted.
type Report = (State, Vec<u32>, Vec<f64>, Vec<f64>, u64);

fn report(py: Python<'_>, game: &Py<Game>, step: &Step, way: &Way) -> Report {
    // A way says nothing of when things happened.
    let way = (!game.get().model.has().real_time).then(|| way.clone());
    let state = State { game: game.clone_ref(py), state: step.after.clone(), way };
    let joint = step.joint.iter().map(|action| action.0).collect();
    (state, joint, step.rewards.clone(), step.returns.clone(), step.elapsed)
}

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
    steps: Vec<Option<Arc<Step>>>,
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

/// Holds the true state of one episode, draws chance, and tells each player what it may know.
#[pyclass(module = "kibitz._core")]
pub struct Referee {
    game: Py<Game>,
    /// The game as each seat has it.
    seats: Vec<Py<Game>>,
    /// Views are in the numbers of the seats.
    inner: core::Referee,
    opening: Vec<Arc<Step>>,
    /// The ways to the first state and to those after each step.
    ways: Vec<Way>,
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
        let Referee { seats, inner, ways, .. } = self;
        let mut raised = None;
        let mut tell = |step: &Step, news: &mut [(usize, Event)]| {
            let way = ways.last().expect("the first is there").then(step.joint.to_vec());
            ways.push(way);
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
        let ways = vec![Way::default()];
        Ok(Referee { game: game.clone().unbind(), seats, inner, opening: Vec::new(), ways })
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
        let ways = &self.ways[self.ways.len() - steps.len()..];
        steps.iter().zip(ways).map(|(step, way)| report(py, &self.game, step, way)).collect()
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
            ways: self.ways.clone(),
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
        let way = self.ways.last().cloned();
        State { game: self.game.clone_ref(py), state: self.inner.state().clone(), way }
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
        let ways = &self.ways[1..];
        let opening = self.opening.iter().zip(ways);
        opening.map(|(step, way)| report(py, &self.game, step, way)).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Referee of {}, {} steps>", self.game.get().spec, self.inner.steps())
    }
}

/// A step of a history: the ticks before it, who moved (None where chance did), and what was chosen.
type Row = (u64, Option<Vec<usize>>, Vec<u32>);

/// A history of so many players as bytes; ValueError for a step that no game has.
#[pyfunction]
pub fn write_history<'py>(
    py: Python<'py>,
    players: usize,
    steps: Vec<Row>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut history = History::new(players);
    for (elapsed, movers, joint) in steps {
        let bit = |mover: usize| 1u32.checked_shl(mover as u32).unwrap_or(0);
        let movers =
            movers.map(|movers| Players(movers.into_iter().fold(0, |set, mover| set | bit(mover))));
        let joint = joint.into_iter().map(Action).collect();
        history.push(&core::Played { elapsed, movers, joint }).map_err(PyValueError::new_err)?;
    }
    Ok(PyBytes::new(py, &history.to_bytes()))
}

/// How many players a history has, and its steps; ValueError, with a sentence, for bytes that are none.
#[pyfunction]
pub fn read_history(data: &[u8]) -> PyResult<(usize, Vec<Row>)> {
    let history = History::from_bytes(data).map_err(PyValueError::new_err)?;
    let row = |played: core::Played| {
        let movers = played.movers.map(|movers| movers.iter().collect());
        (played.elapsed, movers, played.joint.into_iter().map(|action| action.0).collect())
    };
    Ok((history.players(), history.iter().map(row).collect()))
}
