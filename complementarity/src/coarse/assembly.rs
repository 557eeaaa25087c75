//! The Galerkin matrix: what unit fields on the interfaces do to the bodies between them.

use drystone_base::lanes::{Eight, Kernel, Lanes, Real};

use super::{BodyBlock, CoarseBlock, LaneMatrix, Matrix6};
use crate::blocks::{Blocks, NONE, V3, symmetric_times};
use crate::sweep::largest;

pub(super) struct Assemble<'a, T> {
    pub(super) problem: &'a Blocks<T>,
    pub(super) blocks: &'a [CoarseBlock<T>],
    pub(super) around: &'a [[u32; 2]],
    pub(super) bodies: &'a mut [BodyBlock<T>],
    pub(super) diagonal: &'a mut [Matrix6],
    pub(super) above: &'a mut [Matrix6],
}

/// Running sums of a weighted vector and of its square: `1, v, v vᵀ`.
struct Moments<L>([L; 10]);

impl<L: Lanes> Moments<L> {
    #[inline(always)]
    fn new() -> Self {
        Self([L::splat(0.0); 10])
    }

    #[inline(always)]
    fn add(&mut self, weight: L, v: V3<L>) {
        let w = v.times(weight);
        let sums = &mut self.0;
        sums[0] = sums[0] + weight;
        sums[1] = sums[1] + w.0;
        sums[2] = sums[2] + w.1;
        sums[3] = sums[3] + w.2;
        sums[4] = sums[4] + w.0 * v.0;
        sums[5] = sums[5] + w.1 * v.1;
        sums[6] = sums[6] + w.2 * v.2;
        sums[7] = sums[7] + w.0 * v.1;
        sums[8] = sums[8] + w.0 * v.2;
        sums[9] = sums[9] + w.1 * v.2;
    }

    #[inline(always)]
    fn store(&self, to: &mut [Eight<L::Real>; 10]) {
        for k in 0..10 {
            self.0[k].store(&mut to[k]);
        }
    }
}

impl<T: Real> Kernel<T> for Assemble<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let Self {
            problem,
            blocks,
            around,
            bodies,
            diagonal,
            above,
        } = self;
        for body in bodies.iter_mut() {
            body.stick = Default::default();
            body.wrench = Default::default();
        }

        // every patch to its bodies: sums of the sticking points, wrenches of the sliding ones
        let (mut sticks, mut slides) = ([Eight::default(); 10], LaneMatrix::<T>::default());
        for (block, coarse) in problem.blocks.iter().zip(blocks) {
            let n = V3::<L>::load(&block.normal);
            let per_length = L::load(&coarse.per_length);
            for side in 0..2 {
                let (mut stick, mut slide) = (Moments::<L>::new(), Moments::<L>::new());
                for k in 0..block.points as usize {
                    let (point, kept) = (&block.point[k], &coarse.point[k]);
                    let r = V3::<L>::load(if side == 0 { &point.ra } else { &point.rb });
                    let sticks = L::load(&kept.stick);
                    stick.add(sticks, r);
                    slide.add(L::load(&kept.normal) - sticks, r.cross(n));
                }
                stick.store(&mut sticks);
                let mut sliding = Eight::default();
                slide.0[0].store(&mut sliding);
                let some_slide = largest(slide.0[0]) > 0.0;
                if some_slide {
                    // both bodies meet the interface at the same points
                    let (ra, rb) = (
                        V3::<L>::load(&block.point[0].ra),
                        V3::<L>::load(&block.point[0].rb),
                    );
                    let offset = V3::<L>::load(&coarse.offset);
                    let across = ra.minus(rb).times(per_length);
                    let o = if side == 0 {
                        offset
                    } else {
                        offset.plus(across)
                    };
                    let sign = L::load(&coarse.sign);
                    let sign = if side == 0 { -sign } else { sign };
                    sliding_wrench(&slide, n, o, per_length, sign, &mut slides);
                }
                for lane in 0..8 {
                    let slot = block.body[side][lane] as usize;
                    if coarse.interface[lane] == NONE || problem.inverse_mass[slot] == T::default()
                    {
                        continue;
                    }
                    // a body is the upper one on the interface below it
                    let upper = (side == 1) == (coarse.sign.0[lane] > T::default());
                    let (to, which, place) = (&mut bodies[slot / 8], usize::from(!upper), slot % 8);
                    for k in 0..10 {
                        let sum = &mut to.stick[which][k].0[place];
                        *sum = *sum + sticks[k].0[lane];
                    }
                    if sliding.0[lane] > T::default() {
                        for i in 0..6 {
                            for j in 0..6 {
                                let entry = &mut to.wrench[which][i][j].0[place];
                                *entry = *entry + slides[i][j].0[lane];
                            }
                        }
                    }
                }
            }
        }

        // eight bodies at a time to the matrix: Wᵀ M⁻¹ W
        let (mut below, mut over, mut across): (LaneMatrix<T>, LaneMatrix<T>, LaneMatrix<T>) =
            Default::default();
        for (block, around) in bodies.iter_mut().zip(around.chunks(8)) {
            add_sticking::<L>(block, 0, 1.0);
            add_sticking::<L>(block, 1, -1.0);
            let (lower, upper) = (
                load_matrix::<L>(&block.wrench[0]),
                load_matrix::<L>(&block.wrench[1]),
            );
            let mobile = mobility_times::<L>(block, &lower);
            transposed_product(&mobile, &lower, &mut below);
            transposed_product(&mobile, &upper, &mut across);
            let mobile = mobility_times::<L>(block, &upper);
            transposed_product(&mobile, &upper, &mut over);
            // neighbours in memory mostly belong to one interface: add their lanes first
            let mut lane = 0;
            while lane < around.len() {
                let [under, top] = around[lane];
                let start = lane;
                while lane < around.len() && around[lane] == [under, top] {
                    lane += 1;
                }
                let lanes = start..lane;
                if under != NONE {
                    add_lanes(&mut diagonal[under as usize], &below, lanes.clone());
                }
                if top != NONE {
                    add_lanes(&mut diagonal[top as usize], &over, lanes.clone());
                }
                if under != NONE && top != NONE {
                    add_lanes(&mut above[under as usize], &across, lanes);
                }
            }
        }
    }
}

