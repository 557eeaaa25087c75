//! A symmetric matrix of 6x6 blocks in envelope form: each row is kept from its first block on,
//! and so is its factor. Block tridiagonal where aggregates are layers.

/// Six numbers an aggregate.
pub(crate) type Vector6 = [f64; 6];
/// Row by row.
pub(crate) type Matrix6 = [Vector6; 6];

/// A pivot below this part of its diagonal is lost to rounding.
const LOST: f64 = 1e-12;

/// Lower half of the matrix, and one right-hand side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelope {
    /// First column kept of each row.
    first: Vec<usize>,
    /// Where column 0 of each row would be in `values`.
    origin: Vec<isize>,
    values: Vec<f64>,
    pub(crate) right: Vec<f64>,
}

impl Envelope {
    /// For block rows of which each begins at block column `first[g] <= g`.
    pub(crate) fn new(first: &[usize]) -> Self {
        let mut envelope = Self::default();
        let mut end = 0;
        for (g, &first) in first.iter().enumerate() {
            for row in 6 * g..6 * g + 6 {
                envelope.first.push(6 * first);
                envelope.origin.push(end as isize - 6 * first as isize);
                end += row + 1 - 6 * first;
            }
        }
        envelope.values = vec![0.0; end];
        envelope.right = vec![0.0; 6 * first.len()];
        envelope
    }

    /// Numbers that an envelope of these rows keeps.
    pub(crate) fn size(first: &[usize]) -> usize {
        let rows = first.iter().enumerate();
        rows.map(|(g, first)| 36 * (g - first) + 21).sum()
    }

    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
        self.right.fill(0.0);
    }

    /// Adds `leftᵀ right` to the block at row `g`, column `h <= g`; of a block on the diagonal
    /// the lower half.
    pub(crate) fn add_product<const N: usize>(
        &mut self,
        (g, h): (usize, usize),
        left: &[Vector6; N],
        right: &[Vector6; N],
    ) {
        for i in 0..6 {
            let row = 6 * g + i;
            let columns = if g == h { i + 1 } else { 6 };
            let start = (self.origin[row] + 6 * h as isize) as usize;
            let target = &mut self.values[start..start + columns];
            for (left, right) in left.iter().zip(right) {
                if left[i] != 0.0 {
                    for (value, right) in target.iter_mut().zip(right) {
                        *value += left[i] * right;
                    }
                }
            }
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        let start = (self.origin[row] + self.first[row] as isize) as usize;
        &self.values[start..start + row + 1 - self.first[row]]
    }

    /// Factors in place (Cholesky) and solves; the right-hand side becomes the solution. A
    /// direction lost to rounding is left out.
    pub(crate) fn solve(&mut self) {
        let n = self.right.len();
        for i in 0..n {
            let first = self.first[i];
            let start = (self.origin[i] + first as isize) as usize;
            let (done, rest) = self.values.split_at_mut(start);
            let row = &mut rest[..i + 1 - first];
            for j in first..i {
                let from = first.max(self.first[j]);
                let other = (self.origin[j] + from as isize) as usize;
                let other = &done[other..other + j + 1 - from];
                let (own, len) = (&row[from - first..j - first], j - from);
                let sum: f64 = own.iter().zip(&other[..len]).map(|(x, y)| x * y).sum();
                row[j - first] = (row[j - first] - sum) / other[len];
            }
            let (own, diagonal) = row.split_at_mut(i - first);
            let square: f64 = own.iter().map(|x| x * x).sum();
            let pivot = diagonal[0] - square;
            diagonal[0] = match pivot > LOST * diagonal[0] {
                true => pivot.sqrt(),
                false => f64::INFINITY,
            };
        }
        for i in 0..n {
            let (first, row) = (self.first[i], self.row(i));
            let (own, diagonal) = row.split_at(i - first);
            let known = &self.right[first..i];
            let sum: f64 = own.iter().zip(known).map(|(x, y)| x * y).sum();
            self.right[i] = (self.right[i] - sum) / diagonal[0];
        }
        let mut x = std::mem::take(&mut self.right);
        for i in (0..n).rev() {
            let (first, row) = (self.first[i], self.row(i));
            x[i] /= row[i - first];
            let value = x[i];
            for (x, l) in x[first..i].iter_mut().zip(row) {
                *x -= l * value;
            }
        }
        self.right = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    #[test]
    fn a_solution_multiplied_gives_the_right_hand_side() {
        let mut random = Random::new(5);
        let mut any = || -> Matrix6 {
            std::array::from_fn(|_| std::array::from_fn(|_| random.range(-1.0, 1.0)))
        };
        // a chain, a bridge over two blocks, and an island
        let first = [0, 0, 0, 2, 4];
        let joined = [(1, 0), (2, 0), (2, 1), (3, 2)];
        let mut matrix = Envelope::new(&first);
        for g in 0..5 {
            let own = any();
            matrix.add_product((g, g), &own, &own);
        }
        for (g, h) in joined {
            // a positive square over both its blocks
            let (upper, lower) = (any(), any());
            matrix.add_product((g, g), &upper, &upper);
            matrix.add_product((h, h), &lower, &lower);
            matrix.add_product((g, h), &upper, &lower);
        }
        matrix.right.fill_with(|| any()[0][0]);
        let whole = matrix.clone();
        matrix.solve();
        let x = &matrix.right;
        for i in 0..30 {
            let mut sum = 0.0;
            for j in 0..30 {
                let (row, column) = (i.max(j), i.min(j));
                if column >= whole.first[row] {
                    sum += whole.row(row)[column - whole.first[row]] * x[j];
                }
            }
            let off = (sum - whole.right[i]).abs();
            assert!(off < 1e-5, "row {i}: off by {off:.1e}"); // measured below 1e-8
        }
        assert_eq!(Envelope::size(&first), whole.values.len());
    }

    #[test]
    fn a_singular_direction_is_left_out() {
        let mut matrix = Envelope::new(&[0]);
        let mut rank_two = [[0.0; 6]; 2];
        rank_two[0] = [1.0, 2.0, 0.0, 0.0, 0.0, 1.0];
        rank_two[1] = [0.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        matrix.add_product((0, 0), &rank_two, &rank_two);
        // in its range
        let right: Vec<f64> = (0..6)
            .map(|i| 3.0 * rank_two[0][i] - rank_two[1][i])
            .collect();
        matrix.right.copy_from_slice(&right);
        matrix.solve();
        for i in 0..6 {
            let along = rank_two.map(|r| (0..6).map(|j| r[j] * matrix.right[j]).sum::<f64>());
            let off = (along[0] * rank_two[0][i] + along[1] * rank_two[1][i] - right[i]).abs();
            assert!(off < 1e-12, "row {i}: off by {off:.1e}"); // measured: 0
        }
    }
}
