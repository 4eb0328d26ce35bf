use std::collections::BTreeMap;

use kibitz_core::belief::{Belief, Exact, Factored};
use kibitz_core::params::Params;

use super::*;

/// A game in a world of its own.
fn game(spec: &str, world: &str) -> NavyDefense {
    let params = NavyDefenseParams::from_spec(&spec.parse().unwrap()).unwrap();
    let chart = Chart::new(params.size, params.interception);
    let known = file::parse(world, &chart, params.cargo, params.submarines).unwrap();
    NavyDefense::with(params, chart, Some(Arc::new(known)))
}

fn error(spec: &str) -> String {
    let params = NavyDefenseParams::from_spec(&spec.parse().unwrap()).map_err(|error| error.to_string());
    params.and_then(|params| NavyDefense::new(params).map(drop)).unwrap_err()
}

/// Steps of chance until the Navy ship's turn; where it has a choice, the first outcome whose name is wanted.
fn settle(game: &NavyDefense, state: &mut State, wanted: &[&str], reward: &mut f64) {
    while game.turn(state) == Turn::Chance {
        let outcomes = game.outcomes(state);
        let name = |outcome: &u32| game.action_name(state, None, Action(*outcome));
        let chosen = match outcomes.as_slice() {
            [only] => *only,
            several => *several
                .iter()
                .find(|outcome| wanted.contains(&name(outcome).as_str()))
                .unwrap_or_else(|| panic!("which of {:?}?", several.iter().map(name).collect::<Vec<_>>())),
        };
        let mut rewards = [0.0];
        game.step(state, &[Action(chosen)], &mut rewards);
        *reward += rewards[0];
    }
}

fn begin(game: &NavyDefense) -> State {
    let mut state = game.initial();
    settle(game, &mut state, &[], &mut 0.0);
    state
}

/// A round, and what it costs.
fn round(game: &NavyDefense, state: &mut State, action: &str, wanted: &[&str]) -> f64 {
    let (mut legal, mut rewards) = (Vec::new(), [0.0]);
    game.legal(state, 0, &mut legal);
    let chosen = legal.into_iter().find(|it| game.action_name(state, Some(0), *it) == action).unwrap();
    game.step(state, &[chosen], &mut rewards);
    settle(game, state, wanted, &mut rewards[0]);
    -rewards[0]
}

fn at(game: &NavyDefense, square: u8) -> String {
    if square == GONE { "gone".to_owned() } else { game.square_name(square) }
}

#[test]
fn a_move_costs_one_and_staying_nothing() {
    let game = game("navy(cargo=1)", "navy: a1\ncargo: e5 clockwise\nsubmarine: none");
    let mut state = begin(&game);
    assert_eq!(round(&game, &mut state, "stay", &[]), 0.0);
    assert_eq!(round(&game, &mut state, "north", &[]), 1.0);
    assert_eq!(round(&game, &mut state, "east", &[]), 1.0);
    assert_eq!(at(&game, state.navy), "b2");
    let names = |state: &State| {
        let mut legal = Vec::new();
        game.legal(state, 0, &mut legal);
        legal.iter().map(|it| game.action_name(state, Some(0), *it)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&state), "stay north east south west");
    assert_eq!(names(&begin(&game)), "stay north east");
}

#[test]
fn cargo_ships_keep_their_distance_from_the_edge() {
    let game =
        game("navy(cargo=2)", "navy: c3\ncargo: a1 clockwise\ncargo: b2 counterclockwise\nsubmarine: none");
    let mut state = begin(&game);
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for _ in 0..16 {
        round(&game, &mut state, "stay", &[]);
        outer.push(at(&game, state.cargo[0].at));
        inner.push(at(&game, state.cargo[1].at));
    }
    assert_eq!(outer.join(" "), "a2 a3 a4 a5 b5 c5 d5 e5 e4 e3 e2 e1 d1 c1 b1 a1");
    assert_eq!(inner[..8].join(" "), "c2 d2 d3 d4 c4 b4 b3 b2");
    assert_eq!(inner[8..], inner[..8]);
}

