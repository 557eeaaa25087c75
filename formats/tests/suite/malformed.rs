//! Files that are broken, misspelt or absurd: a clear error that names the place, never a panic.

use std::fs;

use drystone_formats::{FileError, explain, parse_scene, read_scene, write_scene};
use drystone_world::{Options, Scene, SceneError, Stepper, Subject};

fn error(text: &str) -> FileError {
    match parse_scene(text, "a.toml", "") {
        Err(error) => error,
        Ok(scene) => panic!("accepted:\n{text}\nas {scene:?}"),
    }
}

/// (what is wrong, the file, line and column, words that must be in the message)
#[rustfmt::skip]
const TABLE: &[(&str, &str, usize, usize, &[&str])] = &[
    ("unknown key at the top", "duratoin = 3\n[[body]]\nshape.sphere = { radius = 1 }", 1, 1, &["`duratoin`", "did you mean `duration`?"]),
    ("unknown key of a body", "[[body]]\nshape.sphere = { radius = 1 }\nvelocty = [1, 0, 0]", 3, 1, &["`velocty`", "did you mean `velocity`?"]),
    ("unknown key inside a shape", "[[body]]\nshape.sphere = { radus = 1 }", 2, 18, &["`radus`", "`radius`"]),
    ("unknown shape", "[[body]]\nshape.spere = { radius = 1 }", 2, 7, &["`spere`", "did you mean `sphere`?"]),
    ("unknown pattern", "[[generate]]\nname = \"t\"\npattern.rng = { bricks = 3 }", 3, 9, &["`rng`", "did you mean `ring`?"]),
    ("unknown key of a pattern", "[[generate]]\npattern.ring = { brick = 3 }", 2, 18, &["`brick`", "did you mean `bricks`?"]),
    ("a key like no other", "[[body]]\nshape.sphere = { radius = 1 }\nqqqqqqqq = 1", 3, 1, &["`qqqqqqqq`", "the keys here are", "position"]),
    ("unknown solver option", "[solver.rigid]\nsteper = \"vsp\"", 2, 1, &["`steper`", "did you mean `stepper`?"]),
    ("unknown solver option in old words", "[solver]\nsteper = \"vsp\"", 2, 1, &["`steper`", "did you mean `stepper`?"]),
    ("unknown solver", "[solver.strnd]\nsteps_per_frame = 8", 1, 9, &["`strnd`", "did you mean `strand`?"]),
    ("bodies solved twice", "[solver]\nsleeping = true\n[solver.rigid]\nstepper = \"vsp\"", 1, 1, &["`solver.rigid`"]),
    ("strands solved twice", "[strand_solver]\nsteps_per_frame = 8\n[solver.strand]\nsteps_per_frame = 9", 1, 1, &["`strand_solver`", "`solver.strand`"]),
    ("unknown option of cloth", "[solver.cloth]\nthicknes = 0.1", 2, 1, &["`thicknes`", "did you mean `thickness`?"]),
    ("unknown stepper", "[solver.rigid]\nstepper = \"vps\"\n[[body]]\nshape.sphere = { radius = 1 }", 2, 11, &["`vps`", "vsp"]),
    ("text where a number belongs", "dt = \"fast\"", 1, 6, &["invalid type", "fast"]),
    ("a number where text belongs", "name = 3", 1, 8, &["invalid type", "3"]),
    ("two numbers where three belong", "[[body]]\nshape.box = { size = [1, 2] }", 2, 22, &["3"]),
    ("four numbers where three belong", "gravity = [0, 1, 2, 3]\n[[body]]\nshape.sphere = { radius = 1 }", 1, 11, &["4 values; wanted 3"]),
    ("a place in four dimensions", "[[body]]\nshape.sphere = { radius = 1 }\nposition = [1, 2, 3, 4]", 3, 12, &["4 values; wanted 3"]),
    ("a body without a shape", "[[body]]\nname = \"b\"", 1, 1, &["`shape` is missing"]),
    ("a ball without a radius", "[[body]]\nshape.sphere = {}", 2, 16, &["`radius` is missing"]),
    ("two shapes at once", "[[body]]\nshape.sphere = { radius = 1 }\nshape.box = { size = [1, 1, 1] }", 2, 1, &[]),
    ("cut off in a string", "name = \"tow", 1, 12, &[]),
    ("cut off in a table", "[[body]]\nshape.box = { size = [1, 1", 2, 27, &[]),
    ("cut off in a header", "[[bod", 1, 6, &[]),
    ("the same key twice", "dt = 0.1\ndt = 0.2", 2, 1, &["duplicate"]),
    ("no equals sign", "dt 0.1", 1, 4, &[]),
    ("not TOML at all", "{\"body\": []}", 1, 1, &[]),
    ("only a comment", "# nothing", 0, 0, &["no body"]),
    ("not a number", "dt = nan\n[[body]]\nshape.sphere = { radius = 1 }", 1, 1, &["`dt`", "NaN"]),
    ("an infinite place", "[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }\nposition = [0, inf, 0]", 4, 1, &["body `b`", "`position`", "inf"]),
    ("a negative size", "[[body]]\nname = \"ok\"\nshape.sphere = { radius = 1 }\n[[body]]\nname = \"bad\"\nshape.box = { size = [1, -2, 1] }", 6, 26, &["body `bad`", "-2"]),
    ("a negative radius of a nameless body", "[[body]]\nshape.sphere = { radius = 1 }\n[[body]]\nshape.sphere = { radius = -1 }", 4, 18, &["body `sphere-1`"]),
    ("zero mass", "[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }\nmass = 0", 4, 1, &["body `b`", "`mass`"]),
    ("a camera that looks at itself", "[[body]]\nshape.sphere = { radius = 1 }\n[camera]\neye = [1, 2, 3]\ntarget = [1, 2, 3]", 4, 1, &["`camera.eye`", "other than the target"]),
    ("a camera that goes back in time", "[[body]]\nshape.sphere = { radius = 1 }\n[camera]\neye = [1, 2, 3]\ntarget = [0, 0, 0]\n[[camera.keys]]\ntime = 2\neye = [1, 2, 3]\ntarget = [0, 0, 0]\n[[camera.keys]]\ntime = 1\neye = [1, 2, 3]\ntarget = [0, 0, 0]", 11, 1, &["`camera.keys[1].time`", "1", "later than the key before"]),
    ("a step of zero", "name = \"x\"\ndt = 0\n[[body]]\nshape.sphere = { radius = 1 }", 2, 1, &["`dt`"]),
    ("a negative duration", "duration = -1\n[[body]]\nshape.sphere = { radius = 1 }", 1, 1, &["`duration`", "-1"]),
    ("the same name twice", "[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }\n[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }", 5, 1, &["body `b`", "twice"]),
    ("a material that is not there", "[material.brick]\nfriction = 0.5\n[[body]]\nname = \"b\"\nmaterial = \"brik\"\nshape.sphere = { radius = 1 }", 5, 1, &["`brik`", "did you mean `brick`?"]),
    ("a material rubbing backwards", "[material.ice]\nfriction = -1\n[[body]]\nshape.sphere = { radius = 1 }", 2, 1, &["material `ice`", "`friction`"]),
    ("a material that holds less than it brakes", "[material.ice]\nfriction = 0.5\nstatic_friction = 0.3\n[[body]]\nshape.sphere = { radius = 1 }", 3, 1, &["material `ice`", "`static_friction`", "`friction`", "0.5"]),
    ("a contact of unknown materials", "[[contact]]\nbetween = [\"a\", \"b\"]\nfriction = 1\n[[body]]\nshape.sphere = { radius = 1 }", 1, 1, &["contact 0", "`a`"]),
    ("too many bodies", "[[generate]]\nname = \"sand\"\npattern.grid = { counts = [4000, 4000, 4000], shapes = [{ sphere = { radius = 0.1 } }] }", 1, 1, &["generator `sand`", "bodies"]),
    ("a generator of negative bricks", "[[generate]]\nname = \"w\"\npattern.wall = { rows = -1 }", 3, 25, &["-1"]),
    ("a brick too thin", "[[generate]]\nname = \"w\"\npattern.wall = { rows = 2, size = [1, 0, 1] }", 3, 28, &["generator `w`", "size"]),
    ("a generated body out of its mind", "[[generate]]\nname = \"w\"\npattern.wall = { rows = 2 }\nmass = -5", 4, 1, &["`mass`", "-5"]),
    ("a mesh file that is not there", "[[body]]\nname = \"cow\"\nshape.mesh = { file = \"no-such-cow.obj\" }", 3, 16, &["body `cow`", "no-such-cow.obj", "no such file"]),
    ("a mesh given twice", "[[body]]\nname = \"cow\"\nshape.mesh = { file = \"cow.obj\", builtin = \"animal\" }", 3, 7, &["body `cow`", "2 ways"]),
    ("a mesh file inside a compound", "[[body]]\nname = \"c\"\nshape.compound = { parts = [{ shape.mesh = { file = \"gone.obj\" } }] }", 3, 46, &["body `c`", "gone.obj"]),
    ("an open mesh", "[[body]]\nname = \"m\"\n[body.shape.mesh]\nvertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\ntriangles = [[0,2,1],[0,1,3],[0,3,2],[1,2,9]]", 5, 38, &["body `m`", "triangles[3]"]),
    ("a flat hull", "[[body]]\nname = \"h\"\nshape.hull = { points = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]] }", 3, 16, &["body `h`", "4 points"]),
    ("a compound part of no size", "[[body]]\nname = \"c\"\nshape.compound = { parts = [{ shape.sphere = { radius = 1 } }, { shape.sphere = { radius = 0 } }] }", 3, 83, &["part 1", "radius"]),
    ("an unknown preset", "preset = \"papr\"\n[[body]]\nshape.sphere = { radius = 1 }", 1, 1, &["`papr`", "did you mean `paper`?"]),
    ("a camera inside its target", "[camera]\neye = [1, 1, 1]\ntarget = [1, 1, 1]\n[[body]]\nshape.sphere = { radius = 1 }", 2, 1, &["camera.eye"]),
    ("rotation and turn together", "[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }\nrotation = [0, 0, 0, 1]\nturn = { degrees = 3 }", 5, 1, &["body `b`", "`turn`"]),
    ("a truth about nobody", "[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }\n[[truth]]\nstands-still = { bodies = \"tower/*\", drift = 1 }", 0, 0, &["tower/*"]),
    ("nested beyond reason", "", 0, 0, &[]),
];

