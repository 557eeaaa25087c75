//! What is written reads back: scenes, meshes, checkpoints.

use std::fs;

use drystone_formats::toml::write_scene_json;
use drystone_formats::{Checkpoint, checkpoint, obj, parse_scene, read_scene, write_scene};
use drystone_world::{
    Body, Builtin, Camera, Generator, Key, Mesh, Part, Pattern, Ring, Scene, Shape, World, truth,
};

/// A bit of everything.
fn rich() -> Scene {
    let mut scene = Scene::new();
    scene.name = "rich".into();
    scene.about = "a \"bit\" of everything: ünïcödé \\ and more".into();
    scene.dt = 1.0 / 3.0 * 0.01;
    scene.seed = 7;
    scene.camera = Some(Camera::new([1.0, 2.0, 3.0], [0.1, 0.2, 0.3]));
    scene.solver.rigid.sleeping = true;
    scene
        .material("brick", 0.1 + 0.2, 0.25)
        .contact("brick", "default", 0.7, 0.0);
    scene.ground();
    scene.add(
        Body::block(1.0, 2.0, 3.0)
            .named("block")
            .at(0.1, 1.0 / 3.0, -5e-7)
            .of("brick"),
    );
    scene.add(
        Body::ball(0.5)
            .at(9.0, 1.0, 0.0)
            .turned([1.0, 2.0, 3.0], 33.0)
            .mass(2.5),
    );
    scene.add(
        Body::new(Shape::Capsule {
            length: 1.0,
            radius: 0.2,
        })
        .at(12.0, 2.0, 0.0)
        .enters_at(0.5),
    );
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    scene.add(
        Body::new(Shape::Hull { points })
            .at(15.0, 2.0, 0.0)
            .colour(0.1, 0.2, 0.3),
    );
    let parts = vec![
        Part::new(Shape::cube(1.0), [0.5, 0.0, 0.0]),
        Part::new(Shape::ball(0.4), [-0.5, 0.0, 0.0]).turned([0.0, 0.0, 1.0], 10.0),
    ];
    scene.add(Body::new(Shape::Compound { parts }).at(18.0, 2.0, 0.0));
    scene.add(Body::new(Shape::Mesh(Mesh::builtin(Builtin::Animal))).at(21.0, 2.0, 0.0));
    let keys = vec![
        Key::new(0.0, [30.0, 1.0, 0.0]),
        Key::new(1.0, [30.0, 2.0, 0.0]).turned([0.0, 1.0, 0.0], 90.0),
    ];
    scene.add(Body::cube(1.0).named("lift").along(keys));
    let ring = Ring {
        bricks: 12,
        layers: 2,
        ..Ring::default()
    };
    scene.generate(
        Generator::new("tower", Pattern::Ring(ring))
            .at(-20.0, 0.0, 0.0)
            .density(2000.0),
    );
    scene.truth(
        truth::stands_still("tower/*", 5e-4)
            .over(1.0..)
            .with("sideways", true),
    );
    scene
}

#[test]
fn a_scene_written_as_toml_or_json_reads_back_the_same() {
    let scene = rich();
    let toml = write_scene(&scene).unwrap();
    assert_eq!(parse_scene(&toml, "rich.toml", "").unwrap(), scene);
    let json = write_scene_json(&scene).unwrap();
    assert_eq!(parse_scene(&json, "rich.json", "").unwrap(), scene);
    let expanded = scene.expanded().unwrap();
    let toml = write_scene(&expanded).unwrap();
    assert_eq!(parse_scene(&toml, "expanded.toml", "").unwrap(), expanded);
}

#[test]
fn a_mesh_file_is_found_beside_its_scene() {
    let folder = tempfile::tempdir().unwrap();
    let (vertices, triangles) = Mesh::builtin(Builtin::Animal).resolved().unwrap();
    fs::create_dir(folder.path().join("meshes")).unwrap();
    let text = obj::write_obj(&vertices, &triangles);
    fs::write(folder.path().join("meshes/cow.obj"), text).unwrap();
    let path = folder.path().join("herd.toml");
    let scene = "[[body]]\nname = \"cow\"\nshape.mesh = { file = \"meshes/cow.obj\", scale = 2 }\n\
        [[generate]]\nname = \"herd\"\nposition = [9, 0, 0]\n\
        pattern.stack = { count = 2, shape.mesh = { file = \"meshes/cow.obj\" } }\n";
    fs::write(&path, scene).unwrap();
    let scene = read_scene(&path).unwrap();
    let Shape::Mesh(mesh) = &scene.bodies[0].shape else {
        panic!("no mesh")
    };
    assert_eq!(
        (mesh.vertices.len(), mesh.triangles.len()),
        (vertices.len(), triangles.len())
    );
    assert_eq!((mesh.file.as_ref(), mesh.scale), (None, 2.0));
    assert_eq!(scene.expand().unwrap().len(), 3);

    let absolute = folder.path().join("meshes/cow.obj");
    let text = format!("[[body]]\nshape.mesh = {{ file = {absolute:?} }}\n");
    assert!(parse_scene(&text, "elsewhere.toml", "/nowhere").is_ok());
}

