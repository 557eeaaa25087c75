//! Factor of a small dense symmetric matrix that is positive, or nearly so.

/// `L D Lᵀ` of a symmetric matrix; what is lost in rounding answers nothing.
#[derive(Clone, Debug, Default)]
pub struct DenseFactor {
    n: usize,
    /// `L`, row by row; the diagonal of ones is left out of products.
    lower: Vec<f64>,
    /// `D⁻¹`, zero where a pivot is lost.
    inverse: Vec<f64>,
}

/// Pivots below this part of their diagonal are rounding \[1\].
const LOST: f64 = 1e-14;

impl DenseFactor {
    /// Factor of the `n` x `n` matrix of `entry(row, column)`, of which the lower half is read.
    pub fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let (mut lower, mut inverse) = (vec![0.0; n * n], vec![0.0; n]);
        // L D of the present row
        let mut row = vec![0.0; n];
        for i in 0..n {
            for j in 0..i {
                let done: f64 = (0..j).map(|k| row[k] * lower[j * n + k]).sum();
                row[j] = entry(i, j) - done;
                lower[i * n + j] = row[j] * inverse[j];
            }
            let given = entry(i, i);
            let done: f64 = (0..i).map(|k| row[k] * lower[i * n + k]).sum();
            let pivot = given - done;
            inverse[i] = if pivot > LOST * given {
                1.0 / pivot
            } else {
                0.0
            };
        }
        Self { n, lower, inverse }
    }

    /// Replaces `b` by the solution.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let done: f64 = (0..i).map(|k| self.lower[i * n + k] * b[k]).sum();
            b[i] -= done;
        }
        for (b, inverse) in b.iter_mut().zip(&self.inverse) {
            *b *= inverse;
        }
        for i in (0..n).rev() {
            let done: f64 = (i + 1..n).map(|k| self.lower[k * n + i] * b[k]).sum();
            b[i] -= done;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_with_a_dependent_row_is_solved_where_it_can_be() {
        // the third row is the sum of the first two
        let a = [[4.0, 1.0, 5.0], [1.0, 3.0, 4.0], [5.0, 4.0, 9.0]];
        let factor = DenseFactor::new(3, |i, j| a[i][j]);
        let mut x = [6.0, 5.0, 11.0];
        factor.solve(&mut x);
        for (row, b) in a.iter().zip([6.0, 5.0, 11.0]) {
            let product: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((product - b).abs() < 1e-13, "{x:?}");
        }
    }
}