#[test]
fn every_malformed_scene_gets_an_error_that_names_line_and_column() {
    let mut wrong = Vec::new();
    for &(what, text, line, column, words) in TABLE {
        let nested = format!("x = {}", "[".repeat(100_000));
        let text = if what == "nested beyond reason" {
            &nested
        } else {
            text
        };
        let error = error(text);
        let message = error.to_string();
        let found = (error.line().unwrap_or(0), error.column().unwrap_or(0));
        let placed = line == 0 || found == (line, column);
        if !(placed && words.iter().all(|word| message.contains(word)) && message.len() < 1000) {
            wrong.push(format!(
                "{what}: wanted {line}:{column} with {words:?}, found {message}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(TABLE.len() >= 40);
}

#[test]
fn files_that_are_not_text_or_not_there_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let refused = || read_scene(&path).unwrap_err().to_string();
    assert!(refused().contains("no such file"), "{}", refused());
    assert!(
        read_scene(folder.path())
            .unwrap_err()
            .to_string()
            .contains("folder")
    );

    fs::write(&path, "").unwrap();
    assert!(refused().contains("the file is empty"), "{}", refused());
    fs::write(&path, " \n\t\n").unwrap();
    assert!(refused().contains("the file is empty"), "{}", refused());
    fs::write(&path, b"name = \"x\"\nabout = \"gr\xfc\xdfe\"\n").unwrap();
    let latin = read_scene(&path).unwrap_err();
    assert!(latin.to_string().contains("no UTF-8"), "{latin}");
    assert_eq!((latin.line(), latin.column()), (Some(2), Some(12)));
    fs::write(&path, b"\x7fELF\x00\x01\x02\xff").unwrap();
    refused();

    // longer than allowed, without taking the room on disk
    fs::File::create(&path)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    assert!(refused().contains("64 MiB"), "{}", refused());
}

#[test]
fn a_scene_cut_anywhere_is_an_error_or_a_smaller_scene() {
    let text = "name = \"é\"\ndt = 0.01\n[material.brick]\nfriction = 0.6\n\n[[body]]\nname = \"b\"\n\
        shape.box = { size = [1, 2, 3] }\nmaterial = \"brick\"\n\n[[generate]]\nname = \"tower\"\n\
        pattern.ring = { bricks = 20, layers = 4 }\ncolour = [0.5, 0.25, 0.125]\n";
    assert!(parse_scene(text, "whole.toml", "").is_ok());
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        if let Err(error) = parse_scene(&text[..end], "cut.toml", "") {
            assert!(error.to_string().starts_with("cut.toml"), "{error}");
        }
    }
}

#[test]
fn json_scenes_point_at_the_place_too() {
    let table = [
        ("{\n \"duratoin\": 3\n}", 2, 3, "did you mean `duration`?"),
        (
            "{\n \"body\": [{ \"shape\": { \"spere\": { \"radius\": 1 } } }]\n}",
            2,
            25,
            "did you mean `sphere`?",
        ),
        ("{\n \"body\": [{\n", 2, 12, "EOF"),
        (
            "{\n \"body\": [{ \"name\": \"b\", \"shape\": { \"sphere\": { \"radius\": -1 } } }]\n}",
            2,
            21,
            "body `b`",
        ),
        ("[]", 0, 0, ""),
        ("{} {}", 1, 4, "trailing"),
        ("nonsense", 1, 2, ""),
    ];
    for (text, line, column, word) in table {
        let error = parse_scene(text, "a.JSON", "").unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        if line > 0 {
            assert_eq!(
                (error.line(), error.column()),
                (Some(line), Some(column)),
                "{error}"
            );
        }
    }
}

#[test]
fn errors_that_show_up_later_find_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let text = "[[body]]\nname = \"b\"\nshape.sphere = { radius = 1 }\nmass = 2\n\n\
        [[generate]]\npattern.ring = { bricks = 3 }\nmass = 4\n";
    fs::write(&path, text).unwrap();
    let line = |kind: &'static str, name: &str, field: &str| {
        let subject = Subject::named(kind, name);
        explain(&path, &SceneError::value(subject, field, "odd", "even")).line()
    };
    assert_eq!(line("body", "b", "mass"), Some(4));
    assert_eq!(line("body", "b", "no.such.field"), Some(1));
    assert_eq!(line("body", "ring/0/2", "mass"), Some(8));
    assert_eq!(line("generator", "ring", "pattern.ring.bricks"), Some(7));
    assert_eq!(line("body", "nobody", "mass"), None);
}

