//! Formulas over the facts of a state, in which equal parts are one: a graph, never expanded.
//!
//! There is one connective, the conjunction of two, and negation, which is marked on the reference ([`Formula`]). All
//! constants are simplified away as they come up, by the laws of three-valued logic.

use rustc_hash::FxHashMap;

/// A formula, or the negation of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula(u32);

impl Formula {
    /// False.
    pub const FALSE: Formula = Formula(0);
    /// True.
    pub const TRUE: Formula = Formula(1);
    /// Neither: nobody can tell. Its negation is itself.
    pub const UNKNOWN: Formula = Formula(2);

    /// Its place among all formulas.
    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// A number that tells it from its negation: twice its place, and one more where it is negated.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether it is true, false or unknown in every state.
    pub fn is_constant(self) -> bool {
        self.node() < 2
    }

    fn new(node: usize) -> Formula {
        Formula((node as u32) << 1)
    }

    /// Negates it where that is asked for.
    pub fn negated_if(self, negated: bool) -> Formula {
        if negated { !self } else { self }
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    #[inline]
    fn not(self) -> Formula {
        if self == Formula::UNKNOWN { self } else { Formula(self.0 ^ 1) }
    }
}

/// What a formula is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// False, or unknown.
    Constant,
    /// A fact of the state, by number.
    Fact(u32),
    /// Both of two.
    And(Formula, Formula),
}

/// All formulas, each after those that it is made of.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    known: FxHashMap<Node, Formula>,
}

impl Default for Formulas {
    fn default() -> Formulas {
        Formulas { nodes: vec![Node::Constant, Node::Constant], known: FxHashMap::default() }
    }
}

impl Formulas {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none. Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What the formula at a place is made of.
    pub fn node(&self, place: usize) -> Node {
        self.nodes[place]
    }

    fn find(&mut self, node: Node) -> Formula {
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            Formula::new(nodes.len() - 1)
        })
    }

    /// That a fact holds.
    pub fn fact(&mut self, number: u32) -> Formula {
        self.find(Node::Fact(number))
    }

    /// Both of two.
    pub fn and(&mut self, a: Formula, b: Formula) -> Formula {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Formula::FALSE || a == !b && a != b {
            return Formula::FALSE;
        }
        if a == Formula::TRUE || a == b {
            return b;
        }
        self.find(Node::And(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_valued_laws() {
        let mut formulas = Formulas::default();
        let x = formulas.fact(3);
        let (t, f, u) = (Formula::TRUE, Formula::FALSE, Formula::UNKNOWN);
        for (a, b, both) in
            [(t, x, x), (f, x, f), (x, x, x), (x, !x, f), (u, f, f), (u, t, u), (u, u, u), (!u, u, u)]
        {
            assert_eq!(formulas.and(a, b), both);
            assert_eq!(formulas.and(b, a), both);
        }
        assert!(!formulas.and(u, x).is_constant());
        let size = formulas.len();
        assert_eq!(formulas.fact(3), x);
        assert_eq!(formulas.and(x, u), formulas.and(u, x));
        assert_eq!(formulas.len(), size);
    }
}
