//! Real-time rules: time lines of the examples, both machines against each other, and what is refused.

use kibitz_core::Rng;
use kibitz_core::episode::{Referee, Step, Tick, Timing};
use kibitz_core::game::{Action, Turn};
use kibitz_core::model::{Model, SharedModel};
use kibitz_core::view::Event;
use kibitz_lang::Source;
use kibitz_lang::gdl::times::TICKS;
use kibitz_lang::gdl::{Limits, LoadLimits, check, load, parse};

/// Both machines, where the network can.
fn machines(name: &str, text: &str) -> Vec<(&'static str, SharedModel)> {
    let source = Source::new(name, text);
    let loaded =
        load(&source, &LoadLimits::default()).unwrap_or_else(|findings| panic!("{name}: {findings:#?}"));
    let mut all = vec![(loaded.report.machine, loaded.game)];
    if all[0].0 == "network" {
        let mut limits = LoadLimits::default();
        limits.ground.rules = 1;
        let loaded = load(&source, &limits).unwrap_or_else(|findings| panic!("{name}: {findings:#?}"));
        assert_eq!(loaded.report.machine, "reasoner");
        all.push(("reasoner", loaded.game));
    }
    all
}

/// An episode that is played by hand.
struct Line {
    referee: Referee,
    who: String,
}

fn ticks(time: f64) -> u64 {
    (time * TICKS as f64).round() as u64
}

impl Line {
    fn new(who: &str, model: SharedModel, seed: u64) -> Line {
        let mut referee = Referee::new(model, Rng::new(seed), 10_000);
        referee.advance(Tick(0), &mut |_, _| true).unwrap();
        Line { referee, who: who.to_owned() }
    }

    /// Lets time go on until then; gives the moments of the steps.
    fn until(&mut self, time: f64) -> Vec<f64> {
        let steps = self.referee.advance(Tick(ticks(time)), &mut |_, _| true).unwrap();
        steps.iter().map(|step: &std::sync::Arc<Step>| step.at.0 as f64 / TICKS as f64).collect()
    }

    fn moves(&self, seat: usize) -> Vec<String> {
        let (model, state) = (self.referee.model(), self.referee.state());
        let legal = self.referee.legal(seat);
        legal.iter().map(|action| model.action_name(state, Some(seat), *action)).collect()
    }

    fn find(&self, seat: usize, name: &str) -> Option<Action> {
        let (model, state) = (self.referee.model(), self.referee.state());
        let legal = self.referee.legal(seat);
        legal.into_iter().find(|action| model.action_name(state, Some(seat), *action) == name)
    }

    /// A seat's move at a moment.
    fn plays(&mut self, time: f64, seat: usize, name: &str) {
        self.until(time);
        let action = self
            .find(seat, name)
            .unwrap_or_else(|| panic!("{}: {name} of {:?}", self.who, self.moves(seat)));
        self.referee.submit(seat, Some(action)).unwrap();
        self.until(time);
    }

    fn holds(&self) -> Vec<String> {
        self.referee.model().facts(self.referee.state())
    }

    #[track_caller]
    fn expects(&self, facts: &[&str]) {
        let holds = self.holds();
        for fact in facts {
            match fact.strip_prefix("no ") {
                None => assert!(
                    holds.iter().any(|held| held == fact),
                    "{}: {fact} is not in {holds:#?}",
                    self.who
                ),
                Some(fact) => {
                    let begins = |held: &String| held.starts_with(fact);
                    assert!(!holds.iter().any(begins), "{}: {fact} is in {holds:#?}", self.who);
                }
            }
        }
    }

    #[track_caller]
    fn ends(&self, returns: &[f64]) {
        assert!(self.referee.over(), "{}: {:#?}", self.who, self.holds());
        assert_eq!(self.referee.returns(), returns, "{}", self.who);
    }
}

