//! Contact patches eight at a time: the data of the cone solver in lanes.
//!
//! A patch is at most four points of one pair of bodies that share a normal. Patches are
//! coloured so that the eight of a block share no moving body, which makes their Gauss-Seidel
//! updates independent. Velocities and impulses are relative to body centres, so that `f32`
//! lanes keep seven digits of what matters wherever the scene is.

use std::ops::Range;

use drystone_base::lanes::{Lanes, Real, Wide8};
use drystone_base::{Symmetric3, Vec3, tangents};

/// Most points of a patch.
pub const POINTS: usize = 4;
/// No coarse level, no patch.
pub const NONE: u32 = u32::MAX;
/// Patches of one body beyond this many are solved one at a time.
const COLOURS: usize = 63;

/// A point of a patch to be solved.
#[derive(Clone, Copy, Debug)]
pub struct PointInput {
    /// From the centre of `a` to the point, world \[m\].
    pub ra: Vec3,
    /// From the centre of `b` to the point, world \[m\].
    pub rb: Vec3,
    /// Signed distance \[m\].
    pub separation: f64,
    /// Impulse on `b` to start from, world \[N s\].
    pub impulse: Vec3,
}

/// A patch to be solved.
#[derive(Clone, Copy, Debug)]
pub struct PatchInput {
    /// Slots of the two bodies.
    pub bodies: [u32; 2],
    /// Unit vector from `a` to `b`.
    pub normal: Vec3,
    /// Coulomb's coefficient \[1\].
    pub friction: f64,
    /// Newton's coefficient \[1\].
    pub restitution: f64,
    /// Island of the patch: bodies that contacts join share one.
    pub island: u32,
    /// Length that gaps and small depths are relative to \[m\].
    pub length: f64,
    /// Thickness that large depths are relative to \[m\].
    pub thickness: f64,
    /// Approach speed below which the patch counts as at rest \[m/s\].
    pub calm_speed: f64,
    /// Coarse interface of the patch, or [`NONE`].
    pub interface: u32,
    /// Whether `b` is the upper body of the interface.
    pub upward: bool,
}

/// A body to be solved.
#[derive(Clone, Copy, Debug)]
pub struct BodyInput {
    /// \[1/kg\]; zero for what contacts do not move.
    pub inverse_mass: f64,
    /// Inverse inertia, world axes \[1/(kg m²)\].
    pub inverse_inertia: Symmetric3,
}

/// Three lanes as a vector.
#[derive(Clone, Copy)]
pub(crate) struct V3<L>(pub(crate) L, pub(crate) L, pub(crate) L);

impl<L: Lanes> V3<L> {
    #[inline(always)]
    pub(crate) fn load(from: &[Wide8<L::Real>; 3]) -> Self {
        Self(L::load(&from[0]), L::load(&from[1]), L::load(&from[2]))
    }
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self(L::splat(0.0), L::splat(0.0), L::splat(0.0))
    }
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> L {
        (self.0 * other.0)
            .plus_product(self.1, other.1)
            .plus_product(self.2, other.2)
    }
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self(
            (self.1 * other.2).minus_product(self.2, other.1),
            (self.2 * other.0).minus_product(self.0, other.2),
            (self.0 * other.1).minus_product(self.1, other.0),
        )
    }
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }
    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1, self.2 - other.2)
    }
    #[inline(always)]
    pub(crate) fn times(self, factor: L) -> Self {
        Self(self.0 * factor, self.1 * factor, self.2 * factor)
    }
    #[inline(always)]
    pub(crate) fn plus_times(self, other: Self, factor: L) -> Self {
        Self(
            self.0.plus_product(other.0, factor),
            self.1.plus_product(other.1, factor),
            self.2.plus_product(other.2, factor),
        )
    }
    #[inline(always)]
    pub(crate) fn minus_times(self, other: Self, factor: L) -> Self {
        Self(
            self.0.minus_product(other.0, factor),
            self.1.minus_product(other.1, factor),
            self.2.minus_product(other.2, factor),
        )
    }
    /// `self + x × y`
    #[inline(always)]
    pub(crate) fn plus_cross(self, x: Self, y: Self) -> Self {
        Self(
            self.0.plus_product(x.1, y.2).minus_product(x.2, y.1),
            self.1.plus_product(x.2, y.0).minus_product(x.0, y.2),
            self.2.plus_product(x.0, y.1).minus_product(x.1, y.0),
        )
    }
}

