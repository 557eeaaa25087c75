//! Direct solver for islands that sweeps do not solve: augmented Lagrangian and semismooth
//! Newton in the velocities, in double precision.
//!
//! Impulses enter as multipliers `λ` of the rows `u = J v` of each point. For given `λ` the
//! velocities minimise the convex function
//!
//! `½ (v − v_free)ᵀ M (v − v_free) + Σ |p|² / 2ρ`,
//! `p = K_μ of (λ − ρ (u + (μ |u_t| − target) n))`
//!
//! where `K_μ` of a vector is the nearest point of the friction cone (Alart 1991 with the change
//! of variable of De Saxce 1998). The lift `μ |u_t|` takes the normal motion back that a cone
//! couples to slip; it lags behind by one iteration, so that the problem stays convex. Where
//! contacts stick it is zero, and nothing lags. (Tried and lost: Tresca's friction, discs whose
//! radius lags. Under a heavy load many radii start from nothing or from what slow sweeps left,
//! and 100 factorisations did not solve what the cone solves in 50.)
//!
//! Newton's matrix `M + ρ Jᵀ D J`, with `D` the derivative of the projection, is symmetric and
//! positive definite; `cholesky` factors it, and a line search along the exact derivative makes
//! every iteration descend. Then `λ ← p`, and again with a larger `ρ` until the natural residual
//! in units of velocity is below a tolerance. The solution is that of the sweeps: `u_n ≥ target`
//! complementary to `λ_n`, friction on the disc of radius `μ λ_n` against the slip.
//!
//! Mass ratios do not matter, because `ρ` is scaled by the mass of the island; nor do redundant
//! points, because impulses are no unknowns of the linear system.

mod cholesky;

use drystone_base::lanes::{Eight, Kernel, Lanes, Real, dispatch};
use drystone_base::{Symmetric3, Vec3};

use crate::blocks::{Blocks, NONE};
use crate::cone::onto_disc;
use cholesky::{Block6, Cholesky, Place};

/// `ρ` over the mass of the island: first, last, and its growth from one set of multipliers to
/// the next [1].
const STIFFNESS: (f64, f64) = (1.0, 1e2);
const GROWTH: f64 = 10.0;
/// An island that is not solved is left as it was unless this share of its residual is gone.
const WORTH: f64 = 0.5;
/// Share of the tolerance to which Newton's equation is solved for given multipliers.
const INNER: f64 = 0.1;
/// Newton iterations for one set of multipliers.
const INNER_MOST: u32 = 100;
/// The line search is content with this share of the first slope, or after so many trials.
const SLOPE: f64 = 0.1;
const TRIALS: u32 = 20;
/// Least share of the tolerance: with less, rounding is all that is left.
const LEAST: f64 = 1e-4;
/// Inertia of a direction that cannot turn, over the largest of the body [1].
const LOCKED: f64 = 1e9;

/// Rounding of a relative velocity, as a share of the fastest.
const ROUNDING: f64 = 1e-15;

type Six = Eight<f64>;

/// How much work a call of [`Newton::solve`] may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Factorisations for one island.
    pub factorisations: u32,
    /// Floating-point operations of one factorisation; islands that need more are left alone.
    pub flops: f64,
    /// The same of all factorisations for one island.
    pub work: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            factorisations: 300,
            flops: 5e7,
            work: 2e9,
        }
    }
}

/// What a call of [`Newton::solve`] has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Islands above the tolerance.
    pub islands: u32,
    /// How many of them were too large to be factored.
    pub too_large: u32,
    /// Updates of the multipliers, over all islands.
    pub iterations: u32,
    /// Newton iterations, over all islands.
    pub factorisations: u32,
    /// Natural residual of the worst contact before [m/s].
    pub before: f64,
    /// The same after [m/s].
    pub residual: f64,
    /// Whether no contact is above the tolerance.
    pub solved: bool,
}

/// A body of the island in hand.
#[derive(Clone, Copy, Debug)]
struct Body {
    slot: u32,
    inverse_mass: f64,
    inverse_inertia: Symmetric3,
    mass: f64,
    inertia: Symmetric3,
    /// Longest arm of its contacts [m].
    reach: f64,
}

