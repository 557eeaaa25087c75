//! The method itself on one island: multipliers outside, Newton's method for the velocities inside.

use drystone_base::Symmetric3;
use drystone_base::lanes::Wide8;

use super::point::{Point, natural_residual};
use super::six::{Six, add, dot, parts, six};
use super::{Limits, Outcome};
use crate::block_cholesky::Cholesky;
use crate::blocks::NONE;

/// `ρ` over the mass of the island: first, last, and its growth from one set of multipliers to
/// the next \[1\].
const STIFFNESS: (f64, f64) = (1.0, 1e2);
const GROWTH: f64 = 10.0;
/// An island that is not solved is left as it was unless this share of its residual is gone.
const LEAST_DECREASE: f64 = 0.5;
/// Share of its diagonal entry below which a pivot is lost to rounding \[1\].
const LOST: f64 = 1e-14;
/// Share of the tolerance to which Newton's equation is solved for given multipliers.
const INNER: f64 = 0.1;
/// Most Newton iterations for one set of multipliers.
const INNER_MOST: u32 = 100;
/// Least share of the tolerance: with less, rounding is all that is left.
const LEAST: f64 = 1e-4;
/// Rounding of a relative velocity, as a share of the fastest.
const ROUNDING: f64 = 1e-15;

/// A body of the island in hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub(super) slot: u32,
    pub(super) inverse_mass: f64,
    pub(super) inverse_inertia: Symmetric3,
    pub(super) mass: f64,
    pub(super) inertia: Symmetric3,
    /// Longest arm of its contacts \[m\].
    pub(super) reach: f64,
}

/// The island that is being solved.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    pub(super) bodies: Vec<Body>,
    pub(super) points: Vec<Point>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) free: Vec<Six>,
    pub(super) v: Vec<Six>,
    pub(super) gradient: Vec<Six>,
    pub(super) direction: Vec<Six>,
    pub(super) trial: Vec<Six>,
    pub(super) scratch: Vec<Six>,
    pub(super) stiffness: f64,
    pub(super) mass: f64,
}

impl Island {
    /// Whether all numbers that were gathered are finite.
    pub(super) fn is_finite(&self) -> bool {
        let bodies = self.free.iter().chain(&self.v);
        let points = self.points.iter().all(|point| {
            let lambda = point.lambda.iter().chain(&point.bias);
            lambda.chain([&point.target]).all(|x| x.is_finite())
        });
        points && bodies.flat_map(|v| v.0).all(f64::is_finite)
    }

    /// Runs the method; `best` of the points then holds the impulses with the smallest natural
    /// residual, which is returned. `before` is that of the start.
    pub(super) fn solve(
        &mut self,
        factor: &mut Cholesky,
        before: f64,
        tolerance: f64,
        limits: &Limits,
        outcome: &mut Outcome,
    ) -> f64 {
        let Some(flops) = factor.analyse(self.bodies.len(), &self.edges, limits.flops) else {
            outcome.too_large += 1;
            return before;
        };
        for point in &mut self.points {
            let [a, b] = point.body;
            point.place = if a != NONE && b != NONE {
                factor.find(a, b)
            } else {
                None
            };
        }

        let (mut best, mut used, mut share) = (before, 0, INNER);
        let most = limits
            .factorisations
            .min((limits.work / flops.max(1.0)) as u32);
        let last = STIFFNESS.1 * self.mass;
        // beginning with the last one saves nothing, however good the multipliers are
        self.stiffness = STIFFNESS.0 * self.mass;
        let allowed = self.energy(&self.v).max(self.energy(&self.free));
        // rounds without a factorisation are few, because each asks for ten times the accuracy
        while used < most && share > LEAST {
            let spent = self.minimise(factor, share * tolerance, most - used);
            used += spent;
            if spent == 0 {
                share *= 0.1;
            }
            outcome.iterations += 1;
            self.update_multipliers();
            self.velocities_after();
            let residual = self.residual();
            let solved = residual <= tolerance;
            let decreased =
                residual < LEAST_DECREASE * before && self.energy(&self.trial) <= allowed;
            if residual < best && (solved || decreased) {
                best = residual;
                for point in &mut self.points {
                    point.best = point.lambda;
                }
            }
            if solved || !residual.is_finite() {
                break;
            }
            // slip is real once the contacts are stiff; before, a lift would follow mere sag
            if self.stiffness >= last {
                self.update_lifts();
            }
            self.stiffness = (GROWTH * self.stiffness).min(last);
        }
        outcome.factorisations += used;
        best
    }

