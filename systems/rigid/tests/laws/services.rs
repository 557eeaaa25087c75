//! What a user may count on beside the laws: snapshots, threads, materials, scripts, forces,
//! damping, and bodies that come later.

use drystone_base::functions::exp;
use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{
    Body, Key, Material, MaterialPair, Materials, Model, Motion, MotionPath, Options, State,
    Stepper, System, Weight,
};

use crate::build::*;
use crate::{G, at_least, at_most, is_near};

/// Many small islands: columns that stand, columns that fall, and balls that roll among them.
fn many_islands() -> Model {
    let mut model = model(0.4, 0.2);
    ground(&mut model);
    let mut random = Random::new(3);
    for k in 0..100 {
        let foot = Vec3::new(f64::from(k % 10) * 3.0, 0.0, f64::from(k / 10) * 3.0);
        for level in 0..6 {
            let aside = Vec3::new(
                random.range(-0.2, 0.2),
                0.5 + f64::from(level),
                random.range(-0.2, 0.2),
            );
            cube(&mut model, foot + aside, random.range(5.0, 20.0));
        }
        let i = ball(&mut model, 0.4, foot + Vec3::new(1.5, 0.4, 0.0), 10.0);
        model.start_linear_velocity[i] =
            Vec3::new(random.range(-3.0, 3.0), 0.0, random.range(-3.0, 3.0));
    }
    model
}

#[test]
fn a_snapshot_continues_bit_for_bit() {
    for kind in Stepper::ALL {
        for sleeping in [false, true] {
            let options = Options {
                stepper: kind,
                sleeping,
                ..Options::default()
            };
            let mut model = stack(5, 0.5, 0.3);
            let late = ball(&mut model, 0.3, Vec3::new(-2.0, 3.5, 0.0), 20.0);
            model.start_linear_velocity[late] = Vec3::X * 4.0;
            model.enters_at[late] = 0.3;
            let mut system = start(model, options.clone());
            run(&mut system, 0.35);
            let snapshot = system.state.clone();
            let mut other = start(system.model.clone(), options);
            other.state = snapshot.clone();
            run(&mut system, 0.6);
            run(&mut other, 0.6);
            assert_eq!(
                system.state,
                other.state,
                "{}: another system goes another way",
                kind.name()
            );
            system.state = snapshot;
            run(&mut system, 0.6);
            assert_eq!(
                system.state,
                other.state,
                "{}: going back goes another way",
                kind.name()
            );
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let with_threads = |threads: usize| -> State {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut system = start(many_islands(), Options::default());
            run(&mut system, 0.5);
            system.state
        })
    };
    let one = with_threads(1);
    assert!(
        one.contacts.patches.len() > 500,
        "{} patches",
        one.contacts.patches.len()
    );
    for threads in [2, 4] {
        assert!(
            with_threads(threads) == one,
            "{threads} threads differ from one"
        );
    }
}

#[test]
fn materials_combine_by_rule_and_by_pair() {
    // friction: geometric mean; restitution: the larger; a pair overrides both
    let ice = Material {
        friction: 0.05,
        restitution: 0.0,
        ..Material::default()
    };
    let rubber = Material {
        friction: 0.8,
        restitution: 0.6,
        ..Material::default()
    };
    let odd = MaterialPair {
        a: 0,
        b: 2,
        contact: Material {
            friction: 0.3,
            restitution: 0.9,
            ..Material::default()
        },
    };
    let materials = Materials::new(vec![ice, rubber, ice], vec![odd]);
    let stone = |material: usize, shape: Shape, at: Vec3, velocity: Vec3| {
        let mut model = Model::new(Vec3::Y * -G, materials.clone());
        ground(&mut model);
        let body = Body {
            material,
            pose: Pose::at(at),
            linear_velocity: velocity,
            weight: Weight::Mass(5.0),
            ..Body::new("stone", shape)
        };
        model.add(body).unwrap();
        start(model, Options::default())
    };
    for (material, friction, restitution) in [(0, 0.05, 0.0), (1, 0.2, 0.6), (2, 0.3, 0.9)] {
        let cube = Shape::Box {
            half: Vec3::splat(0.5),
        };
        let mut sliding = stone(material, cube, Vec3::Y * 0.5, Vec3::X * 3.0);
        run(&mut sliding, 0.5);
        let lost = 3.0 - sliding.state.linear_velocity[1].x;
        is_near(
            &format!("material {material}, friction"),
            lost / (0.5 * G),
            friction,
            0.01,
        ); // measured: 2.3e-13

        let mut falling = stone(
            material,
            Shape::Sphere { radius: 0.1 },
            Vec3::Y * 0.2,
            Vec3::Y * -2.0,
        );
        falling.model.gravity = Vec3::ZERO;
        run(&mut falling, 0.1);
        let off = (falling.state.linear_velocity[1].y - 2.0 * restitution).abs();
        at_most(
            &format!("material {material}, bounce off by [m/s]"),
            off,
            1e-6,
        ); // measured: 2.2e-16
    }
}