/// A symmetric matrix (xx, yy, zz, xy, xz, yz) times a vector.
#[inline(always)]
pub(crate) fn symmetric_times<L: Lanes>(m: &[Wide8<L::Real>; 6], v: V3<L>) -> V3<L> {
    let (xy, xz, yz) = (L::load(&m[3]), L::load(&m[4]), L::load(&m[5]));
    let (xx, yy, zz) = (L::load(&m[0]), L::load(&m[1]), L::load(&m[2]));
    V3(
        (xx * v.0).plus_product(xy, v.1).plus_product(xz, v.2),
        (xy * v.0).plus_product(yy, v.1).plus_product(yz, v.2),
        (xz * v.0).plus_product(yz, v.1).plus_product(zz, v.2),
    )
}

/// One point of each of eight patches: what a sweep reads and writes. A lane without the point
/// has zero masses and a target that nothing violates.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct BlockPoint<T> {
    // written by `build` and `follow`
    pub(crate) ra: [Wide8<T>; 3],
    pub(crate) rb: [Wide8<T>; 3],
    // written by `build`, and by `prepare_followed` for patches that turned
    /// Inverse of the diagonal entry of the normal row, `1 / A_nn` \[kg\].
    pub(crate) mass_n: Wide8<T>,
    /// 1 / largest eigenvalue of A_tt \[kg\]
    pub(crate) mass_t: Wide8<T>,
    /// A_tn: what a normal impulse does along the tangents \[1/kg\]
    pub(crate) coupling: [Wide8<T>; 2],
    /// Normal velocity to reach at least \[m/s\]. Written by `begin`, `aim` and `reflect_impacts`.
    pub(crate) target: Wide8<T>,
    /// Impulse along n, t1, t2 \[N s\]. Written by sweeps, and scaled by `take_back_gains`.
    pub(crate) impulse: [Wide8<T>; 3],
}

/// Data of a point that only the begin and the end of a substep read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColdPoint<T> {
    /// Impulses of all substeps so far \[N s\]. Added to by `end` and `reflect_impacts`.
    pub(crate) total: [Wide8<T>; 3],
    /// Signed distance \[m\]. Written by `build`, `follow` and `end`.
    pub(crate) separation: Wide8<T>,
    /// Impulses that are kept aside while impacts are solved \[N s\]. Written by `keep_impulses`.
    pub(crate) kept: [Wide8<T>; 3],
    /// Share of its impulse that the point gives back in this round of impacts \[1\]. Written by `reflect_impacts`.
    pub(crate) bounce: Wide8<T>,
    /// Normal displacement impulse of the position correction \[kg m\]. Written by `push_out.rs`.
    pub(crate) push: Wide8<T>,
}

/// Eight patches without a moving body in common. Written by `build`; the inertia also by `follow`.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Block<T> {
    pub(crate) normal: [Wide8<T>; 3],
    pub(crate) tangent1: [Wide8<T>; 3],
    pub(crate) tangent2: [Wide8<T>; 3],
    pub(crate) inverse_mass: [Wide8<T>; 2],
    pub(crate) inverse_inertia: [[Wide8<T>; 6]; 2],
    pub(crate) friction: Wide8<T>,
    pub(crate) restitution: Wide8<T>,
    /// Lengths that gaps and small depths, and large depths, are relative to \[m\].
    pub(crate) length: Wide8<T>,
    pub(crate) thickness: Wide8<T>,
    /// One over the calm speed of the patch \[s/m\].
    pub(crate) per_calm_speed: Wide8<T>,
    pub(crate) point: [BlockPoint<T>; POINTS],
    pub(crate) body: [[u32; 8]; 2],
    /// By lane, its patch or [`NONE`], and the island of the patch.
    pub(crate) patch: [u32; 8],
    pub(crate) island: [u32; 8],
    /// Largest number of points in a lane.
    pub(crate) points: u32,
}