/// A point of the island in hand.
#[derive(Clone, Debug)]
struct Point {
    /// Indices of the bodies in the island, or [`NONE`].
    body: [u32; 2],
    /// Rows n, t1, t2 of the Jacobian for each body.
    rows: [[Six; 3]; 2],
    /// What bodies that contacts do not move add to the relative velocity [m/s].
    bias: [f64; 3],
    target: f64,
    friction: f64,
    /// 1 / A_nn and 1 / largest eigenvalue of A_tt [kg].
    mass: [f64; 2],
    /// Multipliers along n, t1, t2 [N s].
    lambda: [f64; 3],
    /// `μ |u_t|` of the multipliers before [m/s].
    lift: f64,
    /// Relative velocity, and its change along the direction of search [m/s].
    u: [f64; 3],
    change: [f64; 3],
    /// Best impulses so far [N s].
    best: [f64; 3],
    /// Block, lane and number of the point.
    at: (u32, u8, u8),
    place: Option<Place>,
}

/// The solver with its memory; keep it to solve the same or similar problems without allocation.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    // per slot of the problem
    free: Vec<Six>,
    velocity: Vec<Six>,
    parent: Vec<u32>,
    worst: Vec<f64>,
    local: Vec<u32>,
    /// (island, slot) and (island, block * 8 + lane) of what is to be solved.
    members: Vec<(u32, u32)>,
    patches: Vec<(u32, u32)>,
    /// One factor for each island solved in a call.
    factors: Vec<Cholesky>,
    island: Island,
}

/// The island in hand.
#[derive(Clone, Debug, Default)]
struct Island {
    bodies: Vec<Body>,
    points: Vec<Point>,
    edges: Vec<[u32; 2]>,
    free: Vec<Six>,
    v: Vec<Six>,
    gradient: Vec<Six>,
    direction: Vec<Six>,
    trial: Vec<Six>,
    scratch: Vec<Six>,
    stiffness: f64,
    mass: f64,
}

#[inline]
fn dot(x: &Six, y: &Six) -> f64 {
    let mut sum = 0.0;
    for i in 0..6 {
        sum += x.0[i] * y.0[i];
    }
    sum
}

#[inline]
fn add(to: &mut Six, x: &Six, factor: f64) {
    for i in 0..6 {
        to.0[i] += x.0[i] * factor;
    }
}

fn six(linear: Vec3, angular: Vec3) -> Six {
    Eight([
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, 0.0, 0.0,
    ])
}

fn parts(x: &Six) -> (Vec3, Vec3) {
    let x = &x.0;
    (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]))
}

fn vector<T: Real>(of: &[Eight<T>; 3], lane: usize) -> Vec3 {
    Vec3::new(
        of[0].0[lane].f64(),
        of[1].0[lane].f64(),
        of[2].0[lane].f64(),
    )
}

fn symmetric<T: Real>(m: &[T; 6]) -> Symmetric3 {
    let [xx, yy, zz, xy, xz, yz] = m.map(Real::f64);
    Symmetric3 {
        xx,
        yy,
        zz,
        xy,
        xz,
        yz,
    }
}

/// What one projected step at a point would change, in units of velocity [m/s]: zero at a
/// solution and only there.
fn natural_residual(lambda: &[f64; 3], u: &[f64; 3], target: f64, mu: f64, mass: [f64; 2]) -> f64 {
    let normal = (lambda[0] / mass[0]).min(u[0] - target).abs();
    let (t1, t2) = onto_disc(
        lambda[1] - mass[1] * u[1],
        lambda[2] - mass[1] * u[2],
        mu * lambda[0],
    );
    let (d1, d2) = (lambda[1] - t1, lambda[2] - t2);
    normal.max((d1 * d1 + d2 * d2).sqrt() / mass[1])
}

