//! The verbs of the cone solver in lanes: prepare, begin a substep, sweep, end it; and the
//! position correction. The scalar reference is [`crate::cone`].

use drystone_base::lanes::{Dispatch, Eight, Kernel, Lanes, Real, dispatch};
use rayon::prelude::*;

use crate::blocks::{Block, BlockPoint, Blocks, ColdPoint, NONE, POINTS, V3, symmetric_times};

type Cold<T> = [ColdPoint<T>; POINTS];

/// Linear and angular velocity of eight bodies.
#[derive(Clone, Copy)]
pub(crate) struct Motion8<L> {
    pub(crate) linear: V3<L>,
    pub(crate) angular: V3<L>,
}

impl<L: Lanes> Motion8<L> {
    #[inline(always)]
    pub(crate) fn gather(from: &[Eight<L::Real>], slot: &[u32; 8]) -> Self {
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
    pub(crate) fn scatter(self, to: &mut [Eight<L::Real>], slot: &[u32; 8]) {
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

/// Lever arms of the direction `d` at both bodies.
#[inline(always)]
fn arms<L: Lanes>(ra: V3<L>, rb: V3<L>, d: V3<L>) -> [V3<L>; 2] {
    [ra.cross(d), rb.cross(d)]
}

/// What those arms do to the spins.
#[inline(always)]
fn turn<L: Lanes>(block: &Block<L::Real>, arms: [V3<L>; 2]) -> [V3<L>; 2] {
    [
        symmetric_times(&block.inverse_inertia[0], arms[0]),
        symmetric_times(&block.inverse_inertia[1], arms[1]),
    ]
}

#[inline(always)]
fn both<L: Lanes>(x: [V3<L>; 2], y: [V3<L>; 2]) -> L {
    x[0].dot(y[0]) + x[1].dot(y[1])
}

struct Prepare<'a, T>(&'a mut [Block<T>]);

struct PrepareSome<'a, T>(&'a mut [Block<T>], &'a [u32]);

impl<T: Real> Kernel<T> for PrepareSome<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for &k in self.1 {
            prepare_block::<L>(&mut self.0[k as usize]);
        }
    }
}

impl<T: Real> Kernel<T> for Prepare<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for block in self.0 {
            prepare_block::<L>(block);
        }
    }
}

/// Diagonal of A: `1/A_nn`, `1/λmax(A_tt)` and the coupling `A_tn`.
#[inline(always)]
fn prepare_block<L: Lanes>(block: &mut Block<L::Real>) {
    let frame = Frame8::<L>::load(block);
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mass = L::load(&block.inverse_mass[0]) + L::load(&block.inverse_mass[1]);
    for k in 0..block.points as usize {
        let point = &block.point[k];
        let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
        let (n, t1, t2) = (
            arms(ra, rb, frame.n),
            arms(ra, rb, frame.t1),
            arms(ra, rb, frame.t2),
        );
        let (mn, m1, m2) = (turn(block, n), turn(block, t1), turn(block, t2));
        let a_nn = mass + both(n, mn);
        let (a_11, a_22) = (mass + both(t1, m1), mass + both(t2, m2));
        let (a_12, a_1n, a_2n) = (both(t1, m2), both(t1, mn), both(t2, mn));
        let gap = a_11 - a_22;
        let spread = (gap * gap + L::splat(4.0) * a_12 * a_12).root();
        let a_tt = L::splat(0.5) * (a_11 + a_22 + spread);

        // where friction turns the point by more than the normal impulse moves it, sweeps of one after
        // the other would go to and fro: they take smaller steps there
        let slip = L::load(&block.friction) * (a_1n * a_1n + a_2n * a_2n).root();
        let a_nn = a_nn + slip.if_above(a_nn, slip, zero);

        // a lane without this point has no mass there, and keeps none
        let there = L::load(&point.mass_n).if_above(zero, one, zero);
        let tiny = L::splat(1e-30);
        let point = &mut block.point[k];
        there.over(a_nn.larger(tiny)).store(&mut point.mass_n);
        there.over(a_tt.larger(tiny)).store(&mut point.mass_t);
        a_1n.store(&mut point.coupling[0]);
        a_2n.store(&mut point.coupling[1]);
    }
}

