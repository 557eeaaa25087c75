//! Scenes survive a file, and generators build what they say.

use std::collections::BTreeSet;
use std::f64::consts::PI;

use drystone_base::Vec3;
use drystone_world::*;

fn every_pattern() -> Vec<Pattern> {
    vec![
        Pattern::Stack(Stack {
            turn_degrees: 57.0,
            shift: [0.1, 0.0],
            ..Stack::default()
        }),
        Pattern::Wall(Wall::default()),
        Pattern::Ring(Ring::default()),
        Pattern::Pyramid(Pyramid {
            base: 4,
            ..Pyramid::default()
        }),
        Pattern::Arch(Arch::default()),
        Pattern::House(House::default()),
        Pattern::CardHouse(CardHouse::default()),
        Pattern::Dominoes(Dominoes::default()),
        Pattern::Line(Line {
            tumble: true,
            ..Line::default()
        }),
        Pattern::Grid(Grid {
            jitter: [0.1; 3],
            ..Grid::default()
        }),
        Pattern::Nails(Nails::default()),
        Pattern::Column(Column {
            vary: [0.5, 1.0],
            ..Column::default()
        }),
        Pattern::Fill(Fill {
            shapes: vec![Shape::cube(0.3), Shape::ball(0.2)],
            ..Fill::default()
        }),
    ]
}

/// One of everything that a scene can say.
fn rich_scene() -> Scene {
    let mut scene = Scene::new();
    scene.name = "rich".into();
    scene.about = "one of everything".into();
    scene.seed = 7;
    scene.preset = Some("paper".into());
    scene.solver.rigid.vsp.sweeps = 17;
    scene.camera = Some(Camera::new([10.0, 5.0, 3.0], [0.0, 1.0, 0.0]));
    scene
        .material("brick", 0.7, 0.1)
        .contact("brick", "default", 0.3, 0.2)
        .ground();
    let hull = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let part = Part::new(Shape::ball(0.3), [0.5, 0.0, 0.0]).turned([0.0, 0.0, 1.0], 30.0);
    let shapes = [
        Shape::cube(1.0),
        Shape::ball(0.5),
        Shape::Capsule {
            length: 1.0,
            radius: 0.2,
        },
        Shape::Hull {
            points: hull.clone(),
        },
        Shape::Compound {
            parts: vec![Part::new(Shape::cube(0.5), [0.0; 3]), part],
        },
        Shape::Mesh(Mesh::builtin(Builtin::Animal)),
        Shape::Mesh(Mesh::new(
            hull,
            vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        )),
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        scene.add(
            Body::new(shape)
                .named(format!("body {i}"))
                .at(3.0 * i as f64, 1.0 / 3.0, 0.1)
                .turned([1.0, 2.0, 3.0], 12.5)
                .mass(1.5)
                .velocity(0.1, 0.2, 0.3)
                .spin(1e-7, 0.0, 2.0)
                .of("brick")
                .enters_at(0.25)
                .colour(0.9, 0.5, 0.1),
        );
    }
    let keys = vec![
        Key::new(0.0, [0.0, 9.0, 0.0]),
        Key::new(1.0, [1.0, 9.0, 0.0]).turned([0.0, 1.0, 0.0], 90.0),
    ];
    scene.add(Body::cube(1.0).named("carriage").along(keys));
    for (i, pattern) in every_pattern().into_iter().enumerate() {
        let x = 100.0 * (i + 1) as f64;
        scene.generate(
            Generator::new("", pattern)
                .at(x, 0.0, 0.0)
                .density(500.0)
                .of("brick"),
        );
    }
    for truth in every_truth() {
        scene.truth(truth);
    }
    scene
}

