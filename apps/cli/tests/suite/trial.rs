//! Random scenes: what breaks a law is written as a file that runs, and the exit code says so.

use crate::common::{drystone_in, folder};

#[test]
fn a_broken_law_gives_exit_code_1_and_a_scene_that_runs() {
    let at = folder();
    // no scene runs in no time
    let arguments = ["trial", "--count", "1", "--patience", "0", "--out", "found"];
    assert_eq!(drystone_in(at.path(), &arguments).code, 1);
    let file = at.path().join("found/rigid-time-0.toml");
    assert!(file.exists());
    let file = file.to_str().unwrap();
    drystone_in(at.path(), &["run", file, "--seconds", "0.001"]).well();
}

#[test]
fn scenes_can_be_kept_without_running_them() {
    let at = folder();
    let arguments = [
        "trial", "--count", "3", "--keep", "--kind", "wall", "--out", "kept",
    ];
    drystone_in(at.path(), &arguments).well();
    assert_eq!(
        std::fs::read_dir(at.path().join("kept")).unwrap().count(),
        3
    );
}

#[test]
fn systems_and_kinds_that_do_not_exist_are_refused() {
    let at = folder();
    for word in ["--system", "--kind"] {
        let refused = drystone_in(at.path(), &["trial", word, "water"]);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("wanted one of"),
            "{}",
            refused.stderr
        );
    }
}