/// Separation of a point that is not there \[m\].
pub(crate) const FAR: f64 = 1e6;

/// Writes a vector into a lane.
#[inline(always)]
fn put<T: Real>(to: &mut [Wide8<T>; 3], lane: usize, v: Vec3) {
    to[0].0[lane] = T::of(v.x);
    to[1].0[lane] = T::of(v.y);
    to[2].0[lane] = T::of(v.z);
}

/// The six entries of a symmetric matrix, in the order of the lanes.
fn entries<T: Real>(i: &Symmetric3) -> [T; 6] {
    [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz].map(T::of)
}

impl<T: Real> Block<T> {
    fn put_inertia(&mut self, side: usize, lane: usize, inverse: &[T; 6]) {
        for (entry, &value) in self.inverse_inertia[side].iter_mut().zip(inverse) {
            entry.0[lane] = value;
        }
    }

    /// Takes points `from..` out of a lane.
    fn clear_points(&mut self, cold: &mut [ColdPoint<T>; POINTS], lane: usize, from: usize) {
        for (point, cold) in self.point.iter_mut().zip(cold).skip(from) {
            point.mass_n.0[lane] = T::of(0.0);
            point.mass_t.0[lane] = T::of(0.0);
            point.target.0[lane] = T::of(-FAR);
            cold.separation.0[lane] = T::of(FAR);
            for row in 0..3 {
                point.impulse[row].0[lane] = T::of(0.0);
                cold.total[row].0[lane] = T::of(0.0);
                // arms that multiply to zero, whatever was there
                point.ra[row].0[lane] = T::of(0.0);
                point.rb[row].0[lane] = T::of(0.0);
            }
        }
    }

    /// Leaves a lane to nobody.
    fn clear_lane(&mut self, cold: &mut [ColdPoint<T>; POINTS], lane: usize, dummy: u32) {
        self.body[0][lane] = dummy;
        self.body[1][lane] = dummy;
        self.friction.0[lane] = T::of(0.0);
        self.restitution.0[lane] = T::of(0.0);
        self.length.0[lane] = T::of(1.0);
        self.thickness.0[lane] = T::of(1.0);
        self.per_calm_speed.0[lane] = T::of(0.0);
        put(&mut self.normal, lane, Vec3::ZERO);
        put(&mut self.tangent1, lane, Vec3::ZERO);
        put(&mut self.tangent2, lane, Vec3::ZERO);
        for side in 0..2 {
            self.inverse_mass[side].0[lane] = T::of(0.0);
            self.inverse_inertia[side]
                .iter_mut()
                .for_each(|entry| entry.0[lane] = T::of(0.0));
        }
        self.clear_points(cold, lane, 0);
    }
}