struct Begin<'a, T> {
    blocks: &'a mut [Block<T>],
    cold: &'a [Cold<T>],
    before: &'a [Eight<T>],
    h: f64,
    zone: f64,
    bounce: bool,
}

impl<T: Real> Kernel<T> for Begin<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let (h, zone, zero) = (L::splat(self.h), L::splat(self.zone), L::splat(0.0));
        let rate = L::splat(1.0 / self.h);
        let still = L::splat(-RESTING);
        for (block, cold) in self.blocks.iter_mut().zip(self.cold) {
            let a = Motion8::<L>::gather(self.before, &block.body[0]);
            let b = Motion8::<L>::gather(self.before, &block.body[1]);
            let n = V3::<L>::load(&block.normal);
            let e = L::load(&block.restitution);
            let zone = zone * L::load(&block.length);
            let per_calm = L::load(&block.per_calm);
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let speed = n.dot(b.at(rb).minus(a.at(ra)));
                let separation = L::load(&cold[k].separation);
                // a gap may close; what meets within the substep leaves again with -e times its speed
                let gap = zero.smaller(zone - separation) * rate;
                let target = if self.bounce {
                    let bounce = still.if_above(speed * per_calm, -(e * speed), zero);
                    let meets = (zone - separation).if_above(h * speed, bounce, gap);
                    bounce.if_above(zero, meets, gap)
                } else {
                    gap
                };
                target.store(&mut block.point[k].target);
            }
        }
    }
}

struct WarmStart<'a, T> {
    blocks: &'a [Block<T>],
    velocity: &'a mut [Eight<T>],
}

impl<T: Real> Kernel<T> for WarmStart<'_, T> {
    type Output = ();
    /// Applies the impulses of all points.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for block in self.blocks {
            let mut a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let mut b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let frame = Frame8::<L>::load(block);
            for point in &block.point[..block.points as usize] {
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let impulse = frame.vector(
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                push(block, &mut a, &mut b, ra, rb, impulse);
            }
            a.scatter(self.velocity, &block.body[0]);
            b.scatter(self.velocity, &block.body[1]);
        }
    }
}

/// Approach below which nothing bounces, over that of a calm patch [1].
pub const RESTING: f64 = 2.0;

struct Sweep<'a, T> {
    blocks: &'a mut [Block<T>],
    velocity: &'a mut [Eight<T>],
    backward: bool,
}

/// One Gauss-Seidel pass over the points of a block; returns the largest violation met.
#[inline(always)]
fn solve_block<L: Lanes>(block: &mut Block<L::Real>, velocity: &mut [Eight<L::Real>]) -> L {
    let (a, b, worst) = solve_apart::<L>(block, velocity);
    a.scatter(velocity, &block.body[0]);
    b.scatter(velocity, &block.body[1]);
    worst
}

/// The same, but hands back the new velocities instead of writing them.
#[inline(always)]
fn solve_apart<L: Lanes>(
    block: &mut Block<L::Real>,
    velocity: &[Eight<L::Real>],
) -> (Motion8<L>, Motion8<L>, L) {
    let zero = L::splat(0.0);
    let mut a = Motion8::<L>::gather(velocity, &block.body[0]);
    let mut b = Motion8::<L>::gather(velocity, &block.body[1]);
    let frame = Frame8::<L>::load(block);
    let friction = L::load(&block.friction);
    let per_calm = L::load(&block.per_calm);
    let mut worst = zero;
    for k in 0..block.points as usize {
        let point: &BlockPoint<L::Real> = &block.point[k];
        let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
        let relative = b.at(rb).minus(a.at(ra));
        let short = L::load(&point.target) - frame.n.dot(relative);
        worst = worst.larger(short * per_calm);

        // normal, then both tangents with the newest normal
        let (ln, l1, l2) = (
            L::load(&point.impulse[0]),
            L::load(&point.impulse[1]),
            L::load(&point.impulse[2]),
        );
        let new_n = zero.larger(ln.plus_product(L::load(&point.mass_n), short));
        let dn = new_n - ln;
        let mass_t = L::load(&point.mass_t);
        let coupling = point.coupling;
        let y1 = frame
            .t1
            .dot(relative)
            .plus_product(L::load(&coupling[0]), dn);
        let y2 = frame
            .t2
            .dot(relative)
            .plus_product(L::load(&coupling[1]), dn);
        let (l1_free, l2_free) = (l1.minus_product(mass_t, y1), l2.minus_product(mass_t, y2));
        let (new_1, new_2) = onto_disc(l1_free, l2_free, friction * new_n);
        push(
            block,
            &mut a,
            &mut b,
            ra,
            rb,
            frame.vector(dn, new_1 - l1, new_2 - l2),
        );

        let point = &mut block.point[k];
        new_n.store(&mut point.impulse[0]);
        new_1.store(&mut point.impulse[1]);
        new_2.store(&mut point.impulse[2]);
    }
    (a, b, worst)
}

