//! A game in which time goes by, and what holds of episodes and of histories.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::abilities::{Abilities, RealTime};
use crate::game::{Action, Game, Info, Observation, Players, Turn};
use crate::model::SharedModel;
use crate::planner::{Decision, Planner};
use crate::rng::{Rng, hash_bytes};
use crate::view::{Event, View};

pub const THROW: Action = Action(0);
pub const DUCK: Action = Action(1);
const CATCH: Observation = Observation(7);
const BANG: Observation = Observation(8);

/// Hot potato: who holds it may throw it, and it flies for three ticks; ten ticks after the beginning it explodes. The
/// other one may duck, at any instant, which nobody sees; who ducks cannot catch, and the potato comes back at once.
pub struct Potato {
    info: Info,
    /// How long the potato lasts; for ever where it does not explode.
    fuse: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    pub holder: usize,
    flies: Option<u64>,
    pub ducks: bool,
    fuse: Option<u64>,
    over: bool,
}

impl Potato {
    pub fn model(fuse: Option<u64>) -> SharedModel {
        let mut info = Info::new(2, -1.0, 1.0);
        (info.perfect_information, info.zero_sum, info.simultaneous) = (false, true, Some(true));
        Arc::new(Potato { info, fuse })
    }
}

impl Game for Potato {
    type State = Held;
    fn info(&self) -> &Info {
        &self.info
    }
    fn initial(&self) -> Held {
        Held { holder: 0, flies: None, ducks: false, fuse: self.fuse, over: false }
    }
    fn turn(&self, state: &Held) -> Turn {
        match state {
            Held { over: true, .. } => Turn::Over,
            Held { flies: Some(_), .. } => Turn::Several(Players(0)),
            _ => Turn::Several(Players::first(2)),
        }
    }
    fn legal(&self, state: &Held, player: usize, actions: &mut Vec<Action>) {
        actions.push(if player == state.holder { THROW } else { DUCK });
    }
    fn abilities(&self) -> Abilities<'_, Held> {
        Abilities { real_time: Some(self), ..Abilities::default() }
    }
    fn step(&self, state: &mut Held, joint: &[Action], rewards: &mut [f64]) {
        if state.fuse == Some(0) {
            state.over = true;
            rewards[state.holder] -= 1.0;
            rewards[1 - state.holder] += 1.0;
        } else if state.flies == Some(0) {
            state.flies = None;
            state.holder = if state.ducks { state.holder } else { 1 - state.holder };
            state.ducks = false;
        } else {
            state.ducks |= joint[1 - state.holder] == DUCK;
            state.flies = (joint[state.holder] == THROW).then_some(3);
        }
    }
    fn observe(&self, after: &Held, _: Turn, joint: &[Action], _: usize) -> Observation {
        if after.over {
            BANG
        } else if joint.contains(&THROW) {
            Observation::of_joint(&[THROW])
        } else if joint.is_empty() {
            CATCH
        } else {
            Observation::SILENT
        }
    }
    fn action_name(&self, _: &Held, _: Option<usize>, action: Action) -> String {
        if action == THROW { "throw" } else { "duck" }.to_owned()
    }
    fn text(&self, state: &Held, _: Option<usize>) -> String {
        format!("{state:?}")
    }
}

impl RealTime<Held> for Potato {
    fn timing(&self, state: &Held) -> Timing {
        match (state.flies, state.fuse) {
            (None, None) => Timing::Open,
            (flies, fuse) => Timing::Due(flies.unwrap_or(u64::MAX).min(fuse.unwrap_or(u64::MAX))),
        }
    }
    fn pass(&self, state: &mut Held, ticks: u64) {
        state.flies = state.flies.map(|left| left - ticks);
        state.fuse = state.fuse.map(|left| left - ticks);
    }
}

/// Does one thing at certain moments.
pub struct Scripted {
    action: Action,
    at: Vec<u64>,
    /// When it was asked.
    asked: Arc<Mutex<Vec<u64>>>,
}

impl Scripted {
    pub fn new(action: Action, at: &[u64]) -> Scripted {
        Scripted { action, at: at.to_vec(), asked: Arc::default() }
    }
}

