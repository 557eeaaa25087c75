//! Recordings: frames come back bit for bit, in any order; what is damaged is said, and costs
//! only itself.

use std::fs;
use std::path::Path;

use drystone_base::{Quat, Vec3};
use drystone_formats::{Recording, open_sink};
use drystone_world::{Body, Frame, FrameCloth, FrameRecord, FrameStrand, Recorder, Scene, World};

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.name = "recorded".into();
    scene.frame_rate = 25.0;
    scene.duration = 2.4;
    scene.ground();
    scene.add(
        Body::ball(0.5)
            .named("ball")
            .at(0.0, 2.0, 0.0)
            .spin(1.0, 2.0, 3.0),
    );
    scene.add(
        Body::cube(1.0)
            .named("late")
            .at(3.0, 0.6, 0.0)
            .enters_at(0.5),
    );
    scene
}

/// Frames of a run, with made-up strands and cloth; a strand grows thinner after a second.
fn frames(scene: &Scene) -> Vec<(Frame, FrameRecord)> {
    let mut world = World::new(scene).unwrap();
    let mut recorder = Recorder::new(&world);
    let mut all = Vec::new();
    for i in 0..=scene.frames() {
        for _ in 0..if i == 0 { 0 } else { scene.steps_per_frame() } {
            recorder.step(&world.step());
        }
        let mut frame = world.frame_with_contacts();
        // contacts are kept in single precision
        for contact in &mut frame.contacts {
            contact.point = contact.point.as_vec3().as_dvec3();
            contact.normal = contact.normal.as_vec3().as_dvec3();
            contact.distance = f64::from(contact.distance as f32);
            contact.force = contact.force.as_vec3().as_dvec3();
        }
        let t = frame.time;
        frame.strands.push(FrameStrand {
            name: "hair/0".into(),
            points: vec![
                Vec3::ZERO,
                Vec3::new(t, 1.0 / 3.0, -0.0),
                Vec3::new(t * t, 1.0, 5e-324),
            ],
            orientations: vec![Quat::IDENTITY, Quat::from_xyzw(0.6, 0.0, t, 0.8)],
            radii: vec![if t > 1.02 { 1e-4 } else { 2e-4 }; 3].into(),
            colour: None,
        });
        frame.cloths.push(FrameCloth {
            name: "sheet".into(),
            points: vec![Vec3::X * t, Vec3::Y, Vec3::new(f64::NAN, f64::INFINITY, t)],
            triangles: vec![[0, 1, 2]].into(),
            colour: Some([0.1, 0.2, 0.3]),
        });
        all.push((frame, *recorder.frame(&world)));
    }
    all
}

fn record(path: &Path, scene: &Scene, frames: &[(Frame, FrameRecord)], finish: bool) {
    let mut sink = open_sink(path, scene).unwrap();
    for (frame, record) in frames {
        sink.frame(frame, record).unwrap();
    }
    if finish {
        assert_eq!(sink.finish().unwrap().frames, frames.len());
    }
}

/// Whether two frames have the same bits, NaN included.
fn same(a: &Frame, b: &Frame) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[test]
fn frames_come_back_bit_for_bit_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.drec");
    let scene = scene();
    let frames = frames(&scene);
    assert!(frames.iter().any(|(frame, _)| !frame.contacts.is_empty()));
    record(&path, &scene, &frames, true);

    let mut recording = Recording::open(&path).unwrap();
    assert_eq!(recording.scene(), &scene);
    assert!(recording.is_complete());
    assert_eq!(recording.len(), frames.len());
    assert_eq!(
        recording.times(),
        Some((0.0, frames.last().unwrap().0.time))
    );
    for i in [60, 0, 24, 23, 31, 5, 59] {
        let (frame, record) = recording.frame(i).unwrap();
        assert!(same(&frame, &frames[i].0), "frame {i}");
        assert_eq!(record, frames[i].1);
    }
    let read: Vec<_> = recording.frames().map(Result::unwrap).collect();
    assert!(
        read.iter()
            .zip(&frames)
            .all(|(a, b)| same(&a.0, &b.0) && a.1 == b.1)
    );
    for (time, wanted) in [(-1.0, 0), (0.121, 3), (0.97, 24), (1.0, 25), (99.0, 60)] {
        let found = recording.nearest(time).unwrap();
        assert_eq!(found, wanted, "{time} s");
    }
    assert!(
        recording
            .frame(61)
            .unwrap_err()
            .message
            .contains("61 frames")
    );
}

