//! What cannot be done is refused before anything is simulated, with a word of help.

use std::fs;

use crate::common::{SMALL, drystone, drystone_in, folder};

#[test]
fn bad_input_is_refused_with_exit_code_2_and_one_clear_line() {
    let at = folder();
    let write = |name: &str, text: &str| fs::write(at.path().join(name), text).unwrap();
    write("small.toml", SMALL);
    write(
        "other.toml",
        &SMALL.replace("friction = 0.5", "friction = 0.4"),
    );
    write("garbage.ckpt", "not a checkpoint");
    write("blocker", "a file, no folder");
    write("exists.csv", "time\n");
    fs::create_dir(at.path().join("folder.usda")).unwrap();
    drystone_in(
        at.path(),
        &["run", "other.toml", "--checkpoint", "other.ckpt"],
    )
    .well();
    drystone_in(
        at.path(),
        &["run", "small.toml", "--checkpoint", "small.ckpt"],
    )
    .well();

    let small = |more: &[&'static str]| [&["run", "small.toml"], more].concat();
    let table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["run", "faling-roof"], "did you mean `falling-roof`?"),
        (vec!["run", "xyzzy"], "drystone list"),
        (vec!["run", "missing.toml"], "there is no such file"),
        (vec!["run", "missing/scene.json"], "there is no such file"),
        (vec!["check", "faling-roof"], "did you mean `falling-roof`?"),
        (vec!["check"], "SCENE"),
        (vec!["run"], "SCENE"),
        (vec!["fly"], "fly"),
        (
            small(&["--set", "sover.envelope=1"]),
            "did you mean `solver`?",
        ),
        (
            small(&["--set", "solver.rigid.tuning.envelop=1"]),
            "did you mean `envelope`?",
        ),
        (small(&["--set", "dt"]), "KEY=VALUE"),
        (small(&["--set", "dt=-1"]), "`dt` is -1 s"),
        (
            small(&["--set", "material.brik.friction=1"]),
            "did you mean `brick`?",
        ),
        (
            small(&["--stepper", "two-levle"]),
            "did you mean `two-level`?",
        ),
        (small(&["--preset", "papr"]), "did you mean `paper`?"),
        (small(&["--seconds", "-1"]), "-1"),
        (small(&["--seconds=-1"]), "`duration` is -1 s"),
        (small(&["--seconds", "nan"]), "`duration` is NaN s"),
        (small(&["--seconds", "1e9"]), "`duration`"),
        (small(&["--threads", "0"]), "0"),
        (small(&["--perturb", "nan"]), "`perturb` is NaN m"),
        (small(&["--seed", "3"]), "--perturb"),
        (small(&["-o", "a.usd"]), ".usda"),
        (small(&["-o", "a"]), "no extension"),
        (small(&["-o", "folder.usda"]), "folder"),
        (small(&["-o", "blocker/a.usda"]), "blocker"),
        (small(&["--report", "a.txt"]), "wanted .json"),
        (small(&["--plot", "a.pdf"]), "wanted .svg or .png"),
        (small(&["--picture", "a.jpg"]), "wanted .png"),
        (
            small(&["--picture", "a.png", "--plot", "a.png"]),
            "two outputs",
        ),
        (small(&["--picture", "a.png", "--at", "7"]), "--at 7"),
        (small(&["--at", "0.1"]), "--picture"),
        (small(&["--every", "1"]), "--checkpoint"),
        (
            small(&["--checkpoint", "c.ckpt", "--every", "0"]),
            "more than 0 seconds",
        ),
        (
            small(&["--resume", "missing.ckpt"]),
            "there is no such file",
        ),
        (
            small(&["--resume", "garbage.ckpt"]),
            "no Drystone checkpoint",
        ),
        (
            small(&["--resume", "other.ckpt"]),
            "resume with the scene and settings",
        ),
        (small(&["--resume", "small.ckpt"]), "--seconds"),
        (
            small(&[
                "--resume",
                "small.ckpt",
                "--seconds",
                "1",
                "-o",
                "exists.csv",
            ]),
            "exists",
        ),
    ];
    for (words, wanted) in table {
        let out = drystone_in(at.path(), &words);
        let text = out.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(out.code, 2, "{words:?}: {text}");
        assert!(
            text.contains(wanted),
            "{words:?} says {text:?}, not {wanted:?}"
        );
        assert!(!text.contains("panicked"), "{words:?}: {text}");
    }
    // nothing of all this was run, and no empty file is left
    for name in ["a.usda", "a.png", "a.txt", "a.pdf", "a.jpg", "c.ckpt"] {
        assert!(!at.path().join(name).exists(), "{name} was made");
    }
}