impl Planner for Scripted {
    fn start(&mut self, _: SharedModel, _: usize, _: u64) -> Result<(), String> {
        Ok(())
    }
    fn act(&mut self, view: &View, _: &mut dyn FnMut() -> bool) -> Result<Decision, String> {
        let now: u64 =
            view.events.iter().map(|event| if let Event::Passed(ticks) = event { *ticks } else { 0 }).sum();
        self.asked.lock().unwrap().push(now);
        self.at.retain(|at| *at >= now);
        let wait = match self.at.first() {
            Some(at) if *at > now => Some(at - now),
            Some(_) if view.legal.contains(&self.action) => {
                self.at.remove(0);
                None
            }
            _ => Some(u64::MAX),
        };
        Ok(Decision { action: self.action, wait, ..Decision::default() })
    }
}

fn referee(fuse: Option<u64>) -> Referee {
    Referee::new(Potato::model(fuse), Rng::new(1), 100)
}

fn play(
    referee: &mut Referee,
    throws: &[u64],
    ducks: &[u64],
) -> Result<Vec<(u64, u64, Vec<Action>)>, Stopped> {
    let mut seats: [Box<dyn Planner>; 2] =
        [Box::new(Scripted::new(THROW, throws)), Box::new(Scripted::new(DUCK, ducks))];
    let mut steps = Vec::new();
    let mut table = Planners { referee, seats: &mut seats, pause: &mut || false };
    drive(&mut table, &mut VirtualClock::default(), &mut |step| {
        steps.push((step.at.0, step.elapsed, step.joint.clone()));
    })?;
    Ok(steps)
}

fn quiet(referee: &mut Referee, to: u64) -> Vec<Arc<Step>> {
    referee.advance(Tick(to), &mut |_, _| true).unwrap()
}

#[test]
fn time_goes_by_and_things_happen_by_themselves() {
    let mut referee = referee(Some(10));
    let steps = play(&mut referee, &[4], &[]).unwrap();
    // It is thrown, caught three ticks later, and explodes ten ticks after the beginning.
    let wait = Action::WAIT;
    assert_eq!(steps, [(4, 4, vec![THROW, wait]), (7, 3, vec![]), (10, 3, vec![wait, wait])]);
    assert_eq!(referee.returns(), [1.0, -1.0]);
    let (thrown, passed) = (Event::Observed(Observation::of_joint(&[THROW])), Event::Passed);
    let told = [passed(4), thrown, passed(3), Event::Observed(CATCH), passed(3), Event::Observed(BANG)];
    assert_eq!(referee.view(1).events, told);
    assert_eq!(referee.view(0).events[1], Event::Acted(THROW));
}

#[test]
fn several_may_move_at_one_instant() {
    let mut referee = referee(Some(10));
    let steps = play(&mut referee, &[4], &[4]).unwrap();
    assert_eq!(steps[0], (4, 4, vec![THROW, DUCK]));
    // It comes back, and the thrower loses.
    assert_eq!(referee.returns(), [-1.0, 1.0]);
}

#[test]
fn what_nobody_sees_leaves_no_trace_in_time() {
    let (mut one, mut other) = (referee(Some(10)), referee(Some(10)));
    play(&mut one, &[8], &[]).unwrap();
    play(&mut other, &[8], &[3]).unwrap();
    assert_eq!(other.history().len(), one.history().len() + 1);
    // After the potato came back, or did not, both end in the same bang at ten: the fuse is shorter than the flight.
    assert_eq!(one.view(0).events, other.view(0).events);
    assert_ne!(one.view(1).events, other.view(1).events);
    assert_ne!(one.view(1).key(), View { events: Vec::new(), ..one.view(1) }.key());
}

#[test]
fn nobody_is_asked_because_of_what_it_does_not_see() {
    let when = [vec![], vec![3]].map(|ducks| {
        let thrower = Scripted::new(THROW, &[8]);
        let asked = thrower.asked.clone();
        let mut seats: [Box<dyn Planner>; 2] = [Box::new(thrower), Box::new(Scripted::new(DUCK, &ducks))];
        let mut referee = referee(Some(20));
        let mut table = Planners { referee: &mut referee, seats: &mut seats, pause: &mut || false };
        drive(&mut table, &mut VirtualClock::default(), &mut |_| ()).unwrap();
        let asked = asked.lock().unwrap().clone();
        (asked, referee.steps())
    });
    // At the beginning, at the moment it waited for, and after the catch, which both are told of.
    assert_eq!(when[0], (vec![0, 8, 11], 3));
    assert_eq!(when[1], (vec![0, 8, 11], 4));
}