/// Plays a time line on both machines.
fn each(name: &str, text: &str, network: bool, line: impl Fn(&mut Line)) {
    let all = machines(name, text);
    assert_eq!(all[0].0 == "network", network, "{name}");
    for (machine, model) in all {
        line(&mut Line::new(&format!("{name} ({machine})"), model, 1));
    }
}

#[test]
fn example_1_turns_with_a_clock() {
    each("example-1.gdl", include_str!("../rtgdl/example-1.gdl"), true, |line| {
        line.expects(&["(control xplayer) for 1", "(cell 2 2 blank)"]);
        assert_eq!((line.moves(0).len(), line.moves(1).len()), (9, 0));
        line.plays(0.4, 0, "(mark 2 2)");
        line.expects(&[
            "(control oplayer) for 1",
            "(cell 2 2 xplayer)",
            "(cell 1 1 blank)",
            "no (control xplayer)",
        ]);
        assert_eq!((line.moves(0).len(), line.moves(1).len()), (0, 8));
        assert_eq!(line.until(1.3), []);
        line.expects(&["(control oplayer) for 0.1"]);
        line.plays(1.3, 1, "(mark 1 1)");
        line.expects(&["(control xplayer) for 1", "(cell 1 1 oplayer)", "(cell 2 2 xplayer)"]);
        assert_eq!(line.until(9.0), [2.3]);
        line.ends(&[0.0, 100.0]);
    });
    each("example-1.gdl", include_str!("../rtgdl/example-1.gdl"), true, |line| {
        for (number, (seat, place)) in
            [(0, "1 1"), (1, "2 1"), (0, "1 2"), (1, "2 2"), (0, "1 3")].iter().enumerate()
        {
            line.plays(0.9 * (number + 1) as f64, *seat, &format!("(mark {place})"));
        }
        line.ends(&[100.0, 0.0]);
    });
}

#[test]
fn example_2_a_chess_clock() {
    each("example-2.gdl", include_str!("../rtgdl/example-2.gdl"), true, |line| {
        line.expects(&["(timer white 120)", "(timer black 120)", "clock for 120", "(control white)"]);
        line.plays(10.0, 0, "move");
        line.expects(&["(timer white 110)", "(timer black 120)", "clock for 120", "(control black)"]);
        line.plays(25.000001, 1, "move");
        line.expects(&[
            "(timer white 110)",
            "(timer black 104.999999)",
            "clock for 110",
            "(control white)",
        ]);
        line.plays(26.000001, 0, "move");
        line.expects(&["(timer white 109)", "clock for 104.999999"]);
        assert_eq!(line.until(1000.0), [131.0]);
        line.ends(&[100.0, 0.0]);
    });
}

#[test]
fn example_3_what_appears_and_disappears() {
    each("example-3.gdl", include_str!("../rtgdl/example-3.gdl"), true, |line| {
        line.expects(&["(appear cheshireCat) for 1"]);
        line.plays(0.5, 0, "smile");
        line.expects(&["(appear cheshireCat) for 0.5", "day for 9"]);
        assert_eq!(line.until(4.5), [1.0, 4.0]);
        line.expects(&["(appear cheshireCat) for 0.5", "no (disappear"]);
        assert_eq!(line.until(6.0), [5.0]);
        line.expects(&["(disappear cheshireCat) for 2", "no (appear"]);
        assert_eq!(line.until(100.0), [8.0, 9.0, 9.5]);
        line.ends(&[100.0]);
    });
}

