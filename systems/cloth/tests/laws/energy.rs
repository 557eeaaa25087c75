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

/// A sheet so soft that its clocks tick once in 8 to 30 ms, whose pinned row sets off at 19 m/s, at the start or at `begin`.
fn jerked(stretch: Stretch, begin: f64) -> Model {
    let mut sheet = Sheet::grid("sheet", 4, 6, 0.3);
    sheet.material.stretch = stretch;
    sheet.material.density = 0.5;
    sheet.material.bending = 0.0;
    sheet.material.stretch_damping = 0.0;
    let row: Vec<u32> = (0..4).collect();
    let at = |time: f64, by: Vec3| PointsKey {
        time,
        points: row.iter().map(|i| sheet.points[*i as usize] + by).collect(),
    };
    let far = Vec3::new(0.12, 0.15, 0.0);
    let mut keys = vec![at(begin + 0.01, far), at(begin + 0.02, far * -0.4)];
    if begin > 0.0 {
        keys.insert(0, at(begin, Vec3::ZERO));
    }
    sheet.pins.push(Pin {
        vertices: row,
        motion: Motion::Points(keys),
        until: None,
    });
    let mut model = Model {
        sheets: vec![sheet],
        gravity: Vec3::ZERO,
        ..Model::default()
    };
    model.contact.thickness = 0.002;
    model
}

#[test]
fn soft_cloth_whose_pins_set_off_between_its_ticks_keeps_its_energy() {
    let triangle = Stretch::Triangle {
        young: 0.1,
        poisson: 0.3,
    };
    for stretch in [Stretch::Spring(0.1), Stretch::Shell(0.1), triangle] {
        for begin in [0.0, 0.0137] {
            let mut system = System::new(jerked(stretch, begin), Options::default()).unwrap();
            let (mut most, mut least) = (0.0f64, 0.0f64);
            for _ in 0..300 {
                let surplus = system.advance(0.0011).surplus;
                let part = surplus.energy / surplus.at_work;
                (most, least) = (most.max(part), least.min(part));
            }
            // 16 times the energy at work of one where clocks were looked at only when they ticked
            assert!(
                most < 2e-3 && least > -1e-2,
                "{stretch:?} from {begin} s: {least:.1e} to {most:.1e} of the energy at work"
            );
        }
    }
}
