//! Random numbers in 256 lanes at once, each below a bound of its own.

use kibitz_wide::Word;

/// A source of random bits: xoshiro256+ (Blackman and Vigna 2018), one for each 64 lanes.
#[derive(Clone, Copy)]
pub struct Bits([Word; 4]);

impl Bits {
    /// Generators that start from different numbers.
    pub fn new(mut seed: impl FnMut() -> u64) -> Bits {
        Bits(std::array::from_fn(|_| Word(std::array::from_fn(|_| seed() | 1))))
    }

    #[inline(always)]
    fn next(&mut self) -> Word {
        let [mut s0, mut s1, mut s2, mut s3] = self.0;
        let (mut word, mut shifted) = (Word::NONE, Word::NONE);
        for n in 0..4 {
            word.0[n] = s0.0[n].wrapping_add(s3.0[n]);
            shifted.0[n] = s1.0[n] << 17;
        }
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= shifted;
        for part in &mut s3.0 {
            *part = part.rotate_left(45);
        }
        self.0 = [s0, s1, s2, s3];
        word
    }
}

/// Numbers have fewer bits: no role has a million moves in a network.
const WIDEST: usize = 24;

/// Draws a number below `count` in each of the lanes, by rejection: exactly uniform. Both are given
/// bit by bit, the lowest first. Gives the lanes in which the count is 0; the number there, and in other
/// lanes, is of no interest.
#[inline(always)]
pub fn draw(count: &[Word], number: &mut [Word], lanes: Word, bits: &mut Bits) -> Word {
    // Of a few bits all is kept in registers.
    match count.len() {
        1 => draw_bits::<1>(count, number, lanes, bits),
        2 => draw_bits::<2>(count, number, lanes, bits),
        3 => draw_bits::<3>(count, number, lanes, bits),
        4 => draw_bits::<4>(count, number, lanes, bits),
        5 => draw_bits::<5>(count, number, lanes, bits),
        6 => draw_bits::<6>(count, number, lanes, bits),
        7 => draw_bits::<7>(count, number, lanes, bits),
        8 => draw_bits::<8>(count, number, lanes, bits),
        _ => draw_bits::<WIDEST>(count, number, lanes, bits),
    }
}

#[inline(always)]
fn draw_bits<const WIDTH: usize>(
    given: &[Word],
    result: &mut [Word],
    lanes: Word,
    bits: &mut Bits,
) -> Word {
    let (mut count, mut number, mut own) = ([Word::NONE; WIDTH], [Word::NONE; WIDTH], *bits);
    count.iter_mut().zip(given).for_each(|(count, given)| *count = *given);
    let width = if WIDTH == WIDEST { given.len().min(WIDEST) } else { WIDTH };
    // The bits that numbers below the count can have: from the highest bit of count - 1 down.
    let mut useful = [Word::NONE; WIDTH];
    let (mut borrow, mut any) = (Word::ALL, Word::NONE);
    for bit in 0..width {
        useful[bit] = count[bit] ^ borrow;
        borrow &= !count[bit];
        any |= count[bit];
    }
    for bit in (1..width).rev() {
        let higher = useful[bit];
        useful[bit - 1] |= higher;
    }
    let mut open = lanes & any;
    while open.any() {
        // Two tries before the next look.
        for _ in 0..2 {
            let mut smaller = Word::NONE;
            for bit in 0..width {
                let drawn = own.next() & useful[bit];
                number[bit] ^= (number[bit] ^ drawn) & open;
                smaller = !number[bit] & count[bit] | !(number[bit] ^ count[bit]) & smaller;
            }
            open &= !smaller;
        }
    }
    *bits = own;
    result.iter_mut().zip(number).for_each(|(result, number)| *result = number);
    lanes & !any
}

#[cfg(test)]
mod tests {
    use kibitz_core::Rng;

    use super::*;

    /// Each number is drawn equally often: chi-squared at about five sigma.
    #[test]
    fn numbers_are_uniform() {
        let mut rng = Rng::new(9);
        let mut bits = Bits::new(|| rng.bits());
        for bound in [1_usize, 2, 3, 5, 8, 11, 37, 64] {
            // Lanes have different bounds; those of every third are looked at.
            let bound_of = |lane: usize| if lane.is_multiple_of(3) { bound } else { lane % 7 };
            let mut count = [Word::NONE; 7];
            for lane in 0..Word::BITS {
                for (bit, word) in count.iter_mut().enumerate() {
                    if bound_of(lane) >> bit & 1 == 1 {
                        word.set(lane);
                    }
                }
            }
            let mut seen = vec![0_u32; bound];
            let (rounds, mut number) = (400, [Word::NONE; 7]);
            for _ in 0..rounds {
                let stuck = draw(&count, &mut number, Word::ALL, &mut bits);
                for lane in 0..Word::BITS {
                    assert_eq!(stuck.bit(lane), bound_of(lane) == 0);
                    let value = (0..7).map(|bit| usize::from(number[bit].bit(lane)) << bit).sum::<usize>();
                    assert!(value < bound_of(lane).max(1));
                    if lane.is_multiple_of(3) {
                        seen[value] += 1;
                    }
                }
            }
            let expected = f64::from(rounds * 86) / bound as f64;
            let chi: f64 = seen.iter().map(|seen| (f64::from(*seen) - expected).powi(2) / expected).sum();
            let free = bound as f64 - 1.0;
            assert!(chi <= free + 5.0 * (2.0 * free).sqrt(), "below {bound}: {chi}");
        }
    }
}