/// What sliding points feel of a unit field: `Σ (n, m) (n, ρ × n)ᵀ` with `m = r × n`, `ρ = o + r/L`.
#[inline(always)]
fn sliding_wrench<L: Lanes>(
    sums: &Moments<L>,
    n: V3<L>,
    o: V3<L>,
    per_length: L,
    sign: L,
    to: &mut LaneMatrix<L::Real>,
) {
    let [count, x, y, z, xx, yy, zz, xy, xz, yz] = sums.0;
    let turn = o.cross(n);
    let m = [x, y, z];
    let n = [n.0, n.1, n.2];
    let turn = [turn.0, turn.1, turn.2];
    let squares = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    for i in 0..3 {
        for j in 0..3 {
            let (ni, mi) = (sign * n[i], sign * m[i]);
            (count * ni * n[j]).store(&mut to[i][j]);
            (ni * (count * turn[j] + m[j] * per_length)).store(&mut to[i][3 + j]);
            (mi * n[j]).store(&mut to[3 + i][j]);
            (mi * turn[j] + sign * squares[i][j] * per_length).store(&mut to[3 + i][3 + j]);
        }
    }
}

/// Adds what the sticking points of eight bodies feel of a unit field: force `Σ a + w × ρ`,
/// torque `Σ r × (a + w × ρ)`, with `ρ = (o + r)/L`.
#[inline(always)]
fn add_sticking<L: Lanes>(block: &mut BodyBlock<L::Real>, side: usize, sign: f64) {
    let sums = &block.stick[side];
    let sign = L::splat(sign);
    let count = L::load(&sums[0]) * sign;
    let arm = V3(L::load(&sums[1]), L::load(&sums[2]), L::load(&sums[3])).times(sign);
    let (xx, yy, zz) = (
        L::load(&sums[4]) * sign,
        L::load(&sums[5]) * sign,
        L::load(&sums[6]) * sign,
    );
    let (xy, xz, yz) = (
        L::load(&sums[7]) * sign,
        L::load(&sums[8]) * sign,
        L::load(&sums[9]) * sign,
    );
    let o = V3::<L>::load(&block.offset[side]);
    let per_length = L::load(&block.per_length[side]);
    let k = o.times(count).plus(arm).times(per_length);
    let w = &mut block.wrench[side];

    add_to(&mut w[0][0], count);
    add_to(&mut w[1][1], count);
    add_to(&mut w[2][2], count);
    // -[k]x
    add_to(&mut w[0][4], k.2);
    add_to(&mut w[0][5], -k.1);
    add_to(&mut w[1][3], -k.2);
    add_to(&mut w[1][5], k.0);
    add_to(&mut w[2][3], k.1);
    add_to(&mut w[2][4], -k.0);
    // [arm]x
    add_to(&mut w[3][1], -arm.2);
    add_to(&mut w[3][2], arm.1);
    add_to(&mut w[4][0], arm.2);
    add_to(&mut w[4][2], -arm.0);
    add_to(&mut w[5][0], -arm.1);
    add_to(&mut w[5][1], arm.0);
    // -([arm]x [o]x + Σ r rᵀ - |r|²)/L, with [arm]x [o]x = o armᵀ - (o · arm)
    let dot = o.dot(arm);
    add_to(&mut w[3][3], (dot - o.0 * arm.0 + yy + zz) * per_length);
    add_to(&mut w[4][4], (dot - o.1 * arm.1 + xx + zz) * per_length);
    add_to(&mut w[5][5], (dot - o.2 * arm.2 + xx + yy) * per_length);
    add_to(&mut w[3][4], -(o.0 * arm.1 + xy) * per_length);
    add_to(&mut w[3][5], -(o.0 * arm.2 + xz) * per_length);
    add_to(&mut w[4][3], -(o.1 * arm.0 + xy) * per_length);
    add_to(&mut w[4][5], -(o.1 * arm.2 + yz) * per_length);
    add_to(&mut w[5][3], -(o.2 * arm.0 + xz) * per_length);
    add_to(&mut w[5][4], -(o.2 * arm.1 + yz) * per_length);
}

