#![allow(clippy::needless_range_loop)] // lanes and bits are known by their numbers

use smallvec::smallvec;

use super::*;
use crate::gdl::run::machine::{Machine, Outlook};
use crate::gdl::{Limits, compile, ground, parse};
use crate::{Severity, Source};

#[test]
fn rows_become_columns() {
    let mut bits: [u64; 64] =
        std::array::from_fn(|row| (row as u64 + 3).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let before = bits;
    transpose(&mut bits);
    for row in 0..64 {
        for column in 0..64 {
            assert_eq!(bits[column] >> row & 1, before[row] >> column & 1);
        }
    }
}

/// Two dice players at once: simultaneous moves, chance, a choice that depends on the state, a cycle
/// of atoms that depend on themselves, and games of different lengths.
const RULES: &str = "
    (role red) (role blue) (role random)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (init (at red 0)) (init (at blue 0)) (init (wind 1))
    (<= (legal ?r stay) (role ?r) (distinct ?r random))
    (<= (legal ?r go) (true (at ?r ?x)) (succ ?x ?y))
    (<= (legal ?r jump) (true (at ?r ?x)) (succ ?x ?y) (succ ?y ?z) (true (wind ?w)) (succ 0 ?w))
    (<= (legal random (blow ?w)) (succ ?v ?w) (succ ?w 4))
    (<= (legal random (blow 1)) (true (at red 3)))
    (<= (next (at ?r ?x)) (does ?r stay) (true (at ?r ?x)))
    (<= (next (at ?r ?y)) (does ?r go) (true (at ?r ?x)) (succ ?x ?y))
    (<= (next (at ?r ?z)) (does ?r jump) (true (at ?r ?x)) (succ ?x ?y) (succ ?y ?z))
    (<= (next (wind ?w)) (does random (blow ?w)))
    (<= (linked ?x ?y) (true (at red ?x)) (true (at blue ?y)))
    (<= (linked ?x ?y) (linked ?y ?x))
    (<= (linked ?x ?z) (linked ?x ?y) (linked ?y ?z))
    (<= terminal (true (at ?r 5)))
    (<= terminal (linked 4 4))
    (<= home (true (at ?r 5)))
    (<= (goal ?r 100) (true (at ?r 5)) (role ?o) (distinct ?o ?r) (distinct ?o random)
                      (not (true (at ?o 5))))
    (<= (goal ?r 0) (role ?r) home (not (true (at ?r 5))))
    (<= (goal ?r 50) (true (at ?r 5)) (true (at red 5)) (true (at blue 5)))
    (<= (goal ?r 50) (role ?r) (not home))
";

fn machine(rules: &str) -> Propnet {
    let rules = parse(&Source::new("test.kif", rules), &Limits::default()).expect("the rules are right");
    let ground = ground::ground(&rules, &Default::default()).expect("they are few");
    let network = compile::network(&ground);
    Propnet::new(ground, network)
}

/// Games that take turns: the facts about whose turn it is are known in each phase, and how a game
/// ends depends on them. One takes 1 or 2 of 7 stones; who takes the last wins.
const NIM: &str = "
    (role left) (role right)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
    (init (stones 7)) (init (control left))
    (<= (legal ?r (take 1)) (true (control ?r)) (true (stones ?n)) (succ ?m ?n))
    (<= (legal ?r (take 2)) (true (control ?r)) (true (stones ?n)) (succ ?m ?n) (succ ?l ?m))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
    (<= (next (stones ?m)) (does ?r (take 1)) (true (stones ?n)) (succ ?m ?n))
    (<= (next (stones ?l)) (does ?r (take 2)) (true (stones ?n)) (succ ?m ?n) (succ ?l ?m))
    (<= (next (control right)) (true (control left)))
    (<= (next (control left)) (true (control right)))
    (<= (next (seen ?n)) (true (stones ?n)))
    (<= (next (seen ?n)) (true (seen ?n)))
    (<= terminal (true (stones 0)))
    (<= (goal ?r 0) (true (control ?r)))
    (<= (goal ?r 100) (role ?r) (not (true (control ?r))))
";

/// What the first player hides is asked for in the second player's turns only.
const HIDE: &str = "
    (role hider) (role seeker) (side left) (side right)
    (init (turn hider))
    (<= (next (turn seeker)) (true (turn hider)))
    (<= (next (turn hider)) (true (turn seeker)))
    (<= (legal hider (hide ?s)) (true (turn hider)) (side ?s))
    (<= (legal seeker (look ?s)) (true (turn seeker)) (side ?s))
    (<= (legal seeker give-up) (true (turn seeker)) (true (hidden left)))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (hidden ?s)) (does hider (hide ?s)))
    (<= (next (found)) (does seeker (look ?s)) (true (hidden ?s)))
    (<= terminal (true (found)))
    (<= (goal hider 0) (true (found))) (<= (goal hider 100) (not (true (found))))
    (<= (goal seeker 100) (true (found))) (<= (goal seeker 0) (not (true (found))))
