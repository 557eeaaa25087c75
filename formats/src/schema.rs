//! What a scene file may contain, as a JSON Schema that editors understand.

use drystone_world::Scene;

/// The JSON Schema of scene files.
pub fn scene_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    unescape(&mut schema);
    schema
}

/// Descriptions come from doc comments, in which units are escaped, `\[m\]`, so that they are no links; users read `[m]`.
fn unescape(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::String(text) if text.contains('\\') => {
            *text = text.replace("\\[", "[").replace("\\]", "]");
        }
        Value::Array(list) => list.iter_mut().for_each(unescape),
        Value::Object(table) => table.values_mut().for_each(unescape),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_what_a_scene_file_may_say() {
        let schema = scene_schema();
        let properties = &schema["properties"];
        for key in [
            "body", "generate", "material", "contact", "truth", "solver", "duration",
        ] {
            assert!(properties.get(key).is_some(), "no `{key}` in the schema");
        }
        assert_eq!(schema["additionalProperties"], false);
        let text = schema.to_string();
        assert!(
            text.contains("[m/s]") && !text.contains("\\\\["),
            "escaped units"
        );
        let solvers = &schema["$defs"]["Solvers"]["properties"];
        for key in ["rigid", "strand", "cloth"] {
            assert!(solvers.get(key).is_some(), "no `solver.{key}`: {solvers}");
        }
        let cloth = &schema["$defs"]["ClothSolver"]["properties"];
        for key in ["thickness", "stiffness", "plane", "elastic_fraction"] {
            assert!(cloth.get(key).is_some(), "no `solver.cloth.{key}`: {cloth}");
        }
    }
}
