//! Products of products: what a formula comes to, and what has to be worked out again where a leaf has changed.

/// What nobody can tell.
const UNKNOWN: f64 = 0.5;
/// The most bits that say which products are behind which leaf: 4 MiB of them.
const REACH: usize = 1 << 25;

/// Where a formula's value is found: twice the place of a pair, which is a value and its complement, and one more for
/// the complement. The first pairs are those of the constants, then come the leaves and then the products.
pub type Slot = u32;

/// Pairs of the constants: false and true, unknown twice.
pub const CONSTANTS: [[f64; 2]; 2] = [[0.0, 1.0], [UNKNOWN, UNKNOWN]];

/// Products of leaves and of other products.
#[derive(Debug)]
pub struct Graph {
    leaves: usize,
    /// Two slots each, what is needed first.
    pub products: Vec<[Slot; 2]>,
    /// For each leaf, which products it is behind, a bit each. None where these would be too many bits.
    reach: Option<Vec<u64>>,
}

impl Graph {
    /// Of these products.
    pub fn new(leaves: usize, products: Vec<[Slot; 2]>) -> Graph {
        Graph { leaves, reach: reach(&products, leaves), products }
    }

    /// Words that have a bit for each product.
    pub fn words(&self) -> usize {
        self.products.len().div_ceil(64)
    }

    /// Marks all that is behind a leaf.
    #[inline]
    pub fn mark(&self, leaf: usize, marks: &mut [u64]) {
        match &self.reach {
            Some(reach) => {
                let behind = &reach[leaf * marks.len()..][..marks.len()];
                marks.iter_mut().zip(behind).for_each(|(mark, behind)| *mark |= behind);
            }
            None => mark_all(self.products.len(), marks),
        }
    }
}

fn mark_all(products: usize, marks: &mut [u64]) {
    marks.fill(u64::MAX);
    if let (Some(last), 1..) = (marks.last_mut(), products % 64) {
        *last = (1 << (products % 64)) - 1;
    }
}

/// Which products each leaf is behind.
fn reach(products: &[[Slot; 2]], leaves: usize) -> Option<Vec<u64>> {
    let (stride, width) = (products.len().div_ceil(64), leaves.div_ceil(64));
    if stride * 64 * leaves > REACH || width * 64 * products.len() > REACH {
        return None;
    }
    let mut behind = vec![0_u64; products.len() * width];
    let mut reach = vec![0_u64; leaves * stride];
    for (number, pair) in products.iter().enumerate() {
        let (done, rest) = behind.split_at_mut(number * width);
        let own = &mut rest[..width];
        for slot in pair {
            match (*slot as usize / 2).checked_sub(CONSTANTS.len()) {
                None => {}
                Some(leaf) if leaf < leaves => own[leaf / 64] |= 1 << (leaf % 64),
                Some(other) => {
                    let theirs = &done[(other - leaves) * width..][..width];
                    own.iter_mut().zip(theirs).for_each(|(own, theirs)| *own |= theirs);
                }
            }
        }
        for (word, mut bits) in own.iter().copied().enumerate() {
            while bits != 0 {
                let leaf = 64 * word + bits.trailing_zeros() as usize;
                reach[leaf * stride + number / 64] |= 1 << (number % 64);
                bits &= bits - 1;
            }
        }
    }
    Some(reach)
}

/// The values of a graph's leaves and products.
#[derive(Debug)]
pub struct Values {
    /// What each slot holds.
    slots: Vec<f64>,
    /// Products, a bit each, that are behind something that has changed.
    stale: Vec<u64>,
    /// Products, a bit each, that somebody asks for.
    wanted: Vec<u64>,
    /// For a trial: what is behind what it changes, and what that was.
    tried: Vec<u64>,
    before: Vec<(usize, f64)>,
}