";

/// The facts in one lane.
fn facts(lanes: &Lanes, machine: &Propnet, lane: usize) -> propnet::Bits {
    let mut facts: propnet::Bits = smallvec![0; machine.network.latches.len().div_ceil(64)];
    for number in 0..machine.network.latches.len() {
        facts[number / 64] |= u64::from(lanes.slots[number].bit(lane)) << (number % 64);
    }
    facts
}

/// The facts that lanes keep up: those that anything depends on, and that are not known from the phase.
fn kept_up(machine: &Propnet) -> propnet::Bits {
    let mut mask: propnet::Bits = smallvec![0; machine.network.latches.len().div_ceil(64)];
    let matters = influence(&machine.phases.networks, false);
    for number in (0..matters.len()).filter(|number| matters[*number]) {
        mask[number / 64] |= 1 << (number % 64);
    }
    mask
}

/// Every lane has the outlook of the machine for one state, makes a legal move for each role, and goes
/// where that machine goes.
fn agrees_lane_by_lane(machine: &Propnet, keeps: bool) {
    let code = LaneCode::compile(&machine.phases, keeps, true).0;
    let mask = kept_up(machine);
    let masked =
        |facts: &[u64]| -> Vec<u64> { facts.iter().zip(&mask).map(|(facts, mask)| facts & mask).collect() };
    let mut lanes = Lanes::new(&code);
    let mut rng = Rng::new(5);
    let mut bits = Bits::new(|| rng.bits());
    let (start, mut outlook, mut told) = (machine.initial(), Outlook::default(), Vec::new());
    let mut phase = machine.phase_of(&start);
    let mut queues = vec![(Vec::new(), 0); code.phases.len()];
    queues[phase].0.push(0);
    let mut starts =
        Starts { all: &[Start { facts: &start, first: None }], given: false, each: LANES - 3, queues };
    lanes.load(&code, &mut starts, phase, 0);
    assert_eq!(lanes.live.ones(), LANES as u32 - 3);
    let mut states: Vec<propnet::Bits> = vec![start.clone(); LANES];
    for step in 0..12 {
        let now = &code.phases[phase];
        now.view.run(&mut lanes.slots);
        let over = read(&lanes.slots, now.terminal);
        for lane in lanes.live.bits() {
            machine.outlook(&states[lane], &mut outlook);
            assert_eq!(outlook.terminal, over.bit(lane), "step {step}, lane {lane}");
        }
        let ended = lanes.live & over;
        lanes.live &= !over;
        if ended.any() {
            now.score.run(&mut lanes.slots);
            for lane in ended.bits() {
                for (role, places) in now.goals.iter().enumerate() {
                    let had = places.iter().zip(&machine.scores()[role]);
                    let had = had.filter(|(place, _)| read(&lanes.slots, **place).bit(lane));
                    let had: Vec<f64> = had.map(|(_, score)| *score).collect();
                    assert_eq!(had, Machine::scores(machine, &states[lane], role), "lane {lane}");
                }
            }
        }
        let stuck = lanes.choose(now, &mut bits);
        lanes.live &= !stuck;
        lanes.slots[code.live] = lanes.live;
        now.advance.run(&mut lanes.slots);
        phase = (phase + 1) % code.phases.len();
        let made: Vec<Word> = now.made.iter().map(|place| read(&lanes.slots, *place)).collect();
        for lane in 0..LANES {
            if stuck.bit(lane) {
                machine.outlook(&states[lane], &mut outlook);
                assert!((0..machine.roles().len()).any(|role| outlook.of(role).is_empty()), "lane {lane}");
            }
            if lanes.live.bit(lane) {
                machine.outlook(&states[lane], &mut outlook);
                let (mut moves, mut made) = (Vec::new(), &made[..]);
                for (role, all) in machine.network.moves.iter().enumerate() {
                    let (own, rest) = made.split_at(all.len());
                    let mut chosen = (0..).zip(own).filter(|(_, word)| word.bit(lane));
                    let only = chosen.next().map(|(number, _)| number);
                    assert!(chosen.next().is_none(), "step {step}, lane {lane}: two moves");
                    assert!(
                        only.is_some_and(|only| outlook.of(role).contains(&only)),
                        "lane {lane}: {only:?}"
                    );
                    moves.extend(only);
                    made = rest;
                }
                machine.advance(&mut states[lane], &moves, &mut told);
            }
            if lanes.live.bit(lane) || keeps && lane >= 3 {
                let facts = facts(&lanes, machine, lane);
                assert_eq!(masked(&facts), masked(&states[lane]), "step {step}, lane {lane}");
            }
        }
    }
}