#[test]
fn example_4_what_comes_back() {
    each("example-4.gdl", include_str!("../rtgdl/example-4.gdl"), true, |line| {
        line.plays(1.0, 0, "(go 2 3)");
        // It is taken by the next update, of which there is none before the next event.
        line.expects(&["(at 2 3)", "(onMap 2 3 yellowArmor 5.5)"]);
        line.plays(2.0, 0, "(go 1 1)");
        line.expects(&[
            "(toRespawn 2 3 yellowArmor 5.5) for 5.5",
            "(onMap 11 11 redArmor 10)",
            "no (onMap 2 3",
        ]);
        line.plays(3.0, 0, "(go 11 11)");
        line.expects(&["(toRespawn 2 3 yellowArmor 5.5) for 4.5"]);
        assert_eq!(line.until(7.5), [7.5]);
        line.expects(&[
            "(onMap 2 3 yellowArmor 5.5)",
            "(toRespawn 11 11 redArmor 10) for 10",
            "no (toRespawn 2 3",
        ]);
        // Who stays there takes it again, by the update in which it comes back and the one after.
        assert_eq!(line.until(29.0), [17.5]);
        line.expects(&["(onMap 11 11 redArmor 10)", "no (toRespawn"]);
        assert_eq!(line.until(31.0), [30.0]);
        line.ends(&[100.0]);
    });
}

#[test]
fn example_5_what_moves_by_itself() {
    each("example-5.gdl", include_str!("../rtgdl/example-5.gdl"), true, |line| {
        line.expects(&["(space 35 86 40 xwing)", "refresh for 0.5"]);
        assert_eq!(line.until(0.7), [0.5]);
        line.expects(&["(space 37 88 41 xwing)", "refresh for 0.3", "no (space 35"]);
        line.plays(0.75, 0, "look");
        line.expects(&["(space 37 88 41 xwing)", "refresh for 0.25"]);
        // A move at the very instant at which it moves is part of the same update.
        line.plays(1.0, 0, "look");
        line.expects(&["(space 39 90 42 xwing)", "refresh for 0.5"]);
        assert_eq!(line.until(3.0), [1.5, 2.0]);
        line.ends(&[100.0]);
    });
}

#[test]
fn example_6_orders_take_time() {
    each("example-6.gdl", include_str!("../rtgdl/example-6.gdl"), true, |line| {
        line.plays(1.0, 0, "(build barracks)");
        line.expects(&["(underConstruction barracks) for 6", "(gold 340)"]);
        line.plays(2.5, 0, "(build blacksmith)");
        line.expects(&[
            "(underConstruction barracks) for 4.5",
            "(underConstruction blacksmith) for 7",
            "(gold 200)",
        ]);
        assert_eq!(line.until(7.0), [7.0]);
        line.expects(&["(constructed barracks)", "(underConstruction blacksmith) for 2.5"]);
        assert_eq!(line.until(20.0), [9.5]);
        line.ends(&[100.0]);
    });
}

/// The same order twice: a fact may hold with two lifetimes at once, and expires twice.
#[test]
fn a_fact_with_two_lifetimes_expires_twice() {
    each("example-6.gdl", include_str!("../rtgdl/example-6.gdl"), true, |line| {
        line.plays(1.0, 0, "(build barracks)");
        line.plays(2.0, 0, "(build barracks)");
        line.expects(&[
            "(underConstruction barracks) for 5",
            "(underConstruction barracks) for 6",
            "(gold 180)",
        ]);
        assert_eq!(line.until(7.5), [7.0]);
        line.expects(&["(underConstruction barracks) for 0.5", "(constructed barracks)"]);
        assert_eq!(line.until(9.0), [8.0]);
        line.expects(&["no (underConstruction", "(constructed barracks)"]);
    });
}

/// What the network cannot do: lifetimes that are asked for, compared and handed on.
#[test]
fn lifetimes_that_are_compared_are_played_by_the_reasoner() {
    let text = "
        role(you). init(3, bomb). init(2, fuse). init(infinity, power(2.50)).
        legal(you, push). legal(you, wait).
        next(T, bomb) <= true(T, bomb) & ~does(you, push).
        next(T, bomb) <= does(you, push) & left(T).
        next(T, fuse) <= true(T, fuse).
        next(T, power(T)) <= true(infinity, power(T)) & does(you, push).
        left(T) <= true(T, fuse).
        same <= true(T, bomb) & true(T, fuse).
        short <= true(1.5, bomb).
        terminal <= expired(bomb).
        terminal <= same & ~short.
        goal(you, 100) <= same.
        goal(you, 0) <= ~same.";
    each("compared.gdl", text, false, |line| {
        line.plays(0.5, 0, "push");
        line.expects(&["bomb for 1.5", "fuse for 1.5", "(power 2.5) for 2.5"]);
        assert!(!line.referee.over());
        line.plays(0.75, 0, "wait");
        line.expects(&["bomb for 1.25", "fuse for 1.25"]);
        line.ends(&[100.0]);
    });
}

