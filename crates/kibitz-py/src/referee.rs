//! The referee holds the true state of one episode, draws chance, and tells each player what it
//! may know.

use std::sync::Arc;

use kibitz_core::{Action, Event, Observation, Rng, Turn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fault::{GameFault, drive, placed};
use crate::game::{Game, State};
use crate::planner::Decision;
use crate::translate::Between;

/// One step of an episode. Kept as long as it is in somebody's view, for the words of the observations, which few
/// ask for.
struct Step {
    before: Arc<kibitz_core::State>,
    after: Arc<kibitz_core::State>,
    turn: Turn,
    joint: Vec<Action>,
    rewards: Vec<f64>,
}

impl Step {
    /// Who did what, in words.
    fn moves(&self, game: &Game) -> String {
        let name = |who, action| game.model.action_name(&self.before, who, action);
        if self.turn == Turn::Chance {
            return format!("chance: {}", name(None, self.joint[0]));
        }
        let each = self.turn.movers().iter().zip(&self.joint);
        let words = each.map(|(p, a)| format!("{}: {}", game.model.player_name(p), name(Some(p), *a)));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A step that was worked out but not taken yet.
struct Planned {
    step: Arc<Step>,
    /// What each player is told.
    told: Vec<Observation>,
    /// Who moves then.
    turn: Turn,
}

/// What a player does: what it decided, or an action's number.
#[derive(FromPyObject)]
enum Choice<'py> {
    Decision(Bound<'py, Decision>),
    Number(u32),
}

impl Choice<'_> {
    fn number(&self) -> u32 {
        match self {
            Choice::Decision(decision) => decision.get().action(),
            Choice::Number(number) => *number,
        }
    }
}

/// A step as Python gets it: the state after, the joint action, the rewards.
type Report = (State, Vec<u32>, Vec<f64>);

fn report(py: Python<'_>, game: &Py<Game>, step: &Step) -> Report {
    let state = State { game: game.clone_ref(py), state: step.after.clone() };
    (state, step.joint.iter().map(|action| action.0).collect(), step.rewards.clone())
}

/// How far returns may be off what the game declares, for each unit of that: sums are rounded.
const ROUNDING: f64 = 1e-6;

/// Whether returns are numbers and, at the end of an episode, what the game declares.
///
/// # Errors
/// What is wrong with them, in a sentence.
pub fn check_returns(info: &kibitz_core::Info, returns: &[f64], over: bool) -> Result<(), String> {
    if let Some(player) = returns.iter().position(|total| !total.is_finite()) {
        return Err(format!(
            "the return of player {player} is {}, which is not a finite number",
            returns[player]
        ));
    }
    if !over {
        return Ok(()); // who has paid a cost may still earn more
    }
    let (low, high) = (info.min_return, info.max_return);
    let near = ROUNDING * (1.0 + low.abs().max(high.abs()));
    if let Some(player) = returns.iter().position(|total| !(low - near..=high + near).contains(total)) {
        return Err(format!(
            "the return of player {player} is {}, but the game declares {low} to {high}",
            returns[player]
        ));
    }
    let sum: f64 = returns.iter().sum();
    if info.zero_sum && sum.abs() > near * returns.len() as f64 {
        return Err(format!("the returns {returns:?} add up to {sum}, but the game is declared zero-sum"));
    }
    Ok(())
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
    /// The step of each event.
    steps: Vec<Arc<Step>>,
}

impl View {
    /// The joint action behind each event, in the referee's numbers.
    pub fn joints(&self) -> impl Iterator<Item = &[Action]> {
        self.steps.iter().map(|step| &*step.joint)
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

    /// ("acted" | "observed", action or observation key, in words), oldest first.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64, String)>> {
        let (game, player) = (self.referees.get(), self.view.player);
        let describe = |(event, step): (&Event, &Arc<Step>)| match event {
            Event::Acted(action) => {
                let mut each = step.turn.movers().iter().zip(&step.joint);
                let taken = each.find_map(|(mover, taken)| (mover == player).then_some(*taken));
                let name = |taken| game.model.action_name(&step.before, Some(player), taken);
                ("acted", u64::from(action.0), taken.map_or_else(String::new, name))
            }
            Event::Observed(told) => {
                let Step { before, after, turn, joint, .. } = &**step;
                ("observed", told.0, game.model.observation_name(before, after, *turn, joint, player))
            }
        };
        drive(py, game, || self.view.events.iter().zip(&self.steps).map(describe).collect())
    }

    /// The legal actions now, with their names; empty when it is not this player's turn. By number where that
    /// means something, else by name.
    #[getter]
    fn legal(&self, py: Python<'_>) -> PyResult<Vec<(u32, String)>> {
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

    /// What actions of the player are called, by their numbers in the game that is played, as decisions and
    /// information sets have them.
    fn names(&self, py: Python<'_>, actions: Vec<u32>) -> PyResult<Vec<String>> {
        let (game, player) = (self.referees.get(), self.view.player);
        let name = |action: &u32| game.model.action_name(&self.now, Some(player), Action(*action));
        drive(py, game, || actions.iter().map(name).collect())
    }

    /// The position as this player sees it.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let game = self.referees.get();
        drive(py, game, || game.model.text(&self.now, Some(self.view.player)))
    }

    #[getter]
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

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<View of player {}, {}>\n{}", self.view.player, self.game.get().spec, self.text(py)?))
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
    state: Arc<kibitz_core::State>,
    turn: Turn,
    chance: Rng,
    views: Vec<(Vec<Event>, Vec<Arc<Step>>)>,
    returns: Vec<f64>,
    weight: f64,
    /// How many steps were taken, and after how many it stops.
    steps: u64,
    max_steps: u64,
    opening: Vec<Arc<Step>>,
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

    /// Which step is the next, for errors.
    fn place(&self) -> String {
        format!("step {} of the episode", self.steps + 1)
    }

    /// What everybody has got after a step. Checked for every game: what is not a number, or not what the
    /// game declares, would make all figures wrong without a word.
    fn paid(&self, py: Python<'_>, planned: &Planned) -> PyResult<Vec<f64>> {
        let step = &planned.step;
        let add = |(total, reward): (&f64, &f64)| total + self.weight * reward;
        let returns: Vec<f64> = self.returns.iter().zip(&step.rewards).map(add).collect();
        let game = self.game.get();
        match check_returns(game.model.info(), &returns, planned.turn == Turn::Over) {
            Ok(()) => Ok(returns),
            Err(why) => {
                let moves = drive(py, game, || step.moves(game))?;
                Err(GameFault::new_err(format!("{}: {} ({moves}): {why}", game.spec, self.place())))
            }
        }
    }

    /// Takes the step. Nothing has happened if a value of the user's cannot be told to a seat, or if the game
    /// pays what it may not.
    fn take(&mut self, py: Python<'_>, planned: Planned) -> PyResult<Arc<Step>> {
        let returns = self.paid(py, &planned)?;
        let Planned { step, told, turn } = planned;
        let mut news: Vec<(usize, Event)> = Vec::new();
        let mut acted = step.turn.movers().iter().zip(&step.joint).peekable();
        for (player, told) in told.into_iter().enumerate() {
            let between = Between::new(self.game.get(), self.seats[player].get())?;
            if let Some((_, action)) = acted.next_if(|(mover, _)| *mover == player) {
                news.push((player, Event::Acted(between.action(py, *action)?)));
            }
            if told != Observation::SILENT {
                let told = between.observation(py, told, &between, &step.joint)?;
                news.push((player, Event::Observed(told)));
            }
        }
        for (player, event) in news {
            let (events, steps) = &mut self.views[player];
            events.push(event);
            steps.push(step.clone());
        }
        self.returns = returns;
        self.weight *= self.game.get().model.info().discount_after(step.turn);
        self.state = step.after.clone();
        self.turn = turn;
        self.steps += 1;
        Ok(step)
    }

    /// Lets chance draw until a player must move, the game is over or there have been steps enough.
    fn draw(&mut self, py: Python<'_>, taken: &mut Vec<Arc<Step>>) -> PyResult<()> {
        let game = self.game.clone_ref(py);
        let info = game.get().model.info();
        let mut draws = 0u32;
        while self.turn == Turn::Chance && self.steps < self.max_steps {
            // Rules may let chance move for ever.
            draws += 1;
            if draws > info.longest_chance() {
                return Err(GameFault::new_err(format!("{}: {}", game.get().spec, info.endless_chance())));
            }
            if draws.is_multiple_of(64) {
                py.check_signals()?;
            }
            let planned = drive(py, game.get(), || {
                let outcome = game.get().model.draw(&self.state, &mut self.chance);
                self.plan(vec![outcome])
            })
            .map_err(|error| placed(py, error, self.place()))?;
            taken.push(self.take(py, planned)?);
        }
        Ok(())
    }

    /// Where every episode begins; chance has not moved yet.
    fn begin(game: &Bound<'_, Game>, chance: Rng, max_steps: u64) -> PyResult<Referee> {
        let rules = game.get();
        let (state, turn) = drive(game.py(), rules, || {
            let state = rules.model.initial();
            let turn = rules.model.turn(&state);
            (state, turn)
        })?;
        let players = rules.model.info().players;
        Ok(Referee {
            game: game.clone().unbind(),
            seats: (0..players).map(|_| Game::apart(game)).collect::<PyResult<_>>()?,
            state: Arc::new(state),
            turn,
            chance,
            views: vec![(Vec::new(), Vec::new()); players],
            returns: vec![0.0; players],
            weight: 1.0,
            steps: 0,
            max_steps,
            opening: Vec::new(),
        })
    }

    /// What `player` may know after a history that the core has found: an entry for each mover, one after
    /// the other, and for chance. Choices of a step that is not complete do not count.
    pub fn view_after(game: &Bound<'_, Game>, history: &[Action], player: usize) -> PyResult<View> {
        let mut referee = Referee::begin(game, Rng::new(0), u64::MAX)?;
        let mut rest = history;
        while referee.turn != Turn::Over && rest.len() >= referee.turn.width() {
            let (joint, later) = rest.split_at(referee.turn.width());
            rest = later;
            let planned = drive(game.py(), game.get(), || referee.plan(joint.to_vec()))?;
            referee.take(game.py(), planned)?;
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

    fn reports(&self, py: Python<'_>, steps: &[Arc<Step>]) -> Vec<Report> {
        steps.iter().map(|step| report(py, &self.game, step)).collect()
    }
}

#[pymethods]
impl Referee {
    /// GameFault if chance moves on and on without a move of a player; with `max_steps`, it stops there before.
    #[new]
    #[pyo3(signature = (game, seed=0, episode=0, *, max_steps=None))]
    fn new(game: Bound<'_, Game>, seed: u64, episode: u64, max_steps: Option<u64>) -> PyResult<Referee> {
        let chance = Rng::episode(seed, episode, "chance");
        let mut referee = Referee::begin(&game, chance, max_steps.unwrap_or(u64::MAX))?;
        let mut opening = Vec::new();
        referee.draw(game.py(), &mut opening)?;
        referee.opening = opening;
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
        game: Bound<'_, Game>,
        joints: Vec<Vec<u32>>,
        numbers: Option<Bound<'_, Game>>,
    ) -> PyResult<Referee> {
        let (py, rules) = (game.py(), game.get());
        let between = Between::new(numbers.as_ref().unwrap_or(&game).get(), rules)?;
        let mut referee = Referee::begin(&game, Rng::new(0), u64::MAX)?;
        let mut opening = Vec::new();
        for joint in joints {
            let joint = joint.into_iter().map(|action| Ok(between.action(py, Action(action))?.0));
            let joint = joint.collect::<PyResult<Vec<_>>>()?;
            let planned = drive(py, rules, || {
                rules.check_joint(&referee.state, &joint).map(|joint| referee.plan(joint))
            })??;
            opening.push(referee.take(py, planned)?);
        }
        referee.opening = opening;
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

    /// Who must move; chance has always been drawn already, but for what lies beyond `max_steps`.
    #[getter]
    fn movers(&self) -> Vec<usize> {
        self.turn.movers().iter().collect()
    }

    /// How many steps were taken, chance's included.
    #[getter]
    fn steps(&self) -> u64 {
        self.steps
    }

    /// Discounted by the game's discount factor.
    #[getter]
    fn returns(&self) -> Vec<f64> {
        self.returns.clone()
    }

    /// The rules as that seat has them: what its planner is started on. The referee's own `game` would tell it by
    /// its table of actions what the episode has come to.
    fn seat(&self, py: Python<'_>, player: usize) -> PyResult<Py<Game>> {
        let player = self.game.get().check_player(player)?;
        Ok(self.seats[player].clone_ref(py))
    }

    /// What `player` may know now.
    fn view(&self, py: Python<'_>, player: usize) -> PyResult<View> {
        let game = self.game.get();
        let player = game.check_player(player)?;
        let seat = &self.seats[player];
        let between = Between::new(game, seat.get())?;
        let mut legal = drive(py, game, || game.legal(&self.state, player))?;
        if let Some(rules) = &game.python {
            rules.put_in_order(py, &mut legal)?;
        }
        let legal = legal.into_iter().map(|action| between.action(py, action));
        let mut legal = legal.collect::<PyResult<Vec<_>>>()?;
        legal.sort_unstable();
        let (events, steps) = self.views[player].clone();
        Ok(View {
            game: seat.clone_ref(py),
            view: kibitz_core::View { player, events, legal },
            referees: self.game.clone_ref(py),
            now: self.state.clone(),
            steps,
        })
    }

    /// Carries out the movers' actions, or what they decided, and then chance's draws: (state after, joint,
    /// rewards) for each step.
    ///
    /// ValueError for an illegal action; nothing has happened then.
    fn apply(&mut self, py: Python<'_>, joint: Vec<Choice<'_>>) -> PyResult<Vec<Report>> {
        let game = self.game.clone_ref(py);
        if self.turn == Turn::Chance {
            return Err(PyValueError::new_err("this episode was broken off while chance moved"));
        }
        if self.steps >= self.max_steps && self.turn != Turn::Over {
            return Err(PyValueError::new_err(format!("this episode ends after {} steps", self.max_steps)));
        }
        for (mover, choice) in self.turn.movers().iter().zip(&joint) {
            if let Choice::Number(action) = choice {
                self.check_unambiguous(py, mover, Action(*action))?;
            }
        }
        let joint: Vec<u32> = joint.iter().map(Choice::number).collect();
        let planned = drive(py, game.get(), || {
            game.get().check_joint(&self.state, &joint).map(|joint| self.plan(joint))
        })
        .map_err(|error| placed(py, error, self.place()))??;
        let mut taken = vec![self.take(py, planned)?];
        self.draw(py, &mut taken)?;
        Ok(self.reports(py, &taken))
    }

    /// The steps that chance took before the first move, as from `apply`.
    fn opening(&self, py: Python<'_>) -> Vec<Report> {
        self.reports(py, &self.opening)
    }

    fn __repr__(&self) -> String {
        format!("<Referee of {}, {} steps>", self.game.get().spec, self.steps)
    }
}
