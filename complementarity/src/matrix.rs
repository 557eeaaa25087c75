//! A square matrix of 3x3 blocks in compressed rows: `A` of a contact problem as a file holds it,
//! or assembled from the factored form.

use crate::problem::{Problem, Rows, prepare};

/// One block, row by row.
pub type Block = [[f64; 3]; 3];

/// Sparse rows of 3x3 blocks, one row and one column a contact. Columns ascend within a row and
/// every row has its diagonal block. Symmetry is not required: those of some files are not quite.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix {
    /// Where each row begins in `columns`, and the end of the last.
    starts: Vec<usize>,
    columns: Vec<u32>,
    blocks: Vec<Block>,
    /// Index in `blocks` of each row's diagonal.
    diagonals: Vec<usize>,
}

impl Default for BlockMatrix {
    fn default() -> Self {
        Self::from_blocks(0, Vec::new())
    }
}

impl BlockMatrix {
    /// From blocks `(row, column, values)` in any order; those at one place are added. Blocks
    /// outside of `contacts` x `contacts` are left out.
    pub fn from_blocks(contacts: usize, mut entries: Vec<(usize, usize, Block)>) -> Self {
        entries.retain(|(row, column, _)| *row < contacts && *column < contacts);
        entries.extend((0..contacts).map(|k| (k, k, [[0.0; 3]; 3])));
        // stable: equal places keep the order they came in, so sums do not depend on luck
        entries.sort_by_key(|(row, column, _)| (*row, *column));
        let mut matrix = Self {
            starts: vec![0],
            columns: Vec::with_capacity(entries.len()),
            blocks: Vec::with_capacity(entries.len()),
            diagonals: Vec::with_capacity(contacts),
        };
        let mut last = None;
        for (row, column, block) in entries {
            if last == Some((row, column)) {
                let end = matrix.blocks.len() - 1;
                for (sum, add) in matrix.blocks[end]
                    .iter_mut()
                    .flatten()
                    .zip(block.iter().flatten())
                {
                    *sum += add;
                }
                continue;
            }
            while matrix.starts.len() <= row {
                matrix.starts.push(matrix.columns.len());
            }
            if row == column {
                matrix.diagonals.push(matrix.blocks.len());
            }
            matrix.columns.push(column as u32);
            matrix.blocks.push(block);
            last = Some((row, column));
        }
        matrix.starts.resize(contacts + 1, matrix.columns.len());
        matrix
    }

    /// From single values `(row, column, value)`, three rows a contact; otherwise as
    /// [`BlockMatrix::from_blocks`].
    pub fn from_triplets(contacts: usize, triplets: &[(usize, usize, f64)]) -> Self {
        let entries = triplets.iter().map(|&(row, column, value)| {
            let mut block = [[0.0; 3]; 3];
            block[row % 3][column % 3] = value;
            (row / 3, column / 3, block)
        });
        Self::from_blocks(contacts, entries.collect())
    }

