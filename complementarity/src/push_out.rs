//! The position correction in lanes: pushes overlaps out, nothing fixated.

use drystone_base::lanes::{Dispatch, Kernel, Lanes, Real, Wide8, dispatch};

use crate::blocks::{Block, Blocks, ColdPoint, POINTS, V3};
use crate::motion8::{Motion8, largest, push};

type Cold<T> = [ColdPoint<T>; POINTS];

struct Settle<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
}

impl<T: Real> Kernel<T> for Settle<'_, T> {
    type Output = [f64; 2];
    /// Clears the last correction; returns the deepest penetration over the length and over the thickness.
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

/// Mass ratio across a contact above which a heavy load is pushed as a body of this many times the lighter one's mass \[1\].
///
/// With its own mass `M` a load gives way by `d m / M` a sweep, while the light body under it goes to and fro between the
/// load and the floor: 18000 sweeps for 18000:1, and what a blow has pressed in stays. Positions have no momentum to keep.
const PUSHED_RATIO: f64 = 10.0;

struct Correct<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    /// The blocks to treat; all where it is `None`.
    some: Option<&'a [u32]>,
    shift: &'a mut [Wide8<T>],
    slop: f64,
    /// Whether heavy loads are pushed as lighter ones.
    lighten: bool,
}

impl<T: Real> Kernel<T> for Correct<'_, T> {
    type Output = f64;
    /// Returns the largest violation met on the way, over its patch's length.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
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
            // by how much the heavier of the two is lighter here than it is
            let mut lighter = [one; 2];
            if self.lighten {
                let [own_a, own_b] = [0, 1].map(|side| L::load(&block.inverse_mass[side]));
                let ratio = L::splat(PUSHED_RATIO);
                // what is fixed stays so
                lighter = [
                    own_a.if_above(zero, one.larger(own_b.over(ratio * own_a)), one),
                    own_b.if_above(zero, one.larger(own_a.over(ratio * own_b)), one),
                ];
            }
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
                let p = n.times(new - old);
                if self.lighten {
                    push_lighter(block, [&mut a, &mut b], [ra, rb], p, lighter);
                } else {
                    push(block, &mut a, &mut b, ra, rb, p);
                }
                new.store(&mut cold[k].push);
            }
            a.scatter(self.shift, &slot_a);
            b.scatter(self.shift, &slot_b);
        }
        largest(worst)
    }
}

/// As [`push`], with masses and inertias divided by `lighter`.
#[inline(always)]
fn push_lighter<L: Lanes>(
    block: &Block<L::Real>,
    [a, b]: [&mut Motion8<L>; 2],
    [ra, rb]: [V3<L>; 2],
    p: V3<L>,
    lighter: [L; 2],
) {
    let (mut still_a, mut still_b) = (*a, *b);
    push(block, a, &mut still_b, ra, rb, p.times(lighter[0]));
    push(block, &mut still_a, b, ra, rb, p.times(lighter[1]));
}

impl<T: Dispatch> Blocks<T> {
    /// Deepest penetration, over its patch's length and over its thickness \[1\]; call before
    /// [`Self::correct`].
    pub fn settle(&mut self) -> [f64; 2] {
        let Self { blocks, cold, .. } = self;
        dispatch(Settle { blocks, cold })
    }

    /// Position correction (Erleben 2007, eq. 46, nothing fixated): `sweeps` passes that push
    /// overlaps back to the share `slop` of each patch's length, up to `rounds` times as long as each leaves clearly less to do
    /// than the one before: what cannot be solved is not pressed on. The displacements are left
    /// in `velocity` \[m, rad\]. With `lighten` heavy loads are pushed as lighter ones.
    pub fn correct(&mut self, slop: f64, sweeps: u32, rounds: u32, lighten: bool) {
        self.velocity.fill(Wide8::default());
        self.push_out(slop, sweeps, rounds, false, lighten);
    }

    /// Goes on with the correction at the bodies with a point that is deeper than the share `depth` of its
    /// patch's thickness, and leaves the others where they are.
    pub fn correct_around(&mut self, depth: f64, slop: f64, sweeps: u32, rounds: u32) {
        self.find_deep(depth);
        self.push_out(slop, sweeps, rounds, true, false);
    }

    fn push_out(&mut self, slop: f64, sweeps: u32, rounds: u32, deep: bool, lighten: bool) {
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
                    lighten,
                });
            }
            if left <= slop || left > PROGRESS * before {
                break;
            }
            before = left;
        }
    }

    /// Finds the blocks with a body that has a point deeper than `depth` times the thickness of its patch.
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
