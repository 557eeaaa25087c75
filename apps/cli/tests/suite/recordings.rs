//! Recordings and films as a user makes them.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{drystone_in, small_scene};

#[test]
fn what_is_exported_is_what_the_run_would_have_written() {
    let (at, _) = small_scene();
    let run = |words: &[&str]| drystone_in(at.path(), words);
    run(&[
        "run",
        "small.toml",
        "--record",
        "a.drec",
        "-o",
        "a.usda",
        "-o",
        "a.glb",
        "-o",
        "a.csv",
        "-o",
        "a.###.obj",
        "--picture",
        "a.png",
    ])
    .well();
    run(&[
        "export",
        "a.drec",
        "-o",
        "b.usda",
        "-o",
        "b.glb",
        "-o",
        "b.csv",
        "-o",
        "b.###.obj",
        "-o",
        "b.png",
    ])
    .well();
    let bytes = |name: &str| fs::read(at.path().join(name)).unwrap();
    for ending in ["usda", "glb", "csv", "000.obj", "020.obj", "png"] {
        let (a, b) = (bytes(&format!("a.{ending}")), bytes(&format!("b.{ending}")));
        assert!(a == b, "{ending}: {} and {} bytes", a.len(), b.len());
    }
    // one moment
    run(&[
        "export", "a.drec", "--time", "0.2", "-o", "c.obj", "-o", "c.csv",
    ])
    .well();
    assert_eq!(bytes("c.obj"), bytes("a.010.obj"));
    assert_eq!(
        fs::read_to_string(at.path().join("c.csv"))
            .unwrap()
            .lines()
            .count(),
        2
    );
}

#[test]
fn films_are_made_by_a_run_and_of_a_recording() {
    let (at, _) = small_scene();
    let run = |words: &[&str]| drystone_in(at.path(), words);
    let size = ["--film-size", "64x36", "--orbit", "-30"];
    run(&[
        &["run", "small.toml", "--record", "a.drec", "--film", "a.gif"],
        &size[..],
    ]
    .concat())
    .well();
    run(&[&["export", "a.drec", "-o", "b.gif"], &size[..]].concat()).well();
    let bytes = |name: &str| fs::read(at.path().join(name)).unwrap();
    assert!(bytes("a.gif").starts_with(b"GIF89a"));
    assert!(bytes("a.gif") == bytes("b.gif"));
    run(&[
        "run",
        "small.toml",
        "--film",
        "c.png",
        "--film-size",
        "32x18",
    ])
    .well();
    let png = bytes("c.png");
    let control = png.windows(4).position(|w| w == b"acTL").unwrap();
    assert_eq!(png[control + 4..control + 8], 21u32.to_be_bytes());
}

#[test]
fn without_ffmpeg_an_animated_png_is_made_beside_it() {
    let (at, _) = small_scene();
    let mut command = assert_cmd::Command::cargo_bin("drystone").unwrap();
    let output = command
        .current_dir(at.path())
        .env("PATH", at.path())
        .args([
            "run",
            "small.toml",
            "--seconds",
            "0.1",
            "--film",
            "a.mp4",
            "--film-size",
            "32x18",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("needs the program ffmpeg") && said.contains("`a.png`"),
        "{said}"
    );
    assert!(at.path().join("a.png").exists() && !at.path().join("a.mp4").exists());
}

#[test]
fn a_run_that_is_killed_leaves_a_recording() {
    let (at, _) = small_scene();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("drystone"))
        .current_dir(at.path())
        .args([
            "run",
            "small.toml",
            "--seconds",
            "100000",
            "--record",
            "a.drec",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let path = at.path().join("a.drec");
    let length = || fs::metadata(&path).map_or(0, |data| data.len());
    while length() < 100_000 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let out = drystone_in(at.path(), &["export", "a.drec", "-o", "a.csv"]).well();
    assert!(out.stderr.contains("was cut off"), "{}", out.stderr);
    let rows = fs::read_to_string(at.path().join("a.csv"))
        .unwrap()
        .lines()
        .count();
    assert!(rows > 24, "{rows} rows");
}

#[test]
fn what_cannot_be_done_is_said_before_the_run() {
    let (at, _) = small_scene();
    fs::write(at.path().join("no.drec"), "hello").unwrap();
    for (words, said) in [
        (
            &["run", "small.toml", "--record", "a.usda"][..],
            "wanted .drec",
        ),
        (
            &["run", "small.toml", "--film", "a.avi"],
            "wanted .mp4 or .webm or .gif or .png",
        ),
        (
            &["run", "small.toml", "--film", "a.gif", "--film-size", "9x9"],
            "from 16 to 8192",
        ),
        (&["run", "small.toml", "--orbit", "9"], "add --film"),
        (
            &["run", "small.toml", "--film", "a.gif", "-o", "a.gif"],
            "named for two outputs",
        ),
        (
            &["export", "no.drec", "-o", "a.usda"],
            "no Drystone recording",
        ),
        (&["export", "none.drec", "-o", "a.usda"], "no such file"),
    ] {
        let out = drystone_in(at.path(), words);
        assert_eq!(out.code, 2, "{words:?}: {}", out.stderr);
        assert!(out.stderr.contains(said), "{words:?}: {}", out.stderr);
    }
    drystone_in(at.path(), &["run", "small.toml", "--record", "a.drec"]).well();
    for (words, said) in [
        (
            &["export", "a.drec", "-o", "a.usda", "--time", "7"][..],
            "goes from 0.000 s to 0.400 s",
        ),
        (
            &["export", "a.drec", "-o", "a.gif", "--time", "0"],
            "is a film",
        ),
        (&["export", "a.drec", "-o", "a.docx"], "`.docx`"),
        (&["export", "a.drec", "-o", "a.drec"], "named twice"),
    ] {
        let out = drystone_in(at.path(), words);
        assert_eq!(out.code, 2, "{words:?}: {}", out.stderr);
        assert!(out.stderr.contains(said), "{words:?}: {}", out.stderr);
    }
}