impl Newton {
    /// Solves the islands of `problem` in which a contact is further than `tolerance` [m/s] from
    /// its solution, starting from the impulses and velocities that are there. An island is left
    /// as it is where its factor would be too large or nothing better is found.
    pub fn solve<T: Real>(
        &mut self,
        problem: &mut Blocks<T>,
        tolerance: f64,
        limits: &Limits,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        self.take_velocities(problem);
        self.find_islands(problem, tolerance, &mut outcome);
        outcome.residual = outcome.before;
        if self.members.is_empty() {
            outcome.solved = outcome.before <= tolerance;
            return outcome;
        }

        outcome.residual = self.rest(tolerance);
        let (mut member, mut patch, mut ordinal) = (0, 0, 0);
        while member < self.members.len() {
            let island = self.members[member].0;
            let members = run(&self.members, member);
            let patches = run(&self.patches, patch);
            (member, patch) = (members.end, patches.end);
            self.gather(problem, members, patches);
            if !self.island.is_finite() {
                outcome.islands += 1;
                outcome.residual = outcome.residual.max(self.worst[island as usize]);
                continue;
            }
            if self.factors.len() == ordinal {
                self.factors.push(Cholesky::default());
            }
            let before = self.worst[island as usize];
            let after = self.island.solve(
                &mut self.factors[ordinal],
                before,
                tolerance,
                limits,
                &mut outcome,
            );
            if after < before {
                self.write_back(problem);
            }
            outcome.islands += 1;
            outcome.residual = outcome.residual.max(after);
            ordinal += 1;
        }
        outcome.solved = outcome.residual <= tolerance;
        outcome
    }

