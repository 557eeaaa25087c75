//! Newton's method on one implicit step: exact linear-time steps, a line search on the merit
//! function, and a positive definite matrix where the exact one does not lead downhill.

use drystone_base::functions::pow;
use drystone_base::{Quat, Vec3};

use crate::factor::{Factor, Kind};
use crate::implicit::{FieldForce, Load, Problem};
use crate::kinematics::{Bases, Link, place_on};
use drystone_base::rotation::nudge;

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Correction that no longer matters \[rad\].
    pub tolerance: f64,
    /// Tolerance after eight iterations \[rad\].
    pub late: f64,
    /// Most iterations.
    pub iterations: u32,
    /// Length over which a stretch counts like a radian \[m\].
    pub length: f64,
    /// Whether the tolerance stays as it is however long an iteration with contacts takes.
    pub strict: bool,
    /// Whether to take no step with a matrix that is not positive definite, which might lead to
    /// a saddle.
    pub careful: bool,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solved {
    pub converged: bool,
    pub iterations: u32,
}

/// Iterate and scratch of one group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iterate {
    pub rotation: Vec<Quat>,
    pub stretch: Vec<f64>,
    pub links: Vec<Link>,
    pub sampled: Vec<FieldForce>,
    /// Forces of constraints and contacts; empty where there are none.
    pub loads: Vec<Load>,
    pub factor: Factor,
    /// Centres of links that hang from nothing, which come first.
    pub centres: Vec<Vec3>,
    trial_centres: Vec<Vec3>,
    trial_rotation: Vec<Quat>,
    trial_stretch: Vec<f64>,
    trial_links: Vec<Link>,
}

/// Forces and constraints that are evaluated anew at each Newton iterate.
pub(crate) trait Coupling {
    /// Renews the forces that depend on the iterate.
    fn sample(&mut self, _: &[Link], _: &mut [FieldForce]) {}

    /// Finds contacts at the present iterate and applies the present multipliers there, so that residual and
    /// matrix have them in the right places.
    fn prepare(&mut self, _: &mut Iterate) {}

    /// Finds the multipliers under which the Newton step satisfies constraints and contacts, and corrects loads
    /// and step for them. Returns the change of the merit function's slope along the step; none, with nothing
    /// changed, where the matrix is not positive in the directions of the contacts.
    fn couple(&mut self, _: &mut Iterate) -> Option<f64> {
        Some(0.0)
    }

    /// Whether [`Coupling::couple`] does anything.
    fn is_coupled(&self) -> bool {
        false
    }
}

impl Coupling for () {}

/// Steps below this are taken whole, without line search: Newton converges quadratically there \[rad\].
const CLOSE: f64 = 1e-3;
/// Steps below this are trusted where loops and contacts hold a strand that could not stand alone
/// \[rad\].
const NEAR: f64 = 0.1;
/// Longest turn of a joint in an iteration \[rad\].
const LONGEST: f64 = 1.0;

/// Solves the step from the guess in `iterate`, whose links must be placed.
pub(crate) fn solve(
    problem: &Problem<'_>,
    base: Bases<'_>,
    iterate: &mut Iterate,
    limits: Limits,
    coupling: &mut impl Coupling,
) -> Solved {
    let mut before = f64::INFINITY;
    for iteration in 1..=limits.iterations {
        // forces, contacts and their multipliers at the iterate
        coupling.sample(&iterate.links, &mut iterate.sampled);
        coupling.prepare(iterate);
        // Newton step; positive definite where the exact matrix leads to a saddle or uphill
        let (mut largest, mut slope) = iterate.find_step(problem, limits.length, Kind::Exact);
        let careful =
            limits.careful || (coupling.is_coupled() && (largest.is_nan() || largest >= NEAR));
        let saddle = careful && iterate.factor.non_positive_pivots() > 0;
        if saddle || !(largest < CLOSE || slope < 0.0) {
            (largest, slope) = iterate.find_step(problem, limits.length, Kind::Positive);
        }
        // multipliers of the rows, and the step with them
        if coupling.is_coupled() && largest.is_finite() {
            let change = coupling.couple(iterate).unwrap_or_else(|| {
                iterate.find_step(problem, limits.length, Kind::Positive);
                coupling.couple(iterate).unwrap_or(0.0)
            });
            (largest, slope) = iterate.size_of_step(limits.length);
            slope += change;
        }
        if !largest.is_finite() {
            return Solved {
                converged: false,
                iterations: iteration,
            };
        }
        // line search on the merit function
        let mut part = if largest > LONGEST {
            LONGEST / largest
        } else {
            1.0
        };
        iterate.try_step(problem, base, part);
        if largest > CLOSE {
            // Armijo's rule
            let here = problem.merit(
                &iterate.rotation,
                &iterate.stretch,
                &iterate.links,
                &iterate.sampled,
                &iterate.loads,
            );
            for _ in 0..12 {
                let there = problem.merit(
                    &iterate.trial_rotation,
                    &iterate.trial_stretch,
                    &iterate.trial_links,
                    &iterate.sampled,
                    &iterate.loads,
                );
                if there <= here + 1e-4 * part * slope {
                    break;
                }
                part *= 0.5;
                iterate.try_step(problem, base, part);
            }
        }
        std::mem::swap(&mut iterate.rotation, &mut iterate.trial_rotation);
        std::mem::swap(&mut iterate.stretch, &mut iterate.trial_stretch);
        std::mem::swap(&mut iterate.links, &mut iterate.trial_links);
        std::mem::swap(&mut iterate.centres, &mut iterate.trial_centres);
        // converged? Newton's error is of second order: the next step would be shorter than this one by the
        // square of the ratio of this one to the last
        let shrunk = if before.is_finite() {
            largest / before
        } else {
            1.0
        };
        let ahead = largest * (shrunk * shrunk).min(1.0);
        // contacts that come and go may keep the iteration from converging: the tolerance grows in time
        let late = f64::from(iteration.saturating_sub(8)) / 4.0;
        let slack = if coupling.is_coupled() && late > 0.0 && !limits.strict {
            pow(10.0, late)
        } else {
            1.0
        };
        let required = if late > 0.0 {
            limits.late
        } else {
            limits.tolerance
        };
        let tolerance = (required * slack).min(CLOSE.max(required));
        if part == 1.0 && (largest < tolerance || ahead < 0.1 * limits.tolerance) {
            return Solved {
                converged: true,
                iterations: iteration,
            };
        }
        before = if part == 1.0 { largest } else { f64::INFINITY };
    }
    Solved {
        converged: false,
        iterations: limits.iterations,
    }
}

