//! A run that went wrong says so: warning, report, exit code 3; its files are whole.

use std::fs;

use crate::common::{drystone, folder, json, small_scene};

/// A rod that the published method spins up, 1 s: Erleben 2007, eq. 18 is explicit.
const ROD: &str = r#"
name = "rod"
duration = 1.0
gravity = [0, 0, 0]
preset = "paper"

[[body]]
name = "rod"
shape.box = { size = [0.7, 0.03, 0.03] }
angular_velocity = [30, 30, 30]
"#;

#[test]
fn a_sound_run_says_so_and_exits_with_0() {
    let (at, scene) = small_scene();
    let report = at.path().join("r.json");
    let out = drystone(&["run", &scene, "--report", report.to_str().unwrap()]).well();
    assert!(out.stdout.contains("verdict       sound"), "{}", out.stdout);
    assert_eq!(json(&report)["verdict"]["sound"], true);
}

#[test]
fn energy_from_nowhere_is_warned_of_reported_and_exits_with_3() {
    let at = folder();
    let file = |name: &str| at.path().join(name).display().to_string();
    fs::write(file("rod.toml"), ROD).unwrap();
    let out = drystone(&["run", &file("rod.toml"), "--report", &file("r.json")]);
    assert_eq!(out.code, 3, "{}\n{}", out.stdout, out.stderr);
    assert!(out.stderr.contains("warning: `rod` at"), "{}", out.stderr);
    assert!(out.stderr.contains("halve dt"), "{}", out.stderr);
    assert!(out.stdout.contains("UNSOUND"), "{}", out.stdout);
    let report = json(&at.path().join("r.json"));
    assert_eq!(report["verdict"]["sound"], false);
    let finding = &report["verdict"]["findings"][0];
    assert_eq!(finding["kind"], "energy-gained");
    assert_eq!(finding["thing"], "rod");
    assert!(finding["time"].as_f64().unwrap() < 1.0);
    let end = report["simulated_seconds"].as_f64().unwrap();
    assert!((end - 1.0).abs() < 1e-9, "ran to {end} s");
}

#[test]
fn strict_stops_at_the_first_finding_with_whole_files() {
    let at = folder();
    let file = |name: &str| at.path().join(name).display().to_string();
    fs::write(file("rod.toml"), ROD).unwrap();
    let out = drystone(&[
        "run",
        &file("rod.toml"),
        "--strict",
        "-o",
        &file("a.usda"),
        "-o",
        &file("a.glb"),
        "-o",
        &file("a.csv"),
        "--record",
        &file("a.drec"),
        "--report",
        &file("a.json"),
    ]);
    assert_eq!(out.code, 3, "{}\n{}", out.stdout, out.stderr);
    assert!(out.stdout.contains("stopped at the first finding"));
    let report = json(&at.path().join("a.json"));
    let end = report["simulated_seconds"].as_f64().unwrap();
    assert!(end < 1.0, "ran to {end} s");
    let found = &report["verdict"]["findings"][0]["time"];
    assert_eq!(found.as_f64().unwrap(), end);
    let frames = report["frames"].as_array().unwrap().len();
    let rows = fs::read_to_string(file("a.csv")).unwrap().lines().count();
    assert_eq!(rows, frames + 1);
    let usda = fs::read_to_string(file("a.usda")).unwrap();
    assert!(usda.trim_end().ends_with('}'), "the USD file is cut off");
    assert_eq!(&fs::read(file("a.glb")).unwrap()[..4], b"glTF");
    // the recording is complete: it exports without a warning
    let export = drystone(&["export", &file("a.drec"), "-o", &file("b.csv")]).well();
    assert!(!export.stderr.contains("cut off"), "{}", export.stderr);
    assert_eq!(
        fs::read(file("a.csv")).unwrap(),
        fs::read(file("b.csv")).unwrap()
    );
}

#[test]
fn check_does_not_pass_a_scene_with_a_finding() {
    let at = folder();
    let path = at.path().join("rod.toml");
    fs::write(
        &path,
        format!("{ROD}\n[[truth]]\nspeed-below = {{ limit = 1e6 }}\n"),
    )
    .unwrap();
    let out = drystone(&["check", path.to_str().unwrap()]);
    assert_eq!(out.code, 1, "{}\n{}", out.stdout, out.stderr);
    assert!(
        out.stdout.contains("BROKEN  the run is sound"),
        "{}",
        out.stdout
    );
}

#[test]
fn calm_and_violent_scenes_of_the_gallery_are_sound() {
    for scene in [
        "box-stack",
        "penetrating-stack",
        "card-house-slippery",
        "cow-on-slab",
        "struck-stack",
        "seesaw-dropped",
        "leaning-stack",
        "newtons-cradle",
        "spinning-top",
        "dzhanibekov",
        "carried-box",
        "dominoes",
        "arch",
    ] {
        let out = drystone(&["run", scene, "--seconds", "1.5"]);
        assert_eq!(out.code, 0, "{scene}: {}\n{}", out.stdout, out.stderr);
    }
}

#[test]
fn what_is_jammed_is_unsound() {
    let out = drystone(&["run", "jam", "--seconds", "1.5"]);
    assert_eq!(out.code, 3, "{}\n{}", out.stdout, out.stderr);
    assert!(out.stdout.contains("bodies-overlap"), "{}", out.stdout);
}
