//! The energy watchdog finds what truly gains, and nothing else.

use crate::build::*;
use drystone_base::functions::sin;
use drystone_base::{Pose, Quat, Vec3};
use drystone_geometry::Shape;
use drystone_strand::*;
use std::sync::Arc;

/// The law of the paper, with a torque across the bend that is no gradient: whoever goes round gains.
struct Circling(f64);

impl Law for Circling {
    fn energy(&self, stiffness: &JointStiffness, deviation: Quat) -> f64 {
        TangentLaw.energy(stiffness, deviation)
    }

    fn torque(&self, stiffness: &JointStiffness, deviation: Quat) -> Vec3 {
        let torque = TangentLaw.torque(stiffness, deviation);
        torque + Vec3::Y.cross(torque) * self.0
    }
}

/// Largest surplus of two seconds as a part of what is allowed, and whether a gain was told.
fn watched(mut system: System) -> (f64, bool) {
    let mut report = Report::default();
    for _ in 0..48 {
        report.add(&system.advance_frame(FRAME));
    }
    (report.surplus, !report.gains.is_empty())
}

#[test]
fn a_law_of_elasticity_that_is_no_gradient_is_told_and_one_that_is_is_not() {
    for (part, gains) in [(0.0, false), (3.0, true)] {
        let mut model = Model::default();
        model.law = Arc::new(Circling(part));
        model.add(straight(Vec3::new(0.1, 0.0, 0.02), 10)).unwrap();
        let (surplus, told) = watched(System::new(model, options(8)).unwrap());
        // measured: 0.00 and 45
        assert_eq!(told, gains, "{part}: {surplus:.2}");
        assert_eq!(told, surplus > 1.0, "{part}: {surplus:.2}");
    }
}

#[test]
fn what_a_base_and_an_obstacle_put_in_is_no_gain() {
    // the base is shaken, a ball goes to and fro through the strand's place
    let keys = |far: Vec3, rate: f64| -> Vec<Key> {
        let at = |k: i32| f64::from(k) * FRAME;
        let pose = |time: f64| Pose::at(far * sin(rate * time));
        (0..49).map(|k| Key::new(at(k), pose(at(k)))).collect()
    };
    let shaken = MotionPath::smooth(&keys(Vec3::new(0.05, 0.02, 0.03), 12.0)).unwrap();
    let swung = MotionPath::smooth(&keys(Vec3::new(0.15, 0.0, 0.1), 7.0)).unwrap();
    for moves in [[true, false], [false, true], [true, true]] {
        let mut model = Model::default();
        if moves[1] {
            let ball = Shape::sphere(0.02).unwrap();
            let mut ball = Obstacle::fixed("ball", ball, Pose::IDENTITY);
            ball.path = swung.clone();
            let mut low = ball.path.keys().to_vec();
            low.iter_mut()
                .for_each(|key| key.pose.position += Vec3::new(0.2, -0.1, 0.0));
            ball.path = MotionPath::smooth(&low).unwrap();
            model.add_obstacle(ball).unwrap();
        }
        let strand = straight(Vec3::new(0.0, -0.2, 0.0), 20);
        let base = if moves[0] {
            Base::on(shaken.clone())
        } else {
            Base::default()
        };
        model.add(strand.on(base)).unwrap();
        let (surplus, told) = watched(System::new(model, options(4)).unwrap());
        // measured: 0.48 where the base is shaken, 0.00 otherwise
        assert!(!told && surplus < 1.0, "{moves:?}: {surplus:.2}");
    }
}
