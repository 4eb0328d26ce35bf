//! Numbers that a selection keeps of each edge: there are as many columns as it wants, and none for UCB1.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::Tree;

impl Tree {
    /// The same with so many columns.
    #[must_use]
    pub fn with_columns(mut self, columns: usize) -> Tree {
        self.columns.resize_with(columns, Vec::new);
        self.fit_columns();
        self
    }

    /// A number of an edge, which is 0 at first.
    #[inline]
    pub fn column(&self, column: usize, edge: usize) -> f64 {
        f64::from(f32::from_bits(self.bits(column, edge)))
    }

    /// Sets it, as a number of single precision.
    #[inline]
    pub fn set_column(&self, column: usize, edge: usize, value: f64) {
        self.set_bits(column, edge, (value as f32).to_bits());
    }

    /// What a column holds of an edge, whatever it means.
    #[inline]
    pub fn bits(&self, column: usize, edge: usize) -> u32 {
        self.columns[column][edge].load(Relaxed)
    }

    /// Sets it.
    #[inline]
    pub fn set_bits(&self, column: usize, edge: usize, bits: u32) {
        self.columns[column][edge].store(bits, Relaxed);
    }

    /// Copies the numbers of so many edges.
    pub(super) fn copy_columns(&self, from: usize, to: usize, count: usize) {
        for column in 0..self.columns.len() {
            (0..count).for_each(|edge| self.set_bits(column, to + edge, self.bits(column, from + edge)));
        }
    }

    /// Makes room for a number for each edge.
    pub(super) fn fit_columns(&mut self) {
        let edges = self.edges.len();
        self.columns.iter_mut().for_each(|column| column.resize_with(edges, AtomicU32::default));
    }

    /// Forgets the numbers of the first so many edges.
    pub(super) fn clear_columns(&mut self, edges: usize) {
        self.columns.iter_mut().for_each(|column| {
            column[..edges].iter_mut().for_each(|number| *number.get_mut() = 0);
        });
    }

    /// Keeps the numbers of these edges, in this order.
    pub(super) fn keep_columns(&mut self, edges: &[u32]) {
        for column in &mut self.columns {
            *column = edges.iter().map(|edge| AtomicU32::new(*column[*edge as usize].get_mut())).collect();
        }
    }
}
