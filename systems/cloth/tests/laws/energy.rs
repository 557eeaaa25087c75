//! Energy against what was put in: where nothing is lost the two are equal, and nowhere is there more.

use drystone_base::Vec3;
use drystone_cloth::{Load, Model, Motion, Options, Pin, PointsKey, Sheet, Stretch, System};

use crate::scenes::DOWN;

/// A sheet without dashpots, one edge of it carried along and shaken, another pulled, too far from itself to touch.
fn worked_on(stretch: Stretch) -> Model {
    let mut sheet = Sheet::grid("sheet", 6, 6, 0.15);
    sheet.material.stretch = stretch;
    sheet.material.stretch_damping = 0.0;
    sheet.material.bending = 0.02;
    let edge: Vec<u32> = (0..6).collect();
    let keys = (1..20).map(|k| {
        let shift = Vec3::new(0.05 * f64::from(k % 3), 0.1 * f64::from(k % 2), 0.0);
        PointsKey {
            time: 0.1 * f64::from(k),
            points: edge
                .iter()
                .map(|i| sheet.points[*i as usize] + shift)
                .collect(),
        }
    });
    let motion = Motion::Points(keys.collect());
    sheet.loads.push(Load {
        vertices: (30..36).collect(),
        force: Vec3::new(0.0, -0.05, 0.02),
        ramp: 0.2,
        from: 0.1,
        until: Some(1.2),
    });
    sheet.pins.push(Pin {
        vertices: edge,
        motion,
        until: Some(1.7),
    });
    let mut model = Model {
        sheets: vec![sheet],
        gravity: DOWN,
        ..Model::default()
    };
    model.contact.thickness = 0.002;
    model
}

#[test]
fn without_losses_there_is_as_much_energy_as_was_put_in() {
    for stretch in [
        Stretch::Spring(300.0),
        Stretch::Triangle {
            young: 300.0,
            poisson: 0.3,
        },
    ] {
        let mut system = System::new(worked_on(stretch), Options::default()).unwrap();
        let (mut most, mut least, mut worked) = (0.0f64, 0.0f64, 0.0f64);
        for _ in 0..200 {
            let report = system.advance(0.01);
            assert_eq!(report.events.penalties, 0, "it touched itself");
            let part = report.surplus.energy / report.surplus.at_work;
            (most, least) = (most.max(part), least.min(part));
            worked = worked.max(report.account.movers.abs() + report.account.loads.abs());
        }
        let peak = system.account().peak;
        assert!(worked > 0.5 * peak, "{worked} J of work, {peak} J at most");
        // kicks belong half to the time before, so the last of them is off
        assert!(
            most < 5e-3 && least > -2e-2,
            "{stretch:?}: {least:.1e} to {most:.1e} of the energy at work"
        );
    }
}
