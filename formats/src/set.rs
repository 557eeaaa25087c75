//! `KEY=VALUE`: a dotted path into the scene as data, and a value in TOML.

use drystone_world::{DEFAULT_MATERIAL, Scene, nearest, today};
use serde_json::{Map, Value};

use crate::parse_scene;

/// `scene` with one value changed, `KEY=VALUE`; or what is wrong with that.
///
/// Bodies and generators are found by name or by number: `body.roof.mass=500`, `body.0.mass=500`.
pub fn apply(scene: &Scene, assignment: &str) -> Result<Scene, String> {
    read(&edit(scene, assignment)?)
}

/// `scene` as data with one value changed, not yet validated.
pub fn edit(scene: &Scene, assignment: &str) -> Result<Value, String> {
    let Some((key, text)) = assignment.split_once('=') else {
        return Err("there is no `=`; wanted KEY=VALUE, such as dt=0.005".into());
    };
    let path = today(&key.trim().split('.').collect::<Vec<_>>());
    let value = parse(text.trim())?;
    let mut scene = scene.clone();
    if path[0] != "preset" {
        // what was said in code beside a preset goes before what is said now
        scene.settle_options().map_err(|e| e.to_string())?;
    }
    let mut data = serde_json::to_value(&scene).map_err(|e| e.to_string())?;
    put(&mut data, &path, value)?;
    Ok(data)
}

/// The scene that `data` says.
pub fn read(data: &Value) -> Result<Scene, String> {
    // the scene reader knows every key and names the nearest
    parse_scene(&data.to_string(), "--set.json", "").map_err(|error| {
        let help = error.help.map_or(String::new(), |help| format!("; {help}"));
        format!("{}{help}", error.message)
    })
}

/// `text` as a TOML value; a bare word is a string.
fn parse(text: &str) -> Result<Value, String> {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '*');
    match ::toml::from_str::<Value>(&format!("value = {text}")) {
        Ok(one) if one["value"].is_null() => Err(format!("`{text}` is no finite number")),
        Ok(mut one) => Ok(one["value"].take()),
        Err(_) if !text.is_empty() && text.chars().all(word) => Ok(Value::String(text.into())),
        Err(error) => Err(format!(
            "`{text}` is no value in TOML: {}",
            error.message().replace('\n', ", ")
        )),
    }
}

/// Puts `value` at `path`, and makes tables that are missing: the data of a scene leave out what is
/// the default, and its reader refuses unknown keys.
fn put(data: &mut Value, path: &[&str], value: Value) -> Result<(), String> {
    let mut place = data;
    for (depth, &key) in path.iter().enumerate() {
        if key.is_empty() {
            return Err("a key is empty; wanted words with dots between them".into());
        }
        if depth == 1 && path[0] == "material" {
            known_material(place, key)?;
        }
        if let Value::Array(list) = place {
            place = element(list, key, path[..depth].join("."))?;
            continue;
        }
        if !place.is_object() {
            // a word such as `"half-space"`, or nothing yet
            *place = Value::Object(Map::new());
        }
        let Value::Object(table) = place else {
            return Err(format!("`{key}` is not inside a table"));
        };
        let fresh = || match (depth, key) {
            (0, "body" | "generate" | "truth" | "contact") => Value::Array(Vec::new()),
            _ => Value::Null,
        };
        place = table.entry(key).or_insert_with(fresh);
    }
    *place = value;
    Ok(())
}

/// A material that nobody is made of would change nothing.
fn known_material(materials: &Value, name: &str) -> Result<(), String> {
    let table = materials.as_object();
    let known = || table.into_iter().flat_map(Map::keys).map(String::as_str);
    if name == DEFAULT_MATERIAL || known().any(|k| k == name) {
        return Ok(());
    }
    Err(missing("material", name, known().chain([DEFAULT_MATERIAL])))
}

/// The element of a list that is called `key` or has that number.
fn element<'a>(list: &'a mut [Value], key: &str, what: String) -> Result<&'a mut Value, String> {
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
    let names: Vec<String> = list.iter().filter_map(name).collect();
    let by_name = list
        .iter()
        .position(|item| name(item).as_deref() == Some(key));
    let by_number = || key.parse().ok().filter(|&i: &usize| i < list.len());
    match by_name.or_else(by_number) {
        Some(i) => Ok(&mut list[i]),
        None if key.parse::<usize>().is_ok() => Err(format!(
            "there is no `{what}.{key}`; `{what}` has {} elements, counted from 0",
            list.len()
        )),
        None => Err(missing(&what, key, names.iter().map(String::as_str))),
    }
}