#[test]
fn a_lifetime_of_zero_at_run_time_ends_the_game_with_a_sentence() {
    let text = "
        role(you). init(infinity, count(1)). legal(you, go).
        next(N, tick) <= does(you, go) & true(infinity, count(M)) & before(M, N) & number(N).
        next(infinity, count(1)).
        before(1, 0). number(0).
        terminal <= expired(tick).
        goal(you, 0).";
    let [(machine, model)] = &machines("zero.gdl", text)[..] else { panic!("the network takes it") };
    assert_eq!(*machine, "reasoner");
    let mut state = model.initial();
    let mut rewards = [0.0];
    let mut legal = Vec::new();
    model.legal(&state, 0, &mut legal);
    state = model.after(&state, &legal, &mut rewards);
    assert_eq!(model.turn(&state), Turn::Over);
    let fault = model.fault().unwrap();
    assert!(fault.contains("the fact tick is given the lifetime 0"), "{fault}");
}

const MOLE: &str = "
    role(you). role(random).
    hole(a, left). hole(b, right).
    init(10, day). next(T, day) <= true(T, day).
    legal(you, hit(H)) <= hole(H, S).
    legal(random, pop(2, H)) <= hole(H, S) & ~up & ~closed.
    legal(random, flip(coin)) <= true(infinity, coin).
    up <= true(T, mole(H)).
    closed <= true(infinity, shut).
    next(infinity, shut) <= does(you, hit(b)).
    next(infinity, shut) <= true(infinity, shut).
    next(1, mole(H)) <= does(random, pop(T, H)).
    next(T, mole(H)) <= true(T, mole(H)) & ~does(you, hit(H)).
    hits <= does(you, hit(H)) & true(T, mole(H)).
    next(infinity, score) <= hits.
    next(infinity, score) <= true(infinity, score).
    sees(you, squeak) <= does(random, pop(T, H)).
    sees(you, hit) <= hits.
    terminal <= expired(day).
    goal(you, 100) <= true(infinity, score).
    goal(you, 0) <= ~true(infinity, score).";

#[test]
fn chance_takes_its_time_and_percepts_are_messages_where_they_differ() {
    for (machine, model) in machines("mole.gdl", MOLE) {
        let mut times = Vec::new();
        for seed in 0..200 {
            let mut line = Line::new(machine, model.clone(), seed);
            assert!(line.referee.view(0).events.is_empty(), "nobody is told what chance will do, or when");
            let due = line.referee.due();
            assert!(due.0 > 0 && due.0 <= 2 * TICKS, "{machine}: {due:?}");
            times.push(due.0 as f64 / TICKS as f64);
            line.until(2.0);
            // A squeak was heard, and nothing else: that the mole has gone again is not.
            let events = line.referee.view(0).events;
            let told = events.iter().filter(|event| matches!(event, Event::Observed(_))).count();
            assert!(told >= 1, "{machine}: {events:?}");
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert!(
            (0.85..1.15).contains(&mean),
            "{machine}: a uniform time in (0, 2) is 1 on average, not {mean}"
        );
    }
}

#[test]
fn what_chance_was_about_to_do_is_wasted_where_it_is_no_longer_legal() {
    for (machine, model) in machines("mole.gdl", MOLE) {
        for seed in 0..20 {
            let mut line = Line::new(machine, model.clone(), seed);
            let due = line.referee.due();
            line.plays(due.0 as f64 / TICKS as f64 / 2.0, 0, "(hit b)");
            line.until(9.0);
            line.expects(&["shut", "no (mole"]);
            // A miss that nobody tells of is no message.
            let events = line.referee.view(0).events;
            assert!(
                !events.iter().any(|event| matches!(event, Event::Observed(_))),
                "{machine}: {events:?}"
            );
            line.until(11.0);
            line.ends(&[0.0]);
        }
    }
}

/// Both machines play the same random games: facts, lifetimes, legal moves, returns and percepts.
#[test]
fn network_and_reasoner_agree() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/kibitz/lang/rules");
    let mut names: Vec<_> = std::fs::read_dir(rules).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("real-time-"));
    names.sort_unstable();
    let mut files: Vec<(String, String)> = names
        .iter()
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(path).unwrap(),
            )
        })
        .collect();
    assert_eq!(files.len(), 7, "{names:?}");
    files.push(("mole.gdl".to_owned(), MOLE.to_owned()));
    for (name, text) in files {
        let [(_, network), (_, reasoner)] = &machines(&name, &text)[..] else {
            panic!("{name} is not played by a network");
        };
        for seed in 0..4 {
            same_game(&name, &**network, &**reasoner, seed);
        }
    }
}

