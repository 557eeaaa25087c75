//! Rest: where the layers carry the load, still, and held by friction.

use drystone_base::Vec3;
use drystone_cloth::{Model, Obstacle, Options, Sheet, System};

use crate::scenes::{DOWN, floor, particles};

/// Force of all layers of a pair `d` apart, for η(1) = 0.1 m and r(1) = 1000 N/m \[N\].
fn force(d: f64) -> f64 {
    let depth = |l: f64| (0.1 * l.powf(-0.25) - d).max(0.0);
    let force = |l: u32| 1000.0 * f64::from(l).powi(3) * depth(f64::from(l));
    (1..2000).map(force).sum()
}

/// How far apart a pair is whose layers push with `load`, by halving \[m\].
fn static_gap(load: f64) -> f64 {
    let (mut low, mut high) = (0.0, 0.1);
    for _ in 0..60 {
        let d = 0.5 * (low + high);
        (low, high) = if force(d) > load { (d, high) } else { (low, d) };
    }
    high
}

/// A particle over the middle of a face.
fn put_down(mass: f64, height: f64, restitution: f64) -> Model {
    let at = (Vec3::new(1.0, height, -1.0), Vec3::ZERO);
    let mut particle = particles("particle", &[at], restitution);
    particle.material.vertex_mass = mass;
    Model {
        sheets: vec![particle],
        obstacles: vec![floor(3.0)],
        gravity: DOWN,
        ..Model::default()
    }
}

#[test]
fn a_particle_rests_where_the_layers_carry_its_weight_however_it_came() {
    for mass in [0.001, 0.1, 1.0, 10.0, 100.0, 1000.0] {
        let gap = static_gap(9.8 * mass);
        for (height, e, step) in [
            (0.3, 0.0, 0.05),
            (0.3, 0.5, 0.013),
            (0.2, 0.2, 0.05),
            (0.1, 0.8, 0.05),
            (gap - 1e-3, 0.0, 0.031),
        ] {
            let mut system = System::new(put_down(mass, height, e), Options::default()).unwrap();
            while system.time() < 5.0 {
                assert_eq!(system.advance(step).stall, None);
            }
            // mean over all phases between two kicks
            let (mut mean, mut speed, samples) = (0.0, 0.0f64, 500);
            for _ in 0..samples {
                system.advance(std::f64::consts::PI * 1e-3);
                mean += force(system.points(0)[0].y) / (9.8 * mass) / f64::from(samples);
                speed = speed.max(system.velocities(0)[0].y.abs());
            }
            let what = format!("{mass} kg from {height} m at e = {e}");
            assert!((mean - 1.0).abs() < 0.01, "{what}: {mean} of its weight"); // measured: 0.4 %
            // half of what it falls between two ticks of the first layer
            let period = 0.2 / (1000.0 / mass).sqrt();
            assert!(speed < 0.5 * 9.8 * period, "{what}: {speed} m/s");
        }
    }
}

/// Flat on ground without end each vertex carries itself alone.
fn sheet_on_ground(friction: f64, gravity: Vec3, density: f64) -> Model {
    let mut sheet = Sheet::grid("sheet", 6, 6, 0.15).moved(Vec3::Y * 0.12);
    sheet.material.friction = friction;
    sheet.material.density = density;
    let ground = Obstacle {
        name: "ground".into(),
        points: vec![Vec3::ZERO, Vec3::Z, Vec3::X],
        planes: vec![[0, 1, 2]],
        friction,
        ..Obstacle::default()
    };
    Model {
        sheets: vec![sheet],
        obstacles: vec![ground],
        gravity,
        ..Model::default()
    }
}

#[test]
fn a_sheet_rests_where_the_layers_carry_its_weight() {
    for density in [0.1, 1.0, 10.0] {
        let model = sheet_on_ground(0.3, DOWN, density);
        let mut system = System::new(model, Options::default()).unwrap();
        for _ in 0..30 {
            assert_eq!(system.advance(0.1).stall, None);
        }
        let weight = 9.8 * density * (5.0f64 * 0.15).powi(2);
        let carried: f64 = system.points(0).iter().map(|x| force(x.y)).sum();
        let off = carried / weight - 1.0;
        assert!(off.abs() < 0.02, "{density} kg/m²: {off:.1e} off"); // measured: 2.7e-3
    }
}