fn every_truth() -> Vec<Truth> {
    let (all, one) = ("*", "body 1");
    vec![
        truth::stands_still(all, 1e-3)
            .over(..2.0)
            .with("sideways", true),
        truth::falls(one, 0.1, 0.0, 3.0),
        truth::moves(all, 0.1),
        truth::penetration_below(3e-4).over(1.0..),
        truth::mean_penetration_below(2e-4),
        truth::kinetic_energy_below().with("per_kg", 1e-6),
        truth::standing_fraction(all, 0.25, 0.5)
            .with("at_least", 0.9)
            .at(6.0),
        truth::speed_below(all, 35.0),
        truth::stays_inside(all, [-5.0; 3], [5.0; 3]),
        truth::stays_above(all, 0.1),
        truth::stays_finite(),
        truth::momentum_kept(1e-10).with("along", [1.0, 0.0, 0.0]),
        truth::angular_momentum_kept(1e-10),
        truth::energy_never_rises(1e-9),
        truth::moved_by(one, [0.0, 1.0, 0.0], 0.12, 0.005).at(0.2),
        truth::speed_is(one, 2.0, 1e-4),
        truth::spin_is(one, 2.0, 1e-4),
        truth::turned_by(one, 90.0, 1.0),
        truth::tumbles(one, 150.0),
        truth::comes_to_rest(all, 2.0),
        truth::contact_count(1).with("at_most", 100_u64),
    ]
}

#[test]
fn a_scene_survives_toml_and_json() {
    let scene = rich_scene();
    scene.validate().unwrap();
    let text = toml::to_string(&scene).unwrap();
    assert_eq!(toml::from_str::<Scene>(&text).unwrap(), scene);
    let text = serde_json::to_string(&scene).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), scene);
}

#[test]
fn a_short_file_is_enough() {
    let scene: Scene = toml::from_str(
        r#"
        [[body]]
        shape = "half-space"
        motion = "fixed"

        [[body]]
        shape.box = { size = [1, 1, 1] }
        position = [0, 0.5, 0]

        [[generate]]
        pattern.ring = { bricks = 20 }

        [[truth]]
        stands-still = { drift = 0.001 }
        "#,
    )
    .unwrap();
    scene.validate().unwrap();
    let names: Vec<String> = scene
        .expand()
        .unwrap()
        .into_iter()
        .map(|body| body.name)
        .collect();
    assert_eq!(names.len(), 2 + 400);
    assert_eq!(names[..3], ["half-space-0", "box-1", "ring/0/0"]);
    assert!(names.contains(&"ring/3/17".to_owned()));
    assert_eq!(scene.step(), 0.01);
}

#[test]
fn an_unknown_key_is_refused() {
    for text in [
        "duratoin = 3",
        "[[body]]\nshape.box = { size = [1,1,1], radius = 2 }",
        "[[body]]\nshape.sphere = { radius = 1 }\nmas = 3",
        "[[generate]]\npattern.ring = { brick = 20 }",
        "[[truth]]\nstands-still = { drif = 1 }",
        "[solver.rigid]\nstepsize = 3",
    ] {
        assert!(toml::from_str::<Scene>(text).is_err(), "{text}");
    }
}

#[test]
fn the_schema_names_every_key_with_its_meaning() {
    let schema = serde_json::to_string(&schemars::schema_for!(Scene)).unwrap();
    for key in [
        "frame_rate",
        "half_bricks",
        "stands-still",
        "gravity_scale",
        "restitution",
        "Coulomb's coefficient",
    ] {
        assert!(schema.contains(key), "{key}");
    }
}

#[test]
fn generators_make_as_many_bodies_as_they_say_all_with_their_own_name() {
    for pattern in every_pattern() {
        let kind = pattern.kind();
        let mut scene = Scene::new();
        scene.generate(Generator::new("", pattern));
        let bodies = scene.expand().unwrap();
        assert_eq!(bodies.len() as u64, scene.generators[0].count(), "{kind}");
        let names: BTreeSet<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names.len(), bodies.len(), "{kind}");
        assert!(
            names
                .iter()
                .all(|name| name.starts_with(&format!("{kind}/"))),
            "{kind}"
        );
        assert_eq!(
            scene.expand().unwrap(),
            bodies,
            "{kind}: the seed alone decides"
        );
    }
}

#[test]
fn counts_of_the_published_scenes() {
    let count = |pattern| Generator::new("x", pattern).count();
    assert_eq!(count(Pattern::Pyramid(Pyramid::default())), 1240);
    assert_eq!(count(Pattern::CardHouse(CardHouse::default())), 40);
    assert_eq!(count(Pattern::House(House::default())), 290);
    assert_eq!(count(Pattern::Wall(Wall::default())), 200);
    assert_eq!(
        count(Pattern::Ring(Ring {
            bricks: 20,
            layers: 40,
            ..Ring::default()
        })),
        800
    );
}

