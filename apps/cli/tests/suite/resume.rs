//! A run may be stopped and taken up again: same bits, no lost file.

use std::fs;

use crate::common::{drystone_in, json, small_scene};

#[test]
fn a_resumed_run_ends_in_the_same_state_bit_for_bit() {
    let (at, _) = small_scene();
    let run = |words: &[&str]| drystone_in(at.path(), &[&["run", "small.toml"], words].concat());
    run(&["--checkpoint", "whole.ckpt", "--report", "whole.json"]).well();
    run(&[
        "--seconds",
        "0.2",
        "--checkpoint",
        "half.ckpt",
        "--report",
        "half.json",
    ])
    .well();
    run(&[
        "--resume",
        "half.ckpt",
        "--checkpoint",
        "end.ckpt",
        "--report",
        "end.json",
    ])
    .well();

    // a checkpoint holds the whole state; its scene knows the duration, which is the same
    let bytes = |name: &str| fs::read(at.path().join(name)).unwrap();
    assert!(
        bytes("whole.ckpt") == bytes("end.ckpt"),
        "the last states differ"
    );

    // the records of both halves are those of the whole, wall times aside
    let frames = |name: &str| {
        let mut frames = json(&at.path().join(name))["frames"]
            .as_array()
            .unwrap()
            .clone();
        for frame in &mut frames {
            frame["step_seconds"].take();
            frame["collision_seconds"].take();
        }
        frames
    };
    let halves = [frames("half.json"), frames("end.json")].concat();
    assert_eq!(frames("whole.json"), halves);
}

#[cfg(unix)]
#[test]
fn ctrl_c_completes_the_files_and_says_how_to_resume() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let (at, _) = small_scene();
    let binary = assert_cmd::cargo::cargo_bin("drystone");
    let mut child = Command::new(binary)
        .current_dir(at.path())
        .args([
            "run",
            "small.toml",
            "--seconds",
            "90000",
            "--report",
            "r.json",
        ])
        .args(["-o", "a.csv", "-o", "a.usda"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // it runs as soon as rows of numbers arrive
    let started = Instant::now();
    let rows = || fs::metadata(at.path().join("a.csv")).map_or(0, |data| data.len());
    while rows() < 500 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(200));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");

    // every file is whole
    let report = json(&at.path().join("r.json"));
    assert!(report["steps"].as_u64().unwrap() > 0);
    assert!(
        fs::read_to_string(at.path().join("a.usda"))
            .unwrap()
            .starts_with("#usda")
    );

    // and the command it names goes on, to another end
    let command = text
        .lines()
        .map(str::trim)
        .find(|line| line.contains("--resume"))
        .unwrap();
    let mut words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let seconds = words.iter().position(|word| *word == "90000").unwrap();
    let end = (report["simulated_seconds"].as_f64().unwrap() + 0.1).to_string();
    words[seconds] = &end;
    drystone_in(at.path(), &words).well();
    assert!(at.path().join("r-2.json").exists(), "{command}");
}
