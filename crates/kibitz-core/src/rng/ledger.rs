//! Tests only: every stream that is begun, with where it was and what its seed was derived from.

use crate::abilities::{Abilities, Atoms, Evaluate, StateHash};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;
use std::sync::Arc;

use super::{Purpose, Rng, derive};
use crate::episode::{Planners, Referee, VirtualClock, drive};
use crate::game::{Action, Game, Info, Observation, Players, Turn};
use crate::model::SharedModel;
use crate::planner::Planner;
use crate::registry;

thread_local! {
    static LEDGER: RefCell<BTreeMap<u64, Entry>> = const { RefCell::new(BTreeMap::new()) };
}

/// What is known of a seed. Two of anything would be two things that are drawn from the same numbers.
#[derive(Default, Debug)]
struct Entry {
    derived: BTreeSet<(u64, Purpose)>,
    begun: BTreeSet<(&'static str, u32)>,
}

pub(super) fn note(seed: u64, origin: u64, purpose: Purpose) {
    LEDGER.with_borrow_mut(|ledger| ledger.entry(seed).or_default().derived.insert((origin, purpose)));
}

pub(super) fn begin(seed: u64, at: &'static Location) {
    LEDGER.with_borrow_mut(|ledger| ledger.entry(seed).or_default().begun.insert((at.file(), at.line())));
}

/// A few steps of everything there is: chance, one player, several at once; each pays everybody something.
struct Medley {
    info: Info,
}

impl Medley {
    fn model(players: usize, hidden: bool, discount: f64) -> SharedModel {
        let mut info = Info::new(players, -10.0, 10.0);
        (info.perfect_information, info.discount, info.horizon) = (!hidden, discount, Some(9));
        Arc::new(Medley { info })
    }
}

impl Game for Medley {
    type State = Vec<u32>;
    fn info(&self) -> &Info {
        &self.info
    }
    fn initial(&self) -> Vec<u32> {
        Vec::new()
    }
    fn turn(&self, state: &Vec<u32>) -> Turn {
        let players = self.info.players;
        match state.len() {
            0 | 2 | 5 => Turn::Chance,
            3 if players > 1 && !self.info.perfect_information => Turn::Several(Players::first(players)),
            8 => Turn::Over,
            step => Turn::One((step + 1) % players),
        }
    }
    fn legal(&self, _: &Vec<u32>, _: usize, actions: &mut Vec<Action>) {
        actions.extend([0, 1, 2].map(Action));
    }
    fn chance(&self, _: &Vec<u32>, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend([(Action(0), 0.25), (Action(1), 0.25), (Action(2), 0.5)]);
    }
    fn step(&self, state: &mut Vec<u32>, joint: &[Action], rewards: &mut [f64]) {
        state.push(joint.iter().fold(0, |sum, action| 3 * sum + action.0));
        let luck = self.hash(state);
        rewards.iter_mut().enumerate().for_each(|(player, paid)| *paid += ((luck >> player) & 1) as f64);
    }
    fn observe(&self, _: &Vec<u32>, _: Turn, joint: &[Action], player: usize) -> Observation {
        let sees = self.info.perfect_information || joint[0].0 as usize == player;
        if sees { Observation::of_joint(joint) } else { Observation::SILENT }
    }
    crate::in_numbers!();

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { hash: Some(self), evaluator: Some(self), atoms: Some(self), ..Abilities::default() }
    }
}

impl StateHash<Vec<u32>> for Medley {
    fn hash(&self, state: &Vec<u32>) -> u64 {
        state.iter().fold(1, |key, step| derive(key, u64::from(*step)))
    }
}

impl Atoms<Vec<u32>> for Medley {
    fn atom_count(&self) -> u32 {
        64
    }
    fn atoms(&self, state: &Vec<u32>, atoms: &mut Vec<u32>) {
        atoms.extend(state.iter().enumerate().map(|(place, step)| 8 * place as u32 + step % 8));
    }
}

impl Evaluate<Vec<u32>> for Medley {
    fn evaluate(&self, state: &Vec<u32>, values: &mut [f64]) {
        values.fill((self.hash(state) % 3) as f64);
    }
}