#[test]
fn what_is_illegal_on_arrival_changes_nothing() {
    let mut referee = referee(Some(10));
    assert_eq!(referee.due(), Tick(10));
    quiet(&mut referee, 2);
    referee.submit(0, Some(THROW)).unwrap();
    assert_eq!(referee.submit(0, Some(THROW)), Err(Illegal::Again("player 1".to_owned())));
    assert_eq!(quiet(&mut referee, 3).len(), 1);
    // It was on its way while the potato was thrown.
    let (before, view) = (referee.state().get::<Held>().clone(), referee.view(1));
    assert_eq!(referee.submit(1, Some(DUCK)), Err(Illegal::OutOfTurn("player 2".to_owned())));
    assert_eq!(referee.submit_after(1, Some(DUCK), 0), Err(Illegal::Late { chosen: 0, steps: 1 }));
    assert_eq!((referee.state().get::<Held>(), &referee.view(1)), (&before, &view));
    assert_eq!(quiet(&mut referee, 6).len(), 1);
    let illegal = referee.submit(1, Some(DUCK)).unwrap_err();
    assert_eq!(illegal.to_string(), "1 is not a legal action of player 2; legal are 0 (throw)");
    referee.submit(1, None).unwrap();
    referee.submit(1, Some(THROW)).unwrap();
}

#[test]
fn thinking_takes_time_by_other_clocks() {
    /// Each look at it takes two ticks.
    struct Slow(u64);
    impl Clock for Slow {
        fn now(&mut self) -> Tick {
            self.0 += 2;
            Tick(self.0)
        }
        fn wait_until(&mut self, then: Tick) -> Tick {
            self.0 = self.0.max(then.0);
            Tick(self.0)
        }
    }
    let mut referee = referee(Some(10));
    let mut seats: [Box<dyn Planner>; 2] = [
        Box::new(Scripted::new(THROW, &[2])),
        // It means to duck at once; when it is heard, the potato flies already.
        Box::new(Scripted::new(DUCK, &[2])),
    ];
    let mut table = Planners { referee: &mut referee, seats: &mut seats, pause: &mut || false };
    let mut steps = Vec::new();
    drive(&mut table, &mut Slow(0), &mut |step| steps.push((step.at.0, step.joint.clone()))).unwrap();
    // The clock was looked at when the episode began, and before and after the first thought.
    assert_eq!(steps[0], (6, vec![THROW, Action::WAIT]));
    assert_eq!(referee.returns(), [1.0, -1.0]);
}

#[test]
fn where_nothing_happens_by_itself_somebody_must_do_something() {
    let stuck = play(&mut referee(None), &[], &[]).unwrap_err();
    assert_eq!(stuck, Stopped::Illegal(0, Illegal::AllWait(Tick(0))));
    let stuck = play(&mut referee(None), &[5], &[]).unwrap_err();
    assert_eq!(stuck, Stopped::Illegal(0, Illegal::AllWait(Tick(8))));
}

#[test]
fn a_wall_clock_never_goes_back() {
    let mut clock = WallClock::new(std::time::Duration::from_nanos(1));
    let now = clock.now();
    assert!(clock.wait_until(now.after(1000)) >= now.after(1000));
    assert!(clock.wait_until(Tick(0)) >= now.after(1000));
}

/// Two players in turn say a number, and a coin is thrown between them; it is over after six steps.
pub struct Turns(Info);

impl Turns {
    pub fn model() -> SharedModel {
        Arc::new(Turns(Info { discount: 0.5, ..Info::new(2, -10.0, 10.0) }))
    }
}

