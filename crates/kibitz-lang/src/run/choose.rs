//! Uniformly random legal moves in a thousand games at once, without leaving the lanes.
//!
//! A binary tree over a role's moves holds, bit by bit for all lanes, how many of the moves below
//! are legal. A number below the count at the root is drawn for each lane by rejection, which is
//! exactly uniform, and then descended with: to the left if it is smaller than the count there, else
//! to the right with the rest.

#![allow(clippy::needless_range_loop)] // the loops over n are what becomes one wide instruction

use kibitz_wide::Word;

/// A source of random bits: xoshiro256+ (Blackman and Vigna 2018), one in each 64 lanes.
pub struct Bits<const N: usize>([Word<N>; 4]);

impl<const N: usize> Bits<N> {
    /// Generators that start from different numbers.
    pub fn new(mut seed: impl FnMut() -> u64) -> Bits<N> {
        Bits(std::array::from_fn(|_| std::array::from_fn(|_| seed() | 1)))
    }

    #[inline(always)]
    fn next(&mut self) -> Word<N> {
        let [s0, s1, s2, s3] = &mut self.0;
        let mut word = [0; N];
        for n in 0..N {
            word[n] = s0[n].wrapping_add(s3[n]);
            let t = s1[n] << 17;
            s2[n] ^= s0[n];
            s3[n] ^= s1[n];
            s1[n] ^= s2[n];
            s0[n] ^= s3[n];
            s2[n] ^= t;
            s3[n] = s3[n].rotate_left(45);
        }
        word
    }
}

/// The tree of one role's moves.
pub struct Chooser<const N: usize> {
    /// The levels above the moves: where their counts begin, and how many nodes they have. A node of
    /// level l (from 1) has l + 1 bits.
    levels: Vec<(usize, usize)>,
    counts: Vec<Word<N>>,
    /// For each node of one level: the lanes that are there; and the same for the level below.
    here: Vec<Word<N>>,
    below: Vec<Word<N>>,
    number: Vec<Word<N>>,
}

#[inline(always)]
fn each<const N: usize>(formula: impl Fn(usize) -> u64) -> Word<N> {
    let mut word = [0; N];
    for n in 0..N {
        word[n] = formula(n);
    }
    word
}

impl<const N: usize> Chooser<N> {
    /// A tree for so many moves.
    pub fn new(moves: usize) -> Chooser<N> {
        let (mut levels, mut size, mut nodes) = (Vec::new(), 0, moves);
        while nodes > 1 {
            nodes = nodes.div_ceil(2);
            levels.push((size, nodes));
            size += nodes * (levels.len() + 1);
        }
        let bits = levels.len() + 1;
        Chooser {
            levels,
            counts: vec![[0; N]; size],
            here: vec![[0; N]; moves],
            below: vec![[0; N]; moves],
            number: vec![[0; N]; bits],
        }
    }

    /// Chooses one of the legal moves in each live lane: puts 1 there into the move's word in
    /// `legal`, and 0 everywhere else. Gives the live lanes that have no legal move at all.
    #[inline(always)]
    pub fn choose(&mut self, legal: &mut [Word<N>], live: &Word<N>, bits: &mut Bits<N>) -> Word<N> {
        let (mut once, mut twice) = ([0; N], [0; N]);
        for word in legal.iter() {
            for n in 0..N {
                twice[n] |= once[n] & word[n];
                once[n] |= word[n];
            }
        }
        let stuck = each(|n| live[n] & !once[n]);
        if (0..N).all(|n| twice[n] & live[n] == 0) {
            // Nobody has a choice.
            for word in legal.iter_mut() {
                for n in 0..N {
                    word[n] &= live[n];
                }
            }
            return stuck;
        }
        self.count(legal);
        self.draw(&each(|n| live[n] & once[n]), bits);
        self.descend(legal, &each(|n| live[n] & once[n]));
        stuck
    }