fn missing<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none with a name".into(),
        None => format!("there are: {}", known[..known.len().min(20)].join(", ")),
    };
    format!("there is no {kind} `{name}`; {hint}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use drystone_world::{Body, Stepper};

    use super::*;

    fn scene() -> Scene {
        let mut scene = Scene::new();
        scene.ground();
        scene.material("brick", 0.5, 0.0);
        scene.add(Body::cube(1.0).named("roof").of("brick").at(0.0, 0.5, 0.0));
        scene
    }

    fn with(assignment: &str) -> Scene {
        apply(&scene(), assignment).unwrap()
    }

    /// Words of older files and scripts mean what they meant.
    #[test]
    fn old_words_go_where_the_new_ones_do() {
        for (old, new) in [
            (
                "solver.two_level.sweeps=8",
                "solver.rigid.two_level.sweeps=8",
            ),
            // names before
            ("solver.coursed.sweeps=8", "solver.rigid.two_level.sweeps=8"),
            (
                "solver.rigid.coursed.sweeps=8",
                "solver.rigid.two_level.sweeps=8",
            ),
            ("rigid_solver.sleeping=true", "solver.rigid.sleeping=true"),
            (
                "strand_solver.steps_per_frame=9",
                "solver.strand.steps_per_frame=9",
            ),
            ("cloth_solver.early=0.25", "solver.cloth.early=0.25"),
            (
                "cloth_contact.thickness=0.02",
                "solver.cloth.thickness=0.02",
            ),
            ("cloth_plane=true", "solver.cloth.plane=true"),
            (
                "solver.rigid.tuning.worth=0.25",
                "solver.rigid.tuning.coarse_decrease=0.25",
            ),
        ] {
            assert_eq!(with(old), with(new), "{old}");
            assert_ne!(with(old), scene(), "{old}");
        }
    }

    #[test]
    fn values_are_set_wherever_they_stand() {
        assert_eq!(with("dt=0.005").dt, 0.005);
        assert_eq!(with("duration = 3").duration, 3.0);
        assert_eq!(with("gravity=[0,-1.62,0]").gravity, [0.0, -1.62, 0.0]);
        let rigid = |assignment| with(assignment).solver.rigid;
        assert_eq!(rigid("solver.rigid.two_level.sweeps=8").two_level.sweeps, 8);
        assert_eq!(rigid("solver.rigid.stepper=vsp").stepper, Stepper::Vsp);
        let older = rigid("solver.rigid.stepper=coursed").stepper;
        assert_eq!(older, Stepper::TwoLevel);
        let solver = with("solver.strand.steps_per_frame=9").solver;
        assert_eq!(solver.strand.steps_per_frame, 9);
        let solver = with("solver.cloth.early=0.25").solver;
        assert_eq!(solver.cloth.events.early, 0.25);
        assert_eq!(with("preset=paper").preset.as_deref(), Some("paper"));
        assert_eq!(
            with("material.brick.friction=0.3").materials["brick"].friction,
            0.3
        );
        assert_eq!(
            with("material.default.friction=0.3").materials["default"].friction,
            0.3
        );
        let brick = |assignment| with(assignment).materials["brick"];
        assert_eq!(brick("material.brick.dynamic_friction=0.3").friction, 0.3);
        assert_eq!(brick("material.brick.static_friction=0.7").at_rest(), 0.7);
        assert_eq!(with("body.roof.mass=500").bodies[1].mass, Some(500.0));
        assert_eq!(with("body.1.mass=500").bodies[1].mass, Some(500.0));
    }

    #[test]
    fn what_cannot_be_set_names_the_key_and_the_nearest_one() {
        for (assignment, wanted) in [
            ("dt", "there is no `=`"),
            ("=3", "a key is empty"),
            ("dt=", "no value in TOML"),
            ("dt=abc", "invalid type"),
            ("dt=nan", "no finite number"),
            ("dt=-1", "`dt` is -1 s"),
            ("grvity=[0,0,0]", "did you mean `gravity`?"),
            ("solver.rigid.two_level.sweps=8", "did you mean `sweeps`?"),
            ("solver.two_level.sweps=8", "did you mean `sweeps`?"),
            ("solver.rigid.stepper=vps", "two-level, vsp"),
            ("solver.clot.early=1", "there is no key `clot` here"),
            ("solver.cloth.erly=1", "did you mean `early`?"),
            ("solver.cloth.thicknes=1", "did you mean `thickness`?"),
            ("material.brik.friction=0.3", "did you mean `brick`?"),
            ("body.rof.mass=3", "did you mean `roof`?"),
            ("body.7.mass=3", "2 elements"),
            ("dt.x=3", "invalid type"),
        ] {
            let Err(failure) = apply(&scene(), assignment) else {
                panic!("{assignment} was taken");
            };
            let text = format!("{failure:?}");
            assert!(text.contains(wanted), "{assignment}: {text}");
        }
    }
}