/// New velocities of the sixteen bodies of a block.
pub(crate) type Moved<T> = [[Eight<T>; 8]; 2];

/// Solves blocks of one colour without writing a velocity, so that several threads may do it.
struct SolveApart<'a, T> {
    blocks: &'a mut [Block<T>],
    velocity: &'a [Eight<T>],
    moved: &'a mut [Moved<T>],
}

impl<T: Real> Kernel<T> for SolveApart<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let mut worst = L::splat(0.0);
        for (block, moved) in self.blocks.iter_mut().zip(self.moved) {
            let (a, b, short) = solve_apart::<L>(block, self.velocity);
            a.scatter(&mut moved[0], &[0, 1, 2, 3, 4, 5, 6, 7]);
            b.scatter(&mut moved[1], &[0, 1, 2, 3, 4, 5, 6, 7]);
            worst = worst.larger(short);
        }
        largest(worst)
    }
}

impl<T: Real> Kernel<T> for Sweep<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let mut worst = L::splat(0.0);
        if self.backward {
            for block in self.blocks.iter_mut().rev() {
                worst = worst.larger(solve_block::<L>(block, self.velocity));
            }
        } else {
            for block in self.blocks.iter_mut() {
                worst = worst.larger(solve_block::<L>(block, self.velocity));
            }
        }
        largest(worst)
    }
}

/// Blocks of one colour from which they are shared out to threads, and how many each takes at a
/// time.
const SHARED_OUT: usize = 128;
const PART: usize = 32;

struct SweepSome<'a, T> {
    blocks: &'a mut [Block<T>],
    some: &'a [u32],
    velocity: &'a mut [Eight<T>],
    backward: bool,
}

impl<T: Real> Kernel<T> for SweepSome<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let mut worst = L::splat(0.0);
        for step in 0..self.some.len() {
            let k = if self.backward {
                self.some.len() - 1 - step
            } else {
                step
            };
            let block = &mut self.blocks[self.some[k] as usize];
            worst = worst.larger(solve_block::<L>(block, self.velocity));
        }
        largest(worst)
    }
}

/// The largest of eight lanes.
#[inline(always)]
pub(crate) fn largest<L: Lanes>(x: L) -> f64 {
    let mut out = Eight::default();
    x.store(&mut out);
    out.0
        .iter()
        .fold(0.0, |most, x: &L::Real| f64::max(most, x.f64()))
}

/// `ACCOUNT`: whether the work is asked for.
struct End<'a, T, const ACCOUNT: bool> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    velocity: &'a [Eight<T>],
    /// Per body: velocity at the start of the substep plus that at its end.
    both: &'a [Eight<T>],
    /// Per island: `λ·(u₀ + u₁)`, twice the work of the contacts [J]; added to.
    work: &'a mut [[f64; 3]],
    h: f64,
}

