//! Eigenvalues of dense matrices: of a symmetric one through its tridiagonal form, of any other
//! through its Hessenberg form. Both are reduced by reflections and then worked down by shifted
//! QR steps; no eigenvectors.

use super::AnalysisError;

/// An eigenvalue, which may be complex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Eigenvalue {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Eigenvalue {
    /// A real one.
    pub const fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    /// Its absolute value.
    pub fn magnitude(self) -> f64 {
        self.re.hypot(self.im)
    }
}

/// QR steps for one eigenvalue, three are usual: after so many, what counts as zero is doubled
/// with every step, for clusters that rounding keeps from falling apart.
const USUAL: u32 = 20;
/// Steps after which it is given up.
const PATIENCE: u32 = 50;

/// A square matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Square {
    pub(super) size: usize,
    pub(super) values: Vec<f64>,
}

impl Square {
    pub(super) fn zero(size: usize) -> Self {
        Self {
            size,
            values: vec![0.0; size * size],
        }
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..][..self.size]
    }

    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.size..][..self.size]
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.size + j]
    }

    fn norm(&self) -> f64 {
        self.values.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// The reflection `1 - β v vᵀ` that clears column `k` below row `k + 1`; `v` from that row on.
    fn reflector(&self, k: usize) -> Option<(Vec<f64>, f64)> {
        let mut v: Vec<f64> = (k + 1..self.size).map(|i| self.at(i, k)).collect();
        let rest: f64 = v[1..].iter().map(|x| x * x).sum();
        if rest == 0.0 {
            return None;
        }
        v[0] += v[0].hypot(rest.sqrt()).copysign(v[0]);
        Some((v.clone(), 2.0 / (v[0] * v[0] + rest)))
    }
}

/// Eigenvalues of a symmetric matrix, ascending.
pub(super) fn symmetric(mut a: Square) -> Result<Vec<f64>, AnalysisError> {
    let n = a.size;
    let small = f64::EPSILON * a.norm();
    // tridiagonal form
    for k in 0..n.saturating_sub(2) {
        let Some((v, beta)) = a.reflector(k) else {
            continue;
        };
        let mut p: Vec<f64> = (k..n).map(|i| beta * dot(&a.row(i)[k + 1..], &v)).collect();
        let half = 0.5 * beta * dot(&p[1..], &v);
        for (p, v) in p[1..].iter_mut().zip(&v) {
            *p -= half * v;
        }
        // row k feels the reflection from the right alone
        add_scaled(&mut a.row_mut(k)[k + 1..], -p[0], &v);
        for i in k + 1..n {
            let (v_i, p_i) = (v[i - k - 1], p[i - k]);
            let row = &mut a.row_mut(i)[k + 1..];
            add_scaled(row, -v_i, &p[1..]);
            add_scaled(row, -p_i, &v);
        }
        for i in k + 1..n {
            a.row_mut(i)[k] = a.at(k, i);
        }
    }
    let mut d: Vec<f64> = (0..n).map(|i| a.at(i, i)).collect();
    let mut e: Vec<f64> = (1..n).map(|i| a.at(i - 1, i)).collect();
    // QR steps with Wilkinson's shift on the last block that does not fall apart
    let (mut high, mut steps) = (n.saturating_sub(1), 0);
    while high > 0 {
        if e[high - 1].abs() <= small {
            (high, steps) = (high - 1, 0);
            continue;
        }
        steps += 1;
        if steps > PATIENCE {
            return Err(AnalysisError::NotFound {
                found: n - high - 1,
            });
        }
        let mut low = high - 1;
        while low > 0 && e[low - 1].abs() > small {
            low -= 1;
        }
        let (last, half) = (e[high - 1], 0.5 * (d[high - 1] - d[high]));
        let shift = d[high] - last * last / (half + half.hypot(last).copysign(half));
        let (mut x, mut z) = (d[low] - shift, e[low]);
        for k in low..high {
            let r = x.hypot(z);
            let (c, s) = if r > 0.0 { (x / r, z / r) } else { (1.0, 0.0) };
            if k > low {
                e[k - 1] = r;
            }
            let (p, q, off) = (d[k], d[k + 1], e[k]);
            d[k] = c * c * p + 2.0 * c * s * off + s * s * q;
            d[k + 1] = s * s * p - 2.0 * c * s * off + c * c * q;
            e[k] = c * s * (q - p) + (c * c - s * s) * off;
            if k + 1 < high {
                (x, z) = (e[k], s * e[k + 1]);
                e[k + 1] *= c;
            }
        }
    }
    d.sort_by(f64::total_cmp);
    Ok(d)
}