#[test]
fn the_sonar_reaches_diagonals_and_two_strikes_destroy() {
    let game = game("navy(cargo=1)", "navy: b2\ncargo: e5 clockwise\nsubmarine: a1\nsubmarine: d4");
    let mut state = begin(&game);
    assert_eq!(state.submarines[0].health, 2);
    // Cornered, and the Navy ship out of reach: nothing it could do.
    round(&game, &mut state, "stay", &["submarine 2 goes north", "submarine 2 goes east"]);
    assert_eq!((state.count, state.submarines[0].health, state.submarines[1].health), (2, 1, 2));
    round(&game, &mut state, "stay", &[]);
    assert_eq!(state.count, 1);
    assert_ne!(at(&game, state.submarines[0].at), "a1");
}

#[test]
fn a_submarine_in_the_sonar_leaves_it_or_attacks() {
    let rules = game("navy(cargo=1, submarines=1)", "navy: c3\ncargo: e5 clockwise\nsubmarine: c3");
    let mut state = begin(&rules);
    let cost = round(&rules, &mut state, "stay", &[]);
    assert_eq!((cost, state.navy_health), (10.0, 1), "from its own square there is no way out in one move");
    let cost = round(&rules, &mut state, "stay", &[]);
    assert_eq!((cost, state.count), (0.0, 0), "it was destroyed before it could act");

    let rules = game("navy(cargo=1, submarines=1)", "navy: c3\ncargo: e5 clockwise\nsubmarine: d3");
    let mut state = begin(&rules);
    round(&rules, &mut state, "stay", &[]);
    assert_eq!(at(&rules, state.submarines[0].at), "e3");
    // Two ways out are as good.
    let rules = game("navy(cargo=1, submarines=1)", "navy: c3\ncargo: e5 clockwise\nsubmarine: b2");
    let mut state = begin(&rules);
    let orders = rules.orders(&state, &state.submarines[0]);
    assert_eq!(orders, 1 << 2 | 1 << 3);
    round(&rules, &mut state, "stay", &["submarine 1 goes west"]);
    assert_eq!(at(&rules, state.submarines[0].at), "a2");
}

#[test]
fn hit_and_destroyed_cost_what_the_thesis_says() {
    let spec = "navy(cargo=1, submarines=2)";
    // The ship comes to a2, next to the submarine.
    let rules = game(spec, "navy: e5\ncargo: a1 clockwise\nsubmarine: a3");
    let mut state = begin(&rules);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 20.0);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 80.0);
    assert_eq!(state.cargo[0].at, GONE);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 0.0);
    // Two at once: the first hits, the second destroys.
    let rules = game(spec, "navy: e5\ncargo: a1 clockwise\nsubmarine: a3\nsubmarine: b2");
    let mut state = begin(&rules);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 100.0);
    // Three decide before any acts: the last attacks what is no longer there.
    let world = "navy: e5\ncargo: a1 clockwise\nsubmarine: a3\nsubmarine: b2\nsubmarine: a2";
    let rules = game("navy(cargo=1)", world);
    let mut state = begin(&rules);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 100.0);
    assert_eq!(state.count, 3);
    assert_eq!(at(&rules, state.submarines[2].at), "a2");
}

#[test]
fn an_attack_damages_all_ships_on_the_square() {
    // Both ships come to a2.
    let world = "navy: e5\ncargo: a1 clockwise\ncargo: a3 counterclockwise\nsubmarine: b2";
    let rules = game("navy(cargo=2, submarines=1)", world);
    let mut state = begin(&rules);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 40.0);
    // A submarine that cannot get out attacks the Navy ship's square, and with it the cargo ship there; it is next to
    // the Navy ship, in the corner.
    let rules = game("navy(cargo=1, submarines=1, size=3)", "navy: b1\ncargo: a1 clockwise\nsubmarine: a1");
    let mut state = begin(&rules);
    state.cargo[0].at = rules.chart.square(2, 0); // to b1, the Navy ship's square, counterclockwise below
    state.cargo[0].clockwise = true;
    assert_eq!(round(&rules, &mut state, "stay", &[]), 10.0 + 20.0);
}

