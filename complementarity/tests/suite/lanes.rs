//! The cone sweeps in lanes against the scalar ones, on a column of boxes thrown about.

use drystone_base::lanes::{Dispatch, Wide8};
use drystone_base::random::Random;
use drystone_base::{Symmetric3, Vec3, tangents};
use drystone_complementarity::blocks::{Blocks, BodyInput, NONE, PatchInput, PointInput};
use drystone_complementarity::{Contact, Mass, Problem, Sweeping, sweeping};

const BOXES: usize = 6;
const FRICTION: f64 = 0.4;

/// Velocities of every body after `sweeps` sweeps: in lanes, and one contact at a time.
fn both_ways<T: Dispatch>(sweeps: u32) -> (Vec<[f64; 6]>, Vec<[f64; 6]>) {
    let mut random = Random::new(11);
    let bodies: Vec<BodyInput> = (0..=BOXES)
        .map(|i| BodyInput {
            inverse_mass: if i == 0 { 0.0 } else { 1.0 },
            inverse_inertia: Symmetric3::diagonal(Vec3::splat(if i == 0 { 0.0 } else { 6.0 })),
        })
        .collect();
    let start: Vec<[f64; 6]> = (0..=BOXES)
        .map(|i| std::array::from_fn(|_| if i == 0 { 0.0 } else { random.range(-1.0, 1.0) }))
        .collect();

    // one patch of four corners under each box
    let (t1, t2) = tangents(Vec3::Y);
    let corners = |below: usize| {
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(x, z)| PointInput {
            ra: Vec3::new(x, if below == 0 { 0.0 } else { 0.5 }, z),
            rb: Vec3::new(x, -0.5, z),
            separation: 0.0,
            impulse: Vec3::ZERO,
        })
    };
    let patches: Vec<PatchInput> = (0..BOXES)
        .map(|k| PatchInput {
            bodies: [k as u32, k as u32 + 1],
            normal: Vec3::Y,
            friction: FRICTION,
            restitution: 0.0,
            island: 0,
            length: 1.0,
            thickness: 1.0,
            calm_speed: 1.0,
            interface: NONE,
            upward: true,
        })
        .collect();
    let points: Vec<[PointInput; 4]> = (0..BOXES).map(corners).collect();

    let mut blocks = Blocks::<T>::default();
    blocks.build(&bodies, &patches, |k| points[k].iter().copied());
    blocks.prepare();
    for (to, v) in blocks.velocity.iter_mut().zip(&start) {
        *to = Wide8(std::array::from_fn(|k| {
            T::of(v.get(k).copied().unwrap_or(0.0))
        }));
    }
    blocks.remember();
    blocks.begin(0.01, 1e-4, false, true);
    for _ in 0..sweeps {
        blocks.sweep(false);
    }
    let lanes = blocks.velocity[..=BOXES]
        .iter()
        .map(|v| std::array::from_fn(|k| v.0[k].f64()))
        .collect();

    // the lanes visit one colour after the other: every second patch
    let order = (0..BOXES).step_by(2).chain((1..BOXES).step_by(2));
    let contacts: Vec<Contact> = order
        .flat_map(|k| points[k].map(|point| (k, point)))
        .map(|(k, point)| Contact {
            a: k,
            b: k + 1,
            normal: Vec3::Y,
            tangents: [t1, t2],
            r_a: point.ra,
            r_b: point.rb,
            friction: FRICTION,
        })
        .collect();
    let at = |i: usize, r: Vec3| {
        let v = &start[i];
        Vec3::new(v[0], v[1], v[2]) + Vec3::new(v[3], v[4], v[5]).cross(r)
    };
    let b = contacts
        .iter()
        .map(|c| {
            let w = at(c.b, c.r_b) - at(c.a, c.r_a);
            [w.y, w.dot(t1), w.dot(t2)]
        })
        .collect();
    let problem = Problem {
        bodies: bodies
            .iter()
            .map(|body| Mass {
                inverse_mass: body.inverse_mass,
                inverse_inertia: body.inverse_inertia,
            })
            .collect(),
        contacts,
        b,
        relaxation: 0.0,
    };
    let mut impulses = vec![[0.0; 3]; problem.contacts.len()];
    let solved = sweeping::cone(&problem, &mut impulses, Sweeping::times(sweeps));
    let scalar = start
        .iter()
        .zip(&solved.delta_v)
        .map(|(v, d)| {
            let d = [
                d.linear.x,
                d.linear.y,
                d.linear.z,
                d.angular.x,
                d.angular.y,
                d.angular.z,
            ];
            std::array::from_fn(|k| v[k] + d[k])
        })
        .collect();
    (lanes, scalar)
}

