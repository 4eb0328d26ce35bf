//! On which cells sprites of each type may be: bits that say in a few words whether two types can meet at all.
//!
//! A sprite covers up to four cells, and two sprites that touch cover one together. During a tick bits are set where
//! sprites come to be and never taken away, so a bit that is not set is certain, and one that is set must be looked into.
//! A state has its bits from one tick to the next: those of types that never move of themselves are made anew only after a
//! sprite of theirs has gone from where it was.

use crate::vgdl::level::Level;

/// Cells beyond the last bit but one share the bits of others.
const WORDS: usize = 8;
/// What is not on the screen.
const OUTSIDE: usize = 64 * WORDS - 1;

/// From here on a product does not stand for a division by a block of up to 1,000 pixels.
const EXACT: i32 = 1 << 22;

/// A bit for each cell.
pub type Bits = [u64; WORDS];

/// Whether any bit is in both.
#[inline]
pub fn meet(a: &Bits, b: &Bits) -> bool {
    (0..WORDS).fold(0, |any, word| any | a[word] & b[word]) != 0
}

/// Those that are in both.
#[inline]
pub fn common(a: &Bits, b: &Bits) -> Bits {
    std::array::from_fn(|word| a[word] & b[word])
}

/// Whether any sprite of these bits is partly off the screen.
#[inline]
pub fn outside(bits: &Bits) -> bool {
    has(bits, OUTSIDE)
}

/// From pixels to cells.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    width: i32,
    height: i32,
    block: i32,
    /// 2^32 over the pixels of a cell, so that a product stands for a division.
    inverse: u64,
}

impl Screen {
    /// Of a level.
    pub fn new(level: &Level) -> Screen {
        let &Level { width, height, block, .. } = level;
        Screen { width, height, block, inverse: (1_u64 << 32).div_ceil(block.max(1) as u64) }
    }

    /// Whether some bit of the cells that a sprite covers is as wanted.
    #[inline]
    fn any(&self, (x, y): (i32, i32), mut holds: impl FnMut(usize) -> bool) -> bool {
        let Screen { width, height, block, inverse } = *self;
        let inside = |place: i32, cells: i32| place >= 0 && place <= (cells - 1) * block;
        if !inside(x, width) || !inside(y, height) {
            return self.any_outside((x, y), holds);
        }
        let cell = |place: i32| match place {
            0..EXACT => ((place as u64 * inverse) >> 32) as i32,
            _ => place / block,
        };
        let (column, row) = (cell(x), cell(y));
        let at = (row * width + column) as usize;
        let (across, down) = (column * block != x, row * block != y);
        let below = at + width as usize;
        holds(bit(at))
            || across && holds(bit(at + 1))
            || down && (holds(bit(below)) || across && holds(bit(below + 1)))
    }

    #[cold]
    fn any_outside(&self, (x, y): (i32, i32), mut holds: impl FnMut(usize) -> bool) -> bool {
        let Screen { width, height, block, .. } = *self;
        let cells = |place: i32, cells: i32| {
            let first = place.div_euclid(block);
            let last = first.saturating_add(i32::from(place.rem_euclid(block) != 0));
            first.max(0)..=last.min(cells - 1)
        };
        holds(OUTSIDE)
            || cells(y, height).any(|row| cells(x, width).any(|c| holds(bit((row * width + c) as usize))))
    }

    /// Whether a sprite covers any of these cells.
    #[inline]
    pub fn covers(&self, place: (i32, i32), bits: &Bits) -> bool {
        self.any(place, |bit| has(bits, bit))
    }
}

/// The bit of the cell that a sprite covers, or [`SEVERAL`].
pub type Spot = u16;
/// A sprite covers several cells, or none, or has moved.
pub const SEVERAL: Spot = Spot::MAX;

/// Whether the cell of a spot is among these; None where the sprite must be asked.
#[inline]
pub fn on(bits: &Bits, spot: Spot) -> Option<bool> {
    (spot != SEVERAL).then(|| has(bits, usize::from(spot)))
}

#[inline]
fn has(bits: &Bits, bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 != 0
}

#[inline]
fn bit(cell: usize) -> usize {
    if cell < OUTSIDE { cell } else { cell % OUTSIDE }
}

/// The cells where a type has a sprite, and those where it has several.
#[derive(Clone, Copy, Debug)]
struct Mark {
    once: Bits,
    twice: Bits,
    /// Sprites of the type have gone since from some of these.
    stale: bool,
}

/// The cells of each type.
#[derive(Clone, Debug)]
pub struct Marks(Vec<Mark>);