#[test]
fn submarines_are_interchangeable() {
    let worlds = ["submarine: a3\nsubmarine: d1", "submarine: d1\nsubmarine: a3"];
    let states = worlds.map(|last| {
        let rules = game("navy(cargo=1, submarines=2)", &format!("navy: e5\ncargo: a1 clockwise\n{last}"));
        let state = begin(&rules);
        (rules.hash(&state), state.seen)
    });
    assert_eq!(states[0], states[1]);
}

#[test]
fn switching_goes_for_what_it_gets_soonest_and_stubborn_for_one() {
    let world = "navy: e1\ncargo: a1 clockwise\ncargo: e5 counterclockwise\nsubmarine: a4";
    let rules = game("navy(cargo=2, submarines=1)", world);
    let mut state = begin(&rules);
    // The first ship comes to a2 and a3; the submarine waits for it, or goes to meet it.
    let spec = "navy(cargo=2, submarines=1, behaviour=stubborn)";
    round(&rules, &mut state, "stay", &["submarine 1 goes south", "submarine 1 lies in wait"]);
    assert_eq!(round(&rules, &mut state, "stay", &[]), 20.0);
    let rules = game(spec, world);
    let mut state = begin(&rules);
    let free = |action: &str, wanted: &[&str], state: &mut State| round(&rules, state, action, wanted);
    let hunts = ["submarine 1 hunts cargo 2", "submarine 1 goes east", "submarine 1 goes north"];
    assert_eq!(free("stay", &hunts, &mut state), 0.0);
    assert_eq!(state.submarines[0].target, 1);
    assert!(rules.abilities().planning_model.is_none() && rules.behaviour == Behaviour::Stubborn);
}

/// Brute force: where a submarine can be after each number of moves, waiting included.
fn soonest(chart: &Chart, navy: u8, from: u8, mut ship: u8, clockwise: bool) -> Option<u8> {
    let mut reached = vec![from];
    for time in 0..60 {
        let close = |square: &u8| chart.distance(*square, ship) <= 1;
        if reached.iter().any(close) {
            return Some(time);
        }
        let mut more = reached.clone();
        for square in &reached {
            let next = (0..4).map(|way| chart.next(*square, way));
            more.extend(next.filter(|next| *next != GONE && !chart.near(navy, *next)));
        }
        more.sort_unstable();
        more.dedup();
        reached = more;
        ship = chart.onward(ship, clockwise);
    }
    None
}

#[test]
fn interceptions_are_as_soon_as_brute_force_finds_them() {
    for size in [4, 5] {
        let chart = Chart::new(size, Interception::Soonest);
        let squares = chart.squares();
        for (navy, from) in (0..=squares).flat_map(|navy| (0..squares).map(move |from| (navy, from))) {
            let navy = if navy == squares { GONE } else { navy };
            if chart.near(navy, from) {
                continue;
            }
            for ship in (0..squares).filter(|ship| chart.onward(*ship, true) != GONE) {
                for clockwise in [false, true] {
                    let way = chart.way(navy, from, ship, clockwise);
                    let expected = soonest(&chart, navy, from, ship, clockwise);
                    assert_eq!(Some(way.time).filter(|time| *time != chart::NEVER), expected);
                    // Each first move keeps the appointment.
                    let after = chart.onward(ship, clockwise);
                    for order in ones(way.orders.into()).filter(|_| expected.is_some_and(|time| time > 0)) {
                        let there = if order == 4 { from } else { chart.next(from, order as u8) };
                        let left = soonest(&chart, navy, there, after, clockwise);
                        assert_eq!(left, expected.map(|time| time - 1));
                    }
                }
            }
        }
    }
}