/// Down a slope as steep as `part` of what friction holds.
fn down(part: f64, friction: f64) -> Vec3 {
    let angle = (part * friction).atan();
    Vec3::new(9.8 * angle.sin(), -9.8 * angle.cos(), 0.0)
}

#[test]
fn friction_holds_up_to_its_limit_without_creep_and_lets_slide_beyond() {
    let friction = 0.5;
    for mass in [0.01, 1.0, 30.0] {
        let run = |part: f64| {
            let mut model = put_down(mass, 0.1, 0.0);
            model.obstacles = vec![floor(100.0)];
            model.obstacles[0].friction = friction;
            model.sheets[0].material.friction = friction;
            model.gravity = down(part, friction);
            let mut system = System::new(model, Options::default()).unwrap();
            // the spring of friction takes a second until it is stretched
            system.advance(if part < 1.0 { 20.0 } else { 2.0 });
            let at = |s: &System| (s.points(0)[0].x, s.velocities(0)[0].x);
            let before = at(&system);
            system.advance(1.0);
            let after = at(&system);
            (after.0 - before.0, after.1 - before.1)
        };
        for part in [0.3, 0.6, 0.9] {
            let (crept, _) = run(part);
            assert!(
                crept.abs() < 1e-6,
                "{mass} kg at {part}: {crept:.1e} m in a second"
            );
        } // measured: 2e-11
        for part in [1.1, 1.5] {
            let (_, gained) = run(part);
            let slope = down(part, friction);
            let wanted = slope.x + friction * slope.y;
            assert!(
                (gained / wanted - 1.0).abs() < 0.01,
                "{mass} kg at {part}: {gained}, wanted {wanted}"
            );
        } // measured: 0.9 % at 30 kg, else 4e-4
    }
}

#[test]
fn between_the_two_angles_of_friction_what_rests_stays_and_what_slides_goes_on() {
    let contact = drystone_common::Material {
        friction: 0.3,
        static_friction: Some(0.6),
        restitution: 0.0,
    };
    for mass in [0.01, 1.0] {
        // a slope between the two, from where the layers carry the load
        let gravity = down(1.0, 0.45);
        let run = |speed: f64, seconds: f64| {
            let mut model = put_down(mass, static_gap(-gravity.y * mass), 0.0);
            model.sheets[0].velocities = vec![Vec3::X * speed];
            model.obstacles = vec![floor(100.0)];
            model.materials = drystone_common::Materials::new(vec![contact], Vec::new());
            model.sheets[0].contact_material = Some(0);
            model.obstacles[0].contact_material = Some(0);
            model.gravity = gravity;
            let mut system = System::new(model, Options::default()).unwrap();
            system.advance(seconds);
            let at = |s: &System| (s.points(0)[0].x, s.velocities(0)[0].x);
            let before = at(&system);
            system.advance(1.0);
            let after = at(&system);
            (after.0 - before.0, after.1 - before.1)
        };
        let (crept, _) = run(0.0, 20.0);
        assert!(crept.abs() < 1e-6, "{mass} kg: {crept:.1e} m in a second"); // measured: 0
        let (_, gained) = run(0.5, 1.0);
        let wanted = gravity.x + 0.3 * gravity.y;
        let off = gained / wanted - 1.0;
        assert!(off.abs() < 0.01, "{mass} kg slides: {off:.1e} off"); // measured: 3.2e-5
    }
}

#[test]
fn a_sheet_on_a_slope_at_nine_tenths_of_the_limit_stays() {
    for friction in [0.2, 0.6] {
        let model = sheet_on_ground(friction, down(0.9, friction), 0.1);
        let mut system = System::new(model, Options::default()).unwrap();
        system.advance(1.0);
        let before = system.points(0);
        system.advance(1.0);
        let moved = before
            .iter()
            .zip(system.points(0))
            .map(|(a, b)| (b - *a).length());
        let crept = moved.fold(0.0, f64::max);
        assert!(crept < 1e-6, "{crept:.1e} m in a second"); // measured: 8e-15
    }
}
