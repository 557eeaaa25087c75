//! `drystone lab` as a user sees it.

use std::fs;

use crate::common::{drystone, drystone_in, folder, small_scene};

#[test]
fn the_laboratory_compares_solvers_on_a_scene_and_on_its_dumped_problem() {
    let (at, scene) = small_scene();
    let dumped = at.path().join("problems");
    fs::create_dir(&dumped).unwrap();
    let dump = "0:problems/small.problem";
    drystone_in(at.path(), &["run", &scene, "--dump-problem", dump]).well();
    let words = [
        "lab",
        &scene,
        "problems",
        "--solvers",
        "pgs,nncg-cone,two-level",
        "--orderings",
        "identity,reverse",
        "-o",
        "table.csv",
        "--plot",
        "curves.svg",
    ];
    let said = drystone_in(at.path(), &words).well().stdout;
    assert!(said.starts_with("problem "), "{said}");
    let table = fs::read_to_string(at.path().join("table.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 2 * 6, "{table}");
    assert!(table.starts_with("problem,contacts,solver,ordering,iterations,row_updates,ms,"));
    // the same problem from the scene and from the file: the same work
    let counts = |line: &str| -> Vec<String> {
        line.split(',').skip(1).take(5).map(str::to_owned).collect()
    };
    let lines: Vec<&str> = table.lines().skip(1).collect();
    for k in 0..6 {
        assert_eq!(counts(lines[k]), counts(lines[6 + k]));
    }
    let plot = fs::read_to_string(at.path().join("curves.svg")).unwrap();
    for word in ["row updates [1]", "iterations [1]", "nncg-cone identity"] {
        assert!(plot.contains(word), "{word}");
    }
}

#[test]
fn what_the_laboratory_cannot_do_is_said_in_a_line() {
    let at = folder();
    let empty = at.path().to_str().unwrap();
    for (words, wanted) in [
        (&["lab"][..], "required"),
        (&["lab", "box-stak"], "did you mean `box-stack`?"),
        (&["lab", "box-stack@soon"], "the time is `soon`"),
        (&["lab", "box-stack", "--seconds", "2"], "wanted SCENE@TIME"),
        (&["lab", "box-stack", "--window", "99"], "1 to 50 is wanted"),
        (
            &["lab", "box-stack", "--aggregates", "colum"],
            "did you mean `column`?",
        ),
        (
            &["lab", "box-stack", "--stepper", "pgss"],
            "did you mean `pgs`?",
        ),
        (
            &["lab", "box-stack", "--solvers", "nncgg"],
            "did you mean `nncg`?",
        ),
        (
            &["lab", "box-stack", "--orderings", "cp-y-dwn"],
            "did you mean `cp-y-down`?",
        ),
        (
            &["lab", "box-stack", "--tolerance", "-1"],
            "wanted more than 0",
        ),
        (
            &["lab", "box-stack", "--most-seconds", "0"],
            "wanted more than 0",
        ),
        (
            &["lab", "box-stack", "-o", "table.txt"],
            "wanted an ending .csv",
        ),
        (&["lab", empty], "no problem in it"),
        (
            &["lab", "box-stack", "--papers", "x"],
            "cannot be used with",
        ),
    ] {
        let outcome = drystone(words);
        assert_eq!(outcome.code, 2, "{words:?}: {}", outcome.stderr);
        assert!(
            outcome.stderr.contains(wanted),
            "{words:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_solver_that_does_not_fit_is_a_line_of_the_table() {
    let words = [
        "lab",
        "box-stack-9",
        "--solvers",
        "local",
        "--orderings",
        "gsp",
    ];
    let outcome = drystone(&words).well();
    assert!(
        outcome.stdout.contains("1 did not reach"),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("takes contacts apart"),
        "{}",
        outcome.stdout
    );
}
