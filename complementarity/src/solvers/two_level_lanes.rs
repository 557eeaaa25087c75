//! An adapter: the two-level solve that the default stepper runs ([`crate::in_lanes`]), eight patches
//! at a time in single precision with whole layers as aggregates, on a problem from anywhere.

use drystone_base::Vec3;
use drystone_base::lanes::{Dispatch, Wide8};

use crate::blocks::{Blocks, BodyInput, NONE, POINTS, PatchInput, PointInput};
use crate::coarse::Coarse;
use crate::in_lanes::LaneMethod;
use crate::operator::Operator;
use crate::problem::{Contact, Problem, Twist};
use crate::solvers::run::Run;
use crate::solvers::two_level::{Aggregates, Partition, graph_of, places_by_arms};
use crate::solvers::{SolveError, Solver};

/// Share of changed contacts above which the coarse matrix is built again.
const REBUILD: f64 = 0.05;

/// Sweeps after each coarse solve, as in [`Solver::TwoLevel`].
const SWEEPS: u32 = 4;
/// Part of the fastest contact that the bodies' velocities may miss: single precision sees no more.
const CONSISTENT: f64 = 1e-7;

/// An iteration is a coarse correction and some cone sweeps, forward and backward in turn.
///
/// The lanes work on velocities of bodies, a problem has those of contacts. Bodies that move
/// that way along all tangents are looked for first, off the clock (the step knows its own);
/// where there are none, the problem is refused. Normals may be offset as they like: that is what
/// targets are for.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>, solver: Solver) -> Result<(), SolveError> {
    let problem = (run.context.factored).ok_or(SolveError::NeedsBodies(solver))?;
    let free = run.untimed(|| free_velocities(problem));
    let free = free.ok_or(SolveError::NeedsVelocities(solver))?;
    let places = match run.context.places {
        Some(places) => places.to_vec(),
        None => places_by_arms(problem),
    };
    let mut impulses = run.first_guess().to_vec();
    let mut lanes = Lanes::<f32>::new(problem, &places, &free, &impulses);
    let sweeps = run.settings.inner_sweeps.unwrap_or(SWEEPS);
    // velocities before, the product of the step, and the sweeps
    let rows = (2 + u64::from(sweeps)) * run.all_rows();
    while run.goes_on(&impulses) {
        lanes.iterate(sweeps);
        run.count(rows);
        lanes.read(problem, &mut impulses);
    }
    Ok(())
}

struct Lanes<T> {
    blocks: Blocks<T>,
    coarse: Coarse<T>,
    /// Contacts of each patch.
    patches: Vec<std::ops::Range<usize>>,
}

impl<T: Dispatch> Lanes<T> {
    fn new(problem: &Problem, places: &[Vec3], free: &[Twist], impulses: &[[f64; 3]]) -> Self {
        let partition = Partition::of(&graph_of(problem), None, Aggregates::Layer);
        let patches = patches(&problem.contacts);
        // patches and bodies as the lanes take them
        let inputs: Vec<PatchInput> = patches
            .iter()
            .map(|patch| {
                let (c, member) = (
                    &problem.contacts[patch.start],
                    &partition.members[patch.start],
                );
                PatchInput {
                    bodies: [c.a as u32, c.b as u32],
                    normal: c.normal,
                    friction: c.friction,
                    restitution: 0.0,
                    island: 0,
                    length: 1.0,
                    thickness: 1.0,
                    calm_speed: 1.0,
                    interface: member.aggregate.map_or(NONE, |aggregate| aggregate as u32),
                    upward: member.sign > 0.0,
                }
            })
            .collect();
        let bodies: Vec<BodyInput> = (problem.bodies.iter())
            .map(|body| BodyInput {
                inverse_mass: body.inverse_mass,
                inverse_inertia: body.inverse_inertia,
            })
            .collect();
        let mut blocks = Blocks::default();
        blocks.build(&bodies, &inputs, |k| {
            patches[k].clone().map(|j| {
                let c = &problem.contacts[j];
                PointInput {
                    ra: c.r_a,
                    rb: c.r_b,
                    separation: 0.0,
                    impulse: c.to_world(impulses[j]),
                }
            })
        });
        // velocities, impulses and what each contact aims at
        blocks.prepare();
        for (to, v) in blocks.velocity.iter_mut().zip(free) {
            let (v, w) = (v.linear, v.angular);
            *to = Wide8([v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0].map(T::of));
        }
        let along = problem.row_velocities(free);
        blocks.aim(|k, point| {
            let j = patches[k].start + point;
            along[j][0] - problem.b[j][0]
        });
        blocks.apply_impulses();

        // the coarse level
        let mut centres = vec![Vec3::ZERO; bodies.len()];
        for (c, place) in problem.contacts.iter().zip(places) {
            centres[c.a] = *place - c.r_a;
            centres[c.b] = *place - c.r_b;
        }
        let mut island = vec![0; partition.count];
        for member in &partition.members {
            if let (Some(aggregate), Some(number)) = (member.aggregate, member.island) {
                island[aggregate] = number as u32;
            }
        }
        let mut coarse = Coarse::default();
        coarse.set_up(&blocks, &inputs, &centres, &island, |k| {
            places[patches[k].clone()].iter().copied()
        });
        Self {
            blocks,
            coarse,
            patches,
        }
    }