impl Game for Turns {
    type State = Vec<u32>;
    fn info(&self) -> &Info {
        &self.0
    }
    fn initial(&self) -> Vec<u32> {
        Vec::new()
    }
    fn turn(&self, state: &Vec<u32>) -> Turn {
        match state.len() {
            6 => Turn::Over,
            steps if steps % 3 == 1 => Turn::Chance,
            4.. => Turn::One(1),
            _ => Turn::One(0),
        }
    }
    fn legal(&self, _: &Vec<u32>, _: usize, actions: &mut Vec<Action>) {
        actions.extend([0, 1, 2].map(Action));
    }
    fn chance(&self, _: &Vec<u32>, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend([(Action(0), 0.5), (Action(1), 0.5)]);
    }
    fn step(&self, state: &mut Vec<u32>, joint: &[Action], rewards: &mut [f64]) {
        state.push(joint[0].0);
        rewards[0] += 1.0;
    }
    crate::in_numbers!();
}

#[test]
fn in_a_game_of_turns_time_stands_still() {
    let mut referee = Referee::new(Turns::model(), Rng::new(1), 100);
    assert_eq!(referee.due(), Tick::NEVER);
    assert!(quiet(&mut referee, 50).is_empty());
    assert_eq!(referee.submit(0, None), Err(Illegal::MustMove("player 1".to_owned())));
    assert_eq!(referee.submit(1, Some(Action(0))), Err(Illegal::OutOfTurn("player 2".to_owned())));
    assert!(matches!(referee.submit(0, Some(Action(3))), Err(Illegal::Action { .. })));
    referee.submit(0, Some(Action(2))).unwrap();
    let steps = quiet(&mut referee, 60);
    assert_eq!(steps.iter().map(|step| (step.at.0, step.elapsed)).collect::<Vec<_>>(), [(50, 0), (50, 0)]);
    assert!(referee.view(0).events.iter().all(|event| !matches!(event, Event::Passed(_))));
    assert_eq!((referee.now(), referee.awaited()), (Tick(60), Players(1)));
    // Each of the player's moves counts half as much as the one before.
    assert_eq!(referee.returns(), [1.5, 0.0]);
    while referee.goes_on() {
        let mover = referee.turn().movers().iter().next().unwrap();
        referee.submit(mover, Some(Action(1))).unwrap();
        quiet(&mut referee, 0);
    }
    assert_eq!(referee.submit(0, Some(Action(0))), Err(Illegal::Over));
    // The same again from what was sent.
    let sent = History::from_bytes(&referee.history().to_bytes()).unwrap();
    let mut again = Referee::new(Turns::model(), Rng::new(2), 100);
    for played in sent.iter() {
        assert!(played.fits(again.turn()));
        again.follow(&played, &mut |_, _| true).unwrap().unwrap();
    }
    assert_eq!(again.state().get::<Vec<u32>>(), referee.state().get::<Vec<u32>>());
    assert_eq!((again.returns(), again.view(1)), (referee.returns(), referee.view(1)));
}

#[test]
fn a_limit_ends_it() {
    let mut referee = Referee::new(Turns::model(), Rng::new(1), 1);
    referee.submit_all(&[Action(0)]).unwrap();
    assert_eq!(quiet(&mut referee, 0).len(), 1);
    assert_eq!((referee.goes_on(), referee.submit(0, None)), (false, Err(Illegal::BrokenOff)));
    assert_eq!(referee.can_go_on(), Err(Illegal::BrokenOff));
}

#[test]
fn who_is_told_may_refuse_a_step() {
    let mut referee = Referee::new(Turns::model(), Rng::new(1), 100);
    referee.submit(0, Some(Action(2))).unwrap();
    let refused = referee.advance(Tick(0), &mut |_, _| false);
    assert_eq!(refused.unwrap_err(), Fault::Refused);
    assert_eq!((referee.steps(), referee.returns()), (0, &[0.0, 0.0][..]));
    assert!(referee.view(0).events.is_empty());
}

