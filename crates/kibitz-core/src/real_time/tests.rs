//! Planners of games of turns in real time, and what a seat may believe there.

use std::sync::{Arc, Mutex};

use super::as_turns::{AsTurns, Moment};
use super::past::{Deed, Past, Reader};
use super::*;
use crate::abilities::{Abilities, RealTime};
use crate::belief::BeliefKind;
use crate::episode::tests::{DUCK, Held, Potato, Scripted, THROW};
use crate::episode::{Planners, Referee, Stopped, Timing, VirtualClock, drive};
use crate::game::{Action, Game, Info, Players, Turn};
use crate::model::SharedModel;
use crate::params::Param;
use crate::planner::{Decision, Planner};
use crate::registry;
use crate::rng::Rng;
use crate::spec::Value;
use crate::view::{Event, View};

/// A bell rings after a hundred ticks. Whoever presses first then has won; who presses before has lost.
struct Bell(Info);

impl Bell {
    fn model() -> SharedModel {
        Arc::new(Bell(Info { zero_sum: true, paid_at_end: true, ..Info::new(2, -1.0, 1.0) }))
    }
}

impl Game for Bell {
    /// Ticks until it rings; none once it has; and whether it is over.
    type State = (Option<u64>, bool);
    fn info(&self) -> &Info {
        &self.0
    }
    fn initial(&self) -> Self::State {
        (Some(100), false)
    }
    fn turn(&self, state: &Self::State) -> Turn {
        if state.1 { Turn::Over } else { Turn::Several(Players::first(2)) }
    }
    fn legal(&self, _: &Self::State, _: usize, actions: &mut Vec<Action>) {
        actions.push(Action(0));
    }
    fn step(&self, state: &mut Self::State, joint: &[Action], rewards: &mut [f64]) {
        let pressed: Vec<bool> = joint.iter().map(|action| *action != Action::WAIT).collect();
        if !pressed.contains(&true) {
            state.0 = None;
            return;
        }
        let wins = if state.0.is_none() { 1.0 } else { -1.0 };
        if pressed[0] != pressed[1] {
            let first = if pressed[0] { wins } else { -wins };
            (rewards[0], rewards[1]) = (rewards[0] + first, rewards[1] - first);
        }
        state.1 = true;
    }
    fn action_name(&self, _: &Self::State, _: Option<usize>, _: Action) -> String {
        "press".to_owned()
    }
    fn text(&self, state: &Self::State, _: Option<usize>) -> String {
        format!("{state:?}")
    }
    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { real_time: Some(self), ..Abilities::default() }
    }
}

impl RealTime<(Option<u64>, bool)> for Bell {
    fn timing(&self, state: &(Option<u64>, bool)) -> Timing {
        state.0.map_or(Timing::Open, Timing::Due)
    }
    fn pass(&self, state: &mut (Option<u64>, bool), ticks: u64) {
        state.0 = state.0.map(|left| left - ticks);
    }
    fn tick(&self) -> f64 {
        0.01
    }
}

fn planner(spec: &str) -> Box<dyn Planner> {
    registry::planner(&spec.parse().unwrap()).unwrap()
}

/// The times and joint actions of an episode, and the returns.
type Line = (Vec<(u64, Vec<Action>)>, Vec<f64>);

fn play(model: SharedModel, specs: [&str; 2], seed: u64) -> Result<Line, Stopped> {
    let mut referee = Referee::new(model.clone(), Rng::new(seed), 1000);
    let mut seats = specs.map(planner);
    for (seat, planner) in seats.iter_mut().enumerate() {
        planner
            .start(model.clone(), seat, seed + seat as u64)
            .map_err(|why| Stopped::Planner(seat, why))?;
    }
    let mut steps = Vec::new();
    let mut table = Planners { referee: &mut referee, seats: &mut seats, pause: &mut || false };
    drive(&mut table, &mut VirtualClock::default(), &mut |step| {
        steps.push((step.at.0, step.joint.clone()));
    })?;
    Ok((steps, referee.returns().to_vec()))
}

const PRESS: Action = Action(0);
const WAIT: Action = Action::WAIT;

#[test]
fn planners_of_games_of_turns_wait_and_act() {
    let spec = "uct(simulations=300, quantum=0.5)";
    let (steps, returns) = play(Bell::model(), [spec, spec], 3).unwrap();
    // Both wait until it rings, and press at once.
    assert_eq!(steps, [(100, vec![WAIT, WAIT]), (100, vec![PRESS, PRESS])]);
    assert_eq!(returns, [0.0, 0.0]);
    let others = [
        "nmc(level=1, quantum=0.5)",
        "flat-mc(simulations=100, quantum=0.5)",
        "pomcp(simulations=300, quantum=0.5)",
        "uct(simulations=300, selection=regret-matching, quantum=0.5)",
    ];
    for spec in others {
        let (steps, _) = play(Bell::model(), [spec, spec], 3).unwrap();
        assert_eq!(steps[0], (100, vec![WAIT, WAIT]), "{spec}");
    }
}

