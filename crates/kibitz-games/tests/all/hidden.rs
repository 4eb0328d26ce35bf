//! Planners and beliefs for hidden information, on games of which everything is known.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_core::belief::{Belief, BeliefKind, Exact, Hypergames, World};
use kibitz_core::params::Param;
use kibitz_core::planner::{Decision, Judgement};
use kibitz_core::spec::Value;
use kibitz_core::{Action, Event, Game, Info, Model, Observation, Rng, SharedModel, Turn, View, registry};

use crate::common::Walk;

/// A bomb with one of two wires: ask which for ten points, or do not; then cut one.
struct Bomb {
    info: Info,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Wires {
    connected: Option<u32>,
    asked: Option<bool>,
    cut: bool,
}

const ASK: Action = Action(0);
const WAIT: Action = Action(1);

impl Bomb {
    fn model() -> SharedModel {
        let mut info = Info::new(1, 0.0, 100.0);
        info.perfect_information = false;
        info.horizon = Some(3);
        std::sync::Arc::new(Bomb { info })
    }
}

impl Game for Bomb {
    type State = Wires;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Wires {
        Wires::default()
    }

    fn turn(&self, state: &Wires) -> Turn {
        match state {
            Wires { connected: None, .. } => Turn::Chance,
            Wires { cut: true, .. } => Turn::Over,
            _ => Turn::One(0),
        }
    }

    fn legal(&self, _: &Wires, _: usize, actions: &mut Vec<Action>) {
        actions.extend([Action(0), Action(1)]);
    }

    fn step(&self, state: &mut Wires, joint: &[Action], rewards: &mut [f64]) {
        match (state.connected, state.asked) {
            (None, _) => state.connected = Some(joint[0].0),
            (_, None) => state.asked = Some(joint[0] == ASK),
            (Some(wire), Some(asked)) => {
                state.cut = true;
                if wire == joint[0].0 {
                    rewards[0] += if asked { 90.0 } else { 100.0 };
                }
            }
        }
    }

    kibitz_core::in_numbers!();

    fn observe(&self, after: &Wires, turn: Turn, joint: &[Action], _: usize) -> Observation {
        match (turn, after.asked, after.cut) {
            (Turn::One(_), Some(true), false) if joint[0] == ASK => {
                Observation(1 + u64::from(after.connected.unwrap_or(0)))
            }
            _ => Observation::SILENT,
        }
    }