impl Iterate {
    /// Largest turn of the Newton step, and the slope of the merit function along it.
    fn find_step(&mut self, problem: &Problem<'_>, length: f64, kind: Kind) -> (f64, f64) {
        self.factor.eliminate(
            problem,
            &self.rotation,
            &self.stretch,
            &self.links,
            &self.sampled,
            &self.loads,
            kind,
        );
        self.factor.newton_step();
        self.size_of_step(length)
    }

    /// The matrix for an impact, which is over before anything turns: without geometric terms, of which
    /// those of a large force would set a thin link spinning about its length.
    pub(crate) fn factor_for_impact(&mut self, problem: &Problem<'_>) {
        self.factor.eliminate(
            problem,
            &self.rotation,
            &self.stretch,
            &self.links,
            &self.sampled,
            &[],
            Kind::Positive,
        );
    }

    /// The matrix with which bodies answer impulses over so many steps.
    pub(crate) fn factor_taut(&mut self, problem: &Problem<'_>, steps: f64) {
        self.factor.eliminate(
            problem,
            &self.rotation,
            &self.stretch,
            &self.links,
            &self.sampled,
            &self.loads,
            Kind::Taut(steps),
        );
    }

    /// Size of the step that the factor holds.
    fn size_of_step(&self, length: f64) -> (f64, f64) {
        let (mut largest, mut slope) = (0.0f64, 0.0);
        for (turn, residual) in self.factor.turn.iter().zip(&self.factor.residual) {
            // keeps a NaN, which max would drop
            let size = turn.length_squared();
            largest = if size > largest || size.is_nan() {
                size
            } else {
                largest
            };
            slope += turn.dot(*residual);
        }
        let mut largest = largest.sqrt();
        for (slide, residual) in self.factor.slide.iter().zip(&self.factor.stretch_residual) {
            let size = slide.abs() / length;
            largest = if size > largest || size.is_nan() {
                size
            } else {
                largest
            };
            slope += slide * residual;
        }
        for (j, free) in self.factor.free.iter().enumerate() {
            let shift = self.factor.shift_of(j);
            let size = shift.length() / length;
            largest = if size > largest || size.is_nan() {
                size
            } else {
                largest
            };
            slope += shift.dot(free.residual);
        }
        (largest, slope)
    }

    /// Places the trial at `part` of the step.
    fn try_step(&mut self, problem: &Problem<'_>, base: Bases<'_>, part: f64) {
        self.trial_rotation.clear();
        for j in 0..self.rotation.len() {
            // from world axes to the link's
            let turn = transposed_times(&self.links[j], self.factor.turn[j]) * part;
            self.trial_rotation.push(nudge(self.rotation[j], turn));
        }
        self.trial_stretch.clear();
        for (e, slide) in self.stretch.iter().zip(&self.factor.slide) {
            self.trial_stretch.push(e + slide * part);
        }
        self.trial_centres.clear();
        for (j, centre) in self.centres.iter().enumerate() {
            self.trial_centres
                .push(*centre + self.factor.shift_of(j) * part);
        }
        let base = match base {
            Bases::Each(bases) if !self.centres.is_empty() => {
                Bases::Free(bases, &self.trial_centres)
            }
            base => base,
        };
        place_on(
            problem.chain,
            &self.trial_rotation,
            &self.trial_stretch,
            base,
            &mut self.trial_links,
        );
    }
}

/// `Rᵀ v`
#[inline]
fn transposed_times(link: &Link, v: Vec3) -> Vec3 {
    let axes = &link.axes;
    Vec3::new(axes.x_axis.dot(v), axes.y_axis.dot(v), axes.z_axis.dot(v))
}
