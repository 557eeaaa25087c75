//! Each command as a user types it.

use std::fs;

use crate::common::{Outcome, drystone, folder, json, small_scene};

#[test]
fn list_names_every_scene_with_a_line_about_it() {
    let out = drystone(&["list"]).well();
    for entry in drystone_gallery::ALL {
        let line = out
            .stdout
            .lines()
            .find(|l| l.split_whitespace().next() == Some(entry.name));
        assert!(line.unwrap().contains(entry.about), "{line:?}");
    }
    let rows: serde_json::Value =
        serde_json::from_str(&drystone(&["list", "--json"]).well().stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), drystone_gallery::ALL.len());
    for row in rows.as_array().unwrap() {
        let count = |what: &str| row[what].as_u64().unwrap();
        let things = count("bodies") + count("strands") + count("cloths");
        assert!(things > 0, "{row}");
        assert!(row["seconds"].as_f64().unwrap() > 0.0, "{row}");
    }
}

#[test]
fn schema_is_json_and_knows_the_keys_of_a_scene() {
    let out = drystone(&["schema"]).well();
    let schema: serde_json::Value = serde_json::from_str(&out.stdout).unwrap();
    assert!(schema["properties"]["body"].is_object());
}

#[test]
fn a_gallery_scene_gives_every_kind_of_file() {
    let at = folder();
    let file = |name: &str| {
        at.path()
            .join("new/folder")
            .join(name)
            .display()
            .to_string()
    };
    let out = drystone(&[
        "run",
        "newtons-cradle",
        "--seconds",
        "0.2",
        "-o",
        &file("a.usda"),
        "-o",
        &file("a.glb"),
        "-o",
        &file("a.csv"),
        "--report",
        &file("a.json"),
        "--plot",
        &file("a.svg"),
        "--plot",
        &file("plot.png"),
        "--picture",
        &file("a.png"),
        "--checkpoint",
        &file("a.ckpt"),
        "--every",
        "0.1",
    ])
    .well();
    for name in [
        "a.usda", "a.glb", "a.csv", "a.json", "a.svg", "plot.png", "a.png", "a.ckpt",
    ] {
        let size = fs::metadata(file(name)).unwrap().len();
        assert!(size > 100, "{name} has {size} bytes");
        assert!(
            out.stdout.contains(&file(name)),
            "{name} is not named: {}",
            out.stdout
        );
    }
    for word in [
        "wall time",
        "contacts",
        "penetration",
        "in the mean",
        "at worst",
    ] {
        assert!(out.stdout.contains(word), "no `{word}` in {}", out.stdout);
    }
    assert!(fs::read(file("a.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(
        fs::read_to_string(file("a.usda"))
            .unwrap()
            .starts_with("#usda")
    );
    // nothing else is left in the folder
    assert_eq!(
        fs::read_dir(at.path().join("new/folder")).unwrap().count(),
        8
    );
}

#[test]
fn the_report_has_its_documented_fields_and_one_record_per_frame() {
    let (at, scene) = small_scene();
    let report = at.path().join("r.json");
    drystone(&[
        "run",
        &scene,
        "--seconds",
        "0.2",
        "--report",
        report.to_str().unwrap(),
        "--set",
        "dt=0.005",
        "--stepper",
        "vsp",
    ])
    .well();
    let report = json(&report);
    assert_eq!(report["scene"], "small");
    assert_eq!(report["options"]["stepper"], "vsp");
    assert_eq!(report["dt"], 0.005);
    assert_eq!(report["steps"], 40);
    for part in ["total", "collision", "dynamics"] {
        for number in ["mean", "p95", "max"] {
            assert!(
                report["step_seconds"][part][number].is_f64(),
                "{part}.{number}"
            );
        }
    }
    assert!(report["contacts"]["mean"].is_f64() && report["contacts"]["max"].is_u64());
    assert!(report["wall_seconds"].as_f64().unwrap() > 0.0);
    let frames = report["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 11, "50 frames a second and the start");
    for key in [
        "time",
        "contacts",
        "kinetic_energy",
        "potential_energy",
        "deepest_penetration",
        "largest_displacement",
        "momentum",
    ] {
        assert!(!frames[10][key].is_null(), "no `{key}`");
    }
    assert!((frames[10]["time"].as_f64().unwrap() - 0.2).abs() < 1e-9);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (at, scene) = small_scene();
    let run = |threads: &str| {
        let file = at.path().join(format!("{threads}.ckpt"));
        let path = file.to_str().unwrap();
        drystone(&["run", &scene, "--threads", threads, "--checkpoint", path]).well();
        fs::read(file).unwrap()
    };
    assert!(run("1") == run("3"), "the last states differ");
}

#[test]
fn a_perturbed_start_depends_on_its_seed_alone() {
    let (at, scene) = small_scene();
    let run = |seed: &str, name: &str| {
        let file = at.path().join(name);
        drystone(&[
            "run",
            &scene,
            "--perturb",
            "0.005",
            "--seed",
            seed,
            "--checkpoint",
            file.to_str().unwrap(),
        ])
        .well();
        fs::read(file).unwrap()
    };
    let first = run("1", "a");
    assert!(first == run("1", "b"));
    assert!(first != run("2", "c"));
}

#[test]
fn a_picture_may_be_taken_at_any_time() {
    let (at, scene) = small_scene();
    let picture = |name: &str, more: &[&str]| {
        let file = at.path().join(name);
        let mut words = vec!["run", &scene, "--picture", file.to_str().unwrap()];
        words.extend(more);
        drystone(&words).well();
        fs::read(file).unwrap()
    };
    let last = picture("last.png", &[]);
    assert!(last != picture("first.png", &["--at", "0"]));
    assert!(last == picture("end.png", &["--at", "0.4"]));
}

#[test]
fn check_says_which_truth_is_broken_and_its_exit_code_too() {
    let (_at, scene) = small_scene();
    let Outcome { stdout, code, .. } = drystone(&["check", &scene]);
    assert_eq!(code, 0, "{stdout}");
    assert!(
        stdout.contains("holds") && stdout.contains("measured"),
        "{stdout}"
    );

    let broken = [
        "check",
        &scene,
        "--set",
        "gravity=[8,-9.81,0]",
        "--set",
        "dt=0.005",
    ];
    let Outcome { stdout, code, .. } = drystone(&broken);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("BROKEN"), "{stdout}");

    let out = drystone(&["check", &scene, "--json"]).well();
    let all: serde_json::Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(all[0]["holds"], true);
    assert!(all[0]["truths"][0]["wanted"].is_string());
}
