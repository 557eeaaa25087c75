//! The cone kernel in lanes: Gauss-Seidel sweeps over blocks of eight patches. The scalar kernel of
//! the same law is `kernel::cone`.

use drystone_base::lanes::{Dispatch, Kernel, Lanes, Real, Wide8, dispatch};
use rayon::prelude::*;

use crate::blocks::{Block, BlockPoint, Blocks, V3, symmetric_times};
use crate::motion8::{Frame8, Motion8, largest, onto_disc, push};

/// Lever arms of the direction `d` at both bodies.
#[inline(always)]
fn arms<L: Lanes>(ra: V3<L>, rb: V3<L>, d: V3<L>) -> [V3<L>; 2] {
    [ra.cross(d), rb.cross(d)]
}

/// Change of the spins by unit impulses with those arms.
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

/// Prepares `some` of the blocks, or all.
struct Prepare<'a, T> {
    blocks: &'a mut [Block<T>],
    some: Option<&'a [u32]>,
}

impl<T: Real> Kernel<T> for Prepare<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for k in 0..self.some.map_or(self.blocks.len(), <[u32]>::len) {
            let k = self.some.map_or(k, |some| some[k] as usize);
            prepare_block::<L>(&mut self.blocks[k]);
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

/// Sweeps over `some` of the blocks, or all.
struct Sweep<'a, T> {
    blocks: &'a mut [Block<T>],
    some: Option<&'a [u32]>,
    velocity: &'a mut [Wide8<T>],
    backward: bool,
}

impl<T: Real> Kernel<T> for Sweep<'_, T> {
    type Output = f64;
    /// Returns the largest violation met.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let mut worst = L::splat(0.0);
        let count = self.some.map_or(self.blocks.len(), <[u32]>::len);
        for step in 0..count {
            let k = if self.backward {
                count - 1 - step
            } else {
                step
            };
            let k = self.some.map_or(k, |some| some[k] as usize);
            worst = worst.larger(solve_block::<L>(&mut self.blocks[k], self.velocity));
        }
        largest(worst)
    }
}

/// One Gauss-Seidel pass over the points of a block; returns the largest violation met.
#[inline(always)]
fn solve_block<L: Lanes>(block: &mut Block<L::Real>, velocity: &mut [Wide8<L::Real>]) -> L {
    let (a, b, worst) = solve_apart::<L>(block, velocity);
    a.scatter(velocity, &block.body[0]);
    b.scatter(velocity, &block.body[1]);
    worst
}

/// As [`solve_block`], but returns the new velocities instead of writing them.
#[inline(always)]
fn solve_apart<L: Lanes>(
    block: &mut Block<L::Real>,
    velocity: &[Wide8<L::Real>],
) -> (Motion8<L>, Motion8<L>, L) {
    let zero = L::splat(0.0);
    let mut a = Motion8::<L>::gather(velocity, &block.body[0]);
    let mut b = Motion8::<L>::gather(velocity, &block.body[1]);
    let frame = Frame8::<L>::load(block);
    let friction = L::load(&block.friction);
    let per_calm_speed = L::load(&block.per_calm_speed);
    let mut worst = zero;
    for k in 0..block.points as usize {
        let point: &BlockPoint<L::Real> = &block.point[k];
        let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
        let relative = b.at(rb).minus(a.at(ra));
        let short = L::load(&point.target) - frame.n.dot(relative);
        worst = worst.larger(short * per_calm_speed);

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
pub(crate) type Moved<T> = [[Wide8<T>; 8]; 2];

/// Solves blocks of one colour without writing a velocity, so that several threads may do it.
struct SolveApart<'a, T> {
    blocks: &'a mut [Block<T>],
    velocity: &'a [Wide8<T>],
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

/// Blocks of one colour from which they are shared out to threads, and how many each takes at a
/// time.
const SHARED_OUT: usize = 128;
const PART: usize = 32;

impl<T: Dispatch> Blocks<T> {
    /// Works out the diagonal of the problem, once a step.
    pub fn prepare(&mut self) {
        dispatch(Prepare {
            blocks: &mut self.blocks,
            some: None,
        });
    }

    /// Works out the diagonal of the blocks that [`Self::follow`] has changed.
    pub fn prepare_followed(&mut self) {
        self.followed.sort_unstable();
        self.followed.dedup();
        dispatch(Prepare {
            blocks: &mut self.blocks,
            some: Some(&self.followed),
        });
        self.followed.clear();
    }

    /// One sweep over all blocks; returns the fastest approach met on the way that is not allowed,
    /// over that of a calm patch \[1\].
    pub fn sweep(&mut self, backward: bool) -> f64 {
        let many = self.colours.iter().any(|colour| colour.len() >= SHARED_OUT);
        if many && rayon::current_num_threads() > 1 {
            return self.sweep_on_threads(backward);
        }
        self.sweep_blocks(None, backward)
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
                    some: None,
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

    /// A sweep over `some` of the blocks.
    pub fn sweep_some(&mut self, some: &[u32], backward: bool) -> f64 {
        self.sweep_blocks(Some(some), backward)
    }

    fn sweep_blocks(&mut self, some: Option<&[u32]>, backward: bool) -> f64 {
        let Self {
            blocks, velocity, ..
        } = self;
        dispatch(Sweep {
            blocks,
            some,
            velocity,
            backward,
        })
    }
}