    /// Velocities without contacts and with the present impulses, in double precision.
    fn take_velocities<T: Real>(&mut self, problem: &Blocks<T>) {
        let wide = |v: &Eight<T>| Eight(v.0.map(Real::f64));
        self.velocity.clear();
        self.velocity
            .resize(problem.velocity.len(), Eight::default());
        // M⁻¹ Jᵀ λ
        for block in &problem.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let frame = [&block.normal, &block.tangent1, &block.tangent2];
                let frame = frame.map(|axis| vector(axis, lane));
                let mut sums = [Eight::default(); 2];
                for point in &block.point[..block.points as usize] {
                    if point.mass_n.0[lane] > T::default() {
                        let l = vector(&point.impulse, lane);
                        let p = frame[0] * l.x + frame[1] * l.y + frame[2] * l.z;
                        add(
                            &mut sums[0],
                            &six(p, vector(&point.ra, lane).cross(p)),
                            -1.0,
                        );
                        add(&mut sums[1], &six(p, vector(&point.rb, lane).cross(p)), 1.0);
                    }
                }
                for (side, sum) in sums.iter().enumerate() {
                    add(
                        &mut self.velocity[block.body[side][lane] as usize],
                        sum,
                        1.0,
                    );
                }
            }
        }
        for (slot, v) in self.velocity.iter_mut().enumerate() {
            let (p, twist) = parts(v);
            let inverse = problem.inverse_mass[slot].f64();
            *v = if inverse > 0.0 {
                let turn = symmetric(&problem.inverse_inertia[slot]).times(twist);
                six(p * inverse, turn)
            } else {
                Eight::default()
            };
        }

        // the substep's velocities without contacts where they are known, else what is left
        self.free.clear();
        if problem.free.len() == problem.velocity.len() {
            self.free.extend(problem.free.iter().map(wide));
        } else {
            self.free.extend(problem.velocity.iter().map(wide));
            for (free, change) in self.free.iter_mut().zip(&self.velocity) {
                add(free, change, -1.0);
            }
        }
        for (v, free) in self.velocity.iter_mut().zip(&self.free) {
            add(v, free, 1.0);
        }
    }

    /// Connected parts of the contact graph and the natural residual of each; lists the bodies
    /// and patches of those above the tolerance.
    fn find_islands<T: Real>(
        &mut self,
        problem: &Blocks<T>,
        tolerance: f64,
        outcome: &mut Outcome,
    ) {
        let moves = |slot: u32| problem.inverse_mass[slot as usize] > T::default();
        self.parent.clear();
        self.parent.extend(0..problem.velocity.len() as u32);
        for block in &problem.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let (a, b) = (block.body[0][lane], block.body[1][lane]);
                if moves(a) && moves(b) {
                    let (a, b) = (root(&mut self.parent, a), root(&mut self.parent, b));
                    // the smaller index leads
                    self.parent[a.max(b) as usize] = a.min(b);
                }
            }
        }

        self.worst.clear();
        self.worst.resize(problem.velocity.len(), 0.0);
        for block in &problem.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let bodies = [block.body[0][lane], block.body[1][lane]];
                let Some(&mover) = bodies.iter().find(|&&slot| moves(slot)) else {
                    continue;
                };
                let island = root(&mut self.parent, mover) as usize;
                let [a, b] = bodies.map(|slot| parts(&self.velocity[slot as usize]));
                let frame = [&block.normal, &block.tangent1, &block.tangent2];
                let frame = frame.map(|axis| vector(axis, lane));
                for point in &block.point[..block.points as usize] {
                    if point.mass_n.0[lane] <= T::default() {
                        continue;
                    }
                    let (ra, rb) = (vector(&point.ra, lane), vector(&point.rb, lane));
                    let relative = b.0 + b.1.cross(rb) - a.0 - a.1.cross(ra);
                    let wrong = natural_residual(
                        &[0, 1, 2].map(|row| point.impulse[row].0[lane].f64()),
                        &frame.map(|axis| axis.dot(relative)),
                        point.target.0[lane].f64(),
                        block.friction.0[lane].f64(),
                        [point.mass_n.0[lane].f64(), point.mass_t.0[lane].f64()],
                    );
                    self.worst[island] = self.worst[island].max(wrong);
                }
            }
        }

        self.members.clear();
        self.patches.clear();
        for slot in 0..problem.velocity.len() as u32 {
            let island = root(&mut self.parent, slot);
            outcome.before = outcome.before.max(self.worst[slot as usize]);
            if moves(slot) && self.worst[island as usize] > tolerance {
                self.members.push((island, slot));
            }
        }
        for (k, block) in problem.blocks.iter().enumerate() {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let bodies = [block.body[0][lane], block.body[1][lane]];
                if let Some(&mover) = bodies.iter().find(|&&slot| moves(slot)) {
                    let island = root(&mut self.parent, mover);
                    if self.worst[island as usize] > tolerance {
                        self.patches.push((island, (k * 8 + lane) as u32));
                    }
                }
            }
        }
        self.members.sort_unstable();
        self.patches.sort_unstable();
    }

    /// The worst residual of the islands that are left alone.
    fn rest(&self, tolerance: f64) -> f64 {
        let below = self.worst.iter().filter(|&&worst| worst <= tolerance);
        below.fold(0.0, |most, &worst| f64::max(most, worst))
    }

    /// Copies an island.
    fn gather<T: Real>(
        &mut self,
        problem: &Blocks<T>,
        members: std::ops::Range<usize>,
        patches: std::ops::Range<usize>,
    ) {
        let island = &mut self.island;
        island.bodies.clear();
        island.free.clear();
        island.v.clear();
        self.local.clear();
        self.local.resize(problem.velocity.len(), NONE);
        let mut mass = 0.0;
        for &(_, slot) in &self.members[members] {
            let k = slot as usize;
            let inverse_mass = problem.inverse_mass[k].f64();
            let inverse_inertia = symmetric(&problem.inverse_inertia[k]);
            self.local[k] = island.bodies.len() as u32;
            let body = Body {
                slot,
                inverse_mass,
                inverse_inertia,
                mass: 1.0 / inverse_mass,
                inertia: inverse_of(&inverse_inertia, inverse_mass),
                reach: 0.0,
            };
            mass += body.mass;
            island.bodies.push(body);
            island.free.push(self.free[k]);
            island.v.push(self.velocity[k]);
        }
        island.mass = mass;

        island.points.clear();
        island.edges.clear();
        for &(_, place) in &self.patches[patches] {
            let (k, lane) = (place as usize / 8, place as usize % 8);
            let block = &problem.blocks[k];
            let slots = [block.body[0][lane], block.body[1][lane]];
            let body = slots.map(|slot| self.local[slot as usize]);
            if body[0] != NONE && body[1] != NONE {
                island
                    .edges
                    .push([body[0].min(body[1]), body[0].max(body[1])]);
            }
            let frame = [&block.normal, &block.tangent1, &block.tangent2];
            let frame = frame.map(|axis| vector(axis, lane));
            for (number, point) in block.point[..block.points as usize].iter().enumerate() {
                if point.mass_n.0[lane] <= T::default() {
                    continue;
                }
                let mut rows = [[Eight::default(); 3]; 2];
                let mut bias = [0.0; 3];
                for side in 0..2 {
                    let arm = vector(if side == 0 { &point.ra } else { &point.rb }, lane);
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    for row in 0..3 {
                        let axis = frame[row] * sign;
                        let entry = six(axis, arm.cross(axis));
                        if body[side] == NONE {
                            let v = &self.velocity[slots[side] as usize];
                            bias[row] += dot(&entry, v);
                        } else {
                            rows[side][row] = entry;
                        }
                    }
                    if body[side] != NONE {
                        let reach = &mut island.bodies[body[side] as usize].reach;
                        *reach = reach.max(arm.length());
                    }
                }
                let lambda = [0, 1, 2].map(|row| point.impulse[row].0[lane].f64());
                let friction = block.friction.0[lane].f64();
                island.points.push(Point {
                    body,
                    rows,
                    bias,
                    target: point.target.0[lane].f64(),
                    friction,
                    mass: [point.mass_n.0[lane].f64(), point.mass_t.0[lane].f64()],
                    lambda,
                    lift: 0.0,
                    u: [0.0; 3],
                    change: [0.0; 3],
                    best: lambda,
                    at: (k as u32, lane as u8, number as u8),
                    place: None,
                });
            }
        }
        island.edges.sort_unstable();
        island.edges.dedup();
    }

    /// Impulses as the problem's numbers can hold them, and the velocities that follow.
    fn write_back<T: Real>(&mut self, problem: &mut Blocks<T>) {
        let island = &mut self.island;
        for point in &mut island.points {
            let (block, lane, number) = point.at;
            let to = &mut problem.blocks[block as usize].point[number as usize];
            for row in 0..3 {
                let value = T::of(point.best[row]);
                to.impulse[row].0[lane as usize] = value;
                point.lambda[row] = value.f64();
            }
        }
        island.velocities_after();
        for (body, v) in island.bodies.iter().zip(&island.trial) {
            let to = &mut problem.velocity[body.slot as usize];
            for i in 0..6 {
                to.0[i] = T::of(v.0[i]);
            }
        }
    }
}

