//! Malformed and absurd scenes: a clear error, or a bounded and finite run.

use drystone_world::*;

/// What must come of a scene.
enum Fate {
    /// Refused, in words that contain all of these.
    Refused(&'static [&'static str]),
    /// Runs a little while, everything finite and within so many metres.
    Runs(f64),
}
use Fate::{Refused, Runs};

/// A ball above the ground, changed by `change`.
fn with_ball(change: impl FnOnce(&mut Body)) -> Scene {
    let mut scene = Scene::new();
    scene.ground();
    let mut ball = Body::ball(0.5).named("ball").at(0.0, 1.0, 0.0);
    change(&mut ball);
    scene.add(ball);
    scene
}

/// A ball above the ground in a scene changed by `change`.
fn with_scene(change: impl FnOnce(&mut Scene)) -> Scene {
    let mut scene = with_ball(|_| ());
    change(&mut scene);
    scene
}

fn with_shape(shape: Shape) -> Scene {
    with_ball(|ball| ball.shape = shape)
}

fn with_pattern(pattern: Pattern) -> Scene {
    with_scene(|scene| {
        scene.generate(Generator::new("many", pattern));
    })
}

const NAN: f64 = f64::NAN;

fn cases() -> Vec<(&'static str, Scene, Fate)> {
    let tetrahedron = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let open = Mesh::new(
        tetrahedron.clone(),
        vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [0, 3, 2]],
    );
    vec![
        // settings
        ("empty scene", Scene::new(), Refused(&["no body"])),
        (
            "dt zero",
            with_scene(|s| s.dt = 0.0),
            Refused(&["scene", "`dt`", "0 s"]),
        ),
        (
            "dt negative",
            with_scene(|s| s.dt = -0.01),
            Refused(&["`dt`", "-0.01 s"]),
        ),
        (
            "dt not a number",
            with_scene(|s| s.dt = NAN),
            Refused(&["`dt`", "NaN"]),
        ),
        ("dt huge", with_scene(|s| s.dt = 1e9), Refused(&["`dt`"])),
        (
            "duration negative",
            with_scene(|s| s.duration = -1.0),
            Refused(&["`duration`", "-1 s"]),
        ),
        (
            "duration endless",
            with_scene(|s| s.duration = f64::INFINITY),
            Refused(&["`duration`", "inf"]),
        ),
        (
            "more steps than a lifetime",
            with_scene(|s| (s.duration, s.dt) = (1e6, 1e-9)),
            Refused(&["`duration`", "steps"]),
        ),
        (
            "frame rate zero",
            with_scene(|s| s.frame_rate = 0.0),
            Refused(&["`frame_rate`"]),
        ),
        (
            "frame rate negative",
            with_scene(|s| s.frame_rate = -24.0),
            Refused(&["`frame_rate`", "-24"]),
        ),
        (
            "gravity not a number",
            with_scene(|s| s.gravity[1] = NAN),
            Refused(&["`gravity`", "NaN"]),
        ),
        (
            "unknown preset",
            with_scene(|s| s.preset = Some("papr".into())),
            Refused(&["preset `papr`", "`paper`"]),
        ),
        (
            "no sweeps",
            with_scene(|s| s.solver.rigid.two_level.sweeps = 0),
            Refused(&["two_level.sweeps", "0"]),
        ),
        (
            "envelope negative",
            with_scene(|s| s.solver.rigid.tuning.envelope = -1.0),
            Refused(&["envelope"]),
        ),
        (
            "camera in its target",
            with_scene(|s| s.camera = Some(Camera::new([0.0; 3], [0.0; 3]))),
            Refused(&["camera.eye"]),
        ),
        // materials
        (
            "unknown material",
            with_scene(|s| {
                s.material("brick", 0.5, 0.0)
                    .add(Body::cube(1.0).of("brik"));
            }),
            Refused(&["body `box-2`", "material `brik`", "did you mean `brick`"]),
        ),
        (
            "friction negative",
            with_scene(|s| {
                s.material("ice", -0.1, 0.0);
            }),
            Refused(&["material `ice`", "`friction`", "-0.1"]),
        ),
        (
            "restitution above one",
            with_scene(|s| {
                s.material("rubber", 0.5, 1.5);
            }),
            Refused(&["material `rubber`", "`restitution`", "1.5"]),
        ),
        (
            "contact of an unknown material",
            with_scene(|s| {
                s.contact("default", "glass", 0.1, 0.0);
            }),
            Refused(&["contact 0", "`glass`"]),
        ),
        // bodies
        (
            "position not a number",
            with_ball(|b| b.position[0] = NAN),
            Refused(&["body `ball`", "`position`"]),
        ),
        (
            "position beyond reach",
            with_ball(|b| b.position[2] = 1e9),
            Refused(&["`position`", "1000000000"]),
        ),
        (
            "velocity endless",
            with_ball(|b| b.velocity[1] = f64::INFINITY),
            Refused(&["`velocity`", "inf"]),
        ),
        (
            "spin not a number",
            with_ball(|b| b.angular_velocity[1] = NAN),
            Refused(&["`angular_velocity`"]),
        ),
        (
            "mass zero",
            with_ball(|b| b.mass = Some(0.0)),
            Refused(&["body `ball`", "`mass`", "is 0"]),
        ),
        (
            "mass negative",
            with_ball(|b| b.mass = Some(-2.0)),
            Refused(&["`mass`", "-2"]),
        ),
        (
            "mass endless",
            with_ball(|b| b.mass = Some(f64::INFINITY)),
            Refused(&["`mass`", "inf"]),
        ),
        (
            "density zero",
            with_ball(|b| b.density = Some(0.0)),
            Refused(&["`density`"]),
        ),
        (
            "mass and density",
            with_ball(|b| (b.mass, b.density) = (Some(1.0), Some(1.0))),
            Refused(&["`mass`", "`density`"]),
        ),
        (
            "rotation of length zero",
            with_ball(|b| b.rotation = Some([0.0; 4])),
            Refused(&["`rotation`", "unit quaternion"]),
        ),
        (
            "rotation and turn",
            with_ball(|b| {
                b.rotation = Some([0.0, 0.0, 0.0, 1.0]);
                b.turn = Some(Turn::new([0.0, 1.0, 0.0], 10.0));
            }),
            Refused(&["`turn`", "`rotation`"]),
        ),
        (
            "turn about nothing",
            with_ball(|b| b.turn = Some(Turn::new([0.0; 3], 10.0))),
            Refused(&["`turn.axis`"]),
        ),
        (
            "damping negative",
            with_ball(|b| b.linear_damping = -1.0),
            Refused(&["`linear_damping`"]),
        ),
        (
            "enters never",
            with_ball(|b| b.enters_at = NAN),
            Refused(&["`enters_at`"]),
        ),
        (
            "colour too bright",
            with_ball(|b| b.colour = Some([0.0, 2.0, 0.0])),
            Refused(&["`colour`"]),
        ),
        (
            "one name twice",
            with_scene(|s| {
                s.add(Body::cube(1.0).named("ball"));
            }),
            Refused(&["`ball`", "twice"]),
        ),
        (
            "path without keys",
            with_ball(|b| b.motion = Motion::Path(vec![])),
            Refused(&["`motion.path`"]),
        ),
        (
            "path back in time",
            with_ball(|b| {
                b.motion = Motion::Path(vec![Key::new(1.0, [0.0; 3]), Key::new(0.5, [1.0; 3])]);
            }),
            Refused(&["key 1", "`time`", "0.5"]),
        ),
        // shapes
        (
            "box of negative size",
            with_shape(Shape::block(1.0, -1.0, 1.0)),
            Refused(&["shape.box.size.y", "-1 m"]),
        ),
        (
            "box without depth",
            with_shape(Shape::block(1.0, 1.0, 0.0)),
            Refused(&["shape.box.size.z"]),
        ),
        (
            "sphere of no radius",
            with_shape(Shape::ball(0.0)),
            Refused(&["body `ball`", "shape.sphere.radius"]),
        ),
        (
            "sphere of radius NaN",
            with_shape(Shape::ball(NAN)),
            Refused(&["shape.sphere.radius", "NaN"]),
        ),
        (
            "capsule of negative length",
            with_shape(Shape::Capsule {
                length: -1.0,
                radius: 0.5,
            }),
            Refused(&["shape.capsule.length"]),
        ),
        (
            "falling half-space",
            with_shape(Shape::HalfSpace),
            Refused(&["`ball`", "`motion`", "half-space"]),
        ),
        (
            "hull of nothing",
            with_shape(Shape::Hull { points: vec![] }),
            Refused(&["shape.hull.points", "0 points"]),
        ),
        (
            "flat hull",
            with_shape(Shape::Hull {
                points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
            }),
            Refused(&["shape.hull.points", "plane"]),
        ),
        (
            "hull with a hole in the numbers",
            with_shape(Shape::Hull {
                points: vec![[0.0; 3], [1.0, 0.0, NAN], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            }),
            Refused(&["shape.hull.points[1]"]),
        ),
        (
            "compound of nothing",
            with_shape(Shape::Compound { parts: vec![] }),
            Refused(&["compound", "empty"]),
        ),
        (
            "compound in a compound",
            with_shape(Shape::Compound {
                parts: vec![Part::new(Shape::Compound { parts: vec![] }, [0.0; 3])],
            }),
            Refused(&["part 0", "compound"]),
        ),
        (
            "mesh from nowhere",
            with_shape(Shape::Mesh(Mesh::new(vec![], vec![]))),
            Refused(&["shape.mesh", "0 ways"]),
        ),
        (
            "mesh file not read",
            with_shape(Shape::Mesh(Mesh::from_file("cow.obj"))),
            Refused(&["shape.mesh.file", "cow.obj"]),
        ),
        (
            "mesh with a corner that is not there",
            with_shape(Shape::Mesh(Mesh::new(
                tetrahedron,
                vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 9]],
            ))),
            Refused(&["triangles[3]", "0 to 3"]),
        ),
        (
            "open mesh",
            with_shape(Shape::Mesh(open)),
            Refused(&["body `ball`"]),
        ),
        (
            "mesh of absurd resolution",
            with_shape(Shape::Mesh(Mesh {
                resolution: 100_000,
                ..Mesh::builtin(Builtin::Animal)
            })),
            Refused(&["resolution"]),
        ),
        // generators
        (
            "four billion bricks",
            with_pattern(Pattern::Ring(Ring {
                bricks: u32::MAX,
                layers: u32::MAX,
                ..Ring::default()
            })),
            Refused(&["generator `many`", "at most 1000000"]),
        ),
        (
            "pyramid to the moon",
            with_pattern(Pattern::Pyramid(Pyramid {
                base: u32::MAX,
                ..Pyramid::default()
            })),
            Refused(&["generator `many`", "bodies"]),
        ),
        (
            "stack of none",
            with_pattern(Pattern::Stack(Stack {
                count: 0,
                ..Stack::default()
            })),
            Refused(&["pattern.stack.count"]),
        ),
        (
            "ring of two",
            with_pattern(Pattern::Ring(Ring {
                bricks: 2,
                ..Ring::default()
            })),
            Refused(&["pattern.ring.bricks", "at least 3"]),
        ),
        (
            "arch thicker than its radius",
            with_pattern(Pattern::Arch(Arch {
                thickness: 20.0,
                ..Arch::default()
            })),
            Refused(&["pattern.arch.thickness"]),
        ),
        (
            "fill of a box turned inside out",
            with_pattern(Pattern::Fill(Fill {
                low: [1.0; 3],
                high: [0.0; 3],
                ..Fill::default()
            })),
            Refused(&["pattern.fill.high"]),
        ),
        (
            "fill of a box that is too small",
            with_pattern(Pattern::Fill(Fill {
                low: [0.0; 3],
                high: [0.1; 3],
                ..Fill::default()
            })),
            Refused(&["pattern.fill.count", "full"]),
        ),
        (
            "fill with nothing",
            with_pattern(Pattern::Fill(Fill {
                shapes: vec![],
                ..Fill::default()
            })),
            Refused(&["shapes", "empty"]),
        ),
        (
            "spacing not a number",
            with_pattern(Pattern::Grid(Grid {
                spacing: [NAN; 3],
                ..Grid::default()
            })),
            Refused(&["pattern.grid.spacing"]),
        ),
        (
            "nails that touch",
            with_pattern(Pattern::Nails(Nails {
                pitch: 0.1,
                ..Nails::default()
            })),
            Refused(&["pattern.nails.pitch", "the width"]),
        ),
        // truths
        (
            "truth about nobody",
            with_scene(|s| {
                s.truth(truth::speed_is("bal", 0.0, 1.0));
            }),
            Refused(&["body `bal`", "did you mean `ball`"]),
        ),
        (
            "truth without a limit",
            with_scene(|s| {
                s.truth(truth::kinetic_energy_below());
            }),
            Refused(&["per_kg"]),
        ),
        // absurd but possible
        (
            "only the ground",
            {
                let mut s = Scene::new();
                s.ground();
                s
            },
            Runs(1.0),
        ),
        (
            "mass ratio of 1e9",
            with_scene(|s| {
                s.bodies[1].mass = Some(1e-3);
                s.add(Body::cube(1.0).named("heavy").at(0.0, 2.05, 0.0).mass(1e6));
            }),
            Runs(50.0),
        ),
        (
            "all bodies at one point",
            with_scene(|s| {
                for _ in 0..20 {
                    s.add(Body::cube(0.5).at(0.0, 3.0, 0.0));
                }
            }),
            Runs(200.0),
        ),
        (
            "all balls at one point",
            with_scene(|s| {
                for _ in 0..20 {
                    s.add(Body::ball(0.5).at(0.0, 3.0, 0.0));
                }
            }),
            Runs(200.0),
        ),
        (
            "buried in the ground",
            with_ball(|b| b.position[1] = -3.0),
            Runs(200.0),
        ),
        (
            "faster than sound",
            with_ball(|b| b.velocity = [0.0, -1e4, 0.0]),
            Runs(2e4),
        ),
        (
            "spun like a drill",
            with_ball(|b| b.angular_velocity = [0.0, 0.0, 1e5]),
            Runs(2e5),
        ),
        (
            "a step of one second",
            with_scene(|s| (s.dt, s.frame_rate) = (1.0, 1.0)),
            Runs(1e4),
        ),
        (
            "a grain of sand",
            with_shape(Shape::ball(1e-4)),
            Runs(100.0),
        ),
        (
            "a mountain",
            with_ball(|b| (b.shape, b.position) = (Shape::cube(1e4), [0.0, 5e3, 0.0])),
            Runs(1e5),
        ),
        (
            "a sheet of paper",
            with_shape(Shape::block(1.0, 1e-3, 1.0)),
            Runs(100.0),
        ),
        (
            "a needle",
            with_shape(Shape::block(1e-3, 2.0, 1e-3)),
            Runs(100.0),
        ),
        (
            "weightless",
            with_scene(|s| s.gravity = [0.0; 3]),
            Runs(10.0),
        ),
        (
            "gravity of a star",
            with_scene(|s| s.gravity = [0.0, -1e5, 0.0]),
            Runs(1e4),
        ),
        (
            "as slippery and bouncy as can be",
            with_scene(|s| {
                s.material("default", 0.0, 1.0);
            }),
            Runs(10.0),
        ),
        (
            "jam between two walls",
            with_scene(|s| {
                s.add(Body::block(1.0, 4.0, 4.0).at(-1.0, 2.0, 0.0).fixed());
                s.add(Body::block(1.0, 4.0, 4.0).at(1.0, 2.0, 0.0).fixed());
                s.bodies[1].shape = Shape::ball(0.6);
            }),
            Runs(100.0),
        ),
        (
            "a path that jumps",
            with_scene(|s| {
                let keys = vec![Key::new(0.0, [0.0; 3]), Key::new(1e-6, [3.0, 0.0, 0.0])];
                s.add(Body::cube(1.0).along(keys));
            }),
            Runs(1e7),
        ),
    ]
}