#[test]
fn an_option_out_of_range_is_found_in_the_section_of_its_system() {
    let body = "[[body]]\nshape.sphere = { radius = 1 }\n";
    for (section, option, line) in [
        ("solver.rigid", "two_level.substeps", 5),
        ("solver.strand", "steps_per_frame", 5),
        ("solver.cloth", "elastic_fraction", 5),
        ("solver", "two_level.substeps", 5),
        ("strand_solver", "steps_per_frame", 5),
        ("cloth_solver", "elastic_fraction", 5),
    ] {
        let text = format!("dt = 0.01\n{body}[{section}]\n{option} = 0\n");
        let error = parse_scene(&text, "a.toml", "").unwrap_err();
        assert_eq!(error.line(), Some(line), "{error}");
    }
}

#[test]
fn words_of_the_field_are_understood_beside_our_own() {
    let body = "[[body]]\nshape.sphere = { radius = 1 }\n";
    let text = format!("[rigid_solver]\nstepper = \"two-level\"\nsleeping = true\n{body}");
    let scene = parse_scene(&text, "a.toml", "").unwrap();
    assert_eq!(scene.solver.rigid.stepper, Stepper::TwoLevel);
    assert!(scene.solver.rigid.sleeping);
    let text = "[[strand]]\npoints = [[0, 0, 0], [1, 0, 0]]\nconstraint = [{ to = \"start\" }]\n";
    let scene = parse_scene(text, "a.toml", "").unwrap();
    assert_eq!(scene.strands[0].holds.len(), 1);
}