fn difference((lanes, scalar): (Vec<[f64; 6]>, Vec<[f64; 6]>)) -> f64 {
    let pairs = lanes.iter().flatten().zip(scalar.iter().flatten());
    pairs.fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}

#[test]
fn sweeps_in_lanes_follow_the_scalar_sweeps() {
    for sweeps in [1, 3, 20] {
        let double = difference(both_ways::<f64>(sweeps));
        let single = difference(both_ways::<f32>(sweeps));
        // measured: at most 4e-16 and 3e-7
        assert!(
            double < 1e-12,
            "{sweeps} sweeps in f64 differ by {double:.1e} m/s"
        );
        assert!(
            single < 1e-5,
            "{sweeps} sweeps in f32 differ by {single:.1e} m/s"
        );
    }
}

/// Velocities of a long column, thrown about, after four sweeps in alternating direction on so
/// many threads. Its two colours have 150 blocks each.
fn long_column(threads: usize) -> Vec<Wide8<f32>> {
    const BOXES: u32 = 2400;
    let mut random = Random::new(5);
    let bodies: Vec<BodyInput> = (0..=BOXES)
        .map(|i| BodyInput {
            inverse_mass: f64::from(i.min(1)),
            inverse_inertia: Symmetric3::diagonal(Vec3::splat(6.0 * f64::from(i.min(1)))),
        })
        .collect();
    let patches: Vec<PatchInput> = (0..BOXES)
        .map(|k| PatchInput {
            bodies: [k, k + 1],
            normal: Vec3::Y,
            friction: FRICTION,
            restitution: 0.0,
            island: 0,
            length: 1.0,
            thickness: 1.0,
            calm_speed: 1.0,
            interface: NONE,
            upward: true,
        })
        .collect();
    let mut blocks = Blocks::<f32>::default();
    blocks.build(&bodies, &patches, |_| {
        [(-0.5, 0.5), (0.5, -0.5)]
            .into_iter()
            .map(|(x, z)| PointInput {
                ra: Vec3::new(x, 0.5, z),
                rb: Vec3::new(x, -0.5, z),
                separation: 0.0,
                impulse: Vec3::ZERO,
            })
    });
    blocks.prepare();
    for v in &mut blocks.velocity[1..=BOXES as usize] {
        *v = Wide8(std::array::from_fn(|k| {
            if k < 6 {
                random.range(-1.0, 1.0) as f32
            } else {
                0.0
            }
        }));
    }
    blocks.remember();
    blocks.begin(0.01, 1e-4, false, true);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("a pool").install(|| {
        for sweep in 0..4 {
            blocks.sweep(sweep % 2 == 1);
        }
    });
    blocks.velocity
}

#[test]
fn a_colour_shared_out_to_threads_gives_the_same_bits() {
    let bits = |velocity: Vec<Wide8<f32>>| -> Vec<u32> {
        velocity
            .iter()
            .flat_map(|v| v.0.map(f32::to_bits))
            .collect()
    };
    let one = bits(long_column(1));
    for threads in [2, 3, 8] {
        assert!(
            bits(long_column(threads)) == one,
            "{threads} threads differ"
        );
    }
}
