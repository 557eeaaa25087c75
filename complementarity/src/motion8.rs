//! Eight bodies or eight patches at once, in registers: what every kernel over [`Block`]s reads and
//! writes.

use drystone_base::lanes::{Lanes, Real, Wide8};

use crate::blocks::{Block, V3, symmetric_times};

/// Linear and angular velocity of eight bodies.
#[derive(Clone, Copy)]
pub(crate) struct Motion8<L> {
    pub(crate) linear: V3<L>,
    pub(crate) angular: V3<L>,
}

impl<L: Lanes> Motion8<L> {
    #[inline(always)]
    pub(crate) fn gather(from: &[Wide8<L::Real>], slot: &[u32; 8]) -> Self {
        // written out: a closure would not be compiled for the instructions of the kernel
        let rows = [
            L::load(&from[slot[0] as usize]),
            L::load(&from[slot[1] as usize]),
            L::load(&from[slot[2] as usize]),
            L::load(&from[slot[3] as usize]),
            L::load(&from[slot[4] as usize]),
            L::load(&from[slot[5] as usize]),
            L::load(&from[slot[6] as usize]),
            L::load(&from[slot[7] as usize]),
        ];
        let [vx, vy, vz, wx, wy, wz, _, _] = L::transpose(rows);
        Self {
            linear: V3(vx, vy, vz),
            angular: V3(wx, wy, wz),
        }
    }

    #[inline(always)]
    pub(crate) fn scatter(self, to: &mut [Wide8<L::Real>], slot: &[u32; 8]) {
        let (v, w, zero) = (self.linear, self.angular, L::splat(0.0));
        let rows = L::transpose([v.0, v.1, v.2, w.0, w.1, w.2, zero, zero]);
        for lane in 0..8 {
            rows[lane].store(&mut to[slot[lane] as usize]);
        }
    }

    #[inline(always)]
    pub(crate) fn at(&self, r: V3<L>) -> V3<L> {
        self.linear.plus_cross(self.angular, r)
    }
}

/// The frame and masses of a block, in registers.
#[derive(Clone, Copy)]
pub(crate) struct Frame8<L> {
    pub(crate) n: V3<L>,
    pub(crate) t1: V3<L>,
    pub(crate) t2: V3<L>,
}

impl<L: Lanes> Frame8<L> {
    #[inline(always)]
    pub(crate) fn load(block: &Block<L::Real>) -> Self {
        Self {
            n: V3::load(&block.normal),
            t1: V3::load(&block.tangent1),
            t2: V3::load(&block.tangent2),
        }
    }

    /// The impulse with these components, as a vector.
    #[inline(always)]
    pub(crate) fn vector(&self, ln: L, l1: L, l2: L) -> V3<L> {
        self.n
            .times(ln)
            .plus_times(self.t1, l1)
            .plus_times(self.t2, l2)
    }
}

/// Adds `M⁻¹ Jᵀ p` for the impulse `p` at a point: `b` gets it, `a` its opposite.
#[inline(always)]
pub(crate) fn push<L: Lanes>(
    block: &Block<L::Real>,
    a: &mut Motion8<L>,
    b: &mut Motion8<L>,
    ra: V3<L>,
    rb: V3<L>,
    p: V3<L>,
) {
    a.linear = a.linear.minus_times(p, L::load(&block.inverse_mass[0]));
    a.angular = a
        .angular
        .minus(symmetric_times(&block.inverse_inertia[0], ra.cross(p)));
    b.linear = b.linear.plus_times(p, L::load(&block.inverse_mass[1]));
    b.angular = b
        .angular
        .plus(symmetric_times(&block.inverse_inertia[1], rb.cross(p)));
}

/// The tangential impulse (`l1`, `l2`) brought back onto the disc of radius `bound`.
#[inline(always)]
pub(crate) fn onto_disc<L: Lanes>(l1: L, l2: L, bound: L) -> (L, L) {
    let square = (l1 * l1).plus_product(l2, l2);
    let scale = square.if_above(bound * bound, bound.over(square.root()), L::splat(1.0));
    (l1 * scale, l2 * scale)
}

/// The largest of eight lanes.
#[inline(always)]
pub(crate) fn largest<L: Lanes>(x: L) -> f64 {
    let mut out = Wide8::default();
    x.store(&mut out);
    out.0
        .iter()
        .fold(0.0, |most, x: &L::Real| f64::max(most, x.f64()))
}

/// The sum of eight lanes.
#[inline(always)]
pub(crate) fn sum<L: Lanes>(x: L) -> f64 {
    let mut out = Wide8::default();
    x.store(&mut out);
    out.0.iter().map(|x: &L::Real| x.f64()).sum()
}
