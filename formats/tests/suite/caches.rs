//! What goes out: USD, glTF and CSV hold the frames that went in.

use std::fs;
use std::path::Path;

use drystone_formats::{Written, open_sink};
use drystone_world::{
    Body, Builtin, Frame, Generator, Mesh, Part, Pattern, Recorder, Ring, Scene, Shape, World,
};

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.name = "caches".into();
    scene.about = "says \"hello\"".into();
    scene.frame_rate = 25.0;
    scene.duration = 0.4;
    scene.ground();
    let ring = Ring {
        bricks: 8,
        layers: 2,
        ..Ring::default()
    };
    scene.generate(Generator::new("tower", Pattern::Ring(ring)));
    scene.add(
        Body::ball(0.5)
            .named("late/ball")
            .at(0.0, 6.0, 0.0)
            .velocity(3.0, 0.0, 1.0)
            .enters_at(0.2),
    );
    scene.add(
        Body::new(Shape::Capsule {
            length: 1.0,
            radius: 0.2,
        })
        .at(12.0, 2.0, 0.0)
        .spin(1.0, 2.0, 3.0),
    );
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for x in [15.0, 16.5] {
        scene.add(
            Body::new(Shape::Hull {
                points: points.clone(),
            })
            .at(x, 2.0, 0.0)
            .spin(9.0, 0.0, 0.0),
        );
    }
    let parts = vec![
        Part::new(Shape::cube(1.0), [0.5, 0.0, 0.0]),
        Part::new(Shape::ball(0.4), [-0.5, 0.0, 0.0]).turned([0.0, 0.0, 1.0], 10.0),
    ];
    scene.add(
        Body::new(Shape::Compound { parts })
            .at(18.0, 2.0, 0.0)
            .turned([1.0, 0.0, 0.0], 45.0),
    );
    scene.add(
        Body::new(Shape::Mesh(Mesh::builtin(Builtin::Animal)))
            .at(21.0, 2.0, 0.0)
            .fixed(),
    );
    scene
}

/// Runs the scene into `path`.
fn run(scene: &Scene, path: &Path) -> (Written, Vec<Frame>) {
    let mut world = World::new(scene).unwrap();
    let mut sink = open_sink(path, scene).unwrap();
    let mut recorder = Recorder::new(&world);
    let mut frames = Vec::new();
    for i in 0..=scene.frames() {
        for _ in 0..if i == 0 { 0 } else { scene.steps_per_frame() } {
            recorder.step(&world.step());
        }
        frames.push(world.frame());
        let record = *recorder.frame(&world);
        sink.frame(frames.last().unwrap(), &record).unwrap();
    }
    (sink.finish().unwrap(), frames)
}

/// Samples of `attribute` of the prim called `prim`, as numbers; one with code -1 if constant.
fn samples(text: &str, prim: &str, attribute: &str) -> Vec<(f64, Vec<f64>)> {
    let block = text
        .split(&format!("def Xform \"{prim}\" ("))
        .nth(1)
        .unwrap();
    let block = block.split("\n    }\n").next().unwrap();
    let numbers = |value: &str| -> Vec<f64> {
        let inner = value.trim_end_matches(',').trim_matches(['(', ')']);
        inner.split(", ").map(|x| x.parse().unwrap()).collect()
    };
    let rest = block.split(attribute).nth(1).unwrap();
    if let Some(value) = rest.strip_prefix(" = ") {
        return vec![(-1.0, numbers(value.lines().next().unwrap()))];
    }
    let inside = rest
        .strip_prefix(".timeSamples = {\n")
        .unwrap()
        .split('}')
        .next()
        .unwrap();
    let lines = inside
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (code, value) = line.split_once(": ").unwrap();
            (code.parse().unwrap(), numbers(value))
        })
        .collect()
}

/// Linear between samples, constant outside: what USD does.
fn value_at(samples: &[(f64, Vec<f64>)], code: f64) -> Vec<f64> {
    let after = samples.iter().position(|(c, _)| *c >= code);
    let Some(after) = after else {
        return samples.last().unwrap().1.clone();
    };
    let (c1, v1) = &samples[after];
    if after == 0 || *c1 == code {
        return v1.clone();
    }
    let (c0, v0) = &samples[after - 1];
    let t = (code - c0) / (c1 - c0);
    v0.iter().zip(v1).map(|(a, b)| a + t * (b - a)).collect()
}

