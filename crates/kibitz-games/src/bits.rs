//! Sets of squares as the bits of a word.

const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;
const EVERY_TOP_BIT: u64 = 0x8080_8080_8080_8080;

/// `PLACES[set][n]` is the place of bit number n, counted from the lowest, of a set of nine bits.
static PLACES: [[u8; 9]; 512] = {
    let mut table = [[0; 9]; 512];
    let mut set = 0;
    while set < 512 {
        let (mut bit, mut found) = (0, 0);
        while bit < 9 {
            if set >> bit & 1 == 1 {
                table[set][found] = bit as u8;
                found += 1;
            }
            bit += 1;
        }
        set += 1;
    }
    table
};

/// As [`nth_set`], for a set of at most nine bits.
#[inline]
pub fn nth_of_nine(set: u16, n: u32) -> u32 {
    u32::from(PLACES[usize::from(set & 511)][n as usize])
}

/// The place of set bit number `n`, counted from the lowest, of a word with more than `n` of them.
///
/// Branch-free, since a random `n` defeats every branch predictor: eight running sums in one
/// word tell the byte, a table the bit in it (Vigna's broadword selection).
#[inline]
pub fn nth_set(word: u64, n: u32) -> u32 {
    let mut sums = word - (word >> 1 & 0x5555_5555_5555_5555);
    sums = (sums & 0x3333_3333_3333_3333) + (sums >> 2 & 0x3333_3333_3333_3333);
    sums = ((sums + (sums >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(EVERY_BYTE);
    let n = u64::from(n);
    let passed = ((((n * EVERY_BYTE) | EVERY_TOP_BIT) - sums) & EVERY_TOP_BIT) >> 7;
    let shift = (passed.wrapping_mul(EVERY_BYTE) >> 56 << 3) & 63;
    let rest = n - (sums << 8 >> shift & 0xff);
    shift as u32 + nth_of_nine((word >> shift & 0xff) as u16, rest as u32 & 7)
}

/// As [`nth_set`], for a word of twice the width.
#[inline]
pub fn nth_set_wide(word: u128, n: u32) -> u32 {
    let (low, high) = (word as u64, (word >> 64) as u64);
    match n.checked_sub(low.count_ones()) {
        None => nth_set(low, n),
        Some(rest) => 64 + nth_set(high, rest),
    }
}

/// As [`ones`], for a word of twice the width.
#[inline]
pub fn ones_wide(word: u128) -> impl Iterator<Item = u32> {
    ones(word as u64).chain(ones((word >> 64) as u64).map(|place| place + 64))
}

/// The places of the set bits, ascending.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let place = word.trailing_zeros();
            word &= word - 1;
            place
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_core::Rng;

    #[test]
    fn nth_set_agrees_with_counting() {
        let mut rng = Rng::new(3);
        for _ in 0..2000 {
            let word = rng.bits() & rng.bits() | rng.bits() & rng.bits() & rng.bits();
            for (n, place) in ones(word).enumerate() {
                assert_eq!(nth_set(word, n as u32), place, "{word:#x}, {n}");
            }
        }
        for _ in 0..200 {
            let word = u128::from(rng.bits() & rng.bits()) << 64 | u128::from(rng.bits());
            let places: Vec<u32> = (0..word.count_ones()).map(|n| nth_set_wide(word, n)).collect();
            assert!(places.iter().copied().eq(ones_wide(word)), "{word:#x}");
            assert_eq!(places.iter().map(|place| 1 << place).sum::<u128>(), word);
        }
        for set in 0..512u16 {
            let places: Vec<u32> = (0..set.count_ones()).map(|n| nth_of_nine(set, n)).collect();
            assert!(places.iter().copied().eq(ones(set.into())), "{set:#x}");
        }
        assert_eq!(nth_set(u64::MAX, 63), 63);
        assert_eq!(nth_set(1 << 63, 0), 63);
    }
}