/// Whether somewhere a body presses on one of less than its mass over `ratio`, with an impulse
/// that alone would give the lighter one more than `speed` [m/s].
pub fn bears_heavy_load<T: Real>(problem: &Blocks<T>, ratio: f64, speed: f64) -> bool {
    problem.blocks.iter().any(|block| {
        (0..8)
            .filter(|&lane| block.patch[lane] != NONE)
            .any(|lane| {
                let [a, b] = [0, 1].map(|side| block.inverse_mass[side].0[lane].f64());
                if a.max(b) < ratio * a.min(b) || a.min(b) == 0.0 {
                    return false;
                }
                let points = &block.point[..block.points as usize];
                let pressed: f64 = points.iter().map(|p| p.impulse[0].0[lane].f64()).sum();
                pressed * a.max(b) > speed
            })
    })
}

/// The root of `slot` in a union-find forest, with path halving.
fn root(parent: &mut [u32], mut slot: u32) -> u32 {
    while parent[slot as usize] != slot {
        let above = parent[parent[slot as usize] as usize];
        parent[slot as usize] = above;
        slot = above;
    }
    slot
}

/// The entries from `first` on that belong to the island of that one.
fn run(list: &[(u32, u32)], first: usize) -> std::ops::Range<usize> {
    let Some(&(island, _)) = list.get(first) else {
        return first..first;
    };
    let count = list[first..].iter().take_while(|x| x.0 == island).count();
    first..first + count
}

/// Inertia from its inverse; what cannot turn gets a very large one.
fn inverse_of(inverse: &Symmetric3, inverse_mass: f64) -> Symmetric3 {
    let trace = inverse.xx + inverse.yy + inverse.zz;
    let least = if trace > 0.0 { trace } else { inverse_mass } / LOCKED;
    let stiff = Symmetric3 {
        xx: inverse.xx + least,
        yy: inverse.yy + least,
        zz: inverse.zz + least,
        ..*inverse
    };
    stiff.inverse()
}

