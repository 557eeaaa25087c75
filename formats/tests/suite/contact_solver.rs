//! The solver of a stepper in a scene file.

use drystone_formats::parse_scene;

#[test]
fn a_scene_file_names_solver_ordering_and_tolerance() {
    let text = "[[body]]\nshape.sphere = { radius = 1 }\n[solver.rigid]\nstepper = \"pgs\"\n[solver.rigid.pgs]\nsolver = \"anderson\"\n\
                ordering = \"cp-y-up\"\ntolerance = 1e-4\nsweeps = 50\n";
    let scene = parse_scene(text, "a.toml", "").unwrap();
    let options = serde_json::to_value(scene.options().unwrap().pgs).unwrap();
    assert_eq!(options["solver"], "anderson");
    assert_eq!(options["ordering"], "cp-y-up");
    assert_eq!(options["tolerance"], 1e-4);
    assert_eq!(options["sweeps"], 50);
}

#[test]
fn a_misspelt_solver_or_ordering_is_told_its_nearest() {
    for (text, near) in [
        ("[solver.rigid.pgs]\nsolver = \"andersen\"", "`anderson`"),
        ("[solver.rigid.vsp]\nsolver = \"two-levels\"", "`two-level`"),
        (
            "[solver.rigid.pgs]\nsolver = \"cone\"\nordering = \"revers\"",
            "`reverse`",
        ),
    ] {
        let error = parse_scene(text, "a.toml", "").unwrap_err();
        let said = error.to_string();
        assert!(said.contains(&format!("did you mean {near}?")), "{said}");
    }
}

#[test]
fn an_ordering_without_a_solver_is_refused() {
    let text = "[solver.rigid.pgs]\nordering = \"reverse\"";
    let said = parse_scene(text, "a.toml", "").unwrap_err().to_string();
    assert!(said.contains("`pgs.ordering` is reverse"), "{said}");
}
