#![allow(clippy::needless_range_loop)] // lanes and bits are known by their numbers

use super::*;
use crate::run::machine::{Machine, Outlook};
use crate::{Limits, Source, compile, ground, parse};

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

/// The facts in one lane.
fn facts(lanes: &Lanes, machine: &Propnet, lane: usize) -> propnet::Bits {
    let mut facts = vec![0; machine.network.latches.len().div_ceil(64)];
    for number in 0..machine.network.latches.len() {
        facts[number / 64] |= u64::from(lanes.slots[number].bit(lane)) << (number % 64);
    }
    facts
}

/// The facts that lanes keep up: those that anything depends on, and that are not known from the phase.
fn kept_up(machine: &Propnet) -> propnet::Bits {
    let mut mask = vec![0; machine.network.latches.len().div_ceil(64)];
    for network in &machine.phases.networks {
        let matters = crate::compile::influence(network);
        for number in (0..matters.len()).filter(|number| matters[*number]) {
            mask[number / 64] |= 1 << (number % 64);
        }
    }
    mask
}

/// Everything that the machine for one state says may come next, of the facts in a mask.
fn successors(machine: &Propnet, before: &propnet::Bits, mask: &[u64]) -> Vec<propnet::Bits> {
    let mut outlook = Outlook::default();
    machine.outlook(before, &mut outlook);
    let mut joints: Vec<Vec<u32>> = vec![Vec::new()];
    for role in 0..machine.roles().len() {
        let longer = |joint: Vec<u32>| {
            let longer = |number: &u32| joint.iter().copied().chain([*number]).collect();
            outlook.of(role).iter().map(longer).collect::<Vec<Vec<u32>>>()
        };
        joints = joints.into_iter().flat_map(longer).collect();
    }
    let mut told = Vec::new();
    let after = |joint: Vec<u32>| {
        let mut facts = before.clone();
        machine.advance(&mut facts, &joint, &mut told);
        facts.iter().zip(mask).map(|(facts, mask)| facts & mask).collect()
    };
    joints.into_iter().map(after).collect()
}

/// Every lane goes where the machine for one state can go, and to each of the places equally often.
fn agrees_lane_by_lane(machine: &Propnet, keeps: bool) {
    let code = LaneCode::compile(&machine.phases, keeps).0;
    assert!(!code.phases.is_empty());
    let mask = kept_up(machine);
    let mut lanes = Lanes::new(&code);
    let mut rng = Rng::new(5);
    let mut bits = Bits::new(|| rng.bits());
    let (start, mut outlook) = ([machine.initial()], Outlook::default());
    let mut phase = machine.phase_of(&start[0]);
    let mut queues = vec![(Vec::new(), 0); code.phases.len()];
    queues[phase].0.push(0);
    let mut starts = Starts { facts: &start, each: LANES - 3, queues };
    lanes.load(&code, &mut starts, phase, 0);
    assert_eq!(lanes.live.ones(), LANES as u32 - 3);
    let mut states: Vec<propnet::Bits> = vec![start[0].clone(); LANES];
    let mut first = Vec::new();
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
                    assert_eq!(had.len(), 1, "step {step}, lane {lane}");
                    assert_eq!(had, Machine::scores(machine, &states[lane], role), "lane {lane}");
                }
            }
        }
        assert_eq!(lanes.choose(now, &mut bits), Word::NONE, "nobody is stuck");
        lanes.slots[code.live] = lanes.live;
        now.advance.run(&mut lanes.slots);
        phase = (phase + 1) % code.phases.len();
        for lane in 0..LANES {
            let now = facts(&lanes, machine, lane);
            let now: propnet::Bits = now.iter().zip(&mask).map(|(facts, mask)| facts & mask).collect();
            if lanes.live.bit(lane) {
                let possible = successors(machine, &states[lane], &mask);
                assert!(
                    possible.contains(&now),
                    "step {step}, lane {lane}: {now:x?} of {possible:x?} from {:x?}",
                    states[lane]
                );
                if step == 0 {
                    first.push(now.clone());
                }
                // What lanes do not keep up is taken from the machine for one state.
                let mut whole = successors(machine, &states[lane], &vec![u64::MAX; mask.len()]);
                states[lane] =
                    whole.swap_remove(possible.iter().position(|facts| *facts == now).unwrap_or(0));
            } else if keeps && lane >= 3 {
                let kept = states[lane].iter().zip(&mask).map(|(facts, mask)| facts & mask);
                assert_eq!(now, kept.collect::<Vec<u64>>(), "step {step}, lane {lane}");
            }
        }
    }
    let possible = successors(machine, &start[0], &mask);
    let expected = first.len() as f64 / possible.len() as f64;
    for place in &possible {
        let same = possible.iter().filter(|other| *other == place).count() as f64;
        let seen = first.iter().filter(|other| *other == place).count() as f64;
        assert!((seen - same * expected).abs() < 5.0 * (same * expected).sqrt());
    }
}

#[test]
fn every_lane_agrees_with_the_machine_for_one_state() {
    let dice = machine(RULES);
    assert!(!dice.network.cycles.is_empty());
    let nim = machine(NIM);
    assert_eq!((dice.phases(), nim.phases()), (1, 2));
    for keeps in [false, true] {
        agrees_lane_by_lane(&nim, keeps);
        agrees_lane_by_lane(&dice, keeps);
    }
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
    let starts = [machine.initial(), second];
    let count = 20_000;
    let mut lanes = Lanes::new(machine.lane_code());
    let together = lanes.play_out(&machine, &starts, count, 1000, &mut rng);
    assert_eq!(together.faulty, 0);
    for (number, start) in starts.iter().enumerate() {
        let alone = lanes.play_out(&machine, std::slice::from_ref(start), count, 1000, &mut rng);
        let single: f64 = (0..count).map(|_| one_game(start, &mut rng)).sum();
        // The standard deviation of a score is at most 50.
        let error = 5.0 * 50.0 * (2.0 * count as f64).sqrt();
        assert!((alone.scores[0] - single).abs() < error);
        assert!((together.scores[3 * number] - single).abs() < error);
    }
    let cut = lanes.play_out(&machine, &starts[..1], 100, 1, &mut rng);
    assert_eq!((cut.steps, cut.scores[0]), (100, 0.0));
}
