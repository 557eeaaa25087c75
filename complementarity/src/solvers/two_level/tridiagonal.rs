//! A symmetric block tridiagonal matrix of 6x6 blocks, solved exactly in one pass up and one
//! down.

pub(crate) type Vector6 = [f64; 6];
pub(crate) type Matrix6 = [[f64; 6]; 6];

/// What is added to the diagonal, as a part of a block's largest value: some fields move nothing.
const EPSILON: f64 = 1e-10;

#[derive(Clone, Debug)]
pub(crate) struct Tridiagonal {
    diagonal: Vec<Matrix6>,
    /// Block at row `i − 1`, column `i`.
    above: Vec<Matrix6>,
    /// Right-hand side, then the solution.
    pub(crate) right: Vec<Vector6>,
}

impl Tridiagonal {
    pub(crate) fn new(blocks: usize) -> Self {
        Self {
            diagonal: vec![[[0.0; 6]; 6]; blocks],
            above: vec![[[0.0; 6]; 6]; blocks],
            right: vec![[0.0; 6]; blocks],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.diagonal.fill([[0.0; 6]; 6]);
        self.above.fill([[0.0; 6]; 6]);
        self.right.fill([0.0; 6]);
    }

    /// `D_i += left' right`.
    pub(crate) fn add_diagonal(&mut self, i: usize, left: &Matrix6, right: &Matrix6) {
        add_product(&mut self.diagonal[i], left, right);
    }

    /// Block of row `i − 1`, column `i`: `+= left' right`.
    pub(crate) fn add_above(&mut self, i: usize, left: &Matrix6, right: &Matrix6) {
        add_product(&mut self.above[i], left, right);
    }

    /// Solves in place; where `first` says so a block does not couple with the one before.
    pub(crate) fn solve(&mut self, first: impl Fn(usize) -> bool) {
        let n = self.diagonal.len();
        for i in 0..n {
            let largest = (0..6).fold(0.0f64, |m, k| m.max(self.diagonal[i][k][k]));
            for k in 0..6 {
                self.diagonal[i][k][k] += if largest > 0.0 {
                    EPSILON * largest
                } else {
                    1.0
                };
            }
        }
        // D_i −= U' D⁻¹ U, r_i −= U' D⁻¹ r
        for i in 0..n {
            if i > 0 && !first(i) {
                let (lower, here) = self.diagonal.split_at_mut(i);
                let below = &lower[i - 1];
                for column in 0..6 {
                    let mut u: Vector6 = std::array::from_fn(|row| self.above[i][row][column]);
                    forward(below, &mut u);
                    (0..6).for_each(|row| self.above[i][row][column] = u[row]);
                }
                let u = &self.above[i];
                for row in 0..6 {
                    for column in 0..6 {
                        let sum: f64 = (0..6).map(|k| u[k][row] * u[k][column]).sum();
                        here[0][row][column] -= sum;
                    }
                    // the part below is L⁻¹ r already
                    let sum: f64 = (0..6).map(|k| u[k][row] * self.right[i - 1][k]).sum();
                    self.right[i][row] -= sum;
                }
            }
            factor(&mut self.diagonal[i]);
            forward(&self.diagonal[i], &mut self.right[i]);
        }
        for i in (0..n).rev() {
            if i + 1 < n && !first(i + 1) {
                let next = self.right[i + 1];
                for row in 0..6 {
                    let u = &self.above[i + 1][row];
                    self.right[i][row] -= (0..6).map(|k| u[k] * next[k]).sum::<f64>();
                }
            }
            backward(&self.diagonal[i], &mut self.right[i]);
        }
    }
}

fn add_product(sum: &mut Matrix6, left: &Matrix6, right: &Matrix6) {
    for (left, right) in left.iter().zip(right) {
        for (row, left) in sum.iter_mut().zip(left) {
            for (value, right) in row.iter_mut().zip(right) {
                *value += left * right;
            }
        }
    }
}

/// Cholesky in place, lower half; a pivot lost to rounding takes its direction out.
fn factor(m: &mut Matrix6) {
    for i in 0..6 {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| m[i][k] * m[j][k]).sum();
            let value = m[i][j] - sum;
            m[i][j] = match i == j {
                true if value > 0.0 => value.sqrt(),
                true => f64::INFINITY,
                false => value / m[j][j],
            };
        }
    }
}

/// `L⁻¹ x`.
fn forward(l: &Matrix6, x: &mut Vector6) {
    for i in 0..6 {
        let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
}

/// `L⁻ᵀ x`.
fn backward(l: &Matrix6, x: &mut Vector6) {
    for i in (0..6).rev() {
        let sum: f64 = (i + 1..6).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
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
        // two chains, of three and of two blocks
        let first = |i: usize| i == 0 || i == 3;
        let mut matrix = Tridiagonal::new(5);
        for i in 0..5 {
            // each link of a chain adds a positive square over both its blocks
            let (own, before, here) = (any(), any(), any());
            matrix.add_diagonal(i, &own, &own);
            if !first(i) {
                matrix.add_diagonal(i - 1, &before, &before);
                matrix.add_diagonal(i, &here, &here);
                matrix.add_above(i, &before, &here);
            }
            matrix.right[i] = any()[0];
        }
        let whole = matrix.clone();
        matrix.solve(first);
        let x = &matrix.right;
        let times = |m: &Matrix6, row: usize, x: &Vector6| -> f64 {
            (0..6).map(|k| m[row][k] * x[k]).sum()
        };
        let times_mirror = |m: &Matrix6, row: usize, x: &Vector6| -> f64 {
            (0..6).map(|k| m[k][row] * x[k]).sum()
        };
        for i in 0..5 {
            for row in 0..6 {
                let mut sum = times(&whole.diagonal[i], row, &x[i]);
                if !first(i) {
                    sum += times_mirror(&whole.above[i], row, &x[i - 1]);
                }
                if i < 4 && !first(i + 1) {
                    sum += times(&whole.above[i + 1], row, &x[i + 1]);
                }
                let off = (sum - whole.right[i][row]).abs();
                assert!(off < 1e-5, "block {i}, row {row}: off by {off:.1e}"); // measured below 1e-7
            }
        }
    }
}