impl Marks {
    /// Of so many types, whose sprites have not been looked at.
    pub fn new(kinds: usize) -> Marks {
        Marks(vec![Mark { once: [0; WORDS], twice: [0; WORDS], stale: true }; kinds])
    }

    /// A sprite of a type goes from where it was.
    #[inline]
    pub fn leave(&mut self, kind: usize) {
        self.0[kind].stale = true;
    }

    /// Whether sprites of a type have gone from its cells.
    #[inline]
    pub fn is_stale(&self, kind: usize) -> bool {
        self.0[kind].stale
    }

    /// Begins anew with a type: no cell has a sprite of it.
    #[inline]
    pub fn clear(&mut self, kind: usize) {
        self.0[kind] = Mark { once: [0; WORDS], twice: [0; WORDS], stale: false };
    }

    /// A sprite of a type comes to be somewhere.
    #[inline]
    pub fn set(&mut self, screen: &Screen, kind: usize, place: (i32, i32)) -> Spot {
        let Mark { once, twice, .. } = &mut self.0[kind];
        let (mut covered, mut last) = (0, OUTSIDE);
        screen.any(place, |bit| {
            let mask = 1 << (bit % 64);
            twice[bit / 64] |= once[bit / 64] & mask;
            once[bit / 64] |= mask;
            (covered, last) = (covered + 1, bit);
            false
        });
        if covered == 1 && last != OUTSIDE { last as Spot } else { SEVERAL }
    }

    /// The cells of a type.
    #[inline]
    pub fn of(&self, kind: usize) -> &Bits {
        &self.0[kind].once
    }

    /// The cells of several types.
    #[inline]
    pub fn union(&self, kinds: impl Iterator<Item = usize>) -> Bits {
        let mut all = [0; WORDS];
        for mark in kinds.map(|kind| &self.0[kind]) {
            (0..WORDS).for_each(|word| all[word] |= mark.once[word]);
        }
        all
    }

    /// The cells where several types together have several sprites.
    #[inline]
    pub fn several(&self, kinds: impl Iterator<Item = usize>) -> Bits {
        let (mut all, mut several) = ([0; WORDS], [0; WORDS]);
        for Mark { once, twice, .. } in kinds.map(|kind| &self.0[kind]) {
            for word in 0..WORDS {
                several[word] |= twice[word] | all[word] & once[word];
                all[word] |= once[word];
            }
        }
        several
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(width: i32, height: i32, block: i32) -> Level {
        Level { width, height, block, placed: Vec::new() }
    }

    #[test]
    fn vgdl_sprites_that_touch_share_a_cell() {
        for (width, height, block) in [(5, 4, 10), (40, 30, 3), (3, 3, 266)] {
            let screen = Screen::new(&level(width, height, block));
            let span = |cells: i32| (-2 * block..(cells + 1) * block).step_by(1 + block as usize / 4);
            for (x, y) in span(width).flat_map(|x| span(height).map(move |y| (x, y))) {
                let mut marks = Marks::new(1);
                marks.set(&screen, 0, (x, y));
                assert_eq!(outside(marks.of(0)), {
                    let inside = |at: i32, cells: i32| (0..=(cells - 1) * block).contains(&at);
                    !inside(x, width) || !inside(y, height)
                });
                let near = [-block, 1 - block, -1, 0, 1, block - 1, block];
                for (u, v) in near.iter().flat_map(|u| near.iter().map(move |v| (x + u, y + v))) {
                    let touch = (u - x).abs() < block && (v - y).abs() < block;
                    assert!(!touch || screen.covers((u, v), marks.of(0)), "{x} {y} and {u} {v}");
                }
            }
        }
    }

    #[test]
    fn vgdl_cells_of_one_sprite_and_of_two() {
        let screen = Screen::new(&level(5, 5, 10));
        let mut marks = Marks::new(2);
        marks.set(&screen, 0, (10, 10));
        assert!(!meet(&marks.several([0].into_iter()), marks.of(0)));
        marks.set(&screen, 1, (15, 10));
        assert!(meet(&marks.several([0, 1].into_iter()), marks.of(0)));
        assert!(
            marks.is_stale(0) && {
                marks.clear(0);
                !marks.is_stale(0)
            }
        );
        assert!(!meet(&marks.several([0, 1].into_iter()), marks.of(1)));
        // The second sprite is on both.
        for (cell, covered) in [(5, false), (6, true), (7, true), (8, false)] {
            assert_eq!(meet(&marks.union([0, 1].into_iter()), &[1 << cell, 0, 0, 0, 0, 0, 0, 0]), covered);
        }
        assert!(!screen.covers((30, 10), marks.of(1)));
    }
}