#[test]
fn only_what_is_in_the_sonar_is_told() {
    let world = "navy: c3\ncargo: e5 clockwise\nsubmarine: b2\nsubmarine: a5";
    let rules = game("navy(cargo=1)", world);
    let state = begin(&rules);
    let told = state::read(state::report(&state, &rules.chart));
    let mut health = [0; MOST];
    health[0] = 2;
    assert_eq!(told, Some(News::Report(2, health, vec![(0, 2)])));
    let text = rules.text(&state, Some(0));
    assert!(text.contains("submarine b2") && !text.contains("a5"), "{text}");
    assert!(rules.text(&state, None).contains("submarine a5"));
    assert!(rules.svg(&state, None).len() > rules.svg(&state, Some(0)).len());
}

#[test]
fn what_is_open_can_be_chosen() {
    let world = "navy: b1\ncargo: e5 clockwise\nsubmarine: b1";
    let over = game("navy(cargo=1, submarines=1, size=5, sunk=over)", world);
    let mut state = begin(&over);
    state.navy_health = 1;
    assert_eq!(round(&over, &mut state, "stay", &[]), 40.0);
    assert_eq!(over.turn(&state), Turn::Over);
    let on = game("navy(cargo=1, submarines=1)", world);
    let mut state = begin(&on);
    state.navy_health = 1;
    round(&on, &mut state, "stay", &[]);
    let mut legal = Vec::new();
    on.legal(&state, 0, &mut legal);
    assert_eq!((on.turn(&state), legal), (Turn::One(0), vec![Action(STAND)]));
    // With no cargo left, a submarine waits, or comes for the Navy ship.
    for (idle, expected) in [("wait", 1 << chart::STAY), ("hunt", 1 << 2 | 1 << 3)] {
        let rules = game(&format!("navy(cargo=1, submarines=1, idle={idle})"), world);
        let mut state = begin(&rules);
        state.cargo[0] = Cargo { at: GONE, health: 0, clockwise: true };
        state.submarines[0].at = rules.chart.square(4, 4);
        assert_eq!(rules.orders(&state, &state.submarines[0]), expected);
    }
    // The nearest square of the route is the one it is on.
    for (interception, orders) in [("soonest", 1), ("nearest", 1 << chart::STAY)] {
        let spec = format!("navy(cargo=1, submarines=1, interception={interception})");
        let rules = game(&spec, "navy: e1\ncargo: a5 counterclockwise\nsubmarine: a1");
        let state = begin(&rules);
        assert_eq!(rules.orders(&state, &state.submarines[0]) & 0b1_1111, orders, "{interception}");
    }
}

#[test]
fn those_who_play_believe_in_stubborn_submarines_anywhere() {
    let rules = game("navy(cargo=1, submarines=2)", "navy: c3\ncargo: e5 clockwise\nsubmarine: a1");
    let believed = PlanningModel::planning_model(&rules);
    let mut state = believed.initial();
    let mut outcomes = Vec::new();
    for wide in [1, 1, 2, 25] {
        outcomes.clear();
        believed.chance(&state, &mut outcomes);
        assert_eq!(outcomes.len(), wide);
        believed.step(&mut state, &[outcomes[0].0], &mut [0.0]);
    }
    assert!(believed.planning_model().is_none());
}

#[test]
fn worlds_that_cannot_be_are_refused() {
    let chart = Chart::new(5, Interception::Soonest);
    let parse = |text: &str| file::parse(text, &chart, 1, 1).unwrap_err();
    for (text, expected) in [
        ("cargo: a1 clockwise", "there is no line 'navy: SQUARE'"),
        ("navy: f1", "line 1: f1 lies outside of the board, which is 5 by 5"),
        ("navy: a0", "line 1: expected a square such as c3, not 'a0'"),
        ("navy: a1\nnavy: a2", "line 2: there is one Navy ship, and line 1 has it"),
        ("cargo: c3 clockwise", "no rectangle round the middle of the board"),
        ("navy: a1\ncargo: a1 sideways", "line 2: expected 'navy: SQUARE'"),
        ("navy: a1\ncargo: a1 clockwise\ncargo: a2 clockwise", "say cargo=2"),
        ("navy: a1\ncargo: a1 clockwise\nsubmarine: a1\nsubmarine: a1", "say submarines=2"),
        ("submarine: none\nsubmarine: a1", "a line before says 'none'"),
    ] {
        let what = parse(text);
        assert!(what.contains(expected), "{what}");
    }
    assert!(error("navy(fewest=4)").contains("at least 4 submarines cannot be at most 3"));
    assert!(error("navy(move_cost=-1)").contains("move_cost"));
    assert!(error("navy(cargo=9)").contains("cargo"));
}

