//! Names in an order: what may be the columns or rows of a board.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// The longest row or column that is drawn.
pub const LONGEST: usize = 40;

/// Names that some relation of the rules puts one after the other, with their places.
pub type Chain = Arc<FxHashMap<String, i64>>;

/// Why some names have an order.
#[derive(Clone, Debug)]
pub enum Order {
    /// 1, 2, 3.
    Numbers,
    /// a, b, c.
    Letters,
    /// c1, c2, c3.
    Prefixed(String),
    /// By a relation such as `(succ ...)`.
    Chained(Chain),
}

impl Order {
    /// Where a name stands.
    pub fn place(&self, name: &str) -> Option<i64> {
        match self {
            Order::Numbers => number(name),
            Order::Letters => match name.as_bytes() {
                [letter] if letter.is_ascii_alphabetic() => Some(i64::from(letter.to_ascii_lowercase())),
                _ => None,
            },
            Order::Prefixed(prefix) => name.strip_prefix(prefix.as_str()).and_then(number),
            Order::Chained(chain) => chain.get(name).copied(),
        }
    }

    /// Whether both are orders of the same kind.
    pub fn alike(&self, other: &Order) -> bool {
        match (self, other) {
            (Order::Prefixed(this), Order::Prefixed(that)) => this == that,
            (Order::Chained(this), Order::Chained(that)) => Arc::ptr_eq(this, that),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// A number as rules write it; no larger than fits a drawing.
fn number(name: &str) -> Option<i64> {
    let digits = name.strip_prefix('-').unwrap_or(name);
    let plain = !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { name.parse().ok() } else { None }
}

/// The columns or the rows of a board, in order.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Why this is their order.
    pub order: Order,
    names: BTreeMap<i64, String>,
}

impl Axis {
    /// The names as an axis, if they have an order, hardly a gap, and are neither too few nor too many.
    pub fn of(names: &BTreeSet<&str>, chains: &[Chain]) -> Option<Axis> {
        if !(2..=LONGEST).contains(&names.len()) {
            return None;
        }
        let first = names.first()?;
        let prefix = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let plain = [Order::Numbers, Order::Letters, Order::Prefixed(prefix.to_owned())];
        let chained = chains.iter().map(|chain| Order::Chained(chain.clone()));
        // A chain says more than the names do, but seldom another thing.
        plain.into_iter().chain(chained).find_map(|order| {
            let mut axis = Axis::in_order(order, names)?;
            let (first, last) = (*axis.names.first_key_value()?.0, *axis.names.last_key_value()?.0);
            // Some numbers far apart are amounts, and some letters are abbreviations.
            let dense = last.abs_diff(first) < (2 * names.len() as u64 - 1).min(LONGEST as u64);
            dense.then(|| {
                axis.fill(first, last);
                axis
            })
        })
    }

    /// Names without an order, sorted, if they are two or more and not too many.
    pub fn listed(names: &BTreeSet<&str>, most: usize) -> Option<Axis> {
        let places = names.iter().enumerate().map(|(place, name)| ((*name).to_owned(), place as i64));
        let few = (2..=most.min(LONGEST)).contains(&names.len());
        few.then(|| Axis::in_order(Order::Chained(Arc::new(places.collect())), names))?
    }

    fn in_order(order: Order, names: &BTreeSet<&str>) -> Option<Axis> {
        let mut axis = Axis { order, names: BTreeMap::new() };
        let fits = names.iter().all(|name| axis.include(name));
        (fits && axis.names.len() == names.len()).then_some(axis)
    }

    /// Names what is between: that nothing is there yet does not make a board smaller.
    fn fill(&mut self, first: i64, last: i64) {
        for place in first..=last {
            let name = match &self.order {
                Order::Numbers => place.to_string(),
                Order::Letters => {
                    u8::try_from(place).map_or_else(|_| String::new(), |byte| char::from(byte).to_string())
                }
                Order::Prefixed(prefix) => format!("{prefix}{place}"),
                Order::Chained(_) => continue,
            };
            self.names.entry(place).or_insert(name);
        }
    }

    /// Adds a name, unless it has no place or the axis is full.
    pub fn include(&mut self, name: &str) -> bool {
        let Some(place) = self.order.place(name) else { return false };
        let room = self.names.len() < LONGEST || self.names.contains_key(&place);
        if room {
            self.names.entry(place).or_insert_with(|| name.to_owned());
        }
        room
    }

    /// Adds what another axis has, as far as there is room.
    pub fn merge(&mut self, other: &Axis) {
        for name in other.names() {
            self.include(name);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The names in order.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.names.values().map(String::as_str)
    }

    /// How many come before this name, if it is one of them.
    pub fn index(&self, name: &str) -> Option<usize> {
        let place = self.order.place(name)?;
        self.names.contains_key(&place).then(|| self.before(place))
    }

    /// How many come before a place.
    pub fn before(&self, place: i64) -> usize {
        self.names.range(..place).count()
    }

    /// How many of the other axis' names are here.
    pub fn shared(&self, other: &Axis) -> usize {
        other.names().filter(|name| self.index(name).is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(names: &[&str], chains: &[Chain]) -> Option<Vec<String>> {
        let axis = Axis::of(&names.iter().copied().collect(), chains)?;
        Some(axis.names().map(str::to_owned).collect())
    }

    #[test]
    fn orders() {
        assert_eq!(axis(&["10", "9", "8"], &[]).unwrap(), ["8", "9", "10"]);
        assert_eq!(axis(&["c", "a", "b"], &[]).unwrap(), ["a", "b", "c"]);
        assert_eq!(axis(&["c10", "c9", "c8"], &[]).unwrap(), ["c8", "c9", "c10"]);
        let places = [("foo", 0), ("bar", 1), ("baz", 2)];
        let chain: Chain =
            Arc::new(places.map(|(name, place)| (name.to_owned(), place)).into_iter().collect());
        assert_eq!(
            axis(&["bar", "baz", "foo"], std::slice::from_ref(&chain)).unwrap(),
            ["foo", "bar", "baz"]
        );
        assert_eq!(axis(&["bar", "baz", "quux"], &[chain]), None);
    }

    #[test]
    fn what_is_no_axis() {
        assert_eq!(axis(&["b", "x", "o"], &[]), None, "letters far apart");
        assert_eq!(axis(&["0", "25", "50", "100"], &[]), None, "amounts");
        assert_eq!(axis(&["red", "black"], &[]), None);
        assert_eq!(axis(&["1"], &[]), None);
        assert_eq!(axis(&["99999999999999999999", "1"], &[]), None);
        assert_eq!(axis(&["1", "2", "4"], &[]).unwrap(), ["1", "2", "3", "4"], "a gap is filled");
        let many: Vec<String> = (0..41).map(|n| n.to_string()).collect();
        assert_eq!(axis(&many.iter().map(String::as_str).collect::<Vec<_>>(), &[]), None);
    }
}