impl Point {
    /// The impulse of the augmented Lagrangian for the relative velocity `u`, and how the point
    /// moves.
    #[inline(always)]
    fn projected(&self, u: &[f64; 3], stiffness: f64) -> ([f64; 3], Motion) {
        let mu = self.friction;
        let n = self.lambda[0] - stiffness * (u[0] - self.target + self.lift);
        let (t1, t2) = (
            self.lambda[1] - stiffness * u[1],
            self.lambda[2] - stiffness * u[2],
        );
        let length = (t1 * t1 + t2 * t2).sqrt();
        if n > 0.0 && length <= mu * n {
            return ([n, t1, t2], Motion::Sticks);
        }
        let pressed = (n + mu * length) / (1.0 + mu * mu);
        if pressed <= 0.0 || pressed.is_nan() {
            return ([0.0; 3], Motion::Opens);
        }
        let slip = if length > 0.0 {
            [t1 / length, t2 / length]
        } else {
            [1.0, 0.0]
        };
        let friction = mu * pressed;
        let share = if length > 0.0 { friction / length } else { 0.0 };
        (
            [pressed, friction * slip[0], friction * slip[1]],
            Motion::Slides { slip, share },
        )
    }
}

/// How a point moves, and what its projection's derivative is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    Opens,
    Sticks,
    /// Direction of the friction, and its length over that of the trial.
    Slides {
        slip: [f64; 2],
        share: f64,
    },
}

impl Island {
    /// Whether all that was gathered are numbers.
    fn is_finite(&self) -> bool {
        let bodies = self.free.iter().chain(&self.v);
        let points = self.points.iter().all(|point| {
            let lambda = point.lambda.iter().chain(&point.bias);
            lambda.chain([&point.target]).all(|x| x.is_finite())
        });
        points && bodies.flat_map(|v| v.0).all(f64::is_finite)
    }

