//! Sleep: islands at rest stop moving, and wake for every reason they should.

use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{Body, Key, Model, Motion, MotionPath, Options, System};

use crate::build::*;
use crate::{at_least, at_most};

fn sleepy() -> Options {
    Options {
        sleeping: true,
        ..Options::default()
    }
}

/// A column of three cubes that has fallen asleep.
fn sleeping_column(model: Model) -> System {
    let mut system = start(model, sleepy());
    run(&mut system, 1.5);
    for i in 1..=3 {
        assert!(system.state.asleep[i], "cube {i} is awake after 1.5 s");
    }
    system
}

#[test]
fn a_stack_at_rest_falls_asleep_and_stays_where_it_is() {
    let mut system = sleeping_column(stack(3, 0.5, 0.0));
    let before = system.state.position.clone();
    run(&mut system, 1.0);
    assert_eq!(before, system.state.position);
    assert!(
        system
            .state
            .linear_velocity
            .iter()
            .all(|v| *v == Vec3::ZERO)
    );
    at_most(
        "fell asleep within [m] of its start",
        drift(&system).1,
        1e-4,
    ); // measured: 0
}

#[test]
fn nothing_sleeps_by_default() {
    let mut system = start(stack(3, 0.5, 0.0), Options::default());
    run(&mut system, 2.0);
    assert!(system.state.asleep.iter().all(|asleep| !asleep));
}

#[test]
fn a_body_in_the_air_does_not_sleep() {
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    let i = ball(&mut model, 0.5, Vec3::Y * 5.0, 1.0);
    let mut system = start(model, sleepy());
    run(&mut system, 2.0);
    assert!(!system.state.asleep[i]);
}

#[test]
fn an_impact_wakes_the_whole_stack() {
    let mut model = stack(3, 0.5, 0.0);
    let bullet = ball(&mut model, 0.3, Vec3::new(-10.0, 1.5, 0.0), 5.0);
    model.gravity_scale[bullet] = 0.0;
    model.start_linear_velocity[bullet] = Vec3::X * 5.0;
    model.enters_at[bullet] = 1.5;
    let mut system = sleeping_column(model);
    run(&mut system, 2.0);
    for i in 1..=3 {
        assert!(
            !system.state.asleep[i],
            "cube {i} sleeps through the impact"
        );
    }
    at_least("struck cube moved [m]", system.state.position[2].x, 0.01); // measured: 0.14
}

#[test]
fn an_impulse_wakes_the_whole_stack() {
    let mut system = sleeping_column(stack(3, 0.5, 0.0));
    let at = system.state.position[2];
    let System { model, state, .. } = &mut system;
    state.apply_impulse(model, 2, Vec3::X * 20.0, at);
    run(&mut system, 0.1);
    assert!((1..=3).all(|i| !system.state.asleep[i]));
    at_least("pushed cube moved [m]", system.state.position[2].x, 0.01); // measured: 0.12
}

#[test]
fn a_force_wakes_the_whole_stack() {
    let mut system = sleeping_column(stack(3, 0.5, 0.0));
    let at = system.state.position[3];
    system.state.apply_force(3, Vec3::Y * 300.0, at);
    system.advance(DT);
    assert!((1..=3).all(|i| !system.state.asleep[i]));
}

