//! `drystone run --dump-problem` as a user types it.

use crate::common::{drystone_in, folder, small_scene};
use drystone_formats::read_problem;

#[test]
fn a_run_dumps_its_contact_problems_in_every_format() {
    let (at, scene) = small_scene();
    let words = [
        "run",
        &scene,
        "--dump-problem",
        "0.2:new/a.problem",
        "--dump-problem",
        "0.2:new/a.dat",
        "--dump-problem",
        "0.2:new/a.dlm",
        "--dump-problem",
        "0.2:new/folder/",
        "--dump-problem",
        "0:start.problem",
    ];
    let out = drystone_in(at.path(), &words).well();
    assert!(out.stdout.contains("a.problem"), "{}", out.stdout);
    let read = |name: &str| read_problem(at.path().join(name)).unwrap();
    let own = read("new/a.problem");
    assert_eq!(own.name, "small@0.2");
    // three boxes on each other, four points at each interface
    assert!(own.contacts() >= 12, "{} contacts", own.contacts());
    assert!(own.places.is_some() && own.graph().is_some());
    for name in ["new/a.dat", "new/a.dlm", "new/folder"] {
        let other = read(name);
        assert!(other.dense() == own.dense(), "{name}");
        assert_eq!(other.b(), own.b(), "{name}");
    }
    assert_eq!(read("new/a.dlm").start, own.start);
    assert_eq!(read("start.problem").name, "small@0");
}

#[test]
fn a_dump_that_cannot_be_is_refused_before_the_run() {
    let (_at, scene) = small_scene();
    let at = folder();
    for (dumps, words) in [
        (&["0.4:late.dat"][..], "steps of the run begin from 0 s"),
        (&["-1:early.dat"], "steps of the run begin from 0 s"),
        (&["nan:never.dat"], "steps of the run begin from 0 s"),
        (&["soon:a.dat"], "`soon`"),
        (&["a.dat"], "no colon"),
        (&["0.1:"], "no file"),
        (&["0.1:a.dat", "0.2:a.dat"], "named for two outputs"),
    ] {
        let mut all = vec!["run", scene.as_str()];
        let dumps: Vec<String> = dumps
            .iter()
            .map(|d| format!("--dump-problem={d}"))
            .collect();
        all.extend(dumps.iter().map(String::as_str));
        let out = drystone_in(at.path(), &all);
        assert_eq!(out.code, 2, "{dumps:?}: {}{}", out.stdout, out.stderr);
        assert!(out.stderr.contains(words), "{dumps:?}: {}", out.stderr);
    }
    assert_eq!(at.path().read_dir().unwrap().count(), 0);
}