/// Plays a game in which every seat has this planner; false if it does not play this one.
fn play(spec: &str, model: &SharedModel, seed: u64) -> bool {
    let players = model.info().players;
    let mut seats: Vec<Box<dyn Planner>> =
        (0..players).map(|_| registry::planner(&spec.parse().unwrap()).unwrap()).collect();
    for (seat, planner) in seats.iter_mut().enumerate() {
        if planner.start(model.clone(), seat, Rng::episode(seed, seat as u64, "seat").bits()).is_err() {
            return false;
        }
    }
    let chance = Rng::episode(seed, 0, "chance");
    let mut referee = Referee::new(model.clone(), chance, u64::MAX);
    let mut table = Planners { referee: &mut referee, seats: &mut seats, pause: &mut || false };
    drive(&mut table, &mut VirtualClock::default(), &mut |_| ()).is_ok()
}

/// Every planner there is, with little to do, and some within each other.
fn specs() -> Vec<String> {
    let little = [("simulations", 12), ("worlds", 3), ("samples", 3), ("hypergames", 5), ("horizon", 3)];
    let plain = registry::planners().into_iter().map(|entry| {
        let known = entry.docs();
        let given = little.iter().filter(|(name, _)| known.iter().any(|param| param.name == *name));
        let given: Vec<String> = given.map(|(name, number)| format!("{name}={number}")).collect();
        format!("{}({})", entry.name, given.join(", "))
    });
    let composed = [
        "uct(simulations=12, playouts=4, workers=3, parallel=leaf)",
        "uct(simulations=12, workers=2, parallel=tree)",
        "uct(simulations=12, playout=greedy(0.1), trees=3)",
        "pomcp(simulations=12, grow=inf)",
        "hindsight(worlds=3, planner=random)",
        "hindsight(worlds=3, others=random)",
        "hindsight(worlds=3, paired=false, planner=nmc)",
        "hindsight(worlds=3, planner=hindsight(worlds=2, planner=random))",
        "hyperplay(worlds=3, planner=random)",
        "hyperplay(worlds=2, planner=lifted-hyperplay(worlds=2, planner=random))",
        "lifted-hyperplay(worlds=3, planner=random)",
        "lifted-hyperplay(worlds=2, planner=lifted-hyperplay(worlds=2, planner=random))",
        "lifted-hyperplay(worlds=2, planner=ff-replan(planner=random))",
        "ff-replan(planner=random)",
        "ff-replan(planner=hindsight(worlds=2, planner=random))",
        "omniscient(planner=lifted-hyperplay(worlds=2, planner=random))",
    ];
    plain.chain(composed.map(str::to_owned)).collect()
}

#[test]
fn no_planner_draws_two_things_from_one_stream() {
    let games = [(1, false, 0.9), (2, false, 0.9), (2, true, 0.9), (3, true, 0.9), (2, false, 1.0)]
        .map(|(players, hidden, discount)| Medley::model(players, hidden, discount));
    let mut streams = 0;
    for spec in specs() {
        LEDGER.with_borrow_mut(BTreeMap::clear);
        let played = games.iter().filter(|game| play(&spec, game, 3)).count();
        assert!(
            played > 0 || ["greedy", "macro-uct", "paranoid"].iter().any(|name| spec.starts_with(name)),
            "{spec}"
        );
        LEDGER.with_borrow(|ledger| {
            streams += ledger.len();
            for (seed, entry) in ledger {
                assert!(entry.derived.len() < 2 && entry.begun.len() < 2, "{spec}: {seed:x} {entry:?}");
            }
        });
    }
    assert!(streams > 1000, "{streams}");
}

#[test]
fn purposes_of_one_origin_have_words_of_their_own() {
    use Purpose::*;
    let numbers = || [0, 1, 2, 1000, u32::MAX].into_iter();
    let players = || 0..crate::playout::MAX_PLAYERS;
    let groups: [Vec<Purpose>; 6] = [
        numbers().map(|n| Decision(n.into())).chain([Look]).collect(),
        numbers().map(Tree).chain([Search]).collect(),
        numbers().map(Worker).chain([Children]).collect(),
        numbers().map(Child).collect(),
        numbers().map(Hand).collect(),
        numbers().map(Step).chain(players().map(Mind)).collect(),
    ];
    for group in groups {
        let words: BTreeSet<u64> = group.iter().map(|purpose| purpose.word()).collect();
        assert_eq!(words.len(), group.len(), "{group:?}");
    }
}