#[test]
fn a_scripted_platform_carries_a_box() {
    let mut model = model(0.5, 0.0);
    let keys = vec![
        Key::new(0.0, Pose::at(Vec3::Y * -0.5)),
        Key::new(4.0, Pose::at(Vec3::new(4.0, 1.5, 0.0))),
    ];
    let platform = Body {
        motion: Motion::Scripted(MotionPath::linear(&keys).unwrap()),
        ..Body::new(
            "platform",
            Shape::Box {
                half: Vec3::new(2.0, 0.5, 2.0),
            },
        )
    };
    model.add(platform).unwrap();
    let i = cube(&mut model, Vec3::Y * 0.5, 10.0);
    let v = Vec3::new(1.0, 0.5, 0.0);
    model.start_linear_velocity[i] = v;
    let mut system = start(model, Options::default());
    run(&mut system, 3.0);
    at_most(
        "carried by a script, speed off by [m/s]",
        (system.state.linear_velocity[i] - v).length(),
        1e-4,
    ); // measured: 6.1e-12
    let wanted = Vec3::Y * 0.5 + v * 3.0;
    at_most(
        "carried by a script, place off by [m]",
        system.state.position[i].distance(wanted),
        1e-3,
    ); // measured: 9.2e-12
}

#[test]
fn a_turning_platform_carries_a_box_round() {
    // 0.5 rad/s at 1 m: 0.25 m/s² of 0.5 g
    let mut model = model(0.5, 0.0);
    let key = |time: f64| {
        Key::new(
            time,
            Pose::new(
                Vec3::Y * -0.5,
                drystone_base::functions::rotation_about(Vec3::Y, 0.5 * time),
            ),
        )
    };
    let platform = Body {
        motion: Motion::Scripted(
            MotionPath::linear(&(0..5).map(|k| key(f64::from(k))).collect::<Vec<_>>()).unwrap(),
        ),
        ..Body::new(
            "platform",
            Shape::Box {
                half: Vec3::new(2.0, 0.5, 2.0),
            },
        )
    };
    model.add(platform).unwrap();
    let i = block(&mut model, Vec3::splat(0.2), Vec3::new(1.0, 0.2, 0.0), 10.0);
    model.start_linear_velocity[i] = Vec3::Z * -0.5;
    model.start_angular_velocity[i] = Vec3::Y * 0.5;
    let mut system = start(model, Options::default());
    run(&mut system, 3.0);
    let seat = drystone_base::functions::rotation_about(Vec3::Y, 1.5) * Vec3::new(1.0, 0.2, 0.0);
    // the velocity of a step is that of its start: ω² r dt²/2 outwards each time, 3.75 mm in all
    at_most(
        "carried round, place off by [m]",
        system.state.position[i].distance(seat),
        5e-3,
    ); // measured: 3.8e-3
}

/// A lone ball without contacts, changed as asked, after 1 s; its velocity \[m/s\].
fn lone(change: impl Fn(&mut Model), each_step: impl Fn(&mut System)) -> System {
    let mut model = model(0.5, 0.0);
    ball(&mut model, 0.5, Vec3::Y * 100.0, 2.0);
    change(&mut model);
    let mut system = start(model, Options::default());
    for _ in 0..100 {
        each_step(&mut system);
        system.advance(DT);
    }
    system
}