    fn iterate(&mut self, sweeps: u32) {
        self.coarse.residual(&self.blocks, 0.0);
        LaneMethod::TwoLevel.iterate(&mut self.blocks, &mut self.coarse, REBUILD, sweeps);
    }

    fn read(&self, problem: &Problem, impulses: &mut [[f64; 3]]) {
        for (k, patch) in self.patches.iter().enumerate() {
            for (point, j) in patch.clone().enumerate() {
                let c = &problem.contacts[j];
                let [n, p, q] = self.blocks.last_impulse(k, point);
                let (t1, t2) = drystone_base::tangents(c.normal);
                impulses[j] = c.to_rows(c.normal * n + t1 * p + t2 * q);
            }
        }
    }
}

/// Neighbours in the list that join the same bodies along the same normal, four at most.
fn patches(contacts: &[Contact]) -> Vec<std::ops::Range<usize>> {
    let key = |c: &Contact| (c.a, c.b, c.normal.to_array(), c.friction);
    let mut patches: Vec<std::ops::Range<usize>> = Vec::new();
    for (k, c) in contacts.iter().enumerate() {
        match patches.last_mut() {
            Some(last) if last.len() < POINTS && key(&contacts[last.start]) == key(c) => {
                last.end = k + 1;
            }
            _ => patches.push(k..k + 1),
        }
    }
    patches
}

/// Velocities of the bodies that slide along the tangents as the right-hand side says: the
/// smallest, by conjugate gradients on the normal equations. None if no motion of rigid bodies
/// does so. Where nothing rubs, tangents do not matter.
fn free_velocities(problem: &Problem) -> Option<Vec<Twist>> {
    let rough = |k: usize| problem.contacts[k].friction > 0.0;
    let tangential = |rows: &[[f64; 3]]| -> Vec<[f64; 2]> {
        let rows = rows.iter().enumerate();
        rows.map(|(k, w)| if rough(k) { [w[1], w[2]] } else { [0.0; 2] })
            .collect()
    };
    let mut left = tangential(&problem.b);
    let largest = |rows: &[[f64; 2]]| rows.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let enough = CONSISTENT
        * problem
            .b
            .iter()
            .flatten()
            .fold(0.0f64, |m, x| m.max(x.abs()));
    let mut velocities = vec![Twist::ZERO; problem.bodies.len()];
    let mut gradient = pulled(problem, &left);
    let mut direction = gradient.clone();
    let mut square = dot(&gradient, &gradient);
    for _ in 0..60 * problem.bodies.len() + 100 {
        if largest(&left) <= enough {
            return Some(velocities);
        }
        let change = tangential(&problem.row_velocities(&direction));
        let curve: f64 = change.iter().flatten().map(|x| x * x).sum();
        if curve <= 0.0 {
            break;
        }
        let length = square / curve;
        add(&mut velocities, length, &direction);
        for (left, change) in left.iter_mut().zip(&change) {
            *left = [left[0] - length * change[0], left[1] - length * change[1]];
        }
        gradient = pulled(problem, &left);
        let next = dot(&gradient, &gradient);
        let mut turned = gradient.clone();
        add(&mut turned, next / square, &direction);
        (direction, square) = (turned, next);
    }
    (largest(&left) <= enough).then_some(velocities)
}

/// `Jᵀ` over the tangential rows.
fn pulled(problem: &Problem, rows: &[[f64; 2]]) -> Vec<Twist> {
    let mut sum = vec![Twist::ZERO; problem.bodies.len()];
    for (c, row) in problem.contacts.iter().zip(rows) {
        let p = c.to_world([0.0, row[0], row[1]]);
        sum[c.a].linear -= p;
        sum[c.a].angular -= c.r_a.cross(p);
        sum[c.b].linear += p;
        sum[c.b].angular += c.r_b.cross(p);
    }
    sum
}