fn only(pattern: Pattern) -> Vec<Body> {
    let mut scene = Scene::new();
    scene.generate(Generator::new("x", pattern));
    scene.expand().unwrap()
}

#[test]
fn a_ring_stands_where_the_benchmark_puts_it() {
    let ring = Ring {
        bricks: 20,
        layers: 40,
        ..Ring::default()
    };
    let radius = 0.25 + 0.5 / (PI / 20.0).tan() + 0.02;
    assert!((ring.radius() - radius).abs() < 1e-14);
    let bodies = only(Pattern::Ring(ring));
    let third = bodies.iter().find(|body| body.name == "x/3/17").unwrap();
    let angle = 2.0 * PI / 20.0 * 17.5;
    let wanted = Vec3::new(radius * angle.cos(), 1.75, -radius * angle.sin());
    assert!((Vec3::from(third.position) - wanted).length() < 1e-13);
    // the brick's x axis points outwards
    let outwards = third.pose().direction(Vec3::X);
    assert!((outwards - Vec3::new(angle.cos(), 0.0, -angle.sin())).length() < 1e-14);
}

#[test]
fn a_wall_is_as_long_as_its_bricks_and_closed_at_both_ends() {
    let bodies = only(Pattern::Wall(Wall::default()));
    for row in 0..10 {
        let bricks: Vec<&Body> = bodies
            .iter()
            .filter(|body| body.name.starts_with(&format!("x/{row}/")))
            .collect();
        assert_eq!(bricks.len(), 20);
        let mut edge = -9.75;
        for brick in bricks {
            let Shape::Box { size } = brick.shape else {
                panic!()
            };
            assert!(
                (brick.position[0] - 0.5 * size[0] - edge).abs() < 1e-12,
                "{}",
                brick.name
            );
            edge += size[0];
        }
        assert!((edge - 9.75).abs() < 1e-12);
    }
}

#[test]
fn cards_lean_as_published() {
    let bodies = only(Pattern::CardHouse(CardHouse::default()));
    let find = |name: &str| bodies.iter().find(|body| body.name == name).unwrap();
    // half-offset 0.307, pitch 2, next level shifted by 1 and raised by 2.058
    let (left, right) = (find("x/0/2/left"), find("x/0/2/right"));
    assert!((right.position[0] - left.position[0] - 2.0 * 0.307).abs() < 1e-3);
    let above = find("x/1/2/left");
    assert!((above.position[0] - left.position[0] - 1.0).abs() < 1e-12);
    assert!((above.position[1] - left.position[1] - 2.058).abs() < 1e-3);
    // both lean inwards
    assert!(left.pose().direction(Vec3::Y).x > 0.0 && right.pose().direction(Vec3::Y).x < 0.0);
}

#[test]
fn voussoirs_fill_the_arch_without_gap() {
    let arch = Arch {
        voussoirs: 15,
        ..Arch::default()
    };
    let bodies = only(Pattern::Arch(arch));
    let corners = |body: &Body| -> Vec<Vec3> {
        let Shape::Hull { points } = &body.shape else {
            panic!()
        };
        points
            .iter()
            .map(|&p| body.pose().point(Vec3::from(p)))
            .collect()
    };
    // the upper face of one stone is the lower face of the next
    for pair in bodies.windows(2) {
        let (a, b) = (corners(&pair[0]), corners(&pair[1]));
        let shared = a
            .iter()
            .filter(|p| b.iter().any(|q| (**p - *q).length() < 1e-12))
            .count();
        assert_eq!(shared, 4);
    }
    assert_eq!(
        corners(&bodies[0])
            .iter()
            .filter(|p| p.y.abs() < 1e-12)
            .count(),
        4
    );
}

/// Smallest and largest corner of an axis-aligned box.
fn extent(body: &Body) -> (Vec3, Vec3) {
    body.shape.bounds_in(&body.pose()).unwrap()
}

