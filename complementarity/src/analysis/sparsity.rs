//! Which entries of a matrix are not zero, for pictures of it.

use super::Splitting;
use crate::matrix::BlockMatrix;

/// Entries that are not zero, as one bit each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    size: usize,
    /// Words of each row.
    words: usize,
    bits: Vec<u64>,
}

impl Pattern {
    fn empty(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self {
            size,
            words,
            bits: vec![0; size * words],
        }
    }

    /// Of `A`: the rows that `kept` lists, and the columns of the same numbers.
    pub(super) fn of_matrix(matrix: &BlockMatrix, kept: &[usize]) -> Self {
        let mut place = vec![None; 3 * matrix.contacts()];
        for (at, row) in kept.iter().enumerate() {
            place[*row] = Some(at);
        }
        let mut pattern = Self::empty(kept.len());
        for (at, row) in kept.iter().enumerate() {
            let (columns, blocks) = matrix.row(row / 3);
            // what cancelled to rounding is zero
            let values = blocks.iter().flat_map(|block| block[row % 3]);
            let least = 1e-12 * values.fold(0.0, |most: f64, x| most.max(x.abs()));
            for (column, block) in columns.iter().zip(blocks) {
                for j in 0..3 {
                    if let Some(column) = place[3 * *column as usize + j]
                        && block[row % 3][j].abs() > least
                    {
                        pattern.set(at, column);
                    }
                }
            }
        }
        pattern
    }

    /// Of the iteration matrix of a splitting of a matrix with this pattern: where it may differ
    /// from zero, whatever the values. The diagonal of Jacobi's is zero.
    pub(super) fn iterated(&self, splitting: Splitting) -> Self {
        let mut pattern = Self::empty(self.size);
        for i in 0..self.size {
            let sweeps = !matches!(splitting, Splitting::Jacobi);
            let relaxed = matches!(splitting, Splitting::Sor(omega) if omega != 1.0);
            for j in 0..self.size {
                if !self.get(i, j) {
                    continue;
                }
                if j < i && sweeps {
                    // what row j became is used here: its whole row comes along
                    for word in 0..self.words {
                        pattern.bits[i * self.words + word] |= pattern.bits[j * self.words + word];
                    }
                } else if j != i || relaxed {
                    pattern.set(i, j);
                }
            }
        }
        pattern
    }

    fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    /// Rows, and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether the entry may differ from zero.
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 == 1
    }

    /// How many entries.
    pub fn entries(&self) -> u64 {
        self.bits
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Part of all entries \[1\].
    pub fn density(&self) -> f64 {
        self.entries() as f64 / (self.size * self.size).max(1) as f64
    }

    /// Largest distance of an entry from the diagonal.
    pub fn bandwidth(&self) -> usize {
        let mut width = 0;
        for i in 0..self.size {
            let far = (0..self.size).filter(|j| self.get(i, *j));
            width = far.map(|j| j.abs_diff(i)).fold(width, usize::max);
        }
        width
    }

    /// Runs `(row, first column, past the last column)` of entries, top to bottom.
    pub fn runs(&self) -> Vec<(usize, usize, usize)> {
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for i in 0..self.size {
            for j in (0..self.size).filter(|j| self.get(i, *j)) {
                match runs.last_mut() {
                    Some((row, _, end)) if *row == i && *end == j => *end = j + 1,
                    _ => runs.push((i, j, j + 1)),
                }
            }
        }
        runs
    }

    /// The pattern seen from afar: `side` x `side` cells, set where any entry within is.
    pub fn coarse(&self, side: usize) -> Self {
        if side >= self.size || side == 0 {
            return self.clone();
        }
        let mut coarse = Self::empty(side);
        for (i, start, end) in self.runs() {
            for j in start..end {
                coarse.set(i * side / self.size, j * side / self.size);
            }
        }
        coarse
    }
}