/// A contact problem in blocks, with the velocities it works on.
#[derive(Clone, Debug, Default)]
pub struct Blocks<T> {
    pub(crate) blocks: Vec<Block<T>>,
    pub(crate) cold: Vec<[ColdPoint<T>; POINTS]>,
    /// Per body slot: linear and angular velocity, two unused. The last slot is a dummy. Written by the caller between
    /// substeps, by `begin` and by sweeps.
    pub velocity: Vec<Wide8<T>>,
    /// Velocities at the end of the substep before. Written by `remember`.
    pub(crate) before: Vec<Wide8<T>>,
    /// Velocities in this substep without contacts, written by `begin`, and what contacts changed in the one before,
    /// written by `end`.
    pub(crate) free: Vec<Wide8<T>>,
    pub(crate) carried: Vec<Wide8<T>>,
    // written by `build`, and by `follow` for bodies that turned
    pub(crate) inverse_mass: Vec<T>,
    pub(crate) inverse_inertia: Vec<[T; 6]>,
    /// By patch, its place: block * 8 + lane. Written by `build`.
    pub(crate) place: Vec<u32>,
    /// What was coloured: the number of bodies, and for each patch its two and whether they move.
    bodies: usize,
    joined: Vec<[(u32, bool); 2]>,
    /// Blocks of each colour; those of one have no moving body in common. Written by `colour`.
    pub(crate) colours: Vec<Range<usize>>,
    /// Velocities that several threads found, before they are written.
    pub(crate) moved: Vec<crate::sweep::Moved<T>>,
    /// Blocks in which something approaches. Written by `reflect_impacts`.
    pub(crate) impacts: Vec<u32>,
    /// Number of islands, and by body its island or [`NONE`].
    pub(crate) islands: usize,
    pub(crate) body_island: Vec<u32>,
    /// Memory of [`Blocks::take_back_gains`]: per body a sum and a change of velocities, per island its
    /// terms.
    pub(crate) summed: Vec<Wide8<T>>,
    pub(crate) change: Vec<Wide8<T>>,
    pub(crate) terms: Vec<[f64; 3]>,
    /// Memory of [`Blocks::correct_around`]: per body whether it has a deep point, and the blocks of such bodies.
    pub(crate) inside: Vec<bool>,
    pub(crate) around: Vec<u32>,
    /// Blocks that [`Self::follow`] has changed.
    pub(crate) followed: Vec<u32>,
    colour_of: Vec<u8>,
    used: Vec<u64>,
    fill: Vec<u32>,
}

impl<T: Real> Blocks<T> {
    /// Lays out the problem: `patches` with their points (`points(k)` for patch k) over `bodies`.
    pub fn build<I: ExactSizeIterator<Item = PointInput>>(
        &mut self,
        bodies: &[BodyInput],
        patches: &[PatchInput],
        points: impl Fn(usize) -> I,
    ) {
        // bodies, and one more that nothing moves
        let dummy = bodies.len() as u32;
        self.velocity.clear();
        self.velocity.resize(bodies.len() + 1, Wide8::default());
        self.free.clear();
        self.inverse_mass.clear();
        self.inverse_inertia.clear();
        for body in bodies {
            self.inverse_mass.push(T::of(body.inverse_mass));
            self.inverse_inertia.push(entries(&body.inverse_inertia));
        }
        self.inverse_mass.push(T::of(0.0));
        self.inverse_inertia.push([T::of(0.0); 6]);

        let same = self.same_bodies(bodies, patches);
        if !same {
            self.colour(bodies, patches);
        }
        for block in &mut self.blocks {
            block.points = 0;
        }

        // which body belongs to which island
        let islands = patches.iter().map(|patch| patch.island as usize + 1);
        self.islands = islands.max().unwrap_or(0);
        self.body_island.clear();
        self.body_island.resize(bodies.len() + 1, NONE);
        for patch in patches {
            for slot in patch.bodies.map(|slot| slot as usize) {
                if bodies[slot].inverse_mass > 0.0 {
                    self.body_island[slot] = patch.island;
                }
            }
        }

        // one patch after the other into its lane
        for (k, patch) in patches.iter().enumerate() {
            let place = self.place[k] as usize;
            let (block, cold, lane) = (
                &mut self.blocks[place / 8],
                &mut self.cold[place / 8],
                place % 8,
            );
            block.patch[lane] = k as u32;
            block.island[lane] = patch.island;
            let (t1, t2) = tangents(patch.normal);
            put(&mut block.normal, lane, patch.normal);
            put(&mut block.tangent1, lane, t1);
            put(&mut block.tangent2, lane, t2);
            block.friction.0[lane] = T::of(patch.friction);
            block.restitution.0[lane] = T::of(patch.restitution);
            block.length.0[lane] = T::of(patch.length);
            block.thickness.0[lane] = T::of(patch.thickness);
            block.per_calm_speed.0[lane] = T::of(1.0 / patch.calm_speed);
            for side in 0..2 {
                let slot = patch.bodies[side] as usize;
                block.body[side][lane] = patch.bodies[side];
                block.inverse_mass[side].0[lane] = self.inverse_mass[slot];
                block.put_inertia(side, lane, &self.inverse_inertia[slot]);
            }
            let points = points(k);
            let count = points.len();
            block.points = block.points.max(count as u32);
            for ((to, cold), from) in block.point.iter_mut().zip(cold.iter_mut()).zip(points) {
                put(&mut to.ra, lane, from.ra);
                put(&mut to.rb, lane, from.rb);
                cold.separation.0[lane] = T::of(from.separation);
                // a point that exists: the masses are worked out in lanes, see `prepare`
                to.mass_n.0[lane] = T::of(1.0);
                to.impulse[0].0[lane] = T::of(from.impulse.dot(patch.normal).max(0.0));
                to.impulse[1].0[lane] = T::of(from.impulse.dot(t1));
                to.impulse[2].0[lane] = T::of(from.impulse.dot(t2));
                cold.total
                    .iter_mut()
                    .for_each(|row| row.0[lane] = T::of(0.0));
            }
            block.clear_points(cold, lane, count);
        }
        if same {
            return; // empty lanes are still empty
        }
        for (block, cold) in self.blocks.iter_mut().zip(&mut self.cold) {
            for lane in 0..8 {
                if block.patch[lane] == NONE {
                    block.clear_lane(cold, lane, dummy);
                }
            }
        }
    }