    /// `A = J M⁻¹ Jᵀ` of a factored problem (Erleben 2007, eq. 20): a block for each pair of
    /// contacts with a movable body in common.
    pub fn of(problem: &Problem) -> Self {
        let rows = prepare(problem);
        // contacts at each movable body
        let mut at_body = vec![Vec::new(); problem.bodies.len()];
        for (k, c) in problem.contacts.iter().enumerate() {
            for body in [c.a, c.b] {
                if !problem.bodies[body].is_fixed() && at_body[body].last() != Some(&k) {
                    at_body[body].push(k);
                }
            }
        }
        let mut entries = Vec::new();
        for contacts in &at_body {
            for &k in contacts {
                for &l in contacts {
                    entries.push((k, l));
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let entries = entries
            .into_iter()
            .map(|(k, l)| (k, l, Rows::coupling(&rows[k], &rows[l])));
        Self::from_blocks(problem.contacts.len(), entries.collect())
    }

    /// Rows of blocks.
    pub fn contacts(&self) -> usize {
        self.diagonals.len()
    }

    /// Blocks kept.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The blocks of row `k`: columns, ascending, and values.
    #[inline]
    pub fn row(&self, k: usize) -> (&[u32], &[Block]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.columns[range.clone()], &self.blocks[range])
    }

    /// The block on the diagonal at contact `k` \[1/kg\].
    #[inline]
    pub fn diagonal_block(&self, k: usize) -> &Block {
        &self.blocks[self.diagonals[k]]
    }

    /// `(A λ)` at contact `k`, row `i`.
    #[inline]
    pub fn times_row(&self, k: usize, i: usize, lambda: &[[f64; 3]]) -> f64 {
        let (columns, blocks) = self.row(k);
        let mut sum = 0.0;
        for (column, block) in columns.iter().zip(blocks) {
            let (row, x) = (&block[i], &lambda[*column as usize]);
            sum += row[0] * x[0] + row[1] * x[1] + row[2] * x[2];
        }
        sum
    }

    /// `(A λ)` at contact `k`.
    #[inline]
    pub fn times_rows(&self, k: usize, lambda: &[[f64; 3]]) -> [f64; 3] {
        let (columns, blocks) = self.row(k);
        let mut sum = [0.0; 3];
        for (column, block) in columns.iter().zip(blocks) {
            let x = &lambda[*column as usize];
            for i in 0..3 {
                sum[i] += block[i][0] * x[0] + block[i][1] * x[1] + block[i][2] * x[2];
            }
        }
        sum
    }

    /// `A λ`.
    pub fn times(&self, lambda: &[[f64; 3]]) -> Vec<[f64; 3]> {
        (0..self.contacts())
            .map(|k| self.times_rows(k, lambda))
            .collect()
    }

    /// All values, row by row: for tests and small problems only.
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let n = 3 * self.contacts();
        let mut dense = vec![vec![0.0; n]; n];
        for k in 0..self.contacts() {
            let (columns, blocks) = self.row(k);
            for (column, block) in columns.iter().zip(blocks) {
                for i in 0..3 {
                    let first = 3 * *column as usize;
                    dense[3 * k + i][first..first + 3].copy_from_slice(&block[i]);
                }
            }
        }
        dense
    }

    /// Largest difference between a value and its mirror image, as a part of the largest value
    /// \[1\].
    pub fn asymmetry(&self) -> f64 {
        let (mut largest, mut difference) = (0.0f64, 0.0f64);
        for k in 0..self.contacts() {
            let (columns, blocks) = self.row(k);
            for (column, block) in columns.iter().zip(blocks) {
                let mirror = self.block_at(*column as usize, k);
                for i in 0..3 {
                    for j in 0..3 {
                        largest = largest.max(block[i][j].abs());
                        difference = difference.max((block[i][j] - mirror[j][i]).abs());
                    }
                }
            }
        }
        if largest > 0.0 {
            difference / largest
        } else {
            0.0
        }
    }

    /// The block at row `k`, column `l`; zero where none is kept.
    pub fn block_at(&self, k: usize, l: usize) -> Block {
        let (columns, blocks) = self.row(k);
        match columns.binary_search(&(l as u32)) {
            Ok(index) => blocks[index],
            Err(_) => [[0.0; 3]; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_problems::{column, random_cluster};

    #[test]
    fn the_assembled_matrix_is_the_one_found_column_by_column() {
        for problem in [random_cluster(7), column(5, 2.0)] {
            let matrix = BlockMatrix::of(&problem);
            let (dense, exact) = (matrix.dense(), problem.dense());
            for (row, exact) in dense.iter().zip(&exact) {
                for (x, y) in row.iter().zip(exact) {
                    assert!((x - y).abs() < 1e-12, "{x} and {y}"); // measured: 2e-15
                }
            }
            assert!(matrix.asymmetry() < 1e-13);
        }
        // a column of five couples only neighbours
        assert_eq!(BlockMatrix::of(&column(5, 2.0)).block_count(), 13);
    }

    #[test]
    fn entries_in_any_order_are_sorted_added_and_given_a_diagonal() {
        let triplets = [(8, 0, 1.0), (0, 8, 2.0), (8, 0, 0.5), (99, 0, 7.0)];
        let matrix = BlockMatrix::from_triplets(4, &triplets);
        assert_eq!(matrix.contacts(), 4);
        assert_eq!(matrix.block_count(), 6); // two and four on the diagonal
        assert_eq!(matrix.block_at(2, 0)[2][0], 1.5);
        assert_eq!(matrix.block_at(0, 2)[0][2], 2.0);
        assert_eq!(matrix.block_at(1, 3), [[0.0; 3]; 3]);
        assert_eq!(matrix.row(3).0, [3]);
        let lambda: Vec<[f64; 3]> = (0..4).map(|k| [f64::from(k), 1.0, 2.0]).collect();
        assert_eq!(matrix.times(&lambda)[0], [4.0, 0.0, 0.0]);
        assert_eq!(matrix.times_row(0, 0, &lambda), 4.0);
        assert_eq!(BlockMatrix::default().contacts(), 0);
    }
}