#[test]
fn a_moving_script_wakes_what_lies_on_it() {
    let mut model = model(0.5, 0.0);
    let keys = vec![
        Key::new(0.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(2.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(3.0, Pose::at(Vec3::new(0.0, 0.5, 0.0))),
    ];
    let lift = Body {
        motion: Motion::Scripted(MotionPath::linear(&keys).unwrap()),
        ..Body::new(
            "lift",
            Shape::Box {
                half: Vec3::new(2.0, 0.5, 2.0),
            },
        )
    };
    model.add(lift).unwrap();
    for k in 0..3 {
        cube(&mut model, Vec3::Y * (0.5 + f64::from(k)), 10.0);
    }
    let mut system = sleeping_column(model);
    run(&mut system, 2.0);
    let risen = system.state.position[3].y - system.model.start_position[3].y;
    at_most("lifted by 1 m, off by [m]", (risen - 1.0).abs(), 2e-3); // measured: 1e-4
}

#[test]
fn a_support_that_is_taken_away_wakes_what_leaned_on_it() {
    // removed by the user, or quarantined because its motion is not finite
    let remove = |system: &mut System| system.state.remove(1);
    let spoil = |system: &mut System| system.state.position[1].x = f64::NAN;
    for take_away in [&remove as &dyn Fn(&mut System), &spoil] {
        let mut system = sleeping_column(stack(3, 0.5, 0.0));
        take_away(&mut system);
        run(&mut system, 0.6);
        assert!(system.state.removed[1] && !system.state.present[1]);
        let fallen = system.model.start_position[3].y - system.state.position[3].y;
        at_most(
            "upper cubes fell by 1 m, off by [m]",
            (fallen - 1.0).abs(),
            1e-3,
        ); // measured: 1.5e-4
    }
}

#[test]
fn a_body_spoilt_by_its_user_harms_no_other() {
    for what in ["position", "velocity", "force"] {
        let mut system = start(stack(3, 0.5, 0.0), Options::default());
        run(&mut system, 0.2);
        let wrong = Vec3::new(0.0, f64::NAN, 0.0);
        match what {
            "position" => system.state.position[3] = wrong,
            "velocity" => system.state.linear_velocity[3] = wrong,
            _ => system.state.force[3] = wrong,
        }
        assert_eq!(system.advance(DT).quarantined, [3], "{what}");
        run(&mut system, 0.5);
        assert!(system.state.present[1] && system.state.present[2], "{what}");
        at_most(
            &format!("spoilt {what}, others moved [m]"),
            drift(&system).1,
            1e-4,
        ); // measured: 2.8e-14
    }
}

#[test]
fn a_support_pulled_away_by_a_script_wakes_what_leaned_on_it() {
    let mut model = model(0.0, 0.0);
    let keys = vec![
        Key::new(0.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(2.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(2.5, Pose::at(Vec3::new(50.0, -0.5, 0.0))),
    ];
    let table = Body {
        motion: Motion::Scripted(MotionPath::linear(&keys).unwrap()),
        ..Body::new(
            "table",
            Shape::Box {
                half: Vec3::new(2.0, 0.5, 2.0),
            },
        )
    };
    model.add(table).unwrap();
    for k in 0..3 {
        cube(&mut model, Vec3::Y * (0.5 + f64::from(k)), 10.0);
    }
    let mut system = sleeping_column(model);
    run(&mut system, 1.5);
    let fallen = system.model.start_position[1].y - system.state.position[1].y;
    at_least("cubes fell by [m]", fallen, 1.0); // measured: 4.6
}

#[test]
fn a_fast_script_that_jumps_away_wakes_what_leaned_on_it() {
    // gone within one step: it is out of reach before it is seen to move
    let mut model = model(0.5, 0.0);
    let keys = vec![
        Key::new(0.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(2.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(2.001, Pose::at(Vec3::new(0.0, -20.0, 0.0))),
    ];
    let trapdoor = Body {
        motion: Motion::Scripted(MotionPath::linear(&keys).unwrap()),
        ..Body::new(
            "trapdoor",
            Shape::Box {
                half: Vec3::new(2.0, 0.5, 2.0),
            },
        )
    };
    model.add(trapdoor).unwrap();
    for k in 0..3 {
        cube(&mut model, Vec3::Y * (0.5 + f64::from(k)), 10.0);
    }
    let mut system = sleeping_column(model);
    run(&mut system, 1.5);
    let fallen = system.model.start_position[1].y - system.state.position[1].y;
    at_least("cubes fell by [m]", fallen, 1.0); // measured: 4.9
}

#[test]
fn a_sleeping_scene_ends_where_an_awake_one_does() {
    let at_end = |options: Options| {
        let mut model = stack(3, 0.5, 0.0);
        let late = cube(&mut model, Vec3::Y * 5.0, 10.0);
        model.enters_at[late] = 2.0;
        let mut system = start(model, options);
        run(&mut system, 5.0);
        system.state.position[late]
    };
    let apart = at_end(sleepy()).distance(at_end(Options::default()));
    at_most("sleeping and awake runs end apart by [m]", apart, 1e-3); // measured: 1.6e-9
}