#[test]
fn thinking_costs_time() {
    let slow = "uct(simulations=300, quantum=0.5, thinks=0.05)";
    let slower = "uct(simulations=300, quantum=0.5, thinks=simulations/3000)";
    let (steps, returns) = play(Bell::model(), [slow, slower], 3).unwrap();
    // Five ticks of thinking are less than ten.
    assert_eq!(steps, [(100, vec![WAIT, WAIT]), (105, vec![PRESS, WAIT])]);
    assert_eq!(returns, [1.0, -1.0]);
    let (steps, returns) = play(Bell::model(), [slow, "uct(simulations=300, quantum=0.5)"], 3).unwrap();
    assert_eq!((steps.last().unwrap().0, returns), (100, vec![-1.0, 1.0]));
}

#[test]
fn who_sees_clearly_need_not_think_for_long() {
    let whole = "uct(simulations=4000, quantum=0.5, thinks=simulations/20000)";
    let clear = "uct(simulations=4000, quantum=0.5, thinks=simulations/20000, waits=clear)";
    for (specs, wins) in [([whole, clear], -1.0), ([clear, whole], 1.0)] {
        let (steps, returns) = play(Bell::model(), specs, 5).unwrap();
        assert_eq!(returns[0], wins, "{steps:?}");
        assert_eq!(
            play(Bell::model(), specs, 5).unwrap(),
            (steps, returns),
            "the same seed, the same episode"
        );
    }
}

/// A fruit ripens for a hundred ticks and then falls: to pick it pays the more the later it is, and nothing once it has
/// fallen.
struct Fruit(Info);

impl Game for Fruit {
    /// Ticks until it falls; none once it is picked or has fallen.
    type State = Option<u64>;
    fn info(&self) -> &Info {
        &self.0
    }
    fn initial(&self) -> Self::State {
        Some(100)
    }
    fn turn(&self, state: &Self::State) -> Turn {
        if state.is_none() { Turn::Over } else { Turn::Several(Players::first(1)) }
    }
    fn legal(&self, _: &Self::State, _: usize, actions: &mut Vec<Action>) {
        actions.push(PRESS);
    }
    fn step(&self, state: &mut Self::State, joint: &[Action], rewards: &mut [f64]) {
        if joint == [PRESS] {
            rewards[0] = 1.0 - state.unwrap_or(100) as f64 / 100.0;
        }
        *state = None;
    }
    fn action_name(&self, _: &Self::State, _: Option<usize>, _: Action) -> String {
        "pick".to_owned()
    }
    fn text(&self, state: &Self::State, _: Option<usize>) -> String {
        format!("{state:?}")
    }
    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { real_time: Some(self), ..Abilities::default() }
    }
}

impl RealTime<Option<u64>> for Fruit {
    fn timing(&self, state: &Option<u64>) -> Timing {
        state.map_or(Timing::Open, Timing::Due)
    }
    fn pass(&self, state: &mut Option<u64>, ticks: u64) {
        *state = state.map(|left| left - ticks);
    }
    fn tick(&self) -> f64 {
        0.01
    }
}

#[test]
fn who_knows_how_long_a_choice_takes_makes_it_at_the_last_moment() {
    let picked = |spec: &str, hidden: bool| {
        let info = Info { explicit_chance: true, perfect_information: !hidden, ..Info::new(1, 0.0, 1.0) };
        let model: SharedModel = Arc::new(Fruit(info));
        let mut referee = Referee::new(model.clone(), Rng::new(1), 1000);
        let mut seats = [planner(spec)];
        seats[0].start(model, 0, 1).unwrap();
        let mut table = Planners { referee: &mut referee, seats: &mut seats, pause: &mut || false };
        drive(&mut table, &mut VirtualClock::default(), &mut |_| ()).unwrap();
        (referee.now().0, referee.returns()[0])
    };
    // A decision takes ten ticks, or as little as one.
    let whole = "uct(simulations=160, quantum=0.5, thinks=simulations/1600)";
    let clear = "uct(simulations=160, quantum=0.5, thinks=simulations/1600, waits=clear)";
    assert_eq!(picked(whole, false), (60, 0.6));
    let (at, paid) = picked(clear, false);
    assert!((95..100).contains(&at) && paid == at as f64 / 100.0, "{at}");
    // Where something may be hidden, when something happens next is none of a seat's business.
    let (at, _) = picked(clear, true);
    assert!(at <= 60, "{at}");
    // A decision that always takes as long is begun in time.
    let (at, _) = picked("uct(simulations=160, quantum=0.5, thinks=0.1, waits=clear)", false);
    assert!((95..100).contains(&at), "{at}");
}

