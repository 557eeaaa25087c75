//! What a user may do to it without harm: steps of no length, bodies in one place, masses a
//! billion apart, scenes far from the origin, things of millimetres and of hundreds of metres.

use drystone_base::Vec3;
use drystone_base::random::Random;
use drystone_rigid::{Options, System, energy};

use crate::build::*;
use crate::{G, at_most};

/// Whether every number of the state is finite.
fn is_finite(system: &System) -> bool {
    let state = &system.state;
    let vectors = [
        &state.position,
        &state.linear_velocity,
        &state.angular_velocity,
    ];
    vectors
        .iter()
        .all(|list| list.iter().all(|v| v.is_finite()))
        && state.rotation.iter().all(|q| q.is_finite())
}

#[test]
fn a_step_of_no_length_changes_nothing() {
    for dt in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let mut system = start(stack(3, 0.5, 0.0), Options::default());
        run(&mut system, 0.1);
        let before = system.state.clone();
        system.advance(dt);
        assert_eq!(before, system.state, "step of {dt} s");
    }
}

#[test]
fn steps_of_any_length_keep_a_stack_standing() {
    for dt in [1e-6, 1e-4, 1.0 / 240.0, 1.0 / 24.0, 0.1] {
        let mut system = start(stack(3, 0.5, 0.0), Options::default());
        for _ in 0..50 {
            system.advance(dt);
        }
        assert!(is_finite(&system));
        at_most(
            &format!("steps of {dt} s, moved [m]"),
            drift(&system).1,
            1e-3,
        ); // measured: 3e-14
    }
}

#[test]
fn bodies_in_one_place_come_apart_or_stay_but_do_not_fly() {
    for balls in [false, true] {
        let mut model = model(0.5, 0.0);
        ground(&mut model);
        for _ in 0..20 {
            if balls {
                ball(&mut model, 0.5, Vec3::Y * 2.0, 10.0);
            } else {
                cube(&mut model, Vec3::Y * 2.0, 10.0);
            }
        }
        let mut system = start(model, Options::default());
        let mut fastest = 0.0f64;
        for _ in 0..300 {
            let report = system.advance(DT);
            assert!(report.quarantined.is_empty());
            fastest = system
                .state
                .linear_velocity
                .iter()
                .fold(fastest, |v, u| v.max(u.length()));
        }
        assert!(is_finite(&system));
        // a fall from where they are pressed to is allowed
        at_most(
            &format!("bodies in one place, balls {balls}, fastest [m/s]"),
            fastest,
            30.0,
        ); // measured: 6.3
        let farthest = system
            .state
            .position
            .iter()
            .map(|x| x.length())
            .fold(0.0, f64::max);
        at_most(
            &format!("bodies in one place, balls {balls}, farthest [m]"),
            farthest,
            50.0,
        ); // measured: 20
    }
}

#[test]
fn a_billion_to_one_stays_bounded() {
    // a pebble under a mountain, and a pebble thrown at it
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    cube(&mut model, Vec3::Y * 0.5, 1e-3);
    cube(&mut model, Vec3::Y * 1.5, 1e6);
    let pebble = ball(&mut model, 0.2, Vec3::new(-3.0, 1.5, 0.0), 1e-3);
    model.start_linear_velocity[pebble] = Vec3::X * 10.0;
    let mut system = start(model, Options::default());
    let mut fastest = 0.0f64;
    for _ in 0..500 {
        system.advance(DT);
        fastest = system
            .state
            .linear_velocity
            .iter()
            .fold(fastest, |v, u| v.max(u.length()));
    }
    assert!(is_finite(&system));
    at_most("a billion to one, fastest [m/s]", fastest, 12.0); // measured: 10
    let upper = system.state.position[2];
    at_most(
        "a billion to one, the heavy one sank by [m]",
        1.5 - upper.y,
        1e-3,
    ); // measured: 6.2e-11
}

#[test]
fn a_stack_far_from_the_origin_stands_as_well() {
    for far in [1e3, 1e6] {
        let mut model = stack(5, 0.5, 0.0);
        for x in &mut model.start_position[1..] {
            *x += Vec3::new(far, 0.0, -far);
        }
        let mut system = start(model, Options::default());
        run(&mut system, 3.0);
        at_most(
            &format!("stack {far} m away, moved [m]"),
            drift(&system).1,
            1e-5,
        ); // measured: 8.5e-14
    }
}

#[test]
fn small_and_large_stacks_stand() {
    for size in [1e-3, 1e-2, 1.0, 1e2, 1e3] {
        let mut model = model(0.5, 0.0);
        ground(&mut model);
        for k in 0..5 {
            let at = Vec3::Y * (0.5 + f64::from(k)) * size;
            block(
                &mut model,
                Vec3::splat(0.5 * size),
                at,
                1000.0 * size * size * size,
            );
        }
        let mut system = start(model, Options::default());
        run(&mut system, 3.0);
        at_most(
            &format!("stack of {size} m cubes, moved, over their size"),
            drift(&system).1 / size,
            1e-3,
        ); // measured: 4.4e-14
        let kinetic = energy::kinetic_energy(&system.state, &system.model);
        let weight = 5000.0 * size * size * size * G * size;
        at_most(
            &format!("stack of {size} m cubes, kinetic energy over weight times size"),
            kinetic / weight,
            1e-6,
        ); // measured: 2.7e-12
    }
}

#[test]
fn a_storm_of_bodies_stays_finite() {
    let mut model = model(0.6, 0.5);
    ground(&mut model);
    let mut random = Random::new(9);
    for _ in 0..60 {
        let at = Vec3::new(
            random.range(-2.0, 2.0),
            random.range(0.3, 4.0),
            random.range(-2.0, 2.0),
        );
        let i = cube(&mut model, at, random.range(0.1, 100.0));
        model.start_rotation[i] = random.rotation();
        model.start_linear_velocity[i] =
            Vec3::new(random.range(-50.0, 50.0), random.range(-50.0, 50.0), 0.0);
        model.start_angular_velocity[i] = Vec3::splat(random.range(-50.0, 50.0));
    }
    let mut system = start(model, Options::default());
    let energy_of = |system: &System| {
        energy::kinetic_energy(&system.state, &system.model)
            + energy::potential_energy(&system.state, &system.model)
    };
    let before = energy_of(&system);
    let mut most = 0.0f64;
    for _ in 0..300 {
        assert!(system.advance(DT).quarantined.is_empty());
        most = most.max(energy_of(&system));
    }
    assert!(is_finite(&system));
    at_most("storm, energy over that of the start", most / before, 1.01); // measured: 0.35
}