    /// Runs the method; `best` of the points then holds the impulses with the smallest natural
    /// residual, which is returned. `before` is that of the start.
    fn solve(
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
            let worth = residual < WORTH * before && self.energy(&self.trial) <= allowed;
            if residual < best && (solved || worth) {
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
    /// `enough` [m/s]; returns the number of factorisations, at most `most`.
    fn minimise(&mut self, factor: &mut Cholesky, enough: f64, most: u32) -> u32 {
        for used in 0..most.min(INNER_MOST) {
            self.relative_velocities();
            if self.gradient() <= enough.max(self.rounding()) {
                return used;
            }
            self.assemble(factor);
            factor.factor();
            self.direction.clear();
            self.direction
                .extend(self.gradient.iter().map(|g| Eight(g.0.map(|x| -x))));
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

    /// `M (v − v_free) − Jᵀ p`; returns the largest change of a velocity that it stands for [m/s].
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

    /// What rounding of relative velocities leaves of the gradient, as a velocity [m/s].
    fn rounding(&self) -> f64 {
        let speed = |point: &Point| point.u.iter().fold(0.0, |most, u| f64::max(most, u.abs()));
        let fastest = self.points.iter().map(speed).fold(0.0, f64::max);
        let lightest = self.bodies.iter().map(|body| body.inverse_mass);
        ROUNDING * fastest * self.stiffness * lightest.fold(0.0, f64::max)
    }

    /// Newton's matrix `M + ρ Jᵀ D J` with the rows that press, stick or slide.
    fn assemble(&self, factor: &mut Cholesky) {
        factor.clear();
        for (k, body) in self.bodies.iter().enumerate() {
            let block = factor.own(k);
            let i = &body.inertia;
            for (axis, column) in block.iter_mut().enumerate().take(3) {
                column.0[axis] = body.mass;
            }
            for (column, entries) in block[3..].iter_mut().zip([
                [i.xx, i.xy, i.xz],
                [i.xy, i.yy, i.yz],
                [i.xz, i.yz, i.zz],
            ]) {
                column.0[3..6].copy_from_slice(&entries);
            }
        }
        let (place, diagonal, below) = factor.parts();
        dispatch(Assemble {
            points: &self.points,
            stiffness: self.stiffness,
            place,
            diagonal,
            below,
        });
    }

    /// The step along `direction` at which the derivative vanishes, nearly; at most 1.
    fn line_search(&mut self) -> f64 {
        let (mut first, mut curve) = (0.0, 0.0);
        for (((d, v), free), body) in self
            .direction
            .iter()
            .zip(&self.v)
            .zip(&self.free)
            .zip(&self.bodies)
        {
            let ((v, w), (v0, w0), (dv, dw)) = (parts(v), parts(free), parts(d));
            first += body.mass * dv.dot(v - v0) + dw.dot(body.inertia.times(w - w0));
            curve += body.mass * dv.dot(dv) + dw.dot(body.inertia.times(dw));
        }
        for point in &mut self.points {
            let mut change = [0.0; 3];
            for (side, &body) in point.body.iter().enumerate() {
                if body != NONE {
                    for (to, row) in change.iter_mut().zip(&point.rows[side]) {
                        *to += dot(row, &self.direction[body as usize]);
                    }
                }
            }
            point.change = change;
        }
        let slope = |step: f64| {
            let mut sum = first + step * curve;
            for point in &self.points {
                let mut u = point.u;
                for (u, change) in u.iter_mut().zip(&point.change) {
                    *u += step * change;
                }
                let p = point.projected(&u, self.stiffness).0;
                sum -= p[0] * point.change[0] + p[1] * point.change[1] + p[2] * point.change[2];
            }
            sum
        };

        // the derivative rises with the step: false position, halving where it hangs
        let start = slope(0.0);
        if start >= 0.0 || start.is_nan() {
            return 0.0;
        }
        let (mut low, mut low_slope) = (0.0, start);
        let (mut high, mut high_slope) = (1.0, slope(1.0));
        let enough = SLOPE * -start;
        if high_slope <= enough {
            return 1.0;
        }
        let mut step = 0.5;
        for trial in 0..TRIALS {
            step = if trial % 3 == 2 {
                0.5 * (low + high)
            } else {
                low + (high - low) * low_slope / (low_slope - high_slope)
            };
            let here = slope(step);
            if here.abs() <= enough {
                break;
            }
            if here < 0.0 {
                (low, low_slope) = (step, here);
            } else {
                (high, high_slope) = (step, here);
            }
        }
        step
    }

    /// Twice the kinetic energy at the velocities `v` [J].
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
    fn velocities_after(&mut self) {
        self.trial.clear();
        self.trial.resize(self.bodies.len(), Eight::default());
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

    /// The largest natural residual at the velocities of [`Self::velocities_after`] [m/s].
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

/// Adds the contacts to Newton's matrix.
struct Assemble<'a> {
    points: &'a [Point],
    stiffness: f64,
    place: &'a [u32],
    diagonal: &'a mut [Block6],
    below: &'a mut [Block6],
}

/// `block ← block + weight x yᵀ`
#[inline(always)]
fn add_outer<L: Lanes<Real = f64>>(block: &mut Block6, x: &Six, y: &Six, weight: f64) {
    let x = L::load(x);
    for c in 0..6 {
        let column = L::load(&block[c]).plus_product(x, L::splat(weight * y.0[c]));
        column.store(&mut block[c]);
    }
}

impl Kernel<f64> for Assemble<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) {
        for point in self.points {
            // normal and both tangents; or one row along the cone and one across the slip
            let mut rows = point.rows;
            let mut weight = [self.stiffness; 3];
            match point.projected(&point.u, self.stiffness).1 {
                Motion::Sticks => {}
                Motion::Opens => continue,
                Motion::Slides { slip, share } => {
                    let mu = point.friction;
                    weight = [1.0 / (1.0 + mu * mu), share, 0.0].map(|w| w * self.stiffness);
                    for rows in &mut rows {
                        for i in 0..6 {
                            let (t1, t2) = (rows[1].0[i], rows[2].0[i]);
                            rows[0].0[i] += mu * (slip[0] * t1 + slip[1] * t2);
                            rows[1].0[i] = slip[0] * t2 - slip[1] * t1;
                        }
                    }
                }
            }
            for row in 0..3 {
                if weight[row] == 0.0 {
                    continue;
                }
                let x = [&rows[0][row], &rows[1][row]];
                for side in 0..2 {
                    if point.body[side] != NONE {
                        let to = self.place[point.body[side] as usize] as usize;
                        add_outer::<L>(&mut self.diagonal[to], x[side], x[side], weight[row]);
                    }
                }
                if let Some(place) = point.place {
                    let (r, c) = if place.first_is_row { (0, 1) } else { (1, 0) };
                    let block = &mut self.below[place.block as usize];
                    add_outer::<L>(block, x[r], x[c], weight[row]);
                }
            }
        }
    }
}
