//! What a scene file may contain, as a JSON Schema that editors understand.

use drystone_world::Scene;

/// The JSON Schema of scene files.
pub fn scene_schema() -> serde_json::Value {
    schemars::schema_for!(Scene).to_value()
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