#[test]
fn bricks_of_a_house_do_not_overlap_and_every_one_is_carried() {
    let bodies = only(Pattern::House(House::default()));
    for (i, a) in bodies.iter().enumerate() {
        let (low_a, high_a) = extent(a);
        let mut carried = low_a.y < 1e-9;
        for (j, b) in bodies.iter().enumerate() {
            let (low_b, high_b) = extent(b);
            let overlap = (high_a.min(high_b) - low_a.max(low_b)).min_element();
            assert!(i == j || overlap < 1e-9, "{} in {}", a.name, b.name);
            let (x, z) = (
                high_a.x.min(high_b.x) - low_a.x.max(low_b.x),
                high_a.z.min(high_b.z) - low_a.z.max(low_b.z),
            );
            carried |= (high_b.y - low_a.y).abs() < 1e-9 && x > 0.1 && z > 0.1;
        }
        assert!(carried, "{}", a.name);
    }
}

#[test]
fn a_fill_has_no_overlaps_and_a_full_box_says_so() {
    let fill = Fill {
        count: 500,
        shapes: vec![Shape::ball(0.3), Shape::cube(0.4)],
        ..Fill::default()
    };
    let bodies = only(Pattern::Fill(fill.clone()));
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[..i] {
            let distance = (Vec3::from(a.position) - Vec3::from(b.position)).length();
            assert!(
                distance >= a.shape.reach() + b.shape.reach(),
                "{} and {}",
                a.name,
                b.name
            );
        }
    }
    let mut scene = Scene::new();
    scene.generate(Generator::new(
        "x",
        Pattern::Fill(Fill {
            count: 50_000,
            ..fill
        }),
    ));
    let error = scene.expand().unwrap_err().to_string();
    assert!(error.contains("full after"), "{error}");
}

#[test]
fn a_preset_is_overlaid_by_what_the_scene_sets() {
    let scene = rich_scene();
    let options = scene.options().unwrap();
    assert_eq!(options.stepper, Stepper::Vsp);
    assert_eq!(options.vsp.sweeps, 17);
    assert_eq!(options.two_level, Options::default().two_level);
    // once settled, the default counts too
    let mut scene = scene;
    scene.settle_options().unwrap().stepper = Stepper::TwoLevel;
    let settled = scene.options().unwrap();
    assert_eq!(
        (settled.stepper, settled.vsp.sweeps),
        (Stepper::TwoLevel, 17)
    );
}

#[test]
fn a_value_beside_a_preset_is_never_ignored() {
    let sweeps = Options::default().two_level.sweeps;
    // also where it is the default, and in words of older files
    let given = serde_json::json!({"two_level": {"sweeps": sweeps}});
    for file in [
        serde_json::json!({"solver": {"rigid": given}}),
        serde_json::json!({"solver": given}),
        serde_json::json!({"rigid_solver": given}),
    ] {
        let mut scene = Scene::new();
        scene.preset = Some("converged".into());
        assert_ne!(scene.options().unwrap().two_level.sweeps, sweeps);
        let kept = scene.options().unwrap().two_level.substeps;
        scene.settle_given(&file).unwrap();
        let options = scene.options().unwrap();
        assert_eq!(
            (options.two_level.sweeps, options.two_level.substeps),
            (sweeps, kept)
        );
    }
    // what is written beside a preset is what differs, so that reading it changes nothing
    let rich = rich_scene();
    let data = serde_json::to_value(&rich).unwrap();
    let rigid = &data["solver"]["rigid"];
    assert_eq!(*rigid, serde_json::json!({"vsp": {"sweeps": 17}}));
    let mut read: Scene = serde_json::from_value(data.clone()).unwrap();
    read.settle_given(&data).unwrap();
    assert_eq!(read, rich);
}

#[test]
fn a_frame_is_a_whole_number_of_steps() {
    for (dt, frame_rate, step, count) in [
        (0.01, 50.0, 0.01, 2),
        (0.01, 100.0, 0.01, 1),
        (0.01, 24.0, 1.0 / 120.0, 5),
        (0.01, 1000.0, 0.001, 1),
        (1.0 / 60.0, 30.0, 1.0 / 60.0, 2),
    ] {
        let scene = Scene {
            dt,
            frame_rate,
            ..Scene::new()
        };
        assert!(
            (scene.step() - step).abs() < 1e-15,
            "{dt} {frame_rate}: {}",
            scene.step()
        );
        assert_eq!(scene.steps_per_frame(), count);
    }
}

#[test]
fn every_truth_reads_as_one_line() {
    for truth in every_truth() {
        let line = truth.to_string();
        assert!(
            line.len() > 10 && line.len() < 120 && !line.contains('\n'),
            "{line}"
        );
    }
}
