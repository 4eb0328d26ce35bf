use proptest::prelude::*;

use super::*;

const SLOTS: u32 = 40;

/// Operations as they come; where there is a loop, it goes back to a place that was passed.
fn operations() -> impl Strategy<Value = Vec<Op>> {
    let codes = [Code::And, Code::AndNot, Code::Or, Code::Xor, Code::Copy, Code::Not, Code::Zero];
    let plain = (prop::sample::select(codes.to_vec()), 0..SLOTS, 0..SLOTS, 0..SLOTS);
    let block =
        (prop::collection::vec(plain, 0..80), prop::collection::vec((0..2, 0..SLOTS, 0..SLOTS), 0..4));
    prop::collection::vec(block, 1..5).prop_map(|blocks| {
        let mut ops = Vec::new();
        for (plain, joins) in blocks {
            ops.extend(plain.iter().map(|(code, a, b, out)| match code {
                Code::Copy | Code::Not => Op::new(*code, *a, *a, *out),
                Code::Zero => Op::new(*code, *out, *out, *out),
                _ => Op::new(*code, *a, *b, *out),
            }));
            // A loop must end: it holds nothing but joins, which only ever add.
            let begin = ops.len() as u32;
            ops.extend(joins.iter().map(|(not, a, out)| {
                Op::new(if *not == 1 { Code::JoinNot } else { Code::Join }, *a, *a, *out)
            }));
            if !joins.is_empty() {
                ops.push(Op::new(Code::Repeat, begin, 0, 0));
            }
        }
        ops
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn machine_code_does_what_the_interpreter_does(
        ops in operations(),
        seed in any::<u64>(),
        kept in prop::collection::vec(any::<bool>(), SLOTS as usize),
    ) {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        let mut memory: Vec<Word> = (0..SLOTS).map(|_| Word(std::array::from_fn(|_| random()))).collect();
        let mut expected = memory.clone();
        Program::interpreted(&ops, SLOTS as usize).run(&mut expected);
        let program = Program::new(&ops, SLOTS as usize, &kept);
        #[cfg(target_arch = "x86_64")]
        prop_assert_eq!(program.is_machine_code(), has_wide_instructions());
        program.run(&mut memory);
        for slot in (0..SLOTS as usize).filter(|slot| kept[*slot]) {
            prop_assert_eq!(memory[slot], expected[slot], "slot {}", slot);
        }
    }
}

#[test]
fn a_formula_is_what_it_says() {
    let word = |bits: u64| Word([bits, !bits, bits << 1, bits >> 1]);
    let (x, y) = (word(0b1100), word(0b1010));
    let formulas: [(Code, Word); 6] = [
        (Code::And, x & y),
        (Code::AndNot, x & !y),
        (Code::Or, x | y),
        (Code::Xor, x ^ y),
        (Code::Copy, x),
        (Code::Not, !x),
    ];
    for (code, expected) in formulas {
        let b = if matches!(code, Code::Copy | Code::Not) { 0 } else { 1 };
        for program in [
            Program::interpreted(&[Op::new(code, 0, b, 2)], 3),
            Program::new(&[Op::new(code, 0, b, 2)], 3, &[true; 3]),
        ] {
            let mut memory = [x, y, Word::ALL];
            program.run(&mut memory);
            assert_eq!(memory, [x, y, expected], "{code:?}");
        }
    }
}

/// Everything that can be reached from 0 along the lines: a loop that goes round several times.
#[test]
fn loops_go_on_until_nothing_changes() {
    // Slots 0 to 3 hold what is reached; 4 is never; a line from 2 to 1, 1 to 3, 0 to 2; 5 is !0.
    let ops = [
        Op::new(Code::Join, 1, 1, 3),
        Op::new(Code::Join, 2, 2, 1),
        Op::new(Code::Join, 0, 0, 2),
        Op::new(Code::Repeat, 0, 0, 0),
        Op::new(Code::JoinNot, 3, 3, 5),
        Op::new(Code::Copy, 4, 4, 5),
        Op::new(Code::JoinNot, 3, 3, 5),
    ];
    let from = Word([1, 2, 3, u64::MAX]);
    for program in [Program::interpreted(&ops, 6), Program::new(&ops, 6, &[true; 6])] {
        let mut memory = [Word::NONE; 6];
        memory[0] = from;
        program.run(&mut memory);
        assert_eq!(memory, [from, from, from, from, Word::NONE, !from]);
    }
}