#[test]
fn usd_samples_are_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    let scene = scene();
    let (written, frames) = run(&scene, &path);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!((written.frames, written.bytes), (11, text.len() as u64));
    assert!(text.starts_with("#usda 1.0\n"));
    for (open, close) in [('{', '}'), ('[', ']'), ('(', ')')] {
        assert_eq!(
            text.matches(open).count(),
            text.matches(close).count(),
            "{open}{close}"
        );
    }
    for word in [
        "startTimeCode = 0",
        "endTimeCode = 10",
        "timeCodesPerSecond = 25",
        "upAxis = \"Y\"",
        "metersPerUnit = 1",
        "defaultPrim = \"World\"",
        "doc = \"caches: says \\\"hello\\\"\"",
    ] {
        assert!(text.contains(word), "no {word}");
    }
    assert_eq!(
        text.matches("def Xform").count(),
        1 + frames[0].bodies.len()
    );
    // two equal hulls and one mesh stand once each
    assert_eq!(
        text.matches("prepend references = </World/Prototypes/hull_0>")
            .count(),
        2
    );
    assert_eq!(
        text.matches("prepend references = </World/Prototypes/mesh_1>")
            .count(),
        1
    );

    let mut worst: f64 = 0.0;
    for (b, body) in frames[0].bodies.iter().enumerate() {
        let prim: String = body
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let translate = samples(&text, &prim, "xformOp:translate");
        let orient = samples(&text, &prim, "xformOp:orient");
        for (i, frame) in frames.iter().enumerate() {
            let pose = frame.bodies[b].pose;
            let p = value_at(&translate, i as f64);
            let q = value_at(&orient, i as f64);
            let [x, y, z, w] = pose.rotation.to_array();
            let sign = if q[0] * w + q[1] * x + q[2] * y + q[3] * z < 0.0 {
                -1.0
            } else {
                1.0
            };
            let found = p.into_iter().chain(q.into_iter().map(|c| sign * c));
            for (found, wanted) in
                found.zip(pose.position.to_array().into_iter().chain([w, x, y, z]))
            {
                worst = worst.max((found - wanted).abs());
            }
        }
    }
    assert!(worst < 2e-7, "worst difference {worst:.1e}"); // measured: 1e-7
    // what does not move has one value, what enters later is hidden before
    assert_eq!(samples(&text, "ground", "xformOp:translate").len(), 1);
    assert_eq!(samples(&text, "late_ball", "xformOp:translate")[1].0, 5.0);
    let ball = frames[0]
        .bodies
        .iter()
        .position(|b| &*b.name == "late/ball")
        .unwrap();
    let entry = frames
        .iter()
        .position(|frame| frame.bodies[ball].visible)
        .unwrap();
    assert!((5..=6).contains(&entry), "enters at frame {entry}"); // 0.2 s
    let pad = " ".repeat(12);
    let hidden = format!(
        "token visibility.timeSamples = {{\n{pad}0: \"invisible\",\n{pad}{}: \"invisible\",\n{pad}{entry}: \"inherited\",\n        }}",
        entry - 1
    );
    assert!(text.contains(&hidden));
    assert_eq!(text.matches("visibility").count(), 1);
    let size = samples(&text, "late_ball", "xformOp:scale");
    assert_eq!(value_at(&size, entry as f64), [1.0; 3]);
    assert_eq!(value_at(&size, entry as f64 - 1.0), [1e-4; 3]);
}