/// Eigenvalues of any matrix, largest magnitude first.
pub(super) fn general(mut a: Square) -> Result<Vec<Eigenvalue>, AnalysisError> {
    let n = a.size;
    // Hessenberg form
    let mut w = vec![0.0; n];
    for k in 0..n.saturating_sub(2) {
        let Some((v, beta)) = a.reflector(k) else {
            continue;
        };
        w[k..].fill(0.0);
        for i in k + 1..n {
            add_scaled(&mut w[k..], v[i - k - 1], &a.row(i)[k..]);
        }
        for i in k + 1..n {
            add_scaled(&mut a.row_mut(i)[k..], -beta * v[i - k - 1], &w[k..]);
        }
        for i in 0..n {
            let row = &mut a.row_mut(i)[k + 1..];
            let along = dot(row, &v);
            add_scaled(row, -beta * along, &v);
        }
    }
    let mut found = Vec::with_capacity(n);
    let small = f64::EPSILON * a.norm();
    let (mut end, mut steps) = (n, 0u32);
    while end > 0 {
        let high = end - 1;
        let zero = small * f64::from(1u32 << steps.saturating_sub(USUAL));
        // the last block that does not fall apart
        let mut low = high;
        while low > 0 {
            let beside = a.at(low - 1, low - 1).abs() + a.at(low, low).abs();
            if a.at(low, low - 1).abs() <= zero.max(f64::EPSILON * beside) {
                break;
            }
            low -= 1;
        }
        match high - low {
            0 => found.push(Eigenvalue::real(a.at(high, high))),
            1 => found.extend(pair(&a, low)),
            _ if steps > PATIENCE => {
                return Err(AnalysisError::NotFound { found: found.len() });
            }
            _ => {
                steps += 1;
                double_step(&mut a, low, high, steps % 10 == 0);
                continue;
            }
        }
        (end, steps) = (low, 0);
    }
    found.sort_by(|x, y| {
        let by_size = y.magnitude().total_cmp(&x.magnitude());
        by_size
            .then(y.re.total_cmp(&x.re))
            .then(y.im.total_cmp(&x.im))
    });
    Ok(found)
}

/// Eigenvalues of the 2x2 block at `k`.
fn pair(a: &Square, k: usize) -> [Eigenvalue; 2] {
    let (p, q) = (a.at(k, k), a.at(k + 1, k + 1));
    let product = a.at(k, k + 1) * a.at(k + 1, k);
    let (middle, half) = (0.5 * (p + q), 0.5 * (p - q));
    let discriminant = half * half + product;
    if discriminant >= 0.0 {
        // the far one first, so that nothing cancels
        let far = half + discriminant.sqrt().copysign(half);
        let near = if far == 0.0 { 0.0 } else { -product / far };
        [Eigenvalue::real(q + far), Eigenvalue::real(q + near)]
    } else {
        let im = (-discriminant).sqrt();
        [im, -im].map(|im| Eigenvalue { re: middle, im })
    }
}