#[inline(always)]
fn add_to<L: Lanes>(to: &mut Eight<L::Real>, x: L) {
    (L::load(to) + x).store(to);
}

#[inline(always)]
fn load_matrix<L: Lanes>(from: &LaneMatrix<L::Real>) -> [[L; 6]; 6] {
    let mut out = [[L::splat(0.0); 6]; 6];
    for i in 0..6 {
        for j in 0..6 {
            out[i][j] = L::load(&from[i][j]);
        }
    }
    out
}

/// `M⁻¹ W`.
#[inline(always)]
fn mobility_times<L: Lanes>(block: &BodyBlock<L::Real>, w: &[[L; 6]; 6]) -> [[L; 6]; 6] {
    let mass = L::load(&block.inverse_mass);
    let mut out = *w;
    for k in 0..6 {
        out[0][k] = mass * w[0][k];
        out[1][k] = mass * w[1][k];
        out[2][k] = mass * w[2][k];
        let turned = symmetric_times(&block.inverse_inertia, V3(w[3][k], w[4][k], w[5][k]));
        out[3][k] = turned.0;
        out[4][k] = turned.1;
        out[5][k] = turned.2;
    }
    out
}

/// `to = Aᵀ B`.
#[inline(always)]
fn transposed_product<L: Lanes>(a: &[[L; 6]; 6], b: &[[L; 6]; 6], to: &mut LaneMatrix<L::Real>) {
    for i in 0..6 {
        for j in 0..6 {
            let sum = a[0][i] * b[0][j]
                + a[1][i] * b[1][j]
                + a[2][i] * b[2][j]
                + a[3][i] * b[3][j]
                + a[4][i] * b[4][j]
                + a[5][i] * b[5][j];
            sum.store(&mut to[i][j]);
        }
    }
}

#[inline(always)]
fn add_lanes<T: Real>(to: &mut Matrix6, from: &LaneMatrix<T>, lanes: std::ops::Range<usize>) {
    for i in 0..6 {
        for j in 0..6 {
            let x = &from[i][j].0;
            let sum = if lanes.len() == 8 {
                ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
            } else {
                lanes.clone().fold(T::of(0.0), |sum, lane| sum + x[lane])
            };
            to[i][j] += sum.f64();
        }
    }
}
