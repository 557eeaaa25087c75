//! Direct solution of few contacts: semismooth Newton on the function of Alart and Curnier, which decides which
//! contacts touch, stick and slide, started from a few sweeps.
//!
//! A contact touches if `f_n > ρ w_n`; then `w_n = 0`. It sticks if `|z| <= μ f_n`, `z = f_t − ρ w_t`;
//! then `w_t = 0`. Otherwise it slides: `f_t = μ f_n z/|z|`, linear about the `z` of now. `w = A f − b`,
//! `ρ` is one over the contact's own stiffness.

use drystone_complementarity::largest_eigenvalue;
use drystone_complementarity::solvers::{Bound, SorLcp, sor_lcp};

use crate::response::gauss;

/// Scratch of the direct solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet {
    system: Vec<f64>,
    /// Rows whose forces are not zero.
    unknowns: Vec<usize>,
    /// `w` at the present forces.
    off: Vec<f64>,
    /// Compliance of friction, by contact.
    slack: Vec<f64>,
}

/// Sweeps before the first direct solution, and between two direct solutions.
const FIRST: u32 = 4;
/// Direct solutions at most.
const ROUNDS: usize = 15;
/// Residual that no longer matters, as a part of the largest force \[1\].
const SETTLED: f64 = 1e-8;

/// Data of a problem; see [`sor_lcp`].
#[derive(Clone, Copy)]
struct Parts<'a> {
    matrix: &'a [f64],
    b: &'a [f64],
    bounds: &'a [Bound],
    /// Regularisation on the diagonal.
    epsilon: f64,
}

impl Parts<'_> {
    fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.b.len() + j] + if i == j { self.epsilon } else { 0.0 }
    }

    fn friction(&self, contact: usize) -> f64 {
        match self.bounds[contact + 1] {
            Bound::Disc { friction, .. } => friction,
            _ => 0.0,
        }
    }

    /// Compliance of friction at a contact, which is the same in both directions.
    fn slack(&self, contact: usize) -> f64 {
        let (i, j) = (contact + 1, contact + 2);
        let (p, q) = (self.entry(i, i), self.entry(j, j));
        let across = 0.5 * (self.entry(i, j) + self.entry(j, i));
        1.0 / largest_eigenvalue(p, q, across)
    }
}

impl ActiveSet {
    /// Solves the problem of [`sor_lcp`] for contacts of three rows each, normal before friction, from
    /// the first guess in `x`.
    pub(crate) fn solve(
        &mut self,
        matrix: &[f64],
        b: &[f64],
        x: &mut [f64],
        bounds: &[Bound],
        settings: SorLcp,
    ) {
        let n = x.len();
        let largest = (0..n).fold(0.0f64, |most, i| most.max(matrix[i * n + i]));
        let parts = Parts {
            matrix,
            b,
            bounds,
            epsilon: settings.regularisation * largest,
        };
        let sweep = |x: &mut [f64], sweeps: u32| {
            let some = SorLcp { sweeps, ..settings };
            // the counts agree by construction; were they not to, no contact would push
            if sor_lcp(matrix, b, x, bounds, some).is_err() {
                x.fill(0.0);
            }
        };
        if !n.is_multiple_of(3) || !(0..n).all(|i| parts.entry(i, i) > 0.0) {
            return sweep(x, settings.sweeps);
        }
        self.slack.clear();
        self.slack
            .extend((0..n).step_by(3).map(|contact| parts.slack(contact)));
        // what touched before mostly touches still: sweeps only where that leads nowhere
        for round in 0..ROUNDS {
            if round % 5 == 4 || (round == 0 && x.iter().all(|x| *x == 0.0)) {
                sweep(x, FIRST);
            }
            if self.is_settled(parts, x) {
                return;
            }
            self.solve_directly(parts, x);
        }
        for i in (0..n).step_by(3) {
            x[i] = x[i].max(0.0);
        }
        sweep(x, settings.sweeps);
    }

    /// Whether the complementarity conditions hold; writes `off`.
    fn is_settled(&mut self, parts: Parts<'_>, x: &[f64]) -> bool {
        let n = x.len();
        self.off.clear();
        for i in 0..n {
            let row = &parts.matrix[i * n..(i + 1) * n];
            let pushed: f64 = row.iter().zip(x).map(|(a, x)| a * x).sum();
            self.off.push(pushed + parts.epsilon * x[i] - parts.b[i]);
        }
        let size = x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let mut worst = 0.0f64;
        for i in (0..n).step_by(3) {
            let normal = (x[i] - self.off[i] / parts.entry(i, i)).max(0.0);
            let (z, long) = self.pull(x, i);
            let most = parts.friction(i) * x[i].max(0.0);
            let part = if long > most { most / long } else { 1.0 };
            worst = worst.max((x[i] - normal).abs());
            worst = worst.max((x[i + 1] - z[0] * part).abs());
            worst = worst.max((x[i + 2] - z[1] * part).abs());
        }
        worst <= SETTLED * size
    }

