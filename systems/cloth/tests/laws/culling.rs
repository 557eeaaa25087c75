//! Certificates only decide which null ticks are left out: trajectories agree bit for bit.

use drystone_base::Vec3;
use drystone_cloth::{BroadPhase, Certificate, Model, Options, System};

use crate::scenes::{sludge, thrown_sheet, two_sheets, walkthrough, with};

/// Positions and velocities after each of `frames` frames of `dt`, and the deepest layer.
fn trajectory(
    model: &Model,
    certificate: Certificate,
    broad_phase: BroadPhase,
    frames: u32,
    dt: f64,
) -> (Vec<Vec<Vec3>>, u32) {
    let options = Options {
        broad_phase,
        ..with(certificate)
    };
    let mut system = System::new(model.clone(), options).unwrap();
    let (mut states, mut deepest) = (Vec::new(), 0);
    for _ in 0..frames {
        let report = system.advance(dt);
        assert_eq!(report.stall, None);
        deepest = deepest.max(report.events.deepest);
        for sheet in 0..model.sheets.len() {
            states.push(system.points(sheet));
            states.push(system.velocities(sheet));
        }
    }
    (states, deepest)
}

pub(crate) fn all_agree(model: &Model, frames: u32, dt: f64, brute: bool) {
    let (ball, deepest) = trajectory(model, Certificate::Ball, BroadPhase::Boxes, frames, dt);
    assert!(deepest >= 1, "nothing touched");
    let (slab, _) = trajectory(model, Certificate::Slab, BroadPhase::Boxes, frames, dt);
    assert!(ball == slab, "slabs and balls part");
    if brute {
        let (brute, _) = trajectory(
            model,
            Certificate::BruteForce,
            BroadPhase::Boxes,
            frames,
            dt,
        );
        assert!(ball == brute, "brute force and balls part");
        let (kdop, _) = trajectory(model, Certificate::Slab, BroadPhase::KDop, frames, dt);
        assert!(ball == kdop, "slabs found by k-DOPs and balls part");
        let (kdop, _) = trajectory(model, Certificate::Ball, BroadPhase::KDop, frames, dt);
        assert!(ball == kdop, "balls found by k-DOPs and by boxes part");
    }
}

#[test]
fn a_bouncing_particle_does_not_depend_on_the_certificate() {
    all_agree(&walkthrough(1.0), 40, 0.05, true);
    all_agree(&walkthrough(0.0), 40, 0.05, true);
}

#[test]
fn sludge_does_not_depend_on_the_certificate() {
    all_agree(&sludge(20, 1.0), 20, 0.05, true);
}

#[test]
fn cloth_does_not_depend_on_the_certificate() {
    all_agree(&thrown_sheet(12, 4.0, 1.0), 4, 0.03, false);
    // all certificates, while it touches and pushes
    all_agree(&thrown_sheet(12, 4.0, 1.0), 2, 0.006, true);
    all_agree(&thrown_sheet(5, 4.0, 1.0), 3, 0.02, true);
    all_agree(&two_sheets(4, 2.0, 1.0), 3, 0.03, true);
}