/// A step that some game may have.
fn played() -> impl Strategy<Value = Played> {
    let number = || prop_oneof![0u32..300, any::<u32>()];
    let elapsed = prop_oneof![Just(0), 0u64..1000, 0..u64::MAX / 64];
    let movers = prop_oneof![Just(None), (0u32..8).prop_map(|bits| Some(Players(bits)))];
    (elapsed, movers, prop::collection::vec(number(), 3)).prop_map(|(elapsed, movers, numbers)| {
        let width = movers.map_or(1, |movers: Players| movers.len());
        let joint = numbers.into_iter().take(width).map(Action).collect();
        Played { elapsed, movers, joint }
    })
}

fn history(steps: &[Played]) -> History {
    let mut history = History::new(3);
    steps.iter().for_each(|played| history.push(played).unwrap());
    history
}

/// The same bytes with a checksum that agrees with them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len().saturating_sub(8));
    let seal = hash_bytes(&bytes).to_le_bytes();
    bytes.extend(seal);
    bytes
}

proptest! {
    // A fixed seed: what passes here passes everywhere.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_was_written(steps in prop::collection::vec(played(), 0..40)) {
        let history = history(&steps);
        let read = History::from_bytes(&history.to_bytes()).unwrap();
        prop_assert_eq!(&read, &history);
        prop_assert_eq!(read.iter().collect::<Vec<_>>(), steps);
    }

    #[test]
    fn every_damage_is_seen(steps in prop::collection::vec(played(), 0..10), at: prop::sample::Index, bit in 0..8u32) {
        let mut bytes = history(&steps).to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(History::from_bytes(&bytes).is_err());
        prop_assert!(History::from_bytes(&bytes[..at]).is_err());
    }

    #[test]
    fn one_history_has_one_spelling(steps in prop::collection::vec(played(), 0..6),
                                    changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)) {
        // Somebody who means it can make the checksum agree.
        let mut bytes = history(&steps).to_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let bytes = sealed(bytes);
        if let Ok(read) = History::from_bytes(&bytes) {
            prop_assert_eq!(read.to_bytes(), bytes);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        prop_assert!(History::from_bytes(&bytes).is_err());
        let begun = [b"kbzh\x01", &bytes[..], &[0; 8]].concat();
        if let Ok(read) = History::from_bytes(&sealed(begun.clone())) {
            prop_assert_eq!(read.to_bytes(), sealed(begun));
        }
    }
}

#[test]
fn wrong_histories_are_answered_with_a_sentence() {
    let sealed = |middle: &[u8]| sealed([b"kbzh", middle, &[0; 8]].concat());
    let cases: [(Vec<u8>, &str); 9] = [
        (b"no".to_vec(), "this is no history: it does not begin with 'kbzh'"),
        (b"kbzh".to_vec(), "this history is cut short"),
        (sealed(&[2, 2, 0]), "this history has version 2, and version 1 is read here"),
        (sealed(&[1, 33, 0]), "this history is of 33 players; there may be 1 to 32"),
        // Nothing is set aside for steps that are only promised.
        (sealed(&[1, 2, 0xff, 0xff, 0xff, 0xff, 0x0f]), "this history is cut short, in step 1"),
        (sealed(&[1, 2, 1, 0, 5, 1]), "this history has a mover who is none of its 2 players, in step 1"),
        (sealed(&[1, 2, 1, 0, 2, 0x80, 0x00]), "number at byte 11 that is written wrongly, in step 1"),
        (sealed(&[1, 2, 1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0x1f]), "an action that is no number below 2^32"),
        (sealed(&[1, 2, 0, 9]), "this history goes on after its last step, with 1 bytes"),
    ];
    for (bytes, words) in cases {
        let why = History::from_bytes(&bytes).unwrap_err();
        assert!(why.contains(words), "{why}");
    }
    let mut damaged = History::new(2).to_bytes();
    damaged[6] ^= 1;
    assert!(History::from_bytes(&damaged).unwrap_err().contains("do not agree with their checksum"));
    let mut history = History::new(2);
    let long = Played { elapsed: u64::MAX, movers: None, joint: vec![Action(0)] };
    history.push(&long).unwrap();
    assert!(history.push(&long).unwrap_err().contains("more ticks"));
    let stranger = Played { elapsed: 0, movers: Some(Players(4)), joint: vec![Action(0)] };
    assert!(history.push(&stranger).unwrap_err().contains("none of the 2 players"));
}
