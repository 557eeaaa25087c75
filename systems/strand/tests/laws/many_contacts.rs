//! Many contacts on one strand: sweeps along the chain against the dense matrix.

use crate::build::*;
use drystone_base::functions::{rotation_about, sin};
use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_strand::*;

/// A strand of `n` segments that falls on an inclined floor and slides on it, with side branches if
/// wanted.
fn lying(n: usize, branches: bool, dense_contacts: u32) -> System {
    let mut model = Model::default();
    let floor = Obstacle {
        static_friction: 0.4,
        dynamic_friction: 0.3,
        ..Obstacle::fixed(
            "floor",
            Shape::HalfSpace,
            Pose::new(Vec3::NEG_Y * 2e-3, rotation_about(Vec3::X, 0.2)),
        )
    };
    model.add_obstacle(floor).unwrap();
    let ball = Shape::sphere(0.01).unwrap();
    let at = Pose::at(Vec3::new(0.004 * n as f64, -4e-3, 0.0));
    model
        .add_obstacle(Obstacle::fixed("ball", ball, at))
        .unwrap();
    let point = |k: usize| Vec3::new(0.008 * k as f64, 0.0, 0.01 * sin(0.3 * k as f64));
    let points: Vec<Vec3> = (0..=n).map(point).collect();
    let mut strand = Strand::new("strand", Curve::through(&points)).with(hair());
    strand.parameters.drag = 1e-5.into();
    if branches {
        for k in 1..4 {
            let root = points[k * n / 4];
            let out = Vec3::new(0.03, 0.0, if k % 2 == 0 { 0.04 } else { -0.04 });
            let mut branch = Curve::straight(root, root + out, 6);
            branch = branch.growing_from(0, k * n / 4);
            strand.curves.push(branch);
        }
    }
    model.add(strand).unwrap();
    let options = Options {
        dense_contacts,
        sweeps: 200,
        parallel: false,
        ..options(8)
    };
    System::new(model, options).unwrap()
}

#[test]
fn sweeps_along_the_chain_find_what_the_dense_matrix_finds() {
    for branches in [false, true] {
        let [mut dense, mut sweeping] = [1000, 0].map(|most| lying(24, branches, most));
        let (mut worst, mut apart, mut touching) = (0.0f64, 0.0f64, 0);
        for _ in 0..60 {
            // from one state, so that nothing adds up
            sweeping.restore(dense.state.clone()).unwrap();
            dense.advance(FRAME / 8.0);
            sweeping.advance(FRAME / 8.0);
            let [a, b] = [&dense, &sweeping].map(|s| &s.state.strands[0].contacts);
            touching = touching.max(a.len());
            let push = |list: &[ContactForce]| list.iter().map(|c| c.force).sum::<Vec3>();
            let most = a
                .iter()
                .fold(1e-12f64, |most, c| most.max(c.force.length()));
            worst = worst.max((push(a) - push(b)).length() / most);
            let far = dense
                .points(0)
                .into_iter()
                .flatten()
                .zip(sweeping.points(0).into_iter().flatten());
            apart = far.fold(apart, |far, (p, q)| far.max((p - q).length()));
        }
        // measured: 8e-4, 7e-8 m, 17 contacts; with branches 2e-4, 5e-8 m, 10
        assert!(
            worst < 1e-2 && apart < 1e-6,
            "{worst:.1e} of the largest force, {apart:.1e} m"
        );
        assert!(touching > 8, "{touching} contacts");
    }
}
