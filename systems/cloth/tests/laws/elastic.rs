//! Elastic sheets without contact: momentum, energy, order of convergence.

use drystone_base::Vec3;
use drystone_cloth::{Contact, Gravity, Material, Model, Options, Sheet, Stretch, System};
use drystone_geometry::mesh::build::icosphere;

/// A sheet that swings in its plane and out of it, too far from itself to touch.
fn swinging(stretch: Stretch) -> Model {
    let mut sheet = Sheet::grid("sheet", 8, 8, 0.15);
    sheet.material.stretch = stretch;
    sheet.material.stretch_damping = 0.0;
    sheet.material.bending = 0.02;
    sheet.velocities = sheet
        .points
        .iter()
        .map(|p| Vec3::new(0.3 * p.z + 0.1, 0.8 * p.x * p.x - p.z * p.z, 0.2 * p.x))
        .collect();
    Model {
        sheets: vec![sheet],
        contact: Contact {
            thickness: 0.01,
            ..Contact::default()
        },
        ..Model::default()
    }
}

const STRETCHES: [Stretch; 3] = [
    Stretch::Spring(750.0),
    Stretch::Shell(60.0),
    Stretch::Triangle {
        young: 300.0,
        poisson: 0.3,
    },
];

#[test]
fn momentum_is_kept_and_energy_does_not_drift_over_a_million_ticks() {
    for stretch in STRETCHES {
        let mut system = System::new(swinging(stretch), Options::default()).unwrap();
        let (p0, l0) = system.momentum();
        let e0 = system.energy().total();
        let (mut ticks, mut first, mut last, mut frame) = (0, Vec::new(), Vec::new(), 0);
        while ticks < 1_000_000 {
            let report = system.advance(0.05);
            assert_eq!(
                report.events.activations, 0,
                "{stretch:?}: the sheet touched itself"
            );
            ticks += report.events.elastic();
            frame += 1;
            if ticks < 300_000 {
                &mut first
            } else {
                &mut last
            }
            .push(report.energy.total());
        }
        let (p1, l1) = system.momentum();
        let (dp, dl) = (
            (p1 - p0).length() / p0.length(),
            (l1 - l0).length() / l0.length(),
        );
        assert!(
            dp < 1e-13 && dl < 1e-12,
            "{stretch:?}: momentum {dp:.1e}, angular {dl:.1e}"
        ); // measured: 2e-15, 8e-15
        // without drift, late frames swing about the same mean as early ones
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        let drift = (mean(&last) - mean(&first)).abs() / e0;
        assert!(
            drift < 2e-3,
            "{stretch:?}: energy drifted by {drift:.1e} in {frame} frames"
        ); // measured: 7e-4 to 1e-3
    }
}

/// Half the period, a quarter of the error; measured: a fifth.
#[test]
fn positions_converge_at_second_order_and_ticking_gravity_at_first() {
    let after = |fraction: f64, gravity: Gravity| {
        let mut model = swinging(STRETCHES[0]);
        model.gravity = Vec3::new(0.0, -9.8, 0.0);
        model.sheets[0].pins.push(drystone_cloth::Pin {
            vertices: vec![0],
            motion: drystone_cloth::Motion::Fixed,
            until: None,
        });
        let options = Options {
            elastic_fraction: fraction,
            gravity,
            ..Options::default()
        };
        let mut system = System::new(model, options).unwrap();
        system.advance(0.05);
        system.points(0)
    };
    let apart = |a: &[Vec3], b: &[Vec3]| {
        a.iter()
            .zip(b)
            .map(|(a, b)| (*a - *b).length())
            .fold(0.0, f64::max)
    };
    let truth = after(0.5 / 64.0, Gravity::Ballistic);
    let coarse = apart(&after(0.5 / 4.0, Gravity::Ballistic), &truth);
    let fine = apart(&after(0.5 / 8.0, Gravity::Ballistic), &truth);
    let ratio = coarse / fine;
    assert!(
        ratio > 3.0,
        "errors {coarse:.2e}, {fine:.2e}: ratio {ratio:.2}"
    );
    let ticking = apart(&after(0.5 / 64.0, Gravity::Ticking(1e-4)), &truth);
    let rough = apart(&after(0.5 / 64.0, Gravity::Ticking(1e-3)), &truth);
    assert!(
        ticking < 0.2 * rough,
        "ticking gravity: {ticking:.2e}, ten times coarser {rough:.2e}"
    );
}

/// Between two ticks energy is off by the square of the period: half the period, a quarter of what it swings by.
#[test]
fn energy_swings_by_the_square_of_the_period() {
    // twelve vertices of one mass with five springs each: one clock
    let ball = icosphere(1.0, 0);
    let swing = |fraction: f64| {
        let sheet = Sheet {
            name: "ball".into(),
            points: ball.vertices().to_vec(),
            faces: ball.triangles().to_vec(),
            velocities: ball
                .vertices()
                .iter()
                .map(|p| Vec3::new(0.3 * p.y * p.z, 0.5 * p.x, 0.4 * p.x * p.y))
                .collect(),
            material: Material {
                density: 0.0,
                vertex_mass: 0.1,
                stretch_damping: 0.0,
                bending: 0.0,
                ..Material::default()
            },
            ..Sheet::default()
        };
        let model = Model {
            sheets: vec![sheet],
            ..Model::default()
        };
        let options = Options {
            elastic_fraction: fraction,
            ..Options::default()
        };
        let mut system = System::new(model, options).unwrap();
        let period = 30.0 / system.advance(1.0).events.springs as f64;
        system.advance(0.5 * period);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..(1.0 / period) as u32 {
            let energy = system.advance(period).energy.total();
            (least, most) = (least.min(energy), most.max(energy));
        }
        (period, (most - least) / most)
    };
    let (long, coarse) = swing(0.2);
    let (short, fine) = swing(0.1);
    assert_eq!(long, 2.0 * short);
    let ratio = coarse / fine;
    assert!(
        ratio > 3.6 && ratio < 4.4,
        "swings by {coarse:.1e} and {fine:.1e}: ratio {ratio:.2}"
    ); // measured: 1.5e-3, 3.8e-4, ratio 4.03
}