    fn chance(&self, _: &Wires, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend([(Action(0), 0.5), (Action(1), 0.5)]);
    }
}

fn decide(planner: &str, game: &SharedModel, view: &View, seed: u64) -> Decision {
    let mut planner = registry::planner(&planner.parse().unwrap()).unwrap();
    planner.start(game.clone(), view.player, seed).unwrap();
    planner.act(view, &mut || false).unwrap()
}

fn value(decision: &Decision, action: Action) -> f64 {
    decision.table.iter().find(|row| row.action == action).and_then(|row| row.value).unwrap()
}

/// Random play with all players' views, every position of it with who is to move there.
fn random_game(model: &dyn Model, seed: u64) -> Vec<(Vec<View>, usize)> {
    let mut walk = Walk::new(model, seed);
    let mut positions = Vec::new();
    for _ in 0..60 {
        let turn = walk.turn();
        if turn == Turn::Over {
            break;
        }
        for mover in turn.movers().iter() {
            walk.ask(mover);
            positions.push((walk.views.clone(), mover));
        }
        walk.step();
    }
    positions
}

#[test]
fn information_is_worth_nothing_in_hindsight() {
    let bomb = Bomb::model();
    let view = View { legal: vec![ASK, WAIT], ..View::new(0) };
    for planner in ["hindsight", "hindsight(planner=expectimax)", "hyperplay", "hindsight(planner=uct)"] {
        let decision = decide(planner, &bomb, &view, 1);
        assert_eq!(decision.action, WAIT, "{planner}");
        // In each world it thinks that it will know which wire to cut.
        assert!(value(&decision, WAIT) > value(&decision, ASK), "{planner}");
    }
    let decision = decide("hindsight", &bomb, &view, 1);
    assert_eq!((value(&decision, WAIT), value(&decision, ASK)), (100.0, 90.0));
    for planner in ["pomcp", "lifted-hyperplay", "is-mcts", "is-mcts(observers=all)"] {
        for seed in 0..5 {
            let decision = decide(planner, &bomb, &view, seed);
            assert_eq!(decision.action, ASK, "{planner}: {:?}", decision.table);
        }
    }
    let decision = decide("lifted-hyperplay(worlds=200)", &bomb, &view, 1);
    assert_eq!(value(&decision, ASK), 90.0);
    assert!((value(&decision, WAIT) - 50.0).abs() < 15.0, "{:?}", decision.table);
}

#[test]
fn hypergames_agree_with_the_view_and_become_the_exact_belief() {
    for name in ["kuhn-poker", "leduc-poker", "tiger", "rock-paper-scissors"] {
        let model = registry::game(&name.parse().unwrap()).unwrap();
        for seed in 0..4 {
            let mut bags: Vec<Hypergames> =
                (0..model.info().players).map(|_| Hypergames::new(2000)).collect();
            for (views, player) in random_game(&*model, seed).into_iter().take(8) {
                let view = &views[player];
                let mut rng = Rng::new(seed);
                bags[player].update(&*model, view, &mut rng, &mut || false).unwrap();
                let mut exact = Exact::new(100_000);
                exact.update(&*model, view, &mut rng, &mut || false).unwrap();
                let shares = |belief: &dyn Belief, rng: &mut Rng| {
                    let mut world = World::initial(&*model);
                    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
                    for _ in 0..4000 {
                        belief.sample(&*model, view, rng, &mut world);
                        assert_eq!(world.view_key(&*model, player), view.key(), "{name}");
                        *counts.entry(model.text(&world.state, None)).or_default() += 1.0 / 4000.0;
                    }
                    counts
                };
                let (found, right) = (shares(&bags[player], &mut rng), shares(&exact, &mut rng));
                let texts: BTreeSet<&String> = found.keys().chain(right.keys()).collect();
                for text in texts {
                    let share = |counts: &BTreeMap<String, f64>| counts.get(text).copied().unwrap_or(0.0);
                    assert!(
                        (share(&found) - share(&right)).abs() < 0.05,
                        "{name}, {text}: {found:?} {right:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_history_that_contradicts_the_view_is_changed() {
    let bomb = Bomb::model();
    let mut before = View { legal: vec![ASK, WAIT], ..View::new(0) };
    let mut changed = 0;
    for seed in 0..20 {
        let mut bag = Hypergames::new(1);
        let mut rng = Rng::new(seed);
        bag.update(&*bomb, &before, &mut rng, &mut || false).unwrap();
        let mut told = before.clone();
        told.events = vec![Event::Acted(ASK), Event::Observed(Observation(2))];
        bag.update(&*bomb, &told, &mut rng, &mut || false).unwrap();
        changed += bag.notes().len();
        let mut world = World::initial(&*bomb);
        bag.sample(&*bomb, &told, &mut rng, &mut world);
        assert_eq!(world.state.get::<Wires>().connected, Some(1));
    }
    assert!((4..=16).contains(&changed), "{changed} of 20 had the other wire");
    // Nothing explains that the answer is a third wire: it could be any then.
    before.events = vec![Event::Acted(ASK), Event::Observed(Observation(7))];
    let mut bag = Hypergames::new(10);
    bag.update(&*bomb, &before, &mut Rng::new(0), &mut || false).unwrap();
    assert!(bag.notes()[0].contains("no state explains one observation"), "{:?}", bag.notes());
    assert_eq!(bag.size(), Some(2));
    // But nothing helps where what may be done is something else altogether.
    before.legal.push(Action(7));
    let told = bag.update(&*bomb, &before, &mut Rng::new(0), &mut || false);
    assert!(told.is_err_and(|trouble| trouble.to_string().contains("no state explains")));
}

/// A referee that tells a lie, in games of some size: all kinds go on from where the player moves, and warn.
#[test]
fn what_nothing_explains_is_passed_over() {
    let kinds = ["exact", "tree", "hypergames(20)", "particles(100)", "particles(100, weights=kept)"];
    for name in ["kuhn-poker", "leduc-poker", "tiger", "rock-sample"] {
        let model = registry::game(&name.parse().unwrap()).unwrap();
        for (mut views, player) in random_game(&*model, 3).into_iter().step_by(3).take(5) {
            let view = &mut views[player];
            let lie = Event::Observed(Observation(0xdead));
            let Some(place) = view.events.iter().rposition(|event| matches!(event, Event::Observed(_)))
            else {
                continue;
            };
            view.events[place] = lie;
            for kind in kinds {
                let spec = Value::Spec(kind.parse().unwrap());
                let mut belief = BeliefKind::read(&spec).unwrap().build(&*model, 100).unwrap();
                let mut rng = Rng::new(1);
                belief.update(&*model, view, &mut rng, &mut || false).unwrap();
                let notes = belief.notes();
                assert!(notes.iter().any(|note| note.starts_with("no")), "{name} {kind}: {notes:?}");
                let mut world = World::initial(&*model);
                belief.sample(&*model, view, &mut rng, &mut world);
                let mut legal = Vec::new();
                model.legal(&world.state, player, &mut legal);
                legal.sort_unstable();
                assert_eq!(legal, view.legal, "{name} {kind}");
                let worlds = belief.worlds(&*model, view, 100_000).unwrap_or_default();
                let total: f64 = worlds.iter().map(|(_, p)| p).sum();
                assert!(worlds.is_empty() || (total - 1.0).abs() < 1e-6, "{name} {kind}: {total}");
            }
        }
    }
}

/// Behind one of the doors is the tiger: in the same world, one of them is good and the other bad.
#[test]
fn actions_are_compared_in_the_same_worlds_or_in_worlds_of_their_own() {
    let tiger = registry::game(&"tiger(horizon=6)".parse().unwrap()).unwrap();
    let (views, player) = random_game(&*tiger, 3).swap_remove(0);
    let doors = |spec: &str, seed| {
        let decision = decide(spec, &tiger, &views[player], seed);
        let state = &Walk::new(&*tiger, 3).state;
        let is_door = |row: &&Judgement| tiger.action_name(state, Some(0), row.action).contains("open");
        let values: Vec<f64> =
            decision.table.iter().filter(is_door).map(|row| row.value.unwrap()).collect();
        assert_eq!(values.len(), 2);
        (values[0] - values[1]).abs() < 55.0
    };
    for planner in ["", ", planner=nmc(level=1, horizon=1)"] {
        let alike = |paired: bool| {
            let spec = format!("hindsight(worlds=1, horizon=0, paired={paired}{planner})");
            (0..40).filter(|seed| doors(&spec, *seed)).count()
        };
        assert_eq!(alike(true), 0, "{planner}");
        assert!((8..=32).contains(&alike(false)), "{planner}: {}", alike(false));
    }
}

#[test]
fn looking_ahead_with_a_bound_is_looking_ahead() {
    // In a game of perfect information without chance, hindsight is minimax.
    for name in ["tic-tac-toe", "breakthrough(rows=5, columns=4)"] {
        let model = registry::game(&name.parse().unwrap()).unwrap();
        for (views, player) in random_game(&*model, 3).into_iter().skip(2).take(3) {
            let minimax = decide("minimax(depth=4)", &model, &views[player], 0);
            let hindsight = decide("hindsight(worlds=2, horizon=3)", &model, &views[player], 0);
            for row in &minimax.table {
                assert_eq!(row.value, Some(value(&hindsight, row.action)), "{name}");
            }
        }
    }
}

#[test]
fn omniscient_must_be_told() {
    let model = registry::game(&"kuhn-poker".parse().unwrap()).unwrap();
    let mut rng = Rng::new(5);
    let (mut wins, mut view) = (0, View::new(0));
    for seed in 0..40 {
        let mut planner =
            registry::planner(&"omniscient(planner=uct(simulations=400))".parse().unwrap()).unwrap();
        planner.start(model.clone(), 0, seed).unwrap();
        let mut state = model.initial();
        let mut cards = Vec::new();
        while model.turn(&state) == Turn::Chance {
            cards.push(model.draw(&state, &mut rng));
            model.step(&mut state, &cards[cards.len() - 1..], &mut [0.0; 2]);
        }
        view.legal.clear();
        model.legal(&state, 0, &mut view.legal);
        view.legal.sort_unstable();
        assert!(planner.act(&view, &mut || false).is_err_and(|what| what.contains("told the true state")));
        planner.tell(state.clone());
        let decision = planner.act(&view, &mut || false).unwrap();
        // With the lower card a bet can only lose: the other, who is thought to know as well, calls.
        let best = if cards[0] > cards[1] { None } else { Some("check") };
        let name = model.action_name(&state, Some(0), decision.action);
        wins += u32::from(best.is_none_or(|best| best == name || name == "pass"));
        assert!(planner.act(&view, &mut || false).is_err(), "the truth is good for one decision");
    }
    assert_eq!(wins, 40);
}

#[test]
fn branch_and_bound_leaves_out_what_cannot_matter_only() {
    // The same worlds and futures, looked at in full by another planner.
    for (name, steps) in [("tiger", 4), ("rock-sample", 5), ("kuhn-poker", 3), ("leduc-poker", 5)] {
        let model = registry::game(&name.parse().unwrap()).unwrap();
        for (views, player) in random_game(&*model, 11).into_iter().take(steps) {
            let bounded = decide("hindsight(worlds=4, horizon=2)", &model, &views[player], 7);
            let full =
                decide("hindsight(worlds=4, planner=expectimax(depth=3))", &model, &views[player], 7);
            for row in &full.table {
                let (right, found) = (row.value.unwrap(), value(&bounded, row.action));
                assert!((right - found).abs() < 1e-9, "{name}: {right} {found}");
            }
        }
    }
    let (bomb, view) = (Bomb::model(), View { legal: vec![ASK, WAIT], ..View::new(0) });
    let bounded = decide("hindsight(worlds=20, horizon=1)", &bomb, &view, 1);
    let full = decide("hindsight(worlds=20, planner=expectimax(depth=2))", &bomb, &view, 1);
    assert!(bounded.nodes < full.nodes, "{} {}", bounded.nodes, full.nodes);
}