#[test]
fn glb_holds_shared_shapes_and_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let scene = scene();
    let (written, frames) = run(&scene, &path);
    let bytes = fs::read(&path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(
        (&bytes[..4], word(4), word(8)),
        (&b"glTF"[..], 2, bytes.len())
    );
    assert_eq!(written.bytes, bytes.len() as u64);
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    let binary = &bytes[28 + word(12)..];
    let length = |key: &str| json[key].as_array().unwrap().len();
    assert_eq!(length("nodes"), frames[0].bodies.len());
    // ground, brick, ball, capsule, hull, compound, animal; times; motion
    let channels = json["animations"][0]["channels"].as_array().unwrap();
    let moving = channels
        .iter()
        .filter(|c| c["target"]["path"] == "translation")
        .count();
    assert_eq!(length("accessors"), 7 * 3 + 1 + channels.len());
    assert_eq!(
        channels
            .iter()
            .filter(|c| c["target"]["path"] == "scale")
            .count(),
        1
    );
    assert!(moving < frames[0].bodies.len());

    // the ball, read back from the binary chunk
    let ball = json["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .position(|n| n["name"] == "late/ball")
        .unwrap();
    let body = frames[0]
        .bodies
        .iter()
        .position(|b| &*b.name == "late/ball")
        .unwrap();
    let sampler = channels
        .iter()
        .find(|c| c["target"]["node"] == ball && c["target"]["path"] == "translation")
        .unwrap()["sampler"]
        .as_u64()
        .unwrap();
    let output = &json["animations"][0]["samplers"][sampler as usize]["output"];
    let accessor = &json["accessors"][output.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start =
        (view["byteOffset"].as_u64().unwrap() + accessor["byteOffset"].as_u64().unwrap()) as usize;
    assert_eq!(accessor["count"], frames.len());
    for (i, frame) in frames.iter().enumerate() {
        let p = frame.bodies[body].pose.position.as_vec3().to_array();
        for (k, wanted) in p.into_iter().enumerate() {
            let at = start + 12 * i + 4 * k;
            assert_eq!(
                f32::from_le_bytes(binary[at..at + 4].try_into().unwrap()),
                wanted
            );
        }
    }
}

#[test]
fn csv_has_a_line_per_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let (written, frames) = run(&scene(), &path);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        (written.bytes, written.frames),
        (text.len() as u64, frames.len())
    );
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(drystone_formats::csv::HEADER));
    for (line, frame) in lines.zip(&frames) {
        assert_eq!(
            line.split(',').next().unwrap().parse::<f64>().unwrap(),
            frame.time
        );
    }
}

#[test]
fn sinks_refuse_what_they_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene();
    let refused = |name: &str| {
        open_sink(folder.path().join(name), &scene)
            .err()
            .unwrap()
            .to_string()
    };
    for (name, words) in [
        ("a.usd", ["`.usd`", "did you mean `.usda`?"]),
        (
            "a.abc",
            ["`.abc`", "wanted .usda, .glb, .csv, .obj, .hair or .drec"],
        ),
        ("a", ["no extension", "wanted .usda"]),
        ("no/a.usda", ["no such file or folder", "a.usda"]),
        ("no/a.glb", ["no such file or folder", "a.glb"]),
        ("no/a.csv", ["no such file or folder", "a.csv"]),
    ] {
        let message = refused(name);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    // a sink given up leaves the old file and nothing else
    let path = folder.path().join("a.usda");
    fs::write(&path, "old").unwrap();
    let mut sink = open_sink(&path, &scene).unwrap();
    let mut frame = World::new(&scene).unwrap().frame();
    frame.bodies.pop();
    let wrong = sink
        .frame(&frame, &Default::default())
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("bodies; wanted"), "{wrong}");
    drop(sink);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_run_without_frames_or_with_odd_times_still_makes_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene();
    for name in ["a.usda", "a.glb", "a.csv"] {
        let path = folder.path().join(name);
        let written = open_sink(&path, &scene).unwrap().finish().unwrap();
        assert_eq!((written.frames, written.bytes > 0), (0, true), "{name}");
    }
    let mut frame = World::new(&scene).unwrap().frame();
    let mut sink = open_sink(folder.path().join("b.usda"), &scene).unwrap();
    let record = Default::default();
    sink.frame(&frame, &record).unwrap();
    sink.frame(&frame, &record).unwrap();
    frame.time = 0.1234567;
    frame.bodies[3].pose.position.x = f64::NAN;
    sink.frame(&frame, &record).unwrap();
    frame.time = 0.05;
    assert!(sink.frame(&frame, &record).is_err());
    assert_eq!(sink.finish().unwrap().frames, 2);
    let text = fs::read_to_string(folder.path().join("b.usda")).unwrap();
    assert!(text.contains("endTimeCode = 3.086418") && !text.contains("NaN"));
}
