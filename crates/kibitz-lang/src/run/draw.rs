//! Random numbers in 256 lanes at once, each below a bound of its own.

use kibitz_wide::Word;

/// A source of random bits: xoshiro256+ (Blackman and Vigna 2018), one for each 64 lanes.
pub struct Bits([Word; 4]);

impl Bits {
    /// Generators that start from different numbers.
    pub fn new(mut seed: impl FnMut() -> u64) -> Bits {
        Bits(std::array::from_fn(|_| Word(std::array::from_fn(|_| seed() | 1))))
    }

    #[inline(always)]
    fn next(&mut self) -> Word {
        let [s0, s1, s2, s3] = &mut self.0;
        let mut word = Word::NONE;
        for n in 0..4 {
            word.0[n] = s0.0[n].wrapping_add(s3.0[n]);
            let t = s1.0[n] << 17;
            s2.0[n] ^= s0.0[n];
            s3.0[n] ^= s1.0[n];
            s1.0[n] ^= s2.0[n];
            s0.0[n] ^= s3.0[n];
            s2.0[n] ^= t;
            s3.0[n] = s3.0[n].rotate_left(45);
        }
        word
    }
}

/// More bits than any number of moves has.
const WIDEST: usize = 32;

/// Draws a number below `count` in each of the lanes, by rejection: exactly uniform. Both are given
/// bit by bit, the lowest first. In a lane whose count is 0 the number stays what it was; those of
/// `lanes` are returned.
#[inline(always)]
pub fn draw(count: &[Word], number: &mut [Word], lanes: Word, bits: &mut Bits) -> Word {
    let width = count.len().min(WIDEST);
    // The bits that numbers below the count can have: from the highest bit of count - 1 down.
    let mut useful = [Word::NONE; WIDEST];
    let (mut borrow, mut any) = (Word::ALL, Word::NONE);
    for (useful, count) in useful.iter_mut().zip(count) {
        *useful = *count ^ borrow;
        borrow &= !*count;
        any |= *count;
    }
    for bit in (1..width).rev() {
        let higher = useful[bit];
        useful[bit - 1] |= higher;
    }
    let mut open = lanes & any;
    while open.any() {
        let mut smaller = Word::NONE;
        for bit in 0..width {
            let drawn = bits.next() & useful[bit];
            let kept = number[bit] & !open | drawn & open;
            number[bit] = kept;
            smaller = !kept & count[bit] | !(kept ^ count[bit]) & smaller;
        }
        open &= !smaller;
    }
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