#[test]
fn gravity_scale_scales_gravity() {
    for scale in [0.0, 0.5, -1.0] {
        let system = lone(|model| model.gravity_scale[0] = scale, |_| {});
        let off = (system.state.linear_velocity[0].y + scale * G).abs();
        at_most(
            &format!("gravity scale {scale}, speed off by [m/s]"),
            off,
            1e-12,
        ); // measured: 1.8e-15
    }
}

#[test]
fn damping_wears_motion_down_exponentially() {
    // v' = -c v, implicit in substeps of 2.5 ms: half of c h off in the rate
    let system = lone(
        |model| {
            model.gravity = Vec3::ZERO;
            (model.linear_damping[0], model.angular_damping[0]) = (0.5, 1.0);
            model.start_linear_velocity[0] = Vec3::X * 2.0;
            model.start_angular_velocity[0] = Vec3::Y * 3.0;
        },
        |_| {},
    );
    is_near(
        "damped speed [m/s]",
        system.state.linear_velocity[0].x,
        2.0 * exp(-0.5),
        1e-3,
    ); // measured: 3.1e-4
    is_near(
        "damped spin [rad/s]",
        system.state.angular_velocity[0].y,
        3.0 * exp(-1.0),
        2e-3,
    ); // measured: 1.3e-3
}

#[test]
fn damping_acts_alike_on_a_body_in_contact() {
    let mut model = model(0.0, 0.0);
    ground(&mut model);
    let i = cube(&mut model, Vec3::Y * 0.5, 10.0);
    model.linear_damping[i] = 0.5;
    model.start_linear_velocity[i] = Vec3::X * 2.0;
    let mut system = start(model, Options::default());
    run(&mut system, 1.0);
    is_near(
        "damped speed on smooth ground [m/s]",
        system.state.linear_velocity[i].x,
        2.0 * exp(-0.5),
        1e-3,
    ); // measured: 3.1e-4
}

#[test]
fn forces_and_torques_accelerate() {
    let system = lone(
        |model| model.gravity = Vec3::ZERO,
        |system| {
            system.state.force[0] = Vec3::X * 6.0;
            system.state.torque[0] = Vec3::Z * 0.4;
        },
    );
    is_near(
        "speed by a force of 6 N on 2 kg in 1 s",
        system.state.linear_velocity[0].x,
        3.0,
        1e-12,
    ); // measured: 5.3e-15
    is_near(
        "spin by 0.4 N m on 0.2 kg m² in 1 s",
        system.state.angular_velocity[0].z,
        2.0,
        1e-12,
    ); // measured: 1.1e-13

    // off the centre, both at once; on the ground, against friction
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let i = cube(&mut model, Vec3::Y * 0.5, 10.0);
    let mut system = start(model, Options::default());
    for _ in 0..50 {
        let at = system.state.position[i];
        system.state.apply_force(i, Vec3::X * 60.0, at);
        system.advance(DT);
    }
    let wanted = (60.0 / 10.0 - 0.5 * G) * 0.5;
    is_near(
        "pulled over rough ground [m/s]",
        system.state.linear_velocity[i].x,
        wanted,
        1e-3,
    ); // measured: 2e-4
}

#[test]
fn bodies_enter_when_their_time_has_come() {
    let mut model = stack(2, 0.5, 0.0);
    let late = cube(&mut model, Vec3::Y * 2.5, 10.0);
    model.enters_at[late] = 0.5;
    let mut system = start(model, Options::default());
    run(&mut system, 0.4);
    assert!(!system.state.present[late]);
    assert_eq!(
        system.state.position[late],
        system.model.start_position[late]
    );
    run(&mut system, 2.0);
    assert!(system.state.present[late]);
    at_most("late cube, moved on its stack [m]", drift(&system).1, 1e-3); // measured: 1.5e-12

    // and one that is added to the running system
    let body = Body {
        pose: Pose::at(Vec3::Y * 4.0),
        weight: Weight::Mass(10.0),
        ..Body::new(
            "added",
            Shape::Box {
                half: Vec3::splat(0.5),
            },
        )
    };
    let added = system.add(body).unwrap();
    run(&mut system, 2.0);
    at_most(
        "added cube, lies off its place by [m]",
        (system.state.position[added].y - 3.5).abs(),
        1e-3,
    ); // measured: 1e-4
    at_least(
        "added cube, is present",
        f64::from(u8::from(system.state.present[added])),
        1.0,
    );
}