#[test]
fn a_broken_scene_file_is_shown_with_its_line() {
    let at = folder();
    let broken = at.path().join("broken.toml");
    let show = |text: &str| {
        fs::write(&broken, text).unwrap();
        let out = drystone(&["run", broken.to_str().unwrap()]);
        assert_eq!(out.code, 2, "{}", out.stderr);
        out.stderr
    };
    let text = show(&SMALL.replace("duration = 0.4", "duration = = 4"));
    assert!(text.contains("broken.toml:3"), "{text}");
    let text = show(&SMALL.replace("radius = 0.3", "radus = 0.3"));
    assert!(
        text.contains("radus = 0.3") && text.contains("did you mean `radius`?"),
        "{text}"
    );
    let text = show(&SMALL.replace("radius = 0.3", "radius = -0.3"));
    assert!(text.contains("ball") && text.contains("-0.3"), "{text}");
    let text = show("");
    assert!(text.contains("empty"), "{text}");
}

#[test]
fn an_output_that_fails_late_costs_only_itself() {
    let at = folder();
    fs::write(at.path().join("small.toml"), SMALL).unwrap();
    // the name of the report's part file is taken by a folder: seen only when it is written
    fs::create_dir(at.path().join("r.json.part")).unwrap();
    let words = [
        "run",
        "small.toml",
        "--report",
        "r.json",
        "-o",
        "a.csv",
        "--plot",
        "a.svg",
    ];
    let out = drystone_in(at.path(), &words);
    assert_eq!(out.code, 1, "{}", out.stderr);
    assert!(out.stderr.contains("r.json"), "{}", out.stderr);
    assert!(at.path().join("a.csv").exists() && at.path().join("a.svg").exists());
}

/// A sheet at the height of the middle of a ball.
const THROUGH: &str = r#"
duration = 0.1
[[body]]
name = "ball"
shape.sphere = { radius = 0.3 }
position = [0.01, 0, 0.02]
motion = "fixed"
[[cloth]]
name = "flag"
surface.sheet = { columns = 6, rows = 6, spacing = 0.15 }
"#;

#[test]
fn a_start_that_cloth_cannot_have_is_written_as_a_patch() {
    let at = folder();
    fs::write(at.path().join("through.toml"), THROUGH).unwrap();
    let out = drystone_in(
        at.path(),
        &["run", "through.toml", "--patch", "new/patch.obj"],
    );
    assert_eq!(out.code, 2, "{}", out.stderr);
    assert!(out.stderr.contains("cross"), "{}", out.stderr);
    let patch = fs::read_to_string(at.path().join("new/patch.obj")).unwrap();
    // an edge of one, a face of the other, a group for each
    assert!(
        patch.contains("_flag_") && patch.contains("_ball_"),
        "{patch}"
    );
    let count = |word: &str| patch.lines().filter(|line| line.starts_with(word)).count();
    assert!(count("l ") > 0 && count("l ") == count("f "), "{patch}");
    assert_eq!(count("g "), count("l ") + count("f "));
    // nothing is written of a scene that starts
    fs::write(at.path().join("small.toml"), SMALL).unwrap();
    drystone_in(at.path(), &["run", "small.toml", "--patch", "none.obj"]).well();
    assert!(!at.path().join("none.obj").exists());
}
