#![allow(clippy::unwrap_used)]

use drystone_world::{Camera as SceneCamera, Generator, Part, Pattern, Scene, Stack};

use super::*;

fn world(build: impl FnOnce(&mut Scene)) -> World {
    let mut scene = Scene::new();
    build(&mut scene);
    World::new(&scene).unwrap()
}

#[test]
fn every_visible_body_makes_an_item_and_a_compound_one_for_each_part() {
    let parts = vec![
        Part::new(drystone_world::Shape::cube(0.2), [-0.3, 0.0, 0.0]),
        Part::new(drystone_world::Shape::ball(0.2), [0.3, 0.0, 0.0]),
    ];
    let corners = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let world = world(|scene| {
        scene.ground();
        scene.add(Body::ball(0.5).named("late").enters_at(1.0));
        scene.add(Body::new(drystone_world::Shape::Compound { parts }).at(0.0, 2.0, 0.0));
        scene.add(Body::new(drystone_world::Shape::Hull { points: corners }).at(0.0, 4.0, 0.0));
    });
    let items = items(&world, &world.frame());
    assert_eq!(items.len(), 4, "ground, two parts and a hull");
    assert!(matches!(items[0].surface, Surface::Ground));
    let Surface::Triangles(hull) = &items[3].surface else {
        panic!("a hull is drawn as triangles");
    };
    assert_eq!(hull.triangles.len(), 4);
    // parts stand apart by 0.6 m, in the middle of which is the compound's frame
    let middle = 0.5 * (items[1].pose.position + items[2].pose.position);
    assert!((middle - Vec3::new(0.0, 2.0, 0.0)).length() < 1e-12);
}

#[test]
fn edges_of_a_cube_stay_sharp_and_a_flat_face_is_flat() {
    let corners: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
        .collect();
    let top = [[2, 6, 7], [2, 7, 3]];
    let side = [[0, 2, 3], [0, 3, 1]];
    let mesh = creased(&corners, &[top[0], top[1], side[0], side[1]]);
    for (normal, wanted) in mesh
        .normals
        .iter()
        .zip([Vec3::Y; 6].iter().chain(&[-Vec3::Z; 6]))
    {
        assert!((normal.normalize() - *wanted).length() < 1e-12, "{normal}");
    }
}

#[test]
fn the_camera_is_the_scenes_or_shows_what_moves() {
    let stack = Stack {
        count: 12,
        ..Stack::default()
    };
    let build = |scene: &mut Scene| {
        scene.ground_slab(100.0, 1.0, 100.0);
        scene.generate(Generator::new("stack", Pattern::Stack(stack.clone())));
        scene.add(Body::ball(0.5).named("stray").at(1000.0, 0.5, 0.0));
    };
    let automatic = world(build);
    let camera = camera_of(&automatic);
    // the stack is 12 m high; neither the floor nor the stray ball is framed
    assert!((camera.eye - camera.target).length() < 60.0, "{camera:?}");
    assert!((camera.target.y - 6.0).abs() < 2.0, "{camera:?}");

    let own = world(|scene| {
        build(scene);
        scene.camera = Some(SceneCamera::new([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]));
    });
    assert_eq!(camera_of(&own).eye, Vec3::new(1.0, 2.0, 3.0));
}

fn camera_of(world: &World) -> Camera {
    camera(world, &world.frame(), 16.0 / 9.0)
}

#[test]
fn colours_are_the_bodys_own_or_chosen_by_kind() {
    let bodies = [
        Body::cube(1.0).named("own").colour(1.0, 0.0, 0.0),
        Body::cube(1.0).named("floor").fixed(),
        Body::cube(1.0).named("wall/3"),
        Body::cube(1.0).named("ball"),
    ];
    let colours = colours(&bodies);
    assert_eq!(colours[0], [1.0, 0.0, 0.0]);
    assert_eq!(colours[1], ground_colour());
    assert_eq!(colours[2], palette(2));
    assert_eq!(colours[3], accent(1));
}

#[test]
fn ground_with_edges_stands_on_a_floor_while_nothing_falls_below_it() {
    let build = |height: f64| {
        world(|scene| {
            scene.ground_slab(4.0, 1.0, 4.0);
            scene.add(Body::cube(1.0).at(5.0, height, 0.0));
        })
    };
    let above = build(3.0);
    let floor = Scenery::of(&above).stage(&above.frame()).unwrap();
    assert_eq!(floor.pose.position.y, -1.0);
    let below = build(-3.0);
    assert!(Scenery::of(&below).stage(&below.frame()).is_none());
    let endless = world(|scene| {
        scene.ground();
    });
    assert!(Scenery::of(&endless).stage(&endless.frame()).is_none());
}

fn sheet(size: f64, height: f64) -> FrameCloth {
    let corner = |x: f64, z: f64| Vec3::new(x * size, height, z * size);
    FrameCloth {
        name: "sheet".into(),
        points: vec![
            corner(-1.0, -1.0),
            corner(-1.0, 1.0),
            corner(1.0, 1.0),
            corner(1.0, -1.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]].into(),
        colour: Some([0.8, 0.05, 0.05]),
    }
}

#[test]
fn strands_and_cloth_are_drawn_and_framed() {
    let world = world(|scene| {
        scene.ground();
        scene.add(Body::ball(0.1).named("ball").at(0.0, 0.1, 0.0));
    });
    let mut frame = world.frame();
    frame.cloths.push(sheet(1.0, 2.0));
    frame.strands.push(FrameStrand {
        name: "rope".into(),
        points: vec![Vec3::new(0.0, 3.0, 0.0), Vec3::new(0.0, 4.0, 0.0)],
        orientations: vec![drystone_base::Quat::IDENTITY],
        radii: vec![0.05, 0.0].into(),
        colour: None,
    });
    let scenery = Scenery::of(&world);
    assert_eq!(scenery.items(&frame).len(), 4);
    let settings = Settings {
        width: 160,
        height: 90,
        samples: 2,
        sky_directions: 8,
        ..Settings::default()
    };
    let camera = scenery.camera(&frame, settings.aspect());
    let image = scenery.picture(&frame, &settings);
    for place in [
        Vec3::new(0.0, 4.0, 0.0),
        Vec3::new(1.0, 2.0, 1.0),
        Vec3::new(0.0, 0.1, 0.0),
    ] {
        let (x, y, _) = camera.project(place, 160, 90).unwrap();
        assert!(
            (0.0..160.0).contains(&x) && (0.0..90.0).contains(&y),
            "{place}"
        );
    }
    let seen = |place: Vec3, camera: &Camera, image: &Image| {
        let (x, y, _) = camera.project(place, 160, 90).unwrap();
        image.pixel(x as u32, y as u32).unwrap()
    };
    let cloth = Vec3::new(0.4, 2.0, 0.4);
    let [red, green, _] = seen(cloth, &camera, &image);
    assert!(red > green + 60, "the cloth from above: {red} {green}");
    // and from below
    let below = Camera {
        eye: Vec3::new(0.5, 0.5, 4.0),
        target: Vec3::new(0.0, 2.0, 0.0),
        up: Vec3::Y,
        vertical_field_degrees: 40.0,
    };
    let image = scenery.picture_from(&below, &frame, &settings);
    let [red, green, _] = seen(cloth, &below, &image);
    assert!(red > green + 20, "the cloth from below: {red} {green}");
}