#[test]
fn absurd_scenes_are_refused_in_clear_words_or_run_bounded() {
    let cases = cases();
    assert!(cases.len() >= 80, "{} cases", cases.len());
    for (name, scene, fate) in cases {
        match (World::new(&scene), fate) {
            (Err(error), Refused(words)) => {
                let text = error.to_string();
                for word in words {
                    assert!(
                        text.contains(word),
                        "{name}: `{text}` does not say `{word}`"
                    );
                }
                assert!(
                    scene.truths.is_empty() || scene.validate().is_err(),
                    "{name}"
                );
            }
            (Ok(mut world), Runs(reach)) => {
                for _ in 0..30 {
                    let report = world.step();
                    assert!(
                        report.rigid.quarantined.is_empty(),
                        "{name}: lost a body at {} s",
                        world.time()
                    );
                }
                for body in world.frame().bodies {
                    let far = body.pose.position.length();
                    assert!(far <= reach, "{name}: {} is {far} m away", body.name);
                    assert!(
                        body.linear_velocity.is_finite() && body.pose.rotation.is_finite(),
                        "{name}"
                    );
                }
            }
            (Ok(_), Refused(_)) => panic!("{name}: was accepted"),
            (Err(error), Runs(_)) => panic!("{name}: refused: {error}"),
        }
    }
}

#[test]
fn a_dt_that_is_no_time_does_nothing() {
    let mut world = World::new(&with_ball(|_| ())).unwrap();
    let before = world.snapshot();
    for dt in [0.0, -1.0, NAN, f64::INFINITY] {
        world.advance(dt);
    }
    assert!(world.snapshot() == before);
}
