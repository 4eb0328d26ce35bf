//! A small network that judges a state by what is true of it.
//!
//! Its inputs are atoms, of which few are true at a time: the first layer only adds up their rows. Two hidden
//! layers of rectified sums follow, and for each player a logistic one.

use kibitz_wide::with_wide_instructions;

/// The most units of the first hidden layer.
const MOST_FIRST: usize = 256;
/// The most units of the second hidden layer.
const MOST_SECOND: usize = 64;
/// Units of the first layer that are added up together: they fit into the registers of any processor.
const LANES: usize = 32;

/// How large a network is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Atoms.
    pub inputs: usize,
    /// Units of the first hidden layer, a multiple of 32 and at most 256.
    pub first: usize,
    /// Units of the second hidden layer, a multiple of 8 and at most 64.
    pub second: usize,
    /// Players.
    pub outputs: usize,
}

impl Shape {
    /// Where the parts of the weights begin: rows of atoms, first biases, second weights and biases, output
    /// weights and biases; and how many weights there are.
    fn parts(&self) -> [usize; 7] {
        let Shape { inputs, first, second, outputs } = *self;
        let mut begin = 0;
        let sizes = [inputs * first, first, first * second, second, second * outputs, outputs];
        let mut parts = [0; 7];
        for (part, size) in parts[1..].iter_mut().zip(sizes) {
            begin += size;
            *part = begin;
        }
        parts
    }

    /// What is wrong with it.
    fn check(&self) -> Result<(), String> {
        let fits =
            |units: usize, of: usize, most: usize| units > 0 && units.is_multiple_of(of) && units <= most;
        if !fits(self.first, LANES, MOST_FIRST) || !fits(self.second, 8, MOST_SECOND) {
            return Err(format!(
                "a network has 32, 64, ... {MOST_FIRST} units in its first layer and 8, 16, ... {MOST_SECOND} in its \
                 second, not {} and {}",
                self.first, self.second
            ));
        }
        if self.inputs == 0 || self.inputs > 1 << 20 || self.outputs == 0 || self.outputs > 32 {
            return Err(format!(
                "a network cannot have {} inputs and {} outputs",
                self.inputs, self.outputs
            ));
        }
        Ok(())
    }
}

/// A network.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    /// How large it is.
    pub shape: Shape,
    weights: Vec<f32>,
}

/// What the units of a network are, for one state.
pub(super) struct Units {
    first: [f32; MOST_FIRST],
    second: [f32; MOST_SECOND],
}

impl Default for Units {
    fn default() -> Units {
        Units { first: [0.0; MOST_FIRST], second: [0.0; MOST_SECOND] }
    }
}

/// The first bytes of a file.
const MAGIC: &[u8] = b"kibitz net 1\n";

impl Net {
    /// A network that knows nothing yet.
    ///
    /// # Errors
    /// A size that cannot be.
    pub fn new(shape: Shape, rng: &mut crate::rng::Rng) -> Result<Net, String> {
        shape.check()?;
        let parts = shape.parts();
        let mut weights = vec![0.0; parts[6]];
        // So that sums of as many as are true at a time are of the order of one.
        let mut fill = |from: usize, to: usize, scale: f64| {
            weights[from..to]
                .iter_mut()
                .for_each(|weight| *weight = ((rng.unit() * 2.0 - 1.0) * scale) as f32);
        };
        fill(parts[0], parts[1], 0.15);
        fill(parts[2], parts[3], (3.0 / shape.first as f64).sqrt());
        fill(parts[4], parts[5], (1.0 / shape.second as f64).sqrt());
        Ok(Net { shape, weights })
    }

    /// What it expects for each player, from 0 (the worst) to 1.
    pub fn judge(&self, atoms: &[u32], values: &mut [f64]) {
        with_wide_instructions(
            #[inline(always)]
            || self.run(atoms, &mut Units::default(), values),
        );
    }