#[test]
fn an_older_name_of_an_option_counts_beside_a_preset() {
    for (old, new) in [
        ("tuning.worth = 0.25", "tuning.coarse_decrease = 0.25"),
        // names before
        ("coursed.sweeps = 17", "two_level.sweeps = 17"),
        ("two_level.coarse = false", "two_level.solver = \"cone\""),
    ] {
        let [old, new] = [old, new].map(|line| {
            let text = format!(
                "preset = \"converged\"\n[solver.rigid]\n{line}\n[[body]]\nshape.sphere = {{ radius = 1 }}\n"
            );
            let scene = parse_scene(&text, "a.toml", "").unwrap();
            scene.options().unwrap()
        });
        assert_eq!(old, new);
        assert_ne!(old, Options::preset("converged").unwrap());
    }
}

#[test]
fn a_value_beside_a_preset_counts_also_where_it_is_the_default() {
    let text = |sweeps: u32, section: &str| {
        format!(
            "preset = \"converged\"\n[{section}]\ncoursed.sweeps = {sweeps}\n[[body]]\nshape.sphere = {{ radius = 1 }}\n"
        )
    };
    let default = Options::default().two_level.sweeps;
    for section in ["solver", "rigid_solver"] {
        for sweeps in [default, 17] {
            let scene = parse_scene(&text(sweeps, section), "a.toml", "").unwrap();
            let options = scene.options().unwrap();
            assert_eq!(options.two_level.sweeps, sweeps, "{section}");
            let mut converged = Scene::new();
            converged.preset = Some("converged".into());
            let wanted = converged.options().unwrap();
            assert_eq!(options.two_level.substeps, wanted.two_level.substeps);
            // and again after it was written
            let again = parse_scene(&write_scene(&scene).unwrap(), "a.toml", "").unwrap();
            assert_eq!(again.options().unwrap(), options);
        }
    }
}