/// One QR step with both eigenvalues of the last 2x2 block as shifts, in real numbers: a bulge of
/// 3x3 is chased from `low` to `high`. An `odd` one has shifts out of turn, to leave a circle.
fn double_step(a: &mut Square, low: usize, high: usize, odd: bool) {
    let n = a.size;
    let (sum, product) = if odd {
        let s = a.at(high, high - 1).abs() + a.at(high - 1, high - 2).abs();
        (1.5 * s, s * s)
    } else {
        let (p, q) = (a.at(high - 1, high - 1), a.at(high, high));
        (p + q, p * q - a.at(high - 1, high) * a.at(high, high - 1))
    };
    let (h00, h01, h10) = (a.at(low, low), a.at(low, low + 1), a.at(low + 1, low));
    let mut head = [
        h00 * (h00 - sum) + h01 * h10 + product,
        h10 * (h00 + a.at(low + 1, low + 1) - sum),
        h10 * a.at(low + 2, low + 1),
    ];
    for k in low..high {
        let three = k + 2 <= high;
        if k > low {
            head = [a.at(k, k - 1), a.at(k + 1, k - 1), 0.0];
            if three {
                head[2] = a.at(k + 2, k - 1);
            }
        } else if !three {
            head[2] = 0.0;
        }
        let scale = head[0].abs() + head[1].abs() + head[2].abs();
        if scale == 0.0 {
            continue;
        }
        let mut v = head.map(|x| x / scale);
        v[0] += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            .sqrt()
            .copysign(v[0]);
        let beta = 2.0 / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        let first = if k > low { k - 1 } else { low };
        // from the left on rows k to k + 2
        let (upper, lower) = a.values.split_at_mut((k + 1) * n);
        let row_0 = &mut upper[k * n..][first..=high];
        let (row_1, rest) = lower.split_at_mut(n);
        let row_1 = &mut row_1[first..=high];
        if three {
            let row_2 = &mut rest[first..=high];
            for ((x, y), z) in row_0.iter_mut().zip(row_1).zip(row_2) {
                let along = beta * (v[0] * *x + v[1] * *y + v[2] * *z);
                *x -= along * v[0];
                *y -= along * v[1];
                *z -= along * v[2];
            }
        } else {
            for (x, y) in row_0.iter_mut().zip(row_1) {
                let along = beta * (v[0] * *x + v[1] * *y);
                *x -= along * v[0];
                *y -= along * v[1];
            }
        }
        // from the right on columns k to k + 2
        let width = if three { 3 } else { 2 };
        for i in low..=(k + 3).min(high) {
            let row = &mut a.row_mut(i)[k..k + width];
            let along = beta * dot(row, &v[..width]);
            add_scaled(row, -along, &v[..width]);
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    // four sums at a time; one would wait for itself
    let mut sums = [0.0; 4];
    let (x4, y4) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = x4
        .remainder()
        .iter()
        .zip(y4.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in x4.zip(y4) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn add_scaled(x: &mut [f64], factor: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += factor * y;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use drystone_base::functions::cos;
    use drystone_base::random::Random;

    fn random(size: usize, seed: u64) -> Square {
        let mut random = Random::new(seed);
        let mut a = Square::zero(size);
        a.values.fill_with(|| random.range(-1.0, 1.0));
        a
    }

    #[test]
    fn a_chain_of_springs_has_its_cosines() {
        // 2 on the diagonal, -1 beside it: 2 - 2 cos(k π / (n + 1))
        let n = 60;
        let mut a = Square::zero(n);
        for i in 0..n {
            a.row_mut(i)[i] = 2.0;
            if i > 0 {
                a.row_mut(i)[i - 1] = -1.0;
                a.row_mut(i - 1)[i] = -1.0;
            }
        }
        let exact: Vec<f64> = (1..=n)
            .map(|k| 2.0 - 2.0 * cos(k as f64 * std::f64::consts::PI / (n + 1) as f64))
            .collect();
        let found = symmetric(a.clone()).unwrap();
        let also: Vec<f64> = general(a).unwrap().iter().rev().map(|e| e.re).collect();
        for k in 0..n {
            assert!((found[k] - exact[k]).abs() < 1e-13); // measured: 7e-15
            assert!((also[k] - exact[k]).abs() < 1e-12); // measured: 9e-15
        }
    }

    #[test]
    fn both_ways_agree_on_random_symmetric_matrices_of_low_rank() {
        for (n, rank, seed) in [(2, 2, 1), (3, 1, 2), (17, 9, 3), (40, 12, 4)] {
            let b = random(n, seed);
            let mut a = Square::zero(n);
            for i in 0..n {
                for j in 0..n {
                    a.row_mut(i)[j] = dot(&b.row(i)[..rank], &b.row(j)[..rank]);
                }
            }
            let found = symmetric(a.clone()).unwrap();
            let mut also: Vec<f64> = general(a).unwrap().iter().map(|e| e.re).collect();
            also.sort_by(f64::total_cmp);
            for (x, y) in found.iter().zip(&also) {
                assert!((x - y).abs() < 1e-12 * n as f64, "{x} and {y}"); // measured: 5e-14
            }
            let zeros = found.iter().filter(|x| x.abs() < 1e-12).count();
            assert_eq!(zeros, n - rank);
        }
    }

    #[test]
    fn eigenvalues_of_any_matrix_have_its_trace_and_that_of_its_square() {
        for (n, seed) in [(1, 1), (2, 5), (3, 6), (8, 7), (50, 8), (121, 9)] {
            let a = random(n, seed);
            let found = general(a.clone()).unwrap();
            assert_eq!(found.len(), n);
            let (mut trace, mut square) = (0.0, 0.0);
            for i in 0..n {
                trace += a.at(i, i);
                square += (0..n).map(|j| a.at(i, j) * a.at(j, i)).sum::<f64>();
            }
            let sum: f64 = found.iter().map(|e| e.re).sum();
            let sum_of_squares: f64 = found.iter().map(|e| e.re * e.re - e.im * e.im).sum();
            let imaginary: f64 = found.iter().map(|e| e.im).sum();
            assert!((sum - trace).abs() < 1e-11, "{sum} and {trace}"); // measured: 3e-14
            assert!((sum_of_squares - square).abs() < 1e-10); // measured: 2e-12
            assert_eq!(imaginary, 0.0);
        }
    }

    #[test]
    fn a_turning_cycle_has_the_roots_of_one() {
        // shifts of the last block do not move it: only those out of turn do
        let n = 12;
        let mut a = Square::zero(n);
        for i in 0..n {
            a.row_mut((i + 1) % n)[i] = 1.0;
        }
        for e in general(a).unwrap() {
            assert!((e.magnitude() - 1.0).abs() < 1e-12, "{e:?}"); // measured: 2e-15
        }
        assert!(general(Square::zero(0)).unwrap().is_empty());
        assert!(symmetric(Square::zero(0)).unwrap().is_empty());
        assert_eq!(symmetric(Square::zero(3)).unwrap(), [0.0; 3]);
    }
}
