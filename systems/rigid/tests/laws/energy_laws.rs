//! Law 17: where nothing bounces, the energy of a step's dynamics never rises. What the position
//! correction adds is measured apart, by taking each step twice: once with and once without it.

use std::sync::Arc;

use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::mesh::TriMesh;
use drystone_geometry::mesh::build::{box_surface, icosphere, torus};
use drystone_geometry::{MeshShape, Shape};
use drystone_rigid::{Model, Options, System, energy};

use crate::build::*;
use crate::{at_most, block_at, shape_at, spheres::ball_on_slope, undivided, weight};

/// Largest rise of the energy in a step by dynamics and by correction, their sums, and the energy
/// at the start above that of the end \[J\].
struct Balance {
    dynamics: f64,
    dynamics_sum: f64,
    correction: f64,
    correction_sum: f64,
    spent: f64,
}

fn total(system: &System) -> f64 {
    energy::kinetic_energy(&system.state, &system.model)
        + energy::potential_energy(&system.state, &system.model)
}

/// Speed from which a body may be in free fall \[m/s\].
const FALLING: f64 = 0.5;

/// Bodies above `free` \[m\] may be in free fall too.
fn balance(model: Model, seconds: f64, free: f64) -> Balance {
    let mut uncorrected = undivided();
    uncorrected.tuning.slop = 1e6;
    let mut twin = start(model.clone(), uncorrected);
    let mut system = start(model, undivided());
    let from = total(&system);
    let mut found = Balance {
        dynamics: 0.0,
        dynamics_sum: 0.0,
        correction: 0.0,
        correction_sum: 0.0,
        spent: 0.0,
    };
    for _ in 0..(seconds / DT).round() as usize {
        let before = total(&system);
        twin.state = system.state.clone();
        twin.advance(DT);
        system.advance(DT);
        // but for islands in free fall, which keep their angular momentum as they are moved apart
        let speed = |i: usize| twin.state.linear_velocity[i].length();
        let falls = |i: usize| twin.state.position[i].y > free || speed(i) > FALLING;
        for i in (0..twin.model.len()).filter(|&i| !falls(i)) {
            assert_eq!(
                twin.state.linear_velocity[i], system.state.linear_velocity[i],
                "correction changes no velocity"
            );
        }
        let (rise, work) = (total(&twin) - before, total(&system) - total(&twin));
        found.dynamics = found.dynamics.max(rise);
        found.dynamics_sum += rise.max(0.0);
        found.correction = found.correction.max(work);
        found.correction_sum += work.max(0.0);
    }
    found.spent = from - total(&system);
    found
}

/// Boxes thrown on a heap.
fn heap() -> Model {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let mut random = Random::new(17);
    for k in 0..20 {
        let half = Vec3::new(
            random.range(0.2, 0.5),
            random.range(0.2, 0.5),
            random.range(0.2, 0.5),
        );
        let at = Vec3::new(
            random.range(-0.7, 0.7),
            1.0 + 0.9 * f64::from(k),
            random.range(-0.7, 0.7),
        );
        let i = block_at(&mut model, half, Pose::new(at, random.rotation()), 10.0);
        model.start_angular_velocity[i] =
            Vec3::new(random.range(-3.0, 3.0), random.range(-3.0, 3.0), 0.0);
    }
    model
}

#[test]
fn energy_never_rises_where_nothing_bounces() {
    let (slope, _, _) = ball_on_slope(0.5, 0.3, Options::default());
    let scenes = [
        ("stack of ten", stack(10, 0.5, 0.0), 2.0, f64::INFINITY),
        ("leaning stack", leaning_stack().0, 3.0, f64::INFINITY),
        ("ball on a slope", slope.model, 2.0, f64::INFINITY),
        ("seesaw", weight::seesaw(1.0).0, 1.5, f64::INFINITY),
        ("heap of boxes", heap(), 5.0, 1.5),
    ];
    for (what, model, seconds, free) in scenes {
        let found = balance(model, seconds, free);
        let scale = found.spent.abs().max(1.0);
        eprintln!("{what}: spent {:.3e} J", found.spent);
        at_most(
            &format!("{what}, dynamics, worst step [of spent]"),
            found.dynamics / scale,
            1e-4,
        ); // measured: 1.8e-5
        at_most(
            &format!("{what}, dynamics, sum of rises"),
            found.dynamics_sum / scale,
            1e-3,
        ); // measured: 1.8e-5
        at_most(
            &format!("{what}, correction, worst step"),
            found.correction / scale,
            1e-3,
        ); // measured: 4.1e-5
        at_most(
            &format!("{what}, correction, sum"),
            found.correction_sum / scale,
            1e-2,
        ); // measured: 1.1e-4
    }
}

#[test]
fn meshes_that_bounce_off_each_other_in_empty_space_gain_no_energy() {
    // contacts of meshes are samples, followed less closely as the mesh turns than those of other shapes
    let shapes = [
        TriMesh::closed(
            box_surface(Vec3::new(0.5, 0.15, 0.1)).0,
            box_surface(Vec3::ONE).1,
        )
        .unwrap(),
        torus(0.35, 0.14, 16, 8),
        icosphere(0.4, 1),
    ]
    .map(|mesh| Shape::Mesh(Arc::new(MeshShape::new(mesh, 16))));
    let mut random = Random::new(5);
    let (mut worst, mut met) = (0.0f64, 0);
    for _ in 0..12 {
        let mut model = model(1.4, 1.0);
        model.gravity = Vec3::ZERO;
        for k in 0..6 {
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][k / 2] * side;
            let pose = Pose::new(1.2 * axis, random.rotation());
            let mass = random.range(1.0, 5.0);
            let i = shape_at(&mut model, shapes[k % 3].clone(), pose, mass);
            model.start_linear_velocity[i] = -4.0 * axis;
            let spin = [(); 3].map(|()| random.range(-15.0, 15.0));
            model.start_angular_velocity[i] = Vec3::from_array(spin);
        }
        let mut system = start(model, Options::default());
        let before = total(&system);
        for _ in 0..60 {
            met += system.advance(DT).pairs;
            worst = worst.max(total(&system) / before - 1.0);
        }
    }
    assert!(met > 100, "they hardly met: {met} pairs");
    at_most(
        "meshes that bounce in empty space, energy gained",
        worst,
        1e-9,
    ); // measured: 7e-16; 1.2e-3 where only the spin of the whole is looked at
}