fn dot(x: &[Twist], y: &[Twist]) -> f64 {
    let pairs = x.iter().zip(y);
    pairs
        .map(|(x, y)| x.linear.dot(y.linear) + x.angular.dot(y.angular))
        .sum()
}

fn add(to: &mut [Twist], factor: f64, what: &[Twist]) {
    for (to, what) in to.iter_mut().zip(what) {
        to.linear += factor * what.linear;
        to.angular += factor * what.angular;
    }
}

#[cfg(test)]
mod tests {
    use drystone_base::random::Random;
    use drystone_base::{Symmetric3, tangents};

    use super::*;
    use crate::operator::{FactoredOperator, Operator};
    use crate::problem::Mass;
    use crate::solvers::Context;
    use crate::solvers::two_level;

    /// A stack of unit boxes, four contacts a face, that move in any way; with impulses inside the
    /// friction cones.
    fn stirred_stack(boxes: usize, seed: u64) -> (Problem, Vec<[f64; 3]>) {
        let mut random = Random::new(seed);
        let mut vector = || Vec3::from_array(std::array::from_fn(|_| random.range(-1.0, 1.0)));
        let mut problem = Problem::default();
        let mut velocities = vec![Twist::ZERO];
        problem.bodies.push(Mass::default());
        let (t1, t2) = tangents(Vec3::Y);
        for k in 0..boxes {
            problem.bodies.push(Mass {
                inverse_mass: 1.0 / (1.0 + k as f64),
                inverse_inertia: Symmetric3::diagonal(Vec3::splat(6.0 / (1.0 + k as f64))),
            });
            velocities.push(Twist {
                linear: 0.1 * vector() - Vec3::Y * (k + 1) as f64,
                angular: 0.1 * vector(),
            });
            for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                let below = if k == 0 { 0.0 } else { 0.5 };
                problem.contacts.push(Contact {
                    a: k,
                    b: k + 1,
                    normal: Vec3::Y,
                    tangents: [t1, t2],
                    r_a: Vec3::new(x, below, z),
                    r_b: Vec3::new(x, -0.5, z),
                    friction: 0.5,
                });
            }
        }
        problem.b = problem.row_velocities(&velocities);
        let guess = |_: &Contact| {
            let v = vector();
            [1.0 + 0.5 * v.y, 0.1 * v.x, 0.1 * v.z]
        };
        let impulses = problem.contacts.iter().map(guess).collect();
        (problem, impulses)
    }

    /// The scalar two-level solve is the reference of the one in lanes: one coarse correction from
    /// the same impulses gives the same, in double precision to rounding.
    #[test]
    fn a_coarse_correction_in_lanes_is_that_of_the_reference() {
        for seed in 1..6 {
            let (problem, start) = stirred_stack(5, seed);
            let operator = FactoredOperator::new(&problem);
            let context = Context {
                factored: Some(&problem),
                ..Context::default()
            };
            let mut reference = operator.iterate(start.clone());
            two_level::Coarse::new(&operator, &context, Aggregates::Layer)
                .expect("bodies")
                .correct(&operator, &mut reference);

            let places = places_by_arms(&problem);
            let free = free_velocities(&problem).expect("a motion of the bodies");
            let (mut double, mut single) = (start.clone(), start.clone());
            let mut lanes = Lanes::<f64>::new(&problem, &places, &free, &start);
            lanes.iterate(0);
            lanes.read(&problem, &mut double);
            let mut lanes = Lanes::<f32>::new(&problem, &places, &free, &start);
            lanes.iterate(0);
            lanes.read(&problem, &mut single);

            let largest = |x: &[[f64; 3]], y: &[[f64; 3]]| {
                let pairs = x.iter().flatten().zip(y.iter().flatten());
                pairs.fold(0.0f64, |most, (x, y)| most.max((x - y).abs()))
            };
            let moved = largest(&reference.impulses, &start);
            assert!(moved > 0.1, "seed {seed}: nothing was corrected");
            let (f64_off, f32_off) = (
                largest(&reference.impulses, &double) / moved,
                largest(&reference.impulses, &single) / moved,
            );
            assert!(f64_off < 1e-9, "seed {seed}: f64 is off by {f64_off:.1e}");
            assert!(f32_off < 1e-4, "seed {seed}: f32 is off by {f32_off:.1e}");
        }
    }
}
