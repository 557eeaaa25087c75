//! What Gauss-Seidel does at one contact while all others are held: one kernel for the friction
//! pyramid, one for the cone. Every scalar sweep uses them; in lanes the cone kernel is in
//! [`crate::sweep`].
//!
//! `w` is the relative velocity before the update. What an earlier row of the contact changes in a
//! later one follows from the contact's own block of `A`.

use crate::operator::AtContact;

/// Row by row, friction within the pyramid of the newest normal impulse:
///
/// `λ_i ← clamp(λ_i − ω w_i / A_ii)`, friction between `±μ λ_n`   (Erleben 2007, eq. 29-33)
///
/// The sign before `w_i` is minus; eq. 32 prints a plus.
#[inline]
pub(crate) fn pyramid(at: &AtContact, omega: f64) -> [f64; 3] {
    let (m, mut new) = (&at.block, at.impulse);
    if m[0][0] <= 0.0 {
        return new; // neither body can move
    }
    // quotients first: they do not wait for the velocity
    let steps: [f64; 3] = std::array::from_fn(|i| omega / m[i][i]);
    new[0] = (new[0] - steps[0] * at.velocity[0]).max(0.0);
    let most = at.friction * new[0];
    let mut changes = [new[0] - at.impulse[0], 0.0];
    for i in 1..3 {
        if m[i][i] > 0.0 {
            let w = at.velocity[i] + m[i][0] * changes[0] + m[i][1] * changes[1];
            new[i] = (new[i] - steps[i] * w).max(-most).min(most);
        }
        if i == 1 {
            changes[1] = new[1] - at.impulse[1];
        }
    }
    new
}

/// Normal, then both tangents at once, friction on the disc of the newest normal impulse:
///
/// `λ_n ← max(0, λ_n − ω w_n / A_nn)`, `λ_t ← disc of radius μ λ_n of (λ_t − ω w_t / λ_max(A_tt))`
/// (Erleben 2017, blocked PROX)
///
/// with `λ_max` the larger eigenvalue of the tangential 2x2 block.
#[inline]
pub(crate) fn cone(at: &AtContact, omega: f64) -> [f64; 3] {
    let (m, [n, t1, t2]) = (&at.block, at.impulse);
    if m[0][0] <= 0.0 {
        return at.impulse; // neither body can move
    }
    // quotients first: they do not wait for the velocity
    let (step_n, step_t) = (omega / m[0][0], omega / at.tangential);
    let normal = (n - step_n * at.velocity[0]).max(0.0);
    if at.tangential <= 0.0 {
        return [normal, t1, t2];
    }
    let (change, most) = (normal - n, at.friction * normal);
    let t1 = t1 - step_t * (at.velocity[1] + m[1][0] * change);
    let t2 = t2 - step_t * (at.velocity[2] + m[2][0] * change);
    if t1 * t1 + t2 * t2 <= most * most {
        return [normal, t1, t2]; // sticking needs no root
    }
    let (t1, t2) = onto_disc(t1, t2, most);
    [normal, t1, t2]
}

/// `λ_max(A_tt)`: the larger eigenvalue of a symmetric 2x2 block with diagonal `p`, `q` and `off`
/// beside it. One step length for both tangents, so that friction acts against the slip.
#[inline]
pub fn largest_eigenvalue(p: f64, q: f64, off: f64) -> f64 {
    0.5 * (p + q) + (0.25 * (p - q) * (p - q) + off * off).sqrt()
}

/// The nearest point to (`x`, `y`) at most `radius` from the origin.
#[inline]
pub fn onto_disc(x: f64, y: f64, radius: f64) -> (f64, f64) {
    let length = (x * x + y * y).sqrt();
    if length <= radius {
        return (x, y);
    }
    (x * radius / length, y * radius / length)
}