    /// Adds up the legal moves, level by level.
    #[inline(always)]
    fn count(&mut self, legal: &[Word<N>]) {
        for level in 0..self.levels.len() {
            let (begin, nodes) = self.levels[level];
            let (lower, upper) = self.counts.split_at_mut(begin);
            let (below, width) = match level {
                0 => (legal, 1),
                _ => (&lower[self.levels[level - 1].0..], level + 1),
            };
            let children = if level == 0 { legal.len() } else { self.levels[level - 1].1 };
            for node in 0..nodes {
                let sum = &mut upper[node * (width + 1)..(node + 1) * (width + 1)];
                let left = &below[2 * node * width..(2 * node + 1) * width];
                if 2 * node + 1 == children {
                    sum[..width].copy_from_slice(left);
                    sum[width] = [0; N];
                    continue;
                }
                let right = &below[(2 * node + 1) * width..(2 * node + 2) * width];
                let mut carry = [0; N];
                for bit in 0..width {
                    let (x, y) = (&left[bit], &right[bit]);
                    for n in 0..N {
                        let half = x[n] ^ y[n];
                        sum[bit][n] = half ^ carry[n];
                        carry[n] = x[n] & y[n] | carry[n] & half;
                    }
                }
                sum[width] = carry;
            }
        }
    }

    /// Draws a number below the count at the root in each of the lanes.
    #[inline(always)]
    fn draw(&mut self, lanes: &Word<N>, bits: &mut Bits<N>) {
        let width = self.levels.len() + 1;
        let root = self.levels.last().map_or(0, |(begin, _)| *begin);
        // The bits that numbers below the count can have: from the highest bit of count - 1 down.
        let mut useful = [[0; N]; MOST_BITS];
        let mut borrow = [u64::MAX; N];
        for bit in 0..width {
            let count = &self.counts[root + bit];
            for n in 0..N {
                useful[bit][n] = count[n] ^ borrow[n];
                borrow[n] &= !count[n];
            }
        }
        for bit in (0..width - 1).rev() {
            for n in 0..N {
                useful[bit][n] |= useful[bit + 1][n];
            }
        }
        let mut open = *lanes;
        while open.iter().any(|word| *word != 0) {
            let mut smaller = [0; N];
            for bit in 0..width {
                let random = bits.next();
                let count = &self.counts[root + bit];
                let number = &mut self.number[bit];
                for n in 0..N {
                    let drawn = random[n] & useful[bit][n];
                    number[n] = number[n] & !open[n] | drawn & open[n];
                    smaller[n] = !number[n] & count[n] | !(number[n] ^ count[n]) & smaller[n];
                }
            }
            for n in 0..N {
                open[n] &= !smaller[n];
            }
        }
    }

    /// Goes down the tree with the numbers.
    #[inline(always)]
    fn descend(&mut self, legal: &mut [Word<N>], lanes: &Word<N>) {
        self.here[0] = *lanes;
        for level in (1..self.levels.len()).rev() {
            let (begin, children) = self.levels[level - 1];
            let nodes = self.levels[level].1;
            let width = level + 1;
            for node in 0..nodes {
                let here = self.here[node];
                if 2 * node + 1 == children {
                    self.below[2 * node] = here;
                    continue;
                }
                let left = &self.counts[begin + 2 * node * width..begin + (2 * node + 1) * width];
                let mut rest = [[0; N]; MOST_BITS];
                let mut borrow = [0; N];
                for bit in 0..width {
                    let (number, count) = (&self.number[bit], &left[bit]);
                    for n in 0..N {
                        let differs = number[n] ^ count[n];
                        rest[bit][n] = differs ^ borrow[n];
                        borrow[n] = !number[n] & count[n] | !differs & borrow[n];
                    }
                }
                let right: Word<N> = each(|n| here[n] & !borrow[n]);
                self.below[2 * node] = each(|n| here[n] & borrow[n]);
                self.below[2 * node + 1] = right;
                for bit in 0..width {
                    let number = &mut self.number[bit];
                    for n in 0..N {
                        number[n] ^= (number[n] ^ rest[bit][n]) & right[n];
                    }
                }
            }
            std::mem::swap(&mut self.here, &mut self.below);
        }
        // Two moves at a time: the left one if it is legal and the number is 0.
        let number = &self.number[0];
        for (pair, here) in legal.chunks_mut(2).zip(&self.here) {
            match pair {
                [left, right] => {
                    for n in 0..N {
                        left[n] &= here[n] & !number[n];
                        right[n] = here[n] & !left[n];
                    }
                }
                [only] => *only = *here,
                _ => {}
            }
        }
    }
}

/// More moves than 2 to this power cannot be compiled anyway.
const MOST_BITS: usize = 24;