    /// Newton's method for the velocities that belong to the multipliers, to an accuracy
    /// `enough` \[m/s\]; returns the number of factorisations, at most `most`.
    fn minimise(&mut self, factor: &mut Cholesky, enough: f64, most: u32) -> u32 {
        for used in 0..most.min(INNER_MOST) {
            self.relative_velocities();
            if self.gradient() <= enough.max(self.rounding()) {
                return used;
            }
            self.assemble(factor);
            factor.factor(LOST);
            self.direction.clear();
            self.direction
                .extend(self.gradient.iter().map(|g| Wide8(g.0.map(|x| -x))));
            factor.solve(&mut self.direction, &mut self.scratch);
            let step = self.line_search();
            if step <= 0.0 || step.is_nan() {
                return used + 1;
            }
            for (v, d) in self.v.iter_mut().zip(&self.direction) {
                add(v, d, step);
            }
        }
        self.relative_velocities();
        most.min(INNER_MOST)
    }

    /// `u = J v` of every point.
    fn relative_velocities(&mut self) {
        for point in &mut self.points {
            let mut u = point.bias;
            for (side, &body) in point.body.iter().enumerate() {
                if body != NONE {
                    for (u, row) in u.iter_mut().zip(&point.rows[side]) {
                        *u += dot(row, &self.v[body as usize]);
                    }
                }
            }
            point.u = u;
        }
    }

    /// Writes the gradient `M (v − v_free) − Jᵀ p`; returns its largest entry as a change of velocity \[m/s\].
    fn gradient(&mut self) -> f64 {
        self.gradient.clear();
        let pairs = self.v.iter().zip(&self.free).zip(&self.bodies);
        self.gradient.extend(pairs.map(|((v, free), body)| {
            let ((v, w), (v0, w0)) = (parts(v), parts(free));
            six((v - v0) * body.mass, body.inertia.times(w - w0))
        }));
        for point in &self.points {
            let p = point.projected(&point.u, self.stiffness).0;
            for (side, &body) in point.body.iter().enumerate() {
                if body != NONE {
                    for (row, p) in point.rows[side].iter().zip(p) {
                        add(&mut self.gradient[body as usize], row, -p);
                    }
                }
            }
        }
        let mut worst = 0.0f64;
        for (g, body) in self.gradient.iter().zip(&self.bodies) {
            let (p, twist) = parts(g);
            let turn = body.inverse_inertia.times(twist).length();
            worst = worst.max(p.length() * body.inverse_mass + turn * body.reach);
        }
        worst
    }

    /// Size of the gradient that rounding of relative velocities leaves, as a velocity \[m/s\].
    fn rounding(&self) -> f64 {
        let speed = |point: &Point| point.u.iter().fold(0.0, |most, u| f64::max(most, u.abs()));
        let fastest = self.points.iter().map(speed).fold(0.0, f64::max);
        let lightest = self.bodies.iter().map(|body| body.inverse_mass);
        ROUNDING * fastest * self.stiffness * lightest.fold(0.0, f64::max)
    }

    /// Twice the kinetic energy at the velocities `v` \[J\].
    fn energy(&self, v: &[Six]) -> f64 {
        let pairs = v.iter().zip(&self.bodies);
        let each = pairs.map(|(v, body)| {
            let (v, w) = parts(v);
            body.mass * v.length_squared() + w.dot(body.inertia.times(w))
        });
        each.sum()
    }

    /// `λ ← p`
    fn update_multipliers(&mut self) {
        for point in &mut self.points {
            point.lambda = point.projected(&point.u, self.stiffness).0;
        }
    }

    /// `μ |u_t|` at every point, pressed or not: one that is open and moves along must not count
    /// as closing.
    fn update_lifts(&mut self) {
        for point in &mut self.points {
            let slip = (point.u[1] * point.u[1] + point.u[2] * point.u[2]).sqrt();
            point.lift = point.friction * slip;
        }
    }

    /// `v_free + M⁻¹ Jᵀ λ` into `trial`.
    pub(super) fn velocities_after(&mut self) {
        self.trial.clear();
        self.trial.resize(self.bodies.len(), Wide8::default());
        for point in &self.points {
            for (side, &body) in point.body.iter().enumerate() {
                if body != NONE {
                    for (row, &l) in point.rows[side].iter().zip(&point.lambda) {
                        add(&mut self.trial[body as usize], row, l);
                    }
                }
            }
        }
        for ((v, free), body) in self.trial.iter_mut().zip(&self.free).zip(&self.bodies) {
            let (p, twist) = parts(v);
            *v = six(p * body.inverse_mass, body.inverse_inertia.times(twist));
            add(v, free, 1.0);
        }
    }

    /// The largest natural residual at the velocities of [`Self::velocities_after`] \[m/s\].
    fn residual(&self) -> f64 {
        let mut worst = 0.0f64;
        for point in &self.points {
            let mut u = point.bias;
            for (side, &body) in point.body.iter().enumerate() {
                if body != NONE {
                    for (u, row) in u.iter_mut().zip(&point.rows[side]) {
                        *u += dot(row, &self.trial[body as usize]);
                    }
                }
            }
            let wrong =
                natural_residual(&point.lambda, &u, point.target, point.friction, point.mass);
            // a number that is none counts as the worst
            worst = if wrong <= worst { worst } else { wrong };
            if worst.is_nan() {
                return f64::INFINITY;
            }
        }
        worst
    }
}
