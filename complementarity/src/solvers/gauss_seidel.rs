//! The Gauss-Seidel methods: what each does at a visit of a sweep.

use crate::kernel::{self, onto_disc};
use crate::operator::{Iterate, Operator};
use crate::ordering::{Grain, Part, Visit};
use crate::solvers::Settings;
use crate::solvers::sweeper::Kernel;

/// Bounds of the newest normal impulses, on the pyramid (Erleben 2007, §3): [`kernel::pyramid`].
pub(crate) type Pyramid = Newest<false>;
/// Bounds of the newest normal impulses, on the cone (Erleben 2017): [`kernel::cone`].
pub(crate) type Cone = Newest<true>;

/// Projected Gauss-Seidel with the bounds of the newest normal impulses.
pub(crate) struct Newest<const CONE: bool> {
    omega: f64,
}

impl<const CONE: bool> Newest<CONE> {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            omega: settings.relaxation.unwrap_or(1.0),
        }
    }

    /// Both tangents at once.
    #[inline]
    fn friction<O: Operator>(&self, operator: &O, k: usize, iterate: &mut Iterate) {
        let stiffness = operator.tangential(k);
        if stiffness <= 0.0 {
            return; // neither body can move
        }
        let most = operator.friction(k) * iterate.impulses[k][0].max(0.0);
        let [_, old_1, old_2] = iterate.impulses[k];
        let step = self.omega / stiffness;
        let (t1, t2) = onto_disc(
            old_1 - step * operator.velocity_row(k, 1, iterate),
            old_2 - step * operator.velocity_row(k, 2, iterate),
            most,
        );
        operator.change(k, 1, t1 - old_1, iterate);
        operator.change(k, 2, t2 - old_2, iterate);
    }
}

impl<const CONE: bool> Kernel for Newest<CONE> {
    const GRAIN: Grain = if CONE { Grain::Pair } else { Grain::Row };

    #[inline]
    fn visit<O: Operator>(&self, operator: &O, visit: Visit, iterate: &mut Iterate) {
        let k = visit.contact as usize;
        match visit.part {
            Part::Whole if CONE => operator.update(k, iterate, |at| kernel::cone(at, self.omega)),
            Part::Whole => operator.update(k, iterate, |at| kernel::pyramid(at, self.omega)),
            Part::Friction if CONE => self.friction(operator, k, iterate),
            _ => {
                for (k, i) in visit.rows() {
                    let normal = iterate.impulses[k][0].max(0.0);
                    relax_row(operator, (k, i), self.omega, normal, iterate);
                }
            }
        }
    }
}

/// Projected Gauss-Seidel and over-relaxation with the bounds of the last iterate on the pyramid
/// (Poulsen 2010, eq. 16, 18b and 18c).
///
/// `M = D/ω + L`, `N = (1/ω − 1) D − U`: the true splitting of `A`; eq. 18c prints that of `ω A`,
/// which goes with `ω b`. Each row is projected as soon as it is found, as eq. 12 asks: to project
/// only the finished vector (eq. 17) has other fixed points. Bounds are those at the beginning of
/// the sweep, `u(λ^k)`.
pub(crate) struct Lagged {
    omega: f64,
    /// Normal impulses at the beginning of the sweep.
    normals: Vec<f64>,
}

impl Lagged {
    /// Over-relaxed by `omega` unless the settings say otherwise.
    pub(crate) fn new(settings: &Settings, omega: f64) -> Self {
        Self {
            omega: settings.relaxation.unwrap_or(omega),
            normals: Vec::new(),
        }
    }
}

impl Kernel for Lagged {
    const GRAIN: Grain = Grain::Row;

    fn begin(&mut self, iterate: &Iterate) {
        self.normals.clear();
        let normals = iterate.impulses.iter().map(|lambda| lambda[0].max(0.0));
        self.normals.extend(normals);
    }

    #[inline]
    fn visit<O: Operator>(&self, operator: &O, visit: Visit, iterate: &mut Iterate) {
        for (k, i) in visit.rows() {
            relax_row(operator, (k, i), self.omega, self.normals[k], iterate);
        }
    }
}

/// Row `i` of contact `k`: the step that stops its velocity, times `omega`, then zero or more for a
/// normal, between `±μ normal` for a tangent.
#[inline]
fn relax_row<O: Operator>(
    operator: &O,
    (k, i): (usize, usize),
    omega: f64,
    normal: f64,
    iterate: &mut Iterate,
) {
    let diagonal = operator.diagonal(k)[i];
    if diagonal <= 0.0 {
        return; // neither body can move
    }
    let old = iterate.impulses[k][i];
    let free = old - omega * operator.velocity_row(k, i, iterate) / diagonal;
    let new = match i {
        0 => free.max(0.0),
        _ => {
            let most = operator.friction(k) * normal;
            free.max(-most).min(most)
        }
    };
    operator.change(k, i, new - old, iterate);
}