    /// `z` of a contact, and its length.
    fn pull(&self, x: &[f64], i: usize) -> ([f64; 2], f64) {
        let slack = self.slack[i / 3];
        let z = [1, 2].map(|k| x[i + k] - slack * self.off[i + k]);
        (z, (z[0] * z[0] + z[1] * z[1]).sqrt())
    }

    /// One step of Newton's method.
    fn solve_directly(&mut self, parts: Parts<'_>, x: &mut [f64]) {
        let n = x.len();
        // active set: contacts that push, f_n − (A f − b)_n / A_nn > 0
        self.unknowns.clear();
        for i in (0..n).step_by(3) {
            if x[i] - self.off[i] / parts.entry(i, i) > 0.0 {
                self.unknowns.extend(i..i + 3);
            }
        }
        // rows of the normal, A_n f = b_n; of friction, A_t f = b_t where it sticks, else the disc's edge
        let (count, width) = (self.unknowns.len(), self.unknowns.len() + 1);
        self.system.clear();
        for unknown in (0..count).step_by(3) {
            let i = self.unknowns[unknown];
            self.system
                .extend(self.unknowns.iter().map(|&j| parts.entry(i, j)));
            self.system.push(parts.b[i]);
            let (z, long) = self.pull(x, i);
            let (friction, slack) = (parts.friction(i), self.slack[i / 3]);
            let most = friction * x[i].max(0.0);
            for k in 1..3 {
                if long <= most && most > 0.0 {
                    self.system
                        .extend(self.unknowns.iter().map(|&j| parts.entry(i + k, j)));
                    self.system.push(parts.b[i + k]);
                    continue;
                }
                // f_t − μ ẑ f_n − c P (f_t − ρ (A_t f − b_t)) = 0, P = 1 − ẑ ẑᵀ, c = μ f_n / |z|
                let way = if long > 0.0 {
                    [z[0] / long, z[1] / long]
                } else {
                    [0.0; 2]
                };
                let c = if long > 0.0 { most / long } else { 0.0 };
                let across = |l: usize| {
                    let one = if l == k { 1.0 } else { 0.0 };
                    c * (one - way[k - 1] * way[l - 1])
                };
                let (p, q) = (across(1), across(2));
                let begin = self.system.len();
                self.system.extend(
                    self.unknowns
                        .iter()
                        .map(|&j| slack * (p * parts.entry(i + 1, j) + q * parts.entry(i + 2, j))),
                );
                // what stands in the contact's own columns
                let own = begin + unknown;
                self.system[own] -= friction * way[k - 1];
                self.system[own + 1] -= p;
                self.system[own + 2] -= q;
                self.system[own + k] += 1.0;
                let known = p * parts.b[i + 1] + q * parts.b[i + 2];
                self.system.push(slack * known);
            }
        }
        // solve; all other forces are zero
        gauss(&mut self.system, count, width);
        let found = |k: usize| self.system[k * width + count];
        if (0..count).any(|k| !found(k).is_finite()) {
            return;
        }
        x.fill(0.0);
        for (k, &row) in self.unknowns.iter().enumerate() {
            x[row] = found(k);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    #[test]
    fn forces_are_those_of_many_sweeps() {
        let mut random = Random::new(8);
        let mut worst = 0.0f64;
        for contacts in [1usize, 2, 5, 12] {
            let n = 3 * contacts;
            for _ in 0..20 {
                // A = B Bᵀ + 1, strongly coupled
                let parts: Vec<f64> = (0..n * n).map(|_| random.range(-1.0, 1.0)).collect();
                let mut matrix = vec![0.0; n * n];
                for i in 0..n {
                    for j in 0..n {
                        let product = (0..n).map(|k| parts[i * n + k] * parts[j * n + k]);
                        matrix[i * n + j] = product.sum::<f64>() + f64::from(u8::from(i == j));
                    }
                }
                let b: Vec<f64> = (0..n).map(|_| random.range(-1.0, 2.0)).collect();
                let bounds: Vec<Bound> = (0..n)
                    .map(|i| match i % 3 {
                        0 => Bound::Unilateral,
                        _ => Bound::Disc {
                            normal: i / 3 * 3,
                            friction: 0.3,
                        },
                    })
                    .collect();
                let settings = SorLcp {
                    relaxation: 1.0,
                    regularisation: 1e-5,
                    sweeps: 100,
                    tolerance: 0.0,
                };
                let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
                ActiveSet::default().solve(&matrix, &b, &mut x, &bounds, settings);
                let many = SorLcp {
                    sweeps: 20_000,
                    ..settings
                };
                sor_lcp(&matrix, &b, &mut y, &bounds, many).expect("counts agree");
                let size = y.iter().fold(1e-9f64, |most, y| most.max(y.abs()));
                for (x, y) in x.iter().zip(&y) {
                    worst = worst.max((x - y).abs() / size);
                }
            }
        }
        assert!(worst < 1e-4, "{worst:.1e}");
    }
}
