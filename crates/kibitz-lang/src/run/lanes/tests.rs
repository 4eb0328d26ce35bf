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
    let listing = compile::listing(&network);
    Propnet::new(ground, network, listing)
}

/// The facts in one lane.
fn facts(lanes: &Lanes, machine: &Propnet, lane: usize) -> propnet::Bits {
    let mut facts = vec![0; machine.listing.latches.div_ceil(64)];
    for number in 0..machine.listing.latches {
        let bit = lanes.slots[number][lane / 64] >> (lane % 64) & 1;
        facts[number / 64] |= bit << (number % 64);
    }
    facts
}

/// The numbers of the words that are set in one lane.
fn set<'a>(words: impl Iterator<Item = &'a Wide>, lane: usize) -> Vec<u32> {
    let is_set = |word: &Wide| word[lane / 64] >> (lane % 64) & 1 == 1;
    (0..).zip(words).filter(|(_, word)| is_set(word)).map(|(number, _)| number).collect()
}

/// Every lane makes one legal move for each role, and goes where the machine for one state goes.
#[test]
fn every_lane_agrees_with_the_machine_for_one_state() {
    let machine = machine(RULES);
    let listing = &machine.listing;
    assert!(!machine.network.cycles.is_empty());
    let mut lanes = Lanes::new(&machine);
    let mut rng = Rng::new(5);
    let mut bits = Bits::new(|| rng.bits());
    let mut begun = 0;
    lanes.load_one(listing.latches, &machine.initial(), &mut begun, LANES - 3, 0);
    assert_eq!((begun, ones(&lanes.live)), (LANES - 3, LANES as u32 - 3));
    let (mut outlook, mut told) = (Outlook::default(), Vec::new());
    for _ in 0..12 {
        execute(&listing.ops, 0..listing.score, &mut lanes.slots);
        let over = lanes.read(listing.terminal);
        let before: Vec<propnet::Bits> = (0..LANES).map(|lane| facts(&lanes, &machine, lane)).collect();
        for lane in (0..LANES).step_by(7) {
            machine.outlook(&before[lane], &mut outlook);
            if lanes.live[lane / 64] >> (lane % 64) & 1 == 1 {
                assert_eq!(outlook.terminal, over[lane / 64] >> (lane % 64) & 1 == 1);
            }
            for (role, places) in listing.legal.iter().enumerate() {
                let words: Vec<Wide> = places.iter().map(|place| lanes.read(*place)).collect();
                assert_eq!(outlook.of(role), set(words.iter(), lane));
            }
        }
        for n in 0..WORDS {
            lanes.live[n] &= !over[n];
        }
        assert_eq!(lanes.advance(listing, &mut bits), [0; WORDS], "nobody is stuck");
        for lane in 0..LANES {
            let mut expected = before[lane].clone();
            if lanes.live[lane / 64] >> (lane % 64) & 1 == 1 {
                let chosen: Vec<Vec<u32>> = listing
                    .inputs
                    .iter()
                    .map(|inputs| set(lanes.slots[inputs.clone()].iter(), lane))
                    .collect();
                assert!(chosen.iter().all(|moves| moves.len() == 1), "one move each: {chosen:?}");
                machine.outlook(&expected, &mut outlook);
                assert!((0..3).all(|role| outlook.of(role).contains(&chosen[role][0])));
                let moves: Vec<u32> = chosen.iter().map(|moves| moves[0]).collect();
                machine.advance(&mut expected, &moves, &mut told);
            }
            assert_eq!(facts(&lanes, &machine, lane), expected, "lane {lane}");
        }
    }
}

/// Each legal move is drawn equally often, however many there are: chi-squared at about five sigma.
#[test]
fn moves_are_drawn_uniformly() {
    let mut rng = Rng::new(9);
    let mut bits = Bits::<WORDS>::new(|| rng.bits());
    for (moves, legal) in [(2, 2), (3, 3), (7, 5), (8, 1), (13, 11), (64, 37)] {
        let mut chooser = Chooser::<WORDS>::new(moves);
        let mut counts = vec![0_u32; moves];
        let rounds = 60;
        for _ in 0..rounds {
            // Which moves are legal differs from lane to lane: a window that moves on.
            let mut words = vec![[0_u64; WORDS]; moves];
            for lane in 0..LANES {
                for step in 0..legal {
                    words[(lane + step) % moves][lane / 64] |= 1 << (lane % 64);
                }
            }
            let stuck = chooser.choose(&mut words, &[u64::MAX; WORDS], &mut bits);
            assert_eq!(stuck, [0; WORDS]);
            for lane in 0..LANES {
                let chosen = set(words.iter(), lane);
                assert_eq!(chosen.len(), 1);
                // By its place in the window.
                let place = (chosen[0] as usize + moves - lane % moves) % moves;
                assert!(place < legal, "an illegal move");
                counts[place] += 1;
            }
        }
        let expected = (rounds * LANES) as f64 / legal as f64;
        let chi: f64 =
            counts[..legal].iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
        let free = legal as f64 - 1.0;
        assert!(chi <= free + 5.0 * (2.0 * free).sqrt(), "{moves} moves, {legal} legal: {chi}");
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
                return machine.scores(&facts, 0)[0];
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
    let mut lanes = Lanes::new(&machine);
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