#[test]
fn every_lane_agrees_with_the_machine_for_one_state() {
    let dice = machine(RULES);
    assert!(!dice.network.cycles.is_empty());
    let nim = machine(NIM);
    let hide = machine(HIDE);
    assert_eq!((dice.phases(), nim.phases(), hide.phases()), (1, 2, 2));
    for keeps in [false, true] {
        agrees_lane_by_lane(&hide, keeps);
        agrees_lane_by_lane(&nim, keeps);
        agrees_lane_by_lane(&dice, keeps);
    }
}

/// Each legal move is made equally often, however many there are: chi-squared at about five sigma.
#[test]
fn moves_are_chosen_uniformly() {
    for moves in [2, 3, 7, 8, 13, 64] {
        let facts: String = (0..moves).map(|number| format!("(item {number})")).collect();
        let rules = format!(
            "(role one) {facts} (init (free 0)) (<= (legal one (take ?x)) (item ?x))
             (<= (next (took ?x)) (does one (take ?x))) (<= terminal (true (took ?x)))
             (<= (goal one 100) (true (took 0))) (<= (goal one 0) (not (true (took 0))))"
        );
        let machine = machine(&rules);
        let mut counts = vec![0_u32; moves];
        let code = LaneCode::compile(&machine.phases, false, true).0;
        let mut lanes = Lanes::new(&code);
        let mut rng = Rng::new(9);
        let mut bits = Bits::new(|| rng.bits());
        for _ in 0..200 {
            lanes.live = Word::ALL;
            lanes.slots[..code.latches].fill(Word::NONE);
            code.phases[0].view.run(&mut lanes.slots);
            assert_eq!(lanes.choose(&code.phases[0], &mut bits), Word::NONE);
            code.phases[0].advance.run(&mut lanes.slots);
            for (count, place) in counts.iter_mut().zip(&code.phases[0].made) {
                *count += read(&lanes.slots, *place).ones();
            }
        }
        let expected = (200 * LANES) as f64 / moves as f64;
        let chi: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
        let free = moves as f64 - 1.0;
        assert!(chi <= free + 5.0 * (2.0 * free).sqrt(), "{moves} moves: {chi}");
    }
}

/// Every rules file of the field that becomes a network in a second; those of a folder beside the repository.
#[test]
#[ignore = "takes minutes"]
fn every_lane_agrees_in_the_rules_of_the_field() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gdl");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return;
    };
    let mut paths: Vec<std::path::PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let (mut played, limits) = (0, Limits::default());
    for path in paths {
        let Ok(source) = Source::read(&path, limits.bytes) else { continue };
        let Ok(rules) = parse(&source, &limits) else { continue };
        if crate::gdl::check(&rules).iter().any(|finding| finding.severity == Severity::Error) {
            continue;
        }
        let quick = ground::GroundLimits { time: std::time::Duration::from_secs(1), ..Default::default() };
        let Ok(ground) = ground::ground(&rules, &quick) else { continue };
        let network = compile::network(&ground);
        let machine = Propnet::new(ground, network);
        eprintln!("{}", path.display());
        agrees_lane_by_lane(&machine, played % 2 == 0);
        played += 1;
    }
    eprintln!("{played} games agree");
}

/// The rules that come with the package, as far as random games of them end soon.
#[test]
fn every_lane_agrees_in_rules_that_come_with_the_package() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/kibitz/lang/rules");
    for name in ["tic-tac-toe", "connect-four", "breakthrough", "kriegspiel-tic-tac-toe", "monty-hall"] {
        let path = folder.join(name).with_extension("kif");
        let machine = machine(&std::fs::read_to_string(path).expect("the file is there"));
        for keeps in [false, true] {
            agrees_lane_by_lane(&machine, keeps);
        }
    }
}