/// One random game on two machines, chance included: moves are told apart by their names.
fn same_game(name: &str, one: &dyn Model, other: &dyn Model, seed: u64) {
    let (mut here, mut there) = (one.initial(), other.initial());
    let mut rng = Rng::new(seed);
    let players = one.info().players;
    for step in 0..150 {
        let at = format!("{name}, seed {seed}, step {step}");
        assert_eq!(one.facts(&here), other.facts(&there), "{at}");
        assert_eq!(one.turn(&here), other.turn(&there), "{at}");
        let turn = one.turn(&here);
        if turn == Turn::Over {
            return;
        }
        let (mut joint, mut same) = (Vec::new(), Vec::new());
        let seats: Vec<Option<usize>> = match turn {
            Turn::Chance => vec![None],
            _ => turn.movers().iter().map(Some).collect(),
        };
        if turn == Turn::Chance {
            let named = |model: &dyn Model, state: &_, action| model.action_name(state, None, action);
            let drawn = one.draw(&here, &mut rng);
            let name = named(one, &here, drawn);
            let mut outcomes = Vec::new();
            other.chance(&there, &mut outcomes);
            let found = outcomes
                .iter()
                .map(|(action, _)| *action)
                .find(|action| named(other, &there, *action) == name);
            joint.push(drawn);
            same.push(found.unwrap_or(drawn));
        } else {
            assert_eq!(one.timing(&here), other.timing(&there), "{at}");
            let due = match one.timing(&here) {
                Timing::Due(ticks) => ticks,
                _ => 3 * TICKS,
            };
            let waits = rng.below(2) == 0;
            let elapsed = if waits { due } else { u64::from(rng.below(1000)) * (due / 1000) };
            one.pass(&mut here, elapsed);
            other.pass(&mut there, elapsed);
            for seat in seats.into_iter().flatten() {
                let names = |model: &dyn Model, state: &_| {
                    let mut legal = Vec::new();
                    model.legal(state, seat, &mut legal);
                    let mut named: Vec<(String, Action)> = legal
                        .iter()
                        .map(|action| (model.action_name(state, Some(seat), *action), *action))
                        .collect();
                    named.sort_unstable();
                    named
                };
                let (ours, theirs) = (names(one, &here), names(other, &there));
                let only =
                    |all: &[(String, Action)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
                assert_eq!(only(&ours), only(&theirs), "{at}");
                let chosen = rng.below(ours.len() as u32) as usize;
                let rests = if waits { rng.below(3) > 0 } else { rng.below(2) == 0 };
                joint.push(if rests { Action::WAIT } else { ours[chosen].1 });
                same.push(if rests { Action::WAIT } else { theirs[chosen].1 });
            }
            if joint.iter().all(|action| *action == Action::WAIT) && elapsed < due {
                continue;
            }
        }
        let mut rewards = [vec![0.0; players], vec![0.0; players]];
        let [before, after] = &mut rewards;
        here = one.after(&here, &joint, before);
        there = other.after(&there, &same, after);
        assert_eq!(before, after, "{at}");
        for player in 0..players {
            assert_eq!(one.percepts(&here, player), other.percepts(&there, player), "{at}");
            let silent = |model: &dyn Model, state: &_, joint: &[Action]| {
                model.observe(state, turn, joint, player) == kibitz_core::game::Observation::SILENT
            };
            assert_eq!(silent(one, &here, &joint), silent(other, &there, &same), "{at}");
        }
        assert_ne!(one.hash(&here), 0);
    }
}

/// The first finding of that code, with what it stands at.
#[track_caller]
fn refused(code: &str, part: &str, added: &str) {
    let game = "
(role you) (init 2 lamp) (init infinity (count 1)) (succ 1 2) (price coin 3.5)
(legal you push)
(<= (next ?t lamp) (true ?t lamp))
(<= (next infinity (count ?y)) (does you push) (true infinity (count ?x)) (succ ?x ?y))
(<= (next ?t coin) (does you push) (price coin ?t))
(<= terminal (expired lamp))
(<= terminal (expired coin))
(goal you 100)
";
    let text = format!("{game}{added}\n");
    let source = Source::new("game.kif", text);
    let rules = parse(&source, &Limits::default()).unwrap();
    assert!(rules.timed);
    let findings = check(&rules);
    if code.is_empty() {
        assert_eq!(findings, []);
        return;
    }
    let found = findings.iter().find(|finding| finding.code == code);
    let found = found.unwrap_or_else(|| panic!("no {code} for {added}: {findings:#?}"));
    assert_eq!(source.slice(found.span), part, "{added}");
    assert!(found.help.is_some(), "{added}");
}

#[test]
fn what_is_no_real_time_rule_is_refused_where_it_stands() {
    refused("", "", "");
    refused("real-time", "(true lamp)", "(<= dark (true lamp))");
    refused("real-time", "(next lamp)", "(<= (next lamp) (does you push))");
    refused("real-time", "(init dark)", "(init dark)");
    refused("keyword-arity", "(true 1 2 lamp)", "(<= dark (true 1 2 lamp))");
    refused("lifetime", "-1", "(init -1 dark)");
    refused("lifetime", "0", "(<= (next 0 lamp) (does you push))");
    refused("lifetime", "soon", "(<= (next soon lamp) (does you push))");
    refused("lifetime", "(count 1)", "(<= dark (true (count 1) infinity))");
    refused("lifetime", "0.0000001", "(<= (next 0.0000001 lamp) (does you push))");
    refused("lifetime", "9999999999999", "(init 9999999999999 dark)");
    refused("lifetime", "0", "(<= dark (true 0 lamp))");
    refused("lifetime", "dear", "(price coin dear)");
    refused("lifetime-misplaced", "?t", "(<= (legal ?t push) (true ?t lamp))");
    refused("lifetime-misplaced", "?t", "(<= (goal you ?t) (true ?t lamp))");
    refused("lifetime-misplaced", "?t", "(<= (next infinity ?t) (true ?t lamp))");
    refused("lifetime-misplaced", "?t", "(<= (legal you ?t) (true ?t lamp))");
    refused("input-in-head", "(expired lamp)", "(<= (expired lamp) (does you push))");
    refused("init-depends", "(expired lamp)", "(<= (init infinity dark) (expired lamp))");
    refused("unsafe-variable", "?t", "(<= (next ?t lamp) (does you push))");
}

#[test]
fn rules_without_lifetimes_are_not_real_time_rules() {
    let text = "(role you) (init lamp) (legal you push) (<= (next lamp) (true lamp)) (<= terminal (expired)) \
                (<= (expired) (true lamp)) (goal you 100)";
    let rules = parse(&Source::new("game.kif", text), &Limits::default()).unwrap();
    assert!(!rules.timed);
}
