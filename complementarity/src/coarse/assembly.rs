//! The Galerkin matrix: what unit fields on the interfaces do to the bodies between them.
//!
//! A row of a contact with direction `d` and arm `m = r × d` about a body's centre adds
//! `(d, m)(d, m)ᵀ` to what the body feels of the interface. That sum `S` is symmetric and knows
//! nothing of the interface's reference; a field about it is brought to the body's centre by `T`:
//! the wrench of unit fields is `W = S T`, and the body's share of the matrix `Wᵀ M⁻¹ W`.

use drystone_base::lanes::{Kernel, Lanes, Real};

use super::{BodyBlock, CoarseBlock, LaneMatrix, Matrix6, Sums};
use crate::blocks::{Block, Blocks, NONE, V3, symmetric_times};
use crate::motion8::largest;

pub(super) struct Assemble<'a, T> {
    pub(super) problem: &'a Blocks<T>,
    pub(super) blocks: &'a [CoarseBlock<T>],
    pub(super) around: &'a [[u32; 2]],
    pub(super) bodies: &'a [BodyBlock<T>],
    /// `S` of each body on the interfaces below and above it.
    pub(super) sums: &'a mut [[Sums<T>; 2]],
    pub(super) diagonal: &'a mut [Matrix6],
    pub(super) above: &'a mut [Matrix6],
}

/// Running sums of a weighted vector and of its square: `1, v, v vᵀ`.
struct Moments<L> {
    count: L,
    sum: V3<L>,
    /// xx, yy, zz, xy, xz, yz
    square: [L; 6],
}

impl<L: Lanes> Moments<L> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            count: L::splat(0.0),
            sum: V3::zero(),
            square: [L::splat(0.0); 6],
        }
    }

    #[inline(always)]
    fn add(&mut self, weight: L, v: V3<L>) {
        let w = v.times(weight);
        self.count = self.count + weight;
        self.sum = self.sum.plus(w);
        let [xx, yy, zz, xy, xz, yz] = self.square;
        self.square = [
            xx + w.0 * v.0,
            yy + w.1 * v.1,
            zz + w.2 * v.2,
            xy + w.0 * v.1,
            xz + w.0 * v.2,
            yz + w.1 * v.2,
        ];
    }
}

/// `S` in lanes: directions by directions (xx, yy, zz, xy, xz, yz), directions by arms (row by
/// row), arms by arms (xx, yy, zz, xy, xz, yz), and three that are not used.
type RowSums<L> = [L; 24];

impl<T: Real> Kernel<T> for Assemble<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let Self {
            problem,
            blocks,
            around,
            bodies,
            sums,
            diagonal,
            above,
        } = self;
        for (block, coarse) in problem.blocks.iter().zip(blocks) {
            for side in 0..2 {
                let sums8 = row_sums::<L>(block, coarse, side);
                let rows = [
                    L::transpose([
                        sums8[0], sums8[1], sums8[2], sums8[3], sums8[4], sums8[5], sums8[6],
                        sums8[7],
                    ]),
                    L::transpose([
                        sums8[8], sums8[9], sums8[10], sums8[11], sums8[12], sums8[13], sums8[14],
                        sums8[15],
                    ]),
                    L::transpose([
                        sums8[16], sums8[17], sums8[18], sums8[19], sums8[20], sums8[21],
                        sums8[22], sums8[23],
                    ]),
                ];
                for lane in 0..8 {
                    if coarse.interface[lane] == NONE {
                        continue;
                    }
                    // a body is the upper one on the interface below it
                    let upper = (side == 1) == (coarse.sign.0[lane] > T::default());
                    let slot = block.body[side][lane] as usize;
                    let to = &mut sums[slot][usize::from(!upper)];
                    for part in 0..3 {
                        (L::load(&to[part]) + rows[part][lane]).store(&mut to[part]);
                    }
                }
            }
        }

        // eight bodies at a time to the matrix
        let (mut below, mut over, mut across): (LaneMatrix<T>, LaneMatrix<T>, LaneMatrix<T>) =
            Default::default();
        for ((block, around), sums) in bodies.iter().zip(around.chunks(8)).zip(sums.chunks(8)) {
            let (lower, upper) = (wrench::<L>(block, sums, 0), wrench::<L>(block, sums, 1));
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
                    add_lanes(&mut diagonal[under as usize], 1.0, &below, lanes.clone());
                }
                if top != NONE {
                    add_lanes(&mut diagonal[top as usize], 1.0, &over, lanes.clone());
                }
                if under != NONE && top != NONE {
                    // what lifts the body from below weighs on it from above
                    add_lanes(&mut above[under as usize], -1.0, &across, lanes);
                }
            }
        }
    }
}

