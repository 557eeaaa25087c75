//! A step that finds what the step before it found asks for no memory.

use allocation_counter::measure;
use drystone_base::{Pose, Quat, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{Body, Model, Motion, Options, System, Weight};

/// A wall of bricks on a slab, one island of more than 64 patches, and a column beside it.
fn masonry() -> Model {
    let mut model = Model::default();
    let mut add = |name: String, half: Vec3, at: Vec3, fixed: bool| {
        let mut body = Body::new(name, Shape::Box { half });
        body.pose = Pose::new(at, Quat::IDENTITY);
        body.weight = Weight::Density(1000.0);
        if fixed {
            body.motion = Motion::Fixed;
        }
        model.add(body).expect("a body of sound size");
    };
    add(
        "slab".into(),
        Vec3::new(20.0, 0.5, 20.0),
        Vec3::new(0.0, -0.5, 0.0),
        true,
    );
    let half = Vec3::new(0.5, 0.25, 0.25);
    for course in 0..8 {
        for brick in 0..8 {
            let x = f64::from(brick) * 1.0 + 0.5 * f64::from(course % 2);
            let at = Vec3::new(x, 0.25 + 0.5 * f64::from(course), 0.0);
            add(format!("wall/{course}/{brick}"), half, at, false);
        }
    }
    for level in 0..5 {
        let at = Vec3::new(0.0, 0.25 + 0.5 * f64::from(level), 5.0);
        add(format!("column/{level}"), half, at, false);
    }
    model
}

#[test]
fn a_steady_step_allocates_nothing() {
    let mut system = System::new(masonry(), Options::default()).expect("default options");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a pool").install(|| {
        let first = measure(|| {
            system.advance(0.01);
        });
        assert!(first.count_total > 0, "the count counts nothing");
        for _ in 0..100 {
            system.advance(0.01);
        }
        for step in 0..20 {
            let asked = measure(|| {
                system.advance(0.01);
            });
            assert_eq!(
                asked.count_total, 0,
                "step {step} asked for {} bytes",
                asked.bytes_total
            );
        }
    });
}