#[test]
fn a_run_that_was_killed_leaves_its_whole_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.drec");
    let scene = scene();
    let frames = frames(&scene);
    // dropped without an end, as by kill -9
    record(&path, &scene, &frames, false);
    let mut recording = Recording::open(&path).unwrap();
    assert!(!recording.is_complete());
    // chunks of 24, and one that ended where the cast changed
    assert_eq!(recording.len(), 50);
    assert!(
        recording
            .frames()
            .zip(&frames)
            .all(|(a, b)| same(&a.unwrap().0, &b.0))
    );

    // and an index that is missing is made anew
    record(&path, &scene, &frames, true);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(Recording::open(&path).unwrap().len(), frames.len());
}

#[test]
fn cut_anywhere_it_is_refused_or_has_the_frames_before() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cut) = (folder.path().join("a.drec"), folder.path().join("cut.drec"));
    let scene = scene();
    let frames = frames(&scene);
    record(&path, &scene, &frames, true);
    let bytes = fs::read(&path).unwrap();
    let mut least = 0;
    let lengths = (0..200)
        .chain((200..bytes.len()).step_by(97))
        .chain(bytes.len() - 200..bytes.len());
    for length in lengths {
        fs::write(&cut, &bytes[..length]).unwrap();
        match Recording::open(&cut) {
            Err(error) => {
                let said = error.to_string();
                assert!(
                    least == 0 && (said.contains("cut off") || said.contains("no Drystone")),
                    "{said}"
                );
            }
            Ok(mut recording) => {
                assert!(recording.len() >= least && !recording.is_complete());
                least = recording.len();
                if length % 5 == 0 && least > 0 {
                    assert!(same(
                        &recording.frame(least - 1).unwrap().0,
                        &frames[least - 1].0
                    ));
                }
            }
        }
    }
    assert_eq!(least, frames.len());
}

#[test]
fn flipped_bytes_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("a.drec"), folder.path().join("bad.drec"));
    let scene = scene();
    let frames = frames(&scene);
    record(&path, &scene, &frames, true);
    let bytes = fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(61).chain(0..100) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x20;
        fs::write(&bad, &flipped).unwrap();
        let Ok(mut recording) = Recording::open(&bad) else {
            continue;
        };
        // every frame is the one recorded, or an error that names the place
        for (i, frame) in recording.frames().enumerate() {
            match frame {
                Ok((frame, record)) => assert!(same(&frame, &frames[i].0) && record == frames[i].1),
                Err(error) => assert!(error.message.contains("damaged: chunk"), "{error}"),
            }
        }
    }
}

#[test]
fn other_files_versions_and_lengths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.drec");
    let said = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Recording::open(&path).unwrap_err().to_string()
    };
    assert!(said(b"").contains("no Drystone recording"));
    assert!(said(b"#usda 1.0").contains("no Drystone recording"));
    assert!(said(b"DRYSTREC").contains("cut off"));
    assert!(said(b"DRYSTREC\x07\0\0\0").contains("layout 7; wanted 1"));
    // a chunk that claims 2^60 bytes
    let mut huge = b"DRYSTREC\x01\0\0\0SCEN\0\0\0\0".to_vec();
    huge.extend((1u64 << 60).to_le_bytes());
    huge.extend((1u64 << 60).to_le_bytes());
    huge.extend([0; 48]);
    assert!(said(&huge).contains("cut off or damaged"));
    huge.extend([0; 1000]);
    assert!(said(&huge).contains("cut off or damaged"));
    assert!(
        Recording::open(folder.path())
            .unwrap_err()
            .message
            .contains("folder")
    );
}

#[test]
fn what_rests_takes_little_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.drec");
    let scene = scene();
    let mut frames = frames(&scene);
    let last = frames.last().unwrap().clone();
    for i in 1..=1000 {
        let mut frame = last.0.clone();
        frame.time += f64::from(i) * 0.04;
        frames.push((frame, last.1));
    }
    record(&path, &scene, &frames, true);
    let bytes = fs::metadata(&path).unwrap().len();
    // a frame has 600 bytes of numbers, and its record 600 of text
    assert!(bytes < 100 * 1061, "{bytes} bytes"); // measured: 74 a frame
}