/// What a belief holds, by the states' keys.
fn distribution(game: &NavyDefense, belief: &dyn Belief, view: &View) -> BTreeMap<u64, f64> {
    let mut found: BTreeMap<u64, f64> = BTreeMap::new();
    for (world, p) in belief.worlds(game, view, usize::MAX).unwrap() {
        let state = world.state.get::<State>();
        assert_eq!(state.seen, view.key());
        *found.entry(game.hash(state)).or_default() += p;
    }
    found
}

/// The belief by single submarines is that over all of them together, whatever happens: the former is found by products, the
/// latter by listing.
#[test]
fn submarines_go_their_own_ways() {
    let (mut hit, mut sighted, mut sunk) = (0, 0, 0);
    for (spec, seeds) in [
        ("navy(size=4, cargo=2, submarines=3, steps=12)", 0..10),
        ("navy(size=4, cargo=2, submarines=3, fewest=0, steps=12, behaviour=stubborn)", 0..10),
        ("navy(size=3, cargo=2, submarines=3, fewest=2, steps=10, behaviour=stubborn, sunk=over)", 0..6),
        ("navy(size=5, cargo=3, submarines=2, steps=12, behaviour=stubborn, idle=hunt)", 0..6),
    ] {
        let game = NavyDefense::new(NavyDefenseParams::from_spec(&spec.parse().unwrap()).unwrap()).unwrap();
        for seed in seeds {
            let mut rng = Rng::new(seed);
            let (mut state, mut view) = (Game::initial(&game), View::new(0));
            let (mut whole, mut factored) = (Exact::new(1_000_000), Factored::new(1_000_000));
            loop {
                let turn = game.turn(&state);
                let action = match turn {
                    Turn::Over => break,
                    Turn::Chance => game.draw(&state, &mut rng),
                    _ => {
                        view.legal.clear();
                        game.legal(&state, 0, &mut view.legal);
                        whole.update(&game, &view, &mut rng, &mut || false).unwrap();
                        factored.update(&game, &view, &mut rng, &mut || false).unwrap();
                        assert!(whole.notes().is_empty() && factored.notes().is_empty());
                        let all = distribution(&game, &whole, &view);
                        let products = distribution(&game, &factored, &view);
                        assert_eq!(all.len(), products.len(), "{spec}, seed {seed}");
                        for ((one, p), (other, q)) in all.iter().zip(&products) {
                            assert!(
                                one == other && (p - q).abs() < 1e-9,
                                "{spec}, seed {seed}: {p} and {q}"
                            );
                        }
                        hit += u32::from(state.cargo[0].health == 1);
                        sunk += u32::from(state.cargo[0].health == 0 || state.navy_health == 0);
                        let seen = |it: &Submarine| game.chart.near(state.navy, it.at);
                        sighted += u32::from(state.submarines().iter().any(seen));
                        let action = view.legal[rng.below(view.legal.len() as u32) as usize];
                        view.events.push(Event::Acted(action));
                        action
                    }
                };
                game.step(&mut state, &[action], &mut [0.0]);
                let told = game.told(&state, turn, &[action]);
                if told != Observation::SILENT {
                    view.events.push(Event::Observed(told));
                }
            }
        }
    }
    assert!(hit > 20 && sighted > 20 && sunk > 20, "{hit} {sighted} {sunk}: too little happens");
}
