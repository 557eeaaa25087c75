//! 6x6 blocks: Cholesky factor and substitutions.

use super::{Matrix6, Vector6};

/// Lower Cholesky factor in place. Fields that nothing feels get an endless stiffness, so
/// that their share of the solution is zero.
pub(super) fn cholesky(m: &mut Matrix6) {
    let largest = (0..6).fold(0.0, |most, i| f64::max(most, m[i][i]));
    let floor = 1e-10 * largest;
    for j in 0..6 {
        let mut pivot = m[j][j];
        for k in 0..j {
            pivot -= m[j][k] * m[j][k];
        }
        let useful = pivot > floor;
        let root = if useful { pivot.sqrt() } else { f64::INFINITY };
        m[j][j] = root;
        for i in j + 1..6 {
            let mut sum = m[i][j];
            for k in 0..j {
                sum -= m[i][k] * m[j][k];
            }
            m[i][j] = if useful { sum / root } else { 0.0 };
        }
    }
}

/// `L⁻¹ x`.
pub(super) fn forward(l: &Matrix6, x: &mut Vector6) {
    for i in 0..6 {
        let mut sum = x[i];
        for k in 0..i {
            sum -= l[i][k] * x[k];
        }
        x[i] = sum / l[i][i];
    }
}

/// `L⁻ᵀ x`.
pub(super) fn backward(l: &Matrix6, x: &mut Vector6) {
    for i in (0..6).rev() {
        let mut sum = x[i];
        for k in i + 1..6 {
            sum -= l[k][i] * x[k];
        }
        x[i] = sum / l[i][i];
    }
}

/// `L⁻¹ E`, column by column.
pub(super) fn forward_columns(l: &Matrix6, e: &mut Matrix6) {
    for i in 0..6 {
        for k in 0..i {
            let factor = l[i][k];
            let (done, now) = e.split_at_mut(i);
            for (to, &from) in now[0].iter_mut().zip(&done[k]) {
                *to -= factor * from;
            }
        }
        let scale = 1.0 / l[i][i];
        for entry in &mut e[i] {
            *entry *= scale;
        }
    }
}