impl Values {
    /// All leaves are 0, and no product has been worked out.
    pub fn new(graph: &Graph) -> Values {
        let mut stale = vec![0; graph.words()];
        mark_all(graph.products.len(), &mut stale);
        let pairs = CONSTANTS.into_iter().chain([[0.0, 1.0]].into_iter().cycle());
        let slots = pairs.take(CONSTANTS.len() + graph.leaves + graph.products.len()).flatten().collect();
        let none = vec![0; graph.words()];
        Values { slots, stale, wanted: none.clone(), tried: none, before: Vec::new() }
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.slots.len() / 2
    }

    /// Sets a pair.
    #[inline(always)]
    fn put(&mut self, place: usize, value: f64) {
        // The higher place first: the lower one is then within bounds.
        self.slots[2 * place + 1] = 1.0 - value;
        self.slots[2 * place] = value;
    }

    /// Sets a leaf.
    #[inline]
    pub fn set(&mut self, graph: &Graph, leaf: usize, value: f64) {
        let place = CONSTANTS.len() + leaf;
        if self.slots[2 * place] != value {
            self.put(place, value);
            graph.mark(leaf, &mut self.stale);
        }
    }

    /// Asks for products, which are given as words.
    #[inline]
    pub fn want(&mut self, words: &[(u32, u64)]) {
        words.iter().for_each(|(word, mask)| self.wanted[*word as usize] |= mask);
    }

    /// Works out what is stale of what was asked for.
    #[inline]
    pub fn work(&mut self, graph: &Graph) {
        for word in 0..self.stale.len() {
            let open = self.stale[word] & std::mem::take(&mut self.wanted[word]);
            self.stale[word] ^= open;
            self.multiply(graph, word, open, false);
        }
    }

    /// Works out products of a word; notes what they were, if that is asked for.
    #[inline(always)]
    fn multiply(&mut self, graph: &Graph, word: usize, mut open: u64, noted: bool) {
        let first = CONSTANTS.len() + graph.leaves;
        while open != 0 {
            let product = 64 * word + open.trailing_zeros() as usize;
            open &= open - 1;
            let [a, b] = graph.products[product];
            let value = self.value(a) * self.value(b);
            let place = first + product;
            if noted {
                self.before.push((place, self.slots[2 * place]));
            }
            self.put(place, value);
        }
    }

    /// What a slot would come to if some leaves had other values. Nothing may be stale.
    pub fn try_out(&mut self, graph: &Graph, leaves: impl Iterator<Item = (u32, f64)>, slot: Slot) -> f64 {
        for (leaf, value) in leaves {
            let place = CONSTANTS.len() + leaf as usize;
            if self.slots[2 * place] != value {
                self.before.push((place, self.slots[2 * place]));
                self.put(place, value);
                graph.mark(leaf as usize, &mut self.tried);
            }
        }
        for word in 0..self.tried.len() {
            let open = std::mem::take(&mut self.tried[word]);
            self.multiply(graph, word, open, true);
        }
        let value = self.value(slot);
        while let Some((place, value)) = self.before.pop() {
            self.put(place, value);
        }
        value
    }

    /// What a slot holds.
    #[inline]
    pub fn value(&self, slot: Slot) -> f64 {
        self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (x y) z and x y, with x, y and z the slots 4, 6 and 8.
    #[test]
    fn what_is_tried_is_taken_back() {
        let graph = Graph::new(3, vec![[4, 6], [10, 9]]);
        let mut values = Values::new(&graph);
        for (leaf, value) in [0.5, 0.5, 0.75].into_iter().enumerate() {
            values.set(&graph, leaf, value);
        }
        values.want(&[(0, 0b11)]);
        values.work(&graph);
        assert_eq!([values.value(10), values.value(12), values.value(13)], [0.25, 0.0625, 0.9375]);
        assert_eq!(values.try_out(&graph, [(0, 1.0), (2, 0.0)].into_iter(), 12), 0.5);
        assert_eq!(values.try_out(&graph, [].into_iter(), 12), 0.0625);
        values.set(&graph, 1, 1.0);
        values.want(&[(0, 0b01)]);
        values.work(&graph);
        assert_eq!([values.value(10), values.value(12)], [0.5, 0.0625]);
        values.want(&[(0, 0b10)]);
        values.work(&graph);
        assert_eq!(values.value(12), 0.125);
    }
}