/// Sums over many playouts, from one start and from several, against one game at a time.
#[test]
fn playouts_have_the_scores_of_single_games() {
    let machine = machine(RULES);
    let mut rng = Rng::new(2);
    let mut second = machine.initial();
    let (mut outlook, mut told) = (Outlook::default(), Vec::new());
    let one_game = |facts: &propnet::Bits, rng: &mut Rng| {
        let (mut facts, mut outlook, mut told) = (facts.clone(), Outlook::default(), Vec::new());
        loop {
            machine.outlook(&facts, &mut outlook);
            if outlook.terminal {
                return Machine::scores(&machine, &facts, 0)[0];
            }
            let choose = |role| {
                let moves: &[u32] = outlook.of(role);
                moves[rng.below(moves.len() as u32) as usize]
            };
            let moves: Vec<u32> = (0..3).map(choose).collect();
            machine.advance(&mut facts, &moves, &mut told);
        }
    };
    machine.outlook(&second, &mut outlook);
    let moves: Vec<u32> = (0..3).map(|role| outlook.of(role)[outlook.of(role).len() - 1]).collect();
    machine.advance(&mut second, &moves, &mut told);
    let first = machine.initial();
    let starts = [&first, &second].map(|facts| Start { facts, first: None });
    let count = 20_000;
    let mut lanes = Lanes::new(machine.lane_code());
    let together = lanes.play_out(&machine, &starts, count, 1000, &mut rng);
    assert_eq!(together.faulty, 0);
    for (number, start) in starts.iter().enumerate() {
        let alone = lanes.play_out(&machine, std::slice::from_ref(start), count, 1000, &mut rng);
        let single: f64 = (0..count).map(|_| one_game(start.facts, &mut rng)).sum();
        // The standard deviation of a score is at most 50.
        let error = 5.0 * 50.0 * (2.0 * count as f64).sqrt();
        assert!((alone.scores[0] - single).abs() < error);
        assert!((together.scores[3 * number] - single).abs() < error);
    }
    let cut = lanes.play_out(&machine, &starts[..1], 100, 1, &mut rng);
    assert_eq!((cut.steps, cut.scores[0]), (100, 0.0));
}

/// One draws a card from those that are left and gets what is written on it: how it ends says which
/// move was made first. The second player has nothing to say.
const CARDS: &str = "
    (role drawer) (role other)
    (card 10) (card 20) (card 30) (card 40) (card 50) (card 60) (card 70) (card 80) (card 90) (card 100)
    (init (left 10)) (init (left 30)) (init (left 40)) (init (left 70)) (init (left 80)) (init (left 100))
    (<= (legal drawer (draw ?card)) (true (left ?card)) (not (true over)))
    (<= (legal drawer look) (true over))
    (legal other wait)
    (<= (next (left ?card)) (card ?card) (not (does drawer (draw ?card))))
    (<= (next (has ?card)) (does drawer (draw ?card)))
    (<= (next (has ?card)) (true (has ?card)))
    (<= (next over) (does drawer (draw ?card)))
    (<= (next shown) (true over))
    (<= terminal (true shown))
    (<= (goal drawer ?card) (true (has ?card)))
    (goal other 0)
";

#[test]
fn a_first_move_that_is_given_is_made() {
    let machine = machine(CARDS);
    let (start, mut outlook) = (machine.initial(), Outlook::default());
    machine.outlook(&start, &mut outlook);
    let legal = outlook.of(0);
    assert_eq!(legal.len(), 6);
    // More than there are lanes.
    let given = || (0..300).map(|game| First { role: 0, chosen: legal[game * 5 % 6], legal });
    let starts: Vec<_> = given().map(|first| Start { facts: &start, first: Some(first) }).collect();
    let mut lanes = Lanes::new(machine.lane_code());
    let outcome = lanes.play_out(&machine, &starts, 1, 1000, &mut Rng::new(3));
    assert_eq!((outcome.steps, outcome.faulty), (600, 0));
    for (game, first) in given().enumerate() {
        let drawn = format!("(draw {})", outcome.scores[2 * game]);
        assert_eq!(machine.move_name(&start, 0, first.chosen), drawn);
    }
}