impl<T: Real, const ACCOUNT: bool> Kernel<T> for End<'_, T, ACCOUNT> {
    type Output = ();
    /// Impulses to the totals, distances to where the velocities take them, and the work of both.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let h = L::splat(self.h);
        for (block, cold) in self.blocks.iter().zip(self.cold) {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let (mut both_a, mut both_b) = (a, b);
            if ACCOUNT {
                both_a = Motion8::<L>::gather(self.both, &block.body[0]);
                both_b = Motion8::<L>::gather(self.both, &block.body[1]);
            }
            let frame = Frame8::<L>::load(block);
            let mut work = L::splat(0.0);
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                let impulse = [
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                ];
                for row in 0..3 {
                    (L::load(&cold.total[row]) + impulse[row]).store(&mut cold.total[row]);
                }
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let moved = h * frame.n.dot(b.at(rb).minus(a.at(ra)));
                (L::load(&cold.separation) + moved).store(&mut cold.separation);
                if ACCOUNT {
                    let push = frame.vector(impulse[0], impulse[1], impulse[2]);
                    work = work + push.dot(both_b.at(rb).minus(both_a.at(ra)));
                }
            }
            if !ACCOUNT {
                continue;
            }
            let mut lanes = Eight::<T>::default();
            work.store(&mut lanes);
            for lane in 0..8 {
                if block.patch[lane] != NONE {
                    self.work[block.island[lane] as usize][0] += lanes.0[lane].f64();
                }
            }
        }
    }
}

struct Reopen<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    velocity: &'a [Eight<T>],
    h: f64,
}

impl<T: Real> Kernel<T> for Reopen<'_, T> {
    type Output = ();
    /// Takes back what [`End`] did to totals and distances.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let h = L::splat(self.h);
        for (block, cold) in self.blocks.iter().zip(self.cold) {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let n = V3::<L>::load(&block.normal);
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                for row in 0..3 {
                    let sum = L::load(&cold.total[row]) - L::load(&point.impulse[row]);
                    sum.store(&mut cold.total[row]);
                }
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let moved = h * n.dot(b.at(rb).minus(a.at(ra)));
                (L::load(&cold.separation) - moved).store(&mut cold.separation);
            }
        }
    }
}

struct Settle<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
}

impl<T: Real> Kernel<T> for Settle<'_, T> {
    type Output = [f64; 2];
    /// Forgets the last correction; returns the deepest penetration over length and over thickness.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> [f64; 2] {
        let mut deepest = [L::splat(0.0); 2];
        for (block, cold) in self.blocks.iter().zip(self.cold) {
            let (length, thickness) = (L::load(&block.length), L::load(&block.thickness));
            for cold in cold.iter_mut().take(block.points as usize) {
                let depth = -L::load(&cold.separation);
                deepest[0] = deepest[0].larger(depth.over(length));
                deepest[1] = deepest[1].larger(depth.over(thickness));
                L::splat(0.0).store(&mut cold.push);
            }
        }
        deepest.map(largest)
    }
}

/// Share of the slop that the correction leaves, so that it does not come back every step.
const RELIEF: f64 = 0.5;

/// What a round of the correction may leave of the work of the one before, to be followed by another.
const PROGRESS: f64 = 0.8;

struct Correct<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    /// Which blocks; all, where it is not said.
    some: Option<&'a [u32]>,
    shift: &'a mut [Eight<T>],
    slop: f64,
}

impl<T: Real> Kernel<T> for Correct<'_, T> {
    type Output = f64;
    /// Returns the largest violation met on the way, over its patch's length.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let zero = L::splat(0.0);
        let mut worst = zero;
        let count = self.some.map_or(self.blocks.len(), <[u32]>::len);
        for k in 0..count {
            let k = self.some.map_or(k, |some| some[k] as usize);
            let (block, cold) = (&self.blocks[k], &mut self.cold[k]);
            let length = L::load(&block.length);
            let slop = L::splat(self.slop) * length;
            let relief = L::splat(RELIEF) * slop;
            let (slot_a, slot_b) = (block.body[0], block.body[1]);
            let mut a = Motion8::<L>::gather(self.shift, &slot_a);
            let mut b = Motion8::<L>::gather(self.shift, &slot_b);
            let n = V3::<L>::load(&block.normal);
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let separation = L::load(&cold[k].separation);
                let gap = separation + n.dot(b.at(rb).minus(a.at(ra)));
                // a contact deeper than the slop goes back to a share of it, the others stay above it
                let floor = (-slop).if_above(separation, relief, slop);
                let short = -(gap + floor);
                worst = worst.larger(short.over(length));
                let old = L::load(&cold[k].push);
                let new = zero.larger(old + L::load(&point.mass_n) * short);
                push(block, &mut a, &mut b, ra, rb, n.times(new - old));
                new.store(&mut cold[k].push);
            }
            a.scatter(self.shift, &slot_a);
            b.scatter(self.shift, &slot_b);
        }
        largest(worst)
    }
}