    #[inline(always)]
    fn run(&self, atoms: &[u32], units: &mut Units, values: &mut [f64]) {
        let Shape { first, second, outputs, .. } = self.shape;
        let parts = self.shape.parts();
        for lane in (0..first).step_by(LANES) {
            let mut sums = [0.0f32; LANES];
            sums.copy_from_slice(&self.weights[parts[1] + lane..][..LANES]);
            for atom in atoms {
                let row = &self.weights[*atom as usize * first + lane..][..LANES];
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
            }
            units.first[lane..lane + LANES]
                .iter_mut()
                .zip(sums)
                .for_each(|(unit, sum)| *unit = sum.max(0.0));
        }
        let sums = &mut units.second[..second];
        sums.copy_from_slice(&self.weights[parts[3]..parts[4]]);
        for (unit, row) in units.first.iter().zip(self.weights[parts[2]..parts[3]].chunks_exact(second)) {
            if *unit > 0.0 {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += unit * weight);
            }
        }
        sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        for (output, value) in values.iter_mut().enumerate().take(outputs) {
            let row = &self.weights[parts[4] + output * second..][..second];
            let sum: f32 = sums.iter().zip(row).map(|(unit, weight)| unit * weight).sum();
            *value = 1.0 / (1.0 + f64::from(-(sum + self.weights[parts[5] + output])).exp());
        }
    }

    /// As a file: half of each weight's bits, which is more than learning can tell.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Shape { inputs, first, second, outputs } = self.shape;
        let mut bytes = MAGIC.to_vec();
        for size in [inputs, first, second, outputs] {
            bytes.extend((size as u32).to_le_bytes());
        }
        for weight in &self.weights {
            let bits = weight.to_bits();
            let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
            bytes.extend(((rounded >> 16) as u16).to_le_bytes());
        }
        bytes
    }

    /// Reads what [`Net::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that are no network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Net, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("this is no network of kibitz")?;
        let (sizes, rest) = rest.split_at_checked(16).ok_or("the network ends in its head")?;
        let size = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| sizes[4 * at + byte])) as usize;
        let shape = Shape { inputs: size(0), first: size(1), second: size(2), outputs: size(3) };
        shape.check()?;
        let count = shape.parts()[6];
        if rest.len() != 2 * count {
            return Err(format!(
                "a network of {count} weights has {} bytes, not {}",
                2 * count,
                rest.len()
            ));
        }
        let weights: Vec<f32> = rest
            .chunks_exact(2)
            .map(|pair| f32::from_bits(u32::from(u16::from_le_bytes([pair[0], pair[1]])) << 16))
            .collect();
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err("a weight of the network is not a number".to_owned());
        }
        Ok(Net { shape, weights })
    }
}

/// About how many steps the mean is over.
const AVERAGED: f32 = 2000.0;

/// A network that learns, by Adam on the cross entropy.
pub struct Trainer {
    /// What it has learned so far: the mean over the last few thousand steps, which do not agree.
    pub net: Net,
    /// What the next step begins from.
    latest: Net,
    means: Vec<f32>,
    squares: Vec<f32>,
    gradient: Vec<f32>,
    /// The atoms whose rows have a gradient.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    batches: i32,
}

/// Something to learn from: a state's atoms, and what it is worth to each player, from 0 to 1.
#[derive(Clone, Debug)]
pub struct Example {
    /// What is true.
    pub atoms: Box<[u32]>,
    /// What it is worth.
    pub worth: Box<[f32]>,
}

impl Trainer {
    /// Begins from a network.
    pub fn new(net: Net) -> Trainer {
        let count = net.weights.len();
        let empty = || vec![0.0; count];
        let is_touched = vec![false; net.shape.inputs];
        Trainer {
            latest: net.clone(),
            net,
            means: empty(),
            squares: empty(),
            gradient: empty(),
            touched: Vec::new(),
            is_touched,
            batches: 0,
        }
    }