fn small() -> Scene {
    let mut scene = Scene::new();
    scene.name = "small".into();
    scene.ground();
    let ring = Ring {
        bricks: 6,
        layers: 3,
        ..Ring::default()
    };
    scene.generate(Generator::new("tower", Pattern::Ring(ring)));
    scene.add(
        Body::ball(0.5)
            .at(0.0, 4.0, 0.0)
            .velocity(3.0, 0.0, 1.0)
            .enters_at(0.2),
    );
    scene
}

#[test]
fn a_resumed_run_goes_on_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut world = World::new(&small()).unwrap();
    for _ in 0..30 {
        world.step();
    }
    checkpoint::save(&path, &world).unwrap();
    let read = checkpoint::load(&path).unwrap();
    assert_eq!(read, Checkpoint::of(&world).unwrap());
    assert_eq!(read.time(), world.time());
    let mut resumed = read.resume().unwrap();
    let mut elsewhere = checkpoint::resume(&path, &small()).unwrap();
    for _ in 0..40 {
        world.step();
        resumed.step();
        elsewhere.step();
    }
    assert_eq!(world.snapshot(), resumed.snapshot());
    assert_eq!(world.snapshot(), elsewhere.snapshot());
}

#[test]
fn a_checkpoint_that_is_not_whole_is_refused_and_the_old_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut world = World::new(&small()).unwrap();
    world.step();
    checkpoint::save(&path, &world).unwrap();
    let bytes = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| Checkpoint::from_bytes(bytes, "c").unwrap_err().to_string();

    // cut anywhere
    for k in 0..50 {
        let message = refused(&bytes[..bytes.len() * k / 50]);
        assert!(
            message.contains("no Drystone checkpoint") || message.contains("cut off"),
            "{message}"
        );
    }
    // one bit wrong anywhere
    for at in (0..bytes.len()).step_by(1 + bytes.len() / 400) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x10;
        refused(&wrong);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(refused(&longer).contains("checksum"));
    let mut other = bytes.clone();
    other[8] = 99;
    assert!(refused(&other).contains("layout 99; wanted 9"));
    assert!(refused(b"").contains("no Drystone checkpoint"));
    assert!(refused(b"#usda 1.0").contains("no Drystone checkpoint"));

    // killed while the next one is being written: the temporary file does not count
    fs::write(
        folder.path().join(".run.checkpoint.1.part"),
        &bytes[..bytes.len() / 2],
    )
    .unwrap();
    assert_eq!(
        checkpoint::load(&path).unwrap(),
        Checkpoint::of(&world).unwrap()
    );
    assert!(checkpoint::save(folder.path().join("no/such/folder.c"), &world).is_err());

    let mut heavier = small();
    heavier.bodies[1].mass = Some(3.0);
    let message = checkpoint::resume(&path, &heavier)
        .err()
        .unwrap()
        .to_string();
    assert!(
        message.contains("fingerprint") && message.contains("resume with the scene"),
        "{message}"
    );
}

#[test]
fn a_checkpoint_of_another_version_says_which() {
    let world = World::new(&small()).unwrap();
    let bytes = Checkpoint::of(&world).unwrap().to_bytes().unwrap();
    // forge a file of version 9.9.9, checksum included
    let n = usize::from(bytes[12]);
    let mut header = bytes[..12].to_vec();
    header.extend(b"\x059.9.9");
    let tail = 13 + n..13 + n + 48;
    header.extend(&bytes[tail.clone()]);
    let payload = &bytes[tail.end + 32..];
    let sum = *blake3::Hasher::new()
        .update(&header)
        .update(payload)
        .finalize()
        .as_bytes();
    let forged = [header.as_slice(), &sum, payload].concat();
    let message = Checkpoint::from_bytes(&forged, "c")
        .unwrap_err()
        .to_string();
    assert!(message.contains("written by Drystone 9.9.9"), "{message}");
}