impl<T: Dispatch> Blocks<T> {
    /// Works out the diagonal of the problem, once a step.
    pub fn prepare(&mut self) {
        dispatch(Prepare(&mut self.blocks));
    }

    /// Works out the diagonal of the blocks that [`Self::follow`] has changed.
    pub fn prepare_followed(&mut self) {
        self.followed.sort_unstable();
        self.followed.dedup();
        dispatch(PrepareSome(&mut self.blocks, &self.followed));
        self.followed.clear();
    }

    /// Opens a substep of `h` seconds: targets are set, the last impulses are applied to
    /// `velocity`; as what they did to each body in the substep before, where nothing but time has
    /// passed since (`same`). Contacts closer than the share `zone` of their length count as touching.
    /// With `bounce` what meets leaves again by Newton's law, all in one solve.
    pub fn begin(&mut self, h: f64, zone: f64, same: bool, bounce: bool) {
        self.free.clear();
        self.free.extend_from_slice(&self.velocity);
        let Self {
            blocks,
            cold,
            before,
            velocity,
            carried,
            ..
        } = self;
        dispatch(Begin {
            blocks,
            cold,
            before,
            h,
            zone,
            bounce,
        });
        if same {
            // impulses that stay do again what they did to each body in the last substep
            for (velocity, carried) in velocity.iter_mut().zip(carried) {
                for (v, &change) in velocity.0.iter_mut().zip(&carried.0) {
                    *v = *v + change;
                }
            }
        } else {
            self.apply_impulses();
        }
    }

    /// Applies the impulses that the points have to `velocity`.
    pub fn apply_impulses(&mut self) {
        let Self {
            blocks, velocity, ..
        } = self;
        dispatch(WarmStart { blocks, velocity });
    }

    /// One sweep over all blocks; returns the fastest approach met on the way that is not allowed,
    /// over that of a calm patch [1].
    pub fn sweep(&mut self, backward: bool) -> f64 {
        let many = self.colours.iter().any(|colour| colour.len() >= SHARED_OUT);
        if many && rayon::current_num_threads() > 1 {
            return self.sweep_on_threads(backward);
        }
        let Self {
            blocks, velocity, ..
        } = self;
        dispatch(Sweep {
            blocks,
            velocity,
            backward,
        })
    }

    /// The same sweep, colour by colour, a large one shared out to the threads. Blocks of a colour
    /// have no moving body in common, so the result is that of [`Self::sweep`] on one thread.
    fn sweep_on_threads(&mut self, backward: bool) -> f64 {
        let mut worst = 0.0f64;
        for k in 0..self.colours.len() {
            let colour = if backward {
                self.colours[self.colours.len() - 1 - k].clone()
            } else {
                self.colours[k].clone()
            };
            let Self {
                blocks,
                velocity,
                moved,
                ..
            } = self;
            let blocks = &mut blocks[colour];
            let short = if blocks.len() < SHARED_OUT {
                dispatch(Sweep {
                    blocks,
                    velocity,
                    backward,
                })
            } else {
                moved.resize(blocks.len(), Default::default());
                let parts = blocks.par_chunks_mut(PART).zip(moved.par_chunks_mut(PART));
                let short = parts.map(|(blocks, moved)| {
                    dispatch(SolveApart {
                        blocks,
                        velocity,
                        moved,
                    })
                });
                let short = short.reduce(|| 0.0, f64::max);
                for (block, moved) in blocks.iter().zip(moved.iter()) {
                    for (slots, moved) in block.body.iter().zip(moved) {
                        for (&slot, &moved) in slots.iter().zip(moved) {
                            velocity[slot as usize] = moved;
                        }
                    }
                }
                short
            };
            worst = worst.max(short);
        }
        worst
    }

    /// The same over `some` of the blocks.
    pub fn sweep_some(&mut self, some: &[u32], backward: bool) -> f64 {
        let Self {
            blocks, velocity, ..
        } = self;
        dispatch(SweepSome {
            blocks,
            some,
            velocity,
            backward,
        })
    }