/// `S` of the active rows of a block about the bodies of one side.
#[inline(always)]
fn row_sums<L: Lanes>(
    block: &Block<L::Real>,
    coarse: &CoarseBlock<L::Real>,
    side: usize,
) -> RowSums<L> {
    let zero = L::splat(0.0);
    let n = V3::<L>::load(&block.normal);
    let (mut stick, mut slide) = (Moments::<L>::new(), Moments::<L>::new());
    for k in 0..block.points as usize {
        let (point, kept) = (&block.point[k], &coarse.point[k]);
        let r = V3::<L>::load(if side == 0 { &point.ra } else { &point.rb });
        let sticks = L::load(&kept.stick);
        stick.add(sticks, r);
        slide.add(L::load(&kept.normal) - sticks, r.cross(n));
    }
    // a sticking point has rows along all three axes, with arms r × e
    let (count, r, [xx, yy, zz, xy, xz, yz]) = (stick.count, stick.sum, stick.square);
    let mut sums8 = [
        count,
        count,
        count,
        zero,
        zero,
        zero, // e eᵀ
        zero,
        r.2,
        -r.1, // x by arms
        -r.2,
        zero,
        r.0, // y by arms
        r.1,
        -r.0,
        zero, // z by arms
        yy + zz,
        xx + zz,
        xx + yy,
        -xy,
        -xz,
        -yz, // arms by arms
        zero,
        zero,
        zero,
    ];
    if largest(slide.count) > 0.0 {
        // a sliding point has its normal alone
        let (count, m) = (slide.count, slide.sum);
        let full = n.times(count);
        sums8[0] = sums8[0] + full.0 * n.0;
        sums8[1] = sums8[1] + full.1 * n.1;
        sums8[2] = sums8[2] + full.2 * n.2;
        sums8[3] = sums8[3] + full.0 * n.1;
        sums8[4] = sums8[4] + full.0 * n.2;
        sums8[5] = sums8[5] + full.1 * n.2;
        sums8[6] = sums8[6] + n.0 * m.0;
        sums8[7] = sums8[7] + n.0 * m.1;
        sums8[8] = sums8[8] + n.0 * m.2;
        sums8[9] = sums8[9] + n.1 * m.0;
        sums8[10] = sums8[10] + n.1 * m.1;
        sums8[11] = sums8[11] + n.1 * m.2;
        sums8[12] = sums8[12] + n.2 * m.0;
        sums8[13] = sums8[13] + n.2 * m.1;
        sums8[14] = sums8[14] + n.2 * m.2;
        for k in 0..6 {
            sums8[15 + k] = sums8[15 + k] + slide.square[k];
        }
    }
    sums8
}

/// `W = S T` of eight bodies on the interfaces of one side: force and torque by unit fields
/// `a + w × (x - x0)/L`, with `T` from the offset of the body's centre and the length.
#[inline(always)]
fn wrench<L: Lanes>(
    block: &BodyBlock<L::Real>,
    sums: &[[Sums<L::Real>; 2]],
    side: usize,
) -> [[L; 6]; 6] {
    let zero = L::splat(0.0);
    let mut sums8 = [zero; 24];
    for part in 0..3 {
        let mut rows = [zero; 8];
        for (row, sum) in rows.iter_mut().zip(sums) {
            *row = L::load(&sum[side][part]);
        }
        let lanes = L::transpose(rows);
        sums8[8 * part..8 * part + 8].copy_from_slice(&lanes);
    }
    let [xx, yy, zz, xy, xz, yz] = [sums8[0], sums8[1], sums8[2], sums8[3], sums8[4], sums8[5]];
    let directions = [V3(xx, xy, xz), V3(xy, yy, yz), V3(xz, yz, zz)];
    let arms = [
        V3(sums8[6], sums8[7], sums8[8]),
        V3(sums8[9], sums8[10], sums8[11]),
        V3(sums8[12], sums8[13], sums8[14]),
    ];
    let turned = [
        V3(sums8[6], sums8[9], sums8[12]),
        V3(sums8[7], sums8[10], sums8[13]),
        V3(sums8[8], sums8[11], sums8[14]),
    ];
    let [xx, yy, zz, xy, xz, yz] = [
        sums8[15], sums8[16], sums8[17], sums8[18], sums8[19], sums8[20],
    ];
    let squares = [V3(xx, xy, xz), V3(xy, yy, yz), V3(xz, yz, zz)];
    let o = V3::<L>::load(&block.offset[side]);
    let per_length = L::load(&block.per_length[side]);
    let mut out = [[zero; 6]; 6];
    for i in 0..3 {
        let force = o.cross(directions[i]).plus(arms[i]).times(per_length);
        let d = directions[i];
        out[i] = [d.0, d.1, d.2, force.0, force.1, force.2];
        let torque = o.cross(turned[i]).plus(squares[i]).times(per_length);
        let m = turned[i];
        out[3 + i] = [m.0, m.1, m.2, torque.0, torque.1, torque.2];
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
fn add_lanes<T: Real>(
    to: &mut Matrix6,
    sign: f64,
    from: &LaneMatrix<T>,
    lanes: std::ops::Range<usize>,
) {
    for i in 0..6 {
        for j in 0..6 {
            let x = &from[i][j].0;
            let sum = if lanes.len() == 8 {
                ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
            } else {
                lanes.clone().fold(T::of(0.0), |sum, lane| sum + x[lane])
            };
            to[i][j] += sign * sum.f64();
        }
    }
}