    /// Updates patch `k` after its bodies have turned: the inertia of `bodies`, and arms and
    /// distances of `points`, if there are any. Impulses stay. Call [`Self::prepare_followed`]
    /// after the last one.
    pub fn follow(
        &mut self,
        k: usize,
        bodies: &[BodyInput],
        patch: &PatchInput,
        points: impl Iterator<Item = PointInput>,
    ) {
        let place = self.place[k] as usize;
        let (block, cold, lane) = (
            &mut self.blocks[place / 8],
            &mut self.cold[place / 8],
            place % 8,
        );
        for side in 0..2 {
            let slot = patch.bodies[side] as usize;
            self.inverse_inertia[slot] = entries(&bodies[slot].inverse_inertia);
            block.put_inertia(side, lane, &self.inverse_inertia[slot]);
        }
        for ((to, cold), from) in block.point.iter_mut().zip(cold).zip(points) {
            put(&mut to.ra, lane, from.ra);
            put(&mut to.rb, lane, from.rb);
            cold.separation.0[lane] = T::of(from.separation);
        }
        self.followed.push((place / 8) as u32);
    }

    /// Sets the normal velocity that each point is to reach at least: `target(patch, point)`
    /// \[m/s\].
    pub fn aim(&mut self, target: impl Fn(usize, usize) -> f64) {
        for block in &mut self.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                for (k, point) in block.point.iter_mut().enumerate() {
                    // a lane without this point has no mass there
                    if point.mass_n.0[lane] > T::default() {
                        point.target.0[lane] = T::of(target(block.patch[lane] as usize, k));
                    }
                }
            }
        }
    }

    /// Whether the contacts of this substep have changed nothing of the body in `slot`.
    pub fn is_free(&self, slot: usize) -> bool {
        self.velocity[slot] == self.free[slot]
    }

    /// How many blocks of eight patches there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether the patches join the same bodies as last time, so that the colours still hold.
    fn same_bodies(&mut self, bodies: &[BodyInput], patches: &[PatchInput]) -> bool {
        let key = |patch: &PatchInput| {
            patch
                .bodies
                .map(|slot| (slot, bodies[slot as usize].inverse_mass > 0.0))
        };
        let same = self.bodies == bodies.len()
            && self.joined.len() == patches.len()
            && self
                .joined
                .iter()
                .zip(patches)
                .all(|(old, patch)| *old == key(patch));
        if !same {
            self.bodies = bodies.len();
            self.joined.clear();
            self.joined.extend(patches.iter().map(key));
        }
        same
    }

    /// Gives every patch a block and a lane: greedy colours in the order of the patches.
    fn colour(&mut self, bodies: &[BodyInput], patches: &[PatchInput]) {
        self.used.clear();
        self.used.resize(bodies.len() + 1, 0);
        self.colour_of.clear();
        self.fill.clear();
        self.fill.resize(COLOURS + 1, 0);
        for patch in patches {
            let [a, b] = patch.bodies.map(|slot| slot as usize);
            let moves = |slot: usize| bodies[slot].inverse_mass > 0.0;
            let mut taken = 0;
            for slot in [a, b] {
                if moves(slot) {
                    taken |= self.used[slot];
                }
            }
            let colour = (taken.trailing_ones() as usize).min(COLOURS);
            for slot in [a, b] {
                if moves(slot) && colour < COLOURS {
                    self.used[slot] |= 1 << colour;
                }
            }
            self.colour_of.push(colour as u8);
            self.fill[colour] += 1;
        }

        // blocks of each colour in turn; the last colour holds one patch a block
        let mut blocks = 0;
        self.colours.clear();
        for (colour, fill) in self.fill.iter_mut().enumerate() {
            let (first, count) = (blocks, *fill);
            *fill = blocks * 8;
            if colour < COLOURS {
                blocks += count.div_ceil(8);
                self.colours.push(first as usize..blocks as usize);
            } else {
                blocks += count;
                let alone = first as usize..blocks as usize;
                self.colours.extend(alone.map(|block| block..block + 1));
            }
        }
        self.colours.retain(|colour| !colour.is_empty());
        self.place.clear();
        for &colour in &self.colour_of {
            let colour = colour as usize;
            self.place.push(self.fill[colour]);
            self.fill[colour] += if colour < COLOURS { 1 } else { 8 };
        }
        self.blocks.resize_with(blocks as usize, Block::default);
        self.cold.resize_with(blocks as usize, Default::default);
        for block in &mut self.blocks {
            block.patch = [NONE; 8];
        }
    }

    /// Impulse of point `point` of patch `patch` along normal and tangents, summed over all
    /// substeps \[N s\].
    #[inline]
    pub fn total_impulse(&self, patch: usize, point: usize) -> [f64; 3] {
        let (block, lane) = (
            self.place[patch] as usize / 8,
            self.place[patch] as usize % 8,
        );
        let total = &self.cold[block][point].total;
        [0, 1, 2].map(|row| total[row].0[lane].f64())
    }

    /// As [`Self::total_impulse`], and sets the sum to zero.
    #[inline]
    pub fn take_total(&mut self, patch: usize, point: usize) -> [f64; 3] {
        let found = self.total_impulse(patch, point);
        let place = self.place[patch] as usize;
        let total = &mut self.cold[place / 8][point].total;
        for row in total {
            row.0[place % 8] = T::of(0.0);
        }
        found
    }

    /// Impulse of the last substep alone.
    #[inline]
    pub fn last_impulse(&self, patch: usize, point: usize) -> [f64; 3] {
        let (block, lane) = (
            self.place[patch] as usize / 8,
            self.place[patch] as usize % 8,
        );
        let last = &self.blocks[block].point[point].impulse;
        [0, 1, 2].map(|row| last[row].0[lane].f64())
    }
}
