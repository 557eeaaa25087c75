//! Contact: restitution, friction, safety at speed, closed forms.

use drystone_base::Vec3;
use drystone_cloth::{Certificate, Model, Options, System};

use crate::scenes::{floor, particles, walkthrough, with};

/// At rest the layers push with more than the weight while it sinks, with less while it rises.
#[test]
fn a_particle_comes_to_rest_where_the_layers_carry_its_weight() {
    let e = 0.8;
    let mut model = walkthrough(e);
    // over the middle of a triangle: one face pushes
    model.sheets[0].points[0] = Vec3::new(1.0, 0.3, -1.0);
    let mut system = System::new(model, Options::default()).unwrap();
    for _ in 0..100 {
        assert_eq!(system.advance(0.05).stall, None);
    }
    let (x, v) = (system.points(0)[0], system.velocities(0)[0]);
    let force = |d: f64| {
        (1..50)
            .map(|l| 1000.0 * f64::from(l).powi(3) * (0.1 * f64::from(l).powf(-0.25) - d).max(0.0))
            .sum::<f64>()
    };
    let (sinking, rising) = (force(x.y), e * e * force(x.y));
    assert!(
        rising < 9.8 * 1.02 && sinking > 9.8 * 0.98,
        "rests at {}: {sinking} N sinking, {rising} N rising",
        x.y
    );
    assert!(v.length() < 2e-2, "still moves at {}", v.length());
}

#[test]
fn nothing_tunnels_at_any_speed() {
    for speed in [1.0, 10.0, 100.0, 1e3, 1e4] {
        for certificate in [
            Certificate::Ball,
            Certificate::Slab,
            Certificate::BruteForce,
        ] {
            let mut floor = floor(3.0);
            floor.restitution = 1.0;
            let model = Model {
                sheets: vec![particles(
                    "shot",
                    &[(Vec3::new(0.3, 1.0, 0.2), Vec3::new(0.0, -speed, 0.0))],
                    1.0,
                )],
                obstacles: vec![floor],
                ..Model::default()
            };
            let mut system = System::new(model, with(certificate)).unwrap();
            let mut least = f64::INFINITY;
            let report = system.advance_watched(2.0 / speed, |state| {
                let v = &state.vertices()[0];
                let h = drystone_cloth::seconds(state.time() - v.time);
                least = least.min((v.position + v.velocity * h).y);
            });
            assert_eq!(report.stall, None, "{speed} m/s");
            assert!(
                least > 0.0,
                "{certificate:?}: at {speed} m/s it got to {least}"
            );
            let back = system.velocities(0)[0].y;
            assert!(
                back > 0.0,
                "{certificate:?}: at {speed} m/s it moves on with {back}"
            );
        }
    }
}

/// Speed out over speed in is the coefficient of restitution, light or heavy.
#[test]
fn restitution_is_what_was_asked_for() {
    for e in [0.0, 0.3, 0.5, 0.8, 1.0] {
        for mass in [0.01, 1.0, 50.0] {
            let mut floor = floor(3.0);
            floor.restitution = e;
            let mut shot = particles(
                "shot",
                &[(Vec3::new(0.3, 0.3, 0.2), Vec3::new(0.0, -2.0, 0.0))],
                e,
            );
            shot.material.vertex_mass = mass;
            let model = Model {
                sheets: vec![shot],
                obstacles: vec![floor],
                ..Model::default()
            };
            let options = Options {
                penalty_fraction: 0.01,
                ..Options::default()
            };
            let mut system = System::new(model, options).unwrap();
            system.advance(1.0);
            let out = system.velocities(0)[0].y / 2.0;
            assert!((out - e).abs() < 0.02, "mass {mass}: wanted {e}, got {out}");
        }
    }
}

/// Equal masses exchange their velocities head on.
#[test]
fn two_particles_exchange_their_velocities() {
    let at = |x: f64, v: f64| (Vec3::new(x, 0.0, 0.0), Vec3::new(v, 0.0, 0.0));
    let model = Model {
        sheets: vec![particles("pair", &[at(-0.5, 1.0), at(0.5, -0.5)], 1.0)],
        ..Model::default()
    };
    let options = Options {
        penalty_fraction: 0.01,
        ..Options::default()
    };
    let mut system = System::new(model, options).unwrap();
    system.advance(2.0);
    let v = system.velocities(0);
    assert!(
        (v[0].x + 0.5).abs() < 0.01 && (v[1].x - 1.0).abs() < 0.01,
        "{v:?}"
    );
}

/// On a slope a block slides if and only if it is steeper than its friction, and as fast as it should.
#[test]
fn friction_holds_or_lets_slide() {
    let (sine, cosine) = (0.5, 0.75f64.sqrt());
    for friction in [0.0, 0.3, 0.8] {
        let mut floor = floor(50.0);
        floor.friction = friction;
        let mut block = particles("block", &[(Vec3::new(0.3, 0.092, 0.2), Vec3::ZERO)], 0.0);
        block.material.friction = friction;
        let model = Model {
            sheets: vec![block],
            obstacles: vec![floor],
            gravity: Vec3::new(9.8 * sine, -9.8 * cosine, 0.0),
            ..Model::default()
        };
        let mut system = System::new(model, Options::default()).unwrap();
        system.advance(0.5);
        let before = system.velocities(0)[0].x;
        system.advance(0.5);
        let gained = (system.velocities(0)[0].x - before) / 0.5;
        let wanted = (9.8 * (sine - friction * cosine)).max(0.0);
        assert!(
            (gained - wanted).abs() < 0.05 * 9.8,
            "friction {friction}: {gained} m/s², wanted {wanted}"
        );
    }
}
