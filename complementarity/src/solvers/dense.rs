//! Small dense matrices and their factors.

use std::ops::{Index, IndexMut};

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Square {
    n: usize,
    values: Vec<f64>,
}

impl Square {
    pub(crate) fn zero(n: usize) -> Self {
        Self {
            n,
            values: vec![0.0; n * n],
        }
    }

    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    fn two_rows(&mut self, upper: usize, lower: usize) -> (&[f64], &mut [f64]) {
        let (head, tail) = self.values.split_at_mut(lower * self.n);
        (
            &head[upper * self.n..(upper + 1) * self.n],
            &mut tail[..self.n],
        )
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.n + j]
    }
}

impl IndexMut<(usize, usize)> for Square {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.n + j]
    }
}

/// Solves `M x = x` for a symmetric positive matrix; false where it is not positive.
pub(crate) fn cholesky_solve(mut m: Square, x: &mut [f64]) -> bool {
    let n = m.n;
    for i in 0..n {
        for j in 0..=i {
            let (row_i, row_j) = (m.row(i), m.row(j));
            let sum: f64 = (0..j).map(|k| row_i[k] * row_j[k]).sum();
            let value = m[(i, j)] - sum;
            if i == j {
                if value.is_nan() || value <= 0.0 {
                    return false;
                }
                m[(i, i)] = value.sqrt();
            } else {
                m[(i, j)] = value / m[(j, j)];
            }
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| m[(i, k)] * x[k]).sum();
        x[i] = (x[i] - sum) / m[(i, i)];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| m[(k, i)] * x[k]).sum();
        x[i] = (x[i] - sum) / m[(i, i)];
    }
    true
}

/// Factors of a general matrix with its rows exchanged.
pub(crate) struct Factors {
    m: Square,
    order: Vec<usize>,
}

impl Factors {
    /// Factors `m`; `None` where a pivot vanishes.
    pub(crate) fn of(mut m: Square) -> Option<Self> {
        let n = m.n;
        let mut order: Vec<usize> = (0..n).collect();
        for column in 0..n {
            let mut pivot = column;
            for row in column + 1..n {
                if m[(row, column)].abs() > m[(pivot, column)].abs() {
                    pivot = row;
                }
            }
            if pivot != column {
                order.swap(pivot, column);
                for j in 0..n {
                    m.values.swap(pivot * n + j, column * n + j);
                }
            }
            let value = m[(column, column)];
            if !value.is_finite() || value == 0.0 {
                return None;
            }
            for row in column + 1..n {
                let (upper, lower) = m.two_rows(column, row);
                if lower[column] == 0.0 {
                    continue;
                }
                let factor = lower[column] / value;
                lower[column] = factor;
                for (x, y) in lower[column + 1..].iter_mut().zip(&upper[column + 1..]) {
                    *x -= factor * y;
                }
            }
        }
        Some(Self { m, order })
    }

    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let n = self.m.n;
        let mut x: Vec<f64> = self.order.iter().map(|row| right[*row]).collect();
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| self.m[(i, k)] * x[k]).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| self.m[(i, k)] * x[k]).sum();
            x[i] = (x[i] - sum) / self.m[(i, i)];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    #[test]
    fn factors_give_back_what_was_multiplied() {
        let mut random = Random::new(1);
        for n in [1, 2, 7, 30] {
            let (mut any, mut positive) = (Square::zero(n), Square::zero(n));
            for i in 0..n {
                for j in 0..n {
                    any[(i, j)] = random.range(-1.0, 1.0);
                }
            }
            for i in 0..n {
                for j in 0..n {
                    positive[(i, j)] = (0..n).map(|k| any[(i, k)] * any[(j, k)]).sum();
                }
                positive[(i, i)] += 0.1;
            }
            let exact: Vec<f64> = (0..n).map(|_| random.range(-1.0, 1.0)).collect();
            let times = |m: &Square| -> Vec<f64> {
                (0..n)
                    .map(|i| m.row(i).iter().zip(&exact).map(|(a, x)| a * x).sum())
                    .collect()
            };
            let mut x = times(&positive);
            assert!(cholesky_solve(positive, &mut x));
            let y = Factors::of(any.clone()).map(|factors| factors.solve(&times(&any)));
            for (found, exact) in x.iter().chain(y.iter().flatten()).zip(exact.iter().cycle()) {
                assert!((found - exact).abs() < 1e-9, "{n}: {found}, {exact}"); // measured: 1e-12
            }
        }
        assert!(!cholesky_solve(Square::zero(2), &mut [1.0, 1.0]));
        assert!(Factors::of(Square::zero(2)).is_none());
    }
}
