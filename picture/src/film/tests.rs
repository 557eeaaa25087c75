#![allow(clippy::unwrap_used)]

use drystone_world::{Body, Camera as SceneCamera, Scene, World};

use super::*;

fn world(camera: Option<SceneCamera>) -> World {
    let mut scene = Scene::new();
    scene.ground();
    scene.add(Body::ball(0.5).named("ball").at(0.0, 2.0, 0.0));
    scene.camera = camera;
    World::new(&scene).unwrap()
}

fn small() -> FilmSettings {
    FilmSettings {
        render: Settings {
            width: 64,
            height: 36,
            samples: 1,
            sky_directions: 4,
            ..Settings::default()
        },
        frame_rate: 25.0,
        orbit_degrees: 90.0,
    }
}

/// A film of five frames.
fn film(path: &Path) -> FilmWritten {
    let mut world = world(None);
    let mut film = Film::create(path, Scenery::of(&world), &small()).unwrap();
    for _ in 0..5 {
        film.frame(world.frame());
        world.run_for(0.04);
    }
    film.finish().unwrap()
}

#[test]
fn an_animated_png_has_all_frames_and_is_a_png() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let written = film(&path);
    assert_eq!((written.frames, &written.path), (5, &path));
    // nothing but the film is left
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let control = *reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (5, 0));
    let mut frames: Vec<Vec<u8>> = Vec::new();
    for _ in 0..5 {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let shown = reader.info().frame_control().unwrap();
        assert_eq!((shown.delay_num, shown.delay_den), (40, 1000));
        frames.push(pixels);
    }
    assert!(
        frames.windows(2).all(|f| f[0] != f[1]),
        "the ball falls, the camera turns"
    );
    // the same bytes again
    let again = folder.path().join("b.png");
    film(&again);
    assert_eq!(
        std::fs::read(&path).unwrap(),
        std::fs::read(&again).unwrap()
    );
}

#[test]
fn a_gif_begins_as_one_and_is_not_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gif");
    assert_eq!(film(&path).frames, 5);
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"));
    assert!(bytes.len() > 3000, "{} bytes", bytes.len());
}

#[test]
fn other_endings_and_missing_folders_are_refused_at_once() {
    let scenery = Scenery::of(&world(None));
    let refused = |path: &str| {
        let made = Film::create(path, scenery.clone(), &small());
        made.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(
        refused("a.avi").contains(".mp4, .webm, .gif or .png"),
        "{}",
        refused("a.avi")
    );
    assert!(refused("a").contains("missing"));
    assert!(refused("/no/such/folder/a.gif").contains("/no/such/folder/a.gif"));
}

#[test]
fn a_film_without_frames_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let film = Film::create(
        folder.path().join("a.png"),
        Scenery::of(&world(None)),
        &small(),
    );
    let error = film.unwrap().finish().unwrap_err().to_string();
    assert!(error.contains("no frame"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_camera_goes_around_and_back_without_jumps() {
    let mut world = world(None);
    world.system_mut().state.linear_velocity[1] = Vec3::new(5.0, 0.0, 0.0);
    let scenery = Scenery::of(&world);
    let still = FilmSettings {
        orbit_degrees: 0.0,
        ..small()
    };
    for settings in [small(), still] {
        let mut operator = Operator::new(&scenery, &settings);
        let (mut eyes, mut seen) = (Vec::new(), 0);
        let mut world = World::new(world.scene()).unwrap();
        world.system_mut().state.linear_velocity[1] = Vec3::new(5.0, 0.0, 0.0);
        for _ in 0..100 {
            let camera = operator.camera(&world.frame());
            eyes.push(camera.eye);
            let place = camera.project(world.pose(1).position, 64, 36);
            seen += usize::from(
                place.is_some_and(|(x, y, _)| (0.0..64.0).contains(&x) && (0.0..36.0).contains(&y)),
            );
            world.run_for(0.04);
        }
        // the ball flies away at 5 m/s, and the camera follows it
        let step = eyes
            .windows(2)
            .map(|e| e[0].distance(e[1]))
            .fold(0.0, f64::max);
        let reach = eyes.iter().map(|e| e.length()).fold(0.0, f64::max);
        assert!(step < 0.1 * reach, "{step} m of {reach} m");
        assert!(seen > 40, "the ball is seen in {seen} of 100 frames");
    }
    // a scene's own camera turns about its target: after one second, a quarter
    let own = self::world(Some(SceneCamera::new([4.0, 1.0, 0.0], [0.0, 1.0, 0.0])));
    let scenery = Scenery::of(&own);
    let settings = small();
    let mut operator = Operator::new(&scenery, &settings);
    let frame = Frame {
        time: 1.0,
        ..own.frame()
    };
    let eye = operator.camera(&frame).eye;
    assert!((eye - Vec3::new(0.0, 1.0, -4.0)).length() < 1e-9, "{eye}");
}