    /// Closes a substep of `h` seconds: impulses go to the totals and distances follow the velocities.
    /// Impulses that would have added energy are taken back first; those of the substep before that
    /// `held` do no work.
    pub fn end(&mut self, h: f64, held: bool) {
        if held {
            self.note_change();
            self.close::<false>(h, &mut []);
            std::mem::swap(&mut self.carried, &mut self.change);
            return;
        }
        let mut terms = self.begin_account();
        self.close::<true>(h, &mut terms);
        if self.gains(&terms) {
            let Self {
                blocks,
                cold,
                velocity,
                ..
            } = self;
            dispatch(Reopen {
                blocks,
                cold,
                velocity,
                h,
            });
            self.terms = terms;
            self.solve_on_and_take_back_gains();
            terms = self.begin_account();
            self.close::<true>(h, &mut terms);
        }
        self.terms = terms;
        std::mem::swap(&mut self.carried, &mut self.change);
    }

    fn close<const ACCOUNT: bool>(&mut self, h: f64, work: &mut [[f64; 3]]) {
        let Self {
            blocks,
            cold,
            velocity,
            summed,
            ..
        } = self;
        dispatch(End::<T, ACCOUNT> {
            blocks,
            cold,
            velocity,
            both: summed,
            work,
            h,
        });
    }

    /// Takes the present velocities for those at the start of the substep, before forces act.
    pub fn remember(&mut self) {
        self.before.clear();
        self.before.extend_from_slice(&self.velocity);
    }

    /// Deepest penetration, over its patch's length and over its thickness [1]; call before
    /// [`Self::correct`].
    pub fn settle(&mut self) -> [f64; 2] {
        let Self { blocks, cold, .. } = self;
        dispatch(Settle { blocks, cold })
    }

    /// Position correction (Erleben 2007, eq. 46, nothing fixated): `sweeps` passes that push
    /// overlaps back to the share `slop` of each patch's length, up to `rounds` times as long as each leaves clearly less to do
    /// than the one before: what cannot be solved is not pressed on. The displacements are left
    /// in `velocity` [m, rad].
    pub fn correct(&mut self, slop: f64, sweeps: u32, rounds: u32) {
        self.velocity.fill(Eight::default());
        self.push_out(slop, sweeps, rounds, false);
    }

    /// Goes on with the correction at the bodies with a point that is deeper than the share `depth` of its
    /// patch's thickness, and leaves the others where they are.
    pub fn correct_around(&mut self, depth: f64, slop: f64, sweeps: u32, rounds: u32) {
        self.find_deep(depth);
        self.push_out(slop, sweeps, rounds, true);
    }

    fn push_out(&mut self, slop: f64, sweeps: u32, rounds: u32, deep: bool) {
        let mut before = f64::INFINITY;
        for _ in 0..rounds {
            let mut left = 0.0;
            for _ in 0..sweeps {
                let Self {
                    blocks,
                    cold,
                    velocity,
                    around,
                    ..
                } = self;
                left = dispatch(Correct {
                    blocks,
                    cold,
                    some: deep.then_some(around),
                    shift: velocity,
                    slop,
                });
            }
            if left <= slop || left > PROGRESS * before {
                break;
            }
            before = left;
        }
    }

    /// The blocks with a body that has a point deeper than the share `depth` of its patch's thickness.
    fn find_deep(&mut self, depth: f64) {
        self.inside.clear();
        self.inside.resize(self.velocity.len(), false);
        for (block, cold) in self.blocks.iter().zip(&self.cold) {
            for lane in 0..8 {
                let bound = -depth * block.thickness.0[lane].f64();
                let points = cold.iter().take(block.points as usize);
                if points
                    .into_iter()
                    .any(|point| point.separation.0[lane].f64() < bound)
                {
                    for slot in [block.body[0][lane] as usize, block.body[1][lane] as usize] {
                        self.inside[slot] = self.inverse_mass[slot] > T::default();
                    }
                }
            }
        }
        self.around.clear();
        for (k, block) in self.blocks.iter().enumerate() {
            let touches = |side: &[u32; 8]| side.iter().any(|&slot| self.inside[slot as usize]);
            if touches(&block.body[0]) || touches(&block.body[1]) {
                self.around.push(k as u32);
            }
        }
    }
}