#[test]
fn time_is_refused_where_there_is_none() {
    let mut planner = planner("uct(simulations=10, thinks=0.5)");
    let turns = crate::episode::tests::Turns::model();
    let why = planner.start(turns, 0, 1).unwrap_err();
    assert!(why.contains("this is a game of turns"), "{why}");
    for (spec, what) in [
        ("uct(quantum=0)", "quantum: 0 is not a time above zero"),
        ("uct(thinks=often)", "thinks: expected free | measured"),
        ("uct(thinks=simulations/0)", "thinks: expected free"),
        ("uct(waits=clear(-1))", "is not above zero"),
        ("random(waits=clear)", "needs a planner that has a budget of simulations"),
    ] {
        let why = registry::planner(&spec.parse().unwrap()).err().unwrap().0;
        assert!(why.contains(what), "{spec}: {why}");
    }
    let read = Thinks::read(&Value::Spec("simulations/20000".parse().unwrap()));
    assert_eq!(read, Ok(Thinks::Simulations(20_000.0)));
}

/// Asks somebody else, and looks at what could be believed meanwhile.
struct Witness {
    inner: Scripted,
    seen: Arc<Mutex<Vec<View>>>,
}

impl Planner for Witness {
    fn start(&mut self, _: SharedModel, _: usize, _: u64) -> Result<(), String> {
        Ok(())
    }
    fn act(&mut self, view: &View, pause: &mut dyn FnMut() -> bool) -> Result<Decision, String> {
        self.seen.lock().unwrap().push(view.clone());
        self.inner.act(view, pause)
    }
}

/// All views of the thrower while somebody ducks at these times, and who held the potato each time.
fn views(throws: &[u64], ducks: &[u64], quantum: u64) -> Vec<(View, Moment)> {
    let model = Potato::model(Some(40));
    let seen: Arc<Mutex<Vec<View>>> = Arc::default();
    let witness = Witness { inner: Scripted::new(THROW, throws), seen: seen.clone() };
    let mut referee = Referee::new(model.clone(), Rng::new(1), 100);
    let mut seats: [Box<dyn Planner>; 2] = [Box::new(witness), Box::new(Scripted::new(DUCK, ducks))];
    let mut table = Planners { referee: &mut referee, seats: &mut seats, pause: &mut || false };
    drive(&mut table, &mut VirtualClock::default(), &mut |_| ()).unwrap();
    let views = seen.lock().unwrap().clone();
    // What a belief makes of them, one after the other.
    let past = Arc::new(Past::default());
    let turns = AsTurns::new(model, 0, past.clone(), quantum);
    let mut reader = Reader::default();
    let kind = BeliefKind::read(&Value::Spec("exact(10000)".parse().unwrap())).unwrap();
    let mut belief = kind.build(&turns, 1000).unwrap();
    let mut rng = Rng::new(1);
    let mut found = Vec::new();
    for view in views {
        let events = reader.read(&past, &view).to_vec();
        let mut legal = view.legal.clone();
        legal.push(WAIT);
        let seen = View { player: 0, events, legal, may_wait: false };
        belief.update(&turns, &seen, &mut rng, &mut || false).unwrap();
        for (world, _) in belief.worlds(&turns, &seen, 10_000).unwrap() {
            found.push((view.clone(), world.state.get::<Moment>().clone()));
        }
    }
    found
}

#[test]
fn a_belief_follows_what_happens_off_the_grid() {
    let found = views(&[7, 23], &[5], 10);
    let holders = |at: u64| -> Vec<(usize, bool)> {
        let held = found.iter().filter(|(_, moment)| moment.now() == at);
        let mut all: Vec<_> =
            held.map(|(_, m)| m.state().get::<Held>()).map(|h| (h.holder, h.ducks)).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(holders(0), [(0, false)]);
    // The other may have ducked at the beginning, which nobody sees.
    assert_eq!(holders(7), [(0, false), (0, true)]);
    // It has ducked: the potato comes back three ticks after it was thrown, and the thrower may throw it again.
    assert_eq!(holders(10), [(0, false)]);
    assert_eq!(holders(23), [(0, false), (0, true)]);
}

#[test]
fn a_view_becomes_moments() {
    let past = Past::default();
    let mut reader = Reader::default();
    let (told, passed) = (Event::Observed(crate::game::Observation(9)), Event::Passed);
    let mut view = View { events: vec![passed(4)], may_wait: true, ..View::new(0) };
    assert!(reader.read(&past, &view).is_empty());
    // Asked at 4, it acts at 6, and is told of that; then it is told of something at 8.
    view.events = vec![passed(6), Event::Acted(THROW), told.clone(), passed(2), told.clone(), passed(1)];
    let events = reader.read(&past, &view).to_vec();
    let deeds: Vec<(u64, Deed)> =
        (0..past.len()).filter_map(|at| past.get(at)).map(|entry| (entry.at, entry.deed)).collect();
    assert_eq!(deeds, [(4, Deed::Waited), (6, Deed::Acted), (8, Deed::Waited), (9, Deed::Asked)]);
    // What is told is told with the time.
    assert_eq!((events.len(), events[1] == events[2]), (3, false));
    let again = Past::default();
    assert_eq!(Reader::default().read(&again, &view), events);
    assert_eq!(again.len(), 3);
}