    /// Learns from some examples together, at this rate; gives the mean cross entropy before.
    pub fn learn<'a>(&mut self, examples: impl ExactSizeIterator<Item = &'a Example>, rate: f32) -> f64 {
        let count = examples.len().max(1);
        with_wide_instructions(
            #[inline(always)]
            || {
                let mut loss = 0.0;
                for example in examples {
                    loss += self.study(example, 1.0 / count as f32);
                }
                self.improve(rate);
                loss / count as f64
            },
        )
    }

    /// Adds one example's gradient.
    #[inline(always)]
    fn study(&mut self, example: &Example, weight: f32) -> f64 {
        let Shape { first, second, outputs, .. } = self.net.shape;
        let parts = self.net.shape.parts();
        let mut units = Units::default();
        let mut values = [0.0; 32];
        self.latest.run(&example.atoms, &mut units, &mut values);
        let weights = &self.latest.weights;
        let mut loss = 0.0;
        let mut at_second = [0.0f32; MOST_SECOND];
        for (output, (value, worth)) in values.iter().zip(&*example.worth).enumerate().take(outputs) {
            let (p, y) = (value.clamp(1e-7, 1.0 - 1e-7), f64::from(*worth));
            loss -= y * p.ln() + (1.0 - y) * (1.0 - p).ln();
            let error = (p - y) as f32 * weight;
            let row = parts[4] + output * second;
            for unit in 0..second {
                self.gradient[row + unit] += error * units.second[unit];
                at_second[unit] += error * weights[row + unit];
            }
            self.gradient[parts[5] + output] += error;
        }
        for ((error, unit), slope) in
            at_second.iter_mut().zip(&units.second).zip(&mut self.gradient[parts[3]..parts[4]])
        {
            if *unit <= 0.0 {
                *error = 0.0;
            }
            *slope += *error;
        }
        let mut at_first = [0.0f32; MOST_FIRST];
        let rows = weights[parts[2]..parts[3]].chunks_exact(second);
        let slopes = self.gradient[parts[2]..parts[3]].chunks_exact_mut(second);
        for (((error, unit), row), slopes) in at_first.iter_mut().zip(&units.first).zip(rows).zip(slopes) {
            if *unit > 0.0 {
                for ((slope, weight), above) in slopes.iter_mut().zip(row).zip(&at_second) {
                    *slope += above * unit;
                    *error += above * weight;
                }
            }
        }
        let at_first = &at_first[..first];
        let add = |row: &mut [f32]| row.iter_mut().zip(at_first).for_each(|(sum, error)| *sum += error);
        add(&mut self.gradient[parts[1]..parts[2]]);
        for atom in &*example.atoms {
            let row = *atom as usize;
            add(&mut self.gradient[row * first..(row + 1) * first]);
            if !self.is_touched[row] {
                self.is_touched[row] = true;
                self.touched.push(*atom);
            }
        }
        loss
    }

    /// A step down the gradient. Rows of atoms that were not seen stay as they are.
    #[inline(always)]
    fn improve(&mut self, rate: f32) {
        const MEMORY: (f32, f32) = (0.9, 0.999);
        self.batches += 1;
        let bias = (1.0 - MEMORY.1.powi(self.batches)).sqrt() / (1.0 - MEMORY.0.powi(self.batches));
        let parts = self.net.shape.parts();
        let first = self.net.shape.first;
        let mut touched = std::mem::take(&mut self.touched);
        let rows = touched.drain(..).map(|atom| {
            self.is_touched[atom as usize] = false;
            atom as usize * first..(atom as usize + 1) * first
        });
        for range in rows.chain(std::iter::once(parts[1]..parts[6])) {
            let weights = self.latest.weights[range.clone()].iter_mut();
            let memory = self.means[range.clone()].iter_mut().zip(&mut self.squares[range.clone()]);
            for ((weight, (mean, square)), slope) in weights.zip(memory).zip(&mut self.gradient[range]) {
                *mean += (1.0 - MEMORY.0) * (*slope - *mean);
                *square += (1.0 - MEMORY.1) * (*slope * *slope - *square);
                *weight -= rate * bias * *mean / (square.sqrt() + 1e-8);
                *slope = 0.0;
            }
        }
        self.touched = touched;
        let news = (1.0 / self.batches as f32).max(1.0 / AVERAGED);
        for (mean, weight) in self.net.weights.iter_mut().zip(&self.latest.weights) {
            *mean += news * (weight - *mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const SHAPE: Shape = Shape { inputs: 6, first: 32, second: 8, outputs: 2 };

    fn example(atoms: &[u32], worth: [f32; 2]) -> Example {
        Example { atoms: atoms.into(), worth: worth.into() }
    }

    #[test]
    fn what_no_sum_of_atoms_tells_is_learned() {
        let mut trainer = Trainer::new(Net::new(SHAPE, &mut Rng::new(1)).unwrap());
        let examples = [
            example(&[4], [0.0, 0.5]),
            example(&[0], [1.0, 0.5]),
            example(&[1, 5], [1.0, 0.5]),
            example(&[0, 1], [0.0, 0.5]),
        ];
        let before = trainer.learn(examples.iter(), 0.01);
        let after = (0..500).map(|_| trainer.learn(examples.iter(), 0.01)).last().unwrap();
        // A half is no surer than ln 2, whatever is learned.
        assert!(before > 1.2 && after < 0.75, "{before} {after}");
        let mut values = [0.0; 2];
        trainer.net.judge(&[0, 1], &mut values);
        assert!(values[0] < 0.05 && (values[1] - 0.5).abs() < 0.05, "{values:?}");
    }

    #[test]
    fn the_gradient_is_what_a_small_change_does() {
        let net = Net::new(SHAPE, &mut Rng::new(3)).unwrap();
        let example = example(&[0, 2, 3], [0.2, 0.9]);
        let loss = |net: &Net| Trainer::new(net.clone()).study(&example, 1.0);
        let mut trainer = Trainer::new(net.clone());
        trainer.study(&example, 1.0);
        let slopes: Vec<f32> = trainer.gradient.clone();
        for at in (0..slopes.len()).step_by(7) {
            let (mut less, mut more) = (net.clone(), net.clone());
            less.weights[at] -= 1e-3;
            more.weights[at] += 1e-3;
            let measured = (loss(&more) - loss(&less)) / 2e-3;
            assert!((measured - f64::from(slopes[at])).abs() < 2e-3, "{at}: {measured} {}", slopes[at]);
        }
    }

    #[test]
    fn a_file_is_the_same_network_but_for_rounding() {
        let net = Net::new(SHAPE, &mut Rng::new(2)).unwrap();
        let again = Net::from_bytes(&net.to_bytes()).unwrap();
        let (mut values, mut others) = ([0.0; 2], [0.0; 2]);
        net.judge(&[1, 2], &mut values);
        again.judge(&[1, 2], &mut others);
        assert!(values.iter().zip(others).all(|(a, b)| (a - b).abs() < 0.01), "{values:?} {others:?}");
        assert_eq!(again.to_bytes(), net.to_bytes());
        for wrong in [&b"GIF89a"[..], &net.to_bytes()[..20], &net.to_bytes()[..40]] {
            assert!(Net::from_bytes(wrong).is_err());
        }
    }
}
