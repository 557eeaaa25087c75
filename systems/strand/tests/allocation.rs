//! A step that finds what the step before it found asks for no memory.

#![allow(clippy::unwrap_used)]

use allocation_counter::measure;
use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_strand::*;

fn strand(name: &str, z: f64) -> Strand {
    let start = Vec3::new(0.0, 0.0, z);
    let curve = Curve::straight(start, start + Vec3::new(0.15, 0.02, 0.0), 20);
    let mut strand = Strand::new(name, curve);
    strand.parameters.drag = 1e-4.into();
    strand
}

/// Three strands: one that leans on a box or a ball, one held at its tip, one free and stretching.
fn model() -> Model {
    let mut model = Model::default();
    let slab = Shape::cuboid(Vec3::new(0.1, 0.01, 0.02)).unwrap();
    let ball = Shape::sphere(0.03).unwrap();
    let at = |x, y| Pose::at(Vec3::new(x, y, 0.0));
    model
        .add_obstacle(Obstacle::fixed("slab", slab, at(0.14, -0.05)))
        .unwrap();
    model
        .add_obstacle(Obstacle::fixed("ball", ball, at(0.06, -0.04)))
        .unwrap();
    model.add(strand("lying", 0.0)).unwrap();
    let held = model.add(strand("held", 0.1)).unwrap();
    let mut stretching = strand("stretching", 0.2);
    stretching.parameters.stretch_stiffness = Some(1e-2.into());
    model.add(stretching).unwrap();
    let hold = ConstraintKind::Point {
        link: 19,
        at: Vec3::Y * model.chains[held].length[19],
        to: Anchor::World(MotionPath::fixed(Pose::at(Vec3::new(0.12, 0.0, 0.1)))),
    };
    model
        .add_constraint(Constraint::new("pin", held, hold))
        .unwrap();
    model
}

#[test]
fn a_steady_step_allocates_nothing() {
    for dense_contacts in [40, 0] {
        let options = Options {
            dense_contacts,
            parallel: false,
            error_tolerance: 0.0,
            continuum: Some(Continuum::default()),
            ..Options::default()
        };
        let mut system = System::new(model(), options).unwrap();
        let mut report = Report::default();
        let first = measure(|| system.advance_into(0.01, &mut report));
        assert!(first.count_total > 0, "the count counts nothing");
        for _ in 0..300 {
            system.advance_into(0.01, &mut report);
        }
        let touching = system.state.strands[0].contacts.len();
        assert!(touching > 0, "{touching} contacts");
        for step in 0..20 {
            let asked = measure(|| system.advance_into(0.01, &mut report));
            assert_eq!(
                asked.count_total, 0,
                "step {step} asked for {} bytes",
                asked.bytes_total
            );
        }
    }
}
